"""What a search loses where cards are hidden: its turns against those that do best when policies play the deal on.

    python -m benchmarks races swazi-3 --budgets time=0.02 time=0.2 sims=500,cut=5 --positions 120 --worlds 600

In each position the best turns by judgement are tried in so many worlds that agree with what the seat knows, and the
policy plays all seats to the end of the deal. The worlds are drawn from many more, weighed by what the others have done
in the deal so far; agents have seen that as well. What an agent loses is how much the best of them came to more than
its own turn. (The best of such means is a little too good: an agent without fault would lose a little as well.)
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import END
from casino_env.agents.base import show_to
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.shipped import best
from casino_env.agents.registry import make_agent
from casino_env.agents.search.racing import TurnRoot, begin_rollouts, list_turns
from casino_env.agents.search.rollouts import new_rollouts, roll_out_all
from casino_env.agents.search.search_settings import Budget, SearchSettings
from casino_env.agents.search.turn_search import TurnSearch
from casino_env.cli import run_command
from casino_env.engine.state import IDLE
from casino_env.evaluate.matches.intervals import interval
from casino_env.evaluate.progress import progress
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.rules import closest

Array = np.ndarray[Any, Any]

_TURNS = 12  # that are tried: the best by judgement
_BATCH = 240  # worlds times turns
_TO_THE_END = 1000  # turns
_WEIGHED = 5  # times as many worlds are weighed as are played
_LEFT = ["layout", "build_cards", "hands", "piles", "pile_top"]  # what tells the tables that turns leave apart


class Moment(NamedTuple):
    """The beginning of a turn, and what its seat has seen before."""

    game: Game
    earlier: list[Observed]


class Position(NamedTuple):
    """The worth of a turn by the table that it leaves."""

    moment: Moment
    worth: dict[bytes, float]

    def lost(self, left: bytes) -> float:
        """Not known of a turn that was not tried."""
        return max(self.worth.values()) - self.worth.get(left, np.nan)


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("benchmarks races", lambda: _measure(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks races", description=__doc__.splitlines()[0])
    parser.add_argument("name", metavar="NAME", help="a policy that comes with the project and judges tables")
    parser.add_argument("--budgets", nargs="+", default=["time=0.02", "time=0.2"], help="options of search:policy=NAME")
    parser.add_argument("--positions", type=int, default=100, help="each of a deal of its own (100)")
    parser.add_argument("--worlds", type=int, default=400, help="in which each turn is tried (400)")
    parser.add_argument("--seed", type=int, default=9000, help="of the first deal (9000)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _measure(args: argparse.Namespace) -> int:
    check_name(args.name)
    for option in ("positions", "worlds"):
        if getattr(args, option) < 2:
            raise ValueError(f"--{option} {getattr(args, option)}: must be 2 or more")
    specs = [f"policy:{args.name}", *(f"search:policy={args.name},{budget}" for budget in args.budgets)]
    agents = [make_agent(spec) for spec in specs]
    positions = _positions(args)
    rows = []
    for spec, agent in zip(specs, agents, strict=True):
        lost, ms = _losses(agent, positions)
        mean, low, high = interval(lost[~np.isnan(lost)])
        row = {"agent": spec, "mean": mean, "low": low, "high": high, "turns": int((~np.isnan(lost)).sum()), "ms": ms}
        rows.append(row | {"lost": [None if np.isnan(each) else each for each in lost.tolist()]})
        if not args.json:
            print(f"{spec:<48} loses {mean:.3f} ({low:.3f} to {high:.3f}) a turn, {ms:.1f} ms a turn", flush=True)
    if args.json:
        print(json.dumps({"positions": len(positions), "worlds": args.worlds, "seed": args.seed, "rows": rows}))
    return 0


def check_name(name: str) -> None:
    """Raises ValueError unless it is a policy that comes with the project."""
    if name not in best():
        raise ValueError(f"unknown policy {name!r}{closest(name, best())}; known: {', '.join(best())}")


# --- positions -------------------------------------------------------------------------------------------------------


def _positions(args: argparse.Namespace) -> list[Position]:
    player, judge = make_agent(f"policy:{args.name},temperature=0.3,turns=1"), make_agent(f"policy:{args.name}")
    search, seed = TurnSearch(judge, SearchSettings(importance=0.9)), args.seed
    found: list[Position] = []
    with progress("positions", args.positions) as show:
        while len(found) < args.positions:
            moment = _moment(player, seed)
            if moment and len(worth := _worth(search, moment, args.worlds)) > 1:
                found.append(Position(moment, worth))
                show(len(found), "")
            seed += 1
    return found


def _moment(player: Policy, seed: int) -> Moment | None:
    """Of a deal that policies play, the beginning of a turn of a seat that does not know all cards."""
    game, rng = Game(player.weights.rules, seed=seed), np.random.default_rng(seed)
    games: list[Game] = []
    moments = []
    player.reset(0, rng)
    while not game.over:
        seen = observe(game)
        if seen.hidden and game.record["mode"] == IDLE and not game.record["acted"] and len(game.legal()) > 1:
            moments.append(len(games))
        games.append(game.clone())
        game.apply(player.act(seen))
    if not moments:
        return None
    chosen = moments[rng.integers(len(moments))]
    return Moment(games[chosen], [observe(then, games[chosen].seat) for then in games[:chosen]])


def _worth(search: TurnSearch, moment: Moment, worlds: int) -> dict[bytes, float]:
    """What the best turns by judgement come to, on the mean of so many worlds."""
    game, seen = moment.game, observe(moment.game)
    search.forget()
    for each in [*moment.earlier, seen]:
        search.watch(each)
    fit, rollouts = search._fit(game.rules), new_rollouts(_BATCH)
    start = TurnRoot(seen.view, fit.rules, seen.seat, fit.levels.judged)
    drawn = search.draw(start, Budget(_WEIGHED * worlds, 0.0), np.uint64(2), fit)
    found = list_turns(start, fit.policies[0].judge)
    walk = fit.levels.judged.afterstates.walk[0]
    turns = np.argsort(-fit.levels.judged.worth[:found], kind="stable")[:_TURNS]
    left = [_after(game, walk["paths"][k, : walk["lengths"][k]].tolist()) for k in turns]
    results, side, at_once = [], game.rules.side(seen.seat), _BATCH // max(1, len(turns))
    with ThreadPoolExecutor(1) as pool:
        for first in range(0, worlds if len(turns) > 1 else 0, at_once):
            begin_rollouts(start, drawn, rollouts, turns, np.uint64(1), first, at_once)
            roll_out_all(rollouts, fit.rules, fit.policies, _TO_THE_END, at_once * len(turns), pool)
            results.append(rollouts.result[: at_once * len(turns), side].reshape(at_once, -1).copy())
    return dict(zip(left, np.concatenate(results).mean(axis=0).tolist(), strict=True)) if results else {}


def _after(game: Game, path: list[int]) -> bytes:
    """What a turn leaves; forced actions of its path have been played already when they come."""
    game, turn = game.clone(), game.record["turns"].copy()
    for action in [*path, END]:
        if game.record["turns"] == turn and not game.over and action in game.legal():
            game.apply(action)
    return _left(game)


def _left(game: Game) -> bytes:
    return b"".join(np.asarray(game.record[name]).tobytes() for name in _LEFT)


# --- agents ----------------------------------------------------------------------------------------------------------


def _losses(agent: Any, positions: list[Position]) -> tuple[Array, float]:
    """In every position, and the milliseconds that a turn takes."""
    lost, took = [], []
    for number, position in enumerate(positions):
        game = position.moment.game.clone()
        agent.reset(game.seat, np.random.default_rng(number))
        for seen in position.moment.earlier:
            show_to(agent, seen)
        turn, began = game.record["turns"].copy(), time.perf_counter()
        while not game.over and game.record["turns"] == turn:
            game.apply(int(agent.act(observe(game))))
        took.append(time.perf_counter() - began)
        lost.append(position.lost(_left(game)))
    return np.array(lost), 1e3 * float(np.mean(took[1:]))
