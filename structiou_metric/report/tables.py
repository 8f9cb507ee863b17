r"""`Table`: rows of cells, which are written as text for a terminal, as LaTeX for a paper or as HTML.

Cells are plain text. Each writer makes them safe for where they go: nothing in a label or a name is a tag, a
command of TeX or a control of the terminal, and right-to-left text does not reorder what is next to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import NamedTuple

from ..drawing.latex import comment, requirements, tex
from ..drawing.svg_text import full
from ..terminal import cells, character_cells, isolated, lay_out, printable

__all__ = ["Cell", "Line", "Table", "decimals"]

NONE = "—"  # shown for a missing figure

_MAX_COLUMNS = 1000  # columns of a cell in a terminal
_MAX_ROWS = 45  # rows of a LaTeX table that fits on one page
_MINUS = re.compile(r"(?<![\w.)}])-(?=\d)")
_EQUAL = 1e-12  # sums are rounded, so numbers this close to 0 are 0


def decimals(value: float | None, *, signed: bool = False) -> str:
    """Return a figure to four places, or a dash for None.

    A figure that is not 0 although its first four places are is marked, and has as many places as it needs.

    >>> decimals(0.25), decimals(-0.00001234, signed=True), decimals(-1e-17, signed=True)
    ('0.2500', '~0 (-0.00001)', '0.0000')
    """
    if value is None:
        return NONE
    if abs(value) < _EQUAL:
        return "0.0000"
    sign = "+" if signed else ""
    if round(value, 4):
        return f"{value:{sign}.4f}"
    return f"~0 ({value:{sign}.{math.ceil(-math.log10(abs(value)))}f})"


class Cell(NamedTuple):
    """A text with marks and emphasis.

    Attributes:
        text: The text.
        mark: The text after it, such as letters of significance, raised if possible.
        small: The text below it, such as an interval.
        strong: Whether it is emphasized if possible.
    """

    text: str
    mark: str = ""
    small: str = ""
    strong: bool = False

    def __html__(self) -> str:
        """Return the cell as HTML, with true minus signs; a text is cut only if it is very long."""
        text = as_html(_MINUS.sub("\N{MINUS SIGN}", full(self.text)))
        shown = f"<strong>{text}</strong>" if self.strong else text
        mark = f"<sup>{as_html(self.mark)}</sup>" if self.mark else ""
        return shown + mark + (f"<small>{as_html(self.small)}</small>" if self.small else "")

    def as_latex(self) -> str:
        """Return the cell as LaTeX, without the text below it."""
        shown = _as_latex(self.text)
        if self.strong:
            shown = rf"\textbf{{{shown}}}"
        return shown + (rf"\textsuperscript{{{tex(self.mark)}}}" if self.mark else "")


class Line(tuple[str | Cell, ...]):
    """Texts one after the other; as a row of a table, the title of the rows below it."""

    __slots__ = ()

    def as_text(self) -> str:
        """Return the line for a terminal."""
        return "".join(isolated(printable(cell.text)) for cell in map(as_cell, self))

    def __html__(self) -> str:
        return "".join(map(as_html, map(as_cell, self)))

    def as_latex(self) -> str:
        """Return the line as LaTeX."""
        return "".join(cell.as_latex() for cell in map(as_cell, self))


@dataclass(frozen=True)
class Table:
    """Rows of cells below a head.

    >>> table = Table("by label", ["label", "score"], [["NP", "0.5000"]])
    >>> print(table.as_text())
    by label
    label   score
    NP     0.5000

    Attributes:
        title: The content of the table, a phrase.
        head: The titles of the columns.
        rows: The cells of each row; a `Line` is the title of those below it.
        sides: `<` for each column that is flush left, `>` for each flush right, `^` for each whose cells have
            marks; the last is for all more.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    sides: str = "<>"

    def as_text(self, columns: int = _MAX_COLUMNS) -> str:
        """Return the title, then the rows in columns as wide as needed, but at most `columns` wide."""
        lines: list[list[str]] = [list(map(printable, self.head))]
        indent = ""
        for row in self.rows:
            if isinstance(row, Line):
                lines.append([row.as_text()])
                indent = "  "
                continue
            parts = list(map(as_cell, row))
            texts = (f"{cell.text} {cell.mark}" if cell.mark else cell.text for cell in parts)
            lines.append([shown(text, columns) for text in texts])
            lines[-1][0] = indent + lines[-1][0]
            if any(cell.small for cell in parts):
                lines.append([printable(cell.small) for cell in parts])
        title = f"{printable(self.title)}\n" if self.title else ""
        return title + lay_out(lines, self.sides.replace("^", "<"))

    def __html__(self) -> str:
        """Return the rows as a table that scrolls if it is wide, without the title."""
        sides = self._sides()
        bodies = [""]
        for row in self.rows:
            if isinstance(row, Line):
                title = f'<th scope="rowgroup" colspan="{len(self.head)}">{as_html(row)}</th>'
                bodies.append(f"<tr>{title}</tr>")
                continue
            first, *others = (as_html(as_cell(cell)) for cell in row)
            kinds = (' class="text"' if side == "<" else "" for side in sides[1:])
            data = (f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, others, strict=True))
            bodies[-1] += f'<tr><th scope="row">{first}</th>{"".join(data)}</tr>'
        head = "".join(f'<th scope="col">{as_html(text)}</th>' for text in self.head)
        shown = "".join(f"<tbody>{body}</tbody>" for body in bodies if body)
        return (
            '<div class="scroll" tabindex="0" role="group" aria-label="Table">'
            f"<table><thead><tr>{head}</tr></thead>{shown}</table></div>"
        )

    def as_latex(self, *, caption: str = "", comments: Iterable[str] = (), size: str = "") -> str:
        r"""Return the table in the style of `booktabs`, ready to include in a document.

        The table compiles inside any document that loads the packages named in the comments above it.

        >>> print(Table("by label", ["label", "score"], [["NP-SBJ_1", "0.5000"]]).as_latex())
        % needs \usepackage{booktabs}
        \begin{table}[htbp]
          \centering
          \begin{tabular}{lr}
            \toprule
            label & score \\
            \midrule
            NP-SBJ\_1 & 0.5000 \\
            \bottomrule
          \end{tabular}
          \caption{By label.}
        \end{table}
        <BLANKLINE>

        Args:
            caption: The caption, a sentence or more; by default the title.
            comments: Comments above the table for those who edit the source, such as signatures.
            size: The size of the letters, such as `footnotesize`, for wide tables, whose columns are also set
                closer together; by default that of the document.
        """
        command = [rf"\{size}\setlength{{\tabcolsep}}{{4pt}}"] if size else []
        lines = self._latex_rows()
        columns = self._sides().translate({ord("<"): "l", ord(">"): "r", ord("^"): "c"})
        is_long = len(lines) > _MAX_ROWS
        top = [r"\toprule", _latex_line(map(_as_latex, self.head)), r"\midrule"]
        text = caption or (f"{self.title[0].upper()}{self.title[1:]}." if self.title else "")
        below = [rf"\caption{{{_as_latex(text)}}}"] if text else []
        if is_long:
            below = [rf"{line} \\" for line in below]  # the title is a row of a longtable
            body = [
                "{" + "".join(command),
                rf"\begin{{longtable}}{{{columns}}}",
                *(
                    f"  {line}"
                    for line in [*top, r"\endhead", r"\bottomrule", *below, r"\endlastfoot", *lines]
                ),
                r"\end{longtable}",
                "}",
            ]
        else:
            body = [
                r"\begin{table}[htbp]",
                r"  \centering",
                *(f"  {line}" for line in command),
                rf"  \begin{{tabular}}{{{columns}}}",
                *(f"    {line}" for line in [*top, *lines, r"\bottomrule"]),
                r"  \end{tabular}",
                *(f"  {line}" for line in below),
                r"\end{table}",
            ]
        source = "\n".join(body) + "\n"
        packages = ["booktabs", "longtable"] if is_long else ["booktabs"]
        return comment([*requirements(source, packages), *comments]) + source

    def _latex_rows(self) -> list[str]:
        lines: list[str] = []
        for row in self.rows:
            if isinstance(row, Line):
                lines += [r"\midrule"] if lines else []
                lines.append(rf"\multicolumn{{{len(self.head)}}}{{l}}{{{row.as_latex()}}} \\")
                continue
            parts = list(map(as_cell, row))
            lines.append(_latex_line(cell.as_latex() for cell in parts))
            if any(cell.small for cell in parts):
                small = (tex(cell.small) for cell in parts)
                lines.append(_latex_line(rf"{{\scriptsize {text}}}" if text else "" for text in small))
        return lines

    def _sides(self) -> str:
        return self.sides.ljust(len(self.head), self.sides[-1])[: len(self.head)]


def as_cell(cell: str | Cell) -> Cell:
    """Return a plain text as a cell, and a cell as it is."""
    return cell if isinstance(cell, Cell) else Cell(cell)


def as_html(value: str | Cell | Line | Table) -> str:
    """Return a text or a table as HTML; nothing in it is a tag or moves anything."""
    if not isinstance(value, str):
        return value.__html__()
    text = escape(printable(value)) if value else ""
    return f"<bdi>{text}</bdi>" if isolated(value) != value else text


def shown(text: str, columns: int) -> str:
    """Return a text for a terminal, with a mark at its end if it takes more columns than that."""
    text = printable(text)
    if cells(text) <= columns:
        return text
    used = accumulate(map(character_cells, text))
    return text[: sum(width < columns for width in used)] + "…"


def _as_latex(text: str) -> str:
    return _MINUS.sub("$-$", tex(text))


def _latex_line(parts: Iterable[str]) -> str:
    return " & ".join(parts) + r" \\"
