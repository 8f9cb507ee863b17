"""Speech: words with the times at which they were said, and trees over them."""

from .entries import FILLERS, SILENCES
from .projection import Projection, project, project_all
from .readers import FORMATS, read_words
from .report import Report
from .spelling import spoken_words
from .words import TimedWord, Transcript

__all__ = [
    "FILLERS",
    "FORMATS",
    "SILENCES",
    "Projection",
    "Report",
    "TimedWord",
    "Transcript",
    "project",
    "project_all",
    "read_words",
    "spoken_words",
]
