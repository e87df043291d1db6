"""Batches of games: kernels under all environments (vector, PettingZoo, Gymnasium). One game is a batch of one."""

from typing import NamedTuple

from casino_env.actions import ACTIONS, NO
from casino_env.compiler.jit import entry, kernel, take
from casino_env.compiler.types import I8, I64, U64, F32x2, Flags, I8x2, I16x2, I64x2
from casino_env.engine import action_set
from casino_env.engine.action_set import as_mask
from casino_env.engine.deal import new_game
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import less_the_others, points_ahead, side_points
from casino_env.engine.state import OVER, REQUEST, SORTING, Records, RulesRow
from casino_env.engine.turn import apply
from casino_env.knowledge.encode import ObserverBuffers, encode_game, write_view
from casino_env.rng import episode_seed, random_below

# === Rewards of each seat =============================================================================================

DIFF, POINTS, WIN, NOTHING = 0, 1, 2, 3  # NOTHING pays no reward and is not an option for users
REWARDS = ("diff", "points", "win")


@kernel
def pay_deal(g, r, kind, reward):
    """Add the points of the deal that has just ended."""
    for seat in range(r.players):
        side = side_of(r, seat)
        reward[seat] += points_ahead(g, r, side) if kind == DIFF else g.deal_points[side]


@kernel
def _score(g, side):
    return g.match_score[side] if g.match else g.deal_points[side]


@kernel
def pay_winner(g, r, reward):
    """Add one win, shared among sides that tie, less the mean of the others."""
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
    """Add factor times the points that each seat has secured ahead of the others; nothing when the game is over."""
    if g.mode == OVER:
        return
    total = 0.0
    for side in range(r.sides):
        total += side_points(g, r, side, False)
    for seat in range(r.players):
        reward[seat] += factor * less_the_others(r, total, side_points(g, r, side_of(r, seat), False))


# === Batches of games =================================================================================================


WAIT = -1  # an action that is a no-op
MOST_DEALS = 1000  # deals in a row without a decision after which the rules count as having none


class Games(NamedTuple):
    """A batch: game i in row i of each array, and the settings that all games share."""

    records: Records
    rules: RulesRow
    seeds: U64  # [game]: seed of the stream of episodes
    episodes: I64  # [game]: index of the current episode in its stream
    legal: I64x2  # [game, 4]: legal actions (engine/action_set.py)
    actor: I64  # [game]: the seat that decides
    rewards: F32x2  # [game, seat]: of the last decision
    done: Flags  # [game]: whether the last decision ended the episode
    logs: I16x2  # [game, k]: the last public events
    match: int  # 1: an episode is a match
    forced: int  # 1: forced actions are played automatically
    kind: int  # index into REWARDS
    shaping: float  # reward per point secured ahead of the others, taken back at the end
    redeal: int  # 1: auto-reset, a finished game is followed by a fresh one


# --- one game ------------------------------------------------------------------------------------------------------


@kernel
def _note(g, action, log):
    """Append a public event to the log. Nobody sees a request declined or a pile sorted, so these are left out."""
    size = log.shape[0]
    if size == 0 or g.mode == SORTING or (g.mode == REQUEST and action == NO):
        return
    for i in range(size - 1):
        log[i] = log[i + 1]
    log[size - 1] = g.actor * ACTIONS + action + 1


@kernel
def _do(g, r, kind, reward, log, action):
    """Apply an action, add its reward and log it; return the legal actions."""
    deals = g.deals
    _note(g, action, log)
    apply(g, r, action)
    if g.deals != deals and kind < WIN:
        pay_deal(g, r, kind, reward)
    if g.mode == OVER and kind == WIN:
        pay_winner(g, r, reward)
    return legal_actions(g, r)


@kernel
def _play(g, r, forced, kind, reward, log, action):
    """Apply an action and, if `forced` is set, all forced actions after it; return the legal actions."""
    while True:  # a single call of _do, so that LLVM inlines it
        legal = _do(g, r, kind, reward, log, action)
        if not forced or action_set.count(legal) != 1:
            return legal
        action = action_set.nth(legal, 0)


# The kernels above have several callers, so they take only the fields they need: passing Games would copy all of it at
# each call.


@kernel
def _deal(games, i):
    """Deal a fresh game and play to its first choice. With redeal, skip games without any choice."""
    _deal_one(games, i)
    if games.redeal:
        for _ in range(MOST_DEALS - 1):
            if games.records[i].mode != OVER:
                return
            games.episodes[i] += 1
            _deal_one(games, i)


@kernel
def _deal_one(games, i):
    g, r = games.records[i], games.rules[0]
    # With auto-reset the rewards belong to the game before this one.
    kind = NOTHING if games.redeal else games.kind
    new_game(g, r, episode_seed(games.seeds[i], games.episodes[i]), games.match)
    games.logs[i, :] = 0
    legal = legal_actions(g, r)
    if games.forced and action_set.count(legal) == 1:
        legal = _play(g, r, 1, kind, games.rewards[i], games.logs[i], action_set.nth(legal, 0))
    if games.shaping != 0.0 and not games.redeal:
        add_potential(g, r, games.shaping, games.rewards[i])  # for points secured before the first choice
    _wait_for(games, i, legal)


@kernel
def _wait_for(games, i, legal):
    """Let game i wait for a decision among these actions."""
    action_set.to_row(legal, games.legal[i])
    games.actor[i] = games.records[i].actor


@kernel
def step(games, i, action):
    """Apply one decision in game i."""
    games.rewards[i, :] = 0
    games.done[i] = 0
    if action == WAIT:
        return
    g, r, reward = games.records[i], games.rules[0], games.rewards[i]
    if games.shaping != 0.0:
        add_potential(g, r, -games.shaping, reward)
    legal = _play(g, r, games.forced, games.kind, reward, games.logs[i], action)
    if games.shaping != 0.0:
        add_potential(g, r, games.shaping, reward)
    _wait_for(games, i, legal)
    if g.mode == OVER:
        games.done[i] = 1
        if games.redeal:
            games.episodes[i] += 1
            _deal(games, i)


@kernel
def _start(games, i):
    """Start the episode that games.episodes names."""
    games.rewards[i, :] = 0
    games.done[i] = 0
    _deal(games, i)


# --- whole batches -------------------------------------------------------------------------------------------------


@entry
def start_all(games: Games, which: Flags) -> int:
    """Start the marked games, at the episodes in games.episodes; return one without anything to decide, or -1."""
    for i in range(which.shape[0]):
        if which[i]:
            _start(games, i)
            if games.redeal and games.records[i].mode == OVER:
                return i
    return -1


@entry
def step_all(games: Games, actions: I64, lo: int, hi: int) -> None:
    for i in range(lo, hi):
        step(games, i, actions[i])


@entry
def step_if_legal(games: Games, action: int) -> int:
    """Apply one decision in a batch of one game; return 0, as a no-op, if the action is illegal."""
    if not action_set.has(games.legal[0], action):
        return 0
    step(games, 0, action)
    return 1


@entry
def look(games: Games, buffers: ObserverBuffers, seat: int, dense: I8x2, mask: I8) -> None:
    """Write a seat's observation and mask in a batch of one game. The mask is empty unless the seat decides."""
    encode_game(buffers, 0, games.records, 0, seat, dense)
    _mask_if(seat == games.actor[0], games.legal[0], mask)


@entry
def look_on(games: Games, memory: int, i: int, seat: int, views: Records, mask: I8) -> None:
    """Write a seat's view (view.py) and mask of game i."""
    write_view(games.records, i, games.rules, seat, memory, views, 0)
    _mask_if(seat == games.actor[i], games.legal[i], mask)


@entry
def masks_by_seat(games: Games, masks: I8x2) -> None:
    """Write the mask of each seat in a batch of one game."""
    for seat in range(masks.shape[0]):
        _mask_if(seat == games.actor[0], games.legal[0], masks[seat])


@kernel
def _mask_if(decides, legal, mask):
    if decides:
        as_mask(legal, mask)
    else:
        mask[:] = 0


@entry
def first_beyond(seats: I64, players: int) -> int:
    """The first game whose seat is not from 0 to players - 1; -1 if there is none."""
    for i in range(seats.shape[0]):
        if not 0 <= seats[i] < players:
            return i
    return -1


@entry
def first_illegal(legal: I64x2, actions: I64) -> int:
    """The first game whose action is illegal; -1 if there is none. WAIT counts as legal."""
    for i in range(actions.shape[0]):
        if actions[i] != WAIT and not action_set.has(legal[i], actions[i]):
            return i
    return -1


@entry
def random_actions(legal: I64x2, rng: U64, actions: I64) -> None:
    """Draw a random legal action in each game; WAIT if there is none."""
    for i in range(actions.shape[0]):
        many = action_set.count(legal[i])
        actions[i] = action_set.nth(legal[i], random_below(rng, many)) if many else WAIT


@entry
def seed_draws(seeds: U64, episodes: I64, which: Flags, draws: U64) -> None:
    """Seed a random stream for each marked game, from its seed and episode number alone."""
    for i in range(which.shape[0]):
        if which[i]:
            draws[i] = episode_seed(~seeds[i], episodes[i])


@entry
def draw_actions(legal: I64x2, which: Flags, draws: U64, actions: I64) -> None:
    """Draw a random legal action in each marked game from its own stream; WAIT in the others."""
    for i in range(actions.shape[0]):
        many = action_set.count(legal[i]) if which[i] else 0
        actions[i] = action_set.nth(legal[i], random_below(draws[i : i + 1], many)) if many else WAIT


@entry
def relative_history(logs: I16x2, seats: I64, players: int, out: I16x2) -> None:
    """Write the logs with seats counted from the observer."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            event = logs[i, k]
            if event > 0:
                seat = ((event - 1) // ACTIONS - seats[i] + players) % players
                event = seat * ACTIONS + (event - 1) % ACTIONS + 1
            out[i, k] = event


# === The step of a vector in one kernel ===============================================================================
#
# Step, encode and write masks for a few games at a time, whose records then stay in the cache. A thread that is done
# takes the next few, so none waits for another.

_FEW = 64


@entry
def step_and_encode(
    games: Games, buffers: ObserverBuffers, actions: I64, dense: I8x2, masks: I8x2, taken: I64, slot: int
) -> None:
    """Step all games, encode them and write their masks. taken: games claimed so far by all threads."""
    many = actions.shape[0]
    first = take(taken, _FEW)
    while first < many:
        last = min(first + _FEW, many)
        for i in range(first, last):
            step(games, i, actions[i])
        for i in range(first, last):
            encode_game(buffers, slot, games.records, i, games.actor[i], dense)
        for i in range(first, last):
            as_mask(games.legal[i], masks[i])
        first = take(taken, _FEW)


# === Entry points for one game, for GPUs with a thread per game (aot/gpu.py) ==========================================

GRIDS = ("start_one", "step_one", "play_one")


@kernel
def _look(games, buffers, dense, masks, i):
    encode_game(buffers, i, games.records, i, games.actor[i], dense)
    as_mask(games.legal[i], masks[i])


@entry
def start_one(games: Games, buffers: ObserverBuffers, which: Flags, dense: I8x2, masks: I8x2, i: int) -> None:
    """Start game i if it is marked, and encode it. buffers: a workspace row and a feature list per game."""
    if which[i]:
        _start(games, i)
        _look(games, buffers, dense, masks, i)


@entry
def step_one(games: Games, buffers: ObserverBuffers, actions: I64, dense: I8x2, masks: I8x2, i: int) -> None:
    step(games, i, actions[i])
    _look(games, buffers, dense, masks, i)


@entry
def play_one(games: Games, draws: U64, i: int) -> None:
    """Play a random decision without encoding, to measure the cost of the rules alone."""
    many = action_set.count(games.legal[i])
    step(games, i, action_set.nth(games.legal[i], random_below(draws[i : i + 1], many)) if many else WAIT)
