# C types of text_axis.py.

cimport cython
from structiou_metric._core.edit_path cimport EditPath
from structiou_metric._core.flat cimport FlatNodes, FlatTrees

cdef int _EQUAL, _PREDICTION_FIRST, _REFERENCE_FIRST, _NO_TEXT, _TOO_LONG

@cython.final
cdef class Kept:
    cdef FlatTrees trees
    cdef FlatNodes nodes
    cdef const long long[::1] offset, place
    cdef readonly object places
    cdef long long[::1] _places
    cdef Py_ssize_t n_places, n_units
    cdef Py_ssize_t _room
    cdef const int[::1] number
    cdef int[::1] unit, tag, word_tag, column

    cdef int reserve(self, Py_ssize_t units) except -1
    cdef bint has_empty_word(self, Py_ssize_t t) except -1 nogil
    cdef int list_words(self, Py_ssize_t t) except -1 nogil
    cdef Py_ssize_t read_units(
        self,
        Py_ssize_t t,
        Py_ssize_t at,
        const int[::1] spelled_from,
        const int[::1] spelled,
        const int[::1] classes,
    ) except -1 nogil
    cdef int move_nodes(self, Py_ssize_t t) except -1 nogil

@cython.final
cdef class TextAxis:
    cdef bint _by_character
    cdef EditPath _path
    cdef readonly Kept prediction, reference
    cdef readonly object state, columns
    cdef int[::1] _state, _same, _replaced, _only_prediction, _only_reference

    cdef int _compare(self, Kept p, Kept r, Py_ssize_t t) except -1 nogil
    cdef bint _is_same_run(self, Kept p, Kept r, Py_ssize_t t) except -1 nogil
    cdef int _place_pair(self, Kept p, Kept r, Py_ssize_t t) except -1 nogil
    cdef Py_ssize_t _set_columns(self, Kept first, Kept second, Py_ssize_t t) except -1 nogil
