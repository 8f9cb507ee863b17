"""What figures look like in reports, and what the page says and draws of many systems and failed parses."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from structiou_metric.analysis.compare import compare
from structiou_metric.analysis.comparison import Difference, Resampling
from structiou_metric.report.charts import interval_chart, label_chart, length_chart
from structiou_metric.report.comparison import difference_cells, holm_value, p_value, write_text
from structiou_metric.report.page import write_page
from structiou_metric.report.tables import decimals
from structiou_metric.stats.intervals import Interval

pytest.importorskip("numpy")
pytest.importorskip("jinja2")


def tree(n_wrong, n_words=9):
    """A sentence with as many wrong tags."""
    tags = " ".join(f"({'B' if k < n_wrong else 'A'} w{k})" for k in range(n_words))
    return f"(S {tags})"


def plain(page):
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page))


# ---- figures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, signed, text",
    [
        (0.25, False, "0.2500"),
        (0.25, True, "+0.2500"),
        (-0.25, True, "-0.2500"),
        (0.0, True, "0.0000"),
        (-0.0, True, "0.0000"),
        (-3e-17, True, "0.0000"),
        (0.00005, True, "+0.0001"),
        (0.000049, True, "~0 (+0.00005)"),
        (-0.0000123, True, "~0 (-0.00001)"),
        (0.0000002, False, "~0 (0.0000002)"),
        (None, False, "—"),
    ],
)
def test_figures_near_zero_are_shown_as_such(value, signed, text):
    assert decimals(value, signed=signed) == text


@pytest.mark.parametrize(
    "p, n_resamples, exact, text",
    [
        (1 / 10_001, 10_000, False, "≤ 0.0001"),
        (2 / 10_001, 10_000, False, "0.0002"),
        (1 / 101, 100, False, "≤ 0.0100"),  # 0.00990…, rounded up to a bound
        (1 / 1001, 1000, False, "≤ 0.0010"),
        (1 / 16, 1000, True, "0.0625"),
        (1 / 1_000_001, 1_000_000, False, "≤ 0.000001"),
        (3 / 1_000_001, 1_000_000, False, "0.000003"),
        (1.0, 100, False, "1.0000"),
        (1 / 2, 1, False, "≤ 0.5000"),
    ],
)
def test_p_at_the_floor_is_a_bound(p, n_resamples, exact, text):
    assert p_value(p, Resampling(0.95, n_resamples, 1), exact=exact) == text


def difference(p, p_holm, *, exact=False):
    return Difference(Interval(0.1, 0.05, 0.2, "percentile"), p, exact, p_holm, p_holm < 0.05)


def test_corrected_p_is_a_bound_where_p_is_one():
    how = Resampling(0.95, 1000, 1)
    assert holm_value(difference(1 / 1001, 3 / 1001), how) == "≤ 0.0030"
    assert holm_value(difference(2 / 1001, 4 / 1001), how) == "0.0040"
    assert holm_value(difference(1 / 1024, 3 / 1024, exact=True), how) == "0.0029"
    assert holm_value(difference(1 / 1001, 1.0), how) == "1.0000"
    assert difference_cells(difference(1 / 1001, 1 / 1001), how) == [
        ("+0.1000", "*", "", False),
        "+0.0500 … +0.2000",
        "≤ 0.0010",
        "≤ 0.0010",
    ]


def test_no_report_has_a_minus_before_zeros():
    references = [tree(0)] * 12
    systems = {"a": [tree(1), tree(0)] * 6, "b": [tree(0), tree(1)] * 6}
    found = compare(systems, references, n_resamples=50)
    for text in (write_text(found), plain(write_page(found))):
        assert not re.search(r"[-\N{MINUS SIGN}]0\.0000(?!\d)", text)


# ---- the summary -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """Twelve systems, given from the worst to the best, with one to twelve wrong tags in half of the rows."""
    references = [tree(0, 15)] * 60
    systems = {
        f"s{k:02}": [tree(k if row % 2 else k // 2, 15) for row in range(60)] for k in range(12, 0, -1)
    }
    return compare(systems, references, n_resamples=2000, metrics=["struct_iou"])


def test_all_pairs_of_many_systems_are_in_the_summary(many):
    page = write_page(many)
    summary = page[: page.index("<h2>Scores</h2>")]
    assert "<h1>12 systems</h1>" in page
    assert plain(summary).count("p ≤ ") + plain(summary).count("p = ") == 66
    assert "s01 is the best by STRUCT-IoU, sentence mean:" in plain(summary).replace(" s01 is", "s01 is")
    first = [many.names[i] for i in many.ranked]
    assert first == [f"s{k:02}" for k in range(1, 13)]


def test_systems_stand_in_the_order_of_their_ranks(many):
    page = write_page(many)
    scores = page[page.index("<h2>Scores</h2>") :]
    legend, table = scores.split("</table>")[0].split("<table>")
    ranked = [f"s{k:02}" for k in range(1, 13)]
    assert re.findall(r"(\d+)\. <svg.*?</svg></svg>(s\d\d)</li>", legend) == [
        (str(k), name) for k, name in enumerate(ranked, 1)
    ]
    assert re.findall(r'<th scope="row">(s\d\d)</th>', table) == ranked
    lines = write_text(many).splitlines()
    assert [line[:3] for line in lines if re.match(r"s\d\d  ", line)][:12] == [
        f"s{k:02}" for k in range(1, 13)
    ]


def test_the_summary_names_the_systems_that_the_best_cannot_be_told_from():
    references = [tree(0)] * 40
    systems = {
        "best": references,
        "close": [tree(1), *references[1:]],
        "far": [tree(6)] * 40,
        "farther": [tree(7)] * 40,
    }

    def verdict(*names):
        found = compare({name: systems[name] for name in names}, references, n_resamples=300)
        paragraph = re.search(r'<p class="verdict">(.*?)</p>', write_page(found))[1]
        return plain(paragraph).strip()

    assert verdict("best", "close", "far").endswith("Not significantly different from it: close.")
    assert verdict("best", "far", "farther").endswith("It is significantly better than all 2 other systems.")
    systems["near"] = [*references[1:], tree(1)]
    assert verdict("best", "close", "near").endswith(
        "None of the other systems differs from it significantly."
    )


def test_the_summary_lists_pairs_or_shows_a_matrix():
    references = [tree(0)] * 40
    systems = {f"s{k}": [tree(k)] * 40 for k in range(6)}

    def listed(n):
        found = compare(dict(list(systems.items())[:n]), references, n_resamples=100)
        return write_page(found).count("<li><strong>")

    assert [listed(n) for n in (1, 2, 3)] == [0, 1, 3]


def test_equal_systems_share_the_first_rank():
    references = [tree(0)] * 30
    systems = {"bad": [tree(3)] * 30, "x": references, "y": references}
    text = plain(write_page(compare(systems, references, n_resamples=200)))
    assert "x and y are the best, equal, by STRUCT-IoU" in text.replace("  ", " ").replace(" x and", "x and")
    legend = text[text.index("Scores") : text.index("STRUCT-IoU, 30 sentences")]
    assert legend.split()[1:] == ["1.", "x", "1.", "y", "3.", "bad"]


def test_the_summary_of_a_baseline_is_about_it():
    references = [tree(0)] * 30
    systems = {"old": [tree(3)] * 30, "new": references, "worse": [tree(5)] * 30}
    text = plain(write_page(compare(systems, references, baseline="old", n_resamples=200)))
    assert re.search(r"new\s+is better than\s+old\s+by", text)
    assert re.search(r"worse\s+is worse than\s+old\s+by", text)


def test_a_measure_that_should_be_low_ranks_the_lowest_first(monkeypatch):
    from structiou_metric.metrics.struct_iou.metric import StructIoU

    references = [tree(0)] * 30
    systems = {"high": references, "low": [tree(3)] * 30}
    monkeypatch.setattr(StructIoU.MEASURES["struct_iou_sentence"], "higher_is_better", False)
    found = compare(systems, references, metrics=["struct_iou"], n_resamples=200)
    assert [found.names[i] for i in found.ranked] == ["low", "high"]
    assert re.search(r"low\s+is better than\s+high\s+by", plain(write_page(found)))


# ---- failed parses ---------------------------------------------------------------------------------


def test_failed_parses_do_not_stretch_the_plot_of_differences():
    references = [tree(0)] * 40
    systems = {"a": [tree(1 + row % 2) for row in range(39)] + ["()"], "b": references}
    page = write_page(compare(systems, references, metrics=["struct_iou"], n_resamples=50))
    chart = page[page.index("<h2>Differences</h2>") :]
    chart = chart[: chart.index("</svg>")]
    ticks = [
        float(text.replace("\N{MINUS SIGN}", "-"))
        for text in re.findall(r'small middle"[^>]*>([^<]*)', page[page.index("<h2>Differences</h2>") :])[:5]
    ]
    assert max(ticks) <= 0.5  # two of ten nodes, not all
    assert "1 sentence without a parse of one of them" in plain(page)
    failed = page[page.index("<h2>Failed parses</h2>") :]
    assert "which count as 0: a 1." in failed
    assert '<th scope="row">40</th>' in failed


# ---- marks -----------------------------------------------------------------------------------------


def marks(chart):
    """Where the marks of a plot stand."""
    return re.findall(r'<svg x="([\d.]+)%" y="([\d.]+)"', chart)


@pytest.mark.parametrize("n_systems", [2, 3, 12])
def test_marks_of_equal_values_stand_beside_each_other(n_systems):
    references = [tree(0, 5), tree(0, 15)]
    systems = {f"s{k}": [tree(1, 5), tree(3, 15)] for k in range(n_systems)}
    found = compare(systems, references, metrics=["struct_iou"], n_resamples=9)
    key = found.main.headline
    charts = {
        "lengths": length_chart(found, key),
        "labels": label_chart(found, 2),
        "intervals": interval_chart(found, key),
    }
    for name, chart in charts.items():
        places = marks(chart)
        assert len(places) == n_systems * (1 if name == "intervals" else 2)
        assert len(set(places)) == len(places), name
    lanes = sorted(float(y) for _, y in marks(charts["labels"]))
    assert min(b - a for a, b in pairwise(lanes)) >= 5.0
