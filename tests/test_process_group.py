"""Memory that processes share: the mean of what all of them lay down, the same to the bit."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from casino_env.train import process_group
from casino_env.train.process_group import ProcessGroup, SharedArrays, reserve_memory

ROUNDS, LENGTH = 40, 1000

needs_memory = pytest.mark.skipif(not process_group._MEMORY.is_dir(), reason="only Linux has such files")


@needs_memory
@pytest.mark.parametrize("size", [2, 3, 5])
def test_all_get_the_mean_of_every_round(size):
    path = reserve_memory(size, LENGTH)
    memories = [SharedArrays(path, rank, size, LENGTH) for rank in range(size)]
    os.unlink(path)
    given = np.random.default_rng(size).normal(size=(size, ROUNDS, LENGTH)).astype(np.float32)

    def work(rank):
        return [_averaged(memories[rank], given[rank, turn].copy()) for turn in range(ROUNDS)]

    with ThreadPoolExecutor(size) as pool:
        found = np.array(list(pool.map(work, range(size))))
    assert (found == found[0]).all()
    assert found[0] == pytest.approx(given.mean(axis=0), abs=1e-6)


def _averaged(memory, array):
    memory.average(array)
    return array


@needs_memory
def test_who_waits_for_nobody_says_so(monkeypatch):
    monkeypatch.setattr(process_group, "_PATIENCE", 0.01)
    path = reserve_memory(2, LENGTH)
    memory = SharedArrays(path, 0, 2, LENGTH)
    os.unlink(path)
    with pytest.raises(TimeoutError, match="not been heard of"):
        memory.average(np.zeros(LENGTH, np.float32))


def test_nothing_is_left_where_there_is_no_room(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(process_group, "_MEMORY", tmp_path)
    monkeypatch.setattr(os, "posix_fallocate", full)
    assert reserve_memory(2, LENGTH) == ""
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(process_group, "_MEMORY", tmp_path / "nowhere")
    assert reserve_memory(2, LENGTH) == ""


def test_who_is_alone_shares_nothing():
    array = np.ones(3, np.float32)
    ProcessGroup().average(array)
    assert array.tolist() == [1.0, 1.0, 1.0]
