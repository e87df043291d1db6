"""Who is better and by how much, and how fast."""

from evaluate.matches.books import Book, load_book, make_book, save_book
from evaluate.matches.match import MatchResult, match
from evaluate.matches.pairing import AgentFailedError

__all__ = ["AgentFailedError", "Book", "MatchResult", "load_book", "make_book", "match", "save_book"]
