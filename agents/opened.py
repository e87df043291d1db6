"""An agent or the judge as one workspace, with the entry points that every language calls (opening.py fills it).

`begin` a decision, `go_on` while it is open and there is time, then `answer`. An agent plays endings with the exact
solver if it can; else it decides by a bot, a policy, a tree search over actions, or a race of turns.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.base import Decisions
from casino_env.agents.deciding import Player, Workspace
from casino_env.agents.policy.judging import Judge, Judged, decide_by_logits
from casino_env.agents.policy.lookahead import MOST_CARDS, MOST_TURNS, PlaySettings, decide_by_afterstates
from casino_env.agents.policy.mlp import FEATURES, LAYERS, LOGITS, SOUND, VALUES, WIDTHS, soundness
from casino_env.agents.scripted.bots import BotRows
from casino_env.agents.scripted.choosing import decide_by_rules
from casino_env.agents.search.importance_weights import watch as watch_history
from casino_env.agents.search.ismcts import Tree, TreeRoot, begin_tree, grow_tree, play_some, tell_tree
from casino_env.agents.search.racing import TurnRoot, play_games
from casino_env.agents.search.rollouts import RolloutPolicy
from casino_env.agents.search.search_settings import MOST_MARGIN, MOST_SECONDS, MOST_SIMS
from casino_env.agents.search.turn_search import Thinking, begin_thinking, plan_turn, think_on
from casino_env.agents.search.verdicts import (
    MISTAKE,
    NO_TURN,
    Board,
    JudgesWorkspace,
    Question,
    begin_judging,
    go_on_judging,
)
from casino_env.agents.solver.alpha_beta import DONE
from casino_env.agents.solver.alpha_beta import OPEN as UNSOLVED
from casino_env.agents.solver.endings import IMPOSSIBLE, READY, Ending, begin_ending, go_on_ending
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, items_of, kernel, lowest, popcount
from casino_env.compiler.types import F64, I16, I64, U64, Elements, F64x2, I64x2, Sizes, Word
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, LIMIT, MOST
from casino_env.engine.complete_turns import follow_turn
from casino_env.engine.flat_form import BUILDS, HIDDEN, MATCH_SCORE, PILES, SWEEPS, build, flatten, lay_card
from casino_env.engine.invariants import BEFORE, FIELDS, FINE, KEYS, LAST_NUMBER, MODE, ROOM, Refusal
from casino_env.engine.legal import legal_actions
from casino_env.engine.playable import MOST_OF_RULES, first_nonsense
from casino_env.engine.state import OVER, SEATS, Records, RulesRow, derive
from casino_env.knowledge.layout import _RULE_FIELDS, SEGMENT, SEGMENTS, lay_out
from casino_env.knowledge.sights import fill
from casino_env.knowledge.view import unseen
from casino_env.rng import mixed, nth_word

KINDS = ("bot", "policy", "tree", "turns", "judge")
BOT, POLICY, TREE, TURNS, JUDGE = range(len(KINDS))
# The workspaces that each kind needs, beside that of endings; the others have minimal size.
NEEDED = {
    "bot": ("work",),
    "policy": ("thinking", "work"),
    "tree": ("work", "tree"),
    "turns": ("thinking", "work"),
    "judge": ("thinking", "work", "board", "judged"),
}
# Results of calls, beside errors.
DEALT, GO_ON, FINISHED = 2, 1, 0  # DEALT: games wait for play_dealt
ERRORS = {
    "ILLEGAL": "the action is not legal",
    "NULL_POINTER": "a required argument is NULL",
    "NO_MEMORY": "not enough memory",
    "NOT_A_FILE": "not a .casino file of this version of the library; export it again",
    "DAMAGED": "the file is damaged: its checksum does not match",
    "BAD_RULES": "these rules cannot be played",
    "OTHER_RULES": "the agent was exported for other rules",
    "BAD_POSITION": "play cannot go on from this position",
    "BAD_SEAT": "this seat does not decide here",
    "IMPOSSIBLE": "no game is consistent with what the seat knows",
    "OTHER_KIND": "agents give no advice, and the judge gives no answer",
    "TOO_SOON": "nothing has begun, or it is not finished",
    "BAD_QUESTION": "a number is out of range",
    "NO_SUCH_TURN": "not a complete turn of the seat, or the advice does not cover it",
}
(
    _DAMAGED, _BAD_RULES, _, _BAD_POSITION, _BAD_SEAT, _IMPOSSIBLE, _OTHER_KIND, _TOO_SOON, _BAD_QUESTION,
    _NO_SUCH_TURN,
) = range(-5, -15, -1)  # fmt: skip
_IDLE, _SOLVING, _THINKING, _ANSWERED = range(4)  # stages
_LIMITS = 2  # most limits of endings (solver.ending_limits)
_MOST_EFFORT = 1000
_MOST_POSITIONS = 1 << 20  # of an ending without a time limit
_ROWS_OF_RULES = np.array(_RULE_FIELDS)

AGENT = np.dtype(
    [
        # settings
        ("kind", np.int64),
        ("layout", np.int64),  # of the network's input: UNIVERSAL | MATCH
        ("sims", np.int64),  # simulations per decision; 0: `seconds` count
        ("seconds", np.float64),
        ("explore", np.float64),  # as in SearchSettings
        ("cut", np.int64),
        ("horizon", np.int64),
        ("margin", np.float64),
        ("importance", np.float64),
        ("memory", np.int64),  # this and the next two: as in Player
        ("temperature", np.float64),
        ("tried", np.int64),
        ("limits", np.int64),  # number of limits of endings; each has cards in a hand, in all hands, positions, seconds
        ("in_hand", np.int64, _LIMITS),
        ("in_all", np.int64, _LIMITS),
        ("positions", np.int64, _LIMITS),
        ("until", np.float64, _LIMITS),
        ("at_once", np.int64),  # positions of an ending searched between two looks at the clock
        ("apart", np.int64),  # 0, or the number of threads in which the caller plays out games
        # state of the decision
        ("stage", np.int64),
        ("seat", np.int64),
        ("seed", np.uint64),
        ("limit", np.int64),  # index of the limit in use
        ("since", np.float64),  # seconds used when the stage began
        ("some", np.int64),  # positions to search in the next step
        ("searched", np.int64),  # 1: the solver's table is in use
        ("looked", np.int64),  # 1: a step of thinking has been done
        ("planned", np.int64),  # number of actions of the plan
        # answer
        ("action", np.int64),
        ("valued", np.int64),  # 1: `value` is set
        ("value", np.float64),
        ("refusal", np.int64, 6),  # why the position is refused
    ],
    align=True,
)


class About(NamedTuple):
    """The settings of an agent (arrays without sizes), its input and its answer."""

    state: Annotated[Array, Elements(AGENT)]
    rules: RulesRow
    bots: BotRows  # [0] decides, or plays rollouts; [1] plays rollouts of racing turns
    judge: Judge
    play: PlaySettings
    seen: Annotated[Records, Sizes(1)]
    seats: Annotated[I64, Sizes(1)]  # the seat that sees it
    legal: Annotated[I64x2, Sizes(1, action_set.PARTS)]
    actions: Annotated[I64, Sizes(1)]
    chances: Annotated[F64x2, Sizes(1, ACTIONS)]
    values: Annotated[F64, Sizes(ACTIONS)]  # of actions; NaN: none
    prior: Annotated[F64, Sizes(ACTIONS)]
    rng: Annotated[U64, Sizes(1)]
    same_rules: Annotated[RulesRow, Sizes(1)]
    segments: Annotated[Array, Elements(SEGMENT), Sizes(len(SEGMENTS))]
    given: Annotated[I64, Sizes(SEATS)]
    proof: Annotated[Records, Sizes(ROOM + 2)]  # the view, a game that agrees with it, workspace
    keys: Annotated[I64, Sizes(KEYS)]
    path: Annotated[I16, Sizes(DEPTH + 1)]


class Agent(NamedTuple):
    """The whole workspace. Kernels take only the first parts, as far as needed: passing more takes LLVM minutes."""

    about: About
    ending: Ending
    thinking: Thinking
    work: Workspace
    tree: Tree
    board: Board
    judged: Judged


# --- checks of a file that was read ----------------------------------------------------------------------------------


@entry
def seal_of(words: U64) -> Word:
    """The checksum of a file's words."""
    found: Any = np.uint64(words.shape[0])
    for word in words:
        found = mixed(found ^ word) + found
    return found


@kernel
def _rules_hold(rules, same):
    """Whether rules can be played: each switch is in range, they fit together, and derived fields agree with them."""
    words, again = items_of(rules.view(np.int64)), items_of(same.view(np.int64))
    for field in range(len(MOST_OF_RULES)):
        if words[field] < 0 or (MOST_OF_RULES[field] >= 0 and words[field] > MOST_OF_RULES[field]):
            return False
    same[0] = rules[0]
    derive(same)
    alike = True
    for field in range(len(MOST_OF_RULES)):
        alike &= words[field] == again[field]
    return alike and same[0].deck != 0 and first_nonsense(same)[0] == 0


@entry
def rules_hold(rules: RulesRow, same: RulesRow) -> bool:
    """Entry point for _rules_hold. same: workspace."""
    return _rules_hold(rules, same)


@kernel
def _shape_holds(a):
    """Whether the weights fit the network's shape and are sound, and its inputs and outputs fit the rules."""
    shape, theta = a.judge.shape, a.judge.theta
    if shape.shape[0] < WIDTHS + 1 or shape[LAYERS] != shape.shape[0] - WIDTHS:
        return False
    for k in range(shape.shape[0]):
        if shape[k] < (1 if k != LOGITS else 0) or shape[k] > 1 << 20:
            return False
    before, size = shape[FEATURES], 0
    for k in range(WIDTHS, shape.shape[0]):
        size += (before + 1) * shape[k]
        before = shape[k]
    size += (before + 1) * (shape[LOGITS] + shape[VALUES])
    fits = theta.shape[0] == size and shape[FEATURES] == a.judge.layout[0].size and soundness(theta, shape) == SOUND
    needs = 1 if a.rules[0].sides == 2 else a.rules[0].sides
    return fits and needs <= shape[VALUES] <= SEATS and (shape[LOGITS] == 0 or shape[LOGITS] == ACTIONS)


@kernel
def _has_no_network(shape):
    """Whether the shape is the placeholder without weights; any other would be taken for a network."""
    for k in range(shape.shape[0]):
        if shape[k] != (0 if k == LOGITS else 1):
            return False
    return shape.shape[0] == WIDTHS + 1


@kernel
def _has_room(judged, judge):
    """Whether the workspace is large enough for the network."""
    shape, thought, changes = judge.shape, judged.thought, judged.changes
    words = shape[FEATURES] + 63 >> 6
    if thought.indices.shape[0] < judge.layout[0].most or judged.features.shape[1] != words:
        return False
    units = 0
    for k in range(WIDTHS, shape.shape[0]):
        units += shape[k]
    fits = thought.work.shape[0] >= units and thought.values.shape[0] >= shape[VALUES]
    fits &= changes.sums.shape[0] == shape[WIDTHS]
    fits &= min(changes.new.shape[0], changes.gone.shape[0]) >= judge.layout[0].most
    return fits and changes.none.shape[0] == words


@kernel
def _settings_hold(a):
    s, play = a.state[0], a.play
    fits = BOT <= s.kind <= JUDGE and 0 <= s.limits <= _LIMITS and a.bots.shape[0] == 2
    fits &= 0 <= s.sims <= MOST_SIMS and 0.0 <= s.seconds <= MOST_SECONDS and 1 <= s.tried <= LIMIT
    fits &= s.apart == 0 and -1 <= s.horizon <= 1 and 0.0 <= s.importance < 1.0 and 1 <= s.at_once <= _MOST_POSITIONS
    fits &= 0.0 <= s.margin <= MOST_MARGIN
    for k in range(_LIMITS):
        fits &= s.positions[k] <= _MOST_POSITIONS or s.until[k] <= MOST_SECONDS
    fits &= 1 <= play.turns <= MOST_TURNS and 1 <= play.width <= MOST and 0 <= play.exact <= MOST_CARDS
    for bot in a.bots:
        fits &= 0 <= bot.effort <= _MOST_EFFORT
    fits &= play.temperature >= 0.0 and a.judge.value_scale > 0.0
    return fits and (s.kind != POLICY or a.judge.theta.shape[0] > 0)


@entry
def prove(
    a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree, board: Board, judged: Judged
) -> int:
    """Check that the parts read from a file fit together: FINISHED, or an error."""
    if not _rules_hold(a.rules, a.same_rules):
        return _BAD_RULES
    words = a.same_rules.view(np.int64)
    if not lay_out(a.rules, words, _ROWS_OF_RULES, a.state[0].layout, a.judge.layout, a.segments):
        return _DAMAGED
    fits = _settings_hold(a) and work.thought.indices.shape[0] >= a.judge.layout[0].most
    if a.judge.theta.shape[0]:
        fits = fits and _shape_holds(a) and thinking.levels.features.shape[2] == judged.features.shape[1]
        fits = fits and _has_room(work.judged, a.judge) and _has_room(judged, a.judge)
        fits = fits and _has_room(thinking.levels.judged, a.judge)
        fits = fits and work.thought.work.shape[0] == work.judged.thought.work.shape[0]
        fits = fits and work.thought.values.shape[0] >= a.judge.shape[VALUES]
    else:
        fits = fits and _has_no_network(a.judge.shape)
    return FINISHED if fits else _DAMAGED


# --- views -----------------------------------------------------------------------------------------------------------


@kernel
def _sight_fault(a, seat):
    """Why no playable game agrees with the view in `seen`; FINE if one does. A position may leave cards out of play. An
    empty `proof` skips the check: the host has done it."""
    if not a.proof.shape[0]:
        return FINE
    v, r = a.proof[0], a.rules[0]
    a.proof[0] = a.seen[0]
    v.shuffled, hidden = 0, v.hidden_stock
    for pile in range(SEATS):
        closed = v.piles[pile] if v.pile_top[pile] == -1 else 0
        v.piles[pile] &= ~closed
        while closed:  # face-down piles have no order
            lay_card(v, lowest(closed), PILES + pile)
            closed &= closed - 1
        hidden += v.hidden_hand[pile] + v.hidden_pile[pile]
    if hidden > popcount(unseen(r, v)):
        return HIDDEN, 0, 0, hidden, 0, popcount(unseen(r, v))
    a.given[:] = 0
    return fill(a.proof[:1], a.rules, seat, a.given, a.proof[1:2], a.proof[2:], a.keys, 0)


@kernel
def _look(a):
    """Check that the seat decides in the position in `seen`, and list its legal actions: FINISHED, or an error."""
    s, v, seat = a.state[0], a.seen[0], a.seats[0]
    s.stage, s.looked, s.valued = _IDLE, 0, 0
    if seat < 0 or seat >= a.rules[0].players or v.mode == OVER or v.actor != seat:
        return _BAD_SEAT
    found = _sight_fault(a, seat)
    for k in range(6):
        s.refusal[k] = found[k]
    if found[0]:
        return _BAD_POSITION
    action_set.to_row(legal_actions(v, a.rules[0]), a.legal[0])
    s.seat = seat
    return FINISHED if action_set.count(action_set.from_row(a.legal[0])) else _BAD_POSITION


# --- parts for searches ----------------------------------------------------------------------------------------------


@kernel
def _policy(a, work):
    """The rollout policy of a search. Where turns race, a bot plays and the network judges."""
    s, judge, first = a.state[0], a.judge, 1 if a.state[0].kind == TURNS else 0
    weights = 0 if first else judge.theta.shape[0]
    moves = Judge(judge.layout, judge.theta[:weights], judge.shape, judge.value_scale)
    player = Player(a.bots[:1], judge, s.memory, s.temperature, 0.0, s.tried)
    mover = Player(a.bots[first : first + 1], moves, s.memory, s.temperature, 0.0, s.tried)
    return RolloutPolicy(player, work, a.prior, mover)


@kernel
def _root(a, thinking):
    return TurnRoot(a.seen, a.rules, a.state[0].seat, thinking.levels.judged, a.state[0].horizon)


@kernel
def _tree_root(a):
    return TreeRoot(a.seen, a.rules, a.state[0].seat, a.state[0].horizon)


@kernel
def _decide(a, levels, work, rows):
    """Decide by a bot or a policy. rows: 0: draw the action; 1: write probabilities."""
    decisions = Decisions(a.seen, a.seats, a.legal, a.actions, a.chances[:rows])
    if a.state[0].kind == BOT:
        decide_by_rules(decisions, a.rules, a.bots[:1], work.bot, a.rng)
        return
    if a.judge.shape[LOGITS]:
        decide_by_logits(decisions, a.rules, a.judge, a.play.temperature, a.rng, work.thought)
    if a.judge.shape[LOGITS] == 0 or a.play.turns > 1 or a.play.exact:
        decide_by_afterstates(decisions, a.rules, a.judge, a.play, a.rng, levels)


# --- a game ----------------------------------------------------------------------------------------------------------


@entry
def reset(seed: Word, a: About, ending: Ending, thinking: Thinking) -> None:
    """Begin a game on the seat in `seats`; all random draws follow from the seed."""
    s = a.state[0]
    s.stage, s.planned = _IDLE, 0
    s.seed = nth_word(mixed(seed), a.seats[0] + 1)
    a.rng[0] = s.seed
    thinking.history.state[0].begun = 0
    if s.searched:  # forget the last deal
        for k in range(ending.search.table.shape[0]):
            row = ending.search.table[k]
            row.key, row.low, row.high, row.move, row.effort = 0, 0, 0, 0, 0
        ending.search.history[:] = 0
        ending.search.names.same[:] = 0
        s.searched = 0


@entry
def watch(a: About, ending: Ending, thinking: Thinking) -> None:
    """Watch the decision of another seat, with this seat's view in `seen`."""
    if a.state[0].kind == TURNS:
        watch_history(thinking.history, a.seen, a.seats[0])


# --- a decision ------------------------------------------------------------------------------------------------------


@entry
def begin(a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree) -> int:
    """Begin a decision on the view in `seen`: GO_ON, FINISHED, or an error."""
    s = a.state[0]
    if s.kind == JUDGE:
        return _OTHER_KIND
    found = _look(a)
    if found < 0:
        return found
    legal = action_set.from_row(a.legal[0])
    a.values[:], a.chances[:] = np.nan, 0.0
    if action_set.count(legal) == 1 and (s.kind == TREE or s.kind == TURNS):
        return _finish(a, action_set.nth(legal, 0))
    s.limit = 0
    return _begin_solving(a, ending, 0.0) or _begin_thinking(a, thinking, work, tree, 0.0)


@kernel
def _finish(a, action):
    """Finish with an action, with probability 1."""
    a.state[0].action, a.state[0].stage = action, _ANSWERED
    a.chances[0, action] = 1.0
    return FINISHED


@kernel
def _begin_solving(a, ending, used):
    """Begin to solve within the next limit that the ending meets: GO_ON, or an error; 0 if it meets none."""
    s = a.state[0]
    while s.limit < s.limits:
        k = s.limit
        ready = begin_ending(ending, a.rules, a.seen, s.seat, s.in_hand[k], s.in_all[k], s.positions[k])
        if ready == IMPOSSIBLE:
            return _IMPOSSIBLE
        if ready == READY:
            s.stage, s.since, s.some, s.searched = _SOLVING, used, 0, 1
            return GO_ON
        s.limit += 1
    return 0


@kernel
def _solve(a, ending, used):
    """Solve on: GO_ON, or an error; 0 if the ending is solved (stage _ANSWERED) or given up."""
    s, solved = a.state[0], ending.state[0]
    found, s.some = go_on_ending(ending, a.rules, s.some), s.at_once
    if found == UNSOLVED and used - s.since < s.until[s.limit]:
        return GO_ON
    if not solved.known:
        s.limit += 1
        return _begin_solving(a, ending, used)
    best, many = -1, 0
    for action in range(ACTIONS):
        if solved.weighed[action]:
            a.values[action] = solved.worth[action]
            if best < 0 or solved.worth[action] > solved.worth[best]:
                best, many = action, 0
            many += solved.worth[action] == solved.worth[best]
    for action in range(ACTIONS):
        if solved.weighed[action] and solved.worth[action] == solved.worth[best]:
            a.chances[0, action] = 1.0 / many
    s.valued, s.value, s.action, s.stage = 1, solved.worth[best], best, _ANSWERED
    return FINISHED


@kernel
def _begin_thinking(a, thinking, work, tree, used):
    s = a.state[0]
    s.stage, s.since = _THINKING, used
    if s.kind == TREE:
        begin_tree(tree, s.explore, s.cut, s.sims, s.seed)
    elif s.kind == TURNS:
        for k in range(s.planned):
            if _is_same(thinking.plan.views, k, a.seen):
                return _finish_turn(a, thinking.plan, k)
        begin_thinking(thinking, _root(a, thinking), _policy(a, work), a.play, s)
    return GO_ON


@kernel
def _is_same(views, k, seen):
    one, other, same = items_of(views[k : k + 1].view(np.int64)), items_of(seen.view(np.int64)), True
    for word in range(seen.itemsize >> 3):
        same &= one[word] == other[word]
    return same


@kernel
def _finish_turn(a, plan, k):
    """Finish with action k of the plan. The first has the values of all turns, later ones only that of this turn."""
    s = a.state[0]
    s.valued, s.value = 1, plan.values[plan.actions[0]]
    for action in range(ACTIONS):
        if k == 0 and plan.values[action] > -np.inf:
            a.values[action] = plan.values[action]
    a.values[plan.actions[k]] = s.value
    return _finish(a, plan.actions[k])


@entry
def go_on(used: float, a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree) -> int:
    """Decide for a few milliseconds: GO_ON, FINISHED, or an error; DEALT if threads must play out games. used: seconds
    since the decision began."""
    s = a.state[0]
    if s.kind == JUDGE:
        return _OTHER_KIND
    if s.stage == _IDLE or s.stage == _ANSWERED:
        return _TOO_SOON if s.stage == _IDLE else FINISHED
    if s.stage == _SOLVING:
        found = _solve(a, ending, used)
        return found if found or s.stage == _ANSWERED else _begin_thinking(a, thinking, work, tree, used)
    found = _think(a, thinking, work, tree, used, s.apart)
    return DEALT if found == GO_ON and s.apart and _dealt(s.kind, thinking, tree) else found


@kernel
def _think(a, thinking, work, tree, used, apart):
    s, found = a.state[0], 0
    s.looked = 1
    if s.kind == TREE:
        found = grow_tree(tree, _tree_root(a), _policy(a, work), used - s.since, s.seconds - used, apart)
    elif s.kind == TURNS:
        root = _root(a, thinking)
        found = think_on(thinking, root, _policy(a, work), used - s.since, s.seconds - used, apart)
    else:
        _decide(a, thinking.levels, work, 0)
        s.action, s.stage = a.actions[0], _ANSWERED
    return _IMPOSSIBLE if found < 0 else GO_ON if found else FINISHED


@kernel
def _dealt(kind, thinking, tree):
    """The number of games that wait to be played out."""
    race = thinking.race.state[0]
    return tree.state[0].dealt if kind == TREE else race.dealt * race.running


@entry
def play_dealt(part: int, parts: int, a: About, thinking: Thinking, work: Workspace, tree: Tree) -> None:
    """Play out one of `parts` parts of the dealt games. a, work: the thread's own, with its own prior."""
    policy, many = _policy(a, work), _dealt(a.state[0].kind, thinking, tree)
    first, last = many * part // parts, many * (part + 1) // parts
    if a.state[0].kind == TREE:
        play_some(tree, a.rules[0], policy, first, last)
    else:
        play_games(thinking.race, a.rules[0], policy, first, last)


@entry
def answer(a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree) -> int:
    """Return the action, or an error. A decision may end here at any time after `begin`."""
    s, found = a.state[0], FINISHED
    if s.kind == JUDGE:
        return _OTHER_KIND
    if s.stage == _SOLVING:
        found = _begin_thinking(a, thinking, work, tree, s.since)
    if s.stage == _THINKING and not s.looked:
        found = _think(a, thinking, work, tree, s.since, 0)
    if s.stage == _IDLE or found < 0:
        return found if found < 0 else _TOO_SOON
    if s.stage == _THINKING and s.kind == TURNS:
        s.planned = plan_turn(thinking, _root(a, thinking), a.judge.value_scale)
        _finish_turn(a, thinking.plan, 0)
    elif s.stage == _THINKING:
        _finish_tree(a, tree)
    return s.action


@kernel
def _finish_tree(a, tree):
    s, total = a.state[0], 0.0
    s.action, s.stage = tell_tree(tree, _tree_root(a)), _ANSWERED
    for action in range(ACTIONS):
        total += tree.visits[action]
    for action in range(ACTIONS):
        a.chances[0, action] = tree.visits[action] / total
        if tree.visits[action]:
            a.values[action] = tree.values[action]
    s.valued, s.value = 1, tree.values[s.action]


@entry
def explain(a: About, ending: Ending, thinking: Thinking, work: Workspace) -> int:
    """After the answer of a bot or a policy, write its probabilities and values of actions: FINISHED, or an error."""
    s, legal = a.state[0], action_set.from_row(a.legal[0])
    if s.stage != _ANSWERED:
        return _TOO_SOON
    if s.valued or s.kind > POLICY:
        return FINISHED
    a.chances[:] = 0.0
    work.bot.scores[:] = 0.0
    _decide(a, thinking.levels, work, 1)
    if s.kind == BOT:
        for n in range(action_set.count(legal)):
            a.values[action_set.nth(legal, n)] = work.bot.scores[action_set.nth(legal, n)]
        return FINISHED
    s.valued, s.value = 1, 0.0
    if a.judge.shape[LOGITS]:
        s.value = work.thought.values[0]
    else:
        judged = thinking.levels.judged
        for k in range(judged.afterstates.walk[0].found):
            s.value += judged.chances[k] * judged.values[k, 0]
    s.value *= a.judge.value_scale
    return FINISHED


# --- the judge -------------------------------------------------------------------------------------------------------


@entry
def ask(
    asked: Question, a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree, board: Board,
    judged: Judged,
) -> int:  # fmt: skip
    """Begin to judge the position in `seen`: GO_ON, or an error."""
    s = a.state[0]
    if s.kind != JUDGE:
        return _OTHER_KIND
    if not (asked.seconds >= 0.0 and asked.precision > 0.0 and 1 <= asked.games <= MOST_SIMS):
        return _BAD_QUESTION
    if asked.rounds < 1 or asked.rounds > CARDS:
        return _BAD_QUESTION
    found = _look(a)
    if found < 0:
        return found
    s.seconds, s.stage = asked.seconds, _THINKING
    judges = JudgesWorkspace(board, judged, ending, thinking.levels)
    begun = begin_judging(judges, _policy(a, work), a.rules, a.seen, s.seat, asked)
    if begun != UNSOLVED:
        s.stage = _IDLE
        return _NO_SUCH_TURN if begun == NO_TURN else _IMPOSSIBLE
    return GO_ON


@entry
def judge_on(
    used: float, a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree, board: Board,
    judged: Judged,
) -> int:  # fmt: skip
    """Judge for a few milliseconds: GO_ON, FINISHED, or an error. used: seconds since `ask`."""
    s = a.state[0]
    if s.kind != JUDGE or s.stage != _THINKING:
        return _OTHER_KIND if s.kind != JUDGE else FINISHED if s.stage == _ANSWERED else _TOO_SOON
    part = used / s.seconds if s.seconds else 1.0
    judges = JudgesWorkspace(board, judged, ending, thinking.levels)
    found = go_on_judging(judges, _policy(a, work), a.rules, a.play, part)
    if found == UNSOLVED:
        return GO_ON
    s.stage = _ANSWERED if found == DONE else _IDLE
    return FINISHED if found == DONE else _IMPOSSIBLE


@entry
def tell(
    place: int, a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree, board: Board
) -> tuple[int, int, int]:
    """The turn at a place of the advice, the best first: its row in board.turns, 1 if it is a mistake, and the number
    of turns. The row is an error if the advice is not finished or has no such place."""
    s = a.state[0]
    if s.kind != JUDGE or s.stage != _ANSWERED:
        return _OTHER_KIND if s.kind != JUDGE else _TOO_SOON, 0, 0
    many = board.state[0].turns
    if place < 0 or place >= many:
        return _NO_SUCH_TURN, 0, many
    row = board.order[place]
    return row, 1 if board.turns[row].low > MISTAKE else 0, many


@entry
def find(
    given: I16, a: About, ending: Ending, thinking: Thinking, work: Workspace, tree: Tree, board: Board, judged: Judged
) -> int:
    """The place in the advice of the turn with the same result as these actions; an error if it is not there."""
    s = a.state[0]
    if s.kind != JUDGE or s.stage != _ANSWERED:
        return _OTHER_KIND if s.kind != JUDGE else _TOO_SOON
    _, key, whole = follow_turn(a.seen, a.rules, judged.afterstates, given, a.path)
    for place in range(board.state[0].turns if whole else 0):
        if board.turns[board.order[place]].key == key:
            return place
    return _NO_SUCH_TURN


# --- positions, for languages without a reader of Position JSON ------------------------------------------------------

_TO_MOVE, _MATCH, _DEALS, _WINNER, _ACTOR, _OPEN_COUNT = map(
    FIELDS.index, ("to_move", "match", "deals", "winner", "actor", "open_count")
)


@entry
def write_flat(
    records: Records, rules: RulesRow, numbers: I64, rows: I64x2, builds: I64x2
) -> tuple[int, int, int, Word]:
    """Write a record in flat form, as Position JSON needs it; return the numbers of rows and builds, 1 if it names a
    winner, and the random stream of a match."""
    g = records[0]
    count, many = flatten(records, rules, numbers, rows, builds)
    said, held = 0, 0
    for seat in range(SEATS):
        held |= g.hands[seat]
    if g.mode == OVER:
        said = 1 if g.match or held else 0
        for field in range(MODE, LAST_NUMBER):
            numbers[field] = BEFORE[field]
        numbers[_ACTOR] = numbers[_TO_MOVE]
    if not said:
        numbers[_WINNER] = BEFORE[_WINNER]
    numbers[_OPEN_COUNT] = 0  # implied by the cards that are named
    if not g.match:
        numbers[_DEALS] = BEFORE[_DEALS]
    return count, many, said, g.rng


@entry
def read_flat(
    records: Records, rules: RulesRow, numbers: I64, rows: I64x2, builds: I64x2, work: Records, keys: I64, said: int
) -> Refusal:
    """flat_form.build for unchecked numbers. The code is -1 if rows or builds name no list, seat or value.

    records: an empty record with the random stream of a match.
    """
    r = rules[0]
    for i in range(builds.shape[0]):
        value, owner = builds[i, 0], builds[i, 1]
        if value < 1 or value > r.max_build or owner < 0 or owner >= r.players or builds[i, 2] < 0:
            return -1, BUILDS + i, 0, 0, 0, 0
    for i in range(rows.shape[0]):
        place, part = rows[i, 1], rows[i, 2]
        most = r.sides if place in (MATCH_SCORE, SWEEPS) else CARDS
        if place < 0 or place >= BUILDS + builds.shape[0] or part < 0 or part >= most:
            return -1, place, part, rows[i, 0], 0, 0
    if not numbers[_MATCH]:
        records[0].rng = 0
    return build(records, rules, numbers, rows, builds, work, keys, said)
