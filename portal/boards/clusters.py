"""Clusters, their nodes and NPUs, and who holds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounting.models import User
from npu_inventory.models import NPU, Cluster, Node, Partition
from portal.kit.access import May
from portal.kit.errors import NotFound
from scheduling.models import Allocation, Job

NODES_A_PAGE = 50
CELL = 22
"""Width of an NPU in the drawing of a node."""
SICK = Exists(NPU.objects.filter(node=OuterRef("pk")).exclude(health=NPU.Health.OK))
FILTERS = {
    "up": Q(state=Node.State.UP),
    "draining": Q(state=Node.State.DRAINING),
    "down": Q(state=Node.State.DOWN),
    "sick": Q(SICK),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    cluster: Cluster
    nodes: int
    nodes_up: int
    npus: int
    npus_used: int

    @property
    def npus_free(self) -> int:
        return max(0, self.npus - self.npus_used)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A job on a node: its number, team and amount for all, the rest where `visible`."""

    job: Job
    npus: int
    cpus: int
    memory_mb: int
    visible: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """NPUs side by side that one job holds, or one that nobody holds."""

    x: int
    width: int
    kind: str
    """"held", "free", "sick", "out"."""
    job: Job | None = None

    @property
    def inside(self) -> int:
        """Of its lines, so that two blocks side by side do not touch."""
        return self.width - 2

    @property
    def middle(self) -> int:
        return self.x + self.width // 2

    @property
    def ticks(self) -> list[int]:
        return list(range(self.x + CELL, self.x + self.width, CELL))

    @property
    def says_number(self) -> bool:
        return self.job is not None and self.width >= 2 * CELL


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    node: Node
    npus: list[NPU]
    holders: list[Holder]
    job_of: dict[int, Holder]
    """By NPU."""

    @property
    def npus_used(self) -> int:
        return len(self.job_of)

    @property
    def cpus_used(self) -> int:
        return sum(holder.cpus for holder in self.holders)

    @property
    def memory_used_mb(self) -> int:
        return sum(holder.memory_mb for holder in self.holders)

    @property
    def memory_used_gb(self) -> int:
        return round(self.memory_used_mb / 1024)

    @property
    def memory_gb(self) -> int:
        return round(self.node.memory_mb / 1024)

    @property
    def cells(self) -> list[tuple[NPU, Holder | None]]:
        return [(npu, self.job_of.get(npu.pk)) for npu in self.npus]

    @property
    def width(self) -> int:
        return len(self.npus) * CELL

    @property
    def blocks(self) -> list[Block]:
        found, x = [], 0
        for (kind, _key), run in groupby(self.cells, key=_block_key):
            cells = list(run)
            width = len(cells) * CELL
            holder = cells[0][1]
            found.append(Block(x=x, width=width, kind=kind, job=holder.job if holder else None))
            x += width
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPage:
    cluster: Cluster
    row: ClusterRow
    partitions: list[Partition]
    counts: dict[str, int]
    page: Page[Node]
    nodes: list[NodeRow]
    teams: list[tuple[str, int]] = field(default_factory=list)


def clusters() -> list[ClusterRow]:
    return _rows(Cluster.objects.filter(enabled=True))


def cluster_page(user: User, name: str, *, state: str, number: str) -> ClusterPage:
    rows = _rows(Cluster.objects.filter(name=name, enabled=True))
    if not rows:
        raise NotFound()
    cluster = rows[0].cluster
    nodes = Node.objects.filter(cluster=cluster)
    counts = nodes.aggregate(**{key: Count("pk", filter=condition) for key, condition in FILTERS.items()})
    wanted = nodes.filter(FILTERS[state]) if state in FILTERS else nodes
    page = Paginator(wanted.select_related("pool").order_by("name"), NODES_A_PAGE).get_page(number)
    shown = node_rows(user, page.object_list)
    teams = {holder.job.team for row in shown for holder in row.holders}
    return ClusterPage(
        cluster=cluster,
        row=rows[0],
        partitions=list(
            Partition.objects.filter(cluster=cluster)
            .select_related("pool")
            .annotate(opens=Count("nodes"))
            .order_by("name")
        ),
        counts=counts,
        page=page,
        nodes=shown,
        teams=[(team.name, team.colour) for team in sorted(teams, key=lambda team: team.name)],
    )


def node_for(cluster: str, name: str) -> Node:
    """Hardware is everybody's to see; what an operator does to it is decided by the view."""
    node = Node.objects.select_related("cluster", "pool").filter(cluster__name=cluster, name=name).first()
    if node is None:
        raise NotFound()
    return node


def node_rows(user: User, nodes: Iterable[Node]) -> list[NodeRow]:
    nodes = list(nodes)
    npus: dict[int, list[NPU]] = defaultdict(list)
    for npu in NPU.objects.filter(node__in=nodes).order_by("node", "index"):
        npus[npu.node_id].append(npu)
    held: dict[int, list[Allocation]] = defaultdict(list)
    for row in Allocation.objects.held().filter(node__in=nodes).select_related("run__job__team", "run__job__user"):
        held[row.node_id].append(row)
    jobs = {row.run.job_id for rows in held.values() for row in rows}
    visible = set(Job.objects.where(user, May.SEE).filter(pk__in=jobs).values_list("pk", flat=True)) if jobs else set()
    return [_node_row(node, npus[node.pk], held[node.pk], visible) for node in nodes]


def _node_row(node: Node, npus: list[NPU], held: list[Allocation], visible: set[int]) -> NodeRow:
    by_job: dict[int, list[Allocation]] = defaultdict(list)
    for row in held:
        by_job[row.run.job_id].append(row)
    holders = {
        number: Holder(
            job=rows[0].run.job,
            npus=sum(row.npu_id is not None for row in rows),
            cpus=sum(row.cpus for row in rows),
            memory_mb=sum(row.memory_mb for row in rows),
            visible=number in visible,
        )
        for number, rows in sorted(by_job.items())
    }
    return NodeRow(
        node=node,
        npus=npus,
        holders=list(holders.values()),
        job_of={row.npu_id: holders[row.run.job_id] for row in held if row.npu_id is not None},
    )


def _block_key(cell: tuple[NPU, Holder | None]) -> tuple[str, int]:
    npu, holder = cell
    if holder is not None:
        return "held", holder.job.pk
    if not npu.in_service:
        return "out", -npu.pk
    return ("free" if npu.health == NPU.Health.OK else "sick"), -npu.pk


def _rows(clusters: QuerySet[Cluster]) -> list[ClusterRow]:
    rows = list(
        clusters.annotate(
            nodes_in_all=Count("nodes", distinct=True),
            nodes_up=Count("nodes", filter=Q(nodes__state=Node.State.UP), distinct=True),
        )
    )
    usable = NPU.objects.filter(node__cluster__in=rows, in_service=True).exclude(health=NPU.Health.FAULTY)
    usable = usable.exclude(node__state=Node.State.DOWN)
    npus = dict(usable.values_list("node__cluster").annotate(n=Count("pk")))
    held = Allocation.objects.held().filter(node__cluster__in=rows, npu__isnull=False)
    used = dict(held.values_list("node__cluster").annotate(n=Count("pk")))
    return [
        ClusterRow(
            cluster=cluster,
            nodes=cluster.nodes_in_all,
            nodes_up=cluster.nodes_up,
            npus=npus.get(cluster.pk, 0),
            npus_used=used.get(cluster.pk, 0),
        )
        for cluster in rows
    ]
