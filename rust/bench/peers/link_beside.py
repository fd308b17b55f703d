"""Joins members of ours and LinkPython-extern over a cable, as joiner and as founder: what a user waits for, and the phase errors.

Usage: link_beside.py EXAMPLE PYTHON [JOINS [SECONDS]]

EXAMPLE is the built example link_peer of rustle-engines, PYTHON an interpreter with LinkPython-extern (the binary wheel). Each pair joins
JOINS times (4 by default), and is read for SECONDS each (4 by default). link_hosts.py says what it needs.
"""

import sys
import time

from link_hosts import NAMES, PAIRS, Member, commands, connect, errors, figures, met, wait

# A local change holds for 1 s against what comes.
HOLD = 1.1


def main():
    joins = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 4.0
    connect()
    print(f"## Beside LinkPython, {joins} joins on a cable, each read for {seconds:g} s\n")
    print("| founder | joiner | met, ms | tempo there, ms | tempo back, ms | gone, ms | phase p50, us | p99, us | worst, us |")
    print("|---|---|---|---|---|---|---|---|---|")
    for founder, joiner in PAIRS:
        phases, waits = [], {"met": [], "there": [], "back": [], "gone": []}
        for _ in range(joins):
            first = Member("a", commands()[founder], 120)
            first.state()
            time.sleep(1)
            second = Member("b", commands()[joiner], 90)
            second.state()
            waits["met"].append(met(first, second))
            # The first measurements of a join are in.
            time.sleep(1)
            phases += errors(first, second, seconds * 2 / 3)
            for name, one, other, bpm in (("there", first, second, 133), ("back", second, first, 77)):
                one.say(f"tempo {bpm}")
                waits[name].append(wait(lambda: abs(other.state()["bpm"] - bpm) < 0.001))
                time.sleep(HOLD)
            phases += errors(first, second, seconds / 3)
            second.say("enable 0")
            waits["gone"].append(wait(lambda: first.state()["peers"] == 0))
            second.end()
            first.end()
        cells = ("never" if None in values else f"{max(values):.0f}" for values in waits.values())
        print(f"| {NAMES[founder]} | {NAMES[joiner]} | {' | '.join(cells)} | {figures(phases)} |", flush=True)
    print("\nTimes are the longest of the joins; tempo there is the founder's, back the joiner's.\n")


main()
