# C types of gap.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes

cdef Py_ssize_t _MANY, _CANDIDATE_SIZE, _WIDE
cdef double _SHORTER, INFINITY
cpdef int check_memory(Py_ssize_t size) except -1

@cython.final
cdef class Side:
    cdef Py_ssize_t n, n_folded, n_inside, slots
    cdef int[::1] label, size, open, close, leaf, origin, whole, twin, folded
    cdef double[::1] start, end
    cdef int[::1] _taken, _taken_twin, _order, _stack

    cdef int take(
        self, FlatNodes nodes, Py_ssize_t lo, Py_ssize_t hi, int[::1] twin, Py_ssize_t base, bint folds
    ) except -1 nogil
    cdef int load(self, FlatNodes nodes, bint mirrored) except -1 nogil
    cdef int _order_nodes(self, FlatNodes nodes, bint mirrored) except -1 nogil

@cython.final
cdef class Gap:
    cdef bint flexible
    cdef double min_iou, cells_left
    cdef FlatNodes prediction, reference
    cdef Side rows, columns
    cdef bint swapped
    cdef Py_ssize_t n_candidates
    cdef long long[::1] row
    cdef int[::1] column, column_open, column_close
    cdef double[::1] value
    cdef unsigned char[::1] done
    cdef Py_ssize_t _n_labels
    cdef int[::1] _next, _label_head, _twin, _sorted, _jump, _label_from
    cdef long long[::1] _label_seen
    cdef long long _label_stamp

    cdef int attach(self, FlatNodes prediction, FlatNodes reference) except -1
    cdef int find_twins(
        self, FlatNodes p, FlatNodes r, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef int take(
        self, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1, bint folds, bint swapped
    ) except -1 nogil
    cdef bint is_folded(self) noexcept nogil
    cdef int load(self, bint mirrored) except -1 nogil
    cdef int reserve(self, Py_ssize_t n) except -1
    cdef int _keep_unfolded(
        self, FlatNodes nodes, Py_ssize_t i, Py_ssize_t base, Py_ssize_t other_base
    ) except -1 nogil
    cdef int _find_candidates(self, Side rows, Side columns) except -1 nogil
    cdef int _find_overlapping(self, Side rows, Side columns) except -1 nogil
    cdef int _sort_columns(self, Side columns) except -1 nogil
    cdef Py_ssize_t _visit_overlapping(
        self, Side rows, Side columns, Py_ssize_t u, bint store
    ) except -1 nogil
    cdef int _add_candidate(self, Side rows, Side columns, Py_ssize_t u, Py_ssize_t v) except -1 nogil
