"""The playground runs in a browser that reaches nothing but the folder of its files."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import sys
import threading

import pytest

from structiou_metric import StructIoU
from structiou_metric.report.pair import EXAMPLES
from support.axe import fetch_axe, find_barriers
from support.browser import need_browser, open_browser
from support.extras import need
from support.paths import ROOT

need("jinja2")

pytestmark = pytest.mark.slow


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    need_browser()
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("playground")
    script = ROOT / "docs" / "parts" / "playground.py"
    done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=True)
    if "without Pyodide" in done.stdout:
        pytest.skip(done.stdout)
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def page(address):
    with open_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        elsewhere = []
        page.on("request", lambda sent: sent.url.startswith(address) or elsewhere.append(sent.url))
        page.goto(address)
        yield page
        assert not elsewhere


@pytest.fixture(scope="module")
def cache(pytestconfig):
    """A folder for the script of axe-core that other test runs find again."""
    return pytestconfig.cache.mkdir("axe-core")


@pytest.mark.parametrize("title", EXAMPLES)
def test_examples_score_as_in_python(page, title):
    from playwright.sync_api import expect

    reference, prediction, unit = EXAMPLES[title]
    score = StructIoU(unit=unit).align(prediction, reference).score
    page.get_by_role("button", name=title).click()
    expect(page.locator("#result .siou-figure b").first).to_have_text(f"{score:.4f}")
    expect(page.locator("#result [data-drawing]:not([hidden]) svg")).to_be_visible()
    assert page.locator("#result .siou-why li").count() >= 1


def test_options_and_links(page):
    from playwright.sync_api import expect

    page.get_by_role("textbox", name="Reference").fill("(S (A we))")
    page.get_by_role("textbox", name="Prediction").fill("(S (B we))")
    page.get_by_text("Options").click()
    page.locator("select[name=unit]").select_option("word")
    page.locator("select[name=labels]").select_option("ignore")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#result .siou-figure b").first).to_have_text("1.0000")
    page.reload()
    expect(page.locator("#result .siou-figure b").first).to_have_text("1.0000")
    expect(page.get_by_role("textbox", name="Prediction")).to_have_value("(S (B we))")


def test_errors_name_the_place(page):
    from playwright.sync_api import expect

    page.get_by_role("textbox", name="Reference").fill("(S (A <b>we</b>)")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("alert")).to_contain_text("reference, line 1, column 1: ")
    assert page.locator("#result b").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_is_accessible(page, width, scheme, cache):
    from playwright.sync_api import expect

    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    page.get_by_role("button", name="The telescope").click()
    expect(page.locator("#result .siou-figures")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert find_barriers(page, fetch_axe(cache)) == []
