"""Tempo sessions: rustle link with LinkPython, a row of what programs must show at a time"""

import functools
import signal
import subprocess
import time

from hosts import OUR_CABLE, PEER_CABLE, PEERS, Child, expect, lay_cable, until
from link_session import (
    BEATS, CHANGE, DISCOVERY, HOLD, LEAVING, RESCAN, SILENT, STATUS, Passed, asked, begun, cable, distance, expect_continuous,
    expect_end, has, in_phase, last, near, now, ours, peer, see, session, settle, share, states)

# The checks may run beside each other, on hosts of their own.
APART = True
CHECKS = []
ROLES = {"theirs": "ours joined", "ours": "ours founded"}


def row(check):
    CHECKS.append(check)
    return check


def both(check):
    """A row for each role of ours."""
    for founder, text in ROLES.items():
        one = functools.partial(check, founder=founder)
        one.__name__, one.__doc__ = f"{check.__name__}_{founder}", f"{check.__doc__}; {text}"
        CHECKS.append(one)
    return check


@both
def discovery(lab, founder):
    """LinkPython: both see each other within 2 s, also after each left and came back"""
    with session(lab, founder) as (us, them, met):
        again = []
        for one, other in ((us, them), (them, us)):
            one.say("enable 0")
            see(0, other, seconds=LEAVING)
            # The one that stayed is older.
            time.sleep(HOLD)
            one.say("enable 1")
            again.append(see(1, us, them))
    return f"{met:.2f} s, ours again {again[0]:.2f} s, theirs again {again[1]:.2f} s"


@both
def t1(lab, founder):
    """T1, LinkPython: a tempo changed in one program is the other's within 0.5 s"""
    with session(lab, founder) as (us, them, _):
        us.say("tempo 133")
        there = share(133, us, them)
        time.sleep(HOLD)
        them.say("tempo 98.5")
        here = share(98.5, us, them)
    return f"there {there * 1000:.0f} ms, here {here * 1000:.0f} ms"


@both
def t2(lab, founder):
    """T2, LinkPython: a program that joins takes the session's tempo and does not change it"""
    with session(lab, founder, joins=77) as (us, them, _):
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            share(120, us, them, seconds=0)


@both
def t3(lab, founder):
    """T3, LinkPython: a document that is loaded while connected, or before joining again, does not change the session"""
    with session(lab, founder) as (us, them, _):
        # LinkPython's state with another tempo that is not committed; enabling what is enabled.
        them.say("document 60")
        us.say("enable 1")
        time.sleep(1)
        share(120, us, them, seconds=0)
        see(1, us, them, seconds=0)
        for one, other in ((us, them), (them, us)):
            one.say("enable 0")
            see(0, other, seconds=LEAVING)
            one.say("tempo 60")
            time.sleep(HOLD)
            one.say("enable 1")
            see(1, us, them)
            share(120, us, them)


@both
def t4(lab, founder):
    """T4, LinkPython: 20 and 999 BPM both ways; others are refused here, and what LinkPython makes of them is shared"""
    with session(lab, founder) as (us, them, _):
        for one, bpm in ((us, 20), (them, 999), (us, 200), (them, 20), (us, 999)):
            one.say(f"tempo {bpm}")
            share(bpm, us, them)
            time.sleep(HOLD)
        for bpm in ("19.9", "999.1", "nan", "-120", "1e9"):
            count = len(us.text())
            us.say(f"tempo {bpm}")
            until(f"an error line for {bpm}", lambda: len(us.text()) > count, 2)
        time.sleep(0.3)
        share(999, us, them, seconds=0)
        for bpm, limit in ((5, 20), (2000, 999)):
            them.say(f"tempo {bpm}")
            share(limit, us, them)
            time.sleep(HOLD)


@row
def t4_options(lab):
    """T4: --bpm out of 20 to 999 is refused"""
    for bpm in ("19", "1000", "nan"):
        with ours(lab, "--bpm", bpm) as us:
            expect_end(us, "usage")
            expect("a tempo" in us.text(), f"expected an error line for {bpm} BPM, got {us.text()}")


@row
def t5_b1(lab):
    """T5 and B1: enabling alone keeps tempo and beats"""
    with ours(lab, "--bpm", "93.7") as us:
        begun(us)
        for word in ("enable 0", "enable 1", "enable 1", "enable 0", "enable 1"):
            us.say(word)
            until(f"the state of {word}", lambda: last(us)["enabled"] is word.endswith("1"), 2)
            time.sleep(0.3)
        expect_continuous(us, 0)
        tempos = {line["bpm"] for line in states(us)}
        expect(len(tempos) == 1 and near(93.7)(last(us)), f"expected one tempo, got {tempos}")


@both
def b2(lab, founder):
    """B2, LinkPython: beats coincide, also after tempo changes by each side"""
    with session(lab, founder) as (us, them, _):
        settle()
        worst = [in_phase(us, them, founder)]
        for one, bpm in ((us, 133), (them, 98.5)):
            one.say(f"tempo {bpm}")
            share(bpm, us, them)
            time.sleep(HOLD)
            worst.append(in_phase(us, them, founder))
    return f"within {worst[0]:.1f} us, after our tempo {worst[1]:.1f} us, after theirs {worst[2]:.1f} us"


def playing(member, is_playing, seconds=1):
    until(f"playing {is_playing}, got {has(member)}", lambda: has(member)["playing"] is is_playing, seconds)


@both
def s1(lab, founder):
    """S1 and S2, LinkPython: starts and stops go both ways where both share them"""
    with session(lab, founder, "--start-stop") as (us, them, _):
        for one, other, word in ((us, them, 1), (them, us, 0), (them, us, 1), (us, them, 0)):
            one.say(f"play {word}")
            playing(other, word == 1)
            time.sleep(HOLD)


@both
def s1_off(lab, founder):
    """S1 and S2, LinkPython: starts and stops go neither way where one does not share them"""
    for options, word in (((), "share 1"), (("--start-stop",), "share 0")):
        with session(lab, founder, *options) as (us, them, _):
            them.say(word)
            for one, other in ((us, them), (them, us)):
                one.say("play 1")
                playing(one, True)
                time.sleep(0.7)
                expect(has(other)["playing"] is False, f"expected no start with {options} and {word}, got {has(other)}")
                one.say("play 0")
                playing(one, False)
                time.sleep(HOLD)


@both
def leaving(lab, founder):
    """LinkPython: who leaves is gone within 1 s"""
    gone = []
    for end in ("quit", signal.SIGINT, signal.SIGTERM):
        with session(lab, founder) as (us, them, _):
            if end == "quit":
                us.say("quit")
            else:
                us.process.send_signal(end)
            gone.append(see(0, them, seconds=LEAVING))
            expect_end(us, end)
    with session(lab, founder) as (us, them, _):
        them.say("quit")
        gone.append(see(0, us, seconds=LEAVING))
    return f"ours after {max(gone[:-1]) * 1000:.0f} ms, theirs after {gone[-1] * 1000:.0f} ms"


@both
def killed(lab, founder):
    """LinkPython: who is killed is gone after 4 to 8 s"""
    gone = []
    for place in (0, 1):
        with session(lab, founder) as (us, them, _):
            one, other = ((us, them), (them, us))[place]
            one.process.kill()
            gone.append(see(0, other, seconds=9))
            expect(SILENT[0] <= gone[-1] <= SILENT[1], f"expected the end after {SILENT} s, got {gone[-1]:.1f}")
    return f"ours after {gone[0]:.1f} s, theirs after {gone[1]:.1f} s"


@both
def three(lab, founder):
    """LinkPython: three programs agree in tempo, peers and phase; the founder leaves, and the others go on"""
    with session(lab, founder) as (us, them, _), peer(lab, "linkpython", 60) as third:
        begun(third)
        see(2, us, them, third)
        share(120, us, them, third)
        for one, bpm in ((third, 144), (us, 101)):
            one.say(f"tempo {bpm}")
            share(bpm, us, them, third)
            time.sleep(HOLD)
        settle()
        worst = [in_phase(us, them, founder), in_phase(us, third, "ours")]
        count, later = len(us.lines), now() + 5_000_000
        stay = [third, us if founder == "theirs" else them]
        before = [asked(each, later) for each in stay if each is not us]
        (them if founder == "theirs" else us).say("quit")
        see(1, *stay, seconds=LEAVING)
        time.sleep(2)
        share(101, *stay, seconds=0)
        after = [asked(each, later) for each in stay if each is not us]
        moved = max(map(distance, before, after))
        expect(moved < BEATS, f"expected beats that go on there, got {moved:.0f} us")
        if us in stay:
            expect_continuous(us, count)
            worst.append(in_phase(us, third, "ours"))
    return f"within {', '.join(f'{each:.1f}' for each in worst)} us, moved {moved:.1f} us there"


@both
def merging(lab, founder):
    """LinkPython: two sessions of two programs that meet are the older one within 3 s"""
    cable(lab, False)
    start = {
        "ours": lambda: [ours(lab, "--bpm", bpm, interfaces=("lo", OUR_CABLE)) for bpm in (120, 121)],
        "theirs": lambda: [peer(lab, "linkpython", bpm) for bpm in (98, 99)]}
    passed = Passed()
    sides = {}
    try:
        for side in (founder, "ours" if founder == "theirs" else "theirs"):
            sides[side] = start[side]()
            for each in sides[side]:
                begun(each)
            see(1, *sides[side], seconds=6)
            time.sleep(1)
        everybody = sides["ours"] + sides["theirs"]
        bpm = has(sides[founder][0])["bpm"]
        cable(lab, True)
        until("packets of both on the cable", lambda: len(passed.first) == 2, 2 * RESCAN)
        seen = max(passed.first.values())
        until(lambda: f"one session of {bpm} BPM, got {[has(each) for each in everybody]}",
              lambda: all(has(each).get("peers") == 3 and near(bpm)(has(each)) for each in everybody), 3)
        took = time.monotonic() - seen
    finally:
        for each in sides.get("ours", []) + sides.get("theirs", []):
            each.__exit__()
    return f"{took:.1f} s after both were seen"


@both
def pulled(lab, founder):
    """LinkPython: the interface goes down and comes up: the peer is back after the scan of 5 s and discovery, in tempo and phase"""
    with session(lab, founder) as (us, them, _):
        cable(lab, False)
        gone = see(0, us, them, seconds=SILENT[1])
        share(120, us, them, seconds=0)
        cable(lab, True)
        back = see(1, us, them, seconds=RESCAN + DISCOVERY)
        share(120, us, them)
        settle()
        worst = in_phase(us, them, founder)
    return f"gone after {gone:.1f} s, back after {back:.1f} s, within {worst:.1f} us"


@row
def replaced(lab):
    """the interface is replaced by one of its name and addresses: two of ours are one session again after the scan of 5 s"""
    command = [lab.command, "link", "--interface", PEER_CABLE, "--rate", "100", "--json"]
    with ours(lab, "--bpm", "120") as us, Child(command, lab.folder) as them:
        until("each other", lambda: last(us).get("peers") == last(them).get("peers") == 1, DISCOVERY)
        subprocess.run(["ip", "link", "delete", PEER_CABLE], check=True)
        lay_cable()
        time.sleep(RESCAN + DISCOVERY)
        us.say("tempo 77")
        until("our tempo there", lambda: near(77)(last(them)), CHANGE)
        until("each other", lambda: last(us)["peers"] == last(them)["peers"] == 1, SILENT[1])


def suspended(lab, founder, place):
    with session(lab, founder) as (us, them, _):
        one, other = ((us, them), (them, us))[place]
        later = now() + 12_000_000
        settle()
        before = asked(them, later)
        one.process.send_signal(signal.SIGSTOP)
        see(0, other, seconds=SILENT[1])
        time.sleep(1)
        one.process.send_signal(signal.SIGCONT)
        back = see(1, us, them)
        share(120, us, them)
        settle()
        moved = distance(before, asked(them, later))
        expect(moved < BEATS, f"expected beats that go on, got {moved:.0f} us")
        return f"back after {back:.2f} s, moved {moved:.1f} us, within {in_phase(us, them, founder):.1f} us"


@both
def ours_suspended(lab, founder):
    """LinkPython: ours is suspended until it is gone, and comes back, in the tempo and phase of the session"""
    return suspended(lab, founder, 0)


@both
def theirs_suspended(lab, founder):
    """LinkPython: it is suspended until it is gone, and comes back, in one tempo and phase"""
    return suspended(lab, founder, 1)


@row
def watched(lab):
    """LinkPython: rustle link --monitor decodes every message of it and takes part in nothing"""
    with lab.rustle("link", "--monitor", "--interface", OUR_CABLE) as monitor, peer(lab, "linkpython", 111) as them:
        alive = monitor.line("an alive message", lambda line: line["message"] == "alive" and near(111)(line))
        expect(alive["source"].startswith(PEERS), f"expected a message of {PEERS}, got {alive['source']}")
        time.sleep(2)
        expect(asked(them)["peers"] == 0, "expected that the monitor is no peer")
        them.say("quit")
        monitor.line("its end", lambda line: line["message"] == "leaving" and line["node"] == alive["node"])
        faults = {line["fault"] for line in monitor.lines if isinstance(line, dict)}
        expect(faults == {None}, f"expected no faults, got {faults}")
        return f"{len(monitor.lines)} messages"
