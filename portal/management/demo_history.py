"""Two weeks of the demo's past. Who ran what is drawn; when it started, and on whose quota, the engine itself decides."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings

from accounting.models import Project, Team, UsageInterval, User
from npu_inventory.models import NPU, Partition
from portal.kit import clock
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import jobspec
from scheduling.models import Allocation, Job, JobEvent, Run, State
from scheduling.services import replay

DAYS = 14
SEED = 910
JOBS_A_DAY = {"nlp": 5, "vision": 4, "speech": 3, "recommendation": 3}
SIZES = ((1, 1, 2, 2, 4), (1, 2, 2, 4, 8))  # of everybody, and now and then of one with a deadline
NAMES = {
    "longctx": ("qwen-7b-longctx", "rope-scale", "needle-eval"),
    "sft": ("qwen-13b-sft", "sft-qa-zh", "dpo-beta"),
    "eval": ("eval-sweep-mmlu", "ceval-nightly"),
    "detection": ("det-swin-l", "det-yolo-x"),
    "ocr": ("ocr-distill", "ocr-table"),
    "asr": ("asr-conformer-xl", "wav-pretrain"),
    "tts": ("tts-hifi-24k", "tts-vits-multi"),
    "ranking": ("dlrm-ctr-daily", "two-tower-v5"),
}


def build(now: datetime) -> int:
    """Writes the past as rows; returns the number of jobs. All of it has ended some minutes before `now`."""
    end = now.replace(microsecond=0) - timedelta(minutes=20)
    door = Partition.objects.select_related("pool").get(is_default=True)
    jobs = Job.objects.bulk_create(sorted(_draws(end, door), key=lambda job: job.submitted_at))
    dice = random.Random(SEED)
    seconds = {job.pk: _duration(dice, job.time_limit_seconds or 3600) for job in jobs}
    _write(jobs, replay.run(jobs, seconds=seconds, until=end))
    return len(jobs)


def _duration(dice: random.Random, limit: int) -> int:
    """Most end well before their limit, a few run into it."""
    return min(limit, max(40, int(limit * dice.lognormvariate(-0.7, 0.6))))


def _draws(end: datetime, door: Partition) -> Iterator[Job]:
    dice = random.Random(SEED)  # the same past for everybody
    zone = ZoneInfo(settings.ORGANISATION_TIME_ZONE)
    for team in Team.objects.order_by("id"):
        projects, people = list(team.projects.order_by("id")), list(team.members.order_by("id"))
        for day in range(DAYS, -1, -1):
            for _ in range(JOBS_A_DAY[team.slug]):
                hour = dice.triangular(8, 23, 14)
                local = (end - timedelta(days=day)).astimezone(zone).replace(hour=0, minute=0, second=0)
                submitted = local + timedelta(seconds=int(hour * 3600))
                job = _draw(dice, team, dice.choice(projects), dice.choice(people), door, submitted)
                if end - timedelta(days=DAYS) < submitted < end - timedelta(hours=1):
                    yield job


def _draw(dice: random.Random, team: Team, project: Project, person: User, door: Partition, submitted: datetime) -> Job:
    npus = dice.choice(SIZES[dice.random() < 0.2])
    limit = dice.choice((3600, 2 * 3600, 4 * 3600, 8 * 3600))
    name = dice.choice(NAMES[project.slug])
    spec = jobspec.JobSpec(name=name, time_limit_seconds=limit)
    return Job(
        name=name,
        state=State.QUEUED,
        state_since=submitted,
        submitted_at=submitted,
        user=person,
        team=team,
        project=project,
        pool=door.pool,
        partition=door,
        spec=spec.to_dict(),
        npus_per_node=npus,
        grains=npus * GRAINS_PER_NPU,
        cpus_per_node=npus * 8,
        time_limit_seconds=limit,
    )


def _write(jobs: Sequence[Job], past: Mapping[int, replay.Passage]) -> None:
    dice = random.Random(SEED)
    cards = {(npu.node_id, npu.index): npu for npu in NPU.objects.select_related("node")}
    runs, events = [], []
    for job in jobs:
        passage = past.get(job.pk)
        events.append(_event(job, job.submitted_at, "submitted", to=State.QUEUED, by=job.user))
        if passage is None or passage.ended is None:
            ended = job.submitted_at + timedelta(minutes=5)
            _end(job, State.CANCELLED, ended, why="cancelled")
            events.append(_event(job, ended, "cancelled", was=State.QUEUED, to=State.CANCELLED, by=job.user))
            continue
        began, ended = clock.from_epoch(passage.started), clock.from_epoch(passage.ended)
        state, why, code = _outcome(dice, job, passage)
        _end(job, state, ended, why=why, exit_code=code, started_at=began, attempts=1)
        node = next(iter(passage.placement)).node
        runs.append(
            Run(
                job=job, cluster=cards[node, 0].node.cluster, attempt=1, state=Run.State.ENDED, created_at=began,
                started_at=began, ended_at=ended, ending=state.value, exit_code=code, reason="" if code == 0 else why,
            )
        )  # fmt: skip
        events += [
            _event(job, began, "admitted", was=State.QUEUED, to=State.ADMITTED),
            _event(job, began, "running", was=State.SUBMITTED, to=State.RUNNING),
            _event(job, ended, state.value, was=State.RUNNING, to=state),
        ]
    Job.objects.bulk_update(jobs, _COLUMNS, batch_size=200)
    JobEvent.objects.bulk_create(events)
    for run in Run.objects.bulk_create(runs):
        _book(run, past[run.job_id], cards)


_COLUMNS = ("state", "state_since", "started_at", "ended_at", "ended_why", "ended_facts", "exit_code", "attempts")


def _outcome(dice: random.Random, job: Job, passage: replay.Passage) -> tuple[State, str, int]:
    if passage.ended is not None and passage.ended - passage.started >= (job.time_limit_seconds or 0) > 0:
        return State.TIMED_OUT, "timed_out", 143
    if dice.random() < 0.12:
        return State.FAILED, "exit", 1
    return State.SUCCEEDED, "", 0


def _end(job: Job, state: State, at: datetime, *, why: str, exit_code: int | None = None, **columns: object) -> None:
    job.state, job.state_since, job.ended_at = state, at, at
    job.ended_why, job.exit_code, job.ended_facts = why, exit_code, {"exit_code": exit_code}
    for name, value in columns.items():
        setattr(job, name, value)


def _event(
    job: Job, at: datetime, what: str, *, to: State, was: State | None = None, by: User | None = None
) -> JobEvent:
    return JobEvent(job=job, at=at, what=what, was=was or "", now=to, by=by)


def _book(run: Run, passage: replay.Passage, cards: Mapping[tuple[int, int], NPU]) -> None:
    """What the run held, and its usage as the ledger had it at each moment."""
    Allocation.objects.bulk_create(
        Allocation(
            run=run,
            node_id=held.node,
            npu=cards[held.node, index],
            grains=GRAINS_PER_NPU,
            cpus=held.cpus if position == 0 else 0,
            released_at=run.ended_at,
        )
        for held in passage.placement
        for position, index in enumerate(held.npus)
    )
    job = run.job
    UsageInterval.objects.bulk_create(
        UsageInterval(
            run=run.pk,
            job=job.pk,
            team=job.team,
            project=job.project,
            user=job.user,
            pool=job.pool,
            source=source,
            grains=grains,
            since=clock.from_epoch(since),
            until=clock.from_epoch(until),
        )
        for since, until, split in passage.stretches
        for source, grains in split.by_source.items()
    )
