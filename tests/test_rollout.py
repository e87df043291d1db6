"""Games for the learner: the same rows whatever the threads, opponents that stay, rewards that add up."""

import numpy as np

from casino_env import make_rules
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.engine.reading import side_of
from casino_env.engine.state import rules_record
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.knowledge.layout import make_layout
from casino_env.train.rollouts.by_actions import ActionRollouts
from casino_env.train.rollouts.selfplay import AS_LIKELY, LEARNER, OpponentPool


def rollouts_of(*, bots, earlier, variant="khasino", players=4, horizon=60, threads=1):
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (16,), value_outputs(rules))
    opponents = OpponentPool(shape, bots, earlier, 2)
    opponents.add(1, initial(shape, np.random.default_rng(9)))
    return ActionRollouts(Batch(rules, 12, Options()), shape, opponents, horizon=horizon, seed=3, threads=threads)


def collected(rollouts):
    """The second buffer that they fill."""
    theta = initial(rollouts.shape, np.random.default_rng(0))
    for _ in range(2):
        rollouts.play(theta, AS_LIKELY)
        buffer = rollouts.take()
    return buffer


def test_rows_do_not_depend_on_threads():
    one, two = (rollouts_of(bots={"greedy": 0.3}, earlier=0.3, threads=threads) for threads in (1, 2))
    first, second = collected(one), collected(two)
    for name, array in first._asdict().items():
        assert np.array_equal(array, getattr(second, name)), name
    for name, array in one.state(ahead=False).items():
        assert np.array_equal(array, two.state(ahead=False)[name]), name


def test_opponents_stay_for_a_whole_game_and_only_the_learner_is_written_down():
    """One decision of the learner at a time: seats change between two games and never within one."""
    rollout = rollouts_of(bots={"greedy": 0.5}, earlier=0.3, variant="south-african", players=2, horizon=1)
    theta, r = initial(rollout.shape, np.random.default_rng(0)), rules_record(rollout.rules)[0]
    rollout.play(theta, AS_LIKELY)
    changed, met = 0, set()
    for _ in range(120):
        control, episodes = rollout.seats.control.copy(), rollout.games.episodes.copy()
        rollout.play(theta, AS_LIKELY)
        buffer = rollout.take()
        for game in range(12):
            who, side = control[game], buffer.side[game]
            met |= set(who.tolist())
            assert LEARNER in [who[seat] for seat in range(2) if side_of(r, seat) == side]
            if episodes[game] == rollout.games.episodes[game]:
                assert np.array_equal(who, rollout.seats.control[game])
            else:
                changed += not np.array_equal(who, rollout.seats.control[game])
    assert changed > 10
    assert met == {LEARNER, 1, 2}  # itself, greedy and the one earlier self


def test_rewards_of_a_game_add_up_to_its_result():
    """Every point that is won in an episode stands in exactly one row of it, for both sides with opposite signs."""
    buffer = collected(rollouts_of(bots={}, earlier=0.0, variant="south-african", players=2))
    rewards, done = buffer.rewards.reshape(12, 60, 2), buffer.done.reshape(12, 60)
    assert np.array_equal(rewards[..., 0], -rewards[..., 1])
    assert (np.abs(rewards[done]).sum(axis=1) > 0).any()
    assert not rewards[~done].any()  # nothing is paid before the end
