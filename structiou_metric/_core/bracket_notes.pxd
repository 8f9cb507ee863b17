# C types of _bracket_notes.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.sentence cimport Sentence

@cython.final
cdef class BracketNotes:
    cdef Py_ssize_t _n_pred, _n_ref, _n_labels, _n_tags
    cdef int[::1] pred_ends, ref_ends, label_ends, tag_ends
    cdef int[::1] pred_labels, pred_flags, ref_labels, ref_flags
    cdef int[::1] label_ref, label_pred, tag_ref, tag_pred

    cdef int reserve(self, FlatTrees predictions, FlatTrees references) except -1
    cdef int finish(self, Py_ssize_t t) except -1 nogil
    cdef int note_tags(self, int ref, int pred) except -1 nogil
    cdef int note_unparsed(self, FlatTrees source, Py_ssize_t t, Sentence ref) except -1 nogil
    cdef int note_brackets(
        self, FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref
    ) except -1 nogil
