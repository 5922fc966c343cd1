"""SQLite for one machine, with a queue for its writers.

SQLite lets writers wait by polling, without order: under load some starve until "database is locked". Here whoever
wants to begin writing first takes a place in a queue (a file lock, which the kernel hands on in the order of asking).
Only the one at its head asks SQLite; the rest come in turn. A process that dies leaves the queue by itself.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.sqlite3 import base

_READS = ("SELECT", "EXPLAIN", "PRAGMA", "SAVEPOINT", "RELEASE", "COMMIT", "ROLLBACK")


class Cursor(base.SQLiteCursorWrapper):
    queue: str = ""  # path of the lock file; "" for databases in memory, which no other process sees
    patience: float = 0.0  # seconds

    def execute(self, query: str, params: Any = None) -> Any:
        if not self._begins_a_write(query):
            return super().execute(query, params)
        return self._in_turn(lambda: super(Cursor, self).execute(query, params))

    def executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        if not self._begins_a_write(query):
            return super().executemany(query, param_list)
        # Many statements, each a transaction of its own, must not be begun twice: SQLite does the waiting here.
        with _held(self.queue):
            return super().executemany(query, param_list)

    def _begins_a_write(self, query: str) -> bool:
        """BEGIN itself, or a single write outside a transaction."""
        return bool(self.queue) and not self.connection.in_transaction and not query.lstrip().upper().startswith(_READS)

    def _in_turn(self, execute: Callable[[], Any]) -> Any:
        """At the head of the queue we ask every two milliseconds; SQLite's own waiting grows to a tenth of a second."""
        with _held(self.queue):
            deadline = time.monotonic() + self.patience
            self.connection.execute("PRAGMA busy_timeout = 2")
            try:
                while True:
                    try:
                        return execute()
                    except sqlite3.OperationalError as error:
                        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                            raise
            finally:
                self.connection.execute(f"PRAGMA busy_timeout = {int(self.patience * 1000)}")


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if not self.is_in_memory_db():
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                with _held(self._queue()):
                    connection.execute("PRAGMA journal_mode = WAL")
            # With WAL this loses at most the last commits when the power fails, and never consistency.
            connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        cursor = self.connection.cursor(factory=Cursor)
        cursor.queue = self._queue()
        cursor.patience = self.settings_dict["OPTIONS"].get("timeout", 5.0)
        return cursor

    def _queue(self) -> str:
        return "" if self.is_in_memory_db() else f"{self.settings_dict['NAME']}-queue"


@contextmanager
def _held(queue: str) -> Iterator[None]:
    # A descriptor of our own each time: file locks belong to descriptors, so threads of one process queue as well.
    descriptor = os.open(queue, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
