"""The plain facts that a reader of scripts needs to judge one: what this person's team may use here."""

from __future__ import annotations

from collections import Counter

from accounting.models import Quota, Team, User
from npu_inventory.models import NPU, Cluster, Partition
from scheduling import jobspec
from scheduling.backends.base import Abilities
from scheduling.backends.local.backend import LocalBackend

ABILITIES: dict[Cluster.Backend, Abilities] = {Cluster.Backend.LOCAL: LocalBackend.abilities}


def partitions_for(team: Team | None) -> list[Partition]:
    """The doors through which this team may enter: those of pools on which it has a quota."""
    rows = Partition.objects.filter(cluster__enabled=True).select_related("cluster", "pool")
    if team is not None:
        rows = rows.filter(pool__in=Quota.objects.filter(team=team).values("pool"))
    return list(rows.prefetch_related("nodes"))


def default_partition(team: Team | None = None) -> Partition | None:
    return _default(partitions_for(team))


def _default(rows: list[Partition]) -> Partition | None:
    return next((row for row in rows if row.is_default), rows[0] if rows else None)


def site_for(user: User, team: Team | None) -> jobspec.Site:
    """`user` is asked for so that a policy by person has a place; today it is the team that decides."""
    rows = partitions_for(team)
    default = _default(rows)
    npus = _npus_by_node(rows)
    cards = max(npus.values(), default=0)
    return jobspec.Site(
        partitions=tuple(_partition(row, npus, is_default=row == default) for row in rows),
        gres_kinds=frozenset({"npu"}) if cards else None,
        lacks=_lacks(rows),
        makes_folders=any(row.cluster.backend == Cluster.Backend.LOCAL for row in rows),
        paths_inside_only=True,
        portal_owns=frozenset({"account", "qos", "comment", "mail"}),
    )


def _partition(row: Partition, npus: dict[int, int], *, is_default: bool) -> jobspec.Partition:
    nodes = list(row.nodes.all())
    cards = max((npus.get(node.pk, 0) for node in nodes), default=0)
    model = row.pool.npu_model.lower()
    return jobspec.Partition(
        name=row.name,
        default=is_default,
        open=row.is_open,
        max_seconds=row.max_seconds,
        default_seconds=row.default_seconds,
        nodes=tuple(node.name for node in nodes),
        gres=(jobspec.Gres(name="npu", count=cards, types=(model,)),) if cards else (),
        cpus_per_node=max((node.cpus for node in nodes), default=None),
        memory_mb_per_node=max((node.memory_mb for node in nodes), default=None),
        features=frozenset(feature for node in nodes for feature in node.features),
    )


def _npus_by_node(rows: list[Partition]) -> dict[int, int]:
    npus = NPU.objects.filter(node__partitions__in=rows, in_service=True).exclude(health=NPU.Health.FAULTY).distinct()
    return dict(Counter(npus.values_list("node", flat=True)))


def _lacks(rows: list[Partition]) -> frozenset[str]:
    """What none of the clusters behind these doors can do."""
    able = [ABILITIES[Cluster.Backend(row.cluster.backend)] for row in rows]
    wanted = ("arrays", "dependencies", "heterogeneous")
    return frozenset(name for name in wanted if not any(getattr(abilities, name) for abilities in able))
