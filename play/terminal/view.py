"""The table in the terminal: cards to pick, and what they may become."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import ItemGrid, Vertical, VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from casino_env.play.moves import Move
from casino_env.play.seen import scene_data, seen
from casino_env.play.table import Table
from casino_env.play.terminal.picking import PLAIN, candidates, lit
from casino_env.play.terminal.text import (
    build_items,
    card_items,
    coloured,
    latest_text,
    seats_text,
    status_text,
    top_items,
)

_NEWS = 4  # lines of what the others have done


class Token(Static, can_focus=True):
    """A card or a build that can be picked."""

    BINDINGS: ClassVar[list[Any]] = [
        Binding("space", "pick", "pick"),
        Binding("enter", "app.choose", "play"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, token: str, label: Text) -> None:
        super().__init__(label)
        self.token = token

    def on_click(self) -> None:
        self.action_pick()

    def action_pick(self) -> None:
        self.screen.query_one(TableView).pick(self.token)


class TableView(Vertical):
    """The table as the person sees it, and the choice of moves."""

    def __init__(self) -> None:
        super().__init__()
        self.picked: set[str] = set()
        self.moves: list[Move] = []
        self._offered: list[Move] = []

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="felt", can_focus=False):
            yield Static(id="others")
            yield Static(id="news")
            yield Vertical(id="builds", classes="cards")
            yield ItemGrid(min_column_width=6, id="loose", classes="cards")
            yield ItemGrid(min_column_width=20, id="tops", classes="cards")
        with Vertical(id="own"):
            yield Static(id="status")
            yield ItemGrid(min_column_width=6, id="hand", classes="cards")
            yield OptionList(id="choices")

    async def show(self, table: Table) -> None:
        """A new state of the table: nothing is picked."""
        self.picked, self.moves = set(), table.moves()
        called = list(table.names.called)
        self._data, scene = seen(table), scene_data(table.game, table.person)
        self.query_one("#others", Static).update(seats_text(scene["seats"], called, table.person))
        self.query_one("#news", Static).update(latest_text(table.events, table.person, called, _NEWS))
        await self._fill("#builds", build_items(scene["builds"], called))
        await self._fill("#loose", card_items(scene["loose"]))
        await self._fill("#tops", top_items(scene["seats"], called, table.person))
        await self._fill("#hand", card_items(scene["seats"][table.person]["hand"]))
        self.query_one("#status", Static).update(Text(status_text(self._data, called)))
        self._refresh()

    async def _fill(self, place: str, items: list[tuple[str, Text]]) -> None:
        grid = self.query_one(place)
        await grid.remove_children()
        await grid.mount_all(Token(token, label) for token, label in items)

    def pick(self, token: str) -> None:
        if token in self.picked:
            self.picked.remove(token)
        elif token in lit(self.moves, self.picked):
            self.picked.add(token)
        else:
            self.picked = {token} & lit(self.moves, set())
        self._refresh()

    def clear(self) -> None:
        self.picked = set()
        self._refresh()

    def _refresh(self) -> None:
        may = lit(self.moves, self.picked)
        for token in self.query(Token):
            token.set_class(token.token in may, "lit")
            token.set_class(token.token in self.picked, "picked")
        plain = [move for move in self.moves if move.do in PLAIN]
        few = self.picked or len(self.moves) <= 6
        self._offered = [*(candidates(self.moves, self.picked) if few else []), *plain]
        choices = self.query_one("#choices", OptionList)
        choices.clear_options()
        choices.add_options([Option(coloured(move.text)) for move in self._offered])
        if self._offered:
            choices.highlighted = 0

    def offered(self, number: int) -> Move | None:
        return self._offered[number] if 0 <= number < len(self._offered) else None
