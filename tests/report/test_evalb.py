"""ParsEval's text, and the command `structiou parseval`."""

from __future__ import annotations

import json
import re

import pytest

from structiou_metric.commands.main import main
from structiou_metric.metrics.parseval.metric import parseval
from structiou_metric.report.evalb import write_report
from support.paths import DATA

CASES = [json.loads(line) for line in (DATA / "evalb_cases.jsonl").read_text(encoding="utf-8").splitlines()]
SUMMARY = json.loads((DATA / "evalb_summary.json").read_text(encoding="utf-8"))
COLLINS = str(DATA / "COLLINS.prm")


def evalb_line(case):
    """The line that EVALB prints for a case, by its formats."""
    return (
        "%4d  %3d    %d  %6.2f %6.2f   %3d    %3d  %3d    %3d   %4d  %4d   %6.2f"  # noqa: UP031 (C's own)
        % tuple(
            case[name]
            for name in (
                *("id", "length", "status", "recall", "precision", "matched", "gold_brackets"),
                *("test_brackets", "crossing", "words", "correct_tags", "tag_accuracy"),
            )
        )
    )


@pytest.fixture
def files(tmp_path):
    paths = []
    for side in ("reference", "prediction"):
        path = tmp_path / f"{side}.txt"
        path.write_text("".join(case[side] + "\n" for case in CASES), encoding="utf-8")
        paths.append(str(path))
    return paths


@pytest.fixture
def pair(tmp_path):
    """Writes a reference and a prediction."""

    def write(references, predictions):
        paths = tmp_path / "gold.txt", tmp_path / "parsed.txt"
        for path, trees in zip(paths, (references, predictions), strict=True):
            path.write_text("".join(tree + "\n" for tree in trees), encoding="utf-8")
        return [str(path) for path in paths]

    return write


def run(capsys, *arguments):
    assert main(["parseval", *arguments]) == 0
    return capsys.readouterr().out


def parts(text):
    """The figures of each part of a summary."""
    found = {}
    for title, body in re.findall(r"^-- (.*) --\n((?:.* = .*\n)+)", text, flags=re.MULTILINE):
        pairs = (line.split("=") for line in body.splitlines())
        found[title] = {name.strip(): float(value) for name, value in pairs}
    return found


def test_report_is_evalbs(capsys, files):
    text = run(capsys, *files, "-p", COLLINS, "--compat")
    lines = text.splitlines()
    assert lines[0] == "  Sent.                        Matched  Bracket   Cross        Correct Tag"
    assert lines[2] == lines[303] == "=" * 76
    assert lines[3:303] == [evalb_line(case) for case in CASES]
    assert lines[304] == (
        "                 79.73  81.32   2525  3167  3105     54   2658  2490    93.68"  # sums of the rows
    )
    assert lines[305:308] == ["=== Summary ===", "", "-- All --"]
    assert parts(text) == SUMMARY
    assert text.endswith("Tagging accuracy          =  93.69\n")


def test_report_has_problems_and_signature(capsys, files):
    text = run(capsys, *files)
    assert parts(text) == SUMMARY
    tail = text.splitlines()[-8:]
    assert tail[0] == ""
    assert re.fullmatch(r"row 31: word counts differ: 1 word in \S+prediction.txt:31, 2 in .*", tail[1])
    assert re.fullmatch(r"row 225: word differs at position 2: 'mm1' in .*", tail[4])
    assert tail[5].startswith("row 15: skipped: all words of ")
    assert tail[6] == "and 26 more rows; --json lists all"
    assert tail[7].startswith("parseval|variant:evalb|")


def test_report_summary_only(capsys, files):
    text = run(capsys, *files, "--summary-only")
    assert text.startswith("=== Summary ===\n\n-- All --\n")
    assert parts(text) == SUMMARY


def test_report_cutoff(capsys, files):
    short = [case for case in CASES if case["length"] <= 10]
    found = parts(run(capsys, *files, "-c", "10"))["len<=10"]
    assert found["Number of sentence"] == len(short)
    assert found["Number of Skip  sentence"] == sum(case["status"] == 2 for case in short)


def test_report_without_any_match(capsys, pair):
    files = pair(["(S (A a))"], ["(T (A a))"])
    assert "Bracketing FMeasure       =   0.00\n" in run(capsys, *files)
    assert "Bracketing FMeasure       =   -nan\n" in run(capsys, *files, "--compat")


def test_report_without_brackets_has_no_bracket_totals():
    lines = write_report(parseval(["(A a)"], ["(A a)"])).splitlines()
    assert lines[3] == "   1    1    0    0.00   0.00     0      0    0      0      1     1   100.00"
    assert lines[5] == "      1     1   100.00"


def test_report_says_where_evalb_would_have_stopped(capsys, pair):
    files = pair(["(S (A a))"] * 13, ["(S (A b))"] * 13)
    assert "EVALB would have stopped at row 12 without a summary (MAX_ERROR 10)\n" in run(capsys, *files)
    assert main(["parseval", *files, "--compat"]) == 1
    captured = capsys.readouterr()
    assert captured.out.splitlines()[3:] == [
        f"{row:4d}    1    1    0.00   0.00     0      0    0      0      0     0     0.00"
        for row in range(1, 12)
    ]
    assert "parsed.txt:12, 'a' in " in captured.err
    assert "error number 12, at which EVALB stops" in captured.err


def test_report_rows_of_compat_spmrl(capsys, pair):
    files = pair(["(TOP (NP (N a)))"], ["(TOP (NP (N a) (N b)))"])
    lines = run(capsys, *files, "--variant", "spmrl", "--compat").splitlines()
    assert lines[3] == "   1    1    0    0.00   0.00     0      0    0      0      0     0     0.00"
    assert lines[4] == "   1    1    0    0.00   0.00     0      1    1      0      1     1   100.00"


# ------------------------------------------------------------------------------------------ command


def test_command_json(capsys, files):
    values = json.loads(run(capsys, *files, "--json", "--per-sentence"))
    assert round(100 * values["f1"], 2) == SUMMARY["All"]["Bracketing FMeasure"]
    assert [row["matched"] for row in values["sentences"]] == [case["matched"] for case in CASES]
    assert values["sentences"][14]["status"] == "skipped"
    assert "sentences" not in json.loads(run(capsys, *files, "--json"))


def test_command_table_with_both_columns(capsys):
    text = run(capsys, str(DATA / "evalb_cases.jsonl"), "-p", COLLINS)
    assert parts(text) == SUMMARY


def test_command_options_before_files(capsys, files):
    assert parts(run(capsys, "-p", "collins", "--summary-only", *files)) == SUMMARY


def test_command_count_empty(capsys, pair):
    files = pair(["(S (A a))", "(S (A a))"], ["()", "(S (A a))"])
    figures = parts(run(capsys, *files, "-X"))["All"]
    assert (figures["Bracketing Recall"], figures["Number of Skip  sentence"]) == (50.0, 0.0)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["-p", "missing.prm"], "missing.prm: No such file"),
        (["--variant", "spmrl"], "gold.txt:2:1: this '(' is never closed"),
    ],
)
def test_command_bad_data(capsys, pair, arguments, message):
    files = pair(["(S (A a))", "(S (A a)"], ["(S (A a))"] * 2)
    assert main(["parseval", *files, *arguments]) == 1
    assert message in capsys.readouterr().err


def test_command_unreadable_sentence_is_counted(capsys, pair):
    files = pair(["(S (A a))", "(S (A a)"], ["(S (A a))"] * 2)
    text = run(capsys, *files, "--on-error", "skip")
    assert parts(text)["All"]["Number of Error sentence"] == 1.0
    assert re.search(r"^row 2: \S+gold.txt:2:1: this '\(' is never closed", text, flags=re.MULTILINE)


def test_command_unequal_files(capsys, pair):
    files = pair(["(S (A a))"] * 2, ["(S (A a))"])
    assert main(["parseval", *files]) == 1
    assert "parsed.txt: 1 tree, " in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--compat", "-X"],
            "EVALB skips empty predictions; leave count_empty or compat out, or use 'spmrl'",
        ),
        (["--per-sentence", "--summary-only"], "not allowed with argument"),
        (["-c", "0"], "is not a whole number from 1 on"),
    ],
)
def test_command_bad_usage(capsys, files, arguments, message):
    with pytest.raises(SystemExit) as ended:
        main(["parseval", *files, *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_lines_with_several_trees_are_sentences(capsys, pair):
    gold = "(S (A (P this)) (B (Q is) (A (R a) (T test))))"
    files = pair([gold] * 3, [gold, "(P this) (Q is) (R a) (T test)", ""])
    text = run(capsys, *files)
    assert "   2    4    0    0.00   0.00     0      4    0      0      4     4   100.00\n" in text
    assert parts(text)["All"]["Number of sentence"] == 3
    assert parts(text)["All"]["Number of Skip  sentence"] == 1


def test_listing_by_command(capsys, pair):
    text = run(capsys, *pair(["(S (A a))"], ["(S (A a))"]), "-d")
    assert "-<1>---(wn1=  1, bn1=  1)-           -<2>---(wn2=  1, bn2=  1)-\n" in text
    assert "  0 : 1 :   0    1  S             0 : 1 :   0    1  S     \n" in text


def test_first_sentences_on_one_line(capsys, pair):
    files = pair(["(S (A a))", "(S (A a))", "(S (A a))"], ["(S (A a))", "(T (U (A a)))"])
    assert run(capsys, *files, "-K", "2", "-L") == (
        f"F1:  40.00 %\tPrec:  33.33 %\tRec:  50.00 %\tPOS: 100.00 %\tEX:  50.00 %\tUnparsed:      0\t"
        f"Sent:      2\tfile: {files[1]}\n"
    )
    swapped = run(capsys, *files, "-K", "2", "-L", "--compat", "--variant", "spmrl")
    assert swapped.splitlines()[-1].startswith("F1:  40.00 %\tPrec:  50.00 %\tRec:  33.33 %\t")
    assert swapped.startswith("  Sent. ")
    short = run(capsys, *files, "-K", "2", "-l", "-c", "1")
    assert "Sent:      2" in short


def test_labels_confusions_and_unlabelled_figures(capsys, pair):
    files = pair(["(S (NP (N a)) (V b))"], ["(S (VP (N a)) (W b))"])
    text = run(capsys, *files, "--per-label", "--confusions", "5", "--unlabeled", "--summary-only")
    assert "unlabelled F1                = 100.00\n" in text
    assert "F1, sentence mean            =  50.00\n" in text
    assert "NP         0.00    0.00    0.00      1      0       0\n" in text
    assert "NP       VP            1\n" in text
    assert "V        W             1\n" in text
    found = json.loads(run(capsys, *files, "--json", "--per-label", "--confusions", "5"))
    assert found["confusions"] == [["NP", "VP", 1]]
    assert found["tag_confusions"] == [["V", "W", 1]]
    assert found["by_label"]["S"]["parseval"] == 1.0
    assert found["unlabeled_f1"] == 1.0


def test_odd_parameter_lines_give_warnings(capsys, pair, tmp_path):
    prm = tmp_path / "odd.prm"
    prm.write_text("DELETE_LABEL TOP # root\nSPLIT 1\n")
    files = pair(["(TOP (S (A a)))"], ["(S (A a))"])
    assert main(["parseval", *files, "-p", str(prm), "--json"]) == 0
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        f"structiou: warning: {prm}:1: DELETE_LABEL: '# root' is taken for a comment; "
        "EVALB takes it for a part of the value",
        f"structiou: warning: {prm}:2: unknown keyword 'SPLIT' has no effect; choose from DELETE_LABEL, "
        "DELETE_LABEL_FOR_LENGTH, DELETE_WORD, DELETE_WORD_FOR_LENGTH, QUOTE_LABEL, EQ_LABEL, EQ_WORD, "
        "CUTOFF_LEN, LABELED, MAX_ERROR, DEBUG",
    ]
    found = json.loads(told.out)
    assert found["f1"] == 1.0
