"""Trees of a `Doc` from and to `SegmentTree`, bracket text and `nltk.Tree`.

`spacy_structiou.store` says how a Doc keeps them. Importing this module adds the extensions `Doc._.trees` and
`Span._.tree`, which do what `get_trees`, `set_trees`, `get_tree` and `set_tree` do; where something else
has these names, it keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

from spacy.tokens import Doc, Span

from structiou_metric.errors import TreeMismatchError
from structiou_metric.trees.brackets import ESCAPES
from structiou_metric.trees.shapes import as_tree
from structiou_metric.trees.surgery import subtree
from structiou_metric.trees.tree import SegmentTree
from structiou_metric.wording import count

from .store import (
    KEY,
    NO_TEXT,
    Placed,
    brief,
    decode,
    fit,
    storable,
    trace_words,
    word_tokens,
    write,
)


def set_tree(doc_or_span: Doc | Span, tree: Any, *, key: str = KEY, check_words: bool = True) -> None:
    """Sets the tree of a Doc, or that of a Span, such as a sentence, beside those of other Spans.

    >>> import spacy
    >>> doc = spacy.blank("en")("dogs bark")
    >>> set_tree(doc, "(S (NP (NNS dogs)) (VP (VBP bark)))")
    >>> [(span.label_, span.text) for span in doc.spans["constituents"]][:2]
    [('S', 'dogs bark'), ('NP', 'dogs')]

    Args:
        doc_or_span: Its tokens are the words of the tree, white space aside. Traces (`-NONE-`) may be
            among the tokens or not.
        tree: Bracket text, an `nltk.Tree`, a `SegmentTree` or another shape that the metric takes; an
            empty tree, `()`, is a failed parse.
        key: The span group.
        check_words: Whether the words of the tree must be those of the Doc, up to Penn Treebank escapes
            and Unicode's normal forms; else only their number matters. The Doc's are kept.
    """
    doc = doc_or_span.doc
    start, end, others = 0, len(doc), []
    if isinstance(doc_or_span, Span):
        start, end, others = doc_or_span.start, doc_or_span.end, list(decode(doc, key))
    new = fit(as_tree(tree), doc, word_tokens(doc, start, end), start, check_words=check_words)
    kept: list[Placed] = []
    for old in others:
        if old.start >= end or (old.end <= start and old.start != start):
            kept.append(old)
        elif not start <= old.start <= old.end <= end:
            raise TreeMismatchError(
                f"a tree has tokens {old.start}–{old.end} of {brief(doc)}, of which the span has only "
                f"{start}–{end}; set the tree of the whole sentence, or delete doc.spans[{key!r}] first"
            )
    write(doc, key, sorted([*kept, new], key=lambda placed: placed.start))


def set_trees(doc: Doc, trees: Iterable[Any], *, key: str = KEY, check_words: bool = True) -> None:
    """Sets all trees of a Doc, replacing those it had.

    Together they have all tokens of the Doc, one tree behind another; or there is one for each sentence
    of `doc.sents`, and some are empty (failed parses).

    Args:
        doc: The Doc.
        trees: In order, each in any shape that `set_tree` takes.
        key: The span group.
        check_words: As in `set_tree`.
    """
    given = [as_tree(tree) for tree in trees]
    places = zip(given, _places(doc, given), strict=True)
    write(doc, key, [fit(tree, doc, *place, check_words=check_words) for tree, place in places])


def _places(doc: Doc, trees: Sequence[SegmentTree]) -> list[tuple[list[int], int]]:
    """The tokens of each tree, and where it starts."""
    tokens = word_tokens(doc, 0, len(doc))
    n_words = [len(tree.words) for tree in trees]
    n_spoken = [len(tree.words) - len(trace_words(tree)) for tree in trees]
    for lengths in (n_words, n_spoken):
        if sum(lengths) == len(tokens):
            return [
                (tokens[lo:hi], tokens[lo] if lo < len(tokens) else len(doc))
                for lo, hi in pairwise(accumulate(lengths, initial=0))
            ]
    sents = list(doc.sents) if doc.has_annotation("SENT_START") else []
    if len(sents) != len(trees):
        raise TreeMismatchError(
            f"{count(len(trees), 'tree')} with {count(sum(n_spoken), 'word')} for {brief(doc)} with "
            f"{count(len(tokens), 'token')} and {count(len(sents), 'sentence')}; give trees for all tokens, "
            "or one for each sentence"
        )
    return [(word_tokens(doc, sent.start, sent.end), sent.start) for sent in sents]


def doc_from_trees(vocab: Any, trees: Iterable[Any], *, key: str = KEY, sentences: bool = False) -> Doc:
    """A Doc of the words of some trees, with the trees set.

    Brackets that were written `-LRB-` become brackets again, traces no tokens, and a word of which only
    times are known becomes the token `_`. Spaces between words are unknown; spaCy's tokenizer score then
    does not try to align the Doc with one of other tokens.

    >>> from spacy.vocab import Vocab
    >>> [token.text for token in doc_from_trees(Vocab(), ["(NP (-LRB- -LRB-) (NN oil) (-RRB- -RRB-))"])]
    ['(', 'oil', ')']

    Args:
        vocab: The vocabulary, such as `nlp.vocab`.
        trees: Each in any shape that `set_tree` takes.
        key: The span group.
        sentences: Whether each tree starts a sentence. Not for references of pipelines that score their
            sentences (as a sentencizer does): spaCy aligns tokens for that, and fails where it cannot.
    """
    given = [as_tree(tree) for tree in trees]
    words = []
    for tree in given:
        traces = trace_words(tree)
        spoken = [word for i, word in enumerate(tree.words) if i not in traces]
        words.append([storable(ESCAPES.get(word, word), "word") or NO_TEXT for word in spoken])
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


def get_trees(doc: Doc, *, key: str = KEY) -> list[SegmentTree]:
    """The trees of a Doc in order, over seconds where their words have times, else over words.

    >>> from spacy.vocab import Vocab
    >>> doc = doc_from_trees(Vocab(), ["(NP (DT the) (NN dog))", "(VP (VBZ barks))"])
    >>> [tree.to_brackets() for tree in get_trees(doc)]
    ['(NP (DT the) (NN dog))', '(VP (VBZ barks))']

    Args:
        doc: Any Doc; one without such a group has no trees.
        key: The span group.

    Raises:
        TreeFormatError: The spans of the group are no trees in pre-order.
    """
    return [reading.tree for reading in decode(doc, key)]


def get_tree(span: Span, *, key: str = KEY) -> SegmentTree | None:
    """The highest constituent with exactly the words of a Span, and all below it; or None.

    Args:
        span: A sentence, or any part of one.
        key: The span group.
    """
    wanted = word_tokens(span.doc, span.start, span.end)
    for placed in decode(span.doc, key) if wanted else ():
        for i, place in reversed(list(enumerate(placed.spans()))):
            if place == (wanted[0], wanted[-1] + 1):
                return subtree(placed.tree, i)
    return None


# ---- extensions --------------------------------------------------------------------------------------


def add_extensions() -> None:
    """Adds `Doc._.trees` and `Span._.tree`, unless there are such extensions."""
    if not Doc.has_extension("trees"):
        Doc.set_extension("trees", getter=get_trees, setter=set_trees)
    if not Span.has_extension("tree"):
        Span.set_extension("tree", getter=get_tree, setter=set_tree)


add_extensions()
