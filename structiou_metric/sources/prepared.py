"""Trees that are read once and compared often."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from threading import Lock, local

from .._core.flat import FlatTrees
from .._core.gather import gather
from .._core.scan import Scanner
from ..trees.tree import SegmentTree
from .ranges import OtherRows
from .rows import ListRows, Problems, as_list

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

    from .rows import Rows

__all__ = ["PreparedTrees"]

_SHORT = 2048  # bytes; where no tree is longer, nobody asks which one is the longest


class PreparedTrees(OtherRows):
    """Trees in flat arrays, which `corpus_score`, `pairwise` and `mbr` take in place of a list.

    They are read when they are first compared, once for each unit; to compare them again costs no reading.

    >>> from structiou_metric import StructIoU
    >>> references = PreparedTrees(["(S (A a) (B b))", "(S (C c))"])
    >>> [StructIoU().corpus_score(guess, references).corpus for guess in (references, ["()", "(S (C c))"])]
    [1.0, 0.5714285714285714]

    Args:
        trees: A list of trees in any shape, or rows such as those of a file.
        title: What to call them all in errors.
        names: A function that tells what to call a tree in errors, if not by the title and its number.
    """

    def __init__(
        self, trees: Iterable[Any] | Rows, title: str = "trees", names: Callable[[int], str] | None = None
    ) -> None:
        rows: Any = trees
        if not (hasattr(rows, "load") and hasattr(rows, "title")):
            rows = ListRows(as_list(rows, title), title, names=names)
        super().__init__(rows)
        self._read: dict[tuple[str, bool], _Read] = {}
        self._lock = Lock()
        self._numbers = array("q", range(len(rows)))
        self._sizes: array[int] | None = None
        self._longest = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def longest(self, lo: int, hi: int) -> int:
        """About how many bytes the longest of some trees has; where all are short, of all."""
        sizes = self.sizes
        return self._longest if self._longest <= _SHORT else max(sizes[lo:hi], default=0)

    @property
    def sizes(self) -> array[int]:
        """About how many bytes each tree has."""
        if self._sizes is None:
            rows = self._rows
            self._sizes = array("q", (rows.longest(row, row + 1) for row in range(len(self))))
            self._longest = max(self._sizes, default=0)
        return self._sizes

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Takes rows `lo … hi` out of the arrays."""
        read = self.read(unit, scanner)
        read.take(self._numbers[lo:hi], scanner, trees)
        if not read.problems:
            return {}
        return {row: read.problems[row] for row in range(lo, hi) if row in read.problems}

    def read(self, unit: str, scanner: Scanner) -> _Read:
        """The arrays for a unit, as a scanner like this one reads them."""
        key = unit, bool(scanner.several)
        with self._lock:
            if key not in self._read:
                self._read[key] = _Read(self._rows, *key)
            return self._read[key]

    def picked(self, places: Sequence[int]) -> PickedTrees:
        """Some of the trees, in any order, any of them several times."""
        return PickedTrees(self, places)


class PickedTrees:
    """Trees that are compared in another order than that in which they were given.

    Args:
        trees: All trees, of which some are picked.
        places: The number of each row's tree among these.
    """

    def __init__(self, trees: PreparedTrees, places: Sequence[int]) -> None:
        self._trees = trees
        self._places = array("q", places)
        self.title = trees.title

    def __len__(self) -> int:
        return len(self._places)

    def name(self, row: int) -> str:
        """What the tree is called."""
        return self._trees.name(self._places[row])

    def longest(self, lo: int, hi: int) -> int:
        """About how many bytes the longest tree of some rows has."""
        longest = self._trees.longest(0, len(self._trees))
        if longest <= _SHORT or lo == hi:
            return longest
        return max(map(self._trees.sizes.__getitem__, self._places[lo:hi]))

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Takes the trees of rows `lo … hi` out of the arrays."""
        read = self._trees.read(unit, scanner)
        places = self._places[lo:hi]
        read.take(places, scanner, trees)
        if not read.problems:
            return {}
        return {row: read.problems[place] for row, place in enumerate(places, lo) if place in read.problems}

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """The tree of a row."""
        return self._trees.tree(self._places[row], unit)


class _Read:
    """All trees as they were read for one unit."""

    def __init__(self, rows: Rows, unit: str, several: bool) -> None:
        scanner = Scanner()
        scanner.several = several
        scanner.intern("")  # so that there is a label at all, for no buffer may be empty
        self._trees = FlatTrees()
        self.problems = rows.load(0, len(rows), unit, scanner, self._trees)
        self._trees.write_text()  # while nobody else looks
        self._labels = tuple(scanner.labels)
        self._known = local()  # by thread, the ids that the labels have in its scanner

    def take(self, places: array[int], scanner: Scanner, trees: FlatTrees) -> None:
        """Fills `trees` with the trees at some places."""
        if getattr(self._known, "scanner", None) is not scanner:
            self._known.ids = array("i", map(scanner.intern, self._labels))
            self._known.scanner = scanner
        gather(self._trees, places, self._known.ids, trees)
