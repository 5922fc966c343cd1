"""What people do with jobs: one transaction each, every change with its event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from accounting.models import Project, Quota, Team, User
from npu_inventory.models import Pool
from portal.kit import clock
from portal.kit.access import May
from portal.kit.errors import Conflict, Invalid, LimitReached, NotAllowed, PortalError
from portal.kit.wake import wake
from scheduling import dispatch, jobspec
from scheduling.models import Command, Job, JobEvent, Run, State, SubmitRequest, move
from scheduling.models.job import WAITING
from scheduling.queries.jobs import job_for
from scheduling.services import simulate

KEY_LIFE = timedelta(hours=24)


def submit(
    user: User,
    *,
    team: Team,
    project: Project | None,
    reading: jobspec.Reading,
    own_only: bool = False,
    resubmit_of: Job | None = None,
) -> Job:
    """Refuses what can never start, and says why; what can start some day is queued."""
    now = clock.now()
    draft = simulate.draft(user, team=team, project=project, reading=reading, own_only=own_only, now=now)
    never = simulate.never_starts(draft, now=now)
    if never is not None:
        raise Invalid(code=never.code, facts=never.facts)
    with transaction.atomic():
        _check_limits(draft)
        draft.resubmit_of = resubmit_of
        draft.findings = [finding.to_dict() for finding in reading.findings]
        draft.save(force_insert=True)
        facts = {"team": team.slug, "project": draft.project.slug}
        JobEvent.objects.create(job=draft, by=user, what="submitted", now=State.QUEUED, at=now, facts=facts)
        wake("scheduling.run_pass")
    return draft


def _check_limits(job: Job) -> None:
    """Limits of the team's quota that refuse rather than let wait. The pool's row makes two at once take turns."""
    Pool.objects.select_for_update().get(pk=job.pool_id)
    quota = Quota.objects.get(team=job.team, pool=job.pool)
    if quota.max_grains_per_job is not None and job.grains > quota.max_grains_per_job:
        raise LimitReached(code="npus_per_job", facts={"asked": job.grains, "limit": quota.max_grains_per_job})
    if quota.max_waiting_jobs is not None:
        waiting = Job.objects.filter(team=job.team, pool=job.pool, state__in=WAITING).count()
        if waiting >= quota.max_waiting_jobs:
            raise LimitReached(code="waiting_jobs", facts={"waiting": waiting, "limit": quota.max_waiting_jobs})


@transaction.atomic
def cancel(job: Job, *, by: User, why: str = "") -> Job:
    """Before its backend has it, it ends at once. After that the backend confirms, and it stays visible as stopping.

    Asked again of one that is stopping, nothing more happens: only the backend says that it has ended.
    """
    now = clock.now()
    Pool.objects.select_for_update().get(pk=job.pool_id)  # before the job's row, as everybody who takes both
    job.refresh_from_db()
    run = job.runs.alive().first()
    if job.state == State.STOPPING:
        return job
    if job.state in (State.SUBMITTED, State.RUNNING):
        move(job, to=State.STOPPING, by=by, what="cancel_asked", why=why, run=run, intent=Job.Intent.CANCEL)
    else:
        move(
            job, to=State.CANCELLED, by=by, why=why, run=run,
            ended_at=now, ended_why="cancelled", on_own=0, on_elastic=0, on_borrowed=0,
        )  # fmt: skip
    if run is not None:
        _call_back(run, now=now)
    wake("scheduling.run_pass")
    return job


def _call_back(run: Run, *, now: datetime) -> None:
    """A run that surely was not sent never will be; one that may have been is cancelled at its backend."""
    unsent = run.commands.filter(kind=Command.Kind.SUBMIT, state=Command.State.PENDING, tries=0)
    if unsent.update(state=Command.State.DROPPED, done_at=now):
        dispatch.end_unstarted(run, reason="cancelled", now=now)
        return
    Command.objects.get_or_create(run=run, kind=Command.Kind.CANCEL, defaults={"next_at": now, "made_at": now})
    wake("scheduling.dispatch")


@transaction.atomic
def hold(job: Job, *, by: User) -> Job:
    """Kept back until somebody releases it; it keeps its submit time."""
    held_by = Job.HeldBy.USER if by.pk == job.user_id or not by.is_operator else Job.HeldBy.OPERATOR
    move(job, to=State.HELD, by=by, held_by=held_by)
    wake("scheduling.run_pass")
    return job


@transaction.atomic
def release(job: Job, *, by: User) -> Job:
    """What an operator holds only an operator releases. What is not held is not released: it may be running."""
    if job.state != State.HELD:
        raise Conflict(code="not_in_this_state", facts={"job": job.pk, "state": job.state, "to": State.QUEUED.value})
    if job.held_by == Job.HeldBy.OPERATOR and not by.is_operator:
        raise NotAllowed(code="held_by_operator", facts={"job": job.pk})
    move(job, to=State.QUEUED, by=by, what="released")
    wake("scheduling.run_pass")
    return job


@dataclass(slots=True)
class BulkResult:
    done: list[int] = field(default_factory=list)
    refused: dict[int, PortalError] = field(default_factory=dict)


def cancel_many(user: User, numbers: Iterable[int], *, why: str = "") -> BulkResult:
    """Each for itself: one that moved on does not keep the others."""
    result = BulkResult()
    for number in dict.fromkeys(numbers):
        try:
            cancel(job_for(user, number, May.OPERATE), by=user, why=why)
            result.done.append(number)
        except PortalError as error:
            result.refused[number] = error
    return result


def submit_once(user: User, *, key: str, digest: str, make: Callable[[], Job]) -> tuple[Job, bool]:
    """The job of this key: made now (True) or found (False). Conflict if the key came with another body before.

    The key's row is written in the job's transaction, so that of two requests at once only one makes a job.
    """
    if not 1 <= len(key) <= 200:
        raise Invalid(code="idempotency_key", field="Idempotency-Key")
    now = clock.now()
    SubmitRequest.objects.filter(user=user, key=key, at__lt=now - KEY_LIFE).delete()
    try:
        with transaction.atomic():
            request = SubmitRequest.objects.create(user=user, key=key, digest=digest, at=now)
            request.job = make()
            request.save(update_fields=["job"])
            return request.job, True
    except IntegrityError:
        earlier = SubmitRequest.objects.select_related("job").filter(user=user, key=key).first()
    if earlier is None or earlier.job is None:
        raise Conflict(code="moved_on", facts={"job": ""})
    if earlier.digest != digest:
        raise Conflict(code="key_used_for_other_body", field="Idempotency-Key")
    return earlier.job, False
