"""Whether a seat has learnt something by its own actions, such as which card lay under the one that it took."""

from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import I16
from casino_env.engine import action_set
from casino_env.engine.complete_turns import record_key
from casino_env.engine.legal import legal_actions
from casino_env.engine.state import Records, RulesRow
from casino_env.engine.turn import apply
from casino_env.knowledge.determinizations import complete_many
from casino_env.knowledge.view import PERFECT, make_view

# Where two cards may lie on top, each is there in half of the games: one in 2^40 times none of these shows it.
DRAWN = 40
WORK = DRAWN + 3  # records


@kernel
def _do_all(work, r, actions, k):
    """The actions in game k; False where one of them is not allowed."""
    for i in range(actions.shape[0]):
        if not action_set.has(legal_actions(work[k], r), actions[i]):
            return False
        apply(work[k], r, actions[i])
    return True


@kernel
def _takes_from_pile(before, after, r):
    taken = 0
    for pile in range(r.players):
        taken |= before.piles[pile] & ~after.piles[pile]
    return taken != 0


@entry
def learns(records: Records, rules: RulesRow, seat: int, actions: I16, work: Records) -> int:
    """Whether the seat would see something else after these actions, if what it could not see before were otherwise.
    Among them are those that the game plays by itself: in another game it may be another that is without alternative.

    work: WORK records: games that agree with what the seat sees, what it sees before and after, and this game.
    """
    r, before, seen, this, other = rules[0], records[0], DRAWN, DRAWN + 1, DRAWN + 2
    work[this] = before
    if not _do_all(work, r, actions, this) or not _takes_from_pile(before, work[this], r):
        return 0  # nothing else comes to light within a turn
    work[seen] = before
    make_view(before, r, seat, PERFECT, work[seen])
    if complete_many(work[seen : seen + 1], rules, seat, record_key(work, seen), work[:DRAWN]) < DRAWN:
        return 1  # nothing to compare with
    work[seen] = work[this]
    make_view(work[this], r, seat, PERFECT, work[seen])
    key = record_key(work, seen)
    for k in range(DRAWN):
        if not _do_all(work, r, actions, k):
            return 1
        work[other] = work[k]
        make_view(work[k], r, seat, PERFECT, work[other])
        if record_key(work, other) != key:
            return 1
    return 0
