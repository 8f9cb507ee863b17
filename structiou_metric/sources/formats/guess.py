"""Which format a treebank has, from what its files say."""

from __future__ import annotations

import re

from ...trees.brackets import has_numbered_words
from ..content import Content
from ..encodings import find_mark

_HEAD = 1 << 16  # bytes that are looked at

# What the first lines of a file look like, the first that fits.
_LOOKS = {
    "export": rb"(?m)^#(?:FORMAT|BOT|BOS)[ \t]",
    "conll-2012": rb"(?m)^#begin document|\A\S+[ \t]+\d+[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]+[^\s*]*\*\S*[ \t]",
    "conllu": rb"(?m)^# constituency[ \t]*=|\A(?:#[^\n]*\n)*1(?:-\d+)?\t[^\t\n]*\t[^\t\n]*\t[^\t\n]*\t",
    "sinica": rb"\A(?:#?[^\s(]*\.\[\d+\][ \t]+\S|[^\s()<{#%*:|]+\([^\s()]*:)",
}
_ELEMENT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_ROOTS = {
    b"corpus": "tiger-xml",
    b"subcorpus": "tiger-xml",
    b"alpino_ds": "alpino-xml",
    b"treebank": "alpino-xml",
}
_FEATURES = re.compile(rb"\([^\s()#]*##[^\s()]*##[\s()]")


def guess_format(content: Content) -> str:
    """The name of the format; brackets if nothing tells of another."""
    data = content.data
    if data[:1] != b"(":  # brackets are told at once
        wide = find_mark(data) or content.encoding
        head = content.utf8 if wide else data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
        head = head[:_HEAD].replace(b"\r\n", b"\n").lstrip()
        if head[:1] == b"<":
            return _guess_xml(content, head)
        if head[:1] in (b"{", b"["):
            return "corenlp-json"
        for name, look in _LOOKS.items():
            if re.search(look, head):
                return name
        numbered = has_numbered_words(head)
    else:
        head, numbered = data[:_HEAD], has_numbered_words(data)
    if numbered:
        return "discbracket"
    return "ftb" if b"##" in head and _FEATURES.search(head) else "brackets"


def _guess_xml(content: Content, head: bytes) -> str:
    found = _ELEMENT.search(re.sub(rb"<!--.*?-->", b"", head, flags=re.S))
    name = found[1] if found else b""
    if name not in _ROOTS:
        known = ", ".join(f"<{root.decode()}>" for root in _ROOTS)
        raise content.error(
            f"this XML begins with <{name.decode()}>, and only {known} are known to hold trees; if it "
            "is one of "
            "these, say --format tiger-xml or --format alpino-xml"
        )
    return _ROOTS[name]
