"""The C library: the example plays a match, and comes to the points that Python comes to."""

import subprocess
import sys
from pathlib import Path

import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.cli import main as agents
from casino_env.agents.registry import make_agent
from casino_env.compiler import library

ROOT = Path(__file__).parent.parent
pytestmark = [pytest.mark.slow, pytest.mark.skipif(library.MODE == "jit", reason="there is no library")]

_WORD = 2**64 - 1


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("c") / "match"
    shared = library.FOLDER / library.c_file_name(sys.platform)
    command = [sys.executable, "-m", "ziglang", "cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
    command += ["-ftrivial-auto-var-init=pattern"]  # what the program has not written is never zero by luck
    command += [f"-I{library.FOLDER}", str(ROOT / "examples/match.c"), str(shared), f"-Wl,-rpath,{library.FOLDER}"]
    command += ["-o", str(made)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return made


class Splitmix:
    """The random numbers of the example."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, many: int) -> int:
        self.state = self.state + 0x9E3779B97F4A7C15 & _WORD
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
        return (z ^ z >> 31) % many


def played(name: str, variant: str, players: int, deals: int) -> float:
    """The same match in Python."""
    rules, policy, total = make_rules(variant, players), make_agent(f"policy:{name}"), 0.0
    for deal in range(deals):
        for seat in range(players):
            game, rng, mine = Game(rules, seed=deal), Splitmix(deal), rules.side(seat)
            while not game.over:
                legal = game.legal()
                own = rules.side(game.seat) == mine
                game.apply(policy.act(observe(game)) if own else legal[rng.below(len(legal))])
            points = {rules.side(other): value for other, value in enumerate(game.scores())}
            others = [value for side, value in points.items() if side != mine]
            total += points[mine] - sum(others) / len(others)
    return total / deals / players


@pytest.mark.parametrize(
    ("name", "variant", "players"), [("swazi-3", "swazi", 3), ("khasino-4-partners", "khasino", 4)]
)
def test_the_example_plays_the_match_that_python_plays(name, variant, players, program, tmp_path) -> None:
    file = tmp_path / "policy.casino"
    assert agents(["export", name, str(file)]) == 0
    done = subprocess.run([program, file, "10"], check=True, capture_output=True, text=True)
    assert done.stdout == f"10 deals on {players} seats: {played(name, variant, players, 10):+.2f} points a deal\n"
    assert done.stderr == ""


def test_what_is_no_policy_is_refused(program, tmp_path) -> None:
    whole = tmp_path / "whole.casino"
    assert agents(["export", "swazi-2", str(whole)]) == 0
    data = whole.read_bytes()
    cut = tmp_path / "cut.casino"
    for spoilt in (b"", data[:100], data[:-8], data + bytes(8), bytes(8) + data[8:], data[:8] + bytes(8) + data[16:]):
        cut.write_bytes(spoilt)
        done = subprocess.run([program, cut, "1"], check=False, capture_output=True, text=True)
        assert done.returncode == 1 and "usage" in done.stderr
