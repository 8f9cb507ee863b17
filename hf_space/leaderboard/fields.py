"""The fields of a submission: what may be stored, and shown to others."""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import urlsplit

MAX_SYSTEM, MAX_LINK, MAX_CONTACT, MAX_OWNER = 80, 300, 200, 100


class FieldError(ValueError):
    """A field of a form that cannot be taken."""


def clean_fields(system: Any, link: Any, contact: Any) -> tuple[str, str, str]:
    """What a submitter writes of a system, as it is stored."""
    name = clean_line(system, "name of the system", MAX_SYSTEM)
    if not name:
        raise FieldError("name of the system: it is missing")
    return name, check_link(clean_line(link, "link", MAX_LINK)), clean_line(contact, "contact", MAX_CONTACT)


def clean_line(text: Any, field: str, most: int) -> str:
    """A line of text as it may be stored: without control characters or marks of direction."""
    if not isinstance(text, str):
        raise FieldError(f"{field}: write text")
    if len(text) > 10 * most:
        raise FieldError(f"{field}: {len(text):,} characters; {most} are the most")
    line = " ".join(unicodedata.normalize("NFC", text).split())
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn") for character in line):
        raise FieldError(f"{field}: it has characters that cannot be seen; write it anew")
    if len(line) > most:
        raise FieldError(f"{field}: {len(line)} characters; {most} are the most")
    return line


def check_link(link: str) -> str:
    """An address that a page may link to: of the web, or none."""
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
