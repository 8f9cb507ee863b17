"""A tree out of an answer that has more than a tree in it, as language models give them.

Nothing is repaired and nothing is guessed: a tree that was cut off is an error, not the subtree that was
finished, and the result says what was passed over. No reader does this by itself; it has to be asked for.

>>> found = extract("Sure (as always)! Here it is:\\n(S (NP (PRP we)) (VP (VBP run)))\\nAnything else?")
>>> found.text
'(S (NP (PRP we)) (VP (VBP run)))'
>>> found.before, found.after
('Sure (as always)! Here it is:\\n', '\\nAnything else?')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import TreeFormatError
from ..wording import brief
from .spelling import plain_spelling
from .tree import SegmentTree

# A sad face outside of brackets opens none.
_FACE = r"(?:(?<=[:;=])|(?<=[:;=][-']))\((?=\s+[^\s(]|\s*\Z)"
_BRACKETS = re.compile(rf"(?P<face>{_FACE})|\(|\)")
_MOST = 3  # reasons that an error lists


class Extracted(NamedTuple):
    """A tree that stood in a text.

    Attributes:
        text: The brackets of the tree, as they were written.
        before: The text that was skipped before it.
        after: The text that was skipped after it.
    """

    text: str
    before: str
    after: str

    @property
    def skipped(self) -> str:
        """Return all that was skipped, in a line for a log; empty if there was nothing but the tree."""
        parts = [part.strip() for part in (self.before, self.after)]
        return " … ".join(brief(part) for part in parts if part)


def extract(text: str, *, words: Sequence[str] | None = None, source: str = "") -> Extracted:
    """Return the first tree of a text: outermost brackets that are balanced and can be read.

    In every bracket there must be a word. Brackets without others in them, such as `(see below)`, are taken
    for remarks, unless there is nothing else in the text or they have the `words`.

    >>> extract("The parse is (S (NP (PRP we)) (VP (VBP run))).").text
    '(S (NP (PRP we)) (VP (VBP run)))'

    Args:
        text: The text, such as the answer of a language model.
        words: The words that the tree must have, if they are known; brackets with others are passed over.
        source: The name of the text in errors.

    Raises:
        TreeFormatError: If there is no such tree, or if one before it is not closed.
    """
    wanted = None if words is None else [plain_spelling(word) for word in words]
    reasons: list[str] = []
    for start, stop in _groups(text, source):
        alone = not text[:start].strip() and not text[stop:].strip()
        why = _refuse(text[start:stop], wanted, alone)
        if not why:
            return Extracted(text[start:stop], text[:start], text[stop:])
        reasons.append(f"{brief(text[start:stop])} {why}")
    reason = "; ".join(reasons[:_MOST]) or "it has no balanced brackets"
    if len(reasons) > _MOST:
        reason += f"; and {len(reasons) - _MOST} more"
    raise TreeFormatError(f"there is no tree in this text: {reason}", source=source)


def _groups(text: str, source: str) -> Iterator[tuple[int, int]]:
    """Yield where outermost brackets open, and where they are closed."""
    start = depth = 0
    for match in _BRACKETS.finditer(text):
        if match[0] == "(":
            if not depth:
                if match["face"]:
                    continue
                start = match.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield start, match.end()
    if depth:
        line = text.count("\n", 0, start) + 1
        column = start - text.rfind("\n", 0, start)
        raise TreeFormatError(
            f"this '(' is never closed, so that the tree may be cut off: {brief(text[start:])}",
            source=source,
            line=line,
            column=column,
        )


def _refuse(text: str, wanted: list[str] | None, alone: bool) -> str:
    """Return why balanced brackets are not the tree that is looked for; an empty text if they are."""
    try:
        tree = SegmentTree.from_brackets(text)
    except TreeFormatError as error:
        return f"is no tree ({error.message})"
    if any(first == last for first, last in zip(tree.firsts, tree.lasts, strict=True)) or not len(tree):
        return "has a bracket without a word"
    if wanted is not None:
        same = [plain_spelling(word) for word in tree.words] == wanted
        return "" if same else "has other words"
    if text.count("(") == 1 and not alone:
        return "has no brackets in it, and so is taken for a remark"
    return ""
