"""What a seat can deduce: the chances that others hold a card, possible captures, counts of cards."""

import math
from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_vec, observe
from casino_env.actions import CAPTURE
from casino_env.cards import CARDS, cards_of, deck_cards
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, Afterstates, afterstates_of
from casino_env.engine.state import IDLE, OVER
from casino_env.knowledge.layout import BEST_CARDS, BEST_POINTS, CHANCES, LEAD, REACH_CARDS, make_layout
from casino_env.rules import Rules
from tests.random_play import every_game, label, random_decisions, random_moments

GAMES = every_game()
OPEN = [rules for rules in GAMES if rules.stacking not in ("face_down", "secret")]  # piles that everybody knows


def reach(game: Game):
    layout = make_layout(game.rules)
    return layout.split(observe(game).encode(layout))


def hidden_from(game: Game) -> list[int]:
    """Return the cards whose place the seat does not know."""
    view = observe(game).view[0]
    seen = int(view["layout"])
    for cards in [*view["hands"], *view["piles"], *view["build_cards"]]:
        seen |= int(cards)
    return [card for card in deck_cards(game.rules.deck) if not seen >> card & 1]


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_nothing_is_written_twice(rules):
    """A list of features is a set: equal builds share one feature."""
    vec = make_vec(rules, rules.players, 16, seed=2, obs="indices")
    lists, *_ = vec.reset()
    for _ in range(12):
        for listed, dense in zip(lists, vec.dense(), strict=True):
            assert np.array_equal(np.sort(listed[listed < vec.layout.size]), dense.nonzero()[0])
        lists, *_ = vec.step(vec.sample())


@pytest.mark.parametrize("rules", OPEN, ids=label)
def test_ranks_that_have_not_been_seen_are_counted(rules):
    for game in random_decisions(rules, 8, seed=3):
        seen, hidden = reach(game)["unseen"], hidden_from(game)
        for rank, row in enumerate(seen):
            left = sum(card >> 2 == rank for card in hidden)
            assert row.sum() == (left > 0) and (not left or row[left - 1])


@pytest.mark.parametrize("rules", OPEN, ids=label)
def test_chances_are_those_of_drawing_a_hand(rules):
    """Chances are hypergeometric, in five levels; a known card is certain. Values known from builds are skipped."""
    for game in random_decisions(rules, 8, seed=4):
        holds, view = reach(game)["holds"], observe(game).view[0]
        hidden = hidden_from(game)
        for ahead in range(1, rules.players):
            seat = (game.seat + ahead) % rules.players
            known, drawn = int(view["hands"][seat]), int(view["hidden_hand"][seat])
            bound = int(view["owned"][seat] | view["proven"][seat])
            for value in range(1, len(holds[ahead]) + 1):
                if bound >> value & 1:
                    continue
                rank = (value - 1) % 13  # an ace as 14 too
                left = sum(card >> 2 == rank for card in hidden)
                missed = math.comb(len(hidden) - left, drawn) / math.comb(len(hidden), drawn)
                sure = any(card >> 2 == rank for card in cards_of(known))
                chance = 100 if sure else int(100 * (1 - missed) + 1e-9)
                level = 4 if chance == 100 else sum(chance > bar for bar in (20, 45, 70))
                want = np.zeros(CHANCES, int)
                want[level] = chance > 0
                assert holds[ahead, value - 1].tolist() == want.tolist()


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_what_is_said_to_be_taken_can_be(rules):
    """One turn of the seat takes it, and mostly no capture with a card of that value takes more."""
    told = right = 0
    for game in random_moments(rules, 40, seed=5):
        record = game.record
        if game.over or record["mode"] != IDLE or record["acted"]:
            continue
        seen, most = reach(game), _most_taken(game)
        for value in range(1, len(seen["threats"][0]) + 1):
            features = np.argwhere(seen["threats"][0, value - 1])
            if not len(features) or value == 14:
                continue
            cards = int(features[0][2])  # classes: 1, 2, 3 or 4, more cards
            if value not in most:  # the capture ends the deal, or another seat has to answer
                continue
            best = most[value]
            told += 1
            right += cards == min(max(best, 1) - 1, 2 if best < 5 else REACH_CARDS - 1)
    assert told == 0 or right >= 0.9 * told


def _most_taken(game: Game) -> dict[int, int]:
    """Map the value of the capturing card to the most cards that a turn takes with it, not counting itself."""
    most: dict[int, int] = {}
    afterstates, before = allocate(Afterstates), _ours(game.record, game.rules, game.seat)
    for k in range(afterstates_of(observe(game).view, game.rules_record, afterstates, LIMIT)):
        action, table = int(afterstates.walk["paths"][0, k, 0]), afterstates.records[k]
        if CAPTURE <= action < CAPTURE + CARDS and table["mode"] != OVER:
            value = (action - CAPTURE >> 2) + 1
            taken = (_ours(table, game.rules, game.seat) & ~before).bit_count() - 1
            most[value] = max(most.get(value, 0), taken)
    return most


def _ours(record: Any, rules: Rules, seat: int) -> int:
    """Return the cards in all piles of the seat's side, as a bitmask."""
    return sum(int(record["piles"][other]) for other in range(seat % rules.sides, rules.players, rules.sides))


@pytest.mark.parametrize("rules", GAMES, ids=label)
@pytest.mark.parametrize("memory", ["perfect", "none"])
def test_the_lead_is_in_cards(rules, memory):
    """Captured cards are counted whether they are remembered or not."""
    layout = make_layout(rules)
    for game in random_decisions(rules, 6, seed=6):
        taken = [0] * rules.sides
        for seat in range(rules.players):
            taken[seat % rules.sides] += int(game.record["piles"][seat]).bit_count()
        mine = taken.pop(game.seat % rules.sides)
        lead = layout.split(observe(game, memory=memory).encode(layout))["lead"]
        assert lead.sum() == 1 and lead.argmax() == max(-LEAD, min(LEAD, mine - max(taken))) + LEAD


def test_the_best_is_a_thermometer():
    for rules in GAMES[:6]:
        for game in random_moments(rules, 6, seed=7):
            if not game.over:
                best = reach(game)["best"]
                for part in np.split(best, [BEST_POINTS, BEST_POINTS + BEST_CARDS])[:2]:
                    assert (np.diff(part) <= 0).all()
