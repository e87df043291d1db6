"""Opponents' turns: remembered until cards are dealt, and evidence about the hands that they hold."""

import itertools
from copy import deepcopy

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.agents.search.horizon import NEVER
from casino_env.agents.search.importance_weights import OpponentHistory, cumulate, draw_weighted, expect, watch
from casino_env.agents.search.racing import IN_HEATS, Race, TurnRoot, add_games, next_heat, start_race
from casino_env.agents.search.rollouts import make_rollout_policy
from casino_env.agents.search.search_agent import Search
from casino_env.agents.search.search_settings import SearchSettings
from casino_env.cards import parse_card
from casino_env.compiler.types import allocate
from casino_env.engine.state import GAME, rules_record


def thinking(game, seat=0):
    """Yield (search, observation) at each decision of a search on one seat; the policy of its play-outs plays the other
    seats. Where more than two play, the search also watches them."""
    name = f"{game.rules.name}-{game.rules.players}"
    search, policy = Search(sims=24, policy=name, solve=0, importance=0.25), make_policy(name)
    search.reset(seat, np.random.default_rng(5))
    while not game.over:
        seen = observe(game)
        if seen.seat == seat:
            action = search.act(seen)
            yield search, seen
        else:
            if game.rules.players > 2:  # with two, the observations of its own turns are enough
                search.watch(observe(game, seat))
            action = policy.act(seen)
        game.apply(action)


def history_of(search, rules):
    return search.opened.in_game(rules).agent.thinking.history


def turns_of(search, seen):
    """Return (number of others' turns remembered, tables they began from, tables they left, cards laid)."""
    history = history_of(search, seen.rules)
    count = int(history.state["count"][0])
    return count, history.left[:count], history.came[:count], history.laid[:count]


def drawn_games(search, seen, many, seed=7):
    """Return determinizations and the logarithms of their likelihoods."""
    agent, games, weights = search.opened.in_game(seen.rules).agent, np.zeros(many, GAME), np.zeros(many)
    root = TurnRoot(seen.view, agent.about.rules, seen.seat, agent.thinking.levels.judged)
    policy = make_rollout_policy(search.opened.opening.who, seen.rules)._replace(work=agent.work)
    assert draw_weighted(root, agent.thinking.history, policy, np.uint64(seed), 0, games, weights)
    return games, weights


@pytest.mark.parametrize(("variant", "players", "deals", "sims"), [("south-african", 2, 4, 1000), ("swazi", 3, 2, 400)])
def test_hands_by_which_others_would_have_played_so_are_drawn_more_often(variant, players, deals, sims):
    """Weighted determinizations share more cards with the true hands."""
    gains = []
    for seed in range(deals):
        game = Game(variant, players, seed=seed)
        for search, seen in thinking(game):
            if not turns_of(search, seen)[0]:
                continue
            games, chances = drawn_games(search, seen, sims // 4)
            cumulate(chances)
            assert chances[-1] == 1.0
            right = (games["hands"][:, 1:] & game.record["hands"][1:]).tolist()
            shared = np.array([sum(hand.bit_count() for hand in hands) for hands in right])
            gains.append(np.diff(chances, prepend=0.0) @ shared - shared.mean())
    assert len(gains) > 20
    assert np.mean(gains) > 2 * np.std(gains) / len(gains) ** 0.5


def test_equal_cards_are_not_told_apart():
    """After a five is laid, what the other may hold does not depend on which of two equal fives it was."""
    game, search = Game("south-african", 2, seed=3), Search(policy="south-african-2", sims=24)
    search.reset(0, np.random.default_rng(1))
    while game.seat == 0:
        game.apply(search.act(observe(game)))
    history, holds = history_of(search, game.rules), []
    before = deepcopy(history)
    for card, mate in (("5H", "5C"), ("5C", "5H")):
        for part, was in zip(history, before, strict=True):
            part[:] = was
        after = game.clone()
        after.apply(f"discard {card}")
        seen = observe(after)
        search.watch(seen)
        assert turns_of(search, seen)[0] == 1
        games, weights = drawn_games(search, seen, 3000, seed=5)
        likely = np.exp(weights)
        holds.append(likely @ (games["hands"][:, 1] >> parse_card(mate) & 1) / likely.sum())
    assert holds[0] == pytest.approx(holds[1], abs=0.1)


def test_the_same_budget_plays_the_same_game():
    """This holds for weighted determinizations, too."""
    played = []
    for threads in (1, 2):
        game, search = Game("khasino", 2, seed=4), Search(sims=64, importance=0.5, policy="khasino-2", threads=threads)
        search.reset(0, np.random.default_rng(1))
        other = make_policy("khasino-2")
        while not game.over:
            game.apply((search if game.seat == 0 else other).act(observe(game)))
        played.append(game.record.tobytes())
    assert played[0] == played[1]


def test_a_turn_that_may_have_been_overlooked_says_nothing():
    """On a crowded table not all turns are tried: a turn that was not found makes no world unlikely."""
    search, seen = next(moment for moment in thinking(Game("swazi", 3, seed=6)) if turns_of(*moment)[0])
    weights = drawn_games(search, seen, 60, seed=5)[1]
    assert search.opened.in_game(seen.rules).agent.work.judged.afterstates.walk["cut"][0]
    assert (weights == np.median(weights)).sum() > 50  # a turn that is not found is no evidence
    assert weights.min() > np.log(0.004)  # that is the value for a turn that surely is none of those found


def test_few_worlds_never_have_nearly_all_the_weight():
    """If enough worlds share the weight, each keeps its own."""
    rng = np.random.default_rng(1)
    mild, wild, one = rng.normal(size=100), 30.0 * rng.normal(size=100), np.array([-3.0])
    ranks, likely = np.argsort(wild), np.exp(mild) / np.exp(mild).sum()
    for weights in (mild, wild, one):
        cumulate(weights)
    assert np.diff(mild, prepend=0.0) == pytest.approx(likely)
    chances = np.diff(wild, prepend=0.0)
    assert 14 < chances.sum() ** 2 / (chances**2).sum() < 20
    assert (np.argsort(chances)[-10:] == ranks[-10:]).all()
    assert one.tolist() == [1.0]


def test_worlds_are_weighed_where_there_is_time_for_it():
    assert [SearchSettings(time=time).resolved().importance for time in (0.05, 0.1, 1.0)] == [0.0, 0.25, 0.25]
    assert SearchSettings(time=0.01, importance=0.5).resolved().importance == 0.5


def test_every_turn_of_others_is_remembered_until_cards_are_dealt():
    """So are the cards that they have laid since."""
    for search, seen in thinking(Game("swazi", 3, seed=3)):
        (_, left, _, all_laid), now = turns_of(search, seen), seen.view[0]
        assert now["deals"] == 0
        others = [turn["to_move"] for turn in left]
        assert others == [1, 2] * (int(now["turns"]) // 3)
        for seat in (1, 2):
            laid = [int(cards) for cards, who in zip(all_laid, others, strict=True) if who == seat]
            assert [cards.bit_count() for cards in laid] == list(range(len(laid), 0, -1))
            assert all(more & fewer == fewer for more, fewer in itertools.pairwise(laid))


def test_every_turn_of_the_other_is_remembered_until_cards_are_dealt():
    """The table after the other's turn is one turn later than the table before it."""
    counted, deal = [], 0
    for search, seen in thinking(Game("south-african", 2, seed=3)):
        (count, left, came, _), now = turns_of(search, seen), seen.view[0]
        assert np.array_equal(came["turns"], left["turns"] + 1)
        assert (left["hidden_stock"] == now["hidden_stock"]).all()
        counted.append(count)
        deal += now["hidden_stock"] > 0
    assert max(counted[:deal]) >= 5
    assert counted[0] == counted[-1] == 0


def test_an_agent_that_goes_on_with_another_game_mixes_nothing_up():
    """Nobody tells it that the game is another one."""
    moments = thinking(Game("south-african", 2, seed=5))
    search = next(search for search, seen in moments if turns_of(search, seen)[0] > 2)
    another = [seen for _, seen in thinking(Game("south-african", 2, seed=6))]
    search.watch(another[5])
    assert not turns_of(search, another[5])[0]


@pytest.mark.parametrize(("variant", "players"), [("swazi", 3), ("khasino", 4)])
def test_turns_that_were_not_seen_apart_are_not_remembered(variant, players):
    history, game = allocate(OpponentHistory), Game(variant, players, seed=1)
    while not game.over:
        seen = observe(game)
        watch(history, seen.view, seen.seat)
        expect(history, seen.view[0], seen.view[0])
        assert not history.state["count"][0]
        game.apply(game.legal()[0])


def test_another_seat_knows_nothing_of_it():
    """An agent that plays both seats does not use on one seat what it saw from the other."""
    game = Game("south-african", 2, seed=2)
    for search, seen in thinking(game):
        if turns_of(search, seen)[0]:
            search.watch(observe(game, 1))
            assert not turns_of(search, seen)[0]
            return
    raise AssertionError("nothing was remembered")


# --- races: how determinizations choose the winner, and how far they are played --------------------------------------


def race_between(worth):
    """Start a race of turns with these expected values."""
    race = allocate(Race, racers=len(worth), games=1000, weighted=0)
    race.worth[:] = worth
    start_race(race, len(worth), 0.5, IN_HEATS)
    return race


def add(race, results):
    """Add games. results: the result of every turn in each game, of which only the running turns are used."""
    rules, running = rules_record(make_rules("khasino", 2)), race.running[: race.state["running"][0]]
    race.state["dealt"] = len(results)
    race.rollouts.result[: results.shape[0] * len(running), 0] = results[:, running].ravel()
    add_games(race, rules[0], 0)


def those_that_run(race):
    return race.running[: race.state["running"][0]].tolist()


def test_the_race_is_won_by_what_worlds_show():
    """A world's common level cancels out; prior expectations count as long as few worlds are known."""
    rng = np.random.default_rng(5)
    race = race_between([1.0, 0.8, 0.0, -2.0])
    truth = np.array([0.5, 1.5, 0.0, -2.0])
    for _ in range(60):
        level = rng.normal(0.0, 4.0, (2, 1))
        add(race, truth + level + rng.normal(0.0, 0.7, (2, 4)))
    assert race.state["leader"][0] == 1 and those_that_run(race) == [1]
    assert race.worth[1] - race.worth[0] > 0.3


def test_a_few_worlds_do_not_outweigh_a_clear_expectation():
    race = race_between([3.0, 0.0])
    add(race, np.array([[0.0, 3.0], [6.0, 0.5]]))
    assert race.state["leader"][0] == 0 and those_that_run(race) == [0, 1]


def test_what_an_early_heat_doubts_a_later_one_decides():
    """A turn that is behind by less than the doubt is never eliminated; worlds played further can turn the race."""
    race = race_between([0.5, 0.0, -3.0])
    next_heat(race, 2, 0)
    assert race.state["doubt"][0] == 0.3
    for _ in range(100):
        add(race, np.array([[1.0, 0.5, -3.0], [2.0, 1.5, -2.0]]))
    assert race.state["leader"][0] == 0 and those_that_run(race) == [0, 1]
    before = race.worth.copy()
    next_heat(race, 2, 0)
    next_heat(race, 2, 0)
    assert (race.state["games"][0], race.state["total"][0]) == (0, 200) and np.array_equal(race.worth, before)
    assert race.state["doubt"][0] == 0.1
    for _ in range(100):
        add(race, np.array([[1.0, 2.0, 0.0], [2.0, 3.0, 0.0]]))
    assert race.state["leader"][0] == 1 and those_that_run(race) == [1]


@pytest.mark.parametrize(
    ("players", "single", "horizon", "cuts"),
    [(3, IN_HEATS, 0, [5, 11, 23]), (2, 0, 1, [0]), (2, IN_HEATS, 1, [NEVER] * 2)],
)
def test_heats_are_played_further_and_further_unless_it_is_said_how_far(players, single, horizon, cuts):
    race = race_between([1.0, 0.0])
    race.state["single"] = single
    for cut in cuts:
        next_heat(race, players, horizon)
        assert race.state["cut"][0] == cut
