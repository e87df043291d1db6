"""Search: legal, repeatable, blind to hidden cards, and better than what it searches with."""

import random
import time
from typing import Any

import numpy as np
import pytest

from agents.policy.agent import Policy, make_policy
from agents.policy.files import save_policy
from agents.policy.mlp import Shape, initial, value_outputs
from agents.registry import make_agent
from agents.scripted.agent import Scripted
from agents.search import Search
from agents.search.named import find_player, make_player
from agents.search.rollouts import new_rollouts, roll_out
from agents.search.settings import METHODS
from agents.solver import solve
from agents.solver.endings import ending
from casino_env import Game, make_rules, observe
from casino_env.actions import parse_action
from casino_env.engine.outcomes import LIMIT
from casino_env.engine.state import rules_record
from casino_env.knowledge.segments import make_layout
from tests.random_play import every_game, label, random_moments
from tests.test_leaks import twin_of


def fresh(**settings):
    search = Search(**settings)
    search.reset(0, np.random.default_rng(1))
    return search


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_every_game_legal_repeatable_and_blind_to_hidden_cards(rules):
    """The same for the same seed, for other hidden cards, and for any number of threads."""
    rng = np.random.default_rng(2)
    for game in random_moments(rules, 4, seed=21):
        if game.over:
            continue
        seen, twin = observe(game), observe(twin_of(game, game.seat, rng))
        for method in METHODS:
            ways = [(seen, 1), (seen, 1), (seen, 2), (twin, 1)]
            shares = [fresh(sims=20, method=method, threads=n).probabilities(known) for known, n in ways]
            assert len({share.tobytes() for share in shares}) == 1
            assert set(np.flatnonzero(shares[0])) <= set(game.legal())
            assert fresh(sims=8, method=method).act(seen) in game.legal()


@pytest.mark.parametrize(("variant", "players", "threads"), [("swazi", 3, 2), ("south-african", 2, 5)])
def test_threads_change_nothing_over_a_whole_deal(variant, players, threads):
    one, many = fresh(sims=20), fresh(sims=20, threads=threads)
    game = Game(variant, players, seed=4)
    while not game.over:
        seen = observe(game)
        action = one.act(seen)
        assert many.act(seen) == action
        game.apply(action)


def least_seconds(search, game):
    """Of three decisions: the machine may be busy."""
    seen, took = observe(game), []
    search.act(seen)  # compiles
    for _ in range(3):
        began = time.perf_counter()
        search.act(seen)
        took.append(time.perf_counter() - began)
    return min(took)


def test_time_is_kept():
    """All of it is used, and less than half as much again."""
    assert 0.19 < least_seconds(fresh(time=0.2), Game("south-african", 2, seed=4)) < 0.3


def test_an_ending_too_large_to_solve_leaves_time_to_search():
    game = ending(make_rules("south-african", 2), 9, random.Random(1), greedy=True)
    assert 0.19 < least_seconds(fresh(time=0.2, solve=10), game) < 0.3


def test_a_budget_that_is_over_at_once_still_gives_an_answer():
    found = fresh(time=1e-6).analyse(observe(Game("swazi", 2, seed=4)))
    assert found.chances.sum() == pytest.approx(1.0)


def test_a_solved_ending_is_not_searched(monkeypatch):
    """The chances are the best moves', the value is the exact one, in points."""
    game = ending(make_rules("khasino", 2), 3, random.Random(2), greedy=True)
    search = fresh(sims=64)
    monkeypatch.setattr(search, "_think", None)
    found, exact = search.analyse(observe(game)), solve(game)
    assert np.flatnonzero(found.chances).tolist() == exact.best
    assert found.action in exact.best and found.value == exact.value


def test_it_takes_the_points_that_are_there():
    """The last turn but one: an ace and the little two lie open. Building a three of them first comes to the same."""
    data = {
        "variant": "south-african", "players": 2, "round": 2, "to_move": 0, "hands": [["3H", "TC"], ["9H", "4C"]],
        "layout": ["AS", "2S"], "builds": [], "piles": [["TD"], ["6H"]], "stock": [], "last_capture": 1,
    }  # fmt: skip
    game = Game.from_json(data, skip_forced=False)
    best = [parse_action("capture 3H"), parse_action("build 3")]
    for method in METHODS:
        assert fresh(sims=200, method=method).act(observe(game)) in best, method


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "alpha"}, "flat, pimc, ismcts"),
        ({"rollout": "gready"}, "rollout = 'gready' .did you mean 'greedy'"),
        ({"guide": "policy:nowhere"}, "guide = nowhere: no weights there"),
        ({"policy": "nowhere"}, "rollout = nowhere: no weights there"),
        ({"policy": "nowhere", "guide": "counter"}, "policy stands for rollout and guide"),
        ({"rollout": "counter", "cut": 0}, "a bot cannot judge positions"),
        ({"sims": 5, "time": 1.0}, "not both"),
        ({"sims": -1}, "sims = -1; it must be a whole number from 1 to"),
        ({"sims": 0}, "sims = 0; it must be a whole number from 1 to"),
        ({"time": -0.5}, "time = -0.5; it must be a number, more than 0"),
        ({"cut": -1}, "cut = -1; it must be a whole number from 0"),
        ({"threads": 0}, "threads = 0; it must be a whole number from 1 to"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Search(**settings)


@pytest.mark.slow
def test_it_beats_the_bot_that_it_searches_with():
    """40 deals from both seats: about three points a deal, so never below zero."""
    total = 0
    for deal in range(40):
        for seat in range(2):
            agents: list[Any] = (
                [Search(sims=100), Scripted("counter")] if seat == 0 else [Scripted("counter"), Search(sims=100)]
            )
            for number, agent in enumerate(agents):
                agent.reset(number, np.random.default_rng(deal))
            game = Game("south-african", 2, seed=1000 + deal)
            while not game.over:
                game.apply(agents[game.seat].act(observe(game)))
            scores = game.scores()
            total += scores[seat] - scores[1 - seat]
    assert total > 0


@pytest.fixture
def untaught(tmp_path):
    """The folder of a network for Khasino that has learnt nothing."""
    rules = make_rules("khasino", 2)
    shape = Shape(make_layout(rules).size, (16,), value_outputs(rules))
    save_policy(tmp_path / "policy.safetensors", shape, initial(shape, np.random.default_rng(0)), rules, {})
    return tmp_path


def test_a_network_plays_on_and_guides(untaught):
    game = Game("khasino", 2, seed=3)
    seen = observe(game)
    chosen = {}
    for rollout, guide in ((f"policy:{untaught}", ""), ("counter", f"policy:{untaught}"), ("counter", "")):
        searches = [Search(sims=64, rollout=rollout, guide=guide, threads=threads) for threads in (1, 2)]
        one, two = (search.probabilities(seen) for search in searches)
        assert np.array_equal(one, two)
        assert one[game.legal()].sum() == pytest.approx(1.0)
        chosen[rollout, guide] = one.tobytes()
    assert len(set(chosen.values())) == 3


def test_policy_stands_for_rollout_guide_and_judge(untaught):
    seen, path = observe(Game("khasino", 2, seed=3)), f"policy:{untaught}"
    one = Search(sims=32, policy=str(untaught))
    two = Search(sims=32, rollout=path, guide=path, method="ismcts", cut=3, explore=0.15)
    assert np.array_equal(one.probabilities(seen), two.probabilities(seen))
    to_the_end = Search(sims=32, policy=str(untaught), cut=1000)
    assert not np.array_equal(one.probabilities(seen), to_the_end.probabilities(seen))


def test_it_says_which_weights_it_thinks_with(untaught):
    """So that a match that goes on with other weights of the same name is refused."""
    weights = make_policy(str(untaught)).digest
    assert Search().digest is None
    assert Search(policy=str(untaught)).digest == f"{weights}-{weights}"
    assert Search(guide=f"policy:{untaught}").digest == weights
    assert make_agent(f"solved:policy:{untaught}").digest == weights
    assert make_agent("solved:counter").digest is None


# --- networks that judge tables ------------------------------------------------------------------------------------

OF_TABLES = [("south-african", 2), ("khasino", 2), ("swazi", 3), ("cassino", 4), ("khasino", 4)]


def by_tables(folder, rules):
    """The folder of a network that judges tables and has learnt nothing."""
    shape = Shape(make_layout(rules).size, (16,), value_outputs(rules), 0)
    theta = initial(shape, np.random.default_rng(0))
    save_policy(folder / "policy.safetensors", shape, theta, rules, {"unit": 4.0})
    return str(folder)


@pytest.mark.parametrize(("variant", "players"), OF_TABLES)
def test_with_tables_too_it_is_legal_repeatable_and_blind(tmp_path, variant, players):
    """The same for the same seed, for other hidden cards, and for any number of threads."""
    rules, rng = make_rules(variant, players), np.random.default_rng(2)
    path = by_tables(tmp_path, rules)
    for game in [game for game in random_moments(rules, 5, seed=21) if not game.over]:
        seen, twin = observe(game), observe(twin_of(game, game.seat, rng))
        for cut in (None, 2):
            ways = [(seen, 1), (seen, 1), (seen, 2), (twin, 1)]
            found = [fresh(sims=20, policy=path, cut=cut, threads=n).analyse(known) for known, n in ways]
            assert len({each.chances.tobytes() for each in found}) == 1
            assert set(np.flatnonzero(found[0].chances)) <= set(game.legal())
            assert found[0].value is None or np.isfinite(found[0].value)


@pytest.mark.parametrize(("variant", "players"), [("south-african", 2), ("swazi", 3), ("khasino", 4)])
def test_with_tables_it_plays_whole_deals(tmp_path, variant, players):
    game = Game(variant, players, seed=6)
    search = fresh(sims=8, policy=by_tables(tmp_path, game.rules))
    while not game.over:
        action = search.act(observe(game))
        assert action in game.legal()
        game.apply(action)


@pytest.mark.parametrize(("variant", "players"), OF_TABLES)
def test_tables_are_judged_as_the_policy_does(tmp_path, variant, players):
    """A cut at once is worth the best table that the seat can leave."""
    rules = make_rules(variant, players)
    policy = make_policy(by_tables(tmp_path, rules))
    running = new_rollouts(1)
    for game in [game for game in random_moments(rules, 5, seed=8) if not game.over]:
        running.worlds[:] = game.records
        roll_out(running, rules_record(rules), make_player(policy, rules), 0, 0, 1)
        values, mine = policy.values_by_side(observe(game)), rules.side(game.seat)
        judged = policy._fit(rules).judged
        assert judged is not None
        if judged.outcomes.walk["tried"][0] < LIMIT // 4:  # on fuller tables a search lists fewer turns
            assert running.result[0, mine] == pytest.approx(float(values[0]), abs=1e-3)


def test_a_turn_is_one_decision_of_a_network_that_judges_tables(tmp_path):
    """Where another network has chosen a card, this one has left its table."""
    game, running = Game("south-african", 2, seed=3), new_rollouts(1)
    player = make_player(find_player(f"policy:{by_tables(tmp_path, game.rules)}"), game.rules)
    for number in range(1, 6):
        running.worlds[:] = game.records
        running.rngs[:] = 7
        roll_out(running, rules_record(game.rules), player, number, 0, 1)
        assert running.worlds["turns"][0] >= game.record["turns"] + number - 1
        assert running.worlds["hands"][0].max() > 0


def test_where_nothing_is_hidden_the_policy_looks_ahead(tmp_path, monkeypatch):
    game = ending(make_rules("south-african", 2), 8, random.Random(1), greedy=True)
    search = fresh(sims=64, policy=by_tables(tmp_path, game.rules))
    monkeypatch.setattr(search, "_think", None)
    assert search.act(observe(game)) == Policy(make_policy(str(tmp_path)).weights, turns=3).act(observe(game))


def test_time_is_kept_with_tables(tmp_path):
    game = Game("south-african", 2, seed=4)
    assert 0.19 < least_seconds(fresh(time=0.2, policy=by_tables(tmp_path, game.rules)), game) < 0.3


# --- networks that judge actions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), [("khasino", 2), ("swazi", 3), ("khasino", 4)])
def test_a_cut_ends_in_what_the_network_expects(tmp_path, variant, players):
    """Of each side, in points, as seen by the seat that would decide."""
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (16,), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    save_policy(tmp_path / "policy.safetensors", shape, theta, rules, {"unit": 4.0})
    policy, game = make_policy(str(tmp_path)), Game(rules, seed=5)
    for _ in range(3):
        game.apply(game.legal()[-1])
    running = new_rollouts(1)
    running.worlds[:] = game.records
    roll_out(running, rules_record(rules), make_player(policy, rules), 0, 0, 1)
    mine, result = rules.side(game.seat), running.result[0]
    assert result[mine] == pytest.approx(policy.analyse(observe(game)).value)
    if rules.sides == 2:
        assert result[1 - mine] == -result[mine]
    else:
        values = policy.values_by_side(observe(game))
        assert list(result[:3]) == pytest.approx([values[(side - mine) % 3] for side in range(3)])


def test_a_network_is_named_in_a_spec(untaught):
    agent = make_agent(f"search:sims=8,rollout=policy:{untaught},guide=counter")
    assert agent.act(observe(Game("khasino", 2, seed=3))) in Game("khasino", 2, seed=3).legal()
