"""A plan meets rows that have moved since it was made."""

from __future__ import annotations

import pytest

from npu_inventory.models import Pool
from portal.kit import clock
from scheduling import apply, engine, jobspec, snapshot
from scheduling.models import Allocation, Command, Job, Pass, State
from scheduling.queries.site import site_for
from scheduling.services import jobs, passes
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.rows]


@pytest.fixture
def world() -> make.World:
    return make.world()


@pytest.fixture
def second(world: make.World) -> Pool:
    """Another pool behind a door of its own, on which NLP has a quota as well."""
    pool = make.pool("310p")
    make.partition("inference", nodes=[make.node("small-01", of=world.cluster, into=pool)], max_seconds=3600)
    make.quota(world.nlp, pool, 4)
    return pool


def submit(world: make.World, *, door: str, npus: int = 1) -> Job:
    script = make.script(npus=npus).replace("#SBATCH --nodes", f"#SBATCH --partition={door}\n#SBATCH --nodes")
    reading = jobspec.read(script, site_for(world.alice, world.nlp))
    return jobs.submit(world.alice, team=world.nlp, project=None, reading=reading)


def test_pool_that_moved_on_drops_its_decisions_and_no_others(world: make.World, second: Pool) -> None:
    here, there = submit(world, door="training"), submit(world, door="inference")
    waiting = submit(world, door="inference", npus=8)
    situation = snapshot.take(clock.now())
    plan = engine.plan(situation)
    assert {start.job for start in plan.starts} == {here.pk, there.pk}
    Pool.touch(second.pk)
    record = apply.commit(plan, situation, record=Pass(started_at=clock.now()))
    for job in (here, there, waiting):
        job.refresh_from_db()
    assert (here.state, there.state) == (State.ADMITTED, State.QUEUED)
    assert (record.starts, record.dropped) == (1, 1)
    assert Command.objects.get().run.job == here
    assert {row.node.pool for row in Allocation.objects.all()} == {world.pool}
    assert (waiting.wait_reason, waiting.place) == ("", None)  # what was true before may be so no more


def test_next_pass_makes_up_for_it(world: make.World, second: Pool) -> None:
    there, waiting = submit(world, door="inference"), submit(world, door="inference", npus=8)
    situation = snapshot.take(clock.now())
    Pool.touch(second.pk)
    apply.commit(engine.plan(situation), situation, record=Pass(started_at=clock.now()))
    passes.run(clock.now())
    there.refresh_from_db()
    waiting.refresh_from_db()
    assert (there.state, waiting.place) == (State.ADMITTED, 1)
    assert waiting.wait_reason


def test_job_that_was_cancelled_meanwhile_drops_its_own_start_only(world: make.World) -> None:
    gone, stays = submit(world, door="training"), submit(world, door="training")
    situation = snapshot.take(clock.now())
    plan = engine.plan(situation)
    jobs.cancel(gone, by=world.alice)
    record = apply.commit(plan, situation, record=Pass(started_at=clock.now()))
    gone.refresh_from_db()
    stays.refresh_from_db()
    assert (gone.state, stays.state) == (State.CANCELLED, State.ADMITTED)
    assert (record.starts, record.dropped) == (1, 1)
