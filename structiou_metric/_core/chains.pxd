# C types of chains.py.

cimport cython
from structiou_metric._core.gap cimport Gap, Side

cdef Py_ssize_t _CANDIDATE_COST

@cython.final
cdef class Chains:
    cdef Py_ssize_t cost
    cdef long long[::1] before
    cdef int[::1] row_of
    cdef bint _has_rows, _has_columns, _by_column, _always
    cdef int[::1] _row_above, _column_above, _newest
    cdef long long[::1] _from, _to, _column_at, _in_column, _best_pair
    cdef double[::1] _total, _best, _below

    cdef int forget(self) except -1 nogil
    cdef bint pay(
        self, Gap gap, Py_ssize_t u_first, Py_ssize_t u_last, Py_ssize_t v_first, Py_ssize_t v_last,
        Py_ssize_t cells,
    ) except -1 nogil
    cdef double solve(
        self, Gap gap, Py_ssize_t u_first, Py_ssize_t u_last, Py_ssize_t v_first, Py_ssize_t v_last,
        bint whole,
    ) except -1.0 nogil
    cdef Py_ssize_t link(
        self, Gap gap, Py_ssize_t u_first, Py_ssize_t u_last, Py_ssize_t v_first, Py_ssize_t v_last
    ) except -2 nogil
    cdef int _list_rows(self, Gap gap, Side rows, Side columns) except -1 nogil
    cdef int _list_columns(self, Gap gap, Side columns) except -1 nogil
    cdef int _find_above(self, Side side, int[::1] above) except -1 nogil
    cdef Py_ssize_t _above(self, Py_ssize_t node) except -2 nogil
    cdef Py_ssize_t _pair(self, Py_ssize_t p) except -1 nogil
    cdef Py_ssize_t _partner(self, Gap gap, Py_ssize_t p) except -1 nogil
    cdef Py_ssize_t _first_at_least(
        self, Gap gap, Py_ssize_t p, Py_ssize_t end, Py_ssize_t partner
    ) except -1 nogil
    cdef Py_ssize_t _find_range(
        self, Gap gap, Py_ssize_t node, Py_ssize_t first, Py_ssize_t last
    ) except -1 nogil
    cdef double _sweep(
        self, Gap gap, Side lead, Side other, Py_ssize_t lead_first, Py_ssize_t lead_last,
        Py_ssize_t other_first, Py_ssize_t other_last, bint whole,
    ) except -1.0 nogil
    cdef int _look_up(
        self, Gap gap, Side other, Py_ssize_t leaf, Py_ssize_t last, Py_ssize_t b, bint first
    ) except -1 nogil
    cdef int _solve_node(self, Gap gap, Side other, Py_ssize_t node, Py_ssize_t b) except -1 nogil
    cdef double _best_up_to(self, Py_ssize_t y) except -1.0 nogil
    cdef int _raise(self, Py_ssize_t y, Py_ssize_t width, double total) except -1 nogil
    cdef Py_ssize_t _sweep_links(
        self, Gap gap, Side lead, Side other, Py_ssize_t lead_first, Py_ssize_t lead_last,
        Py_ssize_t other_first, Py_ssize_t other_last,
    ) except -2 nogil
    cdef int _look_up_links(
        self, Gap gap, Side other, Py_ssize_t leaf, Py_ssize_t last, Py_ssize_t b
    ) except -1 nogil
    cdef Py_ssize_t _best_pair_up_to(self, Gap gap, Side rows, Py_ssize_t y) except -2 nogil
    cdef int _raise_pair(
        self, Gap gap, Side rows, Py_ssize_t y, Py_ssize_t width, Py_ssize_t k
    ) except -1 nogil
    cdef bint _is_better(self, Gap gap, Side rows, Py_ssize_t k, Py_ssize_t old) except -1 nogil
