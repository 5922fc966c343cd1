"""Usage intervals: opened, cut and closed at the times of backend events, to the second.

The caller (a higher app) says what each run of a pool holds from a moment on; this module makes the rows say so. Saying
it twice changes nothing, so a second poll or a second worker never counts anything twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounting.models import UsageInterval


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A run that has started and not ended, and on whose quota it runs: grains by source, zeros left out."""

    run: int
    job: int
    team: int
    project: int
    user: int
    since: datetime
    by_source: Mapping[str, int]


@transaction.atomic
def recut(*, pool: int, at: datetime, holdings: Iterable[Holding]) -> None:
    """From `at` on the pool's runs hold just this. What is open and differs is closed at `at` and opened anew.

    A run's first interval begins at its own start (`since`), even when that is heard of late; an event that is older
    than an interval's beginning cuts nothing that has passed, it corrects the open row.
    """
    at = at.replace(microsecond=0)
    wanted = {
        (holding.run, source): (holding, grains) for holding in holdings for source, grains in holding.by_source.items()
    }
    known = set(UsageInterval.objects.filter(run__in={run for run, _ in wanted}).values_list("run", flat=True))
    stale: list[UsageInterval] = []
    for row in UsageInterval.objects.open().filter(pool=pool):
        holding, grains = wanted.get((row.run, row.source), (None, 0))
        if holding is not None and grains == row.grains:
            del wanted[(row.run, row.source)]
        else:
            stale.append(row)
    closed = _close(stale, at)
    UsageInterval.objects.bulk_create(
        UsageInterval(
            run=run,
            job=holding.job,
            team_id=holding.team,
            project_id=holding.project,
            user_id=holding.user,
            pool_id=pool,
            source=source,
            grains=grains,
            since=max(at, closed.get(run, at)) if run in known else holding.since.replace(microsecond=0),
        )
        for (run, source), (holding, grains) in wanted.items()
        if grains > 0
    )


@transaction.atomic
def close(*, run: int, at: datetime) -> None:
    """The run has ended: its intervals end then."""
    _close(list(UsageInterval.objects.open().filter(run=run)), at.replace(microsecond=0))


def _close(rows: list[UsageInterval], at: datetime) -> dict[int, datetime]:
    """Ends these at `at`; one that would last no second never was. Returns where a run goes on if not at `at`."""
    goes_on: dict[int, datetime] = {}
    for row in rows:
        goes_on[row.run] = max(goes_on.get(row.run, at), row.since)
        if row.since >= at:
            UsageInterval.objects.filter(pk=row.pk, until__isnull=True).delete()
        else:
            UsageInterval.objects.filter(pk=row.pk, until__isnull=True).update(until=at)
    return goes_on
