"""Each hand-written rule alone in a position where it decides, and the bots in positions that need their knowledge."""

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.actions import action_text
from casino_env.agents.scripted.bots import Bot
from casino_env.agents.scripted.choosing import Scripted
from casino_env.agents.scripted.tactics import RULES
from casino_env.evaluate import match
from tests import situations
from tests.random_play import every_game, label, random_decisions, random_moments

TENS = "TS TH TD"


def south_african(mine, theirs, layout="", **more):
    return situations.position("south-african", [mine, theirs], layout=layout, **more)


def four(hands, **more):
    """Return a position of partners who are never forced to capture or augment."""
    return situations.position("swazi", hands, rules={"insist_capture": "never", "insist_augment": "never"}, **more)


def liked(bot, position):
    """Return the actions that a bot may choose."""
    seen = observe(Game.from_json(position))
    likely = Scripted(bot).probabilities(seen)
    return {action_text(action) for action in seen.legal() if likely[action]}


# Rule: (position, actions it prefers, other rules needed to see it). Unlisted cards may be in the other hand.
SCENARIOS = {
    "points": (south_african("AH 7C", "TC TH", "AS 7D"), {"capture AH"}, {}),
    "cards": (south_african("9C 7C", "TC TH", "9D 7D 4H 2H AH"), {"capture 7C", "build 7"}, {}),
    "spades": (south_african("9C 7C", "TC TH", "9S 7D"), {"capture 9C"}, {}),
    "late": (south_african("AH 7C", "TC TH", "AS 7D"), {"capture AH"}, {}),
    "builds": (south_african("9C 2C 6C", "TC TH TD", "7D 6D"), {"build 9"}, {}),
    "high_builds": (south_african("9C 6C 2C", "TC TH TD", "7D 4D"), {"build 9"}, {}),
    "monopoly": (south_african("9C 8C 2S AC", "TC TH TD 3C", "7D", piles=["8D 8H 8S", ""]), {"build 8"}, {}),
    "risk": (south_african("9C 8C 2S AC", "TC TH TD 3C", "7D", piles=["8D 8H 8S", ""]), {"build 8"}, {"builds": 1.0}),
    "raises": (
        south_african("9C 6C 5C 4C", "2D 8D TS TH", "2S 4H", piles=["AS AH AD AC", ""]),
        {"build 9"}, {"builds": 0.1},
    ),
    "grow": (
        south_african("TC 4C 7C", "9C 9H 9D", "6H", builds=[(10, 0, "8D 2D")], piles=["", TENS], round=2),
        {"discard 4C"}, {},
    ),
    "rivals": (south_african("9C 7C", "9H TH", "7D", builds=[(9, 1, "5D 4D")]), {"capture 9C"}, {}),
    "chase": (south_african("9C 7C", "9H TH", "9D", builds=[(9, 1, "5D 4D")]), {"discard 7C"}, {}),
    "feed": (south_african("4C 6C", "9H TH", "5H", builds=[(9, 1, "7D 2D")]), {"discard 6C"}, {}),
    "threat": (south_african("4C 6C", "9H TH", piles=["4D 4H 4S", ""]), {"discard 4C"}, {}),
    "loose": (south_african("4C 6C", "9H TH", piles=["4D 4H 4S", ""]), {"discard 4C"}, {}),
    "hopes": (south_african("9C 4C 2C", "8H TH TC", "5H"), {"discard 4C"}, {}),
    "top": (south_african("6C 7C", "8H TH", "6H 7H", piles=["7S 7D", ""]), {"capture 7C"}, {"cards": 0.5}),
    "their_tops": (south_african("8D 2C 3C", "TS TH TC", piles=["", "7C 6S"]), {"discard 2C"}, {}),
    "last": (south_african("6C", "8H", "6H TD 2S", round=2, last_capture=1), {"capture 6C"}, {}),
    "keep_high": (south_african("6C 4D 7C", "8H TH 9H"), {"discard 4D"}, {}),
    "keep_points": (south_african("AC TD 7C", "8H TH 9H"), {"discard 7C"}, {}),
    "options": (south_african("6C 7C", "8H TH", "7D"), {"discard 6C"}, {}),
    "sweeps": (
        south_african("6C 7C", "TC TH", "2H", piles=["8S 8D 8C 8H", ""])
        | {"variant": "cassino", "rules": {"sweeps": True}},
        {"discard 6C"},
        {},
    ),
    "mate": (four(["6C 9C", "QH TH", "9H QD", "TC TS"], proven=[[], [], [9], []]), {"discard 9C"}, {}),
    "drift": (four(["9C 9D 4C", "QH TH", "9H QD", "TC TS"], builds=[(9, 2, "6C 3D")]), {"build 9"}, {}),
}  # fmt: skip


def test_every_rule_has_a_scenario():
    assert list(SCENARIOS) == list(RULES)


@pytest.mark.parametrize("rule", SCENARIOS)
def test_rule_decides(rule):
    position, moves, helpers = SCENARIOS[rule]
    bot = Bot({rule: 1.0} | helpers, effort=8, team=rule in ("mate", "drift"))
    assert liked(bot, position) == moves
    assert liked(Bot(helpers, effort=8), position) != moves, "the position does not need the rule"


# --- the bots ------------------------------------------------------------------------------------------------------


def test_random_likes_everything():
    position = SCENARIOS["points"][0]
    assert len(liked("random", position)) == 4


def test_greedy_takes_the_points():
    assert liked("greedy", SCENARIOS["points"][0]) == {"capture AH"}


@pytest.mark.parametrize("bot", ["greedy", "beginner", "builder", "counter", "partner"])
def test_the_last_card_captures_what_it_can(bot):
    assert liked(bot, SCENARIOS["last"][0]) == {"capture 6C"}


# --- partners ------------------------------------------------------------------------------------------------------

OTHERS = ("8H TH 8S", "9H 8D 5H", "TC TS 2C")


def value_of(bot, position, action):
    seen = observe(Game.from_json(position))
    return {action_text(number): value for number, value in Scripted(bot).analyse(seen).values.items()}[action]


def after(position, *actions):
    game = Game.from_json(position)
    for action in actions:
        game.apply(action)
    return game.to_json()


@pytest.mark.parametrize(("hand", "owner", "safe"), [("9C 9D 4C", 2, True), ("9C 7D 4C", 2, False),
                                                      ("9C 9D 9S", 0, True), ("9C 9D 4C", 0, False)])  # fmt: skip
def test_drifts_only_where_two_are_left(hand, owner, safe):
    """To drift safely, the owner needs two more nines in hand, the partner one."""
    position = four([hand, *OTHERS], builds=[(9, owner, "6C 3D")])
    assert (value_of(Bot({"drift": 1.0}, team=True), position, "build 9") > 0) == safe
    assert (liked("partner", position) == {"build 9"}) == safe


@pytest.mark.parametrize(("hand", "owner", "told"), [("7C 7D 4C", 2, True), ("9C 7D 4C", 0, True),
                                                      ("9C 9D 4C", 0, False), ("9C 7D 4C", 2, False)])  # fmt: skip
def test_reads_a_drift_that_is_not_its_own(hand, owner, told):
    """A nine added to a build shows that the partner holds more nines, so that the opponents hold fewer; a nine that
    began the build shows nothing."""
    cautious = Bot({"risk": 1.0}, team=True)
    drifted, begun = (
        value_of(cautious, four([hand, *OTHERS], builds=[(9, owner, *sets)]), "discard 4C")
        for sets in (("6C 3D", "9S"), ("9S", "6C 3D"))
    )
    assert (drifted > begun) == told
    assert (drifted == begun) != told


def test_builds_for_a_partner_that_has_proven_its_card():
    position = four(["3C QC 4C", *OTHERS], layout="6D", proven=[[], [], [9], []])
    assert liked("partner", position) == {"build 9"}


@pytest.mark.parametrize(("variant", "asked"), [("swazi", True), ("khasino", False)])
def test_asks_for_a_build_that_is_worth_more_later_and_grants_it(variant, asked):
    """Khasino's request is binding, so that nobody is asked to grant it."""
    position = four(["9C 4C 5C", *OTHERS], builds=[(9, 0, "6C 3D", "5S 4S")]) | {"variant": variant}
    request = after(position, "capture 9C")
    assert liked("partner", request) == {"yes"}
    assert liked("counter", request) == {"no"}
    if asked:
        assert liked("partner", after(request, "yes")) == {"yes"}


def test_questions_have_ready_answers():
    """Bots sort cards with points to the bottom."""
    sorting = [game for game in moments("swazi", 3, pile_order="ask") if game.record["mode"] == 11]
    assert sorting
    for game in sorting:
        scoring = [card for card in game.legal() if card < 5 or action_text(card) == "card TD"]
        assert Scripted("greedy").act(observe(game)) == (scoring or game.legal())[0]


def moments(variant, players, **changes):
    return random_decisions(make_rules(variant, players, **changes), 200)


def test_the_match_is_claimed_when_it_is_won():
    base = {"variant": "cassino", "players": 2, "rules": {"count_out": True}, "hands": [["6C", "7C"], ["8H", "9H"]]}
    assert liked("counter", base | {"match_score": [21, 3]}) == {"count out"}
    assert "count out" not in liked("counter", base | {"match_score": [20, 3]})


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_worth_is_always_a_number(rules):
    for game in random_moments(rules, 6, seed=2):
        if not game.over:
            assert np.isfinite(list(Scripted("counter").analyse(observe(game)).values.values())).all()


@pytest.mark.parametrize("variant", ["south-african", "khasino", "swazi"])
def test_each_bot_beats_the_one_below(variant):
    """A small ladder; `python -m benchmarks ladder` plays the large one."""
    for worse, better in (("random", "greedy"), ("greedy", "builder"), ("builder", "counter")):
        assert match(better, worse, variant, 2, deals=150).low > 0, (better, worse)


def test_a_beginner_builds_what_greedy_leaves():
    """Beginner is between greedy and builder in games that build from the hand."""
    table = {"variant": "cassino", "players": 2, "hands": [["9C", "4D", "2H"], ["3S"]], "layout": ["5H"]}
    assert liked("beginner", table) == {"build 9"} != liked("greedy", table)
    for worse, better in (("greedy", "beginner"), ("beginner", "builder")):
        assert match(better, worse, "royal", 2, deals=300).low > 0, (better, worse)
