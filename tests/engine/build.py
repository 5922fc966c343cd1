"""Situations in a few words. Amounts are given in NPUs, times in seconds after `NOW`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from scheduling.engine.amounts import GRAINS_PER_NPU
from scheduling.engine.decisions import Plan, Start, Wait
from scheduling.engine.situation import Held, Node, Partition, Pool, Running, Share, Situation, Waiting

NOW = 1_800_000_000
POOL, CLUSTER, PARTITION = 1, 1, 1


def npus(amount: int) -> int:
    return amount * GRAINS_PER_NPU


def node(
    id: int, size: int = 8, *, cpus: int = 64, memory_mb: int = 512_000, open: bool = True, lost: bool = False
) -> Node:
    return Node(
        id=id,
        name=f"node{id}",
        pool=POOL,
        cluster=CLUSTER,
        npus=tuple(range(size)),
        cpus=cpus,
        memory_mb=memory_mb,
        open=open,
        lost=lost,
    )


def share(
    team: int,
    guaranteed: int,
    *,
    name: str = "",
    group: int | None = None,
    is_group: bool = False,
    may_borrow: int | None = None,
    may_lend: int | None = None,
    max_running: int | None = None,
) -> Share:
    return Share(
        team=team,
        pool=POOL,
        name=name or f"team{team}",
        group=group,
        is_group=is_group,
        guaranteed=npus(guaranteed),
        may_borrow=None if may_borrow is None else npus(may_borrow),
        may_lend=None if may_lend is None else npus(may_lend),
        max_running=max_running,
    )


def running(
    id: int,
    team: int,
    on: dict[int, Iterable[int]],
    *,
    started: int = -100,
    ends: int | None = 1_000,
    cpus: int = 0,
    memory_mb: int = 0,
    rank: int = 0,
    preemptible: bool = True,
    whole_node: bool = False,
) -> Running:
    """`on`: physical ids by node."""
    return Running(
        id=id,
        team=team,
        user=1,
        pool=POOL,
        partition=PARTITION,
        held=tuple(
            Held(node=at, npus=tuple(ids), grains=npus(len(tuple(ids))), cpus=cpus, memory_mb=memory_mb)
            for at, ids in on.items()
        ),
        started=NOW + started,
        ends_by=None if ends is None else NOW + ends,
        rank=rank,
        preemptible=preemptible,
        whole_node=whole_node,
    )


def waiting(
    id: int,
    team: int,
    npus: int = 1,
    *,
    nodes: int = 1,
    nodes_max: int | None = None,
    cpus: int = 0,
    memory_mb: int = 0,
    seconds: int | None = 600,
    submitted: int | None = None,
    priority: int = 0,
    rank: int = 0,
    own_only: bool = False,
    preemptible: bool = True,
    whole_node: bool = False,
    nodes_only: Iterable[int] | None = None,
    nodes_not: Iterable[int] = (),
    not_before: int | None = None,
) -> Waiting:
    """`npus` on each node. Submitted in the order of the ids unless told otherwise."""
    return Waiting(
        id=id,
        team=team,
        user=1,
        partition=PARTITION,
        pool=POOL,
        submitted=NOW - 1_000_000 + (id if submitted is None else submitted),
        nodes_min=nodes,
        nodes_max=nodes_max,
        npus_per_node=npus,
        cpus_per_node=cpus,
        memory_mb_per_node=memory_mb,
        whole_node=whole_node,
        seconds=seconds,
        rank=rank,
        priority=priority,
        preemptible=preemptible,
        own_only=own_only,
        nodes_only=None if nodes_only is None else frozenset(nodes_only),
        nodes_not=frozenset(nodes_not),
        not_before=None if not_before is None else NOW + not_before,
    )


def situation(
    *,
    nodes: Iterable[Node] = (),
    shares: Iterable[Share] = (),
    running: Iterable[Running] = (),
    waiting: Iterable[Waiting] = (),
    max_seconds: int | None = None,
    partition_open: bool = True,
    away_since: int | None = None,
) -> Situation:
    nodes = tuple(nodes)
    partition = Partition(
        id=PARTITION,
        name="training",
        cluster=CLUSTER,
        pool=POOL,
        nodes=frozenset(each.id for each in nodes),
        open=partition_open,
        max_seconds=max_seconds,
    )
    return Situation(
        now=NOW,
        pools=(Pool(id=POOL, name="main", version=7),),
        nodes=nodes,
        partitions=(partition,),
        shares=tuple(shares),
        running=tuple(running),
        waiting=tuple(waiting),
        clusters_away={} if away_since is None else {CLUSTER: NOW + away_since},
    )


def filler(team: int, *, nodes: Iterable[int], size: int = 8, first_id: int = 900) -> list[Running]:
    """A job on each of the nodes that takes all of it."""
    return [running(id, team, {at: range(size)}) for id, at in zip(count(first_id), nodes, strict=False)]


def started(plan: Plan) -> list[int]:
    return [start.job for start in plan.starts]


def start_of(plan: Plan, job: int) -> Start:
    return next(start for start in plan.starts if start.job == job)


def wait_of(plan: Plan, job: int) -> Wait:
    return next(wait for wait in plan.waits if wait.job == job)
