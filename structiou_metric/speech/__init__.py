"""Speech: words with the times at which they were said, and trees over them."""

from .corpora.finding import pair_by_name, read_table
from .corpora.jobs import Job, Settings
from .corpora.run import CorpusError, Summary, project_corpus
from .forced.aligner import ALIGNERS, AlignedWords, Aligner, AlignmentError
from .forced.recording import align_audio
from .marks import MARKS, Mark, read_marks
from .projection.project import Projection, project, project_all
from .projection.report import Report
from .projection.spelling import spoken_words
from .readers.documents import FILLERS, SILENCES
from .readers.formats import FORMATS
from .readers.reading import read_words
from .words import TimedWord, Transcript

__all__ = [
    "ALIGNERS",
    "FILLERS",
    "FORMATS",
    "MARKS",
    "SILENCES",
    "AlignedWords",
    "Aligner",
    "AlignmentError",
    "CorpusError",
    "Job",
    "Mark",
    "Projection",
    "Report",
    "Settings",
    "Summary",
    "TimedWord",
    "Transcript",
    "align_audio",
    "pair_by_name",
    "project",
    "project_all",
    "project_corpus",
    "read_marks",
    "read_table",
    "read_words",
    "spoken_words",
]
