"""The server by sockets and programs, without a browser."""

import base64
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from conftest import Studio

ACTIONS = pathlib.Path(__file__).parents[2] / "Sources/RustleStudio/Actions.swift"
HEADER = struct.Struct("<BBHIQI")


def ask(studio, path="", body=None, **headers):
    """Status, headers and text of an answer; `Content_Type` is the header Content-Type."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{studio.port}/{path}", data=body, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def post(studio, action, value, **headers):
    return ask(studio, f"api/{action}", json.dumps(value).encode(), **{"Content_Type": "application/json", **headers})


def client(studio, **options):
    return connect(f"ws://127.0.0.1:{studio.port}/ws", max_size=1 << 20, close_timeout=1, **options)


def send(socket, **message):
    socket.send(json.dumps({"v": 1, **message}))


def frames(socket, count):
    """So many binary messages: topic, sequence number and lost values of each."""
    while count:
        message = socket.recv(timeout=5)
        if isinstance(message, bytes):
            version, topic, _, sequence, _, lost = HEADER.unpack(message[:HEADER.size])
            assert version == 1
            yield topic, sequence, lost
            count -= 1


def resident(studio):
    status = open(f"/proc/{studio.process.pid}/status").read()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) << 10


def test_answers_are_protected(studio):
    for path in ["", "js/main.js", "healthz", "api/state", "missing"]:
        _, headers, _ = ask(studio, path)
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_files_are_cached_by_their_content(studio):
    status, headers, text = ask(studio)
    assert status == 200 and "<!doctype html>" in text and headers["Cache-Control"] == "no-cache"
    assert ask(studio, If_None_Match=headers["ETag"])[0] == 304
    # A path with two dots is malformed.
    assert ask(studio, "js/../index.html")[0] == 400 and ask(studio, "%2e%2e/Package.swift")[0] == 400
    assert ask(studio, "js/missing.js")[0] == 404


@pytest.mark.parametrize("path", ["", "healthz", "metrics", "api/state", "js/main.js", "ws"])
def test_foreign_hosts_are_misdirected(studio, path):
    assert ask(studio, path, Host="evil.example")[0] == 421


def test_only_recordings_are_served_of_their_folder(studio, tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "a.wav").write_bytes(bytes(range(100)))
    (tmp_path / "secret.wav").write_bytes(b"secret")
    for name in ["notes.txt", ".hidden.wav", "page.html"]:
        (folder / name).write_text("secret")
    (folder / "link.wav").symlink_to(tmp_path / "secret.wav")
    (folder / "sub").mkdir()
    (folder / "sub" / "a.wav").write_text("secret")
    status, headers, text = ask(studio, "recordings/a.wav")
    assert status == 200 and len(text) >= 100 and "default-src" in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert ask(studio, "recordings/a.wav", Range="bytes=10-19")[2] == bytes(range(10, 20)).decode()
    for path in ["recordings/../secret.wav", "recordings/%2e%2e/secret.wav", "recordings/..%2fsecret.wav", "recordings/", "recordings",
                 "recordings/notes.txt", "recordings/.hidden.wav", "recordings/page.html", "recordings/link.wav", "recordings/sub/a.wav"]:
        assert ask(studio, path)[0] in (400, 404), path
    assert ask(studio, "recordings/a.wav", Host="evil.example")[0] == 421


def test_foreign_sites_change_nothing(studio):
    assert post(studio, "ticker/start", {}, Sec_Fetch_Site="cross-site")[0] == 403
    assert post(studio, "ticker/start", {}, Origin="http://evil.example")[0] == 403
    assert post(studio, "ticker/start", {}, Content_Type="text/plain")[0] == 415
    assert ask(studio, "api/ticker/start")[0] == 404
    assert '"running":false' in ask(studio, "api/state")[2]


def test_foreign_origins_get_no_socket(studio):
    for options in [{"origin": "http://evil.example"}, {"additional_headers": {"Cookie": "rustle_token=x"}}]:
        with client(studio, **options) as socket, pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=5)
        assert closed.value.rcvd.code == 1008
    with client(studio, origin=f"http://127.0.0.1:{studio.port}") as socket:
        assert json.loads(socket.recv())["type"] == "hello"


def test_a_token_is_exchanged_for_a_cookie():
    studio = Studio("--token")
    token = studio.address.split("token=")[1]
    for path in ["", "healthz", "api/state", "js/main.js"]:
        assert ask(studio, path)[0] == 401
    assert ask(studio, "?token=" + token[::-1])[0] == 401
    with socket.create_connection(("127.0.0.1", studio.port), 5) as raw:
        raw.sendall(f"GET /?token={token} HTTP/1.1\r\nHost: localhost:{studio.port}\r\nConnection: close\r\n\r\n".encode())
        answer = raw.makefile("rb").read().decode()
    assert answer.startswith("HTTP/1.1 303") and "HttpOnly; SameSite=Lax; Path=/" in answer
    assert re.search(r"(?im)^location: /\r$", answer)
    assert ask(studio, Cookie=f"a=b; rustle_token={token}")[0] == 200
    assert studio.stop() == 0


def test_a_network_address_needs_a_token():
    command = [os.environ["RUSTLE_STUDIO"], "--listen", "0.0.0.0:0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = re.fullmatch(r"http://([\d.]+):(\d+)/\?token=[0-9a-f]{64}\n", process.stdout.readline())
    # An address of an interface, by which others reach it.
    assert address[1] != "0.0.0.0"
    request = urllib.request.Request(f"http://127.0.0.1:{address[2]}/", headers={"Host": f"{address[1]}:{address[2]}"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=5)
    assert refused.value.code == 401
    process.terminate()
    assert process.wait(timeout=5) == 0


@pytest.mark.parametrize("address", ["8420", "127.0.0.1", "127.0.0.1:70000", ":8420"])
def test_wrong_addresses_are_usage_errors(address):
    ended = subprocess.run([os.environ["RUSTLE_STUDIO"], f"--listen={address}"], capture_output=True, text=True, timeout=10)
    assert ended.returncode == 64 and "expected address:port" in ended.stderr


def test_a_show_that_cannot_be_read_is_a_usage_error(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    for path, words in [(tmp_path / "missing.json", "cannot read"), (broken, "broken.json: ")]:
        ended = subprocess.run([os.environ["RUSTLE_STUDIO"], "--listen", "127.0.0.1:0", "--show", str(path)], capture_output=True, text=True, timeout=10)
        assert ended.returncode == 64 and words in ended.stderr, ended.stderr


def test_a_port_that_is_taken_is_an_error(studio):
    command = [os.environ["RUSTLE_STUDIO"], "--listen", f"127.0.0.1:{studio.port}"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=10)
    assert ended.returncode == 69 and f"cannot listen on 127.0.0.1:{studio.port}: Address already in use" in ended.stderr


@pytest.mark.parametrize("action,value,words", [
    ("ticker/start", {"rate": 0}, "rate: expected"), ("ticker/start", {"symbols": []}, "symbols: expected"),
    ("ticker/start", {"symbols": ["A", "A"]}, "symbols: expected"), ("sound/select", {"kind": "browser"}, "expected a client"),
    ("sound/select", {"kind": "x"}, "kind: expected"), ("meter/set", {"weighting": "Q"}, "expected the weightings"),
    ("meter/calibrate", {"level": 94}, "expected a running meter"), ("spectrum/set", {"size": 1000}, "power of two"),
    ("tuner/set", {"a4": 100}, "a4: expected"), ("tuner/set", {"instrument": "x"}, "instrument: expected"),
    ("equalizer/gain", {"band": 99, "gain": 0}, "band: expected"), ("equalizer/set", {"left": [1]}, "left: expected"),
    ("equalizer/import", {"text": "x"}, ""), ("tempo/set", {"bpm": "fast"}, "bpm: expected"),
    ("recorder/start", {"format": "mp9"}, "format: expected"), ("recorder/start", {}, "expected a sound to record"),
    ("recorder/delete", {"name": "../../etc/passwd"}, "expected a recording"), ("recorder/pause", {"paused": True}, ""),
    ("lights/scene", {"name": "x"}, "name: expected"), ("lights/go", {}, "while the show plays"),
    ("lights/arm", {"armed": True, "output": "x"}, "output: expected"),
])
def test_wrong_arguments_are_refused_with_what_was_expected(studio, action, value, words):
    status, _, text = post(studio, action, value)
    error = json.loads(text)["error"]
    assert status == 422 and words in error["message"], text


def test_actions_of_many_clients_do_not_meet(studio):
    assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
    actions = [("lights/start", {}), ("ticker/start", {"rate": 100}), ("lights/blackout", {"on": True}), ("lights/stop", {}), ("ticker/stop", {})]

    def one(number):
        action, value = actions[number % len(actions)]
        return action, post(studio, action, value)[0]

    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        results = list(pool.map(one, range(100)))
    # A blackout may come while nothing plays.
    assert all(status == 200 or action == "lights/blackout" and status == 422 for action, status in results), results
    for action in ["lights/stop", "ticker/stop"]:
        assert post(studio, action, {})[0] == 200
    states = json.loads(ask(studio, "api/state")[2])["states"]
    assert not states["lights"]["running"] and not states["ticker"]["running"]


def test_random_arguments_are_never_a_fault_of_the_server(studio):
    actions = re.findall(r'= "(\w+/\w+)"', ACTIONS.read_text())
    assert len(actions) > 25
    draw = random.Random(1)
    keys = ["symbols", "rate", "kind", "name", "weighting", "time", "level", "size", "a4", "temperament", "instrument", "band", "gain",
            "channel", "left", "right", "bypassed", "text", "format", "paused", "bpm", "enabled", "playing", "on", "armed", "output"]
    values = [None, True, False, 0, 1, -1, 440, 1e308, -1e308, 0.5, "", "x", "\0", "demo", "A", "F", "sacn:", "sacn:256.1.1.1", "../x", "💥" * 99,
              [], {}, [0] * 14, ["A", "B"], [[]], {"v": 1}]
    for _ in range(20):
        for action in actions:
            # Not the session of the network.
            body = {key: draw.choice(values) for key in draw.sample(keys, 4) if key != "enabled"}
            status, _, text = post(studio, action, body)
            assert status in (200, 422), (action, body, text)
    assert ask(studio, "healthz")[0] == 200


def test_what_is_refused_leaves_what_was_there(studio):
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 50})[0] == 200
    assert post(studio, "lights/start", {})[0] == 200
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lamp:
        lamp.bind(("127.0.0.1", 0))
        output = f"sacn:127.0.0.1:{lamp.getsockname()[1]}"
        assert post(studio, "lights/arm", {"armed": True, "output": output})[0] == 200
        with client(studio) as watcher:
            states = json.loads(watcher.recv(timeout=5))["states"]
            for action, value in [("ticker/start", {"symbols": ["", "B"]}), ("lights/arm", {"armed": True, "output": "sacn:256.1.1.1"})]:
                assert post(studio, action, value)[0] == 422
                message = json.loads(watcher.recv(timeout=5))
                states[message["name"]] = message["state"]
        now = json.loads(ask(studio, "api/state")[2])["states"]
        assert states["ticker"] == now["ticker"] and now["ticker"]["running"] and now["ticker"]["symbols"] == ["A"]
        assert now["lights"]["output"] == states["lights"]["output"] == output
        # Starting what plays keeps its output and a blackout.
        assert post(studio, "lights/blackout", {"on": True})[0] == 200 and post(studio, "lights/start", {})[0] == 200
        now = json.loads(ask(studio, "api/state")[2])["states"]["lights"]
        assert now["armed"] and now["blackout"]


def test_calibrating_twice_is_calibrating_once(studio):
    assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
    with client(studio) as reader:
        reader.recv()
        send(reader, subscribe=["meter"])
        list(frames(reader, 3))
        results = [post(studio, "meter/calibrate", {"level": 94})[0] for _ in range(2)]
        # The second may come before the first reading of the calibrated meter.
        assert results[0] == 200 and results[1] in (200, 422)
        assert 94 <= json.loads(ask(studio, "api/state")[2])["states"]["meter"]["offset"] < 200


def test_answers_that_nobody_reads_are_bounded(studio):
    before = resident(studio)
    text = json.dumps({"v": 1, "id": 1, "do": "x" * 60_000}).encode()
    frame = bytes([0x81, 0x80 | 126]) + struct.pack(">H", len(text)) + bytes(4) + text
    sockets = []
    for _ in range(10):
        raw = socket.create_connection(("127.0.0.1", studio.port))
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(1)
        key = base64.b64encode(os.urandom(16)).decode()
        raw.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        with contextlib.suppress(OSError):
            for _ in range(100):
                raw.sendall(frame)
        sockets.append(raw)
    time.sleep(1)
    assert resident(studio) - before < 40 << 20
    for raw in sockets:
        raw.close()


def test_unknown_actions_and_bodies_are_refused(studio):
    assert post(studio, "ticker/explode", {})[0] == 404
    assert ask(studio, "api/ticker/start", b"{", Content_Type="application/json")[0] == 400
    assert ask(studio, "api/ticker/start", b" " * (65 << 10), Content_Type="application/json")[0] == 413


def test_prices_are_streamed_and_their_losses_counted(studio):
    with client(studio) as fast, client(studio) as slow:
        for each in [fast, slow]:
            assert json.loads(each.recv())["states"]["ticker"]["running"] is False
            send(each, subscribe=["prices"])
        assert post(studio, "ticker/start", {"symbols": ["A", "B"], "rate": 500})[0] == 200
        sequence = None
        for topic, number, lost in frames(fast, 50):
            assert topic == 1
            if sequence is not None:
                assert number == sequence + lost + 1
            sequence = number
        send(slow, pause=True)
        assert post(studio, "ticker/stop", {})[0] == 200


def test_events_are_lines_of_json(studio):
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})[0] == 200
    with urllib.request.urlopen(f"{studio.address}events?topics=prices,tempo", timeout=5) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        events, topics = [], set()
        while len(events) < 20:
            line = answer.readline().decode()
            if line.startswith("data: "):
                events.append(json.loads(line[6:]))
                topics.add(events[-1]["topic"])
    assert topics == {"prices", "tempo"}
    prices = [each for each in events if each["topic"] == "prices"]
    assert prices[0]["prices"][0]["symbol"] == "A" and prices[0]["prices"][0]["price"] > 0
    for earlier, later in zip(prices, prices[1:]):
        assert later["sequence"] == earlier["sequence"] + later["lost"] + 1
    assert ask(studio, "events?topics=weather")[0] == 400
    # Its reader is gone: so is the client.
    deadline = time.monotonic() + 5
    while "rustle_studio_clients 0\n" not in ask(studio, "metrics")[2]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_messages_that_are_wrong_are_answered(studio):
    with client(studio) as socket:
        socket.recv()
        for text in ["", "[]", '{"v":2}', '{"v":1,"subscribe":["x"]}', '{"v":1,"do":"x"}']:
            socket.send(text)
            assert json.loads(socket.recv(timeout=5))["error"]["code"] == "validation"
        socket.send(b"\x01\x01")
        assert json.loads(socket.recv(timeout=5))["error"]["code"] == "validation"
        send(socket, id=3, do="no/action")
        assert json.loads(socket.recv(timeout=5))["error"]["code"] == "notFound"
    with client(studio) as socket:
        socket.recv()
        with pytest.raises(ConnectionClosed) as closed:
            socket.send("x" * (70 << 10))
            socket.recv(timeout=5)
        assert closed.value.rcvd.code == 1009


def test_a_reader_that_stalls_costs_no_memory(studio):
    with client(studio) as reader:
        reader.recv()
        send(reader, subscribe=["prices", "spectrum", "meter"])
        assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
        assert post(studio, "ticker/start", {"rate": 1000})[0] == 200
        list(frames(reader, 20))
        stalled = []
        for _ in range(20):
            raw = socket.create_connection(("127.0.0.1", studio.port))
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            key = base64.b64encode(os.urandom(16)).decode()
            raw.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
            text = b'{"v":1,"subscribe":["prices","spectrum","meter"]}'
            raw.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
            stalled.append(raw)
        time.sleep(1)
        before = resident(studio)
        time.sleep(3)
        assert resident(studio) - before < 10 << 20
        # The one that reads is not affected.
        assert len(list(frames(reader, 20))) == 20
        for raw in stalled:
            raw.close()


def test_fifty_clients_lose_nothing_unseen(studio):
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})[0] == 200

    def read(_):
        with client(studio) as socket:
            send(socket, subscribe=["prices"])
            received = list(frames(socket, 25))
            return all(later[1] == earlier[1] + later[2] + 1 for earlier, later in zip(received, received[1:]))

    # 32 connections of one address at most.
    with concurrent.futures.ThreadPoolExecutor(25) as pool:
        assert all(pool.map(read, range(50)))


def test_connections_of_one_address_are_bounded(studio):
    sockets = [socket.create_connection(("127.0.0.1", studio.port)) for _ in range(40)]
    time.sleep(0.5)
    closed = 0
    for each in sockets:
        each.settimeout(0.05)
        try:
            closed += each.recv(1) == b""
        except TimeoutError:
            pass
        except ConnectionError:
            closed += 1
    assert closed == 8
    for each in sockets:
        each.close()
    time.sleep(0.3)
    assert ask(studio, "healthz")[0] == 200


def test_a_slow_head_is_cut_off(studio):
    with socket.create_connection(("127.0.0.1", studio.port)) as slow:
        slow.settimeout(0.5)
        start = time.monotonic()
        with pytest.raises(ConnectionError):
            for byte in b"GET / HTTP/1.1\r\n" + b"X-Slow: 1\r\n" * 100:
                slow.send(bytes([byte]))
                try:
                    if slow.recv(100) == b"":
                        raise ConnectionError
                except TimeoutError:
                    assert time.monotonic() - start < 12
        assert time.monotonic() - start > 8


def test_an_endless_head_is_refused(studio):
    with socket.create_connection(("127.0.0.1", studio.port)) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {'x' * (20 << 10)}\r\n\r\n".encode())
        raw.settimeout(5)
        try:
            answer = raw.recv(100)
        except ConnectionError:
            answer = b""
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")


def test_it_stops_at_once_with_open_clients():
    studio = Studio()
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(client(studio)) for _ in range(20)]
        # One that sends no request, and one that is kept alive.
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", studio.port))) for _ in range(2)]
        idle[1].sendall(f"GET /healthz HTTP/1.1\r\nHost: localhost:{studio.port}\r\n\r\n".encode())
        assert idle[1].recv(1000).startswith(b"HTTP/1.1 200")
        events = stack.enter_context(urllib.request.urlopen(f"{studio.address}events?topics=tempo", timeout=5))
        assert events.readline() == b"retry: 1000\n"
        for each in clients:
            send(each, subscribe=["prices", "meter", "spectrum", "tempo"])
        assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
        time.sleep(0.5)
        start = time.monotonic()
        assert studio.stop() == 0
        assert time.monotonic() - start < 0.5
        for each in clients:
            with pytest.raises(ConnectionClosed):
                while True:
                    each.recv(timeout=2)


def test_metrics_name_what_is_subscribed(studio):
    with client(studio) as socket:
        socket.recv()
        send(socket, subscribe=["tempo"])
        list(frames(socket, 2))
        text = ask(studio, "metrics")[2]
        assert "rustle_studio_clients 1\n" in text and 'rustle_studio_topic_subscribed{topic="tempo"} 1\n' in text
