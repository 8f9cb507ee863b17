# C types of utterance.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.sentence cimport Sentence

cdef int _EMPTIES, _DELETES, _EDITS

@cython.final
cdef class LabelActions:
    cdef const unsigned char[::1] marks
    cdef const int[::1] names
    cdef int top
    cdef bint counts_top, closes_top

@cython.final
cdef class Utterance:
    cdef Sentence spans
    cdef Py_ssize_t _word_room, _node_room
    cdef int[::1] _state, _present_before, _all_tags, _plain_from, _plain_until
    cdef int[::1] number, tag, edited, begin, end, kept_before, kept
    cdef unsigned char[::1] deleted, is_edit
    cdef int[::1] first, last, name
    cdef Py_ssize_t n_present, n_kept, n_brackets, n_below_root
    cdef Py_ssize_t untagged

    cdef int _reserve(self, Py_ssize_t words, Py_ssize_t nodes) except -1
    cdef Py_ssize_t attach(self, trees) except -1
    cdef int read_words(
        self, FlatTrees source, Py_ssize_t t, LabelActions actions, bint deletes_first
    ) except -1 nogil
    cdef int keep(self) except -1 nogil
    cdef int find_brackets(self, FlatTrees source, Py_ssize_t t, LabelActions actions) except -1 nogil
    cdef Py_ssize_t _add_edits(self, Py_ssize_t run, Py_ssize_t until) except -1 nogil
    cdef int _add(self, Py_ssize_t lo, Py_ssize_t hi, int name, bint is_edit) except -1 nogil
    cdef int place_brackets(self, bint labeled) except -1 nogil
    cdef numbers(self)
    cdef int put(self, spans) except -1
