"""Mails of accounts, at a mail server without TLS."""

import contextlib
import os
import re
import socket
import sqlite3
import subprocess
import threading
import time

import pytest

from accounts import PASSWORD, Person, start
from client import PATIENCE


@contextlib.contextmanager
def mail_server():
    """Its port, what it got, and a wait for so many mails."""
    from aiosmtpd.controller import Controller

    class Keeper:
        def __init__(self):
            self.mails = []
            self.came = threading.Event()

        async def handle_DATA(self, server, session, envelope):
            self.mails.append(envelope)
            self.came.set()
            return "250 OK"

        def wait_for(self, count):
            deadline = time.monotonic() + PATIENCE
            while len(self.mails) < count and time.monotonic() < deadline:
                self.came.wait(0.1)
                self.came.clear()

    keeper = Keeper()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(keeper, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield port, keeper
    finally:
        controller.stop()


@contextlib.contextmanager
def mailing(begin):
    """A studio that `begin` starts with these options more, and what its mail server gets."""
    with mail_server() as (port, keeper):
        running = begin("--mail-server", f"127.0.0.1:{port}", "--mail-sender", "studio@example.org")
        try:
            yield running, keeper
        finally:
            assert running.stop() == 0


@pytest.fixture
def public(tmp_path):
    """Such a studio with an address, and what its mail server gets."""
    with mailing(lambda *options: start(tmp_path, "--public-address", "https://studio.example.org", *options)) as both:
        yield both


def test_a_mail_has_the_link(public):
    running, keeper = public
    ada, carl = Person(running), Person(running)
    assert ada.register()[0] == carl.register("carl@example.org")[0] == 201
    for email in ["bob@example.org"] + ["ADA@example.org"] * 5 + ["carl@example.org"]:
        status, _, body = Person(running, Host="127.0.0.1").do("POST", "api/password/forgot", {"email": email})
        assert (status, body["mail"]) == (202, True)
    keeper.wait_for(4)
    # Three an hour; none to an address without an account.
    assert [each.rcpt_tos for each in keeper.mails] == [["ada@example.org"]] * 3 + [["carl@example.org"]]
    text = keeper.mails[0].content.decode()
    assert "Subject: A new password" in text and "127.0.0.1 asked" in text and "30 minutes" in text
    token = re.search(r"https://studio\.example\.org/#/account/reset/([\w-]{43})\r\n", text)[1]
    assert ada.do("POST", "api/password/reset", {"token": token, "password": "analytical engine"})[0] == 200
    assert ada.log_in(password="analytical engine")[0] == 200
    # Who gets mails of the address has it; a link of the terminal would not say so.
    assert ada.do("GET", "api/account")[2]["verified"] and ada.do("GET", "api/account/export")[2]["verified"]


def notices(keeper, count, address):
    """The sentences of so many notices of a change."""
    keeper.wait_for(count)
    texts = [each.content.decode() for each in keeper.mails]
    assert all("Subject: A change of your account" in text and text.rstrip().endswith(f"{address}#/account") for text in texts)
    return [text.split("\r\n\r\n")[1] for text in texts]


def test_a_change_of_signing_in_is_mailed(tmp_path, public):
    running, keeper = public
    ada = Person(running)
    assert ada.register()[0] == 201
    database = sqlite3.connect(tmp_path / "inner" / "accounts.sqlite", timeout=PATIENCE)
    with contextlib.closing(database), database:
        database.execute("INSERT INTO identity SELECT 'https://id.example.org', '7', id FROM account")
    assert ada.do("POST", "api/password", {"current": "another password", "new": "analytical engine"})[0] == 401
    assert ada.do("POST", "api/password", {"current": PASSWORD, "new": "analytical engine"})[0] == 204
    identity = {"issuer": "https://id.example.org", "subject": "7"}
    assert ada.do("DELETE", "api/identities", {**identity, "password": "another password"})[0] == 401
    assert ada.do("DELETE", "api/identities", {**identity, "password": "analytical engine"})[0] == 204
    link = subprocess.run([os.environ["RUSTLE_STUDIO"], "account", "reset", "--accounts", str(tmp_path / "inner" / "accounts.sqlite"),
                           "ada@example.org"], capture_output=True, text=True, check=True).stdout.strip()
    token = link.rpartition("/")[2]
    assert Person(running).do("POST", "api/password/reset", {"token": "A" * 43, "password": PASSWORD})[0] == 400
    assert Person(running).do("POST", "api/password/reset", {"token": token, "password": PASSWORD})[0] == 200
    done = "It was done from 127.0.0.1."
    assert notices(keeper, 3, "https://studio.example.org/") == [
        f"The password of your account was changed. {done}",
        f"The sign-in by https://id.example.org was removed from your account. {done}",
        f"The password of your account was set anew by a link. {done}"]
    assert {each.rcpt_tos[0] for each in keeper.mails} == {"ada@example.org"}
    assert not any(secret in each.content.decode() for each in keeper.mails for secret in [token, PASSWORD, "analytical engine"])
    # Whoever has the password makes no more mails than five at once.
    assert ada.log_in()[0] == 200
    for before, after in [(PASSWORD, "analytical engine"), ("analytical engine", PASSWORD)] * 2:
        assert ada.do("POST", "api/password", {"current": before, "new": after})[0] == 204
    assert ada.do("POST", "api/password/forgot", {"email": "ada@example.org"})[0] == 202
    keeper.wait_for(6)
    assert ["A change of" in each.content.decode() for each in keeper.mails] == [True] * 5 + [False]


def test_a_mail_lets_nobody_into_a_studio_with_a_token(tmp_path):
    with mailing(lambda *options: start(tmp_path, "--token", *options)) as (running, keeper):
        token = running.address.split("token=")[1]
        ada = Person(running)
        ada.cookie = f"rustle_token_{running.port}={token}"
        assert ada.do("POST", "api/register", {"email": "ada@example.org", "password": PASSWORD})[0] == 201
        ada.cookie = f"rustle_token_{running.port}={token}"
        assert ada.do("POST", "api/password/forgot", {"email": "ada@example.org"})[0] == 202
        keeper.wait_for(1)
    text = keeper.mails[0].content.decode()
    assert f"http://127.0.0.1:{running.port}/#/account/reset/" in text and token not in text


@pytest.mark.parametrize("host", ["127.example.org", "127.0.0.1.example.org", "192.0.2.1"])
def test_a_mail_server_beyond_the_loopback_gets_no_password(tmp_path, host):
    secret = tmp_path / "password"
    secret.write_text("analytical engine")
    result = subprocess.run(
        [os.environ["RUSTLE_STUDIO"], "--listen", "127.0.0.1:0", "--accounts", str(tmp_path / "accounts.sqlite"), "--mail-server", f"{host}:25",
         "--mail-sender", "studio@example.org", "--mail-user", "ada", "--mail-password", str(secret)],
        capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode != 0 and "--mail-user: expected a mail server of the loopback" in result.stderr, result
    assert "analytical" not in result.stdout + result.stderr
