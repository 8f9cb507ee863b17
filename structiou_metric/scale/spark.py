"""Score two columns of a DataFrame of Spark: a function for `mapInArrow`, and the sum of its results.

Every partition becomes one row with its tally, and the driver adds these up::

    from structiou_metric.scale import spark

    tallies = frame.mapInArrow(spark.score_partitions("prediction", "reference"), spark.SCHEMA)
    print(spark.merge(tallies).figures)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..metrics.metric import Metric
from ..metrics.tally import ARROW_FIELDS, CorpusTally, merge_tallies
from ..metrics.tallying import refuse_pairing
from .arrow import tally_arrow, usual_metric

__all__ = ["SCHEMA", "merge", "score_partitions"]

# The schema of the tallies, in the form that Spark's `mapInArrow` takes.
SCHEMA = ", ".join(f"{name} {kind}" for name, kind in ARROW_FIELDS.items())


def score_partitions(
    prediction_column: str = "prediction",
    reference_column: str = "reference",
    metric: Metric | None = None,
    *,
    group_by: str | None = None,
    id_column: str | None = None,
    by_label: bool = False,
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return a function for `DataFrame.mapInArrow` that gives a row of `SCHEMA` with a partition's tally.

    >>> import pyarrow
    >>> columns = {"prediction": ["(S (A a))"], "reference": ["(S (B a))"]}
    >>> count = score_partitions("prediction", "reference")
    >>> [tally] = count(iter([pyarrow.RecordBatch.from_pydict(columns)]))
    >>> tally.num_rows, tally.schema.names == [field.split()[0] for field in SCHEMA.split(", ")]
    (1, True)

    Args:
        prediction_column: The name of the column with predicted trees.
        reference_column: The name of the column with reference trees.
        metric: The metric with its options; by default `StructIoU(on_error="zero")`.
        group_by: A column by which rows are grouped, such as a document, a system or a language.
        id_column: A column with the names of rows in messages; a partition does not know the numbers of its
            rows.
        by_label: Whether to sum up by label, too.
    """
    chosen = usual_metric(metric)
    refuse_pairing(chosen)

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        tally = CorpusTally(chosen)
        for batch in batches:
            sides = batch.column(prediction_column), batch.column(reference_column)
            more: dict[str, Any] = {
                "ids": None if id_column is None else batch.column(id_column),
                "groups": None if group_by is None else batch.column(group_by),
            }
            tally += tally_arrow(*sides, chosen, by_label=by_label, first=tally.next_row, **more)
        yield tally.to_arrow()

    return count


def merge(tallies: Any, metric: Metric | None = None) -> Any:
    """Return the result over all partitions.

    >>> import pyarrow
    >>> batches = [pyarrow.RecordBatch.from_pydict({"prediction": ["(S (A a))"], "reference": ["(S (B a))"]})]
    >>> rows = next(score_partitions("prediction", "reference")(iter(batches))).to_pylist()
    >>> merge(rows).figures["struct_iou"]
    0.5

    Args:
        tallies: The DataFrame that `mapInArrow` gave, or its rows.
        metric: The metric whose sums these are; needed where options are files or objects.
    """
    rows = tallies.collect() if hasattr(tallies, "collect") else tallies
    return merge_tallies(CorpusTally.from_dict(json.loads(row["tally"]), metric) for row in rows).result()
