"""How lucky seats are with the cards that are dealt later on: a control variate (in the manner of AIVAT).

Duplicate deals give both agents the same cards, but what a card is worth depends on what they have made of the table.
So at each deal of hands, and at each draw, the game as it goes on is compared with the same game if other cards of the
stock had come. What it is worth is guessed by a function that knows all cards and nothing of the agents: a bot plays on
until the hands are empty, a policy judges what is left. However bad the guess, over all cards that could have come the
difference is nothing on average, since nobody could know them; so it can be taken from the points without a bias.
"""

from __future__ import annotations

import numpy as np

from casino_env.agents.policy.shipped import best, description, learnt
from casino_env.agents.registry import ladder
from casino_env.agents.search.other_cards import deal_again
from casino_env.agents.search.rollout_policies import find_rollout_policy, make_rollout_policy, with_bot
from casino_env.agents.search.rollouts import Rollouts, roll_out
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.types import allocate
from casino_env.engine.state import Records, rules_record
from casino_env.envs.options import generator
from casino_env.game import Game
from casino_env.rules import Rules

_SAME, _OTHER = 64, 64  # games that go on from the cards that came, and from others
_STREAM = 1 << 20  # of what is drawn here, apart from what agents draw
_TO_THE_END = 1 << 40


class Luck:
    """Of games of one table, by a frozen judge: `policy:NAME`, or a bot with what is taken when all hands are empty."""

    def __init__(self, rules: Rules, judge: str) -> None:
        policy = make_rollout_policy(find_rollout_policy(judge.removeprefix("bot:"), "judge"), rules)
        self.rules, self._row = rules, rules_record(rules)
        self._policy = with_bot(policy, rules) if judge.startswith("policy:") else policy
        self._games, self._cards = allocate(Rollouts, games=_SAME + _OTHER), np.zeros(CARDS, np.int64)

    def of(self, deal: int, decisions: list[int], seed: int) -> Array:
        """By seat, of the game that these decisions make of a deal. Equal games have equal luck."""
        game, luck = Game(self.rules, seed=deal, skip_forced=False), np.zeros(self.rules.sides)
        left, rng = iter(decisions), generator(seed, deal, _STREAM)
        while not game.over:
            before, legal = game.records.copy(), game.legal()
            game.apply(legal[0] if len(legal) == 1 else next(left))
            if game.records["stock_top"][0] != before["stock_top"][0] and not game.over:
                luck += self._of_deal(before, game.records, rng)
        return luck[[self.rules.side(seat) for seat in range(self.rules.players)]]

    def _of_deal(self, before: Records, after: Records, rng: np.random.Generator) -> Array:
        games, sides = self._games, self.rules.sides
        games.rngs[:] = rng.integers(1 << 62, size=len(games.rngs))
        shuffles = rng.integers(1 << 62, size=1).astype(np.uint64)
        deal_again(games, before, after, self._row, _SAME, self._cards, shuffles)
        games.until[:] = after["turns"][0] + sum(int(hand).bit_count() for hand in after["hands"][0])
        games.begun[:] = after["turns"][0]
        roll_out(games, self._row, self._policy, _TO_THE_END, 0, len(games.rngs))
        ahead = games.result[:_SAME, :sides].mean(axis=0) - games.result[_SAME:, :sides].mean(axis=0)
        return ahead * (sides - 1) / sides  # from points more than the others to points


def chosen_judge(rules: Rules, judge: str) -> str:
    """A judge that there is; auto: the policy that comes with the project for this game, or the best bot."""
    if judge == "auto":
        mine = [name for name in best() if learnt(description(name)) == [rules]]
        judge = f"policy:{mine[0]}" if mine else f"bot:{ladder(rules)[-1]}"
    if judge:
        Luck(rules, judge)  # or ValueError
    return judge
