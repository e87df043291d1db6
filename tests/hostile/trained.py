"""What train reads: files of settings, and folders of runs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

from casino_env.agents.files import checksum
from casino_env.train.algorithms import kind_of, make_algorithm
from casino_env.train.algorithms.algorithm import TrainingError, memory_needed
from casino_env.train.config import load_config
from casino_env.train.log import RunLog
from casino_env.train.run import Run, check_agents
from tests.hostile.folders import Folder, packed, sealed_again, unpacked
from tests.hostile.folders import spoil as spoil_folder
from tests.hostile.kind import RUNS_IT, Kind, RefusedError
from tests.hostile.spoiling import spoil_bytes, spoil_text
from tests.trainings import small

# --- files of settings; what is accepted is made ---------------------------------------------------------------------


_SMALL = """
[network]
hidden = [16]
[selfplay]
games = 8
horizon = 16
minibatch = 32
[run]
name = "x"
seed = 3
panel = ["greedy", "counter"]
levels = { easy = 0.3 }
"""
_ALL = """
[game]
variant = "swazi"
players = 3
shaping = 0.5
[game.rules]
insist_capture = "never"
[opponents]
bots = { greedy = 0.25 }
[run]
algorithm = "dmc"
decisions = 1000
minutes = 1.5
[machine]
threads = 1
"""
_RESPONSE = '[run]\nalgorithm = "best-response"\npanel = []\n[target]\nagent = "greedy"\n'
_VALUES = (
    "inf", "nan", "-1", "0", "1e308", "1000000000000", "9" * 400, "5", "[]", "{}", '""', '".."', '"a/b"',
    "1979-05-27", "true", f'"{RUNS_IT}"', f'["{RUNS_IT}"]', '["policy:swazi-2"]', "[4096, 4096, 4096, 4096]",
    '"\\u0000"', '"x\\ny"',
)  # fmt: skip


def seeds_config(_: Random) -> list[bytes]:
    own = [text.encode() for text in (_SMALL, _ALL, _RESPONSE)]
    configs = (Path(__file__).parents[2] / "configs").glob("**/*.toml")
    return [*own, *(path.read_bytes() for path in sorted(configs) if not path.stem.startswith("ablations"))]


def spoil_config(right: bytes, rng: Random) -> bytes:
    text = right.decode()
    for _ in range(rng.randint(1, 3)):
        lines = text.split("\n")
        settings = [at for at, line in enumerate(lines) if "=" in line]
        if settings and rng.random() < 0.6:
            at = rng.choice(settings)
            lines[at] = f"{lines[at].partition('=')[0]}= {rng.choice(_VALUES)}"
            text = "\n".join(lines)
        else:
            text = spoil_text(text, rng)
    data = text.encode(errors="replace")
    return spoil_bytes(data, rng) if rng.random() < 0.1 else data


def use_config(data: bytes, _: Random) -> None:
    with unpacked({"c.toml": data}) as place:
        config = load_config(str(place / "c.toml"), [])
    check_agents(config.run.panel, config.game.all_rules(), "run.panel")
    if memory_needed(config, kind_of(config)) < 2**24:
        make_algorithm(config)


# --- folders of runs; what is accepted learns for an iteration -------------------------------------------------------


_CHECKPOINT_KINDS: tuple[dict[str, dict[str, Any]], ...] = (
    {"run": {"algorithm": "afterstates"}},
    {"game": {"variant": "swazi", "players": 3}, "machine": {"overlap": False}, "run": {"algorithm": "afterstates"}},
    {"run": {"algorithm": "ppo"}},
)


def seeds_checkpoint(_: Random) -> list[Folder]:
    found = []
    for sections in _CHECKPOINT_KINDS:
        with tempfile.TemporaryDirectory() as place:
            run = Run.start(small(**sections | {"run": sections.get("run", {}) | {"name": "r"}}), Path(place))
            for _step in range(3):
                metrics = run.algorithm.learn(0.0)
                run.save()
            with RunLog(run.folder, "", 0, {}, quiet=True) as log:
                match = {"random": {"diff": 1.0, "low": 0.0, "high": 2.0, "won": 0.5}}
                log.evaluation(match, metrics | {"decisions_per_second": 1.0}, 5, 1.0)
            run.close()
            found.append(packed(run.folder))
    return found


def spoil_checkpoint(folder: Folder, rng: Random) -> Folder:
    """Mostly so that the checksums of the arrays fit: then what they hold has to be looked at."""
    folder = spoil_folder(folder, rng)
    if rng.random() < 0.8:
        for name in [name for name in folder if name.endswith("state.json")]:
            arrays = folder.get(name.replace(".json", ".safetensors"), b"")
            folder[name] = sealed_again(folder[name], arrays=checksum(arrays))
    return folder


def use_checkpoint(folder: Folder, _: Random) -> None:
    with unpacked(folder) as place:
        run = Run.resume(place)
        try:
            for _step in range(2):
                run.algorithm.learn(0.5)
            run.algorithm.wait()
            with RunLog(run.folder, "", run.algorithm.decisions, {}, quiet=True):
                pass
        except TrainingError as error:  # of numbers that are numbers, but too large to learn from
            raise RefusedError(str(error)) from None
        finally:
            run.close()


KINDS = (
    Kind("configs", 10_000, seeds_config, spoil_config, use_config),
    Kind("checkpoints", 2_000, seeds_checkpoint, spoil_checkpoint, use_checkpoint),
)
