"""OpenEnv (0.10.0; openenv.yaml beside this file): a model on one seat, agents on the others, over HTTP and WebSocket.

pip install casino-env openenv
python examples/llm/openenv_server.py --port 8000      # then: openenv validate --url http://127.0.0.1:8000
python examples/llm/openenv_server.py --games 50       # plays deals over a local WebSocket, then runs that validation
"""

import argparse
import asyncio
import random
import threading
from typing import Any
from uuid import uuid4

import uvicorn
from one_seat import OneSeat, any_listed, check
from openenv.cli._validation import validate_running_environment
from openenv.core.env_server import Action, Environment, Observation, State, create_app
from openenv.core.generic_client import GenericEnvClient


class Reply(Action):
    text: str


class Told(Observation):
    text: str


class CasinoEnvironment(Environment[Reply, Told, State]):
    """A deal of South African for two, with a list of legal turns; the options of OneSeat change the game."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.table, self._state = OneSeat(**{"listed": True, **options}), State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **more: Any) -> Told:
        self._state = State(episode_id=episode_id or str(uuid4()))
        return Told(text=self.table.reset(random.getrandbits(32) if seed is None else seed))

    def step(self, action: Reply, timeout_s: float | None = None, **more: Any) -> Told:
        self._state.step_count += 1
        return Told(text=self.table.step(action.text), done=self.table.over, reward=self.table.reward)

    @property
    def state(self) -> State:
        return self._state


app = create_app(CasinoEnvironment, Reply, Told, env_name="casino", max_concurrent_envs=16)


async def play(url: str, games: int) -> tuple[int, list[float]]:
    """Play games with a model that names random legal turns; check them by a local game; return replies and rewards."""
    draw, here, replies, rewards = random.Random(1), OneSeat(listed=True), 0, list[float]()
    async with GenericEnvClient(base_url=url) as client:
        for seed in range(games):
            result = await client.reset(seed=seed)
            assert result.observation["text"] == here.reset(seed)
            while not result.done:
                reply = any_listed(result.observation["text"], draw)
                result = await client.step({"text": reply})
                assert result.observation["text"] == here.step(reply)
                replies += 1
            check(here.game, seed)
            assert result.reward == here.reward
            rewards.append(here.reward)
    return replies, rewards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--games", type=int, default=0)
    args = parser.parse_args()
    if not args.games:
        uvicorn.run(app, host="127.0.0.1", port=args.port)
        return
    server = uvicorn.Server(uvicorn.Config(app, port=args.port, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        threading.Event().wait(0.1)
    url = f"http://127.0.0.1:{args.port}"
    replies, rewards = asyncio.run(play(url, args.games))
    print(f"{args.games} deals, {replies} replies, {sum(rewards) / len(rewards):+.1f} points a deal over greedy")
    for row in (report := validate_running_environment(url))["criteria"]:
        print(f"{row['id']}: {'passed' if row['passed'] else row}")
    print("valid" if report["passed"] else "not valid")
    server.should_exit = True


if __name__ == "__main__":
    main()
