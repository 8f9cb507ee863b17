# C types of select.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes, FlatTrees

cdef int _DROP_ROOT, _DROP_LEAF

@cython.final
cdef class Selector:
    cdef Py_ssize_t _room
    cdef unsigned char[::1] _dropped
    cdef int[::1] _word_rank, _kept
    cdef double[::1] _start, _end
    cdef const unsigned char[::1] _action
    cdef const int[::1] _class

    cdef int _reserve(self, Py_ssize_t size) except -1
    cdef int _select_solid(
        self, FlatTrees source, Py_ssize_t t, bint exclude, bint close_up, bint drops_leaves, FlatNodes out
    ) except -1 nogil
    cdef int _select_tree(
        self, FlatTrees source, Py_ssize_t t, bint exclude, bint close_up, bint drops_leaves, FlatNodes out
    ) except -1 nogil
    cdef int _mark_dropped_words(self, FlatTrees source, Py_ssize_t t) except -1 nogil
    cdef Py_ssize_t _place_words(
        self, FlatTrees source, Py_ssize_t t, Py_ssize_t words, bint some_dropped, bint close_up
    ) except -1 nogil
    cdef Py_ssize_t _drop_roots(self, FlatNodes out, Py_ssize_t to, Py_ssize_t count) except -1 nogil
    cdef int _exclude_terminals(self, FlatNodes out, Py_ssize_t to, Py_ssize_t count) except -1 nogil
    cdef int _move(self, FlatNodes out, Py_ssize_t i, Py_ssize_t to) except -1 nogil
