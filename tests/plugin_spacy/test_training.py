"""`spacy train` with trees: the scores it shows are real, or it says what is wrong before it begins."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("spacy")

from spacy.tokens import DocBin
from spacy.util import load_model
from spacy.vocab import Vocab

from spacy_structiou import doc_from_trees
from structiou_metric import StructIoU
from support.process import environment

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
path = "trees.spacy"
"""

# A spancat that learns constituents: spans of up to five tokens, of which any may overlap.
_SPANCAT = f"""
[nlp]
lang = "en"
pipeline = ["spancat", "struct_iou"]

[components]

[components.spancat]
factory = "spancat"
spans_key = "constituents"
threshold = 0.5

[components.spancat.suggester]
@misc = "spacy.ngram_suggester.v1"
sizes = [1, 2, 3, 4, 5]

[components.spancat.model]
@architectures = "spacy.SpanCategorizer.v1"

[components.spancat.model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

[components.spancat.model.tok2vec.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = 32
attrs = ["NORM"]
rows = [200]
include_static_vectors = false

[components.spancat.model.tok2vec.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 32
depth = 2
window_size = 1
maxout_pieces = 2

[components.spancat.model.reducer]
@layers = "spacy.mean_max_reducer.v1"
hidden_size = 32

[components.spancat.model.scorer]
@layers = "spacy.LinearLogistic.v1"
nO = null
nI = null

[components.struct_iou]
factory = "struct_iou"

{_CORPORA}
[training]
seed = 0
gpu_allocator = null
max_steps = 200
eval_frequency = 100

[training.score_weights]
struct_iou = 1.0
spans_constituents_f = null
spans_constituents_p = null
spans_constituents_r = null
"""

_PLAIN = f"""
[nlp]
lang = "en"
pipeline = ["sentencizer", "struct_iou"]

[components]

[components.sentencizer]
factory = "sentencizer"

[components.struct_iou]
factory = "struct_iou"

{_CORPORA}
[training]
seed = 0
gpu_allocator = null
max_steps = 1
"""

_PREFIXED = _PLAIN.replace('factory = "struct_iou"', 'factory = "struct_iou"\nprefix = "my_"')


def _train(folder: Path, config: str) -> tuple[int, str]:
    """Runs `spacy train` in a folder with some trees; returns the exit code and all output."""
    (folder / "config.cfg").write_text(config)
    vocab = Vocab()
    DocBin(docs=[doc_from_trees(vocab, [tree]) for tree in _TREES]).to_disk(folder / "trees.spacy")
    command = [sys.executable, "-m", "spacy", "train", "config.cfg", "--output", "out"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment(*sys.path)
    )
    return done.returncode, re.sub(r"\s+", " ", (done.stdout + done.stderr)[-3000:])


@pytest.mark.slow
def test_a_spancat_that_learns_constituents_is_scored(tmp_path: Path):
    """spaCy's spancat writes its spans by length; they are trees all the same wherever they do not cross."""
    code, output = _train(tmp_path, _SPANCAT)
    assert code == 0, output
    nlp = load_model(tmp_path / "out" / "model-best")
    best = nlp.meta["performance"]["struct_iou"]
    docs = [nlp(doc_from_trees(nlp.vocab, [tree]).copy()) for tree in _TREES]
    assert all("constituents" in doc.spans for doc in docs)
    # A slow reading of what was predicted: the spans of each Doc, sorted, as brackets.
    wanted = [_score(doc, tree) for doc, tree in zip(docs, _TREES, strict=True)]
    assert best == pytest.approx(sum(wanted) / len(wanted))
    assert best > 0.0


def _score(doc, tree) -> float:
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


def test_weights_that_nothing_gives_are_an_error_before_training(tmp_path: Path):
    code, output = _train(
        tmp_path, _PLAIN.replace('factory = "struct_iou"', 'factory = "struct_iou"\nprefix = "my_"')
    )
    assert code != 0
    assert "struct_iou: [training.score_weights] names struct_iou," in output
    assert "write my_struct_iou = 1.0 and struct_iou = null" in output


def test_weights_of_a_prefix_are_fine(tmp_path: Path):
    config = _PLAIN.replace('factory = "struct_iou"', 'factory = "struct_iou"\nprefix = "my_"')
    code, output = _train(
        tmp_path, config + "\n[training.score_weights]\nmy_struct_iou = 1.0\nstruct_iou = null\n"
    )
    assert code == 0, output
    performance = load_model(tmp_path / "out" / "model-last").meta["performance"]
    assert performance["my_struct_iou"] == 0.0  # nothing in this pipeline parses


def test_an_empty_dev_set_is_an_error(tmp_path: Path):
    config = _PLAIN.replace("[training]", "offset = 100\n\n[training]")
    code, output = _train(tmp_path, config)
    assert code != 0
    assert "trees.spacy gives no documents; check the file, and offset (100), limit (0)" in output
