"""The contract of a backend: what every kind of cluster must do for the portal, small enough to fake.

A backend knows neither the database nor Django: what it needs is handed to its constructor (`scheduling.connect`) and to
each call. Every call may be made twice, and by two workers at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from npu_inventory.reports import NodeReport


class BackendError(Exception):
    """`retryable`: the cluster is away or busy, the same call may go through later. Else it refuses for ever.

    `code` is one of a small stable set ("away", "refused", "unknown_run", ...), `detail` the backend's own words.
    """

    def __init__(self, code: str, detail: str = "", *, retryable: bool) -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail
        self.retryable = retryable


class Phase(StrEnum):
    """What a backend says of a run."""

    PENDING = "pending"
    RUNNING = "running"
    ENDED = "ended"
    LOST = "lost"  # the backend had it and knows nothing of it any more, nor how it ended


class Ending(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"  # stopped from outside: by the portal or natively


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a backend can do; a job that needs more is refused with a clear error before anything starts."""

    arrays: bool = False
    dependencies: bool = False
    heterogeneous: bool = False
    signals: bool = True
    own_nodes: bool = False
    """The nodes exist only as rows of the portal (nothing outside places jobs there)."""
    max_log_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A node and the physical ids of the NPUs that the run gets there. The backend keeps to them."""

    node: str
    npus: tuple[int, ...]
    cpus: int = 0
    memory_mb: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """All that a backend needs to start one run."""

    run: UUID
    job: int
    """Number of the job for people: %j, SLURM_JOB_ID."""
    attempt: int
    """From 1."""
    name: str
    user: str
    team: str
    partition: str
    script: str
    places: tuple[Place, ...]
    tasks: int = 1
    tasks_per_node: int | None = None
    cpus_per_task: int = 1
    time_limit_seconds: int | None = None
    grace_seconds: int = 30
    """Between SIGTERM and SIGKILL, at the time limit and on cancel."""
    output: str = "slurm-%j.out"
    error: str | None = None
    """None: into the same file as output."""
    signal: str | None = None
    """As in --signal: [B:]<number or name>[@seconds before the limit]."""
    array_index: int | None = None
    """Which index of the job's array this run is: %a, SLURM_ARRAY_TASK_ID. None for a job that is no array."""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRef:
    """How a run is named to the backend that has it. `backend_id` is None while a submission may or may not have happened."""

    run: UUID
    backend_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the backend says of one run. Times are the backend's own."""

    run: UUID
    backend_id: str
    phase: Phase
    started_at: datetime | None = None
    ended_at: datetime | None = None
    ending: Ending | None = None
    exit_code: int | None = None
    signal: int | None = None
    reason: str = ""
    """Stable code of what went wrong ("process_gone", "oom", "node_failed", "exit", ...); empty where there is nothing to say."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    text: str
    offset: int
    """Where this part begins, in bytes."""
    next_offset: int
    """Ask for this offset to go on. Falls back to 0 when the file was made anew."""
    size: int
    exists: bool = True


class Backend(Protocol):
    abilities: Abilities

    def submit(self, order: Order) -> str:
        """Starts the run and returns the backend's id. A run that it has already is not started again: its id is returned."""
        ...

    def find(self, run: UUID) -> str | None:
        """The backend's id of a run that may have been submitted; None only if it surely was not."""
        ...

    def cancel(self, ref: RunRef, *, grace_seconds: int) -> None:
        """Asks for an orderly stop: SIGTERM, then SIGKILL after the grace. Silent when it has ended already."""
        ...

    def signal(self, ref: RunRef, name: str) -> None: ...

    def observe(self, refs: Sequence[RunRef]) -> list[Observation]:
        """One answer for each run, in one round. BackendError(retryable=True) if the cluster is away."""
        ...

    def log(self, ref: RunRef, stream: str, *, offset: int, limit: int) -> LogPart:
        """Part of a log: stream "output" or "error". A negative offset counts from the end."""
        ...

    def nodes(self) -> list[NodeReport]:
        """The nodes as the cluster sees them now; empty for a backend whose nodes are only rows."""
        ...

    def sweep(self, *, keep: Collection[UUID], ended_before: datetime) -> int:
        """Lets go of what it keeps of runs that ended before; `keep` are those that may still be submitted."""
        ...
