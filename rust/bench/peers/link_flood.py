"""Simulates many peers of the tempo session that it hears on a host: link_flood.py ADDRESS COUNT

Each says every 250 ms that it is there, and answers each message of the member to all, as real ones do. It ends, and all leave, with
a line on its standard input.
"""

import select
import socket
import struct
import sys
import time

GROUP, PORT = "224.76.78.75", 20808
HEADER = b"_asdp_v\x01"
ALIVE, RESPONSE, LEAVING = 1, 2, 3
PERIOD = 0.25
# Answers are spread over 20 ms, as those of real programs are.
SPREAD = 0.02
TICK = 0.001


def entries(message):
    place = 20
    while place < len(message):
        key, size = struct.unpack_from(">4sI", message, place)
        yield key, message[place + 8:place + 8 + size]
        place += 8 + size


def messages(kind, count, state):
    """A message of each peer."""
    head = HEADER + bytes([kind, 0 if kind == LEAVING else 5, 0, 0])
    body = b"" if kind == LEAVING else b"".join(key + struct.pack(">I", len(value)) + value for key, value in state.items())
    return [head + f"sim{number:05}".encode() + body for number in range(count)]


def main():
    address, count = sys.argv[1], int(sys.argv[2])
    hears = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    hears.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    hears.bind(("", PORT))
    hears.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton(address))
    sends, responder = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    sends.bind((address, 0))
    sends.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    sends.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    responder.bind((address, 0))
    # The last message of the member, whose session and timeline are everybody's.
    heard, source = hears.recvfrom(512)
    state = dict(entries(heard))
    state[b"mep4"] = socket.inet_aton(address) + struct.pack(">H", responder.getsockname()[1])
    alive, responses = messages(ALIVE, count, state), messages(RESPONSE, count, state)
    sent, answered, start = 0, count, time.monotonic()
    answer_from = start
    while not select.select([sys.stdin], [], [], 0)[0]:
        time.sleep(TICK)
        now = time.monotonic()
        while select.select([hears], [], [], 0)[0]:
            message, source = hears.recvfrom(512)
            if message[8] == ALIVE:
                answered, answer_from = 0, now
        due = int((now - start) / PERIOD * count)
        for number in range(sent, due):
            sends.sendto(alive[number % count], (GROUP, PORT))
        sent = due
        upto = min(count, int((now - answer_from) / SPREAD * count))
        for number in range(answered, max(upto, answered)):
            sends.sendto(responses[number], source)
        answered = max(upto, answered)
    for message in messages(LEAVING, count, state):
        sends.sendto(message, (GROUP, PORT))


main()
