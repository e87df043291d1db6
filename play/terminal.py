"""The table in the terminal: line by line, so that it also works over a pipe.

Every turn that can be played has a number. Only information of the person's seat is printed.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casino_env.actions import END, NO, parse_action
from casino_env.agents.advise import advise, find
from casino_env.agents.base import check_agent, show_to
from casino_env.agents.files import write_file
from casino_env.agents.registry import AGENTS, make_agent, name_of
from casino_env.cards import card_name, parse_card
from casino_env.drawing.scene import make_scene, seen_lines, table_text
from casino_env.envs.options import generator
from casino_env.game import Game
from casino_env.observed import SeatTurn, actions_text, done_since, has_learnt, moment, observe, seat_turns, turn_words
from casino_env.play.words import card_letters, done_words, in_words, say, wrapped
from casino_env.record import write_record
from casino_env.text.rules_text import rules_text
from casino_env.validate import closest, error_text

_HELP = """\
  3      play turn 3 of the list        Enter  end the turn; till then, undo
  9S 4D  list the turns with these      all    list all turns again
  more   go on with what is listed      table  show the table again
  hint   the best turns, by the judge   undo   take back what you have just done
  rules  of this game                   legal  the actions that are legal
  save FILE   keep the game there       quit   leave; the game is kept
First letters will do. Actions can be typed: build 9; card 5D; card 4S.
* marks the card from the hand, ... a turn that goes on once others have
answered, or once you see the card that lies under another."""
_ACTIONS = ("card", "discard", "capture", "build", "raise", "end", "yes", "no", "count")  # first words of actions


@dataclass
class Terminal:
    """A deal or a match between a person and agents."""

    game: Game  # with skip_forced=False
    person: int  # seat of the person
    specs: dict[int, str]  # specs of the agents on the other seats
    seed: int = 0  # of the agents' random numbers
    called: dict[int, str] | None = None  # names of the agents, if not their specs

    def __post_init__(self) -> None:
        self.agents = {seat: make_agent(spec) for seat, spec in self.specs.items()}
        for agent in self.agents.values():
            check_agent(agent, self.game.rules)
        self.names = _names(self.game.rules.players, self.called or self.specs)
        self.turns, self.rest = list[SeatTurn](), list[str]()  # the legal turns; the rows that "more" shows next
        self.commands: dict[str, Callable[[str], Any]] = {
            "all": lambda _: self._list(frozenset()),
            "more": lambda _: self._show(self.rest or ["  no more"]),
            "legal": lambda _: say(f"  {actions_text(self.game.legal())}"),
            "rules": lambda _: self._show(_rules_rows(self.game)),
            "table": lambda _: self._table(),
            "hint": lambda _: self._hint(),
            "undo": lambda _: self._undo(),
            "save": self._save,
            "quit": lambda _: self._quit(),
        }
        self.marks: list[Game] = []  # positions to which undo goes back
        self.told = self.game.clone()  # the game as far as agents have seen it
        self.start: Game | int = self.told.clone() if self.game.seed is None else self.game.seed  # start of a record
        self._seat_agents()

    def go_on(self, game: Game) -> None:
        """Resume from a later position of the same game."""
        self.game = game
        self._tell()

    def play(self) -> None:
        """Play to the end of the game; raises KeyboardInterrupt if the person quits, EOFError at the end of input."""
        while not self.game.over:
            legal = self.game.legal()
            if self.game.seat != self.person:
                self._let_play()
            elif len(legal) == 1 and not (legal == [END] and self.marks):
                self._do(legal, chosen=False)
            else:
                self._ask()

    def keep(self, path: Path) -> None:
        """Write the game so far as a record."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, write_record(self.start, self.game).encode())

    # --- actions ---

    def _let_play(self) -> None:
        """Let an agent play until another seat decides."""
        before = self.game.clone()
        while not self.game.over and moment(self.game.records) == moment(before.records):
            legal = self.game.legal()
            self.game.apply(legal[0] if len(legal) == 1 else int(self.agents[before.seat].act(observe(self.game))))
            self._tell()
        self._say_done(before)

    def _do(self, actions: list[int], *, chosen: bool = True) -> None:
        """Play actions of the person within one turn; raises ValueError if they are illegal."""
        before, ahead = self.game, self.game.clone()
        for action in actions:
            ahead.apply(action)
        self.game = ahead
        self._say_done(before)
        if ahead.over or moment(ahead.records) != moment(before.records) or has_learnt(before, actions, self.person):
            self._tell()
        elif chosen:
            self.marks.append(before)

    def _tell(self) -> None:
        """Show the new actions to the agents; from now on they cannot be undone."""
        self.marks.clear()
        for action in done_since(self.told, self.game):
            for seat, agent in self.agents.items():
                if seat != self.told.seat:
                    show_to(agent, observe(self.told, seat))
            deal = int(self.told.record["deals"])
            self.told.apply(action)
            if not self.told.over and self.told.record["deals"] != deal:
                self._seat_agents()

    def _seat_agents(self) -> None:
        for seat, agent in self.agents.items():
            agent.reset(seat, generator(self.seed, int(self.told.record["deals"]), seat))

    # --- commands ---

    def _ask(self) -> None:
        """Ask the person for commands until the game has changed."""
        asked, legal, self.turns = self.game, self.game.legal(), seat_turns(self.game)
        if legal != [END]:
            self._table()
        ways = [f"1-{len(self.turns)}"] * (legal != [END]) + ["Enter ends your turn"] * (END in legal)
        question = f"[{', '.join([*ways, *['undo'] * bool(self.marks), 'hint', '? help'])}] "
        while self.game is asked:
            line = input(question).strip()
            if not sys.stdin.isatty():
                print(line)
            try:
                self._obey(line)
            except (ValueError, OSError) as error:
                say(f"  {error_text(error)}")

    def _obey(self, line: str) -> None:
        given, _, rest = line.partition(" ")
        known = [name for name in self.commands if given.lower() in (name, name[0]) and (not rest or name == "save")]
        if line.isdecimal():
            if not 1 <= int(line[:9]) <= len(self.turns):
                raise ValueError(f"{line[:9]}: turns are 1 to {len(self.turns)}")
            self._do(self.turns[int(line) - 1].actions)
        elif not line or given in _ACTIONS:
            self._do_typed(line or "end")
        elif line in ("?", "help"):
            say(_HELP)
        elif known:
            self.commands[known[0]](rest.strip())
        else:
            try:
                self._list(frozenset(card_name(parse_card(card_letters(word))) for word in line.split()))
            except ValueError:
                near = closest(given.lower(), list(self.commands))
                raise ValueError(f"unknown command {given[:40]!r}{near}; ? for help") from None

    def _do_typed(self, line: str) -> None:
        """Play typed actions one at a time: an error about the next may reveal cards that the last one uncovered."""
        begun = moment(self.game.records)
        for text in line.split(";"):
            if self.game.over or moment(self.game.records) != begun:
                raise ValueError(f"{text.strip()[:40]}: your turn is over, or another seat decides")
            self._do([parse_action(text)])

    def _undo(self) -> None:
        if not self.marks:
            raise ValueError("nothing to undo: only your open turn can be undone, until you have seen something new")
        self.game = self.marks.pop()

    def _save(self, name: str) -> None:
        if not name:
            raise ValueError("save where? save FILE")
        self.keep(Path(name))
        say(f"  The game is in {name}")

    def _quit(self) -> None:
        raise KeyboardInterrupt

    def _hint(self) -> None:
        """Show the judge's values of the best turns: points more than the others at the end of the deal."""
        advice, rows = advise(observe(self.game)), dict[int, str]()
        for number, turn in enumerate(self.turns, 1):
            with contextlib.suppress(ValueError):  # the turn stops to reveal a card, or the advice left it out
                rows[id(find(advice, turn.actions))] = self._row(number, turn)
        for place, best in enumerate(advice.turns[:4]):
            row = rows.get(id(best)) or f"     {self._words(turn_words(self.game, list(best.actions[:1])))} ..."
            if not place:
                says = f"{best.value:+.1f} points"
            elif best.low > 0:
                says = f"loses {best.loss:.1f} ({best.low:.1f} to {best.high:.1f})"
            else:
                says = f"as good, give or take {(best.high - best.low) / 2:.1f}" if best.high else "as good"
            say(f"{row}: {says}")

    # --- output ---

    def _words(self, text: str) -> str:
        return in_words(text, self.names)

    def _row(self, number: int, turn: SeatTurn) -> str:
        return f"{number:>4} {self._words(turn.text)}"

    def _table(self) -> None:
        lines = seen_lines(make_scene(self.game, self.person), self.names, self.person)
        self._list(frozenset(), used=sum(map(say, ["", *map(self._words, lines)])))

    def _list(self, wanted: frozenset[str], used: int = 0) -> None:
        """List the turns that name these cards."""
        turns = [(n, turn) for n, turn in enumerate(self.turns, 1) if wanted <= {*re.findall(r"\w+", turn.text)}]
        self._show([self._row(*each) for each in turns] or ["  no turns with these"], used)

    def _show(self, rows: list[str], used: int = 0) -> None:
        """Show as many rows as fit on the screen below the used lines; keep the others for "more"."""
        left, shown = max(shutil.get_terminal_size().lines - used - 2, 5), 0
        while shown < len(rows) and (left := left - len(wrapped(rows[shown]))) >= 0:
            say(rows[shown])
            shown += 1
        self.rest = rows[shown:]
        if self.rest:
            say(f"     ... {len(self.rest)} more: m")

    def _say_done(self, before: Game) -> None:
        actions, own = done_since(before, self.game), before.seat == self.person
        told = turn_words(before, actions)
        if own or told != actions_text(actions) or actions == [NO]:  # otherwise another seat sorts its pile in secret
            say(done_words(told, before.seat, self.names, own=own))
        if self.game.over or self.game.record["deals"] != before.record["deals"]:
            last = before.clone()
            last.records["match"] = 0  # otherwise the next deal would begin
            for action in actions:
                last.apply(action)
            say(self._words(table_text(last)))
            if self.game.record["match"]:
                say(f"Points of the match by side: {self.game.record['match_score'][: self.game.rules.sides].tolist()}")


def _names(players: int, called: dict[int, str]) -> list[str]:
    """Return the name of each seat, agents by their titles; equal names are numbered."""
    titles = {seat: AGENTS[spec].title if spec in AGENTS else "" for seat, spec in called.items()}
    names = [titles.get(seat) or name_of(called.get(seat, "you"))[:24] for seat in range(players)]
    many, seen, numbered = Counter(names), Counter[str](), list[str]()
    for name in names:
        seen[name] += 1
        numbered.append(f"{name} {seen[name]}" if many[name] > 1 else name)
    return numbered


def _rules_rows(game: Game) -> list[str]:
    return [row for title, lines in rules_text(game.rules).items() for row in (title, *(f"  {line}" for line in lines))]
