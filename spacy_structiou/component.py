"""The component `struct_iou`: scores the trees of a pipeline in `nlp.evaluate` and `spacy train`.

spaCy imports this module whenever it makes a pipeline, so all that takes time is imported when a
component is made. That is why the options of STRUCT-IoU are written out here; a test compares them with
its table.
"""

from collections.abc import Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import logger


class StructIouComponent:
    """Stands behind a parser and scores its trees.

    It leaves documents as they are, but for one thing: trees that benepar has left on the sentences are
    put into the span group of predictions.

    `Language.evaluate` scores the tokenizer first, which fails (E949) where spaCy cannot align the tokens
    of the two sides. It does not try so with references whose spaces are unknown, such as those of
    `doc_from_trees` and of the corpus reader.

    >>> import spacy
    >>> from spacy.training import Example
    >>> from spacy_structiou import doc_from_trees
    >>> nlp = spacy.blank("en")
    >>> component = nlp.add_pipe("struct_iou")
    >>> docs = [doc_from_trees(nlp.vocab, [tree]) for tree in ("(S (A a) (B b))", "(S (A a) (C b))")]
    >>> round(component.score([Example(*docs)])["struct_iou"], 4)
    0.6667

    Args:
        name: The name of the component in the pipeline.
        overwrite: Whether benepar's trees replace those that the span group has, such as those of a
            reference from which the Doc was copied.
        remove_benepar: Whether benepar's own data is removed when its trees have been taken. With it, a Doc
            can neither be written (`DocBin(store_user_data=True)`) nor come from a process (`n_process=2`).
        options: The arguments of `spacy_structiou.scorer.make_struct_iou_scorer`.
    """

    def __init__(self, name: str, *, overwrite: bool, remove_benepar: bool, **options: Any) -> None:
        from .convert import add_extensions
        from .scorer import make_struct_iou_scorer

        add_extensions()
        self.name = name
        self.overwrite = overwrite
        self.remove_benepar = remove_benepar
        self._key: str = options["predicted_key"]
        self.scorer = make_struct_iou_scorer(**options, name=name)

    def __call__(self, doc: Doc) -> Doc:
        """Takes over what benepar has found."""
        from .benepar import benepar_trees, remove_benepar
        from .convert import set_trees

        if self.overwrite or self._key not in doc.spans:
            trees = benepar_trees(doc)
            if trees:
                set_trees(doc, trees, key=self._key)
        if self.remove_benepar:
            remove_benepar(doc)
        return doc

    def warn_of_others(self, nlp: Language) -> None:
        """Says which components that the pipeline has already give scores of the same names."""
        from .scorer import TreeScorer

        others = [
            name
            for name, pipe in nlp.pipeline
            if isinstance(scorer := getattr(pipe, "scorer", None), TreeScorer)
            and (scorer.prefix, scorer.metric.name) == (self.scorer.prefix, self.scorer.metric.name)
        ]
        if others:
            logger.warning(
                "%s: %s in this pipeline gives scores of the same names, of which nlp.evaluate keeps only "
                "the last; set prefix, such as prefix = '%s_'",
                self.name,
                " and ".join(map(repr, others)),
                self.name,
            )

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """The scores, as `spacy_structiou.scorer.TreeScorer` gives them."""
        return self.scorer(examples)


@Language.factory(
    "struct_iou",
    assigns=["doc.spans"],
    default_score_weights={
        "struct_iou": 1.0,
        "struct_iou_corpus": None,
        "struct_iou_p": None,
        "struct_iou_r": None,
        "struct_iou_per_type": None,
    },
)
def make_struct_iou(
    nlp: Language,
    name: str,
    metric: str = "struct_iou",
    metric_options: dict[str, Any] | None = None,
    unit: str = "word",
    texts: str = "same",
    labels: str = "exact",
    terminals: str = "strict",
    min_iou: float = 0.0,
    drop: list[str] | None = None,
    average: str = "sentence",
    max_cells: float | None = None,
    on_error: str = "raise",
    per: str = "sentence",
    predicted_key: str = "constituents",
    reference_key: str = "constituents",
    prefix: str = "",
    overwrite: bool = True,
    remove_benepar: bool = False,
) -> StructIouComponent:
    """Makes the component: `StructIouComponent` and `make_struct_iou_scorer` tell the options."""
    options = dict(locals())
    del options["nlp"]
    component = StructIouComponent(**options)
    component.warn_of_others(nlp)
    return component
