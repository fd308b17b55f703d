"""What the programs write to standard error: as text, as objects, for the journal, and where nobody takes it."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess

import pytest

from accounts import Person, start
from client import PATIENCE, ask

FORMS = {"text": {}, "objects": {"RUSTLE_LOG_FORMAT": "json"}}


def run(*words, **variables):
    """The ended command."""
    return subprocess.run(
        [os.environ["RUSTLE_STUDIO"], *words], capture_output=True, text=True, env={**os.environ, **variables}, timeout=PATIENCE)


def test_messages_are_objects_and_have_levels_in_the_journal(studio, tmp_path):
    command = [os.environ["RUSTLE_STUDIO"], "--listen", f"127.0.0.1:{studio.port}", "--no-accounts"]

    def messages(is_journal, **variables):
        with open(tmp_path / "log", "w+") as log:
            # systemd names the journal by device and inode.
            status = os.fstat(log.fileno())
            stream = f"{status.st_dev}:{status.st_ino}" if is_journal else "1:2"
            subprocess.run(command, stderr=log, env={**os.environ, "JOURNAL_STREAM": stream, **variables}, timeout=PATIENCE)
            log.seek(0)
            return log.read().splitlines()

    words = f"cannot listen on 127.0.0.1:{studio.port}: Address already in use"
    assert messages(False)[-2:] == [f"error: {words}", "Try another port: --listen 127.0.0.1:0"]
    assert messages(True)[-2:] == [f"<3>error: {words}", "<3>Try another port: --listen 127.0.0.1:0"]
    objects = [json.loads(line) for line in messages(False, RUSTLE_LOG_FORMAT="json")]
    assert [objects[-1][name] for name in ["v", "level", "source", "message"]] == [1, "error", "rustle-studio", words]
    assert all(re.match("<[0-7]>{", line) for line in messages(True, RUSTLE_LOG_FORMAT="json"))


USAGE = {
    "an address": (["--listen", "foo"], "--listen: expected address:port such as 127.0.0.1:8420, got 'foo'"),
    "a show": (["--show", "/nope"], "cannot read /nope: check the path"),
    "a camera": (["--camera", "/nope"], "--camera: cannot read /nope: check the path"),
    "a feed": (["--feed", "foo"], "--feed: expected host:port or unix:/path, got 'foo'"),
    "prices": (["--prices", "/nope"], "--prices: cannot read /nope: check the path"),
    "a host": (["--allow-host", "http://x/"], "--allow-host: expected a host name such as studio.example, got 'http://x/'"),
    "an option": (["--nonsense"], "Unknown option '--nonsense'"),
    "an argument": (["account", "reset"], "Missing expected argument '<address>'"),
    "accounts": (["account", "disable", "a@b", "--accounts", "/nope"], "--accounts: expected a file of accounts at /nope"),
}


@pytest.mark.parametrize("wrong", USAGE)
def test_a_usage_error_is_a_message_as_any_other(wrong):
    words, message = USAGE[wrong]
    text, line = run(*words), run(*words, RUSTLE_LOG_FORMAT="json")
    assert text.returncode == line.returncode == 64 and text.stdout == line.stdout == ""
    lines = text.stderr.splitlines()
    assert lines[0] == f"error: {message}" and any(each.startswith("Usage: rustle-studio ") for each in lines), lines
    found = json.loads(line.stderr)
    assert [found[name] for name in ["v", "level", "source", "message"]] == [1, "error", "rustle-studio", message]


def test_what_somebody_asks_for_is_no_error():
    for words, beginning in [(["--help"], "OVERVIEW: "), (["--version"], "0."), (["account", "--help"], "OVERVIEW: ")]:
        ended = run(*words, RUSTLE_LOG_FORMAT="json")
        assert ended.returncode == 0 and ended.stdout.startswith(beginning) and ended.stderr == "", ended


def test_a_refusal_of_the_accounts_is_a_message_as_any_other(tmp_path):
    assert start(tmp_path).stop() == 0
    words = ["account", "disable", "ada@example.org", "--accounts", str(tmp_path / "inner" / "accounts.sqlite")]
    text, line = run(*words), run(*words, RUSTLE_LOG_FORMAT="json")
    assert text.returncode == line.returncode == 1
    found = json.loads(line.stderr)
    assert found["level"] == "error" and text.stderr == f"error: {found['message']}\n"
    with open("/dev/full", "w") as full:
        assert subprocess.run([os.environ["RUSTLE_STUDIO"], *words], stderr=full, timeout=PATIENCE).returncode == 1


@pytest.mark.parametrize("form", FORMS)
def test_messages_that_nobody_takes_end_nothing(tmp_path, form):
    """Each of them ended the server, whose standard error was full or a pipe without a reader."""
    reader, closed = os.pipe()
    os.close(reader)
    with open("/dev/full", "w") as full, os.fdopen(closed, "w") as pipe, socket.create_server(("127.0.0.1", 0)) as mails:
        mails.settimeout(PATIENCE)
        words = ["--mail-server", f"127.0.0.1:{mails.getsockname()[1]}", "--mail-sender", "studio@example.org"]
        for place, stream in enumerate([full, pipe]):
            running = start(tmp_path / str(place), *words, stderr=stream, env={**os.environ, **FORMS[form]})
            person = Person(running)
            assert person.register()[0] == 201
            for _ in range(2):
                assert person.do("POST", "api/password/forgot", {"email": "ada@example.org"})[0] == 202
            # It sends one mail after the other: before the second one it has written that the first one was not sent.
            for _ in range(2):
                mails.accept()[0].close()
            taken = [os.environ["RUSTLE_STUDIO"], "--no-accounts", "--listen", f"127.0.0.1:{running.port}"]
            assert subprocess.run(taken, stderr=stream, env={**os.environ, **FORMS[form]}, timeout=PATIENCE).returncode == 69
            assert ask(running, "healthz")[0] == 200
            assert running.stop() == 0


def test_a_link_that_nobody_takes_is_an_error(tmp_path):
    running = start(tmp_path)
    assert Person(running).register()[0] == 201
    assert running.stop() == 0
    words = [os.environ["RUSTLE_STUDIO"], "account", "reset", "ada@example.org", "--accounts", str(tmp_path / "inner" / "accounts.sqlite")]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert ended.returncode == 1 and ended.stderr.startswith("error: cannot write the link to standard output\n"), ended


def test_an_address_that_nobody_takes_is_a_warning():
    with open("/dev/full", "w") as full:
        process = subprocess.Popen([os.environ["RUSTLE_STUDIO"], "--no-accounts", "--listen", "127.0.0.1:0"], stdout=full, stderr=subprocess.PIPE, text=True)
        with contextlib.closing(process.stderr) as errors:
            assert errors.readline() == "warning: cannot write the page's address to standard output\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
