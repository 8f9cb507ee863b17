"""Files that a page offers for downloading."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from gradio.utils import get_upload_folder

from leaderboard.backups import open_private

_KEY = secrets.token_bytes(32)


def write_download(name: str, parts: Iterable[str]) -> str:
    """Writes a file where Gradio serves it from, and returns its path.

    Nobody can guess the path who does not know all of the file, and the same file is kept only once.
    `tidy.Tidier` deletes it after a while.
    """
    folder = Path(get_upload_folder())
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.blake2b(name.encode("utf-8"), key=_KEY, digest_size=32)
    draft = folder / f"draft-{secrets.token_hex(16)}"
    with open_private(draft) as file:
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(data)
            file.write(data)
    path = folder / digest.hexdigest() / name
    path.parent.mkdir(exist_ok=True)
    os.replace(draft, path)
    return str(path)
