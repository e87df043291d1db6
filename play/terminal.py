"""A plain table in the terminal: a line in, lines out, so that it works over a pipe as well.

Every turn that can be played has a number. Only what the person's seat may know is printed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import textwrap
from dataclasses import dataclass

from casino_env.actions import END, NO, parse_action
from casino_env.agents.advise import advise, find
from casino_env.agents.base import check_agent, show_to
from casino_env.agents.registry import make_agent
from casino_env.cards import card_name, parse_card
from casino_env.drawing.scene import make_scene
from casino_env.drawing.text import seen_lines, table_text
from casino_env.envs.options import generator
from casino_env.game import Game
from casino_env.observed import SeatTurn, actions_text, done_since, has_learnt, moment, observe, seat_turns, turn_words
from casino_env.validate import closest

_HELP = """\
  3      play turn 3 of the list        Enter  end the turn; till then, undo
  9S 4D  list the turns with these      all    list all turns again
  more   the next turns of the list     table  show the table again
  hint   the best turns, by the judge   undo   take back what you have just done
  legal  the actions that are legal     quit   leave the game
First letters will do. Actions can be typed: build 9; card 5D; card 4S.
* marks the card from the hand, ... a turn that goes on once others have
answered, or once you see the card that lies under another."""
_ACTIONS = ("card", "discard", "capture", "build", "raise", "end", "yes", "no", "count")  # how they begin


@dataclass
class Terminal:
    """A deal or a match of a person and agents."""

    game: Game  # which plays no forced actions by itself
    person: int
    specs: dict[int, str]  # of the agents on the other seats
    seed: int = 0  # of all that they draw

    def __post_init__(self) -> None:
        self.agents = {seat: make_agent(spec) for seat, spec in self.specs.items()}
        for agent in self.agents.values():
            check_agent(agent, self.game.rules)
        self.names = [f"seat {seat} {self.specs.get(seat, 'you')[:24]}" for seat in range(self.game.rules.players)]
        self.turns, self.wanted, self.shown = list[SeatTurn](), frozenset[str](), 0  # the list; what is shown of it
        self.commands = {
            "all": lambda: self._list(frozenset()),
            "more": lambda: self._list(self.wanted, self.shown),
            "legal": lambda: say(f"  {actions_text(self.game.legal())}"),
            "table": self._table, "hint": self._hint, "undo": self._undo, "quit": self._quit,
        }  # fmt: skip
        self.marks: list[Game] = []  # where the person may go back to
        self.told = self.game.clone()  # up to here agents have seen it
        self._seat_agents()

    def play(self) -> None:
        """To the end of the game; raises KeyboardInterrupt if the person leaves, EOFError where no more lines come."""
        while not self.game.over:
            legal = self.game.legal()
            if self.game.seat != self.person:
                self._let_play()
            elif len(legal) == 1 and not (legal == [END] and self.marks):
                self._do(legal, chosen=False)
            else:
                self._ask()

    # --- what is done ---

    def _let_play(self) -> None:
        """An agent, until somebody else decides."""
        before = self.game.clone()
        while not self.game.over and moment(self.game.records) == moment(before.records):
            legal = self.game.legal()
            self.game.apply(legal[0] if len(legal) == 1 else int(self.agents[before.seat].act(observe(self.game))))
            self._tell()
        self._say_done(before)

    def _do(self, actions: list[int], *, chosen: bool = True) -> None:
        """Something of the person's in one turn; raises ValueError if the rules forbid it."""
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
        """Everybody has seen what was done; none of it can be taken back."""
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

    # --- what is asked ---

    def _ask(self) -> None:
        """The person, until the game has changed."""
        asked, self.turns = self.game, seat_turns(self.game)
        self._table()
        while self.game is asked:
            end, undo = ("Enter end, " if END in asked.legal() else ""), ("undo, " if self.marks else "")
            line = input(f"[1-{len(self.turns)}, {end}{undo}hint, ? help] ").strip()
            if not sys.stdin.isatty():
                print(line)
            try:
                self._obey(line)
            except ValueError as error:
                say(f"  {error}")

    def _obey(self, line: str) -> None:
        given = line.lower().split() or ["end"]
        command = next((name for name in self.commands if given in ([name], [name[0]])), "")
        if line.isdecimal():
            if not 1 <= int(line[:9]) <= len(self.turns):
                raise ValueError(f"{line[:9]}: turns are 1 to {len(self.turns)}")
            self._do(self.turns[int(line) - 1].actions)
        elif given[0] in _ACTIONS:
            self._do_typed(line or "end")
        elif line in ("?", "help"):
            say(_HELP)
        elif command:
            self.commands[command]()
        else:
            try:
                self._list(frozenset(card_name(parse_card(word.upper())) for word in given))
            except ValueError:
                near = closest(given[0], list(self.commands))
                raise ValueError(f"no command {given[0][:40]!r}{near}; ? for help") from None

    def _do_typed(self, line: str) -> None:
        """One action after the other: what the rules say to the next may tell what this one has brought to light."""
        begun = moment(self.game.records)
        for text in line.split(";"):
            if self.game.over or moment(self.game.records) != begun:
                raise ValueError(f"{text.strip()[:40]}: your turn is over, or somebody else decides")
            self._do([parse_action(text)])

    def _undo(self) -> None:
        if not self.marks:
            raise ValueError("nothing to take back: only your open turn can be, until you have seen something new")
        self.game = self.marks.pop()

    def _quit(self) -> None:
        raise KeyboardInterrupt

    def _hint(self) -> None:
        """What the judge thinks of the best turns: in points more than the others at the end of the deal."""
        advice, rows = advise(observe(self.game)), dict[int, str]()
        for number, turn in enumerate(self.turns, 1):
            with contextlib.suppress(ValueError):  # it goes on once a card is seen, or too many were left out
                rows[id(find(advice, turn.actions))] = f"{number:>4} {turn.text}"
        for best in advice.turns[:4]:
            row = rows.get(id(best)) or f"     {turn_words(self.game, list(best.actions[:1]))} ..."
            lost = f", loses {best.loss:.1f} ({best.low:.1f} to {best.high:.1f})" if best.loss or best.high else ""
            say(f"{row}: {best.value:+.1f}{lost}")

    # --- what is shown ---

    def _table(self) -> None:
        scene = make_scene(self.game, self.person)
        self._list(frozenset(), used=sum(map(say, ["", *seen_lines(scene, self.names, self.person)])))

    def _list(self, wanted: frozenset[str], first: int = 0, used: int = 0) -> None:
        """The turns that name these cards, as many as there is room for beside the lines that are used."""
        rows = [
            f"{n:>4} {turn.text}" for n, turn in enumerate(self.turns, 1) if wanted <= {*re.findall(r"\w+", turn.text)}
        ]
        left, self.wanted, self.shown = max(shutil.get_terminal_size().lines - used - 2, 5), wanted, first
        while self.shown < len(rows) and (left := left - len(_wrapped(rows[self.shown]))) >= 0:
            say(rows[self.shown])
            self.shown += 1
        if not rows[first:]:
            say("  no more turns")
        elif rows[self.shown :]:
            say(f"     ... {len(rows) - self.shown} more: m, or name cards")

    def _say_done(self, before: Game) -> None:
        actions = done_since(before, self.game)
        told = turn_words(before, actions)
        if before.seat == self.person or told != actions_text(actions) or actions == [NO]:  # else it sorts in secret
            say(f"{self.names[before.seat]}: {told}")
        if self.game.over or self.game.record["deals"] != before.record["deals"]:
            last = before.clone()
            last.records["match"] = 0  # else the next deal is there
            for action in actions:
                last.apply(action)
            say(table_text(last))
            if self.game.record["match"]:
                say(f"Points of the match by side: {self.game.record['match_score'][: self.game.rules.sides].tolist()}")


def say(text: str) -> int:
    """Prints it in the width that there is; returns how many lines it has taken."""
    lines = [line for row in text.split("\n") for line in _wrapped(row)]
    shown = "\n".join(lines)
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        shown = re.sub(r"\b[A2-9TJQK][HD]\b", "\033[31m\\g<0>\033[0m", shown)
    print(shown, flush=True)
    return len(lines)


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, shutil.get_terminal_size().columns - 1, subsequent_indent=" " * 5) or [""]
