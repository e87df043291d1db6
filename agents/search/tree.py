"""Information-set search: worlds drawn from what a seat knows, one tree over what everybody can see of them.

Each simulation draws a world (beliefs), walks down the tree along actions that are legal in it, adds one node, has
the rest of the deal played by a bot or a network and carries the result back. A tree of depth one is plain sampling of
the root actions. A node belongs to whoever decides there, who prefers what has been good for its own side.

Simulations come in batches: all walk down, all are played out (the long part, which threads can share), all results
are carried back. Every simulation draws from a stream of its own. So the tree is the same for any number of threads.
"""

from typing import NamedTuple

import numpy as np

from agents.scripted.choosing import random_below
from agents.search.player import choose, foresee, prefer
from casino_env.engine.jit import kernel
from casino_env.engine.legal import legal_words, nth_action, word_count
from casino_env.engine.reading import side_of
from casino_env.engine.state import GAME, OVER
from casino_env.engine.turn import play_forced, step
from casino_env.knowledge.beliefs import complete

LONGEST = 256  # decisions on the way down
SIDES = GAME["deal_points"].shape[0]  # at most
SCALE = 11.0  # points of a deal: results lie between -1 and 1
# Settings of a search.
EXPLORE, PRIOR, DEPTH_LIMIT = 0, 1, 2


class Tree(NamedTuple):
    """Nodes by number; 0 is the root, and a child's sums are those of the seat that chose it."""

    first: np.ndarray  # child
    following: np.ndarray  # child of the same parent
    action: np.ndarray
    visits: np.ndarray
    chances: np.ndarray  # times it could have been chosen
    value: np.ndarray
    liked: np.ndarray  # by the guide: 0 to 1
    used: np.ndarray  # how many nodes are
    # of each simulation of the batch that is running
    length: np.ndarray
    node: np.ndarray
    seat: np.ndarray
    guess: np.ndarray  # what a node has been credited with until the result is known: its mean so far
    result: np.ndarray  # by side, in points more than the mean of the others


def new_tree(nodes: int, batch: int) -> Tree:
    def whole(*shape: int) -> np.ndarray:
        return np.zeros(shape or nodes, np.int64)

    paths = whole(batch, LONGEST), whole(batch, LONGEST), np.zeros((batch, LONGEST)), np.zeros((batch, SIDES))
    return Tree(
        whole(), whole(), whole(), whole(), whole(), np.zeros(nodes), np.zeros(nodes), whole(1), whole(batch), *paths
    )


@kernel
def _child(tree, node, action):
    """The child by this action; 0 if there is none yet."""
    child = tree.first[node]
    while child and tree.action[child] != action:
        child = tree.following[child]
    return child


@kernel
def _add(tree, node, action, liked):
    """A new child; 0 when the tree is full."""
    number = tree.used[0]
    if number >= tree.first.shape[0]:
        return 0
    tree.used[0] = number + 1
    tree.first[number], tree.following[number] = 0, tree.first[node]
    tree.first[node] = number
    tree.action[number], tree.liked[number] = action, liked
    tree.visits[number], tree.chances[number], tree.value[number] = 0, 0, 0.0
    return number


@kernel
def _count_untried(tree, node, words):
    """How many of the actions have no child yet."""
    count = 0
    for n in range(word_count(words)):
        count += _child(tree, node, nth_action(words, n)) == 0
    return count


@kernel
def _untried(tree, node, words, likes, rng):
    """One of the actions that have no child yet, those that the guide likes first."""
    found, seen, best = -1, 0, -1.0
    for n in range(word_count(words)):
        action = nth_action(words, n)
        if _child(tree, node, action):
            continue
        liked = likes[action]
        if liked > best:
            found, seen, best = action, 0, liked
        if liked == best:
            seen += 1
            if random_below(rng, seen) == 0:
                found = action
    return found


@kernel
def _select(tree, node, words, settings):
    """The child with the highest bound; all legal ones have had a chance."""
    best, bound = 0, -1e18
    for n in range(word_count(words)):
        child = _child(tree, node, nth_action(words, n))
        tree.chances[child] += 1
        visits = max(1, tree.visits[child])
        value = tree.value[child] / visits
        value += settings[EXPLORE] * np.sqrt(np.log(tree.chances[child] + 1.0) / visits)
        value += settings[PRIOR] * tree.liked[child] / visits
        if value > bound:
            best, bound = child, value
    return best


@kernel
def _descend(tree, number, world, r, guide, rng, settings):
    """Down to a new node; the world is left there. Returns the length of the path."""
    node, length = 0, 0
    words = play_forced(world, r)
    while world.mode != OVER and length < settings[DEPTH_LIMIT] and length < LONGEST:
        fresh = _count_untried(tree, node, words) > 0
        if fresh:
            prefer(world, r, guide, words)  # the long part of the way down, so only where it is asked for
            action = _untried(tree, node, words, guide.liked, rng)
            child = _add(tree, node, action, guide.liked[action])
            if child == 0:
                break
            tree.chances[child] += 1
        else:
            child = _select(tree, node, words, settings)
            action = tree.action[child]
        tree.node[number, length], tree.seat[number, length] = child, world.actor
        length += 1
        words = step(world, r, action)
        node = child
        if fresh:
            break
    return length


@kernel
def _credit(tree, number, length):
    """Count the visits at once, so that the next simulations of the batch look elsewhere, too."""
    tree.visits[0] += 1
    tree.length[number] = length
    for k in range(length):
        node = tree.node[number, k]
        guess = tree.value[node] / max(1, tree.visits[node])
        tree.guess[number, k] = guess
        tree.visits[node] += 1
        tree.value[node] += guess


@kernel
def _score(world, r, result):
    """Points of each side more than the mean of the others, once the deal is over."""
    total = 0.0
    for side in range(r.sides):
        total += world.deal_points[side]
    for side in range(r.sides):
        result[side] = world.deal_points[side] - (total - world.deal_points[side]) / (r.sides - 1)


# --- a batch of simulations ------------------------------------------------------------------------------------------


@kernel
def walk_down(tree, views, rules, seat, guide, worlds, rngs, settings, simulations):
    """Draw worlds that agree with a view and walk down in each; returns in how many (fewer only if none agrees)."""
    r = rules[0]
    for number in range(simulations):
        world, rng = worlds[number], rngs[number : number + 1]
        worlds[number] = views[0]
        random_below(rng, 2)
        world.rng = rng[0]
        if not complete(views[0], r, seat, world):
            return number
        world.match = 0  # the deal at hand is what counts
        length = _descend(tree, number, world, r, guide, rng, settings)
        _credit(tree, number, length)
    return simulations


@kernel
def play_out(tree, worlds, rules, player, cut, rngs, first, last):
    """The worlds from first to before last, to the end of the deal or until the player has decided cut times.

    There its network says how the deal will end.
    """
    r = rules[0]
    for number in range(first, last):
        world, rng = worlds[number], rngs[number : number + 1]
        words, decided = legal_words(world, r), 0
        while world.mode != OVER and decided < cut:
            words = step(world, r, choose(world, r, player, words, rng))
            decided += 1
        if world.mode == OVER:
            _score(world, r, tree.result[number])
        else:
            foresee(world, r, player, tree.result[number])


@kernel
def carry_back(tree, rules, simulations):
    """True results take the place of the guesses."""
    for number in range(simulations):
        for k in range(tree.length[number]):
            result = tree.result[number, side_of(rules[0], tree.seat[number, k])] / SCALE
            tree.value[tree.node[number, k]] += result - tree.guess[number, k]
