"""A bluetoothd without a radio: `org.bluez` on a private bus, with nodes behind it and faults at any step.

It answers the calls of D-Bus that scanning, connecting and GATT need, as BlueZ 5.66 does; bluetoothctl and bleak judge that
(bluez_checks.py).
"""

import asyncio
import random

from dbus_fast import Message, MessageType, RequestNameReply, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import NameFlag

BASE = "4368726f-6d61-444d-5800-0000000000"
SERVICE = BASE + "01"
# The last byte, the flags, and the first value of each characteristic.
CHARACTERISTICS = {
    "name": ("10", ["read", "write"], b"ChromaDMX-0001"),
    "ssid": ("11", ["read", "write"], b""),
    "password": ("12", ["write"], b""),
    "universe": ("13", ["read", "write"], b"\0\0"),
    "start": ("14", ["read", "write"], b"\1\0"),
    "flag": ("15", ["read", "notify"], b"\0"),
    "firmware": ("16", ["read"], b"1.4.2"),
    "command": ("20", ["write"], b""),
}
ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
GATT_SERVICE, GATT_CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
PROPERTIES, MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
# What a fault is: refused (always, or once), never answered, late, answered with something else, cut off, the service gone, the
# adapter off or gone.
FAULTS = ["refused", "refused once", "silent", "slow", "wrong", "cut", "lost", "off", "unplugged"]


class Refusal(Exception):
    """An error of D-Bus: its name and its text."""


class Node:
    """A node: its address, and the values of its characteristics."""

    # The longest packet of its link.
    mtu = 247

    def __init__(self, address, name, rssi, notifies=True):
        self.address, self.rssi, self.notifies = address, rssi, notifies
        self.values = {key: value for key, (_, _, value) in CHARACTERISTICS.items()}
        self.values["name"] = name.encode()
        self.writes = []
        self.connected = self.resolved = self.notifying = False

    def path(self, adapter):
        return f"{adapter}/dev_{self.address.replace(':', '_')}"


class Bluez:
    """org.bluez on a bus. `faults` is a fault by its step: `connect`, `read name`, `write command` …"""

    def __init__(self, nodes, faults=None, adapters=None, delay=0.002, slow=1.0, is_upper=False, is_late=True):
        self.nodes, self.faults = nodes, dict(faults or {})
        self.adapters = adapters if adapters is not None else {"/org/bluez/hci0": True}
        self.delay, self.slow = delay, slow
        # Whether UUIDs are in capitals, as no bluetoothd has them.
        self.is_upper = is_upper
        # Whether a node is resolved before its objects are exported (bluez/bluez#1489).
        self.is_late = is_late
        # Each call with its step, in order, without values.
        self.calls = []
        self.discovering = set()
        self.tasks, self.refused = set(), set()
        self.bus, self.is_there = None, False

    async def start(self, address):
        self.bus = await MessageBus(bus_address=address).connect()
        self.bus.add_message_handler(self.handle)
        reply = await self.bus.request_name("org.bluez", NameFlag.DO_NOT_QUEUE)
        assert reply == RequestNameReply.PRIMARY_OWNER, reply
        self.is_there = True
        self.later(self.advertise())

    async def stop(self):
        for task in list(self.tasks):
            task.cancel()
        if self.is_there:
            self.is_there = False
            self.bus.disconnect()

    def later(self, coroutine):
        task = asyncio.get_running_loop().create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # Objects

    @property
    def adapter(self):
        """The first adapter that is on, or the first one."""
        return next((path for path, is_on in self.adapters.items() if is_on), next(iter(self.adapters), None))

    def adapter_properties(self, path):
        return {
            "Address": Variant("s", "00:11:22:33:44:55"), "AddressType": Variant("s", "public"),
            "Name": Variant("s", "fake"), "Alias": Variant("s", "fake"), "Powered": Variant("b", self.adapters[path]),
            "Discovering": Variant("b", bool(self.discovering)), "Discoverable": Variant("b", False),
            "Pairable": Variant("b", False), "Class": Variant("u", 0), "UUIDs": Variant("as", []),
            "Modalias": Variant("s", "usb:v1D6Bp0246d0542"), "Roles": Variant("as", ["central"]),
        }

    def device_properties(self, node):
        properties = {
            "Address": Variant("s", node.address), "AddressType": Variant("s", "random"),
            "Alias": Variant("s", node.values["name"].decode(errors="replace")),
            "Name": Variant("s", node.values["name"].decode(errors="replace")),
            "Adapter": Variant("o", self.adapter), "UUIDs": Variant("as", [SERVICE]),
            "Connected": Variant("b", node.connected), "ServicesResolved": Variant("b", node.resolved),
            "Paired": Variant("b", False), "Trusted": Variant("b", False), "Blocked": Variant("b", False),
            "LegacyPairing": Variant("b", False), "Bonded": Variant("b", False),
        }
        if self.discovering:
            properties |= self.advertised(node)
        return properties

    def advertised(self, node):
        data = bytes([node.values["flag"][0], 1, 4])
        return {"RSSI": Variant("n", node.rssi), "ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", data)})}

    def characteristics(self, node):
        """Those of a node: their handles, UUIDs and flags."""
        for place, (last, flags, _) in enumerate(CHARACTERISTICS.values()):
            yield 0x11 + 2 * place, BASE + last, flags

    def gatt(self, node):
        """The objects of a node's service, by their paths."""
        service = node.path(self.adapter) + "/service0010"
        objects = {service: {GATT_SERVICE: {
            "UUID": Variant("s", SERVICE), "Primary": Variant("b", True), "Handle": Variant("q", 0x10),
            "Device": Variant("o", node.path(self.adapter)), "Includes": Variant("ao", [])}}}
        for handle, uuid, flags in self.characteristics(node):
            if uuid == BASE + CHARACTERISTICS["start"][0] and self.faults.get("services") == "wrong":
                continue
            objects[f"{service}/char{handle:04x}"] = {GATT_CHARACTERISTIC: {
                "UUID": Variant("s", uuid.upper() if self.is_upper else uuid), "Service": Variant("o", service),
                "Handle": Variant("q", handle), "Flags": Variant("as", flags), "Notifying": Variant("b", False),
                "MTU": Variant("q", node.mtu), "Value": Variant("ay", b"")}}
        return objects

    def objects(self):
        objects = {"/org/bluez": {}}
        for path in self.adapters:
            objects[path] = {ADAPTER: self.adapter_properties(path)}
        if self.adapter:
            for node in self.nodes:
                objects[node.path(self.adapter)] = {DEVICE: self.device_properties(node)}
                if node.resolved:
                    objects |= self.gatt(node)
        return objects

    # Signals

    def signal(self, path, interface, member, signature, body):
        if self.is_there:
            self.bus.send(Message.new_signal(path, interface, member, signature, body))

    def changed(self, path, interface, properties):
        self.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, properties, []])

    def added(self, path, interfaces):
        self.signal("/", MANAGER, "InterfacesAdded", "oa{sa{sv}}", [path, interfaces])

    def removed(self, path, interfaces):
        self.signal("/", MANAGER, "InterfacesRemoved", "oas", [path, interfaces])

    async def advertise(self):
        while True:
            if self.discovering and self.adapter:
                for node in self.nodes:
                    if not node.connected and self.adapter:
                        wobble = {**self.advertised(node), "RSSI": Variant("n", node.rssi + random.choice((-1, 0, 1)))}
                        self.changed(node.path(self.adapter), DEVICE, wobble)
                        # dbus-fast does not wait where its socket is full.
                        await asyncio.sleep(0.001)
            await asyncio.sleep(0.1)

    def disconnect(self, node):
        if not node.connected:
            return
        paths = {path: list(interfaces) for path, interfaces in self.gatt(node).items()} if node.resolved else {}
        node.connected = node.resolved = node.notifying = False
        if self.adapter:
            path = node.path(self.adapter)
            self.changed(path, DEVICE, {"ServicesResolved": Variant("b", False), "Connected": Variant("b", False)})
            for gone, interfaces in paths.items():
                self.removed(gone, interfaces)

    def notify(self, node, flag):
        node.values["flag"] = bytes([flag])
        self.notified(node, flag)

    def notified(self, node, flag):
        if node.notifying:
            path = next(path for path, one in self.gatt(node).items()
                        if GATT_CHARACTERISTIC in one and one[GATT_CHARACTERISTIC]["UUID"].value.endswith("15"))
            self.changed(path, GATT_CHARACTERISTIC, {"Value": Variant("ay", bytes([flag]))})

    async def power_off(self):
        for node in self.nodes:
            self.disconnect(node)
        self.discovering.clear()
        path = self.adapter
        self.adapters[path] = False
        self.changed(path, ADAPTER, {"Powered": Variant("b", False), "Discovering": Variant("b", False)})

    async def unplug(self):
        path = self.adapter
        for node in self.nodes:
            self.disconnect(node)
            self.removed(node.path(path), [DEVICE])
        self.discovering.clear()
        del self.adapters[path]
        self.removed(path, [ADAPTER])

    async def lose(self):
        for node in self.nodes:
            node.connected = node.resolved = node.notifying = False
        if self.is_there:
            self.is_there = False
            self.bus.disconnect()

    # Calls

    def handle(self, message):
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if message.interface == "org.freedesktop.DBus.Peer":
            return None
        self.later(self.answer(message))
        return True

    def reply(self, message, signature="", body=None):
        if self.is_there:
            self.bus.send(Message.new_method_return(message, signature, body or []))

    def refuse(self, message, name="org.bluez.Error.Failed", text="ATT error: 0x0e"):
        if self.is_there:
            self.bus.send(Message.new_error(message, name, text))

    def node_at(self, path):
        return next((node for node in self.nodes if self.adapter and path.startswith(node.path(self.adapter))), None)

    def key_at(self, node, path):
        uuid = self.gatt(node)[path][GATT_CHARACTERISTIC]["UUID"].value.lower()
        return next(key for key, (last, _, _) in CHARACTERISTICS.items() if uuid == BASE + last)

    def step_of(self, message):
        names = {
            "GetManagedObjects": "objects", "SetDiscoveryFilter": "filter", "StartDiscovery": "scan",
            "StopDiscovery": "stop scan", "Connect": "connect", "Disconnect": "disconnect", "Pair": "pair",
            "StartNotify": "subscribe", "StopNotify": "unsubscribe"}
        if message.member in ("ReadValue", "WriteValue"):
            node = self.node_at(message.path)
            if not (node and node.resolved):
                return "unlinked"
            return f"{message.member[:-5].lower()} {self.key_at(node, message.path)}"
        return names.get(message.member, message.member)

    async def answer(self, message):
        step = self.step_of(message)
        self.calls.append(step)
        await asyncio.sleep(self.delay)
        node = self.node_at(message.path)
        fault = self.faults.get(step)
        if fault == "refused" or (fault == "refused once" and step not in self.refused):
            self.refused.add(step)
            return self.refuse(message)
        if fault == "silent":
            return None
        if fault == "slow":
            await asyncio.sleep(self.slow)
        if fault == "cut" and node:
            was_connected = node.connected
            self.disconnect(node)
            if was_connected and step != "connect":
                return self.refuse(message, text="Not connected")
            return self.refuse(message, text="le-connection-abort-by-local")
        if fault == "cut":
            return self.refuse(message)
        if fault == "lost":
            return await self.lose()
        if fault == "off":
            await self.power_off()
            if step == "objects":
                return await self.perform(message, step, node, False)
            return self.refuse(message, "org.bluez.Error.NotReady", "Resource Not Ready")
        if fault == "unplugged":
            await self.unplug()
            if step == "objects":
                return await self.perform(message, step, node, False)
            return self.refuse(message, "org.freedesktop.DBus.Error.UnknownObject", "no such object")
        try:
            return await self.perform(message, step, node, fault == "wrong")
        except Refusal as refusal:
            return self.refuse(message, *refusal.args)

    async def perform(self, message, step, node, is_wrong):
        if message.interface == MANAGER:
            return self.reply(message, "a{oa{sa{sv}}}", [{} if is_wrong else self.objects()])
        if message.interface == PROPERTIES:
            return self.properties(message)
        if message.path not in self.objects():
            return self.refuse(message, "org.freedesktop.DBus.Error.UnknownObject", f"no object {message.path}")
        if step in ("filter", "scan", "stop scan") and not self.adapters[message.path]:
            return self.refuse(message, "org.bluez.Error.NotReady", "Resource Not Ready")
        if step == "scan":
            self.discovering.add(message.sender)
            self.changed(message.path, ADAPTER, {"Discovering": Variant("b", True)})
        elif step == "stop scan":
            if message.sender not in self.discovering:
                return self.refuse(message, text="No discovery started")
            self.discovering.discard(message.sender)
            self.changed(message.path, ADAPTER, {"Discovering": Variant("b", bool(self.discovering))})
        elif step == "connect":
            return await self.connect(message, node, is_wrong)
        elif step == "disconnect":
            if not node.connected:
                return self.refuse(message, "org.bluez.Error.NotConnected", "Not Connected")
            self.reply(message)
            return self.disconnect(node)
        elif step == "pair" and is_wrong:
            return self.refuse(message, "org.bluez.Error.AuthenticationFailed", "Authentication Failed")
        elif step == "unlinked" or (step.split()[0] in ("read", "write", "subscribe") and not node.connected):
            return self.refuse(message, text="Not connected")
        elif step == "subscribe":
            if not node.notifies or is_wrong:
                return self.refuse(message, "org.bluez.Error.NotSupported", "Operation is not supported")
            await self.subscribe(node)
            node.notifying = True
        elif step == "unsubscribe":
            await self.unsubscribe(node)
            node.notifying = False
        elif step == "pair":
            await self.pair(node)
        elif step.startswith("read "):
            return await self.read(message, node, step[5:], is_wrong)
        elif step.startswith("write "):
            return await self.write(message, node, step[6:], is_wrong)
        return self.reply(message)

    def properties(self, message):
        objects = self.objects()
        interface = message.body[0]
        found = objects.get(message.path, {}).get(interface)
        if found is None:
            return self.refuse(message, "org.freedesktop.DBus.Error.InvalidArgs", f"no interface {interface}")
        if message.member == "GetAll":
            return self.reply(message, "a{sv}", [found])
        if message.member == "Get" and message.body[1] in found:
            return self.reply(message, "v", [found[message.body[1]]])
        return self.reply(message)

    async def connect(self, message, node, is_wrong):
        if node.connected:
            return self.refuse(message, "org.bluez.Error.AlreadyConnected", "Already Connected")
        if is_wrong:
            # Another program has begun to connect: the answer says so, and the link follows.
            self.refuse(message, "org.bluez.Error.InProgress", "Operation already in progress")
            await asyncio.sleep(0.05)
        await self.link(node)
        node.connected = True
        path = node.path(self.adapter)
        self.changed(path, DEVICE, {"Connected": Variant("b", True)})
        if not is_wrong:
            self.reply(message)
        fault = self.faults.get("services")
        await asyncio.sleep(self.slow if fault == "slow" else self.delay)
        if fault == "silent" or not node.connected:
            return None
        if fault == "cut":
            return self.disconnect(node)
        await self.discover(node)
        node.resolved = True
        steps = [lambda: self.changed(path, DEVICE, {"ServicesResolved": Variant("b", True)}),
                 lambda: [self.added(added, interfaces) for added, interfaces in self.gatt(node).items()]]
        for step in steps if self.is_late else reversed(steps):
            step()
            await asyncio.sleep(self.delay)
        return None

    async def read(self, message, node, key, is_wrong):
        value = await self.fetch(node, key)
        if is_wrong:
            value = bytes([value[0] ^ 0x40, *value[1:]]) if value else b"\x40"
        return self.reply(message, "ay", [value])

    async def write(self, message, node, key, is_wrong):
        value, options = bytes(message.body[0]), message.body[1]
        if options.get("type", Variant("s", "")).value not in ("", "request"):
            return self.refuse(message, "org.bluez.Error.NotSupported", "expected an acknowledged write")
        await self.send(node, key, value, is_wrong)
        return self.reply(message)

    # What the link does; bluez_air.py has a real one.

    async def link(self, node):
        pass

    async def discover(self, node):
        pass

    async def pair(self, node):
        pass

    async def subscribe(self, node):
        pass

    async def unsubscribe(self, node):
        pass

    async def fetch(self, node, key):
        if "read" not in CHARACTERISTICS[key][1]:
            raise Refusal("org.bluez.Error.NotPermitted", "Read not permitted")
        return node.values[key]

    async def send(self, node, key, value, is_wrong):
        if "write" not in CHARACTERISTICS[key][1]:
            raise Refusal("org.bluez.Error.NotPermitted", "Write not permitted")
        self.take(node, key, value, is_wrong)

    def take(self, node, key, value, is_wrong=False):
        """What a node does with a value that was written."""
        node.writes.append((key, value))
        if key == "command":
            return self.later(self.command(node, value, is_wrong))
        if not is_wrong:
            node.values[key] = value
        return self.notify(node, 2)

    async def command(self, node, value, is_wrong):
        if value == b"\3":
            node.values.update({key: value for key, (_, _, value) in CHARACTERISTICS.items()})
        if value in (b"\2", b"\3"):
            await asyncio.sleep(0.05)
            return self.disconnect(node)
        fault = "wrong" if is_wrong else self.faults.get("apply")
        flags = {"refused": [0xFF], "wrong": [3, 0xFF], "silent": [3], "cut": [3], "lost": [3]}.get(fault, [3, 4, 1])
        for flag in flags:
            await asyncio.sleep(self.slow if fault == "slow" else 2 * self.delay)
            self.notify(node, flag)
        if fault == "cut":
            self.disconnect(node)
        if fault == "lost":
            await self.lose()
        return None
