"""Every screen, and what they have in common, in a real browser."""

import re
import signal

import pytest
from playwright.sync_api import expect

from client import post
from conftest import SCREENS, Studio
from page import choose_demo, expect_connection, observed, open_screen, until, until_still, violations

# What a pointer is to hit in less than 24 by 24 pixels: a control, with the label that acts for it. A link within a text is as high as its line.
SMALL_TARGETS = """[...document.querySelectorAll('a[href], button, input, select, textarea, summary, audio, [role=slider]')]
    .filter((each) => each.checkVisibility() && !each.closest('.hidden, .skip') && getComputedStyle(each).display !== 'inline')
    .filter((each) => ![each, ...each.labels ?? []].some((target) => {
        const { width, height } = target.getBoundingClientRect();
        return width >= 24 && height >= 24;
    })).map((each) => each.outerHTML.slice(0, 100))"""


def start_everything(page, address):
    open_screen(page, address, "prices")
    page.get_by_role("button", name="Start").click()
    open_screen(page, address, "lights")
    page.get_by_role("button", name="Start", exact=True).click()
    choose_demo(page)


def test_a_broken_page_has_violations(open_page):
    page = open_page()
    page.evaluate("document.body.innerHTML = '<img src=icon.svg><input><button></button>'")
    assert len(violations(page)) >= 3


def test_a_row_of_another_form_is_checked(open_page):
    page = open_page("fixtures", color_scheme="light")
    rows = page.get_by_role("region", name="Patch").locator("tbody tr")
    expect(rows).to_have_count(100)
    assert violations(page) == []
    rows.nth(60).locator("td").first.evaluate("(cell) => { cell.style.color = '#aaa'; }")
    assert [each.split(":")[0] for each in violations(page)] == ["color-contrast"]


@pytest.mark.parametrize("is_running", [False, True])
@pytest.mark.parametrize("width,scheme", [(1280, "dark"), (360, "light")])
def test_every_screen_is_accessible_empty_and_running(open_page, studio, picture, width, scheme, is_running):
    page = open_page(width=width, height=740, color_scheme=scheme)
    if is_running:
        start_everything(page, studio.address)
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        page.wait_for_timeout(300)
        assert violations(page) == [], screen
        assert page.evaluate("document.documentElement.scrollWidth") <= width, screen
        assert page.evaluate(SMALL_TARGETS) == [], screen
        assert page.locator("main canvas:not([role=img][aria-label])").count() == 0, screen
        assert page.title() == f"{page.get_by_role('heading', level=1).inner_text()} – Rustle studio"
        picture(page, f"{screen or 'overview'}-{width}-{'running' if is_running else 'empty'}")


def test_every_state_is_accessible(open_page, studio, picture):
    page = open_page()

    def check(state):
        assert violations(page) == [], state
        picture(page, state)

    start_everything(page, studio.address)
    open_screen(page, studio.address, "lights")
    page.locator("#address").fill("nowhere")
    page.get_by_role("button", name="Arm").click()
    page.get_by_role("alert").wait_for()
    check("error")
    page.locator("#address").fill("sacn:127.0.0.1")
    page.get_by_role("button", name="Arm").click()
    page.get_by_role("button", name="Disarm").wait_for()
    check("armed")
    page.locator("main").get_by_role("button", name="Blackout").click()
    page.locator("main").get_by_role("button", name="Restore").wait_for()
    check("blackout")
    open_screen(page, studio.address, "recorder")
    page.get_by_role("group", name="Lights").wait_for()
    check("blackout of another screen")
    page.get_by_role("button", name="Record", exact=True).click()
    page.get_by_role("button", name="Pause recording").click()
    page.get_by_role("button", name="Resume recording").wait_for()
    check("recording paused")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").wait_for()
    check("dialog")
    page.get_by_role("button", name="Keep").click()
    page.locator("h1").focus()
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    check("help")
    page.keyboard.press("Escape")
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        if page.get_by_role("button", name="Pause", exact=True).count():
            page.get_by_role("button", name="Pause", exact=True).click()
        check(f"{screen} paused")


def test_a_phone_reaches_every_screen(open_page, picture):
    page = open_page(width=360, height=740, has_touch=True)
    nav, more = page.locator("nav"), page.get_by_role("button", name="More")
    bar = nav.get_by_role("link")
    expect(bar).to_have_count(4)
    more.tap()
    expect(bar).to_have_count(len(SCREENS) - 1)
    for link in bar.all():
        box = link.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 360 and box["y"] >= 0 and box["y"] + box["height"] <= 740
        assert box["width"] >= 44 and box["height"] >= 44
        # Its name is there, whole.
        assert link.evaluate("(link) => link.scrollWidth <= link.clientWidth && parseFloat(getComputedStyle(link).fontSize) >= 12")
    assert violations(page) == []
    picture(page, "more-360")
    nav.get_by_role("link", name="Lights").tap()
    expect(page.get_by_role("heading", name="Lights")).to_be_focused()
    expect(bar).to_have_count(4)
    more.tap()
    # Another touch closes it.
    page.touchscreen.tap(180, 300)
    expect(more).to_have_attribute("aria-expanded", "false")
    more.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Tuner"
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    expect(bar).to_have_count(4)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Tuner")).to_be_focused()


def test_the_account_is_in_the_header_of_every_screen(open_page, studio):
    for width in [360, 1280]:
        page = open_page(width=width)
        for screen in SCREENS:
            open_screen(page, studio.address, screen)
            expect(page.get_by_role("banner").get_by_role("link", name="Account")).to_be_visible()
        open_screen(page, studio.address)
        page.get_by_role("link", name="Account").click()
        expect(page.get_by_role("heading", name="Account")).to_be_focused()
        expect(page.get_by_role("link", name="Account")).to_have_attribute("aria-current", "page")


def test_rows_are_cards_on_a_phone(open_page, studio, tmp_path, picture):
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name in ["2026-01-01 10.00.00.wav", f"{'long ' * 20}.flac"]:
        (folder / name).write_bytes(bytes(2_000_000))
    page = open_page("recorder", width=360, height=740)
    for screen, names in [("recorder", ["Recordings"]), ("fixtures", ["Patch"]), ("prices", ["Prices"])]:
        open_screen(page, studio.address, screen)
        for name in names:
            region = page.get_by_role("region", name=name)
            region.get_by_role("row").nth(1).wait_for()
            assert region.evaluate("(region) => region.scrollWidth <= region.clientWidth"), name
            # Still a table, whose cells name their columns.
            columns = region.get_by_role("columnheader").all_inner_texts()
            cells = region.get_by_role("row").nth(1).get_by_role("cell")
            named = cells.evaluate_all("(cells) => cells.map((cell) => getComputedStyle(cell, '::before').content.slice(1, -1))")
            assert named == columns and len(columns) >= 6
        assert violations(page) == []
        picture(page, f"{screen}-cards-360")


def test_nothing_is_lost_at_a_zoom_of_200_and_400_percent(open_page, studio, picture):
    # What a window of 1280 by 1024 is then.
    for width, height, scale in [(640, 512, 2), (320, 256, 4)]:
        page = open_page(width=width, height=height, device_scale_factor=scale)
        if scale == 2:
            start_everything(page, studio.address)
        for screen in SCREENS:
            open_screen(page, studio.address, screen)
            page.wait_for_timeout(100)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, screen
            # Each control has its whole text, within the page; a table scrolls by itself.
            lost = page.evaluate("""(width) => [...document.querySelectorAll('main :is(button, a, input, select, output, h1, h2, label, p), header *')]
                .filter((each) => each.checkVisibility() && !each.closest('.scroll, .hidden, .bands'))
                .filter((each) => { const box = each.getBoundingClientRect();
                    return box.width > 0 && (box.left < -1 || box.right > width + 1 || each.matches('button, a') && each.scrollWidth > each.clientWidth + 1); })
                .map((each) => each.outerHTML.slice(0, 100))""", width)
            assert lost == [], (screen, width)
            picture(page, f"{screen or 'overview'}-zoom-{scale}")
        # What has the focus is not behind the header or the tabs: looked at by the press that moves it on.
        page.evaluate("""() => {
            window.hidden = [];
            document.addEventListener('keydown', () => {
                const { activeElement: active } = document;
                if (active === document.body || active.closest('header, nav')) return;
                const box = active.getBoundingClientRect();
                const [x, y] = [box.left + box.width / 2, Math.min(box.top + box.height / 2, innerHeight - 1)];
                if (document.elementFromPoint(x, y)?.closest('header, nav')) hidden.push(active.outerHTML.slice(0, 100));
            }, true);
        }""")
        for _ in range(41):
            page.keyboard.down("Tab")
        page.keyboard.up("Tab")
        assert page.evaluate("hidden") == [], width


# Counts how often each canvas of the screen changes from now on, by its name.
COUNT_PICTURES = """() => {
    clearTimeout(window.looking);
    const canvases = [...document.querySelectorAll('main canvas')];
    const [last, start] = [canvases.map((each) => each.toDataURL()), performance.now()];
    const changes = Object.fromEntries(canvases.map((each) => [each.ariaLabel, 0]));
    const look = () => {
        canvases.forEach((each, place) => {
            const now = each.toDataURL();
            if (now !== last[place]) changes[each.ariaLabel] += 1;
            last[place] = now;
        });
        window.pictures = { changes, seconds: (performance.now() - start) / 1000 };
        window.looking = setTimeout(look, 50);
    };
    look();
}"""
# How many canvases of a screen change with each value.
FAST = {"spectrum": 2, "meter": 1, "tuner": 1, "voice": 1, "prices": 0, "mapping": 0}


def test_what_moves_is_slow_where_less_motion_is_wanted(open_page, studio):
    post(studio, "ticker/start", {})
    post(studio, "sound/select", {"kind": "demo"})
    pages = {motion: open_page("spectrum", reduced_motion=motion) for motion in ["no-preference", "reduce"]}
    names = set()
    for page in pages.values():
        until(page, "parseFloat(document.getElementById('peak').value) > 20")
    for screen, fast in FAST.items():
        if screen == "mapping":
            assert post(studio, "mapping/start", {"source": "simulated", "hold": 100})[0] == 200
        for motion, page in pages.items():
            open_screen(page, studio.address, screen)
            if screen == "mapping":
                until(page, "+document.querySelector('[aria-label=Frames]').value > 2")
            until(page, "document.querySelectorAll('main canvas').length > 0")
            if screen == "tuner":
                page.get_by_role("button", name="Strobe").click()
                transition = page.locator(".needle").evaluate("(needle) => getComputedStyle(needle).transitionProperty")
                assert transition == ("none" if motion == "reduce" else "transform")
        # The first picture is there.
        page.wait_for_timeout(300)
        for page in pages.values():
            page.evaluate(COUNT_PICTURES)
        until(pages["no-preference"], f"Object.values(pictures.changes).filter((count) => count > 10).length >= {fast}")
        until(pages["reduce"], "pictures.seconds > 1.2")
        seen = pages["reduce"].evaluate("pictures")
        # One a second; the first, and one of another size, come at any time.
        assert max(seen["changes"].values()) <= seen["seconds"] + 2, seen
        names |= seen["changes"].keys()
    assert post(studio, "mapping/stop", {})[0] == 200
    assert len(names) > 9


def test_forced_colours_show_what_is_chosen(open_page, studio, picture):
    page = open_page(forced_colors="active")
    start_everything(page, studio.address)
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        page.wait_for_timeout(100)
        assert violations(page) == [], screen
        picture(page, f"{screen or 'overview'}-forced")
    outline = "(element) => getComputedStyle(element).outlineStyle"
    open_screen(page, studio.address, "meter")
    group = page.get_by_role("group", name="Frequency weighting")
    assert [button.evaluate(outline) for button in group.get_by_role("button").all()] == ["solid", "none", "none"]
    assert page.locator("nav a[aria-current]").evaluate(outline) == "solid"
    assert page.locator("nav a:not([aria-current])").first.evaluate(outline) == "none"
    assert page.locator(".chip").evaluate("(chip) => getComputedStyle(chip).borderTopStyle") == "solid"


def test_no_screen_scrolls_sideways_at_320_pixels(open_page, studio):
    page = open_page(width=320, height=600)
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        page.wait_for_timeout(50)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, screen


def test_changing_numbers_are_not_read_out(open_page, studio):
    page = open_page()
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        assert page.evaluate("[...document.querySelectorAll('output')].every((each) => each.getAttribute('aria-live') === 'off')"), screen


def test_another_token_is_said(browser):
    studio = Studio("--token")
    page = browser.new_context().new_page()
    page.goto(studio.address)
    page.locator("#connection[data-state=live]").wait_for()
    assert studio.stop() == 0
    again = Studio("--token", port=studio.port)
    expect_connection("refused", page)
    page.reload()
    expect(page.locator("body")).to_contain_text("open the address that the server printed")
    page.context.close()
    assert again.stop() == 0


def test_after_a_restart_nothing_of_before_is_shown(browser):
    studio = Studio()
    page = browser.new_context().new_page()
    open_screen(page, studio.address, "prices")
    post(studio, "ticker/start", {})
    price = page.locator("main tbody tr").first.locator("td").nth(1)
    expect(price).to_contain_text("$")
    post(studio, "lights/start", {})
    post(studio, "lights/arm", {"armed": True, "output": "sacn:127.0.0.1"})
    armed = page.get_by_role("group", name="Lights")
    expect(armed).to_be_visible()
    studio.process.kill()
    studio.process.wait()
    expect(armed).to_be_hidden()
    # Meanwhile the page says how old its values are.
    connection = page.locator("#connection")
    expect(connection).to_have_text(re.compile(r"^Reconnecting, values of \d+ s ago$"))
    said = int(connection.inner_text().split()[3])
    until(page, f"+document.querySelector('#connection').textContent.split(' ')[3] >= {said + 2}")
    again = Studio(port=studio.port)
    expect_connection("live", page)
    expect(price).to_have_text("–")
    expect(armed).to_be_hidden()
    # What is typed is not of before.
    open_screen(page, studio.address, "setup")
    page.get_by_label("New name").fill("left")
    assert again.stop() == 0
    expect_connection("lost", page)
    third = Studio(port=studio.port)
    expect_connection("live", page)
    expect(page.get_by_label("New name")).to_have_value("left")
    page.context.close()
    assert third.stop() == 0


@pytest.mark.parametrize("width,height", [(844, 390), (740, 360), (667, 375), (932, 430)])
def test_the_header_of_a_phone_on_its_side_is_one_whole_row(open_page, studio, picture, width, height):
    post(studio, "lights/start", {})
    post(studio, "lights/arm", {"armed": True, "output": "sacn:127.0.0.1"})
    page = open_page("meter", width=width, height=height)
    page.get_by_role("group", name="Lights").wait_for()
    box = page.locator("header").bounding_box()
    assert box["height"] <= 64
    for control in page.locator("header :is(a, button, select)").all():
        if control.is_visible():
            own = control.bounding_box()
            assert own["x"] >= 0 and own["x"] + own["width"] <= width, control.evaluate("(each) => each.outerHTML")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture(page, f"side-{width}")


def test_an_unknown_address_is_the_overview_and_says_so(open_page):
    page = open_page("nowhere")
    expect(page.get_by_role("alert")).to_have_text("There is no screen nowhere: this is the overview.")
    assert page.evaluate("location.hash") == "#/" and page.get_by_role("heading", level=1).inner_text() == "Overview"
    assert violations(page) == []
    # What was reported is of that screen.
    page.keyboard.press("3")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_the_page_recovers_from_a_restart(browser):
    studio = Studio()
    page = browser.new_context().new_page()
    page.goto(studio.address)
    page.locator("#connection[data-state=live]").wait_for()
    assert studio.stop() == 0
    expect_connection("lost", page)
    again = Studio(port=studio.port)
    expect_connection("live", page)
    page.context.close()
    assert again.stop() == 0


@pytest.mark.parametrize("event", ["window.dispatchEvent(new Event('online'))", "document.dispatchEvent(new Event('visibilitychange'))"])
def test_a_page_that_may_have_a_network_again_connects_at_once(browser, event):
    studio = Studio()
    page = browser.new_context().new_page()
    page.clock.install()
    page.goto(studio.address)
    expect_connection("live", page)
    # The time of its next try never comes.
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    assert studio.stop() == 0
    expect_connection("lost", page)
    again = Studio(port=studio.port)
    page.evaluate(event)
    expect_connection("live", page)
    page.context.close()
    assert again.stop() == 0


def test_nothing_is_sent_over_a_connection_that_closes(open_page):
    page = open_page()
    page.add_init_script("""window.sockets = [];
        window.WebSocket = class extends WebSocket { constructor(...address) { super(...address); sockets.push(this); } };""")
    page.reload()
    expect_connection("live", page)
    # The page hears of the end later; the browser writes a warning for each message until then.
    assert page.evaluate("() => { sockets[0].close(); document.getElementById('pause').click(); return sockets[0].readyState; }") == 2
    expect(page.locator("#pause")).to_have_text("Resume")
    until(page, "sockets.length === 2")
    expect_connection("live", page)


def test_a_value_that_comes_after_its_screen_was_left_makes_nothing_stale(open_page):
    page = open_page("prices")
    page.get_by_role("button", name="Start", exact=True).click()
    for _ in range(10):
        page.evaluate("location.hash = '#/prices'")
        page.wait_for_timeout(150)
        page.evaluate("location.hash = '#/account'")
        page.wait_for_timeout(100)
    page.wait_for_timeout(2600)
    expect(page.locator("#connection")).to_have_text("Live")


def test_a_server_that_says_nothing_any_more_is_gone(open_page, studio):
    # Without values, whose age would say it.
    page = open_page("account")
    page.clock.install()
    page.reload()
    expect_connection("live", page)
    # As when the cable is pulled: no connection ends.
    studio.process.send_signal(signal.SIGSTOP)
    try:
        page.clock.fast_forward(20_000)
        expect_connection("live", page)
        page.clock.fast_forward(6_000)
        expect_connection("lost", page)
        # Nor does a new one begin.
        page.clock.fast_forward(40_000)
        expect_connection("lost", page)
    finally:
        studio.process.send_signal(signal.SIGCONT)
    expect_connection("live", page)


def test_nine_pages_are_live_at_once(open_page):
    first = open_page()
    first.get_by_role("button", name="Start").click()
    pages = [first] + [first.context.new_page() for _ in range(8)]
    for page in pages[1:]:
        page.goto(first.url)
    for page in pages:
        page.bring_to_front()
        until(page, "+document.getElementById('n').value > 10")


def test_everything_is_reached_by_the_keyboard(open_page):
    page = open_page()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for place, screen in [*enumerate(SCREENS[:10], 1)][1:] + [(1, SCREENS[0])]:
        page.keyboard.press(str(place % 10))
        # Not the title of the screen before: it leaves the page, and a dialog could not return the focus to it.
        until(page, f"document.querySelector('[data-id=\"{screen}\"][aria-current]') && document.activeElement.tagName === 'H1'")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_the_focus_goes_to_what_is_used_next(open_page):
    page = open_page("recorder")
    choose_demo(page)
    name = "document.activeElement.ariaLabel ?? document.activeElement.textContent"
    for _ in range(2):
        page.get_by_role("button", name="Record", exact=True).focus()
        page.keyboard.press("Enter")
        until(page, f"({name}) === 'Stop'")
        until(page, "document.querySelector('[aria-label=\"Time in the file\"]').value > '0:00.2'")
        page.keyboard.press("Enter")
        until(page, f"({name}) === 'Record'")
        page.get_by_role("button", name="Delete").first.wait_for()
    deletes = page.locator("main table").get_by_role("button", name="Delete")
    expect(deletes).to_have_count(2)
    for left in [1, 0]:
        deletes.last.focus()
        page.keyboard.press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Delete").press("Enter")
        until(page, f"document.querySelectorAll('main table a').length === {left}")
        assert page.evaluate(name) != page.evaluate("document.body.textContent")
    assert page.evaluate(name) == "Record"
    page.goto(page.url.replace("recorder", "equalizer"))
    page.get_by_label("Left, 1024 Hz").press("ArrowUp")
    page.get_by_role("button", name="Undo").press("Enter")
    until(page, f"({name}) === 'Redo'")


def test_a_touch_scrolls_the_equalizer(browser, studio):
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_screen(page, studio.address, "equalizer")
    slider = page.get_by_label("Left, 512 Hz")
    slider.wait_for()
    devtools = context.new_cdp_session(page)

    def drag(x, y, distance, is_over):
        """How far the page has scrolled when that holds, for which `{}` is where it was, and when it stands still."""
        before = until_still(page, "scrollY", 100)
        points = [{"x": x, "y": y - distance * step / 10} for step in range(11)]
        for kind, point in [("touchStart", points[0]), *(("touchMove", point) for point in points[1:])]:
            devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        until(page, is_over.format(before))
        return until_still(page, "scrollY", 100) - before

    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert drag(middle[0], box["y"] + box["height"] - 4, 60, "scrollY > {} + 20") > 20 and slider.input_value() == "0"
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert drag(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 30, "+document.querySelector('[aria-label=\"Left, 512 Hz\"]').value > 1") == 0
    chart = page.locator("main canvas").first
    page.evaluate("scrollTo(0, 0)")
    until(page, "scrollY === 0")
    box = chart.bounding_box()
    assert drag(box["x"] + 5, box["y"] + box["height"] - 8, 60, "scrollY > {} + 20") > 20
    context.close()


def test_a_screen_begins_with_its_title_in_view(open_page):
    for width, height in [(1280, 600), (360, 740)]:
        page = open_page("prices", width=width, height=height)
        for scrolled, name in [(60, "meter"), (120, "prices")]:
            page.evaluate("(top) => scrollTo(0, top)", scrolled)
            page.evaluate("(name) => { location.hash = `#/${name}`; }", name)
            until(page, f"document.querySelector('[data-id={name}][aria-current]') && document.activeElement.tagName === 'H1'")
            top = page.locator("h1").bounding_box()["y"]
            header = page.locator("#header, header").first.bounding_box()
            assert top >= header["y"] + header["height"], (width, scrolled, top, header)


def test_a_long_message_leaves_its_button_in_view(open_page):
    page = open_page("prices", width=360, height=740)
    page.get_by_label("Symbols").fill(" ".join(f"S{number}" for number in range(40)))
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Close", exact=True)).to_be_in_viewport(ratio=1)


def test_what_went_wrong_is_in_view(open_page, studio):
    page = open_page("lights")
    page.get_by_role("button", name="Start", exact=True).click()
    for width, height in [(1280, 800), (360, 740), (740, 360)]:
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#address").fill("nowhere")
        arm = page.get_by_role("button", name="Arm")
        arm.scroll_into_view_if_needed()
        place = arm.bounding_box()
        arm.click()
        expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)
        # Nothing makes room for it.
        assert arm.bounding_box() == place
        page.get_by_role("button", name="Close", exact=True).click()
        expect(page.get_by_role("alert")).to_have_count(0)


def test_a_device_that_fails_says_why_after_another_sound(open_page, studio):
    page = open_page("meter")
    choose_demo(page)
    until(page, "document.querySelector('main output').textContent !== '–'")
    page.evaluate("""document.querySelector('#source select').append(new Option('gone', 'device:gone'))""")
    page.get_by_label("Sound", exact=True).select_option("device:gone")
    expect(page.get_by_role("alert")).to_be_visible()
    page.wait_for_timeout(500)
    expect(page.get_by_role("alert")).to_be_visible()


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_jumps_when_a_screen_opens(open_page, studio, width):
    post(studio, "sound/select", {"kind": "demo"})
    post(studio, "ticker/start", {})
    page = open_page(width=width)
    for screen in ["prices", "spectrum", "meter", "tuner", "equalizer", "recorder", "voice", "tempo", "fixtures"]:
        # One page, since each has several of the connections that an address may have.
        open_screen(page, studio.address, screen)
        page.reload()
        page.locator("#connection[data-state=live]").wait_for()
        page.wait_for_timeout(300)
        assert observed(page, "layout-shift", "value") <= 0.01, screen

