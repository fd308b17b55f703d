"""Measures the studio that the environment variable RUSTLE_STUDIO names, and prints a table in Markdown.

Usage: figures.py [SECONDS]      of each figure, 10 by default
"""

import asyncio
import json
import shutil
import sys
import time
import urllib.request

from playwright.sync_api import sync_playwright
from websockets.asyncio.client import connect
from websockets.sync.client import connect as connect_one

from client import HEADER, frame, post, processor_time, resident, upgraded
from conftest import SCREENS, Studio

FEW, MANY = 50, 500
CONNECTING = 3
# Where a value of prices has the number of those of its first symbol: after the count of rows, a name, two numbers and a time.
COUNT = HEADER.size + 2 + 2 + 3 * 8
CHANGES = 60


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


def row(name, value, goal):
    print(f"| {name} | {value} | {goal} |", flush=True)


def prices(studio, clients, seconds, goals):
    post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})
    received, share = asyncio.run(load(studio, clients, ["prices"], seconds))
    # The clocks' difference is the least of all.
    least = min(time for client in received for _, time, _, _ in client)
    late = [(time - least) / 1000 for client in received for _, time, _, _ in client]
    rates = [(client[-1][2] - client[0][2]) * 1e6 / (client[-1][0] - client[0][0]) for client in received]
    row(f"{clients} clients of 100 prices/s: prices a second of each, sent or counted, least and most", f"{min(rates):.1f} and {max(rates):.1f}", "100")
    row("lateness of a frame beyond the quickest, p50 / p99", f"{part(late, 0.5):.1f} / {part(late, 0.99):.1f} ms", goals[2])
    row("processor, of a core", f"{100 * share:.1f} %", goals[0])
    row("memory", f"{resident(studio) / (1 << 20):.0f} MiB", goals[1])
    post(studio, "ticker/stop", {})


def stalled_readers(studio, seconds):
    post(studio, "sound/select", {"kind": "demo"})
    post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})
    sockets = [upgraded(studio, buffer=4096) for _ in range(FEW)]
    for each in sockets:
        each.sendall(frame(1, b'{"v":1,"subscribe":["prices","spectrum","meter"]}'))
    time.sleep(2)
    before = resident(studio)
    time.sleep(6 * seconds)
    row(f"memory more after {6 * seconds:.0f} s of {FEW} readers that stall", f"{(resident(studio) - before) / (1 << 20):.1f} MiB", "10 MiB")
    for each in sockets:
        each.close()
    post(studio, "ticker/stop", {})


def bytes_of_a_page(studio, seconds):
    post(studio, "sound/select", {"kind": "demo"})
    post(studio, "ticker/start", {"symbols": ["BTC", "ETH", "SOL"], "rate": 33})
    for topics, goal in [(["prices", "meter"], "10 KB/s"), (["prices", "meter", "spectrum"], "45 KB/s")]:
        [received], _ = asyncio.run(load(studio, 1, topics, seconds))
        row(f"bytes of {', '.join(topics)}", f"{sum(size for *_, size in received) / seconds / 1000:.1f} KB/s", goal)
    post(studio, "ticker/stop", {})


def page(studio, seconds):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        shown = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        shown.goto(f"{studio.address}#/")
        shown.locator("#connection[data-state=live]").wait_for()
        paint = shown.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        row("first contentful paint", f"{paint:.0f} ms", "1,000 ms")
        shown.goto(f"{studio.address}#/equalizer")
        shown.get_by_label("Left, 8 Hz").wait_for()
        # From the change by another client to the next picture with the slider's new place.
        late = []
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
                late.append(waits.evaluate("(waits) => waits.seen") - start)
                time.sleep(0.05)
        row("from a change to the picture of another page, p50 / p95", f"{part(late, 0.5):.0f} / {part(late, 0.95):.0f} ms", "p95 80 ms")
        shown.goto(f"{studio.address}#/spectrum")
        shown.wait_for_timeout(1000)
        gaps = shown.evaluate("""(seconds) => new Promise((resolve) => {
            const [start, gaps] = [performance.now(), []];
            let last = start;
            const step = (now) => { gaps.push(now - last); last = now; if (now - start < 1000 * seconds) requestAnimationFrame(step); else resolve(gaps); };
            requestAnimationFrame(step);
        })""", seconds)
        row("frames a second with spectrum and waterfall, and the longest", f"{1000 * len(gaps) / sum(gaps):.0f}, {max(gaps):.0f} ms", "50, 50 ms")
        heap = []
        for _ in range(2):
            for screen in SCREENS * 3:
                shown.goto(f"{studio.address}#/{screen}")
                shown.wait_for_timeout(100)
            shown.evaluate("window.gc?.()")
            heap.append(shown.evaluate("performance.memory.usedJSHeapSize") / 1e6)
        row("heap of the page after 30 and after 60 screens", f"{heap[0]:.1f} and {heap[1]:.1f} MB", "flat")
        browser.close()


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    start = time.monotonic()
    studio = Studio("--connections", "1000", "--per-address", "1000")
    urllib.request.urlopen(f"{studio.address}healthz").read()
    print("| figure | measured | goal |\n|---|---|---|")
    row("from the start to the first answer", f"{1000 * (time.monotonic() - start):.0f} ms", "–")
    try:
        prices(studio, FEW, seconds, ("25 %", "80 MiB", "p99 10 ms"))
        prices(studio, MANY, seconds, ("50 %", "100 MiB", "–"))
        stalled_readers(studio, seconds)
        bytes_of_a_page(studio, seconds)
        page(studio, seconds)
    except BaseException:
        studio.stop()
        raise
    start = time.monotonic()
    studio.stop()
    row("stop", f"{1000 * (time.monotonic() - start):.0f} ms", "500 ms")


if __name__ == "__main__":
    main()
