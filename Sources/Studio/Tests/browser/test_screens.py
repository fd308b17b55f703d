"""What a person sees and does, in a real browser."""

import re
import socket
import time
import wave

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import SCREENS, Studio


def violations(page):
    return [f"{each['id']}: {each['nodes'][0]['html'][:100]}" for each in Axe().run(page).response["violations"]]


def number(page, selector):
    return float(page.locator(selector).inner_text().replace("−", "-"))


def until(page, expression, seconds=5):
    """Waits until an expression is true; Playwright's own wait needs the `eval` that the page forbids."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(20)


def choose_demo(page):
    page.get_by_label("Sound", exact=True).select_option("demo")


def start_everything(page, address):
    page.goto(f"{address}#/prices")
    page.get_by_role("button", name="Start").click()
    page.goto(f"{address}#/lights")
    page.get_by_role("button", name="Start", exact=True).click()
    choose_demo(page)


def test_a_broken_page_has_violations(open_page):
    page = open_page()
    page.evaluate("document.body.innerHTML = '<img src=icon.svg><input><button></button>'")
    assert len(violations(page)) >= 3


@pytest.mark.parametrize("width,scheme", [(1280, "dark"), (360, "light")])
def test_every_screen_is_accessible_empty_and_running(open_page, studio, picture, width, scheme):
    page = open_page(width=width, height=740, color_scheme=scheme)
    for is_running in [False, True]:
        if is_running:
            start_everything(page, studio.address)
        for screen in SCREENS:
            page.goto(f"{studio.address}#/{screen}")
            page.wait_for_timeout(300)
            assert violations(page) == [], (screen, is_running)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, screen
            picture(page, f"{screen or 'overview'}-{width}-{'running' if is_running else 'empty'}")


def test_no_screen_scrolls_sideways_at_320_pixels(open_page, studio):
    page = open_page(width=320, height=600)
    for screen in SCREENS:
        page.goto(f"{studio.address}#/{screen}")
        page.wait_for_timeout(50)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, screen


def test_prices_start_and_stop_for_everybody(open_page):
    first, second = open_page(), open_page("prices")
    first.get_by_role("button", name="Start").click()
    until(first, "+document.getElementById('n').value > 50")
    until(first, "+document.getElementById('rate').value > 0")
    assert 80 <= number(first, "#rate") <= 120
    expect(second.locator("tbody tr")).to_have_count(3)
    expect(second.locator("tbody tr").first.locator("td").nth(1)).to_have_text(re.compile(r"^\$\d+\.\d\d$"))
    second.get_by_role("button", name="Stop").click()
    expect(first.get_by_role("button", name="Start")).to_be_visible()
    first.wait_for_timeout(200)
    before = number(first, "#n")
    first.wait_for_timeout(300)
    assert number(first, "#n") == before


def test_the_microphone_is_tuned_within_a_cent(open_page, studio):
    page = open_page()
    page.get_by_role("button", name="Listen").click()
    until(page, "+document.getElementById('sent').value > 48000")
    until(page, "Math.abs(+document.getElementById('peak').value - 440) < 1")
    assert page.locator("#via").inner_text() == "This microphone"
    page.goto(f"{studio.address}#/tuner")
    expect(page.get_by_label("Note", exact=True)).to_have_text("A4", timeout=2000)
    page.wait_for_timeout(500)
    assert abs(number(page, "output[aria-label=Cents]")) <= 1
    expect(page.locator(".guide")).to_have_text("In tune")


def test_a_file_is_heard(open_page, tone, tmp_path):
    page = open_page("tuner")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="File…").click()
    chooser.value.set_files(tone)
    expect(page.get_by_label("Note", exact=True)).to_have_text("A4")
    expect(page.locator("#source-select option:checked")).to_have_text("a440.wav")
    broken = tmp_path / "broken.wav"
    broken.write_bytes(b"no sound")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="File…").click()
    chooser.value.set_files(broken)
    expect(page.get_by_role("alert")).to_contain_text("broken.wav is no sound file")


def test_a_choice_of_sound_is_made_by_enter_not_by_arrows(open_page):
    page = open_page()
    select = page.get_by_label("Sound", exact=True)
    select.focus()
    select.press("ArrowDown")
    page.wait_for_timeout(200)
    assert page.evaluate("fetch('/api/state').then((answer) => answer.json()).then(({ states }) => states.sound.kind)") == "none"
    select.press("Enter")
    expect(page.locator("#via")).to_have_text("Demo tone")


def test_no_number_stays_when_the_sound_ends(open_page):
    page = open_page("meter")
    choose_demo(page)
    expect(page.locator(".chip")).not_to_have_text("–")
    page.get_by_label("Sound", exact=True).select_option("none")
    expect(page.locator(".chip")).to_have_text("–")
    page.wait_for_timeout(2500)
    expect(page.locator("#connection")).to_have_text("Live")


def test_changing_numbers_are_not_read_out(open_page, studio):
    page = open_page()
    for screen in SCREENS:
        page.goto(f"{studio.address}#/{screen}")
        assert page.evaluate("[...document.querySelectorAll('output')].every((each) => each.getAttribute('aria-live') === 'off')"), screen


def test_the_meter_names_its_class(open_page):
    page = open_page("meter")
    choose_demo(page)
    # The demo tone rises and falls: several classes in a few seconds, each as a word.
    seen = set()
    for _ in range(150):
        seen.add(page.locator(".chip").inner_text())
        page.wait_for_timeout(100)
        if len(seen - {"–"}) >= 3:
            break
    assert len(seen & {"Silent", "Quiet", "Average", "Noisy", "Loud"}) >= 3, seen
    value = page.get_by_role("meter").get_attribute("aria-valuetext")
    assert value.split(", ")[1] in seen


def test_a_slider_moves_the_sound_and_the_other_browser(open_page):
    first, second = open_page("equalizer"), open_page("equalizer")
    choose_demo(first)
    until(first, "parseFloat(document.querySelector('[aria-label=\"Peak in\"]').value.replace('−', '-')) < 0")
    slider = first.get_by_label("Left, 512 Hz")
    slider.focus()
    slider.press("PageDown")
    slider.press("ArrowDown")
    expect(second.get_by_label("Right, 512 Hz")).to_have_value("-3.5")
    for _ in range(3):
        slider.press("PageDown")
    expect(second.get_by_label("Left, 512 Hz")).to_have_value("-12")
    first.wait_for_timeout(400)
    gain = number(first, "[aria-label='Peak out']") - number(first, "[aria-label='Peak in']")
    assert gain < -2, gain
    first.get_by_role("button", name="Undo").click()
    expect(second.get_by_label("Left, 512 Hz")).to_have_value("-9.5")
    first.get_by_label("Preset").select_option("Treble")
    expect(second.get_by_label("Right, 16384 Hz")).to_have_value("6")
    expect(second.get_by_label("Preset")).to_have_value("Treble")
    first.get_by_label("Preset").select_option("Flat")
    expect(second.get_by_label("Left, 16384 Hz")).to_have_value("0")


def test_filters_are_exported_and_imported(open_page):
    page = open_page("equalizer")
    page.get_by_role("button", name="Export").click()
    text = page.locator("#equalizer-text")
    expect(text).not_to_have_value("")
    assert "Filter" in text.input_value() and "PK" in text.input_value()
    text.fill("no filters")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_be_visible()


def test_a_recording_is_made_played_and_deleted(open_page, tmp_path):
    page = open_page("recorder")
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Choose a sound first")
    choose_demo(page)
    page.get_by_role("button", name="Record", exact=True).click()
    page.get_by_label("Time in the file").wait_for()
    until(page, "document.querySelector('[aria-label=\"Time in the file\"]').value > '0:01.0'")
    page.get_by_role("button", name="Pause recording").click()
    expect(page.get_by_role("button", name="Resume recording")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("tbody tr")).to_have_count(1)
    name = page.locator("tbody td").first.inner_text()
    with wave.open(str(tmp_path / "recordings" / name)) as file:
        assert file.getframerate() == 48000 and file.getnchannels() == 2 and file.getnframes() > 48000
    page.locator("audio").evaluate("(audio) => audio.play()")
    until(page, "document.querySelector('audio').currentTime > 0.3 && document.querySelector('audio').duration > 1")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.path().read_bytes() == (tmp_path / "recordings" / name).read_bytes()
    page.get_by_role("button", name=f"Delete {name}").click()
    expect(page.locator("tbody tr")).to_have_count(0)
    assert not (tmp_path / "recordings" / name).exists()


def test_a_voice_has_pitch_and_formants(open_page):
    page = open_page("voice")
    page.get_by_label("Sound", exact=True).select_option("browser")
    # The fake microphone hears 440 Hz.
    until(page, "Math.abs(parseFloat(document.querySelector('[aria-label=Pitch]').value) - 440) < 2")


def test_taps_set_the_tempo(open_page):
    page = open_page("tempo")
    for _ in range(6):
        page.keyboard.press("t")
        page.wait_for_timeout(400)
    until(page, "+document.querySelector('[aria-label=Tempo]').value > 125")
    assert 130 <= number(page, "[aria-label=Tempo]") <= 155


def test_nothing_is_sent_to_lamps_before_the_output_is_armed(open_page):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lamp:
        lamp.bind(("127.0.0.1", 0))
        lamp.settimeout(0.5)
        page = open_page("lights")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Blackout").wait_for()
        with pytest.raises(TimeoutError):
            lamp.recv(2000)
        page.locator("#address").fill(f"sacn:127.0.0.1:{lamp.getsockname()[1]}")
        page.get_by_role("button", name="Arm").click()
        expect(page.get_by_role("button", name="Disarm")).to_be_visible()
        assert lamp.recv(2000)[4:13] == b"ASC-E1.17"
        page.get_by_role("button", name="Blackout").click()
        expect(page.get_by_role("button", name="Light again")).to_be_visible()
        deadline = time.monotonic() + 5
        while True:
            packet = lamp.recv(2000)
            # Data with the start code 0.
            if packet[18:22] == b"\0\0\0\4" and packet[125] == 0 and not any(packet[126:]):
                break
            assert time.monotonic() < deadline, "expected dark slots"
        page.get_by_role("button", name="Disarm").click()
        expect(page.get_by_role("button", name="Arm", exact=True)).to_be_visible()
        page.wait_for_timeout(300)
        lamp.setblocking(False)
        try:
            while True:
                lamp.recv(2000)
        except BlockingIOError:
            pass
        page.wait_for_timeout(300)
        with pytest.raises(BlockingIOError):
            lamp.recv(2000)


def test_a_show_of_a_file_has_its_scenes_and_faders(browser, tmp_path):
    show, rig = tmp_path / "show.json", tmp_path / "rig.json"
    rig.write_text('{"v":1,"fixtures":[{"id":1,"profile":"rgb-par","protocol":"sacn","universe":1,"address":1,"position":[0,4,2]}]}')
    show.write_text("""{"v":1,"name":"Small","faders":["key light"],"scenes":[{"name":"all on","layers":[{"effect":"solid","opacity":0,
        "modulators":[{"target":"opacity","source":"fader","fader":"key light","amount":1}]}]}]}""")
    studio = Studio("--show", str(show), "--rig", str(rig))
    page = browser.new_context().new_page()
    page.goto(f"{studio.address}#/lights")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="all on")).to_have_attribute("aria-pressed", "true")
    fader = page.get_by_label("key light")
    fader.focus()
    fader.press("End")
    until(page, "fetch('/api/state').then((answer) => answer.json()).then(({ states }) => states.lights.levels[0] === 1)")
    page.context.close()
    assert studio.stop() == 0


def test_a_key_that_is_held_is_one_key(open_page):
    page = open_page("lights")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Blackout")).to_be_enabled()
    page.get_by_label("Master").focus()
    page.keyboard.down("b")
    for _ in range(10):
        page.keyboard.down("b")
    expect(page.get_by_role("button", name="Light again")).to_be_visible()
    page.wait_for_timeout(300)
    expect(page.get_by_role("button", name="Light again")).to_be_visible()
    page.keyboard.up("b")
    page.keyboard.press("?")
    page.get_by_label("These keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.wait_for_timeout(300)
    expect(page.get_by_role("button", name="Light again")).to_be_visible()


def test_imported_filters_can_be_changed(open_page):
    page = open_page("equalizer")
    page.locator("#equalizer-text").fill("Preamp: -6 dB\nFilter 1: ON PK Fc 1000 Hz Gain 5 dB Q 1.0\nFilter 2: ON PK Fc 100 Hz Gain -3 dB Q 1.0")
    page.get_by_role("button", name="Import").click()
    slider = page.get_by_label("Left, 1000 Hz")
    slider.focus()
    slider.press("ArrowDown")
    until(page, """fetch('/api/state').then((answer) => answer.json()).then(({ states: { equalizer } }) =>
        equalizer.left.join() === '4.5,-3' && equalizer.preamp === -6)""")
    page.get_by_label("Preset").select_option("Bass")
    expect(page.get_by_label("Left, 32 Hz")).to_have_value("6")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_another_token_is_said(browser):
    studio = Studio("--token")
    page = browser.new_context().new_page()
    page.goto(studio.address)
    page.locator("#connection[data-state=live]").wait_for()
    assert studio.stop() == 0
    again = Studio("--token", port=studio.port)
    expect(page.locator("#connection")).to_have_attribute("data-state", "refused", timeout=12000)
    page.reload()
    expect(page.locator("body")).to_contain_text("open the address that the server printed")
    page.context.close()
    assert again.stop() == 0


def test_the_page_recovers_from_a_restart(browser):
    studio = Studio()
    page = browser.new_context().new_page()
    page.goto(studio.address)
    page.locator("#connection[data-state=live]").wait_for()
    assert studio.stop() == 0
    expect(page.locator("#connection")).to_have_attribute("data-state", "lost")
    again = Studio(port=studio.port)
    expect(page.locator("#connection")).to_have_attribute("data-state", "live", timeout=12000)
    page.context.close()
    assert again.stop() == 0


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
    for place, screen in [*enumerate(SCREENS, 1)][1:] + [(1, SCREENS[0])]:
        page.keyboard.press(str(place % 10))
        until(page, f"location.hash === '#/{screen}' && document.activeElement.tagName === 'H1'")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Go on")).to_have_attribute("aria-pressed", "true")


def test_the_page_is_small_and_quick(open_page):
    page = open_page("spectrum")
    choose_demo(page)
    sizes = page.evaluate("""performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
        .filter((each) => !each.name.includes('/fonts/')).reduce((sum, each) => sum + each.decodedBodySize, 0)""")
    assert 10_000 < sizes <= 120 * 1024
    page.wait_for_timeout(500)
    frames = page.evaluate("""new Promise((resolve) => {
        const start = performance.now();
        let count = 0;
        const step = () => { count += 1; if (performance.now() - start < 1000) requestAnimationFrame(step); else resolve(count); };
        requestAnimationFrame(step);
    })""")
    assert frames >= 30, frames
