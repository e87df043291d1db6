"""Two pages that are connected: whole live deals, a reload in the middle, a network that is gone for a while."""

import random

import pytest

from tests import page_browser as pages
from tests.page_browser import CHROMIUM, PHONE, expect, ready, serious_findings, step, visiting

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
    pytest.mark.skipif(not pages.BUILT, reason="needs casino compile --target wasm32 --to packages/casino/dist"),
]
HERE, MEETING = "#live[data-other=here]", 30_000


@pytest.fixture(scope="module")
def browser():
    with pages.chromium() as found:
        yield found


@pytest.fixture
def two(browser):
    with pages.serving() as home, visiting(browser, home) as one, visiting(browser, home, PHONE) as other:
        yield one, other


def meet(one, other, variant, players=2):
    """The invitation goes one way, the answer the other."""
    one.click("#open-new")
    one.select_option("#variant", variant)
    one.click(f"#players input[value='{players}']", force=True)
    one.click("#company input[value='live']", force=True)
    one.click("#begin")
    other.goto(link_of(one, "live"))
    other.click("#live-sit")
    one.fill("#live-answer", link_of(other, "answer"))
    one.click("#live-connect")
    for page in (one, other):
        page.wait_for_selector(HERE, timeout=MEETING)


def link_of(page, kind):
    page.wait_for_selector(f"#link[value*='#{kind}=']")
    link = page.input_value("#link")
    assert len(link) < 800
    return link.replace("/#", "/?pace=0#")


def play_on(two, rng, turns=1000):
    """Whoever decides plays, until the game is over on both pages or so many steps have been made."""
    for _ in range(turns):
        if all(page.locator("#sheet .result").count() for page in two):
            return True
        for page in two:
            if page.locator("#table[data-state=mine]").count() and not page.locator("#sheet[open]").count():
                step_live(page, rng)
        two[0].wait_for_timeout(50)
    return False


def step_live(page, rng):
    lit, offered = page.locator("#table .lit"), page.locator("#actions [data-do]")
    if lit.count() and (rng.random() < 0.75 or not offered.count()):
        lit.nth(rng.randrange(lit.count())).click(position={"x": 9, "y": 9})
    if offered.count():
        offered.nth(0).click()


def checked(two):
    for page in two:
        expect(page.locator("#live")).to_contain_text("Checked: nobody chose the deal", timeout=60_000)
    results = [page.locator("#sheet .result").inner_text() for page in two]
    assert sorted(results[0].split()) != [] and len(results) == 2


def test_a_live_deal_of_swazi_and_one_page_is_reloaded(two):
    one, other = two
    meet(one, other, "swazi")
    assert serious_findings(one) == []
    one.click("#live-say")
    one.click("#say-hello")
    expect(other.locator("#toast")).to_contain_text("Friend: Hello!")
    rng = random.Random(1)
    assert not play_on(two, rng, 12)
    for page in (other, one):
        page.reload()
        ready(page)
        for each in two:
            each.wait_for_selector(HERE, timeout=MEETING)
        assert not play_on(two, rng, 6)
    assert play_on(two, rng)
    checked(two)
