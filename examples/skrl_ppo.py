"""skrl's PPO on the Gymnasium interface, in a batch of games.

    pip install skrl torch -e '.[eval]'
    python examples/skrl_ppo.py --minutes 2
    python examples/skrl_ppo.py --cpu-minutes 3 --variant swazi --players 3 --keep    # as a run: kept_run.py

skrl has no action masks: the policy model gets the whole observation and masks illegal actions itself.
"""

from typing import Any

import torch
from kept_run import KeptRun, linear, options
from measured import Clock, likeliest, measured
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from skrl.utils.spaces.torch import unflatten_tensorized_space
from torch import nn

from casino_env.envs.gymnasium import SingleVectorEnv

GAMES, STEPS, RATE = 64, 64, 5e-4


def network(size: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, outputs))


class Actor(CategoricalMixin, Model):
    def __init__(self, **spaces: Any) -> None:
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.net = network(self.observation_space["observation"].shape[0], self.num_actions)

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[torch.Tensor, dict[str, Any]]:
        seen = unflatten_tensorized_space(self.observation_space, inputs["observations"])
        return self.net(seen["observation"]).masked_fill(seen["action_mask"] == 0, -1e8), {}


class Critic(DeterministicMixin, Model):
    def __init__(self, **spaces: Any) -> None:
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.net = network(self.observation_space["observation"].shape[0], 1)

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[torch.Tensor, dict[str, Any]]:
        seen = unflatten_tensorized_space(self.observation_space, inputs["observations"])
        return self.net(seen["observation"]), {}


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--keep", action="store_true", help="a run with matches, instead of points before and after")
    args = parser.parse_args()
    torch.set_num_threads(1)  # more threads are slower for a network of this size
    set_seed(args.seed)
    games = SingleVectorEnv(GAMES, args.variant, args.players, opponents="greedy", dtype="float32")
    games.reset(seed=args.seed)
    env = wrap_env(games)
    spaces = {"observation_space": env.observation_space, "state_space": None, "action_space": env.action_space}
    actor, critic = Actor(**spaces, device="cpu"), Critic(**spaces, device="cpu")
    config = PPO_CFG(
        rollouts=STEPS, learning_epochs=3, mini_batches=8, discount_factor=1.0, learning_rate=RATE,
        entropy_loss_scale=0.01, value_loss_scale=0.1,
    )  # fmt: skip
    config.experiment.write_interval = config.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=STEPS, num_envs=GAMES, device="cpu")
    agent = PPO(models={"policy": actor, "value": critic}, memory=memory, cfg=config, device="cpu", **spaces)
    quiet = {"timesteps": STEPS, "headless": True, "disable_progressbar": True, "close_environment_at_exit": False}
    trainer = SequentialTrainer(env=env, agents=agent, cfg=quiet)

    decisions = 0
    if args.keep:
        run = KeptRun(args, "skrl", games=GAMES, rate=RATE, opponent="greedy")
        while not run.over():
            trainer.train()
            decisions += STEPS * GAMES
            run.look(decisions, lambda: linear(actor.net))
        run.end(decisions, lambda: linear(actor.net))
        return
    with measured(likeliest(lambda seen, _: actor.net(seen)), args):
        clock = Clock(args.minutes)
        while not clock.over():
            trainer.train()
            decisions += STEPS * GAMES
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
