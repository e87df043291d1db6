"""The value of a position: questions to alpha-beta until its bounds meet, and the move that reaches it."""

from casino_env.agents.solver.alpha_beta import put, search_on
from casino_env.agents.solver.stakes import prospects
from casino_env.agents.solver.transpositions import NO_MOVE
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import card_points
from casino_env.engine.state import IDLE


@kernel
def _first_bounds(g, r):
    """(lowest, highest) final difference that can be told without a search."""
    if g.mode == IDLE and not g.acted:
        _, low, high, _ = prospects(g, r)
        return low, high
    most = card_points(r, r.deck) + r.cards_points + r.spades_points + r.five_spades_points
    if r.sweeps:
        most += popcount(r.deck)
    return -most, most


@kernel
def begin(stack, r):
    """Nothing is known yet of the position in games[0], where something is to be decided."""
    control, g = stack.control[0], stack.games[0]
    low, high = _first_bounds(g, r)
    control.nodes, control.asked = 0, 0
    control.sign = 1 - 2 * side_of(r, g.actor)
    control.low, control.high = (low, high) if control.sign > 0 else (-high, -low)
    control.wanted = (control.low + control.high + 1) // 2
    control.best = control.promising = NO_MOVE


@kernel
def seek(stack, known, names, r, budget):
    """Ask at the edge of what is possible until the bounds of the value meet (true) or `budget` more positions have
    been seen. Without room for a deeper level the search is over: control.level is -1."""
    control = stack.control[0]
    last = control.nodes + budget
    while control.low < control.high:
        if not control.asked:
            put(stack, known, names, r, control.wanted if control.sign > 0 else 1 - control.wanted, NO_MOVE)
            control.asked = 1
        if not search_on(stack, known, names, r, last - control.nodes):
            return False
        control.asked = 0
        _hear(control, stack.frames[0].best_move)
    return True


@kernel
def _hear(control, move):
    """What the answer to the last question says of the value."""
    bound = control.sign * control.value
    if move != NO_MOVE:
        control.promising = move
    if bound >= control.wanted:
        control.low, control.best = bound, move
        control.wanted = bound + 1
    else:
        control.high = min(control.high, bound)
        control.wanted = max(control.high, control.low + 1)


@entry
def begin_search(stack, rules):
    """begin, called by Python."""
    begin(stack, rules[0])


@entry
def seek_value(stack, known, names, rules, budget):
    """seek, called by Python."""
    return seek(stack, known, names, rules[0], budget)
