from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis
from celery import current_app
from celery.signals import task_prerun
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings

from portal.kit import wake as module
from portal.kit.wake import wake

pytestmark = pytest.mark.django_db(transaction=True)
TASK = "tests.look"


class Queue:
    """What a worker would find in the broker."""

    def __init__(self) -> None:
        self.client = redis.Redis.from_url(settings.REDIS_URL)
        self.client.delete("celery")
        cache.clear()

    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(raw)["headers"] for raw in self.client.lrange("celery", 0, -1)]

    def take_up(self) -> None:
        """A worker takes the message and says so just before the task looks."""
        self.client.delete("celery")
        task = type("Task", (), {"name": TASK})()
        task_prerun.send(sender=task, task=task)


@pytest.fixture
def queue() -> Iterator[Queue]:
    queue = Queue()
    yield queue
    queue.client.close()


def test_named_task_is_sent_after_the_commit(queue: Queue) -> None:
    with transaction.atomic():
        wake(TASK)
        assert queue.messages() == []
    assert [message["task"] for message in queue.messages()] == [TASK]


def test_change_that_was_rolled_back_wakes_nobody(queue: Queue) -> None:
    with transaction.atomic():
        wake(TASK)
        transaction.set_rollback(True)
    assert queue.messages() == []


def test_one_waiting_message_is_enough_for_many_changes(queue: Queue) -> None:
    for _ in range(50):
        wake(TASK)
    assert len(queue.messages()) == 1


def test_change_after_the_look_began_leads_to_a_later_look(queue: Queue) -> None:
    wake(TASK)
    queue.take_up()
    wake(TASK)
    assert [message["task"] for message in queue.messages()] == [TASK]


def test_looks_in_a_burst_keep_a_distance(queue: Queue) -> None:
    wake(TASK)
    assert queue.messages()[0]["eta"] is None
    queue.take_up()
    wake(TASK)
    assert queue.messages()[0]["eta"] is not None


def test_message_that_got_lost_keeps_others_back_for_seconds_only(queue: Queue) -> None:
    wake(TASK)
    left = queue.client.pttl(cache.make_key(f"wake:pending:{TASK}"))
    assert 0 < left <= module.PENDING_SECONDS * 1000


def test_tasks_do_not_hold_each_other_back(queue: Queue) -> None:
    wake(TASK)
    wake("tests.other")
    assert {message["task"] for message in queue.messages()} == {TASK, "tests.other"}


@contextmanager
def nowhere() -> Iterator[None]:
    """Neither cache nor broker listen there."""
    url, pool = "redis://127.0.0.1:1/0", current_app.amqp._producer_pool
    current_app.amqp._producer_pool, current_app.conf.broker_write_url = None, url
    try:
        with override_settings(CACHES={"default": {**settings.CACHES["default"], "LOCATION": url}}):
            yield
    finally:
        current_app.amqp._producer_pool, current_app.conf.broker_write_url = pool, settings.REDIS_URL


def test_broker_that_is_away_is_no_error_and_costs_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_away_until", 0.0)
    started = time.monotonic()
    with nowhere():
        for _ in range(100):
            wake(TASK)
    assert time.monotonic() - started < 2
    assert module._said.is_set()


def test_wake_ups_go_on_when_the_broker_is_back(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    module._said.set()
    monkeypatch.setattr(module, "_away_until", time.monotonic() - 1)
    wake(TASK)
    assert len(queue.messages()) == 1
    assert not module._said.is_set()


def test_every_thread_sends_to_our_broker() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: current_app.conf.broker_url).result() == settings.REDIS_URL
