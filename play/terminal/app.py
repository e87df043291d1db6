"""The table in the terminal, with textual: pick cards by mouse or keys, choose what they become."""

from __future__ import annotations

import argparse
import secrets
import time
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Footer, Header, OptionList, RichLog

from agents.registry import AGENTS, make_agent
from casino_env.game import MAX_SEED
from casino_env.rules import PRESETS, player_counts
from play.advice import advice
from play.rules_text import rules_text
from play.store import Store
from play.table import PERSON, Setup, Table
from play.terminal.sheets import Menu, Sheet
from play.terminal.text import event_lines, hint_text, names, points_text
from play.terminal.view import TableView, Token


class PlayApp(App[None]):
    """One game after the other."""

    CSS_PATH = "app.tcss"
    TITLE = "Casino"
    BINDINGS: ClassVar[list[Any]] = [
        Binding("u", "undo", "undo"),
        Binding("h", "hint", "hint"),
        Binding("r", "rules", "rules"),
        Binding("b", "breakdown", "points"),
        Binding("e", "end", "end turn"),
        Binding("escape", "clear", "clear"),
        Binding("n", "new", "new game"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(
        self, store: Store, setup: Setup | None, *, opponents: tuple[str, ...], hint: str, pace: float, seat: int
    ) -> None:
        super().__init__()
        self._store, self._setup, self._opponents = store, setup, opponents
        self._hint_spec, self._pace, self._seat = hint, pace, seat
        self.table: Table | None = None
        self.game_id = ""
        self._shown = 0

    def compose(self) -> ComposeResult:
        yield Header()
        with Horizontal(id="main"):
            yield TableView()
            yield RichLog(id="log", wrap=True, min_width=20)
        yield Footer()

    async def on_mount(self) -> None:
        if self._setup is None:
            self.action_new()
        else:
            await self._begin(self._setup)

    # --- the course of a game ---

    async def _begin(self, setup: Setup) -> None:
        self.game_id, self.table = self._store.begin(setup)
        self.query_one(RichLog).clear()
        self._shown = 0
        self.sub_title = f"{self.table.rules.name}, {self.table.rules.players} players"
        await self._show()

    async def _show(self) -> None:
        """The table after a change; then the agents go on, if it is their turn."""
        table = self.table
        assert table is not None
        log = self.query_one(RichLog)
        for event in table.events[self._shown :]:
            for line in event_lines(event, names(table)):
                log.write(line)
        self._shown = len(table.events)
        await self.query_one(TableView).show(table)
        if table.waiting:
            self._think()
        elif table.game.over:
            self.action_breakdown()
        else:
            self._focus()

    def _focus(self) -> None:
        """Where the person goes on: among the offered moves, or among the cards."""
        choices = self.query_one(OptionList)
        cards = [token for token in self.query(Token) if token.has_class("lit")]
        (choices if choices.option_count or not cards else cards[-1]).focus()

    @work(thread=True, exclusive=True)
    def _think(self) -> None:
        """One move of an agent, not faster than an eye can follow."""
        began = time.monotonic()
        with self._store.change(self.game_id) as table:
            if table is not self.table or not table.waiting:
                return
            table.advance()
        time.sleep(max(0.0, self._pace - (time.monotonic() - began)))
        self.call_from_thread(self._show)  # type: ignore[arg-type]

    @on(OptionList.OptionSelected, "#choices")
    async def _chosen(self, event: OptionList.OptionSelected) -> None:
        move = self.query_one(TableView).offered(event.option_index)
        if move is not None:
            await self._play(list(move.actions))

    def action_choose(self) -> None:
        """The highlighted move, from wherever the focus is."""
        self.query_one(OptionList).action_select()

    async def _play(self, actions: list[str]) -> None:
        with self._store.change(self.game_id) as table:
            table.play(actions)
        await self._show()

    # --- keys ---

    async def action_end(self) -> None:
        if self.table and any(move.do == "end" for move in self.table.moves()):
            await self._play(["end"])
        else:
            self.notify("The turn cannot end now.")

    async def action_undo(self) -> None:
        if not (self.table and self.table.can_undo):
            self.notify("There is nothing to take back: only moves of your open turn can be.")
            return
        with self._store.change(self.game_id) as table:
            table.undo()
        self._shown = len(table.events)
        self.query_one(RichLog).write(Text("(taken back)", "dim"))
        await self._show()

    def action_clear(self) -> None:
        self.query_one(TableView).clear()

    @work(thread=True, exclusive=True, group="hint")
    def action_hint(self) -> None:
        table = self.table
        if table is None or not table.mine:
            self.call_from_thread(self.notify, "Hints are for your own decisions.")
            return
        found = advice(table.game, make_agent(self._hint_spec))
        self.call_from_thread(self.push_screen, Sheet(hint_text(found, self._hint_spec)))

    def action_rules(self) -> None:
        if self.table:
            parts = [
                Text.assemble((title, "bold"), "\n  ", "\n  ".join(lines))
                for title, lines in rules_text(self.table.rules)
            ]
            self.push_screen(Sheet(Text("\n").join(parts)))

    def action_breakdown(self) -> None:
        if self.table:
            place = self._store.folder / f"{self.game_id}.record" if self.table.game.over else None
            self.push_screen(Sheet(points_text(self.table, str(place) if place else "")))

    def action_new(self) -> None:
        async def chosen(setup: Setup | None) -> None:
            if setup is not None:
                await self._begin(setup)
            elif self.table is None:
                self.exit()

        self.push_screen(Menu(self._opponents, self._seat), chosen)


# --- from the command line ---------------------------------------------------------------------------------------


def run(args: argparse.Namespace) -> int:
    opponents = tuple(dict.fromkeys([*(args.opponents[:1] or ["counter"]), *AGENTS]))
    make_agent(args.hints)
    app = PlayApp(
        Store(args.games), setup_of(args), opponents=opponents, hint=args.hints, pace=args.pace, seat=args.seat
    )
    app.run()
    return 0


def setup_of(args: argparse.Namespace) -> Setup | None:
    """The game that the flags ask for; None if a menu has to ask."""
    if not args.variant:
        return None
    if args.variant not in PRESETS:
        Setup(args.variant).make_rules()  # says what is wrong
    players = args.players or player_counts(args.variant)[0]
    specs = args.opponents or ["counter"]
    if len(specs) == 1:
        specs = specs * (players - 1)
    if len(specs) != players - 1:
        raise ValueError(f"--opponents: {len(specs)} given, but there are {players - 1} other seats")
    if not 0 <= args.seat < players:
        raise ValueError(f"--seat {args.seat}: seats are 0 to {players - 1}")
    seats = (*specs[: args.seat], PERSON, *specs[args.seat :])
    seed = secrets.randbelow(MAX_SEED) if args.seed is None else args.seed
    setup = Setup(args.variant, players, seats, seed, match=args.match)
    setup.make_rules()
    return setup
