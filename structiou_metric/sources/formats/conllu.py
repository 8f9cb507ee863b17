"""CoNLL-U with the tree of each sentence in a comment, as Stanza writes it.

# constituency = (ROOT (S (NP (PRP It)) (VP (VBZ works))))

Of everything else only the blank lines between sentences matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..content import Content
from . import Row

_COMMENT = re.compile(r"#\s*constituency\s*=\s*(.*)")


def read_conllu(content: Content) -> Iterator[Row]:
    """Return the sentences, in order."""
    begin = 0
    found: Row | None = None
    n_found = 0
    for number, line in enumerate([*content.text.split("\n"), ""], 1):
        if not line.strip():
            if found is None and begin:
                found = Row(begin, content.error("this sentence has no comment '# constituency = (…'", begin))
            if found is not None:
                yield found
            begin, found = 0, None
            continue
        begin = begin or number
        comment = _COMMENT.match(line)
        if comment and found is not None:
            found = Row(begin, content.error("this sentence has two comments '# constituency = …'", number))
        elif comment:
            found = Row(number, comment[1].strip(), comment.start(1) + 1)
            n_found += 1
    if not n_found:
        raise content.error(
            "no sentence has its tree in a comment '# constituency = (…'; CoNLL-U has no other place for it"
        )
