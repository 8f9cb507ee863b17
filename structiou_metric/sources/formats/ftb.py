"""Brackets whose labels carry features between `##`, as the French Treebank of the SPMRL tasks has them.

(SENT##x=1## (NP-SUJ (DET##g=m|n=s## Le) (NC##g=m|n=s## chat)) …)

Features are blanked out, so that columns of errors stay.
"""

from __future__ import annotations

import re

from ..content import Content

_FEATURES = re.compile(rb"(\([^\s()#]*)(##[^\s()]*##)(?=[\s()])")


def read_ftb(content: Content) -> bytes:
    """Return the same brackets without features."""
    return _FEATURES.sub(lambda found: found[1] + b" " * len(found[2]), content.utf8)
