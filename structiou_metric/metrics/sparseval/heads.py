"""Head rules: which child of a bracket is its head, by labels; SParseval's files, and a table for English.

A line names a label and its rules, which are tried in order; `l` looks from the left, `r` from the right, for
the first child with one of the labels behind it, and for any child if there are none. Where no rule of a
label fits, those of `*default*` are tried:

    *default* (r NN NNS) (r)
    NP (r NN NNS NNP) (l NP) (r JJ)
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import SettingsWarning, TreeFormatError
from ...sources.files import read_text

if TYPE_CHECKING:
    Rule = tuple[bool, tuple[str, ...]]  # whether from the left, and the labels that fit

DEFAULT = "*default*"
NO_HEADS = "none"  # instead of rules, where no dependencies are counted

_RULE = re.compile(r"\(\s*([^\s()]*)([^()]*)\)\s*")


class HeadRules:
    """Head rules by label.

    >>> HeadRules.from_text("*default* (r)\\nVP (l VBD VB) (l VP)").rules["VP"]
    ((True, ('VBD', 'VB')), (True, ('VP',)))

    Attributes:
        rules: The rules in order, for each label and for `*default*`.
        source: What to call them in errors.

    Args:
        rules: The rules in order, for each label and for `*default*`.
        source: What to call them in errors.
        lines: The line of each label in the source.
    """

    def __init__(
        self,
        rules: Mapping[str, Sequence[Rule]],
        source: str = "heads",
        lines: Mapping[str, int] | None = None,
    ) -> None:
        if not rules.get(DEFAULT):
            raise TreeFormatError(
                f"there are no rules for {DEFAULT}; add a line such as {DEFAULT} (r), the last child",
                source=source,
            )
        self.rules = {
            label: tuple((bool(left), tuple(of)) for left, of in own) for label, own in rules.items()
        }
        self.source = source
        self._lines = dict(lines or {})

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> HeadRules:
        """Reads a file of head rules; `-` is standard input."""
        text, title = read_text(path)
        return cls.from_text(text, source=title)

    @classmethod
    def from_text(cls, text: str, *, source: str = "heads") -> HeadRules:
        """Reads the text of a file of head rules.

        Args:
            text: The lines; those that begin with `#` and blank ones mean nothing.
            source: What to call the text in errors.
        """
        rules: dict[str, list[Rule]] = {}
        lines: dict[str, int] = {}
        for number, line in enumerate(text.split("\n"), 1):
            label, _, rest = line.strip().replace("\t", " ").partition(" ")
            if not label or label.startswith("#"):
                continue
            if label in rules:
                warnings.warn(
                    f"{source}:{number}: {label} has rules in line {lines[label]} already; these are ignored",
                    SettingsWarning,
                    stacklevel=2,
                )
                continue
            rules[label] = _parse(label, rest, source, number)
            lines[label] = number
        return cls(rules, source, lines)

    def where(self, label: str) -> str:
        """The place of the rules for a label, or else of the default's."""
        line = self._lines.get(label, self._lines.get(DEFAULT))
        return self.source if line is None else f"{self.source}:{line}"

    @property
    def signature(self) -> str:
        """The name of a built-in table, or a checksum of the rules."""
        from zlib import crc32

        for name, table in BUILT_IN.items():
            if table == self:
                return name
        return f"{crc32(repr(sorted(self.rules.items())).encode('utf-8', 'surrogatepass')):08x}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeadRules) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(tuple(self.rules))

    def __repr__(self) -> str:
        return f"<HeadRules of {self.source}, {len(self.rules)} labels>"


def _parse(label: str, text: str, source: str, line: int) -> list[Rule]:
    """The rules behind a label."""
    rules: list[Rule] = []
    at, text = 0, text.strip()
    while at < len(text):
        found = _RULE.match(text, at)
        if found is None or found[1] not in ("l", "r"):
            raise TreeFormatError(
                f"cannot read the rules of {label} at {text[at : at + 20]!r}; "
                "write each as (l LABEL …) or (r LABEL …)",
                source=source,
                line=line,
            )
        rules.append((found[1] == "l", tuple(found[2].split())))
        at = found.end()
    if not rules:
        raise TreeFormatError(f"{label} has no rules; write some such as (r)", source=source, line=line)
    return rules


# For labels of the Penn Treebank: lexical heads first, then phrases that can stand for them, then an edge.
ENGLISH = HeadRules.from_text(
    """
*default* (l S SINV SQ VP) (r NN NNS NNP NNPS) (l NP) (r)
ADJP (r JJ JJR JJS) (r VBN VBG) (r ADJP) (r CD QP) (l $ NNS NN NP) (r RB RBR) (r)
ADVP (r RB RBR RBS) (r ADVP) (r WRB) (l IN RP TO) (r JJ JJR) (r NN NP) (r)
CONJP (l CC) (r RB IN) (r)
FRAG (l S SINV SQ SBAR) (l VP) (l NP) (l PP ADJP ADVP) (l)
INTJ (l UH) (l INTJ) (l)
LST (l LS CD) (l)
NAC (r NN NNS NNP NNPS NAC NX) (l NP) (r CD QP JJ) (r)
NP (r NN NNS NNP NNPS NX) (l NP) (r PRP EX WP) (r CD QP $ PRP$) (r JJR JJS JJ ADJP) (r DT WDT VBG) (r RB) (r)
NX (r NN NNS NNP NNPS NX) (l NP) (r JJ CD) (r)
PP (l IN TO) (l VBG VBN) (l RP FW) (l PP) (l)
PRN (l S SINV SQ SBAR) (l VP) (l NP PP) (l)
PRT (l RP) (l)
QP (r CD) (r $) (r NN NNS) (r JJ JJR DT) (r QP) (r)
RRC (l VP) (l NP) (l ADJP ADVP) (l PP) (l)
S (l VP) (l S SINV SQ) (l SBAR) (l ADJP UCP) (r NP) (l)
SBAR (l IN DT TO) (l WHNP WHADVP WHPP WHADJP) (l S SINV SQ) (l SBAR) (l)
SBARQ (l SQ SINV S) (l SBARQ) (l VP) (l FRAG) (l)
SINV (l VBZ VBD VBP VB MD) (l VP) (l S SINV) (l)
SQ (l VBZ VBD VBP VB MD) (l VP) (l SQ S) (l)
UCP (l)
VP (l MD VBZ VBD VBP VB VBN VBG TO) (l VP) (l S) (l ADJP NP) (l)
WHADJP (r JJ) (r WRB) (r)
WHADVP (r WRB) (r RB) (r)
WHNP (r NN NNS NNP NNPS) (l WP WDT WP$) (l WHNP NP) (r)
WHPP (l IN TO) (l)
X (r)
""",
    source="the built-in head rules for English",
)

BUILT_IN = {"english": ENGLISH}


def as_heads(value: Any) -> HeadRules | str:
    """The rules themselves, those of a built-in table (`english`), or of a file; `none` stays."""
    if isinstance(value, HeadRules) or value == NO_HEADS:
        return value  # type: ignore[no-any-return]
    if isinstance(value, (str, os.PathLike)):
        return BUILT_IN.get(os.fspath(value)) or HeadRules.read(value)
    raise TypeError(
        f"heads must be HeadRules, a file or one of {', '.join(BUILT_IN)}, {NO_HEADS}, "
        f"not {type(value).__name__}"
    )
