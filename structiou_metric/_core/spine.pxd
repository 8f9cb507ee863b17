# C types of spine.py.

cimport cython
from structiou_metric._core.gap cimport Gap, Side

@cython.final
cdef class Spine:
    cdef int[::1] _heavy, _path, _order, _x_open, _x_close, _stack
    cdef unsigned char[::1] _is_top, _has_node
    cdef int[::1] _open, _close, _kept, _column_stack, _at_cell
    cdef int[::1] _by_open, _next_by_open, _by_close, _next_by_close
    cdef double[::1] _inside, _grid, _cells

    cdef double cost(self, Side rows, Side columns) except -1.0 nogil
    cdef double solve(self, Gap gap) except -1.0 nogil
    cdef double _solve(self, Gap gap, Side rows, Side columns) except -1.0 nogil
    cdef Py_ssize_t _choose_heavy(self, Side rows, Py_ssize_t lo, Py_ssize_t hi) except -2 nogil
    cdef double _climb(self, Gap gap, Side rows, Py_ssize_t top, bint whole) except -1.0 nogil
    cdef Py_ssize_t _restrict(self, Side columns, double start, double end, bint whole) except -1 nogil
    cdef int _solve_node(self, Gap gap, Py_ssize_t u, Py_ssize_t slots) except -1 nogil
    cdef int _add_node(self, Gap gap, Py_ssize_t u, Py_ssize_t slots) except -1 nogil
    cdef int _prefix_maximum(self, Py_ssize_t cell, Py_ssize_t last) except -1 nogil
    cdef int _slot_up(self, Side rows, Py_ssize_t i, Py_ssize_t u) except -1 nogil
    cdef int _add_right(
        self, Gap gap, Side rows, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t slots
    ) except -1 nogil
    cdef int _add_left(
        self, Gap gap, Side rows, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t slots
    ) except -1 nogil
    cdef Py_ssize_t _order_mirrored(self, Side rows, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
