"""What notebooks show of objects: their figures, as HTML that no label can break."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from structiou_metric import StructIoU
from structiou_metric.analysis.compare import compare
from structiou_metric.analysis.curves import perturbation_curve
from structiou_metric.analysis.errors import explain_corpus
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.struct_iou.losses import CAUSES
from support.extras import need

need("numpy")

REFERENCES = ["(S (A a) (B b))", "(S (A a))", "(S (A a) (C c))"]
PREDICTIONS = ["(S (A a) (B b))", "()", "(S (A a) (D c))"]
# The same trees with labels that are tags, and words from right to left.
ODD_REFERENCES = ["(S (<b> a) (B ב))", "(S (<b> a))", "(S (<b> a) (<i>&amp; ג))"]
ODD_PREDICTIONS = ["(S (<b> a) (B ב))", "()", "(S (<b> a) (<script> ג))"]


class Page(HTMLParser):
    """The tags and the texts of HTML; a tag that is closed by another one is an error."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self._open = [], [], []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("br", "img"):
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if "style" not in self._open:
            self.texts.append(data)


def score(predictions=PREDICTIONS, references=REFERENCES):
    return StructIoU().corpus_score(predictions, references)


def comparison(predictions=PREDICTIONS, references=REFERENCES, name="old"):
    systems = {name: predictions, "new": references}
    return compare(systems, references, metrics=["struct_iou"], n_resamples=50, why=True)


def curve(predictions=REFERENCES):
    metric = StructIoU(unit="word")
    return perturbation_curve(
        predictions, REFERENCES, metric=metric, kinds=["noise", "delete"], deltas=[0, 1], repeats=2
    )


def test_a_result():
    page = Page(score()._repr_html_())
    texts = page.texts
    # (1 + 0 + 2/3) / 3; matched 5 of 6 + 8 nodes
    assert texts[texts.index("STRUCT-IoU, sentence mean") + 1] == "0.5556"
    assert texts[texts.index("STRUCT-IoU, corpus level") + 1] == "0.7143"
    assert texts[texts.index("sentences") + 1] == "3"
    assert texts[texts.index("failed parses, score 0") + 1] == "1"
    assert score().signature in texts


def test_a_result_tells_problems_and_warnings():
    bad = StructIoU(on_error="zero").corpus_score(["(S (A <x>)", "(S (A a))"], ["(S (A a))"] * 2)
    html = bad._repr_html_()
    assert "<x>" not in html
    texts = Page(html).texts
    assert texts[texts.index("not comparable, score 0") + 1] == "1"
    assert any("row 1" in text for text in texts)
    noticed = StructIoU().corpus_score(["(S (A other) (B b))"] * 3, ["(S (A a) (C c))"] * 3)
    assert noticed.warnings
    assert [text for text in Page(noticed._repr_html_()).texts if text.startswith("warning: ")]


@pytest.mark.parametrize("name", METRICS)
def test_a_result_of_every_metric(name):
    metric = load_metric(name)
    result = metric.corpus_score(["(S (A a) (B b))"], ["(S (A a) (B b))"])
    texts = Page(result._repr_html_()).texts
    for measure in metric.MEASURES.values():
        if measure.optional:  # figures of what these trees do not have
            continue
        assert any(measure.title in text or measure.line == text for text in texts), measure.title


def test_a_tally_of_a_result():
    assert Page(score().tally().result()._repr_html_()).texts == Page(score()._repr_html_()).texts


def test_losses():
    losses = score().losses
    texts = Page(losses._repr_html_()).texts
    for cause in ("failed", "tag"):
        place = texts.index(cause)
        assert texts[place + 1 : place + 4] == [CAUSES[cause], "2.00", "50.0%"]
    assert texts[texts.index("all") + 1] == "4.00"
    confused = texts.index("tags confused")
    assert texts[confused + 4 : confused + 7] == ["D", "C", "2.00"]


def test_losses_of_a_tally():
    sums = StructIoU().explaining().corpus_score(PREDICTIONS, REFERENCES).tally().result().losses
    assert Page(sums._repr_html_()).texts == Page(score().losses._repr_html_()).texts


def test_losses_of_nothing():
    assert "all" in Page(score(REFERENCES).losses._repr_html_()).texts


def test_moves():
    report = explain_corpus(StructIoU(), PREDICTIONS, REFERENCES)
    texts = Page(report._repr_html_()).texts
    # One tag of one sentence: a third of that sentence, and a ninth of the mean.
    assert texts[texts.index("tag") + 1 : texts.index("tag") + 4] == ["1", "1", "+0.1111"]
    assert (
        "no moves: all trees are the same"
        in Page(explain_corpus(StructIoU(), REFERENCES, REFERENCES)._repr_html_()).texts
    )


def test_a_comparison():
    html = comparison()._repr_html_()
    texts = Page(html).texts
    assert texts.index("new") < texts.index("old")
    assert "0.5556" in texts
    for title in ("differences, * significant", "by length of the reference", "nodes lost by each cause"):
        assert any(text.startswith(title) for text in texts)
    assert html.count("<details>") == 5
    assert comparison().signatures["struct_iou"] in texts


def test_a_comparison_of_one_system():
    html = compare({"one": PREDICTIONS}, REFERENCES, metrics=["struct_iou"], n_resamples=50)._repr_html_()
    assert not any(text.startswith("differences") for text in Page(html).texts)


def test_a_curve():
    pytest.importorskip("matplotlib")
    found = curve()
    page = Page(found._repr_html_())
    assert page.tags.count("img") == 1
    assert "1.0000 ± 0.0000" in page.texts
    assert found.signature in page.texts
    assert sum(finding.claim in page.texts for finding in found.findings()) == len(found.findings()) > 0
    assert found._repr_html_() == found._repr_html_()


def test_a_curve_without_matplotlib(monkeypatch):
    monkeypatch.setattr("structiou_metric.report.notebook.find_spec", lambda name: None)
    page = Page(curve()._repr_html_())
    assert "img" not in page.tags
    assert "1.0000 ± 0.0000" in page.texts


def test_labels_and_names_are_escaped_and_isolated():
    for html in (
        score(ODD_PREDICTIONS, ODD_REFERENCES).losses._repr_html_(),
        comparison(ODD_PREDICTIONS, ODD_REFERENCES, name="<b>מערכת</b>")._repr_html_(),
    ):
        page = Page(html)
        assert not {"b", "i", "script"} & set(page.tags)
        assert not re.search(r"<(b|i|script)>", html)
    assert "<b>מערכת</b>" in page.texts
    assert "<bdi>&lt;b&gt;מערכת&lt;/b&gt;</bdi>" in html


@pytest.mark.parametrize(
    "shown",
    [lambda: score(), lambda: score().losses, comparison, curve],
    ids=["score", "losses", "compare", "curve"],
)
def test_colours_are_those_of_the_page(shown):
    """Nothing sets the colour of text; the only background is that of a plot, whose text is dark."""
    [css] = re.findall("(?s)<style>(.*?)</style>", shown()._repr_html_())
    assert set(re.findall(r"[{;]color:([^;}]*)", css)) == {"inherit"}
    assert re.findall(r"background:([^;}]*)", css).count("#fff") == 1
    assert all(rule.strip().startswith(".structiou ") for rule in re.findall(r"[^{}]+(?={)", css))
