"""A record from outside is validated before it is played: its cards are all right, and its turn can be gone on with.

The cards are looked at by a kernel (engine/record_invariants.py). What a turn has begun is played once more from the
beginning of its open action: nothing else can have come about.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, DISCARD, END, NO, RAISE, YES
from casino_env.arrays import Array
from casino_env.cards import CARDS, card_name, cards_of, parse_card
from casino_env.engine import action_set, entrypoints, record_invariants
from casino_env.engine.state import GAME, IDLE, OPEN_CARDS, OVER, SORTING, rules_record
from casino_env.rules import Rules

Record = Any  # an array of one record of engine/state.py's GAME, or the record itself
Fields = dict[str, Any]

_TRIES = 3000  # positions looked at to find how an open action came about
_AHEAD = 64  # positions of the turn looked at to find whether it can be finished
MOST_ROUNDS = 78
_FLAG, _CARD = (0, 1), (-1, CARDS - 1)
# The fields of an action that is open, and of a turn: as they are before anything is done.
OPEN = {
    "open_value": 0, "open_left": 0, "open_count": 0, "open_last": CARDS, "raising": 0, "hand_card": -1, "picked": 0,
    "take_build": 0, "lead": CARDS, "required": 0, "tops_only": 0, "settled": 0,
}  # fmt: skip
TURN = {
    "acted": 0, "played": 0, "play_value": 0, "debt": 0, "unfinished": 0, "joined": 0, "stolen": 0, "added": 0,
    "merged": 0, "no_new_build": 0, "last_source": -1, "laid_now": -1, "must_add": 0,
}  # fmt: skip


def limits(rules: Rules) -> dict[str, tuple[int, int]]:
    """The least and greatest that the single numbers of a record may be."""
    seat, value = (0, rules.players - 1), (0, rules.max_build)
    out = dict.fromkeys(("to_move", "actor", "leader"), seat) | dict.fromkeys(
        ("last_capture", "last_source"), (-1, seat[1])
    )
    out |= dict.fromkeys(("play_value", "debt", "unfinished", "joined", "open_value", "open_left", "raising"), value)
    flags = (
        "match", "acted", "played", "stolen", "added", "merged", "no_new_build", "must_add", "take_build",
        "tops_only",
    )  # fmt: skip
    out |= dict.fromkeys(flags, _FLAG) | dict.fromkeys(("laid_now", "hand_card", "stock_top"), _CARD)
    if rules.chain == "no":
        out["stolen"] = (0, 2**rules.players - 1)  # bit p: of pile p
    out |= dict.fromkeys(("open_last", "lead"), (0, CARDS)) | dict.fromkeys(("laid_next", "turns"), (0, CARDS))
    return out | {
        "mode": (IDLE, OVER), "settled": (0, 3), "open_count": (0, OPEN_CARDS), "winner": (-2, rules.sides - 1),
        "round": (1, MOST_ROUNDS), "deals": (0, 30_000), "hidden_stock": (0, 0), "shuffled": (0, 0),
    }  # fmt: skip


_LISTS = {
    "match_score": (-30_000, 30_000), "deal_points": (0, 127), "sweeps": (0, CARDS), "open_cards": _CARD,
    "hidden_hand": (0, 0), "hidden_pile": (0, 0), "padding": (0, 0),
}  # fmt: skip


_NAMES = tuple(GAME.names or ())


@lru_cache(maxsize=64)
def _known(rules: Rules) -> tuple[list[tuple[str, int, int]], Array]:
    rows = [(name, *limit) for name, limit in limits(rules).items() if name in _NAMES]
    return rows, rules_record(rules)


def validate_record(record: Record, rules: Rules) -> None:
    """Raise ValueError, in one line, unless play could go on from the record (or its game is over)."""
    validate_fields(record, rules)
    prove_action(record, rules)


def validate_fields(record: Record, rules: Rules) -> None:
    """The same, but for what the open action takes: whether the hand of the seat allows it."""
    records = np.atleast_1d(record)
    rows, row = _known(rules)
    now = _fields(records)
    for name, low, high in rows:
        _within(name, now[name], low, high)
    for name, (low, high) in _LISTS.items():
        if now[name].any():
            _within(name, int(now[name].min()), low, high)
            _within(name, int(now[name].max()), low, high)
    found = record_invariants.fault(records, row)
    if found:
        raise ValueError(record_invariants.FAULTS[found])
    for wrong, text in (_finished if now["mode"] == OVER else _turn)(now, rules):
        if wrong:
            raise ValueError(text)


def _fields(records: Record) -> Fields:
    return dict(zip(_NAMES, records[0].item(), strict=True))


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ValueError(f"{name}: {value}; it must be {low}" + (f" to {high}" if high > low else ""))


# --- the fields of the turn ----------------------------------------------------------------------------------------


def _open_fields(now: Fields) -> list[str]:
    """The fields of an open action that say something."""
    names = [name for name, none in OPEN.items() if now[name] != none]
    return names + (["open_cards"] if now["open_cards"].any() else [])


def _begun(now: Fields) -> list[str]:
    """The fields of a turn in which something has been done."""
    return [name for name, none in TURN.items() if now[name] != none] + _open_fields(now)


def _finished(now: Fields, rules: Rules) -> Iterator[tuple[bool, str]]:
    begun = _begun(now)
    yield bool(begun), f"turn: the game is over, so there is no {', '.join(begun)}"
    left = now["hands"].any() or now["stock_top"] >= 0
    yield left and not rules.count_out, "hands: the game is over, but there are cards to play"
    yield now["match"] and now["winner"] == -1, "winner: the match is over, so somebody has won or it is shared (-2)"
    yield now["actor"] != now["to_move"], "turn.actor: the game is over"
    if not now["match"] and not left:
        yield now["winner"] != _deal_winner(now, rules), "winner: whoever has most points has won the deal"


def _deal_winner(now: Fields, rules: Rules) -> int:
    """The side with most points; of several the one with the big ten, where that breaks ties; -2: shared."""
    points = now["deal_points"][: rules.sides].tolist()
    best = [side for side in range(rules.sides) if points[side] == max(points)]
    if len(best) > 1 and rules.tie_break == "big_ten":
        big = parse_card(rules.big_ten)
        holders = {rules.side(seat) for seat in range(rules.players) if now["piles"][seat] >> big & 1}
        best = [side for side in best if side in holders] or best
    return best[0] if len(best) == 1 else -2


def _turn(now: Fields, rules: Rules) -> Iterator[tuple[bool, str]]:
    """What is wrong with a turn, and why."""
    yield now["winner"] != -1, "winner: there is none before the end"
    yield not now["match"] and now["deals"] != 0, "deals: a single deal has none behind it"
    if not now["acted"]:
        begun = _begun(now)
        yield bool(begun), f"turn: {', '.join(begun)} without acted"
        yield now["mode"] != IDLE, "turn.mode: nothing has been done in this turn"
        yield now["actor"] != now["to_move"], "turn.actor: the seat to move begins its turn"
        return
    yield from _played(now, rules)
    yield from _builds(now, rules)
    captured = rules.chain == "no" and rules.capture_tops  # piles that have given a card to a capture count as well
    yield now["stolen"] and rules.steal == "no" and not captured, "turn.stolen: nothing is stolen in this game"
    yield now["last_source"] >= 0 and rules.steal == "no", "turn.last_source: nothing is stolen in this game"
    if now["mode"] == IDLE:
        rest = _open_fields(now)
        yield bool(rest), f"turn: {', '.join(rest)} without an open action (mode)"
        yield now["actor"] != now["to_move"], "turn.actor: the seat to move goes on with its turn"
    if now["mode"] == SORTING:
        yield from _sorting(now, rules)


def _played(now: Fields, rules: Rules) -> Iterator[tuple[bool, str]]:
    """What only a hand card brings about."""
    after = ("play_value", "joined", "merged", "no_new_build", "must_add")
    early = [name for name in after if now[name]] + (["laid_now"] if now["laid_now"] >= 0 else [])
    yield bool(early) and not now["played"], f"turn: {', '.join(early)} without played"
    yield now["play_value"] and rules.table_builds, "turn.play_value: this game has none"
    yield now["must_add"] and rules.insist_augment != "ask", "turn.must_add: nobody is asked in this game"
    yield now["no_new_build"] and now["laid_now"] < 0, "turn.no_new_build: without a discard (laid_now)"
    if now["laid_now"] >= 0:
        lying = int(now["layout"]) | int(np.bitwise_or.reduce(now["build_cards"]))
        name = card_name(now["laid_now"])
        yield not lying >> now["laid_now"] & 1, f"turn.laid_now: {name} lies neither in the layout nor in a build"


def _builds(now: Fields, rules: Rules) -> Iterator[tuple[bool, str]]:
    """The builds that a turn speaks of stand, and belong to whom they should."""
    mover = now["to_move"]
    owners = {v: seat for seat in range(rules.players) for v in range(1, 15) if now["owned"][seat] >> v & 1}
    for name in ("play_value", "debt", "unfinished", "joined", "raising"):
        yield now[name] and now[name] not in owners, f"turn.{name}: there is no build of {now[name]}"
    debt, joined, unfinished = now["debt"], now["joined"], now["unfinished"]
    if debt in owners:
        # Whoever has no card for its build, and nothing else to do, discards and owes on (engine/legal.py).
        holds = any(card >> 2 == (debt - 1) % 13 for card in cards_of(now["hands"][mover]))
        yield now["played"] and holds, "turn.debt: the hand card that could pay it is played"
        if rules.steal == "bound":
            yield owners[debt] != mover, f"turn.debt: the build of {debt} is not seat {mover}'s own"
        else:
            yield rules.side(owners[debt]) == rules.side(mover), f"turn.debt: the build of {debt} is no opponent's"
            yield rules.steal != "augment", "turn.debt: opponents' builds are not added to in this game"
    if joined in owners:
        yield owners[joined] != mover, f"turn.joined: the build of {joined} is not seat {mover}'s own"
    if unfinished in owners:
        yield (
            rules.side(owners[unfinished]) != rules.side(mover),
            f"turn.unfinished: the build of {unfinished} is not its side's",
        )


def _sorting(now: Fields, rules: Rules) -> Iterator[tuple[bool, str]]:
    """The captured cards on their way to the pile."""
    yield rules.pile_order != "ask", "turn.mode: piles are not sorted by hand in this game"
    yield not now["required"], "turn.required: cards to sort are missing"
    yield now["hand_card"] < 0, "turn.hand_card: the capturing card is missing"
    yield not now["played"] or now["last_capture"] != now["to_move"], "turn.mode: nothing has been captured"
    rest = [name for name in _open_fields(now) if name not in ("required", "hand_card", "picked")]
    yield bool(rest), f"turn: {', '.join(rest)} while cards are sorted"
    yield now["actor"] != now["to_move"], "turn.actor: the seat to move sorts its cards"
    pile = now["to_move"] % 2 if rules.shared_pile else now["to_move"]
    top, count = now["pile_top"][pile], int(now["picked"]).bit_count()
    sorted_now = 0
    for _ in range(count):
        sorted_now |= 1 << int(top) if top >= 0 else 0
        top = now["below"][top] if top >= 0 else -1
    yield sorted_now != now["picked"], "turn.picked: these cards do not lie on top of the pile"


# --- the open action -----------------------------------------------------------------------------------------------


def prove_action(record: Record, rules: Rules) -> None:
    """There is something to do, and what is open can have come about; ValueError otherwise."""
    records, row = np.atleast_1d(record), _known(rules)[1]
    now = _fields(records)
    mode = now["mode"]
    if mode not in (IDLE, SORTING, OVER) and not _comes_about(records, row, now):
        raise ValueError(f"turn: nothing that seat {now['to_move']} could begin leads to this open action")
    if mode != OVER and not any(entrypoints.legal(records, row)):
        raise ValueError(f"to_move: seat {now['to_move']} has no legal action, although the game is not over")
    if mode != OVER and (now["unfinished"] or now["debt"] or now["must_add"]) and _leads_nowhere(records, row):
        raise ValueError(f"turn: what seat {now['to_move']} owes in it cannot be done")


def _leads_nowhere(records: Record, row: Record) -> bool:
    """Whether the turn comes to where nothing is legal, soon: no turn that was begun by the rules does."""
    waiting, seen = [records], {records.tobytes()}
    for here in waiting:
        legal = action_set.actions_of(entrypoints.legal(here, row))
        if not legal:
            return True
        for action in legal:
            after = here.copy()
            entrypoints.act(after, row, action)
            same_turn = after["mode"][0] != OVER and after["turns"][0] == records["turns"][0]
            if same_turn and len(seen) < _AHEAD and after.tobytes() not in seen:
                seen.add(after.tobytes())
                waiting.append(after)
    return False


def _comes_about(records: Record, row: Record, now: Fields) -> bool:
    """Whether the open action is found by doing what its fields name, from where nothing was open."""
    wanted, named = records.tobytes(), _named(now)
    begun = _closed(records)
    stack, seen = [begun], {begun.tobytes()}
    while stack and len(seen) < _TRIES:
        here = stack.pop()
        legal = set(action_set.actions_of(entrypoints.legal(here, row)))
        for action in reversed(named):
            if action in legal:
                after = here.copy()
                entrypoints.act(after, row, action)
                data = after.tobytes()
                if data == wanted:
                    return True
                if data not in seen and after["mode"][0] not in (IDLE, SORTING, OVER):
                    seen.add(data)
                    stack.append(after)
    return False


def _closed(records: Record) -> Record:
    """The same turn with nothing open."""
    begun = records.copy()
    for name, none in OPEN.items():
        begun[name] = none
    begun["open_cards"] = 0
    begun["mode"] = IDLE
    begun["actor"] = begun["to_move"]
    return begun


def _named(now: Fields) -> list[int]:
    """The actions that an open action may have come about by."""
    value, card = now["open_value"], now["hand_card"]
    named = [RAISE + now["raising"] - 1] if now["raising"] else []
    named += [BUILD + value - 1] if value else []
    if card >= 0:
        named += [CAPTURE + card, DISCARD + card] + ([CAPTURE_HIGH + card] if card < 4 else [])
    opened = [int(other) for other in now["open_cards"][: now["open_count"]]]
    named += opened + [other for other in cards_of(now["picked"] | now["required"])[::-1] if other not in opened]
    return [*named, END, YES, NO]
