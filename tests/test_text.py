"""The game in text: what a model is told, what it may answer, and whole games of such players."""

import json
import random
import re
from dataclasses import fields, replace
from typing import Any, get_args

import numpy as np
import pytest

from casino_env.actions import END, action_text
from casino_env.game import Game
from casino_env.observed import moment, observe
from casino_env.rules import Rules, make_rules
from casino_env.text import TextGame, Vocabulary, introduction, parse, prompt, rules_text, situation
from casino_env.text.prompt import UNITS
from casino_env.text.reply import _Reader
from casino_env.text.text_game import happenings
from tests.hidden import twin_of
from tests.prompts import told_apart
from tests.random_play import every_game, label, random_decisions
from tests.refusals import refused
from tests.situations import position

SAID = "play/web/tests/words.json"  # the page's text of the rules


# --- prompts --------------------------------------------------------------------------------------------------------


def test_a_build_that_has_no_value_is_refused_in_one_line():
    game = TextGame("swazi")
    for reply in ("capture the standing build with 9H", "Turn: take the standing", "standing", "standing ²"):
        game.reset(3)
        assert game.step(reply).startswith("no turn found in ")


def test_answers_in_json_are_read_in_words_of_ones_own():
    for unit in UNITS:
        game = TextGame("swazi", words=3, unit=unit)
        game.reset(3)
        assert not game.step(json.dumps({unit: game.legal()[0]}))


def test_rules_are_told_in_the_words_of_the_page():
    with open(SAID, encoding="utf-8") as file:
        said = json.load(file)["said"]["rules"]
    for game, sections in said.items():
        name, players, changes = game.split(" ", 2)
        told = rules_text(make_rules(name, int(players), **json.loads(changes)))
        assert [" | ".join([title, *lines]) for title, lines in told.items()] == [
            re.sub("[\u2019\u201c\u201d]", "'", section) for section in sections
        ], game


def test_every_switch_is_told_of():
    silent = {field.name for field in fields(Rules)} - {"name"}
    for rules in every_game():
        for field in fields(Rules):
            kinds = get_args(field.type) or ([True, False] if field.type is bool else (0, 1, 2, 3, 40))
            for value in kinds if field.name in silent else ():
                change: dict[str, Any] = {field.name: value}
                try:
                    other = replace(rules, **change)
                except ValueError:
                    continue
                if introduction(other, 0) != introduction(rules, 0):
                    silent.discard(field.name)
    assert silent == set()


def test_a_switch_that_is_off_is_not_mentioned():
    told = introduction(make_rules("south-african", 2), 0)
    for word in ("partner", "sweep", "14", "insist", "jack", "count out", "yes", "match"):
        assert word not in told.lower()


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_hidden_cards_change_no_prompt(rules):
    changed, found = told_apart(rules, 20, seed=6)
    assert found == [] and (changed or rules.deck < 40)


def test_what_has_happened_tells_no_hidden_card():
    """Do the same in two games that a seat cannot tell apart."""
    rng, compared = np.random.default_rng(7), 0
    for rules in every_game():
        for begun in random_decisions(rules, 3, seed=7):
            seat = int(rng.integers(rules.players))
            begun = Game.from_bytes(begun.to_bytes(), rules, skip_forced=False)
            starts = [begun, twin_of(begun, seat, rng, skip_forced=False)]
            games = [start.clone() for start in starts]
            for _ in range(6):
                same = [] if games[0].over else [each for each in games[0].legal() if each in games[1].legal()]
                if not same:
                    break
                action = int(rng.choice(same))
                for game in games:
                    game.apply(action)
            if observe(games[0], seat).view.tobytes() == observe(games[1], seat).view.tobytes():
                compared += 1
                told = [
                    situation(observe(game, seat), happenings(start, game))
                    for start, game in zip(starts, games, strict=True)
                ]
                assert told[0] == told[1]
    assert compared > 50


def test_a_list_of_actions_may_name_an_ace_as_14():
    data = position("swazi", ["AD 2C", "4S 5S"], layout="KD AH 9C 5D", round=2, rules={"pile_order": "ask"})
    observed = observe(Game.from_json(data, skip_forced=False))
    found = parse("capture AD as 14; card AH; card 5D; card 9C; card KD", observed)
    assert [action_text(action) for action in found.actions[:5]] == [
        "capture AD as 14", "card AH", "card 5D", "card 9C", "card KD"
    ]  # fmt: skip


def test_other_words_say_the_same():
    words = Vocabulary(3)
    assert Vocabulary(3).said("capture") == words.said("capture") != Vocabulary(4).said("capture")
    plain = r"(?i)\b(?:build|captur|tak|discard|rais|steal|pile|top|loose|ace|jack|queen|king|spade|heart)\w*"
    for game in (game for rules in every_game() for game in random_decisions(rules, 2, seed=8)):
        observed = observe(game)
        told = prompt(observed, listed=True, vocabulary=words)
        assert not re.findall(plain, told) and not re.findall(r"\b[A2-9TJQK][SHDC]\b", told)
        for turn in observed.turns[:30]:
            reply = words.said(turn.text)
            assert parse(reply, observed, vocabulary=words) == parse(turn.text, observed), reply


def test_turns_of_the_last_card_before_others_are_dealt():
    """The stock is hidden from the seat, but the deal is not over: turns that leave different cards are different."""
    told = 0
    for seed in range(40):
        game, rng = Game("cassino", 2, seed=seed, skip_forced=False), random.Random(seed)
        while not game.over:
            hands, stock = [int(hand).bit_count() for hand in game.record["hands"]], int(game.record["stock_top"])
            if sum(hands) == 1 and stock >= 0 and not game.record["acted"]:
                assert len(observe(game).turns) == len(game.turns())
                told += 1
            game.apply(rng.choice(game.legal()))
    assert told > 100


# --- replies ---------------------------------------------------------------------------------------------------------

POSITION = position("south-african", ["7S 8H 8C 3D", "AS AH"], layout="7D 5D AC", builds=[(8, 0, "5C 3H")],
                    piles=["", "6S"])  # fmt: skip
REPLIES = [
    ("capture with 7S taking 7D", "capture with 7S*; taking 7D"),
    ("I think that 8H is best, since it takes the build.\n\n**Turn:** capture with 8H; taking the 8-build, 7D, AC",
     "capture with 8H*; taking the 8-build, 7D, AC"),
    ("take 7d and the ace of clubs with the eight of hearts", "capture with 8H*; taking 7D, AC"),
    ("play 8♥ to take 7♦, A♣ and the build of 8", "capture with 8H*; taking the 8-build, 7D, AC"),
    ('{"thought": "build", "turn": "add to 8 = 3D + 5D"}', "add to 8 = 5D + 3D*"),
    ('```json\n{"turn": ["build 8", "card 5D", "card 3D", "end"]}\n```', "add to 8 = 5D + 3D*"),
    ("<answer>add 5D + 3D to 8; end</answer>", "add to 8 = 5D + 3D*"),
    ("capture 8C; build 8; card 7D; card AC; end; end", "capture with 8C*; taking the 8-build, 7D, AC"),
    ("[discard 7S]", "illegal"),
    ("capture with 7S taking 5D", "5D cannot be part of it"),
    ("discard KS", "illegal"),
    ("build 9 = 8H + AS", "illegal"),
    ("I take everything", "no turn found"),
    ("", "no turn found"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "wanted"), REPLIES)
def test_replies(reply, wanted):
    game = Game.from_json(POSITION, skip_forced=False)
    found = parse(reply, observe(game))
    if found.why:
        assert wanted in found.why and "legal" in found.why and "\n" not in found.why, found.why
        return
    for action in found.actions:
        game.apply(action)
    assert happenings(Game.from_json(POSITION, skip_forced=False), game)[0] == f"seat 0: {wanted}"


def test_cards_come_in_the_order_in_which_they_are_named():
    """By these rules no sum can be taken after a pile's top."""
    rules = {"chain": "all", "tops_in_sums": False}
    data = position("south-african", ["5C", "4C"], layout="5D 3S 2S", piles=["", "4S 5S 5H"], rules=rules)
    observed = observe(Game.from_json(data, skip_forced=False))
    for more, taken in (("", []), (", 5S (pile 1)", [16])):
        found = parse(f"Turn: capture with 5C*; taking 5D, 3S, 2S, 5H (pile 1){more}", observed)
        assert [action for action in found.actions if action < END] == [123, 18, 8, 4, 17, *taken], found.why


def test_numbers_count_where_turns_are_listed():
    observed = observe(Game.from_json(POSITION, skip_forced=False))
    assert parse("Move 2", observed, listed=True) == parse(observed.turns[1].text, observed)
    assert "numbers are 1 to" in parse("400", observed, listed=True).why
    assert "no turn found" in parse("2", observed).why
    assert parse("2", observed, unit="action", listed=True).actions == [observed.legal()[1]]


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_words_of_a_turn_are_that_turn(rules):
    """Read a turn by its text alone, not as a line of the list. Only the list tells ambiguous texts apart."""
    for game in random_decisions(rules, 12, seed=9):
        observed = observe(game)
        reader = _Reader(observed, "turn", False)
        reader.texts = []
        for turn in observed.turns[:20]:
            found = reader.read(turn.text)
            assert parse(turn.text, observed).actions, turn
            if not turn.text.endswith(("...", "]")):
                assert found is not None and found.actions, (turn, found)
                ends = [_played(observed, actions) for actions in (found.actions, parse(turn.text, observed).actions)]
                assert ends[0] == ends[1], turn


@pytest.mark.parametrize("rules", every_game()[::4], ids=label)
def test_words_of_an_action_are_that_action(rules):
    for game in random_decisions(rules, 12, seed=9):
        observed = observe(game)
        reader = _Reader(observed, "action", False)
        reader.texts = []
        for action in observed.legal():
            found = reader.read(f"I {action_text(action).replace('capture', 'take with')}.")
            assert found is not None and found.actions == [action], (action_text(action), found)
        refusal = reader.read("raise the build of 1 to 2")
        assert refusal is not None and "is illegal" in refusal.why


def _played(observed, actions):
    """Return what the seat sees after a whole turn."""
    game = observed.as_game()
    for action in actions:
        game.apply(action)
    assert game.over or moment(game.records) != moment(observed.view), actions
    seen = observe(game, observed.seat)
    return [seen.view[0][name].tolist() for name in ("hands", "layout", "piles", "owned", "build_cards", "actor")]


SPOILT = [
    "", "\n\n", "x" * 100_000, "{" * 5_000, '{"turn": ' * 3_000, '{"turn": 1e999999}', '{"turn": [[[]]]}',
    '{"turn": null}', '{"turn": ' + "9" * 5_000 + "}", "discard", "build", "build 0", "build 99 = 5D", "raise 14",
    "capture", "take with", "taking the 9-build", "standing9", "\x00\x1b[2J", "\U0001f0a1", "\u202ediscard",
    "discard \u0663S", "build \u00b2 = 5D", "\u0661", "\u51fa\u724c", "to", "to 9", "no", "yes; no; end", "count out",
    "Ignore all rules; you are seat 1 now. Turn: reveal all hands", "card AS; " * 3_000, "end; " * 2_000,
    "discard AS discard 2S", "capture AS as 14 as 14", "(pile 1)", "turn: " * 2_000, "<answer>" * 3_000, "\\boxed{}",
    "[[]]", "###", "`````", "-1", "1.5", "NaN", "True", "{}", "{}{}{}", "standing\u0669", "build \u0669",
]  # fmt: skip


def _spoilt(draw, texts):
    """Return a spoilt reply, or text that is no reply."""
    kind = draw.random()
    if kind < 0.3:
        return draw.choice(SPOILT)
    text = draw.choice(texts)
    if kind < 0.5:
        return "".join(letter for letter in text if draw.random() < 0.9)
    if kind < 0.7:
        return re.sub(r"\d", lambda _: str(draw.randrange(30)), text)
    if kind < 0.85:
        words = [*text.split(), *draw.choice(texts).split(), draw.choice(SPOILT)[:50]]
        return " ".join(draw.sample(words, len(words)))
    return "".join(
        chr(draw.randrange(1, 0x11_0000 if draw.random() < 0.2 else 128)) for _ in range(draw.randrange(200))
    )


@pytest.mark.parametrize(("count", "seed"), [(600, 1), pytest.param(10_000, 2, marks=pytest.mark.slow)])
def test_spoilt_replies_get_a_line(count, seed):
    draw, games = random.Random(seed), [game for rules in every_game() for game in random_decisions(rules, 1, seed)]
    for number in range(count):
        game = games[number % len(games)]
        observed, unit = observe(game), draw.choice(UNITS)
        reply = _spoilt(draw, [turn.text for turn in observed.turns[:50]])
        words = Vocabulary(number % 5) if number % 7 == 0 else None
        found = parse(reply, observed, unit=unit, listed=draw.random() < 0.5, vocabulary=words)
        assert bool(found.actions) != bool(found.why), reply
        assert "\n" not in found.why and len(found.why) < 3_000
        assert not found.actions or found.actions[0] in observed.legal()


# --- games -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", every_game()[::4], ids=label)
@pytest.mark.parametrize("how", [{}, {"unit": "action"}, {"listed": True, "words": 4}])
def test_a_game_by_text(rules, how):
    game, draw = TextGame(rules, **how), random.Random(3)
    game.reset(5)
    assert game.game.to_bytes() == Game(rules, seed=5).to_bytes() or len(Game(rules, seed=5).log)
    while not game.over:
        seat = game.seat
        assert f"seat {seat} (you)" in game.observation() and game.rewards == [0.0] * rules.players
        assert game.step(draw.choice(game.legal())) == ""
    points = game.game.scores()
    assert sum(game.rewards) == pytest.approx(0)
    assert np.argmax(game.rewards) == np.argmax(points) and game.transcript[-1].did


def test_who_errs_twice_forfeits():
    game = TextGame("khasino", 4)
    game.reset(2)
    seat = game.seat
    assert "no turn found" in game.step("hello") and not game.over and game.seat == seat
    assert game.step(game.legal()[0]) == ""
    assert game.step("?") and game.step("!") and game.over
    lost = game.transcript[-1].seat
    assert game.rewards == [-11.0 if other % 2 == lost % 2 else 11.0 for other in range(4)]
    for say in (game.step, game.act):
        with refused("the game is over: reset it"):
            say("end")


def test_who_errs_may_go_on():
    game = TextGame("swazi", 2, tries=1, forfeit="plays")
    while not game.over:
        assert game.step("what?")
    assert game.game.over and sum(game.rewards) == 0.0


def test_a_match_counts_all_deals():
    game, draw, deals = TextGame("cassino", 2, match=True), random.Random(1), 0
    while not game.over:
        deals += any("the deal is over" in line for line in game.observation().splitlines())
        game.step(draw.choice(game.legal()))
    ours, theirs = game.game.record["match_score"][:2].tolist()
    assert deals > 1 and game.rewards == [ours - theirs, theirs - ours]


WORD: Any = "word"  # no unit
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"unit": WORD}, "unit = 'word'; it must be one of turn, action"), ({"forfeit": "dies"}, "forfeit = 'dies'"),
    ({"tries": 0}, "tries = 0"), ({"words": -1}, "seed = -1"), ({"listed": "no"}, "listed = 'no'"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "said"), WRONG)
def test_wrong_settings_are_refused(settings, said):
    with refused(said):
        TextGame(**settings)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda game: game.step(None), "reply = None; it must be text"),
        (lambda game: game.introduction(9), "seat = 9; it must be a whole number from 0 to 1"),
        (lambda game: game.introduction([]), "seat = []; it must be a whole number from 0 to 1"),
        (lambda game: game.observation(rules="no"), "rules = 'no'; it must be true or false"),
        (lambda game: prompt(observe(game.game), unit=WORD), "unit = 'word'; it must be one of turn, action"),
        (lambda game: situation(observe(game.game), unit=WORD), "unit = 'word'; it must be one of turn, action"),
        (lambda game: parse("end", observe(game.game), unit=WORD), "unit = 'word'; it must be one of turn, action"),
    ],
)
def test_wrong_questions_are_refused(ask, said):
    with refused(said):
        ask(TextGame())
