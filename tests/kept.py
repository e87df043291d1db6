"""Write a small file of each stored format, as a release does: python -m tests.kept fills tests/kept_files.

Make these files once for each version of a format and keep them: test_kept.py reads them with the current program.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

from casino_env import Game, make_rules
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.evaluate import match
from casino_env.evaluate.cli import main as evaluate
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.match import Contest, play_shown
from casino_env.evaluate.matches.tournament import load_tournament
from casino_env.evaluate.matches.workers import Threads
from casino_env.record import replay, write_record
from casino_env.train.run import Run
from casino_env.views import game_of, view_of
from tests.choices import OWN
from tests.trainings import small
from tests.untrained import saved, untrained

FOLDER = Path(__file__).parent / "kept_files"


def played(actions: int = 10) -> Game:
    """Return a game after its first `actions` actions."""
    game = Game("khasino", 3, seed=3)
    for _ in range(actions):
        game.apply(game.legal()[0])
    return game


def make(folder: Path) -> None:
    folder.mkdir(parents=True)
    game = played()
    (folder / "position.json").write_text(json.dumps(game.to_json()) + "\n")
    (folder / "view.json").write_text(json.dumps(view_of(game, game.seat)) + "\n")
    (folder / "own_position.json").write_text(json.dumps(Game(OWN, seed=3).to_json()) + "\n")
    (folder / "record.txt").write_text(write_record(3, game))
    saved(untrained(make_rules("mini", 2), (4,), logits=0, seed=5), folder)
    words = ["--variant", "mini", "--deals", "4"]
    evaluate(["match", "greedy", "random", *words, "--out", str(folder / "match.sqlite")])
    evaluate(["tournament", "greedy", "random", *words, "--threads", "1", "--out", str(folder / "cup")])
    tiny = {"games": 2, "horizon": 8, "minibatch": 16}
    config = small(game={"variant": "mini"}, network={"hidden": [4]}, selfplay=tiny,
                   run={"name": "run", "algorithm": "ppo", "decisions": 64, "panel": []})  # fmt: skip
    run = Run.start(config, folder)
    for _ in range(2):
        run.algorithm.learn(0.0)
    run.save()
    run.close()


def read(folder: Path, scratch: Path) -> None:
    """Check that every file reads as it was written; write only to copies in `scratch`."""
    game, text = played(), lambda name: (folder / name).read_text()
    assert Game.from_json(json.loads(text("position.json"))).to_json() == game.to_json()
    seen = json.loads(text("view.json"))
    assert view_of(game_of(seen)[0], game.seat) == seen == view_of(game, game.seat)
    assert Game.from_json(json.loads(text("own_position.json"))).rules == OWN
    assert replay(text("record.txt")).to_json() == game.to_json()
    policy, weights = make_policy(str(folder)), untrained(make_rules("mini", 2), (4,), logits=0, seed=5)
    assert np.array_equal(policy.weights.theta, weights.theta) and policy.weights.layout == weights.layout
    again = match("greedy", "random", "mini", deals=4)
    assert load_tournament(folder / "cup").deals["greedy", "random"].diff.tolist() == again.by_deal.diff.tolist()
    shutil.copytree(folder, scratch, dirs_exist_ok=True)
    with Contest(("greedy", "random"), make_book(make_rules("mini"), 6), out=scratch / "match.sqlite") as contest:
        assert contest.deals.diff.tolist() == again.by_deal.diff.tolist()
        play_shown(contest, Threads(1))
        assert len(contest.deals) == 6
    run = Run.resume(scratch / "run")
    assert (run.algorithm.decisions, run.algorithm.iteration) == (32, 2)
    run.algorithm.learn(0.5)
    run.save()
    run.close()
    Run.resume(scratch / "run").close()


if __name__ == "__main__":
    make(FOLDER / "1")
