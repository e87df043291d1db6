"""Writes kernels.h for casino.c: names of kernels, offsets of fields, tables of texts and sizes."""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from importlib import import_module
from typing import Any, get_args

import numpy as np

from casino_env.actions import ACTIONS, action_text
from casino_env.cards import CARDS, card_name
from casino_env.compiler.types import Elements, Number
from casino_env.engine.afterstates import DEPTH
from casino_env.engine.flat_form import MOST_ROWS, PLACES, REFUSALS
from casino_env.engine.invariants import BEFORE, FIELDS, KEYS, LAST_NUMBER, ROOM
from casino_env.engine.playable import MOST, MOST_POINTS
from casino_env.engine.scoring import CATEGORIES
from casino_env.engine.state import GAME, OVER, RULES, SEATS, VALUES, rules_record
from casino_env.golden import tables
from casino_env.knowledge.view import PERFECT
from casino_env.position import path_of
from casino_env.presets import PRESETS
from casino_env.switches import Switches
from casino_env.version import __version__

_OF_C = {  # entries that casino.c calls, by its names for them
    "START": "engine.entrypoints.start",
    "LEGAL": "engine.entrypoints.legal",
    "PLAY": "engine.entrypoints.play",
    "POINTS": "engine.entrypoints.points",
    "WRITE_VIEW": "knowledge.encode.write_view",
    "REFUSAL": "engine.invariants.refusal",
} | {
    name.upper(): f"agents.opened.{name}"
    for name in (
        "seal_of", "rules_hold", "prove", "reset", "watch", "begin", "go_on", "answer", "explain", "ask", "judge_on",
        "tell", "find", "write_flat", "read_flat",
    )
} | {"LAY_OUT": "knowledge.layout.lay_out", "ENCODE_VIEWS": "knowledge.encode.encode_views"}  # fmt: skip
_C_TYPES = {"i1": "int8_t", "i2": "int16_t", "i8": "int64_t", "u8": "uint64_t", "f8": "double"}
_CARRIED = -(2**31)


def c_header(symbol_of: Callable[[str], str]) -> str:
    """Return the text of kernels.h. symbol_of: the symbol of an entry."""
    exported, opened = import_module("casino_env.agents.c_export"), import_module("casino_env.agents.opened")
    opening = import_module("casino_env.agents.opening")
    judge = import_module("casino_env.agents.search.verdicts")
    places: dict[str, Any] = {**GAME.fields, **RULES.fields}  # type: ignore[dict-item]
    leaves, words = list(exported.leaves()), _words_of(exported.leaves())
    numbers = {
        "TABLES": len(tables()),
        "MODE_AT": places["mode"][1],
        "ACTOR_AT": places["actor"][1],
        "MODE_OVER": OVER,
        "STREAM_WORD": places["rng"][1] // 8,
        "PLAYERS_WORD": places["players"][1] // 8,
        "SIDES_WORD": places["sides"][1] // 8,
        "DECK_WORD": places["deck_size"][1] // 8,
        "MAX_BUILD_WORD": places["max_build"][1] // 8,
        "SPARE_WORD": places["spare_words"][1] // 8,
        "CATEGORIES": len(CATEGORIES),
        "PERFECT_MEMORY": PERFECT,
        "PROOF_RECORDS": ROOM,
        "PROOF_KEYS": KEYS,
        "KINDS": len(opened.KINDS),
        "KIND_JUDGE": opened.JUDGE,
        "AGENT_WORDS": sum(1 + _dimensions(kind) for _, kind in leaves),
        "MORE_WORDS": 16,
        "NETWORK_SIZES": len(exported.NETWORK_SIZES),
        "MOST_SIZE": 1 << 24,
        "MOST_BYTES": 1 << 30,
        **{f"{name.rpartition('.')[2].upper()}_WORD": words[name] for name in _OF_AGENTS},
        "BOARD_WORD": words["board.state"],
        "USUAL_GAMES": judge.GAMES,
        "USUAL_ROUNDS": judge.ROUNDS,
        "MOST_ASKED": judge.MOST_ASKED,
    }
    own = sorted({(path.partition(".")[0], size) for path, kind in leaves for size in _own_sizes(exported, kind)})
    lines = ['#include "casino.h"']
    for name, kernel in _OF_C.items():
        symbol = symbol_of(f"casino_env.{kernel}")
        lines += [f"int {symbol}(int64_t *);", f"#define {name} {symbol}"]
    lines.append(
        f"enum {{ CARRIED = INT32_MIN, {', '.join(f'{name} = {value}' for name, value in numbers.items())} }};"
    )
    lines += [f"#define USUAL_{name} {getattr(judge, name)!r}" for name in ("SECONDS", "PRECISION")]
    lines.append(f"#define AGENT_FORMAT INT64_C({exported.FORMAT})")
    lines.append(f"#define AGENT_DIGEST INT64_C({exported.digest()})")
    lines += [_c_struct("AGENT", opened.AGENT), _c_struct("TURN", judge.TURN), _c_struct("JUDGING", judge.JUDGING)]
    lines.append("typedef struct { int32_t item, dimensions, sizes[3]; } Leaf;")
    lines.append("static const Leaf LEAVES[] = {")
    lines += [_c_leaf(exported, path, kind, own) for path, kind in leaves]
    lines.append(f"}};\nstatic const int32_t OWN_SIZES[KINDS][{len(own)}] = {{")
    for kind in opened.KINDS:
        sizes = opening.sizes_of_kind(kind)
        lines.append(f"    {{{', '.join(str(sizes[field][size]) for field, size in own)}}},")
    lines.append("};")
    lines += _c_texts()
    lines += [f"_Static_assert({what}, {json.dumps(what)});" for what in _claims(opened)]
    lines.append("static const struct { const char *name; casino_rules rules; } casino_tables[] = {")
    for table, rules in tables().items():
        lines.append(f'    {{"{table}", {_c_rules(rules)}}},')
    return "\n".join([*lines, "};", *_c_json(), *_c_layout(), ""])


def _c_rules(rules: Switches) -> str:
    return f"{{{{{', '.join(map(str, rules_record(rules).view(np.int64).tolist()))}}}}}"


def _c_json() -> list[str]:
    """Tables by which json.c reads and writes Position JSON."""
    position = import_module("casino_env.position")
    names, switches = list(RULES.names or ()), [each for each in fields(Switches) if each.name not in _NO_SWITCHES]
    numbers = {f"{name.upper()}_NUMBER": FIELDS.index(name) for name in _NUMBERS}
    lines = [f"enum {{ OF_NUMBER = 1, OF_CARD = 2, {', '.join(f'{name} = {at}' for name, at in numbers.items())} }};"]
    cards, others = position._TURN_CARDS, position._TURN_NUMBERS
    kinds = ("2" if name in cards else "1" if name in others else "0" for name in FIELDS[:LAST_NUMBER])
    lines.append(f"static const char TURN_KINDS[] = {{{', '.join(kinds)}}};")
    for name, keys in (("POSITION", position._KEYS), ("BUILD", position._BUILD_KEYS), ("MATCH", position._MATCH_KEYS)):
        lines.append(f"static const char *const {name}_KEYS[] = {{{', '.join(map(json.dumps, keys))}}};")
    lines.append(
        "typedef struct { const char *name, *const *choices; int32_t word, most; } Switch; /* most 0: yes or no */"
    )
    lines.append("static const Switch SWITCHES[] = {")
    for each in switches:
        choices = get_args(each.type)
        listed = f"(const char *const[]){{{', '.join(map(json.dumps, choices))}, 0}}" if choices else "0"
        most = MOST.get(each.name, MOST_POINTS) if each.type is int else 0
        lines.append(f'    {{"{each.name}", {listed}, {names.index(_WORDS.get(each.name, each.name))}, {most}}},')
    lines += ["};", "/* fixed: bit i: the document rules switch i out */"]
    lines.append("typedef struct { const char *variant, *quoted; int32_t singles; uint64_t fixed; } Table;")
    lines.append("static const Table TABLE_NAMES[] = {")
    for table, rules in tables().items():
        fixed = sum(1 << i for i, each in enumerate(switches) if each.name in PRESETS[rules.name].fixed)
        singles = int(table.endswith(" singles"))
        lines.append(f'    {{"{rules.name}", "\\"{rules.name}\\"", {singles}, UINT64_C({fixed})}},')
    return [*lines, "};", f"static const casino_rules DEFAULT_RULES = {_c_rules(Switches())};"]


_NO_SWITCHES = ("name", "players")
_WORDS = {"deck": "deck_size"}  # switches whose field in the rules record has another name
_NUMBERS = ("round", "turns", "to_move", "leader", "last_capture", "actor", "match", "deals", "winner")  # for json.c


def _c_layout() -> list[str]:
    """Tables by which casino.c lays out an observation."""
    layout = import_module("casino_env.knowledge.layout")
    rows = ", ".join(f"{{{word}, {usual}}}" for word, usual in layout._RULE_FIELDS)
    return [
        f"static const char *const SEGMENT_NAMES[] = {{{', '.join(map(json.dumps, layout.SEGMENTS))}}};",
        f"static const int64_t RULE_FIELDS[][2] = {{{rows}}};",
        f"enum {{ LAYOUT_SIZE = {layout.LAYOUT.fields['size'][1] // 8}, LAYOUT_MOST = "
        f"{layout.LAYOUT.fields['most'][1] // 8} }};",
    ]


_OF_AGENTS = (
    "about.state",
    "about.rules",
    "about.seen",
    "about.seats",
    "about.chances",
    "about.values",
    "board.turns",
)  # the leaves that casino.c reads


def _dimensions(kind: Number | Elements) -> int:
    return kind.dimensions if isinstance(kind, Elements) else 0


def _words_of(leaves: Iterable[tuple[str, Number | Elements]]) -> dict[str, int]:
    """Return the index in a block at which each leaf of an agent begins, by path."""
    at, found = 0, {}
    for path, kind in leaves:
        found[path] = at
        at += 1 + _dimensions(kind)
    return found


def _own_sizes(exported: Any, kind: Number | Elements) -> list[str]:
    """Return the named sizes of an array that are not sizes of the network."""
    sizes = (isinstance(kind, Elements) and kind.sizes) or ()
    return [size for size in sizes if isinstance(size, str) and size not in exported.NETWORK_SIZES]


def _c_leaf(exported: Any, path: str, kind: Number | Elements, own: list[tuple[str, str]]) -> str:
    """Describe a leaf in C: item size and sizes. Negative numbers stand for sizes of the network, then of the kind."""
    if isinstance(kind, Number):
        return "    {8, 0, {0}},"
    network = list(exported.NETWORK_SIZES)
    places = {name: -1 - i for i, name in enumerate(network)}
    places |= {size: -1 - len(network) - i for i, (field, size) in enumerate(own) if field == path.partition(".")[0]}
    sizes = (_CARRIED,) if kind.sizes is None else kind.sizes
    written = ", ".join("CARRIED" if size == _CARRIED else str(places.get(size, size)) for size in sizes)
    return f"    {{{np.dtype(kind.dtype).itemsize}, {kind.dimensions}, {{{written}}}}}, /* {path} */"


def _c_struct(name: str, dtype: Any) -> str:
    """Declare a record of the kernels as a C struct."""
    rows = []
    for field, (kind, _) in ((field, dtype.fields[field][:2]) for field in dtype.names):
        many = "".join(f"[{size}]" for size in kind.shape)
        rows.append(f"{_C_TYPES[kind.base.str[1:]]} {'length' if field == 'long' else field}{many};")
    checks = f'_Static_assert(sizeof({name}) == {dtype.itemsize}, "{name}");'
    return f"typedef struct {{ {' '.join(rows)} }} {name};\n{checks}"


def _c_texts() -> list[str]:
    opened = import_module("casino_env.agents.opened")
    judge = import_module("casino_env.agents.search.verdicts")
    numbers = FIELDS[:LAST_NUMBER]
    texts = {
        "ERROR_TEXTS": opened.ERRORS.values(),
        "BY_TEXTS": judge.BY,
        "ACTION_TEXTS": map(action_text, range(ACTIONS)),
        "CARD_NAMES": map(card_name, range(CARDS)),
        "FIELD_NAMES": FIELDS,
        "FIELD_PATHS": map(path_of, FIELDS),
        "PLACE_NAMES": PLACES,
        "REFUSAL_TEXTS": (REFUSALS.get(code, "") for code in range(max(REFUSALS) + 1)),
    }
    lines = [
        f"static const char *const {name}[] = {{{', '.join(map(json.dumps, some))}}};" for name, some in texts.items()
    ]
    before = ", ".join(str(BEFORE[FIELDS.index(name)]) for name in numbers)
    lines.append(f'static const char VERSION[] = "{__version__}";')
    return [*lines, f"static const int64_t NUMBERS_BEFORE[CASINO_NUMBERS] = {{{before}}};"]


def _claims(opened: Any) -> list[str]:
    """Conditions that must hold for casino.h to match the engine."""
    layout = import_module("casino_env.knowledge.layout")
    return [
        f"sizeof(casino_game) == {GAME.itemsize}",
        f"sizeof(casino_rules) == {RULES.itemsize}",
        *(f"CASINO_{name} == {-1 - i}" for i, name in enumerate(opened.ERRORS)),
        *(f"CASINO_{name} == {getattr(opened, name)}" for name in ("GO_ON", "FINISHED")),
        f"CASINO_ACTIONS == {ACTIONS} && CASINO_SEATS == {SEATS} && CASINO_CARDS == {CARDS}",
        f"CASINO_STEPS == {DEPTH + 1} && CASINO_NUMBERS == {LAST_NUMBER}",
        f"CASINO_ROWS == {MOST_ROWS} && CASINO_BUILDS == {VALUES}",
        f"CASINO_SEGMENTS == {len(layout.SEGMENTS)} && sizeof(casino_segment) == {layout.SEGMENT.itemsize}",
        f"CASINO_UNIVERSAL == {layout.UNIVERSAL} && CASINO_MATCH == {layout.MATCH}",
        f"sizeof((casino_layout){{0}}.words) == {layout.LAYOUT.itemsize}",
    ]
