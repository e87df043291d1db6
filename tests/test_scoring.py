"""Points of a deal and the end of a match, as the rules state them."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from casino_env.game import Game
from casino_env.rules import Rules, make_rules
from tests.random_play import GAMES, every_game, played_out
from tests.situations import position, results, scores

SPADES = [rank + "S" for rank in "A23456789TJQK"]


def test_last_capture_takes_the_layout() -> None:  # R72, R87
    data = position("swazi", ["", "", ""], layout="4C QH", piles=["", "9H 9S", ""], last_capture=1)
    assert sorted(Game.from_json(data).to_json()["piles"][1]) == ["4C", "9H", "9S", "QH"]
    nobody = position("swazi", ["", "", ""], layout="4C QH")
    assert Game.from_json(nobody).to_json()["layout"] == ["4C", "QH"]


def test_swazi_points() -> None:
    row = scores("swazi", ["2S TD AS 5C", "AH AD AC", ""])
    assert row["little two"] == [1, 0, 0] and row["big ten"] == [2, 0, 0]
    assert row["ace of spades"] == [1, 0, 0] and row["ace of hearts"] == [0, 1, 0]
    assert row["cards"] == [2, 0, 0] and row["spades"] == [2, 0, 0]


def test_ties_give_one_each() -> None:  # R90
    row = scores("swazi", ["3S 5C", "4S 6C", "5S 7C"])
    assert row["cards"] == [1, 1, 1] and row["spades"] == [1, 1, 1]
    assert scores("swazi", ["3H", "4C", ""])["spades"] == [0, 0, 0]  # all have zero spades: no points


def test_khasino_points() -> None:  # R92
    hearts = " ".join(rank + "H" for rank in "23456789T")
    row = scores("khasino", ["3S 4S 5S 6S 7S 8S " + hearts[:11], "2S 9S TS TC 2C 3C 4C 5C 6C 7C"])
    assert row["cards"] == [1, 1] and row["spades"] == [2, 0]
    assert "cards" not in scores("khasino", ["3S", "", ""])
    assert "cards" not in scores("khasino", ["3S", "", "", ""], rules={"partners": False})
    assert "cards" in scores("khasino", ["3S", "", "", ""], rules={"partners": True})
    assert sum(sum(row) for row in scores("khasino", ["2S TD AS AH AD AC", "", ""]).values()) == 7


_POINT_CARDS = "TD 2S AS AH AD AC"


def totals(row: dict[str, list[int]]) -> list[int]:
    return [sum(points) for points in zip(*row.values(), strict=True)]


def test_all_point_cards_on_one_side_are_eleven_to_nothing() -> None:  # C44
    rest = "3S 4S 5S 6S 7S 8S 9S TS 3H 4H 5H 6H 7H 8H 9H"  # more cards and more spades
    assert totals(scores("kasa", [_POINT_CARDS, rest])) == [11, 0]
    assert totals(scores("kasa", [_POINT_CARDS, rest], rules={"shutout": False})) == [7, 4]
    assert totals(scores("kasa", [_POINT_CARDS.replace("AC", "3D"), rest + " AC"])) == [6, 5]
    assert totals(scores("kasa", ["TD", "3S 4H"])) == [6, 0]
    assert totals(scores("kasa", ["3S", "4S"])) == [2, 2]  # nobody has a point card: cards and spades count as usual


def test_the_point_cards_of_partners_count_together() -> None:  # C44: sides, not seats
    rest = ["3S 4S 5S 6S 7S 8S 9S", "TS 3H 4H 5H"]
    assert totals(scores("kasa", ["TD 2S AS", rest[0], "AH AD AC", rest[1]])) == [11, 0, 11, 0]
    assert totals(scores("kasa", ["TD 2S AS", rest[0] + " AC", "AH AD", rest[1]])) == [6, 5, 6, 5]
    alone = {"partners": False}
    assert totals(scores("kasa", [_POINT_CARDS, *rest, ""], rules=alone)) == [7, 0, 0, 0]
    assert totals(scores("kasa", [_POINT_CARDS, *rest])) == [7, 0, 0]


def winner(piles: list[str], **rules: Any) -> int | None:
    return Game.from_json(position("kasa", ["" for _ in piles], piles=piles, rules=rules)).winner


def test_the_ten_of_diamonds_breaks_ties() -> None:  # C45
    assert winner(["AS AH AD", "TD AC", "2S"]) == 1  # 3 : 3 : 1
    assert winner(["AS AH AD", "TD AC", "2S"], tie_break="shared") is None
    assert winner(["AS AH", "2S AD", "AC", "TD"], partners=False) == 3  # 2 : 2 : 1 : 2
    assert winner(["TD AS", "2S AH AD AC", ""]) == 1  # 3 : 4 is no tie
    assert winner(["", "", ""]) is None
    assert winner(["3S", "4H", ""]) is None  # a tie, and nobody has the ten


def match_of(games: int, players: int = 2, seed: int = 0, **rules: Any) -> tuple[Game, list[int | None], list[int]]:
    """Play a match at random; return (the game, who won each of its games, who led them)."""
    game = Game("kasa", players, seed=seed, match=True, match_games=games, **rules)
    rng, winners, leaders = random.Random(seed), list[int | None](), [int(game.record["leader"])]
    while not game.over:
        before, done = list(game.record["match_score"]), int(game.record["deals"])
        game.apply(rng.choice(game.legal()))
        if game.record["deals"] > done:
            won = [side for side, score in enumerate(game.record["match_score"]) if score > before[side]]
            assert len(won) <= 1
            winners.append(won[0] if won else None)
            leaders.append(int(game.record["leader"]))
    return game, winners, leaders


@pytest.mark.parametrize(("games", "players"), [(1, 2), (3, 2), (5, 2), (3, 3), (5, 4)])
def test_a_match_is_won_by_games(games: int, players: int) -> None:  # C46
    lengths = set()
    for seed in range(8):
        game, winners, _ = match_of(games, players, seed)
        needed = games // 2 + 1
        assert game.winner is not None and winners.count(game.winner) == needed and winners[-1] == game.winner
        assert all(winners.count(side) < needed for side in range(game.rules.sides) if side != game.winner)
        assert list(game.record["match_score"][: game.rules.sides]) == [
            winners.count(side) for side in range(game.rules.sides)
        ]
        assert Game.from_json(game.to_json()).winner == game.winner
        lengths.add(len(winners))
    assert games == 1 or len(lengths) > 1


def test_a_game_without_a_winner_is_played_again() -> None:
    found = [match_of(1, 3, seed, tie_break="shared")[1] for seed in range(40)]
    assert any(None in winners for winners in found)
    assert all(winners[-1] is not None and set(winners[:-1]) <= {None} for winners in found)


def test_who_leads_is_drawn_for_every_game() -> None:  # C03
    pairs = {pair for seed in range(20) for pair in itertools.pairwise(match_of(5, 3, seed)[2][:-1])}
    assert pairs == {(before, after) for before in range(3) for after in range(3)}
    assert match_of(5, 3, 7)[2] == match_of(5, 3, 7)[2]


def test_south_african_five_spades_for_each() -> None:  # R91
    five = " ".join(SPADES[2:7])
    other = " ".join([*SPADES[7:10], "AS", "2S"])
    assert scores("south-african", [five, other])["five spades"] == [1, 1]
    assert scores("south-african", [five[:-3], other])["five spades"] == [0, 1]


def test_african_big_ten_is_the_spade() -> None:  # R93
    assert scores("african", ["TS", "TD", ""])["big ten"] == [2, 0, 0]
    assert scores("african", ["TS", "TD", ""], rules={"big_ten": "TD"})["big ten"] == [0, 2, 0]


def test_spade_cassino() -> None:  # R94
    row = scores("spade", ["2S JS AS 5S", "KD"])
    names = ("little two", "jack of spades", "ace of spades", "other spades")
    assert [row[name][0] for name in names] == [2, 2, 2, 1]
    everything = scores("spade", [" ".join([*SPADES, "TD", "AH", "AD", "AC"]), "KD"])
    assert sum(row[0] for row in everything.values()) == 25


def test_cassino_ties_score_nothing() -> None:  # R97
    assert scores("cassino", ["3S 4H", "5S 6H"])["cards"] == [0, 0]
    assert scores("cassino", ["3S", ""])["cards"] == [3, 0]
    row = scores("cassino", [" ".join(SPADES[:5]), " ".join(SPADES[5:10]), " ".join(SPADES[10:])])
    assert row["spades"] == [0, 0, 0]


def test_sweeps() -> None:  # R95
    data = position("cassino", ["8S 2C", "AS AH"], layout="5C 3H", rules={"sweeps": True}, piles=["", ""])
    swept = [after for after in results(data) if "8S" in after["piles"][0]]
    assert swept[0]["sweeps"] == [1, 0]
    data = position("cassino", ["8S", ""], layout="5C 3H KD", rules={"sweeps": True}, last_capture=0)
    assert all("sweeps" not in after for after in results(data))  # taking the leftover cards is no sweep


@pytest.mark.parametrize("variant", ["swazi", "sotho", "south-african", "khasino", "triple-s", "california"])
def test_sweeps_are_ruled_out(variant: str) -> None:
    with pytest.raises(ValueError, match="sweeps"):
        make_rules(variant, 2, sweeps=True)


def finish(variant: str, piles: list[str], score: list[int], **rules: Any) -> Game:
    """Play a match until its deal ends, with the next card."""
    data = position(variant, ["3C", *["" for _ in piles[1:]]], piles=piles, match_score=score, rules=rules)
    game = Game.from_json(data, skip_forced=False)
    game.record["match"] = 1
    while game.record["deals"] == 0:
        game.apply(game.legal()[0])
    return game


def test_counting_order_decides() -> None:  # R96
    game = finish("cassino", ["KD KH KC QD QH", "3S TD KS"], [18, 19])
    assert game.winner == 0  # cards come before spades and the big ten, although 22 beats 21
    assert list(game.record["match_score"][:2]) == [21, 22]
    game = finish("cassino", ["AS", "KD"], [0, 0], target=1, cards_points=0, spades_points=0)
    assert game.winner == 0 and list(game.record["match_score"][:2]) == [1, 0]


def test_african_counts_the_two_before_the_ten() -> None:
    piles = ["2S KD", "TS QD", "JD"]
    assert finish("african", piles, [8, 8, 0]).winner == 0  # 9 and 9 with cards, 10 and 10 with spades, then the 2
    assert finish("cassino", ["2S KD", "TD QS"], [20, 19]).winner == 1


def test_a_tie_at_the_target_plays_on() -> None:
    game = finish("triple-s", ["2S KD AH", "AS AD QD"], [20, 19], cards_points=0, spades_points=0)
    assert game.record["match_score"][0] == 22 and game.winner == 0
    game = finish("triple-s", ["2S KD AH", "AS AD QD"], [20, 20], cards_points=0, spades_points=0)
    assert not game.over and game.record["deals"] == 1
    game = finish("cassino", ["KD", "QD"], [21, 21])
    assert not game.over and game.winner is None
    assert [int(game.record[name]) for name in ("laid_next", "starts", "turns")] == [4, 0, 0], "the next deal"


def test_california_ends_after_two_deals_each() -> None:  # R86
    assert played_out(Game("california", 2, seed=1, match=True)).record["deals"] == 4


def test_the_loser_leads_in_south_african() -> None:  # R83
    for seed in range(12):
        game = Game("south-african", 3, seed=seed, match=True, target=100)
        leader = int(game.record["leader"])
        rng = np.random.default_rng(seed)
        while game.record["deals"] == 0:
            game.apply(int(rng.choice(game.legal())))
        points = list(game.record["deal_points"][:3])
        losers = [seat for seat in range(3) if points[seat] == min(points)]
        expected = losers[0] if len(losers) == 1 else (leader + 1) % 3
        assert game.record["leader"] == expected


def test_all_points_are_dealt_out() -> None:
    """In random deals of every game single cards score only for their holders, majorities for the leaders."""
    for name, players in GAMES:
        check_points(played_out(Game(name, players, seed=players)))


def check_points(game: Game) -> None:
    rules: Rules = game.rules
    row = game.breakdown()
    piles = game.to_json()["piles"]
    sides = [[card for seat in range(rules.players) if rules.side(seat) == side for card in piles[seat]]
             for side in range(rules.sides)]  # fmt: skip
    for name, counts in (("cards", [len(s) for s in sides]), ("spades", [sum(c[1] == "S" for c in s) for s in sides])):
        points = getattr(rules, f"{name}_points")
        if not points:
            assert name not in row
            continue
        leaders = [side for side, count in enumerate(counts) if count == max(counts) and count > 0]
        holders = [side for side, held in enumerate(sides) if {rules.big_ten, "2S", "AS", "AH", "AD", "AC"} & set(held)]
        if rules.shutout and len(holders) == 1:
            leaders = holders
        each = points if len(leaders) == 1 else (1 if rules.ties == "one_each" else 0)
        assert row[name][: rules.sides] == [each if side in leaders else 0 for side in range(rules.sides)]
    for category, card in (("big ten", rules.big_ten), ("little two", "2S"), ("ace of clubs", "AC")):
        for side, held in enumerate(sides):
            if category in row and card not in held:
                assert row[category][side] == 0
    assert game.scores() == [sum(points[seat] for points in row.values()) for seat in range(rules.players)]


@pytest.mark.parametrize("rules", every_game(), ids=lambda rules: f"{rules.name}-{rules.players}")
def test_a_single_deal_is_won_by_most_points(rules: Rules) -> None:
    for seed in range(6):
        game = played_out(Game(rules, seed=seed), seed)
        if any(game.record["hands"]):
            continue  # a player has counted out
        points = game.scores()[: rules.sides]
        best = [side for side, number in enumerate(points) if number == max(points)]
        if rules.tie_break == "big_ten":
            piles = game.to_json()["piles"]
            best = [side for side in best if rules.big_ten in piles[side]] or best
        assert game.winner == (best[0] if len(best) == 1 else None)
        again = Game.from_json(game.to_json())
        assert again.winner == game.winner and again.to_json() == game.to_json()
        assert Game.from_bytes(game.to_bytes(), rules).winner == game.winner
