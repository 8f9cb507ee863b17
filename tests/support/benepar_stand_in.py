"""What benepar leaves on a Doc, without benepar: extensions with the names, values and order of 0.2.0's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from spacy.tokens import Doc, Span


class BeneparData:
    """What `Doc._._constituent_data` holds: nodes in pre-order, unary chains in one."""

    def __init__(self, *nodes: tuple[int, int, tuple[str, ...]]) -> None:
        self.starts, self.ends, self.labels = zip(*nodes, strict=True)


def parse_flat(doc: Doc) -> Doc:
    """A pipeline component: every sentence is parsed as `(S (VP word …))`."""
    nodes: list[tuple[int, int, tuple[str, ...]]] = []
    for sent in doc.sents:
        nodes += [(sent.start, sent.end, ("S", "VP")), *((i, i + 1, ()) for i in range(sent.start, sent.end))]
    doc._._constituent_data = BeneparData(*nodes)
    return doc


@contextmanager
def benepar_extensions() -> Iterator[None]:
    """Adds the extensions, and takes them away again."""

    def below(span: Span) -> list[tuple[int, int, tuple[str, ...]]]:
        data = span.doc._._constituent_data
        data = data if isinstance(data, dict) else vars(data)  # later versions have a dict
        nodes = list(zip(data["starts"], data["ends"], data["labels"], strict=True))
        first = next(i for i, node in enumerate(nodes) if node[:2] == (span.start, span.end))
        return [node for node in nodes[first:] if span.start <= node[0] and node[1] <= span.end]

    Doc.set_extension("_constituent_data", default=object())
    Span.set_extension("labels", getter=lambda span: below(span)[0][2])
    Span.set_extension("constituents", getter=lambda span: (span.doc[i:j] for i, j, _ in below(span)))
    yield
    Doc.remove_extension("_constituent_data")
    Span.remove_extension("labels")
    Span.remove_extension("constituents")
