"""Write what the repository keeps of the generated documentation: `make pages`.

These are the tables in the pages, and the pictures of the README. Run it after a change of an option, a flag
or a setting; tests name the pages that are not up to date.
"""

from __future__ import annotations

from parts.generated import stored_pages
from parts.pictures import readme_pictures


def main() -> None:
    """Write each file that has changed."""
    for path, text in {**stored_pages(), **readme_pictures()}.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
