"""What the engine answers. A refusal is a value with one reason and its numbers, never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scheduling.engine.situation import Held


class Reason(StrEnum):
    """Why a job waits: the closed set, in the order of the gates. The first gate that it fails is its reason."""

    CLUSTER_AWAY = "cluster_away"
    PARTITION_CLOSED = "partition_closed"
    NOT_YET = "not_yet"  # back-off or --begin
    TIME_LIMIT = "time_limit"  # asks for longer than its partition allows
    IMPOSSIBLE = "impossible"  # no set of the partition's nodes, even empty, could hold it
    BEYOND_POTENTIAL = "beyond_potential"  # more than the team could ever have: guarantee plus what may be borrowed
    RUNNING_LIMIT = "running_limit"
    OWN_FULL = "own_full"  # takes only own capacity and the guarantee is in use
    BORROW_LIMIT = "borrow_limit"
    NOTHING_TO_LEND = "nothing_to_lend"  # owners use or keep what they have
    POOL_FULL = "pool_full"  # fewer NPUs idle in the pool than it needs
    FRAGMENTED = "fragmented"  # enough idle in sum, not in pieces that fit
    NODE_RESOURCES = "node_resources"  # NPUs fit, cores or memory do not
    OWNER_WAITS = "owner_waits"  # capacity is kept for a claim
    RESERVED = "reserved"  # would delay a reservation


class Assumption(StrEnum):
    """What an expected start rests on."""

    RUNNING_LIMITS = "running_limits"  # running jobs end by their limits
    NEXT_PASS = "next_pass"  # fits now
    UNKNOWN = "unknown"  # something that it waits for has no limit, or it is beyond the horizon


@dataclass(slots=True, kw_only=True)
class Split:
    """On whose quota an amount is, in grains: sums to the whole."""

    guaranteed: int = 0
    elastic: int = 0
    borrowed: int = 0

    @property
    def by_source(self) -> dict[str, int]:
        """Zeros left out."""
        amounts = {"guaranteed": self.guaranteed, "elastic": self.elastic, "borrowed": self.borrowed}
        return {source: grains for source, grains in amounts.items() if grains}


@dataclass(slots=True, kw_only=True)
class Expected:
    at: int | None
    assumption: Assumption
    after: tuple[int, ...] = ()
    """Jobs whose ends it waits for, the decisive one last."""


@dataclass(slots=True, kw_only=True)
class Start:
    job: int
    pool: int
    team: int
    placement: tuple[Held, ...]
    grains: int
    split: Split


@dataclass(slots=True, kw_only=True)
class Wait:
    job: int
    reason: Reason
    facts: Mapping[str, int | str | list[int]]
    """Numbers for the sentence. Amounts in grains, times in epoch seconds, jobs by id; see `explain.py` for the keys."""
    place: int | None
    """1 = next. None for a job that has no place in the queue (not yet, impossible)."""
    expected: Expected


@dataclass(slots=True, kw_only=True)
class Loan:
    """A row of the ledger: derived from what runs, recomputed by every plan."""

    pool: int
    lender: int | None
    """Team that lends; None = the elastic pool, or a group where that is named."""
    borrower: int
    job: int
    grains: int
    lender_group: int | None = None
    """Group that lends out of its own quota."""


@dataclass(slots=True, kw_only=True)
class Claim:
    """Capacity that others hold and that must come back, with the jobs to be recalled for it."""

    job: int
    kind: str
    victims: tuple[int, ...]
    placement: tuple[Held, ...]
    deadline: int


@dataclass(slots=True, kw_only=True)
class Notice:
    """A recall to be told to one running job."""

    job: int
    claim_of: int
    stop_at: int


@dataclass(slots=True, kw_only=True)
class Reservation:
    job: int
    start: int
    placement: tuple[Held, ...]


@dataclass(slots=True, kw_only=True)
class Plan:
    now: int
    versions: Mapping[int, int]
    """Version of each pool that the plan was made on."""
    starts: tuple[Start, ...] = ()
    waits: tuple[Wait, ...] = ()
    loans: tuple[Loan, ...] = ()
    """The ledger as it is once the starts have been made."""
    splits: Mapping[int, Split] = field(default_factory=dict)
    """Split of every running and starting job, by job id."""
    claims: tuple[Claim, ...] = ()
    notices: tuple[Notice, ...] = ()
    reservations: tuple[Reservation, ...] = ()


@dataclass(slots=True, kw_only=True)
class Preview:
    """What would become of a job if it were submitted now."""

    job: int
    starts_now: bool
    reason: Reason | None
    """Why it would wait; None when it starts now."""
    facts: Mapping[str, int | str | list[int]]
    place: int | None
    expected: Expected
    grains: int
    """What it would be charged; of a job that takes whole nodes an estimate until it starts."""
    split: Split | None
    """On whose quota it would be at its start; None when that moment is unknown."""
    loans: tuple[Loan, ...]
    """From whom its team would borrow for it."""
    guaranteed: int
    may_borrow: int | None
    used_before: int
    used_after: int
    """Of its team on this pool, were it to start now."""
