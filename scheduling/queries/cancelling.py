"""What cancelling would do to whom, before anybody does it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounting.models import User
from portal.kit.access import May
from scheduling.models import Job, State
from scheduling.models.job import ENDED
from scheduling.queries.queue import UNREAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A job that has begun: how long it has worked on what."""

    job: Job
    seconds: int
    grace_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelPlan:
    leaves: tuple[Job, ...]
    """These wait, or were never begun: they only leave the queue."""
    stops: tuple[Loss, ...]
    spared: int
    """How many of the chosen have ended, are stopping already or are not this person's to cancel."""

    @property
    def jobs(self) -> tuple[Job, ...]:
        return (*self.leaves, *(loss.job for loss in self.stops))


def plan(user: User, numbers: Iterable[int], *, now: datetime) -> CancelPlan:
    wanted = set(numbers)
    jobs = Job.objects.where(user, May.OPERATE).filter(pk__in=wanted).exclude(state__in=[*ENDED, State.STOPPING])
    found = list(jobs.with_people().select_related("partition__cluster").defer(*UNREAD).order_by("id"))
    running = [job for job in found if job.state == State.RUNNING]
    return CancelPlan(
        leaves=tuple(job for job in found if job.state != State.RUNNING),
        stops=tuple(
            Loss(
                job=job,
                seconds=max(0, int((now - (job.started_at or now)).total_seconds())),
                grace_seconds=job.partition.cluster.grace_seconds,
            )
            for job in running
        ),
        spared=len(wanted) - len(found),
    )
