"""What the tests of the page use."""

import contextlib
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from client import PATIENCE


def number(page, selector):
    return float(page.locator(selector).evaluate("(each) => each.value"))


def until(page, expression, seconds=PATIENCE, pause=20):
    """Waits until an expression is true, with so many milliseconds from one look to the next; Playwright's own wait needs the `eval` that the page forbids."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(pause)


def wait_until(page, is_true, seconds=PATIENCE):
    """Waits for what the test sees, such as a request, while the page goes on."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


def until_still(page, expression, pause=300):
    """Waits until two looks at an expression, so many milliseconds apart, agree; returns what they see."""
    deadline, before = time.monotonic() + PATIENCE, page.evaluate(expression)
    while True:
        page.wait_for_timeout(pause)
        if before == (before := page.evaluate(expression)):
            return before
        assert time.monotonic() < deadline, expression


def expect_screen(page, screen):
    """Waits until a screen is shown: the address changes before, and what is looked for may stand on the last one, too."""
    page.locator(f"[data-id='{screen.partition('/')[0]}'][aria-current]").wait_for(state="attached")


def open_screen(page, address, screen=""):
    """Goes to a screen, and waits until it is shown. A new page is connected, too: without a server it is shown all the same, after a while."""
    is_new = page.url == "about:blank"
    page.goto(f"{address}#/{screen}")
    expect_screen(page, screen)
    if is_new:
        page.locator("#connection[data-state=live]").wait_for()


@contextlib.contextmanager
def held(context, pattern):
    """Requests that match wait until the block ends; those that do."""
    waiting, is_over = [], []
    context.route(pattern, lambda route: route.continue_() if is_over else waiting.append(route))
    yield waiting
    is_over.append(True)
    for route in waiting:
        route.continue_()


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


def add_equalizer(page):
    """Shows the equalizer below the screen that is shown, over a connection of its own; both are drawn with each frame."""
    page.evaluate("""async () => {
        const [{ Link }, { EqualizerHistory }, { Session }, { equalizer }] = await Promise.all(
            ['link', 'history', 'session', 'equalizer'].map((name) => import(`/js/${name}.js`)));
        const app = { link: new Link(), equalizerHistory: new EqualizerHistory(), attempt: (work) => work() };
        app.session = new Session(app);
        const screen = await equalizer(app);
        document.querySelector('main').append(...screen.elements);
        app.link.addEventListener('state', ({ detail }) => screen.state?.(detail, app.link.states[detail]));
        app.link.connect();
        app.link.want(screen.topics);
        const draw = () => { screen.draw?.(); requestAnimationFrame(draw); };
        draw();
    }""")
    page.get_by_label("Left, 8 Hz").wait_for()


def observed(page, kind, field):
    """The sum of a field of all entries of a kind in the page's performance so far."""
    return page.evaluate("""([kind, field]) => new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each[field]; }).observe({ type: kind, buffered: true });
        setTimeout(() => resolve(sum), 100);
    })""", [kind, field])


# On the overview: the milliseconds from Listen to an A4 within a cent, once no note of a sound before is shown.
TUNED = """() => new Promise((resolve) => {
    const [note, cents] = [document.querySelector('[aria-label=Note]'), document.querySelector('[aria-label=Deviation]')];
    let start = 0;
    const look = () => note.value === 'A4' && Math.abs(+cents.value) <= 1
        ? resolve(performance.now() - start) : requestAnimationFrame(look);
    const begin = () => {
        if (note.value !== '–') return requestAnimationFrame(begin);
        start = performance.now();
        [...document.querySelectorAll('button')].find((button) => button.textContent === 'Listen').click();
        requestAnimationFrame(look);
    };
    begin();
})"""


def expect_connection(state, *pages):
    for page in pages:
        expect(page.locator("#connection")).to_have_attribute("data-state", state)


def choose_demo(page):
    page.get_by_label("Sound", exact=True).select_option("demo")


class Visit:
    """All that a page asks for, says and remembers."""

    def __init__(self, context, address):
        self.page, self.requests, self.texts = context.new_page(), [], []
        self.page.on("request", lambda request: self.requests.append(request))
        self.page.on("console", lambda message: self.texts.append(message.text))
        self.page.goto(address)
        self.page.get_by_role("heading", level=1).wait_for()

    def history(self):
        session = self.page.context.new_cdp_session(self.page)
        return [entry["url"] for entry in session.send("Page.getNavigationHistory")["entries"]]

    def seen(self):
        """Addresses of requests with their referrers, the console, the history, and what the browser keeps."""
        kept = self.page.evaluate("[JSON.stringify({...localStorage}), JSON.stringify({...sessionStorage}), document.referrer, document.title]")
        asked = [text for each in self.requests for text in [each.url, each.all_headers().get("referer", "")]]
        return [*asked, *self.texts, *self.history(), *kept]


AXE = Axe().axe_script
# Of rows that differ in their words alone one is checked: a long table takes seconds.
RUN = """async () => {
    const seen = new Map();
    for (const row of document.querySelectorAll('tbody tr')) {
        const form = row.outerHTML.replace(/>[^<]*</g, '><').replace(/\\d+/g, '');
        const forms = seen.get(row.parentElement) ?? seen.set(row.parentElement, new Set()).get(row.parentElement);
        if (forms.has(form)) row.dataset.alike = '';
        forms.add(form);
    }
    const { violations } = await axe.run({ exclude: [['[data-alike]']] }, { resultTypes: ['violations'] });
    for (const row of document.querySelectorAll('[data-alike]')) delete row.dataset.alike;
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 100)}`);
}"""


def violations(page):
    """What axe finds on the page."""
    # Once for a document.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return page.evaluate(RUN)
