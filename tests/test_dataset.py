"""Datasets of deals: rows replay to the same deals, and dataset cards say how they were made."""

import gzip
import json
from pathlib import Path

from casino_env.agents import dataset
from casino_env.agents.advise import judgeable
from casino_env.agents.cli import main
from casino_env.agents.dataset import FORMAT, LISTED
from casino_env.agents.protocol.analysis import with_forced
from casino_env.agents.registry import make_agent
from casino_env.observed import turn_words
from casino_env.rules import make_rules
from casino_env.text import TextGame, introduction

WORDS = ["--variant", "cassino", "--deals", "2", "--seed", "3", "--playouts", "4", "--seconds", "0.05"]


def test_rows_are_the_deal(tmp_path, capsys):
    """Replaying the rows gives the points in the rows."""
    assert main(["play", "counter", *WORDS, "--out", str(tmp_path / "a.jsonl.gz"), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    head, *rows = rows_of(tmp_path / "a.jsonl.gz")
    assert head["format"] == FORMAT and head["introductions"][1] == introduction(make_rules("cassino", 2), 1)
    assert counts["deals"] == 2 and counts["rows"] == len(rows) and counts["turns"] == sum(row["legal"] for row in rows)
    for deal in (3, 4):
        replay(make_rules("cassino", 2), deal, [row for row in rows if row["deal"] == deal])


def rows_of(path):
    return list(map(json.loads, gzip.decompress(path.read_bytes()).splitlines()))


def replay(rules, deal, rows):
    game = TextGame(rules)
    game.reset(deal)
    for row in rows:
        assert row["seat"] == game.seat and row["told"].endswith(
            game.observation(rules=False).partition("The table:")[2]
        )
        assert len(row["turns"]) <= min(row["legal"], LISTED + 1)
        assert all(half >= 0 for _, _, half in row["turns"])
        assert game.step(row["turns"][row["played"]][0]) == ""
    assert game.over and row["points"] == game.game.scores()


def test_a_turn_that_stops_where_it_may_not_end_is_told_as_it_was_played(monkeypatch):
    """In Swazi a seat may learn from a card below one that it takes that it has to go on."""
    rules, stopped, turns = make_rules("swazi", 3), [], dataset._turns

    def told(game, seen, advice, actions, whole):
        row = turns(game, seen, advice, actions, whole)
        assert whole == judgeable(seen, actions)
        if not whole:
            stopped.append(row["turns"][row["played"]][0] == turn_words(game, with_forced(game, actions)))
        return row

    monkeypatch.setattr(dataset, "_turns", told)
    agents = [make_agent("counter") for _ in range(3)]
    for deal in range(4):
        rows = list(dataset.played("counter", agents, rules, deal, 1, 0.01))
        assert sum(rows[-1]["points"]) > 0
    assert len(stopped) > 2 and all(stopped)


def test_a_turn_in_the_place_of_another_begins_like_it():
    assert [dataset._alike((1, 2, 3), other) for other in ((1, 2, 4), (1, 2), (1, 2, 3, 4), (2,))] == [2, 2, 3, 0]


def test_the_sample():
    """Replay three of its hundred deals, turn by turn."""
    sample = Path(__file__).parent.parent / "benchmarks/deals/south-african-100.jsonl.gz"
    head, *rows = rows_of(sample)
    card = sample.with_name("south-african-100.md").read_text()
    assert f"100 deals with the seeds 0 to 99, {len(rows)} turns" in card
    for deal in (0, 8, 99):
        replay(make_rules(head["variant"], head["players"]), deal, [row for row in rows if row["deal"] == deal])


def test_the_card_and_what_is_there_already(tmp_path, capsys):
    file = tmp_path / "b.jsonl"
    assert main(["play", "greedy", *WORDS[:-4], "--playouts", "2", "--seconds", "0.02", "--out", str(file)]) == 0
    rows = file.read_text().splitlines()[1:]
    card = (tmp_path / "b.md").read_text()
    assert f"2 deals with the seeds 3 to 4, {len(rows)} turns" in card and "**Licence**" in card
    assert all(f"`{key}`" in card for key in json.loads(rows[0]))
    for wrong in (["--seconds", "nan"], ["--seed", str(2**64 - 1), "--deals", "2"]):
        assert main(["play", "greedy", *wrong, "--out", str(tmp_path / "c.jsonl")]) == 1
        assert f"{wrong[0].strip('-')} = " in capsys.readouterr().err and not (tmp_path / "c.jsonl").exists()
    assert main(["play", "greedy", *WORDS, "--out", str(file)]) == 1
    assert "already exists; choose another file" in capsys.readouterr().err


class FailsLater:
    """Raise from the second deal on."""

    deals = 0

    def reset(self, seat, rng):
        self.deals += 1

    def act(self, observation):
        if self.deals == 2:
            raise KeyError("lost")
        return observation.legal()[0]


def test_an_agent_that_fails_is_named_and_whole_deals_stay(tmp_path, capsys):
    file = tmp_path / "d.jsonl"
    for spec, left in (("tests.rogues:Raises", []), ("tests.test_dataset:FailsLater", ["d.jsonl", "d.md"])):
        assert main(["play", spec, *WORDS, "--out", str(file)]) == 1
        err = capsys.readouterr().err
        assert err.startswith(f"agents: {spec}: KeyError: ") and err.count("\n") == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == left
    assert {json.loads(line)["deal"] for line in file.read_text().splitlines()[1:]} == {3}
    assert "1 deals with the seeds 3 to 3" in (tmp_path / "d.md").read_text()


def test_ctrl_c_leaves_the_deals_before_it(casino, tmp_path):
    path = tmp_path / "a.jsonl"
    words = ("agents", "play", "tests.rogues:InterruptsLater", "--variant", "mini", "--seconds", "0", "--out", path)
    assert casino(*words) == (1, "", f"agents: interrupted; the deals before are in {path}\n")
    deals = {json.loads(line)["deal"] for line in path.read_text().splitlines()[1:]}
    assert len(deals) > 2 and f"--deals {len(deals)} " in (tmp_path / "a.md").read_text()
