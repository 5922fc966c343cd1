"""What would become of a job: for the submit page and the API, before anything is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings

from accounting import queries as accounts
from accounting.models import Project, Team, User
from accounting.rating import PriceList
from npu_inventory.models import Cluster, Partition
from portal.kit import clock, money
from portal.kit.access import May
from portal.kit.errors import Invalid, NotAllowed
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import engine, jobspec, snapshot
from scheduling.engine.decisions import Reason, Split
from scheduling.engine.situation import Situation
from scheduling.models import Job, State
from scheduling.queries.site import default_partition, partitions_for

NEVER = frozenset({Reason.TIME_LIMIT, Reason.IMPOSSIBLE, Reason.BEYOND_POTENTIAL})
TIER_RANK = 1000


@dataclass(frozen=True, slots=True)
class Never:
    """Why a job could not start even with everything free."""

    code: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """So much of the job, up to its limit, on the dearest source that it could be charged as."""

    source: str
    grains: int
    micro_per_npu_hour: int
    micro: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    job: Job
    """Not saved: its columns say what it takes."""
    split: Split | None
    """On whose quota it would run when it starts; None where that cannot be foreseen."""
    lenders: tuple[tuple[str | None, int], ...]
    """Team name (None: the elastic pool) and grains."""
    grains: int
    used_before: int
    used_after: int
    guaranteed: int
    may_borrow: int | None
    starts_now: bool
    expected_at: datetime | None
    assumption: str
    after: tuple[int, ...]
    place: int | None
    reason: str
    facts: Mapping[str, Any]
    never: Never | None
    cost: tuple[CostLine, ...]
    cost_micro: int | None
    """At most: if it runs to its limit. None without a limit."""
    other: Preview | None = None
    """The same job with the other choice of own only or borrowing, where that makes a difference."""


def draft(
    user: User,
    *,
    team: Team,
    project: Project | None,
    reading: jobspec.Reading,
    own_only: bool = False,
    now: datetime,
) -> Job:
    """The row that a submission would write, unsaved. Raises what a submission would be refused for."""
    if not user.may(May.SUBMIT, team) or not team.active:
        raise NotAllowed(code="may_not_submit", facts={"team": team.name})
    if project is None:
        project = team.projects.filter(active=True).order_by("-is_default", "name").first()
    if project is None or project.team_id != team.pk or not project.active:
        raise Invalid(code="no_project", field="project", facts={"team": team.name})
    if reading.spec is None or reading.errors:
        raise Invalid(
            code="script_has_errors",
            facts={"count": len(reading.errors)},
            findings=tuple(finding.to_dict() for finding in reading.findings),
        )
    spec = reading.spec
    partition = _partition(spec, team)
    part = spec.main
    nodes = part.nodes_min
    limit = partition.max_seconds if spec.time_unlimited else spec.time_limit_seconds or _default_limit(partition)
    return Job(
        name=(spec.name or "job")[:200],
        state=State.QUEUED,
        state_since=now,
        submitted_at=now,
        user=user,
        team=team,
        project=project,
        pool=partition.pool,
        partition=partition,
        spec=spec.to_dict(),
        nodes_only=_node_ids(spec.main.nodelist, partition),
        nodes_not=_node_ids(spec.main.exclude, partition),
        script=spec.script,
        nodes_min=nodes,
        nodes_max=part.nodes_max if part.nodes_max is None or part.nodes_max >= nodes else None,
        npus_per_node=part.npus_per_node,
        grains=part.npus_per_node * nodes * GRAINS_PER_NPU,
        cpus_per_node=-(-part.tasks // nodes) * part.cpus_per_task,
        memory_mb_per_node=_memory(part),
        whole_node=part.exclusive,
        time_limit_seconds=limit,
        own_only=own_only,
        rank=partition.tier * TIER_RANK,
    )


def _partition(spec: jobspec.JobSpec, team: Team) -> Partition:
    rows = partitions_for(team)
    if not rows:
        raise Invalid(code="no_quota", facts={"team": team.name})
    if spec.partition is None:
        found = default_partition(team)
    else:
        names = spec.partition.split(",")
        found = next((row for name in names for row in rows if row.name == name), None)
    if found is None:
        names_known = ", ".join(row.name for row in rows)
        raise Invalid(
            code="no_such_partition", field="partition", facts={"asked": spec.partition, "known": names_known}
        )
    if found.cluster.backend == Cluster.Backend.LOCAL and not settings.LOCAL_BACKEND_ALLOWED:
        raise Invalid(code="local_not_allowed", field="partition", facts={"partition": found.name})
    return found


def _default_limit(partition: Partition) -> int | None:
    return partition.default_seconds or partition.max_seconds


def _memory(part: jobspec.Component) -> int:
    if part.mem_mb_per_node is not None:
        return part.mem_mb_per_node
    if part.mem_mb_per_cpu is not None:
        return part.mem_mb_per_cpu * -(-part.tasks // part.nodes_min) * part.cpus_per_task
    return 0


def _node_ids(names: Collection[str], partition: Partition) -> list[int]:
    """Names were judged by the reader."""
    return [node.pk for node in partition.nodes.all() if node.name in names] if names else []


def never_starts(job: Job, *, now: datetime) -> Never | None:
    """The reason for which it could never start, whatever ends; None for a job that only has to wait."""
    return _never(snapshot.bare(now), job)


def _never(situation: Situation, job: Job) -> Never | None:
    """A cluster that is away or a closed door is passing, and must not hide what is for ever."""
    open_doors = tuple(replace(partition, open=True) for partition in situation.partitions)
    outcome = engine.what_if(
        replace(situation, clusters_away={}, partitions=open_doors, running=(), waiting=()), snapshot.waiting_of(job)
    )
    if outcome.reason in NEVER:
        return Never(f"never_{outcome.reason.value}", dict(outcome.facts))
    return None


def preview(
    user: User, *, team: Team, project: Project | None, reading: jobspec.Reading, own_only: bool = False
) -> Preview:
    """What would become of it if it were submitted now. Raises what a submission would be refused for."""
    now = clock.now()
    job = draft(user, team=team, project=project, reading=reading, own_only=own_only, now=now)
    situation = snapshot.take(now)
    prices = accounts.price_list()
    chosen, other = (_preview(_with_choice(job, choice), situation, prices) for choice in (own_only, not own_only))
    return replace(chosen, other=None if _alike(chosen, other) else other)


def _with_choice(job: Job, own_only: bool) -> Job:
    twin = copy(job)
    twin.own_only = own_only
    return twin


def _alike(one: Preview, other: Preview) -> bool:
    return (one.split, one.expected_at, one.never) == (other.split, other.expected_at, other.never)


def _preview(job: Job, situation: Situation, prices: PriceList) -> Preview:
    outcome = engine.what_if(situation, snapshot.waiting_of(job))
    names = {share.team: share.name for share in situation.shares}
    cost = _cost(job, outcome.guaranteed, prices, situation.now)
    expected = outcome.expected
    return Preview(
        job=job,
        split=outcome.split,
        lenders=tuple((names[loan.lender] if loan.lender else None, loan.grains) for loan in outcome.loans),
        grains=outcome.grains,
        used_before=outcome.used_before,
        used_after=outcome.used_after,
        guaranteed=outcome.guaranteed,
        may_borrow=outcome.may_borrow,
        starts_now=outcome.starts_now,
        expected_at=clock.from_epoch(expected.at) if expected.at is not None else None,
        assumption=expected.assumption.value,
        after=tuple(expected.after),
        place=outcome.place,
        reason=outcome.reason.value if outcome.reason else "",
        facts=dict(outcome.facts),
        never=_never(situation, job),
        cost=cost,
        cost_micro=sum(line.micro for line in cost) if job.time_limit_seconds is not None else None,
    )


def _cost(job: Job, guaranteed: int, prices: PriceList, now: int) -> tuple[CostLine, ...]:
    """At most: if it starts now and runs to its limit."""
    parts = prices.at_most(
        pool=job.pool_id,
        grains=job.grains,
        guaranteed=guaranteed,
        own_only=job.own_only,
        since=now,
        until=now + (job.time_limit_seconds or 0),
    )
    return tuple(
        CostLine(
            source=stretch.source,
            grains=stretch.grains,
            micro_per_npu_hour=prices.at(job.pool_id, stretch.source, now),
            micro=money.round_micro(cost),
        )
        for stretch, cost in parts
    )
