"""The page in a browser that keeps nothing for it: it is refused, or there is no room."""

import json

import pytest
from playwright.sync_api import expect

from accounts import Person
from rig import wait
from test_account_pages import Device, device, note, sign_up, studio, to
from test_account_settings import save_as

FILL = """() => {
    for (let size = 1 << 20, count = 0; size >= 1; size >>= 1) {
        try { for (;;) localStorage.setItem(`full ${count++}`, 'x'.repeat(size)); } catch { /* A smaller one. */ }
    }
}"""
DENY = """for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
}"""


def test_a_full_storage_hinders_no_save(device, studio):
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    expect(note(page)).to_have_text("Changes are saved in your account.")
    page.evaluate(FILL)
    page.get_by_role("slider", name="Left, 64 Hz").focus()
    page.keyboard.press("PageUp")
    expect(note(page)).to_have_text("Saved in your account, revision 1.")
    assert ada.do("GET", "api/eq")[2]["bands"][3] == 3
    page.route("**/api/eq", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    page.keyboard.press("PageUp")
    expect(note(page)).to_have_text("Kept on this page only; saved when the server answers.")
    page.evaluate("localStorage.clear()")
    page.keyboard.press("PageUp")
    expect(note(page)).to_have_text("Kept on this device; saved when the server answers.")
    page.unroute("**/api/eq")
    # First what had no answer, and then the newest.
    expect(note(page)).to_have_text("Saved in your account, revision 3.")
    assert ada.do("GET", "api/eq")[2]["bands"][3] == 9


def test_a_page_without_storage_has_an_account(browser, studio):
    context = browser.new_context()
    context.add_init_script(DENY)
    device = Device(context, studio, "equalizer")
    page = device.page
    page.get_by_role("slider", name="Left, 64 Hz").wait_for()
    save_as(page, "preset", "Mine")
    expect(note(page, 1)).to_have_text("Your presets are kept on this page only; with an account they follow you.")
    to(page, "account")
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200 and len(ada.do("GET", "api/sessions")[2]["sessions"]) == 2
    # The page knows for itself what it has left.
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Log in").wait_for()
    wait(lambda: len(ada.do("GET", "api/sessions")[2]["sessions"]) == 1)
    assert [text for text in device.messages if "WebSocket connection" not in text] == []
    context.close()


@pytest.mark.parametrize("text", ["{", "5", "null"])
def test_broken_values_of_before_a_sign_in_hinder_no_page(browser, studio, text):
    context = browser.new_context()
    context.add_init_script(f"sessionStorage.setItem('rustle-own', '{text}')")
    device = Device(context, studio, "account")
    device.page.goto(f"{studio.address}?new#/account")
    device.page.get_by_role("heading", name="Sign up").wait_for()
    assert device.page.evaluate("location.search") == "" and device.messages == []
    context.close()


@pytest.mark.parametrize("name", ["eq", "eq/presets/A"])
@pytest.mark.parametrize("text", ["{", "5", '{"rev":0,"base":[0],"local":[1,2]}', '{"rev":0,"base":["[1]"],"local":["[1]"]}', '{"rev":1,"base":null,"local":"x","asked":[1]}'])
def test_broken_values_that_were_not_saved_hinder_no_other(device, studio, name, text):
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    assert ada.do("PUT", "api/settings/eq/presets/Mine", {"rev": 0, "value": {"bands": [1] * 28}})[0] == 200
    # Nobody's gains are not kept.
    for email in ["ada@example.org"] if name == "eq" else ["ada@example.org", ""]:
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", ["rustle-unsaved " + json.dumps([email, name], separators=(",", ":")), text])
    page.reload()
    page.get_by_role("heading", name="Signed in").wait_for()
    to(page, "equalizer")
    expect(page.get_by_role("option", name="Mine")).to_be_attached()
    page.get_by_role("slider", name="Left, 64 Hz").focus()
    page.keyboard.press("PageUp")
    if name != "eq":
        page.locator(".account-bar").nth(1).get_by_role("button", name="Save these").click()
    expect(note(page)).to_have_text("Saved in your account, revision 1.")
    expect(note(page, 1)).to_have_text("Your presets are saved in your account.")
    assert ada.do("GET", "api/eq")[2]["bands"][3] == 3
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('rustle-unsaved'))") == []
