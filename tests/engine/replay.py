"""What becomes of a situation: starts made real, jobs that end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scheduling.engine.decisions import Plan
from scheduling.engine.situation import Held, Running, Situation, Waiting


def after_starts(have: Situation, plan: Plan) -> Situation:
    """The same moment, once the plan's starts have been made."""
    waiting = {job.id: job for job in have.waiting}
    starting = [_running(waiting.pop(start.job), start.placement, have) for start in plan.starts]
    return replace(have, running=(*have.running, *starting), waiting=tuple(waiting.values()))


def without(have: Situation, ended: Iterable[int], *, at: int) -> Situation:
    gone = set(ended)
    return replace(have, now=at, running=tuple(job for job in have.running if job.id not in gone))


def next_moment(have: Situation) -> int | None:
    """When the next thing happens by itself: a job reaches its limit, or the earliest begin of another."""
    ends = [max(have.now, job.ends_by) for job in have.running if job.ends_by is not None]
    begins = [job.not_before for job in have.waiting if job.not_before is not None and job.not_before > have.now]
    return min([*ends, *begins], default=None)


def at_limit(have: Situation, *, at: int) -> list[int]:
    return [job.id for job in have.running if job.ends_by is not None and job.ends_by <= at]


def _running(job: Waiting, placement: tuple[Held, ...], have: Situation) -> Running:
    partition = next(each for each in have.partitions if each.id == job.partition)
    limit = job.seconds if job.seconds is not None else partition.max_seconds
    return Running(
        id=job.id,
        team=job.team,
        user=job.user,
        pool=job.pool,
        partition=job.partition,
        held=placement,
        started=have.now,
        ends_by=None if limit is None else have.now + limit,
        rank=job.rank,
        preemptible=job.preemptible,
        whole_node=job.whole_node,
    )
