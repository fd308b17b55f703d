"""Settings of an account over HTTP and the WebSocket: saved by revision, and heard of by each session."""

import json
import socket

from accounts import Person, at_once, start
from client import PATIENCE, ask, send
from test_accounts import ada, socket_of, studio


def account_messages(web):
    """The texts of the account, without end."""
    while True:
        message = web.recv(timeout=PATIENCE)
        if isinstance(message, str) and (value := json.loads(message)).get("type") in ("account", "preview"):
            yield value


def reply(web, number):
    """The answer to the action of a number."""
    while True:
        message = web.recv(timeout=PATIENCE)
        if isinstance(message, str) and (value := json.loads(message)).get("id") == number:
            return value


def test_the_equalizer_is_saved_by_its_revision(studio, ada):
    assert ada.do("GET", "api/eq")[2] == {"v": 1, "rev": 0, "bands": [0] * 28}
    bands = [0.1, -12, 12, 0.30000001192092896, 1e-7, 3.4] + [0] * 22
    assert ada.do("PUT", "api/eq", {"rev": 0, "bands": bands})[2] == {"v": 1, "rev": 1}
    # The fewest digits that are the same Float32.
    assert ada.do("GET", "api/eq")[2]["bands"][:6] == [0.1, -12, 12, 0.3, 1e-7, 3.4]
    status, _, body = ada.do("PUT", "api/eq", {"rev": 0, "bands": [1] * 28})
    assert (status, body["rev"], body["bands"][1], body["error"]["code"]) == (409, 1, -12, "conflict")
    for bad in [[0] * 27, [0] * 29, [12.001] + [0] * 27, ["0"] * 28, [None] * 28, None, {}, [[]] * 28]:
        status, _, body = ada.do("PUT", "api/eq", {"rev": 1, "bands": bad})
        assert (status, body["error"]["field"]) == (400, "bands"), bad
    for bad in [-1, 0.5, "1", None, 1e300]:
        assert ada.do("PUT", "api/eq", {"rev": bad, "bands": [0] * 28})[0] == 400
    assert ask(studio, "api/eq", b'{"rev":1,"bands":[NaN]}', method="PUT", Content_Type="application/json", Cookie=ada.cookie)[0] == 400
    assert ada.do("GET", "api/eq")[2]["rev"] == 1


def test_of_two_saves_with_one_revision_one_is_stored(studio, ada):
    for revision in range(5):
        codes = at_once(lambda place: ada.save(revision, place)[0], 8)
        assert sorted(codes) == [200] + [409] * 7


def test_named_settings_share_the_mechanism(studio, ada):
    names = ["tuner", "eq/presets/Mein%20Klang", "meter/USB%20%C3%A4", "ticker/mine"]
    for name in names:
        assert ada.do("PUT", f"api/settings/{name}", {"rev": 0, "value": {"a": [1, None, "x"]}})[2]["rev"] == 1, name
        assert ada.do("GET", f"api/settings/{name}")[2]["value"] == {"a": [1, None, "x"]}
        status, _, body = ada.do("PUT", f"api/settings/{name}", {"rev": 0, "value": 2})
        assert (status, body["rev"], body["value"]["a"][0]) == (409, 1, 1)
    settings = ada.do("GET", "api/settings")[2]["settings"]
    assert set(settings) == {"tuner", "eq/presets/Mein Klang", "meter/USB ä", "ticker/mine"}
    assert ada.do("PUT", "api/settings/tuner", {"rev": 1, "value": None})[2]["rev"] == 2
    assert "tuner" not in ada.do("GET", "api/settings")[2]["settings"]
    for name in ["other", "eq", "eq/presets/", "meter", "ticker/" + "x" * 65, "tuner/x", "eq/presets/%00", "%2e%2e/x", "meter/%2e", "ticker/a%2F%2e%2e", "ticker/a%2F%2Fb", "ticker/a%2F", "ticker/a%CC%88", "meter/%E2%84%A6"]:
        assert ada.do("PUT", f"api/settings/{name}", {"rev": 0, "value": 1})[0] == 400, name
    assert ada.do("PUT", "api/settings/tuner", {"rev": 2, "value": "x" * (64 << 10)})[0] == 413


def test_what_is_read_is_limited(tmp_path):
    running = start(tmp_path, "--limit", "read=6:600")
    ada = Person(running)
    assert ada.register()[0] == 201
    for place in range(3):
        assert ada.do("PUT", f"api/settings/eq/presets/{place}", {"rev": 0, "value": "x" * 60_000})[0] == 200
    # 180 KB are almost three.
    statuses = [ada.do("GET", path)[0] for path in ["api/settings", "api/eq", "api/settings/tuner", "api/account/export", "api/settings", "api/eq", "api/eq/events"]]
    assert statuses == [200, 200, 200, 429, 429, 200, 429]
    assert 1 <= int(ada.do("GET", "api/settings")[1]["Retry-After"]) <= 3600
    # Saving and the session go on.
    assert ada.save(0)[0] == 200 and ada.is_signed_in
    assert running.stop() == 0


def events_of(person):
    """A connection that asks for the equalizer's events."""
    raw = socket.create_connection(("127.0.0.1", person.studio.port), timeout=PATIENCE)
    raw.sendall(f"GET /api/eq/events HTTP/1.1\r\nHost: 127.0.0.1:{person.studio.port}\r\nCookie: {person.cookie}\r\n\r\n".encode())
    return raw


def until(raw, part, text=b""):
    """What has come when the part has; `text` came before."""
    while part not in text:
        more = raw.recv(1 << 16)
        assert more, text
        text += more
    return text


def test_events_tell_the_present_value_and_each_that_is_saved(studio, ada):
    assert ada.save(0, 1)[0] == 200
    raw = events_of(ada)
    text = until(raw, b'"rev":1')
    assert b"event: eq\n" in text
    for revision in range(1, 6):
        assert ada.save(revision, revision)[0] == 200
        text = until(raw, f'"rev":{revision + 1},'.encode(), text)
    # It ends with the session.
    assert ada.do("POST", "api/logout")[0] == 204
    while raw.recv(1 << 16):
        pass
    raw.close()


def test_events_end_with_the_time_of_the_session(tmp_path):
    running = start(tmp_path, "--session-longest", "8")
    ada = Person(running)
    assert ada.register()[0] == 201
    with events_of(ada) as raw:
        until(raw, b"event: eq\n")
        while raw.recv(1 << 16):
            pass
    assert not ada.is_signed_in and running.stop() == 0


def test_sockets_of_the_account_see_saves_and_previews(studio, ada, socket_of):
    bob = Person(studio)
    assert bob.register("bob@example.org")[0] == 201
    first, second, stranger = socket_of(ada), socket_of(ada), socket_of(bob)
    for web in [first, second, stranger]:
        send(web, subscribe=["account", "tempo"])
    messages = account_messages(second)
    ada_id, bob_id = (person.do("GET", "api/account")[2]["id"] for person in [ada, bob])
    assert next(messages)["rev"] == 0
    assert next(account_messages(first))["bands"] == [0] * 28
    send(first, id=5, do="account/preview", **{"with": {"rev": 0, "bands": [2.5] * 28, "device": "one", "account": ada_id}})
    preview = next(messages)
    assert preview["account"] == ada_id
    assert (preview["type"], preview["bands"][0], preview["device"], preview["rev"]) == ("preview", 2.5, "one", 0)
    for name, arguments, code in [
            ("account/preview", {"rev": 0, "bands": [13] * 28}, "validation"), ("account/other", {}, "notFound"),
            ("account/preview", {"rev": 0, "bands": [1] * 28, "account": bob_id}, "signedOut")]:
        send(first, id=6, do=name, **{"with": arguments})
        assert reply(first, 6)["error"]["code"] == code
    assert ada.save(0, 2.5, "one")[0] == 200
    saved = next(messages)
    assert (saved["type"], saved["account"], saved["rev"], saved["bands"][0], saved["device"]) == ("account", ada_id, 1, 2.5, "one")
    assert next(account_messages(first))["rev"] == 1
    assert ada.do("PUT", "api/settings/tuner", {"rev": 0, "value": {"a4": 443}})[0] == 200
    reported = next(messages)
    assert (reported["name"], reported["rev"], "value" in reported) == ("tuner", 1, False)
    # Another account hears nothing of it: what it does itself comes next.
    reported = account_messages(stranger)
    assert (first_ := next(reported))["rev"] == 0 and first_["account"] == bob_id
    assert bob.save(0, 1, "bob's")[0] == 200
    assert next(reported)["device"] == "bob's"


def test_without_an_account_there_is_no_preview(studio, socket_of):
    web = socket_of(Person(studio))
    send(web, subscribe=["account"])
    send(web, id=1, do="account/preview", **{"with": {"bands": [0] * 28}})
    assert reply(web, 1)["error"]["code"] == "notFound"
