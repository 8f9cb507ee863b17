"""Brackets over words that need not be the same: words of both sides are grouped, and groups are the places.

From the left, words that are the same pair up. Where they are not, a group takes words from the side with
more letters left until the words behind it are the same, or as many letters are left on either side. Both
sides have as many groups, so that spans counted in groups can be compared. Brackets that were nested may
overlap in part when counted in groups, for two brackets may share a group.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.bracket_counts import BracketCounter
    from cython.cimports.structiou_metric._core.flat import FlatTrees
    from cython.cimports.structiou_metric._core.sentence import Sentence
else:
    from .bracket_counts import BracketCounter
    from .flat import FlatTrees
    from .sentence import Sentence

from .bracket_counts import LEAVE_QUOTES, SKIP_EMPTY
from .flat import flags, ints

_KEPT, _GONE_BY_LABEL = 0, 1

_N_COLUMNS = 11


def texts_of(trees):
    """The words of each tree, one after the other with nothing between them, as bytes."""
    source: FlatTrees = trees
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    length: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    source.write_text()
    n_words: cython.Py_ssize_t = source.word_offset[source.n_trees] if source.n_trees > 0 else 0
    for i in range(n_words):
        length += source.text_to[i] - source.text_from[i]
    joined = flags(length)
    letters: cython.uchar[::1] = joined
    ends = [0]
    for t in range(source.n_trees):
        for i in range(source.word_offset[t], source.word_offset[t + 1]):
            for k in range(source.text_from[i], source.text_to[i]):
                letters[at] = source.text[k]
                at += 1
        ends.append(at)
    data = joined.tobytes()
    return [data[lo:hi] for lo, hi in zip(ends, ends[1:])]  # noqa: B905, RUF007 (quicker, and never unequal)


class GroupCounter:
    """Counts batches of pairs under one set of rules; two threads must not use it at once.

    Args:
        equals: The names that count as the same as each of the first names, as in `BracketCounter`.
        deleted_words: Words that vanish, as bytes.
        lengthless_words: Words that do not count in the length.
        equal_words: Pairs of words that count as the same.
        delete_quotes: Whether quotes with one of the labels for quotes vanish.
    """

    def __init__(self, equals, deleted_words, lengthless_words, equal_words, delete_quotes):
        self._brackets = BracketCounter(equals, (), (), equal_words, SKIP_EMPTY, LEAVE_QUOTES, False)
        self._deletes_quotes = delete_quotes
        self._prediction = Sentence(deleted_words, lengthless_words)
        self._reference = Sentence(deleted_words, lengthless_words)
        self._word_room = self._node_room = -1
        self._reserve(0, 0)

    def _reserve(self, words, nodes):
        if words > self._word_room:
            self._word_room = words + words // 2
            self._group_pred = ints(self._word_room)
            self._group_ref = ints(self._word_room)
            self._plain = flags(self._word_room)
            self._count = ints(self._word_room + 2)
            self._used = flags(self._word_room)
            self._level = 1
            while (1 << self._level) <= self._word_room + 1:
                self._level += 1
            self._least = ints((self._word_room + 1) * self._level)
            self._greatest = ints((self._word_room + 1) * self._level)
        if nodes > self._node_room:
            self._node_room = nodes + nodes // 2
            self._order = ints(self._node_room)
            self._by_start = ints(self._node_room)
            self._copy = ints(self._node_room)
        return 0

    def count(self, predictions, references, rules, n_names):
        """Counts each pair of trees, or of runs of trees.

        Returns:
            An array each of: length, matched brackets, brackets of the reference and of the prediction,
            crossing brackets, words of the reference, correct tags, groups, words of the prediction; and for
            either side the first word without a tag, or -1.

        Args:
            predictions: The `FlatTrees` of the predictions.
            references: The `FlatTrees` of the references, with as many trees.
            rules: The `LabelRules` for all labels of both.
            n_names: How many names there are in the rules.
        """
        p: FlatTrees = predictions
        r: FlatTrees = references
        t: cython.Py_ssize_t
        n: cython.Py_ssize_t = p.n_trees
        columns = tuple([ints(n) for _ in range(_N_COLUMNS)])
        self._attach(p, r, n_names)
        self._rules = rules
        self._length, self._matched, self._n_ref, self._n_pred, self._crossing = columns[:5]
        self._words, self._tags, self._n_groups, self._predicted = columns[5:9]
        self._untagged_pred, self._untagged_ref = columns[9:]
        with cython.nogil:
            for t in range(n):
                self._count_pair(p, r, t, self._prediction, self._reference, self._rules)
        self._detach()
        return tuple([column[:n] for column in columns])

    def groups(self, predictions, references, rules, t: cython.Py_ssize_t):
        """The words of a pair that are kept, each with its group, and which groups are pairs of words.

        Returns:
            For the prediction and for the reference, an array of the numbers of kept words and one of
            their groups; and a byte for each group, 1 if it is two words that simply stand for each other.
        """
        p: FlatTrees = predictions
        r: FlatTrees = references
        self._attach(p, r, 0)
        self._rules = rules
        pred: Sentence = self._prediction
        ref: Sentence = self._reference
        self._read(p, r, t, pred, ref, self._rules)
        n_groups = self._group(p, r, t, pred, ref)
        found = (
            array("i", pred.place[: pred.n_words]),
            array("i", self._group_pred[: pred.n_words]),
            array("i", ref.place[: ref.n_words]),
            array("i", self._group_ref[: ref.n_words]),
            bytes(self._plain[:n_groups]),
        )
        self._detach()
        return found

    def _attach(self, p, r, n_names):
        words: cython.Py_ssize_t = max(self._prediction.attach(p), self._reference.attach(r))
        nodes: cython.Py_ssize_t = 0
        t: cython.Py_ssize_t
        for t in range(p.n_trees):
            nodes = max(nodes, p.node_offset[t + 1] - p.node_offset[t])
            nodes = max(nodes, r.node_offset[t + 1] - r.node_offset[t])
        self._reserve(words, nodes)
        self._brackets.reserve(words, n_names)
        return 0

    def _detach(self):
        self._rules = None
        self._prediction.text = self._reference.text = b" "
        return 0

    # ---- a pair --------------------------------------------------------------------------------

    def _count_pair(self, p, r, t, pred, ref, rules):
        self._read(p, r, t, pred, ref, rules)
        self._untagged_pred[t] = pred.untagged
        self._untagged_ref[t] = ref.untagged
        self._length[t] = ref.length
        self._words[t] = ref.n_words
        self._predicted[t] = pred.n_words
        if pred.untagged >= 0 or ref.untagged >= 0:
            return 0
        self._n_groups[t] = self._group(p, r, t, pred, ref)
        pred.find_brackets(p, t, rules)
        ref.find_brackets(r, t, rules)
        self._n_pred[t] = pred.n_brackets
        self._n_ref[t] = ref.n_brackets
        if pred.n_words == 0 or ref.n_words == 0:
            return 0
        if pred.n_words == self._n_groups[t] and ref.n_words == self._n_groups[t]:
            self._crossing[t] = self._brackets.count_crossing(pred, ref)
        else:
            self._regroup(pred, self._group_pred, self._n_groups[t])
            self._regroup(ref, self._group_ref, self._n_groups[t])
            self._crossing[t] = self._count_crossing(pred, ref, self._n_groups[t])
        self._matched[t] = self._brackets.match(pred, ref)
        self._tags[t] = self._count_tags(p, r, t, pred, ref, rules)
        return 0

    def _read(self, p, r, t, pred, ref, rules):
        pred.read_words(p, t, rules)
        ref.read_words(r, t, rules)
        if self._deletes_quotes:
            self._delete_quotes(p, t, pred, rules)
            self._delete_quotes(r, t, ref, rules)
        return 0

    def _delete_quotes(self, source, t, side, rules):
        word: cython.Py_ssize_t
        for word in range(side.n_all):
            if side.tag[word] >= 0 and side.is_quote(source, t, word, rules):
                side.gone[word] = _GONE_BY_LABEL
        side.number_words()
        return 0

    # ---- words ---------------------------------------------------------------------------------

    def _group(self, p, r, t, pred, ref):
        """Gives every kept word of both sides a group; returns how many there are."""
        a: cython.Py_ssize_t = pred.n_words
        b: cython.Py_ssize_t = ref.n_words
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        n: cython.int = 0
        left_pred: cython.Py_ssize_t = 0
        left_ref: cython.Py_ssize_t = 0
        if a == 0 or b == 0:
            for k in range(max(a, b)):
                self._plain[k] = True
                if a > 0:
                    self._group_pred[k] = k
                else:
                    self._group_ref[k] = k
            return max(a, b)
        for k in range(a):
            left_pred += self._letters(p, t, pred, k)
        for k in range(b):
            left_ref += self._letters(r, t, ref, k)
        while i < a and j < b:
            self._plain[n] = self._same_word(p, r, t, pred, ref, i, j) or (i + 1 == a and j + 1 == b)
            left_pred -= self._letters(p, t, pred, i)
            left_ref -= self._letters(r, t, ref, j)
            self._group_pred[i] = self._group_ref[j] = n
            while not self._plain[n]:
                if i + 1 == a or j + 1 == b:  # nothing can follow the group, so that it takes all there is
                    while i + 1 < a:
                        i += 1
                        self._group_pred[i] = n
                    while j + 1 < b:
                        j += 1
                        self._group_ref[j] = n
                    break
                if left_pred == left_ref or self._same_word(p, r, t, pred, ref, i + 1, j + 1):
                    break
                if left_pred > left_ref:
                    i += 1
                    left_pred -= self._letters(p, t, pred, i)
                    self._group_pred[i] = n
                else:
                    j += 1
                    left_ref -= self._letters(r, t, ref, j)
                    self._group_ref[j] = n
            i += 1
            j += 1
            n += 1
        while i < a or j < b:  # the rest of one side joins the last group
            self._plain[n - 1] = False
            if i < a:
                self._group_pred[i] = n - 1
                i += 1
            else:
                self._group_ref[j] = n - 1
                j += 1
        return n

    def _letters(self, source, t, side, k):
        """How many code points the kept word `k` has."""
        at: cython.Py_ssize_t = source.word_offset[t] + side.place[k]
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        for i in range(source.text_from[at], source.text_to[at]):
            if side.text[i] & 192 != 128:
                n += 1
        return n

    def _same_word(self, p, r, t, pred, ref, i, j):
        """Whether two kept words are the same but for case, or count as the same."""
        at: cython.Py_ssize_t = p.word_offset[t] + pred.place[i]
        ref_at: cython.Py_ssize_t = r.word_offset[t] + ref.place[j]
        lo: cython.Py_ssize_t = p.text_from[at]
        ref_lo: cython.Py_ssize_t = r.text_from[ref_at]
        length: cython.Py_ssize_t = p.text_to[at] - lo
        k: cython.Py_ssize_t = 0
        x: cython.int
        y: cython.int
        if self._brackets._same_word(p, r, at, ref_at, pred, ref):
            return True
        for k in range(min(length, r.text_to[ref_at] - ref_lo)):
            x = pred.text[lo + k]
            y = ref.text[ref_lo + k]
            if x >= 128 or y >= 128:
                with cython.gil:
                    return _folded(pred.text, lo, p.text_to[at]) == _folded(
                        ref.text, ref_lo, r.text_to[ref_at]
                    )
            if x != y and not (x ^ y == 32 and 97 <= (x | 32) <= 122):
                return False
        return length == r.text_to[ref_at] - ref_lo

    def _count_tags(self, p, r, t, pred, ref, rules):
        """How many words of the reference stand in the prediction's same group with the same tag."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        total: cython.int = 0
        for k in range(pred.n_words):
            self._used[k] = False
        for j in range(ref.n_words):
            while i < pred.n_words and self._group_pred[i] < self._group_ref[j]:
                i += 1
            k = i
            while k < pred.n_words and self._group_pred[k] == self._group_ref[j]:
                if (
                    not self._used[k]
                    and self._brackets._same(
                        rules.tag_names[ref.tag[ref.place[j]]], rules.tag_names[pred.tag[pred.place[k]]]
                    )
                    and self._brackets._same_word(
                        p, r, p.word_offset[t] + pred.place[k], r.word_offset[t] + ref.place[j], pred, ref
                    )
                ):
                    self._used[k] = True
                    total += 1
                    break
                k += 1
        return total

    # ---- brackets ------------------------------------------------------------------------------

    def _regroup(self, side, group, n_groups):
        """Counts the spans of brackets in groups, and sorts them as `BracketCounter.match` needs them.

        That is by end, and by start from the right where ends are equal; two stable passes.
        """
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t = side.n_brackets
        for i in range(n):
            side.start[i] = group[side.start[i]]
            side.end[i] = group[side.end[i] - 1] + 1
        for k in range(n_groups + 2):
            self._count[k] = 0
        for i in range(n):
            self._count[n_groups - side.start[i]] += 1
        for k in range(1, n_groups + 1):
            self._count[k] += self._count[k - 1]
        for i in range(n - 1, -1, -1):
            k = n_groups - side.start[i]
            self._count[k] -= 1
            self._by_start[self._count[k]] = i
        for k in range(n_groups + 2):
            self._count[k] = 0
        for i in range(n):
            self._count[side.end[i]] += 1
        for k in range(1, n_groups + 1):
            self._count[k] += self._count[k - 1]
        for i in range(n - 1, -1, -1):
            k = side.end[self._by_start[i]]
            self._count[k] -= 1
            self._order[self._count[k]] = self._by_start[i]
        self._permute(side.start, n)
        self._permute(side.end, n)
        self._permute(side.name, n)
        return 0

    def _permute(self, values, n):
        i: cython.Py_ssize_t
        for i in range(n):
            self._copy[i] = values[i]
        for i in range(n):
            values[i] = self._copy[self._order[i]]
        return 0

    def _count_crossing(self, pred, ref, n_groups):
        """How many brackets of the prediction cross one of the reference, be these nested or not.

        The tables have for each run of places whose length is a power of two the least start of the
        brackets that end there, and the greatest end of those that start there.
        """
        width: cython.Py_ssize_t = n_groups + 1
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        level: cython.Py_ssize_t
        lo: cython.Py_ssize_t
        hi: cython.Py_ssize_t
        at: cython.Py_ssize_t
        crossing: cython.int = 0
        for k in range(width):
            self._least[k] = n_groups + 1
            self._greatest[k] = -1
        for i in range(ref.n_brackets):
            self._least[ref.end[i]] = min(self._least[ref.end[i]], ref.start[i])
            self._greatest[ref.start[i]] = max(self._greatest[ref.start[i]], ref.end[i])
        level = 1
        while (1 << level) <= width:
            at = level * width
            for k in range(width - (1 << level) + 1):
                lo = at - width + k
                hi = lo + (1 << (level - 1))
                self._least[at + k] = min(self._least[lo], self._least[hi])
                self._greatest[at + k] = max(self._greatest[lo], self._greatest[hi])
            level += 1
        for i in range(pred.n_brackets):
            lo = pred.start[i] + 1
            hi = pred.end[i]
            if lo >= hi:
                continue
            level = 0
            while (2 << level) <= hi - lo:
                level += 1
            at = level * width
            hi -= 1 << level
            if (
                min(self._least[at + lo], self._least[at + hi]) < pred.start[i]
                or max(self._greatest[at + lo], self._greatest[at + hi]) > pred.end[i]
            ):
                crossing += 1
        return crossing


def _folded(text, lo, hi):
    return bytes(text[lo:hi]).decode("utf-8", "surrogatepass").lower()
