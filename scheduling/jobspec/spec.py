"""What a job asks for: what a form, the API and an sbatch script all become, and each backend renders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scheduling.jobspec.codec import BadField, decode, encode

DEFAULT_OUTPUT = "slurm-%j.out"
DEFAULT_ARRAY_OUTPUT = "slurm-%A_%a.out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One homogeneous part of a job. Totals are those at the least number of nodes."""

    nodes_min: int = 1
    nodes_max: int | None = None
    """None = as many as the scheduler likes."""
    tasks: int = 1
    tasks_per_node: int | None = None
    cpus_per_task: int = 1
    total_cpus: int = 1
    npus_per_node: int = 0
    total_npus: int = 0
    npu_type: str | None = None
    gpus_per_node: int | None = None
    total_gpus: int = 0
    gpu_type: str | None = None
    other_gres: tuple[tuple[str, int], ...] = ()
    """Further devices per node, as (name or name:type, count)."""
    mem_mb_per_node: int | None = None
    """MiB. 0 = all of the node."""
    mem_mb_per_cpu: int | None = None
    mem_all_of_node: bool = False
    total_mem_mb: int | None = None
    """Over all nodes; None where it cannot be known."""
    exclusive: bool = False
    exclusive_scope: str = "node"
    """Shared with nobody (node), or only with jobs of the same user or mcs label."""
    constraint: str | None = None
    nodelist: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    partition: str | None = None
    """None = the cluster's default. May be a list with commas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    text: str
    indices: tuple[int, ...]
    throttle: int | None = None
    """At most so many at once."""

    @property
    def size(self) -> int:
        return len(self.indices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    type: str
    jobs: tuple[str, ...] = ()
    delay_minutes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Sent `seconds_before` the time limit."""

    number: int
    batch_only: bool = False
    at_reservation: bool = False
    seconds_before: int = 60

    @property
    def text(self) -> str:
        flags = ("R" if self.at_reservation else "") + ("B" if self.batch_only else "")
        return f"{flags}{':' if flags else ''}{self.number}@{self.seconds_before}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    name: str | None = None
    account: str | None = None
    qos: str | None = None
    components: tuple[Component, ...] = (Component(),)
    time_limit_seconds: int | None = None
    """None = the partition's default, or no limit at all when `time_unlimited`. Whole minutes, as in Slurm."""
    time_unlimited: bool = False
    output: str = DEFAULT_OUTPUT
    """With the % patterns as written."""
    error: str | None = None
    """None = into the same file as output."""
    array: Array | None = None
    dependency: tuple[Dependency, ...] = ()
    dependency_any: bool = False
    """One of the dependencies is enough."""
    requeue: bool | None = None
    signal: Signal | None = None
    mail_type: tuple[str, ...] = ()
    mail_user: str | None = None
    comment: str | None = None
    reservation: str | None = None
    begin: str | None = None
    script: str = ""
    extra: tuple[tuple[str, str | None], ...] = ()
    """Options that nothing here acts upon, kept and passed on: (long name, value or None)."""

    @property
    def main(self) -> Component:
        """The only component, or the first, which runs the script."""
        return self.components[0]

    @property
    def heterogeneous(self) -> bool:
        return len(self.components) > 1

    @property
    def partition(self) -> str | None:
        return self.main.partition

    @property
    def total_npus(self) -> int:
        """Of one array task, at the least number of nodes."""
        return sum(each.total_npus for each in self.components)

    @property
    def most_npus(self) -> int:
        """Of one array task, at the greatest number of nodes that it may get."""
        return sum(each.npus_per_node * max(each.nodes_min, each.nodes_max or 0) for each in self.components)

    @property
    def total_cpus(self) -> int:
        return sum(each.total_cpus for each in self.components)

    @property
    def nodes_min(self) -> int:
        return sum(each.nodes_min for each in self.components)

    @property
    def nodes_max(self) -> int | None:
        """None as soon as one component leaves it open."""
        limits = [each.nodes_max for each in self.components]
        return None if None in limits else sum(limit for limit in limits if limit is not None)

    @property
    def tasks(self) -> int:
        return sum(each.tasks for each in self.components)

    def to_dict(self) -> dict[str, object]:
        return encode(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> JobSpec:
        """Raises `BadField`, which names the field."""
        spec = decode(cls, data)
        if not spec.components:
            raise BadField("components", "at least one is needed")
        return spec
