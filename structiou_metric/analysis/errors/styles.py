"""What labels mean in each style of treebank: tables that say which class a moved constituent is of.

A table is data. One more style is one more `Style` in `_TABLES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...trees.labels import base_label
from ...wording import check_choice

# The classes of errors, and what each means.
PP = "PP attachment"
NP = "NP attachment"
VP = "VP attachment"
CLAUSE = "clause attachment"
MODIFIER = "modifier attachment"
ATTACHMENT = "attachment"
COORDINATION = "co-ordination"
NP_INTERNAL = "NP-internal structure"
UNARY = "unary"
SINGLE_WORD = "single word phrase"
LABEL = "label"
TAG = "tag"
OTHER = "other"
TIMING = "timing"
FAILED = "failed"

# Every class of error, and what is wrong.
CLASSES: Mapping[str, str] = {
    PP: "a prepositional phrase hangs on another node",
    NP: "a noun phrase hangs on another node",
    VP: "a verb phrase hangs on another node",
    CLAUSE: "a clause hangs on another node",
    MODIFIER: "an adverb, an adjective or a phrase of these hangs on another node",
    ATTACHMENT: "something hangs on another node whose label the table does not know",
    COORDINATION: "what a conjunction joins begins or ends elsewhere",
    NP_INTERNAL: "the words of a noun phrase are grouped otherwise",
    UNARY: "a node over the same words as another one is missing, or one too many",
    SINGLE_WORD: "a phrase of one word is missing, or one too many",
    LABEL: "a constituent has another label",
    TAG: "a word has another tag, none, or one too many",
    OTHER: "any other constituent is missing, or one too many",
    TIMING: "the words have other times",
    FAILED: "one side has no constituents",
}

# The name for the style that knows most of the labels.
AUTO = "auto"
GENERAL = "general"


class Style(NamedTuple):
    """What labels mean in a treebank; function tags and indices are cut before they are looked up.

    >>> from structiou_metric.analysis.errors import STYLES
    >>> STYLES["english"].knows("PP"), STYLES["english"].attachments["PP"]
    (True, 'PP attachment')

    Attributes:
        name: The key of the style in `STYLES`.
        title: The name of the style for people.
        attachments: The class of error when something with a label hangs on another node.
        conjunctions: Labels of conjunctions.
        punctuation: Labels of what moves along with its neighbours.
        noun_phrases: Labels of phrases around a noun.
        in_noun_phrases: Labels of groups of words within them.
        structural: Whether conjunctions are known by where they stand, between two equals.
    """

    name: str
    title: str
    attachments: Mapping[str, str]
    conjunctions: frozenset[str] = frozenset()
    punctuation: frozenset[str] = frozenset()
    noun_phrases: frozenset[str] = frozenset()
    in_noun_phrases: frozenset[str] = frozenset()
    structural: bool = False

    def knows(self, label: str) -> bool:
        """Whether the tables have a label."""
        return label in self.attachments or label in self.conjunctions or label in self.punctuation


def _by_label(classes: Mapping[str, str]) -> dict[str, str]:
    """The class of each label, made of the labels in a row for each class."""
    return {label: name for name, labels in classes.items() for label in labels.split()}


_TABLES = (
    Style(
        "english",
        "Penn Treebank",
        _by_label(
            {
                PP: "PP WHPP IN TO",
                NP: "NP WHNP NX NAC NML QP NN NNS NNP NNPS PRP PRP$ DT PDT CD WP WP$ WDT EX FW $",
                VP: "VP VB VBD VBG VBN VBP VBZ MD",
                CLAUSE: "S SBAR SBARQ SINV SQ RRC FRAG",
                MODIFIER: "ADVP ADJP WHADVP WHADJP PRT RB RBR RBS JJ JJR JJS RP WRB",
                ATTACHMENT: "PRN UCP X INTJ LST CONJP UH POS SYM LS",
            }
        ),
        conjunctions=frozenset({"CC", "CONJP"}),
        punctuation=frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "#", "HYPH", "NFP"}),
        noun_phrases=frozenset({"NP", "WHNP", "NX", "NAC", "NML"}),
        in_noun_phrases=frozenset({"NP", "NX", "NAC", "NML", "QP", "ADJP", "UCP"}),
    ),
    Style(
        "chinese",
        "Chinese Treebank",
        _by_label(
            {
                PP: "PP LCP P LC",
                NP: "NP QP DP CLP WHNP NN NR NT PN CD OD M DT",
                VP: "VP VCD VCP VNV VPT VRD VSB VV VA VC VE BA LB SB",
                CLAUSE: "IP CP WHPP",
                MODIFIER: "ADVP ADJP DNP DVP AD JJ",
                ATTACHMENT: "PRN UCP FRAG LST INTJ INC FLR DFL X AS SP DEC DEG DER DEV ETC MSP IJ ON FW CS",
            }
        ),
        conjunctions=frozenset({"CC"}),
        punctuation=frozenset({"PU"}),
        noun_phrases=frozenset({"NP", "DP", "QP", "CLP"}),
        in_noun_phrases=frozenset({"NP", "DP", "QP", "CLP", "ADJP", "DNP", "UCP"}),
    ),
    Style(GENERAL, "any treebank, by structure alone", {}, structural=True),
)

# By name, the styles of treebanks that moves can be named by.
STYLES: Mapping[str, Style] = {style.name: style for style in _TABLES}


def find_style(name: str, labels: Iterable[str]) -> str:
    """The name of the style to use: the one given, or with `auto` the one that knows most of the labels.

    It must know half of them; of two that know as many, the first is taken.

    >>> find_style("auto", ["S", "NP-SBJ", "VP", "DT", "VBD"]), find_style("auto", ["IP", "NP", "VP", "VV"])
    ('english', 'chinese')
    >>> find_style("auto", ["A", "B"])
    'general'

    Args:
        name: A key of `STYLES`, or `auto`.
        labels: The labels of the trees, any of them several times.
    """
    check_choice("style", name, (AUTO, *STYLES))
    if name != AUTO:
        return name
    found = {base_label(label) for label in labels} - {""}
    known = {key: sum(map(style.knows, found)) for key, style in STYLES.items()}
    best = max(known, key=known.__getitem__)
    return best if known[best] and 2 * known[best] >= len(found) else GENERAL
