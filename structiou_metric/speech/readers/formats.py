"""Formats of files of words with times and of marks: a table of readers, and the guess of a file's format.

A format is recognised from the content of a file and, if that is not enough, from its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from ...errors import TreeFormatError
from .chat import read_chat
from .documents import Document, Track
from .elan import read_eaf, read_nxt
from .labels import read_buckeye, read_ctm, read_htk, read_ms98, read_partitur, read_timit
from .plain import NAMES, read_list, read_table
from .recognisers import RECOGNISERS
from .subtitles import read_ass, read_srt, read_vtt
from .textgrid import read_mfa_csv, read_mfa_json, read_textgrid
from .whisper import read_whisper


class Format(NamedTuple):
    """A format, and the choices that its files allow."""

    read: Callable[..., Track]  # takes a document, and each choice by its name
    choices: tuple[str, ...] = ("speaker",)


_TIERS = ("tier", "speaker")

FORMATS = {
    "textgrid": Format(read_textgrid, _TIERS),
    "mfa-json": Format(read_mfa_json, _TIERS),
    "mfa-csv": Format(read_mfa_csv, _TIERS),
    "ctm": Format(read_ctm),
    "whisper": Format(read_whisper),
    "whisper-tsv": Format(partial(read_table, unit=0.001)),
    "srt": Format(read_srt),
    "vtt": Format(read_vtt),
    "ass": Format(read_ass),
    **{name: Format(recogniser) for name, recogniser in RECOGNISERS.items()},
    "eaf": Format(read_eaf, _TIERS),
    "chat": Format(read_chat),
    "timit": Format(read_timit, ()),
    "buckeye": Format(read_buckeye, ()),
    "ms98": Format(read_ms98),
    "htk": Format(read_htk),
    "partitur": Format(read_partitur, ()),
    "nxt": Format(read_nxt, ()),
    "tsv": Format(read_table),
    "json": Format(read_list),
}


_LOOKED_AT = 100  # JSON values, as the first ones may be empty
_HEAD = 4096  # bytes or characters that are looked at

# How files begin that are none of words with times.
_RECORDINGS = {
    "a wav file": rb"RIFF....WAVE|RF64....WAVE",
    "a FLAC file": rb"fLaC",
    "an Ogg file": rb"OggS",
    "an MP3 file": rb"ID3|\xff[\xfb\xf3\xf2]",
    "a SPHERE recording": rb"NIST_1A",
    "an MPEG-4 file": rb"....ftyp",
}
_OTHERS = {
    "a PDF": rb"%PDF",
    "a packed folder or an office document": rb"PK\x03\x04",
    "a Parquet file": rb"PAR1",
    "an image": rb"\x89PNG|\xff\xd8\xff|GIF8",
}

# The beginnings of texts by format; the first that fits counts.
_TEXTS = {
    "textgrid": r'"?(?:File type ?= ?"ooTextFile|ooTextFile)|"Praat chronological',
    "vtt": r"WEBVTT\b",
    "srt": r"(?:\d+[ \t]*\n)?\s*(?:\d+:)?\d+:\d+,\d+[ \t]*-->",
    "ass": r"\[Script Info\]",
    "chat": r"@UTF8|@Begin",
    "partitur": r"LHD:",
    "htk": r"#!MLF!#",
    "buckeye": r"(?:signal [^\n]*\n|type \d+\n|comment [^\n]*\n)+(?:[a-z]+ [^\n]*\n)*#",
    "ms98": r"\S+-ms98-\S+[ \t]+[\d.]+[ \t]+[\d.]+[ \t]+\S",
    "ctm": r";;|\S+[ \t]+\S+[ \t]+(?:-?[\d.]+|\*)[ \t]+(?:-?[\d.]+|\*)[ \t]+\S",
}
_SUFFIXES = {
    **{
        ".textgrid": "textgrid",
        ".ctm": "ctm",
        ".srt": "srt",
        ".vtt": "vtt",
        ".ass": "ass",
        ".eaf": "eaf",
        ".cha": "chat",
    },
    **{".par": "partitur", ".wrd": "timit", ".words": "buckeye", ".lab": "htk", ".mlf": "htk", ".xml": "nxt"},
}
_TABLES = (".tsv", ".csv")

# The beginnings of files with times of utterances, but without times of single words.
_MARKS = {
    "RTTM, turns of speakers": r"(?:;;[^\n]*\n)*(?:SPEAKER|SPKR-INFO|LEXEME|NON-SPEECH) \S+ \S+ (?:\S+ ){5}",
    "STM, utterances with their times": (
        r"(?:;;[^\n]*\n)*\S+[ \t]+\S+[ \t]+(?!-?[\d.]+[ \t])\S+[ \t]+[\d.]+[ \t]+[\d.]+[ \t]+"
        r"(?:<\S*>|\S+[ \t]+[a-z])"
    ),
    "segments of Kaldi": r"\S+ (?!\d*\.\d+ )\S+ [\d.]+ [\d.]+[ \t]*\n",
}

_TO_AUDIO = "align words with it (--audio), or "
_TO_MARKS = "use it with a recording (--audio, --marks), or "

_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|nite:|!DOCTYPE|!--|ANNOTATION_DOCUMENT)")
_JSON = re.compile(r'\{\s*["}]|\[\s*[\[{\]]')
_WHISPER_KEYS = frozenset(("segments", "words", "word_segments", "chunks"))
# A line with two times, either with a decimal point, which rules out the whole units of HTK.
_POINT_TIMES = re.compile(r"^[ \t]*(?:\d+[ \t]+)?\d*\.\d+[ \t]", re.MULTILINE)
# The types of lines of NIST's RTTM.
RTTM_TYPES = frozenset(
    (
        *("SPEAKER", "SPKR-INFO", "SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH"),
        *("FILLER", "EDIT", "IP", "CB", "A/P", "SU"),
    )
)
_WHISPER_TSV = re.compile(r"start\tend\ttext[ \t]*\n")


def guess_format(document: Document) -> str:
    """Return the format of a file."""
    for what, start in (_RECORDINGS | _OTHERS).items():
        if re.match(start, document.data[:_HEAD], re.DOTALL):
            raise _unknown(document, what, _TO_AUDIO if what in _RECORDINGS else "")
    if document.data.startswith(b"ooBinaryFile"):
        return "textgrid"
    suffix = os.path.splitext(document.title.lower().removesuffix(".gz"))[1]
    if _XML.match(document.data[:_HEAD]):
        return _guess_xml(document)
    text = document.text.lstrip()
    if _XML.match(text[:100].encode()):
        return _guess_xml(document)
    if suffix == ".json" or _JSON.match(text[:_HEAD]):
        return _guess_json(document)
    return _guess_text(document, text, suffix)


def _guess_xml(document: Document) -> str:
    """Return the format by the first element, after declarations and comments."""
    first = []

    class _SeenError(Exception):
        pass

    def start(name: str, attributes: dict[str, str], line: int) -> None:
        first.append(name)
        raise _SeenError

    with suppress(_SeenError):
        document.xml(start, lambda name: None)
    if first == ["ANNOTATION_DOCUMENT"]:
        return "eaf"
    if first and first[0].lower() in ("html", "tt"):
        raise _unknown(document, "HTML" if first[0].lower() == "html" else "TTML, subtitles in XML")
    return "nxt"


def _guess_json(document: Document) -> str:
    value = document.values[0]
    if isinstance(value, list):
        value = value[0] if value else None
        if isinstance(value, dict) and _is_turn(value):
            raise _unknown(document, "turns of speakers (diarisation) without words", _TO_AUDIO)
        if not isinstance(value, dict) or not isinstance(value.get("words"), list):
            known = _recogniser(value)
            return known or "json"
    keys = set(value) if isinstance(value, dict) else set()
    if "tiers" in keys:
        return "mfa-json"
    first = document.values[:_LOOKED_AT]
    known = next((name for one in first if (name := _recogniser(one))), None)
    if known:
        return known
    inner = value.get("output", value) if isinstance(value, dict) else None
    if isinstance(inner, dict) and "diarization" in inner:
        raise _unknown(document, "turns of speakers (diarisation) without words", _TO_AUDIO)
    if keys & _WHISPER_KEYS:
        return "whisper"
    shown = ", ".join(map(repr, sorted(map(str, keys))[:8]))
    raise _unknown(
        document, f"JSON of no known kind, with the keys {shown}" if keys else "JSON of no known kind"
    )


def _recogniser(value: Any) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    return next((name for name, one in RECOGNISERS.items() if one.fits(value)), None)


def _is_turn(value: dict[str, Any]) -> bool:
    """Return whether a value is a turn of a speaker without words, as pyannote writes."""
    return {"speaker", "start", "end"} <= set(value) and not {"word", "words", "text"} & set(value)


def _guess_text(document: Document, text: str, suffix: str) -> str:
    head = text[:_HEAD]
    if _WHISPER_TSV.match(head) and _counts_milliseconds(text):
        return "whisper-tsv"
    if suffix in _TABLES:
        return "mfa-csv" if _is_mfa(head) else "tsv"
    for what, start in _MARKS.items():
        if suffix not in _SUFFIXES and re.match(start, head):
            raise _unknown(document, what, _TO_MARKS)
    found = next((name for name, start in _TEXTS.items() if re.match(start, head)), None)
    if found is not None and not (found == "ctm" and _SUFFIXES.get(suffix, "ctm") != "ctm"):
        return found
    if _is_mfa(head):
        return "mfa-csv"
    if suffix == ".lab" and _POINT_TIMES.search(text):
        return "tsv"  # in seconds, as Wavesurfer writes them
    if suffix in _SUFFIXES and not (suffix == ".words" and found is None):
        return _SUFFIXES[suffix]
    if _is_table(head):
        return "tsv"
    raise _unknown(document, _describe(head))


def _is_mfa(head: str) -> bool:
    names = {name.strip() for name in head.partition("\n")[0].casefold().split(",")}
    return names >= {"begin", "end", "label", "type"}


def _counts_milliseconds(text: str) -> bool:
    """Return whether times are whole numbers that cannot be seconds."""
    rows = [line.split("\t")[:2] for line in text.split("\n")[1:] if line.strip()]
    if not rows or not all(len(row) == 2 and row[0].isdecimal() and row[1].isdecimal() for row in rows):
        return False
    return median(float(end) - float(start) for start, end in rows) > 10.0


def _is_table(head: str) -> bool:
    """Return whether the first line names columns of a table of words, or has a word and two times."""
    first = head.partition("\n")[0]
    cells = [
        cell.strip().casefold()
        for cell in re.split("[,\t]" if "," in first or "\t" in first else r"\s+", first)
    ]
    known = {name for names in NAMES.values() for name in names}
    numbers = [cell for cell in cells if re.fullmatch(r"-?[\d.]+(?:e-?\d+)?|nan|-?inf", cell)]
    return bool(known & set(cells)) or bool(numbers)


def _describe(head: str) -> str:
    if head.startswith("("):
        return "trees in brackets"
    if head.lower().startswith(("<!doctype html", "<html")):
        return "HTML"
    first = head.partition("\n")[0]
    shown = first if len(first) <= 60 else first[:57] + "..."
    return f"text without times, which begins with {shown!r}"


def _unknown(document: Document, what: str, cure: str = "") -> TreeFormatError:
    return document.error(
        f"this looks like {what}; {cure}give a file of words with times, or say which of these it is with "
        f"format=: {', '.join(FORMATS)}"
    )


# ---- marks ---------------------------------------------------------------------------------------------


def guess_marks(document: Document) -> str:
    """Return the format of a file of marks."""
    name = os.path.basename(document.title.lower().removesuffix(".gz"))
    suffix = os.path.splitext(name)[1].lstrip(".")
    if suffix in ("stm", "rttm", "textgrid", "eaf", "segments"):
        return suffix
    if name == "segments":
        return name
    head = document.text.lstrip()[:_HEAD]
    if re.match(_TEXTS["textgrid"], head):
        return "textgrid"
    if _XML.match(head.encode()):
        return "eaf"
    _, first = next(mark_rows(document), (0, []))
    if first and first[0].upper() in RTTM_TYPES:
        return "rttm"
    if len(first) >= 2 and is_number(first[0]) and is_number(first[1]):
        return "table"
    if len(first) in (4, 5) and is_number(first[2]) and is_number(first[3]):
        return "segments"
    if len(first) >= 5 and is_number(first[3]) and is_number(first[4]):
        return "stm"
    return "table"


def mark_rows(document: Document) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are neither blank nor comments, cut at blanks."""
    for number, line in enumerate(document.text.split("\n"), 1):
        if (fields := line.split()) and not line.startswith(";;"):
            yield number, fields


def is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text) is not None
