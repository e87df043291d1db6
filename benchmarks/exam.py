"""Make the papers of `casino evaluate exam`: positions from games of mixed strength, in which every turn is judged.

The judge of hints and reviews judges them, exactly where its solver can. Turns that are clearly worse than the best
get fewer play-outs; the file has the interval of each. A call extends the existing questions of a paper. To measure an
agent's mean loss, many positions with few play-outs are best; for the loss of single turns, more play-outs.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import count

import numpy as np

from casino_env.agents.advise import Advice, Turn, advise
from casino_env.agents.files import write_file
from casino_env.agents.policy.shipped import lower_levels, strongest_policy
from casino_env.agents.registry import ladder
from casino_env.agents.search.verdicts import DOUBT, MISTAKE, MOST_ASKED, NORMAL
from casino_env.engine.state import IDLE
from casino_env.evaluate.exam import PAPERS, PHASES, UNIT, Paper, Question, new_paper, papers, read_paper
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.pairing import Entrant, entrant
from casino_env.evaluate.progress import interruptible, progress
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.rules import Rules, make_rules
from casino_env.validate import check_least, closest

GAMES = {
    "south-african-2": ("south-african", 2),
    "swazi-3": ("swazi", 3),
    "khasino-4-partners": ("khasino", 4),
    "kasa-2": ("kasa", 2),
    "cassino-2": ("cassino", 2),
    "royal-2": ("royal", 2),
}
SEED = 20_261_129
_LONG = 3600.0  # time limit in seconds; the number of play-outs ends it earlier
_SOLVING, _LOOKING = 20.0, 64  # if no card is hidden: seconds, half of them for the solver; limit of lookahead (games)
_WIDEST = 0.5  # largest half interval of lookahead; positions with wider ones are left out
_ROUNDS, _PRECISION = 8, 0.05  # rounds of a play-out; half of the interval that is narrow enough, in points
_ROUGH = 32  # play-outs of a turn that the policy does not like
_SAVE = 60.0  # seconds between two writes of the file


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks exam", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)} (all)")
    parser.add_argument("--positions", type=int, default=1000, help="of each game (1000)")
    parser.add_argument(
        "--playouts", type=int, default=128, help="of a turn; questions with fewer are judged anew (128)"
    )
    args = parser.parse_args(arguments)
    check_least("positions", args.positions, 2)
    for name in args.games:
        if name not in GAMES:
            raise ValueError(f"unknown game {name!r}{closest(name, list(GAMES))}; known: {', '.join(GAMES)}")
    for name in args.games or GAMES:
        paper = _begun(name)
        extend(paper, args.positions, args.playouts)
        print(_text(paper), flush=True)
    return 0


def _begun(name: str) -> Paper:
    if name in papers():
        return read_paper(name)
    rules = make_rules(*GAMES[name])
    judge = {"policy": strongest_policy(rules), "rounds": _ROUNDS, "precision": _PRECISION}
    return new_paper(name, rules, SEED, judge)


def extend(paper: Paper, positions: int, playouts: int) -> None:
    """Judge existing questions that have fewer play-outs again, add new ones, and save the file."""
    saved, questions, number = time.monotonic(), paper.questions, 0
    deals = count(questions[-1].deal + 1 if questions else 0)
    with progress(paper.name, positions) as show, interruptible(lambda: len(questions), 1):
        while number < positions:
            if number == len(questions):
                questions += _ask(paper, next(deals), playouts)
            elif 0 < questions[number].playouts < playouts:
                questions[number] = _judged(paper, questions[number], playouts)
            number = min(number + 1, len(questions))
            show(number, "")
            if time.monotonic() > saved + _SAVE:
                saved = _save(paper)
    _save(paper)


def _save(paper: Paper) -> float:
    PAPERS.mkdir(exist_ok=True)
    write_file(PAPERS / f"{paper.name}.json.gz", paper.encoded())
    return time.monotonic()


# --- one question ----------------------------------------------------------------------------------------------------


def _ask(paper: Paper, deal: int, playouts: int) -> list[Question]:
    """Return a question from a random turn of this deal with several choices, if there is one."""
    rng = np.random.default_rng([SEED, deal])
    starts, turns = _play(paper, deal, rng)
    for number in rng.permutation(len(starts)).tolist():
        turn, played = starts[number]
        found = _judged(paper, Question(deal, len(PHASES) * turn // turns, played, "", 0, []), playouts)
        if len(found.turns) > 1:
            return [found]
    return []


def _judged(paper: Paper, question: Question, playouts: int) -> Question:
    by, rows = _judge(observe(paper.position(question)), question.deal, playouts)
    return replace(question, by=by, playouts=playouts if by == "play-outs" else 0, turns=rows)


def _play(paper: Paper, deal: int, rng: np.random.Generator) -> tuple[list[tuple[int, list[int]]], int]:
    """Play a deal with random players; return the number of each turn with the decisions before it, and the number of
    turns in the deal."""
    game = Game(paper.rules, seed=make_book(paper.rules, deal + 1, SEED).seeds[deal])
    anybody = _players(paper.rules)
    players = [anybody[rng.integers(len(anybody))].twin().agent for _ in range(paper.rules.players)]
    for seat, player in enumerate(players):
        player.reset(seat, rng)
    starts, played = list[tuple[int, list[int]]](), list[int]()
    while not game.over:
        if game.record["mode"] == IDLE and not game.record["acted"] and game.seat == game.record["to_move"]:
            starts.append((int(game.record["turns"]), list(played)))
        played.append(int(players[game.seat].act(observe(game))))
        game.apply(played[-1])
    return starts, int(game.record["turns"])


@cache
def _players(rules: Rules) -> list[Entrant]:
    """Return the bots except the random one, and the best policy with its levels."""
    name = strongest_policy(rules)
    policies = [f"policy:{each}" for each in (name, *lower_levels(name))] if name else []
    return [entrant(spec) for spec in (*ladder(rules)[1:], *policies)]


def _judge(seen: Observed, seed: int, playouts: int) -> tuple[str, list[list[int]]]:
    """Return the judge and the rows of all turns, which are empty if it is too uncertain. A rough measurement of turns
    that the policy does not like shows which of them may be good; only these are measured precisely."""
    if seen.hidden == 0:
        solved = advise(seen, seconds=_SOLVING, games=_LOOKING, seed=seed)
        known = max(turn.high - turn.low for turn in solved.turns) < 2 * _WIDEST
        return solved.by, [_row(turn.loss, _half(solved, turn), turn) for turn in solved.turns] if known else []
    listed = _measure(seen, seed, 1)
    rest = [turn.actions for turn in listed.turns if not turn.games][:MOST_ASKED]
    rough = _measure(seen, seed + 1, _ROUGH, rest) if rest else listed
    near = [t.actions for t in rough.turns if t.actions in rest and t.loss - _half(rough, t) / 2 < MISTAKE]
    found = _measure(seen, seed, playouts, near)
    return found.by, _merged(found, rough)


def _measure(seen: Observed, seed: int, games: int, also: Sequence[Sequence[int]] = ()) -> Advice:
    return advise(
        seen, also=also, seconds=_LONG, games=games, rounds=_ROUNDS, precision=_PRECISION, seed=seed, solve=False
    )


def _merged(found: Advice, rough: Advice) -> list[list[int]]:
    """Merge the precise and the rough measurements into rows, with losses relative to the same best turn."""
    known = {turn.key: turn for turn in rough.turns if turn.games}
    best, rows = known[found.turns[0].key], list[list[int]]()
    for turn in found.turns:
        if turn.games:
            rows.append(_row(turn.loss, _half(found, turn), turn))
        elif turn.key in known:
            other = known[turn.key]
            rows.append(_row(other.loss - best.loss, math.hypot(_half(rough, other), _half(rough, best)), turn))
    return rows


def _half(advice: Advice, turn: Turn) -> float:
    """Return half of the interval of a loss; for play-outs only that of their noise."""
    half = (turn.high - turn.low) / 2
    return math.sqrt(max(0.0, half**2 - (NORMAL * DOUBT) ** 2)) if advice.by == "play-outs" else half


def _row(loss: float, half: float, turn: Turn) -> list[int]:
    return [round(UNIT * loss), math.ceil(UNIT * half - 1e-9), *turn.actions]


# --- in words --------------------------------------------------------------------------------------------------------


def _text(paper: Paper) -> str:
    """Describe a paper: the number of positions, and the precision of their losses."""
    questions = paper.questions
    halves = np.array([row[1] for each in questions for row in each.turns[1:]]) / UNIT
    near = np.array([row[1] for each in questions for row in each.turns[1:] if row[0] < UNIT * MISTAKE]) / UNIT
    judges = Counter(each.by for each in questions)
    phases = Counter(PHASES[each.phase] for each in questions)
    told = ", ".join(f"{count} {name}" for name, count in [*sorted(judges.items()), *sorted(phases.items())])
    return (
        f"{paper.name}: {len(questions)} positions ({told}), {len(halves) / len(questions) + 1:.1f} turns each; "
        f"half interval {halves.mean():.2f}, of turns within {MISTAKE} of the best {near.mean():.2f}; "
        f"{len(paper.encoded()):,} bytes"
    )
