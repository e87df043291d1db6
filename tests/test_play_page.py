"""What a person meets on the page: the first page, choosing, following, review, phones, keys, and access for all."""

import random

import pytest

from casino_env.play.store import Store
from casino_env.presets import PRESETS
from tests.browsing import SIZES, SLOW, begin, chromium, do, expect, my_turn, play_to_the_end, served, tap, visiting

pytestmark = SLOW

CROWDED = {
    "variant": "cassino", "players": 2, "hands": [["9S", "4D", "AC", "2H"], ["KS", "KH", "KD", "KC"]],
    "layout": ["9H", "6C", "3D", "5S", "4H", "2C", "7S"],
}  # fmt: skip
OWNER = {
    "variant": "south-african", "players": 2, "hands": [["9D", "2C", "5H"], ["AS", "AH", "3S"]], "layout": ["4S"],
    "builds": [{"value": 9, "owner": 0, "sets": [["6C", "3D"]]}],
}  # fmt: skip


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


# --- the first page ----------------------------------------------------------------------------------------------


def test_games_are_offered_by_name_and_line(page):
    expect(page.locator("#offer button")).to_have_count(len(PRESETS))
    page.click("[data-game='khasino']")
    expect(page.locator("#about-game")).to_contain_text("40 cards")
    page.select_option("#players", "4")
    expect(page.locator("#about-players")).to_contain_text("10 turns each")
    page.select_option("#level", "Strong")
    expect(page.locator("#about-level")).to_contain_text("learnt this game by playing it")
    page.select_option("#level", "Strongest")
    expect(page.locator("#about-level")).to_contain_text("2 s a move")
    page.click("#rules-before")
    expect(page.locator("#sheet-body")).to_contain_text("opposite")


def test_what_was_typed_is_gone_the_next_time(page):
    begin(page, "khasino", 2, position=OWNER | {"variant": "khasino"})
    page.click("#open-new")
    page.click("#new-game summary")
    assert page.input_value("#from-position") == page.input_value("#seed") == ""


def test_house_rules_are_chosen_in_words(page):
    page.click("[data-game='swazi']")
    page.click("#new-game summary")
    page.select_option("[data-field='insist_capture']", label="as you like")
    page.click("#begin")
    my_turn(page)
    page.click("#open-rules")
    expect(page.locator("#sheet-body")).to_contain_text("You take what you like.")


# --- choosing a move ---------------------------------------------------------------------------------------------


def test_the_largest_capture_comes_first_and_a_discard_is_not_golden(page):
    begin(page, "cassino", 2, position=CROWDED)
    tap(page, "9S")
    first = page.locator(".options [data-do]").first
    assert first.get_attribute("data-do") == "capture"
    assert "main" in first.get_attribute("class")
    assert first.inner_text().count("+") >= 3
    expect(page.locator(".options .main[data-do='discard']")).to_have_count(0)


def test_no_card_moves_under_the_finger(page):
    begin(page, "cassino", 2, position=CROWDED)
    places = "[...document.querySelectorAll('.loose .card')].map((card) => card.offsetTop + ' ' + card.offsetLeft)"
    before = page.evaluate(places)
    for token in ("9S", "6C", "3D"):
        tap(page, token)
        assert page.evaluate(places) == before


def test_a_move_shows_its_cards_on_the_table(page):
    begin(page, "cassino", 2, position=CROWDED)
    tap(page, "9S")
    page.locator(".options [data-do='capture']").first.hover()
    expect(page.locator(".loose .preview").nth(3)).to_be_attached()


def test_the_page_says_why_not(page):
    begin(page, "south-african", 2, position=OWNER)
    tap(page, "2C")
    expect(page.locator(".say")).to_contain_text("Whoever owns a build may not discard")
    tap(page, "5H")
    page.click("text=Why no discard?")
    expect(page.locator(".say")).to_contain_text("Whoever owns a build may not discard")
    tap(page, "4S", "2C")
    expect(page.locator(".say")).to_contain_text("One card from the hand is played in a turn")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    expect(page.locator(".say")).to_contain_text("A card from your hand has to be played first")


def test_a_move_names_the_build_that_it_joins(page):
    begin(page, "south-african", 2, position=OWNER)
    tap(page, "5H", "4S")
    assert "your build of 9" in page.locator(".options [data-do='add']").first.inner_text()


# --- following the game ------------------------------------------------------------------------------------------


def test_the_last_turn_of_each_opponent_is_told_and_marked(page):
    begin(page, "swazi", 3, seed=8)
    while not page.locator(".fresh").count():
        page.locator(".hand .lit").first.click()
        do(page, page.locator(".options [data-do]").first.get_attribute("data-do"))
        if page.locator(".plain [data-do='end']").count():
            do(page, "end")
    told = page.locator(".felt .news li").all_inner_texts()
    assert len(told) >= 1
    assert all(line.startswith("Grabber") for line in told)


def test_counts_and_partners_are_there_at_every_size(browser, home):
    for width, height in SIZES:
        with visiting(browser, home, width, height) as page:
            begin(page, "khasino", 4, seed=3)
            for seat in page.locator(".seat, .own").all():
                assert " cards" in seat.inner_text()
                assert seat.locator(".with").is_visible()


def test_the_end_tells_sides_and_counts_and_comes_back(page):
    begin(page, "khasino", 4, seed=3)
    play_to_the_end(page, random.Random(4))
    expect(page.locator(".result thead th")).to_have_count(2)
    cards = page.locator(".result tr", has_text="Most cards").locator(".of").all_inner_texts()
    assert sum(int(text.strip(" ()")) for text in cards) <= 40
    page.click("#sheet-buttons .main")
    page.click("#see-result")
    page.click("#sheet-buttons >> text=Same again")
    my_turn(page)
    expect(page.locator("#moves li").nth(3)).not_to_be_attached()


def test_a_match_pauses_between_its_deals(page):
    begin(page, "cassino", 2, seed=4, match=True)
    play_to_the_end(page, random.Random(5))
    assert page.inner_text("#sheet-title") == "The deal is over"
    page.click("#sheet-buttons >> text=Next deal")
    my_turn(page)
    assert "deal 2" in page.inner_text("#title")


def test_a_replay_has_an_address_and_keys_and_a_review(page):
    begin(page, "mini", 2, seed=5)
    play_to_the_end(page, random.Random(2))
    page.click("#sheet-buttons >> text=Replay")
    expect(page.locator("#replay-count")).to_contain_text("0 /")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#replay-count")).to_contain_text("1 /")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#replay-count")).to_contain_text("2 /")
    page.reload()
    expect(page.locator("#replay-count")).to_contain_text("2 /")
    page.keyboard.press("Home")
    page.select_option("#replay-agent", "counter")
    expect(page.locator("#hint")).to_contain_text("Played:")
    expect(page.locator("#hint")).to_contain_text("Counter would:")


def test_a_review_leads_to_a_position_to_play_on_from(page):
    begin(page, "khasino", 2, seed=6)
    play_to_the_end(page, random.Random(3))
    page.click("#sheet-buttons >> text=Review")
    page.wait_for_selector("#review >> text=decisions cost", timeout=120_000)
    lost = [text for text in page.locator("#review li strong").all_inner_texts() if text.startswith("lost")]
    points = [float(text.split()[1]) for text in lost]
    assert points == sorted(points, reverse=True)
    assert points
    page.locator("[data-do='play-on']").first.click()
    page.wait_for_selector("#table[data-state=mine]")
    expect(page.locator("#moves li")).to_have_count(0)


# --- phones, keys, access ----------------------------------------------------------------------------------------


def test_a_turn_by_keys_and_the_focus_stays(page):
    begin(page, "khasino", 2, position={
        "variant": "khasino", "players": 2, "hands": [["5D", "9C"], ["AS", "2D"]], "layout": ["4S", "3H"],
    })  # fmt: skip
    page.focus("[data-token='5D']")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.token") == "5D"
    assert page.get_attribute("[data-token='5D']", "aria-pressed") == "true"
    page.focus("[data-token='4S']")
    page.keyboard.press(" ")
    page.keyboard.press("1")
    expect(page.locator(".build")).to_have_count(1)
    assert page.evaluate("document.activeElement !== document.body")
    page.keyboard.press("u")
    expect(page.locator(".build")).to_have_count(0)


def test_loose_cards_are_claimed_from_the_partner(page):
    """kasa: Shiya makes what the partner was about to take a build of one's own."""
    begin(page, "kasa", 4, position={
        "variant": "kasa", "players": 4, "to_move": 2, "layout": ["9C", "6H", "3D"],
        "hands": [["9H", "3S"], ["AS", "AH"], ["9S", "2C"], ["AD", "AC"]],
    })  # fmt: skip
    expect(page.locator("#table")).to_contain_text("Ask for these cards as your build of 9?")
    page.get_by_role("button", name="Ask for the cards as a build of 9").click()
    expect(page.locator(".build")).to_have_count(1)
    my_turn(page)
    tap(page, "9H", "b9")
    expect(page.locator(".options, #actions").first).to_contain_text("your build of 9")


def test_moves_have_names_with_suits_and_are_told(page):
    begin(page, "south-african", 2, seed=3)
    page.locator(".hand .lit").first.click()
    tree = page.locator(".options").aria_snapshot()
    assert " of " in tree
    do(page, page.locator(".options [data-do]").first.get_attribute("data-do"))
    if page.locator(".plain [data-do='end']").count():
        do(page, "end")
    assert " of " in page.inner_text("#news")
