"""Regret: how many points an agent loses against exact play in endings in which its seat knows all cards."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from casino_env.actions import action_text
from casino_env.agents.solver.solver import Solver
from casino_env.arrays import Array
from casino_env.evaluate.matches.deals import MOST_DEALS, make_book
from casino_env.evaluate.matches.duplicate import play_game, seatings
from casino_env.evaluate.matches.pairing import A, Pairing
from casino_env.evaluate.progress import interruptible, progress
from casino_env.evaluate.style import ratio
from casino_env.game import Game, unchecked_game
from casino_env.observed import Observed, sample_determinizations
from casino_env.rules import Rules
from casino_env.validate import check_least

_NODES = 500_000  # most solver nodes for a decision; beyond these it counts as unsolved
_ORDERS = 4  # samples of unknown pile orders; the values must be the same in all of them
_ATTEMPTS = 20  # most deals played for each ending that is wanted


@dataclass(frozen=True)
class Decision:
    """A choice between several actions, with their exact values (None: unsolved)."""

    position: dict[str, Any]
    chosen: int
    values: dict[int, int] | None

    @property
    def lost(self) -> int:
        assert self.values is not None
        return max(self.values.values()) - self.values[self.chosen]


def regret(
    rules: Rules, agent: str, endings: int, cards: int, *, against: str | None = None, seed: int = 0, worst: int = 10
) -> dict[str, Any]:
    """Measure the regret of an agent; return the results of the command as plain data."""
    _refuse(rules, endings, cards, worst)
    began = time.perf_counter()
    names = (agent, against or agent)
    rows = seatings(rules) if against else np.full((1, rules.players), A)
    pairing = Pairing.of(rules, names, rows, seed)
    deals: list[list[Decision]] = []
    with progress(f"regret of {agent}", endings) as show, interruptible(lambda: len(deals)) as ended:
        for number, deal in enumerate(make_book(rules, endings * _ATTEMPTS, seed).seeds):
            decisions = _ending(pairing, rows[number % len(rows)], cards, deal)
            deals += [decisions] if decisions else []
            show(len(deals), "")
            if len(deals) == endings:
                break
    if not deals:
        raise ValueError(f"{rules.name}, {rules.players} players: no ending in which the agent can know all cards")
    return {
        "agent": agent,
        "against": against or agent,
        "variant": rules.name,
        "players": rules.players,
        "cards": cards,
        "endings": len(deals),
        "deals": number + 1,
        "seats": rules.players if against is None else 1,
        "seed": seed,
        **_numbers(deals, rules.players if against is None else 1, worst),
        "seconds": round(time.perf_counter() - began, 3),
        **ended,
    }


def _refuse(rules: Rules, endings: int, cards: int, worst: int) -> None:
    if rules.players != 2:
        raise ValueError(f"regret needs two players, who know each other's last cards; not {rules.players}")
    if rules.count_out:
        raise ValueError("regret is counted over whole deals; with count_out a deal may be cut short")
    check_least("endings", endings, 2, MOST_DEALS // _ATTEMPTS)
    check_least("worst", worst, 0)
    if not 1 <= cards <= rules.hand_size:
        raise ValueError(f"--cards {cards}: must be 1 to {rules.hand_size}, the hands of {rules.name}")


# --- playing -------------------------------------------------------------------------------------------------------


class Endings:
    """Collect the decisions of a deal in which the seat knows all cards, with the values of the solver."""

    def __init__(self, cards: int, rng: np.random.Generator, solver: Solver | None = None) -> None:
        self.decisions = list[Decision]()
        self._cards, self._rng, self._solver = cards, rng, solver or Solver(table_mb=16)

    def watch(self, game: Game, seen: Observed, chosen: int) -> None:
        """Record a decision before it is played."""
        held = max(int(hand).bit_count() for hand in seen.view[0]["hands"])
        if not seen.hidden and held <= self._cards:  # only the order of a pile may be unknown
            self.decisions.append(Decision(game.to_json(), chosen, _values(self._solver, seen, self._rng)))


def _ending(pairing: Pairing, seating: Array, cards: int, deal: int) -> list[Decision]:
    """Play a deal; return the decisions of the agent's seats in its ending."""
    endings = Endings(cards, np.random.default_rng([pairing.seed, deal]))

    def watch(game: Game, seen: Observed, chosen: int) -> None:
        if seating[seen.seat] == A:
            endings.watch(game, seen, chosen)

    play_game(pairing, seating, deal, watch)
    return endings.decisions


def _values(solver: Solver, seen: Observed, rng: np.random.Generator) -> dict[int, int] | None:
    """Return the value of each action; None if it takes too many nodes, or depends on the unknown order of a pile."""
    drawn = sample_determinizations(seen, _ORDERS if int(seen.view[0]["shuffled"]) else 1, rng)
    values = None
    for game in drawn:
        found = solver.solve(unchecked_game(game, seen.rules), nodes=_NODES, want="values").values
        if found is None or (values is not None and found != values):
            return None
        values = found
    return values


# --- numbers -------------------------------------------------------------------------------------------------------


def _numbers(deals: list[list[Decision]], seats: int, worst: int) -> dict[str, Any]:
    solved = [[decision for decision in decisions if decision.values is not None] for decisions in deals]
    lost = np.array([sum(decision.lost for decision in decisions) for decisions in solved], float)
    count = np.array([len(decisions) for decisions in solved], float)
    wrong = np.array([sum(decision.lost > 0 for decision in decisions) for decisions in solved], float)
    ranked = sorted((decision for decisions in solved for decision in decisions), key=lambda found: -found.lost)
    return {
        "decisions": int(count.sum()),
        "unsolved": sum(map(len, deals)) - int(count.sum()),
        "lost a decision": ratio(lost, count),
        "lost a deal": ratio(lost, np.full(len(deals), float(seats))),
        "mistakes": ratio(wrong, count),
        "worst": [_as_json(decision) for decision in ranked[:worst] if decision.lost],
    }


def _as_json(decision: Decision) -> dict[str, Any]:
    assert decision.values is not None
    best = max(decision.values.values())
    return {
        "lost": decision.lost,
        "chosen": action_text(decision.chosen),
        "best": [action_text(action) for action, value in decision.values.items() if value == best],
        "value": best,
        "position": decision.position,
    }
