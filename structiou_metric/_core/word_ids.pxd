# C types of word_ids.py.

cimport cython
from structiou_metric._core.interner cimport Interner

@cython.final
cdef class WordIds:
    cdef Interner _interner
    cdef readonly list names
