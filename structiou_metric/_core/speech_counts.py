"""SParseval's counts for pairs of utterances: equal brackets over aligned words, and equal dependencies.

Words get positions by the least-cost edit path between both sides (`EDIT`), by their places alone
(`POSITION`), or from outside (`GIVEN`). Two brackets are equal if their positions and their names are.
With `BAG` there are no positions and no brackets, and dependencies are compared in their order.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.bracket_counts import BracketCounter
    from cython.cimports.structiou_metric._core.dependencies import Dependencies, DependencyMatcher
    from cython.cimports.structiou_metric._core.edit_path import EditPath
    from cython.cimports.structiou_metric._core.flat import FlatTrees
    from cython.cimports.structiou_metric._core.heads import HeadFinder
    from cython.cimports.structiou_metric._core.utterance import LabelActions, Utterance
else:
    from .bracket_counts import BracketCounter
    from .dependencies import Dependencies, DependencyMatcher
    from .edit_path import EditPath
    from .flat import FlatTrees  # noqa: F401 (types)
    from .heads import HeadFinder
    from .utterance import LabelActions, Utterance  # noqa: F401

from .bracket_counts import SKIP_EMPTY
from .flat import ints

# How words get their positions.
EDIT, POSITION, BAG, GIVEN = 0, 1, 2, 3
_EDIT, _POSITION, _BAG, _GIVEN = 0, 1, 2, 3

# What became of a pair.
FINE, TO_BE_PLACED, NO_TAG, NO_HEAD = 0, 1, 2, 3
_FINE, _TO_BE_PLACED, _NO_TAG, _NO_HEAD = 0, 1, 2, 3

_N_COLUMNS = 10


class SpeechCounter:
    """Counts batches of pairs under one set of rules; two threads must not use it at once.

    Attributes:
        columns: The counts of each pair: equal brackets, those of the reference and of the prediction,
            crossing ones; equal dependencies, those of the reference and of the prediction; the same between
            open classes.
        reasons: The reason that kept each pair from being compared, or `FINE`; its columns then tell what
            either side has.
        n_words: How many kept words the prediction and the reference of each pair have, as two arrays.

    Args:
        mode: How words get positions: `EDIT`, `POSITION`, `BAG` or `GIVEN`.
        labeled: Whether names are compared.
        sames: Which classes of words count as the same.
        top_class: The class of the word that stands for the root.
        table: The `HeadTable`, or None to count no dependencies.
    """

    def __init__(self, mode, labeled, sames, top_class, table):
        self._mode = mode
        self._labeled = labeled
        self._top_class = top_class
        self._finds_heads = table is not None
        self._path = EditPath(sames)
        self._brackets = BracketCounter([], [], [], [], SKIP_EMPTY, False, False)
        self._pred, self._ref = Utterance(), Utterance()
        self._pred_heads, self._ref_heads = HeadFinder(table), HeadFinder(table)
        self._pred_deps, self._ref_deps = Dependencies(), Dependencies()
        self._matcher = DependencyMatcher(sames, labeled)
        self._room = -1
        self._reserve(0)

    def _reserve(self, words):
        if words > self._room:
            self._room = words + words // 2
            self._pred_list = ints(self._room)
            self._ref_list = ints(self._room)
            self._path.reserve(self._room)
            self._matcher.reserve(self._room)
            for deps in (self._pred_deps, self._ref_deps):
                own: Dependencies = deps
                own.reserve(self._room)
            for heads in (self._pred_heads, self._ref_heads):
                finder: HeadFinder = heads
                finder.reserve(self._room, self._room)
        return 0

    def begin(self, predictions, references, actions, n_names, pred_classes, ref_classes):
        """Takes a batch.

        Args:
            predictions: The `FlatTrees` of the predictions.
            references: The `FlatTrees` of the references, with as many trees.
            actions: The `LabelActions` for all labels of both.
            n_names: How many names there are.
            pred_classes: The class of each word of the predictions, as C ints.
            ref_classes: The class of each word of the references, as C ints.
        """
        n: cython.Py_ssize_t = predictions.n_trees
        items: cython.Py_ssize_t  # words and brackets
        self._p = predictions
        self._r = references
        self._actions = actions
        self._pred_classes = pred_classes
        self._ref_classes = ref_classes
        items = max(self._pred.attach(predictions), self._ref.attach(references))
        self._reserve(items)
        self._brackets.reserve(2 * items, n_names)
        self.columns = tuple([ints(n)[:n] for _ in range(_N_COLUMNS)])
        self.reasons = ints(n)[:n]
        self.n_words = ints(n)[:n], ints(n)[:n]

    def end(self):
        """Lets go of the batch."""
        self._p = self._r = None
        self._actions = None

    def count(self):
        """Counts every pair, but for those that are `TO_BE_PLACED`, whose columns are not filled yet."""
        t: cython.Py_ssize_t
        n: cython.Py_ssize_t = self._p.n_trees
        if n == 0:
            return
        self._hold()
        with cython.nogil:
            for t in range(n):
                if not self._read(t):
                    self._count_apart(t)
                elif self._place(t):
                    self._count_pair(t)
                else:
                    self._reasons[t] = _TO_BE_PLACED

    def _hold(self):
        """Keeps views of the columns."""
        self._match, self._gold, self._test, self._cross, self._head_match = self.columns[:5]
        self._head_gold, self._head_test, self._open_match, self._open_gold, self._open_test = self.columns[
            5:
        ]
        self._reasons = self.reasons
        self._pred_count, self._ref_count = self.n_words
        return 0

    # ---- one pair, for Python ------------------------------------------------------------------

    def words(self, t: cython.Py_ssize_t):
        """Reads a pair again; returns the numbers of its words in prediction and reference."""
        self._read(t)
        return self._pred.numbers(), self._ref.numbers()

    def count_placed(self, t: cython.Py_ssize_t, pred_spans, ref_spans, n_positions):
        """Counts the pair that `words` was called for, by the positions of its words.

        Args:
            t: The number of the pair.
            pred_spans: Where each word of the prediction begins and ends, as pairs.
            ref_spans: Where each word of the reference begins and ends, as pairs.
            n_positions: How many positions there are.
        """
        self._pred.put(pred_spans)
        self._ref.put(ref_spans)
        self._n_positions = n_positions
        if self._mode == _POSITION:
            self._delete_beside()
        self._reasons[t] = _FINE
        self._count_pair(t)

    def count_apart(self, t: cython.Py_ssize_t):
        """Counts what either side of a pair has that cannot be aligned."""
        self._read(t)
        self._count_apart(t)

    def untagged(self, t: cython.Py_ssize_t):
        """The numbers of words of a pair without tags, in prediction and reference; -1 for none."""
        self._read(t)
        return self._pred.untagged, self._ref.untagged

    def misfits(self, t: cython.Py_ssize_t):
        """The name of a bracket that no rule fits with those of its children, or None, for either side."""
        self._read(t)
        self._count_apart(t)
        self._reasons[t] = _NO_HEAD
        return self._pred_heads.misfit, self._ref_heads.misfit

    # ---- words ---------------------------------------------------------------------------------

    def _read(self, t):
        """Finds the words of both sides; False if some have no tags."""
        deletes_first: cython.bint = self._mode != _POSITION
        self._pred.read_words(self._p, t, self._actions, deletes_first)
        self._ref.read_words(self._r, t, self._actions, deletes_first)
        if self._ref.untagged >= 0 or self._pred.untagged >= 0:
            self._reasons[t] = _NO_TAG
            return False
        return True

    def _place(self, t):
        """Gives words their positions; False if that is to be done from outside."""
        k: cython.Py_ssize_t
        if self._mode == _GIVEN:
            return False
        if self._mode == _BAG:
            return True
        for k in range(self._pred.n_present):
            self._pred_list[k] = self._pred_classes[self._p.word_offset[t] + self._pred.number[k]]
        for k in range(self._ref.n_present):
            self._ref_list[k] = self._ref_classes[self._r.word_offset[t] + self._ref.number[k]]
        if self._mode == _EDIT:
            self._place_by_path()
            return True
        if self._pred.n_present > self._ref.n_present:
            return False
        for k in range(self._pred.n_present):
            if self._pred_list[k] != self._ref_list[k]:
                return False
        self._place_by_number()
        self._delete_beside()
        return True

    def _place_by_number(self):
        """Puts each word where its number in its own text says."""
        k: cython.Py_ssize_t
        for k in range(self._pred.n_present):
            self._pred.begin[k] = k
            self._pred.end[k] = k + 1
        for k in range(self._ref.n_present):
            self._ref.begin[k] = k
            self._ref.end[k] = k + 1
        self._n_positions = max(self._pred.n_present, self._ref.n_present)
        return 0

    def _place_by_path(self):
        """Puts both sides on the columns of a least-cost edit path."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t = 0
        partner: cython.Py_ssize_t
        at: cython.int = 0
        n: cython.Py_ssize_t = self._ref.n_present
        m: cython.Py_ssize_t = self._pred.n_present
        self._path.find(self._ref_list, 0, n, self._pred_list, 0, m)
        for i in range(n + 1):
            partner = self._path.partner[i] if i < n else m
            while j < partner:  # words of the prediction alone
                self._pred.begin[j] = at
                at += 1
                self._pred.end[j] = at
                j += 1
            if i == n:
                break
            self._ref.begin[i] = at
            self._ref.end[i] = at + 1
            if partner >= 0:
                self._pred.begin[j] = at
                self._pred.end[j] = at + 1
                j += 1
            at += 1
        self._n_positions = at
        return 0

    def _delete_beside(self):
        """Deletes words of the prediction beside words of the reference that are deleted."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t = 0
        for k in range(self._pred.n_present):
            while i < self._ref.n_present and self._ref.begin[i] < self._pred.begin[k]:
                i += 1
            if i < self._ref.n_present and self._ref.begin[i] == self._pred.begin[k] and self._ref.deleted[i]:
                self._pred.deleted[k] = True
        return 0

    # ---- counts --------------------------------------------------------------------------------

    def _count_pair(self, t):
        self._pred.keep()
        self._ref.keep()
        self._pred_count[t] = self._pred.n_kept
        self._ref_count[t] = self._ref.n_kept
        self._pred.find_brackets(self._p, t, self._actions)
        self._ref.find_brackets(self._r, t, self._actions)
        if self._mode != _BAG:
            self._pred.place_brackets(self._labeled)
            self._ref.place_brackets(self._labeled)
            self._pred.spans.n_words = self._ref.spans.n_words = self._n_positions
            self._test[t] = self._pred.n_brackets
            self._gold[t] = self._ref.n_brackets
            self._match[t] = self._brackets.match(self._pred.spans, self._ref.spans)
            self._cross[t] = self._brackets.count_crossing(self._pred.spans, self._ref.spans)
        if self._finds_heads:
            self._count_heads(t)
        return 0

    def _count_apart(self, t):
        """Counts a pair that cannot be compared, of which nothing matches."""
        self._place_by_number()
        self._count_pair(t)
        self._match[t] = self._cross[t] = self._head_match[t] = self._open_match[t] = 0
        return 0

    def _count_heads(self, t):
        bag: cython.bint = self._mode == _BAG
        fits: cython.bint = self._pred_heads.find(self._pred, self._actions)
        if fits:
            self._open_test[t] = self._pred_deps.fill(
                self._pred,
                self._pred_heads,
                self._actions,
                self._pred_classes,
                self._p.word_offset[t],
                self._top_class,
                bag,
            )
            self._head_test[t] = self._pred_deps.count
        if self._ref_heads.find(self._ref, self._actions):
            self._open_gold[t] = self._ref_deps.fill(
                self._ref,
                self._ref_heads,
                self._actions,
                self._ref_classes,
                self._r.word_offset[t],
                self._top_class,
                bag,
            )
            self._head_gold[t] = self._ref_deps.count
        else:
            fits = False
        if not fits:
            self._reasons[t] = _NO_HEAD
            return 0
        if bag:
            self._matcher.match_in_order(self._ref_deps, self._pred_deps)
        else:
            self._matcher.match_in_place(self._ref_deps, self._pred_deps)
        self._head_match[t] = self._matcher.n_matched
        self._open_match[t] = self._matcher.n_open
        return 0
