"""What the checks of tempo sessions share: members, what each has, and the distances between them."""

import pathlib
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager

from hosts import OUR_CABLE, OURS, PEER_CABLE, PEERS, Child, expect, until

# A local change holds for 1 s against what comes.
HOLD = 1.1
# The limits of what a user waits for, in seconds.
DISCOVERY, CHANGE, LEAVING, RESCAN = 2, 0.5, 1, 5
# A silent member is gone after this many seconds.
SILENT = (4, 8)
# Of phases, in microseconds, by who founded: the other one measures. LinkPython does it once, wrong by up to 12 us beside others.
PHASE = {"theirs": 10, "ours": 100}
# What the programs' makers require of beats, in microseconds.
BEATS = 3000
# The status of each end of `rustle link`, and of a tempo that it refuses.
STATUS = {"quit": 0, signal.SIGINT: 0, signal.SIGTERM: 0, "usage": 64}
HERE = pathlib.Path(__file__).parent


def ours(lab, *arguments, interfaces=(OUR_CABLE,)):
    named = [word for each in interfaces for word in ("--interface", each)]
    return lab.rustle("link", *named, "--rate", "100", *arguments)


def peer(lab, kind, bpm):
    return Child([sys.executable, str(HERE / "link_peer.py"), kind, str(bpm)], lab.folder)


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) // 1000


def asked(member, at=None):
    """What a peer has for a host time."""
    count = len(member.lines)
    member.say(f"at {now() if at is None else at}")
    return member.line("an answer", lambda _: True, after=count)


def states(us, after=0):
    return [line for line in us.lines[after:] if isinstance(line, dict) and line["event"] == "state"]


def last(us):
    """What ours has."""
    return next((line for line in reversed(us.lines) if isinstance(line, dict) and line["event"] == "state"), {})


def has(member):
    return last(member) if member.name.startswith("nsenter") else asked(member)


def begun(member):
    """Waits until a member that has just started takes part."""
    if member.name.startswith("nsenter"):
        member.line("a state", lambda line: line["event"] == "state")
    else:
        asked(member)
    return member


def near(expected):
    return lambda state: abs(state.get("bpm", 0) - expected) < 0.01


def share(tempo, *members, seconds=CHANGE):
    """Waits until all have a tempo: returns the seconds."""
    start = time.monotonic()
    until(lambda: f"{tempo} BPM for all, got {[has(each) for each in members]}",
          lambda: all(near(tempo)(has(each)) for each in members), seconds)
    return time.monotonic() - start


def see(count, *members, seconds=DISCOVERY):
    """Waits until all have as many peers: returns the seconds."""
    start = time.monotonic()
    until(lambda: f"{count} peers for all, got {[has(each) for each in members]}",
          lambda: all(has(each).get("peers") == count for each in members), seconds)
    return time.monotonic() - start


def settle():
    """Waits until a session's time is measured several times."""
    time.sleep(2)


def distance(one, other):
    """The distance between the phases of two, in microseconds."""
    return abs((one["phase"] - other["phase"] + 2) % 4 - 2) * 60e6 / one["bpm"]


def in_phase(us, them, founder):
    """Expects that phases at the same host times are within the limit: returns the largest distance, in microseconds."""
    worst = max(distance(line, asked(them, line["host_us"])) for line in states(us)[-40:])
    expect(worst <= PHASE[founder], f"expected phases within {PHASE[founder]} us, got {worst:.1f}")
    return worst


def expect_continuous(us, after):
    """Expects that our beats went on as the tempo says since a line."""
    lines = states(us, after)
    pairs = [(one, two) for one, two in zip(lines, lines[1:]) if one["bpm"] == two["bpm"]]
    jumps = [abs((two["beats"] - one["beats"]) * 60e6 / one["bpm"] - (two["host_us"] - one["host_us"])) for one, two in pairs]
    worst = max(jumps, default=1e9)
    expect(worst < 1000, f"expected beats that go on, got a jump of {worst:.0f} us in {len(jumps)} lines")


def expect_end(us, by):
    """Expects the status of an end of ours."""
    got = us.end(10)
    expect(got == STATUS[by], f"expected the status {STATUS[by]} after {by}, got {got}")


@contextmanager
def session(lab, founder, *options, kind="linkpython", joins=90):
    """Ours and another that meet: the founder has 120 BPM, the other had `joins`. Yields ours, theirs, and the seconds."""
    bpm = {"ours": joins, "theirs": joins, founder: 120}
    start = {"ours": lambda: ours(lab, "--bpm", bpm["ours"], *options), "theirs": lambda: peer(lab, kind, bpm["theirs"])}
    joiner = {"ours": "theirs", "theirs": "ours"}[founder]
    with start[founder]() as first:
        begun(first)
        # The older session is the first one's.
        time.sleep(1)
        with start[joiner]() as second:
            begun(second)
            met = see(1, first, second)
            share(120, first, second, seconds=1)
            yield *((first, second) if founder == "ours" else (second, first)), met


def cable(lab, is_up):
    """Pulls our end of the cable, or connects it again. Its routes go with it."""
    lab.on_our_host("ip", "link", "set", OUR_CABLE, "up" if is_up else "down")
    if is_up:
        lab.on_our_host("ip", "route", "replace", "224.0.0.0/4", "dev", OUR_CABLE)


class Passed(threading.Thread):
    """The times at which the first packet of each host to the group passed the cable."""

    def __init__(self):
        super().__init__(daemon=True)
        self.first = {}
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.socket.bind((PEER_CABLE, 0))
        self.start()

    def run(self):
        while not {OURS, PEERS} <= self.first.keys():
            packet = self.socket.recv(2048)
            if len(packet) > 20 and packet[16:20] == socket.inet_aton("224.76.78.75"):
                self.first.setdefault(socket.inet_ntoa(packet[12:16]), time.monotonic())
