"""The options of STRUCT-IoU as named arguments, for spaCy and typer, which read signatures."""

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from typing import Any, TypeVar

from structiou_metric import StructIoU

Function = TypeVar("Function", bound=Callable[..., Any])

# The type of each kind of option in a config.
TYPES: dict[str, Any] = {"choice": str, "number": float, "labels": list[str], "flag": bool, "file": str}

# By name, the default of each option as a config can hold it.
DEFAULTS: dict[str, Any] = {
    name: list(option.default) if isinstance(option.default, tuple) else option.default
    for name, option in StructIoU.OPTIONS.items()
}


def named(name: str, kind: Any, default: Any) -> Parameter:
    """A parameter that is given by name only."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def named_options(parameters: Iterable[Parameter]) -> Callable[[Function], Function]:
    """Decorates a function so that its signature has these parameters in the place of `**options`."""

    def decorate(function: Function) -> Function:
        old = signature(function)
        others = [p for p in old.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        vars(function)["__signature__"] = old.replace(parameters=[*others, *parameters])
        return function

    return decorate
