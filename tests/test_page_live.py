"""Two connected pages: whole live deals, a reload in the middle, a network that is gone for a minute."""

import os
import random
import re
import subprocess
import sys

import pytest

from tests import page_browser as pages
from tests.page_browser import CHROMIUM, PHONE, ROOT, expect, my_turn, ready, serious_findings, visiting

pytestmark = pages.NEEDS
HERE, GONE, MEETING = "#live[data-other=here]", "#live[data-other=gone]", 90_000
DOOR = "#live[data-door=open]"  # the pages can reconnect without a link


@pytest.fixture
def two():
    with (
        pages.chromium() as browser,
        pages.serving() as home,
        visiting(browser, home) as one,
        visiting(browser, home, PHONE) as other,
    ):
        yield one, other


def meet(one, other, variant, players=2):
    answer(one, other, variant, players)
    one.click("#live-connect")
    both(one, other, HERE)


def answer(one, other, variant, players=2):
    """Send the invitation to the other page and its answer back."""
    pages.new_game(one, variant, players, "live")
    one.click("#begin")
    link = link_of(one, "live")
    one.evaluate("navigator.clipboard.writeText = async () => {}")
    one.click("#link-copy")
    expect(one.locator("#live-answer")).to_be_visible()  # the answer is pasted here
    other.goto(link)
    assert serious_findings(other) == []
    expect(other.locator("#live-sit")).to_be_focused()
    other.click("#live-sit")
    one.fill("#live-answer", link_of(other, "answer"))
    assert serious_findings(one) == []


def both(one, other, what):
    for page in (one, other):
        page.wait_for_selector(what, timeout=MEETING)


def link_of(page, kind):
    page.wait_for_selector(f"#link[value*='#{kind}=']")
    link = page.input_value("#link")
    assert len(link) < 800
    return link.replace("/#", "/?pace=0#")


def play_on(two, rng, looks=1500):
    """Let whoever is to move play; return whether the game is over on both pages within this many looks."""
    for _ in range(looks):
        if all(page.locator("#sheet .result").count() for page in two):
            return True
        for page in two:
            if page.locator("#table[data-state=mine]").count():
                pages.press(page, rng)
        two[0].wait_for_timeout(50)
    return False


def play_out(two, rng):
    assert play_on(two, rng)
    for page in two:
        expect(page.locator("#live")).to_contain_text("Checked: nobody chose the deal", timeout=60_000)


def test_a_live_deal_of_swazi_and_both_pages_are_reloaded(two):
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
        both(one, other, HERE)
        assert not play_on(two, rng, 6)
    play_out(two, rng)


CHANNELS = """window.channels = [];
const { createDataChannel } = RTCPeerConnection.prototype;
RTCPeerConnection.prototype.createDataChannel = function (...words) {
  channels.push(createDataChannel.apply(this, words));
  return channels.at(-1);
};"""


def test_each_comes_in_through_the_other_s_door_at_once(two):
    one, other = two
    for page in two:
        page.add_init_script(CHANNELS)
        page.reload()
    meet(one, other, "mini")
    for _ in range(8):
        both(one, other, DOOR)
        before = [page.evaluate("channels.length") for page in two]
        one.evaluate("channels.filter(({ readyState }) => readyState === 'open').forEach((each) => each.close())")
        for page, count in zip(two, before, strict=True):
            while page.evaluate("channels.length") < count + 2:  # a channel that reconnects, and a new door
                page.wait_for_timeout(50)
        both(one, other, HERE)
        one.click("#live-say")
        one.click("#say-hello")
        expect(other.locator("#toast")).to_contain_text("Friend: Hello!")
        expect(other.locator("#toast")).to_be_hidden()
    play_out(two, random.Random(1))


def test_who_never_meets_plays_by_links_and_may_meet_later(two):
    one, other = two
    answer(one, other, "mini")
    other.goto("about:blank")
    one.click("#live-connect")
    one.wait_for_selector("#live[data-other=none]")
    rng = random.Random(1)
    while not one.locator("#send-turn").count():
        pages.press(one, rng)
        one.wait_for_timeout(50)
    one.click("#send-turn")
    link = link_of(one, "turn")
    other.goto(re.sub("open=.", "open=" + ("A" if "open=A" not in link else "B"), link))
    ready(other)
    expect(other.locator("#toast")).to_contain_text("does not match the two numbers")
    other.goto(link.replace("?", "?again&"))
    my_turn(other)
    other.click("#live-again")
    one.goto(link_of(other, "live"))
    with other.context.new_page() as tab:
        tab.goto(link_of(one, "answer"))
        expect(tab.locator("#sheet")).to_contain_text("was waiting has the answer")
    both(one, other, HERE)
    for page in two:
        if page.locator("#sheet[open]").count():
            page.click("#sheet-close")
    play_out(two, rng)


# --- a real network between the two, which needs the rights to make one ----------------------------------------------


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, timeout=20, check=False).returncode == 0


@pytest.fixture
def apart(tmp_path):
    """Two network namespaces joined by a cable: yield their names and, for each, a script that starts a browser."""
    names = [f"casino-{os.getpid()}-{which}" for which in "ab"]
    if sys.platform != "linux" or not all(ip("netns", "add", name) for name in names):
        pytest.skip("needs the right to make networks (root, iproute2)")
    ip("link", "add", "va", "netns", names[0], "type", "veth", "peer", "name", "vb", "netns", names[1])
    served = []
    for number, name in enumerate(names):
        cable = f"v{'ab'[number]}"
        ip("-n", name, "addr", "add", f"10.77.0.{number + 1}/24", "dev", cable)
        for link in ("lo", cable):
            ip("-n", name, "link", "set", link, "up")
        ip("-n", name, "route", "add", "default", "via", f"10.77.0.{2 - number}")
        inside = ["ip", "netns", "exec", name]
        command = [*inside, sys.executable, "-m", "casino_env.play", "--web", "--port", "8000", "--no-open"]
        served.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        assert served[-1].stdout and "8000" in served[-1].stdout.readline()
        script = tmp_path / name
        script.write_text(f'#!/bin/sh\nexec {" ".join(inside)} {CHROMIUM} "$@"\n')
        script.chmod(0o755)
    yield names, [tmp_path / name for name in names]
    for server in served:
        server.terminate()
        server.wait()
    for name in names:
        ip("netns", "del", name)


def test_a_live_deal_of_kasa_partners_and_one_loses_its_network_for_a_minute(apart):
    names, scripts = apart
    home, rng = "http://127.0.0.1:8000/", random.Random(2)
    with (
        pages.chromium(scripts[0]) as here,
        pages.chromium(scripts[1], here) as there,
        visiting(here, home) as one,
        visiting(there, home, PHONE) as other,
    ):
        meet(one, other, "kasa", 4)
        both(one, other, DOOR)
        assert not play_on((one, other), rng, 10)
        ip("-n", names[1], "link", "set", "vb", "down")
        both(one, other, GONE)
        one.wait_for_timeout(50_000)
        assert not play_on((one, other), rng, 4)
        ip("-n", names[1], "link", "set", "vb", "up")
        both(one, other, HERE)
        play_out((one, other), rng)
