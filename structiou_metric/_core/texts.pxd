# C types of texts.py.

cdef extern from *:
    """
    static CYTHON_INLINE PY_LONG_LONG structiou_ascii_place(PyObject *text) {
    #if CYTHON_COMPILING_IN_CPYTHON && !CYTHON_COMPILING_IN_LIMITED_API
        if (PyUnicode_IS_COMPACT_ASCII(text)) return (PY_LONG_LONG) (size_t) PyUnicode_DATA(text);
    #endif
        return 0;
    }
    """
    long long ascii_place "structiou_ascii_place" (object text) noexcept
