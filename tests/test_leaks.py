"""Information leaks: games that differ only in hidden cards look the same to a seat."""

import numpy as np
import pytest

from casino_env import observe
from casino_env.drawing.scene import table_text
from casino_env.engine.state import GAME, SORTING
from casino_env.game import Game, unchecked_game
from casino_env.knowledge.layout import make_layout
from casino_env.rules import make_rules
from tests.hidden import encoded, twin_of
from tests.random_play import every_game, label, random_moments

MOMENTS = 60


def all_that_is_seen(game: Game, seat: int) -> dict[str, bytes | str]:
    seen = observe(game, seat)
    return {
        "view": seen.view.tobytes(),
        "vector": seen.vector.tobytes(),
        "universal": seen.encode(make_layout(game.rules, universal=True)).tobytes(),
        "mask": seen.mask.tobytes(),
    }


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_hidden_cards_change_nothing_that_a_seat_sees(rules):
    rng = np.random.default_rng(1)
    changed = 0
    for game in random_moments(rules, MOMENTS):
        seat = int(rng.integers(rules.players))
        twin = twin_of(game, seat, rng)
        changed += game.to_json() != twin.to_json()
        ours, theirs = all_that_is_seen(game, seat), all_that_is_seen(twin, seat)
        for what in ours:
            assert ours[what] == theirs[what], (what, seat, game.to_json(), twin.to_json())
    least = MOMENTS // 8 if rules.deck >= 40 else 0  # the mini games hide few cards
    assert changed > least, "the swaps must really change something"


def test_the_order_of_a_pile_is_laid_unseen():
    """Moments that differ only in the card just laid face down: to the other seats it is still in hand."""
    rules, rng, compared = make_rules("swazi", 2, pile_order="ask"), np.random.default_rng(4), 0
    for seed in range(30):
        game = Game(rules, seed=seed)
        while not game.over:
            choices = game.legal()
            if game.record["mode"] == SORTING and len(choices) > 2:
                compared += 1
                twins = [game.clone(), game.clone()]
                for twin, card in zip(twins, rng.choice(choices, 2, replace=False), strict=True):
                    twin.apply(int(card))
                ours, theirs = ({**all_that_is_seen(twin, 1 - game.seat), "text": table_text(twin, 1 - game.seat)}
                                for twin in twins)  # fmt: skip
                assert ours == theirs
            game.apply(int(rng.choice(choices)))
    assert compared > 50


def test_a_leak_would_be_found():
    """The full truth, encoded in the same layout, differs between such games."""
    rng = np.random.default_rng(2)
    differ = 0
    for game in random_moments(every_game()[0], 20):
        twin = twin_of(game, 0, rng)
        differ += truth(game) != truth(twin)
    assert differ > 5


def truth(game: Game) -> bytes:
    return encoded(game.records, game.rules).tobytes()


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_what_may_be_known_is_seen(rules):
    """If public cards change, the observation changes."""
    differ = total = 0
    for game in random_moments(rules, 20, seed=3):
        records = np.frombuffer(game.to_bytes(), GAME).copy()
        loose = int(records["layout"][0])
        mine = int(records["hands"][0][0])
        if not loose or not mine or game.over:
            continue
        a, b = loose & -loose, mine & -mine  # swap a loose card with one of my own
        records["layout"] ^= a | b
        records["hands"][0, 0] ^= a | b
        other = unchecked_game(records[0], rules)
        total += 1
        differ += observe(game, 0).vector.tobytes() != observe(other, 0).vector.tobytes()
    assert differ == total
