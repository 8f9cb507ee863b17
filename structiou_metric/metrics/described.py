"""A metric with its options as plain values for JSON, and made anew of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import BaseMetric


def describe(metric: BaseMetric) -> dict[str, Any]:
    """The name, the options and the signature of a metric, of which `metric_of` makes it anew.

    >>> from structiou_metric import StructIoU
    >>> describe(StructIoU(labels="base"))["options"]["labels"]
    'base'
    """
    return {
        "metric": metric.name,
        "options": {name: _plain(value) for name, value in metric.options.as_dict().items()},
        "signature": metric.signature,
    }


def _plain(value: Any) -> Any:
    """The value of an option for JSON; for an object without fields, what it says of itself."""
    if hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, (tuple, frozenset)):
        return [_plain(part) for part in (value if isinstance(value, tuple) else sorted(value))]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def metric_of(values: Mapping[str, Any]) -> BaseMetric:
    """The metric that `describe` told of; a ValueError where options were objects that are not known."""
    from . import metric_class

    found = metric_class(values["metric"])
    try:
        usual = found().options.as_dict()
        options = {name: _restored(value, usual.get(name)) for name, value in values["options"].items()}
        return found(**options)
    except (TypeError, ValueError, OSError) as error:
        raise ValueError(
            f"the metric {values['metric']} cannot be made anew ({error}); give from_dict the metric itself"
        ) from None


def _restored(value: Any, usual: Any) -> Any:
    """The value of an option of which `_plain` made this; objects are made like the usual value."""
    if usual is not None and value == str(usual):
        return usual
    if isinstance(value, dict) and hasattr(usual, "_asdict"):
        return type(usual)(**{name: _restored(part, getattr(usual, name)) for name, part in value.items()})
    if isinstance(value, list):
        parts = (_restored(part, None) for part in value)
        return frozenset(parts) if isinstance(usual, frozenset) else tuple(parts)
    return value
