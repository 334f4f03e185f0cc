"""What messages mean, as an embedding model says it: one byte a dimension, beside the index.

Ranking by words comes first; of what it found, the nearest in meaning gain a little. A message
without numbers neither gains nor loses.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from operator import mul
from typing import Any

import apsw

LONGEST = 1024
"""Dimensions that are kept of a longer vector."""
_LENGTH = struct.Struct("<f")


def pack(vector: Sequence[float]) -> bytes:
    """A vector as it is stored; empty for one without a direction."""
    kept = vector[:LONGEST]
    top = max(map(abs, kept), default=0.0)
    if not top or not math.isfinite(top):
        return b""
    scaled = [round(127 * one / top) for one in kept]
    length = math.sqrt(sum(map(mul, scaled, scaled)))
    return _LENGTH.pack(length) + struct.pack(f"{len(scaled)}b", *scaled)


def likeness(one: bytes, other: bytes) -> float:
    """The cosine of two stored vectors, -1 to 1; 0 for those of different models."""
    if len(one) != len(other) or len(one) <= _LENGTH.size:
        return 0.0
    lengths = _LENGTH.unpack_from(one)[0] * _LENGTH.unpack_from(other)[0]
    first = memoryview(one)[_LENGTH.size :].cast("b")
    second = memoryview(other)[_LENGTH.size :].cast("b")
    return sum(map(mul, first, second)) / lengths if lengths else 0.0


def nearer(c: apsw.Connection, meant: bytes, ids: Sequence[int]) -> dict[int, float]:
    """By how much messages are nearer to a question than these are on average."""
    rows: Any = c.execute(
        "SELECT v.id, v.data FROM json_each(?) j CROSS JOIN recall_vector v ON v.id = j.value",
        (json.dumps(list(ids)),),
    )
    near = {id_: likeness(meant, data) for id_, data in rows}
    if not near:
        return {}
    mean = sum(near.values()) / len(near)
    return {id_: value - mean for id_, value in near.items()}


def of_model(c: apsw.Connection, model: str) -> None:
    """From now on the vectors are of this model; those of another one go."""
    row: Any = c.execute("SELECT model FROM recall_vectors").fetchone()
    if row is not None and row[0] == model:
        return
    c.execute("DELETE FROM recall_vector")
    c.execute("DELETE FROM recall_vectors")
    c.execute("INSERT INTO recall_vectors (model) VALUES (?)", (model,))


def missing(c: apsw.Connection, first: int, end: int) -> list[int]:
    """Ids of messages between two that have no vector, the newest first."""
    rows: Any = c.execute(
        "SELECT m.id FROM recall_message m LEFT JOIN recall_vector v ON v.id = m.id"
        " WHERE m.id >= ? AND m.id < ? AND v.id IS NULL ORDER BY m.id DESC",
        (first, end),
    )
    return [int(row[0]) for row in rows]


def newest(c: apsw.Connection) -> int:
    """The highest id of a message."""
    row: Any = c.execute("SELECT max(id) FROM recall_message").fetchone()
    return int(row[0] or 0)


def put(c: apsw.Connection, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Store vectors of messages that are still there."""
    c.executemany(
        "INSERT OR REPLACE INTO recall_vector (id, data)"
        " SELECT id, ? FROM recall_message WHERE id = ?",
        [(data, id_) for id_, data in vectors],
    )
