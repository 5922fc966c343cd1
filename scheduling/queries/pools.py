"""Who uses what of the pools, in grains: what the bars show. The number of queries does not grow with the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Count, Q, Sum

from accounting.models import LoanEntry, Quota
from npu_inventory.models import NPU, Node, Pool
from portal.kit.grains import GRAINS_PER_NPU
from scheduling.models import Allocation, Job
from scheduling.models.job import HOLDING


@dataclass(slots=True, kw_only=True)
class TeamUse:
    team: int
    name: str
    slug: str
    colour: int
    guaranteed: int = 0
    may_borrow: int | None = None
    may_lend: int | None = None
    own: int = 0
    elastic: int = 0
    from_teams: int = 0
    lent: int = 0
    running_jobs: int = 0

    @property
    def borrowed(self) -> int:
        return self.elastic + self.from_teams

    @property
    def used(self) -> int:
        return self.own + self.borrowed

    @property
    def free(self) -> int:
        """Of the guarantee: neither used nor lent."""
        return max(0, self.guaranteed - self.own - self.lent)


@dataclass(slots=True, kw_only=True)
class PoolUse:
    pool: Pool
    capacity: int = 0
    used: int = 0
    own: int = 0
    borrowed: int = 0
    by_team: dict[int, TeamUse] = field(default_factory=dict)

    @property
    def free(self) -> int:
        return max(0, self.capacity - self.used)

    @property
    def elastic(self) -> int:
        """What is guaranteed to nobody."""
        return max(0, self.capacity - sum(team.guaranteed for team in self.by_team.values()))


def pool_use(pools: Iterable[Pool]) -> Mapping[int, PoolUse]:
    uses = {pool.pk: PoolUse(pool=pool) for pool in pools}
    _capacity(uses)
    for quota in Quota.objects.filter(pool__in=uses).select_related("team"):
        team = quota.team
        uses[quota.pool_id].by_team[team.pk] = TeamUse(
            team=team.pk,
            name=team.name,
            slug=team.slug,
            colour=team.colour,
            guaranteed=quota.guaranteed,
            may_borrow=quota.may_borrow,
            may_lend=quota.may_lend,
        )
    held = Q(state__in=HOLDING)
    sums = Job.objects.filter(held, pool__in=uses).values("pool", "team", "team__name", "team__slug", "team__colour")
    for row in sums.annotate(
        own=Sum("on_own"), elastic=Sum("on_elastic"), from_teams=Sum("on_borrowed"), jobs=Count("id")
    ).order_by("pool", "team"):
        use = uses[row["pool"]]
        team_use = use.by_team.setdefault(
            row["team"],
            TeamUse(team=row["team"], name=row["team__name"], slug=row["team__slug"], colour=row["team__colour"]),
        )
        team_use.own, team_use.elastic, team_use.from_teams = row["own"], row["elastic"], row["from_teams"]
        team_use.running_jobs = row["jobs"]
        use.own += team_use.own
        use.borrowed += team_use.borrowed
    for pool, lender, grains in (
        LoanEntry.objects.filter(pool__in=uses, until__isnull=True, lender__isnull=False)
        .values_list("pool", "lender")
        .annotate(grains=Sum("grains"))
        .order_by("pool", "lender")
    ):
        if lender in uses[pool].by_team:
            uses[pool].by_team[lender].lent = grains
    return uses


def _capacity(uses: dict[int, PoolUse]) -> None:
    npus = NPU.objects.filter(node__pool__in=uses, in_service=True).exclude(health=NPU.Health.FAULTY)
    counted = (
        npus.exclude(node__state=Node.State.DOWN).values("node__pool").annotate(n=Count("id")).order_by("node__pool")
    )
    for row in counted:
        uses[row["node__pool"]].capacity = row["n"] * GRAINS_PER_NPU
    held = Allocation.objects.held().filter(node__pool__in=uses).values("node__pool").annotate(n=Sum("grains"))
    for row in held.order_by("node__pool"):
        uses[row["node__pool"]].used = row["n"]
