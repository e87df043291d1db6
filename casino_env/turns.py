"""Every complete turn from a position, and counting them (perft)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from casino_env import position
from casino_env.actions import action_text
from casino_env.arrays import Array, Record
from casino_env.cards import cards_of
from casino_env.engine import action_set, entrypoints
from casino_env.engine.state import NEVER, OVER, Recorded, build_sets, by_time, chain, rules_record
from casino_env.notation import turn_texts
from casino_env.rules import Rules

# On a crowded table complete turns are without number. So many are listed, within a second; more are refused.
MOST_TURNS, MOST_POSITIONS = 4_000, 10_000
CROWDED = 16  # loose cards; with more, captures that must take all they can take ten times as long to find


def result_key(record: Record, rules: Rules) -> Hashable:
    """Equal for positions between turns that nobody could tell apart."""
    game = record[0]
    keep_order = rules.stacking in ("as_built", "build_on_top")
    builds = []
    for seat in range(rules.players):
        for value in range(1, 15):
            if game["owned"][seat] >> value & 1:
                sets = build_sets(game, value)
                shape = sets if keep_order else sorted(sorted(cards) for cards in sets)
                builds.append((value, seat, tuple(map(tuple, shape))))
    if rules.stacking == "face_down":
        piles: Hashable = tuple(game["piles"].tolist())
    else:
        piles = tuple(tuple(chain(game, int(top))) for top in game["pile_top"])
    layout: Hashable = int(game["layout"])
    if rules.stacking == "as_built":
        layout = tuple(by_time(game, int(game["layout"])))
    rest = ("to_move", "mode", "round", "last_capture", "stock_top", "winner")
    scalars = tuple(int(game[name]) for name in rest)
    lists = (game["hands"].tobytes(), game["proven"].tobytes(), game["sweeps"].tobytes())
    return piles, layout, tuple(sorted(builds)), scalars, lists


def may_do(record: Record, rules_row: Record, seat: int) -> list[int]:
    """The legal actions of a seat, if it is the one that decides."""
    if record["mode"][0] == OVER or record["actor"][0] != seat:
        return []
    return action_set.actions_of(entrypoints.legal(record, rules_row))


def afterstate_key(record: Record, rules: Rules, same: Array) -> Hashable:
    """Equal for what turns from the same position leave, if nobody could tell it apart but for the names of equal
    cards. The turns have not been ended: that may deal cards. same: of each card the first that is its equal."""
    game = record[0]

    def names(cards: Iterable[int]) -> tuple[int, ...]:
        return tuple(int(same[card]) for card in cards)

    def held(cards: int) -> tuple[int, ...]:
        return tuple(sorted(names(cards_of(int(cards)))))

    ordered = rules.stacking in ("as_built", "build_on_top")
    builds = [
        (value, held(game["build_cards"][value]), int(game["build_sets"][value]) == 1)
        + ((names(chain(game, int(game["build_top"][value]))),) if ordered else ())
        for value in range(1, 15)
        if game["build_top"][value] >= 0
    ]
    layout = int(game["layout"])
    loose = names(by_time(game, layout)) if rules.stacking == "as_built" else held(layout)
    piles = [
        (held(game["piles"][seat]), names(chain(game, int(game["pile_top"][seat]))))
        for seat in range(len(game["piles"]))
    ]
    hands = tuple(held(hand) for hand in game["hands"])
    rest = tuple(
        int(game[name]) for name in ("mode", "actor", "last_capture", "winner", "open_value", "picked", "required")
    )
    return (
        hands,
        tuple(builds),
        loose,
        tuple(piles),
        rest,
        *(game[name].tobytes() for name in ("owned", "proven", "sweeps")),
    )


def walk(record: Record, rules_row: Record, visit: Callable[[Record, list[int]], None], most: float = math.inf) -> None:
    """Call visit(result, actions) for the end of each turn that can be reached."""
    begun, deals = int(record["turns"][0]), int(record["deals"][0])

    def ended(here: Record, _: list[int]) -> bool:
        return int(here["turns"][0]) != begun or int(here["deals"][0]) != deals

    if not explore(record, rules_row, ended, visit, most):
        raise TooManyTurnsError(
            f"more than {most:,.0f} positions lie between here and the end of the turn; play action by action"
        )


def is_crowded(record: Record) -> bool:
    return int(record["layout"][0]).bit_count() > CROWDED


def affordable(record: Record, rules_row: Record, most: int) -> int:
    """How many positions may be looked at in the time that so many mostly take."""
    return most // 10 if is_crowded(record) and rules_row["insist_capture"][0] != NEVER else most


def explore(
    record: Record,
    rules_row: Record,
    ended: Callable[[Record, list[int]], bool],
    visit: Callable[[Record, list[int]], None],
    most: float = math.inf,
) -> bool:
    """Follow all actions, and visit(position, actions) wherever they have ended; positions seen before are passed over.

    False, and not all is visited, if there are more than most positions.
    """
    seen: set[bytes] = set()
    stack: list[tuple[Record, list[int]]] = [(record, [])]
    while stack:
        here, actions = stack.pop()
        if ended(here, actions):
            visit(here, actions)
            continue
        for action in reversed(action_set.actions_of(entrypoints.legal(here, rules_row))):
            after = position.copied(here)
            entrypoints.act(after, rules_row, action)
            data = after.tobytes()
            if data not in seen:
                seen.add(data)
                stack.append((after, [*actions, action]))
        if len(seen) > most:
            return False
    return True


class TooManyTurnsError(ValueError):
    """A crowded table, on which the complete turns cannot be listed; playing action by action is always possible."""


def distinct_results(
    record: Record, rules: Rules, most: float = math.inf, most_turns: float = math.inf
) -> dict[Hashable, tuple[Record, list[int]]]:
    """The results of all complete turns, with the shortest way to each that was met first."""
    results: dict[Hashable, tuple[Record, list[int]]] = {}

    def visit(after: Record, actions: list[int]) -> None:
        key = result_key(after, rules)
        if key not in results or len(actions) < len(results[key][1]):
            results[key] = (after, actions)
        if len(results) > most_turns:
            raise TooManyTurnsError(f"more than {most_turns:,} complete turns are possible; play action by action")

    walk(record, rules_record(rules), visit, most)
    return results


def complete_turns(game: Recorded) -> list[dict[str, Any]]:
    """See Game.turns."""
    found = list(results_of(game).values())
    texts = turn_texts(game.records, rules_record(game.rules), [actions for _, actions in found])
    return [
        {
            "text": text,
            "actions": [action_text(action) for action in actions],
            "after": position.to_json(after[0], game.rules),
        }
        for text, (after, actions) in zip(texts, found, strict=True)
    ]


def results_of(game: Recorded) -> dict[Hashable, tuple[Record, list[int]]]:
    """The distinct results of a game's next turn, none if it is over; raises TooManyTurnsError."""
    record, rules = game.records, game.rules
    if record[0]["mode"] == OVER:
        return {}
    most = affordable(record, rules_record(rules), MOST_POSITIONS)
    return distinct_results(position.copied(record), rules, most, MOST_TURNS)


def perft(game: Recorded, depth: int, most: float = math.inf) -> int:
    """How many distinct positions the next `depth` turns can lead to, counted level by level.

    most: positions of one turn that are looked at (some 30,000 a second, half a kilobyte each); TooManyTurnsError if
    it has more, as crowded tables do.
    """
    level: dict[Hashable, Record] = {0: position.copied(game.records)}
    for _ in range(depth):
        following: dict[Hashable, Record] = {}
        for here in level.values():
            results = distinct_results(here, game.rules, most)
            following |= {key: after for key, (after, _) in results.items()}
        level = following
    return len(level)
