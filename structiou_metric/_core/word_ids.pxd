# C types of word_ids.py.

cimport cython
from structiou_metric._core.interner cimport Interner

cdef unsigned long long _MASK

@cython.final
cdef class WordIds:
    cdef Interner _interner
    cdef readonly list names
