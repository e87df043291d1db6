"""The web server: the page, and an API of plain JSON. It is the only judge of the rules."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from agents.policy.shipped import description, learnt, shipped
from agents.protocol.engine import Engine
from agents.registry import make_agent
from casino_env.game import MAX_SEED
from casino_env.rules import PRESETS, make_rules, player_counts
from play.advice import advice
from play.replay import replay_data, time_line
from play.rules_text import rules_text
from play.seen import seen
from play.store import Store
from play.table import Setup, Table
from play.web.guard import Guard
from play.web.refusals import HANDLERS, RefusedError
from play.web.requests import REPLAY, SETUP, body_of, number_of, texts_of

WEB = Path(__file__).parent / "page"
OPPONENTS = ("random", "greedy", "builder", "counter", "partner", "search:time=0.5", "search:time=2")
_SWEEP_SECONDS = 60.0
_ENGINE_SECONDS = 10.0

Data = dict[str, Any]


def make_app(store: Store, *, host: str = "127.0.0.1", agents: tuple[str, ...] = OPPONENTS, hints: str = "") -> Any:
    """The application; agents: the specs that a page may ask for; hints: the one that gives hints, else the last."""
    api = Api(store, agents, hints or agents[-1])
    routes = [
        Route("/", _page),
        Route("/api/menu", api.menu),
        Route("/api/rules", api.rules),
        Route("/api/games", api.begin, methods=["POST"]),
        Route("/api/games/{name}", api.state),
        Route("/api/games/{name}/move", api.move, methods=["POST"]),
        Route("/api/games/{name}/advance", api.advance, methods=["POST"]),
        Route("/api/games/{name}/undo", api.undo, methods=["POST"]),
        Route("/api/games/{name}/hints", api.hints),
        Route("/api/games/{name}/rules", api.rules_of),
        Route("/api/games/{name}/position", api.position),
        Route("/api/games/{name}/record", api.record),
        Route("/api/replay", api.replay, methods=["POST"]),
        Route("/api/engine", api.engine, methods=["POST"]),
        Mount("/static", StaticFiles(directory=WEB)),
    ]
    return Guard(Starlette(routes=routes, exception_handlers=HANDLERS, lifespan=_sweeping(store)), host)


def _sweeping(store: Store) -> Callable[[Any], contextlib.AbstractAsyncContextManager[None]]:
    """Idle games are dropped as long as the server runs."""

    async def sweep() -> None:
        while True:
            await run_in_threadpool(store.drop_idle)
            await asyncio.sleep(_SWEEP_SECONDS)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        task = asyncio.create_task(sweep())
        yield
        task.cancel()

    return lifespan


async def _page(_request: Request) -> Response:
    return Response((WEB / "index.html").read_bytes(), media_type="text/html")


# --- the API -----------------------------------------------------------------------------------------------------


class Api:
    """A method a route."""

    def __init__(self, store: Store, agents: tuple[str, ...], adviser: str) -> None:
        self._store, self._agents, self._adviser = store, agents, adviser
        self._trained = {
            f"policy:{name}": [
                {"variant": rules.name, "players": rules.players, "rules": rules.differences()}
                for rules in learnt(description(name))
            ]
            for name in shipped()
        }

    async def menu(self, _request: Request) -> Response:
        """What the dialog for a new game offers; trained: agents that have learnt one game and are for it alone."""
        variants = {name: player_counts(name) for name in PRESETS}
        return JSONResponse(
            {
                "variants": variants,
                "agents": list(self._agents),
                "trained": self._trained,
                "hints": self._hint_agent(""),
            }
        )

    async def rules(self, request: Request) -> Response:
        name = request.query_params.get("variant", "")
        return JSONResponse({"rules": rules_text(make_rules(name, number_of(request, "players", 2)))})

    async def begin(self, request: Request) -> Response:
        data = await body_of(request, SETUP)
        seats = tuple(texts_of(data, "seats", 6))
        for spec in seats:
            if spec != "you":
                self._offered(spec)
        if data.get("seed") is None:
            data["seed"] = secrets.randbelow(MAX_SEED)
        setup = Setup(**data | {"seats": seats, "players": data.get("players", len(seats))})
        name, table = await run_in_threadpool(self._store.begin, setup)
        return JSONResponse({"id": name} | seen(table), 201)

    async def state(self, request: Request) -> Response:
        name = request.path_params["name"]
        since = number_of(request, "since", 0)
        return JSONResponse(await run_in_threadpool(lambda: {"id": name} | seen(self._store.get(name), since)))

    async def move(self, request: Request) -> Response:
        data = await body_of(request, {"version": int, "actions": list, "since": int})
        actions = texts_of(data, "actions", 100)
        return await self._change(request, data, lambda table: table.play(actions))

    async def advance(self, request: Request) -> Response:
        data = await body_of(request, {"version": int, "since": int})
        return await self._change(request, data, Table.advance)

    async def undo(self, request: Request) -> Response:
        data = await body_of(request, {"version": int, "since": int})
        return await self._change(request, data, Table.undo)

    async def _change(self, request: Request, data: Data, do: Callable[[Table], None]) -> Response:
        """A change by a page that is up to date, and the table after it."""
        name = request.path_params["name"]

        def change() -> Data:
            with self._store.change(name) as table:
                if data.get("version") != table.version:
                    raise RefusedError(409, "stale", f"the table has changed: it is at version {table.version}")
                do(table)
                return {"id": name} | seen(table, max(0, data.get("since", 0)))

        return JSONResponse(await run_in_threadpool(change))

    async def hints(self, request: Request) -> Response:
        spec = self._hint_agent(request.query_params.get("agent", ""))

        def think() -> Data:
            table = self._store.get(request.path_params["name"])
            game, version = table.game, table.version
            if not table.mine:
                raise RefusedError(409, "turn", "hints are for your own decisions")
            return {"agent": spec, "version": version} | advice(game, make_agent(spec))

        return JSONResponse(await run_in_threadpool(think))

    def _hint_agent(self, spec: str) -> str:
        """The one asked for, if it is offered."""
        return self._offered(spec) if spec else self._adviser

    def _offered(self, spec: str) -> str:
        if spec not in self._agents and spec not in self._trained:
            known = ", ".join((*self._agents, *self._trained))
            raise RefusedError(400, "agent", f"{spec[:60]!r} is not offered; there are {known}")
        return spec

    async def rules_of(self, request: Request) -> Response:
        table = await run_in_threadpool(self._store.get, request.path_params["name"])
        return JSONResponse({"rules": rules_text(table.rules)})

    async def position(self, request: Request) -> Response:
        table = await run_in_threadpool(self._store.get, request.path_params["name"])
        return JSONResponse(await run_in_threadpool(table.position))

    async def record(self, request: Request) -> Response:
        table = await run_in_threadpool(self._store.get, request.path_params["name"])
        if not table.game.over:
            raise RefusedError(409, "turn", "the record tells all hands: it is there once the game is over")
        return PlainTextResponse(table.record())

    async def replay(self, request: Request) -> Response:
        data = await body_of(request, REPLAY)
        return JSONResponse(await run_in_threadpool(self._replay, data))

    def _replay(self, data: Data) -> Data:
        line = time_line(data.get("record", ""))
        number, seat = max(0, data.get("step", 0)), data.get("seat")
        game = line.game(number)
        if seat is not None and not 0 <= seat < game.rules.players:
            raise RefusedError(400, "malformed", f"seat = {seat}; seats are 0 to {game.rules.players - 1}")
        out = replay_data(line, number, seat)
        if data.get("agent") is not None and not game.over:
            out["hints"] = advice(game, make_agent(self._hint_agent(data["agent"])))
        return out

    async def engine(self, request: Request) -> Response:
        """The engine protocol: every request brings its position along."""
        body = await request.body()

        def think() -> Data:
            return Engine(self._agents[-1], list(self._agents), _ENGINE_SECONDS).reply_to_line(body)

        return JSONResponse(await run_in_threadpool(think))
