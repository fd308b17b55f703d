"""Six lamps on the network, and what a camera sees of them."""

import json
import socket
import struct
import threading
import time

from client import PATIENCE, answer, post, send, state

PLACES = [(12.0, 10.0), (50.0, 8.0), (30.0, 24.0), (70.0, 30.0), (16.0, 46.0), (60.0, 50.0)]
WIDTH, HEIGHT = 80, 60
FORGET = b"forget"


class Lamps:
    """Six dimmers of universe 1 that listen, and what a camera sees of them."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"sacn:127.0.0.1:{self.socket.getsockname()[1]}"
        self.levels = bytes(len(PLACES))
        self.seen = set()
        # Of the four slots behind the dimmers: pan and tilt where a moving head is there.
        self.positions = set()
        self.count = 0
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        while packet := self.socket.recv(2000):
            if packet == FORGET:
                self.seen.clear()
                self.positions.clear()
                self.forgotten.set()
            elif packet[18:22] == b"\0\0\0\4" and packet[113:115] == b"\0\1" and packet[125] == 0 and len(packet) > 126:
                self.levels = packet[126:126 + len(PLACES)]
                self.seen.add(self.levels)
                self.positions.add(packet[126 + len(PLACES):130 + len(PLACES)])
                self.count += 1

    def send(self, packet):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.sendto(packet, self.socket.getsockname())

    def forget(self):
        """Forgets what was seen of packets that have arrived."""
        self.forgotten = threading.Event()
        self.send(FORGET)
        assert self.forgotten.wait(PATIENCE)

    def close(self):
        self.send(b"")
        self.thread.join()
        self.socket.close()

    def pixels(self):
        pixels = bytearray(b"\x0a" * (WIDTH * HEIGHT))
        for (x, y), level in zip(PLACES, self.levels):
            for row in range(-3, 4):
                for column in range(-3, 4):
                    light = level * max(0, 1 - (row * row + column * column) / 12)
                    place = (int(y) + row) * WIDTH + int(x) + column
                    pixels[place] = min(255, int(pixels[place] + 0.9 * light))
        return pixels

    def frame(self):
        return struct.pack("<BBHHH", 1, 2, WIDTH, HEIGHT, 0) + self.pixels()


def stage_arguments(tmp_path, heads=0):
    """Those of a show that lights the first of six dimmers, and moves the heads behind them."""
    show, rig = tmp_path / "show.json", tmp_path / "rig.json"
    rig.write_text(json.dumps({"v": 1, "fixtures": [
        {"id": f"lamp {number}", "profile": "dimmer", "protocol": "sacn", "universe": 1, "address": number} for number in range(1, 7)
    ] + [
        {"id": f"head {number}", "profile": "moving-head", "protocol": "sacn", "universe": 1, "address": 7 + 10 * number} for number in range(heads)]}))
    layers = [{"effect": "solid", "palette": ["#ffffff"]}] + [{"effect": "circle", "rate": "1 bar"}] * (heads > 0)
    show.write_text(json.dumps({"v": 1, "name": "Small", "scenes": [{"name": "on", "layers": layers}]}))
    return ["--show", str(show), "--rig", str(rig)]


def arm(studio, lamps):
    assert post(studio, "lights/start", {})[0] == 200
    assert post(studio, "lights/arm", {"armed": True, "output": lamps.address})[0] == 200


def send_blank(socket, width=WIDTH, height=HEIGHT):
    """Sends a black frame of a camera: it is there before its mapping."""
    socket.send(struct.pack("<BBHHH", 1, 2, width, height, 0) + bytes(width * height))


def ask(socket, number, action, **value):
    if action == "mapping/start" and value["width"] * value["height"] + 8 <= 1 << 16:
        send_blank(socket, value["width"], value["height"])
    send(socket, id=number, do=action, **{"with": value})
    while (reply := answer(socket)).get("id") != number:
        pass
    return reply


def seen_of(studio):
    """How many frames the mapping has seen or counted as lost; None: it is over."""
    mapping = state(studio, "mapping")
    return mapping.get("frames", 0) + mapping["lost"] if mapping["running"] else None


def film(studio, socket, lamps, is_over):
    """Sends at most 30 frames per second until it is over, by the newest state.

    None waits for the server: one that stands still for a while would take old light for that of its newest pattern.
    """
    deadline, newest = time.monotonic() + 60, {}
    sent = seen_of(studio) or 0
    while not is_over(newest):
        assert time.monotonic() < deadline, newest
        socket.send(lamps.frame())
        sent += 1
        while (seen := seen_of(studio)) is not None and seen < sent:
            assert time.monotonic() < deadline, (seen, sent)
        end = time.monotonic() + 1 / 30
        while (rest := end - time.monotonic()) > 0:
            try:
                message = socket.recv(timeout=rest)
            except TimeoutError:
                break
            if isinstance(message, str) and json.loads(message).get("name") == "mapping":
                newest = json.loads(message)["state"]
    return newest


def wait(is_true, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# The green pixels of the camera's picture.
MARKS = """() => {
    const picture = document.querySelector('canvas.camera');
    const copy = new OffscreenCanvas(picture.width, picture.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(picture, 0, 0);
    const colours = copy.getImageData(0, 0, picture.width, picture.height).data;
    let count = 0;
    for (let place = 0; place < colours.length; place += 4) count += colours[place + 1] > colours[place] + 60;
    return count;
}"""


# The part of the camera's picture that marks cover.
COVERED = f"""() => {{
    const picture = document.querySelector('canvas.camera');
    return ({MARKS})() / (picture.width * picture.height);
}}"""
