"""Statistics over seeds: interquartile means, intervals, profiles; and results as tables."""

import csv
import json
import math
import sys
import time
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from casino_env import evaluate
from casino_env.agents.files import seal, unseal
from casino_env.agents.policy.policy_files import shipped_path
from casino_env.evaluate.matches.intervals import Interval
from casino_env.evaluate.report import frames
from casino_env.evaluate.seeds import (
    _spread,
    bootstrap,
    differences,
    improvement,
    iqm,
    profile,
    row_of,
    settings_of,
    student,
)
from casino_env.evaluate.tables import tidy, write_table
from casino_env.run_folder import RunFolder
from tests.refusals import refused

ROOT = Path(__file__).parent.parent


def run(name, scores, variant="swazi", rival="counter", seed=0):
    """Return a run as a report reads it, with these points a deal at its evaluations."""
    points = [
        {"decisions": 100.0 * k, "seconds": 120 * k, "vs": {rival: {"diff": score}}} for k, score in enumerate(scores)
    ]
    about = {"variant": variant, "players": 3, "algorithm": "ppo", "seed": seed, "settings": {}, "switches": []}
    return {"name": name, "points": [{"decisions": 0.0}, *points], **about}


# --- statistics ------------------------------------------------------------------------------------------------------


def test_the_middle_half_counts():
    """By hand: of eight runs the third to the sixth count."""
    scores = np.array([-50.0, 0, 1, 2, 3, 4, 5, 90])[:, None]
    assert iqm(scores).tolist() == [2.5]


def test_a_chance_to_be_better_is_what_is_left_of_the_other():
    a, b = [np.array([1.0, 3.0, 5.0])], [np.array([0.0, 2.0, 4.0, 6.0])]
    (one, low, high), (other, least, most) = improvement(a, b), improvement(b, a)
    assert (one + other, low + most, high + least) == pytest.approx((1, 1, 1)) and 0 < low < one < high < 1


@pytest.mark.parametrize("truth", [0.5, 0.8])
def test_the_spread_of_pairs_as_hanley_and_mcneil_write_it(truth):
    """Of 5 and 7 runs, with the mean, 6, for both numbers, as Newcombe takes it."""
    one, two = truth / (2 - truth), 2 * truth**2 / (1 + truth)
    whole = truth * (1 - truth) + 5 * (one - truth**2) + 5 * (two - truth**2)
    assert _spread(truth, 5, 7) == pytest.approx(whole / 35)


def held(find, truth, trials=400):
    """Return the share of trials in which the interval that find(rng) returns holds the truth."""
    rng, found = np.random.default_rng(1), 0
    for _ in range(trials):
        interval = find(rng)
        found += interval.low <= truth <= interval.high
    return found / trials


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_intervals_over_seeds_hold_the_truth(runs):
    """Test few runs of one game, of two games with different spreads, and of a difference that is not paired."""

    def drawn(rng, *spreads):
        return [rng.normal(scale=spread, size=runs) for spread in spreads]

    def gap(rng):
        a, b = (setting("x", drawn(rng, spread)[0], seed=None) for spread in (1, 3))
        return Interval(**differences([a, b], "counter")[0]["diff"])

    assert 0.92 <= held(lambda rng: student(drawn(rng, 1))[0], 0.0) <= 0.98
    assert 0.92 <= held(lambda rng: student(drawn(rng, 1, 3))[0], 0.0) <= 0.985
    assert 0.92 <= held(gap, 0.0) <= 0.985


@pytest.mark.parametrize("ahead", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_chances_to_be_better_hold_the_truth(runs, ahead):
    """Intervals are never too narrow, even if all runs of one group beat all of the other (often if ahead = 2)."""

    def find(rng):
        return improvement([rng.normal(size=runs) + ahead], [rng.normal(size=runs)])

    assert held(find, float(ndtr(ahead / 2**0.5))) >= 0.94


@pytest.mark.parametrize("games", [1, 2])
def test_the_bootstrap_holds_the_truth_from_ten_runs_on(games):
    assert 0.92 <= held(lambda rng: bootstrap([rng.normal(size=10) for _ in range(games)], samples=500)[0], 0.0) <= 0.99


def test_one_run_has_no_interval():
    assert student([np.array([3.0])]) == [Interval(3.0, -math.inf, math.inf)]
    row = row_of(setting("x", [3.0]), "counter")
    assert row["mean"] == {"mean": 3.0, "low": None, "high": None} and "IQM" not in row
    assert "IQM" in row_of(setting("x", range(10)), "counter")


def test_games_are_not_compared_with_one_another():
    """The runs of each game agree, so nothing is uncertain, however far apart the games are; nor does numpy warn."""
    with np.errstate(all="raise"):
        assert student([np.zeros(3), np.full(5, 8.0)]) == [Interval(5.0, 5.0, 5.0)]


def test_a_profile_is_the_share_of_runs_above():
    marks = np.array([-1.0, 0.5, 3.0])
    assert [row.y for row in profile([np.array([0.0, 1, 2, 3])], marks)] == [1.0, 0.75, 0.0]
    many: Any = profile([np.arange(12.0)], np.array([-1.0, 5.0]))
    assert many[0].low == many[0].high == 1.0 and many[1].low < 0.5 < many[1].high


# --- runs ------------------------------------------------------------------------------------------------------------


def setting(name, scores, seed=0):
    """Return a group with these runs. seed: of the first run; None: unknown."""
    found = [run(f"{name}-{k}", [score], seed="?" if seed is None else seed + k) for k, score in enumerate(scores)]
    return settings_of([one | {"algorithm": name, "settings": {"run.algorithm": name}} for one in found], "counter",
                       ["run.algorithm"])[0]  # fmt: skip


def test_runs_are_grouped_by_what_is_not_their_seed():
    runs = [
        run("swazi-3-seed0", [0, 2]), run("swazi-3-seed1-2", [0, 4]), run("wide-seed3", [0, 8]),
        run("wide-kasa-3-seed4", [0, 6, 6], "kasa"), run("other", [0, 1], rival="greedy"),
        run("swazi-32-seed0", [0, 1]), run("swazi-3000-seed0", [0, 1]),
    ]  # fmt: skip
    runs[3]["switches"] = ["steal=never"]
    found = {setting.name: setting for setting in settings_of(runs, "counter")}
    assert {name: list(setting.tasks) for name, setting in found.items()} == {
        "ppo": ["swazi 3"], "wide": ["swazi 3", "kasa 3 steal=never"],
        "swazi-32": ["swazi 3"], "swazi-3000": ["swazi 3"],
    }  # fmt: skip
    assert [scores.tolist() for scores in found["ppo"].final] == [[2.0, 4.0]]
    curve = found["ppo"].curve()
    assert curve[0] == (0.0, (0.0, 0.0, 0.0)) and curve[-1][0] == 100.0 and curve[-1][1].mean == 3.0
    assert found["wide"].curve()[-1][0] == 100.0  # the last point that all runs have reached
    assert found["ppo"].curve("minutes")[-1][0] == 2.0 and found["ppo"].curve("processor minutes") == []
    with refused("no run has played 'nobody'; they have played: counter, greedy", ValueError):
        settings_of(runs, "nobody")


def test_runs_are_grouped_by_settings():
    runs = [run(f"a{k}", [k]) | {"settings": {"network.hidden": [k % 2], "run.algorithm": "dmc"}} for k in range(4)]
    assert [(one.name, one.of("swazi 3").tolist()) for one in settings_of(runs, "counter", ["network.hidden"])] == [
        ("hidden=[0]", [0, 2]), ("hidden=[1]", [1, 3]),
    ]  # fmt: skip
    assert settings_of(runs, "counter", ["run.algorithm", "network.hidden"])[0].name == "dmc, hidden=[0]"
    with refused("a0 has no setting 'network.hiden' (did you mean 'network.hidden'?)", ValueError):
        settings_of(runs, "counter", ["network.hiden"])


def test_what_the_seed_brings_to_both_groups_is_no_difference():
    scores, more = np.array([0.0, 5.0, -3.0, 9.0]), np.array([1.0, 1.5, 0.5, 1.0])
    (row,) = differences([setting("b", scores + more), setting("a", scores)], "counter")
    assert row["paired"] and row["diff"]["mean"] == 1.0 and 0 < row["diff"]["low"] < row["diff"]["high"] < 2
    (row,) = differences([setting("b", scores + more, seed=7), setting("a", scores)], "counter")
    assert not row["paired"] and row["diff"]["mean"] == 1.0 and row["diff"]["low"] < -5
    assert row["better"]["mean"] == 0.625  # 10 of 16 pairs
    (row,) = differences([setting("b", [1.0]), setting("a", [0.0])], "counter")
    assert row["diff"] == {"mean": 1.0, "low": None, "high": None}


# --- runs of any learner, and the table of a paper -------------------------------------------------------------------


def test_runs_of_other_learners_are_read(tmp_path, casino, monkeypatch):
    """RunFolder writes the runs, and the command makes a table of them."""
    for name, algorithm, seed, more in (("x", "sb3 & co", 0, 1), ("y", "sb3 & co", 1, 2), ("z", "skrl", 0, 4)):
        folder = RunFolder(
            tmp_path / name, algorithm, "swazi", players=np.int64(3), seed=np.int64(seed), learner={"rate": seed / 2}
        )
        for decisions in (10, 20):
            with folder.paused():
                time.sleep(0.05)
                result = SimpleNamespace(diff=np.float32(decisions * more), low=-math.inf, high=9.0)
            folder.log(np.int32(decisions), vs={"counter": result}, loss=math.nan)
        assert folder.seconds < 0.1
    with refused("already holds a run"):
        RunFolder(tmp_path / "x", "sb3", "swazi")
    with refused("learner.policy = <class 'object'>; it must be text, a number"):
        RunFolder(tmp_path / "new", "sb3", "swazi", learner={"policy": object})
    assert not (tmp_path / "new").exists()
    monkeypatch.setattr("casino_env.evaluate.report.frame", lambda rows: rows)
    last = frames(str(tmp_path))["progress"][-1]
    assert last | {"seconds": 0, "cpu_seconds": 0} == {
        "run": "z", "seed": 0, "algorithm": "skrl", "variant": "swazi", "players": 3, "learner.rate": 0.0,
        "decisions": 20, "seconds": 0, "cpu_seconds": 0, "loss": None,
        "vs: counter: diff": 80.0, "vs: counter: low": None, "vs: counter: high": 9.0,
    }  # fmt: skip
    words = ("seeds", tmp_path, "--by", "run.algorithm", "--table", tmp_path / "t.tex", tmp_path / "t.csv")
    code, out, _ = casino("evaluate", *words)
    said = out.splitlines()
    assert code == 0 and said[0].startswith("sb3 & co over counter, 2 runs: +30.00 (-97.06 to +157.06)")
    assert said[0].endswith("; each 20 decisions, 0.0 minutes, 0.0 processor minutes")
    assert said[1].startswith("skrl over counter, one run, which has no interval: +80.00; each 20 decisions")
    assert said[3].endswith("not paired: -50.00, without an interval: a group has one run")
    text = (tmp_path / "t.tex").read_text()
    assert r"sb3 \& co & $+30.00 \pm 127.06$ (2) & 20 \\" in text and r"skrl & $\mathbf{+80.00}$ (1) & 20 \\" in text
    row = read(tmp_path / "t.csv")[0]
    assert row["swazi 3 over counter: mean"] == "30.0" and row["swazi 3 over counter: runs"] == "2"
    assert row["swazi 3 over counter: decisions"] == "20.0"
    assert casino("evaluate", *words[:-1], tmp_path / "t.xls").code == 1


def test_settings_may_be_numbers_of_numpy(tmp_path):
    """And what JSON has no number for is null."""
    given: dict[Any, Any] = {"hidden": (np.int64(8), np.int16(4)), "rates": np.array([0.5, np.nan]), "dual": np.True_,
             "eps": np.float64("inf"), np.int64(3): None, "deeper": {"seeds": [np.uint8(7)]}}  # fmt: skip
    RunFolder(tmp_path / "r", "x", "kasa", rules={"target": np.int16(11)}, learner=given)
    text = (tmp_path / "r/config.json").read_text()
    config = json.loads(text, parse_constant=pytest.fail)["config"]
    assert config["game"] == {"variant": "kasa", "players": 2, "rules": {"target": 11}}
    assert config["learner"] == {"hidden": [8, 4], "rates": [0.5, None], "dual": True, "eps": None, "3": None,
                                 "deeper": {"seeds": [7]}}  # fmt: skip


def test_policies_are_played_anew(tmp_path, casino):
    """The run's own evaluations no longer count. Its rules are those of the policy."""
    run_with_policy(tmp_path / "r")
    words = ("seeds", tmp_path, "--deals", 4, "--against", "counter", "random", "--json")
    first, second = json.loads(casino("evaluate", *words)[1])["groups"]
    assert first["mean"]["mean"] == evaluate.match(f"policy:{tmp_path / 'r'}", "counter", "khasino", deals=4).diff
    assert second["against"] == "random"


def run_with_policy(folder):
    RunFolder(folder, "x", "khasino").log(5, vs={"counter": SimpleNamespace(diff=99.0, low=98.0, high=100.0)})
    for suffix in ("json", "safetensors"):
        (folder / f"policy.{suffix}").write_bytes(shipped_path("khasino-2").with_suffix(f".{suffix}").read_bytes())


def test_ctrl_c_leaves_the_runs_that_were_played_anew(tmp_path, casino, monkeypatch):
    played = iter([SimpleNamespace(diff=1.5)])

    def match(*_, **__):
        for found in played:
            return found
        raise KeyboardInterrupt

    monkeypatch.setattr("casino_env.evaluate.seeds.match", match)
    for name in ("r-seed0", "r-seed1"):
        run_with_policy(tmp_path / name)
    code, out, err = casino("evaluate", "seeds", tmp_path, "--deals", 4, "--json")
    assert (code, err) == (1, "evaluate: interrupted; this is the result so far\n")
    (group,) = json.loads(out)["groups"]
    assert (group["runs"], group["mean"]["mean"]) == (1, 1.5)


# --- tables ----------------------------------------------------------------------------------------------------------


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_rows_are_flat():
    result = evaluate.match("greedy", "random", "mini", deals=4)
    (row,) = tidy(result)
    assert row["a"] == "greedy" and row["diff"] == result.diff and "by_deal" not in row
    assert tidy([{"a": {"mean": 1, "of": {"b": 2}}, "list": [3]}]) == [{"a: mean": 1, "a: of: b": 2}]


def test_every_command_keeps_a_table(casino, tmp_path):
    for number, words in enumerate((
        ("match", "greedy", "random", "builder", "--variant", "mini", "--deals", 4),
        ("style", "greedy", "--variant", "mini", "--deals", 4),
        ("regret", "greedy", "--variant", "mini", "--endings", 4, "--cards", 2),
        ("baseline", "greedy", "--variant", "mini", "--deals", 4),
    )):  # fmt: skip
        path = tmp_path / "made" / f"{number}.csv"
        code, out, _ = casino("evaluate", *words, "--json", "--csv", path)
        said, rows = json.loads(out), read(path)
        listed = said if isinstance(said, list) else [said]
        assert code == 0 and len(rows) == len(listed)
        assert all(float(row["diff"]) == one["diff"] for row, one in zip(rows, listed, strict=True) if "diff" in one)


def test_a_tournament_keeps_ratings_and_pairs(casino, tmp_path):
    words = ("random", "greedy", "builder", "--variant", "mini", "--deals", 6, "--out", tmp_path / "cup")
    assert casino("evaluate", "tournament", *words, "--csv", tmp_path / "t.csv", "--threads", 1)[0] == 0
    ratings, pairs = read(tmp_path / "t.csv"), read(tmp_path / "t-pairs.csv")
    assert {row["agent"] for row in ratings} == {"random", "greedy", "builder"}
    assert len(pairs) == 3 and {"a", "b", "diff", "low", "high"} <= set(pairs[0])


def test_frames_are_made_by_pandas(monkeypatch):
    """A stand-in shows what pandas is given; a test below uses pandas itself."""
    library: Any = types.ModuleType("pandas")
    library.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", library)
    monkeypatch.setattr("casino_env.extras.find_spec", lambda each: each == "pandas" or None)
    assert evaluate.frame([{"a": 1}, {"b": {"c": 2}}]) == {"a": [1, None], "b: c": [None, 2]}
    monkeypatch.setattr("casino_env.extras.find_spec", lambda _: None)
    with refused("missing: pandas; pip install", ValueError):
        evaluate.frame([{"a": 1}])


def test_a_spreadsheet_runs_nothing_of_a_table(tmp_path):
    """Names of runs and agents come from others and are escaped; numbers stay numbers."""
    words = ["=HYPERLINK(1)", "+1", "-2+3", "@SUM(1)", "\tx", "\rx"]
    write_table(tmp_path / "x.csv", [{"name": word, "diff": -1.5, "=column": None} for word in words])
    rows = read(tmp_path / "x.csv")
    assert [row["name"] for row in rows] == [f"'{word}" for word in words]
    assert all(row["diff"] == "-1.5" and row["'=column"] == "" for row in rows)


def test_with_the_library_itself(tmp_path):
    pandas = pytest.importorskip("pandas", reason="needs the extra `frames`")
    rows = tidy(evaluate.match("greedy", "random", "mini", deals=4))
    write_table(tmp_path / "x.csv", rows)
    assert pandas.read_csv(tmp_path / "x.csv").to_dict("records") == evaluate.frame(rows).to_dict("records")


# --- the command, and the notebook -----------------------------------------------------------------------------------


def _set_clocks(runs):
    """Give all runs the same speed: runs of a second may have no time in common, and then no curve over time."""
    for path in runs.glob("*/progress.jsonl"):
        rows = [unseal(line, path.name) for line in path.read_text().splitlines()]
        timed = [row | dict.fromkeys(("seconds", "cpu_seconds"), row["decisions"] / 1000) for row in rows]
        path.write_text("".join(f"{seal(row)}\n" for row in timed))


@pytest.mark.slow
def test_the_notebook_runs(monkeypatch, casino, tmp_path):
    """Run its cells one by one, then the command on the runs that they leave."""
    pytest.importorskip("torch", reason="needs the extra `train`")
    monkeypatch.chdir(tmp_path)
    cells = json.loads((ROOT / "examples/experiment.ipynb").read_text())["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            text = "".join(cell["source"]).replace("DECISIONS = 60_000", "DECISIONS = 8_000")
            exec(compile(text, f"experiment.ipynb: cell {number}", "exec"), names)
            if "trained = {}" in text:
                _set_clocks(names["runs"])
    assert [row["runs"] for row in names["rows"]] == [3, 3]
    assert (names["runs"] / "learning curves by decisions.svg").exists() and len(names["matches"]) == 3
    words = ("seeds", names["runs"], "--against", "greedy", "--out", tmp_path / "figures", "--csv", tmp_path / "s.csv")
    code, out, _ = casino("evaluate", *words)
    assert (
        code == 0
        and out.startswith("default over greedy, 3 runs: ")
        and "\ndefault - one-pass over greedy, by seed: " in out
    )
    drawn = {path.name.removeprefix("seeds-").removesuffix(".svg") for path in (tmp_path / "figures").iterdir()}
    curves = {f"learning-curves-by-{axis}" for axis in ("decisions", "minutes", "processor-minutes")}
    assert drawn == {*curves, "performance-profiles", "at-the-end"}
    assert [row["setting"] for row in read(tmp_path / "s.csv")] == ["default", "one-pass"]
    monkeypatch.setattr("casino_env.evaluate.report.frame", tidy)
    assert {row["run"] for row in frames(str(names["runs"]))["progress"]} == {
        f"{a}-seed{k}" for a in ("default", "one-pass") for k in range(3)
    }
