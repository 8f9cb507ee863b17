# cython: infer_types=True
"""Put the texts of two trees on one axis: their words or characters on the columns of an edit path.

A text is a row of units, each a number: words, or written characters. Trees come selected, with the places
of their nodes counted in the units of their own side. Pairs of equal texts are left as they are; for all
others a path of least cost (`edit_path`) says which column holds which unit of a side, and the nodes move
there. The tag of a unit is the label of the bracket that holds its word and no other brackets. The texts
decide which side is the first of the path, so that swapping the sides swaps the columns and nothing else.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .edit_path import EditPath

from .edit_path import Sames
from .flat import ints, longs

# The state of a pair: nothing to do, which text comes first, or why there is no common axis.
EQUAL, PREDICTION_FIRST, REFERENCE_FIRST, NO_TEXT, TOO_LONG = range(5)
_EQUAL, _PREDICTION_FIRST, _REFERENCE_FIRST, _NO_TEXT, _TOO_LONG = 0, 1, 2, 3, 4

MOST_BYTES = 1 << 30  # of the table of a path


class Kept:
    """Hold the words of one side that no option drops.

    Attributes:
        places: The words of the pairs that differ, by their places among all words of the batch.

    Args:
        trees: The trees as they were read.
        nodes: The nodes of the trees that count.
        offset: The place in `place` where the words of each tree begin (64-bit integers).
        place: The place of each kept word among all words of the batch.
    """

    def __init__(self, trees, nodes, offset, place):
        trees.write_text()
        self.trees = trees
        self.nodes = nodes
        self.offset = offset
        self.place = place
        self.places = longs(len(place))
        self._places = self.places
        self.n_places = 0
        self.n_units = 0
        self._room = -1
        self.reserve(0)

    def reserve(self, units):
        """Reserve space for a text of that many units."""
        if units > self._room:
            self._room = units + units // 2
            self.unit = ints(self._room)
            self.tag = ints(self._room)
            self.column = ints(self._room)
        return 0

    def has_empty_word(self, t):
        """Return whether a word of tree `t` has no text."""
        for i in range(self.offset[t], self.offset[t + 1]):
            if self.trees.text_from[self.place[i]] == self.trees.text_to[self.place[i]]:
                return True
        return False

    def list_words(self, t):
        """Add the words of tree `t` to `places`."""
        for i in range(self.offset[t], self.offset[t + 1]):
            self._places[self.n_places] = self.place[i]
            self.n_places += 1
        return 0

    def longest(self, states, spelled_from):
        """Return the number of units of the longest text that differs, and reserve space for its tags.

        Args:
            states: The states of all pairs.
            spelled_from: The place where the units of each word begin, as in `TextAxis.place`.
        """
        at: cython.Py_ssize_t = 0
        longest: cython.Py_ssize_t = 0
        words: cython.Py_ssize_t = 0
        begins: cython.const[cython.int][::1] = spelled_from
        state: cython.const[cython.int][::1] = states
        for t in range(self.trees.n_trees):
            if state[t] == _PREDICTION_FIRST or state[t] == _REFERENCE_FIRST:
                # Only pairs whose texts differ have units.
                units: cython.Py_ssize_t = 0
                words = max(words, self.trees.word_offset[t + 1] - self.trees.word_offset[t])
                for _ in range(self.offset[t], self.offset[t + 1]):
                    units += begins[self.number[at] + 1] - begins[self.number[at]]
                    at += 1
                longest = max(longest, units)
        self.word_tag = ints(words)
        return longest

    def read_units(self, t, at, spelled_from, spelled, classes):
        """Set the units of tree `t`, whose words have the numbers from `at` on; return where they end."""
        n: cython.Py_ssize_t = 0
        base: cython.Py_ssize_t = self.trees.word_offset[t]
        for i in range(base, self.trees.word_offset[t + 1]):
            self.word_tag[i - base] = -1
        for i in range(self.trees.node_offset[t], self.trees.node_offset[t + 1]):
            if self.trees.size[i] == 1:
                for word in range(self.trees.first[i], self.trees.last[i]):
                    self.word_tag[word] = classes[self.trees.label[i]]
        for i in range(self.offset[t], self.offset[t + 1]):
            for k in range(spelled_from[self.number[at]], spelled_from[self.number[at] + 1]):
                self.unit[n] = spelled[k]
                self.tag[n] = self.word_tag[self.place[i] - base]
                n += 1
            at += 1
        self.n_units = n
        if n != self.nodes.extent[t]:  # nodes would move to columns that are none
            with cython.gil:
                raise RuntimeError(f"a text of {self.nodes.extent[t]} units is spelled with {n}")
        return at

    def move_nodes(self, t):
        """Move the nodes of tree `t` to the columns of their first and last units."""
        start: cython.Py_ssize_t
        end: cython.Py_ssize_t
        for i in range(self.nodes.offset[t], self.nodes.offset[t + 1]):
            start = cython.cast(cython.Py_ssize_t, self.nodes.start[i])
            end = cython.cast(cython.Py_ssize_t, self.nodes.end[i])
            # A node covers the columns from its first unit's to its last unit's.
            self.nodes.start[i] = self.column[start]
            self.nodes.end[i] = self.column[end - 1] + 1
        return 0

    def column_list(self):
        """Return the column of each unit of the text that was placed last."""
        return [self.column[i] for i in range(self.n_units)]


class TextAxis:
    """Place batches of pairs on their axes; two threads must not use it at once.

    Attributes:
        prediction: The words of the predictions.
        reference: The words of the references.
        state: The state of each pair.
        columns: The number of columns of each pair with the same unit on both sides, with different ones,
            with one of the prediction only, and with one of the reference only.

    Args:
        by_character: Whether a word's units are its characters.
        most: The most bytes that the table of a path may have.
    """

    def __init__(self, by_character, most=MOST_BYTES):
        self._by_character = by_character
        self._path = EditPath(Sames(), most)

    def compare(self, prediction, reference):
        """Find the pairs whose texts differ, and list their words in `places` of either side.

        Args:
            prediction: The `Kept` of the predictions.
            reference: The `Kept` of the references.

        Returns:
            Whether there are such pairs.
        """
        self.prediction = prediction
        self.reference = reference
        n: cython.Py_ssize_t = self.prediction.trees.n_trees
        self.state = ints(n)
        self.columns = tuple(ints(n)[:n] for _ in range(4))
        counts = self.columns if n else tuple(ints(0) for _ in range(4))
        self._state = self.state
        self._same, self._replaced, self._only_prediction, self._only_reference = counts
        p = self.prediction
        r = self.reference
        with cython.nogil:
            for t in range(n):
                self._state[t] = self._compare(p, r, t)
                if self._state[t] == _EQUAL:
                    self._same[t] = cython.cast(cython.int, p.nodes.extent[t])
                elif self._state[t] != _NO_TEXT:
                    p.list_words(t)
                    r.list_words(t)
        p.places = p.places[: p.n_places]
        r.places = r.places[: r.n_places]
        return p.n_places + r.n_places > 0

    def _compare(self, p, r, t):
        """Return the state of a pair: whether texts are equal, or which comes first, word by word."""
        i: cython.Py_ssize_t = p.offset[t]
        j: cython.Py_ssize_t = r.offset[t]
        first: cython.int = _EQUAL
        while i < p.offset[t + 1] and j < r.offset[t + 1] and first == _EQUAL:
            at = p.trees.text_from[p.place[i]]
            other_at = r.trees.text_from[r.place[j]]
            end = p.trees.text_to[p.place[i]]
            other_end = r.trees.text_to[r.place[j]]
            # Compare the bytes of two words.
            while at < end and other_at < other_end and p.trees.text[at] == r.trees.text[other_at]:
                at += 1
                other_at += 1
            if at < end and other_at < other_end:
                first = _PREDICTION_FIRST if p.trees.text[at] < r.trees.text[other_at] else _REFERENCE_FIRST
            # A word that is a prefix of the other comes first.
            elif at < end or other_at < other_end:
                first = _REFERENCE_FIRST if at < end else _PREDICTION_FIRST
            i += 1
            j += 1
        if first == _EQUAL:
            if i == p.offset[t + 1] and j == r.offset[t + 1]:
                return _EQUAL
            first = _PREDICTION_FIRST if i == p.offset[t + 1] else _REFERENCE_FIRST
        if self._by_character:
            return _EQUAL if self._is_same_run(p, r, t) else first
        if p.has_empty_word(t) or r.has_empty_word(t):
            p.nodes.extent[t] = 1.0  # any two that differ
            r.nodes.extent[t] = 2.0
            return _NO_TEXT
        return first

    def _is_same_run(self, p, r, t):
        """Return whether the texts of a pair are equal except for the places where words begin."""
        i: cython.Py_ssize_t = p.offset[t]
        j: cython.Py_ssize_t = r.offset[t]
        at: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = 0
        other_at: cython.Py_ssize_t = 0
        other_end: cython.Py_ssize_t = 0
        if p.nodes.extent[t] != r.nodes.extent[t]:
            return False
        # Walk both runs of bytes, skipping the ends of words and empty words.
        while True:
            while at == end and i < p.offset[t + 1]:
                at = p.trees.text_from[p.place[i]]
                end = p.trees.text_to[p.place[i]]
                i += 1
            while other_at == other_end and j < r.offset[t + 1]:
                other_at = r.trees.text_from[r.place[j]]
                other_end = r.trees.text_to[r.place[j]]
                j += 1
            if at == end or other_at == other_end:
                return at == end and other_at == other_end
            if p.trees.text[at] != r.trees.text[other_at]:
                return False
            at += 1
            other_at += 1

    def place(self, prediction_numbers, reference_numbers, spelled_from, spelled, label_classes):
        """Move the nodes of all pairs whose texts differ onto the columns that they share.

        If that would take too much memory, the two get lengths that differ.

        Args:
            prediction_numbers: The number of the word at each of the prediction's `places` (C ints).
            reference_numbers: The number of the word at each of the reference's `places` (C ints).
            spelled_from: The place where the units of each word begin in `spelled`, and the end of the last
                (C ints).
            spelled: The units of all words, one after the other (C ints).
            label_classes: The class of each label id; labels of one class are the same (C ints).
        """
        p = self.prediction
        r = self.reference
        p.number = prediction_numbers
        r.number = reference_numbers
        begins: cython.const[cython.int][::1] = spelled_from
        units: cython.const[cython.int][::1] = spelled
        classes: cython.const[cython.int][::1] = label_classes
        p.reserve(p.longest(self.state, spelled_from))
        r.reserve(r.longest(self.state, spelled_from))
        self._path.reserve(max(len(p.unit), len(r.unit)))
        at: cython.Py_ssize_t = 0
        other_at: cython.Py_ssize_t = 0
        with cython.nogil:
            for t in range(p.trees.n_trees):
                if self._state[t] == _PREDICTION_FIRST or self._state[t] == _REFERENCE_FIRST:
                    at = p.read_units(t, at, begins, units, classes)
                    other_at = r.read_units(t, other_at, begins, units, classes)
                    self._place_pair(p, r, t)

    def _place_pair(self, p, r, t):
        n_columns: cython.Py_ssize_t
        if self._state[t] == _PREDICTION_FIRST:
            n_columns = self._set_columns(p, r, t)
        else:
            n_columns = self._set_columns(r, p, t)
        if n_columns == 0:
            self._state[t] = _TOO_LONG
            p.nodes.extent[t] = 1.0  # any two that differ
            r.nodes.extent[t] = 2.0
            return 0
        # Each column without a unit of one side belongs to the other alone.
        self._only_prediction[t] = n_columns - r.n_units
        self._only_reference[t] = n_columns - p.n_units
        p.move_nodes(t)
        r.move_nodes(t)
        p.nodes.extent[t] = r.nodes.extent[t] = n_columns
        return 0

    def _set_columns(self, first, second, t):
        """Find the path and number its columns; return how many there are, or 0 if it was given up."""
        column: cython.int = 0
        j: cython.Py_ssize_t = 0
        partner: cython.Py_ssize_t
        if self._path.find(
            first.unit, first.tag, first.n_units, second.unit, second.tag, second.n_units, True
        ):
            return 0
        for i in range(first.n_units):
            partner = self._path.partner[i]
            if partner >= 0:
                # Units of the second side before the partner have no partner; they come before this column.
                while j < partner:
                    second.column[j] = column
                    column += 1
                    j += 1
                if first.unit[i] == second.unit[j]:
                    self._same[t] += 1
                else:
                    self._replaced[t] += 1
                second.column[j] = column
                j += 1
            first.column[i] = column
            column += 1
        while j < second.n_units:
            second.column[j] = column
            column += 1
            j += 1
        return column
