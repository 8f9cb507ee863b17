"""The options of the metric, and the signature line that tells them all."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable

from ..._version import __version__
from ...trees.labels import DEFAULT_DROP
from ...wording import check_choice

# The values an option may take, the default first. `min_iou` and `drop` are checked by themselves.
CHOICES: dict[str, tuple[str, ...]] = {
    "unit": ("word", "char", "time"),
    "labels": ("exact", "base", "ignore"),
    "terminals": ("strict", "flexible", "exclude"),
    "average": ("sentence", "corpus"),
    "on_error": ("raise", "zero", "skip"),
}


class Options(
    namedtuple(
        "Options",
        ("unit", "labels", "terminals", "min_iou", "drop", "average", "on_error"),
        defaults=("word", "exact", "strict", 0.0, DEFAULT_DROP, "sentence", "raise"),
    )
):
    """What is computed; `checked` validates every value."""

    __slots__ = ()
    unit: str
    labels: str
    terminals: str
    min_iou: float
    drop: Iterable[str]
    average: str
    on_error: str

    def checked(self) -> Options:
        """The same with `min_iou` a float and `drop` a tuple, or a ValueError that names the choices."""
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        try:
            min_iou = float(self.min_iou)
        except (TypeError, ValueError):
            raise ValueError(f"min_iou must be a number, not {self.min_iou!r}") from None
        if not 0.0 <= min_iou < 1.0:
            raise ValueError(f"min_iou must be at least 0 and less than 1, not {self.min_iou!r}")
        if isinstance(self.drop, str):
            raise ValueError(
                f"drop must be a list of labels, not the text {self.drop!r}; write [{self.drop!r}]"
            )
        drop = tuple(self.drop)
        if not all(isinstance(label, str) for label in drop):
            raise ValueError(f"drop must be a list of labels, not {list(drop)!r}")
        return self._replace(min_iou=min_iou, drop=drop)

    def signature(self) -> str:
        """One line with every option and the version, to be quoted beside a score.

        >>> Options().signature()  # doctest: +ELLIPSIS
        'structiou|unit:word|labels:exact|terminals:strict|min_iou:0.0|drop:TOP,ROOT,S1,VROOT,"",-NONE-|average:...'
        """
        parts = ["structiou"]
        for name, value in self._asdict().items():
            if isinstance(value, tuple):
                value = ",".join(map(_quoted, value)) or "none"
            parts.append(f"{name}:{value}")
        return "|".join([*parts, f"version:{__version__}"])


def _quoted(label: str) -> str:
    """The label, in quotes where it would be mistaken for something else."""
    if (
        label
        and label != "none"
        and not any(character in ',|"' or character.isspace() for character in label)
    ):
        return label
    return '"' + label.replace('"', '""') + '"'
