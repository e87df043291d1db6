"""Learning to play what a teacher would: decisions kept with their right answers, and the gradient towards them."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.policy.mlp import dot, list_actions, softmax
from casino_env.engine.jit import fast_kernel, kernel
from train.learner.gradient import learn_values, push
from train.learner.mlp import MlpLearner, new_stats

Array = np.ndarray[Any, Any]


class Memory:
    """So many decisions of all that were ever shown to it, each with the same chance (Vitter 1985, "Algorithm R").

    recent: of the last ones instead.
    """

    def __init__(self, size: int, most: int, sides: int, *, recent: bool = False) -> None:
        self.indices = np.zeros((size, most), np.int16)
        self.counts = np.zeros(size, np.int64)
        self.words = np.zeros((size, 4), np.int64)  # legal actions
        self.wanted = np.zeros((size, 4), np.int64)  # those of them that are right
        self.side = np.zeros(size, np.int64)
        self.targets = np.zeros((size, sides), np.float32)  # of the value, by side
        self.shown = 0
        self._recent = recent

    def __len__(self) -> int:
        return min(self.shown, len(self.counts))

    def places(self, count: int, rng: np.random.Generator) -> Array:
        """Where the next decisions go; -1: this one is not kept."""
        numbers = self.shown + np.arange(count)
        self.shown += count
        size = len(self.counts)
        if self._recent:
            return numbers % size
        drawn = np.where(numbers < size, numbers, rng.integers(0, numbers + 1))
        return np.where(drawn < size, drawn, -1)

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        return rng.integers(0, len(self), size=count)

    def state(self) -> dict[str, Array]:
        names = ("indices", "counts", "words", "wanted", "side", "targets")
        return {name: getattr(self, name)[: len(self)] for name in names} | {"shown": np.array([self.shown])}

    def restore(self, state: dict[str, Array]) -> None:
        self.shown = int(state["shown"][0])
        for name, mine in self.state().items():
            mine[...] = state[name]


def imitate(
    learner: MlpLearner, memory: Memory, chosen: Array, rate: float, value_weight: float, stats: Array
) -> float:
    """One step towards the right answers of the chosen decisions; returns the norm of the gradient."""

    def loss(last: Array, upstream: Array) -> None:
        imitation_heads(
            last, memory.words, memory.wanted, chosen, memory.targets, memory.side, value_weight,
            learner.weights.heads, learner.gradient.heads, upstream, learner.room, stats,
        )  # fmt: skip

    return learner.descend(memory, chosen, rate, loss)


def imitation_stats() -> Array:
    """As in gradient.STATS; [1] adds up the cross-entropy, [5] the chances of right answers."""
    return new_stats()


@kernel
def remember(memory, rows, places):
    """What was played in the rows is right. memory, rows: (indices, counts, words, wanted or chosen)."""
    indices, counts, words, wanted = memory
    their_indices, their_counts, their_words, chosen = rows
    actions = np.empty(256, np.int64)
    for n in range(places.shape[0]):
        place = places[n]
        if place < 0:
            continue
        indices[place, :] = 0
        indices[place, : their_counts[n]] = their_indices[n, : their_counts[n]]
        counts[place] = their_counts[n]
        words[place, :] = their_words[n]
        list_actions(their_words[n], actions)
        played = actions[chosen[n]]
        wanted[place, :] = 0
        wanted[place, played // 52] = 1 << (played % 52)


@fast_kernel
def imitation_heads(
    last, words, wanted, chosen_rows, targets, sides, value_weight, parts, gradients, upstream, room, stats
):
    """Cross-entropy towards the right actions, all equally right, and the value's error; see gradient.heads."""
    weight, bias = parts[0], parts[1]
    actions, logits, chances = room[0], room[1], room[3]
    share = 1.0 / chosen_rows.shape[0]
    for n in range(chosen_rows.shape[0]):
        row = chosen_rows[n]
        many, right = list_actions(words[row], actions), 0
        for k in range(many):
            logits[k] = dot(weight[actions[k]], last[n]) + bias[actions[k]]
            right += (wanted[row, actions[k] // 52] >> (actions[k] % 52)) & 1
        softmax(logits, many, 1.0, chances)
        upstream[n, :] = 0.0
        for k in range(many):
            goal = ((wanted[row, actions[k] // 52] >> (actions[k] % 52)) & 1) / right
            slope = np.float32((chances[k] - goal) * share)
            push(slope, actions[k], last[n], weight, gradients[0], gradients[1], upstream[n])
            if goal > 0.0:
                stats[1] -= goal * np.log(max(chances[k], 1e-30))
                stats[5] += chances[k]
        if value_weight > 0.0:
            learn_values(last[n], targets[row], sides[row], value_weight * share, parts, gradients, upstream[n], stats)
        stats[0] += 1.0
