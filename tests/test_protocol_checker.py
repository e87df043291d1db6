"""The checker of the engine protocol passes our engine and fails broken ones."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from casino_env.agents.protocol.check import GAMES, check, check_children
from casino_env.agents.protocol.engine import Engine
from casino_env.agents.protocol.schema import can_validate

ROOT = Path(__file__).parent.parent
OURS = [sys.executable, "-m", "agents", "serve", "--agent", "greedy"]
CHECKS = 7 + can_validate() + len(GAMES)


def test_the_checker_passes_our_engine():
    done = subprocess.run(
        [sys.executable, "-m", "agents", "check", "--json", "--", *OURS], cwd=ROOT, capture_output=True, text=True
    )
    findings = json.loads(done.stdout)
    assert [row for row in findings if row["wrong"]] == []
    assert len(findings) == CHECKS
    assert done.returncode == 0


class Sabotaged:
    """Our engine in this process, with one thing wrong in its replies."""

    def __init__(self, spoil) -> None:
        self._engine, self._spoil = Engine("greedy"), spoil

    def exchange(self, line):
        reply = self._engine.reply_to_line(line)
        self._spoil(reply)
        return json.dumps(reply)

    def ended(self, seconds):
        return self._engine.finished

    def close(self):
        pass


def put(key, value):
    """Replace a key by a value (None: leave the key out), where the reply has it."""

    def spoil(reply):
        if key in reply:
            found = value(reply) if callable(value) else value
            reply.pop(key) if found is None else reply.update({key: found})

    return spoil


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (put("action", "raise 13"), "which is illegal"),
        (put("action", None), "which is illegal"),
        (put("probabilities", lambda reply: {reply["action"]: 0.5}), "add up to 0.5"),
        (put("probabilities", {"yes": 1.0}), "which is illegal"),
        (put("probabilities", [1.0]), "numbers from 0 to 1"),
        (put("value", None), "value is missing"),
        (put("value", "good"), "number or null"),
        (put("notation", ""), "notation"),
        (put("legal", lambda reply: reply["legal"][1:]), "legal"),
        (put("over", lambda reply: not reply["over"]), "over"),
        (put("scores", lambda reply: [99] * len(reply["scores"])), "scores"),
        (put("position", {}), "cannot be read"),
        (put("ok", True), "must be refused"),
        (put("message", ""), "must be refused"),
        (put("id", 0), "answered with id 0"),
        (put("protocol", 99), "protocol is 99"),
        (put("view", {}), "something else than what the seat may know"),
        (put("turns", []), "turns are 0"),
        (put("turns", 7), "a list of objects"),
        (put("actions", ["end"]), "the turn begins with 'end'"),
        (put("actions", None), "a list of texts"),
    ],
)
def test_the_checker_fails_broken_engines(spoil, said):
    wrong = [row.wrong for row in check_children(lambda: Sabotaged(spoil), {}) if row.wrong]
    assert any(said in text for text in wrong), wrong


def test_the_checker_passes_what_is_not_spoilt():
    assert [row.wrong for row in check_children(lambda: Sabotaged(put("nothing", 1)), {}) if row.wrong] == []


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import time; time.sleep(60)", "no answer within"),
        ("pass", "ended"),
        ("import sys\nfor line in sys.stdin: print('garbage', flush=True)", "not JSON"),
        ("import sys\nfor line in sys.stdin: print([], flush=True)", "not an object"),
    ],
)
def test_the_checker_fails_what_is_no_engine(script, said):
    findings = check([sys.executable, "-c", script], {}, 1.0)
    first = next(findings)
    findings.close()
    assert said in first.wrong


def test_the_checker_says_what_it_cannot_start(capsys):
    from casino_env.agents.cli import main

    assert main(["check", "--", "/no/such/engine"]) == 1
    assert "No such file" in capsys.readouterr().err
