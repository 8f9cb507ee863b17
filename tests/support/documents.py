"""Rows that are documents: each a list of trees, read as one run of roots with words numbered through."""

from __future__ import annotations

from structiou_metric._core.flat import FlatTrees
from structiou_metric.sources.rows import scan
from structiou_metric.trees.brackets import join_rows


class DocumentRows:
    """Documents of bracket texts, as the runner takes rows."""

    def __init__(self, documents, title="documents"):
        self._documents = documents
        self.title = title

    def __len__(self):
        return len(self._documents)

    def name(self, row):
        return f"{self.title}[{row}]"

    def longest(self, lo, hi):
        return max((sum(map(len, trees)) for trees in self._documents[lo:hi]), default=0)

    def load(self, lo, hi, unit, scanner, trees):
        loaded = []
        for document in self._documents[lo:hi]:
            part = FlatTrees()
            if document:
                scan(scanner, *join_rows(document), unit, part)
            loaded.append(_joined(part))
        trees.reserve(len(loaded), sum(len(one[0]) for one in loaded), sum(len(one[6]) for one in loaded))
        for one in loaded:
            trees.append(*one)
        return {}


def _joined(part):
    labels, sizes, firsts, lasts, words = [], [], [], [], []
    for t in range(part.n_trees):
        label, size, first, last = part.nodes(t)
        labels += label
        sizes += size
        firsts += [len(words) + i for i in first]
        lasts += [len(words) + i for i in last]
        words += [part.word(t, i) for i in range(len(part.words(t)[0]))]
    starts = [float(i) for i in range(len(words))]
    return labels, sizes, firsts, lasts, starts, [start + 1.0 for start in starts], words
