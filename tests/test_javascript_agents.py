"""The agents of the package for JavaScript do as those of Python, and can be their opponents."""

import base64
import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.registry import make_agent
from casino_env.agents.search.horizon import horizon_of
from casino_env.agents.search.ismcts import TreeRoot, TreeSearch
from casino_env.agents.search.rollout_policies import find_rollout_policy, make_rollout_policy
from casino_env.agents.search.search_settings import Budget, SearchSettings
from casino_env.agents.search.turn_search import TurnSearch
from casino_env.engine.state import rules_record
from casino_env.evaluate.cli import main
from casino_env.observed import Observed
from tests import both_engines
from tests.choices import positions
from tests.random_play import random_decisions

pytestmark = pytest.mark.skipif(not both_engines.BUILT, reason="no node, or no casino compile --target wasm32")
SEED, SIMS = 77, 60


def compared(script: str, file: Path) -> dict[str, Any]:
    command = ["node", str(both_engines.PACKAGE / "tests" / script), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_same_choices(tmp_path: Path) -> None:
    file = tmp_path / "positions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in positions(400)))
    assert compared("choices.js", file)["same"] > 400


@pytest.mark.slow
def test_same_searches(tmp_path: Path) -> None:
    """Given the same random numbers: races and look-ahead over a deal, with what was watched and planned; trees."""
    rows = [turns("khasino", 2), turns("swazi", 3), turns("cassino", 2)]
    rows += [tree("khasino", sims=100), tree("cassino", sims=600), tree("royal", sims=100, horizon="end")]
    (tmp_path / "searches.json").write_text(json.dumps(rows))
    found = compared("searches.js", tmp_path / "searches.json")
    assert found["same"] > 100 and found["other"] <= 1


@pytest.mark.slow
def test_same_advice(tmp_path: Path) -> None:
    judge = pytest.importorskip("casino_env.agents.advise")
    options, rows = {"games": 32, "seconds": 20.0}, []
    for name, players in (("khasino", 2), ("swazi", 3), ("cassino", 2), ("stealing-bundles", 3)):
        steps = []
        for game in random_decisions(make_rules(name, players), 5, seed=21):
            found = judge.advise(observe(game), **options)
            names = ("actions", "value", "low", "high", "chance", "games")
            told = [{key: getattr(turn, key) for key in names} for turn in found.turns]
            steps.append(seen(observe(game)) | {"by": found.by, "turns": told})
        rows.append({"kind": "advice", "variant": name, "players": players, "options": options, "steps": steps})
    (tmp_path / "advice.json").write_text(json.dumps(rows))
    assert compared("searches.js", tmp_path / "advice.json")["other"] <= 1


def test_a_match_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "tests.in_node:Player:spec=greedy", "greedy", "--deals", "2", "--threads", "1", "--json"]
    assert not main(words)
    assert json.loads(capsys.readouterr().out)["games"] == 4


def seen(observation: Observed) -> dict[str, Any]:
    view = base64.b64encode(observation.view.tobytes()).decode()
    return {"seat": observation.seat, "view": view, "legal": observation.legal()}


def turns(name: str, players: int) -> dict[str, Any]:
    rules, policy = make_rules(name, players), f"{name}-{players}"
    settings = replace(SearchSettings(sims=SIMS, importance=0.25, policy=policy).resolved(), cut=None)
    who, other = find_rollout_policy(f"policy:{policy}"), make_agent("greedy")
    assert isinstance(who, Policy)
    search = TurnSearch(who, settings)
    other.reset(1, np.random.default_rng(0))
    game, steps = Game(rules, seed=3), []
    while not game.over:
        look = observe(game, 0)
        if game.seat:
            search.watch(look)
            steps.append(seen(look) | {"watched": True})
            game.apply(other.act(observe(game)))
        else:
            found = search.think(look, Budget(SIMS, 0.0), np.uint64(SEED))
            steps.append(seen(look) | {"action": found.action, "values": found.values})
            game.apply(found.action)
    about = {"policy": policy, "sims": SIMS, "seed": SEED, "importance": settings.importance}
    return {"kind": "turns", "variant": name, "players": players, "steps": steps} | about


def tree(name: str, **given: Any) -> dict[str, Any]:
    rules, settings = make_rules(name, 2), SearchSettings(**given).resolved()
    who = [make_rollout_policy(find_rollout_policy(each or ""), rules) for each in (settings.guide, settings.rollout)]
    search, steps = TreeSearch(settings), []
    for game in random_decisions(rules, 5, seed=2):
        look = observe(game)
        root = TreeRoot(look.view, rules_record(rules), look.seat, horizon_of(rules, settings.horizon))
        found = search.search(root, who[0], who[1:], Budget(settings.sims, 0.0), np.uint64(SEED))
        assert found
        steps.append(seen(look) | {"visits": found[0][look.legal()].tolist()})
    return {"kind": "tree", "variant": name, "players": 2, "settings": given, "seed": SEED, "steps": steps}
