"""Compares members of tempo sessions over a network with jitter and loss: pairs of LinkPython-extern alone, and of ours with it.

Usage: link_jitter.py EXAMPLE PYTHON [JOINS [SECONDS]]

EXAMPLE is the built example link_peer of rustle-engines, PYTHON an interpreter with LinkPython-extern (the binary wheel). A relay
between two hosts forwards every frame after a time of its own. Prints a line per pair and network: the phase errors over all joins, 8
by default, each read for SECONDS, 4 by default. link_hosts.py says what it needs.
"""

import heapq
import random
import select
import socket
import subprocess
import sys
import threading
import time

from link_hosts import HOSTS, NAMES, PAIRS, Member, address, commands, errors, figures, ip, met, on

# The delay of a frame in ms, from and to, and the share that is lost.
NETWORKS = {"as it is": (0, 0, 0.0), "2 to 4 ms": (2, 4, 0.0), "2 to 4 ms, 5 % lost": (2, 4, 0.05)}
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


def make_hosts():
    for place, host in enumerate(HOSTS, 1):
        ip(f"netns add {host}")
        ip(f"link add relay-{host} type veth peer name eth0 netns {host}")
        ip(f"link set relay-{host} up")
        address(host, place)
        # The kernel computes no checksums for a peer on the same machine, which frames that are sent again need.
        subprocess.run([*on(host), "ethtool", "-K", "eth0", "tx", "off"], check=True, stdout=subprocess.DEVNULL)


def join(kinds, seconds):
    """The phase errors in us of one join; none if the two did not meet."""
    first = Member(HOSTS[0], commands()[kinds[0]], 120)
    first.state()
    # Of sessions of about one age the one with the smaller identity stays, whoever that is.
    time.sleep(1)
    second = Member(HOSTS[1], commands()[kinds[1]], 90)
    second.state()
    found = []
    if met(first, second) is not None:
        # The first measurements of a join are in.
        time.sleep(1)
        found = errors(first, second, seconds)
    for member in (second, first):
        member.end()
    time.sleep(0.5)
    return found


def main():
    joins = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 4.0
    make_hosts()
    relay = Relay()
    relay.start()
    print(f"## Ways that differ from frame to frame, {joins} joins, each read for {seconds:g} s\n")
    print("| a frame's way | founder | joiner | met | phase p50, us | p99, us | worst, us |\n|---|---|---|---|---|---|---|")
    for name, network in NETWORKS.items():
        relay.network = network
        for founder, joiner in PAIRS:
            joined = [join((founder, joiner), seconds) for _ in range(joins)]
            count = sum(bool(each) for each in joined)
            cells = figures([error for each in joined for error in each])
            print(f"| {name} | {NAMES[founder]} | {NAMES[joiner]} | {count} of {joins} | {cells} |", flush=True)
    print()


main()
