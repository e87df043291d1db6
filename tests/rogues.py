"""Agents that break the contract in one way each, or disturb their process as a defect might."""

import multiprocessing
import os
import signal
import sys
import threading
import time

from casino_env.engine.action_set import actions_of
from tests.players import Lowest, LowestOfMany


class Raises(Lowest):
    def act(self, observation):
        raise KeyError("lost\nmy notes")


class Dies(Lowest):
    def act(self, observation):
        os._exit(3)


class Exits(Lowest):
    def act(self, observation):
        sys.exit(0)


class Interrupts(Lowest):
    """Raise KeyboardInterrupt at once, as Ctrl-C does."""

    def act(self, observation):
        raise KeyboardInterrupt


class InterruptsLater(Lowest):
    """Raise KeyboardInterrupt at the 61st decision."""

    left = 60

    def act(self, observation):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().act(observation)


class PressesCtrlC(LowestOfMany):
    """Press Ctrl-C when any of its copies is asked the nth time, and take a while to answer from then on."""

    asked = 0

    def __init__(self, nth):
        self.nth = int(nth)

    def act(self, observation):
        self._count()
        return super().act(observation)

    def act_many(self, *about):
        self._count()
        return super().act_many(*about)

    def _count(self):
        PressesCtrlC.asked += 1
        if PressesCtrlC.asked == self.nth:
            time.sleep(0.2)  # Python may lose a signal that comes just when the main thread begins to wait
            os.kill(os.getpid(), signal.SIGINT)
        if PressesCtrlC.asked >= self.nth:
            time.sleep(0.2)


class Between(Lowest):
    """Return a fraction between two actions."""

    def act(self, observation):
        return 3.7


class BetweenInMany(Between):
    def act_many(self, rules, views, seats, legal):
        return [3.7] * len(legal)


class PanicError(BaseException):
    """A BaseException, as extensions in other languages raise."""


class Panics(Lowest):
    def act(self, observation):
        raise PanicError("lost")


class SpeechlessError(Exception):
    def __str__(self):
        raise RuntimeError


class Speechless(Lowest):
    def act(self, observation):
        raise SpeechlessError


class Tampers(Lowest):
    """Mark an illegal action as legal in the mask that it is given, and play it."""

    def act(self, observation):
        action = next(action for action in range(192) if not observation.mask[action])
        observation.mask[action] = 1
        return action


class TampersInMany(Lowest):
    def act_many(self, rules, views, seats, legal):
        illegal = [min({*range(52)} - {*actions_of(row)}) for row in legal]
        legal[:] = -1
        seats[:] = 0
        return illegal


class Fractional(Lowest):
    """Return a legal action as a float, which is no action, although int() would accept it."""

    def act(self, observation):
        return float(observation.legal()[0])


class Broken:
    def __init__(self, path):
        raise ValueError(f"{path}: not a checkpoint")


class IllegalInMany(Lowest):
    """Play legal actions in all games of a batch but the last."""

    def act_many(self, rules, views, seats, legal):
        actions = [actions_of(row)[0] for row in legal]
        actions[-1] = 191 - actions[-1]
        return actions


class WaitsInMany(Lowest):
    """Return no action (-1) where one is required."""

    def act(self, observation):
        return -1

    def act_many(self, rules, views, seats, legal):
        return [-1] * len(legal)


class Talks(Lowest):
    """Write to standard output, which belongs to the results."""

    def act(self, observation):
        sys.stdout.write("thinking\n")
        return super().act(observation)


class OnlyOnce(Lowest):
    """Can be constructed in the command's process, not in worker processes."""

    def __init__(self):
        if multiprocessing.parent_process() is not None:
            raise RuntimeError("the device is in use")


class DiesAgain(Lowest):
    def __init__(self):
        if multiprocessing.parent_process() is not None:
            os._exit(3)


class Slow(Lowest):
    seconds = 0.02

    def act(self, observation):
        time.sleep(self.seconds)
        return super().act(observation)


class Holds(Lowest):
    """Hold a lock, which cannot be pickled: allowed, if the agent can be made again."""

    def __init__(self):
        self.lock = threading.Lock()
