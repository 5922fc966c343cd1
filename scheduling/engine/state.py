"""One pool as it fills and empties: nodes, quota tree and the jobs that hold capacity, always in step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scheduling.engine.amounts import GRAINS_PER_NPU
from scheduling.engine.entitlement import QuotaTree
from scheduling.engine.placement import Floor
from scheduling.engine.situation import Held, Pool, Running, Situation


@dataclass(slots=True, kw_only=True)
class Holding:
    """A job that has capacity, in the real present or in a simulated future."""

    job: int
    team: int
    held: Sequence[Held]
    grains: int
    started: int
    ends: int | None
    """None: nobody knows."""
    rank: int
    preemptible: bool
    exclusive: bool


class PoolState:
    def __init__(self, situation: Situation, pool: Pool) -> None:
        running = [job for job in situation.running if job.pool == pool.id]
        waiting = [job for job in situation.waiting if job.pool == pool.id]
        self.pool = pool
        self.floor = Floor(node for node in situation.nodes if node.pool == pool.id)
        self.tree = QuotaTree(
            (share for share in situation.shares if share.pool == pool.id),
            teams=[*(job.team for job in running), *(job.team for job in waiting)],
            capacity=self.capacity,
        )
        self.used = 0
        self.running: dict[int, Holding] = {}
        away = {node.id for node in situation.nodes if node.cluster in situation.clusters_away}
        for job in sorted(running, key=lambda job: job.id):
            self.hold(holding_of(job, now=situation.now, away=away))

    @property
    def idle(self) -> int:
        """Grains that could be given out now. Less than what is free on nodes while a lost node's jobs still count."""
        return max(0, min(self.floor.free * GRAINS_PER_NPU, self.floor.capacity * GRAINS_PER_NPU - self.used))

    @property
    def capacity(self) -> int:
        return self.floor.capacity * GRAINS_PER_NPU

    def hold(self, holding: Holding) -> None:
        for held in holding.held:
            self.floor.take(held, exclusive=holding.exclusive)
        self._count(holding, sign=1)
        self.running[holding.job] = holding

    def release(self, job: int) -> Holding:
        holding = self.running.pop(job)
        for held in holding.held:
            self.floor.give_back(held, exclusive=holding.exclusive)
        self._count(holding, sign=-1)
        return holding

    def _count(self, holding: Holding, *, sign: int) -> None:
        self.used += sign * holding.grains
        self.tree.add(holding.team, sign * holding.grains)
        self.tree.teams[holding.team].running += sign
        if self.capacity != self.tree.capacity:  # what ended on a closed node is no capacity any more
            self.tree.set_capacity(self.capacity)


def holding_of(job: Running, *, now: int, away: Iterable[int]) -> Holding:
    """A job past its limit ends any moment now; one on a cluster that does not answer, nobody knows when."""
    unseen = any(held.node in away for held in job.held)
    return Holding(
        job=job.id,
        team=job.team,
        held=job.held,
        grains=sum(held.grains for held in job.held),
        started=job.started,
        ends=None if unseen or job.ends_by is None else max(now, job.ends_by),
        rank=job.rank,
        preemptible=job.preemptible,
        exclusive=job.whole_node,
    )
