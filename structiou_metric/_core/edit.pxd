# C types of edit.py.

cimport cython
from structiou_metric._core.edit_candidates cimport EditCandidates
from structiou_metric._core.flat cimport FlatNodes
from structiou_metric._core.gap cimport Gap, Side
from structiou_metric._core.solver cimport Solver

cdef int _AUTO, _NO_PEEL, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE, _ROUNDS
cdef double _FIRST_EXCESS, _ROUNDING

@cython.final
cdef class TreeEditor:
    cdef double _rename
    cdef int _mode
    cdef readonly dict too_large
    cdef Gap _gap
    cdef EditCandidates _candidates
    cdef Solver _solver
    cdef FlatNodes _prediction, _reference
    cdef Py_ssize_t _nodes, _labels
    cdef int[::1] _kept, _tally
    cdef long long[::1] _seen_prediction, _seen_reference
    cdef long long _stamp

    cdef int _attach(self, Py_ssize_t nodes, Py_ssize_t labels) except -1
    cdef double _match(
        self, FlatNodes p, FlatNodes r, Py_ssize_t t, FlatNodes own_p, FlatNodes own_r
    ) except -1.0 nogil
    cdef int _note_labels(
        self, FlatNodes p, Py_ssize_t i0, Py_ssize_t i1, FlatNodes r, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef Py_ssize_t _copy(
        self, FlatNodes source, Py_ssize_t lo, Py_ssize_t hi, long long[::1] seen, FlatNodes out, Py_ssize_t to
    ) except -1 nogil
    cdef double _peel(
        self, FlatNodes p, FlatNodes r, Py_ssize_t n, Py_ssize_t m
    ) except -1.0 nogil
    cdef bint _equal(self, FlatNodes p, FlatNodes r, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef Py_ssize_t _common_trees(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1,
        Py_ssize_t equal,
    ) except -1 nogil
    cdef double _solve(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1.0 nogil
    cdef double _lower_bound(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1.0 nogil
    cdef double _solve_within(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1,
        double limit,
    ) except -1.0 nogil
    cdef int _load(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1,
        int mode, double limit,
    ) except -1 nogil
    cdef int _load_side(
        self, Side side, FlatNodes nodes, Py_ssize_t lo, Py_ssize_t hi, bint mirrored
    ) except -1 nogil
