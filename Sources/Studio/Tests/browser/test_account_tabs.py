"""Two tabs of one browser, whose cookie they share."""

from playwright.sync_api import expect

from accounts import Person
from test_account_pages import Device, note, sign_up, studio, to


def test_a_tab_is_told_that_another_one_signs_somebody_in(browser, studio):
    context = browser.new_context()
    older, newer = (Device(context, studio, "account").page for _ in range(2))
    for email in ["ada@example.org", "bob@example.org"]:
        sign_up(newer, email)
        expect(older.get_by_text(email)).to_be_visible()
        newer.get_by_role("button", name="Log out").click()
        expect(older.get_by_role("heading", name="Sign up")).to_be_visible()
    context.close()


def test_a_tab_of_another_account_saves_nothing_in_it(browser, studio):
    context = browser.new_context()
    page = Device(context, studio, "account").page
    sign_up(page)
    bob = Person(studio)
    assert bob.register("bob@example.org")[0] == 201
    name, value = bob.cookie.split("=", 1)
    to(page, "equalizer")
    expect(note(page)).to_have_text("Changes are saved in your account.")
    context.add_cookies([{"name": name, "value": value, "url": studio.address}])
    page.get_by_role("slider", name="Left, 64 Hz").focus()
    page.keyboard.press("PageUp")
    to(page, "account")
    expect(page.get_by_text("bob@example.org")).to_be_visible()
    assert bob.do("GET", "api/eq")[2]["rev"] == 0
    context.close()
