"""The luck of seats with the cards that are dealt later on: a control variate in the manner of AIVAT.

Duplicate deals give both agents the same cards, but the worth of a card depends on the table that they have made. So at
each later deal of hands, and at each draw, the value of the game is compared with its value if other cards of the stock
had come. An estimator that knows all cards and nothing of the agents gives the value: a bot plays on until the hands
are empty, then a policy judges the rest. However bad the estimate, the difference is zero on average over all cards
that could have come, as nobody could know them; so subtracting it from the points adds no bias.
"""

from __future__ import annotations

import numpy as np

from casino_env.agents.policy.policy_files import learnt
from casino_env.agents.policy.shipped import best, description
from casino_env.agents.registry import ladder
from casino_env.agents.search.other_cards import SAME, luck_of_game
from casino_env.agents.search.rollouts import Rollouts, find_rollout_policy, make_rollout_policy, with_bot
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.types import allocate
from casino_env.engine.state import GAME, rules_record
from casino_env.envs.options import generator
from casino_env.game import Game
from casino_env.rules import Rules

_STREAM = 1 << 20  # separates this random stream from those of agents


class Luck:
    """The luck in games of one rule set. judge: `policy:NAME`, or a bot (the points once all hands are empty count)."""

    def __init__(self, rules: Rules, judge: str) -> None:
        policy = make_rollout_policy(find_rollout_policy(judge.removeprefix("bot:"), "judge"), rules)
        self.rules, self._row = rules, rules_record(rules)
        self._policy = with_bot(policy, rules) if judge.startswith("policy:") else policy
        self._rollouts, self._cards = allocate(Rollouts, games=2 * SAME), np.zeros(CARDS, np.int64)

    def of(self, deal: int, decisions: list[int], seed: int) -> Array:
        """Return the luck of each seat in the game that these decisions make of a deal. Equal games have equal luck."""
        games, luck = np.zeros(2, GAME), np.zeros(self.rules.sides)
        games[0] = Game(self.rules, seed=deal, skip_forced=False).record
        word, done = generator(seed, deal, _STREAM).integers(1 << 62), np.array(decisions, np.int16)
        luck_of_game(self._rollouts, games, self._row, self._policy, done, self._cards, np.uint64(word), luck)
        return luck[[self.rules.side(seat) for seat in range(self.rules.players)]]


def chosen_judge(rules: Rules, judge: str) -> str:
    """Return the judge, or raise ValueError. auto: the shipped policy of this game, or else the best bot."""
    if judge == "auto":
        mine = [name for name in best() if learnt(description(name)) == [rules]]
        judge = f"policy:{mine[0]}" if mine else f"bot:{ladder(rules)[-1]}"
    if judge:
        Luck(rules, judge)  # raises ValueError
    return judge
