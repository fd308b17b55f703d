"""Leases of universes in NATS: lease_checks.py RUSTLE FOLDER [UNIVERSES]

Two nodes with so many universes each (default 40), each the other's standby, on hosts of their own, and a nats-server on a third one: a node
is killed, stopped, cut off from the other and from the server, starts with another show; the server is killed, refuses the nodes, loses
the bucket, gets a stranger's record. A line for each check; the last line is `N passed, N failed`.
"""

import base64
import json
import pathlib
import signal
import sys
import time
import urllib.request
from contextlib import ExitStack

from hosts import expect, expect_equal, until
from nats_servers import Server
from universe_nodes import BRIDGE_ADDRESS, FRAME, METRICS, Plan, Watch, address, cut, heal, lay_bridge, longest_gap, metric, run_checks

# As long as an owner is heard before it takes over again, with room for a slow machine.
RETURN = 25.0
# The host of the server, and the port of its counts.
SERVER, COUNTS = 254, 8222
LEASED, TAKEN, FENCED = {"node1": 100, "node2 for node1": 90}, {"node2 for node1": 110}, {"node1": 80, "node2 for node1": 110}


class Lab:
    """The nodes, the server, and what arrives at a receiver."""

    def __init__(self, rustle, folder, universes, watch, stack):
        self.rustle, self.watch, self.stack = rustle, watch, stack
        self.plan = Plan(folder, 2, universes)
        self.server = Server(folder / "store", host=BRIDGE_ADDRESS, options=["-m", str(COUNTS)])
        self.token = folder / "token"
        self.token.write_text("a token\n", encoding="utf-8")
        self.running = {}

    def start(self, node, playing=None, bucket="stage"):
        further = ["--lease", self.server.url(bucket), "--lease-token-file", str(self.token), "--metrics", f"{address(node)}:{METRICS}"]
        self.running[node] = self.stack.enter_context(self.plan.run(self.rustle, node, playing, further))

    def kill(self, node):
        self.running[node].process.kill()

    def until_first(self, what, wanted, seconds=RETURN):
        """Waits until the universes of the first node have these sources."""
        self.watch.until_sources(what, self.plan.universes(1), lambda _: wanted, seconds)

    def event(self, node, kind, owner="node1", after=0):
        """Waits for a change that a node reports."""
        return self.running[node].line(f"{kind} of {owner}", lambda line: (line.get("event"), line.get("owner")) == (kind, owner), RETURN, after)

    def unleased(self, node, words, after=0):
        """Waits for a node's report that it has no lease of its own universes, with these words in the reason."""
        def is_meant(line):
            return (line.get("event"), line.get("owner")) == ("unleased", f"node{node}") and words in line["reason"]
        return self.running[node].line(f"unleased of node{node}: {words}", is_meant, RETURN, after)

    def messages(self):
        """The number of messages that the server has received."""
        with urllib.request.urlopen(f"http://{BRIDGE_ADDRESS}:{COUNTS}/varz", timeout=5) as answer:
            return json.load(answer)["in_msgs"]

    def seen(self, node):
        return len(self.running[node].lines)

    def holder(self):
        """Who holds the lease of the first node's universes: the record's node, and its process or 0."""
        answer = self.server.request("$JS.API.STREAM.MSG.GET.KV_stage", '{"last_by_subj":"$KV.stage.node1"}') or {}
        if "message" not in answer:
            return None
        return base64.b64decode(answer["message"]["data"]).decode().split()[0]

    def until_holder(self, node):
        until(lambda: f"{node} as the holder, got {self.holder()}", lambda: self.holder() == node, RETURN)

    def dark(self, begin, end):
        """The longest time without light of the first node's universes, less what the machine held up the second's meanwhile, 0.3 s at most."""
        packets = self.watch.since(begin - 5)
        seconds, universe = longest_gap(packets, self.plan.universes(1), begin, end)
        others = longest_gap(packets, self.plan.universes(2), begin, end)[0]
        text = f"{seconds * 1000:.0f} ms without light in universe {universe}; the others {others * 1000:.0f} ms"
        return seconds - min(max(0, others - 2 * FRAME), 0.3), text

    def wait(self, seconds):
        """Lets packets arrive for so long, and returns the time: they are what is judged."""
        end = time.time() + seconds
        until("packets", lambda: time.time() >= end, seconds + 5)
        return time.time()


def held(lab):
    """Each owner holds its lease and sends at 100, its standby at 90"""
    for node in (1, 2):
        lab.start(node)
        lab.event(node, "leased", f"node{node}")
    lab.until_first("an owner and a standby", LEASED, 60)
    lab.watch.until_sources("an owner and a standby", lab.plan.universes(2), lambda _: {"node2": 100, "node1 for node2": 90}, RETURN)
    lab.until_holder("node1")
    expect_equal("leases by the metrics", [1, 0], [metric(node, "node_holds_lease", owner="node1") for node in (1, 2)])
    expect_equal("priorities by the metrics", [100, 90], [metric(node, "node_priority", owner="node1") for node in (1, 2)])


def killed(lab):
    """The standby takes the lease of an owner that is killed, and goes above it within 0.5 s"""
    begin = time.time()
    lab.wait(1)
    lab.kill(1)
    lab.until_first("the standby alone", TAKEN)
    lab.until_holder("node2")
    expect_equal("leases by the metrics", [1, 1], [metric(2, "node_holds_lease", owner=f"node{owner}") for owner in (1, 2)])
    expect_equal("priority by the metrics", 110, metric(2, "node_priority", owner="node1"))
    reports = sum((line.get("event"), line.get("owner")) == ("active", "node1") for line in lab.running[2].lines)
    expect_equal("reports by the metrics", reports, metric(2, "node_reports_total", owner="node1", kind="active"))
    seconds, text = lab.dark(begin, lab.wait(1))
    expect(seconds <= 0.5, f"expected at most 500 ms, got {text}")
    return text


def other_show(lab):
    """An owner with another show than the holder's sends nothing, and the holder goes on"""
    begin = time.time()
    lab.start(1, lab.plan.other_show)
    reported = lab.event(1, "refused")
    expect_equal("priority", None, reported["priority"])
    lab.until_first("the standby alone", TAKEN)
    lab.wait(7)
    expect_equal("sources", TAKEN, lab.watch.sources()[1])
    expect_equal("holder", "node2", lab.holder())
    seconds, text = lab.dark(begin, time.time())
    expect(seconds <= 0.5, f"expected at most 500 ms, got {text}")
    expect_equal("status", 130, lab.running[1].interrupt())
    return text


def returns(lab):
    """An owner that comes back is fenced at 80 until its standby hands the lease over"""
    begin = time.time()
    lab.start(1)
    expect_equal("priority", 80, lab.event(1, "fenced")["priority"])
    lab.until_first("the owner beneath", FENCED)
    fenced = time.time()
    lab.event(1, "leased")
    lab.until_first("the owner above", LEASED)
    expect(time.time() - fenced >= 3, f"expected the standby above for 5 s, got {time.time() - fenced:.1f} s")
    lab.until_holder("node1")
    seconds, text = lab.dark(begin, lab.wait(1))
    expect(seconds <= 0.5, f"expected at most 500 ms, got {text}")
    return text


def stopped(lab):
    """An owner that stood still is a stale holder: when it goes on it is fenced, and its heartbeats of before do not count"""
    before = lab.seen(1)
    lab.running[1].process.send_signal(signal.SIGSTOP)
    try:
        lab.until_first("the standby alone", TAKEN)
    finally:
        lab.running[1].process.send_signal(signal.SIGCONT)
    lab.event(1, "fenced", after=before)
    lab.until_first("the owner beneath", FENCED)
    lab.event(1, "leased", after=before)
    lab.until_first("the owner above", LEASED)


def apart(lab):
    """Of two nodes that do not hear each other one holds the lease; once they do, the owner does"""
    before = lab.seen(1)
    cut(1, 2)
    try:
        lab.until_first("the owner beneath", FENCED)
        lab.until_holder("node2")
        lab.wait(7)
        expect_equal("sources", FENCED, lab.watch.sources()[1])
    finally:
        heal(1, 2)
    lab.event(1, "leased", after=before)
    lab.until_first("the owner above", LEASED)


def without_server(lab):
    """Without the server every node sends on at the priority of the protocol, and leases are held again once it is back"""
    begin = time.time()
    before = {node: lab.seen(node) for node in (1, 2)}
    lab.server.kill()
    for node in (1, 2):
        expect_equal("priority", 100, lab.event(node, "unleased", f"node{node}", before[node])["priority"])
    lab.wait(2)
    expect_equal("sources", LEASED, lab.watch.sources()[1])
    lab.server.start()
    for node in (1, 2):
        lab.event(node, "leased", f"node{node}", before[node])
    seconds, text = lab.dark(begin, time.time())
    expect(seconds <= 0.5, f"expected at most 500 ms, got {text}")
    return text


def no_takeover(lab):
    """A standby that is cut off from the server stays at 90 when its owner is killed, and goes above once it reaches it"""
    begin = time.time()
    before = lab.seen(2)
    cut(2, SERVER)
    try:
        lab.event(2, "unleased", "node2", before)
        lab.kill(1)
        lab.until_first("the standby alone", {"node2 for node1": 90})
        lab.wait(4)
        expect_equal("sources", {"node2 for node1": 90}, lab.watch.sources()[1])
        seconds, text = lab.dark(begin, time.time())
        expect(seconds <= 3, f"expected at most 3 s, by the loss of a source, got {text}")
    finally:
        heal(2, SERVER)
    lab.until_first("the standby above", TAKEN)
    lab.until_holder("node2")
    return text


def orderly(lab):
    """A holder that ends in order hands the lease over: to an owner that waits, and to a standby"""
    lab.start(1)
    lab.event(1, "fenced")
    before = lab.seen(1)
    expect_equal("status", 130, lab.running[2].interrupt())
    asked = time.time()
    lab.event(1, "leased", after=before)
    handed = time.time() - asked
    # Unasked the owner would wait for the end of the record: 3 s from its last revision, which is at most 0.5 s old.
    expect(handed < 2, f"expected the lease within 2 s, got {handed:.2f} s")
    lab.start(2)
    lab.until_first("an owner and a standby", LEASED)
    lab.event(2, "leased", "node2")
    before, begin = lab.seen(2), time.time()
    expect_equal("status", 130, lab.running[1].interrupt())
    lab.event(2, "active", after=before)
    lab.until_first("the standby above", TAKEN)
    lab.until_holder("node2")
    ended = min(each.time for each in lab.watch.since(begin) if each.name == "node1" and each.is_terminated)
    above = min(each.time for each in lab.watch.since(begin) if each.name == "node2 for node1" and each.priority == 110)
    seconds, text = lab.dark(begin, lab.wait(1))
    expect(seconds <= 0.5, f"expected at most 500 ms, got {text}")
    return f"to the owner {handed:.2f} s; the standby above {(above - ended) * 1000:.0f} ms after the end; {text}"


def refused(lab):
    """A server that refuses the nodes' token is the reason that they report, and leases are held again once it takes it"""
    lab.start(1)
    lab.event(1, "leased")
    lab.until_first("the owner above", LEASED)
    before = {node: lab.seen(node) for node in (1, 2)}
    words = lab.server.arguments
    lab.server.kill()
    lab.server.arguments = [*words, "--auth", "another"]
    lab.server.start()
    try:
        for node in (1, 2):
            lab.unleased(node, "uthorization", before[node])
    finally:
        lab.server.kill()
        lab.server.arguments = words
        lab.server.start()
    for node in (1, 2):
        lab.event(node, "leased", f"node{node}", before[node])
    lab.until_first("the owner above", LEASED)


def deleted(lab):
    """A bucket that is deleted is made again, and a stranger's record in it is nobody's"""
    begin = time.time()
    before = lab.seen(1)
    answer = lab.server.request("$JS.API.STREAM.DELETE.KV_stage")
    expect((answer or {}).get("success"), f"expected the bucket's end, got {answer}")
    lab.until_holder("node1")
    for text in ("nobody 1 0 aa", "x", "node3 1 0 aa"):
        answer = lab.server.request("$KV.stage.node1", text)
        expect("seq" in (answer or {}), f"expected an answer to a record, got {answer}")
        lab.until_holder("node1")
    lab.wait(1)
    expect_equal("sources", LEASED, lab.watch.sources()[1])
    expect_equal("changes", [], [line["event"] for line in lab.running[1].lines[before:] if line.get("owner") == "node1"])
    seconds, text = lab.dark(begin, time.time())
    expect(seconds <= 0.5, f"expected at most 500 ms, got {text}")
    return text


def restarted(lab):
    """An owner that was killed and starts with another show is not fenced by its own record, with no standby there"""
    lab.kill(2)
    lab.kill(1)
    lab.running[1].end()
    expect_equal("holder", "node1", lab.holder())
    lab.start(1, lab.plan.other_show)
    own = lab.running[1].line("a change of node1", lambda line: line.get("owner") == "node1", RETURN)
    expect_equal("the first change", ("leased", 100), (own["event"], own["priority"]))
    return f"{own['t_ms']} ms after its start"


def full(lab):
    """A bucket that takes no record is reported, and asked a few times a second"""
    expect_equal("status", 130, lab.running[1].interrupt())
    bucket = {"name": "KV_full", "subjects": ["$KV.full.>"], "max_msgs_per_subject": 1, "max_age": 3 * 10**9, "max_msg_size": 16,
              "allow_rollup_hdrs": True, "deny_delete": True, "discard": "new", "storage": "memory", "num_replicas": 1,
              "duplicate_window": 3 * 10**9}
    answer = lab.server.request("$JS.API.STREAM.CREATE.KV_full", json.dumps(bucket))
    expect("config" in (answer or {}), f"expected a bucket, got {answer}")
    lab.start(1, bucket="full")
    expect_equal("priority", 100, lab.unleased(1, "cannot be written")["priority"])
    before = lab.messages()
    lab.wait(5)
    rate = (lab.messages() - before) / 5
    # Two places, each with a write, a read and what finds the bucket, twice a second.
    expect(rate < 40, f"expected less than 40 requests/s, got {rate:.0f}")
    return f"{rate:.0f} requests/s"


CHECKS = [held, killed, other_show, returns, stopped, apart, without_server, no_takeover, orderly, refused, deleted, restarted, full]


def main():
    rustle, folder, *rest = sys.argv[1:]
    lay_bridge((1, 2))
    with Watch() as watch, ExitStack() as stack:
        lab = Lab(rustle, pathlib.Path(folder), int(rest[0]) if rest else 40, watch, stack)
        stack.callback(lab.server.kill)
        return run_checks(lab, CHECKS)


if __name__ == "__main__":
    sys.exit(main())
