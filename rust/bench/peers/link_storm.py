"""Two of our members and one of LinkPython-extern join, leave and change the tempo at random: how long until all are of one mind.

Usage: link_storm.py EXAMPLE PYTHON ACTIONS

EXAMPLE is the built example link_peer of rustle-engines, PYTHON an interpreter with LinkPython-extern (the binary wheel). Each has a host
of its own. After one to three actions, up to 0.5 s apart, all that take part have to see each other at one tempo and, once the first
measurements are in, at one phase. Prints a table, and ends with status 1 if that took longer than 3 s. link_hosts.py says what it needs.
"""

import random
import sys
import time

from link_hosts import Member, address, commands, figures, ip, now, wait

KINDS = {"a": "ours", "b": "ours", "c": "theirs"}
# The longest time that there may be two sessions, in seconds.
LIMIT = 3
# What phases may differ by once a measurement is in, in us.
APART = 3_000
# Tempos are whole microseconds per beat on the wire; LinkPython's own has a fraction.
ROUNDED = 1.01


def make_hosts():
    # Without a querier of memberships a bridge that snoops forgets the groups.
    ip("link add bridge type bridge mcast_snooping 0")
    ip("link set bridge up")
    for place, host in enumerate(KINDS, 1):
        ip(f"netns add {host}")
        ip(f"link add to-{host} type veth peer name eth0 netns {host}")
        ip(f"link set to-{host} master bridge up")
        address(host, place)


def is_agreed(taking_part):
    """Whether those that take part see each other, at one tempo and phase."""
    at = now()
    states = [member.at(at) for member in taking_part]
    first = states[0] if states else None
    return all(state["peers"] == len(states) - 1 and abs(60e6 / state["bpm"] - 60e6 / first["bpm"]) < ROUNDED
               and abs((state["phase"] - first["phase"] + 2) % 4 - 2) * 60e6 / first["bpm"] < APART for state in states)


def main():
    count, draw = int(sys.argv[3]), random.Random(20)
    make_hosts()
    members = {host: Member(host, commands()[kind], 120) for host, kind in KINDS.items()}
    is_in = dict.fromkeys(members, True)
    done, times, late = {"join": 0, "leave": 0, "tempo": 0}, [], 0
    while sum(done.values()) < count:
        for _ in range(draw.randint(1, 3)):
            host = draw.choice(list(members))
            if draw.random() < 0.5:
                is_in[host] = not is_in[host]
                done["join" if is_in[host] else "leave"] += 1
                members[host].say(f"enable {int(is_in[host])}")
            else:
                done["tempo"] += 1
                members[host].say(f"tempo {draw.uniform(20, 999):.3f}")
            time.sleep(draw.uniform(0, 0.5))
        taking_part = [member for host, member in members.items() if is_in[host]]
        took = wait(lambda taking_part=taking_part: is_agreed(taking_part))
        if took is None or took > LIMIT * 1_000:
            late += 1
            print(f"{took} ms, of {is_in}, after {done}: {[member.state() for member in taking_part]}", file=sys.stderr)
        times.append(15_000 if took is None else took)
    for member in members.values():
        member.end()
    print("## Joins, leaves and changes of the tempo at random, two of rustle and one of LinkPython\n")
    print("| joins | leaves | tempos | of one mind p50, ms | p99, ms | longest, ms | goal | later |\n|---|---|---|---|---|---|---|---|")
    print(f"| {' | '.join(str(number) for number in done.values())} | {figures(times, 0)} | {LIMIT * 1_000} | {late} |\n")
    sys.exit(late > 0)


main()
