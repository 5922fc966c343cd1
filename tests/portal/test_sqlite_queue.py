from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

# Two processes of three threads each write without a pause, in transactions and in single statements.
WRITER = """
import sys, threading, django
from django.conf import settings
settings.configure(DATABASES={"default": {"ENGINE": "portal.kit.sqlite", "NAME": sys.argv[1],
                              "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20}}})
django.setup()
from django.db import connection, transaction
failed = []
def write():
    try:
        for _ in range(60):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT n FROM counter")
                n = cursor.fetchone()[0]
                cursor.execute("UPDATE counter SET n = %s", [n + 1])
            with connection.cursor() as cursor:
                cursor.execute("UPDATE counter SET single = single + 1")
    except Exception as error:
        failed.append(error)
        raise
    finally:
        connection.close()
threads = [threading.Thread(target=write) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit(bool(failed))
"""


def connect(path: Path | str, timeout: float = 20) -> ConnectionHandler:
    options = {"transaction_mode": "IMMEDIATE", "timeout": timeout}
    return ConnectionHandler({"default": {"ENGINE": "portal.kit.sqlite", "NAME": str(path), "OPTIONS": options}})


@pytest.fixture(autouse=True)
def _databases_of_our_own(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "queue.sqlite3"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE counter (n integer, single integer)")
        raw.execute("INSERT INTO counter VALUES (0, 0)")
    return path


def test_writers_back_to_back_all_get_their_turn(database: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(database)], stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    errors = [writer.communicate(timeout=60)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], errors
    with sqlite3.connect(database) as raw:
        assert raw.execute("SELECT n, single FROM counter").fetchone() == (360, 360)


def test_file_is_in_wal_mode_with_foreign_keys_on(database: Path) -> None:
    with connect(database)["default"].cursor() as cursor:
        pragmas = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "foreign_keys")]
    assert pragmas == ["wal", 1]


def test_readers_pass_a_writer_by(database: Path) -> None:
    writer, reader = connect(database)["default"], connect(database)["default"]
    with writer.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("UPDATE counter SET n = 5")
        with reader.cursor() as other:
            assert other.execute("SELECT n FROM counter").fetchone() == (0,)
        cursor.execute("ROLLBACK")


def test_writer_that_waits_too_long_is_told(database: Path) -> None:
    holder, waiter = connect(database)["default"], connect(database, timeout=0.1)["default"]
    with holder.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        with waiter.cursor() as other, pytest.raises(OperationalError, match="locked"):
            other.execute("UPDATE counter SET n = 5")
        cursor.execute("ROLLBACK")


def test_writer_goes_on_as_soon_as_the_one_before_commits(database: Path) -> None:
    holder = connect(database)["default"]
    done = threading.Event()

    def write() -> None:
        with connect(database)["default"].cursor() as other:
            other.execute("UPDATE counter SET n = n + 1")
        done.set()

    with holder.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("UPDATE counter SET n = 5")
        thread = threading.Thread(target=write)
        thread.start()
        assert not done.wait(0.1)
        cursor.execute("COMMIT")
        thread.join(timeout=10)
        assert cursor.execute("SELECT n FROM counter").fetchone() == (6,)


def test_database_in_memory_needs_no_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with connect(":memory:")["default"].cursor() as cursor:
        cursor.execute("CREATE TABLE t (n integer)")
        cursor.execute("INSERT INTO t VALUES (1)")
    assert not list(tmp_path.iterdir())
