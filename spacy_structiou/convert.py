"""Trees of a `Doc` from and to `SegmentTree`, bracket text and `nltk.Tree`.

`spacy_structiou.store` says how a Doc keeps them. Importing this module adds the extensions `trees` and
`tree` to Doc and Span (`doc._.trees`, `span._.tree`), which do what `get_trees`, `set_trees`, `get_tree` and
`set_tree` do; where something else has these names, it keeps them.
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

from .places import check_whole, replace_trees, trees_between
from .store import (
    KEY,
    NO_TEXT,
    QUOTES,
    brief,
    decode,
    fit,
    storable,
    trace_words,
    word_tokens,
    write,
)

_TEXTS = {**ESCAPES, **QUOTES}  # how texts write what treebanks write otherwise


def set_tree(doc_or_span: Doc | Span, tree: Any, *, key: str = KEY, check_words: bool = True) -> None:
    """Sets the tree of a Doc, or that of a Span, such as a sentence, beside those of other Spans.

    That is quick for one sentence behind another. To replace many trees by larger or smaller ones, or to set
    them in another order, use `set_trees`, as spaCy copies the whole group each time.

    >>> import spacy
    >>> doc = spacy.blank("en")("dogs bark")
    >>> set_tree(doc, "(S (NP (NNS dogs)) (VP (VBP bark)))")
    >>> [(span.label_, span.text) for span in doc.spans["constituents"]][:2]
    [('S', 'dogs bark'), ('NP', 'dogs')]

    Args:
        doc_or_span: The Doc or Span; its tokens are the words of the tree, white space aside. Traces
            (`-NONE-`) may be among the tokens or not.
        tree: The tree in any shape that `shapes.as_tree` takes, such as bracket text, an `nltk.Tree` or a
            `SegmentTree`; an empty tree, `()`, is a failed parse.
        key: The name of the span group.
        check_words: Whether the words of the tree must be those of the Doc, up to Penn Treebank escapes
            and Unicode's normal forms; else only their number matters. The Doc's are kept.
    """
    doc = doc_or_span.doc
    start, end = _tokens(doc_or_span)
    new = fit(as_tree(tree), doc, word_tokens(doc, start, end), start, check_words=check_words)
    if isinstance(doc_or_span, Span):
        replace_trees(doc, key, start, end, [new])
    else:
        write(doc, key, [new])


def set_trees(
    doc_or_span: Doc | Span, trees: Iterable[Any], *, key: str = KEY, check_words: bool = True
) -> None:
    """Sets all trees of a Doc, or of a Span, replacing those it had.

    Together they have all its tokens, one tree behind another; or there is one for each sentence of
    `doc.sents`, and some are empty (failed parses).

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
    if isinstance(trees, (str, bytes, Mapping, SegmentTree)) or is_node(trees):
        raise TypeError(
            f"set_trees takes a list of trees and got one {type(trees).__name__}; set one tree by set_tree, "
            "or give a list of it"
        )
    doc = doc_or_span.doc
    given = [as_tree(tree) for tree in trees]
    places = zip(given, _places(doc_or_span, given), strict=True)
    placed = [fit(tree, doc, *place, check_words=check_words) for tree, place in places]
    if isinstance(doc_or_span, Span):
        replace_trees(doc, key, *_tokens(doc_or_span), placed)
    else:
        write(doc, key, placed)


def _tokens(doc_or_span: Doc | Span) -> tuple[int, int]:
    """The tokens of a Doc or Span, by where they start and end in the Doc."""
    if isinstance(doc_or_span, Span):
        return doc_or_span.start, doc_or_span.end
    return 0, len(doc_or_span)


def _places(doc_or_span: Doc | Span, trees: Sequence[SegmentTree]) -> list[tuple[list[int], int]]:
    """The tokens of each tree, and where it starts."""
    doc, (start, end) = doc_or_span.doc, _tokens(doc_or_span)
    tokens = word_tokens(doc, start, end)
    n_words = [len(tree.words) for tree in trees]
    n_spoken = [len(tree.words) - len(trace_words(tree)) for tree in trees]
    whole: Any = doc_or_span  # spaCy's types do not know that a Span has sentences, too
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
    """A Doc of the words of some trees, with the trees set.

    Brackets that were written `-LRB-` become brackets again, a treebank's quotes (two backticks, two
    apostrophes) those of a text, traces no tokens, and a word of which only times are known becomes the token
    `_`. Spaces between words are unknown; spaCy's tokenizer score then
    does not try to align the Doc with one of other tokens.

    >>> from spacy.vocab import Vocab
    >>> [token.text for token in doc_from_trees(Vocab(), ["(NP (-LRB- -LRB-) (NN oil) (-RRB- -RRB-))"])]
    ['(', 'oil', ')']

    Args:
        vocab: The vocabulary, such as `nlp.vocab`.
        trees: The trees, each in any shape that `set_tree` takes.
        key: The name of the span group.
        sentences: Whether each tree starts a sentence. Not for references of pipelines that score their
            sentences (as a sentencizer does): spaCy aligns tokens for that, and fails where it cannot.
    """
    given = [as_tree(tree) for tree in trees]
    words = []
    for tree in given:
        traces = trace_words(tree)
        spoken = [word for i, word in enumerate(tree.words) if i not in traces]
        words.append([storable(_TEXTS.get(word, word), "word") or NO_TEXT for word in spoken])
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
    """A Doc with these trees, of which the tokens are given, and perhaps which have a space behind them."""
    starts: list[bool | int | None] = [i == 0 for tokens in words for i in range(len(tokens))]
    tokens = list(chain.from_iterable(words))
    doc = Doc(vocab, words=tokens, spaces=spaces, sent_starts=starts if sentences else None)
    set_trees(doc, trees, key=key)
    return doc


def get_trees(doc_or_span: Doc | Span, *, key: str = KEY) -> list[SegmentTree]:
    """The trees of a Doc or Span in order, over seconds where their words have times, else over words.

    >>> from spacy.vocab import Vocab
    >>> doc = doc_from_trees(Vocab(), ["(NP (DT the) (NN dog))", "(VP (VBZ barks))"])
    >>> [tree.to_brackets() for tree in get_trees(doc)]
    ['(NP (DT the) (NN dog))', '(VP (VBZ barks))']

    Args:
        doc_or_span: Any Doc, or a Span of some sentences; without such a group it has no trees.
        key: The name of the span group.

    Raises:
        TreeFormatError: The spans of the group are no trees in pre-order.
        TreeMismatchError: A Span ends within a tree.
    """
    if not isinstance(doc_or_span, Span):
        return [reading.tree for reading in decode(doc_or_span, key)]
    doc, (start, end) = doc_or_span.doc, _tokens(doc_or_span)
    found = list(trees_between(doc, key, start, end))
    for placed in found:
        check_whole(
            doc, placed, start, end, "take the trees of whole sentences, or a constituent by get_tree"
        )
    return [placed.tree for placed in found]


def get_tree(doc_or_span: Doc | Span, *, key: str = KEY) -> SegmentTree | None:
    """The highest constituent with exactly the words of a Span or Doc, and all below it; or None.

    Of several such constituents, a unary chain, it is the one with the label of the Span, if there is one.
    The tree of a sentence whose parse has failed is empty.

    >>> import spacy
    >>> doc = spacy.blank("en")("dogs bark")
    >>> set_tree(doc, "(S (NP (NNS dogs)) (VP (VBP bark)))")
    >>> print(*(get_tree(span) for span in list(doc.spans["constituents"])[1:]), sep="; ")
    (NP (NNS dogs)); (NNS dogs); (VP (VBP bark)); (VBP bark)

    Args:
        doc_or_span: A Doc of one sentence, a sentence, or any part of one.
        key: The name of the span group.

    Raises:
        TreeFormatError: The spans of the group are no trees in pre-order.
        TreeMismatchError: A Doc has several trees.
    """
    doc, (start, end) = doc_or_span.doc, _tokens(doc_or_span)
    wanted = word_tokens(doc, start, end)
    found = list(trees_between(doc, key, start, end))
    if not isinstance(doc_or_span, Span) and len(found) > 1:
        raise TreeMismatchError(f"{brief(doc)} has {count(len(found), 'tree')}; take them by get_trees")
    for placed in found if wanted else ():
        chain = [
            i for i, place in enumerate(placed.spans()) if place == (wanted[0], wanted[-1] + 1)
        ]  # from the lowest to the highest, as nodes are in postorder
        if chain:
            label = doc_or_span.label_ if isinstance(doc_or_span, Span) else ""
            named = [i for i in chain if placed.tree.labels[i] == label]
            return subtree(placed.tree, (named or chain)[-1])
    failed = [placed.tree for placed in found if placed.start == placed.end]
    return failed[0] if failed and len(found) == 1 else None


def get_words(doc_or_span: Doc | Span) -> list[str]:
    """The words that a tree of a Doc or Span has: the texts of its tokens, white space aside.

    >>> import spacy
    >>> get_words(spacy.blank("en")("dogs  bark"))
    ['dogs', 'bark']

    Args:
        doc_or_span: Any Doc, or a Span of it.
    """
    return [doc_or_span.doc[i].text for i in word_tokens(doc_or_span.doc, *_tokens(doc_or_span))]


# ---- extensions --------------------------------------------------------------------------------------


def add_extensions() -> None:
    """Adds `tree` and `trees` to Doc and Span, unless there are such extensions."""
    for owner in (Doc, Span):
        if not owner.has_extension("trees"):
            owner.set_extension("trees", getter=get_trees, setter=set_trees)
        if not owner.has_extension("tree"):
            owner.set_extension("tree", getter=get_tree, setter=set_tree)


add_extensions()
