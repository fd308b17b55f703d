"""The screens of the sound, with a fake microphone, the demo tone and files."""

import math
import re
import time
import wave

from playwright.sync_api import expect

from client import PATIENCE, RATE, client, send, speaker, state
from conftest import Studio
from page import TUNED, choose_demo, expect_connection, open_screen, until, until_still, violations, wait_until
from rig import wait

HEARD = """fetch('/api/state').then((answer) => answer.json()).then(({ states: { sound } }) => sound.kind)"""


def test_the_microphone_is_tuned_within_a_cent(open_page, studio):
    page = open_page()
    assert page.evaluate(TUNED) <= 2000
    until(page, "+document.getElementById('sent').value > 48000")
    until(page, "Math.abs(+document.getElementById('peak').value - 440) < 1")
    assert page.locator("#via").inner_text() == "This microphone"
    open_screen(page, studio.address, "tuner")
    expect(page.get_by_label("Note", exact=True)).to_have_text("A4")
    until(page, "Math.abs(+document.querySelector('output[aria-label=Cents]').value) <= 1")
    expect(page.locator(".guide")).to_have_text("In tune")
    open_screen(page, studio.address)
    page.get_by_role("button", name="Stop listening").click()
    expect(page.locator("#via")).to_have_text("No sound")
    expect(page.get_by_role("button", name="Listen")).to_be_visible()


def test_the_tuner_says_that_there_are_several_notes(open_page, studio):
    """A chord is taken for the note of which its notes are partials, here a C2 in tune."""
    def chord(place):
        return 0.2 * sum(math.sin(2 * math.pi * hertz * place / RATE) for hertz in [261.63, 329.63, 392.0])

    page = open_page("tuner")
    with speaker(studio, chord):
        expect(page.locator(".guide")).to_have_text("Several notes: play one")
        until(page, "document.querySelector('p.hidden[role=status]').textContent === 'several notes'")
        open_screen(page, studio.address)
        expect(page.get_by_label("Note", exact=True)).to_have_text("Several")
        expect(page.get_by_label("Deviation", exact=True)).to_have_text("–")
        open_screen(page, studio.address, "tuner")
    with speaker(studio, lambda place: 0.2 * math.sin(2 * math.pi * 440 * place / RATE)):
        expect(page.locator(".guide")).to_have_text("In tune")
        # Read out once it has stayed.
        until(page, "document.querySelector('p.hidden[role=status]').textContent === 'A4, in tune'")


def test_the_microphone_is_heard_again_after_a_restart(browser):
    studio = Studio()
    context = browser.new_context(permissions=["microphone"])
    page, other = context.new_page(), context.new_page()
    for each in [other, page]:
        each.goto(studio.address)
        each.locator("#connection[data-state=live]").wait_for()
    page.get_by_role("button", name="Listen").click()
    until(page, "+document.getElementById('sent').value > 4800")
    assert studio.stop() == 0
    expect_connection("lost", page, other)
    # What is not sent is not counted: the number stands still, once it has been drawn.
    sent = until_still(page, "document.getElementById('sent').value", 500)
    again = Studio(port=studio.port)
    expect_connection("live", page, other)
    expect(page.locator("#via")).to_have_text("This microphone")
    until(page, f"+document.getElementById('sent').value > {sent}")
    until(page, "Math.abs(+document.getElementById('peak').value - 440) < 1")
    expect(other.locator("#via")).to_have_text("Another browser")
    # Another sound, chosen meanwhile, is not replaced.
    other.get_by_role("button", name="Demo tone").click()
    expect(page.locator("#via")).to_have_text("Demo tone")
    assert again.stop() == 0
    expect_connection("lost", page, other)
    third = Studio(port=studio.port)
    expect_connection("live", page, other)
    expect(page.locator("#via")).to_have_text("Demo tone")
    context.close()
    assert third.stop() == 0


def test_the_sound_is_the_same_after_a_reload(open_page):
    page = open_page()
    page.get_by_role("button", name="Listen").click()
    until(page, "+document.getElementById('sent').value > 4800")
    page.reload()
    expect(page.locator("#via")).to_have_text("This microphone")
    until(page, "+document.getElementById('sent').value > 4800")
    # A new tab opens no microphone, nor does one that has chosen another sound.
    page.close()
    other = open_page()
    until(other, f"{HEARD}.then((kind) => kind === 'none')")
    other.get_by_role("button", name="Listen").click()
    until(other, "+document.getElementById('sent').value > 4800")
    other.get_by_role("button", name="Stop listening").click()
    expect(other.locator("#via")).to_have_text("No sound")
    other.reload()
    other.locator("#connection[data-state=live]").wait_for()
    other.wait_for_timeout(500)
    assert other.evaluate(HEARD) == "none"


def test_a_page_without_https_says_where_sound_may_come_from(open_page, studio):
    page = open_page()
    page.evaluate("Object.defineProperty(window, 'isSecureContext', { value: false })")
    page.get_by_role("button", name="Listen").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose a device of the server.")
    assert state(studio, "sound")["kind"] == "none"


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
    # The sound before goes on, and no page that is loaded again opens a microphone for it.
    expect(page.locator("#source-select option:checked")).to_have_text("a440.wav")
    expect(page.get_by_label("Note", exact=True)).to_have_text("A4")
    assert page.evaluate("sessionStorage.getItem('rustle-sound')") is None
    page.reload()
    expect(page.locator("#source-select option:checked")).to_have_text("No sound")


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


def test_screens_of_the_sound_say_why_they_are_still(open_page, studio, picture):
    page = open_page("meter", width=360, height=740)
    signal = page.locator("main > [role=status]")
    screens, level = ["spectrum", "meter", "tuner", "equalizer", "recorder", "voice"], 0.0

    def check(text, state):
        places = []
        for screen in screens:
            open_screen(page, studio.address, screen)
            expect(signal).to_have_text(text)
            places.append(page.locator("main > :nth-child(4)").bounding_box()["y"])
            assert violations(page) == [], (screen, text)
            picture(page, f"{screen}-{state}")
        return places

    none = check("No sound is chosen: choose one in the header.", "no-sound")
    with speaker(studio, lambda place: level if place // 48 % 2 else -level):
        silent = check("No signal: the chosen sound is silent.", "no-signal")
        level = 0.1
        # Nothing moves for it.
        assert none == silent == check("", "signal")
        level = 0.0
        expect(signal).to_have_text("No signal: the chosen sound is silent.")
        # The overview says it in the card of the sound.
        open_screen(page, studio.address)
        expect(page.locator(".card .signal")).to_have_text("No signal")
        assert violations(page) == []
        open_screen(page, studio.address, "meter")
    # The sound has ended with its program.
    expect(signal).to_have_text("No sound is chosen: choose one in the header.")
    open_screen(page, studio.address, "lights")
    expect(signal).to_have_count(0)


def test_a_sound_without_blocks_is_no_signal(open_page, studio):
    page = open_page("meter")
    with client(studio) as silent:
        silent.recv(timeout=PATIENCE)
        send(silent, id=1, do="sound/select", **{"with": {"kind": "browser"}})
        expect(page.locator("main > [role=status]")).to_have_text("No signal: the chosen sound is silent.")
        # Nobody listens: nothing is missing.
        page.evaluate("location.hash = '#/lights'")
        deadline = time.monotonic() + PATIENCE
        while state(studio, "sound")["silent"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert page.locator("main > [role=status]").count() == 0


def test_the_five_classes_have_their_words_and_colours(open_page, studio):
    page = open_page("meter")
    value = 0.0
    # Of a square wave the power is the square of its level.
    with speaker(studio, lambda place: (value / 120) ** 2 * (1 if place // 48 % 2 else -1)):
        for value, word, colour in [(30, "Silent", "124, 198, 254"), (62, "Quiet", "88, 230, 154"), (82, "Average", "208, 165, 255"),
                                    (95, "Noisy", "255, 198, 137"), (110, "Loud", "234, 101, 82")]:
            chip = page.locator(".chip")
            expect(chip).to_have_text(word)
            expect(chip).to_have_css("background-color", f"rgb({colour})")
            expect(chip).to_have_css("color", "rgb(29, 32, 37)")
            expect(page.get_by_label("Display value, 0 to 120")).to_have_text(str(value))
            # It is read out once a second.
            expect(page.get_by_role("meter")).to_have_attribute("aria-valuetext", f"{value}, {word}")
        page.get_by_role("group", name="Big number").get_by_role("button", name="dB").click()
        # 110 of 120 is an amplitude of (110 / 120)², −1.5 dB, which weighting A lowers.
        page.get_by_role("button", name="Z", exact=True).click()
        expect(page.locator(".hero")).to_contain_text("dBFS(Z)")
        expect(page.locator(".hero").get_by_label("Level", exact=True)).to_have_text("−2")


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
    # Its words are those of the chip, once a second.
    until(page, "document.querySelector('[role=meter]').getAttribute('aria-valuetext').split(', ')[1] === document.querySelector('.chip').textContent")


def test_a_slider_moves_the_sound_and_the_other_browser(open_page):
    first, second = open_page("equalizer"), open_page("equalizer")
    choose_demo(first)
    until(first, "+document.querySelector('[aria-label=\"Peak in\"]').value < 0")
    slider = first.get_by_label("Left, 512 Hz")
    slider.focus()
    slider.press("PageDown")
    slider.press("ArrowDown")
    expect(second.get_by_label("Right, 512 Hz")).to_have_value("-3.5")
    for _ in range(3):
        slider.press("PageDown")
    expect(second.get_by_label("Left, 512 Hz")).to_have_value("-12")
    # Both are of one drawing.
    peak = "+document.querySelector('[aria-label=\"Peak {}\"]').value".format
    until(first, f"{peak('out')} - {peak('in')} < -2")
    first.get_by_role("button", name="Undo").click()
    expect(second.get_by_label("Left, 512 Hz")).to_have_value("-9.5")
    first.get_by_label("Preset").select_option("Treble")
    expect(second.get_by_label("Right, 16384 Hz")).to_have_value("6")
    expect(second.get_by_label("Preset")).to_have_value("Treble")
    first.get_by_label("Preset").select_option("Flat")
    expect(second.get_by_label("Left, 16384 Hz")).to_have_value("0")


def test_keys_move_a_band_and_a_and_b_are_compared(open_page):
    page = open_page("equalizer")
    slider, memory = page.get_by_label("Left, 512 Hz"), page.get_by_role("button", name="A/B")
    for key, gain in [("End", "12"), ("Home", "-12"), ("ArrowUp", "-11.5"), ("Delete", "0"), ("PageUp", "3")]:
        slider.press(key)
        expect(slider).to_have_value(gain)
    memory.click()
    slider.press("PageUp")
    for name, gain in [("A/B: A", "3"), ("A/B: B", "6")]:
        memory.click()
        expect(memory).to_have_text(name)
        expect(slider).to_have_value(gain)
    expect(page.get_by_label("Right, 512 Hz")).to_have_value("6")


def test_filters_are_exported_and_imported(open_page):
    page = open_page("equalizer")
    page.get_by_role("button", name="Export").click()
    text = page.locator("#equalizer-text")
    expect(text).not_to_have_value("")
    assert "Filter" in text.input_value() and "PK" in text.input_value()
    text.fill("no filters")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_be_visible()


def test_undo_takes_one_change_back(open_page):
    page, other = open_page("equalizer"), open_page("equalizer")
    undo, redo = page.get_by_role("button", name="Undo"), page.get_by_role("button", name="Redo")
    page.get_by_role("button", name="Link left and right").click()
    first, second, theirs = page.get_by_label("Left, 512 Hz"), page.get_by_label("Right, 64 Hz"), page.get_by_label("Left, 2048 Hz")
    expect(undo).to_be_disabled()
    for slider, key in [(first, "PageUp"), (second, "PageDown")]:
        slider.focus()
        slider.press(key)
    expect(other.get_by_label("Right, 64 Hz")).to_have_value("-3")
    other.get_by_role("button", name="Link left and right").click()
    other.get_by_label("Left, 2048 Hz").focus()
    other.keyboard.press("PageUp")
    expect(theirs).to_have_value("3")
    # Their band stays; another screen forgets nothing.
    undo.click()
    expect(second).to_have_value("0")
    expect(first).to_have_value("3")
    expect(theirs).to_have_value("3")
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#/meter'")
    page.get_by_role("heading", name="Noise meter").wait_for()
    page.evaluate("location.hash = '#/equalizer'")
    expect(page.get_by_role("button", name="Link left and right")).to_have_attribute("aria-pressed", "false")
    redo.click()
    expect(second).to_have_value("-3")
    expect(redo).to_be_disabled()
    for _ in range(2):
        undo.click()
    expect(first).to_have_value("0")
    expect(undo).to_be_disabled()
    expect(other.get_by_label("Left, 2048 Hz")).to_have_value("3")


def test_every_band_has_a_handle_on_the_curve(open_page, studio):
    page = open_page("equalizer")
    canvas = page.locator("main canvas").bounding_box()
    for frequency in [8, 16, 16384]:
        x = canvas["x"] + canvas["width"] * math.log(frequency / 7) / math.log(20_000 / 7)
        page.mouse.move(x, canvas["y"] + canvas["height"] / 2)
        page.mouse.down()
        page.mouse.move(x, canvas["y"] + canvas["height"] / 4)
        page.mouse.up()
        assert float(page.get_by_label(f"Left, {frequency} Hz").input_value()) > 3, frequency
    # The curve begins where the axis does.
    wait(lambda: state(studio, "equalizer")["response"]["left"][0] > 1)
    assert state(studio, "equalizer")["response"]["frequencies"][0] == 7


def test_a_drag_a_preset_and_an_import_are_one_step_each(open_page):
    page = open_page("equalizer")
    undo, redo = page.get_by_role("button", name="Undo"), page.get_by_role("button", name="Redo")
    slider = page.get_by_label("Left, 512 Hz")
    box = slider.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(5):
        page.mouse.move(x, y - 8 * step)
    page.mouse.up()
    dragged = slider.input_value()
    assert float(dragged) >= 2
    # A double click resets the band, though its first press moves it. However late a busy machine passes it on, it has these times.
    page.wait_for_timeout(600)
    devtools, start = page.context.new_cdp_session(page), time.time()
    for click in [1, 2]:
        press = {"x": x, "y": y - 50, "button": "left", "clickCount": click, "timestamp": start + 0.05 * click}
        devtools.send("Input.dispatchMouseEvent", {"type": "mousePressed", "buttons": 1, **press})
        devtools.send("Input.dispatchMouseEvent", {"type": "mouseReleased", **press})
    expect(slider).to_have_value("0")
    undo.click()
    expect(slider).to_have_value(dragged)
    page.get_by_label("Preset").select_option("Bass")
    expect(page.get_by_label("Left, 32 Hz")).to_have_value("6")
    page.locator("#equalizer-text").fill("Preamp: -6 dB\nFilter 1: ON PK Fc 1000 Hz Gain 5 dB Q 1.0")
    page.get_by_role("button", name="Import").click()
    imported = page.get_by_label("Left, 1000 Hz")
    expect(imported).to_have_value("5")
    imported.focus()
    imported.press("ArrowUp")
    expect(imported).to_have_value("5.5")
    undo.click()
    expect(imported).to_have_value("5")
    undo.click()
    expect(page.get_by_label("Left, 32 Hz")).to_have_value("6")
    expect(slider).to_have_value("0")
    undo.click()
    expect(slider).to_have_value(dragged)
    expect(page.get_by_label("Left, 32 Hz")).to_have_value("0")
    undo.click()
    expect(slider).to_have_value("0")
    expect(undo).to_be_disabled()
    for _ in range(4):
        redo.click()
        page.wait_for_timeout(150)
    expect(imported).to_have_value("5.5")
    until(page, "fetch('/api/state').then((answer) => answer.json()).then(({ states: { equalizer } }) => equalizer.preamp === -6)")


def test_what_replaces_the_bands_waits_for_the_changes_before_it(open_page):
    page = open_page("equalizer")
    sockets, held, is_held = [], [], False

    def pass_on(socket):
        socket.connect_to_server().on_message(lambda message: held.append(message) if is_held else socket.send(message))
        sockets.append(socket)

    def let_go():
        nonlocal is_held
        is_held = False
        while held:
            sockets[-1].send(held.pop(0))

    page.route_web_socket(re.compile("/ws$"), pass_on)
    page.reload()
    expect_connection("live", page)
    slider, undo = page.get_by_label("Left, 512 Hz"), page.get_by_role("button", name="Undo")
    page.locator("#equalizer-text").fill("Preamp: -6 dB\nFilter 1: ON PK Fc 1000 Hz Gain 5 dB Q 1.0")
    slider.focus()
    # The answer to the first change is late: the second one waits for it, and the import for both.
    is_held = True
    slider.press("PageUp")
    page.get_by_label("Preset").select_option("Bass")
    page.get_by_role("button", name="Import").click()
    wait_until(page, lambda: any("equalizer" in str(message) for message in held))
    let_go()
    imported = page.get_by_label("Left, 1000 Hz")
    expect(imported).to_have_value("5")
    # A change of the imported bands is none of those to which two steps back lead at once.
    imported.focus()
    is_held = True
    imported.press("ArrowUp")
    undo.click()
    undo.click()
    wait_until(page, lambda: any("equalizer" in str(message) for message in held))
    let_go()
    for frequency, gain in [(32, "6"), (512, "0")]:
        expect(page.get_by_label(f"Left, {frequency} Hz")).to_have_value(gain)
    undo.click()
    expect(page.get_by_label("Left, 32 Hz")).to_have_value("0")
    expect(slider).to_have_value("3")
    expect(page.get_by_role("alert")).to_have_count(0)


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


def test_imported_channels_have_sliders_of_their_own(open_page, studio):
    page = open_page("equalizer")

    def bring(text):
        page.locator("#equalizer-text").fill(text)
        page.get_by_role("button", name="Import").click()

    bring("Channel: L\nFilter 1: ON PK Fc 100 Hz Gain 3 dB Q 1\nChannel: R\nFilter 1: ON PK Fc 5000 Hz Gain -3 dB Q 1")
    right = page.get_by_label("Right, 5000 Hz")
    expect(right).to_have_value("-3")
    expect(page.get_by_label("Right, 100 Hz")).to_have_count(0)
    # Though left and right are linked: the other channel has no such band.
    right.focus()
    right.press("ArrowUp")
    wait(lambda: (state(studio, "equalizer")["left"], state(studio, "equalizer")["right"]) == ([3], [-2.5]))
    bring("Channel: L\nFilter 1: ON PK Fc 100 Hz Gain 20 dB Q 1")
    left = page.get_by_label("Left, 100 Hz")
    expect(left).to_have_value("20")
    expect(page.get_by_label("Right, 5000 Hz")).to_have_count(0)
    expect(page.get_by_text("No bands")).to_have_count(1)
    left.focus()
    left.press("ArrowDown")
    wait(lambda: state(studio, "equalizer")["left"] == [12])
    bring("Preamp: -6 dB")
    expect(page.get_by_text("No bands")).to_have_count(2)
    page.get_by_label("Preset").select_option("Bass")
    expect(page.get_by_label("Right, 32 Hz")).to_have_value("6")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_empty_field_calibrates_nothing(open_page, studio):
    page = open_page("meter")
    choose_demo(page)
    until(page, "document.querySelector('output[aria-label=Level]')?.value !== '–'")
    page.get_by_label("The level now is, in dB").fill("")
    page.get_by_role("button", name="Calibrate").click()
    expect(page.get_by_role("alert")).to_contain_text("level: expected")
    assert state(studio, "meter")["offset"] is None


def test_a_paused_recording_keeps_its_time_on_every_page(open_page):
    page = open_page("recorder")
    choose_demo(page)
    page.get_by_role("button", name="Record", exact=True).click()
    until(page, "document.querySelector('[aria-label=\"Time in the file\"]').value > '0:01.0'")
    page.get_by_role("button", name="Pause recording").click()
    expect(page.get_by_role("button", name="Resume recording")).to_be_visible()
    until_still(page, "document.querySelector('[aria-label=\"Time in the file\"]').value")
    time = page.get_by_label("Time in the file").inner_text()
    other = open_page("recorder")
    expect(other.get_by_label("Time in the file")).to_have_text(time)
    page.reload()
    expect(page.get_by_label("Time in the file")).to_have_text(time)
    page.get_by_role("button", name="Stop", exact=True).click()


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
    page.get_by_role("button", name=f"Open {name} in the equalizer").click()
    expect(page.locator("#source-select option:checked")).to_have_text(name)
    until(page, "location.hash === '#/equalizer' && +document.querySelector('[aria-label=\"Peak in\"]')?.value < 0")
    page.go_back()
    page.get_by_role("button", name=f"Delete {name}").click()
    page.get_by_role("button", name="Keep").click()
    assert (tmp_path / "recordings" / name).exists()
    page.get_by_role("button", name=f"Delete {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("tbody tr")).to_have_count(0)
    assert not (tmp_path / "recordings" / name).exists()


def test_a_voice_has_pitch_and_formants(open_page):
    page = open_page("voice")
    page.get_by_label("Sound", exact=True).select_option("browser")
    # The fake microphone hears 440 Hz.
    until(page, "Math.abs(parseFloat(document.querySelector('[aria-label=Pitch]').value) - 440) < 2")


def test_the_spectrum_has_a_range(open_page, studio):
    page = open_page("spectrum")
    choose_demo(page)
    until(page, "parseFloat(document.getElementById('peak').value) > 20")
    page.get_by_label("Range").select_option("20 to 500 Hz")
    page.get_by_label("Frame length").select_option("16384 samples")
    page.get_by_label("Window").select_option("Blackman")
    other = open_page("spectrum")
    expect(other.get_by_label("Window")).to_have_value("blackman")
    expect(other.get_by_label("Range")).to_have_value("20,500")
    expect(other.get_by_label("Frame length")).to_have_value("16384")


def test_the_tuner_has_methods_and_a_strobe(open_page):
    page = open_page("tuner")
    page.get_by_label("Sound", exact=True).select_option("browser")
    strobe = page.get_by_role("img", name="Strobe")
    expect(strobe).to_be_hidden()
    page.get_by_role("button", name="Strobe").click()
    expect(strobe).to_be_visible()
    note = page.get_by_label("Note", exact=True)
    for method in ["YIN", "McLeod", "Strongest peak", "Harmonic"]:
        page.get_by_label("Method").select_option(method)
        expect(note).to_have_text("A4")
        until(page, "Math.abs(+document.querySelector('output[aria-label=Cents]').value) <= 1")
    other = open_page("tuner")
    page.get_by_label("Method").select_option("YIN")
    expect(other.get_by_label("Method")).to_have_value("yin")


def test_the_tuner_draws_the_last_seconds(open_page):
    page = open_page("tuner")
    page.get_by_label("Sound", exact=True).select_option("browser")
    expect(page.get_by_label("Note", exact=True)).to_have_text("A4")
    name = "Cents of the last ten seconds; the newest is said above"
    until(page, f"""(() => {{
        const canvas = document.querySelector('canvas[aria-label="{name}"]');
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {{ willReadFrequently: true }});
        copy.drawImage(canvas, 0, 0);
        const {{ data }} = copy.getImageData(0, 0, canvas.width, canvas.height);
        let points = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at + 1] > 190 && data[at + 3] > 0) points += 1;
        return points > 50;
    }})()""")
