"""The studio's program, which the environment variable RUSTLE_STUDIO names, and a browser with a fake microphone."""

import array
import math
import os
import pathlib
import shutil
import signal
import subprocess
import wave

import pytest
from playwright.sync_api import expect, sync_playwright

from client import PATIENCE
from rig import Lamps, stage_arguments

SCREENS = ["", "prices", "spectrum", "meter", "tuner", "equalizer", "recorder", "voice", "tempo", "lights", "fixtures", "setup", "mapping", "account"]


def pytest_configure(config):
    expect.set_options(timeout=PATIENCE * 1000)
    config.addinivalue_line("markers", "alone: measures time or memory, with no other test beside it")


class Studio:
    """A running program."""

    def __init__(self, *arguments, port=0, stderr=None, stdin=None, env=None):
        command = [os.environ["RUSTLE_STUDIO"], "--listen", f"127.0.0.1:{port}", *arguments]
        # Tests of accounts bring their own; no other one touches those of who runs it.
        if "--accounts" not in arguments:
            command.append("--no-accounts")
        self.process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, text=True, env=env)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), "expected an address"
        self.port = int(self.address.split(":")[2].split("/")[0])

    def stop(self):
        """Asks it to end, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=PATIENCE)


@pytest.fixture
def studio(tmp_path):
    running = Studio("--recordings", str(tmp_path / "recordings"), "--accounts", str(tmp_path / "accounts.sqlite"), "--hash-cost", "8:1")
    yield running
    assert running.stop() == 0


def write_tone(folder):
    """A WAV file with ten seconds of 440 Hz."""
    path = folder / "a440.wav"
    samples = (round(16384 * math.sin(2 * math.pi * 440 * place / 48000)) for place in range(480000))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48000)
        file.writeframes(array.array("h", samples).tobytes())
    return path


# The same engines without windows that nobody sees: a page begins in half of the time. Figures are those of the whole browser.
HEADLESS = shutil.which("chromium-headless-shell") or shutil.which("chromium")


def launch(playwright, sound, program=shutil.which("chromium")):
    """A browser whose microphone hears a file, again and again."""
    return playwright.chromium.launch(executable_path=program, args=[
        "--no-sandbox", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={sound}", "--autoplay-policy=no-user-gesture-required",
    ])


@pytest.fixture(scope="session")
def tone(tmp_path_factory):
    return write_tone(tmp_path_factory.mktemp("tone"))


@pytest.fixture(scope="session")
def browser(tone):
    with sync_playwright() as playwright:
        running = launch(playwright, tone, HEADLESS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser, studio):
    """Opens pages in contexts of their own; the console of each must stay empty."""
    contexts = []

    def open_one(screen="", width=1280, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, permissions=["microphone"], **options)
        page = context.new_page()
        messages = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(f"{studio.address}#/{screen}")
        page.locator("[data-id][aria-current]").wait_for(state="attached")
        page.locator("#connection[data-state=live]").wait_for()
        contexts.append((context, messages))
        return page

    yield open_one
    for context, messages in contexts:
        context.close()
        # A server that was stopped on purpose.
        assert [text for text in messages if "WebSocket connection" not in text] == []


@pytest.fixture
def picture():
    """Keeps a picture of a page in the folder of RUSTLE_PICTURES, where it is set."""

    def keep(page, name):
        folder = os.environ.get("RUSTLE_PICTURES")
        if folder:
            page.screenshot(path=pathlib.Path(folder) / f"{name}.png", full_page=True)

    return keep


@pytest.fixture
def lamps():
    running = Lamps()
    yield running
    running.close()


@pytest.fixture
def stage(tmp_path):
    """A studio whose show lights the first of six dimmers."""
    running = Studio(*stage_arguments(tmp_path))
    yield running
    assert running.stop() == 0
