# C types of solver.py.

cimport cython
from structiou_metric._core.chains cimport Chains
from structiou_metric._core.flat cimport FlatNodes
from structiou_metric._core.gap cimport Gap
from structiou_metric._core.spine cimport Spine
from structiou_metric._core.tables cimport INFINITY, Tables

cdef int _AUTO, _NO_PEEL, _LEFT, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE
cdef Py_ssize_t _CANDIDATE_CELLS
cdef double _MANY_CELLS, _SPINE_GAIN

@cython.final
cdef class Solver:
    cdef Chains _chains
    cdef Tables _tables
    cdef Spine _spine
    cdef double _cells, _left, _right
    cdef Py_ssize_t _room
    cdef int[::1] _mark

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef int choose_side(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef bint is_large(self) noexcept nogil
    cdef int choose_layer(self, Gap gap, int mode) except -1 nogil
    cdef int allow(self, double max_cells) except -1 nogil
    cdef double solve(self, Gap gap, int mode) except -1.0 nogil
    cdef int _weigh(self, FlatNodes nodes, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
