"""The command as a device of an account, beside a page."""

import fcntl
import json
import os
import pathlib
import pty
import signal
import socket
import struct
import subprocess
import termios
import threading

import pytest
from playwright.sync_api import expect

from accounts import PASSWORD, Person, start
from client import PATIENCE
from page import expect_connection
from test_account_pages import Device, note, sign_up, to

RUSTLE = os.environ["RUSTLE"]


@pytest.fixture
def account(tmp_path, monkeypatch):
    """Runs the command's account, with settings of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    (tmp_path / "password").write_text(f"{PASSWORD}\n")

    def run(*words, timeout=60):
        return subprocess.run([RUSTLE, "account", *words], capture_output=True, text=True, timeout=timeout)

    run.password = ["--email", "ada@example.org", "--password-file", str(tmp_path / "password")]
    return run


@pytest.fixture
def live(account):
    """Runs live equalizers, which end with the test."""
    running = []

    def begin(*words, **options):
        process = subprocess.Popen([RUSTLE, "eq", "--live", "--demo", "--account", *words], **options)
        running.append(process)
        return process

    yield begin
    for process in running:
        process.terminate()
        process.wait(timeout=PATIENCE)


def processor_time(process):
    """The seconds that a process has used."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def change(process):
    """The change of the level, in dB, of the next line."""
    line = json.loads(process.stdout.readline())
    return line["after_dbfs"][0] - line["before_dbfs"][0]


def test_a_page_and_the_command_are_two_devices(browser, tmp_path, account, live):
    studio = start(tmp_path)
    page = Device(browser.new_context(), studio, "account").page
    sign_up(page)
    assert account("login", studio.address, *account.password).returncode == 0
    kept = tmp_path / "settings" / "rustle" / "account.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    to(page, "equalizer")
    follower = live("--json", stdout=subprocess.PIPE, text=True)
    assert abs(change(follower)) < 0.01
    slider = page.get_by_role("slider", name="Left, 512 Hz")
    slider.focus()
    page.keyboard.press("Home")
    while change(follower) > -3:
        pass
    assert json.loads(account("status", "--json").stdout)["left"][6] == -12
    # It sleeps while nothing changes: with a stream that wakes all the time it used more than a second of these two.
    before = processor_time(follower)
    for _ in range(8):
        change(follower)
    assert processor_time(follower) - before < 0.5
    # A key of the command moves the page's slider of 8 Hz.
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    live(stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    drawn = b""
    while b"512" not in drawn:
        drawn += os.read(screen, 4096)
    threading.Thread(target=drain, args=[screen], daemon=True).start()
    os.write(screen, b"\x1b[A\x1b[A")
    low = page.get_by_role("slider", name="Left, 8 Hz")
    expect(low).to_have_value("2")
    # Both go on with the next server.
    studio.process.send_signal(signal.SIGKILL)
    studio.process.wait()
    again = start(tmp_path, port=studio.port)
    expect_connection("live", page)
    expect(low).to_have_value("2")
    slider.dblclick()
    expect(note(page)).to_contain_text("Saved in your account")
    while change(follower) < -1:
        pass
    os.write(screen, b"\x1b[B")
    expect(low).to_have_value("1")
    written = subprocess.run([RUSTLE, "eq", "--export", "json", "--account"], capture_output=True, text=True, timeout=60)
    assert [band["gain_db"] for band in json.loads(written.stdout)["left"]] == [1] + [0] * 13
    assert account("logout").returncode == 0 and not kept.exists()
    page.context.close()
    assert again.stop() == 0


def drain(screen):
    try:
        while os.read(screen, 4096):
            pass
    except OSError:
        pass


def test_a_session_that_cannot_be_kept_ends(tmp_path, account, monkeypatch):
    studio = start(tmp_path)
    ada = Person(studio)
    assert ada.register()[0] == 201
    # A file is no folder.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "password"))
    failed = account("login", studio.address, *account.password)
    assert failed.returncode == 69 and "cannot write" in failed.stderr and "Nobody stays signed in." in failed.stderr
    assert len(ada.do("GET", "api/sessions")[2]["sessions"]) == 1
    assert studio.stop() == 0


def test_a_silent_server_keeps_nobody_from_another_one(tmp_path, account):
    studio = start(tmp_path)
    assert Person(studio).register()[0] == 201
    assert account("login", studio.address, *account.password).returncode == 0
    kept = tmp_path / "settings" / "rustle" / "account.json"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        kept.write_text(kept.read_text().replace(str(studio.port), str(silent.getsockname()[1])))
        # It is waited for longer, 45 s, where an answer is needed.
        moved = account("login", studio.address, *account.password, timeout=35)
    assert moved.returncode == 0 and "may live on" in moved.stderr
    assert account("status").returncode == 0 and studio.stop() == 0


def test_the_command_says_why_it_cannot_sign_in(tmp_path, account):
    studio = start(tmp_path)
    assert Person(studio).register()[0] == 201
    (tmp_path / "password").write_text("canary-2f7d\n")
    for server, status, words in [
        (studio.address, 64, "expected the address and the password of an account"), ("ftp://x", 64, "expected an address of http"),
        ("http://127.0.0.1:1", 69, "expected an answer of the server"),
    ]:
        refused = account("login", server, *account.password)
        assert refused.returncode == status and words in refused.stderr and "canary" not in refused.stderr
    assert account("status").returncode == 64
    (tmp_path / "password").write_text(PASSWORD)
    assert account("login", studio.address, *account.password).returncode == 0
    # Signed out elsewhere.
    other = Person(studio)
    assert other.log_in()[0] == 200 and other.do("DELETE", "api/sessions")[0] == 204
    ended = account("status")
    assert ended.returncode == 64 and "one that has ended" in ended.stderr
    assert account("logout").returncode == 0
    assert account("login", studio.address, *account.password).returncode == 0
    assert studio.stop() == 0
    # A server that is gone keeps nobody's file here.
    left = account("logout")
    assert left.returncode == 0 and "may live on" in left.stderr and account("status").returncode == 64
