# C types of layout.py.

from structiou_metric._core.scan cimport eight_bytes

cdef extern from *:
    """
    static CYTHON_INLINE Py_ssize_t structiou_find_line_end(const char *text, Py_ssize_t at, Py_ssize_t size) {
        const char *end = (const char *) memchr(text + at, '\\n', (size_t) (size - at));
        return end ? (Py_ssize_t) (end - text) : size;
    }
    #define structiou_line_end(text, at, size) structiou_find_line_end((const char *) (text).data, at, size)
    """
    Py_ssize_t _line_end "structiou_line_end" (
        const unsigned char[::1] text, Py_ssize_t at, Py_ssize_t size
    ) noexcept nogil

cdef unsigned long long _equal(unsigned long long eight, unsigned long long others) noexcept nogil
cdef Py_ssize_t _count(unsigned long long marks) noexcept nogil
cdef bint _is_gap(const unsigned char[::1] text, Py_ssize_t pos, Py_ssize_t end) noexcept nogil
