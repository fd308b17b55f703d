"""The equalizer's steps back and forth, whose answers are late, refused or never come."""

import json
import re

import pytest
from playwright.sync_api import expect

from client import state
from page import expect_connection, expect_screen, wait_until

FILTERS = {"1000": "Preamp: -6 dB\nFilter 1: ON PK Fc 1000 Hz Gain 5 dB Q 1.0", "2000": "Preamp: -3 dB\nFilter 1: ON PK Fc 2000 Hz Gain -4 dB Q 1.0"}


class Screen:
    """The equalizer, over a connection whose answers wait while they are held, and that can be cut."""

    def __init__(self, page):
        self.page, self.is_held, self.is_cut, self.held, self.sockets = page, False, False, [], []
        # What the page has asked for, by its number, and what was answered.
        self.asked, self.answered = {}, []
        self.undo, self.redo = (page.get_by_role("button", name=name) for name in ["Undo", "Redo"])
        page.route_web_socket(re.compile("/ws$"), self.connect)
        page.reload()
        expect_connection("live", page)
        expect_screen(page, "equalizer")

    def connect(self, socket):
        if self.is_cut:
            return socket.close()
        server = socket.connect_to_server()
        self.sockets.append(socket)

        def to_server(message):
            if isinstance(message, str) and "do" in (value := json.loads(message)):
                self.asked[value["id"]] = value["do"]
            server.send(message)

        socket.on_message(to_server)
        server.on_message(lambda message: self.held.append(message) if self.is_held else self.pass_on(message))

    def pass_on(self, message):
        self.sockets[-1].send(message)
        if isinstance(message, str) and "id" in (value := json.loads(message)):
            self.answered.append(self.asked[value["id"]])

    def hold(self):
        self.is_held = True

    def let_go(self):
        """Once the server has answered to something."""
        wait_until(self.page, lambda: any(isinstance(message, str) and "id" in json.loads(message) for message in self.held))
        self.is_held = False
        while self.held:
            self.pass_on(self.held.pop(0))

    def cut(self):
        self.is_cut = True
        self.sockets[-1].close()
        expect_connection("lost", self.page)

    def connect_again(self):
        self.is_cut = False
        self.page.evaluate("dispatchEvent(new Event('online'))")
        expect_connection("live", self.page)

    def slider(self, frequency):
        return self.page.get_by_label(f"Left, {frequency} Hz", exact=True)

    def write(self, text):
        self.page.locator("#equalizer-text").fill(text)
        self.page.get_by_role("button", name="Import").click()

    def replaces(self, action, *arguments):
        """Does what replaces the bands, until it is answered: the bands of after come before that."""
        self.does("equalizer/import", action, *arguments)

    def sets(self, action, *arguments):
        """Does what sets gains, until it is answered."""
        self.does("equalizer/set", action, *arguments)

    def does(self, name, action, *arguments):
        count = self.answered.count(name)
        action(*arguments)
        wait_until(self.page, lambda: self.answered.count(name) > count)

    def buttons(self, is_redo):
        """The button of a step back, or of one forth, and the other one."""
        return (self.redo, self.undo) if is_redo else (self.undo, self.redo)

    def fails(self, this, other):
        """Presses a button without a connection: the step stays where it was."""
        self.cut()
        this.click()
        self.has_failed("not connected")
        expect(this).to_be_enabled()
        expect(other).to_be_disabled()

    def has_failed(self, words):
        expect(self.page.get_by_role("alert")).to_contain_text(words)
        self.page.get_by_role("button", name="Close", exact=True).click()


@pytest.fixture
def screen(open_page):
    return Screen(open_page("equalizer"))


def test_steps_back_that_are_taken_at_once_are_taken_one_after_the_other(screen, studio):
    screen.slider(512).press("PageUp")
    for frequency in FILTERS:
        screen.replaces(screen.write, FILTERS[frequency])
    screen.hold()
    for _ in range(3):
        screen.undo.click()
    screen.let_go()
    expect(screen.slider(512)).to_have_value("0")
    expect(screen.undo).to_be_disabled()
    wait_until(screen.page, lambda: state(studio, "equalizer")["left"] == [0] * 14)
    screen.hold()
    for _ in range(3):
        screen.redo.click()
    screen.let_go()
    expect(screen.slider(2000)).to_have_value("-4")
    expect(screen.redo).to_be_disabled()


def test_what_is_asked_for_after_a_step_back_follows_it(screen):
    screen.slider(512).press("PageUp")
    screen.hold()
    screen.write(FILTERS["1000"])
    screen.undo.click()
    screen.write(FILTERS["2000"])
    screen.let_go()
    # A step back is an import, too.
    wait_until(screen.page, lambda: screen.answered.count("equalizer/import") == 3)
    expect(screen.slider(2000)).to_have_value("-4")
    # The first import was undone before the second one.
    screen.undo.click()
    expect(screen.slider(512)).to_have_value("3")


@pytest.mark.parametrize("is_redo", [False, True])
def test_a_step_that_fails_can_be_taken_again(screen, is_redo):
    screen.replaces(screen.write, FILTERS["1000"])
    if is_redo:
        screen.replaces(screen.undo.click)
    this, other = screen.buttons(is_redo)
    screen.fails(this, other)
    screen.connect_again()
    this.click()
    screen.slider("1000" if is_redo else 512).wait_for()
    expect(this).to_be_disabled()
    expect(other).to_be_enabled()


@pytest.mark.parametrize("is_redo", [False, True])
def test_a_slider_s_step_that_fails_can_be_taken_again(screen, studio, is_redo):
    slider, [before, after] = screen.slider(512), ["3", "0"][::-1 if is_redo else 1]
    screen.sets(slider.press, "PageUp")
    if is_redo:
        screen.sets(screen.undo.click)
    this, other = screen.buttons(is_redo)
    screen.fails(this, other)
    expect(slider).to_have_value(before)
    screen.connect_again()
    this.click()
    wait_until(screen.page, lambda: state(studio, "equalizer")["left"][6] == float(after))
    expect(slider).to_have_value(after)
    expect(this).to_be_disabled()
    expect(other).to_be_enabled()


def test_a_change_that_fails_is_no_step_and_leaves_what_can_be_done_again(screen):
    screen.sets(screen.slider(512).press, "PageUp")
    screen.sets(screen.undo.click)
    screen.cut()
    screen.slider(64).press("PageUp")
    screen.has_failed("not connected")
    expect(screen.slider(64)).to_have_value("0")
    expect(screen.undo).to_be_disabled()
    expect(screen.redo).to_be_enabled()
    screen.connect_again()
    screen.redo.click()
    expect(screen.slider(512)).to_have_value("3")
    expect(screen.redo).to_be_disabled()


def test_a_step_that_fails_at_its_end_is_one_of_its_beginning(screen):
    # As a slider is dragged.
    def drag(gain):
        screen.slider(512).evaluate("(slider, gain) => { slider.value = gain; slider.dispatchEvent(new Event('input')); }", gain)

    screen.sets(drag, 1)
    screen.cut()
    drag(2)
    screen.has_failed("not connected")
    screen.connect_again()
    for button, gain in [(screen.undo, "0"), (screen.redo, "1")]:
        button.click()
        expect(screen.slider(512)).to_have_value(gain)
        expect(button).to_be_disabled()


def test_a_and_b_stay_where_they_are_without_a_connection(screen):
    memory, slider = screen.page.get_by_role("button", name="A/B:"), screen.slider(512)
    screen.sets(slider.press, "PageUp")
    memory.click()
    expect(memory).to_have_text("A/B: B")
    screen.sets(slider.press, "PageUp")
    screen.cut()
    memory.click()
    screen.has_failed("not connected")
    expect(memory).to_have_text("A/B: B")
    expect(slider).to_have_value("6")
    screen.connect_again()
    for name, value in [("A", "3"), ("B", "6")]:
        memory.click()
        expect(memory).to_have_text(f"A/B: {name}")
        expect(slider).to_have_value(value)


def test_a_and_b_keep_filters_that_were_imported(screen, studio):
    memory = screen.page.get_by_role("button", name="A/B:")

    def bands():
        now = state(studio, "equalizer")
        return now["frequencies"]["left"], now["left"]

    screen.sets(screen.slider(512).press, "PageUp")
    graphic = bands()
    memory.click()
    screen.replaces(screen.write, FILTERS["1000"])
    imported = bands()
    assert imported == ([1000], [5])
    for name, action, expected in [("A", "equalizer/set", graphic), ("B", "equalizer/import", imported)]:
        screen.does(action, memory.click)
        expect(memory).to_have_text(f"A/B: {name}")
        assert bands() == expected
        assert state(studio, "equalizer")["preamp"] == (-6 if name == "B" else 0)
    # One that is not made leaves both as they are.
    screen.cut()
    memory.click()
    screen.has_failed("not connected")
    expect(memory).to_have_text("A/B: B")
    screen.connect_again()
    screen.does("equalizer/set", memory.click)
    assert bands() == graphic
    screen.replaces(screen.undo.click)
    assert bands() == imported


def test_a_preset_replaces_the_preamp_and_widths_of_an_import(screen, studio):
    screen.page.get_by_role("button", name="Export").click()
    area, preamp, preset = screen.page.locator("#equalizer-text"), screen.page.get_by_label("Preamp"), screen.page.get_by_label("Preset")
    expect(area).not_to_have_value("")
    expect(preset).to_have_value("Flat")
    text = area.input_value()
    for imported, expected in [(text.replace("Preamp: 0 dB", "Preamp: -6 dB"), "−6.0"), (re.sub(r" Q [\d.]+", " Q 9", text), "0.0"), (text, "0.0")]:
        screen.replaces(screen.write, imported)
        expect(preamp).to_have_text(expected)
        expect(preset).to_have_value("Flat" if imported == text else "")
        if imported == text:
            break
        screen.sets(preset.select_option, "Bass")
        expect(preset).to_have_value("Bass")
        expect(preamp).to_have_text("0.0")
        now = state(studio, "equalizer")
        assert now["graphic"] and now["preamp"] == 0 and now["left"][2] == 6
        screen.replaces(screen.undo.click)
        expect(preamp).to_have_text(expected)
        assert not state(studio, "equalizer")["graphic"]


def test_a_change_whose_answer_is_lost_can_be_undone(screen, studio):
    screen.hold()
    screen.slider(512).press("PageUp")
    wait_until(screen.page, lambda: state(studio, "equalizer")["left"][6] == 3)
    screen.cut()
    screen.has_failed("the connection was lost")
    screen.is_held, screen.held = False, []
    screen.connect_again()
    expect(screen.slider(512)).to_have_value("3")
    screen.undo.click()
    wait_until(screen.page, lambda: state(studio, "equalizer")["left"] == [0] * 14)
    expect(screen.slider(512)).to_have_value("0")


def test_of_two_changes_the_one_whose_answer_is_lost_can_be_undone(screen, studio):
    screen.hold()
    screen.slider(512).press("PageUp")
    wait_until(screen.page, lambda: state(studio, "equalizer")["left"][6] == 3)
    # It waits for the answer to the first one.
    screen.slider(64).press("PageUp")
    screen.cut()
    screen.has_failed("not connected")
    screen.is_held, screen.held = False, []
    screen.connect_again()
    expect(screen.slider(64)).to_have_value("0")
    expect(screen.slider(512)).to_have_value("3")
    screen.undo.click()
    wait_until(screen.page, lambda: state(studio, "equalizer")["left"] == [0] * 14)
    expect(screen.undo).to_be_disabled()


def test_a_change_that_fails_once_its_step_was_taken_back_leaves_no_empty_step(open_page):
    page = open_page()
    redone = page.evaluate("""async () => {
      const { EqualizerHistory } = await import("./js/history.js");
      const history = new EqualizerHistory();
      history.replace("before", "equalizer/import", {});
      const takeBack = history.change("left 6", "8,16", [{ channel: "left", band: 6, before: 0, after: 3 }]);
      const { putBack } = history.take(false, "8,16");
      history.take(false, "8,16");
      // The import of before stands on top.
      putBack();
      takeBack();
      history.take(true, "8,16");
      return history.take(true, "8,16").changes;
    }""")
    assert redone == [{"channel": "left", "band": 6, "gain": 3}]


def test_a_refused_import_leaves_what_can_be_done_again(screen):
    screen.slider(512).press("PageUp")
    screen.replaces(screen.write, FILTERS["1000"])
    screen.replaces(screen.undo.click)
    screen.write("no filters")
    screen.has_failed(re.compile("."))
    screen.redo.click()
    expect(screen.slider(1000)).to_have_value("5")
    for _ in range(2):
        screen.undo.click()
    expect(screen.slider(512)).to_have_value("0")
    expect(screen.undo).to_be_disabled()


def test_a_screen_that_is_opened_again_waits_for_what_it_left(screen, studio):
    page = screen.page
    screen.hold()
    screen.slider(512).press("PageUp")
    page.evaluate("location.hash = '#/meter'")
    expect_screen(page, "meter")
    page.evaluate("location.hash = '#/equalizer'")
    # It would be shown by then.
    page.wait_for_timeout(500)
    expect_screen(page, "meter")
    assert screen.slider(512).count() == 0
    screen.let_go()
    expect_screen(page, "equalizer")
    expect(screen.slider(512)).to_have_value("3")
    screen.slider(64).press("PageUp")
    wait_until(page, lambda: (left := state(studio, "equalizer")["left"])[3] == left[6] == 3)


def test_a_text_that_is_too_long_keeps_the_connection(open_page):
    page = open_page("equalizer")
    page.locator("#equalizer-text").fill("Filter 1: ON PK Fc 1000 Hz Gain 5 dB Q 1.0\n" * 1800)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_contain_text("expected at most")
    expect(page.locator("#connection[data-state=live]")).to_be_visible()
