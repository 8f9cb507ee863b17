# C types of scan.py.

cimport cython
from structiou_metric._core.flat cimport FlatTrees
from structiou_metric._core.interner cimport Interner, MULTIPLIER

cdef int _WORD, _CHAR, _TIME
cdef int _UNCLOSED, _EXTRA_CLOSE, _TEXT_OUTSIDE, _SECOND_TREE
cdef int _NO_TIME, _NOT_FINITE, _REVERSED, _OVERLAP
cdef int _OTHER, _SPACE, _OPEN, _CLOSE
cdef int _SHORT_OF_NODES, _SHORT_OF_WORDS, _SHORT_OF_STACK

cdef extern from *:
    """
    static CYTHON_INLINE unsigned PY_LONG_LONG structiou_load(const unsigned char *bytes) {
        unsigned PY_LONG_LONG number = 0;
    #if PY_BIG_ENDIAN
        int i;
        for (i = 7; i >= 0; i--) number = number << 8 | bytes[i];
    #else
        memcpy(&number, bytes, 8);
    #endif
        return number;
    }
    #define structiou_eight(text, at) structiou_load((const unsigned char *) (text).data + (at))

    static CYTHON_INLINE Py_ssize_t structiou_lowest_byte(unsigned PY_LONG_LONG marks) {
    #if defined(__GNUC__)
        return (Py_ssize_t) ((unsigned int) __builtin_ctzll(marks) >> 3);
    #else
        const unsigned PY_LONG_LONG ones = 0x0101010101010101ULL;
        return (Py_ssize_t) (((((marks & (0 - marks)) - 1) & ones) * ones >> 56) - 1);
    #endif
    }
    """
    unsigned long long eight_bytes "structiou_eight" (
        const unsigned char[::1] text, Py_ssize_t at
    ) noexcept nogil
    Py_ssize_t _lowest_byte "structiou_lowest_byte" (unsigned long long marks) noexcept nogil

cdef unsigned long long _may_end(unsigned long long eight) noexcept nogil
cdef unsigned long long _below(unsigned long long marks) noexcept nogil

@cython.final
cdef class Scanner:
    cdef public bint several, blank_words
    cdef readonly list labels
    cdef const unsigned char[::1] _text, _widths, _kinds
    cdef const double[::1] _powers
    cdef Interner _interner
    cdef Py_ssize_t _stack_room
    cdef long long[::1] _stack
    cdef int _short_of
    cdef bint _is_number

    cdef int _grow(self, FlatTrees out) except -1
    cdef Py_ssize_t _scan_trees(
        self, const long long[::1] starts, const long long[::1] stops, Py_ssize_t t, Py_ssize_t n, int unit,
        FlatTrees out,
    ) except -1 nogil
    cdef int _fail(self, FlatTrees out, Py_ssize_t t, int code, Py_ssize_t at) except -1 nogil
    cdef int _place_words(
        self, Py_ssize_t base, Py_ssize_t words, int unit, FlatTrees out, Py_ssize_t t
    ) except -1 nogil
    cdef int _read_times(self, Py_ssize_t word, FlatTrees out) except -1 nogil
    cdef double _number(self, Py_ssize_t lo, Py_ssize_t hi) except? -1.0 nogil
    cdef double _number_by_float(self, Py_ssize_t lo, Py_ssize_t hi) except? -1.0
    cdef Py_ssize_t _written_length(self, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
    cdef int _is_escape(self, Py_ssize_t pos) except -1 nogil
