"""The scorer: `Example`s in, the metric's scores out.

Predicted and reference trees are compared on axes of their own, in words, characters or seconds, and
never by `Example.alignment`, which fails where the two sides have other characters.
"""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.training import Example
from spacy.util import logger

from structiou_metric import CorpusScore, StructIoU
from structiou_metric.trees.labels import DEFAULT_DROP
from structiou_metric.wording import check_choice, count

from .pairing import Pairing
from .store import KEY

PER = ("sentence", "doc")


def make_struct_iou_scorer(
    *,
    unit: str = "word",
    labels: str = "exact",
    terminals: str = "strict",
    min_iou: float = 0.0,
    drop: list[str] | None = None,
    average: str = "sentence",
    on_error: str = "raise",
    per: str = "sentence",
    predicted_key: str = KEY,
    reference_key: str = KEY,
    name: str = "structiou.struct_iou_scorer.v1",
) -> Callable[..., dict[str, Any]]:
    """Makes a scorer for any component; registered as `structiou.struct_iou_scorer.v1`.

    Args:
        unit: Length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
        labels: `exact`, `base` (function tags and indices cut) or `ignore`.
        terminals: Preterminals need the same label (`strict`), may align with any node (`flexible`), or
            are no nodes (`exclude`).
        min_iou: Pairs at or below it do not align.
        drop: Labels that are no constituents; by default those of the metric.
        average: Whether `struct_iou` is the mean over pairs (`sentence`) or that of all nodes (`corpus`).
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
        per: `sentence` compares tree with tree. `doc` compares all trees of a Doc at once, for where
            sentences end elsewhere on the other side.
        predicted_key: The span group with the trees of predicted Docs.
        reference_key: That of reference Docs.
        name: What errors call the scorer.

    Raises:
        ValueError: An option has a value that it cannot have.
    """
    try:
        check_choice("per", per, PER)
        metric = StructIoU(
            unit=unit,
            labels=labels,
            terminals=terminals,
            min_iou=min_iou,
            drop=DEFAULT_DROP if drop is None else drop,
            average=average,
            on_error=on_error,
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return StructIouScorer(
        metric, per=per, predicted_key=predicted_key, reference_key=reference_key, name=name
    )


class StructIouScorer:
    """Scores Examples.

    Documents whose reference has no tree are left out. Of the others, every reference tree is compared
    with the predicted tree in its place. Where there is none although the Doc has been parsed, the parse has
    failed, and scores 0. Where the Doc has no group of predicted trees at all, or the sentences of the
    two sides cannot be matched, or the trees have other lengths, `on_error` says what happens.

    Attributes:
        metric: The metric with its options; `metric.signature` tells them all.
    """

    def __init__(
        self, metric: StructIoU, *, per: str, predicted_key: str, reference_key: str, name: str
    ) -> None:
        self.metric = metric
        self._per = per
        self._keys = predicted_key, reference_key
        self._name = name

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """The scores of some Examples.

        Returns:
            `struct_iou`, `struct_iou_corpus`, `struct_iou_p` and `struct_iou_r`, from 0 to 1;
            `struct_iou_per_type`, for each label its `p`, `r` and `f` and how many nodes have it; all of
            them None if there is nothing to score. And `struct_iou_counts`, with how many there are of:
            `docs`; `unannotated` docs, without reference trees; `pairs` scored; `empty` predictions
            among them; pairs `zeroed` and `skipped`; `lengthless` nodes left out.
        """
        pairing = Pairing(self._name, list(examples), *self._keys, self.metric.options.unit)
        if self._per == "doc":
            pairing.pair_docs(frozenset(self.metric.options.drop))
        else:
            pairing.pair_trees()
        result: CorpusScore | None = None
        if len(pairing):
            try:
                pieces = [(0, *pairing.rows())]
                result = self.metric.score_pieces(pieces, total=len(pairing), by_label=True)
            except ValueError:
                if self.metric.options.on_error != "skip":
                    raise
                # All pairs were skipped; nothing else raises then.
        return _scores(result, pairing)


def _scores(result: CorpusScore | None, pairing: Pairing) -> dict[str, Any]:
    counts = {"docs": pairing.n_docs, "unannotated": pairing.n_unannotated}
    if result is None:
        counts.update(pairs=0, empty=0, zeroed=0, skipped=len(pairing), lengthless=0)
        keys = ("struct_iou", "struct_iou_corpus", "struct_iou_p", "struct_iou_r", "struct_iou_per_type")
        return {**dict.fromkeys(keys), "struct_iou_counts": counts}
    counts.update(
        pairs=len(result.sentences),
        empty=result.n_empty,
        zeroed=result.n_zeroed,
        skipped=result.n_skipped,
        lengthless=result.n_lengthless,
    )
    if result.problems:
        what = "count as 0" if result.n_zeroed else "were skipped"
        pairs = f"{len(result.problems)} of {count(len(pairing), 'pair')}"
        logger.warning("%s of trees %s; the first: %s", pairs, what, result.problems[0][1])
    return {
        "struct_iou": result.score,
        "struct_iou_corpus": result.corpus,
        "struct_iou_p": result.precision,
        "struct_iou_r": result.recall,
        "struct_iou_per_type": {
            label: {
                "p": tally.precision,
                "r": tally.recall,
                "f": tally.score,
                "n_pred": tally.n_pred,
                "n_ref": tally.n_ref,
            }
            for label, tally in result.by_label.items()
        },
        "struct_iou_counts": counts,
    }
