"""A job's whole way with the real local backend: submit, pass, dispatch, observe; the workers' tasks called one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from accounting.models import LoanEntry, UsageInterval
from portal.kit import clock
from portal.kit.errors import Conflict, Invalid, NotAllowed
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import dispatch, jobspec
from scheduling.models import Allocation, Command, Job, Run, State, move
from scheduling.queries.site import site_for
from scheduling.services import jobs, logs, observe, passes
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.rows]
PATIENCE = 20


@pytest.fixture
def world() -> make.World:
    return make.world()


def submit(world: make.World, *, by: str = "alice", team: str = "nlp", own_only: bool = False, **script: object) -> Job:
    user, of = world.people[by], getattr(world, team)
    reading = jobspec.read(make.script(**script), site_for(user, of))  # type: ignore[arg-type]  # a test's shorthand
    return jobs.submit(user, team=of, project=None, reading=reading, own_only=own_only)


def turn() -> None:
    """What the workers do all the time."""
    passes.run(clock.now())
    dispatch.run(clock.now())
    observe.run(clock.now())


def until(job: Job, done: Callable[[Job], bool]) -> Job:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        turn()
        job.refresh_from_db()
        if done(job):
            return job
        time.sleep(0.05)
    raise AssertionError(f"job {job.pk} is still {job.state}: {job.wait_reason} {job.wait_facts}")


def ended(job: Job) -> bool:
    return job.is_ended


def running(job: Job) -> bool:
    return job.state == State.RUNNING


def test_a_script_runs_to_its_end_and_is_billed(world: make.World) -> None:
    job = until(submit(world, npus=2, body="echo $ASCEND_RT_VISIBLE_DEVICES; sleep 2"), ended)
    assert (job.state, job.exit_code, job.on_own) == (State.SUCCEEDED, 0, 0)
    assert logs.tail(job).text == "0,1\n"
    interval = UsageInterval.objects.get(job=job.pk)
    run = Run.objects.get(job=job)
    assert (interval.source, interval.grains) == ("guaranteed", 2 * GRAINS_PER_NPU)
    assert run.started_at is not None
    assert run.ended_at is not None
    assert interval.since == run.started_at.replace(microsecond=0)
    assert interval.until == run.ended_at.replace(microsecond=0)
    assert not Allocation.objects.held().exists()
    assert [event.now for event in job.events.all()] == [
        "queued", "admitted", "submitted", "running", "succeeded",
    ]  # fmt: skip


def test_two_nodes_and_all_their_npus(world: make.World) -> None:
    body = "srun sh -c 'echo $SLURMD_NODENAME $SLURM_PROCID $ASCEND_RT_VISIBLE_DEVICES'"
    job = until(submit(world, npus=8, nodes=2, body=body), ended)
    assert job.state == State.SUCCEEDED
    lines = sorted(logs.tail(job).text.splitlines())
    assert lines == ["npu-01 0 0,1,2,3,4,5,6,7", "npu-02 1 0,1,2,3,4,5,6,7"]
    sources = dict(UsageInterval.objects.filter(job=job.pk).values_list("source", "grains"))
    assert sources == {} or sources == {
        "guaranteed": 5 * GRAINS_PER_NPU, "elastic": 4 * GRAINS_PER_NPU, "borrowed": 7 * GRAINS_PER_NPU,
    }  # fmt: skip


def test_loans_are_in_the_journal_while_they_last(world: make.World) -> None:
    job = until(submit(world, npus=8, body="sleep 60"), running)
    standing = LoanEntry.objects.filter(until__isnull=True)
    assert {entry.lender_id for entry in standing} == {None}  # 5 own, 3 of 4 elastic
    assert sum(entry.grains for entry in standing) == 3 * GRAINS_PER_NPU
    jobs.cancel(job, by=world.alice)
    until(job, ended)
    turn()
    assert not LoanEntry.objects.filter(until__isnull=True).exists()


def test_a_failing_script_fails_with_its_code(world: make.World) -> None:
    job = until(submit(world, body="echo no such card >&2; exit 3"), ended)
    assert (job.state, job.exit_code) == (State.FAILED, 3)
    assert "no such card" in logs.tail(job).text


def test_a_waiting_job_says_why_and_starts_when_it_can(world: make.World) -> None:
    first = until(submit(world, npus=8, nodes=2, body="sleep 60"), running)
    second = submit(world, by="charlie", team="vision", npus=4, body="true")
    turn()
    second.refresh_from_db()
    assert (second.state, second.wait_reason, second.place) == (State.QUEUED, "pool_full", 1)
    assert second.wait_facts["idle"] == 0
    assert second.wait_facts["next_job"] == first.pk
    assert second.expected_at == first.ends_by
    jobs.cancel(first, by=world.alice)
    until(first, ended)
    assert until(second, ended).state == State.SUCCEEDED


def test_cancel_of_a_running_job_is_confirmed_by_the_backend(world: make.World) -> None:
    job = until(submit(world, npus=1, body="sleep 60"), running)
    jobs.cancel(job, by=world.alice, why="wrong data")
    assert job.state == State.STOPPING
    assert Allocation.objects.held().exists()
    job = until(job, ended)
    assert (job.state, job.ended_why) == (State.CANCELLED, "cancelled")
    assert not Allocation.objects.held().exists()


def test_cancel_of_a_waiting_job_is_at_once(world: make.World) -> None:
    job = submit(world)
    jobs.cancel(job, by=world.alice)
    assert job.state == State.CANCELLED
    turn()
    assert not Run.objects.exists()


def test_cancel_between_admission_and_dispatch_never_starts_it(world: make.World) -> None:
    job = submit(world, body="touch ran")
    passes.run(clock.now())
    job.refresh_from_db()
    assert job.state == State.ADMITTED
    jobs.cancel(job, by=world.alice)
    turn()
    assert Run.objects.get().state == Run.State.NEVER
    assert Command.objects.get().state == Command.State.DROPPED
    assert not Allocation.objects.held().exists()


def test_a_cancel_while_the_submission_is_in_a_workers_hands_reaches_the_run(world: make.World) -> None:
    job = submit(world, body="sleep 60")
    passes.run(clock.now())
    Command.objects.update(tries=1)  # a worker took it and may have told the backend
    job.refresh_from_db()
    jobs.cancel(job, by=world.alice)
    deadline = time.monotonic() + PATIENCE
    while Allocation.objects.held().exists() and time.monotonic() < deadline:
        turn()
        time.sleep(0.05)
    assert Job.objects.get().state == State.CANCELLED
    assert not Allocation.objects.held().exists()


def test_a_second_cancel_waits_for_the_backend_like_the_first(world: make.World) -> None:
    job = until(submit(world, npus=1, body="trap '' TERM; sleep 60"), running)
    for _ in range(3):
        jobs.cancel(job, by=world.alice)
        assert job.state == State.STOPPING
    job = until(job, ended)
    run = Run.objects.get(job=job)
    assert (job.state, job.ended_at, job.on_own) == (State.CANCELLED, run.ended_at, 0)


@pytest.mark.parametrize("state", [state for state in State if state != State.HELD])
def test_only_a_held_job_is_released(state: State, world: make.World) -> None:
    intent = Job.Intent.CANCEL if state == State.STOPPING else ""
    job = make.job(world.alice, world.nlp, state=state, intent=intent)
    with pytest.raises(Conflict):
        jobs.release(job, by=world.alice)
    job.refresh_from_db()
    assert job.state == state


def test_a_job_put_back_does_not_start_before_its_run_has_let_go(world: make.World) -> None:
    job = until(submit(world, npus=1, body="sleep 60"), running)
    move(job, to=State.QUEUED, why="node_failed")
    other = until(submit(world, by="charlie", team="vision", npus=1, body="true"), ended)
    job.refresh_from_db()
    assert (other.state, job.state, job.runs.count()) == (State.SUCCEEDED, State.QUEUED, 1)


def test_held_jobs_wait_and_keep_their_submit_time(world: make.World) -> None:
    job = submit(world, body="true")
    submitted = job.submitted_at
    jobs.hold(job, by=world.alice)
    turn()
    job.refresh_from_db()
    assert (job.state, job.held_by) == (State.HELD, "user")
    jobs.release(job, by=world.alice)
    assert until(job, ended).submitted_at == submitted


def test_what_an_operator_holds_its_user_cannot_release(world: make.World) -> None:
    job = submit(world)
    jobs.hold(job, by=world.olga)
    with pytest.raises(NotAllowed) as refusal:
        jobs.release(job, by=world.alice)
    assert refusal.value.code == "held_by_operator"


def test_two_at_once_cannot_both_move_a_job(world: make.World) -> None:
    job = submit(world)
    same = Job.objects.get(pk=job.pk)
    jobs.cancel(job, by=world.alice)
    with pytest.raises(Conflict):
        jobs.hold(same, by=world.alice)


def test_what_can_never_start_is_refused_at_submit(world: make.World) -> None:
    with pytest.raises(Invalid) as refusal:
        submit(world, npus=8, nodes=2, own_only=True)
    assert refusal.value.code == "never_beyond_potential"
    assert not Job.objects.exists()


def test_a_submission_of_the_same_key_is_one_job(world: make.World) -> None:
    def make_job() -> Job:
        return submit(world)

    one, made = jobs.submit_once(world.alice, key="k", digest="a", make=make_job)
    two, again = jobs.submit_once(world.alice, key="k", digest="a", make=make_job)
    assert (one, made, again) == (two, True, False)
    with pytest.raises(Conflict) as refusal:
        jobs.submit_once(world.alice, key="k", digest="b", make=make_job)
    assert refusal.value.code == "key_used_for_other_body"
    assert Job.objects.count() == 1


def test_the_built_in_backend_must_be_allowed_by_name(world: make.World, settings: Any) -> None:
    settings.LOCAL_BACKEND_ALLOWED = False
    with pytest.raises(Invalid) as refusal:
        submit(world)
    assert refusal.value.code == "local_not_allowed"


def test_a_backend_that_refuses_for_ever_fails_the_job(world: make.World, settings: Any) -> None:
    job = submit(world)
    settings.LOCAL_BACKEND_ALLOWED = False
    turn()
    job.refresh_from_db()
    assert (job.state, job.ended_why) == (State.FAILED, "local_not_allowed")
    assert not Allocation.objects.held().exists()


def test_a_time_limit_ends_a_job_as_timed_out(world: make.World) -> None:
    job = submit(world, body="sleep 60")
    Job.objects.filter(pk=job.pk).update(time_limit_seconds=1)
    job = until(job, ended)
    assert job.state == State.TIMED_OUT
