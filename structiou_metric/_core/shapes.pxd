# C types of shapes.py.

cimport cython

@cython.final
cdef class Builder:
    cdef readonly list labels, words
    cdef list _sizes, _firsts, _lasts, _times, _open
    cdef Py_ssize_t _untimed
    cpdef open(self, object label)
    cpdef word(self, object text, object times=*)
    cpdef close(self)

@cython.final
cdef class _Spans:
    cdef list labels, starts, ends, words
    cdef Py_ssize_t n, n_worded
    cdef bint whole
    cdef double[::1] start, end
    cdef int add(self, object label, object start, object end, object word) except -1
    cdef int place(self) except -1
    cdef nest(self)
    cdef bint is_preorder(self, object parents) except -1
    cdef name(self, Py_ssize_t i)

cdef _enter_object(Builder out, object node)
cdef _enter_dict(Builder out, object node)
cdef _children_of(object node)
cdef _text_of(object leaf)
cdef _times_of(object leaf)
cdef int _check_numbers(object start, object end, object where, object i) except -1
cdef int _add_texts(Builder out, list texts, double place, double limit) except -1
