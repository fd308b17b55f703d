"""What pictures show before there is anything to show, how courses are drawn, and how screens are laid out."""

from playwright.sync_api import expect

from conftest import SCREENS
from page import choose_demo, open_screen, until
from test_screens import start_everything

# Notes what is written into pictures from now on.
NOTE_TEXTS = """() => {
    window.written = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        written.push(text);
        return fillText.call(this, text, ...rest);
    };
}"""


def test_an_empty_picture_says_why(open_page, studio):
    page = open_page("account")
    page.evaluate(NOTE_TEXTS)

    def texts(screen):
        page.evaluate("written.length = 0")
        open_screen(page, studio.address, screen)
        until(page, "written.length > 0")
        return page.evaluate("written")

    unheard = "No sound: choose one in the header"
    for screen in ["spectrum", "meter", "tuner", "voice"]:
        assert unheard in texts(screen), screen
        expect(page.get_by_role("status").filter(has_text="No sound is chosen")).to_be_visible()
    assert "Stopped: Start draws the show" in texts("lights")
    assert "No camera is open" in texts("mapping")
    assert any(text.startswith("No candle yet") for text in texts("prices"))
    start_everything(page, studio.address)
    for screen in ["spectrum", "meter", "voice"]:
        texts(screen)
        page.locator("#connection[data-state=live]").wait_for()
        page.wait_for_timeout(300)
        page.evaluate("written.length = 0")
        until(page, "written.length > 0")
        assert unheard not in page.evaluate("written"), screen


def test_a_picture_that_a_pause_leaves_empty_says_so(open_page, studio):
    page, other = open_page("account"), open_page("lights")
    choose_demo(page)
    page.evaluate(NOTE_TEXTS)
    page.locator("#pause").click()
    for screen in ["spectrum", "meter", "tuner", "voice"]:
        page.evaluate("written.length = 0")
        open_screen(page, studio.address, screen)
        until(page, "written.includes('Paused: Resume draws it')")
    open_screen(page, studio.address, "lights")
    until(page, "written.at(-1) === 'Stopped: Start draws the show'")
    other.get_by_role("button", name="Start", exact=True).click()
    until(page, "written.at(-1) === 'Paused: Resume draws the show'")
    other.get_by_role("button", name="Stop", exact=True).click()
    until(page, "written.at(-1) === 'Stopped: Start draws the show'")
    # One that is gone from a picture is not shown on a page that is paused, either.
    other.get_by_role("button", name="Start", exact=True).click()
    page.locator("#pause").click()
    count = len(page.evaluate("written"))
    page.evaluate("""async () => {
        const { drawImage } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.drawImage = function (...values) {
            if (this.canvas.classList.contains('venue')) window.isDrawn = true;
            return drawImage.apply(this, values);
        };
    }""")
    until(page, "window.isDrawn")
    assert len(page.evaluate("written")) == count
    page.locator("#pause").click()
    other.get_by_role("button", name="Stop", exact=True).click()
    until(page, f"written.slice({count}).includes('Stopped: Start draws the show')")


def test_a_course_is_joined_where_its_points_are_near(open_page):
    page = open_page()
    parts = page.evaluate("""async () => {
        const { trace } = await import('/js/dom.js');
        const context = document.createElement('canvas').getContext('2d');
        const points = [0, 40, 189, 340, 380].map((time) => ({ time, colour: '#fff' }));
        trace(context, points, ({ time }) => [time / 2, 75]);
        const { data } = context.getImageData(0, 75, 200, 1);
        const lit = Array.from({ length: 200 }, (_, x) => data[4 * x + 3] > 100);
        return [10, 60, 85, 110, 180].map((x) => lit[x]);
    }""")
    # The second gap is of 149 ms, the third one of 151 ms.
    assert parts == [True, True, True, False, True]


def test_each_further_card_has_a_heading(open_page, studio):
    page = open_page()
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        assert page.locator("main .cards > .card + .card:not(:has(> h2))").count() == 0, screen


# The choices whose longest name is cut off, and the numbers of pictures that are too small to be read.
SMALL = """() => [
    ...[...document.querySelectorAll('main select')].filter((each) => each.checkVisibility()).filter((each) => {
        const before = each.offsetWidth;
        each.style.cssText = 'width: max-content; max-width: none; flex: none';
        const whole = each.offsetWidth;
        each.style.cssText = '';
        return before < whole;
    }).map((each) => each.parentElement.textContent.slice(0, 30)),
    ...[...document.querySelectorAll('main svg text')].filter((each) => each.getBoundingClientRect().height < 12).map((each) => each.textContent),
]"""


def test_a_phone_shows_names_and_numbers_whole(open_page, studio):
    page = open_page("account", width=360, height=740)
    start_everything(page, studio.address)
    for screen in SCREENS:
        open_screen(page, studio.address, screen)
        # What its states bring.
        page.wait_for_timeout(200)
        assert page.evaluate(SMALL) == [], screen


def test_a_phone_shows_prices_before_lists_and_many_fixtures_briefly(open_page, studio):
    page = open_page("prices", width=360, height=740)
    row = page.get_by_role("region", name="Prices").get_by_role("row").nth(1)
    row.wait_for()
    assert row.bounding_box()["y"] < 600
    expect(page.get_by_label("Name to keep it by")).to_be_hidden()
    page.get_by_text("Keep these symbols as a list").click()
    assert page.get_by_label("Name to keep it by").bounding_box()["y"] > row.bounding_box()["y"]
    open_screen(page, studio.address, "fixtures")
    rows = page.get_by_role("region", name="Patch").locator("tbody tr")
    expect(rows).to_have_count(100)
    heights = rows.evaluate_all("(rows) => rows.map((row) => row.getBoundingClientRect().height)")
    # Two lines, and a third one for a name.
    assert max(heights) < 96, max(heights)
