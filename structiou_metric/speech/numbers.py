"""Numbers in digits, as English reads them out."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Digits, perhaps with a point and with commas between the groups, and perhaps an ending: `1,200`, `3.5`,
# `21st`, `1980s`.
NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)(?:(st|nd|rd|th|s)(?![a-z]))?")

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
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


def read_number(digits: str) -> list[list[str]]:
    """The words of a number, in the ways that it may be read.

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
            is_year = whole[:2] in ("17", "18", "19", "20") and whole[:3] != "200"
            ways.insert(0 if is_year else 1, _pairs(whole))
    ways += [["oh" if word == "zero" else word for word in way] for way in ways if "zero" in way[1:]]
    return [list(way) for way in dict.fromkeys(map(tuple, ways))]


def as_ordinal(words: Sequence[str]) -> list[str]:
    """The words of a number as an ordinal.

    >>> as_ordinal(["twenty", "one"]), as_ordinal(["ninety"])
    (['twenty', 'first'], ['ninetieth'])
    """
    last = words[-1]
    ordinal = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("ty") else f"{last}th")
    return [*words[:-1], ordinal]


def read_out(text: str) -> str:
    """The text with its numbers in words, in the likeliest way and without blanks.

    >>> read_out("1912"), read_out("21st"), read_out("mp3"), read_out("1980s")
    ('nineteentwelve', 'twentyfirst', 'mpthree', 'nineteeneightys')

    Args:
        text: The text in lower case.
    """

    def read(match: re.Match[str]) -> str:
        digits, ending = match.groups(default="")
        words = read_number(digits)[0]
        return "".join(as_ordinal(words)) if len(ending) == 2 else "".join(words) + ending

    return NUMBER.sub(read, text)


def _pairs(year: str) -> list[str]:
    """Four digits as two numbers, as in a year."""
    head, tail = _cardinal(int(year[:2])), int(year[2:])
    if not tail:
        return [*head, "hundred"]
    return head + ["oh"] * (tail < 10) + _cardinal(tail)


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
