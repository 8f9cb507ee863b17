"""What counts as a node: one rule for all metrics that compare constituents."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence

from .._core.flat import FlatNodes, FlatTrees
from .._core.select import DROP_LEAF, DROP_ROOT, Selector
from ..trees.labels import base_label, dropped_leaves


class DropRules:
    """What happens to each label, learned as labels are met.

    Args:
        drop: The option: labels that are no constituents.
    """

    def __init__(self, drop: Collection[str]) -> None:
        self._roots = frozenset(drop)
        self._leaves = dropped_leaves(drop)
        self.actions = bytearray()

    def learn(self, labels: Sequence[str]) -> bytearray:
        """The actions by label id, for the compiled rule."""
        for label in labels[len(self.actions) :]:
            self.actions.append(
                (DROP_ROOT if label in self._roots else 0) | (DROP_LEAF if label in self._leaves else 0)
            )
        return self.actions


class Selection:
    """Which nodes of a batch of trees are compared, and which labels are the same.

    Args:
        unit: `word`, `char` or `time`.
        labels: `exact`, `base` or `ignore`.
        terminals: With `exclude`, preterminals are no nodes.
        drop: Labels that are no constituents.
    """

    def __init__(self, unit: str, labels: str, terminals: str, drop: Collection[str]) -> None:
        self._contiguous = unit != "time"
        self._excludes = terminals == "exclude"
        self._name = _NAMES[labels]
        self._rules = DropRules(drop)
        self._selector = Selector()
        self._classes = array("i")
        self._class_ids: dict[str, int] = {}

    def select(self, trees: FlatTrees, labels: Sequence[str], nodes: FlatNodes) -> None:
        """Fills `nodes` with what counts of the trees.

        Args:
            trees: As they were read.
            labels: The text of each label id; one at least, for no buffer may be empty.
            nodes: Is filled anew.
        """
        actions = self._rules.learn(labels)
        for label in labels[len(self._classes) :]:
            name = self._name(label)
            self._classes.append(self._class_ids.setdefault(name, len(self._class_ids)))
        self._selector.select(trees, actions, self._classes, self._excludes, self._contiguous, nodes)
        nodes.n_classes = len(self._classes)


_NAMES: dict[str, Callable[[str], str]] = {
    "exact": str,
    "base": base_label,
    "ignore": lambda label: "",
}
