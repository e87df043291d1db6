"""Forward and backward passes of the fast network in kernels, and Adam; losses.py says what is differentiated.

The layers between the sparse ends are matrix products of whole minibatches; those are left to torch (fast.py). Every
algorithm has a loop of its own over the last layer: the logits of the legal actions of a row, their slopes (the
gradient of its loss at the logits), and back through the weights.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import add_rows, dot, entropy_of, set_to, softmax
from casino_env.compiler.jit import entry, fast_entry, fast_kernel, kernel
from casino_env.engine.action_set import listed, nth

Array = np.ndarray[Any, Any]

# What minibatches add up, for the log: one record.
SUMS = np.dtype(
    [(name, np.float64) for name in ("rows", "policy_loss", "value_loss", "entropy", "kl", "clip_fraction",
                                     "target_square", "target_sum")]
)  # fmt: skip


class Heads(NamedTuple):
    """The last layer: weights, or the gradient at them."""

    policy_weight: Array  # [action, width]
    policy_bias: Array
    value_weight: Array  # [k, width]
    value_bias: Array


class LastLayer(NamedTuple):
    """A minibatch at the last layer."""

    inputs: Array  # activations [n, width]
    upstream: Array  # gradient at them, to be filled
    weights: Heads
    gradient: Heads  # to be added to


class Scratch(NamedTuple):
    """Room for the legal actions of one row."""

    actions: Array
    logits: Array
    probs: Array
    slopes: Array


def new_scratch() -> Scratch:
    return Scratch(np.zeros(ACTIONS, np.int64), np.zeros(ACTIONS, np.float32), np.zeros(ACTIONS), np.zeros(ACTIONS))


class PpoLoss(NamedTuple):
    """Weights of the parts of PPO's loss."""

    clip: float
    kl_coef: float
    value_coef: float


class Aims(NamedTuple):
    """What PPO moves each row towards."""

    advantages: Array  # [row]
    entropy_coef: Array  # [row]
    targets: Array  # [row, side]: of the value


def new_sums() -> Array:
    return np.zeros(1, SUMS)


# --- the first layer -------------------------------------------------------------------------------------------------


@entry
def first_layer(weight, bias, indices, counts, chosen, out):
    """Rectified sums of the rows of features that are on, for the chosen rows of a batch."""
    width = bias.shape[0]
    for n in range(chosen.shape[0]):
        row = chosen[n]
        set_to(out[n], bias)
        add_rows(weight, width, indices[row], counts[row], out[n])
        for j in range(width):
            out[n, j] = max(out[n, j], np.float32(0.0))


@fast_kernel
def _add(x, row, out):
    for j in range(out.shape[0]):
        out[j] += x * row[j]


@entry
def first_layer_gradient(indices, counts, chosen, upstream, weight_gradient, bias_gradient):
    """upstream: gradient at the sums. Every feature that is on takes all of it."""
    for n in range(chosen.shape[0]):
        row = chosen[n]
        for k in range(counts[row]):
            _add(np.float32(1.0), upstream[n], weight_gradient[indices[row, k]])
        _add(np.float32(1.0), upstream[n], bias_gradient)


# --- the last layer --------------------------------------------------------------------------------------------------


@fast_kernel
def legal_logits(layer, n, legal, room):
    """Lists the legal actions of a row and works out their logits; returns how many there are."""
    many = listed(legal, room.actions)
    for k in range(many):
        action = room.actions[k]
        room.logits[k] = dot(layer.weights.policy_weight[action], layer.inputs[n]) + layer.weights.policy_bias[action]
    return many


@fast_kernel
def _push(slope, output, inputs, upstream, weight, weight_gradient, bias_gradient):
    """The slope at one output into the gradients of its weights, and on to the activations below."""
    _add(slope, weight[output], upstream)
    _add(slope, inputs, weight_gradient[output])
    bias_gradient[output] += slope


@fast_kernel
def push_action(layer, n, action, slope):
    """The slope at the logit of an action."""
    w, g = layer.weights, layer.gradient
    _push(slope, action, layer.inputs[n], layer.upstream[n], w.policy_weight, g.policy_weight, g.policy_bias)


@fast_kernel
def push_value(layer, n, targets, side, share, sums):
    """The gradient of losses.value_loss for one row, share times. targets by side; the value begins with mine."""
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
def ppo_slopes(room, many, buffer, aims, row, loss, sums):
    """The gradient of losses.policy_loss at the logits of one row, into the slopes."""
    probs, chosen, advantage = room.probs, buffer.chosen[row], aims.advantages[row]
    softmax(room.logits, many, 1.0, probs)
    entropy = entropy_of(probs, many)
    log_ratio = np.log(max(probs[chosen], 1e-30)) - buffer.log_prob[row]
    ratio = np.exp(log_ratio)
    clipped = (advantage > 0.0 and ratio > 1.0 + loss.clip) or (advantage < 0.0 and ratio < 1.0 - loss.clip)
    slope = loss.kl_coef * ratio * log_ratio - (0.0 if clipped else ratio * advantage)  # at the action's log-prob
    for k in range(many):
        room.slopes[k] = -slope * probs[k]
        if probs[k] > 0.0:
            room.slopes[k] += aims.entropy_coef[row] * probs[k] * (np.log(probs[k]) + entropy)
    room.slopes[chosen] += slope
    limit = min(max(ratio, 1.0 - loss.clip), 1.0 + loss.clip)
    sums.policy_loss -= min(ratio * advantage, limit * advantage)
    sums.entropy += entropy
    sums.kl += (ratio - 1.0) - log_ratio
    sums.clip_fraction += clipped


@fast_entry
def ppo_gradient(layer, buffer, rows, aims, loss, room, sums):
    """PPO's loss and its gradient at the last layer, legal actions alone; all divided by the number of rows."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        many = legal_logits(layer, n, buffer.legal[row], room)
        ppo_slopes(room, many, buffer, aims, row, loss, s)
        layer.upstream[n, :] = 0.0
        for k in range(many):
            push_action(layer, n, room.actions[k], np.float32(room.slopes[k] * share))
        push_value(layer, n, aims.targets[row], buffer.side[row], loss.value_coef * share, s)
        s.rows += 1.0


# --- deep Monte-Carlo ------------------------------------------------------------------------------------------------


@fast_entry
def q_gradient(layer, buffer, rows, returns, value_coef, sums):
    """Half the squared error of Q of what was played, and of the value, as ppo_gradient is made."""
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
        s.entropy -= buffer.log_prob[row]  # of what was drawn: on average the entropy of the play


# --- afterstates -----------------------------------------------------------------------------------------------------


@fast_entry
def value_gradient(layer, targets, side, rows, sums):
    """Half the squared error of the value alone, as ppo_gradient is made."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        layer.upstream[n, :] = 0.0
        push_value(layer, n, targets[row], side[row], share, s)
        s.rows += 1.0


# --- imitation -------------------------------------------------------------------------------------------------------


@fast_entry
def imitation_gradient(layer, played, rows, room, sums):
    """Cross-entropy towards what was played, as ppo_gradient is made."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        many = legal_logits(layer, n, played.legal[row], room)
        softmax(room.logits, many, 1.0, room.probs)
        layer.upstream[n, :] = 0.0
        for k in range(many):
            goal = 1.0 if k == played.chosen[row] else 0.0
            push_action(layer, n, room.actions[k], np.float32((room.probs[k] - goal) * share))
        s.policy_loss -= np.log(max(room.probs[played.chosen[row]], 1e-30))
        s.rows += 1.0


@fast_entry
def lesson_gradient(layer, lessons, rows, value_coef, room, sums):
    """Cross-entropy towards a teacher's chances, and the value's loss, as in ppo_gradient; targets begin with mine."""
    share, s = 1.0 / rows.shape[0], sums[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        many = legal_logits(layer, n, lessons.legal[row], room)
        softmax(room.logits, many, 1.0, room.probs)
        layer.upstream[n, :] = 0.0
        for k in range(many):
            goal = lessons.goals[row, room.actions[k]]
            push_action(layer, n, room.actions[k], np.float32((room.probs[k] - goal) * share))
            s.policy_loss -= goal * np.log(max(room.probs[k], 1e-30))
        push_value(layer, n, lessons.targets[row], 0, value_coef * share, s)
        s.rows += 1.0


# --- the step --------------------------------------------------------------------------------------------------------


class Adam(NamedTuple):
    """Weights and the state of Adam (Kingma and Ba 2015)."""

    theta: Array
    gradient: Array
    first: Array  # running mean of the gradient
    second: Array  # and of its square
    average: Array  # follows the weights slowly


@fast_entry
def squared_norm(gradient):
    total = 0.0
    for j in range(gradient.shape[0]):
        total += np.float64(gradient[j]) * np.float64(gradient[j])
    return total


@fast_entry
def adam_step(state, number, learning_rate, scale, ema_decay):
    """The number-th step of Adam, on scale times the gradient."""
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
