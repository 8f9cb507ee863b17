"""`structiou align`: draw two trees and the alignment of their nodes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..drawing.latex import draw_latex
from ..drawing.outline import draw_alignment
from ..drawing.page import LONG, PIXELS, TEXT_WIDTH
from ..drawing.pdf import draw_pdf
from ..drawing.svg import draw_svg
from ..metrics.signatures import shorten
from ..metrics.struct_iou.alignment import Alignment
from ..optional import need
from . import arguments, inputs, outputs

USAGE = "REFERENCE PREDICTION [options]"
DESCRIPTION = (
    "Draw two trees, the reference first, with equal numbers at aligned nodes, and their IoU below 1."
)
EPILOG = """\
examples:
  structiou align "(S (NP we) (VP run))" "(S (NP we) (NP run))"
  structiou align gold.mrg parsed.txt --row 17 --color always | less -R
  structiou align gold.mrg parsed.txt --row 17 --svg trees.svg
  structiou align gold.mrg parsed.txt --row 17 --latex t.tex --pdf t.pdf
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument(
        "reference", metavar="REFERENCE", help="a tree in brackets, or a treebank as for score"
    )
    parser.add_argument("prediction", metavar="PREDICTION", help="likewise")
    arguments.add_number(parser, "--row", 1, "which tree of a file, counted from 1")
    parser.add_argument("--json", action="store_true", help="the aligned pairs as JSON instead of a drawing")
    parser.add_argument(
        "--svg",
        metavar="FILE",
        help="also write a picture of both trees over one axis; with - it is all that is printed",
    )
    parser.add_argument(
        "--latex",
        metavar="FILE",
        help="also write both trees for LaTeX, by its package forest; with - it is all that is printed",
    )
    parser.add_argument("--pdf", metavar="FILE", help="also write the picture as a PDF for papers")
    parser.add_argument(
        "--only-differing",
        action=argparse.BooleanOptionalAction,
        help="fold the nodes on which both trees agree, so that these files show only differences "
        f"(default: in LaTeX and PDF from {LONG} words on)",
    )
    parser.add_argument(
        "--page-width",
        type=_centimetres,
        metavar="CM",
        help="width of a line in these files; longer drawings continue below it "
        f"(default: {TEXT_WIDTH:g}, as on A4; SVG has one line)",
    )
    outputs.add_drawing(parser)
    parser.add_argument("--strict", **arguments.STRICT)
    arguments.add_metric_options(parser, single=True)
    inputs.add_reading(parser, sides=True)


def run(args: argparse.Namespace) -> str:
    """Draw the pair."""
    metric = arguments.metric_of(args)
    _check_outputs(args)
    prediction, reference, read = inputs.read_pair(args, metric.unit)
    alignment = metric.align(prediction, reference)
    signature = metric.signature + read
    warnings = arguments.warning_lines(args, alignment.warnings)
    if args.pdf is not None:
        pages = draw_pdf(
            alignment,
            only_differing=args.only_differing,
            width=args.page_width or TEXT_WIDTH,
            description=signature,
        )
        with open(args.pdf, "wb") as file:
            file.write(pages)
    for flag, path in _outputs(args).items():
        text = _draw(flag, alignment, args, signature)
        if path == "-":
            return text
        outputs.write_text(path, text)
    if args.json:
        return outputs.as_json("align", {**alignment.as_dict(), "signature": signature})
    width = args.width or outputs.terminal_columns()
    drawing = draw_alignment(alignment, color=outputs.wants_color(args.color), width=width)
    return "\n".join([drawing, shorten(signature, metric), *warnings, ""])


def _outputs(args: argparse.Namespace) -> dict[str, str]:
    """Return the files of text to write, by flag; the one that is printed comes last."""
    given = {flag: getattr(args, flag) for flag in ("svg", "latex") if getattr(args, flag) is not None}
    return dict(sorted(given.items(), key=lambda item: item[1] == "-"))


def _check_outputs(args: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written, before any work."""
    files = _outputs(args)
    printed = [f"--{flag} -" for flag, path in files.items() if path == "-"]
    if args.json:
        printed.insert(0, "--json")
    if len(printed) > 1:
        args.parser.error(
            f"{printed[0]} and {printed[1]} both print; give {printed[1].removesuffix(' -')} a file"
        )
    if args.pdf == "-":
        args.parser.error("--pdf: a PDF cannot be printed; give it a file")
    for path in (*files.values(), args.pdf):
        if path != "-":
            outputs.check_writable(path)
    if args.pdf is not None:
        need("typst", "pdf", "a PDF")


def _draw(flag: str, alignment: Alignment, args: argparse.Namespace, signature: str) -> str:
    """Return the trees as SVG or as LaTeX."""
    if flag == "svg":
        return draw_svg(
            alignment,
            theme="light",
            description=signature,
            only_differing=bool(args.only_differing),
            width=None if args.page_width is None else PIXELS * args.page_width,
        )

    return draw_latex(
        alignment,
        only_differing=args.only_differing,
        width=args.page_width or TEXT_WIDTH,
        description=signature,
    )


def _centimetres(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 4.0 <= value <= 100.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of centimetres from 4 to 100")
    return value
