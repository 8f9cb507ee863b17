"""Explanations, found from the words, of why the texts of two sides do not pair up, and their cure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from unicodedata import category

from ..trees.labels import TRACE
from ..trees.spelling import plain_spelling
from ..trees.surgery import dropped_words
from ..wording import brief, count

if TYPE_CHECKING:
    _Texts = Sequence[tuple[str, Sequence[str]]]

# Words that a treebank writes for empty elements, such as *, *-1, *T*-1, *?* and 0.
_TRACE = re.compile(r"\*(?:(?:\?|[A-Z]+)\*)?(?:-\d+)?|0")


def _is_trace(word: str) -> bool:
    return _TRACE.fullmatch(word) is not None


def _is_quote(word: str) -> bool:
    return word in ('"', "'")


def _is_punctuation(word: str) -> bool:
    return bool(word) and all(category(character)[0] == "P" for character in word)


# Kinds of words that one side may have more of: a test for them, their name, and the cure.
_KINDS: tuple[tuple[Callable[[str], bool], str, str], ...] = (
    (_is_trace, "trace", "remove traces, or drop them by the label of their leaves (drop '-NONE-')"),
    (_is_quote, "quote", "leave quotes in both sides, or in neither"),
    (_is_punctuation, "punctuation", "leave punctuation in both sides, or in neither"),
)


def explain_mismatch(
    names: tuple[str, str],
    words: tuple[Sequence[str], Sequence[str]],
    cures: Mapping[str, str],
    *,
    neighbours: tuple[_Texts, _Texts] = ((), ()),
    by_characters: bool = False,
) -> str:
    """Return why two texts differ in length, and how to cure it.

    >>> names, cures = ("prediction", "reference"), {"tokens": "score them", "text": "align them"}
    >>> explain_mismatch(names, (["re", "enter"], ["reenter"]), cures)
    "the same characters are divided into different words from 're' and 'reenter' (word 1) on; score them"
    >>> explain_mismatch(names, (["no"], ["no", "."]), cures)
    "only reference has the punctuation '.' (word 2); leave punctuation in both sides, or in neither"

    Args:
        names: The names of the predicted and the reference tree.
        words: The words of both trees that count.
        cures: The advice for texts that divide the same characters into different words (`tokens`), and for
            texts that differ (`text`).
        neighbours: The names and words of the references next to this one, and of the predictions.
        by_characters: Whether the numbers of characters differ, wherever words end.
    """
    pred, ref = ([plain_spelling(word) for word in side] for side in words)
    for own, texts, beside in zip(names, (pred, ref), neighbours, strict=True):
        for name, others in beside:
            if texts and texts == [plain_spelling(word) for word in others]:
                cause = "is a row missing, is one too many, or are rows in another order?"
                return f"{own} has the words of {name}; {cause}"
    same_text = "".join(pred) == "".join(ref)
    if same_text and by_characters:
        pred, ref = map(list, words)  # the lengths differ by spelling alone
    places = _first_characters(pred, ref) if by_characters else [_first_difference(pred, ref)] * 2
    found = [side[at] if at < len(side) else "" for side, at in zip(words, places, strict=True)]
    if same_text:
        what = "only written differently" if by_characters else "divided into different words"
        cure = "write it alike on both sides" if by_characters else cures["tokens"]
        return f"the same characters are {what} from {_quote_words(found, places)} on; {cure}"
    for is_kind, noun, cure in _KINDS:
        left, right = ([word for word in side if not is_kind(word)] for side in (pred, ref))
        if left == right or (by_characters and "".join(left) == "".join(right)):
            at_kind = [is_kind(plain_spelling(word)) for word in found]
            if all(at_kind) or not any(at_kind):
                return f"only {noun} differs, first {_quote_words(found, places)}; {cure}"
            side = 0 if at_kind[0] else 1
            return f"only {names[side]} has the {noun} {brief(found[side])} (word {places[side] + 1}); {cure}"
    if not all(found):
        short = 1 if found[0] else 0
        longer = 1 - short
        more = f"word {places[longer] + 1} of {names[longer]}, {brief(found[longer])}"
        return f"{names[short]} ends before {more}; {cures['text']}"
    return f"they differ from {_quote_words(found, places)} on; {cures['text']}"


def _quote_words(found: Sequence[str], places: Sequence[int]) -> str:
    """Return two words with their numbers, such as `'re' and 'reenter' (word 1)`."""
    first, second = (brief(word) if word else "nothing" for word in found)
    if places[0] == places[1]:
        return f"{first} and {second} (word {places[0] + 1})"
    return f"{first} (word {places[0] + 1}) and {second} (word {places[1] + 1})"


def _first_difference(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the first place at which two lists, or two texts, differ."""
    for i, (left, right) in enumerate(zip(a, b, strict=False)):
        if left != right:
            return i
    return min(len(a), len(b))


def _first_characters(*sides: Sequence[str]) -> list[int]:
    """Return the numbers of the words that hold the first character in which two texts differ."""
    at = _first_difference(*map("".join, sides))
    return [bisect_right(list(accumulate(map(len, side))), at) for side in sides]


# ---- sides with different numbers of rows ----------------------------------------------------------


def explain_row_counts(predictions: Any, references: Any) -> str:
    """Return where a row is missing or superfluous, found from the words of both sides, which are `Rows`.

    The text is empty if no such row is found.
    """
    sides = predictions, references
    advice = _explain_layout(sides)
    if advice:
        return advice
    pred = _texts(predictions)
    ref = _texts(references) if pred else None
    if not pred or not ref or not any(pred) or not any(ref):
        return ""
    if "".join(pred) == "".join(ref):
        return (
            "the texts as a whole agree, and are segmented differently; compare them as one document: "
            "--documents all, in Python documents=True with a list of trees in each row"
        )
    if "".join(pred).replace("\0", "") == "".join(ref).replace("\0", ""):
        return (
            "the texts as a whole have the same characters, but different sentences and words; compare "
            "their characters as one document: --documents all --unit char, in Python documents=True and "
            "unit='char'"
        )
    at = _first_difference(pred, ref)
    names = [rows.name(at) if at < len(rows) else "" for rows in sides]
    if at == min(len(pred), len(ref)):
        more = 0 if len(pred) > len(ref) else 1
        return (
            f"{sides[1 - more].title} ends before {names[more]}, and all rows up to there have the same words"
        )
    for more, (longer, shorter) in enumerate(((pred, ref), (ref, pred))):
        gone = len(longer) - len(shorter)
        if gone > 0 and longer[at + gone :] == shorter[at:]:
            which = f"{names[more]} is" if gone == 1 else f"{count(gone, 'row')} from {names[more]} on are"
            return f"{which} missing on the other side; all other rows have the same words"
    for more, (longer, shorter) in enumerate(((pred, ref), (ref, pred))):
        if len(longer) > len(shorter) and longer[at + 1 : at + 2] == shorter[at : at + 1]:
            return f"{names[more]} seems to be missing on the other side"
    if at == 0 and not set(pred) & set(ref):
        return "no row of one has the words of a row of the other"
    return f"the first rows with different words are {names[0]} and {names[1]}"


def _explain_layout(sides: tuple[Any, Any]) -> str:
    """Return which layout of brackets gives both sides the same number of rows; empty if none does."""
    if not all(hasattr(rows, "find_separators") for rows in sides):  # files of brackets
        return ""
    blanks = [len(rows.find_separators()) for rows in sides]
    if any(blanks) and len(sides[0]) - blanks[0] == len(sides[1]) - blanks[1]:
        titles = " and ".join(rows.title for rows, n_blank in zip(sides, blanks, strict=True) if n_blank)
        return f"{titles}: if blank lines separate trees, choose the layout free (--layout free)"
    if any(rows.is_crowded for rows in sides):
        by_line = [rows.by_sentence() for rows in sides]
        if all(by_line) and len(by_line[0]) == len(by_line[1]):
            crowded = " and ".join(rows.title for rows in sides if rows.is_crowded)
            return (
                f"{crowded}: some lines have several trees; if a line is a sentence, choose the "
                "layout sentence (--layout sentence)"
            )
    return ""


def _texts(rows: Any) -> list[str] | None:
    """Return the words of each row in normalized spelling, without traces; None if a row cannot be read."""
    texts = []
    for row in range(len(rows)):
        try:
            tree = rows.tree(row, None)
        except ValueError:
            return None
        gone = dropped_words(tree, (TRACE,))
        words = (plain_spelling(word) for i, word in enumerate(tree.words) if i not in gone)
        texts.append("".join(f"{word}\0" for word in words))
    return texts
