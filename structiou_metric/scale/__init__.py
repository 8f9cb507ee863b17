"""Score millions of pairs and more: columns of Arrow, Parquet files, and many machines.

All functions add pairs up in a `CorpusTally`, whose sums are exact: the figures are those of one run, to
the last bit, in whichever parts and order pairs are scored. See `docs/scale.md`.
"""

from __future__ import annotations

from .arrow import score_arrow, tally_arrow
from .dask import score_dask
from .parquet import tally_parquet
from .row_files import RowWriter

__all__ = ["RowWriter", "score_arrow", "score_dask", "tally_arrow", "tally_parquet"]
