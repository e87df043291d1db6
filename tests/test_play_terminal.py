"""The terminal table, driven by textual's pilot: a whole deal, picking, undo, hints, rules, the menu."""

import asyncio
import random
import time
from contextlib import nullcontext
from typing import Any

import pytest

pytest.importorskip("textual", reason="needs the extra `play`")

from textual.widgets import OptionList, Select

from casino_env.play.arguments import setup_of
from casino_env.play.players import Players
from casino_env.play.store import Store
from casino_env.play.table import Setup, Table
from casino_env.play.terminal.app import PlayApp
from casino_env.play.terminal.sheets import Menu, Sheet
from casino_env.play.terminal.text import coloured, verdict
from casino_env.play.terminal.view import TableView, Token
from casino_env.record import replay
from tests.full_disks import full_disk
from tests.tables import PICK


def drive(folder, setup: Setup | None, story, size=(110, 40)) -> None:
    """Run the app without a screen, and a story with it and its pilot; app.told: what it has told the person."""

    async def run() -> None:
        agents: dict[str, Any] = {"players": Players(), "opponents": ("greedy",), "hint": "greedy"}
        app: Any = PlayApp(Store(folder), setup, **agents, pace=0.0, seat=0)
        app.told = []
        app.notify = lambda text, **_: app.told.append(text)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await story(app, pilot)

    asyncio.run(run())


def driven(setup: Setup | None):
    """A test is a story with the app of this table and its pilot, and the folder where games lie."""

    def made(story):
        def test(tmp_path):
            drive(tmp_path, setup, lambda app, pilot: story(app, pilot, tmp_path))

        test.__doc__ = story.__doc__
        return test

    return made


async def my_turn(app, pilot):
    patience = time.monotonic() + 120  # kernels may have to be compiled, on a machine with other things to do
    while time.monotonic() < patience:
        await pilot.pause(0.005)
        view: Any = app.query_one(TableView) if app.table else None
        if isinstance(app.screen, Sheet) or (app.table and app.table.mine and view.moves == app.table.moves()):
            return
    raise AssertionError("the person's turn never came")


def token(app, name):
    return next(found for found in app.query(Token) if found.token == name)


@pytest.mark.slow
@driven(Setup("south-african", 4, ("you", "greedy", "greedy", "greedy"), seed=4))
async def test_a_whole_deal_by_keys(app, pilot, folder):
    rng = random.Random(1)
    while True:
        await my_turn(app, pilot)
        if app.table.game.over:
            break
        lit = [found for found in app.query(Token) if found.has_class("lit")]
        if lit and not app.query_one(OptionList).option_count:
            rng.choice(lit).focus()
            await pilot.press("space")
        await pilot.press("enter")
    assert isinstance(app.screen, Sheet)
    record = next(folder.glob("*.record")).read_text()
    assert replay(record).scores() == app.table.game.scores()


@driven(Setup("khasino", 2, ("you", "greedy"), position=PICK))
async def test_cards_are_picked_by_mouse_and_taken_back(app, pilot, folder):
    await my_turn(app, pilot)
    for name in ("4S", "5D"):
        await pilot.click(token(app, name))
    assert token(app, "4S").has_class("picked")
    choices = app.query_one(OptionList)
    assert str(choices.get_option_at_index(0).prompt) == "Build 9 with the 5♦ on 4♠"
    await pilot.press("enter")
    await my_turn(app, pilot)
    assert token(app, "b9")
    await pilot.press("u")
    await my_turn(app, pilot)
    assert not [found for found in app.query(Token) if found.token == "b9"]
    await pilot.press("u")
    assert app.table.version == 2


@driven(Setup("swazi", 3, ("you", "greedy", "random"), seed=2))
async def test_hints_rules_and_points_at_a_key(app, pilot, folder):
    await my_turn(app, pilot)
    for key, word in (("h", "Grabber would"), ("r", "An ace counts 1 or 14"), ("b", "points")):
        await pilot.press(key)
        for _ in range(400):
            await pilot.pause(0.01)
            if isinstance(app.screen, Sheet):
                break
        assert word in app.screen._text.plain
        await pilot.press("escape")
        await pilot.pause()


@driven(None)
async def test_the_menu_begins_a_game(app, pilot, folder):
    assert isinstance(app.screen, Menu)
    app.screen.query_one("#variant", Select).value = "mini"
    await pilot.pause()
    await pilot.click("#deal")
    await my_turn(app, pilot)
    assert app.table.rules.name == "mini"


@driven(Setup("swazi", 2, ("you", "greedy"), seed=6))
async def test_hidden_cards_are_not_on_the_screen(app, pilot, folder):
    await my_turn(app, pilot)
    shown = {found.token for found in app.query(Token)}
    scene = app.query_one(TableView)._data["scene"]
    assert shown == {
        *scene["loose"],
        *scene["seats"][0]["hand"],
        *(f"b{build['value']}" for build in scene["builds"]),
    } | {seat["top"] for seat in scene["seats"][1:] if seat["top"]}


def is_seen(app, widget) -> bool:
    """All of it is on the screen, inside everything that scrolls around it."""
    region = widget.region
    inside = [parent.region for parent in widget.ancestors if parent is not app]
    return region.area > 0 and all(place.contains_region(region) for place in inside)


@pytest.mark.parametrize(
    ("variant", "players", "size"),
    [("swazi", 3, (80, 24)), ("khasino", 4, (80, 24)), ("california", 6, (80, 24)), ("swazi", 3, (120, 40))],
)
def test_the_hand_and_the_choice_are_on_the_screen(tmp_path, variant, players, size):
    async def story(app, pilot):
        await my_turn(app, pilot)
        await pilot.pause(0.3)  # laid out
        hand = app.table.game.record["hands"][0]
        shown = [found for found in app.query("#hand Token") if is_seen(app, found)]
        assert len(shown) == int(hand).bit_count()
        assert is_seen(app, app.query_one("#choices"))
        for _ in range(30):  # wherever the cursor goes, it stands on something that is seen
            assert is_seen(app, app.focused)
            await pilot.press("tab")
            await pilot.pause()

    drive(tmp_path, Setup(variant, players, ("you", *["greedy"] * (players - 1)), seed=5), story, size)


@driven(Setup("khasino", 2, ("you", "greedy"), position=PICK))
async def test_a_key_says_why_not(app, pilot, folder):
    await my_turn(app, pilot)
    for name in ("3H", "5D"):
        token(app, name).focus()
        app.query_one(TableView).picked = {"3H"}
        await pilot.press("w")
    await pilot.press("e")
    assert app.told[-2:] == [
        "Together they come to 8, and you hold no other 8 to take it with.",
        "A card from your hand has to be played first.",
    ]


def test_flags_make_a_setup():
    from casino_env.play.cli import _parser

    args = _parser().parse_args(
        ["--variant", "swazi", "--players", "3", "--opponents", "greedy", "--seat", "1", "--seed", "5"]
    )
    assert setup_of(args) == Setup("swazi", 3, ("greedy", "you", "greedy"), 5)
    assert setup_of(_parser().parse_args([])) is None


def test_cards_in_words_have_their_suits():
    assert coloured("build 9 = 5D + 4S*; TH (pile 0)").plain == "build 9 = 5♦ + 4♠*; 10♥ (pile 0)"


def test_the_verdict_names_the_winner():
    called = ["you", "greedy (1)", "counter (2)"]
    assert verdict([0], called, 0) == "You win."
    assert verdict([0, 2], called, 0) == "You win with counter (2)."
    assert verdict([1], called, 0) == "greedy (1) wins."
    assert verdict([1, 2], called, 0) == "greedy (1) and counter (2) win."
    assert verdict([], called, 0) == "A tie."


@driven(Setup("khasino", 2, ("you", "greedy"), position=PICK))
async def test_a_full_disk_is_told_and_the_game_goes_on(app, pilot, folder):
    await my_turn(app, pilot)
    for room in (10, None):
        for name in ("4S", "5D"):
            await pilot.click(token(app, name))
        with full_disk(room) if room else nullcontext():
            await pilot.press("enter")
            await my_turn(app, pilot)
        await pilot.press("u")
        await my_turn(app, pilot)
    assert "could not be saved" in app.told[0]
    head, rows = Store(folder).read(app._saved.name)
    assert Table.from_rows(head, rows).game == app.table.game
    assert len(rows) == 4
