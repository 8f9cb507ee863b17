"""ParsEval's counts for pairs of trees, as EVALB makes them, in time that grows linearly with their size.

In postorder, brackets are sorted by end, and by start from right to left where ends are equal. So one merge
of both sides finds all brackets with equal spans.

Brackets of one tree with equal spans are nested in each other, so they are neighbours in postorder, with the
outermost last. EVALB takes the brackets of the reference from the outermost in, and for each the outermost
bracket of the prediction that fits and has no partner yet. The order matters if A is the same as B and B as
C, but A is not the same as C.

A bracket crosses a tree if the smallest bracket of the tree around its start, or around its end, is not
wholly inside it: of all brackets around a place, the smallest starts and ends closest to it.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.bracket_notes import BracketNotes
    from cython.cimports.structiou_metric._core.flat import FlatTrees
    from cython.cimports.structiou_metric._core.quotes import repair_quotes, repeat_quotes
    from cython.cimports.structiou_metric._core.sentence import Sentence, WordList
else:
    from .bracket_notes import BracketNotes
    from .flat import FlatTrees
    from .quotes import repair_quotes, repeat_quotes
    from .sentence import Sentence, WordList

from .flat import ints

# Status of a sentence, by the numbers that EVALB prints.
VALID, ERROR, SKIPPED, COUNTED = 0, 1, 2, 3
_VALID, _ERROR, _SKIPPED, _COUNTED = 0, 1, 2, 3

# The reason for the status.
FINE, EMPTY_PREDICTION, COUNTS_DIFFER, WORD_DIFFERS, NO_TAG_PREDICTION, NO_TAG_REFERENCE, WENT_ON = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
)
_FINE, _EMPTY, _COUNTS_DIFFER, _WORD_DIFFERS = 0, 1, 2, 3
_NO_TAG_PREDICTION, _NO_TAG_REFERENCE, _WENT_ON = 4, 5, 6

# Rules for a prediction without words.
SKIP_EMPTY, COUNT_EMPTY, COUNT_EMPTY_AS_SPMRL = 0, 1, 2
_SKIP_EMPTY, _COUNT_EMPTY, _COUNT_EMPTY_AS_SPMRL = 0, 1, 2

# Rules for quotes if the two sentences differ in length.
LEAVE_QUOTES, KEEP_QUOTES, REPEAT_QUOTES = 0, 1, 2
_KEEP_QUOTES, _REPEAT_QUOTES = 1, 2

_N_COLUMNS = 12


class BracketCounter:
    """Counts batches of pairs under one set of rules; two threads must not use it at once.

    Args:
        equals: For each of the first names, the names that count as the same, including itself. A later name
            is the same as itself only.
        deleted_words: Words that vanish, as bytes.
        lengthless_words: Words that do not count in the length.
        equal_words: Pairs of words that count as the same.
        when_empty: `SKIP_EMPTY`, `COUNT_EMPTY`, or `COUNT_EMPTY_AS_SPMRL`.
        quotes: The rule for quotes in sentences of different lengths: `LEAVE_QUOTES`, `KEEP_QUOTES` (see
            `quotes.repair_quotes`) or `REPEAT_QUOTES` (see `quotes.repeat_quotes`).
        go_on: Whether a reference of at most one word is counted even if the prediction has a different
            number of words; the reason is then `WENT_ON`.
        drops_trivial: Whether brackets over one word, or over all words, do not count.
    """

    def __init__(
        self,
        equals,
        deleted_words,
        lengthless_words,
        equal_words,
        when_empty,
        quotes,
        go_on,
        drops_trivial=False,
    ):
        self._n_equal = len(equals)
        self._equal_from = ints(len(equals) + 1)
        for i, names in enumerate(equals):
            self._equal_from[i + 1] = self._equal_from[i] + len(names)
        self._equal = array("i", [name for names in equals for name in names] or [0])
        self._equal_first = WordList([first for first, _ in equal_words])
        self._equal_second = WordList([second for _, second in equal_words])
        self._when_empty = when_empty
        self._quotes = quotes
        self._goes_on = go_on
        self._notes = False
        self._prediction = Sentence(deleted_words, lengthless_words, drops_trivial)
        self._reference = Sentence(deleted_words, lengthless_words, drops_trivial)
        self._word_room = self._name_room = -1
        self.reserve(0, 0)

    def reserve(self, words, names):
        if words > self._word_room:
            self._word_room = words + words // 2
            self._inner_start = ints(self._word_room + 1)
            self._inner_end = ints(self._word_room + 1)
            self._skip = ints(self._word_room + 1)
        if names > self._name_room:
            self._name_room = names + names // 2
            self._head = array("i", [-1]) * max(self._name_room, 1)
        return 0

    def count(self, predictions, references, rules, n_names, notes=None):
        """Count each pair of trees.

        Returns:
            Arrays with a number for each pair: length, status, matched brackets, brackets of the prediction
            and of the reference, crossing brackets, words, correct tags, brackets that match if labels are
            not compared; the reason for the status; and for either side the number of words, or the number of
            the word that differs or has no tag.

        Args:
            predictions: The `FlatTrees` of the predictions.
            references: The `FlatTrees` of the references, with the same number of trees.
            rules: The `LabelRules` for all labels of both.
            n_names: The number of names in the rules.
            notes: A `BracketNotes` that takes the result of each bracket, or None.
        """
        p: FlatTrees = predictions
        r: FlatTrees = references
        t: cython.Py_ssize_t
        n: cython.Py_ssize_t = p.n_trees
        columns = tuple([ints(n) for _ in range(_N_COLUMNS)])
        self._attach(p, r, n_names)
        self._rules = rules
        self._notes = notes is not None
        self._book = notes if self._notes else BracketNotes()
        if self._notes:
            self._book.reserve(p, r)
        self._length, self._status, self._matched, self._n_pred, self._n_ref, self._crossing = columns[:6]
        self._words, self._correct_tags, self._unlabeled = columns[6:9]
        self._reason, self._where_pred, self._where_ref = columns[9:]
        with cython.nogil:
            for t in range(n):
                self._count_pair(p, r, t, self._prediction, self._reference, self._rules)
                if self._notes:
                    self._book.finish(t)
        self._notes = False
        self._detach()
        return tuple([column[:n] for column in columns])

    def explain(self, predictions, references, rules, n_names, t: cython.Py_ssize_t):
        """Return the result of each word and bracket of one pair.

        Returns:
            For the prediction and for the reference: the numbers of the words that are kept; how many words
            are kept before each word and before the end; and by node of a bracket that counts, whether it has
            a partner.
        """
        p: FlatTrees = predictions
        r: FlatTrees = references
        i: cython.Py_ssize_t
        columns = tuple([ints(p.n_trees) for _ in range(_N_COLUMNS)])
        self._attach(p, r, n_names)
        self._rules = rules
        self._book = BracketNotes()
        self._book.reserve(p, r)
        self._length, self._status, self._matched, self._n_pred, self._n_ref, self._crossing = columns[:6]
        self._words, self._correct_tags, self._unlabeled = columns[6:9]
        self._reason, self._where_pred, self._where_ref = columns[9:]
        self._notes = True
        self._prediction.n_brackets = self._reference.n_brackets = 0
        self._count_pair(p, r, t, self._prediction, self._reference, self._rules)
        self._notes = False
        found = []
        for side in (self._prediction, self._reference):
            sentence: Sentence = side
            partners = {}
            if self._status[t] == _VALID:
                for i in range(sentence.n_brackets):
                    partners[sentence.node[i]] = sentence.partner[i] >= 0
            found.append(
                (
                    array("i", sentence.place[: sentence.n_words]),
                    array("i", sentence.rank[: sentence.n_all + 1]),
                    partners,
                )
            )
        self._detach()
        return found

    def _attach(self, p, r, n_names):
        words_pred: cython.Py_ssize_t = self._prediction.attach(p)
        words_ref: cython.Py_ssize_t = self._reference.attach(r)
        if self._quotes == _REPEAT_QUOTES:
            self._prediction.reserve_places(words_pred + words_ref)
            self._reference.reserve_places(words_pred + words_ref)
            self.reserve(words_pred + words_ref, n_names)
        else:
            self.reserve(max(words_pred, words_ref), n_names)
        return 0

    def _detach(self):
        self._rules = None
        self._prediction.text = self._reference.text = b" "
        return 0

    # ---- a pair --------------------------------------------------------------------------------

    def _count_pair(self, p, r, t, pred, ref, rules):
        reason: cython.int = _FINE
        k: cython.Py_ssize_t
        pred.read_words(p, t, rules)
        ref.read_words(r, t, rules)
        self._length[t] = ref.length
        if pred.untagged >= 0:
            return self._refuse(t, _NO_TAG_PREDICTION, pred.untagged, 0)
        if pred.n_words == 0 and (
            self._when_empty == _SKIP_EMPTY or (self._when_empty == _COUNT_EMPTY and ref.n_words == 0)
        ):
            self._status[t] = _SKIPPED
            self._reason[t] = _EMPTY
            return 0
        if ref.untagged >= 0:
            return self._refuse(t, _NO_TAG_REFERENCE, 0, ref.untagged)
        if pred.n_words == 0:
            return self._count_unparsed(r, t, ref, rules)
        if pred.n_words != ref.n_words and self._quotes == _KEEP_QUOTES:
            repair_quotes(p, r, t, pred, ref, rules)
        elif pred.n_words != ref.n_words and self._quotes == _REPEAT_QUOTES:
            repeat_quotes(p, r, t, pred, ref, rules)
        if pred.n_words != ref.n_words:
            if not self._goes_on or ref.n_words > 1:
                return self._refuse(t, _COUNTS_DIFFER, pred.n_words, ref.n_words)
            reason = _WENT_ON
        if self._find_difference(p, r, t, pred, ref):
            return self._refuse(
                t, _WORD_DIFFERS if reason == _FINE else _WENT_ON, self._at_pred, self._at_ref
            )
        self._reason[t] = reason
        self._where_pred[t] = pred.n_words
        self._where_ref[t] = ref.n_words
        pred.find_brackets(p, t, rules)
        ref.find_brackets(r, t, rules)
        self._n_pred[t] = pred.n_brackets
        self._n_ref[t] = ref.n_brackets
        self._matched[t] = self.match(pred, ref)
        self._unlabeled[t] = self._n_unlabeled
        self._crossing[t] = self.count_crossing(pred, ref)
        self._words[t] = ref.n_words
        self._correct_tags[t] = self._count_tags(pred, ref, rules)
        if self._notes:
            self._book.note_brackets(p, r, t, pred, ref)
            for k in range(ref.n_words):
                if not self._same(
                    rules.tag_names[ref.tag[ref.place[k]]], rules.tag_names[pred.tag[pred.place[k]]]
                ):
                    self._book.note_tags(ref.tag[ref.place[k]], pred.tag[pred.place[k]])
        return 0

    def _refuse(self, t, reason, where_pred, where_ref):
        self._status[t] = _ERROR
        self._reason[t] = reason
        self._where_pred[t] = where_pred
        self._where_ref[t] = where_ref
        return 0

    def _count_unparsed(self, source, t, ref, rules):
        """Count an empty prediction as one without brackets."""
        i: cython.Py_ssize_t
        total: cython.int = 0
        ref.find_brackets(source, t, rules)
        self._status[t] = _COUNTED
        self._reason[t] = _EMPTY
        self._n_ref[t] = ref.n_brackets
        self._words[t] = ref.n_words
        if self._when_empty == _COUNT_EMPTY_AS_SPMRL:
            for i in range(source.node_offset[t], source.node_offset[t + 1]):
                if source.size[i] > 1 and ref.rank[source.first[i]] < ref.rank[source.last[i]]:
                    total += rules.weights[source.label[i]]
            self._n_ref[t] = total
        if self._notes:
            self._book.note_unparsed(source, t, ref)
        return 0

    # ---- words ---------------------------------------------------------------------------------

    def _find_difference(self, p, r, t, pred, ref):
        """Return whether a word of the reference differs in the prediction; store both places."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for k in range(ref.n_words):
            i = p.word_offset[t] + pred.place[k]
            j = r.word_offset[t] + ref.place[k]
            if not self._same_word(p, r, i, j, pred, ref):
                self._at_pred = pred.place[k]
                self._at_ref = ref.place[k]
                return True
        return False

    def _same_word(self, p, r, i, j, pred, ref):
        lo: cython.Py_ssize_t = p.text_from[i]
        hi: cython.Py_ssize_t = p.text_to[i]
        ref_lo: cython.Py_ssize_t = r.text_from[j]
        ref_hi: cython.Py_ssize_t = r.text_to[j]
        k: cython.Py_ssize_t = 0
        if hi - lo == ref_hi - ref_lo:
            while k < hi - lo and pred.text[lo + k] == ref.text[ref_lo + k]:
                k += 1
            if k == hi - lo:
                return True
        for k in range(self._equal_first.count):
            if (
                self._equal_first.is_word(k, pred.text, lo, hi)
                and self._equal_second.is_word(k, ref.text, ref_lo, ref_hi)
            ) or (
                self._equal_second.is_word(k, pred.text, lo, hi)
                and self._equal_first.is_word(k, ref.text, ref_lo, ref_hi)
            ):
                return True
        return False

    def _count_tags(self, pred, ref, rules):
        """Return how many words have the same tag."""
        k: cython.Py_ssize_t
        total: cython.int = 0
        for k in range(ref.n_words):
            if self._same(rules.tag_names[ref.tag[ref.place[k]]], rules.tag_names[pred.tag[pred.place[k]]]):
                total += 1
        return total

    # ---- brackets ------------------------------------------------------------------------------

    def _same(self, a, b):
        """Return whether two names count as the same."""
        i: cython.Py_ssize_t
        if a == b:
            return True
        if a < self._n_equal:
            for i in range(self._equal_from[a], self._equal_from[a + 1]):
                if self._equal[i] == b:
                    return True
        return False

    def match(self, pred, ref):
        """Return how many brackets have a partner; set `_n_unlabeled` to those with a partner by span."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        i_end: cython.Py_ssize_t
        j_end: cython.Py_ssize_t
        start: cython.int
        end: cython.int
        matched: cython.int = 0
        self._n_unlabeled = 0
        if self._notes:
            for i in range(ref.n_brackets):
                ref.partner[i] = -1
            for j in range(pred.n_brackets):
                pred.partner[j] = -1
            i = j = 0
        while i < ref.n_brackets and j < pred.n_brackets:
            start = ref.start[i]
            end = ref.end[i]
            if end < pred.end[j] or (end == pred.end[j] and start > pred.start[j]):
                i += 1
                continue
            if end > pred.end[j] or start < pred.start[j]:
                j += 1
                continue
            i_end = i + 1
            while i_end < ref.n_brackets and ref.start[i_end] == start and ref.end[i_end] == end:
                i_end += 1
            j_end = j + 1
            while j_end < pred.n_brackets and pred.start[j_end] == start and pred.end[j_end] == end:
                j_end += 1
            self._n_unlabeled += min(i_end - i, j_end - j)
            if i_end - i == 1 and j_end - j == 1:
                if self._same(ref.name[i], pred.name[j]):
                    matched += 1
                    if self._notes:
                        ref.partner[i] = j
                        pred.partner[j] = i
            else:
                matched += self._match_chains(pred, ref, i, i_end, j, j_end)
            i = i_end
            j = j_end
        return matched

    def _match_chains(self, pred, ref, i, i_end, j, j_end):
        """Match the brackets over one span, and return how many have a partner.

        `_head` has for each name the outermost bracket without a partner, and `below` the next one further
        in.
        """
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t
        name: cython.int
        best: cython.int
        matched: cython.int = 0
        for k in range(j, j_end):
            name = pred.name[k]
            pred.below[k] = self._head[name]
            self._head[name] = k
        for k in range(i_end - 1, i - 1, -1):
            name = ref.name[k]
            best = self._head[name]
            if name < self._n_equal:
                for at in range(self._equal_from[name], self._equal_from[name + 1]):
                    best = max(best, self._head[self._equal[at]])
            if best >= 0:
                self._head[pred.name[best]] = pred.below[best]
                matched += 1
                if self._notes:
                    ref.partner[k] = best
                    pred.partner[best] = k
        for k in range(j, j_end):
            self._head[pred.name[k]] = -1
        return matched

    def count_crossing(self, pred, ref):
        """Return how many brackets of the prediction cross one of the reference.

        `_inner_start` and `_inner_end` are the smallest bracket of the reference around each place.
        """
        words: cython.int = max(pred.n_words, ref.n_words)
        i: cython.Py_ssize_t
        place: cython.int
        start: cython.int
        end: cython.int
        crossing: cython.int = 0
        for place in range(words + 1):
            self._inner_start[place] = -1
            self._inner_end[place] = words + 1
        for i in range(ref.n_brackets):  # inner brackets come first
            start = ref.start[i]
            end = ref.end[i]
            place = start + 1
            while place < end:
                if self._inner_start[place] >= 0:  # an inner bracket starts just before this place; skip it
                    place = self._skip[place]
                else:
                    self._inner_start[place] = start
                    self._inner_end[place] = end
                    place += 1
            if start + 1 < end:
                self._skip[start + 1] = end
        for i in range(pred.n_brackets):
            if self._inner_start[pred.end[i]] > pred.start[i] or self._inner_end[pred.start[i]] < pred.end[i]:
                crossing += 1
                if self._notes:
                    pred.crosses[i] = True
            elif self._notes:
                pred.crosses[i] = False
        return crossing
