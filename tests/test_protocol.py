"""The engine protocol: what it answers, what it refuses, and that docs/protocol.md says so."""

import inspect
import io
import json
import re
import sys
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from casino_env.actions import action_text
from casino_env.agents.base import Analysis
from casino_env.agents.protocol.analysis import with_budget
from casino_env.agents.protocol.session import MAX_LINE, REQUESTS, Session, serve
from casino_env.agents.registry import make_agent
from casino_env.game import Game
from tests import situations
from tests.players import Lowest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def engine() -> Session:
    return Session("greedy")


def test_a_game_from_the_first_to_the_last_action(engine):
    state = engine.reply({"id": "a", "do": "new", "variant": "khasino", "players": 2, "seed": 5})
    assert state["ok"]
    assert state["id"] == "a"
    while not state["over"]:
        move = engine.reply({"do": "move"})
        assert move["action"] in state["legal"]
        assert sum(move["probabilities"].values()) == pytest.approx(1)
        state = engine.reply({"do": "apply", "action": move["action"]})
    assert engine.reply({"do": "move"})["error"] == "over"


def test_a_move_does_not_depend_on_what_its_seat_cannot_see(engine):
    position = Game("swazi", 2, seed=9).to_json()
    seat = position["to_move"]
    swapped = json.loads(json.dumps(position))
    hand, stock = swapped["hands"][1 - seat], swapped["stock"]
    hand[0], stock[0] = stock[0], hand[0]
    first, second = (engine.reply({"do": "move", "position": where}) for where in (position, swapped))
    assert first["ok"]
    assert first == second


def test_a_search_says_what_it_expects(engine):
    position = Game("south-african", 2, seed=3).to_json()
    move = engine.reply({"do": "move", "position": position, "agent": "search", "simulations": 64})
    assert isinstance(move["value"], float)
    assert move["probabilities"][move["action"]] == max(move["probabilities"].values())
    assert engine.reply({"do": "move", "position": position})["value"] is None


@pytest.mark.parametrize(
    ("spec", "seconds", "simulations", "expected"),
    [
        ("search", 0.5, None, "search:time=0.5"),
        ("search:sims=100,rollout=greedy", None, 50, "search:rollout=greedy,sims=50"),
        ("search:200", 2.0, None, "search:time=2.0"),
        ("greedy", 0.5, None, "greedy"),
        ("search", None, None, "search"),
    ],
)
def test_budgets(spec, seconds, simulations, expected):
    assert with_budget(spec, seconds, simulations) == expected
    make_agent(expected)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "malformed"),
        ("{", "malformed"),
        ("[]", "malformed"),
        ("[" * 100_000, "malformed"),
        ("x" * (MAX_LINE + 1), "malformed"),
        ('{"do": "dance"}', "unknown"),
        ('{"do": ["move"]}', "unknown"),
        ("{}", "unknown"),
        ('{"do": "move"}', "no game"),
        ('{"do": "apply", "action": "end"}', "no game"),
        ('{"do": "new", "variant": "swaz"}', "rules"),
        ('{"do": "new", "players": 7}', "rules"),
        ('{"do": "new", "rules": {"deck": 40, "steel": 1}}', "rules"),
        ('{"do": "new", "colour": "red"}', "malformed"),
        ('{"do": "new", "%s": 1}' % ("x" * 100_000), "malformed"),
        ('{"do": "%s"}' % ("x" * 100_000), "unknown"),
        ('{"do": "hello", "id": NaN}', "malformed"),
        ('{"do": "hello", "id": 1e999}', "malformed"),
        ('{{"do": "hello", "id": {}1{}}}'.format("[" * 900, "]" * 900), "malformed"),
        ('{"do": "hello", "id": %s}' % ("9" * 5000), "malformed"),
        ('{{"do": "position", "position": {}1{}}}'.format('{"turn":' * 500, "}" * 500), "position"),
        ('{"do": "new", "seed": %s}' % ("9" * 400), "rules"),
        ('{"do": "new", "seed": -1}', "rules"),
        ('{"do": "new", "rules": {"target": 1e30}}', "rules"),
        ('{"do": "new", "rules": {"players": 3}}', "rules"),
        ('{"do": "new", "rules": {"variant": "swazi"}}', "rules"),
        ('{"do": "new", "variant": "\\ud800"}', "rules"),
        (b"\xff\xfe{}", "malformed"),
        (b'{"do": "hello", "id": "\xff"}', "malformed"),
        (b"\x00" * 100, "malformed"),
        ('{"do": "new", "seed": "1"}', "malformed"),
        ('{"do": "position"}', "position"),
        ('{"do": "position", "position": {"variant": "swazi"}}', "position"),
        ('{"do": "position", "position": {"variant": "swazi", "players": 2, "hands": [["XX"], []]}}', "position"),
    ],
)
def test_errors_are_data(engine, line, code):
    reply = engine.reply_to_line(line)
    assert reply["ok"] is False
    assert reply["error"] == code
    assert reply["message"]
    assert len(json.dumps(reply, allow_nan=False)) < 2000
    assert engine.reply({"do": "hello"})["ok"]


@pytest.mark.parametrize(
    "line", ['{"do": %s}', '{"do": "move", "agent": %s}', '{"do": "new", "seed": %s}', '{"id": %s}']
)
def test_what_is_nested_is_told_at_every_depth(engine, line):
    engine.reply({"do": "new"})
    for depth in range(1, 1100):
        reply = engine.reply_to_line(line % ("[" * depth + "]" * depth))
        assert reply["error"] in ("malformed", "unknown"), reply
        assert len(reply["message"]) < 1000


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"seed": -1}, "malformed"),
        ({"seed": 2**64}, "malformed"),
        ({"seed": 1.5}, "malformed"),
        ({"seed": True}, "malformed"),
        ({"time": True}, "malformed"),
        ({"time": "1"}, "malformed"),
        ({"time": float("nan")}, "agent"),
        ({"time": 1e9}, "agent"),
        ({"time": 10**400}, "agent"),
        ({"simulations": 10**30}, "agent"),
        ({"simulations": 1.0}, "malformed"),
        ({"time": 1, "simulations": 1}, "agent"),
        ({"agent": "policy:khasino-2"}, "agent"),
        ({"agent": "search:policy=khasino-2,sims=8"}, "agent"),
        ({"agent": "solved:policy:khasino-2"}, "agent"),
        ({"agent": "search:explore=1e999"}, "agent"),
        ({"agent": "policy:../.."}, "agent"),
        ({"agent": "policy:/etc/passwd"}, "agent"),
        ({"agent": "policy:" + "x" * 900_000}, "agent"),
        ({"agent": ":"}, "agent"),
        ({"agent": 7}, "malformed"),
    ],
)
def test_moves_that_are_refused(engine, more, code):
    reply = engine.reply({"id": 1, "do": "move", "position": Game("swazi", 2, seed=5).to_json(), **more})
    assert (reply["ok"], reply["error"]) == (False, code)
    assert "\n" not in reply["message"] and len(reply["message"]) < 1000
    json.dumps(reply, allow_nan=False)


def test_a_position_that_nobody_could_be_in_is_told():
    """The seat to move holds the last king, and another seat has a build of kings."""
    table = {"layout": "5C 6C", "builds": [(13, 1, "9C 4C")], "piles": ["KH KD KC", ""], "stock": ""}
    position = situations.position("swazi", ["KS 2H", "3S 4S"], **table)
    engine = Session("search:sims=8")
    reply = engine.reply({"do": "move", "position": position})
    assert (reply["ok"], reply.get("error")) == (False, "position"), reply


def test_a_seat_without_a_card_for_its_build_plays_on(engine):
    """No play leads there, but a table that is set up by hand gets an answer all the same."""
    turn = {"acted": 1, "played": 1, "laid_now": "AS"}
    builds = [(5, 1, "3S 2S")]
    position = situations.position("mini-7", ["5S 6S", "4S"], layout="AH AS", builds=builds, turns=1, turn=turn)
    reply = engine.reply({"do": "apply", "position": position, "action": "end"})
    while reply["ok"] and not reply["over"]:
        reply = engine.reply({"do": "apply", "action": engine.reply({"do": "move"})["action"]})
    assert reply["ok"], reply


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("tests.players:Illegal", "which is illegal"),
        ("tests.rogues:Fractional", "a whole number"),
        ("tests.test_protocol:Lost", "NaN"),
        ("tests.rogues:Raises", "KeyError: 'lost"),
    ],
)
def test_what_an_agent_gets_wrong_is_told(spec, said):
    reply = Session(spec).reply({"do": "move", "position": Game("mini").to_json()})
    assert reply["error"] == "internal" and said in reply["message"]
    json.dumps(reply, allow_nan=False)


def test_what_is_refused_leaves_the_game_as_it_was(engine):
    state = engine.reply({"do": "new", "seed": 2})
    assert engine.reply({"do": "position", "position": {"variant": "swazi"}})["error"] == "position"
    for action in ("end", "discard XX", "", "discard"):
        assert engine.reply({"do": "apply", "action": action})["error"] in ("illegal", "malformed")
    assert engine.reply({"do": "apply", "action": state["legal"][0]})["ok"]


def test_apply_makes_its_position_the_game_and_move_does_not(engine):
    engine.reply({"do": "new", "variant": "khasino", "seed": 2})
    begun = Game("swazi", 2, seed=9)
    first = engine.reply({"do": "apply", "position": begun.to_json(), "action": action_text(begun.legal()[0])})
    assert engine.reply({"do": "move", "position": Game("mini").to_json()})["ok"]
    then = engine.reply({"do": "apply", "action": first["legal"][0]})
    begun.apply(begun.legal()[0])
    begun.apply(first["legal"][0])
    assert then["position"] == begun.to_json()


def test_a_seed_fixes_what_an_agent_draws():
    engine, position = Session("random"), Game("swazi", 2, seed=9).to_json()
    seeds = [*range(8), *range(8)]
    played = [engine.reply({"do": "move", "position": position, "seed": seed})["action"] for seed in seeds]
    assert played[:8] == played[8:] and len(set(played)) > 1


@pytest.mark.parametrize("spec", ["tests.rogue_module:Any", "os:system:command=false", "solved:os:getcwd"])
def test_requests_run_no_code_of_their_own(engine, spec):
    reply = engine.reply({"do": "move", "position": Game("mini").to_json(), "agent": spec})
    assert reply["error"] == "agent"
    assert "runs its own code" in reply["message"] or "parameter" in reply["message"]
    assert "tests.rogue_module" not in sys.modules


def test_requests_may_be_trusted():
    request = {"do": "move", "position": Game("mini").to_json(), "agent": "tests.rogues:Raises"}
    assert Session("greedy").reply(request)["error"] == "agent"
    assert Session("greedy", trust=True).reply(request)["error"] == "internal"


class Lost(Lowest):
    def analyse(self, observation):
        return Analysis(self.act(observation), observation.mask.astype(float), float("nan"))


# --- lines: each gets a reply, whatever is in it and however long it is ----------------------------------------------


def test_a_line_without_end_takes_no_memory():
    """A line of 100 MB is read in pieces and refused, and the next line is answered."""

    class Endless(io.RawIOBase):
        left = 100 << 20

        def readable(self):
            return True

        def readinto(self, room):
            count = min(len(room), self.left)
            self.left -= count
            room[:count] = b"x" * count
            return count

    class Source:
        def __init__(self):
            self.parts = [io.BufferedReader(Endless()), io.BytesIO(b'\n{"id": 1, "do": "hello"}\n')]

        def readline(self, size):
            assert size <= MAX_LINE + 2
            return self.parts[0].readline(size) or self.parts[1].readline(size)

    replies = io.StringIO()
    serve("random", cast(BinaryIO, Source()), replies)
    found = [json.loads(line) for line in replies.getvalue().splitlines()]
    assert [row["ok"] for row in found] == [False, True]


def test_serving_lines():
    asked = [
        b'{"id": 1, "do": "hello"}',
        b"",
        b"nonsense",
        b"x" * (2 * MAX_LINE),
        b'{"id": 2, "do": "quit"}',
        b'{"id": 3}',
    ]
    replies = io.StringIO()
    serve("random", io.BytesIO(b"\n".join(asked) + b"\n"), replies)
    found = [json.loads(line) for line in replies.getvalue().splitlines()]
    assert [(row["id"], row["ok"]) for row in found] == [(1, True), *[(None, False)] * 3, (2, True)]


# --- the document ------------------------------------------------------------------------------------------------

PAGE = (ROOT / "docs/protocol.md").read_text()


def test_the_transcript_is_what_the_engine_says(engine):
    """Each documented reply has some keys of the real one, with the same values."""
    found = re.search(r"```\n(> .*?)```", PAGE, re.DOTALL)
    assert found
    lines = found[1].splitlines()
    assert len(lines) > 10
    for asked, told in zip(lines[::2], lines[1::2], strict=True):
        reply = engine.reply_to_line(asked.removeprefix("> "))
        shown = json.loads(told.removeprefix("< "))
        assert {key: reply.get(key) for key in shown} == shown


def test_every_request_and_code_is_documented():
    for name in REQUESTS:
        assert f"| `{name}` |" in PAGE
    for code in set(re.findall(r'RequestError\("([a-z ]+)"', Path(inspect.getfile(Session)).read_text())):
        assert f"| `{code}` |" in PAGE
