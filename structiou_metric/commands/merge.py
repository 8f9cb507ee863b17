"""`structiou merge`: add up the exact sums of several jobs."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import TreeFormatError
from ..metrics.coverage import Coverage
from ..metrics.tally import CorpusTally
from ..scale.jobs import read_prefix
from ..sources.files import read_text
from . import arguments, outputs, score

USAGE = "TALLY… [options]"
DESCRIPTION = """\
Add up tallies that structiou score --tally or --out wrote. Figures are those of one run over all rows."""
EPILOG = """\
examples:
  structiou score gold.mrg parsed.txt --shard 3/64 --tally tally.3.json   # one of 64 jobs
  structiou merge tally.*.json
  structiou merge tally.*.json -o whole.json --json
"""

_SHOWN = 12  # number of missing parts listed in an error


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument(
        "tallies",
        nargs="+",
        metavar="TALLY",
        help="files of structiou score --tally, or a PREFIX of its --out",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the merged tally there, too")
    parser.add_argument(
        "--partial", action="store_true", help="merge the given tallies even if some rows are missing"
    )
    parser.add_argument("--per-label", action="store_true", help="add a table with a row for each label")
    arguments.add_formats(parser)


def run(args: argparse.Namespace) -> str:
    """Merge the tallies; rows that are missing or covered twice are an error."""
    outputs.check_writable(args.output)
    whole = Coverage()
    tally: CorpusTally | None = None
    for path in args.tallies:
        for values, title in _read(path, whole):
            try:
                part = CorpusTally.from_dict(values)
                tally = CorpusTally(part.metric) if tally is None else tally
                tally += part
            except (KeyError, TypeError) as error:
                raise _no_tally(f"there is no {error}", title) from None
            except ValueError as error:
                raise ValueError(f"{title}: {error}") from None
    if tally is None:
        raise ValueError(f"{', '.join(args.tallies)}: no unit is done yet")
    missing = list(tally.covers.missing(whole))
    if missing and not args.partial:
        more = f" and {len(missing) - _SHOWN} more parts" if len(missing) > _SHOWN else ""
        raise ValueError(
            f"{'; '.join(missing[:_SHOWN])}{more} are missing; give all tallies, or merge these with "
            "--partial"
        )
    if args.output is not None:
        outputs.write_text(args.output, json.dumps({**tally.to_dict(), "whole": whole.to_dict()}) + "\n")
    result = tally.result()
    if args.per_label and tally.labels is None:
        raise ValueError("labels were not counted: score with --per-label, too")
    return score.format_results({result.metric.name: result}, args, kind="merge")


def _read(path: str, whole: Coverage) -> Iterable[tuple[dict[str, Any], str]]:
    """Read the tallies of a file, or those below a prefix of `--out`; add the job's rows to `whole`."""
    if "://" in path or os.path.isdir(path):
        found, rows = read_prefix(path)
        _add_whole(whole, rows)
        return found
    text, title = read_text(path)
    try:
        values: Any = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError("it holds no tally")
        _add_whole(whole, Coverage.from_dict(values.get("whole", {})))
    except (ValueError, TypeError) as error:
        raise _no_tally(str(error), title) from None
    return [(values, title)]


def _add_whole(whole: Coverage, rows: Coverage) -> None:
    """Add the rows of a job, which other tallies may have added already."""
    for file, (stamp, ranges) in rows.files.items():
        if file not in whole.files:
            whole.files[file] = (stamp, ranges)


def _no_tally(what: str, title: str) -> TreeFormatError:
    return TreeFormatError(f"this is no tally ({what}); give files of structiou score --tally", source=title)
