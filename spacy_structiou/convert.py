"""Trees of a `Doc` from and to `SegmentTree`, bracket text and `nltk.Tree`.

`spacy_structiou.store` describes how a Doc keeps them. Importing this module adds the extensions `trees` and
`tree` to Doc and Span (`doc._.trees`, `span._.tree`), which call `get_trees`, `set_trees`, `get_tree` and
`set_tree`. Extensions of other packages that have these names are not replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

from spacy.tokens import Doc, Span

from structiou_metric._core.shapes import is_node
from structiou_metric.errors import TreeMismatchError
from structiou_metric.trees.shapes import as_tree
from structiou_metric.trees.spelling import ESCAPES
from structiou_metric.trees.surgery import subtree
from structiou_metric.trees.tree import SegmentTree
from structiou_metric.wording import count

from .store import (
    KEY,
    NO_TEXT,
    QUOTES,
    brief,
    check_whole,
    place_tree,
    read_trees,
    storable,
    without_traces,
    word_tokens,
    write_trees,
)

_TEXTS = {**ESCAPES, **QUOTES}  # words of treebanks, and the same words in texts


def set_tree(doc_or_span: Doc | Span, tree: Any, *, key: str = KEY, check_words: bool = True) -> None:
    """Set the tree of a Doc, or that of a Span such as a sentence, next to the trees of other Spans.

    Each call reads all spans of the Doc, so use `set_trees` to set the trees of many sentences.

    >>> import spacy
    >>> doc = spacy.blank("en")("dogs bark")
    >>> set_tree(doc, "(S (NP (NNS dogs)) (VP (VBP bark)))")
    >>> [(span.label_, span.text) for span in doc.spans["constituents"]][:2]
    [('S', 'dogs bark'), ('NP', 'dogs')]

    Args:
        doc_or_span: The Doc or Span; its tokens are the words of the tree, white space aside. Traces
            (`-NONE-`) are removed from the tree unless they are among the tokens.
        tree: The tree in any shape that `SegmentTree` reads, such as bracket text, an `nltk.Tree` or a
            nested dict; an empty tree, `()`, is a failed parse.
        key: The name of the span group.
        check_words: Whether the words of the tree must be those of the Doc, up to Penn Treebank escapes
            and Unicode's normal forms. If not, only their number matters. The Doc keeps its own words.
    """
    doc, start, end = _range(doc_or_span)
    new = place_tree(as_tree(tree), doc, word_tokens(doc, start, end), start, check_words=check_words)
    write_trees(doc, key, [new], start, end)


def set_trees(
    doc_or_span: Doc | Span, trees: Iterable[Any], *, key: str = KEY, check_words: bool = True
) -> None:
    """Set all trees of a Doc, or of a Span, replacing those it had.

    Either the trees together have all its tokens, one tree after another, or there is one tree for each
    sentence of `doc.sents`, and some of these trees are empty (failed parses).

    >>> import spacy
    >>> doc = spacy.blank("en")("dogs bark cats purr")
    >>> set_trees(doc, ["(S (NNS dogs) (VBP bark))", "(S (NNS cats) (VBP purr))"])
    >>> [str(tree) for tree in get_trees(doc)]
    ['(S (NNS dogs) (VBP bark))', '(S (NNS cats) (VBP purr))']

    Args:
        doc_or_span: The Doc, or a Span of some sentences.
        trees: The trees in order, each in any shape that `set_tree` takes.
        key: The name of the span group.
        check_words: Whether the words of the trees must be those of the Doc, as in `set_tree`.
    """
    given = _read_all(trees, "set_trees")
    doc, start, end = _range(doc_or_span)
    places = zip(given, _find_places(doc_or_span, given), strict=True)
    placed = [place_tree(tree, doc, *place, check_words=check_words) for tree, place in places]
    write_trees(doc, key, placed, start, end)


def _read_all(trees: Iterable[Any], function: str) -> list[SegmentTree]:
    """Read a list of trees in any shape, or raise an error for a single tree."""
    if isinstance(trees, (str, bytes, Mapping, SegmentTree)) or is_node(trees):
        raise TypeError(
            f"{function} takes a list of trees and got one {type(trees).__name__}; write [tree] for a "
            "single tree"
        )
    return [as_tree(tree) for tree in trees]


def _range(doc_or_span: Doc | Span) -> tuple[Doc, int, int]:
    """Return a Doc, or that of a Span, with the first token and the token after the last one."""
    if isinstance(doc_or_span, Doc):
        return doc_or_span, 0, len(doc_or_span)
    if isinstance(doc_or_span, Span):
        return doc_or_span.doc, doc_or_span.start, doc_or_span.end
    raise TypeError(
        f"trees belong to a Doc or a Span, not to a {type(doc_or_span).__name__}; give doc[i : i + 1] for a "
        "token"
    )


def _find_places(doc_or_span: Doc | Span, trees: Sequence[SegmentTree]) -> list[tuple[list[int], int]]:
    """Return the tokens of each tree, and the token where it begins, which an empty tree has, too."""
    doc, start, end = _range(doc_or_span)
    tokens = word_tokens(doc, start, end)
    n_words = [len(tree.words) for tree in trees]
    n_spoken = [len(without_traces(tree).words) for tree in trees]
    whole: Any = doc_or_span  # spaCy's types lack the sentences of a Span
    sents = list(whole.sents) if doc.has_annotation("SENT_START") else []
    by_sentence = [(word_tokens(doc, sent.start, sent.end), sent.start) for sent in sents]
    if len(sents) == len(trees) and all(
        len(own) in lengths or not lengths[1]
        for (own, _), *lengths in zip(by_sentence, n_words, n_spoken, strict=True)
    ):
        return by_sentence
    for lengths in (n_words, n_spoken):
        if sum(lengths) == len(tokens):
            return [
                (tokens[lo:hi], tokens[lo] if lo < len(tokens) else end)
                for lo, hi in pairwise(accumulate(lengths, initial=0))
            ]
    if len(sents) != len(trees):
        raise TreeMismatchError(
            f"{count(len(trees), 'tree')} with {count(sum(n_spoken), 'word')} for {brief(doc, tokens)} with "
            f"{count(len(tokens), 'token')} and {count(len(sents), 'sentence')}; give trees for all tokens, "
            "or one for each sentence"
        )
    return by_sentence


def doc_from_trees(vocab: Any, trees: Iterable[Any], *, key: str = KEY, sentences: bool = False) -> Doc:
    """Make a Doc of the words of some trees, and set the trees.

    Words are written as in a text: `-LRB-` becomes a bracket, and a treebank's quotes (two backticks, two
    apostrophes) become `"`. Traces are removed, and a word without text, as in trees of times alone, becomes
    the token `_`. Spaces between words are unknown (`doc.has_unknown_spaces`), so that spaCy's tokenizer
    score does not try to align the Doc with one that has different tokens.

    >>> from spacy.vocab import Vocab
    >>> [token.text for token in doc_from_trees(Vocab(), ["(NP (-LRB- -LRB-) (NN oil) (-RRB- -RRB-))"])]
    ['(', 'oil', ')']

    Args:
        vocab: The vocabulary, such as `nlp.vocab`.
        trees: The trees, each in any shape that `set_tree` takes.
        key: The name of the span group.
        sentences: Whether each tree starts a sentence. Leave it out for references of pipelines that score
            sentences, as a sentencizer does: spaCy aligns the tokens for that, which fails if characters
            differ.
    """
    given = [without_traces(tree) for tree in _read_all(trees, "doc_from_trees")]
    words = [[storable(_TEXTS.get(word, word), "word") or NO_TEXT for word in tree.words] for tree in given]
    return make_doc(vocab, given, words, key=key, sentences=sentences)


def make_doc(
    vocab: Any,
    trees: Sequence[SegmentTree],
    words: Sequence[Sequence[str]],
    *,
    key: str,
    sentences: bool,
    spaces: list[bool] | None = None,
) -> Doc:
    """Make a Doc of these tokens and set its trees. `spaces` has whether a space follows each token."""
    starts: list[bool | int | None] = [i == 0 for tokens in words for i in range(len(tokens))]
    tokens = list(chain.from_iterable(words))
    doc = Doc(vocab, words=tokens, spaces=spaces, sent_starts=starts if sentences else None)
    set_trees(doc, trees, key=key)
    return doc


def get_trees(doc_or_span: Doc | Span, *, key: str = KEY) -> list[SegmentTree]:
    """Return the trees of a Doc or Span in order, over seconds where their words have times, else over words.

    >>> from spacy.vocab import Vocab
    >>> doc = doc_from_trees(Vocab(), ["(NP (DT the) (NN dog))", "(VP (VBZ barks))"])
    >>> [tree.to_brackets() for tree in get_trees(doc)]
    ['(NP (DT the) (NN dog))', '(VP (VBZ barks))']

    Args:
        doc_or_span: Any Doc, or a Span of some sentences. Without such a group it has no trees.
        key: The name of the span group.

    Raises:
        TreeFormatError: The spans of the group cross, or do not fit the tokens.
        TreeMismatchError: A Span ends within a tree.
    """
    doc, start, end = _range(doc_or_span)
    found = read_trees(doc, key, start, end)
    for placed in found:
        check_whole(
            doc, placed, start, end, "take the trees of whole sentences, or a constituent by get_tree"
        )
    return [placed.tree for placed in found]


def get_tree(doc_or_span: Doc | Span, *, key: str = KEY) -> SegmentTree | None:
    """Return the highest constituent with exactly the words of a Span or Doc as a tree, or None.

    In a unary chain it is the one with the label of the Span, if there is one. The tree of a sentence whose
    parse failed is empty.

    >>> import spacy
    >>> doc = spacy.blank("en")("dogs bark")
    >>> set_tree(doc, "(S (NP (NNS dogs)) (VP (VBP bark)))")
    >>> print(*(get_tree(span) for span in list(doc.spans["constituents"])[1:]), sep="; ")
    (NP (NNS dogs)); (NNS dogs); (VP (VBP bark)); (VBP bark)

    Args:
        doc_or_span: A Doc of one sentence, a sentence, or any part of one.
        key: The name of the span group.

    Raises:
        TreeFormatError: The spans of the group cross, or do not fit the tokens.
        TreeMismatchError: A Doc has several trees.
    """
    doc, start, end = _range(doc_or_span)
    wanted = word_tokens(doc, start, end)
    found = read_trees(doc, key, start, end)
    if not isinstance(doc_or_span, Span) and len(found) > 1:
        raise TreeMismatchError(f"{brief(doc)} has {count(len(found), 'tree')}; take them by get_trees")
    for placed in found if wanted else ():
        chain = [
            i for i, place in enumerate(placed.node_tokens()) if place == (wanted[0], wanted[-1] + 1)
        ]  # from the lowest to the highest, as nodes are in postorder
        if chain:
            label = doc_or_span.label_ if isinstance(doc_or_span, Span) else ""
            named = [i for i in chain if placed.tree.labels[i] == label]
            return subtree(placed.tree, (named or chain)[-1])
    failed = [placed.tree for placed in found if placed.start == placed.end]
    return failed[0] if failed and len(found) == 1 else None


def get_words(doc_or_span: Doc | Span) -> list[str]:
    """Return the words for a tree of a Doc or Span: the texts of its tokens, without white space.

    >>> import spacy
    >>> get_words(spacy.blank("en")("dogs  bark"))
    ['dogs', 'bark']

    Args:
        doc_or_span: Any Doc, or a Span of it.
    """
    doc, start, end = _range(doc_or_span)
    return [doc[i].text for i in word_tokens(doc, start, end)]


# ---- extensions --------------------------------------------------------------------------------------


def add_extensions() -> None:
    """Add the extensions `tree` and `trees` to Doc and Span, unless they are there."""
    for owner in (Doc, Span):
        if not owner.has_extension("trees"):
            owner.set_extension("trees", getter=get_trees, setter=set_trees)
        if not owner.has_extension("tree"):
            owner.set_extension("tree", getter=get_tree, setter=set_tree)


add_extensions()
