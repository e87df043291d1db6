"""Partners who draw alike: the same seed in every seat of a deal, another in every deal."""

from copy import deepcopy

import numpy as np

from benchmarks.partners import Alike, main
from casino_env import Game, observe
from casino_env.evaluate import match


def test_all_seats_of_a_deal_draw_by_the_same_seed_and_deals_do_not():
    first, second = Alike("random"), deepcopy(Alike("random"))
    game = Game("khasino", 4, seed=3)

    def drawn(agent, deal, seat):
        agent.reset(seat, np.random.default_rng([9, deal, seat]))
        return [agent.act(observe(game)) for _ in range(20)]

    assert drawn(first, 5, 0) == drawn(second, 5, 2)
    assert drawn(first, 5, 0) != drawn(second, 6, 2)


def test_an_agent_that_draws_nothing_is_worth_the_same(capsys):
    result = match(Alike("policy:khasino-4-partners"), "policy:khasino-4-partners", "khasino", 4, deals=2, seed=1)
    assert result.diff == 0.0
    assert main(["policy:khasino-4-partners", "--variant", "khasino", "--players", "4", "--deals", "2"]) == 0
    assert "+0.000 points a deal" in capsys.readouterr().out


def test_a_game_without_partners_is_one_line(capsys):
    assert main(["greedy"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "benchmarks partners: south-african with 2 players: nobody has a partner; try --players 4"
    ]
