"""Word times of every usual kind: which reader is for which file, and the one function to call."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from ...optional import load_plugin
from ...sources.files import read_bytes
from ...wording import check_choice
from ..words import Transcript
from .checks import make_transcript
from .documents import Document
from .entries import SILENCES, filler_test, label_test
from .estimates import MISSING

# Each format and its reader, `module:function`, imported when it is needed.
FORMATS = {
    "textgrid": "textgrid:read_textgrid",
    "mfa-json": "mfa:read_json",
    "mfa-csv": "mfa:read_csv",
    "ctm": "ctm:read_ctm",
    "whisper": "whisper:read_whisper",
    "nxt": "nxt:read_nxt",
    "tsv": "plain:read_table",
    "json": "plain:read_list",
}

_SUFFIXES = {".textgrid": "textgrid", ".ctm": "ctm", ".xml": "nxt", ".tsv": "tsv"}
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|nite:|!DOCTYPE|!--)")
_WHISPER_KEYS = frozenset(("segments", "words", "word_segments", "chunks"))


def read_words(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    tier: str | None = None,
    speaker: str | None = None,
    missing: str = "interpolate",
    silences: Iterable[str] = SILENCES,
    fillers: str | Iterable[str] = "keep",
) -> Transcript:
    """The words of one speaker in a recording, with their times.

    They are in order and do not overlap: an overlap of at most 0.02 s, which rounding can make, goes to
    the later word and is counted; a larger one is an error, as are times that are not finite, negative
    or reversed. Plain tables and lists are sorted by time; the other formats promise to be.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "yes.ctm")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("rec 1 0.50 0.25 yes\\nrec 1 0.75 0.50 <eps>\\nrec 1 1.25 0.50 please\\n")
    ...     transcript = read_words(path)
    >>> [tuple(word) for word in transcript.words], transcript.n_silences
    ([('yes', 0.5, 0.75, False), ('please', 1.25, 1.75, False)], 1)

    Args:
        path: A file, perhaps gzipped; `-` is standard input.
        format: One of `FORMATS`; by default as the file's name and its content say.
        tier: Which tier of a TextGrid or of the Montreal Forced Aligner; by default the only one with
            words: `words`, `word`, `ORT-MAU` or `SPEAKER - words`, or the only one there is.
        speaker: Whose words, where there are several speakers; in a CTM file the source, the channel or
            both, such as `sw2005 A`. Without it, several are an error that lists them, except in
            files of WhisperX, where all are taken.
        missing: What to do about words without times and Whisper's words of zero length:
            `interpolate` has them share the time between their neighbours, and marks them as
            estimated; `error` refuses them. Other words of zero length stay.
        silences: Labels that are no words, in either case; a blank label never is one.
        fillers: `keep`, or `drop` for what `FILLERS` lists, or a list of words to leave out.
    """
    if format is not None:
        check_choice("format", format, FORMATS)
    check_choice("missing", missing, MISSING)
    is_silence = label_test(silences if isinstance(silences, str) else ["", *silences], "silences")
    is_filler = filler_test(fillers)
    document = Document(*read_bytes(path))
    if not document.data.strip():
        raise document.error("the file is empty; give a file with words and times")
    read = load_plugin(f"{__package__}.{FORMATS[format or guess_format(document)]}", "reader")
    track = read(document, tier=tier, speaker=speaker)
    return make_transcript(track, document, missing, is_silence, is_filler)


def guess_format(document: Document) -> str:
    """The format of a file, from its suffix and from what it says."""
    stem = document.title.lower().removesuffix(".gz")
    suffix = os.path.splitext(stem)[1]
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if _XML.match(document.data):
        return "nxt"
    head = document.text.lstrip()
    if _XML.match(head[:100].encode()):
        return "nxt"
    if suffix == ".json" or re.match(r'\{\s*["}]|\[\s*[\[{\]]', head):
        return _guess_json(document)
    if head.startswith(("ooBinaryFile", "File type", '"ooTextFile')):
        return "textgrid"
    return _guess_lines(head)


def _guess_json(document: Document) -> str:
    value = document.json
    if isinstance(value, list):
        first = value[0] if value else None
        return "whisper" if isinstance(first, dict) and "words" in first else "json"
    keys = set(value) if isinstance(value, dict) else set()
    if "tiers" in keys:
        return "mfa-json"
    if keys & _WHISPER_KEYS:
        return "whisper"
    raise document.error(f"this JSON is of no known kind; give the format: {', '.join(FORMATS)}")


def _guess_lines(text: str) -> str:
    """Of a file with a word on each line."""
    if text.startswith(";;"):
        return "ctm"
    first = text.partition("\n")[0]
    names = {name.strip() for name in first.casefold().split(",")}
    if names >= {"begin", "end", "label", "type"}:
        return "mfa-csv"
    is_ctm = re.match(r"\S+[ \t]+\S+[ \t]+-?[\d.]+[ \t]+-?[\d.]+[ \t]+\S", first)
    return "ctm" if is_ctm else "tsv"
