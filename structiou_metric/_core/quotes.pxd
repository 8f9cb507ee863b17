# C types of _quotes.py.

from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.sentence cimport LabelRules, Sentence

cdef int _KEPT, _GONE_BY_LABEL, _UNWANTED

cdef int repair_quotes(
    FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref, LabelRules rules
) except -1 nogil
cdef int repeat_quotes(
    FlatTrees p, FlatTrees r, Py_ssize_t t, Sentence pred, Sentence ref, LabelRules rules
) except -1 nogil
