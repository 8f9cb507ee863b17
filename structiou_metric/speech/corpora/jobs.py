"""Jobs of a projection: trees, their recording, and their place in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...wording import check_choice
from ..projection.report import Report

# Choices for a tree that cannot be projected, the default first: leave it out, write `()` in its place,
# or end the run.
ON_ERROR = ("skip", "empty", "raise")

DONE, FAILED = "done", "failed"


class Trees(NamedTuple):
    """The trees of a job.

    Attributes:
        place: A file of trees, as `Reading.rows` takes it; empty where the tree is written out.
        row: The number of the tree in the file, from 0; None means all.
        text: A tree in brackets.
    """

    place: str = ""
    row: int | None = None
    text: str = ""


class Job(NamedTuple):
    """Trees that are projected at once.

    >>> from structiou_metric.speech.corpora.jobs import Trees
    >>> job = Job("call", "sw2005", "sw2005.wav", True, Trees("sw2005.mrg"), start=1.5, end=4.0)
    >>> job.trees.place, job.channel
    ('sw2005.mrg', None)

    Attributes:
        name: The name of the job in reports; if it has several trees, they have their own names.
        group: The recording's name without its ending: jobs with the same one go into one file of a folder.
        recording: The file of sound or words; empty if there is none.
        is_sound: Whether the recording is sound, in which the words have to be found.
        trees: The trees.
        start: Where the trees begin in the recording, in seconds; None is its begin.
        end: Where the trees end; None is the end of the recording.
        channel: The channel of the sound, where not all jobs have the same.
        marks: A file of the times at which each tree begins and ends.
        problem: The reason why the job cannot be done, such as a missing recording.
        part: The name of the recording in a file that has the words of several.
    """

    name: str
    group: str
    recording: str
    is_sound: bool
    trees: Trees
    start: float | None = None
    end: float | None = None
    channel: int | None = None
    marks: str | None = None
    problem: str = ""
    part: str = ""


class Settings(NamedTuple):
    """The settings of jobs.

    >>> settings = Settings(projection={"gaps": "close"}, on_error="raise")
    >>> settings.as_dict()
    {'projection.gaps': 'close', 'on_error': 'raise'}

    Attributes:
        reading: The arguments of `sources.treebanks.Reading`.
        words: The arguments of `read_words`.
        audio: The arguments of `align_audio`.
        projection: The arguments of `project_all`.
        on_error: The choice for a tree that cannot be projected, one of `ON_ERROR`.
        marks: The arguments of `read_marks`; by default those for the recording with the name of its file.
        code: The speaker whose trees are taken, as the codes of the treebank call him; by default the one
            whose words or marks are, or whose channel it is.
    """

    reading: Mapping[str, Any] = {}
    words: Mapping[str, Any] = {}
    audio: Mapping[str, Any] = {}
    projection: Mapping[str, Any] = {}
    on_error: str = ON_ERROR[0]
    marks: Mapping[str, Any] = {}
    code: str | None = None

    def checked(self) -> Settings:
        """Return the settings, or raise an error if `on_error` is not one of its choices."""
        check_choice("on_error", self.on_error, ON_ERROR)
        return self

    def as_dict(self) -> dict[str, Any]:
        """Return all options by their names, each with the name of its part of the settings in front.

        >>> Settings(projection={"gaps": "close"}).as_dict()
        {'projection.gaps': 'close', 'on_error': 'skip'}
        """
        parts = {name: value for name, value in self._asdict().items() if isinstance(value, Mapping)}
        options = {f"{part}.{name}": value for part, given in parts.items() for name, value in given.items()}
        code = {} if self.code is None else {"code": self.code}
        return {**options, "on_error": self.on_error, **code}


class Row(NamedTuple):
    """The outcome of one tree, in values that can be sent to processes and written to files.

    Attributes:
        name: The name of the tree.
        recording: The file of sound or words.
        reason: Why the tree failed; empty if it did not.
        confidence: The confidence of the aligner in the tree, also where the tree failed because it is low;
            None if it failed for another reason, or the aligner gives no confidence.
        line: The tree with times, in brackets.
        report: The counts of leaves and words.
        n_trees: How many trees the row is for: all of a recording, where that failed as a whole.
        stretch: Start and end of the tree's mark in seconds, if it has one; an end of None is that of the
            recording.
    """

    name: str
    recording: str
    reason: str = ""
    confidence: float | None = None
    line: str = ""
    report: Report = Report()
    n_trees: int = 1
    stretch: tuple[float, float | None] | None = None

    @property
    def status(self) -> str:
        """Return `done` or `failed`."""
        return FAILED if self.reason else DONE

    @property
    def match(self) -> float | None:
        """Return the share of the characters of leaves and words that match; None if the tree failed."""
        return None if self.reason else self.report.match


class Answer(NamedTuple):
    """The outcome of a job.

    Attributes:
        rows: The rows of the job's trees.
        guesses: The words whose pronunciation was guessed.
        warning: The warning about the recording as a whole; empty if there is none.
    """

    rows: Sequence[Row]
    guesses: Sequence[str] = ()
    warning: str = ""

    @property
    def failed(self) -> bool:
        """Return whether any tree of the job failed."""
        return any(row.reason for row in self.rows)
