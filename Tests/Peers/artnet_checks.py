"""Art-Net: stupidArtnet, npArtNet and aioartnet receive from us, send to us and find us."""

import asyncio
import socket
import threading
import time
from statistics import median

import npArtNet
import stupidArtnet
from aioartnet import ArtNetClient
from capture import Capture
from hosts import BROADCAST, OURS, OUR_CABLE, PEER_CABLE, PEERS, expect, expect_equal, numbers, until, with_room
from sacn_checks import expect_whole, together

PORT = 6454


class Server:
    """stupidArtnet's server of some Port-Addresses."""

    def __init__(self, addresses):
        self.server = stupidArtnet.StupidArtnetServer()
        self.ids = {address: self.server.register_listener(address) for address in addresses}
        until("stupidArtnet's socket", self.is_open)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()
        # Its thread looks at the end after the next datagram, and leaves the socket open.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", (PEERS, PORT))
        time.sleep(0.05)
        self.server.socket_server.close()
        self.server.delete_all_listener()

    def is_open(self):
        return self.server.socket_server is not None and self.server.socket_server.getsockname()[1] == PORT

    def levels(self, address):
        return self.server.see_buffer(self.ids[address])


class Node:
    """aioartnet's node and controller, with a loop in a thread."""

    def __init__(self, outputs=(), inputs=()):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        # The exceptions that its protocol raises.
        self.faults = []
        self.loop.set_exception_handler(lambda _, context: self.faults.append(context.get("exception")))
        self.client = ArtNetClient(interface=PEER_CABLE, portName="aio")
        self.universes = {address: self.client.set_port_config(address, is_output=True) for address in outputs}
        self.universes |= {address: self.client.set_port_config(address, is_input=True) for address in inputs}
        self.transport = self.call(self.client.connect())
        with_room(self.transport.get_extra_info("socket"))

    def call(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(10)

    def set(self, address, levels):
        self.loop.call_soon_threadsafe(self.universes[address].set_dmx, bytes(levels))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.transport.close)
        time.sleep(0.05)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)

    def found(self):
        """Our node, when it is known."""
        return next((node for node in self.client.get_nodes() if node.ip == OURS), None)


class SlowSocket:
    """Sends by a socket, with a pause before each datagram."""

    def __init__(self, inner, pause):
        self.inner, self.pause = inner, pause

    def sendto(self, *arguments):
        time.sleep(self.pause)
        self.inner.sendto(*arguments)


def unicast(lab):
    """stupidArtnet's server receives every level of three Port-Addresses, 0 among them"""
    wanted = {0: numbers(1), 1: numbers(2, 5), 291: numbers(3, 11)}
    with Server(wanted) as peer, lab.still(wanted, "--protocol", "artnet", "--to", PEERS):
        for address, levels in wanted.items():
            until(f"the levels of {address}", lambda: peer.levels(address) == levels)


def broadcast(lab):
    """npArtNet's server receives every level of a directed broadcast"""
    wanted = {0: numbers(5), 32_767: numbers(6, 5)}
    with npArtNet.ArtnetServer(universes=list(wanted)) as peer, lab.still(wanted, "--protocol", "artnet", "--to", "broadcast"):
        until("both Port-Addresses", lambda: peer.get_matrix().tolist() == list(wanted.values()))


def sequence_per_address(lab):
    """ChromaDMX, one sequence counter for all universes: aioartnet's node takes 237 Port-Addresses, each with its own"""
    addresses = range(237)
    with Node(outputs=[5]) as peer, Capture(lab.folder / "art-sequence.pcap") as capture:
        options = ["--protocol", "artnet", "--to", PEERS, "--universes", "0-236", "--rate", "10", "--slots", "16"]
        with lab.send(*options, "--duration", "3") as ours:
            expect_equal("status", 0, ours.end())
        until("the Port-Addresses that it knows", lambda: sorted(peer.client.universes) == list(addresses))
    by_address = {address: [] for address in addresses}
    for each in capture.datagrams(PORT, OURS):
        by_address[each.bytes[14] | each.bytes[15] << 8].append((each.bytes[12], each.bytes[18]))
    for address, packets in by_address.items():
        expect(len(packets) >= 10, f"Port-Address {address}: expected frames of 3 s, got {len(packets)}")
        steps = {(second[0] - first[0]) % 255 for first, second in zip(packets, packets[1:], strict=False)}
        expect_equal(f"steps of the sequence of {address}", {1}, steps)


def found_by_controller(lab):
    """aioartnet finds our receiver by ArtPoll, and sends to the Port-Addresses that it lists"""
    levels = numbers(77)
    with lab.receive("--protocol", "artnet", "--universes", "0.0.1,1.2.3") as ours, Node(inputs=[1, 291]) as peer:
        node = until("our node", peer.found, 15)
        until("two ports", lambda: len(node.ports) == 2)
        expect_equal("name, long name, style, port", ("rustle", "rustle dmx receive", 0, PORT),
                     (node.portName, node.longName, node.style, node.udpport))
        expect_equal("outputs", [(1, False), (291, False)], sorted((port.portaddr, port.is_input) for port in node.ports))
        peer.set(291, levels)
        ours.line("the levels of 1.2.3", lambda line: line.get("dmx") == levels and line["universe"] == 291)
        expect_equal("faults of the peer", [], peer.faults)


def nodes_found(lab):
    """`rustle dmx nodes` finds aioartnet's node with its names and Port-Addresses"""
    # It answers polls of 14 bytes alone, not ours of Art-Net 4, and broadcasts its replies to those of others, its own included.
    with lab.rustle("dmx", "nodes", "--interface", OUR_CABLE) as ours, Node(outputs=[5, 291]) as peer:
        line = ours.line("the node with both Port-Addresses", lambda line: line["address"] == PEERS and line["port_count"] == 2, 15)
        expect_equal("names, style, state", ("aio", "aio (aioartnet)", 1, "online"),
                     (line["name"], line["long_name"], line["style"], line["state"]))
        expect_equal("Port-Addresses", [5, 291], sorted(line["port_addresses"]))
        mac = ":".join(f"{byte:02x}" for byte in peer.client.mac)
        expect_equal("MAC", mac, line["mac"])


def received(lab):
    """We receive every level of stupidArtnet and npArtNet, merged by the highest level"""
    low, high = [10, 200] * 256, [100, 20] * 256
    with lab.receive("--protocol", "artnet", "--universes", "0.0.2") as ours:
        first = stupidArtnet.StupidArtnet(OURS, universe=2, packet_size=512)
        first.send(bytearray(low))
        ours.line("stupidArtnet's levels", lambda line: line.get("dmx") == low and line["sources"] == 1)
        # The physical input makes it another source at the same address.
        second = npArtNet.ArtnetClient(OURS, universes=[2], artsync=False)
        second.packets[0][13] = 1
        second.buffer[0][:] = high
        second.send_package()
        ours.line("both", lambda line: line.get("dmx") == [100, 200] * 256 and line["sources"] == 2)


def received_broadcast(lab):
    """We receive npArtNet's broadcasts, directed and not, and stupidArtnet's packets of three slots"""
    with lab.receive("--protocol", "artnet", "--universes", "0.0.3") as ours:
        for first, target in ((11, BROADCAST), (22, "255.255.255.255")):
            client = npArtNet.ArtnetClient(target, universes=[3], artsync=False, broadcast=True)
            client.buffer[0][:] = numbers(first)
            client.send_package()
            ours.line(f"the levels to {target}", lambda line: line.get("dmx") == numbers(first))
        short = stupidArtnet.StupidArtnet(OURS, universe=3, packet_size=3, even_packet_size=False)
        short.send(bytearray([250, 251, 252]))
        ours.line("three slots", lambda line: line.get("dmx") == [250, 251, 252] + [0] * 509)


def received_sync(lab):
    """We show no universe of npArtNet's frames with ArtSync apart, though their packets come 30 ms apart"""
    def frames(has_sync):
        with lab.receive("--protocol", "artnet", "--universes", "0-3") as ours:
            client = npArtNet.ArtnetClient(OURS, universes=[0, 1, 2, 3], artsync=has_sync)
            client.socket_client = SlowSocket(client.socket_client, 0.01)
            for level in range(1, 31):
                client.buffer[:] = level
                client.send_package()
            ours.line("the last frame", lambda line: line.get("dmx", [0])[0] == 30 and line["universe"] == 3)
            time.sleep(0.1)
            return together(ours.lines)

    expect_whole(frames(True), range(4), 30)
    apart = [max(times.values()) - min(times.values()) for times in frames(False).values() if len(times) == 4]
    expect(len(apart) >= 25 and median(apart) >= 20, f"expected frames without ArtSync to come apart, got {apart} ms")


def sync_of_ours(lab):
    """An ArtSync follows the data of each of our frames, to the addresses of the data"""
    with Capture(lab.folder / "art-sync.pcap") as capture:
        with lab.send("--protocol", "artnet", "--to", "broadcast", "--art-sync", "--universes", "0-3", "--duration", "2") as ours:
            expect_equal("status", 0, ours.end())
    frame, count = [], 0
    for each in capture.datagrams(PORT, OURS):
        expect_equal("destination", BROADCAST, each.destination)
        if each.bytes[8:10] == b"\0\x50":
            frame.append(each.bytes[14])
        else:
            expect_equal("ArtSync", b"Art-Net\0\0\x52\0\x0e\0\0", each.bytes)
            expect_equal("Port-Addresses before an ArtSync", [0, 1, 2, 3], sorted(frame))
            frame, count = [], count + 1
    expect(count > 30, f"expected an ArtSync for each frame of 2 s, got {count}")


CHECKS = [unicast, broadcast, sequence_per_address, found_by_controller, nodes_found, received, received_broadcast, received_sync,
          sync_of_ours]
