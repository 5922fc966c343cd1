"""What backends say → rows. An observation may come twice or late: the states are compared and set, usage is cut by time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

import structlog
from django.db import transaction

from accounting.services import usage
from npu_inventory import models as inventory
from npu_inventory.services import clusters
from portal.kit.wake import wake
from scheduling import engine, snapshot
from scheduling.backends.base import BackendError, Ending, Observation, Phase, RunRef
from scheduling.connect import backend_of
from scheduling.models import Allocation, Job, Run, State, move

log = structlog.get_logger(__name__)

JOB_STATE = {
    Ending.SUCCEEDED: State.SUCCEEDED,
    Ending.FAILED: State.FAILED,
    Ending.TIMED_OUT: State.TIMED_OUT,
    Ending.CANCELLED: State.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class Event:
    """A run began or ended, at the backend's time."""

    at: datetime
    ends: bool
    run: Run
    seen: Observation


@dataclass(frozen=True, slots=True)
class Cut:
    """Something else that changes sources from a moment on, such as a quota that begins: it takes its turn by time."""

    at: datetime
    take_effect: Callable[[], object]


def run(now: datetime, *, cuts: Sequence[Cut] = ()) -> int:
    """One round over all clusters; returns the number of events that changed something."""
    changed = 0
    ahead = deque(sorted(cuts, key=lambda cut: cut.at))
    for (pool, second), events in groupby(_look(now), key=_moment):
        while ahead and ahead[0].at <= second:
            ahead.popleft().take_effect()
        changed += _take_in(pool, second, list(events))
    for cut in ahead:
        cut.take_effect()
    if changed:
        wake("scheduling.run_pass")
    return changed


def _look(now: datetime) -> list[Event]:
    """What all clusters that answer have to tell, in the order in which it happened."""
    events: list[Event] = []
    for cluster in inventory.Cluster.objects.filter(enabled=True):
        runs = list(Run.objects.alive().filter(cluster=cluster).exclude(backend_id="").select_related("job"))
        if not runs:
            continue
        try:
            seen = backend_of(cluster).observe([RunRef(run=run.uuid, backend_id=run.backend_id) for run in runs])
        except BackendError as error:
            log.warning("cluster_away", cluster=cluster.name, code=error.code, detail=error.detail)
            clusters.away(cluster, why=str(error), now=now)
            continue
        clusters.reached(cluster, now=now)
        events += _events(runs, seen, now)
    return sorted(events, key=_order)


def _events(runs: Sequence[Run], seen: Sequence[Observation], now: datetime) -> list[Event]:
    by_uuid = {run.uuid: run for run in runs}
    events = []
    for observation in seen:
        run = by_uuid[observation.run]
        began, over = observation.started_at, observation.phase in (Phase.ENDED, Phase.LOST)
        if began and run.state == Run.State.STARTING:
            events.append(Event(began, False, run, observation))
        if over:
            ended = observation.ended_at or now
            events.append(Event(max(ended, began or ended), True, run, observation))
    return events


def _order(event: Event) -> tuple[datetime, int, datetime, int]:
    """By second and pool; of one moment first what frees capacity; a run that only flashed begins before it ends."""
    pool, second = _moment(event)
    turn = 1 if not event.ends else 2 if event.seen.started_at == event.at else 0
    return second, pool, event.at, turn


def _moment(event: Event) -> tuple[int, datetime]:
    """Usage is counted in whole seconds: what happens to a pool in one of them is cut once."""
    return event.run.job.pool_id, event.at.replace(microsecond=0)


@transaction.atomic
def _take_in(pool: int, second: datetime, events: Sequence[Event]) -> int:
    """The events of a second: runs, jobs, what they hold, and the usage of everybody whose source changes by it."""
    inventory.Pool.objects.select_for_update().get(pk=pool)
    changed = sum(_end(event) if event.ends else _begin(event) for event in events)
    if changed:
        recut(pool=pool, at=second)
        inventory.Pool.touch(pool)
    return changed


def _begin(event: Event) -> bool:
    run, at = event.run, event.at
    if not Run.objects.filter(pk=run.pk, state=Run.State.STARTING).update(state=Run.State.RUNNING, started_at=at):
        return False
    run.state, run.started_at = Run.State.RUNNING, at
    job = Job.objects.select_for_update().get(pk=run.job_id)
    if job.state == State.SUBMITTED:
        move(job, to=State.RUNNING, run=run, at=at, started_at=at)
    else:
        Job.objects.filter(pk=job.pk).update(started_at=at)
    return True


def _end(event: Event) -> bool:
    run, seen, at = event.run, event.seen, event.at
    ending = seen.ending or Ending.FAILED  # lost: gone without a trace
    began = Run.objects.values_list("started_at", flat=True).get(pk=run.pk)
    if (
        not Run.objects.alive()
        .filter(pk=run.pk)
        .update(
            state=Run.State.ENDED if began else Run.State.NEVER,
            ended_at=at,
            ending=ending,
            exit_code=seen.exit_code,
            signal=seen.signal,
            reason=seen.reason[:40],
            detail=seen.detail[:500],
        )
    ):
        return False
    Allocation.objects.held().filter(run=run).update(released_at=at)
    usage.close(run=run.pk, at=at)
    _end_job(Job.objects.select_for_update().get(pk=run.job_id), run, seen, ending, at)
    return True


def _end_job(job: Job, run: Run, seen: Observation, ending: Ending, at: datetime) -> None:
    if not job.is_with_backend:
        return  # cancelled before the backend had begun it; only what it held was waited for
    facts = {"exit_code": seen.exit_code, "signal": seen.signal, "detail": seen.detail[:500]}
    why = seen.reason or ending.value
    move(
        job, to=JOB_STATE[ending], run=run, why=why, facts=facts, at=at,
        ended_at=at, exit_code=seen.exit_code, ended_why=why, ended_facts=facts, on_own=0, on_elastic=0, on_borrowed=0,
    )  # fmt: skip


def recut(*, pool: int, at: datetime) -> None:
    """Cuts the pool's usage at this moment to what the ledger makes of the runs that have started and not ended."""
    runs = list(Run.objects.started_in(pool).with_light_job())
    _, splits = engine.ledger(snapshot.of_started(at, pool=pool, runs=runs))
    usage.recut(
        pool=pool,
        at=at,
        holdings=[
            usage.Holding(
                run=run.pk,
                job=run.job_id,
                team=run.job.team_id,
                project=run.job.project_id,
                user=run.job.user_id,
                since=run.started_at or at,
                by_source=splits[run.job_id].by_source,
            )
            for run in runs
            if run.job.grains
        ],
    )


def settle(*, pool: int, at: datetime) -> None:
    """After a change of quotas: the sources of what runs may be others from now on."""
    with transaction.atomic():
        inventory.Pool.objects.select_for_update().get(pk=pool)
        recut(pool=pool, at=at)
