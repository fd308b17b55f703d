"""Values that newer ones replaced on their way to a page: counted over all topics, and shown on every screen."""

import json
import re
import struct

import pytest
from playwright.sync_api import expect

from client import HEADER, fast_levels, post
from conftest import SCREENS
from page import choose_demo, expect_connection, open_screen, until, violations, wait_until
from rig import wait

# Numbers of topics.
[PRICES, METER, SPECTRUM, PITCH, LIGHTS, VOICE] = [1, 2, 3, 4, 6, 8]


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


# Draws a picture on demand, and notes how far from the right edge of its canvas each line and bar of it was put, as a share of the width.
PICTURES_ON_DEMAND = """(() => {
    let next;
    window.requestAnimationFrame = (work) => { next = work; };
    const places = [];
    const kinds = CanvasRenderingContext2D.prototype;
    for (const name of ['lineTo', 'fillRect']) {
        const draw = kinds[name];
        kinds[name] = function (x, ...rest) {
            places.push(1 - x / this.canvas.clientWidth);
            draw.call(this, x, ...rest);
        };
    }
    window.picture = () => { places.length = 0; next?.(); return places; };
})()"""


def picture_of(page, topic, payloads):
    """Sends a page values a tenth of a second apart, all before its next picture; returns what that one drew."""
    choose_demo(page)
    page.add_init_script(PICTURES_ON_DEMAND)
    sockets = []

    def pass_on(socket):
        sockets.append(socket)
        # What the server says, but none of its values.
        socket.connect_to_server().on_message(lambda message: isinstance(message, str) and socket.send(message))

    page.route_web_socket(re.compile("/ws$"), pass_on)
    page.reload()
    expect_connection("live", page)
    page.evaluate("picture()")
    # The last one says how many were lost before it, which shows that it has come.
    for number, payload in enumerate(payloads, 1):
        sockets[-1].send(HEADER.pack(1, topic, 0, number, 10**9 + 100_000 * number, 7 if number == len(payloads) else 0) + payload)
    expect(page.locator("#lost")).to_have_text("7 lost")
    return page.evaluate("picture()")


# Of each screen with a trace: its topic, a value, and the seconds that the trace shows.
TRACES = {
    "meter": (METER, struct.pack("<7d8B", -20, -20, -20, -20, -20, -20, 90, 3, *[0] * 7), 60),
    "tuner": (PITCH, struct.pack("<5d6B", 440, 1, 3, 0, 440, *[0] * 6) + b"A4", 10),
    "voice": (VOICE, struct.pack("<6d", 200, 500, 1500, 2500, 20, -20), 8),
}


@pytest.mark.parametrize("screen", TRACES)
def test_a_trace_has_each_value_at_its_time(open_page, screen):
    topic, payload, span = TRACES[screen]
    ages = sorted(picture_of(open_page(screen), topic, [payload] * 6))
    assert [round(span * (after - before), 2) for before, after in zip(ages, ages[1:])].count(0.1) == 5, ages


def test_the_waterfall_has_a_row_of_each_value(open_page):
    page = open_page("spectrum")
    picture_of(page, SPECTRUM, [struct.pack("<5f", 20, 20_000, 440, -20, 0) + bytes([level]) * 512 for level in [255, 0, 255]])
    rows = page.evaluate("""() => {
        const canvas = document.querySelector('canvas.fall');
        const { data } = canvas.getContext('2d').getImageData(9, 0, 1, canvas.height);
        return [0, 1, 2, 3].map((row) => data[4 * Math.floor((row + 0.5) * canvas.height / 220)]);
    }""")
    # The newest one is at the top, and below the oldest is nothing.
    assert rows == [255, 13, 255, 0]


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
