"""Errors in words: whatever goes wrong in a function of a page or an endpoint, the visitor is told of it."""

from __future__ import annotations

import errno
import functools
import inspect
import logging
import secrets
import sqlite3
from collections.abc import Callable
from typing import Any

import gradio as gr

_LOG = logging.getLogger(__name__)
_FULL = "the disk of this server is full, so that nothing can be stored; the host has to make room"
_DAMAGED = "the database of this server is damaged; the host has to restore it from a backup"


def tell_errors(app: gr.Blocks) -> None:
    """Has every function of an app tell its errors in words; those of Gradio are such already."""
    for function in app.fns.values():
        if inspect.isfunction(function.fn) and not inspect.iscoroutinefunction(function.fn):
            function.fn = _told(function.fn)


def _told(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*values: Any) -> Any:
        try:
            return function(*values)
        except gr.Error:
            raise
        except Exception as error:
            raise gr.Error(explain(error), print_exception=False) from None

    return call


def explain(error: Exception) -> str:
    """What went wrong, for a visitor; the server's own faults are logged under a number that is told."""
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return str(error)
    number = secrets.token_hex(4)
    _LOG.error("error %s", number, exc_info=error)
    if _is_full(error):
        return f"{_FULL} (error {number})"
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        return f"{_DAMAGED} (error {number})"
    return f"something went wrong on the server; tell the host of error {number}"


def _is_full(error: Exception) -> bool:
    return "disk is full" in str(error) or (isinstance(error, OSError) and error.errno == errno.ENOSPC)
