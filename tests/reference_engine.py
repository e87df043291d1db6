"""The turn rules a second time: a slow brute-force engine in plain Python, the oracle for the fast engine.

A turn is a search: from its start every action is tried in every possible order, and each state in which the turn may
end gives a result. Nothing is clever: sets of cards are enumerated, illegal ones are dropped, and actions that lead
nowhere give no result. R numbers are those of docs/rules.md, C numbers those of docs/kasa.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby, permutations, product, takewhile
from math import inf
from typing import Any, NamedTuple

from casino_env.cards import Card, card_name, parse_card
from casino_env.rules import Rules, make_rules

Cards = tuple[Card, ...]
Position = dict[str, Any]

NOTHING = -1  # no card played yet
FLOOR = -1  # the last card picked up did not come from a pile
BIG_TENS = {"TD": parse_card("TD"), "TS": parse_card("TS")}
LITTLE_TWO = parse_card("2S")


class Build(NamedTuple):
    value: int
    owner: int
    sets: tuple[Cards, ...]  # bottom to top; one set = single build


class State(NamedTuple):
    """The table in the middle of a turn, and what still matters of the turn so far."""

    hand: frozenset[Card]
    layout: Cards
    builds: tuple[Build, ...]
    piles: tuple[Cards, ...]
    proven: tuple[frozenset[int], ...]
    played: Card = NOTHING
    discarded: bool = False  # the hand card was discarded
    captured: bool = False
    base: int = 0  # value of a build that has only begun: another set must follow at once
    bound: int = 0  # value of the own build to which a steal has bound the hand card (C29)
    hand_build: int = 0  # value of the own build that the hand card went into, made or raised (C26)
    robbed: frozenset[int] = frozenset()  # piles that have given their one card of this turn (chain = no)
    debt: int = 0  # value of an opponent's build that was added to and must be captured
    hand_added: bool = False  # the hand card was added to a build that already stood (R43)
    stolen: bool = False  # the one steal of a with_hand_card turn is used (R43)
    source: int = FLOOR  # the pile from which the last card was picked (R44)
    merged: bool = False  # a raised build was merged (R54)
    added: bool = False  # a set was added to a standing build of the own side (R54)


@dataclass(frozen=True)
class Turn:
    """The constants of a turn."""

    rules: Rules
    seat: int
    hands: tuple[frozenset[Card], ...]
    first_phase: bool

    @property
    def partner(self) -> int | None:
        return (self.seat + 2) % 4 if self.rules.partners else None

    @property
    def limit(self) -> float:
        """How many builds the mover may own at the end of the turn (R47)."""
        applies = self.first_phase or not self.rules.limit_first_phase_only
        return self.rules.build_limit if self.rules.build_limit and applies else inf

    @property
    def owner_may_discard(self) -> bool:
        return self.rules.owner_discard == "always" or (
            self.rules.owner_discard == "second_phase" and not self.first_phase
        )  # R48

    def pile_of(self, seat: int) -> int:
        return self.rules.side(seat) if self.rules.shared_pile else seat

    def open_piles(self) -> list[int]:
        """Piles whose top card the mover may reach (R61)."""
        closed = {self.seat} if self.rules.steal_from_partner else {self.seat, self.partner}
        return sorted({self.pile_of(seat) for seat in range(self.rules.players) if seat not in closed})


def reference_turns(position: Position) -> dict[tuple, Position]:
    """Return every different result of a complete turn of the mover."""
    turn, start = read_position(position)
    ends = bundle_turns(turn, start) if turn.rules.bundles else complete_turns(turn, start)
    results = [after_turn(position, turn, end) for end in ends]
    return {result_key(result, turn.rules): result for result in results}


# --- positions --------------------------------------------------------------------------------------------------


def rules_of(position: Position) -> Rules:
    return make_rules(position["variant"], position["players"], **position.get("rules", {}))


def per_seat(position: Position, key: str) -> list[list]:
    """Return a list for every seat; lists that the position leaves out are empty."""
    given = position.get(key) or []
    return [list(given[seat]) if seat < len(given) else [] for seat in range(position["players"])]


def read_position(position: Position) -> tuple[Turn, State]:
    rules, seat = rules_of(position), position.get("to_move", 0)
    hands = tuple(frozenset(map(parse_card, hand)) for hand in per_seat(position, "hands"))
    first_phase = bool(position.get("stock")) if rules.draw_hand else position.get("round", 1) < rules.rounds
    builds = [
        Build(build["value"], build["owner"], tuple(tuple(map(parse_card, cards)) for cards in build["sets"]))
        for build in position.get("builds", [])
    ]
    start = State(
        hand=hands[seat],
        layout=tuple(map(parse_card, position.get("layout", []))),
        builds=tuple(sorted(builds)),
        piles=tuple(tuple(map(parse_card, pile)) for pile in per_seat(position, "piles")),
        proven=tuple(frozenset(values) for values in per_seat(position, "proven")),
    )
    return Turn(rules, seat, hands, first_phase), start


def result_key(position: Position, rules: Rules) -> tuple:
    """Return a key for comparing results: the position without orders that do not matter."""
    stacked = rules.stacking in ("as_built", "build_on_top")
    over = position["to_move"] is None
    loose = tuple(position["layout"]) if rules.stacking == "as_built" else frozenset(position["layout"])
    builds = set()
    for build in position["builds"]:
        sets = [tuple(cards) if stacked else tuple(sorted(cards)) for cards in build["sets"]]
        builds.add((build["value"], build["owner"], tuple(sets if stacked else sorted(sets))))
    unordered = over or rules.stacking == "face_down"
    return (
        position["round"],
        position["to_move"],
        tuple(map(frozenset, per_seat(position, "hands"))),
        loose,
        frozenset(builds),
        tuple(frozenset(pile) if unordered else tuple(pile) for pile in per_seat(position, "piles")),
        tuple(position["stock"]),
        tuple(map(frozenset, per_seat(position, "proven"))),
        position["last_capture"],
    )


# --- values and sets --------------------------------------------------------------------------------------------


def pips(card: Card) -> int:
    """Ace 1, two to ten, jack 11, queen 12, king 13."""
    return (card >> 2) + 1


def has_value(rules: Rules, card: Card) -> bool:
    return rules.courts == "value" or pips(card) <= 10  # R06, R07


def values_of(rules: Rules, card: Card) -> list[int]:
    """Return the values that a single card may have (R01)."""
    if not has_value(rules, card):
        return []
    return [1, 14] if pips(card) == 1 and rules.ace_high else [pips(card)]


@lru_cache(maxsize=200_000)
def subsets(cards: Cards, total: int) -> tuple[Cards, ...]:
    """Return the subsets of the cards that add up to the total, with aces as 1."""
    if total == 0:
        return ((),)
    found: list[Cards] = []
    for place, card in enumerate(cards):
        if pips(card) <= total:
            found += [(card, *others) for others in subsets(cards[place + 1 :], total - pips(card))]
    return tuple(found)


def sets_worth(rules: Rules, value: int, cards: Iterable[Card]) -> list[Cards]:
    """Return the sets worth a value: an ace is 14 only on its own (R01, R02)."""
    numbers = tuple(card for card in cards if has_value(rules, card))
    found = list(subsets(numbers, value))
    if value == 14 and rules.ace_high:
        found += [(card,) for card in numbers if pips(card) == 1]
    return found


# --- builds and who may own them --------------------------------------------------------------------------------


def build_of(s: State, value: int) -> Build | None:
    return next((build for build in s.builds if build.value == value), None)


def mine(turn: Turn, s: State) -> list[int]:
    return [build.value for build in s.builds if build.owner == turn.seat]


def own_side(turn: Turn, build: Build) -> bool:
    return build.owner in (turn.seat, turn.partner)


def backed(rules: Rules, hand: frozenset[Card], values: list[int]) -> bool:
    """Return whether each build can have a hand card of its own that takes it (R31, R32)."""
    if not values:
        return True
    takers = [card for card in hand if values[0] in values_of(rules, card)]
    return any(backed(rules, hand - {card}, values[1:]) for card in takers)


def backs_new(turn: Turn, s: State, value: int) -> bool:
    """Return whether the hand backs the build of this value that becomes the mover's."""
    return backed(turn.rules, s.hand, mine(turn, s) if turn.rules.keep_backing else [value])


def may_own_another(turn: Turn, s: State, by_hand: bool) -> bool:
    if s.discarded and not turn.owner_may_discard:
        return False  # a discard followed by a build must not get round the ban (R48)
    count = len(mine(turn, s))
    if count + 1 <= turn.limit:
        return True
    extra = turn.rules.second_build_in_turn and not by_hand and s.played == NOTHING and not s.debt
    return extra and count + 1 == turn.limit + 1  # must be paid by capturing an own build (R11)


def may_build_for_partner(turn: Turn, s: State, value: int) -> bool:
    if not turn.rules.partner_builds or value not in s.proven[turn.partner]:
        return False
    theirs = [build.value for build in s.builds if build.owner == turn.partner]
    same_rank = any(other % 13 == value % 13 for other in theirs)  # one ace cannot prove a 1 and a 14
    return not same_rank and (turn.limit == inf or not theirs)  # R60


def with_set(s: State, value: int, owner: int, cards: Cards) -> State:
    """Add the set to the build of its value, or as a new build."""
    old = build_of(s, value)
    others = [build for build in s.builds if build.value != value]
    new = Build(value, owner, (*(old.sets if old else ()), cards))
    return s._replace(builds=tuple(sorted([*others, new])))


def begun(turn: Turn, s: State, value: int, taken: State, cards: Cards) -> Iterator[State]:
    """Yield the state with a new build, whose cards are already taken, for every seat that may own it."""
    by_hand = taken.played != s.played
    own = with_set(taken, value, turn.seat, cards)
    if may_own_another(turn, s, by_hand) and backs_new(turn, own, value):
        yield own
    if may_build_for_partner(turn, s, value):
        yield with_set(taken, value, turn.partner, cards)


# --- the turn ---------------------------------------------------------------------------------------------------


def complete_turns(turn: Turn, start: State) -> list[State]:
    """Return the ends of all turns. A mover is stuck (R49) only in positions set up by hand; then it discards."""
    return turns_from(turn, [start]) or turns_from(turn, [discarded(turn, start, card) for card in start.hand])


def turns_from(turn: Turn, starts: list[State]) -> list[State]:
    seen, waiting, ends = set(starts), list(starts), []
    while waiting:
        state = waiting.pop()
        if may_end(turn, state):
            ends.append(state)
        for following in actions(turn, state):
            following = without_needless_order(turn, following)
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return ends


def without_needless_order(turn: Turn, s: State) -> State:
    if turn.rules.stacking in ("as_built", "build_on_top"):
        return s
    builds = [build._replace(sets=tuple(sorted(tuple(sorted(cards)) for cards in build.sets))) for build in s.builds]
    return s._replace(builds=tuple(builds))


def actions(turn: Turn, s: State) -> Iterator[State]:
    """Yield the states after one action. If it played a hand card, the mover's builds must still be backed (R33)."""
    kinds = [second_sets] if s.base else [new_builds, bases, additions, raises, captures, discards]
    for kind in kinds:
        for following in kind(turn, s):
            uses_hand = following.played != s.played
            if uses_hand and turn.rules.keep_backing and not backed(turn.rules, following.hand, mine(turn, following)):
                continue
            yield following


def may_end(turn: Turn, s: State) -> bool:
    if s.played == NOTHING or s.base or s.debt or s.bound or len(mine(turn, s)) > turn.limit:
        return False
    # After the hand card, the only sets that can still be added are those that an opponent may demand (R46).
    return turn.rules.insist_augment != "always" or next(additions(turn, s), None) is None


def may_use_hand(turn: Turn, s: State, value: int = 0) -> bool:
    """Return whether a hand card may be played for anything but the capture that pays a debt (R11). If it is bound to a
    build (C29), it may go only into that one: `value` must be its value."""
    free = not s.debt and s.bound in (0, value)
    return s.played == NOTHING and free and len(mine(turn, s)) <= turn.limit


def played_card(turn: Turn, s: State, card: Card) -> State:
    """Remove a card from the hand, and the proof that the seat holds its rank (R60)."""
    proven = list(s.proven)
    proven[turn.seat] -= {1, 14} if pips(card) == 1 else {pips(card)}
    return s._replace(hand=s.hand - {card}, played=card, proven=tuple(proven))


def prove(turn: Turn, s: State, build: Build) -> State:
    """Note that the owner holds a card of this build's rank, since another player took or raised it (R60)."""
    if not turn.rules.keep_backing:
        return s
    gained = {1, 14} if turn.rules.ace_high and build.value in (1, 14) else {build.value}
    proven = list(s.proven)
    proven[build.owner] |= gained
    return s._replace(proven=tuple(proven))


# --- picking up the cards of a set ------------------------------------------------------------------------------


def loose(turn: Turn, s: State) -> Cards:
    """Return the layout cards that may go into a set (R13)."""
    barred = s.discarded and not turn.rules.use_discard_same_turn
    return tuple(card for card in s.layout if not (barred and card == s.played))


def tops(s: State, piles: Iterable[int]) -> Cards:
    return tuple(s.piles[pile][-1] for pile in piles if s.piles[pile] and pile not in s.robbed)


def possible_sets(turn: Turn, s: State, value: int, free: bool = True, piles: Iterable[int] = ()) -> Iterator[Cards]:
    """Yield sets of loose cards, tops of these piles and at most one hand card; not free: only with a hand card."""
    lying = loose(turn, s) + tops(s, piles)
    if free:
        yield from sets_worth(turn.rules, value, lying)
    if may_use_hand(turn, s, value):
        for card in s.hand:
            yield from (cards for cards in sets_worth(turn.rules, value, (card, *lying)) if card in cards)


def source_of(s: State, card: Card) -> int:
    return next((number for number, pile in enumerate(s.piles) if pile and pile[-1] == card), FLOOR)


def orders(turn: Turn, cards: Cards) -> list[Cards]:
    """Return the orders in which a set may be stacked, bottom to top: descending; with R44 equal cards either way."""
    falling = sorted(cards, reverse=True)
    if not turn.rules.no_return:
        return [tuple(falling)]
    equals = [list(permutations(group)) for _, group in groupby(falling, key=pips)]
    return [tuple(card for group in choice for card in group) for choice in product(*equals)]


def without(turn: Turn, s: State, cards: Iterable[Card]) -> State:
    """Take the cards away from layout and piles; a hand card among them is played."""
    gone = frozenset(cards)
    rest = s._replace(
        layout=tuple(card for card in s.layout if card not in gone),
        piles=tuple(tuple(card for card in pile if card not in gone) for pile in s.piles),
    )
    if turn.rules.chain == "no":
        robbed = {number for number, pile in enumerate(s.piles) if pile and pile[-1] in gone}
        rest = rest._replace(robbed=s.robbed | robbed)
    for card in s.hand & gone:
        rest = played_card(turn, rest, card)
    return rest


def picked(turn: Turn, s: State, cards: Cards) -> Iterator[tuple[State, Cards]]:
    """Yield, for every order of picking up a set, the state without its cards and the set as stacked."""
    rest = without(turn, s, cards)
    for order in orders(turn, cards):
        if not turn.rules.no_return:
            yield rest, order
        elif len(order) == 1 or s.source == FLOOR or source_of(s, order[0]) != s.source:
            yield rest._replace(source=source_of(s, order[-1])), order  # R44


# --- new builds -------------------------------------------------------------------------------------------------


def new_builds(turn: Turn, s: State) -> Iterator[State]:
    """Make a build of two or more cards, none from a pile (R30). One must be the hand card where there are no table
    builds, or where the first set of a new build holds the hand card (C14)."""
    free = turn.rules.table_builds and turn.rules.new_builds != "by_hand"
    for value in range(2, turn.rules.max_build + 1):
        if build_of(s, value):
            continue  # R34
        for cards in possible_sets(turn, s, value, free=free):
            if len(cards) >= 2:
                for taken, stack in picked(turn, s, cards):
                    for following in begun(turn, s, value, taken, stack):
                        yield with_the_hand_card(turn, s, following, value)


def with_the_hand_card(turn: Turn, before: State, s: State, value: int) -> State:
    """Note for a build just begun or added to that it waits for the hand card (C25), or that it holds it (C26)."""
    build = build_of(s, value)
    if s.played == before.played:
        return s._replace(base=value if turn.rules.new_builds == "with_hand" else 0)
    return s._replace(base=0, hand_build=value if build and build.owner == turn.seat else 0)


def bases(turn: Turn, s: State) -> Iterator[State]:
    """Begin an augmented build with one card of a value that no build has yet (R41, R55, R57)."""
    table = turn.rules.table_builds
    if not table and turn.rules.equal_builds == "never":
        yield from calls(turn, s)
        return
    cards = loose(turn, s) if table else s.hand if may_use_hand(turn, s) else ()
    for card in cards:
        for value in values_of(turn.rules, card):
            if not build_of(s, value):
                taken = without(turn, s, [card])._replace(base=value, source=FLOOR)
                yield from begun(turn, s, value, taken, (card,))


def second_sets(turn: Turn, s: State) -> Iterator[State]:
    """Add the second set to a base, or loose cards to a build that waits for the hand card."""
    build = build_of(s, s.base)
    rules, own = turn.rules, build.owner == turn.seat
    piles = turn.open_piles() if rules.steal == "augment" or (rules.steal == "bound" and own) else []
    for cards in possible_sets(turn, s, build.value, free=rules.new_builds != "by_hand", piles=piles):
        stolen = any(source_of(s, card) != FLOOR for card in cards)
        without_hand = not any(card in s.hand for card in cards)
        if stolen and without_hand and (rules.steal == "bound" or rules.new_builds == "with_hand"):
            continue  # C28: a stack on base holds the hand card
        for taken, stack in picked(turn, s, cards):
            following = with_set(taken, build.value, build.owner, stack)
            if not own or backs_new(turn, following, build.value):
                yield with_the_hand_card(turn, s, following, build.value)


def calls(turn: Turn, s: State) -> Iterator[State]:
    """Lay a hand card on one equal loose card (R51)."""
    for card in s.hand if may_use_hand(turn, s) else ():
        for other in s.layout:
            for value in values_of(turn.rules, card) if pips(card) == pips(other) else ():
                if not build_of(s, value):
                    for called in begun(turn, s, value, without(turn, s, [card, other]), (other,)):
                        yield with_set(called, value, build_of(called, value).owner, (card,))


# --- adding to builds -------------------------------------------------------------------------------------------


def additions(turn: Turn, s: State) -> Iterator[State]:
    """Add a set to a build of its value."""
    for build in s.builds:
        for cards in addable(turn, s, build):
            for taken, stack in picked(turn, s, cards):
                yield from enlarged(turn, s, build, taken, stack)


def addable(turn: Turn, s: State, build: Build) -> Iterator[Cards]:
    rules = turn.rules
    if rules.equal_builds == "join":
        # To any build with a hand card; further loose sets only to the build with the hand card (R34, R57).
        free = any(s.played in cards for cards in build.sets)
        yield from possible_sets(turn, s, build.value, free=free)
    elif rules.equal_builds == "merge" and own_side(turn, build):
        if s.merged:
            return  # R54
        if build.owner != turn.seat and not rules.add_to_partner:
            return  # C18
        piles = turn.open_piles() if rules.steal != "no" else []
        sets = possible_sets(turn, s, build.value, free=rules.table_builds, piles=piles)
        yield from (cards for cards in sets if may_steal(turn, s, build, cards))
    elif rules.equal_builds == "merge" and rules.steal == "augment" and s.played == NOTHING:
        # To an opponent's build, which must be captured in this turn, so without the hand card (R40).
        if s.debt in (0, build.value):
            lying = loose(turn, s) + tops(s, turn.open_piles())
            yield from sets_worth(rules, build.value, lying)


def may_steal(turn: Turn, s: State, build: Build, cards: Cards) -> bool:
    """Return whether the cards of this set that lie on piles may be stolen (R39, R43)."""
    stolen = [card for card in cards if source_of(s, card) != FLOOR]
    if not stolen or turn.rules.steal == "augment":
        return True
    if turn.rules.steal == "bound":  # C26, C29: only into one build a turn, that of the hand card
        known = s.bound if s.played == NOTHING else s.hand_build or NOTHING
        return build.owner == turn.seat and known in (0, build.value)
    if build.owner != turn.seat or s.stolen or len(stolen) > 1:
        return False
    after_hand_card = s.hand_added and any(s.played in earlier for earlier in build.sets)
    return after_hand_card or any(card in s.hand for card in cards)


def enlarged(turn: Turn, s: State, build: Build, taken: State, stack: Cards) -> Iterator[State]:
    rules, by_hand = turn.rules, taken.played != s.played
    if rules.equal_builds == "join":
        # Adding a hand card makes the mover the owner (R39); further sets do not.
        following = with_set(taken, build.value, turn.seat if by_hand else build.owner, stack)
        if not by_hand or backs_new(turn, following, build.value):
            yield following
    elif own_side(turn, build):
        following = with_set(taken, build.value, build.owner, stack)  # the owner stays (R35)
        stolen = any(source_of(s, card) != FLOOR for card in stack)
        if rules.steal == "with_hand_card":
            following = following._replace(hand_added=s.hand_added or by_hand, stolen=s.stolen or stolen)
        if rules.steal == "bound" and build.owner == turn.seat:
            if by_hand:
                following = following._replace(bound=0, hand_build=build.value)
            elif stolen and s.played == NOTHING:
                following = following._replace(bound=build.value)
        yield following._replace(added=rules.raise_or_add)
    else:
        yield with_set(taken, build.value, build.owner, stack)._replace(debt=build.value)


# --- raising ----------------------------------------------------------------------------------------------------


def raises(turn: Turn, s: State) -> Iterator[State]:
    """Raise the value of a single build with a hand card, in some games with loose cards as well (R36, R50)."""
    if not may_use_hand(turn, s, s.bound):
        return
    table = tuple(card for card in s.layout if has_value(turn.rules, card)) if turn.rules.raise_with_table else ()
    opponents_only = turn.rules.raise_by == "opponents"
    for build in s.builds:
        if len(build.sets) > 1 or (opponents_only and own_side(turn, build)):
            continue
        for card in s.hand:
            if has_value(turn.rules, card):
                lowest = build.value + pips(card)
                highest = 2 * build.value if turn.rules.raise_limit == "double" else turn.rules.max_build
                for value in range(lowest, min(highest, turn.rules.max_build) + 1):
                    if s.bound not in (0, value):
                        continue
                    for helpers in subsets(table, value - lowest):
                        yield from raised(turn, s, build, value, (card, *helpers))


def raised(turn: Turn, s: State, build: Build, value: int, cards: Cards) -> Iterator[State]:
    rest = without(turn, s, cards)._replace(builds=tuple(b for b in s.builds if b != build), source=FLOOR)
    if not own_side(turn, build):
        rest = prove(turn, rest, build)
    stack = (*build.sets[0], *sorted(cards, reverse=True))
    if turn.rules.resort_raised:
        stack = tuple(sorted(stack, reverse=True))  # C34
    standing, kind = build_of(s, value), turn.rules.equal_builds
    if not standing or kind == "join":
        following = with_set(rest, value, turn.seat, stack)._replace(bound=0, hand_build=value)
        if len(mine(turn, following)) <= turn.limit and backs_new(turn, following, value):
            yield following
    elif kind == "merge" and own_side(turn, standing) and not s.added:
        if standing.owner != turn.seat and not turn.rules.add_to_partner:
            return  # C18
        following = with_set(rest, value, standing.owner, stack)._replace(merged=turn.rules.raise_or_add)
        if standing.owner == turn.seat:
            following = following._replace(bound=0, hand_build=value)
        if backed(turn.rules, rest.hand, [value]):
            yield following  # R38: the mover must hold the card even if the build is the partner's


# --- capturing --------------------------------------------------------------------------------------------------


class Take(NamedTuple):
    cards: frozenset[Card]  # loose cards and cards of piles
    build: Build | None
    value: int = 0

    def all_cards(self) -> frozenset[Card]:
        return self.cards.union(*(self.build.sets if self.build else ()))


@lru_cache(maxsize=20_000)
def unions(cards: Cards, groups: frozenset[Cards]) -> frozenset[frozenset[Card]]:
    """Return all unions of groups in which no card is used twice."""
    if not cards:
        return frozenset({frozenset()})
    found = set(unions(cards[1:], groups))  # without the first card
    for group in groups:
        if cards[0] in group and set(group) <= set(cards):
            rest = tuple(card for card in cards if card not in group)
            found |= {more.union(group) for more in unions(rest, groups)}
    return frozenset(found)


def takes(turn: Turn, s: State, card: Card) -> list[Take]:
    """Return everything that the card can capture, by the capture rule alone."""
    rules = turn.rules
    if not has_value(rules, card):
        return [Take(cards, None) for cards in court_takes(rules, s.layout, card)]
    found = []
    lying = s.layout + (tops(s, turn.open_piles()) if rules.capture_tops and rules.tops_in_sums else ())
    for value in values_of(rules, card):
        build = build_of(s, value)
        groups = sets_worth(rules, value, lying)
        if rules.multi_capture:
            options = [Take(cards, b, value) for cards in unions(lying, frozenset(groups)) for b in {None, build}]
        else:  # R25
            options = [Take(frozenset(group), None, value) for group in groups if len(group) == 1]
            options.append(Take(frozenset(), build, value))
        found += [more for take in options if take.cards or take.build for more in with_pile_cards(turn, s, take)]
    if rules.pile_capture_needs_table_card:
        found = [take for take in found if take.build or take.cards & set(s.layout)]  # R24
    return found


def with_pile_cards(turn: Turn, s: State, take: Take) -> Iterator[Take]:
    """Yield the capture with every choice of further pile cards worth the value: tops where they are no part of sums
    (C11, C12), and cards under a taken top (C13)."""
    rules = turn.rules
    equal = any(take.value in values_of(rules, card) for card in take.cards if card in s.layout)
    runs = []
    for pile in turn.open_piles() if rules.capture_tops else []:
        downwards, first = s.piles[pile][::-1], 1 if rules.tops_in_sums else 0
        if rules.tops_in_sums and not take.cards & set(downwards[:1]):
            continue  # nothing is uncovered
        if not rules.tops_in_sums and not (equal or take.build):
            continue
        owner = take.build.owner if take.build else turn.seat
        if not rules.owner_top and owner not in (turn.seat, turn.partner) and pile == turn.pile_of(owner) and not equal:
            continue
        if pile in s.robbed:
            continue
        last = len(downwards) if rules.chain == "all" else 1
        runs.append(prefixes(rules, take.value, downwards[first:last]))
    for chosen in product(*runs):
        yield take._replace(cards=take.cards.union(*chosen))


def prefixes(rules: Rules, value: int, cards: Cards) -> list[Cards]:
    """Return the prefixes of the cards, from the empty one on, as long as each card is worth the value."""
    fitting = tuple(takewhile(lambda card: value in values_of(rules, card), cards))
    return [fitting[:count] for count in range(len(fitting) + 1)]


def court_takes(rules: Rules, layout: Cards, card: Card) -> list[frozenset[Card]]:
    """Return the captures of a court card without value: loose cards of its rank (R06-R08)."""
    same = [other for other in layout if pips(other) == pips(card)]
    every = subsets_of(same)
    if rules.courts == "one" or not rules.multi_capture:
        return [cards for cards in every if len(cards) == 1]
    if rules.courts == "one_or_three":
        return [cards for cards in every if len(cards) in (1, 3)]
    return [cards for cards in every if cards]


def subsets_of(cards: list[Card]) -> list[frozenset[Card]]:
    return [frozenset(some) for size in range(len(cards) + 1) for some in combinations(cards, size)]


def maximal(options: list[Take]) -> list[Take]:
    """Return the captures whose cards are not all part of a larger capture (R21)."""
    largest: list[frozenset[Card]] = []
    for cards in sorted({take.all_cards() for take in options}, key=len, reverse=True):
        if not any(cards < other for other in largest):
            largest.append(cards)
    return [take for take in options if take.all_cards() in set(largest)]


def captures(turn: Turn, s: State) -> Iterator[State]:
    if s.played != NOTHING:
        return
    for card in s.hand:
        options = takes(turn, s, card)
        for take in maximal(options) if turn.rules.insist_capture == "always" else options:
            if pays(turn, s, take):
                yield from captured(turn, s, card, take)
                yield from granted(turn, s, card, take)


def pays(turn: Turn, s: State, take: Take) -> bool:
    """Return whether the capture takes the build that must be captured in this turn, if there is one (R11)."""
    too_many = len(mine(turn, s)) > turn.limit
    if s.bound:
        return bool(take.build) and take.build.value == s.bound
    if s.debt:
        return bool(take.build) and take.build.value == s.debt and not too_many
    return not too_many or (bool(take.build) and take.build.owner == turn.seat)


def captured(turn: Turn, s: State, card: Card, take: Take) -> Iterator[State]:
    taken = [*s.layout, *(other for pile in turn.open_piles() for other in s.piles[pile][::-1])]
    others = tuple(other for other in taken if other in take.cards)
    rest = played_card(turn, without(turn, s, others), card)._replace(debt=0, bound=0, captured=True)
    from_build: Cards = ()
    if take.build:
        from_build = sum(take.build.sets, ())
        rest = rest._replace(builds=tuple(build for build in s.builds if build != take.build))
        if take.build.owner != turn.seat:
            rest = prove(turn, rest, take.build)
    own = turn.pile_of(turn.seat)
    for pile in piled(turn.rules, rest.piles[own], from_build, others, card):
        yield rest._replace(piles=(*rest.piles[:own], pile, *rest.piles[own + 1 :]))


def granted(turn: Turn, s: State, card: Card, take: Take) -> Iterator[State]:
    """Grant the partner's request: it gets the build with the played card on top (R62), or a new build whose sets are
    the groups of loose cards (C39); nothing is captured."""
    rules, build, value = turn.rules, take.build, take.value
    if rules.partner_request == "off":
        return
    if build and (rules.request_for == "loose" or not own_side(turn, build)):
        return
    if not build:
        loose_only = value and take.cards <= set(s.layout) and not build_of(s, value)
        aces_as_one = value == 14 and all(pips(other) == 1 for other in take.cards)
        if rules.request_for == "builds" or not loose_only or aces_as_one:
            return
    theirs = {other.value for other in s.builds if other.owner == turn.partner} | {value}
    if not backed(rules, turn.hands[turn.partner], sorted(theirs)):
        return
    rest = played_card(turn, s, card)._replace(source=FLOOR, bound=0)
    if build:
        yield with_set(rest, value, turn.partner, (card,))
        return
    named = groupings(rules, value, tuple(sorted(take.cards, reverse=True)))
    for sets in named if rules.insist_capture != "always" else [max(named)]:
        following = without(turn, rest, take.cards)
        for group in (*sets, (card,)):
            following = with_set(following, value, turn.partner, group)
        yield following


def groupings(rules: Rules, value: int, cards: Cards) -> list[tuple[Cards, ...]]:
    """Return every split of the cards (highest first) into sets worth the value, the set of the highest card first."""
    if not cards:
        return [()]
    found = []
    for group in sets_worth(rules, value, cards):
        if cards[0] in group:
            rest = tuple(card for card in cards if card not in group)
            found += [(tuple(sorted(group, reverse=True)), *others) for others in groupings(rules, value, rest)]
    return found


def piled(rules: Rules, old: Cards, build: Cards, others: Cards, card: Card) -> list[Cards]:
    """Return the possible piles after a capture, bottom to top (R70, R71)."""
    if rules.stacking == "as_built" and not has_value(rules, card):
        courts = tuple(c for c in old if not has_value(rules, c))
        return [(*courts, *others, card, *(c for c in old if has_value(rules, c)))]
    if rules.stacking == "as_built":
        return [(*old, *build, *others, card)]
    if rules.stacking == "build_on_top":
        return [(*old, *sorted(others, reverse=True), *build, card)]
    if rules.stacking == "lowest_on_top":
        batch = sorted([*build, *others, card], key=lambda c: (-pips(c), c == card, -c))
        return [(*old, *batch)]
    if rules.pile_order == "ask":
        return [(*old, *order, card) for order in permutations(build + others)]
    batch = sorted(build + others, key=lambda c: (not scores(rules, c), c))
    return [(*old, *batch, card)]


def scores(rules: Rules, card: Card) -> bool:
    """Return whether a card is worth points by itself; such cards lie deepest in a pile (R70)."""
    spade = rules.spade_cards and card & 3 == 0
    return spade or pips(card) == 1 or card in (LITTLE_TWO, BIG_TENS[rules.big_ten])


# --- discarding, and the game of Stealing Bundles ---------------------------------------------------------------


def discards(turn: Turn, s: State) -> Iterator[State]:
    if not may_use_hand(turn, s) or (mine(turn, s) and not turn.owner_may_discard):
        return
    for card in s.hand:
        if turn.rules.insist_capture == "always" and takes(turn, s, card):
            continue  # R20
        yield discarded(turn, s, card)


def discarded(turn: Turn, s: State, card: Card) -> State:
    return played_card(turn, s, card)._replace(layout=(*s.layout, card), discarded=True)


def bundle_turns(turn: Turn, s: State) -> Iterator[State]:
    """Take the equal loose cards, or an opponent's pile with an equal top, or discard (R100)."""
    own = turn.seat
    for card in s.hand:
        rest = played_card(turn, s, card)
        yield rest._replace(layout=(*s.layout, card))
        equal = tuple(other for other in s.layout if pips(other) == pips(card))
        if equal:
            yield from captured(turn, s, card, Take(frozenset(equal), None))
        for pile in turn.open_piles():
            if s.piles[pile] and pips(s.piles[pile][-1]) == pips(card):
                piles = list(s.piles)
                piles[own], piles[pile] = (*s.piles[own], *s.piles[pile], card), ()
                yield rest._replace(piles=tuple(piles), captured=True)


# --- after the turn ---------------------------------------------------------------------------------------------


def after_turn(position: Position, turn: Turn, s: State) -> Position:
    """Return the position after the turn: with a draw, the next hands, or the end of the deal."""
    rules, stock, number = turn.rules, list(position.get("stock", [])), position.get("round", 1)
    hands = [names(hand) for hand in turn.hands]
    hands[turn.seat] = names(s.hand)
    if rules.draw_hand and stock:
        hands[turn.seat].append(stock.pop())  # R84
    seats = [(turn.seat + step) % rules.players for step in range(1, rules.players + 1)]
    to_move = next((seat for seat in seats if hands[seat]), None)
    if to_move is None and stock:
        number, to_move = number + 1, seats[0]
        for seat in seats * rules.hand_size:
            hands[seat] += [stock.pop()] if stock else []
    last = turn.seat if s.captured else position.get("last_capture")
    if to_move is None and last is not None and rules.leftovers == "last_capture":
        s = swept_up(turn, s, last)
    builds = [dict(value=b.value, owner=b.owner, sets=[list(map(card_name, c)) for c in b.sets]) for b in s.builds]
    return dict(
        variant=position["variant"], players=position["players"], rules=position.get("rules", {}), round=number,
        to_move=to_move, hands=hands, layout=list(map(card_name, s.layout)), builds=builds,
        piles=[list(map(card_name, pile)) for pile in s.piles], stock=stock,
        proven=[sorted(values) for values in s.proven], last_capture=last,
    )  # fmt: skip


def names(hand: frozenset[Card]) -> list[str]:
    return [card_name(card) for card in sorted(hand)]


def swept_up(turn: Turn, s: State, last: int) -> State:
    """Give the cards left at the end to the last to capture (R72, R87)."""
    left = s.layout + sum((cards for build in s.builds for cards in build.sets), ())
    piles = list(s.piles)
    piles[turn.pile_of(last)] += left
    return s._replace(layout=(), builds=(), piles=tuple(piles))
