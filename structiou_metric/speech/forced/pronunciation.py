"""How English words are said: as a dictionary has it, else guessed from what it has, or from the letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from unicodedata import category, normalize

from ..numbers import NUMBER, as_ordinal, read_number
from .letters import letter_names, letters_to_sounds

Lookup = Callable[[str], str | None]  # sounds of a word in a dictionary, or None

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\u0060\u2032\uff07", "'"))
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
_VOICELESS_ENDINGS = {"Z": "S", "D": "T"}  # behind a voiceless sound
_ALIKE = {"Z": frozenset({"S", "Z", "SH", "ZH", "CH", "JH"}), "D": frozenset({"T", "D"})}  # kept apart by AH


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
    """The sounds that a word may have which the dictionary does not list, the likeliest first.

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
    """The sounds of a word that is in the dictionary, is made of words in it, or has a usual ending."""
    known = lookup(token) or lookup(token.strip("'")) or lookup(token.replace("'", ""))
    return known or _ended_sounds(token, lookup) or (_compound_sounds(token, lookup) if may_split else None)


def _ended_sounds(token: str, lookup: Lookup) -> str | None:
    """The sounds of a known word, or a compound, with an ending."""
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
    """The words that may have lost an `e`, doubled a letter or changed a `y` before an ending."""
    bases = [stem]
    if ending in ("ed", "ing", "er"):
        bases.append(f"{stem}e")
        if len(stem) > 2 and stem[-1] == stem[-2]:
            bases.append(stem[:-1])
    if stem.endswith("i"):
        bases.append(f"{stem[:-1]}y")
    return [base for base in bases if len(base) > 2]


def _compound_sounds(token: str, lookup: Lookup) -> str | None:
    """The sounds of two known words in one, of which the shorter is as long as can be."""
    cuts = range(_SHORTEST_PART, len(token) - _SHORTEST_PART + 1)
    for cut in sorted(cuts, key=lambda cut: abs(2 * cut - len(token))):
        left, right = lookup(token[:cut]), lookup(token[cut:])
        if left and right:
            return f"{left} {right}"
    return None


def _with_ending(sounds: str, said: str) -> str:
    """The sounds of a word with those of an ending, of which `Z` and `D` go by the sound before them."""
    last = sounds.rpartition(" ")[2]
    if last in _ALIKE.get(said, ()):
        return f"{sounds} AH {said}"
    return f"{sounds} {_VOICELESS_ENDINGS.get(said, said) if last in _VOICELESS else said}"


def _number_sounds(token: str, lookup: Lookup) -> list[str]:
    """The sounds of a number, in all ways that it may be read; with an ending, in the likeliest."""
    ((digits, ending),) = NUMBER.findall(token)
    ways = read_number(digits)
    if not ending:
        return [_said(way, lookup) for way in ways]
    if ending == "s":
        return [_with_ending(_said(ways[0], lookup), "Z")]
    return [_said(as_ordinal(ways[0]), lookup)]


def _said(words: Sequence[str], lookup: Lookup) -> str:
    return " ".join(lookup(word) or letters_to_sounds(word) for word in words)
