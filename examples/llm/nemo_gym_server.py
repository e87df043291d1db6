"""NeMo-Gym (0.4.0, Python 3.12 or later): a GymnasiumServer with a model on one seat, agents on the others.

pip install casino-env nemo-gym
python examples/llm/nemo_gym_server.py --games 50      # by NeMo-Gym's own gymnasium_agent over local HTTP

To use it in NeMo-Gym, copy it to resources_servers/casino/app.py with a configuration like that of blackjack
(max_steps: 60). A row of its data: {"responses_create_params": {"input": []}, "seed": 7, "seat": 1}
"""

import argparse
import asyncio
import random
import threading
from typing import Any

import uvicorn
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.config_types import BaseServerConfig
from nemo_gym.openai_utils import NeMoGymResponse
from nemo_gym.server_utils import GlobalAIOHTTPAsyncClientConfig, ServerClient, set_global_aiohttp_client
from omegaconf import OmegaConf
from one_seat import OneSeat, any_listed
from resources_servers.gymnasium import GymnasiumServer, extract_text
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent, GymnasiumAgentConfig, GymnasiumAgentRunRequest
from starlette.requests import Request


class CasinoServer(GymnasiumServer):
    """South African for two against `greedy`, with a list of legal turns; the options of OneSeat change the game."""

    async def reset(self, metadata: dict[str, Any], session_id: str | None = None) -> tuple[str | None, dict[str, Any]]:
        table = self.session_state[session_id] = OneSeat(**{"listed": True} | metadata.get("options", {}))
        return table.reset(metadata.get("seed", random.getrandbits(32)), metadata.get("seat", 0)), {}

    async def step(
        self, action: NeMoGymResponse, metadata: dict[str, Any], session_id: str | None = None
    ) -> tuple[str | None, float, bool, bool, dict[str, Any]]:
        table = self.session_state[session_id]
        told = table.step(extract_text(action))
        return (None if table.over else told), table.reward, table.over, False, {"points": table.game.game.scores()}


async def play(url: dict[str, Any], games: int) -> list[float]:
    """Play games with a model that names random legal turns; check the rewards against a local game; return them."""
    where = {"host": "127.0.0.1", "entrypoint": "", **url}
    servers = {"casino": {"resources_servers": {"casino": where}}, "model": {"responses_api_models": {"any": where}}}
    client = ServerClient(head_server_config=BaseServerConfig(**url, host=where["host"]),
                          global_config_dict=OmegaConf.create(servers))  # fmt: skip
    named = {"resources_server": {"type": "resources_servers", "name": "casino"},
             "model_server": {"type": "responses_api_models", "name": "model"}}  # fmt: skip
    agent = GymnasiumAgent(
        config=GymnasiumAgentConfig(name="agent", max_steps=100, **where, **named), server_client=client
    )
    set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())
    rewards = []
    for seed in range(games):
        row = {"responses_create_params": {"input": []}, "seed": seed, "seat": seed % 2}
        done = await agent.run(Request({"type": "http", "headers": []}), GymnasiumAgentRunRequest(**row))
        table, said = OneSeat(listed=True), [item for item in done.response.output if item.type == "message"]
        table.reset(seed, seed % 2)
        for each in said:
            if each.role == "assistant":
                table.step(each.content[0].text)
        assert done.terminated and table.over and (done.reward, sum(table.game.rewards)) == (table.reward, 0.0)
        rewards.append(done.reward)
    return rewards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--games", type=int, default=50)
    args = parser.parse_args()
    draw, url = random.Random(1), {"port": args.port}
    config = BaseResourcesServerConfig(host="127.0.0.1", entrypoint="", name="casino", **url)
    app = CasinoServer.model_construct(config=config, session_state={}).setup_webserver()

    @app.post("/v1/responses")
    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        text = any_listed(asked["input"][-1]["content"], draw)
        part = {"type": "output_text", "text": text, "annotations": []}
        message = {"id": "1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        return {"id": "1", "created_at": 0.0, "model": "any", "object": "response", "output": [message],
                "parallel_tool_calls": False, "tool_choice": "auto", "tools": []}  # fmt: skip

    server = uvicorn.Server(uvicorn.Config(app, port=args.port, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        threading.Event().wait(0.1)
    rewards = asyncio.run(play(url, args.games))
    print(f"{args.games} deals, {sum(rewards) / len(rewards):+.1f} points a deal over greedy")
    server.should_exit = True


if __name__ == "__main__":
    main()
