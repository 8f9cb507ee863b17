"""`Coverage`: which rows of which files were scored, so that none is counted twice or missed."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping
from typing import Any


class Coverage:
    """Rows of files, each file with a stamp by which a changed file is noticed.

    >>> one, two = Coverage(), Coverage()
    >>> one.add_rows("pairs.parquet", "4,033 bytes", range(0, 50))
    >>> two.add_rows("pairs.parquet", "4,033 bytes", range(80, 100))
    >>> one.add(two)
    >>> whole = Coverage()
    >>> whole.add_rows("pairs.parquet", "4,033 bytes", range(0, 120))
    >>> list(one.missing(whole))
    ['rows 50 to 79 of pairs.parquet', 'rows 100 to 119 of pairs.parquet']
    >>> one.add(two)
    Traceback (most recent call last):
        ...
    ValueError: rows 80 to 99 of pairs.parquet would be counted twice

    Attributes:
        files: The stamp of each file, and its rows as ranges that neither touch nor overlap, in order.
    """

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, list[range]]] = {}

    def add(self, other: Coverage) -> None:
        """Add the rows of another coverage; a ValueError if some are in both, or if a file has changed."""
        for file, (stamp, ranges) in other.files.items():
            self.add_rows(file, stamp)
            for rows in ranges:
                self.add_rows(file, stamp, rows)

    def add_rows(self, file: str, stamp: str, rows: range = range(0)) -> None:
        """Add rows of a file, which are numbered from 0."""
        known, ranges = self.files.setdefault(file, (stamp, []))
        if known != stamp:
            raise ValueError(f"{file} was changed, or is scored in different ways: {known}; {stamp}")
        if not rows:
            return
        at = bisect([other.start for other in ranges], rows.start) if ranges else 0
        for other in ranges[max(at - 1, 0) : at + 1]:
            twice = range(max(rows.start, other.start), min(rows.stop, other.stop))
            if twice:
                raise ValueError(f"{_name_rows(twice)} of {file} would be counted twice")
        lo, hi = at, at
        if at > 0 and ranges[at - 1].stop == rows.start:
            lo, rows = at - 1, range(ranges[at - 1].start, rows.stop)
        if at < len(ranges) and ranges[at].start == rows.stop:
            hi, rows = at + 1, range(rows.start, ranges[at].stop)
        ranges[lo:hi] = [rows]

    def missing(self, whole: Coverage) -> Iterator[str]:
        """Name the rows that another coverage has and this one has not; a ValueError where files differ."""
        for file in self.files.keys() - whole.files.keys():
            raise ValueError(f"{file} is no file of this job")
        for file, (stamp, wanted) in whole.files.items():
            own, ranges = self.files.get(file, (stamp, []))
            if own != stamp:
                raise ValueError(f"{file} was changed, or is scored in different ways: {own}; {stamp}")
            for rows in wanted:
                begin = rows.start
                for found in (*ranges, range(rows.stop, rows.stop)):
                    if gap := range(begin, min(found.start, rows.stop)):
                        yield f"{_name_rows(gap)} of {file}"
                    begin = max(begin, found.stop)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, from which `from_dict` makes an equal coverage."""
        return {
            file: [stamp, [[rows.start, rows.stop] for rows in ranges]]
            for file, (stamp, ranges) in sorted(self.files.items())
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Coverage:
        """Make the coverage for which `to_dict` returned these values."""
        found = cls()
        found.files = {
            file: (stamp, [range(*ends) for ends in ranges]) for file, (stamp, ranges) in values.items()
        }
        return found


def _name_rows(rows: range) -> str:
    return f"rows {rows.start:,} to {rows.stop - 1:,}" if len(rows) > 1 else f"row {rows.start:,}"
