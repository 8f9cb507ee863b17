"""Trees of benepar, read from the extensions that it adds to Doc and Span. Benepar itself is not imported."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from spacy.tokens import Doc, Span

from structiou_metric.trees.tree import SegmentTree

from .store import is_word

_NO_TAG = "UNK"
_DATA = "_constituent_data"


def benepar_trees(doc: Doc) -> list[SegmentTree]:
    """Return the trees of the sentences of a Doc that benepar has parsed; an empty list for any other Doc.

    `set_trees(doc, benepar_trees(doc))` puts them into the span group. Preterminals have the tags of their
    tokens, or `UNK`. A sentence of several trees gets a root with an empty label.

    >>> import spacy
    >>> benepar_trees(spacy.blank("en")("dogs bark"))  # benepar has not parsed it
    []

    Args:
        doc: Any Doc.
    """
    if not (Doc.has_extension(_DATA) and Span.has_extension("constituents") and Span.has_extension("labels")):
        return []
    data = doc._.get(_DATA)
    parsed = "starts" in data if isinstance(data, Mapping) else hasattr(data, "starts")
    return (
        [_tree(sent) for sent in doc.sents] if parsed else []
    )  # benepar sets a mark on Docs that it has not parsed


def _tree(sent: Span) -> SegmentTree:
    words = [token for token in sent if is_word(token)]
    place = list(accumulate(map(is_word, sent), initial=0))
    spans = [
        (label, place[part.start - sent.start], place[part.end - sent.start])
        for part in sent._.constituents
        for label in part._.labels  # several for a unary chain, none for a token without phrase
    ]
    spans = [span for span in spans if span[1] < span[2]]
    if not spans or spans[0][1:] != (0, len(words)):
        spans.insert(0, ("", 0, len(words)))
    spans += [(token.tag_ or _NO_TAG, i, i + 1) for i, token in enumerate(words)]
    return SegmentTree.from_spans(spans, "word", words=[token.text for token in words])


def remove_benepar(doc: Doc) -> None:
    """Remove the data of benepar from a Doc; with it, spaCy cannot write the Doc or send it to a process.

    >>> import spacy
    >>> doc = spacy.blank("en")("dogs bark")
    >>> remove_benepar(doc)
    >>> doc.user_data
    {}

    Args:
        doc: Any Doc.
    """
    user_data: dict[Any, Any] = doc.user_data
    user_data.pop(("._.", _DATA, None, None), None)
