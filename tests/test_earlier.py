"""An agent of another checkout: it gets what its seat knows, and plays as it would there."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.earlier import Elsewhere, main
from casino_env import Game, observe
from casino_env.agents import make_agent

ROOT = Path(__file__).parent.parent


def test_it_plays_as_the_same_agent_does_here():
    """Swazi with three: hidden hands, a stock, piles whose order matters."""
    there, here = Elsewhere(ROOT, "policy:swazi-3"), make_agent("policy:swazi-3")
    game = Game("swazi", 3, seed=8)
    there.reset(0, np.random.default_rng(1))
    here.reset(0, np.random.default_rng(1))
    decisions = 0
    while not game.over and decisions < 40:
        assert there.act(observe(game)) == here.act(observe(game))
        game.apply(here.act(observe(game)))
        decisions += 1
    assert decisions > 20


def test_a_folder_or_an_agent_that_is_not_there_is_one_line(capsys, tmp_path):
    assert main([str(tmp_path), "counter", "counter"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"benchmarks earlier: {tmp_path}: no checkout of this project; git worktree add {tmp_path} COMMIT makes one"
    ]
    with pytest.raises(ValueError, match="its process has ended"):
        Elsewhere(ROOT, "conter")
