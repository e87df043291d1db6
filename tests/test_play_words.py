"""Moves, questions and refusals in the words of players; the moves, each with what it takes; wrong calls."""

import pytest

from casino_env.actions import action_text
from casino_env.game import Game
from casino_env.play.about import GAMES, games
from casino_env.play.counting import ended_deal, result
from casino_env.play.moves import at_rest, moves
from casino_env.play.names import Names, names_of
from casino_env.play.opponents import LEVELS, levels, offers
from casino_env.play.questions import question
from casino_env.play.rules_text import rules_text
from casino_env.play.why import why_not
from casino_env.play.words import partition
from casino_env.presets import PRESETS
from casino_env.rules import make_rules, player_counts
from tests.random_play import every_game, label, played_out, random_decisions

TABLE = Names(("You", "Counter", "Builder"), 0)


def game_of(**data: object) -> Game:
    return Game.from_json({"variant": "south-african", "players": 2} | data, skip_forced=False)


def told(game: Game, names: Names = TABLE) -> list[str]:
    return [move.text for move in moves(game, names)]


CAPTURE = game_of(
    hands=[["7S", "8H", "8C"], ["AS", "AH"]], layout=["7D"], piles=[[], ["6S", "AC"]],
    builds=[{"value": 8, "owner": 0, "sets": [["5C", "3H"]]}],
)  # fmt: skip


def test_a_capture_names_whose_cards_it_takes_and_the_largest_comes_first():
    assert told(CAPTURE)[0] == "Take 7D + Counter's AC and your build of 8 with the 8H"
    takes = [len(move.cards) + 2 * len(move.builds) for move in moves(CAPTURE) if move.do == "capture"]
    assert takes == sorted(takes, reverse=True)


def test_discards_come_after_everything_that_does_more():
    order = [move.do for move in moves(CAPTURE)]
    assert "discard" not in order[: len(order) - order.count("discard")]


def test_those_who_look_on_hear_of_somebody_else():
    first = told(CAPTURE, Names(("Counter", "Builder")))[0]
    assert first == "Takes 7D + Builder's AC and their own build of 8 with the 8H"


def test_builds_and_raises():
    game = game_of(
        variant="khasino", hands=[["AH", "TS", "5D", "9C"], ["AS", "AD"]], layout=["4S"],
        builds=[{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}],
    )  # fmt: skip
    assert "Raise Counter's build of 9 to 10 with the AH" in told(game)
    assert "Discard the 5D" in told(game) or why_not(game, ["5D"], "discard", TABLE)


@pytest.mark.parametrize(("cards", "value", "groups"), [([32, 20, 8], 9, [[32], [20, 8]]), ([32, 20], 9, None)])
def test_cards_fall_into_groups(cards, value, groups):
    assert partition(cards, value) == groups


@pytest.mark.parametrize(
    ("data", "tokens", "do", "said"),
    [
        ({"hands": [["5D", "2C"], ["AS", "AH"]], "layout": ["4S"]}, ["5D", "4S"], "", "you hold no other 9"),
        ({"hands": [["5D", "9C"], ["AS", "AH"]], "layout": ["4S"]}, ["5D", "9C"], "", "One card from the hand"),
        ({"hands": [["9D", "2C"], ["AS", "AH"]], "layout": ["4S"]}, ["9D", "4S"], "", "the highest build is 10"),
        ({"hands": [["9D", "2C"], ["AS", "AH"]], "layout": ["4S"]}, [], "end", "has to be played first"),
        ({"hands": [["9D", "2C"], ["AS", "AH"]], "layout": ["8S"]}, ["8S"], "", "No card in your hand takes the 8S"),
        (
            {"variant": "khasino", "hands": [["9D", "2C"], ["AS", "AH"]], "layout": ["9S"]},
            ["9D"], "discard", "a capture has to take all",
        ),
        (
            {"hands": [["9D", "2C"], ["AS", "AH"]], "builds": [{"value": 9, "owner": 0, "sets": [["6C", "3D"]]}]},
            ["2C"], "discard", "owns a build",
        ),
    ],
)  # fmt: skip
def test_the_rule_that_forbids_it_is_named(data, tokens, do, said):
    assert said in why_not(game_of(**data), tokens, do, TABLE)


KASA = {"variant": "kasa", "hands": [["9S", "2C"], ["AS", "AH"]]}
NINE = [{"value": 9, "owner": 2, "sets": [["7H", "2D"]]}]


@pytest.mark.parametrize(
    ("changes", "tokens", "said"),
    [
        ({"piles": [[], ["9D"]]}, ["9S", "9D"], "only taken beside an equal loose card or the build"),
        ({"layout": ["5H"], "piles": [[], ["4D"]]}, ["9S", "5H", "4D"], "in no sum"),
        ({"hands": [["9S", "5C"], ["AS"]], "builds": [{"value": 4, "owner": 1, "sets": [["3D", "AC"]]}],
          "rules": {"raise_limit": "double"}}, ["5C", "b4"], "at most twice what it was"),
        ({"hands": [["9S", "4C"], ["AS"], ["3H"]], "players": 3, "piles": [[], [], ["9D"]], "builds": NINE,
          "rules": {"owner_top": False}}, ["9S", "b9", "9D"], "top of its owner's pile stays"),
        ({"hands": [["9S", "4C", "9C"], ["AS"], ["9H"], ["AD"]], "players": 4, "layout": ["5H"], "builds": NINE},
         ["4C", "5H", "b9"], "would raise it to 18"),
        ({"hands": [["9S", "4C", "9C"], ["AS"], ["9H"], ["AD"]], "players": 4, "layout": ["5H"], "builds": NINE},
         ["4C", "5H"], "there is only one of each value"),
        ({"hands": [["8S", "2C"], ["AS"]], "layout": ["5H", "3C"]}, ["5H", "3C"], ""),
        ({"hands": [["5D", "8C"], ["AS"]], "layout": ["7H", "AC", "5H"]}, ["5D", "7H", "AC"], "come to 13"),
    ],
)  # fmt: skip
def test_what_forbids_it_in_kasa_is_named(changes, tokens, said):
    words = why_not(game_of(**KASA | changes), tokens, "", TABLE if "players" in changes else Names(("You", "He"), 0))
    assert said in words and (said or not words)


def test_a_steal_binds_the_hand_card():
    game = game_of(
        **KASA | {"hands": [["9S", "2C", "5D"], ["AS"]]}, layout=["5C", "3C"], piles=[[], ["9D", "4H"]],
        builds=[{"value": 9, "owner": 0, "sets": [["6H", "3D"]]}],
    )  # fmt: skip
    assert why_not(game, ["2C"], "discard", TABLE).startswith("Whoever owns a build may not discard")
    for action in next(move.actions for move in moves(game, TABLE) if "5C and Counter's 4H" in move.text):
        game.apply(action)
    for cards, do in ((["2C"], "discard"), (["5D", "3C"], "")):
        assert why_not(game, cards, do, TABLE).startswith("You have stolen for your build of 9")
    assert why_not(game, ["9S", "b9"], "", TABLE) == ""


def test_loose_cards_are_asked_for_as_a_build():
    names = Names(("Counter", "You", "Builder", "Greedy"), 2)
    data = {"players": 4, "hands": [["9S", "2C"], ["AS"], ["9H", "3S"], ["AD"]], "layout": ["9C", "6H", "3D"]}
    for request in ("binding", "optional"):
        game = game_of(**KASA | data, rules={"partner_request": request})
        for action in next(move.actions for move in moves(game, names) if "9C and 6H + 3D" in move.text):
            game.apply(action)
        assert game.seat == 2
        assert question(game.record, names).endswith("with the 9S. Ask for these cards as your build of 9?")
        assert told(game, names) == ["Ask for the cards as a build of 9", "Let the cards be taken"]
        game.apply("yes")
        if request == "optional":
            assert told(game, names)[0] == "Leaves the cards as a build of 9 to you"
            game.apply("yes")
        assert game.to_json()["builds"] == [{"value": 9, "owner": 2, "sets": [["9C"], ["6H", "3D"], ["9S"]]}]


def test_a_capture_names_all_cards_of_a_pile_that_it_takes():
    names = Names(("You", "Counter"), 0)
    game = game_of(**KASA, layout=["9C"], piles=[[], ["4D", "9D", "9H"]])
    assert told(game, names)[0] == "Take 9C, Counter's 9D and Counter's 9H with the 9S"


def test_nothing_is_said_of_what_can_be_done():
    assert why_not(CAPTURE, ["8H", "b8"], "", TABLE) == ""
    with pytest.raises(ValueError, match="not a card"):
        why_not(CAPTURE, ["XX"], "", TABLE)


@pytest.mark.parametrize("rules", every_game()[::7], ids=label)
def test_every_refusal_is_a_sentence_and_every_question_names_its_cards(rules):
    names = Names(tuple(f"Agent {seat}" for seat in range(rules.players)), -1)
    for game in random_decisions(rules, 6):
        for card in game.to_json()["hands"][game.seat][:4]:
            words = why_not(game, [card], "discard", names)
            assert words == "" or (words.endswith(".") and "seat" not in words)
        assert "seat" not in question(game.record, names)


def test_agents_of_one_name_are_numbered():
    assert names_of(["counter", "you", "counter", "policy:swazi-2-easy"]).called == (
        "Counter 1", "You", "Counter 2", "Novice",
    )  # fmt: skip


def test_every_game_has_a_name_a_line_and_four_levels():
    assert set(GAMES) == set(PRESETS)
    offered = offers(())
    for game in games():
        assert game["line"].endswith(".")
        assert [sitting["count"] for sitting in game["players"]] == player_counts(game["name"])
        for sitting in game["players"]:
            row = offered["levels"][f"{game['name']} {sitting['count']}"]
            assert len(set(row)) == len(LEVELS)
            assert all(offered["about"][spec]["line"] for spec in row)
    assert levels(Game("swazi", 2).rules)[2] == "policy:swazi-2"


def test_bots_stand_where_no_policy_has_learnt_so_much(monkeypatch):
    rules = Game("khasino", 4).rules
    monkeypatch.setattr("casino_env.play.opponents._learners", dict)
    assert levels(rules) == ["greedy", "builder", "partner", "strongest:time=2"]
    monkeypatch.setattr("casino_env.play.opponents._learners", lambda: {rules: ["policy:x"]})
    assert levels(rules) == ["builder", "partner", "policy:x", "strongest:time=2"]


def test_points_come_with_the_cards_that_were_counted():
    found = result(played_out(Game("khasino", 4, seed=1)))
    assert found["sides"] == [[0, 2], [1, 3]]
    assert sum(found["counts"]["cards"][:2]) <= 40


def test_stealing_a_bundle_is_one_move():
    game = game_of(
        variant="stealing-bundles", players=3, hands=[["8S", "2C"], ["AS"], ["AH"]], layout=["8H", "KD"],
        piles=[[], ["8C", "8D"], []],
    )  # fmt: skip
    offered = [move for move in moves(game, TABLE) if move.do == "capture"]
    assert {move.text for move in offered} == {"Take 8H with the 8S", "Take all of Counter's pile with the 8S"}
    assert all(not move.text.startswith("Use") for move in moves(game, TABLE))


def test_the_partner_of_the_person_is_called_so():
    assert names_of(["counter", "you", "counter", "counter"], partners=True).called == (
        "Counter 1", "You", "Counter 2", "Partner",
    )  # fmt: skip


def test_a_build_from_the_table_alone_says_so():
    game = game_of(variant="swazi", hands=[["9D", "2C"], ["AS", "AH"]], layout=["5S", "4D"])
    assert "Build 9 with 5S and 4D from the table" in told(game)


def test_whoever_captured_last_gets_what_is_left():
    game = game_of(variant="khasino", hands=[["5D"], []], layout=["5S", "TH"], round=2, stock=[], last_capture=1)
    ahead, actions = game.clone(), list[int]()
    while not ahead.over:
        actions.append(next((each for each in ahead.legal() if "capture" in action_text(each)), ahead.legal()[0]))
        ahead.apply(actions[-1])
    assert ended_deal(game, actions)["left"] == {"seat": 0, "cards": ["TH"]}


# --- the moves that are picked from ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_moves_are_all_there_is_and_end_at_rest(rules):
    for game in random_decisions(rules, 12):
        here = Game.from_bytes(game.to_bytes(), rules, skip_forced=False)
        found = moves(here)
        assert {move.actions[0] for move in found} == set(map(action_text, here.legal()))
        for move in found[:20]:
            ahead = here.clone()
            for action in move.actions:
                ahead.apply(action)
            assert at_rest(ahead) or len(move.actions) == 1
            assert move.text


def test_a_capture_names_all_that_it_takes():
    found = [move for move in moves(CAPTURE) if "capture 8H" in move.actions]
    assert {"8H", "7D", "AC", "b8"} in [{*move.cards, *(f"b{value}" for value in move.builds)} for move in found]
    assert {"8H", "b8"} in [{*move.cards, *(f"b{value}" for value in move.builds)} for move in found]
    assert {move.do for move in found} == {"capture"}


def test_rules_in_words_for_every_game():
    for name in PRESETS:
        for players in player_counts(name):
            sections = dict(rules_text(make_rules(name, players)))
            assert {"Cards", "Taking", "Points"} <= set(sections)
    assert rules_text(make_rules("swazi", 2)) != rules_text(make_rules("sotho", 2))


def test_a_switch_changes_the_words():
    insisting = rules_text(make_rules("swazi", 2))
    assert rules_text(make_rules("swazi", 2, insist_capture="never")) != insisting
