"""Position JSON and observations of the C library equal Python's under all rules; invalid positions are refused in one
line."""

import ctypes
import json
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from casino_env import Game, observe
from casino_env.actions import action_text
from casino_env.agents.c_export import as_bytes
from casino_env.agents.opened import ERRORS
from casino_env.agents.registry import make_agent
from casino_env.compiler import library
from casino_env.engine.state import GAME, RULES, rules_record
from casino_env.golden import tables
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules
from casino_env.validate import parse_json
from tests import same
from tests.comparing import wander
from tests.hostile.engine import spoil_position
from tests.hostile.spoiling import spoil_text
from tests.same_in_c import c_library, compiled
from tests.situations import position
from tests.slowest import random_rules
from tests.test_c_library import ERROR, ROOT
from tests.test_game import GOOD, WRONG_KINDS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(library.MODE == "jit", reason="there is no library")]
Data = dict[str, Any]


@pytest.fixture(scope="module")
def c() -> Any:
    return c_library()


def read(c: Any, text: str) -> tuple[bytes, bytes] | str:
    """Read JSON text by the C library; return the game and its rules, or the error message."""
    game, rules, said = (ctypes.create_string_buffer(size) for size in (GAME.itemsize, RULES.itemsize, 400))
    found = c.casino_from_json(game, rules, text.encode(), said, ctypes.c_size_t(400))
    return said.value.decode() if found else (game.raw, rules.raw)


def written(c: Any, game: bytes, rules: bytes) -> Data:
    room = c.casino_to_json(game, rules, None, ctypes.c_size_t(0)) + 1
    text = ctypes.create_string_buffer(room)
    assert c.casino_to_json(game, rules, text, ctypes.c_size_t(room)) == room - 1 == len(text.value)
    found: Data = json.loads(text.value)
    return found


def some_game(rules: Rules, rng: Random) -> Game:
    game = Game(rules, seed=rng.getrandbits(40), match=rng.random() < 0.3, skip_forced=False)
    wander(game, rng, rng.randrange(120))
    return game


def test_positions_are_read_and_written_as_in_python(c: Any) -> None:
    rng = Random(5)
    for rules in list(tables().values()) * 8:
        game = some_game(rules, rng)
        data = game.to_json()
        twin = Game.from_json(data)
        assert read(c, json.dumps(data, indent=rng.choice((None, 1)))) == (
            twin.record.tobytes(), rules_record(rules).tobytes()
        )  # fmt: skip
        assert written(c, game.record.tobytes(), rules_record(rules).tobytes()) == data


def test_rules_of_ones_own_are_told_by_what_differs(c: Any) -> None:
    rng, own = Random(7), 0
    for _ in range(150):
        rules = random_rules(rng)
        game = some_game(rules, rng)
        data = game.to_json()
        found = read(c, json.dumps(data))
        assert isinstance(found, tuple) and found[1] == rules_record(rules).tobytes()
        again = written(c, *found)
        own += "own" in again["rules"]
        assert Game.from_json(again).record.tobytes() == found[0]
        assert rules_record(Game.from_json(again).rules).tobytes() == found[1]
    assert own < 100


def test_what_is_spoilt_is_refused_where_python_refuses_it(c: Any) -> None:
    rng, refused = Random(11), 0
    for _ in range(600):
        data = some_game(rng.choice(list(tables().values())), rng).to_json()
        text = json.dumps(spoil_position(data, rng) if rng.random() < 0.7 else data)
        text = text if rng.random() < 0.8 else spoil_text(text, rng)
        found = read(c, text)
        try:
            game = Game.from_json(parse_json(text, "text"))
        except ValueError as error:
            refused += 1
            assert isinstance(found, str) and found and "\n" not in found, (text, str(error))
        else:
            assert found == (game.record.tobytes(), rules_record(game.rules).tobytes()), text
    assert 200 < refused < 600


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"hands": [["8H", "XX"], ["AS"]]},
            'hands[0] = "XX"; it must be a card: its rank, then its suit, such as "TD"',
        ),
        ({"to_move": 2}, "to_move = 2; it must be a whole number from 0 to 1"),
        ({"hand": []}, 'position: unknown key "hand"'),
        ({"rules": {"steal": "maybe"}}, 'rules: steal = "maybe"; it must be one of its choices (docs/rules.md)'),
        ({"rules": {"sweeps": True}}, "rules: swazi has no sweeps; its document rules it out"),
        ({"rules": {"rounds": 9}}, "rules: these rules cannot be played"),
        ({"variant": "swasi"}, 'unknown game "swasi" with 2 players'),
        ({"rules": {"own": 5}}, "rules: own = 5; it must be true or false"),
        ({"rules": {"own": None}}, "rules: own = null; it must be true or false"),
        ({"variant": "", "rules": {"own": True}}, 'rules: name = ""; it must be one line of 1 to 60 characters'),
        ({"layout": ["8H"]}, "layout: 8H is already in hands[0]"),
    ],
)
def test_what_is_wrong_is_said(c: Any, changed: Data, said: str) -> None:
    data = position("swazi", ["8H KC", "AS"], layout="2D") | changed
    assert read(c, json.dumps(data)) == said


def test_what_is_empty_but_of_another_kind_is_not_missing(c: Any) -> None:
    for change in WRONG_KINDS:
        found, key = read(c, json.dumps(GOOD | change)), next(iter(change))
        assert isinstance(found, str) and re.match(rf"{key} = .*; it must be (a list|an object)$", found), found
    nothing: Data = {key: [] for key in ("piles", "stock", "proven", "match_score", "sweeps")} | {"rules": {}}
    assert read(c, json.dumps(GOOD | nothing)) == read(c, json.dumps(GOOD))


def escaped(text: str) -> str:
    """Write every character in strings of JSON text as a \\u escape."""

    def spelt(found: re.Match[str]) -> str:
        return "".join(f"\\u{ord(letter):04x}" for letter in found[1])

    return re.sub('"([^"]*)"', lambda found: f'"{spelt(found)}"', text)


def test_escapes_are_read(c: Any) -> None:
    data = position("swazi", ["8H KC", "AS"], layout="2D", rules={"steal": "no"})
    assert "8H" not in escaped(json.dumps(data)) and json.loads(escaped(json.dumps(data))) == data
    assert read(c, escaped(json.dumps(data))) == read(c, json.dumps(data)) != ""
    for text in (r'{"\x41": 1}', r'{"\u41": 1}', r'{"a\": 1}'):
        assert read(c, text) == "not a JSON object"


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "a\nb", "a" * 61, "\x7f", "a", "a" * 60, "mä b", "ä" * 60, 'a"b', "数" * 60]
)
def test_names_of_games_are_those_of_python(c: Any, name: str) -> None:
    data = Game("swazi", 2, seed=1).to_json() | {"variant": name, "rules": {"own": True}}
    for ascii_only in (True, False):
        try:
            Game.from_json(data)
        except ValueError:
            assert isinstance(read(c, json.dumps(data, ensure_ascii=ascii_only)), str)
        else:
            assert isinstance(read(c, json.dumps(data, ensure_ascii=ascii_only)), tuple)


def test_text_that_is_no_json_and_little_room(c: Any) -> None:
    for text in ("", "[]", "{", '{"a" 1}', '{"a": 1,}', '{"a": 01}', "{} {}", '{"a": ' + "[" * 999 + "]" * 999 + "}"):
        assert read(c, text) == "not a JSON object"
    game = Game("swazi", 2, seed=1)
    record, rules = game.record.tobytes(), game.rules_record.tobytes()
    small = ctypes.create_string_buffer(b"?" * 16)
    assert c.casino_to_json(record, rules, small, ctypes.c_size_t(10)) > 300
    assert small.raw == b'{"variant\0' + b"?" * 6 + b"\0"
    none = ctypes.c_void_p(None)
    assert c.casino_from_json(none, none, none, none, ctypes.c_size_t(0)) == ERROR["NULL_POINTER"]
    assert c.casino_to_json(record, rules, none, ctypes.c_size_t(5)) == ERROR["NULL_POINTER"]
    assert c.casino_to_json(bytes(512), rules, none, ctypes.c_size_t(0)) == ERROR["BAD_POSITION"]
    assert c.casino_to_json(observe(game).view.tobytes(), rules, none, ctypes.c_size_t(0)) == ERROR["BAD_POSITION"]


def test_the_example_plays_in_a_position(tmp_path: Path) -> None:
    program = compiled(ROOT / "examples/position.c", tmp_path / "position")
    game = Game("swazi", 2, seed=4)
    (tmp_path / "counter.casino").write_bytes(as_bytes("counter", game.rules))
    words = [program, tmp_path / "counter.casino"]

    def answer(data: Data) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, input=json.dumps(data), capture_output=True, text=True, check=False)

    seat, agent = game.seat, make_agent("counter")
    seen, *told, after = answer(game.to_json()).stdout.splitlines()
    layout = make_layout(game.rules)
    assert seen == f"seat {seat} sees {observe(game).vector.sum()} of {layout.size} features"
    agent.reset(seat, same.Stream(seat, 1))
    while game.seat == seat and not game.over:
        action = agent.act(observe(game))
        assert told.pop(0) == action_text(action)
        game.apply(action)
    assert json.loads(after) == game.to_json() and not told
    assert answer(Game("khasino", 2, seed=4).to_json()).stderr == f"{ERRORS['OTHER_RULES']}\n"
    assert answer(game.to_json() | {"layout": ["9Z"]}).stderr.startswith('layout = "9Z"; it must be a card')


# --- observations ----------------------------------------------------------------------------------------------------


class Layout(ctypes.Structure):
    _fields_ = [("numbers", ctypes.c_int64 * 3), ("segments", ctypes.c_int64 * 7 * 25), ("words", ctypes.c_int64 * 132)]


def test_observations_are_those_of_python(c: Any) -> None:
    rng, layout = Random(3), Layout()
    for rules in tables().values():
        for universal, match in ((False, False), (False, True), (True, False)):
            game, row = some_game(rules, rng), rules_record(rules).tobytes()
            found = c.casino_lay_out(ctypes.byref(layout), row, universal | match << 1)
            try:
                mine = make_layout(rules, universal=universal, match=match)
            except ValueError:
                assert found == ERROR["BAD_QUESTION"]
                continue
            assert found == 0 and list(layout.numbers) == [mine.size, mine.most, len(mine.segments)]
            for segment, (offset, most, *shape) in zip(mine.segments, layout.segments, strict=False):
                assert (segment.offset, segment.most, *segment.shape) == (offset, most, *filter(None, shape))
            names = [c.casino_segment_name(i).decode() for i in range(len(mine.segments))]
            assert names == [segment.name for segment in mine.segments]
            seat, features = rng.randrange(rules.players), np.full(mine.size, 9, np.int8)
            seen = observe(game, seat)
            to = features.ctypes.data_as(ctypes.c_void_p)
            assert c.casino_observe(ctypes.byref(layout), seen.view.tobytes(), row, seat, to) == 0
            assert (features == seen.encode(mine)).all()
    assert c.casino_observe(ctypes.byref(layout), seen.view.tobytes(), row, 6, to) == ERROR["BAD_SEAT"]
    assert c.casino_lay_out(ctypes.byref(layout), row, 4) == ERROR["BAD_QUESTION"]
    assert c.casino_lay_out(None, row, 0) == ERROR["NULL_POINTER"]
    assert c.casino_segment_name(25) is None
