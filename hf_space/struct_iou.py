"""STRUCT-IoU as a metric of the library `evaluate`: translates, and lets `structiou_metric` score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from inspect import signature
from typing import Any

import datasets
import evaluate

from structiou_metric import StructIoU
from structiou_metric.citation import BIBTEX
from structiou_metric.metrics.base import COUNTED, ZEROED
from structiou_metric.metrics.best_reference import (
    MultiScore,
    alternatives,
    documents_text,
    reference_text,
    restored_documents,
    score_multi,
)
from structiou_metric.sources.rows import as_list
from structiou_metric.trees.labels import DEFAULT_DROP
from structiou_metric.trees.texts import restored

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
    documents (bool): Whether every row of both sides is a list of trees: a document, such as the sentences
        of a recording, which may be cut into sentences at other places on the other side.
    unit (str): Length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
    texts (str): Both sides need as many words or characters (`same`), or those of texts that differ are put
        on one axis by an edit path of least cost (`aligned`).
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
    return_losses (bool): Adds `losses`: what is lost by which cause, and which labels, tags and parents of
        phrases were confused.

Returns:
    struct_iou (float): STRUCT-IoU, from 0 to 1; `struct_iou_sentence` or `struct_iou_corpus`.
    struct_iou_sentence (float): Mean over the pairs.
    struct_iou_corpus (float): All matched IoU over all nodes.
    precision (float): All matched IoU over all nodes of predictions.
    recall (float): All matched IoU over all nodes of references.
    n_sentences (int): Pairs that were scored; skipped ones were not. Of documents, `n_documents` instead,
        and `n_sentences_pred` and `n_sentences_ref`, the sentences of both sides.
    n_failed (int): The sum of the next three.
    n_empty (int): Failed parses: predictions without a node where the reference has one. They score 0.
    n_zeroed (int): Pairs that could not be compared and count as 0.
    n_skipped (int): Pairs that could not be compared and were left out.
    n_lengthless (int): Nodes that were left out because they have no words, characters or seconds.
    n_text_matched (int): With aligned texts, words (characters) that are the same on both sides; absent
        without, as are the next three.
    n_text_replaced (int): Those that stand opposite another one.
    n_text_pred_only (int): Those of predictions that stand opposite nothing.
    n_text_ref_only (int): Those of references, likewise.
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


_LOG = evaluate.logging.get_logger("evaluate.struct_iou")  # below the library's own, with its verbosity


class StructIou(evaluate.Metric):
    """STRUCT-IoU. Two threads must not use one object at the same time."""

    def _info(self) -> Any:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=BIBTEX,
            inputs_description=_KWARGS_DESCRIPTION,
            # Rows of other shapes become text before they are stored. That is many times faster than
            # lists of structs, and rows of all shapes may stand beside each other.
            features=datasets.Features({"predictions": text, "references": text}),
            reference_urls=["https://aclanthology.org/2024.acl-long.666"],
        )

    _documents: bool | None = None  # not known before `compute`

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Adds rows of predictions and references."""
        preds, refs = as_list(predictions, "predictions"), as_list(references, "references")
        if len(preds) != len(refs):
            raise ValueError(
                f"predictions has {len(preds)} rows and references has {len(refs)}; "
                "give as many of one as of the other"
            )
        super().add_batch(
            predictions=[self._text(row, f"predictions[{i}]") for i, row in enumerate(preds)],
            references=[self._text(row, f"references[{i}]") for i, row in enumerate(refs)],
            **others,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Adds one prediction and its reference."""
        row = {"predictions": prediction, "references": reference, **others}  # `combine` says the plurals
        row["predictions"] = self._text(row["predictions"], "prediction")
        row["references"] = self._text(row["references"], "reference")
        super().add(**row)

    def _text(self, row: Any, source: str) -> str:
        """A row as text; that of a list of trees is a list of texts."""
        if self._documents:
            row = documents_text(row, source=source)
        elif not isinstance(row, str):
            if self._documents is False and source.startswith("prediction"):
                _check_prediction(row, source)
            row = reference_text(row, source=source)
        return _storable(row, source)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Scores the rows given and those added before; None on all processes but the first."""
        self._check(options)
        if (predictions is None) is not (references is None):
            missing = "predictions" if predictions is None else "references"
            raise ValueError(f"{missing} is missing; give both predictions and references")
        if predictions is None and self.writer is None:
            raise ValueError("no trees to score; give predictions and references, or add some before")
        self._documents = bool(options.get("documents"))
        try:
            result = super().compute(predictions=predictions, references=references, **options)
        finally:
            self._documents = None
        if isinstance(result, Exception):
            raise result
        return result

    def _check(self, options: dict[str, Any]) -> None:
        """Refuses unknown options and values before any row is stored."""
        known = [name for name in signature(self._compute).parameters if name not in self.features]
        for name in options:
            if name not in known:
                raise TypeError(f"unknown option {name!r}; choose from {', '.join(known)}")
        metric = StructIoU(**{name: options[name] for name in options if name in StructIoU.OPTIONS})
        if "drop" in options:
            options["drop"] = metric.options.drop  # an iterator could not be read again

    def _compute(
        self,
        predictions: list[str],
        references: list[str],
        unit: str = "word",
        texts: str = "same",
        labels: str = "exact",
        terminals: str = "strict",
        min_iou: float = 0.0,
        drop: Iterable[str] = DEFAULT_DROP,
        average: str = "sentence",
        on_error: str = "raise",
        documents: bool = False,
        strict: bool = False,
        return_per_sentence: bool = False,
        return_alignments: bool = False,
        return_losses: bool = False,
    ) -> dict[str, Any] | ValueError:
        metric = StructIoU(
            unit=unit,
            texts=texts,
            labels=labels,
            terminals=terminals,
            min_iou=min_iou,
            drop=drop,
            average=average,
            on_error=on_error,
        )
        if return_losses:
            metric = metric.explaining()
        trees: Sequence[Any] = restored(predictions)
        try:
            if documents:
                trees = restored_documents(predictions, "predictions")
                refs = restored_documents(references, "references")
                result = metric.corpus_score(trees, refs, documents=True)
                scored = MultiScore(result, refs, [0] * len(refs), 0)
            else:
                for i, tree in enumerate(trees):
                    _check_prediction(tree, f"predictions[{i}]")
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
        if return_losses:
            output["losses"] = scored.result.losses.as_dict()
        if return_alignments:
            output["alignments"] = list(_align(scored, trees, documents))
        return output


def _align(scored: MultiScore, predictions: Sequence[Any], documents: bool) -> Iterator[dict[str, Any]]:
    """One dict for each scored pair, with the aligned nodes; a zeroed pair has none."""
    result = scored.result
    for row, state in zip(result.rows, result.status, strict=True):
        if state == ZEROED:
            yield {"index": row, "struct_iou": 0.0, "precision": 0.0, "recall": 0.0, "pairs": []}
        elif state in COUNTED:
            alignment = result.metric.align(predictions[row], scored.references[row], documents=documents)
            yield {"index": row, **alignment.as_dict()}


def _check_prediction(row: Any, source: str) -> None:
    if alternatives(row):
        raise ValueError(
            f"{source} is a list of trees; give one, only references may have several, or say documents=True"
        )


def _storable(text: str, source: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            character = text[error.start]
            raise ValueError(f"{source} has the lone surrogate {character!r}; replace it") from None
    return text
