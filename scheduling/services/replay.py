"""The engine over a stretch of time, in memory: given who submits what and how long each runs, who starts when, on whose quota.

Nothing of it touches rows or a cluster. Times are whole epoch seconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from portal.kit import clock
from scheduling import engine, snapshot
from scheduling.engine.decisions import Split, Start
from scheduling.engine.situation import Held, Running, Situation, Waiting
from scheduling.models import Job

ARRIVES, ENDS = 1, 0  # of one second: first what frees capacity


@dataclass(slots=True)
class Passage:
    """One job's way: where it ran, from when to when, and on whose quota in between."""

    started: int
    placement: tuple[Held, ...]
    ended: int | None = None
    stretches: list[tuple[int, int, Split]] = field(default_factory=list)


class Replay:
    def __init__(self, base: Situation, seconds: Mapping[int, int]) -> None:
        self.base, self.seconds = base, seconds
        self.waiting: dict[int, Waiting] = {}
        self.running: dict[int, Running] = {}
        self.passages: dict[int, Passage] = {}
        self.splits: dict[int, tuple[int, Split]] = {}

    def situation(self, now: int) -> Situation:
        return replace(self.base, now=now, running=tuple(self.running.values()), waiting=tuple(self.waiting.values()))

    def start(self, start: Start, now: int) -> int:
        """Returns when it ends."""
        job = self.waiting.pop(start.job)
        limit = None if job.seconds is None else now + job.seconds
        self.running[job.id] = Running(
            id=job.id, team=job.team, user=job.user, pool=job.pool, partition=job.partition,
            held=start.placement, started=now, ends_by=limit, rank=job.rank, preemptible=job.preemptible,
        )  # fmt: skip
        self.passages[job.id] = Passage(now, start.placement)
        ends = now + self.seconds[job.id]
        return ends if limit is None else min(ends, limit)

    def end(self, job: int, now: int) -> None:
        self.cut(job, now)
        del self.running[job]
        self.passages[job].ended = now

    def cut(self, job: int, now: int) -> None:
        since, split = self.splits.pop(job, (now, None))
        if split is not None and now > since:
            self.passages[job].stretches.append((since, now, split))

    def label(self, now: int) -> None:
        _, splits = engine.ledger(self.situation(now))
        for job, split in splits.items():
            if job in self.splits and self.splits[job][1] == split:
                continue
            self.cut(job, now)
            self.splits[job] = (now, split)


def run(jobs: Iterable[Job], *, seconds: Mapping[int, int], until: datetime) -> dict[int, Passage]:
    """Passages by job id. What would still run at `until` ends then; what would still wait has none."""
    arrivals = [snapshot.waiting_of(job) for job in jobs]
    replay = Replay(snapshot.bare(until), seconds)
    end = clock.epoch(until)
    events: list[tuple[int, int, int]] = [(job.submitted, ARRIVES, position) for position, job in enumerate(arrivals)]
    heapq.heapify(events)
    while events and events[0][0] < end:
        now = events[0][0]
        while events and events[0][0] == now:
            _, kind, which = heapq.heappop(events)
            if kind == ENDS:
                replay.end(which, now)
            else:
                replay.waiting[arrivals[which].id] = arrivals[which]
        for start in engine.plan(replay.situation(now)).starts:
            heapq.heappush(events, (replay.start(start, now), ENDS, start.job))
        replay.label(now)
    for job in list(replay.running):
        replay.end(job, end)
    return replay.passages
