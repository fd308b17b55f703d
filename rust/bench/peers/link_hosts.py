"""Two hosts, as network namespaces, with members of tempo sessions, for link_beside.py, link_jitter.py, link_storm.py and link_cost.py.

They need namespaces of their own, as `scripts/bench tempo` has them:

    unshare -rnm sh -c 'mount -t tmpfs none /run && mkdir /run/netns && python3 rust/bench/peers/link_beside.py EXAMPLE PYTHON'
"""

import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
HOSTS = ["a", "b"]
# Pairs of a founder and a joiner.
PAIRS = [("theirs", "theirs"), ("theirs", "ours"), ("ours", "theirs"), ("ours", "ours")]
NAMES = {"theirs": "LinkPython", "ours": "rustle"}


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) // 1000


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


def on(host):
    """The words before those of a program on a host."""
    return ["nsenter", f"--net=/run/netns/{host}"]


def connect():
    """Makes two hosts and a cable from one to the other."""
    for host in HOSTS:
        ip(f"netns add {host}")
    ip("link add eth0 netns a type veth peer name eth0 netns b")
    for place, host in enumerate(HOSTS, 1):
        address(host, place)


def address(host, place):
    """Has eth0 of a host, and brings it up."""
    ip(f"-n {host} link set lo up")
    ip(f"-n {host} address add 10.20.0.{place}/24 dev eth0")
    ip(f"-n {host} link set eth0 up")
    ip(f"-n {host} route add default dev eth0")


def commands():
    """The words of each kind of member, of the arguments EXAMPLE and PYTHON."""
    example, python = sys.argv[1:3]
    return {"ours": [example], "theirs": [python, str(HERE / "link_peer.py")]}


class Member:
    """A member on a host, at a tempo."""

    def __init__(self, host, command, bpm):
        self.process = subprocess.Popen([*on(host), *command, str(bpm)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.say(line)
        return self.process.stdout.readline()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def at(self, micros):
        words = self.ask(f"at {micros}").split()
        return {"phase": float(words[1]), "bpm": float(words[2]), "peers": int(words[3]), "playing": int(words[4])}

    def state(self):
        return self.at(now())

    def end(self):
        self.say("quit")
        self.process.wait(10)


def wait(holds, most=15.0):
    """The milliseconds until something holds; none if it does not."""
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > most:
            return None
        time.sleep(0.002)
    return (time.monotonic() - start) * 1000


def met(*members):
    """The milliseconds until all see the others at one tempo, of which LinkPython's own has a fraction of a microsecond per beat."""
    def holds():
        states = [member.state() for member in members]
        return all(state["peers"] == len(members) - 1 and abs(state["bpm"] - states[0]["bpm"]) < 0.001 for state in states)

    return wait(holds)


def errors(first, second, seconds):
    """The distances of the phases of two at the same host times, in us."""
    found = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        at = now()
        one, other = first.at(at), second.at(at)
        found.append(abs((one["phase"] - other["phase"] + 2) % 4 - 2) * 60e6 / one["bpm"])
        time.sleep(0.02)
    return found


def figures(values, digits=1, shares=(0.5, 0.99, 1)):
    """Percentiles as cells of a table: median, 99th and largest."""
    values = sorted(values) or [float("nan")]
    cells = [values[int((len(values) - 1) * share)] for share in shares]
    return " | ".join(f"{cell:.{digits}f}" for cell in cells)
