"""Another tokenization of the same text, as in the paper's Hebrew study: plural suffixes as tokens.

The paper breaks nouns that end in a plural suffix, parses the new tokens, and scores the result against the
trees over the old ones. Here the trees themselves are re-analysed, so that no parser is needed; a parser's
trees over the new tokens are scored like any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category, normalize

from ...metrics.parseval.metric import Parseval
from ...metrics.runner import score_systems
from ...metrics.struct_iou.metric import StructIoU
from ...sources.rows import ListRows, sign_reading
from ...trees.labels import base_label
from ...trees.surgery import cut_words
from ...trees.tree import SegmentTree

if TYPE_CHECKING:
    from ...sources.rows import Rows

SUFFIXES = ("ים", "ות")  # of Hebrew, masculine and feminine
NOUNS = ("NN", "NNT")  # of the SPMRL treebank: nouns, and nouns in construct state


class Splitter:
    """Splits suffixes from nouns.

    A preterminal over such a noun becomes two, side by side in the same parent: one over the stem
    and one over the suffix, both with its label. All other nodes stay, and so do all letters: a stem
    keeps the form of its last one.

    >>> splitter = Splitter(["s"], ["NN"])
    >>> print(splitter.split(SegmentTree.from_brackets("(NP (DT the) (NN dogs))"))[0])
    (NP (DT the) (NN dog) (NN s))

    Args:
        suffixes: The suffixes; the longest that fits is split off. Combining marks, such as niqqud, are
            ignored.
        nouns: Labels of the preterminals whose words are split, without the part after `-`, `=` or `#`.
        min_stem: The number of letters that must be left.
        suffix_label: The label of the suffix's preterminal, if not that of the noun.
    """

    def __init__(
        self,
        suffixes: Iterable[str] = SUFFIXES,
        nouns: Iterable[str] = NOUNS,
        *,
        min_stem: int = 1,
        suffix_label: str | None = None,
    ) -> None:
        self.suffixes = sorted({_letters(suffix) for suffix in suffixes}, key=lambda text: (-len(text), text))
        if not self.suffixes or "" in self.suffixes:
            raise ValueError("suffixes must be a list of texts that have letters; give at least one")
        if min_stem < 1:
            raise ValueError(f"min_stem must be at least 1, not {min_stem}; a token has letters")
        self.nouns = frozenset(nouns)
        self.min_stem = min_stem
        self.suffix_label = suffix_label

    def find(self, word: str) -> int | None:
        """Return where in the word its suffix starts, or None without one.

        >>> Splitter().find("פצועים"), Splitter().find("ים")
        (4, None)
        """
        letters = [i for i, character in enumerate(word) if not _is_mark(character)]
        text = "".join(word[i] for i in letters)
        for suffix in self.suffixes:
            n_stem = len(letters) - len(suffix)
            if text.endswith(suffix) and n_stem >= self.min_stem:
                return letters[n_stem]
        return None

    def split(self, tree: SegmentTree) -> tuple[SegmentTree, int]:
        """Return the tree over the new tokens, without times, and how many words were split.

        Only words with a preterminal of their own are looked at. If that is the root, it holds both
        tokens.
        """
        halves = {}  # stem and suffix of each word to split, by its number
        for i, label in enumerate(tree.labels):
            word = tree.firsts[i]
            is_preterminal = tree.sizes[i] == 1 and tree.lasts[i] - word == 1
            if is_preterminal and base_label(label).partition("#")[0] in self.nouns:
                text = normalize("NFC", tree.words[word])  # takes Hebrew letters with marks apart
                at = self.find(text)
                if at is not None:
                    halves[word] = text[:at], text[at:]
        return cut_words(tree, halves, label=self.suffix_label) if halves else tree, len(halves)


def _letters(text: str) -> str:
    return "".join(character for character in normalize("NFC", text) if not _is_mark(character))


def _is_mark(character: str) -> bool:
    return category(character) in ("Mn", "Me", "Cf")


class Comparison(NamedTuple):
    """One line of the table.

    Attributes:
        prediction: The name of the trees that were scored.
        reference: The name of the trees that they were scored against.
        struct_iou_sentence: STRUCT-IoU, sentence mean.
        struct_iou_corpus: STRUCT-IoU, corpus level.
        parseval_f1: ParsEval F1 of the sentences that it can compare; None if these have no brackets.
        n_incomparable: The number of sentences that it cannot compare: their tokens differ, or the parse
            failed.
    """

    prediction: str
    reference: str
    struct_iou_sentence: float
    struct_iou_corpus: float
    parseval_f1: float | None
    n_incomparable: int


class Source(NamedTuple):
    """A file: its name, how many of its words were split, and in how many sentences."""

    name: str
    n_split: int
    n_touched: int


class Tokenization(NamedTuple):
    """The result of `compare_tokenizations`.

    Attributes:
        n_sentences: How many sentences each file has.
        sources: The files, the reference first.
        comparisons: The lines of the table.
        split_references: The re-analysed reference trees.
        signature: The signature of the metric.
    """

    n_sentences: int
    sources: list[Source]
    comparisons: list[Comparison]
    split_references: list[SegmentTree]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """Return the table as values that JSON can hold, without the trees."""
        return {
            "n_sentences": self.n_sentences,
            "sources": [source._asdict() for source in self.sources],
            "comparisons": [line._asdict() for line in self.comparisons],
            "signature": self.signature,
        }


_Analysis = tuple[str, "Rows"]  # the trees of a file over one tokenization, with a name


def compare_tokenizations(
    predictions: Sequence[tuple[str, Rows]],
    references: Rows,
    *,
    splitter: Splitter | None = None,
    metric: StructIoU | None = None,
) -> Tokenization:
    """Score the reference's two analyses against each other, and each prediction, both ways, against both.

    Args:
        predictions: Files of predicted trees with their names. Their tokens may be the reference's, the
            split ones, or others over the same characters.
        references: The reference trees, one for each tree of a file.
        splitter: Which suffixes become tokens; by default the Hebrew plurals of nouns.
        metric: The metric with its options; it must count characters.
    """
    metric = metric or StructIoU(unit="char")
    if metric.options.unit != "char":
        raise ValueError(
            f"tokens differ here, so that characters are compared: unit 'char', not {metric.options.unit!r}"
        )
    splitter = splitter or Splitter()
    (plain, split), split_references, source = _analyse("reference", references, splitter)
    sources = [source]
    lines = [_compare(metric, split, plain)]
    for name, rows in predictions:
        analyses, _, source = _analyse(name, rows, splitter)
        sources.append(source)
        lines += [
            _compare(metric, analysis, reference)
            for analysis in (analyses if source.n_split else analyses[:1])
            for reference in (plain, split)
        ]
    signature = metric.signature + sign_reading(references, *(rows for _, rows in predictions))
    return Tokenization(len(references), sources, lines, split_references, signature)


def _analyse(
    name: str, rows: Rows, splitter: Splitter
) -> tuple[Sequence[_Analysis], list[SegmentTree], Source]:
    """Return the analyses of a file, as it is and split, the split trees, and how many were split."""
    found = [splitter.split(rows.tree(row, "word")) for row in range(len(rows))]
    trees = [tree for tree, _ in found]
    split_name = f"{name}, split"
    source = Source(name, sum(n for _, n in found), sum(n > 0 for _, n in found))
    return [(name, rows), (split_name, ListRows(trees, split_name))], trees, source


def _compare(metric: StructIoU, prediction: _Analysis, reference: _Analysis) -> Comparison:
    metrics = [metric, Parseval(variant="spmrl")]
    [[score, brackets]] = score_systems(metrics, [prediction[1]], reference[1])
    has_brackets = any(brackets.columns["n_pred"]) or any(brackets.columns["n_ref"])
    return Comparison(
        prediction[0],
        reference[0],
        score.sentence,
        score.corpus,
        brackets.f1 if has_brackets else None,
        len(brackets) - brackets.n_valid,
    )
