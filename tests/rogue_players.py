"""Agents that do to a worker of the web server what a defect in it might do."""

import ctypes
import time


class _Rogue:
    def reset(self, seat, rng):
        pass


class Crashes(_Rogue):
    def act(self, observation):
        ctypes.string_at(0)


class Hangs(_Rogue):
    """Deaf to signals that only Python hears."""

    def act(self, observation):
        return sum(range(10**13))


class HangsLater(Hangs):
    """But not when it is tried."""

    def act(self, observation):
        return observation.legal()[0] if observation.rules.name == "mini" else super().act(observation)


class Eats(_Rogue):
    """All memory."""

    def act(self, observation):
        return len([bytes(1 << 28) for _ in range(10_000)])


class Slow(_Rogue):
    def act(self, observation):
        time.sleep(1.0)
        return observation.legal()[0]


class Raises(_Rogue):
    def act(self, observation):
        raise AttributeError("two\nlines")
