# C types of edit_candidates.py.

cimport cython
from structiou_metric._core.gap cimport Gap, Side

cdef Py_ssize_t _MANY, _CANDIDATE_SIZE

@cython.final
cdef class EditCandidates:
    cdef double _rename, _rename_weight
    cdef bint _renames
    cdef int[::1] _row_depth, _column_depth, _next, _diagonal_at, _diagonal_run, _label_head
    cdef long long[::1] _label_seen
    cdef long long _label_stamp

    cdef int find(self, Gap gap, double limit) except -1 nogil
    cdef int _find(self, Gap gap, Side rows, Side columns, double limit) except -1 nogil
    cdef int _find_depths(self, Side side, int[::1] depth) except -1 nogil
    cdef int _visit(
        self, Gap gap, Side rows, Side columns, double limit, Py_ssize_t reach, bint store
    ) except -1 nogil
    cdef int _list_labels(self, Side columns) except -1 nogil
    cdef int _try(
        self, Gap gap, Side rows, Side columns, Py_ssize_t u, Py_ssize_t v, double limit, bint store
    ) except -1 nogil
