"""What moves, flashes or is read out by itself keeps within bounds, and stands still when a person wants it to."""

import json
import time

import pytest
from playwright.sync_api import expect

from client import PATIENCE, ask, client, frames, post, send
from conftest import Studio
from page import choose_demo, open_screen, until, wait_until
from test_account_pages import device, note, sign_up, to
from test_setup import VALUES

# What a screen shows: its texts, bars and pictures.
SHOWN = """(() => {
    const main = document.querySelector('main');
    const values = [...main.querySelectorAll('input, select, progress')].map((each) => each.value);
    return [main.innerHTML, ...values, ...[...main.querySelectorAll('canvas')].map((each) => each.toDataURL())].join('\\n');
})()"""
# The pictures that move with each value.
PICTURES = """[...document.querySelectorAll('main canvas')]
    .filter((each) => each.checkVisibility() && !/^(Candles|Response|Vowel)/.test(each.ariaLabel)).map((each) => each.toDataURL())"""


def moves(page):
    """Waits until the screen is another one, and so is each of its pictures."""
    page.evaluate(f"window.before = [{SHOWN}, {PICTURES}]")
    until(page, f"before[0] !== {SHOWN} && {PICTURES}.every((each, place) => each !== before[1][place])", pause=200)


def stands_still(page):
    """Waits for what is on its way; whether nothing changes from then on, neither what would each second."""
    before, deadline = None, time.monotonic() + PATIENCE
    while before != (before := page.evaluate(SHOWN)):
        assert time.monotonic() < deadline
        page.wait_for_timeout(200)
    page.wait_for_timeout(1200)
    return page.evaluate(SHOWN) == before


@pytest.mark.parametrize("screens", [["", "prices", "spectrum", "meter"], ["tuner", "equalizer", "recorder", "voice"], ["tempo", "lights", "mapping", "setup"]])
def test_what_moves_stands_still_while_it_is_paused(open_page, studio, screens):
    post(studio, "ticker/start", {"rate": 20})
    post(studio, "lights/start", {})
    # The other one is not paused: the engines go on.
    page, _ = open_page(), open_page(screens[-2])
    choose_demo(page)
    pause = page.locator("#pause")
    for screen in screens:
        open_screen(page, studio.address, screen)
        if screen == "recorder":
            assert post(studio, "recorder/start", {"format": "wav"})[0] == 200
        if screen == "mapping":
            assert post(studio, "mapping/start", {"source": "simulated", "hold": 100})[0] == 200
            # Its phases are no motion, and this one is long.
            expect(page.get_by_role("status").filter(has_text="Lights the patterns")).to_be_visible()
        if screen == "setup":
            assert post(studio, "provisioning/scan", {"adapter": "demo"})[0] == 200
        moves(page)
        pause.click()
        expect(pause).to_have_text("Resume")
        assert stands_still(page), screen
        pause.click()
        moves(page)


def test_a_frozen_spectrum_stands_still(open_page):
    page = open_page("spectrum")
    choose_demo(page)
    moves(page)
    freeze = page.get_by_role("button", name="Freeze")
    freeze.click()
    assert stands_still(page)
    freeze.click()
    moves(page)


# Counts how often the first canvas of the screen is drawn.
DRAWN = """() => {
    const context = document.querySelector('main canvas').getContext('2d');
    window.drawn = 0;
    const clear = context.clearRect;
    context.clearRect = (...values) => { window.drawn += 1; clear.apply(context, values); };
}"""
# The next frames of the page.
FRAMES = "new Promise((resolve) => { let left = 30; const next = () => (left-- ? requestAnimationFrame(next) : resolve()); next(); })"


@pytest.mark.parametrize("screen", ["equalizer", "lights", "mapping"])
def test_what_does_not_change_is_drawn_once(open_page, screen):
    page = open_page(screen)
    page.evaluate(FRAMES)
    page.evaluate(DRAWN)
    page.evaluate(FRAMES)
    assert page.evaluate("drawn") == 0
    # Of another size it is drawn anew.
    page.set_viewport_size({"width": 700, "height": 700})
    until(page, "drawn > 0")
    if screen == "equalizer":
        page.evaluate("window.drawn = 0")
        page.get_by_label("Left, 512 Hz").press("ArrowUp")
        until(page, "drawn > 0")


def test_what_a_person_does_is_drawn_on_a_paused_page(open_page):
    page = open_page("equalizer")
    page.locator("#pause").click()
    page.evaluate(FRAMES)
    page.evaluate(DRAWN)
    for key in ["PageUp", "Delete"]:
        page.evaluate("window.drawn = 0")
        page.get_by_label("Left, 512 Hz").press(key)
        until(page, "drawn > 0")
    page.evaluate("window.drawn = 0")
    page.get_by_label("Preset").select_option("Bass")
    until(page, "drawn > 0")


def test_a_hidden_page_gets_no_values(open_page, studio):
    page = open_page("meter")
    choose_demo(page)
    received = []

    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: received.append(data)))
    page.reload()
    values = lambda: sum(isinstance(each, bytes) for each in received)
    wait_until(page, lambda: values() > 5)

    def show(is_shown):
        page.evaluate("""(isShown) => {
            Object.defineProperty(document, 'hidden', { value: !isShown, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }""", is_shown)
        wait_until(page, lambda: f'rustle_studio_topic_subscribed{{topic="meter"}} {int(is_shown)}\n' in ask(studio, "metrics")[2])

    def hear(weighting):
        """Waits for a state, behind which nothing is on its way that was written before: a page that is hidden is up to date, too."""
        assert post(studio, "meter/set", {"weighting": weighting})[0] == 200
        wait_until(page, lambda: any(isinstance(each, str) and f'"weighting":"{weighting}"' in each and json.loads(each).get("name") == "meter" for each in received))

    show(False)
    hear("C")
    before = values()
    with client(studio) as other:
        send(other, subscribe=["meter"])
        list(frames(other, 20))
    hear("Z")
    assert values() == before
    show(True)
    wait_until(page, lambda: values() > before + 5)


# Notes when each region that is read out gets another text.
LISTEN = """() => {
    const regions = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log]';
    window.heard = new Map();
    new MutationObserver((changes) => {
        const at = performance.now();
        const changed = changes.map(({ target }) => (target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement)?.closest(regions));
        for (const region of new Set(changed)) {
            if (!region?.textContent) continue;
            if (!heard.has(region)) heard.set(region, []);
            heard.get(region).push({ at, text: region.textContent });
        }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
# The texts that came within a second of the one before.
HURRIED = """[...heard.values()].flatMap((texts) => texts.filter(({ at }, place) => place && at - texts[place - 1].at < 990).map(({ text }) => text))"""


@pytest.mark.parametrize("screen", ["prices", "recorder", "fixtures", "setup", "mapping"])
def test_what_is_read_out_changes_once_a_second_at_most(open_page, studio, screen):
    page = open_page(screen)
    choose_demo(page)
    page.evaluate(LISTEN)
    if screen == "prices":
        assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 1000})[0] == 200
        until(page, "document.querySelector('tbody td:nth-child(2)')?.textContent.startsWith('$')")
        price = float(page.locator("main tbody td").nth(1).inner_text()[1:])
        assert post(studio, "ticker/thresholds", {"thresholds": [f"A>{price:.2f}", f"A<{price:.2f}"]})[0] == 200
    elif screen == "recorder":
        for name in 3 * ["Record", "Stop"]:
            page.get_by_role("button", name=name, exact=True).click()
    elif screen == "fixtures":
        field = page.get_by_label("Filter by name, id, universe or profile")
        expect(page.get_by_role("region", name="Patch").locator("tbody tr")).to_have_count(100)
        for text in ["1", "12", "2", "23", "3", "wash"]:
            field.fill(text)
    elif screen == "setup":
        assert post(studio, "provisioning/set", VALUES)[0] == 200
        expect(page.get_by_text("✓ Done", exact=True)).to_be_visible()
    else:
        assert post(studio, "mapping/start", {"source": "simulated", "hold": 1})[0] == 200
        expect(page.get_by_role("status").filter(has_text="Done")).to_be_visible()
    until(page, "heard.size > 0")
    page.wait_for_timeout(1500)
    assert page.evaluate(HURRIED) == []


def test_texts_of_a_long_task_are_read_out_a_second_apart(open_page):
    page = open_page()
    page.evaluate(LISTEN)
    page.evaluate("""async () => {
        const { speak } = await import('./js/dom.js');
        const region = document.body.appendChild(document.createElement('p'));
        region.setAttribute('role', 'status');
        for (const text of ['one', 'two']) speak(region, text);
        const end = performance.now() + 300;
        while (performance.now() < end);
    }""")
    until(page, "[...heard.values()].some((texts) => texts.some(({ text }) => text === 'two'))")
    assert page.evaluate(HURRIED) == []


def test_saves_are_read_out_once_a_second_at_most(device):
    page = device()
    sign_up(page)
    to(page, "equalizer")
    expect(note(page)).to_have_text("Changes are saved in your account.")
    page.evaluate(LISTEN)
    for revision in [1, 2, 3]:
        page.get_by_label("Left, 512 Hz").press("ArrowUp")
        expect(note(page)).to_have_text(f"Saved in your account, revision {revision}.")
    until(page, "heard.size > 0")
    page.wait_for_timeout(1500)
    assert page.evaluate(HURRIED) == []


def test_no_dot_of_the_beat_flashes_more_than_three_times_a_second(open_page, studio):
    assert post(studio, "tempo/quantum", {"beats": 2})[0] == 200
    page = open_page("tempo")
    for bpm, flashes in [(240, True), (900, False)]:
        assert post(studio, "tempo/set", {"bpm": bpm})[0] == 200
        until(page, f"+document.querySelector('[aria-label=Tempo]').value === {bpm}")
        page.evaluate("""() => {
            window.flashes = 0;
            const dots = [...document.querySelectorAll('.beats i')];
            new MutationObserver(() => { window.flashes += 1; }).observe(dots[0], { attributes: true });
            window.beats = 0;
            new MutationObserver(() => { window.beats += 1; }).observe(document.querySelector('[aria-label=Beat]'), { childList: true, characterData: true, subtree: true });
        }""")
        until(page, "window.beats >= 12")
        assert (page.evaluate("window.flashes") > 4) == flashes, bpm


# Notes what a canvas shows after each drawing: the milliseconds, and of each point the luminance, and what red exceeds green and blue by.
WATCH = """() => {
    const [across, down] = [160, 90];
    const small = Object.assign(document.createElement('canvas'), { width: across, height: down }).getContext('2d', { willReadFrequently: true });
    [small.imageSmoothingQuality, small.globalCompositeOperation] = ['medium', 'copy'];
    const canvas = document.querySelector('main canvas');
    const context = canvas.getContext('2d');
    const linear = (byte) => (byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
    window.shown = [];
    const clear = context.clearRect;
    context.clearRect = (...values) => {
        clear.apply(context, values);
        const at = performance.now();
        // What is drawn on it follows at once.
        queueMicrotask(() => {
            small.drawImage(canvas, 0, 0, across, down);
            const { data } = small.getImageData(0, 0, across, down);
            const levels = [];
            for (let place = 0; place < data.length; place += 4) {
                const [r, g, b] = [...data.slice(place, place + 3)].map(linear);
                levels.push(0.2126 * r + 0.7152 * g + 0.0722 * b, Math.max(0, r - g - b));
            }
            shown.push([at, levels]);
        });
    };
    // Those that change at all, with their places.
    window.changing = () => (shown[0]?.[1] ?? []).map((_, place) => [place, shown.map(([at, levels]) => [at, levels[place]])]).filter(([, levels]) => {
        const values = levels.map(([, level]) => level);
        return Math.max(...values) - Math.min(...values) > 1 / 16;
    });
}"""


def changes(place, levels):
    """When a level changes to and fro by so much that a flash counts (WCAG 2.1): each time that it is so far from an extreme."""
    def counts(one, other):
        return abs(one - other) > 20 / 320 if place % 2 else abs(one - other) >= 0.1 and min(one, other) < 0.8

    (_, low), side, found = levels[0], 0, []
    high = low
    for at, level in levels:
        rises, falls = side <= 0 and level > low and counts(low, level), side >= 0 and level < high and counts(high, level)
        if rises or falls:
            low = high = level
            side = 1 if rises else -1
            found.append(at)
        low, high = min(low, level), max(high, level)
    return found


def test_levels_that_begin_in_the_middle_change_too():
    levels = [(80 * place, level) for place, level in enumerate([0.5, 0.59, 0.42, 0.59, 0.42])]
    assert changes(0, levels) == [160, 240, 320]


@pytest.mark.parametrize("layer", [
    {"effect": "strobe", "rate": {"hertz": 6}, "fast": True, "palette": ["#ffffff"]},
    {"effect": "wave", "rate": {"hertz": 6}, "palette": ["#ff0000"]},
    {"effect": "solid", "opacity": 0, "modulators": [{"target": "opacity", "source": "oscillator", "amount": 1, "shape": "square", "rate": "1/16"}]},
    {"effect": "gradient", "palette": ["#ffffff"]},
], ids=["strobe", "wave", "oscillator", "stopped and started"])
def test_no_point_of_a_picture_flashes_more_than_three_times_a_second(browser, tmp_path, layer):
    show, rig = tmp_path / "show.json", tmp_path / "rig.json"
    rig.write_text('{"v":1,"fixtures":[{"id":1,"profile":"rgb-par","protocol":"sacn","universe":1,"address":1,"position":[0,4,2]}]}')
    show.write_text(json.dumps({"v": 1, "scenes": [{"name": "fast", "layers": [layer]}]}))
    studio = Studio("--show", str(show), "--rig", str(rig))
    assert post(studio, "lights/start", {})[0] == 200
    page = browser.new_context().new_page()
    open_screen(page, studio.address, "lights")
    page.get_by_label("Picture of the venue").wait_for()
    page.evaluate(WATCH)
    found, deadline = [], time.monotonic() + PATIENCE
    # It goes on.
    while max(map(len, found), default=0) < 9:
        assert time.monotonic() < deadline
        for name in 6 * ["stop", "start"] if layer["effect"] == "gradient" else []:
            assert post(studio, f"lights/{name}", {})[0] == 200
            page.wait_for_timeout(100)
        page.wait_for_timeout(500)
        found = [changes(*levels) for levels in page.evaluate("changing()")]
    # Of any seven changes of a point the first and the last are a second apart.
    assert [times for times in found if any(later - earlier < 1000 for earlier, later in zip(times, times[6:]))] == []
    page.context.close()
    assert studio.stop() == 0


# What the limit itself says of levels of the whole picture, 80 ms apart.
LIMIT = """async (levels) => {
    const { FlashLimit } = await import('/js/flashes.js');
    const [limit, canvas] = [new FlashLimit(), document.createElement('canvas')];
    const context = canvas.getContext('2d');
    return levels.map((level, place) => {
        const byte = Math.round(255 * (1.055 * level ** (1 / 2.4) - 0.055));
        context.fillStyle = `rgb(${byte} ${byte} ${byte})`;
        context.fillRect(0, 0, canvas.width, canvas.height);
        return limit.allows(canvas, 80 * place);
    });
}"""


def test_a_picture_of_middle_brightness_is_limited_as_well(open_page):
    allowed = open_page("lights").evaluate(LIMIT, [0.5] + 30 * [0.59, 0.42])
    # The first to 0.59 is no change yet. Six changes follow; until a second is over what would be the seventh is held, and after six more.
    assert allowed[:23] == 8 * [True] + 4 * [False, True] + 6 * [True] + [False], allowed


def test_a_paused_bar_of_a_new_attempt_is_empty(open_page, studio):
    page = open_page("setup")
    assert post(studio, "provisioning/set", VALUES)[0] == 200
    expect(page.get_by_text("✓ Done", exact=True)).to_be_visible()
    page.locator("#pause").click()
    page.evaluate("""() => {
        window.bars = [];
        const bar = document.querySelector('[aria-label=Progress]');
        new MutationObserver(() => { if (!bar.hidden) bars.push(bar.value); }).observe(bar, { attributes: true });
    }""")
    assert post(studio, "provisioning/set", VALUES)[0] == 200
    until(page, "bars.length > 0 && document.querySelector('[aria-label=Progress]').hidden")
    assert page.evaluate("bars.every((value) => value === 0)"), page.evaluate("bars")
