"""One tree: `SegmentTree`, and every shape that it comes in and goes out as."""

from .extraction import extract

__all__ = ["extract"]
