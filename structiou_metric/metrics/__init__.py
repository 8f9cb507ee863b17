"""Metrics with one interface: counts for each pair of trees, and figures computed from their sums.

>>> from structiou_metric.metrics import load_metric
>>> metric = load_metric("parseval", variant="spmrl")
>>> metric.corpus_score(["(S (NP (A a)) (B b))"], ["(S (NP (A a)) (B b))"]).figures["parseval_f1"]
1.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..wording import check_choice

if TYPE_CHECKING:
    from .metric import Metric

__all__ = ["METRICS", "load_metric", "metric_class"]

# Every metric by its name, as `module:class`, imported when it is asked for.
METRICS = {
    "struct_iou": "structiou_metric.metrics.struct_iou.metric:StructIoU",
    "parseval": "structiou_metric.metrics.parseval.metric:Parseval",
    "disco_parseval": "structiou_metric.metrics.disco_parseval:DiscoParseval",
    "tedeval": "structiou_metric.metrics.tedeval:TedEval",
    "aligned_parseval": "structiou_metric.metrics.aligned_parseval:AlignedParseval",
    "sparseval": "structiou_metric.metrics.sparseval:Sparseval",
    "tree_edit": "structiou_metric.metrics.tree_edit:TreeEdit",
    "leaf_ancestor": "structiou_metric.metrics.leaf_ancestor:LeafAncestor",
}


def metric_class(name: str) -> type[Metric]:
    """Return the class of a metric, by its name in `METRICS`.

    >>> metric_class("tedeval").title
    'TedEval'

    Args:
        name: A key of `METRICS`.
    """
    check_choice("metric", name, METRICS)
    module, _, attribute = METRICS[name].partition(":")
    found: type[Metric] = getattr(__import__(module, fromlist=[attribute]), attribute)
    return found


def load_metric(name: str, **options: Any) -> Metric:
    """Return a metric with these options, by its name in `METRICS`.

    >>> metric = load_metric("tedeval", labeled=False)
    >>> metric.corpus_score(["(S (A a))"], ["(S (B a))"]).figures["tedeval"]
    1.0

    Args:
        name: A key of `METRICS`.
        **options: The options of the metric, as its `OPTIONS` list them.
    """
    found = metric_class(name)
    found.check_names(options)
    return found(**options)
