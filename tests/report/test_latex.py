"""Tables for LaTeX: what is read back from them is what was found, and TeX takes it."""

from __future__ import annotations

import re

import pytest

from structiou_metric import StructIoU
from structiou_metric.metrics import load_metric
from structiou_metric.report.latex import write_results
from structiou_metric.report.tables import Line, Table
from support.cli import runner, succeeded
from support.latex import check_braces, compile_latex, read_rows, read_text
from support.paths import DATA

FILES = str(DATA / "english.reference.mrg"), str(DATA / "english.prediction.txt")
ODD = ["NP-SBJ_1", "$", "#", "-LRB-", "50%", "a & b", "שם", ""]


@pytest.fixture
def structiou(capsys):
    return runner(capsys)


def texts(source):
    return [[read_text(cell) for cell in row] for row in read_rows(source)]


def tables(source):
    check_braces(source)
    return re.findall(r"\\begin\{(?:table|longtable)\}.*?\\end\{(?:table|longtable)\}", source, re.DOTALL)


def plain(text):
    """As a terminal shows it, with a hyphen for a minus."""
    return text.replace("\u2212", "-")


def test_table_reads_back():
    rows = [*([text, "-0.5"] for text in ODD), Line(["all of it"])]
    source = Table("", ["label", "x_y"], rows).as_latex()
    assert texts(source) == [["label", "x_y"], *([text, "\u22120.5"] for text in ODD), ["all of it"]]
    assert source.count(r"\midrule") == 2
    check_braces(source)


def test_table_sides_and_size():
    source = Table("", ["x", "y", "z"], [["a", "b", "c"]], "<^").as_latex(size="footnotesize")
    assert r"\begin{tabular}{lcc}" in source
    assert "  \\footnotesize\\setlength{\\tabcolsep}{4pt}\n" in source


def test_minus_stands_only_before_numbers():
    [_, row] = texts(Table("", ["a"] * 5, [["A-1", "-1", "(-2)", "1e-3", "-0.1 … -0.2"]]).as_latex())
    assert row == ["A-1", "\u22121", "(\u22122)", "1e-3", "\u22120.1 … \u22120.2"]


def test_comments_are_one_line_each():
    source = Table("", ["b"], [["a"]]).as_latex(comments=["one\ntwo \\end{x}"])
    assert source.splitlines()[:2] == [r"% needs \usepackage{booktabs}", "% one␊two \\end{x}"]


def test_a_table_longer_than_a_page_is_a_longtable():
    rows = [[str(i), "x"] for i in range(46)]
    assert r"\begin{longtable}" not in Table("", ["a", "b"], rows[:45]).as_latex()
    source = Table("all 46", ["a", "b"], rows).as_latex()
    assert "% needs \\usepackage{booktabs,longtable}" in source
    assert [row[0] for row in texts(source)] == ["a", *map(str, range(46))]
    assert r"\caption{All 46.} \\" in source
    check_braces(source)


def test_score_of_one_metric(structiou):
    out = succeeded(structiou("score", *FILES, "--latex"))
    json = StructIoU().corpus_score(*reversed([list_of(path) for path in FILES]))
    assert texts(out) == [
        ["measure", "value"],
        ["sentence mean", f"{json.sentence:.4f}"],
        ["corpus level", f"{json.corpus:.4f}"],
        ["precision", f"{json.precision:.4f}"],
        ["recall", f"{json.recall:.4f}"],
    ]
    assert f"% {json.signature}\n" in out
    assert r"\caption{STRUCT-IoU, 80 sentences.}" in out


def list_of(path):
    from structiou_metric.sources.files import TreeFile

    return TreeFile.read(path, "auto")


def test_score_of_several_metrics_and_labels(structiou):
    out = succeeded(
        structiou("score", *FILES, "--metric", "struct_iou,parseval,leaf_ancestor", "--latex", "--per-label")
    )
    summary, *labels = tables(out)
    assert [row for row in texts(summary) if len(row) == 1] == [
        ["STRUCT-IoU"],
        ["ParsEval"],
        ["Leaf-ancestor"],
    ]
    assert len(labels) == 2
    result = load_metric("struct_iou").corpus_score(list_of(FILES[1]), list_of(FILES[0]), by_label=True)
    rows = {row[0]: row[1:] for row in texts(labels[0])[1:]}
    assert set(rows) == set(result.by_label)
    for label, tally in result.by_label.items():
        assert rows[label] == [
            f"{tally.score:.4f}",
            f"{tally.precision:.4f}",
            f"{tally.recall:.4f}",
            str(tally.n_pred),
            str(tally.n_ref),
        ]


def test_score_of_each_sentence(structiou):
    out = succeeded(structiou("score", *FILES, "--latex", "--per-sentence"))
    rows = texts(tables(out)[1])
    assert [row[0] for row in rows[1:]] == [str(i) for i in range(1, 81)]


def test_score_tells_in_a_comment_what_was_left_out(structiou, tmp_path):
    for name, trees in (("a", ["(S (A a))", "(S (A a)"]), ("b", ["(S (A a))"] * 2)):
        (tmp_path / name).write_text("\n".join(trees) + "\n", encoding="utf-8")
    args = (tmp_path / "b", tmp_path / "a", "--latex", "--layout", "line", "--on-error", "skip")
    out = succeeded(structiou("score", *args))
    assert "% STRUCT-IoU: 1 sentence left out among 2 sentences, the first in row 2" in out


def test_score_tells_in_a_comment_what_means_nothing(structiou):
    files = str(DATA / "speech.reference.txt"), str(DATA / "speech.prediction.txt")
    out = succeeded(
        structiou("score", *files, "--unit", "time", "--metric", "struct_iou,parseval", "--latex")
    )
    assert out.startswith("% ParsEval means nothing here: ")
    assert len(tables(out)) == 1


@pytest.mark.parametrize("command", ["score", "compare"])
def test_latex_or_json(structiou, command):
    code, out, err = structiou(command, *FILES, "--latex", "--json")
    assert (code, out) == (2, "")
    assert "not allowed with argument --latex" in err


NAMES = "PCFG_1", "50% & {LSTM}"


@pytest.fixture
def systems(structiou, tmp_path):
    """Compares the bundled parse with one that has every second tree right, and a third."""
    pytest.importorskip("numpy")
    gold, parsed = ([tree.to_brackets() for tree in trees_of(path)] for path in FILES)
    better = tmp_path / "better.txt"
    mixed = [right if i % 2 else wrong for i, (right, wrong) in enumerate(zip(gold, parsed, strict=True))]
    better.write_text("\n".join(mixed) + "\n", encoding="utf-8")

    def run(*args, names=NAMES):
        files = [FILES[1], str(better), *[FILES[1]] * (len(names) - 2)]
        return succeeded(
            structiou(
                "compare",
                FILES[0],
                *files,
                "--names",
                ",".join(names),
                "--resamples",
                "200",
                *args,
                "--latex",
            )
        )

    return run


def trees_of(path):
    rows = list_of(path)
    return [rows.tree(i, "word") for i in range(len(rows))]


def test_compare_marks_the_best_and_the_letters(systems):
    out = systems("--metric", "struct_iou")
    first, pairs = tables(out)
    rows = read_rows(first)
    assert [read_text(row[0]) for row in rows] == ["system", NAMES[1], "", NAMES[0], ""]
    for worse, better in zip(rows[3][1:], rows[1][1:], strict=True):
        assert re.fullmatch(r"0\.\d{4}\\textsuperscript\{b\}", worse)
        assert re.fullmatch(r"\\textbf\{0\.\d{4}\}\\textsuperscript\{a\}", better)
        low, high = (float(text) for text in re.findall(r"0\.\d{4}", rows[4][1]))
        assert low < float(re.findall(r"0\.\d{4}", rows[3][1])[0]) < high
    difference, *rest = texts(pairs)[1:]
    assert len(difference) == 1
    assert difference[0].startswith(f"{NAMES[1]} minus {NAMES[0]} (")
    assert [row[0] for row in rest] == [
        f"STRUCT-IoU, {title}" for title in ("sentence mean", "corpus level", "precision", "recall")
    ]
    for row in rest:
        assert row[1].endswith("*")
        assert float(plain(row[1][:-1])) > 0
    assert "% structiou|unit:word" in out


def test_compare_of_a_measure_of_which_less_is_better(systems, monkeypatch):
    measures = StructIoU.MEASURES
    monkeypatch.setattr(next(iter(measures.values())), "higher_is_better", False)
    rows = read_rows(tables(systems("--metric", "struct_iou"))[0])
    assert ["textbf" in cell for cell in rows[1][1:]] == [True, False, False, False]
    assert ["textbf" in cell for cell in rows[3][1:]] == [False, True, True, True]


def test_compare_of_many_systems_lists_headlines(systems):
    out = systems(names=("a", "b", "c", "d", "e"))
    *_, pairs = tables(out)
    titles = {row[0] for row in texts(pairs)[1:] if len(row) > 1}
    assert titles == {"STRUCT-IoU, sentence mean", "ParsEval, F1"}
    assert sum(len(row) == 1 for row in texts(pairs)) == 10


def test_results_of_hebrew_labels_name_the_preamble():
    result = StructIoU().corpus_score(["(שם (A a))"], ["(שם (A a))"], by_label=True)
    out = write_results([result], per_label=True)
    assert r"% needs \usepackage{booktabs}" in out
    assert r"\babelprovide[import,onchar=ids fonts]{hebrew}" in out
    assert "שם" in [row[0] for row in texts(out)]


@pytest.mark.slow
def test_tables_compile(structiou, systems, tmp_path):
    args = ("score", *FILES, "--metric", "all", "--per-label", "--latex")
    code, out, _ = structiou(*args)
    assert code == 0
    odd = Table("100% _", ["label", "x_y"], [[text, "0.5"] for text in ODD if text.isascii()]).as_latex()
    body = "\n".join([out, systems(names=("a_1", "b", "c", "d", "50%")), systems(), odd])
    log = compile_latex(tmp_path, "pdflatex", "\\usepackage{booktabs,longtable}", body)
    assert "Overfull" not in log
