"""Prices over NATS beside libnats alone: nats_figures.py RUSTLE FLOOR FOLDER [QUOTES]

Prints tables in Markdown: throughput to three consumers, each a process, whose candles have to be equal and account for every quote;
and the time from a quote to its line in the consumer's output. A goal that is missed is named at the end, and makes the status 1.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Tests" / "Peers"))
from nats_servers import Server, stop, until  # noqa: E402

SYMBOLS = 1_000
HOUR = 3_600_000
# The least shares of libnats' quotes a second, in a stream too.
SHARES = {False: 0.25, True: 0.5}
# The least quotes a second, in a stream too; the most processor time beyond libnats' on each side, in us a quote.
RATES, TIME = {False: 200_000, True: 25_000}, 3
# The most milliseconds from a quote to its line: the median, and 99 of 100.
MEDIAN, TAIL = 1, 10


def recording(path, quotes):
    """Quotes of one hour, and one of each symbol in the next, which ends the candles."""
    if not path.exists():
        with open(path, "w") as file:
            for number in range(quotes + SYMBOLS):
                hour = HOUR if number >= quotes else 0
                file.write(f'{{"v":1,"symbol":"S{number % SYMBOLS}","price":{number % 977}.25,"t_ms":{hour + number // SYMBOLS},'
                           f'"seq":{number // SYMBOLS}}}\n')
    return path


def ended(process):
    """The processor time of a process, in seconds, once it has ended."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def of_server(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")")[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(name, quotes, seconds, publisher, receivers, server):
    """Prints a row, and returns the quotes a second, and the processor time of the publisher and of a receiver, in us a quote."""
    per = 1e6 / quotes
    publishing, receiving = publisher * per, sum(receivers) / 3 * per
    print(f"| {name} | {quotes / seconds:,.0f} | {publishing:.2f} | {receiving:.2f} | {server * per:.2f} |")
    return quotes / seconds, publishing, receiving


def floor(program, folder, quotes, durable):
    server = Server(tempfile.mkdtemp(dir=folder))
    sending, receiving = ("store", "replay") if durable else ("publish", "receive")
    try:
        url = f"nats://127.0.0.1:{server.port}"
        # Of none, which makes the stream.
        until(lambda: subprocess.run([program, sending, url, "0"], stderr=subprocess.DEVNULL).returncode == 0, "a server")
        receivers = [subprocess.Popen([program, receiving, url, str(quotes)], stdout=subprocess.PIPE) for _ in range(3)]
        for receiver in receivers:
            receiver.stdout.readline()
        before, begun = of_server(server), time.monotonic()
        publisher = subprocess.Popen([program, sending, url, str(quotes)])
        publishing = ended(publisher)
        times = [ended(receiver) for receiver in receivers]
        assert publisher.returncode == 0 and all(receiver.returncode == 0 for receiver in receivers)
        name = "libnats alone, 92 bytes" + (", JetStream, at most 512 without an acknowledgement" if durable else "")
        return row(name, quotes, time.monotonic() - begun, publishing, times, of_server(server) - before)
    finally:
        stop([server])


def ours(rustle, folder, quotes, durable):
    server, path = Server(tempfile.mkdtemp(dir=folder)), recording(folder / f"{quotes}.ndjson", quotes)
    url, outputs, consumers = server.url("p"), [], []
    try:
        for n in range(3):
            output = folder / f"candles{n}.ndjson"
            log = open(folder / f"candles{n}.log", "w+")
            consumers.append((subprocess.Popen(
                [rustle, "ticker", "--connect", url, "--candles", "1h", "--json", *(["--history", "all"] if durable else [])],
                stdout=open(output, "wb"), stderr=log), log))
            outputs.append(output)
        for _, log in consumers:
            # There is no stream before its publisher: the wait for the next attempt, a second, is part of what is measured.
            state = "next attempt in 1.0 s" if durable else "connected to"
            until(lambda: state in pathlib.Path(log.name).read_text(), "a first attempt")
        # The subscriptions follow the connections at once; streams are read from their beginning.
        if not durable:
            time.sleep(1)
        before, begun = of_server(server), time.monotonic()
        publisher = subprocess.Popen(
            [rustle, "ticker", "--replay", path, "--speed", "max", "--publish", url, "--policy", "conflated", "--json",
             *(["--durable", "1h"] if durable else [])], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        text = publisher.stderr.read()
        publishing = ended(publisher)
        assert publisher.returncode == 0, text
        for output in outputs:
            until(lambda: output.read_bytes().count(b"\n") >= SYMBOLS, "every candle", 600)
        seconds = max(output.stat().st_mtime for output in outputs) - (time.time() - (time.monotonic() - begun))
        server_time = of_server(server) - before
        receiving, gaps = [], []
        for consumer, log in consumers:
            consumer.send_signal(2)
            receiving.append(ended(consumer))
            text = pathlib.Path(log.name).read_text()
            gaps.append(next((int(line.split()[1]) for line in text.splitlines() if "sequence numbers in" in line), 0))
        candles = [sorted(output.read_text().splitlines()) for output in outputs]
        counts = [sum(json.loads(line)["count"] for line in lines) for lines in candles]
        assert all(count + gap == quotes for count, gap in zip(counts, gaps)), (counts, gaps)
        assert any(gaps) or candles[0] == candles[1] == candles[2]
        name = "rustle, JetStream, with up to 1 s of waiting" if durable else "rustle"
        name += f", {sum(gaps)} reported missing" if any(gaps) else ", equal candles"
        return row(name, quotes, seconds, publishing, receiving, server_time)
    finally:
        for consumer, _ in consumers:
            if consumer.returncode is None:
                consumer.kill()
                consumer.wait()
        stop([server])


def latency(rustle, folder, rate, seconds):
    server = Server(tempfile.mkdtemp(dir=folder))
    url, times = server.url("p"), []
    try:
        consumer = subprocess.Popen([rustle, "ticker", "--connect", url, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        publisher = subprocess.Popen([rustle, "ticker", *(f"S{n}" for n in range(rate)), "--rate", "1", "--duration", str(seconds),
                                      "--publish", url, "--policy", "conflated", "--json"], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
        # What the publisher has sent last has a second to come.
        threading.Thread(target=lambda: (publisher.wait(), time.sleep(1), consumer.kill())).start()
        for line in consumer.stdout:
            now, record = time.time_ns(), json.loads(line)
            if "price" in record:
                times.append((now - record.get("t_ns", record.get("t_ms", 0) * 1_000_000)) / 1e6)
        consumer.wait()
    finally:
        stop([server])
    times.sort()
    median, tail = times[len(times) // 2], times[len(times) * 99 // 100]
    print(f"| {len(times) / seconds:,.0f} | {median:.2f} | {tail:.2f} | {times[-1]:.1f} |")
    return median, tail


def main():
    rustle, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    quotes = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    print(f"## Throughput to three consumers\n\nProcessor time in us a quote; goals are {TIME} beyond libnats', {RATES[False]:,} quotes/s, and "
          f"{RATES[True]:,} with JetStream.\n")
    print("| | quotes/s to each | publisher | consumer | server |\n|---|---|---|---|---|")
    shares, missed = {}, []
    for durable, count in ((False, quotes), (True, quotes // 5)):
        alone, *floors = floor(program, folder, count, durable)
        rate, *times = ours(rustle, folder, count, durable)
        kind, shares[durable] = "with JetStream" if durable else "without JetStream", rate / alone
        if shares[durable] < SHARES[durable]:
            missed.append(f"the share of libnats' quotes {kind}")
        if rate < RATES[durable]:
            missed.append(f"quotes a second {kind}")
        missed += [f"processor time of a {side} {kind}" for side, time, least in zip(("publisher", "consumer"), times, floors) if time - least > TIME]
    print(f"\nOf libnats' quotes a second: {shares[False]:.2f} (goal: {SHARES[False]}), with JetStream {shares[True]:.2f} (goal: {SHARES[True]}).")
    print(f"\n## From a quote's time to its line in the consumer's output, ms\n\n| quotes/s | median, goal {MEDIAN} | 99 of 100, goal {TAIL} | largest |\n"
          "|---|---|---|---|")
    median, tail = latency(rustle, folder, 3_000, int(os.environ.get("RUSTLE_SECONDS", "10")))
    if median > MEDIAN or tail > TAIL:
        missed.append("the time to a line")
    if missed:
        sys.exit(f"missed: {', '.join(missed)}")


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
