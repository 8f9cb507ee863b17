"""The command line, through the same doors as its users: `main`, the process, pipes and terminals."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import unicodedata
from hashlib import sha256
from itertools import accumulate, pairwise
from pathlib import Path

import pytest

from structiou_metric import StructIoU, __version__
from structiou_metric.metrics import METRICS, metric_class
from structiou_metric.sources.treebanks import Reading
from support import oracle
from support.cli import failed, runner, succeeded
from support.paths import DATA
from support.process import PATIENCE

ENGLISH = str(DATA / "english.reference.mrg"), str(DATA / "english.prediction.txt")
HEBREW = str(DATA / "hebrew.reference.txt"), str(DATA / "hebrew.prediction.txt")
SPEECH = str(DATA / "speech.reference.txt"), str(DATA / "speech.prediction.txt")

# Scores by hand: 1, all of 2 and 2 nodes; 4/7, S and A of 3 and 4 nodes.
REFERENCE = "(S (A a))\n(S (A a) (B b))\n"
PREDICTION = "(S (A a))\n(S (X (A a) (C b)))\n"

COLUMNS = "struct_iou  precision  recall  predicted  reference"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs a command in an empty folder; returns the exit code and what was printed to both outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return runner(capsys)


@pytest.fixture
def files(structiou, tmp_path):
    """Writes the small pair of files, or other texts; returns their names."""

    def write(reference=REFERENCE, prediction=PREDICTION):
        for name, text in (("ref.txt", reference), ("pred.txt", prediction)):
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return "ref.txt", "pred.txt"

    return write


def from_json(result):
    return json.loads(succeeded(result))


def signature(**options):
    return StructIoU(**options).signature


def short_signature(**options):
    """The parts that differ from those of the defaults, the version, and a hash of the whole."""
    full = signature(**options)
    *changed, version = [part for part in full.split("|") if part not in signature().split("|")[:-1]]
    digits = sha256(full.encode()).hexdigest()[:8]
    return "|".join(["structiou", *changed, version, f"#{digits}"])


def process(*args, stdin=None, **env):
    """Runs the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "structiou_metric", *map(str, args)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", **env},
        timeout=PATIENCE,
    )


# ---- score: the table ------------------------------------------------------------------------------


def test_score_table_for_people(structiou, files):
    assert succeeded(structiou("score", *files())).splitlines() == [
        "STRUCT-IoU, sentence mean    0.7857",
        "STRUCT-IoU, corpus level     0.7273",
        "precision, corpus level      0.6667",
        "recall, corpus level         0.8000",
        "sentences                         2",
        short_signature(),
    ]


def test_score_full_prints_the_full_signature(structiou, files):
    assert succeeded(structiou("score", *files(), "--full")).splitlines()[-1] == signature()


@pytest.mark.parametrize("full", [[], ["--full"]], ids=["short", "full"])
@pytest.mark.parametrize(
    "options",
    [
        "--labels base --drop",
        "--unit char --min-iou .25 --drop a|b x,y",
        "--metric tree_edit --rename 1.5",
        "--metric parseval --variant spmrl --count-empty",
    ],
)
def test_score_repeats_a_run_from_its_signature(structiou, files, options, full):
    command = ["score", *files()]
    out = succeeded(structiou(*command, *options.split(), *full))
    assert succeeded(structiou(*command, "--signature", out.splitlines()[-1], *full)) == out


def test_score_repeats_a_run_whose_files_have_blank_separators(structiou, tmp_path):
    for name, tree in (("gold", "(S (A a))"), ("parsed", "(S (B a))")):
        (tmp_path / f"{name}.txt").write_text(f"{tree}\n\n{tree}\n")
    command = ["score", tmp_path / "gold.txt", tmp_path / "parsed.txt"]
    out = succeeded(structiou(*command))
    (line,) = (line for line in out.splitlines() if line.startswith("structiou|"))
    assert "|separators:1|" in line
    assert succeeded(structiou(*command, "--signature", line)) == out


@pytest.mark.parametrize(
    "line, message",
    [
        ("structiou|labels:base|version:0.3.0|#00000000", "the signature was changed"),
        ("structiou|labels:base|version:0.2.0|#541c17ed", "install version 0.2.0"),
        ("nothing", "copy the whole line"),
        ("structiou|labels:bare|version:0.3.0|#541c17ed", "'bare'"),
    ],
)
def test_score_refuses_signatures_that_it_cannot_repeat(structiou, files, line, message):
    err = failed(structiou("score", *files(), "--signature", line), code=2)
    assert message in err


def test_score_takes_options_from_one_place(structiou, files):
    err = failed(structiou("score", *files(), "--signature", signature(), "--labels", "base"), code=2)
    assert "--labels: --signature names all options; leave it out" in err


def test_score_several_metrics_in_one_table(structiou, files):
    """The figures are those of each metric alone."""
    lines = succeeded(structiou("score", *files(), "--metric", "struct_iou,tree_edit,parseval")).splitlines()
    assert lines[0].split() == ["metric", "figure", "value", "sentences"]
    alone = succeeded(structiou("score", *files(), "--metric", "tree_edit")).splitlines()
    assert lines[2].split()[-2:] == [alone[0].split()[-1], "2"]
    assert alone[-1] in lines
    full = succeeded(structiou("score", *files(), "--metric", "struct_iou,tree_edit,parseval", "--full"))
    assert "ParsEval, recall" in full
    assert signature() in full.splitlines()


def test_score_headline_comes_first(structiou, files):
    lines = succeeded(structiou("score", *files(), "--average", "corpus")).splitlines()
    assert lines[0] == "STRUCT-IoU, corpus level     0.7273"
    assert lines[1] == "STRUCT-IoU, sentence mean    0.7857"


def test_score_per_sentence_table(structiou, files):
    lines = succeeded(structiou("score", *files(), "--per-sentence")).splitlines()
    assert lines[:4] == [
        "   row  " + COLUMNS,
        "     1      1.0000     1.0000  1.0000          2          2",
        "     2      0.5714     0.5000  0.6667          4          3",
        "",
    ]
    assert lines[4].startswith("STRUCT-IoU")


def test_score_per_label_table(structiou, files):
    lines = succeeded(structiou("score", *files(), "--per-label")).splitlines()
    assert lines[:7] == [
        "label  " + COLUMNS,
        "A          1.0000     1.0000  1.0000          2          2",
        "S          1.0000     1.0000  1.0000          2          2",
        "B          0.0000     0.0000  0.0000          0          1",
        "C          0.0000     0.0000  0.0000          1          0",
        "X          0.0000     0.0000  0.0000          1          0",
        "",
    ]


def test_score_both_tables_stand_above_the_summary(structiou, files):
    sentences, labels, summary = succeeded(
        structiou("score", *files(), "--per-label", "--per-sentence")
    ).split("\n\n")
    assert [text.split()[0] for text in (sentences, labels, summary)] == ["row", "label", "STRUCT-IoU,"]


def test_score_per_label_columns_stand_under_each_other(structiou, files):
    tree = "(標識 (名詞 犬) (שם (ע\u05b4בר b)) (NP-SBJ-LONG c))\n"
    lines = succeeded(structiou("score", *files(tree, tree), "--per-label")).split("\n\n")[0].splitlines()
    assert len(lines) == 6

    def columns(text):
        return sum(
            0
            if unicodedata.category(character) in ("Mn", "Cf")
            else 1 + (unicodedata.east_asian_width(character) == "W")
            for character in text
        )

    assert len(set(map(columns, lines))) == 1
    # Labels from right to left must not turn the numbers around: they stand in an isolate.
    assert [line.split()[0] for line in lines if "\u2068" in line] == [
        "\u2068ע\u05b4בר\u2069",
        "\u2068שם\u2069",
    ]


def test_score_per_label_every_row_has_as_many_columns(structiou, files):
    tree = "( (X\x1b[31m a) ('' b))\n"  # no label at all, an escape sequence, and the closing quote
    out = succeeded(structiou("score", *files(tree, tree), "--per-label", "--drop"))
    rows = [line.split() for line in out.split("\n\n")[0].splitlines()]
    assert {len(row) for row in rows} == {6}
    assert {row[0]: row[-1] for row in rows[1:]} == {"∅": "1", "''": "1", "X␛[31m": "1"}


def test_score_counts_failed_parses_and_nodes_without_length(structiou, files):
    out = succeeded(structiou("score", *files("(S (A a))\n(S (A a) (B ))\n", "(TOP )\n(S (A a))\n")))
    assert "STRUCT-IoU, sentence mean    0.5000\n" in out
    assert "failed parses, score 0            1\n" in out
    assert "nodes without length              1\n" in out


# ---- score: JSON -----------------------------------------------------------------------------------


def test_score_json(structiou, files):
    assert from_json(structiou("score", *files(), "--json")) == {
        "schema": "structiou.score.v1",
        "struct_iou": pytest.approx(11 / 14),
        "struct_iou_sentence": pytest.approx(11 / 14),
        "struct_iou_corpus": pytest.approx(8 / 11),
        "precision": pytest.approx(4 / 6),
        "recall": pytest.approx(4 / 5),
        "n_sentences": 2,
        "n_zeroed": 0,
        "n_skipped": 0,
        "n_empty": 0,
        "n_lengthless": 0,
        "signature": signature(),
        "warnings": [],
    }


def test_score_json_headline(structiou, files):
    result = from_json(structiou("score", *files(), "--json", "--average", "corpus"))
    assert result["struct_iou"] == result["struct_iou_corpus"] == pytest.approx(8 / 11)
    assert result["struct_iou_sentence"] == pytest.approx(11 / 14)


def test_score_json_with_sentences_and_labels(structiou, files):
    result = from_json(structiou("score", *files(), "--json", "--per-sentence", "--per-label"))
    assert result["sentences"][1] == {
        "index": 1,
        "status": "valid",
        "struct_iou": pytest.approx(4 / 7),
        "precision": pytest.approx(2 / 4),
        "recall": pytest.approx(2 / 3),
        "matched": 2.0,
        "n_pred": 4,
        "n_ref": 3,
        "n_lengthless": 0,
    }
    assert list(result["by_label"]) == ["A", "S", "B", "C", "X"]
    assert result["by_label"]["X"] == {
        "struct_iou": 0.0,
        "precision": 0.0,
        "recall": 0.0,
        "n_pred": 1,
        "n_ref": 0,
    }


# ---- score: bundled files against the oracle -------------------------------------------------------


def scores(structiou, *args):
    result = from_json(structiou("score", *args, "--json", "--per-sentence"))
    return [sentence["struct_iou"] for sentence in result["sentences"]]


def without_root(text):
    """A tree without a root such as TOP over one child, traces, and what they leave empty."""
    text = re.sub(r"\(-NONE- [^()]*\)", "", text)
    while text != (text := re.sub(r"\([^\s()]*\s*\)", "", text)):
        pass
    if root := re.fullmatch(r"\s*\((?:TOP)?\s*(\(.*\))\s*\)\s*", text, re.DOTALL):
        return root[1]
    return text


def by_oracle(pairs, **options):
    return [
        pytest.approx(oracle.struct_iou(oracle.read(*pred), oracle.read(*ref), **options), abs=1e-9)
        for ref, pred in pairs
    ]


def test_score_english_as_the_oracle(structiou):
    reference, prediction = (Path(name).read_text("utf-8") for name in ENGLISH)
    pairs = [
        ((without_root(ref),), (without_root(pred),))
        for ref, pred in zip(re.split(r"\n(?=\()", reference), prediction.splitlines(), strict=True)
    ]
    short = [i for i, (ref, _) in enumerate(pairs) if ref[0].count("(") <= 16]
    assert len(short) > 10
    got = scores(structiou, *ENGLISH)
    assert len(got) == 80
    assert [got[i] for i in short] == by_oracle([pairs[i] for i in short])


def test_score_hebrew_characters_as_the_oracle(structiou):
    def timed(line):
        line = without_root(unicodedata.normalize("NFC", line))
        words = re.findall(r" ([^\s()]+)", line)
        lengths = [sum(unicodedata.category(c)[0] != "M" for c in word) for word in words]
        return line, list(pairwise(accumulate(lengths, initial=0)))

    lines = (Path(name).read_text("utf-8").splitlines() for name in HEBREW)
    pairs = [(timed(ref), timed(pred)) for ref, pred in zip(*lines, strict=True)]
    got = scores(structiou, *HEBREW, "--unit", "char")
    assert got == by_oracle(pairs)
    assert got[0] == pytest.approx(0.635, abs=5e-4)  # the paper's Hebrew figure


def test_score_speech_seconds_as_the_oracle(structiou):
    def timed(line):
        times = re.findall(r"<([\d.]+),([\d.]+)>", line)
        return re.sub(r"[^\s(]*<[^>]*>", "w", line), [(float(start), float(end)) for start, end in times]

    lines = (Path(name).read_text("utf-8").splitlines() for name in SPEECH)
    pairs = [(timed(ref), timed(pred)) for ref, pred in zip(*lines, strict=True)]
    got = scores(structiou, *SPEECH, "--unit", "time")
    assert got == by_oracle(pairs)
    assert got[0] == pytest.approx(0.75)  # the paper's first figure


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"labels": "ignore"}, id="unlabeled"),
        pytest.param({"terminals": "flexible"}, id="flexible terminals"),
        pytest.param({"terminals": "exclude"}, id="no terminals"),
        pytest.param({"min_iou": 0.4}, id="threshold"),
    ],
)
def test_score_options_as_the_oracle(structiou, files, options):
    trees = [
        "(S (NP (D a) (N b)) (VP (V c) (NP (N d) (N e))))",
        "(S (NP (D a)) (VP (N b) (V c)) (NP (N d) (X e)))",
        "(VP (NP (D a) (NP (N b) (V c))) (NP (N d)) (N e))",
        "(S (S (NP (S (A a) (B b)) (C c)) (D d)) (E e))",
    ]
    pairs = [(ref, pred) for ref in trees for pred in trees]
    names = files(*("".join(f"{tree}\n" for tree in side) for side in zip(*pairs, strict=True)))
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    assert scores(structiou, *names, *flags) == by_oracle(
        [((ref,), (pred,)) for ref, pred in pairs], **options
    )


# ---- options ---------------------------------------------------------------------------------------

OPTIONS = [
    ("--unit char", {"unit": "char"}),
    ("--unit=word", {}),
    ("--labels base", {"labels": "base"}),
    ("--labels ignore", {"labels": "ignore"}),
    ("--terminals flexible", {"terminals": "flexible"}),
    ("--terminals exclude", {"terminals": "exclude"}),
    ("--min-iou 0.25", {"min_iou": 0.25}),
    ("--drop", {"drop": ()}),
    ("--drop TOP X", {"drop": ("TOP", "X")}),
    ("--drop ''", {"drop": ("",)}),
    ("--drop '' TOP", {"drop": ("", "TOP")}),
    ("--drop -NONE-", {"drop": ("-NONE-",)}),
    ("--drop TOP -NONE- -LRB- X", {"drop": ("TOP", "-NONE-", "-LRB-", "X")}),
    ("--drop=-NONE- --drop=TOP --drop=-X", {"drop": ("-NONE-", "TOP", "-X")}),
]
CORPUS_OPTIONS = [
    ("--average corpus", {"average": "corpus"}),
    ("--on-error zero", {"on_error": "zero"}),
    ("--on-error skip", {"on_error": "skip"}),
    (
        "--unit=char --labels=base --terminals=exclude --min-iou=.5 "
        "--average=corpus --on-error=skip --drop A",
        {
            "unit": "char",
            "labels": "base",
            "terminals": "exclude",
            "min_iou": 0.5,
            "drop": ["A"],
            "average": "corpus",
            "on_error": "skip",
        },
    ),
]


def words(flags):
    return [word.strip("'") for word in flags.split()]


def test_score_by_all_metrics_is_score_by_each(structiou, files):
    sides = files()
    together = json.loads(
        succeeded(structiou("score", *sides, "--metric", "all", "--labels", "base", "--json"))
    )
    assert list(together["metrics"]) + list(together["refused"]) == list(METRICS)
    for name, found in together["metrics"].items():
        flags = ["--labels", "base"] if "labels" in metric_class(name).OPTIONS else []
        alone = json.loads(succeeded(structiou("score", *sides, "--metric", name, *flags, "--json")))
        assert {"schema": together["schema"], **found} == alone


def test_score_by_all_metrics_says_which_mean_nothing(structiou, tmp_path):
    (tmp_path / "gold.txt").write_text("(S (NP (A ab)) (B c))\n")
    (tmp_path / "test.txt").write_text("(S (NP (A a) (C b)) (B c))\n")
    sides = str(tmp_path / "gold.txt"), str(tmp_path / "test.txt")
    text = succeeded(
        structiou("score", *sides, "--metric", "struct_iou,parseval,leaf_ancestor", "--unit", "char")
    )
    assert "STRUCT-IoU, sentence mean" in text
    assert "ParsEval means nothing here: it needs the same words on both sides" in text
    assert "Leaf-ancestor means nothing here: " in text
    found = json.loads(
        succeeded(structiou("score", *sides, "--metric", "struct_iou,parseval", "--unit", "char", "--json"))
    )
    assert (list(found["metrics"]), list(found["refused"])) == (["struct_iou"], ["parseval"])


@pytest.mark.parametrize("names", ["nonsense", "parseval,parseval", "struct_iou,"])
def test_score_names_the_metrics(structiou, files, names):
    err = failed(structiou("score", *files(), "--metric", names), 2)
    assert f"'{names}' is not a list of different metrics; choose from struct_iou, parseval" in err


@pytest.mark.parametrize("flags, options", OPTIONS + CORPUS_OPTIONS, ids=lambda value: str(value))
def test_score_options_reach_the_metric(structiou, files, flags, options):
    args = ["score", *files(), *words(flags)]
    assert succeeded(structiou(*args)).splitlines()[-1] == short_signature(**options)
    assert from_json(structiou(*args, "--json"))["signature"] == signature(**options)


@pytest.mark.parametrize("flags, options", OPTIONS, ids=lambda value: str(value))
def test_align_options_reach_the_metric(structiou, flags, options):
    args = ["align", "(S (A a))", "(S (A a))", *words(flags)]
    assert succeeded(structiou(*args)).splitlines()[-1] == short_signature(**options)
    assert from_json(structiou(*args, "--json"))["signature"] == signature(**options)


def test_score_options_may_stand_before_the_files(structiou, files):
    out = succeeded(structiou("score", "--drop=-NONE-", "--unit", "char", *files()))
    assert short_signature(unit="char", drop=["-NONE-"]) in out


@pytest.mark.parametrize(
    "flags, n_pred, n_ref",
    [
        pytest.param("", 1, 3, id="default"),
        pytest.param("--drop", 2, 6, id="all nodes kept"),
        pytest.param("--drop TOP", 1, 6, id="TOP"),
        pytest.param("--drop ''", 2, 5, id="the empty label"),
        pytest.param("--drop -NONE-", 2, 4, id="traces with what they empty"),
    ],
)
def test_score_drop(structiou, files, flags, n_pred, n_ref):
    names = files("( (S (A a) (B b) (X (-NONE- *))))\n", "(TOP (S a b))\n")
    result = from_json(
        structiou("score", *names, *words(flags), "--json", "--per-sentence", "--on-error=zero")
    )
    assert [(row["n_pred"], row["n_ref"]) for row in result["sentences"]] == [(n_pred, n_ref)]


# ---- where trees come from -------------------------------------------------------------------------


@pytest.mark.parametrize("side", [0, 1], ids=["reference", "prediction"])
def test_score_reads_standard_input(structiou, files, monkeypatch, side):
    names = list(files())
    want = succeeded(structiou("score", *names))
    text = Path(names[side]).read_bytes()
    names[side] = "-"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert succeeded(structiou("score", *names)) == want


@pytest.mark.parametrize("command", ["score", "align"])
def test_both_from_standard_input_is_bad_usage(structiou, command):
    assert "only one file can be standard input" in failed(structiou(command, "-", "-"), code=2)


def test_standard_input_is_named_in_errors(structiou, files, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"(S (A a))\n(S (A a)\n(S (A a))\n")))
    reference, _ = files("(S (A a))\n" * 3)
    assert failed(structiou("score", reference, "-")).startswith("structiou: <stdin>:2:1: ")


def test_score_reads_gzip(structiou, files):
    reference, prediction = files(prediction=gzip.compress(PREDICTION.encode()))
    Path("ref.txt.gz").write_bytes(gzip.compress(REFERENCE.encode()))
    want = succeeded(structiou("score", *files()))
    assert succeeded(structiou("score", "ref.txt.gz", prediction)) == want
    files(prediction=gzip.compress(PREDICTION.encode())[:-9])
    assert re.match(
        "structiou: pred.txt: .*gzip.* damaged", failed(structiou("score", reference, prediction))
    )


def test_score_reads_byte_order_mark_and_windows_line_ends(structiou, files):
    want = succeeded(structiou("score", *files()))
    names = files(b"\xef\xbb\xbf" + REFERENCE.replace("\n", "\r\n").encode())
    assert succeeded(structiou("score", *names)) == want


def test_score_layout(structiou, files):
    names = files("(S (A a))\n\n(S\n  (A a) (B b))\n", "(S (A a)) (S (A a) (B b))\n")
    want = succeeded(structiou("score", *names))
    assert "sentences                         2\n" in want
    assert succeeded(structiou("score", *names, "--layout", "free")) == want
    err = failed(structiou("score", *names, "--layout", "line"))
    assert re.search(r"pred\.txt: 1 trees?, ref\.txt .*: 4 trees", err)


def test_score_layout_line_counts_a_blank_line_as_failed_parse(structiou, files):
    names = files("(S (A a))\n(S (A a))\n", "(S (A a))\n\n")
    assert from_json(structiou("score", *names, "--json"))["n_empty"] == 1
    assert "1 tree," in failed(structiou("score", *names, "--layout", "free"))


def test_score_workers_change_nothing(structiou, files):
    names = files(REFERENCE * 2500, PREDICTION * 2500)
    args = ["score", *names, "--per-sentence", "--per-label"]
    one, two, auto = (succeeded(structiou(*args, "--workers", n)) for n in (1, 2, "auto"))
    assert one == two == auto == succeeded(structiou(*args))


def test_score_deep_nesting(structiou, files):
    tree = "(A " * 100_000 + "w" + ")" * 100_000
    assert from_json(structiou("score", *files(tree, tree), "--json"))["struct_iou"] == 1.0


# ---- bad data --------------------------------------------------------------------------------------


def test_missing_file(structiou, files):
    reference, _ = files()
    told = "structiou: none.txt: No such file or directory; check the path (the working folder is "
    assert failed(structiou("score", reference, "none.txt")).startswith(told)
    assert failed(structiou("align", "none.txt", reference)).startswith(told)


def test_folder_for_a_file(structiou, files, tmp_path):
    reference, _ = files()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "notes.doc").write_text("(A a)\n")
    err = failed(structiou("score", reference, tmp_path / "sub"))
    assert f"structiou: {tmp_path / 'sub'}: no file in here ends like a treebank (.br " in err
    assert f"a pattern such as '{tmp_path / 'sub' / '*.abc'}'" in err


def test_empty_files(structiou, files):
    err = failed(structiou("score", *files("", "")))
    assert "pred.txt" in err
    assert "ref.txt" in err
    assert "no trees" in err


def test_not_utf8(structiou, files):
    assert "pred.txt:2: byte 0xff is not UTF-8" in failed(
        structiou("score", *files(prediction=b"(S a)\n\xff"))
    )


UNREADABLE = [
    pytest.param("(S (A a) (B b)", 1, "never closed", id="never closed"),
    pytest.param("(S (A a)))", 10, "closes nothing", id="closes nothing"),
    pytest.param("(S (A a)) x", 11, "outside", id="text outside"),
    pytest.param("(S (A a)) (S a)", 11, "second tree", id="second tree"),
    pytest.param("(S (Ä ä)) x", 11, "outside", id="columns are characters"),
]


@pytest.mark.parametrize("line, column, what", UNREADABLE)
def test_unreadable_row_is_shown(structiou, files, line, column, what):
    names = files("(S (A a))\n" * 5, "(S (A a))\n" * 3 + line + "\n(S (A a))\n")
    message, shown, caret = failed(structiou("score", *names, "--layout", "line")).splitlines()
    place, message = message.split(": ", 2)[1:]
    assert place == f"pred.txt:4:{column}"
    assert what in message
    assert shown == "  " + line
    assert caret.index("^") == column + 1


def test_unreadable_reference_is_named(structiou, files):
    err = failed(structiou("score", *files("(S (A a))\n(S (A a)\n(S (A a))\n", "(S (A a))\n" * 3)))
    assert err.startswith("structiou: ref.txt:2:1: ")


def test_unequal_counts_name_both_files_and_counts(structiou, files):
    err = failed(structiou("score", *files(prediction="(S (A a))\n" * 3)))
    assert "pred.txt: 3 trees" in err
    assert "ref.txt: 2 trees" in err


def test_unequal_words_name_both_places_and_the_cure(structiou, files):
    err = failed(structiou("score", *files("(S a)\n(S (A ab))\n", "(S a)\n(S (A a) (B b))\n")))
    assert "pred.txt:2 has 2 words and ref.txt:2 has 1" in err
    assert "score characters (unit 'char')" in err


BAD_REFERENCE = "(S (A a) (B b))\n(S (A a)\n(S (A a) (B b))\n(S a)\n"
BAD_PREDICTION = "(S (A a) (C b))\n(S (A a) (B b))\n(S (A a))\n(S a)\n"


def test_on_error_zero_lists_what_happened(structiou, files):
    out = succeeded(
        structiou("score", *files(BAD_REFERENCE, BAD_PREDICTION), "--on-error=zero", "--per-sentence")
    )
    lines = out.splitlines()
    assert [line.split()[:2] for line in lines[1:5]] == [
        ["1", "0.6667"],
        ["2", "0.0000"],
        ["3", "0.0000"],
        ["4", "1.0000"],
    ]
    assert [line.endswith("  not comparable") for line in lines[1:5]] == [False, True, True, False]
    assert "STRUCT-IoU, sentence mean    0.4167" in lines
    assert "STRUCT-IoU, corpus level     0.3750" in lines  # 2 · 3 / (9 + 7)
    assert "sentences                         4" in lines
    assert "not comparable, score 0           2" in lines
    rows = [line for line in lines if line.startswith("row ")]
    assert rows[0].startswith("row 2: ref.txt:2:1: this '(' is never closed")
    assert rows[1].startswith("row 3: pred.txt:3 has 1 word and ref.txt:3 has 2 words")
    assert len(rows) == 2


def test_on_error_skip_lists_what_happened(structiou, files):
    names = files(BAD_REFERENCE, BAD_PREDICTION)
    out = succeeded(structiou("score", *names, "--on-error", "skip", "--per-sentence"))
    lines = out.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["1", "0.6667"], ["4", "1.0000"]]
    assert "STRUCT-IoU, sentence mean    0.8333" in lines
    assert "STRUCT-IoU, corpus level     0.7500" in lines  # 2 · 3 / (4 + 4)
    assert "sentences                         2" in lines
    assert "not comparable, skipped           2" in lines
    assert [line[:6] for line in lines if line.startswith("row ")] == ["row 2:", "row 3:"]


@pytest.mark.parametrize("on_error, n_sentences", [("zero", 4), ("skip", 2)])
def test_on_error_in_json(structiou, files, on_error, n_sentences):
    names = files(BAD_REFERENCE, BAD_PREDICTION)
    result = from_json(structiou("score", *names, "--on-error", on_error, "--json", "--per-sentence"))
    assert result["n_sentences"] == len(result["sentences"]) == n_sentences
    assert (result["n_zeroed"], result["n_skipped"]) == ((2, 0) if on_error == "zero" else (0, 2))
    assert [problem["index"] for problem in result["problems"]] == [1, 2]
    assert result["problems"][0]["message"].startswith("ref.txt:2:1: ")
    failures = [row["index"] for row in result["sentences"] if row["status"] == "zeroed"]
    assert failures == ([1, 2] if on_error == "zero" else [])


def test_on_error_lists_few_and_counts_the_rest(structiou, files):
    names = files("(S a)\n" * 9, "(S a b)\n" * 8 + "(S a)\n")
    lines = succeeded(structiou("score", *names, "--on-error", "zero")).splitlines()
    assert [line[:6] for line in lines if line.startswith("row ")] == [f"row {row}:" for row in range(1, 6)]
    assert "and 3 more rows; --json lists all" in lines


def test_on_error_skip_of_all(structiou, files):
    err = failed(structiou("score", *files("(S a)\n" * 2, "(S a b)\n" * 2), "--on-error", "skip"))
    assert "all 2 pairs were skipped" in err


def test_out_of_memory(structiou, files, monkeypatch):
    def rows(*arguments):
        raise MemoryError

    monkeypatch.setattr(Reading, "pair", rows)
    assert failed(structiou("score", *files())) == "structiou: out of memory\n"


def test_interrupt(structiou, files, monkeypatch):
    def rows(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Reading, "pair", rows)
    assert structiou("score", *files()) == (130, "", "")


# ---- bad usage, help -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args, message",
    [
        ("score --drop TOP ref.txt pred.txt", "required: REFERENCE"),
        ("align ref.txt pred.txt more.txt", "too many arguments: more.txt"),
        ("score ref.txt pred.txt --min-iou nan", "min_iou must be at least 0 and less than 1"),
        ("score ref.txt pred.txt --min-iou much", "--min-iou: invalid float value: 'much'"),
        ("score ref.txt pred.txt --workers 0", "--workers: '0' is not a whole number from 1 on, nor auto"),
        ("align ref.txt pred.txt --width -3", "--width: '-3' is not a whole number from 1 on"),
        ("align ref.txt pred.txt --average corpus", "there is no option --average; structiou align --help"),
    ],
)
def test_bad_usage(structiou, files, args, message):
    files()
    err = failed(structiou(*args.split()), code=2)
    assert message in err
    assert err.startswith("usage: structiou")
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize("command", [[], ["score"], ["align"]], ids=["structiou", "score", "align"])
def test_help_fits_a_terminal(structiou, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    out = succeeded(structiou(*command, "--help"))
    assert out.isascii()
    assert max(map(len, out.splitlines())) < 80


def test_help_tells_options_and_defaults(structiou):
    out = " ".join(succeeded(structiou("score", "--help-all")).split())
    for flag in ("--unit", "--labels", "--terminals", "--min-iou", "--drop", "--average", "--on-error"):
        assert f" {flag} " in out
    for default in ("word", "exact", "strict", "0", "TOP ROOT S1 VROOT '' -NONE-", "sentence", "raise"):
        assert f"(default: {default})" in out
    assert "exit codes: 0 done, 1 bad data, 2 bad usage" in out


def test_version(structiou):
    assert succeeded(structiou("--version")) == f"structiou {__version__}\n"


# ---- align -----------------------------------------------------------------------------------------


def test_align_brackets(structiou):
    out = succeeded(structiou("align", "(S (A a) (B b))", "(S (A a) (C b))"))
    assert re.search(r"^1 S +1 S$", out, re.MULTILINE)
    assert "C b" in out
    assert "score 0.6667  precision 0.6667  recall 0.6667\n" in out
    assert out.endswith(f"\n{short_signature()}\n")


def test_align_row_of_files(structiou, files):
    names = files()
    assert "score 1.0000" in succeeded(structiou("align", *names))
    assert "score 0.5714  precision 0.5000  recall 0.6667" in succeeded(
        structiou("align", *names, "--row", 2)
    )


def test_align_row_of_bundled_files(structiou):
    out = succeeded(structiou("align", *ENGLISH, "--row", 2, "--labels", "base"))
    want = from_json(structiou("score", *ENGLISH, "--labels", "base", "--json", "--per-sentence"))
    assert f"score {want['sentences'][1]['struct_iou']:.4f}" in out
    assert "engineers" in out


def test_align_brackets_with_row_of_file(structiou, files):
    reference, _ = files()
    out = succeeded(structiou("align", reference, "(S (A a) (C b))", "--row", 2))
    assert "score 0.6667" in out


def test_align_reads_standard_input(structiou, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PREDICTION.encode())))
    assert "score 0.5714" in succeeded(structiou("align", "(S (A a) (B b))", "-", "--row", 2))


def test_align_huge_row_of_brackets(structiou):
    assert "score 1.0000" in succeeded(structiou("align", "(S a)", "(S a)", "--row", 10**20))


def test_align_row_out_of_range(structiou, files):
    names = files("(S (A a))\n")
    assert (
        failed(structiou("align", *names, "--row", 2))
        == "structiou: ref.txt: 1 tree; there is no row 2, give one from 1 to 1\n"
    )
    names = files()
    assert (
        failed(structiou("align", *names, "--row", 3))
        == "structiou: ref.txt: 2 trees; there is no row 3, give one from 1 to 2\n"
    )


def test_align_json(structiou):
    result = from_json(structiou("align", "(S (A a) (B b))", "(S (A a) (X b))", "--json"))
    assert result == {
        "schema": "structiou.align.v1",
        "struct_iou": pytest.approx(2 / 3),
        "precision": pytest.approx(2 / 3),
        "recall": pytest.approx(2 / 3),
        "pairs": [
            {
                "prediction": {"node": index, "label": label, "start": 0.0, "end": end},
                "reference": {"node": index, "label": label, "start": 0.0, "end": end},
                "iou": 1.0,
            }
            for index, label, end in ((0, "A", 1.0), (2, "S", 2.0))
        ],
        "warnings": [],
        "signature": signature(),
    }


def test_align_json_in_seconds(structiou):
    (pair,) = from_json(structiou("align", "(A <0,2>)", "(A <1,3>)", "--unit", "time", "--json"))["pairs"]
    assert pair["iou"] == pytest.approx(1 / 3)
    assert (pair["reference"]["start"], pair["prediction"]["start"]) == (0.0, 1.0)


def test_align_unreadable_brackets(structiou):
    err = failed(structiou("align", "(S (A a))", "(S (A a)", "--row", 3))
    message, shown, caret = err.splitlines()
    assert message.startswith("structiou: prediction:1:1: this '(' is never closed")
    assert (shown, caret) == ("  (S (A a)", "  ^")


def test_align_unreadable_row(structiou, files):
    names = files("(S (A a))\n" * 3, "(S (A a))\n(S (A a)\n(S (A a))\n")
    assert failed(structiou("align", *names, "--row", 2)).startswith("structiou: pred.txt:2:1: ")
    assert "score 1.0000" in succeeded(structiou("align", *names, "--row", 3))


def test_align_unequal_words(structiou, files):
    err = failed(structiou("align", "(S a)", "(S a b)"))
    assert err.startswith("structiou: prediction has 2 words and reference has 1 word; ")
    _, prediction = files()
    err = failed(structiou("align", "(S a)", prediction, "--row", 2))
    assert err.startswith("structiou: prediction has 2 words and reference has 1 word; ")


def test_align_color(structiou, monkeypatch):
    args = ["align", "(S (A a))", "(S (A a))"]
    plain = succeeded(structiou(*args))
    assert "\x1b" not in plain
    assert succeeded(structiou(*args, "--color", "never")) == plain
    monkeypatch.setenv("NO_COLOR", "1")  # is for programs that choose by themselves
    colored = succeeded(structiou(*args, "--color", "always"))
    assert "\x1b[" in colored
    assert ESCAPE.sub("", colored) == plain


@pytest.mark.parametrize("width", [24, 60, 200])
def test_align_width(structiou, width):
    options = "--row", 2, "--width", width, "--labels", "base"
    lines = succeeded(structiou("align", *ENGLISH, *options)).splitlines()
    assert max(map(len, lines[:-1])) <= width
    assert lines[-1] == short_signature(labels="base")


def test_align_width_of_the_terminal(structiou, monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    out = succeeded(structiou("align", *ENGLISH, "--row", 2))
    assert out == succeeded(structiou("align", *ENGLISH, "--row", 2, "--width", 44))


# ---- a process of its own --------------------------------------------------------------------------


def test_process_scores_and_exits_with_0():
    done = process("score", *HEBREW, "--unit", "char", "--per-label")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(short_signature(unit="char") + "\n")


def test_process_reads_a_pipe(tmp_path):
    reference = tmp_path / "ref.txt"
    reference.write_text(REFERENCE)
    done = process("score", reference, "-", "--json", stdin=PREDICTION)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["struct_iou"] == pytest.approx(11 / 14)


def test_process_exits_with_1_for_bad_data():
    done = process("score", *HEBREW)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1


def test_process_exits_with_2_for_bad_usage():
    done = process("score", "--unit", "foot")
    assert (done.returncode, done.stdout) == (2, "")


def test_process_writes_what_the_output_can_take():
    done = process("align", "(S (A ä))", "(S (A ä))", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "A ?" in done.stdout


def test_process_with_closed_pipe(tmp_path):
    trees = tmp_path / "trees.txt"
    trees.write_text("(S (A a))\n" * 5000)
    running = subprocess.Popen(
        [sys.executable, "-m", "structiou_metric", "score", trees, trees, "--per-sentence"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with running:  # as in `structiou … | head -1`
        assert running.stdout.readline().split()[0] == b"row"
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=PATIENCE) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_process_with_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "structiou_metric", "align", "(S a)", "(S a)"],
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 1
    assert done.stderr == b"structiou: No space left on device\n"


# ---- terminals -------------------------------------------------------------------------------------


def in_terminal(code, *, stream, columns=80, env=None):
    """Runs a program with one of its outputs in a terminal; returns its exit code and what it wrote there."""
    fcntl, pty, termios = map(pytest.importorskip, ("fcntl", "pty", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    outputs = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **(env or {})}
    for name in ("COLUMNS", "NO_COLOR"):
        if name not in (env or {}):
            environment.pop(name, None)
    with subprocess.Popen([sys.executable, "-c", code], env=environment, **outputs) as running:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # how Linux tells that the other side is closed
            pass
        finally:
            os.close(ours)
        return running.wait(timeout=PATIENCE), shown.decode("utf-8")


def scoring(trees, *, patience):
    return (
        "from structiou_metric import progress\n"
        "from structiou_metric.commands import main as cli\n"
        f"progress._PATIENCE, progress._PAUSE = {patience}, 0\n"
        f"raise SystemExit(cli.main(['score', {str(trees)!r}, {str(trees)!r}]))"
    )


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.txt"
    path.write_text("(S (A a))\n" * 1200)
    return path


def left_on_screen(shown):
    """What remains of one line after carriage returns."""
    line = []
    for part in shown.split("\r"):
        line[: len(part)] = part
    return "".join(line).strip()


def test_progress_bar_appears_and_goes(trees):
    code, shown = in_terminal(scoring(trees, patience=0), stream="stderr")
    assert code == 0
    parts = shown.strip("\r").split("\r")
    assert parts[0] == "scoring " + "█" * 25 + "░" * 5 + " 1,024/1,200"
    assert "scoring " + "█" * 30 + " 1,200/1,200" in parts
    assert left_on_screen(shown) == ""


def test_progress_bar_fits_a_narrow_terminal(trees):
    code, shown = in_terminal(scoring(trees, patience=0), stream="stderr", columns=30)
    assert code == 0
    assert "1,200/1,200" in shown
    assert max(map(len, shown.split("\r"))) <= 29
    assert left_on_screen(shown) == ""


def test_progress_bar_in_ascii(trees):
    _, shown = in_terminal(scoring(trees, patience=0), stream="stderr", env={"PYTHONIOENCODING": "ascii"})
    assert "scoring " + "#" * 25 + "-" * 5 + " 1,024/1,200" in shown


def test_progress_bar_not_for_short_work(trees):
    assert in_terminal(scoring(trees, patience=60), stream="stderr") == (0, "")


def test_progress_bar_only_on_a_terminal(trees):
    done = subprocess.run([sys.executable, "-c", scoring(trees, patience=0)], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_progress_bar_is_erased_before_an_error(trees):
    with trees.open("a") as file:
        file.write("(S\n")
    _, shown = in_terminal(scoring(trees, patience=0), stream="stderr")
    lines = shown.splitlines()
    assert "1,024/1,201" in shown
    assert left_on_screen("\r".join(lines[:-2])).startswith("structiou: ")


@pytest.mark.parametrize(
    "env, colored",
    [
        pytest.param({}, True, id="terminal"),
        pytest.param({"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param({"NO_COLOR": ""}, True, id="empty NO_COLOR"),  # as no-color.org has it
        pytest.param({"TERM": "dumb"}, False, id="dumb terminal"),
    ],
)
def test_align_colors_in_a_terminal(env, colored):
    code = (
        "from structiou_metric.commands.main import main\n"
        "raise SystemExit(main(['align', '(S (A a))', '(S (A a))']))"
    )
    code, shown = in_terminal(code, stream="stdout", env=env)
    assert code == 0
    assert ("\x1b[" in shown) == colored
