"""`structiou project`: put the times of recordings on text trees."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from ..optional import look_here
from ..speech.corpora.finding import COLUMNS, are_several, is_several, pair_by_name, read_table
from ..speech.corpora.jobs import ON_ERROR, Answer, Job, Row, Settings, Trees
from ..speech.corpora.outputs import REPORTED, open_output, tree_lines, write_report
from ..speech.corpora.run import CorpusError, Summary, is_folder, project_corpus, tell_failure
from ..speech.corpora.work import Worker
from ..speech.languages import check_language, warn_of_model
from ..speech.projection.project import Projection
from ..speech.projection.report import Report
from ..speech.readers.formats import FORMATS
from ..wording import count
from . import arguments, inputs, outputs
from .speech_options import (
    AUDIO_OPTIONS,
    add_aligning,
    add_projecting,
    add_transcribing,
    check_marks,
    errors_with_flags,
    given,
    list_warnings,
    settings_of,
)

USAGE = "[TREES] (--words | --textgrid | --ctm | --audio) FILE [options], or --table FILE"
DESCRIPTION = (
    "Puts word times on the leaves of text trees: those of a transcript, or those that forced alignment "
    "finds in a recording. Writes a timed tree a line, for score --unit time and all other commands, and "
    "reports the result of every leaf and word. With folders, whose files are paired by their names, or a "
    "table, it takes many recordings; a run that was killed is finished by the same command."
)
EPILOG = """\
examples:
  structiou project gold.mrg --textgrid sw2005.TextGrid --tier "A - words" -o gold.timed
  structiou project gold.mrg --words whisper.json --fillers drop --gaps close -o gold.timed --report json
  structiou project gold.mrg --audio talk.wav --marks talk.tsv -o gold.timed
  structiou project gold.mrg --ctm talk.ctm | structiou score - parsed.timed --unit time
  structiou project trees/ --audio calls/ -o timed/ --report-to report.tsv --workers 4
  structiou project --table utterances.tsv -o gold.timed --report-to report.jsonl
"""

_WORD_OPTIONS = ("format", "tier", "missing", "fillers", "overlap", "silences", "words_encoding")
_MARK_OPTIONS = ("tier", "words_encoding")  # the options that marks may have, too
_SOURCES = {"words": (), "textgrid": (".textgrid",), "ctm": (".ctm",), "audio": ()}  # suffixes of file names
_N_POOREST = 3  # number of trees listed below the report
_N_GUESSED = 12  # number of words listed below the report


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument(
        "trees",
        metavar="TREES",
        nargs="?",
        help="treebank in the order of the recording; - is standard input; a folder of treebanks, or a "
        "pattern in quotes, for a folder of recordings",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--words", metavar="FILE", help="words with times, in any format of --format; or a folder of such"
    )
    source.add_argument("--textgrid", metavar="FILE", help="the same, a TextGrid of Praat")
    source.add_argument("--ctm", metavar="FILE", help="the same, a CTM file")
    source.add_argument(
        "--audio",
        metavar="FILE",
        help="a recording in which to find the words of the trees, or a folder of such",
    )
    parser.add_argument(
        "--table",
        metavar="FILE",
        help=".tsv, .csv or .jsonl with a row for each utterance; its columns are "
        f"{', '.join(COLUMNS)}, of which recording and tree are needed; a tree is written in brackets, or "
        "FILE:NUMBER, FILE, or a NUMBER of TREES",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the trees there and the report to standard output; of many recordings, a folder, if it "
        "is one or ends in /, gets a treebank for each (default: the trees to standard output and the report "
        "to standard error)",
    )
    parser.add_argument(
        "--report",
        choices=("text", "json", "none"),
        default="text",
        help="json also lists every tree of one recording (default: text)",
    )
    parser.add_argument(
        "--report-to",
        metavar="FILE",
        help=f"also write a line for each tree as it goes ({', '.join(REPORTED)}): cells with tabs between "
        "if it ends in .tsv, else JSON",
    )
    parser.add_argument(
        "--on-error",
        choices=ON_ERROR,
        default=ON_ERROR[0],
        help="a tree that cannot be projected is skipped, or () is in its place, which score counts as "
        "a failed parse; both go on, name it at the end and exit with 1; or it ends the run (default: "
        f"{ON_ERROR[0]})",
    )
    arguments.add_workers(parser, "processes for many recordings, each with an aligner of its own")
    group = parser.add_argument_group("options of word times")
    group.add_argument(
        "--format",
        choices=FORMATS,
        metavar="NAME",
        help=f"of --words: {', '.join(FORMATS)} (default: look at the file)",
    )
    group.add_argument("--tier", metavar="NAME", help="tier of a TextGrid, an MFA or an ELAN file")
    group.add_argument(
        "--speaker",
        metavar="NAME",
        help="whose words, where there are several speakers, and whose trees, if the treebank has codes of "
        "speakers; CODE=NAME where these differ, such as A=IVR, and CODE=CHANNEL with --audio",
    )
    add_transcribing(group)
    add_aligning(parser)
    add_projecting(parser)
    inputs.add_reading(parser, format="--tree-format")


@errors_with_flags()
def run(args: argparse.Namespace) -> str:
    """Project the trees, and write or return them."""
    source = _check_usage(args)
    sound = args.audio is not None
    many = args.table is not None or are_several(args.trees, source, sound=sound)
    if args.output is not None and not (many and is_folder(args.output)):
        outputs.check_writable(args.output)
    outputs.check_writable(args.report_to)
    args.language = check_language(args.language)
    look_here()
    if many:
        return _project_many(args, source)
    return _project_one(args, source)


def _check_usage(args: argparse.Namespace) -> str | None:
    """Refuse options that do not fit the source of the words; return the flag of that source."""
    parser: argparse.ArgumentParser = args.parser
    source: str | None = next((path for name in _SOURCES if (path := getattr(args, name)) is not None), None)
    inputs.check_stdin(parser, args.trees, source, args.marks)
    if args.table is None:
        if args.trees is None:
            parser.error("the following arguments are required: TREES, or --table")
        if source is None:
            parser.error(f"one of the arguments {' '.join(f'--{name}' for name in _SOURCES)} is required")
        misplaced: tuple[str, ...] = (*AUDIO_OPTIONS, "marks", "recording")
        if args.audio is not None:
            marked = () if args.marks is None else _MARK_OPTIONS
            misplaced = tuple(name for name in _WORD_OPTIONS if name not in marked)
        for name in given(args, misplaced):
            flag = name.replace("_", "-")
            parser.error(f"--{flag} {'needs' if args.audio is None else 'is not for'} --audio")
    elif args.trees == "-":
        parser.error("with --table, TREES cannot be standard input, which processes could not share")
    elif args.marks is not None:
        parser.error("--marks is not for --table, whose columns start and end say the same")
    elif source is not None and not os.path.isdir(source):
        parser.error(f"with --table, a folder is given for its recordings, not {source}")
    check_marks(args, is_several(source))
    for name in ("textgrid", "ctm"):
        if getattr(args, name) is not None:
            if args.format not in (None, name):
                parser.error(f"--format is for --words, not for --{name}")
            args.format = name
    return source


def _warn_of_model(args: argparse.Namespace, jobs: Iterable[Job]) -> None:
    if any(job.is_sound for job in jobs):
        warn_of_model(args.aligner, args.language)


def _settings(args: argparse.Namespace) -> Settings:
    return settings_of(
        args,
        format=args.format,
        tier=args.tier,
        speaker=args.speaker,
        sound=args.audio is not None,
        on_error=args.on_error,
    )


# ---- one recording -----------------------------------------------------------------------------


def _project_one(args: argparse.Namespace, source: str | None) -> str:
    job = Job("", "", source or "", args.audio is not None, Trees(args.trees), marks=args.marks)
    _warn_of_model(args, [job])
    worker = Worker(_settings(args), show=not args.quiet)
    answer = worker.do(job)
    failed = [row for row in answer.rows if row.reason]
    if failed and (args.on_error == "raise" or len(failed) == len(answer.rows)):
        if args.on_error == "raise" or len(failed) == 1:
            raise ValueError(tell_failure(failed[0].name, failed[0].reason))
        raise _failure(answer.rows)
    lines = "".join(f"{line}\n" for line in tree_lines(answer.rows, args.on_error))
    if args.report_to is not None:
        with open_output(args.report_to) as file:
            write_report(file)(job, answer.rows)
    report = _report_one(answer, worker, args.report, sound=job.is_sound)
    if args.output is None:
        if sys.stderr is not None:
            sys.stderr.write(report)
    else:
        outputs.write_text(args.output, lines)
    printed = lines if args.output is None else report
    if failed:
        raise _failure(answer.rows, printed)
    return printed


def _failure(rows: Sequence[Row], output: str = "") -> CorpusError:
    failed = [(row.name, row.reason) for row in rows if row.reason]
    return CorpusError(failed, len(failed), len(rows), output)


def _report_one(answer: Answer, worker: Worker, kind: str, *, sound: bool) -> str:
    done = [row for row in answer.rows if not row.reason]
    total = Report.total(row.report for row in done)
    if kind == "json":
        trees = map(_tree_dict, answer.rows, worker.projections)
        return outputs.as_json(
            "project",
            {
                "source": worker.source,
                "warning": answer.warning,
                "total": total.as_dict(),
                "trees": list(trees),
            },
        )
    if kind == "none":
        return ""
    poorest = sorted(done, key=lambda row: row.report.match)[:_N_POOREST]
    least = [(row.report.match, row.name) for row in poorest]
    report = _describe(worker.source, total, least, sound=sound)
    return f"{report}WARNING: {answer.warning}\n" if answer.warning else report


def _tree_dict(row: Row, found: Projection | None) -> dict[str, Any]:
    """Return the result of a tree, leaf by leaf."""
    confidence = {} if row.confidence is None else {"confidence": row.confidence}
    if found is None:
        return {"name": row.name, "status": row.status, **confidence, "reason": row.reason}
    return {
        "name": row.name,
        "status": row.status,
        **confidence,
        **found.report.as_dict(),
        "leaves": [leaf._asdict() for leaf in found.leaves],
        "unused_words": [word._asdict() for word in found.unused],
    }


def _describe(source: str, total: Report, poorest: Iterable[tuple[float, str]], *, sound: bool) -> str:
    least = [f"{name}: {100 * match:.0f}%" for match, name in poorest if match < total.match]
    listed = f"least in {', '.join(least)}\n" if least else ""
    return f"{source}\n{total.describe(with_match=not sound)}{listed}"


# ---- many --------------------------------------------------------------------------------------


def _project_many(args: argparse.Namespace, source: str | None) -> str:
    if args.table is not None:
        sound = None if source is None else args.audio is not None
        jobs = read_table(args.table, trees=args.trees, recordings=source, sound=sound)
    else:
        endings = next(endings for name, endings in _SOURCES.items() if getattr(args, name) is not None)
        jobs = pair_by_name(
            args.trees, source or "", sound=args.audio is not None, endings=endings, marks=args.marks
        )
    _warn_of_model(args, jobs)
    if args.output is not None and is_folder(args.output):
        os.makedirs(args.output, exist_ok=True)
    summary = project_corpus(
        jobs,
        _settings(args),
        output=args.output,
        report_to=args.report_to,
        workers=args.workers,
        progress=not args.quiet,
    )
    report = _report_many(summary, args, sound=all(job.is_sound for job in jobs))
    if args.output is None:
        if sys.stderr is not None:
            sys.stderr.write(report)
        report = ""
    if summary.failed:
        raise CorpusError(summary.failed, summary.n_failed, summary.n_trees, report)
    return report


def _report_many(summary: Summary, args: argparse.Namespace, *, sound: bool) -> str:
    if args.report == "none":
        return ""
    if args.report == "json":
        failed = [{"name": name, "reason": reason} for name, reason in summary.failed]
        return outputs.as_json(
            "project-corpus",
            {
                "n_jobs": summary.n_jobs,
                "n_kept": summary.n_kept,
                "total": summary.total.as_dict(),
                "failed": failed,
                "guessed_words": list(summary.guesses),
                "warnings": dict(summary.warnings),
            },
        )
    noun = "utterance" if args.table is not None else "recording"
    parts = [f"{count(summary.n_jobs, noun)}, {summary.n_failed} failed"]
    if summary.n_kept:
        parts.append(f"{summary.n_kept} done by an earlier run")
    if summary.guesses:
        words = [*summary.guesses[:_N_GUESSED], *(["…"] if len(summary.guesses) > _N_GUESSED else [])]
        parts.append(f"pronunciation guessed of {count(len(summary.guesses), 'word')}: {', '.join(words)}")
    report = _describe("; ".join(parts), summary.total, summary.poorest, sound=sound)
    return report + list_warnings(summary)
