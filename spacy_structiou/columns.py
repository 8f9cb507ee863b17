"""Spans and words of many Docs as columns, without an object of spaCy for each of them.

To make a `Span` takes longer than to score the constituent that it is. `SpanGroup.to_bytes` writes spans
without making them, but what it does besides takes as long as making 200 of them. So the groups of many Docs
are joined into one, and that is written. Where spaCy joins or writes groups in another way than is known
here, and for groups with `attrs`, which would be copied too, the spans are made.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from spacy.tokens import Doc, SpanGroup

from structiou_metric._core.scan import Scanner
from structiou_metric.trees.spelling import widths_for

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

_AT_ONCE = 16  # groups joined at a time; spaCy copies all that was joined before with every group
_FEWEST = 200  # spans from which on it pays to write them

# What `to_bytes` writes of a group without name and attributes, in the format MessagePack: this, the mark
# of a list, its length, and of each span the mark of so many bytes with the bytes.
_HEAD = b"\x83\xa4name\xa0\xa5attrs\x80\xa5spans"
_LISTS = {2: b"\xdc", 4: b"\xdd"}  # by the bytes of their length
_MARK = 0xC428
_SPAN = np.dtype(
    [("mark", ">u2"), ("id", ">u8"), ("kb_id", ">u8"), ("label", ">u8")]
    + [(name, ">i4") for name in ("start", "end", "start_char", "end_char")]
)

_facts = attrgetter("start", "end", "label")

# Starts and ends (C ints), and labels (unsigned 64-bit integers).
Columns = tuple["array[int]", "array[int]", "array[int]"]


def read_spans(groups: Sequence[SpanGroup]) -> Columns:
    """The first token, the one behind the last, and the number of the label of all spans, in their order.

    Raises:
        IndexError: A span goes beyond the tokens of its Doc; where spans need not be made, it is not noticed.
    """
    n_plain = sum(len(group) for group in groups if not group.attrs)
    if n_plain >= _FEWEST and 2 * n_plain >= sum(map(len, groups)):
        columns = written_spans(groups)
        if columns is not None:
            return columns
    return made_spans(groups)


def made_spans(groups: Sequence[SpanGroup]) -> Columns:
    """The same columns, by making every Span."""
    facts = np.fromiter(chain.from_iterable(map(_facts, chain.from_iterable(groups))), np.uint64)
    return _columns(facts[0::3], facts[1::3], facts[2::3])


def written_spans(groups: Sequence[SpanGroup]) -> Columns | None:
    """The same columns from what spaCy writes; None if that is not as expected."""
    n_spans = sum(map(len, groups))
    try:
        joined = _joined([_plain(group) for group in groups])
        while len(joined) > 1:
            joined = _joined(joined)
        data = joined[0].to_bytes()
    except (AttributeError, TypeError, ValueError):
        return None
    size = 2 if n_spans < 1 << 16 else 4
    head = _HEAD + _LISTS[size] + n_spans.to_bytes(size, "big")
    if not data.startswith(head) or len(data) != len(head) + n_spans * _SPAN.itemsize:
        return None
    spans = np.frombuffer(data, _SPAN, offset=len(head))
    if (spans["mark"] != _MARK).any():
        return None
    return _columns(spans["start"], spans["end"], spans["label"])


def _columns(starts: NDArray[Any], ends: NDArray[Any], labels: NDArray[Any]) -> Columns:
    """The columns as arrays of the standard library."""
    first, last = (array("i", column.astype(np.intc).tobytes()) for column in (starts, ends))
    return first, last, array("Q", labels.astype(np.uint64).tobytes())


def _plain(group: SpanGroup) -> SpanGroup:
    """The group, or its spans in one without `attrs`."""
    return SpanGroup(group.doc, spans=list(group)) if group.attrs else group


def _joined(groups: Sequence[SpanGroup]) -> list[SpanGroup]:
    """The groups, every few as one, of which only numbers may be asked, as its spans are of many Docs."""
    found = []
    for at in range(0, len(groups), _AT_ONCE):
        some: Sequence[Any] = groups[at : at + _AT_ONCE]
        joined: Any = SpanGroup(some[0].doc)
        for group in some:
            joined._doc_ref = group._doc_ref  # spaCy joins groups of one Doc only
            joined.extend(group)
        found.append(joined)
    return found


class Words:
    """The words of many Docs, which are their tokens but for white space.

    Args:
        docs: The Docs.
        unit: The unit of the metric: with `char`, words are as long as their characters are many; else each
            is one long.

    Attributes:
        tokens: How many tokens stand before each Doc, and in all.
        before: How many words stand before each token of all Docs, and in all.
        texts: The texts of all words.
        places: Where each word starts, and where the last ends, if they follow each other.
    """

    def __init__(self, docs: Sequence[Doc], unit: str) -> None:
        self.tokens = count_before(map(len, docs))
        keys = np.concatenate([doc.to_array("ORTH") for doc in docs]).tolist()
        try:
            names = {key: docs[0].vocab.strings[key] for key in set(keys)}
            texts = list(map(names.__getitem__, keys))
        except KeyError:  # other Docs have other strings
            texts = [token.text for doc in docs for token in doc]
        blank = {text for text in set(texts) if text.isspace()}
        self.texts = [text for text in texts if text not in blank] if blank else texts
        self.before = count_before(text not in blank for text in texts) if blank else _numbered(len(texts))
        places = count_before(measure(self.texts)) if unit == "char" else _numbered(len(self.texts))
        self.places = array("d", np.array(places, float).tobytes())


def measure(texts: Sequence[str]) -> list[int]:
    """How many characters each text has, by the metric's count; a corpus has few different ones."""
    different = list(dict.fromkeys(texts))
    lengths = Scanner().measure(different, widths_for("".join(different)))
    return list(map(dict(zip(different, lengths, strict=True)).__getitem__, texts))


def count_before(counts: Iterable[int]) -> array[int]:
    """How much stands before each, and in all."""
    return array("q", accumulate(counts, initial=0))


def _numbered(n: int) -> array[int]:
    """How much stands before each, and in all, if each is one."""
    return array("q", np.arange(n + 1, dtype=np.int64).tobytes())
