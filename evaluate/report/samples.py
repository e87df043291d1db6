"""Games to look at: single deals between agents, as records."""

from __future__ import annotations

from casino_env.evaluate.matches.duplicate import seatings
from casino_env.evaluate.matches.pairing import Pairing
from casino_env.evaluate.matches.playing import play_game
from casino_env.record import write_record
from casino_env.rules import Rules


def sample(rules: Rules, a: str, b: str, deal: int, seed: int = 0) -> tuple[str, list[str]]:
    """One deal with a on the first side: its record, and who sits where."""
    pairing = Pairing.of(rules, (a, b), seatings(rules), seed)
    seating = pairing.seatings[0]
    return write_record(deal, play_game(pairing, seating, deal)), [pairing.names[who] for who in seating]
