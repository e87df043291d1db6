"""Duplicate matches: fair, repeatable, the same with any number of hands, and kept in a file."""

from dataclasses import replace

import numpy as np
import pytest

from casino_env import Game, evaluate
from casino_env.agents.files import seal, unseal
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.scripted.scripted_agent import Scripted
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.evaluate.matches.books import Book, load_book, make_book, save_book
from casino_env.evaluate.matches.deals import read_deals, summed_up
from casino_env.evaluate.matches.duplicate import play_duplicate, seatings
from casino_env.evaluate.matches.match import PIECE, Contest, match, play_shown
from casino_env.evaluate.matches.pairing import AgentFailedError, Pairing
from casino_env.evaluate.matches.workers import Threads
from casino_env.rules import RULES_VERSION, make_rules
from tests.players import Lowest, LowestOfMany
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
    assert (
        len({long.digest(), short.digest(), other.digest()}) == 3 and short.digest() == make_book(rules, 10, 4).digest()
    )


def test_books_survive_the_disk(tmp_path):
    book = make_book(make_rules("swazi", 3, insist_capture="never"), 5, 7)
    save_book(book, tmp_path / "book.json")
    assert load_book(tmp_path / "book.json") == book


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seeds": [1, 2]}, "not those that were saved"),
        ({"seeds": []}, "at least 1 item"),
        ({"seeds": ["x"]}, "broken"),
        ({"rules": {"nothing": 1}}, "broken"),
        ({"book": 9}, "not a deal book"),
    ],
)
def test_damaged_books_are_refused(tmp_path, change, said):
    path = tmp_path / "book.json"
    save_book(make_book(make_rules("swazi", 2), 2), path)
    path.write_text(seal(unseal(path.read_text(), "") | change))
    with pytest.raises(ValueError, match=said):
        load_book(path)


# --- seats -----------------------------------------------------------------------------------------------------------


def test_everybody_sits_everywhere():
    assert seatings(make_rules("swazi", 2)).tolist() == [[0, 1], [1, 0]]
    assert seatings(make_rules("swazi", 3)).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert seatings(make_rules("khasino", 4)).tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    assert seatings(make_rules("swazi", 3), mirrored=True).tolist()[3:] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert len(seatings(make_rules("swazi", 2), mirrored=True)) == 2


def test_results_by_hand():
    """One deal of three players: a wins alone from seat 0, shares the lead in seat 1, loses in seat 2."""
    rows = seatings(make_rules("swazi", 3))
    points, winners = [[5, 2, 1], [4, 4, 0], [7, 0, 1]], [0, -2, 0]
    deals = summed_up(np.array([np.column_stack([points, winners])]), rows)
    assert (
        deals.diff == pytest.approx([1.0])
        and deals.win == pytest.approx([0.5])
        and deals.draw == pytest.approx([1 / 3])
    )
    for seat, share in ((0, 1 / 3), (1, 2 / 3)):  # who shares the lead may have won, if ties are broken
        deals = summed_up(np.array([np.column_stack([points, [0, seat, 0]])]), rows)
        assert deals.win == pytest.approx([share]) and deals.draw == 0


def test_a_level_top_is_won_by_the_ten_of_diamonds():
    """kasa for three: no game is drawn, unless nobody has captured; as other rules count ties, some are."""
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
    """One thread plays here, more play in processes."""
    pair = "search:sims=4", "greedy"
    assert plain(evaluate.match(*pair, deals=4, threads=1)) == plain(evaluate.match(*pair, deals=4, threads=2))


def test_a_match_may_end_by_the_clock():
    """With the deals that it has by then, whole pieces of them."""
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
    with pytest.raises(AgentFailedError, match="no copy for another seat"):
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


# --- the file --------------------------------------------------------------------------------------------------------


def play(path, deals, seed=0, pair=("greedy", "random")):
    contest = Contest(pair, make_book(make_rules("mini", 2), deals, seed), seed=seed, out=path)
    try:
        return len(list(contest.play(Threads(1)))), contest.deals
    finally:
        contest.close()


def test_a_file_is_taken_up(tmp_path):
    path, whole = tmp_path / "cut.jsonl", tmp_path / "whole.jsonl"
    assert play(path, 250)[0] == 1
    with path.open("a") as file:
        file.write('{"deal": 250, "di')  # what a kill leaves
    assert play(path, 600)[0] == 2
    assert play(whole, 600)[0] == 3
    assert path.read_bytes() == whole.read_bytes()
    assert play(path, 600)[0] == 0, "nothing is played twice"
    assert len(play(path, 100)[1]) == 100 and len(read_deals(path)[1]) == 600


@pytest.mark.parametrize("kept", [100, 137, 250])
def test_what_agents_draw_does_not_depend_on_where_a_file_was_cut(tmp_path, kept):
    """Those that decide in many games at once draw for 250 deals together, in the order of the games."""
    path, whole = tmp_path / "cut.jsonl", tmp_path / "whole.jsonl"
    play(whole, 300, pair=("random", "greedy"))
    path.write_text("".join(whole.read_text().splitlines(keepends=True)[: 1 + kept]))
    play(path, 300, pair=("random", "greedy"))
    assert path.read_bytes() == whole.read_bytes()


def test_a_file_that_was_killed_at_its_first_line_is_taken_up(tmp_path):
    path, whole = tmp_path / "cut.jsonl", tmp_path / "whole.jsonl"
    play(whole, 5)
    for length in (0, 1, 30):
        path.write_bytes(whole.read_bytes()[:length])
        play(path, 5)
        assert path.read_bytes() == whole.read_bytes()


def test_a_file_of_another_match_is_left_alone(tmp_path):
    path = tmp_path / "match.jsonl"
    play(path, 10)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="was played with seed = 0, not 1"):
        play(path, 20, seed=1)
    with pytest.raises(ValueError, match='a = "greedy", not "builder"'):
        play(path, 20, pair=("builder", "random"))
    assert path.read_bytes() == before


HEADER = {
    "a": "greedy", "b": "random", "variant": "mini", "players": 2, "rules": {}, "rules_version": RULES_VERSION,
    "seed": 0, "book": None, "mirrored": False, "weights": [None, None],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("notes of mine", "line 1: not written by this program"),
        ('{"a": "greedy", "b": "mine"}', "not written by this program, or the first line of something else"),
        ("[1]\n", "line 1: not written by this program"),
        ('{"deal": 0}\n', "line 1: not written by this program, or by an older version: it has no checksum"),
        (seal(HEADER | {"variant": "swazi"}) + "\n", "was played with variant = "),
        (seal(HEADER) + "\n" + seal({"deal": 0}) + "\n", "line 2: diff is missing"),
        (seal(HEADER | {"sead": 0}) + "\n", r"line 1: unknown key 'sead' \(did you mean 'seed'\?\)"),
        (seal({"a": "greedy", "B": "random"}) + "\n", r"line 1: b is missing"),
    ],
)
def test_other_files_are_left_alone(tmp_path, text, said):
    path = tmp_path / "match.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=said):
        play(path, 10)
    assert path.read_text() == text


def test_damage_is_found(tmp_path):
    path = tmp_path / "match.jsonl"
    play(path, 10)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3] + lines[4:]))
    with pytest.raises(ValueError, match=r"match.jsonl, line 4: must be deal 2"):
        play(path, 10)


def test_one_writer_at_a_time(tmp_path):
    contest = Contest(("greedy", "random"), make_book(make_rules("mini", 2), 5), out=tmp_path / "match.jsonl")
    with pytest.raises(ValueError, match="is being written by another process"):
        play(tmp_path / "match.jsonl", 5)
    contest.close()


def test_other_weights_are_other_agents(tmp_path):
    class Trained(Lowest):
        digest = "first"

    def contest():
        return Contest((Trained(), "greedy"), make_book(make_rules("mini", 2), 5), out=tmp_path / "match.jsonl")

    contest().close()
    contest().close()
    Trained.digest = "second"
    with pytest.raises(ValueError, match="weights"):
        contest()


def test_more_of_a_book_can_be_played(tmp_path):
    book = replace(make_book(make_rules("mini", 2), 5, 9), seed=0)
    for deals in (2, 5):
        contest = Contest(("greedy", "random"), book.first(deals), out=tmp_path / "match.jsonl")
        list(contest.play(Threads(1)))
        contest.close()
        assert len(contest.deals) == deals


def test_a_book_belongs_to_its_file(tmp_path):
    book = make_book(make_rules("mini", 2), 5)
    Contest(("greedy", "random"), book, out=tmp_path / "match.jsonl").close()
    with pytest.raises(ValueError, match="book"):
        Contest(("greedy", "random"), replace(book, seeds=(1, 2)), out=tmp_path / "match.jsonl")
