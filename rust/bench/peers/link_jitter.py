"""Compares members of tempo sessions over a network with jitter and loss: pairs of LinkPython-extern alone, and of ours with it.

Usage: link_jitter.py EXAMPLE PYTHON FOUNDER JOINER JOINS

EXAMPLE is the built example link_peer of rustle-engines, PYTHON an interpreter with LinkPython-extern (the binary wheel); FOUNDER and
JOINER are "ours" or "theirs". A relay between two hosts forwards every frame after a time of its own. Prints a row per network: in how
many of the JOINS the two met, and of each join's largest phase error the median, the 90th percentile and the largest. link_hosts.py
says what it needs. Pairs in namespaces of their own may run at the same time.
"""

import heapq
import random
import select
import socket
import subprocess
import sys
import threading
import time

from link_hosts import HOSTS, NAMES, Member, address, commands, errors, figures, ip, met, on

# The delay of a frame in ms, from and to, and the share that is lost.
NETWORKS = {"as it is": (0, 0, 0.0), "2 to 4 ms": (2, 4, 0.0), "2 to 4 ms, 5 % lost": (2, 4, 0.05)}
ALL_PROTOCOLS = 3
OUTGOING = 4
# How long the phases of a join are read.
SECONDS = 2


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


def join(founder, joiner):
    """The largest phase error of one join in us; none if the two did not meet."""
    first = Member(HOSTS[0], commands()[founder], 120)
    first.state()
    # Of sessions of about one age the one with the smaller identity stays, whoever that is.
    time.sleep(1)
    second = Member(HOSTS[1], commands()[joiner], 90)
    second.state()
    largest = None
    if met(first, second) is not None:
        # The first measurements of a join are in.
        time.sleep(1)
        largest = max(errors(first, second, SECONDS))
    for member in (second, first):
        member.end()
    time.sleep(0.5)
    return largest


def main():
    founder, joiner, joins = sys.argv[3], sys.argv[4], int(sys.argv[5])
    make_hosts()
    relay = Relay()
    relay.start()
    for name, network in NETWORKS.items():
        relay.network = network
        joined = [join(founder, joiner) for _ in range(joins)]
        found = [error for error in joined if error is not None]
        cells = figures(found, shares=(0.5, 0.9, 1))
        print(f"| {NAMES[founder]} | {NAMES[joiner]} | {name} | {len(found)} of {joins} | {cells} |", flush=True)


main()
