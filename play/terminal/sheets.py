"""Pages over the table: text to read, and the menu for a new game."""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static

from casino_env.game import MAX_SEED
from casino_env.play.about import title
from casino_env.play.names import PERSON, agent_title
from casino_env.play.opponents import LEVELS, levels, line
from casino_env.play.table import Setup
from casino_env.presets import PRESETS
from casino_env.rules import make_rules, player_counts


class Sheet(ModalScreen[None]):
    """A page of text; any key closes it."""

    BINDINGS: ClassVar[list[Any]] = [Binding("escape,enter,q,space", "app.pop_screen", "close")]

    def __init__(self, text: Text) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)


class Menu(ModalScreen[Setup | None]):
    """Which game, and against whom."""

    BINDINGS: ClassVar[list[Any]] = [Binding("escape", "dismiss(None)", "back")]

    def __init__(self, opponents: tuple[str, ...], seat: int) -> None:
        super().__init__()
        self._opponents, self._seat = opponents, seat

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("Game")
            games = [(title(name), name) for name in PRESETS]
            yield Select(games, value="south-african", allow_blank=False, id="variant")
            yield Label("Players")
            yield Select([("2", 2)], value=2, allow_blank=False, id="players")
            yield Label("Opponents")
            yield Select([("", "")], value="", allow_blank=False, id="who")
            yield Label("Seed (empty: a fresh deal)")
            yield Input(id="seed", type="integer")
            yield Static("", id="wrong")
            yield Button("Deal", variant="primary", id="deal")

    @on(Select.Changed, "#variant")
    def _counts(self, event: Select.Changed) -> None:
        counts = player_counts(str(event.value))
        self.query_one("#players", Select).set_options([(str(count), count) for count in counts])

    @on(Select.Changed, "#variant")
    @on(Select.Changed, "#players")
    def _offer(self) -> None:
        """The four levels of the game, then everybody else."""
        variant, players = (self.query_one(name, Select) for name in ("#variant", "#players"))
        who = self.query_one("#who", Select)
        before = who.value
        if players.value not in player_counts(str(variant.value)):
            return  # the counts are about to change
        row = levels(make_rules(str(variant.value), players.value))  # type: ignore[arg-type]
        shown = [(f"{level}: {agent_title(spec)}, {line(spec)}", spec) for level, spec in zip(LEVELS, row, strict=True)]
        shown += [(f"{agent_title(spec)}, {line(spec)}", spec) for spec in self._opponents if spec not in row]
        who.set_options(shown)
        who.value = before if before in [spec for _, spec in shown] else self._opponents[0]

    @on(Button.Pressed, "#deal")
    def _deal(self) -> None:
        players: Any = self.query_one("#players", Select).value
        who = str(self.query_one("#who", Select).value)
        seed = self.query_one("#seed", Input).value
        if self._seat >= players:
            self.query_one("#wrong", Static).update(f"--seat {self._seat}: this game has seats 0 to {players - 1}")
            return
        seats = [who] * players
        seats[self._seat] = PERSON
        try:
            variant = str(self.query_one("#variant", Select).value)
            self.dismiss(Setup(variant, players, tuple(seats), int(seed) if seed else secrets.randbelow(MAX_SEED)))
        except ValueError as error:
            self.query_one("#wrong", Static).update(str(error))
