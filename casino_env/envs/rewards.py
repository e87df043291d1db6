"""What a deal is worth to each seat, as environments pay it."""

from casino_env.compiler.jit import kernel
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import less_the_others, points_ahead, side_points
from casino_env.engine.state import OVER

DIFF, POINTS, WIN, NOTHING = 0, 1, 2, 3  # the last is no option: it pays nothing
REWARDS = ("diff", "points", "win")


@kernel
def pay_deal(g, r, kind, reward):
    """The points of the deal that has just ended."""
    for seat in range(r.players):
        side = side_of(r, seat)
        reward[seat] += points_ahead(g, r, side) if kind == DIFF else g.deal_points[side]


@kernel
def _score(g, side):
    return g.match_score[side] if g.match else g.deal_points[side]


@kernel
def pay_winner(g, r, reward):
    """One win, shared among those who tie, less the mean of the others."""
    best, tied = -9999, 0
    for side in range(r.sides):
        points = _score(g, side)
        if points > best:
            best, tied = points, 0
        if points == best:
            tied += 1
    for seat in range(r.players):
        reward[seat] += less_the_others(r, 1.0, _share(g, side_of(r, seat), best, tied))


@kernel
def _share(g, side, best, tied):
    """A side's share of the win."""
    if g.winner >= 0:
        return 1.0 if side == g.winner else 0.0
    return 1.0 / tied if _score(g, side) == best else 0.0


@kernel
def add_potential(g, r, factor, reward):
    """Add factor times the points that each seat has secured more than the others; none when the game is over."""
    if g.mode == OVER:
        return
    total = 0.0
    for side in range(r.sides):
        total += side_points(g, r, side, False)
    for seat in range(r.players):
        reward[seat] += factor * less_the_others(r, total, side_points(g, r, side_of(r, seat), False))
