# C types of bracket_counts.py.

cimport cython
from structiou_metric._core.bracket_notes cimport BracketNotes
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.sentence cimport LabelRules, Sentence, WordList

cdef int _VALID, _ERROR, _SKIPPED, _COUNTED
cdef int _FINE, _EMPTY, _COUNTS_DIFFER, _WORD_DIFFERS, _NO_TAG_PREDICTION, _NO_TAG_REFERENCE, _WENT_ON
cdef int _SKIP_EMPTY, _COUNT_EMPTY, _COUNT_EMPTY_AS_SPMRL
cdef int _KEEP_QUOTES, _REPEAT_QUOTES

@cython.final
cdef class BracketCounter:
    cdef BracketNotes _book
    cdef Py_ssize_t _n_equal
    cdef int[::1] _equal_from, _equal
    cdef WordList _equal_first, _equal_second
    cdef int _when_empty, _quotes, _n_unlabeled
    cdef bint _goes_on, _notes
    cdef Sentence _prediction, _reference
    cdef LabelRules _rules
    cdef Py_ssize_t _word_room, _name_room, _at_pred, _at_ref
    cdef int[::1] _inner_start, _inner_end, _skip, _head
    cdef int[::1] _length, _status, _matched, _n_pred, _n_ref, _crossing
    cdef int[::1] _words, _correct_tags, _unlabeled, _reason, _where_pred, _where_ref

    cdef int reserve(self, Py_ssize_t words, Py_ssize_t names) except -1
    cdef int _attach(self, FlatTrees p, FlatTrees r, Py_ssize_t n_names) except -1
    cdef int _detach(self) except -1
    cdef int _count_pair(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref, LabelRules rules
    ) except -1 nogil
    cdef int _refuse(
        self, Py_ssize_t t, int reason, Py_ssize_t where_pred, Py_ssize_t where_ref
    ) except -1 nogil
    cdef int _count_unparsed(
        self, FlatTrees source, Py_ssize_t t, Sentence ref, LabelRules rules
    ) except -1 nogil
    cdef bint _find_difference(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref
    ) except -1 nogil
    cdef bint _same_word(
        self, FlatTrees p, FlatTrees r, Py_ssize_t i, Py_ssize_t j, Sentence pred, Sentence ref
    ) except -1 nogil
    cdef int _count_tags(self, Sentence pred, Sentence ref, LabelRules rules) except -1 nogil
    cdef bint _same(self, int a, int b) except -1 nogil
    cdef int match(self, Sentence pred, Sentence ref) except -1 nogil
    cdef int _match_chains(
        self, Sentence pred, Sentence ref, Py_ssize_t i, Py_ssize_t i_end, Py_ssize_t j, Py_ssize_t j_end
    ) except -1 nogil
    cdef int count_crossing(self, Sentence pred, Sentence ref) except -1 nogil
