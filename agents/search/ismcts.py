"""ISMCTS, information-set Monte Carlo tree search: determinizations of what a seat knows, one tree over what everybody
can see of them.

Each simulation draws a determinization, selects its way down the tree among the actions that are legal in it (by UCB
over the times that they were available, with a progressive bias towards what the policy likes), expands one node, has
the rest of the deal played by that policy and backs the result up. A node belongs to the seat that decides there, which
prefers what has been good for its own side.

Simulations come in batches: all walk down, all are played out (the long part, which threads can share), all results
are backed up. Every simulation draws from a stream of its own. So the tree is the same for any number of threads.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.search.horizon import last_turn
from casino_env.agents.search.rollouts import Rollouts, fill_prior, play_out
from casino_env.agents.search.search_settings import BUDGET, begin_budget, left_over
from casino_env.arrays import Array
from casino_env.compiler.jit import kernel
from casino_env.compiler.types import F64, I64, Elements, F64x2, I64x2, Sizes
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.state import OVER, Records, RulesRow
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.determinizations import complete
from casino_env.rng import nth_word, random_below

_DEEPEST = 64  # decisions on the way down
_SCALE = 11.0  # points of a deal: results lie between -1 and 1
_BIAS = 0.5  # weight of what the policy likes
_TO_THE_END = 1 << 20  # decisions: more than any deal has
_BATCH = 8  # simulations at once: what one of them finds helps only the next batch
_BATCHES = 4  # between two looks at the clock
_STREAM = np.uint64(0xD1342543DE82EF95)  # takes the numbers of simulations far apart
_NODES = 1 << 16

TREE = np.dtype(
    [
        ("seed", np.uint64),
        ("explore", np.float64),  # the constant of UCB: weight of what has seldom been tried
        ("cut", np.int64),  # decisions that are played before the policy judges
        ("used", np.int64),  # nodes
        ("dealt", np.int64),  # simulations whose results are to be backed up
    ]
)
NODE = np.dtype(
    [
        ("first", np.int64),  # child
        ("next_sibling", np.int64),
        ("action", np.int64),
        ("visits", np.int64),
        ("availability", np.int64),  # times it could have been chosen
        ("value", np.float64),  # the sum of the results, for the seat that chose it
        ("prior", np.float64),  # how much the policy likes it: 0 to 1
    ]
)


class Simulations(NamedTuple):
    """The batch that is running."""

    rollouts: Rollouts  # games, left where the path ends, and what they come to
    length: Annotated[I64, Sizes("games")]  # of the path
    node: Annotated[I64x2, Sizes("games", _DEEPEST)]  # [simulation, step]: the path
    seat: Annotated[I64x2, Sizes("games", _DEEPEST)]  # that chose it
    # what a node has been credited with until the result is known: its mean so far
    guess: Annotated[F64x2, Sizes("games", _DEEPEST)]


class Tree(NamedTuple):
    """Nodes by number; 0 is the root."""

    state: Annotated[Array, Elements(TREE), Sizes(1)]
    budget: Annotated[Array, Elements(BUDGET), Sizes(1)]
    nodes: Annotated[Array, Elements(NODE), Sizes(_NODES)]
    running: Simulations
    visits: Annotated[F64, Sizes(ACTIONS)]  # what has come of it, by action
    values: Annotated[F64, Sizes(ACTIONS)]  # mean results in points


class TreeRoot(NamedTuple):
    """The decision that is thought about."""

    seen: Records  # a record, as the seat sees it
    rules: RulesRow
    seat: int
    horizon: int = 0  # of simulations (horizon.py)


# --- one simulation --------------------------------------------------------------------------------------------------


@kernel
def _child(nodes, node, action):
    """The child by this action; 0 if there is none yet."""
    child = nodes[node].first
    while child and nodes[child].action != action:
        child = nodes[child].next_sibling
    return child


@kernel
def _add(tree, node, action, prior):
    """A new child; 0 when the tree is full."""
    number = tree.state[0].used
    if number >= tree.nodes.shape[0]:
        return 0
    tree.state[0].used = number + 1
    new = tree.nodes[number]
    new.first, new.next_sibling, new.action = 0, tree.nodes[node].first, action
    new.visits, new.availability, new.value, new.prior = 0, 1, 0.0, prior
    tree.nodes[node].first = number
    return number


@kernel
def _untried(nodes, node, legal, prior, rng):
    """One of the actions that have no child yet, those that the policy likes first."""
    found, seen, best = -1, 0, -1.0
    for n in range(action_set.count(legal)):
        action = action_set.nth(legal, n)
        if _child(nodes, node, action):
            continue
        if prior[action] > best:
            found, seen, best = action, 0, prior[action]
        if prior[action] == best:
            seen += 1
            if random_below(rng, seen) == 0:
                found = action
    return found


@kernel
def _select(nodes, node, legal, explore):
    """The child with the highest bound; all legal ones have had a chance."""
    best, bound = 0, -1e18
    for n in range(action_set.count(legal)):
        child = _child(nodes, node, action_set.nth(legal, n))
        nodes[child].availability += 1
        visits = max(1, nodes[child].visits)
        value = nodes[child].value / visits
        value += explore * np.sqrt(np.log(nodes[child].availability + 1.0) / visits)
        value += _BIAS * nodes[child].prior / visits
        if value > bound:
            best, bound = child, value
    return best


@kernel
def _descend(tree, number, r, policy):
    """Down to a new node; the game is left there. Returns the length of the path."""
    running = tree.running
    g, rng = running.rollouts.games[number], running.rollouts.rngs[number : number + 1]
    node, length, fresh, nodes = 0, 0, False, tree.nodes
    legal, until = play_forced(g, r), running.rollouts.until[number]
    while not fresh and g.mode != OVER and g.turns < until and length < _DEEPEST and action_set.count(legal):
        for n in range(action_set.count(legal)):
            fresh |= _child(nodes, node, action_set.nth(legal, n)) == 0
        if fresh:
            fill_prior(g, r, policy, legal)  # the long part of the way down, so only where it is asked for
            action = _untried(nodes, node, legal, policy.prior, rng)
            node = _add(tree, node, action, policy.prior[action])
            if node == 0:
                break
        else:
            node = _select(nodes, node, legal, tree.state[0].explore)
            action = nodes[node].action
        running.node[number, length], running.seat[number, length] = node, g.actor
        length += 1
        legal = decide(g, r, action)
    return length


# --- a batch of simulations ------------------------------------------------------------------------------------------


@kernel
def _walk_down(tree, root, policy, count):
    """Draw determinizations of a view and walk down in each; false if none agrees with the view."""
    r, running, rollouts = root.rules[0], tree.running, tree.running.rollouts
    for number in range(count):
        g, rng = rollouts.games[number], rollouts.rngs[number : number + 1]
        # each has random numbers of its own
        rng[0] = (tree.state[0].seed + np.uint64(tree.budget[0].done + number)) * _STREAM
        rollouts.games[number] = root.seen[0]
        g.rng = nth_word(rng[0], 1)
        if not complete(root.seen[0], r, root.seat, g):
            return False
        g.match = 0  # the deal at hand is what counts
        rollouts.until[number] = last_turn(g, r, root.horizon)
        running.length[number] = _descend(tree, number, r, policy)
        rollouts.begun[number] = g.turns
        for k in range(running.length[number]):
            # Visits count at once (like a virtual loss): the next simulations of the batch look elsewhere, too.
            node = tree.nodes[running.node[number, k]]
            guess = node.value / max(1, node.visits)
            running.guess[number, k] = guess
            node.visits += 1
            node.value += guess
    tree.state[0].dealt = count
    tree.budget[0].done += count
    return True


@kernel
def play_some(tree, r, policy, first, last):
    """Some of the simulations that have walked down."""
    play_out(tree.running.rollouts, r, policy, policy.mover, tree.state[0].cut, first, last)


@kernel
def _back_up(tree, r):
    """True results take the place of the guesses."""
    running = tree.running
    for number in range(tree.state[0].dealt):
        for k in range(running.length[number]):
            result = running.rollouts.result[number, side_of(r, running.seat[number, k])] / _SCALE
            tree.nodes[running.node[number, k]].value += result - running.guess[number, k]
    tree.state[0].dealt = 0


# --- from the beginning to the answer --------------------------------------------------------------------------------


@kernel
def begin_tree(tree, explore, cut, sims, seed):
    """cut: decisions that are played before the policy judges; -1: to the end. sims: the budget; 0: the time counts."""
    state = tree.state[0]
    begin_budget(tree.budget[0], sims)
    state.seed, state.explore, state.cut, state.used, state.dealt = (
        seed,
        explore,
        cut if cut >= 0 else _TO_THE_END,
        1,
        0,
    )
    tree.nodes[0].first = 0


@kernel
def grow_tree(tree, root, policy, used, left, apart):
    """Some simulations more. used, left: seconds. apart: 1 if they are not played out. Returns 1: it may
    go on; 0: the budget is used up; -1: no game agrees with what the seat knows."""
    r = root.rules[0]
    if tree.state[0].dealt:
        _back_up(tree, r)
    some = min(left_over(tree.budget[0], used, left, _BATCH), _BATCH if apart else _BATCH * _BATCHES)
    if some <= 0:
        return 0
    while some > 0:
        count = min(some, _BATCH)
        if not _walk_down(tree, root, policy, count):
            return -1
        some -= count
        if not apart:
            play_some(tree, r, policy, 0, count)
            _back_up(tree, r)
    return 1


@kernel
def tell_tree(tree, root):
    """What has come of it, in visits and values; the action that was visited most, of equal ones the best."""
    legal, best, child = legal_actions(root.seen[0], root.rules[0]), -1, tree.nodes[0].first
    tree.visits[:], tree.values[:] = 0.0, 0.0
    while child:
        node = tree.nodes[child]
        tree.visits[node.action] = node.visits
        tree.values[node.action] = _SCALE * node.value / max(node.visits, 1)
        child = node.next_sibling
    for n in range(action_set.count(legal)):
        action = action_set.nth(legal, n)
        more = tree.visits[action] - (tree.visits[best] if best >= 0 else 0.0)
        if more > 0.0 or (more == 0.0 and best >= 0 and tree.values[action] > tree.values[best]):
            best = action
    return best
