"""A command that cannot be carried out for a reason that no backend named: those behind it are."""

from __future__ import annotations

from datetime import timedelta

import pytest

from portal.kit import clock
from scheduling import dispatch, jobspec
from scheduling.models import Allocation, Command, Job, Run, State
from scheduling.queries.site import site_for
from scheduling.services import jobs, passes
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> make.World:
    return make.world()


def admitted(world: make.World) -> Job:
    reading = jobspec.read(make.script(npus=1, body="true"), site_for(world.alice, world.nlp))
    return jobs.submit(world.alice, team=world.nlp, project=None, reading=reading)


def broken(job: Job) -> Command:
    """Its specification was kept by a portal that wrote it otherwise."""
    Job.objects.filter(pk=job.pk).update(spec={"components": 3})
    return Command.objects.get(run__job=job)


def test_a_fault_is_put_off_and_the_commands_behind_it_are_carried_out(world: make.World) -> None:
    first, second = admitted(world), admitted(world)
    passes.run(clock.now())
    command = broken(first)
    assert dispatch.run(clock.now()) == 2
    command.refresh_from_db()
    second.refresh_from_db()
    assert (command.state, command.last_error, command.tries) == (Command.State.PENDING, "fault", 1)
    assert command.next_at > clock.now() - timedelta(seconds=1)
    assert second.state == State.SUBMITTED


def test_a_submission_that_stays_at_fault_is_refused_and_frees_what_it_held(world: make.World) -> None:
    job = admitted(world)
    passes.run(clock.now())
    command = broken(job)
    Command.objects.filter(pk=command.pk).update(tries=dispatch.FAULTS_BORNE - 1, next_at=clock.now())
    dispatch.run(clock.now())
    command.refresh_from_db()
    job.refresh_from_db()
    assert (command.state, command.last_error) == (Command.State.FAILED, "fault")
    assert (job.state, job.ended_why) == (State.FAILED, "fault")
    assert Run.objects.get(job=job).state == Run.State.NEVER
    assert not Allocation.objects.held().exists()


def test_a_cancellation_at_fault_is_never_given_up(world: make.World, settings: object) -> None:
    job = admitted(world)
    passes.run(clock.now())
    dispatch.run(clock.now())
    jobs.cancel(Job.objects.get(pk=job.pk), by=world.alice)
    command = Command.objects.get(kind=Command.Kind.CANCEL)
    del settings.LOCAL_BACKEND_ALLOWED  # type: ignore[attr-defined]  # the fixture has any setting
    Command.objects.filter(pk=command.pk).update(tries=50, next_at=clock.now())
    dispatch.run(clock.now())
    command.refresh_from_db()
    assert (command.state, command.last_error) == (Command.State.PENDING, "fault")
