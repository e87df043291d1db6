"""Forward and backward passes of the fast network in kernels, and Adam. losses.py says what is differentiated.

The layers between the sparse ends are matrix products of whole minibatches; those are left to torch (mlp_learner.py).
"""

import numpy as np

from agents.policy.mlp import add_rows, dot, list_actions, softmax
from casino_env.engine.jit import fast_kernel, kernel

# What a minibatch adds up, for the log.
STATS = ("rows", "policy_loss", "value_loss", "entropy", "kl", "clipped", "value_error", "target_square", "target_sum")


@kernel
def first_layer(weight, bias, indices, counts, chosen, out):
    """Rectified sums of the rows of features that are on, for the chosen rows of a batch."""
    width = bias.shape[0]
    for n in range(chosen.shape[0]):
        row = chosen[n]
        out[n, :] = bias
        add_rows(weight, width, indices[row], counts[row], out[n])
        for j in range(width):
            out[n, j] = max(out[n, j], np.float32(0.0))


@fast_kernel
def _add(x, row, out):
    for j in range(out.shape[0]):
        out[j] += x * row[j]


@kernel
def first_layer_gradient(indices, counts, chosen, upstream, weight_gradient, bias_gradient):
    """upstream: gradient at the sums. Every feature that is on takes all of it."""
    for n in range(chosen.shape[0]):
        row = chosen[n]
        for k in range(counts[row]):
            _add(np.float32(1.0), upstream[n], weight_gradient[indices[row, k]])
        _add(np.float32(1.0), upstream[n], bias_gradient)


@kernel
def policy_slope(logits, chances, count, chosen, old, advantage, warmth, settings, slopes, stats):
    """The gradient of losses.policy_loss at the logits of one row, into slopes."""
    clip, near = settings[0], settings[1]
    softmax(logits, count, 1.0, chances)
    disorder = 0.0
    for k in range(count):
        if chances[k] > 0.0:
            disorder -= chances[k] * np.log(chances[k])
    log_ratio = np.log(max(chances[chosen], 1e-30)) - old
    ratio = np.exp(log_ratio)
    capped = (advantage > 0.0 and ratio > 1.0 + clip) or (advantage < 0.0 and ratio < 1.0 - clip)
    slope = near * ratio * log_ratio - (0.0 if capped else ratio * advantage)  # at the log chance of the action
    for k in range(count):
        p = chances[k]
        slopes[k] = -slope * p
        if p > 0.0:
            slopes[k] += warmth * p * (np.log(p) + disorder)
    slopes[chosen] += slope
    limit = min(max(ratio, 1.0 - clip), 1.0 + clip)
    stats[1] -= min(ratio * advantage, limit * advantage)
    stats[3] += disorder
    stats[4] += (ratio - 1.0) - log_ratio
    stats[5] += capped


@fast_kernel
def push(slope, output, last, weight, g_weight, g_bias, out):
    """The slope at one output into the gradients of its weights, and on to the activations below."""
    _add(slope, weight[output], out)
    _add(slope, last, g_weight[output])
    g_bias[output] += slope


@fast_kernel
def learn_values(last, targets, side, strength, parts, gradients, out, stats):
    """The gradient of losses.value_loss for one row, strength times. targets by side; the value begins with mine."""
    weight, bias = parts[2], parts[3]
    for k in range(bias.shape[0]):
        target = targets[(side + k) % targets.shape[0]]
        value = dot(weight[k], last) + bias[k]
        push(np.float32(strength * (value - target)), k, last, weight, gradients[2], gradients[3], out)
        stats[2] += 0.5 * (value - target) ** 2
        stats[6] += (value - target) ** 2
        stats[7] += target**2
        stats[8] += target


@fast_kernel
def heads(
    last, words, chosen_rows, picked, old, advantages, warmth, targets, sides, settings, parts, gradients, upstream,
    room, stats,
):  # fmt: skip
    """Loss and gradient of the last layer, legal actions alone.

    last: activations [row, width]. parts, gradients: weights of the policy, its bias, of the value, its bias.
    upstream: gradient at the activations. Everything is divided by the number of rows.
    """
    weight, bias = parts[0], parts[1]
    g_weight, g_bias = gradients[0], gradients[1]
    actions, logits, chances, slopes = room
    share = 1.0 / chosen_rows.shape[0]
    for n in range(chosen_rows.shape[0]):
        row = chosen_rows[n]
        many = list_actions(words[row], actions)
        for k in range(many):
            logits[k] = dot(weight[actions[k]], last[n]) + bias[actions[k]]
        policy_slope(
            logits, chances, many, picked[row], old[row], advantages[row], warmth[row], settings, slopes, stats
        )
        upstream[n, :] = 0.0
        for k in range(many):
            push(np.float32(slopes[k] * share), actions[k], last[n], weight, g_weight, g_bias, upstream[n])
        learn_values(last[n], targets[row], sides[row], settings[2] * share, parts, gradients, upstream[n], stats)
        stats[0] += 1.0


@fast_kernel
def squared_norm(gradient):
    total = 0.0
    for j in range(gradient.shape[0]):
        total += np.float64(gradient[j]) * np.float64(gradient[j])
    return total


@fast_kernel
def adam(theta, gradient, first, second, average, step, rate, scale, keep):
    """One step of Adam (Kingma and Ba 2015) on scale times the gradient; average follows the weights slowly."""
    one, two, tiny = np.float32(0.9), np.float32(0.999), np.float32(1e-5)
    rate = np.float32(rate / (1.0 - 0.9**step))
    lift = np.float32(1.0 / (1.0 - 0.999**step))
    scale, keep = np.float32(scale), np.float32(keep)
    unit = np.float32(1.0)
    for j in range(theta.shape[0]):
        g = gradient[j] * scale
        first[j] = one * first[j] + (unit - one) * g
        second[j] = two * second[j] + (unit - two) * g * g
        theta[j] -= rate * first[j] / (np.sqrt(second[j] * lift) + tiny)
        average[j] = keep * average[j] + (unit - keep) * theta[j]
