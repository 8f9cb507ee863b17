"""A corpus of two folders: trees, and the words of recordings of which some do not fit."""

from __future__ import annotations

from pathlib import Path

N = 12  # recordings
BAD = (3, 7)  # those whose words are not the trees'
GOOD = [number for number in range(N) if number not in BAD]


def name(number: int) -> str:
    """What a recording is called."""
    return f"call{number:02}"


def tree(number: int) -> str:
    """Its tree."""
    return f"(S (NP (PRP we)) (VP (VBD counted) (NP (NN item{number}))))"


def timed(number: int) -> str:
    """Its tree over its words, which take half a second each."""
    return f"(S (NP (PRP we<0.0,0.5>)) (VP (VBD counted<0.5,1.0>) (NP (NN item{number}<1.0,1.5>))))"


def write_words(folder: Path, number: int, words: list[str]) -> None:
    """Writes words of a recording, half a second each."""
    lines = [f"{word}\t{n / 2}\t{n / 2 + 0.5}\n" for n, word in enumerate(words)]
    (folder / f"{name(number)}.tsv").write_text("".join(lines), "utf-8")


def write_trees(folder: Path) -> None:
    """Writes a folder of treebanks."""
    (folder / "trees").mkdir()
    for number in range(N):
        (folder / "trees" / f"{name(number)}.mrg").write_text(tree(number) + "\n", "utf-8")


def write_corpus(folder: Path) -> None:
    """Writes both folders."""
    write_trees(folder)
    (folder / "words").mkdir()
    for number in range(N):
        words = ["ladies", "and", "gentlemen"] if number in BAD else ["we", "counted", f"item{number}"]
        write_words(folder / "words", number, words)
