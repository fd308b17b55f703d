"""Accounts behind a reverse proxy: who asks, and by https or not."""

import json
import re

from accounts import Person, start
from client import PATIENCE, answer, client, send


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
