"""A small grammar of newspaper English in Penn labels: a sentence of any wished length.

Every phrase is told how many words to be and shares them out among its parts, so that lengths can
be drawn from a distribution. Heads are short and what follows them is long: the trees branch to
the right, as English does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

Form = str  # of a verb phrase: "finite", "base", "past" (participle), "ing"


@dataclass(eq=False, slots=True)
class Phrase:
    """A bracket; a preterminal has a word and no children."""

    label: str
    children: list[Phrase] = field(default_factory=list)
    word: str = ""


def write(root: Phrase) -> str:
    """The bracket string of a tree."""
    if root.word:
        return f"({root.label} {root.word})"
    return f"({root.label} {' '.join(map(write, root.children))})"


class Grammar:
    """Draws sentences."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def sentence(self, n: int) -> Phrase:
        """A tree over `n` words under `TOP`."""
        return Phrase("TOP", [self._utterance(n)])

    def _utterance(self, n: int) -> Phrase:
        rng = self._rng
        if n == 1:
            return rng.choice((self._np(1), Phrase("FRAG", [self._np(1)]), self._words("INTJ", "UH")))
        if n == 2:
            return rng.choice((self._np(2), Phrase("FRAG", [self._np(1), self._word(".")])))
        if n < 8 and rng.random() < 0.25:
            return Phrase(rng.choice(("FRAG", "NP")), [*self._np(n - 1).children, self._word(".")])
        kind = rng.random()
        if n >= 9 and kind < 0.08:  # “…,” she said.
            said = [self._np(1), self._words("VP", "VBD")]
            if rng.random() < 0.5:
                said = said[::-1]
            quoted = [self._word("``"), self._clause(n - 6), self._word(","), self._word("''")]
            return Phrase("SINV" if said[0].label == "VP" else "S", [*quoted, *said, self._word(".")])
        return Phrase("S", [*self._clause(n - 1).children, self._word(".")])

    # ----------------------------------------------------------------------------------- clauses

    def _clause(self, n: int) -> Phrase:
        rng = self._rng
        if n < 3:
            return Phrase("S", [self._vp(n, "finite")] if n == 1 else [self._np(1), self._vp(1, "finite")])
        if n >= 15 and rng.random() < n / 130:
            first = rng.randint(5, n - 7)
            return Phrase(
                "S",
                [
                    self._clause(first),
                    self._word(","),
                    self._word("CC"),
                    self._clause(n - first - 2),
                ],
            )
        parts: list[Phrase] = []
        if n >= 9 and rng.random() < 0.3:
            opening = self._opening(rng.randint(1, min(8, n - 6)))
            parts += [opening, self._word(",")]
            n -= _length(opening) + 1
        subject = min(self._short(0.35), n - 2)
        if n > 12 and rng.random() < 0.3:
            subject = rng.randint(4, n // 2)
        parts.append(self._np(subject))
        n -= subject
        if n > 3 and rng.random() < 0.08:
            parts.append(self._words("ADVP", "RB"))
            n -= 1
        parts.append(self._vp(n, "finite"))
        return Phrase("S", parts)

    def _opening(self, n: int) -> Phrase:
        if n == 1:
            return self._words("ADVP", "RB")
        if n >= 5 and self._rng.random() < 0.35:
            return Phrase("SBAR", [self._word("IN"), self._clause(n - 1)])
        return self._pp(n)

    def _sbar(self, n: int) -> Phrase:
        kind = self._rng.random()
        if n < 4 or kind < 0.25:
            return Phrase("SBAR", [self._clause(n)])
        if kind < 0.6:
            return Phrase("SBAR", [self._word("IN"), self._clause(n - 1)])
        if kind < 0.7:
            return Phrase("SBAR", [self._words("WHADVP", "WRB"), self._clause(n - 1)])
        return self._relative(n)

    def _relative(self, n: int) -> Phrase:
        who = self._words("WHNP", self._rng.choice(("WDT", "WDT", "WP")))
        return Phrase("SBAR", [who, Phrase("S", [self._vp(n - 1, "finite")])])

    # ----------------------------------------------------------------------------------- phrases

    def _vp(self, n: int, form: Form) -> Phrase:
        rng = self._rng
        verb = self._word(rng.choice(_VERB_TAGS[form]))
        if n == 1:
            return Phrase("VP", [verb])
        n -= 1  # what follows the verb
        wishes: list[tuple[float, int, Callable[[], list[Phrase]]]] = [
            (24 if form == "finite" else 0, 1, lambda: self._auxiliary(n)),
            (22, 1, lambda: [verb, self._np(n)]),
            (14 + n, 4, lambda: self._with_adjuncts(verb, n)),
            (12, 2, lambda: [verb, self._pp(n)]),
            (12, 3, lambda: [verb, self._sbar(n)]),
            (10, 2, lambda: [verb, Phrase("S", [self._infinitive(n)])]),
            (6, 1, lambda: [verb, self._adjp(n)]),
            (2, 1, lambda: [verb, self._words("ADVP", "RB"), *([self._pp(n - 1)] if n > 2 else [])]),
            (3, 2, lambda: [verb, self._words("PRT", "RP"), self._np(n - 1)]),
            (4, 5, lambda: self._joined_vps(n + 1, form)),
        ]
        possible = [(weight, make) for weight, least, make in wishes if n >= least]
        (make,) = rng.choices([make for _, make in possible], [weight for weight, _ in possible])
        parts = make()
        if n == 2 and len(parts) == 2 and parts[1].label == "ADVP":  # one word is still to come
            parts.append(self._np(1))
        return Phrase("VP", parts)

    def _auxiliary(self, n: int) -> list[Phrase]:
        rng = self._rng
        tag, form = rng.choice((("MD", "base"), ("VBZ", "past"), ("VBD", "past"), ("VBP", "ing")))
        parts = [Phrase(tag, word=rng.choice(_AUXILIARIES[tag]))]
        if n > 1 and rng.random() < 0.15:
            parts.append(self._word("RB"))
            n -= 1
        return [*parts, self._vp(n, form)]

    def _infinitive(self, n: int) -> Phrase:
        return Phrase("VP", [self._word("TO"), self._vp(n - 1, "base")])

    def _with_adjuncts(self, verb: Phrase, n: int) -> list[Phrase]:
        """A verb, its object and some phrases that could as well belong to the object."""
        rng = self._rng
        size = min(self._short(0.2), n - 2)
        parts = [verb, self._np(size)]
        n -= size
        while n >= 6 and rng.random() < n / 30:
            size = rng.randint(2, min(9, n - 3))
            parts.append(self._pp(size))
            n -= size
        parts.append(self._sbar(n) if n > 4 and rng.random() < 0.2 else self._pp(n))
        return parts

    def _joined_vps(self, n: int, form: Form) -> list[Phrase]:
        first = self._rng.randint(2, n - 3)
        return [self._vp(first, form), self._word("CC"), self._vp(n - first - 1, form)]

    def _np(self, n: int) -> Phrase:
        rng = self._rng
        if n == 1:
            return self._words("NP", rng.choice(("PRP", "PRP", "NNP", "NNS", "NN", "CD")))
        kind = rng.random()
        if n == 2 or (n <= 7 and kind < 1.09 - 0.12 * n) or (n <= 9 and kind < 0.1):
            return self._base_np(n)
        if n >= 5 and kind > 0.97:
            left, right = Phrase("-LRB-", word="-LRB-"), Phrase("-RRB-", word="-RRB-")
            aside = self._np(1)
            return Phrase("NP", [self._np(n - 3), Phrase("PRN", [left, aside, right])])
        if n >= 6 and kind > 0.87:
            size = rng.randint(1, min(4, n - 4))
            rest = n - size - 1
            close = rest > 3 and rng.random() < 0.6
            inner = rest - 1 if close else rest
            after = self._relative(inner) if inner > 3 and rng.random() < 0.4 else self._np(inner)
            comma = [self._word(",")] if close else []
            return Phrase("NP", [self._np(size), self._word(","), after, *comma])
        if kind > 0.76:
            first = rng.randint(1, min(n - 2, 5))
            return Phrase("NP", [self._np(first), self._word("CC"), self._np(n - first - 1)])
        head = min(self._short(0.1), n - 2)
        rest = n - head
        if rest >= 4 and kind > 0.68:
            return Phrase("NP", [self._base_np(head), self._relative(rest)])
        if rest >= 3 and kind > 0.60:
            return Phrase("NP", [self._base_np(head), self._vp(rest, rng.choice(("past", "ing")))])
        if rest >= 3 and kind > 0.55:
            return Phrase("NP", [self._base_np(head), Phrase("S", [self._infinitive(rest)])])
        if rest >= 5 and kind > 0.47:
            first = rng.randint(2, 3)
            return Phrase("NP", [self._base_np(head), self._pp(first), self._pp(rest - first)])
        return Phrase("NP", [self._base_np(head), self._pp(rest)])

    def _base_np(self, n: int) -> Phrase:
        rng = self._rng
        if n == 1:
            return self._words("NP", rng.choice(("NNS", "NN", "NNP", "DT", "CD")))
        kind = rng.random()
        if kind < 0.18:
            return self._words("NP", *["NNP"] * n)
        if kind < 0.26 and n >= 3:
            return Phrase("NP", [self._words("QP", "RB", *["CD"] * (n - 2)), self._word("NNS")])
        if kind < 0.34 and n >= 3:
            owner = self._words("NP", *["NNP"] * (n - 2), "POS")
            return Phrase("NP", [owner, self._word("NN")])
        if kind < 0.40 and n >= 3:
            return Phrase("NP", [self._word("DT"), self._adjp(n - 2), self._word("NN")])
        first = rng.choice(("DT", "DT", "DT", "PRP$", "CD", "JJ"))
        middle = [rng.choice(("JJ", "JJ", "NN", "NNP", "VBN", "CD")) for _ in range(n - 2)]
        return self._words("NP", first, *middle, rng.choice(("NN", "NN", "NNS")))

    def _pp(self, n: int) -> Phrase:
        if n == 1:
            return self._words("ADVP", "RB")
        preposition = self._word(self._rng.choice(("IN",) * 9 + ("TO",)))
        if n > 2 and self._rng.random() < 0.07:
            return Phrase("PP", [preposition, Phrase("S", [self._vp(n - 1, "ing")])])
        return Phrase("PP", [preposition, self._np(n - 1)])

    def _adjp(self, n: int) -> Phrase:
        if n == 1:
            return self._words("ADJP", "JJ")
        if n == 2:
            return self._words("ADJP", "RB", "JJ")
        if n > 3 and self._rng.random() < 0.3:
            return Phrase("ADJP", [self._word("JJ"), Phrase("S", [self._infinitive(n - 1)])])
        return Phrase("ADJP", [self._word("JJ"), self._pp(n - 1)])

    # ------------------------------------------------------------------------------------- words

    def _words(self, label: str, *tags: str) -> Phrase:
        return Phrase(label, [self._word(tag) for tag in tags])

    def _word(self, tag: str) -> Phrase:
        return Phrase(tag, word=self._rng.choice(_LEXICON[tag]))

    def _short(self, chance_of_one: float) -> int:
        """Length of a subject, an object or the head of a noun phrase."""
        if self._rng.random() < chance_of_one:
            return 1
        return self._rng.choice((2, 2, 2, 3, 3, 4, 5))


def _length(root: Phrase) -> int:
    return 1 if root.word else sum(map(_length, root.children))


_VERB_TAGS = {"finite": ("VBD", "VBD", "VBZ", "VBP"), "base": ("VB",), "past": ("VBN",), "ing": ("VBG",)}

_AUXILIARIES = {
    "MD": ("will", "would", "could", "may", "can", "should"),
    "VBZ": ("is", "has"),
    "VBD": ("was", "had", "were"),
    "VBP": ("are", "'re", "'m"),
}

_LEXICON = {
    tag: words.split()
    for tag, words in {
        ".": ". . . . . . . . ?",
        ",": ",",
        "``": "``",
        "''": "''",
        "CC": "and and and or but",
        "TO": "to",
        "POS": "'s",
        "RP": "up out off down over",
        "UH": "Yes No Well",
        "WDT": "which that",
        "WP": "who what",
        "WRB": "when where how why",
        "DT": "the the the the the a a a an this that some any no each",
        "PRP$": "its their his her our my",
        "PRP": "it it he they she we I you them",
        "IN": "of of of of in in for for on with from by at as that about after under between against",
        "CD": "one two 10 three 1988 15 million billion 3.5 40 1,200 100 eight 0.25 27 30-year",
        "RB": "not also n't only more just about still now even sharply recently nearly however already",
        "JJ": "new other last federal big high major financial many recent strong likely foreign"
        " corporate small long-term junk-bond early available international local political average"
        " unchanged lower able preferred nuclear chief",
        "NN": "company year market stock trading president share business program interest index"
        " government rate state bank money bond unit group day price plan issue investment"
        " law earthquake tax cash development spokesman loss quarter administration week"
        " agreement offer control insurance oil household restructuring",
        "NNS": "shares sales investors prices companies stocks bonds years earnings rates funds"
        " cents traders markets officials analysts months banks issues products people"
        " workers days securities operations dollars changes contracts programs losses",
        "NNP": "Mr. Corp. New Inc. York U.S. Co. Friday Bush House Japan Wall Street Exchange Bank"
        " San Francisco Congress Treasury Washington October Smith Brothers International"
        " Los Angeles Monday General Motors Lloyd Jaguar Jones Rep. Ltd.",
        "VB": "make be take buy sell help provide reduce pay continue raise keep build hold give"
        " increase become find close expand cut restructure",
        "VBD": "said rose fell was had closed reported made came sold added declined announced took"
        " agreed became posted noted gained dropped expected",
        "VBZ": "says has is expects includes wants believes remains owns makes plans needs appears",
        "VBP": "say are have think expect want believe do know remain see sell",
        "VBN": "been made expected sold based offered used reported held involved caused compared"
        " priced required scheduled acquired",
        "VBG": "trading including buying making selling rising using being paying falling working"
        " increasing building",
    }.items()
}
