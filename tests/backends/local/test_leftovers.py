from __future__ import annotations

from pathlib import Path

from scheduling.backends.local import LocalBackend, process
from tests.backends import make
from tests.services.leftovers import end_jobs_in, jobs_in


def test_jobs_of_tests_are_over_with_all_that_they_started(local: LocalBackend, tmp_path: Path) -> None:
    task = f"echo $$ >> {tmp_path}/pids; exec sleep 1000"
    local.submit(make.order(f"(env -i setsid bash -c '{task}' &)\n{task}"))
    pids = tmp_path / "pids"
    make.until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    supervisor = local.live_runs()[0].pid
    mine = {supervisor, *map(int, pids.read_text().split())}
    assert mine <= {each.pid for each in jobs_in([tmp_path])}
    end_jobs_in(tmp_path)
    assert [each.pid for each in map(process.read, mine) if each and not each.gone] == []


def test_jobs_of_others_go_on(local: LocalBackend, tmp_path: Path) -> None:
    order = make.order("echo up; sleep 1000")
    local.submit(order)
    make.says(local, order, "up")
    (tmp_path / "other").mkdir()
    end_jobs_in(tmp_path / "other", tmp_path / "ro")
    assert [live.run for live in local.live_runs()] == [order.run]
