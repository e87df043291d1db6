"""Agents do anything: what goes wrong in one is said of it, in a line, and nothing else happens."""

import json
import subprocess
import sys

import numpy as np
import pytest

from casino_env import evaluate
from casino_env.envs.options import generator
from casino_env.evaluate.matches.pairing import AgentFailedError, blamed
from tests.players import Illegal
from tests.rogues import (
    Exits,
    IllegalInMany,
    Panics,
    Raises,
    Speechless,
    Tampers,
    TampersInMany,
    WaitsInMany,
)


@pytest.mark.parametrize(
    ("rogue", "said"),
    [
        (Illegal(), "Illegal: illegal action 'card AS' by seat"),
        (Raises(), r"Raises: KeyError: 'lost\nmy notes'"),
        (Exits(), "Exits: SystemExit: 0"),
        (Panics(), "Panics: PanicError: lost"),
        (Speechless(), "Speechless: SpeechlessError"),
        (Tampers(), "Tampers: illegal action 'card AS' by seat"),
    ],
)
def test_broken_agents_are_named(rogue, said):
    with pytest.raises(AgentFailedError) as caught:
        evaluate.match("greedy", rogue, deals=2)
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


@pytest.mark.parametrize("rogue", [IllegalInMany(), WaitsInMany(), TampersInMany()])
def test_an_illegal_move_in_a_batch_is_found(rogue):
    with pytest.raises(AgentFailedError, match=f"{type(rogue).__name__}: illegal action"):
        evaluate.match(rogue, "greedy", deals=5)


def test_ctrl_c_is_the_users():
    with pytest.raises(KeyboardInterrupt), blamed("an agent"):
        raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rogue", "said"),
    [
        ("Exits", "SystemExit: 0"),
        ("Interrupts", "KeyboardInterrupt"),
        ("Panics", "PanicError: lost"),
        ("OnlyOnce", "RuntimeError: the device is in use"),
        ("DiesAgain", "its process died"),
    ],
)
def test_so_they_are_where_they_play_in_processes(rogue, said):
    name = f"tests.rogues:{rogue}"
    words = ["match", "greedy", name, "random", "--variant", "mini", "--deals", "4", "--threads", "2", "--json"]
    done = subprocess.run([sys.executable, "-m", "evaluate", *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and [row["b"] for row in json.loads(done.stdout)] == ["random"]
    assert done.stderr.startswith(f"evaluate: {name}: ") and said in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_what_agents_print_is_no_result(threads):
    words = f"match greedy tests.rogues:Talks --variant mini --deals 2 --json --threads {threads}".split()
    done = subprocess.run([sys.executable, "-m", "evaluate", *words], capture_output=True, text=True, timeout=300)
    assert json.loads(done.stdout)["deals"] == 2


def test_a_generator_does_not_say_what_it_was_made_from():
    """An agent that knew the number of the deal would know its cards."""
    ours, plain = generator(3, 12345, 1), np.random.default_rng([3, 12345, 1])
    assert ours.integers(1 << 60, size=9).tolist() == plain.integers(1 << 60, size=9).tolist()
    told = [repr(each.bit_generator.seed_seq) for each in (plain, ours)]
    assert "12345" in told[0] and "12345" not in told[1]
    spawned = [generator(3, deal, 1).spawn(1)[0].integers(1 << 60) for deal in (1, 1, 2)]
    assert spawned[0] == spawned[1] != spawned[2]
