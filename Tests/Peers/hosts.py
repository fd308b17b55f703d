"""Two hosts joined by a cable, as network namespaces, and the processes on them.

This process runs on the host of the peers, 10.77.0.2; `rustle` on ours, 10.77.0.1.
"""

import json
import pathlib
import signal
import socket
import subprocess
import threading
import time

OURS, PEERS, BROADCAST = "10.77.0.1", "10.77.0.2", "10.77.0.255"
# The interface of each host.
OUR_CABLE, PEER_CABLE = "ours0", "peers0"
OUR_HOST = "/run/netns/ours"


class Unmet(Exception):
    """What a check expected, and what it got."""


def expect(condition, text):
    if not condition:
        raise Unmet(text)


def expect_equal(what, expected, got):
    expect(expected == got, f"{what}: expected {shortened(expected)}, got {shortened(got)}")


def shortened(value):
    text = repr(value)
    return text if len(text) <= 300 else text[:300] + " …"


def until(what, found, seconds=10.0):
    """Polls `found` until it returns something that counts as true: returns it."""
    end = time.monotonic() + seconds
    while not (got := found()):
        if time.monotonic() > end:
            raise Unmet(f"expected {what() if callable(what) else what} within {seconds:g} s, got none")
        time.sleep(0.01)
    return got


def connect():
    """Makes our host and the cable. The process has a network and a /run of its own."""
    for command in (
        ["ip", "netns", "add", "ours"],
        ["ip", "link", "set", "lo", "up"],
        ["nsenter", f"--net={OUR_HOST}", "ip", "link", "set", "lo", "up"],
    ):
        subprocess.run(command, check=True)
    lay_cable()


def lay_cable():
    """Makes the cable: interfaces of the same names and addresses each time."""
    ours = ["nsenter", f"--net={OUR_HOST}"]
    ends = ["address", "02:00:00:00:00:02", "type", "veth", "peer", "name", OUR_CABLE, "address", "02:00:00:00:00:01"]
    for command in (
        # One packet per frame, also of what a sender hands over in one piece.
        ["ip", "link", "add", PEER_CABLE, *ends, "netns", "ours"],
        [*ours, "ip", "link", "set", OUR_CABLE, "gso_max_segs", "1"],
        ["ip", "addr", "add", f"{PEERS}/24", "brd", BROADCAST, "dev", PEER_CABLE],
        [*ours, "ip", "addr", "add", f"{OURS}/24", "brd", BROADCAST, "dev", OUR_CABLE],
        ["ip", "link", "set", PEER_CABLE, "up"],
        [*ours, "ip", "link", "set", OUR_CABLE, "up"],
        ["ip", "route", "add", "224.0.0.0/4", "dev", PEER_CABLE],
        [*ours, "ip", "route", "add", "224.0.0.0/4", "dev", OUR_CABLE],
        # What PyPI sacn sends to 255.255.255.255.
        ["ip", "route", "add", "default", "dev", PEER_CABLE],
    ):
        subprocess.run(command, check=True)


class Child:
    """A process whose lines on standard output are kept; JSON is read. It is ended at the end of `with`."""

    def __init__(self, command, folder):
        self.name = " ".join(pathlib.Path(command[0]).name if n == 0 else word for n, word in enumerate(command))
        self.errors = pathlib.Path(folder, f"{time.monotonic_ns()}.log")
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.lines = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                self.lines.append(line.rstrip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join(5)

    def say(self, line):
        """Writes a line to its standard input."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self, what, found, seconds=10.0, after=0):
        """Waits for the first line of an object that `found` accepts: returns it."""
        def search():
            return next((line for line in self.lines[after:] if isinstance(line, dict) and found(line)), None)

        def description():
            return f"{what} in the lines of {self.name} ({len(self.lines)}, the last: {shortened(self.lines[-1:])}; {self.text()})"
        return until(description, search, seconds)

    def text(self):
        """What it wrote to standard error."""
        return self.errors.read_text(encoding="utf-8", errors="replace").strip()[-500:]

    def interrupt(self, by=signal.SIGINT):
        """Sends a signal, and waits for the end: returns the status."""
        self.process.send_signal(by)
        return self.end(10)

    def end(self, seconds=30.0):
        """Waits for the end: returns the status."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Unmet(f"expected the end of {self.name} within {seconds:g} s") from None
        self.reader.join(5)
        return self.process.returncode


class Lab:
    """The command, the folder for files, and the programs of a run."""

    def __init__(self, rustle, folder):
        self.command, self.folder = rustle, pathlib.Path(folder)
        self.files = 0

    def rustle(self, *arguments):
        """Starts `rustle` on our host, with lines of NDJSON."""
        words = [str(argument) for argument in arguments]
        return Child(["nsenter", f"--net={OUR_HOST}", self.command, *words, "--json"], self.folder)

    def receive(self, *arguments):
        """Starts `rustle dmx receive` on the cable, and waits until its sockets are open."""
        child = self.rustle("dmx", "receive", "--interface", OUR_CABLE, *arguments)
        protocol = arguments[arguments.index("--protocol") + 1]
        wanted = {"sacn": {5568}, "artnet": {6454}, "both": {5568, 6454}}[protocol]
        until(lambda: f"open ports {wanted} ({child.text()})", lambda: wanted <= self.open_ports(), 20)
        return child

    def open_ports(self):
        """The UDP ports that are open on our host."""
        table = self.on_our_host("cat", "/proc/self/net/udp")
        return {int(line.split()[1].split(":")[1], 16) for line in table.splitlines()[1:]}

    def on_our_host(self, *words):
        """What a program prints on our host."""
        return subprocess.run(["nsenter", f"--net={OUR_HOST}", *words], capture_output=True, text=True, check=True).stdout

    def send(self, *arguments):
        """Starts `rustle dmx send` on the cable."""
        return self.rustle("dmx", "send", "--interface", OUR_CABLE, *arguments)

    def still(self, levels, *arguments):
        """Starts `rustle dmx send` with still levels, by universe."""
        self.files += 1
        path = self.folder / f"levels-{self.files}.ndjson"
        path.write_text("".join(json.dumps({"universe": number, "dmx": list(each)}) + "\n" for number, each in levels.items()),
                        encoding="utf-8")
        return self.send("--input", path, "--duration", "60", *arguments)


def with_room(socket_of_peer):
    """Lets a peer's socket hold a frame of 237 universes, as it comes in one piece."""
    socket_of_peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)


def numbers(first, step=1):
    """Levels that differ in all slots of a packet: 512 of them."""
    return [(first + step * slot) % 256 for slot in range(512)]
