# C types of trace.py.

cimport cython
from structiou_metric._core.gap cimport Gap, Side
from structiou_metric._core.solver cimport Solver

@cython.final
cdef class Trace:
    cdef Py_ssize_t n_pairs
    cdef int[::1] prediction, reference
    cdef Py_ssize_t _found_row
    cdef int[::1] _todo, _last_at
    cdef double[::1] _cells

    cdef int add(self, Py_ssize_t prediction, Py_ssize_t reference) except -1 nogil
    cdef int add_gap(self, Gap gap, Solver solver) except -1 nogil
    cdef int _add_gap(self, Gap gap, Solver solver, Side rows, Side columns) except -1 nogil
    cdef Py_ssize_t _add_forest(
        self, Gap gap, Solver solver, Side rows, Side columns, Py_ssize_t todo, Py_ssize_t u_end,
        Py_ssize_t v_end, Py_ssize_t a, Py_ssize_t b, Py_ssize_t x_last, Py_ssize_t y_last,
    ) except -1 nogil
    cdef int _fill(
        self, Gap gap, Side rows, Side columns, Py_ssize_t u_end, Py_ssize_t v_end, Py_ssize_t a,
        Py_ssize_t b, Py_ssize_t x_last, Py_ssize_t y_last,
    ) except -1 nogil
    cdef Py_ssize_t _find(
        self, Gap gap, Side rows, Py_ssize_t u_end, Py_ssize_t v_end, Py_ssize_t a, Py_ssize_t b, Py_ssize_t x,
        Py_ssize_t y, Py_ssize_t stride,
    ) except -1 nogil
    cdef Py_ssize_t _add_candidate(self, Gap gap, Py_ssize_t todo, Py_ssize_t u, Py_ssize_t k) except -1 nogil
    cdef int _add(self, Gap gap, Py_ssize_t u, Py_ssize_t v) except -1 nogil
    cdef int _add_done(self, Gap gap, Py_ssize_t u, Py_ssize_t k) except -1 nogil
