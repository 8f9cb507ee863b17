# C types of dependencies.py.

cimport cython
from structiou_metric._core.edit_path cimport Sames
from structiou_metric._core.heads cimport HeadFinder
from structiou_metric._core.utterance cimport LabelActions, Utterance

cdef int _CLOSES, _TOP, _EDITED, _NOTHING

@cython.final
cdef class Dependencies:
    cdef Py_ssize_t count, _room
    cdef int[::1] word, governor, outer, inner, place
    cdef unsigned char[::1] is_open

    cdef int reserve(self, Py_ssize_t words) except -1
    cdef int fill(
        self,
        Utterance side,
        HeadFinder heads,
        LabelActions actions,
        const int[::1] classes,
        Py_ssize_t base,
        int top_class,
        bint keeps_headless,
    ) except -1 nogil

@cython.final
cdef class DependencyMatcher:
    cdef Sames _sames
    cdef bint _labeled
    cdef Py_ssize_t _room
    cdef int[::1] _value, _open
    cdef int n_matched, n_open

    cdef int reserve(self, Py_ssize_t words) except -1
    cdef bint is_same(self, Dependencies a, Dependencies b, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef int match_in_place(self, Dependencies a, Dependencies b) except -1 nogil
    cdef int match_in_order(self, Dependencies a, Dependencies b) except -1 nogil
