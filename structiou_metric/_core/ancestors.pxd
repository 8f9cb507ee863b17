# C types of ancestors.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes

cdef int _BEGINS, _ENDS

@cython.final
cdef class Ways:
    cdef Py_ssize_t n, _node_room, _word_room
    cdef int[::1] item, _above, _lowest, _skip

    cdef int reserve(self, Py_ssize_t nodes, Py_ssize_t words) except -1
    cdef int attach(self, FlatNodes nodes, Py_ssize_t t, Py_ssize_t words) except -1 nogil
    cdef int walk(self, FlatNodes nodes, Py_ssize_t t, Py_ssize_t word) except -1 nogil

@cython.final
cdef class AncestorScorer:
    cdef Ways _prediction, _reference
    cdef Py_ssize_t _room
    cdef int[::1] _row

    cdef int _reserve(self, Py_ssize_t n) except -1
    cdef bint _is_same(self, FlatNodes p, FlatNodes r, Py_ssize_t t) except -1 nogil
    cdef double _score(
        self, FlatNodes p, FlatNodes r, Py_ssize_t t, Ways pred, Ways ref
    ) except -1.0 nogil
    cdef Py_ssize_t _distance(
        self, int[::1] a, Py_ssize_t n, int[::1] b, Py_ssize_t m
    ) except -1 nogil
