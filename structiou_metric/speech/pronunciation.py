"""How English words are said: as a dictionary has it, else guessed from what it has, or from the letters."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import category, normalize

from .letters import letter_names, letters_to_sounds

Lookup = Callable[[str], str | None]  # sounds of a word in a dictionary, or None

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\u0060\u2032\uff07", "'"))
_BASE_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "th", "þ": "th", "\u0131": "i", "ŋ": "ng"}
)
_NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)(st|nd|rd|th|s)?(?![a-z])")
_TOKEN = re.compile(rf"{_NUMBER.pattern}|\d+|[a-z']*[a-z][a-z']*")
_LONGEST_WORD = 80  # characters; a longer one is no word
_SHORTEST_PART = 4  # letters of each word in a compound

_VOICELESS = frozenset({"P", "T", "K", "F", "TH"})
_HISSING = frozenset({"S", "Z", "SH", "ZH", "CH", "JH"})
_ENDINGS = {"ing": "IH NG", "er": "ER", "ly": "L IY", "ness": "N AH S", "less": "L AH S"}

_SMALL = (
    *(
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_GROUPS = ("", "thousand", "million", "billion", "trillion")
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def fold(word: str) -> str:
    """The word in plain lower-case letters, without accents; what has no place in Latin script is kept.

    >>> fold("Café"), fold("O’Neill"), fold("Łódź"), fold("Straße")
    ('cafe', "o'neill", 'lodz', 'strasse')
    """
    text = normalize("NFKD", word.translate(_APOSTROPHES).casefold()).translate(_BASE_LETTERS)
    return "".join(character for character in text if category(character) != "Mn")


def find(word: str, lookup: Lookup) -> str | None:
    """The form of a word that a dictionary lists, or None.

    Case, accents and punctuation around the word make no difference.
    """
    folded = fold(word)
    bare = re.sub(r"^[^\w']+|[^\w']+$", "", folded)
    for form in dict.fromkeys((folded, bare, bare.strip("'"))):
        if form and not re.search(r"[\s()<>\[\]]", form) and lookup(form):
            return form
    return None


def guess(word: str, lookup: Lookup) -> list[str]:
    """Sounds that a word may have which the dictionary does not list, the likeliest first.

    Numbers are read out, as years too; words without a vowel, and short ones as an alternative, letter
    by letter; words joined or with usual endings are looked up in parts; the rest goes by its letters.

    >>> dictionary = {"tree": "T R IY", "bank": "B AE NG K", "two": "T UW", "four": "F AO R"}
    >>> guess("treebanks", dictionary.get), guess("BBC", dictionary.get)
    (['T R IY B AE NG K S'], ['B IY B IY S IY'])
    >>> guess("24", {"twenty": "T W EH N T IY", **dictionary}.get)
    ['T W EH N T IY F AO R', 'T UW F AO R']

    Raises:
        ValueError: If nothing in it can be said in English.
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
        found = _NUMBER.fullmatch(token)
        number, ending = found.groups() if found else (token, None)
        ways = read_number(number)
        return [_said(way, ending, lookup) for way in (ways[:1] if ending else ways)]
    letters = token.replace("'", "")
    by_letters = letter_names(letters)
    if len(letters) == 1 or not re.search("[aeiouy]", letters):
        known = lookup(token)
        return [known or by_letters]
    as_word = _word_sounds(token, lookup, True) or letters_to_sounds(letters) or by_letters
    if is_abbreviation:
        return list(dict.fromkeys((by_letters, as_word)))
    return [as_word, by_letters] if len(letters) <= _SHORTEST_PART else [as_word]


# ------------------------------------------------------------------------------------------ words


def _word_sounds(token: str, lookup: Lookup, may_split: bool) -> str | None:
    """Sounds of a word that is in the dictionary, is made of words in it, or has a usual ending."""
    known = lookup(token) or lookup(token.strip("'")) or lookup(token.replace("'", ""))
    return known or _ended_sounds(token, lookup) or (_compound_sounds(token, lookup) if may_split else None)


def _ended_sounds(token: str, lookup: Lookup) -> str | None:
    """Sounds of a known word, or a compound, with an ending."""
    for ending, add in (("'s", _add_s), ("s'", _add_s), ("s", _add_s), ("ed", _add_d)):
        stem = token.removesuffix(ending)
        if stem != token and not stem.endswith(("s", "'")):
            for base in _bases(stem, ending):
                sounds = lookup(base) or _compound_sounds(base, lookup)
                if sounds:
                    return add(sounds)
    for ending, said in _ENDINGS.items():
        stem = token.removesuffix(ending)
        if stem != token:
            for base in _bases(stem, ending):
                sounds = lookup(base) or _compound_sounds(base, lookup)
                if sounds:
                    return f"{sounds} {said}"
    return None


def _bases(stem: str, ending: str) -> list[str]:
    """Words that may have lost an `e`, doubled a letter or changed a `y` before an ending."""
    bases = [stem]
    if ending in ("ed", "ing", "er"):
        bases.append(f"{stem}e")
        if len(stem) > 2 and stem[-1] == stem[-2]:
            bases.append(stem[:-1])
    if stem.endswith("i"):
        bases.append(f"{stem[:-1]}y")
    return [base for base in bases if len(base) > 2]


def _compound_sounds(token: str, lookup: Lookup) -> str | None:
    """Sounds of two known words in one, of which the shorter is as long as can be."""
    cuts = range(_SHORTEST_PART, len(token) - _SHORTEST_PART + 1)
    for cut in sorted(cuts, key=lambda cut: abs(2 * cut - len(token))):
        left, right = lookup(token[:cut]), lookup(token[cut:])
        if left and right:
            return f"{left} {right}"
    return None


def _add_s(sounds: str) -> str:
    last = sounds.rpartition(" ")[2]
    if last in _HISSING:
        return f"{sounds} AH Z"
    return f"{sounds} S" if last in _VOICELESS else f"{sounds} Z"


def _add_d(sounds: str) -> str:
    last = sounds.rpartition(" ")[2]
    if last in ("T", "D"):
        return f"{sounds} AH D"
    return f"{sounds} T" if last in _VOICELESS | (_HISSING - {"Z", "ZH", "JH"}) else f"{sounds} D"


# ------------------------------------------------------------------------------------------ numbers


def read_number(digits: str) -> list[list[str]]:
    """Words of a number, in the ways that it may be read.

    >>> [" ".join(way) for way in read_number("1987")]
    ['nineteen eighty seven', 'one thousand nine hundred eighty seven', 'one nine eight seven']
    >>> [" ".join(way) for way in read_number("3.05")]
    ['three point zero five', 'three point oh five']

    Args:
        digits: Digits, perhaps with a point and with commas between the groups.
    """
    whole, point, fraction = digits.replace(",", "").partition(".")
    singly = [_SMALL[int(digit)] for digit in whole]
    if point:
        tail = ["point", *(_SMALL[int(digit)] for digit in fraction.replace(".", ""))]
        ways = [[*(_cardinal(int(whole)) if len(whole) <= 15 else singly), *tail]]
    elif len(whole) > 15 or (whole.startswith("0") and len(whole) > 1):
        ways = [singly]
    else:
        ways = [_cardinal(int(whole)), singly]
        if len(whole) == 4 and whole[1:] != "000":
            ways.insert(
                0 if whole[:2] in ("17", "18", "19", "20") and whole[:3] != "200" else 1, _pairs(whole)
            )
    ways += [["oh" if word == "zero" else word for word in way] for way in ways if "zero" in way[1:]]
    return [list(way) for way in dict.fromkeys(map(tuple, ways))]


def _pairs(year: str) -> list[str]:
    """Four digits as two numbers, as in a year."""
    head, tail = _cardinal(int(year[:2])), int(year[2:])
    if not tail:
        return [*head, "hundred"]
    return [*head, *(["oh"] if tail < 10 else []), *_cardinal(tail)]


def _cardinal(number: int) -> list[str]:
    if not number:
        return ["zero"]
    words: list[str] = []
    for power in range(len(_GROUPS) - 1, -1, -1):
        group = number // 1000**power % 1000
        if group:
            words += [*_below_thousand(group), *([_GROUPS[power]] if power else [])]
    return words


def _below_thousand(number: int) -> list[str]:
    hundreds, rest = divmod(number, 100)
    words = [_SMALL[hundreds], "hundred"] if hundreds else []
    if rest >= 20:
        words.append(_TENS[rest // 10])
        rest %= 10
    return [*words, _SMALL[rest]] if rest else words


def _said(words: list[str], ending: str | None, lookup: Lookup) -> str:
    """Sounds of the words of a number with `st`, `nd`, `rd`, `th` or the `s` of a decade."""
    if ending and ending != "s":
        last = words[-1]
        ordinal = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("ty") else f"{last}th")
        words = [*words[:-1], ordinal]
    sounds = " ".join(lookup(word) or letters_to_sounds(word) for word in words)
    return _add_s(sounds) if ending == "s" else sounds
