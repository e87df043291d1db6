"""Drawings: whole, readable as data, and free of everything that a seat may not know."""

import itertools
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from pettingzoo.test import render_test

from casino_env import Game, env, raw_env
from casino_env.cards import card_name
from casino_env.drawing.picture import (
    HEIGHT,
    PAPER,
    RENDER_MODES,
    SEATS,
    WIDTH,
    Poly,
    Rect,
    Text,
    picture,
    table_rgb,
    table_svg,
)
from casino_env.drawing.scene import make_scene, table_text
from casino_env.extras import install_command
from tests.environments import play
from tests.hidden import twin_of
from tests.random_play import every_game, label, played_out, random_moments
from tests.refusals import refused
from tests.situations import position


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_hidden_cards_change_nothing_that_is_drawn(rules):
    rng = np.random.default_rng(3)
    for game in random_moments(rules, 25, seed=4):
        seat = int(rng.integers(rules.players))
        twin = twin_of(game, seat, rng)
        assert table_text(game, seat) == table_text(twin, seat)
        assert table_svg(game, seat) == table_svg(twin, seat)


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_everything_fits_in_the_picture(rules):
    for game in random_moments(rules, 10, seed=5):
        for seat in (None, rules.players - 1):
            for shape in picture(make_scene(game, seat), seat or 0):
                if isinstance(shape, Rect):
                    box = (shape.x, shape.y, shape.x + shape.w, shape.y + shape.h)
                elif isinstance(shape, Poly):
                    xs, ys = zip(*shape.points, strict=True)
                    box = (min(xs), min(ys), max(xs), max(ys))
                else:
                    box = (shape.x, shape.y, shape.x, shape.y)
                assert box[0] >= 0 and box[1] >= 0 and box[2] <= WIDTH and box[3] <= HEIGHT, shape
            ElementTree.fromstring(table_svg(game, seat))


def test_own_hand_is_shown_and_the_others_are_not():
    game = Game("swazi", 3, seed=6)
    text = table_text(game, 1)
    hands = game.to_json()["hands"]
    assert all(card in text for card in hands[1])
    assert not any(card in text for card in hands[0] + hands[2])
    assert text.count("hand 16,") == 2
    assert all(card in table_text(game) for hand in hands for card in hand)


def test_the_open_set_is_shown():
    for game in random_moments(every_game()[0], 300, seed=7):
        if game.record["open_count"]:
            card = card_name(int(game.record["open_cards"][0]))
            assert f"{card}" in table_text(game).splitlines()[1]
            assert "still missing" in table_svg(game)
            return
    pytest.fail("no open set met")


BUILT = position("swazi", ["9D KC", "8C AH", "AD AC"], layout="4S KD",
                 builds=[(9, 0, "6H 3S", "9C", "5C 4C"), (8, 1, "6C 2S")])  # fmt: skip


def on_the_table(shapes, *fills):
    """Return the rectangles in the middle: the cards, or the frames in these colours."""
    found = [shape for shape in shapes if isinstance(shape, Rect) and 160 < shape.y < 500]
    return [shape for shape in found if (shape.edge in fills if fills else shape.fill == PAPER)]


def test_a_build_shows_its_sets_apart_and_whose_it_is():
    shapes = picture(make_scene(Game.from_json(BUILT)))
    for owner, sets in ((0, [2, 1, 2]), (1, [2])):
        (frame,) = on_the_table(shapes, SEATS[owner])
        cards = [
            card for card in on_the_table(shapes) if frame.x < card.x < frame.x + frame.w and card.y < frame.y + frame.h
        ]
        assert [card.x + card.w < frame.x + frame.w for card in cards] == [True] * sum(sets)
        apart = [right.x > left.x + left.w for left, right in itertools.pairwise(cards)]
        assert apart == [k + 1 in np.cumsum(sets) for k in range(sum(sets) - 1)]
        names = [shape for shape in shapes if isinstance(shape, Text) and shape.text == f"seat {owner}"]
        assert any(frame.x < name.x < frame.x + frame.w and frame.y < name.y < frame.y + frame.h for name in names)


@pytest.mark.parametrize(("stock", "middle"), [("", WIDTH / 2), ("5C 6C 7C 8C", WIDTH / 2 - 50)])
def test_what_lies_on_the_table_lies_in_its_middle(stock, middle):
    data = position("cassino", ["9S", "KS"], layout="2C 3C 4C", stock=stock)
    shapes = picture(make_scene(Game.from_json(data)))
    cards = on_the_table(shapes)
    assert len(cards) == 3
    assert (cards[0].x + cards[-1].x + cards[-1].w) / 2 == pytest.approx(middle)


@pytest.mark.parametrize(("variant", "players"), [("cassino", 2), ("swazi", 3), ("khasino", 4)])
def test_the_end_says_what_all_comes_to_and_who_has_won(variant, players):
    said = set()
    for seed in range(8):
        game = played_out(Game(variant, players, seed=seed), seed)
        winners = [seat for seat in range(players) if game.rules.side(seat) == game.winner]
        one, many = f"seat {winners[:1]} wins", f"seats {' and '.join(map(str, winners))} win"
        words = "a tie" if not winners else many if len(winners) > 1 else one.replace("[", "").replace("]", "")
        text, texts = table_text(game), [shape.text for shape in picture(make_scene(game)) if isinstance(shape, Text)]
        assert text.splitlines()[0].endswith(f"the deal is over: {words}")
        assert f"the deal is over: {words}" in texts
        assert text.splitlines()[-1].split() == ["sum", *map(str, game.scores())]
        assert texts[texts.index("sum") + 1 :][:players] == [str(points) for points in game.scores()]
        said.add(words)
    assert len(said) > 1


def test_pixels():
    game = Game("khasino", 4, seed=1)
    image = table_rgb(game, 2, width=500)
    assert image.shape == (350, 500, 3)
    assert image.dtype == np.uint8
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 100
    assert (image == table_rgb(game, 2, width=500)).all()
    assert not (image == table_rgb(game, 1, width=500)).all()


def test_pettingzoo_kit(capsys):
    def svg(shown):
        assert shown.startswith("<svg")
        return True

    render_test(lambda **k: env("south-african", 2, **k), custom_tests={"svg": svg})


@pytest.mark.parametrize("mode", RENDER_MODES)
def test_every_mode_at_the_end_of_a_deal(mode, capsys):
    environment = raw_env("cassino", 2, render_mode=mode)
    environment.reset(seed=1)
    play(environment, np.random.default_rng(0))
    environment.render()


def test_a_notebook_shows_a_game_with_all_hands_open():
    game = Game("swazi", 2, seed=4)
    assert game._repr_svg_() == table_svg(game) != table_svg(game, 0)


@pytest.mark.parametrize("seat", [2, -1, 1.0, "0", True])
def test_a_seat_that_is_none_is_refused(seat):
    with refused("seat = .*; it must be a whole number from 0 to 1"):
        table_svg(Game("mini", seed=1), seat)


def test_without_pillow_the_command_that_installs_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with refused(f"needs Pillow: {install_command('render')}", ImportError):
        table_rgb(Game("mini", seed=1))
