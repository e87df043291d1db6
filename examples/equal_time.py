"""Compare learners after equal processor time, with several seeds: the runs for the table of a paper.

    pip install stable-baselines3 sb3-contrib skrl -e '.[agents]'
    python examples/equal_time.py --cpu-minutes 3 --seeds 5 --out runs/equal
    casino evaluate seeds runs/equal --by run.algorithm --table runs/equal/table.tex --out runs/equal/figures

Prints the command of each run. A second call resumes where the first one ended, also with more seeds. All learners run
their first seed before one runs its second, so that results can be compared at any time.
"""

import argparse
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES, PYTHON = Path(__file__).parent, sys.executable
FOREIGN = {"sb3": ["sb3_as_policy.py"], "cleanrl": ["cleanrl_ppo.py", "--keep"], "skrl": ["skrl_ppo.py", "--keep"]}
OURS = {
    "ppo": ["network.hidden=[128,128]"], "dmc": ["network.hidden=[128,128]"], "afterstates": []
}  # fmt: skip
LEARNERS = (*FOREIGN, *OURS)


def command(learner: str, players: int, seed: int, folder: Path, args: argparse.Namespace) -> list[str]:
    if learner in FOREIGN:
        script, *words = FOREIGN[learner]
        words += ["--variant", args.variant, "--players", f"{players}", "--seed", f"{seed}", "--out", str(folder)]
        words += ["--cpu-minutes", f"{args.cpu_minutes}", "--deals", f"{args.deals}"]
        return [PYTHON, str(EXAMPLES / script), *words]
    settings = [
        f"game.variant={args.variant}", f"game.players={players}", f"run.algorithm={learner}", f"run.seed={seed}",
        f"run.name={folder.name}", f"run.cpu_minutes={args.cpu_minutes}", 'run.panel=["counter"]',
        f"run.deals={args.deals}", "machine.threads=1", "machine.overlap=false", *OURS[learner],
    ]  # fmt: skip
    words = [word for setting in settings for word in ("--set", setting)]
    return [PYTHON, "-m", "casino_env", "train", *words, "--runs", str(folder.parent), "--deals", "2"]


def learnt(folder: Path) -> float:
    """Return the processor minutes of the run in this folder."""
    path = folder / "progress.jsonl"
    rows = path.read_text("utf-8").splitlines() if path.exists() else []
    return max((json.loads(row).get("cpu_seconds", 0.0) for row in rows if row.endswith("}")), default=0.0) / 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=LEARNERS, metavar="LEARNER",
                        help=f"some of {', '.join(LEARNERS)} (all)")  # fmt: skip
    parser.add_argument("--variant", default="swazi", help="(%(default)s)")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3], help="(2 3)")
    parser.add_argument("--seeds", type=int, default=5, help="how many (%(default)s)")
    parser.add_argument("--cpu-minutes", type=float, default=3.0, help="of learning, each (%(default)s)")
    parser.add_argument(
        "--deals", type=int, default=500, help="of the match in the end; a fifth on the way (%(default)s)"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/equal"), help="folder of the runs (%(default)s)")
    args = parser.parse_args()
    for seed, players, learner in itertools.product(range(args.seeds), args.players, args.learners):
        folder = args.out / f"{learner}-{args.variant}-{players}-seed{seed}"
        if learnt(folder) >= args.cpu_minutes:
            continue
        shutil.rmtree(folder, ignore_errors=True)  # interrupted, or shorter
        words = command(learner, players, seed, folder, args)
        print(*words, flush=True)
        subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
