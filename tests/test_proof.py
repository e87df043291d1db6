"""Loading positions: exactly those from which play can go on are accepted."""

import json
import random
import re
from typing import Any

import numpy as np
import pytest

from casino_env.actions import NO, YES, action_text
from casino_env.cards import CARDS, mask_of, parse_card
from casino_env.engine.flat_form import REFUSALS
from casino_env.engine.invariants import FINE, Refusal, refusal
from casino_env.engine.state import OVER, SORTING, chain
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.position import PositionError, refusal_text, workspace
from casino_env.rules import Rules, make_rules
from tests.comparing import random_switches, wander
from tests.random_play import every_game, label, random_moments
from tests.refusals import refused
from tests.situations import position

SWAZI = position(
    "swazi", ["8H KC 9D 2H", "AS AH"], layout="2D 7C KS", piles=["", "3C 6C"], round=2,
    builds=[(8, 0, "5C 3D"), (9, 1, "5H 4D")],
)  # fmt: skip
FREE = SWAZI | {"rules": {"insist_capture": "never", "insist_augment": "never"}}
OPEN: dict[str, Any] = {"mode": 1, "acted": 1, "open_value": 13, "open_left": 13}
CAPTURING: dict[str, Any] = {"mode": 3, "acted": 1, "open_value": 13, "hand_card": "KC"}


def with_turn(data: dict[str, Any], **turn: Any) -> dict[str, Any]:
    return data | {"turn": turn}


@pytest.mark.parametrize(
    "data",
    [
        SWAZI,
        with_turn(SWAZI, **CAPTURING) | {"rules": FREE["rules"]},
        with_turn(FREE, **CAPTURING | {"picked": ["KS"], "open_last": "KS", "lead": "KS"}),
        with_turn(FREE, acted=1, debt=9),
        position("swazi", ["AD KC", "AS"], builds=[(14, 0, "AH", "KD AC")]),
        position(
            "swazi",
            ["KC", "AH"],
            piles=["3C AS", ""],
            last_capture=0,
            rules={"pile_order": "ask"},
            turn={"mode": SORTING, "acted": 1, "played": 1, "hand_card": "9D", "required": ["4S"], "picked": ["AS"]},
        ),
    ],
    ids=range(6),
)
def test_what_can_have_come_about_is_accepted(data: dict[str, Any]) -> None:
    assert Game.from_json(data, skip_forced=False).legal()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (with_turn(SWAZI, unfinished=2), "without acted"),
        (with_turn(SWAZI, acted=1, unfinished=8), "turn.unfinished"),
        (with_turn(SWAZI, debt=9), "without acted"),
        (with_turn(SWAZI, acted=1, debt=8), "is not an opponent's"),
        (with_turn(SWAZI, acted=1, debt=10), "no build of 10"),
        (with_turn(SWAZI, acted=1, debt=9, played=1), "has been played"),
        (with_turn(SWAZI, acted=1, joined=8), "without played"),
        (with_turn(SWAZI, acted=1, played=1, joined=9), "not seat 0's own"),
        (with_turn(SWAZI, acted=1, played=1, laid_now="8H"), "is neither"),
        (with_turn(SWAZI, acted=1, played=1, must_add=1), "this game does not ask"),
        (with_turn(SWAZI, acted=1, played=1, play_value=8), "this game has none"),
        (with_turn(SWAZI, acted=1, open_value=5), "without an open action"),
        (with_turn(SWAZI, acted=1, hand_card="KC"), "without an open action"),
        (with_turn(SWAZI, acted=1, actor=1), "turn.actor"),
        (with_turn(SWAZI, **OPEN | {"open_value": 14, "open_left": 3}), "no action of seat 0"),
        (with_turn(SWAZI, **OPEN | {"open_value": 11, "open_left": 11}), "no action of seat 0"),
        (with_turn(FREE, **CAPTURING | {"hand_card": "KS"}), "no action of seat 0"),
        (with_turn(FREE, **CAPTURING | {"hand_card": "AS"}), "no action of seat 0"),
        (with_turn(FREE, **CAPTURING | {"open_value": 12}), "no action of seat 0"),
        (with_turn(FREE, **CAPTURING | {"picked": ["2D"]}), "no action of seat 0"),
        (with_turn(FREE, mode=11, acted=1, played=1, hand_card="4S", required=["4H"]), "not sorted by hand"),
        (with_turn(FREE, mode=7, acted=1, hand_card="KC"), "no action of seat 0"),
        (with_turn(FREE, mode=2, acted=1, raising=8), "no action of seat 0"),
        (SWAZI | {"round": 78, "stock": ["QS"]}, "round = 78; it must be a whole number from 1 to 77"),
        (SWAZI | {"turns": 50}, "more cards have been played"),
        (SWAZI | {"sweeps": [60, 0]}, "sweeps: 60"),
    ],
)  # fmt: skip
def test_what_cannot_have_come_about_is_refused(data: dict[str, Any], said: str) -> None:
    with refused(said, PositionError):
        Game.from_json(data, skip_forced=False)


# --- records that break one rule ------------------------------------------------------------------------------------


def mask(text: str) -> int:
    return mask_of([parse_card(card) for card in text.split()])


def at(text: str, number: int) -> dict[int, int]:
    """Return a change of an array: the number at the place of each card."""
    return {parse_card(card): number for card in text.split()}


def changed(data: dict[str, Any], changes: dict[str, Any]) -> Game:
    """Return a game whose record has these numbers, in arrays by index."""
    game = Game.from_json(data, skip_forced=False)
    for field, value in changes.items():
        if isinstance(value, dict):
            game.records[field][0, list(value)] = list(value.values())
        else:
            game.records[field] = value
    return game


def found_in(game: Game, part: int = 3) -> Refusal:
    return refusal(game.records, game.rules_record, *workspace(), part)


STOCK = SWAZI | {"round": 1, "stock": ["QS", "QH"]}
ENDED = position("swazi", ["", ""], piles=["AS 8H", "2D"])
MATCH = position("cassino", ["", ""], piles=["AS 8H", "2D"], match={"deals": 3}, winner=0)
FOUR = position("swazi", ["8H", "KC", "9D", "2H"], layout="2D", piles=["3C", "", "", ""])
SORTED = position(
    "swazi", ["KC", "AS AH"], piles=["3C 6C", ""], last_capture=0, rules={"pile_order": "ask"},
    turn={"mode": SORTING, "acted": 1, "played": 1, "hand_card": "9D", "required": ["4S", "2S"],
          "picked": ["6C", "3C"]},
)  # fmt: skip
BOUND = position("kasa", ["8H 9D 2H", "AS AH"], builds=[(8, 0, "5C 3D"), (9, 1, "5H 4D")])
NO_STEAL = SWAZI | {"rules": {"steal": "no"}}
PLAYED = {"acted": 1, "played": 1}
# A position, the numbers of its record that change, and the refusal.
BROKEN: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    *((SWAZI, change, "there are more than this game has seats") for change in (
        {"hands": {2: mask("QS")}}, {"piles": {5: mask("QS")}}, {"owned": {2: 2}}, {"proven": {3: 2}},
        {"sweeps": {2: 1}}, {"pile_top": {2: 0}}, {"match_score": {2: 1}}, {"deal_points": {5: 1}},
        {"proven": {0: 1}}, {"owned": {1: 1}},
    )),
    *((FOUR, change, "there are more than this game has seats") for change in (
        {"piles": {2: mask("QS")}}, {"match_score": {2: 1}}, {"sweeps": {3: 1}}, {"hands": {4: mask("QS")}},
    )),
    *((SWAZI, {"below": at("QS", number)}, "below: an entry is not a card") for number in (-2, CARDS)),
    *((SWAZI, change, "the list of a pile and its set of cards differ") for change in (
        {"piles": {0: mask("QS")}}, {"piles": {1: mask("3C")}}, {"pile_top": {1: -1}}, {"below": at("3C", 20)},
    )),
    (STOCK, {"below": at("QS", parse_card("QH"))}, "stock: the list of its cards is wrong"),
    *((SWAZI, change, "cards: one is in two places, or not in the deck") for change in (
        {"layout": mask("2D 7C KS 8H")}, {"layout": mask("2D 7C KS 3C")}, {"layout": mask("2D 7C KS 5C")},
        {"hands": {1: mask("AS AH 8H")}}, {"hands": {1: mask("AS AH 6C")}}, {"hands": {1: mask("AS AH 4D")}},
    )),
    (STOCK, {"layout": mask("2D 7C KS QS")}, "cards: one is in two places, or not in the deck"),
    *((BOUND, change, "cards: one is in two places, or not in the deck") for change in (
        {"hands": {0: mask("8H 9D KS")}}, {"starts": mask("5C 5H KS")},
    )),
    *((SORTED, {"required": mask(cards)}, "cards: one is in two places, or not in the deck") for cards in (
        "4S 9D", "4S KC",
    )),
    (SORTED, {"hand_card": parse_card("KC")}, "cards: one is in two places, or not in the deck"),
    *((SWAZI, change, "the list of a build and its set of cards differ") for change in (
        {"build_cards": {8: mask("5C 3D QS")}}, {"build_top": {9: -1}}, {"build_cards": {7: mask("QS")}},
    )),
    (SWAZI, {"build_cards": {0: mask("QS")}, "build_top": {0: parse_card("QS")}}, "one has a value that cannot be"),
    *((SWAZI, {"owned": change}, "builds: each must have exactly one owner") for change in (
        {0: 0}, {0: 1 << 8 | 1 << 9}, {0: 1 << 8 | 1 << 7},
    )),
    *((SWAZI, change, "a set does not sum to the value of its build") for change in (
        {"build_sets": {8: 2}}, {"build_sets": {7: 1}}, {"starts": mask("5H")}, {"starts": mask("5C 3D 5H 3C 6C")},
    )),
    (STOCK, {"laid": at("2D", 1)}, "the order in which the loose cards were laid is wrong"),
    *((SWAZI, change, "the order in which the loose cards were laid is wrong") for change in (
        {"laid": at("KS", 3)}, {"laid_next": 2}, {"laid": at("KS", CARDS), "laid_next": CARDS},
    )),
    *((SWAZI, change, "more cards have been played, laid or swept than the deck has") for change in (
        {"turns": 47}, {"turns": 46} | PLAYED, {"laid_next": 47}, {"sweeps": {0: 23, 1: 24}},
    )),
    (SWAZI, {"shuffled": 1}, "shuffled: 1; it must be 0"),
    (SWAZI, {"deal_points": {1: -1}}, "deal_points: -1; it must be 0 to 127"),
    (STOCK, {"round": 77}, "round = 77; it must be a whole number from 1 to 76"),
    (ENDED, {"acted": 1}, "turn: the game is over, so there is no acted"),
    (ENDED, {"open_cards": {9: 1}}, "turn: the game is over, so there is no open_cards"),
    (SWAZI, {"mode": OVER}, "hands: the game is over, but there are cards to play"),
    (STOCK, {"mode": OVER, "hands": 0}, "hands: the game is over, but there are cards to play"),
    (MATCH, {"winner": -1}, "winner: the match is over, so a side has won or it is shared (-2)"),
    (ENDED, {"actor": 1}, "turn.actor: the game is over"),
    (ENDED, {"winner": 1}, "winner: the side with most points has won the deal"),
    (SWAZI, {"winner": 0}, "winner: the game is not over, so there is none"),
    (SWAZI, {"deals": 1}, "deals: a single deal has no earlier deals"),
    (SWAZI, {"last_source": 0}, "turn: last_source without acted"),
    (SWAZI, {"tops_only": 1}, "turn: tops_only without acted"),
    (SWAZI, {"mode": 1}, "turn.mode: nothing has been done in this turn"),
    (SWAZI, {"actor": 1}, "turn.actor: seat 0, the mover, decides here"),
    (SWAZI, {"to_move": 1}, "turn.actor: seat 1, the mover, decides here"),
    (SWAZI, {"acted": 1, "actor": 1}, "turn.actor: seat 0, the mover, decides here"),
    *((SWAZI, {"acted": 1, field: number}, f"turn: {field} without played") for field, number in (
        ("play_value", 8), ("joined", 8), ("merged", 1), ("no_new_build", 1), ("must_add", 1),
        ("laid_now", parse_card("2D")), ("laid_now", 0),
    )),
    (SWAZI, {"play_value": 8} | PLAYED, "turn.play_value: this game has none"),
    (SWAZI, {"must_add": 1} | PLAYED, "turn.must_add: this game does not ask for it"),
    (SWAZI, {"no_new_build": 1} | PLAYED, "turn.no_new_build: without a discard (laid_now)"),
    (SWAZI, {"laid_now": 0} | PLAYED, "turn.laid_now: AS is neither in the layout nor in a build"),
    *((SWAZI, {field: 7} | PLAYED, f"turn.{field}: there is no build of 7") for field in (
        "debt", "unfinished", "joined", "raising",
    )),
    (SWAZI, {"debt": 9} | PLAYED, "turn.debt: the hand card that could pay it has been played"),
    (BOUND, {"acted": 1, "debt": 9}, "turn.debt: the build of 9 is not seat 0's own"),
    (SWAZI, {"acted": 1, "debt": 8}, "turn.debt: the build of 8 is not an opponent's"),
    (NO_STEAL, {"acted": 1, "debt": 9}, "turn.debt: this game does not allow adding to opponents' builds"),
    (SWAZI, {"joined": 9} | PLAYED, "turn.joined: the build of 9 is not seat 0's own"),
    (NO_STEAL, {"acted": 1, "stolen": 1}, "turn.stolen: this game has no stealing"),
    (NO_STEAL, {"acted": 1, "last_source": 0}, "turn.last_source: this game has no stealing"),
    (SWAZI, {"acted": 1, "lead": 0}, "turn: lead without an open action (mode)"),
    (SWAZI, {"acted": 1, "open_cards": {3: 7}}, "turn: open_cards without an open action (mode)"),
    (SORTED, {"required": 0}, "turn.required: cards to sort are missing"),
    (SORTED, {"hand_card": -1}, "turn.hand_card: the capturing card is missing"),
    *((SORTED, change, "turn.mode: nothing has been captured") for change in ({"played": 0}, {"last_capture": 1})),
    *((SORTED, {field: 1}, f"turn: {field} while cards are sorted") for field in (
        "open_value", "take_build", "tops_only", "settled",
    )),
    (SORTED, {"actor": 1}, "turn.actor: seat 0, the mover, decides here"),
    (SORTED, {"picked": mask("3C")}, "turn.picked: these cards are not on top of the pile"),
]  # fmt: skip


def test_a_record_that_breaks_one_rule_is_refused() -> None:
    """The refusal has the numbers that its message names, and no others."""
    for data, changes, said in BROKEN:
        game = changed(data, changes)
        found = found_in(game)
        assert found != FINE and said in refusal_text(found, game.rules), (changes, said)
        named = set(re.findall(r"{(\w+)}", REFUSALS[found[0]]))
        words = ({"field", "seat"}, set[str](), {"number", "card"}, {"range", "low"}, {"range", "high"})
        assert all(number == 0 or some & named for number, some in zip(found[1:], words, strict=True)), (changes, found)


@pytest.mark.parametrize("data", [SWAZI, STOCK, ENDED, MATCH, FOUR, SORTED, BOUND, NO_STEAL])
def test_a_refusal_without_a_fault_is_all_zeros(data: dict[str, Any]) -> None:
    assert found_in(Game.from_json(data, skip_forced=False)) == FINE == (0, 0, 0, 0, 0, 0)


def test_what_is_open_is_proven_apart() -> None:
    """part: 1 checks all but the open action, 2 that, 3 both."""
    game = changed(SWAZI, {"acted": 1, "mode": 1, "open_value": 11, "open_left": 11})
    assert [found_in(game, part)[0] > 0 for part in (1, 2, 3)] == [False, True, True]
    game = changed(SWAZI, {"winner": 0})
    assert [found_in(game, part)[0] > 0 for part in (1, 2, 3)] == [True, False, True]


@pytest.mark.parametrize("variant", ["sotho", "swazi", "khasino", "south-african", "cassino"])
def test_a_card_of_a_pile_does_not_capture(variant: str) -> None:
    """Laid on its own pile again it would lie under itself."""
    data = position(variant, ["2S", "3S"], layout="5H 6H", piles=["5S", ""])
    turn = {"mode": 3, "acted": 1, "hand_card": "5S", "open_value": 5}
    for picked in ([], ["5H"]):
        with pytest.raises(PositionError):
            Game.from_json(data | {"turn": turn | {"picked": picked}}, skip_forced=False)


@pytest.mark.parametrize("code", REFUSALS)
def test_each_refusal_is_a_line_without_gaps(code: int) -> None:
    text = refusal_text((code, 0, 0, 0, 0, 0), make_rules("swazi", 2))
    assert text and not set("{}\n") & set(text)


def test_a_view_is_no_game() -> None:
    game = Game("swazi", 3, seed=1)
    with refused("^hidden_hand: 16; it must be 0$"):
        Game.from_bytes(observe(game).view.tobytes(), game.rules)


def moments(rules: Rules, rng: random.Random, most: int) -> Any:
    """Yield every decision of a random game that prefers sets and answers, and its end."""
    game = Game(rules, seed=rng.getrandbits(40), skip_forced=False, match=bool(rules.target))
    for _ in range(most):
        yield game
        if game.over:
            return
        wander(game, rng)


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_all_that_play_comes_to_is_accepted(rules: Rules) -> None:
    rng = random.Random(label(rules))
    for game in moments(rules, rng, 120):
        assert Game.from_bytes(game.to_bytes(), rules) == game
        again = Game.from_json(json.loads(json.dumps(game.to_json())), skip_forced=False)
        assert again.to_json() == game.to_json() and again.legal() == game.legal()


def test_so_is_what_play_by_odd_rules_comes_to() -> None:
    rng = random.Random(3)
    for rules in (random_switches(rng) for _ in range(15)):
        for game in moments(rules, rng, 60):
            assert Game.from_bytes(game.to_bytes(), rules) == game


def test_a_long_capture_can_have_come_about() -> None:
    layout = "KC KD KH QS AH JS 2H TS 3H 9S 4H 8S 5H 7S 6H"
    data = position("swazi", ["KS", "AS"], layout=layout, rules={"insist_capture": "never"})
    game = Game.from_json(data, skip_forced=False)
    game.apply("capture KS")
    for card in layout.split():
        game.apply(f"card {card}")
        assert Game.from_bytes(game.to_bytes(), game.rules) == game


def test_a_question_can_have_come_about() -> None:
    rules = {"insist_capture": "ask"}
    game = Game.from_json(position("swazi", ["3D 2H", "3C KS"], layout="3S 2C", rules=rules), skip_forced=False)
    game.apply("discard 2H")
    assert game.legal() == [YES, NO] and game.seat == 1 and Game.from_bytes(game.to_bytes(), game.rules) == game


def test_changed_bytes_are_refused_or_played_to_their_end() -> None:
    rng, refused, played = random.Random(5), 0, 0
    games = [game.clone() for rules in every_game() for game in list(moments(rules, rng, 60))[::12]]
    for _ in range(3000):
        game = rng.choice(games)
        data = bytearray(game.to_bytes())
        for _ in range(rng.choice((1, 1, 2, 4))):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        try:
            changed = Game.from_bytes(bytes(data), game.rules)
        except ValueError as error:
            refused += "\n" not in str(error)
            continue
        played += 1
        for _ in range(300):
            if changed.over or not changed.legal():
                break
            changed.apply(rng.choice(changed.legal()))
        changed.to_json()
    assert refused + played == 3000 and refused > 1500 and played > 100


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_an_owner_without_a_card_for_a_build_can_go_on(rules: Rules) -> None:
    """No play leads there, but positions made by hand may: whoever is given a build can play on to the end."""
    rng = random.Random(1)
    for game in random_moments(rules, 25, seed=11):
        data = game.to_json()
        if game.over or not data["builds"]:
            continue
        rng.choice(data["builds"])["owner"] = rng.randrange(rules.players)
        try:
            given = Game.from_json(data)
        except PositionError:
            continue
        for _ in range(600):
            if given.over:
                break
            given.apply(rng.choice(given.legal()))
        assert given.over


def test_who_is_left_with_nothing_discards() -> None:
    data = position("swazi", ["2H", "3S"], layout="4D", builds=[(9, 0, "5C 4H")], round=2)
    now, later = (Game.from_json(data | {"to_move": seat}, skip_forced=False) for seat in (0, 1))
    assert [action_text(action) for action in now.legal()] == ["discard 2H"]
    for done in ("discard 3S", "end"):
        later.apply(done)
    assert [action_text(action) for action in later.legal()] == ["discard 2H"]
    assert Game.from_json(later.to_json(), skip_forced=False) == later


def _pushed(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return the position with one number at its limit, a build given to another owner, or cards moved."""
    kind = rng.randrange(5)
    if kind == 0:
        data["round"] = rng.choice((2, 60, 77, 78))
    elif kind == 1:
        data["match_score"] = [rng.choice((9999, -9999, 20_000)) for _ in data["match_score"]]
    elif kind == 2:
        data["turns"] = rng.randrange(53)
    elif kind == 3 and data["builds"]:
        rng.choice(data["builds"])["owner"] = rng.randrange(data["players"])
    else:
        places = [*data["hands"], data["layout"], data["stock"], *data["piles"]]
        for source, target in (rng.choices(places, k=2) for _ in range(4)):
            target.extend([source.pop()] if source else [])
    return data


def test_what_follows_an_accepted_position_is_accepted() -> None:
    rng, accepted = random.Random(9), 0
    for rules in every_game():
        for game in random_moments(rules, 3, seed=rng.randrange(99)):
            try:
                later = Game.from_json(_pushed(game.to_json(), rng), skip_forced=False)
            except PositionError:
                continue
            accepted += 1
            for _ in range(15):
                if later.over:
                    break
                later.apply(rng.choice(later.legal()))
                assert Game.from_json(later.to_json(), skip_forced=False).legal() == later.legal()
    assert accepted > 30


def test_a_turn_that_cannot_be_finished_is_refused() -> None:
    """The turn owes a build of ten that nobody can add to: the only card left would begin another build."""
    builds = [(10, 0, "TC"), (9, 1, "5D 4C")]
    data = position(
        "khasino", ["TS", "", ""], layout="6D", builds=builds, turns=38, turn={"acted": 1, "unfinished": 10}
    )
    with pytest.raises(PositionError, match="turn: seat 0 cannot do what it still owes"):
        Game.from_json(data)


@pytest.mark.parametrize("rules", every_game()[:8], ids=label)
def test_chains_end_whatever_lies_in_the_record(rules: Rules) -> None:
    """A record with circles gives nonsense, but no endless loop."""
    rng = np.random.default_rng(3)
    for game in random_moments(rules, 6, seed=12):
        game.record["below"][:] = rng.permutation(CARDS)
        assert all(len(chain(game.record, int(top))) <= CARDS for top in game.record["pile_top"])
        assert str(game) and observe(game).view["hidden_stock"][0] <= CARDS
