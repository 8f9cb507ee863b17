"""The reader of many trees at once, and what is selected of them, against slow readers and slow ways."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, TreeFormatError
from structiou_metric._core.flat import FlatNodes, FlatTrees, longs
from structiou_metric._core.layout import AFTER_GAP, NEVER, UNINDENTED, lines, split
from structiou_metric._core.scan import ERRORS, Scanner
from structiou_metric.metrics.selection import Selection
from structiou_metric.sources.rows import fill, join_texts, scan
from support.bracket_oracle import slow_lines, slow_read, slow_split
from support.examples import examples
from support.strategies import tree_cases

# Parts of treebanks: usual ones, and those that end or begin where eight bytes do, or have bytes between the
# space and the brackets in ASCII, or just behind them.
LABELS = [
    "NP",
    "NN",
    "PRP$",
    "''",
    "``",
    ".",
    "A*",
    "A+",
    "ABCDEFG",
    "ABCDEFGH",
    "ABCDEFGHI",
    "-LRB-",
    "N\0",
    "é",
]
WORDS = [
    "the",
    "a",
    "'s",
    "*T*-1",
    "abcdefg",
    "abcdefgh",
    "abcdefghi",
    "x" * 17,
    "!!!!!!!!",
    "$",
    "\0",
    "日本語",
    "e\u0301",
]
PIECES = [
    *(f"({label} " for label in LABELS),
    *(f"({label} {word})" for label, word in zip(LABELS * 2, WORDS * 2, strict=False)),
    *(
        "(",
        ")",
        " ",
        "))",
        ") ",
        "\n",
        "\t",
        "(A b c)",
        "( (S",
        "(X )",
        "()",
        "word",
        "w<1,2>",
        "w<2,3>",
        "\ufeff",
    ),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
sentences = tree_cases(7, labels=tuple(LABELS[:9])).map(lambda case: case.brackets)
rows = st.lists(st.one_of(pieces, sentences), min_size=1, max_size=5)

KINDS = {"unclosed": "never closed", "extra close": "closes nothing"}


def read(scanner, texts, unit="word"):
    """Scans texts; gives for each `(nodes, words)` as `slow_read` does, or what is wrong and where."""
    buffer, starts, stops = join_texts(texts)
    trees = FlatTrees()
    scan(scanner, buffer, starts, stops, unit, trees)
    errors = {t: (KINDS.get(ERRORS[code], ERRORS[code]), at - starts[t]) for t, code, at in trees.errors()}
    assert len(errors) == trees.n_errors
    found = []
    for t in range(len(texts)):
        labels, sizes, firsts, lasts = trees.nodes(t) if t not in errors else ((),) * 4
        nodes = [
            (scanner.labels[i], first, last) for i, first, last in zip(labels, firsts, lasts, strict=True)
        ]
        words = [trees.word(t, i) for i in range(len(trees.words(t)[0]) if t not in errors else 0)]
        found.append(errors.get(t) or (nodes, words))
        for i, size in enumerate(sizes):  # a subtree is as large as its node and the subtrees below it
            child, total = i - 1, 1
            while total < size:
                total += sizes[child]
                child -= sizes[child]
            assert total == size
            assert child < 0 or lasts[child] <= firsts[i]
    return found, trees


def slowly(text, several):
    want, where = slow_read(text, several)
    if isinstance(want, list):
        return want, where
    return want, len(text[:where].encode("utf-8"))


def is_timed(text):
    return "<" in text


@examples(500)
@given(rows, st.booleans())
@example(["(NP (NN a))", "(NP (NN a))"], False)
@example(["(NP (NN ", "a))"], False)
@example(["(ABCDEFGH", "I abc)"], True)
def test_scan_reads_rows_as_the_slow_reader_does(texts, several):
    texts = [text for text in texts if not is_timed(text)] or ["()"]
    scanner = Scanner()
    scanner.several = several
    want = [slowly(text, several) for text in texts]
    for _ in range(2):  # labels are new, then known
        assert read(scanner, texts)[0] == want


def test_scan_has_room_for_more_than_it_expected():
    texts = ["(A " + "(B b)" * 5000 + ")", "(A " + "b " * 9000 + ")", "(" * 3000 + ")" * 3000, "(A (B b))"]
    scanner = Scanner()
    for text in (texts, texts[::-1], texts):
        assert read(scanner, text)[0] == [slow_read(row) for row in text]


@examples(300)
@given(st.lists(st.one_of(st.sampled_from(LABELS), st.text(max_size=12)), max_size=30))
@example(["A ", "A", " A", " ", "", "\0", "A\0", "ABCDEFGH", "ABCDEFGH ", "ABCDEFG ", "        "])
def test_labels_given_as_text_are_the_same_only_if_equal(labels):
    scanner = Scanner()
    ids = [scanner.intern(label) for label in labels]
    assert [scanner.labels[i] for i in ids] == labels
    assert len(set(ids)) == len(set(labels)) == len(scanner.labels)
    for label in labels:
        if label and not set(label) & set("() \t\n\v\f\r") and not label.startswith("\ufeff"):
            assert read(scanner, [f"({label} a-long-word-behind)"])[0] == [
                ([(label, 0, 1)], ["a-long-word-behind"])
            ]
    assert [scanner.intern(label) for label in labels] == ids


def test_labels_as_many_as_there_are():
    scanner = Scanner()
    labels = [f"{'L' * (i % 12)}{i}" for i in range(3000)]
    text = "(S " + " ".join(f"({label} w)" for label in labels) + ")"
    for _ in range(2):
        [(nodes, _words)], _ = read(scanner, [text])
        assert nodes == [*((label, i, i + 1) for i, label in enumerate(labels)), ("S", 0, 3000)]
    assert len(scanner.labels) == 3001


bracket_bytes = st.one_of(
    st.text("()  \n)ab\t'*", max_size=60).map(str.encode),
    st.lists(sentences, max_size=5).map("\n".join).map(str.encode),
    st.lists(st.sampled_from(["(A a)", "(B", "b)", " (C c", "", "# d", " ", "))"]))
    .map("\n".join)
    .map(str.encode),
    st.lists(sentences, max_size=5).map(" ".join).map(lambda text: text.replace(" (", "\n (").encode()),
    rows.map("".join).map(str.encode),
)


@examples(500)
@given(bracket_bytes, st.sampled_from([NEVER, AFTER_GAP, UNINDENTED]))
@example(b"(A (B b)) (C c)\n", NEVER)
@example(b"((((((((\n))))))))(", NEVER)
@example(b"(A (B b)\n # c\n(C c)))\n(D\n(E\n\n(F\n(G g)) x", AFTER_GAP)
@example(b"(A (B b)\n%% c\n(C c)))\n(D\n(E\n*x*\n(F\n(G g)) x", UNINDENTED)
def test_split_finds_trees_as_the_slow_way_does(data, resume):
    data = data or b" "
    ranges, *facts = slow_split(data, resume)
    starts, stops = longs(len(ranges)), longs(len(ranges))
    n_others = sum(data[start : start + 1] != b"(" for start, _ in ranges)
    assert split(data, starts, stops, resume) == (len(ranges), n_others, *facts)
    assert list(zip(starts, stops, strict=True))[: len(ranges)] == ranges
    assert split(data, longs(0), longs(0), resume) == (len(ranges), n_others, *facts)


@examples(200)
@given(st.one_of(bracket_bytes, st.just(b"")))
def test_lines_are_found_as_the_slow_way_does(data):
    starts, stops, n_others = lines(data)
    want = slow_lines(data)
    assert list(zip(starts, stops, strict=True)) == want
    assert n_others == sum(data[start : start + 1] != b"(" for start, _ in want)


@examples(400)
@given(
    st.lists(
        st.one_of(
            pieces,
            sentences,
            sentences.map(lambda text: f"(TOP {text})"),
            tree_cases(6, ("TOP", "A", "-NONE-")).map(lambda case: case.brackets),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["word", "char"]),
    st.sampled_from(["exact", "base", "ignore"]),
    st.sampled_from(["strict", "exclude"]),
    st.sampled_from([(), ("TOP", "-NONE-"), ("TOP", "A", "NN", "B")]),
)
@example(
    ["(TOP (TOP (A a)))", "(TOP (A a) (B b))", "(TOP (A a) b)", "(TOP a)"],
    "word",
    "exact",
    "strict",
    ("TOP",),
)
def test_select_takes_of_trees_that_were_scanned_what_it_takes_of_others(
    texts, unit, labels, terminals, drop
):
    trees = []
    for text in texts:
        try:
            trees.append(SegmentTree.from_brackets(text, unit=unit))
        except TreeFormatError:
            continue
    texts = [tree.to_brackets(times=False) for tree in trees]
    scanner = Scanner()
    scanner.intern("")
    scanned, appended = FlatTrees(), FlatTrees()
    scan(scanner, *join_texts(texts), unit, scanned)
    fill(trees, unit, scanner, appended)
    found = []
    for source in (scanned, appended):
        nodes = FlatNodes()
        Selection(unit, labels, terminals, drop).select(source, scanner.labels, nodes)
        found.append(
            [(nodes.spans(t), nodes.classes(t), nodes.extent_of(t)) for t in range(len(trees))]
            + [list(nodes.counts()), list(nodes.lengthless_counts(nodes))]
        )
    assert found[0] == found[1]
