"""Each script runs exactly once, whoever dies when."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

from scheduling.backends.base import Ending, Order, Phase
from scheduling.backends.local import LocalBackend, orders, state
from tests.backends import make

SPAWN = multiprocessing.get_context("fork")


def _counting(tmp_path: Path) -> Order:
    return make.order(f"echo ran >> {tmp_path}/count")


def _count(tmp_path: Path) -> int:
    return (tmp_path / "count").read_text().count("ran")


def test_twenty_workers_submit_at_once_and_it_runs_once(local: LocalBackend, tmp_path: Path) -> None:
    order = _counting(tmp_path)
    workers = [SPAWN.Process(target=local.submit, args=(order,)) for _ in range(20)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert make.ended(local, order).ending == Ending.SUCCEEDED
    assert [worker.exitcode for worker in workers] == [0] * 20
    assert _count(tmp_path) == 1


@pytest.mark.parametrize("seed", range(12))
def test_worker_killed_at_any_moment_of_a_submission(local: LocalBackend, tmp_path: Path, seed: int) -> None:
    order = _counting(tmp_path)
    worker = SPAWN.Process(target=local.submit, args=(order,))
    worker.start()
    assert worker.pid is not None
    time.sleep(random.Random(seed).uniform(0, 0.12))
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    local.submit(order)
    assert make.ended(local, order).ending == Ending.SUCCEEDED
    assert _count(tmp_path) == 1


def _prepare_only(local: LocalBackend, order: Order) -> None:
    """What is on disk when a worker dies right before it starts the supervisor."""
    run = state.RunFolder(str(local.root / "runs" / str(order.run)))
    folder = str(local.root / "jobs" / str(order.job))
    orders.prepare(order, run=run, job_folder=folder, cluster="local", python=local.python)


def test_prepared_run_waits_and_is_started_by_the_next_submission(local: LocalBackend, tmp_path: Path) -> None:
    order = _counting(tmp_path)
    _prepare_only(local, order)
    assert make.look(local, order).phase == Phase.PENDING
    local.submit(order)
    assert make.ended(local, order).ending == Ending.SUCCEEDED
    assert _count(tmp_path) == 1


def test_prepared_run_is_started_by_being_looked_up(local: LocalBackend, tmp_path: Path) -> None:
    order = _counting(tmp_path)
    _prepare_only(local, order)
    assert local.find(order.run) == str(order.run)
    assert make.ended(local, order).ending == Ending.SUCCEEDED
    assert _count(tmp_path) == 1


def test_prepared_run_that_waits_too_long_is_started_by_an_observation(local: LocalBackend, tmp_path: Path) -> None:
    order = _counting(tmp_path)
    _prepare_only(local, order)
    os.utime(local.root / "runs" / str(order.run) / "order.json", (0, 0))
    assert make.ended(local, order).ending == Ending.SUCCEEDED
    assert _count(tmp_path) == 1


def test_half_prepared_run_was_not_submitted(local: LocalBackend, tmp_path: Path) -> None:
    order = _counting(tmp_path)
    state.RunFolder(str(local.root / "runs" / str(order.run))).make()
    assert local.find(order.run) is None
    local.submit(order)
    assert make.ended(local, order).ending == Ending.SUCCEEDED
    assert _count(tmp_path) == 1


def test_jobs_outlive_the_session_of_their_worker(local: LocalBackend) -> None:
    order = make.order("echo up; sleep 0.5; echo done")

    def work() -> None:
        os.setsid()
        local.submit(order)
        os.killpg(0, signal.SIGKILL)

    worker = SPAWN.Process(target=work)
    worker.start()
    worker.join()
    assert make.ended(local, order).exit_code == 0
    assert make.output(local, order) == "up\ndone\n"
