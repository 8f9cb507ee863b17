"""Tables of the losses of a corpus, by cause, by class of error and by confusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..drawing.latex import comment
from ..metrics.struct_iou.losses import CAUSES
from ..terminal import NO_LABEL, printable
from .tables import NONE, Cell, Table

if TYPE_CHECKING:
    from ..analysis.errors import MoveReport
    from ..metrics.struct_iou.losses import LossSums
    from ..metrics.struct_iou.result import CorpusScore

# The kinds of confusion, by the attribute of `Losses`.
_CONFUSIONS = {
    "labels": "labels confused",
    "tags": "tags confused",
}


def write_why(result: CorpusScore, moves: MoveReport | None = None, *, top: int = 10) -> str:
    """Return all tables for a terminal.

    Args:
        result: The result of STRUCT-IoU.
        moves: The moves of the same rows, if they were searched for.
        top: The number of confusions of each kind, and of sites of attachments, to list.
    """
    return "\n\n".join(table.as_text() for table in _why_tables(result, moves, top)) + "\n"


def write_causes(result: CorpusScore) -> str:
    """Return the table of causes alone for a terminal."""
    return f"{cause_table(result).as_text()}\n"


def write_why_latex(
    result: CorpusScore, moves: MoveReport | None = None, *, top: int = 10, remarks: Sequence[str] = ()
) -> str:
    """Return the same tables as LaTeX, without the meaning of causes, which is too wide for a page.

    >>> from structiou_metric import StructIoU
    >>> source = write_why_latex(StructIoU().corpus_score(["(S (A a))"], ["(S (B a))"]))
    >>> "tag & " in source
    True

    Args:
        result: The result of STRUCT-IoU.
        moves: The moves of the same rows, if they were searched for.
        top: The number of confusions of each kind, and of sites of attachments, to list.
        remarks: Remarks for a comment at the top, such as warnings.
    """
    _, *others = _why_tables(result, moves, top)
    tables = [write_causes_latex(result), *(table.as_latex(comments=[result.signature]) for table in others)]
    return "\n".join([*([comment(remarks)] if remarks else []), *tables])


def write_causes_latex(result: CorpusScore) -> str:
    """Return the table of causes alone as LaTeX, without their meaning."""
    causes = cause_table(result)
    narrow = Table(causes.title, causes.head[:-1], [row[:-1] for row in causes.rows], causes.sides)
    return narrow.as_latex(comments=[result.signature])


def _why_tables(result: CorpusScore, moves: MoveReport | None, top: int) -> list[Table]:
    moved = [] if moves is None else class_tables(moves, top)
    return [cause_table(result), *moved, *confusion_tables(result.losses, top)]


def cause_table(result: CorpusScore, *, below: bool = False) -> Table:
    """Return the losses by cause: nodes, their share, the corpus level, and rows.

    Causes without losses are left out. The meaning of a cause is in the last column, or below its name.
    """
    losses = result.losses
    rows: list[Sequence[str | Cell]] = []
    for name, mass, nodes, share, meaning in _cause_rows(losses):
        columns = losses.columns.values() if name == "all" else [losses.columns[name]]
        n_rows = sum(map(any, zip(*columns, strict=True)))
        cells = [nodes, share, f"-{result.loss_share(mass):.4f}", f"{n_rows:,}"]
        rows.append([Cell(name, small=meaning), *cells] if below else [name, *cells, meaning])
    title = f"{result.metric.title}, corpus level {result.corpus:.4f}: what is lost"
    head = ["cause", "nodes lost", "share", "STRUCT-IoU", "rows", *([] if below else ["what it is"])]
    return Table(title, head, rows, "<>>>>" if below else "<>>>><")


def loss_table(losses: LossSums) -> Table:
    """Return the losses by cause, without causes that cost nothing: nodes and their share."""
    found = _cause_rows(losses)
    rows: list[Sequence[str | Cell]] = [
        [Cell(name, small=meaning), nodes, share] for name, _, nodes, share, meaning in found
    ]
    return Table("", ["cause", "nodes lost", "share"], rows)


def _cause_rows(losses: LossSums) -> list[tuple[str, float, str, str, str]]:
    """Return each cause that costs anything, the costliest first, and their total."""
    by_cause = sorted(losses.by_cause.items(), key=lambda item: -item[1])
    found = [(cause, mass, CAUSES[cause]) for cause, mass in by_cause if mass]
    return [
        (name, mass, f"{mass:,.2f}", f"{mass / losses.total:.1%}" if losses.total else NONE, meaning)
        for name, mass, meaning in [*found, ("all", losses.total, "")]
    ]


def class_tables(moves: MoveReport, top: int) -> list[Table]:
    """Return the explanations by moves, the places of attachments, and the rows that were not searched."""
    rows = [
        [name, f"{total.events:,}", f"{total.rows:,}", f"{total.gain:+.4f}", f"{total.corpus_gain:+.4f}"]
        for name, total in moves.classes.items()
    ]
    tables = []
    if rows:
        title = f"what moves towards the reference would gain, by class of error ({moves.style} labels)"
        tables.append(Table(title, ["error", "moves", "rows", "sentence mean", "corpus level"], rows))
    if moves.sites and top:
        sites = list(moves.sites.items())
        rows = [
            [error, *(label or NO_LABEL for label in labels), f"{site.events:,}", f"{site.mass:,.2f}"]
            for (error, *labels), site in sites[:top]
        ]
        if rest := [site for _, site in sites[top:]]:
            n_moves, mass = sum(site.events for site in rest), sum(site.mass for site in rest)
            rows.append(["…", f"{len(rest):,} more", "", f"{n_moves:,}", f"{mass:,.2f}"])
        head = ["error", "hangs on", "should hang on", "moves", "nodes lost"]
        tables.append(Table("where a phrase hangs, and where it should", head, rows, "<<<>>"))
    if moves.not_analysed:
        reasons = [[str(row + 1), reason] for row, reason in moves.not_analysed[:5]]
        if len(moves.not_analysed) > 5:
            reasons.append(["…", f"{len(moves.not_analysed) - 5:,} more"])
        tables.append(Table("", ["row", "not searched for moves, because"], reasons, "><"))
    return tables


def confusion_tables(losses: LossSums, top: int) -> list[Table]:
    """Return the most frequent confusions of each kind that occurs."""
    tables = []
    for name, title in _CONFUSIONS.items():
        found = list(getattr(losses, name).items())
        if not found or not top:
            continue
        rows = [
            [predicted or NO_LABEL, wanted or NO_LABEL, f"{mass:,.2f}"]
            for (predicted, wanted), mass in found[:top]
        ]
        if len(found) > top:
            rest = sum(mass for _, mass in found[top:])
            rows.append(["…", f"{len(found) - top:,} more", f"{rest:,.2f}"])
        tables.append(Table(title, ["prediction", "reference", "nodes lost"], rows, "<<>"))
    return tables


def move_lines(moves: MoveReport, row: int) -> list[str]:
    """Return the moves of a row with their classes, a line each; or why there are none."""
    found = moves.moves(row)
    return [f"{move.error}: {move.describe()}" for move in found] or moves.describe(row)


def sentence_lines(lines: Sequence[str], title: str) -> str:
    """Return a title, and lines below it that are indented."""
    return "\n".join([title, *(f"  {printable(line)}" for line in lines)])
