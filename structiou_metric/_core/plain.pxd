# C types of plain.py.

cimport cython

cdef double _FAR

@cython.final
cdef class _Postorder:
    cdef list labels, sizes, firsts, lasts, words, starts, ends
    cdef Py_ssize_t n_timed
    cdef int word(self, object text, object start, object end) except -1
    cdef int close(self, object label, Py_ssize_t first, Py_ssize_t below) except -1

cdef double _place(object value) except? -1.0
cdef int _is_off(object value, double place) except -1
