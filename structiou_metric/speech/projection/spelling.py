"""The sounding characters of written words, by which leaves and transcripts are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, normalize

from ...trees.shapes import as_tree
from ...trees.spelling import ESCAPES
from ...trees.tree import SegmentTree
from ..languages import ENGLISH, name_signs, read_out
from ..words import APOSTROPHES
from .turns import CODE

_SIGN = re.compile(r"(?:[A-Za-z]{1,3})?[$£€#]")  # of a currency, such as US$
_AMOUNT = re.compile(r"\d+(?:[.,/]\d+)*|hundred|thousand|million|billion|trillion", re.IGNORECASE)


def is_sign(text: str) -> bool:
    """Return whether a text is the sign of a currency, which is said after its number.

    >>> is_sign("$"), is_sign("US$"), is_sign("%"), is_sign("$5")
    (True, True, False, False)
    """
    return _SIGN.fullmatch(text) is not None


def is_amount(text: str) -> bool:
    """Return whether a text is a part of a number, in digits or such as `million`."""
    return _AMOUNT.fullmatch(text) is not None


def _said_order(texts: Sequence[str]) -> list[str]:
    """Return texts in the order in which they are said: signs of currencies after their numbers.

    >>> _said_order(["pay", "$", "5", "million", "now"])
    ['pay', '5', 'million', '$', 'now']
    """
    said = list(texts)
    for place, text in enumerate(texts):
        if is_sign(text):
            last = _last_amount(texts, place)
            said[place:last] = [*said[place + 1 : last], text]
    return said


def as_said(tree: SegmentTree) -> tuple[SegmentTree, int]:
    """Return the tree with the signs of currencies after their numbers, and how many were moved.

    Only a sign with a node of its own moves, among its sisters.

    >>> print(as_said(SegmentTree.from_brackets("(NP ($ $) (CD 5) (NNS bills))"))[0])
    (NP (CD 5) ($ $) (NNS bills))

    Args:
        tree: The tree; its times are left out where a sign moves, as they would not be in order any more.
    """
    labels, words = list(tree.labels), list(tree.words)
    alone = {first: node for node, first in enumerate(tree.firsts) if _is_alone(tree, node)}
    n_moved = 0
    for place, text in enumerate(tree.words):
        if not is_sign(text) or place not in alone:
            continue
        parent = _parent(tree, alone[place])
        last = place + 1
        while (
            last < _last_amount(tree.words, place) and last in alone and _parent(tree, alone[last]) == parent
        ):
            last += 1
        if last == place + 1:
            continue
        nodes = slice(alone[place], alone[last - 1] + 1)
        if nodes.stop - nodes.start != last - place:  # a node without words is between them
            continue
        labels[nodes] = [*labels[nodes][1:], labels[alone[place]]]
        words[place:last] = [*words[place + 1 : last], text]
        n_moved += 1
    if not n_moved:
        return tree, 0
    return (
        SegmentTree(tuple(labels), tree.sizes, tree.firsts, tree.lasts, tuple(words), None, "word"),
        n_moved,
    )


def _last_amount(texts: Sequence[str], sign: int) -> int:
    """Return the place after the last part of the number after a sign."""
    last = sign + 1
    while last < len(texts) and is_amount(texts[last]):
        last += 1
    return last


def _is_alone(tree: SegmentTree, node: int) -> bool:
    return tree.sizes[node] == 1 and tree.lasts[node] - tree.firsts[node] == 1


def _parent(tree: SegmentTree, node: int) -> int:
    """Return the node above, or the number of nodes for the root."""
    above = range(node + 1, len(tree.sizes))
    return next((other for other in above if other - tree.sizes[other] < node), len(tree.sizes))


# Marks that recognisers and aligners write in the place of a word that they do not know, in upper or lower
# case. They may be any word of a tree.
UNKNOWN_WORDS = frozenset(
    {
        *("<unk>", "[unk]", "(unk)", "<oov>", "[oov]", "spn", "<spn>", "[spn]", "{spn}", "<garbage>"),
        *("<spoken_noise>", "[spoken_noise]", "<unknown>", "[unknown]", "<unintelligible>"),
        *("[unintelligible]", "[inaudible]", "(inaudible)", "<inaudible>", "xxx"),  # the last is CHAT's
    }
)

# Nothing below a node with one of these labels is said: traces, and in Switchboard marks of
# disfluency and codes of speakers.
SILENT_LABELS = frozenset({"-NONE-", "-DFL-", CODE})

_BRACKETS = frozenset(map(str.lower, ESCAPES))

_TRACE = re.compile(r"\*(?:(?:\?|[A-Z]+)\*)?(?:-\d+)?")  # such as *, *-1, *T*-1 and *?*

# A sign of a currency is said after its number.
_SIGN_FIRST = re.compile(r"([$£€])\s*(\d+(?:[.,]\d+)*)")

_ASCII_SILENT = re.compile(r"[^a-z0-9]+")

# Ends of words that treebanks write as leaves of their own.
_CLITICS = frozenset({"'s", "'ll", "'ve", "'re", "'d", "'m", "n't"})
_HALVES = frozenset(
    ("gon na", "wan na", "got ta", "gim me", "lem me", "'t is", "'t was", "d' ye", "y' all", "more 'n")
)
_INITIALS = re.compile(r"\w\.|(?:\w+\.){2,}\w*")  # such as j. and ph.d., which are not said as words
_COMMA = re.compile(r"(?<=\d),(?=\d)")
_POINT = re.compile(r"(?<=\d)\.(?=\d)")


@lru_cache(maxsize=65536)
def sounds(text: str, language: str = ENGLISH) -> str:
    """Return the characters of a word that sound, one for each base character.

    Case, accents and other marks, kinds of apostrophes, punctuation and treebank escapes make no
    difference; `&`, `%`, `$` and a few more signs are their names, and numbers in digits are read out, in a
    language of `LANGUAGES`; in others they have no sound, and stay digits.

    >>> sounds("N't"), sounds("Uh-huh"), sounds("th-"), sounds("café"), sounds("AT&T")
    ('nt', 'uhhuh', 'th', 'cafe', 'atandt')
    >>> sounds("-LRB-"), sounds("*T*-1"), sounds("..."), sounds("1,200"), sounds("$5")
    ('', '', '', 'onethousandtwohundred', 'fivedollars')
    """
    if text.isascii() and text.isalpha():
        return text.lower()
    if is_unspoken(text):
        return ""
    folded = read_out(_folded(text, language), language).casefold()
    if folded.isascii():
        return _ASCII_SILENT.sub("", folded)
    # Folding can compose or add marks, as of the Turkish dotted capital I.
    return "".join(char for char in normalize("NFKD", folded) if category(char)[0] in "LN")


@lru_cache(maxsize=65536)
def spelling(text: str) -> str:
    """Return the word with its accents, other marks and digits, without case and characters without sound.

    >>> spelling("Café!") == spelling("cafe\u0301"), spelling("Café") == spelling("cafe")
    (True, False)
    """
    if is_unspoken(text):
        return ""
    folded = normalize("NFKD", _folded(text, ENGLISH))
    return normalize("NFC", "".join(char for char in folded if category(char)[0] in "LNM"))


def _folded(text: str, language: str) -> str:
    return normalize("NFKD", _named(text.translate(APOSTROPHES), language)).casefold()


def _named(text: str, language: str) -> str:
    """Return the text with the names of its signs."""
    return name_signs(_SIGN_FIRST.sub(r"\2\1", text), language)


def is_unknown(text: str) -> bool:
    """Return whether a word of a transcript is for one that its writer did not know.

    >>> is_unknown("<UNK>"), is_unknown("spn"), is_unknown("spin")
    (True, True, False)
    """
    return text.lower() in UNKNOWN_WORDS


def is_unspoken(text: str) -> bool:
    """Return whether a leaf with letters is not a word: an escaped bracket or a trace."""
    return text.lower() in _BRACKETS or _TRACE.fullmatch(text) is not None


def leaf_sounds(tree: SegmentTree, language: str = ENGLISH) -> list[str]:
    """Return the characters of each leaf that sound; none for punctuation, traces and their kin.

    >>> leaf_sounds(SegmentTree.from_brackets("(S (NP (-NONE- 0)) (VP (VB Go)) (. !))"))
    ['', 'go', '']
    """
    keys = [sounds(word, language) for word in tree.words]
    for label, first, last in zip(tree.labels, tree.firsts, tree.lasts, strict=True):
        if label in SILENT_LABELS:
            keys[first:last] = [""] * (last - first)
    return keys


def spoken_words(
    trees_or_leaves: SegmentTree | str | Iterable[SegmentTree | str],
    language: str = ENGLISH,
    *,
    digits: bool | None = None,
) -> list[str]:
    """Return the words that a forced aligner should look for, in lower case.

    Leaves without sound are left out. Clitics and other halves of words go back to their words, and
    compounds are cut at their hyphens, because that is how dictionaries of pronunciation list them. Signs
    of currencies go after their numbers.

    >>> spoken_words("(S (NP (PRP I)) (VP (MD ca) (RB n't) (VP (VB re-read) (NP (PRP it)))) (. .))")
    ['i', "can't", 're', 'read', 'it']
    >>> spoken_words(["He", "'s", "gon", "na", "call", "Dr.", "J.", "Smith"])
    ["he's", 'gonna', 'call', 'dr', 'j.', 'smith']
    >>> spoken_words("(NP (NP ($ $) (CD 5)) (IN for) (PRP us))"), spoken_words(["$", "5", "million"])
    (['5', 'dollars', 'for', 'us'], ['5', 'million', 'dollars'])

    Args:
        trees_or_leaves: A tree, trees, or the texts of leaves. A text that begins with `(` and ends
            with `)` is a tree.
        language: The language that they are in.
        digits: Whether numbers stay in digits; by default in English, whose aligner knows several ways to
            read them. Otherwise they are read out in `LANGUAGES`.
    """
    digits = language == ENGLISH if digits is None else digits
    if isinstance(trees_or_leaves, (SegmentTree, str)) or callable(getattr(trees_or_leaves, "label", None)):
        trees_or_leaves = [trees_or_leaves]  # type: ignore[list-item]
    sentences: list[list[str]] = [[]]
    for item in trees_or_leaves:
        if isinstance(item, str) and not (item.startswith("(") and item.endswith(")")):
            sentences[-1].append(item)
            continue
        tree, _ = as_said(as_tree(item))
        keys = leaf_sounds(tree, language)
        sentences += [[text for text, key in zip(tree.words, keys, strict=True) if key], []]
    return [word for leaves in sentences for word in _joined(_said_order(leaves), language, digits)]


def _joined(leaves: Sequence[str], language: str, digits: bool) -> list[str]:
    """Return the words of one sentence, given its leaves."""
    texts = [
        normalize("NFC", leaf.translate(APOSTROPHES).casefold()) for leaf in leaves if sounds(leaf, language)
    ]
    whole: list[str] = []
    for previous, text in pairwise(["", *texts]):
        if whole and (text in _CLITICS or f"{previous} {text}" in _HALVES):
            whole[-1] += text
        else:
            whole.append(text)
    return [word for text in whole for word in _cut(text, language, digits)]


def _cut(text: str, language: str, digits: bool) -> list[str]:
    """Return the words of a dictionary in one written word."""
    if _INITIALS.fullmatch(text):
        return [text]
    text = _named(text, language)
    text = _COMMA.sub("", text) if digits else read_out(text, language).casefold()
    kept = [
        char if char == "'" or category(char)[0] in "LNM" or _POINT.match(text, at) else " "
        for at, char in enumerate(text)
    ]
    return [word for word in "".join(kept).split() if sounds(word, language)]
