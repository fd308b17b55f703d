"""What the tests of the page use."""

import time


def number(page, selector):
    return float(page.locator(selector).inner_text().replace("−", "-"))


def until(page, expression, seconds=5):
    """Waits until an expression is true; Playwright's own wait needs the `eval` that the page forbids."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(20)


def choose_demo(page):
    page.get_by_label("Sound", exact=True).select_option("demo")
