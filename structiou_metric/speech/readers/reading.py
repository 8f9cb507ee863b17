"""The function that reads word times in every supported format."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ...sources.content import check_encoding
from ...sources.files import read_bytes
from ...wording import check_choice
from ..words import Transcript
from .checks import MISSING, OVERLAPS, make_transcript
from .documents import SILENCES, Document, filler_test, label_test
from .formats import FORMATS, guess_format
from .tiers import refuse


def read_words(
    path: str | os.PathLike[str] | Document,
    *,
    format: str | None = None,
    tier: str | None = None,
    speaker: str | None = None,
    missing: str = "interpolate",
    silences: Iterable[str] = SILENCES,
    fillers: str | Iterable[str] = "keep",
    encoding: str | None = None,
    overlap: str = "refuse",
) -> Transcript:
    """Read the words of one speaker in a recording, with their times.

    They are in order and do not overlap: an overlap of at most 0.02 s, which rounding can make, goes to
    the later word and is counted; a larger one is an error, as are times that are not finite, negative
    or reversed. Tables and lists are sorted by time; the other formats promise to be. A label of
    several words is one word each: these share its time by their characters, and are marked as estimated.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "yes.ctm")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("rec 1 0.50 0.25 yes\\nrec 1 0.75 0.50 <eps>\\nrec 1 1.25 0.50 please\\n")
    ...     transcript = read_words(path)
    >>> [tuple(word) for word in transcript.words], transcript.n_silences
    ([('yes', 0.5, 0.75, False), ('please', 1.25, 1.75, False)], 1)

    Args:
        path: A file, perhaps gzipped, or the document that `open_words` returned; `-` is standard input.
        format: The format, one of `FORMATS`; by default guessed from the file's name and content.
        tier: The tier of a TextGrid, of ELAN or of the Montreal Forced Aligner; by default the only one with
            words: `words`, `word`, `ORT-MAU`, `ORT` or `SPEAKER - words`, or the only one there is, unless
            its name says that it holds sounds.
        speaker: The speaker, where there are several speakers, channels or recordings; in a CTM file the
            source, the channel or both, such as `sw2005 A`. Without it, several are an error that lists them,
            except if a recogniser separated the speakers of one channel: all are taken then.
        missing: The choice for words without times, words of a label of several, and Whisper's words of
            zero length: `interpolate` has them share the time between their neighbours, and marks them as
            estimated; `error` refuses them. Other words of zero length stay.
        silences: Labels that are no words, in either case; a blank label never is one.
        fillers: Whether to `keep` fillers, or to `drop` those of `FILLERS`; or a list of words to leave out.
        encoding: The encoding of text, such as `gb18030`; by default UTF-8, or that of a byte-order mark or
            an XML declaration.
        overlap: The choice for words that overlap by more than 0.02 s: `refuse` is an error, `clip` ends a
            word where the next one starts, and counts it.
    """
    document = path if isinstance(path, Document) else open_words(path, encoding)
    if format is not None:
        check_choice("format", format, FORMATS)
    check_choice("missing", missing, MISSING)
    check_choice("overlap", overlap, OVERLAPS)
    is_silence = label_test(silences if isinstance(silences, str) else ["", *silences], "silences")
    is_filler = filler_test(fillers)
    if not document.data.strip():
        raise document.error("the file is empty; give a file with words and times")
    found = FORMATS[format or guess_format(document)]
    given = {"tier": tier, "speaker": speaker}
    for option, value in given.items():
        if option not in found.choices:
            refuse(option, value, document)
    track = found.read(document, **{option: given[option] for option in found.choices})
    return make_transcript(track, document, missing, is_silence, is_filler, overlap)


def open_words(path: str | os.PathLike[str], encoding: str | None = None) -> Document:
    """Read a file of words or marks, which `read_words` may then read several times."""
    return Document(*read_bytes(path), None if encoding is None else check_encoding(encoding))
