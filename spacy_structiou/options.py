"""Signatures for spaCy, which reads the settings of factories and scorers from their arguments.

The arguments are made from the `OPTIONS` of a metric, so that each option is defined in one place.
"""

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from typing import Any, TypeVar

from structiou_metric.metrics import metric_class

Function = TypeVar("Function", bound=Callable[..., Any])


def scorer_name(metric: str) -> str:
    """Return the name of the scorer of a metric in a config."""
    return f"structiou.{metric}_scorer.v1"


# The type of each kind of option in a config.
_TYPES: dict[str, Any] = {"choice": str, "number": float, "labels": list[str], "flag": bool, "file": str}


def option_parameters(metric: str) -> list[Parameter]:
    """Return a keyword argument for each option of a metric.

    If a config cannot hold the default of an option, the default of the argument is None, which means the
    same. `on_error` is "zero" by default, so that a single prediction cannot end a training run.
    """
    parameters = []
    for name, option in metric_class(metric).OPTIONS.items():
        default = "zero" if name == "on_error" else option.default
        kind = _TYPES[option.kind]
        if not isinstance(default, (str, float, bool)):
            default, kind = None, kind | None
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    return parameters


def with_parameters(function: Function, parameters: Iterable[Parameter]) -> Function:
    """Replace `**options` in the signature of a function by these parameters, and return the function."""
    old = signature(function)
    others = [p for p in old.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    vars(function)["__signature__"] = old.replace(parameters=[*others, *parameters])
    return function
