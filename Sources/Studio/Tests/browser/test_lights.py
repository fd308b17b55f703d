"""Tempo and lights, with a lamp at the other end."""

import json
import re
import socket
import threading
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from client import HEADER, PATIENCE, client, post, send, state
from conftest import Studio
from page import expect_connection, number, open_screen, until, violations, wait_until
from rig import arm, wait


def test_a_bar_has_its_beats(open_page):
    page, other = open_page("tempo"), open_page("tempo")
    page.get_by_label("Beats of a bar").fill("3")
    page.get_by_label("Beats of a bar").press("Enter")
    expect(other.get_by_label("Beats of a bar")).to_have_value("3")
    expect(other.locator(".beats i")).to_have_count(3)
    until(other, "document.querySelector('[aria-label=Beat]').value.endsWith(' of 3')")


def test_the_page_follows_the_session_that_it_joined(open_page, studio):
    page, overview = open_page("tempo"), open_page()
    peers = page.get_by_label("Other programs")
    expect(page.get_by_role("button", name="Start playing")).to_be_disabled()
    page.get_by_role("button", name="Join the session").click()
    other = Studio()
    try:
        for action, value in [("session", {"enabled": True}), ("set", {"bpm": 133}), ("play", {"playing": True})]:
            assert post(other, f"tempo/{action}", value)[0] == 200
        for each in [peers, overview.get_by_label("Other programs")]:
            expect(each).to_have_text("1")
        expect(page.get_by_label("Tempo", exact=True)).to_have_text("133.00")
        expect(page.get_by_label("Set to")).to_have_value("133.00")
        expect(page.get_by_label("Source")).to_have_text("Session")
        # One press stops all programs, and theirs is followed.
        page.get_by_role("button", name="Stop playing").click()
        wait(lambda: not state(other, "tempo")["playing"])
        assert post(other, "tempo/play", {"playing": True})[0] == 200
        expect(page.get_by_role("button", name="Stop playing")).to_be_visible()
    finally:
        assert other.stop() == 0
    expect(peers).to_have_text("0")
    page.get_by_role("button", name="Leave the session").click()
    expect(page.get_by_label("Source")).to_have_text("Manual")


@pytest.mark.parametrize("by", ["key", "button"])
def test_taps_set_the_tempo(open_page, by):
    page = open_page("tempo")
    until(page, "document.querySelector('[aria-label=Beat]').value !== '–'")
    page.evaluate("""() => {
        window.taps = [];
        for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, ({ timeStamp }) => window.taps.push(timeStamp));
    }""")
    # The server knows no time before its start.
    until(page, "performance.now() > 3000")
    button = page.get_by_role("button", name="Tap", exact=True)
    button.hover()
    box = button.bounding_box()
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    # However late a busy machine passes them on, presses have the time at which the system has seen them: these 400 ms apart.
    devtools = page.context.new_cdp_session(page)
    start = time.time() - 2.2
    for tap in range(6):
        pressed = start + 0.4 * tap
        # Held for one time or another: the press counts.
        released = pressed + 0.04 * tap
        if by == "key":
            key = {"key": "t", "code": "KeyT", "windowsVirtualKeyCode": 84}
            devtools.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": "t", "timestamp": pressed, **key})
            devtools.send("Input.dispatchKeyEvent", {"type": "keyUp", "timestamp": released, **key})
        else:
            press = {"button": "left", "clickCount": 1, **place}
            devtools.send("Input.dispatchMouseEvent", {"type": "mousePressed", "buttons": 1, "timestamp": pressed, **press})
            devtools.send("Input.dispatchMouseEvent", {"type": "mouseReleased", "timestamp": released, **press})
    taps = page.evaluate("window.taps")
    assert len(taps) == 6 and all(abs(later - earlier - 400) < 1 for earlier, later in zip(taps, taps[1:])), taps
    expect(page.get_by_label("Source")).to_have_text("Tap")
    until(page, "Math.abs(+document.querySelector('[aria-label=Tempo]').value - 150) < 0.5")


def test_a_tap_has_the_time_of_its_press(studio):
    with client(studio) as socket:
        send(socket, subscribe=["tempo"])
        now = 0
        while now < 2_000_000:
            message = socket.recv(timeout=PATIENCE)
            if isinstance(message, bytes):
                now = HEADER.unpack(message[:HEADER.size])[4]
    # The network brings all of them at once.
    for place in range(6):
        assert post(studio, "tempo/tap", {"time": now - 2_000_000 + 400_000 * place})[0] == 200
    assert abs(state(studio, "tempo")["bpm"] - 150) < 0.01
    # A clock that is ahead refuses nobody.
    assert post(studio, "tempo/tap", {"time": now + 60_000_000})[0] == 200
    for wrong in [-1, 0.5, "now"]:
        status, _, text = post(studio, "tempo/tap", {"time": wrong})
        assert status == 422 and json.loads(text)["error"]["message"].startswith("time: expected an integer of ")


def test_nothing_is_sent_to_lamps_before_the_output_is_armed(open_page):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lamp:
        lamp.bind(("127.0.0.1", 0))
        lamp.settimeout(0.5)
        page = open_page("lights")
        page.get_by_role("button", name="Start", exact=True).click()
        page.locator("main").get_by_role("button", name="Blackout").wait_for()
        with pytest.raises(TimeoutError):
            lamp.recv(2000)
        lamp.settimeout(PATIENCE)
        page.locator("#address").fill(f"sacn:127.0.0.1:{lamp.getsockname()[1]}")
        page.get_by_role("button", name="Arm").click()
        expect(page.get_by_role("button", name="Disarm")).to_be_visible()
        assert lamp.recv(2000)[4:13] == b"ASC-E1.17"
        page.locator("main").get_by_role("button", name="Blackout").click()
        expect(page.locator("main").get_by_role("button", name="Restore")).to_be_visible()
        deadline = time.monotonic() + PATIENCE
        while True:
            packet = lamp.recv(2000)
            # Data with the start code 0.
            if packet[18:22] == b"\0\0\0\4" and packet[125] == 0 and not any(packet[126:]):
                break
            assert time.monotonic() < deadline, "expected dark slots"
        page.get_by_role("button", name="Disarm").click()
        expect(page.get_by_role("button", name="Arm", exact=True)).to_be_visible()
        page.wait_for_timeout(300)
        lamp.setblocking(False)
        try:
            while True:
                lamp.recv(2000)
        except BlockingIOError:
            pass
        page.wait_for_timeout(300)
        with pytest.raises(BlockingIOError):
            lamp.recv(2000)


def slots(lamp, is_wanted):
    """The slots of universe 1 in the next packet of levels for which it holds."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        packet = lamp.recv(2000)
        if packet[18:22] == b"\0\0\0\4" and packet[113:115] == b"\0\1" and packet[125] == 0 and is_wanted(packet[126:]):
            return packet[126:]
    raise AssertionError("expected levels")


def test_lamps_show_a_test_colour_and_the_scene_of_before(browser, tmp_path):
    show, rig = tmp_path / "show.json", tmp_path / "rig.json"
    rig.write_text('{"v":1,"fixtures":[{"id":1,"profile":"rgb-par","protocol":"sacn","universe":1,"address":1},'
                   '{"id":2,"profile":"rgb-par","protocol":"sacn","universe":2,"address":1},'
                   '{"id":3,"profile":"rgb-par","protocol":"artnet","universe":1,"address":1}]}')
    show.write_text('{"v":1,"name":"Small","scenes":[{"name":"dark","layers":[]},{"name":"blue","layers":[{"effect":"solid","palette":["#0000ff"]}]}]}')
    studio = Studio("--show", str(show), "--rig", str(rig))
    page = browser.new_context().new_page()
    open_screen(page, studio.address, "lights")
    page.get_by_role("button", name="Start", exact=True).click()
    scenes, colours = page.get_by_role("group", name="Scenes"), page.get_by_role("group", name="Test colour")
    expect(scenes.get_by_role("button")).to_have_text(["dark", "blue"])
    scenes.get_by_role("button", name="blue").click()
    expect(scenes.get_by_role("button", name="blue")).to_have_attribute("aria-pressed", "true")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lamp:
        lamp.bind(("127.0.0.1", 0))
        lamp.settimeout(PATIENCE)
        page.locator("#address").fill(f"sacn:127.0.0.1:{lamp.getsockname()[1]}")
        page.get_by_role("button", name="Arm").click()
        expect(page.get_by_role("button", name="Disarm")).to_be_visible()
        blue = slots(lamp, lambda levels: levels[2] == 255)
        colours.get_by_role("button", name="red").click()
        expect(colours.get_by_role("button", name="red")).to_have_attribute("aria-pressed", "true")
        red = slots(lamp, lambda levels: levels[0] == 255)
        assert red[:3] == b"\xff\0\0" and blue[:3] == b"\0\0\xff"
        colours.get_by_role("button", name="none").click()
        expect(scenes.get_by_role("button", name="blue")).to_have_attribute("aria-pressed", "true")
        assert slots(lamp, lambda levels: levels[2] == 255)[:3] == blue[:3]
        # The output is counted.
        rows = page.get_by_role("region", name="Universes").locator("tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.nth(1).locator("td")).to_have_text(["1", "sACN", "1", "1", re.compile(r"^[1-9]\d*$"), "0", "✓ Sent"])
        # Of the other protocol.
        expect(rows.first.locator("td")).to_have_text(["0.0.1 (1)", "Art-Net", "1", "1", "–", "–", "Not sent"])
        refused = page.get_by_role("status", name="Universes with errors")
        expect(refused).to_have_text("")
        until(page, "+document.querySelector('[aria-label=\"Packets in all\"]').value > 10")
        until(page, "+document.querySelector('[aria-label=Packets]').value > 0")
        assert number(page, "[aria-label=Refused]") == 0
        # Nobody listens: the system says so.
    until(page, "+document.querySelector('[aria-label=Refused]').value > 0")
    expect(rows.locator("td:last-child")).to_have_text(["Not sent", "✕ Refused", "✕ Refused"])
    expect(refused).to_have_text("✕ Refused: universes 1, 2")
    assert int(rows.nth(1).locator("td").nth(5).inner_text()) > 0
    # The same show to a lamp that listens.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lamp:
        lamp.bind(("127.0.0.1", 0))
        page.get_by_role("button", name="Disarm").click()
        expect(rows.locator("td:last-child")).to_have_text(["Not sent"] * 3)
        page.locator("#address").fill(f"sacn:127.0.0.1:{lamp.getsockname()[1]}")
        page.get_by_role("button", name="Arm", exact=True).click()
        expect(rows.locator("td:last-child")).to_have_text(["Not sent", "✓ Sent", "✓ Sent"])
        expect(refused).to_have_text("")
    page.get_by_role("button", name="Disarm").click()
    expect(page.get_by_label("Packets", exact=True)).to_have_text("–")
    page.context.close()
    assert studio.stop() == 0


def test_the_light_goes_out_from_every_screen_and_when_nobody_is_there(open_page, studio):
    page = open_page("lights")
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator("#address").fill("sacn:127.0.0.1")
    page.get_by_role("button", name="Arm").click()
    expect(page.get_by_role("button", name="Disarm")).to_be_visible()
    bar = page.get_by_role("group", name="Lights")
    for width, height in [(1280, 800), (360, 740), (740, 360)]:
        page.set_viewport_size({"width": width, "height": height})
        page.get_by_role("button", name="Disarm").scroll_into_view_if_needed()
        expect(bar.get_by_role("button", name="Blackout")).to_be_in_viewport(ratio=1)
    page.get_by_label("Blackout when the last page is closed").check()
    open_screen(page, studio.address, "meter")
    bar.get_by_role("button", name="Blackout").click()
    expect(bar.get_by_role("button", name="Restore")).to_be_visible()
    assert state(studio, "lights")["blackout"]
    bar.get_by_role("button", name="Restore").click()
    expect(bar.get_by_role("button", name="Blackout")).to_be_visible()
    # A page that is loaded again has not left.
    for _ in range(5):
        start = time.monotonic()
        page.reload()
        page.locator("#connection[data-state=live]").wait_for()
        # On a busy machine it may be away for as long as one that has.
        if time.monotonic() - start < 4:
            break
        assert post(studio, "lights/blackout", {"on": False})[0] == 200
    time.sleep(5.5)
    assert not state(studio, "lights")["blackout"]
    page.close()
    deadline = time.monotonic() + PATIENCE
    while not state(studio, "lights")["blackout"]:
        assert time.monotonic() < deadline, "expected a blackout"
    assert state(studio, "lights")["running"]


def test_a_reader_of_events_does_not_watch_over_the_light(stage, lamps):
    arm(stage, lamps)
    assert post(stage, "lights/unattended", {"do": "blackout"})[0] == 200

    def read():
        with urllib.request.urlopen(f"{stage.address}events?topics=prices", timeout=PATIENCE) as events:
            while events.readline():
                pass

    reader = threading.Thread(target=read, daemon=True)
    with client(stage) as other:
        with client(stage):
            reader.start()
        # Its page is hidden, and shows no values: it is there.
        send(other, pause=True)
        time.sleep(5.5)
        assert not state(stage, "lights")["blackout"]
    # Another reader that comes in between is none who watches either.
    threading.Thread(target=read, daemon=True).start()
    wait(lambda: state(stage, "lights")["blackout"])
    wait(lambda: not any(lamps.levels))
    assert reader.is_alive()


def test_the_light_stays_on_without_a_page_where_it_is_to_be_held(stage, lamps):
    arm(stage, lamps)
    assert state(stage, "lights")["unattended"] == "hold"
    with client(stage):
        pass
    # A blackout would come 5 s later.
    time.sleep(6)
    assert not state(stage, "lights")["blackout"] and any(lamps.levels)


def test_a_show_of_a_file_has_its_scenes_and_faders(browser, tmp_path):
    show, rig = tmp_path / "show.json", tmp_path / "rig.json"
    rig.write_text('{"v":1,"fixtures":[{"id":1,"profile":"rgb-par","protocol":"sacn","universe":1,"address":1,"position":[0,4,2]}]}')
    show.write_text("""{"v":1,"name":"Small","cues":[{"name":"walk in","scene":"all on"},{"scene":"none"}],"faders":["key light"],"scenes":[{"name":"all on","layers":[{"effect":"solid","opacity":0,
        "modulators":[{"target":"opacity","source":"fader","fader":"key light","amount":1}]}]},{"name":"none","layers":[]}]}""")
    studio = Studio("--show", str(show), "--rig", str(rig))
    page = browser.new_context().new_page()
    open_screen(page, studio.address, "lights")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="all on")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Cue 1: walk in")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Cue 2").click()
    expect(page.get_by_role("button", name="Cue 2")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("button", name="Cue 1: walk in")).to_have_attribute("aria-pressed", "true")
    fader = page.get_by_label("key light")
    fader.focus()
    fader.press("End")
    until(page, "fetch('/api/state').then((answer) => answer.json()).then(({ states }) => states.lights.levels[0] === 1)")
    page.context.close()
    assert studio.stop() == 0


def test_a_second_tap_restores_no_light(open_page, studio):
    page = open_page("lights")
    page.get_by_role("button", name="Start", exact=True).click()
    # What is tapped again, and its key pressed, as soon as the light is out.
    page.evaluate("""() => {
        const button = document.querySelector('main button.danger');
        const observer = new MutationObserver(() => {
            observer.disconnect();
            button.click();
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'b', bubbles: true }));
            window.isTapped = true;
        });
        observer.observe(button, { childList: true, characterData: true, subtree: true });
    }""")
    page.locator("main").get_by_role("button", name="Blackout").click()
    until(page, "window.isTapped")
    # An action later.
    assert post(studio, "lights/master", {"level": 0.5})[0] == 200
    expect(page.get_by_label("Master")).to_have_value("0.5")
    restore = page.locator("main").get_by_role("button", name="Restore")
    expect(restore).to_be_enabled()
    assert state(studio, "lights")["blackout"]
    page.keyboard.press("b")
    expect(page.locator("main").get_by_role("button", name="Blackout")).to_be_visible()


def test_an_address_that_was_typed_stays(open_page, studio, lamps):
    arm(studio, lamps)
    page = open_page("lights")
    address = page.get_by_label("Address, sacn: or artnet:")
    expect(address).to_have_value(lamps.address)
    address.fill("sacn:127.0.0.2")
    address.blur()
    assert post(studio, "lights/master", {"level": 0.5})[0] == 200
    expect(page.get_by_label("Master")).to_have_value("0.5")
    expect(address).to_have_value("sacn:127.0.0.2")


def test_a_key_that_is_held_is_one_key(open_page):
    page = open_page("lights")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("main").get_by_role("button", name="Blackout")).to_be_enabled()
    page.get_by_label("Master").focus()
    page.keyboard.down("b")
    for _ in range(10):
        page.keyboard.down("b")
    expect(page.locator("main").get_by_role("button", name="Restore")).to_be_visible()
    page.wait_for_timeout(300)
    expect(page.locator("main").get_by_role("button", name="Restore")).to_be_visible()
    page.keyboard.up("b")
    page.keyboard.press("?")
    page.get_by_label("These keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.wait_for_timeout(300)
    expect(page.locator("main").get_by_role("button", name="Restore")).to_be_visible()


def test_the_picture_of_the_venue_is_a_table_too(browser, stage, picture):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    open_screen(page, stage.address, "lights")
    page.get_by_role("button", name="Start", exact=True).click()
    rows = page.get_by_role("region", name="Levels").locator("tbody tr")
    page.get_by_text("The picture as a table").click()
    expect(rows).to_have_count(6)
    expect(rows.locator("td:last-child")).to_have_text(["255"] * 6)
    assert rows.nth(1).locator("td").all_inner_texts()[:5] == ["lamp 2", "–", "dimmer", "sACN 1", "2 to 2"]
    assert violations(page) == []
    picture(page, "levels")
    # A reader stays in its row.
    page.evaluate("window.row = document.querySelector('main details tbody tr')")
    assert post(stage, "lights/master", {"level": 0.5})[0] == 200
    expect(rows.first.locator("td:last-child")).to_have_text(re.compile("^1[0-9][0-9]$"))
    assert post(stage, "lights/blackout", {"on": True})[0] == 200
    expect(rows.locator("td:last-child")).to_have_text(["0"] * 6)
    assert post(stage, "lights/stop", {})[0] == 200
    expect(rows.locator("td:last-child")).to_have_text(["–"] * 6)
    assert page.evaluate("row.isConnected")
    # Nobody asks for what nobody sees.
    asked = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: asked.append(data)))
    page.reload()
    page.get_by_role("heading", name="Lights", level=1).wait_for()
    page.get_by_text("The picture as a table").wait_for()
    page.wait_for_timeout(1200)
    assert asked and not any("output/levels" in str(each) for each in asked)
    page.context.close()


def test_levels_are_asked_for_when_the_answer_has_come(open_page):
    page = open_page("lights")
    asked, answers, sockets = [], [], []

    def pass_on(socket):
        server = socket.connect_to_server()
        sockets.append(socket)

        def to_server(message):
            if "output/levels" in message:
                asked.append(json.loads(message)["id"])
            server.send(message)

        def to_page(message):
            # The answer to the first one waits.
            if isinstance(message, str) and asked and json.loads(message).get("id") == asked[0]:
                answers.append(message)
            else:
                socket.send(message)

        socket.on_message(to_server)
        server.on_message(to_page)

    page.route_web_socket(re.compile("/ws$"), pass_on)
    page.reload()
    expect_connection("live", page)
    page.get_by_text("The picture as a table").click()
    wait_until(page, lambda: answers)
    # Of three looks.
    page.wait_for_timeout(3_200)
    assert len(asked) == 1
    sockets[-1].send(answers[0])
    wait_until(page, lambda: len(asked) > 1)


def test_the_patch_is_filtered(open_page):
    page = open_page("fixtures")
    rows = page.get_by_role("region", name="Patch").locator("tbody tr")
    expect(rows).to_have_count(100)
    field = page.get_by_label("Filter by name, id, universe or profile")
    profiles = rows.locator("td:nth-child(5)").all_inner_texts()
    field.fill("WASH")
    expect(rows).to_have_count(sum("wash" in profile for profile in profiles))
    assert 0 < rows.count() < 100
    expect(page.get_by_role("status")).to_have_text(f"{rows.count()} of 100 fixtures")
    first = rows.first.locator("td").all_inner_texts()
    # Words of several columns.
    field.fill(f"wash {first[0]}")
    assert first in [row.locator("td").all_inner_texts() for row in rows.all()]
    field.fill("no such lamp")
    expect(rows).to_have_count(0)
    expect(page.get_by_role("status")).to_have_text("0 of 100 fixtures")
    field.fill("")
    expect(rows).to_have_count(100)


def test_the_patch_is_listed_and_nodes_are_found(open_page):
    page = open_page("fixtures")
    rows = page.get_by_role("region", name="Patch").locator("tbody tr")
    expect(rows).to_have_count(100)
    assert rows.first.locator("td").all_inner_texts()[1] == "sACN"
    page.get_by_label("Network").select_option("demo")
    page.get_by_role("button", name="Search").click()
    nodes = page.get_by_role("region", name="Nodes").locator("tbody tr")
    expect(nodes).to_have_count(4)
    other = open_page("fixtures")
    expect(other.get_by_role("region", name="Nodes")).to_contain_text("demo 2")
    expect(nodes.filter(has_text="Late")).not_to_have_count(0)
    other.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Search")).to_be_visible()
    expect(nodes).to_have_count(4)
