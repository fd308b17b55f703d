"""What Prometheus reads of the studio and of the command, by a parser of its own."""

import contextlib
import json
import os
import pty
import re
import resource
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from client import PATIENCE, ask, client, frames, post, send

TRADES = 2_000


def metrics(text):
    """The values by the names of samples and their labels; each family has a help text and a type, each sample comes once."""
    families = list(text_string_to_metric_families(text))
    assert all(family.documentation and family.type in ("counter", "gauge") for family in families), text
    samples = [((sample.name, *sorted(sample.labels.items())), sample.value) for family in families for sample in family.samples]
    assert len({key for key, _ in samples}) == len(samples), text
    assert all(sample.name.endswith("_total") == (family.type == "counter") for family in families for sample in family.samples), text
    return dict(samples)


def of_lane(found, engine, lane):
    """The counts of a lane by their names."""
    labels = (("engine", engine), ("lane", lane))
    return {key[0].removeprefix("rustle_"): value for key, value in found.items() if key[1:] == labels}


def read(url, method="GET"):
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=PATIENCE) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


@contextlib.contextmanager
def command(*words, address="127.0.0.1:0", **options):
    """A command that runs, and the address of its metrics."""
    process = subprocess.Popen([os.environ["RUSTLE"], *words, "--metrics", address], stderr=subprocess.PIPE, text=True, **options)
    try:
        notes = ""
        while not (found := re.search(r"metrics at (http://[\d.]+:\d+/metrics)\n", notes)):
            line = process.stderr.readline()
            assert line, notes
            notes += line
        yield process, found[1], notes
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_the_studio_counts_every_lane(studio):
    status, headers, text = ask(studio, "metrics")
    assert status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    before = metrics(text)
    assert before[("rustle_studio_clients",)] == 0 and ("rustle_studio_topic_subscribed", ("topic", "prices")) in before
    assert post(studio, "ticker/start", {"symbols": ["A", "B"], "rate": 100})[0] == 200
    with client(studio) as reader:
        send(reader, subscribe=["prices"])
        assert len(list(frames(reader, 3))) == 3
        during = metrics(ask(studio, "metrics")[2])
        assert during[("rustle_studio_clients",)] == 1 and during[("rustle_studio_engine_running", ("engine", "prices"))] == 1
        lane = of_lane(during, "feed", "trades")
        assert lane["streams"] >= 1 and lane["values_delivered_total"] > 0, lane
        assert lane["values_produced_total"] >= lane["values_delivered_total"] + lane["values_dropped_total"]
        assert list(frames(reader, 5))
        after = metrics(ask(studio, "metrics")[2])
    assert of_lane(after, "feed", "trades")["values_delivered_total"] > lane["values_delivered_total"]
    falls = {key: (before[key], after[key]) for key in before if key[0].endswith("_total") and after[key] < before[key]}
    assert not falls


def test_a_reader_of_events_is_counted(studio):
    def sent():
        return metrics(ask(studio, "metrics")[2])[("rustle_studio_sent_bytes_total",)]

    assert sent() == 0
    with urllib.request.urlopen(f"{studio.address}events?topics=tempo", timeout=PATIENCE) as events:
        received = sum(len(events.readline()) for _ in range(8))
        end = time.monotonic() + PATIENCE
        # What it has read may be counted a moment later; the first line is none of the values.
        while sent() < received - len("retry: 1000\n\n"):
            assert time.monotonic() < end


def test_the_command_counts_what_it_serves(tmp_path):
    recording = tmp_path / "a.ndjson"
    # Numbers 1,000 to 1,009 are missing.
    numbers = [number for number in range(TRADES + 10) if not 1_000 <= number < 1_010]
    recording.write_text("".join(json.dumps({"symbol": "A", "price": number, "t_ms": number, "seq": number}) + "\n" for number in numbers))
    server = tmp_path / "socket"
    words = ["ticker", "--replay", str(recording), "--speed", "max", "--json", "--serve", f"unix:{server}"]
    with command(*words, stdout=subprocess.DEVNULL) as (_, url, _):
        kind, text = read(url)
        assert kind == "text/plain; version=0.0.4; charset=utf-8"
        before = metrics(text)
        assert of_lane(before, "feed", "trades") == {
            "streams": 1, "streams_started_total": 1, "values_produced_total": 0, "values_delivered_total": 0,
            "values_dropped_total": 0, "values_waiting": 0}
        assert before[("rustle_server_clients",)] == 0 and before[("rustle_feed_messages_total",)] == 0
        with socket.socket(socket.AF_UNIX) as reader:
            reader.settimeout(PATIENCE)
            reader.connect(str(server))
            with reader.makefile() as lines:
                got = [json.loads(line) for line, _ in zip(lines, range(TRADES))]
            assert len(got) == TRADES
            # It is over when this client has left.
            found = metrics(read(url)[1])
    lane = of_lane(found, "feed", "trades")
    assert lane["values_produced_total"] == TRADES and lane["values_dropped_total"] == 0
    assert lane["values_delivered_total"] + lane["values_waiting"] == TRADES
    assert found[("rustle_server_clients",)] == 1 and found[("rustle_server_trades_total",)] == TRADES
    assert found[("rustle_feed_sequence_gaps_total",)] == 1 and found[("rustle_feed_missing_total",)] == 10
    assert of_lane(found, "feed", "serve")["streams"] == 1


def test_a_show_counts_its_packets():
    words = ["light", "run", "--output", "sacn:127.0.0.1", "--interface", "127.0.0.1", "--duration", "60", "--json"]
    with command(*words, stdout=subprocess.PIPE) as (process, url, _):
        process.stdout.readline()
        key = ("rustle_dmx_packets_total", ("output", "sacn:127.0.0.1"))
        first = second = metrics(read(url)[1])
        end = time.monotonic() + PATIENCE
        while second[key] < first[key] + 100:
            assert time.monotonic() < end
            process.stdout.readline()
            second = metrics(read(url)[1])
        process.stdout.close()
    assert second[("rustle_dmx_universes", key[1])] >= 1
    assert of_lane(second, "show", "values")["values_delivered_total"] >= 2
    sender = of_lane(second, "dmx_sender", "values")
    assert sender["streams"] == 1 and sender["values_produced_total"] >= 1 and sender["values_dropped_total"] == 0, sender


def test_the_endpoint_answers_nothing_else():
    with command("ticker", "A", "--json", stdout=subprocess.DEVNULL) as (_, url, _):
        assert read(url, "HEAD") == ("text/plain; version=0.0.4; charset=utf-8", "")
        for path, method, status in [("", "POST", 405), ("x", "GET", 404)]:
            with pytest.raises(urllib.error.HTTPError) as refused:
                read(url + path, method)
            assert refused.value.code == status
        host, port = url.split("/")[2].split(":")
        # Connections that send nothing keep no other one out: if they did, each sixteen for five seconds.
        silent = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(100)]
        assert metrics(read(url)[1])
        # A page whose own name leads here, and a client that says that no more follows.
        for name, status in [(f"evil.example:{port}", 421), (f"localhost:{port}", 200), (f"127.0.0.1:{port}", 200)]:
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as one:
                one.sendall(f"GET /metrics HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
                one.shutdown(socket.SHUT_WR)
                assert one.makefile().readline().split()[1] == str(status), name
        for each in silent:
            each.close()
        # Another spelling of the same address.
        with command("ticker", "A", "--json", address="127.1:0", stdout=subprocess.DEVNULL) as (_, other, _):
            for name, status in [("evil.example", 421), ("127.1", 200), ("localhost", 200)]:
                with socket.create_connection((host, int(other.split("/")[2].split(":")[1])), timeout=PATIENCE) as one:
                    one.sendall(f"GET /metrics HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
                    assert one.makefile().readline().split()[1] == str(status), name
        taken = subprocess.run([os.environ["RUSTLE"], "ticker", "A", "--metrics", f"{host}:{port}"], capture_output=True, text=True, timeout=PATIENCE)
        assert taken.returncode == 69 and taken.stderr.startswith(f"error: --metrics: {host}:{port}: another program has it"), taken.stderr


def test_a_free_port_that_a_live_view_would_hide_is_refused():
    view, terminal = pty.openpty()
    words = [os.environ["RUSTLE"], "ticker", "A", "--metrics", "127.0.0.1:0"]
    ended = subprocess.run(words, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, text=True, env={**os.environ, "TERM": "xterm"}, timeout=PATIENCE)
    assert ended.returncode == 64 and "--metrics: expected a port, got 0" in ended.stderr, ended
    for each in [view, terminal]:
        os.close(each)


def test_more_clients_are_served_than_a_shell_allows_files(tmp_path):
    server = tmp_path / "socket"

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 1_024))

    with command("ticker", "A", "--json", "--serve", f"unix:{server}", stdout=subprocess.DEVNULL, preexec_fn=limit) as (process, url, _):
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(100)]
            for one in clients:
                one.settimeout(PATIENCE)
                one.connect(str(server))
            # Each gets its first line, with the next trade.
            assert all(one.recv(1) for one in clients)
            assert metrics(read(url)[1])[("rustle_server_clients",)] == 100
        assert process.poll() is None
