"""A game played by text: for models, remote people, and libraries that train or rank models."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from casino_env.envs.options import ILLEGAL_REWARD
from casino_env.game import Game, seed_number
from casino_env.observed import moment, observe, turn_words
from casino_env.rules import Rules, make_rules
from casino_env.text.prompt import UNITS, Unit, choices, introduction, situation
from casino_env.text.reply import parse
from casino_env.text.vocabulary import Vocabulary
from casino_env.turns import turn_text
from casino_env.validate import int_in, one_of, truth

Forfeit = Literal["loses", "plays"]


class Said(NamedTuple):
    """One reply of a transcript."""

    seat: int
    observation: str  # the text that the seat was given
    reply: str
    why: str  # why it was refused; empty if it was accepted
    did: str  # the actions played, as text


class TextGame:
    """A deal or a match played by text.

    >>> game = TextGame("south-african", players=2)
    >>> game.reset(seed=7)
    >>> while not game.over:
    ...     why = game.step(game.legal()[0])
    >>> sum(game.rewards)
    0.0

    unit: a reply is a whole turn or one action. listed: observations list the legal moves. words: a seed for invented
    words in place of the usual ones. tries: the number of refused replies in a row after which the seat forfeits.
    forfeit: its side loses by eleven points ("loses"), or the last legal move of the list is played ("plays").
    """

    def __init__(
        self,
        variant: str | Rules = "south-african",
        players: int = 2,
        *,
        unit: Unit = "turn",
        listed: bool = False,
        words: int | None = None,
        match: bool = False,
        tries: int = 2,
        forfeit: Forfeit = "loses",
        **changes: Any,
    ) -> None:
        for name, value, known in (("unit", unit, UNITS), ("forfeit", forfeit, get_args(Forfeit))):
            one_of(value, name, known)
        self.rules, self.match = make_rules(variant, players, **changes), truth(match, "match")
        self.tries, self.forfeit = int_in(tries, "tries", 1), forfeit
        vocabulary = None if words is None else Vocabulary(words)
        self._how: dict[str, Any] = {"unit": unit, "vocabulary": vocabulary}
        self._listed: dict[str, Any] = {**self._how, "listed": truth(listed, "listed")}
        self.seats = range(self.rules.players)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Deal the cards of a seed, the same as in every interface."""
        self.game = Game(self.rules, seed=seed_number(seed), match=self.match, skip_forced=False)
        self.transcript: list[Said] = []
        self.refused = 0  # refused replies in a row
        self.forfeited: int | None = None  # the seat that has lost by forfeit
        self._points = [0] * self.rules.sides  # by side, of finished deals
        self._known = [self.game.clone() for _ in self.seats]  # by seat: the game up to which it has been told
        self._settle()

    @property
    def seat(self) -> int:
        """The seat that answers next."""
        return self.game.seat

    @property
    def over(self) -> bool:
        return self.game.over or self.forfeited is not None

    @property
    def rewards(self) -> list[float]:
        """By seat: points of its side less the mean of the other sides; zero until the end."""
        sides, points = self.rules.sides, [float(number) for number in self._points]
        if self.forfeited is not None:
            points = [-ILLEGAL_REWARD["diff"]] * sides
            points[self.rules.side(self.forfeited)] = 0.0
        if not self.over:
            points = [0.0] * sides
        ahead = [mine - (sum(points) - mine) / (sides - 1) for mine in points]
        return [ahead[self.rules.side(seat)] for seat in self.seats]

    # --- texts for a seat ---

    def introduction(self, seat: int | None = None) -> str:
        """The rules and how to answer, for a first message if observations go without them."""
        seat = self.seat if seat is None else int_in(seat, "seat", 0, self.rules.players - 1)
        return introduction(self.rules, seat, **self._how)

    def observation(self, seat: int | None = None, *, rules: bool = True) -> str:
        """The observation of a seat (default: the one that answers next) as text. rules: with the introduction."""
        seat = self.seat if seat is None else seat
        told = situation(observe(self.game, seat), happenings(self._known[seat], self.game), **self._listed)
        return f"{self.introduction(seat)}\n\n{told}" if truth(rules, "rules") else told

    def legal(self) -> list[str]:
        """The legal replies of the seat that answers next, in the words of its observation."""
        vocabulary = self._how["vocabulary"]
        texts = choices(observe(self.game), self._how["unit"])
        return [vocabulary.said(text) for text in texts] if vocabulary else texts

    # --- replies of a seat ---

    def step(self, reply: str) -> str:
        """Play the reply of the seat that answers next; return "", or one line that says why it was refused. After a
        refusal the same seat answers again, or has forfeited."""
        self._check_open()
        seat, before, told = self.seat, self.game.clone(), self.observation(rules=False)
        actions, why = parse(reply, observe(self.game), **self._listed)
        self.refused = self.refused + 1 if why else 0
        if self.refused == self.tries:
            self.refused = 0
            if self.forfeit == "loses":
                self.forfeited = seat
            else:
                observed = observe(self.game)
                actions = observed.turns[-1].actions if self._how["unit"] == "turn" else observed.legal()[-1:]
        self._play(actions)
        did = turn_words(before, [action for _, action, _ in self.game.log[len(before.log) :]]) if actions else ""
        self.transcript.append(Said(seat, told, reply, why, did))
        if actions:
            self._known[seat] = before
            self._settle()
        return why

    def act(self, action: int) -> None:
        """Play an action of the catalogue instead of a reply, for a seat that an agent plays."""
        self._check_open()
        seat, before = self.seat, self.game.clone()
        self._apply(action)
        self._known[seat] = before
        self._settle()

    def _check_open(self) -> None:
        if self.over:
            raise ValueError("the game is over: reset it")

    def _play(self, actions: list[int]) -> None:
        """Play the actions while they are legal: one may reveal cards that the seat did not know when it answered."""
        begun = moment(self.game.records)
        for action in actions:
            if self.game.over or moment(self.game.records) != begun or action not in self.game.legal():
                return
            self._apply(action)

    def _settle(self) -> None:
        """Play forced actions, as long as only one action is legal."""
        while not self.game.over and len(forced := self.game.legal()) == 1:
            self._apply(forced[0])

    def _apply(self, action: int) -> None:
        deals = int(self.game.record["deals"])
        self.game.apply(action)
        if self.game.over or self.game.record["deals"] != deals:
            ended = self.game.record["deal_points"].tolist()
            self._points = [sum(pair) for pair in zip(self._points, ended, strict=False)]


def happenings(before: Game, after: Game) -> list[str]:
    """The public events between two games, a line per turn or answer."""
    ahead, lines, log = before.clone(), list[str](), after.log[len(before.log) :]
    while log:
        many = next((at for at, (seat, _, begins) in enumerate(log) if at and (begins or seat != log[0][0])), len(log))
        actions = [action for _, action, _ in log[:many]]
        if words := turn_text(ahead.records, ahead.rules_record, actions):
            lines.append(f"seat {log[0][0]}: {words}")
        deals = int(ahead.record["deals"])
        for action in actions:
            ahead.apply(action)
        if ahead.over or ahead.record["deals"] != deals:
            lines.append(
                f"the deal is over; points by side: {ahead.record['deal_points'].tolist()[: ahead.rules.sides]}"
            )
        log = log[many:]
    return lines
