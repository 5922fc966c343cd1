"""What the queue shows: who waits in which order, who runs, what has ended. Read page by page, with a number of queries
that does not grow with the jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.db.models import Count, DurationField, ExpressionWrapper, F, IntegerField, OrderBy, Q, Subquery, Sum, Value
from django.db.models.expressions import Expression
from django.db.models.functions import Cast

from accounting.models import User
from portal.kit.access import May
from scheduling.models import Allocation, Job, State
from scheduling.models.job import ENDED, HOLDING, WAITING, JobQuerySet

UNREAD = ("script", "spec", "findings")  # large, and no list shows them


class Group(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


STATES: Mapping[Group, frozenset[State]] = {Group.WAITING: WAITING, Group.RUNNING: HOLDING, Group.ENDED: ENDED}
GROUP_OF = {state: group for group, states in STATES.items() for state in states}


class Scope(StrEnum):
    MINE = "mine"
    TEAM = "team"
    ALL = "all"


def in_scope(user: User, scope: Scope) -> Q:
    match scope:
        case Scope.MINE:
            return Q(user=user)
        case Scope.TEAM:
            return Q(team__in=list(user.roles_by_team))
        case Scope.ALL:
            return Q()


@dataclass(slots=True)
class Tally:
    jobs: int = 0
    grains: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    """Of the filtered jobs: how many in each scope, and in each group of the chosen scope how many with how much."""

    scopes: Mapping[Scope, int]
    groups: Mapping[Group, Tally]


def tallies(jobs: JobQuerySet, *, user: User, scope: Scope) -> Tallies:
    """One query. `jobs` are filtered by everything but the scope."""
    wanted = {each: in_scope(user, each) for each in Scope}
    counts = {f"{each}_jobs": Count("pk", filter=where) for each, where in wanted.items()}
    sums = {f"{each}_grains": Sum("grains", filter=where) for each, where in wanted.items()}
    scopes = dict.fromkeys(Scope, 0)
    groups: dict[Group, Tally] = {group: Tally() for group in Group}
    counted: Iterable[Mapping[str, Any]] = jobs.order_by().values("state").annotate(**counts, **sums)
    for row in counted:
        for each in Scope:
            scopes[each] += row[f"{each}_jobs"]
        tally = groups[GROUP_OF[State(row["state"])]]
        tally.jobs += row[f"{scope}_jobs"]
        tally.grains += row[f"{scope}_grains"] or 0
    return Tallies(scopes=scopes, groups=groups)


def ends_by() -> Expression | F:
    """Start plus limit, reckoned by the database; null without either."""
    limit = ExpressionWrapper(
        Cast("time_limit_seconds", IntegerField()) * Value(timedelta(seconds=1)), output_field=DurationField()
    )
    return ExpressionWrapper(F("started_at") + limit, output_field=Job._meta.get_field("started_at"))


def ordered(jobs: JobQuerySet, group: Group, sort: str = "place") -> JobQuerySet:
    """By number, team, npus or start, a minus before it turns it round; else in the group's own order."""
    down, key = sort.startswith("-"), sort.removeprefix("-")
    columns = {"number": F("id"), "team": F("team__name"), "npus": F("grains"), "start": _moment(group)}
    column = columns.get(key)
    if column is None:
        return _by_place(jobs, group).reverse() if sort == "-place" else _by_place(jobs, group)
    return jobs.order_by(OrderBy(column, descending=down, nulls_last=True), "-id" if down else "id")


def _by_place(jobs: JobQuerySet, group: Group) -> JobQuerySet:
    if group is Group.WAITING:
        return jobs.in_start_order()
    if group is Group.RUNNING:
        return jobs.order_by(OrderBy(_moment(group), nulls_last=True), "id")
    return jobs.order_by("-ended_at", "-id")


def _moment(group: Group) -> Expression | F:
    if group is Group.RUNNING:
        return ends_by()
    return F("expected_at") if group is Group.WAITING else F("ended_at")


@dataclass(slots=True)
class Listing:
    """Groups behind each other as one list that a paginator can cut: only the groups that a page touches are read."""

    jobs: JobQuerySet
    groups: Mapping[Group, Tally]
    sort: str = "place"
    ordered: bool = field(default=True, init=False)  # told to the paginator

    def __len__(self) -> int:
        return sum(tally.jobs for tally in self.groups.values())

    def __getitem__(self, window: slice) -> list[Job]:
        found: list[Job] = []
        begins = 0
        for group, tally in self.groups.items():
            first, last = max(window.start - begins, 0), min(window.stop - begins, tally.jobs)
            if first < last:
                found += self._part(group, first, last)
            begins += tally.jobs
        return found

    def _part(self, group: Group, first: int, last: int) -> Iterable[Job]:
        """Numbers first: rows are wide, and only those of the page are worth carrying through the sorting."""
        numbers = ordered(self.jobs.filter(state__in=STATES[group]), group, self.sort).values("pk")[first:last]
        return ordered(Job.objects.filter(pk__in=numbers).with_people().defer(*UNREAD), group, self.sort)


def nodes_of(jobs: Iterable[Job]) -> dict[int, list[str]]:
    """Names of the nodes that a job has, or had when it ended, by job."""
    rows = Allocation.objects.filter(Q(released_at__isnull=True) | Q(run__job__state__in=ENDED))
    rows = rows.filter(run__job__in=[job.pk for job in jobs if not job.is_waiting])
    names: dict[int, list[str]] = defaultdict(list)
    for job, node in rows.order_by("node__name").values_list("run__job", "node__name").distinct():
        names[job].append(node)
    return names


def visible_among(user: User, numbers: Iterable[int]) -> set[int]:
    wanted = set(numbers)
    if not wanted or user.may_at_centre(May.SEE):
        return wanted
    return set(Job.objects.where(user, May.SEE).filter(pk__in=wanted).values_list("pk", flat=True))


def next_of(user: User) -> Job | None:
    """The person's own job that is to start next."""
    own = Job.objects.filter(user=user, state=State.QUEUED)
    soonest = own.order_by(F("expected_at").asc(nulls_last=True), F("place").asc(nulls_last=True), "id").values("pk")
    return Job.objects.filter(pk=Subquery(soonest[:1])).defer(*UNREAD).first()
