"""Moves are named as linguists would name them: classics with known answers, and injected errors."""

from __future__ import annotations

from random import Random

import pytest

from bench.corpus import make_corpus, parse
from bench.grammar import Phrase, write
from structiou_metric import StructIoU
from structiou_metric.analysis.errors import CLASSES, STYLES, explain_corpus, find_moves, find_style

I_SAW = "(S (NP (PRP I)) (VP (VBD saw) {}) (. .))"
PP_LOW = I_SAW.format("(NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))")
PP_HIGH = I_SAW.format("(NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))")
PP_TOP = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man))) (PP (IN with) (NP (DT a) (NN hat))) (. .))"
HE_SAID = "(S (NP (PRP he)) (VP (VBD said) {}))"
BECAUSE = "(SBAR (IN because) (S (NP (PRP it)) (VP (VBD rained))))"
SHE_LEFT = "(SBAR (S (NP (PRP she)) (VP (VBD left){})))"


@pytest.mark.parametrize(
    "prediction, reference, error, told",
    [
        pytest.param(
            PP_LOW, PP_HIGH, "PP attachment", "move PP “with a hat” from NP to VP", id="low PP should be high"
        ),
        pytest.param(
            PP_HIGH, PP_LOW, "PP attachment", "move PP “with a hat” from VP to NP", id="high PP should be low"
        ),
        pytest.param(
            PP_LOW, PP_TOP, "PP attachment", "move PP “with a hat” from NP to S", id="two phrases shrink"
        ),
        pytest.param(PP_TOP, PP_LOW, "PP attachment", "move PP “with a hat” from S to NP", id="and grow"),
        pytest.param(
            "(S (NP (NN x)) (VP (VBD met) (NP (DT the) (NN judge) (, ,) (NP (PRP$ my) (NN aunt)))))",
            "(S (NP (NN x)) (VP (VBD met) (NP (DT the) (NN judge)) (, ,) (NP (PRP$ my) (NN aunt))))",
            "NP attachment",
            "move , NP “, my aunt” from NP to VP",
            id="an apposition",
        ),
        pytest.param(
            "(NP (NP (DT a) (NN plan)) (PP (IN of) (NP (NNS men) (VP (VBN made) (NP (NN now))))))",
            "(NP (NP (DT a) (NN plan)) (PP (IN of) (NP (NNS men))) (VP (VBN made) (NP (NN now))))",
            "VP attachment",
            "move VP “made now” from NP to NP",
            id="a participle",
        ),
        pytest.param(
            HE_SAID.format(SHE_LEFT.format(f" {BECAUSE}")),
            HE_SAID.format(f"{SHE_LEFT.format('')} {BECAUSE}"),
            "clause attachment",
            "move SBAR “because it rained” from VP to VP",
            id="a clause of the outer verb",
        ),
        pytest.param(
            "(S (NP (NN x)) (VP (VBD said) (NP (PRP he)) (VP (VBD left) (ADVP (RB then) (RB once)))))",
            "(S (NP (NN x)) (VP (VBD said) (NP (PRP he)) (VP (VBD left)) (ADVP (RB then) (RB once))))",
            "modifier attachment",
            "move ADVP “then once” from VP to VP",
            id="an adverb",
        ),
        pytest.param(
            "(S (NP (NP (NNS men)) (PP (IN of) (NP (NP (NN war)) (CC and) (NP (NN peace))))) (VP (VBP go)))",
            "(S (NP (NP (NP (NNS men)) (PP (IN of) (NP (NN war)))) (CC and) (NP (NN peace))) (VP (VBP go)))",
            "co-ordination",
            "move CC NP “and peace” from NP to NP",
            id="the scope of and",
        ),
        pytest.param(
            "(NP (DT the) (JJ old) (NN car) (NN door))",
            "(NP (DT the) (NP (JJ old) (NN car)) (NN door))",
            "NP-internal structure",
            "add NP over “old car” in NP",
            id="a missing NP in an NP",
        ),
        pytest.param(
            "(S (NP (NN x)) (VP (VBZ tries) (S (VP (TO to) (VP (VB go))))))",
            "(S (NP (NN x)) (VP (VBZ tries) (VP (TO to) (VP (VB go)))))",
            "unary",
            "remove S over “to go” in VP",
            id="an S over a VP too many",
        ),
        pytest.param(
            "(S (NP (NN x)) (VP (VBZ is) (NP (RB very) (JJ red))))",
            "(S (NP (NN x)) (VP (VBZ is) (ADJP (RB very) (JJ red))))",
            "label",
            "relabel NP “very red” as ADJP",
            id="NP instead of ADJP",
        ),
        pytest.param(
            "(S (NP (NN x)) (VP (VBZ goes) (RB now) (NP (NN home))))",
            "(S (NP (NN x)) (VP (VBZ goes) (ADVP (RB now)) (NP (NN home))))",
            "single word phrase",
            "add ADVP over “now” in VP",
            id="a missing ADVP of one word",
        ),
        pytest.param(
            "(S (NP (NN time)) (VP (VBZ flies)))",
            "(S (NP (NN time)) (VP (NNS flies)))",
            "tag",
            "relabel VBZ “flies” as NNS",
            id="a wrong tag",
        ),
        pytest.param(
            "(S (NP (NN x)) (VP (VBD put) (NP (NN y)) (PP (IN on) (NP (NN z)))))",
            "(S (NP (NN x)) (VBD put) (NP (NN y)) (PP (IN on) (NP (NN z))))",
            "other",
            "remove VP over “put y on z” in S",
            id="a phrase too many",
        ),
        pytest.param(
            "(IP (NP (PN 我)) (VP (VV 看) (NP (NN 人) (PP (P 用) (NP (NN 镜))))))",
            "(IP (NP (PN 我)) (VP (VV 看) (NP (NN 人)) (PP (P 用) (NP (NN 镜)))))",
            "PP attachment",
            "move PP “用 镜” from NP to VP",
            id="a Chinese PP",
        ),
        pytest.param(
            "(a (b (c x)) (d (e y) (f (g z) (h w))))",
            "(a (b (c x)) (d (e y)) (f (g z) (h w)))",
            "attachment",
            "move f “z w” from d to a",
            id="labels that nobody knows",
        ),
        pytest.param(
            "(q (m (m (a x) (b y)) (k und)) (m (a z) (b w)))",
            "(q (m (m (a x) (b y)) (k und) (m (a z) (b w))))",
            "co-ordination",
            "move m “z w” from q to m",
            id="a word between two equals joins them",
        ),
        pytest.param(
            "(S (NP (PRP he)) (VP (VBD said) (S (NP (PRP she)) (VP (VBD left)) (, ,) (CC and) (S (NP it)))))",
            "(S (NP (PRP he)) (VP (VBD said) (S (NP (PRP she)) (VP (VBD left)))) (, ,) (CC and) (S (NP it)))",
            "co-ordination",
            "move , CC S “, and it” from S to S",
            id="a comma before the conjunction",
        ),
        pytest.param(
            "(S (S (NP (NN x)) (VP (VBZ is)) (, ,)) (CC and) (S (NP (NN y)) (VP (VBZ is))))",
            "(S (S (NP (NN x)) (VP (VBZ is))) (, ,) (CC and) (S (NP (NN y)) (VP (VBZ is))))",
            "punctuation",
            "move , “,” from S to S",
            id="a comma alone beside a conjunction",
        ),
        pytest.param(
            "(S (NP (DT a)) (NN man) (VP (VBD fell) (ADVP (RB hard))))",
            "(S (NP (DT a) (NN man)) (VP (VBD fell) (ADVP (RB hard))))",
            "word attachment",
            "move NN “man” from S to NP",
            id="a noun is no noun phrase",
        ),
        pytest.param(
            "(S (`` ``) (NP (NP (NN x)) (PP (IN of) (NP (NN y)))) ('' '') (VP (VBZ is)))",
            "(S (NP (`` ``) (NP (NP (NN x)) (PP (IN of) (NP (NN y)))) ('' '')) (VP (VBZ is)))",
            "punctuation",
            "move '' “''” from S to NP",
            id="quotes are all that a phrase adds",
        ),
        pytest.param(
            "(s (n (n (a der) (b mann)) ($, ,)) (v (c lief)))",
            "(s (n (a der) (b mann)) ($, ,) (v (c lief)))",
            "punctuation",
            "move $, “,” from n to s",
            id="a comma whose label nobody knows",
        ),
        pytest.param(
            "(q (m (m (a x) (b y)) ($, ,) (k und)) (m (a z) (b w)))",
            "(q (m (m (a x) (b y)) ($, ,) (k und) (m (a z) (b w))))",
            "co-ordination",
            "move m “z w” from q to m",
            id="a comma and a word between two equals",
        ),
    ],
)
def test_classics(prediction, reference, error, told):
    (move,) = find_moves(prediction, reference)
    assert (move.error, move.describe().rpartition(" (")[0]) == (error, told)


def test_conjunctions_are_known_where_tags_do_not_count():
    metric = StructIoU(terminals="exclude")
    (move,) = find_moves(
        "(S (NP (NP (NNS men)) (PP (IN of) (NP (NP (NN war)) (CC and) (NP (NN peace))))) (VP (VBP go)))",
        "(S (NP (NP (NP (NNS men)) (PP (IN of) (NP (NN war)))) (CC and) (NP (NN peace))) (VP (VBP go)))",
        metric,
    )
    assert (move.error, move.labels) == ("co-ordination", ("CC", "NP"))


def test_function_tags_do_not_matter_to_the_tables():
    low, high = (text.replace("(PP", "(PP-MNR").replace("(NP", "(NP-X") for text in (PP_LOW, PP_HIGH))
    (move,) = find_moves(low, high)
    assert (move.error, move.labels, move.source) == ("PP attachment", ("PP-MNR",), "NP-X")


def test_unlabelled_moves_are_still_named():
    (move,) = find_moves(PP_LOW, PP_HIGH, StructIoU(labels="ignore"))
    assert move.error == "PP attachment"


def test_a_style_that_is_given_is_used():
    assert find_moves(PP_LOW, PP_HIGH, style="general")[0].error == "attachment"
    with pytest.raises(
        ValueError, match="unknown style 'klingon'; choose from auto, english, chinese, general"
    ):
        find_moves(PP_LOW, PP_HIGH, style="klingon")


def test_tables_name_known_classes_only():
    for style in STYLES.values():
        assert set(style.attachments.values()) <= set(CLASSES)


@pytest.mark.parametrize(
    "labels, style",
    [
        ("S NP VP PP DT NN VBD IN SBAR ADJP", "english"),
        ("S NP-SBJ VP NNP-1 VBZ RB", "english"),
        ("IP NP VP PP NN VV AD DEG DNP LCP CLP PU", "chinese"),
        ("CS NX VX PX NN ART VVFIN APPR", "general"),
        ("", "general"),
    ],
)
def test_style_is_guessed_from_labels(labels, style):
    assert find_style("auto", labels.split()) == style


# ---------------------------------------------------------------------------------- injected errors
# Each makes one error of a known class in a tree that is right, and tells whether there was a place for it.


def _nodes(root):
    stack = [(child, root) for child in root.children]
    while stack:
        node, parent = stack.pop()
        yield node, parent
        stack += [(child, node) for child in node.children]


def _choose(rng, places):
    return rng.choice(places) if places else None


def _lower(labels):
    """A phrase behind an NP becomes its modifier: (VP v (NP n) (PP p)) → (VP v (NP (NP n) (PP p)))."""

    def inject(rng, root):
        places = [
            (node, at)
            for node, _ in _nodes(root)
            for at in range(1, len(node.children) - 1)
            if node.children[at].label == "NP" and node.children[at + 1].label in labels
            if node.children[at - 1].label != "CC"
        ]
        place = _choose(rng, places)
        if place:
            node, at = place
            node.children[at : at + 2] = [Phrase("NP", node.children[at : at + 2])]
        return place

    return inject


def _raise(labels):
    """The modifier of an NP goes to what is above it: (VP v (NP (NP n) (PP p))) → (VP v (NP n) (PP p))."""

    def inject(rng, root):
        places = [
            (node, parent)
            for node, parent in _nodes(root)
            if node.label == "NP" and parent is not root and len(node.children) == 2
            if node.children[0].label == "NP" and node.children[1].label in labels
            if all(child.label != "CC" for child in parent.children)
        ]
        place = _choose(rng, places)
        if place:
            node, parent = place
            at = parent.children.index(node)
            parent.children[at : at + 1] = node.children
        return place

    return inject


def _flatten_conjuncts(rng, root):
    """What a conjunction joins loses its bracket."""
    places = [
        (node, parent)
        for node, parent in _nodes(root)
        if parent is not root and len(node.children) == 3 and node.children[1].label == "CC"
        if len(parent.children) > 1 and all(child.children for child in node.children[::2])
    ]
    place = _choose(rng, places)
    if place:
        node, parent = place
        at = parent.children.index(node)
        parent.children[at : at + 1] = node.children
    return place


def _flatten_after_comma(rng, root):
    """What a comma and a conjunction join loses its bracket."""
    places = [
        (node, parent)
        for node, parent in _nodes(root)
        if [child.label for child in node.children[1:3]] == [",", "CC"] and len(node.children) == 4
        if len(parent.children) > 1
    ]
    place = _choose(rng, places)
    if place:
        node, parent = place
        at = parent.children.index(node)
        parent.children[at : at + 1] = node.children
    return place


def _lower_conjunct(commas):
    """A conjunction with what follows goes into the last phrase before it, with the comma between them."""

    def inject(rng, root):
        places = [
            (node, at, taker)
            for node, _ in _nodes(root)
            for at in range(1, len(node.children) - commas - 1)
            if [child.label for child in node.children[at : at + commas + 1]] == [","] * commas + ["CC"]
            for taker in _right_edge(node.children[at - 1])
            if len(node.children) > commas + 3 or node.label == node.children[0].label
        ]
        place = _choose(rng, places)
        if place:
            node, at, taker = place
            taker.children += node.children[at : at + commas + 2]
            del node.children[at : at + commas + 2]
            if len(node.children) == 1:
                node.children = node.children[0].children
        return place

    return inject


def _right_edge(node):
    """The phrases of several children below a node that end where it does."""
    while node.children:
        node = node.children[-1]
        if len(node.children) > 1:
            yield node


def _raise_apposition(labels):
    """What stands between commas leaves its NP: (S (NP (NP n) , (NP m) ,) …) → (S (NP n) , (NP m) , …)."""

    def inject(rng, root):
        places = [
            (node, parent)
            for node, parent in _nodes(root)
            if node.label == "NP" and parent is not root and len(node.children) in (3, 4)
            if node.children[0].label == "NP" and node.children[2].label in labels
            if all(child.label == "," for child in node.children[1::2])
            if all(child.label != "CC" for child in parent.children)
        ]
        place = _choose(rng, places)
        if place:
            node, parent = place
            at = parent.children.index(node)
            parent.children[at : at + 1] = node.children
        return place

    return inject


def _lower_punctuation(rng, root):
    """A comma or a full stop goes into the phrase before it."""
    places = [
        (node, at)
        for node, _ in _nodes(root)
        for at in range(1, len(node.children))
        if node.children[at].label in (",", ".") and len(node.children[at - 1].children) > 1
        if len(node.children) > 2
    ]
    place = _choose(rng, places)
    if place:
        node, at = place
        node.children[at - 1].children.append(node.children.pop(at))
    return place


def _raise_punctuation(rng, root):
    """The comma at the end of a phrase leaves it."""
    places = [
        (node, parent)
        for node, parent in _nodes(root)
        if parent is not root and len(node.children) > 2 and node.children[-1].label == ","
    ]
    place = _choose(rng, places)
    if place:
        node, parent = place
        parent.children.insert(parent.children.index(node) + 1, node.children.pop())
    return place


_NO_WORDS = {"CC", ",", ".", "``", "''", "-LRB-", "-RRB-"}


def _is_bare(node):
    return node.word and node.label not in _NO_WORDS


def _raise_word(rng, root):
    """The first word of a phrase leaves it, but not from one NP to another."""
    places = [
        (node, parent)
        for node, parent in _nodes(root)
        if parent is not root and len(node.children) > 2 and _is_bare(node.children[0])
        if not node.label == parent.label == "NP"
        if all(child.label != "CC" for child in (*parent.children, *node.children))
    ]
    place = _choose(rng, places)
    if place:
        node, parent = place
        parent.children.insert(parent.children.index(node), node.children.pop(0))
    return place


def _lower_word(rng, root):
    """A word goes into the phrase after it."""
    places = [
        (node, at)
        for node, _ in _nodes(root)
        if node.label != "NP" and len(node.children) > 2
        for at in range(len(node.children) - 1)
        if _is_bare(node.children[at]) and len(node.children[at + 1].children) > 1
        if all(child.label != "CC" for child in (*node.children, *node.children[at + 1].children))
    ]
    place = _choose(rng, places)
    if place:
        node, at = place
        word = node.children.pop(at)
        node.children[at].children.insert(0, word)
    return place


def _group_nouns(rng, root):
    places = [
        node
        for node, _ in _nodes(root)
        if node.label == "NP" and len(node.children) > 2 and all(child.word for child in node.children)
    ]
    node = _choose(rng, places)
    if node:
        node.children[-2:] = [Phrase("NX", node.children[-2:])]
    return node


def _add_unary(rng, root):
    node = _choose(rng, [node for node, _ in _nodes(root) if len(node.children) > 1])
    if node:
        label = rng.choice(sorted({"S", "NP", "VP", "FRAG"} - {node.label}))
        node.children = [Phrase(node.label, node.children)]
        node.label = label
    return node


def _drop_unary(rng, root):
    places = [
        node
        for node, parent in _nodes(root)
        if parent is not root and len(node.children) == 1 and node.children[0].children
    ]
    node = _choose(rng, places)
    if node:
        child = node.children[0]
        node.label, node.children = child.label, child.children
    return node


def _wrap_word(rng, root):
    places = [
        (node, at)
        for node, _ in _nodes(root)
        if len(node.children) > 1
        for at, child in enumerate(node.children)
        if child.word
    ]
    place = _choose(rng, places)
    if place:
        node, at = place
        node.children[at] = Phrase(rng.choice(("ADVP", "INTJ")), [node.children[at]])
    return place


def _relabel(rng, root):
    node = _choose(rng, [node for node, _ in _nodes(root) if node.children])
    if node:
        node.label = f"{node.label}X"
    return node


def _retag(rng, root):
    node = _choose(rng, [node for node, _ in _nodes(root) if node.word])
    if node:
        node.label = f"{node.label}X"
    return node


INJECTED = {
    "PP lowered": ("PP attachment", _lower({"PP"})),
    "PP raised": ("PP attachment", _raise({"PP"})),
    "clause lowered": ("clause attachment", _lower({"S", "SBAR"})),
    "clause raised": ("clause attachment", _raise({"S", "SBAR"})),
    "participle raised": ("VP attachment", _raise({"VP"})),
    "conjuncts": ("co-ordination", _flatten_conjuncts),
    "conjuncts after a comma": ("co-ordination", _flatten_after_comma),
    "conjunct lowered": ("co-ordination", _lower_conjunct(0)),
    "conjunct after a comma lowered": ("co-ordination", _lower_conjunct(1)),
    "apposition raised": ("NP attachment", _raise_apposition({"NP"})),
    "clause between commas raised": ("clause attachment", _raise_apposition({"SBAR"})),
    "punctuation lowered": ("punctuation", _lower_punctuation),
    "punctuation raised": ("punctuation", _raise_punctuation),
    "word raised": ("word attachment", _raise_word),
    "word lowered": ("word attachment", _lower_word),
    "grouped nouns": ("NP-internal structure", _group_nouns),
    "unary added": ("unary", _add_unary),
    "unary dropped": ("unary", _drop_unary),
    "word wrapped": ("single word phrase", _wrap_word),
    "relabelled": ("label", _relabel),
    "retagged": ("tag", _retag),
}


@pytest.mark.parametrize("error, inject", INJECTED.values(), ids=INJECTED)
def test_injected_errors_are_found(error, inject):
    rng = Random(7)
    predictions, references = [], []
    corpora = [make_corpus(300, seed=seed, wrong_share=0.0) for seed in (11, 21)]
    for reference in (reference for corpus in corpora for reference in corpus.references):
        root = parse(reference)
        if inject(rng, root):
            predictions.append(write(root))
            references.append(reference)
    assert len(references) >= 15
    report = explain_corpus(StructIoU(), predictions, references)
    lost = 1.0 - report.result.sentence
    assert report.classes[error].gain >= 0.95 * lost
    assert report.classes[error].corpus_gain >= 0.95 * (1.0 - report.result.corpus)
    assert report.classes[error].rows >= 0.95 * len(references)


def test_mixed_errors_are_told_apart():
    rng = Random(8)
    predictions, references = [], []
    injected = dict.fromkeys((error for error, _ in INJECTED.values()), 0.0)
    metric = StructIoU()
    for reference in make_corpus(900, seed=12, wrong_share=0.0).references:
        root = parse(reference)
        loss = 0.0
        for error, inject in rng.sample(list(INJECTED.values()), 3):
            if inject(rng, root):
                now = loss_of(metric.align(write(root), reference).tally)
                injected[error] += now - loss
                loss = now
        predictions.append(write(root))
        references.append(reference)
    report = explain_corpus(metric, predictions, references)
    assert sum(injected.values()) > 1500
    for error, mass in injected.items():
        assert report.classes[error].mass == pytest.approx(mass, rel=0.1, abs=3), error


def loss_of(tally):
    return tally.n_pred + tally.n_ref - 2.0 * tally.matched
