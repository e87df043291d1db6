"""Which combinations of switches can be played."""

from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import I8
from casino_env.engine.state import (
    AS_BUILT,
    ASK_ORDER,
    BUILD_ON_TOP,
    CHAIN_ALL,
    COURTS_ONE,
    COURTS_VALUE,
    DISCARD_ALWAYS,
    FACE_DOWN,
    FOR_BUILDS,
    LOSER,
    MERGE,
    NEW_FREELY,
    NO_REQUEST,
    NO_STEAL,
    SEATS,
    SECRET,
    STEAL,
    STEAL_BOUND,
    TO_BIG_TEN,
    RulesRow,
)

# The greatest that numbers may be: a record has so much room.
MOST = {"build_limit": 14, "target": 9999, "match_rounds": 25, "match_games": 25}
MOST_POINTS = 127  # of other numbers, and of one side in a deal

# What would be right, by the number of its flag below. Words in braces are switches, or follow from them.
NONSENSE = {
    1: "deck = {deck}; it must be one of {decks}",
    2: "players must be 2 to 6",
    3: "partners need 4 players",
    4: "table_cards = {table_cards} leaves nothing to deal",
    5: "rounds must be 1 or more",
    6: "{players} hands of {draw_hand} are more than the pack",
    7: "{dealt} cards cannot be drawn evenly by {players} players",
    8: "{dealt} cards cannot be dealt evenly in {rounds} rounds",
    9: "ace_high needs courts = value",
    10: "ace_high needs the 52-card pack",
    11: "recut needs table_cards",
    12: "recut with eight or more table_cards might never end",
    13: "shared_pile needs partners",
    14: "steal_from_partner needs partners",
    15: "steal_from_partner needs separate piles",
    16: "partner_builds needs partners",
    17: "partner_builds needs keep_backing: nothing is proven without it",
    18: "partner_request needs partners",
    19: "partner_builds needs equal_builds = merge",
    20: "partner_request needs equal_builds = merge",
    21: "request_for = {request_for} needs partner_request",
    22: "add_to_partner off needs equal_builds = merge",
    23: "new_builds = {new_builds} needs equal_builds = merge",
    24: "without keep_backing owner_discard must be always",
    25: "without keep_backing there is no build_limit",
    26: "steal needs equal_builds = merge",
    27: "raise_with_table needs equal_builds = join or never",
    28: "steal = bound needs keep_backing",
    29: "no_return needs steal = augment or bound",
    30: "steal needs face-up piles",
    31: "capture_tops needs face-up piles",
    32: "capture_tops needs multi_capture",
    33: "multi_capture off needs courts = one or value",
    34: "pile_capture_needs_table_card needs capture_tops",
    35: "tops_in_sums off needs capture_tops",
    36: "owner_top off needs tops_in_sums off",
    37: "chain = all needs piles whose order everybody knows, not stacking = secret",
    38: "stacking = {stacking} needs equal_builds = merge",
    39: "pile_order = ask needs stacking = secret",
    40: "bundles is played singly, without drawing",
    41: "bundles has no sweeps",
    42: "one deal may come to {points} points; {most} are the most",
    43: "a target needs points",
    44: "count_out needs a target",
    45: "a match ends by target or by match_rounds, not both",
    46: "match_games needs points",
    47: "a match ends by match_games or by target, not both",
    48: "a match ends by match_games or by match_rounds, not both",
    49: "tie_break = big_ten needs big_points",
    50: "next_leader = loser needs single players",
}


@kernel
def points_of_a_deal(r):
    """No side can have more."""
    shared = r.cards_points + r.spades_points + r.five_spades_points + r.big_points + (CARDS if r.sweeps else 0)
    return shared + (16 + 3 * r.ace_points if r.spade_cards else r.little_points + 4 * r.ace_points)


@kernel
def _before_stealing(r, dealt, wrong):
    hands = max(1, r.players * (r.draw_hand if r.draw_hand else r.rounds))
    asks, merges = r.partner_request != NO_REQUEST, r.equal_builds == MERGE
    wrong[1] = r.deck == 0
    wrong[2] = r.players < 2 or r.players > SEATS
    wrong[3] = r.partners and r.players != 4
    wrong[4] = dealt <= 0
    wrong[5] = not r.draw_hand and r.rounds < 1
    wrong[6] = r.draw_hand and hands > dealt
    wrong[7] = r.draw_hand and dealt % max(1, r.players) > 0
    wrong[8] = not r.draw_hand and dealt % hands > 0
    wrong[9] = r.ace_high and r.courts != COURTS_VALUE
    wrong[10] = r.ace_high and r.deck >> (CARDS - 1) == 0
    wrong[11] = r.recut and r.table_cards == 0
    wrong[12] = r.recut and r.table_cards >= 8
    wrong[13] = r.shared_pile and not r.partners
    wrong[14] = r.steal_from_partner and not r.partners
    wrong[15] = r.steal_from_partner and r.shared_pile
    wrong[16] = r.partner_builds and not r.partners
    wrong[17] = r.partner_builds and not r.keep_backing
    wrong[18] = asks and not r.partners
    wrong[19] = r.partner_builds and not merges
    wrong[20] = asks and not merges
    wrong[21] = r.request_for != FOR_BUILDS and not asks
    wrong[22] = not r.add_to_partner and not merges
    wrong[23] = r.new_builds != NEW_FREELY and not merges
    wrong[24] = not r.keep_backing and r.owner_discard != DISCARD_ALWAYS
    wrong[25] = not r.keep_backing and r.build_limit > 0


@kernel
def _from_stealing_on(r, points, wrong):
    steals, merges = r.steal != NO_STEAL, r.equal_builds == MERGE
    wrong[26] = steals and not merges
    wrong[27] = r.raise_with_table and merges
    wrong[28] = r.steal == STEAL_BOUND and not r.keep_backing
    wrong[29] = r.no_return and r.steal != STEAL and r.steal != STEAL_BOUND
    wrong[30] = steals and r.stacking == FACE_DOWN
    wrong[31] = r.capture_tops and r.stacking == FACE_DOWN
    wrong[32] = r.capture_tops and not r.multi_capture
    wrong[33] = not r.multi_capture and r.courts != COURTS_ONE and r.courts != COURTS_VALUE
    wrong[34] = r.pile_capture_needs_table_card and not r.capture_tops
    wrong[35] = not r.tops_in_sums and not r.capture_tops
    wrong[36] = not r.owner_top and r.tops_in_sums
    wrong[37] = r.chain == CHAIN_ALL and r.capture_tops and r.stacking == SECRET
    wrong[38] = not merges and not r.bundles and (r.stacking == AS_BUILT or r.stacking == BUILD_ON_TOP)
    wrong[39] = r.pile_order == ASK_ORDER and r.stacking != SECRET
    wrong[40] = r.bundles and (r.partners or r.draw_hand > 0)
    wrong[41] = r.sweeps and r.bundles
    wrong[42] = points > MOST_POINTS
    wrong[43] = r.target > 0 and points == 0
    wrong[44] = r.count_out and r.target == 0
    wrong[45] = r.target > 0 and r.match_rounds > 0
    wrong[46] = r.match_games > 0 and points == 0
    wrong[47] = r.match_games > 0 and r.target > 0
    wrong[48] = r.match_games > 0 and r.match_rounds > 0
    wrong[49] = r.tie_break == TO_BIG_TEN and r.big_points == 0
    wrong[50] = r.next_leader == LOSER and r.partners


@entry
def first_nonsense(rules: RulesRow, wrong: I8) -> tuple[int, int, int]:
    """The first row of NONSENSE that holds, 0 if none does; the cards to deal, the most points of a deal.

    wrong: as many flags as NONSENSE has rows, and one.
    """
    r = rules[0]
    dealt, points, first = r.deck_size - r.table_cards, points_of_a_deal(r), 0
    _before_stealing(r, dealt, wrong)
    _from_stealing_on(r, points, wrong)
    for row in range(len(wrong) - 1, 0, -1):
        if wrong[row]:
            first = row
    return first, dealt, points
