"""What the tests and the figures use to talk to a server: HTTP, the WebSocket of a library, and one of bytes."""

import array
import base64
import contextlib
import itertools
import json
import os
import re
import socket
import struct
import threading
import time
import urllib.error
import urllib.request

from websockets.sync.client import connect

HEADER = struct.Struct("<BBHIQI")
RATE = 48_000
TICKS = os.sysconf("SC_CLK_TCK")
# The seconds that a test waits for a state or an answer: many, because a busy machine may stop for some.
PATIENCE = 20


def ask(studio, path="", body=None, method=None, **headers):
    """Status, headers and text of an answer; `Content_Type` is the header Content-Type."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{studio.port}/{path}", data=body, method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        # A provider that says nothing is waited for five seconds.
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def post(studio, action, value, **headers):
    return ask(studio, f"api/{action}", json.dumps(value).encode(), **{"Content_Type": "application/json", **headers})


def compressed(studio, path):
    """Headers and bytes of an answer to a browser, which takes gzip."""
    request = urllib.request.Request(f"{studio.address}{path}", headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.headers, answer.read()


def files_of_the_page(studio):
    """The paths of the first screen, without fonts, and of what is fetched a moment later."""
    def whole(paths):
        while more := {f"js/{name}" for path in paths if path.endswith(".js") for name in re.findall(r'from "\./([\w.]+)"', ask(studio, path)[2])} - paths:
            paths |= more
        return paths

    first = whole({"", *re.findall(r'(?:href|src)="([\w./]+\.(?:css|js|svg))"', ask(studio)[2])})
    return first, whole({f"js/{name}.js" for name in re.findall(r'later\("(\w+)"\)', ask(studio, "js/main.js")[2])}) - first


def first_screen(studio):
    """The bytes of the first screen without fonts, and those that go over the network."""
    first, _ = files_of_the_page(studio)
    return sum(len(ask(studio, path)[2].encode()) for path in first), sum(len(compressed(studio, path)[1]) for path in first)


def state(studio, name):
    return json.loads(ask(studio, "api/state")[2])["states"][name]


def client(studio, **options):
    return connect(f"ws://127.0.0.1:{studio.port}/ws", max_size=1 << 20, close_timeout=1, **options)


def send(socket, **message):
    socket.send(json.dumps({"v": 1, **message}))


def answer(socket):
    """The next text that is no state, nor says that the server is there."""
    while True:
        message = json.loads(socket.recv(timeout=PATIENCE))
        if message.get("type") not in ("state", "here"):
            return message


def frames(socket, count):
    """So many binary messages: topic, sequence number and lost values of each."""
    while count:
        message = socket.recv(timeout=PATIENCE)
        if isinstance(message, bytes):
            version, topic, _, sequence, _, lost = HEADER.unpack(message[:HEADER.size])
            assert version == 1
            yield topic, sequence, lost
            count -= 1


def connected(studio, text=b"", buffer=None):
    """A connection that has sent some bytes; `buffer`: how many the system receives ahead."""
    raw = socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE)
    if buffer:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    raw.sendall(text)
    return raw


def upgraded(studio, buffer=None):
    """A WebSocket of bytes, whose first answer may follow."""
    key = base64.b64encode(os.urandom(16)).decode()
    return connected(studio, (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode(), buffer)


def frame(opcode, payload, is_last=True, is_masked=True, reserved=0):
    """A frame of a client, whose mask is zero."""
    length = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
    mask = bytes(4) if is_masked else b""
    return bytes([0x80 * is_last | reserved << 4 | opcode, 0x80 * is_masked | length[0]]) + length[1:] + mask + payload


def answers(raw):
    """The frames of the server until it closes: opcode and payload of each."""
    data = b""
    while part := raw.recv(1 << 16):
        data += part
    data, result = data[data.index(b"\r\n\r\n") + 4:], []
    while data:
        length, start = data[1], 2
        if length == 126:
            length, start = struct.unpack(">H", data[2:4])[0], 4
        elif length == 127:
            length, start = struct.unpack(">Q", data[2:10])[0], 10
        result.append((data[0] & 15, data[start:start + length]))
        data = data[start + length:]
    return result


def block(sequence, samples, rate=RATE):
    """A block of a microphone's sound."""
    return struct.pack("<BBHIII", 1, 1, 1, sequence, rate, len(samples)) + array.array("f", samples).tobytes()


@contextlib.contextmanager
def source(studio, blocks):
    """Is the source of the sound meanwhile: sends the blocks of `blocks(is_over)`, where `is_over(seconds)` waits so long at most."""
    end = threading.Event()
    with client(studio) as socket:
        socket.recv(timeout=PATIENCE)
        send(socket, id=1, do="sound/select", **{"with": {"kind": "browser"}})
        assert answer(socket)["ok"]

        def speak():
            for each in blocks(end.wait):
                socket.send(each)

        thread = threading.Thread(target=speak)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()


def speaker(studio, wave, rate=RATE):
    """Is the source of the sound meanwhile: blocks of 20 ms, of a function of the sample's number."""
    def blocks(is_over):
        start, length = time.monotonic(), rate // 50
        for sequence in itertools.count():
            if is_over(max(0, start + sequence / 50 - time.monotonic())):
                return
            yield block(sequence, [wave(sequence * length + place) for place in range(length)], rate)

    return source(studio, blocks)


def fast_levels(studio):
    """Sound that comes faster than it would be played: a hundred values of the topic `levels` a second, more than a page is written."""
    def blocks(is_over):
        samples = [0.5] * (RATE // 25)
        for sequence in itertools.count():
            if is_over(0.01):
                return
            yield block(sequence, samples)

    return source(studio, blocks)


def processor_time(studio):
    fields = open(f"/proc/{studio.process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(studio):
    status = open(f"/proc/{studio.process.pid}/status").read()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) << 10
