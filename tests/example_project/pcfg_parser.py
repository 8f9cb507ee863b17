"""A small constituency parser for spaCy: a PCFG counted from trees, in nltk's classes.

For `spacy train --code pcfg_parser.py`. It is there to be scored, not to be good: a grammar of some
dozens of trees, tags guessed from the end of a word, and no more context than a node's left sibling.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from math import log
from pathlib import Path
from typing import Any

import srsly
from nltk import Nonterminal, Tree
from nltk.grammar import PCFG, ProbabilisticProduction
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import ensure_path

from spacy_structiou import get_trees, get_words, set_tree
from structiou_metric.trees.labels import base_label

ROOT = "TOP"
ANY_WORD = "<any>"
ENDINGS = ("ing", "ed", "ly", "er", "s")

Cell = dict[str, tuple[float, Any]]  # by symbol: log-probability, and its parts


def word_class(word: str) -> str:
    """Return the class of an unknown word."""
    if any(character.isdigit() for character in word):
        return "<number>"
    ending = next((end for end in ENDINGS if word.lower().endswith(end)), "")
    return f"<{'Name' if word[:1].isupper() else 'word'}-{ending}>"


class Counts:
    """The numbers of productions and words by symbol, which are all that the parser learns."""

    def __init__(self) -> None:
        self.rules: dict[str, Counter[str]] = defaultdict(Counter)
        self.lexicon: dict[str, Counter[str]] = defaultdict(Counter)
        self.words: set[str] = set()

    def add(self, tree: Tree) -> int:
        """Count the productions of a tree, and return the number of new ones."""
        tree = _without_tags(tree)
        tree.chomsky_normal_form(horzMarkov=1)
        new = 0
        for production in tree.productions():
            symbol = production.lhs().symbol()
            if production.is_lexical():
                new += self._add_word(symbol, production.rhs()[0])
            else:
                right = " ".join(child.symbol() for child in production.rhs())
                self.rules[symbol][right] += 1
                new += self.rules[symbol][right] == 1
        return new

    def _add_word(self, tag: str, word: str) -> int:
        """Count a word; a new word also counts for the class of unknown words that look like it."""
        used = self.lexicon[tag]
        if word.lower() not in self.words:
            self.words.add(word.lower())
            used.update([word_class(word), ANY_WORD])
        used[word.lower()] += 1
        return used[word.lower()] == 1

    def grammar(self) -> PCFG:
        """Return a grammar with the counts as probabilities."""
        totals = Counter({symbol: sum(used.values()) for symbol, used in self.rules.items()})
        totals.update({tag: sum(used.values()) for tag, used in self.lexicon.items()})
        productions = [
            ProbabilisticProduction(Nonterminal(symbol), right, prob=count / totals[symbol])
            for symbol, right, count in self._productions()
        ]
        return PCFG(Nonterminal(ROOT), productions)

    def _productions(self) -> Iterator[tuple[str, tuple[Any, ...], int]]:
        for symbol, used in self.rules.items():
            for right, count in used.items():
                yield symbol, tuple(map(Nonterminal, right.split())), count
        for tag, used in self.lexicon.items():
            for word, count in used.items():
                yield tag, (word,), count

    def to_dict(self) -> dict[str, Any]:
        return {
            "rules": {symbol: dict(used) for symbol, used in self.rules.items()},
            "lexicon": {tag: dict(used) for tag, used in self.lexicon.items()},
            "words": sorted(self.words),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Counts":
        counts = cls()
        counts.rules.update({symbol: Counter(used) for symbol, used in data["rules"].items()})
        counts.lexicon.update({tag: Counter(used) for tag, used in data["lexicon"].items()})
        counts.words.update(data["words"])
        return counts


def _without_tags(tree: Tree) -> Tree:
    """Return a tree without function tags, under one root symbol."""
    tree = tree.copy(deep=True)
    for node in tree.subtrees():
        node.set_label(base_label(node.label()))
    if tree.label() not in ("", ROOT):
        return Tree(ROOT, [tree])
    tree.set_label(ROOT)
    return tree


class ChartParser:
    """Find the most likely tree by a PCFG with at most two symbols on a right-hand side.

    `nltk.ViterbiParser` looks for the same trees, but takes a hundred times as long.
    """

    def __init__(self, grammar: PCFG) -> None:
        self.tags: dict[str, list[tuple[str, float]]] = defaultdict(list)
        self.above: dict[str, list[tuple[str, float]]] = defaultdict(list)
        self.pairs: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
        for production in grammar.productions():
            symbol, right, cost = str(production.lhs()), production.rhs(), log(production.prob())
            if production.is_lexical():
                self.tags[right[0]].append((symbol, cost))
            elif len(right) == 1:
                self.above[str(right[0])].append((symbol, cost))
            else:
                self.pairs[str(right[0])].append((str(right[1]), symbol, cost))

    def parse(self, words: list[str], max_seconds: float) -> Tree:
        """Return a tree for any words: the best parts under one root if there is no tree, or no time."""
        deadline = time.monotonic() + max_seconds
        n_words = len(words)
        chart = {(i, i + 1): self._word_cell(word) for i, word in enumerate(words)}
        for length in range(2, n_words + 1):
            if time.monotonic() > deadline:
                break
            for start in range(n_words - length + 1):
                chart[start, start + length] = self._cell(chart, start, start + length)
        if ROOT in chart.get((0, n_words), {}):
            tree = _build(chart, words, ROOT, 0, n_words)
        else:
            tree = Tree(ROOT, [Tree("S", _pieces(chart, words))])
        tree.un_chomsky_normal_form(expandUnary=False)
        return tree

    def _word_cell(self, word: str) -> Cell:
        known = next(form for form in (word.lower(), word_class(word), ANY_WORD) if form in self.tags)
        return self._with_unaries({tag: (cost, None) for tag, cost in self.tags[known]})

    def _cell(self, chart: dict[tuple[int, int], Cell], start: int, end: int) -> Cell:
        cell: Cell = {}
        for middle in range(start + 1, end):
            right_cell = chart[middle, end]
            for left, (left_cost, _) in chart[start, middle].items():
                for right, symbol, cost in self.pairs.get(left, ()):
                    if right in right_cell:
                        total = left_cost + right_cell[right][0] + cost
                        if symbol not in cell or total > cell[symbol][0]:
                            cell[symbol] = total, (left, right, middle)
        return self._with_unaries(cell)

    def _with_unaries(self, cell: Cell) -> Cell:
        todo = list(cell)
        while todo:
            below = todo.pop()
            for symbol, cost in self.above.get(below, ()):
                total = cell[below][0] + cost
                if symbol not in cell or total > cell[symbol][0]:
                    cell[symbol] = total, (below,)
                    todo.append(symbol)
        return cell


def _build(chart: dict[tuple[int, int], Cell], words: list[str], symbol: str, start: int, end: int) -> Tree:
    made_of = chart[start, end][symbol][1]
    if made_of is None:
        return Tree(symbol, [words[start]])
    if len(made_of) == 1:
        return Tree(symbol, [_build(chart, words, made_of[0], start, end)])
    left, right, middle = made_of
    return Tree(symbol, [_build(chart, words, left, start, middle), _build(chart, words, right, middle, end)])


def _pieces(chart: dict[tuple[int, int], Cell], words: list[str]) -> list[Tree]:
    """Return trees that cover all words: as few as possible, and of these the most likely ones."""
    best: list[tuple[int, float, tuple[int, str]]] = [(0, 0.0, (0, ""))]
    for end in range(1, len(words) + 1):
        best.append(
            min(
                (best[start][0] + 1, best[start][1] - cost, (start, symbol))
                for start in range(end)
                for symbol, (cost, _) in chart.get((start, end), {}).items()
                if "|" not in symbol and symbol != ROOT
            )
        )
    pieces: list[Tree] = []
    end = len(words)
    while end:
        start, symbol = best[end][2]
        pieces.insert(0, _build(chart, words, symbol, start, end))
        end = start
    return pieces


class PcfgParser(Pipe):
    """Set a tree for each sentence."""

    is_trainable = True
    model = True  # there are no weights, which spaCy would want to update

    def __init__(self, name: str, max_words: int, max_seconds: float) -> None:
        self.name = name
        self.max_words = max_words
        self.max_seconds = max_seconds
        self.counts = Counts()
        self._parser: ChartParser | None = None

    def initialize(self, get_examples: Callable[[], Iterable[Example]], **_: Any) -> None:
        """Forget all trees."""
        self.counts = Counts()
        self._parser = None

    def update(
        self, examples: Iterable[Example], *, losses: dict[str, float] | None = None, **_: Any
    ) -> dict[str, float]:
        """Count the productions of reference trees; the loss is the number of unknown ones."""
        new = sum(
            self.counts.add(tree.to_nltk()) for example in examples for tree in get_trees(example.reference)
        )
        self._parser = None
        losses = {} if losses is None else losses
        losses[self.name] = losses.get(self.name, 0.0) + new
        return losses

    def __call__(self, doc: Doc) -> Doc:
        if self._parser is None and self.counts.rules:
            self._parser = ChartParser(self.counts.grammar())
        for sentence in _sentences(doc):
            tree: Tree | str = "()"  # a failed parse
            words = get_words(sentence)  # without tokens of white space, which trees do not have
            if self._parser is not None and 0 < len(words) <= self.max_words:
                tree = self._parser.parse(words, self.max_seconds)
            set_tree(sentence, tree)
        return doc

    def to_bytes(self, **_: Any) -> bytes:
        data: bytes = srsly.msgpack_dumps(self.counts.to_dict())
        return data

    def from_bytes(self, data: bytes, **_: Any) -> "PcfgParser":
        self.counts = Counts.from_dict(srsly.msgpack_loads(data))
        self._parser = None
        return self

    def to_disk(self, path: str | Path, **_: Any) -> None:
        ensure_path(path).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, **_: Any) -> "PcfgParser":
        return self.from_bytes(ensure_path(path).read_bytes())


def _sentences(doc: Doc) -> Iterator[Any]:
    """Return the sentences of a Doc, or the Doc if it has none."""
    return doc.sents if doc.has_annotation("SENT_START") else iter([doc[:]])


@Language.factory("pcfg_parser")
def make_pcfg_parser(nlp: Language, name: str, max_words: int = 60, max_seconds: float = 5.0) -> PcfgParser:
    """Make the component. Sentences over `max_words` fail; no parse takes much longer than `max_seconds`."""
    return PcfgParser(name, max_words, max_seconds)
