"""A password and tokens in use are in nothing that a server says, keeps or leaves behind."""

import contextlib
import json
import pathlib
import resource
import signal
import threading

import pytest

from accounts import Person, link_of, process_of, start
from client import PATIENCE, ask
from page import Visit
from rig import wait
from test_account_pages import fill, sign_up

CANARY = "canary-Zmx1ZmZ5"


def test_secrets_are_nowhere(tmp_path):
    with open(tmp_path / "errors", "w") as errors:
        running = start(tmp_path, stderr=errors)
        ada = Person(running)
        assert ada.register(password=CANARY)[0] == 201
        seen = [json.dumps(ada.do(*each)[2]) for each in [
            ("POST", "api/login", {"email": "ada@example.org", "password": [CANARY]}),
            ("POST", "api/login", {"email": "ada@example.org", "password": CANARY + "x"}),
            ("POST", "api/register", {"email": CANARY, "password": CANARY}), ("POST", "api/password", {"current": CANARY + "x", "new": CANARY}),
            ("POST", "api/password/reset", {"token": CANARY, "password": CANARY}), ("GET", "api/sessions"), ("GET", "api/account/export")]]
        token = ada.cookie.partition("=")[2]
        seen += [*process_of(running), ask(running, "metrics")[2]]
        assert running.stop() == 0
    seen.append((tmp_path / "errors").read_text(errors="replace"))
    for text in seen:
        assert CANARY not in text and token not in text, text[:200]
    for path in (tmp_path / "inner").iterdir():
        data = path.read_bytes()
        assert CANARY.encode() not in data and token.encode() not in data, path


def test_tokens_of_addresses_are_nowhere(browser, tmp_path):
    """That of the studio, which its address has, and those of links for a new password."""
    with open(tmp_path / "errors", "w") as errors:
        running = start(tmp_path, "--token", stderr=errors)
        token = running.address.partition("token=")[2]
        assert len(token) == 64
        context = browser.new_context()
        first = Visit(context, running.address + "#/account")
        # The one request that has to have it.
        assert first.requests.pop(0).url == running.address
        sign_up(first.page)
        links = [link_of(tmp_path, running) for _ in range(2)]
        tokens = [link.rpartition("/")[2] for link in links]
        second = Visit(context, links[0])
        fill(second.page, "New password", **{"New password": "analytical engine"})
        second.page.locator("#done").wait_for()
        # Pasted into a page that is open already.
        first.page.get_by_role("heading", name="Log in").wait_for()
        first.page.evaluate("link => { location.href = link; }", links[1])
        first.page.get_by_role("heading", name="New password").wait_for()
        seen = [text for visit in [first, second] for text in visit.seen()]
        posted = [each.post_data for each in second.requests if tokens[0] in (each.post_data or "")]
        assert len(posted) == 1 and any(each.endswith("/api/password/reset") for each in seen)
        person = Person(running)
        for address in [f"?token={CANARY}", f"api/state?token={CANARY}", f"auth/cb?code={CANARY}&state={CANARY}", f"auth/login?return={CANARY}", f"{CANARY}/x"]:
            status, headers, text = ask(running, address, Cookie=f"rustle_token_{running.port}={token}")
            seen += [text, str(headers)] if status != 200 else [text]
            seen += [ask(running, address)[2], json.dumps(person.do("POST", address, {"token": CANARY})[2])]
        seen += [*process_of(running), ask(running, "metrics", Cookie=f"rustle_token_{running.port}={token}")[2]]
        context.close()
        assert running.stop() == 0
    seen += [running.process.stdout.read(), (tmp_path / "errors").read_text()]
    for text in seen:
        assert not any(secret in text for secret in [token, *tokens, CANARY]), text[:300]
    for path in (tmp_path / "inner").iterdir():
        data = path.read_bytes()
        assert not any(secret.encode() in data for secret in [token, *tokens, CANARY]), path


def hidden(text, *secrets):
    """Whether none of the secrets is in a text, nor in the bytes of memory that it shows."""
    spelled = [secret for each in secrets for secret in [each, each.encode().hex(), each.encode().hex(" ")[:23]]]
    return not any(each in text.lower() for each in map(str.lower, spelled))


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_tells_no_password(tmp_path, monkeypatch, request, number):
    """The program's own report, with the registers of all threads and the memory that they point to, while passwords are checked."""
    monkeypatch.setenv("SWIFT_BACKTRACE", "enable=yes,color=no,threads=all,registers=all,symbolicate=off,images=none,interactive=no")
    report = tmp_path / "report"
    before = resource.getrlimit(resource.RLIMIT_CORE)
    # As on a machine that keeps the memory of what crashes.
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        with open(report, "w") as errors:
            running = start(tmp_path, "--hash-cost", "19456:16", "--limit", "address=100:1", stderr=errors)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    process = running.process
    request.addfinalizer(process.kill)
    limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text()
    assert [line.split()[4:6] for line in limits.splitlines() if line.startswith("Max core file size")] == [["0", "0"]]
    ada = Person(running)
    assert ada.register(password=CANARY)[0] == 201
    token, is_answered = ada.cookie.partition("=")[2], threading.Event()
    link = link_of(tmp_path, running).rpartition("/")[2]

    def log_in():
        with contextlib.suppress(Exception):
            Person(running).log_in(password=CANARY)
            is_answered.set()

    def reset():
        with contextlib.suppress(Exception):
            Person(running).do("POST", "api/password/reset", {"token": link, "password": CANARY})

    people = [threading.Thread(target=log_in) for _ in range(6)] + [threading.Thread(target=reset)]
    for each in people:
        each.start()
    # The others wait for the thread that hashes, or are on it.
    assert is_answered.wait(PATIENCE)
    for address in [f"?token={CANARY}", f"auth/cb?code={CANARY}&state={CANARY}"]:
        ask(running, address)
    seen = process_of(running)
    process.send_signal(number)
    wait(lambda: "Backtrace took" in report.read_text(errors="replace") or process.poll() is not None, 3 * PATIENCE)
    # A signal that nobody's fault has raised is over after the report: the program may go on.
    process.kill()
    process.wait(PATIENCE)
    for each in people:
        each.join()
    text = report.read_text(errors="replace")
    assert "crashed:" in text, text[:500]
    for each in [*seen, text]:
        assert hidden(each, CANARY, token, link), each[:2000]
