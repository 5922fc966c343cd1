"""Workers and broker killed at any moment: each script runs exactly once, and states and usage are right afterwards."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from accounting.models import UsageInterval
from portal.kit.grains import GRAINS_PER_NPU
from scheduling import jobspec
from scheduling.models import Allocation, Command, Job, Run, State
from scheduling.queries.site import site_for
from scheduling.services import jobs
from tests import make
from tests.services.valkey import Valkey
from tests.services.workers import Workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.workers]
PATIENCE = 90

# Dispatches as a worker does, and dies between the supervisor's start and the commit that would have said so.
DIES_BEFORE_COMMIT = """
import os, signal, django
django.setup()
from portal.kit import clock
from scheduling import dispatch
from scheduling.services import passes
passes.run(clock.now())
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
dispatch._sent = die
dispatch.run(clock.now())
"""


@pytest.fixture
def world() -> make.World:
    return make.world(nodes=4, guarantees=(12, 8, 8, 0))


@pytest.fixture
def workers(tmp_path: Path, broker: Valkey, settings: object) -> Iterator[Workers]:
    workers = Workers(tmp_path / "workers", broker_url=broker.url)
    workers.folder.mkdir()
    yield workers
    workers.stop()


class Ledger:
    """A file to which each script adds its number: how often each ran."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ran"

    def submit(self, world: make.World, count: int, *, seconds: float) -> None:
        people = [("alice", world.nlp), ("charlie", world.vision), ("sam", world.speech), ("rita", world.recsys)]
        body = f"echo $SLURM_JOB_ID >> {self.path}; sleep {seconds}"
        for number in range(count):
            name, team = people[number % len(people)]
            reading = jobspec.read(make.script(npus=1, body=body), site_for(world.people[name], team))
            jobs.submit(world.people[name], team=team, project=None, reading=reading)

    def runs(self) -> Counter[int]:
        return Counter(map(int, self.path.read_text().split())) if self.path.exists() else Counter()


def until(done: Callable[[], bool], workers: Workers, seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            states = Counter(Job.objects.values_list("state", flat=True))
            raise AssertionError(f"not within {seconds} s; {states}\n{workers.words()}")
        time.sleep(0.2)


def all_ended() -> bool:
    return not Job.objects.exclude(state__in=State.values[6:]).exists()


def assert_all_is_right(ledger: Ledger, count: int) -> None:
    ran = ledger.runs()
    assert len(ran) == count
    assert set(ran.values()) == {1}, [number for number, times in ran.items() if times > 1]
    assert Counter(Job.objects.values_list("state", flat=True)) == {"succeeded": count}
    assert not Allocation.objects.held().exists()
    assert not Command.objects.filter(state=Command.State.PENDING).exists()
    used = Counter[int]()
    for row in UsageInterval.objects.all():
        assert row.until is not None
        assert row.grains == GRAINS_PER_NPU
        used[row.run] += int((row.until - row.since).total_seconds())
    for run in Run.objects.all():
        assert run.started_at is not None
        assert run.ended_at is not None
        whole = run.ended_at.replace(microsecond=0) - run.started_at.replace(microsecond=0)
        assert used[run.pk] == int(whole.total_seconds()), run.pk


def running(count: int) -> Callable[[], bool]:
    return lambda: Job.objects.filter(state=State.RUNNING).count() >= count


def test_a_worker_killed_among_30_running_and_200_waiting_jobs(
    world: make.World, workers: Workers, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path)
    ledger.submit(world, 230, seconds=4)
    workers.start()
    until(running(30), workers)
    workers.kill()
    time.sleep(1)
    workers.start()
    until(all_ended, workers)
    assert_all_is_right(ledger, 230)


def test_killed_at_ten_moments(world: make.World, workers: Workers, tmp_path: Path) -> None:
    ledger, dice = Ledger(tmp_path), random.Random(4711)
    ledger.submit(world, 100, seconds=2)
    assert workers.run_python(DIES_BEFORE_COMMIT) == -9
    assert Run.objects.filter(backend_id="").exists()
    for _ in range(9):
        workers.start()
        time.sleep(2 + dice.random() * 3)
        workers.kill()
    workers.start()
    until(all_ended, workers)
    assert_all_is_right(ledger, 100)


def test_a_broker_killed_and_back_loses_nothing(
    world: make.World, workers: Workers, broker: Valkey, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path)
    workers.start()
    ledger.submit(world, 20, seconds=2)
    until(running(5), workers)
    broker.kill()
    ledger.submit(world, 20, seconds=1)  # people go on submitting while there is no broker
    broker.start()
    until(all_ended, workers)
    assert_all_is_right(ledger, 40)


def test_two_workers_at_once_start_nothing_twice(world: make.World, workers: Workers, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    workers.count = 2
    workers.start()
    ledger.submit(world, 60, seconds=1)
    until(all_ended, workers)
    assert_all_is_right(ledger, 60)
