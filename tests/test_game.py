"""The class Game, positions and records: what they offer and how they refuse wrong input."""

import json
import random
import re
from typing import Any

import numpy as np
import pytest

import casino_env
from casino_env.actions import ACTIONS, BUILD, CAPTURE, NO, YES, action_text, parse_action
from casino_env.cards import CARDS, card_name, parse_card
from casino_env.engine import action_set, entrypoints
from casino_env.engine.state import OWNER
from casino_env.game import Game, IllegalActionError
from casino_env.position import PositionError
from casino_env.record import RecordError, read_record, replay, write_record
from casino_env.rules import make_rules
from casino_env.turns import turn_text
from casino_env.validate import BLANKS
from tests.hostile.spoiling import STRANGE_BLANKS
from tests.random_play import played_out, random_moments
from tests.refusals import refused
from tests.situations import position

GOOD = position("swazi", ["8H KC", "AS AH"], layout="2D", builds=[(8, 0, "5C 3D")])


def test_every_card_and_action_has_a_text_that_parses_back() -> None:
    assert [parse_card(card_name(card)) for card in range(CARDS)] == list(range(CARDS))
    texts = [action_text(action) for action in range(ACTIONS)]
    assert [parse_action(text) for text in texts] == list(range(ACTIONS)) and len(set(texts)) == ACTIONS
    assert action_text(CAPTURE) == "capture AS" and action_text(BUILD) == "build 1"


@pytest.mark.parametrize(
    "text",
    [None, 5, b"end", ("A", "S"), "", "card", "card 1S", "discard", "build 15", "raise 0", "capture 2S as 14", "fold"],
)
def test_bad_action_texts(text: Any) -> None:
    for parse in (parse_action, parse_card):
        with refused(re.escape(repr(text)) if not isinstance(text, str) else "is not a"):
            parse(text)


def test_illegal_actions_name_the_action_and_the_legal_ones() -> None:
    game = Game.from_json(GOOD)
    before = game.to_bytes()
    with pytest.raises(IllegalActionError, match=r"discard KC is illegal for seat 0; legal: .*capture 8H"):
        game.apply("discard KC")
    assert game.to_bytes() == before and game.log == []
    while not game.over:
        game.apply(game.legal()[0])
    with pytest.raises(IllegalActionError, match="the game is over"):
        game.apply("end")


def test_what_is_neither_true_nor_false_is_refused() -> None:
    no: Any = "false"
    game = Game("mini", seed=1)
    for option, make in (
        ("match", lambda: Game(match=no)),
        ("skip_forced", lambda: Game(skip_forced=no)),
        ("skip_forced", lambda: Game.from_json(GOOD, skip_forced=no)),
        ("match", lambda: casino_env.make_vec("mini", match=no)),
        ("copy", lambda: casino_env.make_vec("mini", copy=no)),
        ("universal", lambda: casino_env.make_layout(game.rules, universal=no)),
    ):
        with refused(f"{option} = 'false'; it must be true or false"):
            make()
    for data, rules, said in ((None, game.rules, "must be bytes"), (game.to_bytes(), "swazi", "not 'swazi'")):
        wrong: Any = data, rules
        with refused(said):
            Game.from_bytes(*wrong)
    for depth, most, said in ((-1, 1, "depth = -1"), (None, 1, "depth = None"), (1, "9", "most = '9'")):
        asked: Any = depth, most
        with refused(said):
            casino_env.perft(game, *asked)
    yes: Any = np.True_  # numpy's are as good
    assert Game(match=yes, skip_forced=yes).skip_forced is True
    assert casino_env.make_vec("mini", num_envs=1, match=yes, copy=yes).options.match is True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hans": []}, "unknown key 'hans' (did you mean 'hands'?)"),
        ({"variant": "swaxi"}, "did you mean 'swazi'"),
        ({"players": 7}, "not 7"),
        ({"rules": {"decks": 52}}, "did you mean 'deck'"),
        ({"layout": ["8H"]}, "8H is already in hands[0]"),
        ({"layout": ["1H"]}, "'1H' is not a card"),
        ({"layout": "2D"}, "must be a list"),
        ({"hands": [["8H"]]}, "must be a list of 2 lists"),
        ({"hands": [[], ["AS"]]}, "seat 0 has no card to play"),
        ({"to_move": 2}, "seat 2 is out of range"),
        ({"builds": [{"value": 8, "owner": 3, "sets": [["5C", "3D"]]}]}, "seat 3 is out of range"),
        ({"builds": [{"value": 9, "owner": 0, "sets": [["5C", "3D"]]}]}, "the cards sum to 8, not 9"),
        ({"builds": [{"value": 8, "owner": 0, "sets": [["8C"]]}]}, "at least two cards"),
        ({"builds": [{"value": 8, "owner": 0}]}, "must have value, owner and sets"),
        ({"builds": [{"value": 8, "owner": 0, "sets": [["5C", "3D"]]}, {"value": 8, "owner": 1,
                     "sets": [["5S", "3S"]]}]}, "a second build of value 8"),
        ({"match_score": [1]}, "must have 2 numbers"),
        ({"round": 0}, "round = 0"),
        ({"round": 2**53}, "to 9007199254740991"),
        ({"proven": [[15], []]}, "proven[0]"),
        ({"variant": "south-african", "hands": [["KC", "8H"], []]}, "KC is not in the deck of 40 cards"),
        ({"turn": {"mode": 13}}, "turn.mode = 13"),
        ({"turn": {"open_value": 99}}, "from 0 to 14"),
        ({"turn": {"picked": [5]}}, "turn.picked"),
        ({"turn": {"open_cards": ["2D"] * 11}}, "a set has at most"),
        ({"turn": {"mode": 3}}, "nothing has been done"),
        ({"turn": {"sorted": 1}}, "unknown key 'sorted'"),
        ({"turn": 5}, "an object"),
        ({"to_move": 2}, "seats are 0 to 1"),
        ({"match": {"stream": "0g"}}, "16 hexadecimal digits"),
        ({"match": {"stream": "0" * 17}}, "16 hexadecimal digits"),
        ({"match": {"stream": ""}}, "16 hexadecimal digits"),
        ({"match": {"deals": -1}}, "match.deals = -1"),
        ({"winner": 2}, "from 0 to 1"),
        ({"variant": "sotho", "builds": [{"value": 11, "owner": 0, "sets": [["JC", "JD"]]}]}, "from 1 to 10"),
    ],
)  # fmt: skip
def test_bad_positions(change: dict[str, Any], message: str) -> None:
    with refused(message, PositionError):
        Game.from_json(GOOD | change)


EMPTY: tuple[Any, ...] = (None, False, 0, "", [], {})
WRONG_KINDS = [
    {key: value}
    for kind, keys in ((list, "hands layout builds piles stock proven match_score sweeps"), (dict, "rules turn match"))
    for key in keys.split()
    for value in EMPTY
    if type(value) is not kind
]


def test_what_is_empty_but_of_another_kind_is_not_missing() -> None:
    for change in WRONG_KINDS:
        with refused(f"^{next(iter(change))}( = |: m)", PositionError):
            Game.from_json(GOOD | change)
    nothing: dict[str, Any] = {key: [] for key in ("layout", "piles", "stock", "proven", "match_score", "sweeps")}
    without = {key: value for key, value in GOOD.items() if key not in nothing}
    assert Game.from_json(GOOD | nothing | {"rules": {}, "turn": {}}) == Game.from_json(without)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        *((data, "a position must be a JSON object") for data in list[Any]((None, [], 3, "x"))),
        ({}, "variant: missing"),
        ({"variant": "swazi"}, "players: missing"),
        ({"variant": "swazi", "players": 2}, "hands: missing"),
        *((GOOD | part, "variant must be a name and players") for part in ({"variant": 1}, {"players": True})),
        (GOOD | {"round": 99}, "round = 99; "),
    ],
)
def test_positions_that_are_none(data: Any, said: str) -> None:
    with pytest.raises(PositionError, match=f"^{said}"):
        Game.from_json(data)


def test_a_position_has_what_is_not_as_at_the_beginning() -> None:
    usual = ["variant", "players", "rules", "round", "to_move", "hands", "layout", "builds", "piles", "stock", "proven"]
    usual += ["last_capture", "match_score"]
    assert list(Game("swazi", seed=3).to_json()) == usual
    swept = GOOD | {"variant": "cassino", "rules": {"sweeps": True}, "piles": [["6C"], ["3S", "3H"]]}
    assert Game.from_json(swept | {"sweeps": [0, 1]}).to_json()["sweeps"] == [0, 1]
    assert "sweeps" not in Game.from_json(swept | {"sweeps": [0, 0]}).to_json()
    assert Game.from_json(GOOD | {"match": {}}).to_json()["match"] == {"deals": 0, "stream": "0" * 16}
    winners = set[int | None]()
    matches = [Game("cassino", seed=seed, match=True, target=5) for seed in range(12)]
    for game in [*matches, Game("south-african", seed=2, match=True)]:  # the last ends level
        assert game.to_json().keys() - {*usual, "leader"} == {"match"}
        data, record = played_out(game, game.seed or 0).to_json(), game.record
        assert [data.get(key, 0) for key in ("leader", "turns")] == [record["leader"], record["turns"]]
        assert Game.from_json(data).to_json() == data and Game.from_json(data).winner == game.winner
        assert int(data["match"]["stream"], 16) == record["rng"] and len(data["match"]["stream"]) == 16
        winners.add(game.winner)
    assert winners == {0, 1, None}


def test_legal_actions_by_their_place() -> None:
    for game in random_moments(make_rules("swazi", 3), 20, seed=1):
        parts, legal = entrypoints.legal(game.records, game.rules_record), game.legal()
        assert [action_set.nth(parts, n) for n in range(len(legal) + 1)] == [*legal, -1]
        row = np.ones(action_set.PARTS, np.int64)
        action_set.from_mask(game.mask(), row)
        assert tuple(row) == parts


def test_the_public_face() -> None:
    assert casino_env.Game is Game
    assert set(casino_env.variants()) >= {"swazi", "khasino", "south-african", "stealing-bundles"}
    assert all(isinstance(rules, casino_env.Rules) for rules in casino_env.variants().values())
    with pytest.raises(AttributeError):
        casino_env.nothing  # noqa: B018
    game = Game("swazi", players=2, seed=7, insist_capture="never")
    assert game.rules.insist_capture == "never" and game.seat in (0, 1) and not game.over
    assert sum(game.mask()) == len(game.legal())
    assert "swazi, 2 players" in str(game)


def test_turn_texts_say_what_happens() -> None:
    data = GOOD | {"round": 2, "layout": ["5D", "3S", "KD"], "builds": [], "piles": [[], ["2S", "8D"]]}
    data["rules"] = {"insist_capture": "never", "insist_augment": "never"}
    texts = [turn["text"] for turn in Game.from_json(data).turns()]
    parts = [sorted(text.split("; ")) for text in texts]
    assert sorted(["build 8 = 5D + 3S", "add to 8 = 8D (pile 1)", "discard KC*"]) in parts
    assert any(text.startswith("capture with KC*; taking KD") for text in texts)


_ASKED = {"insist_capture": "ask", "insist_augment": "ask"}
_REQUEST = {"insist_capture": "never", "insist_augment": "never", "partner_request": "optional"}
_PARTNER = position("khasino", ["9H 5C", "2S", "9D 3D", "TD"], layout="4C", builds=[(9, 2, "7C 2D")], round=2)
_INSISTED = position("swazi", ["3D 2H", "3C KS", "KD"], layout="3S 2C AC", piles=["", "2S", ""], rules=_ASKED)
_RAISED = position("swazi", ["7S 6H AC", "8C KS"], layout="5D", builds=[(6, 1, "2D 4C")], piles=["", "2S"])
_ACES = position("swazi", ["AS 3H", "3C KS"], layout="AD KD", builds=[(3, 1, "2C AC")], piles=["", "2S"],
                 rules={"insist_capture": "never", "insist_augment": "never"})  # fmt: skip
SAID: list[tuple[dict[str, Any], str, str]] = [
    (_PARTNER | {"rules": _REQUEST}, "capture 9H, build 9, end, yes, yes",
     "capture with 9H*; the partner asks for it; granted"),
    (_PARTNER | {"rules": _REQUEST}, "capture 9H, build 9, end, yes, no",
     "capture with 9H*; the partner asks for it; not granted; taking the 9-build"),
    (_PARTNER | {"rules": _REQUEST}, "capture 9H, build 9, end, no", "capture with 9H*; taking the 9-build"),
    (_INSISTED, "discard 2H, yes, capture 2H, build 3, card 3S, build 3, card 2S, card AC, end",
     "discard 2H*; an opponent insists on the capture; capture with 2H*; taking 2C; build 3 = 3S; "
     "add to 3 = 2S (pile 1) + AC"),
    (_INSISTED, "build 3, card 2H, card AC, end, no, yes",
     "build 3 = 2H* + AC; an opponent insists on adding"),
    (_RAISED, "raise 6, build 7, card AC, build 7, card 5D, card 2S",
     "raise the 6; to 7; build 7 = 2D + 4C + AC*; add to 7 = 5D + 2S (pile 1)"),
    (_ACES, "capture AS as 14, card KD, card AD, end", "capture with AS* as 14; taking KD, AD"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "actions", "said"), SAID)
def test_a_turn_in_words(data: dict[str, Any], actions: str, said: str) -> None:
    game = Game.from_json(data, skip_forced=False)
    numbers = [parse_action(action) for action in actions.split(", ")]
    assert turn_text(game.records, game.rules_record, numbers) == said
    for number in numbers:
        game.apply(number)


def test_whose_a_build_is_stands_in_words() -> None:
    game, rng = Game("khasino", 4, seed=13, skip_forced=False), random.Random(13)
    while game.record["mode"] != OWNER:
        game.apply(rng.choice(game.legal()))
    said = [turn_text(game.records, game.rules_record, [action]) for action in (YES, NO)]
    assert said == ["for me; build 7 = 7H", "for my partner; build 7 = 7H"]


@pytest.mark.parametrize("actions", ["discard KC", "capture 9H, discard 2S", "card 5C", "no", "count out"])
def test_an_illegal_turn_has_no_words(actions: str) -> None:
    game = Game.from_json(_PARTNER, skip_forced=False)
    last = actions.rpartition(", ")[2]
    with pytest.raises(ValueError, match=f"^{last} is illegal at this point of the turn$"):
        turn_text(game.records, game.rules_record, [parse_action(action) for action in actions.split(", ")])


def test_turn_actions_lead_to_their_result() -> None:
    for seed in range(5):
        game = Game("khasino", 4, seed=seed, skip_forced=False)
        rng = random.Random(seed)
        for _ in range(25):
            game.apply(rng.choice(game.legal()))
        if game.record["acted"]:
            continue
        for turn in game.turns():
            twin = game.clone()
            assert twin.seed == game.seed
            for action in turn["actions"]:
                twin.apply(action)
            assert twin.to_json() == turn["after"]


# --- records -----------------------------------------------------------------------------------------------------


def finished(variant: str, players: int, seed: int, **changes: Any) -> Game:
    return played_out(Game(variant, players, seed=seed, **changes), seed)


@pytest.mark.parametrize(
    ("variant", "players", "changes"),
    [
        ("swazi", 4, {}),
        ("khasino", 4, {"insist_capture": "ask"}),
        ("stealing-bundles", 3, {}),
        ("cassino", 2, {"match": True}),
    ],
)
def test_records_replay_to_the_same_end(variant: str, players: int, changes: dict[str, Any]) -> None:
    seed = 2**64 - 1  # the largest
    game = finished(variant, players, seed, **changes)
    text = write_record(seed, game)
    again = replay(text)
    assert again == game and again.scores() == game.scores()
    assert write_record(seed, again) == text


def test_records_from_a_position() -> None:
    start = Game.from_json(GOOD, skip_forced=False)
    game = start.clone()
    while not game.over:
        game.apply(game.legal()[0])
    again = replay(write_record(start, game))
    assert again.to_json() == game.to_json()


def test_a_record_has_a_line_for_each_turn() -> None:
    text = write_record(2, finished("south-african", 2, 2))
    moves = [line for line in text.split("\n\n", 1)[1].splitlines() if line]
    assert len(moves) == 40
    assert all(line.split(":")[0] in ("0", "1") for line in moves)


def test_a_record_says_who_answers_in_the_turn_of_another() -> None:
    start = Game.from_json(_INSISTED, skip_forced=False)
    game = start.clone()
    for action in ("discard 2H", "yes", "capture 2H", "build 3", "card 3S"):
        game.apply(action)
    text = write_record(start, game)
    assert text.endswith("\n\n0: discard 2H; 1> yes; capture 2H; build 3; card 3S\n")
    assert replay(text).to_json() == game.to_json()


WRONG_RECORDS = [
    ("casino-record 1", "chess", "line 1"),
    ("rules_version: 1", "rules_version: 99", "plays version 1"),
    ("variant: south-african", "variant: south", "unknown variant"),
    ("seed: 2\n", "", "seed is missing"),
    ("players: 2", "playerz: 2", "did you mean 'players'"),
    ("discard", "discord", "is not an action"),
    ("discard", "capture", "is illegal"),
    ("match: false", "match: maybe", "match: 'maybe'; it must be true or false"),
    ("seed: 2\n", f"seed: {2:021}\n", "seed: '0{20}2'; it must be a whole number"),
    ("seed: 2\n", "seed: 2\nseed: 3\n", "line 8: duplicate key 'seed'"),
    ("result: 5 5", "result: 5 6", "result: '5 6'; the moves give '5 5'"),
    ("result: 5 5", "result:", "result: ''; the moves give '5 5'"),
    ("\n1: ", "\n7: ", "line 10: seat '7'; seat 1 decides here"),
    ("\n0: ", "\n1: ", "line 11: seat '1'; seat 0 decides here"),
    ("\n0: ", "\n: ", "line 11: seat ''; seat 0 decides here"),
    ("\n0: ", "\n0: 1> ", "line 11: seat '1'; seat 0 decides here"),
    ("\n0: ", "\n0 ", "line 11: must be SEAT: ACTION"),
]
_FROM_A_POSITION = "a record begins from a seed or from a position, not from both"
WRONG_HEADS = [  # of a record that begins from a position
    ("position", "seed: 3\nposition", _FROM_A_POSITION),
    ("variant: swazi", "variant: khasino", "variant: 'khasino', but the position says 'swazi'"),
    ("players: 2", "players: 3", "players: '3', but the position says '2'"),
    ("match: false", "match: true", "match: 'true', but the position says 'false'"),
    ("rules: {}", 'rules: {"steal": "no"}', "rules: '{\"steal\": \"no\"}', but the position says '{}'"),
    ("rules: {}", "rules: []", "rules: must be an object"),
    ("position", "result: 0 0\nposition", "result: '0 0', but the game is not over"),
]


def wrong_records() -> list[tuple[str, str]]:
    """Records that are refused, and why."""
    start = Game.from_json(GOOD, skip_forced=False)
    dealt, from_position = write_record(2, finished("south-african", 2, 2)), write_record(start, start)
    changes = ((dealt, WRONG_RECORDS), (from_position, WRONG_HEADS))
    return [(text.replace(old, new, 1), why) for text, rows in changes for old, new, why in rows if old in text]


def test_bad_records_name_the_line() -> None:
    records = wrong_records()
    assert len(records) == len(WRONG_RECORDS) + len(WRONG_HEADS)
    for text, message in records:
        for read in (replay, read_record):
            with refused(message, RecordError):
                read(text)
    nothing: Any = None
    with refused("a record must be a string", RecordError):
        replay(nothing)


def test_a_record_need_not_say_again_what_follows() -> None:
    text = write_record(2, finished("south-african", 2, 2))
    start = Game.from_json(GOOD | {"rules": {"steal": "no"}}, skip_forced=False)
    from_position = write_record(start, start).replace("{}", '{"steal": "no"}', 1)
    for whole, keys in ((text, "rules match result"), (from_position, "variant players rules match")):
        for key in keys.split():
            less = re.sub(f"^{key}: .*\n", "", whole, flags=re.MULTILINE)
            assert less != whole and replay(less) == replay(whole)


@pytest.mark.parametrize("blank", STRANGE_BLANKS)
def test_blanks_are_those_of_ascii(blank: str) -> None:
    """Python and JavaScript each count other characters as blank too."""
    text, start = write_record(2, finished("south-african", 2, 2)), "0: "
    told = replay(text).to_json()
    assert parse_action(" discard\t5H\n") == parse_action("discard 5H")
    if blank in BLANKS:
        assert parse_action(f"discard{blank}5H") == parse_action("discard 5H")
        assert replay(text.replace(start, start + blank if blank != "\r" else start)).to_json() == told
        return
    with refused("is not an action"):
        parse_action(f"discard{blank}5H")
    for old, new in (("casino-record 1\n", f"casino-record 1{blank}\n"), (start, start + blank)):
        with refused("is not an action|line 1: must be", RecordError):
            replay(text.replace(old, new, 1))


def test_a_record_of_one_line_lacks_the_rest() -> None:
    with refused("rules_version: None; this program plays version 1", RecordError):
        replay("casino-record 1")


def test_a_record_has_the_seed_of_its_game() -> None:
    with refused("seed = 3; the game was dealt from seed 2"):
        write_record(3, Game("mini", seed=2))


def test_read_record_gives_lines() -> None:
    game, actions = read_record(write_record(2, finished("south-african", 2, 2)))
    assert game.rules == make_rules("south-african", 2) and actions[0][0] == 10
    assert json.dumps(actions)


def test_without_a_seed_the_cards_differ_and_the_seed_deals_them_again():
    one, other = Game("khasino"), Game("khasino")
    assert one.seed != other.seed and one != other
    assert Game("khasino", seed=one.seed) == one
