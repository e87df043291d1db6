"""What a seat can work out: chances as of drawing cards, captures that can be made, counts of cards."""

import math
from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_rules, make_vec, observe
from casino_env.actions import CAPTURE
from casino_env.cards import CARDS, cards_of, deck_cards, parse_card
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, Afterstates, afterstates_of
from casino_env.engine.state import IDLE, OVER
from casino_env.knowledge.layout import BEST_CARDS, BEST_POINTS, CHANCES, LEAD, REACH_CARDS, make_layout
from casino_env.rules import Rules
from tests.hidden import encoded
from tests.random_play import every_game, label, random_decisions, random_moments

GAMES = every_game()
OPEN = [rules for rules in GAMES if rules.stacking not in ("face_down", "secret")]  # piles that everybody knows


def reach(game: Game):
    layout = make_layout(game.rules)
    return layout.split(observe(game).encode(layout))


def hidden_from(game: Game) -> list[int]:
    """The cards whose place the seat does not know."""
    view = observe(game).view[0]
    seen = int(view["layout"])
    for cards in [*view["hands"], *view["piles"], *view["build_cards"]]:
        seen |= int(cards)
    return [card for card in deck_cards(game.rules.deck) if not seen >> card & 1]


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_nothing_is_written_twice(rules):
    """A list of features is a set: builds that are alike are one feature."""
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
    """Hypergeometric, in five levels; where builds say more, sure stays sure."""
    for game in random_decisions(rules, 8, seed=4):
        holds, view = reach(game)["holds"], observe(game).view[0]
        hidden = hidden_from(game)
        for ahead in range(1, rules.players):
            seat = (game.seat + ahead) % rules.players
            known, drawn = int(view["hands"][seat]), int(view["hidden_hand"][seat])
            bound = int(view["owned"][seat] | view["proven"][seat])
            for value in range(1, len(holds[ahead]) + 1):
                if value == 14 or bound >> value & 1:
                    continue
                left = sum(card >> 2 == value - 1 for card in hidden)
                missed = math.comb(len(hidden) - left, drawn) / math.comb(len(hidden), drawn)
                sure = any(card >> 2 == value - 1 for card in cards_of(known))
                chance = 100 if sure else int(100 * (1 - missed) + 1e-9)
                level = 4 if chance == 100 else sum(chance > bar for bar in (20, 45, 70))
                want = np.zeros(CHANCES, int)
                want[level] = chance > 0
                assert holds[ahead, value - 1].tolist() == want.tolist()


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_what_is_said_to_be_taken_can_be(rules):
    """By one turn of the seat; and mostly it is as much as any capture with a card of that value takes."""
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
            cards = int(features[0][2])  # 1, 2, 3 or 4, more
            if value not in most:  # the deal ends with it, or it needs an answer of somebody else
                continue
            best = most[value]
            told += 1
            right += cards == min(max(best, 1) - 1, 2 if best < 5 else REACH_CARDS - 1)
    assert told == 0 or right >= 0.9 * told


def _most_taken(game: Game) -> dict[int, int]:
    """By the value of the card that captures: how many cards the turns take at most, itself aside."""
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
    """The cards of the side, in whosever pile."""
    return sum(int(record["piles"][other]) for other in range(seat % rules.sides, rules.players, rules.sides))


@pytest.mark.parametrize("rules", OPEN, ids=label)
def test_the_lead_is_in_cards(rules):
    for game in random_decisions(rules, 6, seed=6):
        taken = [0] * rules.sides
        for seat in range(rules.players):
            taken[seat % rules.sides] += int(game.record["piles"][seat]).bit_count()
        mine = taken.pop(game.seat % rules.sides)
        lead = reach(game)["lead"]
        assert lead.sum() == 1 and lead.argmax() == max(-LEAD, min(LEAD, mine - max(taken))) + LEAD


def test_the_best_is_a_thermometer():
    for rules in GAMES[:6]:
        for game in random_moments(rules, 6, seed=7):
            if not game.over:
                best = reach(game)["best"]
                for part in np.split(best, [BEST_POINTS, BEST_POINTS + BEST_CARDS])[:2]:
                    assert (np.diff(part) <= 0).all()


_OF_SEATS = ("hands", "piles", "pile_top", "owned", "proven", "hidden_hand", "hidden_pile")
_OF_SIDES = ("match_score", "deal_points", "sweeps")
_A_SEAT = ("leader", "to_move", "last_capture", "actor", "last_source")


def _moved_on(view: Any, players: int) -> Any:
    """The same position with everybody one seat further."""
    moved = view.copy()
    for name in (*_OF_SEATS, *_OF_SIDES):
        moved[name][0, :players] = np.roll(view[name][0, :players], 1)
    for name in _A_SEAT:
        if view[name][0] >= 0:
            moved[name] = (view[name][0] + 1) % players
    return moved


@pytest.mark.parametrize("rules", [r for r in GAMES if r.players > 2 and not r.partners], ids=label)
@pytest.mark.parametrize("memory", ["perfect", "none"])
def test_only_who_sits_where_from_the_seat_matters(rules, memory):
    """Not what the seats are called."""
    for game in random_decisions(rules, 25, seed=7):
        view, vectors = observe(game, memory=memory).view, []
        for one, seat in ((view, game.seat), (_moved_on(view, rules.players), (game.seat + 1) % rules.players)):
            vectors.append(encoded(one, rules, seat))
        assert np.array_equal(vectors[0], vectors[1])


@pytest.mark.parametrize("memory", ["perfect", "none"])
def test_cards_taken_are_counted_whether_they_are_remembered_or_not(memory):
    rules = make_rules("cassino", 2)
    layout = make_layout(rules)
    for game in random_moments(rules, 12, seed=6):
        if not game.over:
            mine, theirs = (int(game.record["piles"][(game.seat + i) % 2]).bit_count() for i in range(2))
            lead = layout.split(observe(game, memory=memory).encode(layout))["lead"]
            assert lead.argmax() == max(-LEAD, min(LEAD, mine - theirs)) + LEAD


def test_a_top_that_fits_a_build_of_mine_and_one_of_another():
    """It is said to fit mine, whoever sits where."""
    rules = make_rules("khasino", 3)
    layout = make_layout(rules)
    game = Game(rules, seed=1)
    record = game.records
    for name in ("hands", "piles", "owned", "build_cards", "build_sets"):
        record[name] = 0
    record["pile_top"], record["build_top"] = -1, -1
    four, five, other_five, ace, two, other_two = (parse_card(card) for card in ("4S", "5S", "5H", "AS", "2S", "2H"))
    record["layout"] = 1 << four | 1 << five
    for owner, cards in ((0, (other_five, ace)), (1, (parse_card("5D"), two))):
        value = 6 + owner
        record["owned"][0, owner] = 1 << value
        record["build_cards"][0, value] = sum(1 << card for card in cards)
        record["build_top"][0, value], record["build_sets"][0, value] = cards[1], 1
        record["below"][0, cards[1]], record["below"][0, cards[0]] = cards[0], -1
    record["piles"][0, 2], record["pile_top"][0, 2], record["below"][0, other_two] = 1 << other_two, other_two, -1
    record["to_move"] = record["actor"] = record["leader"] = 0
    for turned in range(3):
        told = layout.split(encoded(record, rules, (1 + turned) % 3))
        assert np.argwhere(told["steals"])[:, :2].tolist() == [[1, 1]]
        record = _moved_on(record, 3)
