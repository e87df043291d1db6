"""How much of the budget of a decision is left: so many simulations, or what fits into the time that is left."""

import numpy as np

from casino_env.compiler.jit import kernel

BUDGET = np.dtype(
    [
        ("sims", np.int64),  # 0: the time counts
        ("done", np.int64),  # of all that counts as simulations
    ]
)


@kernel
def begin_budget(budget, sims):
    budget.sims, budget.done = sims, 0


@kernel
def left_over(budget, used, left, first):
    """How many simulations there is time for, by those done before (none: first). used, left: seconds."""
    if budget.sims:
        return budget.sims - budget.done
    if budget.done == 0:
        return first
    return np.int64(max(0.0, left) * budget.done / max(used, 1e-9))


@kernel
def is_young(budget, used, left, part):
    """Less than this part of it is gone."""
    if budget.sims:
        return budget.done < part * budget.sims
    return used < part * (used + left)
