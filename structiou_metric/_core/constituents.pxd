# C types of constituents.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees

cdef Py_ssize_t _SLOTS

@cython.final
cdef class Constituents:
    cdef readonly Py_ssize_t n_trees
    cdef readonly list keys, key_documents
    cdef readonly object odd
    cdef Py_ssize_t _n_nodes
    cdef dict _numbers
    cdef unsigned long long[::1] _slot_key
    cdef int[::1] _slot_number
    cdef int[::1] _label, _size, _first, _last, _document, _start, _end, _above, _below
    cdef long long[::1] _node_offset, _word_from, _word_to
    cdef const int[::1] _span_start, _span_end
    cdef const unsigned long long[::1] _key
    cdef const long long[::1] _token_offset, _words_before
    cdef int _read(self, Py_ssize_t d, Py_ssize_t lo, Py_ssize_t hi) except -1
    cdef int _close(self, Py_ssize_t d, Py_ssize_t depth) except -1
    cdef int _number_of(self, unsigned long long key, Py_ssize_t d) except -1
    cdef int _copy(
        self, Py_ssize_t number, const int[::1] label_id, const double[::1] place, FlatTrees out
    ) except -1
