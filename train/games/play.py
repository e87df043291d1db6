"""The kernels that play: games in which a learner decides, and others do on the seats that are not its own.

Every game has a stream of its own for what is drawn in it, so the result depends neither on the order in which games
are played nor on the number of threads.
"""

from typing import Any, NamedTuple

import numpy as np

from agents.policy.mlp import draw, list_actions, softmax, spread_values, think
from agents.scripted.choosing import choices, pick, uniform
from casino_env.engine.jit import kernel
from casino_env.engine.reading import side_of
from casino_env.envs.batch import step_game
from casino_env.knowledge.observation import write
from casino_env.knowledge.view import see

Array = np.ndarray[Any, Any]

LEARNER = 0  # who decides on a seat; 1.. are the bots, after them the frozen networks


class Table(NamedTuple):
    """Games side by side, as vector.Batch has them, and who sits where."""

    games: Array
    rules: Array
    seeds: Array
    episodes: Array
    words: Array
    options: tuple[int, int, int]
    shaping: float
    rewards: Array
    done: Array
    logs: Array
    control: Array  # [game, seat]: LEARNER or the number of an opponent
    random: Array  # [game, 1]: state of the stream of each game
    returns: Array  # [game, side]: rewards of the episode so far


class Manner(NamedTuple):
    """How a network's logits become play."""

    temperature: float  # 1: as likely as they say; 0: the best one
    careless: float  # share of the decisions in which any legal action will do


class Field(NamedTuple):
    """Whom the learner meets."""

    shares: Array  # of the games: [0] the learner against itself, then each opponent; adds up to 1
    bots: Array
    pool: Array  # [network, weights]
    manner: Manner  # of the networks of the pool


class Mind(NamedTuple):
    """How networks see and think."""

    plan: Array  # the layout of the observation
    memory: int
    theta: Array  # the learner's weights
    shape: Array
    manner: Manner  # of the learner


class Desk(NamedTuple):
    """Room to work in, for one thread."""

    boards: Array
    todo: Array
    facts: Array
    scores: Array
    rng: Array
    indices: Array
    actions: Array
    work: Array
    logits: Array
    chances: Array
    values: Array
    results: Array  # [opponent, 3]: games, sum of the learner's returns, games it won


class Rows(NamedTuple):
    """What is written down: a row for each decision of the learner; those of game i are rows i * horizon and on."""

    indices: Array
    counts: Array
    words: Array
    chosen: Array  # which of the legal actions
    log_chance: Array
    values: Array  # [row, side], in units of the reward's scale
    side: Array  # of the seat that decides
    open: Array  # the place of every card is known to it
    rewards: Array  # [row, side], until its next row
    done: Array  # the game ended before its next row
    last: Array  # [game, side]: values of the position after its last row


@kernel
def seat_players(table, field, i):
    """Who plays the next game: the learner alone, or the learner on one side and an opponent on the others."""
    point, opponent = uniform(table.random[i]), 0
    while opponent < field.shares.shape[0] - 1 and point >= field.shares[opponent]:
        point -= field.shares[opponent]
        opponent += 1
    r = table.rules[0]
    side = np.int64(uniform(table.random[i]) * r.sides)
    for seat in range(r.players):
        table.control[i, seat] = LEARNER if side_of(r, seat) == side else opponent


@kernel
def act(table, i, action):
    """An action and its rewards."""
    step_game(
        table.games, i, table.rules, action, table.seeds, table.episodes, table.words, table.options, table.shaping,
        table.rewards, table.done, table.logs, 1,
    )  # fmt: skip
    r = table.rules[0]
    for side in range(r.sides):
        table.returns[i, side] += table.rewards[i, side]


@kernel
def _close(table, field, desk, i):
    """After a game: write down how it ended against an opponent, and seat the players of the next one."""
    r = table.rules[0]
    for seat in range(r.players):
        opponent = table.control[i, seat]
        if opponent != LEARNER:
            mine = _learner_side(table, i, r)
            desk.results[opponent, 0] += 1
            desk.results[opponent, 1] += table.returns[i, mine]
            desk.results[opponent, 2] += 1.0 if table.returns[i, mine] > 0.0 else 0.0
            break
    table.returns[i, :] = 0.0
    seat_players(table, field, i)


@kernel
def _learner_side(table, i, r):
    for seat in range(r.players):
        if table.control[i, seat] == LEARNER:
            return side_of(r, seat)
    return 0


@kernel
def look(table, mind, desk, i, seat):
    """The view of a seat on boards[0], its features in indices; returns their number."""
    desk.boards[0] = table.games[i]
    see(table.games[i], table.rules[0], seat, mind.memory, desk.boards[0])
    return write(desk.boards[0], table.rules[0], mind.plan[0], seat, desk.indices)


@kernel
def weigh(desk, many, manner):
    """From logits to chances."""
    softmax(desk.logits, many, manner.temperature, desk.chances)
    if manner.careless > 0.0:
        for k in range(many):
            desk.chances[k] = (1.0 - manner.careless) * desk.chances[k] + manner.careless / many


@kernel
def _opponent_action(table, field, mind, desk, i, opponent):
    """What a bot or a frozen network plays."""
    g, r = table.games[i], table.rules[0]
    seat = np.int64(g.actor)
    words = table.words[i, 0], table.words[i, 1], table.words[i, 2], table.words[i, 3]
    bot = opponent - 1
    if bot < field.bots.shape[0]:
        w = field.bots[bot]
        desk.boards[0] = g
        if not w.blind:
            see(g, r, seat, mind.memory, desk.boards[0])
        return pick(choices(desk.boards, desk.todo, r, desk.facts[0], w, seat, words, desk.scores), table.random[i])
    theta = field.pool[bot - field.bots.shape[0]]
    count = look(table, mind, desk, i, seat)
    many = list_actions(table.words[i], desk.actions)
    think(theta, mind.shape, desk.indices, count, desk.actions, many, desk.work, desk.logits, desk.values)
    weigh(desk, many, field.manner)
    return desk.actions[draw(desk.chances, many, uniform(table.random[i]))]


@kernel
def settle(table, field, mind, desk, rows, i, row):
    """Others decide until the learner is asked in game i. What it earns meanwhile belongs to its row (-1: nobody's)."""
    while True:
        opponent = table.control[i, table.games[i].actor]
        if opponent == LEARNER or opponent > field.bots.shape[0] + field.pool.shape[0]:
            return  # the learner is asked, or a network that no kernel can run
        act(table, i, _opponent_action(table, field, mind, desk, i, opponent))
        collect(table, field, desk, rows, i, row)


@kernel
def collect(table, field, desk, rows, i, row):
    """Rewards of the last action into a row, unless its game had ended before."""
    if row >= 0 and not rows.done[row]:
        for side in range(table.rules[0].sides):
            rows.rewards[row, side] += table.rewards[i, side]
        rows.done[row] = table.done[i]
    if table.done[i]:
        _close(table, field, desk, i)


@kernel
def is_open(v, r):
    """At most one place holds cards that the seat has not seen: so it knows them all."""
    places = 1 if v.hidden_stock else 0
    for seat in range(r.players):
        places += 1 if v.hidden_hand[seat] else 0
    return places <= 1


@kernel
def write_down(table, mind, desk, rows, i, row, seat, count, many):
    """Draws an action from the logits on the desk and writes the decision down. Returns the action."""
    r = table.rules[0]
    weigh(desk, many, mind.manner)
    chosen = draw(desk.chances, many, uniform(table.random[i]))
    for k in range(count):
        rows.indices[row, k] = desk.indices[k]
    rows.counts[row] = count
    rows.words[row, :] = table.words[i]
    rows.chosen[row] = chosen
    rows.log_chance[row] = np.log(desk.chances[chosen])
    rows.side[row] = side_of(r, seat)
    rows.open[row] = is_open(desk.boards[0], r)
    spread_values(desk.values, mind.shape, r.sides, side_of(r, seat), rows.values[row])
    rows.rewards[row, :] = 0.0
    rows.done[row] = 0
    return desk.actions[chosen]


@kernel
def _decide(table, mind, desk, rows, i, row):
    """The learner looks, thinks and draws an action. Returns the action."""
    seat = np.int64(table.games[i].actor)
    count = look(table, mind, desk, i, seat)
    many = list_actions(table.words[i], desk.actions)
    think(mind.theta, mind.shape, desk.indices, count, desk.actions, many, desk.work, desk.logits, desk.values)
    return write_down(table, mind, desk, rows, i, row, seat, count, many)


@kernel
def end(table, mind, desk, rows, i, seat):
    """The values on the desk are those of the position after the last row of game i."""
    mine = side_of(table.rules[0], seat)
    spread_values(desk.values, mind.shape, table.rules[0].sides, mine, rows.last[i])


@kernel
def play(table, field, mind, desk, rows, horizon, lo, hi):
    """horizon decisions of the learner in each of the games lo to hi."""
    for i in range(lo, hi):
        settle(table, field, mind, desk, rows, i, -1)  # only before the first of all rows is there anything to do
        for row in range(i * horizon, (i + 1) * horizon):
            act(table, i, _decide(table, mind, desk, rows, i, row))
            collect(table, field, desk, rows, i, row)
            settle(table, field, mind, desk, rows, i, row)
        seat = np.int64(table.games[i].actor)
        count = look(table, mind, desk, i, seat)
        think(mind.theta, mind.shape, desk.indices, count, desk.actions, 0, desk.work, desk.logits, desk.values)
        end(table, mind, desk, rows, i, seat)
