"""What an export tells beside submissions: teams, announcements and the log of what was done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .store import Store

# By kind, the table and the columns with their kinds; what is equal in all of them is one and the same.
_TABLES: dict[str, tuple[str, dict[str, type]]] = {
    "team": ("teams", {"name": str, "key": str, "created": float, "address": str}),
    "member": ("members", {"team": str, "user": str}),
    "announcement": ("announcements", {"id": str, "time": float, "benchmark": str, "text": str}),
    "action": ("actions", {"time": float, "action": str, "submission": str, "who": str, "detail": str}),
}


class Record(NamedTuple):
    """A row of one of the tables."""

    kind: str
    values: tuple[Any, ...]


def export_records(store: Store) -> Iterator[dict[str, Any]]:
    """All records as plain values."""
    for kind, (table, columns) in _TABLES.items():
        with store.reading() as db:
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid").fetchall()
        for row in rows:
            yield {"record": kind, **dict(zip(columns, row, strict=True))}


def read_record(values: dict[str, Any]) -> Record:
    """Checks a record of an export."""
    kind = values.pop("record")
    if kind not in _TABLES:
        raise ValueError(f"it is of an unknown kind, {kind!r}")
    columns = _TABLES[kind][1]
    if values.keys() != columns.keys() or any(type(values[key]) is not columns[key] for key in columns):
        raise ValueError(f"the fields of this {kind} are not those of this program")
    return Record(kind, tuple(values[key] for key in columns))


def import_record(store: Store, record: Record) -> None:
    """Takes a record over, unless it is there already."""
    table, columns = _TABLES[record.kind]
    marks = ", ".join("?" * len(columns))
    with store.transaction() as db:
        same = " AND ".join(f"{name} = ?" for name in columns)
        if db.execute(f"SELECT 1 FROM {table} WHERE {same}", record.values).fetchone() is None:
            db.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", record.values
            )
