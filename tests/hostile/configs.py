"""Files of settings; what is accepted is made."""

from __future__ import annotations

from pathlib import Path
from random import Random

from casino_env.train.algorithms import kind_of, make_algorithm
from casino_env.train.algorithms.algorithm import memory_needed
from casino_env.train.config import load_config
from casino_env.train.run import check_agents
from tests.hostile.folders import unpacked
from tests.hostile.kind import RUNS_IT, Kind
from tests.hostile.spoiling import spoil_bytes, spoil_text

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
earlier_selves = 0.25
pool = 2
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


def seeds(_: Random) -> list[bytes]:
    own = [text.encode() for text in (_SMALL, _ALL, _RESPONSE)]
    configs = (Path(__file__).parents[2] / "configs").glob("**/*.toml")
    return [*own, *(path.read_bytes() for path in sorted(configs) if not path.stem.startswith("ablations"))]


def spoil(right: bytes, rng: Random) -> bytes:
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


def use(data: bytes, _: Random) -> None:
    with unpacked({"c.toml": data}) as place:
        config = load_config(str(place / "c.toml"), [])
    check_agents(config.run.panel, config.game.all_rules(), "run.panel")
    if memory_needed(config, kind_of(config)) < 2**24:
        make_algorithm(config)


KIND = Kind("configs", 10_000, seeds, spoil, use)
