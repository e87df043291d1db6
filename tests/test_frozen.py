"""Earlier selves as opponents: when one is kept, who makes room for whom, and that files of them never change."""

import numpy as np
import pytest

from casino_env.agents.policy.mlp import Shape
from casino_env.train.config import make_config
from casino_env.train.rollouts.selfplay import OpponentPool
from casino_env.train.run import Run


def test_the_oldest_makes_room():
    pool = OpponentPool(Shape(3, (2,), 1), {}, 0.5, 2, every=1)
    for number in range(5):
        pool.add(number, np.full(pool.networks.shape[1], number, np.float32))
    assert pool.names == ["4", "3"] and pool.networks[:, 0].tolist() == [4, 3]


def test_one_is_kept_every_so_many_decisions():
    pool = OpponentPool(Shape(3, (2,), 1), {}, 0.5, 2, every=100)
    kept = []
    for decisions in range(0, 500, 30):
        if pool.due(decisions):
            pool.add(decisions, np.zeros(pool.networks.shape[1], np.float32))
            kept.append(decisions)
    assert kept == [120, 240, 360, 480]


def test_none_are_kept_where_none_are_met():
    pool = OpponentPool(Shape(3, (2,), 1), {}, 0.0, 2)
    pool.add(0, np.zeros(9, np.float32))
    assert pool.names == []


@pytest.mark.parametrize("algorithm", ["ppo", "afterstates"])
def test_every_checkpoint_can_be_gone_on_from(tmp_path, algorithm):
    """Also the last but one, where the last is damaged: what it met is as it was."""
    config = {
        "game": {"variant": "mini"}, "network": {"hidden": [8]},
        "selfplay": {"games": 8, "horizon": 16, "minibatch": 32}, "afterstates": {"deals": 8, "minibatch": 16},
        "opponents": {"every": 1, "pool": 3},
        "run": {"name": "run", "algorithm": algorithm},
    }  # fmt: skip
    run = Run.start(make_config(config), tmp_path)
    kept = []
    for _ in range(2):
        run.algorithm.learn(0.1)
        run.save()
        kept.append((run.algorithm.decisions, run.algorithm.best.copy(), run.algorithm.opponents.networks.copy()))
    run.close()
    for decisions, best, networks in reversed(kept):
        again = Run.resume(run.folder)
        assert again.algorithm.decisions == decisions
        assert np.array_equal(again.algorithm.best, best)
        assert np.array_equal(again.algorithm.opponents.networks, networks)
        again.close()
        last = sorted((run.folder / "checkpoints").iterdir())[-1]
        for path in (*last.iterdir(), last):
            path.rmdir() if path.is_dir() else path.unlink()
