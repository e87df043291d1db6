"""`make kills`: kill -9 a run at random moments, go on with it, and look that no checkpoint is lost or broken."""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from train.checkpoint import checkpoints, load_checkpoint, load_opponents

# So small and so often saved that a kill mostly hits in the middle of a checkpoint.
CONFIG = """
[network]
hidden = [32]
[ppo]
games = 16
horizon = 16
minibatch = 64
[opponents]
frozen = 0.5
pool = 3
every = 300
[run]
name = "killed"
decisions = 1000000000
checkpoint_minutes = 1e-6
evaluate_minutes = 1000
"""


def kill_one(folder: Path, config: Path, wait: float) -> int:
    """Start or resume the run, kill it `wait` seconds after its next checkpoint; decisions of the last one."""
    run = folder / "killed"
    how = ["--resume", str(run)] if checkpoints(run) else [str(config), "--runs", str(folder)]
    before = checkpoints(run)[-1:]
    training = subprocess.Popen([sys.executable, "-m", "train", *how], stderr=subprocess.DEVNULL)
    while checkpoints(run)[-1:] == before:
        if training.poll() is not None:
            raise SystemExit(f"the run ended by itself with {training.returncode}: {' '.join(how)}")
        time.sleep(0.01)
    time.sleep(wait)
    training.send_signal(signal.SIGKILL)
    training.wait()
    _, counters = load_checkpoint(run)
    load_opponents(run, counters["frozen"])
    return int(counters["decisions"])


def kills(count: int, seed: int) -> list[int]:
    """Decisions after each kill."""
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        config = folder / "killed.toml"
        config.write_text(CONFIG)
        return [kill_one(folder, config, moments.random()) for _ in range(count)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    seen = kills(args.count, args.seed)
    if seen != sorted(set(seen)):
        print(f"work was lost: decisions after each kill {seen}")
        return 1
    print(f"{args.count} kills: every last checkpoint was whole; the run went on each time, to {seen[-1]:,} decisions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
