"""The games inside OpenSpiel: its own checks, information states, and the exact solution of `mini`."""

import collections

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra spiel")

from examples import openspiel_bridge  # noqa: E402 - registers the game

GAMES = [("mini", 2), ("mini-7", 2), ("south-african", 2), ("swazi", 3), ("khasino", 4), ("cassino", 2)]


def load(variant, players):
    return pyspiel.load_game(f"python_casino(variant={variant},players={players})")


def random_state(game, rng, steps):
    state = game.new_initial_state()
    while not state.is_terminal() and (steps > 0 or state.is_chance_node()):
        if state.is_chance_node():
            actions = [action for action, _ in state.chance_outcomes()]
        else:
            actions, steps = state.legal_actions(), steps - 1
        state.apply_action(actions[int(rng.integers(len(actions)))])
    return state


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_openspiels_own_checks(variant, players, capfd):
    pyspiel.random_sim_test(load(variant, players), 2, False, False)


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_returns_are_the_differences_of_points(variant, players):
    rng = np.random.default_rng(1)
    for _ in range(3):
        state = random_state(load(variant, players), rng, 1000)
        points = state.play.game.scores()
        assert sum(state.returns()) == pytest.approx(0)
        order = np.argsort(points)
        assert np.all(np.diff(np.array(state.returns())[order]) >= -1e-9)


def test_information_states_tell_apart_what_the_seat_knows_and_no_more():
    """Equal information states: equal legal actions and equal views; different views: different states."""
    game, rng = load("mini", 2), np.random.default_rng(2)
    observer = game.make_py_observer()
    views = collections.defaultdict(set)
    for _ in range(4000):
        state = random_state(game, rng, int(rng.integers(1, 5)))
        if state.is_terminal():
            continue
        player = state.current_player()
        observer.set_from(state, player)
        views[state.information_state_string()].add((observer.tensor.tobytes(), tuple(state.legal_actions())))
    assert len(views) > 300
    assert all(len(seen) == 1 for seen in views.values())


def test_a_clone_goes_its_own_way():
    state = random_state(load("mini", 2), np.random.default_rng(3), 2)
    twin = state.clone()
    twin.apply_action(twin.legal_actions()[0])
    assert str(state) != str(twin)
    assert state.information_state_string(0) != twin.information_state_string(0)


@pytest.mark.slow
def test_mini_is_solved():
    rows = []
    openspiel_bridge.solve("mini", "cfr+", 32, lambda *row: rows.append(row))
    exploitability = [value for _, value, _ in rows]
    assert exploitability[0] > 2.5  # the uniform policy
    assert exploitability[-1] < 0.06
