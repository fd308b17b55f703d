"""Fixtures that the camera of the server finds: frames of a file, a pipe or standard input."""

import os
import subprocess
import threading

import pytest
from playwright.sync_api import expect

from client import client, post, send, state
from conftest import Studio
from page import until
from rig import HEIGHT, MARKS, PLACES, WIDTH, arm, stage_arguments, wait
from test_screens import violations


class Pipe:
    """A camera's program: it writes what the lamps show into a pipe, 30 frames per second, once somebody reads."""

    def __init__(self, path, lamps, head=b"", start=b""):
        os.mkfifo(path)
        self.path, self.lamps, self.head, self.start = path, lamps, head, start
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def write(self):
        with open(self.path, "wb", buffering=0) as pipe:
            try:
                pipe.write(self.head)
                while not self.is_over.wait(1 / 30):
                    pipe.write(self.start + self.lamps.pixels())
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


@pytest.mark.alone
@pytest.mark.parametrize("head,start,arguments", [(Y4M, b"FRAME\n", []), (b"", b"", ["--gray", f"{WIDTH}x{HEIGHT}"])])
def test_the_servers_camera_finds_the_lamps_and_shows_its_picture(browser, lamps, tmp_path, picture, head, start, arguments):
    pipe = Pipe(tmp_path / "frames", lamps, head, start)
    studio = Studio(*stage_arguments(tmp_path), "--camera", str(pipe.path), *arguments)
    try:
        arm(studio, lamps)
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{studio.address}#/mapping")
        page.get_by_role("combobox", name="Camera").select_option("server")
        begin = page.get_by_role("button", name="Start", exact=True)
        expect(begin).to_be_disabled()
        page.get_by_role("button", name="Open the camera").click()
        expect(page.get_by_text(f"{pipe.path}: {WIDTH} × {HEIGHT} pixels.")).to_be_visible()
        # Live before the mapping: the lamps of the show are lit.
        until(page, """(() => {
            const copy = new OffscreenCanvas(80, 60).getContext('2d', { willReadFrequently: true });
            copy.drawImage(document.querySelector('canvas.camera'), 0, 0, 80, 60);
            return copy.getImageData(12, 10, 1, 1).data[0] > 150;
        })()""")
        page.get_by_label("Frames for each pattern").fill("4")
        begin.click()
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        assert post(studio, "mapping/camera", {"open": False})[0] == 422
        expect(page.get_by_role("status").filter(has_text="Done: 6 of 6 found")).to_be_visible(timeout=60_000)
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
    finally:
        pipe.end()
        assert studio.stop() == 0


def test_a_servers_camera_that_ends_gives_the_lamps_back(lamps, tmp_path):
    pipe = Pipe(tmp_path / "frames", lamps, Y4M, b"FRAME\n")
    studio = Studio(*stage_arguments(tmp_path), "--camera", str(pipe.path))
    try:
        arm(studio, lamps)
        assert "got none yet" in post(studio, "mapping/start", {"source": "server"})[2]
        assert post(studio, "mapping/camera", {"open": True})[0] == 200
        wait(lambda: server_camera(studio)["width"] == WIDTH, 20)
        assert post(studio, "mapping/start", {"source": "server"})[0] == 200
        wait(lambda: state(studio, "mapping").get("frames", 0) > 5, 20)
        pipe.end()
        wait(lambda: not state(studio, "mapping")["running"], 20)
        seen = state(studio, "mapping")
        assert "expected frames until the mapping is done" in seen["error"]["message"]
        assert seen["camera"]["error"]["message"] == "the frames have ended" and not seen["camera"]["open"]
        wait(lambda: all(lamps.levels), 20)
        assert state(studio, "lights")["armed"] and not state(studio, "lights")["lent"]
    finally:
        pipe.end()
        assert studio.stop() == 0


def test_a_blackout_because_nobody_is_there_ends_the_mapping(lamps, tmp_path):
    pipe = Pipe(tmp_path / "frames", lamps, Y4M, b"FRAME\n")
    studio = Studio(*stage_arguments(tmp_path), "--camera", str(pipe.path))
    try:
        arm(studio, lamps)
        assert post(studio, "lights/unattended", {"do": "blackout"})[0] == 200
        with client(studio) as page:
            send(page, subscribe=["camera"])
            assert post(studio, "mapping/camera", {"open": True})[0] == 200
            wait(lambda: server_camera(studio)["width"] == WIDTH)
            assert post(studio, "mapping/start", {"source": "server", "hold": 1000})[0] == 200
            wait(lambda: state(studio, "mapping").get("frames", 0) > 5)
        wait(lambda: state(studio, "lights")["blackout"] and not state(studio, "mapping")["running"])
        wait(lambda: not any(lamps.levels))
    finally:
        pipe.end()
        assert studio.stop() == 0


@pytest.mark.parametrize("data,words", [
    (b"RIFF" * 9, "expected a file that begins with YUV4MPEG2"), (Y4M + b"FRAME\n" + bytes(9), "expected a whole frame, got its first 15 bytes"), (b"", "expected a frame, got nothing")])
def test_a_bad_camera_of_the_server_is_told(browser, tmp_path, data, words):
    file = tmp_path / "frames.y4m"
    file.write_bytes(data)
    studio = Studio("--camera", str(file))
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{studio.address}#/mapping")
    page.get_by_role("combobox", name="Camera").select_option("server")
    page.get_by_role("button", name="Open the camera").click()
    expect(page.locator("main .error", has_text=words)).to_be_visible()
    assert violations(page) == []
    expect(page.get_by_role("button", name="Open the camera")).to_be_enabled()
    context.close()
    assert studio.stop() == 0


def test_standard_input_is_a_camera_that_is_opened_more_than_once(lamps, tmp_path):
    studio = Studio("--camera", "-", stdin=subprocess.PIPE)
    is_over = threading.Event()

    def write():
        studio.process.stdin.buffer.write(Y4M)
        while not is_over.wait(1 / 30):
            studio.process.stdin.buffer.write(b"FRAME\n" + lamps.pixels())
            studio.process.stdin.buffer.flush()

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(2):
        assert post(studio, "mapping/camera", {"open": True})[0] == 200
        wait(lambda: server_camera(studio)["width"] == WIDTH, 20)
        assert post(studio, "mapping/camera", {"open": False})[0] == 200
        assert server_camera(studio) == {"open": False, "name": "standard input", "width": None, "height": None, "error": None}
    assert studio.stop() == 0
    is_over.set()
    writer.join()


@pytest.mark.parametrize("arguments,words", [(["--camera", "/nowhere"], "cannot read /nowhere"), (["--camera", "/"], "cannot read /"),
                                             (["--camera", "-", "--gray", "80"], "--gray: expected"), (["--gray", "80x60"], "--gray: expected")])
def test_a_camera_that_cannot_be_is_refused_at_the_start(arguments, words):
    refused = subprocess.run([os.environ["RUSTLE_STUDIO"], *arguments], capture_output=True, text=True, timeout=20)
    assert refused.returncode == 64 and words in refused.stderr


def test_the_servers_camera_is_not_there_without_its_option(open_page, studio):
    assert "--camera" in post(studio, "mapping/camera", {"open": True})[2]
    page = open_page("mapping")
    expect(page.get_by_role("combobox", name="Camera").locator("option")).to_have_text(["This browser's camera", "Simulated camera and lamps"])
