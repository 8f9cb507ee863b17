"""The components, one for each metric, which score trees in `nlp.evaluate` and `spacy train`.

spaCy imports this module whenever it makes a pipeline. Modules that add extensions to `Doc` and `Span` are
therefore imported when a component is made, so that pipelines without one stay as they are.
"""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import logger

from structiou_metric.metrics import METRICS, metric_class

from .options import option_parameters, with_parameters
from .scorer import COMMON, TreeScorer, figure_keys, make_scorer


class StructIouComponent:
    """Score the trees of a pipeline. Add it after the parser.

    Documents pass unchanged, with one exception: trees of benepar are put into the span group of predictions.

    `Language.evaluate` scores the tokenizer first and raises E949 if the two sides have different characters.
    It does not do so for references with unknown spaces, such as those of `doc_from_trees` and of the corpus
    reader.

    >>> import spacy
    >>> from spacy.training import Example
    >>> from spacy_structiou import doc_from_trees
    >>> nlp = spacy.blank("en")
    >>> component = nlp.add_pipe("struct_iou")
    >>> docs = [doc_from_trees(nlp.vocab, [tree]) for tree in ("(S (A a) (B b))", "(S (A a) (C b))")]
    >>> round(component.score([Example(*docs)])["struct_iou"], 4)
    0.6667

    Args:
        scorer: Scores the Examples.
        overwrite: Whether trees of benepar replace trees that the span group already has, such as those of
            the reference that the Doc was copied from.
        remove_benepar: Whether to remove benepar's own data after its trees have been read. spaCy cannot
            write a Doc with that data (`DocBin(store_user_data=True)`) or get it from a process
            (`n_process=2`).
    """

    def __init__(self, scorer: TreeScorer, *, overwrite: bool = True, remove_benepar: bool = False) -> None:
        from .convert import add_extensions

        add_extensions()
        self.name = scorer.name
        self.scorer = scorer
        self.overwrite = overwrite
        self.remove_benepar = remove_benepar

    def __call__(self, doc: Doc) -> Doc:
        """Put the trees of benepar, if there are any, into the span group of predictions."""
        from .benepar import benepar_trees, remove_benepar
        from .convert import set_trees

        key = self.scorer.predicted_key
        if self.overwrite or key not in doc.spans:
            trees = benepar_trees(doc)
            if trees:
                set_trees(doc, trees, key=key)
        if self.remove_benepar:
            remove_benepar(doc)
        return doc

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None
    ) -> None:
        """Check before training that the pipeline gives the scores that `[training.score_weights]` names.

        spaCy shows 0.00 for a score that is not there. Only names that end like a score of this package are
        checked, as other components may give scores by any other name.

        Raises:
            ValueError: A weight names a score of a metric of this package that no component gives.
        """
        training = nlp.config.get("training") if nlp is not None else None
        weights = (training or {}).get("score_weights") or {}
        given = {key for scorer in _scorers(nlp) for key in scorer.score_keys()} if nlp is not None else set()
        figures = tuple(key for metric in METRICS for key in figure_keys(metric_class(metric)))
        missing = [
            key
            for key, weight in weights.items()
            if weight is not None and key.endswith(figures) and key not in given
        ]
        if missing:
            headline = self.scorer.prefix + self.scorer.metric.name
            raise ValueError(
                f"{self.name}: [training.score_weights] names {', '.join(missing)}, which nothing in this "
                f"pipeline gives, so training would show 0.00 for it; write {headline} = 1.0 and "
                f"{', '.join(f'{key} = null' for key in missing)} there"
            )

    def warn_of_others(self, nlp: Language) -> None:
        """Log which components of the pipeline already give scores of the same names."""
        others = [
            name
            for name, pipe in nlp.pipeline
            if isinstance(scorer := getattr(pipe, "scorer", None), TreeScorer)
            and (scorer.prefix, scorer.metric.name) == (self.scorer.prefix, self.scorer.metric.name)
        ]
        if others:
            logger.warning(
                "%s: %s in this pipeline gives scores of the same names, and nlp.evaluate keeps only "
                "the last; set a prefix, such as prefix = '%s_'",
                self.name,
                " and ".join(map(repr, others)),
                self.name,
            )

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Return the scores of some Examples, as `TreeScorer` does."""
        return self.scorer(examples)


def _scorers(nlp: Language) -> list[TreeScorer]:
    """Return the tree scorers of all components of a pipeline."""
    scorers = (getattr(pipe, "scorer", None) for _, pipe in nlp.pipeline)
    return [scorer for scorer in scorers if isinstance(scorer, TreeScorer)]


def _add_factory(metric: str) -> Callable[..., StructIouComponent]:
    """Register a factory with the name and the options of a metric."""

    def make_component(
        nlp: Language, name: str, overwrite: bool = True, remove_benepar: bool = False, **options: Any
    ) -> StructIouComponent:
        """Make the component. `StructIouComponent` and `TreeScorer` describe its settings."""
        scorer = make_scorer(metric, name=name, **options)
        component = StructIouComponent(scorer, overwrite=overwrite, remove_benepar=remove_benepar)
        component.warn_of_others(nlp)
        return component

    weights: dict[str, float | None] = dict.fromkeys(figure_keys(metric_class(metric)))
    weights[metric] = 1.0
    make = with_parameters(make_component, [*COMMON, *option_parameters(metric)])
    Language.factory(metric, assigns=["doc.spans"], default_score_weights=weights, func=make)
    return make


# spaCy imports this module for the entry point of the first one, which registers all of them.
FACTORIES = {metric: _add_factory(metric) for metric in METRICS}
make_struct_iou = FACTORIES["struct_iou"]
