# C types of scan.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.interner cimport Interner

cdef int _WORD, _CHAR, _TIME
cdef int _UNCLOSED, _EXTRA_CLOSE, _TEXT_OUTSIDE, _SECOND_TREE
cdef int _NO_TIME, _NOT_FINITE, _REVERSED, _OVERLAP
cdef int _OTHER, _SPACE, _OPEN, _CLOSE
cdef unsigned long long _MASK

@cython.final
cdef class Scanner:
    cdef public bint several
    cdef readonly list labels
    cdef const unsigned char[::1] _text, _widths, _kinds
    cdef const double[::1] _powers
    cdef Interner _interner
    cdef Py_ssize_t _stack_room
    cdef long long[::1] _open_at
    cdef int[::1] _open_label, _open_word, _open_node
    cdef bint _is_number

    cdef int _grow_stack(self) except -1
    cdef int _scan_tree(
        self, Py_ssize_t lo, Py_ssize_t hi, int unit, FlatTrees out, Py_ssize_t t
    ) except -1 nogil
    cdef int _fail(self, FlatTrees out, Py_ssize_t t, int code, Py_ssize_t at) except -1 nogil
    cdef int _place_words(
        self, Py_ssize_t base, Py_ssize_t words, int unit, FlatTrees out, Py_ssize_t t
    ) except -1 nogil
    cdef int _read_times(self, Py_ssize_t word, FlatTrees out) except -1 nogil
    cdef double _number(self, Py_ssize_t lo, Py_ssize_t hi) except? -1.0 nogil
    cdef double _number_by_float(self, Py_ssize_t lo, Py_ssize_t hi) except? -1.0
    cdef Py_ssize_t _written_length(self, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
    cdef int _is_escape(self, Py_ssize_t pos) except -1 nogil
