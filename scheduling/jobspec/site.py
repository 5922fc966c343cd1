"""The plain facts of a cluster that a verdict on a script needs. What is left out is not known, and is not judged."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Gres:
    """A kind of countable device on each node of a partition: npu, gpu, ..."""

    name: str
    count: int
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Sizes are those of its largest node."""

    name: str
    default: bool = False
    open: bool = True
    max_seconds: int | None = None
    default_seconds: int | None = None
    nodes: tuple[str, ...] = ()
    gres: tuple[Gres, ...] | None = None
    """None = not known, empty = its nodes have none."""
    cpus_per_node: int | None = None
    memory_mb_per_node: int | None = None
    features: frozenset[str] = frozenset()

    def gres_named(self, name: str) -> Gres | None:
        return next((each for each in self.gres or () if each.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The limits that Slurm holds; a job beyond them is accepted and waits for ever."""

    name: str
    default: bool = False
    max_nodes_per_job: int | None = None
    max_npus_per_job: int | None = None
    max_seconds: int | None = None
    max_npus: int | None = None
    max_cpus: int | None = None
    max_memory_mb: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Qos:
    name: str
    min_npus_per_job: int | None = None
    max_npus: int | None = None
    """Of one user or one job, whichever is less."""
    max_seconds: int | None = None
    deny_on_limit: bool = False
    """Refuses what is beyond its limits; without it such a job is accepted and waits for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    cluster_name: str | None = None
    version: tuple[int, ...] | None = None
    """Of Slurm. None where the cluster is none, or not known: then an unknown option is kept with a warning."""
    partitions: tuple[Partition, ...] = ()
    accounts: tuple[Account, ...] = ()
    qos: tuple[Qos, ...] = ()
    reservations: frozenset[str] | None = None
    features: frozenset[str] | None = None
    """All that any node has. None = not known."""
    gres_kinds: frozenset[str] | None = None
    """Device kinds that the cluster has at all (Slurm's GresTypes). None = not known."""
    max_array_size: int | None = None
    """One more than the greatest index."""
    def_mem_mb_per_cpu: int | None = None
    enforce_part_limits: bool = False
    """What is beyond a partition's limits is refused rather than left waiting."""
    lacks: frozenset[str] = frozenset()
    """Of arrays, dependencies, heterogeneous: what the backend cannot do."""
    makes_folders: bool = False
    """Folders of log files are made inside the job's folder. Slurm makes none and the job fails without a word."""
    paths_inside_only: bool = False
    """Log files outside the job's folder are refused rather than warned about."""
    portal_owns: frozenset[str] = frozenset()
    """Of account, qos, comment, mail: options that the portal sets or acts upon itself."""

    def partition(self, name: str) -> Partition | None:
        return next((each for each in self.partitions if each.name == name), None)

    def partitions_for(self, names: str | None) -> tuple[Partition, ...]:
        """Those of a list as in --partition=a,b; the default one without a list; none where that is not known."""
        if names is None:
            return tuple(each for each in self.partitions if each.default)[:1]
        return tuple(each for each in self.partitions if each.name in names.split(","))

    @property
    def nodes(self) -> frozenset[str]:
        return frozenset(node for partition in self.partitions for node in partition.nodes)
