"""Measures the studio that the environment variable RUSTLE_STUDIO names, and prints a table in Markdown.

Usage: figures.py [SECONDS]      of each figure, 10 by default

Beside a figure stands its floor, measured in the same run: what the same readers and the same browser see of a server, a page or a
process that does nothing else. A figure that misses its goal makes the status 1, after the table.
"""

import asyncio
import contextlib
import json
import multiprocessing
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from playwright.sync_api import sync_playwright
from websockets.asyncio.client import connect
from websockets.sync.client import connect as connect_one

from client import HEADER, first_screen, frame, post, processor_time, resident, upgraded
from conftest import SCREENS, Studio, launch, write_tone
from page import TUNED, add_equalizer, choose_demo, frame_times, observed, open_screen, violations
from soak import ends, growth, soak

FEW, MANY, STREAMS = 50, 500, 20
CONNECTING = 3
# Where a value of prices has the number of those of its first symbol: after the count of rows, a name, two numbers and a time.
COUNT = HEADER.size + 2 + 2 + 3 * 8
CHANGES, LISTENINGS = 60, 5
# The pace of frames in seconds, and the bytes of one, of the server that is the floor.
PACE, LENGTH = {FEW: 0.033, MANY: 0.066}, 90


def part(values, share):
    values = sorted(values)
    return values[int((len(values) - 1) * share)]


async def read(studio, topics, seconds, received):
    """Appends to `received`, for each frame: when it was made and how late it came, in us, the prices so far, and its bytes."""
    async with connect(f"ws://127.0.0.1:{studio.port}/ws", max_size=1 << 20) as client:
        await client.send(json.dumps({"v": 1, "subscribe": topics}))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = await asyncio.wait_for(client.recv(), 5)
            if isinstance(message, bytes):
                sent = HEADER.unpack(message[:HEADER.size])[4]
                # Of the first symbol, whose name has one letter.
                count = int.from_bytes(message[COUNT:COUNT + 8], "little")
                received.append((sent, time.monotonic() * 1e6 - sent, count, len(message)))


async def load(studio, clients, topics, seconds):
    """What each client received, and the share of a processor, once all are connected."""
    received = [[] for _ in range(clients)]
    reading = [asyncio.create_task(read(studio, topics, seconds + CONNECTING, each)) for each in received]
    await asyncio.sleep(CONNECTING)
    for each in received:
        each.clear()
    before = processor_time(studio)
    await asyncio.sleep(seconds)
    share = (processor_time(studio) - before) / seconds
    await asyncio.gather(*reading)
    return received, share


# The figures that miss their goals.
missed = []


def row(name, value, goal, floor="–", is_met=True):
    print(f"| {name} | {value} | {floor} | {goal} |", flush=True)
    if not is_met:
        missed.append(name)


def write_times(port, pace):
    """Sends each connection the time, in frames without a protocol."""
    async def serve(_, writer):
        while not writer.is_closing():
            writer.write(struct.pack("<Q", time.monotonic_ns()).ljust(LENGTH, b"\0"))
            await writer.drain()
            await asyncio.sleep(pace)

    async def listen():
        server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=MANY)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(listen())


def floor_of_lateness(clients, seconds):
    """How late the same readers find frames of a bare server, in ms."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=write_times, args=(theirs, PACE[clients]), daemon=True)
    process.start()
    port, late = ours.recv(), []

    async def read_one():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            sent, = struct.unpack("<Q", (await reader.readexactly(LENGTH))[:8])
            late.append((time.monotonic_ns() - sent) / 1e6)
        writer.close()

    async def read_all():
        await asyncio.gather(*(read_one() for _ in range(clients)))

    asyncio.run(read_all())
    process.terminate()
    process.join()
    return f"{part(late, 0.5):.1f} / {part(late, 0.99):.1f} ms"


def seconds_of(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def lateness(received):
    """How late each frame came beyond the quickest, in ms."""
    # The clocks' difference is the least of all.
    least = min(time for client in received for _, time, _, _ in client)
    return [(time - least) / 1000 for client in received for _, time, _, _ in client]


def prices(studio, clients, seconds, goals, empty):
    """`goals`: the share of a core, the MiB, and the p99 of the lateness in ms; None: none."""
    most_share, most_memory, latest = goals
    floor = floor_of_lateness(clients, seconds)
    post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})
    received, share = asyncio.run(load(studio, clients, ["prices"], seconds))
    late, memory = lateness(received), resident(studio) / (1 << 20)
    rates = [(client[-1][2] - client[0][2]) * 1e6 / (client[-1][0] - client[0][0]) for client in received]
    row(f"{clients} clients of 100 prices/s: prices a second of each, sent or counted, least and most", f"{min(rates):.1f} and {max(rates):.1f}", "100",
        is_met=99 < min(rates) <= max(rates) < 101)
    row("lateness of a frame beyond the quickest, p50 / p99", f"{part(late, 0.5):.1f} / {part(late, 0.99):.1f} ms",
        f"p99 {latest} ms" if latest else "–", floor, latest is None or part(late, 0.99) <= latest)
    row("processor, of a core", f"{100 * share:.1f} %", f"{most_share} %", is_met=100 * share <= most_share)
    row("memory", f"{memory:.0f} MiB", f"{most_memory} MiB", f"{empty / (1 << 20):.0f} MiB", memory <= most_memory)
    post(studio, "ticker/stop", {})


def stalled_readers(studio, seconds):
    post(studio, "sound/select", {"kind": "demo"})
    post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})
    topics = ["prices", "spectrum", "meter"]

    async def late(seconds):
        # Of prices alone, as above: a frame of one topic waits for the turn of a client that has several. Another client keeps the same engines running.
        ([received], _), _ = await asyncio.gather(*(load(studio, 1, wanted, seconds) for wanted in [["prices"], topics]))
        return part(lateness([received]), 0.99)

    alone = asyncio.run(late(seconds))
    sockets = [upgraded(studio, buffer=4096) for _ in range(FEW)]
    for each in sockets:
        each.sendall(frame(1, json.dumps({"v": 1, "subscribe": topics}).encode()))
    time.sleep(2)
    before = resident(studio)
    beside = asyncio.run(late(6 * seconds))
    more = (resident(studio) - before) / (1 << 20)
    row(f"memory more after {6 * seconds:.0f} s of {FEW} readers that stall", f"{more:.1f} MiB", "10 MiB", is_met=more <= 10)
    row("lateness of a frame of prices for another reader beside them, p99", f"{beside:.1f} ms", "10 ms", f"{alone:.1f} ms, without them", beside <= 10)
    for each in sockets:
        each.close()
    post(studio, "ticker/stop", {})


def bytes_of_a_page(studio, seconds):
    post(studio, "sound/select", {"kind": "demo"})
    post(studio, "ticker/start", {"symbols": ["BTC", "ETH", "SOL"], "rate": 33})
    for topics, goal in [(["prices", "meter"], 10), (["prices", "meter", "spectrum"], 45)]:
        [received], _ = asyncio.run(load(studio, 1, topics, seconds))
        rate = sum(size for *_, size in received) / seconds / 1000
        row(f"bytes of {', '.join(topics)}", f"{rate:.1f} KB/s", f"{goal} KB/s", is_met=rate <= goal)
    post(studio, "ticker/stop", {})


# The milliseconds until the browser gives the first sound of its microphone to a page.
OPENED = """async () => {
    const start = performance.now();
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
    const context = new AudioContext();
    await context.audioWorklet.addModule('js/microphone.js');
    const node = new AudioWorkletNode(context, 'rustle-microphone', { channelCount: 1, channelCountMode: 'explicit', numberOfOutputs: 0 });
    context.createMediaStreamSource(stream).connect(node);
    await new Promise((resolve) => { node.port.onmessage = ({ data }) => { if (data.some((sample) => sample !== 0)) resolve(); }; });
    const time = performance.now() - start;
    for (const track of stream.getTracks()) track.stop();
    await context.close();
    return time;
}"""


def tuner(browser, studio):
    """From the button to the note, of a page that has not opened the microphone yet."""
    opened, tuned = [], []
    for _ in range(LISTENINGS):
        for script, times in [(OPENED, opened), (TUNED, tuned)]:
            context = browser.new_context(permissions=["microphone"])
            shown = context.new_page()
            open_screen(shown, studio.address)
            times.append(shown.evaluate(script))
            context.close()
    row("from Listen to a tone of 440 Hz as A4 within a cent, p50 / longest", f"{part(tuned, 0.5):.0f} / {max(tuned):.0f} ms", "2,000 ms",
        f"{part(opened, 0.5):.0f} / {max(opened):.0f} ms to the first sound", max(tuned) <= 2000)


def accessibility(browser, studio):
    """What axe finds on every screen, in both layouts and schemes, while the engines run or not; beside it, on a page without names."""
    found, checked = [], 0
    for is_running in [False, True]:
        for name in ["ticker", "lights"] if is_running else []:
            post(studio, f"{name}/start", {})
        for width in [1280, 360]:
            for scheme in ["dark", "light"]:
                shown = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
                open_screen(shown, studio.address)
                if is_running:
                    choose_demo(shown)
                for screen in SCREENS:
                    open_screen(shown, studio.address, screen)
                    shown.wait_for_timeout(300)
                    found += violations(shown)
                    checked += 1
                shown.evaluate("document.body.innerHTML = '<img src=icon.svg><input><button></button>'")
                broken = len(violations(shown))
                shown.context.close()
    for name in ["ticker", "lights"]:
        post(studio, f"{name}/stop", {})
    row(f"violations that axe finds on {checked} screens: light and dark, 1,280 and 360 pixels wide, engines at rest and running", f"{len(found)}",
        "0", f"{broken}, of a broken page", not found and broken >= 3)


def page(studio, folder, seconds):
    with sync_playwright() as playwright:
        browser = launch(playwright, write_tone(folder))
        first_paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        # The first page of a browser is its slowest.
        for _ in range(2):
            shown = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            shown.goto(f"{studio.address}healthz")
            shown.wait_for_timeout(500)
            floor = shown.evaluate(first_paint)
        shown = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        open_screen(shown, studio.address)
        plain, small = first_screen(studio)
        row("bytes of the first screen without fonts, and compressed", f"{plain / 1000:.0f} KB, {small / 1000:.0f} KB", "120 KB, 40 KB",
            is_met=plain <= 120_000 and small <= 40_000)
        paint = shown.evaluate(first_paint)
        row("first contentful paint", f"{paint:.0f} ms", "1,000 ms", f"{floor:.0f} ms, of one word", paint <= 1000)
        shown.wait_for_timeout(2000)
        shift, busy = observed(shown, "layout-shift", "value"), observed(shown, "longtask", "duration")
        row("shift of the layout in the first 2 s", f"{shift:.4f}", "0.01", is_met=shift <= 0.01)
        row("tasks longer than 50 ms in the first 2 s, together", f"{busy:.0f} ms", "250 ms", is_met=busy <= 250)
        open_screen(shown, studio.address, "equalizer")
        shown.get_by_label("Left, 8 Hz").wait_for()
        # From the change by another client to the next picture with the slider's new place.
        late, answered = [], []
        with connect_one(f"ws://127.0.0.1:{studio.port}/ws", max_size=1 << 20) as client:
            for change in range(CHANGES):
                gain = -6 + change % 12
                waits = shown.evaluate_handle("""(gain) => ({ seen: new Promise((resolve) => {
                    const slider = document.querySelector('[aria-label="Left, 8 Hz"]');
                    const look = () => Number(slider.value) === gain ? resolve(performance.timeOrigin + performance.now()) : requestAnimationFrame(look);
                    requestAnimationFrame(look);
                }) })""", gain)
                start = time.time() * 1000
                client.send(json.dumps({"v": 1, "id": change, "do": "equalizer/gain", "with": {"band": 0, "gain": gain}}))
                while json.loads(client.recv(timeout=5)).get("id") != change:
                    pass
                answered.append(time.time() * 1000 - start)
                late.append(waits.evaluate("(waits) => waits.seen") - start)
                time.sleep(0.05)
        row("from a change to the picture of another page, p50 / p95", f"{part(late, 0.5):.0f} / {part(late, 0.95):.0f} ms", "p95 80 ms",
            f"{part(answered, 0.5):.0f} / {part(answered, 0.95):.0f} ms to the answer", part(late, 0.95) <= 80)
        frames, smooth = {}, {}
        for screen in ["account", "equalizer", "spectrum", "both"]:
            if screen == "both":
                add_equalizer(shown)
            else:
                open_screen(shown, studio.address, screen)
            shown.wait_for_timeout(1000)
            gaps = frame_times(shown, seconds, moves=screen in {"equalizer", "both"})
            rate = 1000 * len(gaps) / sum(gaps)
            frames[screen], smooth[screen] = f"{rate:.0f}, {max(gaps):.0f} ms", rate >= 50 and max(gaps) <= 50
        for screen, name in [("spectrum", "spectrum and waterfall"), ("equalizer", "the equalizer while a slider moves"),
                             ("both", "spectrum, waterfall and equalizer together while a slider moves")]:
            row(f"frames per second with {name}, and the longest", frames[screen], "50, 50 ms", frames["account"], smooth[screen])
        shown.context.close()
        tuner(browser, studio)
        accessibility(browser, studio)
        length = float(os.environ.get("RUSTLE_SOAK_SECONDS", 6 * seconds))
        values, visits = soak(browser, studio, length)
        for name, each in values.items():
            unit = 1 if name.startswith("nodes") else 1e6
            first, last = (f"{value / unit:,.{0 if unit == 1 else 1}f}" for value in ends(each))
            row(f"{name}, in {length / 60:.0f} min with {visits} browsers that come and go",
                f"{first} to {last}{'' if unit == 1 else ' MB'}, {100 * growth(each):+.1f} %", "within 10 %", is_met=abs(growth(each)) <= 0.1)
        browser.close()


def stop(studio, folder, floor):
    """Asks it to end while streams are open, and a download stalls."""
    with (folder / "long.wav").open("wb") as file:
        file.truncate(100 << 20)
    with contextlib.ExitStack() as stack:
        stalled = stack.enter_context(socket.create_connection(("127.0.0.1", studio.port)))
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.sendall(f"GET /recordings/long.wav HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\n\r\n".encode())
        for _ in range(STREAMS):
            stream = stack.enter_context(connect_one(f"ws://127.0.0.1:{studio.port}/ws", max_size=1 << 20))
            stream.send('{"v":1,"subscribe":["prices","meter","spectrum","tempo"]}')
            threading.Thread(target=lambda stream=stream: all(True for _ in stream)).start()
        post(studio, "sound/select", {"kind": "demo"})
        time.sleep(1)
        status = []
        took = seconds_of(lambda: status.append(studio.stop()))
    row(f"stop with {STREAMS} open streams and a download that stalls, and its status", f"{1000 * took:.0f} ms, {status[0]}", "500 ms, 0", f"{1000 * floor:.0f} ms",
        took <= 0.5 and status == [0])


def main(folder):
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    floor = seconds_of(lambda: subprocess.run([os.environ["RUSTLE_STUDIO"], "--version"], capture_output=True, check=True))
    start = time.monotonic()
    studio = Studio("--connections", "1000", "--per-address", "1000", "--recordings", str(folder))
    urllib.request.urlopen(f"{studio.address}healthz").read()
    answered = time.monotonic() - start
    print("| figure | measured | floor | goal |\n|---|---|---|---|")
    row("from the start to the first answer", f"{1000 * answered:.0f} ms", "–", f"{1000 * floor:.0f} ms, of --version")
    empty = resident(studio)
    try:
        prices(studio, FEW, seconds, (25, 80, 10), empty)
        prices(studio, MANY, seconds, (50, 100, None), empty)
        stalled_readers(studio, seconds)
        bytes_of_a_page(studio, seconds)
        page(studio, folder, seconds)
    except BaseException:
        studio.stop()
        raise
    sleeper = subprocess.Popen(["sleep", "100"])
    sleeper.send_signal(signal.SIGTERM)
    floor = seconds_of(sleeper.wait)
    stop(studio, folder, floor)
    if missed:
        sys.exit("missed their goals: " + "; ".join(missed))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(pathlib.Path(folder))
