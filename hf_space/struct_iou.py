"""STRUCT-IoU as a metric of the library `evaluate`: translates, and lets `structiou_metric` score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from inspect import signature
from typing import Any

import datasets
import evaluate

from structiou_metric import StructIoU
from structiou_metric.metrics.base import COUNTED, ZEROED
from structiou_metric.metrics.best_reference import MultiScore, alternatives, reference_text, score_multi
from structiou_metric.sources.rows import as_list
from structiou_metric.trees.labels import DEFAULT_DROP
from structiou_metric.trees.texts import as_text, restored

_DESCRIPTION = """\
STRUCT-IoU compares two constituency parse trees whose words need not be the same: it aligns their nodes
one to one, keeps ancestors above descendants and labels equal, and averages the intersection over union
of the aligned spans, in words, characters or seconds. 1 is best, 0 is worst.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (list): One tree a row, as text: brackets `(S (NP we) (VP run))`, timed brackets
        `(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))`, or JSON of one of these shapes, which may also
        be given as they are: a nested dict with `label` and `children`; a list of spans with `label`,
        `start` and `end`; a dict of the columns `labels`, `starts`, `ends` and `parents`. `nltk.Tree`s
        are taken, too. A failed parse is `()`.
    references (list): As many rows. A row may be a list of trees; the one that the prediction is most
        like counts.
    unit (str): Length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
    labels (str): `exact`, `base` (without function tags and indices) or `ignore`.
    terminals (str): Preterminals need the same label (`strict`), may align with any node (`flexible`) or
        are no nodes (`exclude`).
    min_iou (float): Pairs of nodes at or below it do not align.
    drop (list of str): Labels that are no constituents: roots over one child, and leaves such as `-NONE-`
        with what they empty; `[]` keeps all nodes.
    average (str): Which figure `struct_iou` is, the mean over sentences (`sentence`) or `corpus`.
    on_error (str): What a pair that cannot be read or compared does: `raise` an error, count as 0 (`zero`)
        or not at all (`skip`).
    strict (bool): Whether anything suspicious is an error instead of one of the `notices`.
    return_per_sentence (bool): Adds `sentences`, the figures and the status of each pair.
    return_alignments (bool): Adds `alignments`, the aligned nodes of each pair.

Returns:
    struct_iou (float): STRUCT-IoU, from 0 to 1; `struct_iou_sentence` or `struct_iou_corpus`.
    struct_iou_sentence (float): Mean over the pairs.
    struct_iou_corpus (float): All matched IoU over all nodes.
    precision (float): All matched IoU over all nodes of predictions.
    recall (float): All matched IoU over all nodes of references.
    n_sentences (int): Pairs that were scored; skipped ones were not.
    n_failed (int): The sum of the next three.
    n_empty (int): Failed parses: predictions without a node where the reference has one. They score 0.
    n_zeroed (int): Pairs that could not be compared and count as 0.
    n_skipped (int): Pairs that could not be compared and were left out.
    n_lengthless (int): Nodes that were left out because they have no words, characters or seconds.
    n_multi_reference (int): Rows with more than one reference; absent without such rows.
    references_used (list of int): Which reference counted, by row, from 0; likewise.
    notices (list of dict): What is suspicious though it can be computed, such as rows with other words on
        both sides: its kind, how many rows there are, the first of them, and a message. These are logged.
        Absent if nothing is.
    problems (list of dict): Row and message of each pair zeroed or skipped; absent without such pairs.
    signature (str): Every option and the version, to be quoted beside a score.

Examples:
    >>> import evaluate
    >>> struct_iou = evaluate.load("struct_iou")
    >>> predictions = ["(S (NP (PRP we)) (VP (VBP run)))"]
    >>> references = ["(S (NP (PRP we)) (VP (VB run)))"]
    >>> struct_iou.compute(predictions=predictions, references=references)["struct_iou"]
    0.8
"""

_CITATION = """\
@inproceedings{shi-etal-2024-structured,
    title = "Structured Tree Alignment for Evaluation of (Speech) Constituency Parsing",
    author = "Shi, Freda and Gimpel, Kevin and Livescu, Karen",
    booktitle = "Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics (Volume 1: Long Papers)",
    year = "2024",
    publisher = "Association for Computational Linguistics",
    pages = "12320--12332",
    doi = "10.18653/v1/2024.acl-long.666",
}
"""  # noqa: E501


_LOG = evaluate.logging.get_logger("evaluate.struct_iou")  # below the library's own, with its verbosity


class StructIou(evaluate.Metric):
    """STRUCT-IoU. Two threads must not use one object at the same time."""

    def _info(self) -> Any:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            # Rows of other shapes become text before they are stored. That is many times faster than
            # lists of structs, and rows of all shapes may stand beside each other.
            features=datasets.Features({"predictions": text, "references": text}),
            reference_urls=["https://aclanthology.org/2024.acl-long.666"],
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Adds rows of predictions and references."""
        preds, refs = as_list(predictions, "predictions"), as_list(references, "references")
        if len(preds) != len(refs):
            raise ValueError(
                f"predictions has {len(preds)} rows and references has {len(refs)}; "
                "give as many of one as of the other"
            )
        super().add_batch(
            predictions=[_prediction_text(row, f"predictions[{i}]") for i, row in enumerate(preds)],
            references=[_reference_text(row, f"references[{i}]") for i, row in enumerate(refs)],
            **others,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Adds one prediction and its reference."""
        row = {"predictions": prediction, "references": reference, **others}  # `combine` says the plurals
        row["predictions"] = _prediction_text(row["predictions"], "prediction")
        row["references"] = _reference_text(row["references"], "reference")
        super().add(**row)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Scores the rows given and those added before; None on all processes but the first."""
        self._check(options)
        if (predictions is None) is not (references is None):
            missing = "predictions" if predictions is None else "references"
            raise ValueError(f"{missing} is missing; give both predictions and references")
        if predictions is None and self.writer is None:
            raise ValueError("no trees to score; give predictions and references, or add some before")
        result = super().compute(predictions=predictions, references=references, **options)
        if isinstance(result, Exception):
            raise result
        return result

    def _check(self, options: dict[str, Any]) -> None:
        """Refuses unknown options and values before any row is stored."""
        known = [name for name in signature(self._compute).parameters if name not in self.features]
        for name in options:
            if name not in known:
                raise TypeError(f"unknown option {name!r}; choose from {', '.join(known)}")
        own = {name: value for name, value in options.items() if name in StructIoU.OPTIONS}
        metric = StructIoU(**own)
        if "drop" in options:
            options["drop"] = metric.options.drop  # an iterator could not be read again

    def _compute(
        self,
        predictions: list[str],
        references: list[str],
        unit: str = "word",
        labels: str = "exact",
        terminals: str = "strict",
        min_iou: float = 0.0,
        drop: Iterable[str] = DEFAULT_DROP,
        average: str = "sentence",
        on_error: str = "raise",
        strict: bool = False,
        return_per_sentence: bool = False,
        return_alignments: bool = False,
    ) -> dict[str, Any] | ValueError:
        metric = StructIoU(
            unit=unit,
            labels=labels,
            terminals=terminals,
            min_iou=min_iou,
            drop=drop,
            average=average,
            on_error=on_error,
        )
        trees = restored(predictions)
        try:
            scored = score_multi(metric, trees, restored(references))
            if strict:
                scored.result.refuse_notices()
        except ValueError as error:
            return error  # `compute` raises it; if this method did, `evaluate` would keep its lock
        for notice in scored.result.notices:
            _LOG.warning("%s: %s", metric.title, notice.message)
        output = scored.as_dict(per_sentence=return_per_sentence)
        if not output["notices"]:
            del output["notices"]
        output["n_failed"] = output["n_empty"] + output["n_zeroed"] + output["n_skipped"]
        if return_alignments:
            output["alignments"] = list(_align(scored, trees))
        return output


def _align(scored: MultiScore, predictions: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """One dict for each scored pair, with the aligned nodes; a zeroed pair has none."""
    result = scored.result
    for row, state in zip(result.rows, result.status, strict=True):
        if state == ZEROED:
            yield {"index": row, "struct_iou": 0.0, "precision": 0.0, "recall": 0.0, "pairs": []}
        elif state in COUNTED:
            alignment = result.metric.align(predictions[row], scored.references[row])
            yield {"index": row, **alignment.as_dict()}


def _prediction_text(row: Any, source: str) -> str:
    if not isinstance(row, str):
        if alternatives(row):
            raise ValueError(f"{source} is a list of trees; give one, only references may have several")
        row = as_text(row, source=source)
    return _storable(row, source)


def _reference_text(row: Any, source: str) -> str:
    return _storable(row if isinstance(row, str) else reference_text(row, source=source), source)


def _storable(text: str, source: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            character = text[error.start]
            raise ValueError(f"{source} has the lone surrogate {character!r}; replace it") from None
    return text
