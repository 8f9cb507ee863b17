"""ParsEval as text: the table and the summary that EVALB prints, so that people and scripts recognise it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..metrics.base import ERROR
from ..metrics.parseval.result import ParsevalScore
from ..terminal import NO_LABEL, cells, isolated, printable
from ..wording import count, list_problems

if TYPE_CHECKING:
    from ..metrics.parseval.listing import Side

_HEAD = (
    "  Sent.                        Matched  Bracket   Cross        Correct Tag",
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy",
)
_RULE = "=" * 76


def write_report(
    score: ParsevalScore,
    *,
    per_sentence: bool = True,
    listing: Iterable[tuple[Side, Side]] | None = None,
) -> str:
    """Return the report on a score: with `compat` EVALB's to the byte, else with problems and signature.

    Args:
        score: The result of ParsEval.
        per_sentence: Whether a table with a row for each sentence comes before the summary.
        listing: The words and brackets of each sentence, as `list_pairs` gives them; EVALB's `-d`.
    """
    compat = score.metric.options.compat
    lines = [*_rows(score, listing), *_sums(score)] if per_sentence else []
    lines += ["=== Summary ===", "", "-- All --", *_summary(score.total, compat)]
    lines += ["", f"-- len<={score.parameters.cutoff} --", *_summary(score.short, compat)]
    if not compat:
        lines += ["", *_problems(score), score.signature]
    return "\n".join([*lines, ""])


def write_rows(score: ParsevalScore, listing: Iterable[tuple[Side, Side]] | None = None) -> str:
    """Return the lines of all sentences, which EVALB has printed before it stops for too many errors."""
    return "\n".join([*_rows(score, listing), ""])


def _percent(part: int, whole: int) -> float:
    """Return a share in percent, in EVALB's order of operations, so that the last digit is the same."""
    return 100.0 * part / whole if whole else 0.0


def write_line(score: ParsevalScore, name: str, *, short: bool = False) -> str:
    """Return one line on a score, as EVALB_SPMRL writes it with `-L`; with `compat`, below the table.

    The program writes recall as precision, and precision as recall; this is repeated only with `compat`.

    Args:
        score: The result of ParsEval.
        name: The name of the predictions.
        short: Whether the line is about sentences up to the cutoff length only, as with `-l`.
    """
    compat = score.metric.options.compat
    total = score.short if short else score.total
    recall, precision = (
        _percent(total["matched"], total["n_ref"]),
        _percent(total["matched"], total["n_pred"]),
    )
    shares = (recall, precision) if compat else (precision, recall)
    parts = [f"F1: {_f_measure(recall, precision, compat)} %"]
    parts += [f"{title}: {share:6.2f} %" for title, share in zip(("Prec", "Rec"), shares, strict=True)]
    parts += [
        f"POS: {_percent(total['correct_tags'], total['words']):6.2f} %",
        f"EX: {_percent(total['n_complete'], total['n_valid']):6.2f} %",
        f"Unparsed: {total['n_skipped'] + total['n_errors']:6d}",
        f"Sent: {total['n_sentences']:6d}",
        f"file: {name}",
    ]
    return "\n".join([*(_rows(score, None) if compat else ()), "\t".join(parts), ""])


def write_labels(score: ParsevalScore) -> str:
    """Return a table of the labels of brackets, the most frequent in the reference first."""
    lines = ["label        F1    Prec.   Recal   gold   test   Cross"]
    for label, tally in score.by_label.items():
        shares = "  ".join(f"{100 * value:6.2f}" for value in (tally.score, tally.precision, tally.recall))
        lines.append(f"{_shown(label)} {shares} {tally.n_ref:6d} {tally.n_pred:6d} {tally.crossing:7d}")
    return "\n".join([*lines, ""])


def write_confusions(score: ParsevalScore, most: int) -> str:
    """Return tables of the most frequent confusions of labels over the same words, and of tags."""
    lines: list[str] = []
    for title, found in (("labels", score.confusions), ("tags", score.tag_confusions)):
        lines += [f"-- {title}: reference, prediction, how often --", *_confusions(found, most), ""]
    return "\n".join(lines)


def _confusions(found: Mapping[tuple[str, str], int], most: int) -> Iterator[str]:
    for (ref, pred), n in [*found.items()][:most]:
        yield f"{_shown(ref)} {_shown(pred)} {n:6d}"
    if len(found) > most:
        yield f"and {count(len(found) - most, 'more pair')}"


def _shown(label: str) -> str:
    """Return a label in a column of a table."""
    text = printable(label) or NO_LABEL
    return isolated(text) + " " * (8 - cells(text))


def write_more(score: ParsevalScore) -> str:
    """Return figures that EVALB does not print: unlabelled ones, and means over sentences."""
    figures = score.figures
    keys = (
        "parseval_sentence_f1",
        "parseval_unlabeled_recall",
        "parseval_unlabeled_precision",
        "parseval_unlabeled_f1",
        "parseval_unlabeled_sentence_f1",
    )
    measures = score.metric.MEASURES
    lines = [f"{measures[key].title:<28} = {100 * figures[key]:6.2f}" for key in keys]
    return "\n".join([*lines, ""])


def _rows(score: ParsevalScore, listing: Iterable[tuple[Side, Side]] | None) -> Iterator[str]:
    yield from (*_HEAD, _RULE)
    if listing is None:
        yield from _table(score)
        return
    listed = iter(listing)
    for place, (row, line) in enumerate(zip(score.rows, _table(score), strict=True), 1):
        yield line
        if place == len(score) or score.rows[place] != row:
            yield from _listing(*next(listed))


def _table(score: ParsevalScore) -> Iterator[str]:
    """Return the lines of all rows, made column by column, because most cells of a column are the same."""
    names = ("length", "matched", "n_ref", "n_pred", "crossing", "words", "correct_tags")
    lengths, matched, n_ref, n_pred, crossing, words, tags = (score.columns[name] for name in names)
    cells = (
        [str(row + 1).rjust(4) for row in score.rows],
        _numbers("  %3d", lengths),
        _numbers("    %d", score.status),
        _percents("  %6.2f", matched, n_ref),
        _percents(" %6.2f", matched, n_pred),
        _numbers("   %3d", matched),
        _numbers("    %3d", n_ref),
        _numbers("  %3d", n_pred),
        _numbers("    %3d", crossing),
        _numbers("   %4d", words),
        _numbers("  %4d", tags),
        _percents("   %6.2f", tags, words),
    )
    return map("".join, zip(*cells, strict=True))


def _numbers(form: str, numbers: Sequence[int]) -> Iterator[str]:
    texts = {number: form % number for number in set(numbers)}
    return map(texts.__getitem__, numbers)


def _percents(form: str, parts: Sequence[int], wholes: Sequence[int]) -> Iterator[str]:
    texts = {pair: form % _percent(*pair) for pair in set(zip(parts, wholes, strict=True))}
    return map(texts.__getitem__, zip(parts, wholes, strict=True))


def _listing(ref: Side, pred: Side) -> Iterator[str]:
    """Return the words and brackets of both sides of a sentence next to each other."""
    head = [
        f"-<{n}>---(wn{n}={len(s.words):3d}, bn{n}={len(s.brackets):3d})-" for n, s in ((1, ref), (2, pred))
    ]
    yield f"{head[0]}           {head[1]}"
    for parts, write, blank in (("words", _word, " " * 40), ("brackets", _bracket, " " * 32)):
        ours, theirs = getattr(pred, parts), getattr(ref, parts)
        for i in range(max(len(ours), len(theirs))):
            left = write(i, theirs[i]) + "      " if i < len(theirs) else blank
            yield left + (write(i, ours[i]) if i < len(ours) else "")
        yield ""
    yield "========"


def _word(i: int, word: tuple[str, str, int]) -> str:
    tag, text, result = word
    return f"{i:3d} : {result} : {_padded(tag, 6)}  {_padded(text, 16)}"


def _bracket(i: int, bracket: tuple[int, int, str, int]) -> str:
    start, end, label, result = bracket
    return f"{i:3d} : {result} : {start:3d}  {end:3d}  {_padded(label, 6)}"


def _padded(text: str, width: int) -> str:
    """Return a text with blanks up to a width, which C counts in bytes."""
    return text + " " * (width - len(text.encode("utf-8", "surrogatepass")))


def _sums(score: ParsevalScore) -> Iterator[str]:
    total = score.total
    yield _RULE
    brackets = ""
    if total["n_ref"] and total["n_pred"]:
        brackets = (
            f"                {_percent(total['matched'], total['n_ref']):6.2f} "
            f"{_percent(total['matched'], total['n_pred']):6.2f} {total['matched']:6d} {total['n_ref']:5d} "
            f"{total['n_pred']:5d}  {total['crossing']:5d}"
        )
    yield (
        f"{brackets}  {total['words']:5d} {total['correct_tags']:5d}   "
        f"{_percent(total['correct_tags'], total['words']):6.2f}"
    )


def _f_measure(recall: float, precision: float, compat: bool) -> str:
    if precision + recall:
        return f"{2 * precision * recall / (precision + recall):6.2f}"
    return "  -nan" if compat else "  0.00"


def _summary(total: Mapping[str, Any], compat: bool) -> Iterator[str]:
    n_valid = total["n_valid"]
    yield f"Number of sentence        = {total['n_sentences']:6d}"
    yield f"Number of Error sentence  = {total['n_errors']:6d}"
    yield f"Number of Skip  sentence  = {total['n_skipped']:6d}"
    yield f"Number of Valid sentence  = {n_valid:6d}"
    recall, precision = (
        _percent(total["matched"], total["n_ref"]),
        _percent(total["matched"], total["n_pred"]),
    )
    yield f"Bracketing Recall         = {recall:6.2f}"
    yield f"Bracketing Precision      = {precision:6.2f}"
    yield f"Bracketing FMeasure       = {_f_measure(recall, precision, compat)}"
    yield f"Complete match            = {_percent(total['n_complete'], n_valid):6.2f}"
    yield f"Average crossing          = {total['average_crossing']:6.2f}"
    yield f"No crossing               = {_percent(total['n_no_crossing'], n_valid):6.2f}"
    yield f"2 or less crossing        = {_percent(total['n_two_or_less_crossing'], n_valid):6.2f}"
    yield f"Tagging accuracy          = {_percent(total['correct_tags'], total['words']):6.2f}"


def _problems(score: ParsevalScore) -> Iterator[str]:
    if not score.problems:
        return
    errors = {row for row, status in zip(score.rows, score.status, strict=True) if status == ERROR}
    problems = sorted(score.problems, key=lambda problem: problem[0] not in errors)  # errors come first
    yield from list_problems(problems, len(problems))
    if score.stops_at is not None:
        yield (
            f"EVALB would have stopped at row {score.stops_at + 1} without a summary (MAX_ERROR "
            f"{score.parameters.max_error})"
        )
