"""Who is better and by how much, and how fast."""

from casino_env.evaluate.matches.deals import Book, make_book
from casino_env.evaluate.matches.match import MatchResult, match
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.evaluate.tables import frame

__all__ = ["AgentFailedError", "Book", "MatchResult", "frame", "make_book", "match"]
