"""Small searches, equal to slow twins of them: so small that they are interpreted, for mutants.py."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.actions import ACTIONS, END
from casino_env.agents import advise as advising
from casino_env.agents.opened import GO_ON, begin, go_on
from casino_env.agents.opening import InGame, Opening
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.scripted.bots import BOTS
from casino_env.agents.search.horizon import NEVER
from casino_env.agents.search.importance_weights import OpponentHistory, cumulate, draw_weighted, expect, watch
from casino_env.agents.search.importance_weights import _is_same as is_same
from casino_env.agents.search.ismcts import Tree, TreeRoot, tell_tree
from casino_env.agents.search.measuring import Measured, begin_measuring, count_games, games_at_once, look_again
from casino_env.agents.search.other_cards import luck_of_game
from casino_env.agents.search.racing import (
    IN_HEATS,
    Race,
    TurnRoot,
    Weighted,
    add_games,
    deal_rollouts,
    goes_on,
    keep_near,
    list_and_judge_turns,
    next_heat,
    start_race,
)
from casino_env.agents.search.rollouts import Rollouts, find_rollout_policy, make_rollout_policy, play_out, with_bot
from casino_env.agents.search.search_settings import BUDGET, is_young, left_over
from casino_env.agents.search.verdicts import Board
from casino_env.agents.search.verdicts import _conclude as conclude
from casino_env.agents.search.verdicts import _conclude_solved as conclude_solved
from casino_env.agents.search.verdicts import _put_among as put_among
from casino_env.cards import CARDS
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, MOST, WALK, Afterstates, afterstates_of
from casino_env.engine.position_keys import find_equals
from casino_env.engine.state import GAME, rules_record
from casino_env.observed import NoDeterminizationError
from tests import reference_search as plain
from tests.situations import position
from tests.solving import minimax
from tests.untrained import fresh, saved, untrained

# --- ISMCTS ----------------------------------------------------------------------------------------------------------


def compare_trees(game, search, player, sims, decisions=9, **how):
    """Search in each decision of a game, and let both find the same."""
    for _ in range(decisions):
        if game.over:
            break
        seen = observe(game)
        found, root = search.analyse(seen), plain.ismcts(seen, search.opened._seed, sims, player, **how)
        visits = {action: node.visits for action, node in root.children.items() if action in game.legal()}
        values = {action: 11.0 * root.children[action].value / many for action, many in visits.items()}
        assert (found.chances * sum(visits.values())).round(6).tolist() == [visits.get(a, 0) for a in range(ACTIONS)]
        assert found.values == pytest.approx(values) and found.value == pytest.approx(values[found.action])
        assert found.action == max(sorted(visits), key=lambda action: (visits[action], found.values[action]))
        assert search.opened.in_game(game.rules).agent.tree.state["used"][0] == root.size()
        game.apply(found.action)


@pytest.mark.parametrize(("variant", "players", "bot"), [("mini-7", 2, "greedy"), ("mini", 2, "random")])
def test_a_tree_is_what_its_simulations_make_of_it(variant, players, bot):
    search = fresh(sims=20, rollout=bot, solve=0, explore=0.7)
    compare_trees(Game(variant, players, seed=1), search, plain.ByBot(bot), 20, explore=0.7)


def test_a_tree_of_a_network_is_what_its_simulations_make_of_it(tmp_path):
    weights = untrained(make_rules("mini-7", 2), (8,), scale=4.0)
    search = fresh(sims=20, policy=saved(weights, tmp_path), cut=2, solve=0)
    compare_trees(Game("mini-7", 2, seed=2), search, plain.ByActions(weights), 20, explore=0.15, cut=2)


@pytest.mark.parametrize(
    ("visits", "values", "best"),
    [((3, 2, 1), (0.1, 0.3, 0.9), 0), ((1, 2, 3), (9.0, 2.0, 3.0), 2), ((2, 4, 4), (9.0, 0.4, 0.8), 2),
     ((4, 4, 1), (0.4, 0.4, 0.1), 0), ((4, 4, 1), (-0.4, -0.4, 9.0), 0), ((0, 0, 2), (0.0, 0.0, -2.0), 2)],
)  # fmt: skip
def test_a_tree_tells_what_was_visited_most(visits, values, best):
    """Of equal ones the one of most value, of these the first. values: sums of results."""
    game = Game("mini-7", 2, seed=1)
    tree, seen, actions = allocate(Tree, games=1), observe(game), game.legal()
    assert len(actions) == 3
    tree.visits[:] = tree.values[:] = 7.0
    tree.nodes["first"][0], tree.nodes["next_sibling"][1:4] = 1, [2, 3, 0]
    for name, column in (("action", actions), ("visits", visits), ("value", values)):
        tree.nodes[name][1:4] = column
    assert tell_tree(tree, TreeRoot(seen.view, game.rules.record, seen.seat)) == actions[best]
    assert tree.visits[actions].tolist() == list(visits) and tree.visits.sum() == sum(visits)
    assert tree.values[actions] == pytest.approx([11.0 * v / max(n, 1) for v, n in zip(values, visits, strict=True)])


def test_a_budget_is_of_simulations_or_of_time():
    """Of time as much as the rate so far allows."""
    budget = np.zeros(1, BUDGET)
    assert left_over(budget[0], 0.0, 1.0, 16) == 16
    budget["done"] = 30
    assert [left_over(budget[0], 0.5, left, 16) for left in (1.0, 0.25, 0.01, -0.5)] == [60, 15, 0, 0]
    assert [is_young(budget[0], used, 1.0 - used, 0.25) for used in (0.0, 0.24, 0.25, 0.9)] == [
        True,
        True,
        False,
        False,
    ]
    budget["sims"] = 40
    assert left_over(budget[0], 0.5, 0.01, 16) == 10
    assert [is_young(budget[0], 0.0, 1.0, part) for part in (0.5, 0.75, 0.8)] == [False, False, True]


# --- the horizon -----------------------------------------------------------------------------------------------------


def late(hands, **more):
    """Return a game before the last deal of hands."""
    stock = "KC KD KH KS QC QD QH QS JC JD JH JS"
    stock, number = stock[: 4 * 3 * len(hands) - 1], {2: 5, 3: 3}[len(hands)]
    return Game.from_json(position("cassino", hands, layout="2C 3D 8S", stock=stock, round=number, **more))


@pytest.mark.parametrize(
    ("hands", "more"),
    [(["3H 5D", "9H 4C"], {}), (["3H", ""], {}),
     (["3H", "9H", "4C"], {"piles": ["2S TD", "6S 6H 5S", "AC"], "rules": {"sweeps": True}, "sweeps": [2, 0, 1]})],
)  # fmt: skip
def test_a_tree_ends_at_the_horizon(hands, more):
    """What has been taken counts there, and leads do."""
    game = late(hands, **{"piles": ["2S TD AS 7H 7C", "6S 6H 5S"]} | more)
    search = fresh(sims=16, rollout="random", solve=0, horizon="deal", explore=0.7)
    compare_trees(game, search, plain.ByBot("random"), 16, explore=0.7, to_horizon=True, decisions=1)


@pytest.mark.slow  # its kernels are not in the library and take half a minute to compile
@pytest.mark.parametrize("hands", [["3H 5D", "9H 4C"], ["3H 5D 6D", "9H"]])
@pytest.mark.parametrize("by_bot", [False, True])
def test_a_policy_judges_what_was_left_before_the_deal(hands, by_bot):
    """It judges where a bot has played as well."""
    game = late(hands, piles=["2S TD AS 7H 7C", "6S 6H 5S"])
    weights, seen = untrained(game.rules, (4,), logits=0, scale=4.0), observe(game)
    policy, player = make_rollout_policy(Policy(weights, temperature=0.0), game.rules), plain.ByTurns(weights)
    paths, _, _ = player.turns(seen)
    root = TurnRoot(seen.view, game.rules.record, seen.seat, policy.work.judged, 1)
    many = list_and_judge_turns(root, policy.player.judge)
    assert many == len(paths)
    rollouts, tried = allocate(Rollouts, games=6), np.array([0, many - 1])
    assert deal_rollouts(root, allocate(Weighted, weighted=0), 0, rollouts, tried, np.uint64(5), 7, 3)
    mover = with_bot(policy, game.rules).mover if by_bot else policy.mover
    play_out(rollouts, game.rules_record[0], policy, mover, NEVER, 0, 6)
    slow_mover = plain.ByBot("counter") if by_bot else player
    for number in range(3):
        slow = plain.one_game(seen, 5, 7 + number, [paths[k] for k in tried], player, NEVER, to_horizon=slow_mover)
        assert rollouts.result[2 * number : 2 * number + 2, 0] == pytest.approx(slow, abs=1e-4)


@pytest.mark.parametrize("margin", [1000.0, 1.0])
def test_turns_race_to_the_horizon(margin, tmp_path):
    """A bot plays there, and the policy judges."""
    game = late(["3H 5D", "9H 4C"], piles=["2S TD AS 7H 7C", "6S 6H 5S"])
    weights, seen = untrained(game.rules, (4,), logits=0, scale=4.0), observe(game)
    search = fresh(sims=24, policy=saved(weights, tmp_path), solve=0, importance=0.0, margin=margin)
    search.act(seen)
    slow = plain.race_turns(
        seen, search.opened._seed, 24, plain.ByTurns(weights), margin=margin, to_horizon=plain.ByBot("counter")
    )
    race = search.opened.in_game(seen.rules).agent.thinking.race
    assert same_race(race, slow.race) and race.state["by_bot"][0] == 1


@pytest.mark.parametrize(
    ("logits", "play", "least"), [(0, (1, 6, 0), (3, 6, 8)), (0, (5, 3, 9), (5, 4, 9)), (ACTIONS, (1, 3, 0), (1, 3, 0))]
)
def test_a_search_has_time_to_look_ahead_where_a_network_over_afterstates_plays(logits, play, least, tmp_path):
    names = ("turns", "width", "exact")
    weights = untrained(make_rules("mini", 2), (4,), logits=logits)
    path = saved(weights, tmp_path, play=dict(zip(names, play, strict=True)))
    found: Any = find_rollout_policy(f"policy:{path}")
    assert [getattr(found.play, name) for name in names] == list(least) and found.play.temperature == 0.0


# --- luck ------------------------------------------------------------------------------------------------------------


def test_luck_is_what_the_cards_brought():
    rules, rng = make_rules("mini", 2), np.random.default_rng(1)
    game, decisions = Game(rules, seed=4, skip_forced=False), []
    begun = game.clone()
    while not game.over:
        legal = game.legal()
        action = int(rng.choice(legal))
        decisions += [action] if len(legal) > 1 else []
        game.apply(action)
    luck, rollouts = np.zeros(2), allocate(Rollouts, games=128)
    games, policy = np.zeros(2, GAME), make_rollout_policy(BOTS["random"], rules)
    games[0] = begun.record
    done, cards = np.array(decisions, np.int16), np.zeros(CARDS, np.int64)
    luck_of_game(rollouts, games, rules.record, policy, done, cards, np.uint64(9), luck)
    assert luck == pytest.approx(plain.luck(begun, decisions, 9, plain.ByBot("random"))) and luck.any()


# --- races -----------------------------------------------------------------------------------------------------------


def same_race(race, slow):
    """Whether a race of kernels has come to the same."""
    state, many = race.state[0], len(slow.worth)
    assert (state["leader"], state["total"], state["heat"]) == (slow.leader, slow.total, slow.heat)
    assert (state["cut"], state["most"], state["doubt"]) == (slow.cut, slow.most, slow.doubt)
    assert race.running[: state["running"]].tolist() == slow.running
    assert race.worth[:many] == pytest.approx(slow.worth, abs=1e-6)
    return True


@pytest.mark.parametrize("single", [None, 3])
def test_a_race_counts_its_games(single):
    """Turns are nearly as good as each other, so that they are dropped late, in several heats."""
    rng, rules = np.random.default_rng(3), rules_record(make_rules("khasino", 3))
    race, worth = allocate(Race, racers=4, games=32, weighted=0), [0.3, 0.5, 0.4, 0.1]
    race.worth[:] = worth
    start_race(race, 4, 0.5, IN_HEATS if single is None else single)
    slow = plain.Race(worth, 0.5, 3, single=single)
    assert race.state["leader"][0] == slow.leader == 1
    sizes = set()
    for _ in range(60):
        if not goes_on(race, rules[0], 0):
            break
        assert slow.goes_on()
        results = rng.normal([0.2, 0.3, 0.4, -0.6], 1.0, (8, 4)) + rng.normal(0.0, 3.0, (8, 1))
        rows = results[:, slow.running]
        race.rollouts.result[: rows.size, 1], race.state["dealt"] = rows.ravel(), 8
        add_games(race, rules[0], 1)
        slow.add(rows.tolist())
        assert same_race(race, slow)
        sizes.add(len(slow.running))
    assert race.state["heat"][0] == (1 if single else 3) and len(sizes) > 1, sizes


@pytest.mark.parametrize(("heat", "cut", "most", "by_bot", "doubt"), [
    (0, NEVER, 0, 1, 0.2), (1, NEVER, 256, 1, 0.2), (2, NEVER, 1 << 40, 0, 0.1),
])  # fmt: skip
def test_up_to_the_horizon_a_bot_plays_the_first_heat(heat, cut, most, by_bot, doubt):
    race = allocate(Race, racers=2, games=1, weighted=0)
    start_race(race, 2, 0.5, IN_HEATS)
    race.state["heat"] = heat - 1
    next_heat(race, 2, 1)
    state = race.state[0]
    assert [state[name] for name in ("heat", "cut", "most", "by_bot", "doubt")] == [heat, cut, most, by_bot, doubt]


def test_moments_are_for_turns_near_the_first():
    race = allocate(Race, racers=4, games=1, weighted=0)
    for margin, many in ((0.0, 1), (0.5, 2), (0.6, 2), (2.0, 4)):
        race.worth[:] = [1.0, 0.5, 0.25, -1.0]
        start_race(race, 4, 0.5, IN_HEATS)
        keep_near(race, margin)
        assert (race.state["running"][0], race.state["heat"][0]) == (many, -1)


@pytest.mark.parametrize(("sims", "how"), [(40, {"single": 0}), (20, {}), (20, {"margin": 0.8})])
def test_turns_race_in_the_games_that_are_dealt(sims, how, tmp_path):
    weights = untrained(make_rules("mini-7", 2), (8,), logits=0, scale=4.0)
    given = {"cut" if name == "single" else name: value for name, value in how.items()}
    search = fresh(sims=sims, policy=saved(weights, tmp_path), solve=0, importance=0.0, **given)
    seen = observe(Game("mini-7", 2, seed=2))
    found, slow = search.analyse(seen), plain.race_turns(seen, search.opened._seed, sims, plain.ByTurns(weights), **how)
    race = search.opened.in_game(seen.rules).agent.thinking.race
    assert same_race(race, slow.race) and race.turns[: len(slow.turns)].tolist() == slow.turns
    worth = dict[int, float]()
    for turn, each in zip(slow.turns, slow.race.worth, strict=True):
        first = slow.paths[turn][0]
        worth[first] = max(worth.get(first, -np.inf), min(each, slow.race.worth[slow.race.leader]))
    assert found.action == slow.paths[slow.turns[slow.race.leader]][0]
    plan, ahead = search.opened.in_game(seen.rules).agent.thinking.plan, seen.as_game()
    assert search.opened.in_game(seen.rules).state["planned"] > 1
    for step, action in enumerate([*slow.paths[slow.turns[slow.race.leader]], END]):
        assert plan.actions[step] == action and plan.views[step] == ahead.record
        ahead.apply(action)
    assert found.values == pytest.approx(worth) and found.value == pytest.approx(worth[found.action])


# --- importance weights ----------------------------------------------------------------------------------------------

FOUR_CARDS = make_rules("south-african", 2, rounds=5)


def watched(rules, seed, turns, seat=0):
    """Play random turns; yield each decision of the seat: what it remembers, the turns of others, the game."""
    history, game, rng = allocate(OpponentHistory), Game(rules, seed=seed), np.random.default_rng(seed)
    past: list[plain.PastTurn] = []
    begun = game.clone()
    while not game.over and game.record["turns"] < turns:
        now = game.record
        if now["turns"] != begun.record["turns"]:
            if now["stock_top"] != begun.record["stock_top"]:
                past = []
            elif begun.seat != seat and now["turns"] == begun.record["turns"] + 1:
                past.append(plain.PastTurn(begun, game.clone()))
            begun = game.clone()
        seen = observe(game, seat)
        watch(history, seen.view, seat)
        if game.seat == seat:
            yield history, past, game
        game.apply(int(rng.choice(game.legal())))


@pytest.mark.parametrize(
    ("rules", "seed"),
    [(FOUR_CARDS, 2), (FOUR_CARDS, 3), (make_rules("khasino", 4, deck=8), 2), (make_rules("swazi", 3), 1)],
)
def test_the_turns_of_others_are_remembered_until_cards_are_dealt(rules, seed):
    """With the views before and after them, and the cards that the same seat has laid since."""
    counts = set()
    for history, past, game in watched(rules, seed, 24):
        assert history.state["count"][0] == len(past)
        for k, turn in enumerate(past):
            assert history.left[k] == observe(turn.before, game.seat).view[0]
            assert history.came[k] == observe(turn.after, game.seat).view[0]
            laid = [later.laid for later in past[k:] if later.before.seat == turn.before.seat]
            assert history.laid[k] == sum(laid)
        counts.add(len(past))
    assert max(counts) > 1


@pytest.mark.parametrize(("plays", "watches", "count"), [(0, False, 1), (1, False, 0), (1, True, 1)])
def test_what_a_seat_plans_to_leave_counts_until_it_is_seen(plays, watches, count):
    """The user may play another turn, which shows in the hand."""
    history, afterstates, game = allocate(OpponentHistory), allocate(Afterstates), Game(FOUR_CARDS, seed=2)
    while game.seat:
        game.apply(game.legal()[0])
    seen = observe(game)
    watch(history, seen.view, 0)
    paths = all_turns(FOUR_CARDS, seen, afterstates)
    expect(history, seen.view[0], afterstates.records[0])
    path = next(path for path in paths if (path == paths[0]) == (plays == 0))
    plain.play_turn(game, path)
    before = observe(game, 0).view[0] if watches else afterstates.records[0].copy()
    while game.seat:
        if watches:
            watch(history, observe(game, 0).view, 0)
        game.apply(game.legal()[0])
    watch(history, observe(game).view, 0)
    assert history.state["count"][0] == count
    if count:
        assert history.left[0] == before and history.came[0] == observe(game).view[0]


@pytest.mark.parametrize(("rules", "seed"), [(FOUR_CARDS, 1), (make_rules("khasino", 4, deck=8), 2)])
def test_a_determinization_is_as_likely_as_the_turns_of_the_others_in_it(rules, seed):
    weights = untrained(rules, (8,), logits=0, scale=2.0)
    judge, policy = plain.ByTurns(weights, 0.3), make_rollout_policy(Policy(weights, temperature=0.0), rules)
    games, logs, counts = np.zeros(3, GAME), np.zeros(3), set()
    for history, past, game in watched(rules, seed, 9):
        seen = observe(game)
        counts.add(len(past))
        assert history.state["count"][0] == len(past)
        root = TurnRoot(seen.view, rules.record, seen.seat, policy.work.judged)
        assert draw_weighted(root, history, policy, np.uint64(7), 3, games, logs)
        for n, log in enumerate(logs):
            world = plain.determinization(seen, 7, 3 + n)
            assert world.record["hands"].tolist() == games["hands"][n].tolist()
            assert np.exp(log) == pytest.approx(plain.likelihood(past, world, judge), rel=1e-4)
    assert max(counts) > 1


def test_a_race_may_end_after_any_look_at_the_clock(tmp_path):
    """All games that were dealt have been counted then."""
    seen = observe(mini(1))
    search = fresh(sims=90, policy=saved(untrained(seen.rules, (4,), logits=0), tmp_path), solve=0, cut=0)
    one = search.opened.in_game(seen.rules)
    one.show(seen)
    assert begin(*one._decides) == go_on(0.0, *one._decides) == GO_ON
    race = one.agent.thinking.race.state[0]
    assert (race["dealt"], race["total"]) == (0, 16 // race["turns"])


def after_one_turn(search):
    """Let a search play until it has seen a turn of the other; return the game and this turn."""
    game = Game(FOUR_CARDS, seed=1)
    while game.seat:  # what is played before the first own decision is not seen
        game.apply(game.legal()[-1])
    while game.seat == 0:
        game.apply(search.act(observe(game)))
    before = game.clone()
    while game.seat:
        game.apply(game.legal()[-1])
    return game, [plain.PastTurn(before, game.clone())]


@pytest.mark.parametrize(("running", "weighted"), [(9, 8), (2, 8), (1, 0)])
def test_weighted_determinizations_race(running, weighted, tmp_path):
    """Half of the budget goes into them if several turns race."""
    weights = untrained(FOUR_CARDS, (8,), logits=0, scale=2.0)
    path, judge, player = saved(weights, tmp_path), plain.ByTurns(weights, 0.3), plain.ByTurns(weights)
    game, past = after_one_turn(fresh(sims=16, policy=path, solve=0, importance=0.5, cut=0))
    seen = observe(game)
    worth = sorted(player.turns(seen)[1], reverse=True)
    margin = worth[0] - sum(worth[running - 1 : running + 1]) / 2 if running < len(worth) else 1000.0
    search = fresh(sims=16, policy=path, solve=0, importance=0.5, cut=0, margin=margin)
    assert after_one_turn(search)[0].record == game.record
    search.act(seen)
    thinking = search.opened.in_game(FOUR_CARDS).agent.thinking
    slow = plain.race_turns(
        seen, search.opened._seed, 16, player, single=0, share=0.5, margin=margin,
        likelihood=lambda world: plain.likelihood(past, world, judge),
    )  # fmt: skip
    assert thinking.race.state["weighted"][0] == weighted
    assert same_race(thinking.race, slow.race)


def test_without_time_for_weights_none_are_drawn(tmp_path):
    weights = untrained(FOUR_CARDS, (8,), logits=0, scale=2.0)
    search = fresh(time=1e-6, policy=saved(weights, tmp_path), solve=0, importance=0.5, cut=0)
    game, _ = after_one_turn(search)
    assert search.act(observe(game)) in game.legal()
    race = search.opened.in_game(FOUR_CARDS).agent.thinking.race.state[0]
    assert race["weighted"] == 0 and race["total"] > 0


@pytest.mark.parametrize(("mean", "spread", "first"), [(0, 0.3, 0), (-9, 3, 0), (-90, 30, 0), (-3000, 3, -6000)])
@pytest.mark.parametrize("many", [1, 6, 100])
def test_weights_are_likelihoods_tempered_until_enough_share_them(many, mean, spread, first):
    """However small they are; they are given as logarithms."""
    weights = np.random.default_rng(1).normal(mean, spread, many)
    weights[0] += first
    expected = np.cumsum(plain.tempered(weights.tolist()))
    cumulate(weights)
    assert weights == pytest.approx(expected, abs=0.01)
    assert weights[-1] == 1.0


def test_a_turn_is_the_one_that_came_if_it_leaves_the_same():
    """Equal cards have one name."""
    names = np.zeros(1, WALK)
    find_equals(FOUR_CARDS.record[0], names["same"][0])
    came = np.zeros(1, GAME)
    came["layout"], came["piles"][0, 1], came["build_cards"][0, 9] = 1 << 5, 1 << 13, 1 << 22
    for name, place, cards, same in (
        ("layout", ..., 1 << 6, True), ("layout", ..., 1 << 4, False), ("layout", ..., 0, False),
        ("piles", 1, 1 << 15, True), ("piles", 1, 1 << 12, False), ("piles", 5, 1 << 13, False),
        ("build_cards", 9, 1 << 21, True), ("build_cards", 9, 1 << 25, False), ("build_cards", 14, 1 << 22, False),
    ):  # fmt: skip
        other = came.copy()
        other[name][(0, place)] = cards
        assert is_same(other[0], came[0], names[0]) == same, (name, place, cards)


# --- the judge of turns ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("games", "kept"), [(200, []), (200, [3]), (20, [])])
def test_turns_are_measured_against_the_best(games, kept):
    """The results of a game are added for the turns that are still measured; the last but one is clearly better."""
    rng, measured, sizes = np.random.default_rng(5), allocate(Measured), {5}
    measured.kept[kept] = 1
    begin_measuring(measured, 5, 1, games)
    slow, state = plain.Measuring(5, 1, games, kept), measured.state[0]
    while slow.done < games:
        many = games_at_once(measured)
        assert many == slow.games_at_once()
        rows = (rng.normal([0.9, -0.4, 0.8, -3.0, 1.2], 1.0, (many, 5)) + rng.normal(0.0, 3.0, (many, 1)))[
            :, slow.running
        ]
        count_games(measured, np.c_[np.zeros(rows.size), rows.ravel()], many, 1)
        slow.add(rows.tolist())
        told = slow.look_again(0.11)
        assert look_again(measured, games, 0.11, 0.25) == told
        assert measured.running[: state["running"]].tolist() == slow.running
        assert [state[name] for name in ("best", "done", "look")] == [slow.best, slow.done, slow.look]
        losses = [slow.loss(k) for k in range(5)]
        assert np.c_[measured.loss, measured.error][:5] == pytest.approx(np.array(losses))
        assert measured.sums[:5] == pytest.approx([sum(seen) for seen in slow.seen])
        sizes.add(len(slow.running))
        if told:
            break
    assert games < 32 or (slow.best == 4 and len(sizes) > 1 and slow.done > 32)


def test_few_games_of_many_turns_are_played_at_once():
    """Differences are compared when they are due."""
    measured, slow = allocate(Measured), plain.Measuring(48, 0, 32)
    begin_measuring(measured, 48, 0, 32)
    while slow.done < 32:
        many = games_at_once(measured)
        assert many == slow.games_at_once() <= 10
        rows = np.random.default_rng(slow.done).normal(-np.arange(48) / 10, 1.0, (many, 48))[:, slow.running]
        count_games(measured, rows.reshape(-1, 1), many, 0)
        slow.add(rows.tolist())
        assert look_again(measured, 32, 0.1, 0.25) == slow.look_again(0.1)
        assert measured.running[: measured.state["running"][0]].tolist() == slow.running
        assert measured.state["look"][0] == slow.look
    assert len(slow.running) < 48


def judged_by(monkeypatch, who):
    """Let this bot or policy judge."""
    known = functools.cache(lambda rules: InGame(Opening("judge", who, {}, []), rules))
    monkeypatch.setattr(advising, "_judge", known)
    return known


def all_turns(rules, seen, afterstates=None):
    """Return the actions of each complete turn. afterstates: workspace."""
    afterstates = afterstates or allocate(Afterstates)
    many, walk = afterstates_of(seen.view, rules.record, afterstates, LIMIT), afterstates.walk[0]
    return [walk["paths"][k, : walk["lengths"][k]].tolist() for k in range(many)]


def compare_judged(found, paths, value, judged, race=None):
    """Compare advice with what each turn was judged to be, and with the race that chose the best."""
    assert len(found.turns) == len(paths)
    assert race is None or same_race(advising._judge(found.observed.rules).agent.board.race, race)
    total = sum(each.chance for each in judged)
    for path, each in zip(paths, judged, strict=True):
        turn = advising.find(found, path)
        assert (turn.value, turn.loss) == pytest.approx((value - each.loss, each.loss), abs=1e-5)
        assert (turn.low, turn.high) == pytest.approx((each.loss - each.half, each.loss + each.half), abs=1e-5)
        assert turn.chance == pytest.approx(each.chance / total, abs=1e-5) and turn.games == each.games
    order = [(bool(turn.low or turn.high), turn.loss) for turn in found.turns]
    assert order == sorted(order)


def mini(plies):
    """Return a small game after some actions, in which cards are hidden still."""
    game = Game("mini-7", 2, seed=1)
    for _ in range(plies):
        game.apply(game.legal()[0])
    assert observe(game).hidden and len(game.legal()) > 1
    return game


def crowded():
    """Return a game before the last turns, in which the seat has more turns than are measured."""
    return Game.from_json(position("cassino", ["3H 5D", "9H"], layout="2C 3D 5S AH AD 2D 4D", stock="", round=6))


@pytest.mark.parametrize(("crowd", "games", "hurry"), [(False, 40, False), (False, 20, True), (True, 3, True)])
def test_turns_are_judged_by_play_outs_of_a_bot(crowd, games, hurry, monkeypatch):
    judged_by(monkeypatch, BOTS["random"])
    seen = observe(crowded() if crowd else mini(1))
    paths = all_turns(seen.rules, seen)
    found = advising.advise(seen, games=games, seconds=1e-9 if hurry else 600.0, seed=3)
    assert found.by == "play-outs" and (len(paths) > 24) == crowd
    slow = plain.judge_turns(seen, 3, games, 0.1, plain.ByBot("random"), paths, [0.0] * len(paths), hurry=hurry)
    compare_judged(found, paths, *slow)


@pytest.mark.parametrize(
    ("hands", "layout", "asks"),
    [(["3H 5D", "9H 4C"], "2C 3D 5S AH", False), (["3H 5D", "9H 4C"], "2C 3D 5S AH", True),
     (["3H 5D 9S", "9H 4C TD"], "5S", False)],
)  # fmt: skip
def test_turns_are_judged_by_play_outs_of_a_policy(hands, layout, asks, monkeypatch):
    """It measures the eight turns that it likes best, and those that are asked for; with more cards play-outs do not
    come to the end."""
    game = Game.from_json(position("cassino", hands, layout=layout, stock="", round=6))
    weights = untrained(game.rules, (4,), logits=0, scale=4.0)
    judged_by(monkeypatch, Policy(weights, temperature=0.0))
    seen, player = observe(game), plain.ByTurns(weights)
    paths, worth, _ = player.turns(seen)
    assert seen.hidden and (len(paths) > 9 or len(hands[0]) > 5)
    asked = [worth.index(min(worth))] if asks else []
    found = advising.advise(seen, also=[paths[k] for k in asked], games=1, seconds=600.0, seed=3, rounds=1)
    slow = plain.judge_turns(seen, 3, 1, 0.1, player, paths, worth, asked, rounds=1, spread=0.15)
    compare_judged(found, paths, *slow)


# --- all cards known -------------------------------------------------------------------------------------------------


def known():
    """Return a small game in which all cards are known, its turns and what each is worth: by minimax."""
    game = Game("mini-7", 2, seed=1)
    while observe(game).hidden:
        game.apply(game.legal()[0])
    paths, values, side = all_turns(game.rules, observe(game)), [], game.rules.side(game.seat)
    for path in paths:
        after = game.clone()
        plain.play_turn(after, path)
        values.append((1 - 2 * side) * minimax(after, {}))
    assert len(set(values)) > 1 and len(paths) > 5
    return game, paths, values


@pytest.mark.parametrize("asks", [False, True])
def test_known_cards_are_judged_by_the_solver(asks, monkeypatch):
    judged_by(monkeypatch, BOTS["random"])
    game, paths, values = known()
    asked = [paths[values.index(min(values))]] if asks else []
    found = advising.advise(observe(game), also=asked, seconds=600.0)
    best = max(values)
    judged = [plain.Judged(best - value, 0.0, float(value == best), 0) for value in values]
    assert found.by == "solver"
    compare_judged(found, paths, best, judged)


@pytest.mark.parametrize("ends", [False, True])
def test_known_cards_are_judged_by_looking_ahead(ends, monkeypatch):
    """With time to the end of the deal; else two turns deep, as the policy plays."""
    game, paths, values = known()
    weights = untrained(game.rules, (8,), logits=0, scale=2.0)
    judged_by(monkeypatch, Policy(weights, temperature=0.0, turns=2, width=64))
    player, doubt = plain.ByTurns(weights), 0.15 if ends else 0.4 * 2.0
    for k, path in enumerate(paths):
        after = game.clone()
        plain.play_turn(after, path)
        if not ends and not after.over:
            values[k] = player.value(after)[game.rules.side(game.seat)]
    found = advising.advise(observe(game), seconds=600.0 if ends else 1e-9, games=99, solve=False)
    best = max(values)
    judged = [
        plain.Judged(
            best - value, 1.96 * doubt * (k != values.index(best)), np.exp((value - best) / max(0.2, doubt)), 0
        )
        for k, value in enumerate(values)
    ]
    assert found.by == "look-ahead"
    compare_judged(found, paths, best, judged)


@pytest.mark.parametrize("network", [False, True])
def test_known_cards_are_judged_by_play_outs_where_nobody_looks_ahead(network, monkeypatch):
    """Bots err there by much."""
    game, paths, _ = known()
    weights, seen, worth = untrained(game.rules, (8,), logits=0, scale=2.0), observe(game), [0.0] * len(paths)
    judged_by(monkeypatch, Policy(weights, temperature=0.0) if network else BOTS["greedy"])
    by_turns = plain.ByTurns(weights)
    paths, worth = by_turns.turns(seen)[:2] if network else (paths, worth)
    player = by_turns if network else plain.ByBot("greedy")
    found, spread = advising.advise(seen, games=1, seconds=600.0, seed=3, solve=False), 0.4 * 2.0 if network else 5.0
    assert found.by == "play-outs"
    compare_judged(found, paths, *plain.judge_turns(seen, 3, 1, 0.1, player, paths, worth, spread=spread))


def test_a_turn_that_is_the_only_one_loses_nothing(monkeypatch):
    game = Game("mini-7", 2, seed=1, skip_forced=False)
    while observe(game).hidden or len(all_turns(game.rules, observe(game))) > 1:
        game.apply(game.legal()[0])
    judged_by(monkeypatch, Policy(untrained(game.rules, (8,), logits=0), temperature=0.0, turns=3))
    (turn,) = advising.advise(observe(game), games=3, seconds=600.0, solve=False).turns
    assert (turn.loss, turn.low, turn.high, turn.chance, turn.games) == (0.0, 0.0, 0.0, 1.0, 3)


def test_play_outs_judge_where_the_order_of_a_pile_decides(monkeypatch):
    """The solver gives up, because it finds other values for other orders."""
    judged_by(monkeypatch, BOTS["random"])
    game, rng = Game("swazi", 2, seed=291), np.random.default_rng(291)
    while sum(int(hand).bit_count() for hand in game.record["hands"]) > 3 or game.record["round"] == 1:
        game.apply(int(rng.choice(game.legal())))
    seen = observe(game)
    assert not seen.hidden and seen.view["shuffled"][0]
    found, paths = advising.advise(seen, games=4, seconds=600.0, seed=3), all_turns(game.rules, seen)
    assert found.by == "play-outs"
    slow = plain.judge_turns(seen, 3, 4, 0.1, plain.ByBot("random"), paths, [0.0] * len(paths), spread=5.0)
    compare_judged(found, paths, *slow)


def board_of(**columns):
    """Return a board of turns with these columns."""
    board, many = allocate(Board, racers=1, games=1, weighted=0), len(next(iter(columns.values())))
    board.state["turns"], board.state["scale"] = many, 2.0
    for name, column in columns.items():
        board.turns[name][:many] = column
    return board


@pytest.mark.parametrize("values", [[3.0, 1.0, 2.0], [1.0, 3.0, np.nan], [np.nan, 3.0, 3.0], [np.nan, 1.0, 3.0]])
def test_turns_that_the_solver_has_not_valued_are_in_doubt(values):
    worth = [0.7, 0.5, 0.9]
    board = board_of(value=values, worth=worth)
    conclude_solved(board)
    best = values.index(3.0)
    for value, mine, turn in zip(values, worth, board.turns, strict=False):
        loss = max(worth[best] - mine, 0.0) if np.isnan(value) else 3.0 - value
        half = max(loss, 1.96 * 0.4 * 2.0) if np.isnan(value) else 0.0
        told = [turn[name] for name in ("value", "loss", "low", "high", "chance")]
        assert told == pytest.approx([3.0 - loss, loss, loss - half, loss + half, (value == 3.0) / values.count(3.0)])


def test_turns_are_sorted_by_what_is_sure_then_by_loss_then_by_liking():
    rows = [(0.5, 0.4, 0.6, 9.0), (0.0, -1.0, 1.0, 0.1), (0.0, -1.0, 1.0, 0.3), (0.0, 0.0, 0.0, 0.2), (-0.2, -1, 1, 0)]
    board = board_of(**dict(zip(("loss", "low", "high", "worth"), zip(*rows, strict=True), strict=True)))
    board.turns["chance"][:5] = 2.0
    conclude(board, 1)
    assert board.order[:5].tolist() == [3, 4, 2, 1, 0]
    assert (board.turns["chance"][:5] == 0.2).all() and board.state["by"][0] == 1


@pytest.mark.parametrize(("listed", "asked", "place"), [(3, [0, 0, 0], 3), (MOST, [0, 0, 1], MOST - 2)])
def test_a_turn_that_is_asked_for_is_put_among_the_others(listed, asked, place):
    """It takes the place of the last turn that is not asked for if there is no other."""
    board, walk = board_of(worth=np.linspace(-2.0, -1.0, listed)), np.zeros(1, WALK)
    board.turns["number"][:listed], board.turns["asked"][listed - 3 : listed] = range(listed), asked
    actions = [7, END, 9, END]
    board.turns["actions"][MOST, :4], board.turns["long"][MOST] = actions, 4
    found = put_among(board, walk[0], listed, 5)
    new = board.turns[place]
    number = place if listed < MOST else MOST - 2
    assert (found, board.state["turns"][0]) == (min(listed + 1, MOST), min(listed + 1, MOST))
    assert (new["number"], new["worth"], new["asked"], new["long"]) == (number, -1.0, 5, 4)
    assert walk["lengths"][0, number] == 2 and walk["paths"][0, number, :2].tolist() == [7, 9]


def test_a_search_of_known_cards_is_exact(tmp_path):
    """With time; else it looks as far as the policy does."""
    game, paths, values = known()
    path = saved(untrained(game.rules, (8,), logits=0, scale=2.0), tmp_path)
    seen, best = observe(game), max(values)
    search = fresh(sims=4000, policy=path, solve=0)
    found = search.analyse(seen)
    levels = search.opened.in_game(game.rules).agent.thinking.levels
    assert found.value == pytest.approx(best) and levels.state["open"][0] == 0
    assert found.action in {path[0] for path, value in zip(paths, values, strict=True) if value == best}
    search = fresh(sims=1, policy=path, solve=0)
    search.act(seen)
    levels, budget = (getattr(search.opened.in_game(game.rules).agent.thinking, name) for name in ("levels", "budget"))
    assert levels.state["steps"][0] == 1 and budget["done"][0] == 1 and levels.state["open"][0] > 0


# --- views that no game agrees with ----------------------------------------------------------------------------------


def impossible(seen):
    seen.view["hidden_hand"][0, 1 - seen.seat] += 30
    return seen


@pytest.mark.parametrize("network", [False, True])
def test_no_search_begins_where_no_game_agrees_with_the_view(network, tmp_path, monkeypatch):
    seen = impossible(observe(mini(1)))
    weights = untrained(seen.rules, (4,), logits=0)
    judged_by(monkeypatch, Policy(weights, temperature=0.0) if network else BOTS["random"])
    search = fresh(sims=8, solve=0, **({"policy": saved(weights, tmp_path)} if network else {}))
    for ask in (search.act, advising.advise):
        with pytest.raises(NoDeterminizationError):
            ask(seen)
