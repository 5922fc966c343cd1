"""What teams have and use on pools, shaped for bars and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from accounting.models import Team
from npu_inventory.models import Pool
from scheduling.queries.pools import PoolUse, TeamUse, pool_use


def queue_url(**filters: str) -> str:
    """The rows behind a number."""
    return f"{reverse('queue')}?{urlencode(filters)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamOnPool:
    pool: Pool
    capacity: int
    use: TeamUse

    @property
    def url(self) -> str:
        return queue_url(scope="all", state="running", team=self.use.slug, pool=self.pool.name)

    @property
    def own_url(self) -> str:
        return f"{self.url}&source=own"

    @property
    def borrowed_url(self) -> str:
        return f"{self.url}&source=borrowed"

    @property
    def lent_url(self) -> str:
        """What is lent stands in others' rows: those of the pool that run on borrowed capacity."""
        return queue_url(scope="all", state="running", pool=self.pool.name, source="borrowed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNow:
    pool: Pool
    use: PoolUse
    teams: list[TeamOnPool]

    @property
    def url(self) -> str:
        return queue_url(scope="all", state="running", pool=self.pool.name)

    @property
    def own_url(self) -> str:
        return f"{self.url}&source=own"

    @property
    def borrowed_url(self) -> str:
        return f"{self.url}&source=borrowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """Of a team over its pools, in grains: for the sentence on top of a page."""

    guaranteed: int
    own: int
    borrowed: int
    lent: int
    free: int
    jobs: int

    @property
    def used(self) -> int:
        return self.own + self.borrowed


def pools_now() -> list[PoolNow]:
    """Every pool, with the teams that have or use something on it: the largest guarantee first."""
    pools = list(Pool.objects.all())
    uses = pool_use(pools)
    return [_pool_now(pool, uses[pool.pk]) for pool in pools]


def of_team(team: Team, pools: Iterable[PoolNow]) -> list[TeamOnPool]:
    return [row for pool in pools for row in pool.teams if row.use.team == team.pk]


def amounts(rows: Iterable[TeamOnPool]) -> Amounts:
    uses = [row.use for row in rows]
    return Amounts(
        guaranteed=sum(use.guaranteed for use in uses),
        own=sum(use.own for use in uses),
        borrowed=sum(use.borrowed for use in uses),
        lent=sum(use.lent for use in uses),
        free=sum(use.free for use in uses),
        jobs=sum(use.running_jobs for use in uses),
    )


def _pool_now(pool: Pool, use: PoolUse) -> PoolNow:
    teams = sorted(use.by_team.values(), key=lambda mine: (-mine.guaranteed, mine.name))
    rows = [TeamOnPool(pool=pool, capacity=use.capacity, use=mine) for mine in teams]
    return PoolNow(pool=pool, use=use, teams=rows)
