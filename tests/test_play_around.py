"""What the page offers around a game: looking back, piles, whose hints, statistics, clicks, and what a build is for."""

import random
import re

import pytest

from casino_env.play.store import Store
from tests.axe import serious_findings
from tests.browsing import SIZES, SLOW, begin, chromium, do, expect, my_turn, play_to_the_end, served, tap, visiting

pytestmark = SLOW

STEAL = {
    "variant": "swazi", "players": 3, "rules": {"insist_capture": "never", "insist_augment": "never"},
    "hands": [["9D", "KC"], ["AS", "AH"], ["AD", "AC"]], "layout": ["4S", "KD"],
    "builds": [{"value": 9, "owner": 0, "sets": [["6H", "3S"]]}], "piles": [[], ["QH", "2D", "5S"], []],
}  # fmt: skip
QUIET = {
    "variant": "khasino", "players": 2, "layout": ["7S"],
    "hands": [["AC", "2C", "3C", "4D", "5H"], ["TS", "TH", "8S", "9S", "6S"]],
}  # fmt: skip
TAKE = {"variant": "khasino", "players": 2, "hands": [["9D", "2C", "5H"], ["AS", "AH", "3S"]], "layout": ["9S", "4C"]}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    with served(Store(tmp_path_factory.mktemp("games"))) as home:
        yield home


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser, home):
    with visiting(browser, home, 1366, 768) as page:
        yield page


# --- looking back ------------------------------------------------------------------------------------------------


def lay(page, card):
    """A turn in which a card is left on the table."""
    tap(page, card)
    page.click("[data-do=discard]")
    my_turn(page)
    page.click("[data-do=end]")


def two_turns(page):
    """Two turns of everybody; returns the hand before the second."""
    begin(page, "khasino", 2, position=QUIET)
    lay(page, "2C")
    my_turn(page)
    before = page.inner_text(".own .hand")
    lay(page, "4D")
    my_turn(page)
    expect(page.locator("#moves li")).to_have_count(4)
    return before


def place_of(page):
    """Which step of how many is shown."""
    return [int(number) for number in re.findall(r"\d+", page.inner_text(".say"))[:2]]


def test_looking_back_by_keys_and_back_to_now(page):
    before = two_turns(page)
    now = page.inner_html(".own .hand")
    page.keyboard.press("b")
    page.wait_for_selector("#table[data-state=past]")
    expect(page.locator("#title")).to_contain_text("Looking back")
    at, steps = place_of(page)
    assert at == steps >= 4
    expect(page.locator("#table .lit")).to_have_count(0)
    expect(page.locator(".seat .card[data-card]")).to_have_count(0)  # nobody else's hand
    while "You discard the 4" not in page.inner_text(".say"):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".say")).to_contain_text(f"{(at := at - 1)} of {steps}")
    assert page.inner_text(".own .hand") == before
    page.keyboard.press("Home")
    expect(page.locator(".say")).to_contain_text(f"1 of {steps}")
    assert page.get_by_role("button", name="one step back").is_disabled()
    page.keyboard.press("Escape")
    my_turn(page)
    assert page.inner_html(".own .hand") == now
    page.locator(".hand .lit").first.click()
    expect(page.locator("#actions [data-do]")).not_to_have_count(0)


@pytest.mark.parametrize("size", SIZES)
def test_looking_back_by_buttons_fits(browser, home, size):
    with visiting(browser, home, *size) as page:
        two_turns(page)
        page.click("#look-back")
        page.wait_for_selector("#table[data-state=past]")
        for name in ("one step back", "one step on", "Back to now"):
            expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=0.9)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        _, steps = place_of(page)
        page.get_by_role("button", name="one step back").click()
        expect(page.locator(".say")).to_contain_text(f"{steps - 1} of {steps}")
        assert page.evaluate("document.activeElement.dataset.key") == "one step back"
        for _ in range(2):
            page.get_by_role("button", name="one step on").click()
        my_turn(page)
        assert page.inner_text("#title").startswith("Khasino")


def test_agents_wait_while_the_person_looks_back(page):
    two_turns(page)
    page.evaluate("document.querySelector('#pace').options[2].value = '600'")
    page.evaluate("document.querySelector('#pace').value = '600'")
    lay(page, "5H")
    page.click("#look-back")
    page.wait_for_selector("#table[data-state=past]")
    page.wait_for_timeout(1500)
    assert page.get_attribute("#table", "data-state") == "past"
    expect(page.locator("#moves li")).to_have_count(5)
    page.click("#to-now")
    my_turn(page)
    expect(page.locator("#moves li")).to_have_count(6)


# --- piles, hints ------------------------------------------------------------------------------------------------


def test_a_pile_that_lies_face_up_is_looked_through(page):
    begin(page, "swazi", 3, position=STEAL)
    page.click("[data-pile='1'] button.count")
    expect(page.locator("#sheet-title")).to_have_text("The pile of Grabber 1")
    shown = [card.get_attribute("data-card") for card in page.locator(".through .card").all()]
    assert shown == ["5S", "2D", "QH"]
    assert serious_findings(page) == []


def test_a_pile_that_lies_face_down_stays_closed(page):
    begin(page, "cassino", 2, position={
        "variant": "cassino", "players": 2, "hands": [["9S"], ["KS"]], "layout": ["9H"], "piles": [["2C", "2D"], []],
    })  # fmt: skip
    assert page.locator(".own .pile .count").inner_text() == "2"
    expect(page.locator("button.count")).to_have_count(0)


def test_whose_hints_are_asked_for_is_chosen_and_remembered(page):
    begin(page, "south-african", 2, seed=3)
    names = page.locator("#adviser option").all_inner_texts()
    assert "Expert" in names
    page.select_option("#adviser", "greedy")
    page.click("#ask-hint")
    expect(page.locator("#hint")).to_contain_text("Grabber would")
    page.reload()
    my_turn(page)
    assert page.input_value("#adviser") == "greedy"


# --- statistics --------------------------------------------------------------------------------------------------


def test_statistics_count_each_game_once_and_are_cleared(page):
    for seed in (5, 6):
        begin(page, "mini", 2, seed=seed)
        play_to_the_end(page, random.Random(seed))
        won = page.inner_text("#sheet-title") == "You win"
        page.reload()  # the result is shown again, and counts no more
        page.wait_for_selector("#sheet[open]")
        page.click("#sheet-buttons .main")
        page.click("#open-games")
    page.click("#open-statistics")
    rows = page.locator("#statistics tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("against Grabber")
    cells = rows.first.locator("td").all_inner_texts()
    assert cells[0] == "2"
    assert int(cells[1]) >= won
    page.click("#sheet-buttons >> text=Clear")
    expect(rows).to_have_count(1)
    page.click("#sheet-buttons >> text=Clear for good")
    expect(page.locator("#sheet-body")).to_contain_text("Nothing yet")
    page.reload()
    page.click("#open-statistics")
    expect(page.locator("#sheet-body")).to_contain_text("Nothing yet")


# --- sound -------------------------------------------------------------------------------------------------------

HEARD = """() => {
    const make = AudioContext.prototype.createOscillator;
    window.heard = [];
    AudioContext.prototype.createOscillator = function () {
        window.heard.push(make.call(this));
        return window.heard.at(-1);
    };
}"""


def heard(page):
    """The pitches since the last look."""
    return page.evaluate("window.heard.splice(0).map((wave) => Math.round(wave.frequency.value))")


def test_clicks_are_heard_once_switched_on(page):
    page.evaluate(HEARD)
    begin(page, "khasino", 2, position=TAKE)
    assert page.get_attribute("#sound", "aria-pressed") == "false"
    tap(page, "2C")
    do(page, "discard")
    page.click("#undo")
    my_turn(page)
    assert heard(page) == []
    page.click("#sound")
    assert page.get_attribute("#sound", "aria-pressed") == "true"
    assert heard(page) == [330]
    tap(page, "2C")
    do(page, "discard")
    assert heard(page)[0] == 330
    page.click("#undo")
    my_turn(page)
    heard(page)
    tap(page, "9D", "9S")
    do(page, "capture")
    assert heard(page)[:2] == [440, 590]
    page.reload()
    assert page.get_attribute("#sound", "aria-pressed") == "true"


# --- what a build is for -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_what_a_build_is_for_is_shown_from_the_first_page(browser, home, size):
    with visiting(browser, home, *size) as page:
        page.click("#open-tour")
        expect(page.locator(".tour figure")).to_have_count(3)
        assert page.locator(".tour .build .owner").inner_text() == "You"
        assert page.evaluate(
            "document.querySelector('#sheet').scrollWidth <= document.querySelector('#sheet').clientWidth"
        )
        assert serious_findings(page) == []


def test_the_rules_lead_to_what_a_build_is_for_where_there_are_builds(page):
    page.wait_for_selector("#open-new:enabled")
    page.click("[data-game='swazi']")
    page.click("#rules-before")
    page.click("#sheet-buttons >> text=What is a build for?")
    expect(page.locator(".tour figure")).to_have_count(3)
    page.click("#sheet-buttons .main")
    page.select_option("#variant", "stealing-bundles")
    page.click("#rules-before")
    expect(page.locator("#sheet-body")).to_contain_text("whole pile")
    expect(page.locator("#sheet-buttons button")).to_have_count(1)
