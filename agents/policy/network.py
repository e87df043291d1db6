"""The fast network in torch, weight for weight: for autograd, GPUs and ONNX files.

It reads observations as rows of zeros and ones. It returns a logit for each action of the catalogue, legal or not, and
the values of the sides. Its weights are parts of one flat tensor, in the order of the kernels.
"""

from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from casino_env.actions import ACTIONS
from casino_env.agents.files import write_file
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.policy.policy_files import Weights, made_for
from casino_env.extras import install_command


class _Layer(nn.Module):
    """A layer whose weights lie as [input, output], because kernels add up rows."""

    def __init__(self, before: int, width: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(before, width)), nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x @ self.weight + self.bias)


class Mlp(nn.Module):
    """The network of mlp.py, weight for weight."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        widths = (shape.features, *shape.hidden)
        for n, (before, width) in enumerate(zip(widths, shape.hidden, strict=False)):
            self.add_module(f"layer{n}", _Layer(before, width))
        self.policy = nn.Linear(widths[-1], ACTIONS)
        self.value = nn.Linear(widths[-1], shape.values)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        x = observations
        for name, layer in self.named_children():
            if name.startswith("layer"):
                x = layer(x)
        return self.policy(x), self.value(x)


def make_network(shape: Shape, flat: Tensor) -> Mlp:
    """A network whose weights are views of a flat tensor: writing to it changes the network."""
    with torch.device("meta"):
        network = Mlp(shape)
    at = 0
    for name, part in shape.parts.items():
        length = int(np.prod(part))
        owner, _, last = name.rpartition(".")
        setattr(network.get_submodule(owner), last, nn.Parameter(flat[at : at + length].view(part)))
        at += length
    return network


# === Export as an ONNX file (docs/onnx.md): the whole network, with its game in the metadata ========================

INPUTS = ("observation", "mask")
OUTPUTS = ("logits", "probabilities", "value")
_OPSET = 18


class OnnxPolicy(nn.Module):
    """A policy from observation and mask to logits, probabilities and value."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.network = make_network(weights.shape, torch.from_numpy(weights.theta))
        self.value_scale = weights.value_scale

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of illegal actions are far below all others; the value is in points ahead of the others."""
        logits, values = self.network(observation)
        logits = torch.where(mask > 0, logits, torch.full_like(logits, -1e9))
        return logits, torch.softmax(logits, -1), values[:, 0] * self.value_scale


def export_onnx(spec: str, path: Path) -> None:
    """Write a policy over actions as an ONNX file; raise ValueError for others, or if onnx is not installed."""
    weights = Weights.load(spec)
    if not weights.shape.judges_actions:
        raise ValueError(
            f"{spec}: judges afterstates, which only this engine lists; first distil it into a network over actions: "
            f"casino train distil policy:{spec} --to {path.with_suffix('.safetensors')}"
        )
    example = torch.zeros(2, weights.shape.features), torch.ones(2, ACTIONS)
    rows = torch.export.Dim("rows")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns about optional libraries
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                OnnxPolicy(weights).eval(), example, dynamo=True, verbose=False, opset_version=_OPSET,
                input_names=INPUTS, output_names=OUTPUTS, dynamic_shapes=({0: rows}, {0: rows}),
            )  # fmt: skip
    except ImportError as error:
        raise ValueError(f"{error.name} is missing: {install_command('onnx')}") from None
    assert program is not None
    model = program.model_proto
    about = made_for(weights.rules) | {"layout": "universal" if weights.layout.universal else "own"}
    for key, value in about.items():
        model.metadata_props.add(key=f"casino.{key}", value=value if isinstance(value, str) else json.dumps(value))
    write_file(path, model.SerializeToString())
