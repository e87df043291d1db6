"""What the doors share: a game by text in which agents play all seats but one; and for trying a door out, a model that
knows no better than to name something legal, and a look at what has been played."""

import random
import re
from typing import Any

from casino_env import Game, observe
from casino_env.agents.registry import make_agent
from casino_env.envs.options import generator
from casino_env.text import TextGame


class OneSeat:
    """A deal for one model. options: those of TextGame, switches among them."""

    def __init__(
        self, variant: str = "south-african", players: int = 2, opponent: str = "greedy", **options: Any
    ) -> None:
        self.game = TextGame(variant, players, **options)
        self.opponents = [make_agent(opponent) for _ in self.game.seats]
        self.seat = 0

    def reset(self, seed: int, seat: int = 0) -> str:
        """Deal, let the others play as long as they are to move; what the model is told."""
        self.seat = seat
        self.game.reset(seed)
        for number, agent in enumerate(self.opponents):
            agent.reset(number, generator(seed, number))
        self._let_play()
        return self.game.observation(seat)

    def step(self, reply: str) -> str:
        """Play the model's reply and what others do then; what it is told next."""
        why = self.game.step(reply)
        self._let_play()
        told = self.game.observation(self.seat, rules=False)
        return f"That was refused: {why}\n\n{told}" if why else told

    @property
    def over(self) -> bool:
        return self.game.over

    @property
    def reward(self) -> float:
        """Points of the model more than the others' mean, once it is over."""
        return self.game.rewards[self.seat]

    def _let_play(self) -> None:
        while not self.game.over and self.game.seat != self.seat:
            self.game.act(int(self.opponents[self.game.seat].act(observe(self.game.game))))


def check(game: TextGame, seed: int) -> None:
    """A deal that is over: its cards are those of the seed, and nobody's points come from nowhere."""
    again = Game(game.rules, seed=seed, match=game.match, skip_forced=False)
    for _, action, _ in game.game.log:
        again.apply(action)
    assert again.to_bytes() == game.game.to_bytes() and abs(sum(game.rewards)) < 1e-9


def any_listed(observation: str, draw: random.Random) -> str:
    """The number of one of the turns that an observation lists."""
    numbers = re.findall(r"^  (\d+) ", observation.rpartition("What is legal")[2], re.MULTILINE)
    return f"I have no idea.\nTurn: {draw.choice(numbers)}"
