"""Games to look at: single deals between agents, as records."""

from __future__ import annotations

from agents.registry import make_agent
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.record import write_record
from casino_env.rules import Rules
from evaluate.matches.duplicate import Table, seatings


def sample(rules: Rules, a: str, b: str, deal: int, seed: int = 0) -> tuple[str, list[str]]:
    """One deal with a on the first side: its record, and who sits where."""
    table = Table(rules, (a, b), (make_agent(a), make_agent(b)), seatings(rules), seed)
    roles = table.seatings[0].tolist()
    players = table.seat_all(table.seatings[0], deal)
    game = Game(rules, seed=deal)
    while not game.over:
        with table.blamed(roles[game.seat]):
            game.apply(int(players[game.seat].act(observe(game))))
    return write_record(deal, game), [(a, b)[role] for role in roles]
