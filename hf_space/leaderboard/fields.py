"""The texts that visitors send and others see: checked before they are stored."""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import urlsplit

MAX_SYSTEM, MAX_LINK, MAX_CONTACT, MAX_OWNER, MAX_TEAM = 80, 300, 200, 100, 60

# Control characters, invisible ones such as marks of direction, surrogates, private and unused characters.
_REFUSED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn")

# Letters, marks and signs that are drawn as nothing: fillers of Hangul and Khmer, the joiner of graphemes,
# the empty Braille pattern, and the selectors of variants.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_WIDTHS = {"\ufdfd": 18, "\u2e3a": 1, "\u2e3b": 2}  # beyond one, of signs that have no compatibility form
_MAX_MARKS = 3  # on one letter; Vietnamese needs two, and many more are drawn over other lines

# By letter, the signs that look like it: Cyrillic and Greek letters, digits and others, in lower case.
# ruff: noqa: RUF001, RUF002
_LOOK_ALIKES = {
    "a": "аα@", "b": "вьβ", "c": "сϲ", "d": "ԁđ", "e": "еεє", "h": "нһħ", "j": "јϳ", "k": "кκ",
    "l": "iіı1|!ιł", "m": "м", "n": "ηп", "o": "оοσø0", "p": "рρ", "q": "ԛ", "r": "г", "s": "ѕ$5",
    "t": "тτ", "u": "υμ", "v": "νѵ", "w": "ωшԝ", "x": "хχ", "y": "уγү", "z": "ζ",
}  # fmt: skip
_TO_LATIN = str.maketrans({sign: letter for letter, signs in _LOOK_ALIKES.items() for sign in signs})
_RESERVED = ("host", "server", "user", "team", "visitor", "anonymous", "admin", "administrator", "organizer")


class FieldError(ValueError):
    """A field of a form that cannot be accepted."""


def clean_fields(system: Any, link: Any, contact: Any) -> tuple[str, str, str]:
    """Return the fields that describe a system as they are stored."""
    name = clean_line(system, "name of the system", MAX_SYSTEM)
    if not name:
        raise FieldError("name of the system: it is missing")
    return name, check_link(clean_line(link, "link", MAX_LINK)), clean_line(contact, "contact", MAX_CONTACT)


def clean_line(text: Any, field: str, most: int) -> str:
    """Return a line of text without superfluous spaces; refuse characters that cannot be seen.

    Args:
        text: The text that somebody sent.
        field: The name of the field, for messages.
        most: The greatest width; a Chinese sign is two wide, and a ligature as wide as its letters.
    """
    if not isinstance(text, str):
        raise FieldError(f"{field}: write text")
    if len(text) > 10 * most:
        raise FieldError(f"{field}: {len(text):,} characters; {most} are the most")
    line = " ".join(unicodedata.normalize("NFC", text).split())
    if _BLANK.search(line) or any(unicodedata.category(char) in _REFUSED_CATEGORIES for char in line):
        raise FieldError(f"{field}: it has characters that cannot be seen; type it again")
    marks = re.split("[^m]", "".join("m" if unicodedata.combining(char) else "-" for char in line))
    if max(map(len, marks)) > _MAX_MARKS:
        raise FieldError(f"{field}: a letter has more than {_MAX_MARKS} marks; leave some out")
    if (width := width_of(line)) > most:
        raise FieldError(f"{field}: it is {width} characters wide; {most} are the most")
    return line


def width_of(line: str) -> int:
    """Return about how many columns a line takes in a table.

    >>> width_of("Eule"), width_of("木"), width_of("ﷺ")
    (4, 2, 18)
    """
    shown = unicodedata.normalize("NFKC", line)
    wide = sum(_WIDTHS.get(char, unicodedata.east_asian_width(char) in "WF") for char in shown)
    return wide + sum(not unicodedata.combining(char) for char in shown)


def looks_of(name: str) -> str:
    """Return a key that is the same for names that look alike.

    >>> looks_of("Аlice") == looks_of("A1ice") == looks_of("alice")  # the first begins with a Cyrillic letter
    True
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    letters = "".join(char for char in folded if not unicodedata.combining(char))
    return re.sub(r"[\W_]+", "", letters.translate(_TO_LATIN).replace("rn", "m").replace("vv", "w"))


def check_not_reserved(name: str, field: str) -> None:
    """Refuse a name that looks like one of the server's own, such as `host`."""
    if looks_of(name) in {looks_of(word) for word in _RESERVED}:
        raise FieldError(f"{field}: {name!r} may be mistaken for a part of this server; choose another")


def check_link(link: str) -> str:
    """Return an address of the web that a page may link to, or an empty text."""
    if not link:
        return ""
    try:
        parts = urlsplit(link)
        valid = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"[\s<>\"'`]", link)
        )
    except ValueError:
        valid = False
    if not valid:
        raise FieldError("link: write an address that begins with https:// or http://")
    return link
