"""Celery's door: load, call, done. Each is safe to run twice and in two workers at once; one pass runs at a time."""

from __future__ import annotations

from celery import shared_task

from portal.kit import clock
from portal.kit.locks import named_lock
from portal.kit.wake import wake
from scheduling import dispatch as outbox
from scheduling.services import housekeeping as house
from scheduling.services import observe as observation
from scheduling.services import passes, quotas


@shared_task(name="scheduling.run_pass")
def run_pass() -> None:
    with named_lock("scheduling.pass", wait=False) as got:
        if got:
            passes.run(clock.now())
        else:
            wake("scheduling.run_pass")  # the one that runs may have looked before the change we were woken for


@shared_task(name="scheduling.observe")
def observe() -> None:
    with named_lock("scheduling.observe", wait=False) as got:
        if got:
            now = clock.now()
            observation.run(now, cuts=quotas.due(now))
        else:
            wake("scheduling.observe")


@shared_task(name="scheduling.dispatch")
def dispatch() -> None:
    outbox.run(clock.now())


@shared_task(name="scheduling.housekeeping")
def housekeeping() -> None:
    house.run(clock.now())
