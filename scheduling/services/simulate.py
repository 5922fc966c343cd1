"""What would become of a job: for the submit page and the API, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounting.models import Project, Team, User
from npu_inventory.models import Partition
from portal.kit.access import May
from portal.kit.errors import Invalid, NotAllowed
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import engine, jobspec, snapshot
from scheduling.engine.decisions import Reason, Split
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
    """So much of the job on one source, at the price of now, up to its limit."""

    source: str
    grains: int
    micro_per_npu_hour: int
    micro: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    job: Job
    """Not saved: its columns say what it takes."""
    split: Split
    lenders: tuple[tuple[str | None, int], ...]
    """Team name (None: the elastic pool) and grains."""
    used_before: int
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
    limit = None if spec.time_unlimited else spec.time_limit_seconds or _default_limit(partition)
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
        spec=spec.to_dict() | _node_ids(spec, partition),
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
    return found


def _default_limit(partition: Partition) -> int | None:
    return partition.default_seconds or partition.max_seconds


def _memory(part: jobspec.Component) -> int:
    if part.mem_mb_per_node is not None:
        return part.mem_mb_per_node
    if part.mem_mb_per_cpu is not None:
        return part.mem_mb_per_cpu * -(-part.tasks // part.nodes_min) * part.cpus_per_task
    return 0


def _node_ids(spec: jobspec.JobSpec, partition: Partition) -> dict[str, list[int]]:
    """--nodelist and --exclude as rows; names were judged by the reader."""
    if not spec.main.nodelist and not spec.main.exclude:
        return {}
    ids = {node.name: node.pk for node in partition.nodes.all()}
    return {
        "portal_nodes_only": [ids[name] for name in spec.main.nodelist if name in ids],
        "portal_nodes_not": [ids[name] for name in spec.main.exclude if name in ids],
    }


def never_starts(job: Job, *, now: datetime) -> Never | None:
    """The reason for which it could never start, whatever ends; None for a job that only has to wait."""
    outcome = engine.judge_empty(snapshot.take(now), snapshot.waiting_of(job))
    return Never(f"never_{outcome.reason.value}", dict(outcome.facts)) if outcome and outcome.reason in NEVER else None
