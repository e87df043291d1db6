"""The fast network: a multilayer perceptron that reads an observation as the list of its features that are on.

Both ends are sparse: the first layer adds up the rows of the features that are on, the last one is worked out for
legal actions alone. All weights lie in one flat array, so a pool of networks is an array of two dimensions, and a
whole game between networks can be played inside one kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.engine.jit import fast_kernel, kernel
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

# The kernels' form of a shape: an array of int64.
FEATURES, VALUES, LAYERS, WIDTHS = 0, 1, 2, 3


@dataclass(frozen=True)
class Shape:
    """Sizes of the fast network; the sizes of an observation give the first, the rules the last."""

    kind: ClassVar[str] = "mlp"
    features: int
    hidden: tuple[int, ...]
    values: int  # 1: mine (of two sides), else one for each side counted from mine

    @property
    def sizes(self) -> dict[str, Any]:
        """What a file has to say about it beside its kind."""
        return {"hidden": list(self.hidden)}

    @cached_property
    def record(self) -> Array:
        return np.array([self.features, self.values, len(self.hidden), *self.hidden], np.int64)

    @cached_property
    def parts(self) -> dict[str, tuple[int, ...]]:
        """The parts of the flat array of weights in the order in which they lie: names and shapes."""
        parts: dict[str, tuple[int, ...]] = {}
        for layer, (before, width) in enumerate(zip((self.features, *self.hidden), self.hidden, strict=False)):
            parts |= {f"layer{layer}.weight": (before, width), f"layer{layer}.bias": (width,)}
        last = self.hidden[-1]
        parts |= {"policy.weight": (ACTIONS, last), "policy.bias": (ACTIONS,)}
        return parts | {"value.weight": (self.values, last), "value.bias": (self.values,)}

    @property
    def size(self) -> int:
        return sum(int(np.prod(part)) for part in self.parts.values())

    def views(self, flat: Array) -> dict[str, Array]:
        """The parts of a flat array by name; writing to them writes to it."""
        views, at = {}, 0
        for name, part in self.parts.items():
            length = int(np.prod(part))
            views[name] = flat[at : at + length].reshape(part)
            at += length
        return views

    def flat(self, parts: dict[str, Array]) -> Array:
        """The parts as one flat array; raises ValueError if they are not those of this shape."""
        for name, part in self.parts.items():  # before there is room made for them: a description may ask for anything
            if name not in parts or parts[name].shape != part:
                found = parts[name].shape if name in parts else "nothing"
                raise ValueError(f"weights {name}: {found}, not {part}")
            if parts[name].dtype.kind != "f":
                raise ValueError(f"weights {name}: {parts[name].dtype}, not floating point")
        flat = np.empty(self.size, np.float32)
        for name, view in self.views(flat).items():
            view[...] = parts[name]
        return flat


def value_outputs(rules: Rules) -> int:
    """Of two sides the one value says all; of more, each has its own."""
    return 1 if rules.sides == 2 else rules.sides


def initial(shape: Shape, rng: np.random.Generator) -> Array:
    """Orthogonal weights; the first layer is scaled for about a hundred features that are on, the policy is flat."""
    flat = np.zeros(shape.size, np.float32)
    for name, view in shape.views(flat).items():
        if name.endswith("bias"):
            continue
        if name == "layer0.weight":
            view[...] = rng.standard_normal(view.shape) * np.sqrt(2 / 100)
        else:
            gain = {"policy.weight": 0.01, "value.weight": 1.0}.get(name, np.sqrt(2))
            view[...] = gain * _orthogonal(view.shape, rng)
    return flat


def _orthogonal(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    tall = rng.standard_normal((max(shape), min(shape)))
    q, r = np.linalg.qr(tall)
    q *= np.sign(np.diag(r))
    return q if q.shape == shape else q.T


class Thought(NamedTuple):
    """What a network thinks of one observation, and room to do so. think() needs work, logits and values only."""

    indices: Array  # features that are on
    actions: Array  # legal ones one after the other
    work: Array  # activations
    logits: Array  # of the legal actions
    chances: Array  # likewise
    values: Array


def new_thought(shape: Shape, features: int) -> Thought:
    """features: the most that are on at once."""
    return Thought(
        np.zeros(features, np.int16),
        np.zeros(ACTIONS, np.int64),
        np.zeros(sum(shape.hidden), np.float32),
        np.zeros(ACTIONS, np.float32),
        np.zeros(ACTIONS),
        np.zeros(shape.values, np.float32),
    )


# --- one observation -------------------------------------------------------------------------------------------------


# Slices, not offsets, in the innermost loops: numba would check every computed index for being negative, and could
# not use vector instructions.


@fast_kernel
def add_rows(matrix, width, rows, count, out):
    """Add rows of a flat matrix to out; four at once, for memory is what takes the time."""
    k = 0
    while k + 4 <= count:
        a, b, c, d = rows[k] * width, rows[k + 1] * width, rows[k + 2] * width, rows[k + 3] * width
        one, two, three, four = (
            matrix[a : a + width],
            matrix[b : b + width],
            matrix[c : c + width],
            matrix[d : d + width],
        )
        for j in range(width):
            out[j] += (one[j] + two[j]) + (three[j] + four[j])
        k += 4
    while k < count:
        a = rows[k] * width
        one = matrix[a : a + width]
        for j in range(width):
            out[j] += one[j]
        k += 1


@fast_kernel
def _multiply(matrix, x, out):
    """Add x times a flat matrix to out, four rows at once."""
    width, rows = out.shape[0], x.shape[0]
    i = 0
    while i + 4 <= rows:
        p, q, s, t = x[i], x[i + 1], x[i + 2], x[i + 3]
        a = i * width
        one, two = matrix[a : a + width], matrix[a + width : a + 2 * width]
        three, four = matrix[a + 2 * width : a + 3 * width], matrix[a + 3 * width : a + 4 * width]
        for j in range(width):
            out[j] += (p * one[j] + q * two[j]) + (s * three[j] + t * four[j])
        i += 4
    while i < rows:
        one = matrix[i * width : (i + 1) * width]
        for j in range(width):
            out[j] += x[i] * one[j]
        i += 1


@fast_kernel
def _rectify(out):
    for j in range(out.shape[0]):
        out[j] = max(out[j], np.float32(0.0))


@fast_kernel
def hidden_layers(theta, shape, indices, count, work):
    """Activations of all layers one after the other in work. Returns where the last one begins, and where in theta
    the weights after it do."""
    width = shape[WIDTHS]
    at, weights = 0, shape[FEATURES] * width
    out = work[:width]
    out[:] = theta[weights : weights + width]
    add_rows(theta, width, indices, count, out)
    _rectify(out)
    weights += width
    for layer in range(1, shape[LAYERS]):
        before, width = width, shape[WIDTHS + layer]
        after, bias = at + before, weights + before * width
        out = work[after : after + width]
        out[:] = theta[bias : bias + width]
        _multiply(theta[weights:bias], work[at : at + before], out)
        _rectify(out)
        at, weights = after, bias + width
    return at, weights


@fast_kernel
def dot(one, two):
    total = np.float32(0.0)
    for j in range(one.shape[0]):
        total += one[j] * two[j]
    return total


@kernel
def think(theta, shape, indices, count, actions, choices, room):
    """Logits of the listed actions and values of the sides for one observation, into a Thought."""
    at, weights = hidden_layers(theta, shape, indices, count, room.work)
    width = shape[WIDTHS + shape[LAYERS] - 1]
    last = room.work[at : at + width]
    bias = weights + ACTIONS * width
    for k in range(choices):
        row = weights + actions[k] * width
        room.logits[k] = dot(theta[row : row + width], last) + theta[bias + actions[k]]
    heads = bias + ACTIONS
    for k in range(shape[VALUES]):
        row = heads + k * width
        room.values[k] = dot(theta[row : row + width], last) + theta[heads + shape[VALUES] * width + k]


@kernel
def spread_values(values, shape, sides, mine, out):
    """The network's values, which begin with the side that looks, by side."""
    if shape[VALUES] == 1:
        for side in range(sides):
            out[side] = values[0] if side == mine else -values[0]
        return
    for k in range(sides):
        out[(mine + k) % sides] = values[k]
