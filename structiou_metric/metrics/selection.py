"""The nodes that count: one rule for all metrics that compare constituents."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatNodes, FlatTrees
from .._core.select import DROP_LEAF, DROP_ROOT, Selector
from ..sources.advice import explain_mismatch
from ..trees.labels import DEFAULT_DROP, base_label, dropped_leaves
from .base import Option

if TYPE_CHECKING:
    from .base import Batch


def check_drop(value: Any) -> tuple[str, ...]:
    """Return the labels of the option `drop`, or a ValueError."""
    if isinstance(value, str):
        raise ValueError(f"drop must be a list of labels, not the text {value!r}; write [{value!r}]")
    if not isinstance(value, Iterable):
        raise ValueError(
            f"drop must be a list of labels, not {value!r}; write [] to keep all nodes, or leave drop out"
        )
    drop = tuple(value)
    if not all(isinstance(label, str) for label in drop):
        raise ValueError(f"drop must be a list of labels, not {list(drop)!r}")
    return drop


# Options of metrics that compare constituents.
LABELS = Option(
    "exact",
    "compare labels as they are, without function tags and indices, or not at all",
    choices=("exact", "base", "ignore"),
)
DROP = Option(
    DEFAULT_DROP,
    "labels that are no constituents: roots over one child, and leaves such as -NONE- with nodes left empty",
    kind="labels",
    check=check_drop,
)


class DropRules:
    """The treatment of each label, learned as labels are met.

    Args:
        drop: Labels that are no constituents: the value of the option.
    """

    def __init__(self, drop: Collection[str]) -> None:
        self._roots = frozenset(drop)
        self._leaves = dropped_leaves(drop)
        self.actions = bytearray()

    def learn(self, labels: Sequence[str]) -> bytearray:
        """Return the actions by label id, for the compiled rule."""
        for label in labels[len(self.actions) :]:
            self.actions.append(
                (DROP_ROOT if label in self._roots else 0) | (DROP_LEAF if label in self._leaves else 0)
            )
        return self.actions


def kept_texts(trees: FlatTrees, t: int, actions: Sequence[int], drops: int = DROP_LEAF) -> list[str]:
    """Return the words of a tree without those of leaves whose label has the bit `drops` in its action."""
    gone: set[int] = set()
    if any(action & drops for action in actions):
        for label, size, first, last in zip(*trees.nodes(t), strict=True):
            if size == 1 and actions[label] & drops:
                gone.update(range(first, last))
    return [trees.word(t, i) for i in range(trees.count_words(t)) if i not in gone]


def explain_lengths(batch: Batch, t: int, actions: Sequence[int], cures: Mapping[str, str], unit: str) -> str:
    """Return why the texts of a pair have different lengths, and the cure; see `advice.explain_mismatch`."""
    sides = batch.predictions, batch.references
    neighbours: tuple[list[Any], list[Any]] = ([], [])
    for other in (t - 1, t + 1):
        if 0 <= other < len(batch):
            texts = [kept_texts(trees, other, actions) for trees in sides]
            if texts[0] != texts[1]:  # else it is a row that happens to be the same
                for side in (0, 1):
                    neighbours[side].append((batch.names(other)[1 - side], texts[1 - side]))
    words = kept_texts(sides[0], t, actions), kept_texts(sides[1], t, actions)
    return explain_mismatch(batch.names(t), words, cures, neighbours=neighbours, by_characters=unit == "char")


class Selection:
    """Which nodes of a batch of trees are compared, and which labels are the same.

    Args:
        unit: The unit of the metric, `word`, `char` or `time`.
        labels: Which labels are the same: `exact`, `base` or `ignore`; or a function whose value is the same
            for labels that are.
        terminals: The option of the metric; with `exclude`, preterminals are no nodes.
        drop: Labels that are no constituents.
    """

    def __init__(
        self, unit: str, labels: str | Callable[[str], str], terminals: str, drop: Collection[str]
    ) -> None:
        self._contiguous = unit != "time"
        self._excludes = terminals == "exclude"
        self._name = _NAMES[labels] if isinstance(labels, str) else labels
        self._rules = DropRules(drop)
        self._selector = Selector()
        self._classes = array("i")
        self._class_ids: dict[object, int] = {}
        self._ranks = array("i")

    @property
    def n_classes(self) -> int:
        """Return the number of classes of labels."""
        return len(self._class_ids)

    @property
    def classes(self) -> array[int]:
        """Return the class of each label id; labels of one class are the same."""
        return self._classes

    @property
    def names(self) -> list[Any]:
        """Return the name of each class of labels."""
        return list(self._class_ids)

    def kept_texts(self, trees: FlatTrees, t: int, labels: Sequence[str]) -> list[str]:
        """Return the words of a tree without those of leaves to drop."""
        return kept_texts(trees, t, self._rules.learn(labels))

    def class_ranks(self) -> array[int]:
        """Return the place of each class among all of them by their names."""
        if len(self._ranks) != self.n_classes:
            self._ranks = array("i", [0]) * self.n_classes
            for rank, name in enumerate(sorted(self._class_ids, key=str)):
                self._ranks[self._class_ids[name]] = rank
        return self._ranks

    def select(self, trees: FlatTrees, labels: Sequence[str], nodes: FlatNodes) -> None:
        """Fill `nodes` with the compared nodes of the trees.

        Args:
            trees: The trees as they were read.
            labels: The text of each label id; one at least, for no buffer may be empty.
            nodes: The `FlatNodes` that is filled.
        """
        actions = self._rules.learn(labels)
        for label in labels[len(self._classes) :]:
            self._classes.append(self._class_ids.setdefault(self._name(label), len(self._class_ids)))
        self._selector.select(trees, actions, self._classes, self._excludes, self._contiguous, nodes)
        nodes.n_classes = len(self._class_ids)

    def explain_lengths(self, batch: Batch, t: int, cures: Mapping[str, str], unit: str) -> str:
        """Return why the texts of a pair have different lengths, and the cure; see the function above."""
        return explain_lengths(batch, t, self._rules.learn(batch.labels), cures, unit)

    def kept_words(self, trees: FlatTrees, labels: Sequence[str]) -> tuple[array[int], array[int]]:
        """Return where the words of each tree begin among those kept, and the place of each among all."""
        found: tuple[array[int], array[int]] = self._selector.kept_words(trees, self._rules.learn(labels))
        return found


_NAMES: dict[str, Callable[[str], str]] = {
    "exact": str,
    "base": base_label,
    "ignore": lambda label: "",
}
