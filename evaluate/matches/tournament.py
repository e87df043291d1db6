"""A round-robin tournament, kept in a folder from which it can be resumed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from casino_env.agents.registry import AgentError, spec_from_file
from casino_env.evaluate.matches.deals import DealsFile, Pair, PlayedDeals, make_book
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.matches.pairing import AgentFailedError, Entrant, entrant
from casino_env.evaluate.matches.workers import Workers
from casino_env.rules import RULES_VERSION, Rules, make_rules

FILE = "tournament.sqlite"
_MOST_AGENTS = 1000
_OURS = (FILE, f"{FILE}-journal", "standings.json")


@dataclass(frozen=True)
class TournamentSettings:
    agents: tuple[str, ...]  # without duplicates
    variant: str
    players: int
    rules: dict[str, Any]  # switches that differ from the preset
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
    deals: int = 0  # deals of the pair before the failure

    def __str__(self) -> str:
        where = f" (in {' - '.join(self.pair)}, after {self.deals} deals)" if self.pair else ""
        return f"{self.agent}: {self.problem}{where}"


@dataclass
class Tournament:
    """The settings, the played deals and the failures of a tournament."""

    settings: TournamentSettings
    deals: dict[Pair, PlayedDeals] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


# --- the folder -----------------------------------------------------------------------------------------------------


def load_tournament(folder: str | Path) -> Tournament:
    folder = Path(folder)
    settings = _settings_in(folder)
    if settings is None:
        raise ValueError(f"{folder}: not a tournament: {FILE} is missing")
    tournament, known = Tournament(settings), {*settings.pairs()}
    with DealsFile(folder / FILE) as file:
        for pair, (number, found) in file.pairings().items():
            file.refuse_others(found, {"rules_version": RULES_VERSION})
            deals = file.deals(number, found)
            if pair in known and len(deals):
                tournament.deals[pair] = deals
        for agent, problem, a, b, count in file.failures():
            tournament.failures.append(Failure(agent, problem, (a, b) if a and b else None, count))
    return tournament


def _settings_in(folder: Path) -> TournamentSettings | None:
    if not (folder / FILE).exists():
        return None
    with DealsFile(folder / FILE) as file:
        found = file.tournament()
    return TournamentSettings(**found | {"agents": tuple(found["agents"])}) if found else None


def planned(folder: Path, wanted: TournamentSettings, *, trust: bool = False) -> TournamentSettings:
    """Return the settings with which the folder will be played: new ones, or its own with more agents or deals.

    Raises ValueError if it holds another game, or agents with code of their own that are not in wanted.agents.
    """
    agents, before = tuple(dict.fromkeys(wanted.agents)), _settings_in(folder)
    if before:
        for key in ("variant", "players", "rules", "seed"):
            if getattr(before, key) != getattr(wanted, key):
                was, now = getattr(before, key), getattr(wanted, key)
                raise ValueError(f"{folder}: holds a tournament with {key} = {was!r}, not {now!r}")
        with DealsFile(folder / FILE) as file:
            played = {name for pair in file.pairings() for name in pair}
        agents = tuple(dict.fromkeys((*(name for name in before.agents if name in played), *agents)))
        for name in () if trust else {*agents} - {*wanted.agents}:
            spec_from_file(name, str(folder / FILE))
    elif folder.exists() and (not folder.is_dir() or any(path.name not in _OURS for path in folder.iterdir())):
        raise ValueError(f"{folder}: is neither empty nor a tournament")
    if not 2 <= len(agents) <= _MOST_AGENTS:
        raise ValueError(f"a tournament needs 2 to {_MOST_AGENTS} different agents")
    return replace(wanted, agents=agents)


# --- playing --------------------------------------------------------------------------------------------------------


Watch = Callable[[int, Failure | None], None]  # called with the deals done in all pairs, and a failure if there is one


def play_tournament(
    folder: str | Path,
    wanted: TournamentSettings,
    workers: Workers,
    watch: Watch = lambda *_: None,
    *,
    trust: bool = False,
) -> Tournament:
    """Play the missing deals. If an agent fails, record it and go on with the others.

    Raises ValueError while another process plays there.
    """
    folder = Path(folder)
    planned(folder, wanted, trust=trust)  # raises ValueError before anything is written
    with DealsFile(folder / FILE, write=True) as file:
        settings = planned(folder, wanted, trust=trust)  # again: another process may have played there until now
        file.begin_tournament(asdict(settings))
        return _play_all(file, Tournament(settings), workers, watch)


def _play_all(file: DealsFile, tournament: Tournament, workers: Workers, watch: Watch) -> Tournament:
    settings, done = tournament.settings, 0
    agents: dict[str, Entrant] = {}  # without those that failed: each further pair might fail after as many deals

    def note(failure: Failure) -> None:
        tournament.failures.append(failure)
        file.fail(failure.agent, failure.problem, *(failure.pair or (None, None)), failure.deals)
        watch(done, failure)

    for name in settings.agents:
        try:
            agents[name] = entrant(name)
        except AgentError as error:
            note(Failure(name, str(error)))
    for a, b in settings.pairs():
        if a in agents and b in agents:
            failure = _play_pair(file, tournament, (agents[a], agents[b]), workers, watch, done)
            if failure:
                agents.pop(failure.agent, None)
                note(failure)
        done += settings.deals
        watch(done, None)
    return tournament


def _play_pair(
    file: DealsFile, tournament: Tournament, agents: tuple[Entrant, Entrant], workers: Workers, watch: Watch, done: int
) -> Failure | None:
    settings, pair = tournament.settings, (agents[0].name, agents[1].name)
    book = make_book(settings.game(), settings.deals, settings.seed)
    try:
        contest = Contest(agents, book, seed=settings.seed, mirrored=True, out=file)
    except ValueError as error:  # the pair was played with other weights
        return Failure(" - ".join(pair), str(error), pair)
    try:
        for deals in contest.play(workers):
            watch(done + len(deals), None)
    except AgentFailedError as failure:
        return Failure(failure.agent, failure.problem, pair, len(contest.deals))
    finally:
        if len(contest.deals):
            tournament.deals[pair] = contest.deals
    return None
