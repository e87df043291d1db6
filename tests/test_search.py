"""Search: its settings, stronger play than its play-out policy, and policies that search where they are not sure."""

import random

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.actions import parse_action
from casino_env.agents.c_export import as_bytes
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.agents.registry import AgentError, make_agent
from casino_env.agents.search.horizon import NEVER
from casino_env.agents.search.rollouts import Rollouts, make_rollout_policy, play_out
from casino_env.agents.search.search_agent import _UNSURE, Search
from casino_env.agents.solver import solve
from casino_env.compiler.types import allocate
from casino_env.engine.state import rules_record
from casino_env.evaluate import match
from tests.endings import ending
from tests.random_play import random_decisions
from tests.refusals import refused
from tests.situations import position
from tests.untrained import fresh, saved, untrained


def test_a_budget_that_is_over_at_once_still_gives_an_answer():
    found = fresh(time=1e-6).analyse(observe(Game("swazi", 2, seed=4)))
    assert found.chances.sum() == pytest.approx(1.0)


def test_an_ending_is_solved():
    """The probabilities are the best moves', the value is exact, in points."""
    game = ending(make_rules("khasino", 2), 3, random.Random(2), greedy=True)
    found, exact = fresh(sims=1).analyse(observe(game)), solve(game)
    assert np.flatnonzero(found.chances).tolist() == exact.best
    assert found.action in exact.best and found.value == exact.value


def test_it_takes_the_points_that_are_there():
    """The last turn but one: an ace and the little two lie open. To build a three of them first is worth the same."""
    hands, piles = ["3H TC", "9H 4C"], ["TD", "6H"]
    data = position("south-african", hands, layout="AS 2S", piles=piles, stock="", round=2, last_capture=1)
    game = Game.from_json(data, skip_forced=False)
    best = [parse_action("capture 3H"), parse_action("build 3")]
    assert fresh(sims=200).act(observe(game)) in best


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"horizon": "del"}, "horizon = 'del' .did you mean 'deal'.*end, deal"),
        ({"rollout": "gready"}, "rollout = 'gready' .did you mean 'greedy'"),
        ({"policy": "nowhere"}, "rollout = nowhere: no weights found"),
        ({"policy": "nowhere", "rollout": "counter"}, "give policy or rollout, not both"),
        ({"rollout": "counter", "cut": 0}, "a bot cannot judge positions"),
        ({"sims": 5, "time": 1.0}, "not both"),
        ({"margin": 1.0}, "margin = 1.0: needs a policy over afterstates"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Search(**settings)


@pytest.mark.slow
def test_it_beats_the_bot_that_it_searches_with():
    """Over 40 deals from both seats it is about three points a deal better, so never below zero."""
    assert match("search:sims=100", "counter", "south-african", deals=40).diff > 0


@pytest.fixture
def untaught(tmp_path):
    """The folder of an untrained network for Khasino."""
    return saved(untrained(make_rules("khasino", 2)), tmp_path)


def test_a_network_plays_on(untaught):
    game = Game("khasino", 2, seed=3)
    seen = observe(game)
    chosen = {}
    for rollout in (f"policy:{untaught}", "counter", "greedy"):
        searches = [Search(sims=64, rollout=rollout, threads=threads) for threads in (1, 2)]
        one, two = (search.probabilities(seen) for search in searches)
        assert np.array_equal(one, two)
        assert one[game.legal()].sum() == pytest.approx(1.0)
        chosen[rollout] = one.tobytes()
    assert len(set(chosen.values())) == 3


def test_policy_stands_for_rollout_and_judge(untaught):
    seen, path = observe(Game("khasino", 2, seed=3)), f"policy:{untaught}"
    one = Search(sims=32, policy=untaught)
    two = Search(sims=32, rollout=path, cut=3, explore=0.15)
    assert np.array_equal(one.probabilities(seen), two.probabilities(seen))
    to_the_end = Search(sims=32, policy=untaught, cut=1000)
    assert not np.array_equal(one.probabilities(seen), to_the_end.probabilities(seen))


def test_it_says_which_weights_it_thinks_with(untaught):
    """A match that is resumed with other weights of the same name can then be refused."""
    weights = make_policy(untaught).digest
    assert Search().digest is None
    assert Search(policy=untaught).digest == weights
    assert make_agent(f"solved:policy:{untaught}").digest == weights
    assert make_agent("solved:counter").digest is None


@pytest.mark.parametrize(("variant", "players"), [("khasino", 2), ("swazi", 3), ("khasino", 4)])
def test_a_cut_ends_in_what_the_network_expects(variant, players):
    """The result is in points for each side, as seen by the seat to move."""
    rules = make_rules(variant, players)
    policy, game = Policy(untrained(rules, scale=4.0)), Game(rules, seed=5)
    for _ in range(3):
        game.apply(game.legal()[-1])
    running = allocate(Rollouts, games=1)
    running.games[:], running.until[:] = game.records, NEVER
    player = make_rollout_policy(policy, rules)
    play_out(running, rules_record(rules)[0], player, player.mover, 0, 0, 1)
    mine, result = rules.side(game.seat), running.result[0]
    assert result[mine] == pytest.approx(policy.analyse(observe(game)).value)
    if rules.sides == 2:
        assert result[1 - mine] == -result[mine]
    else:
        values = policy.values_by_side(observe(game))
        assert list(result[:3]) == pytest.approx([values[(side - mine) % 3] for side in range(3)])


# --- policies that think for a moment where they are not sure: policy:NAME,think=5 -----------------------------------


def race_of(agent, rules):
    return agent.opened.in_game(rules).agent.thinking.race.state[0]


def gap(policy, seen):
    """Return how many points better the best turn is judged than the next one."""
    policy.values_by_side(seen)
    judged = policy._fit(seen.rules).levels.judged
    worth = np.sort(judged.worth[: judged.afterstates.walk["found"][0]]) * policy.weights.value_scale
    return worth[-1] - worth[-2] if len(worth) > 1 else np.inf


def test_it_thinks_where_the_best_turns_are_about_as_good():
    rules, policy, thinks = make_rules("swazi", 3), make_policy("swazi-3", turns=1, exact=0), set()
    for game in random_decisions(rules, 40, seed=4):
        seen, agent = observe(game), make_agent("policy:swazi-3,sims=24")
        if not seen.hidden or len(seen.legal()) < 2:
            continue
        action, sure = agent.act(seen), gap(policy, seen) > _UNSURE
        assert (race_of(agent, rules)["total"] == 0) == sure
        assert not sure or action == policy.act(seen)
        thinks.add(not sure)
    assert thinks == {True, False}


@pytest.mark.parametrize(
    ("name", "variant", "cut", "bot"), [("swazi-2", "swazi", 1, 0), ("royal-2", "royal", NEVER, 1)]
)
def test_moments_are_for_one_round(name, variant, cut, bot):
    """Play-outs are cut after one round. Where games end before the next deal, a bot plays them to the end."""
    game, agent = Game(variant, 2, seed=5), make_agent(f"policy:{name},sims=24")
    cuts = set[tuple[int, int]]()
    while len(cuts) < 2 and not game.over:
        game.apply(agent.act(observe(game)))
        race = race_of(agent, game.rules)
        cuts.add((int(race["cut"]), int(race["by_bot"])))
    assert (cut, bot) in cuts


def test_settings_that_do_not_go_together():
    for more, said in (
        ("think=5,turns=3", "turns = 3: cannot be combined with think or sims; leave it out"),
        ("think=0", "think = 0.0; it must be a number above 0 and at most 600000"),
        ("think=5,sims=20", "give sims or time, not both"),
    ):
        with refused(said, AgentError):
            make_agent(f"policy:swazi-3,{more}")


def test_a_file_for_c_is_of_the_game_that_the_policy_has_learnt():
    assert as_bytes("policy:swazi-3,sims=24") == as_bytes("policy:swazi-3,sims=24", make_rules("swazi", 3))


@pytest.mark.slow
def test_a_moment_is_worth_points():
    rules = make_rules("swazi", 3)
    assert match("policy:swazi-3,sims=64", "policy:swazi-3", rules, deals=60).diff > 0
