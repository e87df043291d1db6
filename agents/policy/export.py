"""Policies as ONNX files, for apps in any language: `casino agents export NAME FILE`.

A file holds the whole network from the observation (docs/observation.md) to the chance of each action; what it is for
stands in its metadata. docs/onnx.md describes its inputs and outputs.
"""

from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from casino_env.actions import ACTIONS
from casino_env.agents.files import write_file
from casino_env.agents.policy.files import Weights
from casino_env.agents.policy.network import make_network
from casino_env.extras import install_command
from casino_env.knowledge.layout import OBSERVATION_VERSION
from casino_env.rules import RULES_VERSION

INPUTS = ("observation", "mask")
OUTPUTS = ("logits", "probabilities", "value")
_OPSET = 18


class OnnxPolicy(nn.Module):
    """From what a seat sees and may do to what it likes and expects."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.network = make_network(weights.shape, torch.from_numpy(weights.theta))
        self.unit = weights.unit

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of illegal actions are far below all others; the value is in points more than the others."""
        logits, values = self.network(observation)
        logits = torch.where(mask > 0, logits, torch.full_like(logits, -1e9))
        return logits, torch.softmax(logits, -1), values[:, 0] * self.unit


def export(spec: str, path: Path) -> None:
    """Write a policy over actions as an ONNX file; raises ValueError for others, and if onnx is not installed."""
    weights = Weights.load(spec)
    if not weights.shape.choices:
        raise ValueError(
            f"{spec}: judges tables, which this engine has to list for it; first let a network over actions learn from "
            f"it: casino train distil policy:{spec} --to {path.with_suffix('.safetensors')}"
        )
    example = torch.zeros(2, weights.shape.features), torch.ones(2, ACTIONS)
    rows = torch.export.Dim("rows")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it names libraries that nobody needs
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
    for key, value in _about(weights).items():
        model.metadata_props.add(key=key, value=value)
    write_file(path, model.SerializeToString())


def _about(weights: Weights) -> dict[str, str]:
    rules = weights.rules
    about: dict[str, Any] = {
        "variant": rules.name,
        "players": rules.players,
        "rules": rules.differences(),
        "rules_version": RULES_VERSION,
        "observation_version": OBSERVATION_VERSION,
        "layout": "universal" if weights.layout.universal else "own",
    }
    return {f"casino.{key}": value if isinstance(value, str) else json.dumps(value) for key, value in about.items()}
