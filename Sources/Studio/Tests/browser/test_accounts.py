"""Accounts over HTTP and the WebSocket."""

import contextlib
import http.client
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import threading
import time
from random import Random

import pytest
from websockets.exceptions import ConnectionClosed

from accounts import PASSWORD, Person, at_once, start
from client import PATIENCE, ask, client, send


@pytest.fixture
def studio(tmp_path):
    running = start(tmp_path)
    yield running
    assert running.stop() == 0


@pytest.fixture
def ada(studio):
    person = Person(studio)
    assert person.register()[0] == 201
    return person


@pytest.fixture
def socket_of():
    """Connects people by their WebSockets, until the end of the test."""
    with contextlib.ExitStack() as stack:
        def connect(person):
            headers = {"Cookie": person.cookie} if person.cookie else {}
            web = stack.enter_context(client(person.studio, additional_headers=headers, origin=f"http://127.0.0.1:{person.studio.port}"))
            assert json.loads(web.recv(timeout=PATIENCE))["type"] == "hello"
            return web

        yield connect


def assert_ended(web):
    """A connection is closed because its session has ended."""
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            web.recv(timeout=PATIENCE)
    assert closed.value.rcvd.code == 1008 and closed.value.rcvd.reason == "the session has ended"


def test_who_registers_is_signed_in(studio):
    person = Person(studio)
    assert person.do("GET", "api/account")[2] == {
        "v": 1, "accounts": True, "id": None, "email": None, "mail": False, "providers": [], "password": None, "verified": None}
    status, headers, body = person.register(" Ada@example.org ")
    assert (status, body["email"]) == (201, "Ada@example.org")
    assert re.fullmatch(
        rf"rustle_session_{studio.port}=[\w-]{{43}}; HttpOnly; SameSite=Lax; Path=/; Max-Age=7776000", headers["Set-Cookie"])
    assert headers["Cache-Control"] == "no-store" and person.is_signed_in
    status, _, body = Person(studio).register("ADA@EXAMPLE.ORG")
    assert (status, body["error"]["field"]) == (409, "email")
    status, headers, _ = person.do("POST", "api/logout")
    assert (status, headers["Set-Cookie"]) == (204, None) and not person.is_signed_in


@pytest.mark.parametrize("email,password,field", [
    ("ada", PASSWORD, "email"), ("a@b@c", PASSWORD, "email"), (7, PASSWORD, "email"), ("ada@example.org", "short", "password"),
    ("ada@example.org", "password1", "password"), ("ada@example.org", "x" * 1025, "password"), ("ada@example.org", None, "password")])
def test_a_refusal_names_the_field(studio, email, password, field):
    status, _, body = Person(studio).do("POST", "api/register", {"email": email, "password": password})
    assert (status, body["error"]["code"], body["error"]["field"]) == (400, "validation", field)


def test_passwords_of_any_script_work(studio):
    for place, password in enumerate(["пароль из слов", "🔑🔑🔑🔑🔑🔑🔑🔑", "ä" * 512]):
        person = Person(studio)
        assert person.register(f"{place}@example.org", password)[0] == 201
        assert person.log_in(f"{place}@example.org", password)[0] == 200
        assert person.log_in(f"{place}@example.org", password[:-1])[0] == 401


def test_a_wrong_password_and_an_unknown_address_are_answered_alike(studio, ada):
    wrong, unknown = (Person(studio).log_in(email, "another password") for email in ["ada@example.org", "bob@example.org"])
    assert wrong[0] == unknown[0] == 401 and wrong[2] == unknown[2]
    assert {key.lower() for key in wrong[1]} == {key.lower() for key in unknown[1]}
    assert Person(studio).log_in()[0] == 200


def test_a_login_replaces_a_planted_session(studio, ada):
    planted = ada.cookie
    victim = Person(studio)
    victim.cookie = planted
    assert victim.log_in()[0] == 200 and victim.cookie != planted
    assert not ada.is_signed_in and victim.is_signed_in
    # Of two cookies with the name, one of a page next door, none counts.
    good, name = victim.cookie, f"rustle_session_{studio.port}"
    victim.cookie = f"{good}; {name}=x"
    assert not victim.is_signed_in
    # That of another port of the host does no harm.
    victim.cookie = f"{good}; rustle_session_1=x; rustle_session=x"
    assert victim.is_signed_in
    for bad in [f"{name}=", f"{name}=" + "A" * 43, name, good + "A", good.replace("=", "=="), good.replace(name, "rustle_session")]:
        victim.cookie = bad
        assert not victim.is_signed_in, bad


def test_no_cookie_but_the_own_one_signs_in(studio, ada):
    """Headers at random, and changes of the right one."""
    random = Random(1)
    name, token = ada.cookie.split("=")

    def changed(text):
        place, letter = random.randrange(len(text)), chr(random.choice([*range(32, 127), *range(128, 256)]))
        return random.choice([text[:place] + letter + text[place + 1:], text[:place] + text[place + 1:], text[:place] + letter + text[place:]])

    line = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
    for turn in range(500):
        noise = "".join(chr(random.choice([*range(32, 127), *range(128, 256)])) for _ in range(random.randrange(80)))
        cookie = [noise, changed(ada.cookie), f"{name}={noise}", f"{ada.cookie}; {name}={noise.strip('; ') or 'x'}", f"{name}={token}{token}"][turn % 5]
        # Blanks around the value, and other cookies beside it, are none of it.
        if cookie.replace(" ", "").strip(";") == ada.cookie or f"{ada.cookie};" in cookie.replace(" ", "") and cookie.count(name) == 1:
            continue
        line.request("GET", "/api/account", headers={"Cookie": cookie.encode("latin-1")})
        answer = line.getresponse()
        text = answer.read()
        assert answer.status == 400 or answer.status == 200 and json.loads(text)["id"] is None, cookie
        if answer.will_close:
            line.close()
    assert ada.is_signed_in


def test_a_sign_up_replaces_the_present_session(studio, ada, socket_of):
    web, before = socket_of(ada), ada.cookie
    assert ada.register("bob@example.org")[0] == 201 and ada.do("GET", "api/account")[2]["email"] == "bob@example.org"
    assert_ended(web)
    ada.cookie = before
    assert not ada.is_signed_in


def test_of_thirty_registrations_at_once_one_is_made(studio):
    people = [Person(studio) for _ in range(30)]
    codes = at_once(lambda place: people[place].register("ada@example.org" if place % 2 else "ADA@example.org")[0], 30)
    assert codes.count(201) == 1 and set(codes) <= {201, 409, 503}


def test_a_new_server_has_no_account(studio, tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "inner" / "accounts.sqlite", timeout=30)) as database:
        assert database.execute("SELECT COUNT(*) FROM account").fetchone() == (0,)


def test_every_route_but_the_first_needs_a_session(studio):
    person = Person(studio)
    for method, path in [
            ("GET", "api/sessions"), ("DELETE", "api/sessions"), ("DELETE", "api/sessions/0011223344556677"), ("GET", "api/eq"),
            ("GET", "api/eq/events"), ("GET", "api/settings"), ("GET", "api/settings/tuner"), ("GET", "api/account/export")]:
        assert person.do(method, path)[0] == 401, path
    bodies = {"api/eq": {"rev": 0, "bands": [0] * 28}, "api/settings/tuner": {"rev": 0, "value": {}}}
    for path, body in bodies.items():
        assert person.do("PUT", path, body)[0] == 401
    assert person.do("POST", "api/password", {"current": PASSWORD, "new": PASSWORD + "x"})[0] == 401
    assert person.do("DELETE", "api/account", {"password": PASSWORD})[0] == 401


def test_another_site_changes_nothing(studio, ada):
    for headers in [{"Origin": "http://evil.example"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}]:
        assert ada.do("PUT", "api/eq", {"rev": 0, "bands": [1] * 28}, **headers)[0] == 403
        assert ada.do("DELETE", "api/sessions", **headers)[0] == 403
        assert ada.do("POST", "api/logout", {}, **headers)[0] == 403
    for path in ["login", "register", "eq"]:
        assert ask(studio, f"api/{path}", b"email=a", Content_Type="application/x-www-form-urlencoded", Cookie=ada.cookie)[0] == 415
    assert ask(studio, "api/logout", Cookie=ada.cookie)[0] == 404 and ada.is_signed_in
    assert ada.do("GET", "api/eq")[2]["rev"] == 0


def test_a_page_of_another_account_changes_nothing(studio, ada):
    bob = Person(studio)
    assert bob.register("bob@example.org")[0] == 201
    ada_id, bob_id = (person.do("GET", "api/account")[2]["id"] for person in [ada, bob])
    assert re.fullmatch("[0-9a-f]{32}", ada_id) and ada_id != bob_id
    bob.headers = {"Rustle_Account": ada_id}
    described = json.loads(ask(studio, "openapi.json")[2])["paths"]
    named = [(method.upper(), path[1:].replace("{id}", "00").replace("{name}", "tuner")) for path, methods in described.items()
             for method, one in methods.items() if {"$ref": "#/components/parameters/Account"} in one.get("parameters", [])]
    assert len(named) == 17
    for method, path in named:
        value = None if method == "GET" else {
            "email": "bob@example.org", "password": PASSWORD, "current": PASSWORD, "new": "analytical engine", "rev": 0, "bands": [1] * 28,
            "value": 1, "issuer": "i", "subject": "s"}
        status, _, body = bob.do(method, path, value)
        assert (status, body["error"]["code"]) == (401, "signedOut")
    # It learns whose it is.
    assert bob.do("GET", "api/account")[2]["email"] == "bob@example.org"
    bob.headers = {"Rustle_Account": bob_id}
    assert bob.do("GET", "api/eq")[2]["rev"] == 0 and bob.save(0, 1)[0] == 200


def test_sessions_are_listed_and_ended(studio, ada):
    phone, tablet = Person(studio, User_Agent="Phone"), Person(studio, User_Agent="Tablet")
    assert phone.log_in()[0] == tablet.log_in()[0] == 200
    sessions = ada.do("GET", "api/sessions")[2]["sessions"]
    assert len(sessions) == 3 and {"Phone", "Tablet"} < {each["agent"] for each in sessions}
    assert [each["current"] for each in sessions].count(True) == 1
    assert all(each["network"] == "127.0.0.1" and each["created"] <= each["seen"] for each in sessions)
    [session] = [each for each in sessions if each["agent"] == "Phone"]
    # The id of a session is no token.
    assert session["id"] not in phone.cookie
    assert ada.do("DELETE", f"api/sessions/{session['id']}")[0] == 204
    assert not phone.is_signed_in and tablet.is_signed_in
    assert ada.do("DELETE", f"api/sessions/{session['id']}")[0] == 404
    assert ada.do("DELETE", "api/sessions")[0] == 204
    assert not tablet.is_signed_in and ada.is_signed_in


def test_an_ended_session_loses_its_sockets(studio, ada, socket_of):
    people = [Person(studio) for _ in range(5)]
    for person in people:
        assert person.log_in()[0] == 200
    sockets = [socket_of(person) for person in people]
    own, stranger = socket_of(ada), socket_of(Person(studio))
    for web in sockets:
        send(web, subscribe=["account"])
    assert ada.do("DELETE", "api/sessions")[0] == 204
    for web in sockets:
        assert_ended(web)
    for web in [own, stranger]:
        assert web.ping().wait(timeout=PATIENCE)


def test_an_account_that_is_disabled_lets_nobody_in(studio, ada, socket_of, tmp_path):
    def command(what, address):
        return subprocess.run(
            [os.environ["RUSTLE_STUDIO"], "account", what, address, "--accounts", str(tmp_path / "inner" / "accounts.sqlite")],
            capture_output=True, text=True)

    bob = Person(studio)
    assert bob.register("bob@example.org")[0] == 201
    web, other = socket_of(ada), socket_of(bob)
    assert ada.save(0, 3)[0] == 200
    assert command("disable", "ADA@example.org").returncode == 0
    # Another process has ended its session.
    assert_ended(web)
    assert not ada.is_signed_in and bob.is_signed_in and other.ping().wait(timeout=PATIENCE)
    status, _, body = Person(studio).log_in()
    assert (status, body["error"]["code"]) == (403, "disabled")
    # To others it is like any account, and gets no link.
    assert Person(studio).log_in(password="another password")[0] == 401
    assert "not disabled" in command("reset", "ada@example.org").stderr
    assert command("enable", "ada@example.org").returncode == 0
    assert ada.log_in()[0] == 200 and ada.do("GET", "api/eq")[2]["rev"] == 1
    unknown = command("disable", "eve@example.org")
    assert unknown.returncode == 1 and "expected the address of an account" in unknown.stderr


@pytest.mark.parametrize("words,expectation", [
    *((["account", "reset", "ada@example.org", "--public-address", address], "--public-address: expected an address such as https://studio.example.org, got '{}'".format(address))
      for address in ["", "studio.example.org", "ftp://studio.example.org", "https://", "https://studio.example.org/#/account"]),
    (["--public-address", ""], "--public-address: expected an address such as"), (["--accounts", ""], "--accounts: expected the path of a file, got ''"),
    (["account", "disable", "ada@example.org", "--accounts", ""], "--accounts: expected the path of a file, got ''"),
    (["account", "backup", ""], "expected the path of a file that is made, got ''"), (["account", "enable", ""], "expected the address of an account, got ''"),
    (["account", "reset", ""], "expected the address of an account, got ''"),
    (["--mail-server", "127.0.0.1:9", "--mail-sender", "studio@example.org", "--mail-user", ""], "--mail-user: expected a name, got ''"),
])
def test_a_value_that_is_none_is_refused(studio, ada, tmp_path, words, expectation):
    file = [] if "--accounts" in words else ["--accounts", str(tmp_path / "inner" / "accounts.sqlite")]
    listen = [] if "account" in words else ["--listen", "127.0.0.1:0"]
    result = subprocess.run([os.environ["RUSTLE_STUDIO"], *words, *file, *listen], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode != 0 and expectation in result.stderr and "/account/reset/" not in result.stdout


def test_a_new_password_ends_the_others_and_renews_the_own(studio, ada):
    other = Person(studio)
    assert other.log_in()[0] == 200
    before = ada.cookie
    assert ada.do("POST", "api/password", {"current": "wrong password", "new": "analytical engine"})[0] == 401
    assert ada.do("POST", "api/password", {"current": PASSWORD, "new": "password1"})[0] == 400
    assert ada.do("POST", "api/password", {"current": PASSWORD, "new": "analytical engine"})[0] == 204
    assert ada.cookie != before and ada.is_signed_in and not other.is_signed_in
    stale = Person(studio)
    stale.cookie = before
    assert not stale.is_signed_in
    assert Person(studio).log_in()[0] == 401 and Person(studio).log_in(password="analytical engine")[0] == 200


def test_tries_are_limited_and_the_owner_stays_in(studio, ada):
    codes = []
    for _ in range(7):
        status, headers, body = Person(studio).log_in(password="a wrong guess")
        codes.append(status)
    assert codes[:5] == [401] * 5 and codes[-1] == 429
    assert 1 <= int(headers["Retry-After"]) <= 10 and body["error"]["code"] == "limit"
    # In other letters it is the same address; an unknown one has a limit too.
    assert Person(studio).log_in("ADA@example.org")[0] == 429
    assert [Person(studio).log_in("nobody@example.org")[0] for _ in range(7)][-1] == 429
    assert ada.is_signed_in and ada.save(0)[0] == 200


def test_the_times_of_sessions_are_set(tmp_path, socket_of):
    running = start(tmp_path, "--session-idle", "8", "--session-longest", "3600")
    ada, bob = Person(running), Person(running)
    status, headers, _ = ada.register()
    assert status == 201 and "Max-Age=3600" in headers["Set-Cookie"] and bob.register("bob@example.org")[0] == 201
    web = socket_of(ada)
    with contextlib.closing(sqlite3.connect(tmp_path / "inner" / "accounts.sqlite", timeout=30)) as database:
        deadline = time.monotonic() + PATIENCE
        # Asking would be to use it.
        while database.execute("SELECT COUNT(*) FROM session").fetchone() != (1,):
            assert time.monotonic() < deadline
            time.sleep(0.1)
    # Whose socket is open is still there.
    assert not bob.is_signed_in and ada.is_signed_in
    web.close()
    assert running.stop() == 0


def test_the_export_has_all_and_the_deletion_leaves_nothing(studio, ada, socket_of, tmp_path):
    assert ada.save(0, 3)[0] == 200
    assert ada.do("PUT", "api/settings/eq/presets/mine", {"rev": 0, "value": {"lovelace": 1}})[0] == 200
    assert ada.do("PUT", "api/settings/tuner", {"rev": 0, "value": 440, "device": "phone"})[0] == 200
    assert ada.do("PUT", "api/settings/tuner", {"rev": 1, "value": None, "device": "phone"})[0] == 200
    status, headers, export = ada.do("GET", "api/account/export")
    assert "attachment" in headers["Content-Disposition"]
    assert export["email"] == "ada@example.org" and export["settings"]["eq"]["bands"] == [3] * 28
    assert export["settings"]["eq/presets/mine"]["value"] == {"lovelace": 1} and len(export["sessions"]) == 1
    tuner = export["settings"]["tuner"]
    assert tuner["deleted"] and tuner["rev"] == 2 and tuner["device"] == "phone" and tuner["value"] is None
    assert tuner["changed"] >= export["created"] and not export["settings"]["eq"]["deleted"]
    assert export["sessions"][0]["expires"] == export["sessions"][0]["created"] + 90 * 86_400
    assert [each["what"] for each in export["audit"]] == ["register"] and PASSWORD not in json.dumps(export)
    web = socket_of(ada)
    assert ada.do("DELETE", "api/account", {"password": "wrong password"})[0] == 401
    assert ada.do("DELETE", "api/account", {"password": PASSWORD})[0] == 204 and not ada.is_signed_in
    with pytest.raises(ConnectionClosed):
        while True:
            web.recv(timeout=PATIENCE)
    assert Person(studio).log_in()[0] == 401
    for path in (tmp_path / "inner").iterdir():
        data = path.read_bytes() if not path.name.endswith("-shm") else b""
        assert b"ada@example" not in data and b"lovelace" not in data, path


def test_a_link_of_the_terminal_sets_the_password_once(studio, ada, tmp_path):
    def command(address):
        return subprocess.run(
            [os.environ["RUSTLE_STUDIO"], "account", "reset", address, "--accounts", str(tmp_path / "inner" / "accounts.sqlite")],
            capture_output=True, text=True)

    result = command("ADA@example.org")
    assert re.fullmatch(r"http://127\.0\.0\.1:8420/#/account/reset/[\w-]{43}\n", result.stdout), result
    token = result.stdout.strip().rpartition("/")[2]
    person = Person(studio)
    assert person.do("POST", "api/password/reset", {"token": token, "password": "short"})[0] == 400
    assert person.do("POST", "api/password/reset", {"token": token, "password": "analytical engine"})[::2] == (200, {"v": 1, "removed": 0})
    assert not ada.is_signed_in
    status, _, body = person.do("POST", "api/password/reset", {"token": token, "password": "analytical engine"})
    assert (status, body["error"]["code"]) == (400, "link")
    assert person.log_in(password="analytical engine")[0] == 200
    unknown = command("bob@example.org")
    assert unknown.returncode != 0 and "expected the address of an account" in unknown.stderr


def test_forgotten_passwords_are_answered_alike(studio, ada):
    answers_ = [Person(studio).do("POST", "api/password/forgot", {"email": email}) for email in ["ada@example.org", "bob@example.org"]]
    assert [each[0] for each in answers_] == [202, 202] and answers_[0][2] == answers_[1][2] == {"v": 1, "mail": False}


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path):
    running, revision, cookie = start(tmp_path), 0, None
    port = running.port
    for turn in range(4):
        ada = Person(running)
        if turn == 0:
            assert ada.register()[0] == 201
            cookie = ada.cookie
        ada.cookie = cookie
        assert ada.do("GET", "api/eq")[2]["rev"] >= revision
        revision = ada.do("GET", "api/eq")[2]["rev"]
        killer = threading.Timer(0.15, running.process.send_signal, [signal.SIGKILL])
        killer.start()
        try:
            while True:
                status, _, body = ada.save(revision, (revision + 1) % 12)
                assert status == 200
                revision = body["rev"]
        except (OSError, http.client.HTTPException):
            pass
        running.process.wait()
        database = sqlite3.connect(tmp_path / "inner" / "accounts.sqlite")
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        # One that was not acknowledged may be there.
        [[stored, value]] = database.execute("SELECT revision, value FROM setting").fetchall()
        assert revision <= stored <= revision + 1
        # And then it is whole: the value of each revision is its own.
        assert value == struct.pack("<28f", *[stored % 12] * 28)
        database.close()
        running = start(tmp_path, port=port)
    assert revision > 0 and running.stop() == 0


def test_limits_outlive_a_restart(tmp_path):
    running = start(tmp_path)
    port = running.port
    assert [Person(running).log_in()[0] for _ in range(6)][-1] == 429
    assert running.stop() == 0
    running = start(tmp_path, port=port)
    assert Person(running).log_in()[0] == 429 and running.stop() == 0
