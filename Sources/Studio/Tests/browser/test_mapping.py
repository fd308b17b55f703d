"""Fixtures that a camera finds: a simulated one, one of a program, and that of the browser, whose lamps are at the other end of the network."""

import json
import os
import re
import struct
import subprocess
import time

import pytest
from playwright.sync_api import expect

from client import PATIENCE, answer, client, post, send, state
from conftest import Studio
from page import open_screen, until, violations
from rig import COVERED, HEIGHT, MARKS, PLACES, WIDTH, arm, ask, film, send_blank, stage_arguments, wait

# Pan and tilt of a moving head that nobody moves: the middles of their ranges.
DEFAULT_POSITION = b"\x80\0\x80\0"


def test_a_camera_of_a_program_finds_the_lamps_and_the_show_goes_on(stage, lamps):
    arm(stage, lamps)
    wait(lambda: all(lamps.levels))
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        # Each pattern is lit for 0.4 s: on a busy machine its packets come late.
        reply = ask(camera, 1, "mapping/start", source="browser", width=WIDTH, height=HEIGHT, hold=12)
        assert reply.get("ok"), reply
        assert ask(camera, 2, "mapping/start", source="browser", width=WIDTH, height=HEIGHT)["error"]["code"] == "wrongState"
        lamps.seen.clear()
        over = film(stage, camera, lamps, lambda state: state.get("running") is False and state.get("phase") == "done")
        assert (over["found"], over["count"], over["error"]) == (6, 6, None) and over["delay"] is not None
        result = ask(camera, 3, "mapping/result")["result"]
    assert len(lamps.seen) > 4
    assert result["cells"] == [f"lamp {number}" for number in range(1, 7)]
    for fixture, (x, y) in zip(result["map"]["fixtures"], PLACES):
        assert abs(fixture["x"] - x) < 1 and abs(fixture["y"] - y) < 1 and fixture["confidence"] > 0.9, fixture
    # The show has its lamps again.
    wait(lambda: all(lamps.levels))
    assert state(stage, "lights")["armed"]


def test_a_moving_head_stays_where_the_show_had_it(lamps, tmp_path):
    """It was turned to its default for each mapping, and back after it."""
    stage = Studio(*stage_arguments(tmp_path, heads=1))
    arm(stage, lamps)
    wait(lambda: len(lamps.positions) > 4)
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        assert ask(camera, 1, "mapping/start", source="browser", width=WIDTH, height=HEIGHT)["ok"]
        film(stage, camera, lamps, lambda state: state.get("phase") == "schedule")
        lamps.forget()
        over = film(stage, camera, lamps, lambda state: state.get("frames", 0) >= 40)
        assert over["running"]
        held = set(lamps.positions)
        assert len(held) == 1 and held != {DEFAULT_POSITION}, held
        assert ask(camera, 2, "mapping/stop")["ok"]
    # It goes on with the show.
    lamps.forget()
    wait(lambda: len(lamps.positions) > 4)
    assert stage.stop() == 0


def test_the_steps_of_a_mapping_are_marked(browser, stage, lamps):
    page = browser.new_context().new_page()
    open_screen(page, stage.address, "mapping")
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    now = page.locator(".steps [aria-current=step]")
    expect(steps).to_have_count(5)
    expect(now).to_have_text("● Start the show: now")
    now.get_by_role("link").click()
    page.get_by_role("heading", name="Lights", level=1).wait_for()
    arm(stage, lamps)
    open_screen(page, stage.address, "mapping")
    expect(now).to_have_text("● Open the camera: now")
    expect(steps).to_have_text(["✓ Start the show: done", "✓ Arm its output: done", "● Open the camera: now", "○ Start the mapping: to come", "○ Take the map: to come"])
    assert violations(page) == []
    # A simulated one needs neither.
    page.get_by_role("combobox", name="Camera").select_option("simulated")
    expect(steps).to_have_text(["● Start the mapping: now", "○ Take the map: to come"])
    page.get_by_role("button", name="Start", exact=True).click()
    expect(steps).to_have_text(["✓ Start the mapping: done", "✓ Take the map: done"], timeout=60_000)
    page.context.close()


def test_a_blackout_ends_a_mapping_and_nothing_is_lit_after_it(stage, lamps):
    arm(stage, lamps)
    with client(stage) as camera, client(stage) as other:
        for each in [camera, other]:
            each.recv(timeout=PATIENCE)
        assert ask(camera, 1, "mapping/start", source="browser", width=WIDTH, height=HEIGHT)["ok"]
        film(stage, camera, lamps, lambda state: state.get("phase") == "schedule")
        assert ask(other, 1, "lights/blackout", on=True)["ok"]
        lamps.forget()
        over = film(stage, camera, lamps, lambda state: state.get("running") is False)
        assert over["phase"] != "done" and over["error"] is None
        time.sleep(0.3)
        assert lamps.seen <= {bytes(6)} and state(stage, "lights")["blackout"] and state(stage, "lights")["armed"]
        assert ask(other, 2, "lights/blackout", on=False)["ok"]
        wait(lambda: all(lamps.levels))


def test_no_mapping_lights_lamps_that_a_blackout_keeps_dark(filming, stage, lamps):
    wait(lambda: all(lamps.levels))
    assert post(stage, "lights/blackout", {"on": True})[0] == 200
    wait(lambda: not any(lamps.levels))
    lamps.seen.clear()
    with client(stage) as camera, client(stage) as other:
        for each in [camera, other]:
            each.recv(timeout=PATIENCE)
        error = ask(camera, 1, "mapping/start", source="browser", width=WIDTH, height=HEIGHT)["error"]
        assert (error["code"], error["advice"]) == ("wrongState", "Restore the light first.")
        # Those that cross a blackout, too.
        for number in range(2, 12):
            assert ask(other, 2 * number, "lights/blackout", on=False)["ok"]
            send_blank(camera)
            send(camera, id=number, do="mapping/start", **{"with": {"source": "browser", "width": WIDTH, "height": HEIGHT}})
            assert ask(other, 2 * number + 1, "lights/blackout", on=True)["ok"]
            while answer(camera).get("id") != number:
                pass
            assert not state(stage, "mapping")["running"]
    expect(filming.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    expect(filming.get_by_text("The light is out: restore it first.")).to_be_visible()
    filming.get_by_role("button", name="Restore").click()
    expect(filming.get_by_role("button", name="Start", exact=True)).to_be_enabled()


def test_the_show_says_who_has_its_lamps_and_counts_them_anew(filming, stage, lamps):
    open_screen(filming, stage.address, "lights")
    scene, notice = filming.get_by_role("button", name="on", exact=True), filming.get_by_role("link", name="A mapping has the lamps")
    until(filming, "parseFloat(document.querySelector('output[aria-label=Packets]')?.value) > 0")
    expect(notice).to_be_hidden()
    rates = []
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        assert ask(camera, 1, "mapping/start", source="browser", width=WIDTH, height=HEIGHT)["ok"]
        expect(notice).to_be_visible()
        expect(scene).to_be_disabled()
        for number, (action, value) in enumerate([("scene", {"name": "on"}), ("test", {"color": "red"}), ("go", {}), ("back", {})], 2):
            assert ask(camera, number, f"lights/{action}", **value)["error"]["code"] == "wrongState", action
        film(stage, camera, lamps, lambda newest: rates.append(state(stage, "output").get("rate", 0)) or newest.get("phase") == "done")
    wait(lambda: rates.append(state(stage, "output").get("rate", 0)) or rates[-1] > 0)
    assert min(rates) >= 0, rates
    expect(notice).to_be_hidden()
    expect(scene).to_be_enabled()


def test_no_mapping_starts_without_a_camera(stage, lamps, browser):
    arm(stage, lamps)
    wait(lambda: all(lamps.levels))
    lamps.forget()
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        start = {"source": "browser", "width": WIDTH, "height": HEIGHT}
        for number, words in [(1, "got none"), (2, "got one of 16 times 16")]:
            send(camera, id=number, do="mapping/start", **{"with": start})
            error = answer(camera)["error"]
            assert error["code"] == "wrongState" and words in error["message"]
            send_blank(camera, 16, 16)
    page = browser.new_context().new_page()
    page.add_init_script("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Requested device not found', 'NotFoundError'))")
    open_screen(page, stage.address, "mapping")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="This browser has no camera")).to_be_visible()
    page.context.close()
    assert not state(stage, "mapping")["running"] and lamps.seen <= {bytes([255] * 6)}


def test_a_camera_that_leaves_gives_the_lamps_back(stage, lamps):
    arm(stage, lamps)
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        assert ask(camera, 1, "mapping/start", source="browser", width=WIDTH, height=HEIGHT)["ok"]
        film(stage, camera, lamps, lambda state: state.get("frames", 0) > 10)
        # Of another size, of another client, and no frame.
        camera.send(struct.pack("<BBHHH", 1, 2, 16, 16, 0) + bytes(256))
        with client(stage) as other:
            other.recv(timeout=PATIENCE)
            other.send(lamps.frame())
            # Nobody reads it.
            other.send(b"\1\2")
            send(other, id=1, do="mapping/result", **{"with": {}})
            assert answer(other).get("id") == 1
        camera.send(b"\1\2")
        assert "a frame of gray" in answer(camera)["error"]["message"]
    wait(lambda: not state(stage, "mapping")["running"])
    assert "expected frames until the mapping is done" in state(stage, "mapping")["error"]["message"]
    wait(lambda: all(lamps.levels))
    assert post(stage, "lights/arm", {"armed": False})[0] == 200


def test_a_camera_that_stalls_gives_the_lamps_back(stage, lamps):
    arm(stage, lamps)
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        assert ask(camera, 1, "mapping/start", source="browser", width=WIDTH, height=HEIGHT)["ok"]
        film(stage, camera, lamps, lambda state: state.get("frames", 0) > 5)
        wait(lambda: not state(stage, "mapping")["running"])
        wait(lambda: all(lamps.levels))
    assert "expected frames until" in state(stage, "mapping")["error"]["message"]


def test_every_frame_is_seen_or_counted_as_lost(stage, lamps):
    arm(stage, lamps)
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        assert ask(camera, 1, "mapping/start", source="browser", width=256, height=255)["ok"]
        whole = struct.pack("<BBHHH", 1, 2, 256, 255, 0) + bytes(256 * 255)
        # Fewer than those in which light is expected.
        for _ in range(30):
            camera.send(whole)
        assert ask(camera, 2, "mapping/stop")["ok"]
    now = state(stage, "mapping")
    # Two may have waited when it ended.
    assert 28 <= now["lost"] + now["frames"] <= 30


def test_of_two_starts_at_once_one_is_refused(stage, lamps):
    arm(stage, lamps)
    with client(stage) as one, client(stage) as other:
        for each in [one, other]:
            each.recv(timeout=PATIENCE)
        for each in [one, other]:
            send_blank(each)
            send(each, id=1, do="mapping/start", **{"with": {"source": "browser", "width": WIDTH, "height": HEIGHT}})
        replies = [answer(each) for each in [one, other]]
        assert sorted(reply.get("ok", False) for reply in replies) == [False, True]
        assert [reply["error"]["code"] for reply in replies if "error" in reply] == ["wrongState"]
        assert ask(one, 2, "mapping/stop")["ok"]
    assert state(stage, "lights")["armed"] and not state(stage, "lights")["lent"]


@pytest.mark.parametrize("value,words", [
    ({}, "source: expected"), ({"source": "x"}, "source: expected browser, server or simulated"), ({"source": "browser"}, "expected a client with a camera"),
    ({"source": "simulated", "method": "x"}, "method: expected coded"), ({"source": "simulated", "hold": 0}, "hold: expected"),
    ({"source": "simulated", "scene": "x"}, "scene: expected dark"),
])
def test_a_mapping_that_cannot_be_is_refused(studio, value, words):
    status, _, text = post(studio, "mapping/start", value)
    assert status == 422 and words in json.loads(text)["error"]["message"], text


def test_a_camera_needs_lamps_and_a_picture_that_fits(stage):
    with client(stage) as camera:
        camera.recv(timeout=PATIENCE)
        for value, words in [({"width": WIDTH, "height": HEIGHT}, "an output that is armed"), ({"width": 257, "height": 255}, "at most 65528 pixels"),
                             ({"width": 15, "height": 60}, "width: expected")]:
            error = ask(camera, 1, "mapping/start", source="browser", **value)["error"]
            assert words in error["message"], error
    assert not state(stage, "mapping")["running"]


def test_a_simulated_rig_is_mapped_and_the_map_is_a_file(open_page, studio, picture, tmp_path):
    page = open_page("mapping")
    expect(page.get_by_text("All clients that show this screen see the picture.")).to_be_visible()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    assert violations(page) == []
    picture(page, "mapping-not-armed")
    page.get_by_role("combobox", name="Camera").select_option("simulated")
    page.get_by_role("combobox", name="Scene").select_option("dark")
    # Long enough for what is looked at meanwhile: the other page ends it.
    page.get_by_label("Frames for each pattern").fill("200")
    other = open_page("mapping", width=360, height=740, color_scheme="dark")
    page.get_by_role("button", name="Start", exact=True).click()
    until(page, "+document.querySelector('[aria-label=Frames]').value > 20", 20)
    assert violations(page) == []
    picture(page, "mapping-running")
    # Another page sees the picture, and can end it.
    until(other, """(() => {
        const copy = new OffscreenCanvas(64, 48).getContext('2d', { willReadFrequently: true });
        copy.drawImage(document.querySelector('canvas.camera'), 0, 0, 64, 48);
        return copy.getImageData(0, 0, 64, 48).data.some((each, place) => place % 4 < 3 && each > 40);
    })()""", 20)
    other.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="Stopped")).to_be_visible(timeout=60000)
    page.get_by_label("Frames for each pattern").fill("4")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("status").filter(has_text=re.compile(r"Done: \d+ of \d+ found"))).to_be_visible(timeout=60000)
    found = state(studio, "mapping")
    assert found["found"] > found["count"] / 2
    expect(page.get_by_role("region", name="Fixtures").locator("tbody tr")).to_have_count(found["count"])
    for each, name in [(page, "mapping-done"), (other, "mapping-done-360")]:
        each.get_by_role("link", name="Download the map").wait_for()
        # The marks of a crowd leave room between them.
        until(each, f"({COVERED})() < 0.35")
        assert violations(each) == []
        picture(each, name)
    # The picture of another camera has no places of this one.
    page.evaluate("() => {" + CAMERA + "}")
    page.get_by_role("combobox", name="Camera").select_option("browser")
    assert page.evaluate(MARKS) > 20
    page.get_by_role("button", name="Open the camera").click()
    page.get_by_role("button", name="Close the camera").wait_for()
    until(page, f"({MARKS})() === 0")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the map").click()
    file, points = tmp_path / "map.json", tmp_path / "points.json"
    download.value.save_as(file)
    points.write_text(json.dumps({"v": 1, "points": [{"pixel": pixel, "plan": plan} for pixel, plan in zip(
        [[0, 0], [319, 0], [319, 239], [0, 239]], [[0, 0], [8, 0], [8, 6], [0, 6]])]}))
    plan = subprocess.run([os.environ["RUSTLE"], "map", "plan", file, points], capture_output=True, text=True, timeout=20)
    assert plan.returncode == 0 and len(json.loads(plan.stdout)["places"]) == found["found"], plan.stderr


CAMERA = """
    window.levels = [0, 0, 0, 0, 0, 0];
    const scene = Object.assign(document.createElement('canvas'), { width: 640, height: 480 });
    const context = scene.getContext('2d');
    const draw = () => {
        context.fillStyle = '#0a0a0a';
        context.fillRect(0, 0, 640, 480);
        PLACES.forEach(([x, y], place) => {
            const glow = context.createRadialGradient(8 * x, 8 * y, 0, 8 * x, 8 * y, 28);
            glow.addColorStop(0, `rgba(255, 255, 255, ${window.levels[place] / 255})`);
            glow.addColorStop(1, 'rgba(255, 255, 255, 0)');
            context.fillStyle = glow;
            context.fillRect(8 * x - 28, 8 * y - 28, 56, 56);
        });
    };
    draw();
    setInterval(draw, 20);
    navigator.mediaDevices.getUserMedia = async (wanted) => { window.wanted = wanted; return window.stream = scene.captureStream(30); };
""".replace("PLACES", json.dumps(PLACES))


@pytest.mark.alone
def test_the_browsers_camera_finds_the_lamps(browser, stage, lamps, picture):
    arm(stage, lamps)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page = context.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.add_init_script(CAMERA)
    open_screen(page, stage.address, "mapping")
    page.get_by_role("button", name="Open the camera").click()
    until(page, "document.querySelector('canvas.camera').width > 100")
    # The way from a lamp through this test to the camera takes as long as the machine is busy: then a lamp is missed, and looked for anew.
    page.get_by_label("Frames for each pattern").fill("4")
    start = page.get_by_role("button", name="Start", exact=True)
    done, missed = (page.get_by_role("status").filter(has_text=re.compile(f"Done: {count} of 6 found")) for count in ["6", "[0-5]"])
    for _ in range(5):
        start.click()
        expect(start).to_be_hidden()
        deadline = time.monotonic() + 40
        # The camera sees what the lamps show.
        while not done.is_visible() and not missed.is_visible():
            assert time.monotonic() < deadline, page.locator("main").inner_text()
            page.evaluate(f"window.levels = {list(lamps.levels)}")
            page.wait_for_timeout(10)
        if done.is_visible():
            break
    rows = page.get_by_role("region", name="Fixtures").locator("tbody tr")
    expect(rows).to_have_count(6)
    seen = state(stage, "mapping")
    assert seen["source"] == "browser" and page.evaluate("window.wanted.video.facingMode") == "environment"
    scale = json.loads(post(stage, "mapping/result", {})[2])["result"]["map"]["width"] / 640
    for number, (x, y) in enumerate(PLACES):
        cells = rows.nth(number).locator("td").all_inner_texts()
        across, down = map(float, cells[1].split(", "))
        assert cells[0] == f"lamp {number + 1}" and abs(across - 8 * x * scale) < 3 and abs(down - 8 * y * scale) < 3, cells
    picture(page, "mapping-browser")
    assert violations(page) == []
    open_screen(page, stage.address, "lights")
    # Left without a mapping, the camera is closed.
    until(page, "window.stream.getTracks()[0].readyState === 'ended'")
    context.close()
    assert messages == []


@pytest.fixture
def filming(browser, stage, lamps):
    """A page with a camera, whose lamps are armed."""
    arm(stage, lamps)
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(CAMERA)
    open_screen(page, stage.address, "mapping")
    yield page
    context.close()


def test_a_camera_that_is_asked_for_twice_is_opened_once(filming):
    filming.evaluate("""() => {
        const open = navigator.mediaDevices.getUserMedia;
        window.streams = [];
        navigator.mediaDevices.getUserMedia = async (wanted) => {
            await new Promise((resolve) => { window.allow = resolve; });
            const stream = await open(wanted);
            window.streams.push(stream);
            return stream;
        };
        window.live = () => window.streams.filter((each) => each.getTracks()[0].readyState === 'live').length;
    }""")
    buttons = [filming.get_by_role("button", name=name, exact=True) for name in ["Open the camera", "Start"]]
    expect(buttons[1]).to_be_enabled()
    filming.evaluate("[...document.querySelectorAll('main button')].filter((each) => each.textContent === 'Open the camera').forEach((each) => { each.click(); each.disabled = false; each.click(); })")
    for button in buttons:
        expect(button).to_be_disabled()
    filming.evaluate("window.allow()")
    filming.get_by_role("button", name="Close the camera").click()
    assert filming.evaluate("[window.streams.length, window.live()]") == [1, 0]
    # One whose picture does not play is not left on.
    filming.evaluate("() => { HTMLMediaElement.prototype.play = async () => { throw new Error('no picture'); }; }")
    buttons[0].click()
    filming.evaluate("window.allow()")
    expect(filming.get_by_role("alert").filter(has_text="The camera was not opened: no picture")).to_be_visible()
    assert filming.evaluate("[window.streams.length, window.live()]") == [2, 0]


@pytest.mark.parametrize("stop", [
    "window.stream.getTracks()[0].dispatchEvent(new Event('ended'))", "window.stream.getTracks()[0].dispatchEvent(new Event('mute'))",
    "Object.defineProperty(HTMLMediaElement.prototype, 'currentTime', { get: () => 1 })"])
def test_a_camera_that_stops_ends_its_mapping(filming, stage, stop):
    filming.get_by_role("button", name="Start", exact=True).click()
    wait(lambda: state(stage, "mapping")["running"])
    filming.evaluate(f"() => {{ {stop}; }}")
    expect(filming.get_by_role("alert").filter(has_text="The camera stopped.")).to_be_visible()
    wait(lambda: not state(stage, "mapping")["running"])
    assert state(stage, "mapping")["error"] is None
    assert filming.evaluate("window.stream.getTracks()[0].readyState") == "ended"
    expect(filming.get_by_role("button", name="Open the camera")).to_be_enabled()


def test_one_of_several_cameras_is_chosen(filming):
    filming.evaluate("""() => {
        navigator.mediaDevices.enumerateDevices = async () => [
            { kind: 'videoinput', deviceId: 'a', label: 'Built in' }, { kind: 'audioinput', deviceId: 'm', label: 'Microphone' }, { kind: 'videoinput', deviceId: 'b', label: '' }];
    }""")
    which = filming.get_by_role("combobox", name="Which camera")
    expect(which).to_be_hidden()
    filming.get_by_role("button", name="Open the camera").click()
    expect(which.locator("option")).to_have_text(["Built in", "Camera 2"])
    which.select_option("b")
    until(filming, "window.wanted.video.deviceId?.exact === 'b'")
    filming.get_by_role("button", name="Close the camera").click()
    expect(which).to_have_value("b")
    assert violations(filming) == []


def test_a_camera_that_is_denied_is_told(filming):
    filming.evaluate("() => { navigator.mediaDevices.getUserMedia = async () => { throw new Error('Permission denied'); }; }")
    filming.get_by_role("button", name="Open the camera").click()
    expect(filming.get_by_role("alert").filter(has_text="The camera was not opened: Permission denied")).to_be_visible()
    assert violations(filming) == []


def test_frames_that_the_connection_does_not_take_are_counted(filming, stage):
    # Every second one finds the connection behind.
    filming.evaluate("""() => {
        let turn = 0;
        Object.defineProperty(WebSocket.prototype, 'bufferedAmount', { get: () => (turn++ % 2) << 20 });
    }""")
    filming.get_by_role("button", name="Start", exact=True).click()
    until(filming, "+document.querySelector('[aria-label=\"Frames lost\"]').value > 3")
    assert post(stage, "mapping/stop", {})[0] == 200


def test_nothing_that_is_found_says_what_to_try(filming):
    filming.get_by_role("button", name="Start", exact=True).click()
    # This camera never sees its lamps: its picture stays as it was.
    expect(filming.get_by_role("status").filter(has_text="Done: 0 of 6 found. Check that the lamps are lit")).to_be_visible(timeout=60_000)
    assert violations(filming) == []


def test_a_camera_without_a_secure_context_says_what_to_do(open_page, stage, browser):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    open_screen(page, stage.address, "mapping")
    page.get_by_role("button", name="Open the camera").click()
    expect(page.get_by_role("alert").filter(has_text="gives its camera to https")).to_be_visible()
    context.close()
