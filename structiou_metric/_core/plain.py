"""Trees in plain shapes of Python (objects of nltk, dicts, labelled spans, flat columns), read at once.

Plain is what needs no second look: texts that are `str`, numbers that are `int` or `float`, nodes in order
that span their words. Of whatever is not plain, mistakes among it, these readers say None, and those of
`trees/`, which know every shape and every error, read it. On plain trees both agree.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import doubles, ints

_FAR = 9007199254740992.0  # 2 ** 53; whole numbers beyond it are not all doubles


class _Postorder:
    """Collects nodes as they close, and words with their times, if they have any."""

    def __init__(self):
        self.labels = []
        self.sizes = []
        self.firsts = []
        self.lasts = []
        self.words = []
        self.starts = []
        self.ends = []
        self.n_timed = 0

    def word(self, text, start, end):
        """Adds a word, with a start and an end or None for both; returns 0 if it is not plain."""
        if type(text) is not str:
            return 0
        self.words.append(text)
        if start is None and end is None:
            return 1
        lo: cython.double = _place(start)
        hi: cython.double = _place(end)
        if not lo <= hi or (self.n_timed and lo < self.ends[self.n_timed - 1]):
            return 0
        self.starts.append(lo)
        self.ends.append(hi)
        self.n_timed += 1
        return 1

    def close(self, label, first, below):
        """Adds a node, whose first word is `first` and before which `below` nodes closed."""
        self.sizes.append(len(self.labels) - below + 1)
        self.labels.append(label)
        self.firsts.append(first)
        self.lasts.append(len(self.words))
        return 0

    def parts(self, unit):
        """What a tree is made of; its unit is by default seconds if the words have times."""
        if self.n_timed and self.n_timed < len(self.words):
            return None
        times = tuple(zip(self.starts, self.ends)) if self.n_timed else None  # noqa: B905
        sizes, firsts, lasts = array("i", self.sizes), array("i", self.firsts), array("i", self.lasts)
        unit = unit or ("time" if times else "word")
        return tuple(self.labels), sizes, firsts, lasts, tuple(self.words), times, unit


def _place(value):
    """A plain number as a double; NaN for all else."""
    if type(value) is not float and type(value) is not int:
        return float("nan")
    try:
        place: cython.double = float(value)
    except OverflowError:
        return float("nan")
    return place if -_FAR < place < _FAR else float("nan")


def read_objects(tree, unit):
    """The parts of a tree of nltk, whose leaves are words or pairs of a word and its tag; else None."""
    out: _Postorder = _Postorder()
    kind: type = type(tree)
    known: type = None  # the class of nodes that was seen last
    above: list = []  # nodes that are open
    first: cython.Py_ssize_t = 0  # words before the node
    below: cython.Py_ssize_t = 0  # nodes before it
    if not callable(getattr(kind, "label", None)):
        return None
    label = str(tree.label())
    rest = iter(tree)
    while True:
        for child in rest:
            if type(child) is str:
                out.words.append(child)
                continue
            kind = type(child)
            if kind is tuple and len(child) == 2 and type(child[0]) is str and type(child[1]) is str:
                out.words.append(child[0])  # under a node that is its tag
                out.close(child[1], len(out.words) - 1, len(out.labels))
                continue
            if kind is not known:
                if not callable(getattr(kind, "label", None)):
                    return None
                known = kind
            above.append((rest, label, first, below))
            label = child.label()
            if type(label) is not str:
                label = str(label)
            rest = iter(child)
            first = len(out.words)
            below = len(out.labels)
            break
        else:
            out.close(label, first, below)
            if not above:
                return out.parts(unit)
            rest, label, first, below = above.pop()


def read_dict(nested, unit):
    """The parts of a nested dict; None if it is not plain."""
    out: _Postorder = _Postorder()
    above: list = []  # nodes that are open
    node: dict
    leaf: dict
    first: cython.Py_ssize_t = 0
    below: cython.Py_ssize_t = 0
    opened: cython.bint
    astray: cython.bint = False  # whether a node says another span than that of its words
    if type(nested) is not dict:
        return None
    node = nested
    while True:  # for each node that opens
        label = node.get("label")
        children = node.get("children")
        if type(label) is not str or (children is not None and type(children) is not list):
            return None
        first = len(out.words)
        below = len(out.labels)
        if not children:
            word, start, end = node.get("word"), node.get("start"), node.get("end")
            if word is not None or start is not None or end is not None:
                if not out.word("" if word is None else word, start, end):
                    return None
            out.close(label, first, below)
            if not above:
                break
            node, rest, label, first, below = above.pop()
        else:
            rest = iter(children)
        opened = False
        while not opened:
            for child in rest:
                if type(child) is str:
                    out.words.append(child)
                    continue
                if type(child) is not dict:
                    return None
                leaf = child
                if "label" in leaf:
                    above.append((node, rest, label, first, below))
                    node = leaf
                    opened = True
                    break
                word, start, end = leaf.get("word"), leaf.get("start"), leaf.get("end")
                if start is None and end is None and "word" not in leaf:
                    return None
                if not out.word("" if word is None else word, start, end):
                    return None
            else:
                out.close(label, first, below)
                start, end = node.get("start"), node.get("end")
                if first < len(out.words) and not astray and (start is not None or end is not None):
                    astray = (
                        out.n_timed < len(out.words)
                        or _is_off(start, out.starts[first])
                        or _is_off(end, out.ends[out.n_timed - 1])
                    )
                if not above:
                    break
                node, rest, label, first, below = above.pop()
        if not opened:
            break
    if astray and out.n_timed:
        return None
    return out.parts(unit)


def _is_off(value, place):
    """Whether a number that a node states, if it does, is another one than that of its words."""
    return value is not None and not _place(value) == place


def list_spans(spans):
    """The labels, starts, ends and words of labelled spans, dicts or triples; None if they are not plain."""
    labels: list = []
    starts: list = []
    ends: list = []
    words: list = []
    for span in spans:
        if type(span) is dict:
            if "label" not in span or "start" not in span or "end" not in span:
                return None
            labels.append(span["label"])
            starts.append(span["start"])
            ends.append(span["end"])
            words.append(span.get("word"))
        elif (type(span) is tuple or type(span) is list) and len(span) == 3:
            labels.append(span[0])
            starts.append(span[1])
            ends.append(span[2])
            words.append(None)
        else:
            return None
    return labels, starts, ends, words


def sorted_spans(labels, starts, ends, words):
    """The same lists with outer spans first, left to right; of equal ones, those with words last."""
    keys = zip(starts, [-end for end in ends], [word is not None for word in words], range(len(labels)))  # noqa: B905
    order = [key[3] for key in sorted(keys)]
    return [[column[i] for i in order] for column in (labels, starts, ends, words)]


def read_spans(labels, starts, ends, words, parents, unit, most_words):
    """The parts of spans that are listed with outer ones first, left to right.

    Args:
        labels: The label of each span; None for one that is a word.
        starts: The start of each span.
        ends: The end of each span.
        words: The word of each span that holds one and nothing else; None for others.
        parents: Where the span above each one stands, -1 for the first; or None, where they nest as they lie.
        unit: What the tree counts, or None for what the numbers tell.
        most_words: How many words the ends of spans may ask for where no word is named.

    Returns:
        The parts with their unit; None if they are not plain.
    """
    n: cython.Py_ssize_t = len(labels)
    i: cython.Py_ssize_t
    up: cython.Py_ssize_t
    top: cython.Py_ssize_t
    n_words: cython.Py_ssize_t = 0
    n_closed: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t = 0
    lo: cython.double
    hi: cython.double
    place: cython.double
    whole: cython.bint = True
    in_order: cython.bint = True  # whether words are numbered one by one
    timed: cython.bint = True
    named: cython.bint
    if n == 0 or (parents is not None and parents[0] != -1):
        return None
    start_at, end_at = doubles(n), doubles(n)
    start: cython.double[::1] = start_at
    end: cython.double[::1] = end_at
    for i in range(n):
        first_number, last_number = starts[i], ends[i]
        lo = start[i] = _place(first_number)
        hi = end[i] = _place(last_number)
        if not lo <= hi:
            return None
        if type(first_number) is not int or type(last_number) is not int:
            whole = False
        label, word = labels[i], words[i]
        if word is not None:
            if type(word) is not str:
                return None
            if lo != n_words or hi != n_words + 1:
                in_order = False
            n_words += 1
        elif label is None:
            return None
        if label is not None and type(label) is not str:
            return None
    named = n_words > 0
    if unit is None:
        unit = "word" if whole else "time"
    if named:
        if unit != "time":
            timed = not in_order
            if whole and timed:
                return None
    else:
        timed = unit == "time"
        if start[0] == end[0] or unit == "char":
            return None
        if not timed and not (whole and start[0] == 0 and end[0] <= most_words):
            return None
    if labels[0] is None:
        return None
    out: _Postorder = _Postorder()
    above_at, first_at, below_at = ints(n), ints(n), ints(n)
    above: cython.int[::1] = above_at  # those that are open
    first: cython.int[::1] = first_at  # of each span, the words before it
    below: cython.int[::1] = below_at  # and the nodes that closed before it
    is_leaf: list = [True] * n
    place = start[0]
    for i in range(n + 1):
        up = -1
        if i < n:
            lo = start[i]
            hi = end[i]
            if parents is not None:
                parent = parents[i]
                if type(parent) is not int or not -1 <= parent < i:
                    return None
                up = parent
            elif i and lo == start[i - 1] and hi > end[i - 1]:
                return None
        # Closes what does not hold the span.
        while depth:
            top = above[depth - 1]
            if i < n:
                if parents is not None:
                    if top == up:
                        break
                elif end[top] > lo or (hi <= end[top] and (lo == start[top] or depth == 1)):
                    break
            depth -= 1
            if not named:
                if timed:
                    if place < end[top]:
                        out.word("", place, end[top])
                    elif is_leaf[top] and start[top] == end[top]:
                        out.word("", start[top], end[top])
                else:
                    n_words = cython.cast(cython.Py_ssize_t, end[top])
            if place < end[top]:
                place = end[top]
            label = labels[top]
            if label is None:
                continue
            if named:
                if first[top] == len(out.words):
                    if start[top] != end[top]:
                        return None
                elif timed:
                    if start[top] != out.starts[first[top]] or end[top] != out.ends[len(out.words) - 1]:
                        return None
                elif start[top] != first[top] or end[top] != len(out.words):
                    return None
            if named or timed:
                out.close(label, first[top], below[top])
            else:
                out.sizes.append(n_closed - below[top] + 1)
                out.labels.append(label)
                out.firsts.append(first[top])
                out.lasts.append(n_words)
            n_closed += 1
        if i == n:
            break
        if depth:
            up = above[depth - 1]
            if lo < start[up] or hi > end[up] or lo < place or words[up] is not None:
                return None
            if not named and timed and is_leaf[up] and place < lo:
                out.word("", place, lo)
            is_leaf[up] = False
        elif i:
            return None
        place = lo
        above[depth] = i
        depth += 1
        below[i] = n_closed
        first[i] = len(out.words) if named or timed else cython.cast(cython.Py_ssize_t, lo)
        word = words[i]
        if word is not None:
            if timed:
                if not out.word(word, lo, hi):
                    return None
            else:
                out.words.append(word)
    if not named and not timed:
        out.words = [""] * int(end[0])
    return out.parts(unit)


def read_timed(rows):
    """The brackets with the times of their words beside them, as dicts or pairs.

    Returns:
        The texts; how many words are timed in each row; starts and ends of all of them, as arrays. None if a
        row is not plain.
    """
    texts: list = []
    counts: list = []
    starts: list = []
    ends: list = []
    pairs: list
    lo: cython.double
    hi: cython.double
    before: cython.double
    for row in rows:
        if type(row) is dict:
            text, times = row.get("brackets"), row.get("times")
        elif type(row) is tuple and len(row) == 2:
            text, times = row
        else:
            return None
        if type(text) is not str or type(times) is not list:
            return None
        pairs = times
        before = -_FAR
        for pair in pairs:
            if (type(pair) is not list and type(pair) is not tuple) or len(pair) != 2:
                return None
            lo = _place(pair[0])
            hi = _place(pair[1])
            if not before <= lo <= hi:
                return None
            before = hi
            starts.append(lo)
            ends.append(hi)
        texts.append(text)
        counts.append(len(pairs))
    return texts, counts, array("d", starts), array("d", ends)
