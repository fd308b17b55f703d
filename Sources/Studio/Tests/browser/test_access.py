"""Who may talk to the server: each rule of access on each kind of route, with the heads as they are on the wire."""

import pytest

from client import PATIENCE, connected
from conftest import Studio

READS = {"the page": "/", "a file": "/js/main.js", "the state": "/api/state", "the account": "/api/account", "events": "/events?topics=tempo", "metrics": "/metrics",
         "healthz": "/healthz", "a socket without an upgrade": "/ws"}
TARGETS = [*READS, "an action", "the socket"]
# How a close frame names what is a status elsewhere.
REASONS = {b"expected a host name": 421, b"expected a request from": 403, b"expected the token": 401}
NAME = "studio.example"


@pytest.fixture(scope="module")
def guarded():
    running = Studio("--token", "--allow-host", NAME)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def unguarded():
    running = Studio()
    yield running
    assert running.stop() == 0


def status(studio, target, headers):
    """The status of an answer: of the socket's refusal, too."""
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    if target == "the socket":
        lines = ["GET /ws HTTP/1.1", *lines, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="]
    elif target == "an action":
        lines = ["POST /api/meter/reset HTTP/1.1", *lines, "Content-Type: application/json", "Content-Length: 2"]
    else:
        lines = [f"GET {READS[target]} HTTP/1.1", *lines]
    with connected(studio, "\r\n".join([*lines, "", "{}" if target == "an action" else ""]).encode()) as raw:
        raw.settimeout(PATIENCE)
        data = b""
        while part := raw.recv(1 << 16):
            data += part
            code = int(data[9:12]) if len(data) > 12 else 0
            if code == 101:
                found = [each for words, each in REASONS.items() if words in data]
                if found or b'"hello"' in data:
                    return found[0] if found else 101
            elif b"\r\n\r\n" in data:
                return code
    return 0


def good(target):
    return {"the socket": 101, "a socket without an upgrade": 426}.get(target, 200)


# The headers that differ from those of the page itself, and the status of a read, an action and the socket; None: it is served.
RULES = {
    "the page itself": ({}, (None, None, None)),
    "without a token": ({"Cookie": None}, (401, 401, 401)),
    "another token": ({"Cookie": "rustle_token_{port}=" + 64 * "0"}, (401, 401, 401)),
    "the token of another port": ({"Cookie": "rustle_token_1={token}"}, (401, 401, 401)),
    "the token among others": ({"Cookie": "a=b; rustle_token_{port}={token}; c=d"}, (None, None, None)),
    "another host": ({"Host": "evil.example"}, (421, 421, 421)),
    "another host, and its origin": ({"Host": "evil.example:{port}", "Origin": "http://evil.example:{port}"}, (421, 421, 421)),
    "another host, without a token": ({"Host": "evil.example", "Cookie": None}, (421, 421, 421)),
    "a host that begins as ours": ({"Host": "127.0.0.1.evil.example"}, (421, 421, 421)),
    "no host": ({"Host": None}, (421, 421, 421)),
    "a host that is allowed": ({"Host": NAME, "Origin": f"https://{NAME}", "Cookie": "rustle_token={token}"}, (None, None, None)),
    "localhost": ({"Host": "localhost:{port}", "Origin": "http://localhost:{port}"}, (None, None, None)),
    # No browser lets another page read these answers.
    "another origin": ({"Origin": "http://evil.example"}, (None, 403, 403)),
    "the origin of another port": ({"Origin": "http://127.0.0.1:1"}, (None, 403, 403)),
    "the origin of nobody": ({"Origin": "null"}, (None, 403, 403)),
    # Browsers send one with each upgrade; a program sends no cookies.
    "no origin": ({"Origin": None}, (None, None, 403)),
    "another site": ({"Sec-Fetch-Site": "cross-site"}, (403, 403, 403)),
    "another host of the site": ({"Sec-Fetch-Site": "same-site"}, (403, 403, 403)),
    "the same origin": ({"Sec-Fetch-Site": "same-origin"}, (None, None, None)),
    "a person": ({"Sec-Fetch-Site": "none"}, (None, None, None)),
    "a link of another site": ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, (None, 403, 403)),
    "another site, without a token": ({"Sec-Fetch-Site": "cross-site", "Cookie": None}, (403, 403, 403)),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_of_access_holds_on_every_route(guarded, rule):
    changes, expected = RULES[rule]
    own = f"127.0.0.1:{guarded.port}"
    token = guarded.address.split("token=")[1]
    values = {"Host": own, "Origin": f"http://{own}", "Cookie": f"rustle_token_{guarded.port}={token}"}
    headers = values | {name: value and value.replace("{port}", str(guarded.port)).replace("{token}", token) for name, value in changes.items()}
    found = {target: status(guarded, target, headers) for target in TARGETS}
    reads, action, upgrade = expected
    wanted = {target: (upgrade if target == "the socket" else action if target == "an action" else reads) or good(target) for target in TARGETS}
    assert found == wanted


@pytest.mark.parametrize("headers,code", [({}, None), ({"Cookie": "a=b"}, 403)], ids=["a program", "a browser that hides its origin"])
def test_the_loopback_asks_for_no_token(unguarded, headers, code):
    found = {target: status(unguarded, target, {"Host": f"127.0.0.1:{unguarded.port}", **headers}) for target in TARGETS}
    assert found == {target: code if code and target == "the socket" else good(target) for target in TARGETS}
