# C types of edit_path.py.

cimport cython

cdef int _BOTH, _FIRST, _SECOND
cdef Py_ssize_t _NARROW, _WIDER
cdef long long _FAR
cdef Py_ssize_t _MOST_TAGGED

@cython.final
cdef class Sames:
    cdef readonly int count
    cdef int[::1] _from, _others

    cdef bint same(self, int a, int b) except -1 nogil

@cython.final
cdef class EditPath:
    cdef Sames _sames
    cdef Py_ssize_t _row_room, _step_room, _most
    cdef int[::1] partner
    cdef long long[::1] _cost
    cdef unsigned char[::1] _steps

    cdef int reserve(self, Py_ssize_t items) except -1
    cdef int _reserve_row(self, Py_ssize_t cells) except -1
    cdef int _reserve_steps(self, Py_ssize_t cells) except -1
    cdef int find(
        self,
        const int[::1] first,
        const int[::1] tags,
        Py_ssize_t n,
        const int[::1] second,
        const int[::1] other_tags,
        Py_ssize_t m,
        bint has_tags,
    ) except -1 nogil
    cdef int _find_between(
        self,
        const int[::1] first,
        const int[::1] tags,
        const int[::1] second,
        const int[::1] other_tags,
        Py_ssize_t at,
        Py_ssize_t n,
        Py_ssize_t m,
        bint has_tags,
    ) except -1 nogil
    cdef Py_ssize_t _fill(
        self,
        const int[::1] first,
        const int[::1] tags,
        const int[::1] second,
        const int[::1] other_tags,
        Py_ssize_t at,
        Py_ssize_t n,
        Py_ssize_t m,
        Py_ssize_t margin,
        bint has_tags,
    ) except -1 nogil
    cdef int _trace(self, Py_ssize_t n, Py_ssize_t m, Py_ssize_t margin, Py_ssize_t shift) except -1 nogil
