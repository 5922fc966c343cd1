"""What teams are guaranteed."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Sum

from accounting.models import AccountingEvent, Quota, Team, User
from npu_inventory.models import NPU, Node, Pool
from portal.kit import clock
from portal.kit.errors import Invalid
from portal.kit.grains import GRAINS_PER_NPU
from portal.kit.wake import wake


def capacity(pool: Pool) -> int:
    """In grains: the pool's NPUs on nodes that are not down, faulty ones and those out of service apart."""
    npus = NPU.objects.filter(node__pool=pool, in_service=True).exclude(health=NPU.Health.FAULTY)
    return npus.exclude(node__state=Node.State.DOWN).count() * GRAINS_PER_NPU


@transaction.atomic
def set_quota(team: Team, pool: Pool, *, by: User | None, guaranteed: int, **limits: Any) -> Quota:
    """Sets a team's quota on a pool. Refused where the guarantees would sum to more than the pool has (`engine.md` A.1)."""
    Pool.objects.select_for_update().get(pk=pool.pk)
    others = Quota.objects.filter(pool=pool).exclude(team=team).aggregate(sum=Sum("guaranteed"))["sum"] or 0
    if others + guaranteed > capacity(pool):
        raise Invalid(
            code="guarantees_exceed_pool",
            field="guaranteed",
            facts={"free": capacity(pool) - others, "asked": guaranteed, "pool": str(pool)},
        )
    quota = Quota.objects.filter(team=team, pool=pool).first() or Quota(team=team, pool=pool)
    quota.guaranteed = guaranteed
    for name, value in limits.items():
        setattr(quota, name, value)
    quota.full_clean()
    quota.save()
    Pool.touch(pool.pk)
    facts = {name: str(value) if isinstance(value, date) else value for name, value in limits.items()}
    AccountingEvent.objects.create(
        at=clock.now(), by=by, team=team, what="quota_set", about=str(pool), facts={"guaranteed": guaranteed, **facts}
    )
    wake("scheduling.run_pass")
    return quota
