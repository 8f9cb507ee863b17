"""What a newcomer gets wrong, and what the command line says to it; shells; what to cite; quiet."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import subprocess
import sys

import pytest

from structiou_metric.citation import BIBTEX
from structiou_metric.commands import COMMANDS
from support.cli import failed, runner, succeeded
from support.paths import ROOT
from support.process import PATIENCE

TREES = "(S (A a))\n(S (A a) (B b))\n"
FILES = {
    "gold.mrg": TREES,
    "parsed.txt": TREES,
    "short.txt": "(S (A a))\n",
    "open.txt": "(S (A a))\n(S (A a) (B b)\n",
    "closed.txt": "(S (A a))\n(S (A a) (B b)))\n",
    "words.txt": "(S (A a))\n(S (A a) (B b) (C c))\n",
    "text.txt": "a\na b\n",
    "empty.txt": "",
    "table.csv": "gold,parsed\n(S (A a)),(S (A a))\n",
    "table.jsonl": '{"gold": "(S (A a))"}\n{"gold" "(S (A a))"}\n',
    "crossing.dbr": "(S (VP (A 0=a) (A 2=c)) (B 1=b))\n",
    "page.xml": "<html><body/></html>",
    "wsj/a.mrg": TREES,
    "wsj/b.mrg": TREES,
    "parsed/a.mrg": TREES,
    "parsed/c.mrg": TREES,
    "two/a.mrg": TREES,
    "two/a.txt": TREES,
    "none/a.doc": "",
    "timed.txt": "(S (A a<0.5,0.1>))\n(S (A a<0,1>) (B b<1,2>))\n",
}


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs a command in a folder with files of all kinds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "latin.txt").write_bytes("(S (A é))\n".encode("latin-1"))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TREES.encode())[:-9])
    return runner(capsys)


# What is typed, the exit code, and what the answer must have: what is wrong and where, and the cure.
MISTAKES = [
    ("", 2, "required: COMMAND", "usage: structiou"),
    ("gold.mrg parsed.txt", 2, "'gold.mrg' is none of", "as in: structiou score gold.mrg"),
    ("scor gold.mrg parsed.txt", 2, "'scor' is none of", "did you mean score?"),
    ("Score gold.mrg parsed.txt", 2, "'Score' is none of", "did you mean score?"),
    ("evaluate gold.mrg parsed.txt", 2, "'evaluate' is none of", "score, why, align"),
    ("score", 2, "required: REFERENCE", "usage: structiou score REFERENCE [PREDICTION]"),
    ("score gold.mrg", 2, "required: PREDICTION", "usage: structiou score REFERENCE [PREDICTION]"),
    (
        "score gold.mrg parsed.txt short.txt",
        1,
        "short.txt: 1 tree, gold.mrg … parsed.txt: 4 trees",
        "give the same number of both",
    ),
    ("score gold.mrg parsed.txt --label base", 2, "no option --label;", "did you mean --labels?"),
    ("score --label base gold.mrg parsed.txt", 2, "no option --label;", "did you mean --labels?"),
    ("score gold.mrg parsed.txt --labels=bas", 2, "'bas' is none of exact", "did you mean base?"),
    ("score gold.mrg parsed.txt --units char", 2, "no option --units;", "did you mean --unit?"),
    ("score gold.mrg parsed.txt --unit chars", 2, "'chars' is none of word", "did you mean char?"),
    ("score gold.mrg parsed.txt --unit seconds", 2, "--unit: 'seconds'", "word, char, time"),
    ("score gold.mrg parsed.txt --persentence", 2, "no option --persentence", "did you mean --per-sentence?"),
    ("score gold.mrg parsed.txt --verbose", 2, "no option --verbose", "structiou score --help"),
    ("score gold.mrg parsed.txt -v", 2, "no option -v", "structiou score --help"),
    ("score gold.mrg parsed.txt --metric parsevl", 2, "'parsevl'", "did you mean parseval?"),
    ("score gold.mrg parsed.txt --metric f1", 2, "'f1'", "choose from struct_iou, parseval"),
    ("score gold.mrg parsed.txt --min-iou 2", 2, "min_iou", "at least 0 and less than 1"),
    ("score gold.mrg parsed.txt --workers two", 2, "--workers: 'two'", "a whole number from 1 on"),
    ("score gold.mrg parsed.txt --on-error ignore", 2, "--on-error: 'ignore'", "raise, zero, skip"),
    ("score gold.mrg -", 1, "<stdin>: 0 trees", "gold.mrg: 2 trees"),
    ("score - -", 2, "only one file", "standard input"),
    ("score gold.mrg nothere.txt", 1, "nothere.txt: No such file", "check the path (the working folder is"),
    ("score gold.mrg prsed.txt", 1, "prsed.txt: No such file", "did you mean parsed.txt?"),
    ("score gold.mrg nofolder/x.txt", 1, "nofolder/x.txt: No such file", "nor can its folder be read"),
    ("score gold.mrg empty.txt", 1, "empty.txt: 0 trees, gold.mrg: 2 trees", "give the same number of both"),
    (
        "score gold.mrg short.txt",
        1,
        "short.txt: 1 tree, gold.mrg: 2 trees",
        "short.txt ends before gold.mrg:2",
    ),
    ("score gold.mrg open.txt", 1, "open.txt:2:1: this '(' is never closed", "add the missing ')'"),
    ("score gold.mrg closed.txt", 1, "closed.txt:2:16: this ')' closes nothing", "remove it"),
    (
        "score gold.mrg words.txt",
        1,
        "words.txt:2 has 3 words and gold.mrg:2 has 2 words",
        "have the two texts aligned (texts 'aligned')",
    ),
    ("score gold.mrg text.txt", 1, "text.txt:1:1: text outside", "a tree is written (LABEL word)"),
    ("score gold.mrg latin.txt", 1, "latin.txt:1: byte 0xe9 is not UTF-8", "give --encoding utf-8,latin-1"),
    ("score gold.mrg latin.txt --encoding latin9000", 2, "unknown encoding 'latin9000'", "such as utf-8"),
    ("score gold.mrg cut.gz", 1, "cut.gz: this gzip file is damaged", "fetch it, or pack it, again"),
    (
        "score wsj parsed",
        1,
        "1 file of wsj without a partner in parsed: wsj/b.mrg",
        "give both sides the same",
    ),
    ("score two parsed.txt", 1, "two: there are 1 .mrg file and 1 .txt file", "give a pattern, such as"),
    (
        "score none parsed.txt",
        1,
        "none: no file in here ends like a treebank",
        "give the files, or a pattern",
    ),
    ("score wsj/*.x parsed.txt", 1, "wsj/*.x: no file matches", "check its folder and its ending"),
    (
        "score crossing.dbr crossing.dbr",
        1,
        "crossing.dbr:1: this tree is discontinuous",
        "--discontinuous raise",
    ),
    ("convert crossing.dbr out.txt", 1, "(1 of 1 trees are discontinuous)", "--format discbracket or export"),
    ("score page.xml parsed.txt", 1, "page.xml: this XML begins with <html>", "--format tiger-xml"),
    ("score gold.mrg parsed.txt --format tiger", 2, "unknown format 'tiger'", "did you mean tiger-xml?"),
    (
        "score gold.mrg parsed.txt --format export",
        1,
        "gold.mrg:1: '(S' is outside of sentences",
        "begin one with #BOS",
    ),
    ("score gold.mrg parsed.txt --discontinuous flat", 2, "'flat' is none of", "error, raise, split, span"),
    (
        "score gold.mrg parsed.txt --documents marks",
        1,
        "gold.mrg: there is no line '# newdoc'",
        "file, blank or",
    ),
    ("convert table.csv out.txt", 1, "table.csv: there is no column 'tree'", "--tree-column from: 'gold'"),
    ("convert gold.mrg out.txt --tree-column x", 2, "--tree-column: gold.mrg is no table", ".jsonl"),
    ("score timed.txt timed.txt --unit time", 1, "timed.txt:1", "0.5"),
    ("score gold.mrg parsed.txt --unit time", 1, "gold.mrg:1:7: this word has no time", "word<start,end>"),
    ("score table.csv", 1, "no column 'reference'", "--reference-column from: 'gold', 'parsed'"),
    ("score table.csv --reference-column god", 1, "no column 'god'", "--reference-column from: 'gold'"),
    ("score gold.mrg parsed.txt --reference-column gold", 2, "gold.mrg is no table", ".jsonl"),
    ("score table.jsonl --reference-column gold", 1, "no column 'prediction'", "--prediction-column"),
    ("align gold.mrg parsed.txt --row 3", 1, "gold.mrg: 2 trees; there is no row 3", "from 1 to 2"),
    ("align gold.mrg parsed.txt --row 0", 2, "--row: '0'", "from 1 on"),
    ("align (S a) (S b)", 2, "too many arguments", "put quotes around"),
    ("compare gold.mrg", 2, "required: PREDICTION", "usage: structiou compare"),
    ("compare gold.mrg parsed.txt parsed.txt", 2, "'parsed.txt'", "--names"),
    ("compare gold.mrg parsed.txt --metric parseval", 2, "no option --metric;", "did you mean --metrics?"),
    ("paper corelation gold.mrg parsed.txt", 2, "'corelation' is none of", "did you mean correlation?"),
    ("parseval gold.mrg parsed.txt -p nothere.prm", 1, "nothere.prm: No such file", "check the path"),
    ("completion tcsh", 2, "'tcsh' is none of", "bash, zsh, fish"),
]


@pytest.mark.parametrize("typed, code, wrong, cure", MISTAKES, ids=[mistake[0] for mistake in MISTAKES])
def test_mistakes(structiou, monkeypatch, typed, code, wrong, cure):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    err = failed(structiou(*typed.split()), code)
    assert wrong in err
    assert cure in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_first(structiou, command):
    out = succeeded(structiou(command, "--help"))
    assert out.index("examples:") < out.index("options:")
    assert out.index(f"  structiou {command}") < out.index("options:")


def test_help_names_both_ways_of_counting_rows(structiou):
    out = " ".join(succeeded(structiou("score", "--help")).split())
    assert "counted from 1; JSON has an index that counts from 0" in out


@pytest.mark.parametrize(
    "command",
    [
        ["score", "gold.mrg", "parsed.txt"],
        ["align", "(S (A a))", "(S (A a))"],
        ["compare", "gold.mrg", "parsed.txt"],
        ["parseval", "gold.mrg", "parsed.txt"],
        ["sparseval", "gold.mrg", "parsed.txt"],
        ["curve", "gold.mrg", "parsed.txt", "--unit", "word", "--deltas", "0"],
        ["paper", "lengths", "gold.mrg", "parsed.txt"],
    ],
    ids=lambda words: words[0],
)
def test_json_tells_its_schema(structiou, command):
    if command[0] == "compare":
        pytest.importorskip("numpy")
    found = json.loads(structiou(*command, "--json")[1])
    name = ".".join(command[:2]) if command[0] == "paper" else command[0]
    assert next(iter(found.items())) == ("schema", f"structiou.{name}.v1")


def test_cite(structiou):
    assert succeeded(structiou("--cite")) == BIBTEX


def test_citations_agree():
    fields = dict(re.findall(r'(\w+) = "(.*)"', BIBTEX))
    cff = " ".join((ROOT / "CITATION.cff").read_text("utf-8").split())
    for name in ("title", "booktitle", "publisher", "doi", "year"):
        assert fields[name] in cff, name
    for author in fields["author"].split(" and "):
        family, given = author.split(", ")
        assert f"given-names: {given} family-names: {family}" in cff
    assert BIBTEX in (ROOT / "hf_space" / "README.md").read_text("utf-8")


def test_a_person_is_told_what_to_do_next(structiou, tmp_path, monkeypatch):
    (tmp_path / "other.txt").write_text("(S (B a))\n(S (A a) (C b))\n", "utf-8")
    command = ("score", "gold.mrg", "other.txt")
    assert "next:" not in succeeded(structiou(*command))  # a pipe
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    *_, last = succeeded(structiou(*command)).splitlines()
    assert last.startswith("next: structiou why gold.mrg other.txt tells what is lost")
    succeeded(structiou(*last.removeprefix("next: structiou ").partition(" tells")[0].split()))
    files = ("wsj/a.mrg", "wsj/b.mrg", "parsed/a.mrg", "parsed/b.mrg")
    (tmp_path / "parsed" / "b.mrg").write_text("(S (B a))\n(S (A a) (C b))\n", "utf-8")
    *_, last = succeeded(structiou("score", *files)).splitlines()
    assert last.startswith(f"next: structiou why {' '.join(files)} tells what is lost")
    assert "what is lost" in succeeded(structiou("why", *files))
    for flag in ("--quiet", "--json"):
        assert "next:" not in succeeded(structiou(*command, flag))
    assert "next:" not in succeeded(structiou("score", "gold.mrg", "parsed.txt"))  # nothing is lost


def test_comment_lines_are_told(structiou, tmp_path):
    (tmp_path / "notes.mrg").write_text(f"# one\n%% two\n{TREES}", "utf-8")
    out = succeeded(structiou("score", "notes.mrg", "parsed.txt"))
    assert out.endswith("\n2 comment lines of the reference left out\n")
    found = json.loads(succeeded(structiou("score", "notes.mrg", "parsed.txt", "--json")))
    assert found["n_comments"] == {"reference": 2, "prediction": 0}
    assert "n_comments" not in json.loads(succeeded(structiou("score", "gold.mrg", "parsed.txt", "--json")))


def test_quiet_tells_no_warnings(structiou, tmp_path):
    (tmp_path / "odd.prm").write_text("DEBUG 0\nDEBUGG 1\n", "utf-8")
    loud = structiou("parseval", "gold.mrg", "parsed.txt", "-p", "odd.prm")
    quiet = structiou("parseval", "gold.mrg", "parsed.txt", "-p", "odd.prm", "--quiet")
    assert loud[:2] == quiet[:2]
    assert "warning" in loud[2]
    assert quiet[2] == ""


# ---- completion ------------------------------------------------------------------------------------


def offered_by_bash(script, *words):
    """What bash offers for the last of the words."""
    program = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_structiou; '
        'echo "${COMPREPLY[*]}"'
    )
    found = subprocess.run(
        ["bash", "-c", program, "bash", str(script), *words], capture_output=True, text=True, timeout=PATIENCE
    )
    assert found.stderr == ""
    return found.stdout.split()


def test_bash_completes(structiou, tmp_path, monkeypatch):
    pytest.importorskip("shtab")
    script = tmp_path / "structiou.bash"
    script.write_text(succeeded(structiou("completion", "bash")), "utf-8")
    assert offered_by_bash(script, "structiou", "com") == ["compare", "completion"]
    assert sorted(offered_by_bash(script, "structiou", "score", "--lab")) == ["--labeled", "--labels"]
    assert offered_by_bash(script, "structiou", "score", "gold.mrg", "--unit", "") == ["word", "char", "time"]
    assert offered_by_bash(script, "structiou", "score", "--variant", "") == ["evalb", "spmrl"]
    assert offered_by_bash(script, "structiou", "paper", "c") == ["correlation"]
    assert offered_by_bash(script, "structiou", "paper", "correlation", "--buck") == ["--bucket"]
    monkeypatch.chdir(tmp_path)
    assert offered_by_bash(script, "structiou", "score", "struct") == ["structiou.bash"]
    assert offered_by_bash(script, "structiou", "score", "--tally", "struct") == ["structiou.bash"]


def test_zsh_completes(structiou, tmp_path):
    pytest.importorskip("shtab")
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    script = tmp_path / "_structiou"
    script.write_text(succeeded(structiou("completion", "zsh")), "utf-8")
    program = """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1= ; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; print READY"
        zpty -r shell line "*READY*READY*"
        zpty -n -w shell $'structiou align --lab\\t'
        zpty -r shell line "*--labels*"
        print -r -- "$line"
    """
    found = subprocess.run(
        ["zsh", "-f", "-c", program, "zsh", str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert "--labels" in found.stdout, found


def test_fish_completes(structiou, tmp_path):
    pytest.importorskip("shtab")
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    script = tmp_path / "structiou.fish"
    script.write_text(succeeded(structiou("completion", "fish")), "utf-8")

    def offered(line):
        program = f"source {script}; complete -C {line!r}"
        found = subprocess.run(["fish", "-c", program], capture_output=True, text=True, timeout=PATIENCE)
        assert found.stderr == ""
        return [offer.split("\t")[0] for offer in found.stdout.splitlines()]

    assert offered("structiou com") == ["compare", "completion"]
    assert offered("structiou score --lab") == ["--labeled", "--labels"]
    assert sorted(offered("structiou score --unit ")) == ["char", "time", "word"]
    assert offered("structiou paper c") == ["correlation"]
    assert offered("structiou paper correlation --buck") == ["--bucket"]
