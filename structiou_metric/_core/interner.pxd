# C types of interner.py.

cimport cython

cdef unsigned long long _MASK, MULTIPLIER, _SPACE

@cython.final
cdef class Interner:
    cdef readonly list names
    cdef const unsigned char[::1] text
    cdef Py_ssize_t n_slots
    cdef int[::1] slots
    cdef unsigned long long[::1] keys
    cdef unsigned char[::1] _arena
    cdef long long[::1] _ends

    cdef int find(self, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
    cdef unsigned long long _key(self, Py_ssize_t lo, Py_ssize_t hi) except? 1 nogil
    cdef Py_ssize_t _home(self, unsigned long long key) noexcept nogil
    cdef int _is_label(self, int label, Py_ssize_t lo, Py_ssize_t hi) except -1 nogil
    cdef int _add(
        self, Py_ssize_t lo, Py_ssize_t hi, unsigned long long key, Py_ssize_t slot
    ) except -1
    cdef int _grow_slots(self) except -1
