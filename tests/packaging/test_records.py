"""Named tuples that are written when the first is made are those of `typing`."""

import copy
import pickle
import typing

import pytest

from structiou_metric.records import NamedTuple


class Place(NamedTuple):
    """A place."""

    line: int
    column: int = 1
    name: str = ""

    @property
    def title(self):
        """Line and column."""
        return f"{self.line}:{self.column}"


class Below(Place):
    """One below another."""


class Usual(typing.NamedTuple):
    line: int
    column: int = 1
    name: str = ""


@pytest.mark.parametrize("kind", [Below, Place])
def test_values_by_place_and_by_name(kind):
    for made in (kind(3), kind(line=3), kind(3, 1, ""), kind(3, name=""), kind._make([3, 1, ""])):
        assert type(made) is kind
        assert made == Usual(3) == (3, 1, "")
        assert hash(made) == hash(Usual(3))
        assert (made.line, made.column, made.name, made.title) == (3, 1, "", "3:1")
        assert made._asdict() == Usual(3)._asdict()
        assert repr(made) == repr(Usual(3)).replace("Usual", kind.__name__)
        assert made._replace(column=7) == (3, 7, "")
        for same in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
            assert same == made
            assert type(same) is kind
    assert kind._fields == Usual._fields
    assert kind._field_defaults == Usual._field_defaults


def test_what_does_not_fit_is_an_error():
    for values, named in (((), {}), ((1, 2, "", 4), {}), ((1,), {"row": 2}), ((1,), {"line": 1})):
        with pytest.raises(TypeError) as own:
            Place(*values, **named)
        with pytest.raises(TypeError) as usual:
            Usual(*values, **named)
        assert str(own.value) == str(usual.value).replace("Usual", "Place")
    with pytest.raises(TypeError):
        Place(1)._replace(row=2)
    with pytest.raises(AttributeError):
        Place(1).line = 2
    with pytest.raises(AttributeError):
        Place(1).row = 2


def test_patterns_match_by_place():
    match Place(3, 4):
        case Place(line, column, _):
            assert (line, column) == (3, 4)
        case _:
            raise AssertionError("not matched")
