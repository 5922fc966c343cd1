"""Teams: look-up for somebody, the list that shows who has and uses what, one team's page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db.models import F, Prefetch, prefetch_related_objects

from accounting.models import Membership, Project, Team, User
from portal.boards.quotas import Amounts, PoolNow, TeamOnPool, amounts, of_team, pools_now
from portal.boards.usage import Usage, team_usage
from portal.kit.access import May, Role
from portal.kit.errors import NotAllowed, NotFound
from scheduling.models import Job
from scheduling.queries.queue import UNREAD

RUNNING_ROWS = 20


def own_memberships(user: User) -> list[Membership]:
    """With their teams; what the person may do is asked of the same rows, without another look."""
    if "memberships" not in getattr(user, "_prefetched_objects_cache", {}):
        prefetch_related_objects([user], Prefetch("memberships", Membership.objects.select_related("team__department")))
    return sorted((row for row in user.memberships.all() if row.team.active), key=lambda row: row.team.name)


def team_for(user: User, slug: str, may: May | None = None) -> Team:
    """That a team exists, what it is guaranteed and what it uses is seen by all; anything else needs the right to it."""
    own = (row.team for row in own_memberships(user) if row.team.slug == slug)
    team = next(own, None) or Team.objects.select_related("department").filter(slug=slug, active=True).first()
    if team is None:
        raise NotFound()
    if may is not None and not user.may(may, team):
        raise NotAllowed()
    return team


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRow:
    team: Team
    mine: bool
    pools: list[TeamOnPool]

    @property
    def amounts(self) -> Amounts:
        return amounts(self.pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsPage:
    rows: list[TeamRow]
    pools: list[PoolNow]

    @property
    def borrowers(self) -> int:
        return sum(bool(row.amounts.borrowed) for row in self.rows)

    @property
    def lenders(self) -> int:
        return sum(bool(row.amounts.lent) for row in self.rows)


def all_teams(user: User) -> TeamsPage:
    pools = pools_now()
    teams = Team.objects.filter(active=True).select_related("department")
    mine = user.roles_by_team
    rows = [TeamRow(team=team, mine=team.pk in mine, pools=of_team(team, pools)) for team in teams]
    return TeamsPage(rows=rows, pools=pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamPage:
    team: Team
    pools: list[TeamOnPool]
    may_see: bool
    may_see_jobs: bool
    may_see_money: bool
    may_manage: bool
    may_submit: bool
    is_own: bool
    """Others see its projects as lines of its usage."""
    usage: Usage | None = None
    running: list[Job] = field(default_factory=list)
    members: list[Membership] = field(default_factory=list)
    projects: list[Project] = field(default_factory=list)

    @property
    def amounts(self) -> Amounts:
        return amounts(self.pools)

    @property
    def leads(self) -> int:
        return sum(row.role == Role.LEAD for row in self.members)


def team_page(user: User, team: Team, *, period: str, now: datetime) -> TeamPage:
    """Others than those with a right to its usage see what is fair to see: guarantee, use, lent and borrowed."""
    pools = of_team(team, pools_now())
    may_see_jobs = user.may(May.SEE, team)
    page = TeamPage(
        team=team,
        pools=pools,
        may_see=user.may(May.SEE_USAGE, team),
        may_see_jobs=may_see_jobs,
        may_see_money=user.may(May.SEE_MONEY, team),
        may_manage=user.may(May.MANAGE, team),
        may_submit=user.may(May.SUBMIT, team),
        is_own=team.pk in user.roles_by_team,
    )
    if not page.may_see:
        return page
    running = Job.objects.filter(team=team).holding().with_people().order_by(F("started_at").desc(nulls_last=True))
    return replace(
        page,
        usage=team_usage(team, period, now=now),
        running=list(running.defer(*UNREAD)[:RUNNING_ROWS]) if may_see_jobs else [],
        members=list(team.memberships.select_related("user").order_by("user__name", "user__username")),
        projects=list(team.projects.order_by("-active", "name")) if page.is_own else [],
    )
