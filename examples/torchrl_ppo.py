"""TorchRL's PPO on the Gymnasium interface, with a single game or a batch.

    pip install torchrl -e .
    python examples/torchrl_ppo.py --minutes 2

ActionMask puts the legal actions into TorchRL's action spec, so that random actions are legal as well; the policy's
distribution uses the same mask. TorchRL resets the finished games of a batch itself (autoreset_mode="disabled").
"""

from typing import Any

import gymnasium as gym
import torch
from measured import ID, Clock, likeliest, measured, options
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, DTypeCastTransform, EnvBase, GymEnv, GymWrapper, RewardScaling, TransformedEnv
from torchrl.modules import MaskedOneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

KEYWORDS: dict[str, Any] = {"players": 2, "opponents": "greedy", "dtype": "float32"}
FRAMES, EPOCHS, MINIBATCH = 4096, 4, 512

APIS = {
    "GymWrapper": lambda: GymWrapper(gym.make_vec(ID, num_envs=64, autoreset_mode="disabled", **KEYWORDS)),
    "GymEnv": lambda: GymEnv(ID, **KEYWORDS),
}


def transformed(env: EnvBase) -> TransformedEnv:
    scaled = TransformedEnv(env, RewardScaling(0.0, 1 / 11))
    masked = TransformedEnv(scaled, DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]))
    return TransformedEnv(masked, ActionMask())


def network(size: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, outputs))


def train(env: EnvBase, actor: ProbabilisticActor, critic: ValueOperator, minutes: float) -> int:
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.02)
    optimiser = torch.optim.Adam(loss.parameters(), 1e-3)
    clock, decisions = Clock(minutes), 0
    for data in Collector(env, actor, frames_per_batch=FRAMES, total_frames=-1):
        advantage(data)
        rows = data.reshape(-1)
        for chosen in (part for _ in range(EPOCHS) for part in torch.randperm(len(rows)).split(MINIBATCH)):
            losses = loss(rows[chosen])
            optimiser.zero_grad()
            sum(losses[f"loss_{part}"] for part in ("objective", "critic", "entropy")).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimiser.step()
        decisions += len(rows)
        if clock.over():
            return decisions
    return decisions


def main() -> None:
    args = options(__doc__, api="GymWrapper")
    torch.manual_seed(args.seed)
    env = transformed(APIS[args.api]())
    env.set_seed(args.seed)
    size = env.observation_spec["observation"].shape[-1]
    body = network(size, 192)
    actor = ProbabilisticActor(
        TensorDictModule(body, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedOneHotCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(size, 1), in_keys=["observation"])

    with measured(likeliest(lambda seen, _: body(seen)), args):
        decisions = train(env, actor, critic, args.minutes)
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
