"""ISMCTS, information-set Monte Carlo tree search: many determinizations of a seat's view share one tree of actions.

Each simulation draws a determinization, descends the tree through actions that are legal in it, expands one node, has a
policy play out the rest of the deal, and backs the result up. It selects by UCB, in which a node counts the times that
it was available, with a progressive bias towards the policy's priors. Each seat maximises the result of its own side.

Simulations come in batches: all descend, all are played out (the long part, which threads can share), all results are
backed up. Every simulation has its own random stream, so the tree is the same for any number of threads.
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

_DEEPEST = 64  # most decisions in a descent
_SCALE = 11.0  # points of a deal: results lie between -1 and 1
_BIAS = 0.5  # weight of the prior
_TO_THE_END = 1 << 20  # decisions: more than any deal has
_BATCH = 8  # simulations at once: the results of one help only the next batch
_BATCHES = 4  # between two looks at the clock
_STREAM = np.uint64(0xD1342543DE82EF95)  # spreads the numbers of simulations far apart
_NODES = 1 << 16

TREE = np.dtype(
    [
        ("seed", np.uint64),
        ("explore", np.float64),  # UCB constant: weight of exploration
        ("cut", np.int64),  # decisions of a play-out before the policy judges
        ("used", np.int64),  # nodes
        ("dealt", np.int64),  # simulations whose results are not yet backed up
    ]
)
NODE = np.dtype(
    [
        ("first", np.int64),  # child
        ("next_sibling", np.int64),
        ("action", np.int64),
        ("visits", np.int64),
        ("availability", np.int64),  # times it could have been chosen
        ("value", np.float64),  # sum of the results for the seat that chose it
        ("prior", np.float64),  # by the policy: 0 to 1
    ]
)


class Simulations(NamedTuple):
    """The batch of simulations that is running."""

    rollouts: Rollouts  # games at the end of their paths, and their results
    length: Annotated[I64, Sizes("games")]  # of the path
    node: Annotated[I64x2, Sizes("games", _DEEPEST)]  # [simulation, step]: the path
    seat: Annotated[I64x2, Sizes("games", _DEEPEST)]  # the seat that chose the node
    # provisional result that a node is credited with until the true one is known: its mean so far
    guess: Annotated[F64x2, Sizes("games", _DEEPEST)]


class Tree(NamedTuple):
    """Nodes by number; 0 is the root."""

    state: Annotated[Array, Elements(TREE), Sizes(1)]
    budget: Annotated[Array, Elements(BUDGET), Sizes(1)]
    nodes: Annotated[Array, Elements(NODE), Sizes(_NODES)]
    running: Simulations
    visits: Annotated[F64, Sizes(ACTIONS)]  # the answer, by action of the root
    values: Annotated[F64, Sizes(ACTIONS)]  # mean results in points


class TreeRoot(NamedTuple):
    """The decision to search."""

    seen: Records  # one record: the seat's view
    rules: RulesRow
    seat: int
    horizon: int = 0  # of play-outs (horizon.py)


# --- one simulation --------------------------------------------------------------------------------------------------


@kernel
def _child(nodes, node, action):
    """Return the child by this action; 0 if there is none yet."""
    child = nodes[node].first
    while child and nodes[child].action != action:
        child = nodes[child].next_sibling
    return child


@kernel
def _add(tree, node, action, prior):
    """Add a child and return its number; 0 if the tree is full."""
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
    """Return an action that has no child yet: of the highest prior, ties broken at random."""
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
    """Return the legal child with the highest bound, and count all legal children as available."""
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
    """Descend to a new node and leave the game there; return the length of the path."""
    running = tree.running
    g, rng = running.rollouts.games[number], running.rollouts.rngs[number : number + 1]
    node, length, fresh, nodes = 0, 0, False, tree.nodes
    legal, until = play_forced(g, r), running.rollouts.until[number]
    while not fresh and g.mode != OVER and g.turns < until and length < _DEEPEST and action_set.count(legal):
        for n in range(action_set.count(legal)):
            fresh |= _child(nodes, node, action_set.nth(legal, n)) == 0
        if fresh:
            fill_prior(g, r, policy, legal)  # the slow part of a descent, so only where needed
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
    """Draw determinizations of a view and descend in each; return false if no game agrees with the view."""
    r, running, rollouts = root.rules[0], tree.running, tree.running.rollouts
    for number in range(count):
        g, rng = rollouts.games[number], rollouts.rngs[number : number + 1]
        # each simulation has a random stream of its own
        rng[0] = (tree.state[0].seed + np.uint64(tree.budget[0].done + number)) * _STREAM
        rollouts.games[number] = root.seen[0]
        g.rng = nth_word(rng[0], 1)
        if not complete(root.seen[0], r, root.seat, g):
            return False
        g.match = 0  # only this deal counts
        rollouts.until[number] = last_turn(g, r, root.horizon)
        running.length[number] = _descend(tree, number, r, policy)
        rollouts.begun[number] = g.turns
        for k in range(running.length[number]):
            # Visits count at once, as with a virtual loss, so that the rest of the batch also looks elsewhere.
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
    """Play out the simulations from first to before last, which have descended."""
    play_out(tree.running.rollouts, r, policy, policy.mover, tree.state[0].cut, first, last)


@kernel
def _back_up(tree, r):
    """Replace the provisional results by the true ones."""
    running = tree.running
    for number in range(tree.state[0].dealt):
        for k in range(running.length[number]):
            result = running.rollouts.result[number, side_of(r, running.seat[number, k])] / _SCALE
            tree.nodes[running.node[number, k]].value += result - running.guess[number, k]
    tree.state[0].dealt = 0


# --- begin, grow, answer ---------------------------------------------------------------------------------------------


@kernel
def begin_tree(tree, explore, cut, sims, seed):
    """Begin a search. cut: decisions of a play-out before the policy judges; -1: play to the end. sims: the budget; 0:
    time is the budget."""
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
    """Run some simulations more. used, left: seconds. apart: 1 if the caller plays them out (play_some). Return 1 if
    the search may go on, 0 if the budget is used up, -1 if no game agrees with what the seat knows."""
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
    """Write visits and values of the actions; return the most visited action, of equal ones the one of most value."""
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
