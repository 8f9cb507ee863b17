"""Places of treebanks: files, folders, patterns and archives, split into parts that are read one by one."""

from __future__ import annotations

import glob
import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ..errors import TreeFormatError, TreeMismatchError
from ..wording import brief, count
from .content import Budget, strip_ending, unpack
from .files import read_bytes

# The endings of files that are treebanks, for folders and archives, which may hold other files.
ENDINGS = [
    ".br",
    ".brackets",
    ".conll",
    ".conllu",
    ".dbr",
    ".discbracket",
    ".export",
    ".gld",
    ".gold_conll",
    ".json",
    ".mrg",
    ".mrg_strict",
    ".negra",
    ".parse",
    ".parsed",
    ".penn",
    ".prd",
    ".psd",
    ".ptb",
    ".tbf",
    ".tree",
    ".trees",
    ".txt",
    ".v4_gold_conll",
    ".xml",
]

_NO_TREEBANKS = ("readme", "license", "licence", "copying", "changelog")  # how names of other texts begin
_MOST_MEMBERS = 100_000  # of an archive
_NAMED = 3  # files named in a message


class Part:
    """A file of a treebank.

    Attributes:
        name: Its name in its folder or archive, by which both sides are paired.
        title: Its name in errors.
    """

    def __init__(self, name: str, title: str, read: Callable[[], bytes]) -> None:
        self.name = name
        self.title = title
        self.read = read  # returns the content, unpacked


if TYPE_CHECKING:
    Path = str | os.PathLike[str]
    Place = Part | Path | Sequence[Part | Path]  # where a treebank is, as `find_parts` takes it


def find_parts(path: Place) -> list[Part]:
    """Return the files of a treebank, in order.

    Args:
        path: A file of any name, or `-` for standard input; a folder, whose files and those of its folders
            are taken in sorted order if their names end like those of treebanks; a pattern such as
            `wsj/2?/*.mrg`, with `**` for folders of any depth; an archive, `.tar`, perhaps packed, or `.zip`,
            whose files are taken as a folder's; or a list of these. A file that was found stays as it is.
    """
    if isinstance(path, Part):
        return [path]
    if not isinstance(path, (str, os.PathLike)):
        return [part for one in path for part in find_parts(one)]
    path = os.fspath(path)
    if os.path.isdir(path):
        return [_file(name, os.path.join(path, name)) for name in find_names(path)]
    found = find_pattern(path)
    if found:
        root = os.path.commonpath(map(os.path.dirname, found))
        return [part for name in found for part in _open(name, os.path.relpath(name, root or os.curdir))]
    return _open(path, os.path.basename(path))


def title_of(path: Place) -> str:
    """Return the name of a place in errors."""
    if isinstance(path, Part):
        return path.title
    if isinstance(path, (str, os.PathLike)):
        return os.fspath(path)
    paths = [title_of(one) for one in path]
    return paths[0] if len(paths) == 1 else f"{paths[0]} … {paths[-1]}" if paths else "no files"


def find_pattern(path: str) -> list[str]:
    """Return the files that a pattern matches, sorted; none if it is no pattern."""
    if not any(mark in path for mark in "*?[") or os.path.exists(path):
        return []

    found = sorted(name for name in glob.glob(path, recursive=True) if os.path.isfile(name))
    if not found:
        raise FileNotFoundError(f"{path}: no file matches this pattern; check its folder and its ending")
    return found


def _file(name: str, path: str) -> Part:
    return Part(name, path, lambda: read_bytes(path)[0])


def _open(path: str, name: str) -> list[Part]:
    """Return a file as it is, or the members of an archive."""
    data, title = read_bytes(path)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # the latter has no members
        return _zip_members(data, title)
    if data[257:262] == b"ustar":
        return _tar_members(data, title)
    return [Part(name, title, lambda: data)]


# ---- folders -----------------------------------------------------------------------------------


def find_names(folder: str) -> list[str]:
    """Return the names of the files of a folder, and of those in it, that are treebanks, sorted."""
    return choose_names(list_files(folder), folder)


def list_files(folder: str) -> list[str]:
    """Return the sorted names of all files of a folder, of its folders and of linked folders."""

    def fail(error: OSError) -> None:
        raise error

    names: list[str] = []
    above: dict[str, tuple[str, ...]] = {}  # by folder, it and those above it as they are without links
    for root, folders, files in os.walk(folder, onerror=fail, followlinks=True):
        place = os.path.realpath(root)
        known = above.pop(root, ())
        if place in known:  # a link that leads to a folder above it
            folders.clear()
            continue
        above.update((os.path.join(root, name), (*known, place)) for name in folders)
        names += [os.path.relpath(os.path.join(root, name), folder) for name in files]
    return sorted(names, key=_split)


def _split(name: str) -> list[str]:
    return name.replace(os.sep, "/").split("/")


def treebank_ending(name: str) -> str:
    """Return the ending of a file's name, before that of packing; "" for hidden files and a README.

    >>> treebank_ending("wsj/wsj_0001.MRG.gz"), treebank_ending("README.txt"), treebank_ending(".x/y.mrg")
    ('.mrg', '', '')
    """
    parts = _split(name)
    hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
    if hidden or parts[-1].lower().startswith(_NO_TREEBANKS):
        return ""
    return os.path.splitext(strip_ending(parts[-1]))[1].lower()


def choose_names(names: Iterable[str], title: str) -> list[str]:
    """Return the names that end like treebanks, sorted; several endings are an error."""
    found: dict[str, list[str]] = {}
    for name in sorted(names, key=_split):
        ending = treebank_ending(name)
        if ending in ENDINGS:
            found.setdefault(ending, []).append(name)
    if not found:
        raise TreeFormatError(
            f"no file in here ends like a treebank ({' '.join(sorted(ENDINGS))}); give the files, or a "
            "pattern "
            f"such as '{os.path.join(title, '*.abc')}'",
            source=title,
        )
    if len(found) > 1:
        kinds = " and ".join(f"{count(len(files), f'{ending} file')}" for ending, files in found.items())
        pattern = os.path.join(title, "**", f"*{next(iter(found))}")
        raise TreeFormatError(
            f"there are {kinds} in here, perhaps the same trees twice; give a pattern, such as '{pattern}'",
            source=title,
        )
    return next(iter(found.values()))


# ---- archives ----------------------------------------------------------------------------------


def _zip_members(data: bytes, title: str) -> list[Part]:
    budget = Budget(len(data), title)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = {info.filename: info for info in archive.infolist() if not info.is_dir()}
    except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError) as error:
        raise TreeFormatError(
            f"this zip file is damaged: {error}; fetch it, or pack it, again", source=title
        ) from None
    _check_members(len(archive.infolist()), title)

    def read(name: str) -> bytes:
        try:
            with archive.open(members[name]) as file:
                found = file.read(max(0, budget.left) + 1)
        except Exception as error:  # damaged, encrypted, or packed in a way that Python does not know
            raise TreeFormatError(f"this member cannot be read: {error}", source=f"{title}/{name}") from None
        budget.take(len(found))
        return unpack(found, f"{title}/{name}", budget)

    return _members(members, title, read)


def _tar_members(data: bytes, title: str) -> list[Part]:
    budget = Budget(len(data), title)
    members = {}
    try:
        archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - read as long as there are rows
        for n_members, info in enumerate(archive, 1):
            _check_members(n_members, title)
            if not info.isdir():
                members[info.name.removeprefix("./")] = info
    except (tarfile.TarError, ValueError, OverflowError) as error:
        raise TreeFormatError(
            f"this tar file is damaged: {error}; fetch it, or pack it, again", source=title
        ) from None

    def read(name: str) -> bytes:
        if not members[name].isfile():
            raise TreeFormatError(
                "this member is a link, or no file at all; pack the file itself (tar --dereference)",
                source=f"{title}/{name}",
            )
        budget.take(members[name].size)  # a sparse one may be far longer than the archive
        file = archive.extractfile(members[name])
        found = b"" if file is None else file.read()
        if len(found) != members[name].size:
            raise TreeFormatError(
                "this member is cut off; fetch the archive, or pack it, again", source=f"{title}/{name}"
            )
        return unpack(found, f"{title}/{name}", budget)

    return _members(members, title, read)


def _check_members(number: int, title: str) -> None:
    if number > _MOST_MEMBERS:
        raise TreeFormatError(
            f"this archive has more than {_MOST_MEMBERS} files; unpack it and give a folder", source=title
        )


def _members(names: Iterable[str], title: str, read: Callable[[str], bytes]) -> list[Part]:
    def part(name: str) -> Part:
        return Part(name, f"{title}/{name}", lambda: read(name))

    names = list(names)
    for name in names:
        if name.startswith(("/", "\\")) or name[1:2] == ":" or ".." in name.replace("\\", "/").split("/"):
            raise TreeFormatError(
                f"the member {brief(name)} would be outside of the folder of this archive; pack it again "
                "in its own folder",
                source=title,
            )
    return [part(name) for name in choose_names(names, title)]


# ---- pairs -------------------------------------------------------------------------------------


def pair_parts(
    references: Sequence[Part], predictions: Sequence[Part], titles: tuple[str, str]
) -> tuple[list[Part], list[Part]]:
    """Return the files of both sides in the same order, paired by name unless one side is one file.

    Names need not end alike. A file without a partner is an error that names it.

    Args:
        references: The files of the references.
        predictions: The files of the predictions.
        titles: The names of the sides in errors.
    """
    if len(references) < 2 or len(predictions) < 2:
        return list(references), list(predictions)
    sides = [_by_name(parts) for parts in (references, predictions)]
    alone = [
        [part.title for name, part in side.items() if name not in other]
        for side, other in (sides, reversed(sides))
    ]
    if any(alone):
        unpaired = [
            f"{count(len(names), 'file')} of {title} without a partner in {other}: "
            + ", ".join([*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])])
            for names, title, other in zip(alone, titles, reversed(titles), strict=True)
            if names
        ]
        raise TreeMismatchError(
            f"{'; '.join(unpaired)}; files are paired by their names, so give both sides the same names, or "
            "join the files of one side"
        )
    return list(sides[0].values()), [sides[1][name] for name in sides[0]]


def _by_name(parts: Iterable[Part]) -> dict[str, Part]:
    """Return the files by their names without endings; with these, where two would else be the same."""
    named = [(os.path.splitext(strip_ending(part.name))[0], part) for part in parts]
    if len({name for name, _ in named}) < len(named):
        named = [(part.name, part) for _, part in named]
    found = dict(named)
    if len(found) < len(named):
        twice = next(name for name, part in named if found[name] is not part)
        raise TreeMismatchError(f"{twice} is there twice; files are paired by their names, so give each once")
    return found
