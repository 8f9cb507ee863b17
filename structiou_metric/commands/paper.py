"""`structiou paper`: the paper's experiments, on any trees."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .arguments import (
    add_metric_options,
    add_plot,
    add_seed,
    add_sides,
    add_workers,
    as_json,
    check_plot,
    check_stdin,
    check_writable,
    metric_of,
    metrics_of,
    option_files,
    positive,
    read_side,
    save_plot,
    write_text,
)

if TYPE_CHECKING:
    from ..analysis.paper.ambiguity import Ambiguity
    from ..analysis.paper.correlation import Correlation
    from ..analysis.paper.lengths import ByLength
    from ..analysis.paper.tokenization import Tokenization
    from ..sources.rows import Rows

USAGE = "EXPERIMENT [options]"
DESCRIPTION = "Repeats an experiment of the STRUCT-IoU paper on your trees."
EPILOG = """\
examples:
  structiou paper correlation gold.mrg parsed.txt --labels base --plot scatter.png
  structiou paper lengths gold.mrg parsed.txt --labels base --max 10 20 40 80 --plot lengths.svg
  structiou paper ambiguity --n 8
  structiou paper tokenization gold.txt parsed.txt parsed-split.txt -o gold-split.txt

structiou paper EXPERIMENT --help tells the options of an experiment.
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the experiments."""
    experiments = parser.add_subparsers(
        title="experiments", required=True, metavar="EXPERIMENT", prog="structiou paper"
    )
    for name, experiment in _EXPERIMENTS.items():
        command = experiments.add_parser(
            name,
            help=experiment.line,
            usage=f"structiou paper {name} {experiment.usage}[options]",
            description=experiment.description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        experiment.configure(command)
        command.add_argument("--json", action="store_true", help="JSON for programs instead of a table")
        command.set_defaults(experiment=experiment, parser=command)


def run(args: argparse.Namespace) -> str:
    """Runs the experiment."""
    from ..report import paper as reports

    experiment: _Experiment = args.experiment
    found = experiment.run(args)
    if args.json:
        return as_json(found.as_dict())
    report: str = getattr(reports, experiment.report)(found)
    return report


class _Experiment(NamedTuple):
    """One of the paper's experiments.

    Attributes:
        line: In the list of experiments.
        usage: Its files.
        description: In its help.
        configure: Adds its arguments.
        run: Makes it; what it returns has `as_dict`.
        report: The function of `report.paper` that words this.
    """

    line: str
    usage: str
    description: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Any]
    report: str


def _read_pair(args: argparse.Namespace) -> tuple[list[Any], Rows, Rows]:
    """The metrics, the predictions and the references; first refuses what would fail after the work."""
    check_stdin(args.parser, args.reference, args.prediction, *option_files(args))
    check_plot(args.plot)
    metrics = metrics_of(args)
    predictions = read_side(args.prediction, "prediction", args)
    return metrics, predictions, read_side(args.reference, "reference", args)


# ---- correlation -------------------------------------------------------------------------------

_CORRELATION = """\
How far do STRUCT-IoU and ParsEval F1 rank alike? The sentences are shuffled into buckets, both metrics
are computed for each bucket, and Spearman's rho is taken over the buckets. Both metrics see the same
sentences: those that either cannot score are left out and counted, and so is a last bucket that is not
full."""


def _add_correlation(parser: argparse.ArgumentParser) -> None:
    add_sides(parser)
    parser.add_argument(
        "--bucket", type=positive, default=10, metavar="N", help="sentences in a bucket (default: 10)"
    )
    add_seed(parser, "all random choices")
    add_plot(parser, "a dot for each bucket")
    add_workers(parser)
    metrics = ["struct_iou", "parseval"]
    add_metric_options(parser, metrics, fixed={"compat": False}, aliases={"parameters": "-p"})


def _run_correlation(args: argparse.Namespace) -> Correlation:
    from ..analysis.paper.correlation import correlate, draw_correlation

    [metric, parseval], predictions, references = _read_pair(args)
    found = correlate(
        predictions,
        references,
        metric=metric,
        parseval=parseval,
        bucket_size=args.bucket,
        seed=args.seed,
        workers=args.workers,
        progress=True,
    )
    save_plot(args.plot, lambda: draw_correlation(found))
    return found


# ---- lengths -----------------------------------------------------------------------------------

_LENGTHS = """\
How do STRUCT-IoU's sentence mean and its corpus level differ over the sentences with at most so many words?
Short sentences count as much as long ones in the mean, and less at corpus level."""


def _add_lengths(parser: argparse.ArgumentParser) -> None:
    add_sides(parser)
    parser.add_argument(
        "--max",
        type=positive,
        nargs="+",
        metavar="L",
        help="most words of the reference, written after the files (default: up to 20 even steps)",
    )
    add_plot(parser, "both figures over the maximum length")
    add_workers(parser)
    add_metric_options(parser)


def _run_lengths(args: argparse.Namespace) -> ByLength:
    from ..analysis.paper.lengths import draw_lengths, score_by_length

    [metric], predictions, references = _read_pair(args)
    found = score_by_length(
        predictions, references, metric=metric, limits=args.max, workers=args.workers, progress=True
    )
    save_plot(args.plot, lambda: draw_lengths(found))
    return found


# ---- ambiguity ---------------------------------------------------------------------------------

_AMBIGUITY = """\
How do ParsEval and STRUCT-IoU treat syntactic ambiguity? All plausible trees of the template N (P N){n} are
scored against one another, and random binary trees against them. Labels are ignored; an NP over one N is
no node of its own."""


def _add_ambiguity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--n", type=positive, default=8, metavar="N", help="how often P N is repeated, 2 to 12 (default: 8)"
    )
    parser.add_argument(
        "--random", type=positive, default=100, metavar="N", help="how many random trees (default: 100)"
    )
    parser.add_argument(
        "--references",
        type=_number_or_all,
        metavar="all|N",
        help="take each plausible tree as the reference in turn, or so many of them, drawn at random "
        "(default: all, and 100 from n = 9 on)",
    )
    add_seed(parser, "all random choices")
    add_workers(parser)


def _number_or_all(text: str) -> int | str:
    return text if text == "all" else positive(text)


def _run_ambiguity(args: argparse.Namespace) -> Ambiguity:
    from ..analysis.paper.ambiguity import PAPER_N, SAMPLE, compare_plausible

    references = args.references
    if references is None:
        references = "all" if args.n <= PAPER_N else SAMPLE
    return compare_plausible(
        args.n,
        n_random=args.random,
        n_references=None if references == "all" else references,
        seed=args.seed,
        workers=args.workers,
        progress=True,
    )


# ---- tokenization ------------------------------------------------------------------------------

_TOKENIZATION = """\
What does another tokenization cost? Plural suffixes of nouns become tokens of their own, in the
reference and in every prediction: (NN stem+suffix) becomes (NN stem) (NN suffix) in the same parent, and
all else stays. STRUCT-IoU over characters compares all combinations; ParsEval, as EVALB_SPMRL computes it,
only sentences with the same tokens. To repeat the paper's study, write the split reference with -o,
parse its tokens, and give the result as one more PREDICTION."""


def _add_tokenization(parser: argparse.ArgumentParser) -> None:
    from ..analysis.paper.tokenization import NOUNS, SUFFIXES

    add_sides(parser, prediction="several")
    parser.add_argument(
        "--suffixes",
        nargs="+",
        default=SUFFIXES,
        metavar="TEXT",
        help=f"written after the files (default: the plurals of Hebrew, {' '.join(SUFFIXES)})",
    )
    parser.add_argument(
        "--nouns",
        nargs="+",
        default=NOUNS,
        metavar="LABEL",
        help="labels of the preterminals whose words are split, written after the files (default: "
        f"{' '.join(NOUNS)})",
    )
    parser.add_argument(
        "--min-stem", type=positive, default=1, metavar="N", help="letters that a stem must have (default: 1)"
    )
    parser.add_argument(
        "--suffix-label", metavar="LABEL", help="of the new token (default: that of the noun)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the split reference trees, one a line")
    add_metric_options(parser, single=True, fixed={"unit": "char"})


def _run_tokenization(args: argparse.Namespace) -> Tokenization:
    from ..analysis.paper.tokenization import Splitter, compare_tokenizations

    check_stdin(args.parser, args.reference, *args.prediction)
    check_writable(args.output)
    metric = metric_of(args)
    splitter = Splitter(args.suffixes, args.nouns, min_stem=args.min_stem, suffix_label=args.suffix_label)
    found = compare_tokenizations(
        [(path, read_side(path, "prediction", args)) for path in args.prediction],
        read_side(args.reference, "reference", args),
        splitter=splitter,
        metric=metric,
    )
    if args.output is not None:
        write_text(args.output, "".join(f"{tree}\n" for tree in found.split_references))
    return found


_EXPERIMENTS = {
    "correlation": _Experiment(
        "STRUCT-IoU against ParsEval F1 over random buckets of sentences",
        "REFERENCE PREDICTION ",
        _CORRELATION,
        _add_correlation,
        _run_correlation,
        "correlation_report",
    ),
    "lengths": _Experiment(
        "sentence mean against corpus level by maximum length",
        "REFERENCE PREDICTION ",
        _LENGTHS,
        _add_lengths,
        _run_lengths,
        "lengths_report",
    ),
    "ambiguity": _Experiment(
        "plausible and random trees of N (P N){n} under both metrics",
        "",
        _AMBIGUITY,
        _add_ambiguity,
        _run_ambiguity,
        "ambiguity_report",
    ),
    "tokenization": _Experiment(
        "plural suffixes as tokens of their own, as in the Hebrew study",
        "REFERENCE PREDICTION [PREDICTION ...] ",
        _TOKENIZATION,
        _add_tokenization,
        _run_tokenization,
        "tokenization_report",
    ),
}
