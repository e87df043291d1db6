"""The log of a run: when the run is evaluated, and what of it is shown and kept."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from casino_env.agents.files import DamagedFileError, read_journal, write_journal
from casino_env.train.log import EvalSchedule, RunLog

METRICS = {"policy_loss": 0.0, "value_loss": 0.1, "explained_variance": 0.5, "entropy": 1.0, "kl": 0.0,
           "decisions_per_second": 1e4}  # fmt: skip


def rounds(total: float, cost: float, every: float = 60.0) -> list[float]:
    """Return each evaluation's share of the deals, in a run of `total` seconds with iterations of 0.1 seconds."""
    schedule, now, found = EvalSchedule(every, 0.0, 0.0), 0.0, []
    while now < total:
        now += 0.1
        while share := schedule.due(now, now / total):
            found.append(share)
            schedule.played(share, cost * share, now, now / total)
    return found


def test_a_short_run_looks_often_enough_for_a_curve():
    assert len(rounds(60.0, 2.0)) >= 10
    assert rounds(60.0, 2.0)[-1] == 1.0


@pytest.mark.parametrize(("total", "cost"), [(60.0, 50.0), (600.0, 50.0), (6000.0, 50.0), (6000.0, 20.0)])
def test_looking_takes_a_fifth_of_the_time_at_most(total, cost):
    """This includes slow runs that are long enough for whole rounds."""
    shares = rounds(total, cost)
    assert shares[-1] == 1.0 and len(shares) > 1
    matched = sum(cost * share for share in shares[:-1])
    assert matched <= 0.2 * (total + matched)


def test_long_runs_look_regularly():
    assert rounds(6000.0, 1.0).count(1.0) >= 90


def test_lines_say_the_strength_as_it_grows(tmp_path, capsys):
    values = [-4.0, -2.0, 0.0, 3.0]
    with RunLog(tmp_path, "run", 0, {}) as log:
        for k, diff in enumerate(values):
            log.iteration(METRICS, k, 1.0 * k, k / 4)
            found = {"diff": diff, "low": diff - 1, "high": diff + 1, "won": 0.5}
            log.evaluation({"counter": found}, k, 1.0 * k)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 and lines[-1].endswith("10 k/s  against counter +3.00 (+2.00 to +4.00)")
    with RunLog(tmp_path, "run", 9, {}, quiet=True):  # resume
        kept = read_journal(tmp_path / "progress.jsonl")
    assert [row["vs"]["counter"]["diff"] for row in kept if "vs" in row] == values
    assert len(kept) == 2 * len(values)


def test_tensorboard_shows_settings_strength_and_games_won(tmp_path):
    with RunLog(tmp_path, "run", 0, {"run": {"seed": 7}}, quiet=True) as log:
        log.evaluation({"counter": {"diff": 1.5, "low": 1.0, "high": 2.0, "won": 0.625}}, 40, 1.0)
    board = EventAccumulator(str(tmp_path / "tensorboard"))
    board.Reload()
    (config,) = board.Tensors("config/text_summary")
    assert '        "seed": 7' in config.tensor_proto.string_val[0].decode()
    assert board.SummaryMetadata("config/text_summary").plugin_data.plugin_name == "text"
    found = {tag: (event.step, event.value) for tag in board.Tags()["scalars"] for event in board.Scalars(tag)}
    assert found == {"strength/counter": (40, 1.5), "won/counter": (40, 0.625)}


def test_a_log_that_cannot_be_written_stops_no_training(tmp_path, capsys):
    (tmp_path / "tensorboard").write_text("in the way")
    with RunLog(tmp_path, "run", 0, {}) as log:
        log.iteration(METRICS, 1, 1.0, 0.5)
        log.evaluation({}, 1, 1.0)
    assert capsys.readouterr().err.splitlines()[-1] == "TensorBoard's file is incomplete: File exists"
    assert len(read_journal(tmp_path / "progress.jsonl")) == 2


def test_a_disk_that_fills_up_stops_no_training(tmp_path):
    script = "import resource, signal, sys; from pathlib import Path; from casino_env.train.log import RunLog\n"
    script += f"metrics = {METRICS!r}; log = RunLog(Path(sys.argv[1]), '', 0, {{}})\n"
    script += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
    script += "with log:\n    for k in range(200): log._board.scalars(metrics, k, always=True)\n"
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "TensorBoard's file is incomplete: File too large\n")


def test_rows_of_something_else_are_refused_in_one_line(tmp_path):
    write_journal(tmp_path / "progress.jsonl", [{"decisions": "1"}])
    with pytest.raises(DamagedFileError, match=r"line 1: decisions = '1'.*; delete it, and the run writes a new one"):
        RunLog(tmp_path, "run", 0, {})
