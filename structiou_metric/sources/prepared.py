"""Trees that are read once and compared often."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from threading import Lock, local
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.gather import gather, pack_words
from .._core.scan import Scanner
from ..trees.tree import SegmentTree
from .rows import ListRows, OtherRows, Problems, as_list

if TYPE_CHECKING:
    from .rows import Rows

__all__ = ["PreparedTrees"]

_SHORT = 2048  # bytes; where no tree is longer, nobody asks which one is the longest
_KEPT = 4  # of what is made of all trees for some options


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
        self._read: dict[tuple[str, bool], ReadTrees] = {}
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
        return self.lend(lo, hi, unit, scanner, trees).load()

    def lend(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> LentTrees:
        """Rows `lo … hi`, which are put into `trees` only if they are asked for."""
        return LentTrees(self.read(unit, scanner), self._numbers[lo:hi], lo, scanner, trees)

    def read(self, unit: str, scanner: Scanner) -> ReadTrees:
        """The arrays for a unit, as a scanner like this one reads them."""
        key = unit, bool(scanner.several)
        with self._lock:
            if key not in self._read:
                self._read[key] = ReadTrees(self._rows, *key)
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
        return self.lend(lo, hi, unit, scanner, trees).load()

    def lend(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> LentTrees:
        """The trees of rows `lo … hi`, which are put into `trees` only if they are asked for."""
        return LentTrees(self._trees.read(unit, scanner), self._places[lo:hi], lo, scanner, trees)

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """The tree of a row."""
        return self._trees.tree(self._places[row], unit)


class ReadTrees:
    """All trees as they were read for one unit.

    Attributes:
        trees: The trees, with their text.
        labels: The text of each label id.
        problems: The trees that could not be read, with their errors.
    """

    def __init__(self, rows: Rows, unit: str, several: bool) -> None:
        scanner = Scanner()
        scanner.several = several
        scanner.intern("")  # so that there is a label at all, for no buffer may be empty
        self.trees = FlatTrees()
        self.problems = rows.load(0, len(rows), unit, scanner, self.trees)
        pack_words(self.trees)
        self.labels = tuple(scanner.labels)
        self._known = local()  # by thread, the ids that the labels have in its scanner
        self._made: dict[Any, Any] = {}
        self._lock = Lock()

    def label_ids(self, scanner: Scanner) -> array[int]:
        """The id that each label has in a scanner, which knows them all from then on."""
        if getattr(self._known, "scanner", None) is not scanner:
            self._known.ids = array("i", map(scanner.intern, self.labels))
            self._known.scanner = scanner
        ids: array[int] = self._known.ids
        return ids

    def made(self, key: Any, make: Callable[[ReadTrees], Any]) -> Any:
        """What `make` makes of all trees, once for each key; the last few are kept."""
        with self._lock:
            if key not in self._made:
                while len(self._made) >= _KEPT:
                    del self._made[next(iter(self._made))]
                self._made[key] = make(self)
            return self._made[key]


class LentTrees:
    """Some of the trees that were read, for a batch; they stay where they are until someone wants a copy.

    Attributes:
        source: All trees.
        places: The number of each one's tree among them.
        problems: The errors of trees that could not be read, by row.
    """

    def __init__(
        self, source: ReadTrees, places: array[int], first: int, scanner: Scanner, trees: FlatTrees
    ) -> None:
        self.source = source
        self.places = places
        self.problems: Problems = {}
        if source.problems:
            found = source.problems
            self.problems = {row: found[at] for row, at in enumerate(places, first) if at in found}
        self._ids = source.label_ids(scanner)  # at once, for metrics ask for all labels before they count
        self._trees = trees
        self._are_taken = False

    def __len__(self) -> int:
        return len(self.places)

    def trees(self) -> FlatTrees:
        """A copy of them alone, in the scanner's label ids."""
        if not self._are_taken:
            gather(self.source.trees, self.places, self._ids, self._trees)
            self._are_taken = True
        return self._trees

    def load(self) -> Problems:
        """Makes the copy; returns the errors."""
        self.trees()
        return self.problems
