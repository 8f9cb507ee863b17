"""The classes that colour the nodes of a drawing instead of their partners, such as causes of loss."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["Classes"]


class Classes:
    """The class of each node that has one.

    >>> classes = Classes({3: "label"}, {1: "missing", 3: "label"})
    >>> classes.of("reference", 1), classes.of("prediction", 1), classes.colors
    ('missing', '', {'label': 0, 'missing': 1})

    Attributes:
        colors: The number of the colour of each class, in the order of their names unless another is given.
    """

    def __init__(
        self, prediction: Mapping[int, str], reference: Mapping[int, str], order: tuple[str, ...] = ()
    ) -> None:
        """Store the class of each node by the number of the node.

        Args:
            prediction: The class of nodes of the predicted tree, by their number.
            reference: The class of nodes of the reference tree, by their number.
            order: Classes that have the first colours whether or not they occur, so that a class has the same
                colour in several drawings; only those that occur are listed below a drawing.
        """
        self._by_side = {"prediction": prediction, "reference": reference}
        present = {name for nodes in self._by_side.values() for name in nodes.values()}
        numbers = {name: i for i, name in enumerate(dict.fromkeys([*order, *sorted(present)]))}
        self.colors = {name: number for name, number in numbers.items() if name in present}

    def of(self, side: str, node: int) -> str:
        """Return the class of a node; an empty text if it has none."""
        return self._by_side[side].get(node, "")
