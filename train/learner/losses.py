"""The losses of PPO, as pure functions of torch tensors: what the kernels of fast.py are held against.

Rows of logits have -inf where an action is illegal.
"""

from __future__ import annotations

from torch import Tensor, log_softmax, nn, where, zeros_like


def log_probs(logits: Tensor) -> Tensor:
    return log_softmax(logits, dim=-1)


def entropy(log_prob: Tensor) -> Tensor:
    """Of the legal actions; an illegal one adds nothing (0 log 0 = 0)."""
    legal = log_prob > -float("inf")
    terms = where(legal, log_prob.exp() * log_prob.masked_fill(~legal, 0.0), zeros_like(log_prob))
    return -terms.sum(-1)


def clipped_gain(log_ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """What PPO makes as large as it can: the ratio times the advantage, with nothing to be won beyond the clip."""
    ratio = log_ratio.exp()
    return (ratio * advantage).minimum(ratio.clamp(1 - clip, 1 + clip) * advantage)


def kl_from_old(log_ratio: Tensor) -> Tensor:
    """KL divergence of the new policy from the old one, as sampled from the old one; never negative."""
    ratio = log_ratio.exp()
    return ratio * log_ratio - (ratio - 1)


def policy_loss(
    logits: Tensor, action: Tensor, old: Tensor, advantage: Tensor, entropy_coef: Tensor, clip: float, kl_coef: float
) -> Tensor:
    """For each row. old: the log-probability of the action as it was played."""
    log_prob = log_probs(logits)
    log_ratio = log_prob.gather(-1, action[:, None]).squeeze(-1) - old
    gain = clipped_gain(log_ratio, advantage, clip)
    return -gain + kl_coef * kl_from_old(log_ratio) - entropy_coef * entropy(log_prob)


def value_loss(values: Tensor, targets: Tensor) -> Tensor:
    """For each row, over the outputs of the value head."""
    return 0.5 * nn.functional.mse_loss(values, targets, reduction="none").sum(-1)
