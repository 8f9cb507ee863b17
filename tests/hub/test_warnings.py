"""Warnings through `evaluate`: in the result, in the log, and as errors."""

from __future__ import annotations

import logging

import pytest

from support.extras import need

need("evaluate")

OTHER = {"predictions": ["(S (NP we) (VP run))"], "references": ["(S (NP dogs) (VP sleep))"]}
SAME = {"predictions": ["(S (NP we) (VP run))"], "references": ["(S (NP we) (VP run))"]}


class _Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.messages = []

    def emit(self, record):
        self.messages.append((record.levelname, record.getMessage()))


@pytest.fixture
def logged(evaluate):
    """What `evaluate` logs."""
    handler = _Kept()
    evaluate.logging.get_logger().addHandler(handler)
    yield handler.messages
    evaluate.logging.get_logger().removeHandler(handler)


def test_warnings_are_in_the_result_and_logged(metric, logged):
    result = metric.compute(**OTHER)
    assert result["struct_iou"] == 1.0
    [warning] = result["warnings"]
    assert (warning["kind"], warning["count"], warning["rows"]) == ("words", 1, [0])
    assert logged == [("WARNING", f"STRUCT-IoU: {warning['message']}")]
    assert "warnings" not in metric.compute(**SAME)
    assert len(logged) == 1


def test_strict(metric):
    with pytest.raises(ValueError, match="but different words; are these the same sentences"):
        metric.compute(**OTHER, strict=True)
    assert metric.compute(**SAME, strict=True)["struct_iou"] == 1.0
