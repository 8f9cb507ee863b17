"""Trees whose branches may cross, as plain data, and treebanks of every format written of them by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from hypothesis import strategies as st

from support.strategies import tree_cases


class Node:
    """A node of a tree: its label, and what is right below it: nodes, or the place of one word."""

    def __init__(self, label: str, below: list[Any]) -> None:
        self.label = label
        self.below = below

    @property
    def tag(self) -> bool:
        return isinstance(self.below[0], int)

    def places(self) -> frozenset[int]:
        """The places of all words below it."""
        return frozenset(
            place for item in self.below for place in ([item] if isinstance(item, int) else item.places())
        )

    def nodes(self) -> list[Node]:
        """All nodes, each before those below it."""
        return [self, *(node for item in self.below if isinstance(item, Node) for node in item.nodes())]


class Case(NamedTuple):
    """A tree and the words of its sentence."""

    root: Node
    words: list[str]


def read(text: str, places: list[int]) -> Node:
    """The tree of bracket text whose words have these places, in their order there."""
    stack: list[Node] = [Node("", [])]
    rest = iter(places)
    for opened, label, closed, _ in re.findall(r"(\()\s*([^\s()]*)|(\))|([^\s()]+)", text):
        if opened:
            stack.append(Node(label, []))
        elif closed:
            node = stack.pop()
            stack[-1].below.append(node)
        else:
            stack[-1].below.append(next(rest))
    [root] = stack[0].below
    return root


WORDS = ("a", "b", "dog", "(", "é", "x=1", "#", "1", "-")


@st.composite
def cases(draw: st.DrawFn, max_words: int = 7, crossing: bool = True) -> Case:
    """Trees with a tag above each word; of some words, the places are exchanged."""
    case = draw(tree_cases(max_words, ("S", "NP", "VP-SBJ"), allow_multiword_leaves=False))
    n_words = case.brackets.count(" w")
    places = list(range(n_words))
    if crossing:
        for _ in range(draw(st.integers(0, 4))):
            one, other = (draw(st.integers(0, n_words - 1)) for _ in range(2))
            places[one], places[other] = places[other], places[one]
    words = [draw(st.sampled_from(WORDS)) for _ in range(n_words)]
    return Case(read(case.brackets, places), words)


def brackets(node: Node) -> Counter[tuple[str, frozenset[int]]]:
    """Labels and sets of words of all nodes."""
    return Counter((one.label, one.places()) for one in node.nodes())


def runs(places: frozenset[int]) -> list[tuple[int, int]]:
    """Where the runs of places begin and end."""
    begins = sorted(place for place in places if place - 1 not in places)
    ends = sorted(place + 1 for place in places if place + 1 not in places)
    return list(zip(begins, ends, strict=True))


def is_continuous(node: Node) -> bool:
    return all(len(runs(one.places())) == 1 for one in node.nodes())


# ---- treebanks ---------------------------------------------------------------------------------


def escaped(text: str) -> str:
    return text.replace("(", "-LRB-").replace(")", "-RRB-")


def _in_order(node: Node) -> list[Any]:
    return sorted(node.below, key=lambda item: item if isinstance(item, int) else min(item.places()))


def bracket_text(case: Case, write: Any = None, node: Node | None = None) -> str:
    """Brackets; `write` tells how a word at a place is written."""
    node = node or case.root
    write = write or (lambda place: escaped(case.words[place]))
    inside = " ".join(
        write(item) if isinstance(item, int) else bracket_text(case, write, item) for item in _in_order(node)
    )
    return f"({node.label} {inside})"


def to_discbracket(rows: list[Case]) -> str:
    return "".join(
        bracket_text(case, lambda place, case=case: f"{place}={escaped(case.words[place])}") + "\n"
        for case in rows
    )


def _table(case: Case) -> tuple[list[tuple[str, str, int]], list[tuple[str, int]]]:
    """Text, tag and parent of each word; label and parent of each inner node, both by numbers of these."""
    inner = [node for node in case.root.nodes() if not node.tag]
    numbers = {id(node): i for i, node in enumerate(inner)}
    parents = {id(item): numbers[id(node)] for node in inner for item in node.below}
    tags = {node.below[0]: node for node in case.root.nodes() if node.tag}
    words = [
        (case.words[place], tags[place].label, parents.get(id(tags[place]), -1))
        for place in range(len(case.words))
    ]
    return words, [(node.label, parents.get(id(node), -1)) for node in inner]


def to_export(rows: list[Case], version: int = 4) -> str:
    lines = [f"#FORMAT {version}"]
    lemma = ["--"] if version == 4 else []
    for n, case in enumerate(rows, 1):
        words, nodes = _table(case)
        lines.append(f"#BOS {n} 1 0 0 %% comment")
        for text, label, parent in [*words, *((f"#{500 + i}", *node) for i, node in enumerate(nodes))]:
            lines.append(
                "\t".join([text, *lemma, label, "--", "HD", str(500 + parent if parent >= 0 else 0)])
            )
        lines.append(f"#EOS {n}")
    return "\n".join([*lines, ""])


def to_export_3(rows: list[Case]) -> str:
    return to_export(rows, 3)


def to_tiger(rows: list[Case]) -> str:
    out = ["<?xml version='1.0'?><corpus id='c'><body>"]
    for n, case in enumerate(rows):
        words, nodes = _table(case)
        out.append(f"<s id='s{n}'><graph root='s{n}_r'><terminals>")
        out += [
            f"<t id='s{n}_{i}' word={quoteattr(text)} pos={quoteattr(tag)}/>"
            for i, (text, tag, _) in enumerate(words)
        ]
        out.append("</terminals><nonterminals>")
        for i, (label, _) in enumerate(nodes):
            edges = [f"s{n}_{k}" for k, word in enumerate(words) if word[2] == i]
            edges += [f"s{n}_{500 + k}" for k, node in enumerate(nodes) if node[1] == i]
            out.append(f"<nt id='s{n}_{500 + i}' cat={quoteattr(label)}>")
            out += [f"<edge label='--' idref='{edge}'/>\n" for edge in edges] + ["</nt>"]
        out.append("</nonterminals></graph></s>")
    return "".join([*out, "</body></corpus>"])


def to_alpino(rows: list[Case]) -> str:
    def node(case: Case, one: Node) -> str:
        if one.tag:
            at = one.below[0]
            word = quoteattr(case.words[at])
            return f"<node begin='{at}' end='{at + 1}' pt={quoteattr(one.label)} word={word}/>"
        inside = "".join(node(case, item) for item in one.below)
        return f"<node cat={quoteattr(one.label)} rel='x'>{inside}<node index='1' rel='su'/></node>"

    sentences = [f"<alpino_ds>{node(case, case.root)}<sentence/></alpino_ds>\n" for case in rows]
    return f"<treebank>{''.join(sentences)}</treebank>"


def to_brackets(rows: list[Case]) -> str:
    return "".join(f"{bracket_text(case)}\n" for case in rows)


def to_penn(rows: list[Case]) -> str:
    return "".join(f"{bracket_text(case).replace(' (', chr(10) + '  (')}\n\n" for case in rows)


def to_ftb(rows: list[Case]) -> str:
    return "(X##first=1## y)\n" + re.sub(r"\(([^\s()]+)", r"(\1##a=b|c=d##", to_brackets(rows))


def to_sinica(rows: list[Case]) -> str:
    def node(case: Case, one: Node) -> str:
        if one.tag:
            return f"{one.label}:{escaped(case.words[one.below[0]])}"
        return f"{one.label}({'|'.join('role:' + node(case, item) for item in _in_order(one))})"

    return "".join(f"#{n}:1.[0] {node(case, case.root)}#。(PERIODCATEGORY)\n" for n, case in enumerate(rows))


def to_conll2012(rows: list[Case]) -> str:
    out = ["#begin document (x); part 000"]
    for case in rows:
        text = re.sub(r" ?\((\S+) ([^\s()]+)\)", r" \1\t\2 ", bracket_text(case))
        bits = re.split(r" \S+\t\S+ ", text)
        words = re.findall(r" (\S+)\t(\S+) ", text)
        opened = [bits[0]]
        closed = []
        for bit in bits[1:]:
            end = bit.count(")")
            closed.append(bit[:end])
            opened.append(bit[end:])
        for n, (tag, word) in enumerate(words):
            part = f"{opened[n]}*{closed[n]}".replace(" ", "")
            out.append(f"x\t0\t{n}\t{word}\t{tag}\t{part}\t-\t-")
        out.append("")
    return "\n".join([*out, "#end document", ""])


def to_conllu(rows: list[Case]) -> str:
    return "".join(
        f"# sent_id = {n}\n# constituency = {bracket_text(case)}\n1\tx\tx\tX\tX\t_\t0\troot\t_\t_\n\n"
        for n, case in enumerate(rows)
    )


def to_corenlp(rows: list[Case]) -> str:
    return json.dumps(
        {"sentences": [{"index": n, "parse": bracket_text(case)} for n, case in enumerate(rows)]}
    )


CONTINUOUS = {
    "brackets": to_brackets,
    "ftb": to_ftb,
    "sinica": to_sinica,
    "conll-2012": to_conll2012,
    "conllu": to_conllu,
    "corenlp-json": to_corenlp,
}
CROSSING = {
    "discbracket": to_discbracket,
    "export": to_export,
    "tiger-xml": to_tiger,
    "alpino-xml": to_alpino,
}
