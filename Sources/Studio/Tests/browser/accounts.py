"""What the tests of accounts use: a server with a file of accounts of its own, and a person with cookies."""

import http.cookies
import json
import os
import pathlib
import subprocess
import threading

from client import ask
from conftest import Studio

PASSWORD = "neither long nor short"
# A hash of the lowest cost; as many accounts and saves as a test wants.
CHEAP = ["--hash-cost", "8:1", "--limit", "sign-up=10000:1", "--limit", "save=10000:1"]


class Person:
    """A client that keeps the cookie of its session."""

    def __init__(self, studio, **headers):
        self.studio, self.headers, self.cookie = studio, headers, None

    def do(self, method, path, value=None, **headers):
        """Status, headers and JSON of an answer."""
        headers = {**self.headers, **headers}
        if self.cookie:
            headers["Cookie"] = self.cookie
        if value is not None:
            headers["Content_Type"] = "application/json"
        elif method == "POST":
            headers["Content_Type"], value = "application/json", {}
        body = None if value is None else json.dumps(value).encode()
        status, answer, text = ask(self.studio, path, body, method=method, **headers)
        for line in answer.get_all("Set-Cookie") or []:
            name, morsel = next(iter(http.cookies.SimpleCookie(line).items()))
            if "rustle_session" in name:
                self.cookie = f"{name}={morsel.value}" if morsel.value else None
        return status, answer, json.loads(text) if answer.get_content_type() == "application/json" and text else None

    def register(self, email="ada@example.org", password=PASSWORD):
        return self.do("POST", "api/register", {"email": email, "password": password})

    def log_in(self, email="ada@example.org", password=PASSWORD):
        return self.do("POST", "api/login", {"email": email, "password": password})

    @property
    def is_signed_in(self):
        return self.do("GET", "api/account")[2]["email"] is not None

    def save(self, revision, value=0.0, device="test"):
        return self.do("PUT", "api/eq", {"rev": revision, "bands": [value] * 28, "device": device})


def start(folder, *arguments, **options):
    return Studio("--accounts", str(folder / "inner" / "accounts.sqlite"), *CHEAP, *arguments, **options)


def process_of(running):
    """What every user of the machine sees of a program."""
    return [pathlib.Path(f"/proc/{running.process.pid}/{name}").read_text() for name in ["cmdline", "environ"]]


def link_of(folder, running, email="ada@example.org"):
    """A link for a new password, as the terminal has it."""
    result = subprocess.run(
        [os.environ["RUSTLE_STUDIO"], "account", "reset", email, "--accounts", str(folder / "inner" / "accounts.sqlite"),
         "--public-address", f"http://127.0.0.1:{running.port}"], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    return result.stdout.strip()


def at_once(work, count):
    """The results of calls in so many threads."""
    results, barrier = [None] * count, threading.Barrier(count)

    def run(place):
        barrier.wait()
        results[place] = work(place)

    threads = [threading.Thread(target=run, args=[place]) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
