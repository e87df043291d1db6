"""The batch of games: copies, threads, both forms of an observation, whose arrays they are."""

import copy
import pickle

import numpy as np
import pytest

import casino_env


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)), lambda v: v.clone()])
def test_a_copy_of_a_batch(copied):
    vec = casino_env.make_vec("khasino", 4, num_envs=16, seed=3, threads=2)
    for _ in range(9):
        vec.step(vec.sample())
    twin = copied(vec)
    for _ in range(40):
        ours, theirs = vec.step(vec.sample()), twin.step(twin.sample())
        assert all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("form", ["dense", "indices"])
def test_threads_change_nothing(form):
    batches = [casino_env.make_vec("swazi", 4, 101, seed=5, threads=t, obs=form, history=5) for t in (1, 2, 3)]
    for _ in range(150):
        results = [vec.step(vec.sample()) for vec in batches]
        for other in results[1:]:
            assert all(a.tobytes() == b.tobytes() for a, b in zip(results[0], other, strict=True))
    histories = {vec.history().tobytes() for vec in batches}
    assert len(histories) == 1


def test_both_forms_of_an_observation_agree():
    dense = casino_env.make_vec("sotho", 4, 64, seed=5)
    listed = casino_env.make_vec("sotho", 4, 64, seed=5, obs="indices")
    size = dense.layout.size
    for _ in range(60):
        ours, theirs = dense.step(dense.sample())[0], listed.step(listed.sample())[0]
        again = np.zeros((64, size + 1), np.int8)
        np.put_along_axis(again, theirs.astype(np.int64), 1, axis=1)
        assert (again[:, :size] == ours).all()
        assert (np.sort(theirs, axis=1)[:, -1] <= size).all()


def test_copied_or_shared_arrays():
    fresh = casino_env.make_vec(num_envs=4, seed=1)
    shared = casino_env.make_vec(num_envs=4, seed=1, copy=False)
    first, again = fresh.step(fresh.sample()), fresh.step(fresh.sample())
    assert not any(np.shares_memory(a, b) for a, b in zip(first, again, strict=True))
    first, again = shared.step(shared.sample()), shared.step(shared.sample())
    assert all(np.shares_memory(a, b) for a, b in zip(first, again, strict=True))
