# C types of spans.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes, FlatTrees

@cython.final
cdef class Spans:
    cdef Py_ssize_t n, base
    cdef Py_ssize_t _node_room, _place_room, _word_room
    cdef int[::1] label, size, low, high, above, parent, partner, match, twin, before, next_common
    cdef unsigned char[::1] leaf, phrase
    cdef int[::1] inside, cover, first_common, _open
    cdef int[::1] rank, word_low, word_high

    cdef int reserve(self, Py_ssize_t nodes, Py_ssize_t places) except -1
    cdef int reserve_words(self, Py_ssize_t words) except -1
    cdef int load(self, FlatNodes nodes, FlatTrees trees, Py_ssize_t t, bint all_phrases) except -1 nogil
    cdef int rank_words(
        self, FlatTrees trees, Py_ssize_t t, long long[::1] offset, long long[::1] place
    ) except -1 nogil
    cdef int place_by_words(self, FlatNodes nodes, FlatTrees trees, Py_ssize_t t) except -1 nogil
    cdef int place_by_text(self, FlatNodes nodes) except -1 nogil
    cdef int find_parents(self) except -1 nogil
    cdef int index_places(self, Py_ssize_t places) except -1 nogil
    cdef int _find_innermost(self, int[::1] found, int within) except -1 nogil
    cdef bint is_same(self, Spans other, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef bint is_chain(self, Py_ssize_t i) except -1 nogil
    cdef bint is_common(self, Py_ssize_t i) except -1 nogil

@cython.locals(low=int, high=int, order=int, first=Py_ssize_t, other_first=Py_ssize_t)
cdef int find_twins(Spans left, Spans right) except -1 nogil
