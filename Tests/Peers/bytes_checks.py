"""tshark: reads our packets, none malformed, each field as configured."""

import socket
import uuid

from capture import Capture
from hosts import BROADCAST, OURS, OUR_CABLE, PEERS, expect, expect_equal, until

CID = "0b9c8d7e-6f50-4a3b-9c2d-1e0f2a3b4c5d"
ART_POLL = b"Art-Net\0\0\x20\0\x0e\0\0"


def judged(capture, condition, expected, count=1):
    """Each packet of ours that meets the condition has the fields, and no bytes after them."""
    expected = {"artnet.excess_bytes": "", **expected}
    packets = capture.judged(f"ip.src == {OURS} && {condition}", list(expected))
    expect(len(packets) >= count, f"expected {count} packets or more with {condition}, got {len(packets)}")
    for packet in packets:
        for field, value in expected.items():
            expect_equal(field, value, packet[field])
    return f"{len(packets)} packets"


def art_dmx(lab):
    """ArtDmx"""
    with Capture(lab.folder / "art-dmx.pcap") as capture:
        with lab.send("--protocol", "artnet", "--to", PEERS, "--universes", "1.2.3", "--duration", "1") as ours:
            expect_equal("status", 0, ours.end())
    sequence = [int(packet["artnet.output.sequence"], 0) for packet in capture.judged("artnet.output", ["artnet.output.sequence"])]
    expect_equal("sequence numbers", list(range(sequence[0], sequence[0] + len(sequence))), sequence)
    return judged(capture, "artnet", {
        "ip.dst": PEERS, "udp.dstport": "6454", "artnet.header.id": "Art-Net", "artnet.header.opcode": "0x5000",
        "artnet.header.protver": "14", "artnet.output.physical": "0", "artnet.output.universe": "291",
        "artnet.output.length": "512"}, 20)


def art_sync(lab):
    """ArtSync"""
    with Capture(lab.folder / "art-sync-judged.pcap") as capture:
        with lab.send("--protocol", "artnet", "--to", "broadcast", "--art-sync", "--duration", "1") as ours:
            expect_equal("status", 0, ours.end())
    return judged(capture, "artnet.header.opcode == 0x5200", {
        "ip.dst": BROADCAST, "udp.dstport": "6454", "udp.length": "22", "artnet.header.protver": "14"}, 20)


def art_poll(lab):
    """ArtPoll"""
    with Capture(lab.folder / "art-poll.pcap") as capture:
        with lab.rustle("dmx", "nodes", "--interface", OUR_CABLE):
            until("a poll", lambda: [each for each in capture.datagrams(6454, OURS) if each.bytes[8:10] == b"\0\x20"])
    # This version does not know the last fields of Art-Net 4: ESTA and OEM codes.
    return judged(capture, "artnet.poll", {
        "artnet.excess_bytes": "00000000",
        "ip.dst": BROADCAST, "udp.srcport": "6454", "udp.dstport": "6454", "udp.length": "30", "artnet.header.protver": "14",
        "artnet.poll.talktome_reply_change": "1", "artnet.poll.talktome_diag": "0", "artnet.poll.talktome_targeted": "0"})


def art_poll_reply(lab):
    """ArtPollReply"""
    universes = "1.2.0,1.2.3,1.2.15"
    with Capture(lab.folder / "art-poll-reply.pcap") as capture, lab.receive("--protocol", "artnet", "--universes", universes):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            asker.bind((PEERS, 6454))
            asker.sendto(ART_POLL, (BROADCAST, 6454))
            until("three replies", lambda: len(replies(capture)) >= 3, 5)
    mac = lab.on_our_host("ip", "-oneline", "link", "show", OUR_CABLE).split("link/ether ")[1].split()[0]
    outputs = sorted(each.bytes[190] for each in replies(capture))
    expect_equal("SwOut of the replies", [0, 3, 15], outputs)
    expect_equal("BindIndex of the replies", [1, 2, 3], sorted(each.bytes[211] for each in replies(capture)))
    return judged(capture, "artnet.poll_reply", {
        "ip.dst": PEERS, "udp.dstport": "6454", "udp.length": str(8 + 239), "artnet.poll_reply.ip_address": OURS,
        "artnet.poll_reply.port_nr": "6454", "artnet.poll_reply.netswitch": "0x01", "artnet.poll_reply.subswitch": "0x02",
        "artnet.poll_reply.short_name": "rustle", "artnet.poll_reply.long_name": "rustle dmx receive",
        "artnet.poll_reply.num_ports": "1", "artnet.poll_reply.port_types_1": "0x80", "artnet.poll_reply.style": "0x00",
        "artnet.poll_reply.mac": mac, "artnet.poll_reply.bind_ip_address": OURS}, 3)


def replies(capture):
    return [each for each in capture.datagrams(6454, OURS) if each.bytes[8:10] == b"\0\x21"]


def sacn_data(lab):
    """data of sACN"""
    with Capture(lab.folder / "sacn.pcap") as capture:
        with lab.send("--universes", "4711", "--priority", "123", "--name", "judged", "--cid", CID, "--sync-address", "63999",
                      "--duration", "1") as ours:
            expect_equal("status", 0, ours.end())
    fields = {
        "ip.dst": "239.255.18.103", "udp.length": str(8 + 638), "acn.preamble_size": "16", "acn.postamble_size": "0",
        "acn.cid": uuid.UUID(CID).urn[9:], "acn.dmx.source_name": "judged", "acn.dmx.priority": "123",
        "acn.dmx.universe": "4711", "acn.dmx.start_code2": "0", "acn.dmx.increment": "1", "acn.dmx.count": "513",
        # The synchronization address, by its name in an older edition of the standard.
        "acn.dmx.reserved": "63999"}
    ends = judged(capture, "acn.dmx.universe && acn.dmx.option_s == 1", {**fields, "acn.dmx.option_p": "0"}, 3)
    data = judged(capture, "acn.dmx.universe && acn.dmx.option_s == 0", {**fields, "acn.dmx.option_p": "0"}, 20)
    return f"{data}, {ends} of the end"


CHECKS = [art_dmx, art_sync, art_poll, art_poll_reply, sacn_data]
