# C types of node_counts.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes

cdef Py_ssize_t _largest(
    FlatNodes nodes, long long[::1] offset, int[::1] left, int[::1] right
) except -1

@cython.final
cdef class NodeList:
    cdef Py_ssize_t n, n_roots, _node_room, _name_room
    cdef int[::1] name, left, right
    cdef long long[::1] _seen
    cdef long long _stamp

    cdef int reserve(self, Py_ssize_t nodes, Py_ssize_t names) except -1
    cdef int fill(
        self, FlatNodes nodes, Py_ssize_t t, int[::1] names, int[::1] words, int[::1] lefts,
        int[::1] rights, Py_ssize_t lo, Py_ssize_t hi, int filler, bint distinct,
    ) except -1 nogil
    cdef int _add_word(self, int name, int left, int right, int filler, bint distinct) except -1 nogil
    cdef int _add(self, int name, int left, int right, bint distinct) except -1 nogil

@cython.final
cdef class NodeCounter:
    cdef bint _distinct
    cdef NodeList _prediction, _reference
    cdef Py_ssize_t _name_room
    cdef int[::1] _tally

    cdef int _reserve(self, Py_ssize_t names) except -1
    cdef int _match(self, NodeList pred, NodeList ref) except -1 nogil
