"""Signing in by OpenID Connect: a provider of django-oauth-toolkit in a browser, and one that lies."""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from random import Random

import pytest
from playwright.sync_api import expect, sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "browser"))

import django_provider
import liar
from accounts import PASSWORD, Person, process_of, start
from client import PATIENCE, ask
from page import Visit, until
from test_account_mail import mailing, notices

expect.set_options(timeout=PATIENCE * 1000)

# Why each is refused.
LIES = {"wrong key": "signature", "none": "alg", "HS256": "alg", "RS512": "alg", "other algorithm": "alg", "changed": "signature", "kid": "kid", "other key": "kid",
        "iss": "iss", "aud": "aud", "two audiences": "azp", "azp": "azp", "expired": "exp", "issued later": "iat", "nonce": "nonce", "no nonce": "nonce",
        "no subject": "sub", "endless keys": "expected at most 262144 bytes", "redirection": "token: status 302", "silence": "expected an answer",
        "no JSON": "token: status 200"}
# What is not as usual: each alone, and all at once.
SHAPES = {"ES256": {"algorithm": "ES256"}, "post": {"authentication": liar.POST}, "endpoints": {"has_discovery": False}}
SHAPES["all"] = {name: value for shape in SHAPES.values() for name, value in shape.items()}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.fixture(autouse=True)
def no_redirections():
    """A redirection is an answer to look at."""
    urllib.request.install_opener(urllib.request.build_opener(NoRedirection))
    yield
    urllib.request.install_opener(None)


def configured(folder, configuration, *options, **more):
    path = folder / "providers.json"
    path.write_text(json.dumps({"test": configuration}))
    port = free_port()
    arguments = ["--providers", str(path), "--public-address", f"http://127.0.0.1:{port}", "--limit", "network=10000:1"]
    return start(folder, *arguments, *options, port=port, **more)


@pytest.fixture
def provider(request):
    one = liar.Liar(**getattr(request, "param", {}))
    yield one
    one.stop()


@pytest.fixture
def studio(tmp_path, provider):
    running = configured(tmp_path, provider.configuration)
    yield running
    assert running.stop() == 0


def begin(person, path="auth/login"):
    """Sets out for the provider: where to."""
    status, headers, _ = person.do("GET", path)
    assert status == 302, status
    login = [line for line in headers.get_all("Set-Cookie") if line.startswith(f"rustle_login_{person.studio.port}=")][0]
    assert "HttpOnly; SameSite=Lax" in login
    person.login = login.split(";")[0]
    return headers["Location"]


def come_back(person, query, login=True):
    """Arrives at the callback: status and headers."""
    session = person.cookie
    person.cookie = "; ".join(filter(None, [session, person.login if login else None])) or None
    both = person.cookie
    status, headers, _ = person.do("GET", "auth/cb?" + urllib.parse.urlencode(query))
    if person.cookie == both:
        person.cookie = session
    return status, headers


def sign_in(person, provider, path="auth/login"):
    return come_back(person, provider.authorize(begin(person, path)))


def refusals(folder):
    database = sqlite3.connect(folder / "inner" / "accounts.sqlite")
    return [what for [what] in database.execute("SELECT what FROM audit WHERE what LIKE 'provider refused%' ORDER BY id")]


def test_over_https_the_cookie_of_a_sign_in_is_of_the_host(tmp_path, provider):
    running = configured(tmp_path, provider.configuration, "--trusted-proxy", "127.0.0.1")
    headers = Person(running, X_Forwarded_Proto="https").do("GET", "auth/login")[1]
    [cookie] = headers.get_all("Set-Cookie")
    assert cookie.startswith(f"__Host-rustle_login_{running.port}=") and cookie.endswith("; Secure")
    assert running.stop() == 0


def test_an_identity_gets_an_account_and_comes_back_to_it(studio, provider):
    ada = Person(studio)
    status, headers = sign_in(ada, provider, "auth/login?provider=test&return=/%23/equalizer")
    assert (status, headers["Location"]) == (302, "/?new#/equalizer") and ada.is_signed_in
    shown = ada.do("GET", "api/account")[2]
    assert shown["password"] is False and shown["verified"] is True and ada.save(0, 3)[0] == 200
    again = Person(studio)
    status, headers = sign_in(again, provider)
    assert (status, headers["Location"]) == (302, "/#/account") and again.do("GET", "api/eq")[2]["rev"] == 1
    assert again.do("GET", "api/account/export")[2]["identities"] == [{"issuer": provider.issuer, "subject": "7"}]
    # Elsewhere nobody is led.
    for path in ["//evil.example", "https://evil.example", "/\\evil.example"]:
        status, headers = sign_in(Person(studio), provider, "auth/login?return=" + urllib.parse.quote(path))
        assert headers["Location"] == "/#/account"


def test_an_address_links_nothing(studio, provider):
    ada = Person(studio)
    assert ada.register()[0] == 201
    stranger = Person(studio)
    assert sign_in(stranger, provider)[0] == 409 and not stranger.is_signed_in
    provider.lie = "unverified"
    assert sign_in(stranger, provider)[0] == 302
    assert stranger.do("GET", "api/account")[2]["email"] == "7@127.0.0.1"
    assert not stranger.do("GET", "api/account")[2]["verified"]
    assert Person(studio).do("POST", "api/identities", {"provider": "test", "password": ""})[0] == 401


def test_an_account_links_an_identity(studio, provider):
    ada = Person(studio)
    assert ada.register()[0] == 201
    assert ada.do("POST", "api/identities", {"provider": "test", "password": "another password"})[0] == 401
    _, headers, body = ada.do("POST", "api/identities", {"provider": "test", "password": PASSWORD})
    ada.login = headers["Set-Cookie"].split(";")[0]
    assert come_back(ada, provider.authorize(body["location"]))[0] == 302
    other = Person(studio)
    assert sign_in(other, provider)[0] == 302 and other.do("GET", "api/account")[2]["email"] == "ada@example.org"
    [identity] = ada.do("GET", "api/identities")[2]["identities"]
    assert ada.do("DELETE", "api/identities", identity)[0] == 400
    assert ada.do("DELETE", "api/identities", {**identity, "password": "another password"})[0] == 401
    assert ada.do("GET", "api/identities")[2]["identities"] == [identity]
    assert ada.do("DELETE", "api/identities", {**identity, "password": PASSWORD})[0] == 204
    assert ada.do("GET", "api/identities")[2]["identities"] == []


@pytest.fixture
def mailed(tmp_path, provider):
    """A studio that mails, and what its mail server gets."""
    with mailing(lambda *options: configured(tmp_path, provider.configuration, *options)) as both:
        yield both


def test_a_linked_sign_in_is_mailed(mailed, provider):
    running, keeper = mailed
    ada = Person(running)
    assert ada.register()[0] == 201
    # The second time it is no news.
    for _ in range(2):
        _, headers, body = ada.do("POST", "api/identities", {"provider": "test", "password": PASSWORD})
        ada.login = headers["Set-Cookie"].split(";")[0]
        assert come_back(ada, provider.authorize(body["location"]))[0] == 302
    identity = {"issuer": provider.issuer, "subject": "7", "password": PASSWORD}
    assert ada.do("DELETE", "api/identities", identity)[0] == 204
    assert [text.split(".")[0] for text in notices(keeper, 2, running.address)] == ["A sign-in by http://127", "The sign-in by http://127"]
    assert "was linked with your account" in keeper.mails[0].content.decode()


def test_an_account_of_a_provider_without_an_address_gets_no_mail(mailed, provider):
    running, keeper = mailed
    provider.lie = "unverified"
    nobody, ada = Person(running), Person(running)
    assert sign_in(nobody, provider)[0] == 302 and ada.register()[0] == 201
    assert nobody.do("POST", "api/password", {"current": "", "new": "analytical engine"})[0] == 204
    assert ada.do("POST", "api/password", {"current": PASSWORD, "new": "analytical engine"})[0] == 204
    keeper.wait_for(1)
    assert [each.rcpt_tos for each in keeper.mails] == [["ada@example.org"]]


def test_ways_back_are_limited(tmp_path, provider):
    running = configured(tmp_path, provider.configuration, "--limit", "network=3:3600")
    assert [Person(running).do("GET", "auth/cb?state=x&code=y")[0] for _ in range(5)] == [400] * 3 + [429] * 2
    assert len(refusals(tmp_path)) == 3
    assert running.stop() == 0


def test_a_fault_of_the_file_is_a_page_for_a_person(studio, provider, tmp_path):
    ada = Person(studio)
    query = provider.authorize(begin(ada))
    with contextlib.closing(sqlite3.connect(tmp_path / "inner" / "accounts.sqlite", timeout=30)) as database, database:
        database.execute("DROP TABLE identity")
    status, headers = come_back(ada, query)
    assert (status, headers.get_content_type()) == (500, "text/html")


@pytest.mark.parametrize("provider", SHAPES.values(), ids=SHAPES, indirect=True)
def test_a_provider_of_another_shape_signs_in(studio, provider):
    ada, again = Person(studio), Person(studio)
    assert sign_in(ada, provider)[0] == 302 and ada.save(0, 3)[0] == 200
    assert sign_in(again, provider)[0] == 302 and again.do("GET", "api/eq")[2]["rev"] == 1


@pytest.mark.parametrize("provider,change,status,reason", [
    # Tokens of the other algorithm by the provider's own key.
    ({}, {"algorithm": "ES256"}, 400, "alg"), (SHAPES["ES256"], {"algorithm": "RS256"}, 400, "alg"),
    # A secret that is not where the provider looks for it.
    ({}, {"authentication": liar.POST}, 400, "token: status 400"), (SHAPES["post"], {"authentication": liar.BASIC}, 400, "token: status 400"),
    (SHAPES["post"], {"secret": "another"}, 400, "token: status 400"),
    # Without discovery the addresses are to be there.
    (SHAPES["endpoints"], {"endpoints": None}, 503, None),
], indirect=["provider"])
def test_a_provider_of_another_shape_than_configured_is_refused(tmp_path, provider, change, status, reason):
    running = configured(tmp_path, provider.configuration | change)
    person = Person(running)
    if reason:
        assert sign_in(person, provider)[0] == status and not person.is_signed_in
    else:
        assert person.do("GET", "auth/login")[0] == status
    assert refusals(tmp_path) == ([f"provider refused: {reason}"] if reason else [])
    assert running.stop() == 0


@pytest.mark.parametrize("change", [
    {"algorithm": "HS256"}, {"algorithm": "none"}, {"authentication": "none"}, {"endpoints": {"token_endpoint": "https://127.0.0.1/token"}},
    *({"endpoints": {name: "http://192.0.2.1/x" if name == bad else "https://192.0.2.1/x" for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"]}}
      for bad in ["authorization_endpoint", "token_endpoint", "jwks_uri"])])
def test_a_configuration_that_is_not_safe_is_refused(tmp_path, provider, change):
    path = tmp_path / "providers.json"
    path.write_text(json.dumps({"test": provider.configuration | change}))
    result = subprocess.run(
        [os.environ["RUSTLE_STUDIO"], "--listen", "127.0.0.1:0", "--accounts", str(tmp_path / "accounts.sqlite"), "--providers", str(path),
         "--public-address", "http://127.0.0.1:1"], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode != 0 and "--providers: " in result.stderr and liar.SECRET not in result.stderr


@pytest.mark.parametrize("provider,lie", [
    *(({}, lie) for lie in LIES), *((SHAPES["all"], lie) for lie, reason in LIES.items() if lie != "RS512" and reason in ["alg", "kid", "signature", "iss"]),
], indirect=["provider"])
def test_a_lie_is_refused(studio, provider, tmp_path, lie):
    provider.lie = lie
    person = Person(studio)
    status, headers = sign_in(person, provider)
    assert (status, headers.get_content_type()) == (400, "text/html") and not person.is_signed_in
    assert refusals(tmp_path) == [f"provider refused: {LIES[lie]}"]
    assert sqlite3.connect(tmp_path / "inner" / "accounts.sqlite").execute("SELECT COUNT(*) FROM session").fetchone() == (0,)
    provider.lie = None
    if lie not in ("kid", "endless keys"):
        assert sign_in(person, provider)[0] == 302 and person.is_signed_in


def test_keys_that_are_not_known_are_asked_for_once_in_a_while(studio, provider):
    provider.lie = "kid"
    for _ in range(5):
        assert sign_in(Person(studio), provider)[0] == 400
    assert provider.key_requests <= 2


def test_a_discovery_of_another_issuer_is_refused(studio, provider):
    provider.lie = "discovery"
    assert Person(studio).do("GET", "auth/login")[0] == 503
    provider.lie = None
    assert sign_in(Person(studio), provider)[0] == 302


def test_a_sign_in_is_of_one_browser_and_once(studio, provider, tmp_path):
    def attempt(change):
        person = Person(studio)
        query = provider.authorize(begin(person))
        login = change(query, person)
        status, _ = come_back(person, query, login=login is not False)
        assert status == 400 and not person.is_signed_in

    attempt(lambda query, person: query.update(state="forged"))
    attempt(lambda query, person: query.pop("state"))
    attempt(lambda query, person: False)
    attempt(lambda query, person: setattr(person, "login", f"rustle_login_{person.studio.port}=" + "A" * 43))
    attempt(lambda query, person: query.update(iss=provider.issuer + "/"))
    attempt(lambda query, person: query.update(error="access_denied"))
    attempt(lambda query, person: query.pop("code"))
    # The state of another browser.
    other = provider.authorize(begin(Person(studio)))
    attempt(lambda query, person: query.update(state=other["state"]))
    person = Person(studio)
    query = provider.authorize(begin(person))
    query["iss"] = provider.issuer
    assert come_back(person, query)[0] == 302
    provider.codes[query["code"]] = provider.codes.get(query["code"], {})
    assert come_back(person, query)[0] == 400
    assert len(refusals(tmp_path)) == 9


def test_no_state_but_the_own_one_ends_a_sign_in(studio, provider):
    random, person = Random(1), Person(studio)
    for _ in range(100):
        query = provider.authorize(begin(person))
        state, place = query["state"], random.randrange(43)
        noise = "".join(chr(random.randrange(1, 0x3000)) for _ in range(random.randrange(1, 60)))
        query["state"] = random.choice([noise, state[:place], state[:place] + noise + state[place:], state + state, state.swapcase(), ""])
        status, headers = come_back(person, query)
        assert (status, headers.get_content_type()) == (400, "text/html"), query["state"]
    assert not person.is_signed_in


@pytest.fixture
def page(studio):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{studio.address}#/account")
        page.get_by_role("link", name="Continue with Test").wait_for()
        yield page
        browser.close()


def continue_with(page):
    page.goto(page.url.partition("#")[0] + "#/account")
    page.get_by_role("link", name="Continue with Test").click()


@pytest.mark.parametrize("lie,text", [("nonce", "did not succeed. Begin again."), (None, "Your address has an account here already.")])
def test_a_person_is_told_on_the_page_why_a_sign_in_failed(studio, provider, page, lie, text):
    provider.lie = lie
    if not lie:
        assert Person(studio).register()[0] == 201
    continue_with(page)
    expect(page.locator("#done")).to_contain_text(text)
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    assert page.url.endswith("/#/account")


def test_a_sign_up_by_a_provider_takes_the_page_along(studio, provider, page):
    def set_pitch(pitch):
        page.goto(page.url.partition("#")[0] + "#/tuner")
        page.get_by_label("A4 in Hz").fill(pitch)
        page.keyboard.press("Enter")
        until(page, f"fetch('/api/state').then((answer) => answer.json()).then(({{ states: {{ tuner }} }}) => tuner.a4 === {pitch})")

    page.locator("#connection[data-state=live]").wait_for()
    set_pitch("443")
    continue_with(page)
    page.get_by_role("heading", name="Signed in").wait_for()
    assert page.url.endswith("/#/account")
    page.goto(page.url.partition("#")[0] + "#/tuner")
    expect(page.locator(".account-bar p").first).to_contain_text("revision 1")
    # Who comes back to an account is asked.
    page.goto(page.url.partition("#")[0] + "#/account")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Log in").wait_for()
    # Anew, as the connection of the session ends at any moment.
    page.reload()
    page.locator("#connection[data-state=live]").wait_for()
    set_pitch("445")
    continue_with(page)
    page.get_by_role("heading", name="Signed in").wait_for()
    page.goto(page.url.partition("#")[0] + "#/tuner")
    expect(page.locator(".account-bar p").first).to_contain_text("Your account has other settings")


def test_a_page_links_a_provider_by_the_password(studio, provider, page):
    def fill(title, **values):
        form = page.locator("form", has=page.get_by_role("heading", name=title, exact=True))
        for label, value in values.items():
            form.get_by_label(label.replace("_", " ")).fill(value)
        form.locator("button[type=submit]").click()
        return form

    fill("Sign up", **{"E-mail address": "bob@example.org", "Password": PASSWORD})
    page.get_by_role("heading", name="Signed in").wait_for()
    form = fill("Link Test", Password="another password")
    expect(form.locator("#link-test-password")).to_have_attribute("aria-invalid", "true")
    linked = page.get_by_role("heading", name="Linked sign-ins")
    expect(linked).to_be_hidden()
    fill("Link Test", Password=PASSWORD)
    expect(linked).to_be_visible()
    expect(page.get_by_role("button", name=f"Remove 7 of {provider.issuer}")).to_be_visible()


def test_secrets_of_a_sign_in_are_nowhere(tmp_path, provider):
    with open(tmp_path / "errors", "w") as errors:
        running = configured(tmp_path, provider.configuration, stderr=errors)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            visits = []
            for lie in ["nonce", "wrong key", "no JSON", None]:
                provider.lie = lie
                visit = Visit(browser.new_context(), f"{running.address}#/account")
                visit.page.get_by_role("link", name="Continue with Test").click()
                visit.page.get_by_role("heading", name="Signed in").wait_for() if not lie else expect(visit.page.locator("#done")).to_contain_text("did not succeed")
                visits.append(visit)
            export = json.dumps(visit.page.evaluate("fetch('api/account/export').then((answer) => answer.json())"))
            cookies = [cookie["value"] for cookie in visit.page.context.cookies()]
            seen = [export, *process_of(running), ask(running, "metrics")[2]]
            # The ways to the provider and back have to have them, in addresses that no page is left with and that are no referrers.
            passed = ["/o/authorize?", "/auth/cb?"]
            assert all(any(part in each.url for visit in visits for each in visit.requests) for part in passed)
            seen += [text for visit in visits for text in visit.seen() if not any(part in text for part in passed)]
            ends = [entry for visit in visits for entry in visit.history()]
            referrers = [each.all_headers().get("referer", "") for visit in visits for each in visit.requests]
            browser.close()
        assert running.stop() == 0
    seen += [running.process.stdout.read(), (tmp_path / "errors").read_text(), *ends, *referrers]
    assert len(provider.secrets) == 2 + 3 * 4 + 4 + 3 and len(cookies) == 1
    for text in seen:
        assert not any(secret in text for secret in [*provider.secrets, *cookies]), text[:300]
    for path in (tmp_path / "inner").iterdir():
        data = path.read_bytes()
        assert not any(secret.encode() in data for secret in [*provider.secrets, *cookies]), path


def exchange(page, port, studio, verifier, sent):
    """Status and answer of django-oauth-toolkit to a code with a verifier, which may be another one than the code was asked for with."""
    back = f"http://127.0.0.1:{studio.port}/auth/cb"
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = {"response_type": "code", "client_id": django_provider.CLIENT, "redirect_uri": back, "scope": "openid", "state": "x",
             "code_challenge": challenge, "code_challenge_method": "S256"}
    # The page itself would go on from the callback, to say that it began no such sign-in.
    answer = page.context.request.get(f"http://127.0.0.1:{port}/o/authorize/?{urllib.parse.urlencode(query)}", max_redirects=0)
    [code] = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)["code"]
    body = {"grant_type": "authorization_code", "client_id": django_provider.CLIENT, "client_secret": django_provider.SECRET,
            "code": code, "redirect_uri": back}
    if sent:
        body["code_verifier"] = sent
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/o/token/", urllib.parse.urlencode(body).encode()) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_django_oauth_toolkit(tmp_path):
    port = free_port()
    studio = configured(tmp_path, {"name": "Test", "issuer": f"http://127.0.0.1:{port}/o", "client": django_provider.CLIENT, "secret": django_provider.SECRET})
    environment = {**os.environ, "PROVIDER_DATABASE": str(tmp_path / "provider.sqlite"), "OAUTHLIB_INSECURE_TRANSPORT": "1"}
    provider = subprocess.Popen(
        [sys.executable, django_provider.__file__, str(port), f"http://127.0.0.1:{studio.port}/auth/cb"], env=environment)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/o/.well-known/openid-configuration").read()
                break
            time.sleep(0.2)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"{studio.address}#/account")
            page.get_by_role("link", name="Continue with Test").click()
            page.get_by_label("User").fill(django_provider.USER)
            page.get_by_label("Password").fill(django_provider.PASSWORD)
            page.get_by_role("button", name="Enter").click()
            page.get_by_role("heading", name="Signed in").wait_for()
            # Without the verifier the real provider refuses the code.
            verifier = "v" * 43
            assert [exchange(page, port, studio, verifier, sent)[0] for sent in [verifier, "w" * 43, None]] == [200, 400, 400]
            browser.close()
        assert sqlite3.connect(tmp_path / "inner" / "accounts.sqlite").execute("SELECT COUNT(*) FROM identity").fetchone() == (1,)
    finally:
        provider.terminate()
        provider.wait()
        assert studio.stop() == 0
