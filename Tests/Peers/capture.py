"""Captures of the cable as pcap files, and what tshark and others read in them."""

import socket
import struct
import subprocess
import threading
import time

from hosts import PEER_CABLE, Unmet

ALL_PROTOCOLS, ETHERNET = 0x0003, 1


def is_udp(frame):
    return frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_UDP


class Datagram:
    """A UDP datagram: the time of its arrival in seconds, source, destination, payload."""

    def __init__(self, time, frame):
        self.time = time
        length = 4 * (frame[14] & 15)
        self.source, self.destination = socket.inet_ntoa(frame[26:30]), socket.inet_ntoa(frame[30:34])
        self.source_port, self.port = struct.unpack_from(">HH", frame, 14 + length)
        end = 14 + struct.unpack_from(">H", frame, 16)[0]
        self.bytes = frame[14 + length + 8:end]


class Capture:
    """All frames on the cable while `with` runs, as datagrams and in a pcap file."""

    def __init__(self, path):
        self.path = path
        self.frames = []
        self.ended = threading.Event()

    def __enter__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind((PEER_CABLE, ALL_PROTOCOLS))
        self.socket.settimeout(0.1)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        return self

    def _read(self):
        while not self.ended.is_set():
            try:
                frame = self.socket.recv(65_536)
            except TimeoutError:
                continue
            self.frames.append((time.time(), frame))

    def __exit__(self, *_):
        self.ended.set()
        self.reader.join()
        self.socket.close()
        with open(self.path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, ETHERNET))
            for at, frame in self.frames:
                file.write(struct.pack("<IIII", int(at), int(at % 1 * 1e6), len(frame), len(frame)) + frame)

    def datagrams(self, port, source=None):
        """The UDP datagrams to a port, of one host or all."""
        udp = [Datagram(*each) for each in list(self.frames) if is_udp(each[1])]
        return [each for each in udp if each.port == port and source in (None, each.source)]

    def judged(self, condition, fields):
        """What tshark says: a dictionary of the fields for each packet that meets the condition. A malformed one is refused."""
        options = ["-o", "acn.dmx_enable:TRUE", "--enable-heuristic", "acn"]
        # What a host without a receiver answers has a packet of ours within.
        condition = f"({condition}) && !icmp"
        if found := self._tshark([*options, "-Y", f"{condition} && _ws.malformed"]):
            raise Unmet(f"expected no malformed packet, got from tshark: {found[0]}")
        asked = [word for field in fields for word in ("-e", field)]
        lines = self._tshark([*options, "-Y", condition, "-T", "fields", "-E", "separator=/t", "-E", "aggregator=;", *asked])
        return [dict(zip(fields, line.split("\t"), strict=True)) for line in lines]

    def _tshark(self, words):
        run = subprocess.run(["tshark", "-n", "-r", self.path, *words], capture_output=True, text=True, check=False)
        if run.returncode:
            raise Unmet(f"tshark failed: {run.stderr.strip()[-300:]}")
        return run.stdout.splitlines()
