"""`structiou curve`: scores of predictions whose word boundaries get worse and worse."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..analysis.perturbation import KINDS, check_kind
from ..wording import count
from .arguments import (
    add_metric_options,
    add_plot,
    add_sides,
    add_workers,
    as_json,
    check_plot,
    check_stdin,
    metric_of,
    positive,
    read_sides,
    save_plot,
)
from .perturb import add_draw_options, delta, find_parser

if TYPE_CHECKING:
    from ..analysis.curve_results import Curve

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = (
    "Perturbs the word boundaries of the predictions at rising levels δ, as the paper on STRUCT-IoU does, "
    "scores them against the references, and says whether what the paper found holds for them."
)
EPILOG = """\
examples:
  structiou curve gold.timed pred.timed --plot curve.png --workers 2
  structiou curve gold.timed pred.timed --kinds noise,delete --deltas 0,0.25,0.5 --repeats 10 --json
  structiou curve gold.mrg parsed.txt --unit word --labels base
  structiou curve both.jsonl --reference-column gold --prediction-column parsed

structiou perturb --help tells what the kinds of perturbation do.
"""

_Value = TypeVar("_Value")


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the arguments."""
    add_sides(parser, prediction="optional")
    parser.add_argument(
        "--kinds",
        type=lambda text: _listed(text, _kind),
        default=KINDS,
        metavar="KIND,KIND,…",
        help=f"of perturbation (default: {','.join(KINDS)})",
    )
    parser.add_argument(
        "--deltas",
        type=lambda text: _listed(text, delta),
        metavar="X,X,…",
        help="levels from 0 to 1 (default: 0,0.1,0.2, … 1)",
    )
    parser.add_argument(
        "--repeats", type=positive, default=5, metavar="N", help="draws of each level (default: 5)"
    )
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of a table")
    add_plot(parser, "the curve")
    add_workers(parser, "processes")
    add_draw_options(parser)
    add_metric_options(parser, defaults={"unit": "time"})


def run(args: argparse.Namespace) -> str:
    """Draws, scores and checks."""
    from ..analysis.curves import DELTAS, Sweep, curve_of_rows

    check_stdin(args.parser, args.reference, args.prediction)
    metric = metric_of(args)
    check_plot(args.plot)
    parser = find_parser(args.parser_name)
    reference, prediction = read_sides(args)
    curve = curve_of_rows(
        prediction,
        reference,
        metric,
        Sweep(args.kinds, DELTAS if args.deltas is None else args.deltas, args.repeats, args.seed, args.gaps),
        parser=parser,
        workers=args.workers,
        progress=True,
    )
    save_plot(args.plot, curve.plot)
    if args.json:
        return as_json(curve.as_dict())
    figure = metric.MEASURES[metric.headline].title
    return _summary(curve, f"{metric.title}, {figure}", args.repeats)


def _summary(curve: Curve, figure: str, repeats: int) -> str:
    lines = [f"{figure}: mean ± standard deviation of {count(repeats, 'repeat')}", curve.table()]
    findings = curve.findings()
    if findings:
        width = max(len(finding.claim) for finding in findings)
        lines.append(f"{'the paper finds':<{width}}  here")
        for finding in findings:
            lines.append(f"{finding.claim:<{width}}  {'yes' if finding.holds else 'no'}: {finding.detail}")
        lines.append("")
    counts = (
        ("sentences", curve.n_sentences),
        ("not comparable, score 0", curve.n_zeroed),
        ("not comparable, skipped", curve.n_skipped),
    )
    lines += [f"{name:<25}  {number:>8}" for name, number in counts if number]
    return "\n".join([*lines, curve.signature, ""])


def _listed(text: str, convert: Callable[[str], _Value]) -> Sequence[_Value]:
    return [convert(part.strip()) for part in text.split(",")]


def _kind(text: str) -> str:
    try:
        return check_kind(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
