"""Compare another implementation with Python: python -m tests.same --deals 10000 asks the JavaScript package.

Both get the same questions; the other program answers in lines of JSON (packages/casino/tests/same.js). The same seed
must give the same deals, positions, views, turns and records; both must refuse the same input; and the same budget in
play-outs must give the same action, values and verdicts for every kind of agent. Values may differ by NEAR, because
networks add 32-bit floats in different orders.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import json
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS, action_text
from casino_env.agents.advise import advise, verdict
from casino_env.agents.base import analysis_of, check_agent, show_to
from casino_env.agents.c_export import opening_of
from casino_env.agents.opening import given_of
from casino_env.agents.policy.policy_files import learnt
from casino_env.agents.policy.shipped import usable
from casino_env.agents.registry import make_agent
from casino_env.agents.scripted.bots import BOTS
from casino_env.cards import cards_of
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.record import read_record, replay, write_record
from casino_env.rng import mixed, nth_word
from casino_env.rules import Rules, make_rules, rules_of
from casino_env.views import game_of, next_view, told_of, view_of
from tests.comparing import lively, random_switches, wander
from tests.hostile.engine import spoil_position, spoil_record, spoil_saved
from tests.hostile.spoiling import spoil_json
from tests.random_play import every_game, random_decisions

PACKAGE = Path(__file__).parents[1] / "packages/casino"
BUILT = shutil.which("node") is not None and (PACKAGE / "dist/casino.wasm").is_file()
SEED, SIMS = 77, 60
SEARCHES = (f"search:sims={SIMS}", f"strongest:sims={SIMS}", "strongest:sims=600", "solved:agent=counter,cards=4")
THINKERS = ("khasino-2", "swazi-3", "cassino-2")
NEAR = 1e-3  # tolerance, in points and probabilities
_CROWDED = 9  # with so many loose cards turns are not listed: there are too many
_AT_ONCE = 20  # questions
Data = dict[str, Any]
Pairs = Iterator[tuple[Data, Any]]  # a question and Python's answer


class Other:
    """The other program, which answers lines of JSON with lines of JSON."""

    def __init__(self, *command: str) -> None:
        words = command or ("node", str(PACKAGE / "tests/same.js"))
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin and self._process.stdout
        self._writer, self._reader = self._process.stdin, self._process.stdout

    def __enter__(self) -> Other:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()
        self._process.wait(60)
        self._reader.close()

    def _ask(self, questions: list[Data]) -> list[Data]:
        lines = "".join(json.dumps(each) + "\n" for each in questions).encode()
        writer = threading.Thread(target=lambda: (self._writer.write(lines), self._writer.flush()))
        writer.start()
        answers = [json.loads(self._reader.readline()) for _ in questions]
        writer.join()
        return answers

    def compare(self, pairs: Pairs) -> Counter[str]:
        """Count equal answers, refusals, and refusals worded differently; raise AssertionError at the first difference.
        For agents, count equal and different decisions and do not raise."""
        found = Counter[str]()
        while some := list(islice(pairs, _AT_ONCE)):
            for (question, mine), theirs in zip(some, self._ask([question for question, _ in some]), strict=True):
                found += compared(question, json.loads(json.dumps(mine)), theirs)
        return found


def compared(question: Data, mine: Any, theirs: Data) -> Counter[str]:
    if isinstance(mine, dict) and "error" in mine:
        assert "error" in theirs and "\n    at " not in theirs["error"], told(question, mine, theirs)
        return Counter(refused=1, worded=int(mine != theirs))
    assert "value" in theirs, told(question, mine, theirs)
    if question["do"] != "agent":
        assert near(mine, theirs["value"]), told(question, mine, theirs["value"])
        return Counter(same=1)
    others = sum(not near(*each) for each in zip(mine, theirs["value"], strict=True))
    return Counter(same=len(mine) - others, other=others)


def near(one: Any, other: Any) -> bool:
    """Return whether two answers are equal, floats up to NEAR."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(near(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(near, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) < NEAR
    return type(one) is type(other) and bool(one == other)


def told(question: Data, one: Any, other: Any) -> str:
    """Say where two answers differ, and give the question."""
    where = ""
    while type(one) is type(other) and isinstance(one, dict | list) and len(one) == len(other):
        keys = one if isinstance(one, dict) else range(len(one))
        key = next(
            key for key in keys if (isinstance(one, dict) and key not in other) or not near(one[key], other[key])
        )
        one, other, where = one[key], other[key], f"{where} {key}"
    return f"{where}: Python {json.dumps(one)[:2000]}, other {json.dumps(other)[:2000]}\n{json.dumps(question)}"


def or_error(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except ValueError as error:
        return {"error": str(error)}


# --- deals, records --------------------------------------------------------------------------------------------------


def some_rules(rng: Random) -> Rules:
    return rng.choice(every_game()) if rng.random() < 0.6 else random_switches(rng)


def named(rules: Rules) -> Data:
    return {"variant": rules.name, "players": rules.players, "rules": rules.differences()}


def tables() -> Pairs:
    """Yield the questions without chance: the list of actions, and the golden deals of all tables."""
    golden = json.loads((Path(__file__).parent / "golden.json").read_text())
    yield from [({"do": "catalogue"}, [action_text(action) for action in range(ACTIONS)]), ({"do": "golden"}, golden)]


def deals(count: int, seed: int) -> Pairs:
    """Yield deals and beginnings of matches: seat and legal actions at each decision, everything at one in ten."""
    rng = Random(seed)
    for _ in range(count):
        rules, first, skip = some_rules(rng), rng.getrandbits(60), rng.random() < 0.5
        match = bool(rules.target or rules.match_rounds) and rng.random() < 0.1
        game, actions, looks = Game(rules, seed=first, match=match, skip_forced=skip), list[int](), list[int]()
        said = list[Data]()
        while not said or not (game.over or len(actions) == len(said) > 300):
            if said:
                actions.append(lively(game, rng))
                game.apply(actions[-1])
            looks.append(int(game.over or rng.random() < 0.1))
            if looks[-1] and len(cards_of(int(game.record["layout"]))) < _CROWDED and rng.random() < 0.2:
                looks[-1] = 2
            said.append({"seat": game.seat, "legal": game.legal()} | (whole(game, looks[-1] > 1) if looks[-1] else {}))
        question = {"seed": str(first), "match": match, "skip": skip, "actions": actions, "looks": looks}
        yield {"do": "deal"} | named(rules) | question, said


def whole(game: Game, turns: bool) -> Data:
    """Return everything that can be asked about a moment of a game."""
    views = [view_of(game, seat, memory) for seat in range(game.rules.players) for memory in ("perfect", "none")]
    said: Data = {"over": game.over, "winner": game.winner, "scores": game.scores(), "breakdown": game.breakdown()}
    said |= {"position": game.to_json(), "bytes": game.to_bytes().hex(), "views": views}
    return said | ({"turns": or_error(game.turns)} if turns else {})


def some_record(rng: Random) -> str:
    rules, first = some_rules(rng), rng.getrandbits(60)
    game = Game(rules, seed=first, match=bool(rules.target) and rng.random() < 0.2, skip_forced=False)
    start: Game | int = first
    for number in range(rng.choice((0, 10, 60, 300))):
        if game.over:
            break
        if number == 5 and rng.random() < 0.5:  # start the record from a position
            game.log, start = [], game.clone()
        wander(game, rng)
    return write_record(start, game)


# --- input that may be spoilt ----------------------------------------------------------------------------------------


def inputs(count: int, seed: int) -> Pairs:
    """Yield positions, views, steps of views, rules, records and bytes, most of them spoilt."""
    rng = Random(seed)
    for number in range(count):
        kind = tuple(INPUTS)[number % len(INPUTS)]
        make, part, spoil, use = INPUTS[kind]
        game = Game(some_rules(rng), seed=rng.getrandbits(40), skip_forced=False)
        wander(game, rng, rng.randrange(60))
        question = make(game, rng)
        if rng.random() < 0.7:
            question[part] = spoil(question[part], rng)
        if _is_plain(question):
            question = json.loads(json.dumps(question))
            yield {"do": kind} | question, or_error(partial(use, **question))


def _is_plain(value: Any) -> bool:
    """Return whether JavaScript reads the value as Python does: its JSON confuses 3.0 with 3 and rounds beyond 2^53."""
    if isinstance(value, dict | list):
        return all(map(_is_plain, (*value, *value.values()) if isinstance(value, dict) else value))
    if isinstance(value, str):
        return "\ud800" not in value and len(value) < 1 << 16
    return not isinstance(value, float) and not (isinstance(value, int) and abs(value) >= 2**53)


def _step(game: Game, rng: Random) -> Data:
    """Return a seat's view, the next action (now and then a random one instead) and what the seat is told of it."""
    before, seat = game.clone(), rng.randrange(game.rules.players)
    wander(game, rng)
    action = rng.randrange(ACTIONS) if rng.random() < 0.2 or not game.log else game.log[-1][1]
    view = view_of(before, seat, rng.choice(("perfect", "none")))
    return {"view": view, "action": action_text(action), "told": told_of(before, game, seat)}


def _use_step(view: Any, action: str, told: Any) -> Data:
    step = next_view(view, action, told)
    return {"view": step.view, "seat": step.seat, "over": step.over, "legal": step.legal}


def _use_view(view: Any) -> Data:
    game, seat, memory = game_of(view)
    return {"seat": seat, "memory": memory, "view": view_of(game, seat, memory), "legal": game.legal()}


def _use_rules(variant: Any, players: Any, rules: Any) -> str:
    return rules_record(rules_of(variant, players, rules)).tobytes().hex()


def _use_record(text: str) -> Data:
    seed, game = re.search(r"^seed: (\d+)$", text, re.MULTILINE), replay(text)
    return {"text": write_record(int(seed[1]) if seed else read_record(text)[0], game), "bytes": game.to_bytes().hex()}


def _use_bytes(bytes: str, variant: Any, players: Any, rules: Any) -> str:
    game = Game.from_bytes(binascii.unhexlify(bytes), rules_of(variant, players, rules), skip_forced=False)
    for _ in range(30):
        if not game.over:
            game.apply(game.legal()[0])
    return game.to_bytes().hex()


def _spoil_hex(text: str, rng: Random) -> str:
    return spoil_saved((bytes.fromhex(text), Rules()), rng)[0].hex()


# By kind of question: how to make one, which part to spoil and how, and how Python answers.
INPUTS: dict[str, tuple[Callable[[Game, Random], Data], str, Callable[[Any, Random], Any], Callable[..., Any]]] = {
    "position": (lambda game, _: {"position": game.to_json()}, "position", spoil_position,
                 lambda position: whole(Game.from_json(position), False)),
    "view": (lambda game, _: {"view": view_of(game, game.seat)}, "view", spoil_json, _use_view),
    "next": (_step, "told", spoil_json, _use_step),
    "rules": (lambda _, rng: named(random_switches(rng)), "rules", spoil_json, _use_rules),
    "record": (lambda _, rng: {"text": some_record(rng)}, "text", spoil_record, _use_record),
    "bytes": (lambda game, _: named(game.rules) | {"bytes": game.to_bytes().hex()}, "bytes", _spoil_hex, _use_bytes),
}  # fmt: skip


# --- agents ----------------------------------------------------------------------------------------------------------


class Stream:
    """A generator whose one number depends on seat and seed as in the other implementations."""

    def __init__(self, seat: int, seed: int) -> None:
        self._word = int(nth_word(np.uint64(mixed(np.uint64(seed))), seat + 1))

    def integers(self, _: int) -> int:
        return self._word


def kinds_of_agents() -> list[tuple[str, Rules]]:
    """Return agents with rules: each bot in a few games, each policy in its own, searches with and without policy."""
    games, khasino = every_game(), make_rules("khasino", 2)
    searched = (khasino, make_rules("swazi", 3), make_rules("cassino", 2), make_rules("mini-7", 2))
    return [
        *((bot, rules) for number, bot in enumerate(BOTS) for rules in games[number :: len(BOTS)]),
        *((f"policy:{name}", rules) for name, data in usable().items() for rules in learnt(data)),
        *((f"policy:khasino-2,{more}", khasino) for more in ("temperature=0.5", "turns=3", "exact=4")),
        *((f"policy:{name},sims={SIMS}", rules) for name in THINKERS for rules in learnt(usable()[name])),
        *((spec, rules) for spec in SEARCHES for rules in searched),
    ]


# By agent: values of its parameters, the last of each out of range.
SETTINGS: dict[str, dict[str, tuple[Any, ...]]] = {
    "search": {
        "sims": (20, 999, 1000, 0), "time": (0.05, 0.1, 2, 0), "rollout": ("greedy", "policy:khasino-2", "nobody"),
        "policy": ("khasino-2", "khasino-2-easy", "nobody"), "cut": (0, 4, 1001), "horizon": ("end", "deal", "now"),
        "margin": (0, 2.5, 1001), "importance": (0, 0.5, 1), "explore": (0, 2, -1), "solve": (0, 7, 53),
    },
    "policy": {
        "path": ("khasino-2", "khasino-2-easy", "nobody"), "temperature": (0, 0.5, -1), "turns": (1, 3, 9),
        "width": (1, 4, 0), "exact": (0, 4, 13), "think": (0.5, 99, 100, 0), "sims": (20, 999, 1000, 0),
    },
}  # fmt: skip


def settings(count: int, seed: int) -> Pairs:
    """Yield specs of searches and policies, some of them wrong, and the settings of their kernels."""
    rng, khasino = Random(seed), make_rules("khasino", 2)
    for _ in range(count):
        name = rng.choice(sorted(SETTINGS))
        some = rng.sample(sorted(SETTINGS[name].items()), rng.randrange(1, 5))
        if name == "policy":
            some = [("path", SETTINGS[name]["path"]), *(row for row in some if row[0] != "path")]
        words = (f"{key}={rng.choice(known[:-1] if rng.random() < 0.9 else known[-1:])}" for key, known in some)
        spec = f"{name}:{','.join(words)}"
        yield {"do": "settings", "spec": spec}, or_error(partial(settings_of, spec, khasino))


def settings_of(spec: str, rules: Rules) -> Data:
    opening = opening_of(make_agent(spec), rules, spec)
    given = given_of(opening, rules)
    names = (*opening.settings, *(("limits", "in_hand", "in_all", "positions", "until") if opening.limits else ()))
    state = {name: given.state[name][0].tolist() for name in names}
    if opening.limits:
        state["until"] = [seconds if seconds < 1e9 else None for seconds in state["until"]]  # None: no limit
    return {"kind": opening.kind, "play": given.play._asdict() if given.judge.theta.size else None, "state": state}


def as_data(seen: Observed) -> Data:
    view = base64.b64encode(seen.view.tobytes()).decode()
    return {"seat": seen.seat, "view": view, "legal": seen.legal()}


def decisions(kinds: Iterable[tuple[str, Rules]], seed: int) -> Pairs:
    """Yield a deal of each kind of agent against random play: all it observes, and its analysis of each decision."""
    for spec, rules in kinds:
        game, agent, rng, seat = Game(rules, seed=seed), make_agent(spec), Random(spec), seed % rules.players
        steps, said = list[Data](), list[Any]()
        check_agent(agent, rules)
        agent.reset(seat, Stream(seat, SEED))
        while not game.over:
            seen, action = observe(game, seat), lively(game, rng)
            steps.append(as_data(seen) | {"asked": game.seat == seat})
            if game.seat == seat:
                said.append(analysed(agent, seen))
                action = said[-1]["action"]
            else:
                show_to(agent, seen)
                said.append(None)
            game.apply(action)
        yield {"do": "agent", "spec": spec, "seat": seat, "seed": SEED, "steps": steps} | named(rules), said


def analysed(agent: Any, seen: Observed) -> Data:
    found = analysis_of(agent, seen)
    chances, values = found.chances[seen.legal()].tolist(), sorted(found.values.items())
    return {"action": found.action, "value": found.value, "chances": chances, "values": values}


def verdicts(positions: int) -> Pairs:
    """Yield the judge's verdicts: the value of every turn, its interval, and which turns are mistakes."""
    said = ("actions", "value", "low", "high", "chance", "games")
    for name, players in (("khasino", 2), ("swazi", 3), ("cassino", 2), ("stealing-bundles", 3)):
        for game in random_decisions(make_rules(name, players), positions, seed=21):
            few = max(map(len, game.to_json()["hands"])) < 3  # so that the solver finishes anywhere
            options = {"games": 32, "seconds": 60.0, "solve": few}
            seen, found = as_data(observe(game)), advise(observe(game), **options)  # type: ignore[arg-type]
            turns = [{key: getattr(turn, key) for key in said} for turn in found.turns]
            mistakes = [verdict(found, turn.actions).mistake for turn in found.turns]
            mine = {"by": found.by, "turns": turns, "mistakes": mistakes}
            yield {"do": "advice", "options": options} | named(game.rules) | seen, mine


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.same", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deals", type=int, default=1000, help="and as many inputs, most of them spoilt (1000)")
    parser.add_argument("--agents", type=int, default=1, help="deals of each kind of agent (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("command", nargs="*", help="the other program (node packages/casino/tests/same.js)")
    args = parser.parse_args()
    with Other(*args.command) as other:
        print("tables", dict(other.compare(tables())), flush=True)
        print("deals", dict(other.compare(deals(args.deals, args.seed))), flush=True)
        print("inputs", dict(other.compare(inputs(args.deals, args.seed))), flush=True)
        print("settings", dict(other.compare(settings(args.deals, args.seed))), flush=True)
        for number in range(args.agents):
            print("decisions", dict(other.compare(decisions(kinds_of_agents(), args.seed + number))), flush=True)
        print("verdicts", dict(other.compare(verdicts(10 * args.agents))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
