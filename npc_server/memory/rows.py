"""Flat records as rows of a table with the same column names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlite_utils import Database

from npc_server.errors import BadInput
from npc_server.memory import codec

T = TypeVar("T")
_AT_ONCE = 64
"""Rows. With a vector each they take a tenth of a megabyte, which is used again for the next and not given back to the system."""


def columns(cls: type, without: Iterable[str] = ()) -> tuple[str, ...]:
    left_out = frozenset(without)
    return tuple(field.name for field in dataclasses.fields(cls) if field.name not in left_out)


def quoted(names: Iterable[str]) -> str:
    """Quoted, since `end` is a word of SQL."""
    return ", ".join(f'"{name}"' for name in names)


def insert(db: Database, table: str, names: Sequence[str], rows: Iterable[Sequence[Any]], verb: str = "INSERT") -> None:
    """Raises sqlite3.IntegrityError when a key is taken, BadInput for a value SQLite cannot hold."""
    try:
        db.conn.executemany(f"{verb} INTO {table} ({quoted(names)}) VALUES ({', '.join('?' * len(names))})", rows)
    except (OverflowError, UnicodeEncodeError) as error:
        raise BadInput(f"A row of {table} cannot be stored: {error}.", "Use 64-bit integers and valid Unicode.") from error


def values(record: object, names: Sequence[str]) -> list[Any]:
    return [codec.encode(getattr(record, name)) for name in names]


def select(db: Database, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    return db.conn.execute(sql, parameters).fetchall()


def in_parts(db: Database, sql: str, parameters: Sequence[Any] = ()) -> Iterator[list[tuple[Any, ...]]]:
    """As `select`, some rows at a time, for thousands that are at once made into something else."""
    cursor = db.conn.execute(sql, parameters)
    while part := cursor.fetchmany(_AT_ONCE):
        yield part


def record(cls: type[T], names: Sequence[str], row: Sequence[Any]) -> T:
    """Raises SaveDamaged."""
    return codec.decode(cls, dict(zip(names, row, strict=True)))


def records(db: Database, cls: type[T], names: Sequence[str], rest: str, parameters: Sequence[Any] = ()) -> list[T]:
    """Every row of `SELECT names <rest>` as a `cls`. Raises SaveDamaged."""
    return [record(cls, names, row) for row in select(db, f"SELECT {quoted(names)} {rest}", parameters)]
