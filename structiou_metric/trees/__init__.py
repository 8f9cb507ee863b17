"""One tree: `SegmentTree`, and every shape that it comes in and goes out as."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .extraction import extract

__all__ = ["extract"]


def __getattr__(name: str) -> object:
    if name != "extract":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .extraction import extract

    return extract
