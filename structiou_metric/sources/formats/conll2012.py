"""The CoNLL shared tasks of 2011 and 2012: a line a word, with its part of the tree in the sixth column.

bc/cctv/00/cctv_0000  0  0  In    IN  (TOP(S(PP*  …
bc/cctv/00/cctv_0000  0  1  fact  NN  (NP*))      …

Sentences are separated by blank lines; `#begin document` and `#end document` mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...trees.brackets import escape
from ...wording import brief
from ..content import Content
from . import Row

_WORD, _TAG, _BIT = 3, 4, 5


def read_conll2012(content: Content) -> Iterator[Row]:
    """Return the sentences, in order."""
    begin = 0
    parts: list[str] = []
    problem: object = None
    for number, line in enumerate([*content.text.split("\n"), ""], 1):
        fields = line.split()
        if not fields:
            if begin:
                yield Row(begin, problem or "\n".join(parts))  # a line a word, so that errors name it
            begin, parts, problem = 0, [], None
        elif line.startswith("#") and len(fields) <= _BIT + 1:
            parts += [""] * bool(begin)
        else:
            begin = begin or number
            before, star, behind = fields[_BIT].partition("*") if len(fields) > _BIT else ("", "", "")
            if star:
                parts.append(f"{before}({escape(fields[_TAG])} {escape(fields[_WORD])}){behind}")
            elif problem is None:
                what = brief(fields[_BIT]) if len(fields) > _BIT else "nothing"
                problem = content.error(
                    f"the sixth column has {what} in place of a part such as (NP*", number
                )
