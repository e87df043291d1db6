"""Afterstates: the same tables as all complete turns, independent of hidden cards, within bounds."""

import random
from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.actions import COUNT_OUT, END, NO, YES
from casino_env.cards import CARDS, mask_of, parse_card
from casino_env.compiler.types import allocate
from casino_env.engine import action_set, entrypoints
from casino_env.engine.afterstates import DEPTH, LIMIT, MOST, Afterstates, afterstates_of
from casino_env.engine.complete_turns import follow_turn
from casino_env.engine.state import IDLE, INSIST_ADD, OVER, chain
from casino_env.observed import determinize
from casino_env.rules import Rules
from casino_env.turns import TooManyTurnsError, perft, results_of
from tests.random_play import act, every_game, label, random_decisions, random_moments
from tests.situations import position

GAMES = every_game()


def listed(game: Game, view: Any = None, *, apart: bool = False) -> Any:
    """Return the afterstates of the seat's turns in its view. apart: tell equal cards apart."""
    afterstates = allocate(Afterstates)
    if apart:
        afterstates.walk["same"] = np.arange(CARDS)
    afterstates_of(observe(game).view if view is None else view, game.rules_record, afterstates, LIMIT)
    return afterstates


def paths(afterstates) -> list[list[int]]:
    walk = afterstates.walk[0]
    return [walk["paths"][k, : walk["lengths"][k]].tolist() for k in range(walk["found"])]


def table_of(record, rules: Rules):
    """Describe a table: never which sets a build consists of (it does not matter), and order only where it counts."""
    game = record[0]
    ordered = rules.stacking in ("as_built", "build_on_top")
    builds = []
    for seat in range(rules.players):
        for value in range(1, 15):
            if game["owned"][seat] >> value & 1:
                cards = chain(game, int(game["build_top"][value])) if ordered else int(game["build_cards"][value])
                builds.append((seat, value, str(cards), bool(game["build_sets"][value] > 1)))
    piles = game["piles"].tolist() if rules.stacking == "face_down" else [chain(game, int(t)) for t in game["pile_top"]]
    loose = int(game["layout"])
    order = [c for c in np.argsort(game["laid"], kind="stable").tolist() if loose >> c & 1]
    rest = [int(game[name]) for name in ("to_move", "mode", "round", "last_capture", "stock_top", "winner")]
    rest += game["hands"].tolist() + game["proven"].tolist() + game["sweeps"].tolist()
    return str((builds, piles, loose, order if rules.stacking == "as_built" else 0, rest))


def nameless(table, rules: Rules, names) -> str:
    """Describe a table by names that equal cards share."""

    def named(cards: int) -> list[int]:
        return sorted(int(names[card]) for card in range(CARDS) if int(cards) >> card & 1)

    sets = [[named(cards) for cards in table[field]] for field in ("hands", "piles", "build_cards")]
    piles = [[int(names[card]) for card in chain(table, int(top))] for top in table["pile_top"][: rules.players]]
    ordered = rules.stacking in ("as_built", "build_on_top")
    tops = table["build_top"] if ordered else []
    builds = [[int(names[card]) for card in chain(table, int(top))] for top in tops]
    loose = sorted((card for card in range(CARDS) if int(table["layout"]) >> card & 1), key=lambda c: table["laid"][c])
    order = [int(names[card]) for card in loose]
    rest = [int(table[field]) for field in ("to_move", "mode", "last_capture", "winner")]
    rest += [table[field].tolist() for field in ("owned", "proven", "sweeps")] + [(table["build_sets"] > 1).tolist()]
    return str((sets, piles, builds, order if rules.stacking == "as_built" else sorted(order), rest))


def left_by(game: Game, found: list[list[int]]) -> tuple[set[str], bool]:
    """Play these turns in the game itself; return (the tables that they leave, whether all are legal)."""
    results, all_legal = set(), True
    for path in found:
        record = game.records.copy()
        for action in [*path, END]:
            if action not in action_set.actions_of(entrypoints.legal(record, game.rules_record)):
                all_legal = False
                break
            act(record, game.rules_record, action)
        else:
            while record["mode"][0] == INSIST_ADD:
                act(record, game.rules_record, NO)
            results.add(table_of(record, game.rules))
    return results, all_legal


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_the_tables_are_those_of_all_complete_turns(rules):
    """Except where other seats are asked: turns() branches. A secret pile hides the next steal. Counting out: below."""
    asked = rules.partner_request != "off" or "ask" in (rules.insist_capture, rules.insist_augment)
    checked = 0
    for game in random_moments(rules, 30, seed=4):
        if game.over or game.record["mode"] != IDLE:
            continue
        afterstates = listed(game, apart=True)
        if afterstates.walk["cut"][0] or afterstates.walk["tried"][0] > 60:  # brute force takes too long
            continue
        found, all_legal = left_by(game, paths(afterstates))
        secret = rules.stacking == "secret" and rules.steal != "no"
        assert all_legal or secret
        checked += 1
        if rules.pile_order == "ask":  # a pile of eight can be sorted in 40,320 ways
            continue
        turns = results_of(game)
        left = zip(turns.records, turns.turns, strict=True)
        want = {table_of([record], rules) for record, actions in left if actions != [COUNT_OUT]}
        assert found <= want
        assert found == want or asked or secret
    assert checked > 3


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_a_turn_is_followed_whether_its_forced_actions_are_given_or_not(rules):
    """Every result has a key of its own."""
    path, given = np.zeros(DEPTH + 1, np.int16), np.full(DEPTH + 1, -1, np.int16)
    for game in random_decisions(rules, 20, seed=8):
        view, row = observe(game).view, game.rules_record
        afterstates = listed(game, view)
        given[:] = -1
        if game.record["mode"] == IDLE and not game.record["played"] and len(game.legal()) > 1:
            assert follow_turn(view, row, afterstates, given, path)[::2] == (0, 0), "a choice is left"
        left = dict[int, list[int]]()
        for turn in paths(afterstates):
            keys, (want, chosen) = set[int](), until_asked(game, turn)
            for actions in (turn, chosen if len(set(turn)) == len(turn) else turn):  # repeated actions are ambiguous
                given[:], given[: len(actions)] = -1, actions
                count, key, whole = follow_turn(view, row, afterstates, given, path)
                keys.add(key)
                assert whole and path[:count].tolist() == want
            assert len(keys) == 1
            if want == [*turn, END]:  # turns that other seats interrupt may go on alike
                assert left.setdefault(key, want) == want


def test_a_turn_is_whole_though_it_goes_on_after_an_answer():
    rules = {"insist_capture": "ask", "insist_augment": "never"}
    data = position("swazi", ["3D 2H", "3C KS"], layout="3S 2C AC", builds=[(3, 0, "2D AD")], rules=rules)
    game, path, went_on = Game.from_json(data, skip_forced=False), np.zeros(DEPTH + 1, np.int16), 0
    view, row = observe(game).view, game.rules_record
    afterstates = listed(game, view)
    for turn in paths(afterstates):
        count, _, whole = follow_turn(view, row, afterstates, np.array([*turn, -1], np.int16), path)
        assert whole
        went_on += count < len(turn)
    assert went_on


def test_a_seat_plans_with_what_it_knows_to_lie_under_a_top():
    data = position(
        "sotho", ["8H 2H KC", "AS", "AD"], layout="5D 4H", builds=[(8, 0, "5C 3D")], piles=["", "4C 3S", ""],
        rules={"insist_capture": "never", "insist_augment": "never"},
    )  # fmt: skip
    assert any(turn.text.count("(pile 1)") == 2 for turn in observe(Game.from_json(data)).turns)


def test_a_seat_plans_up_to_the_question_of_another():
    rules = {"insist_capture": "ask", "insist_augment": "never"}
    game = Game.from_json(position("swazi", ["3D 2H", "3C KS"], layout="3S 2C", rules=rules), skip_forced=False)
    assert any("opponent" in turn["text"] for turn in game.turns())
    assert not any("opponent" in turn.text for turn in observe(game).turns)


def test_an_answer_leaves_what_follows_from_it():
    rules = {"insist_capture": "never", "insist_augment": "never", "partner_request": "optional"}
    data = position("khasino", ["9H 5C", "2S", "9D 3D", "TD"], layout="4C", builds=[(9, 2, "7C 2D")], rules=rules)
    game = Game.from_json(data, skip_forced=False)
    for action in ("capture 9H", "build 9", "end"):
        game.apply(action)
    found = listed(game)
    left = {path[0]: table for path, table in zip(paths(found), found.records, strict=False)}
    built = mask_of([parse_card(card) for card in ("7C", "2D", "9H")])
    assert left[YES]["build_cards"][9] == built and not left[YES]["piles"].any()
    assert left[NO]["piles"][0] == built and not left[NO]["build_cards"].any()
    for given, whole in (([YES, -1], 1), ([YES, 0], 0)):  # 0: the ace of spades
        told, path = np.array(given, np.int16), np.zeros(2, np.int16)
        assert follow_turn(observe(game).view, game.rules_record, found, told, path)[2] == whole


def until_asked(game: Game, turn: list[int]) -> tuple[list[int], list[int]]:
    """Return (the actions of a turn up to its end or another seat's decision; those that had an alternative)."""
    record, row = observe(game).view, game.rules_record
    if record["to_move"][0] != game.seat:
        return turn, turn
    done, chosen = list[int](), list[int]()
    for action in [*turn, END]:
        legal = action_set.actions_of(entrypoints.legal(record, row)) if record["actor"][0] == game.seat else []
        if action not in legal:
            break
        done += [action]
        chosen += [action] if len(legal) > 1 else []
        if action != END or record["mode"][0] != IDLE:
            act(record, row, action)
    return done, chosen


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_turns_that_differ_in_the_names_of_equal_cards_are_one(rules):
    """If equal cards are told apart there are more turns, but the same tables up to names. None occurs twice."""
    for game in random_decisions(rules, 30, seed=9):
        afterstates, apart = listed(game), listed(game, apart=True)
        if apart.walk["cut"][0]:
            continue
        names, records = afterstates.walk["same"][0], afterstates.records[: afterstates.walk["found"][0]]
        found = [nameless(table, game.rules, names) for table in records]
        every = {nameless(table, game.rules, names) for table in apart.records[: apart.walk["found"][0]]}
        assert set(found) == every
        if game.record["actor"] == game.record["to_move"]:  # the answers yes and no differ
            on = [one for one, table in zip(found, records, strict=True) if table["mode"] != OVER]
            assert len(on) == len(set(on))  # two ends of a deal may be equal


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_what_is_hidden_changes_nothing(rules):
    """Another determinization leaves the same turns."""
    rng, checked = np.random.default_rng(1), 0
    for game in random_decisions(rules, 30, seed=6):
        found = []
        for one in (game, determinize(game, game.seat, rng)):
            afterstates = listed(one)
            found.append((paths(afterstates), afterstates.walk["keys"][0, : len(paths(afterstates))].tolist()))
        assert found[0] == found[1]
        checked += 1
    assert checked


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_every_decision_leaves_something(rules):
    """Every decision has an afterstate. In it the seat's turn is over, and no card was drawn or dealt."""
    for game in random_decisions(rules, 10, seed=8):
        view, legal = observe(game).view, set(game.legal())
        afterstates = listed(game, view)
        found = afterstates.walk["found"][0]
        assert 0 < found <= MOST
        assert all((path[0] if path else END) in legal for path in paths(afterstates))
        for table in afterstates.records[:found]:
            assert table["mode"] in (IDLE, OVER)
            assert table["hidden_stock"] == view["hidden_stock"][0] and table["stock_top"] == view["stock_top"][0]
            assert table["deals"] == view["deals"][0] + (table["mode"] == OVER)


@pytest.mark.parametrize("variant", ["swazi", "south-african", "khasino", "cassino", "african", "royal"])
def test_a_crowded_table_is_cut_off(variant):
    """All cards loose and a full hand: the search keeps its limit and tries at least four cards of the hand."""
    rules = make_rules(variant, 2)
    game = Game(rules, seed=1)
    deck = [card for card in range(CARDS) if rules.deck == CARDS or card >> 2 < 10]
    record = game.records
    hand = deck[::5][:6]
    record["hands"][0, :2] = sum(1 << card for card in hand), 1 << deck[1]
    record["layout"] = sum(1 << card for card in deck if card not in hand and card != deck[1])
    record["to_move"] = record["actor"] = 0
    record["stock_top"] = -1
    afterstates = listed(game, record)
    assert 0 < afterstates.walk["found"][0] <= MOST and afterstates.walk["tried"][0] <= LIMIT + 1
    played = {path[0] for path in paths(afterstates) if path}
    assert len(played) >= 4


def test_who_has_enough_counts_out_and_nobody_else():
    """Nothing is better than winning the match; without enough points counting out is not considered."""
    rules = make_rules("cassino", 2, count_out=True)
    game = Game(rules, seed=1, match=True)
    for score, enough in ((rules.target, True), (0, False)):
        game.record["match_score"][game.seat] = score
        found = paths(listed(game))
        assert ([COUNT_OUT] in found) == (found == [[COUNT_OUT]]) == enough


def test_after_a_count_only_what_is_certain_counts():
    """Cards are left, so nobody has most of them."""
    rules, rng = make_rules("cassino", 2, count_out=True), random.Random(0)
    checked = 0
    for seed in range(20):
        game = Game(rules, seed=seed, match=True)
        for _ in range(24):
            game.apply(rng.choice([action for action in game.legal() if action != COUNT_OUT]))
        if COUNT_OUT in game.legal() and game.to_json()["match"]["deals"] == 0:
            before = game.scores()
            game.apply(COUNT_OUT)
            assert game.over and game.scores() == before == game.to_json()["match_score"]
            checked += 1
    assert checked > 10


def test_turns_are_counted_up_to_a_limit():
    game = Game.from_json(position("cassino", ["2S 3S", "4S"], layout="5D"))
    assert perft(game, 1, 20) == len(game.turns())
    with pytest.raises(TooManyTurnsError, match="more than 3 positions"):
        perft(game, 1, 3)


def test_turns_that_end_a_deal_of_a_match_differ_by_its_points():
    data = {"variant": "cassino", "players": 2, "round": 6, "hands": [["9S"], []], "layout": ["9D", "2C"]}
    for last in (data, data | {"match": {"deals": 0}}):
        game = Game.from_json(last)
        for turns in (game.turns(), [turn._asdict() for turn in observe(game).turns]):
            assert {turn["text"].split("*")[0].strip() for turn in turns} == {"discard 9S", "capture with 9S"}
            assert len(turns) == 2


def test_last_captures_differ_by_a_sweep():
    """Whatever is taken last, the rest goes to the same pile."""
    data = {"variant": "cassino", "players": 2, "round": 6, "hands": [["9S"], []], "layout": ["9D", "5C", "4H"]}
    assert [turn["after"].get("sweeps") for turn in Game.from_json(data).turns()] == [None, None, [1, 0]]


def test_nobody_counts_out_where_that_is_no_action():
    """One card takes a bundle, and no other action exists."""
    rules = make_rules("stealing-bundles", 2, target=1, count_out=True)
    game = Game(rules, seed=1, match=True)
    game.record["match_score"][game.seat] = 1
    assert COUNT_OUT not in game.legal() and [COUNT_OUT] not in paths(listed(game))


def test_who_has_forgotten_the_piles_does_not_know_how_the_deal_ends():
    """Cards are missing in its view, so it does not take the last tables for results."""
    rules, ends = make_rules("cassino", 2), {"perfect": 0, "none": 0}
    for memory in ends:
        for seed in range(3):
            game, rng = Game(rules, seed=seed), np.random.default_rng(seed)
            while not game.over:
                afterstates = listed(game, observe(game, memory=memory).view)
                found = afterstates.walk["found"][0]
                ends[memory] += (afterstates.records["mode"][:found] == OVER).any()
                game.apply(int(rng.choice(game.legal())))
    assert ends["perfect"] and not ends["none"]
