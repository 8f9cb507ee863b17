"""`NamedTuple` as in `typing`, which would take a third of this package's import time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from operator import itemgetter

    class _Maker(type):
        """Makes a named tuple of a class's annotations, and of their values where they have any.

        `collections.namedtuple` writes and compiles code for what takes the fields by name. That is put off
        until the first tuple is made, as most that are imported are not used.
        """

        def __new__(cls, name, bases, space):
            if bases == (tuple,) or hasattr(bases[0], "_fields"):
                return super().__new__(cls, name, bases, space)
            fields = tuple(space["__annotations__"])
            defaults = {field: space.pop(field) for field in fields if field in space}
            places = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
            known = {
                "__slots__": (),
                "__match_args__": fields,
                "_fields": fields,
                "_field_defaults": defaults,
            }
            return super().__new__(cls, name, bases, {**known, **places, **space})

    class NamedTuple(tuple, metaclass=_Maker):
        """The base of named tuples; its subclasses have fields, with defaults behind, and methods."""

        __slots__ = ()

        def __new__(cls, *values, **named):
            from collections import namedtuple

            # The class with the fields, which may have others below it.
            owner = next(kind for kind in cls.__mro__ if "_fields" in vars(kind))
            made = namedtuple(owner.__name__, owner._fields, defaults=owner._field_defaults.values())
            owner.__new__ = staticmethod(made.__new__)
            return owner.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            """A tuple of as many values as there are fields."""
            return cls(*values)

        def _asdict(self):
            """The values by their fields."""
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **changes):
            """The same with other values for some fields."""
            return type(self)(**{**self._asdict(), **changes})

        def __repr__(self):
            values = ", ".join(f"{field}={value!r}" for field, value in self._asdict().items())
            return f"{type(self).__name__}({values})"

        def __getnewargs__(self):
            return tuple(self)
