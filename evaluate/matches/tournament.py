"""Everybody against everybody, in a folder that a killed run is taken up from."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.files import write_file
from agents.registry import AgentError, make_agent
from casino_env.rules import Rules, make_rules
from evaluate.matches.books import make_book
from evaluate.matches.deals_file import DealsFileError, read_deals
from evaluate.matches.duplicate import Deals
from evaluate.matches.match import Contest
from evaluate.matches.pairing import AgentFailedError
from evaluate.matches.workers import Workers

Pair = tuple[str, str]


@dataclass(frozen=True)
class Settings:
    """tournament.json"""

    agents: tuple[str, ...]
    variant: str
    players: int
    rules: dict[str, Any]
    seed: int
    deals: int

    def game(self) -> Rules:
        return make_rules(self.variant, self.players, **self.rules)

    def pairs(self) -> list[Pair]:
        return list(itertools.combinations(self.agents, 2))


@dataclass(frozen=True)
class Failure:
    agent: str
    problem: str
    pair: Pair | None = None  # None: the agent could not be made
    deals: int = 0  # played before

    def __str__(self) -> str:
        where = f" (in {' - '.join(self.pair)}, after {self.deals} deals)" if self.pair else ""
        return f"{self.agent}: {self.problem}{where}"


@dataclass
class Tournament:
    """A folder's content: what was asked for, what was played, what went wrong."""

    settings: Settings
    deals: dict[Pair, Deals] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


# --- the folder -----------------------------------------------------------------------------------------------------


def load_tournament(folder: str | Path) -> Tournament:
    folder = Path(folder)
    tournament = Tournament(_load_settings(folder))
    known = set(tournament.settings.pairs())
    for path in sorted((folder / "pairs").glob("*.jsonl")):
        header, deals = read_deals(path)
        pair = header.get("a"), header.get("b")
        if pair in known and len(deals):
            tournament.deals[pair] = deals  # type: ignore[index]
    failures = folder / "failures.jsonl"
    for line in failures.read_text().splitlines() if failures.exists() else []:
        row = json.loads(line)
        tournament.failures.append(Failure(**row | {"pair": tuple(row["pair"]) if row["pair"] else None}))
    return tournament


def _load_settings(folder: Path) -> Settings:
    path = folder / "tournament.json"
    try:
        data = json.loads(path.read_text())
        return Settings(**data | {"agents": tuple(data["agents"])})
    except FileNotFoundError:
        raise ValueError(f"{folder}: no tournament: there is no tournament.json") from None
    except (ValueError, TypeError, KeyError) as error:
        raise DealsFileError(f"{path}: broken: {error}") from None


def enter(folder: Path, wanted: Settings) -> Settings:
    """Save the settings. A folder that holds a tournament gets new agents and more deals, but stays the same game."""
    agents = tuple(dict.fromkeys(wanted.agents))
    if (folder / "tournament.json").exists():
        before = _load_settings(folder)
        for key in ("variant", "players", "rules", "seed"):
            if getattr(before, key) != getattr(wanted, key):
                was, now = getattr(before, key), getattr(wanted, key)
                raise ValueError(f"{folder}: holds a tournament with {key} = {was!r}, not {now!r}")
        agents = tuple(dict.fromkeys((*(name for name in before.agents if name in _have_played(folder)), *agents)))
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder}: is neither empty nor a tournament")
    if len(agents) < 2:
        raise ValueError("a tournament needs two different agents or more")
    settings = replace(wanted, agents=agents)
    (folder / "pairs").mkdir(parents=True, exist_ok=True)
    write_file(folder / "tournament.json", (json.dumps(asdict(settings), indent=1) + "\n").encode())
    return settings


def _have_played(folder: Path) -> set[str]:
    headers = [read_deals(path)[0] for path in (folder / "pairs").glob("*.jsonl")]
    return {name for header in headers for name in (header["a"], header["b"])}


def _pair_file(folder: Path, pair: Pair) -> Path:
    """A readable name, with a checksum because specs may hold what a file name may not."""
    readable = "--".join(re.sub(r"[^\w.=-]+", "_", name)[-40:] for name in pair)
    return folder / "pairs" / f"{readable}-{zlib.crc32(json.dumps(pair).encode()):08x}.jsonl"


# --- playing --------------------------------------------------------------------------------------------------------


Watch = Callable[[int, Failure | None], None]  # deals done in all pairs; what has gone wrong


def play_tournament(
    folder: str | Path, wanted: Settings, workers: Workers, watch: Watch = lambda *_: None
) -> Tournament:
    """Play what is missing. Whatever goes wrong with one agent is noted, and the rest goes on."""
    folder = Path(folder)
    settings = enter(folder, wanted)
    tournament = Tournament(settings)
    write_file(folder / "failures.jsonl", b"")

    def note(failure: Failure) -> None:
        tournament.failures.append(failure)
        with (folder / "failures.jsonl").open("a") as file:
            file.write(json.dumps(asdict(failure)) + "\n")
        watch(done, failure)

    done = 0
    out: set[str] = set()  # who has failed plays no more: every further pair might cost the whole time limit
    for name in settings.agents:
        try:
            make_agent(name)
        except AgentError as error:
            out.add(name)
            note(Failure(name, str(error)))
    for pair in settings.pairs():
        if not out & set(pair):
            failure = _play_pair(folder, tournament, pair, workers, watch, done)
            if failure:
                out.add(failure.agent)
                note(failure)
        done += settings.deals
        watch(done, None)
    return tournament


def _play_pair(
    folder: Path, tournament: Tournament, pair: Pair, workers: Workers, watch: Watch, done: int
) -> Failure | None:
    settings = tournament.settings
    book = make_book(settings.game(), settings.deals, settings.seed)
    try:
        contest = Contest(pair, book, seed=settings.seed, mirrored=True, out=_pair_file(folder, pair))
    except DealsFileError as error:  # damaged, or played with other weights
        return Failure(" - ".join(pair), str(error), pair)
    try:
        for deals in contest.play(workers):
            watch(done + len(deals), None)
    except AgentFailedError as failure:
        return Failure(failure.agent, failure.problem, pair, len(contest.deals))
    finally:
        contest.close()
        if len(contest.deals):
            tournament.deals[pair] = contest.deals
    return None
