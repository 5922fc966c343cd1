"""A change of quotas while jobs run: usage is cut at the change, once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from accounting.models import AccountingEvent, Quota, UsageInterval
from npu_inventory.models import NPU
from portal.kit import clock
from portal.kit.errors import Invalid
from portal.kit.grains import GRAINS_PER_NPU, from_npus
from scheduling.models import Allocation, Job, Run, State
from scheduling.services import observe, quotas
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.rows]
MIDNIGHT = datetime(2026, 12, 1, 16, tzinfo=UTC)  # of the 2nd in Shanghai
TODAY = date(2026, 12, 2)
BEGAN = MIDNIGHT - timedelta(hours=1)

SetClock = Callable[[datetime], None]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    return lambda moment: monkeypatch.setattr(clock, "now", lambda: moment)


@pytest.fixture
def world() -> make.World:
    """NLP is guaranteed 5 of 16 NPUs, and 4 are guaranteed to nobody."""
    return make.world()


def running(world: make.World, *, npus: int) -> Job:
    job = make.job(world.alice, world.nlp, state=State.RUNNING, npus=npus, started_at=BEGAN)
    run = Run.objects.create(
        job=job, cluster=world.cluster, attempt=1, state=Run.State.RUNNING, created_at=BEGAN, started_at=BEGAN
    )
    Allocation.objects.bulk_create(
        Allocation(run=run, node=world.nodes[0], npu=npu, grains=GRAINS_PER_NPU)
        for npu in NPU.objects.filter(node=world.nodes[0])[:npus]
    )
    observe.settle(pool=world.pool.pk, at=BEGAN)
    return job


def used() -> list[tuple[str, int, int, int | None]]:
    """Source, NPUs, and minutes after midnight."""
    return sorted(
        (row.source, row.grains // GRAINS_PER_NPU, _minutes(row.since), _minutes(row.until) if row.until else None)
        for row in UsageInterval.objects.all()
    )


def _minutes(moment: datetime) -> int:
    return (moment - MIDNIGHT) // timedelta(minutes=1)


def took_effect(now: datetime) -> int:
    """What a look at the backends does with the midnights that are due; how many there were."""
    cuts = quotas.due(now)
    observe.run(now, cuts=cuts)
    return len(cuts)


def test_usage_is_cut_when_a_quota_is_changed(world: make.World, at: SetClock) -> None:
    running(world, npus=8)
    at(MIDNIGHT - timedelta(minutes=20))
    quotas.change(world.nlp, world.pool, by=world.olga, guaranteed=from_npus(8))
    assert used() == [("elastic", 3, -60, -20), ("guaranteed", 5, -60, -20), ("guaranteed", 8, -20, None)]


def test_change_is_in_the_audit_log_with_its_limits_and_dates(world: make.World) -> None:
    quotas.change(world.nlp, world.pool, by=world.olga, guaranteed=0, weight=3, ends=TODAY)
    [event] = AccountingEvent.objects.filter(what="quota_set")
    assert (event.by, event.team) == (world.olga, world.nlp)
    assert event.facts == {"guaranteed": 0, "weight": 3, "ends": "2026-12-02"}


def test_guarantees_beyond_the_pool_are_refused_and_change_nothing(world: make.World) -> None:
    running(world, npus=8)
    before, version = used(), world.pool.version
    with pytest.raises(Invalid) as refusal:
        quotas.change(world.nlp, world.pool, by=world.olga, guaranteed=from_npus(10))
    assert (refusal.value.code, refusal.value.field) == ("guarantees_exceed_pool", "guaranteed")
    assert refusal.value.facts == {"free": from_npus(9), "asked": from_npus(10), "pool": "910B"}
    world.pool.refresh_from_db()
    assert (used(), world.pool.version) == (before, version)
    assert not AccountingEvent.objects.exists()


@pytest.mark.parametrize(
    ("dates", "before", "after"),
    [
        ({"ends": TODAY}, [("guaranteed", 3, -60, 0)], [("elastic", 3, 0, None)]),
        ({"starts": TODAY}, [("elastic", 3, -60, 0)], [("guaranteed", 3, 0, None)]),
    ],
)
def test_dated_quota_cuts_usage_at_the_organisations_midnight(
    world: make.World, dates: dict[str, date], before: list[object], after: list[object]
) -> None:
    Quota.objects.filter(team=world.nlp).update(**dates)
    running(world, npus=3)
    assert took_effect(MIDNIGHT - timedelta(seconds=1)) == 0
    assert took_effect(MIDNIGHT + timedelta(minutes=50)) == 1
    assert used() == sorted(before + after)


def test_midnight_takes_effect_once(world: make.World) -> None:
    Quota.objects.filter(team=world.nlp).update(ends=TODAY)
    Quota.objects.filter(team=world.vision).update(starts=TODAY)
    running(world, npus=3)
    assert [took_effect(MIDNIGHT + timedelta(minutes=minutes)) for minutes in (1, 2, 600)] == [1, 0, 0]
    [event] = AccountingEvent.objects.filter(what=quotas.TOOK_EFFECT)
    assert (event.at, event.about, event.by) == (MIDNIGHT, "910b", None)
    world.pool.refresh_from_db()
    assert world.pool.version == 1


def test_each_day_that_was_missed_takes_effect_at_its_own_midnight(world: make.World) -> None:
    Quota.objects.filter(team=world.nlp).update(starts=TODAY, ends=TODAY + timedelta(days=1))
    running(world, npus=3)
    assert took_effect(MIDNIGHT + timedelta(days=2)) == 2
    assert used() == [("elastic", 3, -60, 0), ("elastic", 3, 1440, None), ("guaranteed", 3, 0, 1440)]
