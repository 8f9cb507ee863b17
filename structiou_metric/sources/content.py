"""What a file holds before it is taken apart: its text, its JSON, its XML, and errors that name it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import TreeFormatError
from .encodings import as_utf8

_REFERENCE = rb"&(?!(?:amp|lt|gt|quot|apos);|#)"  # to what XML itself does not declare
_BETWEEN = " "  # what expat puts between a namespace and a name


class Content:
    """What one file holds.

    Attributes:
        data: The bytes of the file, unpacked.
        title: What to call the file in errors.
        encoding: The encoding of text; by default UTF-8, or what a byte-order mark or an XML declaration
            says.
    """

    flag = "--encoding"  # with which whoever reads an error can give an encoding, or nothing

    def __init__(self, data: bytes, title: str, encoding: str | None = None) -> None:
        self.data = data
        self.title = title
        self.encoding = encoding
        self._utf8: bytes | None = None
        self._text: str | None = None
        self._json: list[Any] = []  # the value, once it was read

    @property
    def utf8(self) -> bytes:
        """The text of the file as UTF-8, without a mark."""
        if self._utf8 is None:
            self._utf8 = as_utf8(self.data, self.title, self.encoding, flag=self.flag)
        return self._utf8

    @property
    def text(self) -> str:
        """What it says, with `\\n` at line ends."""
        if self._text is None:
            text = self.utf8.decode("utf-8")
            if "\0" in text:
                line = text.count("\n", 0, text.index("\0")) + 1
                raise self.error("a NUL character (UTF-16 without a mark?); convert the file to UTF-8", line)
            self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        return self._text

    @property
    def json(self) -> Any:
        """The value of the file as JSON."""
        if not self._json:
            self._json.append(self._read_json())
        return self._json[0]

    def _read_json(self) -> Any:
        import json

        try:
            return json.loads(self.text)
        except RecursionError:
            raise self.error("the JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            raise self.error(f"this is not JSON: {error.msg}", error.lineno, error.colno) from None
        except ValueError as error:  # such as an integer of 5,000 digits
            raise self.error(str(error)) from None

    def error(self, message: str, place: int | str = "", column: int | None = None) -> TreeFormatError:
        """An error of this file, or of a place in it: a line, or the name of an entry."""
        if isinstance(place, int):
            return TreeFormatError(message, source=self.title, line=place, column=column)
        return TreeFormatError(message, source=f"{self.title}: {place}" if place else self.title)

    def xml(
        self,
        start: Callable[[str, dict[str, str], int], None],
        end: Callable[[str], None],
        characters: Callable[[str], None] | None = None,
    ) -> None:
        """Goes through the XML of the file and tells of each element and text; nothing is kept.

        Entities of a document type can grow without bound, so one that declares any is refused, as is a
        reference to one that is not declared here. Nothing outside of the file is read.

        Args:
            start: A function that is called with the name of an element that begins, without its namespace,
                its attributes and its line; the names of attributes are behind their namespaces and a blank.
            end: A function that is called with the name of an element that ends.
            characters: A function that is called with text.
        """
        import re
        from xml.parsers import expat

        parser = expat.ParserCreate("utf-8" if self.encoding else None, _BETWEEN)
        parser.buffer_text = True

        def begin(name: str, attributes: dict[str, str]) -> None:
            start(name.rpartition(_BETWEEN)[2], attributes, parser.CurrentLineNumber)

        def refuse(*_: Any) -> None:
            raise self.error(
                "entities of a document type (<!ENTITY) are not read; remove them", parser.CurrentLineNumber
            )

        parser.StartElementHandler = begin
        parser.EndElementHandler = lambda name: end(name.rpartition(_BETWEEN)[2])
        parser.CharacterDataHandler = characters

        def check(name: str, system: str | None, public: str | None, inner: bool) -> None:
            # With a document type elsewhere, expat leaves out what that may declare.
            if (system or public) and re.search(_REFERENCE, self.data.replace(b"\0", b"")):
                refuse()

        parser.StartDoctypeDeclHandler = check
        parser.EntityDeclHandler = refuse
        try:
            parser.Parse(self.utf8 if self.encoding else self.data, True)
        except TreeFormatError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that Python does not know, or expat not
            raise self.error(f"this XML cannot be read ({error}); convert it to UTF-8") from None
        except expat.ExpatError as error:
            raise self.error(
                f"this is not XML: {expat.ErrorString(error.code)}", error.lineno, error.offset + 1
            ) from None
