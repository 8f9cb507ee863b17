"""Spoken forms of numbers and signs, language by language."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ..errors import SettingsWarning
from ..optional import need

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
    """Read the words of a number, in the ways that it may be read.

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
    """Return the words of a number as an ordinal.

    >>> as_ordinal(["twenty", "one"]), as_ordinal(["ninety"])
    (['twenty', 'first'], ['ninetieth'])
    """
    last = words[-1]
    ordinal = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("ty") else f"{last}th")
    return [*words[:-1], ordinal]


def _read_english(text: str) -> str:
    """Return the text with its numbers in words, in the likeliest way and without blanks.

    >>> _read_english("1912"), _read_english("21st"), _read_english("mp3"), _read_english("1980s")
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
    """Return four digits as two numbers, as in a year."""
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


ENGLISH = "en"

_NO_YEARS = (0, -1)


class Language(NamedTuple):
    """The way in which a language reads out numbers and signs.

    Attributes:
        name: The name of the language in English.
        signs: The names of signs. Other punctuation and signs have no sound.
        decimal: The mark before decimals; the other one of `.` and `,` is between groups of digits.
        point: The name of the mark.
        ordinals: The ending after the digits of an ordinal, as a regular expression; empty if there is none.
        years: The first and last number of four digits that is read as a year.
    """

    name: str
    signs: Mapping[str, str]
    decimal: str = "."
    point: str = ""
    ordinals: str = ""
    years: tuple[int, int] = _NO_YEARS


def _signs(*names: str) -> dict[str, str]:
    """Return the usual signs with their names."""
    return dict(zip("$£€%&@+=°", names, strict=True))


# By code of ISO 639-1. Of languages that are not here, numbers and signs are left alone.
LANGUAGES = {
    ENGLISH: Language(
        "English",
        _signs("dollars", "pounds", "euros", "percent", "and", "at", "plus", "equals", "degrees"),
    ),
    "de": Language(
        "German",
        _signs("Dollar", "Pfund", "Euro", "Prozent", "und", "at", "plus", "gleich", "Grad"),
        ",",
        "Komma",
        years=(1100, 1999),
    ),
    "fr": Language(
        "French",
        _signs("dollars", "livres", "euros", "pour cent", "et", "arobase", "plus", "égale", "degrés"),
        ",",
        "virgule",
        ordinals="er|re|ème|eme|e",
    ),
    "es": Language(
        "Spanish",
        _signs("dólares", "libras", "euros", "por ciento", "y", "arroba", "más", "igual a", "grados"),
        ",",
        "coma",
        ordinals="[oa]",  # º and ª, as they are compared
    ),
    "zh": Language(
        "Chinese",
        {
            **_signs("美元", "英镑", "欧元", "百分之", "和", "艾特", "加", "等于", "度"),
            **{"\u3007": "零", "萬": "万", "億": "亿"},  # written in two ways
        },
        ".",
        "点",
    ),
    "ja": Language(
        "Japanese",
        {
            **_signs(
                *("ドル", "ポンド", "ユーロ", "パーセント", "アンド"),
                *("アットマーク", "プラス", "イコール", "度"),
            ),
            "\u3007": "零",
        },
        ".",
        "点",
    ),
    "he": Language(
        "Hebrew",
        _signs("דולר", "פאונד", "אירו", "אחוז", "\u05d5", "שטרודל", "פלוס", "שווה", "מעלות"),
        ".",
        "נקודה",
    ),
}

_MOST = 15  # digits of a number that is read as a whole
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)*)\s*%")
_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*")


def check_language(language: str) -> str:
    """Return the code of a language without its region; warn if numbers cannot be read out in it.

    >>> check_language("en-US"), check_language("zh_Hant_TW")
    ('en', 'zh')
    """
    code = _CODE.fullmatch(language.lower())
    if code is None:
        raise ValueError(f"{language!r} is no code of a language; write one such as {', '.join(LANGUAGES)}")
    if code[1] not in LANGUAGES:
        warnings.warn(
            f"numbers and signs are left alone in {language!r}; they are read out in {_named()}",
            SettingsWarning,
            stacklevel=2,
        )
    elif code[1] not in _OWN:
        _num2words()
    return code[1]


def warn_of_model(aligner: str | None, language: str) -> None:
    """Warn of the English model for another language."""
    if language != ENGLISH and (aligner or "pocketsphinx").startswith("pocketsphinx"):
        title = LANGUAGES[language].name if language in LANGUAGES else repr(language)
        warnings.warn(
            f"pocketsphinx has a model of English only, and the recording is in {title}: times will be poor, "
            "if words are found at all; give a model of the language (--aligner ctc --model FOLDER), or an "
            "aligner (--aligner module:name)",
            SettingsWarning,
            stacklevel=2,
        )


def name_signs(text: str, language: str) -> str:
    """Return the text with the names of its signs between blanks.

    >>> name_signs("AT&T", "fr"), name_signs("5%", "zh"), name_signs("5%", "sv")
    ('AT et T', ' 百分之 5', '5%')
    """
    if language == "zh":
        text = _PERCENT.sub(r"%\1", text)  # which is read before its number
    return text.translate(_sign_names(language))


@cache
def _sign_names(language: str) -> dict[int, str]:
    known = LANGUAGES.get(language)
    return str.maketrans({sign: f" {name} " for sign, name in known.signs.items()}) if known else {}


def read_out(text: str, language: str) -> str:
    """Read the text with its numbers in words, in the likeliest way.

    >>> read_out("mp3", "en"), read_out("110", "zh"), read_out("3", "sv")
    ('mpthree', ' 一百一十 ', '3')

    Args:
        text: The text in lower case, its signs named.
        language: A key of `LANGUAGES`; numbers of others are left alone.
    """
    if language == ENGLISH:
        return _read_english(text)
    if language not in LANGUAGES:
        return text
    return _pattern(language).sub(lambda match: f" {_read(match, language)} ", text)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of a number, or of a number with the ending of an ordinal."""
    ordinals = LANGUAGES[language].ordinals
    return re.compile(r"(\d+(?:[.,]\d+)*)" + (rf"(?:({ordinals})(?!\w))?" if ordinals else "()"))


def _read(match: re.Match[str], language: str) -> str:
    """Return the words of a number."""
    digits, ordinal = match.groups(default="")
    known = LANGUAGES[language]
    group = "." if known.decimal == "," else ","
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(known.decimal)}\d+)?", digits):
        digits, known = digits.replace(group, ""), known._replace(years=_NO_YEARS)  # which have no groups
    whole, *parts = re.split("[.,]", digits)
    if len(parts) == 1:
        return " ".join(
            [_whole(whole, language), known.point, *(_say(digit, language) for digit in parts[0])]
        )
    if parts:  # a date, or a number of a version
        return " ".join(_whole(part, language) for part in (whole, *parts))
    if ordinal:
        return _say(whole, language, "ordinal")
    if language == "zh" and len(whole) == 4 and match.string[match.end() :].startswith("年"):
        return " ".join(_say(digit, language) for digit in whole)
    if len(whole) == 4 and known.years[0] <= int(whole) <= known.years[1]:
        return _say(whole, language, "year")
    return _whole(whole, language)


def _whole(digits: str, language: str) -> str:
    """Return a number without decimals; digit by digit where it is no quantity."""
    if len(digits) > _MOST or (digits.startswith("0") and len(digits) > 1):
        return " ".join(_say(digit, language) for digit in digits)
    return _say(digits, language)


@lru_cache(maxsize=65536)
def _say(digits: str, language: str, kind: str = "cardinal") -> str:
    if language in _OWN:
        return _OWN[language](int(digits))
    said: str = _num2words().num2words(int(digits), lang=language, to=kind)
    return said


def _num2words() -> Any:
    return need("num2words", "speech", "reading out numbers")


# ---- Chinese, which that library does not have ---------------------------------------------------

_DIGITS = "零一二三四五六七八九"
_UNITS = ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十"))


def _chinese(number: int) -> str:
    """Return a number in Chinese.

    >>> _chinese(10), _chinese(1005), _chinese(20300), _chinese(100010000)
    ('十', '一千零五', '二万零三百', '一亿零一万')
    """
    text = _count(number)
    return text[1:] if text.startswith("一十") else text


def _count(number: int) -> str:
    """Return a number in Chinese, with its first ten counted, too."""
    for unit, name in _UNITS:
        many, rest = divmod(number, unit)
        if many:
            gap = _DIGITS[0] if 0 < rest < unit // 10 else ""  # zeros in between are read once
            return _count(many) + name + gap + (_count(rest) if rest else "")
    return _DIGITS[number]


_OWN: dict[str, Callable[[int], str]] = {
    ENGLISH: lambda number: _read_english(str(number)),
    "zh": _chinese,
}


def _named() -> str:
    return ", ".join(language.name for language in LANGUAGES.values())
