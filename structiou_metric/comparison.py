"""Comparing systems, under the name that users were shown; it lives in `analysis.compare`."""

from .analysis.compare import compare
from .analysis.comparison import Comparison

__all__ = ["Comparison", "compare"]
