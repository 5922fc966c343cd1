"""Whose turn it is: own before loan, then priority, then submit time, then id."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scheduling.engine.amounts import GRAINS_PER_NPU
from scheduling.engine.entitlement import QuotaNode
from scheduling.engine.placement import Need, need_of
from scheduling.engine.situation import Partition, Waiting
from scheduling.engine.state import PoolState

Turn = tuple[int, int, int]
"""Sorts jobs within a class."""


def turn_of(job: Waiting) -> Turn:
    return (-job.priority, job.submitted, job.id)


@dataclass(slots=True, kw_only=True, eq=False)
class Lane:
    """Waiting jobs of one team and one shape, in their order: what refuses the first refuses them all."""

    team: int
    quota: QuotaNode
    partition: Partition
    need: Need
    asked: int
    """Grains that one of them takes at the least."""
    possible: bool
    """Whether the partition's nodes could hold one of them if they were all empty and open."""
    own_only: bool
    """Set by the user, or because a job that may not be recalled never stands on a loan."""
    waiting: list[Waiting] = field(default_factory=list)
    """In their order, the next one last, so that serving it is cheap."""
    first: Waiting | None = None
    turn: Turn = (0, 0, 0)
    """Of the first."""

    def join(self, jobs: Iterable[Waiting]) -> None:
        self.waiting += jobs
        self.waiting.sort(key=turn_of, reverse=True)
        self._look_up_first()

    def serve(self) -> None:
        self.waiting.pop()
        self._look_up_first()

    def _look_up_first(self) -> None:
        self.first = self.waiting[-1] if self.waiting else None
        if self.first is not None:
            self.turn = turn_of(self.first)


class Queue:
    """All lanes of one pool."""

    def __init__(self, state: PoolState, partitions: dict[int, Partition]) -> None:
        self._state = state
        self._partitions = partitions
        self._lanes: dict[object, Lane] = {}
        self._opened: dict[int, int] = {}

    @property
    def lanes(self) -> list[Lane]:
        return list(self._lanes.values())

    def add(self, jobs: Iterable[Waiting]) -> None:
        joining: dict[Lane, list[Waiting]] = {}
        for job in jobs:
            joining.setdefault(self.lane_of(job), []).append(job)
        for lane, its_jobs in joining.items():
            lane.join(its_jobs)

    def lane_of(self, job: Waiting) -> Lane:
        own_only = job.own_only or not job.preemptible
        shape = (
            job.team,
            job.partition,
            job.nodes_min,
            job.nodes_max,
            job.npus_per_node,
            job.cpus_per_node,
            job.memory_mb_per_node,
            job.whole_node,
            job.nodes_only,
            job.nodes_not,
            own_only,
        )
        lane = self._lanes.get(shape)
        if lane is None:
            partition = self._partitions[job.partition]
            if partition.id not in self._opened:
                self._opened[partition.id] = self._state.floor.mask(partition.nodes)
            need = need_of(job, opened=self._opened[partition.id], floor=self._state.floor)
            lane = self._lanes[shape] = Lane(
                team=job.team,
                quota=self._state.tree.teams[job.team],
                partition=partition,
                need=need,
                asked=self._state.floor.asked(need) * GRAINS_PER_NPU,
                possible=self._state.floor.fits_when_empty(need),
                own_only=own_only,
            )
        return lane


class Round:
    """Gives lanes their turns, each time to the one whose first job is next."""

    def __init__(self, lanes: Iterable[Lane]) -> None:
        self._heap = [(lane.turn, lane) for lane in lanes if lane.first is not None]
        heapq.heapify(self._heap)

    def __iter__(self) -> Iterator[tuple[Lane, Waiting]]:
        """A lane comes again only when its last turn started a job: capacity only shrinks within a pass."""
        while self._heap:
            _, lane = heapq.heappop(self._heap)
            job = lane.first
            if job is None:
                continue
            yield lane, job
            if lane.first is not None and lane.first is not job:
                heapq.heappush(self._heap, (lane.turn, lane))
