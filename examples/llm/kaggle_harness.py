"""Kaggle's GameHarness (kaggle-environments 1.33.2): prompts without a list of moves, answers as JSON, one retry.

    pip install casino-env kaggle-environments
    python examples/llm/kaggle_harness.py --games 50       # with Kaggle's own agents; only the model call is replaced

Each agent is one model: `create_agent_fn(CasinoHarness(), model_override=("openai/NAME", {...}))`.
"""

import argparse
import random
from collections.abc import Mapping, Sequence
from typing import Any

from kaggle_environments import core_harness
from kaggle_environments.core_harness import ParseResult, create_agent_fn, render_rethink_suffix
from one_seat import check

from casino_env import observe
from casino_env.actions import action_text
from casino_env.observed import Observed
from casino_env.text import TextGame, parse, prompt
from casino_env.text.text_game import happenings
from casino_env.views import game_of, view_of

_ILLEGAL = "\n\nYour last answer was refused: {previous_action}\nAnswer again."
_UNREADABLE = "\n\nIn your last answer no turn was found: {previous_response}\nAnswer again, with JSON."


class CasinoHarness:
    """Makes prompts from the observation: the view of a seat (docs/positions.md), and what has happened since."""

    def get_legal_moves(self, observation: Mapping[str, Any]) -> dict[int, str] | None:
        return None  # the model may write any turn in notation: the configuration has freeForm

    def make_prompt(
        self,
        observation: Mapping[str, Any],
        move_history: list[str],
        previous_response: str | None = None,
        previous_action: str | None = None,
    ) -> str:
        told = prompt(_observed(observation), observation["done"])
        return told + render_rethink_suffix(_ILLEGAL, _UNREADABLE, previous_response, previous_action)

    def parse_response(
        self, response: str, legal_action_strings: Sequence[str] | None, *, observation: Mapping[str, Any]
    ) -> ParseResult:
        actions, why = parse(response, _observed(observation))
        submission = "; ".join(map(action_text, actions)) or None
        return ParseResult(submission=submission, raw_action=why or submission)


def _observed(observation: Mapping[str, Any]) -> Observed:
    game, seat, _ = game_of(observation["view"])
    return observe(game, seat)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    args = parser.parse_args()
    draw, game, errs = random.Random(1), TextGame("khasino", 2, tries=1), 0
    used: dict[str, Any] = dict.fromkeys(("prompt_tokens", "generation_tokens", "total_tokens", "reasoning_tokens"), 0)
    used |= dict.fromkeys(("finish_reason", "duration_secs", "first_token_secs"))

    def model(asked: str, name: str, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        turn = draw.choice(game.legal()) if draw.random() < 0.9 else "nothing"
        return f'I try this. {{"turn": "{turn}"}}', used

    core_harness._call_llm = model
    for number in range(args.games):
        game.reset(number)
        agents = [create_agent_fn(CasinoHarness(), model_override=("fake", {})) for _ in game.seats]
        known = [game.game.clone() for _ in game.seats]
        while not game.over:
            seat, before = game.seat, game.game.clone()
            observation = {"playerId": seat, "currentPlayer": seat, "isTerminal": False,
                           "view": view_of(game.game, seat), "done": happenings(known[seat], game.game)}  # fmt: skip
            try:
                why = game.step(agents[seat](observation, {"freeForm": True})["submission"])
            except ValueError as error:  # neither answer was a turn: the game is lost
                why, errs = game.step(f"{error}"), errs + 1
            assert bool(why) == (game.forfeited is not None), why
            known[seat] = before
        check(game, number)
    print(f"{args.games} games, {errs} lost by two invalid answers, the last {game.rewards}")


if __name__ == "__main__":
    main()
