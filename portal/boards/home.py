"""What needs me now? My jobs, my teams' quotas; for those who look over teams the pools and what is broken."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from django.conf import settings
from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, When
from django.utils import timezone

from accounting.models import Membership, Team, UsageInterval, User
from accounting.queries import usage_lines
from npu_inventory.models import NPU, Cluster, Node
from portal.boards.quotas import Amounts, PoolNow, TeamOnPool, amounts, of_team, pools_now
from portal.boards.teams import own_memberships
from portal.boards.usage import period_of
from portal.kit.access import ALLOWS, May, Role
from scheduling.models import Job, State
from scheduling.models.job import ENDED, HOLDING, WAITING
from scheduling.queries.queue import UNREAD
from scheduling.queries.steps import steps_for
from scheduling.tables import Row
from scheduling.texts import reasons

ROWS = 15
MOST_NEEDS = 5
A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamCard:
    team: Team
    pools: list[TeamOnPool]
    may_submit: bool
    week_cost: int | None

    @property
    def amounts(self) -> Amounts:
        return amounts(self.pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Three things to try. The first two are done when the rows say so, the third when its button is pressed."""

    team: Team
    submitted: bool
    started: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MyJobs:
    running: int = 0
    waiting: int = 0
    ended_today: int = 0
    next_start: datetime | None = None
    rows: list[Row] = field(default_factory=list)
    """Those that run, the first of those that wait, and what ended today."""
    failed: list[Row] = field(default_factory=list)
    """Of the last day, neither submitted again nor put aside."""
    tried: int = 0
    """Submitted since the beginning that the three steps count from, and of those the ones that began."""
    tried_started: int = 0
    before: int = 0
    """Submitted before that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    clusters: list[Cluster]
    nodes: list[Node]
    npus: list[NPU]

    def __len__(self) -> int:
        return len(self.clusters) + len(self.nodes) + len(self.npus)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    teams: list[TeamCard]
    jobs: MyJobs
    pools: list[PoolNow]
    """Only for those with a role over teams."""
    broken: Broken | None
    """Only for operators."""
    steps: Steps | None

    @property
    def needs(self) -> int:
        return len(self.jobs.failed) + (len(self.broken) if self.broken else 0)

    @property
    def may_submit(self) -> bool:
        return any(card.may_submit for card in self.teams)


def read(user: User, *, now: datetime, put_aside: Collection[int], steps_done: bool) -> Home:
    memberships = own_memberships(user)
    pools = pools_now()
    costs = _week_costs([row.team for row in memberships if _may(row, May.SEE_MONEY)], now=now)
    begin = _steps_count_from(user, now)
    jobs = _my_jobs(user, now=now, put_aside=put_aside, begin=begin) if memberships else MyJobs()
    submitting = [row.team for row in memberships if _may(row, May.SUBMIT)]
    wants_steps = submitting and not steps_done and (settings.DEMO or not jobs.before)
    return Home(
        teams=[
            TeamCard(
                team=row.team,
                pools=of_team(row.team, pools),
                may_submit=_may(row, May.SUBMIT),
                week_cost=costs.get(row.team_id),
            )
            for row in memberships
        ],
        jobs=jobs,
        pools=pools if user.grants else [],
        broken=_broken() if user.is_operator else None,
        steps=Steps(team=submitting[0], submitted=bool(jobs.tried), started=bool(jobs.tried_started))
        if wants_steps
        else None,
    )


def _may(membership: Membership, may: May) -> bool:
    return may in ALLOWS[Role(membership.role)]


def _my_jobs(user: User, *, now: datetime, put_aside: Collection[int], begin: datetime) -> MyJobs:
    mine = Job.objects.filter(user=user)
    midnight = timezone.make_aware(datetime.combine(timezone.localdate(now), time()))
    counts = mine.aggregate(
        running=Count("pk", filter=Q(state__in=HOLDING)),
        waiting=Count("pk", filter=Q(state__in=WAITING)),
        ended_today=Count("pk", filter=Q(state__in=ENDED, ended_at__gte=midnight)),
        next_start=Min("expected_at", filter=Q(state=State.QUEUED)),
        tried=Count("pk", filter=Q(submitted_at__gte=begin)),
        tried_started=Count(
            "pk", filter=Q(submitted_at__gte=begin) & (Q(started_at__isnull=False) | Q(state__in=ENDED))
        ),
        before=Count("pk", filter=Q(submitted_at__lt=begin)),
    )
    rank = Case(When(state__in=HOLDING, then=0), When(state__in=WAITING, then=1), default=2)
    shown = mine.filter(~Q(state__in=ENDED) | Q(ended_at__gte=midnight)).with_people().defer(*UNREAD)
    shown = shown.order_by(rank, F("place").asc(nulls_last=True), F("ended_at").desc(nulls_last=True), "-id")[:ROWS]
    again = Exists(Job.objects.filter(resubmit_of=OuterRef("pk")))
    failed = mine.filter(~again, state__in=(State.FAILED, State.TIMED_OUT), ended_at__gte=now - A_DAY)
    failed = failed.exclude(pk__in=put_aside).with_people().defer(*UNREAD).order_by("-ended_at")[:MOST_NEEDS]
    return MyJobs(
        **counts,
        rows=[_my_job(user, job, now) for job in shown],
        failed=[_my_job(user, job, now) for job in failed],
    )


def _my_job(user: User, job: Job, now: datetime) -> Row:
    """Like a row of the queue, without what only others' jobs and the list of nodes need."""
    return Row(
        job=job,
        now=now,
        seen=True,
        mine=True,
        told=reasons.told(job, now=now),
        linked=frozenset(),
        nodes=(),
        steps=frozenset(step.value for step in steps_for(user, job)),
    )


def _week_costs(teams: list[Team], *, now: datetime) -> dict[int, int]:
    if not teams:
        return {}
    week = period_of("week", now)
    rows = UsageInterval.objects.filter(team__in=teams)
    lines = usage_lines(rows, start=week.start, end=week.end, now=now, by=lambda row: (row.team_id, ""))
    return dict.fromkeys((team.pk for team in teams), 0) | {line.key: line.cost for line in lines}


def _steps_count_from(user: User, now: datetime) -> datetime:
    """The demo's people have jobs of old: there each sign-in begins anew. Else somebody is new for a day."""
    return (user.last_login or now) if settings.DEMO else now - A_DAY


def _broken() -> Broken:
    return Broken(
        clusters=list(Cluster.objects.filter(enabled=True, away_since__isnull=False)),
        nodes=list(Node.objects.filter(state=Node.State.DOWN).select_related("cluster")[:10]),
        npus=list(NPU.objects.exclude(health=NPU.Health.OK).select_related("node__cluster")[:10]),
    )
