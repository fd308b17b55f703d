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


def frame_times(page, seconds=1, moves=False):
    """The milliseconds from each frame to the next; `moves`: a slider of the equalizer changes with each."""
    return page.evaluate("""([seconds, moves]) => new Promise((resolve) => {
        const slider = document.querySelector('input[type=range]');
        const gaps = [];
        let [start, last] = [null, null];
        const step = (now) => {
            if (last !== null) gaps.push(now - last);
            last = now;
            start ??= now;
            if (moves) { slider.value = 12 * Math.sin(now / 200); slider.dispatchEvent(new Event('input')); }
            if (now - start < 1000 * seconds) requestAnimationFrame(step); else resolve(gaps);
        };
        requestAnimationFrame(step);
    })""", [seconds, moves])


def choose_demo(page):
    page.get_by_label("Sound", exact=True).select_option("demo")
