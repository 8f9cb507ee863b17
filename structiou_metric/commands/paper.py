"""`structiou paper`: repeat the paper's experiments on any trees."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..analysis.paper.ambiguity import PAPER_N, SAMPLE, compare_plausible
from ..analysis.paper.correlation import correlate
from ..analysis.paper.lengths import score_by_length
from ..analysis.paper.tokenization import NOUNS, SUFFIXES, Splitter, compare_tokenizations
from ..metrics import METRICS
from ..report import paper as reports
from ..sources.rows import Rows
from . import arguments, inputs, outputs

USAGE = "EXPERIMENT [options]"
DESCRIPTION = "Repeats an experiment of the STRUCT-IoU paper on your trees."
EPILOG = """\
examples:
  structiou paper correlation gold.mrg parsed.txt --labels base --plot scatter.png
  structiou paper correlation gold.mrg parsed.txt --metric tedeval,parseval --repeats 20
  structiou paper lengths gold.mrg parsed.txt --labels base --max 10 20 40 80 --plot lengths.svg
  structiou paper ambiguity --n 8
  structiou paper tokenization gold.txt parsed.txt parsed-split.txt -o gold-split.txt

structiou paper EXPERIMENT --help lists the options of an experiment.
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the experiments."""
    experiments = parser.add_subparsers(
        title="experiments", required=True, metavar="EXPERIMENT", prog="structiou paper"
    )
    for name, experiment in _EXPERIMENTS.items():
        command = experiments.add_parser(
            name,
            help=experiment.line,
            usage=f"structiou paper {name} {experiment.usage}[options]",
            description=experiment.description,
        )
        experiment.configure(command, argv)
        command.add_argument("--json", action="store_true", help="JSON for programs instead of a table")
        command.set_defaults(experiment=name, parser=command)
        command.add_argument("--quiet", **arguments.QUIET)


def run(args: argparse.Namespace) -> str:
    """Run the experiment."""
    found = _EXPERIMENTS[args.experiment].run(args)
    outputs.save_plot(getattr(args, "plot", None), found)
    if args.json:
        return outputs.as_json(f"paper.{args.experiment}", found.as_dict())
    return str(getattr(reports, f"{args.experiment}_report")(found))


def _read_pair(args: argparse.Namespace) -> tuple[list[Any], Rows, Rows]:
    """Return metrics, predictions and references; first refuse problems that would only show at the end."""
    metrics = arguments.metrics_of(args)
    outputs.check_plot(args.plot)
    references, predictions = inputs.read_sides(args)
    return metrics, predictions, references


# ---- correlation -------------------------------------------------------------------------------


_CORRELATED = "struct_iou,parseval"


def _add_correlation(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    inputs.add_sides(parser)
    parser.add_argument(
        "--metric",
        type=_two_metrics,
        default=_CORRELATED,
        metavar="A,B",
        help=f"the two metrics, of {', '.join(METRICS)}; add --help to list their options "
        f"(default: {_CORRELATED})",
    )
    arguments.add_number(parser, "--bucket", 10, "sentences in a bucket")
    arguments.add_number(parser, "--seed", 1, "of all random choices", least=0)
    arguments.add_number(parser, "--repeats", 1, "shuffles, over which rho has a mean and a deviation")
    outputs.add_plot(parser, "a dot for each bucket")
    arguments.add_workers(parser)
    names = arguments.find_metrics(argv, "--metric", _CORRELATED)
    arguments.add_metric_options(parser, names, fixed={"compat": False}, aliases={"parameters": "-p"})


def _two_metrics(text: str) -> list[str]:
    names = arguments.metric_names(text)
    if len(names) != 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not two metrics with a comma between")
    return names


def _run_correlation(args: argparse.Namespace) -> Any:
    metrics, predictions, references = _read_pair(args)
    return correlate(
        predictions,
        references,
        metrics=metrics,
        bucket_size=args.bucket,
        seed=args.seed,
        repeats=args.repeats,
        workers=args.workers,
        progress=not args.quiet,
    )


# ---- lengths -----------------------------------------------------------------------------------


def _add_lengths(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    inputs.add_sides(parser)
    parser.add_argument(
        "--max",
        type=arguments.positive,
        nargs="+",
        metavar="L",
        help="most words of the reference, written after the files (default: up to 20 even steps)",
    )
    outputs.add_plot(parser, "both figures over the maximum length")
    arguments.add_workers(parser)
    arguments.add_metric_options(parser)


def _run_lengths(args: argparse.Namespace) -> Any:
    [metric], predictions, references = _read_pair(args)
    return score_by_length(
        predictions, references, metric=metric, limits=args.max, workers=args.workers, progress=not args.quiet
    )


# ---- ambiguity ---------------------------------------------------------------------------------


def _add_ambiguity(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    arguments.add_number(parser, "--n", 8, "how often P N is repeated, 2 to 12")
    arguments.add_number(parser, "--random", 100, "how many random trees")
    parser.add_argument(
        "--references",
        type=_number_or_all,
        metavar="all|N",
        help="take each plausible tree as the reference in turn, or only N of them, drawn at random "
        "(default: all, and 100 from n = 9 on)",
    )
    arguments.add_number(parser, "--seed", 1, "of all random choices", least=0)
    arguments.add_workers(parser)


def _number_or_all(text: str) -> int | str:
    return text if text == "all" else arguments.positive(text)


def _run_ambiguity(args: argparse.Namespace) -> Any:
    references = args.references
    if references is None:
        references = "all" if args.n <= PAPER_N else SAMPLE
    return compare_plausible(
        args.n,
        n_random=args.random,
        n_references=None if references == "all" else references,
        seed=args.seed,
        workers=args.workers,
        progress=not args.quiet,
    )


# ---- tokenization ------------------------------------------------------------------------------


def _add_tokenization(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    inputs.add_sides(parser, nargs="+")
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
    arguments.add_number(parser, "--min-stem", 1, "letters that a stem must have")
    parser.add_argument(
        "--suffix-label", metavar="LABEL", help="of the new token (default: that of the noun)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the split reference trees, one a line")
    arguments.add_metric_options(parser, single=True, fixed={"unit": "char"})


def _run_tokenization(args: argparse.Namespace) -> Any:
    metric = arguments.metric_of(args)
    outputs.check_writable(args.output)
    splitter = Splitter(args.suffixes, args.nouns, min_stem=args.min_stem, suffix_label=args.suffix_label)
    reference, *systems = inputs.read_systems(args, args.prediction)
    found = compare_tokenizations(
        list(zip(args.prediction, systems, strict=True)),
        reference,
        splitter=splitter,
        metric=metric,
    )
    if args.output is not None:
        outputs.write_text(args.output, "".join(f"{tree}\n" for tree in found.split_references))
    return found


# ---- all of them -------------------------------------------------------------------------------


class _Experiment(NamedTuple):
    """One of the paper's experiments, whose report is `report.paper.<name>_report`.

    Attributes:
        line: The line in the list of experiments.
        usage: The files that it takes.
        description: The text of its help.
        configure: A function that adds its arguments.
        run: A function that runs it and returns a result with `as_dict`, and with `plot` if there is such a
            flag.
    """

    line: str
    usage: str
    description: str
    configure: Callable[[argparse.ArgumentParser, Sequence[str]], None]
    run: Callable[[argparse.Namespace], Any]


_EXPERIMENTS = {
    "correlation": _Experiment(
        "STRUCT-IoU against ParsEval F1, or any two metrics, over random buckets of sentences",
        "REFERENCE PREDICTION ",
        """\
How far do STRUCT-IoU and ParsEval F1, or any two metrics, rank alike? The sentences are shuffled into
buckets, both metrics are computed for each bucket, and Spearman's rho is taken over the buckets. Both metrics
see the same sentences: those that either cannot score are left out and counted, and so is a last bucket that
is not full.""",
        _add_correlation,
        _run_correlation,
    ),
    "lengths": _Experiment(
        "sentence mean against corpus level by maximum length",
        "REFERENCE PREDICTION ",
        """\
How do STRUCT-IoU's sentence mean and its corpus level differ over the sentences with at most so many words?
Short sentences count as much as long ones in the mean, and less at corpus level.""",
        _add_lengths,
        _run_lengths,
    ),
    "ambiguity": _Experiment(
        "plausible and random trees of N (P N){n} under both metrics",
        "",
        """\
How do ParsEval and STRUCT-IoU treat syntactic ambiguity? All plausible trees of the template N (P N){n} are
scored against one another, and random binary trees against them. Labels are ignored; an NP over one N is
no node of its own.""",
        _add_ambiguity,
        _run_ambiguity,
    ),
    "tokenization": _Experiment(
        "plural suffixes as tokens of their own, as in the Hebrew study",
        "REFERENCE PREDICTION [PREDICTION ...] ",
        """\
What does another tokenization cost? Plural suffixes of nouns become tokens of their own, in the
reference and in every prediction: (NN stem+suffix) becomes (NN stem) (NN suffix) in the same parent, and
all else stays. STRUCT-IoU over characters compares all combinations; ParsEval, as EVALB_SPMRL computes it,
only sentences with the same tokens. To repeat the paper's study, write the split reference with -o,
parse its tokens, and give the result as one more PREDICTION.""",
        _add_tokenization,
        _run_tokenization,
    ),
}
