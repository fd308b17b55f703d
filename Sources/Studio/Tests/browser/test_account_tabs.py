"""Accounts that follow one another on a page, and in two tabs of one browser, whose cookie they share."""

import json

import pytest
from playwright.sync_api import expect

from accounts import PASSWORD, Person
from page import expect_connection, held, wait_until
from rig import wait
from test_account_pages import Device, device, fill, log_in, note, sign_up, studio, to
from test_account_settings import save_as


def test_a_tab_is_told_that_another_one_signs_somebody_in(browser, studio):
    context = browser.new_context()
    older, newer = (Device(context, studio, "account").page for _ in range(2))
    for email in ["ada@example.org", "bob@example.org"]:
        sign_up(newer, email)
        expect(older.get_by_text(email)).to_be_visible()
        newer.get_by_role("button", name="Log out").click()
        expect(older.get_by_role("heading", name="Sign up")).to_be_visible()
    context.close()


def test_a_tab_leaves_what_another_one_keeps(browser, studio):
    context = browser.new_context()
    older, newer = (Device(context, studio, "account").page for _ in range(2))
    sign_up(older)
    expect(newer.get_by_text("ada@example.org")).to_be_visible()
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    for page in [older, newer]:
        to(page, "equalizer")
        expect(note(page)).to_have_text("Changes are saved in your account.")
    older.route("**/api/eq", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    older.get_by_role("slider", name="Left, 64 Hz").focus()
    older.keyboard.press("PageUp")
    expect(note(older)).to_contain_text("Kept on this device")
    older.close()
    assert ada.save(0, -6)[0] == 200
    expect(note(newer)).to_have_text("Saved in your account, revision 1.")
    again = Device(context, studio, "equalizer").page
    expect(note(again)).to_have_text("Two devices changed the same bands: 64 Hz left, 64 Hz right.")
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
    # The page may not have asked yet who is signed in by its new connection.
    with held(context, "**/api/account"):
        context.add_cookies([{"name": name, "value": value, "url": studio.address}])
        page.get_by_role("slider", name="Left, 64 Hz").focus()
        page.keyboard.press("PageUp")
    to(page, "account")
    expect(page.get_by_text("bob@example.org")).to_be_visible()
    assert bob.do("GET", "api/eq")[2]["rev"] == 0
    # The connection is of the new account, too: what its other devices save arrives.
    to(page, "equalizer")
    expect(note(page)).to_have_text("Your account has no gains of this sound.")
    assert bob.save(0, -3)[0] == 200
    expect(note(page)).to_have_text("Saved in your account, revision 1.")
    context.close()


def test_a_save_under_way_does_not_follow_into_the_next_account(device, studio):
    bob = Person(studio)
    assert bob.register("bob@example.org")[0] == 201
    page = device()
    sign_up(page)
    to(page, "equalizer")
    held = []
    page.route("**/api/eq", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    slider = page.get_by_role("slider", name="Left, 64 Hz")
    slider.focus()
    page.keyboard.press("PageUp")
    wait_until(page, lambda: held)
    # It waits for the answer to the one before.
    page.keyboard.press("PageUp")
    ada = page.evaluate("fetch('api/account').then((answer) => answer.json()).then(({ id }) => id)")
    to(page, "account")
    page.get_by_role("button", name="Log out").click()
    log_in(page, "bob@example.org")
    held[0].fulfill(status=200, content_type="application/json", body='{"v":1,"rev":1}')
    to(page, "equalizer")
    save_as(page, "preset", "Bob's")
    expect(note(page, 1)).to_have_text("Your presets are saved in your account.")
    # On a busy machine the first one may have lasted too long, and was tried again.
    assert {each.request.headers["rustle-account"] for each in held} == {ada} and bob.do("GET", "api/eq")[2]["rev"] == 0


LEFT = """async (answer) => {
    const { Profile } = await import('/js/profile.js');
    const [calls, timers, kept, settle] = [[], [], Object.keys(localStorage).length, async () => { for (let turn = 0; turn < 20; turn++) await Promise.resolve(); }];
    const real = [globalThis.fetch, globalThis.setTimeout];
    globalThis.fetch = (path, { headers }) => new Promise((resolve, reject) => calls.push({ account: headers['Rustle-Account'], resolve, reject }));
    globalThis.setTimeout = (work) => timers.push(work);
    const link = { states: {}, status: 'live', act: async () => {} };
    const app = { session: { bar: () => document.createElement('div'), onnames() {} }, link, attempt: (work) => work() };
    const profile = new Profile(app, 'a'.repeat(32), 'ada@example.org');
    profile.keep('ticker/mine', { symbols: ['ADA'] });
    await settle();
    profile.keep('ticker/mine', { symbols: ['DOGE'] });
    profile.close();
    // As when the account is deleted.
    for (const key of Object.keys(localStorage)) if (key.includes('ticker/mine')) localStorage.removeItem(key);
    if (answer) calls[0].resolve(new Response(JSON.stringify(answer.body), { status: answer.status })); else calls[0].reject(new Error());
    await settle();
    [globalThis.fetch, globalThis.setTimeout] = real;
    await new Promise((resolve) => setTimeout(resolve));
    globalThis.fetch = (path, { headers }) => { calls.push({ account: headers['Rustle-Account'] }); return Promise.reject(new Error()); };
    for (const work of timers) work();
    await settle();
    globalThis.fetch = real[0];
    return { calls: calls.map(({ account }) => account), kept: Object.keys(localStorage).length - kept };
}"""


@pytest.mark.parametrize("answer", [
    None, {"status": 200, "body": {"v": 1, "rev": 1}}, {"status": 409, "body": {"v": 1, "rev": 4, "value": None}},
    {"status": 503, "body": {"v": 1, "error": {"code": "busy", "message": ""}}}, {"status": 401, "body": {"v": 1, "error": {"code": "signedOut", "message": ""}}}])
def test_a_profile_that_was_left_writes_nothing(device, answer):
    assert device().evaluate(LEFT, answer) == {"calls": ["a" * 32], "kept": 0}


def test_a_message_of_another_account_is_dropped(device, studio):
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    sockets = []

    def connect(socket):
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/ws", connect)
    page.reload()
    to(page, "equalizer")
    expect(note(page)).to_have_text("Changes are saved in your account.")
    message = {"v": 1, "type": "account", "account": "b" * 32, "name": "eq", "device": "bob's", "rev": 9, "bands": [9] * 28}
    sockets[-1].send(json.dumps(message))
    sockets[-1].send(json.dumps({**message, "type": "preview"}))
    assert ada.save(0, -3)[0] == 200
    expect(note(page)).to_have_text("Saved in your account, revision 1.")
    expect(page.get_by_role("slider", name="Left, 64 Hz")).to_have_value("-3")


@pytest.mark.parametrize("isOffline", [True, False])
def test_a_page_signs_out_whatever_the_server_answers(browser, studio, isOffline):
    context = browser.new_context()
    page, other = (Device(context, studio, "account").page for _ in range(2))
    sign_up(page)
    busy = {"status": 503, "content_type": "application/json", "body": '{"v":1,"error":{"code":"busy","message":"expected less to do"}}'}
    context.route("**/api/logout", lambda route: route.abort() if isOffline else route.fulfill(**busy))
    page.get_by_role("button", name="Log out").click()
    expect(page.locator("#done")).to_contain_text("You are signed out here. The server did not answer")
    page.reload()
    for each in [page, other]:
        each.get_by_role("heading", name="Log in").wait_for()
    ada = Person(studio)
    assert ada.log_in()[0] == 200 and len(ada.do("GET", "api/sessions")[2]["sessions"]) == 2
    context.unroute("**/api/logout")
    page.reload()
    wait(lambda: len(ada.do("GET", "api/sessions")[2]["sessions"]) == 1)
    log_in(page)
    page.reload()
    page.get_by_role("heading", name="Signed in").wait_for()
    context.close()


@pytest.mark.parametrize("isAnswered", [True, False])
def test_a_login_waits_for_the_log_out(device, isAnswered):
    page, held, logins, sockets = device(), [], [], []

    def connect(socket):
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/ws", connect)
    # The page waits for an answer until the test says that it is too late.
    page.add_init_script("""window.waits = [];
        AbortSignal.timeout = (time) => {
            const wait = new AbortController();
            waits.push({ time, end: () => wait.abort(new DOMException('too late', 'TimeoutError')) });
            return wait.signal;
        };""")
    page.reload()
    sign_up(page)
    page.on("request", lambda request: logins.append(request) if request.url.endswith("api/login") else None)
    # The server has ended the session; its answer, which deletes the cookie, is on its way, or lost.
    page.route("**/api/logout", lambda route: held.append((route, route.fetch())))
    page.get_by_role("button", name="Log out").click()
    fill(page, "Log in", **{"E-mail address": "ada@example.org", "Password": PASSWORD})
    wait_until(page, lambda: held)
    # With each connection the page asks who is signed in.
    for _ in range(3):
        count = len(sockets)
        sockets[-1].close()
        wait_until(page, lambda: len(sockets) > count)
        expect_connection("live", page)
    assert logins == []
    if isAnswered:
        held[0][0].fulfill(response=held[0][1])
    else:
        assert page.evaluate("new Set(waits.map(({ time }) => time)).size === 1 && waits[0].time <= 10_000")
        page.evaluate("() => { for (const { end } of waits) end(); }")
    page.get_by_role("heading", name="Signed in").wait_for()
    # However often it asked, the log-out was waited for once.
    assert len(held) == 1
    page.reload()
    page.get_by_role("heading", name="Signed in").wait_for()
    assert len(logins) == 1


def test_a_login_outlives_the_answer_to_a_log_out_of_another_tab(browser, studio):
    context = browser.new_context()
    older, newer = (Device(context, studio, "account").page for _ in range(2))
    sign_up(older)
    newer.get_by_role("heading", name="Signed in").wait_for()
    held = []
    # The server has ended the session; its answer is on its way.
    older.route("**/api/logout", lambda route: held.append((route, route.fetch())))
    older.get_by_role("button", name="Log out").click()
    log_in(newer)
    wait_until(older, lambda: held)
    [(route, answer)] = held
    route.fulfill(response=answer)
    for page in [older, newer]:
        page.get_by_role("heading", name="Signed in").wait_for()
    newer.reload()
    newer.get_by_role("heading", name="Signed in").wait_for()
    context.close()


def test_a_provider_waits_for_the_log_out(browser, studio):
    context = browser.new_context()
    page = Device(context, studio, "account").page

    def add_provider(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "providers": [{"id": "test", "name": "Test"}]})

    context.route("**/api/account", add_provider)
    context.route("**/auth/login*", lambda route: route.fulfill(content_type="text/html", body="<h1>Who are you?</h1>"))
    sign_up(page)
    context.route("**/api/logout", lambda route: route.abort())
    page.get_by_role("button", name="Log out").click()
    expect(page.locator("#done")).to_contain_text("The server did not answer")
    page.get_by_role("link", name="Continue with Test").click()
    expect(page.locator("#fault")).to_contain_text("The server did not answer to the log-out before.")
    context.unroute("**/api/logout")
    page.get_by_role("link", name="Continue with Test").click()
    page.get_by_role("heading", name="Who are you?").wait_for()
    # Nobody is signed in by whoever goes back instead.
    page.go_back()
    page.get_by_role("heading", name="Log in").wait_for()
    page.reload()
    page.get_by_role("heading", name="Log in").wait_for()
    ada = Person(studio)
    assert ada.log_in()[0] == 200 and len(ada.do("GET", "api/sessions")[2]["sessions"]) == 1
    # The page may ask once more meanwhile.
    context.unroute_all(behavior="ignoreErrors")
    context.close()


def test_a_failure_at_a_login_leaves_the_connection_to_the_account(device, studio):
    ada = Person(studio)
    assert ada.register()[0] == 201
    page, failed = device(), []

    def fail(route):
        if failed:
            return route.continue_()
        failed.append(route)
        route.abort()

    page.route("**/api/settings", fail)
    fill(page, "Log in", **{"E-mail address": "ada@example.org", "Password": PASSWORD})
    page.get_by_role("heading", name="Signed in").wait_for()
    to(page, "equalizer")
    expect(note(page)).to_have_text("Changes are saved in your account.")
    assert len(failed) == 1 and ada.save(0, -3)[0] == 200
    expect(note(page)).to_have_text("Saved in your account, revision 1.")


def test_an_import_is_saved_in_the_account(device, studio):
    page = device()
    sign_up(page)
    ada = Person(studio)
    assert ada.log_in()[0] == 200
    to(page, "equalizer")
    page.get_by_label("Preset").select_option("Bass")
    expect(note(page)).to_contain_text("revision 1")
    saved = ada.do("GET", "api/eq")[2]["bands"]
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_label("Filters in the form of Equalizer APO")).not_to_have_value("")
    page.get_by_label("Preset").select_option("Flat")
    expect(note(page)).to_contain_text("revision 2")
    page.get_by_role("button", name="Import").click()
    expect(note(page)).to_contain_text("revision 3")
    assert ada.do("GET", "api/eq")[2]["bands"] == saved
    page.get_by_role("button", name="Undo").click()
    expect(note(page)).to_contain_text("revision 4")
    assert ada.do("GET", "api/eq")[2]["bands"] == [0] * 28
