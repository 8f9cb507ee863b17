"""What tests do on the pages of the Space in a browser: each step waits for a state, never for a time."""

from __future__ import annotations

import os

# True once the playground has no work under way and has looked the same for ten frames.
_SETTLED = """() => {
    const busy = document.querySelector('.pending, .generating');
    const {scrollWidth, scrollHeight} = document.documentElement;
    const look = busy ? '' : JSON.stringify([scrollWidth, scrollHeight]);
    const before = window.settling || {look: '', frames: 0};
    window.settling = {look, frames: look && look === before.look ? before.frames + 1 : 0};
    return window.settling.frames >= 10;
}"""


def settle(page):
    """Wait until nothing on the page moves."""
    page.wait_for_function(_SETTLED, polling="raf")


def open_playground(page, url, query=""):
    """Open the playground and wait for the server's first answer, before which typed texts may be lost."""
    with page.expect_response(lambda response: "/queue/data" in response.url):
        page.goto(f"{url}/playground/{query}")
    page.wait_for_selector("#compare")
    settle(page)


def fill(page, name, text):
    """Type a text into the field of that name."""
    page.locator(f"#{name} textarea, #{name} input").first.fill(text)


def shows(page, selector, *texts):
    """Wait until a part of the page has all of these texts."""
    from playwright.sync_api import expect

    for text in texts:
        expect(page.locator(selector).first).to_contain_text(text)


def picture(page, name):
    """Keep a picture of the page if STRUCTIOU_PICTURES names a folder for them."""
    folder = os.environ.get("STRUCTIOU_PICTURES")
    if folder:
        settle(page)
        page.screenshot(path=os.path.join(folder, f"{name}.png"), full_page=True)
