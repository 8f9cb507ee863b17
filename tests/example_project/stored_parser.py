"""A tokenizer and a parser that look up trees which another program has stored.

For `--code stored_parser.py`: a way to score trees from a file in a spaCy pipeline.
"""

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.util import DummyTokenizer

from spacy_structiou import doc_from_trees, set_tree
from structiou_metric import read_trees


def letters(text: str) -> str:
    """Return a text without spaces and vowel points, by which trees are found."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c)[0] not in "MZ")


class StoredTokenizer(DummyTokenizer):
    """Split a text into the words of its stored tree, and an unknown text at spaces."""

    def __init__(self, nlp: Language, path: Path) -> None:
        self.vocab = nlp.vocab
        self.trees = {letters(doc_from_trees(nlp.vocab, [tree]).text): tree for tree in read_trees(path)}

    def __call__(self, text: str) -> Doc:
        tree = self.trees.get(letters(text))
        words = [token.text for token in doc_from_trees(self.vocab, [tree])] if tree else text.split()
        return Doc(self.vocab, words=words)


@spacy.registry.tokenizers("stored_tokenizer.v1")
def make_stored_tokenizer(path: Path) -> Callable[[Language], StoredTokenizer]:
    return lambda nlp: StoredTokenizer(nlp, path)


class StoredParser(Pipe):
    """Set the stored tree, or the empty tree of a failed parse if there is none."""

    def __init__(self, nlp: Language, name: str, scorer: Callable[..., Any] | None) -> None:
        self.name = name
        self.scorer = scorer
        self._trees = nlp.tokenizer.trees

    def __call__(self, doc: Doc) -> Doc:
        set_tree(doc, self._trees.get(letters(doc.text), "()"))
        return doc


@Language.factory("stored_parser", default_score_weights={"struct_iou": 1.0})
def make_stored_parser(nlp: Language, name: str, scorer: Callable[..., Any] | None = None) -> StoredParser:
    return StoredParser(nlp, name, scorer)
