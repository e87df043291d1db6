"""Randomness: streams of splitmix64, whose whole state is one 64-bit number.

A game has its stream in its record; everything else has one in an array of one number. So every draw is
reproducible, and no result depends on the order in which games are played.
"""

import numpy as np

from casino_env.compiler.jit import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)


@kernel
def mixed(number):
    """Mix a number into 64 bits that look random (the output function of splitmix64)."""
    z = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def nth_word(seed, n):
    """The n-th word of a stream, without drawing the words before it."""
    return mixed(np.uint64(seed) + np.uint64(n) * _STEP)


@kernel
def _scaled(word, bound):
    """A number below bound from the 32 high bits of a word; the bias is below 2^-26 for a pack of cards."""
    return np.int64(((word >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def game_below(g, bound):
    """Draw a whole number below bound from the game's own stream."""
    g.rng += _STEP
    return _scaled(mixed(g.rng), bound)


@kernel
def _next_word(rng):
    rng[0] += _STEP
    return mixed(rng[0])


@kernel
def random_below(rng, bound):
    """Draw a whole number below bound."""
    return _scaled(_next_word(rng), bound)


@kernel
def stream_of(rng, i):
    """The index of the stream of game i: each game has its own, or all share one."""
    return i if rng.shape[0] > 1 else 0


@kernel
def uniform(rng):
    """Draw a number in [0, 1)."""
    return np.float64(_next_word(rng) >> np.uint64(11)) / 9007199254740992.0


@kernel
def episode_seed(seed, episode):
    """The seed of the n-th episode, the same in every interface; episode 0 has the seed itself."""
    if episode == 0:
        return np.uint64(seed)
    z = np.uint64(seed) + np.uint64(episode) * np.uint64(0xD1342543DE82EF95)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    return z ^ (z >> np.uint64(32))
