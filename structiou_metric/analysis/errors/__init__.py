"""Error analysis: the moves that turn a predicted tree into its reference, by class of error."""

from __future__ import annotations

from .moves import Analysis, Move
from .report import NOT_ANALYSED, ClassTotal, MoveReport, SiteTotal, explain_corpus, find_moves
from .styles import AUTO, CLASSES, STYLES, Style, find_style

__all__ = [
    "AUTO",
    "CLASSES",
    "NOT_ANALYSED",
    "STYLES",
    "Analysis",
    "ClassTotal",
    "Move",
    "MoveReport",
    "SiteTotal",
    "Style",
    "explain_corpus",
    "find_moves",
    "find_style",
]
