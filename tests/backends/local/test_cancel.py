from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

from scheduling.backends.base import Ending, Phase
from scheduling.backends.local import LocalBackend, orders, state
from tests.backends import make


def test_run_cancelled_before_its_submission_never_starts(local: LocalBackend, tmp_path: Path) -> None:
    order = make.order(f"touch {tmp_path}/ran")
    local.cancel(make.ref(order), grace_seconds=5)
    assert local.submit(order) == str(order.run)
    seen = make.look(local, order)
    assert (seen.phase, seen.ending, seen.started_at) == (Phase.ENDED, Ending.CANCELLED, None)
    assert not (tmp_path / "ran").exists()


def test_prepared_run_is_cancelled_without_a_supervisor(local: LocalBackend, tmp_path: Path) -> None:
    order = make.order(f"touch {tmp_path}/ran")
    run = state.RunFolder(str(local.root / "runs" / str(order.run)))
    orders.prepare(order, run=run, job_folder=str(local.root / "jobs/7"), cluster="local", python=local.python)
    local.cancel(make.ref(order), grace_seconds=5)
    assert make.look(local, order).ending == Ending.CANCELLED
    local.submit(order)
    assert not (tmp_path / "ran").exists()


def test_cancel_asked_by_a_worker_that_died_is_heeded_by_the_supervisor(local: LocalBackend, tmp_path: Path) -> None:
    order = make.order(f"touch {tmp_path}/ran")
    run = state.RunFolder(str(local.root / "runs" / str(order.run)))
    run.make()
    run.ask_cancel(grace=5)
    local.submit(order)
    seen = make.ended(local, order)
    assert (seen.ending, seen.started_at) == (Ending.CANCELLED, None)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("seed", range(12))
def test_cancel_at_any_moment_of_a_submission_ends_the_run(local: LocalBackend, seed: int) -> None:
    order = make.order("sleep 1000")
    submission = threading.Thread(target=local.submit, args=(order,))
    submission.start()
    time.sleep(random.Random(seed).uniform(0, 0.15))
    local.cancel(make.ref(order), grace_seconds=5)
    submission.join()
    assert make.ended(local, order).ending == Ending.CANCELLED


def test_script_that_ended_by_itself_was_not_cancelled(local: LocalBackend) -> None:
    child = "trap '' TERM; until ! kill -0 $$; do sleep 0.01; done 2>/dev/null; echo alone; sleep 1000 & wait; wait"
    order = make.order(f'bash -c "{child}" &\nsleep 0.2; exit 5')
    local.submit(order)
    make.says(local, order, "alone")
    assert make.look(local, order).phase == Phase.RUNNING
    local.cancel(make.ref(order), grace_seconds=0)
    seen = make.ended(local, order)
    assert (seen.ending, seen.exit_code) == (Ending.FAILED, 5)


def test_supervisor_that_is_told_to_go_stops_its_job(local: LocalBackend) -> None:
    order = make.order("trap 'echo bye; exit 0' TERM; echo up; sleep 1000 & wait")
    local.submit(order)
    make.says(local, order, "up")
    [live] = local.live_runs()
    os.kill(live.pid, signal.SIGTERM)
    assert make.ended(local, order).ending == Ending.CANCELLED
    assert "bye" in make.output(local, order)
