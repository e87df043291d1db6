"""Shared by the examples with other libraries: options, and points a deal over our bots before and after training.

    with measured(likeliest(network), args): train(args)

What is measured takes the observations and the masks of many games and returns an action for each. It plays one seat of
South African with two players, or of another game in args, with the same cards before and after. Intervals are 95 %.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch

from casino_env.envs.gymnasium import SingleVectorEnv

ID = "casino_env:CasinoEnv/SouthAfrican-v0"
BOTS = ("random", "greedy")
_FIRST_SEED = 10_000_000  # far from the seeds that the examples learn from

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]


def options(description: str | None, **more: object) -> argparse.Namespace:
    """Parse --minutes, --deals, --seed, and further options of an example, given by their defaults."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=2.0, help="of training (%(default)s)")
    parser.add_argument("--deals", type=int, default=1000, help="to measure by, against each bot (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    for name, default in more.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help="(%(default)s)")
    return parser.parse_args()


class Clock:
    """A time limit, in minutes from now."""

    def __init__(self, minutes: float) -> None:
        self._end = time.monotonic() + 60 * minutes

    def over(self) -> bool:
        return time.monotonic() > self._end


def likeliest(logits: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Choose:
    """The legal actions that a network likes best, by its logits for observations and masks."""

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen, mask = torch.from_numpy(observations), torch.from_numpy(masks)
        with torch.no_grad():
            return logits(seen, mask).masked_fill(mask == 0, -torch.inf).argmax(-1).numpy()

    return choose


@contextmanager
def measured(choose: Choose, args: argparse.Namespace) -> Iterator[None]:
    """Wrap a training: print the score before and after it, whether it has improved, and the time taken."""
    before = say("before", choose, args)
    began = time.monotonic()
    yield
    seconds = time.monotonic() - began
    after = say("after", choose, args)
    learnt = all(low - less > high + more for (low, less), (high, more) in zip(after, before, strict=True))
    told = "learnt: both intervals lie above those before" if learnt else "not learnt: intervals overlap"
    print(f"{told}; {seconds:.1f} seconds", flush=True)


def say(when: str, choose: Choose, args: argparse.Namespace) -> list[tuple[float, float]]:
    game = getattr(args, "variant", "south-african"), getattr(args, "players", 2)
    found = [points(choose, bot, args.deals, *game) for bot in BOTS]
    told = ", ".join(f"{mean:+.2f} ± {margin:.2f} over {bot}" for (mean, margin), bot in zip(found, BOTS, strict=True))
    print(f"{when}: {told}", flush=True)
    return found


def points(choose: Choose, bot: str, deals: int, variant: str, players: int) -> tuple[float, float]:
    """Return the points a deal over the bot, and half of the interval."""
    env = SingleVectorEnv(deals, variant, players, opponents=bot, dtype="float32")
    seen, _ = env.reset(seed=_FIRST_SEED)
    won, over = np.zeros(deals), np.zeros(deals, bool)
    while not over.all():  # finished games auto-reset and do not count again
        seen, reward, ended, _, _ = env.step(choose(seen["observation"], seen["action_mask"]))
        won += np.where(over, 0.0, reward)
        over |= ended
    return float(won.mean()), 1.96 * float(won.std(ddof=1)) / deals**0.5
