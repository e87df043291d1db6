"""The style of an agent: its plays in a turn, the fate of its builds, the sources of its points.

Kernels count plays while deals are played. They recognise a play by comparing the record before and after an action, so
no rules are repeated here.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.compiler.types import I64, U64, I16x3, I64x2
from casino_env.engine import action_set
from casino_env.engine.deal import new_game
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import owner_of, pile_of, rank_cards, side_of
from casino_env.engine.scoring import CATEGORIES, card_points, category_points
from casino_env.engine.state import GAME, OVER, VALUES, Records, RulesRow, rules_record
from casino_env.engine.turn import apply
from casino_env.envs.batch import WAIT
from casino_env.evaluate.matches.deals import Book
from casino_env.evaluate.matches.duplicate import play_deals, seatings
from casino_env.evaluate.matches.pairing import A, Pairing, entrant
from casino_env.evaluate.progress import interruptible, progress
from casino_env.validate import check_least

# Kinds of plays; a turn of the African games may hold several.
PLAYS = ("capture", "build", "augment", "raise", "steal", "discard")
# A side's builds are made or won over, then cashed, lost, merged with another, or left on the table at the end.
TALLIES = (
    "turns", "decisions", "cashed", "lost", "won over", "merged", "left",
    "stolen cards", "stolen points", "robbed cards", "robbed points",
    "value", "drifts",  # summed value of builds made; hand cards of a build's rank added to it instead of taking it
)  # fmt: skip
LONGEST = 32  # turns of a seat that are counted separately; the last count includes all later turns
_AT_ONCE = 512  # deals in a batch; fixed, so that results are the same on every machine

# Columns of counts [game, seat, column]: times of each play, turns with each play, tallies, points, captures by turn.
COLUMNS = {
    name: (start, stop)
    for name, start, stop in zip(
        ("times", "turns_with", "tallies", "points", "when"),
        np.cumsum([0, len(PLAYS), len(PLAYS), len(TALLIES), len(CATEGORIES)]).tolist(),
        np.cumsum([len(PLAYS), len(PLAYS), len(TALLIES), len(CATEGORIES), LONGEST]).tolist(),
        strict=True,
    )
}
WIDTH = COLUMNS["when"][1]

# The same columns as constants for the kernels.
_CAPTURE, _BUILD, _AUGMENT, _RAISE, _STEAL, _DISCARD = range(len(PLAYS))
_TURNS_WITH, _TALLIES, _POINTS, _WHEN = (COLUMNS[name][0] for name in ("turns_with", "tallies", "points", "when"))
(
    _TURNS, _DECISIONS, _CASHED, _LOST, _WON, _MERGED, _LEFT, _STOLEN, _STOLEN_POINTS, _ROBBED, _ROBBED_POINTS,
    _VALUE, _DRIFTS,
) = range(_TALLIES, _TALLIES + len(TALLIES))  # fmt: skip
_PLAYS, _KINDS = len(PLAYS), len(CATEGORIES)


@kernel
def _note(counts, flags, seat, play):
    counts[seat, play] += 1
    flags[0] |= 1 << play


# --- builds ------------------------------------------------------------------------------------------------------


@kernel
def _note_sets(b, g, r, seat, counts, flags):
    """Count builds that are new or have grown."""
    for value in range(1, VALUES):
        if g.build_sets[value] <= b.build_sets[value]:
            continue
        if owner_of(b, r, value) < 0:
            _note(counts, flags, seat, _BUILD)
            counts[seat, _VALUE] += value
        elif b.unfinished != value:  # a base that gets its first set is no augmentation
            _note(counts, flags, seat, _AUGMENT)


@kernel
def _note_drift(b, g, r, seat, played, counts):
    for value in range(1, VALUES):
        owner = owner_of(b, r, value)
        own = owner >= 0 and b.unfinished != value and side_of(r, owner) == side_of(r, seat)
        if own and played & g.build_cards[value] & rank_cards(value):
            counts[seat, _DRIFTS] += 1


@kernel
def _note_owners(b, g, r, seat, captured, counts):
    """Count builds that were captured or changed sides."""
    for value in range(1, VALUES):
        before, after = owner_of(b, r, value), owner_of(g, r, value)
        if before < 0:
            continue
        if after < 0 and captured:
            own = side_of(r, before) == side_of(r, seat)
            counts[before, _CASHED if own else _LOST] += 1
        elif after >= 0 and side_of(r, before) != side_of(r, after):
            counts[before, _LOST] += 1
            counts[after, _WON] += 1


@kernel
def _note_raise(b, g, r, seat, counts, flags):
    """Count a raise: the build may have changed sides, or merged with a build of its new value."""
    _note(counts, flags, seat, _RAISE)
    before, after = owner_of(b, r, b.raising), owner_of(g, r, b.open_value)
    if side_of(r, before) != side_of(r, after):
        counts[before, _LOST] += 1
        counts[after, _WON] += 1
    if owner_of(b, r, b.open_value) >= 0:
        counts[after, _MERGED] += 1


@kernel
def _note_left(b, r, counts):
    for value in range(1, VALUES):
        owner = owner_of(b, r, value)
        if owner >= 0:
            counts[owner, _LEFT] += 1


# --- steals ------------------------------------------------------------------------------------------------------


@kernel
def _note_steals(b, g, r, seat, counts, flags):
    """Count cards that have left the piles of other sides."""
    for pile in range(r.players):
        cards = b.piles[pile] & ~g.piles[pile]
        if cards == 0 or side_of(r, pile) == side_of(r, seat):
            continue
        _note(counts, flags, seat, _STEAL)
        number, points = popcount(cards), card_points(r, cards)
        counts[seat, _STOLEN] += number
        counts[seat, _STOLEN_POINTS] += points
        for victim in range(r.players):
            if pile_of(r, victim) == pile:
                counts[victim, _ROBBED] += number
                counts[victim, _ROBBED_POINTS] += points


# --- one action --------------------------------------------------------------------------------------------------


@kernel
def _note_play(b, g, r, counts, flags):
    """Count the effects of an action inside a turn."""
    seat = b.to_move
    played = b.hands[seat] & ~g.hands[seat]
    built = 0
    for value in range(1, VALUES):
        built |= g.build_cards[value]
    captured = played != 0 and played & (g.layout | built) == 0
    if captured:
        _note(counts, flags, seat, _CAPTURE)
        counts[seat, _WHEN + min(counts[seat, _TURNS], LONGEST - 1)] += 1
    elif played & g.layout:
        _note(counts, flags, seat, _DISCARD)
    if b.raising and not g.raising:
        _note_raise(b, g, r, seat, counts, flags)
    else:
        _note_sets(b, g, r, seat, counts, flags)
        _note_drift(b, g, r, seat, played, counts)
    _note_owners(b, g, r, seat, captured, counts)
    _note_steals(b, g, r, seat, counts, flags)


@kernel
def _note_turn(b, g, r, counts, flags):
    """Count the end of a turn, and of the deal if it is over."""
    seat = b.to_move
    counts[seat, _TURNS] += 1
    for play in range(_PLAYS):
        counts[seat, _TURNS_WITH + play] += flags[0] >> play & 1
    flags[0] = 0
    if g.mode == OVER:
        _note_left(b, r, counts)
        for other in range(r.players):
            for kind in range(_KINDS):
                counts[other, _POINTS + kind] += category_points(g, r, side_of(r, other), kind, True)


class Watched(NamedTuple):
    """Games that are followed, and their counts."""

    records: Records  # [game]: replayed here in parallel
    rules: RulesRow  # one record
    counts: I16x3  # [game, seat, column]
    flags: I64x2  # [game, 1]: plays of the open turn, a bit each
    before: Records  # workspace: one record


@kernel
def _apply(watched, i, action):
    """Apply an action and count its effects. No action both plays and ends a turn."""
    r = watched.rules[0]
    watched.before[0] = watched.records[i]
    g, b = watched.records[i], watched.before[0]
    apply(g, r, action)
    if g.mode == OVER or g.turns != b.turns:
        _note_turn(b, g, r, watched.counts[i], watched.flags[i])
    else:
        _note_play(b, g, r, watched.counts[i], watched.flags[i])
    return legal_actions(g, r)


@kernel
def _play_forced(watched, i, legal):
    while action_set.count(legal) == 1:
        legal = _apply(watched, i, action_set.nth(legal, 0))


@entry
def begin(watched: Watched, deals: U64) -> None:
    """Deal the games and play up to the first choice of each."""
    watched.counts[:] = 0
    watched.flags[:] = 0
    for i in range(deals.shape[0]):
        new_game(watched.records[i], watched.rules[0], deals[i], 0)
        _play_forced(watched, i, legal_actions(watched.records[i], watched.rules[0]))


@entry
def follow(watched: Watched, actions: I64) -> None:
    """Replay one decision in each game that is not over, and the forced actions after it."""
    for i in range(actions.shape[0]):
        if actions[i] != WAIT:
            watched.counts[i, watched.records[i].actor, _DECISIONS] += 1
            _play_forced(watched, i, _apply(watched, i, actions[i]))


# --- an agent -------------------------------------------------------------------------------------------------------


def style(book: Book, agent: Any, against: Any = None) -> dict[str, Any]:
    """Return the results of the command as plain data. Agents: specs or entrants. Rates have 95 % intervals by deal."""
    rules, deals = book.rules, len(book)
    check_least("deals", deals, 2)
    began = time.perf_counter()
    parts: list[Array] = []
    agent, against = entrant(agent), entrant(against) if against else None
    with progress(f"style of {agent.name}", deals) as show, interruptible(lambda: sum(map(len, parts))) as ended:
        for counts, mine in counted(book, agent, against):
            parts.append((counts * mine[:, :, None]).sum(axis=1, dtype=np.int64))
            show(sum(map(len, parts)), "")
    by_deal, seats = np.concatenate(parts), rules.players // (rules.sides if against else 1)
    return {
        "agent": agent.name,
        "against": (against or agent).name,
        "variant": rules.name,
        "players": rules.players,
        "deals": len(by_deal),
        "seats": seats,
        "seed": book.seed,
        **_numbers(by_deal, seats),
        "seconds": round(time.perf_counter() - began, 3),
        **ended,
    }


def counted(book: Book, agent: Any, against: Any) -> Iterator[tuple[Array, Array]]:
    """Yield, for a batch of deals, the counts [deal, seat, column] and which seats are the agent's.

    The agent plays all seats, or one side against another agent, the side rotating from deal to deal.
    """
    rules = book.rules
    rows = seatings(rules) if against else np.full((1, rules.players), A)
    pairing = Pairing.of(rules, (agent, against or agent), rows, book.seed)
    size = _AT_ONCE if pairing.batched() else 1
    for first in range(0, len(book), size):
        deals = list(book.seeds[first : first + size])
        row = np.arange(first, first + len(deals)) % len(rows)
        watched = Watched(
            records=np.zeros(len(deals), GAME), rules=rules_record(rules),
            counts=np.zeros((len(deals), rules.players, WIDTH), np.int16),
            flags=np.zeros((len(deals), 1), np.int64), before=np.zeros(1, GAME),
        )  # fmt: skip
        begin(watched, np.array(deals, np.uint64))
        play_deals(pairing, deals, row, partial(follow, watched))
        yield watched.counts, rows[row] == A


def _numbers(by_deal: Array, seats: int) -> dict[str, Any]:
    """Return the rates. by_deal: the counts of each deal, summed over the agent's seats."""
    part = {name: by_deal[:, start:stop] for name, (start, stop) in COLUMNS.items()}
    tally = {name: part["tallies"][:, i] for i, name in enumerate(TALLIES)}
    deals = np.full(len(by_deal), seats)
    made = part["times"][:, PLAYS.index("build")]
    owned = made + tally["won over"]
    taken = part["when"].sum(axis=0)
    return {
        "turns": {play: ratio(part["turns_with"][:, i], tally["turns"]) for i, play in enumerate(PLAYS)},
        "times": {play: ratio(part["times"][:, i], deals) for i, play in enumerate(PLAYS)},
        "builds": {
            "made": ratio(made, deals),
            "won over": ratio(tally["won over"], deals),
            "drifts": ratio(tally["drifts"], deals),
            "value": ratio(tally["value"], made),
            **{name: ratio(tally[name], owned) for name in ("cashed", "lost", "merged", "left")},
        },
        "points": {
            name: ratio(part["points"][:, i], deals) for i, name in enumerate(CATEGORIES) if part["points"][:, i].any()
        },
        "total": ratio(part["points"].sum(axis=1), deals),
        "steals": {
            name: ratio(tally[name], deals)
            for name in ("stolen cards", "stolen points", "robbed cards", "robbed points")
        },
        "decisions": ratio(tally["decisions"], tally["turns"]),
        "turns a deal": ratio(tally["turns"], deals),
        "captures by turn": [round(float(n) / max(1, taken.sum()), 5) for n in np.trim_zeros(taken, "b")],
    }


def ratio(part: Array, whole: Array) -> dict[str, float]:
    """Return sum(part) / sum(whole) with its 95 % interval over deals."""
    total = float(whole.sum())
    if not total:
        return {"mean": 0.0, "low": 0.0, "high": 0.0}
    mean = float(part.sum()) / total
    n = len(part)
    error = 1.96 * float(np.sqrt(np.sum((part - mean * whole) ** 2) * n / max(1, n - 1))) / total
    return {"mean": round(mean, 5), "low": round(mean - error, 5), "high": round(mean + error, 5)}
