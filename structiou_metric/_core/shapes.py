"""Trees in the shapes of Python: objects as nltk has them, nested dicts, labelled spans and flat columns.

There is one reader for each shape, which knows all of its forms and mistakes. A reader returns the
arguments of `SegmentTree`: labels, sizes, first and last words, words, times and the unit.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from numbers import Integral, Real

try:
    import cython
except ImportError:
    from . import _cython as cython

from ..errors import TreeFormatError
from ..optional import as_listed, as_scalar
from ..wording import brief
from ..wording import count as counted
from .flat import doubles, flags, ints

MOST_WORDS = 1_000_000  # that spans alone may ask for
_FAR = 1e300  # numbers below it are finite


class Builder:
    """Collects a tree from the order in which its brackets open and close."""

    def __init__(self):
        self.labels = []
        self.words = []
        self._sizes = []
        self._firsts = []
        self._lasts = []
        self._times = []  # of the words that have some
        self._untimed = -1  # the first word without times
        self._open = []

    def open(self, label):
        """Begin a node below those that are open."""
        self._open.append((label, len(self.words), len(self.labels)))

    def word(self, text, times=None):
        """Add a word to all nodes that are open, perhaps with its start and its end in seconds."""
        if times is not None:
            self._times.append(times)
        elif self._untimed < 0:
            self._untimed = len(self.words)
        self.words.append(text)

    def close(self):
        """End the node that was opened last."""
        label, first, below = self._open.pop()
        self._sizes.append(len(self.labels) - below + 1)
        self.labels.append(label)
        self._firsts.append(first)
        self._lasts.append(len(self.words))

    def values(self, unit):
        """Return the values that were collected; the unit is by default seconds if the words have times."""
        if self._times and self._untimed >= 0:
            text = self.words[self._untimed]
            raise TreeFormatError(
                f"word {self._untimed} ({text!r}) has no times and others have; give all or none"
            )
        times = check_times(self._times) if self._times else None
        unit = unit or ("time" if times else "word")
        nodes = array("i", self._sizes), array("i", self._firsts), array("i", self._lasts)
        return tuple(self.labels), *nodes, tuple(self.words), times, unit


def check_times(word_times):
    """Return the word times as pairs of floats: finite, not reversed, in order, not overlapping."""
    times = []
    start: cython.double
    end: cython.double
    before: cython.double = 0.0
    if word_times is None:
        raise TreeFormatError("the word times are None; give a list of [start, end], one per word")
    for i, pair in enumerate(word_times):
        try:
            first, last = pair
            start = float(first)
            end = float(last)
        except OverflowError:
            raise TreeFormatError(f"word {i}: the time {pair!r} is not finite; give seconds") from None
        except (TypeError, ValueError):
            raise TreeFormatError(
                f"word {i}: the time {pair!r} is not a pair of numbers [start, end]"
            ) from None
        if 2.0 * start - 2.0 * start != 0.0 or 2.0 * end - 2.0 * end != 0.0:  # differences must be finite
            raise TreeFormatError(f"word {i}: the time {pair!r} is not finite; give seconds")
        if end < start:
            raise TreeFormatError(f"word {i}: the time {pair!r} ends before it starts")
        if times and start < before:
            raise TreeFormatError(
                f"word {i}: the time {pair!r} starts before word {i - 1} ends at {before!r}; "
                "words must be in order and must not overlap"
            )
        times.append((start, end))
        before = end
    return tuple(times)


# ---- objects ---------------------------------------------------------------------------------------


def is_node(value):
    """Return whether a value is a tree made of objects, as nltk and Stanza have them."""
    return callable(getattr(value, "label", None)) or _has_children(value)


def _has_children(value):
    """Return whether a value is a node as Stanza has them; a word is one without children."""
    return isinstance(getattr(value, "label", None), str) and hasattr(value, "children")


def read_objects(tree, unit):
    """Read a tree of objects that hold their children."""
    out: Builder = Builder()
    known: type = None  # the class of nodes that was seen last, which has a method `label`
    above: list = []  # the rest of the children of each node that is open
    rest = _enter_object(out, tree)
    while True:
        for child in rest:
            if type(child) is str:
                out.word(child)
            elif type(child) is known:
                above.append(rest)
                rest = _enter_object(out, child)
                break
            elif _has_children(child):
                if child.children:
                    above.append(rest)
                    rest = _enter_object(out, child)
                    break
                out.word(child.label)
            elif callable(getattr(child, "label", None)):
                known = type(child)
                above.append(rest)
                rest = _enter_object(out, child)
                break
            elif isinstance(child, tuple):
                if len(child) != 2 or not isinstance(child[0], str) or not isinstance(child[1], str):
                    raise TreeFormatError(
                        f"a leaf is {brief(child)}; give a word, or a pair of a word and its tag"
                    )
                out.open(child[1])
                out.word(child[0])
                out.close()
            else:
                out.word(str(child))
        else:
            out.close()
            if not above:
                break
            rest = above.pop()
    return out.values(unit)


def _enter_object(out, node):
    """Open a node; return an iterator over its children."""
    label = node.label
    if isinstance(label, str):
        out.open(label)
        return iter(node.children)
    label = label()
    out.open(label if type(label) is str else str(label))
    return iter(node)


# ---- nested dicts ----------------------------------------------------------------------------------


def read_dict(nested, unit):
    """Read a nested dict."""
    out: Builder = Builder()
    claims: list = []  # inner nodes that state their own span, by their numbers
    above: list = []
    node = nested
    rest = _enter_dict(out, nested)
    while True:
        for child in rest:
            if isinstance(child, str):
                out.word(child)
            elif type(child) is not dict and not isinstance(child, Mapping):
                raise TreeFormatError(f"a child of {node['label']!r} is a {type(child).__name__}; give dicts")
            elif "label" in child:
                above.append((node, rest))
                node = child
                rest = _enter_dict(out, child)
                break
            else:
                out.word(_text_of(child), _times_of(child))
        else:
            out.close()
            if (node.get("start") is not None or node.get("end") is not None) and _children_of(node):
                claims.append((len(out.labels) - 1, node))
            if not above:
                break
            node, rest = above.pop()
    values = out.values(unit)
    if claims and out._times:
        _check_claims(values, claims)
    return values


def _enter_dict(out, node):
    """Open a labelled node; a leaf gives its word at once."""
    if "label" not in node:
        raise TreeFormatError(
            f"a node without 'label': {brief(node)}; the root and all constituents need one"
        )
    label = node["label"]
    out.open(label if type(label) is str else str(label))
    children = _children_of(node)
    if not children:
        for name in ("word", "start", "end"):
            if node.get(name) is not None:
                out.word(_text_of(node), _times_of(node))
                break
    return iter(children)


def _children_of(node):
    children = node.get("children")
    if type(children) is not list:
        children = as_listed(children)
    return children or ()


def _text_of(leaf):
    text = leaf.get("word")
    return text if type(text) is str else str(text or "")


def _times_of(leaf):
    """Return the start and the end of a leaf; None if it has neither."""
    start, end = leaf.get("start"), leaf.get("end")
    if start is None and end is None:
        if "word" not in leaf:
            raise TreeFormatError(f"a leaf without 'word' or times: {brief(leaf)}")
        return None
    if not isinstance(start, Real) or not isinstance(end, Real):
        raise TreeFormatError(f"a leaf needs both 'start' and 'end' as numbers: {brief(leaf)}")
    try:
        return float(start), float(end)
    except OverflowError:
        raise TreeFormatError(f"a leaf's time is not finite: {brief(leaf)}") from None


def _check_claims(values, claims):
    """Refuse inner nodes whose stated span is not that of their children (the paper's condition)."""
    _, _, firsts, lasts, _, times, _ = values
    for i, node in claims:
        if firsts[i] == lasts[i]:
            continue
        start, end = times[firsts[i]][0], times[lasts[i] - 1][1]
        if node.get("start") not in (None, start) or node.get("end") not in (None, end):
            raise TreeFormatError(
                f"node {node['label']!r} says {node.get('start')}–{node.get('end')}, but its children span "
                f"{start}–{end}; leave its times out, or add the missing words as children without label"
            )


# ---- labelled spans and flat columns ---------------------------------------------------------------


class _Spans:
    """Labelled spans: nodes, and words, which have no label or share that of a node.

    Starts and ends are kept as they were given, for errors, and as doubles.
    """

    def __init__(self):
        self.labels = []
        self.starts = []
        self.ends = []
        self.words = []
        self.n = 0
        self.n_worded = 0
        self.whole = True  # whether all numbers are whole ones, as those that count words are

    def add(self, label, start, end, word):
        """Add a span whose numbers were checked."""
        if (type(start) is not int or type(end) is not int) and not (
            isinstance(start, Integral) and isinstance(end, Integral)
        ):
            self.whole = False
        self.labels.append(label if label is None or type(label) is str else str(label))
        self.starts.append(start)
        self.ends.append(end)
        self.words.append(word if word is None or type(word) is str else str(word))
        self.n_worded += word is not None
        self.n += 1

    def name(self, i):
        """Return the name of a span in errors."""
        return f"{self.labels[i]!r} {self.starts[i]}–{self.ends[i]}"

    def place(self):
        """Take the starts and ends as doubles."""
        i: cython.Py_ssize_t
        self.start, self.end = doubles(self.n), doubles(self.n)
        for i in range(self.n):
            self.start[i] = self.starts[i]
            self.end[i] = self.ends[i]
        return 0

    def reorder(self, order):
        """Put the spans into another order."""
        self.labels = [self.labels[i] for i in order]
        self.starts = [self.starts[i] for i in order]
        self.ends = [self.ends[i] for i in order]
        self.words = [self.words[i] for i in order]

    def sort(self):
        """Put outer spans first, left to right; of equal ones, those with words come last."""
        i: cython.Py_ssize_t
        for i in range(1, self.n):
            if self.start[i] > self.start[i - 1]:
                continue
            if self.start[i] < self.start[i - 1] or self.end[i] > self.end[i - 1]:
                break
            if self.end[i] == self.end[i - 1] and self.words[i] is None and self.words[i - 1] is not None:
                break
        else:
            return 0
        starts, ends, words = self.starts, self.ends, self.words
        self.reorder(sorted(range(self.n), key=lambda k: (starts[k], -ends[k], words[k] is not None)))
        self.place()
        return 0

    def is_preorder(self, parents):
        """Return whether each span comes after the one around it, and siblings from left to right."""
        parent: cython.int[::1] = parents
        i: cython.Py_ssize_t
        before: cython.Py_ssize_t  # the sibling on the left
        top: cython.Py_ssize_t
        if parent[0] != -1:
            return False
        for i in range(1, self.n):
            before = -1
            top = i - 1
            while top >= 0 and top != parent[i]:
                before = top
                top = parent[top]
            if top < 0 or parent[i] < 0:
                return False
            if before >= 0 and self.start[i] <= self.start[before]:
                if self.start[i] < self.start[before] or self.end[i] < self.end[before]:
                    return False
        return True

    def nest(self):
        """Return the number of the span around each, -1 for the root, of sorted spans."""
        i: cython.Py_ssize_t
        top: cython.Py_ssize_t
        depth: cython.Py_ssize_t = 0
        parents = ints(self.n)
        parent: cython.int[::1] = parents
        stack = ints(self.n)
        above: cython.int[::1] = stack
        for i in range(self.n):
            while depth:
                top = above[depth - 1]
                if self.end[top] > self.start[i]:
                    break
                if self.end[i] <= self.end[top] and (self.start[i] == self.start[top] or depth == 1):
                    break  # a span of no length in another such, or at the root's end
                depth -= 1
            if depth and self.end[i] > self.end[above[depth - 1]]:
                raise TreeFormatError(
                    f"{self.name(i)} crosses {self.name(above[depth - 1])}; constituents must nest"
                )
            if not depth and i:
                raise TreeFormatError(f"{self.name(i)} lies outside the root {self.name(0)}")
            parent[i] = above[depth - 1] if depth else -1
            above[depth] = i
            depth += 1
        return parents


def _is_finite(value):
    try:
        return isinstance(value, Real) and abs(float(value)) < float("inf")
    except OverflowError:
        return False


def _check_numbers(start, end, where, i):
    """Refuse a start and end of span `i` that are no numbers; `where` names the span in errors."""
    if type(start) is int and type(end) is int and -MOST_WORDS < start <= end < MOST_WORDS:
        return 0
    if type(start) is float and type(end) is float and -_FAR < start <= end < _FAR:
        return 0
    for value in (start, end):
        if not _is_finite(value):
            raise TreeFormatError(f"{where(i)}: {brief(value)} is no finite number")
    if end < start:
        raise TreeFormatError(f"{where(i)} ends at {end!r}, before it starts at {start!r}")
    return 0


def read_spans(spans, unit, texts):
    """Read labelled spans in any order.

    Args:
        spans: Mappings with `label`, `start`, `end` and perhaps `word`, or triples.
        unit: The unit of the tree; by default words if all numbers are whole, else seconds.
        texts: The words; None where they are in the spans, or not known.
    """
    found: _Spans = _Spans()
    names_words: cython.bint = False

    def where(i):
        return f"span {i}"

    for i, span in enumerate(spans):
        word = None
        if type(span) is dict or isinstance(span, Mapping):
            try:
                label, start, end = span["label"], span["start"], span["end"]
            except KeyError as error:
                raise TreeFormatError(f"span {i} has no {error.args[0]!r}: {brief(span)}") from None
            if "word" in span:
                names_words = True
                word = span["word"]
            if type(start) is not int and type(start) is not float and hasattr(start, "tolist"):
                label, start, end, word = map(as_scalar, (label, start, end, word))
        else:
            try:
                label, start, end = span
            except (TypeError, ValueError):
                raise TreeFormatError(f"span {i} is no (label, start, end): {brief(span)}") from None
        if label is None and word is None:
            raise TreeFormatError(f"span {i} has neither a label nor a word: {brief(span)}")
        _check_numbers(start, end, where, i)
        found.add(label, start, end, word)
    if unit == "char" and not found.n_worded:
        raise TreeFormatError(
            "spans count words or seconds; give words and unit='word', then use with_unit('char')"
        )
    if unit is None:
        unit = "word" if texts is not None or found.whole else "time"
    if not found.n:
        return Builder().values(unit)
    found.place()
    found.sort()
    return _build(found, found.nest(), unit, texts, names_words)


def read_columns(labels, starts, ends, parents, unit, words):
    """Read flat columns: nodes in any order, with the place of the node above each, -1 for the root."""
    n: cython.Py_ssize_t = len(labels)
    i: cython.Py_ssize_t
    found: _Spans = _Spans()
    own = [None] * n if words is None else words
    for name, column in (("starts", starts), ("ends", ends), ("parents", parents), ("words", own)):
        if len(column) != n:
            raise TreeFormatError(f"column {name!r} has {len(column)} items and 'labels' has {n}")
    if n == 0:
        return Builder().values(unit)
    if unit == "char" and all(word is None for word in own):
        raise TreeFormatError("flat columns count words or seconds; give brackets for unit='char'")
    roots = [i for i, parent in enumerate(parents) if parent == -1]
    if len(roots) != 1:
        raise TreeFormatError(f"{len(roots)} nodes have the parent -1; a tree has one root")

    def where(i):
        return f"node {i} ({labels[i]!r})"

    for i in range(n):
        start, end, parent = starts[i], ends[i], parents[i]
        _check_numbers(start, end, where, i)
        if labels[i] is None and own[i] is None:
            raise TreeFormatError(f"node {i} has neither a label nor a word")
        if type(parent) is not int and not isinstance(parent, Integral):
            raise TreeFormatError(f"{where(i)} has the parent {parent!r}; give a whole number")
        if not -1 <= parent < n:
            raise TreeFormatError(f"{where(i)} has the parent {parent}; there are {n} nodes")
        if parent >= 0 and not (starts[parent] <= start and end <= ends[parent]):
            raise TreeFormatError(
                f"node {i} ({labels[i]!r}, {start}–{end}) lies outside its parent "
                f"{parent} ({labels[parent]!r}, {starts[parent]}–{ends[parent]})"
            )
        found.add(labels[i], start, end, own[i])
    found.place()
    above = array("i", parents)
    if not found.is_preorder(above):
        order = _preorder(starts, ends, parents, roots[0])
        if len(order) < n:
            stray = min(set(range(n)) - set(order))
            raise TreeFormatError(f"{where(stray)} does not lead up to the root; parents go round")
        place = {node: i for i, node in enumerate(order)}
        found.reorder(order)
        found.place()
        above = array("i", [place.get(parents[i], -1) for i in order])
    if unit is None:
        unit = "word" if found.whole else "time"
    return _build(found, above, unit, None, words is not None)


def _preorder(starts, ends, parents, root):
    """Return the nodes from the root, siblings left to right."""
    children: dict = {}
    order: list = []
    todo: list = [root]
    for i in sorted(range(len(parents)), key=lambda i: (starts[i], ends[i])):
        children.setdefault(parents[i], []).append(i)
    while todo:
        node = todo.pop()
        order.append(node)
        if node in children:
            todo.extend(reversed(children[node]))
    return order


def _build(spans, parents, unit, texts, names_words):
    """Build from spans in preorder with their parents.

    Where spans have words of their own, those are all the words. Otherwise over words, every word between
    the ends is known, and over seconds, a leaf is a word without text, as are the parts of a node before its
    first and after its last child.
    """
    given: _Spans = spans
    parent: cython.int[::1] = parents
    i: cython.Py_ssize_t
    top: cython.Py_ssize_t
    depth: cython.Py_ssize_t = 0
    by_words: cython.bint = unit == "word"
    place: cython.double
    if given.n_worded and texts is not None:
        raise TreeFormatError("the words are given twice, in the spans and beside them; give them once")
    if texts is None and (given.n_worded or (names_words and given.start[0] == given.end[0])):
        return _build_worded(given, parents, unit)
    if by_words:
        texts = _check_ranges(given, texts)
    out: Builder = Builder()
    stack, leaves = ints(given.n), flags(given.n)
    above: cython.int[::1] = stack  # spans that are open
    is_leaf: cython.uchar[::1] = leaves
    place = given.start[0]
    said = given.starts[0]  # the place as it was given
    for i in range(given.n + 1):
        while depth and (
            i == given.n or above[depth - 1] != parent[i]
        ):  # closes spans that do not hold this one
            depth -= 1
            top = above[depth]
            if by_words:
                _add_texts(out, texts, place, given.end[top])
            elif place < given.end[top]:
                out.word("", (place, given.end[top]))
            elif is_leaf[top] and given.start[top] == given.end[top]:
                out.word("", (given.start[top], given.end[top]))
            if place < given.end[top]:
                place = given.end[top]
                said = given.ends[top]
            out.close()
        if i == given.n:
            break
        if depth:
            top = above[depth - 1]
            if given.start[i] < place:
                raise TreeFormatError(
                    f"{given.name(i)} overlaps what stands before it up to {said}; siblings must not"
                )
            # A silence between two children is no word; the start of the parent is.
            if by_words:
                _add_texts(out, texts, place, given.start[i])
            elif is_leaf[top] and place < given.start[i]:
                out.word("", (place, given.start[i]))
            is_leaf[top] = False
        place = given.start[i]
        said = given.starts[i]
        out.open(given.labels[i])
        above[depth] = i
        is_leaf[i] = True
        depth += 1
    return out.values(unit)


def _add_texts(out, texts, place, limit):
    """Add the words from a place up to another."""
    builder: Builder = out
    i: cython.Py_ssize_t
    for i in range(cython.cast(cython.Py_ssize_t, place), cython.cast(cython.Py_ssize_t, limit)):
        builder.word(texts[i])
    return 0


def _check_ranges(given, texts):
    """Refuse spans that are no ranges of words; return the words, empty ones where they are not known."""
    i: cython.Py_ssize_t
    spans: _Spans = given
    root, end = spans.labels[0], spans.ends[0]
    n_words: cython.Py_ssize_t
    if texts is None and int(end) > MOST_WORDS:
        raise TreeFormatError(f"{root!r} ends at word {int(end)}; if these are times, say unit='time'")
    words = [""] * int(end) if texts is None else list(texts)
    n_words = len(words)
    for i in range(spans.n):
        start, end = spans.starts[i], spans.ends[i]
        if spans.whole and 0 <= spans.start[i] and spans.end[i] <= n_words:
            continue
        if start != int(start) or end != int(end) or start < 0 or end > n_words:
            raise TreeFormatError(
                f"{spans.name(i)} is no range of the {n_words} words{_cure(start, end, texts)}"
            )
    if spans.start[0] != 0 or spans.end[0] < n_words:
        raise TreeFormatError(
            f"the root {root!r} spans {spans.starts[0]}–{spans.ends[0]} of {counted(n_words, 'word')}; "
            "a root spans all words, counted from 0"
        )
    return words


def _cure(start, end, texts):
    """Return the cure for a span that should count words and does not."""
    if start == int(start) and end == int(end):
        return ""
    if texts is None:
        return "; if these are seconds, say unit='time'"
    return "; with words beside them spans count these; if they are seconds, give each span its own 'word'"


def _build_worded(spans, parents, unit):
    """Build from spans in preorder with their parents, among them all words.

    With any unit, the spans may count words, as whole numbers do and others that number
    the words one by one, or seconds.
    """
    given: _Spans = spans
    parent: cython.int[::1] = parents
    i: cython.Py_ssize_t
    depth: cython.Py_ssize_t = 0
    n_words: cython.Py_ssize_t = 0
    n_closed: cython.Py_ssize_t = 0
    in_order: cython.bint = True
    by_words: cython.bint
    for i in range(given.n):
        if given.words[i] is not None:
            if given.start[i] != n_words or given.end[i] != n_words + 1:
                in_order = False
            n_words += 1
    by_words = unit != "time" and (given.whole or in_order)
    out: Builder = Builder()
    stack, nodes = ints(given.n), ints(given.n)
    above: cython.int[::1] = stack
    closed: cython.int[::1] = nodes  # the spans of the nodes that were closed
    for i in range(given.n + 1):
        if i < given.n and parent[i] >= 0 and given.words[parent[i]] is not None:
            outer = given.labels[parent[i]] or given.words[parent[i]]
            span = f"{outer!r} {given.starts[parent[i]]}–{given.ends[parent[i]]}"
            raise TreeFormatError(f"{given.name(i)} stands below {span}, which holds a word and nothing else")
        while depth and (i == given.n or above[depth - 1] != parent[i]):
            depth -= 1
            closed[n_closed] = above[depth]
            n_closed += 1
            out.close()
        if i == given.n:
            break
        word = given.words[i]
        if given.labels[i] is not None:
            out.open(given.labels[i])
            above[depth] = i
            depth += 1
        elif parent[i] < 0:
            raise TreeFormatError(
                f"the word {word!r} {given.starts[i]}–{given.ends[i]} stands outside of any node"
            )
        if word is not None:
            n_words = len(out.words)
            if not by_words:
                out.word(word, (given.start[i], given.end[i]))
                continue
            if given.start[i] != n_words or given.end[i] != n_words + 1:
                raise TreeFormatError(
                    f"the word {word!r} stands at {given.starts[i]}–{given.ends[i]}, but {n_words} words "
                    f"stand before it; it is at {n_words}–{n_words + 1}"
                )
            out.word(word)
    labels, sizes, firsts, lasts, words, times, _ = out.values("word" if by_words else "time")
    for i in range(n_closed):
        first, last = firsts[i], lasts[i]
        if first == last:
            if given.start[closed[i]] != given.end[closed[i]]:
                raise TreeFormatError(
                    f"{given.name(closed[i])} has no word; write '' where its text is not known"
                )
            continue
        start, end = (first, last) if by_words else (times[first][0], times[last - 1][1])
        if given.start[closed[i]] != start or given.end[closed[i]] != end:
            raise TreeFormatError(
                f"{given.name(closed[i])} does not span its words, which go from {start:g} to {end:g}"
            )
    return labels, sizes, firsts, lasts, words, times, unit
