"""Search: legal, repeatable, blind to hidden cards, and better than what it searches with."""

import time
from typing import Any

import numpy as np
import pytest

from agents.policy.agent import Policy, save_policy, value_outputs
from agents.policy.mlp import Shape, initial
from agents.registry import make_agent
from agents.scripted.agent import Scripted
from agents.search.agent import METHODS, Search
from agents.search.player import make_player
from agents.search.tree import new_tree, play_out
from casino_env import Game, make_rules, observe
from casino_env.actions import parse_action
from casino_env.engine.state import GAME, rules_record
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


def test_time_is_kept():
    game, search = Game("south-african", 2, seed=4), fresh(time=0.2)
    search.act(observe(game))
    began = time.perf_counter()
    search.act(observe(game))
    assert 0.15 < time.perf_counter() - began < 5


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
        ({"sims": -1}, "must not be negative"),
        ({"threads": 0}, "at least 1"),
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
    weights = Policy(str(untaught)).digest
    assert Search().digest is None
    assert Search(policy=str(untaught)).digest == f"{weights}-{weights}"
    assert Search(guide=f"policy:{untaught}").digest == weights
    assert make_agent(f"solved:policy:{untaught}").digest == weights
    assert make_agent("solved:counter").digest is None


@pytest.mark.parametrize(("variant", "players"), [("khasino", 2), ("swazi", 3), ("khasino", 4)])
def test_a_cut_ends_in_what_the_network_expects(tmp_path, variant, players):
    """Of each side, in points, as seen by the seat that would decide."""
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (16,), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    save_policy(tmp_path / "policy.safetensors", shape, theta, rules, {"unit": 4.0})
    policy, game = Policy(str(tmp_path)), Game(rules, seed=5)
    for _ in range(3):
        game.apply(game.legal()[-1])
    tree, world = new_tree(8, 1), np.frombuffer(game.to_bytes(), GAME).copy()
    player = make_player(policy, rules)
    play_out(tree, world, rules_record(rules), player, 0, np.ones(1, np.uint64), 0, 1)
    mine = rules.side(game.seat)
    assert tree.result[0, mine] == pytest.approx(policy.value(observe(game)))
    if rules.sides == 2:
        assert tree.result[0, 1 - mine] == -tree.result[0, mine]
    else:
        expected = [policy._values[(side - mine) % 3] * 4.0 for side in range(3)]
        assert list(tree.result[0, :3]) == pytest.approx(expected)


def test_a_network_is_named_in_a_spec(untaught):
    agent = make_agent(f"search:sims=8,rollout=policy:{untaught},guide=counter")
    assert agent.act(observe(Game("khasino", 2, seed=3))) in Game("khasino", 2, seed=3).legal()
