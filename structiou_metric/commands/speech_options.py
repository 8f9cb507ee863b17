"""Options of commands that put times on trees: for reading or finding words, and for timing leaves."""

from __future__ import annotations

import argparse
import re
from argparse import _ArgumentGroup
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..speech.corpora.jobs import ON_ERROR, Settings
from ..speech.corpora.run import Summary
from ..speech.languages import ENGLISH, LANGUAGES
from ..speech.projection.project import MIN_MATCH, MIN_TREE_MATCH, SILENT
from ..speech.readers.checks import OVERLAPS
from ..speech.readers.documents import SILENCES
from ..speech.silence import GAPS
from . import arguments, inputs

# Options of each source of words, which are passed on only if they are given.
AUDIO_OPTIONS = ("aligner", "model", "min_confidence", "channel")
_PROJECTION_OPTIONS = ("silent", "gaps", "min_match", "min_tree_match", "language")

# Arguments as Python errors name them, perhaps with a value.
_ARGUMENTS = ("tier", "speaker", "format", "missing", "overlap", "recording", "channel", *_PROJECTION_OPTIONS)
_NAMED = re.compile(rf"(?<!\w)({'|'.join(_ARGUMENTS)}|min_confidence)=(?:'([\w. -]+)'|([\w.]*\w))?")


def as_flags(message: str, side: str = "") -> str:
    """Return an error of a function with the flags of its arguments.

    >>> as_flags("choose with tier= or speaker= from 'A', 'B'"), as_flags("less than min_match=0.5", "gold")
    ("choose with --tier or --speaker from 'A', 'B'", 'less than --min-match 0.5')
    >>> as_flags("give format='tsv'", "gold")
    'give --gold-format tsv'

    Args:
        message: The error.
        side: The side of `speech-score` that the error is about, whose words have flags of their own.
    """

    def flag(found: re.Match[str]) -> str:
        name = found[1].replace("_", "-")
        prefix = f"{side}-" if side and name in ("tier", "speaker", "format") else ""
        value = found[2] or found[3]
        return f"--{prefix}{name}" + (f" {value}" if value else "")

    return _NAMED.sub(flag, message)


@contextmanager
def errors_with_flags(side: str = "") -> Iterator[None]:
    """Make errors name flags instead of arguments; see `as_flags`."""
    try:
        yield
    except ValueError as error:
        error.args = (as_flags(str(error), side), *error.args[1:])
        raise


def add_transcribing(group: _ArgumentGroup) -> None:
    """Add options for reading words with times."""
    group.add_argument(
        "--missing",
        choices=("interpolate", "error"),
        help="words of the transcript without times get some from their neighbours, or end the run "
        "(default: interpolate)",
    )
    group.add_argument(
        "--fillers", choices=("keep", "drop"), help="words such as uh in the transcript (default: keep)"
    )
    group.add_argument(
        "--overlap",
        choices=OVERLAPS,
        help="words that overlap by more than 0.02 s are an error, or end where the next one starts, and are "
        f"counted (default: {OVERLAPS[0]})",
    )
    group.add_argument(
        "--silences",
        nargs="+",
        action="extend",
        metavar="LABEL",
        help="labels that are no words, besides those that are known, such as sil and [noise]",
    )
    group.add_argument(
        "--words-encoding",
        type=inputs.encoding,
        metavar="NAME",
        help="of words and marks, such as gb18030 (default: UTF-8, or as a file's mark or XML declaration "
        "says)",
    )


def add_aligning(parser: argparse.ArgumentParser) -> None:
    """Add options for finding words in a recording."""
    group = parser.add_argument_group("options of forced alignment")
    group.add_argument(
        "--aligner",
        metavar="NAME",
        help="pocketsphinx, ctc, which needs --model, mms, which needs torchaudio, or your own as "
        "module:name; the module may be in the current folder (default: pocketsphinx)",
    )
    group.add_argument(
        "--model", metavar="FOLDER", help="of --aligner ctc: model.onnx, vocab.json and settings"
    )
    group.add_argument(
        "--min-confidence",
        type=arguments.share,
        metavar="X",
        help="from 0 to 1: trees with a lower confidence are refused as those of another recording; 0 "
        "refuses none (default: the aligner's own)",
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
        help="where each tree is in the recording: a table with start and end in seconds, segments of Kaldi, "
        "STM, RTTM, or a tier of utterances of a TextGrid or an ELAN file; with folders, a folder of such "
        "files, or one that names the recordings",
    )
    group.add_argument(
        "--recording",
        metavar="NAME",
        help="its name in the marks (default: as the file of --audio, without its folder and suffix)",
    )


def add_projecting(parser: argparse.ArgumentParser) -> None:
    """Add options for putting times on leaves."""
    group = parser.add_argument_group("options of the projection")
    group.add_argument(
        "--silent",
        choices=SILENT,
        default=SILENT[0],
        help="leaves without sound, as punctuation and traces: remove them and nodes they empty, or give "
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
        help="least share of the characters of each tree, from 0 to 1, that must match; others fail one by "
        f"one (default: {MIN_TREE_MATCH:g})",
    )
    group.add_argument(
        "--language",
        default=ENGLISH,
        metavar="CODE",
        help=f"which numbers and signs are read out in: {', '.join(LANGUAGES)}; in others they are left "
        f"alone (default: {ENGLISH})",
    )


def check_marks(args: argparse.Namespace, several: bool) -> None:
    """Refuse a name of the recording if there are no marks, or if there are many recordings."""
    if args.recording is not None and (args.marks is None or several):
        what = "one recording; with folders, marks go by the names of the files" if several else "--marks"
        args.parser.error(f"--recording is for {what}")


def list_warnings(summary: Summary) -> str:
    """Return the warnings about recordings, a line each."""
    return "".join(f"WARNING: {path}: {warning}\n" for path, warning in summary.warnings.items())


def given(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the options that have a value."""
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def settings_of(
    args: argparse.Namespace,
    *,
    format: str | None = None,
    tier: str | None = None,
    speaker: str | None = None,
    sound: bool = False,
    on_error: str = ON_ERROR[0],
) -> Settings:
    """Return the settings of jobs from the options.

    Args:
        args: The arguments, with all options.
        format: The format of the words.
        tier: The tier of words or marks.
        speaker: The speaker of words or marks, perhaps after the speaker's code in the treebank and an equals
            sign; with sound and without marks, the code alone, or the code and the channel.
        sound: Whether words are looked for in sound.
        on_error: The treatment of trees that cannot be projected.
    """
    reading = inputs.reading_of(args)
    audio = given(args, AUDIO_OPTIONS)
    code, equals, name = (speaker or "").partition("=")
    if equals and not (code and name):
        args.parser.error(f"--speaker {speaker}: write it as CODE=NAME, such as A=IVR")
    if equals:
        speaker = name
    elif sound and args.marks is None:
        speaker = None
    if equals and sound and args.marks is None:
        if not name.isdecimal() or args.channel not in (None, int(name)):
            args.parser.error(
                f"--speaker {code}={name}: with --audio, {name} is a channel, from 1; give it once"
            )
        audio["channel"], speaker = int(name), None
    whose = {name: value for name, value in (("tier", tier), ("speaker", speaker)) if value is not None}
    encoding = {} if args.words_encoding is None else {"encoding": args.words_encoding}
    words = {**whose, **encoding, **given(args, ("missing", "fillers", "overlap"))}
    if format is not None:
        words["format"] = format
    if args.silences is not None:
        words["silences"] = [*SILENCES, *args.silences]
    return Settings(
        {name: getattr(reading, name) for name in ("layout", "format", "encoding", "discontinuous")},
        words,
        audio,
        {name: getattr(args, name) for name in _PROJECTION_OPTIONS},
        on_error,
        {**whose, **encoding, **given(args, ("recording",))},
        code if equals or (sound and args.marks is None and code) else None,
    )
