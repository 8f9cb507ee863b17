# C types of loss_notes.py.

cimport cython
from structiou_metric._core.flat cimport FlatNodes, FlatTrees

cdef int _ATTACHMENT, _LABEL, _TAG, _N_CAUSES

@cython.final
cdef class LossNotes:
    cdef FlatNodes _nodes
    cdef FlatTrees _trees
    cdef unsigned char[::1] cause
    cdef double[::1] loss
    cdef int[::1] other, site, other_site

    cdef int begin(self, FlatNodes nodes, FlatTrees trees) except -1
    cdef int note(self, Py_ssize_t i, int cause, Py_ssize_t other) except -1 nogil
    cdef int note_site(self, Py_ssize_t i, Py_ssize_t site, Py_ssize_t other_site) except -1 nogil
    cdef int add_to(self, sums, skip) except -1
    cdef list confused(self, Py_ssize_t t, LossNotes facing)
    cdef int _label_id(self, Py_ssize_t t, Py_ssize_t i) except? -1
    cdef list lost(self, LossNotes facing)
