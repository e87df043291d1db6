"""Draw random rule sets for two players, and test what each must show before agents are scored on it: short deals, few
enough turns to choose from, endings that the solver solves, points that depend on skill, down to rare mistakes."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args, get_origin

import numpy as np

from casino_env.agents.registry import make_agent
from casino_env.agents.solver.solver import Solver
from casino_env.arrays import Array
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.duplicate import play_game, seatings
from casino_env.evaluate.matches.intervals import LEVEL, interval
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.matches.pairing import Pairing
from casino_env.evaluate.matches.workers import Threads
from casino_env.evaluate.regret import Decision, Endings
from casino_env.game import Game
from casino_env.observed import Observed
from casino_env.presets import PRESETS
from casino_env.rules import Rules

# --- drawing: the switches of some preset, some of them turned, another deal, other points ----------------------------

_BASES = [name for name in sorted(PRESETS) if 2 in PRESETS[name].by_players and not name.startswith(("mini", "steal"))]
# Switches that are turned. Those of partners and matches have no meaning for a deal of two; one that asks for the order
# of a pile would make a turn a dozen lines long.
_TURNED = (
    "ace_high", "courts", "raise_by", "raise_with_table", "raise_limit", "resort_raised", "new_builds", "equal_builds",
    "keep_backing", "build_limit", "second_build_in_turn", "owner_discard", "use_discard_same_turn", "steal", "chain",
    "no_return", "raise_or_add", "capture_tops", "pile_capture_needs_table_card", "tops_in_sums", "owner_top",
    "multi_capture", "insist_capture", "insist_augment", "stacking", "leftovers",
)  # fmt: skip
_LEAST_TURNED, _MOST_TURNED = 4, 9
# The deal and the points are drawn anew; a value that stands twice comes twice as often.
_DRAWN: dict[str, tuple[Any, ...]] = {
    "deck": (40, 40, 52),
    "table_cards": (0, 1, 2, 4, 4),
    "rounds": (2, 3, 4, 5, 6),
    "draw_hand": (0, 0, 0, 4, 5, 6),
    "cards_points": (0, 1, 2, 3, 4),
    "spades_points": (0, 1, 2, 3),
    "ties": ("one_each", "nobody"),
    "five_spades_points": (0, 0, 0, 1, 2),
    "little_points": (0, 1, 2, 3),
    "big_points": (0, 1, 2, 3),
    "big_ten": ("TD", "TS"),
    "ace_points": (0, 1, 1, 2),
    "sweeps": (False, False, True),
    "shutout": (False, False, False, True),
}
_ONE_DEAL: dict[str, Any] = {"target": 0, "match_rounds": 0, "counting": "total", "tie_break": "shared"}
HANDS = range(4, 11)  # cards in a hand


def drawn(seed: int, number: int) -> Rules:
    """Draw the rule set of a number: one that can be played, not tested otherwise."""
    draw = random.Random(f"{seed} {number}")
    while True:
        preset = PRESETS[draw.choice(_BASES)]
        values = preset.base | preset.by_players[2] | _ONE_DEAL
        for name in draw.sample(_TURNED, draw.randint(_LEAST_TURNED, _MOST_TURNED)):
            values[name] = _value(name, draw)
        values |= {name: draw.choice(choices) for name, choices in _DRAWN.items()}
        with suppress(ValueError):
            rules = Rules(name=f"fresh {seed} {number}", players=2, **values)
            if rules.hand_size in HANDS:
                return rules


def _value(name: str, draw: random.Random) -> Any:
    kind = Rules.__dataclass_fields__[name].type
    choices = get_args(kind) if get_origin(kind) else (False, True) if kind is bool else (0, 1, 1, 2)
    return draw.choice([each for each in choices if each != "ask"])


# --- what a rule set has to show before anybody is scored by it -------------------------------------------------------
# Deals that end soon, turns that a reader can weigh, endings that the solver plays to their end, points that depend on
# skill, down to a wrong turn now and then.

RUNGS = ("random", "greedy", "counter")  # opponents of every agent
TOP = "search:sims=200"  # must beat the last rung, so that there is more to learn
DEALS = 200  # after which each rung must be clearly better than the one before
_LOOKS = (20, 30, 50, 80, 120)  # deals after which a slow match (search) may stop early,
_EARLY = 0.999  # if it is clear at this level
CARDS = 4  # most cards in a hand in an ending
_WATCHED = 10  # deals to measure lengths, choices and endings
_OTHER = "builder"  # the agent whose spread over deals is measured for all
_WRONG, _SHOWN_IN = 0.1, 1000  # share of turns that a careless player begins at random; deals that it plays

MOST_TURNS = 48  # in a deal
MOST_CHOICES = 60  # turns to choose from, in 95 % of decisions: as many as a prompt lists
LEAST_CHOICES = 3.0  # turns to choose from, on average
LEAST_SOLVED = 0.9  # share of the decisions in endings that are solved, and of deals with an ending
MOST_SPREAD = 1.5  # standard deviation in points of a deal against all rungs: 100 deals then give an interval of ± 0.3
LEAST_SHOWN = 1.8  # by how many standard errors of 100 deals greedy must beat a careless greedy


class _UnfitError(Exception):
    """A rule set fails a test; the message says in one line which."""


@dataclass(frozen=True)
class Drawn:
    """A rule set that was drawn, and the results of its tests."""

    number: int
    rules: Rules
    proof: dict[str, Any]
    unfit: str = ""

    def row(self) -> dict[str, Any]:
        about = {"unfit": self.unfit} if self.unfit else {"rules": self.rules.differences()} | self.proof
        return {"number": self.number} | about


def examined(seed: int, number: int) -> Drawn:
    """Draw the rule set of a number and test it, with the cheap tests first."""
    rules, proof = drawn(seed, number), dict[str, Any]()
    try:
        _climb(rules, proof)
        _look_at_deals(rules, proof)
        _step(rules, TOP, RUNGS[-1], (*_LOOKS, DEALS), proof)
    except _UnfitError as error:
        return Drawn(number, rules, proof, str(error))
    return Drawn(number, rules, proof)


def _look_at_deals(rules: Rules, proof: dict[str, Any]) -> None:
    """Test with deals of the last rung their length, the number of choices, and whether endings are solved."""
    pairing, choices, turns = Pairing.of(rules, (RUNGS[-1], RUNGS[-1]), seatings(rules)), list[int](), list[int]()
    endings, ended, solver = list[Decision](), 0, Solver(table_mb=16)
    for deal in make_book(rules, _WATCHED).seeds:
        judge, begun = Endings(CARDS, np.random.default_rng(deal), solver), dict[int, int]()

        def watch(
            game: Game, seen: Observed, chosen: int, judge: Endings = judge, begun: dict[int, int] = begun
        ) -> None:
            if (turn := int(game.record["turns"])) not in begun:
                begun[turn] = len(seen.turns)
            judge.watch(game, seen, chosen)

        game = play_game(pairing, pairing.seatings[0], deal, watch).game
        turns.append(int(game.record["turns"]))
        choices += begun.values()
        endings += judge.decisions
        ended += bool(judge.decisions)
    solved = float(np.mean([each.values is not None for each in endings])) if endings else 0.0
    most = float(np.quantile(choices, 0.95))
    proof |= {
        "turns": round(float(np.mean(turns)), 1),
        "choices": round(float(np.mean(choices)), 1),
        "most_choices": round(most),
        "endings": round(ended / _WATCHED, 2),
        "solved": round(solved, 3),
    }
    _demand(max(turns) <= MOST_TURNS, f"a deal has {max(turns)} turns")
    _demand(most <= MOST_CHOICES, f"there are {most:.0f} turns to choose from")
    _demand(proof["choices"] >= LEAST_CHOICES, f"there are {proof['choices']} turns to choose from on average")
    _demand(ended >= LEAST_SOLVED * _WATCHED, f"in {ended} of {_WATCHED} deals all cards are known at the end")
    _demand(solved >= LEAST_SOLVED, f"{solved:.0%} of the decisions in endings are solved")


def _climb(rules: Rules, proof: dict[str, Any]) -> None:
    """Test each rung against the one before, the spread over deals, and whether mistakes show despite it."""
    proof["steps"] = []
    for better, worse in zip(RUNGS[1:], RUNGS, strict=False):
        _step(rules, better, worse, (DEALS,), proof)
    proof["spread"] = round(float(np.std(_over_all(rules, _OTHER, DEALS), ddof=1)), 3)
    _demand(proof["spread"] <= MOST_SPREAD, f"deals scatter by {proof['spread']:.2f} points")
    lost = _over_all(rules, "greedy", _SHOWN_IN) - _over_all(rules, _Careless(), _SHOWN_IN)
    proof["shown"] = round(float(lost.mean() / np.std(lost, ddof=1) * np.sqrt(100)), 2)
    _demand(proof["shown"] >= LEAST_SHOWN, f"wrong turns cost {proof['shown']:.2f} standard errors")


def _step(rules: Rules, better: str, worse: str, looks: tuple[int, ...], proof: dict[str, Any]) -> None:
    points = _deals(rules, better, worse, looks)
    found = interval(points, LEVEL if len(points) == DEALS else _EARLY)
    proof["steps"].append([better, worse, len(points), round(found.mean, 3), round(found.low, 3)])
    _demand(
        found.low > 0, f"{better} is not clearly better than {worse}: {found.mean:+.2f} ({found.low:+.2f} at least)"
    )


def _over_all(rules: Rules, who: Any, deals: int) -> Array:
    """Return the points of each deal, as the mean over the rungs. Against itself an agent has none in any deal."""
    each = [np.zeros(deals) if rung == who else _deals(rules, who, rung, (deals,)) for rung in RUNGS]
    found: Array = np.mean(each, axis=0)
    return found


def _deals(rules: Rules, a: Any, b: str, looks: tuple[int, ...]) -> Array:
    """Return the points of a over b by deal. looks: numbers of deals; stop there if it is clear who is better."""
    contest = Contest((a, b), make_book(rules, looks[-1]))
    with Threads(1) as workers:
        for deals in contest.play(workers):
            if len(deals) in looks[:-1]:
                found = interval(deals.diff, _EARLY)
                if found.low > 0 or found.high < 0:
                    break
    return contest.deals.diff


def _demand(fine: bool, otherwise: str) -> None:
    if not fine:
        raise _UnfitError(otherwise)


class _Careless:
    """The greedy bot, but it begins some turns with a random legal action."""

    def __init__(self) -> None:
        self._careful, self._careless = make_agent("greedy"), make_agent("random")

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._careful.reset(seat, rng)
        self._careless.reset(seat, rng)

    def act_many(self, rules: Rules, views: Array, seats: Array, legal: Array) -> Array:
        wrong = (views["acted"] == 0) & (self._rng.random(len(views)) < _WRONG)
        careful, careless = (bot.act_many(rules, views, seats, legal) for bot in (self._careful, self._careless))
        found: Array = np.where(wrong, careless, careful)
        return found
