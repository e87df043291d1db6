"""Play with a distilled policy without torch: an ONNX file, as an app would load it, as a player and as an agent.

pip install -e '.[onnx]'
casino train distil policy:south-african-2 --to student.safetensors     # once; this and the next line need torch
casino agents export student.safetensors student.onnx
python -m examples.onnx_player student.onnx
casino evaluate match examples.onnx_player:OnnxPlayer:path=student.onnx counter --deals 100
"""

import argparse
import json

import numpy as np
import onnxruntime

import casino_env
from casino_env.actions import action_text
from casino_env.observed import Observed


class OnnxPlayer:
    """An agent that plays the most likely action of the network."""

    def __init__(self, path: str) -> None:
        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        about = self.session.get_modelmeta().custom_metadata_map
        self.variant, self.players = about["casino.variant"], int(about["casino.players"])
        self.rules = json.loads(about["casino.rules"])

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        """Do nothing: the agent has no randomness and no memory."""

    def act(self, observation: Observed) -> int:
        return int(self.ask(observation)[1].argmax())

    def ask(self, observation: Observed | dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, float]:
        """Return logits and probabilities of all actions, and the expected points ahead of the others."""
        seen = observation["observation"][None].astype(np.float32)
        mask = observation["action_mask"][None].astype(np.float32)
        logits, chances, value = self.session.run(None, {"observation": seen, "mask": mask})
        return logits[0], chances[0], float(value[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="an ONNX file")
    parser.add_argument("--seed", type=int, default=1, help="of the deal (1)")
    args = parser.parse_args()
    player = OnnxPlayer(args.path)
    env = casino_env.env(player.variant, players=player.players, **player.rules)
    env.reset(seed=args.seed)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        _, chances, value = player.ask(observation)
        action = int(chances.argmax())
        print(f"{agent}  expects {value:+5.2f}  {chances[action]:4.0%}  {action_text(action)}")
        env.step(action)


if __name__ == "__main__":
    main()
