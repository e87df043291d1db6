"""What the page draws where that is not plain: questions, shared piles, builds of several sets, a lost connection, no
motion, and every view for axe."""

import itertools
import random

import pytest

from tests.browsing import SIZES, SLOW, begin, do, expect, my_turn, play_out, serious_findings, tap, to_replay, visiting

pytestmark = SLOW

OWNED = {
    "variant": "african", "players": 4, "round": 1, "to_move": 0, "layout": ["8S", "JD", "4S"],
    "hands": [["AC", "3D", "4H", "5C", "6D", "8D", "9C", "KS", "KD"],
              ["5S", "5H", "6S", "7S", "7D", "7C", "8C", "QC"],
              ["AH", "2D", "4D", "TS", "TH", "JH", "QS", "QD"],
              ["2H", "3S", "4C", "6H", "6C", "9S", "JS", "JC"]],
    "builds": [{"value": 9, "owner": 3, "sets": [["8H", "AS"], ["9H"]]},
               {"value": 12, "owner": 2, "sets": [["TC", "2S"], ["QH"]]},
               {"value": 13, "owner": 0, "sets": [["TD", "3H"], ["7H", "5D", "AD"], ["KH"], ["KC"]]}],
    "piles": [[], ["2C", "3C", "9D"], [], []], "stock": [], "proven": [[], [], [1, 14], []], "last_capture": 3,
    "turn": {"mode": 5, "acted": 1, "open_value": 14, "hand_card": "3D", "open_last": "3D", "picked": ["3D", "JD"],
             "open_cards": ["JD", "3D"]},
}  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
def test_whose_build_it_is_names_build_cards_and_partner(page):
    begin(page, "african", 4, position=OWNED)
    said = page.inner_text(".say")
    assert "Whose is the new build of 14" in said
    assert "J♦" in said
    assert "3♦" in said
    assert "yours or Partner's" in said
    answers = page.locator(".plain [data-do]")
    assert answers.all_inner_texts() == ["Keep the build of 14", "Leave the build of 14 to Partner"]
    expect(page.locator(".plain .main[data-do]")).to_have_count(1)
    answers.nth(1).click()
    my_turn(page)
    expect(page.locator(".build[data-token=b14] .owner")).to_have_text("Partner")
    assert "leave the build of 14 to Partner" in page.locator("#moves li").first.inner_text()


@pytest.mark.parametrize("size", SIZES)
def test_a_build_of_several_sets_shows_each(page):
    begin(page, "african", 4, position=OWNED)
    build = page.locator(".build[data-token=b13]")
    assert [each.locator(".card").count() for each in build.locator(".set").all()] == [2, 3, 1, 1]
    boxes = [each.bounding_box() for each in build.locator(".set").all()]
    gaps = [right["x"] - left["x"] - left["width"] for left, right in itertools.pairwise(boxes)]
    assert min(gaps) > 2
    corners = build.locator(".corner").all()
    assert all(corner.bounding_box()["width"] > 4 for corner in corners)
    named = page.get_by_role("button", name="build of 13, yours: 10 of diamonds and 3 of hearts; 7 of hearts")
    expect(named).to_have_count(1)
    fits = "[...document.querySelectorAll('.build')].every((b) => b.scrollWidth <= b.clientWidth + 1)"
    assert page.evaluate(fits)
    felt, owner = page.locator(".felt").bounding_box(), page.locator(".build .owner").last.bounding_box()
    assert owner["y"] + owner["height"] <= felt["y"] + felt["height"] + 1


@pytest.mark.parametrize(("variant", "piles"), [("swazi", 2), ("african", 2), ("khasino", 4), ("sotho", 4)])
def test_partners_who_share_a_pile_have_one(page, variant, piles):
    begin(page, variant, 4, seed=3)
    expect(page.locator("[data-pile]")).to_have_count(piles)
    notes = page.locator(".pile.shared").all_inner_texts()
    assert len(notes) == 4 - piles
    if notes:
        assert notes[0].replace("\n", " ") == "shares your pile"
        assert all("one pile" in text for text in page.locator(".with").all_inner_texts())


@pytest.mark.parametrize("size", SIZES)
def test_the_stock_hides_no_words(page):
    begin(page, "california", 6, seed=3)
    page.locator(".hand .lit").first.click()
    do(page, page.locator(".options [data-do]").first.get_attribute("data-do"))
    while not page.locator(".felt .news li").count():
        do(page, "end")
    stock = page.locator(".stock").bounding_box()
    for line in page.locator(".felt .news .notation").all():
        box = line.bounding_box()
        assert box["x"] + box["width"] <= stock["x"] or box["y"] >= stock["y"] + stock["height"]


def test_a_lost_connection_is_told_and_comes_back(page):
    begin(page, "mini", 2, seed=5)
    page.route("**/api/games/**", lambda route: route.abort())
    page.locator(".hand .lit").first.click()
    page.locator(".options [data-do]").first.click()
    expect(page.locator("#toast.on")).to_contain_text("trying again")
    page.unroute("**/api/games/**")
    page.wait_for_selector("#table[data-state=mine]")
    page.locator(".hand .lit").first.click()
    do(page, page.locator(".options [data-do]").first.get_attribute("data-do"))
    expect(page.locator("#moves li")).not_to_have_count(0)


def test_a_page_that_is_behind_catches_up_without_a_word(browser, home):
    with visiting(browser, home) as page, visiting(browser, home) as other:
        begin(page, "khasino", 2, seed=5)
        other.goto(page.url)
        my_turn(other)
        for each in (page, other):
            each.locator(".hand .lit").first.click()
        do(page, "discard")
        other.locator(".options [data-do]").first.click()
        my_turn(other)
        expect(other.locator("#toast")).not_to_have_class("on")
        assert other.locator("#moves li").all_inner_texts() == page.locator("#moves li").all_inner_texts()


@pytest.mark.parametrize(("wish", "moves"), [("reduce", False), ("no-preference", True)])
def test_cards_glide_only_for_those_who_like_it(browser, home, wish, moves):
    with visiting(browser, home, reduced_motion=wish) as page:
        begin(page, "khasino", 2, seed=5)
        page.evaluate("document.querySelector('#pace').options[2].value = '400'")
        page.evaluate("document.querySelector('#pace').value = '400'")
        page.evaluate(
            "() => { window.glides = 0; const glide = Element.prototype.animate;"
            "Element.prototype.animate = function (...how) { window.glides += 1; return glide.apply(this, how); } }"
        )
        page.locator(".hand .lit").first.click()
        do(page, "discard")
        assert (page.evaluate("window.glides") > 0) == moves


@pytest.mark.parametrize("size", SIZES)
def test_a_replay_fits_with_all_hands_open(page, size):
    to_replay(page, "khasino", 4, seed=3)
    for seat in page.locator(".seat").all():
        cards = seat.locator(".fan .card").all()
        assert len(cards) == 10
        box, last = seat.bounding_box(), cards[-1].bounding_box()
        pile = seat.locator(".pile").bounding_box()
        assert last["x"] + last["width"] <= pile["x"] + 1
        assert pile["x"] + pile["width"] <= box["x"] + box["width"] + 8
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for tool in ("#replay-run", "#replay-next", ".own .hand"):
        expect(page.locator(tool)).to_be_in_viewport(ratio=0.9)


def test_what_was_left_on_the_table_is_told(page):
    last = {
        "variant": "khasino", "players": 2, "round": 2, "to_move": 0, "hands": [["5D"], ["9S"]], "layout": ["5S", "TH"],
        "stock": [], "last_capture": 1,
    }  # fmt: skip
    begin(page, "khasino", 2, position=last)
    tap(page, "5D")
    do(page, "capture")
    if not page.locator("#sheet[open]").count():
        do(page, "end")
    expect(page.locator("#sheet-body")).to_contain_text("You get what was left on the table")
    assert "10♥" in page.locator("#sheet-body p").inner_text()


VIEWS = ("home", "new", "game", "partners", "result", "replay", "review", "record", "rules")


def _open(page, view):
    """Go from the first page to a view."""
    if view in ("new", "record"):
        page.click({"new": "#open-new", "record": "#open-replay"}[view])
        if view == "new":
            page.click("#new-game summary")
    elif view in ("game", "partners", "rules"):
        begin(page, "african", 4, position=OWNED) if view == "partners" else begin(page, "swazi", 3, seed=8)
        page.locator(".hand .lit").first.click() if view == "game" else None
        page.click("#open-rules") if view == "rules" else None
    elif view == "replay":
        to_replay(page, "mini", 2, seed=5)
    elif view != "home":
        begin(page, "mini", 2, seed=5)
        play_out(page, random.Random(2))
        if view == "review":
            page.click("#sheet-buttons >> text=Review")
            page.wait_for_selector("#review >> text=decisions cost", timeout=60_000)


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_serious_keeps_people_out(browser, home, view):
    for colours, size in (("light", SIZES[0]), ("dark", SIZES[1])):
        with visiting(browser, home, *size, color_scheme=colours) as page:
            page.wait_for_selector("#offer button")
            _open(page, view)
            assert serious_findings(page) == []
