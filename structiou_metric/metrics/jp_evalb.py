"""The rules of jp-evalb itself (Jo, Park and Park 2024), which aligned ParsEval follows with `compat`.

Differences from the metric's own rules: of doubled brackets one counts as matched, and each in the totals;
`S1` is a bracket of the reference alone; labels are cut at `-` only; deleted brackets vanish with their
contents; a tag is right if its word has it anywhere in the pair; `LABELED`, `CUTOFF_LEN`, `MAX_ERROR` and
`EQ_WORD` have no effect; the length of a pair includes the deleted words of the reference sentence whose
number is that of the pair; when there are more predictions than references, some at the end are dropped.
Where the program crashes there is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..errors import TreeFormatError, TreeMismatchError
from .base import Options
from .edits import edit_distance
from .pairs import PlainTree, ranks_of
from .parseval.parameters import COLLINS, Parameters
from .sentence_pairs import QUOTES, PairedRows, Side, pair_sentences, read_sentences

if TYPE_CHECKING:
    from ..sources.rows import Problems, Rows
    from .sentence_pairs import Sizes

# The modes of the program: by default, and with its option `-evalb`.
MODES = ("default", "evalb")
CURE = "leave compat out to count it"

_SIMILAR = 0.15  # share of letters that similar sentences may differ in
_SPELLINGS = {"''": '"', "`": "'", "``": '"', "ca": "can", "wo": "will", "n't": "not"}


class JpRules:
    """The rules of jp-evalb for what is deleted, and what counts as the same.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        parameters: Parameters | None = options.parameters
        self.is_positional = options.compat == "evalb"  # whether tags are compared one by one
        self._deletes = parameters is not None or self.is_positional
        # Without a file, the program takes this label for a list of letters, of which none is a label.
        self._lengthless: Collection[str] = () if parameters is None else parameters.delete_labels_for_length
        self._parameters = parameters or (COLLINS if self.is_positional else Parameters())

    def same(self, a: str, b: str) -> bool:
        """Return whether two labels are taken for the same."""
        return self._deletes and any(a in pair and b in pair for pair in self._parameters.equal_labels)

    def same_but_case(self, a: str, b: str) -> bool:
        """Return whether two words are the same except for case."""
        return a.lower() == b.lower()

    def side(self, tree: PlainTree) -> Side:
        """Return one side of a pair; its length is all words except deleted ones that do not count."""
        labels, _, firsts, lasts, words = tree
        tags = [""] * len(words)
        for i in range(len(labels) - 1, -1, -1):  # the innermost bracket comes last
            tags[firsts[i] : lasts[i]] = [labels[i]] * (lasts[i] - firsts[i])
        gone = self._find_deleted(tree)
        kept = [True] * len(words)
        for first, last, is_gone in zip(firsts, lasts, gone, strict=True):
            if is_gone:
                kept[first:last] = [False] * (last - first)
        rank = ranks_of(kept)
        is_kept = [not gone[i] and rank[firsts[i]] < rank[lasts[i]] for i in range(len(labels))]
        brackets = [
            (label.partition("-")[0], rank[firsts[i]], rank[lasts[i]])
            for i, label in enumerate(labels)
            if is_kept[i] and any(is_kept[child] for child in _children(tree, i))
        ]
        n_deleted = sum(
            not keep and tag not in self._lengthless for tag, keep in zip(tags, kept, strict=True)
        )
        own = [word for word, keep in zip(words, kept, strict=True) if keep]
        own_tags = [tag for tag, keep in zip(tags, kept, strict=True) if keep]
        return Side(own, own_tags, brackets, len(own) + n_deleted, -1)

    def _find_deleted(self, tree: PlainTree) -> list[bool]:
        """Return which brackets are deleted with their contents; a root with one child never is."""
        gone = [False] * len(tree.labels)
        i = root = len(gone) - 1
        while i >= 0:
            size, first, last = tree.sizes[i], tree.firsts[i], tree.lasts[i]
            below = _children(tree, i)
            n_words = last - first - sum(tree.lasts[child] - tree.firsts[child] for child in below)
            is_exempt = i == root and len(below) + n_words <= 1
            if i == root:
                root -= size
            word = tree.words[first] if size == 1 and last - first == 1 else None
            if not is_exempt and self._is_deleted(tree.labels[i], word):
                gone[i - size + 1 : i + 1] = [True] * size
                i -= size
            else:
                i -= 1
        return gone

    def _is_deleted(self, label: str, word: str | None) -> bool:
        """Return whether a bracket is deleted by its label, or a word with its tag."""
        parameters = self._parameters
        is_quote = label in parameters.quote_labels and word in QUOTES
        return self._deletes and (label in parameters.delete_labels or is_quote)


def _children(tree: PlainTree, i: int) -> list[int]:
    """Return the nodes right below a node, from the last to the first."""
    children = []
    child = i - 1
    while child > i - tree.sizes[i]:
        children.append(child)
        child -= tree.sizes[child]
    return children


def pair_as_jp(
    predictions: Rows, references: Rows, first: int, rules: JpRules
) -> tuple[PairedRows, PairedRows]:
    """Return the pairs of both sides as jp-evalb makes them, or raise an error where it crashes."""
    extra: list[int] = []  # by pair, the deleted words of the reference sentence that has its number

    def take(tree: PlainTree, row: int, problems: Problems) -> tuple[str, int]:
        if row in problems or not tree.labels:
            why = str(problems.get(row, f"sentence {row + 1} is blank"))
            raise TreeFormatError(f"{why}\njp-evalb ends with ValueError where it reads this; {CURE}")
        side = rules.side(tree)
        return " ".join(tree.words).lower(), side.length - len(side.words)

    def align(ours: Sequence[tuple[str, int]], theirs: Sequence[tuple[str, int]]) -> Sizes:
        try:
            sizes = align_as_jp([text for text, _ in ours], [text for text, _ in theirs])
        except IndexError:
            raise TreeMismatchError(
                f"jp-evalb ends with IndexError where it aligns the sentences of {predictions.title} with "
                f"those of {references.title}, as it looks beyond the last one; {CURE}"
            ) from None
        extra.extend([n_deleted for _, n_deleted in theirs[: len(sizes)]] or [0])
        return sizes

    pairs = pair_sentences(
        predictions, references, first, lambda rows, begin: read_sentences(rows, begin, take), align
    )
    pairs[1].extra = extra
    return pairs


def align_as_jp(first: Sequence[str], second: Sequence[str]) -> Sizes:
    """Return how many sentences of both sides each pair has, from lower-case texts with blanks between words.

    Raises:
        IndexError: jp-evalb ends with this error, too.
    """
    n, m = len(first), len(second)
    spelled = [
        ["".join(_SPELLINGS.get(word, word) for word in text.split(" ")) for text in side]
        for side in (first, second)
    ]

    def same(i: int, j: int) -> bool:
        while spelled[0][i] != spelled[1][j]:
            if not second[j] or edit_distance(first[i], second[j]) / len(second[j]) > _SIMILAR:
                return False
            i, j = i + 1, j + 1  # similar sentences are the same if those after them are
        return True

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
