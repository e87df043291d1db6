"""What a worker does for the server: everything that runs kernels or opens what others have made."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from casino_env.agents.protocol.session import Session
from casino_env.play.advice import advice, judged
from casino_env.play.names import JUDGE, seat_names
from casino_env.play.players import Players, is_quick
from casino_env.play.replay import replay_data, time_line, turn_at
from casino_env.play.review import review, review_data
from casino_env.play.rules_text import rules_text
from casino_env.play.seen import seen, seen_before
from casino_env.play.shapes import MOST_SEATS, texts
from casino_env.play.table import Setup, Table
from casino_env.play.web.refusals import RefusedError
from casino_env.play.why import why_not

Data = dict[str, Any]
ENGINE_SECONDS, ENGINE_SIMULATIONS = 10.0, 20_000


@dataclass(frozen=True)
class Done:
    """What comes of a job. The server keeps the table as bytes and never looks inside."""

    reply: Any = None  # JSON or text for whoever asked
    table: Table | None = None  # as it is now
    rows: list[Data] = field(default_factory=list)  # to be saved before anybody hears of it

    def facts(self) -> Data:
        """What the server has to know of the table."""
        table = self.table
        if table is None:
            return {}
        return {
            "version": table.version,
            "slow": bool(table.decider) and not is_quick(table.decider),
            "record": table.record() if table.game.over else None,
            "rows": self.rows,
        }

    def body(self) -> bytes:
        text = self.reply if isinstance(self.reply, str) else json.dumps(self.reply, allow_nan=False)
        return text.encode("utf-8", "backslashreplace")

    def kept(self) -> bytes:
        return b"" if self.table is None else pickle.dumps(self.table, pickle.HIGHEST_PROTOCOL)


# --- games -------------------------------------------------------------------------------------------------------


def begin(players: Players, name: str, setup: Data) -> Done:
    table = Table(Setup.from_json(setup))
    players.check(table.opponents, table.rules)
    return Done({"id": name} | seen(table), table, [table.head()])


def reopen(players: Players, head: Data, rows: list[Data]) -> Done:
    """A saved game."""
    table = Table.from_rows(head, rows)
    players.check(table.opponents, table.rules)
    return Done(None, table)


def change(players: Players, kept: bytes, name: str, what: str, actions: list[str], since: int) -> Done:
    table = _table(kept)
    before = table.version
    does: dict[str, Callable[[], None]] = {
        "move": lambda: table.play(actions),
        "advance": lambda: table.advance(players),
        "undo": table.undo,
    }
    does[what]()
    return Done({"id": name} | seen(table, since), table, table.rows(before))


def state(_: Players, kept: bytes, name: str, since: int) -> Done:
    return Done({"id": name} | seen(_table(kept), since))


def past(_: Players, kept: bytes, step: int) -> Done:
    return Done(seen_before(_table(kept), step))


def hints(players: Players, kept: bytes, spec: str) -> Done:
    table = _table(kept)
    if not table.mine:
        raise RefusedError(409, "turn", "hints are for your own decisions")
    found = advice(table.game, players.of(spec), table.names) if spec else judged(table.game, table.names)
    return Done({"agent": spec or JUDGE, "version": table.version} | found)


def why(_: Players, kept: bytes, cards: list[str], do: str) -> Done:
    table = _table(kept)
    if not table.mine:
        return Done({"why": "It is not your turn."})
    return Done({"why": why_not(table.game, cards, do, table.names)})


def rules_of(_: Players, kept: bytes) -> Done:
    return Done({"rules": rules_text(_table(kept).rules)})


def position(_: Players, kept: bytes) -> Done:
    return Done(_table(kept).position())


def record(_: Players, kept: bytes) -> Done:
    table = _table(kept)
    if not table.game.over:
        raise RefusedError(409, "turn", "the record tells all hands: it is there once the game is over")
    return Done(table.record())


def _table(kept: bytes) -> Table:
    table: Table = pickle.loads(kept)  # made by kept(), in a process of ours
    return table


# --- without a game ----------------------------------------------------------------------------------------------


def replay(players: Players, data: Data, spec: str) -> Done:
    """A record at one of its steps; spec: of the agent that says what it would do there, if any."""
    line = time_line(data.get("record", ""), texts(data, "specs", MOST_SEATS))
    number, seat = max(0, data.get("step", 0)), data.get("seat")
    game = line.game(number)
    if seat is not None and not 0 <= seat < game.rules.players:
        raise RefusedError(400, "malformed", f"seat = {seat}; seats are 0 to {game.rules.players - 1}")
    out = replay_data(line, number, seat)
    if spec and not game.over:
        out["hints"] = advice(game, players.of(spec), line.names)
    return Done(out)


def reviewed(players: Players, data: Data) -> Done:
    """A step of a record beside what the judge thinks best."""
    line, number = time_line(data.get("record", ""), texts(data, "specs", MOST_SEATS)), max(0, data.get("step", 0))
    if number >= len(line.steps):
        raise RefusedError(400, "malformed", f"step = {number}; the record has {len(line.steps)}")
    game = line.game(number)
    return Done(review_data(game, review(game, turn_at(line, number)), line.names))


def engine(_: Players, body: bytes, offered: list[str]) -> Done:
    """The engine protocol: every request brings its position along."""
    return Done(Session(offered[0], offered, ENGINE_SECONDS, simulations=ENGINE_SIMULATIONS).reply_to_line(body))


def warm(players: Players, specs: list[str]) -> Done:
    """One hint of each beforehand, so that nobody at a table waits for the compiler."""
    for spec in specs:
        _try(players.of(spec))
    return Done()


def _try(agent: Any) -> None:
    from casino_env.game import Game

    try:
        advice(Game("mini"), agent, seat_names(2))
    except ValueError:
        return  # it plays another game


Job = Callable[..., Done]
_OF_GAMES: tuple[Any, ...] = (begin, reopen, change, state, past, hints, why, rules_of, position, record)
JOBS: dict[str, Job] = {job.__name__: job for job in (*_OF_GAMES, replay, reviewed, engine, warm)}
