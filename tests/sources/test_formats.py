"""Treebanks of each format: hand-made samples, broken files, very deep trees, and which format a file has."""

from __future__ import annotations

import json

import pytest

from structiou_metric import StructIoU, TreeFormatError, read_trees
from structiou_metric.sources.content import Content
from structiou_metric.sources.formats import FORMATS
from structiou_metric.sources.treebanks import guess_format, read_rows
from structiou_metric.trees.surgery import dropped_words, without_words
from support.paths import DATA

SAMPLES = {
    "sample.mrg": "brackets",
    "sample.dbr": "discbracket",
    "sample.export3": "export",
    "sample.export4": "export",
    "sample.tiger.xml": "tiger-xml",
    "sample.alpino.xml": "alpino-xml",
    "sample.ftb": "ftb",
    "sample.psd": "penn-helsinki",
    "sample.cess": "cess",
    "sample.sinica": "sinica",
    "sample.v4_gold_conll": "conll-2012",
    "sample.conllu": "conllu",
    "sample.corenlp.json": "corenlp-json",
}
GUESSED = [name for name in SAMPLES if name != "sample.cess"]
TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD barked)) ($. .))",
    "(S (NP (PRP we)) (VP (VBP read) (NP (NNS books) ($-LRB- -LRB-) (CD two) ($-LRB- -RRB-))))",
    "(VROOT (NP (NN café)) ($. !))",
]


def sample(name):
    return DATA / "treebanks" / name


def test_there_is_a_sample_of_every_format():
    assert set(SAMPLES.values()) == set(FORMATS)
    assert {path.name for path in (DATA / "treebanks").iterdir()} == set(SAMPLES)


def trees_of(path, **reading):
    """Read trees without the traces that the formats with traces have."""
    trees = read_trees(path, **reading)
    return [str(without_words(tree, dropped_words(tree, ["-NONE-"]))) for tree in trees]


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_hold_the_same_trees(name):
    assert trees_of(sample(name), format=SAMPLES[name]) == TREES


@pytest.mark.parametrize("name", GUESSED)
def test_formats_of_samples_are_guessed(name):
    assert guess_format(Content(sample(name).read_bytes(), name)) == SAMPLES[name]
    assert trees_of(sample(name)) == trees_of(str(sample(name))) == TREES


@pytest.mark.parametrize("name", [name for name in GUESSED if "xml" not in name])
def test_samples_in_other_encodings_and_with_other_line_ends(name, tmp_path):
    text = sample(name).read_text(encoding="utf-8")
    path = tmp_path / name
    for data in (text.encode("utf-16"), text.replace("\n", "\r\n").encode(), text.encode("utf-8-sig")):
        path.write_bytes(data)
        assert trees_of(path) == TREES
    path.write_bytes(text.encode("gb18030"))
    assert trees_of(path, encoding="gb18030") == TREES


def test_encoding_of_xml_can_be_given_against_its_declaration(tmp_path):
    text = sample("sample.tiger.xml").read_text(encoding="latin-1")
    path = tmp_path / "x.xml"
    path.write_bytes(text.encode("big5", "xmlcharrefreplace"))
    assert [str(tree) for tree in read_trees(path, encoding="big5")] == TREES


def test_comment_lines_are_skipped_and_counted():
    rows = read_rows(sample("sample.mrg"))
    assert (len(rows), rows.n_comments) == (3, 5)
    assert rows.title.endswith("sample.mrg (comment lines: 5)")
    assert [rows.name(row).rpartition(":")[2] for row in range(3)] == ["5", "10", "15"]


# ------------------------------------------------------------------------------------------- broken


def export(*lines, end="#EOS 1"):
    return "\n".join(["#FORMAT 4", "#BOS 1", *lines, end, ""])


WORD = "a\t--\tA\t--\t--\t500"
NODE = "#500\t--\tS\t--\t--\t0"


def tiger(terminals='<t id="1" word="a" pos="A"/>', nodes='<nt id="500" cat="S"><edge idref="1"/></nt>'):
    return (
        f'<corpus><body><s id="s1">\n<graph root="500"><terminals>{terminals}</terminals>\n'
        f"<nonterminals>{nodes}</nonterminals></graph></s></body></corpus>"
    )


def alpino(inside):
    return f"<alpino_ds>\n<node cat='top'>{inside}</node><sentence>a b</sentence></alpino_ds>"


def conll(*bits):
    return "#begin document (x); part 000\n" + "".join(
        f"x 0 {n} w{n} T {bit} -\n" for n, bit in enumerate(bits)
    )


BOMB = (
    '<!DOCTYPE corpus [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n'
    '<corpus><body><s><graph><terminals><t id="1" word="&b;"/></terminals></graph></s></body></corpus>'
)

BROKEN = [
    # NEGRA export
    pytest.param(
        export(WORD, NODE, end=""), r"x:2: the sentence '1' is cut off; end it with #EOS", id="truncated"
    ),
    pytest.param(export(WORD, NODE, end="#BOS 2\n#EOS 2"), r"x:2: the sentence '1' is cut off", id="no #EOS"),
    pytest.param(export(WORD, NODE, end="#EOS 2"), r"x:2: the sentence '1' ends as '2'", id="wrong #EOS"),
    pytest.param(export(WORD), r"x:2: there is no '500' in this sentence", id="no such node"),
    pytest.param(
        export(WORD, "#500\t--\tS\t--\t--\t501", "#501\t--\tT\t--\t--\t500"),
        r"x:2: the node 'S' is above itself; the parents form a circle",
        id="circle",
    ),
    pytest.param(export(WORD, NODE, NODE), r"x:5: there are two of '500'", id="two of a number"),
    pytest.param(
        export(WORD, NODE, "#501\t--\tNP\t--\t--\t500"), r"x:2: the node 'NP' has no words", id="no words"
    ),
    pytest.param(export("a\tA\t500"), r"x:3: 3 columns, but a line of version 4 has 6", id="columns"),
    pytest.param(export("a\t--\tA\t--\t--\tX"), r"x:3: the parent 'X' is no number", id="no number"),
    # TIGER-XML
    pytest.param(
        tiger(nodes='<nt id="500" cat="S"><edge idref="2"/></nt>'), r"x:1: there is no '2'", id="idref"
    ),
    pytest.param(
        tiger(nodes='<nt id="500" cat="S"><edge idref="1"/></nt><nt id="501" cat="T"><edge idref="1"/></nt>'),
        r"x:3: '1' is below both '500' and '501'",
        id="two parents",
    ),
    pytest.param(
        tiger(nodes='<nt id="500" cat="S"><edge idref="1"/><edge idref="500"/></nt>'),
        r"x:1: the node 'S' is above itself",
        id="circle in XML",
    ),
    pytest.param(tiger('<t id="1" pos="A"/>'), r"x:2: the word '1' has no text", id="no text"),
    pytest.param(
        tiger('<t id="1" word="a"/><t id="1" word="b"/>'), r"x:2: there are two of '1'", id="two ids"
    ),
    # Alpino
    pytest.param(
        alpino("<node begin='1' end='2' pt='A' word='a'/>"), r"x:1: no word is at 0, before 'a'", id="gap"
    ),
    pytest.param(
        alpino("<node begin='0' end='1' pt='A' word='a'/><node begin='0' end='1' pt='A' word='b'/>"),
        r"x:1: two words are at 0, before 'b'",
        id="two words at a place",
    ),
    pytest.param(
        alpino("<node begin='x' end='1' word='a'/>"), r"x:2: the word 'a' from 'x' to '1'", id="no place"
    ),
    # brackets of discontinuous trees
    pytest.param("(S (A 0=a) (B 0=b))\n", r"x:1: the word number 0 is there twice", id="number twice"),
    pytest.param(
        "(S (A 0=a) (B 2=b))\n", r"x:1: the word number 2 is there twice, or too gr", id="number too great"
    ),
    pytest.param("(S (A 0=a) (B b))\n", r"x:1: the word 'b' has no number", id="no number at a word"),
    pytest.param("(S (A 0=a) (B 1=b)\n", r"x:1:1: this '\(' is never closed", id="never closed"),
    pytest.param("(S (A 0=a) (B ))\n", r"x:1: the node 'B' has no words", id="node without words"),
    # Sinica
    pytest.param("#1:1.[0] S(x:A:a\n", r"x:1: a bracket is never closed", id="Sinica never closed"),
    pytest.param("#1:1.[0] S(x:A:a))#\n", r"x:1: a bracket closes nothing", id="Sinica closes nothing"),
    pytest.param(
        "#1:1.[0] S(word)#\n", r"x:1: 'word' is no word; write words as role:tag:word", id="Sinica word"
    ),
    # CoNLL
    pytest.param(conll("(S*", "-"), r"x:3: the sixth column has '-' in place of a part", id="no star"),
    pytest.param(conll("(S*", "*"), r"x:2: this '\(' is never closed", id="CoNLL never closed"),
    pytest.param(
        conll("(S*", "*)", "*)"), r"x:4: a second tree begins here.*\n  \(T w2\)\)\n", id="CoNLL second tree"
    ),
    pytest.param(
        conll("(S*").replace("x 0", "# x\nx 0") + "# y\n" + conll("(NP*", "*)))").partition("\n")[2],
        r"x:6: this '\)' closes nothing",
        id="CoNLL closes nothing",
    ),
    pytest.param(
        "# text = a\n# constituency = (S (A é) b))\n1\ta\n",
        r"x:2:29: this '\)' closes nothing.*\n  \(S \(A é\) b\)\)\n   {11}\^$",
        id="CoNLL-U closes nothing",
    ),
    pytest.param(
        "# constituency = (S (A a)\n1\ta\n", r"x:1:18: this '\(' is never closed", id="CoNLL-U truncated"
    ),
    pytest.param("#begin document (x)\nx 0 0 w T\n", r"x:2: the sixth column has nothing", id="few columns"),
    pytest.param(
        "# constituency = (S a)\n1\ta\n\n1\tb\n",
        r"x:4: this sentence has no comment '# const",
        id="no comment",
    ),
    pytest.param(
        "# constituency = (S a)\n# constituency = (S b)\n\n",
        r"x:2: this sentence has two comm",
        id="two comments",
    ),
    # CoreNLP
    pytest.param('{"sentences": [{"index": 0}]}', r"x: sentence 1: None in place of a tree", id="no parse"),
    pytest.param(
        '{"sentences": [{"parse": "(A a)"}, {"parse": "(ROOT\\n  (S (A a)"}]}',
        r"x: sentence 2: this '\(' is never closed.*\n    \(S \(A a\)\n    \^$",
        id="CoreNLP never closed",
    ),
    # features in brackets
    pytest.param(
        "(S##x=1## (A##y=2## a) b))\n", r"x:1:26: this '\)' closes nothing", id="features closes nothing"
    ),
    pytest.param("(S##x=1## (A##y=2## a)\n", r"x:1:1: this '\(' is never closed", id="features truncated"),
]


@pytest.mark.parametrize("text, message", BROKEN)
def test_broken_sentences_are_errors_of_their_rows(text, message, tmp_path, monkeypatch):
    """They name file and line, and the rest of the file is still read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text(text, encoding="utf-8")
    numbered = text.startswith("(S ")
    rows = read_rows("x", format="discbracket" if numbered else "auto")
    bad = [row for row in range(len(rows)) if _fails(rows, row)]
    assert len(bad) == 1
    with pytest.raises(TreeFormatError, match=f"^{message}"):
        rows.tree(bad[0], None)
    result = StructIoU(on_error="zero").corpus_score(rows, ["()"] * len(rows))
    assert (result.n_zeroed, [row for row, _ in result.problems]) == (1, bad)


def _fails(rows, row):
    try:
        rows.tree(row, None)
    except TreeFormatError:
        return True
    return False


WHOLE = [
    pytest.param(BOMB, r"x:1: entities of a document type \(<!ENTITY\) are not read", id="entity bomb"),
    pytest.param(
        BOMB.replace("corpus", "alpino_ds"), r"x:1: entities of a document type", id="entity bomb in Alpino"
    ),
    pytest.param(
        '<!DOCTYPE corpus SYSTEM "file:///etc/passwd">\n<corpus>&x;</corpus>',
        r"x:1: entities of a document type",
        id="entity elsewhere",
    ),
    pytest.param(tiger()[:-30], r"x:3:\d+: this is not XML: ", id="TIGER-XML truncated"),
    pytest.param(alpino("")[:-15], r"x:2:\d+: this is not XML: ", id="Alpino truncated"),
    pytest.param(
        "<html><body/></html>", r"x: this XML begins with <html>, and only <corpus>, ", id="other XML"
    ),
    pytest.param(
        '<corpus><body><subcorpus name="a" external="file:a.xml"/></body></corpus>',
        r"x:1: this part of the corpus is in another file",
        id="external part",
    ),
    pytest.param("<treebank></treebank>", r"x: there is no <alpino_ds> here", id="no sentences"),
    pytest.param('{"a": 1}', r"x: this is no JSON of CoreNLP", id="other JSON"),
    pytest.param("[1]", r"x: this is no JSON of CoreNLP", id="list"),
    pytest.param('{"sentences": [', r"x:1:16: this is not JSON: ", id="JSON truncated"),
    pytest.param('{"a":' * 100_000, r"x: the JSON is nested too deeply", id="deep JSON"),
    pytest.param("#BOS 1\n#EOS 1\n#EOS 2\n", r"x:3: this #EOS ends no sentence", id="#EOS alone"),
    pytest.param("#BOS 1\n#EOS 1\nword\n", r"x:3: 'word' is outside of sentences", id="outside"),
    pytest.param("#FORMAT 5\n", r"x:1: only versions 3 and 4 of the export format are known", id="version"),
    pytest.param(
        "1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n",
        r"x: no sentence has its tree in a comment",
        id="CoNLL-U without trees",
    ),
]


@pytest.mark.parametrize("text, message", WHOLE)
def test_broken_files_are_refused(text, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text(text, encoding="utf-8")
    with pytest.raises(TreeFormatError, match=f"^{message}"):
        read_rows("x")


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "sample.mrg"])
def test_cut_off_anywhere_never_crashes(name, tmp_path):
    data = sample(name).read_bytes()
    path = tmp_path / name
    for end in range(1, len(data), max(1, len(data) // 60)):
        path.write_bytes(data[:end])
        try:
            rows = read_rows(path, format=SAMPLES[name])
        except TreeFormatError:
            continue
        result = StructIoU(on_error="zero").corpus_score(rows, ["()"] * len(rows)) if len(rows) else None
        assert result is None or len(result) == len(rows)


def test_empty_sentences_are_failed_parses(tmp_path):
    texts = {
        "export": "#BOS 1\n#EOS 1\n",
        "tiger-xml": '<corpus><s id="1"><graph/></s></corpus>',
        "alpino-xml": "<alpino_ds><node cat='top'><node index='1'/></node></alpino_ds>",
        "discbracket": "()\n",
        "corenlp-json": json.dumps({"sentences": [{"parse": "SENTENCE_SKIPPED_OR_UNPARSABLE"}]}),
    }
    for name, text in texts.items():
        (tmp_path / "x").write_text(text)
        [tree] = read_trees(tmp_path / "x", format=name)
        assert not tree, name


# --------------------------------------------------------------------------------------------- deep

DEPTH = 100_000


def deep_export():
    nodes = "".join(f"#{500 + i}\t--\tN\t--\t--\t{501 + i if i + 1 < DEPTH else 0}\n" for i in range(DEPTH))
    return f"#FORMAT 4\n#BOS 1\na\t--\tA\t--\t--\t500\n{nodes}#EOS 1\n"


def deep_tiger():
    nodes = "".join(
        f'<nt id="n{i}" cat="N"><edge idref="{f"n{i - 1}" if i else 1}"/></nt>' for i in range(DEPTH)
    )
    return tiger(nodes=nodes)


DEEP = {
    "brackets": lambda: "(N " * DEPTH + "(A a" + ")" * (DEPTH + 1),
    "discbracket": lambda: "(N " * DEPTH + "(A 0=a" + ")" * (DEPTH + 1),
    "export": deep_export,
    "tiger-xml": deep_tiger,
    "alpino-xml": lambda: (
        "<alpino_ds>"
        + "<node cat='N'>" * DEPTH
        + "<node pt='A' word='a' begin='0' end='1'/>"
        + "</node>" * DEPTH
        + "</alpino_ds>"
    ),
    "ftb": lambda: "(N##x=y## " * DEPTH + "(A a" + ")" * (DEPTH + 1),
    "penn-helsinki": lambda: (
        "(N " * DEPTH + "(A a" + ")" * DEPTH + "(META " + "(X " * DEPTH + ")" * DEPTH + ") (ID X,1))"
    ),
    "cess": lambda: "(N " * DEPTH + "(A a b" + ")" * (DEPTH + 1),
    "sinica": lambda: "#1:1.[0] " + "N(r:" * (DEPTH - 1) + "N(r:A:a" + ")" * DEPTH + "#",
    "conll-2012": lambda: f"#begin document\nx 0 0 a A {'(N' * DEPTH}*{')' * DEPTH} -\n",
    "conllu": lambda: f"# constituency = {'(N ' * DEPTH}(A a{')' * (DEPTH + 1)}\n",
    "corenlp-json": lambda: json.dumps(
        {"sentences": [{"parse": "(N " * DEPTH + "(A a" + ")" * (DEPTH + 1)}]}
    ),
}


def test_there_is_a_deep_tree_of_every_format():
    assert set(DEEP) == set(FORMATS)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_nesting_has_no_limit(name, tmp_path):
    path = tmp_path / "x"
    path.write_text(DEEP[name]())
    [tree] = read_trees(path, format=name)
    assert (tree.depth, tree.words, set(tree.labels)) == (DEPTH + 1, ("a",), {"N", "A"})


# ----------------------------------------------------------------------------------- several formats


def test_errors_among_files_of_several_formats_name_their_places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("# constituency = (S (A a))\n1\ta\n")
    (tmp_path / "b.txt").write_text("# a comment\n(S (A a)\n     (B b)))\n\n (A é) (B b\n")
    rows = read_rows(["a.txt", "b.txt"], layout="free")
    assert (len(rows), rows.n_comments, rows.files) == (5, 1, [("a.txt", 1), ("b.txt", 4)])
    assert [rows.name(row) for row in range(5)] == ["a.txt:1", "b.txt:2", "b.txt:3", "b.txt:5", "b.txt:5"]
    result = StructIoU(on_error="zero").corpus_score(rows, ["(A a)"] * 5)
    places = {row: message.partition(": ")[0] for row, message in result.problems if row in (2, 4)}
    assert places == {2: "b.txt:3:12", 4: "b.txt:5:8"}
    for row, place in places.items():
        with pytest.raises(TreeFormatError, match=f"^{place}: this "):
            rows.tree(row, None)
