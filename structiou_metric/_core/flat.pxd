# C types of flat.py.

cimport cython

@cython.final
cdef class FlatTrees:
    cdef readonly Py_ssize_t n_trees
    cdef readonly Py_ssize_t n_errors
    cdef Py_ssize_t _tree_room, node_room, word_room
    cdef long long[::1] node_offset, word_offset, error_at
    cdef int[::1] error
    cdef unsigned char[::1] timed, solid
    cdef int[::1] label, size, first, last
    cdef double[::1] start, end
    cdef long long[::1] text_from, text_to
    cdef const unsigned char[::1] text
    cdef list _unwritten
    cpdef int reserve(self, Py_ssize_t trees, Py_ssize_t nodes, Py_ssize_t words) except -1
    cdef int grow_nodes(self) except -1
    cdef int grow_words(self) except -1

@cython.final
cdef class FlatNodes:
    cdef readonly Py_ssize_t n_trees
    cdef public Py_ssize_t n_classes
    cdef Py_ssize_t _tree_room, _node_room
    cdef long long[::1] offset
    cdef double[::1] extent
    cdef int[::1] lengthless
    cdef int[::1] label, size, origin
    cdef double[::1] start, end
    cdef unsigned char[::1] dead
    cpdef int reserve(self, Py_ssize_t trees, Py_ssize_t nodes) except -1
    cdef int clear_marks(self) except -1
    cdef Py_ssize_t largest(self) except -1
