"""What axe-core finds on the pages, light and dark: nothing serious or critical."""

from __future__ import annotations

import pytest

from support.axe import find_barriers
from support.browser import need_browser, open_browser
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, HOST_TOKEN, REFERENCE, WORSE, write_benchmark
from support.space_client import SpaceClient
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
        client = SpaceClient(server.url)
        for system, rows in (("our parser", WORSE), ("another", REFERENCE)):
            assert client.submit(SHOWN, system, rows)["state"] == "scored"
        client.close()
        yield server
    finally:
        server.kill()


def compare_pair(page):
    page.wait_for_selector("#result .siou-drawing svg")
    page.get_by_role("button", name="Options").first.click()
    page.wait_for_selector("#option-unit input", state="visible")


def refuse(page):
    page.fill("input#system", "x")
    page.set_input_files("#file", {"name": "x", "mimeType": "text/plain", "buffer": b"(S (A a)))"})
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_selector(".error")


def open_details(page):
    for summary in page.locator("summary").all():
        summary.click()


def open_system(page):
    page.locator("#board tbody a", has_text="our parser").click()
    page.wait_for_selector("main .siou-drawing svg")
    open_details(page)


def compare_systems(page):
    for box in page.locator("#board tbody input").all():
        box.check()
    page.get_by_role("button", name="Compare two").click()
    page.wait_for_selector("h1")


def confirm(page):
    page.locator("#host-table input").first.check()
    page.get_by_role("button", name="Do it").click()
    page.wait_for_selector("main ul")


PAGES = {
    "start": ("", lambda page: page.wait_for_selector("main svg")),
    "playground": ("playground/?example=0", compare_pair),
    "score": ("score", open_details),
    "board": (f"board?benchmark={SHOWN}", open_details),
    "system": (f"board?benchmark={SHOWN}", open_system),
    "comparison": (f"board?benchmark={SHOWN}", compare_systems),
    "board without systems": ("board?benchmark=empty", lambda page: page.wait_for_selector(".empty")),
    "submit": (f"submit?benchmark={SHOWN}", open_details),
    "submit, refused": (f"submit?benchmark={SHOWN}", refuse),
    "owner": ("owner", lambda page: page.wait_for_selector("h2")),
    "host": ("host", lambda page: page.wait_for_selector("#host-table")),
    "host, confirm": ("host", confirm),
    "not there": ("nowhere", lambda page: page.wait_for_selector(".error")),
    "table to embed": (f"table/{SHOWN}", lambda page: page.wait_for_selector("table")),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages(server, axe, scheme, width):
    found = {}
    with open_browser() as browser:
        for name, (address, fill) in PAGES.items():
            page = browser.new_page(
                viewport={"width": width, "height": 900},
                color_scheme=scheme,
                http_credentials={"username": "host", "password": HOST_TOKEN},
            )
            page.set_default_timeout(PATIENCE * 1000)
            page.goto(f"{server.url}/{address}")
            fill(page)
            page.wait_for_function("!document.querySelector('.pending, .generating, .translucent')")
            found[name] = find_barriers(page, axe)
            page.close()
    assert found == {name: [] for name in PAGES}
