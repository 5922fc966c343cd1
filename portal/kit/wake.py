"""Wake-ups: a message that says "look again". What there is to do stands in rows; a lost or doubled one costs seconds.

Exactly enough of them: one that waits to be taken up is enough for everybody (`pending`, taken away just before the
task begins to look), and in a burst of changes each keeps a distance to the one before, so that a few looks see them
all. A change after a look began finds nothing pending and sends the next: each change has a look that follows it.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any

import structlog
from celery import current_app
from celery.signals import task_prerun
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

DISTANCE_SECONDS = 0.3
BURST_SECONDS = 1
PENDING_SECONDS = 5  # a message that was lost keeps others back no longer than this
AWAY_SECONDS = 3  # after a failure nobody waits for the broker again so soon

log = structlog.get_logger(__name__)
_away_until = 0.0
_said = threading.Event()


def wake(task_name: str) -> None:
    """Has the named task run soon after the present transaction is committed. Never raises for want of a broker.

    A task that finds its own lock taken calls this again: the holder may have looked before the change.
    """
    transaction.on_commit(partial(_send, task_name), robust=True)


def _send(task_name: str) -> None:
    global _away_until
    if time.monotonic() < _away_until:
        return
    pending = f"wake:pending:{task_name}"
    try:
        if not cache.add(pending, 1, timeout=PENDING_SECONDS):
            return
        alone = cache.add(f"wake:burst:{task_name}", 1, timeout=BURST_SECONDS)
        current_app.send_task(task_name, countdown=None if alone else DISTANCE_SECONDS)
    except (OperationalError, RedisError, OSError) as error:
        _away_until = time.monotonic() + AWAY_SECONDS
        if not _said.is_set():
            _said.set()
            log.warning("wake.broker_away", task=task_name, error=str(error))
    else:
        if _said.is_set():
            _said.clear()
            log.info("wake.broker_back")


@task_prerun.connect
def _taken_up(task: Any = None, **_: Any) -> None:
    try:
        cache.delete(f"wake:pending:{task.name}")
    except (RedisError, OSError):
        return  # it lapses by itself
