# C types of pair_places.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes, FlatTrees
from structiou_metric._core.spans cimport Spans

@cython.final
cdef class PairPlaces:
    cdef bint _timed
    cdef Spans _spans
    cdef FlatTrees _p_trees, _r_trees
    cdef const unsigned char[::1] _by_words
    cdef long long[::1] _p_words, _p_places, _r_words, _r_places

    cdef int _compare(self, FlatNodes p, FlatNodes r, Py_ssize_t t, int[::1] rank) except? -1 nogil
    cdef Py_ssize_t _reserve_words(self, FlatTrees trees, Spans spans) except -1
    cdef int begin(self, FlatTrees prediction, FlatTrees reference, words, by_words) except -1
    cdef Py_ssize_t reserve(self, FlatNodes p, FlatNodes r, Spans left, Spans right) except -1
    cdef Py_ssize_t place(
        self, FlatNodes p, FlatNodes r, Py_ssize_t t, Spans left, Spans right
    ) except -1 nogil
    cdef Py_ssize_t _merge_words(
        self, Py_ssize_t t, Py_ssize_t n, Py_ssize_t m, Spans left, Spans right
    ) except -1 nogil
