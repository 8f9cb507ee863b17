"""The pages in a real browser."""

from __future__ import annotations

import csv
import io
import os
import shutil

import pytest

from structiou_metric import StructIoU, struct_iou
from support.extras import need
from support.space_server import SpaceServer

from .conftest import DESCRIPTION, REFERENCE, WORSE, write_benchmark

need("playwright")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("chromium is not installed", allow_module_level=True)

# Without these the browser looks for its maker's servers when it starts.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
ATTACK = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>{{7*7}}${window.hit=1}'
PREDICTION = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (NP (PRP it)) (ADVP (RB again)))))"
OTHER = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (PRP it)) (ADVP (RB again))))"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("space")
    benchmarks = folder / "benchmarks"
    write_benchmark(benchmarks, "english")
    write_benchmark(benchmarks, "open", DESCRIPTION.replace("parseval", "show_sentences = true\nparseval"))
    server = SpaceServer(folder / "data", benchmarks, ADMIN_TOKEN="host-token", DAILY_PER_USER=100)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, server):
    """A page; whatever it asks of other servers, and errors in it, fail the test."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(20_000)
    strangers, errors = [], []
    page.on(
        "request",
        lambda request: (
            request.url.startswith((server.url, "data:", "blob:")) or strangers.append(request.url)
        ),
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    yield page
    assert page.evaluate("window.hit") is None
    page.close()
    assert strangers == []
    assert errors == []


def open_tab(page, name):
    page.get_by_role("tab", name=name).click()


def fill(page, name, text):
    page.locator(f"#{name} textarea, #{name} input").first.fill(text)


def attach(page, name, path):
    """Uploads a file and waits until the page has it; the name may be shown in two parts."""
    page.set_input_files(f"#{name} input[type=file]", path)
    page.wait_for_function(
        "([id, name]) => document.getElementById(id).textContent.replace(/\\s/g, '').includes(name)",
        arg=[name, path.name],
    )


def picture(page, name):
    """Keeps a picture of the page where a folder for them is named."""
    folder = os.environ.get("STRUCTIOU_PICTURES")
    if folder:
        page.wait_for_timeout(500)
        page.screenshot(path=os.path.join(folder, f"{name}.png"), full_page=True)


def compare(page, prediction, reference):
    fill(page, "prediction", prediction)
    fill(page, "reference", reference)
    page.click("#compare")


def test_pair_is_scored_and_drawn(page, server):
    page.goto(server.url)
    compare(page, PREDICTION, OTHER)
    page.wait_for_selector(".siou-drawing svg")
    assert f"{struct_iou(PREDICTION, OTHER):.4f}" in page.inner_text("#result")
    assert "1 predicted node has no partner: NP “it again”" in page.inner_text(".siou-why")
    assert "structiou|unit:word" in page.inner_text("#result")
    assert "ADVP" in page.text_content(".siou-drawing svg")
    page.locator("#pairs [role=gridcell]", has_text="ADVP").first.wait_for()
    picture(page, "compare")


def test_link_brings_the_comparison_back(page, server):
    page.goto(server.url)
    page.click("#example-0")
    page.wait_for_selector(".siou-drawing svg")
    assert "0.7500" in page.inner_text("#result")  # the paper's first figure
    link = page.get_by_text("Link to this comparison").get_attribute("href")
    page.goto(server.url + "/" + link)
    page.wait_for_selector(".siou-drawing svg")
    assert "0.7500" in page.inner_text("#result")
    assert page.locator("#prediction textarea").input_value().startswith("(VP (VBP <2.55,2.56>)")
    page.get_by_role("button", name="Options").first.click()
    assert page.locator("#option-unit input[value=time]").is_checked()


@pytest.mark.parametrize("word", ["x", "AAAA", "%3Cscript%3E"])
def test_damaged_link(page, server, word):
    page.goto(f"{server.url}/?trees={word}")
    page.wait_for_selector(".siou-error")
    assert "this link is damaged" in page.inner_text(".siou-error")


def test_error_names_line_and_column(page, server):
    page.goto(server.url)
    compare(page, "(S (NP we)\n  (VP run)))", OTHER)
    page.wait_for_selector(".siou-error")
    text = page.inner_text(".siou-error")
    assert "prediction, line 2, column 12: this ')' closes nothing" in text
    assert "^" in text
    picture(page, "error")


def test_hebrew_runs_from_right_to_left(page, server):
    page.goto(server.url)
    page.click("#example-2")
    page.wait_for_selector(".siou-drawing svg")
    assert "0.6349" in page.inner_text("#result")  # the paper's 0.635
    places = page.evaluate(
        """() => [...document.querySelectorAll('.siou-drawing svg text')]
            .map(text => [text.textContent, text.getBoundingClientRect().x])"""
    )
    first = max(x for text, x in places if "איזה" in text)
    last = max(x for text, x in places if "פצועים" in text)
    assert first > last
    picture(page, "hebrew")


@pytest.mark.parametrize("tab", ["Compare trees", "Score files", "Leaderboard", "Submit"])
def test_phone_needs_no_sideways_scrolling(page, server, tab):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(server.url)
    if tab == "Compare trees":
        page.click("#example-1")
        page.wait_for_selector(".siou-drawing svg")
    elif page.get_by_role("tab", name=tab).count() and page.get_by_role("tab", name=tab).first.is_visible():
        open_tab(page, tab)
    else:  # in the menu of tabs that do not fit
        page.locator(".overflow-menu button").first.click()
        page.locator(".overflow-dropdown button", has_text=tab).click()
    page.wait_for_timeout(500)
    picture(page, f"phone-{tab}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_files_are_scored_and_downloaded(page, server, tmp_path):
    (tmp_path / "p.txt").write_text("\n".join(WORSE), "utf-8")
    (tmp_path / "r.txt").write_text("\n".join(REFERENCE), "utf-8")
    page.goto(server.url)
    open_tab(page, "Score files")
    attach(page, "prediction-file", tmp_path / "p.txt")
    attach(page, "reference-file", tmp_path / "r.txt")
    page.click("#score-files")
    page.wait_for_selector("#file-result .siou-figures")
    expected = StructIoU().corpus_score(WORSE, REFERENCE)
    assert f"{expected.sentence:.4f}" in page.inner_text("#file-result")
    picture(page, "files")
    with page.expect_download() as download:
        page.click("#sentences-csv")
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8"))))
    assert [float(row["struct_iou"]) for row in rows] == expected.sentences.scores()


def submit(page, system, rows, tmp_path, benchmark=None):
    path = tmp_path / "trees.txt"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    open_tab(page, "Submit")
    fill(page, "submit-system", system)
    fill(page, "submit-contact", "secret@example.org")
    attach(page, "submit-file", path)
    page.click("button#submit")


def test_submission_is_ranked(page, server, tmp_path):
    page.goto(server.url)
    submit(page, "our parser", WORSE, tmp_path)
    page.wait_for_selector("#submit-result >> text=Accepted as")
    picture(page, "submitted")
    page.reload()
    open_tab(page, "Leaderboard")
    row = page.locator("#board [role=row].virtual-row", has_text="our parser").first
    row.wait_for()
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    assert str(round(expected.sentence, 4)) in row.inner_text()
    row.locator("[role=gridcell]").nth(1).click()
    page.wait_for_selector("#system h3")
    text = page.inner_text("#system")
    assert "our parser" in text
    assert "By label" in text
    assert "secret@example.org" not in page.content()
    picture(page, "leaderboard")


def test_bad_file_is_refused_with_its_row(page, server, tmp_path):
    page.goto(server.url)
    submit(page, "bad", [REFERENCE[0], "(S (NP (PRP we)) (VP (VBP see)))", REFERENCE[2]], tmp_path)
    page.wait_for_selector("#submit-result .siou-error")
    text = page.inner_text("#submit-result")
    assert "does not count" in text
    assert "row 2: file:2 has 2 words and reference:2 has 3 words" in text
    picture(page, "refused")


def test_nothing_that_is_typed_or_uploaded_runs(page, server, tmp_path):
    label = ATTACK.replace(" ", "/").replace("(", "[").replace(")", "]")
    page.goto(server.url)
    compare(page, f"(S (<b>x</b> {label}))", f"(S (<b>x</b> {label}))")
    page.wait_for_selector(".siou-drawing svg")
    assert page.locator("#result b:text('x'), #result img, #result script").count() == 0
    compare(page, f"(S ({label}", "")
    page.wait_for_selector(".siou-error")
    submit(page, ATTACK[:80], [row.replace("NP", label) for row in REFERENCE], tmp_path)
    page.wait_for_selector("#submit-result >> text=Accepted as")
    assert page.locator("#submit-result img, #submit-result script").count() == 0
    page.reload()
    open_tab(page, "Leaderboard")
    row = page.locator("#board [role=row].virtual-row", has_text="<img src=x").first
    row.locator("[role=gridcell]").nth(1).click()
    page.wait_for_selector("#system h3")
    assert page.locator("#board [role=gridcell] img, #system img, #system script").count() == 0
    picture(page, "attack")
