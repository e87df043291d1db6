"""Refusals in one line: values of the wrong kind, hostile files, and commands that fail."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from casino_env.agents.solver import solve
from casino_env.cli import run_command
from casino_env.drawing.scene import table_text
from casino_env.evaluate import match
from casino_env.game import Game
from casino_env.knowledge.layout import make_layout
from casino_env.observed import determinize, observe, sample_determinizations
from casino_env.record import write_record
from casino_env.text import introduction, parse, prompt
from casino_env.turns import complete_turns, perft
from casino_env.validate import short_repr
from casino_env.views import as_view, told_of, view_of
from tests.hostile import guided
from tests.hostile.runner import kinds, ready
from tests.refusals import refused


def failing(error: BaseException) -> Any:
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "not enough memory"),
        (MemoryError("4 GiB"), "not enough memory: 4 GiB"),
        (RecursionError(), "nested too deeply"),
        (OverflowError("too large"), "too large"),
        (ValueError("no"), "no"),
        (FileNotFoundError(2, "No such file or directory", "x"), ": x: no such file or folder\n"),
        (PermissionError(13, "Permission denied", "y", None, "x"), ": x: Permission denied\n"),
        (IsADirectoryError(21, "Is a directory", "x"), ": x: is a folder, not a file\n"),
        (NotADirectoryError(20, "Not a directory", "x/y"), ": x/y: a part of this path is a file, not a folder\n"),
        (OSError(28, "No space left on device"), ": No space left on device\n"),
        (OSError("port 80: in use"), ": port 80: in use\n"),
        (KeyboardInterrupt(), "interrupted"),
    ],
)
def test_a_command_fails_in_one_line(error: BaseException, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("program", failing(error)) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("program: ") and said in shown and shown.count("\n") == 1


def test_what_is_told_is_short() -> None:
    for value in ("x" * 9999, [[["x"] * 99] * 99] * 99, 10**9999, {"a": "\n" * 999}, "\ud800", math.nan):
        assert len(short_repr(value)) < 130 and short_repr(value).isprintable()


HEAD = "casino-record 1\nvariant: swazi\nplayers: {players}\nrules: {rules}\nrules_version: 1\nseed: 3\n\n0: end\n"
FILES: dict[str, tuple[str, bytes, str]] = {
    "not text": ("replay", b"casino-record 1\nvariant: \xff\n", "byte 25 is not UTF-8 text"),
    "nulls": ("replay", b"\0" * 99, "line 1"),
    "many digits": ("replay", HEAD.format(players="9" * 5000, rules="{}").encode(), "whole number"),
    "odd digits": ("replay", HEAD.format(players="٣", rules="{}").encode(), "whole number"),
    "deep": ("replay", HEAD.format(players=2, rules="[" * 99_999).encode(), "nested too deeply"),
    "rules": ("replay", HEAD.format(players=2, rules='{"target": 1e999}').encode(), "target"),
    "match": ("replay", HEAD.format(players=2, rules="{}").replace("seed", "match: maybe\nseed").encode(), "match"),
    "turns of no text": ("turns", b"\xff\n", "byte 0 is not UTF-8 text"),
    "turns of a list": ("turns", b"[1]\n", "a position must be a JSON object"),
    "turns, deep": ("turns", b"[" * 99_999, "nested too deeply"),
    "turns, NaN": ("turns", b'{"variant": "swazi", "players": NaN}', "NaN"),
    "turns, large": ("turns", b'{"variant": "swazi", "players": 2, "round": %s}' % (b"9" * 5000), "digits"),
    "turns, surrogates": ("turns", b'{"variant": "\\ud800", "players": 2}', "unknown variant"),
}


@pytest.mark.parametrize("name", FILES)
def test_hostile_files(name, tmp_path, casino):
    command, data, said = FILES[name]
    file = tmp_path / "file"
    file.write_bytes(data)
    code, out, err = casino(command, file)
    shown = out + err
    assert code == 1 and said in shown and shown.count("\n") == 1 and len(shown) < 400
    if "UTF-8" in said and command == "replay":
        assert str(file) in shown


@pytest.mark.parametrize("seconds", ["nan", "inf", "0"])
def test_bench_wants_a_number(seconds, casino):
    code, _, err = casino("bench", "--seconds", seconds)
    assert code == 1 and "--seconds" in err


NO_ACTIONS = [63.9, 3.0, True, np.True_, np.float64(3), None, [], b"end", 10**30, -1, 192, "", "x" * 99]


@pytest.mark.parametrize("action", NO_ACTIONS)
def test_what_is_no_action(action: Any) -> None:
    game = Game("swazi", seed=7)
    before = game.to_bytes()
    with pytest.raises(ValueError, match=r"action|illegal"):
        game.apply(action)
    assert game.to_bytes() == before


def test_numbers_of_numpy_are_numbers() -> None:
    game = Game("swazi", np.int64(2), np.uint64(2**64 - 1))  # type: ignore[arg-type]
    game.apply(np.int64(game.legal()[0]))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [1.5, "7", True, -1, 2**64])
def test_what_is_no_seed(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed"):
        Game("swazi", seed=seed)


@pytest.mark.parametrize("variant", [5, None, [], {}, "swaz", "x" * 999])
def test_what_is_no_variant(variant: Any) -> None:
    with pytest.raises(ValueError, match="unknown variant"):
        Game(variant)


def class_wanted(name: str, kind: str) -> str:
    return rf"^{name} = .*; it must be of class {kind}$"


A_GAME = r"^game = .*; it must be an object with a record and its rules, such as a Game$"
OF_OBJECTS: list[tuple[Any, str]] = [
    (observe, class_wanted("game", "Game")),
    (lambda other: view_of(other, 0), class_wanted("game", "Game")),
    (lambda other: write_record(1, other), class_wanted("game", "Game")),
    (lambda other: determinize(other, 0, np.random.default_rng(1)), class_wanted("game", "Game")),
    (lambda other: told_of(other, Game("mini"), 0), class_wanted("before", "Game")),
    (lambda other: told_of(Game("mini"), other, seat=0), class_wanted("after", "Game")),
    (solve, class_wanted("game", "Game")),
    (lambda other: perft(other, 1), A_GAME),
    (complete_turns, A_GAME),
    (table_text, A_GAME),
    (as_view, class_wanted("observed", "Observed")),
    (prompt, class_wanted("observed", "Observed")),
    (lambda other: parse("end", other), class_wanted("observed", "Observed")),
    (lambda other: sample_determinizations(other, 1, np.random.default_rng(1)), class_wanted("observed", "Observed")),
    (make_layout, class_wanted("rules", "Rules")),
    (lambda other: introduction(other, 0), class_wanted("rules", "Rules")),
    (observe(Game("mini")).encode, class_wanted("layout", "Layout")),
    (lambda other: match(other, "random", deals=1), r"^\w+: an agent needs the methods reset and act$"),
]


@pytest.mark.parametrize(("function", "said"), OF_OBJECTS)
@pytest.mark.parametrize("other", [None, 3, {}, {"variant": "mini", "players": 2}, [Game], Game])
def test_objects_of_another_class_are_refused_in_one_line(function: Any, said: str, other: Any) -> None:
    with refused(said):
        function(other)


def test_what_fails_on_right_objects_or_is_called_wrongly_fails_as_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    no_game: Any = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'seat'"):
        view_of(no_game)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'seats'"):
        observe(no_game, seats=0)  # type: ignore[call-arg]
    monkeypatch.delattr(Game, "mask")
    with pytest.raises(AttributeError, match="'mask'"):
        observe(Game("mini"))


@pytest.mark.parametrize("name", guided.corpus())
def test_an_answer_for_each_case_of_the_corpus(name: str) -> None:
    """Each answer that python -m tests.hostile.guided has found has a case in the corpus; nothing else is raised."""
    kind = kinds()[name]
    seeds = ready(kind, guided.SEED).seeds
    answers = {guided.attempt(kind, seeds, bytes.fromhex(case)) for case in guided.corpus()[name]}
    assert len(answers) > 3
