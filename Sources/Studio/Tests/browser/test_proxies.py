"""Behind a reverse proxy: who asks, and by https or not."""

import json
import os
import re
import subprocess

import pytest
from websockets.exceptions import ConnectionClosed

from accounts import Person, start
from client import PATIENCE, answer, ask, client, connected, send
from conftest import Studio


# The options of a server, the headers of a request to it, and whether they say that it came by https.
TRUST = ["--trusted-proxy", "127.0.0.1"]
WAYS = {
    "https": (TRUST, {"X_Forwarded_Proto": "https"}, True),
    "http": (TRUST, {"X_Forwarded_Proto": "http"}, False),
    "what the client wrote before": (TRUST, {"X_Forwarded_Proto": "https, http"}, False),
    "no header": (TRUST, {}, False),
    "the standard header": ([*TRUST, "--forwarded"], {"Forwarded": "proto=https"}, True),
    "the other header": ([*TRUST, "--forwarded"], {"X_Forwarded_Proto": "https"}, False),
    "another peer": (["--trusted-proxy", "127.0.0.2"], {"X_Forwarded_Proto": "https"}, False),
    "no trust": ([], {"X_Forwarded_Proto": "https"}, False),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_cookie_of_the_token_is_secure_over_https(way):
    """Without accounts too. A browser sends a cookie without `Secure` over http as well, where others on the network read it."""
    options, headers, is_secure = WAYS[way]
    running = Studio("--token", *options)
    try:
        token = running.address.split("token=")[1]
        host, lines = f"127.0.0.1:{running.port}", [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        with connected(running, "\r\n".join([f"GET /?token={token} HTTP/1.1", f"Host: {host}", *lines, "Connection: close", "", ""]).encode()) as raw:
            given = re.search(r"(?im)^set-cookie: (.*)\r$", raw.makefile("rb").read().decode())[1]
        plain, secure = f"rustle_token_{running.port}={token}", f"__Host-rustle_token_{running.port}={token}"
        ending = "; HttpOnly; SameSite=Lax; Path=/"
        assert given == (f"{secure}{ending}; Secure" if is_secure else f"{plain}{ending}")
        for cookie, is_known in [(secure, is_secure), (plain, not is_secure), (f"{plain}; {secure}", True)]:
            assert ask(running, "healthz", Cookie=cookie, **headers)[0] == (200 if is_known else 401), cookie
            # A socket as a request.
            more = [("Cookie", cookie), *(tuple(line.split(": ", 1)) for line in lines)]
            with client(running, additional_headers=more, origin=f"http://{host}") as web:
                if is_known:
                    assert json.loads(web.recv(timeout=PATIENCE))["type"] == "hello"
                else:
                    with pytest.raises(ConnectionClosed, match="expected the token"):
                        web.recv(timeout=PATIENCE)
    finally:
        assert running.stop() == 0


def test_an_address_of_a_proxy_that_is_none_is_a_usage_error():
    ended = subprocess.run(
        [os.environ["RUSTLE_STUDIO"], "--no-accounts", "--trusted-proxy", "proxy.example.org"], capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 64 and "--trusted-proxy: expected an IP address, got 'proxy.example.org'" in ended.stderr


def test_a_proxy_that_is_trusted_says_who_asks(tmp_path):
    running = start(tmp_path, "--trusted-proxy", "127.0.0.1", "--limit", "sign-up=1:3600")
    try:
        def register(place, **headers):
            return Person(running, **headers).register(f"{place}@example.org")

        assert register(1, X_Forwarded_For="198.51.100.1")[0] == 201
        # What the client wrote itself stands before what the proxy added, or in a header that the proxy passes on.
        assert register(2, X_Forwarded_For="198.51.100.2, 198.51.100.1")[0] == 429
        assert register(3, X_Forwarded_For="198.51.100.1", Forwarded="for=198.51.100.3;proto=https")[0] == 429
        # Without an address it is the proxy that asks.
        assert register(4, X_Forwarded_For="made-up-1")[0] == 201
        assert [register(5, X_Forwarded_For=text)[0] for text in ["made-up-2", "a" * 4000, "", "198.51.100.4, 1.2.3"]] == [429] * 4
        assert register(6, Forwarded="for=198.51.100.6")[0] == 429
        status, headers, _ = register(7, X_Forwarded_For="198.51.100.5", X_Forwarded_Proto="https", Forwarded="proto=http")
        assert status == 201
        assert re.match(rf"__Host-rustle_session_{running.port}=[\w-]{{43}}; .*; Secure$", headers["Set-Cookie"])
        secure = Person(running, X_Forwarded_Proto="https")
        secure.cookie = headers["Set-Cookie"].split(";")[0]
        assert secure.is_signed_in
        # The cookie of http counts for nothing there: it may be another site's of the host.
        secure.cookie = secure.cookie.replace("__Host-", "")
        assert not secure.is_signed_in
    finally:
        assert running.stop() == 0


def test_a_proxy_may_write_the_standard_header(tmp_path):
    running = start(tmp_path, "--trusted-proxy", "127.0.0.1", "--forwarded", "--limit", "sign-up=1:3600")
    try:
        def register(place, **headers):
            return Person(running, **headers).register(f"{place}@example.org")

        assert register(1, Forwarded='for="[2001:db8::1]:4711";proto=http')[0] == 201
        assert register(2, Forwarded='for=198.51.100.9, for="[2001:db8::2]"')[0] == 429
        assert register(3, Forwarded='for="[2001:db8::1]"', X_Forwarded_For="198.51.100.3")[0] == 429
        status, headers, _ = register(4, Forwarded="for=198.51.100.4;proto=https", X_Forwarded_Proto="http")
        assert status == 201 and headers["Set-Cookie"].endswith("; Secure")
    finally:
        assert running.stop() == 0


def test_a_socket_knows_https_as_a_request_does(tmp_path):
    running = start(tmp_path, "--trusted-proxy", "127.0.0.1")
    try:
        person = Person(running, X_Forwarded_Proto="https")
        assert person.register()[0] == 201
        # Two lines are one list, whose last part is the proxy's.
        for schemes, is_known in [(["http", "https"], True), (["https", "http"], False)]:
            headers = [("X-Forwarded-Proto", each) for each in schemes] + [("Forwarded", "proto=http"), ("Cookie", person.cookie)]
            with client(running, additional_headers=headers, origin=f"http://127.0.0.1:{running.port}") as web:
                assert json.loads(web.recv(timeout=PATIENCE))["type"] == "hello"
                send(web, id=1, do="account/preview", **{"with": {"rev": 0, "bands": [0] * 28, "device": "test"}})
                assert ("error" not in answer(web)) is is_known
    finally:
        assert running.stop() == 0


def test_without_a_trusted_proxy_its_headers_say_nothing(tmp_path):
    running = start(tmp_path, "--limit", "sign-up=1:3600")
    try:
        codes = [Person(running, X_Forwarded_For=f"198.51.100.{place}").register(f"{place}@example.org")[0] for place in range(3)]
        assert codes == [201, 429, 429]
    finally:
        assert running.stop() == 0
