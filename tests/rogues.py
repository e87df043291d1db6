"""Agents that break the contract, one way each, or do to their process what a defect might do."""

import multiprocessing
import os
import sys
import threading
import time

from casino_env.engine.action_set import actions_of
from tests.players import Lowest


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
    """As if the user had pressed Ctrl-C."""

    def act(self, observation):
        raise KeyboardInterrupt


class InterruptsLater(Lowest):
    """As if the user had pressed it after a while."""

    left = 60

    def act(self, observation):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().act(observation)


class Between(Lowest):
    """An action and a half."""

    def act(self, observation):
        return 3.7


class BetweenInMany(Between):
    def act_many(self, rules, views, seats, legal):
        return [3.7] * len(legal)


class PanicError(BaseException):
    """What extensions in other languages raise."""


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
    """Makes legal what is not, in the mask that it is shown."""

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
    """A fraction is no number of an action, not even a whole one; int() would make one of it."""

    def act(self, observation):
        return float(observation.legal()[0])


class Broken:
    def __init__(self, path):
        raise ValueError(f"{path}: not a checkpoint")


class IllegalInMany(Lowest):
    """Right in the first games of a batch, wrong in the last."""

    def act_many(self, rules, views, seats, legal):
        actions = [actions_of(row)[0] for row in legal]
        actions[-1] = 191 - actions[-1]
        return actions


class WaitsInMany(Lowest):
    """Decides nothing where it has to."""

    def act(self, observation):
        return -1

    def act_many(self, rules, views, seats, legal):
        return [-1] * len(legal)


class Talks(Lowest):
    """On the standard output, which belongs to the results."""

    def act(self, observation):
        sys.stdout.write("thinking\n")
        return super().act(observation)


class OnlyOnce(Lowest):
    """Can be made where the command runs, not in the processes that play."""

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
    """Something that cannot be copied: no rogue, if it can be made again."""

    def __init__(self):
        self.lock = threading.Lock()
