"""The same trees through every format are the same, and so are their scores, to the last bit."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from structiou_metric import StructIoU
from structiou_metric.metrics import load_metric
from structiou_metric.sources.content import Content
from structiou_metric.sources.formats.writing import HEADERS, WRITERS
from structiou_metric.sources.tables import read_columns
from structiou_metric.sources.treebanks import guess_format, read_rows
from structiou_metric.trees.discontinuous import DiscontinuousTree
from support.examples import examples
from support.treebank_cases import (
    CONTINUOUS,
    CROSSING,
    Case,
    Node,
    bracket_text,
    brackets,
    cases,
    is_continuous,
    to_export_3,
    to_penn,
)

# What the Sinica format has no place for in words, and what the first line of a file must not be there.
_NO_SINICA = frozenset(":|#")
WRITE_ALL = {**CONTINUOUS, **CROSSING, "export 3": to_export_3, "penn": to_penn}
ROWS = st.lists(cases(crossing=False), min_size=1, max_size=4)


def through(tmp_path_factory, name, text, format="auto"):
    path = tmp_path_factory.mktemp("treebank") / name
    path.write_bytes(text.encode())
    return path, read_rows(path, format=format)


def tagged(rows: list[Case]) -> bool:
    """Whether no node that is a root is a tag, which some formats cannot tell from others."""
    return all(not case.root.tag for case in rows)


@given(ROWS)
@examples(40)
def test_trees_and_scores_are_the_same_through_every_format(tmp_path_factory, rows):
    assume(tagged(rows))
    folder = tmp_path_factory.mktemp("treebank")
    want = [bracket_text(case) for case in rows]
    other = list(reversed(want))
    metric = StructIoU(unit="char", on_error="zero")
    figures = metric.corpus_score(other, want).figures
    for name, write in WRITE_ALL.items():
        if name == "sinica" and any(set(word) & _NO_SINICA for case in rows for word in case.words):
            continue
        (folder / "x").write_bytes(write(rows).encode())
        read = read_rows(folder / "x")
        trees = [str(read.tree(row, None)) for row in range(len(read))]
        if name == "ftb":
            first = trees[0]  # which has features whatever the others have
            assert trees == [first, *want]
            whole = metric.corpus_score([first, *other], [first, *want]).figures
            assert metric.corpus_score([first, *other], read).figures == whole
            continue
        assert trees == want, name
        assert metric.corpus_score(other, read).figures == figures, name


@given(ROWS)
@examples(40)
def test_formats_are_guessed(rows):
    assume(tagged(rows))
    for name, write in {**CONTINUOUS, **CROSSING}.items():
        if name == "sinica" and any(set(word) & _NO_SINICA for case in rows for word in case.words):
            continue
        assert guess_format(Content(write(rows).encode(), "x")) == name


@given(st.lists(cases(), min_size=1, max_size=4))
@examples(60)
def test_crossing_branches_are_the_same_through_every_format(tmp_path_factory, rows):
    assume(tagged(rows))
    folder = tmp_path_factory.mktemp("treebank")
    figures = set()
    for name, write in CROSSING.items():
        (folder / name).write_bytes(write(rows).encode())
        read = read_rows(folder / name, discontinuous="raise")
        for row, case in enumerate(rows):
            tree = read.crossing(row)
            assert (tree is None) == is_continuous(case.root), name
            assert as_brackets(tree or read.tree(row, None)) == brackets(case.root), name
        scores = StructIoU(on_error="zero").corpus_score(read, list(map(bracket_text, rows)))
        figures.add(tuple(scores.figures.items()))
        disco = load_metric("disco_parseval", parameters="spmrl")
        assert disco.corpus_score(read, read).figures["disco_parseval_f1"] in (0.0, 1.0)
    assert len(figures) == 1


def as_brackets(tree):
    """Labels and sets of words of a tree that was read."""
    from collections import Counter

    order = tree.order if isinstance(tree, DiscontinuousTree) else range(len(tree.words))
    return Counter(
        (label, frozenset(order[first:last]))
        for label, first, last in zip(tree.labels, tree.firsts, tree.lasts, strict=True)
    )


@given(st.lists(cases(), min_size=1, max_size=4))
@examples(60)
def test_what_is_written_is_read_back(tmp_path_factory, rows):
    assume(tagged(rows))
    folder = tmp_path_factory.mktemp("treebank")
    (folder / "x.dbr").write_bytes(CROSSING["discbracket"](rows).encode())
    read = read_rows(folder / "x.dbr", format="discbracket")
    trees = [read.crossing(row) or read.tree(row, None) for row in range(len(read))]
    for name, write in WRITERS.items():
        if name == "timed":
            continue
        kept = [tree for tree in trees if name in CROSSING or not isinstance(tree, DiscontinuousTree)]
        if not kept:
            continue
        text = HEADERS.get(name, "") + "".join(write(tree, n) for n, tree in enumerate(kept, 1))
        path = folder / f"{name}.jsonl"
        path.write_text(text, encoding="utf-8")
        if name in ("json", "spans"):
            [again] = read_columns(path, {"reference": None})
        else:
            again = read_rows(path, format=name)
        for row, tree in enumerate(kept):
            found = again.crossing(row) if isinstance(tree, DiscontinuousTree) else again.tree(row, "word")
            assert found.values() == tree.values(), name


def test_a_word_alone_is_a_tree(tmp_path_factory):
    case = Case(Node("A", [0]), ["a"])
    for name in ("export", "tiger-xml", "alpino-xml", "discbracket"):
        _, rows = through(tmp_path_factory, "x", CROSSING[name]([case]))
        assert str(rows.tree(0, None)) == "(A a)"
