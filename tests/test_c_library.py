"""The C library: its example, agents, judge and positions give the same results as Python, and it refuses spoilt
input."""

import ctypes
import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.actions import ACTIONS, parse_action
from casino_env.agents.base import show_to
from casino_env.agents.c_export import JUDGE, as_bytes
from casino_env.agents.cli import main as agents
from casino_env.agents.opened import ERRORS, GO_ON, seal_of
from casino_env.agents.registry import make_agent
from casino_env.aot.build import CODE, TARGETS, symbol_of, zig
from casino_env.aot.c_header import c_header
from casino_env.cards import CARDS, card_name
from casino_env.compiler import library
from casino_env.engine.state import RULES, rules_record
from casino_env.rules import Rules
from casino_env.version import __version__
from tests import same
from tests.same_in_c import InC, c_library, compiled, positions

ROOT = Path(__file__).parent.parent
_HEAD = 3  # words of a file before the sealed part
pytestmark = [pytest.mark.slow, pytest.mark.skipif(library.MODE == "jit", reason="there is no library")]
ERROR = {name: -1 - number for number, name in enumerate(ERRORS)}


def test_texts_and_the_version_are_those_of_python() -> None:
    c = c_library()
    assert c.casino_version().decode() == __version__
    assert [c.casino_card_text(card).decode() for card in range(CARDS)] == list(map(card_name, range(CARDS)))
    assert [c.casino_action_of(c.casino_action_text(action)) for action in range(ACTIONS)] == list(range(ACTIONS))
    assert c.casino_action_of(b"discard 99") == c.casino_action_of(None) == ERROR["ILLEGAL"]
    assert c.casino_card_text(CARDS) is None


# --- the example -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(ROOT / "examples/match.c", tmp_path_factory.mktemp("c") / "match", "-lm")


def played(first: str, second: str, rules: Rules, deals: int) -> list[float]:
    """Play the same match in Python; return the mean difference of points of each deal."""
    seats = range(rules.players)
    pairs, found = [[make_agent(spec) for _ in seats] for spec in (first, second)], list[float]()
    for deal in range(deals):
        means = list[float]()
        for seat in seats:
            side, game = rules.side(seat), Game(rules, seed=deal)
            sitting = [pairs[rules.side(other) != side][other] for other in seats]
            for other in seats:
                sitting[other].reset(other, same.Stream(other, deal))
            while not game.over:
                for other in set(seats) - {game.seat}:
                    show_to(sitting[other], observe(game, other))
                game.apply(sitting[game.seat].act(observe(game)))
            points = {rules.side(other): value for other, value in enumerate(game.scores())}
            others = [value for other, value in points.items() if other != side]
            means.append(points[side] - sum(others) / len(others))
        found.append(float(np.mean(means)))
    return found


@pytest.mark.parametrize(
    ("first", "second", "variant", "players"),
    [
        ("policy:swazi-3", "search:sims=20", "swazi", 3),
        ("policy:khasino-4-partners,sims=24", "greedy", "khasino", 4),
        ("strongest:sims=40", "policy:swazi-2", "swazi", 2),
    ],
)
def test_the_example_plays_the_match_that_python_plays(first, second, variant, players, program, tmp_path) -> None:
    files = [tmp_path / "first.casino", tmp_path / "second.casino"]
    for spec, file in zip((first, second), files, strict=True):
        assert agents(["export", spec, str(file), "--variant", variant, "--players", str(players)]) == 0
    done = subprocess.run([program, *files, "3"], check=True, capture_output=True, text=True)
    points = played(first, second, make_rules(variant, players), 3)
    half = 1.96 * float(np.std(points, ddof=1)) / 3**0.5
    assert done.stdout == f"3 deals from {players} seats: {np.mean(points):+.2f} points a deal, +- {half:.2f}\n"
    assert done.stderr == ""


@pytest.mark.parametrize("target", TARGETS)
def test_the_library_compiles_for_every_system_without_a_warning(target: str, tmp_path: Path) -> None:
    (tmp_path / "kernels.h").write_text(c_header(symbol_of))
    for name in ("casino", "json"):
        zig(
            "cc", "-target", TARGETS[target][0].system, "-c", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{CODE}",
            f"-I{tmp_path}", str(CODE / f"{name}.c"), "-o", str(tmp_path / f"{name}.o"),
        )  # fmt: skip


# --- agents, the judge, positions ------------------------------------------------------------------------------------


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Any]:
    with InC(tmp_path) as program:
        yield program


@pytest.mark.parametrize("kind", sorted({spec.partition(":")[0] for spec, _ in same.kinds_of_agents()}))
def test_the_same_decisions_as_in_python(other: InC, kind: str) -> None:
    kinds = [each for each in same.kinds_of_agents() if each[0].partition(":")[0] == kind]
    found = other.compare(same.decisions(kinds, 1))
    assert found["same"] >= 10 * len(kinds) and found["other"] == 0


def test_the_same_verdicts(other: InC) -> None:
    assert other.compare(same.verdicts(3))["same"] == 12


def test_the_same_positions_and_refusals_in_the_same_words(other: InC) -> None:
    found = other.compare(positions(400, seed=2))
    assert found["same"] > 200 and found["refused"] > 50 and found["worded"] == 0


# --- spoilt input ----------------------------------------------------------------------------------------------------


class Library:
    """Calls agents of the C library."""

    def __init__(self) -> None:
        self.c = c_library()

    def open(self, data: bytes) -> tuple[ctypes.c_void_p, int]:
        error = ctypes.c_int(1)
        found = self.c.casino_open(data, len(data), ctypes.byref(error))
        return ctypes.c_void_p(found), error.value

    def decide(self, data: bytes, game: Game, steps: int) -> int:
        """Return the action after at most `steps` steps, or a negative error code."""
        agent, found = self.open(data)
        if agent:
            found = self.c.casino_begin(agent, observe(game).view.tobytes(), game.seat)
        while found == GO_ON and steps:
            found, steps = self.c.casino_go_on(agent), steps - 1
        found = self.c.casino_answer(agent) if agent and found >= 0 else found
        self.c.casino_close(agent)
        return int(found)


@pytest.fixture(scope="module")
def c() -> Library:
    return Library()


def resealed(whole: bytes) -> bytes:
    """Return the file with a seal that fits its changed content."""
    seal = int(seal_of(np.frombuffer(bytearray(whole[8 * _HEAD :]), np.uint64)))
    return whole[: 8 * (_HEAD - 1)] + struct.pack("<Q", seal) + whole[8 * _HEAD :]


def test_a_file_that_is_spoilt_is_refused(c: Library) -> None:
    data, rng = as_bytes("policy:swazi-2"), Random(3)
    for spoilt in (b"", data[:7], data[:100], data[:-8], data + bytes(8), data[:8] + bytes(8) + data[16:]):
        assert c.open(spoilt)[1] in (ERROR["NOT_A_FILE"], ERROR["DAMAGED"]), len(spoilt)
    for _ in range(200):
        at = rng.randrange(8 * _HEAD, len(data))
        changed = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        assert c.open(changed) == (ctypes.c_void_p(None), ERROR["DAMAGED"]) or c.open(changed)[1] == ERROR["DAMAGED"]


def test_a_file_without_weights_has_no_shape_of_a_network(c: Library) -> None:
    data, none = as_bytes("greedy", make_rules("swazi", 2)), struct.pack("<6q", 40, 1, 1, 0, 1, 1)
    shape = data.index(none) + 8
    for at in range(shape, shape + 40, 8):
        changed = data[:at] + struct.pack("<q", 1 << 31) + data[at + 8 :]
        assert c.open(resealed(changed))[1] == ERROR["DAMAGED"]


_HOSTILE = """
import sys, json
from tests.test_c_library import Library, resealed
from casino_env import Game, make_rules
from random import Random
from pathlib import Path
c, data, rng, counts = Library(), Path(sys.argv[1]).read_bytes(), Random(int(sys.argv[2])), {}
for _ in range(int(sys.argv[3])):
    words = bytearray(data)
    for _ in range(rng.choice((1, 1, 2))):
        at = 8 * (rng.randrange(3, 330) if rng.random() < 0.8 else rng.randrange(3, len(data) // 8))
        number = rng.choice((0, 1, -1, 2, 7, 52, 255, 1 << 20, 1 << 40, -(1 << 62), rng.getrandbits(63)))
        words[at : at + 8] = number.to_bytes(8, "little", signed=True)
    found = c.decide(resealed(bytes(words)), Game(make_rules("swazi", 2), seed=5), steps=20)
    counts[min(found, 0)] = counts.get(min(found, 0), 0) + 1
print(json.dumps(counts))
"""


@pytest.mark.parametrize("spec", ["policy:swazi-2", "search:sims=8", "strongest:sims=8", "counter"])
def test_whoever_seals_nonsense_gets_an_error_or_an_action_and_no_crash(spec: str, tmp_path: Path) -> None:
    file = tmp_path / "agent.casino"
    file.write_bytes(as_bytes(spec, make_rules("swazi", 2)))
    done = subprocess.run(
        [sys.executable, "-c", _HOSTILE, file, "7", "150"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert sum(count for code, count in json.loads(done.stdout).items() if int(code) < 0) > 25


def test_null_zeros_and_others_rules_are_answered_with_a_code(c: Library) -> None:
    game, zeros, none = Game("swazi", 2, seed=1), bytes(768), ctypes.c_void_p(None)
    rules, others = (rules_record(make_rules(name, 2)).tobytes() for name in ("swazi", "khasino"))
    record, actions = game.record.tobytes(), ctypes.create_string_buffer(192)
    assert c.c.casino_find_rules(none) == 0 and c.c.casino_table(-1) is None and c.c.casino_table(10**6) is None
    for call in (c.c.casino_over, c.c.casino_seat, c.c.casino_players, c.c.casino_check_rules, c.c.casino_go_on):
        assert call(none) == ERROR["NULL_POINTER"]
    for call in (c.c.casino_side, c.c.casino_players, c.c.casino_check_rules):
        assert call(zeros, 0) == ERROR["BAD_RULES"]
    assert c.c.casino_check_rules(rules) == 0
    for spare in range(8 * (len(RULES.names or ()) - 1), RULES.itemsize, 8):  # of switches that there are not
        assert c.c.casino_check_rules(rules[:spare] + b"\1" + rules[spare + 1 :]) == ERROR["BAD_RULES"]
    assert c.c.casino_deal(actions, zeros, 1) == c.c.casino_play(record, zeros, 3) == ERROR["BAD_RULES"]
    assert (
        c.c.casino_legal(record, rules, actions) == len(game.legal()) and c.c.casino_legal(zeros, rules, actions) >= 0
    )
    assert c.c.casino_play(record, rules, 10**6) == c.c.casino_play(record, rules, -5) == ERROR["ILLEGAL"]
    assert c.c.casino_check(zeros, rules, none) == ERROR["BAD_POSITION"] and c.c.casino_check(record, rules, none) == 0
    agent, error = c.open(as_bytes("policy:swazi-2"))
    assert error == 0 and c.c.casino_answer(agent) == ERROR["TOO_SOON"]
    assert c.c.casino_reset(agent, others, 0, 1) == ERROR["OTHER_RULES"]
    assert c.c.casino_reset(agent, rules, 2, 1) == ERROR["BAD_SEAT"]
    assert c.c.casino_decide(agent, zeros) == c.c.casino_begin(agent, zeros, 0) == ERROR["BAD_POSITION"]
    assert c.c.casino_begin(agent, record, 1 - game.seat) == ERROR["BAD_SEAT"]
    assert c.c.casino_ask(agent, record, game.seat, none) == ERROR["OTHER_KIND"]
    assert c.c.casino_decide(agent, Game("khasino", 3, seed=1).record.tobytes()) < 0
    assert c.c.casino_decide(agent, record) in game.legal()
    c.c.casino_close(agent)
    c.c.casino_close(none)


def test_a_position_may_leave_cards_out_of_play(c: Library) -> None:
    position = {"variant": "khasino", "players": 2, "hands": [["7S"], ["9H"]], "layout": ["9D", "7C"], "stock": []}
    game, agent = Game.from_json(position), c.open(as_bytes("counter", make_rules("khasino", 2)))[0]
    assert c.c.casino_decide(agent, game.record.tobytes()) == parse_action("capture 7S") in game.legal()
    c.c.casino_close(agent)


def test_a_decision_may_end_whenever_the_program_likes(c: Library) -> None:
    """A search limited by time ends by itself."""
    rules = make_rules("swazi", 2)
    for spec in ("search:sims=10000000", "strongest:sims=10000000", "search:time=0.05", "strongest:time=0.05"):
        agent, _ = c.open(as_bytes(spec, rules))
        for seed in range(3):
            game, steps = Game(rules, seed=seed), 0
            view = observe(game).view.tobytes()
            state = c.c.casino_begin(agent, view, game.seat)
            while state == GO_ON and (steps < seed or "time" in spec):
                state, steps = c.c.casino_go_on(agent), steps + 1
            assert state == (0 if "time" in spec else GO_ON)
            assert c.c.casino_answer(agent) in game.legal()
            assert c.c.casino_go_on(agent) == 0
        c.c.casino_close(agent)


def test_what_the_library_cannot_play_is_not_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for spec, said in (
        ("solved:agent=search", "a search solves endings itself"),
        ("policy:swazi-2", "plays swazi with 2 players, not khasino with 2"),
        ("search:sims=0", "sims"),
        (f"{JUDGE}:seconds=1", "judge"),
    ):
        assert agents(["export", spec, str(tmp_path / "x.casino"), "--variant", "khasino"]) in (1, 2)
        text = capsys.readouterr().err
        assert said in text and text.count("\n") == 1
    assert not (tmp_path / "x.casino").exists()
