"""The judge of hints and reviews: exact if possible, otherwise with honest intervals; hints and reviews agree."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from benchmarks.advice import false_blames, main, share
from casino_env.actions import ACTIONS, END, parse_action
from casino_env.agents.advise import Verdict, advise, find, net, verdict
from casino_env.agents.registry import make_agent
from casino_env.agents.search.measuring import Measured, begin_measuring, compare, count_games
from casino_env.agents.search.verdicts import MISTAKE
from casino_env.agents.solver.solver import Solver
from casino_env.compiler.types import allocate
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import make_rules
from tests.endings import ending
from tests.random_play import random_decisions
from tests.situations import position

KHASINO = make_rules("khasino", 2)
QUICK: dict[str, Any] = {"games": 32, "seconds": 30.0}  # all 32 games, even on a slow machine
SHORT: dict[str, Any] = {"games": 32, "seconds": 0.5}


def ended(game, actions):
    after = game.clone()
    after.skip_forced = False
    for action in actions:
        after.apply(action)
    return after


def exact(game, actions):
    """Compute the value of a turn independently: solve the position after it, for the side that decides."""
    after, side = ended(game, actions), game.rules.side(game.seat)
    if after.over:
        points = after.record["deal_points"]
        return int(points[side]) - int(points[1 - side])
    value = Solver(1).solve(after).value
    return value if game.rules.side(after.seat) == side else -value


# --- exact -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["khasino", "cassino", "swazi", "stealing-bundles"])
def test_endings_are_judged_by_the_solver(variant):
    rng = random.Random(3)
    for _ in range(3):
        game = ending(make_rules(variant, 2), 3, rng, greedy=True)
        seen = observe(game)
        if seen.hidden or seen.view["shuffled"][0]:
            continue
        found = advise(seen)
        assert found.by == "solver" and sum(turn.chance for turn in found.turns) == pytest.approx(1)
        values = [exact(game, turn.actions) for turn in found.turns]
        assert [turn.value for turn in found.turns] == values == sorted(values, reverse=True)
        assert [turn.loss for turn in found.turns] == [values[0] - value for value in values]
        assert all(turn.low == turn.high == turn.loss for turn in found.turns)
        assert {turn.chance for turn in found.turns if turn.loss} <= {0.0}


def test_where_the_order_of_a_pile_matters_it_is_not_exact():
    for game in random_decisions(make_rules("swazi", 2), 60, seed=4):
        seen = observe(game)
        if not seen.hidden and seen.view["shuffled"][0]:
            found = advise(seen, games=32)
            assert found.turns[0].loss == 0.0
            break


def test_without_time_for_the_solver_somebody_else_judges():
    game = ending(KHASINO, 6, random.Random(2), greedy=True)
    assert advise(observe(game), seconds=0.0).by == "look-ahead"
    assert (
        advise(observe(ending(make_rules("stealing-bundles", 2), 4, random.Random(2), greedy=True)), solve=False).by
        == "play-outs"
    )


# --- not exact -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), [("cassino", 2), ("khasino", 4), ("swazi", 3), ("cassino", 3)])
def test_nothing_but_the_best_is_without_doubt(variant, players):
    for game in random_decisions(make_rules(variant, players), 2, seed=5):
        seen = observe(game)
        found = advise(seen, solve=False, **QUICK)
        best, *others = found.turns
        assert best.low == best.loss == best.high == 0.0
        assert all(turn.low < turn.loss < turn.high for turn in others)
        assert sum(turn.chance for turn in found.turns) == pytest.approx(1)
        assert len({turn.key for turn in found.turns}) == len(found.turns)
        for turn in found.turns:
            assert turn.value == pytest.approx(best.value - turn.loss)
            assert find(found, turn.actions) is turn
        assert [turn.value for turn in advise(seen, solve=False, **QUICK).turns] == [turn.value for turn in found.turns]


def test_more_games_make_intervals_smaller():
    game = Game("cassino", 2, seed=4)
    widths = []
    for games in (32, 512):
        found = advise(observe(game), games=games, seconds=60.0, precision=0.01)
        widths.append(np.mean([turn.high - turn.low for turn in found.turns if turn.low != turn.high]))
    assert widths[1] < 0.7 * widths[0]


def test_intervals_hold_what_the_solver_says():
    rng, held = random.Random(6), []
    for _ in range(6):
        seen = observe(ending(KHASINO, 5, rng, greedy=True))
        true = {turn.key: turn.loss for turn in advise(seen, seconds=30.0).turns}
        told = advise(seen, solve=False, **QUICK).turns
        held += [turn.low <= true[turn.key] <= turn.high for turn in told]
    assert np.mean(held) > 0.85


def test_the_best_is_another_only_if_that_is_sure():
    rng, measured = np.random.default_rng(0), allocate(Measured)
    state, loss, error = measured.state[0], measured.loss, measured.error

    def measure(results: Any) -> None:
        count_games(measured, results.reshape(-1, 1), len(results), 0)
        compare(measured)

    results = np.c_[np.zeros(64), rng.normal(0.1, 1.0, 64), rng.normal(-3.0, 1.0, 64)]
    begin_measuring(measured, 3, 0, 64)
    measure(results)
    assert state["best"] == 0
    results[:, 1] += 2.0
    begin_measuring(measured, 3, 0, 64)
    measure(results)
    assert state["best"] == 1 and loss[1] == error[1] == 0.0 and loss[2] > 4.0
    assert loss == pytest.approx([*(results[:, 1:2] - results).mean(axis=0), *np.zeros(len(loss) - 3)])
    whole = error[2]
    begin_measuring(measured, 3, 0, 64)
    measure(results[:20])
    state["running"] = 2  # the last is left out
    measure(results[20:, :2])
    assert error[2] > whole


# --- the same turn ---------------------------------------------------------------------------------------------------


def test_a_turn_is_what_it_leaves():
    """An explicit end of the turn and the order in which cards are taken make no difference."""
    table = {"layout": "3C 5D 6H 2D", "piles": ["4C 4D", ""], "stock": "9H 9D TC TD"}
    game = Game.from_json(position("cassino", ["8S KH", "KS QS"], **table), skip_forced=False)
    found = advise(observe(game), **QUICK)
    ways = [["capture 8S", "card 5D", "card 3C", "card 6H", "card 2D"], ["capture 8S", "card 6H", "card 2D", "card 5D"]]
    turns = []
    for way in ways:
        after, done = game.clone(), []
        for text in way:
            if parse_action(text) in after.legal():
                after.apply(text)
                done.append(parse_action(text))
        while after.legal() != [END] and after.seat == game.seat:  # complete the capture
            done.append(after.legal()[0])
            after.apply(done[-1])
        turns += [done, [*done, END]]
    assert find(found, turns[0]) is find(found, turns[1])
    assert find(found, turns[2]) is find(found, turns[3])


def test_a_turn_that_nobody_likes_is_measured_if_it_is_asked_for():
    game = Game("south-african", 2, seed=2)
    found = advise(observe(game), **QUICK)
    other = next(turn for turn in reversed(found.turns) if not turn.games)
    asked = find(advise(observe(game), also=[other.actions], **QUICK), other.actions)
    assert asked.games == 32
    with pytest.raises(ValueError, match="also="):
        verdict(found, [])


def refuses(game, turn):
    found = advise(observe(game), **QUICK)
    with pytest.raises(ValueError, match=f"^seat {game.seat}: not a complete turn of the seat"):
        advise(observe(game), also=[found.turns[0].actions, turn], **QUICK)
    with pytest.raises(ValueError, match="also="):
        find(found, turn)


def test_what_is_no_complete_turn_is_refused():
    unfinished = 0
    for game in random_decisions(make_rules("south-african", 2), 8, seed=5):
        turns = [turn.actions for turn in advise(observe(game), **QUICK).turns]
        pairs = itertools.combinations(turns, 2)
        begun = [[turn[0]] for turn, other in pairs if turn[0] == other[0] and (turn[0], END) not in turns]
        unfinished += len(begun)
        illegal = next(action for action in range(ACTIONS) if action not in game.legal())
        for turn in ([], [illegal], [*turns[0], illegal], [illegal, *turns[0]], *begun):
            refuses(game, turn)
    assert unfinished > 5
    for action in (ACTIONS, -1, 10**9):
        with pytest.raises(ValueError, match="an action of a turn"):
            advise(observe(game), also=[[action]], **QUICK)


def test_an_answer_inside_another_s_turn_is_one_legal_action():
    moments = random_decisions(make_rules("swazi", 4), 400, seed=1)
    game = next(game for game in moments if game.record["to_move"] != game.seat and len(game.legal()) > 1)
    one, other = game.legal()[:2]
    assert find(advise(observe(game), also=[[one]], **QUICK), [one]).actions == (one,)
    refuses(game, [0])
    refuses(game, [one, other])


# --- hints and reviews -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), [("khasino", 2), ("cassino", 3)])
def test_who_follows_every_hint_is_never_blamed(variant, players):
    game, other, verdicts = Game(variant, players, seed=5), make_agent("counter"), []
    other.reset(1, np.random.default_rng(0))
    while not game.over:
        if game.seat:
            game.apply(other.act(observe(game)))
            continue
        seen = observe(game)
        turn = advise(seen, **SHORT).turns[0].actions
        verdicts.append(verdict(advise(seen, also=[turn], seed=1, **SHORT), turn))
        for action in turn:
            if not game.over and game.seat == 0 and action in game.legal():
                game.apply(action)
    assert len(verdicts) > 5 and not any(each.mistake for each in verdicts)
    lost, half = net(verdicts)
    assert abs(lost) <= half + 0.3


def test_sums_are_net():
    verdicts = [Verdict(1.0, 0.7, 1.3, True), Verdict(-0.5, -0.9, -0.1, False), Verdict(0.0, 0.0, 0.0, False)]
    lost, half = net(verdicts)
    assert lost == 0.5 and half == pytest.approx(0.5)
    assert all(each.mistake == (each.low > MISTAKE) for each in verdicts)


# --- the command -----------------------------------------------------------------------------------------------------


def test_false_blames_are_counted(capsys):
    found = false_blames("endings", 2, games=16)
    assert found["positions"] == 2 and found["turns"] >= found["harmless"] > 0
    assert main(["--endings", "2", "--hidden", "2", "--playouts", "4"]) == 0
    assert capsys.readouterr().out.count("mistakes told of turns that lose no mistake") == 2


def test_shares_have_intervals_without_any():
    assert share(0, 100) == {"mean": 0.0, "low": 0.0, "high": pytest.approx(0.037, abs=1e-3)}
    assert share(0, 0)["high"] == 1.0
