"""The command as a device of an account, beside a page."""

import json
import os
import signal
import subprocess

import pytest
from playwright.sync_api import expect

from accounts import PASSWORD, Person, start
from test_account_pages import Device, note, sign_up, to

RUSTLE = os.environ["RUSTLE"]


@pytest.fixture
def account(tmp_path, monkeypatch):
    """Runs the command's account, with settings of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    (tmp_path / "password").write_text(f"{PASSWORD}\n")

    def run(*words):
        return subprocess.run([RUSTLE, "account", *words], capture_output=True, text=True, timeout=60)

    run.password = ["--email", "ada@example.org", "--password-file", str(tmp_path / "password")]
    return run


def test_the_command_has_the_gains_of_a_page(browser, tmp_path, account):
    studio = start(tmp_path)
    page = Device(browser.new_context(), studio, "account").page
    sign_up(page)
    assert account("login", studio.address, *account.password).returncode == 0
    kept = tmp_path / "settings" / "rustle" / "account.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    to(page, "equalizer")
    page.get_by_role("slider", name="Left, 512 Hz").focus()
    page.keyboard.press("Home")
    expect(note(page)).to_contain_text("revision 1", timeout=10000)
    assert json.loads(account("status", "--json").stdout)["left"][6] == -12
    written = subprocess.run([RUSTLE, "eq", "--export", "json", "--account"], capture_output=True, text=True, timeout=60)
    assert [band["gain_db"] for band in json.loads(written.stdout)["left"]] == [0] * 6 + [-12] + [0] * 7
    # The session outlives the server.
    studio.process.send_signal(signal.SIGKILL)
    studio.process.wait()
    assert account("status").returncode == 69
    again = start(tmp_path, port=studio.port)
    assert json.loads(account("status", "--json").stdout)["right"][6] == -12
    assert account("logout").returncode == 0 and not kept.exists()
    page.context.close()
    assert again.stop() == 0


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
    assert studio.stop() == 0
