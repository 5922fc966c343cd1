"""The outbox → backends. What is to be told stands in rows; carrying a command out twice does no harm.

A worker takes a command by a lease: it moves `next_at` ahead by compare-and-set, tells the backend outside of any
transaction, then writes the result. If it dies in between, the lease runs out and another tells the backend again,
which knows the run by its uuid.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from npu_inventory import models as inventory
from portal.kit import clock
from portal.kit.errors import Conflict
from portal.kit.wake import wake
from scheduling.backends.base import Backend, BackendError, Order, Place, RunRef
from scheduling.connect import backend_of
from scheduling.jobspec import JobSpec
from scheduling.models import Allocation, Command, Job, Run, State, move

LEASE = timedelta(seconds=15)
LONGEST_BACK_OFF = 60
FAULT = "fault"
"""Code of what no backend said: a mistake of the portal's own, or rows that do not fit together."""
FAULTS_BORNE = 20
"""Tries of a submission, a quarter of an hour, before its job is told that it cannot be sent."""
log = structlog.get_logger(__name__)


def run(now: datetime, *, limit: int = 500) -> int:
    """Carries out what is due; returns how many commands it took."""
    taken = 0
    for command in Command.objects.due(now).select_related("run__job", "run__cluster")[:limit]:
        lease = clock.now() + LEASE
        mine = Command.objects.filter(pk=command.pk, state=Command.State.PENDING, next_at=command.next_at)
        if mine.update(next_at=lease, tries=command.tries + 1):
            command.next_at, command.tries = lease, command.tries + 1
            _carry_out(command)
            taken += 1
    return taken


def _carry_out(command: Command) -> None:
    try:
        backend = backend_of(command.run.cluster)
        if command.kind == Command.Kind.SUBMIT:
            told_at = clock.now()
            _sent(command, backend.submit(order_for(command.run)), told_at)
        else:
            _cancel(command, backend)
    except BackendError as error:
        log.warning("command_failed", command=command.pk, kind=command.kind, code=error.code, detail=error.detail)
        if error.retryable:
            _later(command, str(error))
        else:
            _refused(command, error)
    except Exception:  # whatever ails this command, those behind it are carried out
        log.exception("command_fault", command=command.pk, kind=command.kind, tries=command.tries)
        if command.kind == Command.Kind.SUBMIT and command.tries >= FAULTS_BORNE:
            _refused(command, BackendError(FAULT, retryable=False))
        else:
            _later(command, FAULT)


def _cancel(command: Command, backend: Backend) -> None:
    run = Run.objects.get(pk=command.run_id)
    unsent = run.commands.filter(kind=Command.Kind.SUBMIT, state=Command.State.PENDING).exists()
    if unsent and run.state not in Run.OVER:
        _later(command, "waits for its submission to be settled")
        return
    backend.cancel(RunRef(run=run.uuid, backend_id=run.backend_id or None), grace_seconds=run.cluster.grace_seconds)
    _done(command)


def order_for(run: Run) -> Order:
    """All that the backend needs. A placement is written when the job is admitted, so it never changes for a run."""
    job = run.job
    spec = JobSpec.from_dict(job.spec)
    return Order(
        run=run.uuid,
        job=job.pk,
        attempt=run.attempt,
        name=job.name,
        user=job.user.username,
        team=job.team.slug,
        partition=job.partition.name,
        script=job.script,
        places=places_of(run),
        tasks=spec.main.tasks,
        tasks_per_node=spec.main.tasks_per_node,
        cpus_per_task=spec.main.cpus_per_task,
        time_limit_seconds=job.time_limit_seconds,
        grace_seconds=run.cluster.grace_seconds,
        output=spec.output,
        error=spec.error,
        signal=spec.signal.text if spec.signal else None,
    )


def places_of(run: Run) -> tuple[Place, ...]:
    nodes: dict[str, list[Allocation]] = {}
    for row in Allocation.objects.filter(run=run).select_related("node", "npu").order_by("node__name", "npu__index"):
        nodes.setdefault(row.node.name, []).append(row)
    return tuple(
        Place(
            node=name,
            npus=tuple(row.npu.index for row in rows if row.npu is not None),
            cpus=sum(row.cpus for row in rows),
            memory_mb=sum(row.memory_mb for row in rows),
        )
        for name, rows in nodes.items()
    )


@transaction.atomic
def _sent(command: Command, backend_id: str, told_at: datetime) -> None:
    """The backend has the run. If its job was cancelled meanwhile, the cancel command follows by itself."""
    _done(command)
    Run.objects.filter(pk=command.run_id, backend_id="").update(backend_id=backend_id)
    job = Job.objects.get(pk=command.run.job_id)
    if job.state == State.ADMITTED and job.attempts == command.run.attempt:
        try:
            with transaction.atomic():
                move(job, to=State.SUBMITTED, run=command.run, at=told_at)
        except Conflict:
            log.info("job_moved_while_sent", job=job.pk)
    wake("scheduling.observe")


def _done(command: Command) -> None:
    Command.objects.filter(pk=command.pk, state=Command.State.PENDING).update(
        state=Command.State.DONE, done_at=clock.now(), last_error=""
    )


def _later(command: Command, why: str) -> None:
    """Back-off 1, 2, 4, ... 60 s. The command stays for as long as it takes; pages show its last error."""
    wait = timedelta(seconds=min(LONGEST_BACK_OFF, 2 ** min(command.tries - 1, 6)))
    Command.objects.filter(pk=command.pk, state=Command.State.PENDING).update(
        next_at=clock.now() + wait, last_error=why[:300]
    )


@transaction.atomic
def _refused(command: Command, error: BackendError) -> None:
    """For ever. A refused submission fails its job with the backend's words."""
    now = clock.now()
    inventory.Pool.objects.select_for_update().get(pk=command.run.job.pool_id)  # before the job's row
    changed = Command.objects.filter(pk=command.pk, state=Command.State.PENDING).update(
        state=Command.State.FAILED, done_at=now, last_error=str(error)[:300]
    )
    if not changed or command.kind != Command.Kind.SUBMIT:
        return
    end_unstarted(command.run, reason=error.code, detail=error.detail, now=now)
    job = Job.objects.get(pk=command.run.job_id)
    if job.state in (State.ADMITTED, State.SUBMITTED):
        facts = {"detail": error.detail}
        move(
            job, to=State.FAILED, run=command.run, why=error.code, facts=facts,
            ended_at=now, ended_why=error.code, ended_facts=facts,
        )  # fmt: skip


def end_unstarted(run: Run, *, reason: str, detail: str = "", now: datetime) -> bool:
    """A run that the backend never began: what it held is free at once."""
    if not Run.objects.filter(pk=run.pk, state=Run.State.STARTING).update(
        state=Run.State.NEVER, ended_at=now, reason=reason[:40], detail=detail[:500]
    ):
        return False
    Allocation.objects.held().filter(run=run).update(released_at=now)
    inventory.Pool.touch(run.job.pool_id)
    wake("scheduling.run_pass")
    return True
