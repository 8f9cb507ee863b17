# C types of row_checks.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.scan cimport eight_bytes

cdef int _WORDS, _BOUNDARIES, _TIMED, _APART, _SCALED, _MOVED, _LABELS
cdef int _CLASSES, _DROPPED, _IN_PREDICTION, _IN_REFERENCE
cdef double _SCALE, _STEP, _SLACK
cdef int _WORD, _TIME
cdef Py_ssize_t _SKETCH
cdef unsigned long long _MASK, _OFFSET, _PRIME, _MULTIPLIER

cdef int _have_equal_bytes(
    FlatTrees p, FlatTrees r, Py_ssize_t at, Py_ssize_t other, Py_ssize_t size
) except -1 nogil

@cython.final
cdef class RowChecks:
    cdef const unsigned char[::1] _marks, _special
    cdef Py_ssize_t _room
    cdef long long[::1] _pred, _ref
    cdef long long[::1] _seen  # by group of labels, the last pair whose prediction has it
    cdef long long _pair
    cdef int _doubt
    cdef bint _unsure

    cdef int _reserve(self, Py_ssize_t words) except -1
    cdef int _marks_in(self, FlatTrees source, Py_ssize_t t, const unsigned char[::1] marks) except -1 nogil
    cdef int _share_label(self, FlatTrees p, FlatTrees r, Py_ssize_t t, const int[::1] group) except -1 nogil
    cdef int _compare_times(self, FlatTrees p, FlatTrees r, Py_ssize_t t) except -1 nogil
    cdef int _has_equal_words(self, FlatTrees p, FlatTrees r, Py_ssize_t t) except -1 nogil
    cdef int _is_equal(self, FlatTrees p, FlatTrees r, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef int _differs(self, FlatTrees p, FlatTrees r, Py_ssize_t t, int unit) except -1 nogil
    cdef Py_ssize_t _keep(self, FlatTrees source, Py_ssize_t t, long long[::1] kept) except -1 nogil
    cdef int _has_equal_text(self, FlatTrees p, FlatTrees r, Py_ssize_t n_pred, Py_ssize_t n_ref) except -1 nogil
    cdef double _extent(self, FlatTrees source, long long[::1] kept, Py_ssize_t n) except? -1.0 nogil
    cdef int _is_special(self, FlatTrees source, Py_ssize_t i) except -1 nogil
