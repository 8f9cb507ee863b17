"""EVALB's parameter files: which labels and words ParsEval deletes, and which it takes for the same.

Each line of a file has a keyword and its value; blank lines and lines that begin with `#` have no effect:

    DELETE_LABEL TOP          words with this tag vanish, and brackets with this label
    DELETE_LABEL_FOR_LENGTH … words with this tag do not count in a sentence's length
    DELETE_WORD …             this word vanishes, with any tag
    DELETE_WORD_FOR_LENGTH …  this word does not count in a sentence's length
    EQ_LABEL ADVP PRT         two labels, or tags, that count as the same
    EQ_WORD … …               two words that count as the same
    QUOTE_LABEL …             tags of quotes that may be kept after all where sentences differ in length
    CUTOFF_LEN 40             the longest sentence in the second part of the summary
    LABELED 1                 0 compares brackets without their labels
    MAX_ERROR 10              the number of wrong sentences that EVALB accepts before it stops
    DEBUG 0                   has no effect here

EVALB does not have `DELETE_WORD`. As in EVALB, a line with an unknown keyword, or one that begins with a
blank, has no effect. The rest of a line from a `#` after the values on is a comment, which EVALB takes for a
part of the value. There is a warning for each of these. Other lines that cannot be used are refused.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple

from ...errors import SettingsWarning, TreeFormatError
from ...sources.files import read_text
from ..settings import check_lists

_LISTS = {
    "DELETE_LABEL": "delete_labels",
    "DELETE_LABEL_FOR_LENGTH": "delete_labels_for_length",
    "DELETE_WORD": "delete_words",
    "DELETE_WORD_FOR_LENGTH": "delete_words_for_length",
    "QUOTE_LABEL": "quote_labels",
}
_PAIRS = {"EQ_LABEL": "equal_labels", "EQ_WORD": "equal_words"}
_NUMBERS = {"CUTOFF_LEN": "cutoff", "LABELED": "labeled", "MAX_ERROR": "max_error", "DEBUG": ""}


class Parameters(NamedTuple):
    """The words and labels that ParsEval deletes and takes for the same; by default as EVALB without a file.

    >>> text = "DELETE_LABEL TOP\\nEQ_LABEL ADVP PRT\\n"
    >>> parameters = Parameters.from_text(text)
    >>> parameters.delete_labels, parameters.equal_labels, parameters.cutoff
    (('TOP',), (('ADVP', 'PRT'),), 40)

    Attributes:
        delete_labels: Words with these tags vanish, and brackets with these labels.
        delete_labels_for_length: Words with these tags do not count in a sentence's length.
        delete_words: These words vanish.
        delete_words_for_length: These words do not count in a sentence's length.
        equal_labels: Pairs of labels that count as the same. Pairs do not join: with `A B` and `B C`, A and C
            are different.
        equal_words: Pairs of words that count as the same.
        quote_labels: Tags of quotes that are restored where this gives both sides the same length.
        cutoff: The longest sentence in the second part of the summary.
        labeled: Whether labels of brackets are compared.
        max_error: The number of wrong sentences that EVALB accepts, less one.
    """

    delete_labels: tuple[str, ...] = ()
    delete_labels_for_length: tuple[str, ...] = ()
    delete_words: tuple[str, ...] = ()
    delete_words_for_length: tuple[str, ...] = ()
    equal_labels: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()
    quote_labels: tuple[str, ...] = ()
    cutoff: int = 40
    labeled: bool = True
    max_error: int = 10

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Parameters:
        """Read a parameter file; `-` is standard input."""
        text, title = read_text(path)
        return cls.from_text(text, source=title)

    @classmethod
    def from_text(cls, text: str, *, source: str = "") -> Parameters:
        """Read the text of a parameter file.

        Args:
            text: The lines of the file.
            source: What to call the text in errors.
        """
        values: dict[str, Any] = {name: [] for name in (*_LISTS.values(), *_PAIRS.values())}
        for number, line in enumerate(text.split("\n"), 1):
            keyword, *rest = _split(line) or ["#"]
            if not keyword.startswith("#"):
                try:
                    warning = _find_idle(line, keyword) or _add(values, keyword, rest)
                except ValueError as error:
                    raise TreeFormatError(str(error), source=source, line=number) from None
                if warning:
                    warnings.warn(f"{source}:{number}: {warning}", SettingsWarning, stacklevel=2)
        return cls(**values).checked()

    def checked(self) -> Parameters:
        """Return the same parameters with tuples for all lists; a ValueError where one is no list."""
        found: Parameters = check_lists(self, _LISTS.values(), _PAIRS.values())
        return found


def _find_idle(line: str, keyword: str) -> str:
    """Return why a line has no effect; an empty text if it has one."""
    if line[0] in " \t\v\f":
        return f"{keyword}: a line that begins with a blank has no effect, as in EVALB; remove the blank"
    known = {**_LISTS, **_PAIRS, **_NUMBERS}
    if keyword not in known:
        return f"unknown keyword {_short(keyword)} has no effect; choose from {', '.join(known)}"
    return ""


def _add(values: dict[str, Any], keyword: str, rest: list[str]) -> str:
    """Add the values of a line, or raise an error if it cannot be used; return a warning, if any."""
    wanted = 2 if keyword in _PAIRS else 1
    warning = ""
    if len(rest) > wanted and rest[wanted].startswith("#"):
        comment = _short(" ".join(rest[wanted:]))
        warning = f"{keyword}: {comment} is taken for a comment; EVALB takes it for a part of the value"
        del rest[wanted:]
    if len(rest) != wanted:
        raise ValueError(
            f"{keyword} takes {'two values' if wanted == 2 else 'one value'}, not {len(rest)}; "
            "write one such line for each" + (" pair" if wanted == 2 else "")
        )
    if keyword in _LISTS:
        values[_LISTS[keyword]].append(rest[0])
    elif keyword in _PAIRS:
        values[_PAIRS[keyword]].append(tuple(rest))
    elif not rest[0].lstrip("-").isdecimal():
        raise ValueError(f"{keyword} takes a whole number, not {_short(rest[0])}")
    elif keyword != "DEBUG":
        number = int(rest[0])
        values[_NUMBERS[keyword]] = bool(number) if keyword == "LABELED" else number
    return warning


def _split(line: str) -> list[str]:
    """Return the parts of a line between blanks; as in trees, only the blanks of ASCII count."""
    return [part.decode("utf-8", "surrogatepass") for part in line.encode("utf-8", "surrogatepass").split()]


def _short(text: str) -> str:
    return repr(text) if len(text) <= 40 else repr(text[:40] + "…")


# The parameters of COLLINS.prm, the usual file for the Penn Treebank.
COLLINS = Parameters(
    delete_labels=("TOP", "-NONE-", ",", ":", "``", "''", "."),
    delete_labels_for_length=("-NONE-",),
    equal_labels=(("ADVP", "PRT"),),
)

# The parameters of spmrl.prm, the file of the SPMRL shared tasks.
SPMRL = Parameters(
    delete_labels=("TOP", "ROOT", "S1", "-NONE-", "VROOT"),
    delete_labels_for_length=("-NONE-",),
    cutoff=70,
    max_error=10000,
)

# The parameters of proper.prm, the file of disco-dop: punctuation goes, by its tags in several treebanks.
PROPER = Parameters(
    delete_labels=(
        *("NOPARSE", "TOP", "ROOT", "VROOT", "$,", "$(", "$[", "$.", "PUNCT", "punct"),
        *("LET[]", "LET()", "LET", "let[]", "let()", "let", ",", ":", "``", "''", ".", "-NONE-"),
    ),
    delete_words=(
        *(".", ",", ":", ";", "'", "`", '"', "``", "''", "-", "(", ")", "/", "&", "$", "!", "!!!"),
        *("?", "??", "???", "..", "...", "«", "»"),
    ),
    equal_labels=(("ADVP", "PRT"),),
    equal_words=(("-LRB-", "("), ("-RRB-", ")")),
)

BUILT_IN = {"collins": COLLINS, "spmrl": SPMRL, "proper": PROPER}


def as_parameters(value: Parameters | str | os.PathLike[str]) -> Parameters:
    """Return parameters as they are, those of a built-in set (`collins`, `spmrl`, `proper`), or of a file.

    >>> as_parameters("collins").equal_labels
    (('ADVP', 'PRT'),)
    """
    if isinstance(value, Parameters):
        return value.checked()
    if isinstance(value, (str, os.PathLike)):
        return BUILT_IN.get(os.fspath(value)) or Parameters.read(value)
    raise TypeError(
        f"parameters must be Parameters, a file or one of {', '.join(BUILT_IN)}, not {type(value).__name__}"
    )
