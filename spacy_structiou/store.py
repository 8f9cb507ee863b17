"""How a `Doc` keeps constituency trees: the format, one tree at a time.

A Doc keeps its trees in a span group, `doc.spans["constituents"]` unless another key is named. There is
a span for each constituent, with its label, in pre-order: outer ones first, left to right. Of spans with
the same tokens the first is the outer one, so unary chains are kept. A span that begins where the tree
before it has ended begins another tree. The words of a tree are its tokens, white space aside.

What spans cannot say stands in `attrs` of the group:

- `times`: for each token of the Doc its `[start, end]` in seconds, or None;
- `wordless`: the nodes without tokens, as dicts with `place` (how many spans stand before it), `depth`
  (how many nodes are above it), `token` (which one it stands before), `label` (None for an empty tree, a
  failed parse) and, if it is a trace that is no token, `words` and maybe `times`. They are no spans
  because spaCy cannot copy a Doc that has spans without tokens.

All of it survives `Doc.copy`, pickling, `DocBin` and `to_disk`. `Doc.from_docs` and `Doc.to_json` keep
spans without attrs: times and nodes without tokens are lost there. `Span.as_doc` keeps neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import Any, NamedTuple
from unicodedata import normalize

from spacy.tokens import Doc, Span, SpanGroup, Token

from structiou_metric._core.shapes import Builder
from structiou_metric.errors import TreeFormatError, TreeMismatchError
from structiou_metric.trees.labels import TRACE
from structiou_metric.trees.spelling import ESCAPES
from structiou_metric.trees.surgery import dropped_words
from structiou_metric.trees.tree import SegmentTree
from structiou_metric.wording import count

KEY = "constituents"
NO_TEXT = "_"  # the token for a word of which only times are known; spaCy has no empty ones

_ESCAPE = re.compile("|".join([*ESCAPES, r"\\[/*]"]), re.IGNORECASE)
QUOTES = {"``": '"', "''": '"'}
_ORDER = "constituents nest and stand in pre-order, outer ones first"
_AGAIN = "set the trees again"
_FIRST_WORDS = 5  # of a Doc, to name it in errors


class Placed(NamedTuple):
    """A tree on a Doc: with the token of every word (traces may have none), and where it stands."""

    tree: SegmentTree
    tokens: Sequence[int | None]
    start: int  # token
    end: int

    def spans(self) -> list[tuple[int, int]]:
        """The start and end of each node in tokens; one without tokens is before those of the next word."""
        spoken = [token for token in self.tokens if token is not None]
        rank = list(accumulate((token is not None for token in self.tokens), initial=0))
        starts = [*spoken, spoken[-1] + 1 if spoken else self.start]
        places = (
            (rank[first], rank[last]) for first, last in zip(self.tree.firsts, self.tree.lasts, strict=True)
        )
        return [(starts[lo], spoken[hi - 1] + 1 if lo < hi else starts[lo]) for lo, hi in places]


class Part(NamedTuple):
    """Where a tree stands: its tokens, its spans in the group, and its nodes without spans in `attrs`."""

    start: int
    end: int
    spans: range
    nodes: range


class _Item(NamedTuple):
    """A node of a group; `wordless` is its dict if it has no span."""

    start: int
    end: int
    label: str | None
    depth: int
    wordless: dict[str, Any] | None


# ---- writing -----------------------------------------------------------------------------------------


def fit(tree: SegmentTree, doc: Doc, tokens: Sequence[int], start: int, *, check_words: bool) -> Placed:
    """A tree over these tokens, with or without its traces; one without words is at token `start`."""
    traces = set() if len(tree.words) == len(tokens) else trace_words(tree)
    spoken = [i for i in range(len(tree.words)) if i not in traces]
    if not spoken:
        tokens = ()
    if len(spoken) != len(tokens):
        raise TreeMismatchError(
            f"the tree has {count(len(spoken), 'word')}, and {brief(doc, tokens)} "
            f"{count(len(tokens), 'token')}, white space aside; set it on the Doc it was made for, or make "
            "one with spacy_structiou.doc_from_trees"
        )
    own: list[int | None] = [None] * len(tree.words)
    for i, token in zip(spoken, tokens, strict=True):
        own[i] = token
        word, text = tree.words[i], doc[token].text
        if check_words and word not in (text, "") and _plain(word) != _plain(text):
            raise TreeMismatchError(
                f"word {i} of the tree is {word!r}, and token {token} of {brief(doc, tokens)} is {text!r}; "
                "set the tree on the Doc it was made for, or say check_words=False"
            )
    return Placed(tree, own, *((tokens[0], tokens[-1] + 1) if tokens else (start, start)))


def _plain(word: str) -> str:
    """The word without Penn Treebank escapes, in one of Unicode's forms."""
    return normalize("NFC", unescape(word))


class Encoded(NamedTuple):
    """What a group holds of some trees."""

    spans: list[Span]
    nodes: list[dict[str, Any]]  # those without spans
    times: dict[int, list[float]]  # of tokens
    parts: list[Part]


def encode(doc: Doc, trees: Iterable[Placed], n_spans: int = 0, n_nodes: int = 0) -> Encoded:
    """What a group holds of these trees, which are in order, behind so many spans and nodes without spans."""
    new = Encoded([], [], {}, [])
    for placed in trees:
        first_span, first_node = n_spans + len(new.spans), n_nodes + len(new.nodes)
        _encode(doc, placed, n_spans, new)
        spans = range(first_span, n_spans + len(new.spans))
        new.parts.append(Part(placed.start, placed.end, spans, range(first_node, n_nodes + len(new.nodes))))
        for token, pair in zip(placed.tokens, placed.tree.times or (), strict=placed.tree.times is not None):
            if token is not None:
                new.times[token] = list(pair)
    return new


def _encode(doc: Doc, placed: Placed, n_spans: int, new: Encoded) -> None:
    """Adds the nodes of a tree."""
    tree, places, depths = placed.tree, placed.spans(), placed.tree.depths()
    ends: list[int] = []  # of the nodes above
    for i in tree.preorder():
        label = storable(tree.labels[i], "label")
        start, end = places[i]
        del ends[depths[i] - 1 :]
        if start < end:
            new.spans.append(Span(doc, start, end, label=label))
        else:
            end = min([end, *ends[-1:]])  # white space may stand before the next word
            place = n_spans + len(new.spans)
            node = {"place": place, "depth": len(ends), "token": end, "label": label}
            first, last = tree.firsts[i], tree.lasts[i]
            if tree.sizes[i] == 1 and first < last:
                node["words"] = [storable(word, "word") for word in tree.words[first:last]]
                if tree.times is not None:
                    node["times"] = [list(pair) for pair in tree.times[first:last]]
            new.nodes.append(node)
        ends.append(end)
    if not len(tree):
        place = n_spans + len(new.spans)
        new.nodes.append({"place": place, "depth": 0, "token": placed.start, "label": None})


def write(doc: Doc, key: str, trees: Iterable[Placed]) -> None:
    """Makes the group of these trees, which are in order."""
    new = encode(doc, trees)
    attrs: dict[str, Any] = {}
    if new.times:
        attrs["times"] = [new.times.get(token) for token in range(len(doc))]
    if new.nodes:
        attrs["wordless"] = new.nodes
    doc.spans[key] = SpanGroup(doc, name=key, attrs=attrs, spans=new.spans)


# ---- reading -----------------------------------------------------------------------------------------


def decode(doc: Doc, key: str, part: Part | None = None) -> Iterator[Placed]:
    """Reads the trees of a Doc, or one of them."""
    times = _times(doc, key)
    items: list[_Item] = []
    for item in _items(doc, key, part):
        if items and not item.depth:
            yield _read(doc, key, items, times)
            items = []
        items.append(item)
    if items:
        yield _read(doc, key, items, times)


def find_parts(doc: Doc, key: str) -> list[Part]:
    """Where the trees of a group stand."""
    roots: list[tuple[_Item, int, int]] = []
    n_spans = n_nodes = 0
    for item in _items(doc, key):
        if not item.depth:
            roots.append((item, n_spans, n_nodes))
        n_spans += item.wordless is None
        n_nodes += item.wordless is not None
    ends = [*((spans, nodes) for _, spans, nodes in roots[1:]), (n_spans, n_nodes)]
    return [
        Part(root.start, root.end, range(spans, spans_end), range(nodes, nodes_end))
        for (root, spans, nodes), (spans_end, nodes_end) in zip(roots, ends, strict=bool(roots))
    ]


def _read(doc: Doc, key: str, items: Sequence[_Item], times: Sequence[Any] | None) -> Placed:
    """The tree of these nodes, which are in pre-order."""
    root = items[0]
    unread = word_tokens(doc, root.start, root.end)[::-1]
    builder = Builder()
    tokens: list[int | None] = []
    above: list[_Item] = []

    def add_words(stop: int) -> None:
        while unread and unread[-1] < stop:
            token = unread.pop()
            builder.word(doc[token].text, times[token] if times else None)
            tokens.append(token)

    for item in (*items, root._replace(start=root.end, label=None)):
        while len(above) > item.depth:
            add_words(above.pop().end)
            builder.close()
        add_words(item.start)
        if item.label is None:
            continue
        builder.open(item.label)
        above.append(item)
        node = item.wordless or {}
        for word, pair in zip_longest(node.get("words", ()), node.get("times", ())):
            builder.word(word, pair)
            tokens.append(None)
    try:
        return Placed(SegmentTree(*builder.values(None)), tokens, root.start, root.end)
    except TreeFormatError as error:  # of times
        raise _error(key, error.message) from None


def _items(doc: Doc, key: str, part: Part | None = None) -> Iterator[_Item]:
    """All nodes of a group, or of a tree, in pre-order, with their depths; checks that they nest."""
    above: list[_Item] = []
    previous = 0
    for start, end, label, node in _listed(doc, key, part):
        if node is not None:
            del above[node["depth"] :]
            inside = len(above) == node["depth"] and (not above or above[-1].start <= start <= above[-1].end)
            if not inside:
                raise _error(key, f"attrs['wordless'] has {label!r} where no node is above it; {_AGAIN}")
        else:
            if start == end:
                raise _error(
                    key, f"{label!r} at token {start} has no token; set the tree with set_tree instead"
                )
            if start < previous:
                raise _error(
                    key, f"{label!r} {start}–{end} stands behind what starts at {previous}; {_ORDER}"
                )
            previous = start
            while above and (above[-1].wordless is not None or above[-1].end <= start):
                above.pop()
            if above and end > above[-1].end:
                outer = f"{above[-1].label!r} {above[-1].start}–{above[-1].end}"
                message = f"{label!r} {start}–{end} does not lie in {outer}, where it begins; {_ORDER}"
                raise _error(key, message)
        item = _Item(start, end, label, len(above), node)
        yield item
        if label is not None:
            above.append(item)


def _listed(
    doc: Doc, key: str, part: Part | None
) -> Iterator[tuple[int, int, str | None, dict[str, Any] | None]]:
    """The start, end and label of all nodes of a group or tree, those without spans in their places."""
    group = doc.spans.get(key)
    if group is None:
        return
    numbers = range(len(group)) if part is None else part.spans
    try:
        spans = [(span.start, span.end, span.label_) for span in map(group.__getitem__, numbers)]
    except IndexError:
        raise _error(key, f"the spans go beyond the tokens, which have changed; {_AGAIN}") from None
    except KeyError as error:  # a label that the Vocab does not know
        raise _error(key, str(error.args[0])) from None
    nodes = group.attrs.get("wordless", [])
    nodes = nodes if isinstance(nodes, list) else [nodes]
    listed = 0
    for node in nodes if part is None else nodes[part.nodes.start : part.nodes.stop]:
        if not _is_whole(node, numbers.start + listed, numbers.stop, len(doc)):
            raise _error(key, f"attrs['wordless'] is damaged: {node!r:.80}; {_AGAIN}")
        place = node["place"] - numbers.start
        for span in spans[listed:place]:
            yield *span, None
        listed = place
        yield node["token"], node["token"], node["label"], node
    for span in spans[listed:]:
        yield *span, None


def _is_whole(node: Any, listed: int, n_spans: int, n_tokens: int) -> bool:
    """Whether a wordless node has all it needs, as files may hold anything."""
    if not isinstance(node, dict) or not all(
        isinstance(node.get(n), int) for n in ("place", "depth", "token")
    ):
        return False
    words, label = node.get("words", []), node.get("label", 0)
    times = node.get("times", words)
    return (
        listed <= node["place"] <= n_spans
        and node["depth"] >= 0
        and 0 <= node["token"] <= n_tokens
        and (isinstance(label, str) or (label is None and node["depth"] == 0))
        and isinstance(words, list)
        and all(isinstance(word, str) for word in words)
        and isinstance(times, list)
        and len(times) == len(words)
    )


def _times(doc: Doc, key: str) -> list[Any] | None:
    """The times of all tokens, of which only those that are words are checked, later."""
    times = doc.spans[key].attrs.get("times") if key in doc.spans else None
    if times is not None and (not isinstance(times, list) or len(times) != len(doc)):
        raise _error(key, f"attrs['times'] has not {count(len(doc), 'item')}, one a token; {_AGAIN}")
    return times


def _error(key: str, message: str) -> TreeFormatError:
    return TreeFormatError(message, source=f"doc.spans[{key!r}]")


# ---- words -------------------------------------------------------------------------------------------


def is_word(token: Token) -> bool:
    """Whether a token is more than white space; `Token.is_space` is only right with a language's Vocab."""
    return not token.text.isspace()


def word_tokens(doc: Doc, start: int, end: int) -> list[int]:
    """The tokens of a range that are words."""
    return [token.i for token in doc[start:end] if is_word(token)]


def trace_words(tree: SegmentTree) -> set[int]:
    """The words of `-NONE-` leaves, which nobody says."""
    return dropped_words(tree, [TRACE])


def unescape(word: str) -> str:
    r"""The word as texts have it: brackets for `-LRB-` and its kin, `/` for `\/`, quotes for a treebank's."""
    return QUOTES.get(word) or _ESCAPE.sub(lambda match: ESCAPES.get(match[0].upper(), match[0][-1]), word)


def storable(text: str, what: str) -> str:
    """The text, if spaCy can keep it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TreeFormatError(
            f"spaCy cannot keep the {what} {text!r}, which has half a surrogate pair; replace that"
        ) from None
    return text


def brief(doc: Doc, tokens: Sequence[int] | None = None) -> str:
    """What to call a Doc, or some of its tokens, in errors."""
    numbers = range(len(doc)) if tokens is None else tokens
    words = " ".join(doc[i].text for i in numbers[:_FIRST_WORDS])
    return f"{words!r}" if len(numbers) <= _FIRST_WORDS else f"{words + ' …'!r}"
