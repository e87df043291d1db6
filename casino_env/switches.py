"""The switches: every rule that differs between the games. docs/rules.md explains each field."""

from dataclasses import dataclass
from typing import Literal

Ask = Literal["never", "always", "ask"]


@dataclass(frozen=True)
class Switches:
    """The switches, unchecked; rules.Rules checks that they can be played."""

    name: str = "custom"
    players: int = 2
    # --- cards, seats and the deal
    partners: bool = False  # seats 0 and 2 play 1 and 3
    deck: int = 52  # cards in the pack
    ace_high: bool = False  # an ace also counts 14
    courts: Literal["value", "any", "one_or_three", "one"] = "value"  # J Q K count 11-13, or take so many of their rank
    table_cards: int = 4  # loose cards laid out at the start
    rounds: int = 1  # deals into which the pack is split; ignored when drawing
    draw_hand: int = 0  # hand size kept by drawing after each turn; 0 = no drawing
    recut: bool = False  # deal again if the first layout has three points or three pictures
    next_leader: Literal["rotates", "loser", "drawn"] = "rotates"  # who leads the next deal
    # --- building
    # a new build needs no hand card, the hand card in its first set (or on a base), or the hand card in any set
    new_builds: Literal["free", "by_hand", "with_hand"] = "free"
    raise_by: Literal["opponents", "anyone"] = "opponents"  # whose single builds may be raised
    raise_with_table: bool = False  # loose cards may help the hand card in a raise
    raise_limit: Literal["none", "double"] = "none"  # a raised build may have any value, or at most double its old one
    resort_raised: bool = False  # a raised set is sorted again from high to low; off: its hand card lies on top
    # a set worth a standing build merges with the own side's (African games), joins anybody's (Cassino), or is illegal
    equal_builds: Literal["merge", "join", "never"] = "merge"
    keep_backing: bool = True  # a seat keeps the last card that can take a build of its own
    build_limit: int = 0  # builds a seat may own at the end of its turn; 0 = any number
    limit_first_phase_only: bool = False  # build_limit ends with the first phase
    second_build_in_turn: bool = True  # a build over the limit may be made if one is captured in the same turn
    owner_discard: Literal["always", "second_phase", "never"] = "always"  # when the owner of a build may discard
    use_discard_same_turn: bool = True  # the discarded card may go into sets in the same turn
    # --- stealing
    # pile tops may go into sets: never, in additions, one a turn with a hand card, or any number, which bind that card
    steal: Literal["no", "augment", "with_hand_card", "bound"] = "no"
    steal_from_partner: bool = False  # the partner's pile may be stolen from as well
    # the card under a used top may be used next: in sets, never (one card a pile and turn), or in captures as well
    chain: Literal["sets", "no", "all"] = "sets"
    no_return: bool = False  # a set of several cards may not start with the pile that gave the last card
    raise_or_add: bool = False  # a turn that merges a raised build adds no other set to the side's builds
    # --- capturing
    capture_tops: bool = False  # pile tops are captured like loose cards
    pile_capture_needs_table_card: bool = False  # a capture of tops must also take a loose card or the build
    tops_in_sums: bool = True  # off: a top is taken alone, and only with an equal loose card or the build of its value
    owner_top: bool = True  # off: a capture of an opponent's build takes its owner's top only with an equal loose card
    multi_capture: bool = True  # off: one loose card or one build, no sums
    # a capturing card has to take all it can: never, always, or if an opponent asks for it
    insist_capture: Ask = "never"
    insist_augment: Ask = "never"  # the mover must add the sets that it can before the turn ends: likewise
    # --- partners
    shared_pile: bool = False  # partners have one pile, under the lower seat
    add_to_partner: bool = True  # sets and raises may go onto the partner's builds
    partner_builds: bool = False  # a seat may build for a partner who is known to hold the rank
    partner_request: Literal["off", "optional", "binding"] = "off"  # a seat may ask its partner to leave a build
    # a partner may ask for builds of the side, loose cards about to be captured (they become a build), or both
    request_for: Literal["builds", "loose", "any"] = "builds"
    # --- piles
    # the order of captured cards in a pile
    stacking: Literal["secret", "as_built", "lowest_on_top", "build_on_top", "face_down"] = "secret"
    pile_order: Literal["auto", "ask"] = "auto"  # who sorts a secret pile: the engine, or the capturer card by card
    bundles: bool = False  # Stealing Bundles: match ranks, steal whole piles
    leftovers: Literal["last_capture", "nobody"] = "last_capture"  # who gets the cards left at the end
    # --- scoring
    cards_points: int = 2  # points for most cards
    spades_points: int = 2  # points for most spades
    ties: Literal["one_each", "nobody"] = "one_each"  # points of a tie for most cards or most spades
    shutout: bool = False  # the only side with big ten, little two or aces also gets cards_points and spades_points
    five_spades_points: int = 0  # points for everybody with five or more spades
    little_points: int = 1  # points for the two of spades
    big_points: int = 2  # points for the big ten
    big_ten: Literal["TD", "TS"] = "TD"  # which ten is the big one
    ace_points: int = 1  # points for each ace
    spade_cards: bool = False  # 2S JS AS two points each, other spades one
    sweeps: bool = False  # a point for each capture that empties the table
    tie_break: Literal["shared", "big_ten"] = "shared"  # who wins a deal that is level at the top
    # --- matches
    target: int = 0  # points that end a match; 0 = a match is one deal
    match_rounds: int = 0  # deals by each player, then the highest total wins
    match_games: int = 0  # best of so many deals: the winner has won more than half of them; 0 = points count
    counting: Literal["big_first", "little_first", "total"] = "total"  # who wins when several reach the target
    count_out: bool = False  # the target may be claimed at the beginning of a turn

    @property
    def sides(self) -> int:
        """The number of sides, which score together: two with partners, else one per seat."""
        return 2 if self.partners else self.players

    def side(self, seat: int) -> int:
        """The side of a seat."""
        return seat % self.sides
