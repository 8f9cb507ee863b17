"""`structiou compare` and its reports: tables, JSON and the page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from structiou_metric import StructIoU
from structiou_metric.analysis.compare import compare
from structiou_metric.metrics import METRICS, metric_class
from structiou_metric.report.charts import Scale
from structiou_metric.report.comparison import write_text
from structiou_metric.report.page import write_page
from support.cli import failed, runner, succeeded
from support.paths import DATA

pytest.importorskip("numpy")
pytest.importorskip("jinja2")

HEBREW = str(DATA / "hebrew.reference.txt"), str(DATA / "hebrew.prediction.txt")

# By hand: `old` gets S, NP and PRP of 5 nodes, then nothing of 2; `new` gets all.
REFERENCE = "(S (NP (PRP we)) (VP (VBP run)))\n(INTJ (UH yes))\n"
OLD = "(S (NP (PRP we)) (NP (NN run)))\n()\n"
NEW = REFERENCE


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs the command in a folder with three files; returns the exit code and both outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in (("ref.txt", REFERENCE), ("old.txt", OLD), ("new.txt", NEW)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return runner(capsys, "compare")


# ---- tables ----------------------------------------------------------------------------------------


def test_compare_tables_for_people(structiou):
    out = succeeded(structiou("ref.txt", "old.txt", "new.txt", "--resamples", "100", "--no-why"))
    # Where both sentences of a sample are the second, with a chance of 1/4, two differences are as far from
    # the data's as that is from 0; in no sample are the others.
    out = re.sub(r"(?<=\+1\.0000  )0\.[123]\d{3}  ", "0.25    ", out)
    # Of two sentences, Student's t is so wide that the bounds are the least and the greatest of all samples.
    # Two that are alike miss others that are all but 0.1581 of the text with a chance of 0.1581² = 0.025; one
    # misses others that are all but 0.025 of it.
    assert out.splitlines() == [
        "STRUCT-IoU, 2 sentences",
        "system  sentence mean  corpus level   precision      recall",
        "new     1.0000 a       1.0000 a       1.0000 a       1.0000 a",
        "        1.0000–1.0000  1.0000–1.0000  1.0000–1.0000  1.0000–1.0000",
        "old     0.3000 a       0.5000 a       0.6000 a       0.4286 a",
        "        0.0000–0.6000  0.0000–0.6000  0.0000–0.6000  0.0000–0.6000",
        "",
        "ParsEval, 1 sentence",
        "system  F1             precision      recall",
        "new     1.0000 a       1.0000 a       1.0000 a",
        "        1.0000–1.0000  1.0000–1.0000  1.0000–1.0000",
        "old     0.6667 a       0.6667 a       0.6667 a",
        "        0.6667–0.6667  0.6667–0.6667  0.6667–0.6667",
        "",
        "differences, * significant",
        "                             difference           interval             p    Holm",
        "new minus old (2 sentences better, 0 worse, 0 equal)",
        "  STRUCT-IoU, sentence mean  +0.7000     +0.4000 … +1.0000  0.5000 exact  0.5000",
        "  STRUCT-IoU, corpus level   +0.5000     +0.4000 … +1.0000  0.5000 exact  0.5000",
        "  STRUCT-IoU, precision      +0.4000     +0.4000 … +1.0000  0.5000 exact  0.5000",
        "  STRUCT-IoU, recall         +0.5714     +0.4000 … +1.0000  0.5000 exact  0.5000",
        "  ParsEval, F1               +0.3333     +0.3333 … +0.3333  1.0000 exact  1.0000",
        "  ParsEval, precision        +0.3333     +0.3333 … +0.3333  1.0000 exact  1.0000",
        "  ParsEval, recall           +0.3333     +0.3333 … +0.3333  1.0000 exact  1.0000",
        "",
        "by length of the reference",
        "words   sentences     new     old",
        "STRUCT-IoU, sentence mean",
        "  1–10          2  1.0000  0.3000",
        "ParsEval, F1",
        "  1–10          1  1.0000  0.6667",
        "",
        "STRUCT-IoU by label, those first that set the systems apart the most",
        "label  reference     new     old  difference",
        "INTJ           1  1.0000  0.0000     +1.0000",
        "UH             1  1.0000  0.0000     +1.0000",
        "VBP            1  1.0000  0.0000     +1.0000",
        "VP             1  1.0000  0.0000     +1.0000",
        "NP             1  1.0000  0.6667     +0.3333",
        "PRP            1  1.0000  1.0000      0.0000",
        "S              1  1.0000  1.0000      0.0000",
        "NN             0       —  0.0000           —",
        "",
        "sentences on which the systems differ most, by nodes lost, least–most (1 of 1), STRUCT-IoU",
        "row  words     new     old  lost  text",
        "1        2  1.0000  0.6000   0–4  we run",
        "",
        "failed parses, and such as cannot be compared (1 of 1 sentence)",
        "row  words  no parse of  text",
        "2        1  old          yes",
        "",
        "95% intervals, 100 resamples, seed 1 (percentiles of the bootstrap, with the lowest or highest row "
        "in each resample, over sentences).",
        "An interval without width says that all sentences are alike, so that nothing can be resampled; "
        "up to 95.0% of all sentences may yet be of another kind that was not seen.",
        "The two differ significantly where their letters differ: p of approximate randomisation is below "
        "0.05.",
        "",
        "ParsEval of old: 1 empty parse left out among 2 sentences, the first in row 2; "
        "F1 0.6667 over its own valid ones.",
        "ParsEval compares the systems on 1 of 2 sentences, those that are valid for all of them.",
        "old: ParsEval compares all systems on 1 sentence, and without this one on 2; leave it out "
        "(--skip-system), or count what it lacks as 0 (on_error 'zero').",
        "With 2 sentences intervals may be too narrow; the tests are exact however few there are.",
        StructIoU().signature,
        out.splitlines()[-1],
    ]
    assert out.splitlines()[-1].startswith("parseval|variant:evalb|")


def test_compare_headline_comes_first(structiou):
    lines = succeeded(structiou("ref.txt", "old.txt", "new.txt", "--average", "corpus")).splitlines()
    assert lines[1] == "system  corpus level   sentence mean  precision      recall"
    assert lines[4] == "old     0.5000 a       0.3000 a       0.6000 a       0.4286 a"
    at = lines.index("by length of the reference")
    assert [line for line in lines[at : at + 6] if "," in line] == [
        "STRUCT-IoU, corpus level",
        "ParsEval, F1",
    ]


def test_compare_draws_the_best_and_the_worst(structiou):
    out = succeeded(structiou("ref.txt", "old.txt", "new.txt", "--metrics", "struct_iou", "--draw", "1"))
    assert re.findall("^row .*,.*", out, flags=re.MULTILINE) == ["row 1, old", "row 1, new"]
    assert "·     └── NN run" in out
    assert "parseval|" not in out


def test_compare_lists_what_cannot_be_compared_with_its_error(structiou, tmp_path):
    (tmp_path / "old.txt").write_text("(S (A a) (B b) (C c))\n(INTJ (UH yes))\n")
    out = succeeded(structiou("ref.txt", "old.txt", "new.txt", "--on-error", "zero", "--draw", "1"))
    assert "1        2  old (prediction has 3 words and reference has 2 words" in out


def test_compare_with_a_baseline_marks_what_differs(structiou, tmp_path):
    (tmp_path / "ref.txt").write_text(REFERENCE * 20)
    (tmp_path / "old.txt").write_text(OLD * 20)
    (tmp_path / "new.txt").write_text(NEW * 20)
    out = succeeded(
        structiou("ref.txt", "old.txt", "new.txt", "--names", "A, B", "--baseline", "A", "--level", "0.9")
    )
    assert "B       1.0000 *" in out
    assert "A       0.3000  " in out
    assert "* differs significantly from A: p of approximate randomisation is below 0.1." in out


def test_compare_many_pairs_are_listed_by_their_headlines(structiou):
    names = "a,b,c,d,e"
    out = succeeded(
        structiou("ref.txt", *["old.txt", "new.txt"] * 2, "old.txt", "--names", names, "--average", "corpus")
    )
    assert out.count("  STRUCT-IoU, corpus level ") == 10
    assert "  STRUCT-IoU, sentence mean " not in out
    assert "Holm-corrected over the pairs of a measure" in out


def test_compare_right_to_left_text_keeps_the_table(structiou):
    out = succeeded(structiou(*HEBREW, HEBREW[0], "--unit", "char", "--worst", "2", "--names", "הבית,b"))
    assert "\u2068" + "הבית" + "\u2069" in out
    assert "ParsEval of הבית: — (it needs the same words on both sides; " in out


# ---- JSON ------------------------------------------------------------------------------------------


def test_compare_json(structiou):
    data = json.loads(
        succeeded(structiou("ref.txt", "old.txt", "new.txt", "--json", "--worst", "1", "--seed", "7"))
    )
    assert [system["name"] for system in data["systems"]] == ["old", "new"]
    assert data["systems"][0]["figures"]["struct_iou_corpus"]["value"] == 0.5
    assert data["pairs"][0]["differences"]["struct_iou_sentence"]["p_randomization"] == 0.5
    assert [row["index"] for row in data["sentences"]] == [0]
    assert [(row["index"], row["failed"]) for row in data["failed"]] == [(1, ["old"])]
    assert (data["seed"], data["n_resamples"]) == (7, 10_000)


def test_compare_tables_and_parameters(structiou, tmp_path):
    trees = REFERENCE.splitlines()
    rows = "".join(json.dumps({"gold": tree, "prediction": tree}) + "\n" for tree in trees)
    (tmp_path / "both.jsonl").write_text(rows)
    (tmp_path / "noun.prm").write_text("DELETE_LABEL NP\n")
    out = succeeded(
        structiou("both.jsonl", "both.jsonl", "--reference-column", "gold", "--json", "-p", "noun.prm")
    )
    data = json.loads(out)
    assert data["systems"][0]["figures"]["parseval_f1"]["value"] == 1.0
    assert "delete_labels:NP" in data["signatures"]["parseval"]


def test_compare_by_all_metrics_is_score_by_each(structiou, capsys):
    files = "ref.txt", "old.txt", "new.txt"
    data = json.loads(succeeded(structiou(*files, "--metrics", "all", "--resamples", "20", "--json")))
    assert list(data["signatures"]) == list(METRICS)
    score = runner(capsys, "score")
    for name in METRICS:
        headline = metric_class(name)().headline
        found = json.loads(succeeded(score("ref.txt", "new.txt", "--metric", name, "--json")))
        assert data["systems"][1]["figures"][headline]["value"] == found[name] == 1.0


def test_compare_resamples_documents(structiou, tmp_path):
    (tmp_path / "ref.txt").write_text(REFERENCE * 6)
    (tmp_path / "old.txt").write_text(OLD * 6)
    (tmp_path / "new.txt").write_text(NEW * 6)
    names = [f"d{k // 4}" for k in range(12)]
    (tmp_path / "documents.txt").write_text("\n".join(names) + "\n")
    (tmp_path / "documents.csv").write_text("text,source\n" + "".join(f"x,{name}\n" for name in names))
    rows = [{"tree": tree, "clusters": names[k]} for k, tree in enumerate((REFERENCE * 6).splitlines())]
    (tmp_path / "ref.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = "ref.txt", "old.txt", "new.txt"
    runs = [
        succeeded(structiou(*files, "--json", "--clusters", "documents.txt")),
        succeeded(structiou(*files, "--json", "--clusters", "documents.csv", "--clusters-column", "source")),
        succeeded(
            structiou(
                "ref.jsonl", *files[1:], "--json", "--clusters", "ref.jsonl", "--reference-column", "tree"
            )
        ),
    ]
    found, *others = map(json.loads, runs)
    assert all(other == found for other in others)
    assert found["n_clusters"]["struct_iou"] == 3
    # Three documents, each with the same: of 8 swaps, two are as far apart.
    assert found["pairs"][0]["differences"]["struct_iou_sentence"]["p_randomization"] == 0.25
    assert "over 3 clusters of sentences" in succeeded(structiou(*files, "--clusters", "documents.txt"))


def test_compare_refuses_sentences_without_a_document(structiou, tmp_path):
    (tmp_path / "one.txt").write_text("a\n")
    (tmp_path / "blank.txt").write_text("a\n\n")
    (tmp_path / "none.jsonl").write_text('{"clusters": "a"}\n{"clusters": null}\n')
    files = "ref.txt", "old.txt", "--clusters"
    assert "1 cluster for 2 sentences; name one for each" in failed(structiou(*files, "one.txt"))
    assert "blank.txt:2: no cluster is named here" in failed(structiou(*files, "blank.txt"))
    assert "none.jsonl:2['clusters']: no cluster is named here" in failed(structiou(*files, "none.jsonl"))


# ---- usage -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args, message",
    [
        pytest.param(["ref.txt"], "the following arguments are required: PREDICTION", id="no system"),
        pytest.param(["ref.txt", "old.txt", "--names", "a,b"], "--names: 1 name", id="too many names"),
        pytest.param(["ref.txt", "old.txt", "new.txt", "--names", "a,"], "none empty", id="empty name"),
        pytest.param(
            ["ref.txt", "old.txt", "new.txt", "--names", "a,a"], "two systems are called 'a'", id="same names"
        ),
        pytest.param(["ref.txt", "old.txt", "old.txt"], "two systems are called 'old.txt'", id="same file"),
        pytest.param(
            ["ref.txt", "old.txt", "--baseline", "x"], "'x' is no system; choose from old", id="baseline"
        ),
        pytest.param(
            ["ref.txt", "old.txt", "--level", "95"], "'95' is not a number between 0 and 1", id="level"
        ),
        pytest.param(["ref.txt", "old.txt", "--seed", "-1"], "whole number from 0 on", id="seed"),
        pytest.param(["ref.txt", "old.txt", "--lengths", "20,10"], "whole numbers that rise", id="lengths"),
        pytest.param(["ref.txt", "old.txt", "--lengths", "a"], "whole numbers that rise", id="no lengths"),
        pytest.param(
            ["ref.txt", "old.txt", "--clusters-column", "x"],
            "name the table with --clusters",
            id="no clusters",
        ),
        pytest.param(
            ["ref.txt", "old.txt", "--clusters", "ref.txt", "--clusters-column", "x"],
            "--clusters-column: ref.txt is no table",
            id="clusters of no table",
        ),
        pytest.param(
            ["-", "old.txt", "--clusters", "-"],
            "only one file can be standard input",
            id="trees and clusters",
        ),
        pytest.param(["-", "-"], "only one file can be standard input", id="two inputs"),
        pytest.param(
            ["-", "old.txt", "-p", "-"], "only one file can be standard input", id="trees and parameters"
        ),
        pytest.param(
            ["ref.txt", "old.txt", "-p", "x", "--metrics", "struct_iou"],
            "there is no option -p",
            id="an option of another metric",
        ),
        pytest.param(
            ["ref.txt", "old.txt", "--prediction-column", "x"], "old.txt is no table", id="no table"
        ),
    ],
)
def test_compare_bad_usage(structiou, args, message):
    assert message in failed(structiou(*args), 2)


def test_compare_names_files_of_unequal_length(structiou, tmp_path):
    (tmp_path / "new.txt").write_text("(S (A a))\n")
    assert failed(structiou("ref.txt", "old.txt", "new.txt")) == (
        "structiou: new.txt: 1 tree, ref.txt: 2 trees; give the same number of both: "
        "no row of one has the words of a row of the other\n"
    )


def test_compare_short_names_only_if_they_differ(structiou, tmp_path):
    (tmp_path / "run1").mkdir()
    (tmp_path / "run1" / "old.txt").write_text(OLD)
    data = json.loads(succeeded(structiou("ref.txt", "old.txt", "run1/old.txt", "--json")))
    assert [system["name"] for system in data["systems"]] == ["old.txt", "run1/old.txt"]


def test_compare_reports_a_missing_file(structiou):
    assert "missing.txt: No such file" in failed(structiou("ref.txt", "missing.txt"))
    assert "missing.prm" in failed(structiou("ref.txt", "old.txt", "-p", "missing.prm"))


# ---- the page --------------------------------------------------------------------------------------

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Checks that elements nest, and collects what they are and what they hold."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


HOSTILE = "<script>alert1</script>"


@pytest.fixture(scope="module")
def page():
    """A page of three systems with hostile names, labels and words, Hebrew, and a failed parse."""
    references = [f"(S ({HOSTILE} \"'><img) (B &amp;))", "(S (NN הבית) (VB גדול))", "(INTJ (UH \u202eyes))"]
    systems = {
        HOSTILE: [f"(S ({HOSTILE} x) (C y))", *references[1:]],
        "\"onload='x' \u202e\x07": [references[0], "(X (NN הבית) (VB גדול))", "()"],
        "הבית": references,
    }
    return write_page(compare(systems, references, n_resamples=50), n_sentences=3)


def test_page_is_well_formed(page):
    found = Page(page)
    assert page.startswith("<!DOCTYPE html>\n")
    assert found.tags.count("svg") > 20
    # Three tables, two sentences, of each two drawings.
    assert len(re.findall(r"<details(?: open)?><summary>", page)) == 3 + 2 + 4
    assert "Sentences on which the systems differ most" in found.texts
    assert "Failed parses" in found.texts


def test_page_shows_names_labels_and_words_as_text(page):
    found = Page(page)
    allowed = (
        "html head meta title style body main h1 h2 h3 p ul li bdi strong div table thead tbody tr th td"
    )
    allowed += (
        " small sup b br figure figcaption details summary span code svg g path rect line text tspan desc"
    )
    assert set(found.tags) <= set(allowed.split())
    assert HOSTILE in "".join(found.texts)
    assert not any(name.startswith("on") for name, _ in found.attributes)
    assert not set("\u202e\x07") & set(page)


def test_page_needs_no_network(page):
    found = Page(page)
    assert not {"src", "href", "xlink:href", "action"} & {name for name, _ in found.attributes}
    assert set(re.findall(r"https?://[^\s\"'<]*", page)) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in page
    assert "@import" not in page
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in found.attributes


def test_page_is_for_light_and_dark_and_for_phones(page):
    assert "prefers-color-scheme: dark" in page
    assert ("name", "viewport") in Page(page).attributes


def test_page_says_which_systems_differ():
    references = ["(S (A a) (B b))", "(S (A a) (C b))"] * 20
    worse = ["(X (Y a) (B b))"] * 40
    result = compare({"good": references, "bad": worse, "same": references}, references, n_resamples=100)
    text = re.sub("<[^>]*>", "", write_page(result))
    assert "good is better than bad by" in text
    assert "good and same are the best, equal, by STRUCT-IoU, sentence mean: 1.0000" in text
    assert "good and same have the same figure (p = 1.0000)" in text
    assert "20 better" not in text


def test_page_of_one_system():
    found = Page(write_page(compare({"only": ["(S (B a))"]}, ["(S (A a))"], n_resamples=9)))
    assert "Differences" not in found.texts


def test_page_of_equal_systems():
    text = "".join(Page(write_page(compare({"a": ["(S (A a))"], "b": ["(S (A a))"]}, ["(S (A a))"]))).texts)
    assert "no sentence differs" in text
    assert "at most" not in text


def test_page_is_small_where_trees_and_words_are_not():
    deep = "(X " * 3000 + "(Y y) (Z z)" + ")" * 3000
    wide = f"(S (A {'a' * 100_000}) ({'L' * 100_000} b))"
    text = write_page(compare({"a": [deep, wide], "b": ["(S (A y) (B z))"] * 2}, [deep, wide]))
    assert "not drawn: 6,004 nodes, more than 2,000" in text
    assert len(text) < 100_000


def test_page_is_written_beside_the_tables(structiou, tmp_path):
    args = ("ref.txt", "old.txt", "new.txt", "--worst", "1")
    assert succeeded(structiou(*args, "--html", "report.html")) == succeeded(structiou(*args))
    found = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert found.tags.count("details") == 8  # three tables, a sentence, two drawings, NP on both sides
    assert "2 sentences of " in "".join(found.texts)


@pytest.mark.parametrize(
    "path, message",
    [
        (
            "nowhere/report.html",
            "nowhere/report.html: No such file or directory; nor can its folder be read; check the path",
        ),
        ("folder", "folder: Is a directory"),
    ],
)
def test_page_that_cannot_be_written_is_refused_first(structiou, tmp_path, monkeypatch, path, message):
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr("structiou_metric.metrics.runner.run_batches", lambda *args: pytest.fail("scored"))
    err = failed(structiou("ref.txt", "old.txt", "--html", path))
    assert err == f"structiou: {message}\n"


def test_reports_are_the_same_each_time():
    references = ["(S (A a) (B b))"] * 5
    systems = {"a": references, "b": ["(S (A a) (C b))"] * 5}
    for write in (write_page, write_text):
        assert write(compare(systems, references)) == write(compare(systems, references))


@pytest.mark.parametrize(
    "values, ticks",
    [
        pytest.param([0.91, 0.94], ["0.91", "0.92", "0.93", "0.94"], id="hundredths"),
        pytest.param([0.0, 1.0], ["0.00", "0.25", "0.50", "0.75", "1.00"], id="quarters"),
        pytest.param([1.0], ["0.9975", "1.0000"], id="one value"),
        pytest.param([0.0], ["0.0000", "0.0025"], id="zero"),
        pytest.param([-0.3, 0.3], ["−0.4", "−0.2", "0.0", "0.2", "0.4"], id="negative"),  # noqa: RUF001
        pytest.param([], ["0.00", "0.25", "0.50", "0.75", "1.00"], id="nothing"),
    ],
)
def test_scale_has_round_numbers(values, ticks):
    scale = Scale.around(values)
    assert [scale.shown(tick) for tick in scale.ticks()] == ticks
    assert all(0.0 <= scale.share(value) <= 1.0 for value in values)
