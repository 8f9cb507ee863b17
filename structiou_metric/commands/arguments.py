"""Arguments that several commands share, and what is made of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from errno import EACCES, EISDIR, ENOENT

from ..errors import TreeFormatError
from ..metrics import METRICS, metric_class
from ..metrics.notices import refuse_notices
from ..sources.files import LAYOUTS, PARTED
from ..sources.formats import AUTO, FORMATS
from ..sources.places import title_of
from ..sources.rows import sign_reading
from ..sources.tables import Table, name_kinds, open_table
from ..trees.discontinuous import CHOICES as DISCONTINUOUS
from ..trees.tree import SegmentTree
from ..wording import check_choice, count
from ..workers import AUTO as AUTO_WORKERS
from .plain import refusal, suggest

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..metrics.base import Option
    from ..metrics.metric import Metric
    from ..metrics.notices import Notice
    from ..sources.rows import Rows
    from ..sources.treebanks import Reading

# How argparse takes each kind of option.
_KINDS: dict[str, dict[str, Any]] = {
    "choice": {},
    "number": {"type": float, "metavar": "X"},
    "labels": {"nargs": "*", "action": "extend", "type": str.strip, "metavar": "LABEL"},
    "flag": {"action": "store_true"},
    "file": {"metavar": "FILE"},
}

_ROW = "row"  # the way to make documents of tables whose cells are lists of trees

# What is said of the predictions, by how many files there are.
_PREDICTIONS = {
    None: "",
    "?": "; may be missing if REFERENCE is a table with both",
    "+": "; each is a system",
}


def add_sides(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Adds the files to compare, how to read them, and the columns of those that are tables.

    There is one side of predictions, by `nargs` perhaps in the same table (`?`), or several (`+`).
    """
    parser.add_argument(
        "reference",
        nargs="+" if nargs == "?" else None,
        metavar="REFERENCE",
        help="treebank: a file, a folder, an archive, a pattern in quotes such as 'wsj/23/*.mrg', or - for "
        f"standard input; or a table: {name_kinds()}",
    )
    parser.add_argument(
        "prediction",
        nargs=nargs,
        metavar="PREDICTION",
        help=f"likewise, with as many trees{_PREDICTIONS[nargs]}",
    )
    for side in ("reference", "prediction"):
        parser.add_argument(
            f"--{side}-column",
            metavar="NAME",
            help=f"column of a table with the trees (default: {side}, or the only column of a file)",
        )
    add_reading(parser, sides=True)


def _split_sides(args: argparse.Namespace) -> None:
    """Tells references from predictions where there are more files than two.

    The predictions are the last file and those before it in the same folder; only the last, where all stand
    in one folder.
    """
    if not isinstance(getattr(args, "reference", None), list):
        return
    files = [*args.reference, *([] if args.prediction is None else [args.prediction])]
    begin = len(files) - 1
    folder = os.path.dirname(files[-1])
    while begin > 1 and os.path.dirname(files[begin - 1]) == folder:
        begin -= 1
    if begin == 1 and os.path.dirname(files[0]) == folder:
        begin = len(files) - 1
    sides = files[:begin] or files, files[begin:] if begin else None
    args.reference, args.prediction = (side[0] if side and len(side) == 1 else side for side in sides)


def add_documents(parser: argparse.ArgumentParser) -> None:
    """Adds how trees make documents, whose sentences need not be the same on both sides."""
    ways = "; ".join(f"{way}: {meaning}" for way, meaning in PARTED.items())
    parser.add_argument(
        "--documents",
        dest="parted",
        choices=[*PARTED, _ROW],
        help="compare documents, lists of trees whose sentences may end elsewhere on the other side. "
        f"{ways}; {_ROW}: every row of a table is a list of trees",
    )
    parser.add_argument(
        "--document-column",
        metavar="NAME",
        help="compare documents: rows of a table that follow each other with the same value there are one",
    )


def makes_documents(args: argparse.Namespace) -> bool:
    """Whether the trees are compared as documents; refuses two ways to make them."""
    given = vars(args)
    if given.get("parted") and given.get("document_column"):
        args.parser.error("--documents and --document-column both say what documents are; give one of them")
    return bool(given.get("parted") or given.get("document_column"))


def read_side(path: Any, side: str, args: argparse.Namespace) -> Rows:
    """The trees of a treebank, or of a column of a table."""
    return _read_place(_open(path, side, args), side, args)


def _open(path: Any, side: str, args: argparse.Namespace) -> Any:
    """The table; else the place as it is given, or the file that it is if that had to be looked at."""
    given = vars(args)
    asked = given.get(f"{side}_column") or given.get("document_column") or given.get("parted") == _ROW
    encoding = reading_of(args, side).encoding
    several = isinstance(path, list)
    opened = [open_table(one, encoding, asked=bool(asked)) or one for one in (path if several else [path])]
    for table in opened if several else ():
        if isinstance(table, Table):
            args.parser.error(f"{table.path} is a table, which cannot be one of several files")
    return opened if several else opened[0]


def _read_place(place: Any, side: str, args: argparse.Namespace) -> Rows:
    if isinstance(place, Table):
        return _read_table(place, {side: getattr(args, f"{side}_column", None)}, args, side)[0]
    path = title_of(place)
    _check_column(args, side, path)
    if not makes_documents(args):
        return reading_of(args, side).rows(place)
    if args.document_column or args.parted == _ROW:
        flag = f"--documents {_ROW}" if args.parted else "--document-column"
        args.parser.error(f"{flag}: {path} is no table ({name_kinds()})")
    from ..sources.document_files import read_documents

    return read_documents(place, args.parted, reading_of(args, side))


def _check_column(args: argparse.Namespace, side: str, path: Any) -> None:
    if getattr(args, f"{side}_column", None) is not None:
        args.parser.error(f"--{side}-column: {path} is no table ({name_kinds()})")


def _read_table(
    table: Table, columns: dict[str, str | None], args: argparse.Namespace, side: str = "reference"
) -> Sequence[Rows]:
    """The trees, or documents, of some columns of a table."""
    encoding = reading_of(args, side).encoding
    if not makes_documents(args):
        return table.columns(columns, encoding)
    from ..sources.documents import DocumentRows, Documents, runs_of

    if args.parted == _ROW:
        return [DocumentRows(rows.values, rows.title) for rows in table.columns(columns, encoding)]
    if args.parted == "all":
        return [Documents(rows, [len(rows)]) for rows in table.columns(columns, encoding)]
    if args.parted:
        args.parser.error(f"--documents {args.parted}: {table.path} is a table; name its --document-column")
    *sides, ids = table.columns({**columns, "document": args.document_column}, encoding)
    return [Documents(rows, *runs_of(ids.values)) for rows in sides]


def read_sides(args: argparse.Namespace) -> Sequence[Rows]:
    """The reference and the prediction, from one table or from two places of any kind."""
    if args.prediction is not None:
        return read_systems(args, [args.prediction])
    table = _open(args.reference, "reference", args)
    if not isinstance(table, Table):
        args.parser.error("the following arguments are required: PREDICTION")
    columns = {side: getattr(args, f"{side}_column") for side in ("reference", "prediction")}
    return _read_table(table, columns, args)


def read_systems(args: argparse.Namespace, predictions: Sequence[Any]) -> Sequence[Rows]:
    """The reference, then each prediction; treebanks of several files are paired by the names of these."""
    reference, *systems = [
        _open(path, side, args)
        for path, side in ((args.reference, "reference"), *((path, "prediction") for path in predictions))
    ]
    if makes_documents(args) or isinstance(reference, Table):
        first = _read_place(reference, "reference", args)
        return [first, *(_read_place(place, "prediction", args) for place in systems)]
    treebanks = [place for place in systems if not isinstance(place, Table)]
    _check_column(args, "reference", title_of(reference))
    for place in treebanks:
        _check_column(args, "prediction", title_of(place))
    other = reading_of(args, "prediction")
    rows = iter(reading_of(args, "reference").pair(reference, treebanks, other))
    return [
        _read_place(place, "prediction", args) if isinstance(place, Table) else next(rows)
        for place in (reference, *systems)
    ]


def in_brackets(argument: Any) -> bool:
    """Whether an argument is a tree itself, not the name of a file, or of several."""
    return isinstance(argument, str) and argument.lstrip().startswith("(")


def read_pair(args: argparse.Namespace, unit: str | None) -> tuple[SegmentTree, SegmentTree, str]:
    """The prediction and the reference: trees written on the command line, or the row asked for of files.

    The third is what signatures add of how they were read.
    """
    sides = ("reference", "prediction")
    if not in_brackets(args.prediction) and not in_brackets(args.reference):
        rows = dict(zip(sides, read_sides(args), strict=True))
    else:
        rows = {
            side: read_side(path, side, args)
            for side in sides
            if not in_brackets(path := getattr(args, side))
        }
    trees = []
    for side in sides:
        if side not in rows:
            trees.append(SegmentTree.from_brackets(getattr(args, side), unit, source=side))
            continue
        if args.row > len(rows[side]):
            raise ValueError(
                f"{rows[side].title}: {count(len(rows[side]), 'tree')}; there is no row {args.row}, give one "
                f"from 1 to {len(rows[side])}"
            )
        trees.append(rows[side].tree(args.row - 1, unit))
    reference, prediction = trees
    return prediction, reference, sign_reading(*rows.values())


def find_metrics(argv: Sequence[str], flag: str, default: str) -> list[str]:
    """The metrics that a flag names between commas, before there is a parser that knows their options.

    Only those that `METRICS` has, and of `all` all of them; the parser refuses others.
    """
    text = default
    for i, word in enumerate(argv):
        if word == flag:
            text = argv[i + 1] if i + 1 < len(argv) else ""
        elif word.startswith(f"{flag}="):
            text = word.partition("=")[2]
    names = METRICS if text == "all" else dict.fromkeys(text.split(","))
    return [name for name in names if name in METRICS]


def metric_names(text: str) -> list[str]:
    """The different metrics of a list with commas between, or all of them."""
    names = list(METRICS) if text == "all" else text.split(",")
    hints = [suggest(name, METRICS) for name in names if name not in METRICS]
    if hints or len(set(names)) < len(names):
        raise refusal(
            f"{text!r} is not a list of different metrics; "
            + ("".join(hints) or f"choose from {', '.join(METRICS)}, or all")
        )
    return names


def add_metric_options(
    parser: Any,
    names: Sequence[str] = ("struct_iou",),
    *,
    single: bool = False,
    defaults: Mapping[str, Any] | None = None,
    fixed: Mapping[str, Any] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> None:
    """Adds a flag for each option of some metrics; `metrics_of` leaves those not given to the metric.

    Args:
        parser: The parser of the command.
        names: The metrics, as in `METRICS`. A flag that several of them have is made once; where they take
            values of different kinds, the later ones' begin with the name of the metric.
        single: Whether the command takes one pair of trees, so that options for many mean nothing.
        defaults: Other values than the metric's where a flag is not given, by option.
        fixed: Values that the command needs, by option; they have no flags.
        aliases: Short flags, by option.
    """
    classes = [metric_class(name) for name in names]
    fixed, defaults, aliases = fixed or {}, defaults or {}, aliases or {}
    made = set(fixed)
    for metric in classes:
        group = parser.add_argument_group(f"options of {metric.title}")
        for name, option in metric.OPTIONS.items():
            dest = _dest(classes, metric, name)
            if dest in made or name in fixed or (single and option.corpus):
                continue
            made.add(dest)
            sharing = [
                other.OPTIONS[name]
                for other in classes
                if name in other.OPTIONS and other.OPTIONS[name].kind == option.kind
            ]
            flags = [aliases[name]] if name in aliases else []
            group.add_argument(
                *flags,
                f"--{dest.replace('_', '-')}",
                dest=dest,
                default=defaults.get(name, parser.NOT_GIVEN),
                help=_tell(option, defaults.get(name, option.default)),
                **_kind(sharing),
            )
    parser.set_defaults(metric_names=tuple(names), fixed_options=tuple(fixed), **fixed)


def _dest(classes: Sequence[type[Metric]], metric: type[Metric], name: str) -> str:
    """What the value of an option is called: by its name, if the first metric with it takes such values."""
    first = next(other for other in classes if name in other.OPTIONS)
    same = metric.OPTIONS[name].kind == first.OPTIONS[name].kind
    return name if same else f"{metric.name}_{name}"


def _kind(sharing: Sequence[Option]) -> dict[str, Any]:
    """How argparse takes an option that metrics share; each checks itself whether a choice is its own."""
    kind = dict(_KINDS[sharing[0].kind])
    if all(option.choices for option in sharing):
        kind["choices"] = list(dict.fromkeys(choice for option in sharing for choice in option.choices))
    if sharing[0].kind == "flag" and sharing[0].default:
        kind["action"] = "boolean"
    return kind


def _tell(option: Option, default: Any) -> str:
    """What an option means, with its default."""
    text = option.help
    if option.kind == "labels":
        text += "; written after the files, '' is the empty label, and no LABEL at all means none"
        default = " ".join(label or "''" for label in default) or "none"
    elif option.kind == "number" and default is not None:
        default = f"{default:g}"
    if option.kind != "flag" and default is not None:
        text += f" (default: {default})"
    return text.replace("%", "%%")


def metrics_of(args: argparse.Namespace) -> list[Any]:
    """The metrics with the options given; refuses what no option's parser can, before any file is read."""
    _split_sides(args)
    given = vars(args)
    parser: argparse.ArgumentParser = args.parser
    classes = [metric_class(name) for name in args.metric_names]
    fixed = args.fixed_options
    chosen = [
        {
            name: given[dest]
            for name in metric.OPTIONS
            if (dest := name if name in fixed else _dest(classes, metric, name)) in given
        }
        for metric in classes
    ]
    files = {
        name: value
        for metric, values in zip(classes, chosen, strict=True)
        for name, value in values.items()
        if metric.OPTIONS[name].kind == "file"
    }
    places = (given.get("reference"), given.get("prediction"))
    sides = [side if isinstance(side, list) else [side] for side in places]
    check_stdin(parser, *sides[0], *sides[1], *files.values())
    try:
        return [metric(**values) for metric, values in zip(classes, chosen, strict=True)]
    except TreeFormatError:  # of a file that an option names
        raise
    except ValueError as error:
        parser.error(str(error))


def metric_of(args: argparse.Namespace) -> Any:
    """The only metric of a command, with the options given."""
    [metric] = metrics_of(args)
    return metric


def add_reading(parser: argparse.ArgumentParser, *, sides: bool = False, format: str = "--format") -> None:
    """Adds how treebanks are read; each of two sides may have a format and an encoding of its own."""
    both = "; with a comma between, that of the reference and that of the prediction" if sides else ""
    parser.add_argument(
        format,
        dest="tree_format",
        type=lambda text: _each_side(text, sides, _tree_format),
        default=AUTO,
        metavar="NAME",
        help=f"of treebanks: {', '.join(FORMATS)}{both} (default: look at each file)",
    )
    parser.add_argument(
        "--encoding",
        type=lambda text: _each_side(text, sides, _encoding),
        metavar="NAME",
        help=f"of treebanks, such as latin-1{both} (default: UTF-8, or what a file's mark or XML "
        "declaration says)",
    )
    parser.add_argument(
        "--discontinuous",
        choices=DISCONTINUOUS,
        default=DISCONTINUOUS[0],
        help="trees with crossing branches are an error; or have these attached higher (raise), or one node "
        "for each run of words (split), or nodes from first to last word where these do not overlap then "
        f"(span) (default: {DISCONTINUOUS[0]})",
    )
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="auto",
        help="of brackets; line: a tree a line, a blank one being a failed parse; free: trees over many "
        "lines, or many on a line; sentence: a line is a row, perhaps of several trees; auto: look at the "
        "file (default: auto)",
    )


def reading_of(args: argparse.Namespace, side: str = "reference") -> Reading:
    """How the treebanks of a side are read."""
    from ..sources.treebanks import Reading

    at = 0 if side == "reference" else -1
    format, encoding = (
        value[at] if isinstance(value, list) else value for value in (args.tree_format, args.encoding)
    )
    return Reading(args.layout, format, encoding, args.discontinuous)


def _each_side(text: str, sides: bool, check: Callable[[str], str]) -> list[str]:
    """A value for both sides, or one for each."""
    values = text.split(",")
    if len(values) > 1 + sides:
        raise refusal(f"{text!r}: give one value{', or one for each side' if sides else ''}")
    try:
        return [check(value.strip()) for value in values]
    except ValueError as error:
        raise refusal(str(error)) from None


def _tree_format(text: str) -> str:
    hint = "" if text in (AUTO, *FORMATS) else suggest(text, FORMATS)
    if hint:
        raise ValueError(f"unknown format {text!r}; {hint}")
    check_choice("format", text, (AUTO, *FORMATS))
    return text


def encoding(text: str) -> str:
    """The type of an option that names one encoding."""
    return _each_side(text, False, _encoding)[0]


def _encoding(text: str) -> str:
    from ..sources.encodings import check_encoding

    return check_encoding(text)


def add_number(
    parser: argparse.ArgumentParser, flag: str, default: int, what: str, *, least: int = 1
) -> None:
    """Adds a flag for a whole number, with its default in the help."""
    kind = positive if least else whole
    parser.add_argument(flag, type=kind, default=default, metavar="N", help=f"{what} (default: {default})")


def add_workers(parser: argparse.ArgumentParser, what: str = "threads") -> None:
    """Adds how many threads, or processes, share the work."""
    parser.add_argument(
        "--workers",
        type=_workers,
        default=AUTO_WORKERS,
        metavar="N",
        help=f"{what} (default: {AUTO_WORKERS}, as many as there are processors where there is enough to do)",
    )


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Adds flags for what is printed instead of tables for people."""
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="JSON for programs instead of tables")
    formats.add_argument(
        "--latex", action="store_true", help="tables for a paper, as LaTeX in the style of booktabs"
    )


def add_drawing(parser: argparse.ArgumentParser) -> None:
    """Adds how trees are drawn in the terminal."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto is in a terminal, unless NO_COLOR is set (default: auto)",
    )
    parser.add_argument(
        "--width", type=positive, metavar="N", help="columns to draw in (default: the terminal's, or 80)"
    )


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Adds whether notices are errors."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="end with an error where there is a notice: something suspicious though it can be computed",
    )


def check_notices(args: argparse.Namespace, notices: Sequence[Notice], whose: str = "") -> None:
    """Makes notices errors, if that is asked for."""
    if getattr(args, "strict", False):
        refuse_notices(notices, whose)


def tell_notices(notices: Sequence[Notice]) -> None:
    """Prints a line for each notice beside the output, where that has the form of another program's."""
    for line in notice_lines(notices):
        sys.stderr.write(f"structiou: {line}\n")


def notice_lines(notices: Sequence[Notice]) -> list[str]:
    """A line for each notice."""
    return [f"notice: {notice.message}" for notice in notices]


def add_plot(parser: argparse.ArgumentParser, what: str) -> None:
    """Adds a file for a plot."""
    parser.add_argument("--plot", metavar="FILE", help=f"also draw {what}, as .png or .svg")


def check_plot(path: str | None) -> None:
    """Refuses a plot that cannot be made, before the work starts."""
    if path is not None:
        from ..drawing.plots import check_format
        from ..optional import need

        check_format(path)
        check_writable(path)
        need("matplotlib", "plot", "a plot")


def save_plot(path: str | None, found: Any) -> None:
    """Writes the plot of what was found, if there is a file for it."""
    if path is not None:
        from ..drawing.plots import save_figure

        save_figure(found.plot(), path)


def check_writable(path: str | None) -> None:
    """Refuses a file that cannot be written, before the work starts; None is no file."""
    if path is None:
        return
    folder = os.path.dirname(path) or os.curdir
    checks = {
        ENOENT: not os.path.isdir(folder),
        EISDIR: os.path.isdir(path),
        EACCES: not os.access(path if os.path.exists(path) else folder, os.W_OK),
    }
    for number, fails in checks.items():
        if fails:
            raise OSError(number, os.strerror(number), path)


def write_text(path: str, text: str) -> None:
    """Writes a file, with the same line ends on every system."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def wants_color(choice: str = "auto") -> bool:
    """Whether to print in colours; `auto` does in a terminal, unless it or its user wants none."""
    if choice == "auto":
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not plain and sys.stdout is not None and sys.stdout.isatty()
    return choice == "always"


def for_people(args: argparse.Namespace) -> bool:
    """Whether somebody reads along: a terminal, and no wish for silence."""
    return not args.quiet and sys.stdout is not None and sys.stdout.isatty()


def terminal_columns() -> int:
    """The columns of the terminal; 80 where there is none."""
    import shutil

    return shutil.get_terminal_size().columns


def whole(text: str, least: int = 0, nor: str = "") -> int:
    """A whole number from 0 on; `nor` is what else the text is not."""
    if not text.isdecimal() or int(text) < least:
        raise refusal(f"{text!r} is not a whole number from {least} on{nor}")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 on."""
    return whole(text, least=1)


def _workers(text: str) -> int | str:
    """A whole number from 1 on, or `auto`."""
    return text if text == AUTO_WORKERS else whole(text, least=1, nor=f", nor {AUTO_WORKERS}")


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise refusal(f"{text!r} is not a number from 0 to 1")
    return value


def check_stdin(parser: argparse.ArgumentParser, *paths: str | None) -> None:
    """Refuses standard input for more than one file."""
    if paths.count("-") > 1:
        parser.error("only one file can be standard input")


def as_json(kind: str, value: Mapping[str, Any]) -> str:
    """The value as indented JSON with a line end, with the kind of object that it is.

    The number in the schema rises when a key goes or changes its meaning; keys may be added at any time.
    """
    import json

    return json.dumps({"schema": f"structiou.{kind}.v1", **value}, indent=2) + "\n"
