"""Pronunciations of English words: from a dictionary, else guessed from its entries, or from the letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import category, normalize

from ..languages import NUMBER, as_ordinal, read_number
from ..words import APOSTROPHES

# Rules `left<letters>right=sounds`; nothing after the `=` means silent letters. At each place the first
# rule applies whose letters are there, with its left and right context around them, and the text goes on
# after its letters. C is a consonant, V a vowel or y, E one of e, i, y; ^ and $ are the ends of the word;
# the rest is read as in a regular expression.
_RULES = """
VC<ar>$=ER, VCC<ar>$=ER, VC<ard>s?$=ER D, <air>=EH R, <are>s?$=EH R, w<ar>=AO R, <arr>=EH R, <ar>V=EH R,
<ar>=AA R, <augh>=AO, <au>=AO, <aw>V=AH W, <aw>=AO, <ay>=EY, <ai>=EY, <aa>=AA, <ae>=EY, <ao>=AW, <al>k=AO,
<al>[dt]=AO L, ^C?<all>=AO L, <alm>=AA M, <a>(tion|sion|ci|ti)=EY, VC<age>s?$=IH JH, VCC<age>s?$=IH JH,
VC<able>=AH B AH L, VCC<able>=AH B AH L, <a>(nge|ste)=EY, VC<ace>$=AH S, <a>C(e|es|ed|er|ers|ing|ings)$=EY,
i<a>[ln]=AH, VC<a>[ln]$=AH, VCC<a>[ln]$=AH, VC<a>l(ly|s|is[mt])=AH, VC<a>n(ts?|c|s$)=AH,
VCC<a>n(ts?|c|s$)=AH, <a>[bdgkpt]le=EY, <a>$=AH, qu<a>[lrtsd]=AA, w<a>[dnst]=AA, ^<a>[bdfglmptv]V=AH,
^<a>(cc|dd|ff|ll|nn|pp|rr|ss|tt)=AH, <a>C[aio]$=AA, <a>=AE,

<bb>=B, m<b>($|s$|ing|ed|er)=, <b>ts?$=, <b>=B,

<cch>=K, <cc>E=K S, <cc>=K, <ch>[lmnr]=K, s<ch>[oe]=K, <ch>=CH, V<ci>a=SH, V<ci>ous=SH, <ck>=K, <cqu>=K W,
<cz>=CH, s<c>E=, <c>E=S, <c>=K,

<dge>$=JH, <dge>s$=JH AH, <dg>E=JH, <dd>=D, <d>=D,

<eau>=OW, <eigh>=EY, c<ei>=IY, <eir>=EH R, <ei>=AY, <ey>s?$=IY, <ey>=EY, <ear>[lnt]=ER, <ear>=IH R,
<ea>(d$|lth|ther|sure|vy)=EH, <ea>=IY, <eer>=IH R, <ee>=IY, <eur>=ER, <eu>=Y UW, <e>w(h|oo|i)=,
[rljd]<ew>=UW, <ew>=Y UW, <eo>=IY OW, ^C<ere>$=IH R, <err>=EH R, <er>y=ER, <er>V=EH R, <er>=ER,
[td]<ed>$=AH D, [pkfsxc]<ed>$=T, [cs]h<ed>$=T, VC<ed>$=D, VCC<ed>$=D, V<ed>$=D, [szxcg]<es>$=AH Z,
[cs]h<es>$=AH Z, V[ptkf]<es>$=S, VC<es>$=Z, VCC<es>$=Z, V<es>$=Z, ^C?C<e>$=IY, C<e>l$=AH, VC<e>ls?$=AH,
VC<e>n$=AH, VCC<e>n$=AH, <e>n(ts?$|c)=AH, <e>(ly|less|ness|ment|ful)=, VC<e>t$=AH, VCC<e>t$=AH, ^<e>x=IH,
^[brd]<e>CV=IH, ^pr<e>CV=IY, ^<e>CV=IH, <e>C(e|es)$=IY, <e>$=, <e>man=, <e>=EH,

<ff>=F, <f>=F,

^<gh>=G, <gh>=, ^<g>n=, <g>n(s?$|ed|ing|er)=, <gg>=G, <gue>s?$=G, <gu>E=G, n<g>$=, <g>(e|y|i[^rvfl])=JH,
<g>=G,

V<h>C=, V<h>$=, [rx]<h>=, <h>=HH,

<igh>=AY, <i>gn(s?$|ed|ing|er)=AY, <i>nd(s?$|er|ing|ed)=AY, <i>ld$=AY, ^CC?<ie>[sd]?$=AY, <ie>r$=IY,
<ie>(s$|d$|$)=IY, <ie>w=Y, <ier>=IH R, <ie>=IY, <ious>=IY AH S, <io>n=Y AH, <io>=IY OW, <iu>=IY AH,
<ia>=IY AH, <ique>s?$=IY K, <ire>s?$=AY ER, <irr>=IH R, <ir>V=IH R, <ir>=ER, <i>z(e|ing|er)=AY, <i>fy=AH,
<i>ty=AH, VC<ine>$=IY N, VC<ive>=IH V, VCC<ive>=IH V, VC<ice>$=IH S, VC<ible>=AH B AH L,
VCC<ible>=AH B AH L, <i>C(e|es|ed|er|ers)$=AY, ^CC?<i>V=AY, <i>V=IY, <i>$=IY, <i>=IH,

<j>=JH,

^<k>n=, <kk>=K, <k>=K,

C<le>$=AH L, C<les>$=AH L Z, C<led>$=AH L D, <ll>=L, <l>=L,

^<mc>=M AH K, <mm>=M, <mn>$=M, <m>=M,

<nn>=N, <ng>($|s$|ing|ed$|th)=NG, <n>g[^eiyr]=NG, <n>(k|qu|x|c[^eiyh])=NG, <n>=N,

<oar>=AO R, <oa>=OW, <oe>s?$=OW, <oe>=OW, <ough>t=AO, <ough>=OW, <oul>d=UH, <our>=AO R, <ous>=AH S,
^C?<ou>p=UW, <ou>=AW, <oo>k=UH, <oor>=AO R, <oo>=UW, <oy>=OY, <oi>=OY, <ow>([nld]|er|ing)=AW, <ow>s?$=OW,
<ow>=AW, VC<or>s?$=ER, VCC<or>s?$=ER, w<or>C=ER, <or>=AO R, VC<o>ns?$=AH, VCC<o>ns?$=AH, VC<o>m$=AH,
<o>l[dk]=OW, <o>ll$=OW, <o>sts?$=OW, <o>x=AA, <o>C(e|es|ed|er|ing)$=OW, <o>ther=AH, ^c<o>[mn]CV=AH,
<o>s?$=OW, <o>CV=OW, <o>V=OW, <o>=AA,

<ph>=F, <pp>=P, ^<p>[nst]=, <p>=P,

<que>s?$=K, <qu>=K W, <q>=K,

<rrh>=R, <rr>=R, <r>=R,

<ssion>=SH AH N, V<sion>=ZH AH N, <sion>=SH AH N, V<sure>=ZH ER, <ssure>=SH ER, <sch>[oea]=S K, <sch>=SH,
<sh>=SH, <ss>=S, V<sm>s?$=Z AH M, <st>le=S, V<s>([iy]|e$|ed$)=Z, [cfkpt]<s>$=S, th<s>$=S,
[bdglmnrvwyeoa]<s>$=Z, <s>=S,

s<tion>=CH AH N, <tion>=SH AH N, <ti>(a|o|ent|enc)=SH, <tch>=CH, <th>(er|ers|e)$=DH, <th>ms?$=TH AH,
<th>=TH, <tt>=T, <tz>=T S, <ture>=CH ER, <tu>(al|ous|at)=CH UW, <t>=T,

<uy>=AY, <ui>t=UW, <ue>s?$=UW, [qg]<u>V=W, <urr>=ER, [rljds]<ur>V=UH R, <ur>V=Y UH R, <ur>=ER,
[rljds]<u>CV=UW, ch<u>CV=UW, <u>CV=Y UW, [bpf]<u>(ll|sh)=UH, ^<u>ni=Y UW, <u>$=UW, <u>V=UW, <u>=AH,

<vv>=V, <v>=V,

^<w>r=, ^<who>=HH UW, <wh>=W, V<w>C=, <w>=W,

^<x>=Z, <x>=K S,

^<y>=Y, ^CC?<y>$=AY, <y>C(e|es|ed|er|ing)$=AY, [aeo]<y>V=Y, V<y>=, <y>$=IY, <y>V=Y, ^[hdct]<y>=AY, f<y>=AY,
<y>=IH,

<zz>a=T S, <zz>=Z, <z>=Z,
"""
_CLASSES = str.maketrans({"C": "[bcdfghjklmnpqrstvwxz]", "V": "[aeiouy]", "E": "[eiy]"})

# How the letters of an abbreviation are read.
_LETTERS = """
a=EY, b=B IY, c=S IY, d=D IY, e=IY, f=EH F, g=JH IY, h=EY CH, i=AY, j=JH EY, k=K EY, l=EH L, m=EH M, n=EH N,
o=OW, p=P IY, q=K Y UW, r=AA R, s=EH S, t=T IY, u=Y UW, v=V IY, w=D AH B AH L Y UW, x=EH K S, y=W AY, z=Z IY
"""
_LETTER_NAMES = dict(re.findall(r"(\w)=([A-Z ]+)", _LETTERS))


class _Rule(NamedTuple):
    left: re.Pattern[str]
    letters: str
    right: re.Pattern[str]
    sounds: list[str]

    def fits(self, word: str, at: int) -> bool:
        end = at + len(self.letters)
        return bool(
            word.startswith(self.letters, at) and self.right.match(word, end) and self.left.search(word[:at])
        )


@lru_cache(maxsize=4096)
def letters_to_sounds(letters: str) -> str:
    """Return the sounds of a word in ARPAbet, as a dictionary would write them.

    >>> letters_to_sounds("flimsight"), letters_to_sounds("phone"), letters_to_sounds("knotting")
    ('F L IH M S AY T', 'F OW N', 'N AA T IH NG')

    Args:
        letters: The letters of the word in lower case, `a` to `z` only.
    """
    sounds: list[str] = []
    at = 0
    while at < len(letters):
        rule = next(rule for rule in _rules()[letters[at]] if rule.fits(letters, at))
        sounds += rule.sounds
        at += len(rule.letters)
    return " ".join(sounds)


def letter_names(letters: str) -> str:
    """Return the sounds of the letters one by one.

    >>> letter_names("bbc")
    'B IY B IY S IY'
    """
    return " ".join(_LETTER_NAMES[letter] for letter in letters)


@cache
def _rules() -> dict[str, list[_Rule]]:
    """Return the rules for each first letter, in their order."""
    rules: dict[str, list[_Rule]] = {}
    for left, letters, right, sounds in re.findall(r"([^\s,<]*)<([a-z]+)>([^=,]*)=([^,]*),", _RULES):
        before, behind = re.compile(f"{left.translate(_CLASSES)}\\Z"), re.compile(right.translate(_CLASSES))
        rules.setdefault(letters[0], []).append(_Rule(before, letters, behind, sounds.split()))
    return rules


Lookup = Callable[[str], str | None]  # sounds of a word in a dictionary, or None

_BASE_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "th", "þ": "th", "\u0131": "i", "ŋ": "ng"}
)
_TOKEN = re.compile(rf"{NUMBER.pattern}|[a-z']*[a-z][a-z']*")
_LONGEST_WORD = 80  # characters; a longer one is no word
_SHORTEST_PART = 4  # letters of each word in a compound

_ENDINGS = {
    **{"'s": "Z", "s'": "Z", "s": "Z", "ed": "D"},
    **{"ing": "IH NG", "er": "ER", "ly": "L IY", "ness": "N AH S", "less": "L AH S"},
}
_VOICELESS = frozenset({"P", "T", "K", "F", "TH", "S", "SH", "CH"})
_VOICELESS_ENDINGS = {"Z": "S", "D": "T"}  # after a voiceless sound
_ALIKE = {"Z": frozenset({"S", "Z", "SH", "ZH", "CH", "JH"}), "D": frozenset({"T", "D"})}  # kept apart by AH


def fold(word: str) -> str:
    """Return the word in lower-case letters without accents; characters of other scripts are kept.

    >>> fold("Café"), fold("O’Neill"), fold("Łódź"), fold("Straße")
    ('cafe', "o'neill", 'lodz', 'strasse')
    """
    text = normalize("NFKD", word.translate(APOSTROPHES).casefold()).translate(_BASE_LETTERS)
    return "".join(character for character in text if category(character) != "Mn")


def find(word: str, lookup: Lookup) -> str | None:
    """Return the form of a word that a dictionary lists, or None.

    Case, accents and punctuation around the word make no difference.
    """
    folded = fold(word)
    bare = re.sub(r"^[^\w']+|[^\w']+$", "", folded)
    for form in dict.fromkeys((folded, bare, bare.strip("'"))):
        if form and not re.search(r"[\s()<>\[\]]", form) and lookup(form):
            return form
    return None


def guess(word: str, lookup: Lookup) -> list[str]:
    """Return the sounds that a word may have which the dictionary does not list, the likeliest first.

    Numbers are read out, as years too; words without a vowel, and short ones as an alternative, letter
    by letter; words joined or with usual endings are looked up in parts; the rest is guessed from
    its letters.

    >>> dictionary = {"tree": "T R IY", "bank": "B AE NG K", "two": "T UW", "four": "F AO R"}
    >>> guess("treebanks", dictionary.get), guess("BBC", dictionary.get)
    (['T R IY B AE NG K S'], ['B IY B IY S IY'])
    >>> guess("24", {"twenty": "T W EH N T IY", **dictionary}.get)
    ['T W EH N T IY F AO R', 'T UW F AO R']

    Raises:
        ValueError: If no part of it can be pronounced in English.
    """
    folded = fold(word)
    strange = next((one for one in folded if category(one)[0] in "LN" and not one.isascii()), None)
    if strange is not None:
        raise ValueError(
            f"the word {word!r} has {strange!r}, which is no letter of English; "
            "the bundled model knows English only, plug in an aligner for the language"
        )
    tokens = [found.group() for found in _TOKEN.finditer(folded)]
    if not tokens:
        raise ValueError(f"the word {word!r} has no letter or digit that could be said; leave it out")
    if len(word) > _LONGEST_WORD:
        raise ValueError(f"the word {word[:20]!r}… has {len(word)} characters; put spaces between the words")
    is_abbreviation = word.isupper() and len(tokens) == 1
    choices = [_token_sounds(token, lookup, is_abbreviation) for token in tokens]
    ways = max(map(len, choices))  # the n-th way of each, rather than all combinations
    joined = (" ".join(sounds[min(way, len(sounds) - 1)] for sounds in choices) for way in range(ways))
    return list(dict.fromkeys(joined))


def _token_sounds(token: str, lookup: Lookup, is_abbreviation: bool) -> list[str]:
    if token[0].isdigit():
        return _number_sounds(token, lookup)
    letters = token.replace("'", "")
    by_letters = letter_names(letters)
    if len(letters) == 1 or not re.search("[aeiouy]", letters):
        return [lookup(token) or by_letters]
    as_word = _word_sounds(token, lookup, True) or letters_to_sounds(letters) or by_letters
    if is_abbreviation:
        return list(dict.fromkeys((by_letters, as_word)))
    return [as_word, by_letters] if len(letters) <= _SHORTEST_PART else [as_word]


# ------------------------------------------------------------------------------------------ words


def _word_sounds(token: str, lookup: Lookup, may_split: bool) -> str | None:
    """Return the sounds of a word that is in the dictionary, made of words in it, or has a usual ending."""
    known = lookup(token) or lookup(token.strip("'")) or lookup(token.replace("'", ""))
    return known or _ended_sounds(token, lookup) or (_compound_sounds(token, lookup) if may_split else None)


def _ended_sounds(token: str, lookup: Lookup) -> str | None:
    """Return the sounds of a known word, or a compound, with an ending."""
    for ending, said in _ENDINGS.items():
        stem = token.removesuffix(ending)
        if stem == token or (said in _ALIKE and stem.endswith(("s", "'"))):
            continue
        for base in _bases(stem, ending):
            sounds = lookup(base) or _compound_sounds(base, lookup)
            if sounds:
                return _with_ending(sounds, said)
    return None


def _bases(stem: str, ending: str) -> list[str]:
    """Return the words that may have lost an `e`, doubled a letter or changed a `y` before an ending."""
    bases = [stem]
    if ending in ("ed", "ing", "er"):
        bases.append(f"{stem}e")
        if len(stem) > 2 and stem[-1] == stem[-2]:
            bases.append(stem[:-1])
    if stem.endswith("i"):
        bases.append(f"{stem[:-1]}y")
    return [base for base in bases if len(base) > 2]


def _compound_sounds(token: str, lookup: Lookup) -> str | None:
    """Return the sounds of a compound of two known words; None if it is none.

    The shorter word is as long as possible.
    """
    cuts = range(_SHORTEST_PART, len(token) - _SHORTEST_PART + 1)
    for cut in sorted(cuts, key=lambda cut: abs(2 * cut - len(token))):
        left, right = lookup(token[:cut]), lookup(token[cut:])
        if left and right:
            return f"{left} {right}"
    return None


def _with_ending(sounds: str, said: str) -> str:
    """Return the sounds of a word with an ending, whose `Z` and `D` depend on the sound before them."""
    last = sounds.rpartition(" ")[2]
    if last in _ALIKE.get(said, ()):
        return f"{sounds} AH {said}"
    return f"{sounds} {_VOICELESS_ENDINGS.get(said, said) if last in _VOICELESS else said}"


def _number_sounds(token: str, lookup: Lookup) -> list[str]:
    """Return the sounds of a number, in all ways that it may be read; with an ending, in the likeliest."""
    ((digits, ending),) = NUMBER.findall(token)
    ways = read_number(digits)
    if not ending:
        return [_said(way, lookup) for way in ways]
    if ending == "s":
        return [_with_ending(_said(ways[0], lookup), "Z")]
    return [_said(as_ordinal(ways[0]), lookup)]


def _said(words: Sequence[str], lookup: Lookup) -> str:
    return " ".join(lookup(word) or letters_to_sounds(word) for word in words)
