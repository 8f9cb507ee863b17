"""The examples of the card and of the script's own description do what they say."""

from __future__ import annotations

from structiou_metric.hub import register
from support.extras import need
from support.paths import SPACE

need("evaluate")

CARD = SPACE / "README.md"

RUN = """
import doctest, sys
import evaluate
card = doctest.testfile(sys.argv[1], module_relative=False, encoding="utf-8")
description = evaluate.load("struct_iou").inputs_description
test = doctest.DocTestParser().get_doctest(description, {}, "inputs_description", None, 0)
script = doctest.DocTestRunner().run(test)
print(card.failed, card.attempted, script.failed, script.attempted)
"""


def test_examples(run_python, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_MODULES_CACHE", raising=False)
    register.register()
    out, _ = run_python(RUN, CARD, HF_HOME=tmp_path / "hf")
    card_failed, card_tried, script_failed, script_tried = map(int, out[-1].split())
    assert (card_failed, script_failed) == (0, 0), "\n".join(out)
    assert (card_tried > 20, script_tried) == (True, 5)


def test_card_and_script_name_the_same_keys(metric):
    card = CARD.read_text(encoding="utf-8")
    result = metric.compute(
        predictions=["(S a)", "(S"],
        references=[["(S a)", "(T a)"], "(S a)"],
        on_error="skip",
        return_per_sentence=True,
        return_alignments=True,
        return_losses=True,
        return_by_label=True,
        parseval=True,
        confidence=0.9,
    )
    for key in result:
        assert f"`{key}`" in card
        assert f"{key} (" in metric.inputs_description or key in ("sentences", "alignments")
