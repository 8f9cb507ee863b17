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
from support.space_boards import DESCRIPTION, HOST_TOKEN, REFERENCE, WORSE, write_benchmark
from support.space_client import SpaceClient, text
from support.space_pages import fill, open_playground, picture, settle, shows
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow
need_browser()

ATTACK = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>{{7*7}}${window.hit=1}'
PREDICTION = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (NP (PRP it)) (ADVP (RB again)))))"
OTHER = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (PRP it)) (ADVP (RB again))))"
PAGES = ("/", "/board?benchmark=open", "/submit", "/score", "/owner", "/host", "/playground/")


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
    write_benchmark(benchmarks, "teams", "teams = true\n" + DESCRIPTION)
    server = SpaceServer(folder / "data", benchmarks, ADMIN_TOKEN=HOST_TOKEN, DAILY_PER_USER=100)
    try:
        server.start()
        client = SpaceClient(server.url)
        for system, rows in (("a first system", WORSE), ("b second system", REFERENCE)):
            assert client.submit("open", system, rows)["state"] == "scored"
        client.close()
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture
def page(browser, server):
    """A page; whatever it asks of other servers, and errors in it, fail the test."""
    password = {"username": "host", "password": HOST_TOKEN}
    page = browser.new_page(viewport={"width": 1280, "height": 900}, http_credentials=password)
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
    page.on("console", lambda told: "Content Security Policy" in told.text and errors.append(told.text))
    yield page
    assert page.evaluate("window.hit") is None
    page.close()
    assert strangers == []
    assert errors == []


# ---- the playground ----------------------------------------------------------------------------


def compare(page, prediction, reference):
    fill(page, "prediction", prediction)
    fill(page, "reference", reference)
    page.click("#compare")


def test_pair_is_scored_and_drawn(page, server):
    open_playground(page, server.url)
    compare(page, PREDICTION, OTHER)
    page.wait_for_selector("#result .siou-drawing svg")
    shows(page, "#result", f"{struct_iou(PREDICTION, OTHER):.4f}", "structiou|unit:word")
    shows(page, ".siou-why", "NP “it again”")
    shows(page, ".siou-cause", "attachment")
    shows(page, "#result .siou-drawing svg", "ADVP", "attachment")
    page.locator("#pairs tbody th", has_text="ADVP").first.wait_for()
    picture(page, "compare")


def test_link_brings_the_comparison_back(page, server):
    from playwright.sync_api import expect

    open_playground(page, server.url, "?example=3")
    page.wait_for_selector("#result .siou-drawing svg")
    shows(page, "#result", "0.7500")  # the paper's first figure
    link = page.get_by_text("Link to this comparison").get_attribute("href")
    open_playground(page, server.url, link.removeprefix("/playground/"))
    page.wait_for_selector("#result .siou-drawing svg")
    shows(page, "#result", "0.7500")
    expect(page.locator("#prediction textarea")).to_have_value(re.compile(r"^\(VP \(VBP <2\.55,2\.56>\)"))
    page.get_by_role("button", name="Options").first.click()
    expect(page.locator("#option-unit input[value=time]")).to_be_checked()


@pytest.mark.parametrize("word", ["x", "AAAA", "%3Cscript%3E"])
def test_damaged_link(page, server, word):
    open_playground(page, server.url, f"?trees={word}")
    shows(page, "#result .error", "this link is damaged")


@pytest.mark.parametrize("width", [1280, 390])
def test_error_marks_its_place(page, server, width):
    page.set_viewport_size({"width": width, "height": 800})
    open_playground(page, server.url)
    compare(page, "(S (NP we)\n  (VP run)))", OTHER)
    shows(page, "#result .error", "prediction, line 2, column 12: this ')' closes nothing")
    shows(page, "#result .place mark", ")")
    picture(page, f"error-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hebrew_runs_from_right_to_left(page, server):
    open_playground(page, server.url, "?example=1")
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
    open_playground(page, server.url)
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
    page.get_by_role("button", name="Fit").click()
    page.wait_for_function("box => box.scrollWidth <= box.clientWidth", arg=box.element_handle())
    assert is_inside(last, box)
    page.get_by_role("button", name="Larger").click()
    page.wait_for_function("box => box.scrollWidth > box.clientWidth", arg=box.element_handle())


def is_inside(part, box):
    inner, outer = part.bounding_box(), box.bounding_box()
    left, right = inner["x"] - outer["x"], inner["x"] + inner["width"] - outer["x"]
    return left >= -1 and right <= outer["width"] + 1


# ---- pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [390, 320])
def test_phone_needs_no_sideways_scrolling(page, server, width):
    page.set_viewport_size({"width": width, "height": 844})
    id_ = page.request.get(f"{server.url}/table/open.json").json()["entries"][0]["id"]
    for path in (*PAGES, f"/system/{id_}", "/nowhere"):
        page.goto(server.url + path)
        if "playground" in path:
            page.wait_for_selector("#compare")
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("width, height", [(1280, 900), (390, 844)])
def test_table_is_on_the_first_screen(page, server, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{server.url}/board?benchmark=open")
    row = page.locator("#board tbody tr").nth(1).bounding_box()
    assert row["y"] + row["height"] < height / 2
    picture(page, f"board-{width}")


def test_first_page_explains_and_leads_on(page, server):
    page.goto(server.url)
    shows(page, "main", "STRUCT-IoU says how alike", "nodes of the prediction + nodes of the reference")
    shows(page, "main", "@inproceedings{shi-etal-2024-structured", "0.7500", "0.9655", "0.6349")
    assert page.locator("main svg:visible").count() == 4
    assert page.locator("main a[href='https://doi.org/10.18653/v1/2024.acl-long.666']").count() == 1
    for name, part in (("Leaderboard", "#board"), ("Submit", "#system"), ("Score files", "#prediction")):
        page.goto(server.url)
        page.locator(".ways a", has_text=name).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(part if name != "Leaderboard" else "#benchmark")


def test_files_are_scored_and_downloaded(page, server, tmp_path):
    (tmp_path / "p.txt").write_text(text(WORSE), "utf-8")
    (tmp_path / "r.txt").write_text(text(REFERENCE), "utf-8")
    page.goto(f"{server.url}/score")
    for name in ("prediction", "reference"):
        page.set_input_files(f"#{name}", tmp_path / f"{name[0]}.txt")
    page.get_by_role("button", name="Score the files").click()
    expected = StructIoU().corpus_score(WORSE, REFERENCE)
    shows(page, "#scores", f"{expected.sentence:.4f}")
    picture(page, "files")
    for name in ("prediction", "reference"):
        page.set_input_files(f"#{name}", tmp_path / f"{name[0]}.txt")
    with page.expect_download() as download:
        page.get_by_role("button", name="Sentences as CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8"))))
    assert [float(row["struct_iou"]) for row in rows] == expected.sentences.scores()


def submit(page, server, system, rows, tmp_path, benchmark="english"):
    path = tmp_path / "trees.txt"
    path.write_text(text(rows), "utf-8")
    page.goto(f"{server.url}/submit?benchmark={benchmark}")
    page.fill("input#system", system)
    page.fill("#contact", "secret@example.org")
    page.set_input_files("#file", path)
    page.get_by_role("button", name="Submit", exact=True).click()


def test_submission_is_ranked(page, server, tmp_path):
    submit(page, server, "our parser", WORSE, tmp_path)
    shows(page, "main", "our parser was accepted as", "Keep this secret")
    shows(page, "#state", "Scored: rank 1.")
    picture(page, "receipt")
    page.get_by_role("link", name="The page of this system").click()
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    shows(page, "main", f"{expected.sentence:.4f}", "By label")
    assert "secret@example.org" not in page.content()
    picture(page, "system")


def test_form_follows_the_benchmark(page, server):
    from playwright.sync_api import expect

    page.goto(f"{server.url}/submit")
    expect(page.locator("#team")).to_be_hidden()
    page.select_option("#chosen", "teams")
    page.wait_for_url("**/submit?benchmark=teams")
    expect(page.locator("#team")).to_be_visible()
    shows(page, "main", "Only teams may submit to this benchmark")


def test_bad_file_is_refused_with_its_row(page, server, tmp_path):
    submit(page, server, "bad", [REFERENCE[0], "(S (NP (PRP we)) (VP (VBP see)))", REFERENCE[2]], tmp_path)
    shows(page, ".error", "does not count", "row 2: file:2 has 2 words and reference:2 has 3 words")
    assert page.input_value("input#system") == "bad"
    submit(page, server, "bad", ["(S (A a)))", *REFERENCE[1:]], tmp_path)
    shows(page, ".error .place mark", ")")
    picture(page, "refused")


def test_table_is_sorted_searched_and_ticked(page, server):
    """The name stays where it is while the rest scrolls; two ticked systems are compared."""
    from playwright.sync_api import expect

    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/board?benchmark=open")
    names = page.locator("#board tbody a")
    expect(names).to_have_text(["b second system", "a first system"])
    page.get_by_role("button", name="system", exact=True).click()
    expect(page.locator("#board th[aria-sort=ascending]")).to_have_text("system")
    expect(names).to_have_text(["a first system", "b second system"])
    table = page.locator("#systems .scroll")
    table.evaluate("box => { box.scrollLeft = 250 }")
    page.wait_for_function("box => box.scrollLeft > 200", arg=table.element_handle())
    assert is_inside(names.first, table)
    assert not is_inside(page.locator("#board tbody td").first, table)
    page.get_by_label("Find").fill("SECOND b")
    expect(names.filter(visible=True)).to_have_text(["b second system"])
    shows(page, "#systems [role=status]", "1 of 2")
    picture(page, "phone-table")
    page.get_by_label("Find").fill("")
    for box in page.locator("#board tbody input[type=checkbox]").all():
        box.check()
    page.get_by_role("button", name="Compare two ticked systems").click()
    shows(page, "h1", "a first system", "b second system")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_pages_work_without_scripts(browser, server, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{server.url}/board")
    page.select_option("#benchmark", "open")
    page.get_by_role("button", name="Show").first.click()
    assert page.locator("#board tbody tr").count() == 2
    page.goto(f"{server.url}/submit?benchmark=open")
    path = tmp_path / "trees.txt"
    path.write_text(text(["()", *REFERENCE[1:]]), "utf-8")
    page.fill("input#system", "c without scripts")
    page.set_input_files("#file", path)
    page.get_by_role("button", name="Submit", exact=True).click()
    assert "was accepted as" in page.content()
    context.close()


def test_empty_board_says_what_to_do(page, server):
    page.goto(f"{server.url}/board?benchmark=unused")
    shows(page, ".empty", "No system is on this board yet", "a tree for each sentence")
    page.locator(".empty a").click()
    page.wait_for_selector("#file")
    assert page.input_value("#chosen") == "unused"


def test_host_deletes_undoes_and_imports(page, server, tmp_path):
    submit(page, server, "host's victim", ["()", *WORSE[1:]], tmp_path)
    shows(page, "#state", "Scored")
    page.goto(f"{server.url}/host")
    row = page.locator("#host-table tbody tr", has_text="host's victim")
    row.locator("input[type=checkbox]").check()
    page.select_option("#action", "delete")
    picture(page, "host")
    page.get_by_role("button", name="Do it").click()
    shows(page, "main", "delete 1 submission?", "host's victim of anonymous")
    page.get_by_role("button", name="Confirm").click()
    shows(page, "#submissions .done", "delete: host's victim")
    shows(page, '#host-table tbody tr:has-text("host\'s victim")', "scored, deleted")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export everything").click()
    page.set_input_files("#import", download.value.path())
    page.get_by_role("button", name="Import").click()
    shows(page, "#transfer .done", "0 imported")


def test_nothing_that_is_typed_or_uploaded_runs(page, server, tmp_path):
    label = ATTACK.replace(" ", "/").replace("(", "[").replace(")", "]")
    open_playground(page, server.url)
    compare(page, f"(S (<b>x</b> {label}))", f"(S (<b>x</b> {label}))")
    page.wait_for_selector("#result .siou-drawing svg")
    assert page.locator("#result b:text('x'), #result img, #result script").count() == 0
    compare(page, f"(S ({label}", "")
    page.wait_for_selector("#result .error")
    submit(page, server, ATTACK[:80], [row.replace("NP", label) for row in REFERENCE], tmp_path)
    shows(page, "#state", "Scored")
    assert page.locator("main img, main script").count() == 0
    page.goto(f"{server.url}/board?benchmark=english")
    page.locator("#board tbody a", has_text="<img src=x").first.click()
    page.wait_for_selector("h1")
    assert page.locator("main img, main script").count() == 0
    picture(page, "attack")
