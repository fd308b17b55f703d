"""Named settings of an account on two devices: presets, the tuner, calibrations and lists of symbols."""

import re
import signal
import urllib.parse

import pytest
from playwright.sync_api import expect

from accounts import PASSWORD, Person, start
from client import post, state
from page import choose_demo, expect_connection, open_screen, violations, wait_until
from test_account_pages import device, fill, log_in, note, sign_up, studio, to

FLAT = [0] * 28


@pytest.fixture
def ada(studio):
    """Another program of the account, which is made by it."""
    person = Person(studio)
    assert person.register()[0] == 201
    return person


@pytest.fixture
def pair(device, ada):
    """Opens a screen of the account on a desk and on a phone."""

    def open_both(screen):
        pages = [device(), device(width=360, height=740, has_touch=True)]
        for page in pages:
            log_in(page)
            to(page, screen)
        return pages

    return open_both


def path(name):
    return "api/settings/" + urllib.parse.quote(name)


def stored(person, name):
    answer = person.do("GET", path(name))[2]
    return answer["rev"], answer["value"]


def put(person, name, revision, value):
    assert person.do("PUT", path(name), {"rev": revision, "value": value})[0] == 200


def preset(page, name):
    return page.get_by_label("Preset").locator("option", has_text=name)


def save_as(page, noun, name):
    if noun == "list":
        page.get_by_text("Keep these symbols as a list").click()
    page.get_by_label("Name to keep it by").fill(name)
    page.get_by_role("button", name=f"Save {noun}").click()


def hold(page, name):
    """Holds the next saves of a setting back: the requests, and what lets them go."""
    held, pattern = [], f"**/{path(name)}"
    page.route(pattern, lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())

    def release():
        for each in held:
            each.continue_()
        page.unroute(pattern)

    return held, release


def set_offline(page, is_offline):
    if is_offline:
        page.route("**/api/settings/**", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    else:
        page.unroute("**/api/settings/**")


def bands(gain):
    return [*FLAT[:3], gain, *FLAT[4:]]


def test_presets_follow_to_the_other_device(pair, ada, picture):
    desk, phone = pair("equalizer")
    expect(desk.get_by_role("button", name="Delete preset")).to_be_disabled()
    desk.get_by_role("slider", name="Left, 64 Hz").focus()
    desk.keyboard.press("PageUp")
    save_as(desk, "preset", "Evening & <b>")
    expect(preset(phone, "Evening & <b>")).to_have_count(1)
    assert stored(ada, "eq/presets/Evening & <b>") == (1, {"bands": [*bands(3)[:14], *bands(3)[:14]]})
    for page in [desk, phone]:
        expect(page.get_by_label("Preset").locator("option:checked")).to_have_text("Evening & <b>")
        expect(note(page, 1)).to_have_text("Your presets are saved in your account.")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    picture(phone, "equalizer-presets")
    phone.get_by_label("Preset").select_option("Flat")
    expect(desk.get_by_role("slider", name="Left, 64 Hz")).to_have_value("0")
    desk.get_by_label("Preset").select_option(label="Evening & <b>")
    expect(phone.get_by_role("slider", name="Right, 64 Hz")).to_have_value("3")
    # Another program's save changes the preset, not the sound.
    put(ada, "eq/presets/Evening & <b>", 1, {"bands": bands(-5)})
    expect(phone.get_by_label("Preset").locator("option:checked")).to_have_text("Custom")
    phone.get_by_label("Preset").select_option(label="Evening & <b>")
    expect(desk.get_by_role("slider", name="Left, 64 Hz")).to_have_value("-5")
    phone.get_by_role("button", name="Delete preset").click()
    expect(preset(desk, "Evening & <b>")).to_have_count(0)
    assert stored(ada, "eq/presets/Evening & <b>") == (3, None)
    # Under the same name again it is the next revision.
    save_as(desk, "preset", "Evening & <b>")
    expect(preset(phone, "Evening & <b>")).to_have_count(1)
    assert stored(ada, "eq/presets/Evening & <b>")[0] == 4
    # Letters are composed: the server refuses other forms, which look alike.
    save_as(desk, "preset", "Cafe\u0301")
    expect(preset(phone, "Caf\u00e9")).to_have_count(1)
    for bad in ["", " ", ".."]:
        save_as(desk, "preset", bad)
        expect(desk.locator("#fault")).to_contain_text("Expected a name of the preset")


@pytest.mark.parametrize("choice,gain", [("Keep mine", 3), ("Take theirs", -5)])
def test_a_preset_that_two_devices_saved_is_asked_about(pair, ada, choice, gain):
    desk, phone = pair("equalizer")
    desk.get_by_role("slider", name="Left, 64 Hz").focus()
    desk.keyboard.press("PageUp")
    set_offline(desk, True)
    save_as(desk, "preset", "Evening")
    expect(note(desk, 1)).to_have_text("Kept on this device; saved when the server answers.")
    put(ada, "eq/presets/Evening", 0, {"bands": bands(-5)})
    expect(preset(phone, "Evening")).to_have_count(1)
    set_offline(desk, False)
    # What was not saved outlives the page.
    desk.reload()
    expect(note(desk, 1)).to_have_text("Two devices changed the preset Evening.")
    assert violations(desk) == []
    desk.get_by_role("button", name=choice).click()
    expect(note(desk, 1)).to_have_text("Your presets are saved in your account.")
    revision, value = stored(ada, "eq/presets/Evening")
    assert (revision, value["bands"][3]) == (2 if gain == 3 else 1, gain)

    def has_it():
        phone.get_by_label("Preset").select_option(label="Evening")
        return phone.get_by_role("slider", name="Left, 64 Hz").input_value() == str(gain)

    # What the desk has saved comes a moment later.
    wait_until(phone, has_it)


def test_a_save_without_an_answer_is_tried_again(pair, ada):
    desk, phone = pair("equalizer")
    set_offline(desk, True)
    save_as(desk, "preset", "Evening")
    expect(note(desk, 1)).to_contain_text("Kept on this device")
    set_offline(desk, False)
    expect(preset(phone, "Evening")).to_have_count(1)
    # What the server refuses for good is kept, and it says why.
    desk.route("**/api/settings/**", lambda route: route.fulfill(
        status=400, json={"error": {"code": "validation", "message": "name: expected at most 250 settings"}}))
    save_as(desk, "preset", "Night")
    expect(note(desk, 1)).to_have_text("Kept on this device: name: expected at most 250 settings.")
    desk.get_by_label("Preset").select_option(label="Night")
    desk.get_by_role("button", name="Delete preset").click()
    expect(note(desk, 1)).to_have_text("Your presets are saved in your account.")


def test_a_preset_that_was_deleted_while_the_page_was_left_is_asked_about(device, studio, ada):
    put(ada, "eq/presets/Mine", 0, {"bands": bands(-5)})
    page = device()
    log_in(page)
    to(page, "equalizer")
    expect(preset(page, "Mine")).to_have_count(1)
    set_offline(page, True)
    save_as(page, "preset", "Mine")
    expect(note(page, 1)).to_contain_text("Kept on this device")
    page.goto("about:blank")
    put(ada, "eq/presets/Mine", 1, None)
    set_offline(page, False)
    open_screen(page, studio.address, "equalizer")
    expect(note(page, 1)).to_have_text("Two devices changed the preset Mine.")
    page.get_by_role("button", name="Keep mine").click()
    expect(note(page, 1)).to_have_text("Your presets are saved in your account.")
    assert stored(ada, "eq/presets/Mine") == (3, {"bands": FLAT})


def test_what_is_not_saved_is_deleted_with_the_account(pair):
    desk, _ = pair("equalizer")
    set_offline(desk, True)
    save_as(desk, "preset", "Evening")
    expect(note(desk, 1)).to_contain_text("Kept on this device")
    to(desk, "account")
    desk.get_by_role("button", name="Delete the account").click()
    fill(desk, "Delete the account", Password=PASSWORD)
    desk.get_by_role("heading", name="Sign up").wait_for()
    assert desk.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('rustle-unsaved'))") == []


def test_a_preset_with_the_gains_of_another_can_be_deleted(device):
    page = device("equalizer")
    page.get_by_label("Preset").select_option("Bass")
    save_as(page, "preset", "Mine")
    page.get_by_label("Preset").select_option(label="Mine")
    chosen = page.get_by_label("Preset").locator("option:checked")
    expect(chosen).to_have_text("Mine")
    page.get_by_role("button", name="Delete preset").click()
    expect(preset(page, "Mine")).to_have_count(0)
    expect(chosen).to_have_text("Bass")


def test_presets_of_a_browser_are_taken_along_at_a_sign_up(device, studio):
    page = device("equalizer")
    page.get_by_label("Preset").select_option("Bass")
    save_as(page, "preset", "Mine")
    expect(note(page, 1)).to_contain_text("kept in this browser")
    page.reload()
    expect(preset(page, "Mine")).to_have_count(1)
    to(page, "account")
    sign_up(page)
    to(page, "equalizer")
    expect(note(page, 1)).to_have_text("Your presets are saved in your account.")
    person = Person(studio)
    assert person.log_in()[0] == 200 and stored(person, "eq/presets/Mine")[1]["bands"][1] == 4
    # They leave with their owner.
    to(page, "account")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Log in").wait_for()
    to(page, "equalizer")
    expect(preset(page, "Mine")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('rustle-unsaved'))") == []


def test_presets_of_a_browser_are_offered_at_a_login(device, studio, ada):
    put(ada, "eq/presets/Mine", 0, {"bands": bands(-5)})
    page = device("equalizer")
    page.get_by_label("Preset").select_option("Bass")
    for name in ["Mine", "Second"]:
        save_as(page, "preset", name)
        expect(preset(page, name)).to_have_count(1)
    to(page, "account")
    log_in(page)
    to(page, "equalizer")
    expect(note(page, 1)).to_have_text("This browser has presets that are not in your account: Mine, Second.")
    expect(preset(page, "Second")).to_have_count(0)
    assert violations(page) == []
    # The gains are of the first bar, the presets of the second one.
    page.locator(".account-bar").nth(1).get_by_role("button", name="Save these").click()
    expect(note(page, 1)).to_have_text("Two devices changed the preset Mine.")
    expect(preset(page, "Second")).to_have_count(1)
    page.get_by_role("button", name="Take theirs").click()
    expect(note(page, 1)).to_have_text("Your presets are saved in your account.")
    assert stored(ada, "eq/presets/Mine") == (1, {"bands": bands(-5)})
    assert stored(ada, "eq/presets/Second")[1]["bands"][1] == 4


def test_presets_of_a_browser_can_be_forgotten_at_a_login(device, studio, ada):
    page = device("equalizer")
    save_as(page, "preset", "Mine")
    expect(preset(page, "Mine")).to_have_count(1)
    to(page, "account")
    log_in(page)
    to(page, "equalizer")
    page.get_by_role("button", name="Forget these").click()
    expect(note(page, 1)).to_be_hidden()
    page.reload()
    expect(note(page)).to_have_text("Changes are saved in your account.")
    assert preset(page, "Mine").count() == 0 and ada.do("GET", "api/settings")[2]["settings"] == {}


def begin_anew(tmp_path, studio, *pages):
    """The server is killed and starts again; its pages have noticed both."""
    studio.process.send_signal(signal.SIGKILL)
    studio.process.wait()
    expect_connection("lost", *pages)
    studio.process = start(tmp_path, port=studio.port).process
    expect_connection("live", *pages)


def test_the_tuner_follows(pair, ada, studio, tmp_path):
    desk, phone = pair("tuner")
    expect(note(desk)).to_have_text("Changes are saved in your account.")
    desk.get_by_label("A4 in Hz").fill("443")
    desk.keyboard.press("Enter")
    for page in [desk, phone]:
        expect(note(page)).to_have_text("Saved in your account, revision 1.")
    value = {"a4": 443, "instrument": "chromatic", "temperament": "equal", "method": "harmonic"}
    assert stored(ada, "tuner") == (1, value)
    phone.get_by_label("Instrument").select_option("guitar")
    expect(note(desk)).to_have_text("Saved in your account, revision 2.")
    put(ada, "tuner", 2, {**value, "instrument": "guitar", "a4": 432})
    for page in [desk, phone]:
        expect(page.get_by_label("A4 in Hz")).to_have_value("432")
    assert violations(phone) == []
    # A new process has another tuner until somebody who has one comes.
    begin_anew(tmp_path, studio, desk, phone)
    for page in [desk, phone]:
        expect(page.get_by_label("A4 in Hz")).to_have_value("432")
        expect(page.get_by_label("Instrument")).to_have_value("guitar")
        expect(note(page)).to_have_text("Saved in your account, revision 3.")


def test_settings_of_the_tuner_are_merged_one_by_one(pair, ada):
    desk, phone = pair("tuner")
    value = {"a4": 440, "instrument": "chromatic", "temperament": "equal", "method": "harmonic"}
    held, release = hold(desk, "tuner")
    desk.get_by_label("Instrument").select_option("violin")
    wait_until(desk, lambda: held)
    put(ada, "tuner", 0, {**value, "temperament": "just"})
    release()
    expect(note(desk)).to_have_text("Saved in your account, revision 2.")
    assert stored(ada, "tuner") == (2, {**value, "instrument": "violin", "temperament": "just"})
    held, release = hold(desk, "tuner")
    desk.get_by_label("Instrument").select_option("guitar")
    wait_until(desk, lambda: held)
    put(ada, "tuner", 2, {**value, "instrument": "ukulele", "temperament": "just"})
    release()
    expect(note(desk)).to_have_text("Two devices changed the tuner: instrument.")
    desk.get_by_role("button", name="Keep mine").click()
    expect(note(phone)).to_have_text("Saved in your account, revision 4.")
    assert stored(ada, "tuner")[1]["instrument"] == "guitar"
    expect(phone.get_by_label("Instrument")).to_have_value("guitar")


def tuned_at_a_login(device):
    """A page that has tuned to 443 Hz before somebody logged in."""
    page = device("tuner")
    page.get_by_label("A4 in Hz").fill("443")
    page.keyboard.press("Enter")
    to(page, "account")
    log_in(page)
    to(page, "tuner")
    return page


@pytest.mark.parametrize("choice,a4", [("Use the account's", 432), ("Save these", 443)])
def test_a_tuner_that_differs_at_a_login_is_asked_about(device, studio, ada, choice, a4):
    put(ada, "tuner", 0, {"a4": 432, "instrument": "chromatic", "temperament": "equal", "method": "harmonic"})
    page = tuned_at_a_login(device)
    expect(note(page)).to_have_text("Your account has other settings than this tuner.")
    page.get_by_role("button", name=choice).click()
    expect(page.get_by_label("A4 in Hz")).to_have_value(str(a4))
    expect(note(page)).to_contain_text(f"revision {1 if a4 == 432 else 2}")
    assert stored(ada, "tuner")[1]["a4"] == a4


def test_a_page_that_has_just_logged_in_leaves_the_engine_alone(device, studio, ada):
    page = device("equalizer")
    to(page, "account")
    log_in(page)
    post(studio, "equalizer/gain", {"band": 3, "gain": 3})
    # Longer than a page waits before its engine follows the account.
    page.wait_for_timeout(1000)
    assert state(studio, "equalizer")["left"][3] == 3


@pytest.mark.parametrize("who", ["account", "engine"])
def test_a_question_about_a_difference_ends_with_it(device, studio, ada, who):
    value = {"instrument": "chromatic", "temperament": "equal", "method": "harmonic"}
    put(ada, "tuner", 0, {"a4": 432, **value})
    page = tuned_at_a_login(device)
    expect(note(page)).to_have_text("Your account has other settings than this tuner.")
    if who == "account":
        put(ada, "tuner", 1, {"a4": 443, **value})
    else:
        post(studio, "tuner/set", {"a4": 432})
    expect(note(page)).to_have_text(f"Saved in your account, revision {2 if who == 'account' else 1}.")
    # What another device saves is followed again.
    put(ada, "tuner", 2 if who == "account" else 1, {"a4": 438, **value})
    expect(page.get_by_label("A4 in Hz")).to_have_value("438")


def test_a_tuner_is_taken_along(device, studio, ada):
    # At a login when one says so, at a sign-up by itself.
    page = tuned_at_a_login(device)
    expect(note(page)).to_have_text("Your account has no settings of this tuner.")
    page.get_by_role("button", name="Save these").click()
    expect(note(page)).to_contain_text("revision 1")
    assert stored(ada, "tuner")[1]["a4"] == 443
    # What another page set is offered.
    other = device("tuner")
    to(other, "account")
    sign_up(other, "bob@example.org")
    to(other, "tuner")
    expect(note(other)).to_have_text("Your account has no settings of this tuner.")
    other.get_by_label("A4 in Hz").fill("441")
    other.keyboard.press("Enter")
    expect(note(other)).to_contain_text("revision 1")
    last = device("tuner")
    last.get_by_label("A4 in Hz").fill("442")
    last.keyboard.press("Enter")
    expect(page.get_by_label("A4 in Hz")).to_have_value("442")
    to(last, "account")
    sign_up(last, "carol@example.org")
    to(last, "tuner")
    expect(note(last)).to_contain_text("revision 1")


def test_a_setting_that_is_made_while_the_connection_is_made_anew_is_kept(browser, studio):
    page, sockets = browser.new_context().new_page(), []

    def connect(socket):
        sockets.append(socket)
        if len(sockets) == 1:
            socket.connect_to_server()

    page.route_web_socket("**/ws", connect)
    open_screen(page, studio.address, "account")
    # The connection of who signs up is late.
    sign_up(page, "bob@example.org")
    wait_until(page, lambda: len(sockets) == 2)
    to(page, "tuner")
    page.get_by_label("A4 in Hz").fill("441")
    page.keyboard.press("Enter")
    sockets[1].connect_to_server()
    expect(note(page)).to_contain_text("revision 1")
    expect(page.locator("#fault")).to_be_hidden()
    page.context.close()


def calibrate(page, level):
    page.get_by_label("The level now is, in dB").fill(str(level))
    page.get_by_role("button", name="Calibrate").click()


def calibration(page):
    return page.get_by_text("alibrated: ")


def test_a_calibration_is_of_its_device_and_follows(pair, ada, studio, tmp_path):
    desk, phone = pair("meter")
    choose_demo(desk)
    expect(desk.locator(".chip")).not_to_have_text("–")
    calibrate(desk, 94)
    for page in [desk, phone]:
        expect(note(page)).to_have_text("Saved in your account, revision 1.")
    name = f"meter/{state(studio, 'meter')['device']}"
    offset = stored(ada, name)[1]["offset"]
    assert 94 <= offset < 200
    expect(calibration(phone)).to_contain_text("Calibrated: full scale is")
    # Another device has another one, or none.
    phone.get_by_label("Sound", exact=True).select_option("none")
    expect(calibration(desk)).to_contain_text("Not calibrated")
    expect(note(phone)).to_be_hidden()
    choose_demo(phone)
    expect(calibration(desk)).to_contain_text("Calibrated: full scale is")
    put(ada, name, 1, {"offset": 101.5})
    for page in [desk, phone]:
        expect(calibration(page)).to_contain_text("full scale is 101.5 dB")
    assert violations(phone) == []
    begin_anew(tmp_path, studio, desk, phone)
    for page in [desk, phone]:
        expect(calibration(page)).to_contain_text("full scale is 101.5 dB")
    phone.get_by_role("button", name="Forget").click()
    for page in [desk, phone]:
        expect(calibration(page)).to_contain_text("Not calibrated")
        expect(note(page)).to_contain_text("revision 3")
    assert stored(ada, name) == (3, None)


@pytest.mark.parametrize("choice,isMine", [("Keep mine", True), ("Take theirs", False)])
def test_a_calibration_of_two_devices_is_asked_about(pair, ada, studio, choice, isMine):
    desk, _ = pair("meter")
    choose_demo(desk)
    expect(desk.locator(".chip")).not_to_have_text("–")
    name = f"meter/{state(studio, 'meter')['device']}"
    held, release = hold(desk, name)
    calibrate(desk, 94)
    wait_until(desk, lambda: held)
    put(ada, name, 0, {"offset": 101.5})
    release()
    expect(note(desk)).to_contain_text("Two devices changed the calibration of")
    desk.get_by_role("button", name=choice).click()
    expect(note(desk)).to_contain_text(f"revision {2 if isMine else 1}")
    assert (stored(ada, name)[1]["offset"] == 101.5) != isMine
    if not isMine:
        expect(calibration(desk)).to_contain_text("full scale is 101.5 dB")


def test_a_calibration_is_taken_along(device, studio):
    page = device("meter")
    choose_demo(page)
    expect(page.locator(".chip")).not_to_have_text("–")
    calibrate(page, 94)
    expect(calibration(page)).to_contain_text("Calibrated")
    to(page, "account")
    sign_up(page)
    to(page, "meter")
    expect(note(page)).to_have_text("Saved in your account, revision 1.")
    person = Person(studio)
    assert person.log_in()[0] == 200
    [name] = [each for each in person.do("GET", "api/settings")[2]["settings"] if each.startswith("meter/")]
    assert stored(person, name)[1]["offset"] == state(studio, "meter")["offset"]


def test_lists_of_symbols_follow(pair, ada, studio):
    desk, phone = pair("prices")
    desk.get_by_label("Symbols").fill("DOGE, ADA")
    save_as(desk, "list", "Ältere/neue")
    options = phone.get_by_role("combobox", name="List").locator("option")
    expect(options).to_have_text(["None", "Ältere/neue"])
    assert stored(ada, "ticker/Ältere/neue") == (1, {"symbols": ["DOGE", "ADA"]})
    expect(note(phone)).to_have_text("Your lists are saved in your account.")
    assert violations(phone) == []
    phone.get_by_role("button", name="Start").click()
    expect(phone.get_by_role("button", name="Stop")).to_be_visible()
    phone.get_by_role("combobox", name="List").select_option(label="Ältere/neue")
    expect(desk.get_by_label("Symbols")).to_have_value("DOGE, ADA")
    expect(desk.get_by_role("combobox", name="List").locator("option:checked")).to_have_text("Ältere/neue")
    desk.get_by_role("button", name="Delete list").click()
    expect(options).to_have_text(["None"])
    assert state(studio, "ticker")["symbols"] == ["DOGE", "ADA"]


def test_a_list_of_two_devices_is_asked_about_and_offline_is_kept(pair, ada):
    desk, phone = pair("prices")
    set_offline(desk, True)
    desk.get_by_label("Symbols").fill("DOGE, ADA")
    save_as(desk, "list", "Mine")
    expect(note(desk)).to_contain_text("Kept on this device")
    put(ada, "ticker/Mine", 0, {"symbols": ["BTC"]})
    set_offline(desk, False)
    # The next connection sends it.
    desk.reload()
    expect(note(desk)).to_have_text("Two devices changed the list Mine.")
    desk.get_by_role("button", name="Take theirs").click()
    expect(note(desk)).to_have_text("Your lists are saved in your account.")
    assert stored(ada, "ticker/Mine") == (1, {"symbols": ["BTC"]})


@pytest.mark.parametrize("isFirst", [True, False])
def test_what_could_not_be_read_is_read_later(device, ada, isFirst):
    page, refused = device("equalizer"), []

    def refuse(route):
        refused.append(route)
        route.fulfill(status=429, json={"v": 1, "error": {"code": "limit", "message": "expected fewer tries"}})

    pattern = "**/api/settings" if isFirst else "**/api/settings/**"
    page.route(pattern, refuse, times=1)
    if isFirst:
        put(ada, "eq/presets/Evening", 0, {"bands": bands(-5)})
    to(page, "account")
    log_in(page)
    to(page, "equalizer")
    if not isFirst:
        expect(note(page)).to_have_text("Changes are saved in your account.")
        put(ada, "eq/presets/Evening", 0, {"bands": bands(-5)})
    expect(preset(page, "Evening")).to_have_count(1)
    assert len(refused) == 1


def test_values_that_another_program_made_wrong_are_none(pair, ada):
    for name, value in [("eq/presets/a", {"bands": [1]}), ("eq/presets/b", "x"), ("ticker/c", {"symbols": [1]}), ("meter/d", {"offset": "1"}), ("tuner", 7)]:
        put(ada, name, 0, value)
    put(ada, "eq/presets/Good", 0, {"bands": bands(3)})
    desk, phone = pair("equalizer")
    expect(note(desk)).to_have_text("Changes are saved in your account.")
    for page, screen in [(desk, "prices"), (desk, "meter"), (phone, "tuner"), (desk, "equalizer")]:
        to(page, screen)
    expect(preset(desk, "Good")).to_have_count(1)
    assert desk.get_by_label("Preset").locator("option").filter(has_text=re.compile("^[ab]$")).count() == 0
