"""Networks in torch: the fast network for autograd, and one that sees a hand of cards as cards.

A network reads observations as rows of ones and zeros and returns a logit for each action of the catalogue, legal or
not, and the values of the sides. All sizes come from the observation. Its weights lie in one flat array, in the order
of its shape's parts, as those of the fast network do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from agents.batches import Decisions
from agents.policy.choice import decide_by_logits
from agents.policy.mlp import Flat, Shape, Thought, initial
from casino_env.actions import ACTIONS, BUILD, CAPTURE, CAPTURE_HIGH, CARD, DISCARD
from casino_env.cards import SUITS
from casino_env.knowledge.look import encode_all
from casino_env.knowledge.segments import Layout

Array = np.ndarray[Any, Any]

_CHUNK = 1024  # observations that are thought about at once

# Segments with a row for each card; what else an observation holds is about the table as a whole.
CARD_SEGMENTS = ("place", "build", "marks", "depth")
# Actions that point at a card: the first of each kind, and how many there are.
POINTED = tuple((first, after - first) for first, after in
                ((CARD, DISCARD), (DISCARD, CAPTURE), (CAPTURE, CAPTURE_HIGH), (CAPTURE_HIGH, BUILD)))  # fmt: skip


# --- the fast network ------------------------------------------------------------------------------------------------


class _Layer(nn.Module):
    """Weights lie as [input, output]: the kernels add up rows of them."""

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


# --- cards as tokens -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardShape(Flat):
    """Sizes of a card network."""

    kind: ClassVar[str] = "cards"
    hidden: ClassVar[tuple[int, ...]] = ()  # it needs no room in the kernels
    layout: Layout = field(compare=False, repr=False)
    width: int
    layers: int
    heads: int  # of attention; 0: a card hears of the others by their mean alone
    values: int

    @property
    def features(self) -> int:
        return self.layout.size

    @property
    def sizes(self) -> dict[str, Any]:
        return {"width": self.width, "layers": self.layers, "heads": self.heads}

    @cached_property
    def record(self) -> Array:
        return np.array([self.features, self.values, 0, 0], np.int64)

    @cached_property
    def parts(self) -> dict[str, tuple[int, ...]]:  # type: ignore[override]
        with torch.device("meta"):
            return {name: tuple(part.shape) for name, part in CardNetwork(self).named_parameters()}


class _MeanMixer(nn.Module):
    """Deep sets: every token hears the mean of all (Zaheer et al. 2017)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.own, self.mean = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(2 * width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.norm(tokens)
        heard = self.own(x) + self.mean(x.mean(1, keepdim=True))
        return tokens + self.out(torch.relu(heard))


class CardNetwork(nn.Module):
    """A token for each card and one for the rest; card actions are chosen by pointing at their card."""

    def __init__(self, shape: CardShape) -> None:
        super().__init__()
        segments = {s.name: s for s in shape.layout.segments}
        self._cards = [(segments[name].offset, segments[name].shape) for name in CARD_SEGMENTS]
        self._rest = [(s.offset, s.size) for s in shape.layout.segments if s.name not in CARD_SEGMENTS]
        self._rows, width = self._cards[0][1][0], shape.width
        self.card = nn.Linear(sum(columns for _, (_, columns) in self._cards), width)
        self.rank = nn.Parameter(torch.randn(self._rows // len(SUITS), 1, width) * 0.1)
        self.suit = nn.Parameter(torch.randn(1, len(SUITS), width) * 0.1)
        self.rest = nn.Linear(sum(size for _, size in self._rest), width)
        self.mixers = nn.ModuleList(_mixer(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(width)
        self.pointer = nn.Linear(width, len(POINTED) * width)
        self.policy = nn.Linear(width, ACTIONS - BUILD)
        self.value = nn.Linear(2 * width, shape.values)
        with torch.no_grad():  # all actions are as likely at first
            for head in (self.pointer, self.policy):
                head.weight.mul_(0.01)
                head.bias.zero_()

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        tokens = self._tokens(observations)
        for mixer in self.mixers:
            tokens = mixer(tokens)
        tokens = self.norm(tokens)
        table, cards = tokens[:, 0], tokens[:, 1:]
        values = self.value(torch.cat((table, cards.mean(1)), -1))
        return torch.cat((*self._pointed(table, cards), self.policy(table)), -1), values

    def _tokens(self, x: Tensor) -> Tensor:
        """[observation, 1 + card, width]"""
        seen = torch.cat(
            [x[:, at : at + rows * columns].view(-1, rows, columns) for at, (rows, columns) in self._cards], -1
        )
        name = (self.rank + self.suit).reshape(self._rows, -1)
        rest = torch.cat([x[:, at : at + size] for at, size in self._rest], -1)
        return torch.cat((self.rest(rest)[:, None], self.card(seen) + name), 1)

    def _pointed(self, table: Tensor, cards: Tensor) -> list[Tensor]:
        """Logits of each kind of card action: how well what is looked for fits each card."""
        wanted = self.pointer(table).unflatten(-1, (len(POINTED), -1))
        fit = wanted @ cards.transpose(1, 2) / cards.shape[-1] ** 0.5
        return [
            nn.functional.pad(fit[:, k, : min(count, self._rows)], (0, count - min(count, self._rows)))
            for k, (_, count) in enumerate(POINTED)
        ]


def _mixer(shape: CardShape) -> nn.Module:
    if not shape.heads:
        return _MeanMixer(shape.width)
    return nn.TransformerEncoderLayer(
        shape.width, shape.heads, 2 * shape.width, dropout=0.0, batch_first=True, norm_first=True
    )


# --- networks and flat weights ---------------------------------------------------------------------------------------


def make_shape(kind: str, sizes: dict[str, Any], layout: Layout, values: int) -> Flat:
    """From what a file or a config says."""
    if kind == "mlp":
        return Shape(layout.size, tuple(sizes["hidden"]), values)
    if kind == "cards":
        width, layers, heads = (sizes[name] for name in ("width", "layers", "heads"))
        if not all(type(size) is int for size in (width, layers, heads)) or width < 1 or (heads and width % heads):
            raise ValueError(f"no card network has width {width}, layers {layers} and heads {heads}")
        return CardShape(layout, width, layers, heads, values)
    raise ValueError(f"unknown network {kind!r}; known: mlp, cards")


def make_network(shape: Flat, flat: Tensor) -> nn.Module:
    """A network whose weights are parts of a flat tensor: writing to that changes the network."""
    with torch.device("meta"):
        network = Mlp(shape) if isinstance(shape, Shape) else CardNetwork(shape)  # type: ignore[arg-type]
    at = 0
    for name, part in shape.parts.items():
        length = int(np.prod(part))
        owner, _, last = name.rpartition(".")
        setattr(network.get_submodule(owner), last, nn.Parameter(flat[at : at + length].view(part)))
        at += length
    return network


def initial_weights(shape: Flat, rng: np.random.Generator) -> Array:
    """Fresh weights of a network of any kind, flat."""
    if isinstance(shape, Shape):
        return initial(shape, rng)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**63)))
        network = CardNetwork(shape)  # type: ignore[arg-type]
    return shape.flat({name: part.detach().numpy() for name, part in network.named_parameters()})


# --- decisions -------------------------------------------------------------------------------------------------------


class NetworkMind:
    """A network with weights in memory, for agent.py."""

    def __init__(self, shape: Flat, theta: Array) -> None:
        self._network = make_network(shape, torch.from_numpy(theta))

    def decide(
        self, decisions: Decisions, rules: Array, layout: Layout, temperature: float, rng: Array, room: Thought
    ) -> None:
        """As choice.decide_by_network does, thinking about many views at once."""
        for lo in range(0, len(decisions.views), _CHUNK):
            part = Decisions._make(array[lo : lo + _CHUNK] for array in decisions)
            logits, worth = self._think(part.views, rules, part.seats, layout)
            decide_by_logits(part, logits, temperature, rng, room)
            room.values[:] = worth[-1]

    def _think(self, views: Array, rules: Array, seats: Array, layout: Layout) -> tuple[Array, Array]:
        seen = np.empty((len(views), layout.size), np.int8)
        encode_all(views, rules, layout.record, seats, np.zeros(layout.most, np.int16), seen)
        with torch.inference_mode():
            logits, values = self._network(torch.from_numpy(seen).float())
        return logits.numpy(), values.numpy()
