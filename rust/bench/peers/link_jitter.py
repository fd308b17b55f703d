"""Compares members of tempo sessions over a network with jitter and loss: pairs of LinkPython-extern alone, and of ours with it.

Usage: link_jitter.py EXAMPLE PYTHON [JOINS [SECONDS]]

EXAMPLE is the built example link_peer of rustle-engines, PYTHON an interpreter with LinkPython-extern (the binary wheel). Each member is a
host, as a network namespace; a relay between them forwards every frame after a time of its own. Prints a line per pair and network: the
phase errors over all joins, 8 by default, each read for SECONDS, 4 by default. It needs namespaces of its own:

    unshare -rnm sh -c 'mount -t tmpfs none /run && mkdir /run/netns && python3 rust/bench/peers/link_jitter.py EXAMPLE PYTHON'
"""

import heapq
import pathlib
import random
import select
import socket
import subprocess
import sys
import threading
import time

from link_beside import Member, now

HERE = pathlib.Path(__file__).parent
HOSTS = ["a", "b"]
# The delay of a frame in ms, from and to, and the share that is lost.
NETWORKS = {"as it is": (0, 0, 0.0), "2 to 4 ms": (2, 4, 0.0), "2 to 4 ms, 5 % lost": (2, 4, 0.05)}
PAIRS = [("theirs", "theirs"), ("theirs", "ours"), ("ours", "theirs"), ("ours", "ours")]
ALL_PROTOCOLS = 3
OUTGOING = 4


class Relay(threading.Thread):
    """Forwards frames between the two hosts, each after its delay."""

    def __init__(self):
        super().__init__(daemon=True)
        self.network = (0, 0, 0.0)
        self.sockets = []
        for host in HOSTS:
            end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
            end.bind((f"relay-{host}", 0))
            self.sockets.append(end)

    def run(self):
        waiting, number, draw = [], 0, random.Random(1)
        while True:
            left = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
            for ready in select.select(self.sockets, [], [], left)[0]:
                frame, (_, _, kind, *_) = ready.recvfrom(65535)
                low, high, lost = self.network
                if kind == OUTGOING or draw.random() < lost:
                    continue
                other = self.sockets[1 - self.sockets.index(ready)]
                number += 1
                heapq.heappush(waiting, (time.monotonic() + draw.uniform(low, high) / 1000, number, other, frame))
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, other, frame = heapq.heappop(waiting)
                other.send(frame)


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


def make_hosts():
    for place, host in enumerate(HOSTS, 1):
        ip(f"netns add {host}")
        ip(f"link add relay-{host} type veth peer name eth0 netns {host}")
        ip(f"link set relay-{host} up")
        # Multicasts of both hosts are the relay's to forward.
        ip(f"-n {host} link set lo up")
        ip(f"-n {host} address add 10.20.0.{place}/24 dev eth0")
        ip(f"-n {host} link set eth0 up")
        ip(f"-n {host} route add default dev eth0")
        # The kernel computes no checksums for a peer on the same machine, which frames that are sent again need.
        subprocess.run(["ip", "netns", "exec", host, "ethtool", "-K", "eth0", "tx", "off"], check=True, stdout=subprocess.DEVNULL)


def join(commands, seconds):
    """The phase errors in us of one join; none if the two did not meet."""
    first, second = (Member(["ip", "netns", "exec", host, *command], bpm) for host, command, bpm in zip(HOSTS, commands, [120, 90]))
    errors = []
    end = time.monotonic() + 15
    while second.at(now())["peers"] != 1 or first.at(now())["peers"] != 1 or second.at(now())["bpm"] != first.at(now())["bpm"]:
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    else:
        # The later measurements of a join are in.
        time.sleep(1)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            at = now()
            one, other = first.at(at), second.at(at)
            errors.append(abs((one["phase"] - other["phase"] + 2) % 4 - 2) * 60e6 / one["bpm"])
            time.sleep(0.02)
    for member in (second, first):
        member.end()
    time.sleep(0.5)
    return errors


def main():
    example, python = sys.argv[1:3]
    joins = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 4.0
    commands = {"ours": [example], "theirs": [python, str(HERE / "link_peer.py")]}
    make_hosts()
    relay = Relay()
    relay.start()
    print("| network | founder | joiner | met | p50, us | p99, us | worst, us |\n|---|---|---|---|---|---|---|")
    for name, network in NETWORKS.items():
        relay.network = network
        for founder, joiner in PAIRS:
            all_errors = [join([commands[founder], commands[joiner]], seconds) for _ in range(joins)]
            met = sum(bool(errors) for errors in all_errors)
            found = sorted(error for errors in all_errors for error in errors) or [float("nan")]
            part = lambda share: found[int((len(found) - 1) * share)]
            print(f"| {name} | {founder} | {joiner} | {met} of {joins} | {part(0.5):.1f} | {part(0.99):.1f} | {found[-1]:.1f} |", flush=True)


main()
