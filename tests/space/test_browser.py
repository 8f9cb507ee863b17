"""The pages in a real browser.

Whatever the fonts and the speed of the machine: each test waits for a state of the page, never for a time.
"""

from __future__ import annotations

import csv
import io
import re

import pytest

from structiou_metric import StructIoU, struct_iou
from support.browser import need_browser, open_browser
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, REFERENCE, WORSE, write_benchmark
from support.space_pages import attach, fill, open_tab, picture, settle, shows, visit
from support.space_server import SpaceServer

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
    write_benchmark(
        benchmarks,
        "open",
        DESCRIPTION.replace("[metrics.parseval]", "show_sentences = true\n[metrics.parseval]"),
    )
    write_benchmark(benchmarks, "unused")
    server = SpaceServer(folder / "data", benchmarks, ADMIN_TOKEN="host-token", DAILY_PER_USER=100)
    server.start()
    yield server
    server.kill()


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


def compare(page, prediction, reference):
    open_tab(page, "Compare trees")
    fill(page, "prediction", prediction)
    fill(page, "reference", reference)
    page.click("#compare")


def test_pair_is_scored_and_drawn(page, server):
    visit(page, server.url)
    compare(page, PREDICTION, OTHER)
    page.wait_for_selector("#result .siou-drawing svg")
    shows(page, "#result", f"{struct_iou(PREDICTION, OTHER):.4f}", "structiou|unit:word")
    shows(page, ".siou-why", "NP “it again”")
    shows(page, ".siou-cause", "attachment")
    shows(page, "#result .siou-drawing svg", "ADVP", "attachment")
    page.locator("#pairs tbody th", has_text="ADVP").first.wait_for()
    shows(page, "#siou-live", f"STRUCT-IoU {struct_iou(PREDICTION, OTHER):.4f}")
    picture(page, "compare")


def test_link_brings_the_comparison_back(page, server):
    from playwright.sync_api import expect

    visit(page, f"{server.url}/?open=trees")
    page.click("#example-0")
    page.wait_for_selector("#result .siou-drawing svg")
    shows(page, "#result", "0.7500")  # the paper's first figure
    link = page.get_by_text("Link to this comparison").get_attribute("href")
    visit(page, f"{server.url}/{link}")
    page.wait_for_selector("#result .siou-drawing svg")
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
    visit(page, f"{server.url}/?open=trees")
    page.click("#example-2")
    page.wait_for_selector("#result .siou-drawing svg")
    shows(page, "#result", "0.6349")  # the paper's 0.635
    settle(page)
    places = page.evaluate(
        """() => [...document.querySelectorAll('#result [data-drawing]:not([hidden]) svg text')]
            .map(text => [text.textContent, text.getBoundingClientRect().x])"""
    )
    first = max(x for text, x in places if "איזה" in text)
    last = max(x for text, x in places if "פצועים" in text)
    assert first > last
    picture(page, "hebrew")


@pytest.mark.parametrize(
    "tab, part",
    [
        ("Start", "#start svg"),
        ("Compare trees", "#result .siou-drawing svg"),
        ("Score files", "#prediction-file"),
        ("Leaderboard", "#about p"),
        ("Submit", "#submit-file"),
    ],
)
def test_phone_needs_no_sideways_scrolling(page, server, tab, part):
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, server.url)
    open_tab(page, tab)
    if tab == "Compare trees":
        page.click("#example-1")
    page.wait_for_selector(part)
    settle(page)
    picture(page, f"phone-{tab}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [1200, 390, 320])
def test_every_page_has_a_tab_in_view(page, server, width):
    page.set_viewport_size({"width": width, "height": 800})
    visit(page, server.url)
    for name in ("Host", "Submit", "Leaderboard", "Score files", "Compare trees", "Start"):
        box = page.get_by_role("tab", name=name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        open_tab(page, name)


def test_first_page_explains_and_leads_on(page, server):
    from playwright.sync_api import expect

    visit(page, server.url)
    shows(page, "#start", "STRUCT-IoU says how alike", "nodes of the prediction + nodes of the reference")
    shows(page, "#start", "@inproceedings{shi-etal-2024-structured", "0.7500", "0.9655", "0.6349")
    assert page.locator("#start svg:visible").count() == 4
    assert page.locator("#start a[href='https://doi.org/10.18653/v1/2024.acl-long.666']").count() == 1
    ways = {"Compare two trees": "#compare", "Score files": "#score-files"}
    ways |= {"Leaderboard": "#about", "Submit": "#submit-file"}
    for name, part in ways.items():
        open_tab(page, "Start")
        page.locator(".siou-ways a", has_text=name).focus()
        page.keyboard.press("Enter")
        expect(page.locator(part)).to_be_visible()
    visit(page, f"{server.url}/?open=submit")
    expect(page.locator("#submit-file")).to_be_visible()


# Of the labels of bars that are partly in view, how many are not wholly so, and of how many.
HIDDEN_LABELS = """box => {
    const view = box.getBoundingClientRect();
    const bars = [...box.querySelectorAll('[data-drawing]:not([hidden]) g[data-tree]')].filter(bar => {
        const {left, right} = bar.getBoundingClientRect();
        return Math.min(right, view.right) - Math.max(left, view.left) > 150;
    });
    const out = bars.filter(bar => {
        const {left, right} = bar.querySelector('text').getBoundingClientRect();
        return left < view.left - 1 || right > view.right + 1;
    });
    return [out.length, bars.length];
}"""


@pytest.mark.parametrize("word, way", [("word", 1), ("מילה", -1)])
def test_long_sentence(page, server, word, way):
    """60 words: at first only what differs; all of it scrolls, labels in view, from where reading begins."""
    from playwright.sync_api import expect

    words = [f"(X (NN {word}{k}))" for k in range(60)]
    tree = f"(S (NP {' '.join(words[:30])}) (VP {' '.join(words[30:])}))"
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, server.url)
    compare(page, tree.replace("(X (NN " + word + "7)", "(Y (NN " + word + "7)"), tree)
    box = page.locator("#result .siou-drawing")
    shown = box.locator("[data-drawing]:not([hidden]) svg")

    def written(k):
        return shown.locator("[data-words] text", has_text=re.compile(f"^{word}{k}$"))

    expect(written(7)).to_be_visible()
    expect(written(40)).to_have_count(0)
    page.get_by_role("button", name="Only what differs").click()
    expect(written(40)).to_have_count(1)
    settle(page)
    first, last = written(0), written(59)
    assert is_inside(first, box)
    assert not is_inside(last, box)
    for place in (0, 700, 1500):
        box.evaluate("(box, place) => { box.scrollLeft = place }", way * place)
        page.wait_for_function(f"box => ({HIDDEN_LABELS})(box)[0] === 0", arg=box.element_handle())
    assert box.evaluate(HIDDEN_LABELS)[1] >= 4  # S, NP or VP above and below
    picture(page, f"long-{way}")
    page.get_by_role("button", name="Fit into the page").click()
    page.wait_for_function("box => box.scrollWidth <= box.clientWidth", arg=box.element_handle())
    assert is_inside(last, box)
    page.get_by_role("button", name="Larger").click()
    page.wait_for_function("box => box.scrollWidth > box.clientWidth", arg=box.element_handle())


def is_inside(part, box):
    inner, outer = part.bounding_box(), box.bounding_box()
    left, right = inner["x"] - outer["x"], inner["x"] + inner["width"] - outer["x"]
    return left >= -1 and right <= outer["width"] + 1


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
    shows(page, "#siou-live", "Accepted as")
    picture(page, "submitted")
    visit(page, server.url)
    open_tab(page, "Leaderboard")
    row = page.locator("#board tbody tr", has_text="our parser").first
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    expect(row).to_contain_text(str(round(expected.sentence, 4)))
    row.locator("a").focus()
    page.keyboard.press("Enter")
    shows(page, "#system", "our parser", "By label")
    shows(page, ".siou-bars thead", "label", "STRUCT-IoU", "nodes")
    expect(page.locator("#system h3")).to_be_focused()
    expect(page.locator("#system h3")).to_be_in_viewport()
    assert "secret@example.org" not in page.content()
    picture(page, "leaderboard")


def test_table_on_a_phone(page, server, tmp_path):
    """The name stays where it is while the rest scrolls; a heading sorts, and a field searches."""
    from playwright.sync_api import expect

    for name, rows in (("a first system", WORSE), ("b second system", REFERENCE)):
        visit(page, server.url)
        submit(page, name, rows, tmp_path)
        page.wait_for_selector("#submit-result >> text=Accepted as")
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, f"{server.url}/?open=board")
    names = page.locator("#board tbody a")
    page.get_by_role("button", name="system", exact=True).click()
    expect(page.locator("#board th[aria-sort=ascending]")).to_have_text("system")
    found = names.all_inner_texts()
    assert found.index("a first system") < found.index("b second system")
    table = page.locator("#board .siou-scroll")
    table.evaluate("box => { box.scrollLeft = 250 }")
    page.wait_for_function("box => box.scrollLeft > 200", arg=table.element_handle())
    assert is_inside(names.first, table)
    assert not is_inside(page.locator("#board tbody td").first, table)
    page.get_by_label("Find a system").fill("SECOND b")
    expect(names).to_have_text(["b second system"])
    shows(page, "#board [role=status]", "1 of ")
    picture(page, "phone-table")
    names.first.click()
    page.wait_for_selector(".siou-bars tbody th")
    heights = "[...document.querySelectorAll('.siou-bars tbody th')].map(cell => cell.offsetHeight)"
    assert max(page.evaluate(heights)) < 45  # a line, not one for each letter
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_empty_board_says_what_to_do(page, server):
    from playwright.sync_api import expect

    visit(page, f"{server.url}/?benchmark=unused")
    shows(page, ".siou-empty", "No system is on this board yet", "3 trees, one for each sentence")
    page.locator(".siou-empty a").click()
    expect(page.locator("#submit-file")).to_be_visible()


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
    page.wait_for_selector("#result .siou-drawing svg")
    assert page.locator("#result b:text('x'), #result img, #result script").count() == 0
    compare(page, f"(S ({label}", "")
    page.wait_for_selector(".siou-error")
    submit(page, ATTACK[:80], [row.replace("NP", label) for row in REFERENCE], tmp_path)
    page.wait_for_selector("#submit-result >> text=Accepted as")
    assert page.locator("#submit-result img, #submit-result script").count() == 0
    visit(page, server.url)
    open_tab(page, "Leaderboard")
    page.locator("#board tbody a", has_text="<img src=x").first.click()
    page.wait_for_selector("#system h3")
    assert page.locator("#board img, #board script, #system img, #system script").count() == 0
    picture(page, "attack")
