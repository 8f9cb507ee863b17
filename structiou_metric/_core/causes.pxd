# C types of causes.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes, FlatTrees
from structiou_metric._core.spans cimport Spans, find_twins

cdef int _NO_LOSS, _ATTACHMENT, _LABEL, _TAG, _UNARY, _MISSING, _EXTRA
cdef int _BLOCKED, _BOUNDARY, _TIMING, _FAILED, _N_CAUSES, _MOST_MOVED

@cython.final
cdef class Causes:
    cdef bint _flexible, _all_phrases, _timed
    cdef Spans _left, _right
    cdef FlatNodes _p, _r
    cdef FlatTrees _p_trees, _r_trees
    cdef const int[::1] _p_partner, _r_partner, _p_told, _r_told
    cdef const unsigned char[::1] _failed, _by_words
    cdef long long[::1] _p_words, _p_places, _r_words, _r_places
    cdef long long[::1] _seen
    cdef long long _stamp
    cdef Py_ssize_t _class_room
    cdef int _first_tile
    cdef int[::1] _head, _next
    cdef unsigned char[::1] p_cause, r_cause
    cdef double[::1] p_loss, r_loss
    cdef int[::1] p_other, r_other, p_site, r_site, p_other_site, r_other_site

    cdef int _compare(self, FlatNodes p, FlatNodes r, Py_ssize_t t, int[::1] rank) except? -1 nogil
    cdef Py_ssize_t _reserve_words(self, FlatTrees trees, Spans spans) except -1
    cdef int _reserve(self, words) except -1
    cdef int _explain_pair(
        self, FlatNodes p, FlatNodes r, Py_ssize_t t, Spans left, Spans right
    ) except -1 nogil
    cdef double _iou(self, FlatNodes p, FlatNodes r, Py_ssize_t i, Py_ssize_t j) except -1.0 nogil
    cdef int _note(self, bint on_left, Py_ssize_t i, int cause, Py_ssize_t other) except -1 nogil
    cdef int _note_site(
        self, bint on_left, Py_ssize_t i, Py_ssize_t site, Py_ssize_t other_site
    ) except -1 nogil
    cdef Py_ssize_t _place(
        self, FlatNodes p, FlatNodes r, Py_ssize_t t, Spans left, Spans right
    ) except -1 nogil
    cdef Py_ssize_t _merge_words(
        self, Py_ssize_t t, Py_ssize_t n, Py_ssize_t m, Spans left, Spans right
    ) except -1 nogil
    cdef int _explain_spans(self, Spans left, Spans right) except -1 nogil
    cdef bint _may_align(self, Spans own, Spans other, Py_ssize_t i, Py_ssize_t j) except -1 nogil
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
    cdef int _explain_side(self, Spans own, Spans other, bint on_left) except -1 nogil
    cdef int _explain_aligned(
        self, Spans own, Spans other, Py_ssize_t i, Py_ssize_t j, bint on_left
    ) except -1 nogil
    cdef int _note_tile(self, Spans own, Spans other, Py_ssize_t i, bint on_left) except -1 nogil
    cdef bint _is_moved(self, Spans own, Spans other, int low, int high) except -1 nogil
    cdef bint _is_moved_node(self, Spans own, Spans other, Py_ssize_t i) except -1 nogil
    cdef bint _may_be(self, Spans own, Spans other, Py_ssize_t i, Py_ssize_t j) except -1 nogil
    cdef bint _explain_by_move(self, Spans own, Spans other, Py_ssize_t i, bint on_left) except -1 nogil
    cdef int _explain_span_alone(self, Spans own, Spans other, Py_ssize_t i, bint on_left) except -1 nogil
    cdef int _begin_tile(self, Spans own, Py_ssize_t i, int place) except? -1 nogil
    cdef int _end_tile(self, Spans own, Py_ssize_t i, int place) except? -1 nogil
    cdef int _note_crossing(
        self, Spans own, Spans other, Py_ssize_t i, Py_ssize_t j, int tile, bint on_left
    ) except -1 nogil
    cdef int _find_smaller(self, Spans own, Spans other, Py_ssize_t i) except? -1 nogil
    cdef int _find_label(self, Spans own, Spans other, Py_ssize_t i, int top) except? -1 nogil
    cdef int _find_larger(self, Spans own, Spans other, Py_ssize_t i) except? -1 nogil
    cdef int _label_id(self, bint on_left, Py_ssize_t t, Py_ssize_t i) except? -1
