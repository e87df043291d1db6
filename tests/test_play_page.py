"""What a person meets on the page: the first page, choosing, following, looking back, phones, access for all."""

import random
import re

import pytest

from casino_env.presets import PRESETS
from tests.browsing import SIZES, SLOW, begin, do, expect, my_turn, play_out, serious_findings, tap, to_replay
from tests.tables import PICK, STEAL

pytestmark = SLOW

CROWDED = {
    "variant": "cassino", "players": 2, "hands": [["9S", "4D", "AC", "2H"], ["KS", "KH", "KD", "KC"]],
    "layout": ["9H", "6C", "3D", "5S", "4H", "2C", "7S"],
}  # fmt: skip
OWNER = {
    "variant": "south-african", "players": 2, "hands": [["9D", "2C", "5H"], ["AS", "AH", "3S"]], "layout": ["4S"],
    "builds": [{"value": 9, "owner": 0, "sets": [["6C", "3D"]]}],
}  # fmt: skip


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


@pytest.mark.parametrize("size", SIZES)
def test_counts_and_partners_are_there_at_every_size(page):
    begin(page, "khasino", 4, seed=3)
    for seat in page.locator(".seat, .own").all():
        assert " cards" in seat.inner_text()
        assert seat.locator(".with").is_visible()


def test_the_end_tells_sides_and_counts_and_comes_back(page):
    begin(page, "khasino", 4, seed=3)
    play_out(page, random.Random(4))
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
    play_out(page, random.Random(5))
    assert page.inner_text("#sheet-title") == "The deal is over"
    page.click("#sheet-buttons >> text=Next deal")
    my_turn(page)
    assert "deal 2" in page.inner_text("#title")


def test_a_replay_has_an_address_and_keys_and_a_review(page):
    to_replay(page, "mini", 2, seed=5)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#replay-count")).to_contain_text("1 /")
    for _ in range(5):  # as fast as can be
        page.keyboard.press("ArrowRight")
    expect(page.locator("#replay-count")).to_contain_text("6 /")
    page.reload()
    expect(page.locator("#replay-count")).to_contain_text("6 /")
    page.keyboard.press("Home")
    page.select_option("#replay-agent", "counter")
    expect(page.locator("#hint")).to_contain_text("Played:")
    expect(page.locator("#hint")).to_contain_text("Counter would:")


def test_a_review_leads_to_a_position_to_play_on_from(page):
    begin(page, "khasino", 2, seed=6)
    play_out(page, random.Random(3))
    page.click("#sheet-buttons >> text=Review")
    page.wait_for_selector("#review >> text=decisions cost", timeout=120_000)
    lost = [text for text in page.locator("#review li strong").all_inner_texts() if text.startswith("lost")]
    points = [float(text.split()[1]) for text in lost]
    assert points == sorted(points, reverse=True)
    assert points
    page.locator("[data-do='play-on']").first.click()
    page.wait_for_selector("#table[data-state=mine]")
    expect(page.locator("#moves li")).to_have_count(0)


def test_a_turn_by_keys_and_the_focus_stays(page):
    begin(page, "khasino", 2, position=PICK)
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


# --- looking back ------------------------------------------------------------------------------------------------

QUIET = {
    "variant": "khasino", "players": 2, "layout": ["7S"],
    "hands": [["AC", "2C", "3C", "4D", "5H"], ["TS", "TH", "8S", "9S", "6S"]],
}  # fmt: skip
TAKE = {"variant": "khasino", "players": 2, "hands": [["9D", "2C", "5H"], ["AS", "AH", "3S"]], "layout": ["9S", "4C"]}


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
def test_looking_back_by_buttons_fits(page, size):
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
    expect(page.locator("#hint")).to_contain_text(re.compile(r"Grabber would.*\d+ %", re.DOTALL))
    expect(page.locator("#table .gold")).not_to_have_count(0)
    page.reload()
    my_turn(page)
    assert page.input_value("#adviser") == "greedy"


def test_statistics_count_each_game_once_and_are_cleared(page):
    for seed in (5, 6):
        begin(page, "mini", 2, seed=seed)
        play_out(page, random.Random(seed))
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
def test_what_a_build_is_for_is_shown_from_the_first_page(page):
    page.click("#open-tour")
    expect(page.locator(".tour figure")).to_have_count(3)
    assert page.locator(".tour .build .owner").inner_text() == "You"
    assert page.evaluate("document.querySelector('#sheet').scrollWidth <= document.querySelector('#sheet').clientWidth")
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
