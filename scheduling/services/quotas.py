"""Quotas that change while jobs run: whose capacity a job is on may be another's from then on, and usage is cut there."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from accounting import calendar
from accounting.models import AccountingEvent, Quota, Team, User
from accounting.services.quotas import set_quota
from npu_inventory.models import Pool
from portal.kit import clock
from portal.kit.wake import wake
from scheduling.services import observe

LOOK_BACK = timedelta(days=7)  # for a portal that was off at midnight
TOOK_EFFECT = "quotas_took_effect"


@transaction.atomic
def change(team: Team, pool: Pool, *, by: User, guaranteed: int, **limits: Any) -> Quota:
    """Amounts in grains. Invalid where the guarantees would exceed the pool; then nothing is changed."""
    quota = set_quota(team, pool, by=by, guaranteed=guaranteed, **limits)
    observe.settle(pool=pool.pk, at=clock.now())
    return quota


def due(now: datetime) -> list[observe.Cut]:
    """The midnights at which quotas began or ended and whose usage is not cut yet; each takes effect once.

    They are handed to the look at the backends, which may have missed some of what happened before and after them.
    """
    zone = ZoneInfo(settings.ORGANISATION_TIME_ZONE)
    turns = [(calendar.midnight(day, zone), pool) for day, pool in _turns(now.astimezone(zone).date())]
    return [observe.Cut(at, partial(_take_effect, pool, at)) for at, pool in turns if not _done(pool, at).exists()]


def _done(pool: Pool, at: datetime) -> QuerySet[AccountingEvent]:
    return AccountingEvent.objects.filter(at=at, what=TOOK_EFFECT, about=pool.name)


def _turns(today: date) -> list[tuple[date, Pool]]:
    lately = (today - LOOK_BACK, today)
    dated = Quota.objects.filter(Q(starts__range=lately) | Q(ends__range=lately)).select_related("pool")
    turns = {(day, quota.pool) for quota in dated for day in (quota.starts, quota.ends) if day}
    return sorted((turn for turn in turns if lately[0] <= turn[0] <= today), key=lambda turn: (turn[0], turn[1].pk))


def _take_effect(pool: Pool, at: datetime) -> None:
    with transaction.atomic():
        Pool.objects.select_for_update().get(pk=pool.pk)
        if _done(pool, at).exists():
            return
        observe.settle(pool=pool.pk, at=at)
        AccountingEvent.objects.create(at=at, what=TOOK_EFFECT, about=pool.name)
        Pool.touch(pool.pk)
        wake("scheduling.run_pass")
