# C types of trial.py.

cimport cython
from structiou_metric._core.align cimport Aligner
from structiou_metric._core.flat cimport FlatNodes

@cython.final
cdef class Trial:
    cdef Aligner _aligner
    cdef FlatNodes _prediction, _reference
    cdef double[::1] _low, _high
    cdef int[::1] _open, _opened
    cdef Py_ssize_t _room, _n_classes

    cdef int _fill(self, FlatNodes nodes, list firsts, list lasts, list labels) except -1
    cdef Py_ssize_t _close(
        self, FlatNodes nodes, Py_ssize_t i, Py_ssize_t at, list firsts, list lasts, list labels
    ) except -1
