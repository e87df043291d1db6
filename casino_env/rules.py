"""Rules: checked switches, presets, and rules in files."""

from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, Protocol, get_args, get_origin, runtime_checkable

from casino_env.arrays import Array
from casino_env.cards import DECKS
from casino_env.engine.playable import MOST, MOST_POINTS, NONSENSE, first_nonsense
from casino_env.engine.state import rules_record
from casino_env.presets import PRESETS
from casino_env.switches import Switches
from casino_env.validate import closest, int_in, one_of, short_repr

RULES_VERSION = 1


@dataclass(frozen=True)
class Rules(Switches):
    """Every rule that differs between the games (switches.py); raises ValueError if they cannot be played."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_type(field.name, field.type, getattr(self, field.name))
        row, dealt, points = first_nonsense(self.record)
        if row:
            words = vars(self) | {"dealt": dealt, "points": points, "most": MOST_POINTS, "decks": _DECKS}
            raise ValueError(f"rules of {self.name} with {self.players} players: {NONSENSE[row].format(**words)}")

    @cached_property
    def record(self) -> Array:
        """The rules as kernels read them: an array of one RULES record, never written to."""
        return rules_record(self)

    @property
    def table_builds(self) -> bool:
        """Whether builds and additions may consist of table cards alone, before or after the hand card is played."""
        return bool(self.record["table_builds"][0])

    @property
    def hand_size(self) -> int:
        """The number of cards of a full hand."""
        return int(self.record["hand_size"][0])

    @property
    def max_build(self) -> int:
        """The highest value of a build."""
        return int(self.record["max_build"][0])

    def differences(self) -> dict[str, Any]:
        """The fields that differ from the preset or, with `own`, from the defaults: rules_of() restores the rules from
        them. So files stay readable when a switch is added whose default plays as before."""
        return dict(_differences(self))

    def choices(self) -> dict[str, Any]:
        """Name, players and the fields that differ from the defaults: Rules(**choices) makes these rules again."""
        return {"name": self.name, "players": self.players} | _unlike(self, _DEFAULTS)


@runtime_checkable
class Recorded(Protocol):
    """An object with a record and its rules, such as a Game."""

    @property
    def records(self) -> Array: ...  # one of engine/state.py's GAME

    @property
    def rules(self) -> Rules: ...


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


def _unlike(rules: Rules, base: Switches) -> dict[str, Any]:
    return {key: getattr(rules, key) for key in _FIELDS if getattr(rules, key) != getattr(base, key)}


_FIELDS = [field.name for field in fields(Rules) if field.name not in ("name", "players")]
_OWN = "own"  # in a file: the game is no preset, and fields not named have their defaults
_DECKS = ", ".join(map(str, DECKS))


def _check_type(name: str, kind: Any, value: Any) -> None:
    if get_origin(kind) is Literal:
        one_of(value, f"rules: {name}", get_args(kind))
    elif type(value) is not kind:
        wanted = {bool: "true or false", int: "a whole number", str: "a text"}[kind]
        raise ValueError(f"rules: {name} = {short_repr(value)}; it must be {wanted}")
    elif kind is int and not 0 <= value <= MOST.get(name, MOST_POINTS):
        raise ValueError(f"rules: {name} = {short_repr(value)}; it must be 0 to {MOST.get(name, MOST_POINTS)}")
    elif kind is str and not (0 < len(value) <= 60 and value.isprintable() and value == value.strip()):
        raise ValueError(f"rules: {name} = {short_repr(value)}; it must be one line of 1 to 60 characters")


_DEFAULTS = Switches()


def preset(name: str, players: int, partners: bool | None = None) -> Rules:
    counts, players = player_counts(name), int_in(players, "players")
    if players not in counts:
        raise ValueError(f"{name} is played by {', '.join(map(str, counts))} players, not {short_repr(players)}")
    return _preset(name, players, partners)


@lru_cache(maxsize=256)
def _preset(name: str, players: int, partners: bool | None) -> Rules:
    row = PRESETS[name]
    values = row.base | row.by_players[players]
    if row.singles is not None and players > 2:
        if partners is not None:
            values = values | dict(partners=partners)
        if not values.get("partners", False):
            values = values | row.singles
    return Rules(name=name, players=players, **values)


def make_rules(variant: str | Rules, players: int = 2, **changes: Any) -> Rules:
    """The rules of a preset with some fields changed, or a Rules record as it is; raise ValueError if they cannot be
    played."""
    if isinstance(variant, Rules):
        if changes:
            raise ValueError("give a Rules record or changes to a preset, not both")
        return variant
    partners = changes.get("partners")
    rules = preset(variant, players, partners if isinstance(partners, bool) else None)
    _check_fields(changes)
    for key, value in changes.items():
        if key in PRESETS[variant].fixed and value != getattr(rules, key):
            raise ValueError(f"rules: {variant} has no {key}; its document rules it out")
    return replace(rules, **changes) if changes else rules


def rules_of(variant: Any, players: Any, changes: Any) -> Rules:
    """Make the rules that a file gives: a preset and its changes, or a custom game (`own`) and the fields that differ
    from the defaults."""
    if not isinstance(changes, dict) or not all(isinstance(key, str) for key in changes):
        raise ValueError("rules: must be an object of rule fields")
    if any(key in changes for key in ("variant", "name", "players")):
        raise ValueError("rules: give variant and players beside them, not in them")
    # Old files of custom games list all fields and have no `own`. Nobody changes most fields of a preset.
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


def kind_of_switch(name: str) -> Any:
    """The type of a switch's values; str for an unknown switch, which make_rules refuses later."""
    return bool if name == _OWN else Rules.__dataclass_fields__[name].type if name in _FIELDS else str


def player_counts(name: str) -> list[int]:
    """The numbers of players that a preset allows."""
    if not isinstance(name, str) or name not in PRESETS:
        raise ValueError(
            f"unknown variant {short_repr(name)}{closest(name, list(PRESETS))}; known: {', '.join(PRESETS)}"
        )
    return list(PRESETS[name].by_players)


def variants() -> dict[str, Rules]:
    """Every preset, with its smallest number of players."""
    return {name: preset(name, player_counts(name)[0]) for name in PRESETS}
