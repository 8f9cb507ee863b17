"""ParsEval, under the name that users were shown; it lives in `metrics.parseval`."""

from .metrics.parseval.metric import VARIANTS, Parseval, parseval
from .metrics.parseval.parameters import Parameters
from .metrics.parseval.result import ParsevalScore, Totals

__all__ = ["VARIANTS", "Parameters", "Parseval", "ParsevalScore", "Totals", "parseval"]
