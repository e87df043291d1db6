"""The turn: applying an action, and playing forced actions."""

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, COUNT_OUT, DISCARD, END, NO, RAISE, YES
from casino_env.compiler.jit import kernel
from casino_env.engine import action_set
from casino_env.engine.captures import (
    ask_opponents,
    begin_capture,
    declare,
    discard,
    follow_most,
    lay_down,
    leave_to_partner,
    pick_for_capture,
    seat_after,
    sort_card,
    take_bundle,
)
from casino_env.engine.deal import finish_turn, reset_turn
from casino_env.engine.legal import legal_actions, set_values
from casino_env.engine.reading import card_value, partner_of, side_builds
from casino_env.engine.scoring import settle_count_out
from casino_env.engine.sets import begin_set, lay_set, pick_for_set
from casino_env.engine.state import (
    ASK,
    BINDING,
    BUNDLE,
    CAPTURING,
    COMPLETE,
    GRANT,
    IDLE,
    INSIST_ADD,
    MAXIMAL,
    OVER,
    OWNER,
    RAISED,
    REQUEST,
    SET,
    SORTING,
)

# --- applying an action ------------------------------------------------------------------------------------------


@kernel
def _apply_idle(g, r, action):
    if action < CAPTURE:
        card = action - DISCARD
        if r.bundles:
            lay_down(g, r, card)
        else:
            discard(g, r, card)
    elif action < CAPTURE_HIGH:
        card = action - CAPTURE
        if r.bundles:
            g.mode = BUNDLE
            g.acted = 1
            g.hand_card = card
        else:
            begin_capture(g, r, card, card_value(r, card))
    elif action < BUILD:
        begin_capture(g, r, action - CAPTURE_HIGH, 14)
    elif action < RAISE:
        value = action - BUILD + 1
        begin_set(g, value, value)
    elif action < END:
        g.mode = RAISED
        g.acted = 1
        g.raising = action - RAISE + 1
    elif action == COUNT_OUT:
        settle_count_out(g, r, g.to_move)
        reset_turn(g)
        g.mode = OVER
    else:
        _end_turn(g, r)


@kernel
def _end_turn(g, r):
    """End the turn, unless under `ask` opponents may first insist that more is added."""
    if r.insist_augment == ASK and not g.must_add and set_values(g, r) & side_builds(g, r, g.to_move):
        ask_opponents(g, r, INSIST_ADD)
        return
    finish_turn(g, r)


@kernel
def _answer(g, r, yes):
    """Apply an answer to a question inside a turn."""
    mode = g.mode
    if mode == OWNER:
        lay_set(g, r, g.to_move if yes else partner_of(g.to_move))
    elif mode == REQUEST and yes and r.partner_request != BINDING:
        g.mode = GRANT
        g.actor = g.to_move
    elif (mode == REQUEST or mode == GRANT) and yes:
        leave_to_partner(g, r)
    elif mode == REQUEST or mode == GRANT:
        declare(g, r)
    elif yes:
        g.actor = g.to_move
        if mode == INSIST_ADD:
            g.mode = IDLE
            g.must_add = 1
        else:
            g.mode = COMPLETE
    else:
        _let_stand(g, r)


@kernel
def _let_stand(g, r):
    """This opponent does not insist: ask the next, or go on after the last."""
    mode = g.mode
    following = seat_after(g, r, g.actor)
    if following >= 0:
        g.actor = following
    elif mode == INSIST_ADD:
        finish_turn(g, r)
    elif g.picked == 0 and not g.take_build:
        lay_down(g, r, g.hand_card)
    else:
        declare(g, r)


@kernel
def _apply_card(g, r, card):
    mode = g.mode
    if mode == SET:
        pick_for_set(g, r, card)
    elif mode == CAPTURING:
        pick_for_capture(g, r, card)
    elif mode == MAXIMAL:
        g.picked |= 1 << card
        g.open_last = card
        follow_most(g, r)
    elif mode == SORTING:
        sort_card(g, r, card)
    else:
        take_bundle(g, r, card)


@kernel
def apply(g, r, action):
    """Apply one legal action."""
    if action < DISCARD:
        _apply_card(g, r, action)
    elif action == YES or action == NO:
        _answer(g, r, action == YES)
    elif g.mode == IDLE or g.mode == COMPLETE:
        _apply_idle(g, r, action)
    elif g.mode == RAISED:
        value = action - BUILD + 1
        begin_set(g, value, value - g.raising)
    elif action == END:
        declare(g, r)
    else:  # the build of a capture
        g.take_build = 1
        if not r.multi_capture:
            declare(g, r)


# --- forced play -------------------------------------------------------------------------------------------------


@kernel
def play_forced(g, r):
    """Play while only one action is legal; return the legal actions of the next real choice (none: it is over)."""
    legal = legal_actions(g, r)
    while action_set.count(legal) == 1:
        apply(g, r, action_set.nth(legal, 0))
        legal = legal_actions(g, r)
    return legal


@kernel
def decide(g, r, action):
    """Apply an action and all forced actions after it; return the legal actions."""
    apply(g, r, action)
    return play_forced(g, r)
