"""Attempts of `rustle provision`, each with a fake bluetoothd on a bus of its own."""

import asyncio
import json
import os
import pathlib
import time

from bluez_fake import Node

CANARY = "canary-7f3a91"
WRITTEN = [("name", b"left 1"), ("ssid", b"stage"), ("password", CANARY.encode()), ("universe", b"\x02\x01"),
           ("start", b"\x91\x01"), ("command", b"\x01")]
STATUSES = {None: 0, "noBluetooth": 69, "noAdapter": 69, "adapterOff": 69, "notFound": 66, "ambiguous": 66}


def need(condition, text):
    if not condition:
        raise AssertionError(text)


class Bus:
    """A private bus, for one attempt at a time."""

    def __init__(self, folder):
        self.address = f"unix:path={folder}/bus"
        self.socket = pathlib.Path(folder, "bus")

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            "dbus-daemon", "--session", f"--address={self.address}", "--nofork", "--nopidfile", "--nosyslog",
            # It cannot raise its limit of descriptors everywhere, and says so.
            stderr=asyncio.subprocess.DEVNULL)
        while not self.socket.exists():
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_):
        self.process.terminate()
        await self.process.wait()


class Attempt:
    """A run of the command, with what it wrote."""

    password = CANARY

    def __init__(self, rustle, address, *words):
        self.words = [rustle, "provision", *words, "--json", "-v"]
        self.environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address, "RUSTLE_LOG": "trace"}

    async def start(self, out=asyncio.subprocess.PIPE):
        self.began = time.monotonic()
        self.process = await asyncio.create_subprocess_exec(
            *self.words, stdin=asyncio.subprocess.PIPE, stdout=out, stderr=asyncio.subprocess.PIPE, env=self.environment)

    async def begin_writing(self, fake):
        """Starts the command, and returns when it writes the network's name."""
        await self.start()
        self.process.stdin.write(self.password.encode() + b"\n")
        self.process.stdin.write_eof()
        while "write ssid" not in fake.calls:
            await asyncio.sleep(0.01)

    async def end(self):
        out, self.errors = await asyncio.wait_for(self.process.communicate(self.password.encode() + b"\n"), 60)
        self.took = time.monotonic() - self.began
        self.status = self.process.returncode
        need(CANARY.encode() not in out + self.errors, "the password is in the output")
        self.lines = [json.loads(line) for line in out.splitlines()]
        self.errors = self.errors.decode()
        return self


def settings(*words):
    return ["set", "--name", "left 1", "--ssid", "stage", "--universe", "258", "--start", "401", "--password-file", "-", *words]


def nodes():
    return [Node("02:00:00:00:00:01", "ChromaDMX-0001", -40), Node("02:00:00:00:00:02", "ChromaDMX-0002", -60)]


async def attempt(rustle, bus, fake, words):
    """Runs an attempt with a fake, and checks what holds for every one. Returns it and its error."""
    await fake.start(bus.address)
    try:
        run = Attempt(rustle, bus.address, *words)
        await run.start()
        await run.end()
        limit = float(words[words.index("--timeout") + 1])
        need(run.lines, f"no line of output: {run.errors}")
        last = run.lines[-1]
        need(last["state"] in ("SUCCESS", "ERROR"), f"the last state: expected SUCCESS or ERROR, got {last['state']}")
        error = last["error"]
        status = STATUSES.get(error, 70)
        need(run.status == status, f"status: expected {status} for {error}, got {run.status}: {run.errors}")
        need(last["t_ms"] <= 1_000 * (limit + 5) + 500, f"the attempt took {last['t_ms']} ms of {limit:g} s and 5 s")
        if "disconnect" not in fake.faults:
            need(not any(node.connected for node in fake.nodes), f"the node is still connected after {error}")
        for node in fake.nodes:
            commands = [value for key, value in node.writes if key == "command"]
            need(len(commands) <= 1, f"{len(commands)} commands")
            if error is None and last["node"] == node.address:
                need(node.writes == WRITTEN, f"the values on the air: {node.writes}")
                need(all(node.values[key] == value for key, value in WRITTEN[:2]), f"the node holds {node.values}")
                need(node.values["flag"] == b"\1", f"the flag is {node.values['flag']}")
        return run, error
    finally:
        await fake.stop()
