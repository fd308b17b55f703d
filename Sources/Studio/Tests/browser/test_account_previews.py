"""The equalizer of an account that another device moves, and what is left of it."""

import pytest
from playwright.sync_api import expect

from accounts import Person
from client import post, state
from page import wait_until
from test_account_pages import device, log_in, note, sign_up, studio, to


def test_what_a_device_moved_that_is_gone_goes_back(device, studio):
    desk = device()
    sign_up(desk)
    phone = device(width=360, height=740)
    log_in(phone)
    for page in [desk, phone]:
        to(page, "equalizer")
    slider = "Left, 64 Hz"
    desk.get_by_role("slider", name=slider).focus()
    desk.keyboard.press("PageUp")
    expect(note(phone)).to_have_text("Saved in your account, revision 1.")
    expect(phone.get_by_role("slider", name=slider)).to_have_value("3")
    desk.route("**/api/eq", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    desk.keyboard.press("PageUp")
    expect(note(phone)).to_have_text("Another device changes the equalizer; not saved yet.")
    expect(phone.get_by_role("slider", name=slider)).to_have_value("6")
    # It is there, and tries again to save what is heard.
    expect(note(desk)).to_contain_text("Kept on this device")
    phone.wait_for_timeout(10_000)
    expect(phone.get_by_role("slider", name=slider)).to_have_value("6")
    desk.context.close()
    expect(phone.get_by_role("slider", name=slider)).to_have_value("3")
    assert state(studio, "equalizer")["left"][3] == 3
    expect(note(phone)).to_have_text("Saved in your account, revision 1.")


def ask_about(desk, ada, others, revision=0):
    """Leaves a question of two values of the band of 64 Hz, left: this page's 3 dB more, and the -6 dB of a device that saves others as well."""
    held = []
    desk.route("**/api/eq", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    desk.get_by_role("slider", name="Left, 64 Hz").focus()
    desk.keyboard.press("PageUp")
    wait_until(desk, lambda: held)
    bands = others[:3] + [-6] + others[4:]
    assert ada.do("PUT", "api/eq", {"rev": revision, "bands": bands})[0] == 200
    held[0].continue_()
    desk.unroute("**/api/eq")
    expect(note(desk)).to_contain_text("Two devices changed the same bands: 64 Hz left")
    return bands


def test_a_device_that_waits_for_an_answer_keeps_what_it_moved(device, studio):
    desk = device()
    sign_up(desk)
    phone = device(width=360, height=740)
    log_in(phone)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    for page in [desk, phone]:
        to(page, "equalizer")
    mine, theirs = (page.get_by_role("slider", name="Left, 64 Hz") for page in [desk, phone])
    expect(note(phone)).to_have_text("Changes are saved in your account.")

    def is_kept(value):
        # Longer than the time after which a device counts as gone.
        phone.wait_for_timeout(9_000)
        for slider in [mine, theirs]:
            expect(slider).to_have_value(value)
        expect(note(phone)).to_have_text("Another device changes the equalizer; not saved yet.")

    # The server takes its time.
    desk.route("**/api/eq", lambda route: None if route.request.method == "PUT" else route.continue_())
    mine.focus()
    desk.keyboard.press("PageUp")
    expect(theirs).to_have_value("3")
    is_kept("3")
    # The next try, after the page has stopped to wait for this one, is answered.
    desk.unroute("**/api/eq")
    expect(note(phone)).to_have_text("Saved in your account, revision 1.")
    # The person takes their time to answer.
    ask_about(desk, ada, [0] * 28, 1)
    # The engine has this page's value or, from the phone, the account's.
    mine.fill("6.5")
    expect(theirs).to_have_value("6.5")
    is_kept("6.5")


@pytest.mark.parametrize("isWhole", [True, False])
def test_an_engine_that_is_set_answers_no_question(device, studio, isWhole):
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    slider = page.get_by_role("slider", name="Left, 64 Hz")
    bands = ask_about(page, ada, [0] * 28)
    # The engine has this page's value, and nothing follows any more.
    page.wait_for_timeout(1000)
    expect(slider).to_have_value("3")
    # Another page goes back to the account's value; or somebody of the room sets the one band.
    if isWhole:
        assert post(studio, "equalizer/set", {"left": bands[:14], "right": bands[14:]})[0] == 200
    else:
        assert post(studio, "equalizer/gain", {"band": 3, "gain": -6, "channel": "left"})[0] == 200
    expect(slider).to_have_value("-6")
    page.get_by_role("slider", name="Left, 1024 Hz").focus()
    page.keyboard.press("PageUp")
    # The engine follows what this page would keep.
    expect(slider).to_have_value("3")
    expect(note(page)).to_contain_text("Two devices changed the same bands: 64 Hz left")
    page.get_by_role("button", name="Keep mine").click()
    expect(note(page)).to_have_text("Saved in your account, revision 2.")
    saved = ada.do("GET", "api/eq")[2]["bands"]
    assert (saved[3], saved[7]) == (3, 3)


def test_a_connection_that_is_cut_while_the_engine_is_to_follow(browser, device, studio):
    ada = Person(studio)
    assert ada.register()[0] == 201
    is_cut = []
    page = device()
    page.route_web_socket("**/ws", lambda socket: socket.close() if is_cut else socket.connect_to_server())
    page.add_init_script("""window.sockets = [];
        window.WebSocket = class extends WebSocket { constructor(...address) { super(...address); sockets.push(this); } };""")
    page.reload()
    log_in(page)
    to(page, "equalizer")
    expect(note(page)).to_have_text("Changes are saved in your account.")
    # Another program saves gains, and sets the engine itself; the page loses its connection as it hears of it, before it would do so.
    page.evaluate("""() => new MutationObserver((_, observer) => {
            observer.disconnect();
            for (const socket of sockets) socket.close();
        }).observe(document.querySelector('.account-bar p'), { childList: true, characterData: true, subtree: true })""")
    is_cut.append(True)
    assert ada.save(0, 3.0)[0] == 200
    page.locator("#connection[data-state=lost]").wait_for()
    assert post(studio, "equalizer/set", {"left": [3.0] * 14, "right": [3.0] * 14})[0] == 200
    page.wait_for_timeout(600)
    # With the account's values it sees that the engine has them already.
    with page.expect_response("**/api/settings") as answer:
        is_cut.clear()
    answer.value.finished()
    page.locator("#connection[data-state=live]").wait_for()
    expect(page.get_by_role("slider", name="Left, 64 Hz")).to_have_value("3")
    expect(note(page)).to_have_text("Saved in your account, revision 1.")
    # What the engine has of others is saved with the next change: no value is on its way to it any more.
    assert post(studio, "equalizer/gain", {"band": 5, "gain": -2.0, "channel": "left"})[0] == 200
    expect(page.get_by_role("slider", name="Left, 256 Hz")).to_have_value("-2")
    page.get_by_role("slider", name="Left, 64 Hz").focus()
    page.keyboard.press("PageUp")
    expect(note(page)).to_have_text("Saved in your account, revision 2.")
    saved = ada.do("GET", "api/eq")[2]["bands"]
    assert (saved[3], saved[5]) == (6, -2)
