from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from npu_inventory.models import NPU
from portal.kit import clock
from scheduling.models import Allocation, Command, Job, Run, State, SubmitRequest
from tests import make, refused

pytestmark = [pytest.mark.django_db, pytest.mark.rows]


def change_job(world: make.World, **columns: Any) -> None:
    Job.objects.filter(pk=make.job(world.alice, world.nlp).pk).update(**columns)


def run(world: make.World, of: Job, attempt: int = 1, index: int | None = None, state: str = "running") -> Run:
    return Run.objects.create(
        job=of, cluster=world.cluster, attempt=attempt, array_index=index, state=state, created_at=clock.now()
    )


def two_runs(first: dict[str, Any], second: dict[str, Any]) -> refused.Step:
    def step(world: make.World) -> None:
        job = make.job(world.alice, world.nlp)
        run(world, job, **first)
        run(world, job, **second)

    return step


def hold_a_card_twice(world: make.World) -> None:
    npu = NPU.objects.filter(node=world.nodes[0])[0]
    for _ in range(2):
        Allocation.objects.create(run=run(world, make.job(world.alice, world.nlp)), node=world.nodes[0], npu=npu)


def tell_twice(world: make.World) -> None:
    of, now = run(world, make.job(world.alice, world.nlp)), clock.now()
    for _ in range(2):
        Command.objects.create(run=of, kind=Command.Kind.SUBMIT, next_at=now, made_at=now)


def use_a_key_twice(world: make.World) -> None:
    for digest in ("a", "b"):
        SubmitRequest.objects.create(user=world.alice, key="k", digest=digest, at=clock.now())


REFUSED: dict[str, refused.Step] = {
    "job_state_known": lambda w: change_job(w, state="lost"),
    "job_on_a_node_at_least": lambda w: change_job(w, nodes_min=0),
    "job_node_range": lambda w: change_job(w, nodes_min=3, nodes_max=2),
    "job_held_by_somebody": lambda w: change_job(w, state=State.HELD),
    "job_stops_for_a_reason": lambda w: change_job(w, intent=Job.Intent.CANCEL),
    "one_run_an_attempt": two_runs({"state": "ended"}, {"state": "ended"}),
    "one_run_an_attempt_and_index": two_runs({"state": "ended", "index": 1}, {"state": "ended", "index": 1}),
    "one_run_at_a_time": two_runs({"state": "starting"}, {"state": "running", "attempt": 2}),
    "one_run_at_a_time_and_index": two_runs({"index": 1}, {"index": 1, "attempt": 2}),
    "an_npu_is_held_once": hold_a_card_twice,
    "told_once": tell_twice,
    "key_once_a_user": use_a_key_twice,
}


@pytest.mark.parametrize("constraint", REFUSED)
def test_refused(constraint: str) -> None:
    refused.assert_refuses(constraint, REFUSED[constraint], make.world())


def test_each_constraint_has_its_case() -> None:
    assert refused.constraints_of("scheduling") == set(REFUSED)


def test_uuid_names_one_job_and_one_run() -> None:
    world = make.world()
    jobs = [make.job(world.alice, world.nlp) for _ in range(2)]
    runs = [run(world, job) for job in jobs]
    for first, second in (jobs, runs):
        with pytest.raises(IntegrityError), transaction.atomic():
            type(second).objects.filter(pk=second.pk).update(uuid=first.uuid)


def test_card_is_free_for_the_next_once_it_is_released() -> None:
    world = make.world()
    npu = NPU.objects.filter(node=world.nodes[0])[0]
    for _ in range(2):
        given = {"run": run(world, make.job(world.alice, world.nlp)), "node": world.nodes[0], "npu": npu}
        Allocation.objects.create(**given, released_at=clock.now())
    Allocation.objects.create(**given)
    assert Allocation.objects.held().count() == 1
