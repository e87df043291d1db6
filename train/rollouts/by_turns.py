"""Self-play by turns, in kernels: the learner judges the afterstates of a turn and draws one of them.

A row is an afterstate that the learner chose. Its target is a lambda-return for every side: a mixture of the values of
the same seat's next afterstates and of the result of the deal (docs/design.md says why the same seat's).
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.agents.deciding import Player, Workspace, choose
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.mlp import Shape, entropy_of, spread_values
from casino_env.agents.scripted.bots import NO_BOT
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import F64, I64, U64, F32x2, I16x2, Sizes
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, follow
from casino_env.engine.deal import new_game
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import GAME, OVER, Records, RulesRow, rules_record
from casino_env.engine.turn import apply
from casino_env.knowledge.encode import list_bits
from casino_env.knowledge.layout import Layout
from casino_env.knowledge.view import MEMORIES
from casino_env.rng import episode_seed
from casino_env.rules import Rules
from casino_env.train.rollouts.selfplay import LEARNER, OpponentMix, Opponents, Rollouts, Seats, player_of, seat_players

TURNS = 64  # rows for a deal: more than its turns, each of which plays one of 52 cards


class Deals(NamedTuple):
    """A batch of games, each a stream of deals."""

    records: Records
    rules: RulesRow  # one record
    seeds: U64  # [game]: seed of its stream of deals
    episodes: I64  # [game]: number of its next deal


class TurnBuffer(NamedTuple):
    """Afterstates that the learner chose; deal i has the TURNS rows from i * TURNS on."""

    indices: Annotated[I16x2, Sizes("rows", "features")]  # features that are on
    counts: Annotated[I64, Sizes("rows")]  # how many are on
    values: Annotated[F32x2, Sizes("rows", "sides")]  # as judged when it was chosen
    targets: Annotated[F32x2, Sizes("rows", "sides")]
    seat: Annotated[I64, Sizes("rows")]  # the seat that chose it
    side: Annotated[I64, Sizes("rows")]  # its side
    used: Annotated[I64, Sizes("games")]  # number of its rows in use
    entropy: Annotated[F64, Sizes("games")]  # sum of the entropies of the choices
    results: Annotated[F32x2, Sizes("games", "sides")]  # in units of the network


class Learner(NamedTuple):
    """How the learner plays, and the lambda of its targets."""

    player: Player
    td_lambda: float


# --- a turn ----------------------------------------------------------------------------------------------------------


@kernel
def _write_row(judged, k, shape, r, seat, buffer, row):
    side = side_of(r, seat)
    buffer.seat[row], buffer.side[row] = seat, side
    spread_values(judged.values[k], shape, r.sides, side, buffer.values[row])
    buffer.counts[row] = list_bits(judged.features[k], buffer.indices[row])


@kernel
def play_decision(deals, seats, mix, player, legal, work, buffer, i):
    """Play a decision in deal i: a bot an action, a network a turn. Return whether a row was filled."""
    g, r = deals.records[i], deals.rules[0]
    seat, judged = np.int64(g.actor), work.judged
    who = seats.control[i, seat]
    action, k = choose(g, r, player_of(who, player, mix), legal, work, seats.random[i])
    if k < 0:
        apply(g, r, action)
        return False
    mine = who == LEARNER and seat == g.to_move and judged.afterstates.records[k].mode != OVER
    if mine:
        row = i * TURNS + buffer.used[i]
        _write_row(judged, k, player.judge.shape, r, seat, buffer, row)
        buffer.entropy[i] += entropy_of(judged.chances, judged.afterstates.walk[0].found)
    if follow(g, r, judged.afterstates.walk[0], k) == 0:
        apply(g, r, action_set.nth(legal_actions(g, r), 0))
    return mine


# --- deals -----------------------------------------------------------------------------------------------------------


@kernel
def _lambda_returns(td_lambda, buffer, i, seat, side):
    """Fill the lambda-returns of one seat's rows in a deal, for a side, from the last row back."""
    follows = buffer.results[i, side]
    for row in range(i * TURNS + buffer.used[i] - 1, i * TURNS - 1, -1):
        if buffer.seat[row] == seat:
            buffer.targets[row, side] = follows
            follows = (1.0 - td_lambda) * buffer.values[row, side] + td_lambda * follows


@kernel
def _play_deal(deals, seats, mix, learner, work, buffer, i):
    g, r, player = deals.records[i], deals.rules[0], learner.player
    new_game(g, r, episode_seed(deals.seeds[i], deals.episodes[i]), 0)
    deals.episodes[i] += 1
    seat_players(deals, seats, mix, i)
    buffer.used[i] = 0
    buffer.entropy[i] = 0.0
    written = False
    while g.mode != OVER:
        legal, turn = legal_actions(g, r), g.turns
        if action_set.count(legal) == 1:
            apply(g, r, action_set.nth(legal, 0))
        else:
            written = play_decision(deals, seats, mix, player, legal, work, buffer, i) or written
        if written and (g.turns != turn or g.mode == OVER):  # if a turn was planned again, its last row counts
            buffer.used[i] += 1
            written = False
    for side in range(r.sides):
        buffer.results[i, side] = points_ahead(g, r, side) / player.judge.value_scale
    for seat in range(r.players):
        for side in range(r.sides):
            _lambda_returns(learner.td_lambda, buffer, i, seat, side)


@entry
def play_deals(
    deals: Deals,
    seats: Seats,
    mix: OpponentMix,
    learner: Learner,
    work: Workspace,
    buffer: TurnBuffer,
    lo: int,
    hi: int,
) -> None:
    """Play a deal in each of the games lo to before hi."""
    for i in range(lo, hi):
        _play_deal(deals, seats, mix, learner, work, buffer, i)


# --- rollouts --------------------------------------------------------------------------------------------------------


class TurnRollouts(Rollouts):
    """A batch of games that play a deal at a time, and the afterstates that the learner chose."""

    def __init__(
        self, rules: Rules, layout: Layout, shape: Shape, opponents: Opponents, *, deals: int, td_lambda: float,
        memory: str, seed: int, value_scale: float, threads: int = 1,
    ) -> None:  # fmt: skip
        """memory: how well seats remember face-down piles; value_scale: points in a unit of the network's value."""
        self._td_lambda, self._memory, self._value_scale = td_lambda, MEMORIES.index(memory), value_scale
        record = rules_record(rules)
        seeds = np.arange(deals, dtype=np.uint64) + np.uint64(seed)
        self.deals = Deals(np.zeros(deals, GAME), record, seeds, np.zeros(deals, np.int64))
        # Playing takes two or three times as long as learning: all cores play, and one also learns.
        super().__init__(
            TurnBuffer, rules, layout, shape, opponents, {"episodes": self.deals.episodes}, count=deals, rows=TURNS,
            seed=seed, threads=threads,
        )  # fmt: skip

    def player(self, theta: Array, temperature: float) -> Player:
        """Return the learner with these weights. temperature: of the choice among turns, in points."""
        judge = Judge(self.layout.record, theta, self.shape.record, self._value_scale)
        return Player(NO_BOT, judge, self._memory, temperature, 0.0, LIMIT)

    def play(self, theta: Array, temperature: float) -> None:
        mix, learner = self.opponents.mix(self.rules), Learner(self.player(theta, temperature), self._td_lambda)
        self.in_threads(play_deals, self.deals, self.seats, mix, learner)


def filled(buffer: TurnBuffer) -> Array:
    """Return a mask of the rows in use; the others hold leftovers of earlier deals."""
    return np.arange(len(buffer.counts)) % TURNS < np.repeat(buffer.used, TURNS)
