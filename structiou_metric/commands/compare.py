"""`structiou compare`: compare several systems with one reference."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from ..analysis.compare import compare
from ..metrics import METRICS
from ..report.comparison import write_latex, write_text
from ..report.page import check_templates, write_page
from ..sources.content import strip_ending
from ..sources.tables import Table, name_kinds, open_table, read_clusters
from . import arguments, inputs, outputs

USAGE = "REFERENCE PREDICTION [PREDICTION …] [options]"
DESCRIPTION = (
    "Compare systems by their trees for the same sentences: figures with confidence intervals, and tests of "
    "the differences; with --full, many more tables."
)
EPILOG = """\
examples:
  structiou compare gold.mrg a.txt b.txt c.txt --names PCFG,LSTM,BERT --baseline PCFG --html report.html
  structiou compare gold.mrg a.txt b.txt --clusters documents.txt
  structiou compare gold.txt a.txt b.txt --documents blank --unit time
"""

COMMON_OPTIONS = (
    *("--metric", "--names", "--baseline", "--draw", "--full", "--json", "--latex", "--html"),
    *("--unit", "--texts", "--labels", "--terminals", "--on-error"),
)

_LENGTHS = "10,20,40"
_METRICS = "struct_iou,parseval"


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    inputs.add_sides(parser, nargs="+")
    inputs.add_documents(parser)
    parser.add_argument("--names", metavar="A,B,…", help="names of the systems (default: of their files)")
    parser.add_argument(
        "--skip-system",
        action="append",
        default=[],
        metavar="NAME",
        help="leave this system out, such as one that fails so often that few sentences count for all; "
        "may be given several times",
    )
    parser.add_argument("--baseline", metavar="NAME", help="test the others against this one, not all pairs")
    parser.add_argument(
        "--metric",
        type=arguments.metric_names,
        default=_METRICS,
        metavar="NAMES",
        help=f"all, or some of {', '.join(METRICS)}, separated by commas, the main one first "
        f"(default: {_METRICS})",
    )
    arguments.add_number(parser, "--seed", 1, "of the resamples", least=0)
    arguments.add_number(parser, "--resamples", 10_000, "how many")
    parser.add_argument(
        "--level", type=_level, default=0.95, metavar="X", help="of the intervals (default: 0.95)"
    )
    parser.add_argument(
        "--clusters",
        metavar="FILE",
        help="resample documents as a whole: a line for each sentence that names its document, or a table",
    )
    parser.add_argument(
        "--clusters-column",
        metavar="NAME",
        help="column of that table (default: clusters, or the only column of a file)",
    )
    parser.add_argument(
        "--lengths",
        type=_lengths,
        default=_LENGTHS,
        metavar="N,N,…",
        help=f"the most words of each group of sentences by length (default: {_LENGTHS})",
    )
    arguments.add_number(parser, "--worst", 10, "with --full, sentences that differ most to list", least=0)
    arguments.add_number(parser, "--draw", 0, "draw the sentences that differ most", least=0)
    parser.add_argument(
        "--full",
        action="store_true",
        help="print all tables",
    )
    arguments.add_formats(parser)
    parser.add_argument(
        "--no-why", action="store_true", help="leave out the losses of systems by cause (see structiou why)"
    )
    parser.add_argument("--html", metavar="FILE", help="also write a page with plots and drawings")
    parser.add_argument("--strict", **arguments.STRICT)
    arguments.add_workers(parser)
    arguments.add_metric_options(
        parser, arguments.find_metrics(argv, "--metric", _METRICS), aliases={"parameters": "-p"}
    )


def run(args: argparse.Namespace) -> str:
    """Compare the systems."""
    metrics = arguments.metrics_of(args)
    if args.html is not None:
        check_templates()
        outputs.check_writable(args.html)
    clusters = _clusters(args)
    names = _names(args)
    _skip(args, names)
    if args.baseline is not None and args.baseline not in names:
        args.parser.error(f"--baseline: {args.baseline!r} is no system; choose from {', '.join(names)}")
    reference, *systems = inputs.read_systems(args, args.prediction)
    comparison = compare(
        dict(zip(names, systems, strict=True)),
        reference,
        documents=inputs.makes_documents(args),
        metrics=metrics,
        baseline=args.baseline,
        lengths=args.lengths,
        level=args.level,
        n_resamples=args.resamples,
        seed=args.seed,
        clusters=clusters,
        why=not args.no_why,
        workers=args.workers,
        progress=not args.quiet,
        strict=args.strict,
    )
    if args.html is not None:
        outputs.write_text(args.html, write_page(comparison, n_sentences=args.worst))
    if args.json:
        return outputs.as_json("compare", comparison.as_dict(n_sentences=args.worst))
    if args.latex:
        return write_latex(comparison)

    return write_text(
        comparison,
        full=args.full,
        n_sentences=max(args.worst, args.draw),
        n_drawn=args.draw,
        color=outputs.wants_color(),
        width=outputs.terminal_columns(),
    )


def _names(args: argparse.Namespace) -> list[str]:
    """Return the given names, or those of the files: short names if they all differ, else the paths."""
    if args.names is None:
        short = [os.path.splitext(strip_ending(os.path.basename(path)))[0] for path in args.prediction]
        names = short if all(short) and not _doubles(short) else list(args.prediction)
    else:
        names = [name.strip() for name in args.names.split(",")]
        if len(names) != len(args.prediction) or not all(names):
            args.parser.error(
                f"--names: {len(args.prediction)} names are needed, with commas between, none empty"
            )
    if _doubles(names):
        args.parser.error(f"two systems are called {_doubles(names)[0]!r}; rename one with --names")
    return names


def _skip(args: argparse.Namespace, names: list[str]) -> None:
    """Remove the systems to skip from the names and from the files."""
    for name in args.skip_system:
        if name not in names:
            args.parser.error(f"--skip-system: {name!r} is no system; choose from {', '.join(names)}")
        at = names.index(name)
        del names[at], args.prediction[at]
    if not names:
        args.parser.error("--skip-system: no system is left; skip fewer")


def _clusters(args: argparse.Namespace) -> list[str] | None:
    """Return the document of each sentence, if a file names them."""
    if args.clusters is None:
        if args.clusters_column is not None:
            args.parser.error("--clusters-column: name the table with --clusters")
        return None

    inputs.check_stdin(args.parser, args.clusters, args.reference, *args.prediction)
    table = open_table(args.clusters, asked=True)
    if isinstance(table, Table):
        return read_clusters(table, args.clusters_column)
    if args.clusters_column is not None:
        args.parser.error(f"--clusters-column: {args.clusters} is no table ({name_kinds()})")
    return read_clusters(args.clusters)


def _doubles(names: Sequence[str]) -> list[str]:
    return [name for i, name in enumerate(names) if name in names[:i]]


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = 0.0
    if not 0.0 < level < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return level


def _lengths(text: str) -> list[int]:
    parts = text.split(",")
    lengths = [int(part) for part in parts if part.strip().isdecimal()]
    if len(lengths) != len(parts) or lengths != sorted(set(lengths)) or min(lengths) < 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of whole numbers that rise, such as 10,20,40"
        )
    return lengths
