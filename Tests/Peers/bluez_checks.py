"""BlueZ: bluetoothctl and bleak scan, connect, read and write through our fake bluetoothd, and we find what they wrote."""

import asyncio
import os
import pathlib
import subprocess

from bluez_fake import BASE, Bluez, Node
from hosts import expect, expect_equal

APART = True
ADDRESS = "02:00:00:00:00:01"


def with_fake(lab, check):
    """Runs `check(address, fake)` with the fake on a private bus; returns what it returns."""
    folder = pathlib.Path(lab.folder, "bus")
    folder.mkdir()
    address = f"unix:path={folder}/socket"

    async def run():
        bus = await asyncio.create_subprocess_exec(
            "dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile", "--nosyslog")
        try:
            while not pathlib.Path(folder, "socket").exists():
                await asyncio.sleep(0.01)
            nodes = [Node(ADDRESS, "ChromaDMX-0001", -40), Node("02:00:00:00:00:02", "ChromaDMX-0002", -60)]
            fake = Bluez(nodes, is_late=False)
            await fake.start(address)
            try:
                return await asyncio.wait_for(check(address, fake), 60)
            finally:
                await fake.stop()
        finally:
            bus.terminate()
            await bus.wait()

    return asyncio.run(run())


async def rustle(lab, address, *words):
    """What our command prints with this bus."""
    process = await asyncio.create_subprocess_exec(
        lab.command, "provision", *words, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address})
    out, errors = await process.communicate()
    expect(process.returncode == 0, f"{words}: status {process.returncode}: {errors.decode()}")
    return out.decode()


def bluetoothctl(lab):
    """bluetoothctl scans, connects, reads and writes; we read what it wrote"""
    async def check(address, fake):
        process = await asyncio.create_subprocess_exec(
            "bluetoothctl", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address})
        start = f"/org/bluez/hci0/dev_{ADDRESS.replace(':', '_')}/service0010/char0019"
        for words, seconds in (
            ("show", 1), ("scan le", 2), (f"connect {ADDRESS}", 2), ("menu gatt", 0.5), (f"select-attribute {start}", 0.5),
            ("read", 1), ('write "0x91 0x01"', 1), ("back", 0.5), (f"disconnect {ADDRESS}", 1), ("scan off", 0.5), ("quit", 0),
        ):
            process.stdin.write(f"{words}\n".encode())
            await process.stdin.drain()
            await asyncio.sleep(seconds)
        out = (await process.communicate())[0].decode(errors="replace")
        expect("Connection successful" in out, f"bluetoothctl did not connect: {out[-600:]}")
        expect("ServicesResolved: yes" in out, f"no services in bluetoothctl: {out[-600:]}")
        expect("01 00" in out, f"bluetoothctl did not read: {out[-600:]}")
        expect_equal("what bluetoothctl wrote", [("start", b"\x91\x01")], fake.nodes[0].writes)
        read = await rustle(lab, address, "read", ADDRESS)
        expect('"start":401' in read, f"what we read: {read}")
    with_fake(lab, check)


def bleak(lab):
    """bleak scans, connects, is notified, reads and writes; we read what it wrote, and it reads what we wrote"""
    async def check(address, fake):
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = address
        from bleak import BleakClient, BleakScanner
        found = await BleakScanner.find_device_by_name("ChromaDMX-0001", timeout=10)
        expect(found is not None and found.address == ADDRESS, f"bleak found {found}")
        flags = []
        async with BleakClient(found) as client:
            await client.start_notify(BASE + "15", lambda _, value: flags.append(bytes(value)))
            expect_equal("the firmware", b"1.4.2", bytes(await client.read_gatt_char(BASE + "16")))
            await client.write_gatt_char(BASE + "10", b"by bleak", response=True)
            await client.write_gatt_char(BASE + "20", b"\1", response=True)
            while flags[-1:] != [b"\1"]:
                await asyncio.sleep(0.01)
        expect_equal("the flags", [b"\2", b"\3", b"\4", b"\1"], flags)
        read = await rustle(lab, address, "read", ADDRESS)
        expect('"name":"by bleak"' in read, f"what we read: {read}")
        values = ["--name", "by us", "--ssid", "s", "--universe", "7", "--start", "9", "--open"]
        await rustle(lab, address, "set", "--node", ADDRESS, *values)
        found = await BleakScanner.find_device_by_address(ADDRESS, timeout=10)
        async with BleakClient(found) as client:
            expect_equal("the name", b"by us", bytes(await client.read_gatt_char(BASE + "10")))
            expect_equal("the universe", b"\7\0", bytes(await client.read_gatt_char(BASE + "13")))
    with_fake(lab, check)


CHECKS = [bluetoothctl, bleak]
