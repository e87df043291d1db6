"""verifiers v1 (0.4.0): an endless taskset of deals, and an env in which two models play a deal against each other.

    pip install casino-env verifiers
    cd examples/llm && vf-eval casino_vf -n 2 -m MODEL --client.base-url http://127.0.0.1:8000/v1 --no-push

The name of this file is the id of the plug-in. The reward of a model is its points ahead of the other at the end.
"""

import itertools
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import verifiers.v1 as vf

from casino_env.text import TextGame

__all__ = ["CasinoEnv", "CasinoTaskset"]


class DealsConfig(vf.TasksetConfig):
    variant: str = "south-african"
    listed: bool = True  # prompts list the legal turns


class Deal(vf.TaskData):
    """The game, the form of its prompts, and the seed of the deal."""

    variant: str
    listed: bool
    seed: int


class DealTask(vf.Task[Deal, vf.State, vf.TaskConfig]):
    pass


class CasinoTaskset(vf.Taskset[DealTask, DealsConfig]):
    INFINITE = True

    def load(self) -> Iterator[DealTask]:
        how = {"variant": self.config.variant, "listed": self.config.listed}
        for seed in itertools.count():
            yield DealTask(Deal(name=f"{self.config.variant}#{seed}", seed=seed, **how), self.config.task)


def _local() -> vf.AgentConfig:
    """Return the config of a chat without tools, in a local process."""
    return vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class CasinoEnvConfig(vf.EnvConfig):
    player0: vf.AgentConfig = _local()
    player1: vf.AgentConfig = _local()


class CasinoEnv(vf.Env[CasinoEnvConfig]):
    async def run(self, task: DealTask, agents: Any) -> None:
        game = TextGame(task.data.variant, 2, listed=task.data.listed)
        game.reset(task.data.seed)
        async with AsyncExitStack() as stack:
            talks = [
                await stack.enter_async_context(
                    agent.interaction(vf.Task(vf.TaskData(idx=task.data.idx, system_prompt=game.introduction(seat))))
                )
                for seat, agent in enumerate((agents.player0, agents.player1))
            ]
            why = ""
            while not game.over:
                segment = await talks[game.seat].turn(f"{why}\n{game.observation(rules=False)}".strip())
                if segment.terminated:
                    break
                why = game.step(segment.last_reply)
            for seat, talk in enumerate(talks):
                talk.trace.record_reward("points_ahead", game.rewards[seat], 1.0)
                talk.trace.record_metric("refused", float(sum(s.seat == seat and bool(s.why) for s in game.transcript)))
