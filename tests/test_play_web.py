"""The page in a real browser: whole games by clicks, every kind of move, reload, replay, hints, a phone."""

import json
import random
import re

import pytest

from casino_env.play.table import Table
from tests.browsing import SLOW, begin, do, expect, game_id, my_turn, play_out, tap, to_replay
from tests.desks import CARD, hidden_names
from tests.tables import PICK, STEAL

pytestmark = SLOW


@pytest.mark.parametrize(("variant", "players"), [("south-african", 2), ("khasino", 4)])
def test_a_whole_deal_by_clicks_without_a_hidden_card(page, store, variant, players):
    replies: list[tuple[int, str]] = []

    def listen(response):
        if "/api/games" in response.url and response.status < 400 and not response.url.endswith("/record"):
            text = response.text()
            replies.append((json.loads(text)["version"], text))

    page.on("response", listen)
    begin(page, variant, players, seed=21)
    play_out(page, random.Random(1))
    head, rows = store.read(game_id(page))
    table = Table.from_rows(head, rows)
    points = page.locator("#sheet tr.sum td").all_inner_texts()
    assert [int(text) for text in points] == table.game.scores()[: table.rules.sides]

    assert len(replies) > 20
    for version, text in replies:
        then = Table.from_rows(head, rows[:version])
        if not then.game.over:
            assert not hidden_names(then.game, then.person) & set(CARD.findall(text)), text


def test_a_capture_with_a_choice(page):
    begin(page, "south-african", 2, position={
        "variant": "south-african", "players": 2, "hands": [["7S", "8H", "8C"], ["AS", "AH"]], "layout": ["7D"],
        "builds": [{"value": 8, "owner": 0, "sets": [["5C", "3H"]]}], "piles": [[], ["6S", "AC"]],
    })  # fmt: skip
    tap(page, "8H")
    expect(page.locator("#actions [data-do=capture]").nth(1)).to_be_attached()
    tap(page, "b8", "7D", "AC")
    assert "your build of 8" in page.locator("#actions button.main").first.inner_text()
    do(page, "capture")
    assert page.locator(".own .pile .count").inner_text() == "5"
    expect(page.locator("#table .build")).to_have_count(0)


def test_a_build_is_undone_and_made(page):
    begin(page, "khasino", 2, position=PICK)
    tap(page, "4S", "5D")
    do(page, "build")
    assert page.locator("[data-token=b9] .value").inner_text() == "9"
    assert page.locator("[data-token=b9] .owner").inner_text() == "You"
    page.click("#undo")
    my_turn(page)
    expect(page.locator("#table .build")).to_have_count(0)
    tap(page, "5D", "4S")
    do(page, "build")
    do(page, "end")
    assert "build 9" in page.inner_text("#moves")


def test_an_addition_with_a_stolen_top(page):
    begin(page, "swazi", 3, position=STEAL)
    tap(page, "5S", "4S")
    do(page, "add")
    expect(page.locator("[data-token=b9] .set")).to_have_count(2)
    assert "top" not in page.inner_text("[data-pile='1']")
    assert page.locator("[data-pile='1'] .card").get_attribute("data-token") == "2D"


def test_a_raise(page):
    begin(page, "khasino", 2, position={
        "variant": "khasino", "players": 2, "hands": [["AH", "TS"], ["AS", "AD"]],
        "builds": [{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}],
    })  # fmt: skip
    tap(page, "AH", "b9")
    do(page, "raise")
    assert page.locator("[data-token=b10] .owner").inner_text() == "You"


def test_a_card_dragged_to_the_table_is_discarded(page):
    begin(page, "south-african", 2, position={
        "variant": "south-african", "players": 2, "hands": [["7S", "2H"], ["AS", "AH"]], "layout": ["9D"],
    })  # fmt: skip
    page.drag_and_drop("[data-token='7S']", ".felt", target_position={"x": 60, "y": 120})
    page.wait_for_selector(".loose [data-token='7S']")


def test_a_reload_in_mid_turn(page):
    begin(page, "khasino", 2, position=PICK)
    tap(page, "4S", "5D")
    do(page, "build")
    before = page.inner_html(".felt")
    page.reload()
    my_turn(page)
    assert page.inner_html(".felt") == before
    page.click("#undo")
    my_turn(page)
    expect(page.locator(".loose .card")).to_have_count(2)


def test_the_replay_of_a_finished_game(page):
    to_replay(page, "mini", 2, seed=5)
    expect(page.locator(".seat .card[data-card]")).not_to_have_count(0)  # the other hand lies open
    page.click("#replay-next")
    expect(page.locator("#replay-count")).to_have_text(re.compile("^1 /"))
    page.select_option("#replay-agent", "greedy")
    page.wait_for_selector("#hint:not([hidden])")
    page.select_option("#replay-seat", "0")
    expect(page.locator(".seat .card[data-card]")).to_have_count(0)
    page.locator("#moves li button").last.click()
    page.wait_for_selector("#actions .final")


def test_a_pasted_record_that_is_none_is_told(page):
    page.click("#open-replay")
    page.fill("#record-text", "nonsense")
    page.click("#sheet-buttons >> text=Open")
    expect(page.locator("#record-error")).to_contain_text("line 1")
    assert page.input_value("#record-text") == "nonsense"


def test_a_position_that_cannot_be_is_told(page):
    page.click("#open-new")
    page.click("#new-game summary")
    page.fill("#from-position", '{"variant": "swazi"')
    page.click("#begin")
    expect(page.locator("#new-error")).to_contain_text("not JSON")
