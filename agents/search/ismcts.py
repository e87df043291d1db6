"""ISMCTS, information-set Monte Carlo tree search: determinizations of what a seat knows, one tree over what everybody
can see of them.

Each simulation draws a determinization, selects its way down the tree among the actions that are legal in it (by UCB
over the times that they were available, with a progressive bias towards what the guide likes), expands one node, has
the rest of the deal played by a rollout policy and backs the result up. A tree of depth one is flat Monte Carlo over
the root actions. A node belongs to whoever decides there, who prefers what has been good for its own side.

Simulations come in batches: all walk down, all are played out (the long part, which threads can share), all results
are backed up. Every simulation draws from a stream of its own. So the tree is the same for any number of threads.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.search.rollouts import Rollouts, fill_prior, new_rollouts
from casino_env.compiler.jit import entry, kernel
from casino_env.engine import action_set
from casino_env.engine.reading import side_of
from casino_env.engine.state import OVER
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.determinizations import complete
from casino_env.rng import nth_word, random_below

Array = np.ndarray[Any, Any]

LONGEST = 256  # decisions on the way down
SCALE = 11.0  # points of a deal: results lie between -1 and 1


class Tree(NamedTuple):
    """Nodes by number; 0 is the root, and a child's sums are those of the seat that chose it."""

    first: Array  # child
    next_sibling: Array
    action: Array
    visits: Array
    availability: Array  # times it could have been chosen
    value: Array  # sum
    prior: Array  # how much the guide likes it: 0 to 1
    used: Array  # how many nodes are


class Simulations(NamedTuple):
    """The batch that is running."""

    rollouts: Rollouts  # games, left where the path ends, and what they come to
    length: Array  # of the path
    node: Array  # [simulation, step]: the path
    seat: Array  # that chose it
    guess: Array  # what a node has been credited with until the result is known: its mean so far


class TreeRoot(NamedTuple):
    """The decision that is thought about."""

    seen: Array  # a record, as the seat sees it
    rules: Array
    seat: int


class Bounds(NamedTuple):
    """How far and where the tree grows."""

    explore: float  # the constant of UCB: weight of what has seldom been tried
    prior: float  # of the progressive bias: weight of what the guide likes
    depth: int


def new_tree(nodes: int) -> Tree:
    first, sibling, action, visits, availability = (np.zeros(nodes, np.int64) for _ in range(5))
    value, prior = np.zeros(nodes), np.zeros(nodes)
    return Tree(first, sibling, action, visits, availability, value, prior, np.zeros(1, np.int64))


def new_simulations(batch: int) -> Simulations:
    node, seat = (np.zeros((batch, LONGEST), np.int64) for _ in range(2))
    return Simulations(new_rollouts(batch), np.zeros(batch, np.int64), node, seat, np.zeros((batch, LONGEST)))


def restart(tree: Tree) -> None:
    """Nothing but a root without children."""
    tree.used[0] = 1
    tree.first[0] = tree.visits[0] = 0


def root_results(tree: Tree) -> tuple[Array, Array]:
    """Visits and mean results in points of the root actions."""
    visits, values = np.zeros(ACTIONS), np.zeros(ACTIONS)
    child = tree.first[0]
    while child:
        visits[tree.action[child]] = tree.visits[child]
        values[tree.action[child]] = tree.value[child]
        child = tree.next_sibling[child]
    return visits, SCALE * values / np.maximum(visits, 1)


# --- one simulation --------------------------------------------------------------------------------------------------


@kernel
def _child(tree, node, action):
    """The child by this action; 0 if there is none yet."""
    child = tree.first[node]
    while child and tree.action[child] != action:
        child = tree.next_sibling[child]
    return child


@kernel
def _add(tree, node, action, prior):
    """A new child; 0 when the tree is full."""
    number = tree.used[0]
    if number >= tree.first.shape[0]:
        return 0
    tree.used[0] = number + 1
    tree.first[number], tree.next_sibling[number] = 0, tree.first[node]
    tree.first[node] = number
    tree.action[number], tree.prior[number] = action, prior
    tree.visits[number], tree.availability[number], tree.value[number] = 0, 0, 0.0
    return number


@kernel
def _has_untried(tree, node, legal):
    """Some of the actions have no child yet."""
    found = False
    for n in range(action_set.count(legal)):
        found |= _child(tree, node, action_set.nth(legal, n)) == 0
    return found


@kernel
def _untried(tree, node, legal, prior, rng):
    """One of the actions that have no child yet, those that the guide likes first."""
    found, seen, best = -1, 0, -1.0
    for n in range(action_set.count(legal)):
        action = action_set.nth(legal, n)
        if _child(tree, node, action):
            continue
        if prior[action] > best:
            found, seen, best = action, 0, prior[action]
        if prior[action] == best:
            seen += 1
            if random_below(rng, seen) == 0:
                found = action
    return found


@kernel
def _select(tree, node, legal, bounds):
    """The child with the highest bound; all legal ones have had a chance."""
    best, bound = 0, -1e18
    for n in range(action_set.count(legal)):
        child = _child(tree, node, action_set.nth(legal, n))
        tree.availability[child] += 1
        visits = max(1, tree.visits[child])
        value = tree.value[child] / visits
        value += bounds.explore * np.sqrt(np.log(tree.availability[child] + 1.0) / visits)
        value += bounds.prior * tree.prior[child] / visits
        if value > bound:
            best, bound = child, value
    return best


@kernel
def _descend(tree, running, number, r, guide, bounds):
    """Down to a new node; the game is left there. Returns the length of the path."""
    g, rng = running.rollouts.games[number], running.rollouts.rngs[number : number + 1]
    node, length = 0, 0
    legal = play_forced(g, r)
    while g.mode != OVER and length < bounds.depth and length < LONGEST and action_set.count(legal):
        fresh = _has_untried(tree, node, legal)
        if fresh:
            fill_prior(g, r, guide, legal)  # the long part of the way down, so only where it is asked for
            action = _untried(tree, node, legal, guide.prior, rng)
            child = _add(tree, node, action, guide.prior[action])
            if child == 0:
                break
            tree.availability[child] += 1
        else:
            child = _select(tree, node, legal, bounds)
            action = tree.action[child]
        running.node[number, length], running.seat[number, length] = child, g.actor
        length += 1
        legal = decide(g, r, action)
        node = child
        if fresh:
            break
    return length


@kernel
def _credit(tree, running, number, length):
    """Count the visits at once (like a virtual loss), so that the next simulations of the batch look elsewhere, too."""
    tree.visits[0] += 1
    running.length[number] = length
    for k in range(length):
        node = running.node[number, k]
        guess = tree.value[node] / max(1, tree.visits[node])
        running.guess[number, k] = guess
        tree.visits[node] += 1
        tree.value[node] += guess


# --- a batch of simulations ------------------------------------------------------------------------------------------


@entry
def walk_down(tree, running, root, guide, bounds, count):
    """Draw determinizations of a view and walk down in each; returns in how many (fewer only if none agrees)."""
    r = root.rules[0]
    for number in range(count):
        g, rng = running.rollouts.games[number], running.rollouts.rngs[number : number + 1]
        running.rollouts.games[number] = root.seen[0]
        g.rng = nth_word(rng[0], 1)
        if not complete(root.seen[0], r, root.seat, g):
            return number
        g.match = 0  # the deal at hand is what counts
        _credit(tree, running, number, _descend(tree, running, number, r, guide, bounds))
        running.rollouts.begun[number] = g.turns
    return count


@entry
def backup(tree, running, rules, count):
    """True results take the place of the guesses."""
    for number in range(count):
        for k in range(running.length[number]):
            result = running.rollouts.result[number, side_of(rules[0], running.seat[number, k])] / SCALE
            tree.value[running.node[number, k]] += result - running.guess[number, k]
