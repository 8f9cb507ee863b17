"""`structiou mbr`: choose the candidate of each sentence that agrees best with all its candidates."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from ..analysis.pairwise import mbr, oracle
from ..errors import TreeFormatError
from ..metrics.signatures import shorten
from ..metrics.struct_iou.metric import StructIoU
from ..metrics.warnings import RowWarning, gather_warnings
from ..sources.files import read_text
from . import arguments, inputs, outputs

USAGE = "NBEST [options]"
DESCRIPTION = """\
Chooses of several candidates for each sentence the one with the best expected score (minimum Bayes risk), and
writes a tree a line. A line of NBEST is a tree, perhaps after a number; blank lines separate sentences."""
EPILOG = """\
examples:
  structiou mbr parsed.50best > chosen.txt
  structiou mbr parsed.50best --weights log -o chosen.txt --reference gold.mrg
"""

_WEIGHTS = ("equal", "linear", "log")


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument("nbest", metavar="NBEST", help="candidates of each sentence; - is standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the trees there, and a summary here")
    parser.add_argument(
        "--weights",
        choices=_WEIGHTS,
        default=_WEIGHTS[0],
        help="all candidates weigh the same, or as their numbers say, which are weights or logarithms of "
        "weights (default: equal)",
    )
    parser.add_argument(
        "--reference", metavar="FILE", help="a treebank: score first, chosen and best candidates against it"
    )
    parser.add_argument("--json", action="store_true", help="JSON: index, expected score and tree of each")
    parser.add_argument("--strict", **arguments.STRICT)
    arguments.add_workers(parser)
    inputs.add_reading(parser)
    arguments.add_metric_options(parser, [StructIoU.name])


def run(args: argparse.Namespace) -> str:
    """Choose the trees; write or return them."""
    inputs.check_stdin(args.parser, args.nbest, args.reference)
    outputs.check_writable(args.output)
    if args.reference is not None and args.output is None and not args.json:
        args.parser.error("--reference tells figures, so write the trees elsewhere: add --output FILE")
    metric = arguments.metric_of(args)
    sentences = read_nbest(args.nbest)
    candidates = [sentence.trees for sentence in sentences]
    weights = None if args.weights == "equal" else [_weigh(own, args) for own in sentences]
    chosen = mbr(candidates, weights, metric, workers=args.workers)
    trees = [own[choice.index] for own, choice in zip(candidates, chosen, strict=True)]
    figures: dict[str, float] = {}
    warnings: list[RowWarning] = []
    lines: list[str] = []
    if args.reference is not None:
        references = inputs.reading_of(args).rows(args.reference)
        best = oracle(candidates, references, metric, workers=args.workers)
        choices = {
            "first": [own[0] for own in candidates],
            "chosen": trees,
            "best": [own[choice.index] for own, choice in zip(candidates, best, strict=True)],
        }
        results = {
            name: metric.corpus_score(own, references, workers=args.workers) for name, own in choices.items()
        }
        figures = {name: result.score for name, result in results.items()}
        warnings = gather_warnings(results.values())
        lines = arguments.warning_lines(args, warnings)
    if args.output is not None:
        outputs.write_text(args.output, "".join(f"{tree}\n" for tree in trees))
    if args.json:
        rows = [
            {"index": choice.index, "expected": choice.score, "tree": tree}
            for choice, tree in zip(chosen, trees, strict=True)
        ]
        found = {
            "signature": metric.signature,
            "figures": figures,
            "sentences": rows,
            "warnings": [warning.as_dict() for warning in warnings],
        }
        return outputs.as_json("mbr", found)
    if args.output is None:
        return "".join(f"{tree}\n" for tree in trees)
    mean = sum(choice.score for choice in chosen) / len(chosen)
    summary = [f"{'sentences':<28}{len(chosen):>8}", f"{'expected score, mean':<28}{mean:>8.4f}"]
    summary += [f"{name + ' candidates score':<28}{figure:>8.4f}" for name, figure in figures.items()]
    return "\n".join([*summary, shorten(metric.signature, metric), *lines, ""])


def _weigh(sentence: Candidates, args: argparse.Namespace) -> list[float]:
    """Return the weight of each candidate."""
    if sentence.numbers is None:
        raise TreeFormatError(
            f"these candidates have no numbers, which --weights {args.weights} needs; leave it out",
            source=args.nbest,
            line=sentence.line,
        )
    if args.weights == "linear":
        return sentence.numbers
    greatest = max(sentence.numbers)  # the greatest weight is 1, so that no weight is too great for a float
    return [exp(number - greatest) for number in sentence.numbers]


_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_CANDIDATE = re.compile(rf"(?:({_NUMBER})\s+)?(\(.*)")  # a tree, perhaps after its number
_ALONE = re.compile(rf"{_NUMBER}$")  # the number of the tree in the next line
_HEAD = re.compile(r"\d+\s+\S+$")  # the number of trees that follow, and the name of the sentence


class Candidates(NamedTuple):
    """The candidates of a sentence.

    Attributes:
        trees: The bracket texts.
        numbers: The number that the parser gave each tree, such as its log probability; None without one.
        line: The line of the first one in its file.
    """

    trees: list[str]
    numbers: list[float] | None
    line: int


def read_nbest(path: str) -> list[Candidates]:
    """Return the candidates of each sentence of a file.

    A line holds a tree, perhaps after a number; blank lines separate sentences. Files in the style of
    Charniak's parser are read, too: a line with the number of candidates and a name begins each sentence, and
    numbers have their own lines.

    Args:
        path: The file, which may be compressed; `-` is standard input.
    """
    text, title = read_text(path)
    found: list[Candidates] = []
    trees: list[str] = []
    numbers: list[float | None] = []
    first = 0
    number: float | None = None

    def close() -> None:
        if number is not None:
            raise TreeFormatError("there is no tree behind this number", source=title, line=at - 1)
        if trees:
            known = [value for value in numbers if value is not None]
            if known and len(known) != len(trees):
                raise TreeFormatError(
                    f"{len(known)} of {len(trees)} candidates have a number; give one to all or to none",
                    source=title,
                    line=first,
                )
            found.append(Candidates(list(trees), known or None, first))
        trees.clear()
        numbers.clear()

    at = 0
    for at, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or _HEAD.match(line):
            close()
            continue
        if _ALONE.match(line) and number is None:
            number = float(line)
            continue
        candidate = _CANDIDATE.match(line)
        if candidate is None:
            raise TreeFormatError(
                f"{line!r:.60} is no candidate; write a tree in brackets, or a number and a tree",
                source=title,
                line=at,
            )
        first = first if trees else at
        numbers.append(float(candidate[1]) if candidate[1] else number)
        trees.append(candidate[2])
        number = None
    at += 1
    close()
    if not found:
        raise TreeFormatError("there are no candidates in this file", source=title)
    return found
