"""TRL (1.16.0): a deal as an environment of GRPOTrainer; the model calls its public methods as tools.

pip install casino-env trl
python examples/llm/trl_environment.py --games 50      # prints the tools as TRL describes them, and plays deals by them

trainer = GRPOTrainer(model, environment_factory=CasinoEnvironment, train_dataset=dataset)   # prompts: "Play."
"""

import argparse
import random
from typing import Any

from one_seat import OneSeat, any_listed, check
from transformers.utils import get_json_schema


class CasinoEnvironment:
    """South African with two players against `greedy`, a new deal each time; the reward is points ahead / 11."""

    def __init__(self) -> None:
        self._table = OneSeat("south-african", listed=True)

    def reset(self, seed: int | None = None, **row: Any) -> str:
        return self._table.reset(random.getrandbits(32) if seed is None else seed)

    def play(self, turn: str) -> str:
        """
        Plays a whole turn of the card game, and the turns of the others after it.

        Args:
            turn: The turn in the notation of the rules, or its number in the list of legal turns.

        Returns:
            What has happened since, the table and the legal turns; or why the turn was refused.
        """
        if self._table.over:
            return "The game is over."
        told = self._table.step(turn)
        return "The game is over." if self._table.over else told

    def get_reward(self) -> float:
        return self._table.reward / 11


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    args = parser.parse_args()
    environment, draw, calls, rewards = CasinoEnvironment(), random.Random(1), 0, []
    print(get_json_schema(environment.play)["function"])
    for seed in range(args.games):
        told = environment.reset(seed=seed)
        while told != "The game is over.":
            told = environment.play(any_listed(told, draw))
            calls += 1
        check(environment._table.game, seed)
        rewards.append(environment.get_reward())
    print(f"{args.games} deals, {calls} calls, rewards of {sum(rewards) / len(rewards):+.2f}")


if __name__ == "__main__":
    main()
