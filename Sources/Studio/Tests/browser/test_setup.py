"""Nodes over Bluetooth LE: a scan, their values, and what never comes back."""

import json
import re

import pytest
from playwright.sync_api import expect

from client import PATIENCE, ask, client, post, send, state
from page import until, violations

SECRET = "canary-7f3a91"
VALUES = {"adapter": "demo", "node": "ChromaDMX-0002", "name": "left", "ssid": "stage", "password": SECRET, "universe": 2, "start": 401}


def ended(studio):
    """The attempt, once it is over."""
    with client(studio) as watcher:
        attempt = json.loads(watcher.recv(timeout=PATIENCE))["states"]["provisioning"]["attempt"]
        while attempt["running"]:
            message = json.loads(watcher.recv(timeout=PATIENCE))
            if message.get("name") == "provisioning":
                attempt = message["state"]["attempt"]
        return attempt


def test_a_node_gets_its_values_and_no_answer_has_the_password(studio):
    texts = []
    with client(studio) as watcher:
        watcher.recv(timeout=PATIENCE)
        send(watcher, id=1, do="provisioning/set", **{"with": VALUES})
        while True:
            texts.append(watcher.recv(timeout=PATIENCE))
            message = json.loads(texts[-1])
            attempt = message.get("state", {}).get("attempt") if message.get("name") == "provisioning" else None
            if attempt and not attempt["running"]:
                break
    last = attempt["updates"][-1]
    assert last["state"] == "SUCCESS" and last["disconnected"] and last["node"] == "02:00:00:00:00:02"
    assert last["values"] == {"name": "left", "ssid": "stage", "universe": 2, "start": 401, "firmware": "1.4.2", "flag": "provisioned"}
    # Nor has what is refused.
    for wrong in [{"name": ""}, {"password": [SECRET]}, {"password": {"a": SECRET}}, {"password": SECRET * 9}, {"open": True}, {"start": 0}, {"timeout": SECRET}, {"universe": SECRET}, {"footprint": SECRET}, {"name": [SECRET]}]:
        status, _, text = post(studio, "provisioning/set", {**VALUES, **wrong})
        assert status == 422, text
        texts.append(text)
    texts.append(json.dumps(state(studio, "provisioning")))
    assert not [text for text in texts if "canary" in text]


@pytest.mark.parametrize("action,value,words", [
    ("set", {**VALUES, "name": "", "ssid": ""}, "name: expected 1 to 32 bytes, got 0; ssid: expected 1 to 32 bytes, got 0"),
    ("set", {**VALUES, "start": 513}, "start: expected an integer of 1 to 512"), ("set", {**VALUES, "start": 510, "footprint": 12}, "expected 12 slots up to 512"),
    ("set", {**VALUES, "open": True}, "either password, or open"), ("set", {"ssid": "x"}, "either password, or open"),
    ("set", {**VALUES, "table": "node,name\n"}, "line 1"), ("set", {**VALUES, "table": "a\n" * 300}, "at most 200 nodes"),
    ("set", {**VALUES, "timeout": 0}, "timeout: expected"), ("reset", {"node": "", "adapter": "demo"}, "node: expected"), ("reset", {}, "node: expected"),
    ("read", {"node": 1}, "node: expected a text"),
])
def test_wrong_values_are_refused_before_anything_begins(studio, action, value, words):
    status, _, text = post(studio, f"provisioning/{action}", value)
    assert status == 422 and words in json.loads(text)["error"]["message"], text
    assert state(studio, "provisioning")["attempt"] is None


def test_there_is_one_radio_for_all(studio):
    assert post(studio, "provisioning/scan", {"adapter": "demo"})[0] == 200
    with client(studio) as one, client(studio) as other:
        for number, socket in enumerate([one, other]):
            socket.recv(timeout=PATIENCE)
            send(socket, id=number, do="provisioning/scan", **{"with": {"adapter": "demo"}})
        send(one, id=2, do="provisioning/read", **{"with": {"adapter": "demo", "node": "ChromaDMX-0004"}})
        until_answer(one, 2)
        send(other, id=3, do="provisioning/set", **{"with": VALUES})
        assert until_answer(other, 3)["error"]["code"] == "wrongState"
    attempt = ended(studio)
    assert attempt["values"]["name"] == "ChromaDMX-0004" and attempt["error"] is None
    now = state(studio, "provisioning")
    assert 'rustle_studio_engine_running{engine="scan"} 1\n' in ask(studio, "metrics")[2]
    assert now["scanning"] and [node["name"] for node in now["nodes"]] == [f"ChromaDMX-000{number}" for number in range(1, 5)]
    assert post(studio, "provisioning/stop", {})[0] == 200 and not state(studio, "provisioning")["scanning"]


def until_answer(socket, number):
    while True:
        message = json.loads(socket.recv(timeout=PATIENCE))
        if message.get("id") == number:
            return message


def test_a_cancelled_attempt_says_so(open_page, studio):
    assert post(studio, "provisioning/set", {**VALUES, "node": "nobody", "timeout": 3600})[0] == 200
    assert post(studio, "provisioning/cancel", {})[0] == 200
    attempt = ended(studio)
    assert attempt["cancelled"] and attempt["error"] is None and "SUCCESS" not in [update["state"] for update in attempt["updates"]]
    # Also to who comes later.
    expect(open_page("setup").get_by_text("Cancelled. Read the node before it is used: some values may be written.")).to_be_visible()
    assert post(studio, "provisioning/reset", {"adapter": "demo", "node": "ChromaDMX-0001"})[0] == 200
    assert ended(studio)["error"] is None


def test_without_bluetooth_the_page_says_what_to_do(open_page, monkeypatch, picture):
    page = open_page("setup")
    page.get_by_role("button", name="Scan").click()
    # This machine has no service, or no adapter that is on.
    fault = page.locator("main .error[role=alert], #fault [role=alert]").filter(has_text=re.compile("."))
    expect(fault.first).to_contain_text(re.compile("bluetoothd|adapter|Bluetooth"))
    assert violations(page) == []
    picture(page, "setup-no-bluetooth")


def test_a_person_sets_a_node_up(open_page, studio, picture):
    page = open_page("setup")
    # One step after the other.
    expect(page.locator("main :is(h2, h3)").filter(has_text=re.compile(r"^\d"))).to_have_text(
        ["1. Nodes in range", "2. Choose the node", "3. Its network", "4. Its place", "5. Write"])
    page.get_by_label("Radio").select_option("demo")
    page.get_by_role("button", name="Scan").click()
    rows = page.get_by_role("region", name="Nodes in range").locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_contain_text(re.compile(r"ChromaDMX-0002.*dBm, (strong|good|weak)New1\.4"))
    choose = rows.nth(1).get_by_role("button")
    choose.focus()
    page.wait_for_timeout(1200)
    # The signals have changed meanwhile; the focus is where it was.
    expect(choose).to_be_focused()
    choose.press("Enter")
    expect(page.get_by_label("Node, by name or address")).to_have_value("02:00:00:00:00:02")
    expect(choose).to_have_attribute("aria-pressed", "true")
    page.get_by_label("New name").fill("left")
    page.get_by_label("Network (SSID)").fill("stage")
    password = page.get_by_label("Password of the network")
    password.fill(SECRET)
    assert password.get_attribute("type") == "password"
    page.get_by_label("Start address").fill("401")
    assert violations(page) == []
    picture(page, "setup-form")
    # An attempt that lasts until it is cancelled.
    page.get_by_label("Node, by name or address").fill("nobody")
    page.get_by_label("Seconds at most").fill("3600")
    page.get_by_role("button", name="Write and verify").click()
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    expect(steps.filter(has_text="now")).to_have_count(1)
    expect(password).to_have_value("")
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_visible()
    assert violations(page) == []
    picture(page, "setup-running")
    cancel.click()
    expect(page.get_by_text("Cancelled. Read the node before it is used: some values may be written.")).to_be_visible()
    page.get_by_label("Seconds at most").fill("20")
    choose.press("Enter")
    expect(page.get_by_label("Node, by name or address")).to_have_value("02:00:00:00:00:02")
    password.fill(SECRET)
    page.get_by_role("button", name="Write and verify").click()
    expect(password).to_have_value("")
    expect(page.get_by_text("✓ Done", exact=True)).to_be_visible()
    expect(steps.filter(has_text="done")).to_have_count(6)
    expect(page.locator(".values")).to_contain_text("NameleftNetworkstageUniverse1Start address401")
    assert violations(page) == []
    picture(page, "setup-done")
    # Another page shows the same; nothing of the secret is in either.
    other = open_page("setup", width=360, height=740, color_scheme="light")
    expect(other.get_by_text("✓ Done", exact=True)).to_be_visible()
    expect(other.get_by_label("Radio")).to_have_value("demo")
    assert "canary" not in other.content() and violations(other) == []
    picture(other, "setup-done-360")
    page.get_by_label("Node, by name or address").fill("nobody")
    page.get_by_label("Seconds at most").fill("2")
    page.get_by_role("button", name="Read its values").click()
    expect(page.get_by_text("✕ Failed", exact=True)).to_be_visible()
    expect(page.locator("main section").last.locator(".error")).to_be_visible()
    assert violations(page) == []
    picture(page, "setup-failed")
    page.get_by_role("button", name="Reset…").click()
    page.get_by_role("dialog").wait_for()
    assert violations(page) == []
    page.get_by_role("button", name="Keep").click()
    page.get_by_label("Node, by name or address").fill("ChromaDMX-0003")
    page.get_by_label("Seconds at most").fill("20")
    page.get_by_role("button", name="Read its values").click()
    page.get_by_role("button", name="Use these values").click()
    expect(page.get_by_label("New name")).to_have_value("ChromaDMX-0003")


def fill(page, node, password=SECRET):
    page.get_by_label("Radio").select_option("demo")
    page.get_by_label("Node, by name or address").fill(node)
    page.get_by_label("New name").fill("left")
    page.get_by_label("Network (SSID)").fill("stage")
    page.get_by_label("Password of the network").fill(password)
    page.get_by_label("Start address").fill("401")


def test_the_former_values_are_written_back(open_page, studio, picture):
    page = open_page("setup")
    fill(page, "ChromaDMX-0004")
    page.get_by_label("Pair first, or write nothing").check()
    page.get_by_role("button", name="Write and verify").click()
    back = page.get_by_role("button", name="Write the former values back…")
    back.wait_for()
    # The radio is that of the attempt, whatever the page has chosen since.
    page.reload()
    back.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("NameChromaDMX-0004Networkrehearsal")
    expect(dialog).to_contain_text("Universe2Start address101")
    expect(dialog).to_contain_text("Nodes do not return their passwords: enter that of rehearsal.")
    assert violations(page) == []
    picture(page, "setup-undo")
    # Not without the password, which nobody has kept.
    dialog.get_by_role("button", name="Write").click()
    expect(dialog).to_be_visible()
    dialog.get_by_label("Password of the former network").fill(SECRET)
    dialog.get_by_role("button", name="Write").click()
    expect(page.locator(".values")).to_contain_text("NameChromaDMX-0004Networkrehearsal")
    attempt = ended(studio)
    assert attempt["order"] == "set" and attempt["updates"][-1]["state"] == "SUCCESS"
    # Encrypted as the attempt was, although the page that was loaded again has not asked for it.
    assert attempt["encrypt"] and not page.get_by_label("Pair first, or write nothing").is_checked()
    assert {key: attempt["updates"][-1]["values"][key] for key in ["name", "ssid", "universe", "start"]} == {
        "name": "ChromaDMX-0004", "ssid": "rehearsal", "universe": 2, "start": 101}
    assert "canary" not in page.content() and page.locator("#former-password").input_value() == ""
    # An error is shown.
    back.click()
    dialog.get_by_label("Password of the former network").fill(SECRET)
    assert post(studio, "provisioning/read", {"adapter": "demo", "node": "nobody", "timeout": 3600})[0] == 200
    dialog.get_by_role("button", name="Write").click()
    expect(page.get_by_role("alert").filter(has_text="expected an attempt that has ended")).to_be_visible()
    assert post(studio, "provisioning/cancel", {})[0] == 200


def test_a_new_node_has_no_former_values_and_is_marked_when_it_is_set_up(open_page):
    page = open_page("setup")
    fill(page, "ChromaDMX-0002")
    page.get_by_role("button", name="Write and verify").click()
    expect(page.get_by_text("✓ Done", exact=True)).to_be_visible()
    expect(page.get_by_text("The node had no network before: a reset makes it forget the new values.")).to_be_visible()
    expect(page.get_by_role("button", name="Write the former values back…")).to_be_hidden()
    page.get_by_role("button", name="Scan").click()
    rows = page.get_by_role("region", name="Nodes in range").locator("tbody tr")
    for row, word in enumerate(["New", "Set up here", "New", "Works"]):
        expect(rows.nth(row).locator("td").nth(3)).to_have_text(word)


@pytest.mark.parametrize("password,is_good", [("a" * 7, False), ("a" * 8, True), ("ä" * 32, False), ("a" * 63, True), ("a" * 64, True), ("g" * 64, False)])
def test_the_length_of_a_password_is_checked_before_it_is_sent(open_page, studio, password, is_good):
    page = open_page("setup")
    fill(page, "nobody", password)
    page.get_by_role("button", name="Write and verify").click()
    assert page.get_by_label("Password of the network").evaluate("(each) => each.validity.customError") != is_good
    if is_good:
        expect(page.get_by_role("button", name="Cancel")).to_be_visible()
        assert post(studio, "provisioning/cancel", {})[0] == 200
    else:
        assert state(studio, "provisioning")["attempt"] is None


def test_nothing_else_begins_during_an_attempt(open_page, studio):
    page = open_page("setup")
    page.get_by_label("Radio").select_option("demo")
    buttons = [page.get_by_role("button", name=name, exact=True) for name in ["Write and verify", "Read its values", "Restart", "Reset…"]]
    assert post(studio, "provisioning/read", {"adapter": "demo", "node": "nobody", "timeout": 3600})[0] == 200
    for button in buttons:
        expect(button).to_be_disabled()
    assert post(studio, "provisioning/cancel", {})[0] == 200
    for button in buttons:
        expect(button).to_be_enabled()


def test_the_nodes_of_a_table_come_one_after_the_other(open_page, tmp_path, picture):
    page = open_page("setup")
    page.get_by_label("Radio").select_option("demo")
    table = tmp_path / "nodes.csv"
    table.write_text("node,name,universe,start\nChromaDMX-0001,a,1,1\nnobody,b,1,20\nChromaDMX-0003,c,1,40\n")
    page.get_by_label("Or a table of nodes").set_input_files(table)
    expect(page.get_by_label("New name")).to_be_disabled()
    page.get_by_label("Network (SSID)").fill("stage")
    page.get_by_label("The network has no password").check()
    page.get_by_role("button", name="Write and verify").click()
    rows = page.get_by_role("region", name="Nodes of the table").locator("tbody tr")
    expect(page.get_by_text("1 of 3 nodes failed", exact=True)).to_be_visible(timeout=40000)
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("✕ Failed")
    expect(rows.nth(1)).to_contain_text("expected nobody within")
    expect(rows.nth(2)).to_contain_text("✓ Done")
    until(page, "document.querySelector('progress').hidden")
    assert violations(page) == []
    picture(page, "setup-table")
