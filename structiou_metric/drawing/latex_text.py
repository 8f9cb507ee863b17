"""Text in LaTeX: how it is escaped, and what a document needs so that it is shown.

Everything is written for any of pdfLaTeX, XeLaTeX and LuaLaTeX as long as the text is Latin. Other scripts
need LuaLaTeX with a font of theirs; `requirements` says so, and how, in comments above the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import normalize

from ..terminal import printable

# What TeX takes for a command, or shows as something else in some font encodings.
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\char34}",
    "[": "{[}",  # a bare one is an option, or a child in a tree
    "]": "{]}",
    "\u2212": "$-$",
    "∅": r"$\emptyset$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\rightarrow$",
    "␣": r"\textvisiblespace{}",
    "\ufffd": r"\texttt{?}",
    "\xa0": "~",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "†": r"\textdagger{}",
}
_JOINING = frozenset("-`',!?")  # two of them in a row, TeX makes another sign of
_LATIN_END = "\u0180"  # pdfLaTeX knows the letters before it, with the T1 encoding

_SCRIPTS = {"hebrew": ("\u0590", "\u05ff"), "arabic": ("\u0600", "\u08ff")}


class Tex(str):
    """LaTeX source, which is not escaped again."""

    __slots__ = ()


def tex(text: str) -> Tex:
    """The text as LaTeX source; what is source already stays as it is.

    >>> print(tex("NP-SBJ_1 50% {``a''}"))
    NP-SBJ\\_1 50\\% \\{`{}`a'{}'\\}
    """
    if isinstance(text, Tex):
        return text
    parts: list[str] = []
    before = " "
    for character in normalize("NFC", printable(text)):
        part = _ESCAPES.get(character) or _picture(character) or character
        if part[0] in _JOINING and before in _JOINING:
            parts.append("{}")
        parts.append(part)
        before = part[-1]
    return Tex("".join(parts))


def _picture(character: str) -> str:
    """The number of the control character that a character is a picture of; None for others."""
    if "\u2400" <= character <= "\u241f":
        return rf"\texttt{{U+{ord(character) - 0x2400:04X}}}"
    return ""


def is_latin(text: str) -> bool:
    """Whether pdfLaTeX can show the text."""
    return all(character < _LATIN_END for character in text)


def comment(lines: Iterable[str]) -> str:
    """Lines that TeX passes over."""
    return "".join(f"% {printable(line)}\n" for line in lines)


def requirements(source: str, packages: Sequence[str]) -> list[str]:
    """What the preamble of a document needs for some source, to be written as comments above it.

    >>> requirements("(S (NP we))", ["booktabs"])
    ['needs \\\\usepackage{booktabs}']
    """
    lines = [f"needs \\usepackage{{{','.join(packages)}}}"]
    if source.isascii():
        return lines
    if is_latin(source):
        return [*lines, "      \\usepackage[T1]{fontenc}"]
    scripts = [
        name
        for name, (first, last) in _SCRIPTS.items()
        if any(first <= character <= last for character in source)
    ]
    lines.append("and LuaLaTeX, with a font that has the letters:")
    if not scripts:
        return [*lines, "      \\usepackage{fontspec} \\setmainfont{…}"]
    lines.append("      \\usepackage[english,bidi=basic]{babel}")
    for name in scripts:
        lines.append(f"      \\babelprovide[import,onchar=ids fonts]{{{name}}}")
        lines.append(f"      \\babelfont[{name}]{{rm}}{{…}}  such as FreeSerif, DejaVu Sans or a Noto font")
    return lines
