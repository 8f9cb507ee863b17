"""The command line: `structiou score`, `structiou align` and `structiou register`."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._version import __version__
from .errors import count
from .files import LAYOUTS, TreeFile
from .labels import DEFAULT_DROP
from .metric import StructIoU
from .options import CHOICES
from .score import CorpusScore
from .tree import SegmentTree

if TYPE_CHECKING:
    from .rows import Rows

_HELP = {
    "unit": "length of a word: 1, its written characters, or its seconds",
    "labels": "compare labels as they are, without function tags and indices, or not at all",
    "terminals": "preterminals need the same label, may align with any node, or are no nodes",
    "average": "which figure is the headline: first in the table, struct_iou in JSON",
    "on_error": "a pair that cannot be read or compared ends the run, counts as 0, or is left out",
}
_EXIT_CODES = "exit codes: 0 done, 1 bad data, 2 bad usage"
_SCORE_EXAMPLES = """\
examples:
  structiou score gold.mrg parsed.txt --labels base --per-label
  structiou score gold.txt.gz parsed.txt --unit char --on-error zero
  my-parser < text | structiou score gold.mrg - --json
  structiou score both.jsonl --reference-column gold --prediction-column parsed
"""
_ALIGN_EXAMPLES = """\
examples:
  structiou align "(S (NP we) (VP run))" "(S (NP we) (NP run))"
  structiou align gold.mrg parsed.txt --row 17 --color always | less -R
"""
_REGISTER_EXAMPLES = """\
examples:
  structiou register && python -c 'import evaluate; evaluate.load("struct_iou")'
  HF_HOME=/shared/cache structiou register
"""
_MAX_PROBLEMS = 5  # listed below the table


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, or 1 for bad data. Bad usage exits with 2."""
    args = _parse(_guard_labels(sys.argv[1:] if argv is None else argv))
    try:
        _print(args.run(args))
    except BrokenPipeError:  # such as `structiou … | head`
        pass
    except (OSError, ValueError, MemoryError) as error:
        print(f"structiou: {_describe(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parse(argv: list[str]) -> argparse.Namespace:
    """Parses the arguments.

    argparse takes an argument that may be missing for missing where options stand before it, so a
    PREDICTION is then left over.
    """
    parser = build_parser()
    args, rest = parser.parse_known_args(argv)
    if rest and getattr(args, "prediction", "") is None and not rest[0].startswith("-"):
        args.prediction = rest.pop(0)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return args


def _guard_labels(argv: Sequence[str]) -> list[str]:
    """Puts a space before labels such as `-NONE-`, which argparse would take for an option.

    `--drop` strips it again.
    """
    return [f" {word}" if re.fullmatch("-[^-].*-", word) else word for word in argv]


def _print(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # rather a few `?` than nothing where not all can be written
    try:
        print(text, end="", flush=True)
    except OSError:  # what is left in the buffer would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or "out of memory"


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="structiou",
        description="How alike are two constituency parse trees? STRUCT-IoU, exactly.",
        epilog="structiou COMMAND --help tells the options of a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"structiou {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_score(commands)
    _add_align(commands)
    _add_register(commands)
    return parser


def _add_score(commands: Any) -> None:
    parser = _add_command(
        commands,
        "score",
        arguments="REFERENCE [PREDICTION] [options]",
        help="score a file of predicted trees against a file of reference trees",
        description="Scores predicted trees against reference trees, pair by pair.",
        epilog=_SCORE_EXAMPLES,
    )
    parser.add_argument(
        "reference",
        metavar="REFERENCE",
        help="file of trees, perhaps gzipped; - is standard input; or a table: a .jsonl, .csv or .parquet "
        "file, or the folder of a saved Dataset",
    )
    parser.add_argument(
        "prediction",
        nargs="?",
        metavar="PREDICTION",
        help="likewise, with as many trees; may be missing if REFERENCE is a table with both",
    )
    for side in ("reference", "prediction"):
        parser.add_argument(
            f"--{side}-column",
            metavar="NAME",
            help=f"column of a table with the trees (default: {side}, or the only column of a file)",
        )
    parser.add_argument("--per-sentence", action="store_true", help="add a table with a row for each pair")
    parser.add_argument("--per-label", action="store_true", help="add a table with a row for each label")
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of tables")
    parser.add_argument("--workers", type=_positive, default=1, metavar="N", help="threads (default: 1)")
    _add_options(parser)
    parser.set_defaults(run=_score, parser=parser)


def _add_align(commands: Any) -> None:
    parser = _add_command(
        commands,
        "align",
        help="draw two trees with their aligned nodes",
        description="Draws two trees with equal numbers at aligned nodes, and their IoU below 1.",
        epilog=_ALIGN_EXAMPLES,
    )
    parser.add_argument(
        "reference", metavar="REFERENCE", help="a tree in brackets, or a file of trees as for score"
    )
    parser.add_argument("prediction", metavar="PREDICTION", help="likewise")
    parser.add_argument(
        "--row", type=_positive, default=1, metavar="N", help="which tree of a file (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="the aligned pairs as JSON instead of a drawing")
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto is in a terminal, unless NO_COLOR is set (default: auto)",
    )
    parser.add_argument(
        "--width", type=_positive, metavar="N", help="columns to draw in (default: the terminal's, or 80)"
    )
    _add_options(parser, single=True)
    parser.set_defaults(run=_align, parser=parser)


def _add_register(commands: Any) -> None:
    parser = _add_command(
        commands,
        "register",
        arguments="[--unregister | --status]",
        help='let evaluate.load("struct_iou") find this metric',
        description='Puts the metric into the cache of the library evaluate. evaluate.load("struct_iou") '
        "then finds it from every folder, with and without a network.",
        epilog=_REGISTER_EXAMPLES,
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--unregister", action="store_true", help="remove it from the cache")
    instead.add_argument("--status", action="store_true", help="tell what is registered and do nothing")
    parser.set_defaults(run=_register, parser=parser)


def _add_command(
    commands: Any, name: str, *, epilog: str, arguments: str = "REFERENCE PREDICTION [options]", **texts: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=f"structiou {name} {arguments}",
        epilog=f"{epilog}\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **texts,
    )
    return parser


def _add_options(parser: argparse.ArgumentParser, *, single: bool = False) -> None:
    """The metric's options, by their names; those that only matter for a corpus unless `single`."""
    group = parser.add_argument_group("options of the metric")
    for name, choices in CHOICES.items():
        if single and name in ("average", "on_error"):
            continue
        group.add_argument(
            "--" + name.replace("_", "-"),
            choices=choices,
            default=choices[0],
            help=f"{_HELP[name]} (default: {choices[0]})",
        )
    group.add_argument(
        "--min-iou",
        type=float,
        default=0.0,
        metavar="X",
        help="pairs at or below it do not align (default: 0)",
    )
    group.add_argument(
        "--drop",
        nargs="*",
        action="extend",
        type=str.strip,
        metavar="LABEL",
        help="labels that are no constituents, written after the files; '' is the empty label, and no LABEL "
        "at all keeps every node (default: " + " ".join(label or "''" for label in DEFAULT_DROP) + ")",
    )
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="auto",
        help="line: a tree a line, a blank one being a failed parse; free: trees over many lines, "
        "or many on a line; auto: look at the file (default: auto)",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _metric(args: argparse.Namespace) -> StructIoU:
    """The metric with the options given; usage that no option's parser can see ends here."""
    parser: argparse.ArgumentParser = args.parser
    if args.reference == "-" and args.prediction == "-":
        parser.error("only one of the two can be standard input")
    if args.drop is None:
        args.drop = DEFAULT_DROP
    names = [*CHOICES, "min_iou", "drop"]
    try:
        return StructIoU(**{name: getattr(args, name) for name in names if hasattr(args, name)})
    except ValueError as error:
        parser.error(str(error))


def _score(args: argparse.Namespace) -> str:
    metric = _metric(args)
    reference, prediction = _read_sides(args)
    result = metric.score_rows(prediction, reference, workers=args.workers, progress=True)
    if args.json:
        return _as_json(result.as_dict(by_label=args.per_label, per_sentence=args.per_sentence))
    parts = []
    if args.per_sentence:
        parts.append(_sentence_table(result))
    if args.per_label:
        parts.append(_label_table(result))
    parts.append(_summary(result))
    return "\n".join(parts)


def _read_sides(args: argparse.Namespace) -> Sequence[Rows]:
    """Reference and prediction, from one table or from two files of any kind."""
    from .tabular import is_table, read_columns

    paths = {"reference": args.reference, "prediction": args.prediction}
    columns = {side: getattr(args, f"{side}_column") for side in paths}
    if args.prediction is None:
        if not is_table(args.reference):
            args.parser.error("the following arguments are required: PREDICTION")
        return read_columns(args.reference, columns)
    sides: list[Rows] = []
    for side, path in paths.items():
        if is_table(path):
            sides += read_columns(path, {side: columns[side]})
        elif columns[side] is not None:
            args.parser.error(f"--{side}-column: {path} is no table (.jsonl, .csv, .parquet or a folder)")
        else:
            sides.append(TreeFile.read(path, args.layout))
    return sides


def _as_json(value: object) -> str:
    import json

    return json.dumps(value, indent=2) + "\n"


def _summary(result: CorpusScore) -> str:
    figures = [("STRUCT-IoU, sentence mean", result.sentence), ("STRUCT-IoU, corpus level", result.corpus)]
    if result.options.average == "corpus":
        figures.reverse()
    figures += [("precision, corpus level", result.precision), ("recall, corpus level", result.recall)]
    counts = (
        ("sentences", len(result.sentences)),
        ("failed parses, score 0", result.n_empty),
        ("not comparable, score 0", result.n_zeroed),
        ("not comparable, skipped", result.n_skipped),
        ("nodes without length", result.n_lengthless),
    )
    lines = [f"{name:<25}  {value:>8.4f}" for name, value in figures]
    lines += [f"{name:<25}  {count:>8}" for name, count in counts if count]
    for row, message in result.problems[:_MAX_PROBLEMS]:
        lines.append(f"row {row + 1}: {message.splitlines()[0]}")
    if len(result.problems) > _MAX_PROBLEMS:
        lines.append(f"and {len(result.problems) - _MAX_PROBLEMS} more rows; --json lists all")
    return "\n".join([*lines, result.signature, ""])


def _sentence_table(result: CorpusScore) -> str:
    lines = ["   row  struct_iou  precision  recall  predicted  reference"]
    for row in result.rows():
        lines.append(
            f"{row['index'] + 1:>6}  {row['struct_iou']:>10.4f}  {row['precision']:>9.4f}"
            f"  {row['recall']:>6.4f}  {row['n_pred']:>9}  {row['n_ref']:>9}"
            + ("  not comparable" if row["failed"] else "")
        )
    return "\n".join([*lines, ""])


def _label_table(result: CorpusScore) -> str:
    from .terminal import NO_LABEL, cells, isolated, printable

    labels = [printable(label) or NO_LABEL for label in result.by_label]
    width = max(map(cells, ["label", *labels]))
    lines = [f"{'label':<{width}}  struct_iou  precision  recall  predicted  reference"]
    for label, tally in zip(labels, result.by_label.values(), strict=True):
        lines.append(
            f"{isolated(label)}{' ' * (width - cells(label))}"
            f"  {tally.score:>10.4f}  {tally.precision:>9.4f}  {tally.recall:>6.4f}"
            f"  {tally.n_pred:>9}  {tally.n_ref:>9}"
        )
    return "\n".join([*lines, ""])


def _align(args: argparse.Namespace) -> str:
    from .draw import draw_alignment

    metric = _metric(args)
    reference = _tree(args.reference, "reference", args)
    prediction = _tree(args.prediction, "prediction", args)
    alignment = metric.align(prediction, reference)
    if args.json:
        return _as_json({**alignment.as_dict(), "signature": metric.signature})
    if args.width is None:
        import shutil

        args.width = shutil.get_terminal_size().columns
    drawing = draw_alignment(alignment, color=_wants_color(args.color), width=args.width)
    return f"{drawing}\n{metric.signature}\n"


def _wants_color(choice: str) -> bool:
    if choice == "auto":
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not plain and sys.stdout is not None and sys.stdout.isatty()
    return choice == "always"


def _tree(argument: str, side: str, args: argparse.Namespace) -> SegmentTree:
    """A tree written on the command line, or the row asked for of a file."""
    if argument.lstrip().startswith("("):
        return SegmentTree.from_brackets(argument, args.unit, source=side)
    rows = TreeFile.read(argument, args.layout)
    if args.row > len(rows):
        raise ValueError(f"{rows.title}: {count(len(rows), 'tree')}; there is no row {args.row}")
    return rows.tree(args.row - 1, args.unit)


def _register(args: argparse.Namespace) -> str:
    from .register import register, status, unregister

    if args.status:
        return status()
    if args.unregister:
        folders = unregister()
        return "".join(f"removed {folder}\n" for folder in folders) or "nothing was registered\n"
    return f'registered {register()}\nevaluate.load("struct_iou") finds it now\n'
