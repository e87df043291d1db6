"""Budgets and other numeric parameters of agents: kept if possible, otherwise refused in one line."""

import random
import time
from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.protocol.analysis import with_budget
from casino_env.agents.registry import AGENTS, AgentError, describe, make_agent
from casino_env.agents.scripted.choosing import Scripted
from casino_env.agents.search.search_agent import Search
from casino_env.agents.solver import Solver
from casino_env.observed import Observed
from tests.endings import ending
from tests.random_play import every_game, label, random_decisions
from tests.refusals import refused
from tests.untrained import fresh

NUMBERS = {
    "sims", "time", "cut", "explore", "threads", "solve", "effort", "temperature", "turns", "width", "exact",
    "cards", "importance", "margin", "think",
}  # fmt: skip
NONSENSE = [float("nan"), float("inf"), -float("inf"), -1, True, "1", [1], np.nan, np.bool_(True), 10**30, 10**400, 1j]
LEAST = {"sims", "threads", "turns", "width"}  # 0 is too little


def agent_with(name: str, key: str, value: Any) -> Any:
    given = {"path": "khasino-2"} if name == "policy" else AGENTS[name].given
    return AGENTS[name].factory(**given, **{key: value})


def numbers_of_agents() -> list[tuple[str, str]]:
    return [(row["name"], item["name"]) for row in describe() for item in row["parameters"] if item["name"] in NUMBERS]


def test_every_number_of_every_agent_is_known_here():
    kinds = {item["name"] for row in describe() for item in row["parameters"] if item["type"] != "str"}
    assert kinds == NUMBERS


@pytest.mark.parametrize(("name", "key"), numbers_of_agents())
def test_numbers_that_cannot_be(name, key):
    for value in [*NONSENSE, 0] if key in LEAST else NONSENSE:
        with refused(f"{key} = .*; it must be"):
            agent_with(name, key, value)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "-1", "true", "1j", "9" * 400, ""])
@pytest.mark.parametrize(("name", "key"), numbers_of_agents())
def test_texts_that_are_no_numbers(name, key, value):
    with refused("it must be", AgentError):
        make_agent(f"{name}:{'path=khasino-2,' * (name == 'policy')}{key}={value}")


@pytest.mark.parametrize("value", NONSENSE)
def test_budgets_that_cannot_be(value):
    with pytest.raises(AgentError, match="time = "):
        with_budget("search", value, None)
    with pytest.raises(AgentError, match="simulations = "):
        with_budget("search", None, value)


@pytest.mark.parametrize("value", NONSENSE)
def test_limits_of_the_solver_that_cannot_be(value):
    game = Game("mini", 2, seed=1)
    with pytest.raises(ValueError, match="seconds = "):
        Solver(1).solve(game, seconds=value)
    with pytest.raises(ValueError, match="nodes = "):
        Solver(1).solve(game, nodes=value)
    with pytest.raises(ValueError, match="table_mb = "):
        Solver(value)


@pytest.mark.parametrize("given", [{"rollout": 3}, {"horizon": b"deal"}, {"policy": ["khasino-2"]}])
def test_names_that_are_no_text(given):
    with pytest.raises(ValueError, match="it must be text"):
        Search(**given)


def test_numbers_of_numpy_are_numbers():
    assert Search(sims=np.int64(3), explore=np.float32(0.5)).settings.sims == 3
    assert Scripted("counter", np.int8(3)) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("sims", [8, 20, 100])
def test_no_more_is_tried_than_was_asked_for(sims):
    game, search = Game("south-african", 2, seed=3), Search(sims=sims, policy="south-african-2")
    search.act(observe(game))
    assert sims - 8 < search.opened.in_game(game.rules).agent.thinking.budget["done"][0] <= sims


# --- nothing to decide ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["search:sims=8", "search:time=0.05", "solved:counter", "counter"])
def test_nothing_to_decide_is_an_error_and_no_loop(spec):
    """Ask for the seat that is not to move, in the middle of a game and in an ending."""
    for game in (Game("swazi", 2, seed=4), ending(make_rules("khasino", 2), 2, random.Random(1), greedy=True)):
        for method in ("act", "probabilities", "analyse"):
            if hasattr(agent := make_agent(spec), method):
                with pytest.raises(ValueError, match="has nothing to decide"):
                    getattr(agent, method)(observe(game, 1 - game.seat))


def test_what_is_forced_needs_no_search():
    """With skip_forced=False an agent may be asked with only one legal action."""
    game = Game("swazi", 2, seed=4, skip_forced=False)
    while len(game.legal()) != 1:
        game.apply(game.legal()[-1])
    found = make_agent("search:sims=8").analyse(observe(game))
    assert found.chances[found.action] == 1.0 and [found.action] == game.legal()


def test_a_mask_that_does_not_fit_is_an_error_and_no_loop():
    """The search refuses a mask that names only illegal actions."""
    seen = observe(Game("swazi", 2, seed=4))
    mask = np.zeros_like(seen.mask)
    mask[[i for i in range(192) if not seen.mask[i]][:2]] = 1
    with pytest.raises(ValueError, match="has a mask of illegal actions only"):
        Search(sims=8).analyse(Observed(seen.rules, seen.seat, seen.view, mask))


def test_a_seat_without_a_way_on_ends_a_simulation():
    """A search in a view that is inside a turn but has nothing to choose ends, with a result or an error."""
    game = Game("swazi", 2, seed=4)
    seen = observe(game)
    view = seen.view.copy()
    view["acted"] = 1
    try:
        Search(sims=16).analyse(Observed(seen.rules, seen.seat, view, seen.mask))
    except ValueError as error:
        assert "\n" not in str(error)


# --- time -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("rules", every_game(), ids=label)
@pytest.mark.parametrize("seconds", [0.05, 0.2])
def test_time_is_kept_in_every_game(rules, seconds):
    """The median stays within 10 % or 20 ms, solver included; not the maximum, because the machine may be busy."""
    search = Search(time=seconds)
    took = []
    for game in random_decisions(rules, 4, seed=3):
        search.reset(game.seat, np.random.default_rng(1))
        seen = observe(game)
        for think in (search.act, search.analyse):
            began = time.perf_counter()
            think(seen)
            took.append(time.perf_counter() - began)
    assert np.median(took) <= seconds + max(0.1 * seconds, 0.02)


@pytest.mark.parametrize("cards", [0, 9])
def test_all_of_the_time_is_used(cards):
    """With hidden cards, and in an ending too large for the solver. A lower bound holds even on a slow machine."""
    rules = make_rules("south-african", 2)
    game = ending(rules, cards, random.Random(1), greedy=True) if cards else Game(rules, seed=4)
    search = fresh(time=0.2, **({"solve": 10} if cards else {}))
    began = time.perf_counter()
    search.act(observe(game))
    assert time.perf_counter() - began > 0.19


def test_a_race_takes_all_of_the_time_unless_one_turn_is_left():
    game, search = Game("south-african", 2, seed=4), fresh(time=0.2, policy="south-african-2")
    began = time.perf_counter()
    search.act(observe(game))
    race = search.opened.in_game(game.rules).agent.thinking.race
    assert time.perf_counter() - began > 0.19 or race.state["running"][0] == 1


def test_agents_that_fit_say_nothing_and_others_one_line():
    swazi, khasino = make_rules("swazi", 2), make_rules("khasino", 2)
    for spec in ("policy:khasino-2", "search:policy=khasino-2,sims=8", "solved:agent=policy:khasino-2"):
        agent = make_agent(spec)
        agent.check(khasino)
        with pytest.raises(ValueError, match="plays khasino with 2 players, not swazi with 2"):
            agent.check(swazi)


def test_the_solver_inside_the_solver_is_refused():
    with pytest.raises(AgentError, match="already plays endings with the solver"):
        make_agent("solved:agent=solved")
    with refused("", AgentError):
        make_agent("solved:" + "agent=solved:" * 300 + "agent=counter")
