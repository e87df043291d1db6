"""The turn: which actions are legal, what each does, and playing on through forced ones."""

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, COUNT_OUT, DISCARD, END, NO, RAISE, YES
from casino_env.captures import (
    all_it_can,
    can_take,
    can_take_any,
    capture_cards,
    card_value,
    is_most,
    may_capture,
    may_pick_build,
    may_stop,
    most_captures,
    must_take_build,
    takeable,
)
from casino_env.deal import close_action, finish_turn, lay, reset_turn
from casino_env.jit import highest, kernel, lowest, popcount
from casino_env.piles import clear_build, push, set_owner, stack_capture, steal_bundle, take_loose_and_tops
from casino_env.scoring import settle_count_out
from casino_env.sets import (
    any_by_hand,
    any_by_table,
    base_works,
    first_cards,
    may_raise,
    open_set_cards,
    own_by_hand,
    own_by_table,
    partner_may_own,
    raise_values,
    set_pools,
)
from casino_env.state import (
    ALWAYS,
    ASK,
    ASK_ORDER,
    BINDING,
    BUNDLE,
    CAPTURING,
    CARDS_TOTAL,
    COMPLETE,
    GRANT,
    IDLE,
    INSIST_ADD,
    INSIST_CAPTURE,
    JOIN,
    MAXIMAL,
    MERGE,
    NO_REQUEST,
    OVER,
    OWNER,
    RAISED,
    REQUEST,
    SET,
    SORTING,
)
from casino_env.table import (
    backed,
    kept,
    loose_cards,
    over_limit,
    owner_of,
    owners_may_discard,
    partner_of,
    pile_of,
    rank_cards,
    side_builds,
    side_of,
    spare,
    standing,
)

# ruff: noqa: ANN001, ANN201

# Legal actions travel as four words: cards, discards, captures, others (from CAPTURE_HIGH on).
_BUILD_BIT = BUILD - CAPTURE_HIGH - 1  # plus the value
_RAISE_BIT = RAISE - CAPTURE_HIGH - 1
_END = 1 << (END - CAPTURE_HIGH)
_YES = 1 << (YES - CAPTURE_HIGH)
_NO = 1 << (NO - CAPTURE_HIGH)
_REQUESTED, _INSISTED = 1, 2
_COUNT_OUT = 1 << (COUNT_OUT - CAPTURE_HIGH)


# --- what is legal -----------------------------------------------------------------------------------------------


@kernel
def _new_values(g, r, loose):
    """Bit v: there may be cards for a new build of v and a card that takes it. A quick first sieve."""
    held = g.hands[g.to_move]
    once, twice = 0, 0  # sums of one loose card or more, of two or more
    rest = loose
    while rest:
        value = (lowest(rest) >> 2) + 1
        rest &= rest - 1
        twice |= once << value
        once |= (1 | once) << value & 0x7FFF
    sums, backing = twice | _rank_values(loose, r), _rank_values(held & r.numeric, r)
    if not g.played:
        for value in range(1, 14):
            if backing >> value & 1:
                sums |= once << value
    if r.partner_builds:
        backing |= g.proven[partner_of(g.to_move)]
    return sums & backing


@kernel
def _rank_values(cards, r):
    """Bit v: one of the cards is worth v."""
    values = 0
    for value in range(1, 14):
        if cards & rank_cards(value):
            values |= 1 << value
    if r.ace_high:
        values |= (values >> 1 & 1) << 14
    return values


@kernel
def _set_values(g, r):
    """Bit v: a set worth v can be begun."""
    if g.unfinished:
        return 1 << g.unfinished
    if g.played and not r.table_builds and g.play_value == 0:
        return 0
    loose = loose_cards(g, r)
    on_table = standing(g, r)
    source = g.pile_top[g.last_source] if g.last_source >= 0 else -1
    values = 0
    rest = on_table | (_new_values(g, r, loose) if loose else 0)
    while rest:
        value = lowest(rest)
        rest &= rest - 1
        hand, top, flags = set_pools(g, r, value)
        if flags and first_cards(r, loose, hand, top, flags, value, source):
            values |= 1 << value
    return values


@kernel
def _idle_raises(g, r):
    values = 0
    low = standing(g, r)
    while low:
        value = lowest(low)
        low &= low - 1
        if may_raise(g, r, value) and raise_values(g, r, value):
            values |= 1 << value
    return values


@kernel
def _idle_captures(g, r, values):
    """(captures, captures as 14)"""
    plain, high = 0, 0
    hand = g.hands[g.to_move]
    while hand:
        card = lowest(hand)
        equal = hand & (15 << (card & ~3))  # cards of a rank can do the same
        hand &= ~equal
        if may_capture(g, r, card, card_value(r, card), values):
            plain |= equal
        if card < 4 and r.ace_high and may_capture(g, r, card, 14, values):
            high |= equal
    return plain, high


@kernel
def _idle_discards(g, r, values):
    seat = g.to_move
    if g.debt or over_limit(g, r, seat) or (g.owned[seat] and not owners_may_discard(g, r)):
        return 0
    cards = spare(g.hands[seat], kept(g, r, seat))
    if r.insist_capture != ALWAYS:
        return cards
    legal, rest = 0, cards
    while rest:
        card = lowest(rest)
        equal = rest & (15 << (card & ~3))
        rest &= ~equal
        if not can_take_any(g, r, card, values):
            legal |= equal
    return legal


@kernel
def _bundle_words(g, r):
    if g.played:
        return 0, 0, 0, _END
    hand = g.hands[g.to_move]
    ranks = g.layout
    for seat in range(r.players):
        if seat != g.to_move and g.pile_top[seat] >= 0:
            ranks |= 1 << g.pile_top[seat]
    captures, rest = 0, hand
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if ranks & (15 << (card & ~3)):
            captures |= 1 << card
    return 0, hand, captures, 0


@kernel
def _idle_words(g, r):
    if r.bundles:
        return _bundle_words(g, r)
    values = _set_values(g, r)
    other = values << _BUILD_BIT
    if g.unfinished:
        return 0, 0, 0, other
    if g.played:
        owed = (g.must_add or r.insist_augment == ALWAYS) and values & side_builds(g, r, g.to_move)
        if not owed:
            other |= _END
        return 0, 0, 0, other
    takes = takeable(g, r)
    captures, high = _idle_captures(g, r, takes)
    other |= high | _idle_raises(g, r) << _RAISE_BIT
    if r.count_out and not g.acted:
        other |= _COUNT_OUT
    return 0, _idle_discards(g, r, takes), captures, other


@kernel
def _complete_words(g, r):
    """An insisted play: the same card again, for all it can take."""
    card, value = g.hand_card, card_value(r, g.hand_card)
    captures, high = 0, 0
    if g.take_build:  # the build is part of it, so the value stays
        if g.open_value == 14:
            high = 1 << card
        else:
            captures = 1 << card
        return 0, 0, captures, high
    values = takeable(g, r)
    if can_take(g, card, value, values) and all_it_can(g, r, value, values) and g.open_value != 14:
        captures = 1 << card
    if value == 1 and r.ace_high and values >> 14 & 1:
        high = 1 << card
    return 0, 0, captures, high


@kernel
def _bundle_cards(g, r):
    """The table (named by its highest card of the rank) or the top of a pile."""
    rank = 15 << (g.hand_card & ~3)
    cards = 0
    if g.layout & rank:
        cards = 1 << highest(g.layout & rank)
    for seat in range(r.players):
        if seat != g.to_move and g.pile_top[seat] >= 0:
            cards |= rank & (1 << g.pile_top[seat])
    return cards


@kernel
def _request_words(g, r):
    """R62: only a partner that can take the build may ask for it; the others pass unseen."""
    needs = g.owned[g.actor] | 1 << g.open_value
    return (0, 0, 0, _YES | _NO) if backed(g.hands[g.actor], needs) else (0, 0, 0, _NO)


@kernel
def legal_words(g, r):
    """All legal actions of the actor; all zero when the game is over."""
    mode = g.mode
    if mode == IDLE:
        return _idle_words(g, r)
    if mode == SET:
        return open_set_cards(g, r), 0, 0, 0
    if mode == RAISED:
        return 0, 0, 0, raise_values(g, r, g.raising) << _BUILD_BIT
    if mode == CAPTURING:
        other = 0
        if may_pick_build(g, r):
            other |= 1 << (_BUILD_BIT + g.open_value)
        if may_stop(g, r):
            other |= _END
        return capture_cards(g, r), 0, 0, other
    if mode == MAXIMAL:
        other = 0
        if not r.multi_capture and standing(g, r) >> g.open_value & 1:
            other |= 1 << (_BUILD_BIT + g.open_value)
        return most_captures(g, r)[2], 0, 0, other
    if mode == COMPLETE:
        return _complete_words(g, r)
    if mode == SORTING:
        return g.required, 0, 0, 0
    if mode == BUNDLE:
        return _bundle_cards(g, r), 0, 0, 0
    if mode == REQUEST:
        return _request_words(g, r)
    if mode == OVER:
        return 0, 0, 0, 0
    return 0, 0, 0, _YES | _NO


# --- laying sets -------------------------------------------------------------------------------------------------


@kernel
def _play_hand_card(g, card):
    seat = g.to_move
    g.hands[seat] &= ~(1 << card)
    g.played = 1
    value = (card >> 2) + 1
    g.proven[seat] &= ~(1 << value)
    if value == 1:
        g.proven[seat] &= ~(1 << 14)


@kernel
def _prove(g, r, seat, value):
    """R60: the seat is known to hold a card that takes value."""
    if r.keep_backing:
        g.proven[seat] |= 1 << value
        if r.ace_high and (value == 1 or value == 14):
            g.proven[seat] |= 1 << 1 | 1 << 14


@kernel
def _source_of(g, r, card):
    """The pile whose top the card is; -1 for the table and the hand."""
    for pile in range(r.players):
        if g.pile_top[pile] == card:
            return pile
    return -1


@kernel
def _begin_set(g, value, left):
    g.mode = SET
    g.acted = 1
    g.open_value = value
    g.open_left = left


@kernel
def _pick_for_set(g, r, card):
    g.open_cards[g.open_count] = card
    g.open_count += 1
    g.picked |= 1 << card
    g.open_last = card
    g.open_left -= 14 if card < 4 and g.open_left == 14 else (card >> 2) + 1
    if g.hands[g.to_move] >> card & 1:
        g.hand_card = card
    if g.open_left == 0:
        _set_complete(g, r)


@kernel
def _set_complete(g, r):
    """The cards add up: settle whose build it is, then lay them."""
    value = g.open_value
    owner = owner_of(g, r, value)
    seat = g.to_move
    if g.raising:
        joins = owner >= 0 and r.equal_builds == MERGE
        _lay_set(g, r, owner if joins else seat)
        return
    if owner >= 0:
        _lay_set(g, r, seat if r.equal_builds == JOIN else owner)
        return
    if not partner_may_own(g, r, value):
        _lay_set(g, r, seat)
        return
    partner = partner_of(seat)
    if g.open_count == 1:
        mine, theirs = base_works(g, r, value, True), base_works(g, r, value, False)
    elif g.hand_card >= 0:
        mine = own_by_hand(g, r, value, 1) >> g.hand_card & 1 != 0
        theirs = any_by_hand(g, r) >> g.hand_card & 1 != 0
    else:
        mine, theirs = own_by_table(g, r, value, 1), any_by_table(g, r)
    if mine and theirs:
        g.mode = OWNER
        return
    _lay_set(g, r, seat if mine else partner)


@kernel
def _lay_set(g, r, owner):
    """Move the open cards onto the build of open_value, which is (or becomes) the owner's."""
    value = g.open_value
    stood = g.build_sets[value] > 0
    _note_addition(g, r, value, stood, owner)
    if g.raising:
        _pull_raised(g, r, value)
    for i in range(g.open_count):
        card = g.open_cards[i]
        g.last_source = _source_of(g, r, card)
        if i == 0 and not g.raising:
            g.starts |= 1 << card
        else:
            g.starts &= ~(1 << card)
    take_loose_and_tops(g, r, g.picked)
    for i in range(g.open_count):
        card = g.open_cards[i]
        g.below[card] = g.build_top[value]
        g.build_top[value] = card
    g.build_cards[value] |= g.picked
    if not g.raising:
        g.build_sets[value] += 1
    if owner_of(g, r, value) != owner:
        set_owner(g, r, value, owner)
    g.unfinished = value if g.build_sets[value] == 1 and g.open_count == 1 and not g.raising else 0
    if g.hand_card >= 0:
        _play_hand_card(g, g.hand_card)
        if not r.table_builds:
            g.play_value = value
    close_action(g)


@kernel
def _note_addition(g, r, value, stood, owner):
    """Debts and the once-a-turn rules that follow from adding to a standing build."""
    seat = g.to_move
    if g.picked & ~(g.layout | g.hands[seat]):
        g.stolen = 1
    if not stood or r.equal_builds != MERGE:
        return
    if side_of(r, owner) != side_of(r, seat):
        g.debt = value
    elif g.raising:
        g.merged = 1
    elif not g.unfinished:
        g.added = 1
        if g.hand_card >= 0 and owner == seat:
            g.joined = value


@kernel
def _pull_raised(g, r, value):
    """Put the build that is raised on top of the build of its new value, or in its place."""
    low = g.raising
    owner = owner_of(g, r, low)
    if side_of(r, owner) != side_of(r, g.to_move):
        _prove(g, r, owner, low)
    if g.build_top[value] >= 0:
        bottom = g.build_top[low]
        while g.below[bottom] >= 0:
            bottom = g.below[bottom]
        g.below[bottom] = g.build_top[value]
    g.build_top[value] = g.build_top[low]
    g.build_cards[value] |= g.build_cards[low]
    g.build_sets[value] += 1
    clear_build(g, r, low)


# --- captures and discards ---------------------------------------------------------------------------------------


@kernel
def _begin_capture(g, r, card, value):
    """Declare a capture, and go straight on where nothing is to be chosen."""
    again = g.mode == COMPLETE
    if again:
        g.required = g.picked
    g.acted = 1
    g.hand_card = card
    g.open_value = value
    g.picked = 0
    g.open_last = CARDS_TOTAL
    g.open_left = 0
    build = standing(g, r) >> value & 1 if value else 0
    everything = again or r.insist_capture == ALWAYS
    g.take_build = 1 if build and (must_take_build(g, r, card, value) or (everything and r.multi_capture)) else 0
    if g.take_build and not r.multi_capture:
        _declare(g, r)
    elif everything:
        g.mode = MAXIMAL
        _follow_most(g, r)
    else:
        g.mode = CAPTURING


@kernel
def _follow_most(g, r):
    """If one greatest capture is left, it is the one."""
    taken, several, _ = most_captures(g, r)
    if several:
        return
    if not r.multi_capture and not taken and g.open_value and standing(g, r) >> g.open_value & 1:
        g.take_build = 1
    g.picked = max(taken, 0)
    _declare(g, r)


@kernel
def _pick_for_capture(g, r, card):
    """Take one more card; groups close by themselves."""
    if g.open_value:
        worth = (card >> 2) + 1
        if g.open_left == 0:
            top = not g.layout >> card & 1
            if top and r.pile_capture_needs_table_card and (g.tops_only or card >= g.lead):
                g.tops_only = 1
            g.lead = card
            g.open_left = 0 if card < 4 and g.open_value == 14 else g.open_value - worth
        else:
            g.open_left -= worth
    g.open_last = card
    g.picked |= 1 << card
    if not r.multi_capture:
        _declare(g, r)


@kernel
def _seat_after(g, r, seat):
    """The next opponent of the mover after the seat, in turn order; -1 when all have been asked."""
    for i in range(1, r.players):
        other = (seat + i) % r.players
        if other == g.to_move:
            return -1
        if side_of(r, other) != side_of(r, g.to_move):
            return other
    return -1


@kernel
def _ask_opponents(g, r, mode):
    g.mode = mode
    g.acted = 1
    g.actor = _seat_after(g, r, g.to_move)


@kernel
def _declare(g, r):
    """The choice is made: a request and insisting come before the cards move, sorting comes with it."""
    side = side_builds(g, r, g.to_move)
    if r.partner_request != NO_REQUEST and not g.settled & _REQUESTED and g.take_build and side >> g.open_value & 1:
        g.settled |= _REQUESTED
        g.mode = REQUEST
        g.actor = partner_of(g.to_move)
        return
    if r.insist_capture == ASK and not g.settled & _INSISTED:
        g.settled |= _INSISTED
        if not is_most(g, r):
            _ask_opponents(g, r, INSIST_CAPTURE)
            return
    g.actor = g.to_move
    _capture(g, r)


@kernel
def _capture(g, r):
    """The declared cards go to the mover's pile."""
    card, value = g.hand_card, g.open_value if g.take_build else 0
    cards = g.picked | (g.build_cards[value] if value else 0)
    sorting = r.pile_order == ASK_ORDER and popcount(cards) > 1
    _play_hand_card(g, card)
    take_loose_and_tops(g, r, g.picked)
    if not sorting:
        stack_capture(g, r, card, g.picked, value)
    if value:
        owner = owner_of(g, r, value)
        if owner != g.to_move:
            _prove(g, r, owner, value)
        clear_build(g, r, value)
        if g.debt == value:
            g.debt = 0
    g.last_capture = g.to_move
    if g.layout == 0 and standing(g, r) == 0:
        g.sweeps[side_of(r, g.to_move)] += 1
    close_action(g)
    if sorting:
        g.mode = SORTING
        g.hand_card = card
        g.required = cards


@kernel
def _sort_card(g, r, card):
    """Lay one more captured card on the pile; the capturing card comes last."""
    pile = pile_of(r, g.to_move)
    push(g, pile, card)
    if not g.picked:
        g.starts |= 1 << card
    g.picked |= 1 << card
    g.required &= ~(1 << card)
    if not g.required:
        push(g, pile, g.hand_card)
        close_action(g)


@kernel
def _spare_build(g, r):
    """R62: the played card joins the build instead, and the partner becomes its owner."""
    value, card = g.open_value, g.hand_card
    _play_hand_card(g, card)
    g.below[card] = g.build_top[value]
    g.build_top[value] = card
    g.build_cards[value] |= 1 << card
    g.build_sets[value] += 1
    g.starts |= 1 << card
    g.last_source = -1
    set_owner(g, r, value, partner_of(g.to_move))
    close_action(g)


@kernel
def _discard(g, r, card):
    """Leave the card loose; under `ask` an opponent may want it to capture."""
    if r.insist_capture == ASK and can_take_any(g, r, card, takeable(g, r)):
        g.hand_card = card
        _ask_opponents(g, r, INSIST_CAPTURE)
        return
    _lay_down(g, r, card)


@kernel
def _lay_down(g, r, card):
    close_action(g)
    g.acted = 1
    _play_hand_card(g, card)
    lay(g, card)
    g.laid_now = card
    g.no_new_build = 0 if owners_may_discard(g, r) else 1


@kernel
def _take_bundle(g, r, card):
    played = g.hand_card
    _play_hand_card(g, played)
    if g.layout >> card & 1:
        cards = g.layout & (15 << (card & ~3))
        take_loose_and_tops(g, r, cards)
        stack_capture(g, r, played, cards, 0)
    else:
        steal_bundle(g, r, played, _source_of(g, r, card))
    g.last_capture = g.to_move
    close_action(g)


# --- applying an action ------------------------------------------------------------------------------------------


@kernel
def _apply_idle(g, r, action):
    if action < CAPTURE:
        card = action - DISCARD
        if r.bundles:
            _lay_down(g, r, card)
        else:
            _discard(g, r, card)
    elif action < CAPTURE_HIGH:
        card = action - CAPTURE
        if r.bundles:
            g.mode = BUNDLE
            g.acted = 1
            g.hand_card = card
        else:
            _begin_capture(g, r, card, card_value(r, card))
    elif action < BUILD:
        _begin_capture(g, r, action - CAPTURE_HIGH, 14)
    elif action < RAISE:
        value = action - BUILD + 1
        _begin_set(g, value, value)
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
    """END: under `ask` an opponent may want what can be added to be added."""
    if r.insist_augment == ASK and not g.must_add and _set_values(g, r) & side_builds(g, r, g.to_move):
        _ask_opponents(g, r, INSIST_ADD)
        return
    finish_turn(g, r)


@kernel
def _answer(g, r, yes):
    """An answer to one of the questions inside a turn."""
    mode = g.mode
    if mode == OWNER:
        _lay_set(g, r, g.to_move if yes else partner_of(g.to_move))
    elif mode == REQUEST and yes and r.partner_request != BINDING:
        g.mode = GRANT
        g.actor = g.to_move
    elif (mode == REQUEST or mode == GRANT) and yes:
        _spare_build(g, r)
    elif mode == REQUEST or mode == GRANT:
        _declare(g, r)
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
    """This opponent does not insist; perhaps the next does."""
    mode = g.mode
    following = _seat_after(g, r, g.actor)
    if following >= 0:
        g.actor = following
    elif mode == INSIST_ADD:
        finish_turn(g, r)
    elif g.picked == 0 and not g.take_build:
        _lay_down(g, r, g.hand_card)
    else:
        _declare(g, r)


@kernel
def _apply_card(g, r, card):
    mode = g.mode
    if mode == SET:
        _pick_for_set(g, r, card)
    elif mode == CAPTURING:
        _pick_for_capture(g, r, card)
    elif mode == MAXIMAL:
        g.picked |= 1 << card
        g.open_last = card
        _follow_most(g, r)
    elif mode == SORTING:
        _sort_card(g, r, card)
    else:
        _take_bundle(g, r, card)


@kernel
def apply(g, r, action):
    """Do one legal micro-action."""
    if action < DISCARD:
        _apply_card(g, r, action)
    elif action == YES or action == NO:
        _answer(g, r, action == YES)
    elif g.mode == IDLE or g.mode == COMPLETE:
        _apply_idle(g, r, action)
    elif g.mode == RAISED:
        value = action - BUILD + 1
        _begin_set(g, value, value - g.raising)
    elif action == END:
        _declare(g, r)
    else:  # the build of a capture
        g.take_build = 1
        if not r.multi_capture:
            _declare(g, r)


# --- playing on --------------------------------------------------------------------------------------------------


@kernel
def word_count(words):
    return popcount(words[0]) + popcount(words[1]) + popcount(words[2]) + popcount(words[3])


@kernel
def nth_action(words, n):
    """The n-th legal action in catalogue order."""
    base = 0
    for word in words:
        count = popcount(word)
        if n < count:
            for _ in range(n):
                word &= word - 1
            return base + lowest(word)
        n -= count
        base += CARDS_TOTAL
    return -1


@kernel
def has_action(words, action):
    if action < 0 or action >= CAPTURE_HIGH + 36:
        return False
    return words[action // CARDS_TOTAL] >> (action % CARDS_TOTAL) & 1 != 0


@kernel
def play_forced(g, r):
    """Play on while there is one legal action; returns the words of the first real choice (or of the end)."""
    words = legal_words(g, r)
    while word_count(words) == 1:
        apply(g, r, nth_action(words, 0))
        words = legal_words(g, r)
    return words


@kernel
def step(g, r, action):
    """One decision and all forced actions after it."""
    apply(g, r, action)
    return play_forced(g, r)
