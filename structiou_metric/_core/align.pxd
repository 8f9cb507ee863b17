# C types of align.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes
from structiou_metric._core.gap cimport INFINITY, Gap
from structiou_metric._core.solver cimport Solver
from structiou_metric._core.trace cimport Trace

cdef int _AUTO, _NO_PEEL, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE

@cython.final
cdef class Aligner:
    cdef FlatNodes prediction, reference
    cdef readonly Py_ssize_t n_refused
    cdef readonly dict too_large
    cdef double _min_iou, _max_cells
    cdef bint _flexible, _unsolved
    cdef int _mode
    cdef Gap _gap
    cdef Solver _solver
    cdef Trace _trace
    cdef Py_ssize_t _nodes, _labels
    cdef long long[::1] _tasks, _seen_prediction, _seen_reference
    cdef long long _stamp

    cdef int _attach(self, FlatNodes p, FlatNodes r, bint trace) except -1
    cdef int _give_up(self, Py_ssize_t t, error, bint trace) except -1
    cdef double _iou(self, FlatNodes p, FlatNodes r, Py_ssize_t i, Py_ssize_t j) except -1.0 nogil
    cdef double _align(
        self, FlatNodes p, FlatNodes r, Py_ssize_t t, bint trace, double max_cells
    ) except? -1.0 nogil
    cdef Py_ssize_t _push(
        self, Py_ssize_t height, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef double _peel(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1,
        bint trace,
    ) except -1.0 nogil
    cdef bint _equal(self, FlatNodes p, FlatNodes r, Py_ssize_t i, Py_ssize_t j) noexcept nogil
    cdef Py_ssize_t _close_gap(
        self, FlatNodes p, FlatNodes r, Py_ssize_t height, Py_ssize_t i0, Py_ssize_t i1,
        Py_ssize_t j0, Py_ssize_t j1,
    ) except -1 nogil
    cdef bint _splice(
        self, FlatNodes nodes, Py_ssize_t lo, Py_ssize_t hi, long long[::1] seen
    ) except -1 nogil
    cdef double _solve_gap(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1,
        bint trace,
    ) except -1.0 nogil
