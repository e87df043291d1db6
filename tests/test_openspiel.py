"""The games inside OpenSpiel: its own checks, information states, and the exact solution of `mini`."""

import collections
import copy
import re
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra spiel")

from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

from casino_env import Game, make_rules  # noqa: E402
from casino_env.actions import NO  # noqa: E402
from casino_env.cards import deck_cards, parse_card  # noqa: E402
from casino_env.engine.state import REQUEST, SORTING  # noqa: E402
from casino_env.evaluate import openspiel  # noqa: E402 - registers the game
from casino_env.position import card_names  # noqa: E402
from examples.openspiel_bridge import solve  # noqa: E402

pytestmark = pytest.mark.slow  # another library's solvers

GAMES = [("mini", 2), ("mini-7", 2), ("south-african", 2), ("swazi", 3), ("khasino", 4), ("cassino", 2)]


def random_state(game, rng, steps):
    state = game.new_initial_state()
    while not state.is_terminal() and (steps > 0 or state.is_chance_node()):
        if state.is_chance_node():
            actions = [action for action, _ in state.chance_outcomes()]
        else:
            actions, steps = state.legal_actions(), steps - 1
        state.apply_action(actions[int(rng.integers(len(actions)))])
    return state


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_openspiels_own_checks(variant, players, capfd):
    pyspiel.random_sim_test(openspiel.load(variant, players), 2, False, False)


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_returns_are_the_differences_of_points(variant, players):
    rng = np.random.default_rng(1)
    for _ in range(3):
        state = random_state(openspiel.load(variant, players), rng, 1000)
        points = state.play.game.scores()
        assert sum(state.returns()) == pytest.approx(0)
        order = np.argsort(points)
        assert np.all(np.diff(np.array(state.returns())[order]) >= -1e-9)


@pytest.mark.parametrize(("variant", "players"), [("mini", 2), ("swazi", 3), ("khasino", 4), ("kasa", 2)])
def test_resampled_states_look_the_same_to_the_seat(variant, players):
    """In a resampled state the other seats hold other cards, and have seen them dealt."""
    game, rng, moved = openspiel.load(variant, players), np.random.default_rng(3), 0
    observer = game.make_py_observer()
    for _ in range(20):
        state = random_state(game, rng, int(rng.integers(1, 12)))
        if state.is_terminal():
            continue
        player = state.current_player()
        twin = state.resample_from_infostate(player, rng.random)
        assert twin.information_state_string(player) == state.information_state_string(player)
        assert twin.legal_actions() == state.legal_actions()
        seen = []
        for one in (state, twin):
            observer.set_from(one, player)
            seen.append(observer.tensor.tobytes())
        assert seen[0] == seen[1]
        for seat, hand in enumerate(twin.play.game.to_json()["hands"]):
            string = twin.information_state_string(seat)
            assert all(card in string for card in hand)
            for run in re.findall(r"(?<=[/+])(?:[A2-9TJQK][CDHS])+", string):  # as they would be written there
                assert run == "".join(card_names(sorted(map(parse_card, re.findall("..", run)))))
        moved += twin.play.game != state.play.game
        while not twin.is_terminal():
            twin.apply_action(twin.legal_actions()[0])
    assert moved


def test_openspiels_search_plays():
    game, rng = openspiel.load("swazi", 2), np.random.RandomState(1)
    rollouts = mcts.RandomRolloutEvaluator(1, rng)
    bot = ismcts.ISMCTSBot(game=game, evaluator=rollouts, uct_c=2.0, max_simulations=4, random_state=rng)
    state = random_state(game, np.random.default_rng(1), 2)
    for _ in range(3):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)


def test_a_kept_tree_is_read_again(tmp_path, monkeypatch):
    tree, *counts = openspiel.tree_of(openspiel.load("mini"), keep=tmp_path / "mini.gz")
    monkeypatch.delattr(openspiel, "_written_out")
    again, *kept = openspiel.tree_of(openspiel.load("mini"), keep=tmp_path / "mini.gz")
    assert counts == kept and str(again) == str(tree)


@pytest.mark.parametrize(("variant", "states"), [("mini", 2500), ("mini-7", 1500)])
def test_information_states_tell_apart_what_the_seat_knows_and_no_more(variant, states):
    """Two states have the same string for a seat if and only if it was told the same since the deal."""
    game, rng = openspiel.load(variant, 2), np.random.default_rng(2)
    observer, hidden = game.make_py_observer(), collections.defaultdict(set)
    strings, told = collections.defaultdict(set), collections.defaultdict(set)
    for _ in range(states):
        state = random_state(game, rng, int(rng.integers(1, 5)))
        if state.is_terminal():
            continue
        log = whole_log(state.play, [each.action for each in state.full_history() if each.player >= 0])
        for seat in range(2):
            observer.set_from(state, seat)
            legal = state.legal_actions() if seat == state.current_player() else ()
            string, known = state.information_state_string(seat), repr(followed(state.play, seat, log)[0])
            strings[seat, known].add(string)
            told[seat, string].add((known, observer.tensor.tobytes(), tuple(legal)))
            hidden[seat, string].add(repr((state.play.dealt[1 - seat], state.play.dealt["stock"])))
    assert len(strings) == len(told) > 600
    assert {len(each) for each in (*strings.values(), *told.values())} == {1}
    assert sum(len(each) > 1 for each in hidden.values()) > 100, "the seat knew all cards: nothing is tested"


def test_the_order_in_which_a_hand_is_dealt_is_not_seen():
    """South African hands are dealt card by card."""
    rules, rng = make_rules("south-african", 2, recut=False), np.random.default_rng(6)
    first, again = dealt(rules, rng), openspiel.Play(rules, deck_cards(rules.deck))
    while again.game is None:
        wanted = first.dealt[again.place()[0]]
        left = [cards for cards in again.hands() if {*cards} <= {*wanted}]
        nextly = (wanted[len(again.dealt["stock"])],)
        again.deal(again.hands().index(nextly if again.place()[0] == "stock" else left[-1]))
    assert again.game == first.game and again.seen == first.seen


def whole_log(play, decisions):
    """Return the actions of a play with the forced ones between its decisions and after them."""
    game, log, left = Game.from_json(position_of(play), skip_forced=False), [], list(decisions)
    while not game.over and (left or len(game.legal()) == 1):
        log.append(game.legal()[0] if len(game.legal()) == 1 else left.pop(0))
        game.apply(log[-1])
    return log


def followed(play, seat, log):
    """Return (what a seat is told while a log is replayed, the actions that were decisions), or None if an action is
    illegal. The seat is told the layout, every action that it can see, and how its hand changed."""
    game = Game.from_json(position_of(play), skip_forced=False)
    told: list[Any] = [sorted(play.dealt["layout"]), int(game.record["hands"][seat])]
    decisions: list[int] = []
    for action in log:
        if action not in game.legal():
            return None
        if len(game.legal()) > 1:
            decisions.append(action)
        mode, actor = game.record["mode"], game.seat
        game.apply(action)
        if not ((mode == SORTING and actor != seat) or (mode == REQUEST and action == NO)):
            told.append((actor, action, int(game.record["hands"][seat])))
    return told, decisions


def position_of(play):
    """The position of a play before its first action, as JSON data."""
    rules, dealt = play.rules, play.dealt
    return {
        "variant": rules.name, "players": rules.players, "rules": rules.differences(), "to_move": 0,
        "hands": [card_names(dealt[seat]) for seat in range(rules.players)],
        "layout": card_names(dealt["layout"]), "stock": card_names(dealt["stock"]),
    }  # fmt: skip


def random_log(play, rng, steps):
    """Return random actions that lead to a decision of seat 0."""
    game = Game.from_json(position_of(play), skip_forced=False)
    log: list[int] = []
    while not game.over and (len(log) < steps or game.seat != 0 or len(game.legal()) == 1):
        log.append(int(rng.choice(game.legal())))
        game.apply(log[-1])
    return log


def with_a_swap(play, rng):
    """Return the same deal, except that the last seat holds another card."""
    twin = openspiel.Play(play.rules, ())
    last = play.rules.players - 1
    hand, stock = list(play.dealt[last]), list(play.dealt["stock"])
    i, k = int(rng.integers(len(hand))), int(rng.integers(len(stock)))
    hand[i], stock[k] = stock[k], hand[i]
    twin.dealt = play.dealt | {last: sorted(hand), "stock": stock}
    twin._begin()
    return twin


def after(play, decisions):
    for action in decisions:
        play.do(action)
    return play


@pytest.mark.parametrize(("variant", "players"), [("swazi-crazy", 2), ("south-african", 2)])
def test_nobody_sees_which_actions_were_forced(variant, players):
    """A seat that is told the same has the same information state, whatever the others hold."""
    rules, rng = make_rules(variant, players, recut=False), np.random.default_rng(4)
    same, other_choices = 0, 0
    for _ in range(120):
        play = dealt(rules, rng)
        log = random_log(play, rng, 16)
        told, decisions = followed(play, 0, log)
        ours = after(copy.deepcopy(play), decisions)
        for twin in [with_a_swap(play, rng) for _ in range(6)]:
            found = followed(twin, 0, log)
            if found and found[0] == told:
                assert after(twin, found[1]).seen[0] == ours.seen[0]
                same += 1
                other_choices += len(found[1]) != len(decisions)
    assert same > 10
    assert other_choices > 0, "the same actions were forced every time: nothing is tested"


def dealt(rules, rng):
    play = openspiel.Play(rules, deck_cards(rules.deck))
    while play.game is None:
        play.deal(int(rng.integers(len(play.hands()))))
    return play


@pytest.mark.parametrize(
    ("variant", "players", "changes", "mode"),
    [("swazi", 3, {"pile_order": "ask"}, SORTING), ("khasino", 4, {"partner_request": "optional"}, REQUEST)],
)
def test_sorting_and_refused_requests_leave_no_trace(variant, players, changes, mode):
    rules, rng = make_rules(variant, players, recut=False, **changes), np.random.default_rng(5)
    silent = 0
    for _ in range(60):
        play = dealt(rules, rng)
        while not play.over() and play.game.record["mode"] != mode:
            play.do(int(rng.choice(play.game.legal())))
        if play.over():
            continue
        actor, before = play.game.seat, list(play.seen)
        play._act(NO if mode == REQUEST else play.game.legal()[0])
        others = [seat for seat in range(players) if seat != actor]
        assert [play.seen[seat] for seat in others] == [before[seat] for seat in others]
        assert (play.seen[actor] == before[actor]) == (mode == REQUEST)
        silent += 1
    assert silent > 5


def test_a_clone_goes_its_own_way():
    state = random_state(openspiel.load("mini", 2), np.random.default_rng(3), 2)
    twin = state.clone()
    twin.apply_action(twin.legal_actions()[0])
    assert str(state) != str(twin)
    assert state.information_state_string(0) != twin.information_state_string(0)


def test_a_network_that_likes_all_actions_equally_is_as_exploitable_as_uniform_play():
    pytest.importorskip("torch")
    from casino_env.agents.policy.mlp import Shape
    from examples.mini_exploitability import Judge

    judge, (tree, _, _) = Judge(make_rules("mini", 2)), openspiel.tree_of(openspiel.load("mini"))
    shape = Shape(judge.layout.size, (4,), 1)
    uniform = pyspiel.exploitability(tree, pyspiel.UniformRandomPolicy(tree))
    assert judge.exploitability(shape, np.zeros(shape.size, np.float32), 1.0, 1.0) == pytest.approx(uniform, abs=1e-9)


@pytest.mark.parametrize(("algorithm", "iterations", "less"), [("cfr+", 32, 0.06), ("mccfr", 4096, 1.5)])
def test_mini_is_solved(algorithm, iterations, less):
    tree, _, _ = openspiel.tree_of(openspiel.load("mini"))
    exploitability = [value for _, value, _ in solve(tree, algorithm, iterations)]
    assert exploitability[0] > 2.5  # the uniform policy
    assert exploitability[-1] < less
