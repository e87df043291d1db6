"""`casino agents check -- COMMAND`: does an engine keep to the protocol? Asks it one thing after the other."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from casino_env.actions import action_text
from casino_env.agents.protocol.engine import PROTOCOL
from casino_env.agents.protocol.schema import can_validate, wrong_reply
from casino_env.agents.protocol.talk import Child, FailedError, Talk, expect_error
from casino_env.agents.protocol.views import view_of
from casino_env.game import Game

GAMES = (("south-african", 2), ("khasino", 4), ("swazi", 3), ("cassino", 2))
GRACE = 5.0  # seconds beyond its budget that a move may take
_BY_VIEW = ("see", "turns", "advise")
_QUIET = 120.0  # seconds for any other answer: an engine may have to compile or load something

Data = dict[str, Any]


# --- what is checked ---------------------------------------------------------------------------------------------


def hello(talk: Talk) -> None:
    """says hello with the number of the protocol"""
    reply = talk.ask("hello")
    if reply.get("protocol") != PROTOCOL:
        raise FailedError(f"protocol is {reply.get('protocol')!r}; it must be {PROTOCOL}")
    if not isinstance(reply.get("name"), str):
        raise FailedError(f"name is {reply.get('name')!r}; it must be text")


def garbage(talk: Talk) -> None:
    """refuses what is no request, and goes on"""
    for line in ("this is not JSON", "[]", "17", '{"do": 5}', '{"do": "dance"}', '{"id": 1}', "[" * 5000):
        expect_error(talk.send(line), f"the line {line[:40]!r}")
    talk.ask("hello")


def bad_positions(talk: Talk) -> None:
    """refuses positions and games that cannot be"""
    talk.refused("position", position={"variant": "swazi"})
    talk.refused("position", position={"variant": "swazi", "players": 2, "hands": [["AS", "AS"], []]})
    talk.refused("position", position="AS")
    talk.refused("new", variant="no such game")
    talk.refused("new", variant="south-african", players=9)


def illegal(talk: Talk) -> None:
    """refuses illegal actions, and the game goes on unharmed"""
    state = talk.ask("new", variant="south-african", players=2, seed=3)
    game = _game(state)
    wrong = next(text for text in ("count out", "yes", "raise 14") if text not in state["legal"])
    for action in (wrong, "discard XX", "", "0"):
        talk.refused("apply", action=action)
    text = action_text(game.legal()[0])
    after = talk.ask("apply", action=text)
    game.apply(text)
    _same(game, after, f"after {text}")


def whole_deal(variant: str, players: int, budget: Data) -> Callable[[Talk], None]:
    def play(talk: Talk) -> None:
        state = talk.ask("new", variant=variant, players=players, seed=11)
        game = _game(state)
        while not game.over:
            began = time.monotonic()
            move = talk.ask("move", **budget)
            _check_move(game, move, time.monotonic() - began, budget.get("time"))
            game.apply(move["action"])
            _same(game, talk.ask("apply", action=move["action"]), f"after {move['action']}")
        talk.refused("move")

    play.__doc__ = f"plays a deal of {variant} with {players} players to its end"
    return play


def any_position(talk: Talk) -> None:
    """moves in a position that comes along"""
    game = Game("swazi", 2, seed=5)
    for _ in range(12):
        move = talk.ask("move", position=game.to_json())
        _check_move(game, move, 0.0, None)
        game.apply(game.legal()[0])


def views(talk: Talk) -> None:
    """knows a table by what one seat sees of it, if it says that it does"""
    if not all(map(talk.knows, _BY_VIEW)):
        return
    game = Game("swazi", 2, seed=5)
    for _ in range(4):
        view = view_of(game, game.seat)
        if talk.ask("see", position=game.to_json(), seat=game.seat).get("view") != view:
            raise FailedError("see shows something else than what the seat may know")
        _check_turns(game, talk.ask("turns", view=view))
        _check_advice(game, talk.ask("advise", view=view))
        talk.refused("advise", view=view | {"stock": view["stock"] + 1})
        game.apply(game.legal()[0])


def shapes(talk: Talk) -> None:
    """gives every reply the shape that schema.json says"""
    for do, reply in talk.granted:
        wrong = wrong_reply(do, reply)
        if wrong:
            raise FailedError(wrong)


def good_bye(talk: Talk) -> None:
    """ends after quit"""
    talk.ask("quit")
    if not talk.ended(10.0):
        raise FailedError("it still runs 10 seconds after quit")


def _game(state: Data) -> Game:
    """Our own copy of the engine's game."""
    try:
        game = Game.from_json(state.get("position"))  # type: ignore[arg-type]
    except (ValueError, TypeError, AttributeError) as error:
        raise FailedError(f"its position cannot be read: {error}") from None
    _same(game, state, "at the beginning")
    return game


def _same(game: Game, state: Data, when: str) -> None:
    ours: dict[str, Any] = {
        "seat": game.seat,
        "over": game.over,
        "legal": [action_text(action) for action in game.legal()],
        "scores": game.scores(),
        "position": game.to_json(),
    }
    if game.over:
        del ours["seat"]  # nobody decides
    for key, value in ours.items():
        theirs: Any = state.get(key)
        if key == "legal" and _texts(theirs):
            theirs, value = sorted(theirs), sorted(value)
        if theirs != value:
            raise FailedError(f"{key} {when} is {json.dumps(theirs)[:160]}; it must be {json.dumps(value)[:160]}")


def _check_turns(game: Game, reply: Data) -> None:
    """As many results as there are, each of a turn that can be played."""
    turns = _turns(reply)
    if len(turns) != len(game.turns()):
        raise FailedError(f"turns are {len(turns)}; there are {len(game.turns())} with different results")
    for turn in turns:
        _play(game, _actions(turn))


def _check_advice(game: Game, reply: Data) -> None:
    actions = _actions(reply)
    if actions[0] != reply.get("action"):
        raise FailedError(f"the turn begins with {actions[0]!r}; it must be the action, {reply.get('action')!r}")
    _play(game, actions)
    chances = [turn.get("chance") for turn in _turns(reply)]
    if not all(_number(chance) for chance in chances) or sum(chances) > 1 + 1e-3:
        raise FailedError("the chances of the turns must be numbers that add up to 1 at most")


def _turns(reply: Data) -> list[Any]:
    turns = reply.get("turns")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise FailedError(f"turns are {json.dumps(turns)[:80]}; they must be a list of objects")
    return turns


def _actions(turn: Data) -> list[str]:
    actions = turn.get("actions")
    if not actions or not _texts(actions):
        raise FailedError(f"the actions of a turn are {json.dumps(actions)[:80]}; they must be a list of texts")
    return list(actions)


def _play(game: Game, actions: list[str]) -> None:
    """The actions of a turn one after the other, forced ones too."""
    ahead = Game.from_json(game.to_json(), skip_forced=False)
    try:
        for action in actions:
            ahead.apply(action)
    except ValueError as error:
        raise FailedError(f"the turn {'; '.join(actions)} cannot be played: {error}") from None


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _check_move(game: Game, move: Data, seconds: float, budget: float | None) -> None:
    legal = [action_text(action) for action in game.legal()]
    if move.get("action") not in legal:
        raise FailedError(f"it plays {move.get('action')!r}, which is illegal; legal: {', '.join(legal)}")
    if move.get("seat") != game.seat:
        raise FailedError(f"it moves for seat {move.get('seat')!r}, but seat {game.seat} decides")
    if not isinstance(move.get("notation"), str) or not move["notation"]:
        raise FailedError(f"notation is {move.get('notation')!r}; it must say what {move['action']!r} does")
    _check_probabilities(move.get("probabilities"), legal)
    value = move.get("value", ...)
    if value is not None and not _number(value):
        raise FailedError(
            f"value is {value!r}; it must be a number or null" if value is not ... else "value is missing"
        )
    if budget is not None and seconds > budget + GRACE:
        raise FailedError(f"it took {seconds:.1f} seconds for a move with a budget of {budget:g}")


def _check_probabilities(shares: Any, legal: list[str]) -> None:
    if not isinstance(shares, dict) or not all(_number(share) and share >= 0 for share in shares.values()):
        raise FailedError(
            f"probabilities are {json.dumps(shares)[:120]}; they must be an object of numbers from 0 to 1"
        )
    strange = [text for text in shares if text not in legal]
    if strange:
        raise FailedError(f"probabilities name {strange[0]!r}, which is illegal")
    if abs(sum(shares.values()) - 1) > 1e-3:
        raise FailedError(f"probabilities add up to {sum(shares.values()):.4f}; it must be 1")


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


# --- the whole of it ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    check: str
    wrong: str  # empty if all is well


def check(command: list[str], budget: Data, patience: float = _QUIET) -> Generator[Finding, None, None]:
    """Every check in turn of the engine that the command starts."""
    yield from check_children(lambda: Child(command, patience), budget)


def check_children(start: Callable[[], Any], budget: Data) -> Generator[Finding, None, None]:
    """Every check in turn; once an engine has failed one, another starts afresh for the next."""
    deals = [whole_deal(variant, players, budget) for variant, players in GAMES]
    shaped = [shapes] if can_validate() else []
    checks: list[Callable[[Talk], None]] = [hello, garbage, bad_positions, illegal, *deals, any_position, views]
    checks += [*shaped, good_bye]
    talk: Talk | None = None
    try:
        for run in checks:
            talk = talk or Talk(start())
            wrong = _outcome(run, talk)
            yield Finding(str(run.__doc__), wrong)
            if wrong:
                talk.close()
                talk = None
    finally:
        if talk:
            talk.close()


def _outcome(run: Callable[[Talk], None], talk: Talk) -> str:
    try:
        run(talk)
    except FailedError as failure:
        return str(failure)
    return ""
