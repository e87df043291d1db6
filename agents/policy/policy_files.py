"""Policy files: weights as safetensors, and beside them a JSON file, the description, that says what they are for.

The description is sealed with a checksum, lists the checksums that the weights may have, and is validated (KEYS) before
use. Lower levels of a policy are rows of its description: the same weights, played with less care.
NAME-easy.safetensors means the level `easy` of NAME.safetensors; no such file exists.

NAME.policy holds both in one file: the description as its first line, then the weights.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.files import (
    DamagedFileError,
    as_text,
    checksum,
    is_sealed,
    parse,
    read_file,
    read_text,
    seal,
    unseal,
    write_file,
)
from casino_env.agents.policy.lookahead import MOST_CARDS, MOST_TEMPERATURE, MOST_TURNS, PlaySettings
from casino_env.agents.policy.mlp import KINDS, NO_NUMBERS, TOO_LARGE, Shape, soundness, value_outputs
from casino_env.arrays import Array
from casino_env.engine.afterstates import MOST
from casino_env.engine.state import SEATS
from casino_env.knowledge.layout import OBSERVATION_VERSION, Layout, make_layout
from casino_env.rules import RULES_VERSION, Rules, rules_of
from casino_env.validate import check_shape, closest

FORMAT = "casino-policy 3"
PACKED = ".policy"  # suffix of a file that holds both
SHIPPED = Path(__file__).parent.parent / "policies"  # policies that come with the project (shipped.py)
MOST_LAYERS, MOST_WIDTH = 16, 4096  # greatest sizes accepted
PLAY = {
    "temperature": ("float", 0, MOST_TEMPERATURE), "turns": ("int", 1, MOST_TURNS), "width": ("int", 1, MOST),
    "exact": ("int", 0, MOST_CARDS),
}  # fmt: skip
GAME = {"variant": "text", "players": ("int", 2, SEATS), "rules": "dict"}
FEATURES = {"size": ("int", 0, 2**31), "digest": "text", "rule_rows": ("int", 0, 2**31)}  # as in Layout.features
# Schema of a description, as data that JavaScript reads too; kinds as in check_shape. Other keys are allowed.
KEYS = {
    "network": ("choice", "actions", "afterstates"),  # what the network judges
    "hidden": ("each", ("int", 1, MOST_WIDTH), 1, MOST_LAYERS),  # widths of the layers
    "values": ("int", 1, SEATS),  # number of value outputs; default: as many as the game needs
    "variant": "text",
    "players": ("int", 2, SEATS),
    "rules": "dict",  # differences from the preset
    "features": ("all", FEATURES),
    "layout": ("choice", "own", "universal"),
    "match": "bool",
    "value_scale": ("float", 0.0001, 1_000_000),  # points per unit of its value
    "play": PLAY,  # defaults are those of PlaySettings
    "levels": ("rows", {"play": PLAY, "strength": "list"}),  # lower levels by name, strongest first
    "weights": ("each", "text", 0, 100),  # checksums that the weights may have
    "config": ("some", {"game": ("some", {"others": ("each", ("all", GAME), 0, 1000)})}),  # of the training
    "strength": "list",  # `python -m benchmarks strength`
}
NEEDED = ("network", "hidden", "variant", "players", "rules", "features")
USUAL = {"layout": "own", "match": False, "value_scale": 1.0, "levels": {}, "weights": []}
USUAL_PLAY = PlaySettings()._asdict()
FAULTS = {NO_NUMBERS: "some are not numbers", TOO_LARGE: "so large that the network would overflow"}
_WAY_BACK = "copy the files of the policy again, or resume its run (casino train --resume)"


class OutdatedError(ValueError):
    """A policy of other rules or features than this program has: it must be trained again."""


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of a network and what they are for."""

    rules: Rules
    layout: Layout  # of the observation that it reads
    shape: Shape
    theta: Array  # flat
    value_scale: float = 1.0  # points per unit of its value
    name: str = "these weights"
    play: PlaySettings = PlaySettings()  # noqa: RUF009 - a tuple

    @classmethod
    def load(cls, path: str) -> Weights:
        """Load a shipped policy by name, a file, or the folder of a run; raise ValueError."""
        place = find_policy(path)
        data = read_description(place)
        rules = learnt(data)[0]
        layout = layout_of(rules, data)
        values = data.get("values", value_outputs(rules))
        shape = Shape(layout.size, tuple(data["hidden"]), values, KINDS[data["network"]])
        theta, play = _proven_weights(place, data, shape), PlaySettings(**data.get("play", {}))
        return cls(rules, layout, shape, theta, float(data.get("value_scale", 1.0)), str(place), play)

    @property
    def digest(self) -> str:
        """Digest of weights and settings: the same path may hold others tomorrow."""
        return hashlib.sha256(self.theta.tobytes() + repr((self.value_scale, self.play)).encode()).hexdigest()[:16]


# --- places --------------------------------------------------------------------------------------------------------


def find_policy(path: str) -> Path:
    """The weights file, or level of one, that a path means: a shipped policy, a file, or the folder of a run."""
    stems = {file.stem for file in SHIPPED.glob("*.json")}
    if path in stems or path.rpartition("-")[0] in stems:
        place = shipped_path(path)
    else:
        place = Path(path) / "policy.safetensors" if Path(path).is_dir() else Path(path)
    whole, level = level_of(place)
    if not whole.is_file() or (level and level not in _whole_description(whole).get("levels", {})):
        raise ValueError(
            f"{path}: no weights found{closest(path, shipped_names())}; a policy is a name of `casino agents list`, a "
            ".safetensors or .policy file or the folder of a run"
        )
    return place


def shipped_names() -> list[str]:
    """Sorted names of shipped policies and their lower levels; policies of other features have no levels here."""
    names = []
    for file in SHIPPED.glob("*.json"):
        try:
            levels = _whole_description(file.with_suffix(".safetensors")).get("levels", {})
        except ValueError:
            levels = {}
        names += [file.stem, *(f"{file.stem}-{level}" for level in levels)]
    return sorted(names)


def shipped_path(name: str) -> Path:
    return SHIPPED / f"{name}.safetensors"


def beside(weights: Path) -> Path:
    """The file that holds the description of weights."""
    return weights if weights.suffix == PACKED else weights.with_suffix(".json")


def level_of(place: Path) -> tuple[Path, str]:
    """(weights file that a place means, level); the level "" is the best."""
    best, _, level = place.stem.rpartition("-")
    whole = place.with_name(f"{best}{place.suffix}") if best else place
    return (whole, level) if not beside(place).exists() and beside(whole).exists() else (place, "")


# --- descriptions --------------------------------------------------------------------------------------------------


def write_description(weights: Path, data: dict[str, Any], digests: list[str]) -> None:
    """Write the description of a weights file. digests: the checksums that the weights may have."""
    kept = {key: value for key, value in data.items() if key not in ("format", "weights")}
    whole = {"format": FORMAT, **kept, "weights": digests}
    write_file(beside(weights), (seal(whole, indent=2) + "\n").encode())


def change_description(place: Path, **changes: Any) -> None:
    """Update the description of weights, or of a level of them; the weights stay the same."""
    whole, level = level_of(place)
    data = _whole_description(whole)
    (data["levels"][level] if level else data).update(changes)
    write_description(whole, data, [checksum(read_file(whole))])


def read_description(place: Path) -> dict[str, Any]:
    """Read the description of weights, or of a level; raise ValueError if it is damaged or unusable here."""
    whole, level = level_of(place)
    data = _whole_description(whole)
    if level and level not in data.get("levels", {}):
        raise ValueError(f"{place}: {beside(place).name} is missing, and {beside(whole).name} has no level {level!r}")
    return level_description(data, level) if level else data


def level_description(data: dict[str, Any], level: str) -> dict[str, Any]:
    """The description of a level as if it were a policy of its own; its key `level` has the name."""
    own = ("levels", "strength")
    return {**{key: one for key, one in data.items() if key not in own}, **data["levels"][level], "level": level}


def _whole_description(weights: Path) -> dict[str, Any]:
    file = beside(weights)
    try:
        text = _parts(weights)[0] if weights.suffix == PACKED else read_text(file)
        data = unseal(text, str(file)) if is_sealed(text) else parse(text, str(file))
    except FileNotFoundError:
        raise ValueError(f"{weights}: its description {file.name} is missing") from None
    except DamagedFileError as error:
        raise ValueError(f"{error}; {_WAY_BACK}") from None
    found = data.get("format") if isinstance(data, dict) else type(data).__name__
    if found != FORMAT or not is_sealed(text):
        raise ValueError(f"{file}: format {found!r}; this program reads {FORMAT!r} with its checksum; {_WAY_BACK}")
    for key, ours in (("rules_version", RULES_VERSION), ("observation_version", OBSERVATION_VERSION)):
        if data.get(key) != ours:
            raise OutdatedError(f"{file}: made with {key} {data.get(key)!r}; this program has {ours}; train it again")
    try:
        for key in NEEDED:
            if key not in data:
                raise ValueError(f"{key} is missing")
        for key in KEYS.keys() & data.keys():
            check_shape(data[key], KEYS[key], key)
        layout = layout_of(learnt(data)[0], data)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    if not layout.fits(data["features"]):
        size, ours = data["features"]["size"], layout.size
        raise OutdatedError(f"{file}: its {size} features differ from the {ours} of this program; train it again")
    return dict(data)


def layout_of(rules: Rules, data: dict[str, Any]) -> Layout:
    """The layout of the observation that a policy reads."""
    return make_layout(rules, universal=data.get("layout") == "universal", match=data.get("match", False))


def learnt(data: dict[str, Any]) -> list[Rules]:
    """The games that a policy was trained in, the one that it is for first. Raise ValueError."""
    try:
        others = data.get("config", {}).get("game", {}).get("others", [])
        return [rules_of(one["variant"], one["players"], one["rules"]) for one in (data, *others)]
    except (ValueError, OverflowError) as error:
        raise ValueError(f"not a known game: {error}") from None


# --- one file ------------------------------------------------------------------------------------------------------


def pack(path: str, target: Path) -> None:
    """Write a policy as one file, with quantized weights."""
    if target.suffix != PACKED:
        raise ValueError(f"{target}: must end in {PACKED}")
    place = find_policy(path)
    about = {
        key: value for key, value in read_description(place).items() if key not in ("format", "weights", "checksum")
    }
    weights = Weights.load(path)
    data = _as_file(quantize(weights.shape, weights.theta))
    write_file(target, seal({"format": FORMAT, **about, "weights": [checksum(data)]}).encode() + b"\n" + data)


def _parts(packed: Path) -> tuple[str, bytes]:
    """The description and the weights of a packed file."""
    text, _, data = read_file(packed).partition(b"\n")
    return as_text(text, str(packed)), data


# --- weights -------------------------------------------------------------------------------------------------------


def save_policy(path: Path, shape: Shape, theta: Array, rules: Rules, about: dict[str, Any]) -> None:
    """Write weights to path (.safetensors) and their description to the .json file beside it.

    Raise ValueError if a network of this shape cannot play the game.
    """
    size, values = layout_of(rules, about).size, value_outputs(rules)
    game = f"{rules.name} with {rules.players} players"
    if shape.features != size:
        raise ValueError(f"{path}: this network reads {shape.features} features; an observation of {game} has {size}")
    if shape.values < values:
        raise ValueError(f"{path}: this network has {shape.values} values; {game} needs {values}, one for each side")
    data = {
        "network": shape.kind,
        "hidden": list(shape.hidden),
        "values": shape.values,
        **made_for(rules),
        "features": layout_of(rules, about).features,
        **about,
    }
    write_policy(path, shape.views(theta), data)


def made_for(rules: Rules) -> dict[str, Any]:
    """The game of a network, and the versions with which it was made, as files name them."""
    return {
        "variant": rules.name,
        "players": rules.players,
        "rules": rules.differences(),
        "rules_version": RULES_VERSION,
        "observation_version": OBSERVATION_VERSION,
    }


def save_network(
    path: Path, layers: Sequence[tuple[Array, Array]], rules: Rules, about: dict[str, Any] | None = None
) -> None:
    """Write a network over actions from any learner. layers: weight and bias of each as in torch.nn.Linear, with ReLU
    between layers and a logit per action last. Its values are 0."""
    *inner, last = [tuple(np.asarray(part, np.float32) for part in layer) for layer in layers]
    if not inner or len(last[1]) != ACTIONS:
        raise ValueError(f"{path}: a policy needs a hidden layer and a logit for each of {ACTIONS} actions")
    shape = Shape(inner[0][0].shape[1], tuple(len(bias) for _, bias in inner), value_outputs(rules))
    parts = {name: np.zeros(part, np.float32) for name, part in shape.parts.items()}
    for number, (weight, bias) in enumerate(inner):
        parts |= {f"layer{number}.weight": weight.T, f"layer{number}.bias": bias}
    parts |= {"policy.weight": last[0], "policy.bias": last[1]}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_policy(path, shape, shape.flat(parts), rules, about or {})


def write_policy(path: Path, parts: dict[str, Array], data: dict[str, Any]) -> None:
    """Write the parts of the weights and their description.

    The description, written first, also accepts the old weights, so a kill between the two writes leaves a whole
    policy.
    """
    weights = _as_file(parts)
    before = [checksum(read_file(path))] if path.exists() else []
    write_description(path, data, list(dict.fromkeys([checksum(weights), *before])))
    write_file(path, weights)


def _as_file(parts: dict[str, Array]) -> bytes:
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(part) for name, part in parts.items()})


def read_weights(path: Path, shape: Shape) -> Array:
    """The weights of a policy for a network of this shape, whatever game they were for."""
    return _proven_weights(path, read_description(path), shape)


def _proven_weights(place: Path, about: dict[str, Any], shape: Shape) -> Array:
    """The weights of a file, if their checksum is in their description."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    file, _ = level_of(place)
    try:
        data = _parts(file)[1] if file.suffix == PACKED else read_file(file)
    except FileNotFoundError:
        raise ValueError(f"{beside(file)}: its weights file {file} is missing") from None
    if checksum(data) not in about.get("weights", ()):
        raise ValueError(f"{file}: damaged: not the weights that {beside(file).name} describes; {_WAY_BACK}")
    try:
        parts = load(data)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{file}: broken weights ({error})") from None
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # too large numbers are refused below
            theta = shape.flat(dequantize(shape, parts))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    if fault := soundness(theta, shape.record):
        raise ValueError(f"{file}: broken weights ({FAULTS[fault]})")
    return theta


# --- quantized weights ---------------------------------------------------------------------------------------------
# Nearly all weights are in the first layer, which has a row per feature. A row is stored as int8 from -127 to 127 with
# one scale; rows of zeros, of features never seen, are left out. All other weights are stored as float16.

_FIRST = "layer0.weight"
_ROWS, _SCALES = "layer0.rows", "layer0.scales"
_MOST = 127


def quantize(shape: Shape, theta: Array) -> dict[str, Array]:
    """Quantize flat weights; return the parts for a file."""
    parts = shape.views(theta)
    first = parts[_FIRST]
    rows = np.flatnonzero(first.any(axis=1))
    scales = np.abs(first[rows]).max(axis=1) / _MOST
    halved = {name: part.astype(np.float16) for name, part in parts.items() if name != _FIRST}
    return halved | {
        _FIRST: np.rint(first[rows] / scales[:, None]).astype(np.int8),
        _ROWS: rows.astype(np.int32),
        _SCALES: scales.astype(np.float32),
    }


def dequantize(shape: Shape, parts: dict[str, Array]) -> dict[str, Array]:
    """Convert the parts of a file to floating point; parts that were not quantized stay. Raise ValueError."""
    if _ROWS not in parts:
        return parts
    rest = {name: part for name, part in parts.items() if name not in (_ROWS, _SCALES)}
    rows, scales, first = parts[_ROWS], parts.get(_SCALES), rest.get(_FIRST)
    width = shape.hidden[0]
    if rows.dtype != np.int32 or rows.ndim != 1 or not np.all(np.diff(rows) > 0):
        raise ValueError(f"weights {_ROWS}: must be feature numbers in rising order")
    if len(rows) and not 0 <= rows[0] <= rows[-1] < shape.features:
        raise ValueError(f"weights {_ROWS}: a feature must be from 0 to {shape.features - 1}")
    if first is None or first.dtype != np.int8 or first.shape != (len(rows), width):
        raise ValueError(f"weights {_FIRST}: must be {len(rows)} rows of {width} 8-bit numbers")
    if scales is None or scales.dtype != np.float32 or scales.shape != rows.shape:
        raise ValueError(f"weights {_SCALES}: must be one for each of {len(rows)} rows")
    whole = np.zeros((shape.features, width), np.float32)
    whole[rows] = first * scales[:, None]
    return rest | {_FIRST: whole}
