"""Results as the pages of models on the Hugging Face Hub show them.

A model's repository has them in files `.eval_results/NAME.yaml`, each a list of entries with a benchmark, a
value and notes, or in the head of its `README.md`, as a `model-index`. Both are made here as plain values,
and by `huggingface_hub` as YAML.
"""

from __future__ import annotations

import math
import os
import re
from typing import Any, NamedTuple

from ..optional import need

__all__ = ["EvalResults"]

_TASK = "Constituency parsing"


class Benchmark(NamedTuple):
    """The benchmark that a model was evaluated on.

    Attributes:
        dataset: The dataset's name on the Hub, `owner/name`.
        task: Which of the dataset's tasks, as its `eval.yaml` names it.
        revision: The commit of the dataset.
        config: The configuration of the dataset, for `load_dataset`.
        split: The split of the dataset.
        title: The dataset's name for people, if that is another.
    """

    dataset: str
    task: str
    revision: str | None
    config: str | None
    split: str | None
    title: str


class EvalResults:
    """The entries of a model for `.eval_results`, and its `model-index`.

    >>> from structiou_metric import StructIoU
    >>> result = StructIoU().corpus_score(["(S (A a))"], ["(S (A a))"])
    >>> result.to_eval_results("owner/treebank", "test").entries[0]["value"]
    1.0

    Attributes:
        entries: The content of a file for `huggingface_hub.parse_eval_result_entries`.
    """

    def __init__(
        self,
        result: Any,
        benchmark: Benchmark,
        *,
        measure: str | None = None,
        date: Any = None,
        notes: str = "",
        source: dict[str, str | None] | None = None,
    ) -> None:
        metric = result.metric
        key = metric.headline if measure in (None, metric.name) else str(measure)
        if key not in metric.MEASURES:
            raise ValueError(f"unknown measure {measure!r}; choose from {', '.join(metric.MEASURES)}")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", benchmark.dataset):
            raise ValueError(f"dataset {benchmark.dataset!r} is no name on the Hub; write it as owner/name")
        given = {name: value for name, value in (source or {}).items() if value is not None}
        if given and "url" not in given:
            raise ValueError("a source needs its source_url")
        self._result = result
        self._benchmark = benchmark
        self._source = given
        named = {"id": benchmark.dataset, "task_id": benchmark.task, "revision": benchmark.revision}
        entry: dict[str, Any] = {"dataset": _given(named), "value": _finite(result.figures[key], key)}
        if date is not None:
            entry["date"] = date if isinstance(date, str) else date.isoformat()
        if given:
            entry["source"] = given
        notes_with_title = [
            notes,
            metric.MEASURES[key].line or f"{metric.title}, {metric.MEASURES[key].title}",
        ]
        entry["notes"] = "; ".join([*filter(None, notes_with_title), result.signature])
        self.entries = [entry]

    @property
    def yaml(self) -> str:
        """Return the text of a file in `.eval_results`."""
        return _as_yaml(self.entries)

    def write(self, repository: str | os.PathLike[str], name: str = "") -> str:
        """Write the file in the folder of a model's repository; return its path.

        A file with that name is replaced.

        Args:
            repository: The folder of the model's repository.
            name: The name of the file without its ending; by default it is made of the dataset, the task and
                the metric.
        """
        folder = os.path.join(os.fspath(repository), ".eval_results")
        os.makedirs(folder, exist_ok=True)
        parts = (self._benchmark.dataset, self._benchmark.task, self._result.metric.name)
        stem = name or re.sub(r"[^\w.-]+", "_", "-".join(parts))
        if os.path.basename(stem) != stem or stem.startswith("."):
            raise ValueError(f"name {name!r} is no plain file name")
        path = os.path.join(folder, f"{stem}.yaml")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.yaml)
        return path

    def model_index(
        self, model: str, *, task_type: str = "other", task_name: str = _TASK
    ) -> list[dict[str, Any]]:
        """Return the `model-index` of a card: every figure that systems are compared by, with the signature.

        Args:
            model: The name of the model.
            task_type: A task of the Hub, which has none for constituency parsing.
            task_name: The name of the task on the page.
        """
        result, benchmark = self._result, self._benchmark
        metric = result.metric
        keys = dict.fromkeys([metric.headline, *metric.MEASURES])
        metrics = [
            {
                "type": metric.name,
                "value": _finite(result.figures[key], key),
                "name": measure.line or f"{metric.title}, {measure.title}",
                "args": {"measure": key, "signature": result.signature},
            }
            for key, measure in ((key, metric.MEASURES[key]) for key in keys)
            if measure.compared
        ]
        dataset = {
            "name": benchmark.title or benchmark.dataset,
            "type": benchmark.dataset,
            "config": benchmark.config,
            "split": benchmark.split,
            "revision": benchmark.revision,
        }
        found: dict[str, Any] = {
            "task": {"type": task_type, "name": task_name},
            "dataset": _given(dataset),
            "metrics": metrics,
        }
        if self._source:
            shown = {"name": self._source.get("name"), "url": self._source["url"]}
            found["source"] = _given(shown)
        return [{"name": model, "results": [found]}]

    def front_matter(self, model: str, **task: str) -> str:
        """`model_index` as lines for the head of a card."""
        return _as_yaml({"model-index": self.model_index(model, **task)})

    def __repr__(self) -> str:
        return f"<EvalResults {self.entries}>"


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _finite(value: float, key: str) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{key} is {value}, which no card can show")
    return value


def _as_yaml(value: Any) -> str:
    text: str = need("huggingface_hub.utils", "hub", "YAML for a model card").yaml_dump(
        value, sort_keys=False
    )
    return text
