"""From what a network thinks to what is played: chances, and an action drawn by them."""

import numpy as np

from casino_env.agents.policy.mlp import think
from casino_env.compiler.jit import entry, kernel
from casino_env.engine.action_set import listed
from casino_env.knowledge.encode import encode
from casino_env.rng import uniform


@kernel
def softmax(logits, count, temperature, chances):
    """Chances of the choices at a temperature; 0: all for the best one (the first of equals)."""
    best = 0
    for k in range(count):
        if logits[k] > logits[best]:
            best = k
    if temperature <= 0.0:
        for k in range(count):
            chances[k] = 1.0 if k == best else 0.0
        return
    total = 0.0
    for k in range(count):
        chances[k] = np.exp((logits[k] - logits[best]) / temperature)
        total += chances[k]
    for k in range(count):
        chances[k] /= total


@kernel
def entropy_of(chances, count):
    entropy = 0.0
    for k in range(count):
        if chances[k] > 0.0:
            entropy -= chances[k] * np.log(chances[k])
    return entropy


@kernel
def sample_index(chances, count, point):
    """The choice on which a point between 0 and 1 falls."""
    for k in range(count - 1):
        point -= chances[k]
        if point < 0.0:
            return k
    return count - 1


@kernel
def _settle(decisions, i, room, count, temperature, rng):
    """The answer in game i, from the logits of its legal actions."""
    decisions.actions[i] = -1
    if count == 0:
        return
    softmax(room.logits, count, temperature, room.chances)
    if i < decisions.chances.shape[0]:
        for k in range(count):
            decisions.chances[i, room.actions[k]] = room.chances[k]
    else:
        point = uniform(rng) if count > 1 else 0.0
        decisions.actions[i] = room.actions[sample_index(room.chances, count, point)]


@entry
def decide_by_network(decisions, rules, layout, theta, shape, temperature, rng, room):
    """A network that reads this layout answers in each game."""
    for i in range(decisions.views.shape[0]):
        count = listed(decisions.legal[i], room.actions)
        if count:
            on = encode(decisions.views[i], rules[0], layout[0], decisions.seats[i], room.indices)
            think(theta, shape, room.indices, on, room.actions, count, room)
        _settle(decisions, i, room, count, temperature, rng)
