"""How it is now: who holds and who waits, pool by pool, in one look; what tells a poll whether anything has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, Q, Sum

from accounting.models import User
from accounting.services.quotas import capacity
from npu_inventory.models import Pool
from scheduling.models import Job, State
from scheduling.models.job import ENDED, HOLDING, STARTING


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """Of all jobs that have not ended: sums by pool and state, as `look` names them; `mine` are of who looks."""

    rows: tuple[dict[str, Any], ...]
    versions: tuple[tuple[int, int], ...]
    """Of the pools, by their keys."""

    def sum(self, column: str, states: Collection[State], *, pool: int | None = None) -> int:
        """Over all pools where none is named."""
        chosen = (row for row in self.rows if row["state"] in states and pool in (None, row["pool"]))
        return sum(row[column] or 0 for row in chosen)

    def pulse(self, now: datetime) -> str:
        """Another one whenever a job changed its state, place, reason or source, one came or went, a pool moved, or a
        minute has passed."""
        rows = sorted(repr(sorted(row.items())) for row in self.rows)
        return hashlib.sha256(repr((int(now.timestamp()) // 60, self.versions, rows)).encode()).hexdigest()[:20]


def look(user: User) -> Present:
    alive = [state for state in State if state not in ENDED]
    counted = Job.objects.filter(state__in=alive).order_by().values("pool", "state")
    sums = counted.annotate(
        jobs=Count("pk"),
        mine=Count("pk", filter=Q(user=user)),
        of_grains=Sum("grains"),
        own=Sum("on_own"),
        borrowed=Sum(F("on_elastic") + F("on_borrowed")),
        moved_at=Max("state_since"),
        judged=Max("judged_at"),
    )
    versions = Pool.objects.order_by("pk").values_list("pk", "version")
    return Present(rows=tuple(dict(row) for row in sums), versions=tuple(versions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """With a person's own jobs, and with a pool (amounts in grains; held jobs are not counted)."""

    starting: int
    running: int
    waiting: int
    waiting_grains: int
    holding: int
    own: int
    borrowed: int
    capacity: int

    @property
    def free(self) -> int:
        return max(0, self.capacity - self.own - self.borrowed)


def figures(present: Present, pool: Pool | None) -> Figures:
    number = pool.pk if pool else 0
    queued = (State.QUEUED,)
    return Figures(
        starting=present.sum("mine", STARTING),
        running=present.sum("mine", (State.RUNNING, State.STOPPING)),
        waiting=present.sum("jobs", queued, pool=number),
        waiting_grains=present.sum("of_grains", queued, pool=number),
        holding=present.sum("jobs", HOLDING, pool=number),
        own=present.sum("own", HOLDING, pool=number),
        borrowed=present.sum("borrowed", HOLDING, pool=number),
        capacity=capacity(pool) if pool else 0,
    )
