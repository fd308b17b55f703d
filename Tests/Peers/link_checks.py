"""Tempo sessions: rustle link with LinkPython, aalink, Pure Data's abl_link~ and LinkHut"""

import os
import pathlib
import pty
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

from hosts import OUR_CABLE, PEERS, Child, Unmet, expect, until

# A local change holds for 1 s against what comes.
HOLD = 1.1
HERE = pathlib.Path(__file__).parent


def ours(lab, *arguments):
    return lab.rustle("link", "--interface", OUR_CABLE, "--rate", "100", *arguments)


def peer(lab, kind, bpm):
    return Child([sys.executable, str(HERE / "link_peer.py"), kind, str(bpm)], lab.folder)


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) // 1000


def asked(member, at=None):
    """What a peer has for a host time."""
    count = len(member.lines)
    member.say(f"at {now() if at is None else at}")
    return member.line("an answer", lambda _: True, after=count)


def last(member):
    lines = [line for line in member.lines[-3:] if isinstance(line, dict)]
    return lines[-1] if lines else {}


def meet(first, second, seconds=2.5):
    """Waits until each sees the other: `first` and `second` return what they have."""
    start = time.monotonic()
    until("one peer on each side", lambda: first().get("peers") == 1 and second().get("peers") == 1, seconds)
    return time.monotonic() - start


def near(expected):
    return lambda state: abs(state.get("bpm", 0) - expected) < 0.01


def phase_error(us, them):
    """The largest distance between the phases of both at the same host times, in microseconds."""
    worst = 0.0
    for line in [line for line in us.lines[-40:] if isinstance(line, dict)]:
        theirs = asked(them, line["host_us"])
        difference = (line["phase"] - theirs["phase"] + 2) % 4 - 2
        worst = max(worst, abs(difference) * 60e6 / line["bpm"])
    return worst


def joins(lab):
    """ours joins LinkPython: takes its tempo and phase; tempo, starts and stops go both ways; its end is seen"""
    with peer(lab, "linkpython", 120) as them:
        time.sleep(1.5)
        with ours(lab, "--bpm", "90", "--start-stop") as us:
            met = meet(lambda: last(us), lambda: asked(them))
            until("its tempo", lambda: near(120)(last(us)))
            expect(near(120)(asked(them)), f"a program that joins changes no tempo, got {asked(them)}")
            us.say("tempo 133")
            until("our tempo there", lambda: near(133)(asked(them)), 0.5)
            time.sleep(HOLD)
            them.say("tempo 98.5")
            until("its tempo here", lambda: near(98.5)(last(us)), 0.5)
            us.say("play 1")
            until("our start there", lambda: asked(them)["playing"], 1)
            time.sleep(HOLD)
            them.say("play 0")
            until("its stop here", lambda: last(us)["playing"] is False, 1)
            # The measurement of the session's time settles.
            time.sleep(3)
            worst = phase_error(us, them)
            expect(worst < 100, f"expected phases within 100 us, got {worst:.1f}")
            us.say("quit")
            expect(us.end(10) == 0, f"expected the status 0 of quit, got {us.process.returncode}")
            until("its end there", lambda: asked(them)["peers"] == 0, 1)
        return f"met in {met:.1f} s, phase within {worst:.1f} us"


def founds(lab):
    """LinkPython joins ours: takes our tempo and phase; a killed peer is gone within 8 s"""
    with ours(lab, "--bpm", "133.3") as us:
        us.line("the state", lambda line: line["event"] == "state")
        time.sleep(1.5)
        with peer(lab, "linkpython", 80) as them:
            met = meet(lambda: last(us), lambda: asked(them))
            until("our tempo", lambda: near(133.3)(asked(them)))
            time.sleep(3)
            worst = phase_error(us, them)
            expect(worst < 100, f"expected phases within 100 us, got {worst:.1f}")
            # Starts are not shared without --start-stop.
            them.say("play 1")
            time.sleep(1)
            expect(last(us)["playing"] is False, "expected no start without --start-stop")
            them.process.kill()
            start = time.monotonic()
            until("its end", lambda: last(us)["peers"] == 0, 9)
            gone = time.monotonic() - start
        expect(us.interrupt() == 130, f"expected the status 130 of an interrupt, got {us.process.returncode}")
        return f"met in {met:.1f} s, phase within {worst:.1f} us, gone after {gone:.1f} s"


def asyncio_peer(lab):
    """aalink: tempo goes both ways, and its end is seen"""
    with ours(lab, "--bpm", "101") as us:
        us.line("the state", lambda line: line["event"] == "state")
        with peer(lab, "aalink", 120) as them:
            meet(lambda: last(us), lambda: asked(them))
            until("one tempo", lambda: near(last(us)["bpm"])(asked(them)))
            us.say("tempo 77")
            until("our tempo there", lambda: near(77)(asked(them)), 0.5)
            time.sleep(HOLD)
            them.say("tempo 140")
            until("its tempo here", lambda: near(140)(last(us)), 0.5)
            them.say("quit")
            until("its end", lambda: last(us)["peers"] == 0, 2)


def watched(lab):
    """rustle link --monitor decodes every message of LinkPython and takes part in nothing"""
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


@contextmanager
def pure_data(lab, bpm):
    """Pure Data with the external abl_link~, which prints what its outlets say, and has a tempo of its own after 5 s."""
    outlets = range(5)
    lines = [
        "#N canvas 0 0 450 300 12;", "#X obj 10 200 abl_link~;", "#X msg 10 50 connect 1;", f"#X msg 100 50 tempo {bpm};",
        "#X obj 10 10 loadbang;", "#X msg 200 50 \\; pd dsp 1;", "#X obj 100 30 delay 5000;",
        *[f"#X obj {10 + 60 * each} 250 print o{each};" for each in outlets],
        "#X connect 3 0 1 0;", "#X connect 3 0 5 0;", "#X connect 5 0 2 0;", "#X connect 3 0 4 0;", "#X connect 1 0 0 0;",
        "#X connect 2 0 0 0;", *[f"#X connect 0 {each} {6 + each} 0;" for each in outlets]]
    path = pathlib.Path(lab.folder, "link.pd")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["pd", "-nogui", "-noaudio", "-stderr", "-lib", "abl_link~", "-path", "/usr/lib/pd/extra/abl_link~", str(path)]
    with Child(command, lab.folder) as child:
        yield child


def patch(lab):
    """Pure Data's abl_link~ joins ours: tempo goes both ways; its end is seen"""
    with ours(lab, "--bpm", "90") as us:
        us.line("the state", lambda line: line["event"] == "state")
        with pure_data(lab, 143) as them:
            until(lambda: f"a peer ({them.text()})", lambda: last(us)["peers"] == 1, 10)
            us.say("tempo 77")
            until("our tempo there", lambda: re.search(r": 77$", them.errors.read_text(errors="replace"), re.M), 3)
            until("its tempo here", lambda: near(143)(last(us)), 6)
            them.process.terminate()
            until("its end", lambda: last(us)["peers"] == 0, 9)


@contextmanager
def link_hut(lab):
    """LinkHut in a terminal of its own, over a JACK server without a sound card: yields its keys and what it shows."""
    with Child(["jackd", "--no-realtime", "-d", "dummy", "-r", "48000", "-p", "256"], lab.folder) as server:
        until(lambda: f"JACK ({server.text()})",
              lambda: subprocess.run(["jack_lsp"], capture_output=True, check=False).returncode == 0)
        controller, terminal = pty.openpty()
        with subprocess.Popen(["LinkHut"], stdin=terminal, stdout=terminal, stderr=terminal) as program:
            os.close(terminal)
            shown = bytearray()

            def read():
                try:
                    while part := os.read(controller, 4096):
                        shown.extend(part)
                except OSError:
                    # The terminal's other end has closed.
                    return

            threading.Thread(target=read, daemon=True).start()
            yield lambda key: os.write(controller, key.encode()), lambda: bytes(shown[-400:]).decode(errors="replace")
            program.kill()
        server.process.terminate()
        server.end()


def hut(lab):
    """LinkHut joins ours, shows our tempo, and its tempo is ours"""
    with ours(lab, "--bpm", "90") as us, link_hut(lab) as (press, shown):
        us.line("the state", lambda line: line["event"] == "state")
        press("a")
        until(lambda: f"a peer ({shown()})", lambda: last(us)["peers"] == 1, 10)
        us.say("tempo 77")
        until(lambda: f"our tempo there ({shown()})", lambda: re.search(r"\b77(\.0+)?\b", shown()), 3)
        press("e")
        until(lambda: f"its tempo here ({shown()})", lambda: near(78)(last(us)), 3)
        press("q")
        until("its end", lambda: last(us)["peers"] == 0, 9)


CHECKS = [joins, founds, asyncio_peer, watched, patch, hut]
