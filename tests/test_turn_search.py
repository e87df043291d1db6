"""Search over complete turns: plans, exact endings, the strongest agent."""

import random

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.lookahead import (
    ENTRY,
    TOLD,
    UNFINISHED,
    PlaySettings,
    begin_deepening,
    deepen,
    look_anew,
    look_on,
)
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.registry import make_agent
from casino_env.agents.search.horizon import NEVER
from casino_env.agents.search.racing import TurnRoot, Weighted, deal_rollouts, list_and_judge_turns
from casino_env.agents.search.rollouts import Rollouts, find_rollout_policy, make_rollout_policy, play_out
from casino_env.agents.solver import Solver
from casino_env.agents.solver.endings import cards_within
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, MOST
from casino_env.engine.state import IDLE, OVER, rules_record
from casino_env.evaluate import match
from casino_env.game import unchecked_game
from tests.endings import ending
from tests.random_play import random_decisions
from tests.untrained import fresh, saved, untrained

OF_TABLES = [("south-african", 2), ("khasino", 2), ("swazi", 3), ("cassino", 4), ("khasino", 4)]


def by_tables(folder, rules):
    """Return the folder of an untrained network that judges tables."""
    return saved(untrained(rules, logits=0, scale=4.0), folder)


def beginning(search, game):
    """Return (the root of a decision with its turns listed, the policy of its play-outs)."""
    agent, seen = search.opened.in_game(game.rules).agent, observe(game)
    policy = make_rollout_policy(search.opened.opening.who, game.rules)
    root = TurnRoot(seen.view, agent.about.rules, seen.seat, agent.thinking.levels.judged)
    list_and_judge_turns(root, policy.player.judge)
    return root, policy


def mixed_words(words):
    """Return what splitmix64 draws in these states, from 0 to 1."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (words ^ (words >> np.uint64(31))) / 2.0**64


# --- in any game ---------------------------------------------------------------------------------------------------


def test_only_networks_that_judge_tables_think_about_turns(tmp_path):
    policy = by_tables(tmp_path, make_rules("khasino", 2))
    searches = fresh(policy=policy), fresh(rollout="counter"), fresh()
    assert [search.opened.opening.kind for search in searches] == ["turns", "tree", "tree"]


def test_the_rest_of_a_turn_is_not_thought_about_again(tmp_path):
    """The exception: something else has happened than was planned."""
    game = Game("south-african", 2, seed=2)
    search = fresh(sims=32, solve=0, policy=by_tables(tmp_path, game.rules))
    planned = thought = 0
    before = None
    while not game.over:
        seen, turn = observe(game), (game.seat, int(game.record["turns"]), int(game.record["deals"]))
        if len(game.legal()) > 1:
            agent = search.opened.in_game(seen.rules).agent
            known = seen.view[0] in agent.thinking.plan.views[: agent.about.state["planned"][0]]
            planned, thought = planned + bool(known), thought + (turn == before and not known)
            before = turn
        game.apply(search.act(seen))
    assert planned > 5 and thought == 0


def test_what_a_turn_was_found_to_be_worth_can_be_asked_for_again():
    seen, search = observe(Game("south-african", 2, seed=3)), fresh(sims=64, policy="south-african-2")
    search.act(seen)
    again, anew = search.analyse(seen), fresh(sims=64, policy="south-african-2").analyse(seen)
    assert again.values == anew.values and len(again.values or ()) > 3


def test_a_plan_is_for_the_rules_for_which_it_was_made():
    """By the other rules the table looks the same."""
    search, other = fresh(sims=16, solve=0, policy="universal"), make_rules("south-african", 2, steal="no")
    game = Game("south-african", 2, seed=1)
    while not game.over:
        search.act(observe(game))
        twin = unchecked_game(game.record.copy(), other)
        if twin.legal():
            assert search.act(observe(twin)) in twin.legal()
        game.apply(game.legal()[0])


# --- hidden cards --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), OF_TABLES)
def test_tables_are_judged_as_the_policy_does(tmp_path, variant, players):
    """A play-out that is cut at once is worth the best table that the seat can leave."""
    rules = make_rules(variant, players)
    policy = make_policy(by_tables(tmp_path, rules))
    running = allocate(Rollouts, games=1)
    running.until[:] = NEVER
    for game in random_decisions(rules, 5, seed=8):
        running.games[:], running.begun[:] = game.records, game.record["turns"]
        player = make_rollout_policy(policy, rules)
        play_out(running, rules_record(rules)[0], player, player.mover, 0, 0, 1)
        values, mine = policy.values_by_side(observe(game)), rules.side(game.seat)
        judged = policy._fit(rules).levels.judged
        if judged.afterstates.walk["tried"][0] < LIMIT // 4:  # on fuller tables a search lists fewer turns
            assert running.result[0, mine] == pytest.approx(float(values[0]), abs=1e-3)


def test_a_turn_is_one_decision_of_a_network_that_judges_tables(tmp_path):
    """When another network would have chosen a card, this one has already left its table."""
    game, running = Game("south-african", 2, seed=3), allocate(Rollouts, games=1)
    running.until[:] = NEVER
    player = make_rollout_policy(find_rollout_policy(f"policy:{by_tables(tmp_path, game.rules)}"), game.rules)
    for number in range(1, 6):
        running.games[:], running.begun[:] = game.records, game.record["turns"]
        running.rngs[:] = 7
        play_out(running, game.rules_record[0], player, player.mover, number, 0, 1)
        assert running.games["turns"][0] >= game.record["turns"] + number
        assert running.games["hands"][0].max() > 0


def test_a_world_is_judged_when_all_others_have_had_their_turns(tmp_path):
    """A partner who only asks or grants has not had its turn yet."""
    rules, rollouts = make_rules("khasino", 4), allocate(Rollouts, games=8)
    path = by_tables(tmp_path, rules)
    others, asked = rules.players - 1, 0
    for game in random_decisions(rules, 40, seed=3):
        root, player = beginning(fresh(sims=8, policy=path), game)
        seed, games, begun = np.uint64(4), rollouts.games, game.record["turns"] + 1
        assert deal_rollouts(root, allocate(Weighted, weighted=0), 0, rollouts, np.array([0]), seed, 0, 8)
        asked += (games["mode"] != IDLE).sum()
        play_out(rollouts, root.rules[0], player, player.mover, others, 0, 8)
        assert ((games["turns"] >= begun + others) | (games["mode"] == OVER)).all()
    assert asked > 20


def test_what_players_draw_has_nothing_to_do_with_the_cards_that_were_drawn():
    """Correlate whether a card was dealt to the other seat with the next random numbers that the player would draw."""
    game, rollouts = Game("south-african", 2, seed=3), allocate(Rollouts, games=2000)
    root, _ = beginning(fresh(sims=8, policy="south-african-2"), game)
    assert deal_rollouts(root, allocate(Weighted, weighted=0), 0, rollouts, np.array([0]), np.uint64(5), 0, 2000)
    dealt = [rollouts.games["hands"][:, 1] >> card & 1 for card in range(52)]
    uncertain = [held for held in dealt if 0 < held.mean() < 1]
    steps = np.arange(1, 4, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for drawn in mixed_words(rollouts.rngs[:, None] + steps).T:
        assert max(abs(np.corrcoef(held, drawn)[0, 1]) for held in uncertain) < 0.12
    assert len(uncertain) > 20


# --- all cards known -----------------------------------------------------------------------------------------------


def ahead_of(search, game):
    """Return what it looks ahead with: (workspace, rules, network)."""
    agent = search.opened.in_game(game.rules).agent
    return agent.thinking.levels, agent.about.rules[0], agent.about.judge


def open_position(tmp_path, variant, cards, seed):
    """Return a search with an untrained network, and an ending."""
    game = ending(make_rules(variant, 2), cards, random.Random(seed), greedy=True)
    search = fresh(sims=400, solve=0, policy=by_tables(tmp_path, game.rules))
    return search, game


@pytest.mark.parametrize("variant", ["south-african", "swazi", "cassino"])
def test_the_end_is_exact_whatever_the_network_says(tmp_path, variant):
    """Follow all turns, one turn further each time, in small pieces: the value is the solver's."""
    solver = Solver()
    for seed in range(5):
        search, game = open_position(tmp_path, variant, 2, seed)
        if len(game.legal()) < 2:
            continue
        search.act(observe(game))
        levels, rules, judge = ahead_of(search, game)
        found = begin_deepening(levels, rules, judge, PlaySettings(), observe(game).view[0], 0.0)
        for turns in range(2, 6):
            look_anew(levels)
            while not look_on(levels, rules, judge, turns, (MOST, MOST), int(levels.state["listings"][0]) + 3):
                pass
        assert levels.state["open"][0] == 0
        best = int(levels.state["chosen"][0])
        assert levels.worth[0, :found].max() == levels.worth[0, best]
        assert levels.worth[0, best] * 4.0 == pytest.approx(solver.solve(game).value, abs=1e-3)


@pytest.mark.parametrize("variant", ["south-african", "khasino"])
def test_what_comes_again_is_not_followed_again(tmp_path, variant):
    """Turns in another order reach the same positions: the transposition table saves listings and keeps the value."""
    search, game = open_position(tmp_path, variant, 3, 1)
    search.act(observe(game))
    (levels, rules, judge), worth, listings = ahead_of(search, game), [], []
    for entries in (1, 1 << 12):
        levels = levels._replace(transpositions=np.zeros(entries, ENTRY))
        begin_deepening(levels, rules, judge, PlaySettings(), observe(game).view[0], 0.0)
        assert look_on(levels, rules, judge, 8, (MOST, MOST), 100_000)
        assert levels.state["open"][0] == 0
        worth.append(float(levels.worth[0, levels.state["chosen"][0]]))
        listings.append(int(levels.state["listings"][0]))
    assert worth[0] == pytest.approx(worth[1], abs=1e-6)
    assert 1.2 * listings[1] < listings[0]


def test_it_looks_as_far_as_the_policy_and_further(tmp_path):
    """With the effort of three turns it plays like the policy that looks three turns ahead; then it looks deeper."""
    search, game = open_position(tmp_path, "south-african", 8, 1)
    policy = Policy(make_policy(str(tmp_path)).weights, turns=3)
    levels, rules, judge = ahead_of(search, game)
    begin_deepening(levels, rules, judge, policy.play, observe(game).view[0], 0.0)
    while (step := deepen(levels, rules, judge, 32)) == UNFINISHED:
        pass
    assert levels.walks["paths"][0, levels.state["chosen"][0], 0] == policy.act(observe(game))
    assert step == TOLD and levels.state["depth"][0] == 4 and levels.state["width"][0] > policy.play.width


def test_time_that_is_left_is_used_until_all_is_exact(tmp_path):
    """Nothing is left out for good: with enough time even an untrained network finds the best turn."""
    solver = Solver()
    for seed in range(6):
        _, game = open_position(tmp_path, "khasino", 4, seed)
        few, many = (fresh(sims=sims, solve=0, policy=str(tmp_path)) for sims in (64, 200_000))
        best = solver.solve(game)
        assert many.act(observe(game)) in best.best
        assert ahead_of(many, game)[0].state["open"][0] == 0
        few.act(observe(game))
        assert ahead_of(few, game)[0].state["open"][0] > 0


def test_the_solver_takes_over_when_it_can_finish():
    assert [cards_within(seconds) for seconds in (1e-6, 0.01, 0.1, 1.0, 10.0)] == [1, 5, 6, 8, 9]


# --- the strongest -------------------------------------------------------------------------------------------------


def test_the_strongest_begins_with_what_it_was_given_whenever_it_loads_a_policy():
    early, late, seeds = make_agent("strongest:sims=8"), make_agent("strongest:sims=8"), []
    rules = make_rules("khasino", 2)
    early.check(rules)
    for agent in (early, late):
        rng = np.random.default_rng(3)
        agent.reset(0, rng)
        rng.random(5)  # another user draws numbers, too
        agent.check(rules)
        seeds.append(agent.search(rules).opened._seed)
    assert seeds[0] == seeds[1]


def test_the_strongest_thinks_with_what_is_there():
    strongest = make_agent("strongest:time=0.02")
    for game in (Game("south-african", 2, seed=1), Game("mini", 2, seed=1)):
        strongest.reset(0, np.random.default_rng(1))
        assert strongest.act(observe(game)) in game.legal()
    assert strongest_policy(make_rules("south-african", 2)) == "south-african-2"
    assert strongest_policy(make_rules("mini", 2)) is None
    kinds = {name: search.opened.opening.kind for name, search in strongest._searches.items()}
    assert kinds == {None: "tree", "south-african-2": "turns"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sims"), [("south-african-2", 500), ("swazi-3", 150)])
def test_thinking_is_worth_points(name, sims):
    """It gains about a point a deal over its own policy, so not below zero in 24 deals from all seats."""
    rules = make_policy(name).weights.rules
    assert match(f"search:policy={name},sims={sims}", f"policy:{name}", rules, deals=24).diff > 0
