"""A variant is data: one frozen record of switches."""

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin

from casino_env.cards import DECKS
from casino_env.presets import PRESETS
from casino_env.validate import closest as closest
from casino_env.validate import int_in, short_repr

RULES_VERSION = 1

Ask = Literal["never", "always", "ask"]


@dataclass(frozen=True)
class Rules:
    """Every rule that differs between the games. docs/rules.md explains each field."""

    name: str = "custom"
    players: int = 2
    # --- cards, seats and the deal
    partners: bool = False  # seats 0 and 2 play 1 and 3
    deck: int = 52  # cards in the pack
    ace_high: bool = False  # an ace also counts 14
    courts: Literal["value", "any", "one_or_three", "one"] = "value"  # 11-13, or how many of its rank one takes
    table_cards: int = 4  # loose cards laid out at the start
    rounds: int = 1  # deals into which the pack is split; ignored when drawing
    draw_hand: int = 0  # hand size kept by drawing after each turn; 0 = no drawing
    recut: bool = False  # a first layout with three points or pictures is dealt again
    next_leader: Literal["rotates", "loser", "drawn"] = "rotates"  # who leads the next deal
    # --- building
    # what a new build must hold: nothing special, the hand card in its first set (or on a base), or it in any set
    new_builds: Literal["free", "by_hand", "with_hand"] = "free"
    raise_by: Literal["opponents", "anyone"] = "opponents"  # whose single builds may be raised
    raise_with_table: bool = False  # loose cards may help the hand card in a raise
    raise_limit: Literal["none", "double"] = "none"  # the most that a raised build is worth, by what it was worth
    resort_raised: bool = False  # a raised set is laid anew from high to low; off: its hand card lies on top
    # A set worth a standing build joins it: own side's (the African games), anybody's (Cassino), or may not be made.
    equal_builds: Literal["merge", "join", "never"] = "merge"
    keep_backing: bool = True  # the last card that can take an own build is kept for it
    build_limit: int = 0  # builds a seat may own at the end of its turn; 0 = any number
    limit_first_phase_only: bool = False  # build_limit ends with the first phase
    second_build_in_turn: bool = True  # a build over the limit may be made if one is captured in the same turn
    owner_discard: Literal["always", "second_phase", "never"] = "always"  # when the owner of a build may discard
    use_discard_same_turn: bool = True  # the discarded card may go into sets in the same turn
    # --- stealing
    # pile tops into sets: never, in additions, one a turn beside a hand card, or any number to which it is then bound
    steal: Literal["no", "augment", "with_hand_card", "bound"] = "no"
    steal_from_partner: bool = False  # the partner's pile may be stolen from as well
    # what lies under a used top may be used next: in sets, never (one card a pile and turn), or in captures as well
    chain: Literal["sets", "no", "all"] = "sets"
    no_return: bool = False  # a set of several cards may not start on the pile just taken from
    raise_or_add: bool = False  # a turn that merges a raised build adds no other set to the side's builds
    # --- capturing
    capture_tops: bool = False  # pile tops are captured like loose cards
    pile_capture_needs_table_card: bool = False  # such a capture also takes a loose card or the build
    tops_in_sums: bool = True  # off: a top comes alone, and with an equal loose card or the build of its value
    owner_top: bool = True  # off: with an opponent's build its owner's top comes only beside an equal loose card
    multi_capture: bool = True  # off: one loose card or one build, no sums
    # a capturing card has to take all it can: never, always, or if an opponent asks for it
    insist_capture: Ask = "never"
    insist_augment: Ask = "never"  # sets that can be added have to be before the turn ends: likewise
    # --- partners
    shared_pile: bool = False  # partners have one pile, under the lower seat
    add_to_partner: bool = True  # sets and raises may go onto the partner's builds
    partner_builds: bool = False  # building for a partner with a proven rank
    partner_request: Literal["off", "optional", "binding"] = "off"  # asking the partner to leave a build
    # what may be asked for: builds of the side, loose cards about to be captured (they become a build), or both
    request_for: Literal["builds", "loose", "any"] = "builds"
    # --- piles
    # the order of captured cards in a pile
    stacking: Literal["secret", "as_built", "lowest_on_top", "build_on_top", "face_down"] = "secret"
    pile_order: Literal["auto", "ask"] = "auto"  # who sorts a secret pile: the engine, or the capturer card by card
    bundles: bool = False  # Stealing Bundles: match ranks, steal whole piles
    leftovers: Literal["last_capture", "nobody"] = "last_capture"  # who gets what is left at the end
    # --- scoring
    cards_points: int = 2  # for most cards
    spades_points: int = 2  # for most spades
    ties: Literal["one_each", "nobody"] = "one_each"  # of most cards and most spades
    shutout: bool = False  # who alone has any of big ten, little two and aces gets cards_points and spades_points too
    five_spades_points: int = 0  # to everybody with five or more
    little_points: int = 1  # for the two of spades
    big_points: int = 2  # for the big ten
    big_ten: Literal["TD", "TS"] = "TD"  # which ten is the big one
    ace_points: int = 1  # for each ace
    spade_cards: bool = False  # 2S JS AS two points each, other spades one
    sweeps: bool = False  # a point for each capture that empties the table
    tie_break: Literal["shared", "big_ten"] = "shared"  # who has won a deal that is level at the top
    # --- matches
    target: int = 0  # points that end a match; 0 = a match is one deal
    match_rounds: int = 0  # deals by each player, then the highest total wins
    match_games: int = 0  # best of so many deals: who has won more than half of them wins; 0 = points count
    counting: Literal["big_first", "little_first", "total"] = "total"  # who wins when several reach the target
    count_out: bool = False  # the target may be claimed at the beginning of a turn

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_type(field.name, field.type, getattr(self, field.name))
        for wrong, text in _nonsense(self):
            if wrong:
                raise ValueError(f"rules of {self.name} with {self.players} players: {text}")

    @property
    def sides(self) -> int:
        """Who scores together: two sides with partners, else one a seat."""
        return 2 if self.partners else self.players

    @property
    def table_builds(self) -> bool:
        """Builds and additions may be made of table cards alone, before or after the hand card is played."""
        return self.equal_builds == "merge"

    @property
    def hand_size(self) -> int:
        """Cards of a full hand."""
        return self.draw_hand or (self.deck - self.table_cards) // (self.players * self.rounds)

    @property
    def max_build(self) -> int:
        """The highest value of a build."""
        if self.ace_high:
            return 14
        ranks = len(DECKS[self.deck])
        return ranks if self.courts == "value" else min(ranks, 10)

    def side(self, seat: int) -> int:
        """The side of a seat."""
        return seat % self.sides

    def differences(self) -> dict[str, Any]:
        """What rules_of() needs to make these rules again: the fields that differ from the preset, or, with `own`, from
        the defaults. So a switch that is added later, with a default that plays as before, leaves files readable."""
        return dict(_differences(self))

    def choices(self) -> dict[str, Any]:
        """Name, players and the fields that differ from the defaults: Rules(**choices) makes these rules again."""
        return {"name": self.name, "players": self.players} | _unlike(self, _DEFAULTS)


@lru_cache(maxsize=64)
def _differences(rules: Rules) -> dict[str, Any]:
    try:
        out = _unlike(rules, preset(rules.name, rules.players, rules.partners))
        if preset(rules.name, rules.players).partners != rules.partners:
            out["partners"] = rules.partners
        if make_rules(rules.name, rules.players, **out) == rules:
            return out
    except ValueError:
        pass
    return {_OWN: True} | _unlike(rules, _DEFAULTS)


def _unlike(rules: Rules, base: Rules) -> dict[str, Any]:
    return {key: getattr(rules, key) for key in _FIELDS if getattr(rules, key) != getattr(base, key)}


_FIELDS = [field.name for field in fields(Rules) if field.name not in ("name", "players")]
_OWN = "own"  # in a file: the game is no preset, and fields that are not named have their defaults
# The greatest that numbers may be: a record of the engine has so much room.
_MOST = {"build_limit": 14, "target": 9999, "match_rounds": 25, "match_games": 25}
_MOST_POINTS, _SWEEPS = 127, 52  # of one side in a deal, likewise


def _check_type(name: str, kind: Any, value: Any) -> None:
    if get_origin(kind) is Literal:
        if not isinstance(value, str) or value not in get_args(kind):
            raise ValueError(f"rules: {name} = {short_repr(value)}; it must be one of {', '.join(get_args(kind))}")
    elif type(value) is not kind:
        wanted = {bool: "true or false", int: "a whole number", str: "a text"}[kind]
        raise ValueError(f"rules: {name} = {short_repr(value)}; it must be {wanted}")
    elif kind is int and not 0 <= value <= _MOST.get(name, _MOST_POINTS):
        raise ValueError(f"rules: {name} = {short_repr(value)}; it must be 0 to {_MOST.get(name, _MOST_POINTS)}")
    elif kind is str and not (0 < len(value) <= 60 and value.isprintable() and value == value.strip()):
        raise ValueError(f"rules: {name} = {short_repr(value)}; it must be one line of 1 to 60 characters")


def _beyond(r: Rules) -> str:
    """What no rules can be, if these are it."""
    if r.deck not in DECKS:
        return f"deck = {r.deck}; it must be one of {', '.join(map(str, DECKS))}"
    return "" if 2 <= r.players <= 6 else "players must be 2 to 6"


def _nonsense(r: Rules) -> list[tuple[bool, str]]:
    """Combinations that cannot be played, each with what would be right."""
    if wrong := _beyond(r):
        return [(True, wrong)]
    dealt, points = r.deck - r.table_cards, _points_of_a_deal(r)
    hands = r.players * (r.draw_hand or max(r.rounds, 1))
    return [
        (r.partners and r.players != 4, "partners need 4 players"),
        (r.table_cards >= r.deck, f"table_cards = {r.table_cards} leaves nothing to deal"),
        (not r.draw_hand and r.rounds < 1, "rounds must be 1 or more"),
        (bool(r.draw_hand) and hands > dealt, f"{r.players} hands of {r.draw_hand} are more than the pack"),
        (bool(r.draw_hand) and dealt % r.players > 0, f"{dealt} cards cannot be drawn evenly by {r.players} players"),
        (not r.draw_hand and dealt % hands > 0, f"{dealt} cards cannot be dealt evenly in {r.rounds} rounds"),
        (r.ace_high and r.courts != "value", "ace_high needs courts = value"),
        (r.ace_high and len(DECKS[r.deck]) < 13, "ace_high needs the 52-card pack"),
        (r.recut and r.table_cards == 0, "recut needs table_cards"),
        (r.recut and not r.table_cards < 8, "recut with eight or more table_cards might never end"),
        (r.shared_pile and not r.partners, "shared_pile needs partners"),
        (r.steal_from_partner and not r.partners, "steal_from_partner needs partners"),
        (r.steal_from_partner and r.shared_pile, "steal_from_partner needs separate piles"),
        (r.partner_builds and not r.partners, "partner_builds needs partners"),
        (r.partner_builds and not r.keep_backing, "partner_builds needs keep_backing: nothing is proven without it"),
        (r.partner_request != "off" and not r.partners, "partner_request needs partners"),
        (r.partner_builds and not r.table_builds, "partner_builds needs equal_builds = merge"),
        (r.partner_request != "off" and not r.table_builds, "partner_request needs equal_builds = merge"),
        (
            r.request_for != "builds" and r.partner_request == "off",
            f"request_for = {r.request_for} needs partner_request",
        ),
        (not r.add_to_partner and not r.table_builds, "add_to_partner off needs equal_builds = merge"),
        (r.new_builds != "free" and not r.table_builds, f"new_builds = {r.new_builds} needs equal_builds = merge"),
        (not r.keep_backing and r.owner_discard != "always", "without keep_backing owner_discard must be always"),
        (not r.keep_backing and r.build_limit > 0, "without keep_backing there is no build_limit"),
        (r.steal != "no" and r.equal_builds != "merge", "steal needs equal_builds = merge"),
        (r.raise_with_table and r.table_builds, "raise_with_table needs equal_builds = join or never"),
        (r.steal == "bound" and not r.keep_backing, "steal = bound needs keep_backing"),
        (r.no_return and r.steal not in ("augment", "bound"), "no_return needs steal = augment or bound"),
        (r.steal != "no" and r.stacking == "face_down", "steal needs face-up piles"),
        (r.capture_tops and r.stacking == "face_down", "capture_tops needs face-up piles"),
        (r.capture_tops and not r.multi_capture, "capture_tops needs multi_capture"),
        (not r.multi_capture and r.courts not in ("one", "value"), "multi_capture off needs courts = one or value"),
        (r.pile_capture_needs_table_card and not r.capture_tops, "pile_capture_needs_table_card needs capture_tops"),
        (not r.tops_in_sums and not r.capture_tops, "tops_in_sums off needs capture_tops"),
        (not r.owner_top and r.tops_in_sums, "owner_top off needs tops_in_sums off"),
        (
            r.chain == "all" and r.capture_tops and r.stacking == "secret",
            "chain = all needs piles whose order everybody knows, not stacking = secret",
        ),
        (
            not r.table_builds and not r.bundles and r.stacking in ("as_built", "build_on_top"),
            f"stacking = {r.stacking} needs equal_builds = merge",
        ),
        (r.pile_order == "ask" and r.stacking != "secret", "pile_order = ask needs stacking = secret"),
        (r.bundles and (r.partners or r.draw_hand > 0), "bundles is played singly, without drawing"),
        (r.sweeps and r.bundles, "bundles has no sweeps"),
        (points > _MOST_POINTS, f"one deal may come to {points} points; {_MOST_POINTS} are the most"),
        (r.target > 0 and points == 0, "a target needs points"),
        (r.count_out and r.target == 0, "count_out needs a target"),
        (r.target > 0 and r.match_rounds > 0, "a match ends by target or by match_rounds, not both"),
        (r.match_games > 0 and points == 0, "match_games needs points"),
        (r.match_games > 0 and r.target > 0, "a match ends by match_games or by target, not both"),
        (r.match_games > 0 and r.match_rounds > 0, "a match ends by match_games or by match_rounds, not both"),
        (r.tie_break == "big_ten" and r.big_points == 0, "tie_break = big_ten needs big_points"),
        (r.next_leader == "loser" and r.partners, "next_leader = loser needs single players"),
    ]


def _points_of_a_deal(r: Rules) -> int:
    """No side can have more."""
    shared = r.cards_points + r.spades_points + r.five_spades_points + r.big_points + (_SWEEPS if r.sweeps else 0)
    return shared + (16 + 3 * r.ace_points if r.spade_cards else r.little_points + 4 * r.ace_points)


_DEFAULTS = Rules()


def preset(name: str, players: int, partners: bool | None = None) -> Rules:
    counts, players = player_counts(name), int_in(players, "players")
    if players not in counts:
        raise ValueError(f"{name} is played by {', '.join(map(str, counts))} players, not {short_repr(players)}")
    row = PRESETS[name]
    values = row.base | row.by_players[players]
    if row.singles is not None and players > 2:
        if partners is not None:
            values = values | dict(partners=partners)
        if not values.get("partners", False):
            values = values | row.singles
    return Rules(name=name, players=players, **values)


def make_rules(variant: str, players: int = 2, **changes: Any) -> Rules:
    """The rules of a preset with some fields changed; raises ValueError for what cannot be played."""
    partners = changes.get("partners")
    rules = preset(variant, players, partners if isinstance(partners, bool) else None)
    _check_fields(changes)
    for key, value in changes.items():
        if key in PRESETS[variant].fixed and value != getattr(rules, key):
            raise ValueError(f"rules: {variant} has no {key}; its document rules it out")
    return replace(rules, **changes)


def rules_of(variant: Any, players: Any, changes: Any) -> Rules:
    """The rules that a file gives: a preset with what differs from it, or a game of one's own (`own`) with what differs
    from the defaults."""
    if not isinstance(changes, dict) or not all(isinstance(key, str) for key in changes):
        raise ValueError("rules: must be an object of rule fields")
    if any(key in changes for key in ("variant", "name", "players")):
        raise ValueError("rules: variant and players stand beside them, not in them")
    # Nobody changes most fields of a preset: such a record is a whole one, as files of one's own games once were.
    own = changes.get(_OWN, len(changes) > len(_FIELDS) // 2)
    changes = {key: value for key, value in changes.items() if key != _OWN}
    if type(own) is not bool:
        raise ValueError(f"rules: {_OWN} = {short_repr(own)}; it must be true or false")
    if not own:
        return make_rules(variant, players, **changes)
    _check_fields(changes)
    return Rules(name=variant, players=players, **changes)


def _check_fields(changes: dict[str, Any]) -> None:
    for key in changes:
        if key not in _FIELDS:
            raise ValueError(
                f"unknown rule {short_repr(key)}{closest(key, _FIELDS)}; help(casino_env.Rules) lists them"
            )


def player_counts(name: str) -> list[int]:
    """How many may play a preset."""
    if not isinstance(name, str) or name not in PRESETS:
        raise ValueError(
            f"unknown variant {short_repr(name)}{closest(name, list(PRESETS))}; known: {', '.join(PRESETS)}"
        )
    return list(PRESETS[name].by_players)


def variants() -> dict[str, Rules]:
    """Every preset, with its smallest number of players."""
    return {name: preset(name, player_counts(name)[0]) for name in PRESETS}
