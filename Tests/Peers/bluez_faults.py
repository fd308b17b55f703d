"""Runs `rustle provision` against the fake bluetoothd: bluez_faults.py RUSTLE [SEEDS]

Every fault at every step, SEEDS combinations of faults (by default 40), and what else may lack or change. Each attempt has to end with
the right error and status, in its time, disconnected, and without the password in anything that it writes. The last line is
`N passed, N failed`.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile

import bluez_air
from bluez_attempts import CANARY, WRITTEN, Attempt, Bus, attempt, need, nodes, settings
from bluez_fake import FAULTS, Bluez, Node

# Attempts that run beside each other, each with a bus; they wait nearly all of the time.
BESIDE = 12
READ = ["read name", "read ssid", "read universe", "read start", "read firmware", "read flag"]
WRITE = ["write name", "write ssid", "write password", "write universe", "write start", "write command"]
STEPS = ["objects", "filter", "scan", "stop scan", "connect", "services", "pair", *READ, *WRITE, "subscribe", "apply",
         "unsubscribe", "disconnect"]
OF_SCAN = STEPS[:4]
ORDER = ["objects", "filter", "scan", "stop scan", "connect", *READ[:5], "subscribe", "read flag", *WRITE[:5], *READ[:4],
         "write command", "read flag", *READ[:4], "unsubscribe", "disconnect"]


def expected(step, fault):
    """The errors with which an attempt may end; None: it ends well."""
    if fault == "slow" or step in ("unsubscribe", "disconnect"):
        return {None}
    if fault == "lost":
        return {"noBluetooth"}
    if fault in ("off", "unplugged"):
        return {"adapterOff" if fault == "off" else "noAdapter", *([] if step in OF_SCAN else ["linkLost", "notEncrypted"])}
    if step == "stop scan":
        return {None}
    if fault == "silent":
        return {"attemptTimedOut"}
    if step == "objects":
        return {"noAdapter" if fault == "wrong" else "noBluetooth"}
    if step in ("filter", "scan"):
        return {None} if fault == "wrong" else {"failed"}
    if step == "connect":
        return {None} if fault in ("wrong", "refused once") else {"notConnected"}
    if step == "services":
        return {"notOurService" if fault == "wrong" else "notConnected"}
    if step == "pair":
        return {"notEncrypted", "linkLost"} if fault == "cut" else {"notEncrypted"}
    if step == "apply":
        return {"refused": {"valuesRefused"}, "wrong": {"networkRefused"}, "cut": {"linkLost"}}[fault]
    if fault == "cut":
        return {"linkLost"}
    if step == "subscribe" or (fault == "wrong" and step in ("read firmware", "write password")):
        return {None}
    if fault == "wrong":
        return {"networkRefused"} if step == "write command" else {"notVerified"} if step == "read flag" else {"readBackDiffers"}
    return {"failed"}


def is_possible(step, fault):
    """Whether a fault is of a step that has no call of its own."""
    if step == "services":
        return fault in ("silent", "slow", "wrong", "cut")
    return step != "apply" or fault in ("refused", "silent", "slow", "wrong", "cut", "lost")


async def fault_at_a_step(rustle, bus, step, fault):
    # What is never answered takes all of the time; the other attempts have enough of it on a busy machine.
    timeout = "4" if fault == "silent" and step not in ("stop scan", "unsubscribe", "disconnect") else "20"
    fake = Bluez(nodes(), {step: fault}, slow=0.3)
    _, error = await attempt(rustle, bus, fake, settings("--timeout", timeout, *(["--encrypt"] if step == "pair" else [])))
    need(error in expected(step, fault), f"expected {expected(step, fault)}, got {error}")


async def seeded(rustle, bus, seed):
    chance = random.Random(seed)
    faults = {chance.choice(STEPS): chance.choice(FAULTS) for _ in range(chance.randrange(1, 4))}
    fake = Bluez(nodes(), faults, delay=chance.choice((0, 0.002, 0.02)), slow=chance.choice((0.1, 0.5, 3.0)))
    words = settings("--timeout", "4", *(["--encrypt"] if chance.random() < 0.5 else []))
    try:
        await attempt(rustle, bus, fake, words)
    except AssertionError as unmet:
        raise AssertionError(f"{faults}: {unmet}") from None


# What else may lack or change.


async def strongest_is_provisioned_in_order(rustle, bus):
    fake = Bluez(nodes())
    run, error = await attempt(rustle, bus, fake, settings("--timeout", "20"))
    need(error is None and run.lines[-1]["node"] == "02:00:00:00:00:01", f"{error} {run.lines[-1]}")
    need(fake.calls == ORDER, f"the calls: {fake.calls}")
    need(run.lines[-1]["t_ms"] <= 3_000, f"the attempt took {run.lines[-1]['t_ms']} ms")
    need([line["state"] for line in run.lines] == ["SCANNING", "CONNECTING", "READING_CONFIG", "WRITING_CONFIG", "APPLYING",
                                                   "VERIFYING", "SUCCESS"], f"the states: {run.lines}")


async def named_node_among_many(rustle, bus):
    many = [Node(f"02:00:00:00:01:{number:02X}", f"ChromaDMX-{number:04}", -50 - number % 40) for number in range(200)]
    run, error = await attempt(rustle, bus, Bluez(many), settings("--timeout", "20", "--node", "ChromaDMX-0123"))
    need(error is None and run.lines[-1]["node"] == "02:00:00:00:01:7B", f"{error} {run.lines[-1]}")


async def node_without_notifications_and_with_capitals(rustle, bus):
    fake = Bluez([Node("02:00:00:00:00:01", "ChromaDMX-0001", -40, notifies=False)], is_upper=True)
    _, error = await attempt(rustle, bus, fake, settings("--timeout", "20"))
    need(error is None and fake.calls.count("read flag") >= 3, f"{error} {fake.calls}")


async def long_values(rustle, bus):
    fake = Bluez(nodes())
    words = ["set", "--name", "é" * 16, "--ssid", "s" * 32, "--universe", "32767", "--start", "512", "--open", "--timeout", "20"]
    await fake.start(bus.address)
    try:
        run = Attempt(rustle, bus.address, *words)
        await run.start()
        await run.end()
        need(run.status == 0, run.errors)
        need(fake.nodes[0].writes[:5] == [("name", "é".encode() * 16), ("ssid", b"s" * 32), ("password", b""),
                                         ("universe", b"\xff\x7f"), ("start", b"\x00\x02")], f"{fake.nodes[0].writes}")
    finally:
        await fake.stop()


async def nobody_is_there(rustle, bus):
    for timeout in ("3", "13"):
        _, error = await attempt(rustle, bus, Bluez([]), settings("--timeout", timeout))
        need(error == "notFound", f"expected notFound within {timeout} s, got {error}")


async def adapters(rustle, bus):
    for there, word, wanted in (
        ({}, [], "noAdapter"), ({"/org/bluez/hci0": False}, [], "adapterOff"),
        ({"/org/bluez/hci0": False, "/org/bluez/hci7": True}, [], None),
        ({"/org/bluez/hci0": True}, ["--adapter", "hci3"], "noAdapter"), ({"/org/bluez/hci3": True}, ["--adapter", "hci3"], None),
    ):
        run, error = await attempt(rustle, bus, Bluez(nodes(), adapters=dict(there)), settings("--timeout", "20", *word))
        need(error == wanted, f"{there} {word}: expected {wanted}, got {error}")
        need(wanted is None or run.lines[-1]["t_ms"] < 1_000, f"{there}: not at once: {run.lines[-1]}")
    for there, wanted, advice in (
        ({}, "there is no Bluetooth adapter", "Plug in a Bluetooth adapter"),
        ({"/org/bluez/hci0": False}, "the Bluetooth adapter is off", "Switch it on"),
    ):
        fake = Bluez(nodes(), adapters=there)
        await fake.start(bus.address)
        try:
            run = Attempt(rustle, bus.address, "list", "--duration", "5")
            await run.start()
            await run.end()
            need(run.status == 69 and f"error: {wanted}" in run.errors and advice in run.errors,
                 f"list with {there}: {run.status} {run.errors}")
        finally:
            await fake.stop()


async def buses(rustle, bus):
    for address in (bus.address, "unix:path=/nowhere/bus", "tcp:host=localhost,port=1"):
        run = Attempt(rustle, address, *settings("--timeout", "5"))
        await run.start()
        await run.end()
        need(run.status == 69, f"{address}: expected 69, got {run.status}: {run.errors}")


async def refused_values(rustle, bus):
    fake = Bluez(nodes())
    await fake.start(bus.address)
    try:
        run = Attempt(rustle, bus.address, "set", "--name", "é" * 17, "--ssid", "s" * 33, "--universe", "1", "--start", "510",
                      "--footprint", "4", "--password-file", "-")
        await run.start()
        await run.end()
        need(run.status == 64 and fake.calls == [], f"{run.status} {fake.calls}")
        for part in ("name: expected 1 to 32 bytes, got 34", "ssid: expected 1 to 32 bytes, got 33", "start: expected 4 slots"):
            need(part in run.errors, run.errors)
    finally:
        await fake.stop()


async def table_goes_on_after_a_failure(rustle, bus):
    fake = Bluez(nodes(), {"scan": "refused once"})
    await fake.start(bus.address)
    try:
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "nodes.csv")
            table.write_text("node,name,universe,start\nChromaDMX-0001,a,1,1\n02:00:00:00:00:02,b,1,20\n", encoding="utf-8")
            run = Attempt(rustle, bus.address, "set", "--table", str(table), "--ssid", "stage", "--password-file", "-")
            await run.start()
            await run.end()
        ends = [(line["row"], line["error"]) for line in run.lines if line["state"] in ("SUCCESS", "ERROR")]
        need(ends == [(0, "failed"), (1, None)] and run.status == 70, f"{ends} {run.status}")
        need(fake.nodes[1].values["name"] == b"b" and not fake.nodes[1].connected, f"{fake.nodes[1].values}")
    finally:
        await fake.stop()


async def signal_without_a_disconnection_says_so(rustle, bus):
    fake = Bluez(nodes(), {"write ssid": "silent", "disconnect": "silent"})
    await fake.start(bus.address)
    try:
        run = Attempt(rustle, bus.address, *settings("--timeout", "20"))
        run.words.remove("-v")
        del run.environment["RUSTLE_LOG"]
        await run.begin_writing(fake)
        run.process.send_signal(signal.SIGINT)
        errors = (await asyncio.wait_for(run.process.stderr.read(), 20)).decode()
        status = await run.process.wait()
        need(status == 130 and "the disconnection was not confirmed" in errors, f"{status} {errors}")
    finally:
        await fake.stop()


async def each_row_is_another_node(rustle, bus):
    """Also where nodes take each other's names, or one is listed twice."""
    first, second = "02:00:00:00:00:01", "02:00:00:00:00:02"
    for rows, wanted in (
        ([("ChromaDMX-0001", "ChromaDMX-0002"), ("ChromaDMX-0002", "ChromaDMX-0001")], [(first, None), (second, None)]),
        ([("ChromaDMX-0001", "a"), (first, "b")], [(first, None), (first, "ambiguous")]),
    ):
        fake = Bluez(nodes())
        await fake.start(bus.address)
        try:
            with tempfile.TemporaryDirectory() as folder:
                table = pathlib.Path(folder, "nodes.csv")
                table.write_text("node,name,universe,start\n" + "".join(f"{node},{name},1,1\n" for node, name in rows), encoding="utf-8")
                run = Attempt(rustle, bus.address, "set", "--table", str(table), "--ssid", "stage", "--open")
                await run.start()
                await run.end()
            ends = [(line["node"], line["error"]) for line in run.lines if line["state"] in ("SUCCESS", "ERROR")]
            need(ends == wanted and run.status == (66 if wanted[1][1] else 0), f"{ends} {run.status}")
            names = [value.decode() for node in fake.nodes for key, value in node.writes if key == "name"]
            need(names == [name for (_, name), (_, error) in zip(rows, wanted) if error is None], f"the names that were written: {names}")
        finally:
            await fake.stop()


async def table_has_the_status_of_its_failures(rustle, bus):
    """That of one node where all failed alike; and the status of refused values where a table has them."""
    values = "expected 1 to 512"
    for rows, there, status, text in (
        (["a,a,1,1", "b,b,1,20"], {"/org/bluez/hci0": False}, 69, "2 nodes failed"),
        (["a,a,1,1", "b,b,1,513"], {"/org/bluez/hci0": True}, 64, values),
        (["a,a,1,one", "b,b,1,513"], {"/org/bluez/hci0": True}, 65, values),
    ):
        fake = Bluez(nodes(), adapters=there)
        await fake.start(bus.address)
        try:
            with tempfile.TemporaryDirectory() as folder:
                table = pathlib.Path(folder, "nodes.csv")
                table.write_text("\n".join(["node,name,universe,start", *rows, ""]), encoding="utf-8")
                run = Attempt(rustle, bus.address, "set", "--table", str(table), "--ssid", "stage", "--open")
                await run.start()
                await run.end()
            need(run.status == status and text in run.errors, f"{rows}: expected {status}, got {run.status}: {run.errors}")
        finally:
            await fake.stop()


async def several_nodes_of_a_name(rustle, bus):
    twins = [Node(f"02:00:00:00:00:0{number}", "ChromaDMX", -30 - 10 * number) for number in (1, 2)]
    fake = Bluez(twins)
    run, error = await attempt(rustle, bus, fake, settings("--timeout", "20", "--node", "ChromaDMX"))
    need(error == "ambiguous" and "connect" not in fake.calls, f"{error} {fake.calls}")
    need("02:00:00:00:00:01, 02:00:00:00:00:02" in run.errors, run.errors)


async def nobody_is_named(rustle, bus):
    for words in (["reset", ""], ["reset", "--reboot", ""], ["read", ""]):
        fake = Bluez(nodes())
        await fake.start(bus.address)
        try:
            run = Attempt(rustle, bus.address, *words)
            await run.start()
            await run.end()
            need(run.status == 64 and fake.calls == [], f"{words}: {run.status} {fake.calls}")
        finally:
            await fake.stop()


async def signal_disconnects(rustle, bus):
    fake = Bluez(nodes(), {"write ssid": "silent"})
    await fake.start(bus.address)
    try:
        run = Attempt(rustle, bus.address, *settings("--timeout", "20"))
        await run.begin_writing(fake)
        run.process.send_signal(signal.SIGTERM)
        out = await run.process.stdout.read()
        need(await asyncio.wait_for(run.process.wait(), 10) == 143, f"status {run.process.returncode}")
        need(not fake.nodes[0].connected and fake.calls[-1] == "disconnect", f"{fake.calls[-3:]} {out}")
    finally:
        await fake.stop()


async def list_that_is_not_answered(rustle, bus):
    for step in OF_SCAN[:3]:
        fake = Bluez(nodes(), {step: "silent"})
        await fake.start(bus.address)
        try:
            run = Attempt(rustle, bus.address, "list", "--duration", "20")
            await run.start()
            await run.end()
            need(run.status == 70 and "expected an answer to the scan within 5 s, got none" in run.errors and run.took < 15,
                 f"{step}: {run.status} after {run.took:.1f} s: {run.errors}")
        finally:
            await fake.stop()


async def attempt_goes_on_without_a_reader(rustle, bus):
    for faults, status in (({}, 0), ({"write ssid": "refused"}, 70)):
        fake = Bluez(nodes(), faults, delay=0.02)
        await fake.start(bus.address)
        try:
            reader, writer = os.pipe()
            run = Attempt(rustle, bus.address, *settings("--timeout", "20"))
            await run.start(writer)
            os.close(writer)
            run.process.stdin.write(CANARY.encode() + b"\n")
            run.process.stdin.write_eof()
            while "scan" not in fake.calls:
                await asyncio.sleep(0.01)
            os.close(reader)
            need(await asyncio.wait_for(run.process.wait(), 30) == status, f"status {run.process.returncode}, not {status}")
            need(status or fake.nodes[0].writes == WRITTEN, f"the values on the air: {fake.nodes[0].writes}")
            need(not fake.nodes[0].connected, "the node is still connected")
        finally:
            await fake.stop()


async def list_goes_on_when_the_service_is_back(rustle, bus):
    first = Bluez(nodes())
    await first.start(bus.address)
    run = Attempt(rustle, bus.address, "list", "--duration", "60")
    await run.start()
    seen = []

    async def until_appeared(count):
        while len(seen) < count:
            line = json.loads(await asyncio.wait_for(run.process.stdout.readline(), 30))
            if line["change"] == "appeared":
                seen.append(line["name"])

    await until_appeared(2)
    await first.stop()
    second = Bluez([Node("02:00:00:00:00:03", "ChromaDMX-0003", -50)])
    await second.start(bus.address)
    try:
        await until_appeared(3)
        run.process.send_signal(signal.SIGINT)
        await run.end()
        need(seen == ["ChromaDMX-0001", "ChromaDMX-0002", "ChromaDMX-0003"], f"{seen}: {run.errors}")
        need(run.status == 130, f"{run.status}: {run.errors}")
    finally:
        await second.stop()


async def reading_and_commands(rustle, bus):
    for words, writes, calls in (
        (["read", "ChromaDMX-0001"], [], [*READ[:5], "read flag"]),
        (["reset", "ChromaDMX-0001"], [("command", b"\3")], ["write command"]),
        (["reset", "ChromaDMX-0001", "--reboot"], [("command", b"\2")], ["write command"]),
    ):
        fake = Bluez(nodes())
        await fake.start(bus.address)
        try:
            run = Attempt(rustle, bus.address, *words)
            await run.start()
            await run.end()
            need(run.status == 0 and fake.nodes[0].writes == writes, f"{words}: {run.status} {fake.nodes[0].writes} {run.errors}")
            need([call for call in fake.calls if call.split()[0] in ("read", "write")] == calls, f"{words}: {fake.calls}")
            need(not fake.nodes[0].connected, f"{words}: still connected")
        finally:
            await fake.stop()


OTHERS = [
    strongest_is_provisioned_in_order, named_node_among_many, node_without_notifications_and_with_capitals, long_values,
    nobody_is_there, adapters, buses, refused_values, table_goes_on_after_a_failure, signal_disconnects,
    signal_without_a_disconnection_says_so, each_row_is_another_node, several_nodes_of_a_name, table_has_the_status_of_its_failures,
    nobody_is_named, list_that_is_not_answered, attempt_goes_on_without_a_reader,
    list_goes_on_when_the_service_is_back, reading_and_commands,
]


def cases(seeds):
    """The longest first."""
    for check in [*OTHERS, *bluez_air.CHECKS]:
        yield check.__name__.replace("_", " "), check, ()
    possible = [(step, fault) for fault in FAULTS for step in STEPS if is_possible(step, fault)]
    for step, fault in sorted(possible, key=lambda one: one[1] != "silent"):
        yield f"{fault} at {step}", fault_at_a_step, (step, fault)
    for seed in range(seeds):
        yield f"seed {seed}", seeded, (seed,)


async def work(rustle, folder, waiting, results):
    pathlib.Path(folder).mkdir()
    async with Bus(folder) as bus:
        while waiting:
            name, check, arguments = waiting.pop(0)
            try:
                await check(rustle, bus, *arguments)
                results.append(True)
            except Exception as fault:  # noqa: BLE001 each is a failed check
                results.append(False)
                print(f"FAILED  {name}: {type(fault).__name__} {fault}", flush=True)


async def main():
    rustle, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
    waiting, results = list(cases(seeds)), []
    with tempfile.TemporaryDirectory() as folder:
        workers = [work(rustle, f"{folder}/{number}", waiting, results) for number in range(BESIDE)]
        await asyncio.gather(*workers)
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    if not shutil.which("dbus-daemon"):
        sys.exit("expected dbus-daemon, got none: install the package dbus")
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(main()))
