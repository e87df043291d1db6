"""TextArena (0.7.4): a model on every seat, whole turns as text, in TextArena's own loop.

pip install casino-env textarena
python examples/llm/textarena_env.py --games 50
"""

import argparse
import random
from typing import Any

import textarena as ta
from one_seat import any_listed, check

from casino_env.text import TextGame


class CasinoEnv(ta.Env):  # type: ignore[misc]
    """A deal of any game. options: those of casino_env.text.TextGame, including switches of the rules."""

    def __init__(self, variant: str = "south-african", **options: Any) -> None:
        self.variant, self.options = variant, options

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.game = TextGame(self.variant, num_players, **self.options)
        self.game.reset(random.getrandbits(32) if seed is None else seed)
        self.state = ta.FFAMultiPlayerState(num_players=num_players, seed=seed)
        self.state.reset(player_prompt_function=lambda player_id, game_state: self.game.introduction(player_id))
        self._ask()

    def _ask(self) -> None:
        seat = self.game.seat
        self.state.manually_set_current_player_id(seat, force=True)
        self.state.add_observation(self.game.observation(rules=False), ta.ObservationType.GAME_BOARD, to_id=seat)

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        seat, own = self.game.seat, ta.ObservationType.PLAYER_ACTION
        self.state.add_observation(action, own, from_id=seat, to_id=seat)
        if why := self.game.step(action):
            self.state.add_observation(why, ta.ObservationType.GAME_ADMIN, to_id=seat)
        self.state.game_info[seat]["invalid_move"] = bool(why)
        if self.game.over:
            lost = self.game.forfeited
            reason = "The deal is over." if lost is None else f"Seat {lost} was refused too often."
            self.state.set_game_outcome(dict(enumerate(self.game.rewards)), reason)
        else:
            self._ask()
        done, info = self.state.step(rotate_player=False)
        return bool(done), info


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    args = parser.parse_args()
    draw, replies = random.Random(1), 0
    for number in range(args.games):
        table = CasinoEnv("swazi", listed=True)
        env = ta.wrappers.LLMObservationWrapper(env=table)
        env.reset(num_players=2 + number % 3, seed=number)
        done = False
        while not done:
            _, observation = env.get_observation()
            done, _ = env.step(any_listed(observation, draw))
            replies += 1
        rewards, _ = env.close()
        assert list(rewards.values()) == table.game.rewards
        check(table.game, number)
    print(f"{args.games} games, {replies} replies")


if __name__ == "__main__":
    main()
