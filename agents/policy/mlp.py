"""The fast network: a multilayer perceptron that reads an observation as the list of its features that are on.

Both ends are sparse: the first layer adds up the rows of features that are on, and the last is computed for legal
actions only. All weights lie in one flat array, so a pool of networks is a two-dimensional array, and a whole game
between networks can be played inside one kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.arrays import Array
from casino_env.compiler.jit import bits_of, entry, fast_kernel, floats, inlined, items_of, kernel, not_zero
from casino_env.compiler.types import F32, F64, I16, I64, Sizes
from casino_env.engine.state import Records
from casino_env.rules import Rules

KINDS = {"actions": ACTIONS, "afterstates": 0}  # what a network judges, and its logits; afterstates have only a value
# Indices of a shape for kernels, an array of int64.
FEATURES, VALUES, LOGITS, LAYERS, WIDTHS = 0, 1, 2, 3, 4
MOST_OUTPUT = 1e12  # of a value or logit; beyond it lie inf and NaN
SOUND, NO_NUMBERS, TOO_LARGE = range(3)  # results of soundness


@dataclass(frozen=True)
class Shape:
    """Sizes of the fast network: the first from the observation, the last from the rules."""

    features: int
    hidden: tuple[int, ...]
    values: int  # 1 (two sides): mine; else one per side, mine first
    logits: int = ACTIONS  # of the policy head; 0: no policy head

    @property
    def judges_actions(self) -> bool:
        """Whether it judges actions by logits; otherwise it judges afterstates by their value."""
        return self.logits > 0

    @property
    def kind(self) -> str:
        return "actions" if self.judges_actions else "afterstates"

    @cached_property
    def record(self) -> Array:
        return np.array([self.features, self.values, self.logits, len(self.hidden), *self.hidden], np.int64)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes for a workspace (compiler/types.py)."""
        first, units = self.hidden[0], sum(self.hidden)
        return {"words": -(-self.features // 64), "first_layer": first, "units": units, "outputs": self.values}

    @cached_property
    def parts(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the parts of the flat array of weights, in order."""
        parts: dict[str, tuple[int, ...]] = {}
        for layer, (before, width) in enumerate(zip((self.features, *self.hidden), self.hidden, strict=False)):
            parts |= {f"layer{layer}.weight": (before, width), f"layer{layer}.bias": (width,)}
        last = self.hidden[-1]
        parts |= {"policy.weight": (self.logits, last), "policy.bias": (self.logits,)}
        return parts | {"value.weight": (self.values, last), "value.bias": (self.values,)}

    @property
    def size(self) -> int:
        return sum(int(np.prod(part)) for part in self.parts.values())

    def views(self, flat: Array) -> dict[str, Array]:
        """Views of the parts of a flat array by name; writing to them changes it."""
        views, at = {}, 0
        for name, part in self.parts.items():
            length = int(np.prod(part))
            views[name] = flat[at : at + length].reshape(part)
            at += length
        return views

    def flat(self, parts: dict[str, Array]) -> Array:
        """Join the parts to one flat array; raise ValueError if they do not have this shape."""
        for name, part in self.parts.items():  # before allocating: a description may ask for any size
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
    """The number of values for these rules: one for two sides, otherwise one per side."""
    return 1 if rules.sides == 2 else rules.sides


def initial(shape: Shape, rng: np.random.Generator) -> Array:
    """Orthogonal initial weights; the first layer is scaled for about 100 features on, the policy is nearly uniform."""
    flat = np.zeros(shape.size, np.float32)
    for name, view in shape.views(flat).items():
        if name.endswith("bias") or not view.size:
            continue
        if name == "layer0.weight":
            view[...] = rng.standard_normal(view.shape) * np.sqrt(2 / 100)
        else:
            gain = {"policy.weight": 0.01, "value.weight": 1.0}.get(name, np.sqrt(2))
            q, r = np.linalg.qr(rng.standard_normal((max(view.shape), min(view.shape))))
            q *= np.sign(np.diag(r))
            view[...] = gain * (q if q.shape == view.shape else q.T)
    return flat


@entry
def soundness(theta: F32, shape: I64) -> int:
    """SOUND, or why weights of this shape cannot be used. TOO_LARGE: an output might exceed MOST_OUTPUT if all features
    were on and nothing cancelled out."""
    for number in theta:
        if not abs(number) < np.inf:
            return NO_NUMBERS
    most, at, before = 1.0, 0, shape[FEATURES]  # bound on the inputs of a layer
    for layer in range(WIDTHS, shape.shape[0]):
        most = _most_output(theta[at:], before, shape[layer], (shape[layer], 1), most)
        at += (before + 1) * shape[layer]
        before = shape[layer]
    logits = _most_output(theta[at:], before, shape[LOGITS], (1, before), most)
    values = _most_output(theta[at + (before + 1) * shape[LOGITS] :], before, shape[VALUES], (1, before), most)
    return SOUND if max(logits, values) <= MOST_OUTPUT else TOO_LARGE


@kernel
def _most_output(theta, inputs, outputs, strides, most):
    """A bound on the outputs of a layer, whose weights and then biases begin theta. strides: distance between inputs,
    between outputs. most: bound on an input."""
    found = 0.0
    for j in range(outputs):
        total = 0.0
        for i in range(inputs):
            total += abs(theta[i * strides[0] + j * strides[1]])
        found = max(found, most * total + abs(theta[inputs * outputs + j]))
    return found


class Thought(NamedTuple):
    """Results and workspace of a forward pass for one observation. think() needs work, logits and values only."""

    view: Annotated[Records, Sizes(1)]  # the view
    indices: Annotated[I16, Sizes("features")]  # features that are on; room for the most
    on: Annotated[I64, Sizes(1)]  # how many features are on
    actions: Annotated[I64, Sizes(ACTIONS)]  # the legal actions
    work: Annotated[F32, Sizes("units")]  # activations
    logits: Annotated[F32, Sizes(ACTIONS)]  # of the legal actions
    chances: Annotated[F64, Sizes(ACTIONS)]  # of the legal actions
    values: Annotated[F32, Sizes("outputs")]


# --- one observation -------------------------------------------------------------------------------------------------


# The innermost loops use items_of, not arrays: numba checks every computed index of an array for being negative, which
# prevents vector instructions, and processes each slice anew.


# They add up _TOGETHER columns at once, in memory that LLVM keeps in registers. It does so if their number is constant,
# so these kernels are inlined.
_TOGETHER = 64


@inlined
def _add_columns(weights, width, rows, count, sign, out, first, many):
    sums = floats()
    for j in range(many):
        sums[j] = out[first + j]
    for k in range(count):
        at = rows[k] * width + first
        for j in range(many):
            sums[j] += sign * weights[at + j]
    for j in range(many):
        out[first + j] = sums[j]


@fast_kernel
def add_rows(matrix, width, rows, count, sign, out):
    """Add rows of a flat matrix to out. sign: 1, or -1 to subtract them."""
    weights, listed, sums, whole = items_of(matrix), items_of(rows), items_of(out), width & -_TOGETHER
    for first in range(0, whole, _TOGETHER):
        _add_columns(weights, width, listed, count, sign, sums, first, _TOGETHER)
    if whole < width:
        _add_columns(weights, width, listed, count, sign, sums, whole, width - whole)


@kernel
def _chosen(x, at, many):
    """Bitmask of the inputs that are not zero, half of a rectified layer; a branch for each would cost more than
    multiplying."""
    if many >= 64:
        return not_zero(x, at)
    bits = 0
    for k in range(many):
        bits |= (x[at + k] != np.float32(0.0)) << k
    return bits


@inlined
def _layer_columns(theta, weights, inputs, width, units, at, first, many):
    sums, bias, out = floats(), weights + inputs * width + first, at + inputs + first
    for j in range(many):
        sums[j] = theta[bias + j]
    for top in range(0, inputs, 64):
        for k in bits_of(_chosen(units, at + top, inputs - top)):
            row, factor = weights + (top + k) * width + first, units[at + top + k]
            for j in range(many):
                sums[j] += factor * theta[row + j]
    for j in range(many):
        units[out + j] = max(sums[j], np.float32(0.0))


@fast_kernel
def _layer(theta, weights, inputs, width, units, at):
    """Compute a layer of `width` units. Its weights, then its biases, begin at `weights` in theta; its inputs begin at
    `at` in units, and the layer follows them."""
    whole = width & -_TOGETHER
    for first in range(0, whole, _TOGETHER):
        _layer_columns(theta, weights, inputs, width, units, at, first, _TOGETHER)
    if whole < width:
        _layer_columns(theta, weights, inputs, width, units, at, whole, width - whole)


@inlined
def set_to(out, numbers):
    """Copy numbers to the start of out. (numba would make a temporary copy, in case they overlap.)"""
    for k in range(numbers.shape[0]):
        out[k] = numbers[k]


@inlined
def begin_sums(theta, shape, out):
    """Begin the sums of the first layer with its biases."""
    at = shape[FEATURES] * shape[WIDTHS]
    set_to(out, theta[at : at + shape[WIDTHS]])


@inlined
def first_sums(theta, shape, indices, count, out):
    """Compute the sums of the first layer, before the ReLU."""
    begin_sums(theta, shape, out)
    add_rows(theta, shape[WIDTHS], indices, count, np.float32(1.0), out)


@inlined
def upper_layers(theta, shape, sums, work):
    """Compute the activations of all layers, one after the other in work, from the sums of the first (which may lie
    there). Return the offset of the last layer in work, and that of the weights after it in theta."""
    width, numbers, first, units = shape[WIDTHS], items_of(theta), items_of(sums), items_of(work)
    at, weights = 0, (shape[FEATURES] + 1) * width
    for j in range(width):
        units[j] = max(first[j], np.float32(0.0))
    for layer in range(1, shape[LAYERS]):
        inputs, width = width, shape[WIDTHS + layer]
        _layer(numbers, weights, inputs, width, units, at)
        at, weights = at + inputs, weights + (inputs + 1) * width
    return at, weights


@inlined
def _product(one, at, two, start, many):
    """The product of two rows of numbers, which begin at these places."""
    total = np.float32(0.0)
    for j in range(many):
        total += one[at + j] * two[start + j]
    return total


@fast_kernel
def dot(one, two):
    return _product(items_of(one), 0, items_of(two), 0, one.shape[0])


@kernel
def think(theta, shape, indices, count, actions, many, thought):
    """Run the forward pass for one observation into `thought`: logits of the `many` listed actions, and values."""
    sums = thought.work[: shape[WIDTHS]]
    first_sums(theta, shape, indices, count, sums)
    think_on(theta, shape, sums, actions, many, thought)


@inlined
def think_on(theta, shape, sums, actions, many, thought):
    """Run the rest of the forward pass, from the sums of the first layer."""
    at, weights = upper_layers(theta, shape, sums, thought.work)
    width, numbers, units = shape[WIDTHS + shape[LAYERS] - 1], items_of(theta), items_of(thought.work)
    bias = weights + shape[LOGITS] * width
    for k in range(many):
        row = weights + actions[k] * width
        thought.logits[k] = _product(numbers, row, units, at, width) + theta[bias + actions[k]]
    heads = bias + shape[LOGITS]
    for k in range(shape[VALUES]):
        row = heads + k * width
        thought.values[k] = _product(numbers, row, units, at, width) + theta[heads + shape[VALUES] * width + k]


@kernel
def spread_values(values, shape, sides, mine, out):
    """Spread the network's values, which begin with the observer's side, by absolute side."""
    if shape[VALUES] == 1:
        for side in range(sides):
            out[side] = values[0] if side == mine else -values[0]
        return
    for k in range(sides):
        out[(mine + k) % sides] = values[k]


# --- from logits to an action --------------------------------------------------------------------------------------


@kernel
def softmax(logits, count, temperature, chances):
    """Chances of the logits (or values) at a temperature; 0: all for the best one, the first of equals."""
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
    """The index whose share of the interval from 0 to 1 contains the point."""
    for k in range(count - 1):
        point -= chances[k]
        if point < 0.0:
            return k
    return count - 1
