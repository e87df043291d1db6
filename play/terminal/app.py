"""The table in the terminal, with textual: pick cards by mouse or keys, choose what they become."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Footer, Header, OptionList, RichLog

from casino_env.agents.registry import AGENTS, make_agent
from casino_env.play.advice import advice, judged
from casino_env.play.arguments import setup_of
from casino_env.play.names import JUDGE, agent_title
from casino_env.play.players import Players
from casino_env.play.rules_text import rules_text
from casino_env.play.saved import SavedTable
from casino_env.play.seen import title_of
from casino_env.play.store import Store
from casino_env.play.table import Setup, Table
from casino_env.play.terminal.sheets import Menu, Sheet
from casino_env.play.terminal.text import event_lines, hint_text, points_text
from casino_env.play.terminal.view import TableView, Token
from casino_env.play.why import why_not

_WIDE = 110  # columns that leave room for the list of moves


class PlayApp(App[None]):
    """One game after the other."""

    CSS_PATH = "app.tcss"
    TITLE = "Casino"
    ENABLE_COMMAND_PALETTE = False  # its key would take the room of others
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_WIDE, "-wide")]  # noqa: RUF012  as textual declares it
    BINDINGS: ClassVar[list[Any]] = [
        Binding("e", "end", "end"),
        Binding("u", "undo", "undo"),
        Binding("h", "hint", "hint"),
        Binding("w", "why", "why not"),
        Binding("r", "rules", "rules"),
        Binding("b", "breakdown", "points"),
        Binding("escape", "clear", "clear", show=False),
        Binding("n", "new", "new"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(
        self,
        store: Store,
        setup: Setup | None,
        *,
        players: Players,
        opponents: tuple[str, ...],
        hint: str,
        pace: float,
        seat: int,
    ) -> None:
        super().__init__()
        self._store, self._setup, self._players, self._opponents = store, setup, players, opponents
        self._hint_spec, self._pace, self._seat = hint, pace, seat
        self._saved: SavedTable | None = None
        self._shown = 0

    @property
    def table(self) -> Table | None:
        return self._saved.table if self._saved else None

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
        try:
            begun = SavedTable(self._store, setup, self._players)
        except (ValueError, RuntimeError, OSError) as error:
            self.notify(f"This game cannot be begun: {error}", severity="error")
            return
        if self._saved:
            self._saved.close()
        self._saved, self._shown = begun, 0
        self.query_one(RichLog).clear()
        await self._show()

    async def _show(self) -> None:
        """The table after a change; then the agents go on, if it is their turn."""
        table = self.table
        assert table is not None
        self.sub_title = title_of(table.game)
        log = self.query_one(RichLog)
        for event in table.events[self._shown :]:
            for line in event_lines(event, list(table.names.called)):
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
        lit = [token for place in ("#hand", "TableView") for token in self.query(f"{place} Token.lit")]
        (choices if choices.option_count or not lit else lit[0]).focus()

    @work(thread=True, exclusive=True)
    def _think(self) -> None:
        """One move of an agent, not faster than an eye can follow."""
        began, saved = time.monotonic(), self._saved
        if saved is None or not saved.table.waiting:
            return
        self._change(saved, lambda table: table.advance(self._players))
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
        assert self._saved is not None
        self._change(self._saved, lambda table: table.play(actions))
        await self._show()

    def _change(self, saved: SavedTable, do: Callable[[Table], None]) -> None:
        """The game goes on even where the disk is full; what could not be saved is with the next change."""
        try:
            saved.change(do)
        except OSError as error:
            self.notify(f"The game could not be saved: {error}", severity="warning")

    # --- keys ---

    async def action_end(self) -> None:
        if self.table and any(move.do == "end" for move in self.table.moves()):
            await self._play(["end"])
        elif self.table and self.table.mine:
            self.notify(why_not(self.table.game, [], "end", self.table.names) or "The turn cannot end now.")

    async def action_undo(self) -> None:
        if not (self.table and self.table.can_undo):
            self.notify("There is nothing to take back: only moves of your open turn can be.")
            return
        assert self._saved is not None
        self._change(self._saved, Table.undo)
        self._shown = len(self._saved.table.events)
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
        spec, names = self._hint_spec, table.names
        found = advice(table.game, make_agent(spec), names) if spec else judged(table.game, names)
        self.call_from_thread(self.push_screen, Sheet(hint_text(found, agent_title(spec) if spec else JUDGE)))

    def action_why(self) -> None:
        """The rule that forbids what is picked, with the card under the cursor."""
        if self.table is None or not self.table.mine:
            return
        picked = set(self.query_one(TableView).picked)
        if isinstance(self.focused, Token):
            picked.add(self.focused.token)
        wish = {0: "end", 1: "discard"}.get(len(picked), "")
        words = why_not(self.table.game, sorted(picked), wish, self.table.names)
        self.notify(words or "That can be done.")

    def action_rules(self) -> None:
        if self.table:
            parts = [
                Text.assemble((title, "bold"), "\n  ", "\n  ".join(lines))
                for title, lines in rules_text(self.table.rules)
            ]
            self.push_screen(Sheet(Text("\n").join(parts)))

    def action_breakdown(self) -> None:
        if self.table:
            assert self._saved is not None
            place = self._store.record_path(self._saved.name)
            self.push_screen(Sheet(points_text(self.table, str(place) if place.exists() else "")))

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
    players = Players(named=tuple(filter(None, (*args.opponents, args.hints))))
    app = PlayApp(
        Store(args.games),
        setup_of(args),
        players=players,
        opponents=opponents,
        hint=args.hints,
        pace=args.pace,
        seat=args.seat,
    )
    app.run()
    return 0
