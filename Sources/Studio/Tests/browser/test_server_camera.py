"""Fixtures that the camera of the server finds: frames of a file, a pipe or standard input."""

import contextlib
import json
import os
import subprocess
import threading
import time

import pytest
from playwright.sync_api import expect

from client import HEADER, PATIENCE, client, post, send, state
from conftest import Studio
from page import open_screen, until, violations, wait_until
from rig import HEIGHT, MARKS, PLACES, WIDTH, arm, stage_arguments, wait


class Pipe:
    """A camera's program: it writes what the lamps show into a pipe, 30 frames per second, once somebody reads."""

    def __init__(self, path, lamps, head=b"", start=b""):
        os.mkfifo(path)
        self.path, self.lamps, self.head, self.start = path, lamps, head, start
        self.count = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def write(self):
        with open(self.path, "wb", buffering=0) as pipe:
            try:
                pipe.write(self.head)
                while not self.is_over.wait(1 / 30):
                    pipe.write(self.start + self.lamps.pixels())
                    self.count += 1
            except BrokenPipeError:
                pass

    def end(self):
        self.is_over.set()
        # Otherwise one that nobody has opened waits for its reader.
        os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))
        self.thread.join()


Y4M = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F30:1 Ip Cmono XCOLORRANGE=FULL\n".encode()


def server_camera(studio):
    return state(studio, "mapping")["camera"]


@contextlib.contextmanager
def filmed(lamps, folder, head=Y4M, start=b"FRAME\n", arguments=(), is_standard_input=False, sees=None):
    """A studio whose show is on the lamps, and whose camera is a pipe; `sees`: what it sees instead of them."""
    pipe = Pipe(folder / "frames", sees or lamps, head, start)
    name, stdin = ("-", open(pipe.path, "rb")) if is_standard_input else (str(pipe.path), None)
    studio = Studio(*stage_arguments(folder), "--camera", name, *arguments, stdin=stdin)
    if stdin:
        stdin.close()
    try:
        arm(studio, lamps)
        yield studio, pipe
    finally:
        pipe.end()
        assert studio.stop() == 0


def open_camera(studio):
    assert post(studio, "mapping/camera", {"open": True})[0] == 200
    wait(lambda: server_camera(studio)["width"] == WIDTH)


def begin_mapping(studio, **settings):
    assert post(studio, "mapping/start", {"source": "server", **settings})[0] == 200
    wait(lambda: state(studio, "mapping").get("frames", 0) > 5)


@pytest.mark.parametrize("head,start,arguments", [(Y4M, b"FRAME\n", []), (b"", b"", ["--gray", f"{WIDTH}x{HEIGHT}"])])
def test_the_servers_camera_finds_the_lamps_and_shows_its_picture(browser, lamps, tmp_path, picture, head, start, arguments):
    with filmed(lamps, tmp_path, head, start, arguments) as (studio, pipe):
        context = browser.new_context()
        page, received = context.new_page(), []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda data: received.append(data)))
        open_screen(page, studio.address, "mapping")
        page.get_by_role("combobox", name="Camera").select_option("server")
        begin, stop = (page.get_by_role("button", name=name, exact=True) for name in ["Start", "Stop"])
        expect(begin).to_be_disabled()
        page.get_by_role("button", name="Open the camera").click()
        expect(page.get_by_text(f"{pipe.path}: {WIDTH} × {HEIGHT} pixels.")).to_be_visible()
        # Live before the mapping: the lamps of the show are lit.
        until(page, """(() => {
            const copy = new OffscreenCanvas(80, 60).getContext('2d', { willReadFrequently: true });
            copy.drawImage(document.querySelector('canvas.camera'), 0, 0, 80, 60);
            return copy.getImageData(12, 10, 1, 1).data[0] > 150;
        })()""")
        # One that lasts until it is stopped.
        page.get_by_label("Frames for each pattern").fill("200")
        begin.click()
        expect(stop).to_be_visible()
        assert post(studio, "mapping/camera", {"open": False})[0] == 422
        stop.click()
        expect(begin).to_be_visible()
        page.get_by_label("Frames for each pattern").fill("4")

        def has_ended():
            """Whether one has begun and ended, by the states that the page was sent."""
            states = [json.loads(each) for each in received if isinstance(each, str)]
            running = [each["state"]["running"] for each in states if each.get("name") == "mapping" and each.get("type") == "state"]
            return True in running and not running[-1]

        # The way from a lamp to the camera takes as long as the machine is busy: then a lamp is missed, and looked for anew.
        for _ in range(5):
            received.clear()
            begin.click()
            wait_until(page, has_ended, 60)
            expect(begin).to_be_visible()
            if state(studio, "mapping")["found"] == len(PLACES):
                break
        expect(page.get_by_role("status").filter(has_text="Done: 6 of 6 found")).to_be_visible()
        assert state(studio, "mapping")["source"] == "server"
        rows = page.get_by_role("region", name="Fixtures").locator("tbody tr")
        for number, (x, y) in enumerate(PLACES):
            across, down = map(float, rows.nth(number).locator("td").nth(1).inner_text().split(", "))
            assert abs(across - x) < 1 and abs(down - y) < 1
        # Rings over the live picture.
        until(page, f"({MARKS})() > 20")
        assert violations(page) == []
        picture(page, "mapping-server")
        wait(lambda: all(lamps.levels))
        # Nobody looks any more: it is closed.
        context.close()
        wait(lambda: not server_camera(studio)["open"], 20)


def test_a_servers_camera_that_ends_gives_the_lamps_back(lamps, tmp_path):
    with filmed(lamps, tmp_path) as (studio, pipe):
        assert "got none yet" in post(studio, "mapping/start", {"source": "server"})[2]
        open_camera(studio)
        begin_mapping(studio)
        pipe.end()
        wait(lambda: not state(studio, "mapping")["running"])
        seen = state(studio, "mapping")
        assert "expected frames until the mapping is done" in seen["error"]["message"]
        assert seen["camera"]["error"]["message"] == "the frames have ended" and not seen["camera"]["open"]
        wait(lambda: all(lamps.levels))
        assert state(studio, "lights")["armed"] and not state(studio, "lights")["lent"]


def test_a_blackout_because_nobody_is_there_ends_the_mapping(lamps, tmp_path):
    with filmed(lamps, tmp_path) as (studio, _):
        assert post(studio, "lights/unattended", {"do": "blackout"})[0] == 200
        with client(studio) as page:
            send(page, subscribe=["camera"])
            open_camera(studio)
            begin_mapping(studio, hold=1000)
        wait(lambda: state(studio, "lights")["blackout"] and not state(studio, "mapping")["running"])
        wait(lambda: not any(lamps.levels))


def test_a_mapping_that_nobody_watches_closes_its_camera_at_its_end(lamps, tmp_path):
    with filmed(lamps, tmp_path) as (studio, _):
        with client(studio) as page:
            send(page, subscribe=["camera"])
            open_camera(studio)
            begin_mapping(studio, hold=30)
        wait(lambda: not state(studio, "mapping")["running"], 60)
        wait(lambda: not server_camera(studio)["open"])


@pytest.mark.parametrize("is_standard_input", [False, True])
def test_a_pipe_has_frames_for_a_second_mapping(lamps, tmp_path, is_standard_input):
    with filmed(lamps, tmp_path, is_standard_input=is_standard_input) as (studio, pipe):
        for _ in range(2):
            open_camera(studio)
            begin_mapping(studio)
            assert post(studio, "mapping/stop", {})[0] == 200
            assert post(studio, "mapping/camera", {"open": False})[0] == 200
            assert [server_camera(studio)[key] for key in ["open", "width", "height", "error"]] == [False, None, None, None]
            # More than a pipe holds: what is written meanwhile is not kept for the next one.
            before = pipe.count
            wait(lambda: pipe.count > before + 30)


class Wall:
    """What a camera sees that looks at a wall."""

    def __init__(self, width, height):
        self.size, self.gray = width * height, 10

    def pixels(self):
        return bytes([self.gray]) * self.size


def pictures(page):
    """The camera's pictures that a client receives: the gray of the first pixel of each."""
    while True:
        message = page.recv(timeout=PATIENCE)
        if isinstance(message, bytes):
            yield message[HEADER.size + 4]


def test_a_pipe_that_is_opened_again_shows_nothing_of_before(lamps, tmp_path):
    wall = Wall(WIDTH, HEIGHT)
    with filmed(lamps, tmp_path, sees=wall) as (studio, pipe), client(studio) as page:
        send(page, subscribe=["camera"])
        open_camera(studio)
        assert next(gray for gray in pictures(page) if gray == wall.gray)
        assert post(studio, "mapping/camera", {"open": False})[0] == 200
        before = pipe.count
        wait(lambda: pipe.count > before + 10)
        # What was on its way when it was closed comes before this answer.
        send(page, id=1, do="no/action")
        while isinstance(message := page.recv(timeout=PATIENCE), bytes) or json.loads(message).get("id") != 1:
            pass
        wall.gray = 200
        before = pipe.count
        wait(lambda: pipe.count > before + 3)
        open_camera(studio)
        seen = pictures(page)
        assert [next(seen) for _ in range(3)] == [200, 200, 200]


def test_pictures_of_a_large_camera_delay_no_action(lamps, tmp_path):
    width, height = 4096, 2160
    arguments = ["--gray", f"{width}x{height}"]
    with filmed(lamps, tmp_path, b"", b"", arguments, sees=Wall(width, height)) as (studio, _), client(studio) as page:
        send(page, subscribe=["camera"])
        assert post(studio, "mapping/camera", {"open": True})[0] == 200
        seen, count, counts = pictures(page), 0, []

        def watch():
            for _ in range(8):
                next(seen)
                counts.append(count)

        watching = threading.Thread(target=watch)
        watching.start()
        while watching.is_alive():
            assert post(studio, "lights/master", {"level": 1})[0] == 200
            count += 1
        # Otherwise actions are performed between pictures alone, of which one follows the other at once.
        between = sorted(later - earlier for earlier, later in zip(counts, counts[1:]))
        assert between[len(between) // 2] > 8, between


@pytest.mark.parametrize("data,words", [
    (b"RIFF" * 9, "expected a file that begins with YUV4MPEG2"), (Y4M + b"FRAME\n" + bytes(9), "expected a whole frame, got its first 15 bytes"), (b"", "expected a frame, got nothing")])
def test_a_bad_camera_of_the_server_is_told(browser, tmp_path, data, words):
    file = tmp_path / "frames.y4m"
    file.write_bytes(data)
    studio = Studio("--camera", str(file))
    context = browser.new_context()
    page = context.new_page()
    open_screen(page, studio.address, "mapping")
    page.get_by_role("combobox", name="Camera").select_option("server")
    page.get_by_role("button", name="Open the camera").click()
    expect(page.locator("main .error", has_text=words)).to_be_visible()
    assert violations(page) == []
    expect(page.get_by_role("button", name="Open the camera")).to_be_enabled()
    context.close()
    assert studio.stop() == 0


@pytest.mark.parametrize("arguments,words", [(["--camera", "/nowhere"], "cannot read /nowhere"), (["--camera", "/"], "cannot read /"),
                                             (["--camera", "-", "--gray", "80"], "--gray: expected"), (["--gray", "80x60"], "--gray: expected")])
def test_a_camera_that_cannot_be_is_refused_at_the_start(arguments, words):
    refused = subprocess.run([os.environ["RUSTLE_STUDIO"], *arguments], capture_output=True, text=True, timeout=20)
    assert refused.returncode == 64 and words in refused.stderr


def test_the_servers_camera_is_not_there_without_its_option(open_page, studio):
    assert "--camera" in post(studio, "mapping/camera", {"open": True})[2]
    page = open_page("mapping")
    expect(page.get_by_role("combobox", name="Camera").locator("option")).to_have_text(["This browser's camera", "Simulated camera and lamps"])
