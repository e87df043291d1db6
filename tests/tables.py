"""A person's table that plays itself, for tests of what is built on it."""

import numpy as np

from casino_env.play.players import Players
from casino_env.play.table import Setup, Table

PLAYERS = Players()
PICK = {"variant": "khasino", "players": 2, "hands": [["5D", "9C"], ["AS", "2D"]], "layout": ["4S", "3H"]}  # to build
STEAL = {
    "variant": "swazi", "players": 3, "rules": {"insist_capture": "never", "insist_augment": "never"},
    "hands": [["9D", "KC"], ["AS", "AH"], ["AD", "AC"]], "layout": ["4S", "KD"],
    "builds": [{"value": 9, "owner": 0, "sets": [["6H", "3S"]]}], "piles": [[], ["QH", "2D", "5S"], []],
}  # fmt: skip


def play_on(table: Table, rng: np.random.Generator, steps: int = 10_000) -> None:
    """Random moves of the person, the agents' in between."""
    for _ in range(steps):
        if table.game.over:
            return
        if table.waiting:
            table.advance(PLAYERS)
        else:
            choice = table.moves()
            table.play(list(choice[int(rng.integers(len(choice)))].actions))


def table_of(variant: str, players: int = 2, agent: str = "greedy", seat: int = 0, **more: object) -> Table:
    seats = [agent] * players
    seats[seat] = "you"
    return Table(Setup(variant, players, tuple(seats), **{"seed": 7} | more))  # type: ignore[arg-type]


def copy_of(table: Table, changes: int | None = None) -> Table:
    """As it is read from its file, after so many changes."""
    return Table.from_rows(table.head(), table.rows()[:changes])
