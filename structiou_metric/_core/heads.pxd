# C types of heads.py.

cimport cython
from structiou_metric._core.utterance cimport LabelActions, Utterance

cdef int _TOP, _EDITED, _NONE

@cython.final
cdef class HeadTable:
    cdef int n_labels, _width
    cdef int[::1] _from
    cdef const unsigned char[::1] _left, _fits

    cdef bint has(self, Py_ssize_t rule, int name) noexcept nogil

@cython.final
cdef class HeadFinder:
    cdef HeadTable _table
    cdef Py_ssize_t _word_room, _item_room, _n_items, _next_word
    cdef bint _has_misfit
    cdef int _misfit_name
    cdef Py_ssize_t _misfit_from
    cdef int[::1] governor, outer, inner
    cdef int[::1] _first, _name, _head
    cdef unsigned char[::1] _is_edit

    cdef int reserve(self, Py_ssize_t words, Py_ssize_t brackets) except -1
    cdef bint find(self, Utterance side, LabelActions actions) except -1 nogil
    cdef int _push_words(self, Utterance side, LabelActions actions, Py_ssize_t until) except -1 nogil
    cdef int _push(self, int first, int name, int head, bint is_edit) except -1 nogil
    cdef int _depend(self, Py_ssize_t child, int governor, int name) except -1 nogil
    cdef Py_ssize_t _head_child(self, HeadTable table, Py_ssize_t base, int name) except -2 nogil
    cdef Py_ssize_t _first_fit(
        self, HeadTable table, Py_ssize_t rule, Py_ssize_t until, Py_ssize_t base
    ) except -2 nogil
