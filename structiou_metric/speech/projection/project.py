"""Projection: the times of a transcript's words put on the leaves of text trees."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..._core.shapes import check_times
from ...errors import TreeFormatError, TreeMismatchError
from ...progress import Progress
from ...sources.rows import as_list
from ...terminal import printable
from ...trees.shapes import as_tree
from ...trees.tree import SegmentTree
from ...wording import check_choice, count
from ..languages import ENGLISH
from ..readers.checks import NOISE
from ..silence import GAPS, close_gaps
from ..words import TimedWord, Transcript
from .edits import Path, PoorMatchError, Stretch, Text, find_path
from .placing import Placed, place_leaves, timed_tree
from .report import LeafTime, Report
from .spelling import as_said, is_amount, is_sign, is_unknown, leaf_sounds, sounds, spelling

_SHOWN = 60  # characters of a text in an error
_MOST_NAMED = 20  # trees that an error names one by one
_POOR_CURE = (
    "Is it of another speaker? Then give the words of that one, or only the trees of this one; "
    "min_tree_match=0 estimates its times."
)


class PoorTreesError(TreeMismatchError):
    """Trees whose words are not in the transcript.

    Attributes:
        rows: The numbers of the trees, from 0.
    """

    def __init__(self, message: str, rows: Sequence[int]) -> None:
        super().__init__(message)
        self.rows = tuple(rows)


def poor_tree_reason(title: str, report: Report, texts: Iterable[str], least: float) -> str:
    """Return why a tree is refused whose words are not in the transcript."""
    return (
        f"only {100 * report.leaf_match:.0f}% of its characters match, less than min_tree_match={least:g}, "
        f"so its words are not in {title}: {shown(texts)}\n{_POOR_CURE}"
    )


def shown(texts: Iterable[str]) -> str:
    """Return the texts on a line, cut if they are many."""
    line = ""
    for text in texts:
        line += f" {printable(text)}"
        if len(line) > _SHOWN:
            return line[1:_SHOWN] + "…"
    return line[1:] or "(nothing)"


def checked_words(words: Transcript | Iterable[Sequence[Any]], title: str) -> list[TimedWord]:
    """Return the words, whose times must be finite, not reversed, in order and overlap by `NOISE` at most."""
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        raise TypeError(f"words must be a Transcript or (text, start, end) each, not {type(words).__name__}")
    given = list(words.words if isinstance(words, Transcript) else words)
    for number, word in enumerate(given):
        sized = isinstance(word, Sequence) and not isinstance(word, str) and len(word) in (3, 4)
        if not sized or not isinstance(word[0], str):
            raise TreeFormatError(f"word {number}: {word!r} is not (text, start, end)", source=title)
    pairs = _without_noise(word[1:3] for word in given)
    try:
        times = check_times(pairs)
    except TreeFormatError as error:
        number = len(given) - len(list(pairs)) - 1  # the last one that was looked at
        raise TreeFormatError(f"{error.message} ({given[number][0]!r})", source=title) from None
    return [
        TimedWord(word[0], start, end, bool(word[3:] and word[3]))
        for word, (start, end) in zip(given, times, strict=True)
    ]


def _without_noise(pairs: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield the times, and move starts that are too early only by the rounding of floats."""
    last: Any = None
    for start, end in pairs:
        if all(isinstance(time, float) for time in (last, start, end)) and 0.0 < last - start <= NOISE:
            start, end = last, max(last, end)
        yield start, end
        last = end


def checked_tree(value: Any, source: str) -> SegmentTree:
    """Return a tree of any shape whose leaves have texts; `source` is its name in errors."""
    tree = as_tree(value, source=source)
    if tree.words and not any(tree.words):
        raise TreeFormatError(
            "the leaves of this tree have no text, so nothing can be aligned", source=source
        )
    return tree


def writes_signs_first(words: Sequence[TimedWord]) -> bool:
    """Return whether a transcript has signs of currencies as words of their own before their numbers."""
    return any(is_sign(one.text) and is_amount(other.text) for one, other in pairwise(words))


MIN_MATCH = 0.5
# Of trees whose words are not there, up to 0.23 of the characters match by chance; of trees that are there,
# even if 60% of their words are left out, replaced or put after others, 0.37 and more.
MIN_TREE_MATCH = 0.3
SILENT = ("remove", "zero")


class Projection(NamedTuple):
    """A tree with times in seconds, and a report on how it got them.

    >>> words = [("we", 0.5, 0.75), ("uh", 0.75, 1.0), ("run", 1.0, 1.5)]
    >>> projection = project("(S (PRP we) (VBP run) (. .))", words)
    >>> projection.report.exact, [leaf.kind for leaf in projection.leaves], projection.unused[0].text
    (2, ['exact', 'exact', 'silent'], 'uh')

    Attributes:
        tree: The tree with times.
        report: The counts of its leaves and of the words.
        leaves: The time and the kind of each leaf, including removed leaves.
        unused: The words without a leaf, such as fillers.
    """

    tree: SegmentTree
    report: Report
    leaves: tuple[LeafTime, ...]
    unused: tuple[TimedWord, ...]


def project(
    tree: Any,
    words: Transcript | Iterable[Sequence[Any]],
    *,
    silent: str = "remove",
    gaps: str = "keep",
    min_match: float = MIN_MATCH,
    min_tree_match: float = MIN_TREE_MATCH,
    language: str = ENGLISH,
) -> Projection:
    """Put the times of words on a text tree, although words and leaves may differ.

    Leaves and words are compared by the characters that sound (see `spelling`), over an edit path of
    least cost (see `edits`); `placing` divides the time of a word among its leaves.

    >>> words = [("We", 0.5, 0.75), ("uh", 0.75, 1.25), ("can't", 1.5, 2.0), ("stop", 2.0, 2.5)]
    >>> projected = project("(S (NP (PRP We)) (VP (MD ca) (RB n't) (VP (VB stop))) (. .))", words)
    >>> print(projected.tree)
    (S (NP (PRP We<0.5,0.75>)) (VP (MD ca<1.5,1.75>) (RB n't<1.75,2.0>) (VP (VB stop<2.0,2.5>))))
    >>> projected.report.split, projected.report.silent, [word.text for word in projected.unused]
    (2, 1, ['uh'])

    Args:
        tree: The tree, in any shape that `shapes.as_tree` takes. Times that it has are replaced.
        words: A transcript, or `(text, start, end)` for each word, in seconds.
        silent: The choice for leaves without sound, such as punctuation and traces: `remove` takes them out
            with the nodes that they empty; `zero` leaves them in with no length, directly after the leaf
            before.
        gaps: Whether to `keep` silences between the words of a tree, or to `close` them, both neighbours
            growing to the middle (see `silence`). Time before the first word and after the last one stays.
        min_match: The least share of the characters of leaves and words, taken together, that must match.
        min_tree_match: The least share of the characters of leaves that must match.
        language: The language that numbers and signs are read out in, such as `de`; one of
            `languages.LANGUAGES`, in others they are left alone.

    Raises:
        TreeMismatchError: Too few characters match, or there are no words.
        TreeFormatError: A tree cannot be read, or times are not finite, reversed or overlap.
    """
    return project_all(
        [tree],
        words,
        silent=silent,
        gaps=gaps,
        min_match=min_match,
        min_tree_match=min_tree_match,
        language=language,
    )[0]


def project_all(
    trees: Iterable[Any],
    words: Transcript | Iterable[Sequence[Any]],
    *,
    silent: str = "remove",
    gaps: str = "keep",
    min_match: float = MIN_MATCH,
    min_tree_match: float = MIN_TREE_MATCH,
    language: str = ENGLISH,
    name: Callable[[int], str] | None = None,
    progress: bool = False,
) -> list[Projection]:
    """Project the trees of a whole recording, in order, onto all of its words.

    >>> words = [("yes", 0.5, 0.75), ("we", 1.0, 1.25), ("do", 1.25, 1.5)]
    >>> for projection in project_all(["(INTJ (UH Yes) (. .))", "()", "(S (PRP we) (VBP do))"], words):
    ...     print(projection.tree)
    (INTJ (UH Yes<0.5,0.75>))
    ()
    (S (PRP we<1.0,1.25>) (VBP do<1.25,1.5>))

    Args:
        trees: The trees, each as in `project`. A failed parse stays empty, and a tree whose leaves are all
            without sound becomes empty, unless `silent="zero"`.
        words: A transcript, or words, as in `project`; a word belongs to the tree of its first leaf, one that
            is not used to the tree of the used word before it.
        silent: The choice for leaves without sound, as in `project`.
        gaps: Whether to `keep` or to `close` silences between words, as in `project`; time between two trees
            is kept.
        min_match: The least share of the characters of leaves and words of all trees together that must
            match.
        min_tree_match: The least share of the characters of each tree's leaves that must match. Of a tree
            whose words are not in the transcript, such as one of another speaker, few characters find a
            partner by chance; with 0 it gets times between those of its neighbours.
        language: The language that numbers and signs are read out in, as in `project`.
        name: A function that returns the name of a tree in errors, given its number from 0.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    check_choice("silent", silent, SILENT)
    check_choice("gaps", gaps, GAPS)
    for option, share in (("min_match", min_match), ("min_tree_match", min_tree_match)):
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"{option} must be from 0 to 1, not {share!r}")
    name = name or (lambda row: f"tree {row + 1}")
    given = [checked_tree(tree, name(row)) for row, tree in enumerate(as_list(trees, "trees"))]
    projector = _Projector(given, words, name, language)
    projections = projector.run(silent, gaps, min_match, progress)
    found = [row for row, one in enumerate(projections) if one.report.leaf_match < min_tree_match]
    if not found:
        return projections
    lines = [
        f"  {name(row)}, {100 * projections[row].report.leaf_match:.0f}%: {shown(given[row].words)}"
        for row in found[:_MOST_NAMED]
    ]
    if len(found) > _MOST_NAMED:
        lines.append(f"  and {len(found) - _MOST_NAMED} more")
    head = (
        f"{projector.title}: the words of {len(found)} of {count(len(given), 'tree')} are not there, as less "
        f"than min_tree_match={min_tree_match:g} of their characters match:"
    )
    raise PoorTreesError("\n".join([head, *lines, _POOR_CURE]), found)


class _Leaf(NamedTuple):
    """A leaf that sounds."""

    tree: int
    number: int  # in its tree
    text: str
    sounds: str


class _Projector:
    def __init__(
        self,
        trees: Sequence[SegmentTree],
        words: Transcript | Iterable[Sequence[Any]],
        name: Callable[[int], str],
        language: str,
    ) -> None:
        self._name = name
        self._language = language
        self.title = words.title if isinstance(words, Transcript) else "words"
        self._words = checked_words(words, self.title)
        said = [(tree, 0) if writes_signs_first(self._words) else as_said(tree) for tree in trees]
        self._trees = [tree for tree, _ in said]
        self._n_moved = [n_moved for _, n_moved in said]
        self._leaves = [
            _Leaf(row, number, text, key)
            for row, tree in enumerate(self._trees)
            for number, (text, key) in enumerate(zip(tree.words, leaf_sounds(tree, language), strict=True))
            if key
        ]
        self._owners = [leaf.tree for leaf in self._leaves]
        self._leaf_text = Text([leaf.sounds for leaf in self._leaves])
        self._is_unknown = [is_unknown(word.text) for word in self._words]
        heard = [
            "" if unknown else self._sounds(word.text)
            for word, unknown in zip(self._words, self._is_unknown, strict=True)
        ]
        self._n_heard = list(map(len, heard))
        # Of the words that sound; those that are not known have no characters.
        self._numbers = [n for n, key in enumerate(heard) if key or self._is_unknown[n]]
        self._word_text = Text([heard[n] for n in self._numbers])

    def _sounds(self, text: str) -> str:
        return sounds(text, self._language)

    def run(self, silent: str, gaps: str, min_match: float, progress: bool) -> list[Projection]:
        placed: list[Placed] = []
        used: dict[int, int] = {}  # the tree of each used word
        if self._leaves:
            path = self._find_path()
            placed, used = self._place(path)
            self._check_match(path, placed, min_match)
        leaf_ranges = _ranges(self._owners, len(self._trees))
        word_ranges = _ranges(self._word_trees(used), len(self._trees))
        projections = []
        here = 0.0  # where the trees before end
        with Progress(len(self._trees), "projecting", show=progress) as bar:
            for row, (tree, own, heard) in enumerate(zip(self._trees, leaf_ranges, word_ranges, strict=True)):
                leaves = tuple(self._leaf_times(tree, own, placed, here, silent, gaps))
                here = placed[own.stop - 1].end if own.stop else here
                report = self._report(row, leaves, own, placed, heard, used)
                unused = (self._words[n] for n in heard if n not in used)
                sounding = tuple(word for word in unused if self._sounds(word.text))
                projections.append(Projection(timed_tree(tree, leaves), report, leaves, sounding))
                bar.add(1)
        return projections

    def _place(self, path: Path) -> tuple[list[Placed], dict[int, int]]:
        """Return the places of all leaves, and the tree of each used word."""
        timed = [self._words[number] for number in self._numbers]
        placed = place_leaves(self._leaf_text, self._word_text, timed, path, self._owners)
        used: dict[int, int] = {}
        for i, j in enumerate(path.partner):
            if j >= 0:
                number, leaf = self._numbers[self._word_text.owner[j]], self._leaf_text.owner[i]
                used.setdefault(number, self._owners[leaf])
        for leaf, place in enumerate(placed):
            if self._at_unknown(place):
                used[self._numbers[place.first]] = self._owners[leaf]
        return placed, used

    # ---- the path ------------------------------------------------------------------------------

    def _find_path(self) -> Path:
        """Return an edit path."""
        if not len(self._word_text):
            raise TreeMismatchError(
                f"{self.title}: there are no words with sound for {count(len(self._leaves), 'word')} of "
                f"{count(len(self._trees), 'tree')}; give the transcript of their recording"
            )
        try:
            return find_path(self._leaf_text, self._word_text)
        except PoorMatchError as error:
            why = "leaves and words have too little in common to be aligned, above all here"
            raise self._mismatch(why, error.worst) from None

    def _check_match(self, path: Path, placed: Sequence[Placed], min_match: float) -> None:
        """Raise an error if too little matches on a path; leaves at unknown words do not count."""
        lengths = [last - first for first, last in pairwise(self._leaf_text.starts)]
        n_open = sum(length for length, place in zip(lengths, placed, strict=True) if self._at_unknown(place))
        total = len(self._leaf_text) + len(self._word_text) - n_open
        if 2 * path.n_matched < min_match * total:
            share = 200 * path.n_matched / total
            raise self._mismatch(
                f"only {share:.0f}% of the characters of leaves and words match, less than "
                f"min_match={min_match:g}, and most do not here",
                path.worst,
            )

    def _mismatch(self, why: str, worst: Stretch) -> TreeMismatchError:
        """Return an error about a match that is too poor, with both texts where it is poorest."""
        leaves = [self._leaves[n] for n in _units(self._leaf_text, worst.first_a, worst.last_a)]
        words = [self._words[self._numbers[n]] for n in _units(self._word_text, worst.first_b, worst.last_b)]
        where = self._name(leaves[0].tree) if leaves else "between trees"
        if leaves and leaves[0].tree != leaves[-1].tree:
            where = f"{where} to {self._name(leaves[-1].tree)}"
        when = f"{words[0].start:.2f} to {words[-1].end:.2f} s" if words else "in between"
        return TreeMismatchError(
            f"{self.title}: {why}:\n"
            f"  {where}: {shown([leaf.text for leaf in leaves])}\n"
            f"  {when}: {shown([word.text for word in words])}\n"
            "Is this the transcript of another recording, another speaker or only a part?"
        )

    # ---- times of a tree's leaves --------------------------------------------------------------

    def _word_trees(self, used: dict[int, int]) -> list[int]:
        """Return the tree of each word; one that is not used goes with the used word before it."""
        row = min(used.values(), default=0)
        rows = []
        for number in range(len(self._words)):
            row = used.get(number, row)
            rows.append(row)
        return rows

    def _leaf_times(
        self, tree: SegmentTree, own: range, placed: Sequence[Placed], here: float, silent: str, gaps: str
    ) -> list[LeafTime]:
        """Return the time and the kind of each leaf; leaves `own` sound, and earlier trees end at `here`."""
        spans = [(placed[n].start, placed[n].end) for n in own]
        if gaps == "close":
            spans = close_gaps(spans)
        sounding = {self._leaves[n].number: (placed[n], span) for n, span in zip(own, spans, strict=True)}
        here = spans[0][0] if spans else here
        leaves = []
        for number, text in enumerate(tree.words):
            if number in sounding:
                place, (start, here) = sounding[number]
                leaves.append(LeafTime(text, self._kind(text, place), start, here, self._heard(place)))
            else:
                at = here if silent == "zero" else None
                leaves.append(LeafTime(text, "silent", at, at, ""))
        return leaves

    def _at_unknown(self, place: Placed) -> bool:
        """Return whether a leaf is at a word that the transcript does not know."""
        return place.first == place.last and self._is_unknown[self._numbers[place.first]]

    def _kind(self, text: str, place: Placed) -> str:
        if place.last < place.first:
            return "interpolated" if place.start < place.end else "unplaced"
        if self._at_unknown(place):
            return "unknown"
        if place.shared:
            return "split"
        if place.last > place.first:
            return "joined"
        heard = self._heard(place)
        same = self._sounds(text) == self._sounds(heard) and spelling(text) == spelling(heard)
        return "exact" if same else "changed"

    def _heard(self, place: Placed) -> str:
        return " ".join(self._words[n].text for n in self._numbers[place.first : place.last + 1])

    def _report(
        self,
        row: int,
        leaf_times: Sequence[LeafTime],
        own: range,
        placed: Sequence[Placed],
        words: range,
        used: Container[int],
    ) -> Report:
        tree = self._trees[row]
        n_silent = sum(not self._n_heard[n] and not self._is_unknown[n] for n in words)
        n_used = sum(n in used for n in words)
        starts = self._leaf_text.starts
        n_open = sum(starts[n + 1] - starts[n] for n in own if self._at_unknown(placed[n]))
        return Report(
            n_trees=1,
            n_failed=int(not tree.words),
            n_emptied=int(bool(tree.words) and all(leaf.start is None for leaf in leaf_times)),
            n_moved=self._n_moved[row],
            **Counter(leaf.kind for leaf in leaf_times),
            used=n_used,
            unused=len(words) - n_used - n_silent,
            unsounding=n_silent,
            estimated=sum(n in used and self._words[n].estimated for n in words),
            leaf_characters=starts[own.stop] - starts[own.start] - n_open,
            word_characters=sum(self._n_heard[n] for n in words),
            matched_characters=sum(placed[n].n_matched for n in own),
        )


def _ranges(trees: Sequence[int], n_trees: int) -> list[range]:
    """Return which places of an ordered list belong to each tree."""
    bounds = [bisect_left(trees, tree) for tree in range(n_trees + 1)]
    return [range(lo, hi) for lo, hi in pairwise(bounds)]


def _units(text: Text, first: int, last: int) -> range:
    """Return the units of a part of a text."""
    return range(text.owner[first], text.owner[last - 1] + 1) if first < last else range(0)
