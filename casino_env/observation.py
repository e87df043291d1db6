"""What a seat sees, as one flat vector of named binary segments, always from its own point of view.

A layout is made for one set of rules, or for all of them (universal). Seats are relative: 0 is the seat that looks,
1 the next one. docs/observation.md prints the segments of a layout from this file.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from casino_env.cards import DECKS
from casino_env.jit import kernel, lowest, popcount
from casino_env.rules import Rules
from casino_env.scoring import card_points, side_cards
from casino_env.state import AS_BUILT, BUILD_ON_TOP, OVER, RULES, SEATS, VALUES, rules_record
from casino_env.table import owner_of, side_of

OBSERVATION_VERSION = 1

_MODES = OVER + 1
_DEPTH_BITS = 6
_UNIVERSAL_ROUNDS = 6
_UNIVERSAL_HAND = 16
_POINTS, _SPADES, _SWEEPS, _STOCK_STEP, _CARD_STEP = 12, 7, 4, 4, 2
_TENS, _UNITS, _DEALS = 15, 10, 12
_FLAGS = ("acted", "played", "stolen", "added", "merged", "no_new_build", "must_add", "take_build", "tops_only")
_ONE_OF_VALUES = ("open_value", "open_left", "debt", "unfinished", "joined", "raising", "play_value")
_RULE_BITS = 7


@dataclass(frozen=True)
class Segment:
    name: str
    shape: tuple[int, ...]
    most: int  # features of it that can be on at once
    meaning: str
    offset: int = 0

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


# The kernels' form of a layout: sizes, where each segment begins (-1: absent), and the indices that are always on.
_SEGMENTS = (
    "place", "build", "marks", "depth", "builds", "seats", "mode", "actor", "mover", "flags", "settled", "values",
    "source", "round", "stock", "score", "deals",
)  # fmt: skip
LAYOUT = np.dtype(
    [(name, np.int64) for name in ("rows", "players", "max_value", "hand", "rounds", "size", "most", "constants")]
    + [(name, np.int64) for name in _SEGMENTS]
    + [("constant", np.int64, 64)]
)


@dataclass(frozen=True)
class Layout:
    """The segments of an observation and the record that the kernels read them from."""

    segments: tuple[Segment, ...]
    universal: bool
    record: np.ndarray[Any, Any]

    @property
    def size(self) -> int:
        return int(self.record["size"][0])

    @property
    def most(self) -> int:
        """An observation never has more features on."""
        return int(self.record["most"][0])

    @property
    def match(self) -> bool:
        """It holds the score of the match."""
        return bool(self.record["score"][0] >= 0)

    def split(self, vector: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
        """The segments of an observation (or of a batch of them) by name, in their shapes."""
        lead = vector.shape[:-1]
        return {s.name: vector[..., s.offset : s.offset + s.size].reshape(*lead, *s.shape) for s in self.segments}


@dataclass(frozen=True)
class _Sizes:
    rows: int  # cards
    players: int
    values: int
    hand: int
    rounds: int


def _sizes(rules: Rules, universal: bool) -> _Sizes:
    if not universal:
        return _Sizes(
            len(DECKS[rules.deck]) * 4,
            rules.players,
            rules.max_build,
            rules.hand_size,
            1 if rules.draw_hand else rules.rounds,
        )
    if rules.hand_size > _UNIVERSAL_HAND or rules.rounds > _UNIVERSAL_ROUNDS:
        raise ValueError(
            f"{rules.name} with hands of {rules.hand_size} in {rules.rounds} rounds does not fit the universal "
            f"observation ({_UNIVERSAL_HAND} and {_UNIVERSAL_ROUNDS}); use layout='own'"
        )
    return _Sizes(52, SEATS, VALUES - 1, _UNIVERSAL_HAND, _UNIVERSAL_ROUNDS)


def _card_segments(z: _Sizes) -> list[Segment]:
    n, rows = z.players, z.rows
    places = 3 + 2 * n + n - 1
    return [
        Segment("place", (rows, places), 2 * rows, "where each card is: my hand, loose, loose since this turn, pile of "
                "seat 0.., top of the pile of seat 0.., known to be in the hand of seat 1..; none of them: in a build "
                "or not seen"),
        Segment("build", (rows, z.values), rows, "the card lies in the build of value 1.."),
        Segment("marks", (rows, 3), 30, "picked for the open set or capture; the hand card in play; has to be taken "
                "(or is just being sorted)"),
        Segment("depth", (rows, _DEPTH_BITS + 1), rows * (_DEPTH_BITS + 1), "place from the top in its pile as a "
                "binary number (in builds and for loose cards only where their order can matter); last: order within "
                "its batch unknown"),
    ]  # fmt: skip


def _table_segments(z: _Sizes, rules: Rules) -> list[Segment]:
    n = z.players
    cards = (13 if z.rows == 52 else rules.deck // 4) + 1
    row = z.hand + cards + _SPADES + _POINTS + _SWEEPS + z.values + 3
    return [
        Segment("builds", (z.values, n + 2), 2 * z.values, "each build: owner 0.., single, augmented"),
        Segment("seats", (n, row), n * row, f"each seat: cards in hand (thermometer of {z.hand}), cards taken by its "
                f"side (thermometer, {_CARD_STEP} a step, {cards}), spades taken ({_SPADES}), points of cards "
                f"taken ({_POINTS}), sweeps ({_SWEEPS}), proven values 1.., captured last, my partner, led the deal"),
    ]  # fmt: skip


def _turn_segments(z: _Sizes) -> list[Segment]:
    n = z.players
    return [
        Segment("mode", (_MODES,), 1, "what is being decided (state.py)"),
        Segment("actor", (n,), 1, "who decides"),
        Segment("mover", (n,), 1, "whose turn it is"),
        Segment("flags", (len(_FLAGS),), len(_FLAGS), "of the turn: " + ", ".join(_FLAGS)),
        Segment("settled", (2,), 2, "questions of the declared play already answered"),
        Segment(
            "values", (len(_ONE_OF_VALUES), z.values), len(_ONE_OF_VALUES), "value 1.. of: " + ", ".join(_ONE_OF_VALUES)
        ),
        Segment("source", (n,), 1, "pile that the last card of a set came from"),
        Segment("round", (z.rounds,), z.rounds, "deals of the pack begun (thermometer)"),
        Segment("stock", (13,), 13, f"cards in the stock (thermometer, {_STOCK_STEP} a step)"),
    ]


def _match_segments(z: _Sizes) -> list[Segment]:
    return [
        Segment("score", (z.players, _TENS + _UNITS), z.players * _TENS, "match score of each seat's side: tens "
                "(thermometer), units"),
        Segment("deals", (_DEALS,), _DEALS, "deals finished in the match (thermometer)"),
    ]  # fmt: skip


def _rules_segment() -> Segment:
    names = ", ".join(_RULE_NAMES)
    return Segment("rules", (len(_RULE_NAMES), _RULE_BITS), 64, f"the rules as binary numbers: {names}")


_MASKS = ("numeric", "deck", "big_card")  # sets of cards; two numbers stand for them
_RULE_NAMES = (*(name for name in RULES.names or () if name not in _MASKS), "deck_size", "big_ten")


def _rule_indices(rules: Rules, record: np.ndarray[Any, Any]) -> list[int]:
    """Which features of the rules segment are on."""
    values = {name: int(record[name][0]) for name in _RULE_NAMES if name in (RULES.names or ())}
    values |= {"deck_size": rules.deck, "big_ten": int(rules.big_ten == "TS")}
    return [
        row * _RULE_BITS + bit
        for row, name in enumerate(_RULE_NAMES)
        for bit in range(_RULE_BITS)
        if values[name] >> bit & 1
    ]


@functools.cache
def make_layout(rules: Rules, *, universal: bool = False, match: bool = False) -> Layout:
    """The layout for these rules; universal: the same for every game, with the rules among the features."""
    z = _sizes(rules, universal)
    rows = [*_card_segments(z), *_table_segments(z, rules), *_turn_segments(z)]
    if match or universal:
        rows += _match_segments(z)
    if universal:
        rows.append(_rules_segment())
    record = np.zeros(1, LAYOUT)
    for name in _SEGMENTS:
        record[name] = -1
    placed, offset = [], 0
    for row in rows:
        placed.append(Segment(row.name, row.shape, row.most, row.meaning, offset))
        if row.name in _SEGMENTS:
            record[row.name] = offset
        offset += row.size
    for name, value in (("rows", z.rows), ("players", z.players), ("max_value", z.values), ("hand", z.hand),
                        ("rounds", z.rounds), ("size", offset), ("most", sum(row.most for row in rows))):  # fmt: skip
        record[name] = value
    if universal:
        on = [placed[-1].offset + index for index in _rule_indices(rules, rules_record(rules))]
        record["constants"] = len(on)
        record["constant"][0, : len(on)] = on
    return Layout(tuple(placed), universal, record)


def table(layout: Layout) -> list[str]:
    """The segments as a Markdown table."""
    rows = ["| from | to | segment | shape | meaning |", "| ---: | ---: | --- | --- | --- |"]
    for s in layout.segments:
        shape = " x ".join(map(str, s.shape))
        rows.append(f"| {s.offset} | {s.offset + s.size - 1} | `{s.name}` | {shape} | {s.meaning} |")
    return [*rows, "", f"{layout.size} features, of which at most {layout.most} are on at once."]


# --- the kernels: each appends the indices of features that are on, and returns how many there are now -------------


@kernel
def _fill(out, count, first, length):
    for i in range(length):
        out[count + i] = first + i
    return count + length


@kernel
def _each(out, count, cards, first, width):
    """The same column for every card of a set."""
    while cards:
        out[count] = first + lowest(cards) * width
        cards &= cards - 1
        count += 1
    return count


@kernel
def _bits(out, count, first, number):
    while number:
        out[count] = first + lowest(number)
        number &= number - 1
        count += 1
    return count


@kernel
def _chain_depth(v, plan, top, out, count):
    """Places from the top; where the order is unknown, the place at which that begins."""
    depth, block, card = 0, -1, top
    while card >= 0:
        first = plan.depth + card * (_DEPTH_BITS + 1)
        if v.shuffled >> card & 1:
            if block < 0:
                block = depth
            count = _bits(out, count, first, block)
            out[count] = first + _DEPTH_BITS
            count += 1
            if v.starts >> card & 1:
                block = -1
        else:
            count = _bits(out, count, first, depth)
        depth += 1
        card = v.below[card]
    return count


@kernel
def _loose_depth(v, plan, out, count):
    """Loose cards by how many were laid after them."""
    rest = v.layout
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        later, others = 0, v.layout
        while others:
            if v.laid[lowest(others)] > v.laid[card]:
                later += 1
            others &= others - 1
        count = _bits(out, count, plan.depth + card * (_DEPTH_BITS + 1), later)
    return count


@kernel
def _write_cards(v, r, plan, seat, out, count):
    n = plan.players
    width = 3 + 3 * n - 1
    laid_now = 1 << v.laid_now if v.laid_now >= 0 else 0
    count = _each(out, count, v.hands[seat], plan.place, width)
    count = _each(out, count, v.layout & ~laid_now, plan.place + 1, width)
    count = _each(out, count, v.layout & laid_now, plan.place + 2, width)
    for i in range(r.players):
        other = (seat + i) % r.players
        count = _each(out, count, v.piles[other], plan.place + 3 + i, width)
        top = v.pile_top[other]
        if top >= 0:
            out[count] = plan.place + top * width + 3 + n + i
            count += 1
            count = _chain_depth(v, plan, top, out, count)
        if i:
            count = _each(out, count, v.hands[other], plan.place + 2 + 2 * n + i, width)
    if v.stock_top >= 0:  # only in the full truth
        count = _chain_depth(v, plan, v.stock_top, out, count)
    if r.stacking == AS_BUILT:
        count = _loose_depth(v, plan, out, count)
    return count


@kernel
def _write_marks(v, plan, out, count):
    count = _each(out, count, v.picked, plan.marks, 3)
    if v.hand_card >= 0:
        out[count] = plan.marks + v.hand_card * 3 + 1
        count += 1
    return _each(out, count, v.required, plan.marks + 2, 3)


@kernel
def _write_builds(v, r, plan, seat, out, count):
    width = plan.players + 2
    ordered = r.stacking == AS_BUILT or r.stacking == BUILD_ON_TOP
    for value in range(1, plan.max_value + 1):
        if not v.build_cards[value]:
            continue
        count = _each(out, count, v.build_cards[value], plan.build + value - 1, plan.max_value)
        if ordered:
            count = _chain_depth(v, plan, v.build_top[value], out, count)
        first = plan.builds + (value - 1) * width
        out[count] = first + (owner_of(v, r, value) - seat) % r.players
        out[count + 1] = first + plan.players + (1 if v.build_sets[value] > 1 else 0)
        count += 2
    return count


@kernel
def _write_seat(v, r, plan, seat, other, i, out, count):
    """One row of the seat table."""
    steps = (13 if plan.rows == 52 else popcount(r.deck) // 4) + 1
    row = plan.hand + steps + _SPADES + _POINTS + _SWEEPS + plan.max_value + 3
    at = plan.seats + i * row
    side = side_of(r, other)
    taken = side_cards(v, r, side)
    held = popcount(v.hands[other]) + v.hidden_hand[other]
    cards = popcount(taken)
    for partner in range(side, r.players, r.sides):
        cards += v.hidden_pile[partner]
    count = _fill(out, count, at, min(held, plan.hand))
    at += plan.hand
    count = _fill(out, count, at, min(cards // _CARD_STEP, steps))
    at += steps
    count = _fill(out, count, at, min(popcount(taken & 0x1111111111111), _SPADES))
    at += _SPADES
    count = _fill(out, count, at, min(card_points(r, taken), _POINTS))
    at += _POINTS
    count = _fill(out, count, at, min(v.sweeps[side], _SWEEPS) if r.sweeps else 0)
    at += _SWEEPS
    count = _bits(out, count, at - 1, v.proven[other] & ~1)
    at += plan.max_value
    if v.last_capture == other:
        out[count] = at
        count += 1
    if r.partners and i == 2:
        out[count] = at + 1
        count += 1
    if v.leader == other:
        out[count] = at + 2
        count += 1
    return count


@kernel
def _one_of(out, count, first, value):
    """Value 1.. of a one-hot group; 0 is none."""
    if value > 0:
        out[count] = first + value - 1
        count += 1
    return count


@kernel
def _write_turn(v, r, plan, seat, out, count):
    n = r.players
    out[count] = plan.mode + v.mode
    out[count + 1] = plan.actor + (v.actor - seat) % n
    out[count + 2] = plan.mover + (v.to_move - seat) % n
    flags = (
        v.acted | v.played << 1 | v.stolen << 2 | v.added << 3 | v.merged << 4 | v.no_new_build << 5
        | v.must_add << 6 | v.take_build << 7 | v.tops_only << 8
    )  # fmt: skip
    count = _bits(out, count + 3, plan.flags, flags)
    count = _bits(out, count, plan.settled, v.settled)
    at, width = plan.values, plan.max_value
    count = _one_of(out, count, at, v.open_value)
    count = _one_of(out, count, at + width, v.open_left)
    count = _one_of(out, count, at + 2 * width, v.debt)
    count = _one_of(out, count, at + 3 * width, v.unfinished)
    count = _one_of(out, count, at + 4 * width, v.joined)
    count = _one_of(out, count, at + 5 * width, v.raising)
    count = _one_of(out, count, at + 6 * width, v.play_value)
    if v.last_source >= 0:
        out[count] = plan.source + (v.last_source - seat) % n
        count += 1
    count = _fill(out, count, plan.round, min(v.round, plan.rounds))
    stock, card = v.hidden_stock, v.stock_top
    while card >= 0:
        stock += 1
        card = v.below[card]
    return _fill(out, count, plan.stock, min((stock + _STOCK_STEP - 1) // _STOCK_STEP, 13))


@kernel
def _write_match(v, r, plan, seat, out, count):
    if plan.score < 0:
        return count
    for i in range(r.players):
        score = max(0, v.match_score[side_of(r, (seat + i) % r.players)])
        at = plan.score + i * (_TENS + _UNITS)
        count = _fill(out, count, at, min(score // 10, _TENS))
        out[count] = at + _TENS + score % 10
        count += 1
    return _fill(out, count, plan.deals, min(v.deals, _DEALS))


@kernel
def write(v, r, plan, seat, out):
    """The indices of all features that are on in the view v of the seat; returns how many there are."""
    count = 0
    for i in range(plan.constants):
        out[count] = plan.constant[i]
        count += 1
    count = _write_cards(v, r, plan, seat, out, count)
    count = _write_marks(v, plan, out, count)
    count = _write_builds(v, r, plan, seat, out, count)
    for i in range(r.players):
        count = _write_seat(v, r, plan, seat, (seat + i) % r.players, i, out, count)
    count = _write_turn(v, r, plan, seat, out, count)
    return _write_match(v, r, plan, seat, out, count)
