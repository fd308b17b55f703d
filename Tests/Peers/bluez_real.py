"""Runs `rustle provision` against a real bluetoothd, inside the machine of scripts/bluez-test: bluez_real.py RUSTLE

The kernel's two virtual controllers hear each other: hci0 is the command's, and on hci1 bluetoothd serves a node that this program
exports. The password is longer than a packet: the link carries parts of it. The last line is `N passed, N failed`.
"""

import asyncio
import itertools
import pathlib
import sys

from bluez_fake import ADAPTER, BASE, CHARACTERISTICS, DEVICE, GATT_CHARACTERISTIC, GATT_SERVICE, MANAGER, PROPERTIES, SERVICE, Node
from bluez_attempts import CANARY, Attempt, need
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

BUS = "unix:path=/run/dbus/system_bus_socket"
HERS, OURS = "/org/bluez/hci1", "/org/bluez/hci0"
APPLICATION, ADVERTISEMENT = "/node", "/node/advertisement"
ADVERTISING = "org.bluez.LEAdvertisement1"
PATHS = {f"{APPLICATION}/service/{key}": key for key in CHARACTERISTICS}
PASSWORD = CANARY * 4
# An emulated machine is slow: the limits of an attempt are not what is judged here.
PATIENCE = 50


class RealNode(Node):
    """A node behind bluetoothd: its values, what was written, and the flags that it went through."""

    def __init__(self, bus):
        super().__init__("", "ChromaDMX-0001", 0)
        self.bus, self.answers, self.flags = bus, [3, 4, 1], []
        self.tasks = set()

    def objects(self):
        service = f"{APPLICATION}/service"
        objects = {service: {GATT_SERVICE: {"UUID": Variant("s", SERVICE), "Primary": Variant("b", True)}}}
        for path, key in PATHS.items():
            last, flags, _ = CHARACTERISTICS[key]
            objects[path] = {GATT_CHARACTERISTIC: {
                "UUID": Variant("s", BASE + last), "Service": Variant("o", service), "Flags": Variant("as", flags)}}
        return objects

    def advertised(self):
        return {"Type": Variant("s", "peripheral"), "ServiceUUIDs": Variant("as", [SERVICE]), "LocalName": Variant("s", "ChromaDMX-0001"),
                "ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", bytes([self.values["flag"][0], 1, 4]))})}

    def handle(self, message):
        """Answers what bluetoothd asks of the node."""
        if message.message_type != MessageType.METHOD_CALL or not message.path.startswith(APPLICATION):
            return None
        if message.interface == MANAGER:
            return Message.new_method_return(message, "a{oa{sa{sv}}}", [self.objects()])
        if message.interface == PROPERTIES and message.path == ADVERTISEMENT:
            return Message.new_method_return(message, "a{sv}", [self.advertised()])
        if message.interface == PROPERTIES:
            return Message.new_method_return(message, "a{sv}", [self.objects()[message.path][message.body[0]]])
        if message.member == "ReadValue":
            begin = message.body[0].get("offset", Variant("q", 0)).value
            return Message.new_method_return(message, "ay", [self.values[PATHS[message.path]][begin:]])
        if message.member == "WriteValue":
            self.write(PATHS[message.path], bytes(message.body[0]), message.body[1])
        elif message.member == "StartNotify":
            self.notifying = True
        elif message.member == "StopNotify":
            self.notifying = False
        return Message.new_method_return(message)

    def write(self, key, value, options):
        # Before a long write bluetoothd asks whether it may be.
        if "prepare-authorize" in options:
            return
        need(options.get("offset", Variant("q", 0)).value == 0, f"a write of a part of {key}: {options}")
        self.writes.append((key, value))
        if key != "command":
            self.values[key] = value
            return self.notify(2)
        task = asyncio.get_running_loop().create_task(self.obey(value))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def obey(self, command):
        if command == b"\3":
            self.values.update({key: value for key, (_, _, value) in CHARACTERISTICS.items()})
        elif command == b"\1":
            for flag in self.answers:
                await asyncio.sleep(0.5)
                self.notify(flag)

    def notify(self, flag):
        self.values["flag"] = bytes([flag])
        self.flags.append(flag)
        if self.notifying:
            self.bus.send(Message.new_signal(f"{APPLICATION}/service/flag", PROPERTIES, "PropertiesChanged", "sa{sv}as",
                                             [GATT_CHARACTERISTIC, {"Value": Variant("ay", bytes([flag]))}, []]))


class Machine:
    """The bus, the node, and the command."""

    def __init__(self, rustle, bus):
        self.rustle, self.bus, self.node = rustle, bus, RealNode(bus)
        bus.add_message_handler(self.node.handle)

    async def call(self, path, interface, member, signature="", body=()):
        reply = await self.bus.call(Message("org.bluez", path, interface, member, signature=signature, body=list(body)))
        need(reply.message_type == MessageType.METHOD_RETURN, f"{path} {member}: {reply.error_name} {reply.body}")
        return reply.body

    async def power(self, adapter, is_on):
        await self.call(adapter, PROPERTIES, "Set", "ssv", [ADAPTER, "Powered", Variant("b", is_on)])

    async def advertise(self):
        await self.call(HERS, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}", [ADVERTISEMENT, {}])

    async def start(self):
        for _ in range(PATIENCE):
            # Until bluetoothd is there, D-Bus answers with an error.
            reply = await self.bus.call(Message("org.bluez", "/", MANAGER, "GetManagedObjects"))
            found = reply.body[0].keys() if reply.message_type == MessageType.METHOD_RETURN else ()
            if {HERS, OURS} <= set(found):
                break
            await asyncio.sleep(1)
        need({HERS, OURS} <= set(found), f"expected two adapters within {PATIENCE} s, got {sorted(found)}")
        for adapter in (HERS, OURS):
            await self.power(adapter, True)
        await self.call(HERS, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", [APPLICATION, {}])
        await self.advertise()

    async def run(self, *words):
        attempt = Attempt(self.rustle, BUS, *words, "--adapter", "hci0")
        attempt.password = PASSWORD
        await attempt.start()
        await attempt.end()
        need("disconnection was not confirmed" not in attempt.errors, attempt.errors)
        need(not await self.is_connected(), "a node is still connected")
        return attempt

    async def is_connected(self):
        """Whether a device of our controller is connected."""
        objects = (await self.call("/", MANAGER, "GetManagedObjects"))[0]
        return any(path.startswith(OURS) and DEVICE in one and one[DEVICE]["Connected"].value for path, one in objects.items())


SET = ["set", "--name", "é" * 16, "--ssid", "s" * 32, "--universe", "258", "--start", "401", "--password-file", "-", "--timeout", str(PATIENCE)]
WRITTEN = [("name", "é".encode() * 16), ("ssid", b"s" * 32), ("password", PASSWORD.encode()), ("universe", b"\x02\x01"), ("start", b"\x91\x01"),
           ("command", b"\1")]


async def a_scan_lists_the_node(machine):
    run = await machine.run("list", "--duration", "10")
    need(run.status == 0, run.errors)
    need(any(line.get("name") == "ChromaDMX-0001" for line in run.lines), f"{run.lines} {run.errors}")


async def long_values_are_written_and_verified(machine):
    run = await machine.run(*SET)
    need(run.status == 0 and run.lines[-1]["state"] == "SUCCESS", f"{run.lines} {run.errors}")
    need([line["state"] for line in run.lines] == ["SCANNING", "CONNECTING", "READING_CONFIG", "WRITING_CONFIG", "APPLYING", "VERIFYING", "SUCCESS"],
         f"the states: {run.lines}")
    need(machine.node.writes == WRITTEN, f"the values on the air: {machine.node.writes}")
    need([flag for flag, _ in itertools.groupby(machine.node.flags)] == [2, 3, 4, 1], f"the flags: {machine.node.flags}")


async def values_are_read(machine):
    run = await machine.run("read", "ChromaDMX-0001", "--timeout", str(PATIENCE))
    need(run.status == 0, f"{run.status} {run.errors}")
    values = run.lines[-1]
    need((values["name"], values["ssid"], values["universe"], values["start"]) == ("é" * 16, "s" * 32, 258, 401), f"{values}")


async def a_refusal_is_reported(machine):
    machine.node.answers = [3, 0xFF]
    try:
        run = await machine.run(*SET)
    finally:
        machine.node.answers = [3, 4, 1]
    need(run.status == 70 and run.lines[-1]["error"] == "networkRefused", f"{run.status} {run.lines} {run.errors}")


async def a_reset_reaches_the_node(machine):
    machine.node.writes.clear()
    run = await machine.run("reset", "ChromaDMX-0001", "--timeout", str(PATIENCE))
    need(run.status == 0, f"{run.status} {run.errors}")
    need(machine.node.writes == [("command", b"\3")], f"{machine.node.writes}")


async def a_node_that_does_not_advertise_is_not_found(machine):
    await machine.call(HERS, "org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement", "o", [ADVERTISEMENT])
    run = await machine.run(*SET)
    need(run.status == 66 and run.lines[-1]["error"] == "notFound", f"{run.status} {run.lines} {run.errors}")


async def an_adapter_that_is_off_is_reported(machine):
    await machine.power(OURS, False)
    run = await machine.run(*SET)
    need(run.status == 69 and run.lines[-1]["error"] == "adapterOff", f"{run.status} {run.lines} {run.errors}")


CHECKS = [a_scan_lists_the_node, long_values_are_written_and_verified, values_are_read, a_refusal_is_reported, a_reset_reaches_the_node,
          a_node_that_does_not_advertise_is_not_found, an_adapter_that_is_off_is_reported]


async def main():
    bus = await MessageBus(bus_address=BUS).connect()
    machine = Machine(sys.argv[1], bus)
    await machine.start()
    passed = 0
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        try:
            await check(machine)
            passed += 1
            print(f"passed  {name}", flush=True)
        except Exception as fault:  # noqa: BLE001 each is a failed check
            print(f"FAILED  {name}: {type(fault).__name__} {fault}", flush=True)
    if passed < len(CHECKS):
        for log in ("/tmp/btvirt", "/tmp/bluetoothd"):
            print(f"==> {log} <==\n{pathlib.Path(log).read_text()[-2_000:]}")
    print(f"{passed} passed, {len(CHECKS) - passed} failed")


if __name__ == "__main__":
    asyncio.run(main())
