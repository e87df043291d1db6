"""Compare agents: matches, tournaments, ratings and reports."""

from casino_env.extras import lacking

try:
    from casino_env.evaluate.matches.deals import Book, make_book
    from casino_env.evaluate.matches.match import MatchResult, match
    from casino_env.evaluate.matches.pairing import AgentFailedError
    from casino_env.evaluate.tables import frame
except ModuleNotFoundError as error:
    raise lacking("casino_env.evaluate", error) from None

__all__ = ["AgentFailedError", "Book", "MatchResult", "frame", "make_book", "match"]
