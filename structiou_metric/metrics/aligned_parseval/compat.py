"""What jp-evalb counts, quirks and crashes included; for the figures that were published with it.

Against the metric's own rules: of doubled brackets one counts as matched and each in the totals; `S1` is a
bracket of the reference alone; labels are cut at `-` only; deleted brackets go with all that they contain; a
tag is right wherever its word stands in the pair; of the parameters, `LABELED`, `CUTOFF_LEN`, `MAX_ERROR` and
`EQ_WORD` mean nothing; the length of a pair has the deleted words of the reference with the pair's number;
sentences behind as many predictions as there are references are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from ..._core.flat import FlatTrees
from ..._core.scan import Scanner
from ...errors import TreeFormatError, TreeMismatchError
from ..parseval.parameters import COLLINS, Parameters
from .pairing import READ, PairedRows, pair_sentences
from .sentences import distances

if TYPE_CHECKING:
    from ...sources.rows import Rows
    from .sentences import Sizes

    Groups = list[str | list[str]]

_SIMILAR = 0.15
_SPELLINGS = {"''": '"', "`": "'", "``": '"', "ca": "can", "wo": "will", "n't": "not"}
_QUOTES = ("'", '"', "/")
_CURE = "leave compat out to have it counted"


class JpRules:
    """What is deleted, and what counts as the same.

    Args:
        mode: `default` or `evalb`.
        parameters: The parameters that were given, or None.
    """

    def __init__(self, mode: str, parameters: Parameters | None) -> None:
        self.positional = mode == "evalb"
        self._deletes = parameters is not None or self.positional
        if parameters is None:
            parameters = COLLINS if self.positional else Parameters()
            # The program takes this label for a list of letters, of which none is a label.
            self._lengthless: Collection[str] = ()
        else:
            self._lengthless = parameters.delete_labels_for_length
        self._parameters = parameters

    def side(self, trees: Any, t: int, labels: Sequence[str]) -> JpSide:
        """A tree, or a run of trees, without what is deleted."""
        return JpSide(trees, t, labels, self)

    def deletes(self, label: str, is_tag: bool, word: str) -> bool:
        """Whether a bracket or a word goes, by its label."""
        if not self._deletes:
            return False
        if label in self._parameters.delete_labels:
            return True
        return is_tag and label in self._parameters.quote_labels and word in _QUOTES

    def has_length(self, label: str) -> bool:
        """Whether a deleted word with that tag counts in the length."""
        return label not in self._lengthless

    def same(self, a: str, b: str) -> bool:
        """Whether two labels are taken for the same."""
        return self._deletes and any(a in pair and b in pair for pair in self._parameters.equal_labels)


class JpSide:
    """One side of a pair.

    Attributes:
        words: The words that are kept.
        tags: The tags of these words.
        brackets: The label and the span of all brackets above tags, in words that are kept.
        n_deleted: The number of deleted words that count in the length.
    """

    def __init__(self, trees: Any, t: int, labels: Sequence[str], rules: JpRules) -> None:
        ids, self._sizes, self._firsts, self._lasts = trees.nodes(t)
        self._labels = [labels[i] for i in ids]
        texts = _words(trees, t)
        n_words = len(texts)
        tags: list[str] = [""] * n_words
        for i in range(len(self._labels) - 1, -1, -1):  # the innermost bracket comes last
            for word in range(self._firsts[i], self._lasts[i]):
                tags[word] = self._labels[i]
        gone = self._find_deleted(texts, rules)
        kept = [True] * n_words
        for i, is_gone in enumerate(gone):
            if is_gone:
                kept[self._firsts[i] : self._lasts[i]] = [False] * (self._lasts[i] - self._firsts[i])
        self.words = [text for text, keep in zip(texts, kept, strict=True) if keep]
        self.tags = [tag for tag, keep in zip(tags, kept, strict=True) if keep]
        self.n_deleted = sum(not keep and rules.has_length(tag) for tag, keep in zip(tags, kept, strict=True))
        rank = [0]
        for keep in kept:
            rank.append(rank[-1] + keep)
        self.brackets = [
            (self._labels[i].partition("-")[0], rank[self._firsts[i]], rank[self._lasts[i]])
            for i in range(len(self._labels))
            if not gone[i]
            and rank[self._firsts[i]] < rank[self._lasts[i]]
            and any(
                not gone[child] and rank[self._firsts[child]] < rank[self._lasts[child]]
                for child in self._children(i)
            )
        ]

    def _children(self, i: int) -> list[int]:
        children = []
        child = i - 1
        while child > i - self._sizes[i]:
            children.append(child)
            child -= self._sizes[child]
        return children

    def _find_deleted(self, texts: Sequence[str], rules: JpRules) -> list[bool]:
        """Which brackets go; a root with one child never does."""
        gone = [False] * len(self._labels)
        i = root = len(self._labels) - 1
        while i >= 0:
            is_tag = self._sizes[i] == 1 and self._lasts[i] - self._firsts[i] == 1
            exempt = i == root and self._has_one_child(i)
            word = texts[self._firsts[i]] if is_tag else ""
            if i == root:
                root -= self._sizes[i]
            if not exempt and rules.deletes(self._labels[i], is_tag, word):
                gone[i - self._sizes[i] + 1 : i + 1] = [True] * self._sizes[i]
                i -= self._sizes[i]
            else:
                i -= 1
        return gone

    def _has_one_child(self, i: int) -> bool:
        children = self._children(i)
        covered = sum(self._lasts[child] - self._firsts[child] for child in children)
        n_words: int = self._lasts[i] - self._firsts[i] - covered
        return len(children) + n_words <= 1


def count_pair(pred: JpSide, ref: JpSide, rules: JpRules, names: tuple[str, str]) -> dict[str, int] | None:
    """The columns of a pair; None if it is an error because the numbers of words differ."""
    groups = group_words(pred.words, ref.words, names)
    if rules.positional and len(pred.words) != len(ref.words):
        return None
    ours = _in_groups(pred.brackets, groups[0], ("TOP", "", "S1"))
    theirs = _in_groups(ref.brackets, groups[1], ("TOP", ""))
    common = set(ours) & set(theirs)
    matched = len(common)
    rest = [bracket for bracket in ours if bracket not in common]
    for label, *span in theirs:
        if (label, *span) not in common:
            matched += sum(span == other and rules.same(label, name) for name, *other in rest)
    tagged = [list(zip(side.tags, side.words, strict=True)) for side in (pred, ref)]
    if rules.positional:
        tags = sum(map(tuple.__eq__, *tagged))
    else:
        tags = sum((Counter(tagged[0]) & Counter(tagged[1])).values())
    return {
        "matched": matched,
        "gold": len(theirs),
        "test": len(ours),
        "cross": sum(any(_cross(a, b) for b in theirs) for a in ours),
        "words": len(ref.words),
        "tags": tags,
        "n_groups": len(groups[1]),
    }


def _cross(a: tuple[str, int, int], b: tuple[str, int, int]) -> bool:
    return a[1] < b[1] < a[2] < b[2] or b[1] < a[1] < b[2] < a[2]


def _in_groups(
    brackets: Sequence[tuple[str, int, int]], groups: Groups, left_out: Collection[str]
) -> list[tuple[str, int, int]]:
    """Brackets with spans counted in groups."""
    place = [g for g, group in enumerate(groups) for _ in ([group] if isinstance(group, str) else group)]
    return [(label, place[lo], place[hi - 1] + 1) for label, lo, hi in brackets if label not in left_out]


def group_words(first: Sequence[str], second: Sequence[str], names: tuple[str, str]) -> tuple[Groups, Groups]:
    """The words of both sides in groups; two words that simply stand for each other are no lists."""
    if not first or not second:
        return list(first), list(second)
    groups: tuple[Groups, Groups] = [], []
    sides = first, second
    at = [0, 0]
    left = [sum(map(len, side)) for side in sides]
    while at[0] < len(first) and at[1] < len(second):
        begin = tuple(at)
        last = [len(side) - 1 for side in sides]
        plain = first[at[0]].lower() == second[at[1]].lower() or at == last
        if not plain and (at[0] == last[0] or at[1] == last[1]):
            at = last
        for k in (0, 1):
            left[k] -= sum(map(len, sides[k][begin[k] : at[k] + 1]))
        while not plain and at != last:
            if at[0] == last[0] or at[1] == last[1]:
                raise _crash(
                    f"the words of {names[0]} and {names[1]}",
                    "a group of words reaches the last word of one side and not of the other",
                )
            if first[at[0] + 1].lower() == second[at[1] + 1].lower() or left[0] == left[1]:
                break
            k = 0 if left[0] > left[1] else 1
            at[k] += 1
            left[k] -= len(sides[k][at[k]])
        for k in (0, 1):
            words = list(sides[k][begin[k] : at[k] + 1])
            groups[k].append(words[0] if plain else words)
            at[k] += 1
    for k in (0, 1):
        if at[k] < len(sides[k]):
            final = groups[k][-1]
            groups[k][-1] = ([final] if isinstance(final, str) else final) + list(sides[k][at[k] :])
    return groups


def pair_as_jp(
    predictions: Rows, references: Rows, first: int, rules: JpRules
) -> tuple[PairedRows, PairedRows]:
    """The pairs of both sides as jp-evalb makes them; where it crashes, an error that says so."""
    deleted: list[int] = []

    def read(rows: Rows, begin: int) -> list[str]:
        texts, counts = _read(rows, begin, rules)
        deleted[:] = counts  # the references are read last
        return texts

    pairs = pair_sentences(predictions, references, first, read=read, align=align_sentences)
    if pairs is None:
        raise AssertionError("other rules than the metric's own always make pairs")
    ref = pairs[1]
    begins: dict[int, int] = {}  # of documents, of which all sentences are read one after the other
    extra = []
    for row, number in enumerate(ref.numbers, first):
        if ref.apart:
            begin = begins.setdefault(number, row)
            offset = ref.trees(begin).start
            extra.append(deleted[offset + row - begin])
        else:
            extra.append(deleted[row - first])
    ref.extra = extra
    return pairs


def _read(rows: Rows, first: int, rules: JpRules) -> tuple[list[str], list[int]]:
    """The text of each sentence, and how many of its deleted words count in a length."""
    scanner, trees = Scanner(), FlatTrees()
    texts: list[str] = []
    deleted: list[int] = []
    end = first + len(rows)
    for lo in range(first, end, READ):
        hi = min(lo + READ, end)
        problems = rows.load(lo, hi, "word", scanner, trees)
        for t, row in enumerate(range(lo, hi)):
            if row in problems or not len(trees.nodes(t)[0]):
                what = str(problems[row]) if row in problems else f"{rows.name(row)} is blank"
                raise TreeFormatError(f"{what}\njp-evalb ends with ValueError where it reads this; {_CURE}")
            texts.append(" ".join(_words(trees, t)).lower())
            deleted.append(rules.side(trees, t, scanner.labels).n_deleted)
    return texts, deleted


def _words(trees: Any, t: int) -> list[str]:
    return [trees.word(t, i) for i in range(len(trees.words(t)[0]))]


def align_sentences(first: Sequence[str], second: Sequence[str]) -> Sizes:
    """How many sentences of both sides each pair has; texts are in lower case, with blanks between words."""
    n, m = len(first), len(second)
    ours, theirs = ([_spelled(text) for text in side] for side in (first, second))

    def same(i: int, j: int) -> bool:
        begin = i, j
        while i < n and j < m:
            if ours[i] == theirs[j]:
                return True
            if not second[j]:
                return False
            edits = distances(first[i], second[j], [len(first[i])], [len(second[j])])[0][0]
            if edits / len(second[j]) > _SIMILAR:
                return False
            i, j = i + 1, j + 1
        raise _crash(
            f"sentence {begin[0] + 1} of the predictions with sentence {begin[1] + 1} of the references",
            "it goes on to a sentence behind the last one",
        )

    sizes: Sizes = []
    i = j = 0
    while i < n and j < m and i <= m:
        begin = i, j
        if not same(i, j) and (i, j) != (n - 1, m - 1):
            while not same(i + 1, j + 1) and len(first[i]) != len(second[j]):
                if len(first[i]) < len(second[j]):
                    i += 1
                else:
                    j += 1
        i, j = i + 1, j + 1
        sizes.append((i - begin[0], j - begin[1]))
    return sizes


def _spelled(text: str) -> str:
    return "".join(_SPELLINGS.get(word, word) for word in text.split(" "))


def _crash(where: str, why: str) -> TreeMismatchError:
    return TreeMismatchError(f"jp-evalb ends with IndexError when it aligns {where}: {why}; {_CURE}")
