from __future__ import annotations

from pathlib import Path

import pytest

from scheduling.backends.base import Ending
from scheduling.backends.local import LocalBackend, process
from tests.backends import make


@pytest.mark.parametrize("code", [0, 1, 2, 126, 127, 143, 255])
def test_exit_code_is_the_script_s(local: LocalBackend, code: int) -> None:
    assert make.run(local, make.order(f"exit {code}")).exit_code == code


def test_script_killed_by_a_signal_fails_with_it(local: LocalBackend) -> None:
    seen = make.run(local, make.order("kill -9 $$"))
    assert (seen.ending, seen.exit_code, seen.signal, seen.reason) == (Ending.FAILED, None, 9, "signal")


def test_missing_interpreter_is_told_as_slurm_tells_it(local: LocalBackend) -> None:
    order = make.order("#!/nowhere/python\nprint(1)\n")
    assert make.run(local, order).exit_code == 2
    assert "slurmstepd: error: execve(): " in make.output(local, order)


def test_job_has_the_grace_to_save_at_its_time_limit(local: LocalBackend) -> None:
    order = make.order('trap "echo saved; exit 0" TERM; sleep 60 & wait', time_limit_seconds=1)
    seen = make.run(local, order)
    assert (seen.ending, seen.exit_code) == (Ending.TIMED_OUT, 0)
    assert "saved" in make.output(local, order)
    assert "DUE TO TIME LIMIT ***" in make.output(local, order)


def test_who_ignores_sigterm_is_killed_after_the_grace(local: LocalBackend) -> None:
    order = make.order("trap '' TERM; while :; do sleep 0.1; done", time_limit_seconds=1, grace_seconds=1)
    seen = make.run(local, order)
    assert (seen.ending, seen.signal) == (Ending.TIMED_OUT, 9)
    assert seen.started_at is not None
    assert seen.ended_at is not None
    assert 2.0 <= (seen.ended_at - seen.started_at).total_seconds() < 4.0


def test_later_cancel_shortens_the_grace(local: LocalBackend) -> None:
    order = make.order("trap '' TERM; echo up; while :; do sleep 0.1; done")
    local.submit(order)
    make.says(local, order, "up")
    local.cancel(make.ref(order), grace_seconds=3600)
    make.says(local, order, "CANCELLED")
    local.cancel(make.ref(order), grace_seconds=0)
    assert make.ended(local, order).signal == 9


def test_tasks_keep_the_grace_when_the_script_dies_at_once(local: LocalBackend) -> None:
    task = 'trap "sleep 0.5; echo saved; exit 0" TERM; echo up; while :; do sleep 0.1; done'
    order = make.order(f"srun -n1 bash -c '{task}'")
    local.submit(order)
    make.says(local, order, "up")
    local.cancel(make.ref(order), grace_seconds=10)
    assert make.ended(local, order).ending == Ending.CANCELLED
    assert "saved" in make.output(local, order)


def test_daemon_left_behind_is_gone_before_the_run_has_ended(local: LocalBackend, tmp_path: Path) -> None:
    order = make.order(f"(setsid env -i sleep 1000 & echo $! > {tmp_path}/pid)")
    assert make.run(local, order).ending == Ending.SUCCEEDED
    found = process.read(int((tmp_path / "pid").read_text()))
    assert found is None or found.gone


def test_temporary_folder_is_emptied(local: LocalBackend) -> None:
    order = make.order("mkdir $TMPDIR/a; echo x > $TMPDIR/a/b; ln -s / $TMPDIR/c; echo $TMPDIR")
    make.run(local, order)
    folder = Path(make.output(local, order).strip())
    make.until(lambda: not any(folder.iterdir()))
