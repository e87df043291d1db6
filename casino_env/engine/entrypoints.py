"""Entry points for one game: each takes the game record and the rules as arrays of length one."""

import numpy as np

from casino_env.arrays import Array
from casino_env.compiler.jit import entry
from casino_env.compiler.types import I16x2, I64x2, Word
from casino_env.engine import action_set
from casino_env.engine.action_set import ActionSet
from casino_env.engine.deal import new_game, next_with_cards, played_out
from casino_env.engine.legal import legal_actions
from casino_env.engine.scoring import CATEGORIES, category_points
from casino_env.engine.state import OVER, Records, RulesRow, rules_record
from casino_env.engine.turn import apply, decide, play_forced
from casino_env.rng import game_below
from casino_env.switches import Switches

# === Kernels ==========================================================================================================


@entry
def start(records: Records, rules: RulesRow, seed: Word, match: int) -> None:
    new_game(records[0], rules[0], seed, match)


@entry
def legal(records: Records, rules: RulesRow) -> ActionSet:
    """The legal actions, in the form of action_set.py."""
    return legal_actions(records[0], rules[0])


@entry
def play(records: Records, rules: RulesRow, action: int, forced: int, done: I16x2) -> tuple[int, ActionSet]:
    """Apply a legal action and, if `forced` is set, the forced actions after it, at most one per row of `done`.

    Each row gets (seat, action, whether it begins a turn). Return (number of actions, legal actions now). Without
    `forced` the legal actions are not computed and come back empty.
    """
    g, r, legal = records[0], rules[0], action_set.NOTHING
    count, most = 0, done.shape[0]
    while count < most:
        done[count, 0], done[count, 1], done[count, 2] = g.actor, action, 0 if g.acted else 1
        apply(g, r, action)
        count += 1
        if not forced:
            break
        legal = legal_actions(g, r)
        if action_set.count(legal) != 1:
            break
        action = action_set.nth(legal, 0)
    return count, legal


@entry
def points(records: Records, rules: RulesRow, table: I64x2) -> None:
    """Write points by category (rows) and side: final if the deal is played out, else those already certain. A
    count-out ends a match before all cards are played."""
    g, r = records[0], rules[0]
    over = g.mode == OVER and played_out(g, next_with_cards(g, r))
    for kind in range(table.shape[0]):
        for side in range(r.sides):
            table[kind, side] = category_points(g, r, side, kind, over)


@entry
def random_deals(records: Records, rules: RulesRow, seed: int, deals: int) -> tuple[int, int]:
    """Play whole deals with random actions, listing the legal ones each time; return (decisions, turns)."""
    g, r = records[0], rules[0]
    decisions, turns = 0, 0
    for deal in range(deals):
        new_game(g, r, seed + deal, 0)
        legal = play_forced(g, r)
        while g.mode != OVER:
            legal = decide(g, r, action_set.nth(legal, game_below(g, action_set.count(legal))))
            decisions += 1
        turns += g.turns
    return decisions, turns


# === Points of a deal by category and seat, as plain data =============================================================

# Categories that count only under a rule, with the rule; the others are aces.
_BY_RULE = {
    "cards": "cards_points",
    "spades": "spades_points",
    "five spades": "five_spades_points",
    "big ten": "big_points",
    "little two": "little_points",
    "jack of spades": "spade_cards",
    "other spades": "spade_cards",
    "sweeps": "sweeps",
}


def breakdown(records: Array, rules: Switches) -> dict[str, list[int]]:
    """Points by category and seat: final if the deal is over, else those already certain. Partners score alike."""
    table = np.zeros((len(CATEGORIES), rules.sides), np.int64)
    points(records, rules_record(rules), table)
    by_seat = [[int(row[rules.side(seat)]) for seat in range(rules.players)] for row in table]
    return {name: row for name, row in zip(CATEGORIES, by_seat, strict=True) if _counts(rules, name) or any(row)}


def _counts(rules: Switches, category: str) -> bool:
    return bool(getattr(rules, _BY_RULE.get(category, "ace_points")))


def scores(points: dict[str, list[int]], rules: Switches) -> list[int]:
    """Total points by seat from a breakdown."""
    return [sum(row[seat] for row in points.values()) for seat in range(rules.players)]
