"""Perft: pinned numbers of distinct results for fixed deals. A silent change of the rules shows here.

`python -m tests.test_perft` writes perft.json anew; a change of it needs a new RULES_VERSION and a changelog line.
"""

import json
from pathlib import Path

import pytest

from casino_env import turns
from casino_env.game import Game
from casino_env.rules import RULES_VERSION
from casino_env.turns import perft
from tests.random_play import GAMES

FILE = Path(__file__).parent / "perft.json"
MOMENTS = (0, 6, 12, 18, 24)  # turns into the deal at which the next turn is counted
DEEP = 12  # the moment at which the next two turns are counted


def counts(name: str, players: int) -> list[int]:
    """Count results along one line of the deal of seed 20."""
    game = Game(name, players, seed=20, skip_forced=False)
    found = []
    for moment in MOMENTS:
        while game.record["turns"] < moment and not game.over:  # the mini games are shorter
            legal = game.legal()
            game.apply(legal[len(legal) // 2])
        found.append(perft(game, 1))
        if moment == DEEP:
            found.append(perft(game, 2))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), GAMES)
def test_pinned(name: str, players: int) -> None:
    pinned = json.loads(FILE.read_text())
    assert pinned["rules_version"] == RULES_VERSION
    assert counts(name, players) == pinned["counts"][f"{name} {players}"]


def test_counts_do_not_depend_on_how_many_positions_a_call_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game("mini", seed=3, skip_forced=False)
    for at_once in (256, 2):
        monkeypatch.setattr(turns, "_AT_ONCE", at_once)
        assert [perft(game, depth) for depth in range(7)] == [1, 2, 4, 11, 45, 51, 57]


def test_after_the_end_of_a_game_there_is_nothing_however_many_turns_are_asked_for() -> None:
    game = Game("mini", seed=3)
    while not game.over:
        game.apply(game.legal()[0])
    assert perft(game, 0) == 1
    assert perft(game, 10**9) == 0


def main() -> None:
    table = {f"{name} {players}": counts(name, players) for name, players in GAMES}
    rows = ",\n".join(f'  "{game}": {json.dumps(row)}' for game, row in table.items())
    FILE.write_text(f'{{"rules_version": {RULES_VERSION}, "counts": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    main()
