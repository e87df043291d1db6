"""The engine protocol (docs/protocol.md): one request, one reply, as plain data or as lines of JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TextIO

from casino_env.actions import ACTIONS_VERSION, action_text, parse_action
from casino_env.agents.base import check_agent
from casino_env.agents.policy.shipped import shipped, trained
from casino_env.agents.protocol.analysis import (
    Answer,
    Turn,
    answer,
    as_data,
    chances_of,
    in_words,
    seconds_of,
    with_budget,
)
from casino_env.agents.registry import AGENTS, make_agent, spec_from_file
from casino_env.game import Game, IllegalActionError, seed_number
from casino_env.observed import NoDeterminizationError
from casino_env.presets import PRESETS
from casino_env.rules import RULES_VERSION, make_rules, player_counts
from casino_env.turns import TooManyTurnsError, results_of
from casino_env.validate import closest, int_in, of_kind, one_line, parse_json, short_repr
from casino_env.views import ToldError, game_of, next_view, view_of

PROTOCOL = 1
MAX_LINE = 1 << 20  # most bytes of a request
_LONGEST_ID = 1000  # most characters of an id, as JSON

Data = dict[str, Any]


class RequestError(ValueError):
    """A refused request; it leaves the game unchanged."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Session:
    """One conversation: the current game, and the agent that answers `move`.

    trust: requests may name agents outside the project, whose code is then run.
    """

    def __init__(self, agent: str, trust: bool = False) -> None:
        make_agent(agent)  # refuse a wrong spec at once
        self._spec, self._trust = agent, trust
        self._agents: dict[str, Any] = {}
        self._game: Game | None = None
        self.finished = False

    def reply_to_line(self, line: str | bytes) -> Data:
        """Reply to a request in JSON text."""
        if len(line) > MAX_LINE:
            return _error(None, "malformed", f"a request may have at most {MAX_LINE} bytes")
        try:
            return self.reply(parse_json(line, "not JSON"))
        except ValueError as error:
            return _error(None, "malformed", one_line(error))

    def reply(self, request: Any) -> Data:
        """Reply to a request as data; errors are part of the reply."""
        if not isinstance(request, dict):
            return _error(None, "malformed", "a request must be a JSON object")
        number = request.get("id")
        if not _can_come_back(number):
            return _error(None, "malformed", f"id must be JSON of at most {_LONGEST_ID} characters, without NaN")
        try:
            name = request.get("do")
            if not isinstance(name, str) or name not in REQUESTS:
                known = f"{closest(name, list(REQUESTS))}; it must be one of {', '.join(REQUESTS)}"
                raise RequestError("unknown", f"do = {short_repr(name)}{known}")
            run, keys = REQUESTS[name]
            unknown = [key for key in request if key not in ("id", "do", *keys)]
            if unknown:
                raise RequestError(
                    "malformed", f"unknown key {short_repr(unknown[0])}{closest(unknown[0], list(keys))}"
                )
            return {"id": number, "ok": True, **run(self, request)}
        except RequestError as refused:
            return _error(number, refused.code, str(refused))
        except Exception as error:  # noqa: BLE001  agents may raise anything; the session goes on
            return _error(number, "internal", f"{type(error).__name__}: {' '.join(str(error).split())[:400]}")

    # --- requests ---

    def hello(self, request: Data) -> Data:
        return {
            "protocol": PROTOCOL,
            "name": "casino-env",
            "agent": self._spec,
            "rules_version": RULES_VERSION,
            "actions_version": ACTIONS_VERSION,
            "variants": {name: player_counts(name) for name in PRESETS},
            "agents": list(AGENTS),
            "policies": shipped(),
            "trained": trained(),
            "requests": list(REQUESTS),
            "seconds": seconds_of(self._spec),
        }

    def new(self, request: Data) -> Data:
        name, players = _get(request, "variant", str, "south-african"), _get(request, "players", int, 2)
        changes, match = _get(request, "rules", dict, {}), _get(request, "match", bool, False)
        seed = _get(request, "seed", int, 0)
        with _refused_as("rules", (ValueError, TypeError, OverflowError)):
            if both := {"variant", "players"} & changes.keys():
                raise ValueError(f"rules: {min(both)} is not a switch; give it beside the rules")
            self._game = Game(make_rules(name, players, **changes), seed=seed, match=match)
        return self._state()

    def position(self, request: Data) -> Data:
        self._game = _read(request.get("position"))
        return self._state()

    def apply(self, request: Data) -> Data:
        if "view" in request:
            return self._apply_to_view(request)
        if "told" in request:
            raise RequestError("malformed", "told: goes only with a view; a position has all cards")
        game, _ = self._need(request)
        with _refused_as("malformed"), _refused_as("illegal", IllegalActionError):
            game.apply(_get(request, "action", str, ""))
        self._game = game
        return self._state()

    def _apply_to_view(self, request: Data) -> Data:
        """Apply an action to a view; the current game stays unchanged."""
        if "position" in request:
            raise RequestError("malformed", "give a position or a view, not both")
        with _refused_as("malformed"):
            action = _get(request, "action", str, "")
            parse_action(action)
        with _refused_as("position"), _refused_as("told", ToldError), _refused_as("illegal", IllegalActionError):
            step = next_view(request["view"], action, request.get("told"))
        legal = [action_text(other) for other in step.legal]
        return {"seat": step.seat, "over": step.over, "legal": legal, **_points(step.game), "view": step.view}

    def see(self, request: Data) -> Data:
        game, _ = self._need(request)
        with _refused_as("malformed"):
            seat = int_in(request.get("seat", game.seat), "seat", 0, game.rules.players - 1)
        return {"view": view_of(game, seat)}

    def turns(self, request: Data) -> Data:
        game, _ = self._to_decide(request)
        with _refused_as("crowded", TooManyTurnsError):
            turns = list(map(Turn, results_of(game).turns))
        return {"seat": game.seat, "turns": as_data(game, turns)}

    def move(self, request: Data) -> Data:
        game, _, (action, value, shares) = self._decided(request)
        return {
            "seat": game.seat,
            "action": action_text(action),
            "notation": in_words(game, action),
            "probabilities": shares,
            "value": value,
        }

    def advise(self, request: Data) -> Data:
        game, memory, (action, value, _) = self._decided(request)
        turns = chances_of(self._agent(request), game, memory)
        chosen = next((turn for turn in turns if turn.actions[0] == action), Turn([action]))
        return {
            "seat": game.seat,
            "action": action_text(action),
            **as_data(game, [chosen])[0],
            "value": value,
            "turns": [data | {"chance": turn.chance} for data, turn in zip(as_data(game, turns), turns, strict=True)],
        }

    def quit(self, request: Data) -> Data:
        self.finished = True
        return {}

    # --- parts ---

    def _need(self, request: Data) -> tuple[Game, str]:
        """(game of the request's position or view, else the current one; memory of face-down piles)"""
        if "position" in request and "view" in request:
            raise RequestError("malformed", "give a position or a view, not both")
        if "position" in request:
            return _read(request["position"]), "perfect"
        if "view" in request:
            with _refused_as("position"):
                game, seat, memory = game_of(request["view"])
            if not game.over and game.seat != seat:
                raise RequestError("position", f"seat {game.seat} decides now, but the view is of seat {seat}")
            return game, memory
        if self._game is None:
            raise RequestError("no game", "there is no game; send new or position first")
        return self._game, "perfect"

    def _to_decide(self, request: Data) -> tuple[Game, str]:
        """_need, but refuse a game without a decision."""
        game, memory = self._need(request)
        if game.over:
            raise RequestError("over", "the game is over, so there is no move")
        if not game.legal():
            raise RequestError("position", f"seat {game.seat} has no legal action; play cannot reach this position")
        return game, memory

    def _decided(self, request: Data) -> tuple[Game, str, Answer]:
        """(game, memory, answer of the request's agent)"""
        game, memory = self._to_decide(request)
        with _refused_as("malformed"):
            seed = seed_number(request.get("seed", 0))
        with _refused_as("agent"):
            agent = self._agent(request)
            check_agent(agent, game.rules)
        with _refused_as("position", NoDeterminizationError):
            return game, memory, answer(agent, game, seed, memory)

    def _state(self) -> Data:
        game = self._game
        assert game is not None
        return {
            "seat": game.seat,
            "over": game.over,
            "legal": [action_text(action) for action in game.legal()],
            **_points(game),
            "position": game.to_json(),
        }

    def _agent(self, request: Data) -> Any:
        base = _get(request, "agent", str, self._spec)
        seconds, simulations = _get(request, "time", float, None), _get(request, "simulations", int, None)
        if base != self._spec and not self._trust:
            spec_from_file(base, "the request")
        spec = with_budget(base, seconds, simulations)
        if spec not in self._agents:
            self._agents = {spec: make_agent(spec)}  # keep only one: a search takes much memory
        return self._agents[spec]


# Name of a request (`do`) -> method and allowed keys.
REQUESTS: dict[str, tuple[Callable[[Session, Data], Data], tuple[str, ...]]] = {
    "hello": (Session.hello, ()),
    "new": (Session.new, ("variant", "players", "seed", "rules", "match")),
    "position": (Session.position, ("position",)),
    "apply": (Session.apply, ("action", "position", "view", "told")),
    "see": (Session.see, ("seat", "position")),
    "turns": (Session.turns, ("position", "view")),
    # legal: for engines that do not know the rules (process.py)
    "move": (Session.move, ("agent", "time", "simulations", "seed", "position", "view", "legal")),
    "advise": (Session.advise, ("agent", "time", "simulations", "seed", "position", "view")),
    "quit": (Session.quit, ()),
}


@contextmanager
def _refused_as(code: str, errors: type[Exception] | tuple[type[Exception], ...] = ValueError) -> Iterator[None]:
    """Turn these errors into a RequestError with this code."""
    try:
        yield
    except RequestError:
        raise
    except errors as error:
        raise RequestError(code, one_line(error)) from None


def _get(request: Data, key: str, kind: type, default: Any) -> Any:
    value = request.get(key, default)
    with _refused_as("malformed"):
        return value if value is default else of_kind(value, key, kind)


def _points(game: Game | None) -> Data:
    """Scores and winners; nothing for a game whose piles are unknown."""
    if game is None:
        return {}
    return {
        "scores": game.scores(),
        "breakdown": game.breakdown(),
        # seats of the winning side; empty while undecided or if shared
        "winners": [seat for seat in range(game.rules.players) if game.winner == game.rules.side(seat)],
    }


def _read(data: Any) -> Game:
    with _refused_as("position"):
        return Game.from_json(of_kind(data, "position", dict))


def _can_come_back(number: Any) -> bool:
    """Whether an id can be repeated in the reply: it must be short, valid JSON."""
    try:
        return len(json.dumps(number, allow_nan=False)) <= _LONGEST_ID
    except (ValueError, TypeError, RecursionError):
        return False


def _error(number: Any, code: str, message: str) -> Data:
    return {"id": number, "ok": False, "error": code, "message": message}


# --- casino agents serve: JSON lines from standard input to standard output -------------------------------------------


def serve(agent: str, requests: BinaryIO | None = None, replies: TextIO | None = None, *, trust: bool = False) -> None:
    """Answer until `quit` or the end of the input. trust: requests may name agents outside the project."""
    beforehand = Session(agent)  # compile first, outside the time of a move
    for request in ({"do": "new"}, {"do": "move", "simulations": 1}):
        beforehand.reply(request)
    answer_lines(Session(agent, trust=trust), requests or sys.stdin.buffer, replies or sys.stdout)


def answer_lines(engine: Session, source: BinaryIO, replies: TextIO) -> None:
    """Read requests line by line and write a reply to each."""
    while not engine.finished and (line := source.readline(MAX_LINE + 2)):
        if not line.endswith(b"\n") and len(line) > MAX_LINE:
            while (part := source.readline(MAX_LINE)) and not part.endswith(b"\n"):
                pass
        reply = engine.reply_to_line(line.rstrip(b"\r\n"))
        replies.write(json.dumps(reply, allow_nan=False) + "\n")
        replies.flush()
