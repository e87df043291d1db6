"""Counts of the style of a deal: the same as by the text of its turns, with sums that agree."""

import json
import re

import numpy as np
import pytest

from casino_env.actions import BUILD, CAPTURE, DISCARD, END, RAISE
from casino_env.cards import parse_card
from casino_env.engine.state import GAME
from casino_env.evaluate.cli import main
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.style import (
    COLUMNS,
    LONGEST,
    PLAYS,
    TALLIES,
    WIDTH,
    Watched,
    _numbers,
    counted,
    follow,
    ratio,
    style,
)
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import make_rules
from casino_env.turns import turn_text
from tests.players import Highest, Lowest
from tests.situations import position

GAMES = [
    ("swazi", 2), ("swazi", 3), ("sotho", 4), ("south-african", 2), ("khasino", 4), ("african", 4), ("cassino", 3),
    ("partnership", 4), ("draw", 2), ("triple-s", 2), ("stealing-bundles", 3), ("mini", 2),
]  # fmt: skip


def counts_of(variant, players, agent, deals=12, against=None):
    book = make_book(make_rules(variant, players), deals, 5)
    parts = list(counted(book, agent, against))
    return book, np.concatenate([counts for counts, _ in parts]), np.concatenate([mine for _, mine in parts])


def column(counts, part, name=None):
    start, stop = COLUMNS[part]
    if name is None:
        return counts[:, :, start:stop]
    return counts[:, :, start + (TALLIES if part == "tallies" else PLAYS).index(name)]


@pytest.mark.parametrize(("variant", "players"), GAMES)
@pytest.mark.parametrize("agent", ["random", "counter"])
def test_what_has_to_add_up(variant, players, agent):
    book, counts, _ = counts_of(variant, players, agent)
    tally = {name: column(counts, "tallies", name) for name in TALLIES}
    sides = [[seat for seat in range(players) if book.rules.side(seat) == side] for side in range(book.rules.sides)]
    for side in sides:
        came = column(counts, "times", "build")[:, side] + tally["won over"][:, side]
        went = sum(tally[name][:, side] for name in ("cashed", "lost", "merged", "left"))
        assert (came.sum(axis=1) == went.sum(axis=1)).all()
    assert (tally["lost"].sum(axis=1) >= tally["won over"].sum(axis=1)).all()
    assert (column(counts, "when").sum(axis=2) == column(counts, "times", "capture")).all()
    assert (column(counts, "turns_with") <= column(counts, "times")).all()
    assert (column(counts, "turns_with") <= tally["turns"][:, :, None]).all()
    robbed = tally["robbed cards"][:, :2] if book.rules.shared_pile else tally["robbed cards"]
    assert (tally["stolen cards"].sum(axis=1) == robbed.sum(axis=1)).all()
    assert tally["turns"].max() <= LONGEST or players == 2


@pytest.mark.parametrize(
    ("variant", "players"), [("swazi", 2), ("sotho", 3), ("south-african", 3), ("cassino", 2), ("african", 2)]
)
def test_the_same_as_the_words_of_the_turns(variant, players):
    """Replay the deals one action at a time and count in the text of the turns."""
    book, counts, _ = counts_of(variant, players, "tests.players:Lowest", deals=8)
    for number, seed in enumerate(book.seeds):
        wanted = _from_words(book.rules, seed)
        found = {
            play: column(counts, "times", play)[number].tolist() for play in ("capture", "build", "raise", "discard")
        }
        found |= {
            name: column(counts, "tallies", name)[number].tolist() for name in ("turns", "decisions", "stolen cards")
        }
        found["points"] = column(counts, "points")[number].sum(axis=1).tolist()
        assert found == wanted, seed


def _from_words(rules, seed):
    names = ("capture", "build", "raise", "discard", "turns", "decisions", "stolen cards")
    found = {name: [0] * rules.players for name in names}
    game = _played(rules, seed, Lowest(), found["decisions"])
    for seat, words, actions, _ in _turns(game, Game(rules, seed=seed, skip_forced=False)):
        found["turns"][seat] += 1
        found["capture"][seat] += sum(CAPTURE <= action < BUILD for action in actions)
        found["discard"][seat] += sum(DISCARD <= action < CAPTURE for action in actions)
        found["raise"][seat] += sum(RAISE <= action < END for action in actions)
        found["build"][seat] += len(_new_builds(words))
        found["stolen cards"][seat] += words.count("(pile ")
    return found | {"points": game.scores()}


def _played(rules, seed, player, decisions=None):
    game = Game(rules, seed=seed)
    while not game.over:
        if decisions is not None:
            decisions[game.seat] += 1
        game.apply(player.act(observe(game)))
    return game


def _new_builds(words):
    """Return the values of the builds that a turn made, without builds that were only raised to their value."""
    return [int(value) for value in re.findall(r"build (\d+) =", re.sub(r"to (\d+); build \1 =", "", words))]


def _turns(game, start):
    """Return (seat, text, actions, the game before) of each turn."""
    turns: list[tuple] = []
    for seat, action, begins in game.log:
        if begins:
            turns.append((seat, start.clone(), []))
        turns[-1][2].append(action)
        start.apply(action)
    return [(seat, turn_text(here.records, here.rules_record, actions), actions, here) for seat, here, actions in turns]


@pytest.mark.parametrize(
    ("data", "tallies"),
    [
        (position("cassino", ["8S 8C 2H", "3S"], builds=[(8, 1, "5C 3D")]), {"won over": [1, 0], "lost": [0, 1]}),
        (position("swazi", ["8S 8C 2H", "3S"], builds=[(8, 0, "5C 3D")]), {"drifts": [1, 0]}),
    ],
)  # fmt: skip
def test_a_card_laid_on_a_build_of_its_rank(data, tallies):
    """It wins the build over, or it delays the capture."""
    game = Game.from_json(data, skip_forced=False)
    counts, flags = np.zeros((1, 2, WIDTH), np.int16), np.zeros((1, 1), np.int64)
    watched = Watched(game.records.copy(), game.rules.record, counts, flags, np.zeros(1, GAME))
    for action in (BUILD + 8 - 1, parse_card("8S")):
        follow(watched, np.array([action]))
    for name, some in ({"decisions": [2, 0], "drifts": [0, 0]} | tallies).items():
        assert column(counts, "tallies", name).tolist() == [some]


def test_many_games_at_once_count_the_same():
    for variant, players in (("swazi", 3), ("cassino", 2)):
        _, alone, _ = counts_of(variant, players, "tests.players:Lowest", deals=5)
        _, many, _ = counts_of(variant, players, "tests.players:LowestOfMany", deals=5)
        assert (alone == many).all()


def test_each_side_in_turn_against_another():
    book, _, mine = counts_of("khasino", 4, "counter", deals=4, against="random")
    assert mine.tolist() == [[True, False] * 2, [False, True] * 2] * 2
    found = style(book, "counter", "random")
    assert found["seats"] == 2 and found["total"]["mean"] > style(book, "random", "counter")["total"]["mean"]


@pytest.mark.parametrize(("variant", "players"), [("khasino", 2), ("khasino", 4), ("swazi", 2)])
def test_drifts_and_values_of_builds(variant, players):
    """Replay the deals. A card laid on an own build of its rank reads "add to 8 = 8S*"; an ace has the rank of a 14."""
    book, counts, _ = counts_of(variant, players, "tests.players:Highest", deals=40)
    wanted = []
    for seed in book.seeds:
        game = _played(book.rules, seed, Highest())
        found = {"drifts": [0] * players, "value": [0] * players}
        for seat, words, _, here in _turns(game, Game(book.rules, seed=seed, skip_forced=False)):
            found["drifts"][seat] += drifts(words, own_builds(here, book.rules))
            found["value"][seat] += sum(_new_builds(words))
        wanted.append(found)
    for name in ("drifts", "value"):
        assert column(counts, "tallies", name).tolist() == [found[name] for found in wanted]
    assert column(counts, "tallies", "drifts").sum() > 0


def drifts(words, mine):
    """Count the drifts in the text of a turn. mine: the values of the builds that the seat's side owns."""
    count = 0
    for play in re.sub(r"(raise the \d+; to \d+); add to", r"\1 with", words).split("; "):
        found = re.match(r"(build|add to) (\d+) = (.*)", play)
        if found:
            value, cards = int(found[2]), found[3]
            if found[1] == "add to" and value in mine:
                count += bool(re.search("_A23456789TJQKA"[value] + r"\w\*", cards))
            if found[1] == "add to" or "+" in cards:  # else a lone base: the next set makes it a build
                mine = mine | {value}
    return count


def own_builds(game, rules):
    builds = game.to_json()["builds"]
    return {build["value"] for build in builds if rules.side(build["owner"]) == rules.side(game.seat)}


def test_a_ratio_and_its_interval():
    part, whole = np.array([1.0, 2.0, 3.0, 2.0]), np.array([4.0, 4.0, 4.0, 4.0])
    found = ratio(part, whole)
    error = 1.96 * part.std(ddof=1) / 2 / 4
    assert found["mean"] == 0.5
    assert found["high"] - 0.5 == pytest.approx(error, abs=1e-4)
    assert ratio(part, 0 * whole)["mean"] == 0.0


def test_what_becomes_of_builds_is_a_share_of_all_that_were_owned():
    """Three made and one won over: two of the four were cashed, one was lost, one is left."""
    by_deal = np.zeros((2, WIDTH), np.int64)
    by_deal[:, COLUMNS["times"][0] + PLAYS.index("build")] = 3
    for name, count in (("won over", 1), ("cashed", 2), ("lost", 1), ("left", 1)):
        by_deal[:, COLUMNS["tallies"][0] + TALLIES.index(name)] = count
    found = {name: row["mean"] for name, row in _numbers(by_deal, seats=2)["builds"].items()}
    assert (found["made"], found["won over"]) == (1.5, 0.5)
    assert [found[name] for name in ("cashed", "lost", "merged", "left")] == [0.5, 0.25, 0, 0.25]


def test_the_command(capsys):
    words = ["style", "greedy", "--variant", "swazi", "--deals", "20", "--seed", "2"]
    assert main([*words, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*words, "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert first | {"seconds": 0} == second | {"seconds": 0}
    assert sum(first["captures by turn"]) == pytest.approx(1, abs=1e-3)
    assert first["total"]["mean"] == pytest.approx(sum(item["mean"] for item in first["points"].values()), abs=1e-3)
    assert main(words) == 0
    assert "share of turns with" in capsys.readouterr().out
