"""Determinizations: consistent with what the seat knows, and uniformly distributed."""

import collections
import itertools
from random import Random

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.cards import card_name, cards_of, mask_of, parse_card
from casino_env.engine.state import OVER, SORTING, chain, rules_record
from casino_env.game import unchecked_game
from casino_env.observed import NoDeterminizationError, sample_determinizations
from tests import situations
from tests.comparing import wander
from tests.hidden import backs_everything
from tests.invariants import broken_promise
from tests.random_play import every_game, label, random_moments


@pytest.mark.parametrize("memory", ["perfect", "none"])
@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_samples_agree_with_what_the_seat_knows(rules, memory):
    rng = np.random.default_rng(5)
    record = rules_record(rules)
    for game in random_moments(rules, 25, seed=6):
        seat = int(rng.integers(rules.players))
        seen = observe(game, seat, memory=memory)
        for sample in sample_determinizations(seen, 4, rng):
            whole = unchecked_game(sample, rules)
            if seat == game.seat and not game.over:
                assert Game.from_bytes(sample.tobytes(), rules) == whole
            again = observe(whole, seat, memory=memory)
            assert again.view.tobytes() == seen.view.tobytes()
            if sample["mode"] != OVER:
                assert broken_promise(sample, record[0]) == 0, game.to_json()


SMALL = [
    # three players, the second owns a build of 9, the third has proven a 7; seven unseen cards
    situations.position(
        "swazi", ["2H", "9D 3C 7S", "7D KH 4C"], layout="5H", builds=[(9, 1, "5S 4S")], piles=["9S", "", ""],
        stock="", proven=[[], [], [7]], last_capture=0,
    ),
    # a build of 14 and a proof of 14 need an ace each
    situations.position(
        "swazi", ["2H", "AS AH 3C", "AD KH 4C"], builds=[(14, 1, "8S 6S")], piles=["", "", ""], stock="",
        proven=[[], [1], [14]], last_capture=0,
    ),
    # a stock: khasino, first round
    situations.position(
        "khasino", ["2H", "9D 3C"], builds=[(9, 1, "5S 4S")], piles=["", ""], stock="9H TC 7D", last_capture=None
    ),
    # an owner may have given its nine away
    situations.position(
        "swazi", ["2H", "9D", "3C"], builds=[(9, 1, "5S 4S")], piles=["", "", ""], stock="", last_capture=0,
        rules={"keep_backing": False},
    ),
]  # fmt: skip


def possible_hands(data) -> set[tuple[int, ...]]:
    """Return every way to deal the hidden cards, by brute force."""
    game = Game.from_json(data, skip_forced=False)
    hidden = [card for hand in data["hands"][1:] for card in hand] + data["stock"]
    masks = [parse_card(card) for card in hidden]
    sizes = [len(hand) for hand in data["hands"][1:]]
    found = set()
    for first in itertools.combinations(masks, sizes[0]):
        left = [card for card in masks if card not in first]
        for second in itertools.combinations(left, sizes[1]) if len(sizes) > 1 else [()]:
            hands = [mask_of(list(first)), mask_of(list(second))][: len(sizes)]
            if all(backs_everything(game.record, game.rules, s + 1, hand) for s, hand in enumerate(hands)):
                found.add(tuple(hands))
    return found


def deck_without(data):
    """Put all cards that the position does not list on the first pile, where all seats see them."""
    full = dict(data)
    listed = {card for hand in data["hands"] for card in hand} | set(data["layout"]) | set(data["stock"])
    listed |= {card for build in data["builds"] for cards_ in build["sets"] for card in cards_}
    listed |= {card for pile in data["piles"] for card in pile}
    ranks, size = "A23456789TJQK", 52 if data["variant"] == "swazi" else 40
    pack = [rank + suit for rank in ranks[: size // 4] for suit in "SHDC"]
    full["piles"] = [data["piles"][0] + [card for card in pack if card not in listed], *data["piles"][1:]]
    return full


@pytest.mark.parametrize("data", SMALL, ids=["two-claims", "aces", "stock", "unbacked"])
def test_every_possible_game_is_as_likely(data):
    data = deck_without(data)
    game = Game.from_json(data, skip_forced=False)
    possible = possible_hands(data)
    count = 400 * len(possible)
    samples = sample_determinizations(observe(game, 0), count, np.random.default_rng(7))
    seen = collections.Counter(tuple(int(hand) for hand in row[1 : game.rules.players]) for row in samples["hands"])
    assert set(seen) == possible
    expected = count / len(possible)
    chi_square = sum((number - expected) ** 2 / expected for number in seen.values())
    freedom = len(possible) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5 + 4


def test_the_last_card_behind_a_build_is_known():
    """The owner of a build holds a card for it: if only one such card is hidden, its owner must hold it."""
    known = 0
    for game in random_moments(make_rules("swazi", 2), 60, seed=4):
        record, position = game.record, game.to_json()
        for owner in (0, 1) if record["hand_card"] < 0 else ():
            view = observe(game, 1 - owner).view[0]
            for value in range(2, 10):
                hidden = [name for name in position["hands"][owner] + position["stock"] if name[0] == str(value)]
                if int(record["owned"][owner]) >> value & 1 and len(hidden) == 1:
                    assert int(view["hands"][owner]) >> parse_card(hidden[0]) & 1
                    known += 1
    assert known > 5


def test_a_card_that_takes_its_build_needs_no_other():
    """Seat 1 keeps its build of nine, for which it has another nine; then it takes the build too."""
    data = situations.position(
        "swazi", ["2H", "9S 9C", "3C KH"], layout="9H", builds=[(9, 1, "5S 4S")], piles=["9D", "", ""], to_move=1,
        rules={"insist_capture": "never", "insist_augment": "never"},
    )  # fmt: skip
    game, known = Game.from_json(data, skip_forced=False), []
    for action in ("capture 9S", "build 9"):
        game.apply(action)
        known.append([card_name(card) for card in cards_of(int(observe(game, 0).view["hands"][0][1]))])
    assert known == [["9S", "9C"], ["9S"]]


def test_order_of_the_stock_is_drawn():
    data = deck_without(SMALL[2])
    samples = sample_determinizations(
        observe(Game.from_json(data, skip_forced=False), 0), 6000, np.random.default_rng(0)
    )
    tops = collections.Counter(card_name(int(top)) for top in samples["stock_top"])
    # The hand of two holds a nine: 3C is in 2 of its 7 possible pairs, each nine in 4. The other three are the stock.
    shares = {"9D": 1 / 7, "9H": 1 / 7, "TC": 5 / 21, "7D": 5 / 21, "3C": 5 / 21}
    assert {card: count / 6000 for card, count in tops.items()} == pytest.approx(shares, abs=0.025)


def test_secret_batches_stay_apart():
    """The last pile has two batches. The order below their tops is known to their captor alone."""
    data = situations.position("swazi", ["2H", "3H", "4H"], piles=["", "9S", "AC 2C 3C 4C 5C 6C 7C"], last_capture=1)
    game = Game.from_json(data, skip_forced=False)
    for card in map(parse_card, data["piles"][2]):
        game.record["laid"][card] = 2
        if card_name(card) not in ("AC", "4C"):  # the bottoms of the batches
            game.record["starts"] &= ~(1 << card)
    orders = [collections.Counter[str]() for _ in range(3)]
    for seat in (0, 2):
        for sample in sample_determinizations(observe(game, seat), 240, np.random.default_rng(0)):
            pile = chain(sample, int(sample["pile_top"][2]))
            bottoms = ["|" * (int(sample["starts"]) >> card & 1) for card in pile]
            orders[seat]["".join(map("".join, zip(bottoms, (card_name(card)[0] for card in pile), strict=True)))] += 1
    below = itertools.product(itertools.permutations("A2"), itertools.permutations("456"))
    assert set(orders[0]) == {f"|{''.join(one)}3|{''.join(other)}7" for one, other in below}
    assert min(orders[0].values()) > 8 and set(orders[2]) == {"|A23|4567"}


def test_cards_that_are_being_sorted_lie_in_no_hand():
    game, rng = Game("swazi", 3, seed=1, pile_order="ask", skip_forced=False), Random(1)
    while game.record["mode"] != SORTING:
        wander(game, rng)
    taken = int(game.record["required"]) | int(game.record["picked"])
    for seat in {0, 1, 2} - {game.seat}:
        for sample in sample_determinizations(observe(game, seat), 20, np.random.default_rng(0)):
            assert not taken & int(np.bitwise_or.reduce(sample["hands"]))


def test_order_of_secret_batches_is_drawn():
    """Swazi: a batch has three cards below its top, in an order that only the captor knows."""
    rng = np.random.default_rng(0)
    for game in random_moments(make_rules("swazi", 3), 200, seed=8):
        for seat in range(3):
            seen = observe(game, seat)
            unknown = int(seen.view["shuffled"][0])
            below = [int(card) for card in seen.view["below"][0]]
            above = [
                card
                for card in range(52)
                if below[card] >= 0 and unknown >> below[card] & 1 and not unknown >> card & 1
            ]
            if unknown.bit_count() != 3 or len(above) != 1:
                continue
            found = collections.Counter(int(row[above[0]]) for row in sample_determinizations(seen, 900, rng)["below"])
            assert set(found) == set(cards_of(unknown))
            assert min(found.values()) > 220
            return
    pytest.fail("no such batch in 200 games")


def test_future_deals_differ():
    """Each sample has its own random state, so that later deals cannot be predicted."""
    game = Game("swazi", 2, seed=3, match=True)
    states = {int(state) for state in sample_determinizations(observe(game), 500, np.random.default_rng(0))["rng"]}
    assert len(states) == 500
    assert int(game.record["rng"]) not in states


def test_positions_may_leave_cards_out_of_play():
    """A position need not list all cards: any unlisted card may be in a hidden place."""
    game = Game.from_json(SMALL[2], skip_forced=False)
    samples = sample_determinizations(observe(game, 0), 2000, np.random.default_rng(0))
    assert all(int(hand).bit_count() == 2 for hand in samples["hands"][:, 1])
    assert all(int(hand) & 15 << 32 for hand in samples["hands"][:, 1])  # a nine backs the build
    everything = np.bitwise_or.reduce(samples["hands"][:, 1])
    assert int(everything).bit_count() == 40 - 3  # all but my card and the build's two


def test_an_impossible_position_is_refused():
    data = deck_without(SMALL[0])  # all four nines lie open, so nothing can back the build of nine
    data["hands"][1] = ["3C", "7S", "8C"]
    data["piles"][0] = [card for card in data["piles"][0] if card != "8C"] + ["9D"]
    game = Game.from_json(data, skip_forced=False)
    with pytest.raises(NoDeterminizationError, match="seat 0"):
        sample_determinizations(observe(game, 0), 1, np.random.default_rng(0))


# Seat 0 has declared JS on its own build of 11. Its partner has asked to be left the build, which takes a jack.
ASKED = situations.position(
    "swazi",
    ["AS 3H 5S 7H 8D TH JS QS", "AD 4S 5D 6C 9H QH QD KC", "3C 5C 6S 8H 9S JC KD", "2S 4C 5H 7D 8C TC QC"],
    builds=[(6, 2, "6D", "6H"), (9, 1, "9D", "7C 2D"), (11, 0, "7S 4H"), (12, 3, "9C 3D", "8S 4D", "JH AH")],
    piles=["TD 3S TS KH KS 2H AC 2C JD", "", "", ""], stock="", proven=[[1, 14], [13], [], []], last_capture=2,
    match_score=[0, 0], leader=2, turns=18,
    turn={"mode": 7, "acted": 1, "open_value": 11, "take_build": 1, "settled": 1, "hand_card": "JS"},
)  # fmt: skip


def test_a_partner_who_asks_for_a_build_has_a_card_for_it():
    game = Game.from_json(ASKED, skip_forced=False)
    for sample in sample_determinizations(observe(game, 0), 300, np.random.default_rng(1)):
        assert int(sample["hands"][2]) & 1 << parse_card("JC"), "JC is the only jack that seat 0 has not seen"


def test_an_observation_draws_its_own_determinizations():
    game = Game("swazi", 3, seed=4)
    seen = observe(game)
    worlds = seen.determinizations(3, np.random.default_rng(1))
    assert [observe(world, seen.seat).vector.tobytes() for world in worlds] == [seen.vector.tobytes()] * 3
    assert len({world.to_bytes() for world in worlds}) == 3
    for wrong in (-1, 1.5, True):
        with pytest.raises(ValueError, match="count = "):
            seen.determinizations(wrong, np.random.default_rng(1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rng = 1; it must be a generator"):
        seen.determinizations(1, 1)  # type: ignore[arg-type]
