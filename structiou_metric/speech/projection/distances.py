"""Edit distances by bits of big integers: all prefixes of a text at once (Myers; Hyyrö).

Python's integers have as many bits as are needed, so a step for each character of the other text is
enough, which costs little: two texts of 50,000 characters take about a second.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate


def prefix_distances(text: str, other: str) -> list[int]:
    """The edit distance of every prefix of a text, the empty one first, to another text.

    >>> prefix_distances("kit", "it")
    [2, 2, 2, 1]

    Bit `n` of `more` and `less` says whether the prefix of `n + 1` characters is one farther or one
    nearer than the prefix of `n`.
    """
    places = _bit_sets(text)
    full = (1 << len(text)) - 1
    more, less = full, 0
    for letter in other:
        same = places.get(letter, 0) | less
        diagonal = (((same & more) + more) ^ more) | same
        farther = less | (full & ~(diagonal | more))
        nearer = diagonal & more
        farther = (farther << 1) | 1
        more = ((nearer << 1) | ~(diagonal | farther)) & full
        less = farther & diagonal & full
    length = len(text)
    bits = (f"{number:0{length}b}"[::-1][:length] for number in (more, less))  # the lowest first
    steps = ((step == "1") - (back == "1") for step, back in zip(*bits, strict=True))
    return list(accumulate(steps, initial=len(other)))


def _bit_sets(text: str) -> dict[str, int]:
    """A number for each character, with a bit for each of its places."""
    sets: defaultdict[str, bytearray] = defaultdict(lambda: bytearray(len(text) // 8 + 1))
    for place, letter in enumerate(text):
        sets[letter][place >> 3] |= 1 << (place & 7)
    return {letter: int.from_bytes(bits, "little") for letter, bits in sets.items()}
