"""STRUCT-IoU in the real lm-eval, lighteval and Trainer, and on trees of Stanza; offline, without downloads.

`make test-harnesses` runs these in an environment of their own; elsewhere they are skipped.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from support.extras import need
from support.hub import OFFLINE
from support.paths import ROOT
from support.process import PATIENCE, environment

FOLDER = ROOT / "tests" / "harnesses"

# By hand: 4 of 5 nodes on either side, no tree, all of 3 nodes.
SENTENCE = (0.8 + 0.0 + 1.0) / 3
CORPUS = 2 * (4 + 0 + 3) / ((5 + 0 + 3) + (5 + 5 + 3))


@pytest.fixture
def run(tmp_path):
    """Runs Python with a cache of its own, and gives what it says in its last line."""

    def run(*arguments):
        process = subprocess.run(
            [sys.executable, *arguments],
            cwd=FOLDER,
            env=environment(
                HF_HOME=str(tmp_path / "hf"),
                HF_DATASETS_OFFLINE="1",
                TOKENIZERS_PARALLELISM="false",
                **{name: str(value) for name, value in OFFLINE.items()},
            ),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        return process.stdout.splitlines()[-1]

    return run


def test_lm_eval(run):
    need("lm_eval")
    run("-m", "structiou_metric", "register")
    found = json.loads(run("run_lm_eval.py", "told", "constituency", "constituency_evaluate"))
    chatty, plain = found["constituency"], found["constituency_evaluate"]
    assert chatty["struct_iou,none"] == pytest.approx(SENTENCE)
    assert chatty["struct_iou_corpus,none"] == pytest.approx(CORPUS)
    assert chatty["parsed,none"] == pytest.approx(2 / 3)
    # Without a look for the tree, an answer with more than that is none.
    assert plain["struct_iou,none"] == pytest.approx(1 / 3)
    assert plain["n_zeroed,none"] == pytest.approx(2 / 3)


def test_lm_eval_with_its_dummy_model(run):
    """It always answers the same word."""
    need("lm_eval")
    found = json.loads(run("run_lm_eval.py", "dummy", "constituency"))["constituency"]
    assert (found["struct_iou,none"], found["struct_iou_corpus,none"], found["parsed,none"]) == (
        0.0,
        0.0,
        0.0,
    )


def test_lighteval(run, tmp_path):
    need("lighteval")
    found = json.loads(run("run_lighteval.py", str(tmp_path / "out")))
    [figures] = [figures for name, figures in found.items() if name.startswith("constituency")]
    assert figures["struct_iou"] == pytest.approx(SENTENCE)
    assert figures["struct_iou_corpus"] == pytest.approx(CORPUS)


def test_trainer(run, tmp_path):
    """The recipe of docs/hub.md, for a model that knows nothing and for one that knows all."""
    need("transformers")
    untrained, told = json.loads(run("run_trainer.py", str(tmp_path / "out")))
    assert 0.0 <= untrained["eval_struct_iou"] < 1.0
    assert (told["eval_struct_iou"], told["eval_struct_iou_corpus"], told["eval_failed"]) == (1.0, 1.0, 0)


def test_trees_of_stanza(run):
    need("stanza")
    prediction = "(ROOT (S (NP (PRP we)) (VP (VBP agree))))"
    reference = "(ROOT (S (NP (PRP we)) (VBP agree)))"
    # By hand: of 5 and 4 nodes below the root, 4 pairs have the same label and words.
    assert json.loads(run("run_stanza.py", prediction, reference)) == [pytest.approx(8 / 9)] * 2
