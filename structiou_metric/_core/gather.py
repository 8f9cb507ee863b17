"""Trees that were read once, taken out again in any order and any number of times."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatTrees
else:
    from .flat import FlatTrees

from .flat import ints, longs

if not cython.compiled:

    def _copy(out, at, source, begin, n):
        """Copies `n` items, from place `begin` of an array to place `at` of another, which has the room."""
        memoryview(out)[at : at + n] = memoryview(source)[begin : begin + n]

    _copy_ints = _copy_longs = _copy_doubles = _copy


def gather(source, places, ids, out):
    """Fills `out` anew with some trees of another, whose words stay where they are written.

    Args:
        source: A `FlatTrees` that has its text.
        places: The numbers of the trees (64-bit integers), in the order in which they are wanted.
        ids: The label id in `out`, by that of the source (C ints).
        out: The `FlatTrees` to be filled.
    """
    trees: FlatTrees = source
    found: FlatTrees = out
    n: cython.Py_ssize_t = len(places)
    place: cython.const[cython.longlong][::1] = places if n else longs(0)
    new_id: cython.const[cython.int][::1] = ids if len(ids) else ints(0)
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t = 0
    word: cython.Py_ssize_t = 0
    n_errors: cython.Py_ssize_t = 0
    tree: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    size: cython.Py_ssize_t
    for t in range(n):
        tree = place[t]
        node += trees.node_offset[tree + 1] - trees.node_offset[tree]
        word += trees.word_offset[tree + 1] - trees.word_offset[tree]
    found.reserve(n, node, word)
    found.text = trees.text
    node = word = 0
    with cython.nogil:
        for t in range(n):
            tree = place[t]
            begin = trees.node_offset[tree]
            size = trees.node_offset[tree + 1] - begin
            for i in range(size):
                found.label[node + i] = new_id[trees.label[begin + i]]
            _copy_ints(found.size, node, trees.size, begin, size)
            _copy_ints(found.first, node, trees.first, begin, size)
            _copy_ints(found.last, node, trees.last, begin, size)
            node += size
            begin = trees.word_offset[tree]
            size = trees.word_offset[tree + 1] - begin
            _copy_doubles(found.start, word, trees.start, begin, size)
            _copy_doubles(found.end, word, trees.end, begin, size)
            _copy_longs(found.text_from, word, trees.text_from, begin, size)
            _copy_longs(found.text_to, word, trees.text_to, begin, size)
            word += size
            found.node_offset[t + 1] = node
            found.word_offset[t + 1] = word
            found.timed[t] = trees.timed[tree]
            found.solid[t] = trees.solid[tree]
            found.error[t] = trees.error[tree]
            found.error_at[t] = trees.error_at[tree]
            if trees.error[tree]:
                n_errors += 1
    found.n_trees = n
    found.n_errors = n_errors
