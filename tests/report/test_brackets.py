"""The brackets of two trees: what is open, closed and marked, against a literal reading of the alignment."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU, align
from structiou_metric.report.brackets import write_brackets
from support.random_trees import mutate, random_tree


class Brackets(HTMLParser):
    """Reads the elements back: by side, the boxes as `(kind, label, words)`, the words, and the codes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.boxes = {"reference": [], "prediction": []}
        self.words = {"reference": [], "prediction": []}
        self.codes = {"reference": [], "prediction": []}
        self._side = ""
        self._open = []  # tag, kind
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        kind = dict(attrs).get("class", "")
        self._open.append((tag, kind))
        if kind in ("node", "same", "lost node", "off node"):
            self.boxes[self._side].append([kind, "", []])

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        tag, kind = self._open[-1]
        if kind == "which":
            self._side = data
        elif tag == "b":
            self.boxes[self._side][-1][1] = data
        elif tag == "code":
            self.codes[self._side].append(data)
        else:
            self.words[self._side] += data.split()


def pairs():
    """A random tree, and what is left of it after some errors."""

    def make(random, n_words, n_errors):
        reference = random_tree(random, n_words, 3)
        return mutate(random, reference, n_errors), reference

    return st.builds(make, st.randoms(use_true_random=False), st.integers(1, 8), st.integers(0, 4))


def subtree(tree, i):
    return range(i - tree.sizes[i] + 1, i + 1)


def closed_nodes(alignment, side):
    """The topmost nodes all of whose nodes, and of whose partner's, are aligned at 1, by trying each."""
    flip = side == "reference"
    own, other = (
        (alignment.reference, alignment.prediction) if flip else (alignment.prediction, alignment.reference)
    )
    partner = {
        (b if flip else a).number: (a if flip else b).number for a, b, iou in alignment.pairs if iou == 1.0
    }
    back = {b: a for a, b in partner.items()}
    right = {
        i
        for i in partner
        if all(k in partner for k in subtree(own, i)) and all(k in back for k in subtree(other, partner[i]))
    }
    return {i for i in right if not any(i in subtree(own, k) for k in right if k != i)}


@given(pairs())
def test_open_where_the_trees_differ_and_closed_where_they_agree(pair):
    alignment = StructIoU(drop=()).align(*pair)
    found = Brackets(write_brackets(alignment))
    for side in ("reference", "prediction"):
        tree = getattr(alignment, side)
        ious = {(b if side == "reference" else a).number: iou for a, b, iou in alignment.pairs}
        closed = closed_nodes(alignment, side)
        hidden = {k for i in closed for k in subtree(tree, i)} - closed
        want = Counter()
        for i in set(range(len(tree))) - hidden:
            iou = ious.get(i, 0.0)
            if i in closed:
                want["same", tree.labels[i]] += 1
            elif not iou:
                want["lost node", tree.labels[i]] += 1
            elif iou < 1.0:
                want["off node", f"{tree.labels[i]} {iou:.2f}"] += 1
            else:
                want["node", tree.labels[i]] += 1
        assert Counter((kind, label) for kind, label, _ in found.boxes[side]) == want
        assert found.words[side] == list(tree.words)
        # What a closed node opens is its brackets, as the tree itself writes them.
        whole = tree.to_brackets()
        assert len(found.codes[side]) == sum(tree.sizes[i] > 1 for i in closed)
        assert all(code in whole and code.count("(") == code.count(")") for code in found.codes[side])


def test_brackets_by_hand():
    reference = "(S (NP (DT the) (NN dog)) (VP (VB saw) (NP (NN cats)) (PP (IN in) (NP (NN town)))))"
    prediction = "(S (NP (DT the) (NN dog)) (VP (VB saw) (NP (NP (NN cats)) (PP (IN in) (NP (NN town))))))"
    found = Brackets(write_brackets(align(prediction, reference)))
    assert [(kind, label) for kind, label, _ in found.boxes["reference"]] == [
        ("node", "S"),
        ("same", "NP"),
        ("node", "VP"),
        ("same", "VB"),
        ("same", "NP"),
        ("same", "PP"),
    ]
    assert [(kind, label) for kind, label, _ in found.boxes["prediction"]][4] == ("lost node", "NP")
    assert found.codes["reference"] == [
        "(NP (DT the) (NN dog))",
        "(NP (NN cats))",
        "(PP (IN in) (NP (NN town)))",
    ]


def test_equal_trees_are_one_closed_node():
    tree = "(S (NP (DT the) (NN dog)) (VP (VB ran)))"
    found = Brackets(write_brackets(align(tree, tree)))
    assert [kind for kind, _, _ in found.boxes["reference"]] == ["same"]


def test_no_parse_is_said():
    found = Brackets(write_brackets(align("()", "(S (A a))")))
    assert found.words["prediction"] == ["no", "parse"]


def test_dropped_words_and_roots_are_not_shown():
    metric = StructIoU()
    found = Brackets(
        write_brackets(metric.align("(TOP (S (VP (VB go))))", "(TOP (S (NP (-NONE- *)) (VB go)))"))
    )
    assert found.words["reference"] == ["go"]
    assert "TOP" not in {label for _, label, _ in found.boxes["reference"]}


def test_words_that_do_not_count_as_nodes_are_shown():
    metric = StructIoU(terminals="exclude")
    found = Brackets(write_brackets(metric.align("(S (X (A a)) (B b))", "(S (Y (A a)) (B b))")))
    assert found.words["reference"] == ["a", "b"]
    assert [label for _, label, _ in found.boxes["reference"]] == ["S", "Y"]


def test_words_beside_nodes_are_shown_once():
    found = Brackets(write_brackets(align("(S a (B b) c)", "(S a (C b) c)")))
    assert found.words["reference"] == found.words["prediction"] == ["a", "b", "c"]


def test_hebrew_runs_from_the_right_and_english_from_the_left():
    assert 'dir="rtl"' in write_brackets(align("(S (NN הבית) (VB גדול))", "(S (NN הבית) (JJ גדול))"))
    assert 'dir="rtl"' not in write_brackets(align("(S (A a))", "(S (B a))"))


def test_labels_and_words_are_text():
    tree = "(S (<b>x</b> \"'><img) (B &amp;))"
    text = write_brackets(align(tree.replace("(B", "(C"), tree))
    assert "<img" not in text
    assert "&lt;b&gt;x&lt;/b&gt;" in text


@pytest.mark.parametrize("depth", [60, 900])
def test_deep_trees_are_nested_up_to_a_limit(depth):
    reference = "(X " * depth + "(Y y)" + ")" * depth
    text = write_brackets(align(reference.replace("(Y", "(Z"), reference))
    levels = most = 0
    for tag in re.findall(r"<(/?)div", text):
        levels += -1 if tag else 1
        most = max(most, levels)
    assert levels == 0
    assert most <= 40
    assert len(text) < 20_000


def test_very_large_trees_are_counted_instead():
    reference = "(S " + "(A a) " * 2000 + ")"
    assert "No brackets of 4,002 nodes, more than 2,000." in write_brackets(align(reference, reference))
