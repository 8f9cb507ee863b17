"""The command line, run inside of the tests, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from structiou_metric.commands.main import main

if TYPE_CHECKING:
    import pytest

Result = tuple[Any, str, str]  # exit code, and what was printed to both outputs


def runner(capsys: pytest.CaptureFixture[str], *command: str) -> Callable[..., Result]:
    """A function that runs `structiou`, with the words of `command` before its arguments."""

    def run(*args: object) -> Result:
        try:
            code: Any = main([*command, *map(str, args)])
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


def succeeded(result: Result) -> str:
    """The output of a command that had nothing to complain about."""
    code, out, err = result
    assert (code, err) == (0, ""), result
    return out


def failed(result: Result, code: int = 1) -> str:
    """The complaint of a command that printed nothing else."""
    got, out, err = result
    assert (got, out) == (code, ""), result
    return err
