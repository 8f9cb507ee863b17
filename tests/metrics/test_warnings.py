"""Warnings: each kind where it must appear and where it must not, through results of every make."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, align
from structiou_metric._core.row_checks import WORDS as WORDS_DIFFER
from structiou_metric.errors import StrictError
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.accumulator import Accumulator
from structiou_metric.metrics.tally import CorpusTally
from structiou_metric.metrics.warnings import KINDS
from structiou_metric.sources.files import TreeFile
from structiou_metric.sources.treebanks import read_rows
from support import warnings_oracle
from support.examples import examples
from support.paths import DATA
from support.twin import source_twin

TIMED = "(S (NP we<0.1,0.5>) (VP run<0.5,0.9>))"
CUT = "(S (A I) (B can't) (C re) (D enter))", "(S (A I) (B ca) (C n't) (D reenter))"
LONG = [f"(S (DT the) (NN n{i}) (VBD v{i}) (RB a{i}) (. .))" for i in range(600)]


def kinds(predictions, references, metric="struct_iou", **options):
    result = load_metric(metric, **options).corpus_score(predictions, references)
    return [warning.kind for warning in result.warnings]


@pytest.mark.parametrize(
    "prediction, reference, options, found",
    [
        pytest.param("(S (NP we) (VP run))", "(S (NP dogs) (VP sleep))", {}, ["words"], id="other words"),
        pytest.param("(S (NP we) (VP run))", "(S (NP We) (VP run))", {}, ["words"], id="case counts"),
        pytest.param("(S (NP we) (VP run))", "(X (Y we) (Z run))", {}, [], id="other brackets, same words"),
        pytest.param("(S (A -LRB-) (B ``))", '(S (A -lrb-) (B "))', {}, [], id="escapes and quotes"),
        pytest.param("(S (A can’t) (B ”))", "(S (A can't) (B ''))", {}, [], id="typographic quotes"),
        pytest.param("(S (A 1\\/2) (B —))", "(S (A 1/2) (B --))", {}, [], id="slashes and dashes"),
        pytest.param("(S (A הילד))", "(S (A הַיֶּלֶד))", {}, [], id="vowel points"),
        pytest.param("(S (A é))", "(S (A e\u0301))", {}, [], id="composed characters"),
        pytest.param(
            "(S (A we))", "(S (NP (-NONE- *T*-1)) (A we))", {}, [], id="traces are left out on one side"
        ),
        pytest.param(
            "(S (A we) (-NONE- *U*))", "(S (NP (-NONE- *T*-1)) (A we))", {}, [], id="traces on both sides"
        ),
        pytest.param("(S (A (B we) x))", "(S (A we) (-NONE- *) (C x))", {}, [], id="words of inner nodes"),
        pytest.param("()", "(S (A we))", {}, [], id="failed parse"),
        pytest.param("(S (NP a) (VP bcd))", "(S (NP ab) (VP ce))", {"unit": "char"}, ["words"], id="text"),
        pytest.param("(S (NP abc) (VP d))", "(S (NP a) (VP bcd))", {"unit": "char"}, [], id="other tokens"),
        pytest.param(
            "(S (NP -LRB-) (VP d))", "(S (NP [) (VP d))", {"unit": "char"}, ["words"], id="brackets"
        ),
        pytest.param(*CUT, {}, ["boundaries"], id="boundaries"),
        pytest.param(*CUT, {"unit": "char"}, [], id="boundaries do not matter for characters"),
        pytest.param(TIMED, TIMED, {}, ["timed"], id="times as words"),
        pytest.param(TIMED, TIMED, {"unit": "char"}, ["timed"], id="times as characters"),
        pytest.param(TIMED, TIMED, {"unit": "time"}, [], id="times as times"),
        pytest.param(TIMED, "(S (NP we) (VP run))", {}, [], id="times on one side cannot count"),
        pytest.param(
            TIMED, "(S (NP x<1.1,1.5>) (VP y<1.5,1.9>))", {"unit": "time"}, ["apart"], id="prediction first"
        ),
        pytest.param(
            "(S (NP x<1.1,1.5>) (VP y<1.5,1.9>))", TIMED, {"unit": "time"}, ["apart"], id="reference first"
        ),
        pytest.param(TIMED, "(S (NP dogs<0.8,1.9>))", {"unit": "time"}, [], id="a little overlap"),
        pytest.param("(S (NP a))", "(S (NP-SBJ a))", {}, ["tags"], id="tags in the reference"),
        pytest.param("(S (NP=2 a))", "(S (NP a))", {}, ["tags"], id="index in the prediction"),
        pytest.param("(S (NP-OBJ a))", "(S (NP-SBJ a))", {}, [], id="tags on both sides"),
        pytest.param("(S (NP a))", "(S (NP-SBJ a))", {"labels": "base"}, [], id="tags that are cut"),
        pytest.param("(S (NP a))", "(S (NP-SBJ a))", {"labels": "ignore"}, [], id="no labels"),
        pytest.param("(S (-LRB- a))", "(S (NP a))", {}, [], id="labels of brackets are no tags"),
    ],
)
def test_kinds_of_a_pair(prediction, reference, options, found):
    assert kinds([prediction], [reference], **options) == found
    sides = (SegmentTree.from_brackets(text, source="tree") for text in (prediction, reference))
    assert kinds(*([side] for side in sides), **options) == found
    assert [warning.kind for warning in align(prediction, reference, **options).warnings] == found


def shifted_rows(result):
    return [row for row, bits in enumerate(result._warning_bits) if bits & KINDS["shifted"]]


def test_warning_tells_how_many_and_where():
    [warning] = StructIoU().corpus_score(["(A a)", "(A b)", "(A c)"], ["(A a)", "(A x)", "(A y)"]).warnings
    assert warning[:3] == ("words", 2, [1, 2])
    assert warning.message == (
        "2 of 3 rows: the same number of words on both sides, but different words; are these the same "
        "sentences? (first in row 2)"
    )


def test_tags_are_those_of_all_rows():
    """A row without tags beside one with is no warning while another row has some."""
    references = ["(S (NP-SBJ a))", "(S (NP-SBJ a))"]
    assert kinds(["(S (NP a))", "(S (NP-OBJ a))"], references) == []
    assert kinds(["(S (NP a))", "(S (NP a))"], references) == ["tags"]


@pytest.mark.parametrize("options", [{}, {"unit": "char", "on_error": "zero"}], ids=["words", "characters"])
@pytest.mark.parametrize("workers", [1, 3])
def test_shifted_rows(options, workers):
    metric = StructIoU(**options)
    for shifted, straight in ((LONG[1:], LONG[:-1]), (LONG[:-1], LONG[1:])):
        result = metric.corpus_score(shifted, straight, workers=workers)
        warnings = {warning.kind: warning for warning in result.warnings}
        # All but the row at an end, so across batches, too; words may share a bit of a sketch.
        assert len(straight) - 10 < warnings["shifted"].count < len(straight)
        assert 511 in shifted_rows(result)
        assert 512 in shifted_rows(result)
    assert "shifted" not in [warning.kind for warning in metric.corpus_score(LONG, LONG).warnings]


def test_shift_begins_in_the_middle():
    predictions = LONG[:300] + LONG[301:400]
    result = StructIoU().corpus_score(predictions, LONG[:399])
    warnings = {warning.kind: warning for warning in result.warnings}
    assert warnings["shifted"].rows[0] == 300
    assert warnings["shifted"].count == 98


def test_shift_of_short_rows_must_be_exact():
    """Of `yes .` and `no .`, half of the words are the same by chance."""
    rows = ["(A (B yes) (C .))", "(A (B no) (C .))", "(A (B oh) (C .))"]
    assert kinds(rows[1:], rows[:-1]) == ["words"]
    assert kinds(["(A (B we) (C run))"] * 2, ["(A (B dogs) (C bark))", "(A (B we) (C run))"]) == ["words"]
    other = ["(A (B a) (C b))", "(A (B c) (C d))", "(A (B e) (C f))"]
    assert kinds(other[1:], other[:-1]) == ["words", "shifted"]


def test_rows_that_differ_in_a_word_are_not_shifted():
    changed = [tree.replace(f"n{i}", "UNK") for i, tree in enumerate(LONG)]
    [warning] = StructIoU().corpus_score(changed, LONG).warnings
    assert (warning.kind, warning.count) == ("words", len(LONG))


@pytest.mark.parametrize("shape", [str, SegmentTree.from_brackets])
def test_a_byte_of_a_long_or_short_word_makes_a_difference(shape):
    """Words are compared eight bytes at a time where there are as many; the last one may end the text."""
    references, predictions, differing = [], [], []
    for size in range(1, 20):
        word = "abcdefghijklmnopqrst"[:size]
        for others in ("({} {})", "({} {} (X x))", "({} (X x) {})"):
            for place in range(-1, size):
                differing += [len(references)] if place >= 0 else []
                other = word if place < 0 else word[:place] + "." + word[place + 1 :]
                references.append(shape(others.format("S", f"(A {word})")))
                predictions.append(shape(others.format("T", f"(BB {other})")))
    marked = StructIoU().corpus_score(predictions, references)._warning_bits
    assert [row for row, found in enumerate(marked) if found & WORDS_DIFFER] == differing


def test_shuffled_rows_are_not_shifted():
    assert kinds(LONG[::7] + LONG[3::7], LONG[3::7] + LONG[::7]) == ["words"]


def test_warnings_change_no_figure():
    references = [tree.replace("n1", "UNK") for tree in LONG]
    plain = StructIoU().corpus_score(LONG, LONG)
    assert StructIoU().corpus_score(LONG, references).figures == plain.figures


# ---- the whole corpus

PARSES = [f"(S (NP (DT the) (NN n{i})) (VP (VBD v{i}) (ADVP (RB a{i}))) (. .))" for i in range(100)]


def changed(pattern, text, trees=PARSES):
    return [re.sub(pattern, text, tree) for tree in trees]


def lower_labels(trees):
    return [re.sub(r"\([^ ]+", lambda label: label[0].lower(), tree) for tree in trees]


ONE_SIDED = {
    "tags": changed(r"\(NP", "(NP-SBJ"),
    "binarized": changed(r"\(VP (.*) \(\. \.\)", r"(@S (VP \1 (. .))"),
    "collapsed": changed(r"\(ADVP \(RB ([^)]*)\)\)", r"(ADVP::RB \1)"),
    "case": lower_labels(PARSES),
    "labels": [re.sub(r"\(([^ ]+) ", r"(X\1X ", tree) for tree in PARSES],
}


@pytest.mark.parametrize("kind", ONE_SIDED)
def test_labels_of_one_side(kind):
    """A warning where one side's labels are of another kind, also if a row of the other side has one, too."""
    odd = ONE_SIDED[kind]
    for predictions, references in ((odd, PARSES), (PARSES, odd)):
        assert kinds(predictions, references) == [kind]
        assert kinds(predictions, references, labels="ignore") == []
        [warning] = StructIoU().corpus_score(predictions, references).warnings
        assert (warning.count, warning.rows) == (100, list(range(10)))
    assert kinds(odd, odd) == []
    one_alike = [odd[0], *PARSES[1:]]
    assert kinds(one_alike, odd) == [kind]
    half_alike = [*odd[:50], *PARSES[50:]]
    assert kinds(half_alike, odd) == (["labels"] if kind == "labels" else [])
    assert kinds([*odd[:2], *PARSES[2:]], PARSES) == (["tags"] if kind == "tags" else [])


def test_odd_labels_of_one_row_are_named():
    [warning] = StructIoU().corpus_score([*ONE_SIDED["tags"][:1], *PARSES[1:]], ONE_SIDED["tags"]).warnings
    assert warning.message.startswith(
        "100 of 100 rows: function tags such as -SBJ in the reference, and in 1 row only in the prediction"
    )


@pytest.mark.parametrize("name", METRICS)
def test_labels_in_lower_case_are_a_warning_of_every_metric(name):
    assert kinds(lower_labels(PARSES), PARSES, name) == ["case"]


def test_roots_that_are_dropped_are_no_common_label():
    references = [f"(TOP {tree})" for tree in PARSES]
    assert kinds([f"(TOP {tree})" for tree in ONE_SIDED["labels"]], references) == ["labels"]
    assert kinds(references, PARSES) == []


TIMES = [[(0.3 * i + 0.01 * (i * row % 7), 0.3 * i + 0.25) for i in range(6)] for row in range(20)]


def spoken(move=lambda row, seconds: seconds, rows=range(20)):
    trees = []
    for row in rows:
        times = [[move(row, seconds) for seconds in pair] for pair in TIMES[row]]
        leaves = [f"(X w{row}x{i}<{start:.4f},{end:.4f}>)" for i, (start, end) in enumerate(times)]
        trees.append(f"(S (NP {' '.join(leaves[:3])}) (VP {' '.join(leaves[3:])}))")
    return trees


@pytest.mark.parametrize(
    "move, found",
    [
        pytest.param(lambda row, seconds: seconds, [], id="same times"),
        pytest.param(lambda row, seconds: 1000.0 * seconds, ["scale"], id="milliseconds"),
        pytest.param(lambda row, seconds: 100.0 * seconds, ["scale"], id="frames"),
        pytest.param(lambda row, seconds: seconds / 60.0, ["scale"], id="minutes"),
        pytest.param(lambda row, seconds: 1.5 * seconds, [], id="slower"),
        pytest.param(lambda row, seconds: seconds + 0.4, ["offset"], id="later"),
        pytest.param(lambda row, seconds: seconds + 0.4 if row < 8 else seconds, [], id="some later"),
        pytest.param(lambda row, seconds: seconds + 0.04, [], id="hardly later"),
        pytest.param(lambda row, seconds: seconds + 0.4 * (seconds > 1), [], id="only the end later"),
    ],
)
def test_clocks(move, found):
    for sides in ((spoken(move), spoken()), (spoken(), spoken(move))):
        assert kinds(*sides, unit="time") == found
    documents = [[tree] for tree in spoken(move)], [[tree] for tree in spoken()]
    result = StructIoU(unit="time").corpus_score(*documents, documents=True)
    assert [warning.kind for warning in result.warnings] == found


@pytest.mark.parametrize("clock", [0.0, 3.0], ids=["each row begins at 0", "rows of one recording"])
def test_rows_shifted_in_time(clock):
    trees = spoken(lambda row, seconds: seconds + clock * row)
    found = kinds(trees[1:], trees[:-1], unit="time")
    assert found == (["shifted", "apart"] if clock else ["shifted"])
    assert kinds(trees, trees, unit="time") == []


@pytest.mark.parametrize("kind", [*ONE_SIDED, "scale", "offset"])
@pytest.mark.parametrize("cut", [1, 7, 19])
def test_kinds_of_a_corpus_merge(kind, cut):
    """Parts that say nothing by themselves, such as one row, make the whole."""
    options = {"unit": "time"} if kind in ("scale", "offset") else {}
    moves = {"scale": lambda row, seconds: 1000.0 * seconds, "offset": lambda row, seconds: seconds + 0.4}
    predictions = spoken(moves[kind]) if options else ONE_SIDED[kind][:20]
    references = spoken() if options else PARSES[:20]
    metric = StructIoU(**options)
    whole = metric.corpus_score(predictions, references)
    assert [warning.kind for warning in whole.warnings] == [kind]
    sums = Accumulator(metric), Accumulator(metric)
    sums[0].update(predictions[:cut], references[:cut])
    sums[1].update(predictions[cut:], references[cut:])
    sums[0].merge(sums[1])
    assert sums[0].compute().warnings == whole.warnings
    restored = CorpusTally.from_dict(json.loads(json.dumps(sums[0].tally.to_dict())))
    assert restored.result().warnings == whole.warnings


@pytest.mark.parametrize(
    "prediction, reference",
    [("(S (NP b) (-NONE- a))", "(S (-NONE- b) (NP a))"), ("(S (-NONE- *) (A b))", "(S (A *) (-NONE- b))")],
)
def test_same_bytes_with_other_traces(prediction, reference):
    for shape in (str, SegmentTree.from_brackets):
        sides = [shape(prediction)], [shape(reference)]
        assert kinds(*sides) == ["words"]
        assert kinds(sides[0], sides[0]) == []


# ---- results of every make


@pytest.mark.parametrize("cut", [1, 2, 300, 512])
def test_parts_and_whole_have_the_same(cut):
    metric = StructIoU()
    whole = metric.corpus_score(LONG[1:], LONG[:-1])
    parts = [
        metric.corpus_score(LONG[1:][lo:hi], LONG[:-1][lo:hi]) for lo, hi in ((0, cut), (cut, len(LONG)))
    ]
    assert type(whole).joined(parts).warnings == whole.warnings
    gathered, other = Accumulator(metric), Accumulator(metric)
    gathered.update(LONG[1 : 1 + cut], LONG[:cut])
    other.update(LONG[1:][cut:], LONG[:-1][cut:])
    gathered.merge(other)
    assert gathered.compute().warnings == whole.warnings


def test_accumulator_row_by_row():
    gathered = Accumulator(StructIoU())
    for prediction, reference in zip(LONG[1:20], LONG[:19], strict=True):
        gathered.update([prediction], [reference])
    assert gathered.compute().warnings == StructIoU().corpus_score(LONG[1:20], LONG[:19]).warnings


def test_documents():
    result = StructIoU().corpus_score([[LONG[0], LONG[1]]], [[LONG[0], LONG[2]]], documents=True)
    assert [warning.kind for warning in result.warnings] == ["words"]
    same = StructIoU().corpus_score([["(S (A a))", "(S (B b))"]], [["(S (A a) (B b))"]], documents=True)
    assert same.warnings == []


def test_best_reference_is_the_one_that_is_looked_at():
    predictions = ["(S (A a) (B b))", "(S (A c) (B d))"]
    found = StructIoU().corpus_score(
        predictions, [["(X (A x) (Y y))", "(S (A a) (B b))"], ["(S (A c) (B e))"]]
    )
    assert found.used == {0: 1}
    [warning] = found.warnings
    assert warning[:3] == ("words", 1, [1])
    assert found.as_dict()["warnings"] == [warning.as_dict()]


def test_strict():
    sides = ["(A a)"], ["(A b)"]
    with pytest.raises(
        StrictError, match=r"^the pair: the same number of words on both sides, but different words"
    ):
        StructIoU().corpus_score(*sides, strict=True)
    assert StructIoU().corpus_score(sides[0], sides[0], strict=True).warnings == []


def test_datasets_of_columns():
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"p": LONG[1:], "r": LONG[:-1]})
    result = StructIoU().score_dataset(dataset, "p", "r")
    assert result.warnings == StructIoU().corpus_score(LONG[1:], LONG[:-1]).warnings
    with pytest.raises(StrictError):
        StructIoU().score_dataset(dataset, "p", "r", strict=True)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_hears_what_means_something_to_it(name):
    metric = load_metric(name)
    if name == "disco_parseval":  # other words are an error
        with pytest.raises(ValueError, match="need the same words on both sides"):
            metric.corpus_score(LONG[1:9], LONG[:8])
        return
    result = metric.corpus_score(LONG[1:9], LONG[:8])
    told = [warning.kind for warning in result.warnings]
    assert ("shifted" in told) is not metric.pairs_itself
    assert ("words" in told) is (name in ("struct_iou", "leaf_ancestor"))
    assert metric.corpus_score(LONG[:8], LONG[:8]).warnings == []


# ---- no false ones


@pytest.mark.parametrize(
    "corpus, suffix, options, found",
    [
        ("english", "mrg", {"labels": "base"}, []),
        ("english", "mrg", {}, ["tags"]),
        ("hebrew", "txt", {"unit": "char"}, []),
        ("speech", "txt", {"unit": "time"}, []),
    ],
)
def test_bundled_corpora(corpus, suffix, options, found):
    sides = (TreeFile.read(DATA / f"{corpus}.{side}") for side in ("prediction.txt", f"reference.{suffix}"))
    assert kinds(*sides, **options) == found


@pytest.mark.parametrize(
    "path", [*sorted((DATA / "treebanks").iterdir()), *sorted(DATA.glob("*.reference.*"))]
)
@pytest.mark.parametrize("unit", ["word", "char", "time"])
def test_clean_pairs_have_none(path, unit):
    rows = read_rows(path, discontinuous="raise")
    if unit == "time" and path.name != "speech.reference.txt":
        pytest.skip("its words have no times")
    if unit != "time" and path.name == "speech.reference.txt":
        assert kinds(rows, rows, unit=unit) == ["timed"]
    else:
        assert kinds(rows, rows, unit=unit) == []


# ---- the definitions

WORDS = st.sampled_from(["a", "b", "ab", "ba", "-LRB-", "``", '"', "can\u2019t", "can't", "é"])
LABELS = st.sampled_from(["NP", "NP-SBJ", "-NONE-", "X=1", "-LRB-", "VP"])
LEAVES = st.lists(st.builds("({} {})".format, LABELS, WORDS), min_size=1, max_size=5).map(" ".join)
TREES = st.builds("({} {})".format, st.sampled_from(["S", "S-TPC"]), LEAVES)
PAIRS = st.lists(st.tuples(TREES, TREES), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    return source_twin(tmp_path_factory.mktemp("twin"))


@given(PAIRS)
@example([("(S (NP can\u2019t))", "(S (NP can't))")])
@example([("(S (NP b) (-NONE- a))", "(S (-NONE- b) (NP a))")])
@examples(200)
def test_oracle(twin, pairs):
    predictions, references = zip(*pairs, strict=True)
    for unit in ("word", "char"):
        if unit == "char" and any("``" in tree for pair in pairs for tree in pair):
            continue
        wanted = [warnings_oracle.kinds(*pair, unit) for pair in pairs]
        warnings = StructIoU(unit=unit, on_error="zero").corpus_score(predictions, references).warnings
        found = {warning.kind: warning for warning in warnings}
        for kind in ("words", "boundaries"):
            rows = [row for row, kinds in enumerate(wanted) if kind in kinds]
            assert rows == (found[kind].rows if kind in found else [])
        for row, (prediction, reference) in enumerate(pairs):
            alone = StructIoU(unit=unit, on_error="zero").corpus_score([prediction], [reference])
            assert {warning.kind for warning in alone.warnings} == wanted[row]
        source = twin.StructIoU(unit=unit, on_error="zero").corpus_score(predictions, references)
        assert [tuple(warning) for warning in source.warnings] == [tuple(warning) for warning in warnings]
