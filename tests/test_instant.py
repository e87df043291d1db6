"""Policies that think for a moment where they are not sure: policy:NAME,think=5."""

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.c_export import as_bytes
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.agents.registry import AgentError, make_agent
from casino_env.agents.search.horizon import NEVER
from casino_env.agents.search.search_agent import _UNSURE
from casino_env.evaluate import match
from tests.random_play import random_decisions
from tests.refusals import refused


def race_of(agent, rules):
    return agent.opened.in_game(rules).agent.thinking.race.state[0]


def gap(policy, seen):
    """Points by which the best turn is judged to be better than the next one."""
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
    """Or for a bot, where games end before the next deal."""
    game, agent = Game(variant, 2, seed=5), make_agent(f"policy:{name},sims=24")
    cuts = set[tuple[int, int]]()
    while len(cuts) < 2 and not game.over:
        game.apply(agent.act(observe(game)))
        race = race_of(agent, game.rules)
        cuts.add((int(race["cut"]), int(race["by_bot"])))
    assert (cut, bot) in cuts


def test_settings_that_do_not_go_together():
    for more, said in (
        ("think=5,turns=3", "turns = 3: leave it out where the policy thinks"),
        ("think=0", "think = 0.0; it must be a number above 0 and at most 600000"),
        ("think=5,sims=20", "give sims or time, not both"),
    ):
        with refused(said, AgentError):
            make_agent(f"policy:swazi-3,{more}")
    with refused("margin = 1.0: only turns race, by a policy over afterstates", AgentError):
        make_agent("search:margin=1")


def test_a_file_for_c_is_of_the_game_that_the_policy_has_learnt():
    assert as_bytes("policy:swazi-3,sims=24") == as_bytes("policy:swazi-3,sims=24", make_rules("swazi", 3))


@pytest.mark.slow
def test_a_moment_is_worth_points():
    rules = make_rules("swazi", 3)
    assert match("policy:swazi-3,sims=64", "policy:swazi-3", rules, deals=60).diff > 0
