"""A run whose supervisor was killed: nothing of it goes on unseen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from scheduling.backends.base import Order, Phase
from scheduling.backends.local import LocalBackend, process
from tests.backends import make


def _file(local: LocalBackend, order: Order, name: str) -> Path:
    return local.root / "runs" / str(order.run) / name


def _kill_supervisor(local: LocalBackend, order: Order) -> None:
    [live] = [each for each in local.live_runs() if each.run == order.run]
    os.kill(live.pid, signal.SIGKILL)


def _ticks() -> int:
    """Clock ticks since the boot, as a process's start is counted."""
    return int(Path("/proc/uptime").read_text().split()[0].replace(".", "")) * os.sysconf("SC_CLK_TCK") // 100


def test_supervisor_killed_means_lost_and_no_process_left(local: LocalBackend, tmp_path: Path) -> None:
    task = f"echo $$ >> {tmp_path}/pids; exec sleep 1000"
    order = make.order(
        f"(setsid bash -c '{task}' &)\n(env -i bash -c '{task}' &)\nsrun -n2 bash -c '{task}' &\n"
        f"echo $$ >> {tmp_path}/pids; wait"
    )
    local.submit(order)
    pids = tmp_path / "pids"
    make.until(lambda: pids.exists() and len(pids.read_text().split()) == 5)
    _kill_supervisor(local, order)
    seen = make.ended(local, order)
    assert (seen.phase, seen.reason, seen.exit_code) == (Phase.LOST, "process_gone", None)
    left = [process.read(int(pid)) for pid in pids.read_text().split()]
    assert [each.pid for each in left if each is not None and not each.gone] == []


def test_lost_stays_lost_with_the_same_times(local: LocalBackend) -> None:
    order = make.order("sleep 1000")
    local.submit(order)
    _kill_supervisor(local, order)
    first = make.ended(local, order)
    assert first.ended_at is not None
    assert make.look(local, order) == first


def test_lost_run_is_not_started_again(local: LocalBackend, tmp_path: Path) -> None:
    order = make.order(f"echo ran >> {tmp_path}/count; sleep 1000")
    local.submit(order)
    make.until((tmp_path / "count").exists)
    _kill_supervisor(local, order)
    make.ended(local, order)
    local.submit(order)
    assert make.look(local, order).phase == Phase.LOST
    assert (tmp_path / "count").read_text() == "ran\n"


def test_foreign_process_with_a_reused_pid_is_neither_trusted_nor_signalled(local: LocalBackend) -> None:
    order = make.order("sleep 1000")
    local.submit(order)
    _kill_supervisor(local, order)
    started = json.loads(_file(local, order, "started.json").read_text())
    make.until(lambda: _ticks() > started["ticks"])  # no pid is used again within a tick, so neither is it here
    with subprocess.Popen(["sleep", "1000"]) as stranger:
        _file(local, order, "started.json").write_text(json.dumps(started | {"pid": stranger.pid}))
        local.cancel(make.ref(order), grace_seconds=0)
        assert make.ended(local, order).phase == Phase.LOST
        assert stranger.poll() is None
        stranger.kill()


def test_run_of_before_a_restart_of_the_machine_ended_no_later_than_that(local: LocalBackend) -> None:
    order = make.order("sleep 1000")
    local.submit(order)
    _kill_supervisor(local, order)
    started = json.loads(_file(local, order, "started.json").read_text())
    before = started | {"boot": "another", "at": process.boot_time() - 100}
    _file(local, order, "started.json").write_text(json.dumps(before))
    seen = make.ended(local, order)
    assert seen.ended_at is not None
    assert seen.ended_at.timestamp() == process.boot_time()
    process.kill_remnants(str(order.run), patience=5)


def test_live_runs_are_told_from_the_files_alone(local: LocalBackend) -> None:
    order, over = make.order("sleep 1000", name="long"), make.order("exit 0", job=8)
    local.submit(order)
    make.run(local, over)
    [live] = LocalBackend(local.root).live_runs()
    assert (live.run, live.job, live.name) == (order.run, 7, "long")


def test_another_backend_object_goes_on_where_the_first_left(local: LocalBackend) -> None:
    order = make.order("echo up; sleep 1000")
    local.submit(order)
    other = LocalBackend(local.root)
    make.says(other, order, "up")
    other.cancel(make.ref(order), grace_seconds=0)
    assert make.ended(local, order).phase == Phase.ENDED
