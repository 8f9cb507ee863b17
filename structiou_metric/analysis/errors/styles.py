"""Styles of treebanks: tables from the label of a moved constituent to its class of error.

A table is data. One more style is one more `Style` in `_TABLES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...trees.labels import base_label
from ...wording import check_choice

# The classes of errors.
PP = "PP attachment"
NP = "NP attachment"
VP = "VP attachment"
CLAUSE = "clause attachment"
MODIFIER = "modifier attachment"
ATTACHMENT = "attachment"
WORD = "word attachment"
PUNCTUATION = "punctuation"
COORDINATION = "co-ordination"
NP_INTERNAL = "NP-internal structure"
UNARY = "unary"
SINGLE_WORD = "single word phrase"
LABEL = "label"
TAG = "tag"
OTHER = "other"
TIMING = "timing"
FAILED = "failed"

# Every class of error with a description of the mistake.
CLASSES: Mapping[str, str] = {
    PP: "a prepositional phrase hangs on another node",
    NP: "a noun phrase hangs on another node",
    VP: "a verb phrase hangs on another node",
    CLAUSE: "a clause hangs on another node",
    MODIFIER: "an adverb phrase, an adjective phrase or a particle hangs on another node",
    ATTACHMENT: "a phrase whose label the table does not know hangs on another node",
    WORD: "a word that is no phrase hangs on another node",
    PUNCTUATION: "punctuation alone hangs on another node",
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
    """The meanings of labels in a treebank; function tags and indices are cut off before a look-up.

    >>> from structiou_metric.analysis.errors import STYLES
    >>> STYLES["english"].knows("PP"), STYLES["english"].attachments["PP"]
    (True, 'PP attachment')

    Attributes:
        name: The key of the style in `STYLES`.
        title: The name of the style for people.
        attachments: The class of error when a phrase with a label hangs on another node.
        words: Labels of words other than conjunctions and punctuation.
        conjunctions: Labels of conjunctions.
        punctuation: Labels of punctuation.
        noun_phrases: Labels of phrases around a noun.
        in_noun_phrases: Labels of groups of words within them.
        structural: Whether conjunctions are known by their place, between two equals, and punctuation by
            having neither letters nor digits.
    """

    name: str
    title: str
    attachments: Mapping[str, str]
    words: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    punctuation: frozenset[str] = frozenset()
    noun_phrases: frozenset[str] = frozenset()
    in_noun_phrases: frozenset[str] = frozenset()
    structural: bool = False

    def knows(self, label: str) -> bool:
        """Return whether the tables have a label."""
        return any(
            label in labels for labels in (self.attachments, self.words, self.conjunctions, self.punctuation)
        )


def _labels(text: str) -> frozenset[str]:
    """Return the labels of a row."""
    return frozenset(text.split())


def _by_label(classes: Mapping[str, str]) -> dict[str, str]:
    """Return the class of each label, made of the labels in a row for each class."""
    return {label: name for name, labels in classes.items() for label in labels.split()}


_TABLES = (
    Style(
        "english",
        "Penn Treebank",
        _by_label(
            {
                PP: "PP WHPP",
                NP: "NP WHNP NX NAC NML QP",
                VP: "VP",
                CLAUSE: "S SBAR SBARQ SINV SQ RRC FRAG",
                MODIFIER: "ADVP ADJP WHADVP WHADJP PRT",
                ATTACHMENT: "PRN UCP X INTJ LST CONJP",
            }
        ),
        words=_labels(
            "IN TO NN NNS NNP NNPS PRP PRP$ DT PDT CD WP WP$ WDT EX FW $ # VB VBD VBG VBN VBP VBZ MD "
            "RB RBR RBS JJ JJR JJS RP WRB UH POS SYM LS"
        ),
        conjunctions=_labels("CC CONJP"),
        punctuation=_labels(", . : `` '' -LRB- -RRB- HYPH NFP"),
        noun_phrases=_labels("NP WHNP NX NAC NML"),
        in_noun_phrases=_labels("NP NX NAC NML QP ADJP UCP"),
    ),
    Style(
        "chinese",
        "Chinese Treebank",
        _by_label(
            {
                PP: "PP LCP",
                NP: "NP QP DP CLP WHNP",
                VP: "VP VCD VCP VNV VPT VRD VSB",
                CLAUSE: "IP CP WHPP",
                MODIFIER: "ADVP ADJP DNP DVP",
                ATTACHMENT: "PRN UCP FRAG LST INTJ INC FLR DFL X",
            }
        ),
        words=_labels(
            "P LC NN NR NT PN CD OD M DT VV VA VC VE BA LB SB AD JJ AS SP DEC DEG DER DEV ETC MSP IJ ON FW CS"
        ),
        conjunctions=_labels("CC"),
        punctuation=_labels("PU"),
        noun_phrases=_labels("NP DP QP CLP"),
        in_noun_phrases=_labels("NP DP QP CLP ADJP DNP UCP"),
    ),
    Style(GENERAL, "any treebank, by structure alone", {}, structural=True),
)

# By name, the styles of treebanks that moves can be named by.
STYLES: Mapping[str, Style] = {style.name: style for style in _TABLES}


def find_style(name: str, labels: Iterable[str]) -> str:
    """Return the name of the style to use; with `auto`, the one that knows most of the labels.

    The style must know half of them; of two that know the same number, the first is taken.

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
