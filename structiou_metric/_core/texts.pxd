# C types of texts.py.

cimport cython

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
        #define STRUCTIOU_HAS_GIL 0
    #else
        #define STRUCTIOU_HAS_GIL 1
    #endif

    /* The text at a place of a list or a tuple, to which no reference is counted; NULL for anything else.
       Who goes through all of them would wait for memory at each, so it is asked for some texts ahead: for
       all that is looked at here, which may lie in two lines of the cache. */
    static CYTHON_INLINE PyObject *structiou_text_at(PyObject *rows, Py_ssize_t i) {
    #if CYTHON_COMPILING_IN_CPYTHON && !CYTHON_COMPILING_IN_LIMITED_API
        PyObject **items;
        Py_ssize_t n;
        if (STRUCTIOU_HAS_GIL && PyList_CheckExact(rows)) {
            items = ((PyListObject *) rows)->ob_item;
            n = PyList_GET_SIZE(rows);
        } else if (PyTuple_CheckExact(rows)) {
            items = ((PyTupleObject *) rows)->ob_item;
            n = PyTuple_GET_SIZE(rows);
        } else {
            return NULL;
        }
    #if defined(__GNUC__) || defined(__clang__)
        if (i + 16 < n) {
            __builtin_prefetch(items[i + 16]);
            __builtin_prefetch((char *) items[i + 16] + sizeof(PyASCIIObject) - 1);
        }
    #endif
        if (i < n && PyUnicode_CheckExact(items[i]) && PyUnicode_IS_COMPACT(items[i])) return items[i];
    #endif
        return NULL;
    }

    static CYTHON_INLINE PY_LONG_LONG structiou_ascii_place(PyObject *rows, Py_ssize_t i) {
        PyObject *text = structiou_text_at(rows, i);
        if (text == NULL || !PyUnicode_IS_ASCII(text)) return 0;
        return (PY_LONG_LONG) (size_t) PyUnicode_DATA(text);
    }

    static CYTHON_INLINE Py_ssize_t structiou_text_size(PyObject *rows, Py_ssize_t i) {
        PyObject *text = structiou_text_at(rows, i);
        return text == NULL ? -1 : PyUnicode_GET_LENGTH(text);
    }

    static CYTHON_INLINE int structiou_opens_bracket(PyObject *rows, Py_ssize_t i) {
        PyObject *text = structiou_text_at(rows, i);
        return text != NULL && PyUnicode_GET_LENGTH(text) > 0 && PyUnicode_READ_CHAR(text, 0) == '(';
    }
    """
    bint has_gil "STRUCTIOU_HAS_GIL"
    long long ascii_place "structiou_ascii_place" (object rows, Py_ssize_t i) noexcept
    Py_ssize_t text_size "structiou_text_size" (object rows, Py_ssize_t i) noexcept
    bint opens_bracket "structiou_opens_bracket" (object rows, Py_ssize_t i) noexcept

@cython.final
cdef class Texts:
    cdef readonly bytearray buffer
    cdef readonly object starts, stops
    cdef Py_ssize_t _room, _n_waiting
    cdef object _offsets, _held
    cdef list _encoded
    cdef long long[::1] _offset, _place
    cdef char *_to
    cdef int _reserve(self, Py_ssize_t n) except -1
    cdef int copy_bytes(self) noexcept nogil
    cdef int let_go(self) except -1
