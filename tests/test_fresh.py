"""Fresh rules: games that nobody has read, the measurements that admit them, and scores of agents in them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import fresh as benchmark
from casino_env.agents.registry import name_of
from casino_env.evaluate.cli import main
from casino_env.evaluate.fresh import proving, sets
from casino_env.evaluate.fresh.proving import (
    HANDS,
    LEAST_SHOWN,
    MOST_CHOICES,
    MOST_SPREAD,
    MOST_TURNS,
    RUNGS,
    TOP,
    Drawn,
    drawn,
    examined,
)
from casino_env.evaluate.fresh.scoring import Score, _within, play, ranked
from casino_env.evaluate.fresh.sets import OURS, FreshSet, make_set, read_set
from casino_env.evaluate.matches.deals import DealsFile
from casino_env.evaluate.matches.pairing import entrant
from casino_env.rules import make_rules, variants
from tests.fake_model import answering, any_turn
from tests.kept_deals import changed
from tests.refusals import refused

HASH = "618c1bcf0471675915f7aa0a6b5be1d3"  # of the project's set: update it when you change the set on purpose


def test_the_set_is_the_one_that_was_frozen():
    made = read_set(OURS)
    assert made.hash == HASH
    assert made.rules() == [rules for number in range(len(made.rows)) if "rules" in made.rows[number]
                            for rules in [drawn(made.seed, number)]]  # fmt: skip
    public, held_out = made.rules("public"), made.rules("held-out")
    assert abs(len(public) - len(held_out)) <= 1 and not set(public) & set(held_out)


def test_each_game_of_the_set_has_shown_what_is_asked():
    presets = [replace(make_rules(name, 2), name="x") for name in variants() if name != "partnership"]
    for row, rules in zip([row for row in read_set(OURS).rows if "rules" in row], read_set(OURS).rules(), strict=True):
        assert rules.hand_size in HANDS and replace(rules, name="x") not in presets
        assert row["turns"] <= MOST_TURNS and row["most_choices"] <= MOST_CHOICES and row["spread"] <= MOST_SPREAD
        assert row["shown"] >= LEAST_SHOWN
        assert [step[:2] for step in row["steps"]] == [[RUNGS[1], RUNGS[0]], [RUNGS[2], RUNGS[1]], [TOP, RUNGS[2]]]
        assert all(low > 0 for *_, low in row["steps"])


def test_what_is_unfit_says_why(monkeypatch):
    """Examine the first two unfit games of the set again."""
    rows = [row for row in read_set(OURS).rows if "unfit" in row][:2]
    assert [examined(2026, row["number"]).row() for row in rows] == rows
    monkeypatch.setattr(proving, "MOST_TURNS", 1)
    assert examined(2026, 4).unfit == "a deal has 48 turns"


def test_against_itself_an_agent_has_no_points_and_need_not_be_played():
    rules = drawn(2026, 4)
    played = np.mean([proving._deals(rules, "greedy", rung, (20,)) for rung in RUNGS], axis=0)
    assert played.any() and (proving._over_all(rules, "greedy", 20) == played).all()


def test_a_set_is_made_in_pieces(tmp_path, monkeypatch):
    """Replace the examination: games with even numbers are fit."""

    def fit(seed, number):
        return Drawn(number, drawn(seed, number), {"spread": 1.0}, "no" if number % 2 else "")

    monkeypatch.setattr(sets, "examined", fit)
    for many in (1, 3):
        made = make_set(tmp_path / "a.jsonl", 5, many, 1, lambda *_: None)
    whole = make_set(tmp_path / "b.jsonl", 5, 3, 1, lambda *_: None)
    assert made.encoded() == whole.encoded() == (tmp_path / "a.jsonl").read_bytes()
    assert [rules.name for rules in read_set(tmp_path / "a.jsonl").rules("public")] == ["fresh 5 0", "fresh 5 4"]
    with refused("was drawn from seed 5, not 6"):
        make_set(tmp_path / "a.jsonl", 6, 3, 1, lambda *_: None)
    spoilt = (tmp_path / "a.jsonl").read_text().replace('"deck": 40', '"deck": 52')
    (tmp_path / "a.jsonl").write_text(spoilt)
    with refused("its rules do not match its hash"):
        read_set(tmp_path / "a.jsonl")


def test_ctrl_c_says_that_a_set_goes_on(tmp_path, monkeypatch, capsys):
    def interrupted(seed, number):
        if number:
            raise KeyboardInterrupt
        return Drawn(number, drawn(seed, number), {})

    monkeypatch.setattr(sets, "examined", interrupted)
    assert main(["fresh", "--make", str(tmp_path / "a.jsonl"), "--threads", "1"]) == 1
    assert capsys.readouterr() == ("", "evaluate: interrupted; run the same command to go on\n")
    assert len(read_set(tmp_path / "a.jsonl").rules()) == 1


def test_scores(tmp_path):
    """Scores resume from a file, do not depend on threads, and are 0 for a bot over itself."""
    games = read_set(OURS).rules()[:2]

    def score(spec, deals, threads=1, out=None):
        return Score(spec, [*play(entrant(spec), games, deals, 1, threads, out)])

    path = tmp_path / "greedy.sqlite"
    path.touch()  # an empty file counts as new
    for deals in (2, 4):
        kept = score("greedy", deals, out=path)
    greedy, counter = score("greedy", 4, threads=2), score("counter", 4)
    assert kept.rows == greedy.rows and greedy.to_json()["over"]["greedy"] == 0
    assert counter.points.mean > greedy.points.mean > score("random", 4).points.mean
    assert counter.over(greedy).mean == pytest.approx(counter.points.mean - greedy.points.mean)
    assert greedy.to_json()["endings"] > 20 and greedy.to_json()["lost in endings"]["mean"] > 0
    with refused("holds greedy - fresh games, not counter - fresh games"):
        score("counter", 4, out=path)
    with refused("another process is writing it"), DealsFile(path, write=True):
        score("greedy", 6, out=path)
    changed(path, "UPDATE pairings SET settings = json_set(settings, '$.weights', 'other')")
    with refused('was played with weights = "other", not null'):
        score("greedy", 6, out=path)


def test_what_differs_between_games_is_no_chance():
    values, games = np.array([1.0, 2.0, 11.0, 12.0]), np.array([0, 0, 1, 1])
    found = _within(values, games)
    assert found.mean == 6.5 and found.high - found.mean == pytest.approx(4.3027 * np.sqrt(0.5 / 4), rel=1e-3)
    assert _within(values[:2], games[1:3]).low == -np.inf


def test_of_equal_points_whoever_was_refused_less_is_better():
    rows = [{"points": [1, 0, 0], "lost": [0], "game": 0, "refused": many} for many in (0, 1, 2)]
    often, seldom, ahead = (
        Score("often", rows[1:]),
        Score("seldom", rows[:2]),
        Score("ahead", [rows[2] | {"points": [2] * 3}]),
    )
    assert [score.agent for score in ranked([often, seldom, ahead])] == ["ahead", "seldom", "often"]


def test_the_command(capsys):
    with answering(any_turn()) as server:
        spec = f"llm:http://127.0.0.1:{server.server_port}/v1,model=fake,listed=yes"
        assert main(["fresh", spec, "counter", "--deals", "2", "--threads", "2", "--json"]) == 0
    best, last = json.loads(capsys.readouterr().out)["scores"]
    assert (best["agent"], last["agent"]) == ("counter", spec) and last["behind"]["mean"] > 0
    assert last["replies"] == len(server.asked) and last["refused"] == last["forfeits"] == 0
    assert main(["fresh", "greedy", "random", "--deals", "2"]) == 0
    said = capsys.readouterr().out
    assert "points a deal over random, greedy, counter" in said and ", not clear\n" in said  # two deals are too few
    assert name_of(spec) == "fake" and name_of("search:sims=200") == "search:sims=200"
    assert main(["fresh"]) == 0 and HASH in capsys.readouterr().out


def test_bots_behind_the_text_interface(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(benchmark, "get_context", lambda _: _Here())
    benchmark.main(["--repetitions", "1", "--deals", "2", "--out", str(tmp_path)])
    assert '"repetitions": 1, "refused": 0' in capsys.readouterr().out
    assert sorted(path.name for path in Path(tmp_path).iterdir())[0] == "counter-1.sqlite"


class _Here:
    """Stands in for a multiprocessing context, without processes."""

    Pool = lambda self, _: self  # noqa: E731
    __enter__ = lambda self: self  # noqa: E731
    __exit__ = lambda self, *_: None  # noqa: E731
    imap = staticmethod(map)


SPOILT = [
    ("{}", "not a set of fresh rules"), ("[]", "not a set of fresh rules"), ("", "not a set of fresh rules"),
    ('{"format": "casino-fresh 1", "rules_version": 1}', "line 1.seed is missing"),
    ('{"format": "casino-fresh 1", "rules_version": 1, "seed": 1, "hash": ""}\n3', "line 2 = 3"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), SPOILT)
def test_a_set_that_is_none(tmp_path, text, said):
    (tmp_path / "x.jsonl").write_text(text)
    with refused(said):
        read_set(tmp_path / "x.jsonl")


def test_a_part_without_games(tmp_path, capsys):
    (tmp_path / "x.jsonl").write_bytes(FreshSet(1).encoded())
    assert main(["fresh", "greedy", "--set", str(tmp_path / "x.jsonl")]) == 1
    assert "this part of the set has no games" in capsys.readouterr().err
