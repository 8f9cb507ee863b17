"""A stand-in for the few names of `cython` that uncompiled modules use, if Cython is not installed."""

from __future__ import annotations

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
gil = nullcontext()

Py_ssize_t = int
int = int
longlong = int


def cast(type, value):
    """Return the value in another type."""
    return type(value)
