"""Joins a member of ours and LinkPython-extern, as joiner and as founder, and prints what a user sees and the phase errors.

Usage: link_beside.py EXAMPLE PYTHON [SECONDS]

EXAMPLE is the built example link_peer of rustle-engines, PYTHON an interpreter with LinkPython-extern (the binary wheel). It is run in a
network namespace of its own, since peers use every interface:

    unshare -rn sh -c 'ip link set lo up && python3 rust/bench/peers/link_beside.py EXAMPLE PYTHON'
"""

import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) // 1000


class Member:
    def __init__(self, command, bpm):
        self.process = subprocess.Popen([*command, str(bpm)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def at(self, micros):
        self.say(f"at {micros}")
        words = self.process.stdout.readline().split()
        return {"phase": float(words[1]), "bpm": float(words[2]), "peers": int(words[3]), "playing": int(words[4])}

    def end(self):
        self.say("quit")
        self.process.wait(10)

    def kill(self):
        self.process.kill()
        self.process.wait()


def wait(text, holds, most=15.0):
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > most:
            print(f"  {text}: NOT within {most} s")
            return
        time.sleep(0.002)
    print(f"  {text}: {(time.monotonic() - start) * 1000:.0f} ms")


def errors(ours, other, seconds):
    found = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        at = now()
        mine, theirs = ours.at(at), other.at(at)
        difference = (mine["phase"] - theirs["phase"] + 2) % 4 - 2
        found.append(abs(difference) * 60e6 / mine["bpm"])
        time.sleep(0.02)
    found.sort()
    part = lambda p: found[int((len(found) - 1) * p)]
    print(f"  phase error of {len(found)} readings: p50 {part(0.5):.1f}, p99 {part(0.99):.1f}, worst {found[-1]:.1f} us")


def main():
    example, python = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0
    commands = {"ours": [example], "theirs": [python, str(HERE / "link_peer.py")]}
    for founder, joiner in [("theirs", "ours"), ("ours", "theirs")]:
        print(f"{joiner} joins {founder}")
        first = Member(commands[founder], 120)
        time.sleep(2)
        second = Member(commands[joiner], 90)
        wait("seen by the founder", lambda: first.at(now())["peers"] == 1)
        wait("seen by the joiner", lambda: second.at(now())["peers"] == 1)
        wait("one tempo", lambda: second.at(now())["bpm"] == first.at(now())["bpm"])
        print(f"  tempo {second.at(now())['bpm']}")
        mine, other = (first, second) if founder == "ours" else (second, first)
        errors(mine, other, seconds)
        for name, one, two, bpm in [("ours to theirs", mine, other, 133), ("theirs to ours", other, mine, 77)]:
            time.sleep(1.5)
            one.say(f"tempo {bpm}")
            wait(f"tempo, {name}", lambda: abs(two.at(now())["bpm"] - bpm) < 0.001)
        errors(mine, other, seconds / 4)
        for name, one, two, playing in [("ours to theirs", mine, other, 1), ("theirs to ours", other, mine, 0)]:
            time.sleep(1.5)
            one.say(f"play {playing}")
            wait(f"start and stop, {name}", lambda: two.at(now())["playing"] == playing)
        second.say("enable 0")
        wait("gone for the founder", lambda: first.at(now())["peers"] == 0)
        second.say("enable 1")
        wait("seen again", lambda: first.at(now())["peers"] == 1)
        second.kill()
        wait("killed one gone for the founder", lambda: first.at(now())["peers"] == 0)
        first.end()


if __name__ == "__main__":
    main()
