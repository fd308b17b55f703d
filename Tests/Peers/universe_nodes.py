"""Nodes of a plan on one network: hosts on a bridge, as network namespaces, and the packets of sACN that a receiver would show.

This process is on the bridge, 10.78.0.254; node K of the plan on its host, 10.78.0.K.
"""

import json
import mmap
import select
import signal
import socket
import struct
import subprocess
import threading
import time
import traceback
import urllib.request
from collections import defaultdict
from datetime import datetime, timedelta, timezone

from hosts import Child, Unmet, expect, until

BRIDGE, BRIDGE_ADDRESS = "bridge0", "10.78.0.254"
FRAME = 1 / 44
# When a source counts as lost (ANSI E1.31-2018, appendix A), in seconds.
LOSS = 2.5
KEY = "a key of the test"
# The port of a node's metrics.
METRICS = 9100
# A universe of the show that no node owns.
UNOWNED = 5000


def address(node):
    return f"10.78.0.{node}"


def on_host(node, *words):
    return ["nsenter", f"--net=/run/netns/node{node}", *words]


def lay_bridge(nodes):
    """Makes the hosts of the nodes. The process has a network and a /run of its own."""
    commands = [
        ["ip", "link", "set", "lo", "up"],
        ["ip", "link", "add", BRIDGE, "type", "bridge", "mcast_snooping", "0", "forward_delay", "0"],
        ["ip", "addr", "add", f"{BRIDGE_ADDRESS}/24", "dev", BRIDGE],
        ["ip", "link", "set", BRIDGE, "up"],
        ["ip", "route", "add", "224.0.0.0/4", "dev", BRIDGE],
    ]
    for node in nodes:
        ours, theirs = f"port{node}", "eth0"
        commands += [
            ["ip", "netns", "add", f"node{node}"],
            ["ip", "link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", f"node{node}"],
            ["ip", "link", "set", ours, "master", BRIDGE, "up"],
            on_host(node, "ip", "link", "set", "lo", "up"),
            # One packet per frame, also of what a sender hands over in one piece.
            on_host(node, "ip", "link", "set", theirs, "gso_max_segs", "1"),
            on_host(node, "ip", "addr", "add", f"{address(node)}/24", "dev", theirs),
            on_host(node, "ip", "link", "set", theirs, "up"),
            on_host(node, "ip", "route", "add", "224.0.0.0/4", "dev", theirs),
        ]
    for command in commands:
        subprocess.run(command, check=True)


def cut(node, other):
    """Nothing that a node sends to another arrives; what it sends to groups does."""
    subprocess.run(on_host(node, "ip", "route", "add", "blackhole", f"{address(other)}/32"), check=True)


def heal(node, other):
    subprocess.run(on_host(node, "ip", "route", "del", "blackhole", f"{address(other)}/32"), check=True)


class Plan:
    """Nodes in a ring, each with as many universes, and the next one as its standby; a show that moves in each frame on all of them."""

    def __init__(self, folder, nodes, universes):
        self.folder, self.nodes, self.each = folder, nodes, universes
        start = datetime.now(timezone.utc) - timedelta(seconds=90)
        listed = [
            {"name": f"node{node}", "address": f"{address(node)}:5570", "standby": f"node{node % nodes + 1}",
             "universes": f"{self.universes(node)[0]}-{self.universes(node)[-1]}"}
            for node in range(1, nodes + 1)
        ]
        plan = {"v": 1, "start": start.strftime("%Y-%m-%dT%H:%M:%SZ"), "key": KEY, "nodes": listed}
        fixtures = [
            {"id": number, "profile": "rgb-par", "protocol": "sacn", "universe": number, "address": 1, "position": [number, 0, 3]}
            for number in (*range(1, nodes * universes + 1), UNOWNED)
        ]
        self.plan = self.write("plan.json", plan)
        self.show = self.write("show.json", show("rainbow", fixtures))
        self.other_show = self.write("other.json", show("wave", fixtures))

    def write(self, name, value):
        path = self.folder / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    def universes(self, node):
        first = (node - 1) * self.each + 1
        return range(first, first + self.each)

    def run(self, rustle, node, playing=None, further=()):
        """Starts a node, whose identity is kept, with further words."""
        home = self.folder / f"home{node}"
        home.mkdir(exist_ok=True)
        words = ["light", "run", str(playing or self.show), "--tempo", "97", "--output", "sacn:multicast", "--interface", "eth0",
                 "--plan", str(self.plan), "--node", f"node{node}", "--json", *further]
        return Child(on_host(node, "env", f"XDG_CONFIG_HOME={home}", rustle, *words), self.folder)


def metric(node, name, **labels):
    """The value of a node's metric, named without `rustle_`; None: it has none with these labels."""
    with urllib.request.urlopen(f"http://{address(node)}:{METRICS}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    wanted = "rustle_" + name + "{" + ",".join(f'{label}="{value}"' for label, value in labels.items()) + "}"
    return next((float(line.split()[-1]) for line in lines if line.startswith(wanted + " ")), None)


def show(effect, fixtures):
    layers = [{"effect": effect, "palette": ["#ff0000", "#00ff00", "#0000ff"], "rate": {"hertz": 0.4}}]
    return {"v": 1, "rig": {"v": 1, "fixtures": fixtures}, "scenes": [{"name": effect, "layers": layers}]}


class Packet:
    """A data packet of sACN: its time in seconds, and what a receiver reads."""

    __slots__ = ("cid", "is_terminated", "levels", "name", "priority", "sequence", "time", "universe")

    def __init__(self, at, data):
        self.time = at
        self.cid, self.name = data[22:38], data[44:108].split(b"\0")[0].decode()
        self.priority, self.sequence = data[108], data[111]
        self.is_terminated = bool(data[112] & 0x40)
        self.universe, = struct.unpack_from(">H", data, 113)
        # The rest is dark.
        self.levels = data[126:129]


class Watch:
    """Takes what arrives at the bridge, from the beginning of `with` on, with the system's times: of each packet the beginning, in a ring
    that holds seconds of them."""

    # linux/if_packet.h: SOL_PACKET, PACKET_RX_RING, PACKET_VERSION, TPACKET_V2.
    LEVEL, RING, VERSION, SECOND = 263, 5, 10, 1
    FRAME_BYTES, BLOCK_BYTES, BLOCKS = 512, 1 << 16, 512

    def __init__(self):
        self.packets, self.ended = [], threading.Event()

    def __enter__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(self.LEVEL, self.VERSION, self.SECOND)
        size = self.BLOCK_BYTES * self.BLOCKS
        request = struct.pack("IIII", self.BLOCK_BYTES, self.BLOCKS, self.FRAME_BYTES, size // self.FRAME_BYTES)
        self.socket.setsockopt(self.LEVEL, self.RING, request)
        self.ring = mmap.mmap(self.socket.fileno(), size)
        self.socket.bind((BRIDGE, 0x0800))
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        return self

    def _read(self):
        place, ring = 0, self.ring
        while not self.ended.is_set():
            # The status is 0 while the place is the system's.
            if not ring[place]:
                select.select([self.socket], [], [], 0.1)
                continue
            _, _, length, begin, _, seconds, nanoseconds = struct.unpack_from("IIIHHII", ring, place)
            frame = ring[place + begin:place + begin + length]
            ring[place:place + 4] = bytes(4)
            place = (place + self.FRAME_BYTES) % len(ring)
            # IPv4 without options, UDP to the port of sACN, data.
            if length > 170 and frame[23] == 17 and frame[36:38] == b"\x15\xc0" and frame[60:64] == b"\0\0\0\4":
                self.packets.append(Packet(seconds + nanoseconds / 1e9, frame[42:]))

    def __exit__(self, *_):
        self.ended.set()
        self.reader.join()
        self.ring.close()
        self.socket.close()

    def since(self, begin, end=float("inf")):
        packets = self.packets
        return [each for each in packets[self._place(begin):] if each.time < end]

    def _place(self, at):
        low, high = 0, len(self.packets)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.packets[middle].time < at else (low, middle)
        return low

    def sources(self, seconds=0.4):
        """The priorities of each universe's sources at present, by their names."""
        sources = defaultdict(dict)
        for each in self.since(time.time() - seconds):
            if not each.is_terminated:
                sources[each.universe][each.name] = each.priority
        return sources

    def until_sources(self, what, universes, wanted, seconds=20.0):
        """Waits until each universe has these sources with these priorities."""
        def is_met():
            sources = self.sources()
            return all(sources[universe] == wanted(universe) for universe in universes)
        return until(lambda: f"{what} (universe {universes[0]}: {self.sources()[universes[0]]})", is_met, seconds)


def longest_gap(packets, universes, begin, end):
    """The longest time for which a receiver of one of these universes had nothing to show between two times, and the universe.

    Shown is the source of the highest priority that is neither terminated nor lost.
    """
    sources, shown = defaultdict(dict), {}
    worst = (0.0, None)
    wanted = set(universes)
    for each in packets:
        if each.universe not in wanted:
            continue
        there = sources[each.universe]
        if each.is_terminated:
            there.pop(each.cid, None)
            continue
        there[each.cid] = (each.priority, each.time)
        highest = max(priority for priority, at in there.values() if each.time - at < LOSS)
        if each.priority == highest:
            before = shown.get(each.universe)
            if before is not None and each.time > begin and before < end:
                worst = max(worst, (each.time - before, each.universe))
            shown[each.universe] = each.time
    # What has not come by the end has been missing since.
    return max(worst, *((end - shown.get(universe, begin), universe) for universe in wanted), key=lambda each: each[0])


def equal_share(packets, universes):
    """Of the frames of the standby's source of each universe the share that the owner's has too, and the share that it should have: all but
    those that one of them skipped, or that came too late to be sent: it sent the one before again. A frame is known by its levels, within half a
    second."""
    by_source = defaultdict(list)
    for each in packets:
        if each.universe in universes and not each.is_terminated:
            by_source[each.universe, each.name].append(each)
    equal = compared = skipped = 0
    for universe in universes:
        ours, theirs = (found for (number, _), found in by_source.items() if number == universe)
        for source in (ours, theirs):
            skipped += max(0, (source[-1].time - source[0].time) / FRAME + 1 - len(source))
            skipped += sum(later.levels == earlier.levels for earlier, later in zip(source, source[1:], strict=False))
        for each in ours:
            if theirs[0].time + 0.5 < each.time < theirs[-1].time - 0.5:
                compared += 1
                equal += any(other.levels == each.levels for other in theirs if abs(other.time - each.time) < 0.5)
    expect(compared > 40 * len(universes), f"expected a second of packets of both sources, got {compared}")
    return equal / compared, 0.98 - skipped / compared


def skews(packets, universes):
    """The ascending times in seconds between the packets of owner and standby with the same frame, known by its levels."""
    times = defaultdict(lambda: defaultdict(dict))
    for each in packets:
        if each.universe in universes and not each.is_terminated:
            times[each.universe][each.name].setdefault(each.levels, each.time)
    found = []
    for ours, theirs in (sources.values() for sources in times.values() if len(sources) == 2):
        found += [abs(at - theirs[levels]) for levels, at in ours.items() if levels in theirs]
    expect(len(found) > 10 * len(universes), f"expected a quarter of a second of frames of both sources, got {len(found)}")
    return sorted(found)


def longest_stall(packets, node):
    """By how much a node was late at most, in seconds, between two packets of one of its sources for one universe; 0: by less than half a frame."""
    last, longest = {}, 0.0
    for each in packets:
        if each.name.split()[0] == node and not each.is_terminated:
            longest = max(longest, each.time - last.get((each.universe, each.cid), each.time))
            last[each.universe, each.cid] = each.time
    return longest - FRAME if longest > 1.5 * FRAME else 0.0


def unevenness(packets, universes):
    """The ascending times in seconds by which the packets of a source of these universes come earlier or later than a frame after the one
    before: what skews of two sources have that are not those of their clocks."""
    last, found = {}, []
    for each in packets:
        if each.universe not in universes or each.is_terminated:
            continue
        before = last.get((each.universe, each.cid))
        if before and (each.sequence - before.sequence) % 256 == 1:
            found.append(abs(each.time - before.time - FRAME))
        last[each.universe, each.cid] = each
    return sorted(found)


def share(ascending, part):
    """The value below which a part of ascending ones is."""
    return ascending[int(part * (len(ascending) - 1))]


def run_checks(lab, checks):
    """Runs each with the lab, prints a line of it, and ends the nodes; returns the status. The last line is `N passed, N failed`."""
    results = []
    for check in checks:
        start = time.time()
        try:
            found = check(lab)
            results.append(True)
            print(f"ok      {check.__doc__}{f' ({found})' if found else ''}, {time.time() - start:.1f} s", flush=True)
        except Unmet as unmet:
            results.append(False)
            print(f"FAILED  {check.__doc__}: {unmet}", flush=True)
        except Exception:
            results.append(False)
            print(f"FAILED  {check.__doc__}: {traceback.format_exc()}", flush=True)
    for child in lab.running.values():
        if child.process.poll() is None:
            child.process.send_signal(signal.SIGINT)
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0
