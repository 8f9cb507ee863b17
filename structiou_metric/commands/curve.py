"""`structiou curve`: score predictions with more and more perturbed word boundaries."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from ..analysis.curves import DELTAS, Curve, perturbation_curve
from ..analysis.perturbation import KINDS
from ..terminal import lay_out
from ..wording import check_choice, count
from . import arguments, inputs, outputs
from .perturb import add_draw_options, find_parser

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = (
    "Perturbs the word boundaries of the predictions at rising levels δ, as the paper on STRUCT-IoU does, "
    "scores them against the references, and reports whether the paper's findings hold for them."
)
EPILOG = """\
examples:
  structiou curve gold.timed pred.timed --plot curve.png --workers 2
  structiou curve gold.timed pred.timed --kinds noise,delete --deltas 0,0.25,0.5 --repeats 10 --json
  structiou curve gold.mrg parsed.txt --unit word --labels base
  structiou curve both.jsonl --reference-column gold --prediction-column parsed

structiou perturb --help explains the kinds of perturbation.
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    inputs.add_sides(parser, nargs="?")
    parser.add_argument(
        "--kinds",
        type=lambda text: _listed(text, _kind),
        default=KINDS,
        metavar="KIND,KIND,…",
        help=f"of perturbation (default: {','.join(KINDS)})",
    )
    parser.add_argument(
        "--deltas",
        type=lambda text: _listed(text, arguments.share),
        metavar="X,X,…",
        help="levels from 0 to 1 (default: 0,0.1,0.2, … 1)",
    )
    arguments.add_number(parser, "--repeats", 5, "draws of each level")
    parser.add_argument("--why", action="store_true", help="add tables of the losses by cause at each level")
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of a table")
    outputs.add_plot(parser, "the curve")
    arguments.add_workers(parser, "processes")
    add_draw_options(parser)
    parser.add_argument(
        "--as-paper",
        action="store_true",
        help="as in the paper's experiment: silences are closed (--gaps close), and words that delete merges "
        "are parsed again, by --parser, which is needed then unless --kinds leaves delete out",
    )
    arguments.add_metric_options(parser, defaults={"unit": "time"})


def run(args: argparse.Namespace) -> str:
    """Perturb the predictions, score them and check the paper's findings."""
    metric = arguments.metric_of(args)
    outputs.check_plot(args.plot)
    if args.as_paper and "delete" in args.kinds and args.parser_name is None:
        args.parser.error(
            "--as-paper: the paper parses again what delete has merged; give --parser MODULE:FUNCTION, or "
            "--kinds noise,insert"
        )
    parser = find_parser(args.parser_name)
    reference, prediction = inputs.read_sides(args)
    curve = perturbation_curve(
        prediction,
        reference,
        metric=metric,
        parser=parser,
        workers=args.workers,
        progress=not args.quiet,
        kinds=args.kinds,
        deltas=DELTAS if args.deltas is None else args.deltas,
        repeats=args.repeats,
        seed=args.seed,
        gaps="close" if args.as_paper else args.gaps,
        why=args.why,
    )
    outputs.save_plot(args.plot, curve)
    if args.json:
        return outputs.as_json("curve", curve.as_dict())
    figure = metric.MEASURES[metric.headline].title
    return _summary(curve, f"{metric.title}, {figure}", args.repeats)


def _summary(curve: Curve, figure: str, repeats: int) -> str:
    lines = [f"{figure}: mean ± standard deviation of {count(repeats, 'repeat')}", curve.table()]
    for kind, table in curve.causes().items():
        lines += [f"{kind}: what STRUCT-IoU at corpus level lacks of 1, by cause", lay_out(table, ">"), ""]
    findings = curve.findings()
    if findings:
        table = [["the paper finds", "here"]]
        for claim, holds, detail in findings:
            table.append([claim, f"{'yes' if holds else 'no'}: {detail}"])
        lines += [lay_out(table), ""]
    counts = (
        ("sentences", curve.n_sentences),
        ("not comparable, score 0", curve.n_zeroed),
        ("not comparable, skipped", curve.n_skipped),
    )
    lines += [f"{name:<25}  {number:>8}" for name, number in counts if number]
    if curve.caption:
        lines.append(curve.caption)
    return "\n".join([*lines, curve.signature, ""])


def _listed(text: str, convert: Callable[[str], Any]) -> list[Any]:
    return [convert(part.strip()) for part in text.split(",")]


def _kind(text: str) -> str:
    try:
        check_choice("kind", text, KINDS)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
