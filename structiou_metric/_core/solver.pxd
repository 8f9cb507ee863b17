# C types of solver.py.

cimport cython
from structiou_metric._core.chains cimport Chains
from structiou_metric._core.flat cimport FlatNodes
from structiou_metric._core.gap cimport INFINITY, Gap, Side
from structiou_metric._core.spine cimport Spine

cdef int _AUTO, _NO_PEEL, _LEFT, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE, _CHAINS
cdef Py_ssize_t _CANDIDATE_CELLS, _CHAIN_CELLS
cdef double _MANY_CELLS, _SPINE_GAIN

@cython.final
cdef class Solver:
    cdef Py_ssize_t _n
    cdef bint always_chains
    cdef Chains chains
    cdef Spine _spine
    cdef double _side_cells, _left, _right
    cdef int[::1] _mark, _above, _newest, _group_u, _group_v, _group_at
    cdef long long[::1] _group_stamp, _row_of
    cdef long long _stamp
    cdef double[::1] _below, _cells

    cdef int choose_side(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef bint is_large(self) noexcept nogil
    cdef int choose_layer(self, Gap gap, int mode) except -1 nogil
    cdef double solve(self, Gap gap, int mode) except -1.0 nogil
    cdef bint chain_pays(
        self, Gap gap, Py_ssize_t u_first, Py_ssize_t u_last, Py_ssize_t v_first, Py_ssize_t v_last,
        Py_ssize_t cells,
    ) except -1 nogil
    cdef int _weigh(self, FlatNodes nodes, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
    cdef double _visit_groups(self, Gap gap, Side rows, Side columns, bint count_only) except -1.0 nogil
    cdef int _sort_groups(self, Py_ssize_t groups) except -1 nogil
    cdef double _table(
        self, Gap gap, Side rows, Side columns, Py_ssize_t a, Py_ssize_t b, Py_ssize_t u_last,
        Py_ssize_t v_last, bint whole,
    ) except -1.0 nogil
    cdef int _solve_row(
        self, Gap gap, Py_ssize_t k, Py_ssize_t k_end, Py_ssize_t b, Py_ssize_t current
    ) except -1 nogil
    cdef Py_ssize_t _first_at_least(
        self, Gap gap, Py_ssize_t k, Py_ssize_t end, Py_ssize_t v
    ) except -1 nogil
