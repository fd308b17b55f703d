"""Universes over nodes: universe_checks.py RUSTLE FOLDER [UNIVERSES]

Three nodes with so many universes each (default 40), each with a standby, on hosts of their own: one is killed, one is cut off from its
standby, one ends, one plays another show. A line for each check; the last line is `N passed, N failed`.
"""

import pathlib
import subprocess
import sys
import time
from contextlib import ExitStack

from hosts import Child, expect, expect_equal, until
from universe_nodes import (
    BRIDGE, FRAME, UNOWNED, Plan, Watch, cut, equal_share, heal, lay_bridge, longest_gap, longest_stall, on_host, run_checks, share,
    skews, unevenness)

NODES = 3
# As long as an owner is heard before it takes over again, with room for a slow machine.
RETURN = 25.0
# The universes that a receiver beside the packets shows.
WATCHED = 4
# Between the packets of owner and standby with the same frame, in seconds, of half of them and of 99 of 100.
SKEW, SHARES = 0.005, (0.5, 0.99)


class Lab:
    """The plan, its nodes that run, and what arrives at a receiver."""

    def __init__(self, rustle, folder, universes, watch, stack):
        self.rustle, self.watch, self.stack = rustle, watch, stack
        self.plan = Plan(folder, NODES, universes)
        self.running = {}

    def start(self, node, playing=None):
        self.running[node] = self.stack.enter_context(self.plan.run(self.rustle, node, playing))

    def monitor(self, *words):
        """Starts the monitor beside the receiver."""
        command = [self.rustle, "dmx", "monitor", "--plan", str(self.plan.plan), "--interface", BRIDGE, "--json", *words]
        return Child(command, self.plan.folder)

    def standby(self, node):
        return node % NODES + 1

    def is_standby_of(self, node):
        return f"node{self.standby(node)} for node{node}"

    def until_all(self, what, nodes, priorities, seconds=RETURN):
        """Waits until the universes of nodes have their owners and standbys with these priorities; None: is not there."""
        for node in nodes:
            wanted = {name: priority for name, priority in zip((f"node{node}", self.is_standby_of(node)), priorities, strict=True)
                      if priority is not None}
            self.watch.until_sources(what, self.plan.universes(node), lambda _, wanted=wanted: wanted, seconds)

    def gap(self, node, begin, end):
        """The longest time without light of a node's universes, in seconds."""
        seconds, universe = longest_gap(self.watch.since(begin - 5), self.plan.universes(node), begin, end)
        return seconds, f"{seconds * 1000:.0f} ms in universe {universe}"

    def expect_light(self, node, begin, end, *receivers):
        """Expects at most 500 ms without light of a node's universes, and what the machine held up the others meanwhile; receivers are names
        with the longest pause that each has shown, in seconds."""
        gap, text = self.gap(node, begin, end)
        others = max(self.gap(other, begin, end)[0] for other in range(1, NODES + 1) if other != node)
        text = "; ".join([text, *(f"{name} {pause * 1000:.0f} ms" for name, pause in receivers), f"the others {others * 1000:.0f} ms"])
        most = 0.5 + max(0, others - 2 * FRAME)
        for pause in (gap, *(pause for _, pause in receivers)):
            expect(pause <= most, f"expected at most 500 ms without light, got {text}")
        return text

    def wait(self, seconds):
        """Lets packets arrive for so long, and returns the time: they are what is judged."""
        end = time.time() + seconds
        until("packets", lambda: time.time() >= end, seconds + 5)
        return time.time()


def every_universe(lab):
    """Each universe has its owner at 100 and its standby at 90, with equal levels, and identities and sequences of their own"""
    for node in range(1, NODES + 1):
        lab.start(node)
    lab.until_all("an owner and a standby", range(1, NODES + 1), (100, 90), 60)
    begin = time.time()
    packets = lab.watch.since(begin, lab.wait(3))
    expect(str(UNOWNED) in lab.running[1].line("what nobody owns", lambda line: line.get("event") == "unowned")["reason"], "its number")
    expect_equal(f"packets of universe {UNOWNED}", 0, sum(each.universe == UNOWNED for each in packets))
    universes = lab.plan.universes(1)
    cids = {(each.cid, each.name) for each in packets}
    expect_equal("sources, with one identity each", 2 * NODES, len(cids))
    expect_equal("identities", 2 * NODES, len({cid for cid, _ in cids}))
    last, steps = {}, {}
    for each in packets:
        key = each.cid, each.universe
        if key in last:
            step = (each.sequence - last[key]) % 256
            steps[step] = steps.get(step, 0) + 1
        last[key] = each.sequence
    expect(steps.get(1, 0) > 0.98 * sum(steps.values()), f"expected sequences that go on by 1, got steps {steps}")
    equal, wanted = equal_share(packets, universes)
    expect(equal >= wanted, f"expected {wanted:.1%} of the levels of owner and standby to be equal, got {equal:.1%}")
    colours = len({each.levels for each in packets if each.universe == universes[0]})
    expect(colours > 40, f"expected a show that moves, got {colours} colours in 3 s")
    seen = lab.watch.since(begin, begin + 2)
    apart, uneven = skews(seen, universes), unevenness(seen, universes)
    text = ", ".join(f"p{100 * part:.0f} {share(apart, part) * 1000:.2f} ms, of one source {share(uneven, part) * 1000:.2f} ms" for part in SHARES)
    # What the machine holds up one of them moves its frames on their own: no clock is better. Frames that each node counts for itself are up
    # to half a frame apart, which half of those of few universes show on a machine that is held up at times.
    for part in SHARES:
        floor = 0 if part == 0.5 and lab.plan.each <= 100 else 1.5 * share(uneven, part)
        expect(share(apart, part) <= max(SKEW, floor), f"expected frames of owner and standby within 5 ms, or 1.5 times that of one source, got {text}")
    return f"{equal:.1%} of the levels equal, {len(packets) / 3:.0f} packets/s, skew {text}"


def killed(lab):
    """A node that is killed is replaced within 0.5 s by its warm standby, by the packets and as a receiver shows it"""
    watched = lab.plan.universes(1)[:WATCHED]
    words = ["--protocol", "sacn", "--universes", f"{watched[0]}-{watched[-1]}", "--interface", BRIDGE, "--json"]
    with Child([lab.rustle, "dmx", "receive", *words], lab.plan.folder) as receiver:
        receiver.line("levels", lambda line: "dmx" in line)
        begin = time.time()
        lab.wait(1)
        lab.running[1].process.kill()
        lab.until_all("the standby alone", [1], (None, 110))
        took = lab.running[2].line("that the standby is active", lambda line: line.get("event") == "active")
        expect_equal("owner", "node1", took["owner"])
        end = lab.wait(2)
        expect_equal("status of the receiver", 130, receiver.interrupt())
    # The show changes the levels with each frame.
    pauses = {}
    for universe in watched:
        times = [line["t_ms"] for line in receiver.lines if line.get("universe") == universe and "dmx" in line]
        expect(len(times) > 2 / FRAME, f"expected changes of universe {universe}, got {len(times)}")
        pauses[universe] = max(later - earlier for earlier, later in zip(times, times[1:], strict=False)) / 1000
    return lab.expect_light(1, begin, end, ("rustle dmx receive", max(pauses.values())))


def returns(lab):
    """A node that comes back is at 100 beneath its standby, which goes back to 90 when it has heard it for a while"""
    begin = time.time()
    lab.start(1)
    lab.until_all("both, the standby above", [1], (100, 110))
    above = time.time()
    lab.until_all("the owner above", [1], (100, 90))
    took = time.time() - above
    end = lab.wait(1)
    text = lab.expect_light(1, begin, end)
    expect(took >= 3, f"expected the standby above for 5 s, got {took:.1f} s")
    return f"{text}"


def recorded(lab):
    """Heartbeats that were recorded, sent again for a node that is killed, are none, which is reported"""
    code = "import socket, sys; raw = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 8)\nwhile True:\n  data = raw.recv(2048)\n" \
        "  if data[9] == 17 and data[22:24] == b'\\x15\\xc2' and b' node1 ' in data: print(data[28:].hex(), flush=True)"
    recorder = subprocess.Popen(on_host(2, sys.executable, "-c", code), stdout=subprocess.PIPE, text=True)
    try:
        # More than the 5 s for which an owner is heard before it takes over again.
        heartbeats = [recorder.stdout.readline().strip() for _ in range(70)]
    finally:
        recorder.kill()
        recorder.wait()
    before = len(lab.running[2].lines)
    lab.running[1].process.kill()
    lab.until_all("the standby alone", [1], (None, 110))
    lab.wait(5.5)
    code = "import socket, sys, time; udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nfor text in sys.stdin:\n" \
        "  udp.sendto(bytes.fromhex(text), ('10.78.0.2', 5570)); time.sleep(0.1)"
    subprocess.run(on_host(1, sys.executable, "-c", code), input="\n".join(heartbeats), text=True, check=True)
    expect_equal("sources", {lab.is_standby_of(1): 110}, lab.watch.sources()[1])
    refused = lab.running[2].line("a refusal", lambda line: line.get("event") == "mistimed", after=before)
    expect_equal("owner", "node1", refused["owner"])
    lab.start(1)
    lab.until_all("the owner above", [1], (100, 90))
    return refused["reason"]


def partition(lab):
    """Nodes that do not hear each other both go on with equal levels; afterwards one priority is the highest"""
    cut(2, 3)
    try:
        lab.until_all("the standby above", [2], (100, 110))
        apart = time.time()
        packets = lab.watch.since(apart, lab.wait(3))
    finally:
        heal(2, 3)
    equal, wanted = equal_share(packets, lab.plan.universes(2))
    expect(equal >= wanted, f"expected {wanted:.1%} of the levels on both sides to be equal, got {equal:.1%}")
    lab.until_all("the owner above", [2], (100, 90))
    return f"{equal:.1%} of the levels equal"


def hand_over(lab):
    """A node that ends sends three terminated packets for each universe; both have equal levels, and light is away for two frames at most"""
    begin, asked = time.time(), lab.wait(3)
    expect_equal("status", 130, lab.running[3].interrupt())
    end = lab.wait(2)
    packets = [each for each in lab.watch.since(asked, end) if each.name == "node3" and each.is_terminated]
    counts = {universe: sum(each.universe == universe for each in packets) for universe in lab.plan.universes(3)}
    wrong = {universe: count for universe, count in counts.items() if count != 3}
    expect(not wrong, f"expected three terminated packets of each universe, got {wrong}")
    equal, wanted = equal_share(lab.watch.since(begin, end), lab.plan.universes(3))
    expect(equal >= wanted, f"expected {wanted:.1%} of the levels of both to be equal, got {equal:.1%}")
    gap, text = lab.gap(3, asked, asked + 1)
    text += f"; {equal:.1%} of the levels equal"
    # The machine may hold up the one and then the other, which then are late in other universes too; in these that is what is judged.
    near = [each for each in lab.watch.since(asked - 0.1, asked + 1) if each.universe not in lab.plan.universes(3)]
    stalls = [longest_stall(near, f"node{node}") for node in (3, lab.standby(3))]
    text += f"; the nodes were late by {' and '.join(f'{stall * 1000:.0f}' for stall in stalls)} ms"
    expect(gap <= 2 * FRAME + 0.005 + sum(stalls), f"expected at most two frames without light, got {text}")
    return text


def other_show(lab):
    """A standby with another show than its owner's sends nothing in its place, and says so; with the same show it stands by again"""
    lab.start(3, lab.plan.other_show)
    reported = lab.running[1].line("a refusal", lambda line: line.get("event") == "refused", 30)
    expect_equal("owner and priority", ("node3", None), (reported["owner"], reported["priority"]))
    lab.until_all("the owner alone", [3], (100, None))
    expect("another show" in lab.running[1].text(), f"expected a note, got: {lab.running[1].text()}")
    before = len(lab.running[1].lines)
    expect_equal("status", 130, lab.running[3].interrupt())
    lab.start(3)
    lab.running[1].line("that it stands by again", lambda line: line.get("event") == "standby" and line["owner"] == "node3", 30, before)
    lab.until_all("both", [3], (100, 90))
    return None


def foreign(lab):
    """A heartbeat with another key is none, which is reported"""
    zeros = "0" * 64
    text = f"rustle-heartbeat 3 node1 99999999999999 1 {int(time.time() * 1000)} {zeros} 0 {zeros}"
    code = f"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto({text!r}.encode(), ('10.78.0.2', 5570))"
    subprocess.run(on_host(1, sys.executable, "-c", code), check=True)
    lab.running[2].line("a foreign datagram", lambda line: line.get("event") == "foreign")
    lab.until_all("an owner above", [1], (100, 90))


def monitored(lab):
    """The monitor finds no fault in the plan's network, then a node that is killed, and a source that is not in the plan"""
    lab.until_all("an owner and a standby", range(1, NODES + 1), (100, 90))
    theirs, killed_one = lab.plan.universes(2)[0], lab.plan.universes(1)[0]
    with lab.monitor() as monitor:
        def found(kind, universe, is_there=True):
            monitor.line(kind, lambda line: (line["fault"], line["universe"], line["present"]) == (kind, universe, is_there), 30)
        # Lists of universe discovery come every 10 s.
        until("a verdict", lambda: "faults: 0," in monitor.text(), 20)
        lab.wait(11)
        expect_equal("lines", [], monitor.lines)
        send = ["dmx", "send", "--interface", "eth0", "--universes", str(theirs), "--pattern", "ramp", "--name", "console"]
        with Child(on_host(3, lab.rustle, *send), lab.plan.folder) as other:
            found("same_priority", theirs)
            found("not_in_plan", theirs)
            expect_equal("status", 130, other.interrupt())
        found("same_priority", theirs, False)
        lab.running[1].process.kill()
        found("no_owner", killed_one)
        expect_equal("status with faults", 65, monitor.interrupt())
        lines = len(monitor.lines)
    with lab.monitor("--show", str(lab.plan.show)) as monitor:
        monitor.line("a universe of nobody", lambda line: (line["fault"], line["universe"], line["owner"]) == ("unowned", UNOWNED, None), 30)
        expect_equal("status with faults", 65, monitor.interrupt())
    lab.start(1)
    lab.until_all("the owner above", [1], (100, 90))
    return f"{lines} lines"


def by_protocol_alone(lab):
    """Without heartbeats receivers go over to a source of lower priority within 3 s"""
    send = ["dmx", "send", "--interface", "eth0", "--universes", str(UNOWNED), "--pattern", "ramp"]
    with Child(on_host(1, lab.rustle, *send, "--priority", "100"), lab.plan.folder) as first, \
            Child(on_host(2, lab.rustle, *send, "--priority", "90"), lab.plan.folder):
        until("both sources", lambda: len({each.cid for each in lab.watch.since(time.time() - 0.5) if each.universe == UNOWNED}) == 2)
        begin = time.time()
        first.process.kill()
        end = lab.wait(5)
        seconds, _ = longest_gap(lab.watch.since(begin - 2), [UNOWNED], begin - 1, end)
    expect(1 <= seconds <= 3, f"expected 2.5 to 3 s, got {seconds:.2f} s")
    return f"{seconds:.2f} s"


CHECKS = [every_universe, killed, returns, recorded, partition, hand_over, other_show, foreign, monitored, by_protocol_alone]


def main():
    rustle, folder, *rest = sys.argv[1:]
    universes = int(rest[0]) if rest else 40
    lay_bridge(range(1, NODES + 1))
    with Watch() as watch, ExitStack() as stack:
        lab = Lab(rustle, pathlib.Path(folder), universes, watch, stack)
        return run_checks(lab, CHECKS)


if __name__ == "__main__":
    sys.exit(main())
