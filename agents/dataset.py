"""Write deals as a data set: the text that a seat is given before a turn, legal turns, their worth, and the one played.

A file of JSON lines (gzipped if its name ends in .gz): a header, then a row per turn. A data card in Markdown beside it
says how it was made and what it contains.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import IO, Any

from casino_env.agents.advise import Advice, advise, find, judgeable
from casino_env.agents.base import check_agent, planned_turn, show_to
from casino_env.agents.protocol.analysis import with_forced
from casino_env.agents.registry import make_agent
from casino_env.envs.options import generator
from casino_env.game import MAX_SEED, Game
from casino_env.observed import Observed, moment, observe, turn_words
from casino_env.rules import RULES_VERSION, Rules
from casino_env.text import introduction, moved, situation
from casino_env.validate import float_in, int_in, one_line
from casino_env.version import __version__

FORMAT = "casino-deals 1"
LISTED = 60  # most legal turns in a row: the best, and the one played

Row = dict[str, Any]


def write_deals(
    path: Path, spec: str, rules: Rules, deals: int, *, seed: int = 0, playouts: int = 64, seconds: float = 1.0,
    show: Callable[[str], None] = lambda _: None,
) -> Row:  # fmt: skip
    """Write deals with seeds from `seed` on, in which the agent plays all seats; return the counts for the card. If the
    agent fails, the deals before stay, with their card."""
    int_in(deals, "deals", 1), int_in(playouts, "playouts", 1, 1_000_000), float_in(seconds, "seconds", 0, 1e6)
    int_in(seed, "seed", 0, MAX_SEED + 1 - deals)
    agents = [make_agent(spec) for _ in range(rules.players)]
    check_agent(agents[0], rules)
    card = path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.jsonl')}.md")
    for each in (path, card):
        if each.exists():
            raise ValueError(f"{each}: already exists; choose another file")
    counts = {"deals": 0, "rows": 0, "turns": 0, "solved": 0}
    head = _head(spec, rules, deals, seed) | {"playouts": playouts, "seconds": seconds}
    file = _opened(path)
    try:
        with file:
            _write(file, head)
            for deal in range(seed, seed + deals):
                for row in played(spec, agents, rules, deal, playouts, seconds):
                    _write(file, row)
                    counts["rows"] += 1
                    counts["turns"] += row["legal"]
                    counts["solved"] += row["by"] == "solver"
                counts["deals"] += 1
                show(f"{counts['deals']} of {deals} deals")
    finally:
        if counts["deals"]:
            card.write_text(_card(path.name, head, counts), encoding="utf-8")
        else:
            path.unlink(missing_ok=True)
    return counts


def played(spec: str, agents: list[Any], rules: Rules, deal: int, playouts: int, seconds: float) -> Iterator[Row]:
    """Play a deal; yield a row per turn, and one each time a seat has to decide anew within a turn."""
    game, rows = Game(rules, seed=deal), list[Row]()
    seen_before: dict[int, Observed] = {}
    for seat, agent in enumerate(agents):
        with _blamed(spec):
            agent.reset(seat, generator(deal, seat))
    while not game.over:
        seat, seen, begun = game.seat, observe(game), moment(game.records)
        with _blamed(spec):
            actions = planned_turn(agents[seat], game)
        whole = judgeable(seen, actions)
        advice = advise(seen, also=[actions] if whole else [], seconds=seconds, games=playouts, seed=deal)
        done = moved(seen_before[seat], seen) if seat in seen_before else []
        rows.append(
            {"deal": deal, "seat": seat, "told": situation(seen, done)} | _turns(game, seen, advice, actions, whole)
        )
        seen_before[seat] = seen
        for action in actions:
            if game.over or moment(game.records) != begun or action not in game.legal():
                break
            for other, agent in enumerate(agents):
                if other != seat:
                    with _blamed(spec):
                        show_to(agent, observe(game, other))
            game.apply(action)
    points = game.scores()
    for row in rows:
        yield row | {"points": points}


@contextmanager
def _blamed(spec: str) -> Iterator[None]:
    """Put the name of the agent in front of its errors."""
    try:
        yield
    except Exception as error:
        raise ValueError(f"{spec}: {one_line(error)}") from error


def _turns(game: Game, seen: Observed, advice: Advice, actions: list[int], whole: bool) -> Row:
    """Legal turns as [text, points ahead of the others, half of the interval of its loss to the best].

    whole: whether the actions are a complete turn. One that stops where the seat learns something, but may not end it,
    has no result to judge. It stands in the place of the complete turn that begins most like it, the best of these.
    """
    words, done = dict[int, str](), with_forced(game, actions)
    chosen = find(advice, actions) if whole else max(advice.turns, key=lambda turn: _alike(turn.actions, done))
    for turn in seen.turns:
        with suppress(ValueError):  # on a crowded table some are not complete turns
            words.setdefault(find(advice, turn.actions).key, turn.text)
    if not whole or chosen.key not in words:
        words[chosen.key] = turn_words(game, done)
    kept = [each for each in advice.turns if each.key in words]
    kept = [each for place, each in enumerate(kept) if place < LISTED or each is chosen]
    turns = [[words[each.key], round(each.value, 2), round((each.high - each.low) / 2, 2)] for each in kept]
    return {"legal": len(advice.turns), "by": advice.by, "turns": turns, "played": kept.index(chosen)}


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """How many actions both have at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _head(spec: str, rules: Rules, deals: int, seed: int) -> Row:
    return {
        "format": FORMAT,
        "version": __version__,
        "rules_version": RULES_VERSION,
        "variant": rules.name,
        "players": rules.players,
        "rules": rules.differences(),
        "agent": spec,
        "seeds": [seed, seed + deals - 1],
        "introductions": [introduction(rules, seat) for seat in range(rules.players)],
    }


def _opened(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        return gzip.GzipFile(path, "xb", mtime=0)  # type: ignore[return-value]  # mtime: reproducible bytes
    return path.open("xb")


def _write(file: IO[bytes], row: Row) -> None:
    file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")


def _card(name: str, head: Row, counts: Row) -> str:
    changes = f", with {json.dumps(head['rules'])}" if head["rules"] else ""
    rows = "\n".join(f"| {keys} | {meaning} |" for keys, meaning in _KEYS.items())
    seed = head["seeds"][0]
    return f"""# {name}

Deals of `{head["variant"]}` for {head["players"]}{changes}, played by `{head["agent"]}` on all seats.

- **Made by** casino-env {head["version"]} (rules version {head["rules_version"]}): `casino agents play {head["agent"]}
  --variant {head["variant"]} --players {head["players"]} --deals {counts["deals"]} --seed {seed}
  --playouts {head["playouts"]} --seconds {head["seconds"]:g}`. No person has played, and no data of others are in it.
- **Counts**: {counts["deals"]} deals with the seeds {seed} to {seed + counts["deals"] - 1}, {counts["rows"]} turns,
  {counts["turns"]} legal turns to choose from, {counts["solved"]} positions judged by the exact solver.
- **Licence**: MIT, as casino-env.

The first line says how it was made, with the rules and how to answer, by seat. Every other line is a turn:

| key | meaning |
| --- | --- |
{rows}
"""


_KEYS = {
    "`deal`, `seat`": "the seed, and who decides",
    "`told`": "what has moved since its last turn, and the table as this seat sees it: no more than it may know",
    "`legal`": "how many legal turns there are",
    "`turns`": f"the best {LISTED} of them and the one played: words, expected points more than others, half of the "
    "95 % interval of what it loses to the best one",
    "`by`": "who judged: `solver` (exact), `look-ahead` or `play-outs`",
    "`played`": "which of `turns`; one that goes on once its seat has seen a new card has a row for each part",
    "`points`": "of each seat at the end of the deal",
}
