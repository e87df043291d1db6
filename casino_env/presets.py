"""The presets, one row per game: the switches that differ from the defaults, and changes by number of players."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Preset:
    base: dict[str, Any]
    by_players: dict[int, dict[str, Any]]  # its keys are the player counts
    singles: dict[str, Any] | None = None  # changes for three players, and for four who choose to play without partners
    fixed: tuple[str, ...] = ()  # switches that the game's document rules out


_SWAZI: dict[str, Any] = dict(
    ace_high=True, recut=True, steal="augment", insist_capture="always", insist_augment="always", stacking="secret"
)
_SWAZI_TWO: dict[str, Any] = dict(rounds=2, build_limit=1, limit_first_phase_only=True, owner_discard="second_phase")
_SWAZI_FOUR: dict[str, Any] = dict(partners=True, shared_pile=True, partner_builds=True, partner_request="optional")
_SOTHO = _SWAZI | dict(ace_high=False, courts="any", stacking="as_built")
_SOUTH_AFRICAN: dict[str, Any] = dict(
    deck=40, table_cards=0, next_leader="loser", build_limit=1, steal="with_hand_card", capture_tops=True,
    stacking="lowest_on_top", spades_points=0, five_spades_points=1,
)  # fmt: skip
_KHASINO: dict[str, Any] = dict(
    deck=40, table_cards=0, build_limit=1, second_build_in_turn=False, use_discard_same_turn=False, steal="augment",
    no_return=True, raise_or_add=True, insist_capture="always", insist_augment="always", stacking="build_on_top",
)  # fmt: skip
_KASA: dict[str, Any] = dict(
    deck=40, table_cards=0, build_limit=1, second_build_in_turn=False, use_discard_same_turn=False,
    new_builds="by_hand", steal="bound", capture_tops=True, tops_in_sums=False, chain="all", add_to_partner=False,
    stacking="as_built", resort_raised=True, shutout=True, tie_break="big_ten", next_leader="drawn",
)  # fmt: skip
_CASSINO: dict[str, Any] = dict(
    courts="one_or_three", raise_by="anyone", raise_with_table=True, equal_builds="join",
    stacking="face_down", cards_points=3, spades_points=1, ties="nobody", target=21, counting="big_first",
)  # fmt: skip
_MINI: dict[str, Any] = _SOUTH_AFRICAN | dict(
    draw_hand=2, owner_discard="second_phase", five_spades_points=0, big_points=0,
)  # fmt: skip
_FOURS: dict[int, dict[str, Any]] = {2: dict(rounds=6), 3: dict(rounds=4), 4: dict(rounds=3)}
_AFRICAN: dict[str, Any] = dict(
    ace_high=True, steal="augment", stacking="secret", big_ten="TS", target=11, counting="little_first"
)
_PARTNERSHIP: dict[str, Any] = dict(rounds=3, partners=True, shared_pile=True)

PRESETS: dict[str, Preset] = {
    "swazi": Preset(_SWAZI, {2: _SWAZI_TWO, 3: {}, 4: _SWAZI_FOUR}, fixed=("sweeps",)),
    "swazi-crazy": Preset(_SWAZI | dict(draw_hand=8, owner_discard="second_phase"), {2: {}}, fixed=("sweeps",)),
    "sotho": Preset(
        _SOTHO, {2: _SWAZI_TWO, 3: {}, 4: _SWAZI_FOUR | dict(shared_pile=False, steal_from_partner=True)},
        fixed=("sweeps",),
    ),
    "south-african": Preset(
        _SOUTH_AFRICAN,
        {2: dict(rounds=2, owner_discard="second_phase"), 3: dict(table_cards=1, owner_discard="never"),
         4: dict(owner_discard="never")},
        fixed=("sweeps",),
    ),
    "mini": Preset(_MINI | dict(deck=6), {2: {}}, fixed=("sweeps",)),
    "mini-7": Preset(_MINI | dict(deck=7, table_cards=1), {2: {}}, fixed=("sweeps",)),
    "khasino": Preset(
        _KHASINO,
        {2: dict(rounds=2, owner_discard="second_phase"), 3: dict(table_cards=1),
         4: dict(partners=True, partner_builds=True, partner_request="binding")},
        singles=dict(cards_points=0, spades_points=0, partner_builds=False, partner_request="off"),
        fixed=("sweeps",),
    ),
    "kasa": Preset(
        _KASA,
        {2: dict(rounds=2, owner_discard="second_phase"), 3: dict(table_cards=1),
         4: dict(partners=True, partner_request="binding", request_for="loose")},
        singles=dict(cards_points=0, spades_points=0, partner_request="off", request_for="builds"),
        fixed=("sweeps",),
    ),
    "triple-s": Preset(
        dict(courts="one", equal_builds="never", owner_discard="never", multi_capture=False,
             stacking="face_down", cards_points=3, spades_points=1, ties="nobody", target=21),
        _FOURS,
        fixed=("sweeps",),
    ),
    "cassino": Preset(_CASSINO, _FOURS),
    "partnership": Preset(_CASSINO, {4: _PARTNERSHIP}),
    "draw": Preset(_CASSINO | dict(draw_hand=4), {2: {}, 3: {}, 4: {}}),
    "royal": Preset(_CASSINO | dict(courts="value", ace_high=True), _FOURS),
    "spade": Preset(_CASSINO | dict(spade_cards=True, target=61), _FOURS),
    "california": Preset(
        _CASSINO | dict(courts="any", target=0, match_rounds=2), _FOURS | {6: dict(rounds=2)}, fixed=("sweeps",)
    ),
    "african": Preset(
        _AFRICAN,
        {2: dict(rounds=2, build_limit=1, owner_discard="never"), 3: {}, 4: _SWAZI_FOUR},
    ),
    "stealing-bundles": Preset(
        dict(bundles=True, courts="one", stacking="build_on_top", leftovers="nobody",
             equal_builds="never", cards_points=1, spades_points=0, little_points=0, big_points=0, ace_points=0),
        _FOURS,
        fixed=("sweeps",),
    ),
}  # fmt: skip
