"""The kernel that thinks about recorded observations, for the benchmark of training."""

from agents.policy.mlp import think
from casino_env.engine.choices import listed
from casino_env.engine.jit import entry


@entry
def think_all(theta, shape, buffer, thought):
    for row in range(buffer.counts.shape[0]):
        many = listed(buffer.legal[row], thought.actions)
        think(theta, shape, buffer.indices[row], buffer.counts[row], thought.actions, many, thought)
