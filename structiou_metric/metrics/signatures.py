"""Signatures: a line that says exactly what was computed, in full or short, from which a run can be repeated.

A full signature names every option. A short one names those that differ from the defaults, the version, and a
hash of the full one: `structiou|labels:base|version:0.3.0|#3f2a91c0`.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from .._version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .base import Option
    from .metric import Metric

__all__ = ["read_signature", "shorten", "sign"]

_READING = (
    "discontinuous",
    "format",
    "references",
    "separators",
)  # what results add about how trees were read
_PART = re.compile(r'(?:[^|"]|"(?:[^"]|"")*")+')
_LABEL = re.compile(r'"(?:[^"]|"")*"|[^,]+')


def sign(name: str, values: Mapping[str, Any]) -> str:
    """Return the full signature of a metric: its name, every value and the version.

    >>> sign("toy", {"drop": ("TOP", ""), "unit": "word"})  # doctest: +ELLIPSIS
    'toy|drop:TOP,""|unit:word|version:...'
    """
    parts = [name]
    for key, value in values.items():
        if isinstance(value, tuple):
            value = ",".join(map(_quote, value)) or "none"
        parts.append(f"{key}:{value}")
    return "|".join([*parts, f"version:{__version__}"])


def shorten(signature: str, metric: Metric) -> str:
    """Return the short form of a full signature.

    >>> from structiou_metric import StructIoU
    >>> metric = StructIoU(labels="base")
    >>> shorten(metric.signature, metric)  # doctest: +ELLIPSIS
    'structiou|labels:base|version:...|#...'

    Args:
        signature: The signature of the metric, or of one of its results.
        metric: The metric.
    """
    name, values = _split(signature)
    usual = _split(type(metric)().signature)[1]
    changed = {key: value for key, value in values.items() if value != usual.get(key)}
    changed |= {key: "none" for key in usual if key not in values}
    changed["version"] = values["version"]
    return "|".join([name, *(f"{key}:{value}" for key, value in changed.items()), f"#{_hash(signature)}"])


def read_signature(text: str) -> tuple[Metric, dict[str, str]]:
    """Return the metric of a signature, full or short, and what the signature says about reading.

    >>> from structiou_metric import StructIoU
    >>> metric = StructIoU(unit="char", min_iou=0.5, drop=("TOP", ""))
    >>> read_signature(metric.signature) == (metric, {})
    True
    >>> read_signature(shorten(metric.signature, metric)) == (metric, {})
    True

    Args:
        text: The signature. Its version must be the one of this package, as figures may change with it.
    """
    from . import METRICS, metric_class

    body, _, digits = text.strip().partition("|#")
    name, values = _split(body)
    classes = [metric_class(key) for key in METRICS]
    found = next((item for item in classes if name in (item.SIGNATURE, item.name)), None)
    if found is None or "version" not in values:
        raise ValueError(f"{text!r} is not a signature: copy the whole line that ends a table of scores")
    if values["version"] != __version__:
        raise ValueError(
            f"the signature is of version {values['version']}, and this is {__version__}; "
            f"install version {values['version']} to repeat the run"
        )
    options = {key: _read(found.OPTIONS[key], value) for key, value in values.items() if key in found.OPTIONS}
    metric = found(**options)
    reading = {key: value for key, value in values.items() if key in _READING}
    full = metric.signature + "".join(f"|{key}:{value}" for key, value in reading.items())
    if _hash(full) != digits if digits else full != body:
        raise ValueError(
            f"the run cannot be repeated from the signature alone, as its settings came from files, or the "
            f"signature was changed; its options give {full}"
        )
    return metric, reading


def _split(signature: str) -> tuple[str, dict[str, str]]:
    """Return the name and the values of a signature, as texts."""
    name, *parts = _PART.findall(signature) or [""]
    return name, {key: value for key, _, value in (part.partition(":") for part in parts)}


def _hash(signature: str) -> str:
    return sha256(signature.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _quote(value: object) -> str:
    """Return a label, in quotes where it would be mistaken for something else; a pair is joined by `=`."""
    if isinstance(value, tuple):
        return "=".join(map(_quote, value))
    label = str(value)
    if label in ("", "none") or any(character in ',|="' or character.isspace() for character in label):
        return '"' + label.replace('"', '""') + '"'
    return label


def _read(option: Option, text: str) -> Any:
    """Return the value of an option that a signature has as a text."""
    if option.kind == "labels":
        labels = () if text == "none" else _LABEL.findall(text)
        return tuple(label[1:-1].replace('""', '"') if label[0] == '"' else label for label in labels)
    if text in ("None", "none") and not isinstance(option.default, tuple):
        return option.default
    if option.kind == "number":
        return float(text)
    return text == "True" if option.kind == "flag" else text
