"""The gates that a job passes to start, and the two rounds in which the waiting ones come to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scheduling.engine.amounts import GRAINS_PER_NPU
from scheduling.engine.decisions import Reason
from scheduling.engine.entitlement import available, over_borrow_limit, own_room, potential, reachable
from scheduling.engine.order import Lane, Round
from scheduling.engine.situation import Partition, Situation, Waiting
from scheduling.engine.state import Holding, PoolState

LANES_A_GLANCE = 16
"""How many lanes can be glanced at in the time of a close look."""


@dataclass(slots=True, kw_only=True)
class Admitted:
    job: Waiting
    holding: Holding


def barred(job: Waiting, *, partition: Partition, situation: Situation) -> Reason | None:
    """The gates that ask for no capacity."""
    if partition.cluster in situation.clusters_away:
        return Reason.CLUSTER_AWAY
    if not partition.open:
        return Reason.PARTITION_CLOSED
    if job.not_before is not None and job.not_before > situation.now:
        return Reason.NOT_YET
    if job.seconds is not None and partition.max_seconds is not None and job.seconds > partition.max_seconds:
        return Reason.TIME_LIMIT
    return None


def gate(lane: Lane, state: PoolState) -> Reason | None:
    """The first gate of quota or quantity that the lane's jobs fail now, in the order of `Reason`."""
    if not lane.possible:
        return Reason.IMPOSSIBLE
    quota = lane.quota
    if lane.asked > (quota.own if lane.own_only else potential(quota)):
        return Reason.BEYOND_POTENTIAL
    if quota.max_running is not None and quota.running >= quota.max_running:
        return Reason.RUNNING_LIMIT
    asked = asked_now(lane, state)
    return over_quota(lane, asked=asked, state=state) or (Reason.POOL_FULL if asked > state.idle else None)


def misfit(lane: Lane, state: PoolState) -> Reason | None:
    """The gate of placement, for what has passed the others."""
    if state.floor.find(lane.need) is not None:
        return None
    return Reason.NODE_RESOURCES if state.floor.fits_by_npus(lane.need) else Reason.FRAGMENTED


def over_quota(lane: Lane, *, asked: int, state: PoolState) -> Reason | None:
    quota = lane.quota
    if lane.own_only and quota.used + asked > quota.own:
        return Reason.OWN_FULL
    if not asked or asked <= available(quota):
        return None
    if over_borrow_limit(quota, asked) is not None:
        return Reason.BORROW_LIMIT
    # Without anything kept back, quota and NPUs run out together, and the NPUs are what people see.
    return Reason.NOTHING_TO_LEND if withheld(lane, state) else Reason.POOL_FULL


def withheld(lane: Lane, state: PoolState) -> int:
    """What is idle but kept by others, who do not lend it."""
    return state.capacity - state.used - reachable(lane.quota)


def asked_now(lane: Lane, state: PoolState) -> int:
    """Grains that the lane's next job would take now: of whole nodes whatever those that it would get have."""
    nodes = state.floor.find(lane.need) if lane.need.whole else None
    if nodes is None:
        return lane.asked
    return sum(len(state.floor.places[index].free) for index in nodes) * GRAINS_PER_NPU


class Admission:
    """Admits whoever may start, as the pass does it and as the forecast does it in simulated time."""

    def __init__(self, state: PoolState) -> None:
        self._state = state
        self.looks = 0
        """How often a lane was looked at closely: the measure of the work done."""

    def admit(self, lanes: Sequence[Lane], *, at: int) -> list[Admitted]:
        """Own jobs first; one that is no longer own when its turn comes waits for the loan round."""
        admitted: list[Admitted] = []
        loans: list[Lane] = []
        hopeful = self._hopeful(lanes)
        least = min((lane.asked for lane in hopeful), default=0)
        for lane, job in Round(hopeful):
            if self._state.idle < least:
                break
            if asked_now(lane, self._state) <= own_room(lane.quota):
                admitted += self._try(lane, job, at=at)
            else:
                loans.append(lane)
        for lane, job in Round(loans):
            if self._state.idle < least:
                break
            admitted += self._try(lane, job, at=at)
        return admitted

    def _hopeful(self, lanes: Sequence[Lane]) -> list[Lane]:
        """Those that a glance does not refuse: capacity only shrinks, so that a refusal holds for the whole pass."""
        self.looks += len(lanes) // LANES_A_GLANCE
        idle, largest = self._state.idle, self._state.floor.largest_free
        left = {team: max(0, available(node)) for team, node in self._state.tree.teams.items()}
        return [
            lane
            for lane in lanes
            if lane.first is not None
            and lane.asked <= idle
            and lane.need.npus <= largest
            and lane.asked <= left[lane.team]
        ]

    def _try(self, lane: Lane, job: Waiting, *, at: int) -> list[Admitted]:
        if lane.asked > self._state.idle:
            return []
        self.looks += 1
        if gate(lane, self._state) is not None:
            return []
        nodes = self._state.floor.find(lane.need)
        return [] if nodes is None else [self._start(lane, job, nodes=nodes, at=at)]

    def _start(self, lane: Lane, job: Waiting, *, nodes: list[int], at: int) -> Admitted:
        held = tuple(self._state.floor.hand_out(index, lane.need) for index in nodes)
        limit = job.seconds if job.seconds is not None else lane.partition.max_seconds
        holding = Holding(
            job=job.id,
            team=job.team,
            held=held,
            grains=sum(part.grains for part in held),
            started=at,
            ends=None if limit is None else at + limit,
            rank=job.rank,
            preemptible=job.preemptible,
            exclusive=job.whole_node,
        )
        self._state.hold(holding)
        lane.serve()
        return Admitted(job=job, holding=holding)
