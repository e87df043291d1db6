"""ISMCTS, information-set Monte Carlo tree search: determinizations of what a seat knows, one tree over what everybody
can see of them.

Each simulation draws a determinization, selects its way down the tree among the actions that are legal in it (by UCB
over the times that they were available, with a progressive bias towards what the rollout policy likes), expands one
node, has the rest of the deal played by the rollout policy and backs the result up. A node belongs to whoever decides
there, who prefers what has been good for its own side.

Simulations come in batches: all walk down, all are played out (the long part, which threads can share), all results
are backed up. Every simulation draws from a stream of its own. So the tree is the same for any number of threads.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.search.horizon import last_turn
from casino_env.agents.search.rollouts import RolloutPolicy, Rollouts, fill_prior, roll_out_all
from casino_env.agents.search.search_settings import Budget, SearchSettings
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import I64, Elements, F64x2, I64x2, Sizes, allocate
from casino_env.engine import action_set
from casino_env.engine.reading import side_of
from casino_env.engine.state import OVER, Records, RulesRow
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.determinizations import complete
from casino_env.rng import nth_word, random_below

_DEEPEST = 64  # decisions on the way down
_BIAS = 0.5  # of the progressive bias: weight of what the rollout policy likes
_SCALE = 11.0  # points of a deal: results lie between -1 and 1
_TO_THE_END = 1 << 20  # decisions: more than any deal has
_BATCH = 8  # simulations at once: what one of them finds helps only the next batch
_STREAM = np.uint64(0xD1342543DE82EF95)  # takes the numbers of simulations far apart
_NODES = 1 << 16

NODE = np.dtype(
    [
        ("first", np.int64),  # child
        ("next_sibling", np.int64),
        ("action", np.int64),
        ("visits", np.int64),
        ("availability", np.int64),  # times it could have been chosen
        ("value", np.float64),  # the sum of the results, for the seat that chose it
        ("prior", np.float64),  # how much the rollout policy likes it: 0 to 1
    ]
)


class Tree(NamedTuple):
    """Nodes by number; 0 is the root."""

    nodes: Annotated[Array, Elements(NODE), Sizes(_NODES)]
    used: Annotated[I64, Sizes(1)]  # how many of them are


class Simulations(NamedTuple):
    """The batch that is running."""

    rollouts: Rollouts  # games, left where the path ends, and what they come to
    length: Annotated[I64, Sizes("games")]  # of the path
    node: Annotated[I64x2, Sizes("games", _DEEPEST)]  # [simulation, step]: the path
    seat: Annotated[I64x2, Sizes("games", _DEEPEST)]  # that chose it
    # what a node has been credited with until the result is known: its mean so far
    guess: Annotated[F64x2, Sizes("games", _DEEPEST)]


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
    number = tree.used[0]
    if number >= tree.nodes.shape[0]:
        return 0
    tree.used[0] = number + 1
    new = tree.nodes[number]
    new.first, new.next_sibling, new.action = 0, tree.nodes[node].first, action
    new.visits, new.availability, new.value, new.prior = 0, 1, 0.0, prior
    tree.nodes[node].first = number
    return number


@kernel
def _untried(nodes, node, legal, prior, rng):
    """One of the actions that have no child yet, those that are liked first."""
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
    """The child with the highest bound; all legal ones have had a chance. explore: the constant of UCB."""
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
def _descend(tree, running, number, r, policy, explore):
    """Down to a new node; the game is left there. Returns the length of the path."""
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
            node = _select(nodes, node, legal, explore)
            action = nodes[node].action
        running.node[number, length], running.seat[number, length] = node, g.actor
        length += 1
        legal = decide(g, r, action)
    return length


# --- a batch of simulations ------------------------------------------------------------------------------------------


@entry
def walk_down(
    tree: Tree, running: Simulations, root: TreeRoot, policy: RolloutPolicy, explore: float, count: int
) -> int:
    """Draw determinizations of a view and walk down in each; returns in how many (fewer only if none agrees)."""
    r = root.rules[0]
    for number in range(count):
        g, rng = running.rollouts.games[number], running.rollouts.rngs[number : number + 1]
        running.rollouts.games[number] = root.seen[0]
        g.rng = nth_word(rng[0], 1)
        if not complete(root.seen[0], r, root.seat, g):
            return number
        g.match = 0  # the deal at hand is what counts
        running.rollouts.until[number] = last_turn(g, r, root.horizon)
        running.length[number] = _descend(tree, running, number, r, policy, explore)
        running.rollouts.begun[number] = g.turns
        for k in range(running.length[number]):
            # Visits count at once (like a virtual loss): the next simulations of the batch look elsewhere, too.
            node = tree.nodes[running.node[number, k]]
            guess = node.value / max(1, node.visits)
            running.guess[number, k] = guess
            node.visits += 1
            node.value += guess
    return count


@entry
def backup(tree: Tree, running: Simulations, rules: RulesRow, count: int) -> None:
    """True results take the place of the guesses."""
    for number in range(count):
        for k in range(running.length[number]):
            result = running.rollouts.result[number, side_of(rules[0], running.seat[number, k])] / _SCALE
            tree.nodes[running.node[number, k]].value += result - running.guess[number, k]


class TreeSearch:
    """Searches over the actions of a decision."""

    def __init__(self, settings: SearchSettings) -> None:
        self._cut = _TO_THE_END if settings.cut is None else settings.cut
        self._explore = float(settings.explore or 0)
        self._tree, self._simulations = allocate(Tree), allocate(Simulations, games=_BATCH)

    def search(
        self, root: TreeRoot, policies: list[RolloutPolicy], budget: Budget, seed: np.uint64
    ) -> tuple[Array, Array] | None:
        """Visits and mean results in points by action; None if no game agrees with what the seat knows. policies:
        one for each thread."""
        tree, running, nodes = self._tree, self._simulations, self._tree.nodes
        tree.used[0], nodes[0]["first"] = 1, 0
        with ThreadPoolExecutor(len(policies)) as pool:
            while count := budget.share(_BATCH):
                numbers = np.arange(budget.done - count, budget.done, dtype=np.uint64)
                running.rollouts.rngs[:count] = (seed + numbers) * _STREAM  # each has random numbers of its own
                if walk_down(tree, running, root, policies[0], self._explore, count) < count:
                    return None
                roll_out_all(running.rollouts, root.rules, policies, self._cut, count, pool)
                backup(tree, running, root.rules, count)
        visits, values, child = np.zeros(ACTIONS), np.zeros(ACTIONS), nodes[0]["first"]
        while child:
            node = nodes[child]
            visits[node["action"]], values[node["action"]] = node["visits"], node["value"]
            child = node["next_sibling"]
        return visits, _SCALE * values / np.maximum(visits, 1)
