"""The layout of an observation: its named binary segments, their sizes and their meaning.

A kernel computes the layout for one set of rules, or for all (universal). Seats are relative: 0 is the observer, 1 the
next seat. docs/observation.md prints the segments from this file; encode.py fills them.
"""

import functools
import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, highest, kernel, popcount
from casino_env.compiler.types import I64, Elements, I64x2
from casino_env.engine.state import OVER, RULES, SEATS, VALUES, RulesRow, rules_record, switch_number
from casino_env.rules import Rules
from casino_env.validate import checks_objects, truth

OBSERVATION_VERSION = 2

# How many features count what the name says; STEP: how many cards one feature stands for.
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


# The rows of the rules segment, oldest first. A new switch takes the first spare row, so that no other row moves and an
# older policy meets the switch as a feature that was never on in its training.
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
# From this row on, a row shows how a switch differs from its default, so in older games all its features are off.
_FIRST_LATER = _RULE_ROWS.index("new_builds")


# The segments in order, with their meaning; {NAME} is a size of the layout or a constant above.
SEGMENTS = {
    "place": "where each card is: my hand, loose, loose since this turn, pile of seat 0.., top of the pile of seat "
    "0.., known to be in the hand of seat 1..; none of them: in a build or not seen",
    "build": "the card lies in the build of value 1..",
    "marks": "picked for the open set or capture; the hand card in play; has to be taken (or is just being sorted)",
    "depth": "place from the top in its pile as a binary number (in builds and for loose cards only where their order "
    "can matter); last: order within its batch unknown",
    "builds": "each build: owner 0.., single, augmented",
    "seats": "each seat: cards in hand (thermometer of {hand}), cards taken by its side (thermometer, {CARD_STEP} a "
    "step, {card_steps}), spades taken ({SPADES}), points of cards taken ({POINTS}), sweeps ({SWEEPS}), proven values "
    "1.., captured last, my partner, led the deal",
    "mode": "what is being decided (state.py)",
    "actor": "who decides",
    "mover": "whose turn it is",
    "flags": "of the turn: {_FLAGS}",
    "settled": "questions of the declared play already answered",
    "values": "value 1.. of: {_ONE_OF_VALUES}",
    "source": "pile that the last card of a set came from",
    "round": "deals of the pack begun (thermometer)",
    "stock": "cards in the stock (thermometer, {STOCK_STEP} a step)",
    "unseen": "cards of each rank whose place is not known: 1 to 4",
    "holds": "each seat and value: how many cards of it I hold (1 to 4); how likely another seat holds one (hardly, "
    "perhaps, likely, nearly sure, sure)",
    "threats": "the same, for cards that would take something now: by points (0 to 3) and cards (1, 2, 3 or 4, more) "
    "that one takes",
    "best": "thermometers: the most points ({BEST_POINTS}) and cards ({BEST_CARDS}) that I can take next, the most "
    "points that an opponent is sure of ({CERTAIN_POINTS}), what opponents can expect ({EXPECTED} steps of about a "
    "third of a point)",
    "danger": "each build: mine, my partner's or another's; how likely an opponent can take it (not at all, then as "
    "above); how many cards of mine take it (0, 1, more); its points; augmented",
    "steals": "the top of the pile of seat 0.. could go into a build: of another side alone, of mine; its points",
    "lead": "cards taken by my side less the most of another: -{LEAD} to {LEAD}",
    "score": "match score of each seat's side: tens (thermometer), units",
    "deals": "deals finished in the match (thermometer)",
    "rules": "the rules as binary numbers: {_RULE_ROWS}; from {_LATER} on what differs from the default; {_SPARE} rows "
    "for switches to come",
}

# A layout for kernels: sizes, the offset of each segment (-1: absent), and the features that are always on.
_SIZES = (
    "rows", "players", "max_value", "hand", "rounds", "ranks", "card_steps", "count", "size", "most", "constants"
)  # fmt: skip
LAYOUT = np.dtype([(name, np.int64) for name in (*_SIZES, *SEGMENTS)] + [("constant", np.int64, _MOST_RULES_ON)])
LayoutRow = Annotated[Array, Elements(LAYOUT)]  # a single record
_DIMENSIONS = 5
# shape: padded with 0
SEGMENT = np.dtype([("offset", np.int64), ("most", np.int64), ("shape", np.int64, _DIMENSIONS)])


# === Computing a layout ===============================================================================================

UNIVERSAL, MATCH = 1, 2  # bits of a kind: one layout for every game, which includes the rules; with the match score
TOO_LARGE = (
    "{name} with hands of {hand} in {rounds} rounds does not fit the universal observation "
    f"({_UNIVERSAL_HAND} and {_UNIVERSAL_ROUNDS}); use layout='own'"
)
_FLAG_COUNT, _VALUE_COUNT = len(_FLAGS), len(_ONE_OF_VALUES)


@kernel
def _add(z, segments, most, shape):
    """Append a segment with at most `most` features on at once; return its offset."""
    segment, begin, size = segments[z.count], z.size, 1
    segment.offset, segment.most = begin, most
    for i in range(_DIMENSIONS):
        segment.shape[i] = shape[i]
        size *= shape[i] if shape[i] else 1
    z.count += 1
    z.size += size
    z.most += most
    return begin


@kernel
def _measure(z, r, universal):
    """Set the sizes; return whether the game fits the universal layout."""
    if universal:
        z.rows, z.players, z.max_value, z.hand, z.rounds = CARDS, SEATS, VALUES - 1, _UNIVERSAL_HAND, _UNIVERSAL_ROUNDS
    else:
        z.rows, z.players, z.max_value, z.hand = (highest(r.deck) | 3) + 1, r.players, r.max_build, r.hand_size
        z.rounds = 1 if r.draw_hand else r.rounds
    # Values of hand cards, court cards included even if they take only their equals.
    z.ranks = max(z.max_value, z.rows // 4)
    z.card_steps = (z.rows if z.rows == CARDS else popcount(r.deck)) // 4 + 1
    return not universal or (r.hand_size <= _UNIVERSAL_HAND and r.rounds <= _UNIVERSAL_ROUNDS)


@kernel
def _add_table(z, segments):
    n, rows, values = z.players, z.rows, z.max_value
    z.place = _add(z, segments, 2 * rows, (rows, 3 * n + 2, 0, 0, 0))
    z.build = _add(z, segments, rows, (rows, values, 0, 0, 0))
    z.marks = _add(z, segments, 30, (rows, 3, 0, 0, 0))
    z.depth = _add(z, segments, rows * (DEPTH_BITS + 1), (rows, DEPTH_BITS + 1, 0, 0, 0))
    z.builds = _add(z, segments, 2 * values, (values, n + 2, 0, 0, 0))
    seat = z.hand + z.card_steps + SPADES + POINTS + SWEEPS + values + 3
    z.seats = _add(z, segments, n * seat, (n, seat, 0, 0, 0))


@kernel
def _add_turn(z, segments):
    n = z.players
    z.mode = _add(z, segments, 1, (_MODES, 0, 0, 0, 0))
    z.actor = _add(z, segments, 1, (n, 0, 0, 0, 0))
    z.mover = _add(z, segments, 1, (n, 0, 0, 0, 0))
    z.flags = _add(z, segments, _FLAG_COUNT, (_FLAG_COUNT, 0, 0, 0, 0))
    z.settled = _add(z, segments, 2, (2, 0, 0, 0, 0))
    z.values = _add(z, segments, _VALUE_COUNT, (_VALUE_COUNT, z.max_value, 0, 0, 0))
    z.source = _add(z, segments, 1, (n, 0, 0, 0, 0))
    z.round = _add(z, segments, z.rounds, (z.rounds, 0, 0, 0, 0))
    z.stock = _add(z, segments, 13, (13, 0, 0, 0, 0))


@kernel
def _add_reach(z, segments):
    n, ranks = z.players, z.ranks
    best = BEST_POINTS + BEST_CARDS + CERTAIN_POINTS + EXPECTED
    z.unseen = _add(z, segments, z.rows // 4, (z.rows // 4, 4, 0, 0, 0))
    z.holds = _add(z, segments, n * ranks, (n, ranks, CHANCES, 0, 0))
    z.threats = _add(z, segments, n * ranks, (n, ranks, CHANCES, REACH_POINTS, REACH_CARDS))
    z.best = _add(z, segments, best, (best, 0, 0, 0, 0))
    z.danger = _add(z, segments, z.max_value, (3, CHANCES + 1, 3, REACH_POINTS, 2))
    z.steals = _add(z, segments, n, (n, 2, REACH_POINTS, 0, 0))
    z.lead = _add(z, segments, 1, (2 * LEAD + 1, 0, 0, 0, 0))


@kernel
def _add_match(z, segments):
    z.score = _add(z, segments, z.players * TENS, (z.players, TENS + UNITS, 0, 0, 0))
    z.deals = _add(z, segments, DEALS, (DEALS, 0, 0, 0, 0))


@kernel
def _add_rules(z, segments, words, fields):
    """Rules are constant, so list the features that are on once and for all."""
    z.rules = _add(z, segments, _MOST_RULES_ON, (_MOST_RULE_ROWS, _RULE_BITS, 0, 0, 0))
    for row in range(fields.shape[0]):
        value, usual = words[fields[row, 0]], fields[row, 1]
        if usual >= 0:
            value ^= usual
        for bit in range(_RULE_BITS):
            if value >> bit & 1 and z.constants < _MOST_RULES_ON:
                z.constant[z.constants] = z.rules + row * _RULE_BITS + bit
                z.constants += 1


@entry
def lay_out(
    rules: RulesRow,
    words: I64,
    fields: I64x2,
    kind: int,
    layout: LayoutRow,
    segments: Annotated[Array, Elements(SEGMENT)],
) -> int:
    """Compute the segments of an observation; return their number, or 0 if the rules do not fit the universal layout.

    words: the record of the rules as numbers. fields: a row per row of the rules segment. kind: bits UNIVERSAL and
    MATCH.
    """
    z = layout[0]
    if not _measure(z, rules[0], kind & UNIVERSAL):
        return 0
    z.count, z.size, z.most, z.constants, z.score, z.deals, z.rules = 0, 0, 0, 0, -1, -1, -1
    _add_table(z, segments)
    _add_turn(z, segments)
    _add_reach(z, segments)
    if kind:
        _add_match(z, segments)
    if kind & UNIVERSAL:
        _add_rules(z, segments, words, fields)
    return z.count


def _rule_field(row: int, name: str) -> tuple[int, int]:
    """(word of a RULES record that a row of the rules segment shows, the default to XOR it with; -1 for none)."""
    switch = Rules.__dataclass_fields__.get(name)
    usual = switch_number(switch.type, switch.default) if switch and row >= _FIRST_LATER else -1
    return (RULES.names or ()).index(name), usual


_RULE_FIELDS = tuple(_rule_field(row, name) for row, name in enumerate(_RULE_ROWS))


# === For Python =======================================================================================================


@dataclass(frozen=True)
class Segment:
    name: str
    shape: tuple[int, ...]
    most: int  # features that can be on at once
    meaning: str
    offset: int = 0

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


@dataclass(frozen=True)
class Layout:
    """The segments of an observation, and the record from which kernels read them."""

    segments: tuple[Segment, ...]
    universal: bool
    record: Array

    @property
    def size(self) -> int:
        return int(self.record["size"][0])

    @property
    def most(self) -> int:
        """The most features that an observation can have on."""
        return int(self.record["most"][0])

    @property
    def features(self) -> dict[str, Any]:
        """What a policy stores about the layout it was trained with; see `fits`."""
        rule_rows = len(_RULE_ROWS) if self.universal else 0
        return {"size": self.size, "digest": self._digest(rule_rows), "rule_rows": rule_rows}

    def fits(self, features: dict[str, Any]) -> bool:
        """Whether the features that a policy was trained with are at the same places, whatever was appended."""
        rule_rows = features["rule_rows"]
        known = rule_rows <= (len(_RULE_ROWS) if self.universal else 0)
        return known and features == {"size": self.size, "digest": self._digest(rule_rows), "rule_rows": rule_rows}

    def _digest(self, rule_rows: int) -> str:
        """Digest of the names and shapes of all segments, and of the first rows of the rules."""
        text = repr([(s.name, s.shape) for s in self.segments] + list(_RULE_ROWS[:rule_rows]))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def match(self) -> bool:
        """Whether it holds the score of the match."""
        return bool(self.record["score"][0] >= 0)

    @property
    def words(self) -> int:
        """The number of 64-bit words that hold all features."""
        return -(-self.size // 64)

    def unpack(self, bits: Any) -> Any:
        """Unpack rows of obs="bits" to one byte per feature; works on numpy arrays and torch tensors."""
        if isinstance(bits, np.ndarray):
            parts = bits.astype("<i8", copy=False).view(np.uint8)
            return np.unpackbits(parts, axis=-1, count=self.size, bitorder="little").view(np.int8)
        parts = bits.unsqueeze(-1) >> bits.new_tensor(range(64)) & 1
        return parts.flatten(-2)[..., : self.size].char()

    def split(self, vector: Array) -> dict[str, Array]:
        """Split an observation, or a batch of them, into its segments by name, each in its shape."""
        lead = vector.shape[:-1]
        return {s.name: vector[..., s.offset : s.offset + s.size].reshape(*lead, *s.shape) for s in self.segments}


@checks_objects
def make_layout(rules: Rules, *, universal: bool = False, match: bool = False) -> Layout:
    """The layout for these rules. universal: the same for every game, with the rules among the features. match: with
    the score of the match."""
    return _make_layout(rules, universal, match)


@functools.lru_cache(maxsize=64, typed=True)
def _make_layout(rules: Rules, universal: bool, match: bool) -> Layout:
    row, record, placed = rules_record(rules), np.zeros(1, LAYOUT), np.zeros(len(SEGMENTS), SEGMENT)
    kind = UNIVERSAL * truth(universal, "universal") | MATCH * truth(match, "match")
    count = lay_out(row, row.view(np.int64), np.array(_RULE_FIELDS, np.int64), kind, record, placed)
    if not count:
        raise ValueError(TOO_LARGE.format(name=rules.name, hand=rules.hand_size, rounds=rules.rounds))
    told = _told(record[0])
    segments = (
        Segment(
            name, tuple(int(size) for size in row["shape"] if size), int(row["most"]), meaning.format_map(told),
            int(row["offset"]),
        )
        for (name, meaning), row in zip(SEGMENTS.items(), placed[:count], strict=False)
    )  # fmt: skip
    return Layout(tuple(segments), universal, record)


def _told(sizes: Any) -> dict[str, Any]:
    """The numbers and lists that meanings name."""
    numbers = {name: value for name, value in globals().items() if isinstance(value, int)}
    lists = {name: ", ".join(globals()[name]) for name in ("_FLAGS", "_ONE_OF_VALUES", "_RULE_ROWS")}
    rest = {"_LATER": _RULE_ROWS[_FIRST_LATER], "_SPARE": _MOST_RULE_ROWS - len(_RULE_ROWS)}
    return numbers | lists | rest | {name: sizes[name] for name in ("hand", "card_steps")}


def as_markdown(layout: Layout) -> list[str]:
    """The segments as lines of a Markdown table."""
    rows = ["| from | to | segment | shape | meaning |", "| ---: | ---: | --- | --- | --- |"]
    for s in layout.segments:
        shape = " x ".join(map(str, s.shape))
        rows.append(f"| {s.offset} | {s.offset + s.size - 1} | `{s.name}` | {shape} | {s.meaning} |")
    return [*rows, "", f"{layout.size} features, of which at most {layout.most} are on at once."]
