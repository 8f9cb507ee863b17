"""How a `Doc` keeps constituency trees: writing them into a span group, and reading them from one.

The span group is `doc.spans["constituents"]` unless another key is given. It has a span for each constituent,
with its label. The order of the spans does not matter, with one exception: of spans over the same tokens, the
first is the outer one. Spans that are in no other span are the roots of the trees. The words of a tree are
its tokens, without white space.

Two things cannot be spans and are in `attrs` of the group:

- `times`: for each token of the Doc, its `[start, end]` in seconds, or None;
- `failed`: the tokens at which the empty trees of failed parses are.

`Doc.copy`, pickling, `DocBin` and `to_disk` keep all of it. `Doc.from_docs` and `Doc.to_json` keep the spans
only, and `Span.as_doc` keeps nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple
from unicodedata import normalize

from spacy.tokens import Doc, Span, SpanGroup, Token

from structiou_metric.errors import TreeFormatError, TreeMismatchError
from structiou_metric.trees.labels import TRACE
from structiou_metric.trees.spelling import ESCAPES
from structiou_metric.trees.surgery import dropped_words, without_words
from structiou_metric.trees.tree import SegmentTree
from structiou_metric.wording import count

KEY = "constituents"
NO_TEXT = "_"  # the token for a word without text, as in trees of times alone; spaCy has no empty tokens
EMPTY = SegmentTree.from_brackets("")  # the tree of a failed parse

_ESCAPE = re.compile("|".join([*ESCAPES, r"\\[/*]"]), re.IGNORECASE)
QUOTES = {"``": '"', "''": '"'}
_AGAIN = "set the trees again"
_MAX_WORDS_SHOWN = 5  # of a Doc, in errors


class Placed(NamedTuple):
    """A tree on a Doc.

    Attributes:
        tree: The tree.
        tokens: The token of each word of the tree.
        start: The first token of the tree; for an empty tree, the token before which it is.
        end: The token after the last one of the tree.
    """

    tree: SegmentTree
    tokens: Sequence[int]
    start: int
    end: int

    def node_tokens(self) -> list[tuple[int, int]]:
        """Return the first token of each node and the token after its last one."""
        return [
            (self.tokens[first], self.tokens[last - 1] + 1)
            for first, last in zip(self.tree.firsts, self.tree.lasts, strict=True)
        ]


# ---- writing -----------------------------------------------------------------------------------------


def place_tree(
    tree: SegmentTree, doc: Doc, tokens: Sequence[int], start: int, *, check_words: bool
) -> Placed:
    """Return a tree with its place: over these tokens, or before token `start` if it is empty.

    Traces are removed from the tree, unless the tokens include them.
    """
    if len(tree.words) != len(tokens):
        tree = without_traces(tree)
    if not tree.words:
        return Placed(EMPTY, (), start, start)
    if len(tree.words) != len(tokens):
        raise TreeMismatchError(
            f"the tree has {count(len(tree.words), 'word')}, and {brief(doc, tokens)} has "
            f"{count(len(tokens), 'token')} (without white space); set it on the Doc it was made for, or "
            "make one with spacy_structiou.doc_from_trees"
        )
    for i, (word, token) in enumerate(zip(tree.words, tokens, strict=True)):
        text = doc[token].text
        if check_words and word not in (text, "") and _comparable(word) != _comparable(text):
            raise TreeMismatchError(
                f"word {i} of the tree is {word!r}, and token {token} of {brief(doc, tokens)} is {text!r}; "
                "set the tree on the Doc it was made for, or use check_words=False"
            )
    for label, first, last in zip(tree.labels, tree.firsts, tree.lasts, strict=True):
        if first == last:
            raise TreeFormatError(
                f"the constituent {label!r} of {brief(doc, tokens)} has no words, and spaCy has no spans "
                "without tokens; remove it from the tree"
            )
    return Placed(tree, tokens, tokens[0], tokens[-1] + 1)


def _comparable(word: str) -> str:
    """Return a word without Penn Treebank escapes, in one of Unicode's normal forms."""
    return normalize("NFC", unescape(word))


def write_trees(doc: Doc, key: str, trees: Iterable[Placed], start: int = 0, end: int | None = None) -> None:
    """Replace the trees of a Doc between two tokens, by default all of them.

    Raises:
        TreeMismatchError: A tree that would be replaced has tokens outside of that range.
    """
    end = len(doc) if end is None else end
    group: Any = doc.spans.get(key)
    everything = (start, end) == (0, len(doc))
    spans: list[Span] = []
    times: list[Any] | None = None
    failed: list[int] = []
    if group is not None and not everything:
        for placed in read_trees(doc, key, start, end):
            check_whole(
                doc,
                placed,
                start,
                end,
                f"set the tree of the whole sentence, or delete doc.spans[{key!r}] first",
            )
        times = _times(doc, key)
        if times is not None:
            times = [*times[:start], *[None] * (end - start), *times[end:]]
        failed = [token for token in _failed(doc, key) if not start <= token < max(end, start + 1)]
        spans = [span for span in group if span.end <= start or span.start >= end]
    for placed in trees:
        if not placed.tokens:
            failed.append(placed.start)
        nodes = placed.node_tokens()
        for i in placed.tree.preorder():
            spans.append(Span(doc, *nodes[i], label=storable(placed.tree.labels[i], "label")))
        if placed.tree.times is not None:
            times = list(times or [None] * len(doc))
            for token, pair in zip(placed.tokens, placed.tree.times, strict=True):
                times[token] = list(pair)
    attrs: dict[str, Any] = {}
    if times is not None and any(times):
        attrs["times"] = times
    if failed:
        attrs["failed"] = sorted(failed)
    doc.spans[key] = SpanGroup(doc, name=key, attrs=attrs, spans=spans)


# ---- reading -----------------------------------------------------------------------------------------


def read_trees(doc: Doc, key: str, start: int = 0, end: int | None = None) -> list[Placed]:
    """Read the trees of a Doc that have tokens between `start` and `end`, by default all of them.

    Trees are over seconds where their words have times, else over words.

    Raises:
        TreeFormatError: The spans of the group cross, or do not fit the tokens.
    """
    end = len(doc) if end is None else end
    times = _times(doc, key)
    found = [
        Placed(EMPTY, (), token, token)
        for token in _failed(doc, key)
        if start <= token < end or token == start or token == end == len(doc)
    ]
    tokens = [(token.text, token.idx) for token in doc]  # once, as spaCy makes a new object for each look
    texts = [text for text, _ in tokens]
    for spans in _split(_sorted_spans(doc, key, [idx for _, idx in tokens])):
        if spans[0][0] < end and start < spans[0][1]:
            found.append(_read_tree(texts, key, spans, times))
    return sorted(found, key=lambda placed: (placed.start, placed.end))


def _sorted_spans(doc: Doc, key: str, token_starts: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return the start, end and label of all spans of a group, outer ones first, from left to right.

    Args:
        doc: The Doc.
        key: The name of the span group.
        token_starts: The first character of each token. A span remembers that of its first token, so it
            shows there if tokens were split or merged after the spans were set.
    """
    group: Any = doc.spans.get(key, ())
    try:
        facts = [(span.start, span.end, span.label_, span.start_char) for span in group]
    except IndexError:
        raise _error(key, f"a span lies beyond the tokens, which have changed; {_AGAIN}") from None
    except KeyError as error:  # a label that the Vocab does not know
        raise _error(key, str(error.args[0])) from None
    for start, end, label, start_char in facts:
        if start == end:
            raise _error(key, f"{label!r} at token {start} has no tokens; {_AGAIN}")
        if token_starts[start] != start_char:
            raise _error(key, f"{label!r} {start}–{end} was over other tokens, which have changed; {_AGAIN}")
    facts.sort(key=lambda fact: (fact[0], -fact[1]))
    return [(start, end, label) for start, end, label, _ in facts]


def _split(spans: Iterable[tuple[int, int, str]]) -> Iterator[list[tuple[int, int, str]]]:
    """Yield the spans of each tree: those that begin within the first one."""
    tree: list[tuple[int, int, str]] = []
    for span in spans:
        if tree and span[0] >= tree[0][1]:
            yield tree
            tree = []
        tree.append(span)
    if tree:
        yield tree


def _read_tree(
    texts: Sequence[str], key: str, spans: Sequence[tuple[int, int, str]], times: Sequence[Any] | None
) -> Placed:
    """Read the tree of spans that are sorted, the first of which is the root.

    Args:
        texts: The texts of all tokens of the Doc.
        key: The name of the span group, for errors.
        spans: The start, end and label of each span.
        times: The times of all tokens of the Doc, if they have any.
    """
    start, end, _ = spans[0]
    crossing = next((span for span in spans if span[1] > end), None)
    if crossing is not None:
        lo, hi, label = crossing
        raise _error(
            key, f"{label!r} {lo}–{hi} crosses {spans[0][2]!r} {start}–{end}; constituents must nest"
        )
    tokens = [token for token in range(start, end) if not texts[token].isspace()]
    n_before = list(accumulate((not text.isspace() for text in texts[start:end]), initial=0))
    try:
        nodes = SegmentTree.from_spans(
            [(label, n_before[lo - start], n_before[hi - start]) for lo, hi, label in spans], "word"
        )
        words = tuple(texts[token] for token in tokens)
        tree = SegmentTree(nodes.labels, nodes.sizes, nodes.firsts, nodes.lasts, words, None, "word")
        if times is not None and all(times[token] is not None for token in tokens):
            tree = tree.with_times([times[token] for token in tokens])
    except (TypeError, ValueError) as error:
        raise _error(key, getattr(error, "message", str(error))) from None
    return Placed(tree, tokens, start, end)


def _times(doc: Doc, key: str) -> list[Any] | None:
    """Return the times of all tokens, or None if the group has none."""
    times = doc.spans[key].attrs.get("times") if key in doc.spans else None
    if times is not None and (not isinstance(times, list) or len(times) != len(doc)):
        raise _error(key, f"attrs['times'] must have {count(len(doc), 'item')}, one for each token; {_AGAIN}")
    return times


def _failed(doc: Doc, key: str) -> list[int]:
    """Return the tokens at which the empty trees of failed parses are."""
    failed = doc.spans[key].attrs.get("failed", []) if key in doc.spans else []
    if not isinstance(failed, list) or not all(
        isinstance(token, int) and 0 <= token <= len(doc) for token in failed
    ):
        raise _error(key, f"attrs['failed'] must be a list of tokens, not {failed!r:.80}; {_AGAIN}")
    return failed


def check_whole(doc: Doc, placed: Placed, start: int, end: int, cure: str) -> None:
    """Raise an error if a tree is only partly in a range of tokens."""
    if not start <= placed.start <= placed.end <= end:
        raise TreeMismatchError(
            f"a tree has tokens {placed.start}–{placed.end} of {brief(doc)}, and the span has only tokens "
            f"{start}–{end}; {cure}"
        )


def _error(key: str, message: str) -> TreeFormatError:
    return TreeFormatError(message, source=f"doc.spans[{key!r}]")


# ---- words -------------------------------------------------------------------------------------------


def is_word(token: Token) -> bool:
    """Return whether a token is not white space. `Token.is_space` would depend on the Vocab."""
    return not token.text.isspace()


def word_tokens(doc: Doc, start: int, end: int) -> list[int]:
    """Return the indices of the tokens of a range that are words."""
    return [token.i for token in doc[start:end] if is_word(token)]


def without_traces(tree: SegmentTree) -> SegmentTree:
    """Return a tree without `-NONE-` leaves and the nodes that they leave empty, as the metric drops them.

    >>> print(without_traces(SegmentTree.from_brackets("(S (NP (-NONE- *)) (VP (VB go)))")))
    (S (VP (VB go)))
    """
    return without_words(tree, dropped_words(tree, [TRACE])) if TRACE in tree.labels else tree


def unescape(word: str) -> str:
    r"""Return a word as it is written in a text: `(` for `-LRB-`, `/` for `\/`, `"` for two backticks."""
    return QUOTES.get(word) or _ESCAPE.sub(lambda match: ESCAPES.get(match[0].upper(), match[0][-1]), word)


def storable(text: str, kind: str) -> str:
    """Return a text, or raise an error if spaCy cannot store it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TreeFormatError(
            f"spaCy cannot store the {kind} {text!r}, which has half a surrogate pair; replace that"
        ) from None
    return text


def brief(doc: Doc, tokens: Sequence[int] | None = None) -> str:
    """Return the first words of a Doc, or of some of its tokens, for errors."""
    numbers = range(len(doc)) if tokens is None else tokens
    words = " ".join(doc[i].text for i in numbers[:_MAX_WORDS_SHOWN])
    return f"{words!r}" if len(numbers) <= _MAX_WORDS_SHOWN else f"{words + ' …'!r}"
