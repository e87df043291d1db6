"""Promises of the engine in random games: invariants, no dead ends, short turns, exact copies and texts."""

import copy
import pickle
import random

import numpy as np
import pytest

from casino_env.arrays import copied
from casino_env.engine.complete_turns import AT_REST
from casino_env.engine.state import BUNDLE, CAPTURING, MAXIMAL, RAISED, SET
from casino_env.game import Game
from casino_env.rules import Rules, make_rules
from casino_env.turns import find_turns, results_of
from tests.comparing import random_turn_starts, wander
from tests.fuzz import EXTRA, games, play
from tests.invariants import broken_promise
from tests.random_play import act, random_decisions

ALL = games()
NAMES = [f"{rules.name}-{rules.players}-{number}" for number, rules in enumerate(ALL)]


@pytest.mark.parametrize("rules", ALL, ids=NAMES)
def test_invariants(rules: Rules) -> None:
    _, _, decisions, turns, broken = play(rules, 300, 12345)
    assert not broken
    assert decisions < 2 * turns  # forced actions are played by the engine


def test_invariants_notice_a_lost_card() -> None:
    game = Game("swazi", 3, seed=1)
    assert broken_promise(game.record, game.rules_record[0]) == 0
    game.record["hands"][0] &= game.record["hands"][0] - 1
    assert broken_promise(game.record, game.rules_record[0]) == 1


def test_greedy_play_is_short_too() -> None:
    """If every discard that can be avoided is avoided, turns still have fewer than two decisions on average."""
    for name, players in (("south-african", 2), ("swazi", 3), ("khasino", 4), ("cassino", 2)):
        decisions = turns = 0
        for seed in range(40):
            game = Game(name, players, seed=seed)
            rng = random.Random(seed)
            while not game.over:
                legal = game.legal()
                lively = [action for action in legal if not 52 <= action < 104 and action != 188]
                game.apply(rng.choice(lively or legal))
                decisions += 1
            turns += int(game.record["turns"])
        assert decisions < 2 * turns, name


def test_few_paths() -> None:
    """Most results of a turn have one path; the others are permutations of free actions."""
    paths = results = 0
    for name, players in (("south-african", 2), ("cassino", 2), ("khasino", 2), ("swazi", 2)):
        for data in random_turn_starts(make_rules(name, players), 30, random.Random(4)):
            game = Game.from_json(data, skip_forced=False)
            found = results_of(game)
            paths += found.ways
            results += len(found.turns)
    assert paths < 1.25 * results


@pytest.mark.parametrize("rules", ALL[::3], ids=NAMES[::3])
def test_moves_end_where_no_set_or_capture_is_half_done(rules: Rules) -> None:
    middle = (SET, RAISED, CAPTURING, MAXIMAL, BUNDLE)
    for game in random_decisions(rules, 5, seed=4):
        found = find_turns(game.records, game.rules_record, AT_REST, most=1e6, most_turns=1e6)
        assert len({record.tobytes() for record in found.records}) == len(found.turns) >= 1
        for record, actions in zip(found.records, found.turns, strict=True):
            here = copied(game.records)
            for step, action in enumerate(actions):
                assert step == 0 or here["mode"][0] in middle
                act(here, game.rules_record, action)
            assert here.tobytes() == record.tobytes() and record["mode"] not in middle


@pytest.mark.parametrize("rules", ALL[::3], ids=NAMES[::3])
def test_copies_are_exact(rules: Rules) -> None:
    """Copy a game in the middle of a deal; test_proof.py tests texts and bytes."""
    rng, game = random.Random(7), Game(rules, seed=99, skip_forced=False)
    wander(game, rng, 30)
    before = game.to_bytes()
    for twin in (game.clone(), copy.deepcopy(game), copy.copy(game), pickle.loads(pickle.dumps(game))):
        assert twin == game and twin is not game and twin.scores() == game.scores()
        wander(twin, rng)
        assert game.to_bytes() == before and (game.over or twin != game)


def test_a_position_plays_on_like_its_game() -> None:
    """A position loaded from JSON has the same future, also in the middle of a turn."""
    for seed in range(30):
        rng = random.Random(seed)
        game = Game(*[("khasino", 4), ("swazi", 3), ("sotho", 2), ("royal", 3)][seed % 4], seed=seed, skip_forced=False)
        wander(game, rng, rng.randint(5, 60))
        twin = Game.from_json(game.to_json(), skip_forced=False)
        while not game.over:
            assert twin.legal() == game.legal()
            action = rng.choice(game.legal())
            game.apply(action)
            twin.apply(action)
        assert twin.scores() == game.scores()


def test_one_seed_one_game() -> None:
    for name, players, changes in [("swazi", 4, {}), ("draw", 3, {}), *EXTRA]:
        one, two = (Game(name, players, seed=42, **changes) for _ in range(2))
        other = Game(name, players, seed=43, **changes)
        assert one == two and one != other
        rng = np.random.default_rng(0)
        while not one.over:
            action = int(rng.choice(one.legal()))
            one.apply(action)
            two.apply(action)
        assert one == two


def test_skipping_forced_actions_changes_nothing_else() -> None:
    for seed in range(20):
        quick = Game("swazi", 3, seed=seed)
        slow = Game("swazi", 3, seed=seed, skip_forced=False)
        rng = random.Random(seed)
        while not quick.over:
            while len(slow.legal()) == 1:
                slow.apply(slow.legal()[0])
            assert slow.legal() == quick.legal()
            action = rng.choice(quick.legal())
            quick.apply(action)
            slow.apply(action)
        while not slow.over:
            slow.apply(slow.legal()[0])
        assert slow == quick
        assert slow.log == quick.log
