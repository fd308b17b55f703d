"""The WebSocket: access, messages, values, and clients that misbehave."""

import concurrent.futures
import contextlib
import itertools
import json
import struct
import time
import urllib.request

import pytest
from websockets.exceptions import ConnectionClosed

from client import HEADER, PATIENCE, answer, answers, ask, block, client, fast_levels, frame, frames, post, processor_time, resident, send, speaker, upgraded
from rig import wait

[CONTINUATION, TEXT, BINARY, CLOSE, PING] = [0, 1, 2, 8, 9]
# The number of a topic.
LEVELS = 7


def code(payload):
    return struct.unpack(">H", payload[:2])[0] if payload else None


def test_foreign_origins_get_no_socket(studio):
    for options in [{"origin": "http://evil.example"}, {"additional_headers": {"Cookie": "rustle_token=x"}}]:
        with client(studio, **options) as socket, pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=PATIENCE)
        assert closed.value.rcvd.code == 1008
    with client(studio, origin=f"http://127.0.0.1:{studio.port}") as socket:
        assert json.loads(socket.recv())["type"] == "hello"


def test_answers_that_nobody_reads_are_bounded(studio):
    before = resident(studio)
    message = frame(1, json.dumps({"v": 1, "id": 1, "do": "x" * 60_000}).encode())
    sockets = [upgraded(studio, buffer=4096) for _ in range(10)]

    def ask_much(raw):
        raw.settimeout(1)
        with contextlib.suppress(OSError):
            for _ in range(100):
                raw.sendall(message)

    with concurrent.futures.ThreadPoolExecutor(len(sockets)) as pool:
        list(pool.map(ask_much, sockets))
    time.sleep(1)
    assert resident(studio) - before < 40 << 20
    for raw in sockets:
        raw.close()


def test_values_are_streamed_and_their_losses_counted(studio):
    with client(studio) as reader, fast_levels(studio):
        assert json.loads(reader.recv())["type"] == "hello"
        send(reader, subscribe=["levels"])
        sequence, all_lost = None, 0
        for count, (topic, number, lost) in enumerate(frames(reader, 2_000)):
            assert topic == LEVELS
            if sequence is not None:
                assert number == sequence + lost + 1
            sequence, all_lost = number, all_lost + lost
            if count >= 50 and all_lost >= 20:
                break
        assert all_lost >= 20


def test_prices_are_streamed_with_the_count_of_all(studio):
    with client(studio) as reader:
        assert json.loads(reader.recv())["states"]["ticker"]["running"] is False
        send(reader, subscribe=["prices"])
        assert post(studio, "ticker/start", {"symbols": ["A", "B"], "rate": 500})[0] == 200
        numbers = [number for topic, number, lost in frames(reader, 30)]
        assert numbers == sorted(set(numbers))
        result = json.loads(post(studio, "ticker/prices", {})[2])["result"]
        # Far more prices than values.
        assert result["missed"] == 0 and all(each["received"] > 2 * numbers[-1] for each in result["prices"])


def test_messages_that_are_wrong_are_answered(studio):
    with client(studio) as socket:
        socket.recv()
        for text in ["", "[]", '{"v":2}', '{"v":1,"subscribe":["x"]}', '{"v":1,"do":"x"}']:
            socket.send(text)
            assert answer(socket)["error"]["code"] == "validation"
        # Neither sound nor a picture.
        socket.send(b"\x01\x03")
        assert answer(socket)["error"]["code"] == "validation"
        send(socket, id=3, do="no/action")
        assert answer(socket)["error"]["code"] == "notFound"
    with client(studio) as socket:
        socket.recv()
        with pytest.raises(ConnectionClosed) as closed:
            socket.send("x" * (70 << 10))
            socket.recv(timeout=PATIENCE)
        assert closed.value.rcvd.code == 1009


def test_a_reader_that_stalls_costs_no_memory(studio):
    with client(studio) as reader:
        reader.recv()
        send(reader, subscribe=["prices", "spectrum", "meter"])
        assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
        assert post(studio, "ticker/start", {"rate": 1000})[0] == 200
        list(frames(reader, 20))
        stalled = []
        for _ in range(20):
            raw = upgraded(studio, buffer=4096)
            raw.sendall(frame(1, b'{"v":1,"subscribe":["prices","spectrum","meter"]}'))
            stalled.append(raw)
        time.sleep(1)
        before = resident(studio)
        time.sleep(3)
        assert resident(studio) - before < 10 << 20
        # The one that reads is not affected.
        assert len(list(frames(reader, 20))) == 20
        for raw in stalled:
            raw.close()


@contextlib.contextmanager
def meter_reader(studio):
    """The values of the meter for one more client: sequence number, and the maximum since the meter began."""
    with client(studio) as socket:
        send(socket, subscribe=["meter"])
        messages = (socket.recv(timeout=PATIENCE) for _ in iter(int, 1))
        yield ((HEADER.unpack(each[:HEADER.size])[3], *struct.unpack_from("<d", each, HEADER.size + 24)) for each in messages if isinstance(each, bytes))


def test_an_engine_runs_from_the_first_client_until_five_seconds_after_the_last(studio):
    def is_running():
        return 'rustle_studio_engine_running{engine="meter"} 1\n' in ask(studio, "metrics")[2]

    level = 0.5
    with speaker(studio, lambda place: level if place // 48 % 2 else -level):
        assert not is_running()
        with meter_reader(studio) as one, meter_reader(studio) as other:
            # Both read one meter: what both have received is the same.
            first, second = (dict(next(each) for _ in range(20)) for each in [one, other])
            common = first.keys() & second.keys()
            assert len(common) > 5 and all(first[each] == second[each] for each in common)
        for _ in range(5):
            level = 0.5
            with meter_reader(studio) as values:
                assert next(maximum for _, maximum in values if maximum > -20)
            level = 0.001
            left = time.monotonic()
            with meter_reader(studio) as values:
                _, maximum = next(values)
                last = time.monotonic()
            # Otherwise this machine has stood still.
            if time.monotonic() - left < 4:
                break
        assert maximum > -20
        wait(lambda: not is_running())
        assert time.monotonic() - last > 4.5
        with meter_reader(studio) as values:
            assert next(values)[1] < -20


def test_a_paused_client_gets_no_values(studio):
    with client(studio) as paused, client(studio) as other:
        assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})[0] == 200
        for each in [paused, other]:
            send(each, subscribe=["prices"])
            list(frames(each, 3))
        send(paused, pause=True)

        def until_answer(number):
            """What comes before an answer."""
            send(paused, id=number, do="no/action")
            messages = iter(lambda: paused.recv(timeout=PATIENCE), None)
            return list(itertools.takewhile(lambda each: isinstance(each, bytes) or json.loads(each).get("id") != number, messages))

        until_answer(1)
        list(frames(other, 30))
        assert not [each for each in until_answer(2) if isinstance(each, bytes)]
        send(paused, pause=False)
        assert len(list(frames(paused, 3))) == 3


def test_a_client_is_pinged_and_a_reader_of_events_kept(studio):
    with urllib.request.urlopen(f"{studio.address}events?topics=meter", timeout=PATIENCE) as events, upgraded(studio) as raw:
        data = b""
        # A page sees no ping.
        while bytes([0x80 | PING, 0]) not in data or b'{"type":"here","v":1}' not in data:
            part = raw.recv(1 << 16)
            # It answers no ping: it is closed after a while.
            assert part
            data += part
        while events.readline() != b": still here\n":
            pass


def test_fifty_clients_lose_nothing_unseen(studio):
    def read(_):
        with client(studio) as socket:
            send(socket, subscribe=["levels"])
            received = list(frames(socket, 25))
            return all(later[1] == earlier[1] + later[2] + 1 for earlier, later in zip(received, received[1:]))

    # 32 connections of one address at most.
    with fast_levels(studio), concurrent.futures.ThreadPoolExecutor(25) as pool:
        assert all(pool.map(read, range(50)))


@pytest.mark.parametrize("sent,expected", [
    ([(TEXT, b"{}", {"is_masked": False})], 1002), ([(TEXT, b"{}", {"reserved": 4})], 1002), ([(CONTINUATION, b"{}", {})], 1002),
    ([(TEXT, b"{", {"is_last": False}), (TEXT, b"}", {})], 1002), ([(3, b"", {})], 1002),
    ([(TEXT, b"\xff", {})], 1007), ([(BINARY, bytes(60_000), {"is_last": False}), (CONTINUATION, bytes(60_000), {})], 1009),
    ([(CLOSE, b"", {})], None), ([(CLOSE, b"\x0b\xb9bye", {})], 3001), ([(CLOSE, b"\x03", {})], 1002), ([(CLOSE, b"\x03\xed", {})], 1002),
])
def test_a_connection_ends_with_one_close_frame(studio, sent, expected):
    with upgraded(studio) as raw:
        for opcode, payload, options in sent:
            raw.sendall(frame(opcode, payload, **options))
        closed = [payload for opcode, payload in answers(raw) if opcode == CLOSE]
    assert len(closed) == 1 and code(closed[0]) == expected, closed


@pytest.mark.parametrize("length", [1, 128])
def test_a_flood_of_sound_ends_its_connection(studio, length):
    with upgraded(studio) as raw, client(studio) as other:
        raw.sendall(frame(TEXT, b'{"v":1,"id":1,"do":"sound/select","with":{"kind":"browser"}}'))
        before = processor_time(studio)
        with contextlib.suppress(ConnectionError):
            for sequence in range(20_000):
                raw.sendall(frame(BINARY, block(sequence, [0.5] * length)))
        try:
            closed = [payload for opcode, payload in answers(raw) if opcode == CLOSE]
        except ConnectionError:
            # What it sent after the end has discarded the last frame.
            closed = []
        assert all(code(payload) == 1013 and payload[2:] == b"expected at most 250 binary messages a second" for payload in closed), closed
        assert processor_time(studio) - before < 1
        # The others go on.
        assert json.loads(other.recv(timeout=PATIENCE))["type"] == "hello"
        send(other, subscribe=["tempo"])
        assert len(list(frames(other, 3))) == 3


def test_more_sound_than_is_allowed_is_said(studio):
    blocks = [block(sequence, [0.5] * 128) for sequence in range(300)]
    with client(studio) as socket:
        socket.recv(timeout=PATIENCE)
        with pytest.raises(ConnectionClosed) as closed:
            # A busy machine may send them so slowly that they are allowed.
            for _ in range(10):
                for each in blocks:
                    socket.send(each)
                with contextlib.suppress(TimeoutError):
                    while True:
                        socket.recv(timeout=2)
    assert closed.value.rcvd.code == 1013 and "at most 250 binary messages" in closed.value.rcvd.reason


def test_blocks_that_are_too_short_are_answered(studio):
    with client(studio) as socket:
        socket.recv(timeout=PATIENCE)
        # Nobody reads what a client sends that is not the source.
        socket.send(block(0, [0.5] * 127))
        send(socket, id=1, do="sound/select", **{"with": {"kind": "browser"}})
        assert answer(socket)["ok"]
        socket.send(block(0, [0.5] * 127))
        assert answer(socket)["error"]["message"] == (
            "expected a block of one channel with 128 to 4096 frames, or a frame of gray with sides of 16 pixels or more, 65528 pixels at most")


def test_sound_in_time_is_heard(studio):
    with speaker(studio, lambda place: 0.5 if place // 48 % 2 else -0.5), client(studio) as listener:
        listener.recv(timeout=PATIENCE)
        send(listener, subscribe=["levels"])
        deadline, peaks = time.monotonic() + PATIENCE, []
        # More blocks than may come at once.
        while len(peaks) < 100:
            assert time.monotonic() < deadline
            message = listener.recv(timeout=PATIENCE)
            if isinstance(message, bytes):
                peaks.append(struct.unpack("<f", message[20:24])[0])
        assert all(abs(peak - -6.02) < 0.01 for peak in peaks), peaks


def test_fragments_are_one_message_and_pings_are_answered(studio):
    with upgraded(studio) as raw:
        raw.sendall(frame(TEXT, b'{"v":1,"id":7,', is_last=False) + frame(PING, b"here") + frame(CONTINUATION, b'"do":"no/action"}'))
        raw.sendall(frame(CLOSE, struct.pack(">H", 1000)))
        received = answers(raw)
    assert (10, b"here") in received and code(received[-1][1]) == 1000
    with upgraded(studio) as raw:
        raw.sendall(frame(TEXT, b'{"v":1,"id":7,', is_last=False) + frame(CONTINUATION, b'"do":"no/action"}'))
        data = b""
        while b'"id":7' not in data:
            data += raw.recv(1 << 16)


def test_many_changes_of_one_client_close_no_other(studio):
    with client(studio) as one, client(studio) as other:
        for number in range(500):
            send(one, id=number, do="equalizer/gain", **{"with": {"band": 5, "gain": number % 12}})
        while answer(one).get("id") != 499:
            pass
        deadline, gain = time.monotonic() + PATIENCE, None
        while gain != 499 % 12:
            assert time.monotonic() < deadline
            message = json.loads(other.recv(timeout=PATIENCE))
            if message.get("name") == "equalizer":
                gain = message["state"]["left"][5]


def test_a_client_that_reads_gets_every_answer(studio):
    for _ in range(3):
        with client(studio) as socket, concurrent.futures.ThreadPoolExecutor() as pool:
            def ask_for_all():
                for number in range(2000):
                    send(socket, id=number, do="tempo/quantum", **{"with": {"beats": 4}})

            asking = pool.submit(ask_for_all)
            assert answer(socket)["type"] == "hello"
            assert sorted(answer(socket)["id"] for _ in range(2000)) == list(range(2000))
            asking.result()


def test_a_client_that_takes_no_answers_is_ended(studio):
    with upgraded(studio, 4096) as raw, pytest.raises(ConnectionError):
        # It is ended after ten seconds in which it takes nothing; a busy server makes the answers before slowly.
        raw.settimeout(3 * PATIENCE)
        while True:
            raw.sendall(frame(TEXT, b'{"v":1,"id":1,"do":"fixtures/list"}'))
