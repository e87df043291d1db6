"""A run that is cut off and goes on is the run that was not cut off, bit for bit: for every kind of training."""

import numpy as np

from casino_env.train.run import Run


def goes_on_bit_for_bit(whole: Run, half: Run, iterations: int) -> None:
    """Two new runs of one config; half is saved after so many iterations and taken up from there."""
    whole.train(quiet=True)
    for _ in range(iterations):
        half.algorithm.learn(half.progress())
    half.save()
    half.algorithm.learn(half.progress())  # lost
    half.close()
    resumed = Run.resume(half.folder, half.group)
    resumed.train(quiet=True)
    (ours, our_counters), (theirs, their_counters) = whole.algorithm.state(), resumed.algorithm.state()
    assert our_counters == their_counters and set(ours) == set(theirs)
    for name, array in ours.items():
        assert np.array_equal(array, theirs[name]), name
    first, second = (run.folder / "policy.safetensors" for run in (whole, resumed))
    assert first.read_bytes() == second.read_bytes()
