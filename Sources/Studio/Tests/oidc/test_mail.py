"""Mails by a server with TLS."""

import contextlib
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import threading
import time

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "browser"))

from accounts import Person, start

SECRET = "a relay's password"
# With TLS from the first byte on, which the library does not count.
pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")


class Keeper:
    def __init__(self):
        self.mails, self.came = [], threading.Event()

    async def handle_DATA(self, server, session, envelope):
        self.mails.append((bool(session.ssl) or server.transport.get_extra_info("ssl_object") is not None, envelope))
        self.came.set()
        return "250 OK"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of localhost, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"], check=True, capture_output=True)
    return folder / "certificate.pem", folder / "key.pem"


@contextlib.contextmanager
def server(certificate, encryption):
    """A mail server that takes mails by TLS and a password only."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)

    def authenticate(server, session, envelope, mechanism, login):
        return AuthResult(success=login.login == b"ada" and login.password == SECRET.encode())

    options = {"authenticator": authenticate, "auth_required": True}
    if encryption == "starttls":
        options |= {"tls_context": context, "require_starttls": True}
    else:
        # The library knows of TLS only what it began itself.
        options |= {"ssl_context": context, "auth_require_tls": False}
    keeper = Keeper()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(keeper, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield keeper, port
    finally:
        controller.stop()


@contextlib.contextmanager
def asked(folder, host, port, encryption, roots):
    """A studio that is asked for a mail: what it logs."""
    secret = folder / "password"
    secret.write_text(SECRET + "\n")
    arguments = ["--mail-server", f"{host}:{port}", "--mail-sender", "studio@example.org", "--mail-encryption", encryption,
                 "--mail-user", "ada", "--mail-password", str(secret)]
    if roots:
        arguments += ["--mail-roots", str(roots)]
    log = folder / "log"
    with open(log, "w") as errors:
        studio = start(folder, *arguments, stderr=errors)
    ada = Person(studio)
    assert ada.register()[0] == 201
    assert ada.do("POST", "api/password/forgot", {"email": "ada@example.org"})[0] == 202
    yield log
    assert studio.stop() == 0
    assert SECRET not in log.read_text()


def logged(log):
    deadline = time.monotonic() + 10
    while "a mail was not sent" not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    return log.read_text()


@pytest.mark.parametrize("encryption", ["starttls", "implicit"])
def test_a_mail_comes_by_tls(tmp_path, certificate, encryption):
    with server(certificate, encryption) as (keeper, port), asked(tmp_path, "localhost", port, encryption, certificate[0]) as log:
        assert keeper.came.wait(10), log.read_text()
        [(is_encrypted, mail)] = keeper.mails
        assert is_encrypted and mail.rcpt_tos == ["ada@example.org"]
        assert re.search(rb"#/account/reset/[\w-]{43}\r\n", mail.content)
    assert "not sent" not in log.read_text()


@pytest.mark.parametrize("encryption", ["starttls", "implicit"])
@pytest.mark.parametrize("host,isTrusted", [("localhost", False), ("127.0.0.1", True)])
def test_a_certificate_of_another_is_refused(tmp_path, certificate, encryption, host, isTrusted):
    """One that nobody trusts, and one of another name."""
    with server(certificate, encryption) as (keeper, port), asked(tmp_path, host, port, encryption, certificate[0] if isTrusted else None) as log:
        assert "handshake" in logged(log).lower() or "certificate" in log.read_text().lower(), log.read_text()
        assert keeper.mails == []


@pytest.mark.parametrize("offer,more,reason", [
    (b"250-localhost\r\n250 8BITMIME\r\n", b"", "expected a mail server that offers STARTTLS"),
    (b"250-localhost\r\n250 STARTTLS\r\n", b"250-localhost\r\n250 AUTH PLAIN\r\n235 yes\r\n", "expected nothing in clear")])
def test_nothing_is_said_in_clear(tmp_path, offer, more, reason):
    """Who is between takes the offer away, or speaks before the encryption."""
    heard = []

    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"220 localhost\r\n")
            heard.append(connection.recv(1 << 10))
            connection.sendall(offer)
            if more:
                heard.append(connection.recv(1 << 10))
                connection.sendall(b"220 ready\r\n" + more)
            while part := connection.recv(1 << 10):
                heard.append(part)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=[listener])
        thread.start()
        with asked(tmp_path, "localhost", listener.getsockname()[1], "starttls", None) as log:
            assert reason in logged(log)
        thread.join()
    assert heard == [b"EHLO rustle-studio\r\n", *([b"STARTTLS\r\n"] if more else [])]


def test_certificates_that_are_none_are_refused(tmp_path):
    roots = tmp_path / "roots.pem"
    roots.write_text("nothing")
    result = subprocess.run(
        [os.environ["RUSTLE_STUDIO"], "--listen", "127.0.0.1:0", "--accounts", str(tmp_path / "accounts.sqlite"), "--mail-server", "localhost:25",
         "--mail-sender", "studio@example.org", "--mail-encryption", "implicit", "--mail-roots", str(roots)], capture_output=True, text=True, timeout=10)
    assert result.returncode != 0 and "--mail-roots: expected certificates in PEM" in result.stderr
