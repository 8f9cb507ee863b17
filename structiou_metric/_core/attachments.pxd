# C types of attachments.py.

cimport cython
from structiou_metric._core.spans cimport Spans

cdef int _MOST_MOVED

@cython.final
cdef class Attachments:
    cdef bint _flexible

    cdef bint may_align(self, Spans own, Spans other, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef bint differ_by_moves(self, Spans own, Spans other, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef int find_counterpart(self, Spans own, Spans other, Py_ssize_t i) except? -1 nogil
    cdef int find_crossing(self, Spans own, Spans other, Py_ssize_t i) except? -1 nogil
    cdef bint _is_moved(self, Spans own, Spans other, int low, int high) except -1 nogil
    cdef bint _is_moved_node(self, Spans own, Spans other, Py_ssize_t i) except -1 nogil
    cdef bint _may_be(self, Spans own, Spans other, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef int _find_smaller(self, Spans own, Spans other, Py_ssize_t i) except? -1 nogil
    cdef int _find_label(self, Spans own, Spans other, Py_ssize_t i, int top) except? -1 nogil
    cdef bint _is_below(self, Spans own, Spans other, Py_ssize_t j) except -1 nogil
    cdef int _find_larger(self, Spans own, Spans other, Py_ssize_t i) except? -1 nogil
