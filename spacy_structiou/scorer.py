"""The scorer: `Example`s in, the scores of a metric out.

Predicted and reference trees are compared on axes of their own, in words, characters or seconds, and
never by `Example.alignment`, which fails where the two sides have other characters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spacy.training import Example
from spacy.util import logger

from structiou_metric import StructIoU
from structiou_metric.metrics import load_metric
from structiou_metric.metrics.base import BaseMetric
from structiou_metric.metrics.results import Result
from structiou_metric.metrics.runner import add_pieces
from structiou_metric.metrics.struct_iou.measures import TEXT_COLUMNS
from structiou_metric.metrics.struct_iou.result import CorpusScore
from structiou_metric.wording import check_choice, count

from .options import DEFAULTS, TYPES, named, named_options
from .pairing import Pairing
from .store import KEY

PER = ("sentence", "doc")

# Figures that configs weigh by other names than those of their measures.
_NAMES = {
    "struct_iou_sentence": "struct_iou",
    "struct_iou_precision": "struct_iou_p",
    "struct_iou_recall": "struct_iou_r",
}


@named_options(
    named(name, TYPES[option.kind] | None, DEFAULTS[name]) for name, option in StructIoU.OPTIONS.items()
)
def make_struct_iou_scorer(
    *,
    metric: str = StructIoU.name,
    metric_options: dict[str, Any] | None = None,
    per: str = "sentence",
    predicted_key: str = KEY,
    reference_key: str = KEY,
    prefix: str = "",
    name: str = "structiou.struct_iou_scorer.v1",
    **options: Any,
) -> "TreeScorer":
    """Makes a scorer for any component; registered as `structiou.struct_iou_scorer.v1`.

    >>> from spacy.training import Example
    >>> from spacy.vocab import Vocab
    >>> from spacy_structiou import doc_from_trees
    >>> scorer = make_struct_iou_scorer(terminals="exclude")
    >>> docs = [doc_from_trees(Vocab(), [tree]) for tree in ("(S (A a) (B b))", "(S (A a) (C b))")]
    >>> scorer([Example(*docs)])["struct_iou"]
    1.0

    Args:
        metric: The name of the metric in `structiou_metric.metrics.METRICS`.
        metric_options: The options of the metric, which go before the arguments of the same names.
        per: What is compared: with `sentence`, tree with tree; with `doc`, all trees of a Doc at once, for
            where sentences end elsewhere on the other side.
        predicted_key: The span group with the trees of predicted Docs.
        reference_key: The span group with the trees of reference Docs.
        prefix: What the names of all scores begin with. A pipeline with several scorers of a metric needs it,
            and `[training.score_weights]` names such scores.
        name: What errors call the scorer.
        **options: The options of STRUCT-IoU, each an argument of its own. Where they are not its defaults,
            they are also for another metric that has them.

    Raises:
        ValueError: There is no such metric or option, or an option has a value that it cannot have.
    """
    given = {option: value for option, value in options.items() if value not in (None, DEFAULTS.get(option))}
    try:
        check_choice("per", per, PER)
        chosen = load_metric(metric, **{**given, **(metric_options or {})})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    return TreeScorer(chosen, per, predicted_key, reference_key, prefix, name)


def score_names(metric: BaseMetric) -> dict[str, str]:
    """What the scores call each figure of a metric, by the key of its measure; the headline has its name."""
    return {key: _NAMES.get(key, key) for key in metric.MEASURES}


@dataclass(frozen=True)
class TreeScorer:
    """Scores Examples; `make_struct_iou_scorer` makes it, and tells what its attributes are.

    Documents whose reference has no tree are left out. Of the others, every reference tree is compared
    with the predicted tree in its place. Where there is none although the Doc has been parsed, the parse has
    failed, and the prediction is empty. Where the Doc has no group of predicted trees at all, or the
    sentences of the two sides cannot be matched, or the metric cannot compare the trees, `on_error` says
    what happens.

    >>> from spacy.training import Example
    >>> from spacy.vocab import Vocab
    >>> from spacy_structiou import doc_from_trees
    >>> scorer = make_struct_iou_scorer()
    >>> docs = [doc_from_trees(Vocab(), [tree]) for tree in ("(S (A a) (B b))", "(S (A a) (C b))")]
    >>> scores = scorer([Example(*docs)])
    >>> scores["struct_iou_per_type"]["A"]["f"], scores["struct_iou_counts"]["pairs"]
    (1.0, 1)
    """

    metric: BaseMetric
    per: str
    predicted_key: str
    reference_key: str
    prefix: str
    name: str
    _told: set[str] = field(default_factory=set, init=False, compare=False, repr=False)  # warnings given

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """The scores of some Examples.

        Returns:
            By the name of the metric its headline, by the keys of its measures all figures: of STRUCT-IoU
            `struct_iou`, `struct_iou_corpus`, `struct_iou_p` and `struct_iou_r`. If the metric counts by
            label, `…_per_type` with `p`, `r` and `f` of each label and how many nodes have it. All of
            them are None if there is nothing to score. And `…_counts`, with how many there are of: `docs`;
            `unannotated` docs, without reference trees; `pairs` scored; `empty` predictions among them;
            pairs `zeroed` and `skipped`; `lengthless` nodes left out; and per Doc, `trees_pred` and
            `trees_ref`, the trees of both sides in the pairs scored. With aligned texts there are also the
            words or characters that are the same (`text_matched`), `text_replaced`, `text_pred_only` and
            `text_ref_only`. And `…_warnings`: by kind, how many pairs are suspicious though they can be
            compared; what is said of them is logged. Of a scorer that is `explaining`, `…_losses` as
            `Losses.as_dict` has them. All names begin with the scorer's prefix.
        """
        pairs = list(examples)
        keys = self.predicted_key, self.reference_key
        pairing = Pairing(self.name, pairs, *keys, self.metric.unit or "word", self.per)
        result: Result = self.metric.RESULT(self.metric)
        add_pieces(result, [(0, pairing.predictions, pairing.references)], by_label=True)
        if pairs and pairing.n_unannotated == len(pairs):
            self._warn_of_no_trees(pairs)
        _log_problems(result)
        warnings = result.warnings
        for warning in warnings:
            logger.warning("%s: %s", self.name, warning.message)
        counts = {
            "docs": len(pairs),
            "unannotated": pairing.n_unannotated,
            "pairs": result.n_counted,
            "empty": result.n_empty,
            "zeroed": result.n_zeroed,
            "skipped": len(result) - result.n_counted,
            "lengthless": result.sums.total("n_lengthless") if "n_lengthless" in result.sums else 0,
        }
        if self.per == "doc":
            counts |= {"trees_pred": result.n_sentences_pred, "trees_ref": result.n_sentences_ref}
        counts |= {
            name.removeprefix("n_"): result.sums.total(name) for name in TEXT_COLUMNS if name in result.sums
        }
        scores = {
            **_scores(result),
            f"{self.metric.name}_counts": counts,
            f"{self.metric.name}_warnings": {warning.kind: warning.count for warning in warnings},
        }
        if getattr(self.metric, "explains", False) and isinstance(result, CorpusScore) and result.n_counted:
            scores[f"{self.metric.name}_losses"] = result.losses.as_dict()
        return {self.prefix + key: value for key, value in scores.items()}

    def _warn_of_no_trees(self, examples: Sequence[Example]) -> None:
        """Says once, as training scores again and again, that there is nothing to score, and why."""
        if "no trees" in self._told:
            return
        self._told.add("no trees")
        keys = sorted({key for example in examples for key in example.reference.spans})
        logger.warning(
            "%s: none of %s has reference trees in doc.spans[%r], so there is nothing to score; %sread the "
            "corpus with @readers = 'structiou.treebank_corpus.v1', as spaCy's own spacy.Corpus.v1 loses all "
            "trees where it cuts documents (gold_preproc, max_length)",
            self.name,
            count(len(examples), "document"),
            self.reference_key,
            f"set reference_key to one of {', '.join(map(repr, keys))}, or " if keys else "",
        )

    def explaining(self) -> "TreeScorer":
        """The same scorer, which also tells what is lost by which cause, under `struct_iou_losses`."""
        if not isinstance(self.metric, StructIoU):
            raise ValueError(f"{self.name}: only {StructIoU.title} tells what is lost by which cause")
        return replace(self, metric=self.metric.explaining())


def _scores(result: Result) -> dict[str, Any]:
    """The figures of a result; None if no pair counts."""
    metric = result.metric
    per_type = f"{metric.name}_per_type"
    if not result.n_counted:
        keys = (metric.name, *score_names(metric).values(), *([per_type] if metric.LABEL else ()))
        return dict.fromkeys(keys)
    scores: dict[str, Any] = {name: result.figures[key] for key, name in score_names(metric).items()}
    scores[metric.name] = result.score
    if metric.LABEL:
        scores[per_type] = {
            label: {
                "p": tally.precision,
                "r": tally.recall,
                "f": tally.score,
                "n_pred": tally.n_pred,
                "n_ref": tally.n_ref,
            }
            for label, tally in result.by_label.items()
        }
    return scores


def _log_problems(result: Result) -> None:
    n_problems = result.n_zeroed or len(result) - result.n_counted
    if n_problems:
        what = "count as 0" if result.n_zeroed else "were skipped"
        pairs = f"{n_problems} of {count(len(result), 'pair')}"
        logger.warning("%s of trees %s; the first: %s", pairs, what, result.problems[0][1])
