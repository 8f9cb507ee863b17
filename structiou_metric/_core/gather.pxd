# C types of gather.py.

from structiou_metric._core.flat cimport FlatNodes

cdef extern from *:
    """
    #define structiou_copy(out, at, source, begin, n, kind) \
        memcpy((kind *) (out).data + (at), (const kind *) (source).data + (begin), (size_t) (n) * sizeof(kind))
    #define structiou_copy_ints(out, at, source, begin, n) structiou_copy(out, at, source, begin, n, int)
    #define structiou_copy_longs(out, at, source, begin, n) \
        structiou_copy(out, at, source, begin, n, PY_LONG_LONG)
    #define structiou_copy_doubles(out, at, source, begin, n) \
        structiou_copy(out, at, source, begin, n, double)
    """
    void _copy_ints "structiou_copy_ints" (
        int[::1] out, Py_ssize_t at, const int[::1] source, Py_ssize_t begin, Py_ssize_t n
    ) noexcept nogil
    void _copy_longs "structiou_copy_longs" (
        long long[::1] out, Py_ssize_t at, const long long[::1] source, Py_ssize_t begin, Py_ssize_t n
    ) noexcept nogil
    void _copy_doubles "structiou_copy_doubles" (
        double[::1] out, Py_ssize_t at, const double[::1] source, Py_ssize_t begin, Py_ssize_t n
    ) noexcept nogil

cdef Py_ssize_t _end_of_run(const long long[::1] place, Py_ssize_t t, Py_ssize_t n) noexcept nogil
cdef int _borrow(FlatNodes nodes, Py_ssize_t tree, Py_ssize_t n, object classes, FlatNodes out) except -1
