"""The web server: the page, and an API of plain JSON. Workers (jobs.py) are the only judges of the rules."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from casino_env.agents.policy.shipped import trained
from casino_env.agents.registry import offered
from casino_env.play.about import games as about_games
from casino_env.play.names import JUDGE
from casino_env.play.opponents import offers
from casino_env.play.players import is_quick
from casino_env.play.rules_text import rules_text
from casino_env.play.shapes import SETUP, Data
from casino_env.play.store import Store
from casino_env.play.web.bodies import (
    CHANGE,
    HANDLERS,
    MOVE,
    REPLAY,
    REVIEW,
    as_json,
    body_of,
    handed_on,
    number_of,
    texts_of,
)
from casino_env.play.web.desk import Desk
from casino_env.play.web.games import Games
from casino_env.play.web.guard import Guard
from casino_env.play.web.refusals import RefusedError
from casino_env.presets import PRESETS
from casino_env.rules import make_rules, player_counts

WEB = Path(__file__).parent / "page"
OPPONENTS = tuple(offered())
_SWEEP_SECONDS = 60.0
_MOST_CARDS = 52


def make_app(
    store: Store, desk: Desk, *, host: str = "127.0.0.1", agents: tuple[str, ...] = OPPONENTS, hints: str = ""
) -> Any:
    """The application; agents: the specs that a page may ask for; hints: the one that gives hints, else the judge.

    The desk has been opened, and whoever opened it closes it.
    """
    games = Games(store, desk)
    api = Api(games, desk, agents, hints)
    routes = [
        Route("/", _page),
        Route("/api/menu", api.menu),
        Route("/api/rules", api.rules),
        Route("/api/games", api.begin, methods=["POST"]),
        Route("/api/games/{name}", api.state),
        Route("/api/games/{name}/move", api.move, methods=["POST"]),
        Route("/api/games/{name}/advance", api.advance, methods=["POST"]),
        Route("/api/games/{name}/undo", api.undo, methods=["POST"]),
        Route("/api/games/{name}/past", api.past),
        Route("/api/games/{name}/hints", api.hints),
        Route("/api/games/{name}/why", api.why),
        Route("/api/games/{name}/rules", api.rules_of),
        Route("/api/games/{name}/position", api.position),
        Route("/api/games/{name}/record", api.record),
        Route("/api/replay", api.replay, methods=["POST"]),
        Route("/api/review", api.review, methods=["POST"]),
        Route("/api/engine", api.engine, methods=["POST"]),
        Mount("/static", StaticFiles(directory=WEB)),
    ]
    return Guard(Starlette(routes=routes, exception_handlers=HANDLERS, lifespan=_life(games, desk)), host)


def _life(games: Games, desk: Desk) -> Callable[[Any], contextlib.AbstractAsyncContextManager[None]]:
    """Idle games are put away as long as the server runs."""

    async def sweep() -> None:
        while True:
            with contextlib.suppress(OSError):  # a full disk is told to whoever plays
                await games.sweep()
            await asyncio.sleep(_SWEEP_SECONDS)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        desk.attend()
        task = asyncio.create_task(sweep())
        yield
        task.cancel()
        games.close()

    return lifespan


async def _page(_request: Request) -> Response:
    return Response((WEB / "index.html").read_bytes(), media_type="text/html")


# --- the API -----------------------------------------------------------------------------------------------------


class Api:
    """A method a route."""

    def __init__(self, games: Games, desk: Desk, agents: tuple[str, ...], adviser: str) -> None:
        self._games, self._desk, self._agents, self._adviser = games, desk, agents, adviser
        self._trained = {spec: row["games"] for spec, row in trained().items()}
        self._offers = {"games": about_games()} | offers(tuple(filter(None, (*agents, *self._trained, adviser))))

    async def menu(self, _request: Request) -> Response:
        """What the dialog for a new game offers; trained: agents that have learnt one game and are for it alone."""
        variants = {name: player_counts(name) for name in PRESETS}
        told = {"agents": list(self._agents), "trained": self._trained, "hints": self._adviser or JUDGE}
        return as_json({"variants": variants} | told | self._offers)

    async def rules(self, request: Request) -> Response:
        name = request.query_params.get("variant", "")
        return as_json({"rules": rules_text(make_rules(name, number_of(request, "players", 2)))})

    # --- games ---

    async def begin(self, request: Request) -> Response:
        data = await body_of(request, SETUP)
        for spec in texts_of(data, "seats", 6):
            if spec != "you":
                self._offered(spec)
        if data.get("seed") is None:
            data["seed"] = secrets.randbits(64)
        return handed_on(await self._games.begin(data), 201)

    async def state(self, request: Request) -> Response:
        name = request.path_params["name"]
        return handed_on(await self._games.look(name, "state", name, number_of(request, "since", 0)))

    async def move(self, request: Request) -> Response:
        data = await body_of(request, MOVE)
        return await self._change(request, data, "move", texts_of(data, "actions", 100))

    async def advance(self, request: Request) -> Response:
        return await self._change(request, await body_of(request, CHANGE), "advance", [])

    async def undo(self, request: Request) -> Response:
        return await self._change(request, await body_of(request, CHANGE), "undo", [])

    async def _change(self, request: Request, data: Data, what: str, actions: list[str]) -> Response:
        """A change by a page that is up to date, and the table after it."""
        since = max(0, data.get("since", 0))
        name = request.path_params["name"]
        return handed_on(await self._games.change(name, data.get("version"), what, actions, since))

    async def past(self, request: Request) -> Response:
        """What the person saw before an event of this number."""
        return handed_on(await self._games.look(request.path_params["name"], "past", number_of(request, "step", 0)))

    async def hints(self, request: Request) -> Response:
        spec = self._hint_agent(request.query_params.get("agent", ""))
        name = request.path_params["name"]
        return handed_on(await self._games.look(name, "hints", spec, slow=not spec or not is_quick(spec)))

    async def why(self, request: Request) -> Response:
        """Why something cannot be done; empty if it can."""
        asked, name = request.query_params, request.path_params["name"]
        cards = [card for card in asked.get("cards", "").split(",") if card]
        if len(cards) > _MOST_CARDS:
            raise RefusedError(400, "malformed", f"cards: at most {_MOST_CARDS}")
        return handed_on(await self._games.look(name, "why", cards, asked.get("do", "")))

    async def rules_of(self, request: Request) -> Response:
        return handed_on(await self._games.look(request.path_params["name"], "rules_of"))

    async def position(self, request: Request) -> Response:
        return handed_on(await self._games.look(request.path_params["name"], "position"))

    async def record(self, request: Request) -> Response:
        return handed_on(await self._games.look(request.path_params["name"], "record"), kind="text/plain")

    # --- without a game ---

    async def replay(self, request: Request) -> Response:
        data = await body_of(request, REPLAY)
        spec = "" if data.get("agent") is None else self._hint_agent(data["agent"])
        return handed_on(await self._desk.ask("replay", data, spec, slow=True))

    async def review(self, request: Request) -> Response:
        return handed_on(await self._desk.ask("reviewed", await body_of(request, REVIEW), slow=True))

    async def engine(self, request: Request) -> Response:
        body = await request.body()
        offered = [*filter(None, [self._adviser]), *self._agents, *self._trained]
        return handed_on(await self._desk.ask("engine", body, offered, slow=True))

    # --- who may be asked ---

    def _hint_agent(self, spec: str) -> str:
        """The one asked for, if it is offered."""
        return self._offered(spec) if spec else self._adviser

    def _offered(self, spec: str) -> str:
        if spec not in self._agents and spec not in self._trained and spec not in self._offers["about"]:
            known = ", ".join((*self._agents, *self._trained))
            raise RefusedError(400, "agent", f"{spec[:60]!r} is not offered; there are {known}")
        return spec
