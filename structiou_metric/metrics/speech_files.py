"""Files that SParseval reads besides trees: parameters, head rules, and alignments of words.

Each line of a parameter file has a keyword and its values; blank lines and lines that begin with `#` have no
effect:

    DELETE_LABEL TOP       words with this tag vanish, and brackets with this label leave their children
    EMPTY_NODE -NONE-      brackets with this label, and words with this tag, vanish with their contents
    EDIT_LABEL EDITED      brackets over words that the speaker takes back
    CLOSED_CLASS IN        tags of words whose dependencies are not between open classes
    EQ_LABEL PRT ADVP      the first label is replaced by the second
    EQ_WORDS because cuz   two words that count as the same
    FILLED_PAUSE1 uh       words with the same character after FILLED_PAUSE count as the same

SParseval ignores unknown lines in silence. Here there is a warning for each.

Head rules decide by labels which child of a bracket is its head. A line names a label and its rules, which
are tried in order; `l` looks from the left, `r` from the right, for the first child with one of the labels
that follow, or for any child if no labels follow. If no rule of a label fits, those of `*default*` are tried:

    *default* (r NN NNS) (r)
    NP (r NN NNS NNP) (l NP) (r JJ)

An alignment file, as SParseval's option `-a` takes it, has an entry on each line, separated by tabs: both
words and three digits for deletion, insertion and substitution. `word<TAB>100` is a word of the reference
alone, and `<TAB>word<TAB>010` one of the prediction. The file lists the words that parameters do not delete.
A blank line ends the entries of a row; a file without blank lines is one row.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from ..errors import SettingsWarning, TreeFormatError, TreeMismatchError
from ..sources.files import read_text
from ..wording import brief, count
from .settings import check_lists

if TYPE_CHECKING:
    Rule = tuple[bool, tuple[str, ...]]  # whether from the left, and the labels that fit
    Entry = tuple[str | None, str | None]  # the words of the reference and of the prediction
    Spans = list[tuple[int, int]]  # the positions at which each word begins and ends


# ---- parameters ------------------------------------------------------------------------------------

_LISTS = {
    "DELETE_LABEL": "delete_labels",
    "EMPTY_NODE": "empty_nodes",
    "EDIT_LABEL": "edit_labels",
    "CLOSED_CLASS": "closed_classes",
}
_PAIRS = {"EQ_LABEL": "equal_labels", "EQ_WORDS": "equal_words"}
_PAUSE = "FILLED_PAUSE"


class Label(NamedTuple):
    """A label and its rule.

    Attributes:
        name: The label as it is compared.
        empties: Whether its brackets, or words with this tag, vanish with their contents.
        deletes: Whether words with this tag vanish, and its brackets leave their children.
        edits: Whether its brackets are over words that the speaker takes back.
        closes: Whether words with this tag are of a closed class.
    """

    name: str
    empties: bool
    deletes: bool
    edits: bool
    closes: bool


def cut_label(label: str) -> str:
    """Return a label before its first `-` or `=` that is neither its first nor its last character.

    >>> [cut_label(label) for label in ("NP-SBJ-1", "NP=2", "-NONE-", "S-")]
    ['NP', 'NP', '-NONE-', 'S-']
    """
    return label[: next((i for i in range(1, len(label) - 1) if label[i] in "-="), None)]


class SpeechParameters(NamedTuple):
    """The labels and words that SParseval deletes and takes for the same.

    >>> SpeechParameters.from_text("DELETE_LABEL TOP\\nFILLED_PAUSE1 uh\\nFILLED_PAUSE1 um").filled_pauses
    (('1', 'uh'), ('1', 'um'))

    Attributes:
        delete_labels: Words with these tags vanish, and brackets with these labels leave their children.
        empty_nodes: Brackets with these labels vanish with their contents.
        edit_labels: Brackets over words that the speaker takes back.
        closed_classes: Tags of words that are not of an open class.
        equal_labels: Pairs of labels; the first of a pair is replaced by the second.
        equal_words: Pairs of words that count as the same, in either order; pairs do not join.
        filled_pauses: Pairs of a class and a word; words of one class count as the same.
    """

    delete_labels: tuple[str, ...] = ()
    empty_nodes: tuple[str, ...] = ()
    edit_labels: tuple[str, ...] = ()
    closed_classes: tuple[str, ...] = ()
    equal_labels: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()
    filled_pauses: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SpeechParameters:
        """Read a parameter file; `-` is standard input."""
        text, title = read_text(path)
        return cls.from_text(text, source=title)

    @classmethod
    def from_text(cls, text: str, *, source: str = "parameters") -> SpeechParameters:
        """Read the text of a parameter file.

        Args:
            text: The lines of the file.
            source: The name of the text in warnings.
        """
        values: dict[str, list[Any]] = {name: [] for name in cls._fields}
        for number, line in enumerate(text.split("\n"), 1):
            keyword, *rest = line.split() or ["#"]
            if not keyword.startswith("#"):
                for message in _add(values, keyword, rest):
                    warnings.warn(f"{source}:{number}: {message}", SettingsWarning, stacklevel=2)
        return cls(**{name: tuple(value) for name, value in values.items()})

    def label(self, label: str) -> Label:
        """Return the rule for a label."""
        name = cut_label(label)
        name = dict(self.equal_labels).get(name, name)
        return Label(
            name,
            name in self.empty_nodes,
            name in self.delete_labels,
            name in self.edit_labels,
            name in self.closed_classes,
        )

    def checked(self) -> SpeechParameters:
        """Return the same parameters with tuples for all lists; a ValueError where one is no list."""
        found: SpeechParameters = check_lists(self, _LISTS.values(), (*_PAIRS.values(), "filled_pauses"))
        return found


def _add(values: dict[str, list[Any]], keyword: str, rest: list[str]) -> Iterator[str]:
    """Add the values of a line; yield a message for each fault."""
    wanted = 2 if keyword in _PAIRS else 1
    is_pause = keyword.startswith(_PAUSE) and len(keyword) == len(_PAUSE) + 1
    if not (keyword in _LISTS or keyword in _PAIRS or is_pause):
        known = ", ".join((*_LISTS, *_PAIRS, f"{_PAUSE}1, {_PAUSE}2, …"))
        yield f"unknown keyword {keyword[:40]!r} is ignored; choose from {known}"
    elif len(rest) < wanted:
        values_needed = "two values" if wanted == 2 else "a value"
        yield f"{keyword} needs {values_needed} with a blank before each, so this line is ignored"
    else:
        if len(rest) > wanted:
            read = " ".join((keyword, *rest[:wanted]))
            yield f"the rest of the line after {read} is ignored; write one such line for each"
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

BUILT_IN_PARAMETERS = {"english": ENGLISH, "none": SpeechParameters()}


def as_parameters(value: SpeechParameters | str | os.PathLike[str]) -> SpeechParameters:
    """Return parameters as they are, those of a built-in set (`english`, `none`), or of a file."""
    if isinstance(value, SpeechParameters):
        return value.checked()
    if isinstance(value, (str, os.PathLike)):
        return BUILT_IN_PARAMETERS.get(os.fspath(value)) or SpeechParameters.read(value)
    raise TypeError(
        f"parameters must be SpeechParameters, a file or one of {', '.join(BUILT_IN_PARAMETERS)}, "
        f"not {type(value).__name__}"
    )


# ---- head rules ---

DEFAULT = "*default*"
NO_HEADS = "none"  # in place of rules if no dependencies are counted

_RULE = re.compile(r"\(\s*([^\s()]*)([^()]*)\)\s*")


class HeadRules:
    """Head rules by label.

    >>> HeadRules.from_text("*default* (r)\\nVP (l VBD VB) (l VP)").rules["VP"]
    ((True, ('VBD', 'VB')), (True, ('VP',)))

    Attributes:
        rules: The rules in order, for each label and for `*default*`.
        source: The name of the rules in errors.

    Args:
        rules: The rules in order, for each label and for `*default*`.
        source: The name of the rules in errors.
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
        """Read a file of head rules; `-` is standard input."""
        text, title = read_text(path)
        return cls.from_text(text, source=title)

    @classmethod
    def from_text(cls, text: str, *, source: str = "heads") -> HeadRules:
        """Read the text of a file of head rules.

        Args:
            text: The lines; blank ones and those that begin with `#` have no effect.
            source: The name of the text in errors.
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
        """Return the place of the rules for a label, or else of those of `*default*`."""
        line = self._lines.get(label, self._lines.get(DEFAULT))
        return self.source if line is None else f"{self.source}:{line}"

    @property
    def signature(self) -> str:
        """The name of a built-in table, or a checksum of the rules."""
        for name, table in BUILT_IN_HEADS.items():
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
    """Return the rules in the text after a label."""
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


# For labels of the Penn Treebank: lexical heads first, then phrases that can take their place, then an edge.
ENGLISH_HEADS = HeadRules.from_text(
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

BUILT_IN_HEADS = {"english": ENGLISH_HEADS}


def as_heads(value: Any) -> HeadRules | str:
    """Return rules as they are, those of a built-in table (`english`), or of a file; `none` stays."""
    if isinstance(value, HeadRules) or value == NO_HEADS:
        return value  # type: ignore[no-any-return]
    if isinstance(value, (str, os.PathLike)):
        return BUILT_IN_HEADS.get(os.fspath(value)) or HeadRules.read(value)
    raise TypeError(
        f"heads must be HeadRules, a file or one of {', '.join(BUILT_IN_HEADS)}, {NO_HEADS}, "
        f"not {type(value).__name__}"
    )


# ---- alignments ---

_SIDES = ("reference", "prediction")


class RowAlignment:
    """The entries of one row.

    Args:
        entries: Words of the reference and of the prediction.
        source: The name of the entries in errors.
        lines: The line of each entry, if they were read from a file.
    """

    def __init__(self, entries: Sequence[Entry], source: str, lines: Sequence[int] | None = None) -> None:
        self.entries = entries
        self.source = source
        self._lines = lines

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowAlignment) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(tuple(self.entries))

    def where(self, entry: int) -> str:
        """Return the place of an entry."""
        return f"{self.source}[{entry}]" if self._lines is None else f"{self.source}:{self._lines[entry]}"

    def place(
        self,
        words: tuple[Sequence[str], Sequence[str]],
        names: tuple[str, str],
        same: Callable[[str, str], bool],
    ) -> tuple[Spans, Spans, int]:
        """Return the positions of the words of reference and prediction, and the number of positions.

        An entry is one position long, or more if a tree cuts its word into pieces: one for each piece. The
        last piece reaches to the end of the entry. A word of a tree that joins the words of two entries takes
        both.

        Args:
            words: The words of the reference's tree and of the prediction's.
            names: The names of both trees in errors.
            same: A function that returns whether two words count as the same.
        """
        sides = [self._fit(side, words[side], names[side], same) for side in (0, 1)]
        lengths = [1] * len(self.entries)
        for fitted in sides:
            for entry, piece, _ in fitted:
                lengths[entry] = max(lengths[entry], piece + 1)
        starts = [0]
        for length in lengths:
            starts.append(starts[-1] + length)
        spans = [
            [
                (starts[entry] + piece, starts[entry] + piece + 1 if until is None else starts[until])
                for entry, piece, until in fitted
            ]
            for fitted in sides
        ]
        return spans[0], spans[1], starts[-1]

    def _fit(
        self, side: int, words: Sequence[str], name: str, same: Callable[[str, str], bool]
    ) -> list[tuple[int, int, int | None]]:
        """Return the entry of each word, its number among the pieces, and for a last piece the next entry."""
        entries = [i for i, entry in enumerate(self.entries) if entry[side] is not None]
        fitted: list[tuple[int, int, int | None]] = []
        at, piece, rest = 0, 0, ""
        for number, word in enumerate(words, 1):
            if not piece:
                if at == len(entries):
                    raise TreeMismatchError(
                        f"{self.source} ends before the word {brief(word)}, number {number} of {name}; "
                        f"list all words of the {_SIDES[side]} that the parameters do not delete"
                    )
                rest = self.entries[entries[at]][side] or ""
            entry = entries[at]
            following = at + 1 < len(entries) and entries[at + 1] == entry + 1
            if normal(word) == normal(rest):
                fitted.append((entry, piece, entry + 1))
            elif len(word) < len(rest) and rest.lower().startswith(word.lower()):
                fitted.append((entry, piece, None))
                piece, rest = piece + 1, rest[len(word) :]
                continue
            elif (
                not piece
                and following
                and normal(word) == normal(rest + (self.entries[entry + 1][side] or ""))
            ):
                fitted.append((entry, 0, entry + 2))
                at += 1
            elif same(word, rest):
                fitted.append((entry, piece, entry + 1))
            else:
                raise TreeMismatchError(
                    f"{self.where(entry)}: the {_SIDES[side]}'s word is {brief(rest)}, but word {number} of "
                    f"{name} is {brief(word)}; list the words that the parameters do not delete, as in trees"
                )
            at, piece = at + 1, 0
        if at < len(entries):
            left = rest if piece else self.entries[entries[at]][side]
            raise TreeMismatchError(
                f"{self.where(entries[at])}: {name} ends before {brief(left)}; "
                f"list only words of the {_SIDES[side]} that the parameters do not delete"
            )
        return fitted


class Alignments(list[RowAlignment]):
    """The alignment of each row.

    >>> rows = as_alignments([[("a", "a"), ("uh", None), (None, "b")]])
    >>> rows.row(0).entries
    [('a', 'a'), ('uh', None), (None, 'b')]

    Args:
        rows: The alignments in the order of rows.
        source: The name of all of them in errors.
    """

    def __init__(self, rows: Iterable[RowAlignment], source: str = "alignment") -> None:
        super().__init__(rows)
        self.source = source

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Alignments:
        """Read an alignment file; `-` is standard input."""
        text, title = read_text(path)
        return cls.from_text(text, source=title)

    @classmethod
    def from_text(cls, text: str, *, source: str = "alignment") -> Alignments:
        """Read the text of an alignment file.

        >>> Alignments.from_text("a\\ta\\t000\\nuh\\t100\\n\\tb\\t010")[0].entries
        [('a', 'a'), ('uh', None), (None, 'b')]
        """
        rows: list[tuple[list[Entry], list[int]]] = [([], [])]
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                rows[-1][0].append(_entry(line, source, number))
                rows[-1][1].append(number)
            elif rows[-1][0]:
                rows.append(([], []))
        if not rows[-1][0]:
            rows.pop()
        return cls((RowAlignment(entries, source, lines) for entries, lines in rows), source)

    def row(self, row: int) -> RowAlignment:
        """Return the alignment of a row, or raise an error if there is none."""
        if row < len(self):
            return self[row]
        raise TreeMismatchError(
            f"{self.source} aligns {len(self)} of the rows, but there is a row {row + 1}; in a file, end the "
            "entries of each row by a blank line, or compare whole files as documents"
        )


def normal(word: str) -> str:
    """Return the normal form of a word: in lower case and without hyphens."""
    return word.replace("-", "").lower()


def _entry(line: str, source: str, number: int) -> Entry:
    fields = re.split(r"[ \t]+", line.rstrip())
    digits = fields.pop()
    if re.fullmatch("[01]{3}", digits):
        if len(fields) == 1 and fields[0] and digits == "100":
            return fields[0], None
        if len(fields) == 2 and fields[1] and digits[0] == "0" and bool(fields[0]) == (digits[1] == "0"):
            return fields[0] or None, fields[1]
    raise TreeFormatError(
        f"{brief(line)} is not an entry of an alignment; write both words and 000 or 001 with tabs between, "
        "a word of the reference alone as word, tab, 100, or one of the prediction alone as tab, word, tab, "
        "010",
        source=source,
        line=number,
    )


def as_alignments(value: Any) -> Alignments | None:
    """Return alignments as they are, from a file, or from a list of files or pairs of words for each row."""
    if value is None or isinstance(value, Alignments):
        return value
    if isinstance(value, (str, os.PathLike)):
        return Alignments.read(value)
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"alignment must be a file or a list of rows, not {type(value).__name__}")
    return Alignments(_row(item, f"alignment[{row}]") for row, item in enumerate(value))


def _row(value: Any, source: str) -> RowAlignment:
    if isinstance(value, RowAlignment):
        return value
    if isinstance(value, os.PathLike) or (isinstance(value, str) and value):
        [*rows] = Alignments.read(value)
        entries = [entry for row in rows for entry in row.entries]
        return RowAlignment(entries, os.fspath(value), [line for row in rows for line in row._lines or ()])
    entries = []
    for at, pair in enumerate(value if isinstance(value, (list, tuple)) else [value]):
        if (
            not isinstance(pair, (list, tuple))
            or len(pair) != 2
            or not all(word is None or isinstance(word, str) for word in pair)
            or pair[0] is pair[1] is None
        ):
            raise TypeError(
                f"{source}[{at}] is {brief(pair)}; write a list for each row, and in it for each entry a "
                "pair: the reference's word and the prediction's, or None for a side without a word"
            )
        entries.append((pair[0], pair[1]))
    return RowAlignment(entries, source)


def place_by_number(pred: Sequence[str], ref: Sequence[str], names: tuple[str, str]) -> Spans:
    """Return the positions of predicted words: one each, or two for a word that joins the words there."""
    spans: Spans = []
    at = 0
    for word in pred:
        if at >= len(ref):
            raise TreeMismatchError(
                f"{names[0]} has {count(len(pred), 'word')} and {names[1]} has {len(ref)}, so that words "
                "cannot be aligned by position; use the mode 'edit', or give an alignment"
            )
        joins = (
            at + 1 < len(ref)
            and normal(word) != normal(ref[at])
            and normal(word) == normal(ref[at] + ref[at + 1])
        )
        spans.append((at, at + 2 if joins else at + 1))
        at += 2 if joins else 1
    return spans
