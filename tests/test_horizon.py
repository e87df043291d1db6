"""Horizons: where play-outs end, and what a deal is worth there."""

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.agents.registry import make_agent
from casino_env.agents.scripted.bots import BOTS
from casino_env.agents.search.horizon import NEVER, WHICHEVER, horizon_number, horizon_of
from casino_env.agents.search.racing import TurnRoot, Weighted, deal_rollouts
from casino_env.agents.search.rollouts import Rollouts, find_rollout_policy, make_rollout_policy, play_out, with_bot
from casino_env.agents.search.search_agent import Search
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, afterstates_of
from casino_env.engine.state import OVER, rules_record
from tests.random_play import random_decisions

GAMES = 24


def played(game, who, horizon, games=GAMES, bot=False):
    """Return play-outs that follow the first turn the seat can play."""
    rules, record, seen = game.rules, rules_record(game.rules), observe(game)
    rollouts = allocate(Rollouts, games=games)
    player = make_rollout_policy(find_rollout_policy(who), rules)
    judged = make_rollout_policy(find_rollout_policy(who), rules).work.judged
    assert afterstates_of(seen.view, record, judged.afterstates, LIMIT)
    root = TurnRoot(seen.view, record, seen.seat, judged, horizon)
    tried, mover = np.array([0]), with_bot(player, rules).mover if bot else player.mover
    assert deal_rollouts(root, allocate(Weighted, weighted=0), 0, rollouts, tried, np.uint64(3), 0, games)
    play_out(rollouts, record[0], player, mover, NEVER, 0, games)
    return rollouts


def in_hands(game):
    return sum(int(hand).bit_count() for hand in game.record["hands"])


@pytest.mark.parametrize(
    ("variant", "players", "expected"),
    [("cassino", 2, 1), ("california", 6, 1), ("draw", 2, 1), ("triple-s", 4, 1), ("khasino", 2, 0), ("swazi", 3, 0),
     ("stealing-bundles", 2, 0)],
)  # fmt: skip
def test_the_rules_say_where_play_outs_end(variant, players, expected):
    """Play-outs end at the next deal of hands, if the rules have one and captured cards cannot be lost."""
    rules = make_rules(variant, players)
    r = rules_record(rules)[0]
    assert horizon_of(r, WHICHEVER) == expected
    assert [horizon_of(r, horizon_number(name)) for name in ("end", "deal")] == [0, 1]


@pytest.mark.parametrize(("variant", "players"), [("cassino", 2), ("royal", 3), ("partnership", 4), ("draw", 2)])
def test_play_outs_end_when_the_cards_in_hands_are_played(variant, players):
    seen = 0
    for game in random_decisions(make_rules(variant, players), 12, seed=2):
        if game.record["actor"] != game.record["to_move"]:
            continue
        cards, begun = in_hands(game), int(game.record["turns"])
        near, far = (played(game, "counter", horizon) for horizon in (1, 0))
        assert (far.games["mode"] == OVER).all()
        over = near.games["mode"] == OVER
        length = cards if cards > 1 else 1 + players * game.rules.hand_size
        assert (over | (near.games["turns"] >= begun + length)).all()
        assert (near.games["turns"] <= begun + length + players).all()  # forced turns follow at once
        assert near.result[:, : game.rules.sides].sum(axis=1) == pytest.approx(0.0, abs=1e-9)
        if over.all():  # the last hands: the result is exact
            assert (near.result == far.result).all()
        seen += not over.any()
    assert seen > 3


def test_what_is_taken_counts_and_leads_do():
    """One side holds all captured cards: all their points for certain, and nearly all for most cards and spades."""
    game, bot = Game("cassino", 2, seed=4), make_agent("greedy")
    bot.reset(0, np.random.default_rng(0))
    while game.record["round"] < 5:
        game.apply(bot.act(observe(game)))
    piles = game.record["piles"]
    taken = int(piles[0] | piles[1])
    worth = []
    for side in range(2):
        twin = game.clone()
        twin.records["piles"][0, :2] = (taken, 0) if side == 0 else (0, taken)
        rollouts = allocate(Rollouts, games=1)
        rollouts.games[:], rollouts.until[:] = twin.records, 0
        player = make_rollout_policy(BOTS["counter"], game.rules)
        play_out(rollouts, game.rules_record[0], player, player.mover, NEVER, 0, 1)
        worth.append(rollouts.result[0, 0])
    aces, tens = (taken & 15).bit_count(), 2 * (taken >> 38 & 1) + (taken >> 4 & 1)
    assert worth[0] == -worth[1]
    assert aces + tens + 3 < worth[0] < aces + tens + 4


@pytest.mark.parametrize(("variant", "players"), [("cassino", 2), ("partnership", 4)])
def test_a_policy_judges_what_was_left_before_hands_were_dealt(variant, players):
    """The policy plays the last turn of the hands: the play-out is worth the policy's value of the afterstate, except
    for the captured cards, which in afterstates still lie on their pile in order."""
    rules, name = make_rules(variant, players), f"policy:{variant}-{players}"
    policy, tried = make_policy(f"{variant}-{players}"), 0
    player = make_rollout_policy(find_rollout_policy(name), rules)
    for seed in range(6):
        game = Game(rules, seed=seed)
        while in_hands(game) > 1:
            game.apply(policy.act(observe(game)))
        if len(game.legal()) < 2:
            continue
        rollouts = allocate(Rollouts, games=1)
        rollouts.games[:], rollouts.until[:] = game.records, game.record["turns"] + 1
        play_out(rollouts, rules_record(rules)[0], player, player.mover, NEVER, 0, 1)
        policy.values_by_side(observe(game))
        judged = policy._fit(rules).levels.judged
        worth = judged.worth[: judged.afterstates.walk["found"][0]] * policy.weights.value_scale
        assert abs(worth - rollouts.result[0, rules.side(game.seat)]).min() < 0.4
        tried += 1
    assert tried > 1


def test_nothing_that_is_dealt_later_changes_a_judgement():
    """Play-outs whose hands end alike are worth the same, whatever the stock holds."""
    game, bot = Game("cassino", 2, seed=6), make_agent("greedy")
    bot.reset(0, np.random.default_rng(0))
    while game.record["round"] < 2:
        game.apply(bot.act(observe(game)))
    results = set()
    rollouts = allocate(Rollouts, games=1)
    player = make_rollout_policy(find_rollout_policy("policy:cassino-2"), game.rules)
    mine, theirs = ([card for card in range(52) if game.record["hands"][seat] >> card & 1] for seat in range(2))
    for one, other in zip(mine, theirs, strict=True):
        twin = game.clone()
        twin.records["hands"][0, :2] ^= 1 << one | 1 << other
        rollouts.games[:], rollouts.until[:] = twin.records, game.record["turns"]
        play_out(rollouts, game.rules_record[0], player, player.mover, NEVER, 0, 1)
        results.add(round(float(rollouts.result[0, 0]), 4))
    assert len(results) == 1


def test_bots_play_on_faster_and_the_policy_judges():
    game = Game("cassino", 2, seed=1)
    by_bot, by_policy = (played(game, "policy:cassino-2", 1, bot=bot) for bot in (True, False))
    assert (by_bot.games["turns"] == by_policy.games["turns"]).all()
    assert (by_bot.result != by_policy.result).any()
    assert abs(by_bot.result[:, 0].mean() - by_policy.result[:, 0].mean()) < 2.0


def test_a_search_is_told_where_they_end():
    game = Game("cassino", 2, seed=3)
    chances = {
        end: Search(sims=64, horizon=end).probabilities(observe(game)).tobytes() for end in ("deal", "end", None)
    }
    assert chances["deal"] == chances[None] != chances["end"]
    with pytest.raises(ValueError, match=r"horizon = 'dael' .did you mean 'deal'.*must be one of end, deal"):
        Search(horizon="dael")
