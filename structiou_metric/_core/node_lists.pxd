# C types of node_lists.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.scan cimport Scanner

cdef double _FAR

@cython.final
cdef class NodeLists:
    cdef Py_ssize_t _n_nodes, _n_words
    cdef bint _has_parents, _whole
    cdef const double[::1] _start, _end
    cdef const unsigned char[::1] _label_text, _word_text, _has_label, _has_word
    cdef const long long[::1] _label_at, _word_at, _parent
    cdef int[::1] _above, _first, _below
    cdef unsigned char[::1] _is_leaf
    cdef int _read_row(
        self, Py_ssize_t t, Py_ssize_t base, Py_ssize_t n, bint in_seconds, Py_ssize_t most_words,
        Scanner reader, FlatTrees out,
    ) except -1
    cdef int _add_word(
        self, Py_ssize_t word_base, double lo, double hi, Py_ssize_t at, FlatTrees out
    ) except -1
    cdef bint _spans_words(
        self, Py_ssize_t at, Py_ssize_t first, Py_ssize_t word_base, bint timed, FlatTrees out
    ) except -1
