"""Files with the mistakes and the habits of real treebanks and parser outputs, through the command line.

The files are written here in the style of the real ones; no sentence is from a treebank.
"""

from __future__ import annotations

import json
import random
import re

import pytest

from support.cli import failed, runner, succeeded

WORDS = ("casa", "rua", "noite", "livro", "mar", "porta")


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def figures(structiou, *args):
    return json.loads(succeeded(structiou("score", *args, "--json")))


# ---- a missing bracket -------------------------------------------------------------------------------


def floresta_tree(number, rng):
    """Return a tree over several lines in the style of Floresta: a comment, and indented brackets."""
    noun, verb = rng.choice(WORDS), rng.choice(WORDS)
    return [
        f"#{number} CF{number}-1 A {noun} {verb} .",
        "(STA (FCL (SUBJ (NP (>N (ART A))",
        f"      (H (N {noun}))))",
        f"  (P (VP (V {verb})))",
        "  (. .)))",
    ]


def spoil(lines, rng):
    """Return the lines of a tree without one of its closing brackets."""
    places = [(i, at) for i, line in enumerate(lines[1:], 1) for at, sign in enumerate(line) if sign == ")"]
    i, at = rng.choice(places)
    return [*lines[:i], lines[i][:at] + lines[i][at + 1 :], *lines[i + 1 :]]


@pytest.mark.parametrize("between", [[""], []], ids=["blank lines between", "comments only"])
def test_every_tree_after_a_missing_bracket_is_read(structiou, tmp_path, between):
    """As large as the treebank of which 22 of 9,369 trees were left: 121 trees lack a bracket."""
    rng = random.Random(5)
    trees = [floresta_tree(number, rng) for number in range(1, 9370)]
    broken = sorted(rng.sample(range(9369), 121))
    spoiled = [spoil(tree, rng) if i in set(broken) else tree for i, tree in enumerate(trees)]
    lines = [[*tree, *between] for tree in spoiled]
    (tmp_path / "gold.ptb").write_text("\n".join(line for tree in lines for line in tree) + "\n")
    (tmp_path / "right.ptb").write_text("\n".join(line for tree in trees for line in tree) + "\n")
    found = figures(structiou, "gold.ptb", "right.ptb", "--on-error", "zero")
    assert (found["n_sentences"], found["n_zeroed"]) == (9369, 121)
    assert found["struct_iou"] == pytest.approx((9369 - 121) / 9369, abs=1e-12)
    first = 1 + sum(map(len, lines[: broken[0]])) + 1  # the line after the comment
    for command in ("score", "why", "parseval", "pairwise"):
        error = failed(structiou(command, "gold.ptb", "right.ptb"))
        at = re.match(r"structiou: gold\.ptb:(\d+):\d+: this '\(' is never closed", error)
        assert at, error
        assert first <= int(at[1]) < first + len(trees[0]) - 1
    skipped = figures(structiou, "gold.ptb", "right.ptb", "--on-error", "skip")
    assert (skipped["n_skipped"], skipped["struct_iou"]) == (121, 1.0)


@pytest.mark.parametrize(
    "text, n_rows",
    [
        pytest.param("(S\n(NP (A a))\n(VP (B b))\n)\n" * 20, 20, id="each bracket begins a line"),
        pytest.param("(S (NP (A a))\n(VP (B b)))\n\n" * 20, 20, id="the second half begins a line"),
        pytest.param("(TEXT\n" + "(S (A a))\n" * 50 + ")\n", 1, id="a tree with a child a line"),
        pytest.param("(S (A a))\n" * 9 + "(S\n(A a))\n" * 6, 15, id="some trees over two lines"),
    ],
)
def test_trees_whose_lines_are_not_indented_stay_whole(structiou, tmp_path, text, n_rows):
    (tmp_path / "gold.txt").write_text(text)
    assert figures(structiou, "gold.txt", "gold.txt")["n_sentences"] == n_rows


def test_as_many_brackets_too_many_as_missing(structiou, tmp_path):
    """With blank lines between trees, even a file that balances as a whole is not read as fewer trees."""
    tree = "(S\n(NP (A a))\n(VP (B b)))\n\n"
    short, long = "(S\n(NP (A a))\n(VP (B b))\n\n", "(S\n(NP (A a))\n(VP (B b))))\n\n"
    (tmp_path / "gold.txt").write_text(tree * 10 + short + tree * 40 + long + tree * 10)
    (tmp_path / "right.txt").write_text(tree * 63)
    error = failed(structiou("score", "gold.txt", "right.txt"))
    assert "gold.txt:41:1: this '(' is never closed" in error


# ---- lines -------------------------------------------------------------------------------------------

GOLD = ["(S (NP (DT the) (NN dog)) (VP (VBD ran)))", "(S (NP (PRP we)) (VP (VBD ate)))"]
WRONG = ["(X (Y (DT1 the) (NN1 dog)) (Z (VBD1 ran)))", "(X (Y (PRP1 we)) (Z (VBD1 ate)))"]


def write(folder, name, *lines):
    (folder / name).write_text("\n".join(lines) + "\n")
    return name


def test_blank_lines_of_both_sides_separate_trees(structiou, tmp_path):
    sides = (
        write(tmp_path, "gold.txt", GOLD[0], "", GOLD[1]),
        write(tmp_path, "p.txt", WRONG[0], "", WRONG[1]),
    )
    found = figures(structiou, *sides)
    assert (found["struct_iou"], found["n_sentences"], found["n_separators"]) == (0.0, 2, 1)
    assert found["signature"].endswith("|separators:1")
    assert "1 blank line of both sides left out, as they separate trees" in succeeded(
        structiou("score", *sides)
    )
    by_line = figures(structiou, *sides, "--layout", "line")
    assert (by_line["struct_iou"], by_line["n_sentences"]) == (pytest.approx(1 / 3), 3)
    assert "n_separators" not in by_line
    assert figures(structiou, *sides, "--layout", "free")["struct_iou"] == 0.0
    why = json.loads(succeeded(structiou("why", *sides, "--json")))
    assert (why["n_sentences"], why["signature"].endswith("|separators:1")) == (2, True)
    table = json.loads(succeeded(structiou("pairwise", *sides, "--json")))
    assert table["scores"] == [[1.0, 0.0], [0.0, 1.0]]
    assert table["signature"].endswith("|separators:1")
    assert json.loads(succeeded(structiou("parseval", *sides, "--json")))["n_sentences"] == 2


def test_blank_lines_of_one_side_are_failed_parses(structiou, tmp_path):
    sides = write(tmp_path, "gold.txt", *GOLD), write(tmp_path, "p.txt", "", GOLD[1])
    found = figures(structiou, *sides)
    assert (found["struct_iou"], found["n_empty"]) == (0.5, 1)
    more = write(tmp_path, "more.txt", GOLD[0], "", GOLD[1], "", GOLD[0])
    few = write(tmp_path, "few.txt", "", GOLD[1], "", "", GOLD[0])
    found = figures(structiou, more, write(tmp_path, "q.txt", GOLD[0], "", "", "", GOLD[0]))
    assert (found["n_sentences"], found["n_empty"], found["n_separators"]) == (3, 1, 2)
    assert "n_separators" not in figures(structiou, more, few, "--layout", "line", "--on-error", "zero")


def test_systems_are_compared_without_the_blank_lines_of_all(structiou, tmp_path):
    pytest.importorskip("numpy")
    gold = write(tmp_path, "gold.txt", GOLD[0], "", GOLD[1], "", GOLD[0])
    a = write(tmp_path, "a.txt", GOLD[0], "", WRONG[1], "", GOLD[0])
    b = write(tmp_path, "b.txt", WRONG[0], "", WRONG[1], GOLD[0], GOLD[0])
    found = json.loads(succeeded(structiou("compare", gold, a, b, "--resamples", "50", "--json", "--no-why")))
    assert found["n_rows"] == 4  # the second blank line is no separator, as one system has a tree there
    assert all(signature.endswith("|separators:1") for signature in found["signatures"].values())


def test_different_numbers_of_lines_advise_a_layout_that_works(structiou, tmp_path):
    sides = write(tmp_path, "gold.txt", *GOLD), write(tmp_path, "p.txt", GOLD[0], "", GOLD[1])
    error = failed(structiou("score", *sides))
    assert "if blank lines separate trees, choose the layout free (--layout free)" in error
    assert figures(structiou, *sides, "--layout", "free")["struct_iou"] == 1.0


def test_a_few_lines_with_two_trees_are_errors_of_their_rows(structiou, tmp_path):
    trees = [f"(S (NP (DT the) (NN n{i})) (VP (VBD ran)))" for i in range(4500)]
    parsed = list(trees)
    for row in (1722, 2000, 4000):
        parsed[row] = f"(NP (DT the) (NN n{row})) (VP (VBD ran))"
    sides = write(tmp_path, "gold.txt", *trees), write(tmp_path, "parsed.txt", *parsed)
    error = failed(structiou("score", *sides))
    assert error.startswith("structiou: parsed.txt:1723:")
    assert "a second tree begins here" in error
    assert "or choose a layout: with free each tree is a row, with sentence the whole line is" in error
    found = figures(structiou, *sides, "--on-error", "zero")
    assert (found["n_sentences"], found["n_zeroed"]) == (4500, 3)
    found = figures(structiou, *sides, "--layout", "sentence")  # as it advises
    assert (found["n_sentences"], found.get("n_zeroed", 0)) == (4500, 0)
    # EVALB takes a line as a sentence.
    assert json.loads(succeeded(structiou("parseval", *sides, "--json")))["n_errors"] == 0


def test_many_lines_with_several_trees(structiou, tmp_path):
    gold = write(tmp_path, "gold.txt", *[f"(S {tree})" for tree in GOLD * 5])
    parsed = write(tmp_path, "parsed.txt", *["(NP (DT the) (NN dog)) (VP (VBD ran))", GOLD[1]] * 5)
    error = failed(structiou("score", gold, parsed))
    assert "if a line is a sentence, choose the layout sentence (--layout sentence)" in error
    assert figures(structiou, gold, parsed, "--layout", "sentence")["n_sentences"] == 10


def test_documents_are_advised_where_they_work(structiou, tmp_path):
    gold = write(tmp_path, "gold.txt", "(S (A a) (B b))", "(S (C c))", "(S (D d))")
    parsed = write(tmp_path, "parsed.txt", "(S (A a) (B b) (C c))", "(S (D d))")
    for command in ("score", "why"):
        assert "--documents all" in failed(structiou(command, gold, parsed))
        assert succeeded(structiou(command, gold, parsed, "--documents", "all"))
    # The same characters in different words are not as many words.
    apart = write(tmp_path, "apart.txt", "(S (A a) (B b) (C c))", "(S (D1 d)) ".strip())
    cut = write(tmp_path, "cut.txt", "(S (AB ab))", "(S (C c))", "(S (D d))")
    error = failed(structiou("score", cut, apart))
    assert "--documents all --unit char" in error
    assert failed(structiou("score", cut, apart, "--documents", "all"))
    assert succeeded(structiou("score", cut, apart, "--documents", "all", "--unit", "char"))
    missing = write(tmp_path, "missing.txt", "(S (A a) (B b))", "(S (D d))")
    assert "--documents" not in failed(structiou("score", gold, missing))


# ---- dialects ----------------------------------------------------------------------------------------

PSD = """\
( (IP-MAT (CONJ and)
          (NP-SBJ *pro*)
          (VBD (ORTHO came) (META (LEMMA come)))
          (PP (P to) (NP (D the) (N toun)))
          (CODE <P_7>)
          (CP-REL (WNP-1 0) (C that) (IP-SUB (NP-OB1 *T*-1) (NP-SBJ (PRO we)) (VBD saw (lemma see))))
          (. .))
  (ID CMSAMPLE,7.12))

( (CODE <heading>) (ID CMSAMPLE,7.13))

( (IP-IMP (VBI go) (NP-TMP (NUM 0) (NS yers)))
  (ID CMSAMPLE,7.14))
"""
PSD_PARSED = [
    "(IP-MAT (CONJ and) (VBD came) (PP (P to) (NP (D the) (N toun))) (CP-REL (C that) (IP-SUB "
    "(NP-SBJ (PRO we)) (VBD saw))) (. .))",
    "(IP-IMP (VBI go) (NP-TMP (NUM 0) (NS yers)))",
]


def test_penn_helsinki_files_are_guessed_and_named(structiou, tmp_path):
    (tmp_path / "gold.psd").write_text(PSD)
    parsed = write(tmp_path, "parsed.txt", *PSD_PARSED)
    found = figures(structiou, "gold.psd", parsed)
    assert (found["struct_iou"], found["n_sentences"], found["warnings"]) == (1.0, 2, [])
    assert found["signature"].endswith("|format:penn-helsinki")
    assert figures(structiou, "gold.psd", parsed, "--format", "penn-helsinki,brackets")["struct_iou"] == 1.0
    assert (
        "|format:penn-helsinki"
        in json.loads(succeeded(structiou("why", "gold.psd", parsed, "--json")))["signature"]
    )
    assert succeeded(structiou("convert", "gold.psd", "-", "--traces", "drop")).splitlines() == [
        f"( {tree})" for tree in PSD_PARSED
    ]
    kept = succeeded(structiou("convert", "gold.psd", "-"))
    assert "(NP-SBJ (-NONE- *pro*))" in kept
    assert "format:" not in figures(structiou, parsed, parsed)["signature"]
    as_brackets = failed(structiou("score", "gold.psd", parsed, "--format", "brackets"))
    assert "gold.psd: 3 trees" in as_brackets


def test_a_bracket_is_missing_in_a_penn_helsinki_file(structiou, tmp_path):
    (tmp_path / "gold.psd").write_text(PSD.replace("(N toun)))", "(N toun))"))
    parsed = write(tmp_path, "parsed.txt", *PSD_PARSED)
    assert failed(structiou("score", "gold.psd", parsed)).startswith(
        "structiou: gold.psd:1:1: this '(' is never"
    )
    assert figures(structiou, "gold.psd", parsed, "--on-error", "skip")["struct_iou"] == 1.0


CESS = """\
(S (sn-SUJ (espec.ms (da0ms0 El el)) (nom.ms (ncms000 perro perro)))
   (verb (vmis3s0 ladraba ladrar)) (sn.e-CD *0*) (Fp . .))
"""


def test_cess_leaves_have_a_word_and_its_lemma(structiou, tmp_path):
    (tmp_path / "gold.tbf").write_text(CESS)
    subject = "(sn-SUJ (espec.ms (da0ms0 El)) (nom.ms (ncms000 perro)))"
    tree = f"(S {subject} (verb (vmis3s0 ladraba)) (Fp .))"
    parsed = write(tmp_path, "parsed.txt", tree)
    error = failed(structiou("score", "gold.tbf", parsed))
    assert error.startswith(
        "structiou: gold.tbf: leaves such as (da0ms0 El el) seem to have a word and its lemma, as in CESS, "
        "and would be read as two words; choose --format cess"
    )
    found = figures(structiou, "gold.tbf", parsed, "--format", "cess,auto")
    assert (found["struct_iou"], found["signature"].endswith("|format:cess")) == (1.0, True)
    assert figures(structiou, "gold.tbf", "gold.tbf", "--format", "brackets")["struct_iou"] == 1.0


@pytest.mark.parametrize(
    "tree",
    ["(S (NP the dog) (VP ran off))", "(S (NP (np0 Ada) (np0 Lovelace)) (VP (v1 wrote it)))", "(ID a.b)"],
)
def test_ordinary_brackets_are_no_dialect(structiou, tmp_path, tree):
    path = write(tmp_path, "x.txt", *[tree] * 3)
    assert "format:" not in figures(structiou, path, path)["signature"]


@pytest.mark.parametrize("ending", [".br", ".gld", ".mrg_strict", ".tbf"])
def test_folders_know_more_endings(structiou, tmp_path, ending):
    for side in ("gold", "parsed"):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            write(tmp_path / side, f"{name}{ending}", *GOLD)
    assert figures(structiou, "gold", "parsed")["n_sentences"] == 4


# ---- systems -----------------------------------------------------------------------------------------


def test_names_of_systems_stay_different_when_they_are_cut(structiou, tmp_path):
    pytest.importorskip("numpy")
    gold = write(tmp_path, "gold.txt", *GOLD)
    names = [f"a-parser-with-a-very-long-name-seed-{i}.txt" for i in (1, 2)]
    for name in names:
        write(tmp_path, name, *GOLD)
    out = succeeded(structiou("compare", gold, *names, "--resamples", "50", "--no-why"))
    shown = {line.split("  ")[0] for line in out.splitlines() if "name-seed" in line and "0000" in line}
    assert len({name for name in shown if name.startswith(("…", "a-parser"))}) >= 2
    assert "seed-1" in out
    assert "seed-2" in out


def test_one_bad_system_is_named_and_can_be_skipped(structiou, tmp_path):
    pytest.importorskip("numpy")
    gold = write(tmp_path, "gold.txt", *GOLD * 20)
    good = [write(tmp_path, f"{name}.txt", *GOLD * 20) for name in ("one", "two")]
    longer = "(S (NP (DT the) (NN dog)) (VP (VBD ran) (RB up)))", "(S (NP (PRP we)) (VP (VBD ate) (RB up)))"
    bad = write(tmp_path, "bad.txt", *[*longer * 20][:-1], GOLD[1])
    flags = ("--metric", "parseval", "--resamples", "50", "--json")
    found = json.loads(succeeded(structiou("compare", gold, *good, bad, *flags)))
    assert found["n_sentences"]["parseval"] == 1
    [warning] = found["warnings"]["bad"]
    assert (warning["kind"], warning["count"], warning["rows"][:2]) == ("uncommon", 39, [0, 1])
    assert "on 1 sentence, and without this one on 40; leave it out (--skip-system)" in warning["message"]
    assert found["warnings"]["one"] == found["warnings"]["two"] == []
    assert warning["message"] in failed(structiou("compare", gold, *good, bad, *flags, "--strict"))
    without = json.loads(succeeded(structiou("compare", gold, *good, bad, *flags, "--skip-system", "bad")))
    assert (without["n_sentences"]["parseval"], [system["name"] for system in without["systems"]]) == (
        40,
        ["one", "two"],
    )
    code, _, error = structiou("compare", gold, *good, "--skip-system", "three")
    assert (code, "'three' is no system; choose from one, two" in error) == (2, True)


# ---- warnings in all commands ------------------------------------------------------------------------


def test_every_command_that_scores_warns(structiou, tmp_path):
    gold = write(tmp_path, "gold.mrg", "(S (NP-SBJ (PRP we)) (VP (VBD ran)))")
    plain = write(tmp_path, "plain.txt", "(S (NP (PRP we)) (VP (VBD ran)))")
    message = "function tags such as -SBJ in the reference, and none in the prediction"
    for command in (
        ["score"],
        ["why"],
        ["why", "--no-moves"],
        ["align"],
        ["why", "--row", "1"],
        ["score", "--latex"],
    ):
        assert message in succeeded(structiou(*command, gold, plain)), command
        assert message in failed(structiou(*command, gold, plain, "--strict")), command
        assert message not in succeeded(structiou(*command, gold, plain, "--labels", "base")), command
    assert message in succeeded(structiou("why", gold, plain, "--latex"))
    assert [
        warning["kind"]
        for warning in json.loads(succeeded(structiou("why", gold, plain, "--json")))["warnings"]
    ]
    [warning] = json.loads(succeeded(structiou("pairwise", plain, gold, "--json")))["warnings"].values()
    assert warning[0]["kind"] == "tags"
    assert "gold.mrg and plain.txt: the pair: function tags" in succeeded(structiou("pairwise", gold, plain))
    assert failed(structiou("pairwise", gold, plain, "--strict"))
    assert message in succeeded(structiou("mbr", plain, "--reference", gold, "-o", "out.txt"))
    assert message in failed(structiou("mbr", plain, "--reference", gold, "-o", "out.txt", "--strict"))


def test_why_shows_warnings_on_its_page(structiou, tmp_path):
    pytest.importorskip("jinja2")
    gold = write(tmp_path, "gold.mrg", "(S (NP-SBJ (PRP we)) (VP (VBD ran)))")
    plain = write(tmp_path, "plain.txt", "(S (NP (PRP we)) (VP (VBD ran)))")
    succeeded(structiou("why", gold, plain, "--html", "why.html"))
    assert "Warning: the pair: function tags such as -SBJ" in (tmp_path / "why.html").read_text("utf-8")


# ---- small things ------------------------------------------------------------------------------------


def test_continuous_trees_have_no_figures_of_discontinuous_brackets(structiou, tmp_path):
    gold = write(tmp_path, "gold.txt", *GOLD)
    for flags in ((), ("--latex",)):
        assert "discontinuous brackets" not in succeeded(
            structiou("score", gold, gold, "--metric", "all", *flags)
        )
    crossing = write(tmp_path, "x.dbr", "(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))")
    out = succeeded(structiou("score", crossing, crossing, "--metric", "disco_parseval"))
    assert re.search(r"F1 of discontinuous brackets +1\.0000", out)


def test_advised_encodings_belong_to_a_side(structiou, tmp_path):
    text = "(S (NN café) (VB naïve))\n"
    (tmp_path / "utf8.txt").write_text(text, encoding="utf-8")
    (tmp_path / "latin.txt").write_text(text, encoding="latin-1")
    assert "give --encoding utf-8,latin-1 " in failed(structiou("score", "utf8.txt", "latin.txt"))
    found = figures(structiou, "utf8.txt", "latin.txt", "--encoding", "utf-8,latin-1", "--unit", "char")
    assert (found["struct_iou"], found["warnings"]) == (1.0, [])
    assert "give --encoding latin-1,utf-8 " in failed(structiou("score", "latin.txt", "utf8.txt"))
    assert "give --encoding latin-1,utf-8 " in failed(structiou("score", "latin.txt", "latin.txt"))
    error = failed(structiou("score", "latin.txt", "latin.txt", "--encoding", "latin-1,utf-8"))
    assert "not utf-8" in error.lower()
    assert figures(structiou, "latin.txt", "latin.txt", "--encoding", "latin-1")["struct_iou"] == 1.0


def test_convert_writes_the_format_of_the_ending(structiou, tmp_path):
    gold = write(tmp_path, "gold.txt", *GOLD)
    succeeded(structiou("convert", gold, "out.export"))
    assert (tmp_path / "out.export").read_text().startswith("#FORMAT 4\n#BOS 1")
    assert figures(structiou, gold, "out.export")["struct_iou"] == 1.0
    succeeded(structiou("convert", gold, "out.dbr"))
    assert "(DT 0=the)" in (tmp_path / "out.dbr").read_text()
    succeeded(structiou("convert", gold, "brackets.export", "--format", "brackets"))
    assert (tmp_path / "brackets.export").read_text().splitlines() == GOLD
    code, _, error = structiou("convert", gold, "out.xml")
    assert (code, ".xml files are read, but not written" in error) == (2, True)
    assert not (tmp_path / "out.xml").exists()


def test_causes_are_a_table_of_latex(structiou, tmp_path):
    sides = write(tmp_path, "gold.txt", *GOLD), write(tmp_path, "p.txt", *WRONG)
    assert r"label & 12.00 & 54.5\%" in succeeded(structiou("score", *sides, "--why", "--latex"))
    assert r"label & 12.00" not in succeeded(structiou("score", *sides, "--latex"))
