"""`NamedTuple` as in `typing`, which would take a third of this package's import time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple

    class _Maker(type):
        """Makes a named tuple of a class's annotations, and of their values where they have any."""

        def __new__(cls, name, bases, space):
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = space["__annotations__"]
            defaults = [space.pop(field) for field in fields if field in space]
            base = namedtuple(name, fields, defaults=defaults)
            return type(name, (base,), {"__slots__": (), **space})

    class NamedTuple(metaclass=_Maker):
        """The base of named tuples; its subclasses have fields, with defaults behind, and methods."""
