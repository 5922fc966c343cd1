from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from accounting.models import UsageInterval
from accounting.services import usage
from portal.kit.grains import GRAINS_PER_NPU
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.rows]
T0 = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def world() -> make.World:
    return make.world()


def holding(world: make.World, run: int, since: datetime, **npus: int) -> usage.Holding:
    return usage.Holding(
        run=run, job=run, team=world.nlp.pk, project=world.nlp.projects.get().pk, user=world.alice.pk, since=since,
        by_source={source: amount * GRAINS_PER_NPU for source, amount in npus.items()},
    )  # fmt: skip


def rows() -> list[tuple[str, int, float, float | None]]:
    """Source, NPUs, and seconds since T0."""
    return [
        (row.source, row.grains // GRAINS_PER_NPU, (row.since - T0).total_seconds(),
         (row.until - T0).total_seconds() if row.until else None)
        for row in UsageInterval.objects.order_by("since", "source", "id")
    ]  # fmt: skip


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def test_a_run_opens_at_its_start_and_closes_at_its_end(world: make.World) -> None:
    usage.recut(pool=world.pool.pk, at=T0, holdings=[holding(world, 1, T0, guaranteed=4)])
    usage.close(run=1, at=at(90))
    assert rows() == [("guaranteed", 4, 0, 90)]


def test_saying_it_twice_changes_nothing(world: make.World) -> None:
    for _ in range(2):
        usage.recut(pool=world.pool.pk, at=T0, holdings=[holding(world, 1, T0, guaranteed=4)])
    for _ in range(2):
        usage.close(run=1, at=at(90))
    assert rows() == [("guaranteed", 4, 0, 90)]


def test_a_loan_that_becomes_own_is_cut_at_the_event(world: make.World) -> None:
    usage.recut(pool=world.pool.pk, at=T0, holdings=[holding(world, 1, T0, elastic=4)])
    usage.recut(pool=world.pool.pk, at=at(60), holdings=[holding(world, 1, T0, guaranteed=3, elastic=1)])
    usage.close(run=1, at=at(100))
    assert rows() == [("elastic", 4, 0, 60), ("elastic", 1, 60, 100), ("guaranteed", 3, 60, 100)]


def test_seconds_are_whole(world: make.World) -> None:
    usage.recut(pool=world.pool.pk, at=at(0.7), holdings=[holding(world, 1, at(0.7), guaranteed=1)])
    usage.close(run=1, at=at(10.2))
    assert rows() == [("guaranteed", 1, 0, 10)]


def test_a_run_that_only_flashed_leaves_no_row(world: make.World) -> None:
    usage.recut(pool=world.pool.pk, at=at(0.1), holdings=[holding(world, 1, at(0.1), guaranteed=1)])
    usage.close(run=1, at=at(0.9))
    assert rows() == []


def test_two_cuts_within_a_second_keep_the_later(world: make.World) -> None:
    usage.recut(pool=world.pool.pk, at=T0, holdings=[holding(world, 1, T0, guaranteed=2)])
    usage.recut(pool=world.pool.pk, at=at(5.1), holdings=[holding(world, 1, T0, elastic=2)])
    usage.recut(pool=world.pool.pk, at=at(5.9), holdings=[holding(world, 1, T0, guaranteed=2)])
    usage.close(run=1, at=at(9))
    assert sum(end - start for _, _, start, end in rows() if end is not None) == 9


def test_a_start_heard_of_late_counts_from_its_beginning(world: make.World) -> None:
    usage.recut(pool=world.pool.pk, at=at(30), holdings=[holding(world, 2, at(10), guaranteed=1)])
    assert rows() == [("guaranteed", 1, 10, None)]
