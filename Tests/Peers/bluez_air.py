"""Attempts over real ATT: nodes whose hosts and virtual controllers are bumble's, behind our fake bluetoothd.

The packets are those of the Attribute Protocol: the exchange of the longest packet, values in parts, error responses, notifications, a
link that goes down, and pairing. There is no radio.
"""

import asyncio
import contextlib
import logging

from bluez_attempts import CANARY, Attempt, need
from bluez_fake import BASE, CHARACTERISTICS, SERVICE, Bluez, Node, Refusal
from bumble.att import ATT_Error, ErrorCode, Opcode
from bumble.controller import Controller
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

# A host that goes while a packet is under way says so.
logging.getLogger("bumble").setLevel(logging.CRITICAL)
# The longest packet that bluetoothd takes.
LONGEST = 517
# What bluetoothd makes of an error of ATT; others are `Failed` with their number.
ERRORS = {
    ErrorCode.READ_NOT_PERMITTED: ("org.bluez.Error.NotPermitted", "Read not permitted"),
    ErrorCode.WRITE_NOT_PERMITTED: ("org.bluez.Error.NotPermitted", "Write not permitted"),
    ErrorCode.INSUFFICIENT_AUTHENTICATION: ("org.bluez.Error.NotPermitted", "Not paired"),
    ErrorCode.INSUFFICIENT_ENCRYPTION: ("org.bluez.Error.NotPermitted", "Not paired"),
    ErrorCode.INVALID_OFFSET: ("org.bluez.Error.InvalidArguments", "Invalid offset"),
    ErrorCode.INVALID_ATTRIBUTE_LENGTH: ("org.bluez.Error.InvalidArguments", "Invalid Length"),
    ErrorCode.INSUFFICIENT_AUTHORIZATION: ("org.bluez.Error.NotAuthorized", "Operation Not Authorized"),
    ErrorCode.REQUEST_NOT_SUPPORTED: ("org.bluez.Error.NotSupported", "Operation is not supported"),
}
PERMISSIONS = Characteristic.Permissions
PROPERTIES = {"read": Characteristic.Properties.READ, "write": Characteristic.Properties.WRITE, "notify": Characteristic.Properties.NOTIFY}
ADDRESS = "F0:00:00:00:00:01"


def device(link, name, address):
    controller = Controller(name, link=link)
    return Device(name=name, address=Address(address), host=Host(controller, AsyncPipeSink(controller)))


class AirNode(Node):
    """A node with a GATT server.

    `mtu` is the longest packet that it takes. `refusals` has the error of an access: `read name`, `write password` … Who is not paired
    may not write what is `guarded`. After so many parts of values it goes: `leaves_after`.
    """

    def __init__(self, mtu=247, refusals=None, guarded=(), leaves_after=None):
        super().__init__(ADDRESS, "ChromaDMX-0001", -40)
        self.refusals, self.guarded, self.leaves_after = refusals or {}, guarded, leaves_after
        self.longest = mtu
        # What arrived: the operations with the lengths of their packets, and the characteristics that were read.
        self.packets, self.reads = [], []
        # Whether the link was encrypted when the password came.
        self.was_encrypted = None

    def operations(self):
        return [operation for operation, _ in self.packets]

    async def begin(self, front):
        self.front, self.device = front, device(front.air, self.address, self.address)
        self.attributes = {key: self.attribute(key) for key in CHARACTERISTICS}
        self.device.add_service(Service(SERVICE, list(self.attributes.values())))
        server = self.device.gatt_server
        server.max_mtu = self.longest
        handle = server.on_gatt_pdu

        def arrived(connection, packet):
            self.packets.append((packet.op_code, len(bytes(packet))))
            if self.operations().count(Opcode.ATT_PREPARE_WRITE_REQUEST) == self.leaves_after:
                return front.later(connection.disconnect())
            return handle(connection, packet)

        server.on_gatt_pdu = arrived
        await self.device.power_on()
        await self.device.start_advertising(auto_restart=True, advertising_interval_min=20, advertising_interval_max=20)

    def attribute(self, key):
        last, flags, _ = CHARACTERISTICS[key]
        properties, permissions = Characteristic.Properties(0), PERMISSIONS.READABLE | PERMISSIONS.WRITEABLE
        for flag in flags:
            properties |= PROPERTIES[flag]
        if key in self.guarded:
            permissions |= PERMISSIONS.WRITE_REQUIRES_AUTHENTICATION

        def check(access, otherwise):
            error = self.refusals.get(f"{access} {key}", None if access in flags else otherwise)
            if error is not None:
                raise ATT_Error(error)

        def read(_):
            self.reads.append(key)
            check("read", ErrorCode.READ_NOT_PERMITTED)
            return self.values[key]

        def write(connection, value):
            check("write", ErrorCode.WRITE_NOT_PERMITTED)
            if key == "password":
                self.was_encrypted = connection.is_encrypted
            self.front.take(self, key, value)

        return Characteristic(BASE + last, properties, permissions, CharacteristicValue(read=read, write=write))


class AirBluez(Bluez):
    """bluetoothd with a host and a virtual controller of its own, which hears those of the nodes."""

    async def start(self, address):
        self.air = LocalLink()
        self.host = device(self.air, "hci0", "F1:00:00:00:00:00")
        await self.host.power_on()
        for node in self.nodes:
            await node.begin(self)
        await super().start(address)

    async def link(self, node):
        node.connection = await self.host.connect(node.device.random_address)
        node.connection.on("disconnection", lambda _: Bluez.disconnect(self, node))

    async def discover(self, node):
        peer = Peer(node.connection)
        node.mtu = await peer.request_mtu(LONGEST)
        (service,) = await peer.discover_service(UUID(SERVICE))
        node.found = {str(one.uuid).lower(): one for one in await service.discover_characteristics()}

    def characteristics(self, node):
        for uuid, one in node.found.items():
            yield one.handle, uuid, [flag for flag, bit in PROPERTIES.items() if one.properties & bit]

    def proxy(self, node, key):
        return node.found[BASE + CHARACTERISTICS[key][0]]

    @contextlib.asynccontextmanager
    async def asking(self):
        """Makes a refusal of an error of ATT, and of a link that goes down meanwhile."""
        try:
            yield
        except ATT_Error as error:
            text = f"Operation failed with ATT error: 0x{error.error_code:02x}"
            raise Refusal(*ERRORS.get(error.error_code, ("org.bluez.Error.Failed", text))) from error
        except asyncio.CancelledError:
            # bumble cancels what it will not answer.
            if asyncio.current_task().cancelling():
                raise
            raise Refusal("org.bluez.Error.Failed", "Not connected") from None

    async def pair(self, node):
        await node.connection.pair()

    async def subscribe(self, node):
        async with self.asking():
            await self.proxy(node, "flag").subscribe(lambda value: self.notified(node, value[0]))

    async def unsubscribe(self, node):
        async with self.asking():
            await self.proxy(node, "flag").unsubscribe()

    async def fetch(self, node, key):
        async with self.asking():
            return await self.proxy(node, key).read_value()

    async def send(self, node, key, value, is_wrong):
        async with self.asking():
            await self.proxy(node, key).write_value(value, with_response=True)

    def notify(self, node, flag):
        node.values["flag"] = bytes([flag])
        self.later(node.device.notify_subscribers(node.attributes["flag"], bytes([flag])))

    def disconnect(self, node):
        if node.connected:
            self.later(node.connection.disconnect())


# Texts of the most bytes that there are.
PASSWORD = (CANARY * 5)[:64]
SET = ["set", "--node", ADDRESS, "--name", "é" * 16, "--ssid", "s" * 32, "--universe", "258", "--start", "401", "--password-file", "-",
       "--timeout", "20"]
WRITTEN = [("name", "é".encode() * 16), ("ssid", b"s" * 32), ("password", PASSWORD.encode()), ("universe", b"\x02\x01"),
           ("start", b"\x91\x01"), ("command", b"\x01")]


async def run(rustle, bus, node, *words):
    """The command with a node; returns it and its last line."""
    fake = AirBluez([node])
    await fake.start(bus.address)
    try:
        made = Attempt(rustle, bus.address, *words)
        made.password = PASSWORD
        await made.start()
        await made.end()
        need(made.lines, f"no line of output: {made.errors}")
        need(not node.connected, f"still connected: {fake.calls}")
        need(max(length for _, length in node.packets) <= node.mtu, f"packets longer than {node.mtu}: {node.packets}")
        need("password" not in node.reads, "the password was read")
        return made, made.lines[-1]
    finally:
        await fake.stop()


async def values_in_parts(rustle, bus):
    """Where they do not fit a packet they are written and read in parts; the node takes each value once, as a whole."""
    for mtu, parts, values in ((23, 8, 3), (48, 2, 1), (247, 0, 0)):
        node = AirNode(mtu)
        made, last = await run(rustle, bus, node, *SET)
        need(made.status == 0 and last["state"] == "SUCCESS", f"{mtu}: {made.lines} {made.errors}")
        need(node.writes == WRITTEN and node.mtu == mtu, f"{mtu}: the values on the air: {node.writes}, packets of {node.mtu}")
        found = node.operations()
        counts = [found.count(one) for one in (Opcode.ATT_EXCHANGE_MTU_REQUEST, Opcode.ATT_PREPARE_WRITE_REQUEST, Opcode.ATT_EXECUTE_WRITE_REQUEST)]
        need(counts == [1, parts, values], f"{mtu}: expected one exchange, {parts} parts of {values} values, got {counts}")
        made, last = await run(rustle, bus, node, "read", ADDRESS)
        need((last["name"], last["ssid"], last["universe"], last["start"]) == ("é" * 16, "s" * 32, 258, 401), f"{mtu}: {last}")
        need((Opcode.ATT_READ_BLOB_REQUEST in node.operations()) == (mtu == 23), f"{mtu}: {node.operations()}")


async def errors_of_the_protocol(rustle, bus):
    """Each ends the attempt, and is reported as what bluetoothd makes of it."""
    for access, error, text in (
        ("read name", ErrorCode.READ_NOT_PERMITTED, "READING_CONFIG: the read of name failed: org.bluez.Error.NotPermitted: Read not permitted"),
        ("write ssid", ErrorCode.WRITE_NOT_PERMITTED, "WRITING_CONFIG: the write of ssid failed: org.bluez.Error.NotPermitted: Write not permitted"),
        ("write password", ErrorCode.INVALID_ATTRIBUTE_LENGTH, "WRITING_CONFIG: the write of password failed: org.bluez.Error.InvalidArguments: Invalid Length"),
        ("write start", ErrorCode.VALUE_NOT_ALLOWED, "WRITING_CONFIG: the write of start failed: org.bluez.Error.Failed: Operation failed with ATT error: 0x13"),
        ("write command", ErrorCode.UNLIKELY_ERROR, "APPLYING: the write of command failed: org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"),
    ):
        # In one packet, and in parts.
        for mtu in (247, 23):
            node = AirNode(mtu, {access: error})
            made, last = await run(rustle, bus, node, *SET)
            need((made.status, last["state"], last["error"]) == (70, "ERROR", "failed"), f"{access}: {made.status} {last}")
            need(text in made.errors, f"{access}: expected '{text}', got {made.errors}")
            keys = [key for key, _ in WRITTEN]
            refused = keys.index(access.split()[1]) if access.startswith("write") else 0
            need(node.writes == WRITTEN[:refused], f"{access}: the values on the air: {node.writes}")


async def password_over_an_encrypted_link(rustle, bus):
    """A node that demands pairing refuses the password without it; with it the link is encrypted when the password comes."""
    node = AirNode(23, guarded=("password",))
    made, last = await run(rustle, bus, node, *SET)
    need(made.status == 70 and "the write of password failed: org.bluez.Error.NotPermitted: Not paired" in made.errors, f"{made.status} {made.errors}")
    need("--encrypt" in made.errors, f"expected advice to pair, got {made.errors}")
    need(node.writes == WRITTEN[:2] and node.values["password"] == b"", f"the values on the air: {node.writes}")
    made, last = await run(rustle, bus, node := AirNode(23, guarded=("password",)), *SET, "--encrypt")
    need(made.status == 0 and last["state"] == "SUCCESS", f"{made.lines} {made.errors}")
    need(node.was_encrypted and node.writes == WRITTEN, f"{node.was_encrypted} {node.writes}")


async def link_that_goes_between_two_parts(rustle, bus):
    """Of the value nothing is taken, and no part is repeated."""
    # Two of the name, two of the network's, one of the password.
    node = AirNode(23, leaves_after=5)
    made, last = await run(rustle, bus, node, *SET)
    need((made.status, last["error"]) == (70, "linkLost") and "WRITING_CONFIG: the link to the node was lost" in made.errors, f"{last} {made.errors}")
    need(node.writes == WRITTEN[:2] and node.operations().count(Opcode.ATT_PREPARE_WRITE_REQUEST) == 5, f"{node.writes} {node.operations()}")


CHECKS = [values_in_parts, errors_of_the_protocol, password_over_an_encrypted_link, link_that_goes_between_two_parts]
