"""Duplicate matches: fair, reproducible with any number of threads or processes, and stored in a file."""

import os
import re
import shutil
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from casino_env import Game, evaluate
from casino_env.agents.base import ForfeitError
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.scripted.choosing import Scripted
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.evaluate.matches.deals import Book, PlayedDeals, make_book, summed_up
from casino_env.evaluate.matches.duplicate import play_duplicate, seatings
from casino_env.evaluate.matches.intervals import controlled
from casino_env.evaluate.matches.match import PIECE, Contest, match, play_shown
from casino_env.evaluate.matches.pairing import AgentFailedError, Pairing, blamed
from casino_env.evaluate.matches.workers import Processes, Threads
from casino_env.rules import make_rules
from tests.full_disks import full_disk
from tests.kept_deals import changed, rows_of
from tests.players import Lowest, LowestOfMany
from tests.refusals import refused
from tests.rogues import Holds
from tests.untrained import untrained

TABLES = [("south-african", 2), ("swazi", 3), ("khasino", 4), ("cassino", 4), ("mini", 2)]


def plain(result):
    return {key: value for key, value in result.to_json().items() if key != "seconds"}


# --- deals -----------------------------------------------------------------------------------------------------------


def test_a_longer_book_begins_with_the_shorter():
    rules = make_rules("swazi", 2)
    long, short, other = make_book(rules, 30, 4), make_book(rules, 10, 4), make_book(rules, 10, 5)
    assert long.seeds[:10] == short.seeds and not set(short.seeds) & set(other.seeds)


# --- seats -----------------------------------------------------------------------------------------------------------


def test_everybody_sits_everywhere():
    assert seatings(make_rules("swazi", 2)).tolist() == [[0, 1], [1, 0]]
    assert seatings(make_rules("swazi", 3)).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert seatings(make_rules("khasino", 4)).tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    assert seatings(make_rules("swazi", 3), mirrored=True).tolist()[3:] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert len(seatings(make_rules("swazi", 2), mirrored=True)) == 2


def test_results_by_hand():
    """One deal of three players: a wins alone in seat 0, shares the lead in seat 1, loses in seat 2."""
    rows = seatings(make_rules("swazi", 3))
    points, winners = [[5, 2, 1], [4, 4, 0], [7, 0, 1]], [0, -2, 0]
    deals = summed_up(np.array([np.column_stack([points, winners])]), rows)
    assert (
        deals.diff == pytest.approx([1.0])
        and deals.win == pytest.approx([0.5])
        and deals.draw == pytest.approx([1 / 3])
    )
    for seat, share in ((0, 1 / 3), (1, 2 / 3)):  # with a tie-break, one who shares the lead wins
        deals = summed_up(np.array([np.column_stack([points, [0, seat, 0]])]), rows)
        assert deals.win == pytest.approx([share]) and deals.draw == 0


def test_a_level_top_is_won_by_the_ten_of_diamonds():
    """kasa for three: no game is drawn unless nobody has captured; with shared ties some are."""
    broken = evaluate.match("greedy", "random", "kasa", 3, deals=60, seed=1)
    shared = evaluate.match("greedy", "random", "kasa", 3, deals=60, seed=1, tie_break="shared")
    assert broken.draw == 0 < shared.draw
    assert broken.diff == shared.diff and broken.win_a + broken.win_b == pytest.approx(1)


@pytest.mark.parametrize(("variant", "players"), TABLES)
@pytest.mark.parametrize("agent", ["counter", "random", "tests.players:Lowest", "tests.players:Drawing"])
def test_an_agent_against_itself_is_exactly_zero(agent, variant, players):
    result = evaluate.match(agent, agent, variant, players, deals=12, seed=2)
    assert (result.diff, result.low, result.high) == (0, 0, 0)
    assert result.games == 12 * (2 if variant == "khasino" else players)


@pytest.mark.parametrize(("variant", "players"), TABLES)
def test_what_one_wins_the_other_loses(variant, players):
    book = make_book(make_rules(variant, players), 12)
    there, back = (Contest(pair, book, mirrored=True) for pair in (("greedy", "random"), ("random", "greedy")))
    for contest in (there, back):
        list(contest.play(Threads(1)))
    assert there.deals.diff.tolist() == (-back.deals.diff).tolist()
    assert there.deals.win == pytest.approx(1 - back.deals.win)


def test_a_network_against_itself_is_exactly_zero():
    agent = Policy(untrained(make_rules("mini", 2)), temperature=1.0)
    result = evaluate.match(agent, agent, agent.weights.rules, deals=300, threads=2)
    assert (result.diff, result.low, result.high) == (0, 0, 0) and 0 < result.draw < 1


@pytest.mark.parametrize(("variant", "players"), TABLES)
def test_batches_play_what_single_games_play(variant, players):
    rules = make_rules(variant, players)
    seeds = list(make_book(rules, 6).seeds)
    rows = seatings(rules)
    by_one, at_once = (
        play_duplicate(Pairing.of(rules, (agent, agent), rows), seeds).tolist() for agent in (Lowest(), LowestOfMany())
    )
    assert by_one == at_once


def test_the_deals_are_those_of_the_game():
    rules = make_rules("swazi", 2)
    seeds = list(make_book(rules, 3).seeds)
    games = Batch(rules, 3, Options())
    games.deal(seeds)
    assert [games.records[i]["hands"].tolist() for i in range(3)] == [
        Game(rules, seed=seed).record["hands"].tolist() for seed in seeds
    ]


# --- the call --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_threads_change_nothing():
    results = [evaluate.match("counter", "builder", "swazi", 3, deals=600, seed=8, threads=n) for n in (1, 2, 3)]
    assert plain(results[0]) == plain(results[1]) == plain(results[2])
    assert results[0].by_deal.diff.tolist() == results[2].by_deal.diff.tolist()


@pytest.mark.slow
def test_processes_change_nothing():
    """With threads=1 the match runs in this process, with more in worker processes."""
    pair = "search:sims=4", "greedy"
    assert plain(evaluate.match(*pair, deals=4, threads=1)) == plain(evaluate.match(*pair, deals=4, threads=2))


@pytest.mark.parametrize(
    ("agent", "kind"), [("search:sims=4", Processes), ("counter", Threads), (Lowest(), Threads)], ids=range(3)
)
def test_agents_that_decide_one_by_one_play_in_processes(agent, kind, monkeypatch):
    """Those that exist only here do not, and nobody does with threads=1."""
    with Contest((agent, "greedy"), make_book(make_rules("mini"), 1)) as contest, contest.workers(2) as workers:
        assert type(workers) is kind
    monkeypatch.delattr(Processes, "__init__")
    monkeypatch.delattr(Processes, "_play_piece")
    assert evaluate.match(agent, "greedy", "mini", deals=1, threads=1).deals == 1


def test_a_match_may_end_by_the_clock():
    """It then has the deals played so far, in whole pieces."""
    with Contest(("greedy", "random"), make_book(make_rules("mini"), 2000, 0)) as contest, Threads(1) as workers:
        play_shown(contest, workers, seconds=1e-9)
    found = contest.result()
    assert found.deals == PIECE
    assert found.diff == match("greedy", "random", "mini", deals=PIECE).diff


def test_seeds_matter():
    first, again, other = (evaluate.match("counter", "greedy", deals=40, seed=seed) for seed in (1, 1, 2))
    assert plain(first) == plain(again) and first.diff != other.diff


def test_objects_play_as_their_names():
    named = evaluate.match("counter", "greedy", deals=20, seed=1)
    objects = evaluate.match(Scripted("counter"), Scripted("greedy"), deals=20, seed=1, threads=2)
    assert (objects.diff, objects.a) == (named.diff, "Scripted")


def test_agents_that_cannot_be_copied():
    result = evaluate.match("tests.rogues:Holds", "tests.rogues:Holds", deals=2)
    assert result.diff == 0.0
    with pytest.raises(AgentFailedError, match="cannot be copied for another seat"):
        evaluate.match(Holds(), "random", deals=2)


def test_rules_can_be_changed():
    result = evaluate.match("greedy", "random", "swazi", 2, deals=10, insist_capture="never")
    assert result.rules == {"insist_capture": "never"}
    with pytest.raises(ValueError, match="unknown rule"):
        evaluate.match("greedy", "random", deals=10, nonsense=1)


def test_a_book_of_ones_own():
    book = Book(make_rules("swazi", 2), 0, (11, 12, 13))
    result = evaluate.match("greedy", "random", book=book)
    assert (result.deals, result.variant) == (3, "swazi")
    with refused("book: has its own game and deals"):
        evaluate.match("greedy", "random", book=book, insist_capture="never")
    with refused("deals = 1.5; it must be a whole number from 1 to"):
        evaluate.match("greedy", "random", deals=1.5)  # type: ignore[arg-type]


# --- the file --------------------------------------------------------------------------------------------------------


def play(path, deals, seed=0, pair=("greedy", "random")):
    with Contest(pair, make_book(make_rules("mini", 2), deals, seed), seed=seed, out=path) as contest:
        return len(list(contest.play(Threads(1)))), contest.deals


def test_a_file_is_taken_up(tmp_path):
    path, whole = tmp_path / "cut.sqlite", tmp_path / "whole.sqlite"
    assert play(path, 250)[0] == 1
    assert play(path, 600)[0] == 2
    assert play(whole, 600)[0] == 3
    assert rows_of(path) == rows_of(whole)
    assert play(path, 600)[0] == 0, "nothing is played twice"
    assert len(play(path, 100)[1]) == 100 and len(rows_of(path)[1]) == 600


@pytest.mark.parametrize("kept", [100, 137, 250])
def test_what_agents_draw_does_not_depend_on_where_a_file_was_cut(tmp_path, kept):
    """Agents that decide in many games at once draw for 250 deals together, in the order of the games."""
    path, whole = tmp_path / "cut.sqlite", tmp_path / "whole.sqlite"
    play(whole, 300, pair=("random", "greedy"))
    shutil.copy(whole, path)
    changed(path, f"DELETE FROM deals WHERE number >= {kept}")
    play(path, 300, pair=("random", "greedy"))
    assert rows_of(path) == rows_of(whole)


def test_the_rows_say_which_deal_they_are(tmp_path):
    """Each row has its deal's seed, which reproduces the cards."""
    _, deals = play(tmp_path / "match.sqlite", 3)
    rows = rows_of(tmp_path / "match.sqlite")[1]
    assert [row[2:4] for row in rows] == [*enumerate(make_book(make_rules("mini"), 3).seeds)]
    assert [row[4] for row in rows] == deals.diff.tolist()


@pytest.mark.parametrize(
    ("deals", "change", "said"),
    [
        (20, {"seed": 1}, "was played with seed = 0, not 1"),
        (20, {"pair": ("builder", "random")}, "holds greedy - random, not builder - random"),
    ],
)
def test_a_file_of_another_match_is_left_alone(tmp_path, deals, change, said):
    path = tmp_path / "match.sqlite"
    play(path, 10)
    before = path.read_bytes()
    with refused(f"{path}: {said}", ValueError):
        play(path, deals, **change)
    assert path.read_bytes() == before


def test_other_files_are_left_alone(tmp_path):
    path, foreign = tmp_path / "notes", tmp_path / "foreign.sqlite"
    path.write_text("notes of mine")
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE deals (mine)")
    for file, said in ((path, "file is not a database"), (foreign, "written by another program")):
        before = file.read_bytes()
        with refused(f"{file}: {said}", ValueError):
            play(file, 10)
        assert file.read_bytes() == before
    os.mkfifo(tmp_path / "pipe")
    with refused("pipe: is a device, not a file", ValueError):
        play(tmp_path / "pipe", 10)


def test_missing_deals_are_found(tmp_path):
    path = tmp_path / "match.sqlite"
    play(path, 10)
    changed(path, "DELETE FROM deals WHERE number = 2")
    with refused("match.sqlite: deals are missing; delete it", ValueError):
        play(path, 10)


def test_one_writer_at_a_time(tmp_path):
    path = tmp_path / "match.sqlite"
    with Contest(("greedy", "random"), make_book(make_rules("mini", 2), 5), out=path) as contest:
        for _ in range(2):
            with refused("match.sqlite: another process is writing it", ValueError):
                play(path, 5)
            list(contest.play(Threads(1)))
        assert len(rows_of(path)[1]) == 5, "others may read"
    play(path, 5)


def test_a_full_disk_loses_nothing(tmp_path):
    path = tmp_path / "match.sqlite"
    play(path, 250)
    with full_disk(path.stat().st_size + 1000), pytest.raises(OSError, match=r"match.sqlite: d.*(full|I/O error)"):
        play(path, 5000)
    assert len(rows_of(path)[1]) % 250 == 0
    play(path, 1000)
    play(tmp_path / "whole.sqlite", 1000)
    assert rows_of(path) == rows_of(tmp_path / "whole.sqlite")


def test_other_weights_are_other_agents(tmp_path):
    class Trained(Lowest):
        digest = "first"

    def contest():
        return Contest((Trained(), "greedy"), make_book(make_rules("mini", 2), 5), out=tmp_path / "match.sqlite")

    contest().close()
    contest().close()
    Trained.digest = "second"
    with pytest.raises(ValueError, match="weights"):
        contest()


def test_who_gives_up_is_not_to_blame():
    for error, passes_as in ((ForfeitError("enough"), ForfeitError), (ValueError("no"), AgentFailedError)):
        with pytest.raises(passes_as), blamed("somebody"):
            raise error


def test_a_judge_is_worth_deals_however_little_they_differ():
    result, none = match("greedy", "random", "mini", deals=4), np.zeros(4)
    diff, luck = np.array([0.0, 0.0, 0.5, 0.5]), np.array([-0.2, -0.2, 0.2, 0.2])
    judged = replace(result, by_deal=PlayedDeals(diff, none, none, luck))
    assert judged.worth == pytest.approx(np.var(diff) / np.var(controlled(diff, luck))) and judged.worth > 1
    assert replace(result, by_deal=PlayedDeals(none, none, none)).worth == 1


def test_a_notebook_shows_a_result_as_a_table():
    result = match("greedy", "random", "mini", deals=4)
    cells = re.findall("<td>(.*?)</td>", replace(result, a="<b>")._repr_html_())
    assert cells[0] == "&lt;b&gt; over random" and cells[2] == f"{result.diff:+.2f}" and cells[5] == "4"
    assert re.findall("<td>(.*?)</td>", match("greedy", "random", "mini", deals=1)._repr_html_())[3] == "-"
