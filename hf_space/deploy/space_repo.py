"""Write the folder that is uploaded to the Hub as a Space: `make space-repo`.

The Hub installs `requirements.txt` before the files of a Space are there, and no index has the package yet.
So the folder holds the package itself, as pure Python.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = "start.py"  # what the Hub runs; also how an earlier folder of this program is known

_MADE = ("__pycache__", "*.pyc", ".*")
_NOT_SPACE = (*_MADE, "data", "deploy")
_NOT_PURE = (*_MADE, "*.so", "*.pyd", "*.c", "*.html", "*.pxd")


def write_space(target: Path) -> int:
    """Write the folder again from scratch; return how many files it has.

    Raises:
        ValueError: The folder has other files, or reference trees of a benchmark would become public.
    """
    space = ROOT / "hf_space"
    if target.exists() and any(target.iterdir()) and not (target / START).is_file():
        raise ValueError(f"{target} has files that this program did not write; name another folder")
    for description in sorted(space.glob("benchmarks/*/benchmark.toml")):
        _check_public(description)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(space, target, ignore=shutil.ignore_patterns(*_NOT_SPACE))
    package = target / "structiou_metric"
    shutil.copytree(ROOT / "structiou_metric", package, ignore=_ignore_in_package)
    shutil.copy(space / "struct_iou.py", package / "hub")  # where `metric_path` looks for it
    shutil.copy(space / "deploy" / START, target)
    shutil.copy(ROOT / "LICENSE", target)
    _replace(target / "README.md", r"^app_file: app\.py$", f"app_file: {START}")
    _replace(target / "requirements.txt", r"^structiou-metric==.*\n", "")
    return sum(path.is_file() for path in target.rglob("*"))


def _ignore_in_package(folder: str, names: list[str]) -> set[str]:
    """Return what is left out; compilers write only into the core, and templates are needed."""
    patterns = _NOT_PURE if Path(folder).name == "_core" else _MADE
    return shutil.ignore_patterns(*patterns)(folder, names)


def _check_public(description: Path) -> None:
    """Refuse a benchmark with private reference trees, because everybody can read the files of a Space."""
    values = tomllib.loads(description.read_text("utf-8"))
    if not (values.get("show_sentences") or values.get("gold", {}).get("public")):
        raise ValueError(
            f"{description}: its reference trees are private, and a Space's files are public; "
            "put its folder into a private dataset (STRUCTIOU_BENCHMARKS_DATASET)"
        )


def _replace(path: Path, pattern: str, replacement: str) -> None:
    """Replace the one place of a text that matches."""
    changed, count = re.subn(pattern, replacement, path.read_text("utf-8"), flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"{path}: {count} lines match {pattern}, but there must be one")
    path.write_text(changed, "utf-8")


def main() -> None:
    """Write the folder that is named, and print how to upload it."""
    parser = argparse.ArgumentParser(description="Writes the folder of a Space of the Hub.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    try:
        count = write_space(folder)
    except (ValueError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    sys.stdout.write(
        f"{count} files are in {folder}. Upload them, with your name in place of OWNER:\n"
        f'    hf upload OWNER/struct_iou {folder} . --repo-type space --delete "*"\n'
    )


if __name__ == "__main__":
    main()
