# C types of tables.py.

cimport cython
from structiou_metric._core.chains cimport Chains
from structiou_metric._core.gap cimport Gap, Side

cdef double INFINITY

@cython.final
cdef class Tables:
    cdef Chains _chains
    cdef double cells_left
    cdef Py_ssize_t _room, _cell_room
    cdef long long _stamp
    cdef int[::1] _above, _newest, _group_u, _group_v, _group_at
    cdef long long[::1] _group_stamp, _row_of
    cdef double[::1] _below, _cells

    cdef int _reserve(self, Py_ssize_t n) except -1
    cdef int _reserve_cells(self, Py_ssize_t n) except -1
    cdef double cost(self, Gap gap) except -1.0 nogil
    cdef double solve(self, Gap gap) except -1.0 nogil
    cdef double _visit_groups(self, Gap gap, Side rows, Side columns, bint count_only) except -1.0 nogil
    cdef double _table(
        self, Gap gap, Side rows, Side columns, Py_ssize_t a, Py_ssize_t b, Py_ssize_t u_last,
        Py_ssize_t v_last, bint whole,
    ) except -1.0 nogil
    cdef int _sort_groups(self, Py_ssize_t groups) except -1 nogil
    cdef int _solve_row(
        self, Gap gap, Py_ssize_t k, Py_ssize_t k_end, Py_ssize_t b, Py_ssize_t current
    ) except -1 nogil
    cdef Py_ssize_t _first_at_least(
        self, Gap gap, Py_ssize_t k, Py_ssize_t end, Py_ssize_t v
    ) except -1 nogil
