"""Everybody against everybody, in a folder that a killed run is taken up from."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

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
from casino_env.agents.registry import AgentError, spec_from_file
from casino_env.evaluate.file_models import Count, Model, Seed
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.deals import Header, PlayedDeals, has_begun, read_deals, refuse_others
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.matches.pairing import AgentFailedError, Entrant, entrant
from casino_env.evaluate.matches.workers import Workers
from casino_env.rules import RULES_VERSION, Rules, make_rules
from casino_env.validate import read_model

Pair = tuple[str, str]
_MOST_AGENTS = 1000
_OURS = ("pairs", "failures.jsonl", "standings.json")


class TournamentSettings(Model):
    """tournament.json"""

    agents: Annotated[tuple[str, ...], Field(strict=False)]  # different ones
    variant: str
    players: Count
    rules: dict[str, Any]  # what differs from the preset
    seed: Seed
    deals: Count

    def game(self) -> Rules:
        return make_rules(self.variant, self.players, **self.rules)

    def pairs(self) -> list[Pair]:
        return list(itertools.combinations(self.agents, 2))


class Failure(Model):
    """A line of failures.jsonl."""

    agent: str
    problem: str
    pair: Annotated[Pair | None, Field(strict=False)] = None  # None: the agent could not be made
    deals: Count = 0  # played before

    def __str__(self) -> str:
        where = f" (in {' - '.join(self.pair)}, after {self.deals} deals)" if self.pair else ""
        return f"{self.agent}: {self.problem}{where}"


@dataclass
class Tournament:
    """A folder's content: what was asked for, what was played, what went wrong."""

    settings: TournamentSettings
    deals: dict[Pair, PlayedDeals] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


# --- the folder -----------------------------------------------------------------------------------------------------


def load_tournament(folder: str | Path) -> Tournament:
    folder = Path(folder)
    tournament = Tournament(_load_settings(folder))
    known = set(tournament.settings.pairs())
    game, failures = tournament.settings.game(), folder / "failures.jsonl"
    ours = {"variant": game.name, "players": game.players, "rules": game.differences(), "rules_version": RULES_VERSION}
    for path, header, deals in _pair_files(folder):
        pair = header.a, header.b  # of this tournament, or it has got there from another one
        refuse_others(path, header, ours | {"seed": tournament.settings.seed}, "; delete it")
        if path != pair_file(folder, pair):
            raise ValueError(f"{path}: is not where {' - '.join(pair)} are kept; delete it")
        if pair in known and len(deals):
            tournament.deals[pair] = deals
    try:
        rows = read_journal(failures)[1:] if failures.exists() else []
    except DamagedFileError as error:
        raise DamagedFileError(f"{error}; delete it, and the same command plays what is missing") from None
    for number, row in enumerate(rows, 2):
        tournament.failures.append(read_model(Failure, row, f"{failures}, line {number}"))
    return tournament


def _load_settings(folder: Path) -> TournamentSettings:
    path = folder / "tournament.json"
    try:
        settings = read_model(TournamentSettings, unseal(read_text(path), str(path)), str(path))
        _refuse_few(settings.agents)
        settings.game()
    except FileNotFoundError:
        raise ValueError(f"{folder}: no tournament: there is no tournament.json") from None
    except DamagedFileError as error:
        raise DamagedFileError(f"{error}; delete it, and the same command plays on from the pairs") from None
    except (TypeError, ValueError) as error:
        raise ValueError(str(error) if str(path) in str(error) else f"{path}: {error}") from None
    return settings


def _refuse_few(agents: tuple[str, ...]) -> None:
    if not 2 <= len(set(agents)) == len(agents) <= _MOST_AGENTS:
        raise ValueError(f"a tournament needs two different agents or more, at most {_MOST_AGENTS}")


def planned(folder: Path, wanted: TournamentSettings, *, trust: bool = False) -> TournamentSettings:
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
        played = {name for _, header, _ in _pair_files(folder) for name in (header.a, header.b)}
        agents = tuple(dict.fromkeys((*(name for name in before.agents if name in played), *agents)))
        for name in () if trust else set(agents) - set(wanted.agents):
            spec_from_file(name, str(folder / "tournament.json"))
    elif folder.exists() and (not folder.is_dir() or _taken(folder)):
        raise ValueError(f"{folder}: is neither empty nor a tournament")
    _refuse_few(agents)
    return wanted.model_copy(update={"agents": agents})


def _taken(folder: Path) -> bool:
    """It holds something; the pairs of a tournament whose settings were damaged and deleted are welcome."""
    return any(path.name[0] != "." and path.name not in _OURS for path in folder.iterdir())


def _pair_files(folder: Path) -> Iterator[tuple[Path, Header, PlayedDeals]]:
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
    folder: str | Path,
    wanted: TournamentSettings,
    workers: Workers,
    watch: Watch = lambda *_: None,
    *,
    trust: bool = False,
) -> Tournament:
    """Play what is missing. Whatever goes wrong with one agent is noted, and the rest goes on.

    Raises ValueError while another process plays there.
    """
    folder = Path(folder)
    planned(folder, wanted, trust=trust)  # what is refused leaves nothing behind
    with locked(folder, "tournament"):
        settings = planned(folder, wanted, trust=trust)  # again: another may have played there until now
        (folder / "pairs").mkdir(exist_ok=True)
        write_file(folder / "tournament.json", (seal(settings.model_dump(), indent=1) + "\n").encode())
        write_journal(folder / "failures.jsonl", [{"format": "casino-failures 1"}])
        with Journal(folder / "failures.jsonl", {}) as failures:
            return _play_all(folder, Tournament(settings), workers, watch, failures)


def _play_all(folder: Path, tournament: Tournament, workers: Workers, watch: Watch, failures: Journal) -> Tournament:
    settings, done = tournament.settings, 0
    agents: dict[str, Entrant] = {}  # who has failed plays no more: every further pair might cost the whole time limit

    def note(failure: Failure) -> None:
        tournament.failures.append(failure)
        failures.append(failure.model_dump())
        watch(done, failure)

    for name in settings.agents:
        try:
            agents[name] = entrant(name)
        except AgentError as error:
            note(Failure(agent=name, problem=str(error)))
    for a, b in settings.pairs():
        if a in agents and b in agents:
            failure = _play_pair(folder, tournament, (agents[a], agents[b]), workers, watch, done)
            if failure:
                agents.pop(failure.agent, None)
                note(failure)
        done += settings.deals
        watch(done, None)
    return tournament


def _play_pair(
    folder: Path, tournament: Tournament, agents: tuple[Entrant, Entrant], workers: Workers, watch: Watch, done: int
) -> Failure | None:
    settings, pair = tournament.settings, (agents[0].name, agents[1].name)
    book = make_book(settings.game(), settings.deals, settings.seed)
    try:
        contest = Contest(agents, book, seed=settings.seed, mirrored=True, out=pair_file(folder, pair))
    except ValueError as error:  # of the file: it is damaged, or was played with other weights
        return Failure(agent=" - ".join(pair), problem=str(error), pair=pair)
    with contest:
        try:
            for deals in contest.play(workers):
                watch(done + len(deals), None)
        except AgentFailedError as failure:
            return Failure(agent=failure.agent, problem=failure.problem, pair=pair, deals=len(contest.deals))
        finally:
            if len(contest.deals):
                tournament.deals[pair] = contest.deals
    return None
