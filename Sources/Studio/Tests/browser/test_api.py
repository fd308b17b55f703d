"""The actions, as POST requests."""

import concurrent.futures
import json
import pathlib
import random
import re
import socket
import subprocess
import sys

import pytest

from accounts import Person, start
from client import PATIENCE, ask, client, frames, post, send, state
from conftest import Studio

ACTIONS = pathlib.Path(__file__).parents[2] / "Sources/RustleStudio/Actions.swift"
ROUTES = pathlib.Path(__file__).parents[2] / "Sources/RustleStudio/AccountRoutes.swift"
DESCRIPTION = pathlib.Path(__file__).parents[2] / "Web" / "openapi.json"


@pytest.mark.parametrize("action,value,words", [
    ("ticker/start", {"rate": 0}, "rate: expected"), ("ticker/start", {"symbols": []}, "symbols: expected"),
    ("ticker/start", {"symbols": ["A", "A"]}, "symbols: expected"), ("sound/select", {"kind": "browser"}, "expected a client"),
    ("sound/select", {"kind": "x"}, "kind: expected"), ("sound/select", {"kind": "device", "name": "gone"}, "name: expected a device of the server"), ("meter/set", {"weighting": "Q"}, "expected the weightings"),
    ("meter/calibrate", {"level": 94}, "expected a running meter"), ("spectrum/set", {"size": 1000}, "power of two"),
    ("spectrum/set", {"window": "x"}, "window: expected rectangular, hann"), ("tuner/set", {"method": "x"}, "method: expected harmonic, yin"),
    ("tempo/quantum", {"beats": 0}, "beats: expected"), ("lights/test", {"color": "x"}, "color: expected none, white"), ("lights/test", {"color": "red"}, "while the show plays"),
    ("tuner/set", {"a4": 100}, "a4: expected"), ("tuner/set", {"instrument": "x"}, "instrument: expected"),
    ("spectrum/set", {"size": 1024.5}, "size: expected an integer"), ("equalizer/gain", {"band": 1.5, "gain": 0}, "band: expected an integer"),
    ("equalizer/gain", {"band": 99, "gain": 0}, "band: expected"), ("equalizer/set", {"left": [1]}, "left: expected"),
    ("equalizer/import", {"text": "x"}, ""), ("tempo/set", {"bpm": "fast"}, "bpm: expected"),
    ("recorder/start", {"format": "mp9"}, "format: expected"), ("recorder/start", {}, "expected a sound to record"),
    ("recorder/delete", {"name": "../../etc/passwd"}, "expected a recording"), ("recorder/pause", {"paused": True}, ""),
    ("lights/scene", {"name": "x"}, "name: expected"), ("lights/go", {}, "while the show plays"),
    ("lights/arm", {"armed": True, "output": "x"}, "output: expected"), ("ticker/start", [], "expected an object"), ("meter/reset", "x", "expected an object"),
])
def test_wrong_arguments_are_refused_with_what_was_expected(studio, action, value, words):
    status, _, text = post(studio, action, value)
    error = json.loads(text)["error"]
    assert status == 422 and words in error["message"], text


@pytest.mark.parametrize("text,bands", [
    ("Preamp: -3 dB", (0, 0)), ("Filter 1: OFF PK Fc 100 Hz Gain 3 dB Q 1", (0, 0)),
    ("Channel: L\nFilter 1: ON PK Fc 100 Hz Gain 3 dB Q 1", (1, 0)), ("Channel: R\nFilter 1: ON PK Fc 100 Hz Gain 3 dB Q 1", (0, 1)),
])
def test_imported_channels_may_have_no_bands(studio, text, bands):
    assert post(studio, "equalizer/import", {"text": text})[0] == 200
    assert [len(state(studio, "equalizer")["frequencies"][channel]) for channel in ["left", "right"]] == [*bands]
    for channel, count in [("left", bands[0]), ("right", bands[1]), ("both", max(bands))]:
        status, _, answer = post(studio, "equalizer/gain", {"band": 0, "gain": 1, "channel": channel})
        assert status == (200 if count else 422) and (count or "channel: expected one with bands" in answer), answer
    assert post(studio, "equalizer/bypass", {"bypassed": True})[0] == post(studio, "equalizer/export", {})[0] == 200
    assert post(studio, "equalizer/set", {"left": [1] * 14, "right": [2] * 14})[0] == 200
    assert state(studio, "equalizer")["right"] == [2] * 14


def test_described_gains_and_bands_are_those_that_are_taken(studio):
    paths = json.loads(DESCRIPTION.read_text())["paths"]
    properties = paths["/api/equalizer/gain"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    for gain in [properties["gain"]["minimum"], properties["gain"]["maximum"]]:
        assert post(studio, "equalizer/gain", {"band": 0, "gain": gain})[0] == 200
        assert post(studio, "equalizer/gain", {"band": 0, "gain": 1.01 * gain})[0] == 422
    last = properties["band"]["maximum"]
    filters = [f"Filter {band + 1}: ON PK Fc {20 * band + 20} Hz Gain 1 dB Q 1" for band in range(last + 2)]
    assert post(studio, "equalizer/import", {"text": "\n".join(filters)})[0] == 422
    assert post(studio, "equalizer/import", {"text": "\n".join(filters[:-1])})[0] == 200
    assert post(studio, "equalizer/gain", {"band": last, "gain": 2})[0] == 200
    assert post(studio, "equalizer/gain", {"band": last + 1, "gain": 2})[0] == 422


def test_a_folder_that_cannot_be_made_is_named_by_its_option(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    running = Studio("--recordings", str(tmp_path / "file" / "folder"))
    assert post(running, "sound/select", {"kind": "demo"})[0] == 200
    status, _, text = post(running, "recorder/start", {})
    assert status == 422 and "--recordings" in text and "Domain=" not in text and str(tmp_path) not in text, text
    assert running.stop() == 0


def test_actions_of_many_clients_do_not_meet(studio):
    assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
    actions = [("lights/start", {}), ("ticker/start", {"rate": 100}), ("lights/blackout", {"on": True}), ("lights/stop", {}), ("ticker/stop", {})]

    def one(number):
        action, value = actions[number % len(actions)]
        return action, post(studio, action, value)[0]

    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        results = list(pool.map(one, range(100)))
    # A blackout may come while nothing plays.
    assert all(status == 200 or action == "lights/blackout" and status == 422 for action, status in results), results
    for action in ["lights/stop", "ticker/stop"]:
        assert post(studio, action, {})[0] == 200
    assert not state(studio, "lights")["running"] and not state(studio, "ticker")["running"]


def test_random_arguments_are_never_a_fault_of_the_server(studio):
    actions = re.findall(r'= "(\w+/\w+)"', ACTIONS.read_text())
    assert len(actions) > 25
    draw = random.Random(1)
    keys = ["symbols", "rate", "kind", "name", "weighting", "time", "level", "size", "a4", "temperament", "instrument", "band", "gain",
            "channel", "left", "right", "bypassed", "text", "format", "paused", "bpm", "enabled", "playing", "on", "armed", "output", "window", "method", "beats", "color"]
    values = [None, True, False, 0, 1, -1, 440, 1e308, -1e308, 0.5, "", "x", "\0", "demo", "A", "F", "sacn:", "sacn:256.1.1.1", "../x", "💥" * 99,
              [], {}, [0] * 14, ["A", "B"], [[]], {"v": 1}]
    for _ in range(20):
        for action in actions:
            # Not the session of the network.
            body = {key: draw.choice(values) for key in draw.sample(keys, 4) if key != "enabled"}
            status, _, text = post(studio, action, body)
            assert status in (200, 422), (action, body, text)
    assert ask(studio, "healthz")[0] == 200


def test_what_is_refused_leaves_what_was_there(studio):
    assert post(studio, "ticker/start", {"symbols": ["A"], "rate": 50})[0] == 200
    assert post(studio, "lights/start", {})[0] == 200
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lamp:
        lamp.bind(("127.0.0.1", 0))
        output = f"sacn:127.0.0.1:{lamp.getsockname()[1]}"
        assert post(studio, "lights/arm", {"armed": True, "output": output})[0] == 200
        with client(studio) as watcher:
            states = json.loads(watcher.recv(timeout=PATIENCE))["states"]
            for action, value in [("ticker/start", {"symbols": ["", "B"]}), ("lights/arm", {"armed": True, "output": "sacn:256.1.1.1"})]:
                assert post(studio, action, value)[0] == 422
                while (message := json.loads(watcher.recv(timeout=PATIENCE)))["type"] != "state":
                    pass
                states[message["name"]] = message["state"]
        ticker = state(studio, "ticker")
        assert states["ticker"] == ticker and ticker["running"] and ticker["symbols"] == ["A"]
        assert state(studio, "lights")["output"] == states["lights"]["output"] == output
        # Starting what plays keeps its output and a blackout.
        assert post(studio, "lights/blackout", {"on": True})[0] == 200 and post(studio, "lights/start", {})[0] == 200
        now = state(studio, "lights")
        assert now["armed"] and now["blackout"]


def test_calibrating_twice_is_calibrating_once(studio):
    assert post(studio, "sound/select", {"kind": "demo"})[0] == 200
    with client(studio) as reader:
        reader.recv()
        send(reader, subscribe=["meter"])
        list(frames(reader, 3))
        results = [post(studio, "meter/calibrate", {"level": 94})[0] for _ in range(2)]
        # The second may come before the first reading of the calibrated meter.
        assert results[0] == 200 and results[1] in (200, 422)
        assert 94 <= state(studio, "meter")["offset"] < 200


def test_unknown_actions_and_bodies_are_refused(studio):
    assert post(studio, "ticker/explode", {})[0] == 404
    assert ask(studio, "api/ticker/start", b"{", Content_Type="application/json")[0] == 400
    assert ask(studio, "api/ticker/start", b" " * (65 << 10), Content_Type="application/json")[0] == 413


def test_a_browser_without_sound_is_not_recorded(studio):
    with client(studio) as browser:
        browser.recv()
        send(browser, id=1, do="sound/select", **{"with": {"kind": "browser"}})
        while "id" not in json.loads(browser.recv(timeout=PATIENCE)):
            pass
        status, _, text = post(studio, "recorder/start", {})
        assert status == 422 and "got none yet" in text, text


def is_of_accounts(path):
    return any("accounts" in each.get("tags", []) for each in path.values())


def test_the_description_has_every_route_of_accounts():
    paths = json.loads(DESCRIPTION.read_text())["paths"]
    described = {(method, path) for path, value in paths.items() if is_of_accounts(value) for method in value}
    routes = re.findall(r'on\(router, \.(\w+), "([^"]+)"', ROUTES.read_text())
    named = {(method, "/" + path.replace("**", "{name}").replace(":id", "{id}")) for method, path in routes}
    assert described == named and len(named) > 15


def test_the_description_has_every_action(studio):
    status, headers, text = ask(studio, "openapi.json")
    paths = json.loads(text)["paths"]
    described = {path.removeprefix("/api/") for path, value in paths.items() if path.count("/") == 3 and not is_of_accounts(value)}
    assert status == 200 and headers["Content-Type"] == "application/json" and described == set(re.findall(r'= "(\w+/\w+)"', ACTIONS.read_text()))


def test_no_request_is_a_fault_of_the_server(studio):
    # Not the session of the network, nor what does not end.
    command = [pathlib.Path(sys.executable).with_name("schemathesis"), "run", f"{studio.address}openapi.json", "--exclude-path", "/events",
               "--exclude-path", "/api/tempo/session", "--exclude-tag", "accounts", "--phases", "coverage,fuzzing", "--max-examples", "10", "--seed", "1", "--no-color",
               "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr
    assert ask(studio, "healthz")[0] == 200


def test_no_request_of_an_account_is_a_fault_of_the_server(tmp_path):
    running = start(tmp_path, "--limit", "network=100000:1", "--limit", "address=100000:1")
    ada = Person(running)
    assert ada.register()[0] == 201
    # Without a session, and with one; not what does not end, nor what would end the session at once.
    for headers in [[], ["--header", f"Cookie: {ada.cookie}"]]:
        command = [pathlib.Path(sys.executable).with_name("schemathesis"), "run", f"{running.address}openapi.json", "--include-tag", "accounts",
                   "--exclude-path", "/api/eq/events", "--exclude-path", "/api/logout", "--phases", "coverage,fuzzing", "--max-examples", "5",
                   "--seed", "1", "--no-color", *headers,
                   "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stdout[-3000:] + run.stderr
    assert running.stop() == 0
