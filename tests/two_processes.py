"""What test_parallel.py starts with torchrun: one run to its end, and one that is cut off and goes on."""

import sys
from pathlib import Path

import numpy as np

from train.config import load_config
from train.peers import join, leave
from train.run import Run


def main(folder: Path) -> None:
    peers = join()
    config = str(folder / "small.toml")
    whole = Run.start(load_config(config, ["run.name=whole"]), folder, peers)
    whole.train(quiet=True)
    half = Run.start(load_config(config, ["run.name=half"]), folder, peers)
    for _ in range(2):
        half.algorithm.learn(half.progress())
    half.save()
    resumed = Run.resume(half.folder, peers)
    resumed.train(quiet=True)
    (ours, our_counters), (theirs, their_counters) = whole.algorithm.state(), resumed.algorithm.state()
    assert our_counters == their_counters
    for name, array in ours.items():
        assert np.array_equal(array, theirs[name]), name
    sys.stdout.write(f"process {peers.rank} of {peers.size} went on bit for bit\n")  # at once: both write to one pipe
    leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
