"""The page about Hugging Face: its examples run, and its listings are those that `tests/harnesses` runs."""

from __future__ import annotations

import re
import textwrap
from types import SimpleNamespace

import pytest

from support.extras import need
from support.paths import ROOT

need("evaluate")

PAGE = (ROOT / "docs" / "hub.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def names(evaluate, tmp_path, monkeypatch):
    """What the examples, one after the other, have defined; they write to a folder of their own."""
    monkeypatch.chdir(tmp_path)
    known = {}
    for example in EXAMPLES:
        exec(compile(example, "docs/hub.md", "exec"), known)
    return known


def test_examples(names, tmp_path):
    assert len(EXAMPLES) == 9
    assert (tmp_path / names["path"]).read_text(encoding="utf-8") == names["results"].yaml


class Tokenizer:
    """As small as one can be: tokens are numbers of pieces; 0 pads and 1 ends."""

    pad_token_id = 0
    pieces = ("<pad>", "</s>", "(S", "(NP", "(VP", "we", "run", ")", "Sure!")

    def __call__(self, text):
        return [self.pieces.index(piece) for piece in text.split()]

    def batch_decode(self, rows, skip_special_tokens):
        assert skip_special_tokens
        assert (rows >= 0).all()
        return [" ".join(self.pieces[token] for token in row if token > 1) for row in rows]


@pytest.mark.parametrize("in_tuple", [False, True])
def test_compute_metrics_of_a_trainer(names, in_tuple):
    np = pytest.importorskip("numpy")
    tokenizer = Tokenizer()
    right = "(S (NP we ) (VP run ) ) </s>"

    def padded(*texts, width=12, pad=-100):
        rows = [tokenizer(text) for text in texts]
        return np.array([row + [pad] * (width - len(row)) for row in rows])

    predictions = padded(f"Sure! {right}", "(S we run ) </s>", "(S (NP we )", width=14)
    found = SimpleNamespace(
        predictions=(predictions, None) if in_tuple else predictions, label_ids=padded(right, right, right)
    )
    figures = names["make_compute_metrics"](tokenizer)(found)
    # All of 3 nodes; 1 node of 1 and 3; cut off.
    assert figures == {
        "struct_iou": pytest.approx((1.0 + 2 * 1 / 4 + 0.0) / 3),
        "struct_iou_corpus": pytest.approx(2 * (3 + 1) / (4 + 9)),
        "failed": 1,
    }
    assert all(isinstance(value, (int, float)) for value in figures.values())


@pytest.mark.parametrize("path", ["lm_eval_tasks/utils.py", "lighteval_metrics.py"])
def test_listings_are_those_that_are_run(path):
    file = (ROOT / "tests" / "harnesses" / path).read_text(encoding="utf-8")
    listings = re.findall(r"```py\n(.*?)```", PAGE, flags=re.DOTALL)
    assert sum(file.endswith(listing) for listing in listings) == 1


@pytest.mark.parametrize("name", ["constituency", "constituency_evaluate"])
def test_lines_of_tasks_are_those_that_are_run(name):
    file = (ROOT / "tests" / "harnesses" / "lm_eval_tasks" / f"{name}.yaml").read_text(encoding="utf-8")
    listings = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    assert sum(textwrap.dedent(listing) in file for listing in listings) == 1
