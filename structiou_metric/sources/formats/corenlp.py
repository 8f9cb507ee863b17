"""JSON of Stanford CoreNLP: an object with `sentences`, or a list of these, each with its tree in `parse`."""

from __future__ import annotations

from collections.abc import Iterator

from ...wording import brief
from ..content import Content
from . import Row

_FAILED = "SENTENCE_SKIPPED_OR_UNPARSABLE"


def read_corenlp(content: Content) -> Iterator[Row]:
    """Return the sentences, in order; those of several documents where the file is a list of them.

    A list of sentences is one document.
    """
    documents = content.json if isinstance(content.json, list) else [content.json]
    if documents and isinstance(documents[0], dict) and "parse" in documents[0]:
        documents = [{"sentences": documents}]
    for number, document in enumerate(documents, 1):
        sentences = document.get("sentences") if isinstance(document, dict) else None
        if not isinstance(sentences, list):
            raise content.error(
                "this is no JSON of CoreNLP, which is an object with a list of 'sentences'; the name of a "
                "table of JSON lines must end in .jsonl"
            )
        where = f"document {number}, " if len(documents) > 1 else ""
        for at, sentence in enumerate(sentences, 1):
            place = f"{where}sentence {at}"
            parse = sentence.get("parse") if isinstance(sentence, dict) else None
            if not isinstance(parse, str):
                what = f"{brief(parse)} in place of a tree in 'parse'"
                yield Row(place, content.error(f"{what}; annotate with 'parse'", place))
            else:
                yield Row(place, "" if _FAILED in parse else parse)
