"""The host's page and a team's submission in a real browser."""

from __future__ import annotations

import pytest

from support.browser import need_browser, open_browser
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, HOST_TOKEN, REFERENCE, WORSE, write_benchmark
from support.space_client import RawClient
from support.space_pages import attach, fill, open_tab, picture, settle, shows, visit
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow
need_browser()

PHASES = """
[[phases]]
name = "dev"
title = "Development"

[[phases]]
name = "test"
title = "Test"
opens = 2026-10-01
scores_from = 2026-10-15
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("host")
    write_benchmark(folder / "benchmarks", "english", DESCRIPTION + PHASES)
    (folder / "now").write_text("2026-09-01T12:00:00Z", "utf-8")
    server = SpaceServer(
        folder / "data",
        folder / "benchmarks",
        ADMIN_TOKEN=HOST_TOKEN,
        CLOCK=folder / "now",
        DAILY_PER_USER=50,
    )
    server.start()
    yield server
    server.kill()


@pytest.fixture
def page(server):
    with open_browser() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(PATIENCE * 1000)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        assert errors == []


def test_team_submits_and_the_host_deletes_undoes_and_imports(page, server, tmp_path):
    from playwright.sync_api import expect

    path = tmp_path / "trees.txt"
    path.write_text("\n".join(WORSE) + "\n", "utf-8")
    visit(page, server.url)
    open_tab(page, "Submit")
    fill(page, "submit-system", "our parser")
    page.get_by_role("button", name="For a team, or several files").click()
    settle(page)
    fill(page, "submit-team", "The Owls")
    page.click("#make-team")
    shows(page, "#made-team", "The team The Owls is there")
    key = page.locator("#made-team code").inner_text()
    page.fill("#submit-key input", key)
    attach(page, "submit-files", path)
    page.click("#submit-these")
    shows(page, "#submit-result", "Accepted as", "rank 1", "by The Owls", "phase dev")
    picture(page, "team")

    visit(page, server.url)
    open_tab(page, "Leaderboard")
    shows(page, "#about", "Development: open", "Test: opens 2026-10-01 00:00 UTC", "to embed")
    open_tab(page, "Host")
    page.fill("#host-token input", HOST_TOKEN)
    page.click("#host-list")
    row = page.locator("#host-table [role=row].virtual-row", has_text="our parser").first
    row.locator("[role=gridcell]").nth(5).click()
    expect(page.locator("#host-submission input, #host-submission textarea").first).not_to_have_value("")
    page.locator("#host-action input[value=delete]").check()
    page.click("#host-act")
    expect(page.locator("#host-done textarea, #host-done input").first).to_have_value(
        "delete 1 submission? Press Confirm. our parser of The Owls, 2026-09-01 12:00 UTC"
    )
    picture(page, "host-confirm")
    page.click("#host-confirm")
    shows(page, "#host-table", "scored, deleted")
    shows(page, "#host-log", "delete")
    expect(page.locator("#host-confirm")).to_be_hidden()
    page.click("#host-undo")
    shows(page, "#host-log", "undo")
    expect(page.locator("#host-table")).not_to_contain_text("scored, deleted")

    client = RawClient(server.url)
    bearer = {"Authorization": f"Bearer {HOST_TOKEN}"}
    exported = client.http.get("/host/export", headers=bearer).text
    client.close()
    (tmp_path / "export.jsonl").write_text(exported, "utf-8")
    page.set_input_files("#import-file", tmp_path / "export.jsonl")
    page.click("#host-import")
    expect(page.locator("#host-done textarea, #host-done input").first).to_have_value(
        "0 imported, 1 were there already"
    )
    picture(page, "host")


def test_links_of_a_system_lead_somewhere(page, server):
    client = RawClient(server.url)

    def submit(system, rows):
        values = ["english", system, "\n".join(rows) + "\n", "", "", ""]
        return client.call(client.event("submit"), values)[0]["id"]

    id_ = submit("linked", WORSE)
    submit("other", REFERENCE)
    client.close()
    visit(page, f"{server.url}/?system={id_}")
    shows(page, "#system", "linked", "STRUCT-IoU", "Compare with", "Rank history")
    page.get_by_text("Compare with").click()
    page.locator("#system a", has_text="other, anonymous").first.click()
    page.wait_for_selector("p.verdict")
    shows(page, "h1", "linked")
    page.goto(f"{server.url}/table/english")
    shows(page, "table", "linked", "other")
    page.goto(f"{server.url}/badge/{id_}.svg")
    assert page.evaluate("document.documentElement.tagName") == "svg"
