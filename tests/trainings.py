"""Tiny trainings, in which an iteration takes milliseconds: settings, and games that a learner has played."""

from typing import Any

import numpy as np

from casino_env import make_rules
from casino_env.agents.policy.mlp import initial
from casino_env.agents.policy.policy_agent import Policy
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.knowledge.layout import make_layout
from casino_env.train.algorithms import kind_of
from casino_env.train.commands.distil import collect_teacher
from casino_env.train.config import Config, make_config
from casino_env.train.learner import Positions
from casino_env.train.rollouts.by_actions import ActionRollouts
from casino_env.train.rollouts.by_turns import TurnRollouts
from casino_env.train.rollouts.selfplay import AS_LIKELY, Opponents
from casino_env.train.run import Run
from tests.untrained import shape_of, untrained

_SMALL: dict[str, dict[str, Any]] = {
    "network": {"hidden": [16, 12]},
    "selfplay": {"games": 8, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}},
    "afterstates": {"deals": 8, "minibatch": 32},
    "run": {"algorithm": "ppo", "decisions": 128 * 8, "deals": 10, "panel": ["random"]},
}


def small(**sections: dict[str, Any]) -> Config:
    """Return a small config, changed section by section."""
    config = make_config({name: _SMALL.get(name, {}) | sections.get(name, {}) for name in _SMALL | sections})
    kind_of(config)
    return config


def action_rollouts(variant="south-african", players=2, *, bots=None, target=False, games=8, hidden=(24, 20),
                    horizon=16, kind: Any = ActionRollouts, **more: Any) -> Any:  # fmt: skip
    """Games for a learner that judges actions. target: play also against a network that never changes."""
    rules = make_rules(variant, players)
    shape = shape_of(rules, hidden)
    network = (initial(shape, np.random.default_rng(9)), AS_LIKELY) if target else None
    opponents = Opponents(bots or {}, network)
    return kind(Batch(rules, games, Options()), shape, opponents, **{"horizon": horizon, "seed": 1} | more)


def turn_rollouts(variant="south-african", players=2, *, bots=None, deals=8, scale=2.0, **more: Any) -> TurnRollouts:
    """Play deals once for a learner that judges afterstates. scale: of values, in points."""
    rules = make_rules(variant, players)
    shape = shape_of(rules, (24, 20), 0)
    found = TurnRollouts(
        rules, make_layout(rules), shape, Opponents(bots or {}), deals=deals, memory="perfect",
        value_scale=scale, **{"td_lambda": 0.3, "seed": 1, "threads": 1} | more,
    )  # fmt: skip
    found.play(initial(shape, np.random.default_rng(0)), 1.0)
    return found


def teacher_rows(teacher: Policy, deals=4, seed=3) -> Positions:
    """Return what a student of eight neurons is taught in these deals."""
    weights = teacher.weights
    pupil = Policy(untrained(weights.rules, (8,), scale=5.0, seed=1), temperature=1.0)
    games = Batch(weights.rules, deals, Options(), redeal=False)
    games.deal(seed)
    return collect_teacher(games, teacher, pupil, np.random.default_rng(0)).rows


def goes_on_bit_for_bit(whole: Run, half: Run, iterations: int) -> None:
    """Check two new runs of one config, of which half is saved after some iterations and resumed.

    In every kind of training a resumed run is the run that was not interrupted, bit for bit.
    """
    whole.train(quiet=True)
    for _ in range(iterations):
        half.algorithm.learn(half.progress())
    half.save()
    half.algorithm.learn(half.progress())  # this iteration is lost
    half.close()
    resumed = Run.resume(half.folder)
    resumed.train(quiet=True)
    (ours, our_counters), (theirs, their_counters) = whole.algorithm.state(), resumed.algorithm.state()
    assert our_counters == their_counters and set(ours) == set(theirs)
    for name, array in ours.items():
        assert np.array_equal(array, theirs[name]), name
    first, second = (run.folder / "policy.safetensors" for run in (whole, resumed))
    assert first.read_bytes() == second.read_bytes()
