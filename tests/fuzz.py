"""python -m tests.fuzz: check invariants in a million random deals, compare both engines, and time what takes longest
under random rules."""

import argparse
import json
import multiprocessing
import random
import sys
import time
from functools import partial
from operator import call
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.engine.state import GAME, rules_record
from casino_env.position import to_json
from casino_env.rules import Rules, make_rules, player_counts
from tests import slowest
from tests.comparing import difference, random_switches, random_turn_starts
from tests.hostile.runner import main as hostile
from tests.invariants import BROKEN, fuzz_deals
from tests.random_play import GAMES

# Rules with slow switches that no preset turns on.
EXTRA: list[tuple[str, int, dict[str, Any]]] = [
    ("swazi", 2, {"insist_capture": "ask", "insist_augment": "ask"}),
    ("swazi", 3, {"insist_capture": "never", "insist_augment": "never"}),
    ("swazi", 4, {"pile_order": "ask", "partner_request": "binding"}),
    ("sotho", 3, {"deck": 40}),
    ("khasino", 4, {"partners": False}),
    ("khasino", 4, {"insist_capture": "ask", "insist_augment": "ask", "partner_request": "optional"}),
    ("south-african", 2, {"insist_capture": "always", "insist_augment": "always"}),
    ("south-african", 3, {"pile_capture_needs_table_card": True}),
    ("kasa", 2, {"new_builds": "with_hand", "chain": "no", "raise_limit": "double"}),
    ("kasa", 3, {"chain": "sets", "owner_top": False, "no_return": True}),
    ("kasa", 4, {"partners": False}),
    ("kasa", 4, {"request_for": "any", "partner_request": "optional", "add_to_partner": True}),
    ("kasa", 4, {"partners": False, "insist_capture": "always", "insist_augment": "ask", "tops_in_sums": True}),
    ("cassino", 2, {"sweeps": True, "keep_backing": False}),
    ("cassino", 4, {"insist_capture": "always", "insist_augment": "always"}),
]
SLOWEST = Path("build/slowest.json")


def games() -> list[Rules]:
    return [make_rules(*game) for game in GAMES] + [make_rules(name, n, **changes) for name, n, changes in EXTRA]


Found = tuple[str, int, int, int, str]


def play(rules: Rules, deals: int, seed: int) -> Found:
    """Play deals of one game; return (name, deals, decisions, turns, broken invariant)."""
    game, last = np.zeros(1, GAME), np.zeros(1, GAME)
    broken, done, decisions, turns = fuzz_deals(game, rules_record(rules), seed, deals, last)
    text = ""
    if broken:
        text = f"{BROKEN[broken]} in deal {done} of seed {seed}: {json.dumps(to_json(last[0], rules))}"
    return f"{rules.name} {rules.players} {rules.differences() or ''}", done, decisions, turns, text


def compare(rules: Rules, count: int, seed: int) -> Found:
    """Compare both engines at starts of turns of one game."""
    for done, data in enumerate(random_turn_starts(rules, count, random.Random(seed))):
        found = difference(data)
        if found:
            return f"compare {rules.name} {rules.players}", done, 0, 0, f"the engines differ: {json.dumps(data)}"
    return f"compare {rules.name} {rules.players} {rules.differences() or ''}", count, 0, 0, ""


def main() -> int:
    if "--hostile" in sys.argv:
        return hostile([word for word in sys.argv[1:] if word != "--hostile"])
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000, help="random deals over all games (1000000)")
    parser.add_argument("--turns", type=int, default=2000, help="turn starts compared for each preset (2000)")
    parser.add_argument("--switches", type=int, default=300, help="random rule combinations compared (300)")
    parser.add_argument("--records", type=int, default=200, help="random rules under which all is timed (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    args = parser.parse_args()
    all_games, rng = games(), random.Random(args.seed)
    each = -(-args.deals // len(all_games))
    play(all_games[0], 1, 0)  # compile once before the processes start
    jobs = [partial(play, rules, each, args.seed * 10**9) for rules in all_games]
    for rules in all_games:
        if rules.pile_order == "ask":  # each order of a pile is another result: too many to list
            continue
        share = args.turns // (4 if rules.differences() else len(player_counts(rules.name)))
        jobs.append(partial(compare, rules, max(share, 1), args.seed))
    jobs += [partial(compare, random_switches(rng), 20, args.seed + n) for n in range(args.switches)]
    bad = _report(jobs, args.jobs) + _slowest([args.seed * 10**6 + n for n in range(args.records)], args.jobs)
    return 1 if bad else 0


def time_faces(seed: int) -> dict[str, slowest.Slow]:
    rng = random.Random(seed)
    return slowest.measure(slowest.random_rules(rng), 4, rng)


def _slowest(seeds: list[int], processes: int) -> int:
    """Return how many faces took too long; write the slowest rules and positions to SLOWEST."""
    worst: dict[str, slowest.Slow] = {}
    with multiprocessing.Pool(processes) as pool:
        for found in pool.imap_unordered(time_faces, seeds):
            worst = slowest.slower(worst, found)
    SLOWEST.parent.mkdir(exist_ok=True)
    SLOWEST.write_text(json.dumps({face: slow._asdict() for face, slow in worst.items()}))
    bad = sum(slow.seconds > slowest.LIMIT for slow in worst.values())
    print(slowest.table(worst), f"over {slowest.LIMIT:g} s: {bad}; positions: {SLOWEST}", sep="\n")
    return bad


def _report(jobs: list[partial[Found]], processes: int) -> int:
    began, bad, deals, compared, decisions = time.perf_counter(), 0, 0, 0, 0
    with multiprocessing.Pool(processes) as pool:
        for name, done, played, turns, text in pool.imap_unordered(call, jobs):
            if turns:
                deals, decisions = deals + done, decisions + played
                print(f"{name}: {done} deals, {played / turns:.2f} decisions a turn {text}", flush=True)
            else:
                compared += done
                if text or "{" not in name:
                    print(f"{name}: {done} turn starts {text}", flush=True)
            bad += bool(text)
    seconds = time.perf_counter() - began
    print(
        f"{deals} deals ({decisions} decisions) and {compared} compared turn starts in {seconds:.0f} s: {bad} failures"
    )
    return bad


if __name__ == "__main__":
    sys.exit(main())
