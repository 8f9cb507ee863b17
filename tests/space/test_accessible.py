"""What axe-core finds on the pages, light and dark: nothing serious or critical."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from support.axe import find_barriers
from support.browser import need_browser, open_browser
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, HOST_TOKEN, REFERENCE, WORSE, write_benchmark
from support.space_client import RawClient
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow
need_browser()

SHOWN = "open"  # a benchmark whose sentences are drawn


@pytest.fixture(scope="module")
def server(tmp_path_factory, axe):
    """With a benchmark that nobody has submitted to, and one with two systems."""
    folder = tmp_path_factory.mktemp("space")
    write_benchmark(folder / "benchmarks", "empty")
    shown = DESCRIPTION.replace("[metrics.parseval]", "show_sentences = true\n[metrics.parseval]")
    write_benchmark(folder / "benchmarks", SHOWN, shown)
    server = SpaceServer(folder / "data", folder / "benchmarks", ADMIN_TOKEN=HOST_TOKEN)
    try:
        server.start()
        client = RawClient(server.url)
        for system, rows in (("our parser", WORSE), ("another", REFERENCE)):
            values = [SHOWN, system, "\n".join(rows), "", "", ""]
            done = client.call(client.event("submit"), values)[0]
            assert done["accepted"], done
        client.close()
        yield server
    finally:
        server.kill()


def open_trees(page):
    page.click("#example-1")
    page.wait_for_selector("#result .siou-drawing svg")
    page.get_by_role("button", name="Options").first.click()
    page.wait_for_selector("#option-unit input", state="visible")


def open_files(page):
    page.get_by_role("button", name="Options").last.click()
    page.click("#score-files")
    page.wait_for_selector("#file-result .siou-error")


def open_system(page):
    page.locator("#board tbody a", has_text="our parser").click()
    page.wait_for_selector("#system .siou-drawing svg")


def refuse(page):
    page.click("button#submit")
    page.wait_for_selector("#submit-result .siou-error")


def list_everything(page):
    page.get_by_role("tab", name="Host").click()
    page.fill("#host-token input", HOST_TOKEN)
    page.click("#host-list")
    page.wait_for_selector("#host-table [role=row].virtual-row")


def compare_systems(page):
    """From the table to the comparison of both systems in it."""
    table = page.request.get(f"{page.url}.json").json()
    first, second = (entry["id"] for entry in table["entries"])
    page.goto(urljoin(page.url, f"../compare/{first}/{second}"))
    page.wait_for_selector("table")


PAGES = {
    "start": ("?", lambda page: page.wait_for_selector("#start svg")),
    "trees": ("?open=trees", open_trees),
    "files": ("?open=files", open_files),
    "board": (f"?benchmark={SHOWN}", open_system),
    "board without systems": ("?benchmark=empty", lambda page: page.wait_for_selector(".siou-empty")),
    "submit": ("?open=submit", refuse),
    "host": ("?", lambda page: page.get_by_role("tab", name="Host").click()),
    "host with submissions": ("?", list_everything),
    "table to embed": (f"table/{SHOWN}", lambda page: page.wait_for_selector("table")),
    "comparison": (f"table/{SHOWN}", compare_systems),
}


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 390)])
def test_pages(server, axe, scheme, width):
    found = {}
    with open_browser() as browser:
        for name, (address, fill) in PAGES.items():
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page.set_default_timeout(PATIENCE * 1000)
            page.goto(f"{server.url}/{address}")
            fill(page)
            page.wait_for_function("!document.querySelector('.pending, .generating, .translucent')")
            found[name] = find_barriers(page, axe)
            page.close()
    assert found == {name: [] for name in PAGES}
