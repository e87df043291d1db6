"""Agents that break the contract, one way each."""

import multiprocessing
import os
import sys
import threading
import time

from casino_env.engine.action_set import actions_of


class _Rogue:
    def reset(self, seat, rng):
        self.moves = 0


class Illegal(_Rogue):
    def act(self, observation):
        return next(action for action in range(192) if not observation.mask[action])


class Raises(_Rogue):
    def act(self, observation):
        raise KeyError("lost\nmy notes")


class Sleeps(_Rogue):
    def act(self, observation):
        time.sleep(100)
        return observation.legal()[0]


class Stuck(_Rogue):
    """In code that listens to no signal."""

    def act(self, observation):
        return sum(range(10**13))


class Dies(_Rogue):
    def act(self, observation):
        os._exit(3)


class Exits(_Rogue):
    def act(self, observation):
        sys.exit(0)


class Interrupts(_Rogue):
    """As if the user had pressed Ctrl-C."""

    def act(self, observation):
        raise KeyboardInterrupt


class PanicError(BaseException):
    """What extensions in other languages raise."""


class Panics(_Rogue):
    def act(self, observation):
        raise PanicError("lost")


class SpeechlessError(Exception):
    def __str__(self):
        raise RuntimeError


class Speechless(_Rogue):
    def act(self, observation):
        raise SpeechlessError


class Tampers(_Rogue):
    """Makes legal what is not, in the mask that it is shown."""

    def act(self, observation):
        action = next(action for action in range(192) if not observation.mask[action])
        observation.mask[action] = 1
        return action


class TampersInMany(_Rogue):
    def act(self, observation):
        return observation.legal()[0]

    def act_many(self, rules, views, seats, legal):
        illegal = [min({*range(52)} - {*actions_of(row)}) for row in legal]
        legal[:] = -1
        seats[:] = 0
        return illegal


class Broken:
    def __init__(self, path):
        raise ValueError(f"{path}: not a checkpoint")


class IllegalInMany(_Rogue):
    """Right in the first games of a batch, wrong in the last."""

    def act(self, observation):
        return observation.legal()[0]

    def act_many(self, rules, views, seats, legal):
        actions = [actions_of(row)[0] for row in legal]
        actions[-1] = 191 - actions[-1]
        return actions


class WaitsInMany(_Rogue):
    """Decides nothing where it has to."""

    def act(self, observation):
        return -1

    def act_many(self, rules, views, seats, legal):
        return [-1] * len(legal)


class Steady(_Rogue):
    """Keeps the contract: the first legal action."""

    def act(self, observation):
        return observation.legal()[0]


class Wanders(Steady):
    """Any legal action, as its own generator says."""

    def reset(self, seat, rng):
        self.rng = rng

    def act(self, observation):
        return int(self.rng.choice(observation.legal()))


class Talks(Steady):
    """On the standard output, which belongs to the results."""

    def act(self, observation):
        sys.stdout.write("thinking\n")
        return observation.legal()[0]


class OnlyOnce(Steady):
    """Can be made where the command runs, not in the processes that play."""

    def __init__(self):
        if multiprocessing.parent_process() is not None:
            raise RuntimeError("the device is in use")


class DiesAgain(Steady):
    def __init__(self):
        if multiprocessing.parent_process() is not None:
            os._exit(3)


class Slow(Steady):
    def act(self, observation):
        time.sleep(0.02)
        return observation.legal()[0]


class Holds(_Rogue):
    """Something that cannot be copied: no rogue, if it can be made again."""

    def __init__(self):
        self.lock = threading.Lock()

    def act(self, observation):
        return observation.legal()[0]
