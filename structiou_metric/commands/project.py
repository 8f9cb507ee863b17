"""`structiou project`: text trees onto the times of a recording."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread

from ..errors import TreeFormatError, TreeMismatchError
from ..optional import look_here
from ..progress import Progress
from ..sources.files import read_text
from ..speech.projection.project import (
    MIN_MATCH,
    MIN_TREE_MATCH,
    POOR,
    SILENT,
    Projection,
    project,
    project_all,
)
from ..speech.projection.report import Report
from ..speech.projection.spelling import spoken_words
from ..speech.projection.turns import find_turns, turns_of
from ..speech.readers.reading import FORMATS, read_words
from ..speech.silence import GAPS
from ..trees.tree import SegmentTree
from ..wording import count
from . import arguments

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

    from ..sources.rows import Rows

USAGE = "TREES (--words FILE | --textgrid FILE | --ctm FILE | --audio FILE) [options]"
DESCRIPTION = (
    "Puts word times on the leaves of text trees: those of a transcript, or those that forced alignment "
    "finds in a recording. Writes a timed tree a line, for score --unit time and all other doors, and "
    "reports what became of every leaf and word."
)
EPILOG = """\
examples:
  structiou project gold.mrg --textgrid sw2005.TextGrid --tier "A - words" -o gold.timed
  structiou project gold.mrg --words whisper.json --fillers drop --gaps close -o gold.timed --report json
  structiou project gold.mrg --audio talk.wav --marks talk.tsv -o gold.timed
  structiou project gold.mrg --ctm talk.ctm | structiou score - parsed.timed --unit time
"""

# What goes with either source of words, and is left to it where it is not given.
_WORD_OPTIONS = ("format", "tier", "speaker", "missing", "fillers")
_AUDIO_OPTIONS = ("aligner", "model", "min_confidence", "channel")
_N_POOREST = 3  # trees listed below the report


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the arguments."""
    parser.add_argument(
        "trees", metavar="TREES", help="treebank in the order of the recording; - is standard input"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--words", metavar="FILE", help="words with times, in any format of --format")
    source.add_argument("--textgrid", metavar="FILE", help="the same, a TextGrid of Praat")
    source.add_argument("--ctm", metavar="FILE", help="the same, a CTM file")
    source.add_argument("--audio", metavar="FILE", help="a recording in which to find the words of the trees")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the trees there and the report to standard output "
        "(default: the trees to standard output and the report to standard error)",
    )
    parser.add_argument(
        "--report",
        choices=("text", "json", "none"),
        default="text",
        help="json also tells of every tree (default: text)",
    )
    group = parser.add_argument_group("options of word times")
    group.add_argument("--format", choices=FORMATS, help="of --words (default: look at the file)")
    group.add_argument("--tier", metavar="NAME", help="tier of a TextGrid or an MFA file")
    group.add_argument(
        "--speaker",
        metavar="NAME",
        help="whose words, where there are several speakers; and whose trees, if the treebank has codes of "
        "speakers",
    )
    group.add_argument(
        "--missing",
        choices=("interpolate", "error"),
        help="words of the transcript without times get some from their neighbours, or end the run "
        "(default: interpolate)",
    )
    group.add_argument(
        "--fillers", choices=("keep", "drop"), help="words such as uh in the transcript (default: keep)"
    )
    group = parser.add_argument_group("options of forced alignment")
    group.add_argument(
        "--aligner",
        metavar="NAME",
        help="pocketsphinx, pocketsphinx-lenient, which takes words however badly they fit, ctc, which needs "
        "--model, or your own as module:name; the module may stand in the current folder "
        "(default: pocketsphinx)",
    )
    group.add_argument(
        "--model",
        metavar="FOLDER",
        help="of --aligner ctc: model.onnx, vocab.json and settings",
    )
    group.add_argument(
        "--min-confidence",
        type=arguments.share,
        metavar="X",
        help="from 0 to 1: words that the aligner is less sure of are refused as those of another recording "
        "(default: the aligner's own)",
    )
    group.add_argument(
        "--channel",
        type=arguments.positive,
        metavar="N",
        help="which one, from 1, which is that of speaker A where the treebank has codes of speakers "
        "(default: the mean of all)",
    )
    group.add_argument(
        "--marks",
        metavar="FILE",
        help="where each tree is in the recording: a line a tree, start and end in seconds",
    )
    group = parser.add_argument_group("options of the projection")
    group.add_argument(
        "--silent",
        choices=SILENT,
        default=SILENT[0],
        help="leaves without sound, as punctuation and traces: remove them with what they empty, or give "
        f"them zero length (default: {SILENT[0]})",
    )
    group.add_argument(
        "--gaps",
        choices=GAPS,
        default=GAPS[0],
        help="keep silences between the words of a tree, or close them, as the paper does: the words "
        f"beside one meet in its middle (default: {GAPS[0]})",
    )
    group.add_argument(
        "--min-match",
        type=arguments.share,
        default=MIN_MATCH,
        metavar="X",
        help="least share of characters of leaves and words, from 0 to 1, that must match "
        f"(default: {MIN_MATCH:g})",
    )
    group.add_argument(
        "--min-tree-match",
        type=arguments.share,
        default=MIN_TREE_MATCH,
        metavar="X",
        help="least share of the characters of each tree, from 0 to 1, that must match "
        f"(default: {MIN_TREE_MATCH:g})",
    )
    group.add_argument(
        "--poor",
        choices=POOR,
        default=POOR[0],
        help="trees below --min-tree-match: name them and end the run, or write empty trees for them "
        f"(default: {POOR[0]})",
    )
    arguments.add_reading(parser, format="--tree-format")


def run(args: argparse.Namespace) -> str:
    """Projects the trees; writes or returns them."""
    _check_usage(args)
    arguments.check_writable(args.output)
    rows = arguments.reading_of(args).rows(args.trees)
    trees = [rows.tree(row, None) for row in range(len(rows))]
    if not trees:
        raise TreeFormatError("there are no trees in this file", source=rows.title)
    turns = turns_of(find_turns(trees), args.speaker, args.channel)
    if not turns:
        raise TreeFormatError("there are only codes in this file, and no sentences", source=rows.title)
    given = [turn.row for turn in turns]
    trees = [turn.tree for turn in turns]

    def name(number: int) -> str:
        return rows.name(given[number])

    options = {
        "silent": args.silent,
        "gaps": args.gaps,
        "min_match": args.min_match,
        "min_tree_match": args.min_tree_match,
    }
    if args.audio is None:
        path = args.words or args.textgrid or args.ctm
        transcript = read_words(path, **_given(args, _WORD_OPTIONS))
        projections = project_all(
            trees, transcript, poor=args.poor, name=name, progress=not args.quiet, **options
        )
        source = transcript.summary()
    else:
        projections, source = _project_audio(trees, rows, given, args, options)
    lines = "".join(f"{projection.tree.to_brackets()}\n" for projection in projections)
    report = _report(projections, name, source, args.report)
    if args.output is None:
        if sys.stderr is not None:
            sys.stderr.write(report)
        return lines
    arguments.write_text(args.output, lines)
    return report


def _check_usage(args: argparse.Namespace) -> None:
    """Refuses options that do not go with the source of the words."""
    parser: argparse.ArgumentParser = args.parser
    arguments.check_stdin(parser, args.trees, args.words, args.textgrid, args.ctm, args.audio, args.marks)
    for name in _given(args, (*_AUDIO_OPTIONS, "marks") if args.audio is None else _WORD_OPTIONS):
        parser.error(f"--{name.replace('_', '-')} {'needs' if args.audio is None else 'is not for'} --audio")
    for name in ("textgrid", "ctm"):
        if getattr(args, name) is not None:
            if args.format not in (None, name):
                parser.error(f"--format is for --words, not for --{name}")
            args.format = name


def _given(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Those options that have a value."""
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


# ---- a recording -------------------------------------------------------------------------------


def _project_audio(
    trees: Sequence[SegmentTree],
    rows: Rows,
    given: Sequence[int],
    args: argparse.Namespace,
    options: dict[str, Any],
) -> tuple[list[Projection], str]:
    """The trees, which are those `given` of all rows, onto the recording, and what was found there."""
    from ..speech.forced.recording import ForcedAligner

    marks = None if args.marks is None else read_marks(args.marks)
    look_here()
    aligner = ForcedAligner(args.audio, **_given(args, _AUDIO_OPTIONS))
    if marks is None:
        words = spoken_words(trees)
        what = f"looking for {count(len(words), 'word')} in {args.audio}"
        with Progress(None, what, show=not args.quiet) as progress, _ended_by_interrupts():
            progress.announce()
            transcript = aligner.align(words)
        projections = project_all(
            trees,
            transcript,
            poor=args.poor,
            name=lambda number: rows.name(given[number]),
            progress=not args.quiet,
            **options,
        )
        return projections, aligner.summary()
    if len(marks) == len(rows):
        marks = [marks[row] for row in given]  # a line for each code, too
    if len(marks) != len(trees):
        raise TreeMismatchError(
            f"{args.marks} has {count(len(marks), 'line')}, {rows.title} has {count(len(trees), 'tree')}; "
            "give a line for each tree"
        )
    projections = []
    with Progress(len(trees), "projecting", show=not args.quiet) as progress:
        for row, (tree, (start, end)) in enumerate(zip(trees, marks, strict=True)):
            try:
                transcript = aligner.align(spoken_words(tree), start, end)
                projections.append(project(tree, transcript, **options))
            except ValueError as error:
                raise TreeMismatchError(f"{rows.name(given[row])}: {error}") from None
            progress.add(1)
    return projections, aligner.summary()


@contextmanager
def _ended_by_interrupts() -> Iterator[None]:
    """Has Ctrl-C end the program at once: an aligner written in C would hear of it when all is done."""
    usual = signal.default_int_handler
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not usual:
        yield  # only that thread may change it, and nobody else's choice is changed
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def read_marks(path: str) -> list[tuple[float, float]]:
    """Start and end of each tree in seconds, a line a tree."""
    text, title = read_text(path)
    marks = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            start, end = map(float, line.split()[:2])
        except ValueError:
            start, end = 0.0, -1.0
        if not 0.0 <= start < end < float("inf"):
            raise TreeFormatError(
                f"{line!r} is not a start and a later end in seconds; write such as '12.5 17.25', "
                "also for a failed parse",
                source=title,
                line=number,
            )
        marks.append((start, end))
    return marks


# ---- the report --------------------------------------------------------------------------------


def _report(projections: Sequence[Projection], name: Callable[[int], str], source: str, kind: str) -> str:
    total = Report.total(projection.report for projection in projections)
    if kind == "json":
        trees = [
            {
                "name": name(row),
                **projection.report.as_dict(),
                "leaves": [leaf._asdict() for leaf in projection.leaves],
                "unused_words": [word._asdict() for word in projection.unused],
            }
            for row, projection in enumerate(projections)
        ]
        return arguments.as_json("project", {"source": source, "total": total.as_dict(), "trees": trees})
    if kind == "none":
        return ""
    ranked = sorted((projection.report.match, row) for row, projection in enumerate(projections))
    poorest = [
        f"{name(row)}: {100 * match:.0f}%" for match, row in ranked[:_N_POOREST] if match < total.match
    ]
    listed = f"least in {', '.join(poorest)}\n" if poorest else ""
    return f"{source}\n{total.describe()}{listed}"
