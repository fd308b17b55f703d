"""Watches the memory of a studio and of its pages while browsers come and go."""

import re
import time

from client import ask, post, resident
from conftest import SCREENS
from page import open_screen

# The samples of a soak, at even times. The first part is the warm-up: code is compiled, and caches fill.
SAMPLES, WARM_UP = 15, 6


class Watched:
    """A page that stays, and what it holds."""

    def __init__(self, browser, studio, screen):
        self.page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        open_screen(self.page, studio.address, screen)
        self.session = self.page.context.new_cdp_session(self.page)
        self.session.send("Performance.enable")

    def holds(self):
        """Bytes of the heap and nodes of the document, those that were taken out of it and are not free among them."""
        self.session.send("HeapProfiler.collectGarbage")
        metrics = {each["name"]: each["value"] for each in self.session.send("Performance.getMetrics")["metrics"]}
        return metrics["JSHeapUsedSize"], metrics["Nodes"]


def visit(browser, studio, screens):
    """A browser comes, goes to some screens, and is gone."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{studio.address}#/")
    for screen in screens:
        page.goto(f"{studio.address}#/{screen}")
        page.wait_for_timeout(50)
    context.close()


def soak(browser, studio, seconds):
    """Memory over the time: of each name the values at SAMPLES even times; and how many browsers came."""
    post(studio, "sound/select", {"kind": "demo"})
    post(studio, "ticker/start", {"symbols": ["BTC", "ETH", "SOL"], "rate": 33})
    post(studio, "lights/start", {})
    # One stays where it is, the other goes over all screens.
    stays, goes = Watched(browser, studio, "spectrum"), Watched(browser, studio, "")
    # A screen is made at its first visit and kept from then on.
    for screen in SCREENS:
        goes.page.goto(f"{studio.address}#/{screen}")
        goes.page.wait_for_timeout(50)
    samples, start, visits = [], time.monotonic(), 0
    while len(samples) < SAMPLES:
        visit(browser, studio, [SCREENS[(visits + place) % len(SCREENS)] for place in range(3)])
        goes.page.goto(f"{studio.address}#/{SCREENS[visits % len(SCREENS)]}")
        visits += 1
        if time.monotonic() - start < (len(samples) + 1) * seconds / SAMPLES:
            continue
        goes.page.goto(f"{studio.address}#/")
        goes.page.wait_for_timeout(200)
        used = int(re.search(r"^rustle_studio_heap_bytes (\d+)$", ask(studio, "metrics")[2], re.M)[1])
        (heap_of_one, nodes_of_one), (heap_of_other, nodes_of_other) = stays.holds(), goes.holds()
        samples.append({
            "heap of a page that stays": heap_of_one, "nodes of a page that stays": nodes_of_one,
            "heap of a page that goes over all screens": heap_of_other, "nodes of a page that goes over all screens": nodes_of_other,
            "allocated by the server": used, "resident of the server": resident(studio),
        })
    for each in [stays, goes]:
        each.page.context.close()
    post(studio, "lights/stop", {})
    post(studio, "ticker/stop", {})
    return {name: [each[name] for each in samples] for name in samples[0]}, visits


def ends(values):
    """The medians of the first and of the last third of the values after the warm-up."""
    values = values[WARM_UP:]
    third = len(values) // 3
    return tuple(sorted(part)[third // 2] for part in (values[:third], values[-third:]))


def growth(values):
    """The share by which the second of their ends exceeds the first."""
    first, last = ends(values)
    return last / first - 1
