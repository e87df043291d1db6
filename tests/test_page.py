"""The static page in a browser: whole deals by clicks, taps and keys, at all sizes, offline, in two tabs."""

import json
import random
import re
import shutil
from datetime import datetime, timedelta

import pytest

from casino_env.play.web import page_files
from casino_env.play.web.page_files import Page, packed, write_page
from casino_env.presets import PRESETS
from casino_env.rules import player_counts
from tests import page_browser as pages
from tests.page_browser import (
    DESK,
    LAPTOP,
    LITTLE,
    PHONE,
    SMALL,
    TURNED,
    begin,
    do,
    do_until_answered,
    expect,
    my_turn,
    new_game,
    play_out,
    ready,
    serious_findings,
    step,
    tap,
    visiting,
)
from tests.situations import PICK, position

pytestmark = pages.NEEDS
CROWDED = position("cassino", ["9S 4D AC 2H", "KS KH KD KC"], layout="9H 6C 3D 5S 4H 2C 7S")
OWNER = position("south-african", ["9D 2C 5H", "AS AH 3S"], layout="4S", builds=[(9, 0, "6C 3D")])
THROWN = position("south-african", ["7S 9H", "9D AH"], layout="7D 9C", round=2, stock="")
QUIET = position("khasino", ["AC 2C 3C 4D 5H", "TS TH 8S 9S 6S"], layout="7S")


@pytest.fixture(scope="module")
def browser():
    with pages.chromium() as found:
        yield found


@pytest.fixture(scope="module")
def home():
    with pages.serving() as address:
        yield address


@pytest.fixture
def page(browser, home):
    with visiting(browser, home) as opened:
        yield opened


# --- choosing a move ---------------------------------------------------------------------------------------------


def test_the_largest_capture_comes_first_and_no_card_moves_under_the_finger(page):
    begin(page, position=CROWDED)
    tap(page, "9S")
    first = page.locator(".options [data-do]").first
    assert first.get_attribute("data-do") == "capture"
    assert "main" in first.get_attribute("class")
    expect(page.locator(".options .main[data-do='discard']")).to_have_count(0)
    first.hover()
    expect(page.locator(".flow .preview").nth(3)).to_be_attached()
    tap(page, "9S")
    places = "[...document.querySelectorAll('.flow .card')].map((card) => card.offsetTop + ' ' + card.offsetLeft)"
    before = page.evaluate(places)
    for token in ("9S", "6C", "3D"):
        tap(page, token)
        assert page.evaluate(places) == before


def test_the_page_says_why_not(page):
    begin(page, position=OWNER)
    tap(page, "2C")
    expect(page.locator(".say")).to_contain_text("Whoever owns a build may not")
    tap(page, "5H")
    page.click("#why")
    expect(page.locator(".say")).to_contain_text("Whoever owns a build may not")
    tap(page, "4S", "2C")
    expect(page.locator(".say")).to_contain_text("One card from the hand is played in a turn")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    expect(page.locator(".say")).to_contain_text("A card from your hand has to be played first")
    page.drag_and_drop(".hand [data-token='2C']", ".felt", target_position={"x": 40, "y": 200})
    expect(page.locator(".say.reason")).to_contain_text("Whoever owns a build may not")


def test_a_turn_by_keys_and_the_focus_stays(page):
    begin(page, "khasino", position=PICK)
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


def by_keys(page):
    """Select the next card, do the first move that it offers, and end the turn."""
    for key in ("ArrowRight", "Enter", "1", "e"):
        page.keyboard.press(key)


def test_a_whole_deal_by_keys(page):
    begin(page, "mini", seed=5)
    for _ in range(60):
        if page.locator("#sheet[open]").count():
            break
        by_keys(page)
        my_turn(page)
    expect(page.locator("#sheet .result")).to_be_visible()


# --- whole deals at all sizes ------------------------------------------------------------------------------------

# Find what sticks out of the window and can be clicked or has to be read, and table cards that are too small or cut.
SEEN = """
() => {
  const all = (selector) => [...document.querySelectorAll(selector)], boxOf = (made) => made.getBoundingClientRect();
  const found = [];
  for (const made of all('.hand .card, .label strong, .plain button, .say, header button')) {
    const box = boxOf(made), room = made.closest('.plain');
    if (!box.width || (room && room.scrollWidth > room.clientWidth)) continue;
    if (box.left < -1 || box.right > innerWidth + 1) found.push(`cut: ${made.outerHTML.slice(0, 120)}`);
  }
  const [flow] = all('.flow'), table = boxOf(all('#table')[0]), room = boxOf(all('.laid')[0]);
  const bottom = Math.max(room.bottom, boxOf(flow).bottom) + 2;
  for (const made of all('.flow .card')) {
    const box = boxOf(made);
    if (box.width < 40) found.push(`small: ${box.width}`);
    if (box.bottom > bottom || box.top < room.top - 10 || box.right > table.right + 1) {
      found.push(`hidden: ${Math.round(box.top)} to ${Math.round(box.bottom)}`);
    }
  }
  if (flow.scrollHeight > flow.clientHeight + 2) found.push('the felt scrolls');
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is too wide');
  return found;
}
"""


@pytest.mark.parametrize(
    ("variant", "size"),
    [("cassino", LAPTOP), ("kasa", PHONE), ("swazi", SMALL), ("african", LITTLE), ("royal", TURNED)],
)
def test_a_whole_deal(browser, home, variant, size):
    with visiting(browser, home, size, has_touch=size[0] < 900) as page:
        begin(page, variant, player_counts(variant)[-1], seed=9)
        play_out(page, random.Random(1), lambda: fits(page))
        assert page.locator("#sheet .result").is_visible()
        page.click("#sheet-close")
        page.click("#see-result")
        page.click("#after-again")
        my_turn(page)


def fits(page):
    assert page.evaluate(SEEN) == []


# --- the end, and what is kept -----------------------------------------------------------------------------------


def test_a_game_is_there_after_a_reload_and_on_top_of_the_first_page(page):
    begin(page, "khasino", position=PICK)
    tap(page, "5D", "4S")
    page.locator(".options [data-do]").first.click()
    expect(page.locator(".build")).to_have_count(1)
    page.reload()
    my_turn(page)
    expect(page.locator(".build")).to_have_count(1)
    expect(page.locator("#undo")).to_be_visible()
    page.click("#open-games")
    going = page.locator("#going .game")
    expect(going).to_have_count(1)
    assert going.bounding_box()["y"] < page.locator("[data-game]").first.bounding_box()["y"]
    going.click()
    my_turn(page)
    page.go_back()
    page.click("#going .forget")
    expect(going).to_have_count(0)


def test_games_go_to_a_file_and_come_back(page, tmp_path):
    begin(page, "mini", seed=5)
    page.click("#open-games")
    with page.expect_download() as got:
        page.click("#export")
    file = tmp_path / "games.json"
    got.value.save_as(file)
    assert json.loads(file.read_text())["format"] == "casino-games 1"
    page.click("#going .forget")
    expect(page.locator("#going .game")).to_have_count(0)
    broken = tmp_path / "other.json"
    broken.write_text('{"format": "casino-games 0"}')
    page.click("#import")
    page.set_input_files("#import-file", broken)
    page.click("#import-read")
    expect(page.locator("#sheet .error")).to_contain_text("not a file of games")
    broken.write_text('{"format": "casino-games 1", "games": [{"id": "x", "saved": {}}]}')
    page.set_input_files("#import-file", broken)
    page.click("#import-read")
    expect(page.locator("#sheet .error")).to_contain_text("game 1 of this file cannot be read")
    page.set_input_files("#import-file", file)
    page.click("#import-read")
    expect(page.locator("#going .game")).to_have_count(1)
    page.click("#going .game")
    my_turn(page)


def test_statistics_count_each_game_once_and_are_cleared(page):
    for seed in (5, 6):
        begin(page, "mini", seed=seed)
        play_out(page, random.Random(seed))
        page.reload()  # the result is shown again, but not counted again
        page.wait_for_selector("#sheet[open]")
        page.click("#sheet-close")
        page.click("#open-games")
    page.click("#open-statistics")
    rows = page.locator("#statistics tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("against Grabber")
    assert rows.first.locator("td").all_inner_texts()[0] == "2"
    page.click("#statistics-clear")
    expect(rows).to_have_count(1)
    page.click("#statistics-clear")
    expect(page.locator("#sheet-body")).to_contain_text("Nothing yet")


def test_a_link_clicked_while_the_history_leaves_a_closed_dialog_is_followed(page):
    begin(page, "mini", seed=5)
    page.click("#open-rules")
    page.wait_for_selector("#sheet[open]")
    page.evaluate("""
        const back = history.back.bind(history);
        history.back = () => { back(); document.getElementById("open-games").click(); };
        null""")
    page.click("#sheet-close")
    expect(page.locator("#open-statistics")).to_be_visible()
    page.wait_for_timeout(300)
    expect(page.locator("#open-statistics")).to_be_visible()
    assert "game=" not in page.url


def test_the_first_page_asks_which_game_one_knows_and_gives_its_deal_of_the_day(browser, home):
    with visiting(browser, home) as page:
        page.locator("#know .button", has_text="Swazi Casino").click()
        assert page.input_value("#variant") == "swazi"
        page.click("#begin")
        my_turn(page)
        page.click("#open-games")
        expect(page.locator("#know .button")).to_have_count(0)
        expect(page.locator("#play-now")).to_have_text("Play Swazi Casino")
        page.click("#deal-day")
        my_turn(page)
        expect(page.locator("#title")).to_contain_text("Deal of the day: Swazi Casino")
        page.evaluate(
            "delete Navigator.prototype.share; navigator.clipboard.writeText = async (text) => { copied = text; }"
        )
        play_out(page, random.Random(1))
        page.click("#after-share")
        expect(page.locator("#toast.on")).to_contain_text("clipboard")
        told = re.match(r"Swazi Casino, .*: (\d+ to \d+).* http.*#deal=", page.evaluate("copied"))
        assert told
        page.evaluate("location.hash = ''")
        expect(page.locator("#day-result")).to_have_text(f"Today: {told[1]}")
        page.clock.set_fixed_time(datetime.now() + timedelta(days=1))
        page.reload()
        expect(page.locator("#day-result")).to_have_text(f"Yesterday: {told[1]}")
        page.click("#day-result")
        expect(page.locator("#title")).to_contain_text("Deal of the day")


# --- the first lesson --------------------------------------------------------------------------------------------


def learn(page):
    """Solve every board with its hints."""
    while page.locator("#try-next, #first-deal").count() == 0 or page.locator("#try-next").count():
        if page.locator("#try-next").count():
            page.click("#try-next")
        while not page.locator("#verdict").count():
            page.click("#ask-hint")
            page.click("#ask-hint")
            hinted = page.locator("#table .gold").evaluate_all("all => all.map(one => one.dataset.token)")
            for token in hinted:
                page.locator(f"#table [data-token='{token}']").first.click(position={"x": 9, "y": 9})
            page.click("#actions .main[data-do]")
            page.wait_for_selector("#table[data-state=mine], #verdict")
        expect(page.locator("#verdict.right")).to_be_visible()


@pytest.mark.parametrize(("variant", "size"), [("swazi", LITTLE), ("kasa", TURNED)])
def test_lessons_of_one_move(browser, home, variant, size):
    with visiting(browser, home, size) as page:
        page.evaluate(f"location.hash = 'lesson={variant}.1'")
        tap(page, "4D")
        page.click("#actions [data-do='discard']")
        expect(page.locator("#verdict")).to_contain_text("Take the")
        assert serious_findings(page) == []
        page.click("#open-rules")
        ranks = page.locator("#sheet .tour [data-card]").evaluate_all("all => all.map(one => one.dataset.card[0])")
        assert ranks and not set(ranks) & set("JQK")
        page.click("#sheet-close")
        page.click("#try-again")
        learn(page)
        expect(page.locator(".lessons .done")).to_have_count(10)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")  # hidden elements take no room
        page.click("#lesson-back")
        expect(page.locator("#title")).to_contain_text("9 of 10")
        page.reload()
        ready(page)
        expect(page.locator(".lessons .done")).to_have_count(10)
        assert page.evaluate("localStorage['casino-lessons']").count('"like"') == 1


def test_a_first_lesson_explains_what_can_be_done(browser, home):
    with visiting(browser, home, LITTLE) as page:
        page.evaluate("location.hash = 'lesson=south-african.10'")
        learn(page)
        page.evaluate("location.hash = ''")
        expect(page.locator("#start-here")).to_have_text("Lessons: 1 done")
        page.go_back()
        page.wait_for_selector("#table[data-state=mine]")
        learn(page)
        page.click("#first-deal")
        expect(page.locator("#sheet-body")).to_contain_text("most points")
        expect(page.locator("#sheet-body .card")).not_to_have_count(0)
        page.click("#sheet-close")
        my_turn(page)
        expect(page.locator("#table .gold")).not_to_have_count(0)
        assert serious_findings(page) == []
        play_out(page, random.Random(1), lambda: fits(page))
        expect(page.locator("#coach")).not_to_be_empty()
        page.click("#sheet-close")
        expect(page.locator("#coach")).to_contain_text("That was a deal")


# --- people ------------------------------------------------------------------------------------------------------


def test_two_share_a_device_and_hands_are_hidden(page):
    new_game(page, "mini", company="person")
    page.click("#begin")
    seen = []
    for _ in range(60):
        page.wait_for_selector("#sit, #table[data-state=mine], #sheet[open]")
        if page.locator("#sheet[open]").count():
            break
        if page.locator("#sit").count():
            expect(page.locator(".hand .card").first).to_be_hidden()
            assert serious_findings(page) == []
            page.keyboard.press("Tab")
            page.click("#sit")
            my_turn(page)
            expect(page.locator(".seat .card[data-card]")).to_have_count(0)  # nobody else's hand
            seen.append(page.locator(".own").get_attribute("data-seat"))
        by_keys(page)
    expect(page.locator("#sheet .result")).to_be_visible()
    assert {"0", "1"} == set(seen)


def test_two_play_by_links(browser, home):
    rng = random.Random(1)
    with visiting(browser, home) as one, visiting(browser, home, PHONE) as other:
        new_game(one, "mini", company="friend")
        one.click("#begin")
        my_turn(one)
        mover, waiter = one, other
        for turn in range(40):
            _one_turn(mover, rng)
            if mover.locator("#sheet .result").count():
                break
            link = mover.input_value("#link")
            assert len(link) < 600
            if turn == 0:
                assert serious_findings(mover) == []
            mover.click("#sheet-close")
            waiter.goto(link)
            mover, waiter = waiter, mover
            mover.wait_for_selector("#table[data-state=mine]")
        mover.click("#after-turn")
        last = mover.input_value("#link")
        waiter.goto(last)
        expect(waiter.locator("#sheet .result")).to_be_visible()


def _one_turn(page, rng):
    while page.locator("#table[data-state=mine]").count():
        step(page, rng)
    page.wait_for_selector("#link, #sheet .result")


def test_a_challenge_shows_both_results(browser, home):
    with visiting(browser, home) as one, visiting(browser, home) as other:
        begin(one, "mini", seed=5)
        held = one.inner_text(".own .hand")
        play_out(one, random.Random(1))
        one.click("#after-deal")
        other.goto(one.input_value("#link"))
        expect(other.locator("#sheet")).to_contain_text("challenges you")
        assert serious_findings(other) == []
        other.click("#sheet-close")
        my_turn(other)
        assert other.inner_text(".own .hand") == held
        play_out(other, random.Random(3))
        expect(other.locator(".result tr.duplicate")).to_contain_text("Friend", timeout=60_000)
        other.click("#after-reply")
        expect(other.locator("#sheet")).to_contain_text("Send this link back")
        one.goto(other.input_value("#link"))
        expect(one.locator(".result tr.duplicate")).to_contain_text("Friend", timeout=60_000)


@pytest.fixture
def modules(monkeypatch):
    """Yield the address of the page with unbundled scripts, and their folder."""
    monkeypatch.setattr(page_files, "BUNDLE", "none")
    with pages.serving() as home:
        yield home, f"./v/{page_files.Page().version}/"


def test_a_link_never_replaces_a_game(browser, modules):
    """A stranger's link has the id of a game that is here, but other cards: both games are kept."""
    home, folder = modules
    forged = """async (folder) => {
        const { Table, linkOf } = await import(folder + "table/index.js");
        const id = location.hash.match(/game=([\\w-]+)/)[1];
        const setup = { variant: "mini", players: 2, seats: ["you", "friend"], seed: 4242, rules: {}, match: false };
        return [id, linkOf(new Table(setup), id)];
    }"""
    with visiting(browser, home) as page:
        begin(page, "mini", seed=5)
        held = page.inner_text(".own .hand")
        known, link = page.evaluate(forged, folder)
        page.goto(f"{home}?again#turn={link}")
        expect(page.locator("#sheet")).to_contain_text("does not continue the game")
        page.click("#sheet-close")
        my_turn(page)
        assert page.inner_text(".own .hand") == held and page.url.endswith(f"game={known}")
        page.goto(f"{home}?further#turn={link}")
        page.click("#link-other")
        page.wait_for_url(f"**#game={known}-3")


# --- languages ---------------------------------------------------------------------------------------------------

# A language whose sentences are 1.5 times as long as in English.
LONG = """
import { Speaker } from "../words/message.js";
const parts = Speaker.prototype.parts;
const half = (word) => word + word.slice(-Math.ceil(word.length / 2));
const isText = ({ card, seat }) => !card && seat === undefined;
const long = (part) => (isText(part) ? { text: part.text.replace(/\\p{L}{2,}/gu, half) } : part);
let inside = 0;
Speaker.prototype.parts = function (message) {
  inside += 1;
  try {
    const made = parts.call(this, message);
    return inside > 1 ? made : made.map(long);
  } finally {
    inside -= 1;
  }
};
export const words = { locale: "af" };
"""
WIDE = "['html', 'main', 'dialog[open]'].map((each) => document.querySelector(each)).filter(Boolean)"
WIDE += ".some((each) => each.scrollWidth > each.clientWidth)"


def speaking(page, language):
    page.evaluate(f"localStorage['casino-settings'] = JSON.stringify({{ autoEnd: false, language: '{language}' }})")
    page.reload()
    ready(page)


def test_sentences_half_as_long_again_have_room(browser, modules):
    home, _ = modules
    with visiting(browser, home, PHONE) as page:
        page.route("**/languages/af.js", lambda route: route.fulfill(body=LONG, content_type="text/javascript"))
        speaking(page, "af")
        expect(page.locator("#open-new")).not_to_have_text("New game")
        assert not page.evaluate(WIDE)
        page.click("#open-new")
        page.click("#new-more > summary")
        assert not page.evaluate(WIDE)
        page.click("#cancel")
        begin(page, "swazi", 3, seed=4)
        play_out(page, random.Random(1), lambda: fits(page))
        assert not page.evaluate(WIDE)


# --- layout: six seats, large texts, the left hand ---------------------------------------------------------------

# Find what cannot be read at the other seats, and an options area of fewer than three lines.
CUT = """
() => {
  const all = (selector) => [...document.querySelectorAll(selector)], boxOf = (made) => made.getBoundingClientRect();
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const found = [];
  for (const seat of all('.seat')) {
    const pile = boxOf(seat.querySelector('.pile')), texts = [...seat.querySelectorAll('strong, .counts span')];
    if (texts.length < 3) found.push('a name or a count is missing');
    for (const made of [...texts, seat.querySelector('.pile')]) {
      const box = boxOf(made);
      const short = texts.includes(made) && made.clientWidth && made.scrollWidth > made.clientWidth + 1;
      if (!box.width || box.left < 0 || box.right > innerWidth || short) found.push(`cut: ${made.textContent}`);
      if (texts.includes(made) && over(box, pile)) found.push(`under a pile: ${made.textContent}`);
    }
  }
  const options = all('.options')[0], line = parseFloat(getComputedStyle(options).lineHeight);
  const asked = all('.plain [data-do="yes"]').length; // its answers are the options
  if (!asked && options.clientHeight < 3 * line) found.push(`${options.clientHeight / line} lines of options`);
  return found;
}
"""


@pytest.mark.parametrize("size", [(360, 740), (740, 360)])
@pytest.mark.parametrize(("variant", "players"), [("california", 6), ("kasa", 4)])
def test_all_seats_of_a_phone_are_seen_whole(browser, home, variant, players, size):
    with visiting(browser, home, size, has_touch=True, is_mobile=True) as page:
        begin(page, variant, players, seed=3)
        rng = random.Random(2)
        for _ in range(6):
            assert page.evaluate(CUT) == []
            step(page, rng)


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_texts_twice_as_large_and_controls_for_the_left_hand(browser, home, size):
    with visiting(browser, home, size, has_touch=size == PHONE) as page:
        page.click("#open-settings")
        before = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
        page.select_option("#set-text", "2")
        page.select_option("#set-hand", "left")
        assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 2 * before
        page.click("#sheet-close")
        page.wait_for_timeout(300)  # until the dialog's entry in the history is gone
        page.reload()
        ready(page)
        assert not page.evaluate(WIDE)
        begin(page, "swazi", 3, seed=8)
        rng = random.Random(1)
        for _ in range(9):
            small = "[...document.querySelectorAll('.flow .card')].some((card) => card.offsetWidth < 40)"
            assert not page.evaluate(small) and not page.evaluate(WIDE)
            step(page, rng)
        middle, table = size[0] / 2, page.locator("#table").bounding_box()
        assert page.locator("#ask-hint").bounding_box()["x"] < middle
        assert size == PHONE or page.locator("#panel").bounding_box()["x"] < table["x"]
        assert serious_findings(page) == []


def test_piles_are_counted_at_the_end(page):
    begin(page, "mini", seed=5)
    play_out(page, random.Random(5))
    captured = page.locator(".result tr.captured").first.locator("td").all_inner_texts()
    assert page.locator(".counting strong").all_inner_texts() == captured
    sizes = page.locator(".counted").evaluate_all("all => all.map((pile) => `${pile.childElementCount}`)")
    assert sizes == captured


def test_a_speaker_reads_all_texts_and_sends_a_file(browser, home, tmp_path):
    with visiting(browser, home, PHONE) as page:
        speaking(page, "zu")
        page.click("#open-settings")
        page.click("#speak")
        missing = re.compile(r"(\d+) of \d+ texts")
        expect(page.locator("#sheet-body")).to_contain_text(missing)
        assert int(missing.findall(page.inner_text("#sheet-body"))[0]) > 500
        page.click("[data-place='after.result'] summary")
        expect(page.locator("[data-place='after.result'] img")).to_be_visible()
        page.wait_for_function("document.querySelector('.speak img').complete")
        assert page.evaluate("document.querySelector('.speak img').naturalWidth") != 0
        text = page.locator("[data-words='sheet.left']")
        text.fill("{who} {cards")
        expect(page.locator(".words", has=text).locator(".error")).to_contain_text("expected")
        text.fill("{who}: {cards, list, space}")
        assert serious_findings(page) == []
        with page.expect_download() as got:
            page.click("#speak-file")
        got.value.save_as(tmp_path / "words.json")
        sent = json.loads((tmp_path / "words.json").read_text())
        assert sent["language"] == "zu" and sent["texts"] == {"sheet.left": "{who}: {cards, list, space}"}


BROKEN = """
() => {
  const found = [], walker = document.createTreeWalker(document.querySelector('dialog[open]') ?? document.body, 4);
  while (walker.nextNode()) {
    const node = walker.currentNode, range = document.createRange();
    if (!node.parentElement.checkVisibility() || node.parentElement.closest('.unseen, [aria-hidden]')) continue;
    for (const word of node.data.matchAll(/[\\p{L}\\u2019]+/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (tops.size > 1) found.push(word[0]);
    }
  }
  return found;
}
"""


@pytest.mark.parametrize("language", ["en", "af", "pt", "zu"])
def test_no_word_is_broken_on_a_small_screen(browser, home, language):
    with visiting(browser, home, LITTLE, has_touch=True, is_mobile=True) as page:
        speaking(page, language)
        assert page.evaluate(BROKEN) == []
        page.click("#open-settings")
        assert page.evaluate(BROKEN) == []
        page.click("#sheet-close")
        page.click("#open-new")
        page.click("#new-more > summary")
        assert page.evaluate(BROKEN) == []
        page.click("#cancel")
        begin(page, "mini", seed=5)
        assert page.evaluate(BROKEN) == []
        play_out(page, random.Random(5))
        assert page.evaluate(BROKEN) == []


# --- looking back, replays, hints, reviews -----------------------------------------------------------------------


def lay(page, card):
    """Play a turn that leaves a card on the table."""
    tap(page, card)
    page.click("[data-do=discard]")
    my_turn(page)
    if page.locator("[data-do=end]").count():
        page.click("[data-do=end]")
    my_turn(page)


def test_looking_back_and_back_to_now(page):
    begin(page, "khasino", position=QUIET)
    lay(page, "2C")
    before = page.inner_text(".own .hand")
    lay(page, "4D")
    now = page.inner_text(".own .hand")
    page.keyboard.press("b")
    page.wait_for_selector("#table[data-state=past]")
    expect(page.locator("#table .lit")).to_have_count(0)
    expect(page.locator(".seat .card[data-card]")).to_have_count(0)  # nobody else's hand
    for name in ("one step back", "one step on", "Back to now"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=0.9)
    for _ in range(9):
        if "You lay down the 4" in page.inner_text(".say"):
            break
        page.click("#back")
    assert page.inner_text(".own .hand") == before
    page.click("#to-now")
    my_turn(page)
    assert page.inner_text(".own .hand") == now


def test_hints_show_cards_and_words(page):
    page.click("#play-now")
    my_turn(page)
    page.keyboard.press("h")
    expect(page.locator("#hint")).to_contain_text("would", timeout=60_000)
    expect(page.locator("#table .gold")).not_to_have_count(0)
    page.click("#open-settings")
    page.select_option("#set-adviser", "greedy")
    page.click("#sheet-close")
    page.click("#ask-hint")
    expect(page.locator("#hint")).to_contain_text("Grabber would")


def test_a_replay_has_an_address_and_keys(page):
    begin(page, "mini", seed=5)
    play_out(page, random.Random(5))
    page.click("#after-replay")
    expect(page.locator("#replay-count")).to_contain_text("0 /")
    for at in range(1, 5):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#replay-count")).to_contain_text(f"{at} /")
    page.reload()
    expect(page.locator("#replay-count")).to_contain_text("4 /")
    page.keyboard.press("Home")
    expect(page.locator("#replay-count")).to_contain_text("0 /")


def test_a_review_leads_to_a_position_to_play_on_from_and_the_worst_turns_to_try_again(page):
    begin(page, position=THROWN)
    lay(page, "9H")
    play_out(page, random.Random(6))
    page.click("#after-review")
    expect(page.locator("#review")).to_be_in_viewport()
    expect(page.locator("#review [role=status]")).to_contain_text(re.compile("decision|clear mistake"), timeout=30_000)
    expect(page.locator("#review progress")).to_have_count(0, timeout=300_000)
    lost = [float(row.get_attribute("data-lost")) for row in page.locator("#review li.mistake").all()]
    assert lost == sorted(lost, reverse=True)
    expect(page.locator(".graph rect.mistake")).to_have_count(len(lost))
    expect(page.locator(".marks span")).to_have_count(len(lost))
    page.keyboard.press("Home")
    for _ in lost:
        page.keyboard.press("m")
    expect(page.locator("#review li[aria-current]")).to_have_class("mistake")
    expect(page.locator("#mistake-next")).to_be_disabled()
    page.locator(".graph").click(position={"x": 1, "y": 20})
    expect(page.locator("#replay-count")).to_contain_text("0 /")
    first = page.locator("#review li").first
    first.get_by_role("button", name="Show").click()
    expect(page.locator("#table")).to_be_in_viewport(ratio=0.5)
    page.locator("#review [data-do='play-on']").first.click()
    page.wait_for_selector("#table[data-state=mine]", timeout=60_000)
    page.go_back()
    page.click("#try-worst", timeout=120_000)
    expect(page.locator("#review")).to_contain_text("You played:")
    page.locator(".hand .lit").first.click()
    do_until_answered(page)
    assert serious_findings(page) == []


def test_a_puzzle_is_found_and_counts(page):
    page.click("#open-puzzles")
    page.select_option("#theme", "steal")
    expect(page.locator("[data-puzzles='cassino']")).to_have_count(0)
    page.click("[data-puzzles='khasino']")
    expect(page.locator("#review")).to_contain_text("Find the best turn")
    expect(page.locator("#own-rating")).to_contain_text("1500?")
    page.click("#ask-hint")
    expect(page.locator(".say.reason")).to_contain_text("something can be stolen", timeout=60_000)
    page.click("#ask-hint")
    expect(page.locator(".hand .gold")).not_to_have_count(0, timeout=60_000)
    expect(page.locator(".seat .card[data-card]")).not_to_have_count(0)  # all hands lie open
    assert serious_findings(page) == []
    page.locator(".hand .lit").first.click()
    do_until_answered(page)
    expect(page.locator("#noted")).to_contain_text(re.compile(r"Steal. Difficulty \d+. Your rating: \d+\? \(\D\d+\)"))
    assert page.evaluate("JSON.parse(localStorage['casino-rating']).rating") < 1500
    before = page.inner_text("#title")
    page.click("#try-next")
    expect(page.locator("#title")).not_to_have_text(before)
    page.evaluate("location.hash = ''")
    expect(page.locator("#numbers")).to_contain_text("Your rating")
    page.click("#open-puzzles")
    expect(page.locator("[data-puzzles='khasino']")).to_contain_text("1 of 100 tried, 0 found")
    page.click("#sheet-close")
    page.click("#open-statistics")
    expect(page.locator("#sheet-body")).to_contain_text("Your rating")


# --- offline, in two tabs, motion --------------------------------------------------------------------------------


def test_what_was_loaded_works_without_a_network(browser, home):
    with visiting(browser, home, worker=True) as page:
        begin(page, "south-african", seed=3)
        play_out(page, random.Random(1))
        page.click("#sheet-close")
        page.wait_for_timeout(500)
        page.context.set_offline(True)
        page.goto(home + "?pace=0")
        ready(page)
        expect(page.locator("[data-game]")).to_have_count(len(PRESETS))
        begin(page, "south-african", seed=4)
        play_out(page, random.Random(2))
        assert page.locator("#sheet .result").is_visible()


def _new_version(folder) -> None:
    """Publish a new version of the page with another style."""
    (old,) = (folder / "v").iterdir()
    new = folder / "v/0123456789ab"
    shutil.copytree(old, new)
    (new / "page.css").write_text("h1 { color: #010203; }")
    files = json.loads((new / "files.json").read_text())
    (new / "files.json").write_text(json.dumps(files | {"page.css": ["other", 1]}))
    index = folder / "index.html"
    index.write_text(index.read_text().replace(old.name, new.name))


@pytest.mark.parametrize("looked", ["0", "9999999999999"])  # time of the last check; the clock may have been far ahead
def test_a_new_version_is_fetched_whole_and_offered(browser, tmp_path, looked):
    asked: list[str] = []
    write_page(tmp_path / "page")
    colour = "getComputedStyle(document.querySelector('h1')).color"
    outdated = "(async (looked) => (await caches.open('casino-1')).put('./complete', new Response(looked)))"
    scripts = "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/v/'))"
    with pages.hosting(tmp_path / "page", asked) as home, visiting(browser, home, worker=True) as page:
        page.wait_for_timeout(2000)
        _new_version(tmp_path / "page")
        page.evaluate(f"{outdated}('{looked}')")
        asked.clear()
        page.reload()
        ready(page)
        assert page.evaluate(colour) != "rgb(1, 2, 3)"
        page.get_by_role("button", name="Load it").click()
        ready(page)
        expect(page.locator("#banner")).to_be_hidden()
        assert page.evaluate(colour) == "rgb(1, 2, 3)"
        assert all("/v/0123456789ab/" in url for url in page.evaluate(scripts))
        inner = {path.split("/")[-1] for path in asked if path.startswith("/v/")}
        assert inner == {"files.json", "page.css"}  # unchanged files are not fetched again


def test_going_back_closes_a_dialog(browser, home):
    with visiting(browser, home) as page:
        page.click("[data-game='swazi']")
        page.click("#rules-before")
        page.go_back()
        expect(page.locator("#sheet")).to_be_hidden()
        expect(page.locator("#new-game")).to_be_visible()
        page.go_back()
        expect(page.locator("#new-game")).to_be_hidden()
        begin(page, "khasino", seed=5)
        page.click("#open-rules")
        page.click("#sheet-close")
        page.wait_for_timeout(200)
        page.go_back()  # from the game: closed dialogs leave no entry in the history
        expect(page.locator("#home")).to_be_visible()


def test_what_is_pressed_before_the_scripts_have_come_opens_with_them(browser, home):
    context = browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]})
    page = context.new_page()
    held: list = []
    page.route("**/main.js", lambda route: held.append(route))
    page.goto(home, wait_until="commit")
    page.click("[data-game='kasa']")
    expect(page.locator("#loading")).to_be_visible()
    held[0].continue_()
    expect(page.locator("#new-game")).to_be_visible()
    assert page.input_value("#variant") == "kasa"
    context.close()


def test_the_first_page_stands_in_html(page):
    from docs import first_page

    assert first_page.drawn(page) == first_page.INDEX.read_text("utf-8"), "python docs/first_page.py"


NOTHING_KEPT = """for (const name of ["indexedDB", "localStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });"""


def test_without_storage_it_is_played_and_said_that_nothing_is_kept(browser, home):
    with visiting(browser, home) as page:
        page.add_init_script(NOTHING_KEPT)
        page.reload()
        ready(page)
        expect(page.locator("#toast.on")).to_contain_text("stores nothing")
        begin(page, "khasino", position=QUIET)
        tap(page, "2C")
        do(page, "discard")
        page.click("#open-games")
        expect(page.locator("#going .game")).to_have_count(1)


def test_a_game_dealt_with_a_network_is_played_without(browser, home):
    with visiting(browser, home, worker=True) as page:
        page.wait_for_timeout(1000)
        page.click("[data-game='swazi']")
        page.click("#level input[value='2']", force=True)
        page.click("#begin")
        my_turn(page)
        page.context.set_offline(True)
        for _ in range(4):
            step(page, random.Random(1))
        page.goto(home + "?pace=0")
        ready(page)
        page.click("[data-game='kasa']")
        page.click("#level input[value='2']", force=True)
        page.click("#begin")
        expect(page.locator("#toast.on")).to_contain_text("plays instead")
        my_turn(page)


def test_all_can_be_kept_for_later(browser, home):
    with visiting(browser, home, worker=True) as page:
        page.wait_for_timeout(1000)
        page.reload()
        ready(page)
        page.click("#keep-all")
        page.click("#keep-now")
        expect(page.locator("#toast.on")).to_contain_text("now works offline", timeout=60_000)
        page.context.set_offline(True)
        page.click("#puzzle-day")
        expect(page.locator("#review")).to_contain_text("of")


@pytest.mark.parametrize("size", [PHONE, LITTLE, TURNED, LAPTOP])
def test_hints_and_reviews_are_where_the_eye_is(browser, home, size):
    inside = (
        "(box) => { const { top, bottom } = box.getBoundingClientRect(); return top >= 0 && top < innerHeight - 40; }"
    )
    with visiting(browser, home, size) as page:
        begin(page, "mini", seed=3)
        page.keyboard.press("h")
        hint = page.locator(":is(.options .hint, #hint):visible")
        expect(hint).to_contain_text("would", timeout=60_000)
        assert hint.evaluate(inside)
        play_out(page, random.Random(1))
        page.click("#after-review")
        expect(page.locator("#review progress")).to_have_count(0, timeout=60_000)
        assert page.locator("#review h2").evaluate(inside)
        assert page.locator("#review").bounding_box()["height"] > 90


def test_a_game_is_played_in_one_tab_at_a_time(browser, home):
    with visiting(browser, home) as page:
        begin(page, "khasino", seed=5)
        other = page.context.new_page()
        other.goto(page.url)
        expect(other.locator("#banner")).to_contain_text("another page")
        expect(other.locator("#table .lit")).to_have_count(0)
        other.locator(".hand .card").first.click()
        expect(other.locator("#toast.on")).to_contain_text("another page")
        page.locator(".hand .lit").first.click()
        do(page, "discard")
        other.click("#banner button")
        my_turn(other)
        assert other.locator("#moves li").count() == page.locator("#moves li").count()
        expect(page.locator("#banner")).to_contain_text("another page")


SLOW_LOCKS = """{
    const request = LockManager.prototype.request;
    LockManager.prototype.request = async function (...given) {
        await new Promise((done) => setTimeout(done, 700));
        return request.apply(this, given);
    };
}"""


def test_what_is_chosen_at_once_stays_chosen(page):
    page.add_init_script(SLOW_LOCKS)
    page.reload()
    ready(page)
    begin(page, "khasino", position=QUIET)
    tap(page, "2C")
    page.wait_for_timeout(1000)
    expect(page.locator("[data-do=discard]")).to_have_count(1)


# --- accessibility, sizes ----------------------------------------------------------------------------------------

VIEWS = ("home", "new", "game", "hint", "partners", "result", "replay", "rules", "tour", "settings", "past")


def _open(page, view):
    if view == "home":
        return
    if view == "new":
        page.click("#open-new")
        page.click("#new-more > summary")
    elif view == "tour":
        page.click("#open-tour")
    elif view in ("result", "replay"):
        begin(page, "mini", seed=5)
        play_out(page, random.Random(2))
        if view == "replay":
            page.click("#after-replay")
    else:
        begin(page, "swazi", 4 if view == "partners" else 3, seed=8)
        page.locator(".hand .lit").first.click()
        if view in ("rules", "settings"):
            page.click(f"#open-{view}")
        elif view == "hint":
            page.keyboard.press("h")
            page.wait_for_selector("#hint >> text=points", state="attached", timeout=60_000)
        elif view == "past":
            do(page, page.locator(".options [data-do]").first.get_attribute("data-do"))
            page.keyboard.press("b")


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_serious_keeps_people_out(browser, home, view):
    for colours, size in (("light", DESK), ("dark", LITTLE)):
        with visiting(browser, home, size, color_scheme=colours) as page:
            _open(page, view)
            assert serious_findings(page) == []


def test_a_first_load_is_small(browser, home):
    """Count all that is fetched up to the first card against a policy, compressed as by most hosts."""
    with visiting(browser, home, pace=0) as page:
        addresses: list[str] = []
        page.context.on("request", lambda request: addresses.append(request.url.removeprefix(home).split("?")[0]))
        page.reload()
        ready(page)
        page.click("[data-game='khasino']")
        page.click("#level input[value='1']", force=True)
        page.click("#begin")
        my_turn(page)
        page.locator(".hand .lit").first.click()
        page.locator("#actions [data-do]").first.click()
        my_turn(page)
    served, size = Page(), 0
    for address in set(addresses):
        size += len(packed(served.read(address or "index.html")))
    if "table.js" in {address.split("/")[-1] for address in served.addresses}:
        pytest.skip("the scripts are not bundled: make page")
    assert size < 600_000 and len(addresses) <= 40
