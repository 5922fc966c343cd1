"""A busy place: so many jobs wait, so many run, as a pass left them."""

from __future__ import annotations

from datetime import datetime, timedelta

from npu_inventory.models import NPU
from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import jobspec
from scheduling.models import Allocation, Job, JobEvent, Run, State
from scheduling.services import passes
from tests import make


def busy(*, waiting: int, running: int) -> make.World:
    """Each running job has one NPU of 8 on its node, and no NPU is free."""
    nodes = max(2, -(-running // 8))
    world = make.world(nodes=nodes, guarantees=(nodes * 2, nodes * 2, nodes * 2, 0))
    now = clock.now()
    jobs = [_job(world, number, now, State.RUNNING) for number in range(running)]
    jobs += [_job(world, number, now, State.QUEUED) for number in range(waiting)]
    Job.objects.bulk_create(jobs, batch_size=500)
    JobEvent.objects.bulk_create(
        (JobEvent(job=job, what="submitted", now=State.QUEUED, at=job.submitted_at) for job in jobs), batch_size=500
    )
    _hold(world, jobs[:running], now)
    NPU.objects.filter(allocations=None).update(in_service=False)
    passes.run(now)
    return world


def _job(world: make.World, number: int, now: datetime, state: State) -> Job:
    team = (world.nlp, world.vision, world.speech)[number % 3]
    person = (world.alice, world.charlie, world.sam)[number % 3]
    runs = state is State.RUNNING
    return Job(
        name=f"train-{number}", state=state, state_since=now, submitted_at=now - timedelta(seconds=number), user=person,
        team=team, project=team.projects.get(), pool=world.pool, partition=world.partition, npus_per_node=1,
        grains=GRAINS_PER_NPU, cpus_per_node=1, time_limit_seconds=3600 + 60 * (number % 60), script=make.script(),
        spec=jobspec.JobSpec(name="train").to_dict(), attempts=int(runs), started_at=now if runs else None,
        on_own=GRAINS_PER_NPU if runs else 0,
    )  # fmt: skip


def _hold(world: make.World, jobs: list[Job], now: datetime) -> None:
    runs = Run.objects.bulk_create(
        Run(job=job, cluster=world.cluster, attempt=1, state=Run.State.RUNNING, created_at=now, started_at=now)
        for job in jobs
    )
    cards = NPU.objects.order_by("node", "index")[: len(runs)]
    Allocation.objects.bulk_create(
        Allocation(run=run, node_id=card.node_id, npu=card, grains=GRAINS_PER_NPU, cpus=1)
        for run, card in zip(runs, cards, strict=True)
    )
