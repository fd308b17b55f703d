"""Prices of a simulated market, a recording and a live feed."""

import contextlib
import itertools
import json
import re
import socket
import threading
import time

from playwright.sync_api import expect

from client import PATIENCE, post, state
from conftest import Studio
from page import open_screen, until, until_still, wait_until
from rig import wait


def received(studio):
    """How many prices of each symbol have come."""
    return [each["received"] for each in json.loads(post(studio, "ticker/prices", {})[2])["result"]["prices"]]


def test_prices_start_and_stop_for_everybody(open_page, studio):
    first, second = open_page(), open_page("prices")
    first.get_by_role("button", name="Start").click()
    until(first, "+document.getElementById('n').value > 50")
    until(first, "Math.abs(document.getElementById('rate').value - 100) <= 20")
    quotes = first.get_by_role("list", name="Newest prices").get_by_role("listitem")
    expect(quotes).to_have_text([re.compile(rf"^{symbol}\$\d+\.\d\d[▲▼] \d+\.\d\d %$") for symbol in ["BTC", "ETH", "SOL"]])
    expect(second.locator("tbody tr")).to_have_count(3)
    expect(second.locator("tbody tr").first.locator("td").nth(1)).to_have_text(re.compile(r"^\$\d+\.\d\d$"))
    second.get_by_role("button", name="Stop").click()
    expect(first.get_by_role("button", name="Start")).to_be_visible()
    before = received(studio)
    until_still(first, "document.getElementById('n').value")
    assert sum(before) > 50 and received(studio) == before


def test_what_is_chosen_and_shown_while_prices_are_stopped_stays(open_page, studio):
    page = open_page("prices")
    interval = page.get_by_label("Interval")
    interval.select_option("60")
    page.get_by_label("Report a price above or below").fill("BTC>0.01")
    page.get_by_role("button", name="Set").click()
    wait(lambda: state(studio, "ticker")["thresholds"])
    page.get_by_role("button", name="Start").click()
    until(page, "document.querySelector('tbody td:nth-child(5)').textContent > 2")
    assert state(studio, "ticker")["interval"] == 60
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    until_still(page, "document.querySelector('tbody td:nth-child(5)').textContent")
    expected = page.locator("tbody tr").first.locator("td").nth(1).inner_text()
    page.reload()
    expect(page.locator("tbody tr").first.locator("td").nth(1)).to_have_text(expected)


def test_candles_and_alerts_are_those_of_all_pages(open_page, studio):
    page = open_page("prices")
    page.get_by_label("Updates per second of each").fill("50")
    page.get_by_label("Interval").select_option("1")
    page.get_by_role("button", name="Start").click()
    candle = page.get_by_label("Newest candle")
    expect(candle).to_have_text(re.compile(r"^\d\d:\d\d:\d\d " + " ".join(rf"{name} \$\d+\.\d\d" for name in ["open", "high", "low", "close"]) + r", \d+ trades$"))
    text = candle.inner_text()
    high, low = [float(re.search(rf"{name} \$([\d.]+)", text)[1]) for name in ["high", "low"]]
    assert high >= low > 0
    page.get_by_label("Report a price above or below").fill("BTC>0.01, ETH<0.01")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_role("log").locator("li")).to_have_count(1)
    expect(page.get_by_role("log")).to_contain_text("is at or above 0.01")
    page.get_by_label("Report a price above or below").fill("BTC over 1")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_role("alert")).to_contain_text("such as BTC>100")
    # Another page has the candles and alerts of before.
    other = open_page("prices")
    expect(other.get_by_role("log").locator("li")).to_have_count(1)
    for _ in range(150):
        status, _, text = post(studio, "ticker/candles", {"symbol": "BTC"})
        candles = json.loads(text)["result"]["candles"]
        if len(candles) >= 2:
            break
        page.wait_for_timeout(100)
    assert status == 200 and len(candles) >= 2
    assert all(each["start"] % 1000 == 0 for each in candles)
    assert all(later["start"] > earlier["start"] for earlier, later in zip(candles, candles[1:]))
    assert all(each["low"] <= min(each["open"], each["close"]) and each["high"] >= max(each["open"], each["close"]) for each in candles)
    assert all(1 <= each["trades"] <= 100 for each in candles), candles


def test_prices_are_pushed_with_their_rate_and_lag_or_pulled(open_page, studio):
    page = open_page("prices")
    page.get_by_label("Updates per second of each").fill("50")
    page.get_by_role("button", name="Start").click()
    until(page, "Math.abs(parseFloat(document.querySelector('[aria-label=\"Updates per second\"]').value) - 150) < 15")
    # Each is shown as soon as it is there.
    until(page, "Math.abs(parseFloat(document.querySelector('[aria-label=Lag]').value)) < 50")
    page.get_by_role("button", name="On request").click()
    price = page.locator("tbody tr").first.locator("td").nth(4)
    # What had come is drawn.
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    before = int(price.inner_text())
    wait_until(page, lambda: received(studio)[0] > before + 20)
    assert int(price.inner_text()) == before and page.get_by_label("Updates per second", exact=True).inner_text() == "–"
    expect(page.locator("#connection")).to_have_text("Live")
    page.get_by_role("button", name="Get the prices").click()
    expect(price).not_to_have_text(str(before))
    now = int(price.inner_text())
    assert before + 20 < now
    page.get_by_role("button", name="As they change").click()
    expect(price).not_to_have_text(str(now))
    expect(page.get_by_role("button", name="Get the prices")).to_be_hidden()


def test_what_is_changed_while_prices_run_holds_at_once(open_page, studio):
    page, other = open_page("prices"), open_page("prices")
    page.get_by_role("button", name="Start").click()
    for each in [page, other]:
        expect(each.get_by_role("button", name="Stop")).to_be_visible()
    symbols = page.get_by_label("Symbols", exact=True)
    symbols.fill("GOLD")
    # What another page changes leaves what is being typed.
    other.get_by_label("Interval").select_option("60")
    wait(lambda: state(studio, "ticker")["interval"] == 60)
    expect(page.get_by_label("Interval")).to_have_value("60")
    expect(symbols).to_have_value("GOLD")
    symbols.press("Enter")
    wait(lambda: state(studio, "ticker")["symbols"] == ["GOLD"])
    page.get_by_label("Updates per second of each").fill("40")
    page.get_by_label("Updates per second of each").press("Tab")
    wait(lambda: state(studio, "ticker")["rate"] == 40)
    expect(other.locator("tbody tr")).to_have_count(1)


def test_prices_that_are_asked_for_are_those_of_now(studio):
    assert json.loads(post(studio, "ticker/prices", {})[2])["result"] == {"prices": [], "lag": None, "missed": 0}
    assert post(studio, "ticker/start", {"symbols": ["A", "B"], "rate": 100})[0] == 200
    wait(lambda: len(counts := received(studio)) == 2 and min(counts) > 20)
    result = json.loads(post(studio, "ticker/prices", {})[2])["result"]
    assert [each["symbol"] for each in result["prices"]] == ["A", "B"] and abs(result["lag"]) < 1000
    assert all(each["received"] > 20 and float(each["text"]) == each["price"] for each in result["prices"])


def trades(count, start=1_700_000_000_000):
    return [json.dumps({"symbol": "GOLD" if place % 2 else "ÄRT", "price": f"{1 + place / 1000:.5f}", "t_ms": start + 10 * place})
            for place in range(count)]


def choose(page, source):
    page.get_by_label("Source").select_option(label=source)
    page.get_by_label("Symbols").fill("")
    page.get_by_role("button", name="Start").click()


def test_a_recording_is_played_to_its_end(browser, tmp_path):
    recording = tmp_path / "trades.ndjson"
    recording.write_text("\n".join(trades(100)) + "\n")
    studio = Studio("--prices", str(recording))
    page = browser.new_context().new_page()
    open_screen(page, studio.address, "prices")
    choose(page, "Recording: trades.ndjson")
    expect(page.get_by_role("row").filter(has_text="ÄRT").locator("td").nth(1)).to_have_text("1.09800")
    expect(page.get_by_role("row").filter(has_text="GOLD").locator("td").nth(4)).to_have_text("50")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    # What was recorded has no lag.
    expect(page.get_by_label("Lag")).to_have_text("–")
    page.context.close()
    assert studio.stop() == 0


@contextlib.contextmanager
def live(browser, trades):
    """A studio that follows a feed, and its page: each client of the feed gets those trades, one each 20 ms."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as client:
                        for line in trades():
                            client.sendall(line.encode() + b"\n")
                            time.sleep(0.02)

        threading.Thread(target=serve, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        studio = Studio("--feed", address)
        page = browser.new_context().new_page()
        open_screen(page, studio.address, "prices")
        choose(page, f"Live: {address}")
        expect(page.get_by_text(f"connected to {address}")).to_be_visible()
        yield studio, page
        page.context.close()
        assert studio.stop() == 0


def test_a_live_feed_is_shown_with_its_connection(browser):
    with live(browser, lambda: trades(1_000, int(time.time() * 1000))) as (_, page):
        until(page, "document.querySelectorAll('tbody tr').length === 2 && Number(document.querySelector('tbody tr td:nth-child(5)').textContent) > 20")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Start")).to_be_visible()


def test_thresholds_that_are_typed_stay_while_alerts_come(browser):
    # Each trade crosses 100.
    crossing = lambda: (json.dumps({"symbol": "A", "price": f"{99.5 + place % 2}"}) for place in itertools.count())
    with live(browser, crossing) as (studio, page):
        assert post(studio, "ticker/thresholds", {"thresholds": ["A>100", "A<100"]})[0] == 200
        field, log = page.get_by_label("Report a price above or below"), page.get_by_role("log")
        expect(field).to_have_value("A>=100, A<=100")
        field.fill("A<100, A>100")
        field.press("Enter")
        # As the server writes them.
        expect(field).to_have_value("A<=100, A>=100")
        field.fill("A>1000, A<100, A>100")
        field.press("Tab")
        # States come meanwhile.
        before = log.inner_text()
        expect(log).not_to_have_text(before, use_inner_text=True)
        page.keyboard.press("Enter")
        expect(field).to_have_value(re.compile("^A>=1000, "))
        page.get_by_role("button", name="Pause").click()
        # What is read out may be a second behind; then it stands still, while alerts go on.
        deadline = time.monotonic() + PATIENCE
        while True:
            held, alerts = log.inner_text(), state(studio, "ticker")["alerts"]
            page.wait_for_timeout(1500)
            if state(studio, "ticker")["alerts"] != alerts and log.inner_text() == held:
                break
            assert time.monotonic() < deadline
        page.get_by_role("button", name="Resume").click()
        expect(log).not_to_have_text(held, use_inner_text=True)
