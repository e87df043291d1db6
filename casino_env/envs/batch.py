"""Many games at once: the kernels under every face (vector, AEC, Gymnasium). One game is a batch of one."""

import numpy as np

from casino_env.actions import ACTIONS, NO
from casino_env.engine.deal import new_game
from casino_env.engine.jit import kernel, lowest
from casino_env.engine.legal import legal_words, nth_action, word_count
from casino_env.engine.reading import side_of
from casino_env.engine.scoring import side_points
from casino_env.engine.state import OVER, REQUEST, SORTING
from casino_env.engine.turn import apply
from casino_env.knowledge.observation import write
from casino_env.knowledge.view import see

WAIT = -1  # an action that leaves a game as it is
DIFF, POINTS, WIN = 0, 1, 2
REWARDS = ("diff", "points", "win")


@kernel
def episode_seed(seed, episode):
    """The seed of a later episode of a stream: every face deals the same ones. The first is the seed itself."""
    if episode == 0:
        return np.uint64(seed)
    z = np.uint64(seed) + np.uint64(episode) * np.uint64(0xD1342543DE82EF95)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    return z ^ (z >> np.uint64(32))


# --- one game ------------------------------------------------------------------------------------------------------


@kernel
def _note(g, action, log):
    """Add a public event. A refused request and the sorting of a pile are seen by nobody."""
    size = log.shape[0]
    if size == 0 or g.mode == SORTING or (g.mode == REQUEST and action == NO):
        return
    for i in range(size - 1):
        log[i] = log[i + 1]
    log[size - 1] = g.actor * ACTIONS + action + 1


@kernel
def _do(g, r, action, kind, reward, log):
    """An action, its reward and its trace."""
    deals = g.deals
    _note(g, action, log)
    apply(g, r, action)
    if g.deals != deals and kind != WIN:
        _pay_points(g, r, kind, reward)
    if g.mode == OVER and kind == WIN:
        _pay_winner(g, r, reward)
    return legal_words(g, r)


@kernel
def advance(g, r, action, forced, kind, reward, log):
    """A decision, and (forced) all that follows without a choice; returns the words of the next choice."""
    words = _do(g, r, action, kind, reward, log)
    while forced and word_count(words) == 1:
        words = _do(g, r, nth_action(words, 0), kind, reward, log)
    return words


@kernel
def begin(g, r, seed, match, forced, kind, reward, log):
    """A fresh game, played on to the first choice."""
    new_game(g, r, seed, match)
    log[:] = 0
    words = legal_words(g, r)
    if forced and word_count(words) == 1:
        words = advance(g, r, nth_action(words, 0), forced, kind, reward, log)
    return words


# --- rewards -------------------------------------------------------------------------------------------------------


@kernel
def _spread(r, total, mine):
    """Mine less the mean of the other sides."""
    return mine - (total - mine) / (r.sides - 1)


@kernel
def _pay_points(g, r, kind, reward):
    total = 0.0
    for side in range(r.sides):
        total += g.deal_points[side]
    for seat in range(r.players):
        points = g.deal_points[side_of(r, seat)]
        reward[seat] += _spread(r, total, points) if kind == DIFF else points


@kernel
def _score(g, side):
    return g.match_score[side] if g.match else g.deal_points[side]


@kernel
def _pay_winner(g, r, reward):
    """One win, shared among those who tie, less the mean of the others."""
    best, tied = -9999, 0
    for side in range(r.sides):
        points = _score(g, side)
        if points > best:
            best, tied = points, 0
        if points == best:
            tied += 1
    for seat in range(r.players):
        reward[seat] += _spread(r, 1.0, _share(g, side_of(r, seat), best, tied))


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
        reward[seat] += factor * _spread(r, total, side_points(g, r, side_of(r, seat), False))


# --- batches: arrays of games, from lo to hi -----------------------------------------------------------------------


@kernel
def first_illegal(words, actions):
    """The first game whose action is not legal; -1 if all are."""
    for i in range(actions.shape[0]):
        action = actions[i]
        if action == WAIT:
            continue
        if action < 0 or action >= ACTIONS or not words[i, action // 52] >> (action % 52) & 1:
            return i
    return -1


@kernel
def _keep(words, i, four):
    words[i, 0], words[i, 1], words[i, 2], words[i, 3] = four


@kernel
def begin_games(games, rules, seeds, episodes, which, words, options, rewards, logs):
    """Start the games that are marked in which. options: match, forced, kind of reward."""
    r = rules[0]
    for i in range(games.shape[0]):
        if which[i]:
            seed = episode_seed(seeds[i], episodes[i])
            rewards[i, :] = 0
            _keep(words, i, begin(games[i], r, seed, options[0], options[1], options[2], rewards[i], logs[i]))


@kernel
def step_game(games, i, rules, action, seeds, episodes, words, options, shaping, rewards, done, logs, redeal):
    """One decision in game i; with redeal a finished game is followed by a fresh one at once."""
    g, r = games[i], rules[0]
    rewards[i, :] = 0
    done[i] = 0
    if action == WAIT:
        return
    if shaping != 0.0:
        add_potential(g, r, -shaping, rewards[i])
    four = advance(g, r, action, options[1], options[2], rewards[i], logs[i])
    if shaping != 0.0:
        add_potential(g, r, shaping, rewards[i])
    if g.mode == OVER:
        done[i] = 1
        if redeal:
            episodes[i] += 1
            seed = episode_seed(seeds[i], episodes[i])
            four = begin(g, r, seed, options[0], options[1], options[2], rewards[i], logs[i])
    _keep(words, i, four)


@kernel
def step_games(
    games, rules, actions, seeds, episodes, words, options, shaping, rewards, done, logs, actor, redeal, lo, hi
):
    for i in range(lo, hi):
        step_game(games, i, rules, actions[i], seeds, episodes, words, options, shaping, rewards, done, logs, redeal)
        actor[i] = games[i].actor


@kernel
def look(games, i, rules, seat, memory, views, slot):
    """The seat's view of game i into views[slot]."""
    views[slot] = games[i]
    see(games[i], rules[0], seat, memory, views[slot])


@kernel
def look_all(games, rules, seats, memory, views):
    for i in range(games.shape[0]):
        look(games, i, rules, seats[i], memory, views, i)


@kernel
def _spread_out(indices, count, dense):
    """A list of features as one byte each."""
    dense[:] = 0
    for k in range(count):
        dense[indices[k]] = 1


@kernel
def observe_game(games, i, rules, plans, memory, seat, views, slot, indices, row, dense):
    """The observation of game i: a list into indices[row] and, where dense has a row for it, a byte a feature."""
    look(games, i, rules, seat, memory, views, slot)
    count = write(views[slot], rules[0], plans[0], seat, indices[row])
    if dense.shape[1]:
        _spread_out(indices[row], count, dense[i])
    else:
        indices[row, count:] = plans[0].size


@kernel
def observe_games(games, rules, plans, memory, seats, views, slot, indices, dense, lo, hi):
    """Observations for the seats asked for. With dense ones the lists are scratch, one a thread."""
    for i in range(lo, hi):
        row = slot if dense.shape[1] else i
        observe_game(games, i, rules, plans, memory, seats[i], views, slot, indices, row, dense)


@kernel
def observe_truth(games, rules, plans, seats, indices, dense, lo, hi):
    """Everything there is to know of each game, in the layout of the seat: for critics only."""
    for i in range(lo, hi):
        count = write(games[i], rules[0], plans[0], seats[i], indices[0])
        _spread_out(indices[0], count, dense[i])


@kernel
def unpack_game(words, i, mask):
    """Legal actions as one byte each."""
    mask[i, :] = 0
    for word in range(4):
        rest = words[i, word]
        while rest:
            mask[i, word * 52 + lowest(rest)] = 1
            rest &= rest - 1


@kernel
def unpack(words, mask, lo, hi):
    for i in range(lo, hi):
        unpack_game(words, i, mask)


@kernel
def actors(games, seats, lo, hi):
    for i in range(lo, hi):
        seats[i] = games[i].actor


@kernel
def relative_history(logs, seats, players, out, lo, hi):
    """The logs with seats counted from the one that looks."""
    for i in range(lo, hi):
        for k in range(logs.shape[1]):
            event = logs[i, k]
            if event > 0:
                seat = ((event - 1) // ACTIONS - seats[i] + players) % players
                event = seat * ACTIONS + (event - 1) % ACTIONS + 1
            out[i, k] = event


@kernel
def sample(words, rng, actions):
    """A random legal action in each game; WAIT where there is none."""
    state = rng[0]
    for i in range(actions.shape[0]):
        four = words[i, 0], words[i, 1], words[i, 2], words[i, 3]
        total = word_count(four)
        if total == 0:
            actions[i] = WAIT
            continue
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        n = np.int64(((state >> np.uint64(32)) * np.uint64(total)) >> np.uint64(32))
        actions[i] = nth_action(four, n)
    rng[0] = state
