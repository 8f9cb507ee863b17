# C types of causes.py.

cimport cython
from structiou_metric._core.attachments cimport Attachments
from structiou_metric._core.flat cimport FlatNodes, FlatTrees
from structiou_metric._core.pair_places cimport PairPlaces
from structiou_metric._core.spans cimport Spans, find_twins

cdef int _NO_LOSS, _ATTACHMENT, _LABEL, _TAG, _UNARY, _MISSING, _EXTRA
cdef int _BLOCKED, _BOUNDARY, _TIMING, _FAILED, _N_CAUSES

@cython.final
cdef class LossNotes:
    cdef FlatNodes _nodes
    cdef FlatTrees _trees
    cdef unsigned char[::1] cause
    cdef double[::1] loss
    cdef int[::1] other

    cdef int begin(self, FlatNodes nodes, FlatTrees trees) except -1
    cdef int note(self, Py_ssize_t i, int cause, Py_ssize_t other) except -1 nogil
    cdef int add_to(self, sums, skip) except -1
    cdef list confused(self, Py_ssize_t t, LossNotes facing)
    cdef int _label_id(self, Py_ssize_t t, Py_ssize_t i) except? -1
    cdef list lost(self, LossNotes facing)

@cython.final
cdef class Causes:
    cdef bint _flexible, _all_phrases
    cdef PairPlaces _places
    cdef Attachments _attachments
    cdef Spans _left, _right
    cdef LossNotes _left_notes, _right_notes
    cdef FlatNodes _p, _r
    cdef FlatTrees _p_trees, _r_trees
    cdef const int[::1] _p_partner, _r_partner, _p_word_partner, _r_word_partner
    cdef const unsigned char[::1] _failed, _by_words
    cdef long long[::1] _seen
    cdef long long _stamp
    cdef Py_ssize_t _class_room
    cdef int[::1] _head, _next

    cdef int _reserve(self) except -1
    cdef int _explain_pair(
        self, FlatNodes p, FlatNodes r, Py_ssize_t t, Spans left, Spans right
    ) except -1 nogil
    cdef double _iou(self, FlatNodes p, FlatNodes r, Py_ssize_t i, Py_ssize_t j) except -1.0 nogil
    cdef int _explain_spans(self, Spans left, Spans right) except -1 nogil
    cdef bint _is_free(self, Spans own, Py_ssize_t i, Py_ssize_t low, Py_ssize_t high) except -1 nogil
    cdef int _explain_span(
        self, Spans left, Spans right, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef int _match(self, Spans left, Spans right, Py_ssize_t i, Py_ssize_t j, int cause) except -1 nogil
    cdef int _find_blocked(
        self, Spans left, Spans right, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef int _find_blocked_leaves(
        self, Spans left, Spans right, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef int _pair_rest(
        self, Spans left, Spans right, Py_ssize_t i0, Py_ssize_t i1, Py_ssize_t j0, Py_ssize_t j1
    ) except -1 nogil
    cdef bint _is_left_over(self, Spans own, Py_ssize_t i) except -1 nogil
    cdef int _explain_side(
        self, Spans own, Spans other, LossNotes notes, const int[::1] partner, int alone
    ) except -1 nogil
    cdef bint _explain_by_attachment(
        self, Spans own, Spans other, Py_ssize_t i, LossNotes notes, bint may_cross
    ) except -1 nogil
