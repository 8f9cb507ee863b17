"""Millions of pairs and more: columns of Arrow, Parquet files, and many machines.

Everything here adds up to a `CorpusTally`, whose sums are exact: however the pairs are cut, ordered and
merged, the figures are those of one run, to the last bit. See `docs/scale.md`.
"""

from __future__ import annotations

from .arrow import score_arrow, tally_arrow
from .dask import score_dask
from .parquet import tally_parquet
from .row_files import RowWriter

__all__ = ["RowWriter", "score_arrow", "score_dask", "tally_arrow", "tally_parquet"]
