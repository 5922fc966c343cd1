from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.db import connection, connections

from portal.kit.locks import named_lock

pytestmark = [pytest.mark.rows, pytest.mark.django_db(transaction=True)]

# Another process takes the lock in the same database, says so, and holds it until its input ends.
HOLDER = """
import json, pathlib, sys, django
from django.conf import settings
site = json.loads(sys.argv[2])
settings.configure(DATABASES={"default": site["database"]}, LOCK_DIR=pathlib.Path(site["locks"]))
django.setup()
from portal.kit.locks import named_lock
with named_lock(sys.argv[1], wait=False) as got:
    print(got, flush=True)
    sys.stdin.read()
"""


@contextmanager
def other_process(name: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    database = {key: connection.settings_dict[key] for key in ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT")}
    site = json.dumps({"database": database, "locks": str(settings.LOCK_DIR)}, default=str)
    arguments = [sys.executable, "-c", HOLDER, name, site]
    holder = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        yield holder, holder.stdout.readline().strip()
    finally:
        holder.kill()
        holder.communicate()


def in_a_thread(work: Callable[[], None]) -> threading.Thread:
    def whole() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=whole)
    thread.start()
    return thread


def test_second_process_is_refused_until_the_first_lets_go() -> None:
    with named_lock("pass", wait=False) as got:
        assert got
        with other_process("pass") as (_, answer):
            assert answer == "False"
    with other_process("pass") as (_, answer):
        assert answer == "True"


def test_lock_of_another_name_is_free() -> None:
    with named_lock("pass", wait=False), other_process("report") as (_, answer):
        assert answer == "True"


def test_lock_is_free_again_when_its_holder_is_killed() -> None:
    with other_process("pass") as (holder, answer):
        assert answer == "True"
        with named_lock("pass", wait=False) as got:
            assert not got
        holder.kill()
        with named_lock("pass", wait=True) as got:
            assert got


def test_lock_is_free_again_after_an_error_inside() -> None:
    with pytest.raises(ZeroDivisionError), named_lock("pass", wait=False):
        raise ZeroDivisionError
    with other_process("pass") as (_, answer):
        assert answer == "True"


def test_who_waits_gets_it_from_another_thread_of_the_same_process() -> None:
    order: list[str] = []

    def second() -> None:
        with named_lock("pass", wait=True):
            order.append("second")

    with named_lock("pass", wait=False) as got:
        assert got
        thread = in_a_thread(second)
        thread.join(0.2)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_one_thread_may_not_take_it_twice() -> None:
    with named_lock("pass", wait=False), pytest.raises(RuntimeError), named_lock("pass", wait=False):
        pass


def test_lock_does_not_outlive_a_connection_that_was_closed_inside() -> None:
    with named_lock("pass", wait=False):
        connection.close()
    with other_process("pass") as (_, answer):
        assert answer == "True"
