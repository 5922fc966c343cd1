"""What the engine is told: the whole installation at one moment, as plain values.

Amounts are grains (one NPU = 33,600), times are whole seconds since the epoch, ids are the rows' ids. Nothing here is
read from anywhere: the snapshot builds it, and the same situation always gives the same plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

UNLIMITED = None  # of a borrow or lend limit, a cap, a time limit; never a large number


@dataclass(slots=True, kw_only=True)
class Node:
    id: int
    name: str
    pool: int
    cluster: int
    npus: tuple[int, ...]
    """Physical ids of the NPUs that may be given out (healthy, not out of service)."""
    cpus: int
    memory_mb: int
    open: bool = True
    """False while it drains or is down: what runs on it still counts as capacity, nothing new starts there."""
    lost: bool = False
    """True when it is down: its NPUs are no capacity."""


@dataclass(slots=True, kw_only=True)
class Partition:
    id: int
    name: str
    cluster: int
    pool: int
    nodes: frozenset[int]
    open: bool = True
    max_seconds: int | None = UNLIMITED
    tier: int = 0


@dataclass(slots=True, kw_only=True)
class Share:
    """A team's quota on a pool, or a group's: the tree is pool -> groups -> teams."""

    team: int
    """The team's id; of a group's own quota the group's id, which is numbered apart from the teams."""
    pool: int
    name: str
    """Breaks ties between lenders and between remainders, so it should not change often."""
    group: int | None = None
    """The group it belongs to. One that has no share of its own passes through what its teams own."""
    is_group: bool = False
    guaranteed: int = 0
    may_borrow: int | None = UNLIMITED
    may_lend: int | None = UNLIMITED
    weight: int = 1
    max_running: int | None = UNLIMITED
    """Jobs of the team that may hold capacity of the pool at once."""


@dataclass(slots=True, kw_only=True)
class Pool:
    id: int
    name: str
    version: int = 0
    """Moves with every change of capacity, quota, use or claims; a commit drops decisions made on an older one."""


@dataclass(slots=True, kw_only=True)
class Held:
    """Capacity that one run holds on one node."""

    node: int
    npus: tuple[int, ...]
    grains: int
    cpus: int = 0
    memory_mb: int = 0


@dataclass(slots=True, kw_only=True)
class Waiting:
    id: int
    team: int
    user: int
    partition: int
    pool: int
    submitted: int
    nodes_min: int = 1
    nodes_max: int | None = None
    """None = as many as nodes_min."""
    npus_per_node: int = 0
    cpus_per_node: int = 0
    memory_mb_per_node: int = 0
    whole_node: bool = False
    """--exclusive: nothing else may run on its nodes."""
    seconds: int | None = UNLIMITED
    rank: int = 0
    priority: int = 0
    """Orders starts within a class, greater first. Rank decides claims and is another number."""
    preemptible: bool = True
    own_only: bool = False
    """Takes only what its team is guaranteed: never borrows, so is never recalled."""
    nodes_only: frozenset[int] | None = None
    """--nodelist: exactly these must be among its nodes."""
    nodes_not: frozenset[int] = frozenset()
    not_before: int | None = None
    """Back-off after a failed start, or --begin."""


@dataclass(slots=True, kw_only=True)
class Running:
    """A job that has capacity: starting (admitted or submitted), running or leaving."""

    id: int
    team: int
    user: int
    pool: int
    partition: int
    held: tuple[Held, ...]
    started: int
    ends_by: int | None
    """Start plus limit; None without a limit. A job beyond its limit ends 'any moment now', not in the past."""
    rank: int = 0
    preemptible: bool = True
    whole_node: bool = False
    leaving: bool = False


@dataclass(slots=True, kw_only=True)
class Situation:
    now: int
    pools: tuple[Pool, ...]
    nodes: tuple[Node, ...]
    partitions: tuple[Partition, ...]
    shares: tuple[Share, ...]
    running: tuple[Running, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    clusters_away: Mapping[int, int] = field(default_factory=dict)
    """Clusters that do not answer, with the time since when: an input, not an obstacle. Nothing starts there."""
