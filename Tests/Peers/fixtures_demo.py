"""Brings lamps in, from a node without a network to a show that knows where they are: fixtures_demo.py RUSTLE FOLDER

A fake bluetoothd has the node, a simulated camera sees the lamps that are on it, and at the end this program is the node: it
receives what the show sends. Each step is checked; what the commands write stays in FOLDER.
"""

import asyncio
import cmath
import json
import math
import os
import pathlib
import socket
import struct
import sys
import time

from bluez_fake import Bluez, Node
from bluez_attempts import Bus, need

PASSWORD = b"curtain-call\n"
NODE = "ChromaDMX-0001"
LAMPS = 24
SIZE = (320, 240)
# The wall that the camera sees, in metres, and the show: a spot that runs over it from left to right.
WALL = (8, 6)
CYCLE = 4.0
SHOW = {"v": 1, "scenes": [{"name": "sweep", "layers": [
    {"effect": "chase", "palette": ["#ffffff"], "rate": {"hertz": 1 / CYCLE}, "direction": "right", "parameters": {"width": 0.1}}]}],
    "cues": [{"scene": "sweep"}]}
# How far from its place a lamp may be mapped, in metres, and how far from it the spot may be when it lights the lamp.
MAPPED = 0.02
SWEPT = 0.15


class Commands:
    """The commands, as they are typed in a folder."""

    def __init__(self, rustle, folder, bus):
        self.rustle, self.folder = rustle, folder
        self.environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus}

    async def start(self, *words, **streams):
        return await asyncio.create_subprocess_exec(self.rustle, *words, cwd=self.folder, env=self.environment, **streams)

    async def run(self, *words, given=b""):
        print(f"$ rustle {' '.join(words)}", flush=True)
        process = await self.start(*words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate(given)
        need(process.returncode == 0, f"rustle {words[0]} {words[1]}: expected status 0, got {process.returncode}")
        return output.decode()

    def read(self, name):
        return json.loads(pathlib.Path(self.folder, name).read_text(encoding="utf-8"))

    def write(self, name, value):
        pathlib.Path(self.folder, name).write_text(json.dumps(value), encoding="utf-8")


async def provisioned(commands, node):
    """Gives the node its values by radio; its universe and start address, as it holds them."""
    listed = await commands.run("provision", "list", "--duration", "1", "--json")
    flags = [line["flag"] for line in map(json.loads, listed.splitlines())]
    need(flags and flags[0] == "unprovisioned", f"the node's flag: expected unprovisioned, got {flags}")
    print((await commands.run(
        "provision", "set", "--node", NODE, "--name", "wall", "--ssid", "stage", "--password-file", "-", "--universe", "3",
        "--start", "101", given=PASSWORD)).strip().splitlines()[-1])
    need(node.values["flag"] == b"\1" and not node.connected, f"the node holds {node.values}")
    return [int.from_bytes(node.values[key], "little") for key in ("universe", "start")]


async def mapped(commands, universe, start):
    """Finds the lamps of the node with a camera, and places them on the wall; where they are in truth, by their ids."""
    commands.write("rig.json", {"v": 1, "fixtures": [
        {"id": lamp + 1, "profile": "rgb-par", "protocol": "artnet", "universe": universe, "address": start + 3 * lamp}
        for lamp in range(LAMPS)]})
    camera = ["map", "simulate", "--rig", "rig.json", "--protocol", "artnet", "--universes", str(universe), "--interface", "lo",
              "--size", "x".join(map(str, SIZE)), "--truth", "truth.json"]
    mapper = ["map", "run", "--rig", "rig.json", "--frames", "-", "--output", "artnet:127.0.0.1", "-o", "found.json"]
    print(f"$ rustle {' '.join(camera)} |\n    rustle {' '.join(mapper)}", flush=True)
    seen, filmed = os.pipe()
    filming = await commands.start(*camera, stdout=filmed)
    mapping = await commands.start(*mapper, stdin=seen)
    os.close(seen)
    os.close(filmed)
    try:
        need(await mapping.wait() == 0, f"rustle map run: expected status 0, got {mapping.returncode}")
    finally:
        if filming.returncode is None:
            # It ends with its reader; a mapping that failed leaves it alone.
            filming.terminate()
        await filming.wait()
    verdict = json.loads(await commands.run("map", "judge", "truth.json", "found.json"))
    need((verdict["found"], verdict["wrong"]) == (LAMPS, 0), f"expected {LAMPS} lamps, got {verdict}")
    [right, bottom] = [side - 1 for side in SIZE]
    corners = [([0, bottom], [0, 0]), ([right, bottom], [WALL[0], 0]), ([right, 0], WALL), ([0, 0], [0, WALL[1]])]
    commands.write("points.json", {"v": 1, "points": [{"pixel": pixel, "plan": plan} for pixel, plan in corners]})
    await commands.run("map", "plan", "found.json", "points.json", "--rig", "rig.json", "--upright", "-o", "placed.json")
    truth = {lamp["id"]: (lamp["x"] / right * WALL[0], (1 - lamp["y"] / bottom) * WALL[1])
             for lamp in commands.read("truth.json")["fixtures"]}
    for lamp, fixture in enumerate(commands.read("placed.json")["fixtures"]):
        x, _, z = fixture["position"]
        off = math.hypot(x - truth[lamp][0], z - truth[lamp][1])
        need(off <= MAPPED, f"lamp {lamp}: expected it within {MAPPED} m of {truth[lamp]}, got {x}, {z}")
    return truth


async def swept(commands, universe, start, truth):
    """Plays the show; the slots that arrive light each lamp when the spot is where the lamp is in truth."""
    commands.write("show.json", SHOW)
    await commands.run("venue", "show.json", "--rig", "placed.json", "--png", "venue.png", "--labels")
    packets = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as node:
        node.bind(("127.0.0.1", 0x1936))
        node.setblocking(False)

        async def receive():
            while True:
                packet = await asyncio.get_running_loop().sock_recv(node, 2_048)
                if packet[:10] == b"Art-Net\0\0\x50" and struct.unpack_from("<H", packet, 14)[0] == universe:
                    packets.append((time.monotonic(), packet[18:]))

        receiving = asyncio.create_task(receive())
        await commands.run("light", "run", "show.json", "--rig", "placed.json", "--output", "artnet:127.0.0.1", "--duration",
                           str(CYCLE + 2))
        receiving.cancel()
    # A whole cycle after the first half of a second.
    begin = packets[0][0] + 0.5 if packets else 0
    packets = [(at, slots) for at, slots in packets if begin <= at < begin + CYCLE]
    need(len(packets) > 20 * CYCLE, f"expected packets for {CYCLE:g} s, got {len(packets)}")
    left, right = min(x for x, _ in truth.values()), max(x for x, _ in truth.values())
    late = {}
    for lamp, (x, _) in truth.items():
        slot = start - 1 + 3 * lamp
        turns = sum(slots[slot] * cmath.exp(2j * math.pi * (at - begin) / CYCLE) for at, slots in packets)
        need(abs(turns) > 0, f"lamp {lamp} was never lit")
        late[lamp] = turns / abs(turns) * cmath.exp(-2j * math.pi * (x - left) / (right - left))
    # When the spot was at the left; all lamps agree about that.
    middle = sum(late.values())
    for lamp, turn in late.items():
        off = cmath.phase(turn / middle) / (2 * math.pi) * (right - left)
        need(abs(off) <= SWEPT, f"lamp {lamp} is lit when the spot is {off:.2f} m off")
    print(f"{len(late)} lamps in {len(packets)} packets are lit where they are")


async def main():
    rustle, folder = sys.argv[1:]
    node = Node("02:00:00:00:00:01", NODE, -50)
    fake = Bluez([node])
    async with Bus(folder) as bus:
        await fake.start(bus.address)
        commands = Commands(rustle, folder, bus.address)
        try:
            universe, start = await provisioned(commands, node)
        finally:
            await fake.stop()
        truth = await mapped(commands, universe, start)
        await swept(commands, universe, start, truth)


if __name__ == "__main__":
    asyncio.run(main())
