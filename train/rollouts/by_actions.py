"""Self-play by actions, in kernels: rows of single decisions, for algorithms that judge actions.

Games never stop: a buffer holds so many decisions of the learner in each, and the next one goes on where it ended.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.mlp import Shape, Thought, new_thought, sample_index, softmax, spread_values, think
from casino_env.agents.scripted.choosing import BotWorkspace, new_bot_workspace
from casino_env.compiler.jit import entry, kernel
from casino_env.engine import entrypoints
from casino_env.engine.action_set import PARTS, from_row, listed, to_row
from casino_env.engine.reading import side_of
from casino_env.engine.state import GAME
from casino_env.envs.batch import step
from casino_env.knowledge.encode import encode
from casino_env.knowledge.view import MEMORIES, make_view
from casino_env.rng import uniform
from casino_env.train.checked import Array, Arrays, check_arrays, check_legal
from casino_env.train.process_group import SINGLE, ProcessGroup
from casino_env.train.rollouts.gae import Trajectories, estimate_advantages
from casino_env.train.rollouts.selfplay import (
    LEARNER,
    OpponentPool,
    Rollouts,
    Sampling,
    bot_action,
    seat_all,
    seat_players,
)
from casino_env.validate_position import validate_record


class RolloutBuffer(NamedTuple):
    """What the learner saw, did and earned, a row for each of its decisions; of game i the rows i * horizon and on."""

    indices: Array  # [row, k]: features that are on
    counts: Array  # how many they are
    legal: Array  # [row, 4]: actions (action_set.py)
    chosen: Array  # which of the legal actions
    log_prob: Array  # of it, as it was played
    values: Array  # [row, side], in units of the network
    seat: Array  # that decides
    side: Array  # its side
    open: Array  # the place of every card is known to it
    rewards: Array  # [row, side], in points, until its next row
    done: Array  # the game ended before its next row
    last_values: Array  # [game, side]: of the position after its last row


def new_buffer(games: int, horizon: int, features: int, sides: int) -> RolloutBuffer:
    """features: the most that are on at once."""
    rows = games * horizon

    def array(*shape: int, kind: Any = np.int64) -> Array:
        return np.zeros(shape, kind)

    return RolloutBuffer(
        indices=array(rows, features, kind=np.int16), counts=array(rows), legal=array(rows, PARTS), chosen=array(rows),
        log_prob=array(rows, kind=np.float32), values=array(rows, sides, kind=np.float32), seat=array(rows),
        side=array(rows), open=array(rows, kind=np.bool_), rewards=array(rows, sides, kind=np.float32),
        done=array(rows, kind=np.bool_), last_values=array(games, sides, kind=np.float32),
    )  # fmt: skip


class NetworkView(NamedTuple):
    """What networks see, and the weights of the learner's."""

    layout: Array  # the layout of the observation
    memory: int  # of face-down piles
    theta: Array
    shape: Array
    sampling: Sampling  # of the learner


class Workspace(NamedTuple):
    """Of one thread."""

    bot: BotWorkspace
    thought: Thought


# --- a decision ------------------------------------------------------------------------------------------------------


@kernel
def encode_seat(games, net, work, i, indices):
    """The view of the seat that decides on boards[0], its features in indices; returns their number."""
    view, seat = work.bot.stack, np.int64(games.actor[i])
    view[0] = games.records[i]
    make_view(games.records[i], games.rules[0], seat, net.memory, view[0])
    return encode(view[0], games.rules[0], net.layout[0], seat, indices)


@kernel
def sample_action(thought, many, sampling, rng):
    """Draws one of the legal actions by its logits; returns which."""
    softmax(thought.logits, many, sampling.temperature, thought.chances)
    if sampling.epsilon > 0.0:
        for k in range(many):
            thought.chances[k] = (1.0 - sampling.epsilon) * thought.chances[k] + sampling.epsilon / many
    return sample_index(thought.chances, many, uniform(rng))


@kernel
def _pool_action(games, seats, mix, net, work, i, number):
    t = work.thought
    count = encode_seat(games, net, work, i, t.indices)
    many = listed(games.legal[i], t.actions)
    think(mix.pool[number], net.shape, t.indices, count, t.actions, many, t)
    return t.actions[sample_action(t, many, mix.sampling, seats.random[i])]


@kernel
def _is_open(v, r):
    """At most one place holds cards that the seat has not seen: so it knows them all."""
    places = 1 if v.hidden_stock else 0
    for seat in range(r.players):
        places += 1 if v.hidden_hand[seat] else 0
    return places <= 1


@kernel
def write_decision(games, seats, net, work, buffer, i, row, many):
    """Draws an action from the logits in the workspace and writes the decision down. Returns the action."""
    r, t = games.rules[0], work.thought
    seat = np.int64(games.actor[i])
    side = side_of(r, seat)
    chosen = sample_action(t, many, net.sampling, seats.random[i])
    to_row(from_row(games.legal[i]), buffer.legal[row])
    buffer.chosen[row] = chosen
    buffer.log_prob[row] = np.log(t.chances[chosen])
    spread_values(t.values, net.shape, r.sides, side, buffer.values[row])
    buffer.seat[row], buffer.side[row] = seat, side
    buffer.open[row] = _is_open(work.bot.stack[0], r)
    buffer.rewards[row, :] = 0.0
    buffer.done[row] = 0
    return t.actions[chosen]


@kernel
def _learner_action(games, seats, net, work, buffer, i, row):
    t, indices = work.thought, buffer.indices[row]
    count = encode_seat(games, net, work, i, indices)
    buffer.counts[row] = count
    many = listed(games.legal[i], t.actions)
    think(net.theta, net.shape, indices, count, t.actions, many, t)
    return write_decision(games, seats, net, work, buffer, i, row, many)


# --- games -----------------------------------------------------------------------------------------------------------


@kernel
def step_game(games, seats, mix, buffer, i, row, action):
    """An action. Its rewards belong to the row (-1: nobody's), unless its game had ended before."""
    step(games, i, action)
    r = games.rules[0]
    if row >= 0 and not buffer.done[row]:
        for side in range(r.sides):
            buffer.rewards[row, side] += games.rewards[i, side]
        buffer.done[row] = games.done[i]
    if games.done[i]:
        seat_players(games, seats, mix, i)


@kernel
def play_opponents(games, seats, mix, net, work, buffer, i, row):
    """Others decide until the learner is asked in game i. What it earns meanwhile belongs to its row (-1: nobody's)."""
    bots = mix.bots.shape[0]
    while True:
        opponent = seats.control[i, games.actor[i]]
        if opponent == LEARNER or opponent > bots + mix.pool.shape[0]:
            return  # the learner is asked, or a network that no kernel runs
        if opponent <= bots:
            legal = from_row(games.legal[i])
            bot = mix.bots[opponent - 1]
            action = bot_action(games.records[i], games.rules[0], bot, net.memory, legal, work.bot, seats.random[i])
        else:
            action = _pool_action(games, seats, mix, net, work, i, opponent - 1 - bots)
        step_game(games, seats, mix, buffer, i, row, action)


@kernel
def write_last_values(games, net, work, buffer, i):
    """The values in the workspace are those of the position after the last row of game i."""
    r = games.rules[0]
    spread_values(work.thought.values, net.shape, r.sides, side_of(r, np.int64(games.actor[i])), buffer.last_values[i])


@entry
def play_decisions(games, seats, mix, net, work, buffer, lo, hi):
    """Fills the buffer's rows of the games lo to hi."""
    horizon = buffer.counts.shape[0] // games.records.shape[0]
    t = work.thought
    for i in range(lo, hi):
        play_opponents(games, seats, mix, net, work, buffer, i, -1)  # before the first of all rows others may decide
        for row in range(i * horizon, (i + 1) * horizon):
            action = _learner_action(games, seats, net, work, buffer, i, row)
            step_game(games, seats, mix, buffer, i, row, action)
            play_opponents(games, seats, mix, net, work, buffer, i, row)
        count = encode_seat(games, net, work, i, t.indices)
        think(net.theta, net.shape, t.indices, count, t.actions, 0, t)
        write_last_values(games, net, work, buffer, i)


# --- rollouts --------------------------------------------------------------------------------------------------------

_OF_GAMES = ("records", "seeds", "episodes", "legal", "actor", "rewards", "done", "logs")  # kept in checkpoints


class ActionRollouts(Rollouts):
    """Games in which the learner decides, the rows that they give, and the advantages in them."""

    def __init__(
        self, batch: Any, shape: Shape, opponents: OpponentPool, *, horizon: int, seed: int, value_scale: float = 1.0,
        threads: int = 1, group: ProcessGroup = SINGLE,
    ) -> None:  # fmt: skip
        """batch: a vector.Batch, undealt; value_scale: points that one unit of the network's value stands for."""
        self.horizon, self.value_scale, self.group = horizon, value_scale, group
        self.layout, self.games, rules, games = batch.layout, batch.games, batch.rules, batch.num_envs
        first, features = group.rank * games, batch.layout.most
        batch.deal(seed + first)
        works = [Workspace(new_bot_workspace(), new_thought(shape, features)) for _ in range(threads)]
        buffers = (new_buffer(games, horizon, features, rules.sides), new_buffer(games, horizon, features, rules.sides))
        self._memory = MEMORIES.index(batch.options.memory)
        self._deviation = np.zeros(1)  # running standard deviation of the advantages
        self.begun = np.zeros(games, np.int64)  # decisions in each game that has not ended
        kept = {name: getattr(self.games, name) for name in _OF_GAMES} | {"records": self.games.records.view(np.uint8)}
        kept |= {"deviation": self._deviation, "begun": self.begun}
        super().__init__(rules, shape, opponents, works, buffers, kept, count=games, seed=seed, first=first)
        seat_all(self.games, self.seats, opponents.mix(rules))

    def view(self, theta: Array, sampling: Sampling) -> NetworkView:
        return NetworkView(self.layout.record, self._memory, theta, self.shape.record, sampling)

    def play(self, theta: Array, sampling: Sampling) -> None:
        """Play on with these weights until the next buffer is full."""
        mix, net = self.opponents.mix(self.rules), self.view(theta, sampling)
        self.in_threads(play_decisions, self.games, self.seats, mix, net)

    def advantages(self, buffer: RolloutBuffer, gae_lambda: float, value_lambda: float) -> tuple[Array, Array]:
        """Advantages in units of their running deviation, targets of the value in units of the network."""
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
        now = self.group.all_reduce_mean(float(np.mean(np.square(advantages)))) ** 0.5
        before = float(self._deviation[0])
        self._deviation[0] = deviation = now if before == 0.0 else 0.99 * before + 0.01 * now
        return advantages.ravel() / np.float32(deviation + 1e-8), targets.reshape(-1, sides)

    def ended(self, buffer: RolloutBuffer) -> dict[str, float]:
        """Games that ended in this buffer, and decisions in one on average; nan if none did. Asked once of each."""
        done = buffer.done.reshape(-1, self.horizon)
        ended = done.any(axis=1)
        begun = np.where(ended, done[:, ::-1].argmax(axis=1), self.begun + self.horizon)
        decisions = (self.begun + self.horizon - begun)[ended].sum()
        self.begun[:] = begun
        games = float(done.sum())
        return {"games": games, "decisions_per_game": float(decisions / games) if games else float("nan")}

    def restore(self, arrays: Arrays, *, ahead: bool) -> None:
        """Each game is a position in which the seat that is said to decide may do what is said."""
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
                raise ValueError(f"game {i}: not what its seat may do")
        super().restore(arrays, ahead=ahead)
