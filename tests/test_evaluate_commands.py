"""casino evaluate as a user calls it: JSON results, one-line errors, and partial results when interrupted."""

import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from casino_env.evaluate.commands.contests import _match_text
from casino_env.evaluate.matches.tournament import FILE, TournamentSettings, load_tournament, play_tournament
from casino_env.evaluate.matches.workers import Threads
from tests.kept_deals import changed, count_of, rows_of
from tests.refusals import refused
from tests.rogues import PressesCtrlC

ROOT = Path(__file__).parent.parent
KEYS = {"a", "b", "variant", "players", "deals", "games", "diff", "low", "high", "win_a", "win_b", "draw", "seed"}


@pytest.fixture
def run(casino):
    return partial(casino, "evaluate")


# --- match -----------------------------------------------------------------------------------------------------------


def test_match_as_json(run):
    code, out, _ = run("match", "greedy", "random", "--deals", 20, "--seed", 3, "--json")
    row = json.loads(out)
    assert code == 0 and row.keys() >= KEYS and "control" not in row
    assert (row["deals"], row["games"], row["seed"], row["variant"]) == (20, 40, 3, "south-african")
    assert row["low"] < row["diff"] < row["high"]
    assert row["win_a"] + row["win_b"] + row["draw"] == pytest.approx(1)


def test_a_match_without_luck_says_what_it_is_with(run):
    row = {"a": "x", "b": "y", "variant": "mini", "players": 2, "deals": 9, "games": 18, "diff": 1.5, "low": 1,
           "high": 2, "win_a": 0.5, "win_b": 0.25, "draw": 0.25, "seed": 3, "seconds": 1.25}  # fmt: skip
    plain = {"mean": 1.25, "low": 0.0, "high": 2.5}
    said = _match_text(row | {"control": {"judge": "z", "plain": plain, "worth": 2.0}}).splitlines()
    assert said[0] == "x - y: +1.500 points a deal (95 %: +1.000 to +2.000)"
    assert said[2].strip() == (
        "less luck, as z judges it; with it +1.250 (+0.000 to +2.500): as good as 2.00 times as many deals"
    )
    alone = {"control": {"judge": "z", "plain": plain | {"low": None, "high": None}, "worth": 1.0}}
    said = _match_text(row | {"low": None, "high": None} | alone).splitlines()
    assert said[0] == "x - y: +1.500 points a deal" and "with it +1.250: as good as 1.00" in said[2]


def test_a_policy_of_another_game_is_named(run):
    """A policy plays any game with its observation layout, so warn: a command without --variant plays the default."""
    code, _, err = run("match", "policy:khasino-2,turns=1", "policy:universal", "--deals", 1)
    spec = "policy:khasino-2,turns=1 was trained for khasino with 2 players, not south-african with 2"
    assert code == 0 and err == f"evaluate: {spec} (play its own game: --like policy:khasino-2)\n"
    one_switch = ("--variant", "khasino", "--set", "insist_capture=never")
    assert (
        "was trained for khasino with 2 players and insist_capture = 'always', not 'never' ("
        in (run("match", "policy:khasino-2,turns=1", "greedy", "--deals", 1, *one_switch)[2])
    )
    own = ("--like", "policy:khasino-2")
    assert run("match", "policy:khasino-2,turns=1", "greedy", "--deals", 1, *own)[::2] == (0, "")


def test_the_table_to_report(run):
    code, out, _ = run("baseline", "greedy", "--variant", "khasino", "--deals", 4)
    assert code == 0 and "4 deals of seed 2026" in out
    over = [line.split(" | ")[0].strip("| ") for line in out.splitlines()[4:]]
    assert over == ["random", "greedy", "builder", "counter", "policy:khasino-2"]
    rows = json.loads(run("baseline", "greedy", "--variant", "mini", "--deals", 4, "--json")[1])
    assert [row["b"] for row in rows] == over[:-1] and {row["seed"] for row in rows} == {2026}
    assert run("baseline", "policy:khasino-2", "--variant", "swazi", "--deals", 4)[0] in (1, 2)
    assert run("baseline", "greedy", "--deals", 1)[::2] == (1, "evaluate: --deals 1: must be 2 to 10000000\n")


def test_one_against_several(run):
    code, out, _ = run("match", "builder", "random", "greedy", "--deals", 10, "--players", 3, "--json")
    games = [(row["a"], row["b"], row["games"]) for row in json.loads(out)]
    assert code == 0 and games == [("builder", "random", 30), ("builder", "greedy", 30)]
    assert run("match", "builder", "random", "greedy", "--deals", 10)[1].count("points a deal") == 2


def test_one_deal_has_no_interval(run):
    row = json.loads(run("match", "greedy", "random", "--deals", 1, "--json")[1])
    assert row["low"] is None and row["high"] is None
    assert "95 %" not in run("match", "greedy", "random", "--deals", 1)[1]


def test_switches(run):
    words = ("match", "greedy", "random", "--deals", 5, "--json")
    row = json.loads(run(*words, "--set", "raise_by=opponents", "--set", "sweeps=yes", "--variant", "cassino")[1])
    assert row["rules"] == {"raise_by": "opponents", "sweeps": True}


def test_a_sequential_test(run, tmp_path):
    words = ("match", "greedy", "random", "--sprt", 0, 2, "--deals", 5000, "--json", "--out", tmp_path / "m.sqlite")
    first = json.loads(run(*words)[1])
    assert first["sprt"]["verdict"] == "better" and first["deals"] == 250
    assert json.loads(run(*words)[1])["deals"] == 250, "the verdict stands"


def test_a_ratio_without_bounds_is_null(run):
    """An agent against itself gives an infinite ratio, which JSON cannot express."""
    words = ("match", "greedy", "greedy", "--sprt", 1, 2, "--deals", 60, "--json")
    found = json.loads(run(*words)[1], parse_constant=pytest.fail)["sprt"]
    assert (found["ratio"], found["verdict"]) == (None, "worse")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "the following arguments are required: COMMAND"),
        (("greedy",), 2, "the following arguments are required"),
        (("gredy", "random"), 2, "did you mean 'greedy'?"),
        (("tests.rogues:Broken:runs/x", "random"), 2, "runs/x: not a checkpoint"),
        (("greedy", "random", "--deals", "0"), 1, "deals = 0"),
        (("greedy", "random", "--players", "9"), 1, "not 9"),
        (("greedy", "random", "--players", "0"), 1, "not 0"),
        (("greedy", "random", "--variant", ""), 1, "unknown variant ''"),
        (("greedy", "random", "--seed", "-1"), 1, "seed = -1"),
        (("greedy", "random", "--threads", "0"), 1, "threads = 0"),
        (("greedy", "random", "--sprt", "1", "0"), 1, "must be below the second"),
        (("greedy", "random", "--variant", "cassino", "--set", "sweeps=maybe"), 1, "it must be true or false"),
        (("greedy", "random", "--set", "target=x"), 1, "it must be a whole number"),
        (("greedy", "random", "--set", "raise_by=x"), 1, "it must be one of opponents, anyone"),
        (("greedy", "random", "--set", "raise"), 1, "SWITCH=VALUE"),
        (("greedy", "random", "--set", "raised_by=anyone"), 1, "did you mean 'raise_by'?"),
        (("greedy", "random", "builder", "--out", "x"), 1, "--out needs exactly two agents"),
        (("greedy", "random", "--out", "x", "--csv", "./x"), 1, "--csv x: is the file of --out"),
        (("greedy", "random", "--csv", "/dev/null/x.csv"), 2, "'/dev/null' is not a writable folder"),
        (
            ("tests.rogues:Between", "random", "--deals", "2"),
            1,
            "an action must be a whole number from 0 to 191, not 3.7",
        ),
        (("tests.rogues:BetweenInMany", "greedy", "--deals", "2"), 1, "of float64 for 1 games"),
        (("style", "gredy"), 2, "did you mean 'greedy'?"),
        (("style", "greedy", "--deals", "1"), 1, "must be 2 or more"),
        (("style", "greedy", "--players", "9"), 1, "not 9"),
        (("style", "tests.players:Illegal", "--deals", "2"), 1, "tests.players:Illegal: illegal action"),
        (("style", "tests.rogues:WaitsInMany", "--deals", "2"), 1, "WaitsInMany: illegal action -1 by seat"),
        (("exam", "greedy", "--seed", "-1"), 1, "--seed -1: must be 0 or more"),
        (("regret", "gredy"), 2, "did you mean 'greedy'?"),
        (("regret", "greedy", "--players", "3"), 1, "two players"),
        (("regret", "greedy", "--endings", "1"), 1, "must be 2 to 500000"),
        (("regret", "greedy", "--endings", "500001"), 1, "must be 2 to 500000"),
        (("regret", "greedy", "--cards", "11"), 1, "1 to 10"),
        (("regret", "greedy", "--variant", "cassino", "--set", "count_out=yes"), 1, "count_out"),
        (("regret", "tests.players:Illegal"), 1, "tests.players:Illegal: illegal action"),
    ],
)
def test_wrong_calls(run, words, code, said):
    """Words that name no command of evaluate are arguments of `match`."""
    found, out, err = run(*(words if words[:1] in ((), ("style",), ("exam",), ("regret",)) else ("match", *words)))
    assert (found, out) == (code, "") and said in err


def test_a_rogue_leaves_the_others_their_result(run):
    code, out, err = run("match", "greedy", "tests.rogues:IllegalInMany", "random", "--deals", 5, "--json")
    assert code == 1 and [row["b"] for row in json.loads(out)] == ["random"]
    assert err.startswith("evaluate: tests.rogues:IllegalInMany: illegal action") and err.count("\n") == 1


@pytest.mark.parametrize("words", [("style",), ("regret",), ("exam", "random", "--game", "cassino-2")])
def test_what_is_interrupted_says_what_it_has(run, words):
    code, out, err = run(words[0], "tests.rogues:InterruptsLater", *words[1:], "--json")
    assert (code, err) == (1, "evaluate: interrupted; this is the result so far\n")
    found = json.loads(out)
    (row,) = found if isinstance(found, list) else [found]
    assert row["interrupted"] and 2 <= row.get("deals", row.get("positions")) < 100


def test_a_match_hears_ctrl_c_within_a_decision(run, monkeypatch):
    """In threads too, which play 250 deals at a time; none of them is whole here."""
    monkeypatch.setattr(PressesCtrlC, "asked", 0)
    assert run("match", "tests.rogues:PressesCtrlC:2", "greedy") == (1, "", "evaluate: interrupted\n")
    assert PressesCtrlC.asked <= 4  # by two threads; a deal asks some forty times


@pytest.mark.parametrize("command", ["match", "baseline"])
def test_ctrl_c_leaves_the_rows_before_it(run, tmp_path, monkeypatch, command):
    rivals, table = ("random", "greedy", "counter") if command == "match" else (), tmp_path / "t.csv"
    words = (*rivals, "--variant", "mini", "--deals", 4, "--threads", 1, "--json", "--csv", table)
    monkeypatch.setattr(PressesCtrlC, "asked", 0)
    code, out, err = run(command, "tests.rogues:PressesCtrlC:35", *words)
    assert (code, err) == (1, "evaluate: interrupted; this is the result so far\n")
    rows = json.loads(out)
    assert [(row["b"], row["deals"]) for row in rows] == [("random", 4), ("greedy", 4)]
    assert len(table.read_text().splitlines()) == 1 + len(rows)


def test_ctrl_c_leaves_the_scores_before_it(run, monkeypatch):
    """Those of agents that are through, and that of the agent which plays, once it has two deals."""
    words = ("--deals", 6, "--threads", 1, "--json")
    for nth, agents in ((20, ["random"]), (400, ["random", "tests.rogues:PressesCtrlC:400"])):
        monkeypatch.setattr(PressesCtrlC, "asked", 0)
        code, out, err = run("fresh", "random", f"tests.rogues:PressesCtrlC:{nth}", "greedy", *words)
        assert (code, err) == (1, "evaluate: interrupted; this is the result so far\n")
        assert PressesCtrlC.asked <= nth + 1
        rows = json.loads(out)["scores"]
        assert sorted(row["agent"] for row in rows) == agents
        assert all(2 <= row["deals"] < 6 if "interrupted" in row else row["agent"] == "random" for row in rows)


def test_a_reader_that_goes_leaves_the_table(tmp_path):
    table = tmp_path / "t.csv"
    words = f"match greedy random counter --variant mini --deals 4 --threads 1 --csv {table}"
    command = f"{sys.executable} -m evaluate {words} | exec true"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == "" and len(table.read_text().splitlines()) >= 2


@pytest.mark.parametrize("words", [("fresh", "--deals", 2), ("exam", "--game", "cassino-2", "--positions", 2)])
def test_an_agent_that_fails_leaves_what_was_before_it(run, words):
    code, out, err = run(words[0], "random", "tests.players:Illegal", *words[1:], "--json")
    assert code == 1 and err.startswith("evaluate: tests.players:Illegal: ") and " illegal " in err
    assert err.endswith("; this is the result so far\n") and err.count("\n") == 1
    found = json.loads(out)
    assert [row["agent"] for row in (found["scores"] if words[0] == "fresh" else found)] == ["random"]


@pytest.mark.slow
def test_an_interrupted_match_says_what_it_has(tmp_path):
    file = tmp_path / "m.sqlite"
    words = ["match", "tests.rogues:Slow", "greedy", "--deals", "500", "--json", "--threads", "1", "--out"]
    command = [sys.executable, "-m", "evaluate", *words, str(file)]
    match = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 300
    while time.monotonic() < until and count_of(file) < 2:
        time.sleep(0.05)
    match.send_signal(signal.SIGTERM)
    out, err = match.communicate(timeout=60)
    assert match.returncode == 1 and "interrupted" in err
    assert json.loads(out)["deals"] == count_of(file) >= 2


# --- tournament ------------------------------------------------------------------------------------------------------

POOL = ("random", "greedy", "builder", "--variant", "mini")


def contents(folder):
    return rows_of(folder / FILE), (folder / "standings.json").read_text()


@pytest.mark.slow
def test_a_tournament_grows(run, tmp_path):
    """With more agents and deals, only missing deals are played; the result equals that of a single run."""
    code, out, _ = run("tournament", *POOL[:2], *POOL[3:], "--deals", 250, "--out", tmp_path / "a", "--threads", 1)
    assert code == 0 and "greedy" in out
    assert run("tournament", *POOL, "--deals", 600, "--out", tmp_path / "a", "--threads", 1)[0] == 0
    assert run("tournament", *POOL, "--deals", 600, "--out", tmp_path / "b", "--threads", 2)[0] == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    found = json.loads(run("tournament", "--out", tmp_path / "a", "--json")[1])
    assert [row["agent"] for row in found["ratings"]][2] == "random"
    assert [row["deals"] for row in found["pairs"]] == [600, 600, 600]


@pytest.mark.parametrize("wrong", [("--seed", -1), ("--seed", 2**64), ("--deals", 0), ("--deals", 10**9)])
def test_what_is_refused_leaves_no_tournament_behind(run, tmp_path, wrong):
    code, _, err = run("tournament", *POOL, "--deals", 2, *wrong, "--out", tmp_path / "a")
    assert code == 1 and str(wrong[1]) in err
    assert not (tmp_path / "a").exists()


def test_a_tournament_is_a_table_or_json_and_says_how_far_it_is(run, tmp_path):
    words = ("tournament", *POOL, "--deals", 2, "--threads", 1, "--out", tmp_path / "a")
    out = run(*words)[1]
    assert all(f"[{place}]" in out for place in (1, 2, 3)) and "pairs" not in out
    assert json.loads(run(*words, "--json")[1])["pairs"][0]["deals"] == 2
    done = list[int]()
    wanted = TournamentSettings(agents=POOL[:3], variant="mini", players=2, rules={}, seed=0, deals=3)
    with Threads(1) as crew:
        played = play_tournament(tmp_path / "b", wanted, crew, lambda many, _: done.append(many)).deals
    assert done == sorted(done) and done[-1] == 9 and [len(deals) for deals in played.values()] == [3, 3, 3]


def test_a_folder_of_something_else_is_left_alone(run, tmp_path):
    run("tournament", *POOL, "--deals", 2, "--out", tmp_path / "a", "--threads", 1)
    code, _, err = run("tournament", *POOL, "--deals", 2, "--seed", 1, "--out", tmp_path / "a")
    assert code == 1 and "seed = 0, not 1" in err
    (tmp_path / "b").mkdir()
    (tmp_path / "b/letter").write_text("")
    assert "neither empty nor a tournament" in run("tournament", *POOL, "--out", tmp_path / "b")[2]
    assert "not a tournament" in run("tournament", "--out", tmp_path / "c")[2]
    assert (
        "a tournament needs 2 to 1000 different agents"
        in run("tournament", "greedy", "greedy", "--out", tmp_path / "d")[2]
    )


def test_a_tournament_that_cannot_be_leaves_nothing_behind(tmp_path):
    alone = TournamentSettings(agents=POOL[:1], variant="mini", players=2, rules={}, seed=0, deals=3)
    with Threads(1) as crew, refused("a tournament needs 2 to 1000 different agents"):
        play_tournament(tmp_path / "a", alone, crew)
    assert not (tmp_path / "a").exists()


def test_looking_at_a_tournament_writes_nothing(run, tmp_path):
    run("tournament", *POOL, "--deals", 2, "--threads", 1, "--out", tmp_path)
    (tmp_path / "standings.json").unlink()
    code, out, _ = run("tournament", "--out", tmp_path)
    assert code == 0 and "Elo" in out and not (tmp_path / "standings.json").exists()


def test_a_damaged_tournament_is_refused_in_a_line(run, tmp_path):
    words = ("tournament", *POOL, "--deals", 2, "--threads", 1, "--out", tmp_path / "a")
    run(*words)
    file = tmp_path / "a" / FILE
    whole = file.read_bytes()
    for damaged, said in (
        (b"{" + whole[1:], "file is not a database"),
        (whole[:5000], "malformed"),
        (b"", "not a tour"),
    ):
        file.write_bytes(damaged)
        code, out, err = run("tournament", "--out", tmp_path / "a")
        assert (code, out, err.count("\n")) == (1, "", 1) and said in err
    assert run(*words)[0] == 0, "of an empty file it begins anew"


def test_a_tournament_of_other_rules_is_refused(run, tmp_path):
    run("tournament", *POOL, "--deals", 2, "--threads", 1, "--out", tmp_path)
    changed(
        tmp_path / FILE,
        """UPDATE pairings SET settings = replace(settings, '"rules_version": 1', '"rules_version": 0')""",
    )
    code, out, err = run("tournament", "--out", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1) and "was played with rules_version = 0, not 1" in err


@pytest.mark.slow
def test_rogues_are_named_and_the_rest_goes_on(run, tmp_path):
    rogues = [f"tests.rogues:{name}" for name in ("Raises", "Dies", "IllegalInMany")]
    rogues.append("tests.players:Illegal")
    words = ["nobody", "greedy", *rogues, "tests.rogues:Broken:x", "random", "--variant", "mini", "--deals", 2]
    code, _, err = run("tournament", *words, "--threads", 1, "--out", tmp_path / "a")
    said = dict(line.removeprefix("evaluate: ").split(": ", 1) for line in err.splitlines())
    assert code == 1
    assert said["nobody"].startswith("unknown agent") and "not a checkpoint" in said["tests.rogues:Broken:x"]
    assert said["tests.rogues:Dies"].startswith("its process died")
    tournament = load_tournament(tmp_path / "a")
    assert {failure.agent for failure in tournament.failures} == {"nobody", "tests.rogues:Broken:x", *rogues}
    assert list(tournament.deals) == [("greedy", "random")]
