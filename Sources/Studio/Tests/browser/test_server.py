"""The server's files, rules of access and limits, and how it starts and stops."""

import contextlib
import gzip
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import pytest
from websockets.exceptions import ConnectionClosed

from client import PATIENCE, ask, client, compressed, connected, files_of_the_page, first_screen, frame, frames, post, send, state, upgraded
from conftest import Studio
from page import until
from rig import wait


def test_answers_are_protected(studio):
    for path in ["", "js/main.js", "healthz", "api/state", "missing"]:
        _, headers, _ = ask(studio, path)
        policy = dict(directive.split(" ", 1) for directive in headers["Content-Security-Policy"].split("; "))
        assert policy == {"default-src": "'self'", "connect-src": "'self'", "img-src": "'self' data:", "form-action": "'self'",
                          **dict.fromkeys(["object-src", "base-uri", "frame-ancestors"], "'none'")}
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_files_are_cached_by_their_content(studio):
    status, headers, text = ask(studio)
    assert status == 200 and "<!doctype html>" in text and headers["Cache-Control"] == "no-cache"
    for tags in [headers["ETag"], "*", f'"x", W/{headers["ETag"]}']:
        assert ask(studio, If_None_Match=tags)[0] == 304
    assert ask(studio, If_None_Match='"x", "y"')[0] == 200
    for path in ["js/../index.html", "%2e%2e/Package.swift", "js/missing.js"]:
        assert ask(studio, path)[0] == 404, path


def test_texts_of_the_page_are_compressed_and_the_first_screen_is_small(studio, open_page):
    first, later = files_of_the_page(studio)
    assert first >= {"", "studio.css", "js/main.js", "js/overview.js", "js/link.js"} and len(later) > 5 and len(first | later) > 25
    for path in [*first, *later]:
        headers, body = compressed(studio, path)
        assert headers["Content-Encoding"] == "gzip" and headers["Vary"] == "Accept-Encoding", path
        # It is there as a whole, made before.
        assert int(headers["Content-Length"]) == len(body), path
        assert gzip.decompress(body).decode() == ask(studio, path)[2]
    plain, small = first_screen(studio)
    assert plain <= 120_000 and small <= 40_000
    page = open_page()
    names = "performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname.slice(1))"
    until(page, f"{json.dumps(sorted(later))}.every((path) => {names}.includes(path))")
    fetched = {name for name in page.evaluate(names) if not name.startswith(("fonts/", "api/"))} - {"manifest.webmanifest"}
    assert fetched == first - {""} | later
    head = urllib.request.Request(f"{studio.address}js/main.js", headers={"Accept-Encoding": "gzip"}, method="HEAD")
    with urllib.request.urlopen(head, timeout=PATIENCE) as answer:
        assert answer.headers["Content-Encoding"] is None and int(answer.headers["Content-Length"]) > 1000
    assert compressed(studio, "healthz")[1] == b"ok\n"


def test_the_page_is_served_from_a_folder_as_it_is_now(tmp_path):
    if "--web-root" not in subprocess.run([os.environ["RUSTLE_STUDIO"], "--help"], capture_output=True, text=True, timeout=PATIENCE).stdout:
        pytest.skip("not of a release build")
    folder = tmp_path / "web"
    shutil.copytree(pathlib.Path(__file__).parents[2] / "Web", folder)
    (folder / "notes.txt").write_text("of nobody else")
    running = Studio("--web-root", str(folder))
    _, headers, text = ask(running, "js/main.js")
    assert text == (folder / "js/main.js").read_text() and headers["Content-Type"] == "text/javascript; charset=utf-8"
    (folder / "js/main.js").write_text("changed")
    status, changed, text = ask(running, "js/main.js", If_None_Match=headers["ETag"])
    assert status == 200 and text == "changed" and changed["ETag"] != headers["ETag"]
    assert ask(running, "js/main.js", If_None_Match=changed["ETag"])[0] == 304
    (folder / "js/link.js").unlink()
    for path in ["notes.txt", "js/link.js", "../web/notes.txt", "%2e%2e/web/notes.txt"]:
        assert ask(running, path)[0] == 404, path
    assert running.stop() == 0
    ended = subprocess.run([os.environ["RUSTLE_STUDIO"], "--web-root", str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 64 and "--web-root: expected a folder with index.html" in ended.stderr


@pytest.mark.parametrize("path", ["", "healthz", "metrics", "api/state", "js/main.js", "ws"])
def test_foreign_hosts_are_misdirected(studio, path):
    assert ask(studio, path, Host="evil.example")[0] == 421


def test_only_recordings_are_served_of_their_folder(studio, tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "a.wav").write_bytes(bytes(range(100)))
    (tmp_path / "secret.wav").write_bytes(b"secret")
    for name in ["notes.txt", ".hidden.wav", "page.html"]:
        (folder / name).write_text("secret")
    (folder / "link.wav").symlink_to(tmp_path / "secret.wav")
    (folder / "sub").mkdir()
    # U+0338 combines with the slash before it.
    for name in ["a.wav", "\u0338.wav"]:
        (folder / "sub" / name).write_text("secret")
    status, headers, text = ask(studio, "recordings/a.wav")
    assert status == 200 and len(text) >= 100 and "default-src" in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert ask(studio, "recordings/a.wav", Range="bytes=10-19")[2] == bytes(range(10, 20)).decode()
    for behind in ["bytes=100-200", "bytes=100-", "bytes=-0"]:
        status, headers, text = ask(studio, "recordings/a.wav", Range=behind)
        assert (status, headers["Content-Range"], text) == (416, "bytes */100", "")
    assert ask(studio, "recordings/a.wav", Range="bytes=5-4")[0] == 200
    for path in ["recordings/../secret.wav", "recordings/%2e%2e/secret.wav", "recordings/..%2fsecret.wav", "recordings/", "recordings",
                 "%72ecordings/notes.txt", "%72ecordings/.hidden.wav", "%72ecordings/sub/a.wav", "%72ecordings/link.wav",
                 "recordings%2fnotes.txt", "recordings/notes.txt", "recordings/.hidden.wav", "recordings/page.html", "recordings/link.wav", "recordings/sub/a.wav",
                 "recordings/sub/%CC%B8.wav", "recordings/sub%2F%CC%B8.wav"]:
        assert ask(studio, path)[0] in (400, 404), path
    assert ask(studio, "recordings/a.wav", Host="evil.example")[0] == 421


def test_pages_of_other_sites_hold_nothing(studio):
    for path in ["api/state", "events?topics=tempo", "healthz"]:
        assert ask(studio, path, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0] == 403, path
    # A link to the page.
    assert ask(studio, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200
    assert post(studio, "ticker/start", {}, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 403
    for host in ["[::1]x.evil", "localhost:80@evil", "localhost:", "localhost.evil"]:
        assert ask(studio, "healthz", Host=host)[0] in (400, 421), host


def test_a_long_body_is_refused_as_everything_else(studio):
    status, headers, text = ask(studio, "api/equalizer/import", b" " * (70 << 10), Content_Type="application/json")
    assert status == 413 and "default-src" in headers["Content-Security-Policy"] and "error" in json.loads(text)


def test_what_is_no_request_is_closed(studio):
    for text in [b"\xff\xfe\r\n\r\n", b"GET /ws HTTP/1.1\r\nHost: localhost:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nContent-Length: 5\r\n\r\n" % studio.port]:
        with connected(studio, text) as raw:
            received = b""
            while part := raw.recv(1000):
                received += part
            assert received.startswith(b"HTTP/1.1 400"), received


def test_requests_that_break_off_end_nothing(studio):
    whole = f"POST /api/ticker/stop HTTP/1.1\r\nHost: localhost:{studio.port}\r\nContent-Type: application/json\r\n".encode()
    refused = f"POST /api/ticker/stop HTTP/1.1\r\nHost: localhost:{studio.port}\r\n".encode()
    for text in [b"GET / HT", whole[:40], whole + b"Content-Length: 9\r\n\r\n{", refused + b"Content-Length: 9\r\n\r\n{",
                 refused + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"\xff\xfe\r\n\r\n",
                 f"GET /healthz HTTP/1.1\r\nHost: localhost:{studio.port}\r\n\r\nGET".encode()]:
        for ends in [True, False]:
            for _ in range(10):
                with connected(studio, text) as raw:
                    if ends:
                        raw.shutdown(socket.SHUT_WR)
                    time.sleep(0.01)
    assert ask(studio, "healthz")[0] == 200


def test_thousands_of_recordings_let_the_page_connect(tmp_path):
    for number in range(4_500):
        (tmp_path / f"2026-01-01 {number:06}.wav").write_bytes(b"")
    studio = Studio("--recordings", str(tmp_path))
    with client(studio) as each:
        hello = json.loads(each.recv(timeout=PATIENCE))
    names = [recording["name"] for recording in hello["states"]["recorder"]["recordings"]]
    assert len(names) == 500 and names[0] == "2026-01-01 004499.wav"
    assert ask(studio, "recordings/2026-01-01%20000000.wav")[0] == 200
    assert studio.stop() == 0


def test_foreign_sites_change_nothing(studio):
    assert post(studio, "ticker/start", {}, Sec_Fetch_Site="cross-site")[0] == 403
    assert post(studio, "ticker/start", {}, Origin="http://evil.example")[0] == 403
    assert post(studio, "ticker/start", {}, Content_Type="text/plain")[0] == 415
    assert ask(studio, "api/ticker/start")[0] == 404
    assert not state(studio, "ticker")["running"]
    # Before the body is looked at: it never comes.
    head = (f"POST /api/ticker/start HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nSec-Fetch-Site: cross-site\r\n"
            "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
    with connected(studio, head.encode()) as raw:
        assert raw.recv(1000).startswith(b"HTTP/1.1 403")


def test_a_token_is_exchanged_for_a_cookie():
    studio = Studio("--token")
    token = studio.address.split("token=")[1]
    for path in ["", "healthz", "api/state", "js/main.js"]:
        assert ask(studio, path)[0] == 401
    assert ask(studio, "?token=" + token[::-1])[0] == 401
    with socket.create_connection(("127.0.0.1", studio.port), PATIENCE) as raw:
        raw.sendall(f"GET /?token={token} HTTP/1.1\r\nHost: localhost:{studio.port}\r\nConnection: close\r\n\r\n".encode())
        answer = raw.makefile("rb").read().decode()
    assert answer.startswith("HTTP/1.1 303") and "HttpOnly; SameSite=Lax; Path=/" in answer
    assert re.search(r"(?im)^location: /\r$", answer)
    assert f"rustle_token_{studio.port}={token};" in answer
    assert ask(studio, Cookie=f"a=b; rustle_token_{studio.port}={token}")[0] == 200
    # A browser sends those of other ports of the host too.
    assert ask(studio, Cookie=f"rustle_token_1={token}")[0] == 401
    assert studio.stop() == 0


def test_two_servers_of_one_host_keep_their_browser(browser):
    studios = [Studio("--token") for _ in range(2)]
    context = browser.new_context()
    pages = [context.new_page() for _ in studios]
    for page, studio in zip(pages, studios):
        page.goto(studio.address)
    for page in pages:
        page.reload()
        page.locator("#connection[data-state=live]").wait_for()
    context.close()
    assert [studio.stop() for studio in studios] == [0, 0]


def test_the_target_names_the_host(studio):
    def status(target, host):
        with connected(studio, f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()) as raw:
            return int(raw.makefile("rb").readline().split()[1])

    own = f"127.0.0.1:{studio.port}"
    assert status(f"http://{own}/healthz", own) == status(f"HTTP://{own}", "evil.example") == 200
    assert status("http://evil.example/healthz", own) == 421
    for target in ["healthz", "ftp://x/", "http:/x", "evil.example:80"]:
        assert status(target, own) == 400


def test_methods_without_a_route_are_not_allowed(studio):
    for path in ["", "healthz", "metrics", "api/state", "js/main.js"]:
        code, headers, text = ask(studio, path, method="HEAD")
        assert (code, text) == (200, "") and int(headers["Content-Length"]) > 0, path
    for method in ["TRACE", "OPTIONS", "PATCH"]:
        code, headers, _ = ask(studio, "healthz", method=method)
        assert (code, headers["Allow"]) == (405, "GET, HEAD, POST, PUT, DELETE")


@pytest.mark.parametrize("status", [0, 1])
def test_the_page_is_opened_when_asked(tmp_path, monkeypatch, status):
    opener = tmp_path / "xdg-open"
    opener.write_text(f'#!/bin/sh\necho "$1" >"{tmp_path}/opened"\nexit {status}\n')
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with open(tmp_path / "errors", "w") as errors:
        studio = Studio("--open", stderr=errors)
    wait(lambda: (tmp_path / "opened").exists() and (tmp_path / "opened").read_text() and (status == 0 or (tmp_path / "errors").read_text()))
    assert (tmp_path / "opened").read_text().strip() == studio.address
    assert ("cannot open the page" in (tmp_path / "errors").read_text()) == (status == 1)
    assert studio.stop() == 0
    # Not with a token, which other users would see among the arguments.
    (tmp_path / "opened").unlink()
    secret = Studio("--open", "--token")
    time.sleep(0.3)
    assert secret.stop() == 0 and not (tmp_path / "opened").exists()


def test_a_network_address_needs_a_token():
    command = [os.environ["RUSTLE_STUDIO"], "--listen", "0.0.0.0:0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = re.fullmatch(r"http://([\d.]+):(\d+)/\?token=[0-9a-f]{64}\n", process.stdout.readline())
    # An address of an interface, by which others reach it.
    assert address[1] != "0.0.0.0"
    request = urllib.request.Request(f"http://127.0.0.1:{address[2]}/", headers={"Host": f"{address[1]}:{address[2]}"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=PATIENCE)
    assert refused.value.code == 401
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 0


@pytest.mark.parametrize("address", ["8420", "127.0.0.1", "127.0.0.1:70000", ":8420"])
def test_wrong_addresses_are_usage_errors(address):
    ended = subprocess.run([os.environ["RUSTLE_STUDIO"], f"--listen={address}"], capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 64 and "expected address:port" in ended.stderr


def test_an_unknown_host_is_named():
    run = subprocess.run([os.environ["RUSTLE_STUDIO"], "--listen", "nobody.invalid:0", "--no-accounts"], capture_output=True, text=True, timeout=30)
    assert run.returncode == 69 and "cannot listen on nobody.invalid:0" in run.stderr


@pytest.mark.parametrize("option", ["--connections", "--per-address"])
def test_limits_out_of_range_are_usage_errors(option):
    run = subprocess.run([os.environ["RUSTLE_STUDIO"], option, "0"], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 64 and f"{option}: expected 1 to 10000, got 0" in run.stderr


def test_the_limit_of_an_address_can_be_raised():
    studio = Studio("--per-address", "40")
    sockets = [connected(studio, f"GET /healthz HTTP/1.1\r\nHost: localhost:{studio.port}\r\n\r\n".encode()) for _ in range(40)]
    assert all(each.recv(1000).startswith(b"HTTP/1.1 200") for each in sockets)
    for each in sockets:
        each.close()
    assert studio.stop() == 0


def test_a_show_that_cannot_be_read_is_a_usage_error(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    for path, words in [(tmp_path / "missing.json", "cannot read"), (broken, "broken.json: ")]:
        ended = subprocess.run([os.environ["RUSTLE_STUDIO"], "--listen", "127.0.0.1:0", "--show", str(path)], capture_output=True, text=True, timeout=PATIENCE)
        assert ended.returncode == 64 and words in ended.stderr, ended.stderr


def test_a_port_that_is_taken_is_an_error(studio):
    command = [os.environ["RUSTLE_STUDIO"], "--listen", f"127.0.0.1:{studio.port}"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 69 and f"cannot listen on 127.0.0.1:{studio.port}: Address already in use" in ended.stderr


def test_events_are_lines_of_json(studio):
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 100})[0] == 200
    with urllib.request.urlopen(f"{studio.address}events?topics=prices,tempo", timeout=PATIENCE) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        events, topics, ids = [], set(), []
        while len(events) < 20:
            line = answer.readline().decode()
            if line.startswith("id: "):
                ids.append(line[4:-1])
            if line.startswith("data: "):
                events.append(json.loads(line[6:]))
                topics.add(events[-1]["topic"])
    assert topics == {"prices", "tempo"} and ids == [f"{each['topic']}-{each['sequence']}" for each in events]
    prices = [each for each in events if each["topic"] == "prices"]
    assert prices[0]["prices"][0]["symbol"] == "A" and prices[0]["prices"][0]["price"] > 0
    for earlier, later in zip(prices, prices[1:]):
        assert later["sequence"] == earlier["sequence"] + later["lost"] + 1
    assert ask(studio, "events?topics=weather")[0] == 400
    # Its reader is gone: so is the client.
    deadline = time.monotonic() + PATIENCE
    while "rustle_studio_clients 0\n" not in ask(studio, "metrics")[2]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_connections_of_one_address_are_bounded(studio):
    sockets = [socket.create_connection(("127.0.0.1", studio.port)) for _ in range(40)]
    deadline = time.monotonic() + PATIENCE

    def is_closed(raw):
        raw.settimeout(0.05)
        try:
            return raw.recv(1) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True

    while (closed := sum(map(is_closed, sockets))) < 8:
        assert time.monotonic() < deadline, closed
    assert closed == sum(map(is_closed, sockets)) == 8
    for each in sockets:
        each.close()

    def is_served():
        with contextlib.suppress(OSError):
            return ask(studio, "healthz")[0] == 200

    while not is_served():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_connections_of_all_are_bounded():
    running = Studio("--connections", "2", "--per-address", "10")
    request = f"GET /healthz HTTP/1.1\r\nHost: localhost:{running.port}\r\n\r\n".encode()
    two = [connected(running, request) for _ in range(2)]
    for each in two:
        assert each.recv(1000).startswith(b"HTTP/1.1 200")
    # It waits until one of them has gone.
    third = connected(running, request)
    assert not select.select([third], [], [], 0.5)[0]
    two[0].close()
    assert third.recv(1000).startswith(b"HTTP/1.1 200")
    for each in [two[1], third]:
        each.close()
    assert running.stop() == 0


def test_slow_requests_are_cut_off(studio):
    start = time.monotonic()
    whole = f"GET /healthz HTTP/1.1\r\nHost: localhost:{studio.port}\r\n\r\n".encode()
    head = f"POST /api/ticker/stop HTTP/1.1\r\nHost: localhost:{studio.port}\r\nContent-Type: application/json\r\n".encode()
    first, second = connected(studio), connected(studio, whole)
    assert second.recv(1000).startswith(b"HTTP/1.1 200")
    # Of the third one the body is slow.
    slow = {first: 0, second: 0, connected(studio, head + b"Content-Length: 1000\r\n\r\n"): 0}
    open_ones = list(slow)
    for byte in whole[:-4] + b"x" * 100:
        if not open_ones:
            break
        for raw in list(open_ones):
            raw.settimeout(0.05)
            try:
                raw.send(bytes([byte]))
                if raw.recv(1000) == b"":
                    raise ConnectionError
            except TimeoutError:
                assert time.monotonic() - start < PATIENCE
            except ConnectionError:
                slow[raw] = time.monotonic() - start
                open_ones.remove(raw)
        time.sleep(0.1)
    assert all(seconds > 8 for seconds in slow.values()), slow.values()


@pytest.mark.parametrize("lines", [
    ["Host: localhost", "Host: evil.example"],
    ["Host: localhost", "Host: evil.example", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
     "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="],
])
def test_a_request_of_two_hosts_is_refused(studio, lines):
    with connected(studio, "\r\n".join(["GET /ws HTTP/1.1", *lines, "", ""]).encode()) as raw:
        answer = b""
        while part := raw.recv(1000):
            answer += part
    # The upgrade is refused by a close frame.
    assert answer.startswith(b"HTTP/1.1 400") or b"\x03\xf0expected a host name" in answer, answer


@pytest.mark.parametrize("lines", [
    ["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQAAP__"],
    ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 12", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="],
    ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"], ["Upgrade: websocket"],
])
def test_an_upgrade_to_what_it_does_not_speak_is_answered(studio, lines):
    with connected(studio, "\r\n".join(["GET /healthz HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()) as raw:
        assert raw.recv(1000).startswith(b"HTTP/1.1 ")


UPGRADE = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
KEY = "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="


@pytest.mark.parametrize("version,lines", [
    ("1.0", [KEY]), ("1.1", ["Sec-WebSocket-Key: "]), ("1.1", ["Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2Rl"]), ("1.1", ["Sec-WebSocket-Key: no!"]), ("1.1", [KEY, KEY]),
])
def test_an_upgrade_that_cannot_be_is_a_bad_request(studio, version, lines):
    with connected(studio, "\r\n".join([f"GET /ws HTTP/{version}", "Host: localhost", *UPGRADE, *lines, "", ""]).encode()) as raw:
        assert raw.makefile("rb").read().startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("lines", [["Origin: http://localhost", "Origin: http://evil.example"], ["Origin: http://evil.example", "Origin: http://localhost"],
                                   ["Origin: http://localhost", "Sec-Fetch-Site: cross-site"],
                                   ["Origin: http://localhost", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"]])
def test_an_upgrade_of_two_origins_or_another_site_is_refused(studio, lines):
    with connected(studio, "\r\n".join(["GET /ws HTTP/1.1", "Host: localhost", *UPGRADE, KEY, *lines, "", ""]).encode()) as raw:
        assert b"\x03\xf0expected a request from this server's own page" in raw.makefile("rb").read()


def test_the_socket_without_an_upgrade_says_what_it_needs(studio):
    status, headers, text = ask(studio, "ws")
    assert status == 426 and headers["Upgrade"] == "websocket" and "expected an upgrade" in json.loads(text)["error"]["message"]
    assert ask(studio, "ws", Host="evil.example")[0] == 421


def test_a_client_that_asks_before_its_body_is_told_to_go_on(studio):
    head = "POST /api/meter/reset HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with connected(studio, head.encode()) as raw:
        answer = raw.makefile("rb")
        assert answer.readline() == b"HTTP/1.1 100 Continue\r\n"
        raw.sendall(b"{}")
        assert b"\r\nHTTP/1.1 200 OK\r\n" in answer.read()


@pytest.mark.parametrize("lines", [[], ["Connection: keep-alive"]])
def test_a_request_of_http_1_0_gets_its_answer_and_the_end(studio, lines):
    for path in ["healthz", "", "missing"]:
        # A connection that is kept would be read for longer than this test waits.
        with connected(studio, "\r\n".join([f"GET /{path} HTTP/1.0", "Host: localhost", *lines, "", ""]).encode()) as raw:
            answer = raw.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 404" if path == "missing" else b"HTTP/1.1 200"), answer


def test_an_endless_head_is_refused(studio):
    with connected(studio, f"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {'x' * (20 << 10)}\r\n\r\n".encode()) as raw:
        try:
            answer = raw.recv(100)
        except ConnectionError:
            answer = b""
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")


def test_it_stops_with_open_clients(tmp_path):
    with (tmp_path / "big.wav").open("wb") as file:
        file.truncate(100 << 20)
    studio = Studio("--recordings", str(tmp_path))
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(client(studio)) for _ in range(20)]
        # One that downloads later, and one that is kept alive.
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", studio.port))) for _ in range(2)]
        idle[1].sendall(f"GET /healthz HTTP/1.1\r\nHost: localhost:{studio.port}\r\n\r\n".encode())
        assert idle[1].recv(1000).startswith(b"HTTP/1.1 200")
        events = stack.enter_context(urllib.request.urlopen(f"{studio.address}events?topics=tempo", timeout=PATIENCE))
        assert events.readline() == b"retry: 1000\n"
        for each in clients:
            send(each, subscribe=["prices", "meter", "spectrum", "tempo"])
        assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
        time.sleep(0.5)
        # One that stalls in the middle of a download.
        idle[0].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        idle[0].sendall(f"GET /recordings/big.wav HTTP/1.1\r\nHost: localhost:{studio.port}\r\n\r\n".encode())
        assert idle[0].recv(12).startswith(b"HTTP/1.1 200")
        assert studio.stop() == 0
        for each in clients:
            with pytest.raises(ConnectionClosed):
                while True:
                    each.recv(timeout=PATIENCE)


@pytest.mark.alone
def test_a_stop_waits_for_no_client_that_has_answered():
    studio = Studio()
    sockets = [upgraded(studio) for _ in range(6)]
    # What each has received, and of whom the end has come, in their order.
    data, ended = dict.fromkeys(sockets, b""), []
    for each in sockets:
        while b'"hello"' not in data[each]:
            data[each] += each.recv(1 << 16)
    studio.process.send_signal(signal.SIGINT)
    polite = sockets[::2]
    while len(ended) < len(sockets):
        for each in select.select([each for each in sockets if each not in ended], [], [], PATIENCE)[0]:
            if not (part := each.recv(1 << 16)):
                ended.append(each)
            elif b"the server stops" in part and each in polite:
                each.sendall(frame(8, b"\x03\xe9"))
    assert set(ended[:3]) == set(polite)
    assert studio.stop() == 0


def test_metrics_name_what_is_subscribed(studio):
    with client(studio) as socket:
        socket.recv()
        send(socket, subscribe=["tempo"])
        list(frames(socket, 2))
        text = ask(studio, "metrics")[2]
        assert re.search(r"^rustle_studio_sent_bytes_total [1-9]", text, re.M) and re.search(r"^rustle_studio_lost_values_total \d+$", text, re.M)
        assert 'rustle_studio_engine_running{engine="output"} 0\n' in text
        assert re.search(r"^rustle_studio_heap_bytes [1-9]\d{6,}$", text, re.M)
        assert "rustle_studio_clients 1\n" in text and 'rustle_studio_topic_subscribed{topic="tempo"} 1\n' in text
