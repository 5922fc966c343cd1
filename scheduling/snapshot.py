"""Database → situation: the only reader for the engine.

The pools' versions are read first. Whatever moves while the rest is read bumps a version, so a plan made on a torn
picture is dropped at the commit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from accounting.models import Quota, Team
from npu_inventory import models as inventory
from portal.kit import clock
from scheduling.engine.situation import Held, Node, Partition, Pool, Running, Share, Situation, Waiting
from scheduling.models import Allocation, Job, Run, State

WAITING_COLUMNS = (
    "team_id", "user_id", "partition_id", "pool_id", "submitted_at", "nodes_min", "nodes_max", "npus_per_node",
    "cpus_per_node", "memory_mb_per_node", "whole_node", "time_limit_seconds", "rank", "priority", "preemptible",
    "own_only", "nodes_only", "nodes_not", "not_before",
)  # fmt: skip


def take(now: datetime) -> Situation:
    """The whole installation as it stands."""
    pools = _pools()
    queued = Job.objects.filter(state=State.QUEUED).only(*WAITING_COLUMNS).order_by("submitted_at", "id")
    runs = list(Run.objects.alive().with_light_job())
    alive = {run.job_id for run in runs}
    # A job that was put back waits, but cannot start again before its earlier run has let go.
    waiting = tuple(waiting_of(job) for job in queued if job.pk not in alive)
    return _situation(now, pools=pools, runs=runs, waiting=waiting)


def of_started(now: datetime, *, pool: int, runs: Iterable[Run]) -> Situation:
    """One pool with only what really runs, `runs`: what usage is reckoned from."""
    return _situation(now, pools=_pools(pool), runs=runs, waiting=())


def bare(now: datetime) -> Situation:
    """Capacity and quotas without any job: where a replay begins."""
    return _situation(now, pools=_pools(), runs=(), waiting=())


def waiting_of(job: Job) -> Waiting:
    """A job as the engine sees it; also of one that is not saved yet (id 0, the preview's)."""
    return Waiting(
        id=job.pk or 0,
        team=job.team_id,
        user=job.user_id,
        partition=job.partition_id,
        pool=job.pool_id,
        submitted=clock.epoch(job.submitted_at),
        nodes_min=job.nodes_min,
        nodes_max=job.nodes_max,
        npus_per_node=job.npus_per_node,
        cpus_per_node=job.cpus_per_node,
        memory_mb_per_node=job.memory_mb_per_node,
        whole_node=job.whole_node,
        seconds=job.time_limit_seconds,
        rank=job.rank,
        priority=job.priority,
        preemptible=job.preemptible,
        own_only=job.own_only,
        nodes_only=frozenset(job.nodes_only) if job.nodes_only else None,
        nodes_not=frozenset(job.nodes_not),
        not_before=clock.epoch(job.not_before) if job.not_before else None,
    )


def _pools(only: int | None = None) -> tuple[Pool, ...]:
    rows = inventory.Pool.objects.order_by("id")
    return tuple(
        Pool(id=pool.pk, name=pool.name, version=pool.version)
        for pool in (rows if only is None else rows.filter(pk=only))
    )


def _situation(
    now: datetime, *, pools: tuple[Pool, ...], runs: Iterable[Run], waiting: tuple[Waiting, ...]
) -> Situation:
    ids = [pool.id for pool in pools]
    running = _running(list(runs), now)
    away = {
        cluster.pk: clock.epoch(cluster.away_since)
        for cluster in inventory.Cluster.objects.filter(away_since__isnull=False)
        if cluster.away_since
    }
    return Situation(
        now=clock.epoch(now),
        pools=pools,
        nodes=_nodes(ids),
        partitions=_partitions(ids),
        shares=_shares(ids, now, {(job.team, job.pool) for job in running} | {(job.team, job.pool) for job in waiting}),
        running=running,
        waiting=waiting,
        clusters_away=away,
    )


def _nodes(pools: list[int]) -> tuple[Node, ...]:
    usable: dict[int, list[int]] = defaultdict(list)
    npus = inventory.NPU.objects.filter(node__pool__in=pools, in_service=True)
    for node_id, index in npus.exclude(health=inventory.NPU.Health.FAULTY).values_list("node", "index"):
        usable[node_id].append(index)
    return tuple(
        Node(
            id=node.pk,
            name=node.name,
            pool=node.pool_id,
            cluster=node.cluster_id,
            npus=tuple(sorted(usable[node.pk])),
            cpus=node.cpus,
            memory_mb=node.memory_mb,
            open=node.state == inventory.Node.State.UP,
            lost=node.state == inventory.Node.State.DOWN,
        )
        for node in inventory.Node.objects.filter(pool__in=pools).order_by("id")
    )


def _partitions(pools: list[int]) -> tuple[Partition, ...]:
    nodes: dict[int, set[int]] = defaultdict(set)
    through = inventory.Partition.nodes.through.objects.filter(partition__pool__in=pools)
    for partition_id, node_id in through.values_list("partition", "node"):
        nodes[partition_id].add(node_id)
    return tuple(
        Partition(
            id=row.pk,
            name=row.name,
            cluster=row.cluster_id,
            pool=row.pool_id,
            nodes=frozenset(nodes[row.pk]),
            open=row.is_open and row.cluster.enabled,
            max_seconds=row.max_seconds,
            tier=row.tier,
        )
        for row in inventory.Partition.objects.filter(pool__in=pools).select_related("cluster").order_by("id")
    )


def _shares(pools: list[int], now: datetime, needed: set[tuple[int, int]]) -> tuple[Share, ...]:
    """Quotas in force. A team whose quota has ended lives on loans; one that never had one has nothing."""
    today = now.astimezone(ZoneInfo(settings.ORGANISATION_TIME_ZONE)).date()
    shares: dict[tuple[int, int], Share] = {}
    for quota in Quota.objects.filter(pool__in=pools).select_related("team").order_by("pool", "team__name"):
        in_force = quota.in_force_on(today)
        shares[quota.team_id, quota.pool_id] = Share(
            team=quota.team_id,
            pool=quota.pool_id,
            name=quota.team.name,
            guaranteed=quota.guaranteed if in_force else 0,
            may_borrow=quota.may_borrow,
            may_lend=quota.may_lend if in_force else 0,
            weight=quota.weight,
            max_running=quota.max_running_jobs,
        )
    without = needed - shares.keys()
    if without:
        names = dict(Team.objects.filter(pk__in={team for team, _ in without}).values_list("pk", "name"))
        for team, pool in sorted(without):
            shares[team, pool] = Share(team=team, pool=pool, name=names[team], may_borrow=0)
    return tuple(shares.values())


def _running(runs: list[Run], now: datetime) -> tuple[Running, ...]:
    """Runs that hold something: only the backend's word frees capacity, whatever the job's state says."""
    held = _held([run.pk for run in runs])
    found = []
    for run in runs:
        job = run.job
        started = clock.epoch(run.started_at or now)
        found.append(
            Running(
                id=job.pk,
                team=job.team_id,
                user=job.user_id,
                pool=job.pool_id,
                partition=job.partition_id,
                held=held.get(run.pk, ()),
                started=started,
                ends_by=None if job.time_limit_seconds is None else started + job.time_limit_seconds,
                rank=job.rank,
                preemptible=job.preemptible,
                whole_node=job.whole_node,
                leaving=job.state == State.STOPPING or job.is_ended,
            )
        )
    return tuple(found)


def _held(runs: list[int]) -> dict[int, tuple[Held, ...]]:
    by_run: dict[int, dict[int, Held]] = defaultdict(dict)
    rows = Allocation.objects.held().filter(run__in=runs).select_related("npu").order_by("run", "node", "npu__index")
    for row in rows:
        held = by_run[row.run_id].setdefault(row.node_id, Held(node=row.node_id, npus=(), grains=0))
        if row.npu is not None:
            held.npus += (row.npu.index,)
        held.grains += row.grains
        held.cpus += row.cpus
        held.memory_mb += row.memory_mb
    return {run: tuple(nodes.values()) for run, nodes in by_run.items()}
