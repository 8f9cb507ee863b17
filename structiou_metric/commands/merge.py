"""`structiou merge`: the result that the exact sums of several jobs amount to."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from ..errors import TreeFormatError
from ..metrics.tally import CorpusTally, merge_tallies
from ..sources.files import read_text
from ..wording import count
from . import arguments, outputs, score

USAGE = "TALLY… [options]"
DESCRIPTION = """\
Adds up tallies that structiou score --tally wrote, exactly: figures are those of one run over all rows."""
EPILOG = """\
examples:
  structiou score gold.mrg parsed.txt --shard 3/64 --tally tally.3.json   # one of 64 jobs
  structiou merge tally.*.json
  structiou merge tally.*.json -o whole.json --json
"""

_SHOWN = 12  # shards in an error


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument("tallies", nargs="+", metavar="TALLY", help="files of structiou score --tally")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the merged tally there, too")
    parser.add_argument(
        "--partial", action="store_true", help="merge what there is, though some shards are missing"
    )
    parser.add_argument("--per-label", action="store_true", help="add a table with a row for each label")
    arguments.add_formats(parser)


def run(args: argparse.Namespace) -> str:
    """Merges the tallies; one that is missing, or there twice, is an error."""
    outputs.check_writable(args.output)
    read = [_read(path) for path in args.tallies]
    shards = [(path, *shard) for path, (_, shard) in zip(args.tallies, read, strict=True)]
    missing = _check_shards(shards)
    if missing and not args.partial:
        raise ValueError(
            f"{count(len(missing), 'shard')} of {shards[0][2]} missing: "
            f"{', '.join(map(str, missing[:_SHOWN]))}{', …' if missing[_SHOWN:] else ''}; give all of them, "
            "or merge what there is with --partial"
        )
    try:
        tally = merge_tallies(tally for tally, _ in read)
    except ValueError as error:
        raise ValueError(f"{error}; merge tallies of one metric with one setting") from None
    if args.output is not None:
        outputs.write_text(args.output, json.dumps({**tally.to_dict(), "shard": 1, "n_shards": 1}) + "\n")
    result = tally.result()
    if args.per_label and result.labels is None:
        raise ValueError("labels were not counted: score with --per-label, too")
    return score.tell({result.metric.name: result}, args, kind="merge")


def _read(path: str) -> tuple[CorpusTally, tuple[int, int]]:
    text, title = read_text(path)
    try:
        values: Any = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError("it holds no tally")
        return CorpusTally.from_dict(values), (values.get("shard", 1), values.get("n_shards", 1))
    except (KeyError, ValueError, TypeError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise TreeFormatError(
            f"this is no tally ({what}); give files of structiou score --tally", source=title
        ) from None


def _check_shards(shards: Sequence[tuple[str, int, int]]) -> list[int]:
    """The shards that are missing; an error where one is there twice, or one is of another split."""
    seen: dict[int, str] = {}
    path, _, n_shards = shards[0]
    for other, number, n_others in shards:
        if n_others != n_shards:
            raise ValueError(f"{path} is one of {count(n_shards, 'shard')}, {other} one of {n_others}")
        if n_shards > 1 and number in seen:
            raise ValueError(f"{seen[number]} and {other} are both shard {number} of {n_shards}; give one")
        seen[number] = other
    return [number for number in range(1, n_shards + 1) if number not in seen] if n_shards > 1 else []
