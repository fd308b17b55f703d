"""Values that newer ones replaced on their way to a page: counted over all topics, and shown on every screen."""

import re

import pytest
from playwright.sync_api import expect

from client import HEADER, post
from conftest import SCREENS
from page import expect_connection, until
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
        page.goto(f"{studio.address}#/{screen}")
        page.locator(f"[data-id='{screen}'][aria-current]").wait_for(state="attached")
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
    sockets[-1].close()
    until(page, "document.querySelector('#connection').dataset.state === 'live'")
    expect(lost).to_have_text("1,209 lost")


def test_what_the_server_has_replaced_is_counted(open_page, studio):
    page = open_page("prices")
    # More than are written to a page.
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 1_000})[0] == 200
    until(page, "parseInt(document.getElementById('lost').textContent) > 20")
    assert post(studio, "ticker/stop", {})[0] == 200
    figure = "+document.querySelector('[aria-label=\"Replaced by newer ones\"]').value"
    until(page, f"+document.getElementById('lost').textContent.replace(/\\D/g, '') === {figure}")
    expect(page.locator("#losses")).to_contain_text(f"prices {page.evaluate(figure):,}")
