"""What the other has done: it is remembered until cards are dealt, and says something about its hand."""

from copy import deepcopy

import numpy as np
import pytest

from agents.policy.agent import make_policy
from agents.search import Search
from agents.search.budget import Budget
from agents.search.past import Past
from agents.search.race import Start
from agents.search.turns import TurnSearch
from agents.search.weighing import draw_weighed
from casino_env import Game, observe
from casino_env.cards import parse_card
from casino_env.engine.state import GAME

SIMS = 1000  # from which on worlds are weighed


def thinking(game, seat=0):
    """A search on one seat, and the policy that it thinks with on the others: before every decision of the search that
    may be weighed, all it has seen."""
    name = f"{game.rules.name}-{game.rules.players}"
    search, policy = Search(sims=24, policy=name, solve=0, past=0.25), make_policy(name)
    search.reset(seat, np.random.default_rng(5))
    while not game.over:
        seen = observe(game)
        if seen.seat == seat:
            action = search.act(seen)
            yield search._thinker, seen
        else:
            action = policy.act(seen)
        game.apply(action)


def test_hands_by_which_the_other_would_have_played_so_are_drawn_more_often():
    """Among the drawn hands of the other, those that share cards with the hand that it has."""
    gains = []
    for seed in range(4):
        game = Game("south-african", 2, seed=seed)
        for thinker, seen in thinking(game):
            if not thinker._past.turns.left.shape[0]:
                continue
            fit = thinker._fit(seen.rules)
            start = Start(seen.view, fit.rules, seen.seat, fit.levels.judged)
            drawn = thinker._drawn(start, Budget(SIMS, 0.0), np.uint64(7), fit)
            assert drawn.likely[-1] == 1.0
            assert SIMS / 4 <= len(drawn.worlds) < SIMS / 2
            truth = int(game.record["hands"][1])
            shared = np.array([(int(hand) & truth).bit_count() for hand in drawn.worlds["hands"][:, 1]])
            gains.append(np.diff(drawn.likely, prepend=0.0) @ shared - shared.mean())
    assert len(gains) > 20
    assert np.mean(gains) > 2 * np.std(gains) / len(gains) ** 0.5


def test_equal_cards_are_not_told_apart():
    """What the other holds beside the five that it has laid down does not depend on which of two equal fives it was."""
    game, search = Game("south-african", 2, seed=3), Search(policy="south-african-2", sims=24)
    search.reset(0, np.random.default_rng(1))
    while game.seat == 0:
        game.apply(search.act(observe(game)))
    assert isinstance(search._thinker, TurnSearch)
    past, holds = search._thinker._past, []
    for card, mate in (("5H", "5C"), ("5C", "5H")):
        after, thinker = game.clone(), search._thinker
        thinker._past = deepcopy(past)
        after.apply(f"discard {card}")
        seen = observe(after)
        thinker._past.look(seen)
        assert len(thinker._past.turns.left) == 1
        fit, worlds, weights = thinker._fit(seen.rules), np.zeros(3000, GAME), np.zeros(3000)
        start = Start(seen.view, fit.rules, 0, fit.levels.judged)
        assert draw_weighed(start, thinker._past.turns, fit.players[0], np.uint64(5), 0, worlds, weights)
        likely = np.exp(weights)
        holds.append(likely @ (worlds["hands"][:, 1] >> parse_card(mate) & 1) / likely.sum())
    assert holds[0] == pytest.approx(holds[1], abs=0.1)


def test_the_same_budget_plays_the_same_game():
    """With worlds that are weighed as well."""
    played = []
    for threads in (1, 2):
        game, search = Game("khasino", 2, seed=4), Search(sims=64, past=0.5, policy="khasino-2", threads=threads)
        search.reset(0, np.random.default_rng(1))
        other = make_policy("khasino-2")
        while not game.over:
            game.apply((search if game.seat == 0 else other).act(observe(game)))
        played.append(game.record.tobytes())
    assert played[0] == played[1]


def test_every_turn_of_the_other_is_remembered_until_cards_are_dealt():
    """And what it began from is what it left when the seat looked again, but for its own turn."""
    counted, deal = [], 0
    for thinker, seen in thinking(Game("south-african", 2, seed=3)):
        turns, now = thinker._past.turns, seen.view[0]
        assert np.array_equal(turns.came["turns"], turns.left["turns"] + 1)
        assert (turns.left["hidden_stock"] == now["hidden_stock"]).all()
        counted.append(len(turns.left))
        deal += now["hidden_stock"] > 0
    assert max(counted[:deal]) >= 5
    assert counted[0] == counted[-1] == 0


def test_an_agent_that_goes_on_with_another_game_mixes_nothing_up():
    """Though nobody tells it that it is another one."""
    moments = thinking(Game("south-african", 2, seed=5))
    thinker = next(thinker for thinker, _ in moments if len(thinker._past.turns.left) > 2)
    another = [seen for _, seen in thinking(Game("south-african", 2, seed=6))]
    thinker._past.look(another[5])
    assert not len(thinker._past.turns.left)


@pytest.mark.parametrize(("variant", "players"), [("swazi", 3), ("khasino", 4)])
def test_turns_that_were_not_seen_apart_are_not_remembered(variant, players):
    past, game = Past(), Game(variant, players, seed=1)
    while not game.over:
        seen = observe(game)
        past.look(seen)
        past.leave(seen.seat, seen.view[0])
        assert not len(past.turns.left)
        game.apply(game.legal()[0])


def test_another_seat_knows_nothing_of_it():
    """One agent that plays on both seats does not tell one what it saw from the other."""
    game = Game("south-african", 2, seed=2)
    for thinker, _ in thinking(game):
        if len(thinker._past.turns.left):
            thinker._past.look(observe(game, 1))
            assert not len(thinker._past.turns.left)
            return
    raise AssertionError("nothing was remembered")
