"""SParseval's parameter files: what is deleted, edited or empty, and which labels and words are the same.

A file has a keyword and its values on each line; lines that begin with `#` and blank ones mean nothing:

    DELETE_LABEL TOP       words with this tag vanish, and brackets with this label leave their children
    EMPTY_NODE -NONE-      brackets with this label, and words with this tag, vanish with all that they hold
    EDIT_LABEL EDITED      brackets of what the speaker takes back
    CLOSED_CLASS IN        tags of words whose dependencies are not between open classes
    EQ_LABEL PRT ADVP      the first label is replaced by the second
    EQ_WORDS because cuz   two words that count as the same
    FILLED_PAUSE1 uh       words with the same character behind FILLED_PAUSE count as the same

SParseval ignores what it does not know in silence. Here a warning says where it stands.
"""

from __future__ import annotations

import os
import warnings
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

from ...errors import SettingsWarning
from ...sources.files import read_text
from ..settings import check_lists

_LISTS = {
    "DELETE_LABEL": "delete_labels",
    "EMPTY_NODE": "empty_nodes",
    "EDIT_LABEL": "edit_labels",
    "CLOSED_CLASS": "closed_classes",
}
_PAIRS = {"EQ_LABEL": "equal_labels", "EQ_WORDS": "equal_words"}
_PAUSE = "FILLED_PAUSE"


class SpeechParameters(
    namedtuple(
        "SpeechParameters",
        (
            "delete_labels",
            "empty_nodes",
            "edit_labels",
            "closed_classes",
            "equal_labels",
            "equal_words",
            "filled_pauses",
        ),
        defaults=((), (), (), (), (), (), ()),
    )
):
    """What SParseval deletes and takes for the same.

    >>> SpeechParameters.from_text("DELETE_LABEL TOP\\nFILLED_PAUSE1 uh\\nFILLED_PAUSE1 um").filled_pauses
    (('1', 'uh'), ('1', 'um'))

    Attributes:
        delete_labels: Words with these tags vanish, and brackets with these labels leave their children.
        empty_nodes: Brackets with these labels vanish with what they hold.
        edit_labels: Brackets of what the speaker takes back.
        closed_classes: Tags of words that are not of an open class.
        equal_labels: Pairs of labels; the first of a pair is replaced by the second.
        equal_words: Pairs of words that count as the same, in either order; nothing follows from two pairs.
        filled_pauses: Pairs of a class and a word; words of one class count as the same.
    """

    __slots__ = ()

    delete_labels: tuple[str, ...]
    empty_nodes: tuple[str, ...]
    edit_labels: tuple[str, ...]
    closed_classes: tuple[str, ...]
    equal_labels: tuple[tuple[str, str], ...]
    equal_words: tuple[tuple[str, str], ...]
    filled_pauses: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SpeechParameters:
        """Reads a parameter file; `-` is standard input."""
        text, title = read_text(path)
        return cls.from_text(text, source=title)

    @classmethod
    def from_text(cls, text: str, *, source: str = "parameters") -> SpeechParameters:
        """Reads the text of a parameter file.

        Args:
            text: The lines of the file.
            source: What to call the text in warnings.
        """
        values: dict[str, list[Any]] = {name: [] for name in cls._fields}
        for number, line in enumerate(text.split("\n"), 1):
            keyword, *rest = line.split() or ["#"]
            if not keyword.startswith("#"):
                for message in _add(values, keyword, rest):
                    warnings.warn(f"{source}:{number}: {message}", SettingsWarning, stacklevel=2)
        return cls(**{name: tuple(value) for name, value in values.items()})

    def checked(self) -> SpeechParameters:
        """The same parameters with tuples for all lists; a ValueError where one is no list."""
        found: SpeechParameters = check_lists(self, _LISTS.values(), (*_PAIRS.values(), "filled_pauses"))
        return found


def _add(values: dict[str, list[Any]], keyword: str, rest: list[str]) -> Iterator[str]:
    """Adds what a line says; gives what is wrong with it."""
    wanted = 2 if keyword in _PAIRS else 1
    is_pause = keyword.startswith(_PAUSE) and len(keyword) == len(_PAUSE) + 1
    if not (keyword in _LISTS or keyword in _PAIRS or is_pause):
        known = ", ".join((*_LISTS, *_PAIRS, f"{_PAUSE}1, {_PAUSE}2, …"))
        yield f"unknown keyword {keyword[:40]!r} is ignored; choose from {known}"
    elif len(rest) < wanted:
        need = "two values" if wanted == 2 else "a value"
        yield f"{keyword} needs {need} with a blank before each, so this line is ignored"
    else:
        if len(rest) > wanted:
            read = " ".join((keyword, *rest[:wanted]))
            yield f"what follows {read} is ignored; write one such line for each"
        if is_pause:
            values["filled_pauses"].append((keyword[-1], rest[0]))
        elif wanted == 2:
            values[_PAIRS[keyword]].append((rest[0], rest[1]))
        else:
            values[_LISTS[keyword]].append(rest[0])


# For English transcripts in the style of the Penn Treebank's Switchboard.
ENGLISH = SpeechParameters(
    delete_labels=("TOP", ",", ".", ":", "``", "''", "-LRB-", "-RRB-", "-DFL-"),
    empty_nodes=("-NONE-",),
    edit_labels=("EDITED",),
    closed_classes=("IN", "TO", "RP", "POS"),
    equal_labels=(("PRT", "ADVP"),),
    equal_words=(("because", "cuz"), ("because", "'cause"), ("them", "'em"), ("okay", "ok")),
    filled_pauses=(
        *(("1", word) for word in ("uh", "um", "er", "erm", "eh", "ah")),
        *(("2", word) for word in ("uh-huh", "um-hum", "mm-hmm", "mhm")),
    ),
)

BUILT_IN = {"english": ENGLISH, "none": SpeechParameters()}


def as_parameters(value: SpeechParameters | str | os.PathLike[str]) -> SpeechParameters:
    """The parameters themselves, those of a built-in set (`english`, `none`), or of a file."""
    if isinstance(value, SpeechParameters):
        return value.checked()
    if isinstance(value, (str, os.PathLike)):
        return BUILT_IN.get(os.fspath(value)) or SpeechParameters.read(value)
    raise TypeError(
        f"parameters must be SpeechParameters, a file or one of {', '.join(BUILT_IN)}, "
        f"not {type(value).__name__}"
    )
