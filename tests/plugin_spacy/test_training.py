"""Training with trees: the scores are real, or an error comes before training."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("spacy")

from spacy.tokens import Doc, DocBin
from spacy.util import load_model
from spacy.vocab import Vocab

from spacy_structiou import doc_from_trees
from structiou_metric import StructIoU
from structiou_metric.metrics import METRICS
from support.pages import read_blocks
from support.spacy_process import run_spacy

_TREES = [
    f"(S (NP (DT {det}) (NN {noun})) (VP (VBD {verb}) (NP (DT {det}) (NN {noun}))))"
    for det in ("the", "a")
    for noun in ("dog", "cat", "man")
    for verb in ("saw", "bit")
]

_CORPORA = """[corpora]

[corpora.train]
@readers = "structiou.treebank_corpus.v1"
path = "trees.spacy"

[corpora.dev]
@readers = "structiou.treebank_corpus.v1"
"""


def _config(*components: str, dev: str = "trees.spacy", weights: str = "") -> str:
    """Return a config of these components, each as its lines in the config; its name is its factory's."""
    blocks = "\n\n".join(f"[components.{_factory(lines)}]\n{lines}" for lines in components)
    return f"""
[nlp]
lang = "en"
pipeline = {json.dumps([_factory(lines) for lines in components])}

[components]

{blocks}

{_CORPORA}path = "{dev}"

[training]
seed = 0
gpu_allocator = null
max_steps = 4
eval_frequency = 1

[training.score_weights]
{weights}
"""


def _factory(lines: str) -> str:
    return re.search('factory = "(.*?)"', lines)[1]


_PREFIXED = 'factory = "struct_iou"\nprefix = "my_"'

# Puts all tokens of a Doc under S.
_FLAT_PARSER = """
from spacy.language import Language
from spacy_structiou import get_words, set_tree

@Language.component("flat_parser")
def parse(doc):
    set_tree(doc, {"label": "S", "children": [{"label": "NN", "word": word} for word in get_words(doc)]})
    return doc
"""


def _train(folder: Path, config: str, *args: str) -> tuple[int, str]:
    """Run `spacy train` in a folder with some trees; return the exit code and all output."""
    (folder / "config.cfg").write_text(config)
    vocab = Vocab()
    DocBin(docs=[doc_from_trees(vocab, [tree]) for tree in _TREES]).to_disk(folder / "trees.spacy")
    done = run_spacy("train", "config.cfg", "--output", "out", *args, cwd=folder, check=False)
    return done.returncode, re.sub(r"\s+", " ", done.stdout + done.stderr)


def _performance(folder: Path, model: str = "model-last") -> dict[str, Any]:
    """Return the scores that a training wrote into the model."""
    return json.loads((folder / "out" / model / "meta.json").read_text())["performance"]


@pytest.mark.slow
def test_a_spancat_learns_constituents_by_the_config_of_the_documentation(tmp_path: Path):
    """Train spaCy's spancat, which predicts spans in order of length."""
    config, *_ = (block.text for block in read_blocks("docs/spacy.md") if block.language == "ini")
    (commands,) = (block.text for block in read_blocks("docs/spacy.md") if block.language == "sh")
    (tmp_path / "config.cfg").write_text(config)
    for name in ("train.mrg", "dev.mrg"):
        (tmp_path / name).write_text("\n".join(_TREES) + "\n")
    train, evaluate = (line.split()[3:] for line in commands.splitlines())
    small = ("--training.max_steps", "200", "--components.spancat.suggester.max_size", "8")
    run_spacy(*train, *small, cwd=tmp_path)
    printed = run_spacy(*evaluate, cwd=tmp_path).stdout
    nlp = load_model(tmp_path / "training" / "model-best")
    best = nlp.meta["performance"]["struct_iou"]
    assert f"{100 * best:.2f}" in printed
    references = [doc_from_trees(nlp.vocab, [tree]) for tree in _TREES]
    docs = [nlp(Doc(nlp.vocab, words=[token.text for token in doc])) for doc in references]
    wanted = [_score(doc, tree) for doc, tree in zip(docs, _TREES, strict=True)]
    assert best == pytest.approx(sum(wanted) / len(wanted))
    assert best > 0.9
    lengths = [[len(span) for span in doc.spans["constituents"]] for doc in docs]
    assert any(own == sorted(own) for own in lengths)


def _score(doc: Doc, tree: str) -> float:
    """Return the score of the spans of a Doc by a slow reading: sorted, as a list of spans."""
    spans = sorted(
        ((s.start, s.end, s.label_) for s in doc.spans["constituents"]), key=lambda s: (s[0], -s[1])
    )
    if any(a[0] < b[0] < a[1] < b[1] for a in spans for b in spans):
        return 0.0  # crossing spans are no tree
    if not spans:
        return 0.0
    roots = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[:2] != s[:2] for o in spans)]
    if len({s[:2] for s in roots}) != 1 or roots[0][:2] != (0, len(doc)):
        return 0.0  # several trees over a part of the sentence have no counterpart
    prediction = [(label, start, end) for start, end, label in spans]
    return StructIoU().corpus_score([prediction], [tree]).sentence


@pytest.mark.parametrize(
    "component, weights, missing, cure",
    [
        pytest.param(_PREFIXED, "", "struct_iou", "my_struct_iou = 1.0 and struct_iou = null", id="prefix"),
        pytest.param(
            'factory = "parseval"',
            "struct_iou = 1.0",
            "struct_iou",
            "parseval = 1.0 and struct_iou = null",
            id="another metric",
        ),
        pytest.param(
            _PREFIXED,
            "their_struct_iou = 1.0\nstruct_iou = null",
            "their_struct_iou",
            "my_struct_iou = 1.0 and their_struct_iou = null",
            id="another prefix",
        ),
    ],
)
def test_weights_that_nothing_gives_are_an_error_before_training(
    tmp_path: Path, component: str, weights: str, missing: str, cure: str
):
    code, output = _train(tmp_path, _config('factory = "sentencizer"', component, weights=weights))
    assert code != 0
    assert f"[training.score_weights] names {missing}, which nothing" in output
    assert f"write {cure}" in output
    assert "SCORE" not in output


def test_weights_of_a_prefix_are_fine(tmp_path: Path):
    (tmp_path / "parser.py").write_text(_FLAT_PARSER)
    weights = "my_struct_iou = 1.0\nstruct_iou = null"
    code, output = _train(
        tmp_path, _config('factory = "flat_parser"', _PREFIXED, weights=weights), "--code", "parser.py"
    )
    assert code == 0, output
    # Of 6 and 9 nodes, S and the two nouns are the same, in place and label.
    assert _performance(tmp_path)["my_struct_iou"] == pytest.approx(2 * 3 / 15)
    assert "MY_STRUCT_IOU" in output.upper()


def test_a_prediction_with_other_tokens_does_not_end_training_and_is_logged_once(tmp_path: Path):
    """Train on a reference with the token "Yahoo!", which spaCy's tokenizer splits."""
    (tmp_path / "parser.py").write_text(_FLAT_PARSER)
    rows = [
        {"text": "Yahoo! grew.", "tree": "(S (NN Yahoo!) (VP (VBD grew)) (. .))"},
        {"text": "Dogs bark", "tree": "(S (NN Dogs) (NN bark))"},
    ]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, rows)))
    config = _config('factory = "flat_parser"', 'factory = "struct_iou"', dev="dev.jsonl")
    code, output = _train(tmp_path, config, "--code", "parser.py")
    assert code == 0, output
    assert _performance(tmp_path)["struct_iou"] == 0.5
    assert output.count("count as 0") == 1
    assert "struct_iou: 1 of 2 pairs count as 0; the first: document 0 (" in output


def test_the_factories_and_scorers_of_all_metrics_are_found(tmp_path: Path):
    """Train and assemble pipelines by the names of factories and scorers alone."""
    scorer = '[components.sentencizer.scorer]\n@scorers = "structiou.tree_edit_scorer.v1"\nprefix = "own_"'
    sentencizer = f'factory = "sentencizer"\n\n{scorer}'
    components = [sentencizer, *(f'factory = "{metric}"' for metric in METRICS)]
    code, output = _train(tmp_path, _config(*components, weights="own_tree_edit = 0.1"))
    assert code == 0, output
    performance = _performance(tmp_path)
    assert {*METRICS, "own_tree_edit"} <= performance.keys()
    code = run_spacy("assemble", "config.cfg", "assembled", cwd=tmp_path).returncode
    assert code == 0
    assert load_model(tmp_path / "assembled").pipe_names == ["sentencizer", *METRICS]


def test_an_empty_dev_set_is_an_error(tmp_path: Path):
    config = _config('factory = "sentencizer"', 'factory = "struct_iou"')
    code, output = _train(tmp_path, config.replace("[training]", "offset = 100\n\n[training]"))
    assert code != 0
    assert "trees.spacy gives no documents; check the file, and offset (100), limit (0)" in output
