"""What tests do on the pages of the Space in a browser: each step waits for a state, never for a time."""

from __future__ import annotations

import os

# True once nothing is under way and the page has looked the same for ten frames.
SETTLED = """() => {
    const tabs = document.querySelector('#tabs > .tab-wrapper');
    const busy = !tabs || document.querySelector('.pending, .generating, .translucent');
    const {scrollWidth, scrollHeight} = document.documentElement;
    const look = busy ? '' : JSON.stringify([scrollWidth, scrollHeight, tabs.innerHTML]);
    const before = window.settling || {look: '', frames: 0};
    window.settling = {look, frames: look && look === before.look ? before.frames + 1 : 0};
    return window.settling.frames >= 10;
}"""


def settle(page):
    """Wait until nothing on the page moves."""
    page.wait_for_function(SETTLED, polling="raf")


def visit(page, url):
    """Open a page, or the same page again, and wait until it is put together.

    What is typed or uploaded before the first answer of the server has come may be lost. Parts of the page
    wait for it visibly from before the server begins to answer.
    """
    with page.expect_response(lambda response: "/queue/data" in response.url):
        page.goto(url)
    settle(page)


def open_tab(page, name):
    """Open a page by its tab."""
    from playwright.sync_api import expect

    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name, selected=True)).to_be_visible()
    settle(page)


def fill(page, name, text):
    """Type a text into the field of that name."""
    page.locator(f"#{name} textarea, #{name} input").first.fill(text)


def attach(page, name, path):
    """Upload a file and wait until the page has it; the name may be shown in two parts."""
    page.set_input_files(f"#{name} input[type=file]", path)
    page.wait_for_function(
        "([id, name]) => document.getElementById(id).textContent.replace(/\\s/g, '').includes(name)",
        arg=[name, path.name],
    )


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
