# C types of _word_groups.py.

cimport cython
from structiou_metric._core.bracket_counts cimport BracketCounter
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.sentence cimport LabelRules, Sentence

cdef int _KEPT, _GONE_BY_LABEL

@cython.final
cdef class GroupCounter:
    cdef BracketCounter _brackets
    cdef bint _deletes_quotes
    cdef Sentence _prediction, _reference
    cdef LabelRules _rules
    cdef Py_ssize_t _word_room, _node_room, _level
    cdef int[::1] _group_pred, _group_ref, _count, _least, _greatest, _order, _by_start, _copy
    cdef unsigned char[::1] _plain, _used
    cdef int[::1] _length, _matched, _n_ref, _n_pred, _crossing
    cdef int[::1] _words, _tags, _n_groups, _predicted, _untagged_pred, _untagged_ref

    cdef int _reserve(self, Py_ssize_t words, Py_ssize_t nodes) except -1
    cdef int _attach(self, FlatTrees p, FlatTrees r, Py_ssize_t n_names) except -1
    cdef int _detach(self) except -1
    cdef int _count_pair(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref, LabelRules rules
    ) except -1 nogil
    cdef int _read(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref, LabelRules rules
    ) except -1 nogil
    cdef int _delete_quotes(
        self, FlatTrees source, Py_ssize_t t, Sentence side, LabelRules rules
    ) except -1 nogil
    cdef int _group(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref
    ) except -1 nogil
    cdef Py_ssize_t _letters(
        self, FlatTrees source, Py_ssize_t t, Sentence side, Py_ssize_t k
    ) except -1 nogil
    cdef bint _same_word(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref, Py_ssize_t i, Py_ssize_t j
    ) except -1 nogil
    cdef int _count_tags(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref, LabelRules rules
    ) except -1 nogil
    cdef int _regroup(self, Sentence side, int[::1] group, Py_ssize_t n_groups) except -1 nogil
    cdef int _permute(self, int[::1] values, Py_ssize_t n) except -1 nogil
    cdef int _count_crossing(self, Sentence pred, Sentence ref, Py_ssize_t n_groups) except -1 nogil
