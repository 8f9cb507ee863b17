# C types of sentence.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees

cdef int _DELETED, _NO_LENGTH, _QUOTE
cdef int _KEPT, _GONE_BY_LABEL, _GONE_BY_TEXT

@cython.final
cdef class WordList:
    cdef Py_ssize_t count
    cdef const unsigned char[::1] _text
    cdef int[::1] _from, _to

    cdef bint has(self, const unsigned char[::1] text, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
    cdef bint is_word(
        self, Py_ssize_t i, const unsigned char[::1] text, Py_ssize_t lo, Py_ssize_t hi
    ) except -1 nogil

@cython.final
cdef class LabelRules:
    cdef const unsigned char[::1] marks
    cdef const int[::1] names, tag_names, weights
    cdef int wrapper

@cython.final
cdef class Sentence:
    cdef Py_ssize_t _word_room, _place_room, _node_room
    cdef bint _drops_trivial, repeats
    cdef WordList _deleted_words, _lengthless_words
    cdef const unsigned char[::1] text
    cdef int[::1] tag, rank, place, extra
    cdef unsigned char[::1] gone, crosses
    cdef int[::1] start, end, name, below, node, partner
    cdef Py_ssize_t n_all, n_words, n_brackets, untagged
    cdef int length

    cdef int reserve(self, Py_ssize_t words, Py_ssize_t nodes) except -1
    cdef int reserve_places(self, Py_ssize_t words) except -1
    cdef Py_ssize_t attach(self, trees) except -1
    cdef int read_words(self, FlatTrees source, Py_ssize_t t, LabelRules rules) except -1 nogil
    cdef int number_words(self) except -1 nogil
    cdef bint is_quote(
        self, FlatTrees source, Py_ssize_t t, Py_ssize_t word, LabelRules rules
    ) except -1 nogil
    cdef int find_brackets(self, FlatTrees source, Py_ssize_t t, LabelRules rules) except -1 nogil
