"""Measures the processor time of members of tempo sessions: with three peers, and with a thousand simulated ones.

Usage: link_cost.py EXAMPLE PYTHON [SECONDS [PEERS]]

EXAMPLE is the built example link_peer of rustle-engines, PYTHON an interpreter with LinkPython-extern (the binary wheel). Each row is of
SECONDS, 20 by default, after the members have met. link_hosts.py says what it needs.
"""

import pathlib
import re
import subprocess
import sys
import time

from link_hosts import HERE, NAMES, Member, commands, connect, met, on, wait

# Of a core, in %.
GOALS = {3: 0.2, 1000: 10}


def processor_time(member):
    """The seconds that a process has used, in ns of the scheduler."""
    threads = pathlib.Path(f"/proc/{member.process.pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e9


def messages(member, kind):
    """The messages that ours has taken."""
    return int(re.search(r"messages: (\d+)", member.ask("counts")).group(1)) if kind == "ours" else None


def idle(member, seconds, kind):
    """The share of a core in %, and the messages a second, of a member that nobody asks."""
    used, taken, start = processor_time(member), messages(member, kind), time.monotonic()
    time.sleep(seconds)
    used, took = processor_time(member) - used, time.monotonic() - start
    taken = f"{(messages(member, kind) - taken) / took:.0f}" if kind == "ours" else "–"
    return 100 * used / took, taken


def row(kind, role, peers, share, taken):
    print(f"| {NAMES[kind]} | {role} | {peers} | {share:.2f} % | {GOALS.get(peers, '–')}{' %' if peers in GOALS else ''} | {taken} |",
          flush=True)


def with_peers(kind, role, count, seconds):
    """A member beside LinkPythons on the other host."""
    def others():
        return [Member("b", commands()["theirs"], 120) for _ in range(count)]

    peers = others() if role == "joined" else []
    time.sleep(1)
    member = Member("a", commands()[kind], 120)
    member.state()
    time.sleep(1)
    peers = peers or others()
    if met(member, *peers) is None:
        raise SystemExit(f"expected {count} peers, got {member.state()}")
    # A session is measured often at first.
    time.sleep(8)
    row(kind, role, count, *idle(member, seconds, kind))
    for each in [*peers, member]:
        each.end()


def with_simulated(kind, count, seconds):
    """A member that founded, and peers that are packets."""
    member = Member("a", commands()[kind], 120)
    flood = subprocess.Popen([*on("b"), sys.executable, str(HERE / "link_flood.py"), "10.20.0.2", str(count)],
                             stdin=subprocess.PIPE, text=True)
    if wait(lambda: member.state()["peers"] == count) is None:
        raise SystemExit(f"expected {count} peers, got {member.state()['peers']}")
    share, taken = idle(member, seconds, kind)
    peers = member.state()["peers"]
    flood.stdin.write("\n")
    flood.stdin.flush()
    flood.wait(10)
    row(kind, "founded, simulated", peers, share, taken)
    member.end()


def main():
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
    connect()
    print(f"## Processor time of a member that nobody asks, {seconds:g} s\n")
    print("| member | role | peers | of a core | goal | messages a second |\n|---|---|---|---|---|---|")
    with_peers("ours", "founded", 0, seconds)
    for role in ("joined", "founded"):
        for kind in ("theirs", "ours"):
            with_peers(kind, role, 3, seconds)
    for kind in ("theirs", "ours"):
        with_simulated(kind, count, seconds)
    print()


main()
