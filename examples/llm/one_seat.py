"""Shared by the adapters for language models: a text game in which agents play all seats but one; for tests also a
model that names random legal turns, and a check of finished deals."""

import random
import re
from typing import Any

from casino_env import Game, observe
from casino_env.agents.registry import make_agent
from casino_env.envs.options import generator
from casino_env.text import TextGame


class OneSeat:
    """A deal for one model. options: those of TextGame, including switches of the rules."""

    def __init__(
        self, variant: str = "south-african", players: int = 2, opponent: str = "greedy", **options: Any
    ) -> None:
        self.game = TextGame(variant, players, **options)
        self.opponents = [make_agent(opponent) for _ in self.game.seats]
        self.seat = 0

    def reset(self, seed: int, seat: int = 0) -> str:
        """Deal, and let the others play until the model is to move; return its prompt."""
        self.seat = seat
        self.game.reset(seed)
        for number, agent in enumerate(self.opponents):
            agent.reset(number, generator(seed, number))
        self._let_play()
        return self.game.observation(seat)

    def step(self, reply: str) -> str:
        """Play the model's reply and then the others; return the next prompt."""
        why = self.game.step(reply)
        self._let_play()
        told = self.game.observation(self.seat, rules=False)
        return f"That was refused: {why}\n\n{told}" if why else told

    @property
    def over(self) -> bool:
        return self.game.over

    @property
    def reward(self) -> float:
        """The model's points ahead of the others' mean, once the deal is over."""
        return self.game.rewards[self.seat]

    def _let_play(self) -> None:
        while not self.game.over and self.game.seat != self.seat:
            self.game.act(int(self.opponents[self.game.seat].act(observe(self.game.game))))


def check(game: TextGame, seed: int) -> None:
    """Check a finished deal: its actions replay from the seed to the same game, and its rewards sum to zero."""
    again = Game(game.rules, seed=seed, match=game.match, skip_forced=False)
    for _, action, _ in game.game.log:
        again.apply(action)
    assert again.to_bytes() == game.game.to_bytes() and abs(sum(game.rewards)) < 1e-9


def any_listed(observation: str, draw: random.Random) -> str:
    """Return a reply with the number of a random turn that the observation lists."""
    numbers = re.findall(r"^  (\d+) ", observation.rpartition("What is legal")[2], re.MULTILINE)
    return f"I have no idea.\nTurn: {draw.choice(numbers)}"
