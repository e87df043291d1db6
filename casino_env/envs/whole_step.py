"""The step of a vector in one kernel: act, look and write the masks, a few games at a time, whose records stay in the
cache meanwhile. Threads take the next few when they are done with theirs, so none waits for another."""

from casino_env.engine.choices import as_mask
from casino_env.engine.jit import entry, take
from casino_env.envs.batch import Games, step
from casino_env.knowledge.look import Eyes, observe

_FEW = 64


@entry
def step_and_see(table, seen, actions, dense, masks, taken, slot):
    """table, seen: of Games and Eyes, as plain tuples. taken: how many games are taken, in a row of its own."""
    games, eyes = Games(*table), Eyes(*seen)
    many = actions.shape[0]
    first = take(taken, _FEW)
    while first < many:
        last = min(first + _FEW, many)
        for i in range(first, last):
            step(games, i, actions[i])
        for i in range(first, last):
            observe(eyes, slot, games.records, i, games.actor[i], dense)
        for i in range(first, last):
            as_mask(games.legal[i], masks[i])
        first = take(taken, _FEW)
