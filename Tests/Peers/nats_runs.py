"""Runs of the command that publish and read prices over NATS, and what they count."""

import contextlib
import json
import signal
import subprocess
import threading
import time
import urllib.request

from nats_servers import until


class Command:
    """A run of the command, which writes its lines to a file."""

    # Those of the check that runs.
    every = []

    def __init__(self, rustle, folder, name, *arguments, stdin=subprocess.DEVNULL):
        self.output, self.errors = folder / f"{name}.ndjson", folder / f"{name}.log"
        with open(self.output, "wb") as output, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen([rustle, "ticker", *arguments, "--json"], stdin=stdin, stdout=output, stderr=errors)
        self.every.append(self)

    @classmethod
    def end_every(cls):
        """Kills those that a check has left."""
        left = cls.every.copy()
        cls.every.clear()
        for command in left:
            command.end(signal.SIGKILL)

    def lines(self):
        """The updates that were written; a line that is not complete does not count."""
        lines = self.output.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def said(self, text):
        return text in self.errors.read_text()

    def is_connected(self):
        return self.said("connected to ")

    def end(self, number=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=120)

    def metrics(self):
        """The address of its counts, which `--metrics` has asked for."""
        until(lambda: self.said("metrics at "), "an endpoint")
        return self.errors.read_text().split("metrics at ")[1].split()[0]


def measure(url, name):
    """A count of a publication of the moment."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        lines = answer.read().decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"rustle_publication_{name} "))


class Acknowledgements:
    """When the count of acknowledged updates of a publisher changed, as seen every few milliseconds while it lasts."""

    def __init__(self, url):
        self.url, self.changes, self.is_over = url, [(time.monotonic(), measure(url, "acknowledged_total"))], False
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        while not self.is_over:
            value = measure(self.url, "acknowledged_total")
            if value != self.changes[-1][1]:
                self.changes.append((time.monotonic(), value))
            time.sleep(0.005)

    def end(self):
        self.is_over = True
        self.thread.join()

    def resumed(self, since):
        """When the longest time without an acknowledgement ended."""
        times = [at for at, _ in self.changes]
        return max(((after - before, after) for before, after in zip(times, times[1:]) if after > since), default=(0, since))[1]


class Source:
    """Publishers of the same updates, which this process writes one after the other."""

    def __init__(self, rustle, folder, url, symbols, publishers=1, options=("--durable", "1h")):
        self.commands = [Command(rustle, folder, f"publisher{n}", "--replay", "-", "--input", "ndjson", "--speed", "max", "--publish",
                                 url, *options, stdin=subprocess.PIPE) for n in range(publishers)]
        self.command = self.commands[-1]
        self.symbols, self.count, self.is_over = symbols, 0, False
        self.thread = threading.Thread(target=self.write, daemon=True)
        self.thread.start()

    def write(self):
        while not self.is_over and self.command in Command.every:
            number, symbol = divmod(self.count, self.symbols)
            line = b'{"symbol":"S%d","price":%d.5,"t_ms":%d,"seq":%d}\n' % (symbol, number % 977, self.count, number)
            for command in self.commands:
                self.pass_on(line, command)
            self.count += 1
            time.sleep(0.005)
        with contextlib.suppress(BrokenPipeError):
            self.command.process.stdin.close()

    def pass_on(self, line, command):
        try:
            command.process.stdin.write(line)
            command.process.stdin.flush()
        except BrokenPipeError:
            # The last one is not killed before the check has ended.
            assert command is not self.command or command not in Command.every

    def passes(self, more):
        """Waits until this many more are written."""
        wanted = self.count + more
        until(lambda: self.count >= wanted, f"{more} more updates")

    def end(self):
        """Waits until each is acknowledged, and returns how many there were."""
        status, text = self.ended()
        assert status == 0 and f"{self.count} updates published at p" in text, text
        return self.count

    def ended(self):
        """Ends its input, and returns the status and the notes of the command."""
        self.is_over = True
        self.thread.join()
        return self.command.process.wait(timeout=300), self.command.errors.read_text()


class Delays:
    """How long the machine holds up a thread that wants to run, in seconds, at most, within `with`: what is measured meanwhile has that too."""

    STEP = 0.01

    def __enter__(self):
        self.longest, self.is_over = 0.0, False
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()
        return self

    def look(self):
        before = time.monotonic()
        while not self.is_over:
            time.sleep(self.STEP)
            now = time.monotonic()
            self.longest, before = max(self.longest, now - before - self.STEP), now

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()

    def judge(self, what, seconds, goal):
        """Prints a time, and expects the goal, of a machine that is not held up."""
        text = f"{what} after {seconds:.1f} s, of {goal} s; the machine held up {self.longest:.2f} s"
        print(f"  {text}")
        assert seconds <= goal + self.longest, f"expected {text}"
