"""sACN: PyPI sacn receives from us and sends to us; its parsers read our packets."""

import cmath
import math
import signal
import time
import uuid
from collections import defaultdict
from contextlib import contextmanager
from statistics import median

import sacn
from capture import Capture
from hosts import OUR_CABLE, OURS, PEERS, Unmet, expect, expect_equal, numbers, until, with_room
from sacn.messages.data_packet import DataPacket
from sacn.messages.sync_packet import SyncPacket
from sacn.messages.universe_discovery import UniverseDiscoveryPacket
from sacn.sending.sender_socket_udp import SenderSocketUDP

CID = "6a1f3c52-9d0e-4c8e-8a52-1b2c3d4e5f60"


class Listener:
    """PyPI sacn's receiver of some universes: the packets with changes, and the changes of availability."""

    def __init__(self, universes, is_multicast=True):
        self.packets, self.availability = defaultdict(list), []
        self.receiver = sacn.sACNreceiver(bind_address=PEERS)
        self.receiver.register_listener("availability", lambda universe, changed: self.availability.append((universe, changed)))
        for universe in universes:
            self.receiver.register_listener("universe", self.packets[universe].append, universe=universe)
            if is_multicast:
                self.receiver.join_multicast(universe)
        with_room(self.receiver._handler.socket._socket)
        self.receiver.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.receiver.stop()

    def levels(self, universe):
        """The latest levels."""
        return list(self.packets[universe][-1].dmxData) if self.packets[universe] else None


class SlowSocket(SenderSocketUDP):
    """Sends with a pause before each packet, so that the packets of a frame come apart."""

    pause = 0.0

    def send_packet(self, data, destination):
        time.sleep(self.pause)
        super().send_packet(data, destination)


@contextmanager
def source(universes, pause=0.0, **options):
    """PyPI sacn's sender to our host, which sends as `flush` says."""
    sender = sacn.sACNsender(bind_address=PEERS, bind_port=0, universeDiscovery=False, **options)
    slow = SlowSocket(sender._sender_handler, PEERS, 0, 30)
    slow.pause = pause
    sender._sender_handler.socket._socket.close()
    sender._sender_handler.socket = slow
    sender.start()
    for universe in universes:
        sender.activate_output(universe)
        sender[universe].destination = OURS
    try:
        yield sender
    finally:
        sender.stop()


def every_level(lab):
    """PyPI sacn receives every level, with the name, CID and priority as configured"""
    wanted = {1: numbers(1), 2: numbers(7, 3), 63_999: numbers(200, 5)}
    with Listener(wanted) as peer, lab.still(wanted, "--priority", 137, "--name", "Ours ü", "--cid", CID):
        for universe, levels in wanted.items():
            until(f"the levels of {universe}", lambda: peer.levels(universe) == levels)
        packet = peer.packets[1][-1]
        expect_equal("priority, name, start code", (137, "Ours ü", 0), (packet.priority, packet.sourceName, packet.dmxStartCode))
        expect_equal("CID", CID, str(uuid.UUID(bytes=bytes(packet._cid))))


def priority(lab):
    """PyPI sacn shows our source of the highest priority, and the other one when the first ends"""
    low, high = numbers(1), numbers(100)
    with Listener([1]) as peer, lab.still({1: low}, "--priority", 100):
        until("the levels of priority 100", lambda: peer.levels(1) == low)
        with lab.still({1: high}, "--priority", 150) as second:
            until("the levels of priority 150", lambda: peer.levels(1) == high)
            before = len(peer.packets[1])
            time.sleep(1.2)
            expect_equal("levels while both send", before, len(peer.packets[1]))
            expect_equal("status", 130, second.interrupt())
        # The peer keeps a priority for 2.5 s.
        until("the levels of priority 100 again", lambda: peer.levels(1) == low, 5)


def terminations(lab):
    """ChromaDMX, no termination: PyPI sacn sees the end of each universe three times, after SIGINT and after SIGTERM"""
    for ending, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with Listener([1, 2]) as peer, lab.send("--universes", "1-2", "--pattern", "solid") as ours:
            until("both universes", lambda: len(peer.packets[1]) and len(peer.packets[2]))
            with Capture(lab.folder / "terminations.pcap") as capture:
                expect_equal("status", status, ours.interrupt(ending))
                until("six ends", lambda: len([1 for _, changed in peer.availability if changed == "timeout"]) >= 6, 2)
                time.sleep(0.3)
            ends = sorted(universe for universe, changed in peer.availability if changed == "timeout")
            expect_equal("ends by universe", [1, 1, 1, 2, 2, 2], ends)
            packets = [packet for packet in data_packets(capture) if packet.option_StreamTerminated]
            for universe in (1, 2):
                sequence = [packet.sequence for packet in packets if packet.universe == universe]
                wanted = [(sequence[0] + n) % 256 for n in range(3)]
                expect_equal("sequence numbers of the ends", wanted, sequence)


def sequence_per_universe(lab):
    """ChromaDMX, one sequence counter for all universes: PyPI sacn takes all frames of 237 universes"""
    universes = range(1, 238)
    with Listener(universes, is_multicast=False) as peer, Capture(lab.folder / "sequence.pcap") as capture:
        with lab.send("--universes", "1-237", "--to", PEERS, "--rate", "10", "--slots", "16", "--duration", "3") as ours:
            expect_equal("status", 0, ours.end())
        time.sleep(0.5)
    sent = defaultdict(list)
    for packet in data_packets(capture):
        sent[packet.universe].append(packet)
    expect_equal("universes", list(universes), sorted(sent))
    for universe, packets in sent.items():
        steps = {(second.sequence - first.sequence) % 256 for first, second in zip(packets, packets[1:], strict=False)}
        expect_equal(f"steps of the sequence of universe {universe}", {1}, steps)
        frames, taken = len({packet.dmxData[0] for packet in packets}), len(peer.packets[universe])
        # Of steps of 237, a receiver takes half.
        expect(frames >= 10 and taken >= 0.8 * frames, f"universe {universe}: expected {frames} frames, ten or more, got {taken}")


def own_cid(lab):
    """ChromaDMX, zero CID: runs without --cid are one source, of a random UUID"""
    cids = []
    for _ in range(2):
        with Listener([1]) as peer, lab.send("--pattern", "solid"):
            until("universe 1", lambda: peer.packets[1])
            cids.append(uuid.UUID(bytes=bytes(peer.packets[1][-1]._cid)))
    expect(cids[0] == cids[1] and cids[0].version == 4, f"expected one random UUID twice, got {cids}")


def universe_zero(lab):
    """ChromaDMX, universe 0 turned into 1: sACN refuses it, and sends nothing"""
    with Capture(lab.folder / "zero.pcap") as capture, lab.send("--universes", "0", "--duration", "1") as ours:
        expect_equal("status", 64, ours.end())
        expect("0" in ours.text() and "63999" in ours.text(), f"expected a text with the range, got {ours.text()}")
    expect_equal("packets", 0, len(capture.datagrams(5568)))


def rate(lab):
    """ChromaDMX, loop in whole milliseconds: frames keep the times of 44 Hz over 10 s, which loops of 22 ms leave"""
    with Capture(lab.folder / "rate.pcap") as capture, lab.send("--duration", "10", "--rate", "44") as ours:
        expect_equal("status", 0, ours.end())
    packets = [each for each in data_packets(capture) if not each.option_StreamTerminated]
    times = [each.time for each in capture.datagrams(5568, OURS) if is_data(each)][:len(packets)]
    got = (len(times) - 1) / (times[-1] - times[0])
    expect(22 <= got <= 44.2, f"expected 44 Hz, less where the machine is busy, got {got:.3f} Hz")
    # The length of the mean of the times as directions within a period: 1 when all are at the same place, near 0 when they drift. A
    # wake that is late leaves its place, but the next one does not.
    held = abs(sum(cmath.exp(2j * math.pi * 44 * (each - times[0])) for each in times)) / len(times)
    expect(held >= 0.3, f"expected frames at the times of 44 Hz, got a concentration of {held:.2f}")
    return f"{got:.3f} Hz, concentration {held:.2f}"


def pattern(lab):
    """A pattern's frames are sent once each: its pace is not that of the frames by chance"""
    # Both kept the same times by two clocks: 3 % of the frames were left out, as many repeated. A busy machine has three runs.
    for _ in range(3):
        with Capture(lab.folder / "pattern.pcap") as capture, lab.send("--duration", "10", "--rate", "44") as ours:
            expect_equal("status", 0, ours.end())
        levels = [each.dmxData[0] for each in data_packets(capture) if not each.option_StreamTerminated]
        steps = [(second - first) % 256 for first, second in zip(levels, levels[1:], strict=False)]
        odd = len([step for step in steps if step != 1])
        if steps and odd <= len(steps) / 100:
            return f"{odd} of {len(steps)} not"
    raise Unmet(f"expected each frame of the pattern once, got {odd} of {len(steps)} steps that are not 1")


def synchronization(lab):
    """PyPI sacn's parsers read our synchronization and discovery"""
    with Capture(lab.folder / "sync.pcap") as capture:
        with lab.send("--universes", "1-4", "--sync-address", "7962", "--cid", CID, "--duration", "2") as ours:
            expect_equal("status", 0, ours.end())
    data, syncs, frame = data_packets(capture), [], []
    for each in capture.datagrams(5568, OURS):
        if is_data(each):
            packet = DataPacket.make_data_packet(tuple(each.bytes))
            if not packet.option_StreamTerminated:
                expect_equal("synchronization address of the data", 7962, packet.syncAddr)
                frame.append(packet.universe)
        elif is_sync(each):
            syncs.append(SyncPacket.make_sync_packet(tuple(each.bytes)))
            expect_equal("synchronization's address, group, length", (7962, "239.255.31.26", 49),
                         (syncs[-1].syncAddr, each.destination, len(each.bytes)))
            expect_equal("universes before a synchronization packet", [1, 2, 3, 4], sorted(frame))
            frame = []
    steps = {(second.sequence - first.sequence) % 256 for first, second in zip(syncs, syncs[1:], strict=False)}
    expect(len(syncs) > 30 and steps == {1}, f"expected a numbered packet for each frame of 2 s, got {len(syncs)}, steps {steps}")
    found = [each for each in capture.datagrams(5568, OURS) if each.destination == "239.255.250.214"]
    listed = UniverseDiscoveryPacket.make_universe_discovery_packet(tuple(found[0].bytes))
    expect_equal("universes of the discovery", (1, 2, 3, 4, 7962), listed.universes)
    expect_equal("name of the discovery", data[0].sourceName, listed._sourceName)


def discovery_pages(lab):
    """PyPI sacn's parser reads the discovery of 600 universes in two pages, though their data go by unicast"""
    with Capture(lab.folder / "pages.pcap") as capture:
        with lab.send("--universes", "1-300,501-800", "--to", PEERS, "--slots", "1", "--rate", "1", "--duration", "2") as ours:
            expect_equal("status", 0, ours.end())
    found = [each.bytes for each in capture.datagrams(5568, OURS) if each.destination == "239.255.250.214"]
    pages = [UniverseDiscoveryPacket.make_universe_discovery_packet(tuple(each)) for each in found]
    expect_equal("pages", [(0, 1), (1, 1)], [(page._page, page._lastPage) for page in pages])
    expect_equal("universes", (*range(1, 301), *range(501, 801)), pages[0].universes + pages[1].universes)


def still_data(lab):
    """Still data are repeated three times, then every 800 to 1,000 ms: PyPI sacn does not lose them"""
    with Listener([1]) as peer, Capture(lab.folder / "still.pcap") as capture, lab.still({1: numbers(1)}):
        until("the levels", lambda: peer.levels(1) == numbers(1))
        time.sleep(5)
        expect_equal("availability", [(1, "available")], peer.availability)
    times = [each.time for each in capture.datagrams(5568, OURS) if is_data(each)]
    steps = [second - first for first, second in zip(times, times[1:], strict=False)]
    expect(len(steps) >= 7 and max(steps[:3]) < 0.5, f"expected three repetitions at once, got steps of {steps} s")
    # A wake of ours or of the capture may be late.
    expect(0.75 <= min(steps[3:]) and max(steps[3:]) <= 1.5, f"expected steps of 0.8 to 1 s, got {steps[3:]}")


def received(lab):
    """We receive every level of PyPI sacn, and the end of a source at once"""
    levels = numbers(9, 7)
    with lab.receive("--protocol", "sacn", "--universes", "1,300", "--events") as ours, source([1, 300]) as sender:
        sender[300].multicast = True
        sender[1].dmx_data, sender[300].dmx_data = levels, numbers(3)
        ours.line("the levels of universe 1", lambda line: line.get("dmx") == levels and line["universe"] == 1)
        ours.line("the levels of universe 300, a group", lambda line: line.get("dmx") == numbers(3) and line["universe"] == 300)
        sender.deactivate_output(1)
        ours.line("the end of a source", lambda line: line.get("event") == "sourceTerminated" and line["universe"] == 1, 1)
        expect_equal("status", 130, ours.interrupt())


def received_priorities(lab):
    """We merge PyPI sacn's sources by priority, and slot by slot by their 0xDD packets"""
    with lab.receive("--protocol", "sacn", "--universes", "1") as ours, source([1]) as low, source([1]) as high:
        low[1].dmx_data, high[1].dmx_data = [200] * 512, [50] * 512
        low[1].priority, high[1].priority = 100, 150
        ours.line("the levels of priority 150", lambda line: line.get("sources") == 2 and line["dmx"] == [50] * 512)
        high[1].per_address_priority = (200, 0, 1) + (99, 101) * 254 + (0,)
        wanted = [50, 200, 200] + [200, 50] * 254 + [200]
        ours.line("slots by their own priorities", lambda line: line.get("dmx") == wanted)
        high.deactivate_output(1)
        ours.line("the levels of the other one", lambda line: line.get("sources") == 1 and line["dmx"] == [200] * 512, 3)


def played(lab):
    """A recording of PyPI sacn's levels is played to PyPI sacn's receiver, each frame in its order"""
    path = lab.folder / "recording.ndjson"
    with lab.rustle("dmx", "record", path, "--protocol", "sacn", "--universes", "7", "--interface", OUR_CABLE) as ours, \
            source([7]) as sender:
        until("an open port", lambda: 5568 in lab.open_ports())
        sender.manual_flush = True
        for level in range(1, 31):
            sender[7].dmx_data = numbers(level)
            sender._sender_handler.send_out(sender[7], time.time())
            time.sleep(0.04)
        expect_equal("status", 130, ours.interrupt())
    with Listener([7]) as peer, lab.rustle("dmx", "play", path, "--interface", OUR_CABLE) as ours:
        expect_equal("status", 0, ours.end())
        expect_equal("levels", [tuple(numbers(level)) for level in range(1, 31)], [each.dmxData for each in peer.packets[7]])


def flush_frames(lab, is_synchronized):
    """Sends frames of four universes whose packets are 10 ms apart: returns the lines with their changes, by level."""
    universes = [1, 2, 3, 4]
    with lab.receive("--protocol", "sacn", "--universes", "1-4") as ours, \
            source(universes, pause=0.01, sync_universe=900) as sender:
        sender.manual_flush = True
        for level in range(1, 31):
            for universe in universes:
                sender[universe].dmx_data = [level] * 512
            if is_synchronized:
                sender.flush()
            else:
                for output in sender._outputs.values():
                    sender._sender_handler.send_out(output, time.time())
        ours.line("the last frame", lambda line: line.get("dmx", [0])[0] == 30 and line["universe"] == 4)
        time.sleep(0.1)
        return together(ours.lines)


def together(lines):
    """The times of the universes of each frame, by the level of their first slot."""
    frames = defaultdict(dict)
    for line in lines:
        if isinstance(line, dict) and "dmx" in line:
            frames[line["dmx"][0]][line["universe"]] = line["t_ms"]
    return frames


def expect_whole(frames, universes, count):
    """The universes of each frame changed at once; the first may be from before synchronization was heard."""
    for level in range(2, count + 1):
        expect_equal(f"universes of frame {level}", sorted(universes), sorted(frames[level]))
        times = set(frames[level].values())
        expect(max(times) - min(times) <= 1, f"frame {level}: expected its universes at once, got the times {sorted(times)} ms")


def received_sync(lab):
    """We show no universe of PyPI sacn's synchronized frames apart, though their packets come 30 ms apart"""
    expect_whole(flush_frames(lab, True), [1, 2, 3, 4], 30)
    apart = [max(times.values()) - min(times.values()) for times in flush_frames(lab, False).values() if len(times) == 4]
    expect(len(apart) >= 25 and median(apart) >= 20, f"expected frames without synchronization to come apart, got {apart} ms")


def is_data(each):
    return each.bytes[18:22] == b"\0\0\0\4"


def is_sync(each):
    return each.bytes[18:22] == b"\0\0\0\x08" and each.bytes[40:44] == b"\0\0\0\1"


def data_packets(capture):
    """Our data packets, as the peer reads them."""
    return [DataPacket.make_data_packet(tuple(each.bytes)) for each in capture.datagrams(5568, OURS) if is_data(each)]


CHECKS = [every_level, priority, terminations, sequence_per_universe, own_cid, universe_zero, rate, pattern,
          synchronization, discovery_pages, still_data, received, received_priorities, played, received_sync]
