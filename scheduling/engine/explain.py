"""The numbers behind each wait reason: what a sentence about it may say, and nothing that it would have to guess.

Amounts are grains, times epoch seconds, `cpus`, `nodes`, `running` and `closed` counts, memory megabytes, `pieces` a
list of grains. A limit that is not there is the text "unlimited". `next_job` is the job whose end, by its limit, takes
the obstacle away if nothing starts in between, `next_at` that moment; both 0 where nobody knows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate

from scheduling.engine.admission import asked_now, withheld
from scheduling.engine.amounts import GRAINS_PER_NPU
from scheduling.engine.decisions import Expected, Loan, Reason
from scheduling.engine.entitlement import QuotaNode, over_borrow_limit, potential, with_added
from scheduling.engine.order import Lane
from scheduling.engine.situation import Partition, Situation, Waiting
from scheduling.engine.state import Holding, PoolState

_FORESEEN = frozenset({Reason.NOTHING_TO_LEND, Reason.FRAGMENTED, Reason.NODE_RESOURCES})

Facts = Mapping[str, int | str | list[int]]

_TEAM = ("asked", "used", "guaranteed", "borrowed", "may_borrow")
"""What the job asks; what its team uses, is guaranteed, uses beyond that, and may borrow at most."""
_NEXT = ("next_job", "next_at")

KEYS: Mapping[Reason, tuple[str, ...]] = {
    Reason.CLUSTER_AWAY: ("cluster", "since"),
    Reason.PARTITION_CLOSED: ("partition",),
    Reason.NOT_YET: ("until",),
    Reason.TIME_LIMIT: ("seconds", "max_seconds", "partition"),
    # per_node: NPUs on each node, in grains; nodes_fit: how many of the partition's nodes could hold that when empty.
    Reason.IMPOSSIBLE: ("partition", "nodes", "per_node", "cpus", "memory_mb", "nodes_fit", "largest_node"),
    # potential: the most that the team could ever have here (of an own_only job: its guarantee).
    Reason.BEYOND_POTENTIAL: ("asked", "guaranteed", "may_borrow", "potential", "capacity"),
    Reason.RUNNING_LIMIT: ("running", "may_run", *_NEXT),
    Reason.OWN_FULL: (*_TEAM, "idle", *_NEXT),
    # used ... may_borrow are those of limit_of: the team, or the group whose limit it is.
    Reason.BORROW_LIMIT: ("limit_of", *_TEAM, "idle", *_NEXT),
    # kept: idle, but its owners do not lend it.
    Reason.NOTHING_TO_LEND: (*_TEAM, "idle", "kept", *_NEXT),
    # lent: of this team's guarantee what others use now; closed: nodes that take no jobs; next_idle: idle at next_at.
    Reason.POOL_FULL: (*_TEAM, "lent", "idle", "capacity", "closed", *_NEXT, "next_idle"),
    # pieces: idle on each node that it may use, the largest first; of a job that wants whole nodes only empty ones.
    Reason.FRAGMENTED: (*_TEAM, "idle", "nodes", "per_node", "whole_node", "pieces", "largest_piece", "closed", *_NEXT),
    # *_free: the most that a node with enough NPUs has; nodes_fit: nodes with enough of everything now.
    Reason.NODE_RESOURCES: (
        "nodes", "per_node", "cpus", "memory_mb", "nodes_fit", "cpus_free", "memory_mb_free", "closed", *_NEXT,
    ),
}  # fmt: skip
"""The keys of each reason that is given: exactly these. Claims and reservations, once made, add the last two."""


def barred_facts(job: Waiting, reason: Reason, *, partition: Partition, situation: Situation) -> Facts:
    values: dict[str, int | str | list[int]] = {
        "cluster": partition.cluster,
        "since": situation.clusters_away.get(partition.cluster, 0),
        "partition": partition.name,
        "until": job.not_before or 0,
        "seconds": job.seconds or 0,
        "max_seconds": partition.max_seconds or 0,
    }
    return {key: values[key] for key in KEYS[reason]}


def complete(facts: Facts, reason: Reason, *, expected: Expected) -> Facts:
    """What takes away an obstacle that is more than a sum is known once the start is."""
    if reason not in _FORESEEN or expected.at is None or not expected.after:
        return facts
    return {**facts, "next_job": expected.after[-1], "next_at": expected.at}


class Explainer:
    """Facts on the state after the pass's starts, as a page shows it beside them."""

    def __init__(self, state: PoolState, loans: Iterable[Loan]) -> None:
        self._state = state
        self._lent: Counter[int | None] = Counter()
        for loan in loans:
            self._lent[loan.lender] += loan.grains
        known = [job for job in state.running.values() if job.ends is not None]
        self._ends = sorted(known, key=lambda job: (job.ends or 0, job.job))
        self._idle_after = self._idle_after_each_end()
        self._closed = sum(not place.node.open or place.node.lost for place in state.floor.places)

    def facts(self, lane: Lane, reason: Reason) -> Facts:
        values = {**self._of_quota(lane, reason), **self._of_pool(lane), **self._next(lane, reason)}
        if reason in (Reason.IMPOSSIBLE, Reason.FRAGMENTED, Reason.NODE_RESOURCES):
            values |= self._of_nodes(lane)
        return {key: values[key] for key in KEYS[reason]}

    def _of_quota(self, lane: Lane, reason: Reason) -> dict[str, int | str | list[int]]:
        quota, asked = lane.quota, asked_now(lane, self._state)
        limited = over_borrow_limit(quota, asked) if reason == Reason.BORROW_LIMIT else None
        shown = limited or quota
        owns = shown.own if shown is quota else shown.total
        ceiling = quota.own if lane.own_only else potential(quota)
        may_borrow = 0 if lane.own_only else shown.may_borrow
        return {
            "limit_of": shown.name,
            "asked": asked,
            "used": shown.used,
            "guaranteed": owns,
            "borrowed": max(0, shown.used - owns),
            "may_borrow": "unlimited" if may_borrow is None else may_borrow,
            "potential": ceiling,
            "lent": self._lent[quota.team],
            "kept": withheld(lane, self._state),
            "running": quota.running,
            "may_run": quota.max_running if quota.max_running is not None else "unlimited",
        }

    def _of_pool(self, lane: Lane) -> dict[str, int | str | list[int]]:
        need = lane.need
        return {
            "partition": lane.partition.name,
            "idle": self._state.idle,
            "capacity": self._state.capacity,
            "closed": self._closed,
            "nodes": need.nodes,
            "per_node": need.npus * GRAINS_PER_NPU,
            "cpus": need.cpus,
            "memory_mb": need.memory_mb,
            "whole_node": int(need.whole),
        }

    def _of_nodes(self, lane: Lane) -> dict[str, int | str | list[int]]:
        floor, need = self._state.floor, lane.need
        open_places = floor.open_among(need)
        pieces = sorted(
            (len(place.free) * GRAINS_PER_NPU for place in open_places if not (need.whole and place.jobs)),
            reverse=True,
        )
        enough = [place for place in open_places if len(place.free) >= need.npus]
        fit_now = sum(place.cpus >= need.cpus and place.memory_mb >= need.memory_mb for place in enough)
        sizes = [len(place.node.npus) * GRAINS_PER_NPU for place in floor.all_among(need)]
        return {
            "pieces": pieces,
            "largest_piece": max(pieces, default=0),
            "largest_node": max(sizes, default=0),
            "nodes_fit": fit_now if lane.possible else floor.could_hold(need).bit_count(),
            "cpus_free": max((place.cpus for place in enough), default=0),
            "memory_mb_free": max((place.memory_mb for place in enough), default=0),
        }

    def _next(self, lane: Lane, reason: Reason) -> dict[str, int | str | list[int]]:
        asked = asked_now(lane, self._state)
        quota = lane.quota
        if reason == Reason.POOL_FULL:
            at = bisect_left(self._idle_after, asked)
            ending = self._ends[at] if at < len(self._ends) else None
            return _named(ending) | {"next_idle": self._idle_after[at] if ending else self._state.idle}
        if reason == Reason.RUNNING_LIMIT and quota.max_running is not None:
            return _named(self._first(quota, lack=quota.running + 1 - quota.max_running, size=lambda job: 1))
        if reason == Reason.OWN_FULL:
            return _named(self._first(quota, lack=quota.used + asked - quota.own, size=lambda job: job.grains))
        if reason == Reason.BORROW_LIMIT and (limited := over_borrow_limit(quota, asked)) is not None:
            after = next(used for node, used in with_added(quota, asked) if node is limited)
            lack = after - limited.total - (limited.may_borrow or 0)
            return _named(self._first(limited, lack=lack, size=lambda job: job.grains))
        return _named(None)

    def _first(self, node: QuotaNode, *, lack: int, size: Callable[[Holding], int]) -> Holding | None:
        """The job on this node's side with whose end, all earlier ones counted, `lack` has been given back."""
        for job in self._ends:
            if node in self._state.tree.teams[job.team].path():
                lack -= size(job)
                if lack <= 0:
                    return job
        return None

    def _idle_after_each_end(self) -> list[int]:
        """Idle grains after each of the known ends, were nothing to start: never falls."""
        floor = self._state.floor
        free = list(accumulate((floor.freed_by(job.held) for job in self._ends), initial=floor.free))
        gone = list(accumulate((floor.lost_with(job.held) for job in self._ends), initial=0))
        given = list(accumulate((job.grains for job in self._ends), initial=0))
        margin = self._state.capacity - self._state.used
        return [
            max(0, min(free[n] * GRAINS_PER_NPU, margin + given[n] - gone[n] * GRAINS_PER_NPU))
            for n in range(1, len(self._ends) + 1)
        ]


def _named(job: Holding | None) -> dict[str, int | str | list[int]]:
    return {"next_job": 0, "next_at": 0} if job is None else {"next_job": job.job, "next_at": job.ends or 0}
