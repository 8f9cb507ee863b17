"""What other times alone cost: the same trees with times by hand and by an aligner."""

from __future__ import annotations

import pytest

from structiou_metric import StructIoU
from support.cli import runner, succeeded

BY_HAND = [
    "(S (NP (PRP we<0.0,1.0>)) (VP (VBP go<1.0,2.0>) (ADVP (RB home<2.0,4.0>))))",
    "(INTJ (UH yes<5.0,6.0>))",
]
BY_ALIGNER = [
    "(S (NP (PRP we<0.0,0.5>)) (VP (VBP go<0.5,2.0>) (ADVP (RB home<2.0,4.0>))))",
    "(INTJ (UH yes<5.0,5.5>))",
]
# IoUs: NP and PRP 1/2, VBP 1/1.5, VP 3/3.5, S, ADVP and RB 1; INTJ and UH 1/2.
MATCHED = 2 * 1 / 2 + 2 / 3 + 6 / 7 + 3, 2 * 1 / 2
N_NODES = 7, 2


def test_all_that_is_lost_to_other_times_is_timing():
    result = StructIoU(unit="time").corpus_score(BY_ALIGNER, BY_HAND)
    assert result.sentence == pytest.approx((MATCHED[0] / 7 + MATCHED[1] / 2) / 2)
    assert result.corpus == pytest.approx(sum(MATCHED) / 9)
    lost = {cause: loss for cause, loss in result.losses.by_cause.items() if loss}
    assert lost == {"timing": pytest.approx(2 * (sum(N_NODES) - sum(MATCHED)))}


def test_why_shows_what_the_times_cost(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hand.txt").write_text("\n".join(BY_HAND) + "\n", "utf-8")
    (tmp_path / "aligner.txt").write_text("\n".join(BY_ALIGNER) + "\n", "utf-8")
    text = succeeded(runner(capsys)("why", "hand.txt", "aligner.txt", "--unit", "time"))
    lost, gained = text.split("what is lost")[1].split("by class of error")
    assert "timing" in lost
    assert "100.0%" in next(line for line in lost.splitlines() if line.startswith("timing"))
    assert "timing" in gained
    assert not any(cause in text for cause in ("attachment", "boundary", "missing", "extra"))
