"""The options of a metric as named arguments, which spaCy reads from signatures.

Each factory and each scorer has the options of one metric, made from its `OPTIONS`, so that they are stated
once.
"""

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from typing import Any, TypeVar

from structiou_metric.metrics import metric_class

Function = TypeVar("Function", bound=Callable[..., Any])


def scorer_name(metric: str) -> str:
    """Return the name by which a config refers to the scorer of a metric."""
    return f"structiou.{metric}_scorer.v1"


# The type of each kind of option in a config.
_TYPES: dict[str, Any] = {"choice": str, "number": float, "labels": list[str], "flag": bool, "file": str}


def option_parameters(metric: str) -> list[Parameter]:
    """Return a keyword argument for each option of a metric.

    An option whose default no config can hold has None instead, which stands for that default. A prediction
    that cannot be compared counts as 0 unless `on_error` says otherwise, so that one sentence cannot end a
    training run.
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
    """Give a function a signature with these parameters in place of its `**options`."""
    old = signature(function)
    others = [p for p in old.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    vars(function)["__signature__"] = old.replace(parameters=[*others, *parameters])
    return function
