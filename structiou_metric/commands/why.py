"""`structiou why`: explain the losses of predictions by the mistakes that cause them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ..analysis.errors import explain_corpus
from ..analysis.errors.styles import AUTO, STYLES
from ..drawing.latex import draw_latex
from ..drawing.outline import draw_alignment
from ..drawing.svg import draw_svg
from ..metrics.signatures import shorten
from ..metrics.struct_iou.alignment import Alignment
from ..metrics.struct_iou.metric import StructIoU
from ..report.page import check_templates, write_why_page
from ..report.reasons import cause_classes, explain
from ..report.why import move_lines, sentence_lines, write_why, write_why_latex
from . import arguments, inputs, outputs

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = (
    "Divides the losses of predictions among their causes, which add up to the total; names the moves that "
    "would turn predictions into references, by class of error, and where phrases hang and should hang; and "
    "lists which labels and tags were confused. With --row, or two trees in brackets, explains one pair."
)
EPILOG = """\
examples:
  structiou why gold.mrg parsed.txt --labels base
  structiou why gold.mrg parsed.txt --row 17 --svg why.svg
  structiou why "(S (NP we) (VP run))" "(S (NP we) (NP run))"
  structiou why gold.mrg parsed.txt --no-moves --json
  structiou why gold.mrg parsed.txt --html why.html
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    inputs.add_sides(parser, nargs="?")
    inputs.add_documents(parser)
    parser.add_argument(
        "--row",
        type=arguments.positive,
        metavar="N",
        help="explain this pair alone, counted from 1: its moves in words, its causes, and both trees",
    )
    parser.add_argument("--no-moves", action="store_true", help="leave out the moves, which take longest")
    parser.add_argument(
        "--style",
        choices=(AUTO, *STYLES),
        default=AUTO,
        help="what labels mean when moves are named: auto takes the table that knows most of them "
        f"(default: {AUTO})",
    )
    arguments.add_number(
        parser, "--top", 10, "confusions of each kind, and sites of attachments, to list", least=0
    )
    arguments.add_formats(parser)
    parser.add_argument(
        "--html", metavar="FILE", help="also write a page, with drawings of the sentences that lose most"
    )
    parser.add_argument("--svg", metavar="FILE", help="with --row, also write a picture coloured by cause")
    arguments.add_number(parser, "--worst", 10, "sentences to draw on the page", least=0)
    parser.add_argument("--strict", **arguments.STRICT)
    arguments.add_workers(parser)
    outputs.add_drawing(parser)
    arguments.add_metric_options(parser)


def run(args: argparse.Namespace) -> str:
    """Explain the files, or one pair."""
    metric = arguments.metric_of(args)
    if args.row is None and inputs.in_brackets(args.reference):
        args.row = 1
    if args.html is not None:
        if args.row is not None:
            args.parser.error("--html is for many pairs; give --svg for one")
        check_templates()
    for path in (args.html, args.svg):
        outputs.check_writable(path)
    if args.row is None:
        if args.svg is not None:
            args.parser.error("--svg is for one pair; give --row, too, or --html for many")
        return _run_corpus(metric, args)
    return _run_pair(metric, args)


def _run_corpus(metric: StructIoU, args: argparse.Namespace) -> str:
    reference, prediction = inputs.read_sides(args)
    documents = inputs.makes_documents(args)
    how = {"documents": documents, "workers": args.workers, "progress": not args.quiet}
    result = metric.explaining().corpus_score(prediction, reference, **how)
    warnings = arguments.warning_lines(args, result.warnings)
    moves = None
    if not args.no_moves:
        moves = explain_corpus(metric, prediction, reference, style=args.style, **how)
    if args.html is not None:
        page = write_why_page(result, moves, (prediction, reference), n_sentences=args.worst, top=args.top)
        outputs.write_text(args.html, page)
    if args.json:
        plain = {**result.as_dict(), "losses": result.losses.as_dict()}
        if moves is not None:
            plain["moves"] = moves.as_dict(per_row=True)
        return outputs.as_json("why", plain)
    if args.latex:
        return write_why_latex(result, moves, top=args.top, remarks=warnings)
    return "\n".join(
        [write_why(result, moves, top=args.top), shorten(result.signature, metric), *warnings, ""]
    )


def _run_pair(metric: StructIoU, args: argparse.Namespace) -> str:
    prediction, reference, read = inputs.read_pair(args, metric.unit)
    alignment = metric.align(prediction, reference)
    signature = metric.signature + read
    warnings = arguments.warning_lines(args, alignment.warnings)
    moves = None if args.no_moves else explain_corpus(metric, [prediction], [reference], style=args.style)
    classes = cause_classes(alignment)
    if args.svg is not None:
        picture = draw_svg(alignment, theme="light", description=signature, classes=classes)
        outputs.write_text(args.svg, picture)
    if args.json:
        return outputs.as_json("why", _plain_pair(alignment, signature, moves))
    if args.latex:
        return draw_latex(alignment, description=signature, classes=classes)
    drawing = draw_alignment(
        alignment,
        color=outputs.wants_color(args.color),
        width=args.width or outputs.terminal_columns(),
        classes=classes,
    )
    parts = [drawing, sentence_lines(explain(alignment), "what is lost, by cause")]
    if moves is not None:
        parts.append(sentence_lines(move_lines(moves, 0), "moves towards the reference"))
    return "\n\n".join([*parts, "\n".join([shorten(signature, metric), *warnings, ""])])


def _plain_pair(alignment: Alignment, signature: str, moves: Any) -> dict[str, Any]:
    """Return the losses, figures and moves of one pair as plain values."""
    plain: dict[str, Any] = {**alignment.as_dict(), "losses": [lost.as_dict() for lost in alignment.losses()]}
    if moves is not None:
        plain["moves"] = moves.as_dict(per_row=True)
    return {**plain, "signature": signature}
