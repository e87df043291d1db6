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
from textual.containers import Horizontal, ItemGrid, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Header, Input, Label, OptionList, RichLog, Select, Static
from textual.widgets.option_list import Option

from agents.registry import AGENTS, make_agent
from casino_env.game import MAX_SEED
from casino_env.rules import PRESETS, player_counts
from play.hints import hints
from play.moves import Move
from play.picking import PLAIN, candidates, lit
from play.rules_text import rules_text
from play.seen import result, seen
from play.store import Store
from play.table import PERSON, Event, Setup, Table

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def show(card: str) -> str:
    return ("10" if card[0] == "T" else card[0]) + _SUITS[card[1]]


def coloured(text: str) -> Text:
    """A line of notation with its cards in their colours."""
    line = Text()
    for number, word in enumerate(text.split(" ")):
        bare = word.strip(";,*()")
        known = len(bare) == 2 and bare[0] in "A23456789TJQK" and bare[1] in _SUITS
        line.append(" " if number else "")
        line.append(word.replace(bare, show(bare)) if known else word, style=_style(bare) if known else "")
    return line


def _style(card: str) -> str:
    return "bold red" if card[1] in "HD" else "bold"


class Token(Static, can_focus=True):
    """A card or a build that can be picked."""

    DEFAULT_CSS = """
    Token { width: auto; max-width: 100%; height: auto; min-width: 6; padding: 0 1; border: round $surface-lighten-2; content-align: center middle; }
    Token.lit { border: round $success; }
    Token.picked { border: heavy $warning; background: $warning 25%; }
    Token:focus { background: $boost; text-style: reverse; }
    """
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


class Sheet(ModalScreen[None]):
    """A page of text; any key closes it."""

    DEFAULT_CSS = """
    Sheet { align: center middle; }
    Sheet > VerticalScroll { width: 80; max-width: 95%; height: auto; max-height: 90%; border: round $primary; padding: 1 2; background: $surface; }
    """
    BINDINGS: ClassVar[list[Any]] = [Binding("escape,enter,q,space", "app.pop_screen", "close")]

    def __init__(self, text: Text) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)


class Menu(ModalScreen[Setup | None]):
    """Which game, and against whom."""

    DEFAULT_CSS = """
    Menu { align: center middle; }
    Menu > Vertical { width: 64; max-width: 95%; height: auto; border: round $primary; padding: 1 2; background: $surface; }
    Menu #wrong { color: $error; height: auto; }
    """
    BINDINGS: ClassVar[list[Any]] = [Binding("escape", "dismiss(None)", "back")]

    def __init__(self, opponents: tuple[str, ...], seat: int) -> None:
        super().__init__()
        self._opponents, self._seat = opponents, seat

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("Game")
            yield Select([(name, name) for name in PRESETS], value="south-african", allow_blank=False, id="variant")
            yield Label("Players")
            yield Select([("2", 2)], value=2, allow_blank=False, id="players")
            yield Label("Opponents")
            yield Select([(spec, spec) for spec in self._opponents], value=self._opponents[0], allow_blank=False, id="who")
            yield Label("Seed (empty: a fresh deal)")
            yield Input(id="seed", type="integer")
            yield Static("", id="wrong")
            yield Button("Deal", variant="primary", id="deal")

    @on(Select.Changed, "#variant")
    def _counts(self, event: Select.Changed) -> None:
        counts = player_counts(str(event.value))
        self.query_one("#players", Select).set_options([(str(count), count) for count in counts])

    @on(Button.Pressed, "#deal")
    def _deal(self) -> None:
        players: Any = self.query_one("#players", Select).value
        who = str(self.query_one("#who", Select).value)
        seed = self.query_one("#seed", Input).value
        seats = [who] * players
        seats[min(self._seat, players - 1)] = PERSON
        try:
            variant = str(self.query_one("#variant", Select).value)
            self.dismiss(Setup(variant, players, tuple(seats), int(seed) if seed else secrets.randbelow(MAX_SEED)))
        except ValueError as error:
            self.query_one("#wrong", Static).update(str(error))


class TableView(Vertical):
    """The table as the person sees it, and the choice of moves."""

    DEFAULT_CSS = """
    TableView { height: 1fr; }
    TableView .cards { height: auto; grid-gutter: 0 1; margin-top: 1; }
    TableView #others { padding: 1 1 0 0; }
    TableView #status { color: $accent; height: auto; margin: 1 0 0 1; }
    TableView OptionList { height: auto; max-height: 8; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.picked: set[str] = set()
        self.moves: list[Move] = []
        self._offered: list[Move] = []

    def compose(self) -> ComposeResult:
        yield Static(id="others")
        yield Vertical(id="builds", classes="cards")
        yield ItemGrid(min_column_width=7, id="loose", classes="cards")
        yield ItemGrid(min_column_width=14, id="tops", classes="cards")
        yield Static(id="status")
        yield ItemGrid(min_column_width=7, id="hand", classes="cards")
        yield OptionList(id="choices")

    async def show(self, table: Table) -> None:
        """A new state of the table: nothing is picked."""
        self.picked, self.moves = set(), table.moves()
        self._data, self._names = seen(table), names(table)
        scene = self._data["scene"]
        self.query_one("#others", Static).update(_seats(scene["seats"], self._names, table.person))
        await self._fill("#builds", [(f"b{build['value']}", _build(build, self._names)) for build in scene["builds"]])
        await self._fill("#loose", _cards(scene["loose"]))
        await self._fill("#tops", _tops(scene["seats"], self._names, table.person))
        await self._fill("#hand", _cards(scene["seats"][table.person]["hand"]))
        self.query_one("#status", Static).update(_status(self._data, self._names))
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


def names(table: Table) -> list[str]:
    return ["you" if spec == PERSON else f"{spec} ({seat})" for seat, spec in enumerate(table.setup.seats)]


def _seats(seats: list[dict[str, Any]], called: list[str], person: int) -> Text:
    lines = []
    for step in range(1, len(seats) + 1):
        seat = seats[(person + step) % len(seats)]
        mark = "> " if seat["decides"] else "  "
        line = Text(f"{mark}{called[seat['number']]:<22}", "bold" if seat["decides"] else "")
        line.append(f"{len(seat['hand']) + seat['hidden']:>2} in hand  pile {seat['pile']:>2}")
        if seat["top"]:
            line.append("  top ")
            line.append(show(seat["top"]), _style(seat["top"]))
        line.append(f"  {seat['points']} pt")
        if seat["partner"] is not None:
            line.append(f"  with {called[seat['partner']]}", "dim")
        lines.append(line)
    return Text("\n").join(lines)


Item = tuple[str, Text]  # a token and how it is written


def _cards(cards: list[str]) -> list[Item]:
    return [(card, Text(show(card), _style(card))) for card in cards]


def _build(build: dict[str, Any], called: list[str]) -> Text:
    """Value, owner, sets; one that is augmented says so."""
    label = Text.assemble((f" {build['value']} ", "bold reverse"), f" {called[build['owner']]} ")
    for number, cards in enumerate(build["sets"]):
        label.append(" | " if number else " ")
        label.append_text(Text(" ").join(Text(show(card), _style(card)) for card in cards))
    return label.append("  augmented", "dim") if len(build["sets"]) > 1 else label


def _tops(seats: list[dict[str, Any]], called: list[str], person: int) -> list[Item]:
    """The tops of the others' piles."""
    shown = [(seat["top"], called[seat["number"]]) for seat in seats if seat["top"] and seat["number"] != person]
    return [(top, Text.assemble((show(top), _style(top)), (f" top of {name}", "dim"))) for top, name in shown]


def _status(data: dict[str, Any], called: list[str]) -> str:
    if data["over"]:
        return "The game is over: b for the points, n for a new game."
    decides = next(seat["number"] for seat in data["scene"]["seats"] if seat["decides"])
    if not data["mine"]:
        return f"{called[decides]} is thinking ..."
    question = data["scene"]["status"].partition(": ")[2]
    return "Your turn: pick cards." if question == "to play" else question


class PlayApp(App[None]):
    """One game after the other."""

    TITLE = "Casino"
    CSS = """
    #main { height: 1fr; }
    #log { width: 40; border-left: solid $primary; }
    """
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

    def __init__(self, store: Store, setup: Setup | None, *, opponents: tuple[str, ...], hint: str, pace: float, seat: int) -> None:
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
            for line in _lines(event, names(table)):
                log.write(line)
        self._shown = len(table.events)
        await self.query_one(TableView).show(table)
        if table.waiting:
            self._think()
        elif table.game.over:
            self.action_breakdown()
        else:
            self.query_one(OptionList).focus()

    @work(thread=True, exclusive=True)
    def _think(self) -> None:
        """One move of an agent, not faster than an eye can follow."""
        began = time.monotonic()
        with self._store.change(self.game_id) as table:
            if table is not self.table or not table.waiting:
                return
            table.advance()
        time.sleep(max(0.0, self._pace - (time.monotonic() - began)))
        self.call_from_thread(self._show)

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
        found = hints(table.game, make_agent(self._hint_spec))
        self.call_from_thread(self.push_screen, Sheet(_hint_text(found, self._hint_spec)))

    def action_rules(self) -> None:
        if self.table:
            parts = [Text.assemble((title, "bold"), "\n  ", "\n  ".join(lines)) for title, lines in rules_text(self.table.rules)]
            self.push_screen(Sheet(Text("\n").join(parts)))

    def action_breakdown(self) -> None:
        if self.table:
            place = self._store.folder / f"{self.game_id}.record" if self.table.game.over else None
            self.push_screen(Sheet(_points_text(self.table, str(place) if place else "")))

    def action_new(self) -> None:
        async def chosen(setup: Setup | None) -> None:
            if setup is not None:
                await self._begin(setup)
            elif self.table is None:
                self.exit()

        self.push_screen(Menu(self._opponents, self._seat), chosen)


def _lines(event: Event, called: list[str]) -> list[Text]:
    lines = []
    if event.text and event.text != "end":
        lines.append(Text.assemble((f"{called[event.seat]}: ", "bold"), coloured(event.text)))
    if event.ended:
        points = ", ".join(f"{called[seat]} {points}" for seat, points in enumerate(event.ended))
        lines.append(Text(f"end of the deal: {points}", "italic"))
    return lines


def _hint_text(found: dict[str, Any], spec: str) -> Text:
    rows = sorted(found["likely"].items(), key=lambda row: -row[1])[:8]
    text = Text.assemble((f"{spec} would play: ", "bold"), coloured(found["turn"] or "end the turn"), "\n")
    if found["value"] is not None:
        text.append(f"and expects {found['value']:+.1f} points against the others\n")
    for action, share in rows:
        text.append_text(Text.assemble(f"\n{100 * share:5.1f} %  ", coloured(action)))
    return text


def _points_text(table: Table, place: str) -> Text:
    called, found = names(table), result(table.game)
    text = Text.assemble((f"{'':<18}" + "".join(f"{name:>16}" for name in called), "bold"))
    for name, row in [*found["breakdown"].items(), ("points", found["scores"])]:
        text.append(f"\n{name:<18}" + "".join(f"{points:>16}" for points in row))
    return text.append(f"\n\nThe record is in {place}") if place else text


# --- from the command line ---------------------------------------------------------------------------------------


def run(args: argparse.Namespace) -> int:
    opponents = tuple(dict.fromkeys([*(args.opponents[:1] or ["counter"]), *AGENTS]))
    make_agent(args.hints)
    app = PlayApp(Store(args.games), setup_of(args), opponents=opponents, hint=args.hints, pace=args.pace, seat=args.seat)
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
