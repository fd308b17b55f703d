"""The account's screen, and its equalizer on two devices, in a real browser."""

import contextlib
import os
import signal
import sqlite3
import subprocess

import pytest
from playwright.sync_api import expect

from accounts import PASSWORD, Person, start
from client import post
from page import expect_connection, expect_screen, held, open_screen, until, violations, wait_until


class Device:
    """A browser of its own with a page. Refusals that a test provokes are on its console."""

    def __init__(self, context, studio, screen):
        self.page, self.messages = context.new_page(), []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        open_screen(self.page, studio.address, screen)


@pytest.fixture
def studio(tmp_path):
    running = start(tmp_path)
    yield running
    assert running.stop() == 0


@pytest.fixture
def device(browser, studio):
    """Opens pages, each in a browser of its own; besides refusals and lost connections their consoles stay empty."""
    with contextlib.ExitStack() as stack:
        devices = []

        def open_one(screen="account", width=1280, height=800, **options):
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            stack.callback(context.close)
            devices.append(Device(context, studio, screen))
            return devices[-1].page

        yield open_one
        for each in devices:
            assert [text for text in each.messages if "WebSocket connection" not in text and "Failed to load" not in text] == []


def fill(page, title, **values):
    form = page.locator("form", has=page.get_by_role("heading", name=title, exact=True))
    for label, value in values.items():
        form.get_by_label(label.replace("_", " "), exact=True).fill(value)
    form.locator("button[type=submit]").click()
    return form


def sign_up(page, email="ada@example.org", password=PASSWORD):
    fill(page, "Sign up", **{"E-mail address": email, "Password": password})
    page.get_by_role("heading", name="Signed in").wait_for()


def log_in(page, email="ada@example.org", password=PASSWORD):
    fill(page, "Log in", **{"E-mail address": email, "Password": password})
    page.get_by_role("heading", name="Signed in").wait_for()


def kept(device, studio):
    """The page of a new account with a change that it cannot save, and its person beside it."""
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    page.route("**/api/eq", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    page.get_by_role("slider", name="Left, 64 Hz").focus()
    page.keyboard.press("PageUp")
    expect(note(page)).to_contain_text("Kept on this device")
    return page, ada


def to(page, screen):
    page.evaluate(f"location.hash = '#/{screen}'")
    expect_screen(page, screen)


def note(page, place=0):
    """What a bar of the screen says: the first is that of its engine."""
    return page.locator(".account-bar").nth(place).locator("p")


@pytest.mark.parametrize("width,scheme", [(1280, "dark"), (360, "light")])
def test_every_state_of_the_account_is_accessible(device, studio, picture, width, scheme):
    page = device(width=width, height=740, color_scheme=scheme)

    def check(state):
        assert violations(page) == [], state
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        picture(page, f"account-{width}-{scheme}-{state}")

    page.get_by_role("heading", name="Log in").wait_for()
    check("signed-out")
    fill(page, "Sign up", **{"E-mail address": "ada@example.org", "Password": "password1"})
    field = page.locator("#sign-up-password")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    check("refused")
    fill(page, "Log in", **{"E-mail address": "ada@example.org", "Password": PASSWORD})
    expect(page.get_by_role("alert")).to_have_text("Expected another address or password")
    sign_up(page, f"{'ada' * 80}@example.org")
    page.get_by_role("cell", name="This one").wait_for()
    check("signed-in")
    page.get_by_role("button", name="Delete the account").click()
    page.get_by_role("dialog").wait_for()
    check("delete")
    page.get_by_role("button", name="Keep it").click()
    to(page, "equalizer")
    expect(note(page)).to_have_text("Changes are saved in your account.")
    check("equalizer")
    to(page, "account/reset/nonsense")
    page.get_by_role("heading", name="New password").wait_for()
    check("reset")


def test_an_account_from_sign_up_to_deletion(device, studio):
    page, other = device(), device(user_agent="Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0")
    sign_up(page)
    log_in(other)
    page.reload()
    row = page.get_by_role("row", name="Firefox on Windows")
    row.get_by_role("button", name="End").click()
    expect(row).to_have_count(0)
    # The other page notices at once, and goes on without the account.
    other.get_by_role("heading", name="Log in").wait_for()
    expect_connection("live", other)
    log_in(other)
    fill(page, "Change the password", **{"Present password": "wrong password", "New password": "analytical engine"})
    expect(page.locator("#change-the-password-current")).to_have_attribute("aria-invalid", "true")
    fill(page, "Change the password", **{"Present password": PASSWORD, "New password": "analytical engine"})
    expect(page.locator("#done")).to_contain_text("password is changed")
    other.get_by_role("heading", name="Log in").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert "ada@example.org" in download.value.path().read_text()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Log in").wait_for()
    log_in(page, password="analytical engine")
    page.get_by_role("button", name="Delete the account").click()
    fill(page, "Delete the account", Password="analytical engine")
    page.get_by_role("heading", name="Sign up").wait_for()
    assert Person(studio).log_in(password="analytical engine")[0] == 401


def test_a_link_sets_a_password_and_leaves_the_address(device, studio, tmp_path):
    ada = Person(studio)
    assert ada.register()[0] == 201
    link = subprocess.run(
        [os.environ["RUSTLE_STUDIO"], "account", "reset", "ada@example.org", "--accounts", str(tmp_path / "inner" / "accounts.sqlite"),
         "--public-address", studio.address], capture_output=True, text=True, check=True).stdout.strip()
    assert link.startswith(f"{studio.address}#/account/reset/")
    page = device(link.partition("#/")[2])
    assert page.evaluate("location.hash") == "#/account"
    fill(page, "New password", **{"New password": "password1"})
    expect(page.locator("#new-password-password")).to_have_attribute("aria-invalid", "true")
    fill(page, "New password", **{"New password": "analytical engine"})
    expect(page.locator("#done")).to_contain_text("password is set")
    log_in(page, password="analytical engine")


def test_a_page_that_is_opened_anew_offers_a_mail(browser, tmp_path):
    running = start(tmp_path, "--mail-server", "127.0.0.1:9", "--mail-sender", "studio@example.org")
    context = browser.new_context()
    with held(context, "**/api/account") as waiting:
        page = Device(context, running, "account").page
        # What is typed before the server says so stays.
        typed = page.locator("#log-in-email")
        typed.fill("bob@example.org")
        assert page.get_by_role("heading", name="Forgotten password").is_visible() and not page.get_by_role("button", name="Send a link").is_visible()
        wait_until(page, lambda: waiting)
    page.get_by_role("button", name="Send a link").wait_for()
    expect(typed).to_have_value("bob@example.org")
    expect(typed).to_be_focused()
    fill(page, "Forgotten password", **{"E-mail address": "ada@example.org"})
    expect(page.locator("#done")).to_contain_text("a link is on its way")
    context.close()
    assert running.stop() == 0


def test_the_gains_are_taken_along_and_follow(device, studio):
    page = device("equalizer")
    page.get_by_label("Preset").select_option("Bass")
    until(page, "fetch('/api/state').then((answer) => answer.json()).then(({ states: { equalizer } }) => equalizer.left[1] === 4)")
    to(page, "account")
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    until(page, "fetch('/api/eq').then((answer) => answer.json()).then(({ rev, bands }) => rev === 1 && bands[1] === 4 && bands[15] === 4)")
    # Another program's save moves the sliders and the sound.
    assert ada.save(1, -3)[0] == 200
    to(page, "equalizer")
    until(page, "fetch('/api/state').then((answer) => answer.json()).then(({ states: { equalizer } }) => equalizer.right[5] === -3)")
    expect(page.get_by_role("slider", name="Right, 256 Hz")).to_have_value("-3")
    expect(note(page)).to_contain_text("revision 2")
    # Undo is a new revision.
    slider = page.get_by_role("slider", name="Left, 1024 Hz")
    slider.focus()
    page.keyboard.press("ArrowUp")
    expect(note(page)).to_contain_text("revision 3")
    page.get_by_role("button", name="Undo").click()
    expect(note(page)).to_contain_text("revision 4")
    assert ada.do("GET", "api/eq")[2]["bands"] == [-3] * 28


@pytest.mark.parametrize("choice,gain,revision", [("Use the account's", -3, 1), ("Save these", 4, 2)])
def test_gains_that_differ_at_a_login_are_asked_about(device, studio, choice, gain, revision):
    ada = Person(studio)
    assert ada.register()[0] == 201 and ada.save(0, -3)[0] == 200
    page = device("equalizer")
    page.get_by_label("Preset").select_option("Bass")
    until(page, "fetch('/api/state').then((answer) => answer.json()).then(({ states: { equalizer } }) => equalizer.left[1] === 4)")
    to(page, "account")
    log_in(page)
    to(page, "equalizer")
    expect(note(page)).to_have_text("Your account has other gains than this sound.")
    assert violations(page) == []
    page.get_by_role("button", name=choice).click()
    expect(note(page)).to_contain_text(f"revision {revision}")
    expect(page.get_by_role("slider", name="Left, 16 Hz")).to_have_value(str(gain))
    assert ada.do("GET", "api/eq")[2]["bands"][1] == gain


def test_a_slider_that_moves_before_the_sound_follows_keeps_the_other_bands(device, studio):
    page = device("account")
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    slider = page.get_by_role("slider", name="Left, 1024 Hz")
    slider.focus()
    page.keyboard.press("ArrowUp")
    expect(note(page)).to_contain_text("revision 1")
    for revision in [1, 3, 5]:
        bands = ada.do("GET", "api/eq")[2]["bands"]
        bands[3] = revision
        assert ada.do("PUT", "api/eq", {"rev": revision, "bands": bands})[0] == 200
        until(page, f"document.querySelector('.account-bar').textContent.includes('revision {revision + 1}.')")
        page.keyboard.press("ArrowUp")
        expect(note(page)).to_contain_text(f"revision {revision + 2}")
        # Both channels: they are linked.
        for band in [7, 21]:
            bands[band] += 0.5
        assert ada.do("GET", "api/eq")[2]["bands"] == bands


@pytest.mark.parametrize("isLate", [False, True])
def test_a_sound_follows_what_was_saved_while_the_connection_was_lost(device, studio, isLate):
    page = device("equalizer")
    page.get_by_label("Preset").select_option("Bass")
    to(page, "account")
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    expect(note(page)).to_contain_text("revision 1")
    sockets, is_cut = [], False

    def connect(socket):
        if is_cut:
            return socket.close()
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/ws", connect)
    page.reload()
    expect(note(page)).to_contain_text("revision 1")
    is_cut = True
    sockets[-1].close()
    expect_connection("lost", page)
    assert ada.save(1, -3)[0] == 200
    held = []
    if isLate:
        # The socket reports it before the page has asked for all.
        page.route("**/api/settings", lambda route: held.append(route))
    is_cut = False
    if isLate:
        expect(note(page)).to_contain_text("revision 2")
        wait_until(page, lambda: held)
        held[0].continue_()
    expect(page.get_by_role("slider", name="Right, 256 Hz")).to_have_value("-3")
    expect(note(page)).to_contain_text("revision 2")


def test_a_slider_moves_on_the_other_device_and_survives_a_kill(browser, tmp_path):
    running = start(tmp_path)
    port = running.port
    contexts = [browser.new_context(viewport={"width": 1280, "height": 800}), browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)]
    desk, phone = (Device(context, running, "account").page for context in contexts)
    sign_up(desk)
    log_in(phone)
    for page in [desk, phone]:
        to(page, "equalizer")
        page.get_by_role("slider", name="Left, 1024 Hz").wait_for()
    slider = desk.get_by_role("slider", name="Left, 1024 Hz")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()

    def drag(steps, condition):
        desk.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        desk.mouse.down()
        for step in steps:
            desk.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 - 5 * step)
        expect(note(phone)).to_contain_text("not saved yet")
        until(phone, f"document.querySelector('[aria-label=\"Left, 1024 Hz\"]').value {condition}")

    # It is saved a second after the last move, and no sooner than the other device has seen it.
    with held(desk.context, "**/api/eq"):
        drag(range(8), "> 2")
        desk.mouse.up()
    expect(note(phone)).to_contain_text("revision 1")
    ada = Person(running)
    assert ada.log_in()[0] == 200
    value = max(ada.do("GET", "api/eq")[2]["bands"])
    assert value > 2
    # The revision and the sound come in messages of their own, on the device that saved as well.
    for page in [desk, phone]:
        until(page, f"+document.querySelector('[aria-label=\"Left, 1024 Hz\"]').value === {value}")
    # The server dies while it is moved again.
    with held(desk.context, "**/api/eq"):
        drag(range(0, -8, -1), "< -2")
        # The last move is drawn; once it is let go the slider shows what the engine has.
        desk.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        value = float(slider.input_value())
        assert value < -2
        running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        desk.mouse.up()
    expect_connection("lost", desk)
    again = start(tmp_path, port=port)
    for page in [desk, phone]:
        expect_connection("live", page)
        # What was not saved is, and the gains follow into the sound of the new process.
        until(page, f"+document.querySelector('[aria-label=\"Left, 1024 Hz\"]').value === {value}")
        expect(note(page)).to_contain_text("revision 2")
    assert ada.do("GET", "api/eq")[2]["bands"][7] == value
    for context in contexts:
        context.close()
    assert again.stop() == 0


def test_what_is_changed_offline_is_kept_and_saved(device, studio):
    page, ada = kept(device, studio)
    # Another device saves another band meanwhile; and this page is left.
    bands = ada.do("GET", "api/eq")[2]["bands"]
    assert ada.do("PUT", "api/eq", {"rev": 0, "bands": bands[:27] + [5]})[0] == 200
    page.unroute("**/api/eq")
    page.reload()
    until(page, "fetch('/api/eq').then((answer) => answer.json()).then(({ rev, bands }) => rev === 2 && bands[3] === 3 && bands[27] === 5)")


def unanswered(device, studio):
    """A page whose save of 3 dB at 64 Hz, left, is stored without an answer, and whose next ones do not arrive; and its user."""
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    answers = []

    def lose(route):
        if route.request.method != "PUT":
            return route.continue_()
        answers.append(None if answers else route.fetch().status)
        route.abort()

    page.route("**/api/eq", lose)
    page.get_by_role("slider", name="Left, 64 Hz").focus()
    page.keyboard.press("PageUp")
    expect(note(page)).to_contain_text("Kept on this device")
    stored = ada.do("GET", "api/eq")[2]
    assert answers == [200] and stored["rev"] == 1 and stored["bands"][3] == 3
    return page, ada


def test_a_save_whose_answer_is_lost_is_no_other_device(device, studio):
    page, ada = unanswered(device, studio)
    page.unroute("**/api/eq")
    page.keyboard.press("PageUp")
    expect(note(page)).to_contain_text("revision 2")
    assert ada.do("GET", "api/eq")[2]["bands"][3] == 6


def test_a_band_that_goes_back_after_a_lost_answer_outlives_the_page(device, studio):
    page, _ = unanswered(device, studio)
    page.keyboard.press("PageDown")
    expect(page.get_by_role("slider", name="Left, 64 Hz")).to_have_value("0")
    expect(note(page)).to_contain_text("Kept on this device")
    page.reload()
    page.unroute("**/api/eq")
    until(page, "fetch('/api/eq').then((answer) => answer.json()).then(({ rev, bands }) => rev === 2 && bands[3] === 0)")


def test_the_same_band_on_two_devices_is_asked_about(device, studio, picture):
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    slider = page.get_by_role("slider", name="Left, 64 Hz")

    def conflict(revision, theirs):
        """This page's save is held back while another device saves the same band, and one more."""
        held = []
        page.route("**/api/eq", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
        slider.focus()
        page.keyboard.press("PageUp")
        wait_until(page, lambda: held)
        bands = ada.do("GET", "api/eq")[2]["bands"]
        assert ada.do("PUT", "api/eq", {"rev": revision, "bands": bands[:3] + [theirs] + bands[4:27] + [theirs]})[0] == 200
        held[0].continue_()
        page.unroute("**/api/eq")
        expect(note(page)).to_contain_text("Two devices changed the same bands: 64 Hz left.")

    conflict(0, -6)
    assert violations(page) == []
    picture(page, "equalizer-conflict")
    page.get_by_role("button", name="Keep mine").click()
    expect(note(page)).to_contain_text("revision 2")
    bands = ada.do("GET", "api/eq")[2]["bands"]
    assert (bands[3], bands[27]) == (3, -6)
    conflict(2, -9)
    page.get_by_role("button", name="Take theirs").click()
    # The right channel moved along, and nobody else changed it: it is saved.
    expect(note(page)).to_contain_text("revision 4")
    bands = ada.do("GET", "api/eq")[2]["bands"]
    assert (bands[3], bands[17], bands[27]) == (-9, 6, -9)
    expect(slider).to_have_value("-9")


def test_a_question_outlives_the_page(device, studio):
    page, ada = kept(device, studio)
    assert ada.save(0, -6)[0] == 200
    for _ in range(2):
        expect(note(page)).to_have_text("Two devices changed the same bands: 64 Hz left, 64 Hz right.")
        page.unroute("**/api/eq")
        page.reload()
    assert ada.do("GET", "api/eq")[2]["rev"] == 1
    page.get_by_role("button", name="Take theirs").click()
    expect(note(page)).to_contain_text("revision 1")


def test_linked_sign_ins_are_shown_and_removed(device, tmp_path):
    page = device()
    sign_up(page)
    heading = page.get_by_role("heading", name="Linked sign-ins")
    expect(heading).to_be_hidden()
    with contextlib.closing(sqlite3.connect(tmp_path / "inner" / "accounts.sqlite", timeout=30)) as database, database:
        database.execute("INSERT INTO identity(issuer, subject, account) SELECT 'https://p.example', 'ada', id FROM account")
    page.reload()
    expect(heading).to_be_visible()
    assert violations(page) == []
    remove = page.get_by_role("button", name="Remove ada of https://p.example")
    remove.click()
    dialog = page.get_by_role("dialog", name="Remove the sign-in")
    assert violations(page) == []
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog).to_be_hidden()
    remove.click()
    # Whoever has the session alone takes no way in from its owner.
    dialog.get_by_label("Password").fill("another password")
    dialog.get_by_role("button", name="Remove it").click()
    expect(dialog.get_by_label("Password")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Remove it").click()
    expect(page.locator("#done")).to_have_text("The linked sign-in is removed.")
    expect(heading).to_be_hidden()
    page.reload()
    page.get_by_role("heading", name="Signed in").wait_for()
    expect(heading).to_be_hidden()


def test_a_sign_up_takes_along_what_its_page_set_alone(device, studio):
    page = device("equalizer")
    page.get_by_role("slider", name="Left, 64 Hz").focus()
    page.keyboard.press("PageUp")
    until(page, "fetch('/api/state').then((answer) => answer.json()).then(({ states: { equalizer } }) => equalizer.left[3] > 0)")
    # Somebody else of the room.
    post(studio, "equalizer/gain", {"band": 9, "gain": 3})
    expect(page.get_by_role("slider", name="Left, 3072 Hz")).to_have_value("3")
    to(page, "account")
    sign_up(page)
    to(page, "equalizer")
    expect(note(page)).to_have_text("Your account has no gains of this sound.")
    page.get_by_role("button", name="Save these").click()
    expect(note(page)).to_contain_text("revision 1")


def test_two_studios_of_one_host_keep_their_sessions(browser, tmp_path):
    studios = [start(tmp_path / name) for name in ["one", "two"]]
    context = browser.new_context()
    pages = [Device(context, studio, "account").page for studio in studios]
    for page, email in zip(pages, ["ada@example.org", "bob@example.org"]):
        sign_up(page, email)
    for page, email in zip(pages, ["ada@example.org", "bob@example.org"]):
        page.reload()
        expect(page.get_by_text(email)).to_be_visible()
    context.close()
    assert [studio.stop() for studio in studios] == [0, 0]
