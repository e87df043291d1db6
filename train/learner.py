"""The fast learner: forward and backward passes in kernels with the gradient written out, and Adam.

Its twin torch_twin.py has the losses as formulas and makes the same steps by autograd; tests hold the two equal.
Kernels do the sparse ends (features that are on, legal actions); the layers between are matrix products of whole
minibatches, left to torch. Every algorithm has its own loop over the last layer: the logits of a row's legal actions,
their slopes (the gradient of the loss at the logits), and back through the weights.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape, add_rows, dot, entropy_of, set_to, softmax
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, fast_entry, fast_kernel, kernel
from casino_env.compiler.types import F32, F64, I64, Elements, F32x2, I16x2, I64x2, Sizes, allocate
from casino_env.engine.action_set import PARTS, listed, nth
from casino_env.train.rollouts.by_actions import RolloutBuffer
from casino_env.train.rollouts.selfplay import copy_checked

# Totals over minibatches, for the log.
SUMS = np.dtype(
    [(name, np.float64) for name in ("rows", "policy_loss", "value_loss", "entropy", "kl", "clip_fraction",
                                     "target_square", "target_sum")]
)  # fmt: skip
Sums = Annotated[Array, Elements(SUMS)]  # one record


class Heads(NamedTuple):
    """The last layer: its weights, or their gradient."""

    policy_weight: F32x2  # [action, width]
    policy_bias: F32
    value_weight: F32x2  # [k, width]
    value_bias: F32


class Positions(NamedTuple):
    """A teacher's answers, a row for each position."""

    indices: Annotated[I16x2, Sizes("rows", "features")]  # features that are on
    counts: Annotated[I64, Sizes("rows")]  # how many are on
    legal: Annotated[I64x2, Sizes("rows", PARTS)]
    probs: Annotated[F32x2, Sizes("rows", ACTIONS)]  # the teacher's probability of each action
    targets: Annotated[F32x2, Sizes("rows", "values")]  # result by side, mine first, in units of the network


class LastLayer(NamedTuple):
    """A minibatch at the last layer."""

    inputs: F32x2  # activations [n, width]
    upstream: F32x2  # output: their gradient
    weights: Heads
    gradient: Heads  # output: added to


class Scratch(NamedTuple):
    """The legal actions of one row, with logits, probabilities and slopes."""

    actions: Annotated[I64, Sizes(ACTIONS)]
    logits: Annotated[F32, Sizes(ACTIONS)]
    probs: Annotated[F64, Sizes(ACTIONS)]
    slopes: Annotated[F64, Sizes(ACTIONS)]


class PpoLoss(NamedTuple):
    """Coefficients of PPO's loss."""

    clip: float
    kl_coef: float
    value_coef: float


class Aims(NamedTuple):
    """Advantages, entropy coefficients and value targets of the rows, for PPO."""

    advantages: F32  # [row]
    entropy_coef: F32  # [row]
    targets: F32x2  # [row, side]


def new_sums() -> Array:
    return np.zeros(1, SUMS)


# --- the first layer -------------------------------------------------------------------------------------------------


@entry
def first_layer(weight: F32, bias: F32, indices: I16x2, counts: I64, chosen: I64, out: F32x2) -> None:
    """Compute the first layer of the chosen rows: the rectified sum of bias and the weights of features that are on."""
    width = bias.shape[0]
    for n in range(chosen.shape[0]):
        row = chosen[n]
        set_to(out[n], bias)
        add_rows(weight, width, indices[row], counts[row], np.float32(1.0), out[n])
        for j in range(width):
            out[n, j] = max(out[n, j], np.float32(0.0))


@fast_kernel
def _add(x, row, out):
    for j in range(out.shape[0]):
        out[j] += x * row[j]


@entry
def first_layer_gradient(
    indices: I16x2, counts: I64, chosen: I64, upstream: F32x2, weight_gradient: F32x2, bias_gradient: F32
) -> None:
    """Add the gradient of the first layer: every feature that is on gets all of upstream, the gradient at the sums."""
    for n in range(chosen.shape[0]):
        row = chosen[n]
        for k in range(counts[row]):
            _add(np.float32(1.0), upstream[n], weight_gradient[indices[row, k]])
        _add(np.float32(1.0), upstream[n], bias_gradient)


# --- the last layer --------------------------------------------------------------------------------------------------


@fast_kernel
def legal_logits(layer, n, legal, scratch):
    """List the legal actions of a row and compute their logits; return how many there are."""
    many = listed(legal, scratch.actions)
    for k in range(many):
        action = scratch.actions[k]
        scratch.logits[k] = (
            dot(layer.weights.policy_weight[action], layer.inputs[n]) + layer.weights.policy_bias[action]
        )
    return many


@fast_kernel
def _push(slope, output, inputs, upstream, weight, weight_gradient, bias_gradient):
    """Backpropagate the slope at one output to its weights and to the activations below."""
    _add(slope, weight[output], upstream)
    _add(slope, inputs, weight_gradient[output])
    bias_gradient[output] += slope


@fast_kernel
def push_action(layer, n, action, slope):
    """Backpropagate the slope at the logit of an action."""
    w, g = layer.weights, layer.gradient
    _push(slope, action, layer.inputs[n], layer.upstream[n], w.policy_weight, g.policy_weight, g.policy_bias)


@fast_kernel
def push_value(layer, n, targets, side, share, sums):
    """Backpropagate share times torch_twin.value_loss for one row. targets: by side; value outputs: mine first."""
    w, g = layer.weights, layer.gradient
    for k in range(w.value_bias.shape[0]):
        target = targets[(side + k) % targets.shape[0]]
        error = dot(w.value_weight[k], layer.inputs[n]) + w.value_bias[k] - target
        slope = np.float32(share * error)
        _push(slope, k, layer.inputs[n], layer.upstream[n], w.value_weight, g.value_weight, g.value_bias)
        sums.value_loss += 0.5 * error**2
        sums.target_square += target**2
        sums.target_sum += target


# --- PPO -------------------------------------------------------------------------------------------------------------


@kernel
def ppo_slopes(scratch, many, buffer, aims, row, loss, sums):
    """Write the gradient of torch_twin.policy_loss at the logits of one row to the slopes."""
    probs, chosen, advantage = scratch.probs, buffer.chosen[row], aims.advantages[row]
    softmax(scratch.logits, many, 1.0, probs)
    entropy = entropy_of(probs, many)
    log_ratio = np.log(max(probs[chosen], 1e-30)) - buffer.log_prob[row]
    ratio = np.exp(log_ratio)
    clipped = (advantage > 0.0 and ratio > 1.0 + loss.clip) or (advantage < 0.0 and ratio < 1.0 - loss.clip)
    slope = loss.kl_coef * ratio * log_ratio - (0.0 if clipped else ratio * advantage)  # at the action's log-prob
    for k in range(many):
        scratch.slopes[k] = -slope * probs[k]
        if probs[k] > 0.0:
            scratch.slopes[k] += aims.entropy_coef[row] * probs[k] * (np.log(probs[k]) + entropy)
    scratch.slopes[chosen] += slope
    limit = min(max(ratio, 1.0 - loss.clip), 1.0 + loss.clip)
    sums.policy_loss -= min(ratio * advantage, limit * advantage)
    sums.entropy += entropy
    sums.kl += (ratio - 1.0) - log_ratio
    sums.clip_fraction += clipped


@fast_entry
def ppo_gradient(
    layer: LastLayer, buffer: RolloutBuffer, rows: I64, aims: Aims, loss: PpoLoss, scratch: Scratch, sums: Sums
) -> None:
    """Backpropagate PPO's loss, its mean over the rows, through the last layer; only legal actions count."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        many = legal_logits(layer, n, buffer.legal[row], scratch)
        ppo_slopes(scratch, many, buffer, aims, row, loss, s)
        layer.upstream[n, :] = 0.0
        for k in range(many):
            push_action(layer, n, scratch.actions[k], np.float32(scratch.slopes[k] * share))
        push_value(layer, n, aims.targets[row], buffer.side[row], loss.value_coef * share, s)
        s.rows += 1.0


# --- deep Monte-Carlo ------------------------------------------------------------------------------------------------


@fast_entry
def q_gradient(
    layer: LastLayer, buffer: RolloutBuffer, rows: I64, returns: F32x2, value_coef: float, sums: Sums
) -> None:
    """Do as ppo_gradient for half the squared errors of the value and of Q of the action played."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row, side = rows[n], buffer.side[rows[n]]
        played = nth(buffer.legal[row], buffer.chosen[row])
        q = dot(layer.weights.policy_weight[played], layer.inputs[n]) + layer.weights.policy_bias[played]
        error = q - returns[row, side]
        layer.upstream[n, :] = 0.0
        push_action(layer, n, played, np.float32(error * share))
        push_value(layer, n, returns[row], side, value_coef * share, s)
        s.rows += 1.0
        s.policy_loss += 0.5 * error**2
        s.entropy -= buffer.log_prob[row]  # of the action drawn: its mean is the entropy


# --- afterstates -----------------------------------------------------------------------------------------------------


@fast_entry
def value_gradient(layer: LastLayer, targets: F32x2, side: I64, rows: I64, sums: Sums) -> None:
    """Do as ppo_gradient for half the squared error of the value alone."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        layer.upstream[n, :] = 0.0
        push_value(layer, n, targets[row], side[row], share, s)
        s.rows += 1.0


# --- distillation ----------------------------------------------------------------------------------------------------


@fast_entry
def distillation_gradient(
    layer: LastLayer, data: Positions, rows: I64, value_coef: float, scratch: Scratch, sums: Sums
) -> None:
    """Do as ppo_gradient for the cross-entropy with a teacher's probabilities and the value's loss."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        many = legal_logits(layer, n, data.legal[row], scratch)
        softmax(scratch.logits, many, 1.0, scratch.probs)
        layer.upstream[n, :] = 0.0
        for k in range(many):
            goal = data.probs[row, scratch.actions[k]]
            push_action(layer, n, scratch.actions[k], np.float32((scratch.probs[k] - goal) * share))
            s.policy_loss -= goal * np.log(max(scratch.probs[k], 1e-30))
        push_value(layer, n, data.targets[row], 0, value_coef * share, s)
        s.rows += 1.0


# --- the step --------------------------------------------------------------------------------------------------------


class Adam(NamedTuple):
    """Weights and the state of Adam (Kingma and Ba 2015)."""

    theta: F32
    gradient: F32
    first: F32  # running mean of the gradient
    second: F32  # running mean of its square
    average: F32  # exponential moving average of the weights


@fast_entry
def squared_norm(gradient: F32) -> float:
    total = 0.0
    for j in range(gradient.shape[0]):
        total += np.float64(gradient[j]) * np.float64(gradient[j])
    return total


@fast_entry
def adam_step(state: Adam, number: int, learning_rate: float, scale: float, ema_decay: float) -> None:
    """Take a step of Adam with scale times the gradient. number: of the step, from 1."""
    theta, gradient, first, second, average = state
    one, two, tiny, unit = np.float32(0.9), np.float32(0.999), np.float32(1e-5), np.float32(1.0)
    rate = np.float32(learning_rate / (1.0 - 0.9**number))
    lift = np.float32(1.0 / (1.0 - 0.999**number))
    scale, keep = np.float32(scale), np.float32(ema_decay)
    for j in range(theta.shape[0]):
        g = gradient[j] * scale
        first[j] = one * first[j] + (unit - one) * g
        second[j] = two * second[j] + (unit - two) * g * g
        theta[j] -= rate * first[j] / (np.sqrt(second[j] * lift) + tiny)
        average[j] = keep * average[j] + (unit - keep) * theta[j]


def one_core() -> None:
    """Give torch one thread: its products are small, and would wait for cores that play games."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)


# --- the learner -----------------------------------------------------------------------------------------------------


class FlatWeights:
    """A flat array of weights, with views of its parts in numpy and, for matrix products, in torch."""

    def __init__(self, shape: Shape, flat: Array) -> None:
        self.flat = flat
        self.parts = shape.views(flat)
        self.tensors = {name: torch.from_numpy(part) for name, part in self.parts.items()}
        self.heads = Heads(
            *(self.parts[f"{head}.{part}"] for head in ("policy", "value") for part in ("weight", "bias"))
        )


class FastLearner:
    """Weights, their moving average, the state of Adam, and the layers of a minibatch."""

    def __init__(
        self, shape: Shape, theta: Array, minibatch: int, ema_decay: float, max_grad_norm: float,
        without: Array | None = None,
    ) -> None:  # fmt: skip
        """without: features that the network ignores; their weights are zero."""
        self.shape = shape
        self._without = np.zeros(0, np.int64) if without is None else without
        self.weights = FlatWeights(shape, theta)
        self.gradient = FlatWeights(shape, np.zeros_like(theta))
        self._adam = Adam(theta, self.gradient.flat, np.zeros_like(theta), np.zeros_like(theta), theta.copy())
        self.steps = 0
        self._ema_decay, self._max_grad_norm = ema_decay, max_grad_norm
        self._layers = [torch.zeros(minibatch, width) for width in shape.hidden]
        self._upstream = [torch.zeros(minibatch, width) for width in shape.hidden]
        self.scratch = allocate(Scratch)

    @property
    def average(self) -> Array:
        """The moving average of the weights, for play."""
        return self._adam.average

    def unseen(self) -> Array:
        """Return the features that were never on."""
        return np.flatnonzero(~self.shape.views(self._adam.second)["layer0.weight"].any(axis=1))

    def ppo_step(
        self, buffer: Any, chosen: Array, aims: Aims, loss: PpoLoss, learning_rate: float, sums: Array
    ) -> float:
        """Take a step of PPO on one minibatch of a RolloutBuffer; return the norm of the gradient."""
        return self.descend(
            buffer, chosen, learning_rate,
            lambda last, rows: ppo_gradient(last, buffer, rows, aims, loss, self.scratch, sums),
        )  # fmt: skip

    def descend(
        self, rows: Any, chosen: Array, learning_rate: float, gradient: Callable[[LastLayer, Array], None]
    ) -> float:
        """Take a step down a loss, given by its gradient at the last layer; return the norm of the whole gradient.

        rows: a buffer with indices and counts, the lists of features that are on.
        """
        self.gradient.flat[:] = 0.0
        layers = self.forward(rows, chosen)
        upstream = [part[: len(chosen)] for part in self._upstream]
        last = LastLayer(layers[-1].numpy(), upstream[-1].numpy(), self.weights.heads, self.gradient.heads)
        gradient(last, chosen)
        self.backward(layers, upstream, rows, chosen)
        self.gradient.parts["layer0.weight"][self._without] = 0.0
        norm = float(np.sqrt(squared_norm(self.gradient.flat)))
        if np.isfinite(norm):
            self.steps += 1
            scale = min(1.0, self._max_grad_norm / (norm + 1e-8))
            adam_step(self._adam, self.steps, learning_rate, scale, self._ema_decay)
        return norm

    def forward(self, rows: Any, chosen: Array) -> list[torch.Tensor]:
        parts, tensors = self.weights.parts, self.weights.tensors
        layers = [layer[: len(chosen)] for layer in self._layers]
        first = parts["layer0.weight"].reshape(-1)
        first_layer(first, parts["layer0.bias"], rows.indices, rows.counts, chosen, layers[0].numpy())
        for n in range(1, len(layers)):
            torch.addmm(tensors[f"layer{n}.bias"], layers[n - 1], tensors[f"layer{n}.weight"], out=layers[n])
            layers[n].clamp_(min=0.0)
        return layers

    def backward(self, layers: list[torch.Tensor], upstream: list[torch.Tensor], rows: Any, chosen: Array) -> None:
        gradients = self.gradient.tensors
        for n in range(len(layers) - 1, -1, -1):
            upstream[n].mul_(layers[n] > 0)
            if n == 0:
                break
            torch.mm(layers[n - 1].t(), upstream[n], out=gradients[f"layer{n}.weight"])
            torch.sum(upstream[n], dim=0, out=gradients[f"layer{n}.bias"])
            torch.mm(upstream[n], self.weights.tensors[f"layer{n}.weight"].t(), out=upstream[n - 1])
        weight, bias = (self.gradient.parts[f"layer0.{part}"] for part in ("weight", "bias"))
        first_layer_gradient(rows.indices, rows.counts, chosen, upstream[0].numpy(), weight, bias)

    def state(self) -> dict[str, Array]:
        adam = self._adam
        return {"theta": adam.theta, "average": adam.average, "first": adam.first, "second": adam.second}

    def restore(self, state: dict[str, Array], steps: int) -> None:
        copy_checked(self.state(), state)
        self.steps = steps
