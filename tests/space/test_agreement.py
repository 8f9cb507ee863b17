"""What the board says of a system, `compare` says of it, too."""

from __future__ import annotations

import re
from dataclasses import astuple

import pytest

from leaderboard import scoring
from leaderboard.benchmarks import load_benchmark
from leaderboard.scoring import score
from leaderboard.store import Submission
from structiou_metric import StructIoU, read_trees
from structiou_metric.analysis.compare import compare
from structiou_metric.metrics.parseval.metric import Parseval
from structiou_metric.stats.intervals import Interval
from support.paths import DATA
from support.space_boards import DESCRIPTION, rank_results, write_benchmark

RESAMPLES = 500


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(scoring, "RESAMPLES", RESAMPLES)


def rank(benchmark, *systems):
    """The lines of a board with these uploads."""
    texts = dict.fromkeys(("link", "contact", "owner", "owner_kind", "address", "digest"), "")
    submitted = [
        Submission(id=str(i), benchmark=benchmark.name, system=str(i), received=i, **texts)
        for i in range(len(systems))
    ]
    scored = [score(("\n".join(rows) + "\n").encode(), benchmark) for rows in systems]
    return rank_results(benchmark, submitted, scored)


def test_interval_where_most_sentences_have_no_brackets(tmp_path, few):
    reference = ["(TOP (S (NP (A a)) (B b)))", *["(TOP (A a))"] * 9]
    prediction = ["(TOP (S (VP (A a)) (B b)))", *reference[1:]]
    folder = write_benchmark(tmp_path, "english", f'rank_by = "parseval_f1"\n{DESCRIPTION}', trees=reference)
    (entry,) = rank(load_benchmark(folder), prediction)
    found = compare({"x": prediction}, reference, metrics=[Parseval()], n_resamples=RESAMPLES)
    assert entry.interval == found.systems[0].figures["parseval_f1"]
    # By hand: one of two brackets is right. The other sentences have none, and nothing of nothing is 0 with
    # EVALB; (9 / 10) ** 10 of all samples, 35 %, are of them alone.
    assert entry.interval == Interval(0.5, 0.0, 0.5, "percentile")


@pytest.fixture(scope="module")
def english():
    """The bundled files as lists: reference, prediction, and one that is worse."""
    reference, prediction = (
        [tree.to_brackets() for tree in read_trees(DATA / f"english.{name}")]
        for name in ("reference.mrg", "prediction.txt")
    )
    return reference, prediction, [tree.replace("(PP", "(XP") for tree in prediction]


@pytest.mark.parametrize("rank_by", ["struct_iou_sentence", "struct_iou_corpus", "struct_iou_recall"])
def test_intervals_of_several_systems(tmp_path, few, english, rank_by):
    reference, better, worse = english
    folder = write_benchmark(tmp_path, "english", f'rank_by = "{rank_by}"\n{DESCRIPTION}', reference)
    entries = rank(load_benchmark(folder), worse, better)
    assert [entry.submission.system for entry in entries] == ["1", "0"]
    metric = StructIoU(labels="base")
    found = compare({"1": better, "0": worse}, reference, metrics=[metric], n_resamples=RESAMPLES)
    for entry, system in zip(entries, found.systems, strict=True):
        assert astuple(entry.interval) == pytest.approx(astuple(system.figures[rank_by]))


def test_groups_are_what_compare_finds(tmp_path):
    """By hand: a system that is worse in six sentences alone has p = 2 / 2 ** 6; four of them,
    Holm-corrected, do not differ from the best at 0.05. One that is worse in twelve does.
    """
    tree, wrong = "(S (A a) (B b))", "(S (A a) (C b))"
    reference = [tree] * 80
    systems = {"best": reference}
    for k in range(4):
        systems[f"six {k}"] = [wrong if 6 * k <= row < 6 * k + 6 else tree for row in range(80)]
    systems["twelve"] = [wrong if row < 12 else tree for row in range(80)]
    entries = rank(load_benchmark(write_benchmark(tmp_path, "english", trees=reference)), *systems.values())
    assert [entry.group for entry in entries] == [1, 1, 1, 1, 1, 2]
    found = compare(systems, reference, metrics=[StructIoU(labels="base")], baseline="best")
    by_name = {
        found.names[pair.first]: pair.differences["struct_iou_sentence"].significant for pair in found.pairs
    }
    assert by_name == {name: name == "twelve" for name in systems if name != "best"}


def test_groups_by_length(tmp_path, english):
    reference, prediction, _ = english
    benchmark = load_benchmark(write_benchmark(tmp_path, "english", trees=reference))
    groups = score("\n".join(prediction).encode(), benchmark)["lengths"]
    found = compare({"x": prediction}, reference, metrics=[StructIoU(labels="base")], n_resamples=1)
    assert [tuple(group.values()) for group in groups] == [
        (group.title, group.n_sentences["struct_iou"], *group.figures["struct_iou_sentence"])
        for group in found.lengths
    ]
    # Words by another way: all leaves of the text but traces.
    words = [
        sum(label != "-NONE-" for label in re.findall(r"\(([^() ]*) [^() ]+\)", tree)) for tree in reference
    ]
    bounds = {"1–10": (1, 10), "11–20": (11, 20), "21–40": (21, 40)}
    assert max(words) <= 40
    assert {group["words"]: group["n_sentences"] for group in groups} == {
        title: sum(low <= n_words <= high for n_words in words) for title, (low, high) in bounds.items()
    }
