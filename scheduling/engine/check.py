"""Refuses a situation that contradicts itself, before anything is decided on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

from scheduling.engine.situation import Held, Share, Situation

Key = TypeVar("Key", bound=Hashable)


class BadSituation(ValueError):
    """The snapshot is wrong: an unknown id, a negative amount, one NPU held twice."""


def check(situation: Situation) -> None:
    pools = _unique("pool", (pool.id for pool in situation.pools))
    nodes = _unique("node", (node.id for node in situation.nodes))
    partitions = _unique("partition", (partition.id for partition in situation.partitions))
    _unique("job", [*(job.id for job in situation.running), *(job.id for job in situation.waiting)])
    _unique("share", ((share.pool, share.is_group, share.team) for share in situation.shares))

    for node in situation.nodes:
        _known("pool", node.pool, pools)
        _not_negative(f"node {node.id}", node.cpus, node.memory_mb)
        _unique(f"NPU on node {node.id}", node.npus)
    for partition in situation.partitions:
        _known("pool", partition.pool, pools)
        for node_id in partition.nodes:
            _known("node", node_id, nodes)
        _not_negative(f"partition {partition.id}", partition.max_seconds or 0)
    for share in situation.shares:
        _known("pool", share.pool, pools)
        limits = (share.may_borrow, share.may_lend, share.max_running)
        _not_negative(f"share of {share.name}", share.guaranteed, share.weight, *(limit or 0 for limit in limits))
    _no_circle(situation.shares)

    pool_of_node = {node.id: node.pool for node in situation.nodes}
    for job in situation.running:
        _known("pool", job.pool, pools)
        for held in job.held:
            _known("node", held.node, nodes)
            if pool_of_node[held.node] != job.pool:
                raise BadSituation(f"job {job.id} of pool {job.pool} holds node {held.node} of another pool")
            _not_negative(f"job {job.id}", held.grains, held.cpus, held.memory_mb)
    _held_once(held for job in situation.running for held in job.held)

    pool_of_partition = {partition.id: partition.pool for partition in situation.partitions}
    for wish in situation.waiting:
        _known("partition", wish.partition, partitions)
        if pool_of_partition[wish.partition] != wish.pool:
            raise BadSituation(f"job {wish.id} of pool {wish.pool} waits at partition {wish.partition} of another pool")
        _not_negative(f"job {wish.id}", wish.npus_per_node, wish.cpus_per_node, wish.memory_mb_per_node)
        _not_negative(f"job {wish.id}", wish.seconds or 0, wish.nodes_min - 1)
        if wish.nodes_max is not None and wish.nodes_max < wish.nodes_min:
            raise BadSituation(f"job {wish.id} asks for {wish.nodes_min} to {wish.nodes_max} nodes")


def _unique(kind: str, ids: Iterable[Key]) -> set[Key]:
    counted = Counter(ids)
    doubled = [key for key, count in counted.items() if count > 1]
    if doubled:
        raise BadSituation(f"{kind} {doubled[0]} is there twice")
    return set(counted)


def _known(kind: str, wanted: int, known: set[int]) -> None:
    if wanted not in known:
        raise BadSituation(f"there is no {kind} {wanted}")


def _not_negative(what: str, *amounts: int) -> None:
    if min(amounts) < 0:
        raise BadSituation(f"{what} has a negative amount")


def _held_once(all_held: Iterable[Held]) -> None:
    _unique("(node, NPU) held", ((held.node, npu) for held in all_held for npu in held.npus))


def _no_circle(shares: Iterable[Share]) -> None:
    parents = {(share.pool, share.team): share.group for share in shares if share.is_group}
    for pool, start in parents:
        seen: set[int] = set()
        group: int | None = start
        while group is not None:
            if group in seen:
                raise BadSituation(f"group {group} is part of itself")
            seen.add(group)
            group = parents.get((pool, group))
