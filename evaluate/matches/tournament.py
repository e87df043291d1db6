"""Everybody against everybody, in a folder that a killed run is taken up from."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from casino_env.agents.files import (
    DamagedFileError,
    Journal,
    locked,
    read_journal,
    read_text,
    seal,
    unseal,
    write_file,
    write_journal,
)
from casino_env.agents.registry import AgentError, make_agent, spec_from_file
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.deals_file import DealsFileError, has_begun, read_deals, refuse_others
from casino_env.evaluate.matches.duplicate import Deals
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.evaluate.matches.workers import Workers
from casino_env.evaluate.shapes import SEED, TABLE, TEXT, WHOLE, Kind, Maybe, check_shape
from casino_env.rules import Rules, make_rules

Pair = tuple[str, str]
_MOST_AGENTS = 1000
_OURS = ("pairs", "failures.jsonl", "standings.json")
_NAMES = Kind(
    f"a list of 2 to {_MOST_AGENTS} different names",
    lambda value: (
        isinstance(value, list)
        and 2 <= len(value) <= _MOST_AGENTS
        and all(isinstance(name, str) for name in value)
        and len(set(value)) == len(value)
    ),
)
_SETTINGS = {"agents": _NAMES, "variant": TEXT, "players": WHOLE, "rules": TABLE, "seed": SEED, "deals": WHOLE}
_PAIR = Kind("a pair of names", lambda value: isinstance(value, list) and [type(name) for name in value] == [str, str])
_FAILURE = {"agent": TEXT, "problem": TEXT, "pair": Maybe(_PAIR), "deals": WHOLE}


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
    for path, header, deals in _pair_files(folder):
        pair = header["a"], header["b"]
        _check_pair(path, header, tournament.settings)
        if pair in known and len(deals):
            tournament.deals[pair] = deals
    failures = folder / "failures.jsonl"
    for number, row in enumerate(_failures(failures)[1:] if failures.exists() else (), 2):
        check_shape(row, _FAILURE, f"{failures}, line {number}")
        names = tuple(row["pair"]) if row.get("pair") else None
        tournament.failures.append(Failure(row["agent"], row["problem"], names, row["deals"]))
    return tournament


def _check_pair(path: Path, header: dict[str, Any], settings: Settings) -> None:
    """Raises DealsFileError if a file has got there from another tournament."""
    game, pair = settings.game(), (header["a"], header["b"])
    ours = {"variant": game.name, "players": game.players, "rules": game.differences(), "seed": settings.seed}
    refuse_others(path, header, ours, "; delete it")
    if path != pair_file(path.parent.parent, pair):
        raise DealsFileError(f"{path}: is not where {' - '.join(pair)} are kept; delete it")


def _failures(path: Path) -> list[dict[str, Any]]:
    try:
        return read_journal(path)
    except DamagedFileError as error:
        raise DealsFileError(f"{error}; delete it, and the same command plays what is missing") from None


def _load_settings(folder: Path) -> Settings:
    path = folder / "tournament.json"
    try:
        data = unseal(read_text(path), str(path))
        check_shape(data, _SETTINGS, str(path))
        settings = Settings(**{key: data[key] for key in _SETTINGS} | {"agents": tuple(data["agents"])})
        settings.game()
    except FileNotFoundError:
        raise ValueError(f"{folder}: no tournament: there is no tournament.json") from None
    except DamagedFileError as error:
        raise DealsFileError(f"{error}; delete it, and the same command plays on from the pairs") from None
    except (TypeError, ValueError) as error:
        raise DealsFileError(str(error) if str(path) in str(error) else f"{path}: {error}") from None
    return settings


def planned(folder: Path, wanted: Settings, *, trust: bool = False) -> Settings:
    """The tournament that a folder would hold then: a new one, or its own with new agents and more deals.

    Raises ValueError if it holds another game, or agents with code of their own that nobody names on the command line.
    """
    agents = tuple(dict.fromkeys(wanted.agents))
    if (folder / "tournament.json").exists():
        before = _load_settings(folder)
        for key in ("variant", "players", "rules", "seed"):
            if getattr(before, key) != getattr(wanted, key):
                was, now = getattr(before, key), getattr(wanted, key)
                raise ValueError(f"{folder}: holds a tournament with {key} = {was!r}, not {now!r}")
        played = _have_played(folder)
        agents = tuple(dict.fromkeys((*(name for name in before.agents if name in played), *agents)))
        for name in () if trust else set(agents) - set(wanted.agents):
            spec_from_file(name, str(folder / "tournament.json"))
    elif folder.exists() and (not folder.is_dir() or _taken(folder)):
        raise ValueError(f"{folder}: is neither empty nor a tournament")
    if not 2 <= len(agents) <= _MOST_AGENTS:
        raise ValueError(f"a tournament needs two different agents or more, at most {_MOST_AGENTS}")
    return replace(wanted, agents=agents)


def _taken(folder: Path) -> bool:
    """It holds something; the pairs of a tournament whose settings were damaged and deleted are welcome."""
    return any(path.name[0] != "." and path.name not in _OURS for path in folder.iterdir())


def enter(folder: Path, wanted: Settings, *, trust: bool = False) -> Settings:
    """Save the settings of the tournament that a folder is to hold."""
    settings = planned(folder, wanted, trust=trust)
    (folder / "pairs").mkdir(parents=True, exist_ok=True)
    write_file(folder / "tournament.json", (seal(asdict(settings), indent=1) + "\n").encode())
    return settings


def _have_played(folder: Path) -> set[str]:
    return {name for _, header, _ in _pair_files(folder) for name in (header["a"], header["b"])}


def _pair_files(folder: Path) -> Iterator[tuple[Path, dict[str, Any], Deals]]:
    """What has been played; a pair that was killed at its first line has not."""
    for path in sorted((folder / "pairs").glob("*.jsonl")):
        if has_begun(path):
            yield path, *read_deals(path)


def pair_file(folder: Path, pair: Pair) -> Path:
    """A readable name, with a checksum because specs may hold what a file name may not."""
    readable = "--".join(re.sub(r"[^\w.=-]+", "_", name)[-40:] for name in pair)
    return folder / "pairs" / f"{readable}-{zlib.crc32(json.dumps(pair).encode()):08x}.jsonl"


# --- playing --------------------------------------------------------------------------------------------------------


Watch = Callable[[int, Failure | None], None]  # deals done in all pairs; what has gone wrong


def play_tournament(
    folder: str | Path, wanted: Settings, workers: Workers, watch: Watch = lambda *_: None, *, trust: bool = False
) -> Tournament:
    """Play what is missing. Whatever goes wrong with one agent is noted, and the rest goes on.

    Raises ValueError while another process plays there.
    """
    folder = Path(folder)
    planned(folder, wanted, trust=trust)  # what is refused leaves nothing behind
    with locked(folder, "tournament"):
        settings = enter(folder, wanted, trust=trust)
        write_journal(folder / "failures.jsonl", [{"format": "casino-failures 1"}])
        with Journal(folder / "failures.jsonl", {}) as failures:
            return _play_all(folder, Tournament(settings), workers, watch, failures)


def _play_all(folder: Path, tournament: Tournament, workers: Workers, watch: Watch, failures: Journal) -> Tournament:
    settings, done = tournament.settings, 0

    def note(failure: Failure) -> None:
        tournament.failures.append(failure)
        failures.append(asdict(failure))
        watch(done, failure)

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
        contest = Contest(pair, book, seed=settings.seed, mirrored=True, out=pair_file(folder, pair))
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
