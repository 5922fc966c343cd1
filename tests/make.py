"""Typed builders: the whole fixture language of the tests. `world()` is two nodes of eight, four teams and their people."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from accounting.models import Department, Grant, Membership, Price, Project, Quota, Team, User
from accounting.models.price import Source
from npu_inventory.models import NPU, Cluster, Node, Partition, Pool
from portal.kit import clock
from portal.kit.access import Role
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import jobspec
from scheduling.models import Job, State

PASSWORD = "a-password-for-tests"
_numbers = count(1)


def user(username: str, name: str = "", **columns: Any) -> User:
    return User.objects.create_user(username, password=PASSWORD, name=name or username.title(), **columns)


def department(name: str = "Research") -> Department:
    return Department.objects.get_or_create(name=name)[0]


def team(name: str, *, in_department: Department | None = None) -> Team:
    row = Team.objects.create(
        name=name, slug=name.lower(), department=in_department, colour=(next(_numbers) - 1) % 4 + 1
    )
    Project.objects.create(team=row, name="Main", slug="main", is_default=True)
    return row


def member(person: User, of: Team, role: Role = Role.MEMBER) -> Membership:
    return Membership.objects.create(user=person, team=of, role=role)


def grant(person: User, role: Role, over: Department | None = None) -> Grant:
    return Grant.objects.create(user=person, role=role, department=over)


def cluster(name: str = "here") -> Cluster:
    return Cluster.objects.create(name=name, title=name.title(), backend=Cluster.Backend.LOCAL, grace_seconds=2)


def pool(name: str = "910b") -> Pool:
    return Pool.objects.create(name=name, title=name.upper(), npu_model="Ascend910B")


def node(name: str, *, of: Cluster, into: Pool, npus: int = 8, cpus: int = 192, memory_mb: int = 1_500_000) -> Node:
    row = Node.objects.create(cluster=of, pool=into, name=name, cpus=cpus, memory_mb=memory_mb)
    NPU.objects.bulk_create(NPU(node=row, index=index) for index in range(npus))
    return row


def partition(name: str, *, nodes: list[Node], **columns: Any) -> Partition:
    row = Partition.objects.create(cluster=nodes[0].cluster, pool=nodes[0].pool, name=name, **columns)
    row.nodes.set(nodes)
    return row


def quota(of: Team, on: Pool, npus: int, **columns: Any) -> Quota:
    return Quota.objects.create(team=of, pool=on, guaranteed=npus * GRAINS_PER_NPU, **columns)


def price(on: Pool, source: Source, micro: int, since: datetime | None = None) -> Price:
    start = since or clock.now() - timedelta(days=365)
    return Price.objects.create(pool=on, source=source, micro_per_npu_hour=micro, starts_at=start)


@dataclass
class World:
    """alice and bob are members of NLP, vera its viewer, lena its lead; charlie is of Vision. The others are of the centre."""

    pool: Pool
    cluster: Cluster
    nodes: list[Node]
    partition: Partition
    nlp: Team
    vision: Team
    speech: Team
    recsys: Team
    people: dict[str, User] = field(default_factory=dict)

    def __getattr__(self, name: str) -> User:
        people: dict[str, User] = self.__dict__.get("people", {})
        if name in people:
            return people[name]
        raise AttributeError(name)


def world(*, nodes: int = 2, guarantees: tuple[int, int, int, int] = (5, 4, 3, 0)) -> World:
    here, pool_row = cluster(), pool()
    rows = [node(f"npu-{number:02}", of=here, into=pool_row) for number in range(1, nodes + 1)]
    door = partition("training", nodes=rows, is_default=True, max_seconds=7 * 86_400, default_seconds=3600)
    research = department()
    teams = [team(name, in_department=research) for name in ("NLP", "Vision", "Speech", "Recsys")]
    for row, npus in zip(teams, guarantees, strict=True):
        quota(row, pool_row, npus)
    for source, micro in ((Source.GUARANTEED, 4_000_000), (Source.ELASTIC, 3_200_000), (Source.BORROWED, 3_000_000)):
        price(pool_row, source, micro)
    made = World(pool_row, here, rows, door, *teams)
    for name, of, role in (
        ("alice", 0, Role.MEMBER), ("bob", 0, Role.MEMBER), ("vera", 0, Role.VIEWER), ("lena", 0, Role.LEAD),
        ("charlie", 1, Role.MEMBER), ("sam", 2, Role.MEMBER), ("rita", 3, Role.MEMBER),
    ):  # fmt: skip
        made.people[name] = user(name)
        member(made.people[name], teams[of], role)
    for name, role in (
        ("ann", Role.APPROVER), ("olga", Role.OPERATOR), ("audrey", Role.AUDITOR), ("fay", Role.FINANCE),
    ):  # fmt: skip
        made.people[name] = user(name)
        grant(made.people[name], role)
    made.people["nobody"] = user("nobody")
    return made


def script(*, npus: int = 1, nodes: int = 1, name: str = "train", limit: str = "10", body: str = "sleep 1") -> str:
    lines = ["#!/bin/bash", f"#SBATCH --job-name={name}", f"#SBATCH --nodes={nodes}", f"#SBATCH --time={limit}"]
    if npus:
        lines.append(f"#SBATCH --gres=npu:{npus}")
    return "\n".join([*lines, body, ""])


def job(by: User, of: Team, **columns: Any) -> Job:
    """A row without a pass behind it, in any state; `scheduling.services.jobs.submit` makes real ones."""
    now = clock.now()
    npus = columns.pop("npus", 1)
    nodes = columns.setdefault("nodes_min", 1)
    door = columns.pop("partition", None) or Partition.objects.get(is_default=True)
    values: dict[str, Any] = {
        "name": "train",
        "state": State.QUEUED,
        "state_since": now,
        "submitted_at": now,
        "project": of.projects.get(is_default=True),
        "pool": door.pool,
        "partition": door,
        "spec": jobspec.JobSpec(name="train").to_dict(),
        "script": script(npus=npus),
        "npus_per_node": npus,
        "grains": npus * nodes * GRAINS_PER_NPU,
        "cpus_per_node": 1,
        "time_limit_seconds": 600,
    }
    return Job.objects.create(user=by, team=of, **(values | columns))
