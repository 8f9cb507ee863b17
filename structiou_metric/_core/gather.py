"""Trees that were read once, taken out again in any order and any number of times."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatNodes, FlatTrees
else:
    from .flat import FlatNodes, FlatTrees

from .flat import flags, ints, longs

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
    t: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    stop: cython.Py_ssize_t
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
    node = word = t = 0
    with cython.nogil:
        while t < n:  # trees that follow each other in both are copied at once
            tree = place[t]
            stop = _end_of_run(place, t, n)
            begin = trees.node_offset[tree]
            size = trees.node_offset[tree + stop - t] - begin
            for i in range(size):
                found.label[node + i] = new_id[trees.label[begin + i]]
            _copy_ints(found.size, node, trees.size, begin, size)
            _copy_ints(found.first, node, trees.first, begin, size)
            _copy_ints(found.last, node, trees.last, begin, size)
            node -= begin
            begin = trees.word_offset[tree]
            size = trees.word_offset[tree + stop - t] - begin
            _copy_doubles(found.start, word, trees.start, begin, size)
            _copy_doubles(found.end, word, trees.end, begin, size)
            _copy_longs(found.text_from, word, trees.text_from, begin, size)
            _copy_longs(found.text_to, word, trees.text_to, begin, size)
            word -= begin
            while t < stop:
                found.node_offset[t + 1] = node + trees.node_offset[tree + 1]
                found.word_offset[t + 1] = word + trees.word_offset[tree + 1]
                found.timed[t] = trees.timed[tree]
                found.solid[t] = trees.solid[tree]
                found.error[t] = trees.error[tree]
                found.error_at[t] = trees.error_at[tree]
                if trees.error[tree]:
                    n_errors += 1
                t += 1
                tree += 1
            node = found.node_offset[stop]
            word = found.word_offset[stop]
    found.n_trees = n
    found.n_errors = n_errors


def pack_words(trees):
    """Writes the words of all trees one behind the other, so that equal ones are soon seen to be equal.

    Between words stands a byte that no text has.
    """
    source: FlatTrees = trees
    source.write_text()
    n_words: cython.Py_ssize_t = source.word_offset[source.n_trees]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    for i in range(n_words):
        at += source.text_to[i] - source.text_from[i] + 1
    packed = bytearray(at + 1)
    view: cython.uchar[::1] = packed
    at = 0
    for i in range(n_words):
        k = source.text_from[i]
        source.text_from[i] = at
        while k < source.text_to[i]:
            view[at] = source.text[k]
            at += 1
            k += 1
        source.text_to[i] = at
        view[at] = 255
        at += 1
    source.text = packed


def gather_nodes(source, places, classes, out, lends):
    """Fills `out` anew with what counts of some trees.

    Args:
        source: A `FlatNodes`.
        places: The numbers of the trees (64-bit integers), in the order in which they are wanted.
        classes: The label class in `out`, by that of the source (C ints); None if they are the same.
        out: The `FlatNodes` to be filled.
        lends: Whether it may use the arrays of the source, as it moves no node.
    """
    nodes: FlatNodes = source
    found: FlatNodes = out
    n: cython.Py_ssize_t = len(places)
    place: cython.const[cython.longlong][::1] = places if n else longs(0)
    renames: cython.bint = classes is not None
    new_class: cython.const[cython.int][::1] = classes if renames else ints(0)
    t: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    node: cython.Py_ssize_t = 0
    tree: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    size: cython.Py_ssize_t
    for t in range(n):
        node += nodes.offset[place[t] + 1] - nodes.offset[place[t]]
    if lends and n and _end_of_run(place, 0, n) == n:
        _borrow(nodes, place[0], n, classes, found)
        return
    found.reserve(n, node)
    node = t = 0
    with cython.nogil:
        while t < n:
            tree = place[t]
            stop = _end_of_run(place, t, n)
            begin = nodes.offset[tree]
            size = nodes.offset[tree + stop - t] - begin
            if renames:
                for i in range(size):
                    found.label[node + i] = new_class[nodes.label[begin + i]]
            else:
                _copy_ints(found.label, node, nodes.label, begin, size)
            _copy_ints(found.size, node, nodes.size, begin, size)
            _copy_ints(found.origin, node, nodes.origin, begin, size)
            _copy_doubles(found.start, node, nodes.start, begin, size)
            _copy_doubles(found.end, node, nodes.end, begin, size)
            node -= begin
            while t < stop:
                found.offset[t + 1] = node + nodes.offset[tree + 1]
                found.extent[t] = nodes.extent[tree]
                found.lengthless[t] = nodes.lengthless[tree]
                t += 1
                tree += 1
            node = found.offset[stop]
    found.n_trees = n


def _borrow(nodes, tree, n, classes, out):
    """Makes `out` a window on trees that follow each other; which nodes are spliced out is its own."""
    t: cython.Py_ssize_t
    begin: cython.Py_ssize_t = nodes.offset[tree]
    size: cython.Py_ssize_t = nodes.offset[tree + n] - begin
    out.reserve(n, 0)
    out.size = nodes.size[begin : begin + size]
    out.origin = nodes.origin[begin : begin + size]
    out.start = nodes.start[begin : begin + size]
    out.end = nodes.end[begin : begin + size]
    out.dead = flags(size)
    if classes is None:
        out.label = nodes.label[begin : begin + size]
    else:
        new_class: cython.const[cython.int][::1] = classes
        label: cython.int[::1] = ints(size)
        for t in range(size):
            label[t] = new_class[nodes.label[begin + t]]
        out.label = label
    for t in range(n):
        out.offset[t + 1] = nodes.offset[tree + t + 1] - begin
        out.extent[t] = nodes.extent[tree + t]
        out.lengthless[t] = nodes.lengthless[tree + t]
    out._node_room = -1  # whoever fills it anew needs room of its own
    out.n_trees = n
    return 0


def _end_of_run(place, t, n):
    """Where the places that count up one by one from the one at `t` end."""
    while t + 1 < n and place[t + 1] == place[t] + 1:
        t += 1
    return t + 1
