"""Agents whose play is plain to see, for tests of what is measured."""

import numpy as np

from casino_env.agents.registry import make_agent
from casino_env.agents.scripted.choosing import Scripted
from casino_env.agents.solver import solve
from casino_env.engine.action_set import actions_of
from casino_env.game import unchecked_game


def seated(spec):
    """The agent of a spec at the beginning of a game."""
    agent = make_agent(spec)
    agent.reset(0, np.random.default_rng(1))
    return agent


class Lowest:
    """The first legal action, one game at a time."""

    seat = None

    def reset(self, seat, rng):
        self.seat = seat

    def act(self, observation):
        assert self.seat in (None, observation.seat)
        return observation.legal()[0]


class LowestOfMany(Lowest):
    """The same in many games at once."""

    def act_many(self, rules, views, seats, legal):
        return np.array([actions_of(row)[0] for row in legal])


class Highest(Lowest):
    """The last legal action: builds and what belongs to them before captures and discards."""

    def act(self, observation):
        return observation.legal()[-1]


class Drawing(Lowest):
    """Any legal action, drawn from what it was given."""

    def reset(self, seat, rng):
        self.rng = rng

    def act(self, observation):
        return int(self.rng.choice(observation.legal()))


class Illegal(Lowest):
    def act(self, observation):
        return next(action for action in range(192) if not observation.mask[action])


class Perfect(Scripted):
    """Greedy until all cards are known and few; then the best move."""

    def __init__(self):
        super().__init__("greedy")

    def act(self, observation):
        view = observation.view[0]
        if view["hidden_hand"].any() or view["hidden_stock"] or max(hand.bit_count() for hand in view["hands"]) > 3:
            return super().act(observation)
        return solve(unchecked_game(view, observation.rules)).best[0]
