"""Tempo programs: rustle link with aalink, Pure Data's abl_link~ and LinkHut, as joiner and as founder"""

import functools
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import threading
import time
from contextlib import contextmanager

from hosts import Child, until
from link_session import CHANGE, HOLD, LEAVING, asked, begun, last, near, ours, peer, see, share

PATCH_PORT = 3000


class Asyncio:
    """aalink."""

    name = "aalink"

    def __init__(self, member):
        self.member = member

    @classmethod
    @contextmanager
    def start(cls, lab):
        with peer(lab, "aalink", 120) as member:
            yield cls(begun(member))

    def shows(self, bpm):
        return near(bpm)(asked(self.member))

    def change(self, _):
        self.member.say("tempo 140")
        return 140

    def leave(self):
        self.member.say("quit")

    def text(self):
        return self.member.text()


class Patch:
    """Pure Data with the external abl_link~, which prints the tempo of its fourth outlet, and does what comes on a port."""

    name = "Pure Data's abl_link~"

    def __init__(self, child):
        self.child = child

    @classmethod
    @contextmanager
    def start(cls, lab):
        lines = [
            "#N canvas 0 0 450 300 12;", "#X obj 10 200 abl_link~;", "#X msg 10 50 connect 1;", "#X obj 10 10 loadbang;",
            "#X msg 200 50 \\; pd dsp 1;", f"#X obj 100 50 netreceive -u {PATCH_PORT};", "#X obj 10 250 print tempo;",
            "#X connect 2 0 1 0;", "#X connect 2 0 3 0;", "#X connect 1 0 0 0;", "#X connect 4 0 0 0;", "#X connect 0 3 5 0;"]
        path = pathlib.Path(lab.folder, "link.pd")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = ["pd", "-nogui", "-noaudio", "-stderr", "-lib", "abl_link~", "-path", "/usr/lib/pd/extra/abl_link~", str(path)]
        with Child(command, lab.folder) as child:
            until(lambda: f"the patch ({child.text()})", lambda: re.search("^tempo: ", child.text(), re.M))
            yield cls(child)

    def say(self, message):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(f"{message};\n".encode(), ("127.0.0.1", PATCH_PORT))

    def shows(self, bpm):
        return re.search(rf"^tempo: {bpm}$", self.child.text(), re.M)

    def change(self, _):
        self.say("tempo 143")
        return 143

    def leave(self):
        self.say("connect 0")

    def text(self):
        return self.child.text()


class Hut:
    """LinkHut in a terminal of its own, over a JACK server without a sound card."""

    name = "LinkHut"

    def __init__(self, terminal):
        self.terminal = terminal
        self.shown = bytearray()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while part := os.read(self.terminal, 4096):
                self.shown.extend(part)
        except OSError:
            # The terminal's other end has closed.
            return

    @classmethod
    @contextmanager
    def start(cls, lab):
        with Child(["jackd", "--no-realtime", "-d", "dummy", "-r", "48000", "-p", "256"], lab.folder) as server:
            until(lambda: f"JACK ({server.text()})",
                  lambda: subprocess.run(["jack_lsp"], capture_output=True, check=False).returncode == 0)
            controller, terminal = pty.openpty()
            with subprocess.Popen(["LinkHut"], stdin=terminal, stdout=terminal, stderr=terminal) as program:
                os.close(terminal)
                hut = cls(controller)
                hut.press("a")
                yield hut
                program.kill()
            server.interrupt(signal.SIGTERM)

    def press(self, key):
        os.write(self.terminal, key.encode())

    def shows(self, bpm):
        return re.search(rf"\b{bpm}(\.0+)?\b", self.text())

    def change(self, bpm):
        self.press("e")
        return bpm + 1

    def leave(self):
        self.press("a")

    def text(self):
        return bytes(self.shown[-400:]).decode(errors="replace")


def goes_both_ways(lab, program, founds):
    """The tempo is the founder's, then each one's in turn; its end is seen."""
    def start_ours():
        return ours(lab, "--bpm", "90")

    with (program.start if founds else lambda _: start_ours())(lab) as first:
        if not founds:
            begun(first)
        time.sleep(1)
        with start_ours() if founds else program.start(lab) as second:
            them, us = (first, begun(second)) if founds else (second, first)
            see(1, us, seconds=3)
            tempo = 120 if founds else 90
            share(tempo, us)
            until(lambda: f"{tempo} BPM there ({them.text()})", lambda: them.shows(tempo), 1)
            # abl_link~ holds what it had when it joined.
            time.sleep(HOLD)
            us.say("tempo 77")
            until(lambda: f"our tempo there ({them.text()})", lambda: them.shows(77), CHANGE)
            time.sleep(HOLD)
            share(them.change(77), us)
            them.leave()
            gone = see(0, us, seconds=LEAVING)
    return f"gone after {gone * 1000:.0f} ms"


CHECKS = []
for one in (Asyncio, Patch, Hut):
    for is_founder, role in ((False, "ours founded"), (True, "ours joined")):
        check = functools.partial(goes_both_ways, program=one, founds=is_founder)
        check.__name__ = f"{one.__name__}_{'founds' if is_founder else 'joins'}"
        check.__doc__ = f"T1 and T2, {one.name}: it joins in the founder's tempo, tempo goes both ways, its end is seen; {role}"
        CHECKS.append(check)
