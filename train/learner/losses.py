"""The losses of PPO as pure functions of torch tensors.

They are what the kernels of gradient.py are tested against, and what networks without kernels are trained with.
Rows of logits have -inf where an action is illegal.
"""

from __future__ import annotations

from torch import Tensor, log_softmax, nn, where, zeros_like


def log_chances(logits: Tensor) -> Tensor:
    return log_softmax(logits, dim=-1)


def entropy(log_chance: Tensor) -> Tensor:
    """Of the legal actions; an illegal one adds nothing (0 log 0 = 0)."""
    legal = log_chance > -float("inf")
    terms = where(legal, log_chance.exp() * log_chance.masked_fill(~legal, 0.0), zeros_like(log_chance))
    return -terms.sum(-1)


def clipped_gain(log_ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """What PPO makes as large as it can: the ratio times the advantage, with nothing to be won beyond the clip."""
    ratio = log_ratio.exp()
    return (ratio * advantage).minimum(ratio.clamp(1 - clip, 1 + clip) * advantage)


def proximal(log_ratio: Tensor) -> Tensor:
    """KL divergence of the new policy from the old one, as sampled from the old one; never negative."""
    ratio = log_ratio.exp()
    return ratio * log_ratio - (ratio - 1)


def policy_loss(
    logits: Tensor, action: Tensor, old: Tensor, advantage: Tensor, warmth: Tensor, clip: float, near: float
) -> Tensor:
    """For each row. warmth: weight of the entropy; near: weight of the divergence from the old policy."""
    log_chance = log_chances(logits)
    log_ratio = log_chance.gather(-1, action[:, None]).squeeze(-1) - old
    return -clipped_gain(log_ratio, advantage, clip) + near * proximal(log_ratio) - warmth * entropy(log_chance)


def value_loss(values: Tensor, targets: Tensor) -> Tensor:
    """For each row, over the outputs of the value head."""
    return 0.5 * nn.functional.mse_loss(values, targets, reduction="none").sum(-1)
