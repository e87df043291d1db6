"""The named binary segments of an observation, one after the other: which there are, how large, and what they mean.

A layout of them is made for one set of rules, or for all (universal). Seats are relative: 0 is the seat that looks,
1 the next one. docs/observation.md prints them from this file; observation.py fills them.
"""

import functools
import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from casino_env.arrays import Array
from casino_env.cards import DECKS
from casino_env.compiler.types import Elements
from casino_env.engine.state import OVER, RULES, SEATS, VALUES, rules_record
from casino_env.rules import Rules

OBSERVATION_VERSION = 2

# How many features count what the name says, or what one of them stands for (a step).
DEPTH_BITS = 6
POINTS, SPADES, SWEEPS, STOCK_STEP, CARD_STEP = 12, 7, 4, 4, 2
TENS, UNITS, DEALS = 15, 10, 12
CHANCES, REACH_POINTS, REACH_CARDS = 5, 4, 4
BEST_POINTS, BEST_CARDS, CERTAIN_POINTS, EXPECTED, LEAD = 4, 8, 4, 16, 20
_MODES = OVER + 1
_UNIVERSAL_ROUNDS, _UNIVERSAL_HAND = 6, 16
_FLAGS = ("acted", "played", "stolen", "added", "merged", "no_new_build", "must_add", "take_build", "tops_only")
_ONE_OF_VALUES = ("open_value", "open_left", "debt", "unfinished", "joined", "raising", "play_value")
_RULE_BITS = 7
_MOST_RULE_ROWS, _MOST_RULES_ON = 96, 96


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
    "source", "round", "stock", "score", "deals", "unseen", "holds", "threats", "best", "danger", "steals", "lead",
)  # fmt: skip
LAYOUT = np.dtype(
    [
        (name, np.int64)
        for name in ("rows", "players", "max_value", "hand", "rounds", "ranks", "size", "most", "constants")
    ]
    + [(name, np.int64) for name in _SEGMENTS]
    + [("constant", np.int64, _MOST_RULES_ON)]
)


LayoutRow = Annotated[Array, Elements(LAYOUT)]  # of one


@dataclass(frozen=True)
class Layout:
    """The segments of an observation and the record that the kernels read them from."""

    segments: tuple[Segment, ...]
    universal: bool
    record: Array

    @property
    def size(self) -> int:
        return int(self.record["size"][0])

    @property
    def most(self) -> int:
        """An observation never has more features on."""
        return int(self.record["most"][0])

    @property
    def features(self) -> dict[str, Any]:
        """What a policy that reads it remembers of it: see `fits`."""
        rule_rows = len(_RULE_ROWS) if self.universal else 0
        return {"size": self.size, "digest": self._digest(rule_rows), "rule_rows": rule_rows}

    def fits(self, features: dict[str, Any]) -> bool:
        """The features that a policy was trained with stand in it where they stood then, whatever has been appended."""
        rule_rows = features["rule_rows"]
        known = rule_rows <= (len(_RULE_ROWS) if self.universal else 0)
        return known and features == {"size": self.size, "digest": self._digest(rule_rows), "rule_rows": rule_rows}

    def _digest(self, rule_rows: int) -> str:
        """Of every segment, its name and shape, and of the first rows of the rules."""
        text = repr([(s.name, s.shape) for s in self.segments] + list(_RULE_ROWS[:rule_rows]))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def match(self) -> bool:
        """It holds the score of the match."""
        return bool(self.record["score"][0] >= 0)

    def split(self, vector: Array) -> dict[str, Array]:
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

    @property
    def ranks(self) -> int:
        """Values that a hand card can have: court cards count as well where they take but their equals."""
        return max(self.values, self.rows // 4)


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
        Segment("depth", (rows, DEPTH_BITS + 1), rows * (DEPTH_BITS + 1), "place from the top in its pile as a "
                "binary number (in builds and for loose cards only where their order can matter); last: order within "
                "its batch unknown"),
    ]  # fmt: skip


def _table_segments(z: _Sizes, rules: Rules) -> list[Segment]:
    n = z.players
    cards = (13 if z.rows == 52 else rules.deck // 4) + 1
    row = z.hand + cards + SPADES + POINTS + SWEEPS + z.values + 3
    return [
        Segment("builds", (z.values, n + 2), 2 * z.values, "each build: owner 0.., single, augmented"),
        Segment("seats", (n, row), n * row, f"each seat: cards in hand (thermometer of {z.hand}), cards taken by its "
                f"side (thermometer, {CARD_STEP} a step, {cards}), spades taken ({SPADES}), points of cards "
                f"taken ({POINTS}), sweeps ({SWEEPS}), proven values 1.., captured last, my partner, led the deal"),
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
        Segment("stock", (13,), 13, f"cards in the stock (thermometer, {STOCK_STEP} a step)"),
    ]


def _reach_segments(z: _Sizes) -> list[Segment]:
    n, ranks = z.players, z.ranks
    return [
        Segment("unseen", (z.rows // 4, 4), z.rows // 4, "cards of each rank whose place is not known: 1 to 4"),
        Segment("holds", (n, ranks, CHANCES), n * ranks, "each seat and value: how many cards of it I hold (1 to 4); "
                "how likely another seat holds one (hardly, perhaps, likely, nearly sure, sure)"),
        Segment("threats", (n, ranks, CHANCES, REACH_POINTS, REACH_CARDS), n * ranks, "the same, for cards that would "
                "take something now: by points (0 to 3) and cards (1, 2, 3 or 4, more) that one takes"),
        Segment("best", (BEST_POINTS + BEST_CARDS + CERTAIN_POINTS + EXPECTED,),
                BEST_POINTS + BEST_CARDS + CERTAIN_POINTS + EXPECTED, f"thermometers: the most points ({BEST_POINTS}) "
                f"and cards ({BEST_CARDS}) that I can take next, the most points that an opponent is sure of "
                f"({CERTAIN_POINTS}), what opponents can expect ({EXPECTED} steps of about a third of a point)"),
        Segment("danger", (3, CHANCES + 1, 3, REACH_POINTS, 2), z.values, "each build: mine, my partner's or "
                "another's; how likely an opponent can take it (not at all, then as above); how many cards of mine "
                "take it (0, 1, more); its points; augmented"),
        Segment("steals", (n, 2, REACH_POINTS), n, "the top of the pile of seat 0.. could go into a build: of another "
                "side alone, of mine; its points"),
        Segment("lead", (2 * LEAD + 1,), 1, f"cards taken by my side less the most of another: -{LEAD} to {LEAD}"),
    ]  # fmt: skip


def _match_segments(z: _Sizes) -> list[Segment]:
    return [
        Segment("score", (z.players, TENS + UNITS), z.players * TENS, "match score of each seat's side: tens "
                "(thermometer), units"),
        Segment("deals", (DEALS,), DEALS, "deals finished in the match (thermometer)"),
    ]  # fmt: skip


# The rows of the rules segment, in the order in which they came to be. A new switch takes the first spare row, so that
# no other moves and a policy that was trained before meets it as a feature that it has never seen on.
_RULE_ROWS = (
    "players", "partners", "ace_high", "table_cards", "rounds", "draw_hand", "recut", "next_leader", "raise_by",
    "raise_with_table", "equal_builds", "keep_backing", "build_limit", "limit_first_phase_only", "second_build_in_turn",
    "owner_discard", "use_discard_same_turn", "steal", "steal_from_partner", "no_return", "raise_or_add",
    "capture_tops", "pile_capture_needs_table_card", "multi_capture", "insist_capture", "insist_augment", "shared_pile",
    "partner_builds", "partner_request", "stacking", "pile_order", "bundles", "leftovers", "cards_points",
    "spades_points", "ties", "five_spades_points", "little_points", "big_points", "ace_points", "spade_cards", "sweeps",
    "target", "match_rounds", "counting", "count_out", "court_take", "sides", "hand_size", "max_build", "table_builds",
    "deck_size", "big_ten", "new_builds", "tops_in_sums", "chain", "add_to_partner", "request_for", "shutout",
    "tie_break", "match_games", "raise_limit", "resort_raised", "owner_top",
)  # fmt: skip
# The first of the rows that stand for how a switch differs from its default, so that earlier games have none on.
_FIRST_LATER = _RULE_ROWS.index("new_builds")


def _rules_segment() -> Segment:
    spare = _MOST_RULE_ROWS - len(_RULE_ROWS)
    later = _RULE_ROWS[_FIRST_LATER]
    meaning = (
        f"the rules as binary numbers: {', '.join(_RULE_ROWS)}; from {later} on what differs from the default; "
        f"{spare} rows for switches to come"
    )
    return Segment("rules", (_MOST_RULE_ROWS, _RULE_BITS), _MOST_RULES_ON, meaning)


def _rule_indices(rules: Rules, record: Array) -> list[int]:
    """Which features of the rules segment are on."""
    values = {name: int(record[name][0]) for name in _RULE_ROWS if name in (RULES.names or ())}
    values |= {"deck_size": rules.deck, "big_ten": int(rules.big_ten == "TS")}
    usual = rules_record(Rules())
    values |= {name: values[name] ^ int(usual[name][0]) for name in _RULE_ROWS[_FIRST_LATER:]}
    return [
        row * _RULE_BITS + bit
        for row, name in enumerate(_RULE_ROWS)
        for bit in range(_RULE_BITS)
        if values[name] >> bit & 1
    ]


@functools.lru_cache(maxsize=64)
def make_layout(rules: Rules, *, universal: bool = False, match: bool = False) -> Layout:
    """The layout for these rules; universal: the same for every game, with the rules among the features; match:
    with the score of the match."""
    z = _sizes(rules, universal)
    rows = [*_card_segments(z), *_table_segments(z, rules), *_turn_segments(z), *_reach_segments(z)]
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
                        ("rounds", z.rounds), ("ranks", z.ranks), ("size", offset),
                        ("most", sum(row.most for row in rows))):  # fmt: skip
        record[name] = value
    if universal:
        on = [placed[-1].offset + index for index in _rule_indices(rules, rules_record(rules))]
        record["constants"] = len(on)
        record["constant"][0, : len(on)] = on
    return Layout(tuple(placed), universal, record)


def as_markdown(layout: Layout) -> list[str]:
    """The segments as a Markdown table."""
    rows = ["| from | to | segment | shape | meaning |", "| ---: | ---: | --- | --- | --- |"]
    for s in layout.segments:
        shape = " x ".join(map(str, s.shape))
        rows.append(f"| {s.offset} | {s.offset + s.size - 1} | `{s.name}` | {shape} | {s.meaning} |")
    return [*rows, "", f"{layout.size} features, of which at most {layout.most} are on at once."]
