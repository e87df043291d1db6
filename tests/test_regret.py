"""Regret: zero for perfect play, and the solver's loss for other play."""

import json

from casino_env.actions import NO, YES, action_text, parse_action
from casino_env.agents.solver.solver import solve
from casino_env.evaluate.cli import main
from casino_env.evaluate.regret import Decision, _numbers, regret
from casino_env.game import Game
from casino_env.rules import make_rules

SOUTH = make_rules("south-african", 2)


def test_perfect_play_loses_nothing():
    found = regret(SOUTH, "tests.players:Perfect", 4, 3)
    assert found["decisions"] > 10 and found["lost a deal"]["mean"] == 0 and found["worst"] == []


def test_better_agents_lose_less():
    lost = [regret(SOUTH, agent, 60, 4, against="counter")["lost a deal"]["mean"] for agent in ("random", "counter")]
    assert lost[0] > lost[1] > 0


def test_the_worst_positions_are_as_said():
    assert len(regret(SOUTH, "random", 8, 4)["worst"]) == 10
    found = regret(SOUTH, "random", 8, 4, worst=3)
    assert [row["lost"] for row in found["worst"]] == sorted((row["lost"] for row in found["worst"]), reverse=True)
    for row in found["worst"]:
        game = Game.from_json(row["position"])
        values = solve(game, want="values").values or {}
        assert row["value"] == max(values.values())
        assert row["best"] == [action_text(action) for action, value in values.items() if value == row["value"]]
        assert row["lost"] == row["value"] - values[parse_action(row["chosen"])]


def test_numbers_by_hand():
    """One of two decisions loses two points; the third is not solved."""
    values = {YES: 3, NO: 1}
    right, wrong, unsolved = Decision({}, YES, values), Decision({}, NO, values), Decision({}, NO, None)
    found = _numbers([[right, wrong], [unsolved]], 1, 10)
    assert (found["decisions"], found["unsolved"]) == (2, 1)
    assert [found[name]["mean"] for name in ("lost a decision", "lost a deal", "mistakes")] == [1.0, 1.0, 0.5]
    assert found["worst"] == [{"lost": 2, "chosen": "no", "best": ["yes"], "value": 3, "position": {}}]


def test_piles_sorted_in_secret(monkeypatch):
    """Swazi endings are judged if the order of the piles does not matter and the solver finishes."""
    found = regret(make_rules("swazi", 2), "greedy", 6, 4)
    assert found["endings"] == 6 and found["decisions"] > 20 and found["unsolved"] < 5
    monkeypatch.setattr("casino_env.evaluate.regret._NODES", 5)
    hurried = regret(make_rules("swazi", 2), "greedy", 6, 4)
    assert hurried["unsolved"] > found["unsolved"]
    assert hurried["decisions"] + hurried["unsolved"] == found["decisions"] + found["unsolved"]


def test_the_command(capsys):
    words = ["regret", "greedy", "--endings", "4", "--cards", "3", "--variant", "cassino"]
    rows = []
    for _ in range(2):
        assert main([*words, "--json"]) == 0
        rows.append(json.loads(capsys.readouterr().out) | {"seconds": 0})
    assert rows[0] == rows[1] and rows[0]["cards"] == 3
    assert main(words) == 0 and "lost a decision" in capsys.readouterr().out
