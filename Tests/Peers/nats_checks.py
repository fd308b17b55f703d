"""Prices over NATS with the built command: nats_checks.py RUSTLE FOLDER KILLS

Publishers and consumers are processes of their own; servers, and consumers, are stopped and killed. The last line is
`N passed, N failed`.
"""

import collections
import contextlib
import itertools
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback

from nats_runs import Acknowledgements, Command, Delays, Source, measure
from nats_servers import Elections, Liar, Server, cluster, stop, until


def accounted(consumer):
    """The updates that have come, and those that are reported missing."""
    lines = [line for line in consumer.lines() if line.get("symbol") != "PROBE"]
    return sum("price" in line for line in lines), sum(line.get("gap", 0) for line in lines)


def keys(lines):
    return [(line["symbol"], line["seq"]) for line in lines if "price" in line]


def recording(folder, quotes, symbols):
    path = folder / "quotes.ndjson"
    with open(path, "w") as file:
        for number in range(quotes):
            file.write(f'{{"symbol":"S{number % symbols}","price":{number % 977}.25,"t_ms":{number},"seq":{number // symbols}}}\n')
    return path


def joined(rustle, folder, url, consumers):
    """Waits until consumers have subscribed: they get what another publisher sends."""
    probe = Command(rustle, folder, f"probe{time.monotonic_ns()}", "PROBE", "--rate", "50", "--publish", url)
    for consumer in consumers:
        until(lambda: any(line.get("symbol") == "PROBE" for line in consumer.lines()), "a subscription")
    probe.end()


def three_consumers_account_for_everything(rustle, folder, _):
    quotes, symbols = 60_000, 1_000
    path, server = recording(folder, quotes, symbols), Server(folder)
    try:
        consumers = [Command(rustle, folder, f"consumer{n}", "--connect", server.url("p")) for n in range(3)]
        joined(rustle, folder, server.url("p"), consumers)
        publisher = Command(rustle, folder, "publisher", "--replay", str(path), "--speed", "max", "--publish", server.url("p"))
        assert publisher.process.wait(timeout=300) == 0, publisher.errors.read_text()
        assert publisher.said(f"{quotes} updates published at p"), publisher.errors.read_text()

        for consumer in consumers:
            until(lambda: sum(accounted(consumer)) == quotes, f"values + gaps = {quotes}")
            consumer.end()
        texts = [sorted(key for key in keys(consumer.lines()) if key[0] != "PROBE") for consumer in consumers]
        assert all(len(set(text)) == len(text) for text in texts), "an update came twice"
    finally:
        stop([server])


def a_consumer_that_is_killed_goes_on(rustle, folder, _):
    server = Server(folder)
    try:
        source = Source(rustle, folder, server.url("p"), 2)
        first = Command(rustle, folder, "first", "--connect", server.url("p"), "--history", "all")
        # Of more than the second that the other one reads again.
        until(lambda: accounted(first)[0] > 600, "600 updates")
        killed = int(time.time() * 1_000)
        first.end(signal.SIGKILL)
        source.passes(200)
        # From a time before the last line: what comes again has the same number.
        second = Command(rustle, folder, "second", "--connect", server.url("p"), "--history", str(killed - 1_000))
        source.passes(200)
        count = source.end()
        sent = {(f"S{number % 2}", number // 2) for number in range(count)}
        until(lambda: sent <= set(keys(first.lines())) | set(keys(second.lines())), "every update")
        second.end()
        for lines in first.lines(), second.lines():
            assert len(set(keys(lines))) == len(keys(lines)), "an update came twice"
            assert not any("gap" in line for line in lines), "a gap is reported where nothing is lost"
        # The second goes on at the first one's place: less what it has in common with it, both are each update once.
        for symbol in ("S0", "S1"):
            one, two = ([number for name, number in keys(consumer.lines()) if name == symbol] for consumer in (first, second))
            joined_up = one + [number for number in two if number > one[-1]]
            wanted = sum(name == symbol for name, _ in sent)
            assert joined_up == list(range(wanted)), f"expected {wanted} updates of {symbol}, each once, got {joined_up}"
            assert two == list(range(two[0], wanted)) and 0 < two[0] <= one[-1] + 1, f"expected {symbol} from about {one[-1]} on, got {two[0]}"
    finally:
        stop([server])


def a_server_that_stops_is_noticed(rustle, folder, _):
    # Publishers have the interval of 10 s that is the default, and send more than a server that stops takes, encrypted too.
    options, roots = encryption(folder)
    interval, publishing, servers = 2, 10, [Server(folder), Server(folder, "b", options=options)]
    try:
        consumer = Command(rustle, folder, "consumer", "--connect", servers[0].url("p"), "--silence-limit", f"{2 * interval}s")
        until(consumer.is_connected, "a connection")
        addresses = [servers[0].url("p")], [f"tls://localhost:{servers[1].port}/p", "--publish-roots", roots]
        publishers = [Command(rustle, folder, f"publisher{n}", "A", "B", "--rate", "5000", "--publish", *address, "--metrics", "127.0.0.1:0")
                      for n, address in enumerate(addresses)]
        urls = [publisher.metrics() for publisher in publishers]

        def counts():
            return [measure(url, "published_total") for url in urls]
        until(lambda: min(counts()) > 100, "updates")
        # The first interval has just begun: no silence is noticed later.
        with Delays() as delays:
            begun = time.monotonic()
            for server in servers:
                server.send(signal.SIGSTOP)
            until(lambda: consumer.said("no connection"), "a loss that is reported")
            seconds = time.monotonic() - begun
            # Later ones nobody has read.
            published = counts()
            until(lambda: all(publisher.said("no connection") for publisher in publishers), "losses that are reported")
            late = time.monotonic() - begun
            assert (now := counts()) == published, f"expected {published} published updates, got {now}"
        delays.judge("noticed by the consumer", seconds, 2 * interval)
        delays.judge("noticed by both publishers", late, 2 * publishing)
        for server in servers:
            server.send(signal.SIGCONT)
        for command in (consumer, *publishers):
            until(lambda: command.errors.read_text().count("connected to ") == 2, "a connection again")
            command.end()
    finally:
        stop(servers)


def a_server_that_is_killed_costs_a_gap_that_is_exact(rustle, folder, _):
    server = Server(folder)
    try:
        consumer = Command(rustle, folder, "consumer", "--connect", server.url("p"))
        joined(rustle, folder, server.url("p"), [consumer])
        source = Source(rustle, folder, server.url("p"), 3, options=())
        source.passes(200)
        server.kill()
        until(lambda: consumer.said("no connection"), "a loss that is reported")
        source.passes(200)
        server.start()
        with Delays() as delays:
            until(lambda: server.request("$JS.API.INFO"), "a server that answers")
            begun = time.monotonic()
            until(lambda: consumer.errors.read_text().count("connected to nats://") == 2, "a connection again")
            seconds = time.monotonic() - begun
        delays.judge("connected", seconds, 2)
        source.passes(200)
        status, text = source.ended()
        # What was on its way when the server died is reported, of the 5 ms of an update.
        lost = re.search(r"error: --publish: (\d+) updates? (?:was|were) not published: connection lost", text)
        print(f"  {lost[1] if lost else 0} updates on their way were lost")
        assert (status == 0) == (lost is None) and (lost is None or 0 < int(lost[1]) < 20), text
        count = source.count
        until(lambda: sum(accounted(consumer)) == count, f"values + gaps = {count}")
        consumer.end()
    finally:
        stop([server])


@contextlib.contextmanager
def stalled(rustle, folder, quotes, limits):
    """A consumer that has stopped, another one, and a publisher that is given quotes, of a server with these limits."""
    options = folder / "server.conf"
    options.write_text(limits)
    symbols = 1_000
    path, server = recording(folder, quotes, symbols), Server(folder, options=["-c", str(options)])
    try:
        slow, other = (Command(rustle, folder, name, "--connect", server.url("p")) for name in ("slow", "other"))
        joined(rustle, folder, server.url("p"), [slow, other])
        publisher = Command(rustle, folder, "publisher", "--replay", "-", "--input", "ndjson", "--speed", "max", "--publish",
                            server.url("p"), stdin=subprocess.PIPE)
        with open(path, "rb") as file:
            # A gap is what lies between two numbers: without a first one of a symbol nobody knows what has been lost of it.
            publisher.process.stdin.writelines(itertools.islice(file, symbols))
            publisher.process.stdin.flush()
            for consumer in (slow, other):
                until(lambda: accounted(consumer)[0] == symbols, "a quote of each symbol")
            slow.process.send_signal(signal.SIGSTOP)
            shutil.copyfileobj(file, publisher.process.stdin)
        publisher.process.stdin.flush()
        yield slow, other, publisher
        slow.end()
        other.end()
    finally:
        stop([server])


def a_consumer_that_stalls_is_told_its_loss_and_delays_nobody(rustle, folder, kills):
    seconds, quotes = 30 if kills > 2 else 3, 150_000
    # By default the server drops a consumer for which 64 MiB wait, beside what the system's buffers hold.
    with stalled(rustle, folder, quotes, "max_pending: 1MB\n") as (slow, other, publisher):
        begun = time.monotonic()
        until(lambda: sum(accounted(other)) == quotes, f"values + gaps = {quotes}")
        assert accounted(other)[1] == 0 and not publisher.said("no connection"), f"expected no loss, got {publisher.errors.read_text()}"
        print(f"  the other had everything after {time.monotonic() - begun:.1f} s of a stall of {seconds} s")
        until(lambda: time.monotonic() - begun > seconds, "the end of the stall")
        slow.process.send_signal(signal.SIGCONT)
        until(lambda: sum(accounted(slow)) == quotes, f"values + gaps = {quotes}")
        lost = accounted(slow)[1]
        print(f"  {lost} of {quotes} were lost")
        assert lost > 0 and slow.said("no connection"), f"expected a consumer that is dropped, got {slow.errors.read_text()}"
        publisher.process.stdin.close()
        assert publisher.process.wait(timeout=120) == 0, publisher.errors.read_text()


def what_a_publisher_sent_before_it_was_cut_off_is_counted_once(rustle, folder, _):
    quotes = 150_000
    # A server that waits for a consumer reads nothing, here for longer than a publisher does. What it has of the lost connection it
    # reads later, beside what comes on the next one.
    with stalled(rustle, folder, quotes, "max_pending: 1MB\nwrite_deadline: \"60s\"\n") as (slow, other, publisher):
        until(lambda: publisher.said("no connection") or sum(accounted(other)) == quotes, "a publisher that is cut off")
        slow.process.send_signal(signal.SIGCONT)
        for consumer in (slow, other):
            until(lambda: sum(accounted(consumer)) >= quotes, f"values + gaps = {quotes}")
        publisher.process.stdin.close()
        publisher.process.wait(timeout=120)
        for consumer in (slow, other):
            consumer.end()
            values, gaps = accounted(consumer)
            assert values + gaps == quotes, f"expected {quotes} values and gaps, got {values} and {gaps}"
            print(f"  {gaps} of {quotes} were lost")


def a_standby_publisher_leaves_no_gap(rustle, folder, _):
    server = Server(folder)
    try:
        consumer = Command(rustle, folder, "consumer", "--connect", server.url("p"))
        joined(rustle, folder, server.url("p"), [consumer])
        # Later than that of the probe.
        source = Source(rustle, folder, server.url("p"), 3, publishers=2, options=("--epoch", str(2**63)))
        until(lambda: accounted(consumer)[0] > 200, "200 updates")
        source.commands[0].end(signal.SIGKILL)
        source.passes(200)
        count = source.end()
        until(lambda: accounted(consumer)[0] >= count, f"{count} updates")
        consumer.end()
        assert accounted(consumer) == (count, 0), f"expected {count} updates, got {accounted(consumer)}"
        got = [key for key in keys(consumer.lines()) if key[0] != "PROBE"]
        assert len(set(got)) == count, "an update came twice"
    finally:
        stop([server])


def standby_publishers_store_each_update_once(rustle, folder, _):
    server = Server(folder)
    try:
        consumer = Command(rustle, folder, "consumer", "--connect", server.url("p"), "--history", "all")
        source = Source(rustle, folder, server.url("p"), 3, publishers=3, options=("--durable", "1h", "--epoch", "1"))
        for command in source.commands[:2]:
            wanted = accounted(consumer)[0] + 200
            until(lambda: accounted(consumer)[0] > wanted, "200 more updates")
            command.end(signal.SIGKILL)
        source.passes(200)
        count = source.end()
        until(lambda: accounted(consumer)[0] >= count, f"{count} updates")
        consumer.end()
        assert accounted(consumer) == (count, 0), f"expected {count} updates, got {accounted(consumer)}"
        for number in range(3):
            got = [key[1] for key in keys(consumer.lines()) if key[0] == f"S{number}"]
            assert got == list(range(len(got))), f"expected the updates of S{number} in order, each once, got {got}"
        stored = server.request("$JS.API.STREAM.INFO.rustle-p")["state"]["messages"]
        assert stored == count, f"expected {count} messages in the stream, got {stored}"
    finally:
        stop([server])


def a_publication_is_measured(rustle, folder, _):
    server = Server(folder)
    try:
        publisher = Command(rustle, folder, "publisher", "A", "--rate", "50", "--publish", server.url("p"), "--durable", "1h", "--metrics",
                            "127.0.0.1:0")
        url = publisher.metrics()

        def value(name):
            return measure(url, name)
        until(lambda: value("acknowledged_total") > 50, "acknowledged updates")
        assert value("failed_total") == value("retried_total") == 0
        server.kill()
        until(lambda: value("waiting") > 50 and value("retried_total") > 0, "updates that wait")
        stored = value("acknowledged_total")
        server.start()
        until(lambda: value("acknowledged_total") > stored + 50, "the updates that waited")
        publisher.end()
    finally:
        stop([server])


def a_server_that_lies_ends_nobody(rustle, folder, _):
    server = Liar()
    path = recording(folder, 2_000, 2)
    publisher = Command(rustle, folder, "publisher", "--replay", str(path), "--speed", "max", "--publish", server.url("p"),
                        "--durable", "1h")
    assert publisher.process.wait(timeout=120) == 0, publisher.errors.read_text()
    assert server.answers > 2_000 and publisher.said("2000 updates published at p"), publisher.errors.read_text()


def encryption(folder):
    """The options of a server that encrypts, and the certificate for its clients."""
    certificate, key = str(folder / "c.pem"), str(folder / "k.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                    "-subj", "/CN=rustle", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return ["--tls", "--tlscert", certificate, "--tlskey", key], certificate


def an_encrypted_server_asks_for_a_token(rustle, folder, _):
    (options, certificate), token = encryption(folder), folder / "token"
    token.write_text("alice:open:sesame\n")
    server = Server(folder, options=[*options, "--user", "alice", "--pass", "open:sesame"])
    url = f"tls://localhost:{server.port}/p"
    try:
        strangers = [Command(rustle, folder, "without-roots", "--connect", url, "--peer-token-file", str(token)),
                     Command(rustle, folder, "without-token", "--connect", url, "--roots", certificate)]
        consumer = Command(rustle, folder, "consumer", "--connect", url, "--roots", certificate, "--peer-token-file", str(token))
        publisher = Command(rustle, folder, "publisher", "A", "--rate", "20", "--publish", url, "--publish-roots", certificate,
                            "--publish-token-file", str(token))
        until(consumer.lines, "an update")
        for command in strangers:
            until(lambda: command.said("no connection") or command.process.poll(), "a refusal")
            assert not command.is_connected(), command.errors.read_text()
            command.end()
        publisher.end()
        consumer.end()
    finally:
        stop([server])


def leaders_that_are_killed_lose_nothing(rustle, folder, kills):
    servers = cluster(folder)
    stream = "rustle-p"
    try:
        def ask(subject, body=""):
            for server in servers:
                if server.process.poll() is None and (answer := server.request(subject, body)) and "error" not in answer:
                    return answer
            return None
        configuration = json.dumps({"name": stream, "subjects": ["p.q.>"], "num_replicas": 3, "storage": "file"})
        until(lambda: ask(f"$JS.API.STREAM.CREATE.{stream}", configuration), "a stream")

        def leader():
            nodes = (ask(f"$JS.API.STREAM.INFO.{stream}") or {}).get("cluster", {})
            replicas = nodes.get("replicas", [])
            if len(replicas) < 2 or not all(one.get("current") for one in replicas):
                return None
            return next((server for server in servers if server.name == nodes.get("leader")), None)

        def agreed():
            """The leader of three servers that agree, which none of our programs takes part in."""
            try:
                return until(leader, "three nodes that agree")
            except AssertionError as error:
                said = {server.name: server.request(f"$JS.API.STREAM.INFO.{stream}") for server in servers if server.process.poll() is None}
                clusters = {name: answer and answer.get("cluster", answer) for name, answer in said.items()}
                raise AssertionError(f"{error}: the servers that run say {clusters}") from None
        source = Source(rustle, folder, agreed().url("p"), 10, options=("--durable", "1h", "--metrics", "127.0.0.1:0"))
        consumer = Command(rustle, folder, "consumer", "--connect", agreed().url("p"), "--history", "all")
        acknowledged = Acknowledgements(source.command.metrics())
        for kill in range(kills):
            source.passes(200)
            lost = agreed()
            with Elections([server for server in servers if server is not lost], stream) as elections, Delays() as delays:
                lost.kill()
                begun, before = time.monotonic(), acknowledged.changes[-1][1]
                # More than were on their way.
                until(lambda: elections.times and acknowledged.changes[-1][1] > before + 200, "another leader that stores updates")
                end = acknowledged.resumed(begun)
                elected = next((at for at in reversed(elections.times) if at < end), end)
            print(f"  kill {kill + 1}: the servers had a leader after {elected - begun:.1f} s")
            delays.judge("stored again with a leader", end - elected, 2)
            delays.judge("stored again, the servers' election included,", end - begun, 10)
            lost.start()
        acknowledged.end()
        agreed()
        count = source.end()
        until(lambda: accounted(consumer)[0] >= count, f"{count} updates")
        consumer.end()
        got = collections.defaultdict(list)
        for symbol, number in keys(consumer.lines()):
            got[symbol].append(number)
        assert sum(map(len, got.values())) == count, "an update is lost or came twice"
        assert all(numbers == list(range(len(numbers))) for numbers in got.values()), "an update is out of order"
        assert source.command.said("no connection"), "expected a state that shows the pause"
    finally:
        stop(servers)


CHECKS = [three_consumers_account_for_everything, a_consumer_that_is_killed_goes_on, a_server_that_stops_is_noticed,
          a_server_that_is_killed_costs_a_gap_that_is_exact, a_consumer_that_stalls_is_told_its_loss_and_delays_nobody,
          what_a_publisher_sent_before_it_was_cut_off_is_counted_once,
          a_standby_publisher_leaves_no_gap, standby_publishers_store_each_update_once, a_publication_is_measured,
          a_server_that_lies_ends_nobody, an_encrypted_server_asks_for_a_token, leaders_that_are_killed_lose_nothing]


def main():
    rustle, folder, kills = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    failed = 0
    # A time limit too ends what a check has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for check in CHECKS:
        place = folder / check.__name__
        place.mkdir()
        try:
            check(rustle, place, kills)
            print(f"passed: {check.__name__.replace('_', ' ')}", flush=True)
        except Exception:
            failed += 1
            traceback.print_exc()
            print(f"FAILED: {check.__name__.replace('_', ' ')}", flush=True)
            for log in sorted(place.glob("*.log")):
                print(f"  {log.name}: {log.read_text()[-600:]}")
        finally:
            Command.end_every()
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
