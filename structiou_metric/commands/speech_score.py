"""`structiou speech-score`: score text trees over the times of recordings."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..optional import look_here
from ..sources.documents import Documents
from ..sources.rows import ListRows
from ..speech.corpora.finding import is_several
from ..speech.corpora.run import CorpusError, tell_failure
from ..speech.corpora.sides import (
    Side,
    failed_stretches,
    is_within,
    pair_sides,
    project_side,
    sentences_pair,
)
from ..speech.languages import check_language, warn_of_model
from ..speech.readers.formats import FORMATS
from ..trees.tree import SegmentTree
from ..wording import count
from . import arguments, inputs
from .score import add_scoring, write_scores
from .speech_options import (
    AUDIO_OPTIONS,
    add_aligning,
    add_projecting,
    add_transcribing,
    as_flags,
    check_marks,
    errors_with_flags,
    given,
    list_warnings,
    settings_of,
)

USAGE = "--gold TREES [--audio FILE | --gold-words FILE] --predicted TREES [--predicted-words FILE] [options]"
DESCRIPTION = (
    "Projects gold trees onto a recording, or onto words with times, and predicted trees onto the words of "
    "the recogniser that they were made of; then scores them over time. Where the sentences of the two sides "
    "do not pair up, each recording is compared as a document."
)
EPILOG = """\
examples:
  structiou speech-score --gold gold.mrg --audio talk.wav --predicted parsed.txt --predicted-words asr.json
  structiou speech-score --gold gold/ --gold-words grids/ --predicted parsed/ --predicted-words asr/ --json
  structiou speech-score --gold gold.timed --predicted parsed.txt --predicted-words asr.ctm --labels base
"""

_PAIRS = {
    "auto": "sentences, if both sides have the same number, each mostly at its partner's time; else "
    "documents",
    "sentences": "a sentence with the one in the same place",
    "documents": "all sentences of a recording with all of the other side",
}
_WORD_OPTIONS = ("format", "tier", "speaker")


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--gold", metavar="TREES", required=True, help="reference trees: a treebank, or a folder of such"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--audio", metavar="FILE", help="recording, or a folder of such, with the words of the gold trees"
    )
    source.add_argument(
        "--gold-words",
        metavar="FILE",
        help="words of the gold trees with their times, or a folder of such (default: the trees have times)",
    )
    parser.add_argument(
        "--predicted", metavar="TREES", required=True, help="predicted trees: a treebank, or a folder of such"
    )
    parser.add_argument(
        "--predicted-words",
        metavar="FILE",
        help="words of the recogniser with their times, or a folder of such (default: the trees have times)",
    )
    ways = "; ".join(f"{way}: {meaning}" for way, meaning in _PAIRS.items())
    parser.add_argument(
        "--pair", choices=_PAIRS, default="auto", help=f"the unit of comparison. {ways} (default: auto)"
    )
    group = parser.add_argument_group("options of word times")
    for side in ("gold", "predicted"):
        group.add_argument(
            f"--{side}-format",
            choices=FORMATS,
            metavar="NAME",
            help=f"of --{side}-words, as project's --format (default: look at the file)",
        )
        group.add_argument(
            f"--{side}-tier", metavar="NAME", help="tier of a TextGrid, an MFA or an ELAN file"
        )
        group.add_argument(
            f"--{side}-speaker",
            metavar="NAME",
            help="whose words and trees, where there are several speakers, as project's --speaker",
        )
    add_transcribing(group)
    add_aligning(parser)
    add_projecting(parser)
    inputs.add_reading(parser, format="--tree-format")
    add_scoring(parser, argv, fixed={"unit": "time"})


@errors_with_flags()
def run(args: argparse.Namespace) -> str:
    """Project both sides, and score them."""
    parser: argparse.ArgumentParser = args.parser
    args.reference, args.prediction = args.gold, args.predicted
    metrics = arguments.metrics_of(args)
    inputs.check_stdin(
        parser, args.gold, args.predicted, args.audio, args.gold_words, args.predicted_words, args.marks
    )
    if args.audio is None:
        for name in given(args, (*AUDIO_OPTIONS, "marks", "recording")):
            parser.error(f"--{name.replace('_', '-')} needs --audio")
    check_marks(args, is_several(args.audio))
    args.language = check_language(args.language)
    if args.audio is not None:
        warn_of_model(args.aligner, args.language)
        look_here()
    gold = _project(args, "gold", args.audio or args.gold_words)
    predicted = _project(args, "predicted", args.predicted_words)
    failed = [row for side in (gold, predicted) if side.summary for row in side.summary.failed]
    for side in (gold, predicted):
        if side.n_failed == side.n_trees > 0:
            raise _no_score(f"all {side.title} trees failed", failed)
    pairs = pair_sides(gold, predicted)
    documents = args.pair == "documents" or (
        args.pair == "auto" and not sentences_pair(gold, predicted, pairs)
    )
    compared = (_documents if documents else _sentences)(gold, predicted, pairs)
    if failed and not compared.n_gold:
        raise _no_score("of each sentence either the gold or the predicted tree failed", failed)
    more = {"projection": _as_dict(gold, predicted, compared)}
    text = write_scores(args, metrics, lambda: compared.rows, documents, kind="speech-score", more=more)
    if not args.json and not args.latex:
        text = f"{_describe(gold, predicted, compared)}\n{text}"
    if failed:
        raise CorpusError(failed, gold.n_failed + predicted.n_failed, gold.n_trees + predicted.n_trees, text)
    return text


def _no_score(why: str, failed: Sequence[tuple[str, str]]) -> ValueError:
    lines = [f"  {tell_failure(name, reason)}" for name, reason in failed]
    return ValueError("\n".join([f"{why}, so there is no score:", *lines]))


def _project(args: argparse.Namespace, side: str, source: str | None) -> Side:
    is_sound = side == "gold" and args.audio is not None
    words = {name: getattr(args, f"{side}_{name}") for name in _WORD_OPTIONS}
    for name, value in words.items():
        # Marks may have tiers, too; the speaker of a recording is one of the treebank's codes.
        marked = is_sound and (name == "speaker" or (args.marks is not None and name != "format"))
        if value is not None and not marked and (source is None or is_sound):
            args.parser.error(f"--{side}-{name} needs --{side}-words")
    with errors_with_flags(side):
        found = project_side(
            side,
            getattr(args, side),
            source,
            settings_of(args, **words, sound=is_sound),
            sound=is_sound,
            marks=args.marks if is_sound else None,
            workers=args.workers,
            progress=not args.quiet,
        )
    if found.summary is None:
        return found
    failed = tuple((name, as_flags(reason, side)) for name, reason in found.summary.failed)
    return found._replace(summary=found.summary._replace(failed=failed))


# ---- what is compared ----------------------------------------------------------------------------


class _Compared(NamedTuple):
    """The rows to score.

    Attributes:
        rows: The rows of gold and predicted trees.
        documents: Whether a row is a recording, and not a sentence.
        n_gold: The number of gold trees in the rows.
        n_predicted: The number of predicted trees in the rows.
        n_left_out: The number of predicted trees left out because the gold trees at their times failed.
    """

    rows: Sequence[ListRows | Documents]
    documents: bool
    n_gold: int
    n_predicted: int
    n_left_out: int


def _sentences(gold: Side, predicted: Side, pairs: Sequence[tuple[str, str]]) -> _Compared:
    """Pair the sentences of both sides, without pairs in which either sentence failed."""
    kept: list[list[tuple[SegmentTree, str]]] = [[], []]
    n_left_out = 0
    for a, b in pairs:
        ones, others = gold.recordings[a], predicted.recordings[b]
        if len(ones) != len(others):
            raise ValueError(
                f"{a}: {count(len(ones), 'gold tree')}, {count(len(others), 'predicted tree')}; sentences "
                "cannot be paired, so compare documents (--pair documents)"
            )
        for n, (one, other) in enumerate(zip(ones, others, strict=True)):
            if one is not None and other is not None:
                kept[0].append((one, gold.names[a][n]))
                kept[1].append((other, predicted.names[b][n]))
            n_left_out += one is None and other is not None
    rows = [_rows(trees, side.title) for trees, side in zip(kept, (gold, predicted), strict=True)]
    return _Compared(rows, False, len(kept[0]), len(kept[1]), n_left_out)


def _documents(gold: Side, predicted: Side, pairs: Sequence[tuple[str, str]]) -> _Compared:
    """Pair the recordings of both sides, each with all of its trees that did not fail.

    Predicted trees are left out at the times of failed gold trees, because there is nothing to compare them
    with. Recordings are left out if all their gold trees failed.
    """
    kept: list[list[list[tuple[SegmentTree, str]]]] = [[], []]
    ids = []
    n_left_out = 0
    for a, b in pairs:
        stretches = failed_stretches(gold, a)
        ones = _done(gold, a)
        others = _done(predicted, b)
        scored = [(tree, name) for tree, name in others if not is_within(tree, stretches)]
        if not ones and gold.recordings[a]:
            scored = []
        n_left_out += len(others) - len(scored)
        if ones or not gold.recordings[a]:
            kept[0].append(ones)
            kept[1].append(scored)
            ids.append(a)
    found = []
    for side, documents in zip((gold, predicted), kept, strict=True):
        rows = _rows([tree for document in documents for tree in document], side.title)
        found.append(Documents(rows, list(map(len, documents)), ids))
    n_gold, n_predicted = (sum(map(len, documents)) for documents in kept)
    return _Compared(found, True, n_gold, n_predicted, n_left_out)


def _done(side: Side, recording: str) -> list[tuple[SegmentTree, str]]:
    """Return the trees of a recording that did not fail, with their names."""
    trees = zip(side.recordings[recording], side.names[recording], strict=True)
    return [(tree, name) for tree, name in trees if tree is not None]


def _rows(trees: Sequence[tuple[SegmentTree, str]], title: str) -> ListRows:
    return ListRows([tree for tree, _ in trees], title, names=lambda row: trees[row][1])


# ---- the report --------------------------------------------------------------------------------


def _describe(gold: Side, predicted: Side, compared: _Compared) -> str:
    parts = []
    for side in (gold, predicted):
        if side.summary is None:
            parts.append(f"{side.title}: {count(side.n_trees, 'tree')} with times\n")
        else:
            n_failed = f", {side.summary.n_failed} failed" if side.summary.n_failed else ""
            recordings = count(len(side.recordings), "recording")
            totals = side.summary.total.describe(with_match=not side.is_sound) + list_warnings(side.summary)
            parts.append(f"{side.title}: {recordings}{n_failed}\n{totals}")
    how = f"compared sentence by sentence: {count(compared.n_gold, 'pair')}"
    if compared.documents:
        how = (
            f"compared as {count(len(compared.rows[0]), 'document')}: {compared.n_gold} sentences, "
            f"{compared.n_predicted} predicted"
        )
    left_out = ""
    if compared.n_left_out:
        trees = count(compared.n_left_out, "predicted tree")
        left_out = f"WARNING: left out where gold trees failed: {trees}\n"
    return "\n".join([*parts, f"{how}\n{left_out}"])


def _as_dict(gold: Side, predicted: Side, compared: _Compared) -> dict[str, Any]:
    sides: dict[str, Any] = {}
    for side in (gold, predicted):
        sides[side.title] = {"n_trees": side.n_trees, "n_recordings": len(side.recordings)}
        if side.summary is not None:
            failed = [{"name": name, "reason": reason} for name, reason in side.summary.failed]
            warnings = dict(side.summary.warnings)
            sides[side.title] |= {
                "total": side.summary.total.as_dict(),
                "failed": failed,
                "warnings": warnings,
            }
    return {
        "compared": "documents" if compared.documents else "sentences",
        "n_left_out": compared.n_left_out,
        **sides,
    }
