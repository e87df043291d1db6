"""Self-play by actions, in kernels: rows of single decisions, for algorithms that judge actions.

Games never stop: a buffer holds so many decisions of the learner in each game, and the next one goes on from there.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from casino_env.agents.deciding import Player, Workspace, choose, think_as
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.mlp import Shape, set_to, spread_values
from casino_env.agents.scripted.bots import NO_BOT
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import F32, I64, F32x2, F32x3, Flags, Flagsx2, I16x2, I64x2, Sizes
from casino_env.engine import entrypoints
from casino_env.engine.action_set import NOTHING, PARTS, from_row, to_row
from casino_env.engine.afterstates import LIMIT
from casino_env.engine.reading import side_of
from casino_env.engine.state import GAME
from casino_env.envs.batch import Games, step
from casino_env.knowledge.view import MEMORIES
from casino_env.position import validate_record
from casino_env.train.rollouts.selfplay import (
    LEARNER,
    Arrays,
    OpponentMix,
    Opponents,
    Rollouts,
    Sampling,
    Seats,
    check_arrays,
    check_legal,
    player_of,
    seat_all,
    seat_players,
)


class RolloutBuffer(NamedTuple):
    """Observation, action and reward of each decision of the learner; game i has the rows from i * horizon on."""

    indices: Annotated[I16x2, Sizes("rows", "features")]  # features that are on
    counts: Annotated[I64, Sizes("rows")]  # how many are on
    legal: Annotated[I64x2, Sizes("rows", PARTS)]  # the legal actions (action_set.py)
    chosen: Annotated[I64, Sizes("rows")]  # index of the action played among the legal ones
    log_prob: Annotated[F32, Sizes("rows")]  # its log-probability when it was played
    values: Annotated[F32x2, Sizes("rows", "sides")]  # in units of the network
    seat: Annotated[I64, Sizes("rows")]  # the seat that decides
    side: Annotated[I64, Sizes("rows")]  # its side
    open: Annotated[Flags, Sizes("rows")]  # the seat knows where every card is
    rewards: Annotated[F32x2, Sizes("rows", "sides")]  # in points, until the game's next row
    done: Annotated[Flags, Sizes("rows")]  # the game ended before the next row
    last_values: Annotated[F32x2, Sizes("games", "sides")]  # values of the position after its last row


# --- a decision ------------------------------------------------------------------------------------------------------


@kernel
def _is_open(v, r):
    """Return whether the seat knows all cards: at most one place holds cards that it has not seen."""
    places = 1 if v.hidden_stock else 0
    for seat in range(r.players):
        places += 1 if v.hidden_hand[seat] else 0
    return places <= 1


@kernel
def write_decision(games, player, work, buffer, i, row, chosen):
    """Write a row: what the learner saw, and which of the actions listed in the workspace it chose."""
    r, t = games.rules[0], work.thought
    seat = np.int64(games.actor[i])
    side = side_of(r, seat)
    buffer.counts[row] = t.on[0]
    set_to(buffer.indices[row], t.indices[: t.on[0]])
    to_row(from_row(games.legal[i]), buffer.legal[row])
    buffer.chosen[row] = chosen
    buffer.log_prob[row] = np.log(t.chances[chosen])
    spread_values(t.values, player.judge.shape, r.sides, side, buffer.values[row])
    buffer.seat[row], buffer.side[row] = seat, side
    buffer.open[row] = _is_open(t.view[0], r)
    buffer.rewards[row, :] = 0.0
    buffer.done[row] = 0


# --- games -----------------------------------------------------------------------------------------------------------


@kernel
def step_game(games, seats, mix, buffer, i, row, action):
    """Play an action and add its rewards to the row (-1: to none), unless the row's game has ended before."""
    step(games, i, action)
    r = games.rules[0]
    if row >= 0 and not buffer.done[row]:
        for side in range(r.sides):
            buffer.rewards[row, side] += games.rewards[i, side]
        buffer.done[row] = games.done[i]
    if games.done[i]:
        seat_players(games, seats, mix, i)


@kernel
def play_opponents(games, seats, mix, player, work, buffer, i, row):
    """Let others play game i until the learner decides, and add its rewards to the row (-1: to none)."""
    while True:
        who = seats.control[i, games.actor[i]]
        if who == LEARNER:
            return
        opponent, legal = player_of(who, player, mix), from_row(games.legal[i])
        action, _ = choose(games.records[i], games.rules[0], opponent, legal, work, seats.random[i])
        step_game(games, seats, mix, buffer, i, row, action)


@kernel
def write_last_values(games, player, work, buffer, i):
    """Write the values in the workspace as those of the position after the last row of game i."""
    r, shape = games.rules[0], player.judge.shape
    spread_values(work.thought.values, shape, r.sides, side_of(r, np.int64(games.actor[i])), buffer.last_values[i])


@entry
def play_decisions(
    games: Games,
    seats: Seats,
    mix: OpponentMix,
    player: Player,
    work: Workspace,
    buffer: RolloutBuffer,
    lo: int,
    hi: int,
) -> None:
    """Fill the buffer's rows of the games lo to before hi."""
    horizon, r = buffer.counts.shape[0] // games.records.shape[0], games.rules[0]
    for i in range(lo, hi):
        g = games.records[i]
        play_opponents(games, seats, mix, player, work, buffer, i, -1)  # others may decide before the first row
        for row in range(i * horizon, (i + 1) * horizon):
            action, k = choose(g, r, player, from_row(games.legal[i]), work, seats.random[i])
            write_decision(games, player, work, buffer, i, row, k)
            step_game(games, seats, mix, buffer, i, row, action)
            play_opponents(games, seats, mix, player, work, buffer, i, row)
        think_as(g, r, player, NOTHING, work.thought)
        write_last_values(games, player, work, buffer, i)


# --- advantages: generalised advantage estimation where seats take turns (Schulman et al. 2016) ----------------------
#
# Each seat of a game has a trajectory of its own. Every row has a value for each side, whoever decides there, so turns
# of several decisions, answers inside another seat's turn, partners, and three or more sides need no special cases. A
# row bootstraps from the next row of the same seat (why: docs/design.md, "A seat learns from its own later positions").
# A row uses the advantage of the side that decides in it; the value has targets for all sides. There is no discount: a
# deal is short, and only its end counts.


class Trajectories(NamedTuple):
    """Trajectories of a batch of games, a step for each decision."""

    rewards: F32x3  # [game, time, side]
    values: F32x3  # [game, time, side]
    last_values: F32x2  # [game, side]: after the last row
    done: Flagsx2  # [game, time]: the game ended before the next row
    seat: I64x2  # [game, time]: the seat that decides
    side: I64x2  # [game, time]: its side


@entry
def estimate_advantages(
    paths: Trajectories, seats: int, gae_lambda: float, value_lambda: float, advantages: F32x2, targets: F32x3
) -> None:
    """Fill advantages [game, time] with lambda gae_lambda, and value targets [game, time, side] with value_lambda."""
    (games, horizon, sides), zero = paths.rewards.shape, np.float32(0.0)
    for i, seat, s in np.ndindex(games, seats, sides):
        advantage, error, reward, next_value = zero, zero, zero, paths.last_values[i, s]
        for t in range(horizon - 1, -1, -1):
            if paths.done[i, t]:
                advantage, error, reward, next_value = zero, zero, zero, zero
            reward += paths.rewards[i, t, s]
            if paths.seat[i, t] != seat:
                continue
            td_error = reward + next_value - paths.values[i, t, s]
            advantage = np.float32(td_error + gae_lambda * advantage)
            error = np.float32(td_error + value_lambda * error)
            if paths.side[i, t] == s:
                advantages[i, t] = advantage
            targets[i, t, s] = paths.values[i, t, s] + error
            reward, next_value = zero, paths.values[i, t, s]


# --- rollouts --------------------------------------------------------------------------------------------------------

_OF_GAMES = ("records", "seeds", "episodes", "legal", "actor", "rewards", "done", "logs")  # kept in checkpoints


class ActionRollouts(Rollouts):
    """A batch of games that the learner plays, the buffers they fill, and the advantages of their rows."""

    def __init__(
        self, batch: Any, shape: Shape, opponents: Opponents, *, horizon: int, seed: int, value_scale: float = 1.0,
        threads: int = 1,
    ) -> None:  # fmt: skip
        """batch: a vector.Batch, not yet dealt; value_scale: points in a unit of the network's value."""
        self.horizon, self.value_scale = horizon, value_scale
        self.games, rules, count = batch.games, batch.rules, batch.num_envs
        batch.deal(seed)
        self._memory = MEMORIES.index(batch.options.memory)
        self._deviation = np.zeros(1)  # running standard deviation of the advantages
        self.begun = np.zeros(count, np.int64)  # decisions so far in each game
        kept = {name: getattr(self.games, name) for name in _OF_GAMES} | {"records": self.games.records.view(np.uint8)}
        kept |= {"deviation": self._deviation, "begun": self.begun}
        super().__init__(
            RolloutBuffer, rules, batch.layout, shape, opponents, kept, count=count, rows=horizon, seed=seed,
            threads=threads,
        )  # fmt: skip
        seat_all(self.games, self.seats, opponents.mix(rules))

    def player(self, theta: Array, sampling: Sampling) -> Player:
        """Return the learner with these weights."""
        judge = Judge(self.layout.record, theta, self.shape.record, self.value_scale)
        return Player(NO_BOT, judge, self._memory, sampling.temperature, sampling.epsilon, LIMIT)

    def play(self, theta: Array, sampling: Sampling) -> None:
        """Play on with these weights until the next buffer is full."""
        mix, player = self.opponents.mix(self.rules), self.player(theta, sampling)
        self.in_threads(play_decisions, self.games, self.seats, mix, player)

    def advantages(self, buffer: RolloutBuffer, gae_lambda: float, value_lambda: float) -> tuple[Array, Array]:
        """Return advantages in units of their running standard deviation, and value targets in units of the network."""
        shape, sides = (len(self.begun), self.horizon), self.rules.sides
        advantages, targets = np.empty(shape, np.float32), np.empty((*shape, sides), np.float32)
        paths = Trajectories(
            rewards=buffer.rewards.reshape(targets.shape) * np.float32(1.0 / self.value_scale),
            values=buffer.values.reshape(targets.shape),
            last_values=buffer.last_values,
            done=buffer.done.reshape(shape),
            seat=buffer.seat.reshape(shape),
            side=buffer.side.reshape(shape),
        )
        estimate_advantages(paths, self.rules.players, gae_lambda, value_lambda, advantages, targets)
        now = float(np.mean(np.square(advantages))) ** 0.5
        before = float(self._deviation[0])
        self._deviation[0] = deviation = now if before == 0.0 else 0.99 * before + 0.01 * now
        return advantages.ravel() / np.float32(deviation + 1e-8), targets.reshape(-1, sides)

    def ended(self, buffer: RolloutBuffer) -> dict[str, float]:
        """Return how many games ended in this buffer, and their mean decisions (nan: none). Call it once for each."""
        done = buffer.done.reshape(-1, self.horizon)
        ended = done.any(axis=1)
        begun = np.where(ended, done[:, ::-1].argmax(axis=1), self.begun + self.horizon)
        decisions = (self.begun + self.horizon - begun)[ended].sum()
        self.begun[:] = begun
        games = float(done.sum())
        return {"games": games, "decisions_per_game": float(decisions / games) if games else float("nan")}

    def restore(self, arrays: Arrays, *, ahead: bool) -> None:
        """Restore a checkpoint; raise ValueError unless each game is a valid position with its legal actions."""
        check_arrays(self._kept, arrays)
        check_legal(arrays["legal"])
        records = np.ascontiguousarray(arrays["records"]).view(GAME)
        for i in range(len(records)):
            try:
                validate_record(records[i], self.rules)
            except ValueError as error:
                raise ValueError(f"game {i}: {error}") from None
            now = entrypoints.legal(records[i : i + 1], self.games.rules)
            if not any(now) or tuple(arrays["legal"][i]) != now or arrays["actor"][i] != records[i]["actor"]:
                raise ValueError(f"game {i}: its legal actions or actor are wrong")
        super().restore(arrays, ahead=ahead)
