"""What test_parallel.py starts with torchrun: one run to its end, and one that is cut off and goes on."""

import sys
from pathlib import Path

from casino_env.train.config import load_config
from casino_env.train.process_group import join, leave
from casino_env.train.run import Run
from tests.trainings import goes_on_bit_for_bit


def main(folder: Path) -> None:
    group = join()
    config = str(folder / "small.toml")
    whole, half = (Run.start(load_config(config, [f"run.name={name}"]), folder, group) for name in ("whole", "half"))
    goes_on_bit_for_bit(whole, half, iterations=2)
    sys.stdout.write(f"process {group.rank} of {group.size} went on bit for bit\n")  # at once: both write to one pipe
    leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
