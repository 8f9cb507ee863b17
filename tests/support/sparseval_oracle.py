"""SParseval read off its definition step by step, slowly, on nested nodes.

Written from the description of the program, apart from the package: it reads brackets by itself, moves EDITED
brackets about one at a time, looks at every pair of brackets, and keeps whole tables of longest subsequences.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Row(NamedTuple):
    """The numbers of a line of SParseval."""

    match: int = 0
    gold: int = 0
    test: int = 0
    cross: int = 0
    head_match: int = 0
    head_gold: int = 0
    head_test: int = 0
    open_match: int = 0
    open_gold: int = 0
    open_test: int = 0


class GaveUpError(Exception):
    """The program ends here."""


@dataclass
class Rules:
    """A parameter file."""

    delete: set[str] = field(default_factory=set)
    empty: set[str] = field(default_factory=set)
    edit: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    rename: dict[str, str] = field(default_factory=dict)
    same_words: list[tuple[str, str]] = field(default_factory=list)
    pauses: list[tuple[str, str]] = field(default_factory=list)  # class and word

    @classmethod
    def read(cls, text: str) -> Rules:
        rules = cls()
        for line in text.splitlines():
            keyword, *values = line.split(" ")
            if keyword == "DELETE_LABEL":
                rules.delete.add(values[0])
            elif keyword == "EMPTY_NODE":
                rules.empty.add(values[0])
            elif keyword == "EDIT_LABEL":
                rules.edit.add(values[0])
            elif keyword == "CLOSED_CLASS":
                rules.closed.add(values[0])
            elif keyword == "EQ_LABEL":
                rules.rename[values[0]] = values[1]
            elif keyword == "EQ_WORDS":
                rules.same_words.append((values[0], values[1]))
            elif keyword.startswith("FILLED_PAUSE"):
                rules.pauses.append((keyword[-1], values[0]))
        return rules

    def same_word(self, a: str, b: str) -> bool:
        if _alike(a, b):
            return True
        classes = [{kind for kind, pause in self.pauses if _alike(pause, word)} for word in (a, b)]
        if classes[0] & classes[1]:
            return True
        return any(
            (_alike(a, one) and _alike(b, other)) or (_alike(b, one) and _alike(a, other))
            for one, other in self.same_words
        )


def _alike(a: str, b: str) -> bool:
    return a.replace("-", "").lower() == b.replace("-", "").lower()


def read_heads(text: str) -> dict[str, list[tuple[str, list[str]]]]:
    """Head rules by label: for each its side and labels, in order."""
    rules = {}
    for line in text.splitlines():
        label, _, rest = line.partition(" ")
        if label:
            groups = [group.split() for group in re.findall(r"\(([^()]*)\)", rest)]
            rules[label] = [(group[0], group[1:]) for group in groups]
    return rules


@dataclass(eq=False)
class Node:
    label: str
    children: list[Node] = field(default_factory=list)
    word: str | None = None
    edited: bool = False
    place: int = -1  # the first entry of a word
    last_place: int = -1
    start: int = -1
    end: int = -1
    head: Node | None = None
    head_child: Node | None = None

    def words(self) -> list[Node]:
        if self.word is not None:
            return [self]
        return [word for child in self.children for word in child.words()]

    def brackets(self) -> list[Node]:
        if self.word is not None:
            return []
        return [*(node for child in self.children for node in child.brackets()), self]


def read_unit(texts: list[str], rules: Rules) -> Node:
    """All trees of a unit under one TOP."""
    top = Node("TOP")
    for text in texts:
        tree = _parse(text)
        if tree is None:
            continue
        top.children += [tree] if tree.word is not None else tree.children
    _rename(top, rules)
    top.label = "TOP"
    _drop_empty(top, rules)
    return top


def _parse(text: str) -> Node | None:
    stack = [Node("")]
    for token in re.findall(r"\(\s*[^\s()]*|\)|[^\s()]+", text):
        if token == ")":
            stack.pop()
        elif token[0] == "(":
            node = Node(token[1:].strip())
            stack[-1].children.append(node)
            stack.append(node)
        else:
            stack[-1].word = token
    return stack[0].children[0] if stack[0].children else None


def _rename(node: Node, rules: Rules) -> None:
    inside = re.match(r".[^-=]*(?=[-=].)", node.label)
    label = inside[0] if inside else node.label
    node.label = rules.rename.get(label, label)
    for child in node.children:
        _rename(child, rules)


def _drop_empty(node: Node, rules: Rules) -> None:
    node.children = [child for child in node.children if child.label not in rules.empty]
    for child in node.children:
        _drop_empty(child, rules)
    node.children = [child for child in node.children if child.words()]


def delete(node: Node, rules: Rules) -> None:
    """Takes out deleted words, and puts the children of deleted brackets in their place."""
    kept = []
    for child in node.children:
        if child.word is not None:
            if child.label not in rules.delete:
                kept.append(child)
            continue
        delete(child, rules)
        if child.label in rules.delete:
            kept += child.children
        elif child.children:
            kept.append(child)
    node.children = kept


def normalise_edits(top: Node, rules: Rules) -> None:
    """Flattens EDITED brackets, moves them up from the edges of brackets, and joins neighbours."""
    _flatten(top, rules)
    while _raise_one(top, rules) or _merge_one(top, rules):
        pass


def _flatten(node: Node, rules: Rules) -> None:
    for i, child in enumerate(node.children):
        if child.word is not None and child.label in rules.edit:  # a tag that is a bracket of its own
            child = node.children[i] = Node(child.label, [child])
        if child.word is None and child.label in rules.edit:
            child.children = child.words()
            for word in child.children:
                word.edited = True
            child.edited = True
        else:
            _flatten(child, rules)


def _raise_one(node: Node, rules: Rules) -> bool:
    for i, child in enumerate(node.children):
        if child.edited or child.word is not None:
            continue
        if _raise_one(child, rules):
            return True
        for at, place in ((0, i), (-1, i + 1)):
            if child.children[at].edited:
                node.children.insert(place, child.children.pop(at))
                if not child.children:
                    node.children.remove(child)
                return True
    return False


def _merge_one(node: Node, rules: Rules) -> bool:
    for i, child in enumerate(node.children):
        if child.edited and i and node.children[i - 1].edited and child.word is None:
            node.children[i - 1].children += node.children.pop(i).children
            return True
        if not child.edited and _merge_one(child, rules):
            return True
    return False


# ------------------------------------------------------------------------------------------ positions


def place_words(top: Node, places: list[tuple[int, int]]) -> None:
    """Gives words their first and last entries, and brackets spans from the end of the word before."""
    end = 0
    for word, (place, last) in zip(top.words(), places, strict=True):
        word.place = place
        word.start, word.end, end = end, last + 1, last + 1
    for node in top.brackets():
        node.start, node.end = (node.words()[0].start, node.words()[-1].end) if node.words() else (0, 0)


def brackets(top: Node, rules: Rules, labeled: bool) -> list[tuple[str, int, int]]:
    return [
        (node.label if labeled else "", node.start, node.end)
        for node in top.brackets()
        if node.start < node.end and not (node is top and "TOP" in rules.delete)
    ]


# ----------------------------------------------------------------------------------------------- heads


class Dependency(NamedTuple):
    governor: str
    child: str
    governor_word: str | None  # None if something edited governs
    child_word: str
    place: int
    is_open: bool


def find_heads(top: Node, heads: dict[str, list[tuple[str, list[str]]]]) -> None:
    for node in top.brackets():
        if node is top or node.edited:
            continue
        node.head_child = _head_child(node, heads)
        head = node.head_child
        node.head = head if head.word is not None else head.head


def _head_child(node: Node, heads: dict[str, list[tuple[str, list[str]]]]) -> Node:
    for side, labels in [*heads.get(node.label, []), *heads["*default*"]]:
        for edited in (False, True):
            fit = [c for c in node.children if c.edited == edited and (not labels or c.label in labels)]
            if fit:
                return fit[0] if side == "l" else fit[-1]
    raise GaveUpError(node.label)


def dependencies(top: Node, rules: Rules, *, keep_headless: bool = False) -> list[Dependency]:
    """In the order of the children's head words."""
    found = []
    for node in top.brackets():
        if node.edited:
            continue
        for child in node.children:
            head = child if child.word is not None else child.head
            if child.edited or child is node.head_child or head is None:
                continue
            if node is not top and node.head is None and not keep_headless:
                continue
            governor = "TOP" if node is top else node.head and node.head.word
            tags = {head.label, "TOP" if node is top else node.head and node.head.label}
            found.append(
                (
                    top.words().index(head),
                    Dependency(
                        node.label, child.label, governor, head.word, head.place, not tags & rules.closed
                    ),
                )
            )
    return [dependency for _, dependency in sorted(found, key=lambda item: item[0])]


def same_dependency(a: Dependency, b: Dependency, rules: Rules, labeled: bool) -> bool:
    return (
        (not labeled or (a.governor, a.child) == (b.governor, b.child))
        and a.governor_word is not None
        and b.governor_word is not None
        and rules.same_word(a.governor_word, b.governor_word)
        and rules.same_word(a.child_word, b.child_word)
    )


def count_subsequence(
    gold: list[Dependency], test: list[Dependency], rules: Rules, labeled: bool
) -> tuple[int, int]:
    gold, test = gold[::-1], test[::-1]
    cells = {(i, j): (0, 0) for i in range(-1, len(gold)) for j in range(-1, len(test))}
    best = 0
    for i, ours in enumerate(gold):
        for j, theirs in enumerate(test):
            cell = cells[i, j - 1]
            if cells[i - 1, j][0] > cell[0]:
                cell = cells[i - 1, j]
            value, n_open = cells[i - 1, j - 1]
            left = len(gold) - i - 1
            if value + 1 > cell[0]:
                cell = value, n_open
                if value + 1 + left > best and same_dependency(ours, theirs, rules, labeled):
                    cell = value + 1, n_open + (ours.is_open and theirs.is_open)
            cells[i, j] = cell
            best = max(best, cell[0])
    return cells[len(gold) - 1, len(test) - 1]


# ---------------------------------------------------------------------------------------------- a unit


def count_bag(gold: list[str], test: list[str], rules: Rules, heads, *, labeled: bool = True) -> Row:
    sides = [_prepared(texts, rules) for texts in (gold, test)]
    found = []
    for top in sides:
        find_heads(top, heads)
        found.append(dependencies(top, rules, keep_headless=True))
    match, open_match = count_subsequence(*found, rules, labeled)
    return Row(
        head_match=match,
        head_gold=len(found[0]),
        head_test=len(found[1]),
        open_match=open_match,
        open_gold=sum(d.is_open for d in found[0]),
        open_test=sum(d.is_open for d in found[1]),
    )


def count_aligned(gold, test, pairs, rules: Rules, heads, *, labeled: bool = True) -> Row:
    """`pairs`: for each entry, the words of gold and test or None."""
    sides = [_prepared(texts, rules) for texts in (gold, test)]
    for side, top in enumerate(sides):
        place_words(top, [(i, i) for i, pair in enumerate(pairs) if pair[side] is not None])
    return _compare(*sides, rules, heads, labeled)


def count_edited(gold, test, rules: Rules, heads, *, labeled: bool = True) -> Row:
    """By an edit path between the words."""
    words = [words_of(texts, rules) for texts in (gold, test)]
    return count_aligned(gold, test, edit_path(*words, rules.same_word), rules, heads, labeled=labeled)


def edit_path(a, b, same, differ_in_tag=lambda a, b: False) -> list[tuple[object, object]]:
    """A path of fewest edits, then of most words that are the same, then of most equal tags.

    None stands where a side has nothing. Words that are the same at both ends, with equal tags, are paired
    first. Then, from the end, two words are paired where that is best, or else a word of the first side
    stands alone.
    """
    if a and b and same(a[0], b[0]) and not differ_in_tag(a[0], b[0]):
        return [(a[0], b[0]), *edit_path(a[1:], b[1:], same, differ_in_tag)]
    if a and b and same(a[-1], b[-1]) and not differ_in_tag(a[-1], b[-1]):
        return [*edit_path(a[:-1], b[:-1], same, differ_in_tag), (a[-1], b[-1])]
    best = {}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            ways = []
            if i and j:
                edits, others, tags = best[i - 1, j - 1][0]
                differ = not same(a[i - 1], b[j - 1])
                unequal = tags + differ_in_tag(a[i - 1], b[j - 1])
                ways.append(((edits + differ, others + differ, unequal), 0, (i - 1, j - 1)))
            for step, (x, y) in enumerate(((i - 1, j), (i, j - 1)), 1):
                if x >= 0 and y >= 0:
                    edits, others, tags = best[x, y][0]
                    ways.append(((edits + 1, others, tags), step, (x, y)))
            best[i, j] = min(ways) if ways else ((0, 0, 0), 0, None)
    path = []
    i, j = len(a), len(b)
    while (i, j) != (0, 0):
        x, y = best[i, j][2]
        path.append((a[x] if x < i else None, b[y] if y < j else None))
        i, j = x, y
    return path[::-1]


def count_plain(gold, test, rules: Rules, heads, *, labeled: bool = True) -> Row:
    ours, theirs = (read_unit(texts, rules) for texts in (gold, test))
    entries = ours.words()
    for i, word in enumerate(entries):
        word.place = word.last_place = i
    i = 0
    gone = set()
    for word in theirs.words():
        if i >= len(entries):
            raise GaveUpError("more words")
        word.place = word.last_place = i
        if entries[i].label in rules.delete:
            gone.add(word)
        joined = "".join(entry.word for entry in entries[i : i + 2])
        if not _alike(word.word, entries[i].word) and i + 1 < len(entries) and _alike(word.word, joined):
            i = word.last_place = i + 1
        i += 1
    for top in (ours, theirs):
        normalise_edits(top, rules)
        for word in gone & set(top.words()):
            word.label = next(iter(rules.delete))
        delete(top, rules)
        place_words(top, [(word.place, word.last_place) for word in top.words()])
    return _compare(ours, theirs, rules, heads, labeled)


def words_of(texts: list[str], rules: Rules) -> list[str]:
    """The words that are not deleted."""
    return [word.word for word in _prepared(texts, rules).words()]


def _prepared(texts: list[str], rules: Rules) -> Node:
    top = read_unit(texts, rules)
    delete(top, rules)
    normalise_edits(top, rules)
    return top


def _compare(ours: Node, theirs: Node, rules: Rules, heads, labeled: bool) -> Row:
    gold, test = (brackets(top, rules, labeled) for top in (ours, theirs))
    match = (Counter(gold) & Counter(test)).total()
    cross = sum(any(a < c < b < d or c < a < d < b for _, a, b in gold) for _, c, d in test)
    row = Row(match, len(gold), len(test), cross)
    if heads is None:
        return row
    found = []
    for top in (ours, theirs):
        find_heads(top, heads)
        found.append({d.place: d for d in dependencies(top, rules)})
    both = [
        place
        for place in found[0].keys() & found[1].keys()
        if same_dependency(found[0][place], found[1][place], rules, labeled)
    ]
    return row._replace(
        head_match=len(both),
        head_gold=len(found[0]),
        head_test=len(found[1]),
        open_match=sum(found[0][p].is_open and found[1][p].is_open for p in both),
        open_gold=sum(d.is_open for d in found[0].values()),
        open_test=sum(d.is_open for d in found[1].values()),
    )
