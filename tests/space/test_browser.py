"""The pages in a real browser.

Whatever the fonts and the speed of the machine: each test waits for a state of the page, never for a time.
"""

from __future__ import annotations

import csv
import io
import os
import re

import pytest

from structiou_metric import StructIoU, struct_iou
from support.browser import need_browser, open_browser
from support.process import PATIENCE
from support.space_server import SpaceServer

from .conftest import DESCRIPTION, REFERENCE, WORSE, write_benchmark

pytestmark = pytest.mark.slow
need_browser()

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


# True once nothing is under way and the page has looked the same for ten frames. Tabs are laid out frame by
# frame: those that do not fit move into a menu, which takes room itself.
SETTLED = """() => {
    const tabs = document.querySelector('#tabs > .tab-wrapper');
    const busy = !tabs || document.querySelector('.pending, .generating, .translucent');
    const {scrollWidth, scrollHeight} = document.documentElement;
    const look = busy ? '' : JSON.stringify([scrollWidth, scrollHeight, tabs.innerHTML]);
    const before = window.settling || {look: '', frames: 0};
    window.settling = {look, frames: look && look === before.look ? before.frames + 1 : 0};
    return window.settling.frames >= 10;
}"""


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture
def page(browser, server):
    """A page; whatever it asks of other servers, and errors in it, fail the test."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(PATIENCE * 1000)
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


def settle(page):
    """Waits until nothing moves any more."""
    page.wait_for_function(SETTLED, polling="raf")


def visit(page, url):
    """Opens a page, or the same once more, and waits until it is put together.

    What is typed or uploaded before the first answer of the server has come may be lost. Parts of the page
    wait for it visibly from before the server begins to answer.
    """
    with page.expect_response(lambda response: "/queue/data" in response.url):
        page.goto(url)
    settle(page)


def open_tab(page, name):
    """Opens a tab, which is in the bar or, if it does not fit there, in the menu of the others."""
    from playwright.sync_api import expect

    in_menu = page.locator(".overflow-dropdown button", has_text=name)
    if in_menu.count():
        page.get_by_role("button", name="More tabs").click()
        in_menu.click()
    else:
        page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name, selected=True)).to_be_visible()
    settle(page)


def fill(page, name, text):
    page.locator(f"#{name} textarea, #{name} input").first.fill(text)


def attach(page, name, path):
    """Uploads a file and waits until the page has it; the name may be shown in two parts."""
    page.set_input_files(f"#{name} input[type=file]", path)
    page.wait_for_function(
        "([id, name]) => document.getElementById(id).textContent.replace(/\\s/g, '').includes(name)",
        arg=[name, path.name],
    )


def shows(page, selector, *texts):
    """Waits until a part of the page has all of these texts."""
    from playwright.sync_api import expect

    for text in texts:
        expect(page.locator(selector).first).to_contain_text(text)


def picture(page, name):
    """Keeps a picture of the page where a folder for them is named."""
    folder = os.environ.get("STRUCTIOU_PICTURES")
    if folder:
        settle(page)
        page.screenshot(path=os.path.join(folder, f"{name}.png"), full_page=True)


def compare(page, prediction, reference):
    fill(page, "prediction", prediction)
    fill(page, "reference", reference)
    page.click("#compare")


def test_pair_is_scored_and_drawn(page, server):
    visit(page, server.url)
    compare(page, PREDICTION, OTHER)
    page.wait_for_selector(".siou-drawing svg")
    shows(page, "#result", f"{struct_iou(PREDICTION, OTHER):.4f}", "structiou|unit:word")
    shows(page, ".siou-why", "NP “it again”")
    page.locator(".siou-causes summary").click()
    shows(page, ".siou-causes", "attachment")
    shows(page, ".siou-drawing svg", "ADVP")
    page.locator("#pairs [role=gridcell]", has_text="ADVP").first.wait_for()
    picture(page, "compare")


def test_link_brings_the_comparison_back(page, server):
    from playwright.sync_api import expect

    visit(page, server.url)
    page.click("#example-0")
    page.wait_for_selector(".siou-drawing svg")
    shows(page, "#result", "0.7500")  # the paper's first figure
    link = page.get_by_text("Link to this comparison").get_attribute("href")
    visit(page, f"{server.url}/{link}")
    page.wait_for_selector(".siou-drawing svg")
    shows(page, "#result", "0.7500")
    expect(page.locator("#prediction textarea")).to_have_value(re.compile(r"^\(VP \(VBP <2\.55,2\.56>\)"))
    page.get_by_role("button", name="Options").first.click()
    expect(page.locator("#option-unit input[value=time]")).to_be_checked()


@pytest.mark.parametrize("word", ["x", "AAAA", "%3Cscript%3E"])
def test_damaged_link(page, server, word):
    visit(page, f"{server.url}/?trees={word}")
    shows(page, ".siou-error", "this link is damaged")


def test_error_names_line_and_column(page, server):
    visit(page, server.url)
    compare(page, "(S (NP we)\n  (VP run)))", OTHER)
    shows(page, ".siou-error", "prediction, line 2, column 12: this ')' closes nothing", "^")
    picture(page, "error")


def test_hebrew_runs_from_right_to_left(page, server):
    visit(page, server.url)
    page.click("#example-2")
    page.wait_for_selector(".siou-drawing svg")
    shows(page, "#result", "0.6349")  # the paper's 0.635
    settle(page)
    places = page.evaluate(
        """() => [...document.querySelectorAll('.siou-drawing svg text')]
            .map(text => [text.textContent, text.getBoundingClientRect().x])"""
    )
    first = max(x for text, x in places if "איזה" in text)
    last = max(x for text, x in places if "פצועים" in text)
    assert first > last
    picture(page, "hebrew")


@pytest.mark.parametrize(
    "tab, part",
    [
        ("Compare trees", ".siou-drawing svg"),
        ("Score files", "#prediction-file"),
        ("Leaderboard", "#board"),
        ("Submit", "#submit-file"),
    ],
)
def test_phone_needs_no_sideways_scrolling(page, server, tab, part):
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, server.url)
    if tab == "Compare trees":
        page.click("#example-1")
    else:
        open_tab(page, tab)
    page.wait_for_selector(part)
    settle(page)
    picture(page, f"phone-{tab}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_every_tab_is_in_the_bar_or_in_the_menu(page, server):
    """A tab more or less fits into the bar, by the fonts there are: each width must do."""
    names = ["Compare trees", "Score files", "Leaderboard", "Submit", "Host"]
    for width in (1200, 600, 480, 420, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        visit(page, server.url)
        for name in reversed(names):
            open_tab(page, name)
        shown = [text.strip() for text in page.locator("#tabs > .tab-wrapper [role=tab]").all_inner_texts()]
        hidden = page.locator("#tabs > .tab-wrapper .overflow-dropdown button").all_text_contents()
        assert sorted([*shown, *(text.strip() for text in hidden)]) == sorted(names)


def test_files_are_scored_and_downloaded(page, server, tmp_path):
    (tmp_path / "p.txt").write_text("\n".join(WORSE), "utf-8")
    (tmp_path / "r.txt").write_text("\n".join(REFERENCE), "utf-8")
    visit(page, server.url)
    open_tab(page, "Score files")
    attach(page, "prediction-file", tmp_path / "p.txt")
    attach(page, "reference-file", tmp_path / "r.txt")
    page.click("#score-files")
    page.wait_for_selector("#file-result .siou-figures")
    expected = StructIoU().corpus_score(WORSE, REFERENCE)
    shows(page, "#file-result", f"{expected.sentence:.4f}")
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
    from playwright.sync_api import expect

    visit(page, server.url)
    submit(page, "our parser", WORSE, tmp_path)
    page.wait_for_selector("#submit-result >> text=Accepted as")
    picture(page, "submitted")
    visit(page, server.url)
    open_tab(page, "Leaderboard")
    row = page.locator("#board [role=row].virtual-row", has_text="our parser").first
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    expect(row).to_contain_text(str(round(expected.sentence, 4)))
    row.locator("[role=gridcell]").nth(1).click()
    shows(page, "#system", "our parser", "By label")
    assert "secret@example.org" not in page.content()
    picture(page, "leaderboard")


def test_bad_file_is_refused_with_its_row(page, server, tmp_path):
    visit(page, server.url)
    submit(page, "bad", [REFERENCE[0], "(S (NP (PRP we)) (VP (VBP see)))", REFERENCE[2]], tmp_path)
    page.wait_for_selector("#submit-result .siou-error")
    reason = "row 2: file:2 has 2 words and reference:2 has 3 words"
    shows(page, "#submit-result", "does not count", reason)
    picture(page, "refused")


def test_nothing_that_is_typed_or_uploaded_runs(page, server, tmp_path):
    label = ATTACK.replace(" ", "/").replace("(", "[").replace(")", "]")
    visit(page, server.url)
    compare(page, f"(S (<b>x</b> {label}))", f"(S (<b>x</b> {label}))")
    page.wait_for_selector(".siou-drawing svg")
    assert page.locator("#result b:text('x'), #result img, #result script").count() == 0
    compare(page, f"(S ({label}", "")
    page.wait_for_selector(".siou-error")
    submit(page, ATTACK[:80], [row.replace("NP", label) for row in REFERENCE], tmp_path)
    page.wait_for_selector("#submit-result >> text=Accepted as")
    assert page.locator("#submit-result img, #submit-result script").count() == 0
    visit(page, server.url)
    open_tab(page, "Leaderboard")
    row = page.locator("#board [role=row].virtual-row", has_text="<img src=x").first
    row.locator("[role=gridcell]").nth(1).click()
    page.wait_for_selector("#system h3")
    assert page.locator("#board [role=gridcell] img, #system img, #system script").count() == 0
    picture(page, "attack")
