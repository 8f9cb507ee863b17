"""ParsEval as EVALB does it, read off step by step: every pair of brackets is looked at, slowly.

Written from the description of EVALB and EVALB_SPMRL, apart from the package: it reads brackets by itself,
keeps them in the order in which they open, and inserts repaired quotes into lists.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Row(NamedTuple):
    """The numbers of a line of EVALB, except recall, precision and accuracy."""

    length: int
    status: int = 0
    matched: int = 0
    n_pred: int = 0
    n_ref: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0


@dataclass
class Bracket:
    label: str
    start: int
    end: int = -1
    deleted: bool = False
    used: bool = False


@dataclass
class Quote:
    tag: str
    word: str
    place: int  # how many words are kept before it
    n_opened: int  # brackets that opened before it
    around: list[Bracket]
    reinserted: bool = False


@dataclass
class Side:
    length: int = 0
    tags: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    brackets: list[Bracket] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)


def rows(prediction: str, reference: str, parameters: Any, variant: str, count_empty: bool, compat: bool):
    """The rows printed for a sentence: one, or two by a quirk of EVALB_SPMRL."""
    spmrl = variant == "spmrl"
    if not compat:
        prediction, reference = _unwrapped(prediction), _unwrapped(reference)
    pred, ref = _read(prediction, parameters, spmrl), _read(reference, parameters, spmrl)
    length = ref.length
    if not pred.words:
        if count_empty and compat:
            return [Row(length, 3, n_ref=_spmrl_weight(ref, parameters), words=len(ref.words))]
        if count_empty and ref.words:
            _delete(ref, parameters, spmrl)
            n_ref = sum(not bracket.deleted for bracket in ref.brackets)
            return [Row(length, 3, n_ref=n_ref, words=len(ref.words))]
        return [Row(length, 2)]
    if len(pred.words) != len(ref.words):
        _repair_quotes(pred, ref, parameters, again=spmrl)
    found = []
    if len(pred.words) != len(ref.words):
        if not (spmrl and compat):
            return [Row(length, 1)]
        found.append(Row(length))
        if len(ref.words) > 1:
            return found
    for ours, theirs in zip(pred.words, ref.words):  # noqa: B905 (the quirk goes on with different lengths)
        if ours != theirs and not _paired(ours, theirs, parameters.equal_words):
            return [*found, Row(length, 1)]
    return [*found, _compare(pred, ref, parameters, spmrl, length)]


def details(prediction: str, reference: str, parameters: Any) -> tuple[Side, Side] | None:
    """Both sides of a sentence as EVALB compared them, with the brackets that count; None if it did not."""
    [row] = rows(prediction, reference, parameters, "evalb", False, False)
    if row.status != 0:
        return None
    pred, ref = (_read(_unwrapped(text), parameters, False) for text in (prediction, reference))
    if len(pred.words) != len(ref.words):
        _repair_quotes(pred, ref, parameters, again=False)
    _compare(pred, ref, parameters, False, 0)
    for side in (pred, ref):
        side.brackets = [bracket for bracket in side.brackets if not bracket.deleted]
    return pred, ref


def _unwrapped(text: str) -> str:
    """The text without an outermost bracket that has no label and wraps one tree."""
    inside = re.fullmatch(r"\s*\(\s*(\(.*\))\s*\)\s*", text, flags=re.DOTALL)
    if inside is None:
        return text
    depth, ends = 0, 0
    for character in inside[1]:
        depth += (character == "(") - (character == ")")
        ends += character == ")" and depth == 0
    return inside[1] if ends == 1 else text


def _read(text: str, parameters: Any, spmrl: bool) -> Side:
    side = Side()
    stack: list[Bracket] = []
    for opened, tag, word, close in re.findall(
        r"(\([^\s()]*)(?=\s*[()])|\(([^\s()]*)\s+([^\s()]+)\s*\)|(\))", text
    ):
        if close:
            stack.pop().end = len(side.words)
        elif opened:
            stack.append(Bracket(opened[1:], len(side.words)))
            side.brackets.append(stack[-1])
        else:
            if (
                tag not in parameters.delete_labels_for_length
                and word not in parameters.delete_words_for_length
            ):
                side.length += 1
            if word in parameters.delete_words:
                continue
            if tag in parameters.quote_labels and word in "'\"/":
                quote = Quote(tag, word, len(side.words), len(side.brackets), list(stack))
                side.quotes.append(quote)
            if spmrl or tag not in parameters.delete_labels:
                side.tags.append(tag)
                side.words.append(word)
    return side


def _paired(a: str, b: str, pairs: Any) -> bool:
    return (a, b) in pairs or (b, a) in pairs


def _same_label(a: str, b: str, parameters: Any) -> bool:
    return a == b or _paired(a, b, parameters.equal_labels)


def _cut(label: str, spmrl: bool) -> str:
    return re.split("[-=#]" if spmrl else "[-=]", label)[0]


def _repair_quotes(pred: Side, ref: Side, parameters: Any, *, again: bool) -> None:
    for ours in pred.quotes:
        place = ours.place
        for theirs in ref.quotes:
            if theirs.place != place or theirs.tag == ours.tag:
                continue
            gone = ours.tag in parameters.delete_labels, theirs.tag in parameters.delete_labels
            if gone == (False, True) and (again or not theirs.reinserted):
                _reinsert(theirs, ref)
            elif gone == (True, False) and (again or not ours.reinserted):
                _reinsert(ours, pred)


def _reinsert(quote: Quote, side: Side) -> None:
    side.words.insert(quote.place, quote.word)
    side.tags.insert(quote.place, quote.tag)
    for bracket in side.brackets[quote.n_opened :]:
        bracket.start += 1
        bracket.end += 1
    for bracket in quote.around:
        bracket.end += 1
    for later in side.quotes[side.quotes.index(quote) :]:
        later.place += 1
    quote.reinserted = True


def _delete(side: Side, parameters: Any, spmrl: bool) -> None:
    for bracket in side.brackets:
        bracket.label = _cut(bracket.label, spmrl)
        for label in parameters.delete_labels:
            if _same_label(bracket.label, _cut(label, True) if spmrl else label, parameters):
                bracket.deleted = True
        if bracket.start == bracket.end:
            bracket.deleted = True


def _spmrl_weight(side: Side, parameters: Any) -> int:
    return sum(
        1
        + sum(
            not _same_label(_cut(bracket.label, True), _cut(label, True), parameters)
            for label in parameters.delete_labels
        )
        for bracket in side.brackets
        if bracket.start < bracket.end
    )


def _compare(pred: Side, ref: Side, parameters: Any, spmrl: bool, length: int) -> Row:
    _delete(pred, parameters, spmrl)
    _delete(ref, parameters, spmrl)
    ours = [bracket for bracket in pred.brackets if not bracket.deleted]
    theirs = [bracket for bracket in ref.brackets if not bracket.deleted]
    matched = 0
    for r in theirs:
        for p in ours:
            if (
                not p.used
                and (p.start, p.end) == (r.start, r.end)
                and (not parameters.labeled or _same_label(r.label, p.label, parameters))
            ):
                p.used = r.used = True
                matched += 1
                break
    crossing = sum(
        any(r.start < p.start < r.end < p.end or p.start < r.start < p.end < r.end for r in theirs)
        for p in ours
    )
    tags = [(_cut(tag, True) if spmrl else tag) for tag in pred.tags]
    wanted = [(_cut(tag, True) if spmrl else tag) for tag in ref.tags]
    n_words = len(ref.words)
    correct = sum(_same_label(tags[i], wanted[i], parameters) for i in range(n_words))
    return Row(length, 0, matched, len(ours), len(theirs), crossing, n_words, correct)
