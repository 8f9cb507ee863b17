"""Speech: words with the times at which they were said, and trees over them."""

from .forced.aligner import ALIGNERS, Aligner, AlignmentError
from .forced.recording import ForcedAligner, align_audio
from .marks import MARKS, Mark, read_marks
from .projection.project import Projection, project, project_all
from .projection.report import Report
from .projection.spelling import spoken_words
from .readers.entries import FILLERS, SILENCES
from .readers.formats import FORMATS
from .readers.reading import read_words
from .words import TimedWord, Transcript

__all__ = [
    "ALIGNERS",
    "FILLERS",
    "FORMATS",
    "MARKS",
    "SILENCES",
    "Aligner",
    "AlignmentError",
    "ForcedAligner",
    "Mark",
    "Projection",
    "Report",
    "TimedWord",
    "Transcript",
    "align_audio",
    "project",
    "project_all",
    "read_marks",
    "read_words",
    "spoken_words",
]
