"""What happens in a deal, counted as it is played: plays, builds and their fates, steals, when cards are taken.

A play is told from the record before and after an action, so nothing here repeats the rules.
"""

from typing import NamedTuple

import numpy as np

from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.engine import action_set
from casino_env.engine.deal import new_game
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import owner_of, pile_of, rank_cards, side_of
from casino_env.engine.scoring import CATEGORIES, card_points, category_points
from casino_env.engine.state import OVER, VALUES
from casino_env.engine.turn import apply
from casino_env.envs.batch import WAIT

# What a turn may hold; a turn of the African games may hold several.
PLAYS = ("capture", "build", "augment", "raise", "steal", "discard")
# A side's builds: made or won over, then cashed, lost, merged with another, or left on the table at the end.
TALLIES = (
    "turns", "decisions", "cashed", "lost", "won over", "merged", "left",
    "stolen cards", "stolen points", "robbed cards", "robbed points",
    "value", "drifts",  # of builds made, summed; cards of its own rank added to an own build instead of taking it
)  # fmt: skip
LONGEST = 32  # turns of a seat that are told apart; the last one stands for all later ones

# The columns of a count, by game and seat: times of each play, turns with each play, tallies, points, captures by turn.
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

# The same as numbers for the kernels.
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
    """Builds that are new or have grown."""
    for value in range(1, VALUES):
        if g.build_sets[value] <= b.build_sets[value]:
            continue
        if owner_of(b, r, value) < 0:
            _note(counts, flags, seat, _BUILD)
            counts[seat, _VALUE] += value
        elif b.unfinished != value:  # else a lone base gets its first set
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
    """Builds that are gone or have changed sides."""
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
    """The raised build is somebody else's now, or one with the build that it came to."""
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
    """Cards that have left the piles of other sides."""
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
    """What an action inside a turn has done."""
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
    """A turn is over, perhaps the deal with it."""
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
    """Games that are followed, and what is counted in them."""

    records: Array  # [game]: played here a second time
    rules: Array  # one record
    counts: Array  # [game, seat, column]
    flags: Array  # [game, 1]: plays of the open turn, a bit each
    before: Array  # workspace: one record


@kernel
def _apply(watched, i, action):
    """An action, noted. Playing and ending a turn are never one action."""
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
def begin(watched, deals):
    """Deal the games out, up to the first choice of each."""
    watched.counts[:] = 0
    watched.flags[:] = 0
    for i in range(deals.shape[0]):
        new_game(watched.records[i], watched.rules[0], deals[i], 0)
        _play_forced(watched, i, legal_actions(watched.records[i], watched.rules[0]))


@entry
def follow(watched, actions):
    """One decision in each game that is not over, and the forced actions after it."""
    for i in range(actions.shape[0]):
        if actions[i] != WAIT:
            watched.counts[i, watched.records[i].actor, _DECISIONS] += 1
            _play_forced(watched, i, _apply(watched, i, actions[i]))
