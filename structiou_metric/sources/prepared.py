"""Trees that are read once and compared often."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..trees.tree import SegmentTree
from .rows import Problems, as_rows, several

if TYPE_CHECKING:
    from .rows import Rows

__all__ = ["PreparedTrees"]


class PreparedTrees:
    """Trees in flat arrays, which `corpus_score`, `pairwise` and `mbr` take in place of a list.

    They are read when they are first compared, once for each unit. Comparing them again copies numbers only.

    >>> from structiou_metric import StructIoU
    >>> references = PreparedTrees(["(S (A a) (B b))", "(S (C c))"])
    >>> [StructIoU().corpus_score(guess, references).corpus for guess in (references, ["()", "(S (C c))"])]
    [1.0, 0.5714285714285714]

    Args:
        trees: A list of trees in any shape, or rows such as those of a file.
        title: The name of all trees in errors.
        names: A function that returns the name of a tree in errors by its number; by default, the name is the
            title with the number.
    """

    def __init__(
        self, trees: Iterable[Any] | Rows, title: str = "trees", names: Callable[[int], str] | None = None
    ) -> None:
        self._rows = as_rows(trees, title, names)
        self.title = self._rows.title
        self._places = array("q", range(len(self._rows)))  # of each row, its place in the arrays
        self._sizes = array("q", (self._rows.longest(row, row + 1) for row in self._places))
        self._read: dict[tuple[str, bool], tuple[FlatTrees, Sequence[str], Problems]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Return the parts of signatures that describe how the trees were read."""
        return getattr(self._rows, "signature_parts", ())

    def name(self, row: int) -> str:
        """Return the name of a tree in errors."""
        return self._rows.name(self._places[row])

    def longest(self, lo: int, hi: int) -> int:
        """Return about how many bytes the longest of rows `lo … hi` has."""
        return max(map(self._sizes.__getitem__, self._places[lo:hi]), default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Copy rows `lo … hi` into `trees`, in the scanner's label ids; return their errors by row."""
        key = unit, bool(scanner.several)
        with self._lock:
            if key not in self._read:
                self._read[key] = self._read_all(*key)
        source, labels, problems = self._read[key]
        places = self._places[lo:hi]
        trees.gather(source, places, array("i", map(scanner.intern, labels)))
        return {row: problems[at] for row, at in enumerate(places, lo) if at in problems}

    def _read_all(self, unit: str, several_trees: bool) -> tuple[FlatTrees, Sequence[str], Problems]:
        """Read all trees for a unit; return them with their labels and errors."""
        scanner, trees = Scanner(), FlatTrees()
        scanner.several = several_trees
        scanner.intern("")  # so that there is a label at all, for no buffer may be empty
        problems = self._rows.load(0, len(self._rows), unit, scanner, trees)
        trees.write_text()
        return trees, scanner.labels, problems

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree."""
        return self._rows.tree(self._places[row], unit)

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, by its number."""
        lists = several(self._rows)
        return {row: lists[place] for row, place in enumerate(self._places) if place in lists}

    def picked(self, numbers: Sequence[int]) -> PreparedTrees:
        """Return some of the trees, in any order, any of them several times; they are not read again."""
        found = copy(self)
        found._places = array("q", map(self._places.__getitem__, numbers))
        return found
