"""Rollouts by actions and by turns: which rows are written, which opponents are met, what is learnt from the rows."""

import itertools

import numpy as np
import pytest

from casino_env.agents.policy.mlp import initial
from casino_env.engine.reading import side_of
from casino_env.engine.state import rules_record
from casino_env.train.algorithms import make_algorithm
from casino_env.train.rollouts.by_turns import TURNS, filled
from casino_env.train.rollouts.selfplay import AS_LIKELY, LEARNER
from tests.trainings import action_rollouts, small, turn_rollouts


def collected(rollouts):
    """Return the second buffer that the rollouts fill."""
    theta = initial(rollouts.shape, np.random.default_rng(0))
    for _ in range(2):
        rollouts.play(theta, AS_LIKELY)
        buffer = rollouts.take()
    return buffer


def test_rows_do_not_depend_on_threads():
    one, two = (
        action_rollouts("khasino", 4, bots={"greedy": 0.3}, target=True, horizon=60, threads=threads)
        for threads in (1, 2)
    )
    turns = (turn_rollouts("khasino", 2, threads=threads).take() for threads in (1, 2))
    for first, second in ((collected(one), collected(two)), turns):
        for name, array in first._asdict().items():
            assert np.array_equal(array, getattr(second, name)), name
    for name, array in one.state(ahead=False).items():
        assert np.array_equal(array, two.state(ahead=False)[name]), name


def test_opponents_stay_for_a_whole_game_and_only_the_learner_is_written_down():
    """Roll out one decision of the learner at a time: seats change between two games and never within one."""
    rollout = action_rollouts(bots={"greedy": 0.5}, target=True, horizon=1, games=12)
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
    assert met == {LEARNER, 1, 2}  # the learner itself, greedy and the target


def test_rewards_of_a_game_add_up_to_its_result():
    """The points of an episode are in exactly one of its rows, with opposite signs for the two sides."""
    buffer = collected(action_rollouts(games=12, horizon=60))
    rewards, done = buffer.rewards.reshape(12, 60, 2), buffer.done.reshape(12, 60)
    assert np.array_equal(rewards[..., 0], -rewards[..., 1])
    assert (np.abs(rewards[done]).sum(axis=1) > 0).any()
    assert not rewards[~done].any()  # nothing is paid before the end


# --- rows of afterstates ---------------------------------------------------------------------------------------------


GAMES = [("south-african", 2), ("swazi", 3), ("khasino", 4), ("sotho", 4), ("california", 6)]
VALUE_SCALE = 2.0


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_each_turn_of_the_learner_is_a_row(variant, players):
    """Except the last turns of a deal, after which there is nothing to judge: the result follows at once."""
    rollouts = turn_rollouts(variant, players, scale=VALUE_SCALE)
    buffer = rollouts.take()
    records = rollouts.deals.records
    assert (records["deals"] == 1).all() and (buffer.used > 0).all()
    assert (buffer.used <= records["turns"]).all()
    assert buffer.used.sum() > 0.5 * records["turns"].sum()
    rules = rollouts.rules
    seats, rows = np.array([rules.side(seat) for seat in range(players)]), filled(buffer)
    assert set(buffer.seat[rows]) == set(range(players))
    assert np.array_equal(seats[buffer.seat[rows]], buffer.side[rows])
    points = records["deal_points"][:, : rules.sides].astype(float)
    margins = points - (points.sum(axis=1, keepdims=True) - points) / (rules.sides - 1)
    assert buffer.results == pytest.approx(margins / VALUE_SCALE)


def test_rows_are_those_of_the_learner_alone():
    rollouts = turn_rollouts("south-african", 3, deals=64, bots={"greedy": 0.9})
    control, buffer = rollouts.seats.control, rollouts.take()
    mixed = (control != LEARNER).any(axis=1)
    assert mixed.any()
    for deal in np.flatnonzero(mixed):
        sides = set(buffer.side[deal * TURNS : deal * TURNS + buffer.used[deal]])
        assert sides <= set(np.flatnonzero(control[deal] == LEARNER))


@pytest.mark.parametrize(("variant", "players"), GAMES[1:])
@pytest.mark.parametrize("td_lambda", [0.0, 0.6, 1.0])
def test_targets_are_the_lambda_returns_of_each_seat(td_lambda, variant, players):
    """Compare with the definition: the weighted mean of all n-step returns (Sutton and Barto 2018, 12.1)."""
    buffer = turn_rollouts(variant, players, td_lambda=td_lambda).take()
    for deal, seat in itertools.product(range(8), range(players)):
        rows = np.arange(deal * TURNS, deal * TURNS + buffer.used[deal])
        rows = rows[buffer.seat[rows] == seat]
        for t, row in enumerate(rows):
            want = td_lambda ** (len(rows) - 1 - t) * buffer.results[deal]
            for n in range(1, len(rows) - t):
                want = want + (1 - td_lambda) * td_lambda ** (n - 1) * buffer.values[rows[t + n]]
            assert buffer.targets[row] == pytest.approx(want, abs=1e-5)


def test_the_temperature_falls_to_its_end():
    own = {"temperature": 0.8, "final_temperature": 0.1}
    algorithm = make_algorithm(small(run={"algorithm": "afterstates"}, afterstates=own))
    seen = [algorithm.temperature(done) for done in (0.0, 0.4, 0.8, 1.0)]  # type: ignore[attr-defined]
    assert seen == pytest.approx([0.8, 0.8 * (0.1 / 0.8) ** 0.5, 0.1, 0.1])
