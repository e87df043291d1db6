"""The kernels that Python calls: each works on whole arrays of records, so that the border is crossed rarely."""

from casino_env.engine.deal import clear_table, clear_up, new_game, reset_turn
from casino_env.engine.jit import kernel
from casino_env.engine.legal import legal_words
from casino_env.engine.scoring import category_points
from casino_env.engine.state import OVER
from casino_env.engine.turn import apply, play_forced


@kernel
def clear_record(games):
    """An empty table at the beginning of a turn of games[0].to_move."""
    g = games[0]
    clear_table(g)
    g.winner = -1
    reset_turn(g)


@kernel
def start(games, rules, seed, match):
    new_game(games[0], rules[0], seed, match)


@kernel
def legal(games, rules):
    return legal_words(games[0], rules[0])


@kernel
def act(games, rules, action):
    """One micro-action, nothing played on."""
    apply(games[0], rules[0], action)


@kernel
def forced(games, rules):
    return play_forced(games[0], rules[0])


@kernel
def clear_the_table(games, rules):
    """The last capturer takes what is left."""
    clear_up(games[0], rules[0])


@kernel
def points(games, rules, table):
    """Points by category (rows) and side of a deal that is over."""
    for kind in range(table.shape[0]):
        for side in range(rules[0].sides):
            table[kind, side] = category_points(games[0], rules[0], side, kind, games[0].mode == OVER)
