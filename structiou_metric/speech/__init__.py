"""Speech: words with the times at which they were said, and trees over them."""

from .aligner import ALIGNERS, Aligner, AlignmentError
from .entries import FILLERS, SILENCES
from .forced import ForcedAligner, align_audio
from .projection import Projection, project, project_all
from .readers import FORMATS, read_words
from .report import Report
from .spelling import spoken_words
from .words import TimedWord, Transcript

__all__ = [
    "ALIGNERS",
    "FILLERS",
    "FORMATS",
    "SILENCES",
    "Aligner",
    "AlignmentError",
    "ForcedAligner",
    "Projection",
    "Report",
    "TimedWord",
    "Transcript",
    "align_audio",
    "project",
    "project_all",
    "read_words",
    "spoken_words",
]
