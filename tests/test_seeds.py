"""Trainings over seeds: interquartile means, intervals, profiles; and results as tables."""

import csv
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casino_env import evaluate
from casino_env.evaluate.report import frames
from casino_env.evaluate.seeds import STATISTICS, bootstrap, iqm, profile, settings_of
from casino_env.evaluate.tables import tidy, write_table
from tests.refusals import refused

ROOT = Path(__file__).parent.parent


def run(name, scores, variant="swazi", rival="counter"):
    """A run as a report reads it, with these points a deal on the way."""
    points = [{"decisions": 100.0 * k, "vs": {rival: {"diff": score}}} for k, score in enumerate(scores)]
    about = {"variant": variant, "players": 3, "algorithm": "ppo", "seed": 0}
    return {"name": name, "points": [{"decisions": 0.0}, *points], **about}


# --- statistics ------------------------------------------------------------------------------------------------------


def test_the_middle_half_counts():
    """By hand: of eight runs the third to the sixth."""
    scores = np.array([-50.0, 0, 1, 2, 3, 4, 5, 90])[:, None]
    assert iqm(scores).tolist() == [2.5]
    assert STATISTICS["median"](scores).tolist() == [2.5] and STATISTICS["mean"](scores).tolist() == [6.875]


@pytest.mark.parametrize("name", STATISTICS)
def test_intervals_hold_the_truth(name):
    """The bootstrap of twenty runs, 200 times; percentile intervals of so few are a little narrow."""
    rng, held = np.random.default_rng(0), 0
    for k in range(200):
        tasks = [rng.normal(size=10), rng.normal(size=10)]
        ((_, low, high),) = bootstrap(tasks, STATISTICS[name], seed=k, samples=400)
        held += low <= 0.0 <= high
    assert 0.86 <= held / 200 <= 0.99


def test_samples_are_stratified():
    """Two games far apart, with runs that agree: nothing is uncertain."""
    ((mean, low, high),) = bootstrap([np.zeros(3), np.full(5, 8.0)], STATISTICS["mean"])
    assert mean == low == high == 5.0


def test_a_profile_is_the_share_of_runs_above():
    found = profile([np.array([0.0, 1, 2, 3])], np.array([-1.0, 0.5, 3.0]))
    assert [row.mean for row in found] == [1.0, 0.75, 0.0]
    assert found[0].low == found[0].high == 1.0 and found[1].low < 0.75 < found[1].high


# --- runs ------------------------------------------------------------------------------------------------------------


def test_runs_are_grouped_by_what_is_not_their_seed():
    runs = [
        run("swazi-3-seed0", [0, 2]), run("swazi-3-seed1-2", [0, 4]), run("wide-seed3", [0, 8]),
        run("wide-kasa-3-seed4", [0, 6, 6], "kasa"), run("other", [0, 1], rival="greedy"),
    ]  # fmt: skip
    found = {setting.name: setting for setting in settings_of(runs, "counter")}
    assert {name: list(setting.tasks) for name, setting in found.items()} == {
        "ppo": ["swazi 3"], "wide": ["swazi 3", "kasa 3"],
    }  # fmt: skip
    assert [scores.tolist() for scores in found["ppo"].final] == [[2.0, 4.0]]
    curve = found["ppo"].curve()
    assert curve[0] == (0.0, (0.0, 0.0, 0.0)) and curve[-1][0] == 100.0 and curve[-1][1].mean == 3.0
    assert found["wide"].moments[-1] == 100.0  # to which all have come
    with refused("no run has met 'nobody'; they have met: counter, greedy", ValueError):
        settings_of(runs, "nobody")


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
    """A stand-in is enough to see what it is given; with pandas itself below."""
    library: Any = types.ModuleType("pandas")
    library.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", library)
    monkeypatch.setattr("casino_env.extras.find_spec", lambda each: each == "pandas" or None)
    assert evaluate.frame([{"a": 1}, {"b": {"c": 2}}]) == {"a": [1, None], "b: c": [None, 2]}
    monkeypatch.setattr("casino_env.extras.find_spec", lambda _: None)
    with refused("missing: pandas; pip install", ValueError):
        evaluate.frame([{"a": 1}])


def test_a_spreadsheet_runs_nothing_of_a_table(tmp_path):
    """Names of runs and agents are somebody's; numbers stay numbers."""
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


@pytest.mark.slow
def test_the_notebook_runs(monkeypatch, casino, tmp_path):
    """Its cells one after the other; then the command on the runs that they left."""
    pytest.importorskip("torch", reason="needs the extra `train`")
    monkeypatch.chdir(tmp_path)
    cells = json.loads((ROOT / "examples/experiment.ipynb").read_text())["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            text = "".join(cell["source"]).replace("DECISIONS = 60_000", "DECISIONS = 8_000")
            exec(compile(text, f"experiment.ipynb: cell {number}", "exec"), names)
    assert [row["runs"] for row in names["rows"]] == [3, 3]
    assert (names["runs"] / "learning curves.svg").exists() and len(names["matches"]) == 3
    words = ("seeds", names["runs"], "--against", "greedy", "--out", tmp_path / "figures", "--csv", tmp_path / "s.csv")
    code, out, _ = casino("evaluate", *words)
    assert code == 0 and out.startswith("default over greedy, 3 runs: IQM ")
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert drawn == {"seeds-learning-curves.svg", "seeds-performance-profiles.svg", "seeds-at-the-end.svg"}
    assert [row["setting"] for row in read(tmp_path / "s.csv")] == ["default", "one-pass"]
    monkeypatch.setattr("casino_env.evaluate.report.frame", tidy)
    assert {row["run"] for row in frames(str(names["runs"]))["progress"]} == {
        f"{a}-seed{k}" for a in ("default", "one-pass") for k in range(3)
    }
