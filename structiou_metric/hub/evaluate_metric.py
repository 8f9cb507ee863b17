"""The metric of the library `evaluate`, for the script that its users load, `hf_space/struct_iou.py`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from inspect import signature
from typing import Any

import evaluate

from ..citation import BIBTEX
from ..metrics import load_metric
from ..metrics.base import COUNTED, ZEROED
from ..metrics.struct_iou.metric import StructIoU
from ..sources.rows import ListRows, as_list, check_as_many
from ..stats.columns import check_level
from ..stats.intervals import find_intervals
from ..trees.labels import DEFAULT_DROP
from ..trees.shapes import alternatives
from .stored import restored, stored

__all__ = ["BIBTEX", "DEFAULT_DROP", "DESCRIPTION", "INPUTS", "StructIoU", "TreeMetric", "score"]

DESCRIPTION = """\
STRUCT-IoU compares two constituency parse trees whose words need not be the same: it aligns their nodes
one to one, keeps ancestors above descendants and labels equal, and averages the intersection over union
of the aligned spans, in words, characters or seconds. 1 is best, 0 is worst.
"""

# The documentation of `compute`, as `evaluate` shows it.
INPUTS = """
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
    texts (str): Both sides need the same number of words or characters (`same`), or those of texts that
        differ are put on one axis by an edit path of least cost (`aligned`).
    labels (str): `exact`, `base` (without function tags and indices) or `ignore`.
    terminals (str): Preterminals need the same label (`strict`), may align with any node (`flexible`) or
        are no nodes (`exclude`).
    min_iou (float): Pairs of nodes at or below it do not align.
    drop (list of str): Labels that are no constituents: roots over one child, and leaves such as `-NONE-`
        with nodes that they leave empty; `[]` keeps all nodes.
    average (str): Which figure `struct_iou` is, the mean over sentences (`sentence`) or `corpus`.
    max_cells (float): A pair that needs more cells of tables cannot be compared; some hundred millions take
        a second. None is for any number.
    on_error (str): For a pair that cannot be read or compared, `raise` an error, or count it as 0 (`zero`)
        or not at all (`skip`).
    strict (bool): Whether a warning is an error instead of one of the `warnings`.
    return_per_sentence (bool): Adds `sentences`, the figures and the status of each pair.
    return_alignments (bool): Adds `alignments`, the aligned nodes of each pair.
    return_losses (bool): Adds `losses`: the loss by each cause, and which labels and tags were confused.
    return_by_label (bool): Adds `by_label`, the figures of each label.
    parseval (bool or str): Adds `parseval`, the figures of ParsEval for the same trees; a text names its
        parameters, a file of EVALB or `collins` or `spmrl`.
    numbers_only (bool): Leaves out all that is no number, such as the signature, for programs that log or
        average every value.
    confidence (float): Adds `intervals`, between whose bounds the true figure is with that confidence, such
        as 0.95, by resampling the pairs.

All options but predictions and references may also be given to `evaluate.load`, where they are defaults for
`compute`; so may the unit as the name of a configuration, as in `evaluate.load("struct_iou", "char")`.

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
    warnings (list of dict): Warnings, such as rows with different words on both sides: the kind, how many
        rows there are, the first of them, and a message. These are logged. Absent if there are none.
    problems (list of dict): Row and message of each pair zeroed or skipped; absent without such pairs.
    losses (dict), by_label (dict), parseval (dict), intervals (dict), confidence (float): If asked for.
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


class TreeMetric(evaluate.Metric):
    """A metric of `evaluate` whose rows are trees of any shape, and whose options have defaults.

    Rows are stored as text, which is many times faster than lists of structs, and lets rows of all shapes be
    mixed. Two threads must not use one object at the same time.
    """

    data: Any  # of `evaluate`: the rows, while `compute` has them
    buf_writer: Any  # likewise, where they are in memory
    filelocks: Any  # of `evaluate`: the locks of the files with rows, while `compute` reads them
    file_paths: Any  # likewise, those files

    def __init__(self, config_name: str | None = None, **settings: Any) -> None:
        """Take options of `compute` as defaults, and a unit as the name of a configuration."""
        theirs = signature(evaluate.Metric.__init__).parameters
        options = {name: settings.pop(name) for name in list(settings) if name not in theirs}
        if config_name not in (None, "default"):
            units = StructIoU.OPTIONS["unit"].choices
            if config_name not in units:
                raise ValueError(
                    f"unknown configuration {config_name!r}; choose from {', '.join(units)}, or give options "
                    "by their names"
                )
            if options.setdefault("unit", config_name) != config_name:
                raise ValueError(f"unit is both {config_name!r} and {options['unit']!r}; give it once")
        super().__init__(config_name=config_name, **settings)
        self._defaults = self._checked(options)
        self._documents = False  # whether the running `compute` has rows that are documents

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Add rows of predictions and references."""
        preds, refs = as_list(predictions, "predictions"), as_list(references, "references")
        check_as_many(ListRows(preds, "predictions"), ListRows(refs, "references"))
        super().add_batch(
            predictions=[stored(row, documents=self._documents) for row in preds],
            references=[stored(row, documents=self._documents) for row in refs],
            **others,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Add one prediction and its reference."""
        row = {"predictions": prediction, "references": reference, **others}  # `combine` says the plurals
        super().add(**{**row, **{name: stored(row[name]) for name in ("predictions", "references")}})

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Score the rows given and those added before; return None on all processes but the first."""
        options = self._checked({**self._defaults, **options})
        if (predictions is None) is not (references is None):
            missing = "predictions" if predictions is None else "references"
            raise ValueError(f"{missing} is missing; give both predictions and references")
        if predictions is None and self.writer is None and self.process_id == 0:
            raise ValueError("no trees to score; give predictions and references, or add some before")
        self._documents = bool(options.get("documents"))
        try:
            return super().compute(predictions=predictions, references=references, **options)
        finally:
            self._documents = False
            self._release()

    def _release(self) -> None:
        """Forget the rows of a failed `compute`, and their files, whose locks the next one would wait for."""
        if self.writer is None:
            self.data = self.buf_writer = None
        for lock, path in zip(self.filelocks or (), self.file_paths or (), strict=True):
            if os.path.exists(path):
                os.remove(path)
            lock.release()
        self.filelocks = self.file_paths = None  # locks cannot be pickled

    def _checked(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options; refuse unknown ones and their values before any row is stored."""
        known = [name for name in signature(self._compute).parameters if name not in self.features]
        for name in options:
            if f"{name}s" in self.features:
                raise TypeError(f"unknown option {name!r}; write {name}s, which is a list of trees")
            if name not in known:
                raise TypeError(f"unknown option {name!r}; choose from {', '.join(known)}")
        metric = StructIoU(**{name: options[name] for name in options if name in StructIoU.OPTIONS})
        if options.get("confidence") is not None:
            check_level(options["confidence"], "confidence")
        if options.get("parseval"):
            _parseval_for(metric, options["parseval"])
        # An iterator could not be read again.
        return {**options, "drop": metric.options.drop} if "drop" in options else options


def score(
    metric: StructIoU,
    predictions: list[str],
    references: list[str],
    *,
    documents: bool,
    strict: bool,
    return_per_sentence: bool,
    return_alignments: bool,
    return_losses: bool,
    return_by_label: bool,
    parseval: bool | str,
    confidence: float | None,
    numbers_only: bool,
) -> dict[str, Any]:
    """Return the values of `compute`, as `INPUTS` describes them, for rows as `TreeMetric` stores them."""
    if return_losses:
        metric = metric.explaining()
    preds, refs = restored(predictions), restored(references)
    result = metric.corpus_score(preds, refs, documents=documents, strict=strict)
    for warning in result.warnings:
        _LOG.warning("%s: %s", metric.title, warning.message)
    output = _as_dict(result, confidence, by_label=return_by_label, per_sentence=return_per_sentence)
    output["n_failed"] = output["n_empty"] + output["n_zeroed"] + output["n_skipped"]
    if return_losses:
        output["losses"] = result.losses.as_dict()
    if not documents:
        refs = [_reference(row, result.used.get(i, 0)) for i, row in enumerate(refs)]
    if return_alignments:
        output["alignments"] = list(_align(result, preds, refs, documents))
    if parseval:
        other = _parseval_for(metric, parseval)
        found = other.corpus_score(preds, refs, documents=documents)
        if reason := other.refuses(found, metric.unit):
            raise ValueError(f"ParsEval means nothing here: {reason}; leave parseval out")
        output["parseval"] = _as_dict(found, confidence)
    if numbers_only:
        output = {name: value for name, value in output.items() if isinstance(value, (int, float))}
    return output


def _as_dict(result: Any, confidence: float | None, **what: bool) -> dict[str, Any]:
    """Return a result as plain values, with intervals if a level of confidence is given."""
    values: dict[str, Any] = result.as_dict(**what)
    if not values["warnings"]:
        del values["warnings"]
    if confidence is not None:
        names = {key: measure.short for key, measure in result.metric.MEASURES.items()}
        found = {
            key: {"low": interval.low, "high": interval.high, "method": interval.method}
            for key, interval in find_intervals(result, level=confidence).items()
        }
        values["confidence"] = confidence
        values["intervals"] = {
            result.metric.name: found[result.metric.headline],
            **{names[key]: interval for key, interval in found.items()},
        }
    return values


def _parseval_for(metric: StructIoU, parameters: bool | str) -> Any:
    """Return ParsEval for the trees that a metric scores, if it means something for these."""
    named = {} if parameters is True else {"parameters": parameters}
    parseval = load_metric("parseval", on_error=metric.options.on_error, **named)
    if reason := parseval.undefined(metric.options.unit):
        raise ValueError(f"ParsEval means nothing here: {reason}; leave parseval out")
    return parseval


def _reference(row: Any, used: int) -> Any:
    """Return the reference that counted, of those in a row."""
    trees = alternatives(row)
    return trees[used] if trees else row


def _align(
    result: Any, predictions: Sequence[Any], references: Sequence[Any], documents: bool
) -> Iterator[dict[str, Any]]:
    """Yield a dict for each scored pair, with the aligned nodes; a pair scored as zero has none."""
    for row, state in zip(result.rows, result.status, strict=True):
        if state == ZEROED:
            yield {"index": row, "struct_iou": 0.0, "precision": 0.0, "recall": 0.0, "pairs": []}
        elif state in COUNTED:
            alignment = result.metric.align(predictions[row], references[row], documents=documents)
            yield {"index": row, **alignment.as_dict()}
