"""What a corpus loses, by cause, by class of error and by what was confused: tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..metrics.struct_iou.losses import CAUSES
from ..terminal import NO_LABEL, lay_out, printable
from .text import NONE

if TYPE_CHECKING:
    from ..analysis.errors import MoveReport
    from ..metrics.struct_iou.losses import LossSums
    from ..metrics.struct_iou.result import CorpusScore

    Table = tuple[str, list[list[str]], str]  # title, rows with the head first, sides of the columns

CONFUSED = "prediction"  # the head of the first column where something is confused

# What is confused, by the attribute of `Losses`.
_CONFUSIONS = {
    "labels": "labels confused",
    "tags": "tags confused",
}


def write_why(result: CorpusScore, moves: MoveReport | None = None, *, top: int = 10) -> str:
    """All tables.

    Args:
        result: What STRUCT-IoU found.
        moves: The moves of the same rows, if they were searched for.
        top: How many confusions of each kind, and sites of attachments, to list.
    """
    return "\n".join(map(_laid_out, why_tables(result, moves, top=top)))


def write_causes(result: CorpusScore) -> str:
    """The table of causes alone."""
    return _laid_out(cause_table(result))


def _laid_out(table: Table) -> str:
    title, rows, sides = table
    return "\n".join([*([title] if title else []), lay_out(rows, sides), ""])


def why_tables(result: CorpusScore, moves: MoveReport | None = None, *, top: int = 10) -> list[Table]:
    """The tables as rows of cells, for any kind of output."""
    tables = [cause_table(result)]
    if moves is not None:
        tables += class_tables(moves, top)
    return tables + confusion_tables(result.losses, top)


def cause_table(result: CorpusScore) -> Table:
    """What is lost by each cause that costs anything: nodes, their share, the corpus level, and rows."""
    losses = result.losses
    rows = [["cause", "nodes lost", "share", "STRUCT-IoU", "rows", "what it is"]]
    by_cause = sorted(losses.by_cause.items(), key=lambda item: -item[1])
    for cause, mass in by_cause:
        if mass:
            n_rows = sum(map(bool, losses.columns[cause]))
            rows.append([*_shares(result, cause, mass), f"{n_rows:,}", CAUSES[cause]])
    rows.append([*_shares(result, "all", losses.total), f"{_rows_lost(result):,}", ""])
    return f"{result.metric.title}, corpus level {result.corpus:.4f}: what is lost", rows, "<>>>><"


def loss_rows(losses: LossSums) -> list[list[str]]:
    """What is lost by each cause that costs anything, the head first: nodes, their share, what it is."""
    rows = [["cause", "nodes lost", "share", "what it is"]]
    by_cause = sorted(losses.by_cause.items(), key=lambda item: -item[1])
    rows += [[*_share(losses, cause, mass), CAUSES[cause]] for cause, mass in by_cause if mass]
    return [*rows, [*_share(losses, "all", losses.total), ""]]


def _shares(result: CorpusScore, name: str, mass: float) -> list[str]:
    return [*_share(result.losses, name, mass), f"-{result.loss_share(mass):.4f}"]


def _share(losses: LossSums, name: str, mass: float) -> list[str]:
    return [name, f"{mass:,.2f}", f"{mass / losses.total:.1%}" if losses.total else NONE]


def _rows_lost(result: CorpusScore) -> int:
    return sum(map(any, zip(*result.losses.columns.values(), strict=True)))


def class_tables(moves: MoveReport, top: int) -> list[Table]:
    """What moves explain, where phrases hang, and which rows were not searched for any."""
    rows = [["error", "moves", "rows", "sentence mean", "corpus level"]]
    for name, total in moves.classes.items():
        rows.append(
            [name, f"{total.events:,}", f"{total.rows:,}", f"{total.gain:+.4f}", f"{total.corpus_gain:+.4f}"]
        )
    tables: list[Table] = []
    if len(rows) > 1:
        title = f"what moves towards the reference would gain, by class of error ({moves.style} labels)"
        tables.append((title, rows, "<>>>>"))
    if moves.sites and top:
        rows = [["error", "hangs on", "should hang on", "moves", "nodes lost"]]
        sites = list(moves.sites.items())
        for (error, *labels), site in sites[:top]:
            shown = [printable(label) or NO_LABEL for label in labels]
            rows.append([error, *shown, f"{site.events:,}", f"{site.mass:,.2f}"])
        if rest := [site for _, site in sites[top:]]:
            n_moves, mass = sum(site.events for site in rest), sum(site.mass for site in rest)
            rows.append(["…", f"{len(rest):,} more", "", f"{n_moves:,}", f"{mass:,.2f}"])
        tables.append(("where a phrase hangs, and where it should", rows, "<<<>>"))
    if moves.not_analysed:
        reasons = [["row", "not searched for moves, because"]]
        reasons += [[str(row + 1), printable(reason)] for row, reason in moves.not_analysed[:5]]
        if len(moves.not_analysed) > 5:
            reasons.append(["…", f"{len(moves.not_analysed) - 5:,} more"])
        tables.append(("", reasons, "><"))
    return tables


def confusion_tables(losses: LossSums, top: int) -> list[Table]:
    """What was confused most, of each kind that there is."""
    found: dict[str, Mapping[tuple[str, str], float]] = {
        title: getattr(losses, name) for name, title in _CONFUSIONS.items()
    }
    return [_confusion_table(title, pairs, top) for title, pairs in found.items() if pairs and top]


def _confusion_table(title: str, found: Mapping[tuple[str, str], float], top: int) -> Table:
    rows = [[CONFUSED, "reference", "nodes lost"]]
    for (predicted, wanted), mass in list(found.items())[:top]:
        rows.append([printable(predicted) or NO_LABEL, printable(wanted) or NO_LABEL, f"{mass:,.2f}"])
    if len(found) > top:
        rest = sum(list(found.values())[top:])
        rows.append(["…", f"{len(found) - top:,} more", f"{rest:,.2f}"])
    return title, rows, "<<>"


def move_lines(moves: MoveReport, row: int) -> list[str]:
    """The moves of a row with their classes, a line each; or why there are none."""
    found = moves.moves(row)
    return [f"{move.error}: {move.describe()}" for move in found] or moves.describe(row)


def sentence_lines(lines: Sequence[str], title: str) -> str:
    """A title, and lines below it that are indented."""
    return "\n".join([title, *(f"  {printable(line)}" for line in lines)])
