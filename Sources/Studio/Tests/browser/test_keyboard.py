"""A walk by the Tab key through every screen: what can be used is reached in the order in which it is seen, and is seen to have the focus."""

import pytest

from client import post
from conftest import SCREENS, Studio
from page import until_still

# Two functions of the page, which number elements alike: what has the focus and what is wrong with it, and all that a person can use.
LOOK = """() => {
    const numbers = new Map();
    const short = (each) => each.outerHTML.slice(0, 110);
    const numberOf = (each) => numbers.get(each) ?? (numbers.set(each, numbers.size), numbers.get(each));
    const CONTROLS = 'a, button, input, select, textarea, summary, audio, [tabindex], [contenteditable], [role=button], [role=slider], [role=link], [role=tab]';
    const isSeen = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const parents = function* (each) { while ((each = each.parentElement)) yield each; };
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const luminance = (colour) => colour.slice(0, 3).map((byte) => byte / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const contrast = (one, other) => {
        const [low, high] = [luminance(one), luminance(other)].sort((left, right) => left - right);
        return (high + 0.05) / (low + 0.05);
    };
    // The least width of an outline on any of its sides, where nothing cuts it off.
    const outlineOf = (each, box) => {
        const style = getComputedStyle(each);
        const width = style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth);
        const far = width + parseFloat(style.outlineOffset);
        let left = width;
        for (const parent of parents(each)) {
            if (parent === document.body || parent === document.documentElement) break;
            if (getComputedStyle(parent).overflow === 'visible') continue;
            const edge = parent.getBoundingClientRect();
            left = Math.min(left, ...[box.left - far - edge.left, box.top - far - edge.top, edge.right - box.right - far, edge.bottom - box.bottom - far].map((room) => width + Math.min(0, room)));
        }
        const ground = [...parents(each)].map((parent) => parse(getComputedStyle(parent).backgroundColor)).find((colour) => colour.length === 3 || colour[3] === 1);
        return { width: left, contrast: width && ground ? contrast(parse(style.outlineColor), ground) : 0 };
    };
    window.stop = () => {
        const each = document.activeElement;
        if (!each || each === document.body || each === document.documentElement) return null;
        const box = each.getBoundingClientRect();
        // The middle of what is in view.
        const [x, y] = [(Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2, (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2];
        const top = document.elementFromPoint(x, y);
        const isOn = top && (each.contains(top) || top.contains(each) && !top.matches('header, nav, dialog'));
        const outline = outlineOf(each, box);
        const faults = [];
        if (!isSeen(each) || box.width < 1 || box.height < 1 || !isOn) faults.push('hidden');
        if (outline.width < 2 || !each.matches(':focus-visible')) faults.push('no outline');
        else if (outline.contrast < 3) faults.push('pale outline');
        const region = each.closest('header, nav, main');
        const scrolled = region?.matches('main') ? scrollY : 0;
        return { number: numberOf(each), html: short(each), faults, region: region?.id ?? '', box: [box.left, box.top + scrolled, box.right, box.bottom + scrolled] };
    };
    window.controls = () => [...document.querySelectorAll(CONTROLS)].filter((each) => isSeen(each) && !each.disabled && !each.matches('main, h1') && !each.closest('.hidden'))
        .map((each) => ({ number: numberOf(each), html: short(each) }));
}"""
REGIONS = ["", "header", "nav", "main"]
# The presses by which a player of sound, which has several buttons, is left; and those after which a look is taken at what they did.
LONGEST, BATCH = 12, 10
# Begins at the page's beginning, and notes what has the focus at each press, which moves it afterwards.
BEGIN = """() => {
    document.removeEventListener('keydown', window.note, true);
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    scrollTo(0, 0);
    window.stops = [];
    window.note = ({ key }) => key === 'Tab' && stops.push(stop());
    document.addEventListener('keydown', window.note, true);
}"""


def steps(page, is_back):
    """What has the focus after each press, until the page's end; None at the end: it is never reached."""
    page.evaluate(BEGIN)
    if is_back:
        page.keyboard.down("Shift")
    try:
        while True:
            for _ in range(BATCH):
                # Held, so that each press is one message.
                page.keyboard.down("Tab")
            found, held = [], 0
            for stop in page.evaluate("stops"):
                if stop is None:
                    # At first the page has it, and backwards nothing once more.
                    if found:
                        return found
                    continue
                held = held + 1 if found and stop["number"] == found[-1]["number"] else 0
                if held == LONGEST or len(found) > 500:
                    return [*found, None]
                if not held:
                    found.append(stop)
    finally:
        for key in ["Tab", "Shift"]:
            page.keyboard.up(key)


def is_before(one, other):
    """Whether a box is read before another one: it is above it, unless it is in a column to the right, or in its row and to its left."""
    (left, top, right, bottom), (far_left, far_top, far_right, far_bottom) = one, other
    if bottom <= far_top + 1:
        return left < far_right - 1
    shared = min(bottom, far_bottom) - max(top, far_top)
    return shared > min(bottom - top, far_bottom - far_top) / 2 and right <= far_left + 1


def faults(page):
    """All that is wrong with a walk through the page, forwards and backwards."""
    page.evaluate(LOOK)
    found, last = [], {}
    there, back = steps(page, False), steps(page, True)
    for name, way in [("Tab", there), ("Shift+Tab", back)]:
        if way[-1] is None:
            found.append(f"{name} is trapped: {way[-2]['html']}")
    there, back = ([stop for stop in way if stop] for way in (there, back))
    for stop in there:
        found += [f"{fault}: {stop['html']}" for fault in stop["faults"]]
        if (before := last.get(stop["region"])) and is_before(stop["box"], before["box"]):
            found.append(f"order: {before['html']} and then {stop['html']}")
        if last and REGIONS.index(stop["region"]) < max(map(REGIONS.index, last)):
            found.append(f"order: {stop['html']} after another part of the page")
        last[stop["region"]] = stop
    reached = [stop["number"] for stop in there]
    found += [f"unreached: {each['html']}" for each in page.evaluate("controls()") if each["number"] not in reached]
    if sorted(reached) != sorted(set(reached)):
        found.append("twice")
    if [stop["number"] for stop in back] != reached[::-1]:
        found.append(f"back: {[stop['html'] for stop in there]}, {[stop['html'] for stop in back]}")
    return found


SIZES = {"wide": (1280, 800, "dark"), "phone": (360, 740, "light")}


@pytest.fixture(scope="module", params=SIZES)
def page(request, browser, tmp_path_factory):
    """A page of a server on which everything runs: each control is there."""
    width, height, scheme = SIZES[request.param]
    folder = tmp_path_factory.mktemp("walk")
    (folder / "recordings").mkdir()
    (folder / "recordings" / "2026-01-01 10.00.00.wav").write_bytes(bytes(100))
    studio = Studio("--recordings", str(folder / "recordings"), "--accounts", str(folder / "accounts.sqlite"), "--hash-cost", "8:1")
    for action, value in [("ticker/start", {"rate": 2}), ("sound/select", {"kind": "demo"}), ("lights/start", {}), ("lights/arm", {"armed": True, "output": "sacn:127.0.0.1"})]:
        assert post(studio, action, value)[0] == 200
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(studio.address)
    page.locator("#connection[data-state=live]").wait_for()
    page.get_by_role("group", name="Lights").wait_for()
    yield page
    context.close()
    assert studio.stop() == 0


def show(page, screen):
    page.evaluate("(screen) => { location.hash = `#/${screen}`; }", screen)
    page.locator(f"[data-id='{screen}'][aria-current]").wait_for(state="attached")
    page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
    page.evaluate(LOOK)
    # What its states and its first values bring.
    until_still(page, "controls().length")


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen or "overview")
def test_the_keyboard_walks_through_a_screen_as_it_is_seen(page, screen):
    show(page, screen)
    assert faults(page) == []


# What breaks the walk, and what is said about it.
BROKEN = {
    "nothing": ("", None),
    "a number of its own": ("last.tabIndex = 5", "unreached: "),
    "another order": ("main.lastChild.style.cssText = 'display: flex; flex-direction: row-reverse'", "order: "),
    "a trap": ("last.addEventListener('keydown', (event) => event.preventDefault())", "Tab is trapped: "),
    "see-through": ("last.style.opacity = 0", "hidden: "),
    "outside": ("last.style.cssText = 'position: fixed; left: -900px'", "hidden: "),
    "covered": ("main.append(Object.assign(document.createElement('p'), { style: 'position: fixed; inset: 0; z-index: 9' }))", "hidden: "),
    "no outline": ("last.style.outline = 'none'", "no outline: "),
    "a cut outline": ("main.lastChild.style.cssText = 'width: max-content; overflow: hidden'", "no outline: "),
    "a pale outline": ("last.style.outlineColor = getComputedStyle(document.documentElement).backgroundColor", "pale outline: "),
    "no key": ("last.tabIndex = -1", "unreached: "),
    "a picture of a button": ("last.replaceWith(Object.assign(document.createElement('span'), { role: 'button', textContent: 'x' }))", "unreached: "),
}


@pytest.mark.parametrize("page", ["wide"], indirect=True)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_walk_is_noticed(page, kind):
    change, words = BROKEN[kind]
    for screen in ["", "account"]:
        show(page, screen)
    page.evaluate("""() => {
        const row = document.createElement('div');
        row.append(...['first', 'last'].map((text) => Object.assign(document.createElement('button'), { textContent: text })));
        document.querySelector('main').append(row);
    }""")
    page.evaluate(f"() => {{ const main = document.querySelector('main'), last = main.lastChild.lastChild; {change}; }}")
    found = faults(page)
    assert any(words in each for each in found) if words else found == [], found
