"""Symmetry of seats: if everybody moves on by some seats, the position looks the same to whoever moved along."""

from typing import Any

import numpy as np
import pytest

from casino_env import Game, Rules, make_rules, observe
from casino_env.agents.registry import make_agent
from casino_env.knowledge.layout import Layout, make_layout
from tests.random_play import every_game, label, random_moments
from tests.situations import position

_OF_SEATS, _OF_SIDES = ("hands", "piles", "proven"), ("sweeps", "match_score")
_A_SEAT, _IN_A_TURN = {"to_move": 0, "leader": 0, "last_capture": None}, ("actor", "last_source")


def turned(position: dict[str, Any], rules: Rules, by: int) -> dict[str, Any]:
    """Return the JSON position in which seat `by` is and has what seat 0 was and had. Shared piles belong to sides."""

    def seat(number: Any) -> Any:
        return None if number is None else (number + by) % rules.players

    def rolled(rows: list[Any], count: int) -> list[Any]:
        return [*(rows[(i - by) % count] for i in range(count)), *rows[count:]]

    sides = 2 if rules.partners else rules.players
    piles = sides if rules.shared_pile else rules.players
    made = dict(position)
    for name in _OF_SEATS:
        made[name] = rolled(position[name], piles if name == "piles" else rules.players)
    for name in _OF_SIDES:
        if name in position:
            made[name] = rolled(position[name], sides)
    for name, unless_told in _A_SEAT.items():
        made[name] = seat(position.get(name, unless_told))
    made["builds"] = [row | {"owner": seat(row["owner"])} for row in position["builds"]]
    if "turn" in position:
        turn = position["turn"]
        made["turn"] = turn | {name: seat(turn[name]) for name in _IN_A_TURN if name in turn}
        if rules.chain == "no" and turn.get("stolen"):
            stolen = rolled([turn["stolen"] >> i & 1 for i in range(rules.players)], piles)
            made["turn"]["stolen"] = sum(bit << i for i, bit in enumerate(stolen))
    return made


def pairs(rules: Rules, count: int) -> list[tuple[Game, Game, int]]:
    """Return (game, the same game rotated, by how many seats) for each game and rotation."""
    found = []
    for game in random_moments(rules, count, seed=31):
        position = game.to_json()
        for by in range(1, rules.players):
            found.append((Game.from_json(position), Game.from_json(turned(position, rules, by)), by))
    return found


def seen(game: Game, seat: int, layout: Layout, memory: str) -> dict[str, np.ndarray]:
    """Return the observation by segment. A pile that partners share stands at the lower of their seats, so the two see
    it at different places of `place` and `steals`: of these compare only how often each card occurs."""
    parts = layout.split(observe(game, seat, memory=memory).encode(layout))
    if game.rules.shared_pile:
        parts |= {"place": parts["place"].sum(axis=1)} | {"steals": parts["steals"].sum(axis=0)}
    return parts


@pytest.mark.parametrize("rules", every_game(), ids=label)
@pytest.mark.parametrize("memory", ["perfect", "none"])
def test_whoever_moves_along_sees_the_same(rules: Rules, memory: str) -> None:
    layouts = [make_layout(rules), make_layout(rules, universal=True)]
    for game, other, by in pairs(rules, 25):
        assert other.seat == (game.seat + by) % rules.players or game.over
        assert other.legal() == game.legal()
        for seat in range(rules.players):
            for layout in layouts:
                ours = seen(game, seat, layout, memory)
                theirs = seen(other, (seat + by) % rules.players, layout, memory)
                assert all(np.array_equal(ours[name], theirs[name]) for name in ours), (seat, by, game.to_json())


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_whoever_moves_along_plays_the_same(rules: Rules) -> None:
    """Test a bot that draws no random numbers."""
    for game, other, by in pairs(rules, 8):
        if game.over:
            continue
        played = []
        for each in (game, other):
            agent = make_agent("counter")
            agent.reset(each.seat, np.random.default_rng(0))
            played.append(agent.act(observe(each)))
        assert played[0] == played[1], (by, game.to_json())


def test_a_top_that_fits_a_build_of_mine_and_one_of_another() -> None:
    """The top is said to fit my build, whoever sits where."""
    rules = make_rules("khasino", 3)
    builds, layout = [(6, 0, "5H AS"), (7, 1, "5D 2S")], make_layout(rules)
    data = position("khasino", ["6H 8D", "7H 9D", "8S 9S"], layout="4S 5S", builds=builds, piles=["", "", "2H"])
    begun = Game.from_json(data).to_json()
    for by in range(rules.players):
        told = seen(Game.from_json(turned(begun, rules, by)), (1 + by) % rules.players, layout, "perfect")
        assert np.argwhere(told["steals"])[:, :2].tolist() == [[1, 1]]


def test_a_seat_that_is_told_from_the_others_is_noticed() -> None:
    """Rotate everything except the hands."""
    rules = next(each for each in every_game() if each.players == 3)
    game = next(iter(random_moments(rules, 1, seed=31)))
    position = game.to_json()
    wrong = Game.from_json(turned(position, rules, 1) | {"hands": position["hands"]})
    layout = make_layout(rules)
    assert any(
        not np.array_equal(observe(game, seat).encode(layout), observe(wrong, (seat + 1) % 3).encode(layout))
        for seat in range(3)
    )
