"""Named locks over all processes: PostgreSQL's session locks there, a file on SQLite. Gone when their holder dies."""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, connection

_mine = threading.local()


@contextmanager
def named_lock(name: str, *, wait: bool) -> Iterator[bool]:
    """Whether we have the lock. With `wait` it is always true; without, false at once if somebody else holds it.

    Not to be taken twice by one thread: on one database that would pass, on the other it would wait for ever.
    """
    held: set[str] = _mine.__dict__.setdefault("held", set())
    if name in held:
        raise RuntimeError(f"this thread already holds the lock {name!r}")
    lock = _session_lock if connection.vendor == "postgresql" else _file_lock
    with lock(name, wait=wait) as got:
        if got:
            held.add(name)
        try:
            yield got
        finally:
            held.discard(name)


@contextmanager
def _session_lock(name: str, *, wait: bool) -> Iterator[bool]:
    """Held by the connection that does the work: if that is lost, the work fails with it and cannot go on unlocked."""
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        if wait:
            cursor.execute("SELECT pg_advisory_lock(%s)", [key])
            got = True
        else:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
            got = cursor.fetchone()[0]
    session = connection.connection
    try:
        yield got
    finally:
        if got:
            _unlock(session, key)


def _unlock(session: object, key: int) -> None:
    """A session that cannot unlock (broken transaction, swapped connection) is closed, which unlocks as well."""
    try:
        if connection.connection is not session:
            raise DatabaseError("the connection was replaced while its lock was held")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
    except DatabaseError:
        session.close()  # type: ignore[attr-defined]  # psycopg's connection; a closed one does not return to the pool


@contextmanager
def _file_lock(name: str, *, wait: bool) -> Iterator[bool]:
    settings.LOCK_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = settings.LOCK_DIR / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)
