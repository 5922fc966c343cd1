"""Plan → rows: decisions, loans, commands and reasons, in one transaction.

A plan is made on versions of pools. If a pool has moved since, its decisions are dropped, the next pass makes new ones;
if only one job has moved (cancelled, held), only that job's start is dropped.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction

from accounting.services import loans
from npu_inventory import models as inventory
from portal.kit import clock
from portal.kit.errors import Conflict
from portal.kit.grains import GRAINS_PER_NPU
from scheduling.engine.decisions import Plan, Split, Start, Wait
from scheduling.engine.situation import Situation
from scheduling.models import Allocation, Command, Job, Pass, Run, State, move


@transaction.atomic
def commit(plan: Plan, situation: Situation, *, record: Pass) -> Pass:
    now = record.started_at
    rows = inventory.Pool.objects.select_for_update().filter(pk__in=plan.versions).order_by("id")
    fresh = {pool.pk for pool in rows if pool.version == plan.versions[pool.pk]}
    started: list[Start] = []
    npus = _npu_ids(plan)
    clusters = {partition.id: partition.cluster for partition in situation.partitions}
    jobs = Job.objects.in_bulk([start.job for start in plan.starts])
    for start in plan.starts:
        job = jobs.get(start.job)
        if start.pool in fresh and job and _start(job, start, cluster=clusters[job.partition_id], npus=npus, now=now):
            started.append(start)
    pools = {job.id: job.pool for job in situation.running} | {job.id: job.pool for job in situation.waiting}
    _tell_the_others(plan, pools=pools, fresh=fresh, now=now)
    _tell_splits({job: split for job, split in plan.splits.items() if pools[job] in fresh})
    dropped = len(plan.starts) - len(started)
    if not dropped:
        for pool in fresh:
            loans.record(pool=pool, at=now, ledger=_ledger(plan, pool))
    inventory.Pool.touch(*{start.pool for start in started})
    record.starts, record.dropped = len(started), dropped
    record.versions = {str(pool): version for pool, version in plan.versions.items()}
    record.save()
    return record


def _start(job: Job, start: Start, *, cluster: int, npus: dict[tuple[int, int], int], now: datetime) -> bool:
    """Admits one job: its run, what it holds, the command to its backend. False if the job or a card is taken."""
    try:
        with transaction.atomic():
            run = Run.objects.create(job=job, cluster_id=cluster, attempt=job.attempts + 1, created_at=now)
            Allocation.objects.bulk_create(_allocations(run, start, npus))
            Command.objects.create(run=run, kind=Command.Kind.SUBMIT, next_at=now, made_at=now)
            split = start.split
            move(
                job, to=State.ADMITTED, run=run, at=now, attempts=job.attempts + 1,
                on_own=split.guaranteed, on_elastic=split.elastic, on_borrowed=split.borrowed,
            )  # fmt: skip
    except (Conflict, IntegrityError):
        return False
    return True


def _allocations(run: Run, start: Start, npus: dict[tuple[int, int], int]) -> list[Allocation]:
    rows = []
    for held in start.placement:
        cards: list[int | None] = [npus[held.node, index] for index in held.npus] or [None]
        for position, npu in enumerate(cards):
            rows.append(
                Allocation(
                    run=run,
                    node_id=held.node,
                    npu_id=npu,
                    grains=GRAINS_PER_NPU if npu else 0,
                    cpus=held.cpus if position == 0 else 0,
                    memory_mb=held.memory_mb if position == 0 else 0,
                )
            )
    return rows


def _npu_ids(plan: Plan) -> dict[tuple[int, int], int]:
    nodes = {held.node for start in plan.starts for held in start.placement}
    rows = inventory.NPU.objects.filter(node__in=nodes).values_list("node", "index", "id")
    return {(node, index): npu for node, index, npu in rows}


def _tell_the_others(plan: Plan, *, pools: Mapping[int, int], fresh: set[int], now: datetime) -> None:
    """Writes the reasons that changed, and only on jobs that still wait. In bulk: one start moves everybody's place."""
    waits = {wait.job: wait for wait in plan.waits if pools[wait.job] in fresh}
    told = Job.objects.filter(state=State.QUEUED).values_list("pk", *WAIT_COLUMNS)
    changed = []
    for number, *stored in told:
        if number in waits:
            columns = _wait_columns(waits[number])
            if columns != stored:
                changed.append([*columns, now, number])
    if changed:
        with connection.cursor() as cursor:
            cursor.executemany(TELL, [[_adapted(value) for value in row] for row in changed])


WAIT_COLUMNS = ("wait_reason", "wait_facts", "place", "expected_at", "expected_on", "expected_after")
TELL = (
    "UPDATE scheduling_job SET wait_reason = %s, wait_facts = %s, place = %s, expected_at = %s, expected_on = %s,"
    " expected_after = %s, judged_at = %s WHERE id = %s AND state = 'queued'"
)


def _wait_columns(wait: Wait) -> list[Any]:
    expected = wait.expected
    return [
        wait.reason.value,
        dict(wait.facts),
        wait.place,
        clock.from_epoch(expected.at) if expected.at is not None else None,
        expected.assumption.value,
        list(expected.after),
    ]


def _adapted(value: Any) -> Any:
    """As the database's driver takes it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return json.dumps(value) if isinstance(value, (dict, list)) else value


def split_columns(split: Split) -> dict[str, int]:
    return {"on_own": split.guaranteed, "on_elastic": split.elastic, "on_borrowed": split.borrowed}


def _tell_splits(splits: Mapping[int, Split]) -> None:
    """Keeps on each holding job whose quota it is on, for pages."""
    changed = []
    for job in Job.objects.filter(pk__in=list(splits)).only("id", "on_own", "on_elastic", "on_borrowed"):
        columns = split_columns(splits[job.pk])
        if any(getattr(job, name) != value for name, value in columns.items()):
            for name, value in columns.items():
                setattr(job, name, value)
            changed.append(job)
    Job.objects.bulk_update(changed, ["on_own", "on_elastic", "on_borrowed"], batch_size=500)


def _ledger(plan: Plan, pool: int) -> dict[loans.LoanKey, int]:
    sums: dict[loans.LoanKey, int] = defaultdict(int)
    for loan in plan.loans:
        if loan.pool == pool:
            sums[loan.lender, loan.borrower, loan.job] += loan.grains
    return dict(sums)
