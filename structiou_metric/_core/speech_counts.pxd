# C types of speech_counts.py.

cimport cython
from structiou_metric._core.bracket_counts cimport BracketCounter
from structiou_metric._core.dependencies cimport Dependencies, DependencyMatcher
from structiou_metric._core.edit_path cimport EditPath
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.heads cimport HeadFinder
from structiou_metric._core.utterance cimport LabelActions, Utterance

cdef int _EDIT, _POSITION, _BAG, _GIVEN
cdef int _FINE, _TO_BE_PLACED, _NO_TAG, _NO_HEAD

@cython.final
cdef class SpeechCounter:
    cdef int _mode, _top_class
    cdef bint _labeled, _finds_heads
    cdef EditPath _path
    cdef BracketCounter _brackets
    cdef Utterance _pred, _ref
    cdef HeadFinder _pred_heads, _ref_heads
    cdef Dependencies _pred_deps, _ref_deps
    cdef DependencyMatcher _matcher
    cdef FlatTrees _p, _r
    cdef LabelActions _actions
    cdef const int[::1] _pred_classes, _ref_classes
    cdef Py_ssize_t _room, _n_positions
    cdef int[::1] _pred_list, _ref_list
    cdef readonly tuple columns, n_words
    cdef readonly object reasons
    cdef int[::1] _match, _gold, _test, _cross, _head_match, _head_gold, _head_test
    cdef int[::1] _open_match, _open_gold, _open_test, _reasons, _pred_count, _ref_count

    cdef int _reserve(self, Py_ssize_t words) except -1
    cdef int _hold(self) except -1
    cdef bint _read(self, Py_ssize_t t) except -1 nogil
    cdef bint _place(self, Py_ssize_t t) except -1 nogil
    cdef int _place_by_number(self) except -1 nogil
    cdef int _place_by_path(self) except -1 nogil
    cdef int _delete_beside(self) except -1 nogil
    cdef int _count_pair(self, Py_ssize_t t) except -1 nogil
    cdef int _count_apart(self, Py_ssize_t t) except -1 nogil
    cdef int _count_heads(self, Py_ssize_t t) except -1 nogil
