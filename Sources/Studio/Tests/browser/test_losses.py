"""Values that newer ones replaced on their way to a page: counted over all topics, and shown on every screen."""

import json
import re

import pytest
from playwright.sync_api import expect

from client import HEADER, fast_levels, post
from conftest import SCREENS
from page import expect_connection, open_screen, until, wait_until
from rig import wait
from test_screens import violations

# Numbers of topics.
[PRICES, METER, LIGHTS] = [1, 2, 6]


@pytest.mark.parametrize("width", [1280, 360])
def test_lost_values_of_all_topics_are_counted_on_every_screen(open_page, studio, picture, width):
    page = open_page("account", width=width, height=740)
    sockets = []

    def pass_on(socket):
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket(re.compile("/ws$"), pass_on)
    page.reload()
    expect_connection("live", page)
    lost, losses = page.locator("#lost"), page.locator("#losses")
    # The screens on the way are sent nothing, so that at a busy machine nothing more is lost.
    page.locator("#pause").click()
    expect(page.locator("#pause")).to_have_text("Resume")
    expect(lost).to_have_text("0 lost")
    place = lost.bounding_box()
    # A frame says how many were lost before it; also one of a topic whose screen was left.
    for topic, count in [(METER, 2), (PRICES, 1_200), (METER, 7), (LIGHTS, 0)]:
        sockets[-1].send(HEADER.pack(1, topic, 0, 0, 0, count))
    expect(lost).to_have_text("1,209 lost")
    assert lost.bounding_box() == place
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        expect(lost).to_be_in_viewport(ratio=1)
    lost.press("Enter")
    expect(losses).to_contain_text("Lost so far: prices 1,200, noise 9.")
    expect(losses).to_be_in_viewport(ratio=1)
    assert violations(page) == []
    picture(page, f"losses-{width}")
    page.keyboard.press("Escape")
    expect(losses).to_be_hidden()
    expect(lost).to_be_focused()
    # They are this page's: a connection that is made anew loses none of them.
    count = len(sockets)
    sockets[-1].close()
    wait_until(page, lambda: len(sockets) > count)
    expect_connection("live", page)
    expect(lost).to_have_text("1,209 lost")


def test_what_the_server_has_replaced_is_counted(open_page, studio):
    page = open_page("spectrum")
    with fast_levels(studio):
        open_screen(page, studio.address, "equalizer")
        # More than are written to a page.
        until(page, "+document.getElementById('lost').textContent.replace(/\\D/g, '') > 20")
    page.locator("#lost").press("Enter")
    expect(page.locator("#losses")).to_contain_text(re.compile(r"equalizer \d"))


def test_prices_that_no_row_has_shown_are_counted(open_page, studio):
    page = open_page("prices")
    # What the row of the symbol shows, one after the other, from its first price on: what came before that one is not counted.
    page.evaluate("""() => {
        window.shown = [];
        new MutationObserver((changes) => {
            for (const { target, addedNodes } of changes) if (target.matches('td:nth-child(5)')) for (const each of addedNodes) shown.push(+each.data);
        }).observe(document.querySelector('tbody'), { childList: true, subtree: true });
    }""")
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 1_000})[0] == 200
    figure = "+document.querySelector('[aria-label=\"Replaced by newer ones\"]').value"
    until(page, f"{figure} > 200")
    assert post(studio, "ticker/stop", {})[0] == 200
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    # Those that were shown, and those that were not, are all since the first one.
    until(page, f"shown.at(-1) - shown[0] === {figure} + shown.length - 1")
    # What comes while it stands still is wanted by nobody.
    count = page.evaluate("shown.length")
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})[0] == 200
    # Of this run, whose prices are counted anew.
    until(page, f"shown.length > {count} && shown.at(-1) > 20 && shown.at(-1) < 500")
    page.locator("#pause").click()
    before = page.evaluate("shown.at(-1)")
    wait(lambda: json.loads(post(studio, "ticker/prices", {})[2])["result"]["prices"][0]["received"] > before + 200)
    replaced = page.evaluate(figure)
    page.locator("#pause").click()
    until(page, f"shown.at(-1) > {before + 200}")
    assert post(studio, "ticker/stop", {})[0] == 200
    page.evaluate(f"window.again = shown.findLastIndex((each) => each <= {before}) + 1")
    until(page, f"shown.at(-1) - shown[again] === {figure} - {replaced} + shown.length - 1 - again")


# Counts what a page is sent of each topic, and what is neither received nor reported as lost.
COUNT_VALUES = """(() => {
    const Socket = WebSocket;
    window.values = { count: 0, lost: 0, missing: 0, last: -1 };
    window.WebSocket = class extends Socket {
        constructor(...all) {
            super(...all);
            this.addEventListener('message', ({ data }) => {
                if (typeof data === 'string') return;
                const view = new DataView(data);
                const [sequence, lost] = [view.getUint32(4, true), view.getUint32(16, true)];
                if (values.count && sequence !== values.last + lost + 1) values.missing += 1;
                values.count += 1;
                values.lost += lost;
                values.last = sequence;
            });
        }
    };
})()"""


def test_a_slow_tab_beside_a_fast_one_holds_nobody_up_and_shows_what_it_missed(browser, studio):
    assert post(studio, "lights/start", {})[0] == 200
    fast, slow = (browser.new_context().new_page() for _ in range(2))
    for page in [fast, slow]:
        page.add_init_script(COUNT_VALUES)
        open_screen(page, studio.address, "lights")
        until(page, "values.count > 0")
    network = slow.context.new_cdp_session(slow)
    network.send("Network.enable")
    # A picture takes ten seconds.
    network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": 20_000, "uploadThroughput": 20_000})
    before = slow.evaluate("values.count")
    # More than the systems of both ends hold.
    until(fast, "values.count > 100", seconds=120)
    newest = fast.evaluate("values.last")
    assert slow.evaluate("values.count") - before < 50
    network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    until(slow, f"values.last >= {newest} && values.lost > 0", seconds=60)
    for page in [fast, slow]:
        assert page.evaluate("values.missing") == 0
    expect(slow.locator("#losses")).to_contain_text(re.compile(r"lights \d"))
    expect_connection("live", fast, slow)
    for page in [fast, slow]:
        page.context.close()
