"""Jobs outlive the portal that started them, as they should; those of tests are over when the tests are."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable
from pathlib import Path

from scheduling.backends.local import process

SUPERVISOR = b"scheduling.backends.local.supervisor"
PATIENCE_SECONDS = 10


def end_jobs_in(*folders: Path) -> None:
    """Kills again and again, since what is killed last may have started another meanwhile."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while left := jobs_in(folders):
        for each in left:
            process.send(each, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise AssertionError(f"still there: {[each.pid for each in left]}")
        time.sleep(0.01)


def jobs_in(folders: Iterable[Path]) -> list[process.Process]:
    """Whatever works in one of the folders, and the supervisors of the runs that are in it."""
    folders = [folder.resolve() for folder in folders]
    return [each for each in process.table() if _is_of(each.pid, folders)]


def _is_of(pid: int, folders: list[Path]) -> bool:
    try:
        cwd = Path(f"/proc/{pid}/cwd").resolve()
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return any(
        cwd.is_relative_to(folder) or (SUPERVISOR in words and bytes(folder) + b"/" in words) for folder in folders
    )
