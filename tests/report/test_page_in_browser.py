"""The page of a comparison in a real browser, without scripts: parts open at a click, and it fits a phone."""

from __future__ import annotations

import pytest

from structiou_metric.analysis.compare import compare
from structiou_metric.report.page import write_page
from structiou_metric.sources.files import TreeFile
from support.browser import need_browser, open_browser
from support.paths import DATA
from support.process import PATIENCE

pytestmark = pytest.mark.slow
need_browser()
pytest.importorskip("numpy")
pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page of ten systems with long names on the bundled sentences."""
    reference, prediction = (
        TreeFile.read(DATA / name) for name in ("english.reference.mrg", "english.prediction.txt")
    )
    systems = {"gold": reference, **{f"a-parser-with-a-long-name-{k}": prediction for k in range(9)}}
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(write_page(compare(systems, reference, n_resamples=50)), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_page(browser, address):
    """Opens the page; whatever it asks of anyone fails the test."""
    contexts, asked = [], []

    def open_it(width, scheme="light"):
        context = browser.new_context(
            java_script_enabled=False, color_scheme=scheme, viewport={"width": width, "height": 900}
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert set(asked) <= {address}


def test_closed_parts_open_at_a_click(open_page):
    from playwright.sync_api import expect

    page = open_page(1280)
    part = page.locator("details[open] details.same").first
    brackets = part.locator("code")
    expect(brackets).to_be_hidden()
    part.locator("summary").click()
    expect(brackets).to_be_visible()
    expect(brackets).to_contain_text("(")


@pytest.mark.parametrize("width", [390, 1280])
def test_page_is_no_wider_than_the_window(open_page, width):
    page = open_page(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_page_is_dark_where_the_reader_likes_it_dark(open_page):
    def brightness(scheme):
        color = open_page(390, scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in color.strip("rgb()").split(","))

    assert brightness("dark") < 150 < 600 < brightness("light")
