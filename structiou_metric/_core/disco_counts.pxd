# C types of disco_counts.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees

cdef int _DELETED, _TRACE

@cython.final
cdef class DiscoSide:
    cdef Py_ssize_t n_words, n_brackets, _node_room, _word_room
    cdef int[::1] label, low, high
    cdef int[::1] tag, place, kept, before

    cdef int reserve(self, Py_ssize_t nodes, Py_ssize_t words) except -1
    cdef bint load(self, FlatTrees source, Py_ssize_t t, const unsigned char[::1] kinds) except -1 nogil
    cdef int find_brackets(
        self, FlatTrees source, Py_ssize_t t, unsigned char[::1] gone, const unsigned char[::1] kinds,
        const int[::1] classes,
    ) except -1 nogil

@cython.final
cdef class DiscoCounter:
    cdef DiscoSide _prediction, _reference
    cdef unsigned char[::1] _gone
    cdef int[::1] _open
    cdef Py_ssize_t _matched, _unlabeled, _n_words, _correct

    cdef int _reserve(self, FlatTrees source, DiscoSide side) except -1
    cdef bint _load(
        self, FlatTrees p, FlatTrees r, DiscoSide pred, DiscoSide ref, Py_ssize_t t,
        const unsigned char[::1] kinds, const int[::1] deleted, bint some_deleted,
    ) except -1 nogil
    cdef int _match(self, DiscoSide pred, DiscoSide ref) except -1 nogil
    cdef int _count_tags(self, DiscoSide pred, DiscoSide ref, const int[::1] classes) except -1 nogil
