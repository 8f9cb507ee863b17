"""The scorers, one for each metric, which return the scores of `Example`s.

Trees are compared over words, characters or seconds. `Example.alignment` is not used, as it fails if the two
sides have different characters.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from inspect import Parameter, signature
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import logger, registry

from structiou_metric import SegmentTree, StructIoU
from structiou_metric._core.flat import FlatTrees
from structiou_metric._core.scan import Scanner
from structiou_metric.errors import TreeFormatError, TreeMismatchError
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.metric import Metric
from structiou_metric.metrics.results import Result
from structiou_metric.metrics.runner import add_rows
from structiou_metric.metrics.struct_iou.result import TEXT_COLUMNS
from structiou_metric.sources.documents import join_trees
from structiou_metric.sources.rows import Problems, fill
from structiou_metric.trees.spelling import widths_for
from structiou_metric.wording import check_choice, count

from .options import option_parameters, scorer_name, with_parameters
from .store import EMPTY, KEY, Placed, brief, is_word, read_trees

PER = ("sentence", "doc")

# Figures whose names in scores, which configs give weights to, are not the keys of their measures.
_NAMES = {"struct_iou_precision": "struct_iou_p", "struct_iou_recall": "struct_iou_r"}

_BYTES_PER_NODE = 10  # in bracket text; batches are smaller where trees are longer

Found = SegmentTree | ValueError  # a tree, or the error of a row that cannot be compared


def score_names(metric: Metric | type[Metric]) -> dict[str, str]:
    """Return the name of each figure of a metric in the scores, by the key of its measure."""
    return {key: _NAMES.get(key, key) for key in metric.MEASURES}


def figure_keys(metric: Metric | type[Metric]) -> list[str]:
    """Return the names of all figures of a metric: the headline, the other figures, and those by label."""
    per_type = [f"{metric.name}_per_type"] if metric.LABEL else []
    return list(dict.fromkeys([metric.name, *score_names(metric).values(), *per_type]))


class TreeScorer:
    """Score the trees of Examples.

    Documents without reference trees are not scored. In all other documents, every reference tree is compared
    with the predicted tree over the same text. If there is no such tree, the parse has failed, and the
    prediction is an empty tree.

    A prediction is at fault if the Doc has no group of predicted trees, if its spans cross, if its sentences
    cannot be matched with those of the reference, or if the metric cannot compare the two trees. The option
    `on_error` of the metric decides about such rows: by default they count as 0. A fault of a reference is
    always an error.

    A scorer logs each kind of warning once, as training evaluates many times.

    >>> from spacy.training import Example
    >>> from spacy.vocab import Vocab
    >>> from spacy_structiou import doc_from_trees, make_struct_iou_scorer
    >>> scorer = make_struct_iou_scorer()
    >>> docs = [doc_from_trees(Vocab(), [tree]) for tree in ("(S (A a) (B b))", "(S (A a) (C b))")]
    >>> scores = scorer([Example(*docs)])
    >>> scores["struct_iou_per_type"]["A"]["f"], scores["struct_iou_counts"]["pairs"]
    (1.0, 1)

    Args:
        metric: The metric with its options.
        per: Whether to compare tree with tree (`sentence`), or all trees of a Doc at once (`doc`), for
            pipelines that segment a text into different sentences than the reference.
        predicted_key: The span group with the trees of predicted Docs.
        reference_key: The span group with the trees of reference Docs.
        prefix: A prefix of the names of all scores, for pipelines with several scorers of a metric. Names in
            `[training.score_weights]` have it, too.
        name: The name of the scorer in errors and warnings.
    """

    def __init__(
        self,
        metric: Metric,
        per: str = "sentence",
        predicted_key: str = KEY,
        reference_key: str = KEY,
        prefix: str = "",
        name: str = "scorer",
    ) -> None:
        check_choice("per", per, PER)
        self.metric = metric
        self.per = per
        self.predicted_key = predicted_key
        self.reference_key = reference_key
        self.prefix = prefix
        self.name = name
        self._logged: set[str] = set()

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Return the scores of some Examples.

        Returns:
            The figures of the metric by name: those of STRUCT-IoU are `struct_iou`, the headline,
            `struct_iou_sentence`, `struct_iou_corpus`, `struct_iou_p` and `struct_iou_r`. If the metric
            counts by label, `…_per_type` has `p`, `r`, `f` and the numbers of nodes of each label. All
            figures are None if there is nothing to score.

            `…_counts` has the numbers of `docs`, of `unannotated` docs without reference trees, of `pairs`
            that were scored, of `empty` predictions among them, of pairs that were `zeroed` and `skipped`,
            and of `lengthless` nodes, which do not count. With `per = "doc"`, it also has the numbers of
            trees of both sides, `trees_pred` and `trees_ref`. With aligned texts, it also has the numbers of
            words or characters that are equal (`text_matched`), `text_replaced`, `text_pred_only` and
            `text_ref_only`.

            `…_warnings` has the number of pairs by kind of warning. The scorer that `explaining` returns
            also gives `…_losses`, which is `Losses.as_dict`. All names begin with the prefix of the scorer.
        """
        pairs = list(examples)
        predictions, references, n_unannotated = self._pair(pairs)
        if pairs and n_unannotated == len(pairs):
            self._warn_of_no_trees(pairs)
        counts = {"docs": len(pairs), "unannotated": n_unannotated}
        scores: dict[str, Any] = dict.fromkeys(figure_keys(self.metric))
        if not len(references):
            counts |= dict.fromkeys(("pairs", "empty", "zeroed", "skipped", "lengthless"), 0)
            scores[f"{self.metric.name}_warnings"] = {}
        else:
            result: Result = self.metric.RESULT(self.metric)
            add_rows(result, [(0, predictions, references)], by_label=True)
            counts |= _counts(result)
            if result.n_counted:
                scores = _figures(result)
            self._log_problems(result)
            for warning in result.warnings:
                self._log_once(warning.kind, warning.message)
            scores[f"{self.metric.name}_warnings"] = {
                warning.kind: warning.count for warning in result.warnings
            }
            if getattr(self.metric, "explains", False) and result.n_counted:
                scores[f"{self.metric.name}_losses"] = result.losses.as_dict()  # type: ignore[attr-defined]
        scores[f"{self.metric.name}_counts"] = counts
        return {self.prefix + key: value for key, value in scores.items()}

    def score_keys(self) -> list[str]:
        """Return the names of the figures, which may have weights in `[training.score_weights]`."""
        return [self.prefix + key for key in figure_keys(self.metric)]

    def explaining(self) -> "TreeScorer":
        """Return a copy of the scorer that also reports the loss by cause, as `struct_iou_losses`."""
        if not isinstance(self.metric, StructIoU):
            raise ValueError(f"{self.name}: only {StructIoU.title} reports how much is lost by each cause")
        other = copy(self)
        other.metric = self.metric.explaining()
        return other

    # ---- pairs of trees ------------------------------------------------------------------------

    def _pair(self, examples: Sequence[Example]) -> tuple["DocRows", "DocRows", int]:
        """Return the trees to compare as rows, and the number of Docs without reference trees."""
        rows = DocRows if self.per == "sentence" else JoinedRows
        predictions, references = rows("the prediction"), rows("the reference")
        n_unannotated = 0
        for d, example in enumerate(examples):
            where = f"{self.name}: document {d} ({brief(example.reference)})"
            refs = self._read_references(example.reference, where)
            if not refs:
                n_unannotated += 1
                continue
            preds = self._read_predictions(example.predicted)
            if self.per == "doc":
                both = self._join(example.predicted, preds), self._join(example.reference, refs)
                sizes = len(preds) if isinstance(preds, list) else 0, len(refs)
                predictions.add(both[0], where, sizes[0])
                references.add(both[1], "", sizes[1])
                continue
            matches = preds if isinstance(preds, ValueError) else _match_all(example, preds, refs)
            for i, ref in enumerate(refs):
                found = matches if isinstance(matches, ValueError) else matches[i]
                predictions.add(found, f"{where}, tree {i}")
                references.add(ref.tree, "")
        return predictions, references, n_unannotated

    def _read_references(self, doc: Doc, where: str) -> list[Placed]:
        """Read the trees of a reference."""
        try:
            refs = read_trees(doc, self.reference_key)
        except TreeFormatError as error:
            raise TreeFormatError(error.message, source=f"{where}: the reference: {error.source}") from None
        for i, ref in enumerate(refs):
            if self.metric.unit == "time" and ref.tokens and ref.tree.times is None:
                raise TreeFormatError(
                    "the reference has no times for all of its words; give trees with times to "
                    "doc_from_trees, or score another unit than 'time'",
                    source=f"{where}, tree {i}",
                )
        return refs

    def _read_predictions(self, doc: Doc) -> list[Placed] | ValueError:
        """Return the trees of a predicted Doc, or the error if it has none that can be compared."""
        if self.predicted_key not in doc.spans:
            return TreeMismatchError(
                f"the prediction has no doc.spans[{self.predicted_key!r}]; put a parser that sets "
                "trees before this component, or set predicted_key to the group that has them"
            )
        try:
            return read_trees(doc, self.predicted_key)
        except TreeFormatError as error:
            return TreeFormatError(error.message, source=f"the prediction: {error.source}")

    def _join(self, doc: Doc, found: list[Placed] | ValueError) -> Found:
        """Join the trees of a Doc into one with the same number of roots.

        Words between the trees become words outside of all nodes, unless seconds are compared.
        """
        if isinstance(found, ValueError):
            return found
        trees: list[SegmentTree] = []
        token = 0
        for placed in [*found, Placed(EMPTY, (), len(doc), len(doc))]:
            between = [other.text for other in doc[token : placed.start] if is_word(other)]
            if between and self.metric.unit != "time":
                trees.append(_bare_words(between))
            trees.append(placed.tree)
            token = placed.end
        try:
            return join_trees(trees, "time" if self.metric.unit == "time" else "word")
        except TreeFormatError as error:  # seconds are scored, and a predicted tree has no times
            return TreeFormatError(error.message, source="the prediction")

    # ---- warnings ------------------------------------------------------------------------------

    def _log_once(self, kind: str, message: str) -> None:
        """Log a message, unless one of the same kind was logged before."""
        if kind not in self._logged:
            self._logged.add(kind)
            logger.warning("%s: %s", self.name, message)

    def _warn_of_no_trees(self, examples: Sequence[Example]) -> None:
        """Log that no document has reference trees, and how to get them."""
        keys = sorted({key for example in examples for key in example.reference.spans})
        other_key = f"set reference_key to one of {', '.join(map(repr, keys))}, or " if keys else ""
        self._log_once(
            "no trees",
            f"none of {count(len(examples), 'document')} has reference trees in "
            f"doc.spans[{self.reference_key!r}], so there is nothing to score; {other_key}read the corpus "
            "with @readers = 'structiou.treebank_corpus.v1', as spaCy's own spacy.Corpus.v1 loses all trees "
            "where it cuts documents (gold_preproc, max_length)",
        )

    def _log_problems(self, result: Result) -> None:
        """Log how many pairs were scored as zero or skipped, with the first error."""
        n_problems = result.n_zeroed or len(result) - result.n_counted
        if n_problems:
            status = "count as 0" if result.n_zeroed else "were skipped"
            first = result.problems[0][1].removeprefix(f"{self.name}: ")
            pairs = count(len(result), "pair")
            self._log_once("problems", f"{n_problems:,} of {pairs} {status}; the first: {first}")


def _counts(result: Result) -> dict[str, int]:
    """Return the numbers of `…_counts` for a result."""
    columns = {name: int(sum(column)) for name, column in result.columns.items()}
    counts = {
        "pairs": result.n_counted,
        "empty": result.n_empty,
        "zeroed": result.n_zeroed,
        "skipped": len(result) - result.n_counted,
        "lengthless": columns.get("n_lengthless", 0),
    }
    sentences = {"trees_pred": "n_sentences_pred", "trees_ref": "n_sentences_ref"}
    counts |= {name: columns[column] for name, column in sentences.items() if column in columns}
    return counts | {name.removeprefix("n_"): columns[name] for name in TEXT_COLUMNS if name in columns}


def _figures(result: Result) -> dict[str, Any]:
    """Return the figures of a result, without the prefix."""
    metric = result.metric
    figures: dict[str, Any] = {name: result.figures[key] for key, name in score_names(metric).items()}
    figures[metric.name] = result.figures[metric.headline]
    if metric.LABEL:
        figures[f"{metric.name}_per_type"] = {
            label: {
                "p": tally.precision,
                "r": tally.recall,
                "f": tally.score,
                "n_pred": tally.n_pred,
                "n_ref": tally.n_ref,
            }
            for label, tally in result.by_label.items()
        }
    return figures


# ---- matching ----------------------------------------------------------------------------------------


def _match_all(example: Example, preds: Sequence[Placed], refs: Sequence[Placed]) -> list[Found] | ValueError:
    """Return the predicted tree for each reference tree, or the error of a tree that has no counterpart.

    If all words are in trees and the numbers of words agree, trees are matched in order. Otherwise, trees
    match that begin and end at the same characters.
    """
    if not preds:
        return [EMPTY] * len(refs)
    docs = example.predicted, example.reference
    in_order = len(preds) == len(refs) and all(
        sum(len(placed.tokens) for placed in side) == sum(map(is_word, doc))
        for side, doc in zip((preds, refs), docs, strict=True)
    )
    if in_order and all(len(p.tokens) == len(r.tokens) for p, r in zip(preds, refs, strict=True)):
        return [placed.tree for placed in preds]
    before_pred, before_ref = map(_characters_before, docs)
    if before_pred[-1] != before_ref[-1]:
        if len(preds) == len(refs):
            return [placed.tree for placed in preds]
        return TreeMismatchError(
            f"the prediction has {count(len(preds), 'tree')} and the reference {len(refs)}, which cannot be "
            f"matched by their places: the texts have {before_pred[-1]} and {before_ref[-1]} characters; set "
            "an empty tree where a parse fails, or give both sides the same text"
        )
    places = {(before_pred[placed.start], before_pred[placed.end]): placed.tree for placed in reversed(preds)}
    beginning = {before_pred[placed.start]: placed.tree for placed in reversed(preds)}
    spoken = [placed for placed in preds if placed.tokens]
    starts = [before_pred[placed.start] for placed in spoken]
    found: list[Found] = []
    for ref in refs:
        start, end = before_ref[ref.start], before_ref[ref.end]
        tree = places.get((start, end)) if ref.tokens else beginning.get(start)
        # Of trees in order, only the last one that begins here or before, and the next, can overlap this one.
        near = bisect_right(starts, start) - 1
        over = [spoken[i] for i in (near, near + 1) if 0 <= i < len(spoken)]
        over = [p for p in over if before_pred[p.start] < end and start < before_pred[p.end]]
        if tree is None and over:
            lo, hi = before_pred[over[0].start], before_pred[over[0].end]
            found.append(
                TreeMismatchError(
                    f"the prediction has a tree over characters {lo}–{hi}, the reference over {start}–{end}; "
                    "give both sides the same sentences, or compare whole documents (per = 'doc')"
                )
            )
        else:
            found.append(EMPTY if tree is None else tree)
    return found


def _characters_before(doc: Doc) -> list[int]:
    """Return the number of characters before each token, and of all, as the metric counts characters."""
    texts = [token.text for token in doc]
    return list(accumulate(Scanner().measure(texts, widths_for("".join(texts))), initial=0))


def _bare_words(words: Sequence[str]) -> SegmentTree:
    """Return a tree without nodes over some words."""
    tree = EMPTY
    return SegmentTree(tree.labels, tree.sizes, tree.firsts, tree.lasts, tuple(words), None, "word")


# ---- rows --------------------------------------------------------------------------------------------


class DocRows:
    """Rows for a metric: the trees of Docs, and the errors of those that cannot be compared.

    Args:
        title: The name of this side in errors.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._found: list[Found] = []
        self._names: list[str] = []

    def add(self, found: Found, where: str, n_trees: int = 1) -> None:
        """Add a row, or the error of a row that cannot be compared.

        Args:
            found: The tree of the row, or its error.
            where: The place of the row, for errors.
            n_trees: The number of trees that were joined for the row.
        """
        self._found.append(found)
        self._names.append(where)

    def __len__(self) -> int:
        return len(self._found)

    def name(self, row: int) -> str:
        """Return the name of a row in errors."""
        where = self._names[row]
        return f"{where}: {self.title}" if where else self.title

    def longest(self, lo: int, hi: int) -> int:
        """Return about how many bytes the longest row would have as text."""
        return _BYTES_PER_NODE * max(
            (len(tree) for tree in self._found[lo:hi] if isinstance(tree, SegmentTree)), default=0
        )

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Copy rows into the arrays of a metric, and return the errors of those that cannot be compared."""
        problems: Problems = {}
        loaded: list[SegmentTree | None] = []
        for row in range(lo, hi):
            try:
                loaded.append(self.tree(row, unit))
            except ValueError as error:
                loaded.append(None)
                problems[row] = error
        fill(loaded, unit, scanner, trees)
        return problems

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree; raise its error if it has none."""
        found = self._found[row]
        if isinstance(found, TreeFormatError):
            raise TreeFormatError(found.message, source=f"{self._names[row]}: {found.source}")
        if isinstance(found, ValueError):
            raise TreeMismatchError(f"{self._names[row]}: {found}")
        try:
            return found if unit is None else found.with_unit(unit)
        except TreeFormatError as error:
            raise TreeFormatError(error.message, source=self.name(row)) from None


class JoinedRows(DocRows):
    """Rows for a metric, each with all trees of a Doc joined into one."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._sizes: list[int] = []

    def add(self, found: Found, where: str, n_trees: int = 1) -> None:
        """Add a row that was made of some trees."""
        super().add(found, where)
        self._sizes.append(n_trees)

    def n_sentences(self, row: int) -> int:
        """Return the number of trees of a Doc."""
        return self._sizes[row]


# ---- registered --------------------------------------------------------------------------------------


# The settings of `TreeScorer`, which the scorers and components of all metrics have.
COMMON = [
    parameter.replace(kind=Parameter.KEYWORD_ONLY)
    for name, parameter in signature(TreeScorer).parameters.items()
    if name not in ("metric", "name")
]


def make_scorer(metric: str, *, name: str = "", **options: Any) -> TreeScorer:
    """Make the scorer of a metric.

    Args:
        metric: The name of the metric in `structiou_metric.metrics.METRICS`.
        name: The name of the scorer in errors and warnings.
        **options: Settings of `TreeScorer` and options of the metric. None means the default of an option.

    Raises:
        ValueError: An option is unknown, has a wrong value, or names a file that cannot be read.
    """
    name = name or scorer_name(metric)
    own = {each.name: options.pop(each.name) for each in COMMON if each.name in options}
    given = {"on_error": "zero", **{option: value for option, value in options.items() if value is not None}}
    try:
        return TreeScorer(load_metric(metric, **given), **own, name=name)
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None


def _register(metric: str) -> Callable[..., TreeScorer]:
    """Register a function that makes the scorer of a metric, with the options of the metric as arguments."""

    def make(**options: Any) -> TreeScorer:
        return make_scorer(metric, **options)

    make.__doc__ = f"Make the scorer of the metric {metric!r}; see `TreeScorer`."
    make.__name__ = f"make_{metric}_scorer"
    maker = with_parameters(make, [*COMMON, *option_parameters(metric)])
    registry.scorers(scorer_name(metric), func=maker)
    return maker


# By metric, the function that makes its scorer. The entry points in pyproject.toml name these functions, so
# that spaCy finds a scorer by its name before anything has imported this module.
makers = SimpleNamespace(**{metric: _register(metric) for metric in METRICS})
make_struct_iou_scorer: Callable[..., TreeScorer] = makers.struct_iou
