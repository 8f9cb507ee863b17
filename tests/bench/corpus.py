"""A treebank-like corpus, the same in every run: reference trees and a parser's guesses at them.

Sentence lengths are spread as in newspaper text, about 24 words on average. Half of the predictions
are the reference itself, as with a good parser; the other half has one to five errors of the kinds
parsers make. Variants of the corpus have other word boundaries or word times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from bench.grammar import Grammar, Phrase, write
from support.random_trees import count_words, random_tree, write_times

_MEAN_WORDS = 24.0
_MAX_WORDS = 90


@dataclass(frozen=True)
class Corpus:
    """Pairs of bracket strings."""

    references: list[str]
    predictions: list[str]

    def describe(self) -> str:
        """Counts, means and the longest sentence."""
        words = [count_words(tree) for tree in self.references]
        nodes = [tree.count("(") - 1 for tree in self.references + self.predictions]  # without TOP
        exact = sum(map(str.__eq__, self.references, self.predictions))
        return (
            f"{len(words):,} pairs, {sum(words) / len(words):.1f} words (1 to {max(words)}) and"
            f" {sum(nodes) / len(nodes):.1f} nodes a tree, {exact:,} pairs identical"
        )

    def repeated(self, n_pairs: int) -> Corpus:
        """That many pairs, by going round."""
        times = -(-n_pairs // len(self.references))
        return Corpus((self.references * times)[:n_pairs], (self.predictions * times)[:n_pairs])


def make_corpus(
    n_pairs: int = 2400, seed: int = 23, n_words: int | None = None, wrong_share: float = 0.5
) -> Corpus:
    """The corpus, labelled and without times.

    Args:
        n_pairs: How many pairs.
        seed: Of all choices.
        n_words: The length of all sentences; if left out, lengths as in newspapers.
        wrong_share: The part of the predictions that has errors.
    """
    rng = Random(seed)
    grammar = Grammar(rng)
    lengths = [n_words or _sentence_length(rng) for _ in range(n_pairs)]
    references = [write(grammar.sentence(n)) for n in lengths]
    # Longer sentences are more often wrong (weighted sampling: Efraimidis and Spirakis 2006).
    keys = [rng.random() ** (1.0 / n) if n > 3 else 0.0 for n in lengths]
    wrong = set(sorted(range(n_pairs), key=keys.__getitem__, reverse=True)[: int(n_pairs * wrong_share)])
    predictions = [
        _misparse(rng, reference, lengths[k]) if k in wrong else reference
        for k, reference in enumerate(references)
    ]
    return Corpus(references, predictions)


def retokenized(corpus: Corpus, seed: int = 1) -> Corpus:
    """Some predictions with other word boundaries over the same letters, for characters as unit."""
    rng = Random(seed)
    return Corpus(
        corpus.references,
        [_retokenize(rng, tree) if rng.random() < 0.3 else tree for tree in corpus.predictions],
    )


def with_times(corpus: Corpus, noise: float = 0.5, seed: int = 2) -> Corpus:
    """Timed brackets: speech, with times to 1/100 s, and a recognizer's times, to 1/1000 s.

    Args:
        corpus: Untimed, with the same words on both sides.
        noise: By how much of a word's length its recognized boundaries are off at most.
        seed: Of all choices.
    """
    rng = Random(seed)
    references, predictions = [], []
    for reference, prediction in zip(corpus.references, corpus.predictions, strict=True):
        spoken = _speak(rng, _WORD.findall(reference))
        heard = _mishear(rng, spoken, noise)
        references.append(write_times(reference, spoken))
        predictions.append(write_times(prediction, heard))
    return Corpus(references, predictions)


# ------------------------------------------------------------------------------------ single shapes


def comb(n_words: int, side: str) -> str:
    """All nodes on the `left` or all on the `right`."""
    return random_tree(Random(0), n_words, 1, f"{side}_comb")


def zigzag(n_words: int, first: bool) -> str:
    """Splits off the first and the last word in turn; `first` says with which it begins."""
    opening, closing = [], []
    for k in range(n_words - 1):
        if (k % 2 == 0) == first:
            opening.append(f"(L0 (L0 w{k}) ")
            closing.append(")")
        else:
            opening.append("(L0 ")
            closing.append(f" (L0 w{k}))")
    return "".join([*opening, "(L0 w)", *reversed(closing)])


def random_binary(n_words: int, seed: int) -> str:
    """Uniform over the binary trees."""
    return random_tree(Random(seed), n_words, 1, "binary")


# ------------------------------------------------------------------------------------------ lengths


def _sentence_length(rng: Random) -> int:
    """Many sentences of 10 to 35 words, some headings, a tail of very long ones."""
    if rng.random() < 0.03:
        return rng.randint(1, 4)
    shape = 4.8
    length = round(rng.gammavariate(shape, 1.033 * _MEAN_WORDS / shape))
    return min(max(length, 1), _MAX_WORDS)


# ------------------------------------------------------------------------------------ parser errors
# Each changes the tree and returns True, or finds no place for itself and returns False. TOP keeps
# its one child.

_TAG_CONFUSIONS = (
    {"NN", "NNP", "JJ"},
    {"NNS", "NNPS", "VBZ"},
    {"VBD", "VBN", "JJ"},
    {"VB", "VBP", "NN"},
    {"VBG", "NN", "JJ"},
    {"IN", "RB", "RP", "WDT", "DT"},
    {"CD", "NN", "JJ"},
    {"RB", "JJ"},
)
_LABEL_CONFUSIONS = (
    {"NP", "ADJP", "NX", "QP"},
    {"ADVP", "ADJP", "PP", "PRT"},
    {"S", "SBAR", "FRAG", "SINV"},
    {"VP", "ADJP", "S"},
    {"PRN", "NP", "S"},
    {"WHNP", "WHADVP"},
)


def _misparse(rng: Random, brackets: str, n_words: int) -> str:
    return misparse(rng, brackets, min(5, 1 + sum(rng.random() < n_words / 30.0 for _ in range(4))))


def misparse(rng: Random, brackets: str, wanted: int) -> str:
    """The tree with that many errors, or more if they undo each other; it is another tree."""
    root = parse(brackets)
    made = 0
    while made < wanted or write(root) == brackets:
        error = rng.choices(_ERRORS, _ERROR_WEIGHTS)[0]
        made += error(rng, root)
    return write(root)


def _wrong_tag(rng: Random, root: Phrase) -> bool:
    return _confuse(rng, [node for node, _ in _walk(root) if node.word], _TAG_CONFUSIONS)


def _wrong_label(rng: Random, root: Phrase) -> bool:
    inner = [node for node, _ in _walk(root) if not node.word]
    return _confuse(rng, inner, _LABEL_CONFUSIONS)


def _confuse(rng: Random, nodes: list[Phrase], confusions: tuple[set[str], ...]) -> bool:
    node = rng.choice(nodes) if nodes else None
    others = sorted({b for c in confusions if node and node.label in c for b in c} - {node and node.label})
    if node is None or not others:
        return False
    node.label = rng.choice(others)
    return True


def _attach_high(rng: Random, root: Phrase) -> bool:
    """The modifier of a noun becomes one of the verb: (VP saw (NP (NP a man) (PP …))) loses an NP."""
    places = [
        (node, parent)
        for node, parent in _walk(root)
        if parent.label in ("VP", "NP", "S")
        and node.label == "NP"
        and len(node.children) == 2
        and node.children[0].label == "NP"
    ]
    return _splice(rng, places)


def _attach_low(rng: Random, root: Phrase) -> bool:
    """The modifier of a verb becomes one of the noun before it."""
    places = [
        (node, at)
        for node, _ in _walk(root)
        for at in range(1, len(node.children) - 1)
        if node.children[at].label == "NP" and node.children[at + 1].label in ("PP", "SBAR", "VP", "S")
    ]
    if not places:
        return False
    node, at = rng.choice(places)
    node.children[at : at + 2] = [Phrase("NP", node.children[at : at + 2])]
    return True


def _flatten(rng: Random, root: Phrase) -> bool:
    places = [(node, parent) for node, parent in _walk(root) if parent is not root and not node.word]
    return _splice(rng, places)


def _splice(rng: Random, places: list[tuple[Phrase, Phrase]]) -> bool:
    if not places:
        return False
    node, parent = rng.choice(places)
    at = parent.children.index(node)
    parent.children[at : at + 1] = node.children
    return True


def _add_node(rng: Random, root: Phrase) -> bool:
    places = [node for node, _ in _walk(root) if len(node.children) > 2]
    if not places:
        return False
    node = rng.choice(places)
    size = rng.randint(1, len(node.children) - 1)
    at = rng.randint(0, len(node.children) - size)
    new = Phrase(rng.choice(("NP", "VP", "PP", "S", "ADVP")), node.children[at : at + size])
    node.children[at : at + size] = [new]
    return True


def _move_boundary(rng: Random, root: Phrase) -> bool:
    """The last child of a phrase goes to its parent, or the sister behind a phrase joins it."""
    places = [(node, parent) for node, parent in _walk(root) if parent is not root and len(node.children) > 1]
    if not places:
        return False
    node, parent = rng.choice(places)
    at = parent.children.index(node) + 1
    if at < len(parent.children) and rng.random() < 0.5:
        node.children.append(parent.children.pop(at))
    else:
        parent.children.insert(at, node.children.pop())
    return True


_ERRORS: tuple[Callable[[Random, Phrase], bool], ...] = (
    _wrong_tag,
    _wrong_label,
    _attach_high,
    _attach_low,
    _flatten,
    _add_node,
    _move_boundary,
)
_ERROR_WEIGHTS = (18, 12, 16, 16, 12, 13, 13)


# ----------------------------------------------------------------------------------- words and times

_PRETERMINAL = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
_NEIGHBOURS = re.compile(r"\(([^\s()]+) (\w+)\) \(([^\s()]+) (\w+)\)")
_WORD = re.compile(r"[^\s()]+(?=\))")


def _retokenize(rng: Random, brackets: str) -> str:
    """Splits a word or joins two neighbours, once to three times."""
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.5:
            places = [match for match in _PRETERMINAL.finditer(brackets) if re.fullmatch(r"\w{4,}", match[2])]
            parts = r"(\1 {}) (\1 {})"
        else:
            places = list(_NEIGHBOURS.finditer(brackets))
            parts = r"(\3 \2\4)"
        if places:
            match = rng.choice(places)
            cut = len(match[2]) // 2
            new = match.expand(parts.format(match[2][:cut], match[2][cut:]))
            brackets = brackets[: match.start()] + new + brackets[match.end() :]
    return brackets


def _speak(rng: Random, words: list[str]) -> list[tuple[float, float]]:
    """Longer words take longer; a pause at punctuation, and now and then between words."""
    clock = rng.uniform(0.1, 3.0)
    times = []
    for word in words:
        if not word[0].isalnum() or rng.random() < 0.05:
            clock += rng.uniform(0.05, 0.4)
        start = round(clock, 2)
        clock = start + max(0.05, rng.uniform(0.04, 0.09) * len(word))
        times.append((start, round(clock, 2)))
    return times


def _mishear(rng: Random, times: list[tuple[float, float]], noise: float) -> list[tuple[float, float]]:
    """The same words with each boundary off by up to half of `noise` of the word's length."""
    heard = []
    last = 0.0
    for start, end in times:
        reach = noise / 2.0 * (end - start)
        start = round(max(last, start + rng.uniform(-reach, reach)), 3)
        last = round(max(start + 0.01, end + rng.uniform(-reach, reach)), 3)
        heard.append((start, last))
    return heard


# ------------------------------------------------------------------------------------------ strings


def _walk(root: Phrase) -> Iterator[tuple[Phrase, Phrase]]:
    """Every node but TOP with its parent; the parent of the first is TOP."""
    stack = [(child, root) for child in root.children]
    while stack:
        node, parent = stack.pop()
        yield node, parent
        stack += [(child, node) for child in reversed(node.children)]


def parse(brackets: str) -> Phrase:
    """The opposite of `write`."""
    above = Phrase("")
    path = [above]
    for token in re.findall(r"\([^\s()]+|\)|[^\s()]+", brackets):
        if token == ")":
            path.pop()
        elif token[0] == "(":
            node = Phrase(token[1:])
            path[-1].children.append(node)
            path.append(node)
        else:
            path[-1].word = token
    return above.children[0]
