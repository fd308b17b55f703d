"""Sources of sound that are no microphone: the demo, a device of the server (PulseAudio, through ALSA as on a desktop), and a file over http."""

import os
import re
import subprocess
import time

import pytest
from playwright.sync_api import expect

from client import post, speaker, state
from conftest import Studio
from page import choose_demo, number, open_screen, until, until_still
from rig import wait


class SoundServer:
    """A sound server, and the environment of programs that use it."""

    def __init__(self, folder):
        self.path, configuration = folder / "socket", folder / "asound.conf"
        address = f"unix:{self.path}"
        configuration.write_text(f'pcm.mic {{ type pulse server "{address}" device "tone.monitor" hint {{ show on description "A tone" }} }}\n')
        # Nothing is written to the user's folders, and no other server is used.
        own = {name: str(folder) for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"]}
        self.environment = {**os.environ, **own, "PULSE_SERVER": address, "ALSA_CONFIG_PATH": str(configuration)}

    def start(self):
        modules = [f"module-native-protocol-unix socket={self.path} auth-anonymous=1", "module-null-sink sink_name=tone rate=48000",
                   "module-sine sink=tone frequency=440"]
        loads = [word for module in modules for word in ["-L", module]]
        self.process = subprocess.Popen(["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", *loads],
                                        env=self.environment, stderr=subprocess.DEVNULL)
        wait(lambda: subprocess.run(["pactl", "info"], env=self.environment, capture_output=True).returncode == 0)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.path.unlink(missing_ok=True)


@pytest.fixture
def sound_server(tmp_path):
    server = SoundServer(tmp_path)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture
def studio(sound_server):
    running = Studio(env=sound_server.environment)
    yield running
    assert running.stop() == 0


def test_a_device_of_the_server_is_heard_and_its_end_is_said(open_page, studio, sound_server):
    page = open_page("tuner")
    source, note = page.get_by_label("Sound", exact=True), page.get_by_label("Note", exact=True)

    def is_heard():
        source.select_option("Server: A tone")
        expect(note).to_have_text("A4")
        until(page, "Math.abs(+document.querySelector('output[aria-label=Cents]').value) <= 1")

    is_heard()
    open_screen(page, studio.address)
    expect(page.locator("#via")).to_have_text("A tone")
    open_screen(page, studio.address, "tuner")
    sound_server.kill()
    expect(page.get_by_role("alert")).to_contain_text("is gone")
    expect(source).to_have_value("none")
    expect(note).to_have_text("–")
    # With another server it is there again, without a new studio.
    sound_server.start()
    is_heard()


def test_the_demo_tone_is_one_note(open_page):
    page = open_page("tuner")
    choose_demo(page)
    expect(page.locator(".guide")).to_have_text("In tune")
    expect(page.get_by_label("Note", exact=True)).to_have_text("A4")


def test_a_recording_that_another_sound_ends_is_reported_on_each_screen(open_page, studio):
    page = open_page("spectrum")
    choose_demo(page)
    wait(lambda: state(studio, "sound")["kind"] == "demo")
    assert post(studio, "recorder/start", {"format": "wav"})[0] == 200
    wait(lambda: state(studio, "recorder")["seconds"] > 0.2)
    with speaker(studio, lambda place: 0.1, rate=44_100):
        expect(page.get_by_role("alert")).to_contain_text(re.compile(r"^The recording ended early: expected sound of 48000 Hz.* are kept in .*\.wav"))


def test_a_microphone_that_is_taken_away_is_reported(open_page, studio):
    page = open_page()
    page.evaluate("""() => {
        const { getUserMedia } = navigator.mediaDevices;
        navigator.mediaDevices.getUserMedia = async (...options) => (window.stream = await getUserMedia.call(navigator.mediaDevices, ...options));
    }""")
    page.get_by_role("button", name="Listen").click()
    wait(lambda: state(studio, "sound")["kind"] == "browser")
    page.evaluate("stream.getAudioTracks()[0].dispatchEvent(new Event('ended'))")
    expect(page.get_by_role("alert")).to_contain_text("The microphone was taken away")
    wait(lambda: state(studio, "sound")["kind"] == "none")


def test_a_file_without_worklets_is_heard(open_page, studio, tone):
    """As of a page over HTTP from another machine."""
    page = open_page("tuner")
    page.evaluate("Object.defineProperty(AudioContext.prototype, 'audioWorklet', { value: undefined })")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="File…").click()
    chooser.value.set_files(tone)
    expect(page.get_by_label("Note", exact=True)).to_have_text("A4")
    until(page, "Math.abs(+document.querySelector('output[aria-label=Cents]').value) <= 1")
    expect(page.locator("#source-select option:checked")).to_have_text("a440.wav")
    # In real time, and no longer than it is the source.
    open_screen(page, studio.address)
    sent = "+document.getElementById('sent').value"
    until(page, f"{sent} > 0")
    before, at = number(page, "#sent"), time.monotonic()
    page.wait_for_timeout(1000)
    assert 40_000 < (number(page, "#sent") - before) / (time.monotonic() - at) < 56_000
    page.get_by_label("Sound", exact=True).select_option("none")
    until_still(page, sent)
