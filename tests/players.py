"""Agents with predictable play, for tests of measurements."""

import numpy as np

from casino_env.agents.registry import make_agent
from casino_env.agents.scripted.choosing import Scripted
from casino_env.agents.solver import solve
from casino_env.engine.action_set import actions_of
from casino_env.game import unchecked_game


def seated(spec):
    """Make the agent of a spec and reset it for a game at seat 0."""
    agent = make_agent(spec)
    agent.reset(0, np.random.default_rng(1))
    return agent


class Lowest:
    """Play the first legal action, one game at a time."""

    seat = None

    def reset(self, seat, rng):
        self.seat = seat

    def act(self, observation):
        assert self.seat in (None, observation.seat)
        return observation.legal()[0]


class LowestOfMany(Lowest):
    """Play the first legal action in many games at once."""

    def act_many(self, rules, views, seats, legal):
        return np.array([actions_of(row)[0] for row in legal])


class Highest(Lowest):
    """Play the last legal action, which prefers builds to captures and discards."""

    def act(self, observation):
        return observation.legal()[-1]


class Drawing(Lowest):
    """Draw a legal action from the generator given to reset."""

    def reset(self, seat, rng):
        self.rng = rng

    def act(self, observation):
        return int(self.rng.choice(observation.legal()))


class Illegal(Lowest):
    def act(self, observation):
        return next(action for action in range(192) if not observation.mask[action])


class Perfect(Scripted):
    """Play greedily until all cards are known and no hand has more than 3; then play the best move."""

    def __init__(self):
        super().__init__("greedy")

    def act(self, observation):
        view = observation.view[0]
        if view["hidden_hand"].any() or view["hidden_stock"] or max(hand.bit_count() for hand in view["hands"]) > 3:
            return super().act(observation)
        return solve(unchecked_game(view, observation.rules)).best[0]
